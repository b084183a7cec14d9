package auditor

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"trey/internal/house"
)

// seed reads an event about the seed of a round: it is committed to before there
// are bets, players add theirs while there may be, and it is revealed when the
// round is over, as what was committed to.
func (a *Auditor) seed(name string, event house.Event) error {
	e, err := read[struct {
		Round                         int
		Commitment, Seed, Key, Cipher string
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
		l.committed, l.commitment = e.Round, e.Commitment
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

// commitment is the hash of a seed as docs/fair-dealing.md has it.
func commitment(table string, round int, seed string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "trey commitment 1\nround %d\nseed %s\ntable %s\n", round, seed, table))
	return hex.EncodeToString(sum[:])
}
