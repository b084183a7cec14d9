package sealing_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"trey/internal/house/fair"
	"trey/internal/house/sealing"
	"trey/internal/shuffle"
)

func keys(t testing.TB) *sealing.Keys {
	t.Helper()
	k, err := sealing.New()
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// What is sealed opens for its table and round, and for no other.
func TestSealAndOpen(t *testing.T) {
	k, seed := keys(t), shuffle.Fresh()
	sealed, err := k.Seal("A", 7, seed)
	if err != nil {
		t.Fatal(err)
	}
	if sealed.Round != 7 || sealed.Key != k.Names()[0] || sealed.Seed != (shuffle.Seed{}) ||
		strings.Contains(sealed.Cipher, hex.EncodeToString(seed[:])) {
		t.Errorf("sealed is %+v", sealed)
	}
	if again, err := k.Open("A", sealed); err != nil || again != seed {
		t.Errorf("opened is %v, %v", again, err)
	}
	if second, err := k.Seal("A", 7, seed); err != nil || second.Cipher == sealed.Cipher {
		t.Errorf("sealed twice it is the same: %v", err)
	}
	for name, alter := range map[string]func(*fair.Sealed) string{
		"another table": func(*fair.Sealed) string { return "B" },
		"another round": func(s *fair.Sealed) string { s.Round++; return "A" },
		"another text":  func(s *fair.Sealed) string { s.Cipher = "A" + s.Cipher[1:]; return "A" },
		"a shorter one": func(s *fair.Sealed) string { s.Cipher = s.Cipher[:8]; return "A" },
		"none":          func(s *fair.Sealed) string { s.Cipher = ""; return "A" },
		"no base64":     func(s *fair.Sealed) string { s.Cipher = "?" + s.Cipher[1:]; return "A" },
	} {
		other := sealed
		for sealed.Cipher[0] == 'A' { // so that the altered one differs
			if sealed, err = k.Seal("A", 7, seed); err != nil {
				t.Fatal(err)
			}
			other = sealed
		}
		if _, err := k.Open(alter(&other), other); !errors.Is(err, sealing.ErrAltered) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := keys(t).Open("A", sealed); !errors.Is(err, fair.ErrNoKey) || !strings.Contains(err.Error(), sealed.Key) {
		t.Errorf("another key: %v", err)
	}
}

// A rotated set seals with its new key and opens what the older ones have sealed; so
// does its file.
func TestRotation(t *testing.T) {
	old, seed := keys(t), shuffle.Fresh()
	sealed, err := old.Seal("A", 1, seed)
	if err != nil {
		t.Fatal(err)
	}
	rotated, err := old.Rotated()
	if err != nil {
		t.Fatal(err)
	}
	again, err := sealing.Parse(rotated.Text())
	if err != nil {
		t.Fatal(err)
	}
	if len(again.Names()) != 2 || again.Names()[1] != old.Names()[0] || again.Names()[0] == old.Names()[0] || !bytes.Equal(again.Text(), rotated.Text()) {
		t.Errorf("the names are %v", again.Names())
	}
	if got, err := again.Open("A", sealed); err != nil || got != seed {
		t.Errorf("the older key opens %v, %v", got, err)
	}
	fresh, err := again.Seal("A", 2, seed)
	if err != nil || fresh.Key != again.Names()[0] {
		t.Errorf("sealed is %+v, %v", fresh, err)
	}
	if _, err := old.Open("A", fresh); !errors.Is(err, fair.ErrNoKey) {
		t.Errorf("the older set opens what the new key sealed: %v", err)
	}
	ring := sealing.NewRing(old)
	ring.Set(again)
	if got, err := ring.Seal("A", 3, seed); err != nil || got.Key != again.Names()[0] {
		t.Errorf("the ring seals with %s, %v", got.Key, err)
	}
}

func TestWhatIsNoFileOfKeys(t *testing.T) {
	digits := strings.Repeat("0a", 32)
	for name, text := range map[string]string{
		"nothing":       "",
		"comments only": "# keys\n\n",
		"another mark":  "trey-seal-key-2 " + digits,
		"too short":     "trey-seal-key-1 " + digits[2:],
		"capitals":      "trey-seal-key-1 " + strings.ToUpper(digits),
		"twice":         "trey-seal-key-1 " + digits + "\ntrey-seal-key-1 " + digits,
	} {
		_, err := sealing.Parse([]byte(text))
		if !errors.Is(err, sealing.ErrNoKeys) {
			t.Errorf("%s: %v", name, err)
		} else if strings.Contains(strings.ToLower(err.Error()), digits[:20]) {
			t.Errorf("%s: the error repeats a key: %v", name, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("# keys\ntrey-seal-key-1 " + strings.Repeat("0a", 32) + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		k, err := sealing.Parse(text)
		if err != nil {
			return
		}
		again, err := sealing.Parse(k.Text())
		if err != nil || !bytes.Equal(again.Text(), k.Text()) {
			t.Errorf("what is read is not written alike: %v", err)
		}
	})
}
