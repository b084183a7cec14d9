package steady

import (
	"flag"
	"strconv"
	"testing"
)

// Inputs sets the number of inputs that the properties of a test try, unless a flag does. The test
// must run alone. Use fewer if each takes long, and more if few do not reach what is rare. With
// -short rapid would try a fifth of them: of fewer than five, none.
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
