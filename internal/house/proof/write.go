package proof

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"trey/internal/ledger"
	"trey/internal/record"
)

// A record is written in pieces, so that the text that a leaf commits to can be made while the
// round is played. The pieces are the text of [AppendHead], the steps with [Separator] between
// them, and [End]. What follows it in the document, [Finish] writes.

// Separator stands between two steps, and End behind the last one.
const (
	Separator = ",\n"
	End       = "]}"
)

// Members returns the members of a head that name the rules, as they stand in a record. They
// are long and change with the rules only, so whoever writes many records keeps them.
func Members(h *Head) []byte {
	text := ledger.AppendString([]byte(`"book":`), h.Book)
	text = ledger.AppendString(append(text, `,"variant":`...), h.Variant)
	text = ledger.AppendString(append(text, `,"rules_hash":`...), h.RulesHash)
	text = ledger.AppendString(append(text, `,"declaration":`...), h.Declaration)
	return ledger.AppendString(append(text, `,"terms":`...), h.Terms)
}

// usualRestBytes is the size into which the rest of most heads fits.
const usualRestBytes = 2 << 10

// AppendHead appends a record up to its first step, as encoding/json writes it. The members are
// those that [Members] returns for the head.
func AppendHead(text []byte, h *Head, members []byte) ([]byte, error) {
	text = slices.Grow(text, len(members)+usualRestBytes)
	text = ledger.AppendString(append(text, `{"type":`...), h.Type)
	text = strconv.AppendInt(append(text, `,"version":`...), int64(h.Version), 10)
	text = ledger.AppendString(append(text, `,"table":`...), h.Table)
	text = strconv.AppendInt(append(text, `,"round":`...), int64(h.Round), 10)
	text = ledger.AppendString(append(text, `,"ended":`...), h.Ended)
	text = append(append(append(text, ','), members...), ',')
	rest, err := json.Marshal(struct {
		Config  record.Equipment `json:"config"`
		Jackpot string           `json:"jackpot,omitempty"`
		Carried record.Carried   `json:"carried"`
		Seed    *Seed            `json:"seed,omitempty"`
	}{h.Config, h.Jackpot, h.Carried, h.Seed})
	if err != nil {
		return nil, err
	}
	return append(append(text, rest[1:len(rest)-1]...), `,"steps":[`+"\n"...), nil
}

// rest begins what stands in a record behind the committed text.
const rest = `,"names":{`

// Finish returns the document of a committed text, with the names that may be disclosed, the
// program that wrote it, and its proof.
func Finish(committed []byte, names map[string]string, software, proof string) ([]byte, error) {
	if names == nil {
		names = map[string]string{}
	}
	text := bytes.TrimSuffix(committed, []byte("}"))
	for _, member := range []struct {
		name  string
		value any
	}{{"names", names}, {"software", software}, {"proof", proof}} {
		value, err := json.Marshal(member.value)
		if err != nil {
			return nil, err
		}
		text = append(append(text[:len(text):len(text)], `,"`+member.name+`":`...), value...)
	}
	return append(text, "}\n"...), nil
}

var errNoEnd = errors.New(`it does not end with "names", "software" and "proof"`)

// committedText returns the text of a document that its leaf commits to: the bytes before the
// last "names", and a brace. Behind them stand names, software and proof in this order and nothing
// else: what stood there besides, the leaf would not commit to. The document is one value of JSON.
func committedText(document []byte) ([]byte, error) {
	end := bytes.LastIndex(document, []byte(rest))
	if end < 0 {
		return nil, errNoEnd
	}
	in := json.NewDecoder(io.MultiReader(strings.NewReader("{"), bytes.NewReader(document[end+len(","):])))
	var names map[string]string
	var text string
	for _, member := range []struct {
		before json.Token
		value  any
	}{{json.Delim('{'), nil}, {"names", &names}, {"software", &text}, {"proof", &text}, {json.Delim('}'), nil}} {
		if token, err := in.Token(); err != nil || token != member.before {
			return nil, errNoEnd
		}
		if member.value != nil && in.Decode(member.value) != nil {
			return nil, errNoEnd
		}
	}
	if _, err := in.Token(); !errors.Is(err, io.EOF) { // it stands deeper than the document's own
		return nil, errNoEnd
	}
	return append(document[:end:end], '}'), nil
}

// Digest returns what a section of a leaf holds of a committed text: its SHA-256 in
// hexadecimal digits.
func Digest(committed []byte) string {
	sum := sha256.Sum256(committed)
	return hex.EncodeToString(sum[:])
}
