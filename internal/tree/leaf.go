package tree

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// Hash is a SHA-256 hash of the tree.
type Hash = tlog.Hash

// Salt is random data in a commitment, so that nobody can guess the committed text from
// the hash.
type Salt [32]byte

// DrawnBytes is the number of bytes of a transaction's salt that are drawn, so many that nobody
// can try all. The others are zero, as HMAC fills up a shorter key.
const DrawnBytes = 16

// Kept returns what a record keeps of a transaction's salt: what was drawn of it. The first
// records of houses have salts of which all 32 bytes were drawn.
func (s *Salt) Kept() []byte {
	if [DrawnBytes]byte(s[DrawnBytes:]) == [DrawnBytes]byte{} {
		return s[:DrawnBytes]
	}
	return s[:]
}

// KeptSalt reads what [Salt.Kept] returns, and reports whether it can be that.
func KeptSalt(kept []byte) (s Salt, ok bool) {
	n := copy(s[:], kept)
	return s, n == len(kept) && n == len(s.Kept())
}

// Section is one thing that a transaction recorded, as the bytes that the record
// keeps: its cause, its postings, what it appended to one stream.
type Section struct {
	// Name says which section it is, without a line break.
	Name string
	Text []byte
}

// leafType is the first line of a transaction's leaf.
const leafType = "trey transaction v1"

// sectionType begins what is hashed of a section.
const sectionType = "trey section v1"

// SectionSalt returns the salt of the n-th section of a transaction, counted from 0. It
// follows from the transaction's own salt, and reveals neither that nor another.
func SectionSalt(of Salt, n int) Salt { return newSections(of).salt(n) }

// Commit returns the commitment of a leaf to a section: the SHA-256 of a line that says
// so, the section's salt, a line with its name, and its text.
func Commit(salt Salt, s Section) Hash { return new(sections).commit(salt, s) }

// Commitments returns the commitments to the sections of a transaction, in order.
func Commitments(of Salt, all []Section) []Hash {
	w := newSections(of)
	hashes := make([]Hash, len(all))
	for i, s := range all {
		hashes[i] = w.commit(w.salt(i), s)
	}
	return hashes
}

// sections works on those of a transaction one after the other, in the same memory: every
// command is hashed so.
type sections struct {
	// inner and outer are what HMAC hashes before a message and before the hash of that: the
	// key with each byte turned by another constant (RFC 2104), and room for what follows.
	inner, outer [sha256.BlockSize + sha256.Size]byte
	text         []byte
}

func newSections(of Salt) *sections {
	w := &sections{text: make([]byte, 0, 1024)}
	copy(w.inner[:], of[:])
	copy(w.outer[:], of[:])
	for i := range sha256.BlockSize {
		w.inner[i] ^= 0x36
		w.outer[i] ^= 0x5c
	}
	return w
}

// salt returns the HMAC-SHA256 of the place. It does not use crypto/hmac: a transaction has four
// sections or more, and their salts would take as long there as hashing the sections.
func (w *sections) salt(n int) Salt {
	message := binary.BigEndian.AppendUint64(w.inner[:sha256.BlockSize], uint64(n))
	hashed := sha256.Sum256(message)
	copy(w.outer[sha256.BlockSize:], hashed[:])
	return sha256.Sum256(w.outer[:])
}

func (w *sections) commit(salt Salt, s Section) Hash {
	w.text = append(w.text[:0], sectionType+"\n"...)
	w.text = append(append(append(w.text, salt[:]...), s.Name...), '\n')
	w.text = append(w.text, s.Text...)
	return sha256.Sum256(w.text)
}

// Content returns the commitment of a leaf to all that its transaction recorded: the
// SHA-256 of the commitments one after the other.
func Content(commitments []Hash) (h Hash) {
	sum := sha256.New()
	for i := range commitments {
		sum.Write(commitments[i][:])
	}
	sum.Sum(h[:0])
	return h
}

// Leaf returns the text of a transaction's leaf: its type, its number, its time in
// milliseconds of the Unix clock, and its content in base64, a line each. It is equally
// long whatever the transaction recorded.
func Leaf(seq, atMs int64, content Hash) []byte {
	text := append(make([]byte, 0, 128), leafType+"\n"...)
	text = append(strconv.AppendInt(text, seq, 10), '\n')
	text = append(strconv.AppendInt(text, atMs, 10), '\n')
	return append(base64.StdEncoding.AppendEncode(text, content[:]), '\n')
}

// originType is the first line of leaf 0.
const originType = "trey origin v1"

// continued begins the line of leaf 0 that has the last checkpoint of the tree before.
const continued = "continues "

// Continues reports whether a tree with this leaf 0 goes on from another one.
func Continues(origin []byte) bool { return bytes.Contains(origin, []byte("\n"+continued)) }

// Continued returns the name of the tree from which one with this leaf 0 goes on, empty for none.
func Continued(origin []byte) (name string) {
	_, quoted, _ := bytes.Cut(origin, []byte("\n"+continued))
	text, _ := strconv.Unquote(string(bytes.TrimSuffix(quoted, []byte("\n")))) // what is none is empty
	name, _, _ = strings.Cut(text, "\n")
	return name
}

// Origin returns the text of leaf 0, which begins a house's tree: its type and a random number. If
// the tree goes on from a copy of another, the text ends with the last known checkpoint of that
// one, quoted as Go and JSON quote text.
func Origin(drawn [32]byte, continues string) []byte {
	text := fmt.Appendf(nil, "%s\n%s\n", originType, base64.StdEncoding.EncodeToString(drawn[:]))
	if continues != "" {
		text = append(text, continued+strconv.Quote(continues)+"\n"...)
	}
	return text
}

// Name returns the name of the tree that begins with an origin: "trey-house/" and the
// first 16 bytes of the hash of leaf 0 in hexadecimal digits. So a checkpoint under
// this name can be about no tree with another leaf 0.
func Name(origin []byte) string {
	h := tlog.RecordHash(origin)
	return fmt.Sprintf("trey-house/%x", h[:16])
}
