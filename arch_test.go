package trey_test

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// place is where a package stands in the house and what it may know. A pattern
// is a package below the module, or another import path: "card" is that package
// alone, "rank/..." is rank and everything below it.
type place struct {
	pkgs string   // pattern of the packages that stand here
	may  []string // patterns of our own packages they may import
	libs []string // patterns of foreign modules they may import; nil is any
	why  string   // the reason, shown to whoever breaks the rule
}

// none says that a place may import the standard library and nothing else.
var none = []string{}

var (
	ranking = []string{"card", "money", "rank/...", "sentence", "internal/enum", "internal/strict"}
	books   = append([]string{"rules"}, ranking...)
	engine  = append([]string{"table", "jackpot", "linked", "rules/..."}, ranking...)
	form    = append([]string{"internal/record", "internal/stored"}, engine...)
	library = append([]string{"odds", "sim", "scenario", "trace"}, form...)
	house   = append([]string{"internal/house/...", "internal/tree", "internal/ledger/...", "internal/people", "internal/shuffle", "internal/tomldoc", "internal/printable"}, library...)
)

// places is the house. The first row whose pattern matches a package holds for
// it, and a package that no row matches fails the test: give it a place here
// and in docs/architecture.md first.
var places = []place{
	{"", none, none, "the root holds documentation only"},
	{"card", none, none, "a card knows no game"},
	{"money", []string{"sentence"}, none, "money knows no game"},
	{"sentence", none, none, "words and what goes into them know neither what they are about nor another language"},
	{"rank/...", []string{"card"}, none, "an order of hands knows no bet"},
	{"rules", ranking, none, "what a book is must not depend on one particular book, nor on who plays by it"},
	{"rules/books", append([]string{"rules/..."}, ranking...), none, "the list of books knows the books and nothing that plays by them"},
	{"rules/variant/...", append([]string{"rules/...", "internal/tomldoc", "internal/printable"}, ranking...), none, "a variant is a book that an operator derived from a file"},
	{"rules/sampled", books, []string{"pgregory.net/rapid"}, "what properties draw of a variant follows from the declaration of its book"},
	{"rules/...", books, none, "a book is a declaration that stands alone: what two books share belongs in rules"},
	{"table", books, none, "the engine plays any book, so it knows none by name; its peers meet it in the house"},
	{"jackpot", books, none, "the progressive links tables without knowing them; its peers meet it in the house"},
	{"linked", append([]string{"table", "jackpot"}, books...), none, "a table and the jackpot meet here, whatever drives them"},
	{"odds", books, nil, "the mathematics of a book follows from its declaration and from nothing that runs it"},
	{"sim", append([]string{"table", "jackpot", "odds"}, books...), nil, "a simulation plays through the engine, with no house around it"},
	{"internal/drill", engine, none, "exercises follow from the engine and a seed, and know neither a page nor a house"},
	{"internal/stored", []string{"internal/strict"}, none, "how values are stored and versioned knows none of them"},
	{"internal/record", append([]string{"internal/stored", "table", "jackpot"}, books...), none, "what is stored of tables and jackpots stands apart from whoever stores it"},
	{"scenario/...", form, nil, "scenarios run through any runner, so the language knows the engine and not the house"},
	{"trace/...", append([]string{"scenario/..."}, engine...), nil, "the trace reads registers, code and scenarios"},
	{"internal/ledger/...", books, none, "the ledger is pure book-keeping"},
	{"internal/people", []string{"internal/ledger"}, none, "whose number it is has nothing to do with what is recorded of it"},
	{"internal/shuffle", []string{"card"}, none, "a shuffle knows cards and no game"},
	{"internal/house/access", append([]string{"table"}, books...), none, "who may do what is one table of roles and permissions, whoever asks"},
	{"internal/house/identity", []string{"internal/house", "internal/house/access", "internal/enum", "internal/stored", "sentence"}, []string{"golang.org/x/crypto/argon2", "github.com/pquerna/otp/...", "github.com/go-webauthn/webauthn/..."}, "who somebody is has nothing to do with what is played"},
	{"internal/house/sealing", []string{"card", "internal/house/fair", "internal/shuffle", "internal/strict"}, []string{"golang.org/x/crypto/chacha20poly1305"}, "encrypting a seed has nothing to do with what is played"},
	{"internal/house/auditor", []string{"internal/house", "internal/house/proof", "internal/ledger", "internal/people", "internal/tree", "money"}, []string{"golang.org/x/mod/sumdb/note"}, "the auditor shares the form of the record with the house, and none of the code that made it; records of rounds it verifies as anybody does"},
	{"internal/house/...", house, nil, "the application declares its ports and never knows who fills them"},
	{"internal/tomldoc", none, []string{"github.com/pelletier/go-toml/v2/..."}, "reading TOML with its positions knows no key, so that everything that people configure is read alike"},
	{"internal/tree", none, []string{"golang.org/x/mod/sumdb/..."}, "the tree over the record knows bytes, not what they are about"},
	{"internal/durable", none, none, "putting a file in its place knows nothing of what is in it"},
	{"internal/witness", []string{"internal/durable", "internal/tree"}, []string{"golang.org/x/mod/sumdb/..."}, "a witness knows trees and not what they are about"},
	{"internal/notary", []string{"internal/durable", "internal/tree"}, []string{"golang.org/x/mod/sumdb/..."}, "whoever signs a tree need not know what it is about"},
	{"internal/printable", none, none, "making text safe to print knows nothing of what is printed"},
	{"internal/enum", none, none, "the keys of a list have nothing to do with what is listed"},
	{"internal/strict", none, none, "reading JSON strictly knows nothing of what is read"},
	{"internal/steady", none, []string{"pgregory.net/rapid"}, "where properties begin has nothing to do with what they are about"},
	{"internal/paragraph", none, none, "setting lines knows no game, so every adapter that prints may use it"},
	{"internal/parsheet", append([]string{"odds", "internal/paragraph"}, books...), []string{"github.com/xuri/excelize/v2"}, "a par sheet shows the mathematics of a variant and knows nothing that plays it"},
	{"internal/store/served", append([]string{"internal/notary"}, house...), []string{"golang.org/x/mod/sumdb/..."}, "a record that is read over the network is proved by what the house signed, and knows no other store"},
	{"internal/forward", append([]string{"internal/notary"}, house...), []string{"github.com/prometheus/client_golang/prometheus"}, "whoever sends the register to another machine has it signed, and knows no other adapter"},
	{"internal/register", append([]string{"internal/paragraph"}, house...), nil, "the register shows the books to people"},
	{"internal/provider", []string{"internal/house/access"}, []string{"github.com/coreos/go-oidc/v3/oidc", "golang.org/x/oauth2", "golang.org/x/sync/singleflight"}, "who an identity provider lets in is what it signs; what follows is the house's"},
	{"internal/admission", none, none, "which requests are answered at all is decided before anybody knows what they ask for"},
	{"internal/web/...", append([]string{"internal/web/...", "internal/admission", "internal/drill", "internal/parsheet", "internal/register"}, house...), nil, "the page shows par sheets and the register too, which are worded in one place, and else never another adapter"},
	{"internal/load", none, []string{"github.com/prometheus/procfs"}, "a player knows of the house what it tells everybody, and keeps an account without it"},
	{"internal/...", append([]string{"internal/admission", "internal/durable"}, house...), nil, "an adapter knows the house and never another adapter: cmd joins them"},
	{"examples/...", none, none, "an example is a client that somebody else would write: it knows the interface over HTTP and nothing of this module"},
	{"scripts/lint", none, []string{"github.com/nishanths/exhaustive/passes/exhaustive", "honnef.co/go/tools/..."}, "the linter is made of checks of others, and imports nothing of ours"},
	{"scripts/...", none, []string{"golang.org/x/tools/go/packages"}, "a tool for those who work on the module reads its source and runs its tests, and imports none of it"},
	{"cmd/...", append([]string{"internal/..."}, house...), nil, "cmd is flags and wiring"},
}

// ban is something that certain packages do not use.
type ban struct {
	pkgs    []string
	imports []string            // patterns of import paths
	idents  []string            // identifiers, wherever they stand
	uses    map[string][]string // import path to the names not used of it
	literal token.Token         // a kind of literal, or ILLEGAL for none
	why     string
}

var pure = []string{"card", "money", "sentence", "rank/...", "rules/...", "table", "jackpot", "linked", "odds", "internal/ledger/...", "internal/stored", "internal/people", "internal/record", "internal/house/access", "internal/house/fair", "internal/house/proof", "internal/tree"}

var bans = []ban{
	{
		pkgs:    pure,
		imports: []string{"math/rand/...", "crypto/rand"},
		why:     "nothing below the house draws randomness: cards arrive in the command, so that replay never shuffles",
	},
	{
		pkgs: pure,
		uses: map[string][]string{"time": {
			"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker", "Local",
		}},
		why: "nothing below the house reads a clock: the time arrives in the command, so that replay never asks it",
	},
	{
		pkgs:    pure,
		imports: []string{"os/...", "net/...", "io/fs", "io/ioutil", "log/...", "syscall"},
		why:     "nothing below the house touches the world outside: it takes values or readers and returns errors",
	},
	{
		pkgs:    []string{"card", "money", "rank/...", "rules/...", "table", "jackpot", "linked", "internal/ledger/..."},
		idents:  []string{"float32", "float64", "complex64", "complex128", "Float32", "Float64", "ParseFloat", "FormatFloat", "AppendFloat"},
		literal: token.FLOAT,
		why:     "money and odds are whole numbers and fractions: a float cannot hold a cent",
	},
}

var vagueNames = []string{"util", "utils", "common", "helper", "helpers", "manager", "data", "model", "models", "misc"}

func TestImportsRunOneWay(t *testing.T) {
	fset, files := sources(t)
	if len(files["card"]) == 0 {
		t.Fatal("found no code to check")
	}
	for _, pkg := range slices.Sorted(maps.Keys(files)) {
		for _, complaint := range complaints(fset, pkg, files[pkg]) {
			t.Error(complaint)
		}
	}
}

// The rules themselves are tested on code that breaks each of them: a rule that
// catches nothing would look exactly like a house in order.
func TestArchitectureRulesBite(t *testing.T) {
	tests := []struct {
		name, pkg, code string
		want            string // part of the complaint, "" for none
	}{
		{"engine on rules", "table", `package table; import _ "trey/rules"`, ""},
		{"engine on a book", "table", `package table; import _ "trey/rules/rws3cp"`, "knows none by name"},
		{"engine on the jackpot", "table", `package table; import _ "trey/jackpot"`, "meet it in the house"},
		{"card on rules", "card", `package card; import _ "trey/rules"`, "a card knows no game"},
		{"rules on a book", "rules", `package rules; import _ "trey/rules/us3cp"`, "one particular book"},
		{"book on rules", "rules/us3cp", `package us3cp; import _ "trey/rules"`, ""},
		{"book on a book", "rules/us3cp", `package us3cp; import _ "trey/rules/rws3cp"`, "stands alone"},
		{"variant on TOML", "rules/variant", `package variant; import _ "github.com/pelletier/go-toml/v2/unstable"`, "derived from a file"},
		{"TOML on its parser", "internal/tomldoc", `package tomldoc; import _ "github.com/pelletier/go-toml/v2/unstable"`, ""},
		{"variant on a file", "rules/variant", `package variant; import _ "os"`, "world outside"},
		{"book on TOML", "rules/us3cp", `package us3cp; import _ "github.com/pelletier/go-toml/v2"`, "stands alone"},
		{"odds on the house", "odds", `package odds; import _ "trey/internal/house"`, "nothing that runs it"},
		{"sim on the engine", "sim", `package sim; import _ "trey/table"; import _ "math/rand/v2"`, ""},
		{"house on an adapter", "internal/house", `package house; import _ "trey/internal/store/sqlite"`, "never knows who fills them"},
		{"adapter on the house", "internal/web", `package web; import _ "trey/internal/house"`, ""},
		{"adapter within itself", "internal/web", `package web; import _ "trey/internal/web/lobby"`, ""},
		{"adapter on an adapter", "internal/web", `package web; import _ "trey/internal/store"`, "never another adapter"},
		{"store on a store", "internal/store/sqlite", `package sqlite; import _ "trey/internal/store/postgres"`, "never another adapter"},
		{"store on what stores share", "internal/store/sqlite", `package sqlite; import _ "trey/internal/store"`, ""},
		{"store on how lines are packed", "internal/store/sqlite", `package sqlite; import _ "trey/internal/store/packed"`, ""},
		{"store on the line before its writer", "internal/store/sqlite", `package sqlite; import _ "trey/internal/store/batch"`, ""},
		{"store on the row of a transaction", "internal/store/sqlite", `package sqlite; import _ "trey/internal/store/row"`, ""},
		{"store on what was archived", "internal/store/sqlite", `package sqlite; import _ "trey/internal/store/archive"`, ""},
		{"cmd on an adapter", "cmd/trey", `package main; import _ "trey/internal/web"`, ""},
		{"par sheet on the mathematics", "internal/parsheet", `package parsheet; import _ "trey/odds"`, ""},
		{"par sheet on the engine", "internal/parsheet", `package parsheet; import _ "trey/table"`, "knows nothing that plays"},
		{"no place", "pinball", `package pinball`, "has no place"},
		{"vague folder", "internal/common", `package shelf`, `"common" says nothing`},
		{"vague package", "internal/shelf", `package utils`, `"utils" says nothing`},
		{"clock", "table", `package table; import "time"; var now = time.Now`, "reads a clock"},
		{"clock under another name", "table", `package table; import t "time"; var now = t.Now()`, "reads a clock"},
		{"clock by dot", "table", `package table; import . "time"; var now = Now()`, "dot import"},
		{"time without clock", "table", `package table; import "time"; var d = time.Second`, ""},
		{"clock in the house", "internal/house", `package house; import "time"; var now = time.Now`, ""},
		{"randomness", "odds", `package odds; import _ "math/rand/v2"`, "draws randomness"},
		{"secret randomness", "jackpot", `package jackpot; import _ "crypto/rand"`, "draws randomness"},
		{"network", "rank/pictures", `package pictures; import _ "net/http"`, "world outside"},
		{"log", "money", `package money; import _ "log/slog"`, "world outside"},
		{"float type", "money", `package money; type Rate float64`, "cannot hold a cent"},
		{"float constant", "money", `package money; const rate = 0.5`, "cannot hold a cent"},
		{"float from text", "rules", `package rules; import "strconv"; var f = strconv.ParseFloat`, "cannot hold a cent"},
		{"list with a counter", "rules", `package rules; import "trey/internal/enum"; var keys = enum.New("a suit", numSuits, nil)`, ""},
		{"list counted by its last member", "rules", `package rules; import "trey/internal/enum"; var keys = enum.New("a suit", Spades+1, nil)`, "no counter"},
		{"float in odds", "odds", `package odds; type Percent float64`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, "code.go", test.code, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			got := complaints(fset, test.pkg, []*ast.File{file})
			switch {
			case test.want == "" && len(got) > 0:
				t.Errorf("%s complains:\n%s", test.code, strings.Join(got, "\n"))
			case test.want != "" && (len(got) != 1 || !strings.Contains(got[0], test.want)):
				t.Errorf("%s: got %q, want one complaint with %q", test.code, got, test.want)
			}
		})
	}
}

// Every property begins where it began before, so that a run that passed passes
// again.
func TestPropertiesAreSteady(t *testing.T) {
	drawn, steady := map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir(".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			switch spec.Path.Value {
			case `"pgregory.net/rapid"`:
				drawn[filepath.Dir(name)] = true
			case `"trey/internal/steady"`:
				steady[filepath.Dir(name)] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(drawn) == 0 {
		t.Error("found no properties")
	}
	for dir := range drawn {
		if !steady[dir] {
			t.Errorf("the tests of %s draw with pgregory.net/rapid: import trey/internal/steady there, for its effect", dir)
		}
	}
}

// sources parses the module's own code, by package: no tests, and no files that
// are excluded from every build, which are tools.
func sources(t *testing.T) (*token.FileSet, map[string][]*ast.File) {
	t.Helper()
	fset := token.NewFileSet()
	files := map[string][]*ast.File{}
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() {
			if name != "." && (base == "testdata" || base[0] == '.' || base[0] == '_') {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if !ignored(file) {
			pkg := strings.TrimPrefix(path.Clean(filepath.ToSlash(filepath.Dir(name))), ".")
			files[pkg] = append(files[pkg], file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fset, files
}

func ignored(file *ast.File) bool {
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if expr, err := constraint.Parse(comment.Text); err == nil && expr.String() == "ignore" {
				return true
			}
		}
	}
	return false
}

// complaints returns what is wrong with one package, each with its position, the
// wrong arrow or word, and the reason for the rule.
func complaints(fset *token.FileSet, pkg string, files []*ast.File) []string {
	var found []string
	complain := func(pos token.Pos, format string, args ...any) {
		found = append(found, fmt.Sprintf("%s: %s", fset.Position(pos), fmt.Sprintf(format, args...)))
	}

	i := slices.IndexFunc(places, func(p place) bool { return match(p.pkgs, pkg) })
	if i < 0 {
		complain(files[0].Package, "package %s has no place in the house: add a row to places in arch_test.go and to docs/architecture.md", pkg)
		return found
	}
	vague := func(pos token.Pos, name string) {
		if slices.Contains(vagueNames, name) {
			complain(pos, "%q says nothing about what is inside: name the package for what it provides", name)
		}
	}
	vague(files[0].Package, path.Base(pkg))
	for _, file := range files {
		if file.Name.Name != path.Base(pkg) {
			vague(file.Name.Pos(), file.Name.Name)
		}
		for _, spec := range file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value) // the parser has checked it
			if spec.Name != nil && spec.Name.Name == "." {
				complain(spec.Pos(), "dot import of %s: it hides where a name comes from, also from this test", imported)
			}
			if ours, ok := strings.CutPrefix(imported, "trey/"); ok {
				if !within(pkg, ours) && !matchAny(places[i].may, ours) {
					complain(spec.Pos(), "wrong arrow %s -> %s: %s", pkg, ours, places[i].why)
				}
			} else if foreign(imported) && places[i].libs != nil && !matchAny(places[i].libs, imported) {
				complain(spec.Pos(), "wrong arrow %s -> %s: %s", pkg, imported, places[i].why)
			}
		}
		for _, b := range bans {
			if matchAny(b.pkgs, pkg) {
				b.check(file, complain)
			}
		}
		checkCounters(file, complain)
	}
	return found
}

// checkCounters complains where the keys of a closed list are counted by one of its members: one
// that comes after it would have no key, and nothing would say so.
func checkCounters(file *ast.File, complain func(pos token.Pos, format string, args ...any)) {
	ast.Inspect(file, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok || len(call.Args) != 3 {
			return true
		}
		fun, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || fun.Sel.Name != "New" {
			return true
		}
		if of, ok := fun.X.(*ast.Ident); !ok || of.Name != "enum" {
			return true
		}
		if counter, ok := call.Args[1].(*ast.Ident); !ok || !strings.HasPrefix(counter.Name, "num") {
			complain(call.Args[1].Pos(), "the list has no counter: put one named num... behind its last member, so that the next one needs a key")
		}
		return true
	})
}

func (b ban) check(file *ast.File, complain func(pos token.Pos, format string, args ...any)) {
	names := map[string][]string{} // what a package is called in this file, to what is not used of it
	for _, spec := range file.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		if matchAny(b.imports, imported) {
			complain(spec.Pos(), "import of %s: %s", imported, b.why)
		}
		name := path.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = b.uses[imported]
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.Ident:
			if slices.Contains(b.idents, node.Name) {
				complain(node.Pos(), "use of %s: %s", node.Name, b.why)
			}
		case *ast.BasicLit:
			if b.literal != token.ILLEGAL && node.Kind == b.literal {
				complain(node.Pos(), "constant %s: %s", node.Value, b.why)
			}
		case *ast.SelectorExpr:
			if of, ok := node.X.(*ast.Ident); ok && slices.Contains(names[of.Name], node.Sel.Name) {
				complain(node.Pos(), "use of %s.%s: %s", of.Name, node.Sel.Name, b.why)
			}
		}
		return true
	})
}

// within reports whether two packages are parts of one: an adapter's packages,
// or two of which one lies below the other. The stores are adapters each.
func within(pkg, imported string) bool {
	if inside, ok := strings.CutPrefix(pkg, "internal/"); ok {
		adapter, _, _ := strings.Cut(inside, "/")
		if adapter == "store" {
			return imported == "internal/store" || match("internal/store/packed/...", imported) || imported == "internal/store/archive" || imported == "internal/store/batch" || imported == "internal/store/row" || match(pkg+"/...", imported)
		}
		return match("internal/"+adapter+"/...", imported)
	}
	return strings.HasPrefix(pkg, "cmd/") && match(pkg+"/...", imported)
}

// foreign reports whether an import path is of neither the standard library nor
// this module: only theirs have a dot in the first element.
func foreign(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return strings.Contains(first, ".")
}

func matchAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return match(p, name) })
}

func match(pattern, name string) bool {
	if root, ok := strings.CutSuffix(pattern, "/..."); ok {
		return name == root || strings.HasPrefix(name, root+"/")
	}
	return name == pattern
}
