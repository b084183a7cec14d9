package lang_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"trey/card"
	"trey/internal/house/access"
	"trey/internal/web/lang"
	"trey/rules/books"
)

// speaks are the packages that say sentences, and where in each call of theirs the
// form of one stands.
var (
	speaks = []string{"table", "jackpot", "linked", "internal/house", "internal/house/autodealer", "internal/house/identity", "internal/house/protection", "internal/house/report", "internal/ledger", "internal/parsheet", "money", "rules", "rules/variant"}
	forms  = map[string][]int{
		"Of": {0}, "say": {0}, "add": {0}, "bad": {0}, "refuse": {2}, "Refuse": {2},
		"countedBoxes": {0, 1}, "Word": {0}, "decide": {1},
		"fault": {1}, "fail": {1}, "remark": {1}, "unknown": {3},
	}
	// holds are variables and fields that hold a form or a word until it is said.
	holds = regexp.MustCompile(`^(form|missing|next|incidentWords|outcomeWords)$`)
)

// said returns the forms and words of a package's code, with the place of each.
func said(t *testing.T, pkg string) map[string]string {
	t.Helper()
	all := map[string]string{}
	fset := token.NewFileSet()
	add := func(e ast.Expr) bool {
		lit, ok := e.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return false
		}
		text, err := strconv.Unquote(lit.Value)
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsFunc(verbs.ReplaceAllString(text, ""), unicode.IsLetter) {
			all[text] = fset.Position(lit.Pos()).String()
		}
		return true
	}
	err := filepath.WalkDir(filepath.Join("../../..", pkg), func(name string, entry fs.DirEntry, err error) error {
		if entry != nil && entry.IsDir() && name != filepath.Join("../../..", pkg) && !strings.HasSuffix(name, "access") {
			return filepath.SkipDir
		}
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				name := ""
				switch f := n.Fun.(type) {
				case *ast.Ident:
					name = f.Name
				case *ast.SelectorExpr:
					name = f.Sel.Name
					switch from, _ := f.X.(*ast.Ident); {
					case from == nil:
					case from.Name == "sentence" && name == "Errorf":
						name = "Of"
					case from.Name != "sentence" && name == "Of":
						name = ""
					}
				}
				for _, at := range forms[name] {
					if at < len(n.Args) && !add(n.Args[at]) && name != "Word" && name != "add" && name != "decide" {
						if id, ok := n.Args[at].(*ast.Ident); !ok || !holds.MatchString(id.Name) {
							t.Errorf("%s: the form of a sentence is written where it is said", fset.Position(n.Pos()))
						}
					}
				}
			case *ast.AssignStmt:
				for i, to := range n.Lhs {
					if id, ok := to.(*ast.Ident); ok && holds.MatchString(id.Name) && i < len(n.Rhs) {
						add(n.Rhs[i])
					}
				}
			case *ast.ValueSpec:
				for i, id := range n.Names {
					if strings.HasPrefix(id.Name, "Err") && i < len(n.Values) {
						if made, ok := n.Values[i].(*ast.CallExpr); ok {
							add(made.Args[0])
						}
					}
					if holds.MatchString(id.Name) && i < len(n.Values) {
						if list, ok := n.Values[i].(*ast.CompositeLit); ok {
							for _, e := range list.Elts {
								add(e.(*ast.KeyValueExpr).Value)
							}
						}
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var verbs = regexp.MustCompile(`%(?:\[(\d)\])?(?:\.\d+)?([a-z])`)

// takes returns the arguments that a form takes, in the order of their numbers.
func takes(form string) []string {
	var all []string
	next := 1
	for _, m := range verbs.FindAllStringSubmatch(form, -1) {
		if m[1] != "" {
			next, _ = strconv.Atoi(m[1])
		}
		all = append(all, fmt.Sprint(next))
		next++
	}
	slices.Sort(all)
	return all
}

// Whatever the engine says has its words in every language, for the same arguments.
func TestSentencesAreTranslated(t *testing.T) {
	all := map[string]string{}
	for _, pkg := range speaks {
		maps.Copy(all, said(t, pkg))
	}
	if len(all) < 150 {
		t.Fatalf("only %d sentences found: the search is broken", len(all))
	}
	for _, form := range slices.SortedFunc(maps.Keys(all), func(a, b string) int { return cmp.Compare(all[a], all[b]) }) {
		needs(t, "sentences", form, all[form])
		for _, l := range lang.Languages() {
			translated := (lang.Printer{Language: l}).Term(form)
			if want, got := takes(form), takes(translated); !slices.Equal(want, got) {
				t.Errorf("%q takes the arguments %v, and %q takes %v", form, want, translated, got)
			}
		}
	}
}

// What the dealer says of every hand there is, and whatever a book or a phase puts
// into a sentence, has its words too.
func TestWordsInSentencesAreTranslated(t *testing.T) {
	words := map[string]bool{}
	for _, role := range access.Roles() {
		words[role.Words()] = true
	}
	for _, p := range access.Permissions() {
		words[p.Words()] = true
	}
	deck := make([]card.Card, 0, 52)
	for c := card.Card(1); c.Valid(); c++ {
		deck = append(deck, c)
	}
	for _, b := range books.All() {
		for q := range b.Questions() {
			words[q.Ask] = true
			for _, a := range q.Answers {
				words[a.Key] = true
			}
		}
		for i := range deck {
			for k := range deck[:i] {
				for _, last := range deck[:k] {
					h := card.Hand{deck[i], deck[k], last}
					if b.Qualify == nil || b.Qualifies(h) {
						words[b.Ranking.Spoken(h)] = true
					}
				}
			}
		}
	}
	if len(words) < 50 {
		t.Fatalf("only %d words found", len(words))
	}
	for _, word := range slices.Sorted(maps.Keys(words)) {
		needs(t, "sentences", word, "")
	}
}
