package record_test

import (
	"encoding"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/ledger"
	"trey/internal/people"
)

// What the text in a stored field is. What is said of an event is made of its fields when
// somebody reads it; what a program chose are keys.
const (
	clause = "clause" // of a book, or a ruling
	key    = "key"    // one of a list that a book, the house or a file has
	person = "person" // the name of a person or a machine, in its place the number
	name   = "name"   // of a table, a jackpot, a round, a session
	typed  = "typed"  // by a person, as a reason or a note
	digits = "digits" // a hash, a key, a cipher, an address
	terms  = "terms"  // a declaration or terms, which hold keys and clauses alone
	set    = "set"    // in house.toml: a figure, a key, an address
)

// texts classifies the text of every key of a stored body.
var texts = map[string]string{
	"clause": clause,
	"key":    key, "answer": key, "kind": key, "role": key, "variant": key, "changed": key, "at": key,
	"player": person, "entered_by": person, "name": person, "by": person, "winner": person,
	"payable": person, "first": person, "second": person, "asked_by": person, "instead": person,
	"table": name, "jackpot": name, "round": name, "provider": name, "session": name, "token": name, "tree": name,
	"method": key,
	"note":   typed, "reason": typed, "why": typed, "text": typed,
	"passkey": name, "label": typed, "host": name, "transports": key,
	"hash": digits, "secret": digits, "codes": digits, "cipher": digits, "address": digits, "program": digits, "books": digits,
	"settings": set, "settings as a key": key, "version": digits, "checkpoint": digits, "commitment": digits, "books as a key": key,
	"declaration": terms, "terms": terms,
	"store": key, "where": name,
	"before": digits, // a key that signed
	"book":   key, "book_hash": digits, "rules_hash": digits,
}

// snapshots are keys that stand in what is worked out again from the events only.
var snapshots = []string{"examiner", "restricted", "warned"}

// Persons stand under the keys at which their names become numbers, and nothing else does.
func TestPersonsStandUnderTheirKeys(t *testing.T) {
	want := slices.Clone(snapshots)
	for field, class := range texts {
		if class == person {
			want = append(want, field)
		}
	}
	slices.Sort(want)
	if !slices.Equal(people.Keys, want) {
		t.Errorf("names become numbers under %v, and persons stand under %v", people.Keys, want)
	}
	accounts := map[string]bool{}
	for _, g := range groups() {
		for _, form := range g.forms {
			eachAccount(form.Stored, "", func(field string) { accounts[field] = true })
		}
	}
	eachAccount(reflect.TypeFor[ledger.Posting](), "", func(field string) { accounts[field] = true })
	if got := slices.Sorted(maps.Keys(accounts)); !slices.Equal(got, people.AccountKeys) {
		t.Errorf("accounts stand under %v, and become those of numbers under %v", got, people.AccountKeys)
	}
}

// Every text that is stored is classified: in events, in commands, in the causes around
// them and in postings.
func TestNoProseIsStored(t *testing.T) {
	used := map[string]bool{}
	for _, stored := range []reflect.Type{reflect.TypeFor[house.Cause](), reflect.TypeFor[ledger.Posting]()} {
		eachText(stored, "", func(field string) {
			used[field] = true
			if texts[field] == "" {
				t.Errorf("nobody has said what the text under %q of %s is", field, stored)
			}
		})
	}
	for _, g := range groups() {
		for _, form := range g.forms {
			eachText(form.Stored, "", func(field string) {
				used[field] = true
				if texts[field] == "" {
					t.Errorf("nobody has said what the text under %q of %s is", field, form.Kind)
				}
			})
		}
	}
	for field := range texts {
		if !used[field] {
			t.Errorf("no text is stored under %q", field)
		}
	}
}

// holders are the types whose Why and Note a person types.
var holders = []string{
	"Order", "Transfer", "Reference", "Report", "Adjustment", "Fill", "Credit", "MoveCash", "AdjustJackpot", "ChangeTerms",
	"DetermineOrder", "VerifyJackpot", "DenyJackpot", "TableReleased", "Declined", "Restored", "Moved", "PlayerExcluded", "change", "asked",
	"ReleaseTable", "DeclineProposal", "ExcludePlayer", "BuyIn", "CashOut",
}

// No program writes words of its own where a person types: not as a field of what is
// stored, and not into it afterwards.
func TestNoProgramTypes(t *testing.T) {
	files := 0
	for _, root := range []string{"../house", "../api", "../web", "../forward", "../notary", "../../cmd/trey", "../../linked"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "_templ.go") {
				return err
			}
			files++
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, at := range typedByProgram(file) {
				t.Errorf("%s: the program writes words where a person types: make them a key, and words of it when it is shown", set.Position(at))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 100 {
		t.Fatalf("only %d files were read", files)
	}
	for _, text := range []string{
		`var _ = Order{Why: "words"}`, `var _ = posting.Transfer{Note: "a" + b}`, `var _ = &table.Report{Note: fmt.Sprintf("%d", n)}`,
		`func f() { o.Why = cmp.Or(o.Why, "words") }`, `func f() { move.For.Note += " (words)" }`,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n"+text, parser.SkipObjectResolution)
		if err != nil || len(typedByProgram(file)) != 1 {
			t.Errorf("not found, %v: %s", err, text)
		}
	}
}

// typedByProgram returns where words of a program are put into Why or Note.
func typedByProgram(file *ast.File) (found []token.Pos) {
	check := func(field, value ast.Node) {
		name := ""
		switch f := field.(type) {
		case *ast.Ident:
			name = f.Name
		case *ast.SelectorExpr:
			name = f.Sel.Name
		}
		if name != "Why" && name != "Note" {
			return
		}
		words := false
		ast.Inspect(value, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if s, ok := call.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Get" {
					return false // a field of a form that a person filled in
				}
			}
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && lit.Value != `""` {
				words = true
			}
			return true
		})
		if words {
			found = append(found, value.Pos())
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			of := n.Type
			if s, ok := of.(*ast.SelectorExpr); ok {
				of = s.Sel
			}
			if name, ok := of.(*ast.Ident); ok && slices.Contains(holders, name.Name) {
				for _, e := range n.Elts {
					if kv, ok := e.(*ast.KeyValueExpr); ok {
						check(kv.Key, kv.Value)
					}
				}
			}
		case *ast.AssignStmt:
			for i := range n.Lhs {
				if _, field := n.Lhs[i].(*ast.SelectorExpr); field && i < len(n.Rhs) {
					check(n.Lhs[i], n.Rhs[i])
				}
			}
		}
		return true
	})
	return found
}

// eachAccount yields the key of each account in a stored type.
func eachAccount(t reflect.Type, field string, yield func(field string)) {
	eachOf(t, field, func(t reflect.Type, field string) bool {
		if t == reflect.TypeFor[ledger.Account]() {
			yield(field)
			return true
		}
		return false
	})
}

// eachText yields the key of each text in a stored type.
func eachText(t reflect.Type, field string, yield func(field string)) {
	eachOf(t, field, func(t reflect.Type, field string) bool {
		switch {
		case t == reflect.TypeFor[json.RawMessage](), t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
			return true
		case t.Kind() == reflect.String:
			yield(field)
			return true
		}
		return false
	})
}

// eachOf goes through a type, its fields and what they hold; taken says that one is not to
// be looked into.
func eachOf(t reflect.Type, field string, taken func(t reflect.Type, field string) bool) {
	switch {
	case taken(t, field):
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			key := strings.Split(f.Tag.Get("json"), ",")[0]
			if key == "" {
				key = field
			}
			eachOf(f.Type, key, taken)
		}
	case t.Kind() == reflect.Pointer, t.Kind() == reflect.Slice, t.Kind() == reflect.Array:
		eachOf(t.Elem(), field, taken)
	case t.Kind() == reflect.Map:
		eachOf(t.Key(), field+" as a key", taken)
		eachOf(t.Elem(), field, taken)
	}
}
