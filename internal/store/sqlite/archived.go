package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"

	"trey/internal/house"
	"trey/internal/ledger"
	"trey/internal/store/archive"
	"trey/internal/store/row"
	"trey/internal/tree"
	"trey/money"
)

// ArchiveBeside returns the folder of what was archived of a record where nothing else is
// said: beside the record, under its name.
func ArchiveBeside(path string) string { return strings.TrimSuffix(path, ".db") + ".archive" }

// archives are the segments into which transactions of the file were put, and the tiles
// that were read last.
type archives struct {
	// through is the last transaction that the file let go of. Those up to it that are
	// still there, because a start reads them, are copies.
	through  int64
	segments []*archive.Segment

	mu    sync.Mutex
	tiles map[int64][]house.Leaf
	order []int64 // of the tiles, the one that was read last at the end
}

// maxTiles is the number of tiles kept in memory: some 4 MB.
const maxTiles = 16

// openArchives opens the segments that the file names. An error wraps [archive.ErrMissing] where
// one is not in the folder, and [archive.ErrDamaged] where it is another one, or not as long as it
// was: a copy that was cut off is found now, and not by whoever asks for what is lacking.
func (t *treeOf) openArchives(ctx context.Context, from querier, folder string) error {
	a := &t.archives
	a.tiles = map[int64][]house.Leaf{}
	if err := from.QueryRowContext(ctx, "SELECT coalesce(max(through), 0) FROM archived").Scan(&a.through); err != nil {
		return err
	}
	next := int64(1)
	err := eachOf(ctx, from, func(rows *sql.Rows) error {
		var first, last, size int64
		var name string
		if err := rows.Scan(&first, &last, &name, &size); err != nil {
			return err
		}
		path := filepath.Join(folder, name)
		segment, err := archive.Open(path)
		if err != nil {
			return err
		}
		a.segments = append(a.segments, segment)
		if segment.First != first || segment.Last != last {
			return fmt.Errorf("%w: %s holds transactions %d to %d, and those from %d to %d belong there: put the right file back",
				archive.ErrDamaged, path, segment.First, segment.Last, first, last)
		}
		if first != next {
			return fmt.Errorf("%w: %s holds transactions %d to %d, and %d comes next in the archive", house.ErrCorrupt, path, first, last, next)
		}
		next = last + 1
		return segment.CheckWhole(t.origin, size)
	}, "SELECT first, last, name, (SELECT coalesce(max(start + size), 0) FROM frame WHERE tile >= first / ?1 AND tile <= last / ?1) FROM segment ORDER BY first", tree.Width)
	if err != nil {
		err = errors.Join(err, a.close())
	}
	return err
}

func (a *archives) close() (err error) {
	for _, segment := range a.segments {
		err = errors.Join(err, segment.Close())
	}
	a.segments = nil
	return err
}

// ArchivedThrough returns the last transaction that the file has let go of, zero for none.
func (s *Store) ArchivedThrough() int64 { return s.tree.archives.through }

// tile returns the transactions of a tile that was archived, as the tree proves them.
func (t *treeOf) tile(ctx context.Context, from querier, n int64) ([]house.Leaf, error) {
	a := &t.archives
	a.mu.Lock()
	found, known := a.tiles[n]
	a.mu.Unlock()
	if known {
		return found, nil
	}
	var frame archive.Frame
	if err := from.QueryRowContext(ctx, "SELECT tile, start, size FROM frame WHERE tile <= ? ORDER BY tile DESC LIMIT 1", n).Scan(&frame.Tile, &frame.Start, &frame.Size); err != nil {
		return nil, lacking(err, "where tile %d was archived is not known", n)
	}
	at := sort.Search(len(a.segments), func(i int) bool { return a.segments[i].Last >= lastOf(n) })
	if at == len(a.segments) {
		return nil, fmt.Errorf("%w: tile %d is in no segment of the archive", house.ErrCorrupt, n)
	}
	leaves, err := a.segments[at].Tile(frame, n)
	if err != nil {
		return nil, err
	}
	kept, err := t.nodes(ctx, from, 1, n, 1)
	if err != nil {
		return nil, err
	}
	if archive.Hash(t.origin, leaves) != kept[0] {
		return nil, a.segments[at].Altered(n)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, known := a.tiles[n]; !known {
		if len(a.order) == maxTiles {
			delete(a.tiles, a.order[0])
			a.order = a.order[1:]
		}
		a.tiles[n], a.order = leaves, append(a.order, n)
	}
	return leaves, nil
}

// tileOf returns the tile in which a transaction lies, and lastOf the last one in a tile.
func tileOf(seq int64) int64  { return seq / tree.Width }
func lastOf(tile int64) int64 { return (tile+1)*tree.Width - 1 }

// archivedLeaves hands out transactions that were archived, those from one number to
// another, in order.
func (t *treeOf) archivedLeaves(ctx context.Context, from querier, first, last int64, yield func(*house.Leaf) error) error {
	first, last = max(first, 1), min(last, t.archives.through)
	for n := tileOf(first); first <= last && n <= tileOf(last); n++ {
		leaves, err := t.tile(ctx, from, n)
		if err != nil {
			return err
		}
		if err := within(leaves, first, last, yield); err != nil {
			return err
		}
	}
	return nil
}

// within hands out those of a tile from one number to another.
func within(leaves []house.Leaf, first, last int64, yield func(*house.Leaf) error) error {
	for i := range leaves {
		if seq := leaves[i].Seq; seq >= first && seq <= last {
			if err := yield(&leaves[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// tilesPage is the number of tiles looked up at once: no query waits while one is read.
const tilesPage = 64

// streamLeaves hands out transactions that were archived and concern a stream, those from
// one number to another, in order.
func (s *Store) streamLeaves(ctx context.Context, stream string, first, last int64, yield func(*house.Leaf) error) error {
	last = min(last, s.tree.archives.through)
	for next := tileOf(max(first, 1)); first <= last && next <= tileOf(last); {
		tiles, err := s.numbers(ctx, "SELECT tile FROM frame_stream WHERE stream = "+streamID+" AND tile >= ? AND tile <= ? ORDER BY tile LIMIT ?", stream, next, tileOf(last), tilesPage)
		if err != nil || len(tiles) == 0 {
			return err
		}
		for _, n := range tiles {
			leaves, err := s.tree.tile(ctx, s.read, n)
			if err != nil {
				return err
			}
			err = within(leaves, first, last, func(leaf *house.Leaf) error {
				if !slices.ContainsFunc(leaf.Line.Parts, func(p house.LinePart) bool { return p.Stream == stream }) {
					return nil
				}
				return yield(leaf)
			})
			if err != nil {
				return err
			}
		}
		next = tiles[len(tiles)-1] + 1
	}
	return nil
}

// numbers returns the numbers that a query asks for.
func (s *Store) numbers(ctx context.Context, query string, args ...any) (all []int64, err error) {
	err = s.each(ctx, func(rows *sql.Rows) error {
		var n int64
		err := rows.Scan(&n)
		all = append(all, n)
		return err
	}, query, args...)
	return all, err
}

// begin returns the first transaction with a part of a stream that is in the file, and how
// many events the stream held before it. All that comes after is there too.
func (s *Store) begin(ctx context.Context, stream string) (seq, after int64, err error) {
	if s.tree.archives.through == 0 {
		return 0, 0, nil
	}
	err = s.read.QueryRowContext(ctx, "SELECT id / 16, after FROM part WHERE stream = "+streamID+" ORDER BY id LIMIT 1", stream).Scan(&seq, &after)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, 0, nil // nobody wrote to it
	}
	return seq, after, meant(err)
}

// readArchived passes on the events of a stream after a version that were archived and are no
// longer in the file. It returns how many events it has passed on or skipped, -1 for none.
func (s *Store) readArchived(ctx context.Context, stream string, after int64, yield func(house.StoredEvent) error) (last int64, err error) {
	last = -1
	seq, held, err := s.begin(ctx, stream)
	if err != nil || after >= held {
		return last, err
	}
	tile, err := s.tileAfter(ctx, stream, after)
	if err != nil {
		return last, err
	}
	err = s.streamLeaves(ctx, stream, tile*tree.Width, seq-1, func(leaf *house.Leaf) error {
		e, err := leaf.Line.Entry(leaf.Seq, leaf.AtMs)
		if err != nil {
			return fmt.Errorf("transaction %d: %w", leaf.Seq, err)
		}
		for i := range e.Parts {
			p := &e.Parts[i]
			if p.Stream != stream {
				continue
			}
			if last < 0 && p.After > after {
				last = after // nothing between may be missing
			}
			if last, err = handOut(&e, p, last, after, yield); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && last < held {
		err = fmt.Errorf("%w: events %d to %d of %s are missing", house.ErrCorrupt, max(last, after)+1, held, stream)
	}
	return last, err
}

// handOut hands out the events of a part that come after a version, and returns how many
// events the stream then has. Unless it is below zero, last is how many it had before.
func handOut(e *house.StoredTransaction, p *house.StreamAppend, last, after int64, yield func(house.StoredEvent) error) (int64, error) {
	if last >= 0 && p.After != last {
		return last, fmt.Errorf("%w: events %d to %d of %s are missing", house.ErrCorrupt, last+1, p.After, p.Stream)
	}
	r := house.StoredEvent{Version: p.After, Seq: e.Seq, AtMs: e.AtMs}
	for _, r.Event = range p.Events {
		if r.Version++; r.Version <= after {
			continue
		}
		if err := yield(r); err != nil {
			return last, err
		}
	}
	return r.Version, nil
}

// tileAfter returns the first tile with events of a stream after a version.
func (s *Store) tileAfter(ctx context.Context, stream string, after int64) (int64, error) {
	tile, err := row.FirstAfter(after, tileOf(s.tree.archives.through), func(from int64) *sql.Row {
		return s.read.QueryRowContext(ctx, "SELECT tile, ends FROM frame_stream WHERE stream = "+streamID+" AND tile >= ? ORDER BY tile LIMIT 1", stream, from)
	})
	return tile, meant(err)
}

// movementsArchived hands out what moved an account in what was archived, the newest first.
func (s *Store) movementsArchived(ctx context.Context, of ledger.Account, before int64, limit int, yield func(house.Movement) error) error {
	before = min(before, s.tree.archives.through+1)
	for limit > 0 && before > 1 {
		type last struct{ tile, balance int64 }
		var page []last
		err := s.each(ctx, func(rows *sql.Rows) error {
			var l last
			err := rows.Scan(&l.tile, &l.balance)
			page = append(page, l)
			return err
		}, "SELECT tile, balance FROM frame_account WHERE account = (SELECT id FROM account WHERE name = ?) AND tile <= ? ORDER BY tile DESC LIMIT ?", of.String(), tileOf(before-1), tilesPage)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, l := range page {
			leaves, err := s.tree.tile(ctx, s.read, l.tile)
			if err != nil {
				return err
			}
			after := money.Amount(l.balance)
			for _, leaf := range slices.Backward(leaves) {
				e, err := leaf.Line.Entry(leaf.Seq, leaf.AtMs)
				if err != nil {
					return fmt.Errorf("transaction %d: %w", leaf.Seq, err)
				}
				m := house.Movement{Seq: e.Seq, AtMs: e.AtMs, After: after, Cause: e.Cause, Postings: house.Touching(of, e.Postings)}
				if m.Delta, err = ledger.Net(of, m.Postings); err != nil {
					return fmt.Errorf("%w: transaction %d: %w", house.ErrCorrupt, e.Seq, err)
				}
				if m.Delta == 0 {
					continue
				}
				after -= m.Delta
				if m.Seq >= before {
					continue
				}
				if err := yield(m); err != nil {
					return err
				}
				if limit--; limit == 0 {
					return nil
				}
			}
		}
		before = page[len(page)-1].tile * tree.Width
	}
	return nil
}

// contents describe the transactions of a tile.
type contents struct {
	// ends is how many events each stream held after it.
	ends map[string]int64
	// accounts are those whose movements are kept, in order, and nets by how much each
	// changed, zero for one that came to what it was.
	accounts []ledger.Account
	nets     map[ledger.Account]money.Amount
}

// contentsOf returns what leaves hold; changed says what each changes of the accounts whose
// movements are kept.
func contentsOf(leaves []house.Leaf, changed func(*house.Leaf) ([]ledger.Change, error)) (*contents, error) {
	about := &contents{ends: map[string]int64{}, nets: map[ledger.Account]money.Amount{}}
	for i := range leaves {
		leaf := &leaves[i]
		for j := range leaf.Line.Parts {
			p := &leaf.Line.Parts[j]
			n, err := p.Count()
			if err != nil {
				return nil, fmt.Errorf("transaction %d: %w", leaf.Seq, err)
			}
			about.ends[p.Stream] = p.After + int64(n)
		}
		changes, err := changed(leaf)
		if err != nil {
			return nil, err
		}
		for _, c := range changes {
			if _, known := about.nets[c.Account]; !known {
				about.accounts = append(about.accounts, c.Account)
			}
			about.nets[c.Account] += c.By
		}
	}
	slices.SortFunc(about.accounts, func(x, y ledger.Account) int { return strings.Compare(x.String(), y.String()) })
	return about, nil
}

// leaf returns a transaction that was archived.
func (t *treeOf) leaf(ctx context.Context, from querier, seq int64) (found *house.Leaf, err error) {
	err = t.archivedLeaves(ctx, from, seq, seq, func(l *house.Leaf) error { found = l; return nil })
	if err == nil && found == nil {
		err = fmt.Errorf("%w: transaction %d is missing", house.ErrCorrupt, seq)
	}
	return found, err
}

// everything is a number that no transaction reaches.
const everything = math.MaxInt64
