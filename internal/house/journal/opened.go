package journal

import (
	"encoding/json"
	"strings"

	"trey/internal/house"
	"trey/internal/house/identity"
	"trey/internal/house/proof"
	"trey/internal/tree"
)

// Opened is a transaction as an auditor may read it: what its leaf commits to, section by
// section, so that the leaf follows from it.
type Opened struct {
	Seq, AtMs int64
	Sections  []OpenedSection
	// Record is the section of a round's record, nil where there is none.
	Record *OpenedSection
}

// OpenedSection is a section of a transaction: with its salt and its text or, where Withheld
// says so, with the commitment alone.
type OpenedSection struct {
	tree.Section
	Withheld   bool
	Salt       tree.Salt
	Commitment tree.Hash
}

// Open returns a transaction as an auditor may read it. It is for transactions up to
// [house.House.EndedThrough] only: of a round in play it would show everything. Seeds that are
// kept for rounds to come, and what is secret of users, stay withheld.
func Open(leaf *house.Leaf) Opened {
	o := Opened{Seq: leaf.Seq, AtMs: leaf.AtMs}
	sections := leaf.Line.Sections()
	ofPeople := false
	first := len(sections) - len(leaf.Line.Parts) // before it stand cause, key and postings
	for i := range leaf.Line.Parts {
		ofPeople = ofPeople || leaf.Line.Parts[i].Stream == identity.Stream
	}
	for i, s := range sections {
		show := i >= first && auditable(&leaf.Line.Parts[i-first])
		if i < first {
			show = s.Name != causeSection || !ofPeople
		}
		o.Sections = append(o.Sections, open(leaf.Salt, i, s, show))
	}
	for i := range leaf.Line.Parts {
		if p := &leaf.Line.Parts[i]; p.Record != "" {
			record := open(leaf.Salt, len(sections), proof.Section(p.Stream, p.OfRound, p.Record), true)
			o.Record = &record
		}
	}
	return o
}

// causeSection is the name of the section that holds the cause.
const causeSection = "cause"

func open(salt tree.Salt, place int, s tree.Section, show bool) OpenedSection {
	sectionSalt := tree.SectionSalt(salt, place)
	if show {
		return OpenedSection{Section: s, Salt: sectionSalt}
	}
	return OpenedSection{Section: tree.Section{Name: s.Name}, Withheld: true, Commitment: tree.Commit(sectionSalt, s)}
}

// auditable reports whether an auditor may read what was appended to a stream, when no round
// is in play any more that it could be about. It is an allowlist by stream.
func auditable(p *house.LinePart) bool {
	kind, _, _ := strings.Cut(p.Stream, ":")
	switch kind {
	case "house", "table", "jackpot", "deal", "protection", house.NamesStream:
		return true
	case identity.Stream:
		var events []house.Event
		if err := json.Unmarshal(p.Events, &events); err != nil {
			return false
		}
		for _, e := range events {
			if !identity.Auditable(e) {
				return false
			}
		}
		return true
	default:
		return false
	}
}
