package books_test

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"trey/rules"
	"trey/rules/books"
)

var declare = flag.Bool("declare", false, "write the declarations of revisions that have none in testdata yet")

func golden(b *rules.Book) string {
	return filepath.Join("testdata", fmt.Sprintf("%s.revision-%d.json", b.Ref(), b.Revision))
}

// TestDeclarationsOfRevisions holds each book to the declaration of its revision. Houses
// name it by its hash for ever, so a file in testdata never changes.
func TestDeclarationsOfRevisions(t *testing.T) {
	for _, b := range books.All() {
		kept, err := os.ReadFile(golden(b))
		if errors.Is(err, fs.ErrNotExist) && *declare {
			kept, err = b.Declaration(), os.WriteFile(golden(b), b.Declaration(), 0o644)
		}
		if err != nil {
			t.Errorf("%s, revision %d has no declaration in testdata: run go test ./rules/books -run Revisions -declare, and commit the file: %v", b.Ref(), b.Revision, err)
			continue
		}
		if string(kept) != string(b.Declaration()) {
			t.Errorf("%s declares something else than its revision %d in %s: see \"When a book changes\" in CONTRIBUTING.md. Raise Revision in its book.go or, before the first release, remove that file; then run go test ./rules/books -run Revisions -declare", b.Ref(), b.Revision, golden(b))
			continue
		}
		if rules.HashOf(kept) != b.Hash() {
			t.Errorf("%s has the hash %s, and its bytes %s", b.Ref(), b.Hash(), rules.HashOf(kept))
		}
		if !books.Declared(b.Hash()) {
			t.Errorf("add to rules/books/declared.txt, and leave what stands there: %s %s %d", b.Hash(), b.Ref(), b.Revision)
		}
	}
}

// TestDeclared holds that a declaration is known by the whole of its hash, and no other is.
func TestDeclared(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.revision-*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("found %v, %v", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !books.Declared(rules.HashOf(text)) {
			t.Errorf("%s: its hash %s is not in declared.txt", file, rules.HashOf(text))
		}
		if changed := rules.HashOf(append(text, ' ')); books.Declared(changed) {
			t.Errorf("%s, changed, is known", file)
		}
	}
	for _, unknown := range []string{"", "us-3cp", "032f6f1b"} {
		if books.Declared(unknown) {
			t.Errorf("%q is known", unknown)
		}
	}
}

// TestEarlierRevisionsGoOn holds that each declaration that ever was can be read, and
// that a table can go over from it to today's, unless something that it needs is gone.
func TestEarlierRevisionsGoOn(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.revision-*.json"))
	if err != nil || len(files) < len(books.All()) {
		t.Fatalf("found %v, %v", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		b, err := rules.ReadBook(text, books.Find)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		declared, err := books.Find(b.Ref())
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		for _, r := range declared.OpenRulings() {
			if b.Values(r.Ruling) == nil && (r.Older == 0 || r.Since <= b.Revision) {
				t.Errorf("%s has no ruling %s: say with Later, where the book lists its rulings, since which revision it leaves the point open and by which value its rounds were played", file, r.Ruling)
			}
		}
		if _, err := b.Standard().CarriedTo(declared); err != nil {
			t.Logf("%s: tables need other rules: %v", file, err)
		}
	}
}

// notDeclared are the fields of a book that no declaration holds, with the reason.
var notDeclared = map[string]string{
	"Book.Title":          "prose",
	"Book.House":          "prose",
	"Book.Language":       "prose: that of the text",
	"Clause.Title":        "prose, as Book.Clauses",
	"Book.Clauses":        "prose: what a clause says; which one decides stands where it decides",
	"Clause.ID":           "prose, as Book.Clauses",
	"Clause.Summary":      "prose, as Book.Clauses",
	"Clause.Kind":         "prose, as Book.Clauses",
	"Clause.Where":        "prose, as Book.Clauses",
	"Book.Readings":       "prose: what follows from a reading stands where it decides",
	"Reading.Key":         "prose, as Book.Readings",
	"Reading.Clauses":     "prose, as Book.Readings",
	"Reading.Question":    "prose, as Book.Readings",
	"Reading.Fixed":       "prose, as Book.Readings",
	"OpenRuling.Clauses":  "prose: which clauses the question concerns",
	"Book.later":          "what the declaration does not have",
	"Qualification.Words": "prose: the hand itself is declared",
	"Question.Ask":        "prose: the key of the question is declared",
}

// TestDeclarationsHoldEveryField changes one field of a book after the other: each that
// is not listed above gives another declaration, and none that is listed does.
func TestDeclarationsHoldEveryField(t *testing.T) {
	seen := map[string]bool{}
	for _, b := range books.All() {
		full := deepCopy(reflect.ValueOf(*b)).Interface().(rules.Book)
		full.Rulings = slices.Clone(b.OpenRulings())
		for i := range full.Rulings {
			full.Rulings[i].Values = slices.Clone(full.Rulings[i].Values)
		}
		if full.Hash() != b.Hash() {
			t.Fatalf("a copy of %s has another hash", b.Ref())
		}
		alter(reflect.ValueOf(&full).Elem(), "Book", "Book", func(field, path string) {
			seen[field] = true
			other := full // a book that nobody has asked for its hash yet
			switch _, not := notDeclared[field]; {
			case not && other.Hash() != b.Hash():
				t.Errorf("%s: %s is not to be in the declaration, and changes it", b.Ref(), path)
			case !not && other.Hash() == b.Hash():
				t.Errorf("%s: the declaration does not show another %s", b.Ref(), path)
			}
		})
	}
	for field := range notDeclared {
		if !seen[field] && field != "Book.later" {
			t.Errorf("there is no field %s", field)
		}
	}
	if len(seen) < 150 {
		t.Errorf("only %d fields were changed: %v", len(seen), seen)
	}
}

func deepCopy(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(deepCopy(v.Elem()))
		}
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				out.Index(i).Set(deepCopy(v.Index(i)))
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out.Field(i).Set(deepCopy(v.Field(i)))
			}
		}
	default:
		out.Set(v)
	}
	return out
}

// alter changes each value below v, one at a time, calls changed with the field that it
// belongs to, and puts it back.
func alter(v reflect.Value, field, path string, changed func(field, path string)) {
	with := func(other reflect.Value, what string) {
		before := reflect.New(v.Type()).Elem()
		before.Set(v)
		v.Set(other)
		changed(field, path+what)
		v.Set(before)
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			name := v.Type().Name() + "." + f.Name
			if !f.IsExported() {
				if notDeclared[name] == "" {
					panic(name + " is not exported, and nothing says why it is not declared")
				}
				continue
			}
			alter(v.Field(i), name, path+"."+f.Name, changed)
		}
	case reflect.Pointer:
		if v.IsNil() {
			with(reflect.New(v.Type().Elem()), " set")
			return
		}
		alter(v.Elem(), field, path, changed)
		with(reflect.Zero(v.Type()), " left out")
	case reflect.Slice:
		if v.Len() == 0 {
			with(reflect.Append(v, reflect.Zero(v.Type().Elem())), " with an item")
			return
		}
		for i := range v.Len() {
			alter(v.Index(i), field, fmt.Sprintf("%s[%d]", path, i), changed)
		}
		with(reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()), v.Slice(0, v.Len()-1)), " without its last item")
	case reflect.Array:
		for i := range v.Len() {
			alter(v.Index(i), field, fmt.Sprintf("%s[%d]", path, i), changed)
		}
	case reflect.String:
		with(reflect.ValueOf(v.String()+"x").Convert(v.Type()), "")
	case reflect.Bool:
		with(reflect.ValueOf(!v.Bool()), "")
	case reflect.Int, reflect.Int64:
		with(reflect.ValueOf(v.Int()+1).Convert(v.Type()), "")
	case reflect.Uint8:
		with(reflect.ValueOf(v.Uint()+1).Convert(v.Type()), "")
	default:
		panic(fmt.Sprintf("%s is a %s: say how it is changed", path, v.Type()))
	}
}

// strangers finds no book at all, as a program without these books would.
func strangers(ref string) (*rules.Book, error) { return nil, fmt.Errorf("there is no book %s", ref) }

// TestDeclarationsAreRead reads each declaration without the program's own book: all
// that decides comes back, and is written byte for byte as it was.
func TestDeclarationsAreRead(t *testing.T) {
	for _, b := range books.All() {
		back, err := rules.ReadBook(b.Declaration(), strangers)
		if err != nil {
			t.Errorf("%s: %v", b.Ref(), err)
			continue
		}
		if string(back.Declaration()) != string(b.Declaration()) || back.Hash() != b.Hash() {
			t.Errorf("%s is written again as %s", b.Ref(), back.Declaration())
		}
		want := deepCopy(reflect.ValueOf(*b)).Interface().(rules.Book)
		want.Rulings = slices.Clone(b.OpenRulings())
		plain(&want)
		plain(back)
		if !reflect.DeepEqual(&want, back) {
			t.Errorf("%s: read back is\n%+v, want\n%+v", b.Ref(), back, want)
		}
		if found, err := rules.ReadBook(b.Declaration(), books.Find); err != nil || found != b {
			t.Errorf("%s: its own declaration is read as another book: %v", b.Ref(), err)
		}
	}
}

// plain takes the prose out of a book.
func plain(b *rules.Book) {
	b.Title, b.House, b.Language, b.Clauses, b.Readings = "", "", "", nil, nil
	for i := range b.Rulings {
		b.Rulings[i].Clauses = nil
	}
	if b.Qualify != nil {
		b.Qualify.Words = ""
	}
	for i := range b.Incidents {
		for k := range b.Incidents[i].Cases {
			if q := b.Incidents[i].Cases[k].Question; q != nil {
				q.Ask = ""
			}
		}
	}
	for _, q := range []*rules.Question{b.Bets.EarlierAsk, b.Offer.Question} {
		if q != nil {
			q.Ask = ""
		}
	}
}

// TestProseComesFromTheProgram reads a declaration of another revision: what people
// read is the program's, where the keys agree.
func TestProseComesFromTheProgram(t *testing.T) {
	declared, err := books.Find("rws-3cp")
	if err != nil {
		t.Fatal(err)
	}
	now := fmt.Sprintf(`"revision":%d`, declared.Revision)
	text := strings.Replace(string(declared.Declaration()), now, fmt.Sprintf(`"revision":%d`, declared.Revision+1), 1)
	b, err := rules.ReadBook([]byte(text), books.Find)
	if err != nil {
		t.Fatal(err)
	}
	if b == declared || b.Title != declared.Title || b.House != declared.House || len(b.Clauses) != len(declared.Clauses) || b.Qualify.Words != declared.Qualify.Words ||
		b.Bets.EarlierAsk.Ask != declared.Bets.EarlierAsk.Ask {
		t.Errorf("%s of %s, %s, asks %q", b.Title, b.House, b.Qualify.Words, b.Bets.EarlierAsk.Ask)
	}
	other := strings.Replace(text, `"question":"resolve-earlier"`, `"question":"settle-earlier"`, 1)
	if b, err = rules.ReadBook([]byte(other), books.Find); err != nil || b.Bets.EarlierAsk.Ask != "settle-earlier" {
		t.Errorf("a question that the program does not have is asked as %+v: %v", b.Bets.EarlierAsk, err)
	}
}

// TestDeclarationsThatAreRefused alters a declaration: what this program does not know
// is named, and with it what reads it.
func TestDeclarationsThatAreRefused(t *testing.T) {
	declared, err := books.Find("rws-3cp")
	if err != nil {
		t.Fatal(err)
	}
	good := string(declared.Declaration())
	revision := fmt.Sprintf(`"revision":%d,`, declared.Revision)
	for _, tt := range []struct{ was, becomes, want string }{
		{`trey book 1`, `trey book 2`, `the form "trey book 2", and this program reads "trey book 1": a later version of Trey`},
		{`"ranking":"poker"`, `"ranking":"badugi"`, fmt.Sprintf(`rws-3cp@3, revision %d: this program knows no ranking "badugi": a later version of Trey`, declared.Revision)},
		{`"contest":"hand"`, `"contest":"race"`, `no contest "race"`},
		{`"when":["no-round"]`, `"when":["full-moon"]`, `no condition "full-moon"`},
		{`"then":"void"`, `"then":"repeat"`, `no outcome "repeat"`},
		{`"ruling":"found_after_payment"`, `"ruling":"found_later"`, `no ruling "found_later"`},
		{`"incident":"unshuffled"`, `"incident":"earthquake"`, `no incident "earthquake"`},
		{`"device":"shoe"`, `"device":"robot"`, `no device "robot"`},
		{`"combo":"pair"`, `"combo":"two-pair"`, `no combo "two-pair"`},
		{`"role":"pit-supervisor"`, `"role":"croupier"`, `no role "croupier"`},
		{`"values":["lost","kept"]`, `"values":["lost","doubled"]`, `no value of a ruling "doubled"`},
		{`"values":["lost","kept"]`, `"values":["lost","paid"]`, `no sense to the value paid of the ruling envy_when_folded`},
		{revision, revision + `"jokers":2,`, `unknown field "jokers": a later version of Trey`},
		{revision, revision + " ", `not written in the one form`},
		{revision, `"revision":0,`, `it needs a book, a revision`},
		{`"max":16`, `"max":17`, `17, with 1 wagers`},
		{`"least":"Qc 3d 2h"`, `"least":"Qc 3d"`, `least hand`},
		{`"wager":"play","contest"`, `"wager":"ante","contest"`, `stands twice`},
		{`"to":40,"for":1`, `"to":40,"for":0`, `pays for`},
	} {
		text := strings.Replace(good, tt.was, tt.becomes, 1)
		if text == good {
			t.Fatalf("%s is not in %s", tt.was, good)
		}
		if _, err := rules.ReadBook([]byte(text), books.Find); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s instead of %s: %v, want it to say %q", tt.becomes, tt.was, err, tt.want)
		}
	}
}

// FuzzReadBook holds that what is read is written byte for byte as it was, and can be
// played.
func FuzzReadBook(f *testing.F) {
	for _, b := range books.All() {
		f.Add(b.Declaration())
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, find := range []func(string) (*rules.Book, error){books.Find, strangers} {
			b, err := rules.ReadBook(text, find)
			if err != nil {
				continue
			}
			if string(b.Declaration()) != string(text) {
				t.Errorf("%s is written again as %s", text, b.Declaration())
			}
			v := b.Standard()
			if v.Check() != nil {
				continue
			}
			back, err := rules.ReadTerms(v.Terms(), b)
			if err != nil || string(back.Terms()) != string(v.Terms()) {
				t.Errorf("%s is read as %v", v.Terms(), err)
			}
		}
	})
}
