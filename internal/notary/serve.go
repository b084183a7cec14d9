package notary

import (
	"encoding/binary"
	"net/http"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"trey/internal/tree"
)

// Handler serves the tree to everybody as a tiled log (c2sp.org/tlog-tiles): checkpoint,
// tile/LEVEL/N and tile/entries/N under the prefix, each with .p/WIDTH for a part of a tile. It
// also serves witnessed, the newest checkpoint that a witness has cosigned; key, the line that
// verifies the checkpoint; and succession, the notes by which each key named the one after it.
// Nothing of it says what was recorded: an entry is a number, a time and a hash.
func (n *Notary) Handler(prefix string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+prefix+"checkpoint", func(w http.ResponseWriter, _ *http.Request) {
		send(w, "text/plain; charset=utf-8", "no-store", n.Last().Note)
	})
	mux.HandleFunc("GET "+prefix+"witnessed", func(w http.ResponseWriter, _ *http.Request) {
		c := n.Witnessed()
		if c.Size == 0 {
			http.Error(w, "No witness has cosigned a checkpoint of this house.", http.StatusNotFound)
			return
		}
		send(w, "text/plain; charset=utf-8", "no-store", c.Note)
	})
	mux.HandleFunc("GET "+prefix+"key", func(w http.ResponseWriter, _ *http.Request) {
		send(w, "text/plain; charset=utf-8", "no-store", []byte(n.Verifier()+"\n"))
	})
	mux.HandleFunc("GET "+prefix+"succession", func(w http.ResponseWriter, r *http.Request) {
		text, err := Succession(n.folder)
		if err != nil {
			http.Error(w, "The succession of the keys cannot be read now.", http.StatusInternalServerError)
			return
		}
		send(w, "text/plain; charset=utf-8", "no-store", text)
	})
	mux.HandleFunc("GET "+prefix+"tile/{path...}", n.tile)
	return mux
}

func send(w http.ResponseWriter, kind, cache string, text []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", cache)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(text) // who has gone needs no answer
}

// immutable is the Cache-Control of a tile, which never changes.
const immutable = "public, max-age=31536000, immutable"

// tile serves a tile, or the entries of one. It answers 404 for what the last checkpoint
// does not cover: nothing unsigned is served.
func (n *Notary) tile(w http.ResponseWriter, r *http.Request) {
	asked, ok := parseTile(r.PathValue("path"))
	size := n.Last().Size
	if !ok || asked.end() > size {
		http.Error(w, "There is no such tile: /log/checkpoint says how far the tree goes.", http.StatusNotFound)
		return
	}
	read := n.hashes
	if asked.entries {
		read = n.entries
	}
	text, err := read(r, asked)
	if err != nil {
		http.Error(w, "The record cannot be read now; ask again.", http.StatusInternalServerError)
		return
	}
	send(w, "application/octet-stream", immutable, text)
}

func (n *Notary) hashes(r *http.Request, t tile) ([]byte, error) {
	return tree.NodesOf(r.Context(), n.record).Tile(t.level, t.n, t.end())
}

// entries returns the texts of leaves, each after its length in two bytes.
func (n *Notary) entries(r *http.Request, t tile) ([]byte, error) {
	texts, err := n.record.LeafTexts(r.Context(), t.n*tree.Width, t.width)
	var all []byte
	for _, text := range texts {
		all = binary.BigEndian.AppendUint16(all, uint16(len(text)))
		all = append(all, text...)
	}
	return all, err
}

// tile is a tile as it is asked for.
type tile struct {
	entries bool
	level   int
	n       int64
	width   int
}

// end returns the least number of leaves of a tree that has the tile.
func (t tile) end() int64 { return (t.n*tree.Width + int64(t.width)) << (tree.Height * t.level) }

// maxTile bounds the number of a tile, so that no place in the tree overflows.
const maxTile = 1 << 32

// parseTile reads LEVEL/N or entries/N. [tlog.ParseTilePath] takes each in the only way in
// which it is written.
func parseTile(path string) (t tile, ok bool) {
	level, rest, _ := strings.Cut(path, "/")
	if t.entries = level == "entries"; t.entries {
		level = "data"
	}
	parsed, err := tlog.ParseTilePath("tile/8/" + level + "/" + rest)
	if err != nil || parsed.L > 3 || parsed.N > maxTile || t.entries != (parsed.L == -1) {
		return t, false
	}
	t.level, t.n, t.width = max(parsed.L, 0), parsed.N, parsed.W
	return t, true
}
