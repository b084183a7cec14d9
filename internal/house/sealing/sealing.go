// Package sealing encrypts the seeds of rounds that have not ended. A person who reads the
// record of a house, or a copy of it, thus does not learn a card to come.
//
// A set of [Keys] is a file of its own, which lies apart from the record. Its first
// key seals; all of them open what they have sealed. The cipher is XChaCha20-Poly1305,
// and what is sealed is bound to its table and round. The package opens no file.
package sealing

import (
	"bytes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	chacha "math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/crypto/chacha20poly1305"

	"trey/internal/house/fair"
	"trey/internal/shuffle"
)

// Keys is a set of keys. It does not change.
type Keys struct {
	all    []key
	random io.Reader
}

type key struct {
	secret [chacha20poly1305.KeySize]byte
	name   string
	aead   cipher.AEAD
}

// The errors of the package, beside [fair.ErrNoKey].
var (
	// ErrNoKeys is wrapped where a text is not a file of keys.
	ErrNoKeys = errors.New("not a file of seal keys")
	// ErrAltered: the key is there, and it did not seal this for this table and round.
	ErrAltered = errors.New("the sealed seed was altered, or is of another table or round")
)

func newKey(secret [chacha20poly1305.KeySize]byte) key {
	aead, err := chacha20poly1305.NewX(secret[:])
	if err != nil {
		panic(err) // which is only for secrets of another length
	}
	sum := sha256.Sum256(append([]byte("trey seal key 1\n"), secret[:]...))
	return key{secret, hex.EncodeToString(sum[:8]), aead}
}

// New returns a set with one new key.
func New() (*Keys, error) { return (&Keys{random: rand.Reader}).Rotated() }

// Numbered returns a key that follows from a number, for houses that are to be
// repeated. Whoever knows the number opens everything that it seals.
func Numbered(n uint64) *Keys {
	keys, err := (&Keys{random: &numbered{source: chacha.NewChaCha8(shuffle.Numbered(n)())}}).Rotated()
	if err != nil {
		panic(err) // the source has no end
	}
	return keys
}

// numbered is a source that many may read at once.
type numbered struct {
	sync.Mutex
	source *chacha.ChaCha8
}

func (n *numbered) Read(p []byte) (int, error) {
	n.Lock()
	defer n.Unlock()
	return n.source.Read(p)
}

// Rotated returns the set with a new key in front, which seals from now on. The
// others stay, for what they have sealed.
func (k *Keys) Rotated() (*Keys, error) {
	var secret [chacha20poly1305.KeySize]byte
	if _, err := io.ReadFull(k.random, secret[:]); err != nil {
		return nil, fmt.Errorf("a seal key cannot be drawn: %w", err)
	}
	return &Keys{append([]key{newKey(secret)}, k.all...), k.random}, nil
}

// Names lists the names of the keys, the sealing one first. A name tells nothing of
// its key.
func (k *Keys) Names() []string {
	names := make([]string, len(k.all))
	for i := range k.all {
		names[i] = k.all[i].name
	}
	return names
}

// Seal encrypts the seed of a round.
func (k *Keys) Seal(table string, round int, seed shuffle.Seed) (fair.Sealed, error) {
	with := &k.all[0]
	nonce := make([]byte, chacha20poly1305.NonceSizeX, chacha20poly1305.NonceSizeX+len(seed)+chacha20poly1305.Overhead)
	if _, err := io.ReadFull(k.random, nonce); err != nil {
		return fair.Sealed{}, fmt.Errorf("a seed cannot be sealed: %w", err)
	}
	text := with.aead.Seal(nonce, nonce, seed[:], place(table, round))
	return fair.Sealed{Round: round, Key: with.name, Cipher: base64.StdEncoding.EncodeToString(text)}, nil
}

// Open decrypts a sealed seed. An error wraps [fair.ErrNoKey] if its key is not in the
// set, and otherwise [ErrAltered].
func (k *Keys) Open(table string, sealed fair.Sealed) (seed shuffle.Seed, err error) {
	for i := range k.all {
		with := &k.all[i]
		if with.name != sealed.Key {
			continue
		}
		text, err := base64.StdEncoding.Strict().DecodeString(sealed.Cipher)
		if err != nil || len(text) < chacha20poly1305.NonceSizeX {
			return shuffle.Seed{}, ErrAltered
		}
		nonce, text := text[:chacha20poly1305.NonceSizeX], text[chacha20poly1305.NonceSizeX:]
		plain, err := with.aead.Open(nil, nonce, text, place(table, sealed.Round))
		if err != nil || len(plain) != len(seed) {
			return shuffle.Seed{}, ErrAltered
		}
		return shuffle.Seed(plain), nil
	}
	return shuffle.Seed{}, fmt.Errorf("%w: it is called %s, and there are %s", fair.ErrNoKey, sealed.Key, strings.Join(k.Names(), ", "))
}

// place returns the table and round to which a sealed seed is bound.
func place(table string, round int) []byte {
	return fmt.Appendf(nil, "trey sealed seed 1\nround %d\ntable %s\n", round, table)
}

// mark begins the line of a key.
const mark = "trey-seal-key-1 "

// head explains a file of keys to whoever opens it.
const head = `# The keys that seal the seeds of rounds in play (docs/house.md, "The seal keys").
# The first seals; the others open what they have sealed. Keep this file apart from
# the record and its copies, and show it to nobody: with both, cards are known early.
`

// Text returns the file of the keys, which Parse reads.
func (k *Keys) Text() []byte {
	text := []byte(head)
	for i := range k.all {
		text = append(text, mark...)
		text = append(hex.AppendEncode(text, k.all[i].secret[:]), '\n')
	}
	return text
}

// Parse reads a file of keys: one a line, beside empty lines and comments after #.
// An error wraps [ErrNoKeys] and repeats nothing of the text, which may be a secret.
func Parse(text []byte) (*Keys, error) {
	keys := &Keys{random: rand.Reader}
	seen := map[string]bool{}
	n := 0
	for line := range bytes.Lines(text) {
		n++
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		digits, ok := bytes.CutPrefix(line, []byte(mark))
		var secret shuffle.Seed // of the same form: 64 hexadecimal digits
		if !ok || secret.UnmarshalText(digits) != nil {
			return nil, fmt.Errorf("%w: line %d is not %q and 64 digits from 0 to 9 and a to f", ErrNoKeys, n, strings.TrimSpace(mark))
		}
		one := newKey(secret)
		if seen[one.name] {
			return nil, fmt.Errorf("%w: line %d has the key %s a second time", ErrNoKeys, n, one.name)
		}
		seen[one.name] = true
		keys.all = append(keys.all, one)
	}
	if len(keys.all) == 0 {
		return nil, fmt.Errorf("%w: there is no key in it", ErrNoKeys)
	}
	return keys, nil
}

// Ring holds the set that is in use, which can be exchanged under play. Its methods
// are safe for use by many goroutines.
type Ring struct{ keys atomic.Pointer[Keys] }

// NewRing returns a ring with a set.
func NewRing(keys *Keys) *Ring {
	r := &Ring{}
	r.keys.Store(keys)
	return r
}

// Keys returns the set that is in use.
func (r *Ring) Keys() *Keys { return r.keys.Load() }

// Set puts another set into use.
func (r *Ring) Set(keys *Keys) { r.keys.Store(keys) }

// Seal seals as [Keys.Seal] does, with the set in use.
func (r *Ring) Seal(table string, round int, seed shuffle.Seed) (fair.Sealed, error) {
	return r.Keys().Seal(table, round, seed)
}

// Open opens as [Keys.Open] does, with the set in use.
func (r *Ring) Open(table string, sealed fair.Sealed) (shuffle.Seed, error) {
	return r.Keys().Open(table, sealed)
}
