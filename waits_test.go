package trey_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestWaitsEnd looks for loops in tests that sleep and have no end of their own. Such a test keeps
// all others of its package until go test ends them, and says nothing about what it waited for.
func TestWaitsEnd(t *testing.T) {
	found := 0
	err := filepath.WalkDir(".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		complaints, waits, err := endlessWaits(name, nil)
		for _, complaint := range complaints {
			t.Error(complaint)
		}
		found += waits
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 50 {
		t.Errorf("looked at %d loops that sleep", found)
	}
}

func TestRulesOfWaitsBite(t *testing.T) {
	for _, test := range []struct {
		name, text string
		endless    bool
	}{
		{"condition", `for !so() { time.Sleep(1) }`, true},
		{"post statement", `for ; !so(); time.Sleep(1) {}`, true},
		{"the test's context", `for !so() && t.Context().Err() == nil { time.Sleep(1) }`, true},
		{"receive", `for { select { case <-done: return; default: time.Sleep(1) } }`, true},
		{"tries", `for try := 0; ; try++ { if so() { break }; time.Sleep(1) }`, true},
		{"deadline", `for end := time.Now().Add(1); !so(); time.Sleep(1) { if time.Now().After(end) { t.Fatal() } }`, false},
		{"deadline outside", `for time.Now().Before(end) { time.Sleep(1) }`, false},
		{"timer", `for late := time.After(1); ; { select { case <-late: return; default: time.Sleep(1) } }`, false},
		{"timer outside", `late := time.After(1); for { select { case <-late: return; default: time.Sleep(1) } }`, false},
		{"context that is canceled", `for ctx.Err() == nil { time.Sleep(1) }`, false},
		{"counted", `for i := 0; i < 3; i++ { time.Sleep(1) }`, false},
		{"range", `for range 3 { time.Sleep(1) }`, false},
		{"reads", `for { if _, err := from.Read(b); err != nil { return }; time.Sleep(1) }`, false},
		{"loop within", `for !so() { for i := 0; i < 3; i++ { time.Sleep(1) } }`, true},
		{"no sleep", `for !so() {}`, false},
	} {
		complaints, _, err := endlessWaits("a_test.go", "package a\nfunc f() { "+test.text+" }")
		if err != nil || len(complaints) > 0 != test.endless {
			t.Errorf("%s: complains %q, %v", test.name, complaints, err)
		}
	}
}

// endlessWaits returns where a file of tests sleeps in a loop without an end, and how many loops
// sleep. A loop has an end if it counts, or reads the time, a timer of its function, a context of
// its function, or what another side sends.
func endlessWaits(name string, text any) (complaints []string, waits int, err error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, 0, err
	}
	timers := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == 1 && len(a.Rhs) == 1 {
			if call, ok := a.Rhs[0].(*ast.CallExpr); ok && calls(call, "time", "After") {
				if timer, ok := a.Lhs[0].(*ast.Ident); ok {
					timers[timer.Name] = true
				}
			}
		}
		return true
	})
	ast.Inspect(file, func(n ast.Node) bool {
		loop, ok := n.(*ast.ForStmt)
		if !ok {
			return true
		}
		sleeps, ends := false, false
		if _, counts := loop.Post.(*ast.IncDecStmt); counts && loop.Cond != nil {
			ends = true
		}
		ast.Inspect(loop, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				sleeps = sleeps || calls(n, "time", "Sleep")
				ends = ends || calls(n, "time", "Now") || calls(n, "time", "After") || calls(n, "time", "Until") || calls(n, "time", "Since") ||
					calls(n, "ctx", "Err") || calls(n, "from", "Read")
			case *ast.UnaryExpr:
				timer, ok := n.X.(*ast.Ident)
				ends = ends || ok && n.Op == token.ARROW && timers[timer.Name]
			}
			return true
		})
		if !sleeps {
			return true
		}
		if waits++; !ends {
			complaints = append(complaints, fset.Position(loop.Pos()).String()+": sleeps in a loop without an end: steady.Await has one")
		}
		return true
	})
	return complaints, waits, nil
}

// calls reports whether an expression calls a function or method of a name.
func calls(call *ast.CallExpr, of, name string) bool {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != name {
		return false
	}
	ident, ok := selector.X.(*ast.Ident)
	return ok && ident.Name == of
}
