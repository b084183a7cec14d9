package main

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// kind is a kind of bug.
type kind uint8

const (
	never    kind = iota // a condition does not hold
	always               // a condition holds
	boundary             // < for <=
	sum                  // + for -
	dropped              // a statement is not carried out
	noError              // nil is returned for an error
	answer               // true is returned for false
	swapped              // two arguments in each other's place
	number               // one more
)

var kindNames = []string{"never", "always", "boundary", "sum", "dropped", "no-error", "answer", "swapped", "number"}

// bug is a small change of a file.
type bug struct {
	number   int
	kind     kind
	file     string // from the root of the module
	line     int
	function string
	start    int // in the file, in bytes
	end      int
	after    string // what stands there with the bug, "" for nothing
	again    int    // how many like it stand before it in the function
	before   string // what stands there
	// guarded returns the text of the place, given that inside of it as it is without this
	// bug, in such a way that the bug is there when on holds. What comes before on is
	// evaluated before it, so that on is asked only where the bug makes a difference.
	guarded func(inside, on string) string
}

func (b *bug) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", b.file, b.line, b.function, kindNames[b.kind])
}

// key names the bug in accepted.txt, wherever in its function it stands.
func (b *bug) key() string {
	line := func(s string) string {
		if s = strings.Join(strings.Fields(s), " "); s == "" {
			return "nothing"
		}
		return "`" + s + "`"
	}
	key := fmt.Sprintf("%s %s: %s => %s", b.file, b.function, line(b.before), line(b.after))
	if b.again > 0 {
		key += fmt.Sprintf(" #%d", b.again+1)
	}
	return key
}

// diff shows the lines of the bug as they are and as it makes them.
func (b *bug) diff(p *mutated) string {
	src := p.source[b.file]
	from := bytes.LastIndexByte(src[:b.start], '\n') + 1
	to := len(src)
	if i := bytes.IndexByte(src[b.end:], '\n'); i >= 0 {
		to = b.end + i
	}
	var s strings.Builder
	for line := range strings.SplitSeq(string(src[from:to]), "\n") {
		s.WriteString("- " + line + "\n")
	}
	for line := range strings.SplitSeq(string(src[from:b.start])+b.after+string(src[b.end:to]), "\n") {
		if strings.TrimSpace(line) != "" {
			s.WriteString("+ " + line + "\n")
		}
	}
	s.WriteString("  " + b.key() + "\n")
	return s.String()
}

// mutated is the package in which bugs are made.
type mutated struct {
	*packages.Package
	path   string
	root   string // of the module
	folder string // of the package, from the root
	source map[string][]byte
}

func moduleRoot() (string, error) {
	folder, err := os.Getwd()
	for err == nil {
		if _, failed := os.Stat(filepath.Join(folder, "go.mod")); failed == nil {
			return folder, nil
		}
		up := filepath.Dir(folder)
		if up == folder {
			return "", fmt.Errorf("no go.mod stands above this folder: run mutate in the module")
		}
		folder = up
	}
	return "", err
}

const needed = packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps | packages.NeedExportFile

// load reads the package in which bugs are made.
func load(ctx context.Context, pattern string) (*mutated, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	loaded, err := packages.Load(&packages.Config{Context: ctx, Mode: needed &^ packages.NeedDeps}, pattern)
	if err != nil {
		return nil, err
	}
	if len(loaded) != 1 {
		return nil, fmt.Errorf("%s is %d packages, and bugs are made in one", pattern, len(loaded))
	}
	p := &mutated{Package: loaded[0], path: loaded[0].PkgPath, root: root, source: map[string][]byte{}}
	if len(p.Errors) > 0 {
		return nil, p.Errors[0]
	}
	if len(p.GoFiles) == 0 {
		return nil, fmt.Errorf("%s has no Go files", pattern)
	}
	folder, err := filepath.Rel(root, filepath.Dir(p.GoFiles[0]))
	p.folder = filepath.ToSlash(folder)
	return p, err
}

// bugs returns all bugs that can be made in the package.
func (p *mutated) bugs() ([]*bug, error) {
	var all []*bug
	for i, file := range p.Syntax {
		if ast.IsGenerated(file) {
			continue
		}
		name := filepath.ToSlash(filepath.Join(p.folder, filepath.Base(p.GoFiles[i])))
		src, err := os.ReadFile(p.GoFiles[i])
		if err != nil {
			return nil, err
		}
		p.source[name] = src
		m := &maker{p: p, src: src, file: name, base: p.Fset.File(file.FileStart).Base()}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				m.body(f)
			}
		}
		slices.SortStableFunc(m.found, func(a, b *bug) int { return a.start - b.start })
		all = append(all, m.found...)
	}
	seen := map[string]int{}
	for i, b := range all {
		b.number = i + 1
		key := b.key()
		b.again = seen[key]
		seen[key]++
	}
	return all, nil
}

// maker finds the places of bugs in one file.
type maker struct {
	p        *mutated
	src      []byte
	file     string
	base     int
	function string
	results  *types.Tuple // of the function around
	found    []*bug
}

func (m *maker) text(n ast.Node) string {
	return string(m.src[int(n.Pos())-m.base : int(n.End())-m.base])
}

func (m *maker) add(k kind, n ast.Node, after string, guarded func(inside, on string) string) {
	m.found = append(m.found, &bug{
		kind: k, file: m.file, line: m.p.Fset.Position(n.Pos()).Line, function: m.function,
		start: int(n.Pos()) - m.base, end: int(n.End()) - m.base, before: m.text(n), after: after, guarded: guarded,
	})
}

// body finds the places in a function.
func (m *maker) body(f *ast.FuncDecl) {
	m.function = f.Name.Name
	if f.Recv != nil && len(f.Recv.List) == 1 {
		on := strings.TrimPrefix(m.text(f.Recv.List[0].Type), "*")
		m.function = on + "." + f.Name.Name
	}
	signature, ok := m.p.TypesInfo.Defs[f.Name].Type().(*types.Signature)
	if !ok {
		return
	}
	m.walk(f.Body, signature.Results())
}

// walk finds the places in the body of a function with such results.
func (m *maker) walk(body *ast.BlockStmt, results *types.Tuple) {
	outer := m.results
	m.results = results
	defer func() { m.results = outer }()
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			if signature, ok := m.typeOf(n).(*types.Signature); ok {
				m.walk(n.Body, signature.Results())
			}
			return false
		case *ast.IfStmt:
			m.condition(n.Cond)
		case *ast.SwitchStmt:
			if n.Tag == nil {
				for _, c := range n.Body.List {
					for _, e := range c.(*ast.CaseClause).List {
						m.condition(e)
					}
				}
			}
		case *ast.BinaryExpr:
			m.binary(n)
		case *ast.CallExpr:
			m.arguments(n)
		case *ast.BlockStmt:
			m.statements(n.List)
		case *ast.CaseClause:
			m.statements(n.Body)
		}
		return true
	})
}

func (m *maker) typeOf(e ast.Expr) types.Type { return m.p.TypesInfo.TypeOf(e) }

// constant reports whether an expression is known when it is compiled.
func (m *maker) constant(e ast.Expr) bool {
	return m.p.TypesInfo.Types[e].Value != nil
}

// quiet reports whether evaluating an expression does nothing else, so that it may be
// evaluated twice.
func quiet(e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr, *ast.FuncLit:
			ok = false
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW
		}
		return ok
	})
	return ok
}

// plain reports whether an expression is a name, or a field of one: no bug is made within it.
func plain(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return plain(e.X)
	}
	return false
}

// condition has a condition hold never and always, and its parts likewise.
func (m *maker) condition(e ast.Expr) {
	if m.constant(e) {
		return
	}
	m.add(never, e, "false", func(in, on string) string { return "((" + in + ") && !(" + on + "))" })
	m.add(always, e, "true", func(in, on string) string { return "((" + in + ") || (" + on + "))" })
}

// binary has one side of an expression decide alone, or works it out a little differently.
func (m *maker) binary(e *ast.BinaryExpr) {
	if m.constant(e) {
		return
	}
	of, _ := m.typeOf(e.X).Underlying().(*types.Basic)
	integer := of != nil && of.Info()&types.IsInteger != 0
	x, y := m.text(e.X), m.text(e.Y)
	both := quiet(e.X) && quiet(e.Y)
	//exhaustive:ignore
	switch e.Op {
	case token.LOR, token.LAND:
		for _, side := range []ast.Expr{e.X, e.Y} {
			if b, ok := ast.Unparen(side).(*ast.BinaryExpr); ok && (b.Op == token.LOR || b.Op == token.LAND) && b.Op == e.Op {
				continue // Its own sides are tried.
			}
			if m.constant(side) {
				continue
			}
			if e.Op == token.LOR {
				m.add(never, side, "false", func(in, on string) string { return "((" + in + ") && !(" + on + "))" })
			} else {
				m.add(always, side, "true", func(in, on string) string { return "((" + in + ") || (" + on + "))" })
			}
		}
	case token.LSS, token.GTR:
		if integer && both {
			m.add(boundary, e, x+" "+e.Op.String()+"= "+y, func(in, on string) string {
				return "((" + in + ") || (" + x + ") == (" + y + ") && (" + on + "))"
			})
		}
	case token.LEQ, token.GEQ:
		if integer && both {
			m.add(boundary, e, x+" "+strings.TrimSuffix(e.Op.String(), "=")+" "+y, func(in, on string) string {
				return "((" + in + ") && !((" + x + ") == (" + y + ") && (" + on + ")))"
			})
		}
	case token.ADD, token.SUB:
		if integer && both {
			other := map[token.Token]string{token.ADD: "-", token.SUB: "+"}[e.Op]
			m.add(sum, e, x+" "+other+" "+y, func(in, on string) string {
				return "mutantPick(" + on + ", " + in + ", (" + x + ") " + other + " (" + y + "))"
			})
		}
	case token.EQL, token.NEQ:
		if lit, ok := ast.Unparen(e.Y).(*ast.BasicLit); ok && integer && lit.Kind == token.INT && quiet(e.X) {
			m.add(number, e, x+" "+e.Op.String()+" "+y+"+1", func(in, on string) string {
				with := "(" + x + ") " + e.Op.String() + " " + y
				return "((" + in + ") != (((" + with + ") != (" + with + "+1)) && (" + on + ")))"
			})
		}
	}
}

// arguments swaps two neighbours of one type.
func (m *maker) arguments(c *ast.CallExpr) {
	if f, ok := c.Fun.(*ast.Ident); ok && (f.Name == "min" || f.Name == "max") {
		return // They are the same either way.
	}
	signature, ok := m.typeOf(c.Fun).(*types.Signature)
	if !ok || c.Ellipsis.IsValid() {
		return
	}
	for i := range len(c.Args) - 1 {
		a, b := c.Args[i], c.Args[i+1]
		if signature.Variadic() && i+1 >= signature.Params().Len()-1 {
			return
		}
		if !plain(a) || !plain(b) || m.constant(a) || m.constant(b) || !types.Identical(m.typeOf(a), m.typeOf(b)) || m.text(a) == m.text(b) {
			continue
		}
		x, y := m.text(a), m.text(b)
		both := &span{a.Pos(), b.End()}
		m.add(swapped, both, y+", "+x, func(_, on string) string {
			return "mutantPick(" + on + ", " + x + ", " + y + "), mutantPick(" + on + ", " + y + ", " + x + ")"
		})
	}
}

// span is a stretch of a file.
type span struct{ from, to token.Pos }

func (s *span) Pos() token.Pos { return s.from }
func (s *span) End() token.Pos { return s.to }

// statements leaves out one of a list, or has it return something else.
func (m *maker) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if call, ok := s.X.(*ast.CallExpr); ok {
				if f, ok := call.Fun.(*ast.Ident); ok && f.Name == "panic" {
					continue // Without it the function might not return.
				}
				m.drop(s)
			}
		case *ast.IncDecStmt:
			m.drop(s)
		case *ast.AssignStmt:
			//exhaustive:ignore
			switch s.Tok {
			case token.DEFINE:
				continue
			case token.ADD_ASSIGN, token.SUB_ASSIGN:
				if of, ok := m.typeOf(s.Lhs[0]).Underlying().(*types.Basic); ok && of.Info()&types.IsInteger != 0 {
					other := map[token.Token]string{token.ADD_ASSIGN: " -= ", token.SUB_ASSIGN: " += "}[s.Tok]
					after := m.text(s.Lhs[0]) + other + m.text(s.Rhs[0])
					m.add(sum, s, after, func(in, on string) string { return "if " + on + " { " + after + " } else { " + in + " }" })
				}
			}
			if id, ok := s.Lhs[0].(*ast.Ident); ok && id.Name == "_" {
				continue
			}
			m.drop(s)
		case *ast.BranchStmt:
			if s.Tok == token.CONTINUE || s.Tok == token.BREAK {
				m.drop(s)
			}
		case *ast.ReturnStmt:
			m.result(s)
		}
	}
}

func (m *maker) drop(s ast.Stmt) {
	m.add(dropped, s, "", func(in, on string) string { return "if !(" + on + ") { " + in + " }" })
}

// result has a function return no error, or the other answer.
func (m *maker) result(s *ast.ReturnStmt) {
	if m.results == nil || len(s.Results) == 0 || len(s.Results) != m.results.Len() {
		return
	}
	last := s.Results[len(s.Results)-1]
	of := m.results.At(len(s.Results) - 1).Type()
	if types.Identical(of, types.Universe.Lookup("error").Type()) && !m.p.TypesInfo.Types[last].IsNil() {
		others := ""
		if len(s.Results) > 1 {
			others = string(m.src[int(s.Results[0].Pos())-m.base : int(last.Pos())-m.base])
		}
		after := "return " + others + "nil"
		m.add(noError, s, after, func(in, on string) string { return "if " + on + " { " + after + " }; " + in })
	}
	for i, r := range s.Results {
		if !types.Identical(m.results.At(i).Type(), types.Typ[types.Bool]) {
			continue
		}
		if v := m.p.TypesInfo.Types[r].Value; v != nil && v.Kind() == constant.Bool {
			held := constant.BoolVal(v)
			m.add(answer, r, fmt.Sprint(!held), func(_, on string) string {
				if held {
					return "!(" + on + ")"
				}
				return "(" + on + ")"
			})
			continue
		}
		m.add(answer, r, "false", func(in, on string) string { return "((" + in + ") && !(" + on + "))" })
		m.add(answer, r, "true", func(in, on string) string { return "((" + in + ") || (" + on + "))" })
	}
}
