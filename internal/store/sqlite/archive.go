package sqlite

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"trey/internal/house"
	"trey/internal/store/archive"
	"trey/internal/store/row"
	"trey/internal/tree"
)

// Archiving names the part of a record to archive, and the folder.
type Archiving struct {
	// Folder is where the archive lies, and Name the name of the file there.
	Folder, Name string
	// BeforeMs is the time before which transactions are archived.
	BeforeMs int64
	// Signed is a tree that was signed and that the record continues, and Note the signed
	// checkpoint.
	Signed tree.Head
	Note   []byte
}

// ErrUncovered is wrapped where a checkpoint does not cover what is to be archived.
var ErrUncovered = errors.New("the checkpoint does not cover what is to be archived")

// afterStep is called between the steps of [Archive]. Tests end the process there.
var afterStep = func(string) {}

// Archive puts the transactions of a record before a time into a file of the archive, and
// then lets go of them in the record, which nobody has open. They are whole tiles of the
// tree: what lies before the time in the tile that is not full then stays for the next
// file. It returns the first and the last of them, zero for none.
//
// The file is on the disk, and every transaction in it was proved by the tree, before the
// record lets go of the first one. Whatever ends Archive between is made good by the next
// one. What a start of the house reads stays in the record: of each stream what comes from
// its latest snapshot on, or from its latest round if it has no snapshots, or all of it.
func Archive(ctx context.Context, path string, what Archiving) (first, last int64, err error) {
	defer mean(&err)
	held, err := hold(path)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, held.Close()) }()
	db, err := connect(path, "?mode=rw&_pragma=synchronous(full)&_pragma=cache_size(-65536)")
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	a := &archiving{Archiving: what, db: db}
	if err := db.QueryRowContext(ctx, "SELECT leaf FROM origin").Scan(&a.tree.origin); err != nil {
		return 0, 0, fmt.Errorf("archive %s: %w", path, meant(err))
	}
	if err := a.tree.openArchives(ctx, db, what.Folder); err != nil {
		return 0, 0, fmt.Errorf("archive %s: %w", path, meant(err))
	}
	defer func() { err = errors.Join(err, a.tree.archives.close()) }()
	// What was begun is finished first.
	if err := a.letGo(ctx); err != nil {
		return 0, 0, fmt.Errorf("archive %s: %w", path, meant(err))
	}
	if first, last, err = a.write(ctx); err != nil || last == 0 {
		return 0, 0, meant(err)
	}
	if err := a.letGo(ctx); err != nil {
		return 0, 0, fmt.Errorf("archive %s: %w", path, meant(err))
	}
	return first, last, nil
}

// archiving is an archive that is being made.
type archiving struct {
	Archiving
	db   *sql.DB
	tree treeOf
}

// write writes the segment, if there is a full tile to put into it, and has the record name
// it.
func (a *archiving) write(ctx context.Context) (first, last int64, err error) {
	first = a.tree.archives.through + 1
	bound := int64(0) // the first transaction that is not archived
	if err := a.db.QueryRowContext(ctx, lastTx).Scan(&bound); err != nil {
		return 0, 0, err
	}
	bound++
	if err := a.db.QueryRowContext(ctx, "SELECT coalesce(min(seq), ?) FROM tx WHERE seq >= ? AND at_ms >= ?", bound, first, a.BeforeMs).Scan(&bound); err != nil {
		return 0, 0, err
	}
	if last = lastOf(tileOf(bound) - 1); last < first {
		return 0, 0, nil
	}
	h, err := a.header(ctx, first, last)
	if err != nil {
		return 0, 0, err
	}
	path := filepath.Join(a.Folder, a.Name)
	there, err := a.there(ctx, path, h)
	if err != nil {
		return 0, 0, err
	}
	if there != nil {
		h = there
	}
	if err := os.MkdirAll(a.Folder, 0o700); err != nil {
		return 0, 0, err
	}
	tile := tileOf(first)
	frames, err := archive.Write(path, h, func() ([]house.Leaf, error) {
		if max(1, tile*tree.Width) > last {
			return nil, nil
		}
		leaves, err := a.leaves(ctx, tile)
		tile++
		return leaves, err
	}, func(written string, frames []archive.Frame) error {
		afterStep("written")
		segment, err := archive.Open(written)
		if err != nil {
			return err
		}
		err = errors.Join(segment.Prove(a.tree.origin, a.nodes(ctx), frames), segment.Close())
		if err == nil && there != nil {
			err = same(written, path)
		}
		return err
	})
	if err != nil {
		return 0, 0, err
	}
	afterStep("named")
	if err := a.name(ctx, h, frames); err != nil {
		return 0, 0, err
	}
	afterStep("known")
	segment, err := archive.Open(path)
	if err != nil {
		return 0, 0, err
	}
	a.tree.archives.segments = append(a.tree.archives.segments, segment)
	return first, last, nil
}

// nodes reads the tree.
func (a *archiving) nodes(ctx context.Context) tree.Nodes {
	return func(level int, from int64, count int) ([]tree.Hash, error) {
		return a.tree.nodes(ctx, a.db, level, from, count)
	}
}

// header returns the first line of a segment.
func (a *archiving) header(ctx context.Context, first, last int64) (*archive.Header, error) {
	if a.Signed.Size <= last {
		return nil, fmt.Errorf("%w: it is signed up to transaction %d, and %d to %d are to be archived", ErrUncovered, a.Signed.Size-1, first, last)
	}
	nodes := a.nodes(ctx)
	head, err := nodes.At(last + 1)
	if err != nil {
		return nil, err
	}
	growth, err := nodes.Consistency(last+1, a.Signed.Size)
	if err != nil {
		return nil, err
	}
	if err := tree.CheckConsistency(growth, a.Signed, head); err != nil {
		return nil, fmt.Errorf("%w: the record is not the one that was signed: %w", house.ErrCorrupt, err)
	}
	return &archive.Header{Form: archive.Form, Origin: string(a.tree.origin), First: first, Last: last, Root: head.Root, Checkpoint: string(a.Note), Growth: growth}, nil
}

// there returns the header of the segment that lies where one is to be written, nil for none. Only
// one with the same transactions, all of which are in the record still, may lie there: this record
// has not named it yet, or it is of one that this one was copied or moved from. A segment never
// changes: whatever record names it knows where its frames lie. So it is written with the header
// that it has, and has to be the same.
func (a *archiving) there(ctx context.Context, path string, h *archive.Header) (*archive.Header, error) {
	there, err := archive.Open(path)
	if errors.Is(err, archive.ErrMissing) {
		return nil, nil
	}
	if errors.Is(err, archive.ErrDamaged) {
		return nil, unlike(path, err)
	}
	if err != nil {
		return nil, err
	}
	defer there.Close() //nolint:errcheck // it was read only
	if there.Origin != h.Origin || there.First != h.First || there.Last != h.Last || there.Root != h.Root {
		return nil, fmt.Errorf("%w: %s holds transactions %d to %d of %s: name another folder, or move it away", ErrThere, path, there.First, there.Last, tree.Name([]byte(there.Origin)))
	}
	if err := there.CheckHeader(a.tree.origin, a.nodes(ctx)); errors.Is(err, archive.ErrDamaged) {
		return nil, unlike(path, err)
	} else if err != nil {
		return nil, err
	}
	return &there.Header, nil
}

// unlike returns the error of a file that lies where a segment is to be written, and is none of this
// record. No record needs it: so it is not one to be put back.
func unlike(path string, why error) error {
	return fmt.Errorf("%w: %s is not what is to be written there: move it away (%v)", ErrThere, path, why)
}

// same holds a segment that was written against the one in its place.
func same(written, path string) error {
	var sums [2][]byte
	for i, name := range []string{written, path} {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		sum := sha256.New()
		_, err = io.Copy(sum, file)
		if err := errors.Join(err, file.Close()); err != nil {
			return err
		}
		sums[i] = sum.Sum(nil)
	}
	if !bytes.Equal(sums[0], sums[1]) {
		return fmt.Errorf("%w: %s has the same transactions packed in another way, as another record may know them: name another folder, or move it away", ErrThere, path)
	}
	return nil
}

// leaves returns the transactions of a tile that are in the record.
func (a *archiving) leaves(ctx context.Context, tile int64) ([]house.Leaf, error) {
	return leavesOf(ctx, a.db, "seq >= ? AND seq <= ? ORDER BY seq", max(1, tile*tree.Width), lastOf(tile))
}

// leavesOf returns the transactions of which a condition holds.
func leavesOf(ctx context.Context, from querier, condition string, args ...any) (leaves []house.Leaf, err error) {
	err = eachOf(ctx, from, func(rows *sql.Rows) error {
		var r row.Row
		if err := rows.Scan(r.Fields()...); err != nil {
			return err
		}
		leaf, err := r.Leaf()
		leaves = append(leaves, leaf)
		return err
	}, "SELECT "+row.Columns+" FROM tx WHERE "+condition, args...)
	return leaves, err
}

// name has the record name the segment, and where each tile lies in it.
func (a *archiving) name(ctx context.Context, h *archive.Header, frames []archive.Frame) error {
	return a.together(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "INSERT INTO segment (first, last, name) VALUES (?, ?, ?)", h.First, h.Last, a.Name); err != nil {
			return err
		}
		for _, f := range frames {
			if _, err := tx.ExecContext(ctx, "INSERT INTO frame (tile, start, size) VALUES (?, ?, ?)", f.Tile, f.Start, f.Size); err != nil {
				return err
			}
		}
		return nil
	})
}

// together makes changes of the record together.
func (a *archiving) together(ctx context.Context, change func(*sql.Tx) error) error {
	tx, err := a.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // it is committed then
	if err := change(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// tilesTogether is the number of tiles that one transaction removes from the record: some 15 MB
// of it. Tests remove fewer.
var tilesTogether int64 = 64

// letGo has the record let go of what its segments hold.
func (a *archiving) letGo(ctx context.Context) error {
	var last int64
	if err := a.db.QueryRowContext(ctx, "SELECT coalesce(max(last), 0) FROM segment").Scan(&last); err != nil {
		return err
	}
	if last <= a.tree.archives.through {
		return nil
	}
	from, err := a.startsFrom(ctx)
	if err != nil {
		return err
	}
	before := a.tree.archives.through
	for a.tree.archives.through < last {
		first := tileOf(a.tree.archives.through + 1)
		end := min(tileOf(last), first+tilesTogether-1)
		err := a.together(ctx, func(tx *sql.Tx) error {
			l := &letter{tx: tx, starts: from, streams: map[string]int64{}, accounts: map[string]int64{}}
			if a.tree.archives.through == before {
				if err := l.copies(ctx, before); err != nil {
					return err
				}
			}
			for n := first; n <= end; n++ {
				leaves, err := a.tree.tile(ctx, tx, n)
				if err != nil {
					return err
				}
				if err := l.tile(ctx, n, leaves); err != nil {
					return err
				}
			}
			// One snapshot of each stream stays of each of these runs of tiles, so that the
			// past need not be read from its first day.
			if _, err := tx.ExecContext(ctx, "DELETE FROM snapshot WHERE id >= ?1 AND id < ?2 AND id NOT IN (SELECT max(id) FROM snapshot WHERE id >= ?1 AND id < ?2 GROUP BY stream)",
				first*tree.Width*house.MaxParts, (end+1)*tree.Width*house.MaxParts); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, "DELETE FROM archived"); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, "INSERT INTO archived VALUES (?)", lastOf(end))
			return err
		})
		if err != nil {
			return err
		}
		a.tree.archives.through = lastOf(end)
		afterStep("let go")
	}
	return nil
}

// startsFrom returns for each stream the transaction from which on a start reads it.
func (a *archiving) startsFrom(ctx context.Context) (map[int64]int64, error) {
	from := map[int64]int64{}
	for _, query := range []string{
		"SELECT id, (SELECT coalesce(max(part.id), 0) / 16 FROM part WHERE part.stream = stream.id AND part.round > 0) FROM stream",
		"SELECT stream, max(id) / 16 FROM snapshot GROUP BY stream",
	} {
		err := eachOf(ctx, a.db, func(rows *sql.Rows) error {
			var stream, seq int64
			err := rows.Scan(&stream, &seq)
			from[stream] = seq
			return err
		}, query)
		if err != nil {
			return nil, err
		}
	}
	return from, nil
}

// letter lets the record go of transactions.
type letter struct {
	tx                *sql.Tx
	starts            map[int64]int64
	streams, accounts map[string]int64
}

// tile lets go of a tile, and puts down what it is about.
func (l *letter) tile(ctx context.Context, n int64, leaves []house.Leaf) error {
	about, err := contentsOf(leaves, row.Changes)
	if err != nil {
		return err
	}
	for _, account := range about.accounts {
		id, err := l.id(ctx, l.accounts, "SELECT id FROM account WHERE name = ?", account.String())
		if err != nil {
			return err
		}
		_, err = l.tx.ExecContext(ctx, "INSERT INTO frame_account (account, tile, balance) SELECT account, ?, balance FROM movement WHERE account = ? AND seq <= ? ORDER BY seq DESC LIMIT 1", n, id, lastOf(n))
		if err != nil {
			return err
		}
		if _, err := l.tx.ExecContext(ctx, "DELETE FROM movement WHERE account = ? AND seq <= ?", id, lastOf(n)); err != nil {
			return err
		}
	}
	for stream, ends := range about.ends {
		id, err := l.id(ctx, l.streams, "SELECT id FROM stream WHERE name = ?", stream)
		if err != nil {
			return err
		}
		if _, err := l.tx.ExecContext(ctx, "INSERT INTO frame_stream (stream, tile, ends) VALUES (?, ?, ?)", id, n, ends); err != nil {
			return err
		}
	}
	for i := range leaves {
		if err := l.leaf(ctx, &leaves[i]); err != nil {
			return err
		}
	}
	return nil
}

// copies lets go of what stayed in the record of transactions that were archived before,
// because a start read it then.
func (l *letter) copies(ctx context.Context, through int64) error {
	leaves, err := leavesOf(ctx, l.tx, "seq <= ?", through)
	if err != nil {
		return err
	}
	for i := range leaves {
		if err := l.leaf(ctx, &leaves[i]); err != nil {
			return err
		}
	}
	return nil
}

// leaf lets go of a transaction, unless a start reads one of its parts.
func (l *letter) leaf(ctx context.Context, leaf *house.Leaf) error {
	read := false
	for i := range leaf.Line.Parts {
		p := &leaf.Line.Parts[i]
		id, err := l.id(ctx, l.streams, "SELECT id FROM stream WHERE name = ?", p.Stream)
		if err != nil {
			return err
		}
		if leaf.Seq >= l.starts[id] {
			read = true
			continue
		}
		done, err := l.tx.ExecContext(ctx, "DELETE FROM part WHERE stream = ? AND id = ?", id, leaf.Seq*house.MaxParts+int64(i))
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			continue // it was let go of before
		}
		if p.Round > 0 {
			if _, err := l.tx.ExecContext(ctx, "INSERT INTO archived_round (stream, round, seq, at_ms, after) VALUES (?, ?, ?, ?, ?)", id, p.Round, leaf.Seq, leaf.AtMs, p.After); err != nil {
				return err
			}
		}
	}
	if read {
		return nil
	}
	_, err := l.tx.ExecContext(ctx, "DELETE FROM tx WHERE seq = ?", leaf.Seq)
	return err
}

// id returns the number of a stream or an account in the file.
func (l *letter) id(ctx context.Context, known map[string]int64, query, name string) (id int64, err error) {
	if id, ok := known[name]; ok {
		return id, nil
	}
	if err := l.tx.QueryRowContext(ctx, query, name).Scan(&id); err != nil {
		return 0, lacking(err, "%s is not found", name)
	}
	known[name] = id
	return id, nil
}
