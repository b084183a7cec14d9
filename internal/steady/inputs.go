package steady

import (
	"flag"
	"strconv"
	"testing"
)

// Inputs has the properties of a test that runs alone try so many inputs, unless somebody asked for
// a number: fewer where each takes long, more where few do not come to what is rare. With -short
// rapid would try a fifth of them, which of fewer than five is none.
func Inputs(t testing.TB, number int) {
	t.Helper()
	f := flag.Lookup("rapid.checks")
	if f.Value.String() != f.DefValue {
		return
	}
	set := func(n string) {
		if err := f.Value.Set(n); err != nil {
			t.Fatal(err)
		}
	}
	if testing.Short() {
		number = max(number, 5)
	}
	set(strconv.Itoa(number))
	t.Cleanup(func() { set(f.DefValue) })
}
