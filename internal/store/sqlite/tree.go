package sqlite

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"trey/internal/house"
	"trey/internal/ledger"
	"trey/internal/store/archive"
	"trey/internal/store/row"
	"trey/internal/tree"
	"trey/money"
)

// treeOf is the part of the tree that is kept in memory.
type treeOf struct {
	origin   []byte
	archives archives
	head     atomic.Pointer[tree.Head]
}

// show makes known how far the tree goes, when it is durable.
func (t *treeOf) show(edge *tree.Edge) {
	head := edge.Head()
	t.head.Store(&head)
}

// load reads where the tree over the record is to go on.
func (t *treeOf) load(ctx context.Context, from querier, seq int64) (*tree.Edge, error) {
	if err := from.QueryRowContext(ctx, "SELECT leaf FROM origin").Scan(&t.origin); err != nil {
		return nil, lacking(err, "leaf 0 of its tree")
	}
	edge, err := tree.Load(seq+1, func(level int, first int64, count int) ([]tree.Hash, error) {
		return t.nodes(ctx, from, level, first, count)
	})
	if err != nil {
		return nil, err
	}
	t.show(edge)
	return edge, nil
}

// querier is a connection or a pool of them.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// nodes reads hashes of one level of the tree.
func (t *treeOf) nodes(ctx context.Context, from querier, level int, first int64, count int) ([]tree.Hash, error) {
	if level == 0 {
		return row.LeafHashes(t.leafTexts(ctx, from, first, count))
	}
	return row.ReadNodes(rowsOf(ctx, from, "SELECT n, hash FROM node WHERE level = ? AND n >= ? ORDER BY n LIMIT ?", level, first, count), level, first, count)
}

// leafTexts reads the texts of leaves.
func (t *treeOf) leafTexts(ctx context.Context, from querier, first int64, count int) ([][]byte, error) {
	found := make([][]byte, 0, count)
	if first == 0 && count > 0 {
		found = append(found, t.origin)
	}
	err := t.archivedLeaves(ctx, from, first, first+int64(count)-1, func(leaf *house.Leaf) error {
		found = append(found, leaf.Text())
		return nil
	})
	if err != nil || len(found) == count {
		return found, err
	}
	return row.ReadLeafTexts(rowsOf(ctx, from, "SELECT "+row.Columns+" FROM tx WHERE seq >= ? ORDER BY seq LIMIT ?", max(first, 1, t.archives.through+1), count-len(found)), found, first, count)
}

// rowsOf runs a query on a connection when its rows are read.
func rowsOf(ctx context.Context, from querier, query string, args ...any) row.Rows {
	return func(one func(*sql.Rows) error) error { return eachOf(ctx, from, one, query, args...) }
}

// Origin returns leaf 0.
func (s *Store) Origin() []byte { return s.tree.origin }

// Head returns the tree over what is durable.
func (s *Store) Head() tree.Head { return *s.tree.head.Load() }

// Nodes returns hashes of the tree.
func (s *Store) Nodes(ctx context.Context, level int, from int64, count int) (_ []tree.Hash, err error) {
	defer mean(&err)
	return s.tree.nodes(ctx, s.read, level, from, count)
}

// LeafTexts returns the texts of leaves.
func (s *Store) LeafTexts(ctx context.Context, from int64, count int) (_ [][]byte, err error) {
	defer mean(&err)
	return s.tree.leafTexts(ctx, s.read, from, count)
}

// Leaves hands out the leaves of transactions, with what is wrong with how each is found
// again. If it begins with the first one, the last tells of what belongs to none.
func (s *Store) Leaves(ctx context.Context, after int64, yield func(house.Leaf) error) (err error) {
	defer mean(&err)
	tx, err := s.read.BeginTx(ctx, nil) // all of it as it is at one moment
	if err != nil {
		return meant(err)
	}
	defer tx.Rollback() //nolint:errcheck // it is for reading
	x := newIndex(tx, after == 0)
	var last *house.Leaf
	hold := func(leaf house.Leaf) (err error) {
		if last != nil {
			err = yield(*last)
		}
		last = &leaf
		return err
	}
	if err := s.heldArchived(ctx, x, after, hold); err != nil {
		return err
	}
	if err := s.heldRows(ctx, x, max(after, s.tree.archives.through), hold); err != nil || last == nil {
		return err
	}
	if after == 0 && last.Fault == "" {
		if last.Fault, err = x.rest(ctx, last.Seq); err != nil {
			return err
		}
	}
	return yield(*last)
}

// heldRows hands out the leaves of transactions that the file holds, those after a number.
func (s *Store) heldRows(ctx context.Context, x *index, after int64, yield func(house.Leaf) error) error {
	for {
		page := make([]row.Row, 0, leavesPage)
		err := eachOf(ctx, x.tx, func(rows *sql.Rows) error {
			var r row.Row
			err := rows.Scan(r.Fields()...)
			page = append(page, r)
			return err
		}, "SELECT "+row.Columns+" FROM tx WHERE seq > ? ORDER BY seq LIMIT ?", after, leavesPage)
		if err != nil || len(page) == 0 {
			return err
		}
		after = page[len(page)-1].Seq
		for i := range page {
			r := &page[i]
			leaf, err := r.Leaf()
			if err != nil {
				return err
			}
			if leaf.Fault, err = x.fault(ctx, r.Seq, &leaf.Line); err != nil {
				return err
			}
			moved, err := x.movements(ctx, &leaf)
			if err != nil {
				return err
			}
			leaf.Fault = cmp.Or(leaf.Fault, moved)
			if r.Altered(&leaf) {
				leaf.Fault = "what it recorded is not what its leaf committed to"
			}
			if err := yield(leaf); err != nil {
				return err
			}
		}
	}
}

// heldArchived hands out the leaves of transactions that were archived, those after a
// number.
func (s *Store) heldArchived(ctx context.Context, x *index, after int64, yield func(house.Leaf) error) error {
	for n := tileOf(after + 1); lastOf(n) <= s.tree.archives.through; n++ {
		leaves, err := s.tree.tile(ctx, x.tx, n)
		if err != nil {
			return err
		}
		lies := ""
		if after == 0 {
			if lies, err = x.tile(ctx, n, leaves); err != nil {
				return err
			}
			segment, err := s.tree.segment(ctx, x.tx, n)
			if err != nil {
				return err
			}
			lies = cmp.Or(lies, segment)
		}
		for i := range leaves {
			leaf := leaves[i]
			if leaf.Seq <= after {
				continue
			}
			if leaf.Fault, err = x.copied(ctx, &leaf); err != nil {
				return err
			}
			if leaf.Fault == "" && i == len(leaves)-1 {
				leaf.Fault = lies
			}
			if err := yield(leaf); err != nil {
				return err
			}
		}
	}
	return nil
}

// segment says, at the last tile of a segment, what is wrong with its file besides its tiles: with
// its header, and with what else stands in it.
func (t *treeOf) segment(ctx context.Context, from querier, tile int64) (string, error) {
	at := slices.IndexFunc(t.archives.segments, func(s *archive.Segment) bool { return s.Last == lastOf(tile) })
	if at < 0 {
		return "", nil
	}
	segment := t.archives.segments[at]
	var frames []archive.Frame
	err := eachOf(ctx, from, func(rows *sql.Rows) error {
		var f archive.Frame
		err := rows.Scan(&f.Tile, &f.Start, &f.Size)
		frames = append(frames, f)
		return err
	}, "SELECT tile, start, size FROM frame WHERE tile >= ? AND tile <= ? ORDER BY tile", archive.FirstTile(&segment.Header), tile)
	if err != nil {
		return "", err
	}
	if err = segment.Whole(frames); err == nil {
		err = segment.CheckHeader(t.origin, func(level int, first int64, count int) ([]tree.Hash, error) {
			return t.nodes(ctx, from, level, first, count)
		})
	}
	if errors.Is(err, house.ErrCorrupt) {
		return err.Error(), nil
	}
	return "", err
}

// leavesPage is the number of transactions that are held in memory at once.
const leavesPage = 500

// index checks that transactions are found where readers search for them.
type index struct {
	tx       *sql.Tx
	prepared map[string]*sql.Stmt // by what it asks, until the end of tx
	streams  map[string]int64
	begun    map[int64]bool // the streams of which the file has what comes from here on
	moved    *row.Movements // nil where not all transactions are looked at
	// The counts of what was found, of each table.
	keys, parts, frameStreams, frameAccounts, rounds int64
}

func newIndex(tx *sql.Tx, all bool) *index {
	x := &index{tx: tx, prepared: map[string]*sql.Stmt{}, streams: map[string]int64{}, begun: map[int64]bool{}}
	if all {
		x.moved = row.NewMovements()
	}
	return x
}

// fault returns what of a transaction is missing where readers search for it.
func (x *index) fault(ctx context.Context, seq int64, line *house.Line) (string, error) {
	x.parts += int64(len(line.Parts))
	if fault, err := x.key(ctx, seq, line.Key); fault != "" || err != nil {
		return fault, err
	}
	for i := range line.Parts {
		p := &line.Parts[i]
		id, err := x.stream(ctx, p.Stream)
		if err != nil {
			return "", err
		}
		events, err := p.Count()
		if err != nil {
			return "", fmt.Errorf("transaction %d: %w", seq, err)
		}
		var stands int64
		if err := x.number(ctx, &stands, "SELECT count(*) FROM part WHERE stream = ? AND id = ? AND after = ? AND count = ? AND round = ?",
			id, seq*house.MaxParts+int64(i), p.After, events, p.Round); err != nil {
			return "", err
		}
		if stands == 0 {
			return fmt.Sprintf("it does not stand in the stream %s, to which it appended %d events after %d", p.Stream, events, p.After), nil
		}
	}
	return "", nil
}

// key says what is wrong with how a transaction is found by its idempotency key.
func (x *index) key(ctx context.Context, seq int64, key string) (string, error) {
	if key == "" {
		return "", nil
	}
	x.keys++
	var under int64
	if err := x.number(ctx, &under, "SELECT seq FROM key WHERE hash = ?", row.KeyHash(key)); err != nil {
		return "", err
	}
	if under != seq {
		return fmt.Sprintf("under its idempotency key stands transaction %d", under), nil
	}
	return "", nil
}

// movements says what is wrong with what is kept of the movements of a transaction.
func (x *index) movements(ctx context.Context, leaf *house.Leaf) (string, error) {
	if x.moved == nil {
		return "", nil
	}
	return x.moved.Fault(leaf, func(account ledger.Account) (delta, balance int64, err error) {
		err = x.row(ctx, "SELECT delta, balance FROM movement WHERE account = (SELECT id FROM account WHERE name = ?) AND seq = ?", []any{account.String(), leaf.Seq}, &delta, &balance)
		return delta, balance, meant(err)
	})
}

// stream returns the number of a stream in the file.
func (x *index) stream(ctx context.Context, name string) (int64, error) {
	if id, known := x.streams[name]; known {
		return id, nil
	}
	var id int64
	if err := x.number(ctx, &id, "SELECT id FROM stream WHERE name = ?", name); err != nil {
		return 0, err
	}
	x.streams[name] = id
	return id, nil
}

// copied says what is wrong with how a transaction is found that was archived, and with
// what of it is still in the file, where a start reads it.
func (x *index) copied(ctx context.Context, leaf *house.Leaf) (string, error) {
	if fault, err := x.key(ctx, leaf.Seq, leaf.Line.Key); fault != "" || err != nil {
		return fault, err
	}
	var r row.Row
	err := x.row(ctx, "SELECT "+row.Columns+" FROM tx WHERE seq = ?", []any{leaf.Seq}, r.Fields()...)
	there := err == nil
	switch {
	case errors.Is(err, sql.ErrNoRows):
	case err != nil:
		return "", meant(err)
	default:
		line, err := r.Read()
		if err != nil {
			return "", err
		}
		if r.AtMs != leaf.AtMs || r.Altered(leaf) || !bytes.Equal(r.Salt, leaf.Salt.Kept()) || !bytes.Equal(line.Append(nil), leaf.Line.Append(nil)) {
			return "what the file still holds of it is not what was archived", nil
		}
	}
	for i := range leaf.Line.Parts {
		p := &leaf.Line.Parts[i]
		var after, count int64
		var round int
		id, err := x.stream(ctx, p.Stream)
		if err != nil {
			return "", err
		}
		err = x.row(ctx, "SELECT after, count, round FROM part WHERE stream = ? AND id = ?", []any{id, leaf.Seq*house.MaxParts + int64(i)}, &after, &count, &round)
		switch events, readErr := p.Count(); {
		case readErr != nil:
			return "", fmt.Errorf("transaction %d: %w", leaf.Seq, readErr)
		case errors.Is(err, sql.ErrNoRows) && x.begun[id]:
			return fmt.Sprintf("it does not stand in the stream %s, and what came before it does", p.Stream), nil
		case errors.Is(err, sql.ErrNoRows):
			if fault, err := x.round(ctx, leaf, p, id); fault != "" || err != nil {
				return fault, err
			}
		case err != nil:
			return "", meant(err)
		case !there || after != p.After || count != int64(events) || round != p.Round:
			return fmt.Sprintf("it does not stand in the stream %s, to which it appended %d events after %d", p.Stream, events, p.After), nil
		default:
			x.parts++
			x.begun[id] = true
		}
	}
	return "", nil
}

// round says what is wrong with how a round is found that begins with an archived part.
func (x *index) round(ctx context.Context, leaf *house.Leaf, p *house.LinePart, stream int64) (string, error) {
	if p.Round == 0 {
		return "", nil
	}
	x.rounds++
	var stands int64
	if err := x.number(ctx, &stands, "SELECT count(*) FROM archived_round WHERE stream = ? AND round = ? AND seq = ? AND at_ms = ? AND after = ?",
		stream, p.Round, leaf.Seq, leaf.AtMs, p.After); err != nil {
		return "", err
	}
	if stands == 0 {
		return fmt.Sprintf("round %d of %s, which begins with it, is not found there", p.Round, p.Stream), nil
	}
	return "", nil
}

// tile says what is wrong with how the streams and accounts of a tile are found.
func (x *index) tile(ctx context.Context, n int64, leaves []house.Leaf) (string, error) {
	about, err := contentsOf(leaves, x.moved.See)
	if err != nil {
		return "", err
	}
	for _, stream := range slices.Sorted(maps.Keys(about.ends)) {
		x.frameStreams++
		id, err := x.stream(ctx, stream)
		if err != nil {
			return "", err
		}
		ends := int64(-1)
		if err := x.number(ctx, &ends, "SELECT ends FROM frame_stream WHERE stream = ? AND tile = ?", id, n); err != nil {
			return "", err
		}
		if ends != about.ends[stream] {
			return fmt.Sprintf("the stream %s has %d events after it, and where it was archived %d are said", stream, about.ends[stream], ends), nil
		}
	}
	for _, account := range about.accounts {
		x.frameAccounts++
		x.moved.Held[account] += about.nets[account]
		balance := int64(-1)
		if err := x.number(ctx, &balance, "SELECT balance FROM frame_account WHERE account = (SELECT id FROM account WHERE name = ?) AND tile = ?", account.String(), n); err != nil {
			return "", err
		}
		if balance != int64(x.moved.Held[account]) {
			return fmt.Sprintf("%s holds %s after it, and where it was archived %s is said", account, x.moved.Held[account].Display(), money.Amount(balance).Display()), nil
		}
	}
	return "", nil
}

// rest returns a fault if the file has entries that belong to no transaction up to the last one.
func (x *index) rest(ctx context.Context, last int64) (string, error) {
	fault, err := x.moved.Accounts(rowsOf(ctx, x.tx, "SELECT name, seq FROM account ORDER BY name"))
	if fault != "" || err != nil {
		return fault, meant(err)
	}
	all := append(
		row.Beside(x.keys, x.parts, x.moved.Found, last),
		row.Kept{From: "frame_stream", What: "streams of archived tiles", Found: x.frameStreams},
		row.Kept{From: "frame_account", What: "accounts of archived tiles", Found: x.frameAccounts},
		row.Kept{From: "archived_round", What: "beginnings of archived rounds", Found: x.rounds},
		row.Kept{From: "archived WHERE through < (SELECT max(through) FROM archived)", What: "ends of the archive before the last one"},
		row.Kept{From: fmt.Sprintf("frame WHERE tile < 0 OR tile > (SELECT coalesce(max(last), -1) / %d FROM segment)", tree.Width), What: "frames beyond the archive"},
	)
	return row.Surplus(all, func(from string) (kept int64, err error) {
		err = x.number(ctx, &kept, "SELECT count(*) FROM "+from)
		return kept, err
	})
}

// row asks for one row. What asks the same of every transaction is prepared once.
func (x *index) row(ctx context.Context, query string, args []any, into ...any) error {
	s := x.prepared[query]
	if s == nil {
		var err error
		if s, err = x.tx.PrepareContext(ctx, query); err != nil {
			return err
		}
		x.prepared[query] = s
	}
	return s.QueryRowContext(ctx, args...).Scan(into...)
}

// number asks for one number; where there is none, it stays as it is.
func (x *index) number(ctx context.Context, into *int64, query string, args ...any) error {
	if err := x.row(ctx, query, args, into); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return meant(err)
	}
	return nil
}
