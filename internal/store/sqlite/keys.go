package sqlite

import (
	"context"
	"hash/maphash"
	"sync"
)

// keys knows which idempotency keys cannot have been used: nearly every command
// comes with a fresh one, and it should not cost a question to the file. It is a
// Bloom filter, which is wrong to one side only: of a key that was used it never
// says that it was not.
type keys struct {
	seed maphash.Seed

	mu     sync.Mutex
	parts  []*keyBits
	known  int  // in the last part
	loaded bool // all that the file holds is in it
}

// keyBits holds keysPerPart keys, at sixteen bits each.
type keyBits [keysPerPart * 16 / 64]uint64

const (
	keysPerPart = 1 << 18
	// keyProbes is how many bits each key sets. A fresh key finds them all set
	// once in a thousand times, and then the file is asked.
	keyProbes = 6
)

func newKeys() *keys { return &keys{seed: maphash.MakeSeed()} }

// probe returns the i-th bit of a key.
func probe(hash uint64, i uint64) (word, bit uint64) {
	at := (hash>>32 + i*(hash|1)) % (keysPerPart * 16)
	return at / 64, 1 << (at % 64)
}

// add takes in a key.
func (k *keys) add(key string) {
	hash := maphash.String(k.seed, key)
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.parts) == 0 || k.known == keysPerPart {
		k.parts, k.known = append(k.parts, new(keyBits)), 0
	}
	last := k.parts[len(k.parts)-1]
	for i := range uint64(keyProbes) {
		word, bit := probe(hash, i)
		last[word] |= bit
	}
	k.known++
}

// fresh reports whether a key is certain not to have been used.
func (k *keys) fresh(key string) bool {
	hash := maphash.String(k.seed, key)
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.loaded {
		return false
	}
	for _, part := range k.parts {
		if part.has(hash) {
			return false
		}
	}
	return true
}

func (b *keyBits) has(hash uint64) bool {
	for i := range uint64(keyProbes) {
		if word, bit := probe(hash, i); b[word]&bit == 0 {
			return false
		}
	}
	return true
}

// keysPage is how many keys are read at once.
const keysPage = 5000

// loadKeys takes in the keys of the file, while the store already works: those
// that are written meanwhile are added by the writer. Until it has them all, and
// if it cannot read them, every key is looked up.
func (s *Store) loadKeys(ctx context.Context) {
	for last := ""; ; {
		page, err := s.keysAfter(ctx, last)
		if err != nil {
			return
		}
		for _, last = range page {
			s.keys.add(last)
		}
		if len(page) < keysPage {
			break
		}
	}
	s.keys.mu.Lock()
	defer s.keys.mu.Unlock()
	s.keys.loaded = true
}

func (s *Store) keysAfter(ctx context.Context, last string) (page []string, err error) {
	rows, err := s.read.QueryContext(ctx, "SELECT key FROM tx WHERE key > ? ORDER BY key LIMIT ?", last, keysPage)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // Err tells
	for rows.Next() {
		var key string
		if err := rows.Scan(&key); err != nil {
			return nil, err
		}
		page = append(page, key)
	}
	return page, rows.Err()
}
