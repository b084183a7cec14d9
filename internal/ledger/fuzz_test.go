package ledger_test

import (
	"testing"

	"trey/internal/ledger"
)

func FuzzParseAccount(f *testing.F) {
	for _, text := range []string{"player:ann", "cash", "win:A", "reserve:a:b", "player:", "cash:", "\xff", "layout:\x00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ledger.ParseAccount(text)
		if err != nil {
			return
		}
		if !a.Valid() || a.String() != text {
			t.Errorf("%q was read as %v, which is written %q", text, a, a.String())
		}
	})
}
