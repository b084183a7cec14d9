package housetest_test

import (
	"bytes"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// free are the packages, or what they export, that may hand out the state of a table or
// its events as they are, and why.
var free = map[string]string{
	"trey/table":                          "the engine knows no house",
	"trey/jackpot":                        "the engine knows no house",
	"trey/linked":                         "the engine knows no house",
	"trey/scenario":                       "its tables are no table of a house",
	"trey/roundlog":                       "its rounds are no round of a house",
	"trey/sim":                            "its tables are no table of a house",
	"trey/internal/record":                "it reads what is stored, for whoever has the record",
	"trey/internal/drill":                 "its tables are no table of a house",
	"trey/internal/house/internal/opaque": "only the house can name it",
	"trey/internal/house/solo":            "its one player has the record",
	"trey/internal/house/housetest":       "no program uses it",
	"trey/internal/house.EndedStep":       "the round has ended: House.Ended refuses any other",
}

// secret are the types of which only a part may leave the house.
var secret = map[string]bool{"trey/table.State": true, "trey/table.Event": true, "trey/jackpot.Event": true}

// exports reads the compiled packages of the module, tests left out.
func exports(t *testing.T) (exported []string, of types.Importer, imports map[string][]string) {
	t.Helper()
	list := exec.Command("go", "list", "-export", "-buildvcs=false", "-deps", "-f", `{{.ImportPath}}|{{.Export}}|{{.Name}}|{{join .Imports " "}}`, "./...")
	list.Dir = "../../.."
	var stderr bytes.Buffer
	list.Stderr = &stderr
	text, err := list.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.Bytes())
	}
	files := map[string]string{}
	imports = map[string][]string{}
	for line := range strings.Lines(string(text)) {
		of := strings.Split(strings.TrimSuffix(line, "\n"), "|")
		files[of[0]] = of[1]
		if strings.HasPrefix(of[0], "trey/") {
			imports[of[0]] = strings.Fields(of[3])
			if of[2] != "main" {
				exported = append(exported, of[0])
			}
		}
	}
	return exported, importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(files[path])
	}), imports
}

// raw reports whether somebody who has a value of a type has the state of a table, or its
// events, as they are. Types that have a name are looked at where they are declared.
func raw(of types.Type) bool {
	switch of := of.(type) {
	case *types.Alias:
		return raw(types.Unalias(of))
	case *types.Named:
		if of.Obj().Pkg() != nil && secret[of.Obj().Pkg().Path()+"."+of.Obj().Name()] {
			return true
		}
		args := of.TypeArgs()
		for i := range args.Len() {
			if raw(args.At(i)) {
				return true
			}
		}
	case *types.Pointer:
		return raw(of.Elem())
	case *types.Slice:
		return raw(of.Elem())
	case *types.Array:
		return raw(of.Elem())
	case *types.Chan:
		return raw(of.Elem())
	case *types.Map:
		return raw(of.Key()) || raw(of.Elem())
	case *types.Struct:
		for i := range of.NumFields() {
			if of.Field(i).Exported() && raw(of.Field(i).Type()) {
				return true
			}
		}
	case *types.Interface:
		for i := range of.NumMethods() {
			if raw(of.Method(i).Type()) {
				return true
			}
		}
	case *types.Signature:
		return gives(of)
	}
	return false
}

// gives reports whether a function hands out what is raw: by its results, or to a
// function that it is given.
func gives(f *types.Signature) bool {
	for i := range f.Results().Len() {
		if raw(f.Results().At(i).Type()) {
			return true
		}
	}
	for i := range f.Params().Len() {
		if given, ok := f.Params().At(i).Type().Underlying().(*types.Signature); ok {
			for k := range given.Params().Len() {
				if raw(given.Params().At(k).Type()) {
					return true
				}
			}
		}
	}
	return false
}

// given lists what a package exports that hands out what is raw.
func given(pkg *types.Package) (found []string) {
	scope := pkg.Scope()
	for _, name := range scope.Names() {
		object := scope.Lookup(name)
		full := pkg.Path() + "." + name
		if _, may := free[full]; may || !object.Exported() {
			continue
		}
		switch object := object.(type) {
		case *types.Func:
			if gives(object.Signature()) {
				found = append(found, full)
			}
		case *types.TypeName:
			if object.IsAlias() {
				continue // it is looked at where it is declared
			}
			if raw(object.Type().Underlying()) {
				found = append(found, full)
			}
			methods := types.NewMethodSet(types.NewPointer(object.Type()))
			for i := range methods.Len() {
				m, ok := methods.At(i).Obj().(*types.Func)
				if ok && m.Exported() && m.Pkg() == pkg && gives(m.Signature()) {
					found = append(found, full+"."+m.Name())
				}
			}
		default:
			if raw(object.Type()) {
				found = append(found, full)
			}
		}
	}
	return found
}

// Nothing outside of the house can get the unredacted state or events of a live table. No
// package exports a function, a field or a variable with them.
func TestNothingRawLeavesTheHouse(t *testing.T) {
	exported, of, imports := exports(t)
	var found []string
	looked := map[string]bool{}
	for _, path := range exported {
		pkg, err := of.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		all := given(pkg)
		if _, may := free[path]; may {
			looked[path] = len(all) > 0
			continue
		}
		found = append(found, all...)
	}
	for _, name := range slices.Compact(found) {
		t.Errorf("%s hands out the state of a table, or events of a table or a jackpot: let it hand out house.State, house.TableEvent and house.JackpotEvent", name)
	}
	if !looked["trey/table"] || !looked["trey/internal/house/internal/opaque"] {
		t.Error(fmt.Sprint("the test finds nothing raw where it is: ", looked))
	}
	for path, all := range imports {
		if path != "trey/internal/house/housetest" && slices.Contains(all, "trey/internal/house/housetest") {
			t.Errorf("%s, which is no test, uses what is for tests", path)
		}
		if path != "trey/internal/house/solo" && path != "trey/internal/play" && slices.Contains(all, "trey/internal/house/solo") {
			t.Errorf("%s opens what is at the tables, and is no terminal game of one player", path)
		}
	}
}
