package packed_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	_ "trey/internal/steady"
	"trey/internal/store/packed"
)

func TestWhatIsPackedIsUnpacked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOf(rapid.Byte()).Draw(t, "text")
		kept := packed.Pack([]byte("before"), text)
		got, err := packed.Unpack([]byte("there"), kept[len("before"):])
		if err != nil || !bytes.Equal(got, append([]byte("there"), text...)) {
			t.Fatalf("%q became %q, %v", text, got, err)
		}
	})
}

// What was packed stays readable: no dictionary ever changes, nor what can be read.
func TestOldLinesAreUnpacked(t *testing.T) {
	for _, dictionary := range []string{"1", "2"} {
		want, err := os.ReadFile(filepath.Join("testdata", dictionary+".json"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := packed.Unpack(nil, old(t, dictionary))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("dictionary %s: got %q, %v", dictionary, got, err)
		}
	}
}

// old is a line that was packed when a dictionary was made.
func old(t testing.TB, dictionary string) []byte {
	kept, err := os.ReadFile(filepath.Join("testdata", dictionary+".packed"))
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

func FuzzUnpack(f *testing.F) {
	f.Add(old(f, "1"))
	f.Add(old(f, "2"))
	f.Add(packed.Pack(nil, bytes.Repeat([]byte("0"), 1<<20)))
	f.Fuzz(func(t *testing.T, kept []byte) {
		text, err := packed.Unpack(nil, kept)
		if err != nil {
			if !errors.Is(err, packed.ErrDamaged) {
				t.Errorf("%v", err)
			}
			return
		}
		if again, err := packed.Unpack(nil, packed.Pack(nil, text)); err != nil || !bytes.Equal(again, text) {
			t.Errorf("%q is read again as %q, %v", text, again, err)
		}
	})
}
