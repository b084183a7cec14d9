package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// The variables of the environment by which a test program knows its bug.
const (
	bugVariable     = "MUTANT"         // the number of the bug, or -1 to note those reached
	reachedVariable = "MUTANT_REACHED" // the file in which they are noted
)

// switchFile is added to the package: it says which bug is on.
const switchFile = `package %s

import (
	"os"
	"strconv"
	"sync"
)

var (
	mutantNumber, _ = strconv.Atoi(os.Getenv(%q))
	mutantsReached  sync.Map
)

func mutantOn(n int) int {
	if n == mutantNumber {
		return 1
	}
	if mutantNumber == -1 {
		mutantReached(n)
	}
	return 0
}

func mutantReached(n int) {
	if _, known := mutantsReached.LoadOrStore(n, true); known {
		return
	}
	f, err := os.OpenFile(os.Getenv(%q), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(strconv.Itoa(n) + "\n")
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		panic(err)
	}
}

func mutantPick[T any](on bool, without, with T) T {
	if on {
		return with
	}
	return without
}
`

// overlay returns the files of the package with all these bugs in them, by their full names.
func (p *mutated) overlay(bugs []*bug) map[string][]byte {
	files := map[string][]byte{
		filepath.Join(p.root, p.folder, "mutant_switch.go"): fmt.Appendf(nil, switchFile, p.Name, bugVariable, reachedVariable),
	}
	for name, src := range p.source {
		var here []*bug
		for _, b := range bugs {
			if b.file == name {
				here = append(here, b)
			}
		}
		if len(here) == 0 {
			continue
		}
		// The outer before the inner.
		slices.SortStableFunc(here, func(a, b *bug) int {
			if a.start != b.start {
				return a.start - b.start
			}
			return b.end - a.end
		})
		files[filepath.Join(p.root, filepath.FromSlash(name))] = []byte(written(src, 0, len(src), here))
	}
	return files
}

// written returns a stretch of a file with the bugs in it.
func written(src []byte, from, to int, bugs []*bug) string {
	var s strings.Builder
	for len(bugs) > 0 {
		b := bugs[0]
		n := 1
		for n < len(bugs) && bugs[n].end <= b.end {
			n++
		}
		s.Write(src[from:b.start])
		s.WriteString(b.guarded(written(src, b.start, b.end, bugs[1:n]), fmt.Sprintf("mutantOn(%d) == 1", b.number)))
		from, bugs = b.end, bugs[n:]
		// What overlaps and does not lie within is not made: another run may draw it.
		for len(bugs) > 0 && bugs[0].start < from {
			bugs = bugs[1:]
		}
	}
	s.Write(src[from:to])
	return s.String()
}

// compiling returns those of the bugs with which the package compiles.
func (p *mutated) compiling(ctx context.Context, bugs []*bug) ([]*bug, error) {
	for {
		loaded, err := packages.Load(&packages.Config{Context: ctx, Mode: needed &^ packages.NeedDeps, Overlay: p.overlay(bugs)}, p.path)
		if err != nil {
			return nil, err
		}
		wrong := map[string]bool{}
		for _, e := range loaded[0].Errors {
			at := strings.Split(e.Pos, ":")
			if len(at) < 2 {
				return nil, e
			}
			file, err := filepath.Rel(p.root, at[0])
			if err != nil {
				return nil, e
			}
			wrong[filepath.ToSlash(file)+":"+at[1]] = true
		}
		if len(wrong) == 0 {
			return bugs, nil
		}
		before := len(bugs)
		bugs = slices.DeleteFunc(bugs, func(b *bug) bool {
			for line := range strings.Count(b.before, "\n") + 1 {
				if wrong[b.file+":"+strconv.Itoa(b.line+line)] {
					return true
				}
			}
			return false
		})
		if len(bugs) == before {
			return nil, loaded[0].Errors[0]
		}
	}
}

// program is the test program of a package.
type program struct {
	of   string // the package, as it was named
	file string
	dir  string
}

// build makes the test programs of the packages, with all bugs in them and none switched on.
func (p *mutated) build(ctx context.Context, work string, bugs []*bug, of []string) ([]*program, error) {
	replace := map[string]string{}
	for name, text := range p.overlay(bugs) {
		file := filepath.Join(work, filepath.Base(name))
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return nil, err
		}
		replace[name] = file
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	overlay := filepath.Join(work, "overlay.json")
	if err := os.WriteFile(overlay, list, 0o600); err != nil {
		return nil, err
	}
	var programs []*program
	for i, name := range of {
		dir, err := exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}", name).Output()
		if err != nil {
			return nil, fmt.Errorf("go list %s: %w", name, err)
		}
		t := &program{of: name, file: filepath.Join(work, strconv.Itoa(i)+".test"), dir: strings.TrimSpace(string(dir))}
		if text, err := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", t.file, name).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go test -c %s: %w\n%s", name, err, text)
		}
		if _, err := os.Stat(t.file); err != nil {
			continue // It has no tests.
		}
		programs = append(programs, t)
	}
	return programs, nil
}
