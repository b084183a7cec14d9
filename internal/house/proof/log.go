package proof

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	merkle "trey/internal/tree"
)

// logged checks the proof of the record: that a leaf of a log commits to it, who signed
// that log, and who witnessed it.
func (v *verification) logged() {
	r := v.r
	if r.Proof == "" {
		const words = "the record carries no proof: no house has signed for it"
		if len(v.by.Houses)+len(v.by.Witnesses) > 0 { // who was to have signed it
			v.fail(Log, "proof", words)
		} else {
			v.report.add(Log, Open, "", words)
		}
		return
	}
	p, err := merkle.ParseProof(r.Proof)
	if err != nil {
		v.fail(Log, "proof", "%v", err)
		return
	}
	origin, head, err := p.Checkpoint()
	if err != nil {
		v.fail(Log, "proof", "%v", err)
		return
	}
	opening, ok := parseOpening(p.Extra)
	switch {
	case r.committed == nil:
		v.fail(Log, "proof", "the document was written anew, and the proof is of the bytes that the house gave out: take the record as it came from the house")
		return
	case !ok || len(r.Steps) == 0:
		v.fail(Log, "proof", "its extra data is not that of a round record")
		return
	}
	for i := range r.Steps {
		if r.Steps[i].Seq >= p.Leaf {
			v.fail(Log, at(i, ".seq"), "the record ends with transaction %d, and this step is transaction %d", p.Leaf, r.Steps[i].Seq)
			return
		}
	}
	leaf := opening.leaf("table:"+r.Table, r.Round, Digest(r.committed), p.Leaf, r.Steps[len(r.Steps)-1].AtMs)
	if err := merkle.CheckInclusion(p.Hashes, head, p.Leaf, leaf); err != nil {
		v.fail(Log, "proof", "leaf %d of %s does not commit to this record: the record, the proof or the checkpoint is another", p.Leaf, origin)
		return
	}
	v.proven(Log, "the record is what leaf %d of %s commits to, in its checkpoint over %d leaves", p.Leaf, origin, head.Size)
	v.signed("proof", origin, p.Note)
	if r.Seed != nil && r.Seed.Checkpoint != "" && !v.report.failed(Log) {
		v.signedBefore(origin, r.Seed.Checkpoint)
	}
}

// signedBefore checks who signed the checkpoint from before the bets. It is one of another tree
// where the house went on from a copy after the round. That the tree of the proof begins with
// its own, only the tree can tell.
func (v *verification) signedBefore(origin, text string) {
	name, _, _ := strings.Cut(text, "\n")
	if len(v.by.Houses) > 0 {
		if _, err := v.by.openedBy(name, text); err != nil {
			v.fail(Log, "seed.checkpoint", "the checkpoint from before the bets is not signed by %s with a key that you know", name)
			return
		}
	}
	for _, w := range v.by.Witnesses {
		v.seenBefore(w, text)
	}
	if name != origin {
		v.report.add(Log, Open, "", "the checkpoint from before the bets is one of %s, and the proof one of %s: whether the house went on from that tree, the audit of its record says", name, origin)
	}
}

// seenBefore checks whether a witness saw the checkpoint from before the bets. If not, only the
// house says that it signed it then. When the witness saw it stands beside when the round ended.
func (v *verification) seenBefore(w *merkle.CosignatureVerifier, text string) {
	const where = "seed.checkpoint"
	at, err := cosigned(w, text)
	var wrong *note.InvalidSignatureError
	switch {
	case errors.As(err, &wrong):
		v.fail(Log, where, "what stands there as the word of the witness %s is not signed by it", w.Name())
		return
	case err != nil:
		v.report.add(Log, Open, where, "the witness %s has not cosigned the checkpoint from before the bets: that it was signed before them is the house's word", w.Name())
		return
	}
	ended := time.UnixMilli(v.r.Steps[len(v.r.Steps)-1].AtMs).UTC()
	v.proven(Log, "the witness %s saw the checkpoint from before the bets at %s; the round ended at %s by the house's own clock", w.Name(), at, ended.Format(time.RFC3339))
}

// cosigned returns when a witness saw a checkpoint, by its own clock. The error is that of
// [note.Open] where it has not cosigned it.
func cosigned(w *merkle.CosignatureVerifier, text string) (at string, err error) {
	opened, err := note.Open([]byte(text), note.VerifierList(w))
	if err != nil {
		return "", err
	}
	atS, _ := merkle.CosignatureTime(opened.Sigs[0].Base64) // it was read to verify it
	return time.Unix(atS, 0).UTC().Format(time.RFC3339), nil
}

// signed checks who signed a checkpoint, and who saw it.
func (v *verification) signed(where, origin, text string) {
	key, err := v.by.openedBy(origin, text)
	var wrong *note.InvalidSignatureError
	switch {
	case errors.As(err, &wrong):
		v.fail(Log, where, "the signature of %s is not one of the key that you know of it", origin)
		return
	case err != nil && len(v.by.Houses) > 0:
		v.fail(Log, where, "not signed by a house that you know: it names itself %s", origin)
		return
	case err != nil:
		v.report.add(Log, Open, "", "not signed by a house that you know: it names itself %s; whoever has its key finds out", origin)
	default:
		v.proven(Log, "signed by %s with the key %08x", origin, key.Hash)
	}
	seen := 0
	for _, w := range v.by.Witnesses {
		at, err := cosigned(w, text)
		if err != nil {
			v.fail(Log, where, "the witness %s has not cosigned the checkpoint", w.Name())
			continue
		}
		v.proven(Log, "the witness %s saw it at %s", w.Name(), at)
		seen++
	}
	if seen == 0 && err == nil {
		others := ""
		if names := cosigners(text, origin); len(names) > 0 {
			others = "; " + strings.Join(names, " and ") + " cosigned, whose keys you have not named"
		}
		v.proven(Log, "when it was signed is by the house's own word: no witness that you know has cosigned%s", others)
	}
}

// cosigners lists who signed a note beside the house, by the names in its lines.
func cosigners(text, origin string) (names []string) {
	_, lines, _ := strings.Cut(text, "\n\n")
	for line := range strings.Lines(lines) {
		if words := strings.Fields(line); len(words) == 3 && words[1] != origin && !slices.Contains(names, words[1]) {
			names = append(names, words[1])
		}
	}
	return names
}

var errUnknownHouse = errors.New("no known key has signed")

// openedBy returns the signature of a house that is known on a checkpoint of its own.
func (by *Verifier) openedBy(origin, text string) (note.Signature, error) {
	opened, err := note.Open([]byte(text), note.VerifierList(by.Houses...))
	if err != nil {
		return note.Signature{}, err
	}
	for _, s := range opened.Sigs {
		if s.Name == origin {
			return s, nil
		}
	}
	return note.Signature{}, errUnknownHouse
}

// Houses reads keys of houses, lines as a house shows them at /log/key.
func Houses(lines ...string) (all []note.Verifier, err error) {
	for _, line := range lines {
		v, err := note.NewVerifier(strings.TrimSpace(line))
		if err != nil {
			return nil, fmt.Errorf("the key %q cannot be read: %w", line, err)
		}
		all = append(all, v)
	}
	return all, nil
}
