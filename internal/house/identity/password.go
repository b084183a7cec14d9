package identity

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"trey/sentence"
)

// Cost is the work of one hash of a password: paid by us once at each login, and by an attacker
// at each guess.
type Cost struct {
	MemoryKiB uint32
	Passes    uint32
	Lanes     uint8
}

// work returns the price of a guess, in KiB times passes.
func (c Cost) work() uint64 { return uint64(c.MemoryKiB) * uint64(c.Passes) }

// StandardCost is the first choice of the OWASP Password Storage Cheat Sheet for
// argon2id: 19 MiB, two passes, one lane.
var StandardCost = Cost{MemoryKiB: 19 * 1024, Passes: 2, Lanes: 1}

// The bounds within which a hash made elsewhere is taken. Below the least, which
// is that of the cheat sheet, guessing is too cheap; above the most, one login
// would take the memory of a thousand.
const (
	leastWork     = 7 * 1024 * 5 // KiB times passes
	mostMemoryKiB = 256 * 1024
	mostPasses    = 16
	mostLanes     = 16
	saltBytes     = 16
	hashBytes     = 32
)

// The lengths of a password, of characters at least and of bytes at most.
const (
	minPassword = 12
	maxPassword = 1024
)

// CheckPassword refuses a password that is too easily guessed, or too long, with
// an error that wraps [ErrInvalid].
func CheckPassword(name, password string) error {
	switch {
	case !utf8.ValidString(password) || len(password) > maxPassword:
		return sentence.Errorf("%s: a password is text of at most %d bytes", ErrInvalid, maxPassword)
	case utf8.RuneCountInString(password) < minPassword:
		return sentence.Errorf("%s: a password has at least %d characters: a few words are easy to remember and hard to guess", ErrInvalid, minPassword)
	case strings.Trim(password, string([]rune(password)[0])) == "":
		return sentence.Errorf("%s: a password is more than one character many times", ErrInvalid)
	case len(name) >= 3 && strings.Contains(strings.ToLower(password), strings.ToLower(name)):
		return sentence.Errorf("%s: a password does not contain the name it belongs to", ErrInvalid)
	}
	return nil
}

// HashPassword hashes a password with salt from random, for a file or for
// keeping.
func HashPassword(password string, cost Cost, random io.Reader) (string, error) {
	salt := make([]byte, saltBytes)
	if _, err := io.ReadFull(random, salt); err != nil {
		return "", fmt.Errorf("no randomness for a password's salt: %w", err)
	}
	sum := argon2.IDKey([]byte(password), salt, cost.Passes, cost.MemoryKiB, cost.Lanes, hashBytes)
	return hashed{cost, salt, sum}.String(), nil
}

// CheckHash refuses a text that is no hash of a password as [HashPassword] writes it, or one
// that is too weak or too costly. Its error wraps [ErrInvalid].
func CheckHash(text string) error {
	h, err := parseHash(text)
	if err != nil {
		return err
	}
	// Where our own hashes take less, as in tests, no more is asked of another's.
	if h.cost.work() < min(leastWork, StandardCost.work()) {
		return fmt.Errorf("%w: this hash is made with m=%d,t=%d and too easily guessed: make it with trey password", ErrInvalid, h.cost.MemoryKiB, h.cost.Passes)
	}
	return nil
}

// hashed is a password's hash in its parts.
type hashed struct {
	cost      Cost
	salt, sum []byte
}

// String writes the form that all implementations of argon2 share.
func (h hashed) String() string {
	return fmt.Sprintf(
		"$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, h.cost.MemoryKiB, h.cost.Passes, h.cost.Lanes,
		base64.RawStdEncoding.EncodeToString(h.salt), base64.RawStdEncoding.EncodeToString(h.sum),
	)
}

var errHash = fmt.Errorf("%w: this is not the hash of a password: make one with trey password, and copy the whole line from $argon2id$", ErrInvalid)

func parseHash(text string) (h hashed, err error) {
	fields := strings.Split(text, "$")
	if len(fields) != 6 {
		return h, errHash
	}
	if _, err := fmt.Sscanf(fields[3], "m=%d,t=%d,p=%d", &h.cost.MemoryKiB, &h.cost.Passes, &h.cost.Lanes); err != nil {
		return h, errHash
	}
	var bad [2]error
	h.salt, bad[0] = base64.RawStdEncoding.Strict().DecodeString(fields[4])
	h.sum, bad[1] = base64.RawStdEncoding.Strict().DecodeString(fields[5])
	if errors.Join(bad[:]...) != nil || len(h.salt) < 8 || len(h.salt) > 64 || len(h.sum) < 16 || len(h.sum) > 64 || h.String() != text {
		return h, errHash
	}
	if c := h.cost; c.MemoryKiB > mostMemoryKiB || c.Passes == 0 || c.Passes > mostPasses || c.Lanes == 0 || c.Lanes > mostLanes {
		return h, fmt.Errorf("%w: this hash is made with m=%d,t=%d,p=%d, and the most is m=%d,t=%d,p=%d", ErrInvalid, c.MemoryKiB, c.Passes, c.Lanes, mostMemoryKiB, mostPasses, mostLanes)
	}
	return h, nil
}

// hasher hashes few passwords at a time. Each takes megabytes and a processor, and many at once
// would be the easiest way to overload the house.
type hasher struct {
	*queue
	cost   Cost
	random io.Reader
	// nobody is a hash that no password has, for names that there are not.
	nobody hashed
}

func newHasher(cost Cost, random io.Reader) (*hasher, error) {
	// Half of the processors are left to those who play.
	h := &hasher{queue: newQueue(max(1, runtime.GOMAXPROCS(0)/2)), cost: cost, random: random}
	h.nobody = hashed{cost: cost, salt: make([]byte, saltBytes), sum: make([]byte, hashBytes)}
	for _, b := range [][]byte{h.nobody.salt, h.nobody.sum} {
		if _, err := io.ReadFull(random, b); err != nil {
			return nil, fmt.Errorf("no randomness: %w", err)
		}
	}
	return h, nil
}

// hash hashes a password for somebody in a session.
func (h *hasher) hash(ctx context.Context, by, password string) (string, error) {
	done, err := h.turn(ctx, inSession(by))
	if err != nil {
		return "", err
	}
	defer done()
	return HashPassword(password, h.cost, h.random)
}

// inSession returns the asker for a person who is signed in.
func inSession(name string) asker { return asker{keys: []string{"session of " + name}, known: true} }

// matches reports whether a password has a hash; empty is the hash of nobody,
// which takes as long and matches nothing.
func (h *hasher) matches(ctx context.Context, of asker, password, hash string) (bool, error) {
	stored := h.nobody
	if hash != "" {
		var err error
		if stored, err = parseHash(hash); err != nil {
			return false, err
		}
	}
	if len(password) > maxPassword {
		password = password[:maxPassword] // It is refused when set, so it matches nothing.
		stored = h.nobody
	}
	done, err := h.turn(ctx, of)
	if err != nil {
		return false, err
	}
	defer done()
	sum := argon2.IDKey([]byte(password), stored.salt, stored.cost.Passes, stored.cost.MemoryKiB, stored.cost.Lanes, uint32(len(stored.sum)))
	return subtle.ConstantTimeCompare(sum, stored.sum) == 1 && hash != "", nil
}
