package house_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"trey/internal/house"
	"trey/internal/house/proof"
	"trey/internal/shuffle"
	"trey/internal/steady"
	"trey/internal/store/memory"
	"trey/internal/tree"
	"trey/money"
	"trey/table"
)

// keyed is a notary with a key that follows from nothing but a number, and a witness who
// has seen everything.
type keyed struct {
	*site
	number byte
}

func (k *keyed) key() ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{k.number}, ed25519.SeedSize))
}

// verifier returns the line that verifies what the notary signs.
func (k *keyed) verifier() string {
	line, err := note.NewEd25519VerifierKey(tree.Name(k.store.Origin()), k.key().Public().(ed25519.PublicKey))
	if err != nil {
		k.Fatal(err)
	}
	return line
}

func (k *keyed) witness() *tree.Cosigner {
	c, err := tree.NewCosigner("witness.example/w1", bytes.Repeat([]byte{k.number + 1}, ed25519.SeedSize))
	if err != nil {
		k.Fatal(err)
	}
	return c
}

func (k *keyed) Covering(int64) ([]byte, error) {
	parts := strings.SplitN(k.verifier(), "+", 3)
	private := append([]byte{1}, k.key().Seed()...)
	signer, err := note.NewSigner("PRIVATE+KEY+" + parts[0] + "+" + parts[1] + "+" + base64.StdEncoding.EncodeToString(private))
	if err != nil {
		return nil, err
	}
	text := tree.CheckpointText(parts[0], k.store.Head())
	signed, err := note.Sign(&note.Note{Text: text}, signer)
	return append(signed, k.witness().Cosign(text, 1_795_359_509)...), err
}

// knows returns who knows the house and its witness.
func (k *keyed) knows() *proof.Verifier {
	houses, err := proof.Houses(k.verifier())
	if err != nil {
		k.Fatal(err)
	}
	return &proof.Verifier{Houses: houses, Witnesses: []*tree.CosignatureVerifier{k.witness().Verifier()}}
}

// signedSite returns a house whose record is the same in every run, with its signatures.
func signedSite(t testing.TB, number byte) (*site, *keyed) {
	t.Helper()
	s := newSite(t)
	if err := s.store.Close(); err != nil {
		t.Fatal(err)
	}
	s.disk = &memory.Disk{Chance: rand.NewChaCha8([32]byte{number})}
	k := &keyed{s, number}
	s.notary = k
	s.seed = shuffle.Numbered(uint64(number))
	s.open()
	return s, k
}

// findings returns what a verifier says of the log of a record.
func findings(t *testing.T, by *proof.Verifier, text []byte) string {
	t.Helper()
	r, err := proof.Read(bytes.NewReader(text))
	if err != nil {
		return "not read: " + err.Error()
	}
	var all []string
	for _, f := range by.Verify(r).Findings {
		if f.Check == proof.Log {
			all = append(all, strings.Trim(f.Result.String()+" "+f.Where+": "+f.Text, " "))
		}
	}
	return strings.Join(all, "\n")
}

// oneRound plays a round at table A.
func (s *site) oneRound() {
	s.Helper()
	s.bet("A")
	s.do("A", dealer, table.CloseBets{})
	s.do("A", dealer, table.Deal{})
	s.finish("A")
}

func (s *site) record(n int) *house.RoundRecord {
	s.Helper()
	r, err := s.Round(ctx(), "A", n)
	if err != nil {
		s.Fatal(err)
	}
	return r
}

// The record of a round is proven to be in the log of a house whose key the reader has, and
// that a witness saw it. Another house's key, another round's proof and the proof from before a
// correction fail.
func TestTheProofOfARecord(t *testing.T) {
	s, k := signedSite(t, 3)
	s.install("A", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	s.oneRound()
	first := s.record(1)
	if got := findings(t, k.knows(), first.Text); strings.Count(got, "proven") != 4 || strings.Contains(got, "failed") || !strings.Contains(got, "the witness witness.example/w1 saw it at 2026-11-22T") ||
		!strings.Contains(got, "saw the checkpoint from before the bets at 2026-11-22T") {
		t.Errorf("by somebody who knows house and witness:\n%s", got)
	}
	r, err := proof.Read(bytes.NewReader(first.Text))
	if err != nil {
		t.Fatal(err)
	}
	if report := k.knows().Verify(r); !report.Sound || !report.Proven {
		t.Errorf("%+v", report)
	}
	if report := proof.Verify(r); !report.Sound || report.Proven || !slices.Equal(report.Open(), []proof.Check{proof.Log}) {
		t.Errorf("by somebody who knows nobody: %+v", report)
	}
	if got := findings(t, new(proof.Verifier), first.Text); !strings.Contains(got, "open : not signed by a house that you know: it names itself trey-house/") {
		t.Errorf("by somebody who knows nobody:\n%s", got)
	}
	noWitness := k.knows()
	noWitness.Witnesses = nil
	if got := findings(t, noWitness, first.Text); !strings.Contains(got, "by the house's own word: no witness that you know has cosigned; witness.example/w1 cosigned, whose keys you have not named") {
		t.Errorf("without the witness's key:\n%s", got)
	}

	// Another house, and another key of a house with the same name.
	_, other := signedSite(t, 4)
	if got := findings(t, other.knows(), first.Text); !strings.Contains(got, "failed proof: not signed by a house that you know: it names itself trey-house/") {
		t.Errorf("by somebody who knows another house:\n%s", got)
	}
	stranger := &keyed{s, 9}
	if got := findings(t, stranger.knows(), first.Text); !strings.Contains(got, "failed proof: not signed by a house that you know") {
		t.Errorf("by somebody who has another key of the same name:\n%s", got)
	}
	unseen := k.knows()
	unseen.Witnesses = append(unseen.Witnesses, other.witness().Verifier())
	if got := findings(t, unseen, first.Text); !strings.Contains(got, "failed proof: the witness witness.example/w1 has not cosigned the checkpoint") {
		t.Errorf("with the key of a witness who has not cosigned:\n%s", got)
	}

	// The proof of another round, and that of the record before it was corrected.
	proofOf := func(text []byte) []byte { return text[bytes.LastIndex(text, []byte(`,"proof":`)):] }
	s.do("A", supervisor, table.CloseTable{})
	second := s.record(1)
	s.do("A", supervisor, table.OpenTable{})
	s.oneRound()
	for what, with := range map[string]*house.RoundRecord{"the proof from before": first, "the proof of another round": s.record(2)} {
		mixed := append(bytes.TrimSuffix(bytes.Clone(second.Text), proofOf(second.Text)), proofOf(with.Text)...)
		if got := findings(t, k.knows(), mixed); !strings.Contains(got, "failed") || strings.Contains(got, "proven") {
			t.Errorf("%s:\n%s", what, got)
		}
	}
	if got := findings(t, k.knows(), second.Text); strings.Contains(got, "failed") {
		t.Errorf("as it was corrected:\n%s", got)
	}
}

// Each byte of a record that the house has signed is held by something: the record, its
// names and the program excepted.
func TestEveryByteOfASignedRecord(t *testing.T) {
	steady.Sequential(t)
	s, k := signedSite(t, 5)
	s.install("A", "us-3cp")
	s.buyIn("ann", 1000*money.Major)
	s.oneRound()
	text, knows := s.record(1).Text, k.knows()
	free := bytes.LastIndex(text, []byte(`,"names":{`))
	proven := bytes.LastIndex(text, []byte(`,"proof":"`))
	step, inProof := steady.Tries(997, 97), steady.Tries(5, 1)
	for i := 0; i < len(text)-1; i++ {
		if i >= free && i < proven || i < free && i%step != 0 || i >= proven && i%inProof != 0 {
			continue
		}
		for _, bit := range []byte{1, 2} {
			altered := bytes.Clone(text)
			altered[i] ^= bit
			r, err := proof.Read(bytes.NewReader(altered))
			if err != nil {
				continue
			}
			if knows.Verify(r).Proven {
				t.Errorf("byte %d of %d (%q in %q) is altered, and nobody noticed", i, len(text), text[i], text[max(0, i-20):min(len(text), i+20)])
			}
		}
	}
}

// A proof has at most 2 KB in a house of ten million rounds with two witnesses, of 35
// transactions each. It has numbers of the largest length.
func TestAProofIsSmall(t *testing.T) {
	const leaves = 10_000_000 * 35
	hashes := 0
	for n := leaves - 1; n > 0; n /= 2 {
		hashes++
	}
	s, k := signedSite(t, 6)
	head := tree.Head{Size: leaves, Root: tree.LeafHash(nil)}
	text := tree.CheckpointText(tree.Name(s.store.Origin()), head)
	another, err := tree.NewCosigner("witness.example/w2", bytes.Repeat([]byte{k.number + 2}, ed25519.SeedSize))
	if err != nil {
		t.Fatal(err)
	}
	cosigned := another.Cosign(text, 1_795_359_510) // beside that of the witness in lines
	signed, err := k.Covering(0)
	if err != nil {
		t.Fatal(err)
	}
	_, lines, _ := strings.Cut(string(signed), "\n\n")
	opening := proof.Opening{Salt: tree.Salt{1}, Rest: head.Root}
	p := tree.Proof{Extra: opening.Extra(), Leaf: leaves - 1, Hashes: make([]tree.Hash, hashes), Note: text + "\n" + lines + cosigned}
	if n := strings.Count(p.String(), "\n— "); n != 3 { // of the house and of two witnesses
		t.Fatalf("%d signatures are in it: %s", n, p.String())
	}
	if n := len(p.String()); n > 2048 {
		t.Errorf("a proof with %d hashes has %d bytes", hashes, n)
	}
	if again, err := tree.ParseProof(p.String()); err != nil || again.String() != p.String() {
		t.Errorf("it comes back as %v, %v", again, err)
	}
}

// keyFiles returns the keys that verify the samples.
func keyFiles(k *keyed) map[string]string {
	return map[string]string{
		filepath.Join("proof", "testdata", "house.pub"):   k.verifier() + "\n",
		filepath.Join("proof", "testdata", "witness.pub"): k.witness().Verifier().String() + "\n",
	}
}

// The keys beside the samples are those that verify them.
func (k *keyed) keysStand(update bool) {
	k.Helper()
	for file, want := range keyFiles(k) {
		if update {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				k.Fatal(err)
			}
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			k.Errorf("%s holds %q, %v; want %q", file, got, err, want)
		}
	}
}
