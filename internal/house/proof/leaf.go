package proof

import (
	"fmt"

	merkle "trey/internal/tree"
)

// Section returns the section of a leaf that commits to the record of a round.
func Section(stream string, round int, digest string) merkle.Section {
	return merkle.Section{Name: fmt.Sprintf("record %s %d", stream, round), Text: []byte(digest)}
}

// Opening leads from the hash of a record to the leaf that commits to it: the salt of the
// record's section, and the content of all other sections.
type Opening struct {
	Salt merkle.Salt
	Rest merkle.Hash
}

// Extra returns the opening as the extra data of a proof: 32 bytes each.
func (o *Opening) Extra() []byte { return append(o.Salt[:], o.Rest[:]...) }

// parseOpening reads what Extra returns.
func parseOpening(extra []byte) (o Opening, ok bool) {
	n := copy(o.Salt[:], extra)
	m := copy(o.Rest[:], extra[n:])
	return o, n == len(o.Salt) && m == len(o.Rest) && n+m == len(extra)
}

// leaf returns the text of the leaf that commits to a record.
func (o *Opening) leaf(stream string, round int, digest string, seq, atMs int64) []byte {
	record := merkle.Commit(o.Salt, Section(stream, round, digest))
	return merkle.Leaf(seq, atMs, merkle.Content([]merkle.Hash{o.Rest, record}))
}
