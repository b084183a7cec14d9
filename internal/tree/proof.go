package tree

import (
	"encoding/base64"
	"errors"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// Proof says that a leaf is in a tree that was signed (c2sp.org/tlog-proof).
type Proof struct {
	// Extra is what leads to the leaf beside what the reader has.
	Extra []byte
	Leaf  int64
	// Hashes lead from the leaf to the root, as [Nodes.Inclusion] returns them.
	Hashes []Hash
	// Note is the signed checkpoint with its cosignatures.
	Note string
}

// proofType is the first line of a proof.
const proofType = "c2sp.org/tlog-proof@v1"

// String returns the text of the proof.
func (p *Proof) String() string {
	lines := []string{proofType}
	if len(p.Extra) > 0 {
		lines = append(lines, "extra "+base64.StdEncoding.EncodeToString(p.Extra))
	}
	lines = append(lines, "index "+strconv.FormatInt(p.Leaf, 10))
	for _, h := range p.Hashes {
		lines = append(lines, h.String())
	}
	return strings.Join(lines, "\n") + "\n\n" + p.Note
}

var errNoProof = errors.New("this is not a proof as c2sp.org/tlog-proof describes it")

// ParseProof reads the text of a proof, and nothing that says the same in other bytes.
func ParseProof(text string) (p Proof, err error) {
	head, signed, _ := strings.Cut(text, "\n\n")
	p.Note = signed
	lines := strings.Split(head, "\n")
	if len(lines) < 2 || lines[0] != proofType {
		return Proof{}, errNoProof
	}
	lines = lines[1:]
	if extra, ok := strings.CutPrefix(lines[0], "extra "); ok {
		if p.Extra, err = base64.StdEncoding.DecodeString(extra); err != nil || len(lines) < 2 {
			return Proof{}, errNoProof
		}
		lines = lines[1:]
	}
	index, ok := strings.CutPrefix(lines[0], "index ")
	if p.Leaf, err = strconv.ParseInt(index, 10, 64); err != nil || !ok || p.Leaf < 0 {
		return Proof{}, errNoProof
	}
	for _, line := range lines[1:] {
		h, err := tlog.ParseHash(line)
		if err != nil {
			return Proof{}, errNoProof
		}
		p.Hashes = append(p.Hashes, h)
	}
	if p.String() != text {
		return Proof{}, errNoProof
	}
	return p, nil
}

// strictlySigned reports whether the bits that base64 leaves unused at the end of a signature are
// zero in each line: [golang.org/x/mod/sumdb/note.Open] does not look at them.
func strictlySigned(note string) bool {
	for line := range strings.Lines(note[strings.LastIndex(note, "\n\n")+1:]) {
		signature := line[strings.LastIndexByte(line, ' ')+1:]
		if _, err := base64.StdEncoding.Strict().DecodeString(strings.TrimSuffix(signature, "\n")); err != nil {
			return false
		}
	}
	return true
}

// Checkpoint returns the name of the tree that the note of the proof signs, and what it says of it.
func (p *Proof) Checkpoint() (name string, h Head, err error) {
	return ParseSigned(p.Note)
}
