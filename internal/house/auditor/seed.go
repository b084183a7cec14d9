package auditor

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"trey/internal/house"
)

// seed reads an event about the seed of a round. The house commits to it before there are bets,
// and a signed checkpoint holds the commitment before anybody relies upon it. Players add
// theirs while there may be bets. When the round is over, the seed is revealed and must match
// the commitment.
func (a *Auditor) seed(name string, event house.Event) error {
	e, err := read[struct {
		Round                         int
		Commitment, Seed, Key, Cipher string
		Checkpoint                    string
	}](event.Body)
	if err != nil {
		return err
	}
	l := a.tables[name]
	if l == nil {
		a.find("table %s has a seed and was never installed", name)
		return nil
	}
	switch event.Kind {
	case "seed-committed":
		if e.Round != l.committed+1 || l.commitment != "" || l.playing || e.Round <= l.round {
			a.find("the seed of round %d of table %s is committed to after that of round %d, in round %d", e.Round, name, l.committed, l.round)
		}
		l.committed, l.commitment, l.committedIn = e.Round, e.Commitment, a.seq
		l.covered, l.relied = false, false
	case "commitment-covered":
		if e.Round != l.committed || l.commitment == "" || l.covered {
			a.find("a checkpoint is to hold the commitment of round %d of table %s, which it does not need", e.Round, name)
		}
		l.covered, a.signs = true, true
		a.covers = append(a.covers, cover{a.seq, l.committedIn, name, e.Round, e.Checkpoint})
	case "seed-sealed":
		// What an encrypted one holds shows when it is revealed.
		plain := e.Key == "" && e.Cipher == ""
		if e.Round != l.committed || plain && commitment(name, e.Round, e.Seed) != l.commitment || !plain && (e.Seed != "" || e.Key == "" || e.Cipher == "") {
			a.find("the seed that is kept for round %d of table %s is not the one committed to", e.Round, name)
		}
		l.sealed = e.Round
	case "seed-added":
		if e.Round != l.committed || l.commitment == "" || l.playing && l.closed {
			a.find("a seed is added to round %d of table %s when none is taken", e.Round, name)
		}
		l.relied = true
	case "seed-revealed":
		if e.Round != l.committed || e.Round != l.sealed || commitment(name, e.Round, e.Seed) != l.commitment {
			a.find("the seed that is revealed of round %d of table %s is not the one committed to", e.Round, name)
		}
		if l.playing || e.Round != l.round {
			a.find("the seed of round %d of table %s is revealed in round %d", e.Round, name, l.round)
		}
		l.commitment = ""
	}
	return nil
}

// commitment returns the hash of a seed as docs/fair-dealing.md defines it.
func commitment(table string, round int, seed string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "trey commitment 1\nround %d\nseed %s\ntable %s\n", round, seed, table))
	return hex.EncodeToString(sum[:])
}
