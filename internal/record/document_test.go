package record_test

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"trey/card"
	"trey/internal/ledger"
	"trey/money"
	"trey/table"
)

// meanings are those of keys that mean the same wherever they stand. What a field says
// of itself comes first.
var meanings = map[string]string{
	"account": "The account.", "amount": "How much.", "answer": "The answer given, by its key.", "answers": "The answers permitted.",
	"answered": "What was answered.", "approvers": "The two people who decided it.", "at": "The table or the jackpot.", "at_ms": "When.",
	"balance": "What the jackpot holds after it.", "before": "What held before.", "after": "What holds after it.",
	"bets": "The number of bets.", "body": "Its fields.", "box": "The betting box, from 1 at the dealer's left.", "boxes": "The betting boxes.",
	"by": "The person who did it.", "card": "The card, `??` where it is not known.", "cards": "The cards, in order.", "cause": "Why.",
	"clause": "The clause or the ruling by which it happened.", "dealt": "When the hand was dealt, as it counts for the order of payment.",
	"face_up": "It lies face up.", "fixed_return": "What the fixed pays return for one bet on average.", "hand": "The three cards.",
	"hit": "The hand that won the jackpot.", "jackpot": "The jackpot.", "key": "The key.", "kind": "The kind.", "lines": "The settlement lines.",
	"max": "The number; zero restores that of the book.", "meant": "Where the order of the deal sends the card.", "meter": "The meter.",
	"minimum": "The least that is taken.", "moves": "The cards that are moved.", "name": "The name.", "note": "What a person noted.", "number": "The number of the person.", "offers": "The options.",
	"option": "What the house chose.", "order": "The numbers of the cards, in the order in which they are received.", "outcome": "What the book makes of it.",
	"place": "Where on the table: a box, `dealer`, `burn` or `out`.", "player": "The player.", "qualifies": "The hand qualifies.",
	"question": "The question.", "registered": "The value that the jackpot had registered.", "report": "What was reported.", "reserve": "The reserve.",
	"result": "How it ended.", "return": "The bets are taken back.", "role": "The function of the person.", "round": "The round.",
	"stake": "The stake.", "stakes": "The stakes.", "standing": "The player does not sit at the box.", "table": "The table.",
	"unanswered": "The player did not answer in time.", "lift": "The restriction is lifted.", "anew": "The table opens again in the same moment.",
	"at_call": "What lay there at \"No more bets\", and not now.", "incident": "What went wrong.", "dealer": "It concerns the dealer's hand.",
	"to_meter": "What goes to the meter.", "to_reserve": "What goes to the reserve.", "to_house": "What goes to the house.",
	"from_meter": "What comes from the meter.", "from_reserve": "What comes from the reserve.", "from_house": "What the house adds.",
	"reset_from_reserve": "What of the meter's next value the reserve pays.", "held": "The sum is payable and the winner does not have it yet.",
	"winner": "The player who won.", "pot": "The meter or the reserve.", "displayed": "The value displayed.",
	"hash": "A hash, in hexadecimal digits or as the kind says.", "config": "How the table is equipped.", "mode": "Who runs the table.", "pace": "Its clock.",
	"variant": "The name of the rules.", "rules_hash": "The hash of the terms, which were stated before.", "book_hash": "The hash of the declaration of the book.", "book": "The book.", "revision": "The revision of the book.", "declaration": "The declaration of the book, as its bytes.", "from_round": "The first round played so.", "during": "The command that found it.", "id": "The number of the proposal, or the name of a credential.",
	"and": "The second person.", "through": "The number of the last transaction.", "checkpoint": "A signed checkpoint.", "version": "The version of the program.",
	"ahead_ms": "How far it was ahead.", "failed_ms": "When it failed.", "ends_ms": "When it ends.", "unrecorded": "How many tried before and are not recorded.",
	"codes": "The hashes of recovery codes.", "step": "The period of the code that was shown.", "label": "What its holder calls it.", "credential": "The public part of a passkey.",
	"counter": "The counter of the passkey.", "provider": "Who a user is to an identity provider.", "change": "The kind of the change proposed.",
	"by_role": "The function of the person who proposed it.", "by_machine": "A machine proposed it.", "asked_by": "The person who proposed it.",
	"period": "The time over which it counts.", "most": "The limit asked for; none is no limit.", "since_ms": "Since when.", "elapsed_ms": "For how long.",
	"staked": "What was staked.", "net": "What the player won, below zero what the player lost.", "until_ms": "Until when.", "reason": "Why.",
	"commitment": "The commitment to the seed.", "text": "The player's own seed.", "seed": "The seed, in hexadecimal digits.", "cipher": "The seed, encrypted.",
	"slot": "The position of the card in the order of the deal, from 0.", "do": "What is done.", "count": "The number of cards.",
	"num": "The upper part of the fraction.", "den": "The lower part of the fraction.", "first": "The one who asked for it.", "second": "The one who agreed.",
	"holds": "What the account holds.", "transports": "How the device is reached.",
	"terms": "The terms.", "then": "What follows from it.", "to": "Where it goes.", "wager": "The wager.", "why": "The reason.",
}

// comments holds the comments of types and fields, by the path of the package, the type
// and the field.
type comments map[string]string

// read adds the comments of a package of this module.
func (c comments) read(t *testing.T, path string) {
	t.Helper()
	if _, done := c[path]; done {
		return
	}
	c[path] = ""
	files, err := filepath.Glob(filepath.Join("..", "..", strings.TrimPrefix(path, "trey/"), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range decl.Specs {
				of, ok := spec.(*ast.TypeSpec)
				if !ok {
					continue
				}
				c[path+"."+of.Name.Name] = said(decl.Doc, of.Name.Name)
				fields, ok := of.Type.(*ast.StructType)
				if !ok {
					continue
				}
				for _, f := range fields.Fields.List {
					for _, ident := range f.Names {
						text := said(f.Doc, ident.Name)
						if text == "" {
							text = said(f.Comment, ident.Name)
						}
						c[path+"."+of.Name.Name+"."+ident.Name] = text
					}
				}
			}
		}
	}
}

// link finds what a comment refers to in the code.
var link = regexp.MustCompile(`\[([\w.]+)\]`)

// said is a comment in one line, without the name with which it begins.
func said(group *ast.CommentGroup, name string) string {
	text := link.ReplaceAllString(strings.Join(strings.Fields(group.Text()), " "), "$1")
	text = strings.TrimPrefix(text, name+" ")
	for _, article := range []string{"says that ", "says ", "is ", "are "} {
		text = strings.TrimPrefix(text, article)
	}
	if text == "" {
		return ""
	}
	return strings.ReplaceAll(strings.ToUpper(text[:1])+text[1:], "|", "\\|")
}

// document writes docs/record-events.md.
type document struct {
	*testing.T
	comments comments
	text     bytes.Buffer
	// shared are the types that stand in others, in the order in which they were met,
	// and lists the words that a value can be.
	shared []reflect.Type
	lists  map[string][]string
}

// typeName names what a field holds, and remembers what has to be explained.
func (d *document) typeName(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[money.Amount]():
		return "amount"
	case reflect.TypeFor[card.Card]():
		return "card"
	case reflect.TypeFor[card.Hand]():
		return "three cards"
	case reflect.TypeFor[table.Place]():
		return "place"
	case reflect.TypeFor[ledger.Account]():
		return "account"
	case reflect.TypeFor[json.RawMessage]():
		return "JSON"
	}
	if _, all := words(t); all != nil {
		name := strings.ToLower(t.String()[strings.IndexByte(t.String(), '.')+1:])
		if known, there := d.lists[name]; there && !slices.Equal(known, all) {
			name = strings.ReplaceAll(strings.ToLower(t.String()), ".", " ")
		}
		d.lists[name] = all
		return "word: " + name
	}
	if t.Kind() != reflect.Pointer && t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return "text"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return d.typeName(t.Elem())
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 && t.Elem().PkgPath() == "" {
			return "base64"
		}
		return "list of " + d.typeName(t.Elem())
	case reflect.Map:
		return "object of " + d.typeName(t.Elem())
	case reflect.Struct:
		if !slices.Contains(d.shared, t) {
			d.shared = append(d.shared, t)
		}
		return "[" + t.Name() + "](#" + strings.ToLower(t.Name()) + ")"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "text"
	}
	return "number"
}

// fields writes the keys of a type, those of an embedded one among them.
func (d *document) fields(t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		d.comments.read(d.T, t.PkgPath())
		key, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		if key == "" {
			d.fields(f.Type)
			continue
		}
		meaning := d.comments[t.PkgPath()+"."+t.Name()+"."+f.Name]
		for other := range t.Fields() {
			if regexp.MustCompile(`\b[Aa]nd ` + other.Name + `\b`).MatchString(meaning) {
				d.Errorf("the comment of %s.%s is one of %s too, and is printed beside %q alone: give each its own", t, f.Name, other.Name, key)
			}
		}
		if meaning == "" {
			meaning = meanings[key]
		}
		if meaning == "" {
			d.Errorf("nobody says what %q of %s means", key, t)
		}
		left := ""
		if rest != "" {
			left = ", may be left out"
		}
		fmt.Fprintf(&d.text, "| `%s` | %s%s | %s |\n", key, d.typeName(f.Type), left, meaning)
	}
}

func (d *document) table(t reflect.Type) {
	if t.NumField() == 0 {
		fmt.Fprint(&d.text, "Its body is empty: `{}`.\n\n")
		return
	}
	fmt.Fprint(&d.text, "| key | type | meaning |\n| --- | --- | --- |\n")
	d.fields(t)
	fmt.Fprintln(&d.text)
}

func (d *document) write(groups []group) {
	fmt.Fprint(&d.text, `# Events and commands as they are stored

Generated by `+"`go test ./internal/record -run Document -update`"+`; [record.md](record.md#events) and
[0024](decisions/0024-the-form-of-events.md) say how to read it. Numbers are whole, amounts whole
minor units; keys that end in `+"`_ms`"+` are milliseconds, of the Unix clock where they are a time. A
key that may be left out is, where it says nothing: zero, false, empty.

`)
	for _, g := range groups {
		fmt.Fprintf(&d.text, "## %s%s\n\n%s\n\n", strings.ToUpper(g.name[:1]), g.name[1:], g.words)
		var alike []string
		for i, form := range g.forms {
			if alike = append(alike, "`"+form.Kind+"`"); i+1 < len(g.forms) && g.forms[i+1].Stored == form.Stored {
				continue // several kinds of one type
			}
			d.comments.read(d.T, form.Stored.PkgPath())
			fmt.Fprintf(&d.text, "### %s\n\nVersion %d. %s\n\n", strings.Join(alike, ", "), form.Version, d.comments[form.Stored.PkgPath()+"."+form.Stored.Name()])
			d.table(form.Stored)
			alike = nil
		}
	}
	fmt.Fprint(&d.text, "## What stands in them\n\n")
	for i := 0; i < len(d.shared); i++ {
		t := d.shared[i]
		d.comments.read(d.T, t.PkgPath())
		fmt.Fprintf(&d.text, "### %s\n\n%s\n\n", t.Name(), d.comments[t.PkgPath()+"."+t.Name()])
		d.table(t)
	}
	fmt.Fprint(&d.text, "## Words\n\n| list | words |\n| --- | --- |\n")
	names := make([]string, 0, len(d.lists))
	for name := range d.lists {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&d.text, "| %s | `%s` |\n", name, strings.Join(d.lists[name], "`, `"))
	}
}

// Every kind, version and key is described for whoever reads a record with a program of
// their own.
func TestDocument(t *testing.T) {
	d := &document{T: t, comments: comments{}, lists: map[string][]string{}}
	d.write(groups())
	const file = "../../docs/record-events.md"
	if *update && !t.Failed() {
		if err := os.WriteFile(file, d.text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(d.text.Bytes(), want) {
		t.Errorf("%s is out of date: go test ./internal/record -run Document -update writes it anew", file)
	}
}
