package auditor

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"trey/internal/house"
	"trey/internal/tree"
)

// leafless is a tree of which nothing but the origin can be read.
type leafless struct{ origin []byte }

func (l leafless) Origin() []byte  { return l.origin }
func (l leafless) Head() tree.Head { return tree.Head{} }

func (l leafless) Nodes(ctx context.Context, _ int, _ int64, _ int) ([]tree.Hash, error) {
	return nil, errors.Join(ctx.Err(), errors.New("no nodes"))
}

// key returns the keys of a tree's name, which differ by their number.
func key(t *testing.T, name string, number byte) (note.Signer, note.Verifier) {
	t.Helper()
	private := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{number}, ed25519.SeedSize))
	line, err := note.NewEd25519VerifierKey(name, private.Public().(ed25519.PublicKey))
	if err != nil {
		t.Fatal(err)
	}
	known, err := note.NewVerifier(line)
	if err != nil {
		t.Fatal(err)
	}
	return signer{known, private}, known
}

// signer signs as a key of a house does.
type signer struct {
	note.Verifier
	private ed25519.PrivateKey
}

func (s signer) Sign(text []byte) ([]byte, error) { return ed25519.Sign(s.private, text), nil }

// Each checkpoint that is to hold a commitment is over leaves from after it, of this tree or of one
// from which this tree went on, and signed by a key that is known or counted as unsigned.
func TestEachGuardOfCheckpointsBites(t *testing.T) {
	const size, committed, relied = 9, 4, 8
	origin := tree.Origin([32]byte{1}, "trey-house/older")
	name := tree.Name(origin)
	known, keys := key(t, name, 1)
	other, _ := key(t, name, 2)
	var edge tree.Edge
	heads := []tree.Head{{}}
	hashes := []tree.Hash{tree.LeafHash(origin)}
	for n := range size {
		hashes = append(hashes, tree.LeafHash([]byte{byte(n)}))
	}
	for _, h := range hashes {
		edge.Add(h)
		heads = append(heads, edge.Head())
	}
	signed := func(of string, head tree.Head, by note.Signer) string {
		t.Helper()
		text, err := note.Sign(&note.Note{Text: tree.CheckpointText(of, head)}, by)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	foreign := heads[6]
	foreign.Root[0]++
	another, _ := key(t, "trey-house/another", 1)
	older, _ := key(t, "trey-house/older", 1)
	latest, _ := key(t, "trey-house/latest", 1)
	for _, test := range []struct {
		what, note            string
		held, unsigned, known int
		want                  string // part of the only finding, empty for none
	}{
		{"signed", signed(name, heads[6], known), 1, 0, 6, ""},
		{"the first that can hold it", signed(name, heads[committed+1], known), 1, 0, committed + 1, ""},
		{"the last that can hold it", signed(name, heads[relied], known), 1, 0, relied, ""},
		{"from before the commitment", signed(name, heads[committed], known), 0, 0, 0, "is over 4 leaves, and it was committed to in transaction 4 and relied upon in transaction 8"},
		{"from after the bets", signed(name, heads[relied+1], known), 0, 0, 0, "is over 9 leaves"},
		{"no checkpoint", "a line", 0, 0, 0, "is none"},
		{"signed by another key", signed(name, heads[6], other), 1, 1, 0, ""},
		{"signed otherwise", strings.Replace(signed(name, heads[6], known), "\n6\n", "\n7\n", 1), 1, 0, 0, "has a wrong signature"},
		{"of other leaves", signed(name, foreign, known), 1, 0, 0, "is of another tree: its 6 leaves have the root"},
		{"of other leaves, by another key", signed(name, foreign, other), 1, 1, 0, "is of another tree"},
		{"of the tree before", signed("trey-house/older", heads[6], older), 0, 0, 0, ""},
		{"of the tree before, as it went on later", signed("trey-house/latest", heads[6], latest), 0, 0, 0, ""},
		{"of no tree before", signed("trey-house/another", heads[6], another), 0, 0, 0, "is held by a checkpoint of trey-house/another, and this tree is " + name},
	} {
		c := newCoverCheck(leafless{origin}, []note.Verifier{keys})
		for n, h := range hashes {
			c.read(int64(n), h)
		}
		of := &cover{seq: relied, committed: committed, table: "T", round: 3, note: test.note}
		for range 2 { // two tables share one
			if err := c.add(t.Context(), of); err != nil {
				t.Fatal(err)
			}
		}
		found := c.end([]restored{{"trey-house/latest", relied}})
		if test.want == "" && len(found) > 0 || test.want != "" && (len(found) == 0 || !strings.Contains(found[0].What, test.want) || found[0].Seq != relied) {
			t.Errorf("%s: found %v, want %q", test.what, found, test.want)
		}
		if c.held != 2*test.held || c.unsigned != 2*test.unsigned || c.signed != int64(test.known) {
			t.Errorf("%s: %d are held, %d unsigned, and %d leaves signed; want twice %d and %d, and %d", test.what, c.held, c.unsigned, c.signed, test.held, test.unsigned, test.known)
		}
	}

	// A tree that went on from another at a transaction has none of its checkpoints later.
	for _, test := range []struct {
		through int64
		found   int
	}{{relied, 0}, {relied - 1, 1}} {
		c := newCoverCheck(leafless{tree.Origin([32]byte{1}, "")}, nil)
		if err := c.add(t.Context(), &cover{seq: relied, committed: committed, note: signed("trey-house/older", heads[6], older)}); err != nil {
			t.Fatal(err)
		}
		if found := c.end([]restored{{"trey-house/older", test.through}}); len(found) != test.found {
			t.Errorf("gone on at %d: found %v", test.through, found)
		}
	}

	// Where the leaves are not there, the tree is asked, and who asks may go away.
	c := newCoverCheck(leafless{origin}, nil)
	of := &cover{seq: relied, committed: committed, note: signed(name, heads[6], known)}
	if err := c.add(t.Context(), of); err != nil || len(c.found) != 1 || !strings.Contains(c.found[0].What, "cannot be held against the tree: ") {
		t.Errorf("without leaves: %v, %v", c.found, err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if err := c.add(gone, of); !errors.Is(err, context.Canceled) {
		t.Errorf("who asks has gone: %v", err)
	}
}

// kept is a record with its snapshots.
type kept struct{ err error }

func (k kept) Snapshot(context.Context, string, int64) (house.Snapshot, error) {
	return house.Snapshot{Seq: 5}, k.err
}

// A snapshot that is not there is none, and one that cannot be read is an error.
func TestSnapshotsThatCannotBeRead(t *testing.T) {
	broken := errors.New("the disk failed")
	for _, test := range []struct {
		of    snapshotReader
		found bool
		err   error
	}{
		{nil, false, nil},
		{kept{}, true, nil},
		{kept{fmt.Errorf("snapshot: %w", house.ErrNotFound)}, false, nil},
		{kept{broken}, true, broken},
	} {
		s := &snapshots{of: test.of, last: map[string]int64{"table:T": 5}}
		if got, err := s.at(t.Context(), "table:T", -1); err != test.err || err == nil && (got != nil) != test.found {
			t.Errorf("%v: %v, %v", test.of, got, err)
		}
		check := &roundCheck{written: s, close: func() {}}
		if err := check.end(t.Context()); err != test.err || len(check.found) > 0 {
			t.Errorf("%v: at the end %v, %v", test.of, check.found, err)
		}
		s.last["table:T"] = 4
		if err := check.end(t.Context()); err != test.err || (len(check.found) == 1) != (test.found && test.err == nil) {
			t.Errorf("%v: strayed, and at the end %v, %v", test.of, check.found, err)
		}
	}
}

// The record of a round that cannot be read is a finding at its transaction, in the order of the
// record.
func TestARecordOfARoundThatCannotBeRead(t *testing.T) {
	v := newVerifying()
	for seq := int64(3); seq > 0; seq-- {
		v.add(seq, []byte(fmt.Sprintf(`{"no round": %d}`, seq)))
	}
	found := v.end()
	if len(found) != 3 || v.rounds != 3 || v.otherwise != 0 {
		t.Fatalf("found %v of %d records", found, v.rounds)
	}
	for i, f := range found {
		if f.Seq != int64(i+1) || !strings.HasPrefix(f.What, "the record of the round that it commits to cannot be read: ") {
			t.Errorf("finding %d: %v", i, f)
		}
	}
}
