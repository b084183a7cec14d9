package record_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trey/internal/record"
	"trey/internal/stored"
)

// Every table of kinds in the program is one of the groups of the tests here, so that no
// kind of it is left out of them. A table that is not the value of a variable of its
// package cannot be named here, and is refused.
func TestEveryTableOfKindsIsAGroup(t *testing.T) {
	var declared, grouped []string
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && path != root && (name == "testdata" || name == "node_modules" || name[0] == '.' || name[0] == '_') {
			return fs.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		of, calls := tablesOf(file)
		if calls != len(of) {
			t.Errorf("%s makes %d tables of kinds, and declares %d", path, calls, len(of))
		}
		declared = append(declared, of...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "record_test.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 3 {
			return true
		}
		if made, ok := call.Fun.(*ast.Ident); ok && made.Name == "groupOf" {
			grouped = append(grouped, selected(call.Args[2]))
		}
		return true
	})
	slices.Sort(declared)
	slices.Sort(grouped)
	if !slices.Equal(declared, grouped) || len(grouped) != len(groups()) {
		t.Errorf("the program has the tables of kinds\n%v, and the tests here\n%v", declared, grouped)
	}
}

// The test above has to see a table wherever it is made.
func TestTablesOfKindsAreFound(t *testing.T) {
	for text, want := range map[string]struct {
		names []string
		calls int
	}{
		"package a\nvar Kinds = stored.NewTable(\"event\")":                      {[]string{"a.Kinds"}, 1},
		"package a\nvar (x = 1; kinds = stored.NewTable[int](\"event\"))":        {[]string{"a.kinds"}, 1},
		"package a\nfunc f() { kinds := stored.NewTable(\"event\"); _ = kinds }": {nil, 1},
		"package a\nvar x = stored.Name(\"event\")":                              {nil, 0},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "a.go", text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if names, calls := tablesOf(file); !slices.Equal(names, want.names) || calls != want.calls {
			t.Errorf("%s: %v of %d", text, names, calls)
		}
	}
}

// Every event of a table and of a jackpot, and every action, has a kind: a type that has
// an account, or of which somebody has decided what is shown, is recorded.
func TestEveryEventHasAKind(t *testing.T) {
	for _, test := range []struct {
		file, method string
		params       int
		forms        []stored.Form
	}{
		{"table/effect.go", "effect", 0, record.TableEvents.Forms()},
		{"jackpot/effect.go", "effect", 0, record.JackpotEvents.Forms()},
		{"table/redact.go", "redacted", 0, record.Actions.Forms()},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", test.file), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		var declared, kept []string
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == test.method && f.Type.Params.NumFields() == test.params {
				declared = append(declared, f.Recv.List[0].Type.(*ast.Ident).Name)
			}
		}
		for _, form := range test.forms {
			kept = append(kept, form.Engine.Name())
		}
		slices.Sort(declared)
		slices.Sort(kept)
		if kept = slices.Compact(kept); len(declared) < 15 || !slices.Equal(declared, kept) {
			t.Errorf("%s has\n%v, and the record keeps\n%v", test.file, declared, kept)
		}
	}
}

// tablesOf returns the variables of a file that hold tables of kinds, with their package,
// and the number of tables that it makes.
func tablesOf(file *ast.File) (names []string, calls int) {
	makes := func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return false
		}
		called := call.Fun
		if of, ok := called.(*ast.IndexExpr); ok {
			called = of.X
		}
		return selected(called) == "stored.NewTable"
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if makes(n) {
			calls++
		}
		return true
	})
	for _, d := range file.Decls {
		vars, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range vars.Specs {
			spec, ok := s.(*ast.ValueSpec)
			for i := 0; ok && i < len(spec.Values); i++ {
				if makes(spec.Values[i]) {
					names = append(names, file.Name.Name+"."+spec.Names[i].Name)
				}
			}
		}
	}
	return names, calls
}

// selected returns an expression such as house.Commands as it stands, empty for others.
func selected(e ast.Expr) string {
	of, ok := e.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	x, ok := of.X.(*ast.Ident)
	if !ok {
		return ""
	}
	return x.Name + "." + of.Sel.Name
}
