package tree

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
)

// The key and the cosignature were worked out apart from this program, by the text of
// the specification and another implementation of Ed25519 (openssl pkeyutl): the seed
// is 32 bytes of 7, the name witness.example/w1, the time 1679315147.
const (
	knownLine     = "\u2014 witness.example/w1 qkoJ0QAAAABkGFDLWr4Jea05CAgwNVtwky0Jgz6WfX0QJgM//FkB/W9BoT9TX0DkTxG+2cT4p/ViKNhUM/SnUwFcYQzugGFQ15LwDw==\n"
	knownVerifier = "witness.example/w1+aa4a09d1+BOpKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs"
)

func TestCosignature(t *testing.T) {
	c, err := NewCosigner("witness.example/w1", bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	const text = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
	line := c.Cosign(text, 1679315147)
	if want := knownLine; line != want {
		t.Errorf("the cosignature is %q, want %q", line, want)
	}
	if got := c.Verifier().String(); got != knownVerifier {
		t.Errorf("the verifier is %q, want %q", got, knownVerifier)
	}
	opened, err := note.Open([]byte(text+"\n"+line), note.VerifierList(c.Verifier()))
	if err != nil || len(opened.Sigs) != 1 {
		t.Fatalf("the note opens with %v, %v", opened, err)
	}
	if at, ok := CosignatureTime(opened.Sigs[0].Base64); !ok || at != 1679315147 {
		t.Errorf("it was made at %d, %t", at, ok)
	}
	for what, altered := range map[string]string{
		"size": strings.Replace(text, "20852163", "20852164", 1) + "\n" + line,
		"time": text + "\n" + c.Cosign(text, 1679315148)[:40] + line[40:],
	} {
		if _, err := note.Open([]byte(altered), note.VerifierList(c.Verifier())); err == nil {
			t.Errorf("another %s is verified", what)
		}
	}
	other, err := NewCosigner("witness.example/w1", bytes.Repeat([]byte{8}, 32))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := note.Open([]byte(text+"\n"+line), note.VerifierList(other.Verifier())); err == nil {
		t.Error("another witness's key verifies it")
	}
	// Keys come back from their lines, and others do not.
	again, err := ParseCosigner(c.Private())
	if err != nil || again.Cosign(text, 9) != c.Cosign(text, 9) {
		t.Errorf("the private key comes back as %v, %v", again, err)
	}
	if v, err := ParseCosignatureVerifier(knownVerifier + "\n"); err != nil || v.String() != knownVerifier {
		t.Errorf("the verifier comes back as %v, %v", v, err)
	}
	for _, bad := range []string{"", "a+b+c", strings.Replace(knownVerifier, "+", "+0", 1), strings.Replace(knownVerifier, "witness", "witless", 1), knownVerifier[:40], c.Private(), " +00000000+BA=="} {
		if _, err := ParseCosignatureVerifier(bad); err == nil {
			t.Errorf("%q is taken for a verifier", bad)
		}
		if _, err := ParseCosigner(bad); err == nil && bad != c.Private() {
			t.Errorf("%q is taken for a key", bad)
		}
	}
}
