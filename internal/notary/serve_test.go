package notary

import (
	"context"
	"encoding/binary"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"trey/internal/tree"
)

// client reads tiles over HTTP, as package tlog asks for them.
type client struct {
	t   *testing.T
	log http.Handler
}

func (c client) Height() int { return tree.Height }

func (c client) ReadTiles(tiles []tlog.Tile) (all [][]byte, err error) {
	for _, t := range tiles {
		// c2sp.org/tlog-tiles leaves out the height that package tlog writes.
		data, status := c.get(strings.Replace(t.Path(), "tile/8/", "tile/", 1))
		if status != http.StatusOK {
			return nil, fmt.Errorf("%s: %d %s", t.Path(), status, data)
		}
		all = append(all, data)
	}
	return all, nil
}

func (c client) SaveTiles([]tlog.Tile, [][]byte) {}

func (c client) get(path string) ([]byte, int) {
	c.t.Helper()
	recorded := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(c.t.Context(), http.MethodGet, "/log/"+path, nil)
	c.log.ServeHTTP(recorded, request)
	return recorded.Body.Bytes(), recorded.Code
}

// A stranger reads the tree with package tlog, which checks every tile against the
// checkpoint, and proves a leaf and the growth from an older checkpoint by it.
func TestTreeIsReadOverHTTP(t *testing.T) {
	var texts []string
	for i := range 700 {
		texts = append(texts, fmt.Sprint("leaf ", i))
	}
	folder := filepath.Join(t.TempDir(), "keys")
	r := record()
	open(t, folder, r)
	r = record(texts[:300]...)
	n := open(t, folder, r)
	c := client{t, n.Handler("/log/")}
	var seen []Checkpoint
	for _, size := range []int{300, 700} {
		n.record = record(texts[:size]...)
		sign(t, n)
		note, status := c.get("checkpoint")
		key, _ := c.get("key")
		checkpoint, err := Read(note, strings.TrimSpace(string(key)))
		if err != nil || status != http.StatusOK || checkpoint.Size != int64(size+1) {
			t.Fatalf("checkpoint %q (%d): %v", note, status, err)
		}
		reader := tlog.TileHashReader(tlog.Tree{N: checkpoint.Size, Hash: checkpoint.Root}, c)
		for _, leaf := range []int64{0, 1, 255, 256, checkpoint.Size - 1} {
			proof, err := tlog.ProveRecord(checkpoint.Size, leaf, reader)
			if err != nil {
				t.Fatal(err)
			}
			if err := tlog.CheckRecord(proof, checkpoint.Size, checkpoint.Root, leaf, n.record.(*kept).leaves[leaf]); err != nil {
				t.Errorf("leaf %d of %d: %v", leaf, checkpoint.Size, err)
			}
		}
		for _, old := range seen {
			proof, err := tlog.ProveTree(checkpoint.Size, old.Size, reader)
			if err != nil {
				t.Fatal(err)
			}
			if err := CheckGrowth(proof, checkpoint, old); err != nil {
				t.Errorf("from %d to %d: %v", old.Size, checkpoint.Size, err)
			}
		}
		seen = append(seen, checkpoint)
	}
	entries, status := c.get("tile/entries/002.p/189")
	if status != http.StatusOK || int(binary.BigEndian.Uint16(entries)) != len("leaf 511") || string(entries[2:10]) != "leaf 511" {
		t.Errorf("entries: %d %q", status, entries)
	}
	for _, path := range []string{
		"tile/0/003", "tile/0/002", "tile/0/002.p/190", "tile/1/000", "tile/0/-01", "tile/0/0", "tile/0/00", "tile/0/0000", "tile/0/002.p/0", "tile/0/002.p/256",
		"tile/00/000", "tile/data/000", "tile/entries/003", "tile/9/000", "tile/64/000", "tile/0/x999/x999/x999/999", "tile/0/000/", "tile/0/000.p", "tile/", "tile/entries/", "tile/0/../../key",
	} {
		if text, status := c.get(path); status != http.StatusNotFound && status != http.StatusTemporaryRedirect && status != http.StatusMovedPermanently {
			t.Errorf("%s: %d %q", path, status, text)
		}
	}
}

func (k *kept) LeafTexts(_ context.Context, from int64, count int) (texts [][]byte, err error) {
	for i := from; i < from+int64(count); i++ {
		texts = append(texts, fmt.Appendf(nil, "leaf %d", i-1))
	}
	return texts, nil
}
