package archive_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"trey/internal/house"
	"trey/internal/store/archive"
	"trey/internal/tree"
)

var origin = tree.Origin([32]byte{7}, "")

// leavesTo are the transactions of a record from the first to one.
func leavesTo(t *testing.T, last int64) []house.Leaf {
	t.Helper()
	var leaves []house.Leaf
	for seq := int64(1); seq <= last; seq++ {
		stream := []string{"table:A", "table:B", "house"}[seq%3]
		line, err := house.NewLine(&house.Transaction{
			AtMs: 1000 * seq, Cause: house.Cause{By: "ann", Role: "player", Kind: fmt.Sprint("kind-", seq)},
			Parts: []house.StreamAppend{{Stream: stream, After: seq, Events: []house.Event{{Kind: "k", Body: []byte("{}")}}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		leaves = append(leaves, house.Leaf{Seq: seq, AtMs: 1000 * seq, Salt: tree.Salt{byte(seq), byte(seq >> 8)}, Line: line})
	}
	return leaves
}

// edgeTo is the tree with the leaves up to one.
func edgeTo(leaves []house.Leaf, last int64) (edge *tree.Edge, nodes map[int][]tree.Hash) {
	edge, nodes = &tree.Edge{}, map[int][]tree.Hash{}
	edge.Add(tree.LeafHash(origin))
	for i := range leaves[:last] {
		for _, n := range edge.Add(tree.LeafHash(leaves[i].Text())) {
			nodes[n.Level] = append(nodes[n.Level], n.Hash)
		}
	}
	return edge, nodes
}

// nodesOf reads the nodes of a tree.
func nodesOf(leaves []house.Leaf, last int64) tree.Nodes {
	_, kept := edgeTo(leaves, last)
	return func(level int, from int64, count int) (all []tree.Hash, err error) {
		if level > 0 {
			return kept[level][from : from+int64(count)], nil
		}
		for i := from; i < from+int64(count); i++ {
			text := origin
			if i > 0 {
				text = leaves[i-1].Text()
			}
			all = append(all, tree.LeafHash(text))
		}
		return all, nil
	}
}

func header(leaves []house.Leaf, first, last int64) *archive.Header {
	edge, _ := edgeTo(leaves, last)
	return &archive.Header{Form: archive.Form, Origin: string(origin), First: first, Last: last, Root: edge.Head().Root}
}

// tilesOf hands out the transactions of a segment, a tile at a time.
func tilesOf(leaves []house.Leaf, h *archive.Header) func() ([]house.Leaf, error) {
	tile := archive.FirstTile(h)
	return func() ([]house.Leaf, error) {
		from, to := max(1, tile*tree.Width), (tile+1)*tree.Width
		if from > h.Last {
			return nil, nil
		}
		tile++
		return leaves[from-1 : to-1], nil
	}
}

func accepted(string, []archive.Frame) error { return nil }

// write writes a segment and opens it.
func write(t *testing.T, folder string, leaves []house.Leaf, first, last int64) (*archive.Segment, []archive.Frame, string) {
	t.Helper()
	h := header(leaves, first, last)
	path := filepath.Join(folder, fmt.Sprint(first)+archive.Ending)
	frames, err := archive.Write(path, h, tilesOf(leaves, h), accepted)
	if err != nil {
		t.Fatal(err)
	}
	return open(t, path), frames, path
}

func open(t *testing.T, path string) *archive.Segment {
	t.Helper()
	s, err := archive.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
			t.Error(err)
		}
	})
	return s
}

// packed writes a file of such lines.
func packed(t *testing.T, path string, lines ...string) {
	t.Helper()
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, enc.EncodeAll([]byte(strings.Join(lines, "")), nil), 0o600); err != nil {
		t.Fatal(err)
	}
}

// text are the lines of a segment, with the header first.
func text(t *testing.T, h *archive.Header, leaves []house.Leaf) []string {
	t.Helper()
	head, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{string(head) + "\n"}
	for i := range leaves {
		lines = append(lines, string(archive.AppendLeaf(nil, &leaves[i])))
	}
	return lines
}

func wants(t *testing.T, what string, err, want error, words string) {
	t.Helper()
	if err == nil || want != nil && !errors.Is(err, want) || !strings.Contains(err.Error(), words) {
		t.Errorf("%s: %v, want %q", what, err, words)
	}
}

// Five tiles lie in two frames; each is read by itself and all of them one after the other,
// as they were written.
func TestASegmentIsReadAsItWasWritten(t *testing.T) {
	leaves := leavesTo(t, 1535)
	s, frames, path := write(t, t.TempDir(), leaves, 1, 1279)
	if s.Head() != (tree.Head{Size: 1280, Root: s.Root}) || s.Origin != string(origin) || s.First != 1 {
		t.Errorf("its header is %+v", s.Header)
	}
	info, err := os.Stat(path)
	if err != nil || len(frames) != 2 || frames[0].Tile != 0 || frames[1].Tile != 4 || frames[1].Start != frames[0].Start+frames[0].Size || frames[1].Start+frames[1].Size != info.Size() {
		t.Fatalf("its frames are %+v of %d bytes, %v", frames, info.Size(), err)
	}
	for n := range int64(5) {
		tile, err := s.Tile(frames[n/archive.FrameTiles], n)
		if err != nil || !reflect.DeepEqual(tile, leaves[max(1, n*256)-1:(n+1)*256-1]) {
			t.Errorf("tile %d has %d transactions, %v", n, len(tile), err)
		}
		kept, err := nodesOf(leaves, 1279)(1, n, 1)
		if err != nil || archive.Hash(origin, tile) != kept[0] {
			t.Errorf("tile %d has the hash %s, %v", n, archive.Hash(origin, tile), err)
		}
	}
	var all []house.Leaf
	if err := s.Tiles(func(n int64, tile []house.Leaf) error {
		if n != int64(len(all)+1)/256 {
			t.Errorf("tile %d comes after %d transactions", n, len(all))
		}
		all = append(all, tile...)
		return nil
	}); err != nil || !reflect.DeepEqual(all, leaves[:1279]) {
		t.Errorf("%d transactions are read, %v", len(all), err)
	}
	if err := s.Prove(origin, nodesOf(leaves, 1535), frames); err != nil {
		t.Error(err)
	}
	stop := errors.New("stop")
	if err := s.Tiles(func(int64, []house.Leaf) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("whoever stops gets %v", err)
	}
}

// A header names whole tiles, from the first transaction or the beginning of a tile on.
func TestHeaderCheck(t *testing.T) {
	for _, h := range []archive.Header{{First: 1, Last: 255}, {First: 256, Last: 511}, {First: 256, Last: 1279}} {
		h.Form = archive.Form
		if err := h.Check(); err != nil {
			t.Errorf("%+v: %v", h, err)
		}
	}
	for _, h := range []archive.Header{
		{First: 0, Last: 255},
		{First: -256, Last: 255},
		{First: 2, Last: 255},
		{First: 255, Last: 511},
		{First: 257, Last: 511},
		{First: 1, Last: 254},
		{First: 1, Last: 256},
		{First: 256, Last: 255},
		{First: 512, Last: 511},
		{First: 1, Last: -1},
	} {
		h.Form = archive.Form
		wants(t, fmt.Sprint(h.First, " to ", h.Last), h.Check(), nil, "no whole tiles")
	}
	wants(t, "another form", (&archive.Header{Form: "trey archive v2", First: 1, Last: 255}).Check(), nil, `its form is "trey archive v2"`)
}

// A line is read only as it is written.
func TestLinesThatAreRefused(t *testing.T) {
	leaf := leavesTo(t, 1)[0]
	good := string(archive.AppendLeaf(nil, &leaf))
	if read, err := archive.ReadLeaf([]byte(good)); err != nil || !reflect.DeepEqual(read, leaf) {
		t.Fatalf("%s is read as %+v, %v", good, read, err)
	}
	for _, test := range []struct{ was, becomes, words string }{
		{good, "line\n", "a line cannot be read"},
		{`"salt":"AQ`, `"salt":"!!`, "the salt of transaction 1"},
		{`"salt":"AQAA`, `"salt":"`, "the salt of transaction 1"},
		{`"line":{"cause"`, `"line":{"because"`, "transaction 1"},
		{`"line":{`, `"line":[{`, ""},
		{`"seq":1,`, `"seq": 1,`, "not written as this program writes it"},
		{"}\n", "}", "not written as this program writes it"},
	} {
		bad := strings.Replace(good, test.was, test.becomes, 1)
		if bad == good {
			t.Fatalf("%s is not in %s", test.was, good)
		}
		_, err := archive.ReadLeaf([]byte(bad))
		wants(t, test.becomes, err, house.ErrCorrupt, test.words)
	}
}

// What cannot be written whole, or is not what was meant, leaves no file.
func TestWriteLeavesNothingBehind(t *testing.T) {
	leaves := leavesTo(t, 255)
	h := header(leaves, 1, 255)
	stop := errors.New("stop")
	folder := t.TempDir()
	taken := filepath.Join(folder, "taken")
	if err := os.MkdirAll(filepath.Join(taken, "not empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, path string
		next       func() ([]house.Leaf, error)
		check      func(string, []archive.Frame) error
		want       error
	}{
		{"transactions that cannot be read", filepath.Join(folder, "x"), func() ([]house.Leaf, error) { return nil, stop }, accepted, stop},
		{"a check that fails", filepath.Join(folder, "x"), tilesOf(leaves, h), func(path string, frames []archive.Frame) error {
			if s := open(t, path); s.Last != 255 || len(frames) != 1 {
				t.Errorf("checked is %+v", s.Header)
			}
			return stop
		}, stop},
		{"a folder in its place", taken, tilesOf(leaves, h), accepted, nil},
		{"no folder", filepath.Join(folder, "nowhere", "x"), tilesOf(leaves, h), accepted, fs.ErrNotExist},
	} {
		frames, err := archive.Write(test.path, h, test.next, test.check)
		if err == nil || test.want != nil && !errors.Is(err, test.want) || frames != nil {
			t.Errorf("%s: %v, %+v", test.name, err, frames)
		}
		if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
			t.Errorf("%s: %v is left, %v", test.name, left, err)
		}
	}
}

// A file that is no segment, or a part of one, is found and named.
func TestDamagedSegments(t *testing.T) {
	folder := t.TempDir()
	_, err := archive.Open(filepath.Join(folder, "gone"))
	wants(t, "no file", err, archive.ErrMissing, "put the file")
	_, err = archive.Open(filepath.Join(folder, strings.Repeat("x", 300)))
	if err == nil || errors.Is(err, archive.ErrMissing) || errors.Is(err, house.ErrCorrupt) {
		t.Errorf("a file that cannot be opened: %v", err)
	}
	leaves := leavesTo(t, 511)
	h := header(leaves, 1, 255)
	path := filepath.Join(folder, "damaged")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = archive.Open(path)
	wants(t, "nothing in it", err, archive.ErrDamaged, path+" is no segment of an archive: it is empty: put a copy of the file back")
	for name, lines := range map[string][]string{
		"nothing": nil, "no end of a line": {"{}"}, "no JSON": {"header\n"}, "another form": {`{"archive":"v9"}` + "\n"},
	} {
		packed(t, path, lines...)
		_, err := archive.Open(path)
		wants(t, name, err, archive.ErrDamaged, path+" is no segment of an archive")
		wants(t, name, err, house.ErrCorrupt, "put a copy of the file back")
	}
	written := text(t, h, leaves[:255])[0]
	for _, more := range []string{`{"First":1,`, `{"more":0,`, `{"archive":"v9",`, `{ `} {
		packed(t, path, strings.Replace(written, "{", more, 1))
		_, err := archive.Open(path)
		wants(t, more, err, house.ErrCorrupt, "its header is not written as this program writes it")
	}
	if err := os.WriteFile(path, []byte("not packed"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = archive.Open(path)
	wants(t, "not packed", err, house.ErrCorrupt, path)

	// A few bytes that unpack to a line without an end.
	long, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	bomb := bytes.Repeat(long.EncodeAll(make([]byte, 16<<20), nil), 5)
	if err := os.WriteFile(path, bomb, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = archive.Open(path)
	wants(t, "a line without an end", err, house.ErrCorrupt, "a line of it is longer than")
	_, err = archive.Open(folder)
	wants(t, "a folder", err, house.ErrCorrupt, folder+" is no segment of an archive: it is no file")

	none := func(int64, []house.Leaf) error { return nil }
	good := text(t, h, leaves[:255])
	for name, lines := range map[string][]string{
		"it ends before its last":      good[:200],
		"it goes on behind its last":   append(slices.Clone(good), good[1]),
		"two in each other's place":    slices.Concat(good[:5], good[6:7], good[5:6], good[7:]),
		"a line that cannot be read":   slices.Concat(good[:5], []string{"{}\n"}, good[6:]),
		"a transaction twice":          slices.Concat(good[:5], good[4:]),
		"a last line without its end":  slices.Concat(good[:255], []string{strings.TrimSuffix(good[255], "\n")}),
		"one that belongs before them": slices.Concat(good[:1], []string{string(archive.AppendLeaf(nil, &house.Leaf{Line: leaves[0].Line}))}, good[2:]),
	} {
		packed(t, path, lines...)
		read := 0
		wants(t, name, open(t, path).Tiles(func(int64, []house.Leaf) error { read++; return nil }), house.ErrCorrupt, path)
		if (read > 0) != strings.HasPrefix(name, "it goes on") {
			t.Errorf("%s: %d tiles are read", name, read)
		}
	}

	// By its frames.
	s, frames, path := write(t, folder, leaves, 1, 255)
	for name, f := range map[string]archive.Frame{
		"behind the file":      {Start: frames[0].Start + frames[0].Size, Size: 10},
		"beside the frame":     {Start: frames[0].Start + 1, Size: frames[0].Size - 1},
		"a part of the frame":  {Start: frames[0].Start, Size: frames[0].Size / 2},
		"of another tile":      {Tile: 1, Start: frames[0].Start, Size: frames[0].Size},
		"before the file":      {Start: -1, Size: 10},
		"of less than no size": {Start: 0, Size: -1},
		"larger than memory":   {Start: 0, Size: 1 << 60},
	} {
		_, err := s.Tile(f, f.Tile)
		wants(t, name, err, house.ErrCorrupt, path)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Tiles(none); err == nil {
		t.Error("a file that is closed is read")
	}
}

// A segment is proved against the tree of the record, tile by tile to its last.
func TestProve(t *testing.T) {
	leaves := leavesTo(t, 1535)
	folder := t.TempDir()
	s, frames, path := write(t, folder, leaves, 1, 1279)
	nodes := nodesOf(leaves, 1535)
	stop := errors.New("stop")
	wants(t, "another house", s.Prove(tree.Origin([32]byte{8}, ""), nodes, frames), house.ErrCorrupt, path+" is of "+tree.Name(origin))
	wants(t, "no frames", s.Prove(origin, nodes, nil), house.ErrCorrupt, "ends before tile 0, and its header says 5")
	wants(t, "a frame less", s.Prove(origin, nodes, frames[:1]), house.ErrCorrupt, "ends before tile 4, and its header says 5")
	wants(t, "the first frame left out", s.Prove(origin, nodes, frames[1:]), house.ErrCorrupt, "begins with tile 4, and 0 comes next")
	wants(t, "a frame twice", s.Prove(origin, nodes, append(slices.Clone(frames), frames[1])), house.ErrCorrupt, "begins with tile 4, and 5 comes next")
	cut := slices.Clone(frames)
	cut[1].Size /= 2
	wants(t, "half a frame", s.Prove(origin, nodes, cut), archive.ErrDamaged, "the transactions 1024 to 1279 in "+path)
	if err := s.Prove(origin, func(int, int64, int) ([]tree.Hash, error) { return nil, stop }, frames); !errors.Is(err, stop) {
		t.Errorf("a tree that cannot be read: %v", err)
	}
	first := func(level int, from int64, count int) ([]tree.Hash, error) {
		if level == 1 && count == 1 && from == 3 {
			return nil, stop
		}
		return nodes(level, from, count)
	}
	if err := s.Prove(origin, first, frames); !errors.Is(err, stop) {
		t.Errorf("a hash that cannot be read: %v", err)
	}
	other := leavesTo(t, 1535)
	other[1000].AtMs++
	s2, frames, path := write(t, t.TempDir(), other, 1, 1279)
	wants(t, "another root", s2.Prove(origin, nodes, frames), house.ErrCorrupt, "ends with another root")
	s2.Root = s.Root // its header says what the record says
	wants(t, "a transaction altered", s2.Prove(origin, nodes, frames), house.ErrCorrupt, "one of the transactions 768 to 1023 in "+path)
	wants(t, "the first tile", s2.Altered(0), house.ErrCorrupt, "one of the transactions 1 to 255 in "+path)
}

// Whatever stands in a file besides its header and its frames is found.
func TestWhole(t *testing.T) {
	leaves := leavesTo(t, 1535)
	s, frames, path := write(t, t.TempDir(), leaves, 1, 1279)
	if err := s.Whole(frames); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	more := enc.EncodeAll(archive.AppendLeaf(nil, &leaves[3]), nil)
	n := int64(len(more))
	behind := func(f archive.Frame, start, size int64) archive.Frame {
		return archive.Frame{Tile: f.Tile, Start: f.Start + start, Size: f.Size + size}
	}
	for _, test := range []struct {
		name   string
		at     int64 // where more is put in
		frames []archive.Frame
		want   string
	}{
		{"before the first frame", frames[0].Start, []archive.Frame{behind(frames[0], n, 0), behind(frames[1], n, 0)}, "more than a header before its first tile"},
		{"between two frames", frames[1].Start, []archive.Frame{frames[0], behind(frames[1], n, 0)}, "something else before tile 4"},
		{"in a frame", frames[1].Start, []archive.Frame{behind(frames[0], 0, n), behind(frames[1], n, 0)}, "something else behind the tiles from 0 to 3"},
		{"in the last frame", int64(len(good)), []archive.Frame{frames[0], behind(frames[1], 0, n)}, "something else behind the tiles from 4 to 4"},
		{"behind the last frame", int64(len(good)), frames, "goes on behind transaction 1279, its last"},
	} {
		if err := os.WriteFile(path, slices.Concat(good[:test.at], more, good[test.at:]), 0o600); err != nil {
			t.Fatal(err)
		}
		wants(t, test.name, open(t, path).Whole(test.frames), house.ErrCorrupt, test.want)
	}
}

// TestAFolderOfTwoTrees has a record that went on from a copy, under another leaf 0, after its first
// segment was written: that one is held against the tree that it names.
func TestAFolderOfTwoTrees(t *testing.T) {
	leaves, folder := leavesTo(t, 1023), t.TempDir()
	_, _, first := write(t, folder, leaves, 1, 511)
	now := tree.Origin([32]byte{9}, "the last checkpoint of the tree before")
	edge := &tree.Edge{}
	edge.Add(tree.LeafHash(now))
	for i := range leaves {
		edge.Add(tree.LeafHash(leaves[i].Text()))
	}
	second := &archive.Header{Form: archive.Form, Origin: string(now), First: 512, Last: 1023, Root: edge.Head().Root}
	if _, err := archive.Write(filepath.Join(folder, "512"+archive.Ending), second, tilesOf(leaves, second), accepted); err != nil {
		t.Fatal(err)
	}
	r, err := archive.OpenFolder(t.Context(), folder)
	if err != nil || r.Head() != edge.Head() || r.Close() != nil {
		t.Fatalf("it does not open: %v", err)
	}
	wrong := header(leaves, 1, 511)
	wrong.Root[0] ^= 1
	packed(t, first, text(t, wrong, leaves[:511])...)
	_, err = archive.OpenFolder(t.Context(), folder)
	wants(t, "another root", err, house.ErrCorrupt, first+" ends with another root than the record has there")
	wrong = header(leaves, 1, 511)
	wrong.Origin = string(tree.Origin([32]byte{8}, ""))
	packed(t, first, text(t, wrong, leaves[:511])...)
	_, err = archive.OpenFolder(t.Context(), folder)
	wants(t, "a tree that nobody had", err, house.ErrCorrupt, first+" ends with another root than the record has there")
}

// The segments of a folder are one record: read from anywhere, by stream, and with its tree.
func TestAFolderIsARecord(t *testing.T) {
	leaves, folder := leavesTo(t, 1535), t.TempDir()
	write(t, folder, leaves, 1280, 1535)
	_, _, first := write(t, folder, leaves, 1, 255)
	write(t, folder, leaves, 256, 1279)
	r, err := archive.OpenFolder(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	edge, _ := edgeTo(leaves, 1535)
	if r.Head() != edge.Head() || string(r.Origin()) != string(origin) || r.Last().First != 1280 || filepath.Base(r.LastPath()) != "1280"+archive.Ending {
		t.Errorf("it is %+v of %s, and ends with %+v in %s", r.Head(), r.Origin(), r.Last(), r.LastPath())
	}
	stop := errors.New("stop")
	for _, after := range []int64{0, 1, 254, 255, 256, 1279, 1534, 1535} {
		var read []int64
		if err := r.Leaves(t.Context(), after, func(l house.Leaf) error { read = append(read, l.Seq); return nil }); err != nil {
			t.Fatal(err)
		}
		if int64(len(read)) != 1535-after || len(read) > 0 && read[0] != after+1 {
			t.Errorf("after %d it hands out %d transactions", after, len(read))
		}
	}
	if err := r.Leaves(t.Context(), 3, func(house.Leaf) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("whoever stops gets %v", err)
	}
	for stream, want := range map[string]int{"": 1535, "table:A": 511, "table:B": 512, "house": 512, "nobody": 0} {
		n := 0
		if err := r.ReadAll(t.Context(), 0, stream, func(e house.StoredTransaction) error {
			if n++; e.Cause.Kind != fmt.Sprint("kind-", e.Seq) || stream != "" && e.Parts[0].Stream != stream {
				t.Errorf("transaction %d of %s is %+v", e.Seq, stream, e)
			}
			return nil
		}); err != nil || n != want {
			t.Errorf("%s has %d transactions, want %d, %v", stream, n, want, err)
		}
	}
	want := nodesOf(leaves, 1535)
	for _, row := range []struct {
		level, count int
		from         int64
	}{{0, 3, 0}, {0, 1, 0}, {0, 2, 1}, {0, 4, 254}, {0, 1, 1535}, {1, 6, 0}, {1, 1, 5}} {
		got, err := r.Nodes(t.Context(), row.level, row.from, row.count)
		kept, _ := want(row.level, row.from, row.count)
		if err != nil || !reflect.DeepEqual(got, kept) {
			t.Errorf("%+v: %d hashes, %v", row, len(got), err)
		}
	}
	if texts, err := r.LeafTexts(t.Context(), 0, 0); err != nil || len(texts) != 0 {
		t.Errorf("no leaves are %q, %v", texts, err)
	}
	if texts, err := r.LeafTexts(t.Context(), 0, 2); err != nil || !bytes.Equal(texts[0], origin) || !bytes.Equal(texts[1], leaves[0].Text()) {
		t.Errorf("the first leaves are %q, %v", texts, err)
	}
	_, err = r.LeafTexts(t.Context(), 1534, 3)
	wants(t, "a leaf to come", err, tree.ErrBeyond, "leaf 1536")
	for _, row := range []struct {
		level, count int
		from         int64
	}{{1, 7, 0}, {1, 1, 6}, {1, 1, -1}, {2, 1, 0}} {
		_, err := r.Nodes(t.Context(), row.level, row.from, row.count)
		wants(t, fmt.Sprintf("%+v", row), err, tree.ErrBeyond, "")
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := r.Leaves(t.Context(), 0, func(house.Leaf) error { return nil }); err == nil {
		t.Error("a record that is closed is read")
	}

	// One that is damaged, or is not there, is no record.
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := archive.OpenFolder(ended, folder); !errors.Is(err, context.Canceled) {
		t.Errorf("a reading that was given up: %v", err)
	}
	_, err = archive.OpenFolder(t.Context(), t.TempDir())
	wants(t, "an empty folder", err, archive.ErrMissing, "no file in")
	_, err = archive.OpenFolder(t.Context(), "[")
	wants(t, "a folder that is not there", err, archive.ErrMissing, "no file in [")
	odd := filepath.Join(t.TempDir(), "[a]")
	if err := os.CopyFS(odd, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	if r, err := archive.OpenFolder(t.Context(), odd); err != nil || r.Head() != edge.Head() || r.Close() != nil {
		t.Errorf("a folder whose name is a pattern: %v", err)
	}
	twice := filepath.Join(odd, "2026-12"+archive.Ending)
	if err := os.Link(filepath.Join(odd, filepath.Base(first)), twice); err != nil {
		t.Fatal(err)
	}
	_, err = archive.OpenFolder(t.Context(), odd)
	wants(t, "a segment twice", err, house.ErrCorrupt, "begins with transaction 1, which ")
	good, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(first); err != nil {
		t.Fatal(err)
	}
	_, err = archive.OpenFolder(t.Context(), folder)
	wants(t, "without the first", err, archive.ErrMissing, "begins with transaction 256, and 1 comes next")
	wrong := header(leaves, 1, 255)
	wrong.Root = tree.Hash{1}
	packed(t, first, text(t, wrong, leaves[:255])...)
	_, err = archive.OpenFolder(t.Context(), folder)
	wants(t, "another root", err, house.ErrCorrupt, first+" ends with another root than the record has there")
	wrong.Origin = string(tree.Origin([32]byte{8}, ""))
	packed(t, first, text(t, wrong, leaves[:255])...)
	_, err = archive.OpenFolder(t.Context(), folder)
	wants(t, "another leaf 0", err, house.ErrCorrupt, first+" is of "+tree.Name([]byte(wrong.Origin)))
	packed(t, first, text(t, header(leaves, 1, 255), leaves[:200])...)
	_, err = archive.OpenFolder(t.Context(), folder)
	wants(t, "a segment cut off", err, house.ErrCorrupt, first)
	packed(t, first, "header\n")
	_, err = archive.OpenFolder(t.Context(), folder)
	wants(t, "no segment", err, house.ErrCorrupt, first+" is no segment")
	if err := os.WriteFile(first, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := archive.OpenFolder(t.Context(), folder); err != nil || r.Close() != nil {
		t.Errorf("put back: %v", err)
	}
}
