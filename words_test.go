package trey_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// emptyNames are names of variables, fields, functions and types that say nothing about the content.
var emptyNames = []string{"is", "told", "who", "whole", "own", "shown"}

// texts are the kinds of files that are read as they are, comments and all.
var texts = []string{".md", ".templ", ".js", ".mjs", ".ts", ".css", ".py", ".sh"}

var (
	// gendered matches a pronoun for a person. Write the role, or they.
	gendered = regexp.MustCompile(`(?i)\b(he|his|him|himself|she|her|hers|herself)\b`)

	// riddle matches a doc comment without the noun that its reader needs.
	riddle = regexp.MustCompile(`^[\w.]+ (is|are) (what|who|whose|whom|how|why|as far as)\b` +
		`|^[^.]*\bwhat (becomes|came) of\b` +
		`|^[^.]*\bof which \w+ says that\b`)
)

// TestWordsArePlain holds what can be held of the way in which code, documents and
// messages are written.
func TestWordsArePlain(t *testing.T) {
	found := map[string][]string{}
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := entry.Name(); entry.IsDir() {
			if name != "." && (base == "testdata" || base == "node_modules" || base[0] == '.' || base[0] == '_') {
				return fs.SkipDir
			}
			return nil
		}
		name = filepath.ToSlash(name)
		switch place := filepath.ToSlash(filepath.Dir(name)); {
		case strings.HasSuffix(name, ".go"):
			complaints, err := codeWords(name, nil)
			found[place] = append(found[place], complaints...)
			return err
		case slices.Contains(texts, filepath.Ext(name)) || strings.HasPrefix(name, "internal/web/lang/messages."):
			text, err := os.ReadFile(name)
			found[name] = textWords(name, string(text))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{"card", "internal/house", "README.md", "docs/api.md", "verify/verify.py", "internal/web/tables/table.templ", "internal/web/lang/messages.en.json"} {
		if _, ok := found[place]; !ok {
			t.Errorf("did not look at %s", place)
		}
	}
	for _, place := range slices.Sorted(maps.Keys(found)) {
		for _, complaint := range found[place] {
			t.Error(complaint)
		}
	}
}

// A checker that finds nothing would look exactly like clean text.
func TestWordRulesBite(t *testing.T) {
	code := func(text string) []string {
		complaints, err := codeWords("code.go", "package code\n\n"+text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return complaints
	}
	tests := []struct {
		name, text string
		want       string // part of the only complaint, "" for none
	}{
		{"short declaration", `func f() { is := 1; _ = is }`, "is says nothing"},
		{"one of several", `func f() { n, told := g(); _ = told + n }`, "told says nothing"},
		{"variable", `var own = 1`, "own says nothing"},
		{"variable in a function", `func f() { var whole int }`, "whole says nothing"},
		{"parameter", `func f(n int, who string) {}`, "who says nothing"},
		{"result", `func f() (shown bool) { return }`, "shown says nothing"},
		{"receiver", `func (own T) f() {}`, "own says nothing"},
		{"parameter of a literal", `var f = func(is int) {}`, "is says nothing"},
		{"key of a range", `func f() { for own := range 3 {} }`, "own says nothing"},
		{"value of a range", `func f() { for i, own := range x {} }`, "own says nothing"},
		{"type switch", `func f(x any) { switch is := x.(type) {} }`, "is says nothing"},
		{"assignment", `func f() { t.own = 1 }`, ""},
		{"field", `type T struct{ own int }`, "own says nothing"},
		{"function", `func whole() {}`, "whole says nothing"},
		{"method", `func (t T) told() {}`, "told says nothing"},
		{"type", `type shown int`, "shown says nothing"},
		{"label with the word in it", `var ownCards, known int`, ""},
		{"comment on a person", `// f deals to a player when he has paid.` + "\nfunc f() {}", "he is a person"},
		{"comment within a function", `func f() { /* The dealer shows his hand. */ }`, "his is a person"},
		{"capital", `// She pays.` + "\nvar x int", "She is a person"},
		{"part of a word", `// f is about the shell of a hero in history.` + "\nfunc f() {}", ""},
		{"error text", `var err = errors.New("the player has left her seat")`, "her is a person"},
		{"role and they", `// f returns the stakes of a player to them.` + "\nfunc f() {}", ""},
		{"what", `// T is what a player gets.` + "\ntype T int", "riddle"},
		{"who", `// f is who asks.` + "\nfunc f() {}", "riddle"},
		{"how", `type (` + "\n// T is how far a hit has come.\nT int)", "riddle"},
		{"plural", `var (` + "\n// x are what is left.\nx int)", "riddle"},
		{"over two lines", `// x is` + "\n// what is left.\nvar x int", "riddle"},
		{"what becomes of", `// f returns what becomes of a bet.` + "\nfunc f() {}", "riddle"},
		{"what came of", `// T holds what came of a command.` + "\ntype T int", "riddle"},
		{"of which", `// f closes a stream of which g says that it is over.` + "\nfunc f() {}", "riddle"},
		{"a noun", `// T is the payment of a wager.` + "\ntype T int", ""},
		{"a verb", `// f returns the number of leaves.` + "\nfunc f() {}", ""},
		{"comment within a function is no doc comment", `func f() { /* x is what is left. */ }`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			switch got := code(test.text); {
			case test.want == "" && len(got) > 0:
				t.Errorf("%s: complains: %q", test.text, got)
			case test.want != "" && (len(got) != 1 || !strings.Contains(got[0], test.want)):
				t.Errorf("%s: got %q, want one complaint with %q", test.text, got, test.want)
			}
		})
	}

	quoted, err := codeWords("code_test.go", "package code\nvar text = \"he said\"")
	if err != nil || len(quoted) > 0 {
		t.Errorf("a test may quote anything: got %q, %v", quoted, err)
	}
	generated, err := codeWords("code.go", "// Code generated by templ. DO NOT EDIT.\n\npackage code\nvar own = 1")
	if err != nil || len(generated) > 0 {
		t.Errorf("generated code is the generator's: got %q, %v", generated, err)
	}
	template, err := codeWords("page_templ.go", "// Code generated by templ. DO NOT EDIT.\n\npackage code\nfunc f(own int) {}")
	if err != nil || len(template) != 1 || !strings.Contains(template[0], "own says nothing") {
		t.Errorf("the names in a template are its author's: got %q, %v", template, err)
	}
	riddles := textWords("page.templ", "// page is what is shown.\ntempl page() {\n\t// it is what is said\n}\n\n// line shows a line.\n// It is what is paid.\ntempl line() {}\n")
	if want := "page.templ:1: this doc comment opens as a riddle"; len(riddles) != 1 || !strings.Contains(riddles[0], want) {
		t.Errorf("a template: got %q, want one complaint with %q", riddles, want)
	}
	for text, want := range map[string]int{
		"page.js: const own = 1;": 1, "page.js: let own;": 1, "page.js: const { key: own, b } = c;": 1, "page.js: const { own: added } = c;": 0,
		"page.js: function same(is, wanted) {": 1, "page.js: const f = (v, whole) => whole;": 1, "page.js: a.own = own(b);": 0, "page.js: // const own = 1": 0,
		"verify.py: a, own = 1, 2": 1, "verify.py: for own in rows:": 1, "verify.py: def f(a, told=None):": 1, "verify.py: f(own_boxes)": 0,
	} {
		name, text, _ := strings.Cut(text, ": ")
		if got := textWords(name, text+"\n"); len(got) != want {
			t.Errorf("%s: %s: got %q, want %d complaints", name, text, got, want)
		}
	}
	got := textWords("page.md", "A player may leave.\n\nThen **he** is paid; the shell stays.\n")
	if want := "page.md:3: he is a person"; len(got) != 1 || !strings.Contains(got[0], want) {
		t.Errorf("a document: got %q, want one complaint with %q", got, want)
	}
}

// codeWords returns the complaints about a Go file, read from src if that is not nil. Of a
// generated file it reads that of a template, whose names are those of its author.
func codeWords(name string, src any) ([]string, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(file) && !strings.HasSuffix(name, "_templ.go") {
		return nil, err
	}
	var found []string
	complain := func(pos token.Pos, format string, args ...any) {
		found = append(found, fmt.Sprintf("%s: %s", fset.Position(pos), fmt.Sprintf(format, args...)))
	}
	declared := func(exprs ...ast.Expr) {
		for _, expr := range exprs {
			if ident, ok := expr.(*ast.Ident); ok && slices.Contains(emptyNames, ident.Name) {
				complain(ident.Pos(), saysNothing, ident.Name)
			}
		}
	}
	fields := func(list *ast.FieldList) {
		if list == nil {
			return
		}
		for _, field := range list.List {
			for _, ident := range field.Names {
				declared(ident)
			}
		}
	}
	persons := func(pos token.Pos, text string) {
		for _, word := range gendered.FindAllString(text, -1) {
			complain(pos, "%s", person(word))
		}
	}
	docs := func(groups ...*ast.CommentGroup) {
		for _, group := range groups {
			if text := strings.Join(strings.Fields(group.Text()), " "); riddle.MatchString(text) {
				complain(group.Pos(), opensAsRiddle, text)
			}
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncDecl:
			docs(node.Doc)
			fields(node.Recv)
			declared(node.Name)
		case *ast.StructType:
			fields(node.Fields)
		case *ast.FuncType:
			fields(node.Params)
			fields(node.Results)
		case *ast.GenDecl:
			docs(node.Doc)
		case *ast.TypeSpec:
			docs(node.Doc)
			declared(node.Name)
		case *ast.ValueSpec:
			docs(node.Doc)
			for _, ident := range node.Names {
				declared(ident)
			}
		case *ast.AssignStmt:
			if node.Tok == token.DEFINE {
				declared(node.Lhs...)
			}
		case *ast.RangeStmt:
			if node.Tok == token.DEFINE {
				declared(node.Key, node.Value)
			}
		case *ast.BasicLit:
			if node.Kind == token.STRING && !strings.HasSuffix(name, "_test.go") {
				text, _ := strconv.Unquote(node.Value) // the parser has checked it
				persons(node.Pos(), text)
			}
		}
		return true
	})
	for _, group := range file.Comments {
		persons(group.Pos(), group.Text())
	}
	return found, nil
}

const saysNothing = "%s says nothing about the content: name it for what it holds"

const opensAsRiddle = "this doc comment opens as a riddle: name the thing by a noun, or its effect by a verb: %.60s"

// docOfTemplate matches a doc comment in a template. The generator copies only those of Go code.
var docOfTemplate = regexp.MustCompile(`(?m)^((?:// .*\n)+)(?:templ|func|type|var|const) `)

// These match the places of a script's line in which names are declared, by its language and by the
// kind of file.
var (
	inJavaScript = []*regexp.Regexp{regexp.MustCompile(`\b(?:const|let|var)\s+([^=;]*)`), regexp.MustCompile(`\bfunction\s*\w*\(([^()]*)`), regexp.MustCompile(`\(([^()]*)\)\s*=>`)}
	inPython     = []*regexp.Regexp{regexp.MustCompile(`^\s*(\w+(?:, \w+)*) = `), regexp.MustCompile(`\bfor (\w+(?:, \w+)*) in\b`), regexp.MustCompile(`\bdef \w+\(([^()]*)`)}
	declaring    = map[string][]*regexp.Regexp{".js": inJavaScript, ".mjs": inJavaScript, ".ts": inJavaScript, ".py": inPython}
)

var (
	lineComment = regexp.MustCompile(`^\s*(//|\*|/\*|#)`)
	scriptName  = regexp.MustCompile(`[.\w$]+:?`) // with the colon of a property that is given another name
)

// declaredIn returns the names that a line of a script declares and that say nothing.
func declaredIn(ext, line string) (names []string) {
	if lineComment.MatchString(line) {
		return nil
	}
	for _, place := range declaring[ext] {
		for _, found := range place.FindAllStringSubmatch(line, -1) {
			for _, name := range scriptName.FindAllString(found[1], -1) {
				if ext == ".py" {
					name = strings.TrimSuffix(name, ":") // of its type
				}
				if slices.Contains(emptyNames, name) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// textWords returns the complaints about a document, a file of messages, a template or a script.
func textWords(file, text string) []string {
	var found []string
	line := 0
	if filepath.Ext(file) == ".templ" {
		for _, at := range docOfTemplate.FindAllStringSubmatchIndex(text, -1) {
			doc := strings.Join(strings.Fields(strings.ReplaceAll("\n"+text[at[2]:at[3]], "\n// ", " ")), " ")
			if riddle.MatchString(doc) {
				found = append(found, fmt.Sprintf("%s:%d: "+opensAsRiddle, file, 1+strings.Count(text[:at[2]], "\n"), doc))
			}
		}
	}
	for text := range strings.Lines(text) {
		line++
		for _, name := range declaredIn(filepath.Ext(file), text) {
			found = append(found, fmt.Sprintf("%s:%d: "+saysNothing, file, line, name))
		}
		for _, word := range gendered.FindAllString(text, -1) {
			found = append(found, fmt.Sprintf("%s:%d: %s", file, line, person(word)))
		}
	}
	return found
}

func person(pronoun string) string {
	return pronoun + " is a person whose gender nobody knows: write the role, or they"
}
