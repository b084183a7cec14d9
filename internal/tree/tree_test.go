package tree

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
	"pgregory.net/rapid"

	_ "trey/internal/steady"
)

// mth is the Merkle tree hash as RFC 6962 section 2.1 writes it, recursively.
func mth(leaves [][]byte) [32]byte {
	switch len(leaves) {
	case 0:
		return sha256.Sum256(nil)
	case 1:
		return sha256.Sum256(append([]byte{0}, leaves[0]...))
	}
	k := 1
	for k*2 < len(leaves) {
		k *= 2
	}
	left, right := mth(leaves[:k]), mth(leaves[k:])
	return sha256.Sum256(slices.Concat([]byte{1}, left[:], right[:]))
}

// grown is a tree with its nodes kept as a store keeps them.
type grown struct {
	edge   *Edge
	leaves [][]byte
	kept   map[Node]Hash
}

func grow(size int) *grown {
	g := &grown{edge: &Edge{}, kept: map[Node]Hash{}}
	for range size {
		g.add()
	}
	return g
}

func (g *grown) add() {
	text := binary.BigEndian.AppendUint64(nil, uint64(len(g.leaves)))
	h := LeafHash(text)
	g.kept[Node{Level: 0, N: int64(len(g.leaves))}] = h
	for _, n := range g.edge.Add(h) {
		g.kept[Node{Level: n.Level, N: n.N}] = n.Hash
	}
	g.leaves = append(g.leaves, text)
}

func (g *grown) nodes(level int, from int64, count int) ([]Hash, error) {
	row := make([]Hash, count)
	for i := range row {
		h, known := g.kept[Node{Level: level, N: from + int64(i)}]
		if !known {
			return nil, fmt.Errorf("node %d of level %d is not kept", from+int64(i), level)
		}
		row[i] = h
	}
	return row, nil
}

var sizes = []int{0, 1, 2, 3, 7, 8, 255, 256, 257, 511, 512, 513, 1000, 65535, 65536, 65537, 65793}

func TestRootIsThatOfTheStandard(t *testing.T) {
	g := grow(0)
	for _, size := range sizes {
		for len(g.leaves) < size {
			g.add()
		}
		want := mth(g.leaves)
		if got := g.edge.Head(); got.Size != int64(size) || got.Root != want {
			t.Errorf("%d leaves: the edge has root %v of %d, want %v", size, got.Root, got.Size, Hash(want))
		}
		loaded, err := Load(int64(size), g.nodes)
		if err != nil {
			t.Fatalf("%d leaves: %v", size, err)
		}
		if got := loaded.Head(); got.Root != want {
			t.Errorf("%d leaves: the edge loaded has root %v, want %v", size, got.Root, Hash(want))
		}
		if got, err := Nodes(g.nodes).At(int64(size)); err != nil || got.Root != want {
			t.Errorf("%d leaves: the nodes have root %v (%v), want %v", size, got.Root, err, Hash(want))
		}
	}
	// What the tree was is still there when it has grown.
	for _, size := range sizes {
		if got, err := Nodes(g.nodes).At(int64(size)); err != nil || got.Root != mth(g.leaves[:size]) {
			t.Errorf("the tree of %d leaves: %v, %v", size, got.Root, err)
		}
	}
}

// TestUnder compares the nodes of a tree with another leaf 0 with those of that tree.
func TestUnder(t *testing.T) {
	const size = 66_000 // 65,536 leaves are a node of level 2
	g := grow(size)
	leaves := slices.Clone(g.leaves)
	leaves[0] = []byte("another origin")
	under := Nodes(g.nodes).Under(leaves[0])
	for _, at := range []int{1, 2, 255, 256, 257, 65_536, size} {
		if got, err := under.At(int64(at)); err != nil || got.Root != mth(leaves[:at]) {
			t.Errorf("the tree of %d leaves: %v, %v", at, got.Root, err)
		}
	}
	if row, err := Nodes(g.nodes)(1, 0, 1); err != nil || row[0] != mth(g.leaves[:Width]) {
		t.Errorf("the nodes themselves have changed: %v, %v", row, err)
	}
	failing := Nodes(func(level int, from int64, count int) ([]Hash, error) {
		if level == 0 {
			return nil, ErrBeyond
		}
		return g.nodes(level, from, count)
	})
	if _, err := failing.Under(leaves[0]).At(256); !errors.Is(err, ErrBeyond) {
		t.Errorf("without its leaves: %v", err)
	}
}

func TestProofs(t *testing.T) {
	const size = 66_000
	g := grow(size)
	nodes := Nodes(g.nodes)
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.Int64Range(1, size).Draw(t, "size")
		leaf := rapid.Int64Range(0, in-1).Draw(t, "leaf")
		smaller := rapid.Int64Range(1, in).Draw(t, "smaller")
		head, err := nodes.At(in)
		if err != nil {
			t.Fatal(err)
		}
		proof, err := nodes.Inclusion(leaf, in)
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckInclusion(proof, head, leaf, g.leaves[leaf]); err != nil {
			t.Errorf("leaf %d of %d: %v", leaf, in, err)
		}
		if in > 1 {
			if err := CheckInclusion(proof, head, leaf, []byte("another leaf")); err == nil {
				t.Error("another leaf is proved by the same hashes")
			}
		}
		old, err := nodes.At(smaller)
		if err != nil {
			t.Fatal(err)
		}
		steps, err := nodes.Consistency(smaller, in)
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckConsistency(steps, head, old); err != nil {
			t.Errorf("from %d to %d: %v", smaller, in, err)
		}
		old.Root[rapid.IntRange(0, 31).Draw(t, "byte")]++
		if err := CheckConsistency(steps, head, old); err == nil {
			t.Error("a tree that was another is taken for the beginning of this one")
		}
	})
	for _, ask := range []struct{ leaf, size int64 }{{-1, 5}, {5, 5}, {0, 0}} {
		if _, err := nodes.Inclusion(ask.leaf, ask.size); err == nil {
			t.Errorf("leaf %d of %d is proved", ask.leaf, ask.size)
		}
	}
}

// Tiles are held against those of package tlog, which computes them from its own
// hashes.
func TestTiles(t *testing.T) {
	const size = 65_800
	g := grow(size)
	var stored []Hash
	reader := tlog.HashReaderFunc(func(indexes []int64) ([]Hash, error) {
		row := make([]Hash, len(indexes))
		for i, x := range indexes {
			row[i] = stored[x]
		}
		return row, nil
	})
	for i, text := range g.leaves {
		more, err := tlog.StoredHashes(int64(i), text, reader)
		if err != nil {
			t.Fatal(err)
		}
		stored = append(stored, more...)
	}
	count := 0
	for _, want := range tlog.NewTiles(Height, 0, size) {
		data, err := tlog.ReadTileData(want, reader)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Nodes(g.nodes).Tile(want.L, want.N, size)
		if err != nil || !bytes.Equal(got, data) {
			t.Fatalf("tile %s differs (%v)", want.Path(), err)
		}
		count++
	}
	if count != 258+2+1 { // 257 full ones of leaves and one of 8; a full one of level 1 and one of 1; one of level 2
		t.Errorf("%d tiles were compared", count)
	}
	for _, ask := range []struct {
		level int
		tile  int64
	}{{0, 258}, {1, 2}, {2, 1}, {3, 0}, {-1, 0}, {0, -1}, {60, 0}} {
		if _, err := Nodes(g.nodes).Tile(ask.level, ask.tile, size); err == nil {
			t.Errorf("tile %d of level %d is there", ask.tile, ask.level)
		}
	}
}

func TestLeaf(t *testing.T) {
	var salt Salt
	copy(salt[:], "the salt of one transaction.....")
	sections := []Section{{"cause", []byte(`{"by":"ann"}`)}, {"postings", []byte("[]")}}
	all := Commitments(salt, sections)
	got := string(Leaf(17, 1_766_400_000_000, Content(all)))
	sum := sha256.Sum256(slices.Concat(all[0][:], all[1][:]))
	want := "trey transaction v1\n17\n1766400000000\n" + base64.StdEncoding.EncodeToString(sum[:]) + "\n"
	if got != want {
		t.Errorf("the leaf is %q, want %q", got, want)
	}
	// One section is opened with its own salt, by hand, and says nothing of the other.
	sectionSalt := SectionSalt(salt, 1)
	opened := sha256.Sum256(slices.Concat([]byte("trey section v1\n"), sectionSalt[:], []byte("postings\n[]")))
	if all[1] != opened {
		t.Errorf("the commitment is %v, want %v", all[1], Hash(opened))
	}
	if SectionSalt(salt, 0) == sectionSalt || sectionSalt == salt {
		t.Error("two sections share a salt")
	}
	for what, other := range map[string][]Section{
		"text":  {{"cause", []byte(`{"by":"bob"}`)}, {"postings", []byte("[]")}},
		"name":  {{"because", []byte(`{"by":"ann"}`)}, {"postings", []byte("[]")}},
		"order": {{"postings", []byte("[]")}, {"cause", []byte(`{"by":"ann"}`)}},
		"fewer": {{"cause", []byte(`{"by":"ann"}`)}},
	} {
		if bytes.Equal(Leaf(17, 1_766_400_000_000, Content(Commitments(salt, other))), []byte(want)) {
			t.Errorf("another %s leaves the leaf as it is", what)
		}
	}
}

// What a record keeps of a salt is the salt: that much was drawn, or all of it where an older
// record has it. Nothing else is read as one.
func TestWhatIsKeptOfASalt(t *testing.T) {
	drawn, long := Salt{1, DrawnBytes - 1: 2}, Salt{1, len(Salt{}) - 1: 2}
	for _, salt := range []Salt{drawn, long, {}} {
		if got, ok := KeptSalt(salt.Kept()); !ok || got != salt {
			t.Errorf("%x is kept as %x and read as %x, %t", salt, salt.Kept(), got, ok)
		}
	}
	if len(drawn.Kept()) != 16 || len(long.Kept()) != 32 {
		t.Errorf("kept as %x and %x", drawn.Kept(), long.Kept())
	}
	for _, kept := range [][]byte{nil, drawn[:15], drawn[:17], drawn[:], long[:31], append(long[:], 0)} {
		if got, ok := KeptSalt(kept); ok {
			t.Errorf("%x is read as %x", kept, got)
		}
	}
}

// The salts of sections, also of many after one another, are what the library's HMAC comes to.
func TestSaltsOfSectionsAreHMAC(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var salt Salt
		copy(salt[:], rapid.SliceOfN(rapid.Byte(), DrawnBytes, len(Salt{})).Draw(t, "salt"))
		w := newSections(salt)
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 1<<40), 1, 9).Draw(t, "places") {
			mac := hmac.New(sha256.New, salt.Kept())
			mac.Write(binary.BigEndian.AppendUint64(nil, uint64(n)))
			want := Salt(mac.Sum(nil))
			if got := w.salt(n); got != want || SectionSalt(salt, n) != want {
				t.Fatalf("place %d has the salt %x, want %x", n, got, want)
			}
		}
	})
}

func TestOriginNamesTheTree(t *testing.T) {
	drawn := sha256.Sum256([]byte("chance"))
	plain := Origin(drawn, "")
	if want := "trey origin v1\n" + base64.StdEncoding.EncodeToString(drawn[:]) + "\n"; string(plain) != want {
		t.Errorf("leaf 0 is %q, want %q", plain, want)
	}
	h := sha256.Sum256(append([]byte{0}, plain...))
	if got, want := Name(plain), fmt.Sprintf("trey-house/%x", h[:16]); got != want {
		t.Errorf("the name is %s, want %s", got, want)
	}
	if Name(Origin(drawn, "an older checkpoint\n")) == Name(plain) {
		t.Error("a house that goes on from a copy has the name of the one before")
	}
	for text, want := range map[string]string{"": "", "trey-house/a\n7\n": "trey-house/a", "\"\\\n": "\"\\"} {
		if got := Continued(Origin(drawn, text)); got != want {
			t.Errorf("what continues %q continues the tree %q", text, got)
		}
	}
}

func TestKept(t *testing.T) {
	for size, want := range map[int64]int64{0: 0, 1: 0, 255: 0, 256: 1, 1000: 3, 65535: 255, 65536: 257, 1 << 24: 1<<16 + 1<<8 + 1} {
		if got := Kept(size); got != want {
			t.Errorf("of %d leaves %d nodes are kept, want %d", size, got, want)
		}
	}
}
