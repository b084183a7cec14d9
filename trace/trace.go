// Package trace finds, for every clause of the rule books, where code carries it out
// and which scenarios prove it.
//
// Code cites a clause in a comment of its own above whatever carries it out:
//
//	//clause:rws-3cp@3 5.8.6
//
// A scenario names its clause by its file, scenario/testdata/rws-3cp/
// 5.8.6_void_unseen.txtar; where it proves more than that one, a line at its
// head says so:
//
//	# proves: 5.8.2 5.12
//
// [Scan] collects both from a source tree, [Check] compares them with the
// registers of the books, and [Embedded] is the index that was collected when
// the program was built. The package will never judge whether a citation is
// true: a scenario that fails does that.
package trace

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"trey/rules/books"
)

// Citation is a place in the code that carries out a clause.
type Citation struct {
	// Book is the book's reference as it is cited, such as "rws-3cp@3".
	Book string `json:"book"`
	// Clause is the clause's id.
	Clause string `json:"clause"`
	// File is the source file's path in the repository.
	File string `json:"file"`
	// Decl is the declaration that the citation stands in or above, such as
	// "Variant.Settle" or "book.Wagers[Ante].Clauses".
	Decl string `json:"decl"`
	// Line is the line of the first code after the citation. It is known after
	// a scan and not in the embedded index, which would otherwise change with
	// every line that is written above it.
	Line int `json:"-"`
}

// Proof is a scenario that proves a clause.
type Proof struct {
	// Book is the book's reference, such as "rws-3cp@3".
	Book string `json:"book"`
	// Clause is the clause's id.
	Clause string `json:"clause"`
	// File is the scenario's path in the repository.
	File string `json:"file"`
}

// Name returns the scenario's name as people call it, such as
// "5.8.6_void_unseen".
func (p *Proof) Name() string { return strings.TrimSuffix(path.Base(p.File), scenarioExt) }

// Index holds the citations of the clauses in a source tree.
type Index struct {
	// Code and Scenarios are sorted by book and clause, in the order of the
	// registers, and then by file.
	Code      []Citation
	Scenarios []Proof
	// malformed lists what looks like a citation and cannot be read.
	malformed []string
}

// CodeOf returns the places that carry out a clause.
func (x *Index) CodeOf(book, clause string) []Citation {
	var found []Citation
	for _, c := range x.Code {
		if c.Book == book && c.Clause == clause {
			found = append(found, c)
		}
	}
	return found
}

// ScenariosOf returns the scenarios that prove a clause.
func (x *Index) ScenariosOf(book, clause string) []Proof {
	var found []Proof
	for _, p := range x.Scenarios {
		if p.Book == book && p.Clause == clause {
			found = append(found, p)
		}
	}
	return found
}

const (
	scenarioRoot = "scenario/testdata"
	scenarioExt  = ".txtar"
)

// Scan reads the repository in fsys: all its own Go code but tests, and the
// scenarios. The error says what cannot be read; what can be read and is wrong
// is for [Check] to find.
func Scan(fsys fs.FS) (Index, error) {
	var x Index
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := path.Base(name)
		switch {
		case entry.IsDir() && name == scenarioRoot:
			if err := x.scanScenarios(fsys); err != nil {
				return err
			}
			return fs.SkipDir
		case entry.IsDir() && name != "." && (base == "testdata" || base[0] == '.' || base[0] == '_') && !strings.HasPrefix(scenarioRoot, name+"/"):
			return fs.SkipDir
		case !entry.IsDir() && strings.HasSuffix(base, ".go") && !strings.HasSuffix(base, "_test.go"):
			return x.scanCode(fsys, name)
		}
		return nil
	})
	if err != nil {
		return Index{}, fmt.Errorf("tracing clauses: %w", err)
	}
	x.sort()
	return x, nil
}

const citationMark = "//clause:"

var citationForm = regexp.MustCompile(`^//clause:(\S+) (\S+)$`)

func (x *Index) scanCode(fsys fs.FS, name string) error {
	source, err := fs.ReadFile(fsys, name)
	if err != nil {
		return err
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	lines := strings.Split(string(source), "\n")
	for _, group := range file.Comments {
		for _, comment := range group.List {
			if !strings.HasPrefix(comment.Text, citationMark) {
				continue
			}
			at := fset.Position(comment.Pos())
			match := citationForm.FindStringSubmatch(comment.Text)
			if match == nil || strings.TrimSpace(lines[at.Line-1]) != comment.Text {
				x.malformed = append(x.malformed, fmt.Sprintf("%s:%d: %q is no citation: write %sBOOK CLAUSE on a line of its own", name, at.Line, comment.Text, citationMark))
				continue
			}
			line := codeLine(lines, at.Line)
			x.Code = append(x.Code, Citation{
				Book: match[1], Clause: match[2], File: name,
				Decl: declaration(fset, file, line), Line: line,
			})
		}
	}
	return nil
}

// codeLine returns the number of the first line after the given one that is
// neither empty nor a comment.
func codeLine(lines []string, after int) int {
	for i := after; i < len(lines); i++ { // lines[i] has the number i+1
		if text := strings.TrimSpace(lines[i]); text != "" && !strings.HasPrefix(text, "//") {
			return i + 1
		}
	}
	return after
}

// declaration names what the code on a line belongs to: a function or method, a
// type, or a variable with the keys of its value that lead there.
func declaration(fset *token.FileSet, file *ast.File, line int) string {
	on := func(n ast.Node) bool {
		return fset.Position(n.Pos()).Line <= line && line <= fset.Position(n.End()).Line
	}
	for _, decl := range file.Decls {
		if !on(decl) {
			continue
		}
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv != nil && len(decl.Recv.List) == 1 {
				return receiver(decl.Recv.List[0].Type) + "." + decl.Name.Name
			}
			return decl.Name.Name
		case *ast.GenDecl:
			for i, spec := range decl.Specs {
				// Above a whole block, the first of it names it.
				if !on(spec) && (i > 0 || line >= fset.Position(spec.Pos()).Line) {
					continue
				}
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					return spec.Name.Name
				case *ast.ValueSpec:
					name := spec.Names[0].Name
					for _, value := range spec.Values {
						name += within(fset, value, line)
					}
					return name
				default:
				}
			}
		}
	}
	return path.Base(fset.Position(file.Pos()).Filename)
}

func receiver(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		return receiver(expr.X)
	case *ast.IndexExpr:
		return receiver(expr.X)
	case *ast.Ident:
		return expr.Name
	}
	return "?"
}

// within returns the way to a line inside a value: the keys of composite
// literals, each after a dot, and the elements of lists, each in brackets.
func within(fset *token.FileSet, value ast.Expr, line int) string {
	starts := func(n ast.Node) int { return fset.Position(n.Pos()).Line }
	if pointer, ok := value.(*ast.UnaryExpr); ok {
		value = pointer.X
	}
	literal, ok := value.(*ast.CompositeLit)
	if !ok || starts(literal) == line {
		return ""
	}
	for _, element := range literal.Elts {
		if line < starts(element) || line > fset.Position(element.End()).Line {
			continue
		}
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			if list, ok := element.(*ast.CompositeLit); ok && len(list.Elts) > 0 && starts(list.Elts[0]) == line {
				return "[" + label(element) + "]" // above the first line of an element: all of it is meant
			}
			return "[" + label(element) + "]" + within(fset, element, line)
		}
		key, ok := pair.Key.(*ast.Ident)
		if !ok {
			return within(fset, pair.Value, line)
		}
		if starts(pair) == line {
			return "." + key.Name
		}
		return "." + key.Name + within(fset, pair.Value, line)
	}
	return ""
}

// label names an element of a list by the first thing it says.
func label(element ast.Expr) string {
	switch e := element.(type) {
	case *ast.CompositeLit:
		if len(e.Elts) > 0 {
			return label(e.Elts[0])
		}
	case *ast.CallExpr:
		if len(e.Args) > 0 {
			return label(e.Args[0])
		}
	case *ast.KeyValueExpr:
		return label(e.Value)
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.Ident:
		return e.Name
	case *ast.BasicLit:
		return strings.Trim(e.Value, "\"`")
	}
	return ""
}

func (x *Index) scanScenarios(fsys fs.FS) error {
	return fs.WalkDir(fsys, scenarioRoot, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, scenarioExt) {
			return err
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		id := strings.TrimPrefix(path.Dir(name), scenarioRoot+"/")
		book := books.ByID(id)
		if book == nil {
			x.malformed = append(x.malformed, fmt.Sprintf("%s: the folder must be the id of a book, %s", name, strings.Join(ids(), ", ")))
			return nil
		}
		clause, what, found := strings.Cut(path.Base(name), "_")
		if !found || clause == "" || what == scenarioExt {
			x.malformed = append(x.malformed, fmt.Sprintf("%s: name it by clause and what it shows, such as 5.8.6_void_unseen%s", name, scenarioExt))
			return nil
		}
		proves := []string{clause}
		head := true
		for i, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(line, "-- ") {
				break // the files of the archive begin
			}
			comment, isComment := strings.CutPrefix(line, "#")
			head = head && (isComment || strings.TrimSpace(line) == "")
			list, found := strings.CutPrefix(strings.TrimSpace(comment), "proves:")
			switch {
			case !isComment || !found:
			case !head:
				x.malformed = append(x.malformed, fmt.Sprintf("%s:%d: what a scenario proves stands at its head, before the first command", name, i+1))
			default:
				proves = append(proves, strings.FieldsFunc(list, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' || r == '\r' })...)
			}
		}
		for _, clause := range proves {
			x.Scenarios = append(x.Scenarios, Proof{Book: book.Ref(), Clause: clause, File: name})
		}
		return nil
	})
}

func ids() []string {
	var ids []string
	for _, b := range books.All() {
		ids = append(ids, b.ID)
	}
	return ids
}

// sort brings the index into an order that depends on nothing but its content,
// and leaves out what is said twice.
func (x *Index) sort() {
	place := map[string]int{} // of a clause among all the registers
	for _, b := range books.All() {
		for i := range b.Clauses {
			place[b.Ref()+" "+b.Clauses[i].ID] = len(place) + 1
		}
	}
	slices.SortFunc(x.Code, func(a, b Citation) int {
		return cmp.Or(
			cmp.Compare(place[a.Book+" "+a.Clause], place[b.Book+" "+b.Clause]),
			cmp.Compare(a.Book, b.Book), cmp.Compare(a.Clause, b.Clause),
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
		)
	})
	x.Code = slices.CompactFunc(x.Code, func(a, b Citation) bool {
		return a.Book == b.Book && a.Clause == b.Clause && a.File == b.File && a.Decl == b.Decl
	})
	slices.SortFunc(x.Scenarios, func(a, b Proof) int {
		return cmp.Or(
			cmp.Compare(place[a.Book+" "+a.Clause], place[b.Book+" "+b.Clause]),
			cmp.Compare(a.Book, b.Book), cmp.Compare(a.Clause, b.Clause), cmp.Compare(a.File, b.File),
		)
	})
	x.Scenarios = slices.Compact(x.Scenarios)
}
