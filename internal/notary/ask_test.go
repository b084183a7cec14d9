package notary

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"trey/internal/tree"
	"trey/internal/witness"
)

// asked is a witness over HTTP, with the requests that it has had.
type asked struct {
	*httptest.Server
	key    string
	bodies []string
	// answer takes the place of the witness's own where it is there.
	answer http.HandlerFunc
}

// newWitness returns a witness that knows the house of a notary.
func newWitness(t *testing.T, name string, n *Notary) *asked {
	t.Helper()
	folder := t.TempDir()
	w, err := witness.Open(folder, name, func() int64 { return 1_795_000_000 })
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "houses"), []byte(n.Verifier()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := &asked{key: w.Verifier()}
	handler := w.Handler()
	a.Server = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("it is asked with %s, %v", r.Header.Get("Content-Type"), err)
		}
		a.bodies = append(a.bodies, string(body))
		if a.answer != nil {
			a.answer(out, r)
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		handler.ServeHTTP(out, r)
	}))
	t.Cleanup(a.Close)
	return a
}

func (a *asked) peer(t *testing.T, name string) *Peer {
	t.Helper()
	p, err := NewPeer(name, a.URL+"/", a.key, a.Client())
	if err != nil {
		t.Fatal(err)
	}
	if p.Name() != name {
		t.Errorf("the witness %s is named %s", name, p.Name())
	}
	return p
}

func ask(t *testing.T, n *Notary, p *Peer) {
	t.Helper()
	if err := n.Ask(t.Context(), p); err != nil {
		t.Fatal(err)
	}
}

// sizes are those from which a witness was asked to go on.
func (a *asked) sizes() (old []string) {
	for _, body := range a.bodies {
		first, _, _ := strings.Cut(body, "\n")
		old = append(old, strings.TrimPrefix(first, "old "))
	}
	return old
}

// grow adds transactions to the record of a notary.
func grow(n *Notary, texts ...string) {
	r := n.record.(*kept)
	for _, text := range texts {
		r.leaves = append(r.leaves, tree.LeafHash([]byte(text)))
	}
}

// signatures are the names under which a note is signed.
func signatures(c Checkpoint) (names []string) {
	_, lines, _ := strings.Cut(string(c.Note), "\n\n")
	for line := range strings.Lines(lines) {
		names = append(names, strings.Fields(line)[1])
	}
	return names
}

// A house that opens again with nothing new asks its witnesses all the same, for they know whether
// they have seen more. What each says once more is not kept: of a note with more than 100
// signatures nobody reads any.
func TestAWitnessIsAskedAgain(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "keys")
	r := record()
	n := open(t, folder, r)
	grow(n, "one")
	sign(t, n)
	w := newWitness(t, "first", n)
	var noted string
	for range 3 {
		n = open(t, folder, r)
		ask(t, n, w.peer(t, "first"))
		if got := string(n.Witnessed().Note); noted == "" {
			noted = got
		} else if got != noted || string(n.Last().Note) != noted {
			t.Errorf("it is %q, last %q, and was %q", got, n.Last().Note, noted)
		}
	}
	if got := w.sizes(); fmt.Sprint(got) != "[0 0 2 0 2]" {
		t.Errorf("it was asked from %s", got)
	}
}

// Two witnesses cosign what a house signs, the second of them later. The newest that any
// has cosigned is kept with every cosignature of it, and there again when the house opens.
func TestWitnessesAreAsked(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "keys")
	n := open(t, folder, record())
	grow(n, "one", "two")
	first, second := newWitness(t, "first", n), newWitness(t, "second", n)
	p, q := first.peer(t, "first"), second.peer(t, "second")
	if c := n.Witnessed(); c.Size != 0 || len(c.Note) != 0 {
		t.Errorf("nobody was asked, and cosigned is %+v", c)
	}
	sign(t, n)
	house := n.signer.Name()
	ask(t, n, p)
	ask(t, n, p) // knows it
	if got := signatures(n.Witnessed()); n.Witnessed().Size != 3 || fmt.Sprint(got) != fmt.Sprint([]string{house, "first"}) {
		t.Errorf("%d leaves are signed by %s", n.Witnessed().Size, got)
	}
	ask(t, n, q)
	for name, c := range map[string]Checkpoint{"witnessed": n.Witnessed(), "last": n.Last(), "signed again": sign(t, n)} {
		if got := signatures(c); c.Size != 3 || fmt.Sprint(got) != fmt.Sprint([]string{house, "first", "second"}) {
			t.Errorf("%s: %d leaves are signed by %s", name, c.Size, got)
		}
	}
	if c, err := LastIn(folder); err != nil || string(c.Note) != string(n.Witnessed().Note) {
		t.Errorf("beside the key lies %q, %v", c.Note, err)
	}

	// A checkpoint of the house alone is newer than the one that was cosigned.
	older := n.Last()
	grow(n, "three", "four")
	sign(t, n)
	if c, err := LastIn(folder); err != nil || c.Size != 5 || fmt.Sprint(signatures(c)) != fmt.Sprint([]string{house}) {
		t.Errorf("beside the key lies %q, %v", c.Note, err)
	}
	ask(t, n, p)
	newest := n.Witnessed()
	if got := signatures(newest); newest.Size != 5 || fmt.Sprint(got) != fmt.Sprint([]string{house, "first"}) {
		t.Errorf("%d leaves are signed by %s", newest.Size, got)
	}
	if got := fmt.Sprint(first.sizes(), second.sizes()); got != "[0 3] [0]" {
		t.Errorf("they were asked from %s", got)
	}
	// What comes late of an older one changes nothing.
	v, err := tree.ParseCosignatureVerifier(second.key)
	if err != nil {
		t.Fatal(err)
	}
	late, err := note.Open(older.Note, note.VerifierList(v))
	if err != nil {
		t.Fatal(err)
	}
	if err := n.cosigned(older, late.Sigs[0], v); err != nil || string(n.Witnessed().Note) != string(newest.Note) || string(n.Last().Note) != string(newest.Note) {
		t.Errorf("a late cosignature makes it %q, %v", n.Witnessed().Note, err)
	}

	// Two that are asked at once for one checkpoint both stay.
	third := newWitness(t, "third", n)
	stale := n.Last()
	ask(t, n, third.peer(t, "third"))
	text, _, _ := strings.Cut(string(stale.Note), "\n\n")
	fourth, err := tree.NewCosigner("fourth", make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	cosignature, err := note.Open([]byte(text+"\n\n"+fourth.Cosign(text+"\n", 1)), note.VerifierList(fourth.Verifier()))
	if err != nil {
		t.Fatal(err)
	}
	if err := n.cosigned(stale, cosignature.Sigs[0], fourth.Verifier()); err != nil || fmt.Sprint(signatures(n.Witnessed())) != fmt.Sprint([]string{house, "first", "third", "fourth"}) {
		t.Errorf("%v, it is signed by %s", err, signatures(n.Witnessed()))
	}

	// Only what is signed now gets the cosignatures of what was sent.
	sent := n.Last()
	grow(n, "five")
	second.answer = func(out http.ResponseWriter, _ *http.Request) {
		sign(t, n) // while the witness is asked
		key, err := tree.NewCosigner("second", make([]byte, 32))
		if err != nil {
			t.Error(err)
			return
		}
		text, _, _ := strings.Cut(string(sent.Note), "\n\n")
		_, _ = io.WriteString(out, key.Cosign(text+"\n", 1))
	}
	another, err := tree.NewCosigner("second", make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	if q, err = NewPeer("second", second.URL, another.Verifier().String(), second.Client()); err != nil {
		t.Fatal(err)
	}
	ask(t, n, q)
	if c := n.Witnessed(); c.Size != 5 || len(signatures(c)) != 5 || n.Last().Size != 6 || len(signatures(n.Last())) != 1 {
		t.Errorf("cosigned is %q, and signed last %q", c.Note, n.Last().Note)
	}

	again := open(t, folder, n.record)
	if got, want := again.Witnessed(), n.Witnessed(); string(got.Note) != string(want.Note) || got.Head != want.Head {
		t.Errorf("opened again, cosigned is %+v, want %+v", got, want)
	}
	// What a witness has seen holds under a new key too, and its cosignatures stay.
	if _, err := Rotate(folder); err != nil {
		t.Fatal(err)
	}
	again = open(t, folder, n.record)
	if c := again.Witnessed(); c.Head != n.Witnessed().Head || len(signatures(c)) != 6 {
		t.Errorf("with a new key, cosigned is %q", c.Note)
	}
	if _, err := Read(again.Witnessed().Note, again.Verifier()); err != nil {
		t.Errorf("the new key has not signed it: %v", err)
	}
	if c, err := LastIn(folder); err != nil || len(signatures(c)) != 2 {
		t.Errorf("beside the new key lies %q, %v", c.Note, err)
	}
}

// A witness says how far it has seen the record, and is asked from there. A house that has
// lost that, and a witness that has lost all, find to each other again.
func TestAWitnessNamesItsSize(t *testing.T) {
	n := open(t, filepath.Join(t.TempDir(), "keys"), record())
	grow(n, "one", "two")
	sign(t, n)
	w := newWitness(t, "w", n)
	ask(t, n, w.peer(t, "w"))
	ask(t, n, w.peer(t, "w")) // the house was opened again, and nothing came since
	grow(n, "three")
	sign(t, n)
	p := w.peer(t, "w")
	ask(t, n, p)
	grow(n, "four")
	sign(t, n)
	new := newWitness(t, "w", n)
	p.url, p.client = new.URL, new.Client()
	v, err := tree.ParseCosignatureVerifier(new.key)
	if err != nil {
		t.Fatal(err)
	}
	p.verifier = v
	ask(t, n, p)
	if got := fmt.Sprint(w.sizes(), new.sizes()); got != "[0 0 3 0 3] [4 0]" {
		t.Errorf("asked from %s", got)
	}
}

// One that has seen another record of the house refuses, and whatever else goes wrong says
// only that it did not cosign.
func TestAWitnessThatDoesNotCosign(t *testing.T) {
	n := open(t, filepath.Join(t.TempDir(), "keys"), record())
	grow(n, "one", "two")
	sign(t, n)
	w := newWitness(t, "w", n)
	stranger := newWitness(t, "w", n)
	p := w.peer(t, "w")
	ask(t, n, p)
	says := func(status int, text string) http.HandlerFunc {
		return func(out http.ResponseWriter, _ *http.Request) {
			out.WriteHeader(status)
			_, _ = io.WriteString(out, text)
		}
	}
	grow(n, "three")
	sign(t, n)
	other, err := stranger.Client().Post(stranger.URL+"/add-checkpoint", "text/plain; charset=utf-8", strings.NewReader("old 0\n\n"+string(n.Last().Note)))
	if err != nil {
		t.Fatal(err)
	}
	line, err := io.ReadAll(other.Body)
	if err != nil || other.Body.Close() != nil || other.StatusCode != http.StatusOK {
		t.Fatalf("%d %v", other.StatusCode, err)
	}
	for _, test := range []struct {
		name    string
		answer  http.HandlerFunc
		refused bool
		words   string
		asked   int
	}{
		{"it refuses", says(422, "another root"), true, `w, from 3 to 4 leaves: "another root"`, 1},
		{"it has seen more", says(409, "5\n"), true, "w has cosigned 5 leaves, and the record has 4", 1},
		{"it does not know the house", says(404, "who?"), false, `the witness w answers 404: "who?"`, 1},
		{"it names no size", says(409, "many\n"), false, `the witness w answers with the size "many\n"`, 1},
		{"a size below zero", says(409, "-1\n"), false, `answers with the size "-1\n"`, 1},
		{"a size after each other", says(409, "2\n"), false, "names another size each time", 2},
		{"another's cosignature", says(200, string(line)), false, "answers with what is not its cosignature", 1},
		{"nothing", says(200, ""), false, "answers with what is not its cosignature", 1},
		{"half an answer", func(out http.ResponseWriter, _ *http.Request) {
			out.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(out, "half")
		}, false, "cannot be asked: unexpected EOF", 1},
	} {
		w.answer, w.bodies, p.size = test.answer, nil, 3
		err := n.Ask(t.Context(), p)
		if err == nil || errors.Is(err, ErrRefused) != test.refused || !strings.Contains(err.Error(), test.words) || len(w.bodies) != test.asked {
			t.Errorf("%s: %v, asked %d times", test.name, err, len(w.bodies))
		}
		if n.Witnessed().Size != 3 || len(signatures(n.Last())) != 1 {
			t.Errorf("%s: cosigned is %q", test.name, n.Witnessed().Note)
		}
	}

	// Nor is it cosigned where the house cannot ask, or cannot keep the answer.
	w.answer, p.size = nil, 3
	full := n.record
	n.record = broken{n.record}
	if err := n.Ask(t.Context(), p); !errors.Is(err, errDisk) {
		t.Errorf("a record that cannot be read: %v", err)
	}
	n.record = full
	for _, url := range []string{"http://[", "http://127.0.0.1:0"} {
		gone := *p
		gone.url = url
		if err := n.Ask(t.Context(), &gone); err == nil || errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "the witness w cannot be asked") {
			t.Errorf("%s: %v", url, err)
		}
	}
	if err := errors.Join(os.Remove(n.path(witnessedFile)), os.Mkdir(n.path(witnessedFile), 0o700)); err != nil {
		t.Fatal(err)
	}
	if err := n.Ask(t.Context(), p); err == nil || !strings.Contains(err.Error(), "keep the cosignature of w") || n.Witnessed().Size != 3 {
		t.Errorf("a cosignature that cannot be kept: %v, cosigned are %d", err, n.Witnessed().Size)
	}
	if p, err := NewPeer("w", w.URL, "key", w.Client()); err == nil || p != nil {
		t.Errorf("a witness without a key is asked: %+v", p)
	}
}
