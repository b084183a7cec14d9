package served

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"trey/internal/house"
	"trey/internal/tree"
)

// transaction is a transaction as the house serves it to auditors.
type transaction struct {
	Seq      int64     `json:"seq"`
	AtMs     int64     `json:"at_ms"`
	Sections []section `json:"sections"`
	Record   *section  `json:"record,omitempty"`
}

// section is one thing to which a leaf commits, with its text or with the commitment alone.
type section struct {
	Name       string `json:"name"`
	Salt       string `json:"salt,omitempty"`
	Text       string `json:"text,omitempty"`
	Commitment string `json:"commitment,omitempty"`
}

// leaf returns the transaction as a leaf. What the leaf says follows from what was served,
// so that it is the leaf of the tree only if that is what was recorded.
func (t *transaction) leaf() (house.Leaf, error) {
	leaf := house.Leaf{Seq: t.Seq, AtMs: t.AtMs}
	commitments := make([]tree.Hash, len(t.Sections))
	for i := range t.Sections {
		s := &t.Sections[i]
		var err error
		if commitments[i], err = s.commitment(); err == nil {
			err = s.into(&leaf.Line, i)
		}
		if err != nil {
			return leaf, fmt.Errorf("%w: the section %q: %w", house.ErrCorrupt, s.Name, err)
		}
	}
	if len(t.Sections) < 3 {
		return leaf, fmt.Errorf("%w: it has %d sections", house.ErrCorrupt, len(t.Sections))
	}
	content := tree.Content(commitments)
	if t.Record != nil {
		c, err := t.Record.commitment()
		if err == nil {
			err = t.Record.round(&leaf.Line)
		}
		if err != nil {
			return leaf, fmt.Errorf("%w: the section %q: %w", house.ErrCorrupt, t.Record.Name, err)
		}
		content = tree.Content([]tree.Hash{content, c})
	}
	leaf.Content = &content
	return leaf, nil
}

func (s *section) withheld() bool { return s.Commitment != "" }

// commitment returns the commitment of the leaf to the section.
func (s *section) commitment() (h tree.Hash, err error) {
	from := s.Salt
	if s.withheld() {
		from = s.Commitment
	}
	text, err := base64.StdEncoding.DecodeString(from)
	if err != nil || len(text) != len(h) {
		return h, fmt.Errorf("%.60q is neither a salt nor a commitment", from)
	}
	if s.withheld() {
		return tree.Hash(text), nil
	}
	return tree.Commit(tree.Salt(text), tree.Section{Name: s.Name, Text: []byte(s.Text)}), nil
}

// into puts the section into its place in a line (docs/record.md).
func (s *section) into(line *house.Line, place int) error {
	const first = 3
	if names := []string{"cause", "key", "postings"}; place < first {
		if s.Name != names[place] {
			return fmt.Errorf("it stands where %s belongs", names[place])
		}
		if s.withheld() && place > 0 {
			return fmt.Errorf("it is withheld")
		}
		switch place {
		case 0:
			line.Cause, line.Withheld = json.RawMessage(s.Text), s.withheld()
		case 1:
			line.Input, line.Key, _ = strings.Cut(s.Text, "\n")
		default:
			line.Postings = json.RawMessage(s.Text)
		}
		return nil
	}
	words := strings.Split(s.Name, " ")
	if len(words) < 4 || words[0] != "part" {
		return fmt.Errorf("it is no part")
	}
	n := len(words)
	after, err := strconv.ParseInt(words[n-2], 10, 64)
	if err != nil {
		return err
	}
	round, err := strconv.Atoi(words[n-1])
	if err != nil {
		return err
	}
	line.Parts = append(line.Parts, house.LinePart{Stream: strings.Join(words[1:n-2], " "), After: after, Round: round, Events: json.RawMessage(s.Text), Withheld: s.withheld()})
	return nil
}

// round puts the section of a round's record into a line.
func (s *section) round(line *house.Line) error {
	if s.withheld() {
		return fmt.Errorf("it is withheld")
	}
	for i := range line.Parts {
		p := &line.Parts[i]
		if number, ok := strings.CutPrefix(s.Name, "record "+p.Stream+" "); ok {
			var err error
			p.Record = s.Text
			p.OfRound, err = strconv.Atoi(number)
			return err
		}
	}
	return fmt.Errorf("it is about no stream of the transaction")
}
