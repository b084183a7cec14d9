package witness_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"trey/internal/tree"
	"trey/internal/witness"
)

const atS = 1_795_000_000

// house is a house with a key, whose tree is whatever the test says.
type house struct {
	name   string
	signer note.Signer
	key    string
	leaves []tree.Hash
}

func newHouse(t *testing.T, name string) *house {
	t.Helper()
	private, public, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := note.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	return &house{name: name, signer: signer, key: public}
}

func (h *house) grow(texts ...string) *house {
	for _, text := range texts {
		h.leaves = append(h.leaves, tree.LeafHash([]byte(text)))
	}
	return h
}

func (h *house) head() tree.Head {
	edge := &tree.Edge{}
	for _, leaf := range h.leaves {
		edge.Add(leaf)
	}
	return edge.Head()
}

func (h *house) nodes(level int, from int64, count int) ([]tree.Hash, error) {
	if level > 0 {
		return nil, errors.New("the trees of this test are small")
	}
	return h.leaves[from : from+int64(count)], nil
}

// request asks for a cosignature of what the house has become since an old size.
func (h *house) request(t *testing.T, old int64) []byte {
	t.Helper()
	return h.ask(t, old, h.proof(t, old), h.signed(t))
}

func (h *house) proof(t *testing.T, old int64) []tree.Hash {
	t.Helper()
	if old == 0 || old > int64(len(h.leaves)) {
		return nil
	}
	proof, err := tree.Nodes(h.nodes).Consistency(old, int64(len(h.leaves)))
	if err != nil {
		t.Fatal(err)
	}
	return proof
}

func (h *house) signed(t *testing.T) []byte {
	t.Helper()
	signed, err := note.Sign(&note.Note{Text: tree.CheckpointText(h.name, h.head())}, h.signer)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

func (h *house) ask(t *testing.T, old int64, proof []tree.Hash, checkpoint []byte) []byte {
	t.Helper()
	body := fmt.Sprintf("old %d\n", old)
	for _, hash := range proof {
		body += base64.StdEncoding.EncodeToString(hash[:]) + "\n"
	}
	return append([]byte(body+"\n"), checkpoint...)
}

// post sends a request and returns the answer.
func post(t *testing.T, w *witness.Witness, body []byte) (status int, kind, answer string) {
	t.Helper()
	recorded := httptest.NewRecorder()
	w.Handler().ServeHTTP(recorded, httptest.NewRequestWithContext(context.Background(), http.MethodPost, "/add-checkpoint", strings.NewReader(string(body))))
	return recorded.Code, recorded.Header().Get("Content-Type"), recorded.Body.String()
}

func open(t *testing.T, folder, name string, houses ...*house) *witness.Witness {
	t.Helper()
	w, err := witness.Open(folder, name, func() int64 { return atS })
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, h := range houses {
		lines = append(lines, h.key)
	}
	if len(lines) > 0 {
		if err := os.WriteFile(filepath.Join(folder, "houses"), []byte("# known\n\n"+strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// What a witness answers to each request, by the status of the specification, while it
// comes to know two houses; none changes what it saw of the other.
func TestAddCheckpoint(t *testing.T) {
	h, other := newHouse(t, "house.example/a"), newHouse(t, "house.example/b")
	stranger := newHouse(t, "house.example/c").grow("0")
	impostor := newHouse(t, "house.example/a").grow("0")
	folder := filepath.Join(t.TempDir(), "witness")
	w := open(t, folder, "witness.example/w1", h, other)
	v, err := tree.ParseCosignatureVerifier(w.Verifier())
	if err != nil {
		t.Fatal(err)
	}
	cosigned := func(h *house, old int64) {
		t.Helper()
		status, _, line := post(t, w, h.request(t, old))
		opened, err := note.Open([]byte(tree.CheckpointText(h.name, h.head())+"\n"+line), note.VerifierList(v))
		if status != http.StatusOK || err != nil || len(opened.Sigs) != 1 {
			t.Fatalf("from %d to %d: %d %q, %v", old, h.head().Size, status, line, err)
		}
		if at, ok := tree.CosignatureTime(opened.Sigs[0].Base64); !ok || at != atS {
			t.Errorf("cosigned at %d, %t", at, ok)
		}
	}
	refused := func(what string, want int, body []byte) {
		t.Helper()
		if status, _, answer := post(t, w, body); status != want {
			t.Errorf("%s: %d %q, want %d", what, status, answer, want)
		}
	}
	refused("an unknown house", 404, stranger.request(t, 0))
	refused("a key that is not the house's", 403, impostor.request(t, 0))
	h.grow("0", "1", "2")
	refused("an altered checkpoint", 403, []byte(strings.Replace(string(h.request(t, 0)), "\n3\n", "\n4\n", 1)))
	refused("a proof from nothing", 422, h.ask(t, 0, []tree.Hash{{}}, h.signed(t)))
	refused("more than the checkpoint has", 400, h.request(t, 4))
	refused("a size that was never cosigned", 409, h.request(t, 2))
	cosigned(h, 0)
	cosigned(h, 3) // once more
	refused("a proof that a tree goes on from itself", 422, h.ask(t, 3, []tree.Hash{{}}, h.signed(t)))
	h.grow("3", "4")
	cosigned(h, 3)
	if status, kind, answer := post(t, w, h.request(t, 3)); status != 409 || kind != "text/x.tlog.size" || answer != "5\n" {
		t.Errorf("an old size: %d %s %q", status, kind, answer)
	}
	// The record was put back, or another history is shown.
	back := &house{name: h.name, signer: h.signer, key: h.key, leaves: h.leaves[:4]}
	refused("an older tree", 400, back.request(t, 5))
	fork := (&house{name: h.name, signer: h.signer, key: h.key}).grow("0", "1", "2", "3", "another")
	refused("another tree of the same size", 422, fork.ask(t, 5, nil, fork.signed(t)))
	fork.grow("5", "6")
	refused("another history", 422, fork.request(t, 5))
	refused("no proof", 422, h.grow("5").ask(t, 5, nil, h.signed(t)))
	cosigned(h, 5)
	cosigned(other.grow("x"), 0)
	for _, body := range []string{
		"", "old", "old 1", "old x\n\n", "old 01\n\n", "old -1\n\n", "old 99999999999999999999\n\n", "new 0\n\n", "0\n\n",
		"old 0\nnot a hash\n\n", "old 0\nAAAA\n\n", "old 0\n" + strings.Repeat("A", 48) + "\n\n", "old 0\n" + strings.Repeat("A", 43) + "=!\n\n",
		"old 6\n" + strings.Repeat(strings.Repeat("A", 43)+"=\n", 64) + "\n" + string(h.signed(t)),
	} {
		refused(fmt.Sprintf("%.20q", body), 400, []byte(body))
	}
	refused("too much", 413, make([]byte, 17<<10))
	// It knows what it saw when it is opened again.
	w = open(t, folder, "")
	if status, _, answer := post(t, w, h.request(t, 0)); status != 409 || answer != "6\n" {
		t.Errorf("opened again: %d %q", status, answer)
	}
	cosigned(h.grow("6"), 6)
	if _, err := witness.Open(folder, "witness.example/w2", nil); err == nil {
		t.Error("a witness takes another name")
	}
	if _, err := witness.Open(t.TempDir(), "", nil); err == nil {
		t.Error("a witness without a name")
	}
}

// Of two trees that follow the same one, sent at the same time, one is cosigned.
func TestOneOfTwoHistoriesIsCosigned(t *testing.T) {
	h := newHouse(t, "house.example/a").grow("0", "1")
	w := open(t, filepath.Join(t.TempDir(), "witness"), "w", h)
	if status, _, answer := post(t, w, h.request(t, 0)); status != 200 {
		t.Fatalf("%d %s", status, answer)
	}
	var bodies [][]byte
	for i := range 16 {
		fork := &house{name: h.name, signer: h.signer, leaves: append([]tree.Hash{}, h.leaves...)}
		bodies = append(bodies, fork.grow(fmt.Sprint("fork ", i)).request(t, 2))
	}
	var mu sync.Mutex
	count := map[int]int{}
	var all sync.WaitGroup
	for _, body := range bodies {
		all.Go(func() {
			recorded := httptest.NewRecorder()
			w.Handler().ServeHTTP(recorded, httptest.NewRequestWithContext(context.Background(), http.MethodPost, "/add-checkpoint", strings.NewReader(string(body))))
			mu.Lock()
			defer mu.Unlock()
			count[recorded.Code]++
		})
	}
	all.Wait()
	if count[200] != 1 || count[409] != 15 {
		t.Errorf("the answers are %v", count)
	}
}

func TestCheckpointIsServed(t *testing.T) {
	const name = "<html>house.example/a" // which a browser may not take for a page
	h := newHouse(t, name).grow("0")
	w := open(t, filepath.Join(t.TempDir(), "witness"), "w", h)
	get := func(path string) (int, string) {
		recorded := httptest.NewRecorder()
		w.Handler().ServeHTTP(recorded, httptest.NewRequestWithContext(context.Background(), http.MethodGet, path, nil))
		if kind := recorded.Header().Get("Content-Type"); kind != "text/plain; charset=utf-8" {
			t.Errorf("%s is sent as %s", path, kind)
		}
		return recorded.Code, recorded.Body.String()
	}
	const path = "/6ae6a07fd1b7b0ef8a4fe3af8ac5a8a7ad1df8a5ba4d2b5c0b0b7f6ad2bb3e8c/checkpoint"
	if status, _ := get(path); status != 404 {
		t.Errorf("a house that it has not seen: %d", status)
	}
	if status, _, answer := post(t, w, h.request(t, 0)); status != 200 {
		t.Fatalf("%d %s", status, answer)
	}
	hash := fmt.Sprintf("%x", sha256.Sum256([]byte(name)))
	status, text := get("/" + hash + "/checkpoint")
	v, err := tree.ParseCosignatureVerifier(w.Verifier())
	if err != nil {
		t.Fatal(err)
	}
	key, err := note.NewVerifier(h.key)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := note.Open([]byte(text), note.VerifierList(v, key))
	if status != 200 || err != nil || len(opened.Sigs) != 2 {
		t.Errorf("%d %q: %v", status, text, err)
	}
	for _, bad := range []string{"/x/checkpoint", "/..%2fwitness.key/checkpoint", "/..%2f..%2fwitness.key/checkpoint", "/" + strings.ToUpper(hash) + "/checkpoint"} {
		if status, text := get(bad); status == 200 {
			t.Errorf("%s: %q", bad, text)
		}
	}
}

// The tree without leaves has one root, and a house that begins with it goes on from it.
func TestEmptyTree(t *testing.T) {
	h := newHouse(t, "house.example/a")
	w := open(t, filepath.Join(t.TempDir(), "witness"), "w", h)
	wrong, err := note.Sign(&note.Note{Text: tree.CheckpointText(h.name, tree.Head{Root: tree.Hash{1}})}, h.signer)
	if err != nil {
		t.Fatal(err)
	}
	if status, _, answer := post(t, w, h.ask(t, 0, nil, wrong)); status != 422 {
		t.Errorf("an empty tree with another root: %d %q", status, answer)
	}
	for range 2 {
		if status, _, answer := post(t, w, h.request(t, 0)); status != 200 {
			t.Errorf("an empty tree: %d %q", status, answer)
		}
		h.grow("0")
	}
}

// A witness that cannot read what it knows, or what it saw, cosigns nothing: with what is
// damaged taken for nothing, it would cosign any other history.
func TestNothingIsCosignedFromDamagedFiles(t *testing.T) {
	hash := fmt.Sprintf("%x", sha256.Sum256([]byte("house.example/a")))
	for name, damage := range map[string]func(h *house, folder string) error{
		"no houses": func(_ *house, folder string) error { return os.Remove(filepath.Join(folder, "houses")) },
		"a house without a key": func(h *house, folder string) error {
			return os.WriteFile(filepath.Join(folder, "houses"), []byte(h.key+"\nhouse.example/b\n"), 0o600)
		},
		"a line without an end": func(h *house, folder string) error {
			return os.WriteFile(filepath.Join(folder, "houses"), []byte(h.key+"\n#"+strings.Repeat("x", 1<<17)), 0o600)
		},
		"a checkpoint cut off": func(h *house, folder string) error {
			return os.WriteFile(filepath.Join(folder, "checkpoints", hash), []byte(tree.CheckpointText(h.name, tree.Head{})), 0o600)
		},
		"a checkpoint that is none": func(_ *house, folder string) error {
			return os.WriteFile(filepath.Join(folder, "checkpoints", hash), []byte("house.example/a\n\n"), 0o600)
		},
		"a folder in its place": func(_ *house, folder string) error {
			return os.Mkdir(filepath.Join(folder, "checkpoints", hash), 0o700)
		},
		"no folder for it": func(_ *house, folder string) error { return os.Remove(filepath.Join(folder, "checkpoints")) },
	} {
		t.Run(name, func(t *testing.T) {
			h, folder := newHouse(t, "house.example/a").grow("0"), filepath.Join(t.TempDir(), "witness")
			w := open(t, folder, "w", h)
			if err := damage(h, folder); err != nil {
				t.Fatal(err)
			}
			if status, _, answer := post(t, w, h.request(t, 0)); status != 500 || answer != "The witness cannot read or write its files now: whoever runs it sees why.\n" {
				t.Errorf("%d %q", status, answer)
			}
		})
	}
	h, folder := newHouse(t, "house.example/a").grow("0"), filepath.Join(t.TempDir(), "witness")
	w := open(t, folder, "w", h)
	if err := os.Mkdir(filepath.Join(folder, "checkpoints", hash), 0o700); err != nil {
		t.Fatal(err)
	}
	var file *fs.PathError
	if _, err := w.Add(h.request(t, 0)); !errors.As(err, &file) || filepath.Base(file.Path) != hash {
		t.Errorf("the error is %v, want one that names the file", err)
	}
	if err := os.Remove(filepath.Join(folder, "houses")); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Add(h.request(t, 0)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without its file of houses: %v", err)
	}
	if err := os.WriteFile(filepath.Join(folder, "houses"), []byte(h.key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := note.Sign(&note.Note{Text: h.name + "\nof no size\n"}, h.signer)
	if err != nil {
		t.Fatal(err)
	}
	if status, _, answer := post(t, w, h.ask(t, 0, nil, text)); status != 400 {
		t.Errorf("what is signed and is no checkpoint: %d %q", status, answer)
	}
}

// A witness has a key that was drawn for it, and is not opened by what is damaged.
func TestOpen(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "witness")
	if _, err := witness.Open(folder, "", nil); err == nil || !strings.Contains(err.Error(), "give it a name") {
		t.Errorf("a witness without a name: %v", err)
	}
	first := open(t, folder, "w").Verifier()
	if again := open(t, folder, "w").Verifier(); again != first {
		t.Errorf("under its own name it is %s, was %s", again, first)
	}
	public := filepath.Join(folder, "witness.pub")
	if err := os.Remove(public); err != nil {
		t.Fatal(err)
	}
	open(t, folder, "")
	if text, err := os.ReadFile(public); err != nil || string(text) != first+"\n" {
		t.Errorf("witness.pub, which was lost, is %q, %v; want %s", text, err, first)
	}
	if other := open(t, filepath.Join(t.TempDir(), "witness"), "w").Verifier(); other == first {
		t.Errorf("two witnesses have the key %s", other)
	}
	for name, damage := range map[string]func(folder string) error{
		"a key that is none": func(folder string) error {
			return os.WriteFile(filepath.Join(folder, "witness.key"), []byte("key\n"), 0o600)
		},
		"a folder for a key": func(folder string) error { return os.Mkdir(filepath.Join(folder, "witness.key"), 0o700) },
		"a file for the checkpoints": func(folder string) error {
			return os.WriteFile(filepath.Join(folder, "checkpoints"), nil, 0o600)
		},
	} {
		folder := t.TempDir()
		if err := damage(folder); err != nil {
			t.Fatal(err)
		}
		w, err := witness.Open(folder, "w", nil)
		if err == nil || w != nil {
			t.Errorf("%s: opened as %v", name, w)
		}
		var file *fs.PathError
		if strings.HasPrefix(name, "a f") && !errors.As(err, &file) {
			t.Errorf("%s: the error is %v, want one that says what cannot be read", name, err)
		}
	}
	if w, err := witness.Open(t.TempDir(), "two words", nil); err == nil || w != nil {
		t.Errorf("a witness has the name %q", w.Verifier())
	}
}
