// Package notary signs checkpoints of a house's record. The key lies in a folder outside
// the record, and the last checkpoint that was signed lies beside the key: so a record
// that does not continue it, an older copy or an altered one, is found before anything
// goes on from it.
//
// Checkpoints are signed notes (c2sp.org/tlog-checkpoint) under the name that leaf 0
// of the tree gives it, with Ed25519.
package notary

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/sumdb/note"

	"trey/internal/durable"
	"trey/internal/tree"
)

// The files of the folder.
const (
	keyFile        = "signing.key" // the private key, for its owner alone
	publicFile     = "signing.pub" // what verifies its signatures
	checkpointFile = "checkpoint"  // the last one that was signed
	witnessedFile  = "witnessed"   // the newest one that a witness has cosigned
	movedFile      = "moved"       // the checkpoints of the records that the house has left
	successionFile = "succession"  // which key followed which, each named by the one before
	formerFile     = "former"      // what verifies the signatures of the keys before this one
)

// AlteredFile is the name of the file in the folder that says whose account was altered, and
// when: see [Notary.BeforeKept].
const AlteredFile = "altered"

// Record is the record whose tree is signed: a house.Store is one.
type Record interface {
	Origin() []byte
	Head() tree.Head
	Nodes(ctx context.Context, level int, from int64, count int) ([]tree.Hash, error)
	LeafTexts(ctx context.Context, from int64, count int) ([][]byte, error)
}

var (
	// ErrNoKey is wrapped where a record that was in use has no key to go on with.
	ErrNoKey = errors.New("the key that signs for this record is not here")
	// ErrOtherRecord is wrapped where the key signs for another record.
	ErrOtherRecord = errors.New("the key signs for another record")
	// ErrNotContinued is wrapped where a record does not continue the last
	// checkpoint: it is an older copy, or somebody has changed it.
	ErrNotContinued = errors.New("the record does not continue what was signed last")
	// ErrReplaced is wrapped where the key has been replaced by another one.
	ErrReplaced = errors.New("the key that is here signs no longer for this record")
)

// Notary signs the checkpoints of one record. It is safe for use by many goroutines.
type Notary struct {
	folder   string
	record   Record
	signer   note.Signer
	verifier string

	mu sync.Mutex
	// last is the checkpoint signed last.
	last, witnessed Checkpoint

	// keeping is held while a checkpoint is put beside the key, or one that was cosigned, for as
	// long as the disk takes. It is locked before mu, never after it.
	keeping sync.Mutex
	// kept is the last checkpoint in the file beside the key.
	kept Checkpoint
	// before is done before a checkpoint is kept; nil for nothing.
	before func() error
}

// Checkpoint is a tree as it was signed.
type Checkpoint struct {
	// Name is the origin line, the name of the tree.
	Name string
	tree.Head
	// Note is the signed note, empty for none.
	Note []byte
}

// Begin makes a key for a record in a folder that has none, signs what the record
// holds, and returns its notary. It is for a record that goes on from a copy under a
// tree of its own; [Open] makes the key of a new one.
func Begin(folder string, record Record) (*Notary, error) {
	n := &Notary{folder: folder, record: record}
	if _, err := os.Stat(n.path(keyFile)); !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is a key in %s already", folder)
	}
	key, err := n.makeKey(tree.Name(record.Origin()))
	if err != nil {
		return nil, fmt.Errorf("make a key in %s: %w", folder, err)
	}
	if n.signer, n.verifier, err = readKey(key); err != nil {
		return nil, err
	}
	_, err = n.Sign()
	return n, err
}

// Open returns the notary of a record, with the key in a folder. It makes a key where
// the record is new, with nothing in it but leaf 0, and the folder has none and no checkpoint. An
// error wraps [ErrNoKey], [ErrOtherRecord] or [ErrNotContinued] where the record is not one that the
// key may go on signing for: nothing is changed then.
func Open(ctx context.Context, folder string, record Record) (*Notary, error) {
	n := &Notary{folder: folder, record: record}
	if record.Head().Size == 1 && n.lacks(keyFile) && n.lacks(checkpointFile) {
		if _, err := n.makeKey(tree.Name(record.Origin())); err != nil {
			return nil, fmt.Errorf("make a key in %s: %w", folder, err)
		}
	}
	if err := n.check(ctx); err != nil {
		return nil, err
	}
	// A rotation that was interrupted at its end has left the line of the key before.
	if public, err := KeyIn(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	} else if public != n.verifier {
		if err := durable.Write(n.path(publicFile), []byte(n.verifier+"\n"), 0o644); err != nil {
			return nil, err
		}
	}
	// Leaf 0 is signed before anything follows it: a folder without a checkpoint is
	// then one from which it was taken.
	if n.last.Size == 0 {
		if _, err := n.Sign(); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// Check returns what [Open] says of a record and the key in a folder, nil where the key may go on
// signing for the record. It makes no key, and changes nothing.
func Check(ctx context.Context, folder string, record Record) error {
	return (&Notary{folder: folder, record: record}).check(ctx)
}

// check reads the key and what was signed last, and holds the record against that.
func (n *Notary) check(ctx context.Context) error {
	if err := n.load(tree.Name(n.record.Origin())); errors.Is(err, ErrNoKey) {
		return fmt.Errorf("%w, and the record holds %d transactions", err, n.record.Head().Size-1)
	} else if err != nil {
		return err
	}
	if err := n.loadLast(); err != nil {
		return err
	}
	return n.continues(ctx)
}

// lacks reports whether a file is not in the folder.
func (n *Notary) lacks(file string) bool {
	_, err := os.Stat(n.path(file))
	return errors.Is(err, fs.ErrNotExist)
}

// Unused returns an error that wraps [ErrOtherRecord] where the key in a folder, or what it signed,
// is that of a record already: none can begin with it.
func Unused(folder string) error {
	n := &Notary{folder: folder}
	text, err := os.ReadFile(n.path(keyFile))
	if errors.Is(err, fs.ErrNotExist) {
		if n.lacks(checkpointFile) {
			return nil
		}
		return fmt.Errorf("%w: %s is what was signed of it", ErrOtherRecord, n.path(checkpointFile))
	}
	if err != nil {
		return err
	}
	signer, _, err := readKey(text)
	if err != nil {
		return fmt.Errorf("%s: %w", n.path(keyFile), err)
	}
	return fmt.Errorf("%w: %s is the key of %s", ErrOtherRecord, n.path(keyFile), signer.Name())
}

// HasKey returns an error that wraps [ErrNoKey] or [ErrOtherRecord] where a folder does not hold
// the key of a record of that name.
func HasKey(folder, name string) error { return (&Notary{folder: folder}).load(name) }

// load reads the key of the record of that name.
func (n *Notary) load(name string) error {
	text, err := os.ReadFile(n.path(keyFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: there is no %s", ErrNoKey, n.path(keyFile))
	case err != nil:
		return err
	}
	return n.use(text, name)
}

// use has the notary sign with the key of the record of that name.
func (n *Notary) use(key []byte, name string) (err error) {
	if n.signer, n.verifier, err = readKey(key); err != nil {
		return fmt.Errorf("%s: %w", n.path(keyFile), err)
	}
	if n.signer.Name() != name {
		return fmt.Errorf("%w: the record is %s, and %s is the key of %s", ErrOtherRecord, name, n.path(keyFile), n.signer.Name())
	}
	return nil
}

func (n *Notary) path(file string) string { return filepath.Join(n.folder, file) }

// makeKey draws a key and keeps it for its owner alone.
func (n *Notary) makeKey(name string) ([]byte, error) {
	if err := os.MkdirAll(n.folder, 0o700); err != nil {
		return nil, err
	}
	key, public, err := drawKey(name)
	if err != nil {
		return nil, err
	}
	if err := durable.Write(n.path(publicFile), []byte(public+"\n"), 0o644); err != nil {
		return nil, err
	}
	return []byte(key), durable.Write(n.path(keyFile), []byte(key), 0o600)
}

// drawKey draws a key that signs under a name, as a line of its file, and what
// verifies its signatures.
func drawKey(name string) (key, verifier string, err error) {
	key, verifier, err = note.GenerateKey(rand.Reader, name)
	return key + "\n", verifier, err
}

// readKey returns the signer of a key, and the verifier of its signatures.
func readKey(text []byte) (note.Signer, string, error) {
	private := strings.TrimSpace(string(text))
	signer, err := note.NewSigner(private)
	if err != nil {
		return nil, "", errNoSigner
	}
	// PRIVATE+KEY+name+number+seed: NewSigner has seen that each is there.
	seed, err := base64.StdEncoding.DecodeString(strings.SplitN(private, "+", 5)[4])
	if err != nil || len(seed) != 1+ed25519.SeedSize {
		return nil, "", errNoSigner
	}
	pair := ed25519.NewKeyFromSeed(seed[1:])
	public, err := note.NewEd25519VerifierKey(signer.Name(), pair.Public().(ed25519.PublicKey))
	return signer, public, err
}

var errNoSigner = errors.New("it is not a key as this program writes it")

// loadLast reads the checkpoint that was signed last.
func (n *Notary) loadLast() error {
	text, err := os.ReadFile(n.path(checkpointFile))
	if errors.Is(err, fs.ErrNotExist) {
		if size := n.record.Head().Size; size > 1 {
			return fmt.Errorf("%w: there is no %s, and the record holds %d transactions: whether it is the newest cannot be told", ErrNotContinued, n.path(checkpointFile), size-1)
		}
		return nil
	}
	if err != nil {
		return err
	}
	keys, err := n.known(n.verifier)
	if err != nil {
		return err
	}
	if n.last, err = Read(text, keys...); err != nil {
		return fmt.Errorf("%s: %w", n.path(checkpointFile), err)
	}
	n.kept = n.last
	text, err = os.ReadFile(n.path(witnessedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	// One that no key of this house signed counts for nothing: the next takes its place.
	n.witnessed, _ = Read(text, keys...)
	return nil
}

// KeyIn returns the line that verifies what the key in a folder signs.
func KeyIn(folder string) (string, error) {
	text, err := os.ReadFile((&Notary{folder: folder}).path(publicFile))
	return strings.TrimSpace(string(text)), err
}

// KeysIn returns the lines that verify what the key in a folder signs and what the keys before it
// signed, the key in use first.
func KeysIn(folder string) ([]string, error) {
	key, err := KeyIn(folder)
	if err != nil {
		return nil, err
	}
	return (&Notary{folder: folder}).known(key)
}

// known returns a key and those that were in use in the folder before it.
func (n *Notary) known(key string) ([]string, error) {
	keys := []string{key}
	text, err := os.ReadFile(n.path(formerFile))
	if errors.Is(err, fs.ErrNotExist) {
		return keys, nil
	}
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !slices.Contains(keys, line) {
			keys = append(keys, line)
		}
	}
	return keys, nil
}

// LastIn returns the last checkpoint in a folder, by the keys in it, with the
// cosignatures of witnesses if they are of the same tree. The error wraps
// [fs.ErrNotExist] where there is none, and [ErrNotContinued] where the witnesses have
// cosigned another tree of that size.
func LastIn(folder string) (Checkpoint, error) {
	n := &Notary{folder: folder}
	keys, err := KeysIn(folder)
	if err != nil {
		return Checkpoint{}, err
	}
	text, err := os.ReadFile(n.path(checkpointFile))
	if err != nil {
		return Checkpoint{}, err
	}
	c, err := Read(text, keys...)
	if err != nil {
		return c, fmt.Errorf("%s: %w", n.path(checkpointFile), err)
	}
	text, _ = os.ReadFile(n.path(witnessedFile)) // what is not there is no checkpoint
	switch seen, _ := Read(text, keys...); {
	case seen.Head == c.Head && seen.Name == c.Name:
		c.Note = seen.Note
	case seen.Size == c.Size:
		return c, fmt.Errorf("%w: %s and %s are two trees of %d transactions, and the house has signed both", ErrNotContinued, n.path(checkpointFile), n.path(witnessedFile), c.Size-1)
	}
	return c, nil
}

// WitnessedIn returns the newest checkpoint in a folder that a witness has cosigned, by the keys in
// it. The error wraps [fs.ErrNotExist] where there is none.
func WitnessedIn(folder string) (Checkpoint, error) {
	keys, err := KeysIn(folder)
	if err != nil {
		return Checkpoint{}, err
	}
	path := (&Notary{folder: folder}).path(witnessedFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return Checkpoint{}, err
	}
	c, err := Read(text, keys...)
	if err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// MovedIn returns the checkpoint in a folder that was signed of a record when the house left
// it with so many leaves, by the keys in the folder. The error wraps [fs.ErrNotExist] where the
// house left none of that size.
func MovedIn(folder string, size int64) (Checkpoint, error) {
	path := (&Notary{folder: folder}).path(movedFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return Checkpoint{}, err
	}
	keys, err := KeysIn(folder)
	if err != nil {
		return Checkpoint{}, err
	}
	for signed := range strings.SplitSeq(string(text), Separator) {
		c, err := Read([]byte(signed), keys...)
		if err != nil {
			return Checkpoint{}, fmt.Errorf("%s: %w", path, err)
		}
		if c.Size == size {
			return c, nil
		}
	}
	return Checkpoint{}, fmt.Errorf("%s: the house left no record of %d transactions: %w", path, size-1, fs.ErrNotExist)
}

// continues reports whether the record begins with the tree that was signed last, and with
// the one that a witness has cosigned.
func (n *Notary) continues(ctx context.Context) error {
	return continuesAll(ctx, n.record, n.last, n.witnessed)
}

// continuesAll checks each checkpoint that there is by [Continues].
func continuesAll(ctx context.Context, record Record, all ...Checkpoint) error {
	for _, c := range all {
		if c.Size == 0 {
			continue
		}
		if err := Continues(ctx, record, c); err != nil {
			return err
		}
	}
	return nil
}

// ContinuesIn returns an error that wraps [ErrNotContinued] where a record does not continue what lies
// in a folder as signed last, or as cosigned by a witness. A folder without a checkpoint of this
// record says nothing of it.
func ContinuesIn(ctx context.Context, folder string, record Record) error {
	last, err := LastIn(folder)
	if errors.Is(err, ErrNotContinued) {
		return err
	}
	witnessed, _ := WitnessedIn(folder) // what is not there says nothing
	name := tree.Name(record.Origin())
	ofThisRecord := slices.DeleteFunc([]Checkpoint{last, witnessed}, func(c Checkpoint) bool { return c.Name != name })
	return continuesAll(ctx, record, ofThisRecord...)
}

// Keep puts a checkpoint that another machine has signed for a record beside the key in a folder: so
// whichever machine opens the record next finds that it lacks something. It keeps nothing that no key
// of the record in the folder signed, nothing that the record was not read up to, and nothing
// that is not later than what lies there. Before it keeps something it does what [Notary.BeforeKept] says.
func Keep(folder string, record Record, sent []byte, before func() error) error {
	name := tree.Name(record.Origin())
	if HasKey(folder, name) != nil {
		return nil
	}
	keys, err := KeysIn(folder)
	if err != nil {
		return err
	}
	c, err := Read(sent, keys...)
	if err != nil || c.Name != name || c.Size > record.Head().Size {
		return nil //nolint:nilerr // it is by a key that is not here
	}
	last, err := LastIn(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) || c.Size <= last.Size {
		return err
	}
	return keepIn(folder, c, before)
}

// Continues reports what is wrong with a record that is to begin with the tree of a
// checkpoint. An error wraps [ErrNotContinued] if it does not.
func Continues(ctx context.Context, record Record, c Checkpoint) error {
	if name := tree.Name(record.Origin()); c.Name != name {
		return fmt.Errorf("%w: the checkpoint is one of %s, and the record is %s", ErrOtherRecord, c.Name, name)
	}
	if head := record.Head(); head.Size < c.Size {
		return fmt.Errorf("%w: %d transactions were signed, and it holds %d", ErrNotContinued, c.Size-1, head.Size-1)
	}
	then, err := tree.NodesOf(ctx, record).At(c.Size)
	if err != nil {
		return err
	}
	if then.Root != c.Root {
		return fmt.Errorf("%w: its first %d transactions are not those that were signed", ErrNotContinued, c.Size-1)
	}
	return nil
}

// CheckGrowth reports what is wrong with a proof that the tree of a checkpoint begins
// with that of an older one.
func CheckGrowth(proof []tree.Hash, c, older Checkpoint) error {
	if c.Name != older.Name {
		return fmt.Errorf("%w: %s and %s", ErrOtherRecord, c.Name, older.Name)
	}
	return tree.CheckConsistency(proof, c.Head, older.Head)
}

// Read returns a checkpoint that one of the keys signed. A key is a line as
// [Notary.Verifier] returns it.
func Read(text []byte, keys ...string) (Checkpoint, error) {
	var known []note.Verifier
	for _, key := range keys {
		v, err := note.NewVerifier(key)
		if err != nil {
			return Checkpoint{}, fmt.Errorf("the key %q cannot be read: %w", key, err)
		}
		known = append(known, v)
	}
	opened, err := note.Open(text, note.VerifierList(known...))
	if err != nil {
		return Checkpoint{}, fmt.Errorf("the checkpoint is not signed by a key that is known: %w", err)
	}
	head, err := tree.ParseCheckpoint(opened.Text)
	if err != nil {
		return Checkpoint{}, err
	}
	c := Checkpoint{Head: head}
	c.Name, _, _ = strings.Cut(opened.Text, "\n")
	if opened.Sigs[0].Name != c.Name {
		return Checkpoint{}, fmt.Errorf("the checkpoint of %s is signed by %s", c.Name, opened.Sigs[0].Name)
	}
	c.Note = bytes.Clone(text)
	return c, nil
}

// BeforeKept has something done with what is durable each time before a checkpoint is put beside
// the key: whatever else lies there then says no less than the checkpoint covers. Where it
// fails, the checkpoint is not kept. It must be called before the first [Notary.Sign].
func (n *Notary) BeforeKept(do func() error) { n.before = do }

// Verifier returns the line that verifies what the notary signs: name, number of the
// key and key, as signed notes write them.
func (n *Notary) Verifier() string { return n.verifier }

// Last returns the last checkpoint that was signed; without a note there is none.
func (n *Notary) Last() Checkpoint {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.last
}

// Sign signs the tree of all durable transactions, keeps the checkpoint beside the key,
// and returns it. If that tree has been signed already, Sign returns the same checkpoint.
// It never signs a tree smaller than the last one, or another of the same size; the error
// wraps [ErrNotContinued] then.
func (n *Notary) Sign() (Checkpoint, error) {
	n.keeping.Lock()
	defer n.keeping.Unlock()
	n.mu.Lock()
	err := n.sign()
	signed := n.last
	n.mu.Unlock()
	if err != nil || n.kept.Head == signed.Head {
		return signed, err
	}
	if err := keepIn(n.folder, signed, n.before); err != nil {
		return signed, err
	}
	n.kept = signed
	return signed, nil
}

// keepIn puts a checkpoint beside the key in a folder, after before; nil is nothing.
func keepIn(folder string, c Checkpoint, before func() error) error {
	if before != nil {
		if err := before(); err != nil {
			return fmt.Errorf("keep what belongs to the checkpoint: %w", err)
		}
	}
	if err := durable.Write(filepath.Join(folder, checkpointFile), c.Note, 0o644); err != nil {
		return fmt.Errorf("keep the checkpoint: %w", err)
	}
	return nil
}

// SignMoved signs what the house leaves when it moves. That checkpoint stays in a file with
// those of the moves before, because the house signs more where it goes on.
func (n *Notary) SignMoved() error {
	signed, err := n.Sign()
	if err != nil {
		return err
	}
	before, err := os.ReadFile(n.path(movedFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case bytes.HasSuffix(before, signed.Note): // this move was interrupted
		return nil
	default:
		before = append(before, Separator...)
	}
	return durable.Write(n.path(movedFile), append(before, signed.Note...), 0o644)
}

// Covering returns a checkpoint of a tree that holds a transaction, which is durable: one
// that a witness has cosigned if there is one, else the last. Where none holds it yet, what
// is durable is signed. That lies beside the key with the next call of Sign: nobody waits
// for the disk here.
func (n *Notary) Covering(seq int64) ([]byte, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.witnessed.Size > seq {
		return n.witnessed.Note, nil
	}
	if n.last.Size <= seq {
		if err := n.sign(); err != nil {
			return nil, err
		}
	}
	if n.last.Size <= seq {
		return nil, fmt.Errorf("transaction %d is not durable: %d are", seq, n.last.Size-1)
	}
	return n.last.Note, nil
}

// sign signs the durable tree, if that is larger than the one signed last. n.mu must be
// held.
func (n *Notary) sign() error {
	head := n.record.Head()
	if head == n.last.Head {
		return nil
	}
	if head.Size <= n.last.Size {
		return fmt.Errorf("%w: %d transactions were signed, and it holds %d, or others", ErrNotContinued, n.last.Size-1, head.Size-1)
	}
	c := Checkpoint{Name: n.signer.Name(), Head: head}
	var err error
	if c.Note, err = note.Sign(&note.Note{Text: tree.CheckpointText(c.Name, head)}, n.signer); err != nil {
		return err
	}
	n.last = c
	return nil
}
