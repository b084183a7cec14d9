package notary

import (
	"path/filepath"
	"strings"
	"testing"
)

// A statement is read by its key and for its purpose, and nothing that is signed for
// one thing is read as another.
func TestStatement(t *testing.T) {
	r := record("one", "two")
	folder := filepath.Join(t.TempDir(), "keys")
	open(t, folder, record())
	n := open(t, folder, r)
	checkpoint := sign(t, n)
	signed, err := n.SignStatement("significant", "a line\n")
	if err != nil {
		t.Fatal(err)
	}
	name, lines, err := ReadStatement(signed, "significant", n.Verifier())
	if err != nil || name != checkpoint.Name || lines != "a line\n" {
		t.Fatalf("%q is read as %q, %q, %v", signed, name, lines, err)
	}
	stranger := open(t, filepath.Join(t.TempDir(), "keys"), record()).Verifier()
	text, _, _ := strings.Cut(string(checkpoint.Note), "\n\n")
	// The worst that lines can say: what a checkpoint says after its first line.
	_, body, _ := strings.Cut(text, "\n")
	forged, err := n.SignStatement("significant", body+"\n")
	if err != nil {
		t.Fatal(err)
	}
	_, signature, _ := strings.Cut(string(forged), "\n\n")
	ownName := strings.ReplaceAll(signature, "/significant ", " ")
	for what, test := range map[string]struct {
		text, purpose string
		keys          []string
	}{
		"altered":           {strings.Replace(string(signed), "a line", "b line", 1), "significant", []string{n.Verifier()}},
		"another's":         {string(signed), "significant", []string{stranger}},
		"no key":            {string(signed), "significant", nil},
		"what is no key":    {string(signed), "significant", []string{"key"}},
		"another purpose":   {string(signed), "other", []string{n.Verifier()}},
		"a checkpoint":      {string(checkpoint.Note), "significant", []string{n.Verifier()}},
		"under another":     {text + "\n\n" + signature, "significant", []string{n.Verifier()}},
		"with another head": {strings.Replace(string(forged), checkpoint.Name+"/significant\n", checkpoint.Name+"\n", 1), "significant", []string{n.Verifier()}},
	} {
		if name, lines, err := ReadStatement([]byte(test.text), test.purpose, test.keys...); err == nil {
			t.Errorf("%s is read as %q, %q", what, name, lines)
		}
	}
	for what, text := range map[string]string{
		"a statement":                    string(forged),
		"its signature":                  text + "\n\n" + signature,
		"its signature by the tree name": text + "\n\n" + ownName,
		"its text by the tree name":      strings.Replace(string(forged), signature, ownName, 1),
	} {
		if c, err := Read([]byte(text), n.Verifier()); err == nil {
			t.Errorf("%s is read as the checkpoint %+v", what, c)
		}
	}
}

// What is kept beside the key is there again, and nothing is no error.
func TestKeep(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "keys")
	n := open(t, folder, record())
	if text, err := n.Kept("place"); text != nil || err != nil {
		t.Errorf("kept is %q, %v", text, err)
	}
	for _, text := range []string{"one", "two"} {
		if err := n.Keep("place", []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := open(t, folder, record()).Kept("place"); string(text) != "two" || err != nil {
		t.Errorf("kept is %q, %v", text, err)
	}
}
