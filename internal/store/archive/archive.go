// Package archive keeps transactions of a record in files of their own, after a database
// has let go of them. A file, a segment, is text that zstd -dc reads: a [Header] as its
// first line, then a transaction on each line, with its number, its time, its salt and
// the bytes that its leaf commits to.
//
// The transactions lie in tiles as the tree over the record has them: the leaves from
// 256*n to 256*n+255, which one hash of the tree proves. Up to four tiles are a frame of
// Zstandard, which is unpacked without the others. A segment never changes once it has its
// name.
package archive

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"trey/internal/durable"
	"trey/internal/house"
	"trey/internal/tree"
)

// Form is the first text of the header of a segment.
const Form = "trey archive v1"

// Ending is the end of the name of every segment.
const Ending = ".jsonl.zst"

// ErrMissing is wrapped where a segment is not in its folder.
var ErrMissing = errors.New("a part of the archive is not there")

// ErrDamaged is wrapped where a file of an archive is not as it was written. It wraps
// [house.ErrCorrupt]. A copy of the file puts it right, and a copy of the record does not.
var ErrDamaged error = damaged{}

type damaged struct{}

func (damaged) Error() string { return "the archive is corrupt" }

func (damaged) Unwrap() error { return house.ErrCorrupt }

// putBack ends the error of a file that is not as it was written.
const putBack = ": put a copy of the file back"

// Header is the first line of a segment.
type Header struct {
	Form string `json:"archive"`
	// Origin is leaf 0 of the tree.
	Origin string `json:"origin"`
	// First and Last are the numbers of the first and the last transaction, and Root the
	// root of the tree with the leaves up to the last.
	First int64     `json:"first"`
	Last  int64     `json:"last"`
	Root  tree.Hash `json:"root"`
	// Checkpoint is a signed checkpoint that covers the last transaction, and Growth the
	// proof that its tree begins with that of Root.
	Checkpoint string      `json:"checkpoint"`
	Growth     []tree.Hash `json:"growth,omitempty"`
}

// Head returns the tree with the leaves up to the last of the segment.
func (h *Header) Head() tree.Head { return tree.Head{Size: h.Last + 1, Root: h.Root} }

// Check reports what is wrong with a header by itself.
func (h *Header) Check() error {
	switch {
	case h.Form != Form:
		return fmt.Errorf("its form is %q, and this program knows %q", h.Form, Form)
	case h.First != max(1, FirstTile(h)*tree.Width) || h.Last < h.First || (h.Last+1)%tree.Width != 0:
		return fmt.Errorf("it holds transactions %d to %d, which are no whole tiles of %d", h.First, h.Last, tree.Width)
	}
	return nil
}

// FirstTile returns the tile with which a segment begins.
func FirstTile(h *Header) int64 { return h.First / tree.Width }

// Frame is where tiles lie in their segment: those from Tile on.
type Frame struct{ Tile, Start, Size int64 }

// FrameTiles is the number of tiles in a frame at most. More make the file hardly smaller.
const FrameTiles = 4

// line is a transaction as its line has it.
type line struct {
	Seq  int64           `json:"seq"`
	AtMs int64           `json:"at_ms"`
	Salt string          `json:"salt"`
	Line json.RawMessage `json:"line"`
}

// AppendLeaf appends a transaction as a line, with its line feed.
func AppendLeaf(text []byte, leaf *house.Leaf) []byte {
	text = strconv.AppendInt(append(text, `{"seq":`...), leaf.Seq, 10)
	text = strconv.AppendInt(append(text, `,"at_ms":`...), leaf.AtMs, 10)
	text = base64.StdEncoding.AppendEncode(append(text, `,"salt":"`...), leaf.Salt.Kept())
	return append(leaf.Line.Append(append(text, `","line":`...)), "}\n"...)
}

// ReadLeaf reads a line, with its line feed, that [AppendLeaf] wrote. An error wraps
// [house.ErrCorrupt].
func ReadLeaf(text []byte) (leaf house.Leaf, err error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return leaf, fmt.Errorf("%w: a line cannot be read: %w", house.ErrCorrupt, err)
	}
	leaf.Seq, leaf.AtMs = l.Seq, l.AtMs
	kept, _ := base64.StdEncoding.DecodeString(l.Salt) // what is none is not written like one
	var ok bool
	if leaf.Salt, ok = tree.KeptSalt(kept); !ok {
		return leaf, fmt.Errorf("%w: the salt of transaction %d is %q", house.ErrCorrupt, l.Seq, l.Salt)
	}
	if leaf.Line, err = house.ReadLine(l.Line); err != nil {
		return leaf, fmt.Errorf("transaction %d: %w", l.Seq, err)
	}
	if !bytes.Equal(AppendLeaf(nil, &leaf), text) {
		return leaf, fmt.Errorf("%w: transaction %d is not written as this program writes it", house.ErrCorrupt, l.Seq)
	}
	return leaf, nil
}

// coders are made when they are first needed: most houses have no archive yet.
var coders = sync.OnceValues(func() (*zstd.Encoder, *zstd.Decoder) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic("archive: " + err.Error()) // there is nothing in it that could fail
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxFrame))
	if err != nil {
		panic("archive: " + err.Error())
	}
	return enc, dec
})

// maxFrame bounds an unpacked frame, in bytes: far more than its transactions take, and the
// most that a damaged file can ask for.
const maxFrame = 1 << 30

// maxLine bounds the text of a line, in bytes: far more than a transaction or a header takes.
const maxLine = 65 << 20

// Write writes a segment into a file and returns where its frames lie. The file is put in
// its place when it is on the disk and when check, which reads it under another name, has
// nothing against it. The tiles come from next, nil at the end. What was left beside the place by one
// that was killed is removed: whoever writes holds the record, so nobody else writes the file.
func Write(path string, h *Header, next func() ([]house.Leaf, error), check func(path string, frames []Frame) error) (frames []Frame, err error) {
	// It holds what people did, and whoever copies the archive would copy it too.
	if err := durable.RemoveLeft(path, func(name string) bool { return strings.HasPrefix(name, temporary(path)) }); err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(filepath.Dir(path), temporary(path)+"*")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	frames, err = write(file, h, next)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return nil, err
	}
	if err := check(file.Name(), frames); err != nil {
		return nil, err
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return nil, err
	}
	return frames, durable.SyncFolder(filepath.Dir(path))
}

// temporary begins the names that a file has until it is in its place.
func temporary(path string) string { return "." + filepath.Base(path) + "." }

func write(to io.Writer, h *Header, next func() ([]house.Leaf, error)) (frames []Frame, err error) {
	enc, _ := coders()
	text, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	packed := enc.EncodeAll(append(text, '\n'), nil)
	for at, tile := int64(0), FirstTile(h); ; tile += FrameTiles {
		if _, err := to.Write(packed); err != nil {
			return nil, err
		}
		at += int64(len(packed))
		text = text[:0]
		for range FrameTiles {
			leaves, err := next()
			if err != nil {
				return nil, err
			}
			for i := range leaves {
				text = AppendLeaf(text, &leaves[i])
			}
		}
		if len(text) == 0 {
			return frames, nil
		}
		packed = enc.EncodeAll(text, packed[:0])
		frames = append(frames, Frame{Tile: tile, Start: at, Size: int64(len(packed))})
	}
}

// Segment is a segment that is open for reading. Many goroutines may read at once.
type Segment struct {
	Header
	file *os.File
	path string
	size int64
}

// Open opens a segment and reads its header. An error wraps [ErrMissing] where there is no
// such file, and [ErrDamaged] where it is none.
func Open(path string) (*Segment, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("%w: put the file %s back, or say where the archive lies with archive in house.toml or with --archive", ErrMissing, path)
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular(): // opening a pipe would wait for its other end
		return nil, fmt.Errorf("%w: %s is no segment of an archive: it is no file"+putBack, ErrDamaged, path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s := &Segment{file: file, path: path, size: info.Size()}
	if err := s.readHeader(); err != nil {
		if info.Size() == 0 {
			err = errors.New("it is empty")
		}
		return nil, errors.Join(fmt.Errorf("%w: %s is no segment of an archive: %w"+putBack, ErrDamaged, path, err), file.Close())
	}
	return s, nil
}

func (s *Segment) readHeader() error {
	text, done, err := s.lines()
	if err != nil {
		return err
	}
	defer done()
	head, err := readLine(text)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(head, &s.Header); err != nil {
		return err
	}
	if err := s.Check(); err != nil {
		return err
	}
	again, err := json.Marshal(&s.Header)
	if err == nil && !bytes.Equal(append(again, '\n'), head) {
		err = errors.New("its header is not written as this program writes it")
	}
	return err
}

// readLine reads a line with its line feed, unless it is longer than any that is written.
func readLine(text *bufio.Reader) (line []byte, err error) {
	for {
		part, err := text.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxLine:
			return nil, fmt.Errorf("a line of it is longer than %d bytes", maxLine)
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err
		}
	}
}

// lines returns the text of the segment, and what ends the reading.
func (s *Segment) lines() (*bufio.Reader, func(), error) {
	dec, err := zstd.NewReader(io.NewSectionReader(s.file, 0, 1<<62), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxFrame))
	if err != nil {
		return nil, nil, err
	}
	return bufio.NewReaderSize(dec, 1<<16), dec.Close, nil
}

// Close closes the file.
func (s *Segment) Close() error { return s.file.Close() }

// CheckWhole holds what is known without unpacking more than the header: whether the file is of the
// record with this leaf 0, and as long as its last frame says. An error wraps [ErrDamaged].
func (s *Segment) CheckWhole(origin []byte, size int64) error {
	if s.Origin != string(origin) && !tree.Continues(origin) {
		return s.ofAnother(origin)
	}
	if s.size != size {
		return fmt.Errorf("%w: %s has %d bytes, and %d were written"+putBack, ErrDamaged, s.path, s.size, size)
	}
	return nil
}

// ofAnother returns the error of a file of another record than that with this leaf 0.
func (s *Segment) ofAnother(origin []byte) error {
	return fmt.Errorf("%w: %s is of %s, and the record is %s"+putBack, ErrDamaged, s.path, tree.Name([]byte(s.Origin)), tree.Name(origin))
}

// Tile reads a tile of a frame. An error wraps [ErrDamaged] and names the file.
// Whether it is what the tree has is for the caller to ask, of [Hash].
func (s *Segment) Tile(f Frame, n int64) (tile []house.Leaf, err error) {
	text, err := s.unpack(f.Start, f.Size)
	if err != nil {
		return nil, fmt.Errorf("%w: the transactions %d to %d in %s cannot be read (%w)"+putBack, ErrDamaged, max(1, n*tree.Width), (n+1)*tree.Width-1, s.path, err)
	}
	for range n*tree.Width - max(1, f.Tile*tree.Width) {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return s.tile(n, bufio.NewReader(bytes.NewReader(text)))
}

// unpack reads a piece of the file, which unpacks by itself.
func (s *Segment) unpack(start, size int64) ([]byte, error) {
	if start < 0 || size < 1 || size > s.size-start {
		return nil, fmt.Errorf("the file has %d bytes, and it would lie in the %d from %d on", s.size, size, start)
	}
	packed := make([]byte, size)
	if _, err := s.file.ReadAt(packed, start); err != nil {
		return nil, err
	}
	_, dec := coders()
	return dec.DecodeAll(packed, nil)
}

// Whole returns an error that wraps [ErrDamaged] if the file holds anything besides its header and
// its frames, one after the other without gaps. So a reader who unpacks the file and a reader of
// its tiles read the same.
func (s *Segment) Whole(frames []Frame) error {
	bad := func(what string, args ...any) error {
		return fmt.Errorf("%w: %s "+what+putBack, append([]any{ErrDamaged, s.path}, args...)...)
	}
	if len(frames) == 0 {
		return bad("has no tile")
	}
	text, err := s.unpack(0, frames[0].Start)
	if err != nil || bytes.IndexByte(text, '\n') != len(text)-1 {
		return bad("has more than a header before its first tile")
	}
	at := frames[0].Start
	for i, f := range frames {
		next := (s.Last + 1) / tree.Width
		if i+1 < len(frames) {
			next = frames[i+1].Tile
		}
		if f.Start != at {
			return bad("has something else before tile %d", f.Tile)
		}
		text, err := s.unpack(f.Start, f.Size)
		if err != nil {
			return bad("cannot be read from tile %d on (%v)", f.Tile, err)
		}
		if want := next*tree.Width - max(1, f.Tile*tree.Width); int64(bytes.Count(text, []byte("\n"))) != want || text[len(text)-1] != '\n' {
			return bad("has something else behind the tiles from %d to %d", f.Tile, next-1)
		}
		at += f.Size
	}
	if at != s.size {
		return bad("goes on behind transaction %d, its last", s.Last)
	}
	return nil
}

// checkRoot holds leaf 0 and the root of the header against the tree that a record keeps.
func (s *Segment) checkRoot(origin []byte, nodes tree.Nodes) error {
	if s.Origin != string(origin) {
		return s.ofAnother(origin)
	}
	head, err := nodes.At(s.Last + 1)
	if err != nil {
		return err
	}
	if head.Root != s.Root {
		return fmt.Errorf("%w: %s ends with another root than the record has there"+putBack, ErrDamaged, s.path)
	}
	return nil
}

// under returns the tree that a segment is held against, of a record with this leaf 0 and these
// nodes. If the record went on from a copy it had another leaf 0 before the same transactions: the
// tree then is the one that the segment names.
func (s *Segment) under(origin []byte, nodes tree.Nodes) ([]byte, tree.Nodes) {
	if former := []byte(s.Origin); tree.Continues(origin) && !bytes.Equal(former, origin) {
		return former, nodes.Under(former)
	}
	return origin, nodes
}

// CheckHeader holds the header against the tree that a record keeps: leaf 0, the root, and that the
// tree of its checkpoint begins with it. Who signed that is for the caller to ask. An error wraps
// [ErrDamaged] where it does not hold.
func (s *Segment) CheckHeader(origin []byte, nodes tree.Nodes) error {
	if err := s.checkRoot(s.under(origin, nodes)); err != nil {
		return err
	}
	name, head, err := tree.ParseSigned(s.Checkpoint)
	if err == nil {
		err = tree.CheckConsistency(s.Growth, head, s.Head())
	}
	if err == nil && name != tree.Name([]byte(s.Origin)) {
		err = fmt.Errorf("it is one of %s", name)
	}
	if err != nil {
		return fmt.Errorf("%w: the checkpoint in %s does not cover the transactions up to %d: %w"+putBack, ErrDamaged, s.path, s.Last, err)
	}
	return nil
}

// tile reads the lines of a tile.
func (s *Segment) tile(n int64, text *bufio.Reader) (tile []house.Leaf, err error) {
	for seq := max(1, n*tree.Width); seq < (n+1)*tree.Width; seq++ {
		line, err := readLine(text)
		if err != nil {
			return nil, fmt.Errorf("%w: transaction %d of %s cannot be read: %w"+putBack, ErrDamaged, seq, s.path, err)
		}
		leaf, err := ReadLeaf(line)
		if err != nil {
			return nil, fmt.Errorf("%w: a transaction in %s is not as it was written: %w", ErrDamaged, s.path, err)
		}
		if leaf.Seq != seq {
			return nil, fmt.Errorf("%w: in %s transaction %d stands where %d belongs"+putBack, ErrDamaged, s.path, leaf.Seq, seq)
		}
		tile = append(tile, leaf)
	}
	return tile, nil
}

// Tiles hands out the transactions of the segment, a tile at a time, from the first to the
// last that the header names. It wants nothing behind them.
func (s *Segment) Tiles(yield func(tile int64, leaves []house.Leaf) error) error {
	text, done, err := s.lines()
	if err != nil {
		return err
	}
	defer done()
	if _, err := readLine(text); err != nil {
		return err
	}
	for n := FirstTile(&s.Header); n*tree.Width <= s.Last; n++ {
		leaves, err := s.tile(n, text)
		if err != nil {
			return err
		}
		if err := yield(n, leaves); err != nil {
			return err
		}
	}
	switch _, err := text.ReadByte(); {
	case err == nil:
		return fmt.Errorf("%w: %s goes on behind transaction %d, its last"+putBack, ErrDamaged, s.path, s.Last)
	case !errors.Is(err, io.EOF):
		return fmt.Errorf("%w: %s cannot be read behind transaction %d, its last: %w"+putBack, ErrDamaged, s.path, s.Last, err)
	}
	return nil
}

// Hash returns the root over a tile, as the tree has it in level 1.
func Hash(origin []byte, tile []house.Leaf) tree.Hash {
	edge := &tree.Edge{}
	if len(tile) < tree.Width {
		edge.Add(tree.LeafHash(origin))
	}
	for i := range tile {
		edge.Add(tree.LeafHash(tile[i].Text()))
	}
	return edge.Head().Root
}

// Prove reads every tile and holds it against the tree that a record keeps, and the header
// against what the record says. An error says what does not hold.
func (s *Segment) Prove(origin []byte, nodes tree.Nodes, frames []Frame) error {
	if err := s.checkRoot(origin, nodes); err != nil {
		return err
	}
	next := FirstTile(&s.Header)
	for _, f := range frames {
		if f.Tile != next {
			return fmt.Errorf("%w: a frame of %s begins with tile %d, and %d comes next"+putBack, ErrDamaged, s.path, f.Tile, next)
		}
		for ; next < f.Tile+FrameTiles && next*tree.Width <= s.Last; next++ {
			tile, err := s.Tile(f, next)
			if err != nil {
				return err
			}
			kept, err := nodes(1, next, 1)
			if err != nil {
				return err
			}
			if Hash(origin, tile) != kept[0] {
				return s.Altered(next)
			}
		}
	}
	if want := (s.Last + 1) / tree.Width; next != want {
		return fmt.Errorf("%w: %s ends before tile %d, and its header says %d"+putBack, ErrDamaged, s.path, next, want)
	}
	return nil
}

// Altered returns the error of a tile that is not what the tree has.
func (s *Segment) Altered(tile int64) error {
	return fmt.Errorf("%w: one of the transactions %d to %d in %s is not what was recorded"+putBack, ErrDamaged, max(1, tile*tree.Width), (tile+1)*tree.Width-1, s.path)
}
