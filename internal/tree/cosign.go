package tree

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A cosignature says that a witness saw a tree at a time, consistent with all that it
// saw of it before (c2sp.org/tlog-cosignature, with Ed25519).

// cosignatureKind is the first byte of the encoded key of a witness.
const cosignatureKind = 4

// Cosigner is a witness's key.
type Cosigner struct {
	verifier *CosignatureVerifier
	key      ed25519.PrivateKey
}

// privateMark begins the line of a private key, as those of signed notes do.
const privateMark = "PRIVATE+KEY+"

// NewCosigner returns the key of a witness, from a name and 32 bytes drawn by chance.
func NewCosigner(name string, seed []byte) (*Cosigner, error) {
	if len(seed) != ed25519.SeedSize {
		return nil, errCosigner
	}
	if !isCosignerName(name) {
		return nil, fmt.Errorf("%q cannot be the name of a witness: write one of printable characters without spaces and without +, such as witness.example/w1", name)
	}
	key := ed25519.NewKeyFromSeed(seed)
	v, err := newCosignatureVerifier(name, key.Public().(ed25519.PublicKey))
	return &Cosigner{verifier: v, key: key}, err
}

// isCosignerName reports whether a key of a witness can have the name.
func isCosignerName(name string) bool {
	return name != "" && utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool {
		return r == '+' || unicode.IsSpace(r) || !unicode.IsPrint(r)
	})
}

// ParseCosigner reads a line as [Cosigner.Private] writes it.
func ParseCosigner(line string) (*Cosigner, error) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), privateMark)
	name, number, key, err := keyLine(rest)
	if !ok || err != nil {
		return nil, errCosigner
	}
	c, err := NewCosigner(name, key)
	if err == nil && c.verifier.number != number {
		err = errCosigner
	}
	return c, err
}

// Private returns the key as a line, which is for its owner alone.
func (c *Cosigner) Private() string {
	return privateMark + encodeKey(c.verifier.name, c.verifier.number, c.key.Seed()) + "\n"
}

// Verifier returns the verifier of the witness's cosignatures.
func (c *Cosigner) Verifier() *CosignatureVerifier { return c.verifier }

// Cosign returns the line of a note by which the witness says that it saw the tree of
// a checkpoint at a time, in seconds of the Unix clock. The text is that of the
// checkpoint, without signatures.
func (c *Cosigner) Cosign(text string, atS int64) string {
	signature := binary.BigEndian.AppendUint32(nil, c.verifier.number)
	signature = binary.BigEndian.AppendUint64(signature, uint64(atS))
	signature = append(signature, ed25519.Sign(c.key, cosigned(text, atS))...)
	return "\u2014 " + c.verifier.name + " " + base64.StdEncoding.EncodeToString(signature) + "\n"
}

// cosigned returns the text that a witness signs.
func cosigned(text string, atS int64) []byte {
	return fmt.Appendf(nil, "cosignature/v1\ntime %d\n%s", atS, text)
}

// CosignatureVerifier verifies the cosignatures of a witness. It is a note.Verifier.
type CosignatureVerifier struct {
	name   string
	number uint32
	key    ed25519.PublicKey
}

var errCosigner = errors.New("it is not the key of a witness: name, number and key, with a + between them")

func newCosignatureVerifier(name string, key ed25519.PublicKey) (*CosignatureVerifier, error) {
	if !isCosignerName(name) || len(key) != ed25519.PublicKeySize {
		return nil, errCosigner
	}
	sum := sha256.Sum256(append([]byte(name+"\n"+string(rune(cosignatureKind))), key...))
	return &CosignatureVerifier{name: name, number: binary.BigEndian.Uint32(sum[:4]), key: key}, nil
}

// ParseCosignatureVerifier reads a line as [CosignatureVerifier.String] writes it.
func ParseCosignatureVerifier(line string) (*CosignatureVerifier, error) {
	name, number, key, err := keyLine(strings.TrimSpace(line))
	if err != nil {
		return nil, err
	}
	v, err := newCosignatureVerifier(name, key)
	if err == nil && v.number != number {
		err = errCosigner
	}
	return v, err
}

// keyLine reads name, number and key of a line.
func keyLine(line string) (name string, number uint32, key []byte, err error) {
	parts := strings.SplitN(line, "+", 3)
	if len(parts) != 3 {
		return "", 0, nil, errCosigner
	}
	n, errNumber := strconv.ParseUint(parts[1], 16, 32)
	key, errKey := base64.StdEncoding.DecodeString(parts[2])
	if errNumber != nil || errKey != nil || len(parts[1]) != 8 || len(key) == 0 || key[0] != cosignatureKind {
		return "", 0, nil, errCosigner
	}
	return parts[0], uint32(n), key[1:], nil
}

func encodeKey(name string, number uint32, key []byte) string {
	return fmt.Sprintf("%s+%08x+%s", name, number, base64.StdEncoding.EncodeToString(append([]byte{cosignatureKind}, key...)))
}

// String returns the key as a line: name, number and key.
func (v *CosignatureVerifier) String() string { return encodeKey(v.name, v.number, v.key) }

// Name returns the witness's name.
func (v *CosignatureVerifier) Name() string { return v.name }

// KeyHash returns the number of the key.
func (v *CosignatureVerifier) KeyHash() uint32 { return v.number }

// Verify reports whether a cosignature is the witness's.
func (v *CosignatureVerifier) Verify(text, signature []byte) bool {
	atS, ok := cosignatureTime(signature)
	return ok && ed25519.Verify(v.key, cosigned(string(text), atS), signature[8:])
}

// cosignatureTime returns when a cosignature was made.
func cosignatureTime(signature []byte) (atS int64, ok bool) {
	if len(signature) != 8+ed25519.SignatureSize {
		return 0, false
	}
	atS = int64(binary.BigEndian.Uint64(signature))
	return atS, atS > 0
}

// CosignatureTime returns when the cosignature of a line of a note was made, in seconds
// of the Unix clock; encoded is the last word of the line.
func CosignatureTime(encoded string) (atS int64, ok bool) {
	signature, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(signature) < 4 {
		return 0, false
	}
	return cosignatureTime(signature[4:])
}
