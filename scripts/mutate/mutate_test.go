package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"trey/internal/steady"
)

// A module of one package, some of whose lines no test minds.
const module = `
-- go.mod --
module purse

go 1.26
-- purse.go --
package purse

import "errors"

// Pay takes what it pays.
func Pay(has, pays int) (int, error) {
	if pays <= 0 || pays > has {
		return has, errors.New("it does not have as much, or pays nothing")
	}
	has -= pays
	return has, nil
}

// Fee is guarded for nothing.
func Fee(pays, part int) int {
	if part == 0 {
		return 0
	}
	return pays * part / 100
}

func ordered(low, high int) bool { return low < high }
-- purse_test.go --
package purse

import "testing"

func TestPay(t *testing.T) {
	for _, pays := range []int{-1, 0, 1, 2, 5, 6} {
		left, err := Pay(5, pays)
		if good := pays >= 1 && pays <= 5; (err == nil) != good || good && left+pays != 5 || !good && left != 5 {
			t.Errorf("%d of 5: %d, %v", pays, left, err)
		}
	}
}

func TestFee(t *testing.T) {
	if Fee(100, 3) != 3 || Fee(100, 0) != 0 {
		t.Error("another fee")
	}
}

func TestOrdered(t *testing.T) {
	t.Run("up", func(t *testing.T) {
		if !ordered(1, 2) {
			t.Error("another order")
		}
	})
	t.Run("down", func(t *testing.T) {
		if ordered(2, 1) {
			t.Error("another order")
		}
	})
}
-- scripts/mutate/accepted.txt --
# A comment.
purse.go Fee: ` + "`part == 0` => `false`" + `
purse.go Fee: ` + "`return 1` => `return 2`" + `
	Nothing is what no part comes to.
`

func TestWhatNoTestMindsSurvives(t *testing.T) {
	steady.Detail(t)
	folder := t.TempDir()
	for _, f := range txtar.Parse([]byte(module)).Files {
		name := filepath.Join(folder, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(folder)
	var out strings.Builder
	survived, err := mutate(t.Context(), []string{"."}, &out)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(out.String())
	// ordered(2, 2) is asked for by nobody, and with a part of 1 nothing is paid that anybody sees.
	if survived != 2 {
		t.Errorf("%d bugs survived, want 2", survived)
	}
	for _, want := range []string{
		"purse.go:22: ordered: boundary", "+ func ordered(low, high int) bool { return low <= high }",
		"purse.go:16: Fee: number", "+ 	if part == 0+1 {",
		"1 accepted", "this bug is no longer there: purse.go Fee: `return 1` => `return 2`",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("nothing is said of %q", want)
		}
	}
	if files, err := filepath.Glob(filepath.Join(folder, "mutant*")); err != nil || len(files) > 0 {
		t.Errorf("%v, %v is left in the tree", files, err)
	}

	// One of two subtests finds less: not that all is in order.
	for each, want := range map[string]int{"": 1, "Ordered": 1, "Ordered/up": 2} {
		if survived, err := mutate(t.Context(), []string{"-in", "ordered", "-run", "Ordered", "-each", each, "."}, &out); err != nil || survived != want {
			t.Errorf("%s: %d bugs survived, want %d: %v", each, survived, want, err)
		}
	}

	// What is drawn is drawn alike, and no more than was asked for.
	list := func(seed string) string {
		var out strings.Builder
		if _, err := mutate(t.Context(), []string{"-list", "-n", "3", "-seed", seed, "."}, &out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	if first := list("1"); first != list("1") || strings.Count(first, "purse.go:") != 3 {
		t.Errorf("drawn twice by one seed: %s", first)
	}
	for _, args := range [][]string{{}, {"-kinds", "large", "."}, {"-in", "(", "."}, {"-run", "(", "."}, {"-each", "(", "."}, {"./nowhere"}} {
		if _, err := mutate(t.Context(), args, &out); err == nil {
			t.Errorf("%q is carried out", args)
		}
	}
}
