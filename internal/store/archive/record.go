package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"trey/internal/house"
	"trey/internal/tree"
)

// Record is a record from its transactions alone, with no database: it is for reading from
// the first to the last, as an audit does. Its tree follows from the transactions.
type Record struct {
	origin []byte
	head   tree.Head
	nodes  map[int][]tree.Hash // of level 1 and above
	// leaves hands out the transactions after a number.
	leaves func(ctx context.Context, after int64, yield func(house.Leaf) error) error
	close  func() error
	last   *Segment
}

// errEnough ends a reading.
var errEnough = errors.New("enough")

// OpenFolder opens the segments in a folder, which have to follow each other from the first
// transaction on. An error wraps [ErrMissing] where there is none, or one is missing between
// two.
func OpenFolder(ctx context.Context, folder string) (*Record, error) {
	files, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var segments []*Segment
	shut := func() (err error) {
		for _, s := range segments {
			err = errors.Join(err, s.Close())
		}
		return err
	}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), Ending) {
			continue
		}
		s, err := Open(filepath.Join(folder, file.Name()))
		if err != nil {
			return nil, errors.Join(err, shut())
		}
		segments = append(segments, s)
	}
	slices.SortFunc(segments, func(a, b *Segment) int { return int(a.First - b.First) })
	next := int64(1)
	for i, s := range segments {
		if s.First < next {
			return nil, errors.Join(fmt.Errorf("%w: %s begins with transaction %d, which %s holds too: take the one away that does not belong there", house.ErrCorrupt, s.path, s.First, segments[i-1].path), shut())
		}
		if s.First != next {
			return nil, errors.Join(fmt.Errorf("%w: %s begins with transaction %d, and %d comes next: put the file back that holds it", ErrMissing, s.path, s.First, next), shut())
		}
		next = s.Last + 1
	}
	if len(segments) == 0 {
		return nil, fmt.Errorf("%w: no file in %s ends in %s", ErrMissing, folder, Ending)
	}
	last := segments[len(segments)-1]
	r := &Record{origin: []byte(last.Origin), close: shut, last: last}
	r.leaves = func(_ context.Context, after int64, yield func(house.Leaf) error) error {
		for _, s := range segments {
			if s.Last <= after {
				continue
			}
			err := s.Tiles(func(_ int64, leaves []house.Leaf) error {
				for i := range leaves {
					if leaves[i].Seq > after {
						if err := yield(leaves[i]); err != nil {
							return err
						}
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
	if err := r.build(ctx); err != nil {
		return nil, errors.Join(err, shut())
	}
	for _, s := range segments {
		if err := s.checkRoot(s.under(r.origin, tree.NodesOf(ctx, r))); err != nil {
			return nil, errors.Join(err, shut())
		}
	}
	return r, nil
}

// build works out the tree over the transactions.
func (r *Record) build(ctx context.Context) error {
	r.nodes = map[int][]tree.Hash{}
	edge := &tree.Edge{}
	edge.Add(tree.LeafHash(r.origin))
	err := r.leaves(ctx, 0, func(leaf house.Leaf) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if leaf.Seq != edge.Size() {
			return fmt.Errorf("%w: transaction %d stands where %d belongs", house.ErrCorrupt, leaf.Seq, edge.Size())
		}
		for _, n := range edge.Add(tree.LeafHash(leaf.Text())) {
			r.nodes[n.Level] = append(r.nodes[n.Level], n.Hash)
		}
		return nil
	})
	r.head = edge.Head()
	return err
}

// Close closes the files.
func (r *Record) Close() error { return r.close() }

// Last returns the header of the last segment of a folder.
func (r *Record) Last() *Header { return &r.last.Header }

// LastPath returns the file of the last segment of a folder.
func (r *Record) LastPath() string { return r.last.path }

// Origin returns leaf 0.
func (r *Record) Origin() []byte { return r.origin }

// Head returns the tree over the transactions.
func (r *Record) Head() tree.Head { return r.head }

// Nodes returns hashes of the tree, as [tree.Nodes] says.
func (r *Record) Nodes(ctx context.Context, level int, from int64, count int) (found []tree.Hash, err error) {
	if level == 0 {
		texts, err := r.LeafTexts(ctx, from, count)
		for _, text := range texts {
			found = append(found, tree.LeafHash(text))
		}
		return found, err
	}
	row := r.nodes[level]
	if from < 0 || from+int64(count) > int64(len(row)) {
		return nil, fmt.Errorf("%w: nodes %d to %d of level %d", tree.ErrBeyond, from, from+int64(count)-1, level)
	}
	return row[from : from+int64(count)], nil
}

// LeafTexts returns the texts of leaves: those from one on.
func (r *Record) LeafTexts(ctx context.Context, from int64, count int) (found [][]byte, err error) {
	if from == 0 && count > 0 {
		found = append(found, r.origin)
	}
	if len(found) < count {
		err = r.leaves(ctx, max(from, 1)-1, func(leaf house.Leaf) error {
			if found = append(found, leaf.Text()); len(found) == count {
				return errEnough
			}
			return nil
		})
	}
	if errors.Is(err, errEnough) {
		err = nil
	}
	if err == nil && len(found) < count {
		err = fmt.Errorf("%w: leaf %d", tree.ErrBeyond, from+int64(len(found)))
	}
	return found, err
}

// Leaves hands out the leaves of transactions, those after a number.
func (r *Record) Leaves(ctx context.Context, after int64, yield func(house.Leaf) error) error {
	return r.leaves(ctx, after, yield)
}

// ReadAll hands out whole transactions, those after a number, and if a stream is named
// those with a part of it.
func (r *Record) ReadAll(ctx context.Context, after int64, stream string, yield func(house.StoredTransaction) error) error {
	return r.leaves(ctx, after, func(leaf house.Leaf) error {
		if stream != "" && !slices.ContainsFunc(leaf.Line.Parts, func(p house.LinePart) bool { return p.Stream == stream }) {
			return nil
		}
		e, err := leaf.Line.Entry(leaf.Seq, leaf.AtMs)
		if err != nil {
			return fmt.Errorf("transaction %d: %w", leaf.Seq, err)
		}
		return yield(e)
	})
}
