package notary

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"trey/internal/tree"
)

var errDisk = errors.New("the disk does not answer")

// broken is a record whose tree cannot be read.
type broken struct{ Record }

func (broken) Nodes(context.Context, int, int64, int) ([]tree.Hash, error) { return nil, errDisk }

func (broken) LeafTexts(context.Context, int64, int) ([][]byte, error) { return nil, errDisk }

// other is a record of another house.
func other(texts ...string) *kept {
	r := record(texts...)
	r.origin = tree.Origin([32]byte{2}, "")
	r.leaves[0] = tree.LeafHash(r.origin)
	return r
}

// inPlace puts something in the place of a file: a text, or a folder for none.
func inPlace(t *testing.T, folder, file, text string) {
	t.Helper()
	path := filepath.Join(folder, file)
	err := os.RemoveAll(path)
	if err == nil && text == "" {
		err = os.Mkdir(path, 0o700)
	} else if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// used is the folder of a key that has signed a record of two transactions.
func used(t *testing.T) (string, *Notary) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "keys")
	n := open(t, folder, record())
	grow(n, "one", "two")
	sign(t, n)
	return folder, n
}

func wants(t *testing.T, what string, err, want error, words string) {
	t.Helper()
	if err == nil || want != nil && !errors.Is(err, want) || !strings.Contains(err.Error(), words) {
		t.Errorf("%s: %v, want %q", what, err, words)
	}
}

// wantsPath wants the error of a call of the file system.
func wantsPath(t *testing.T, what string, err error, op string) {
	t.Helper()
	var path *fs.PathError
	if !errors.As(err, &path) || path.Op != op {
		t.Errorf("%s: %v, want one of %s", what, err, op)
	}
}

// A damaged file in the folder of the key is an error that names it, and never counts for
// one that is not there.
func TestDamagedFilesOfTheKey(t *testing.T) {
	for _, file := range []string{keyFile, checkpointFile, witnessedFile} {
		folder, n := used(t)
		inPlace(t, folder, file, "")
		_, err := Open(t.Context(), folder, n.record)
		wantsPath(t, file, err, "read")
	}
	folder, n := used(t)
	inPlace(t, folder, checkpointFile, "nothing\n")
	_, err := Open(t.Context(), folder, n.record)
	wants(t, "a checkpoint that is none", err, nil, n.path(checkpointFile))

	// Where no key can be made there is none.
	file := filepath.Join(t.TempDir(), "file")
	inPlace(t, filepath.Dir(file), "file", "x")
	_, err = Open(t.Context(), filepath.Join(file, "keys"), record())
	wantsPath(t, "a folder below a file", err, "open")
	_, err = Begin(filepath.Join(file, "keys"), record())
	wants(t, "a key below a file", err, nil, "there is a key in")
	dangling := filepath.Join(t.TempDir(), "keys")
	if err := os.Symlink(filepath.Join(t.TempDir(), "nowhere", "keys"), dangling); err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), dangling, record())
	wantsPath(t, "a folder that cannot be made", err, "mkdir")
	public := t.TempDir()
	inPlace(t, public, publicFile, "")
	for name, begin := range map[string]func(string, Record) (*Notary, error){
		"Begin": Begin,
		"Open":  func(folder string, r Record) (*Notary, error) { return Open(t.Context(), folder, r) },
	} {
		n, err := begin(public, record())
		wants(t, name, err, nil, "make a key in "+public)
		if _, left := os.Stat(filepath.Join(public, keyFile)); n != nil || !errors.Is(left, fs.ErrNotExist) {
			t.Errorf("%s: a key is made, %v", name, left)
		}
	}
}

// A key signs for one record, and Begin makes it where there is none.
func TestBegin(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "keys")
	r := record("one", "two")
	n, err := Begin(folder, r)
	if err != nil {
		t.Fatal(err)
	}
	c, err := LastIn(folder)
	if err != nil || c.Head != r.Head() || c.Name != tree.Name(r.origin) || string(c.Note) != string(n.Last().Note) {
		t.Errorf("what is signed at the beginning is %+v, %v", c, err)
	}
	if key, err := KeyIn(folder); err != nil || key != n.Verifier() {
		t.Errorf("its key is %s, %v, want %s", key, err, n.Verifier())
	}
	_, err = Begin(folder, r)
	wants(t, "a second beginning", err, nil, "there is a key in "+folder+" already")
	n, err = Begin(filepath.Join(t.TempDir(), "keys"), &kept{origin: r.origin})
	wants(t, "a record without its first leaf", err, ErrNotContinued, "")
	if n != nil && n.Last().Size != 0 {
		t.Errorf("it signed %+v", n.Last())
	}
	empty := filepath.Join(t.TempDir(), "keys")
	open(t, empty, record())
	if err := os.Remove(filepath.Join(empty, checkpointFile)); err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), empty, &kept{origin: r.origin})
	wants(t, "a record that has lost its first leaf", err, ErrNotContinued, "")
	_, err = Open(t.Context(), empty, other())
	wants(t, "a new record of another house", err, ErrOtherRecord, tree.Name(other().origin))
	if _, err := KeyIn(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a key where there is none: %v", err)
	}
}

func TestHasKey(t *testing.T) {
	folder, n := used(t)
	name := n.signer.Name()
	if err := HasKey(folder, name); err != nil {
		t.Error(err)
	}
	wants(t, "another record", HasKey(folder, "trey-house/other"), ErrOtherRecord, "is the key of "+name)
	wants(t, "no key", HasKey(t.TempDir(), name), ErrNoKey, keyFile)
	inPlace(t, folder, keyFile, "key")
	err := HasKey(folder, name)
	wants(t, "what is no key", err, errNoSigner, n.path(keyFile))
	inPlace(t, folder, keyFile, "")
	wantsPath(t, "a folder", HasKey(folder, name), "read")
}

// TestCheck holds that a record and its key are looked at as by [Open], and that nothing is made or
// changed by that.
func TestCheck(t *testing.T) {
	folder, n := used(t)
	if err := Check(t.Context(), folder, n.record); err != nil {
		t.Error(err)
	}
	wants(t, "an older copy", Check(t.Context(), folder, record("one")), ErrNotContinued, "it holds 1")
	wants(t, "another record", Check(t.Context(), folder, other("one", "two")), ErrOtherRecord, "is the key of "+n.signer.Name())
	for name, r := range map[string]Record{"a record in use": n.record, "a new record": record()} {
		empty := t.TempDir()
		wants(t, name, Check(t.Context(), empty, r), ErrNoKey, keyFile)
		if left, err := os.ReadDir(empty); err != nil || len(left) > 0 {
			t.Errorf("%s: %v, %v", name, left, err)
		}
	}
	if err := os.Remove(n.path(checkpointFile)); err != nil {
		t.Fatal(err)
	}
	wants(t, "a checkpoint taken away", Check(t.Context(), folder, n.record), ErrNotContinued, "cannot be told")
}

// TestUnused holds that no record begins with a key that has signed for another, and that no key is
// made where what one signed lies.
func TestUnused(t *testing.T) {
	if err := Unused(filepath.Join(t.TempDir(), "none")); err != nil {
		t.Error(err)
	}
	folder, n := used(t)
	wants(t, "a key", Unused(folder), ErrOtherRecord, "is the key of "+n.signer.Name())
	public, err := KeyIn(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(n.path(keyFile)); err != nil {
		t.Fatal(err)
	}
	wants(t, "a checkpoint", Unused(folder), ErrOtherRecord, n.path(checkpointFile))
	_, err = Open(t.Context(), folder, record())
	wants(t, "a new record", err, ErrNoKey, keyFile)
	if now, err := KeyIn(folder); err != nil || now != public {
		t.Errorf("the line that verifies the checkpoint is %q now, %v", now, err)
	}
	inPlace(t, folder, keyFile, "key")
	wants(t, "what is no key", Unused(folder), errNoSigner, n.path(keyFile))
	inPlace(t, folder, keyFile, "")
	wantsPath(t, "a folder", Unused(folder), "read")
}

// What does not go on from a checkpoint says in transactions how far it is, and a record
// that cannot be read is no record that was changed.
func TestContinues(t *testing.T) {
	folder, n := used(t)
	c := n.Last()
	wants(t, "another house", Continues(t.Context(), other("one", "two"), c), ErrOtherRecord, c.Name)
	wants(t, "a shorter record", Continues(t.Context(), record("one"), c), ErrNotContinued, "2 transactions were signed, and it holds 1")
	wants(t, "a record that was changed", Continues(t.Context(), record("ONE", "two"), c), ErrNotContinued, "its first 2 transactions")
	if err := Continues(t.Context(), broken{n.record}, c); !errors.Is(err, errDisk) || errors.Is(err, ErrNotContinued) {
		t.Errorf("a record that cannot be read: %v", err)
	}
	if err := os.Remove(n.path(checkpointFile)); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), folder, n.record)
	wants(t, "a checkpoint taken away", err, ErrNotContinued, "the record holds 2 transactions")
}

func TestCheckGrowth(t *testing.T) {
	r := record("one", "two")
	older := Checkpoint{Name: "trey-house/a", Head: r.Head()}
	grown := record("one", "two", "three")
	proof, err := tree.NodesOf(t.Context(), grown).Consistency(3, 4)
	if err != nil {
		t.Fatal(err)
	}
	newer := Checkpoint{Name: "trey-house/a", Head: grown.Head()}
	if err := CheckGrowth(proof, newer, older); err != nil {
		t.Error(err)
	}
	forked := Checkpoint{Name: "trey-house/a", Head: record("one", "TWO", "three").Head()}
	if err := CheckGrowth(proof, forked, older); err == nil {
		t.Error("another history goes on from the first")
	}
	newer.Name = "trey-house/b"
	wants(t, "another tree", CheckGrowth(proof, newer, older), ErrOtherRecord, "trey-house/b and trey-house/a")
}

// signedAs returns a note that the key of a notary has signed, whatever it says.
func signedAs(t *testing.T, text string, by ...note.Signer) []byte {
	t.Helper()
	signed, err := note.Sign(&note.Note{Text: text}, by...)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// What a key has signed is a checkpoint only if it has the form of one, and the name of
// the key.
func TestWhatIsSignedIsNotAlwaysACheckpoint(t *testing.T) {
	folder, n := used(t)
	c, err := Read(n.Last().Note, n.Verifier())
	if err != nil || string(c.Note) != string(n.Last().Note) {
		t.Errorf("read is %q, %v", c.Note, err)
	}
	if c, err = Read(n.Last().Note, "key"); err == nil || !strings.Contains(err.Error(), `the key "key" cannot be read`) {
		t.Errorf("by what is no key, read is %+v, %v", c, err)
	}
	name := n.signer.Name()
	if c, err := Read(signedAs(t, name+"\nmany\n", n.signer), n.Verifier()); err == nil {
		t.Errorf("a size of letters is read as %+v", c)
	}
	_, err = Read(signedAs(t, tree.CheckpointText("trey-house/other", n.Last().Head), n.signer), n.Verifier())
	wants(t, "the checkpoint of another tree", err, nil, "the checkpoint of trey-house/other is signed by "+name)

	verifier, err := statementVerifier(n.Verifier(), "significant")
	if err != nil {
		t.Fatal(err)
	}
	forged := signedAs(t, name+"\na line\n", renamed{n.signer, verifier})
	_, _, err = ReadStatement(forged, "significant", n.Verifier())
	wants(t, "a statement that begins as a checkpoint", err, nil, "is signed by "+verifier.Name())

	inPlace(t, folder, "place", "")
	if text, err := n.Kept("place"); err == nil {
		t.Errorf("kept is %q", text)
	}
}

// A tree of a size that was signed is the only one of that size.
func TestNoOtherTreeOfOneSizeIsSigned(t *testing.T) {
	_, n := used(t)
	last := n.Last()
	n.record = record("one", "TWO")
	_, err := n.Sign()
	wants(t, "another tree of the same size", err, ErrNotContinued, "2 transactions were signed, and it holds 2, or others")
	n.record = record("one")
	_, err = n.Sign()
	wants(t, "a smaller tree", err, ErrNotContinued, "2 transactions were signed, and it holds 1")
	if string(n.Last().Note) != string(last.Note) {
		t.Errorf("the last checkpoint became %q", n.Last().Note)
	}
	_, err = n.Covering(7)
	wants(t, "a smaller tree is asked for", err, ErrNotContinued, "")
	n.record = record("one", "two")
	_, err = n.Covering(3)
	wants(t, "a transaction to come", err, nil, "transaction 3 is not durable: 2 are")
	n.witnessed = Checkpoint{Head: tree.Head{Size: 2}, Note: []byte("seen")}
	if text, err := n.Covering(2); err != nil || string(text) != string(last.Note) {
		t.Errorf("transaction 2 is covered by %q, %v", text, err)
	}
}

// What lies beside the key already is not written again, and what cannot be written is an
// error and not forgotten.
func TestTheLastCheckpointLiesBesideTheKey(t *testing.T) {
	folder, n := used(t)
	path := n.path(checkpointFile)
	written := func() bool {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text) != "kept already"
	}
	for range 2 {
		inPlace(t, folder, checkpointFile, "kept already")
		if sign(t, n); written() {
			t.Error("it is written again")
		}
		grow(n, "more")
		if sign(t, n); !written() {
			t.Error("the next one is not written")
		}
		inPlace(t, folder, checkpointFile, string(n.Last().Note))
		n = open(t, folder, n.record)
	}
	inPlace(t, folder, checkpointFile, "")
	grow(n, "five")
	_, err := n.Sign()
	wants(t, "a checkpoint that cannot be kept", err, nil, "keep the checkpoint")
	inPlace(t, folder, checkpointFile, "kept already")
	if sign(t, n); !written() {
		t.Error("what could not be kept is not written later")
	}
}

// The checkpoint of what a house has left stays, whatever it signs afterwards, also where it
// moves once more and where its key is replaced.
func TestMoved(t *testing.T) {
	folder, n := used(t)
	if _, err := MovedIn(folder, 3); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing was moved: %v", err)
	}
	left := map[int64]tree.Hash{}
	move := func(text string) {
		t.Helper()
		grow(n, text)
		for range 2 { // a move that is interrupted is gone on with
			if err := n.SignMoved(); err != nil {
				t.Fatal(err)
			}
		}
		left[n.Last().Size] = n.Last().Root
		grow(n, "what follows")
		sign(t, n)
	}
	holds := func(when string) {
		t.Helper()
		for size := int64(1); size <= n.Last().Size+1; size++ {
			c, err := MovedIn(folder, size)
			root, moved := left[size]
			if moved && (err != nil || c.Size != size || c.Root != root) || !moved && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: left with %d leaves was %+v, %v", when, size, c, err)
			}
		}
		if text := inFolder(t, folder, movedFile); strings.Count(text, Separator) != len(left)-1 {
			t.Errorf("%s: after %d moves the file holds %q", when, len(left), text)
		}
	}
	move("three")
	holds("one move")
	move("five")
	holds("two moves")
	of := n.record
	n.record = record()
	if err := n.SignMoved(); !errors.Is(err, ErrNotContinued) {
		t.Errorf("a shorter record is left: %v", err)
	}
	holds("a move that failed")
	if _, err := Rotate(folder); err != nil {
		t.Fatal(err)
	}
	n = open(t, folder, of)
	holds("another key")
	move("seven")
	holds("three moves")
	inPlace(t, folder, movedFile, inFolder(t, folder, movedFile)[1:])
	if c, err := MovedIn(folder, n.Last().Size); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that somebody altered: %+v, %v", c, err)
	}
	if err := os.Remove(n.path(publicFile)); err != nil {
		t.Fatal(err)
	}
	if c, err := MovedIn(folder, 4); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("moved without a key: %+v, %v", c, err)
	}
	if c, err := LastIn(folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the last without a key: %+v, %v", c, err)
	}
}

// inFolder returns what is in a file of a folder.
func inFolder(t *testing.T, folder, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestLastIn(t *testing.T) {
	folder, n := used(t)
	for _, text := range []string{"nothing\n", string(signedAs(t, n.signer.Name()+"\nmany\n", n.signer))} {
		inPlace(t, folder, witnessedFile, text)
		if c, err := LastIn(folder); err != nil || string(c.Note) != string(n.Last().Note) {
			t.Errorf("with %q cosigned, the last is %q, %v", text, c.Note, err)
		}
	}
	inPlace(t, folder, checkpointFile, "nothing\n")
	_, err := LastIn(folder)
	wants(t, "what is no checkpoint", err, nil, n.path(checkpointFile))
	if err := os.Remove(n.path(checkpointFile)); err != nil {
		t.Fatal(err)
	}
	if c, err := LastIn(folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing was signed, and the last is %+v, %v", c, err)
	}
}

// A witness has cosigned one tree, and the owner of the key signs another one of that size: what
// the witness saw says nothing of it, and no house goes on from it.
func TestAnotherTreeThanTheWitnessSaw(t *testing.T) {
	folder, n := used(t)
	inPlace(t, folder, witnessedFile, string(n.Last().Note))
	forged := record("one", "three")
	inPlace(t, folder, checkpointFile, string(signedAs(t, tree.CheckpointText(n.signer.Name(), forged.Head()), n.signer)))
	_, err := LastIn(folder)
	wants(t, "two trees of one size", err, ErrNotContinued, "are two trees of 2 transactions")
	_, err = Open(t.Context(), folder, forged)
	wants(t, "a record that the witness did not see", err, ErrNotContinued, "its first 2 transactions are not those that were signed")
}

// A rotation that cannot be finished leaves the key that is named, and none is in use that
// nobody named.
func TestARotationThatFails(t *testing.T) {
	_, err := Rotate(t.TempDir())
	wants(t, "no key", err, fs.ErrNotExist, keyFile)
	for _, test := range []struct{ file, text string }{
		{keyFile, "key"}, {successionFile, ""}, {checkpointFile, ""}, {checkpointFile, "nothing\n"},
	} {
		folder, n := used(t)
		inPlace(t, folder, test.file, test.text)
		before := filesBut(t, folder, test.file)
		v, err := Rotate(folder)
		if test.text == "" {
			wantsPath(t, test.file, err, "read")
		}
		wants(t, test.file, err, nil, n.path(test.file))
		if v != "" || filesBut(t, folder, test.file) != before {
			t.Errorf("%s: it is rotated to %q", test.file, v)
		}
	}
	folder, n := used(t)
	inPlace(t, folder, publicFile, "")
	if v, err := Rotate(folder); err == nil || v != "" {
		t.Errorf("a key whose verifier cannot be kept is %q", v)
	}
	if _, err := Open(t.Context(), folder, n.record); err == nil {
		t.Error("it is opened though the line of its key is not that of its key")
	}
	if err := os.Remove(filepath.Join(folder, publicFile)); err != nil {
		t.Fatal(err)
	}
	got := open(t, folder, n.record)
	if got.Verifier() == n.Verifier() {
		t.Error("the key that was named is not in use")
	}
	if key, err := KeyIn(folder); err != nil || key != got.Verifier() {
		t.Errorf("the line of the key is %q, %v", key, err)
	}
	// Without a checkpoint there is none to sign by both.
	folder = t.TempDir()
	before := open(t, folder, record()).Verifier()
	if err := os.Remove(filepath.Join(folder, checkpointFile)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := Rotate(folder); err != nil {
			t.Fatal(err)
		}
	}
	succession, err := Succession(folder)
	if err != nil || strings.Count(string(succession), Separator) != 1 || strings.HasPrefix(string(succession), Separator) {
		t.Errorf("two keys followed by %q, %v", succession, err)
	}
	if keys, err := Successors(before, succession); err != nil || len(keys) != 3 {
		t.Errorf("the successors are %q, %v", keys, err)
	}
}

// filesBut are the files of a folder but one, with what they hold.
func filesBut(t *testing.T, folder, but string) string {
	t.Helper()
	var all strings.Builder
	for _, file := range []string{keyFile, publicFile, checkpointFile, successionFile} {
		if file == but {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		all.WriteString(file + ": " + string(text) + "\n")
	}
	return all.String()
}

// Only a note that says so names the next key, and it names one of the same house.
func TestSuccessors(t *testing.T) {
	_, n := used(t)
	_, stranger, err := note.GenerateKey(rand.Reader, "trey-house/other")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Successors("key", nil)
	wants(t, "what is no key", err, nil, `the key "key" cannot be read`)
	// What looks as if it named one, and does not.
	keys, err := Successors(n.Verifier(), append(signedAs(t, n.signer.Name()+"\n"+stranger+"\n", n.signer), Separator...))
	if err != nil || len(keys) != 1 {
		t.Errorf("a note of another kind names %q, %v", keys, err)
	}
	for name, named := range map[string]string{"another house's key": stranger, "what is no key": "key"} {
		keys, err := Successors(n.Verifier(), signedAs(t, successionType+"\n"+named+"\n", n.signer))
		wants(t, name, err, nil, "which is no key of it")
		if keys != nil {
			t.Errorf("%s: the successors are %q", name, keys)
		}
	}
}

// What is served besides tiles, and what is answered where it cannot be.
func TestServed(t *testing.T) {
	folder, n := used(t)
	handler := n.Handler("/log/")
	get := func(path string, status int, cache, want string) {
		t.Helper()
		recorded := httptest.NewRecorder()
		handler.ServeHTTP(recorded, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/log/"+path, nil))
		if recorded.Code != status || !strings.Contains(recorded.Body.String(), want) {
			t.Errorf("%s: %d %q, want %d %q", path, recorded.Code, recorded.Body, status, want)
		}
		head := recorded.Header()
		kind := "text/plain; charset=utf-8"
		if strings.HasPrefix(path, "tile/") && status == http.StatusOK {
			kind = "application/octet-stream"
		}
		if head.Get("Content-Type") != kind || head.Get("Cache-Control") != cache || head.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: the header is %v", path, head)
		}
	}
	recorded := httptest.NewRecorder()
	if send(recorded, "text/plain; charset=utf-8", "no-store", []byte("<html>")); recorded.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("a text is sent as %s", recorded.Header().Get("Content-Type"))
	}
	get("witnessed", 404, "", "No witness has cosigned")
	get("succession", 200, "no-store", "")
	w := newWitness(t, "w", n)
	ask(t, n, w.peer(t, "w"))
	get("witnessed", 200, "no-store", string(n.Witnessed().Note))
	get("checkpoint", 200, "no-store", string(n.Last().Note))
	get("key", 200, "no-store", n.Verifier())
	get("tile/0/000.p/3", 200, "public, max-age=31536000, immutable", "")
	n.witnessed = Checkpoint{Head: tree.Head{Size: 1}, Note: []byte("one leaf")}
	get("witnessed", 200, "no-store", "one leaf")
	if _, err := Rotate(folder); err != nil {
		t.Fatal(err)
	}
	get("succession", 200, "no-store", "trey key v1\n"+n.signer.Name())
	inPlace(t, folder, successionFile, "")
	get("succession", 500, "", "The succession of the keys cannot be read now.")
	n.record = broken{n.record}
	get("tile/0/000.p/3", 500, "", "The record cannot be read now; ask again.")
	get("tile/entries/000.p/3", 500, "", "The record cannot be read now; ask again.")
}

// A tile has a place in a tree that can be: no number of one overflows.
func TestParseTile(t *testing.T) {
	for path, want := range map[string]tile{
		"0/000":                {width: 256},
		"3/000":                {level: 3, width: 256},
		"1/001.p/7":            {level: 1, n: 1, width: 7},
		"entries/x001/002":     {entries: true, n: 1002, width: 256},
		"0/x004/x294/x967/296": {n: 1 << 32, width: 256},
	} {
		if got, ok := parseTile(path); !ok || got != want {
			t.Errorf("%s is %+v, %t, want %+v", path, got, ok, want)
		}
	}
	for _, path := range []string{"", "0", "0/", "4/000", "8/000", "data/000", "entries", "0/0", "0/x004/x294/x967/297", "entries/x004/x294/x967/297", "-1/000"} {
		if got, ok := parseTile(path); ok {
			t.Errorf("%s is %+v", path, got)
		}
	}
}
