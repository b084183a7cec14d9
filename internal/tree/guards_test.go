package tree

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
)

// What is no proof or no checkpoint is not read as one, in whichever place it differs.
func TestWhatIsNoProofIsNotRead(t *testing.T) {
	root := LeafHash([]byte("a leaf"))
	signed := CheckpointText("trey-house/1", Head{Size: 9, Root: root}) + "\n\u2014 trey-house/1 AAAAAKo=\n"
	good := (&Proof{Extra: []byte("more"), Leaf: 7, Hashes: []Hash{root}, Note: signed}).String()
	p, err := ParseProof(good)
	if err != nil || p.Leaf != 7 || len(p.Hashes) != 1 || string(p.Extra) != "more" || p.Note != signed {
		t.Fatalf("%q is read as %+v, %v", good, p, err)
	}
	if name, head, err := p.Checkpoint(); err != nil || name != "trey-house/1" || head != (Head{Size: 9, Root: root}) {
		t.Fatalf("its checkpoint is %s %+v, %v", name, head, err)
	}
	replaced := func(old, with string) string { return strings.Replace(good, old, with, 1) }
	for what, text := range map[string]string{
		"nothing":                "",
		"the type alone":         proofType,
		"another type":           replaced("@v1", "@v2"),
		"extra that is not text": replaced("extra bW9yZQ==", "extra !"),
		"extra and no index":     proofType + "\nextra bW9yZQ==\n\n" + signed,
		"extra of no bytes":      replaced("extra bW9yZQ==\n", "extra \n"),
		"no index":               replaced("index 7", "7"),
		"an index below zero":    replaced("index 7", "index -7"),
		"an index with a sign":   replaced("index 7", "index +7"),
		"an index with a zero":   replaced("index 7", "index 07"),
		"an index of letters":    replaced("index 7", "index x"),
		"half a hash":            replaced(root.String(), root.String()[:20]),
		"a line that is empty":   replaced("index 7\n", "index 7\n\n"),
		// Base64 leaves bits unused at its end: a signature in other bytes that say the same.
		"an unused bit of a signature": replaced("AAAAAKo=", "AAAAAKp="),
		"a signature without its end":  replaced("AAAAAKo=", "AAAAAKo"),
	} {
		if p, err := ParseProof(text); err == nil {
			if _, _, err := p.Checkpoint(); err == nil {
				t.Errorf("%s is read as %+v", what, p)
			}
		}
	}
	checkpoint := CheckpointText("trey-house/1", Head{Size: 9, Root: root})
	for what, text := range map[string]string{
		"nothing":             "",
		"no name":             strings.TrimPrefix(checkpoint, "trey-house/1"),
		"no root":             "trey-house/1\n9\n",
		"no end of a line":    strings.TrimSuffix(checkpoint, "\n"),
		"a size below zero":   strings.Replace(checkpoint, "\n9\n", "\n-9\n", 1),
		"a size with a zero":  strings.Replace(checkpoint, "\n9\n", "\n09\n", 1),
		"a size with a sign":  strings.Replace(checkpoint, "\n9\n", "\n+9\n", 1),
		"a size of letters":   strings.Replace(checkpoint, "\n9\n", "\nnine\n", 1),
		"an empty line":       checkpoint + "\nmore\n",
		"an unused bit":       strings.Replace(checkpoint, root.String(), root.String()[:42]+"B=", 1),
		"a root of few bytes": strings.Replace(checkpoint, root.String(), base64.StdEncoding.EncodeToString([]byte("few")), 1),
	} {
		if head, err := ParseCheckpoint(text); err == nil {
			t.Errorf("%s is read as %+v", what, head)
		}
	}
	for what, text := range map[string]string{
		"nobody signed":                     checkpoint,
		"nobody signed in any line":         checkpoint + "\n",
		"something else follows":            signed + "more",
		"a signature is a name":             strings.Replace(signed, "AAAAAKo=", "", 1),
		"has an empty line":                 strings.Replace(signed, "\n\n", "\n\nmore\n\n", 1),
		"has a signature in other bytes":    strings.Replace(signed, "AAAAAKo=", "AAAAAKp=", 1),
		"has a signature of another length": strings.Replace(signed, "AAAAAKo=", "AAA=", 1),
	} {
		if _, _, err := ParseSigned(text); err == nil {
			t.Errorf("a checkpoint that %s is read", what)
		}
	}
}

// Keys of witnesses are of one length, and their names fit into a line.
func TestWhatIsNoWitnessIsNotMade(t *testing.T) {
	seed := bytes.Repeat([]byte{7}, 32)
	for _, name := range []string{"", "a b", "a+b", "a\tb", "a\nb", "a\rb", "a\x1b[31mb", "a\u202eb", "a\u00a0b", "a\xffb"} {
		if _, err := NewCosigner(name, seed); err == nil {
			t.Errorf("there is a witness %q", name)
		}
	}
	c, err := NewCosigner("w", seed)
	if err != nil {
		t.Fatal(err)
	}
	for what, line := range map[string]string{
		"a key that is not marked as private": strings.TrimPrefix(c.Private(), privateMark),
		"a key with another number":           strings.Replace(c.Private(), encodeKey("w", c.verifier.number, seed), encodeKey("w", c.verifier.number+1, seed), 1),
	} {
		if _, err := ParseCosigner(line); err == nil {
			t.Errorf("%s is read: %s", what, line)
		}
	}
	// A signature is the time and 64 bytes, behind the number of the key.
	for _, length := range []int{0, 3, 4, 12, 75, 77} {
		signature := bytes.Repeat([]byte{1}, length)
		if c.Verifier().Verify([]byte("text"), signature) {
			t.Errorf("%d bytes are a signature", length)
		}
		if atS, ok := CosignatureTime(base64.StdEncoding.EncodeToString(signature)); ok {
			t.Errorf("%d bytes are a signature of the time %d", length, atS)
		}
	}
	if atS, ok := CosignatureTime("!"); ok {
		t.Errorf("what is not base64 is a signature of the time %d", atS)
	}
	for _, length := range []int{0, 31, 33} {
		if _, err := NewCosigner("w", make([]byte, length)); err == nil {
			t.Errorf("there is a key of %d bytes", length)
		}
		line := encodeKey("w", 0, make([]byte, length))
		if v, err := ParseCosignatureVerifier(line); err == nil {
			t.Errorf("%s is read as %v", line, v)
		}
		if _, err := ParseCosigner(privateMark + line); err == nil {
			t.Errorf("%s is read as a key", line)
		}
	}
}

// A tree proves nothing about what lies beyond it, and says nothing of nodes that its store
// cannot read.
func TestWhatTheTreeDoesNotHave(t *testing.T) {
	nodes := Nodes(grow(600).nodes)
	for _, ask := range []struct{ leaf, size int64 }{{-1, 5}, {5, 5}, {0, 0}} {
		if _, err := nodes.Inclusion(ask.leaf, ask.size); !errors.Is(err, ErrBeyond) {
			t.Errorf("leaf %d of %d is proved, %v", ask.leaf, ask.size, err)
		}
	}
	for _, ask := range []struct{ smaller, size int64 }{{0, 5}, {6, 5}, {-1, 5}} {
		if _, err := nodes.Consistency(ask.smaller, ask.size); !errors.Is(err, ErrBeyond) {
			t.Errorf("from %d to %d is proved, %v", ask.smaller, ask.size, err)
		}
	}
	lost := errors.New("the disk is lost")
	broken := Nodes(func(int, int64, int) ([]Hash, error) { return nil, lost })
	for what, ask := range map[string]func() error{
		"an edge":     func() error { _, err := Load(600, broken); return err },
		"a root":      func() error { _, err := broken.At(600); return err },
		"a leaf":      func() error { _, err := broken.Inclusion(3, 600); return err },
		"a beginning": func() error { _, err := broken.Consistency(3, 600); return err },
		"a tile":      func() error { _, err := broken.Tile(0, 0, 600); return err },
	} {
		if err := ask(); !errors.Is(err, lost) {
			t.Errorf("%s of a tree that cannot be read: %v", what, err)
		}
	}
}
