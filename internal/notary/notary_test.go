package notary

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trey/internal/tree"
)

// kept is a record of leaves, with all nodes at hand.
type kept struct {
	origin []byte
	leaves []tree.Hash
}

func record(texts ...string) *kept {
	k := &kept{origin: tree.Origin([32]byte{1}, "")}
	k.leaves = append(k.leaves, tree.LeafHash(k.origin))
	for _, text := range texts {
		k.leaves = append(k.leaves, tree.LeafHash([]byte(text)))
	}
	return k
}

func (k *kept) Origin() []byte { return k.origin }

func (k *kept) Head() tree.Head {
	edge := &tree.Edge{}
	for _, h := range k.leaves {
		edge.Add(h)
	}
	return edge.Head()
}

func (k *kept) Nodes(_ context.Context, level int, from int64, count int) ([]tree.Hash, error) {
	width := int64(1) << (tree.Height * level)
	row := make([]tree.Hash, count)
	for i := range row {
		begin := (from + int64(i)) * width
		if begin+width > int64(len(k.leaves)) {
			return nil, fmt.Errorf("no node %d of level %d", from+int64(i), level)
		}
		row[i] = (&kept{leaves: k.leaves[begin : begin+width]}).Head().Root
	}
	return row, nil
}

func open(t *testing.T, folder string, r Record) *Notary {
	t.Helper()
	n, err := Open(t.Context(), folder, r)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func sign(t *testing.T, n *Notary) Checkpoint {
	t.Helper()
	c, err := n.Sign()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCheckpoint(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "keys")
	open(t, folder, record())
	for file, mode := range map[string]os.FileMode{keyFile: 0o600, publicFile: 0o644} {
		info, err := os.Stat(filepath.Join(folder, file))
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", file, info, err)
		}
	}
	r := record("one", "two")
	n := open(t, folder, r) // leaf 0 was signed, and the record goes on
	c := sign(t, n)
	if got := strings.Split(string(c.Note), "\n"); len(got) != 6 || got[0] != tree.Name(r.origin) || got[1] != "3" || got[2] != r.Head().Root.String() || got[3] != "" || !strings.HasPrefix(got[4], "\u2014 "+tree.Name(r.origin)+" ") {
		t.Errorf("the checkpoint is %q", c.Note)
	}
	read, err := Read(c.Note, n.Verifier())
	if err != nil || read.Head != r.Head() || read.Name != tree.Name(r.origin) {
		t.Errorf("it is read as %+v, %v", read, err)
	}
	if again := sign(t, n); string(again.Note) != string(c.Note) {
		t.Error("the same tree was signed twice")
	}
	r.leaves = append(r.leaves, tree.LeafHash([]byte("three")))
	if next := sign(t, n); next.Size != 4 {
		t.Errorf("signed %d leaves, want 4", next.Size)
	}
	open(t, folder, r)
	altered := strings.Replace(string(c.Note), "\n3\n", "\n4\n", 1)
	if _, err := Read([]byte(altered), n.Verifier()); err == nil {
		t.Error("an altered checkpoint is read")
	}
	other := open(t, filepath.Join(t.TempDir(), "keys"), record())
	if _, err := Read(c.Note, other.Verifier()); err == nil {
		t.Error("a checkpoint is read by another key")
	}
}

// What is done before a checkpoint is kept comes before it: where it fails, the one of before stays,
// and the next try does both.
func TestBeforeACheckpointIsKept(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "keys")
	open(t, folder, record())
	r := record("one")
	n := open(t, folder, r)
	fails, done := errors.New("there is no room"), 0
	n.BeforeKept(func() error {
		if last, err := LastIn(folder); err != nil || last.Size != 1 {
			t.Errorf("%d leaves are kept already, %v", last.Size, err)
		}
		done++
		return fails
	})
	if _, err := n.Sign(); !errors.Is(err, fails) {
		t.Errorf("the checkpoint was kept: %v", err)
	}
	fails = nil
	if c := sign(t, n); c.Size != 2 || done != 2 {
		t.Errorf("signed %d leaves, done %d times", c.Size, done)
	}
	if last, err := LastIn(folder); err != nil || last.Size != 2 {
		t.Errorf("%d leaves are kept, %v", last.Size, err)
	}
	if sign(t, n); done != 2 {
		t.Error("it is done for a checkpoint that is kept already")
	}
}

func TestRecordMustContinueWhatWasSigned(t *testing.T) {
	for _, test := range []struct {
		name   string
		record *kept
		want   error
	}{
		{"the same", record("one", "two"), nil},
		{"more", record("one", "two", "three"), nil},
		{"an older copy", record("one"), ErrNotContinued},
		{"a new record under its name", record(), ErrNotContinued},
		{"a transaction altered", record("one", "TWO"), ErrNotContinued},
		{"the first altered, and more", record("ONE", "two", "three"), ErrNotContinued},
		{"another house's", &kept{origin: tree.Origin([32]byte{2}, ""), leaves: []tree.Hash{{}, {}, {}}}, ErrOtherRecord},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "keys")
			open(t, folder, record())
			n := open(t, folder, record("one", "two"))
			sign(t, n)
			before := files(t, folder)
			_, err := Open(t.Context(), folder, test.record)
			if !errors.Is(err, test.want) {
				t.Errorf("opened with %v, want %v", err, test.want)
			}
			if after := files(t, folder); after != before {
				t.Errorf("the folder became %s, was %s", after, before)
			}
		})
	}
}

// files are the files of a folder with what they hold.
func files(t *testing.T, folder string) string {
	t.Helper()
	var all strings.Builder
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&all, "%s: %q\n", e.Name(), text)
	}
	return all.String()
}

func TestWithoutKeyOrCheckpoint(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "keys")
	if _, err := Open(t.Context(), folder, record("one")); !errors.Is(err, ErrNoKey) {
		t.Errorf("a record in use without a key: %v", err)
	}
	if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder was made: %v", err)
	}
	n := open(t, folder, record())
	sign(t, n)
	if err := os.Remove(filepath.Join(folder, checkpointFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), folder, record("one")); !errors.Is(err, ErrNotContinued) {
		t.Errorf("a record whose last checkpoint was taken away: %v", err)
	}
	for _, text := range []string{"", "PRIVATE+KEY+a+00000000+AAAA", strings.Repeat("x", 1000)} {
		if err := os.WriteFile(filepath.Join(folder, keyFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), folder, record()); err == nil {
			t.Errorf("the key %q is taken", text)
		}
	}
}

// A head shorter than what was signed is never signed, whatever the record has become.
func TestNoShorterTreeIsSigned(t *testing.T) {
	r := record("one", "two")
	folder := filepath.Join(t.TempDir(), "keys")
	open(t, folder, record())
	n := open(t, folder, record())
	n.record = r
	c := sign(t, n)
	r.leaves = r.leaves[:2]
	if _, err := n.Sign(); !errors.Is(err, ErrNotContinued) {
		t.Errorf("a shorter tree: %v", err)
	}
	if got := n.Last(); string(got.Note) != string(c.Note) {
		t.Error("the last checkpoint became another")
	}
}

func TestRotation(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "keys")
	first := open(t, folder, record()).Verifier()
	n := open(t, folder, record("one"))
	old := sign(t, n)
	var verifiers []string
	for range 2 {
		v, err := Rotate(folder)
		if err != nil {
			t.Fatal(err)
		}
		verifiers = append(verifiers, v)
	}
	n = open(t, folder, record("one", "two"))
	if n.Verifier() != verifiers[1] {
		t.Errorf("it signs with %s, want %s", n.Verifier(), verifiers[1])
	}
	next := sign(t, n)
	if _, err := Read(next.Note, first); err == nil {
		t.Error("the key before the rotation signs still")
	}
	succession, err := Succession(folder)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := Successors(first, succession)
	if err != nil || len(keys) != 3 || keys[0] != first || keys[2] != verifiers[1] {
		t.Fatalf("the successors are %q, %v", keys, err)
	}
	for _, c := range []Checkpoint{old, next} {
		if _, err := Read(c.Note, keys...); err != nil {
			t.Errorf("the checkpoint of %d leaves: %v", c.Size, err)
		}
	}
	stranger := open(t, filepath.Join(t.TempDir(), "keys"), record()).Verifier()
	if keys, err := Successors(stranger, succession); err != nil || len(keys) != 1 {
		t.Errorf("a stranger's successors are %q, %v", keys, err)
	}
	private, err := os.ReadFile(filepath.Join(folder, successionFile))
	if err != nil || strings.Contains(string(private), "PRIVATE") {
		t.Errorf("the succession holds %q, %v", private, err)
	}
}

// Whoever asks for a checkpoint does not wait until another one is on the disk.
func TestNobodyWaitsForTheDisk(t *testing.T) {
	r := record()
	n := open(t, t.TempDir(), r)
	var covered error
	n.BeforeKept(func() error {
		answered := make(chan error)
		go func() {
			_, err := n.Covering(1)
			_, _ = n.Last(), n.Witnessed()
			answered <- err
		}()
		select {
		case covered = <-answered:
		case <-time.After(time.Minute):
			covered = errors.New("it waits until the checkpoint is kept")
		}
		return nil
	})
	r.leaves = append(r.leaves, tree.LeafHash([]byte("more")))
	if _, err := n.Sign(); err != nil || covered != nil {
		t.Errorf("signed with %v, covered with %v", err, covered)
	}
}

// What somebody relies upon is signed at once, and lies beside the key with the next
// checkpoint that is due.
func TestCovering(t *testing.T) {
	folder, r := t.TempDir(), record()
	n := open(t, folder, r)
	if _, err := n.Covering(1); err == nil {
		t.Error("a transaction that is not durable is covered")
	}
	r.leaves = append(r.leaves, tree.LeafHash([]byte("commitment")))
	text, err := n.Covering(1)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Read(text, n.Verifier())
	if err != nil || c.Head != r.Head() {
		t.Fatalf("signed was %+v, %v", c, err)
	}
	if last, err := LastIn(folder); err != nil || last.Size != 1 {
		t.Errorf("beside the key lies %+v, %v", last, err)
	}
	if _, err := n.Sign(); err != nil {
		t.Fatal(err)
	}
	if last, err := LastIn(folder); err != nil || last.Head != c.Head {
		t.Errorf("then there lies %+v, %v", last, err)
	}
	r.leaves = append(r.leaves, tree.LeafHash([]byte("more")))
	if again, err := n.Covering(1); err != nil || string(again) != string(text) {
		t.Errorf("covered already, it is signed anew: %s, %v", again, err)
	}
	// One that a witness has seen is worth more than a newer one of the house alone.
	n.witnessed, n.last.Note = n.last, nil
	n.witnessed.Note = []byte("seen")
	if got, err := n.Covering(1); err != nil || string(got) != "seen" {
		t.Errorf("got %q, %v", got, err)
	}
	r.leaves = r.leaves[:1]
	if _, err := n.Covering(7); !errors.Is(err, ErrNotContinued) {
		t.Errorf("a shorter record: %v", err)
	}
}

// Wherever a rotation is interrupted, the house opens with the key before or with the new one, its
// files are read by what lies there, and the rotation can be done again.
func TestARotationIsInterrupted(t *testing.T) {
	type killed struct{}
	defer func() { afterRotateStep = func(string) {} }()
	for _, step := range []string{checkpointFile, movedFile, witnessedFile, formerFile, successionFile, keyFile, publicFile} {
		t.Run(step, func(t *testing.T) {
			folder, n := used(t)
			w := newWitness(t, "w", n)
			ask(t, n, w.peer(t, "w"))
			if err := n.SignMoved(); err != nil {
				t.Fatal(err)
			}
			first := n.Verifier()
			afterRotateStep = func(file string) {
				if file == step {
					panic(killed{})
				}
			}
			func() {
				defer func() {
					if _, ok := recover().(killed); !ok {
						t.Error("it was not interrupted")
					}
				}()
				_, _ = Rotate(folder)
			}()
			afterRotateStep = func(string) {}
			holds := func() {
				t.Helper()
				if c, err := LastIn(folder); err != nil || c.Head != n.Last().Head {
					t.Errorf("the last checkpoint is %+v, %v", c, err)
				}
				if c, err := WitnessedIn(folder); err != nil || !strings.Contains(string(c.Note), "\n\u2014 w ") {
					t.Errorf("a witness has cosigned %q, %v", c.Note, err)
				}
				if c, err := MovedIn(folder, n.Last().Size); err != nil || c.Head != n.Last().Head {
					t.Errorf("the house left %+v, %v", c, err)
				}
			}
			holds()
			// It is done again at once, or after the house was opened.
			later := filepath.Join(t.TempDir(), "later")
			if err := os.CopyFS(later, os.DirFS(folder)); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(filepath.Join(later, keyFile), 0o600); err != nil {
				t.Fatal(err)
			}
			opened := open(t, later, n.record)
			if rotated := opened.Verifier() != first; rotated != (step == keyFile || step == publicFile) {
				t.Errorf("opened, it signs with another key: %t", rotated)
			}
			if key, err := KeyIn(later); err != nil || key != opened.Verifier() {
				t.Errorf("the line of the key is %q, %v", key, err)
			}
			for _, place := range []string{folder, later} {
				next, err := Rotate(place)
				if err != nil {
					t.Fatal(err)
				}
				if open(t, place, n.record).Verifier() != next {
					t.Error("the new key is not in use")
				}
				succession, err := Succession(place)
				if err != nil {
					t.Fatal(err)
				}
				if keys, err := Successors(first, succession); err != nil || keys[len(keys)-1] != next {
					t.Errorf("the successors are %q, %v", keys, err)
				}
				if keys, err := KeysIn(place); err != nil || keys[0] != next || keys[len(keys)-1] != first {
					t.Errorf("the keys are %q, %v", keys, err)
				}
			}
			holds()
		})
	}
}

// A key is in use if it is the one that is recorded or follows from it, and no other.
func TestFollows(t *testing.T) {
	folder, n := used(t)
	first := n.Verifier()
	before := filepath.Join(t.TempDir(), "before")
	if err := os.CopyFS(before, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	if key, err := Predecessor(folder); err != nil || key != "" {
		t.Errorf("before the only key there was %q, %v", key, err)
	}
	var next [2]string
	for i := range next {
		var err error
		if next[i], err = Rotate(folder); err != nil {
			t.Fatal(err)
		}
	}
	if key, err := Predecessor(folder); err != nil || key != first {
		t.Errorf("the first key is %q, %v", key, err)
	}
	for _, test := range []struct {
		folder, recorded string
		later            bool
		want             error
	}{
		{folder, next[1], false, nil},
		{folder, next[0], true, nil},
		{folder, first, true, nil},
		{before, first, false, nil},
		{before, next[0], false, ErrReplaced},
		{before, next[1], false, ErrReplaced},
	} {
		if later, err := Follows(test.folder, test.recorded); later != test.later || !errors.Is(err, test.want) {
			t.Errorf("%s after %s: %t, %v", test.folder, test.recorded, later, err)
		}
	}
}

// What another machine signed is kept beside the key where it says more of this record, and a record
// that lacks it is not gone on with.
func TestWhatAnotherMachineSignedIsKept(t *testing.T) {
	writer, folder := filepath.Join(t.TempDir(), "writer"), filepath.Join(t.TempDir(), "reader")
	open(t, writer, record())
	if err := os.CopyFS(folder, os.DirFS(writer)); err != nil {
		t.Fatal(err)
	}
	two := sign(t, open(t, writer, record("a", "b")))
	three := sign(t, open(t, writer, record("a", "b", "c")))
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	open(t, elsewhere, record())
	other := sign(t, open(t, elsewhere, record("a", "b", "c", "d")))
	for _, step := range []struct {
		what string
		sent Checkpoint
		read Record
		size int64
	}{
		{"what was not read yet", three, record("a", "b"), 1},
		{"more than lies there", two, record("a", "b"), 3},
		{"by another key", other, record("a", "b", "c", "d"), 3},
		{"more again", three, record("a", "b", "c", "d"), 4},
		{"less", two, record("a", "b", "c", "d"), 4},
	} {
		before := 0
		if err := Keep(folder, step.read, step.sent.Note, func() error { before++; return nil }); err != nil {
			t.Errorf("%s: %v", step.what, err)
		}
		c, err := LastIn(folder)
		if err != nil || c.Size != step.size || before > 0 != strings.HasPrefix(step.what, "more") {
			t.Errorf("%s: %d leaves lie there, and %d times something was done before that: %v", step.what, c.Size, before, err)
		}
	}
	if err := ContinuesIn(t.Context(), folder, record("a", "b", "c")); err != nil {
		t.Error(err)
	}
	for _, r := range []Record{record("a", "b"), record("a", "b", "x")} {
		if err := ContinuesIn(t.Context(), folder, r); !errors.Is(err, ErrNotContinued) {
			t.Errorf("a record that lacks it: %v", err)
		}
	}
}
