package postgres

import (
	"context"
	"database/sql"
	"sync"

	"trey/internal/house"
	"trey/internal/store/row"
)

// keyFinder finds out which keys were used: by one query for all commands that ask while the
// query before is under way. Nearly none was.
type keyFinder struct {
	db *sql.DB

	mu      sync.Mutex
	next    *keyQuery // nil where nobody waits
	running bool
}

// keyQuery is a query for some keys. What it found is there when done is closed.
type keyQuery struct {
	hashes [][]byte
	done   chan struct{}
	used   map[string]bool
	err    error
}

// used reports whether a key was used. The question is begun after this call.
func (f *keyFinder) used(ctx context.Context, hash []byte) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	f.mu.Lock()
	if f.next == nil {
		f.next = &keyQuery{done: make(chan struct{})}
	}
	q := f.next
	q.hashes = append(q.hashes, hash)
	if !f.running {
		f.running = true
		go f.run()
	}
	f.mu.Unlock()
	select {
	case <-q.done:
		return q.used[string(hash)], q.err
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// run asks until nobody waits.
func (f *keyFinder) run() {
	for {
		f.mu.Lock()
		q := f.next
		f.next, f.running = nil, q != nil
		f.mu.Unlock()
		if q == nil {
			return
		}
		q.used, q.err = f.ask(q.hashes)
		close(q.done)
	}
}

// ask returns which keys were used.
func (f *keyFinder) ask(hashes [][]byte) (map[string]bool, error) {
	rows, err := f.db.QueryContext(context.Background(), "SELECT hash FROM key WHERE hash = ANY($1)", hashes)
	if err != nil {
		return nil, unreachable(err)
	}
	defer rows.Close() //nolint:errcheck // Err tells
	used := map[string]bool{}
	for rows.Next() {
		var hash []byte
		if err := rows.Scan(&hash); err != nil {
			return nil, unreachable(err)
		}
		used[string(hash)] = true
	}
	return used, unreachable(rows.Err())
}

// Find returns what was recorded under a key.
func (s *Store) Find(ctx context.Context, key string) (_ *house.Receipt, err error) {
	defer mean(&err)
	used, err := s.keys.used(ctx, row.KeyHash(key))
	if err != nil {
		return nil, err
	}
	if !used {
		return nil, house.ErrNotFound
	}
	return s.reader.Find(ctx, key)
}
