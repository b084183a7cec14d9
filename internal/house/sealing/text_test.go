package sealing_test

import (
	"errors"
	"strings"
	"testing"

	"trey/internal/house/fair"
	"trey/internal/house/sealing"
)

// A sealed secret opens about what it was sealed, with its key, and nowhere else.
func TestSealText(t *testing.T) {
	k := keys(t)
	sealed, err := k.SealText("ann", []byte("the secret"))
	if err != nil || strings.Contains(sealed, "secret") || !strings.HasPrefix(sealed, k.Names()[0]+":") {
		t.Fatalf("sealed is %q, %v", sealed, err)
	}
	rotated, err := k.Rotated()
	if err != nil {
		t.Fatal(err)
	}
	for _, with := range []*sealing.Keys{k, rotated} {
		if got, err := with.OpenText("ann", sealed); err != nil || string(got) != "the secret" {
			t.Errorf("opened is %q, %v", got, err)
		}
	}
	if _, err := keys(t).OpenText("ann", sealed); !errors.Is(err, fair.ErrNoKey) {
		t.Errorf("another key: %v", err)
	}
	for what, text := range map[string]string{"about another": sealed, "cut": sealed[:len(sealed)-4], "empty": k.Names()[0] + ":", "no base64": k.Names()[0] + ":?"} {
		about := "ann"
		if text == sealed {
			about = "ben"
		}
		if got, err := k.OpenText(about, text); !errors.Is(err, sealing.ErrAltered) {
			t.Errorf("%s: %q, %v", what, got, err)
		}
	}
}
