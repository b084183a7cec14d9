package calculator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"trey/card"
	"trey/money"
	"trey/rules"
)

// A reader of general JSON makes a tree and allocates it. A line here has one
// shape, so this one goes over it once and keeps slices of it.

// request is one line as it was written: syntax and shape are checked, what the
// values mean is not. Its slices are of the line.
type request struct {
	seen       field
	id         []byte // as it came, with the quotes of a string
	dealer     []byte
	meter      money.Amount
	others     [][]byte
	pays       []payList
	bonusTable []byte
	one        box   // of a line that has one box and no key "boxes"
	boxes      []box // of a line that has a whole table
}

// box is one box as it was written.
type box struct {
	seen   field
	id     []byte
	player []byte
	owner  []byte
	stakes rules.Stakes
	folded bool
}

type payList struct {
	wager rules.Wager
	list  []byte
}

// field is a set of the keys of a line.
type field uint16

const (
	idField field = 1 << iota
	playerField
	dealerField
	wagersField
	foldedField
	meterField
	othersField
	payField
	bonusTableField
	boxesField
	ownerField
)

// The keys that stand in a box, and those of them that a line with "boxes" has no
// place for.
var (
	boxFields = idField | playerField | wagersField | foldedField | ownerField
	oneFields = playerField | wagersField | foldedField | othersField
)

// keys are the keys of a line, in the order in which they are told to people.
var (
	keys    = []string{"id", "player", "dealer", "wagers", "folded", "meter", "others", "pay", "bonus_table", "boxes"}
	boxKeys = []string{"id", "player", "wagers", "folded", "owner"}
)

func fieldOf(key []byte) field {
	switch string(key) {
	case "id":
		return idField
	case "player":
		return playerField
	case "dealer":
		return dealerField
	case "wagers":
		return wagersField
	case "folded":
		return foldedField
	case "meter":
		return meterField
	case "others":
		return othersField
	case "pay":
		return payField
	case "bonus_table":
		return bonusTableField
	case "boxes":
		return boxesField
	case "owner":
		return ownerField
	}
	return 0
}

// read takes a line apart into c.line.
func (c *Calculator) read(line []byte) error {
	r := &c.line
	*r = request{others: r.others[:0], pays: r.pays[:0], boxes: r.boxes[:0]}
	if !utf8.Valid(line) {
		return errors.New("the line is not UTF-8 text")
	}
	s := scanner{line: line}
	if s.peek() == 0 && s.at == len(line) {
		return errors.New(`the line is empty: write one JSON object a line, such as {"player":"Qh 6d 4c","dealer":"Kd 9c 2s","wagers":{...}}`)
	}
	if !s.take('{') {
		return s.fault("a line is one JSON object and begins with {")
	}
	for more := !s.take('}'); more; {
		key, err := s.key()
		if err != nil {
			return err
		}
		f := fieldOf(key)
		switch {
		case f == 0:
			return fmt.Errorf("there is no key %s: the keys are %s", quote(string(key)), strings.Join(keys, ", "))
		case r.seen&f != 0:
			return fmt.Errorf("the key %q stands twice", key)
		case f&c.foreign != 0:
			return c.meaningless(f)
		case f == ownerField:
			return errors.New(`the key "owner" stands in a box of "boxes", and nowhere else`)
		}
		r.seen |= f
		switch f {
		case idField:
			r.id, err = s.id()
		case playerField:
			r.one.player, err = s.text("player")
		case dealerField:
			r.dealer, err = s.text("dealer")
		case wagersField:
			err = c.readWagers(&s, &r.one)
		case foldedField:
			r.one.folded, err = s.boolean("folded")
		case meterField:
			r.meter, err = s.amount("meter")
		case othersField:
			err = r.readOthers(&s)
		case payField:
			err = c.readPays(&s)
		case bonusTableField:
			r.bonusTable, err = s.text("bonus_table")
		case boxesField:
			err = c.readBoxes(&s)
		case ownerField: // refused above
		}
		if err != nil {
			return err
		}
		if more, err = s.more('}'); err != nil {
			return err
		}
	}
	if s.peek(); s.at != len(line) {
		return s.fault("something follows the object: write one object a line")
	}
	r.one.seen = r.seen
	if both := r.seen & oneFields; r.seen&boxesField != 0 && both != 0 {
		if both&othersField != 0 {
			return errors.New(`"others" beside "boxes": the boxes are the others of each other; leave "others" out`)
		}
		return fmt.Errorf(`%q beside "boxes": with "boxes" it stands in each box`, keyOf(both))
	}
	return nil
}

// keyOf returns the first key of a set.
func keyOf(set field) string {
	for _, list := range [][]string{keys, boxKeys} {
		for _, key := range list {
			if fieldOf([]byte(key))&set != 0 {
				return key
			}
		}
	}
	return ""
}

// meaningless refuses a key that the book gives no meaning.
func (c *Calculator) meaningless(f field) error {
	ref, why := c.variant.Book.Ref(), ""
	switch f {
	case foldedField:
		why = "has nothing to fold"
	case meterField:
		why = "has no progressive"
		if c.variant.Book.Rule(rules.Progressive) != nil {
			ref, why = c.variant.ID, "has no progressive connected"
		}
	case othersField:
		why = "has no Envy Bonus"
	case ownerField:
		why = "pays nothing for another box of the same player"
	case bonusTableField:
		why = "has no Bonus bet"
	default:
		why = "does not use it"
	}
	return fmt.Errorf("the key %q means nothing here: %s %s; leave the key out", keyOf(f), ref, why)
}

// readBoxes reads the boxes of a whole table.
func (c *Calculator) readBoxes(s *scanner) error {
	if !s.take('[') {
		return s.fault(`"boxes" must be a list, such as [{"player":"Qh 6d 4c","wagers":{"%s":1000}}]`, c.stakes[0].Wager)
	}
	most := c.variant.Book.Boxes.Max
	for more := !s.take(']'); more; {
		r := &c.line
		if len(r.boxes) == most {
			return fmt.Errorf("boxes: a table of %s has at most %d (%s)", c.variant.Book.Ref(), most, c.variant.Book.ClauseRef(c.variant.Book.Boxes.Clauses.Count))
		}
		r.boxes = append(r.boxes, box{})
		err := c.readBox(s, &r.boxes[len(r.boxes)-1])
		if err != nil {
			return fmt.Errorf("box %d: %w", len(r.boxes), err)
		}
		if more, err = s.more(']'); err != nil {
			return err
		}
	}
	if len(c.line.boxes) == 0 {
		return errors.New("boxes: the list is empty: a line has at least one box")
	}
	return nil
}

func (c *Calculator) readBox(s *scanner, b *box) error {
	if !s.take('{') {
		return s.fault("a box is an object and begins with {")
	}
	for more := !s.take('}'); more; {
		key, err := s.key()
		if err != nil {
			return err
		}
		f := fieldOf(key)
		switch {
		case f&boxFields == 0:
			return fmt.Errorf("a box has no key %s: its keys are %s", quote(string(key)), strings.Join(boxKeys, ", "))
		case b.seen&f != 0:
			return fmt.Errorf("the key %q stands twice", key)
		case f&c.foreign != 0:
			return c.meaningless(f)
		}
		b.seen |= f
		switch f {
		case idField:
			b.id, err = s.id()
		case playerField:
			b.player, err = s.text("player")
		case wagersField:
			err = c.readWagers(s, b)
		case foldedField:
			b.folded, err = s.boolean("folded")
		case ownerField:
			b.owner, err = s.text("owner")
		default:
		}
		if err != nil {
			return err
		}
		if more, err = s.more('}'); err != nil {
			return err
		}
	}
	return nil
}

func (c *Calculator) readWagers(s *scanner, b *box) error {
	if !s.take('{') {
		return s.fault(`"wagers" must be an object of stakes, such as {"%s":1000}`, c.stakes[0].Wager)
	}
	for more := !s.take('}'); more; {
		key, err := s.key()
		if err != nil {
			return err
		}
		w, err := c.wager(key)
		if err != nil {
			return fmt.Errorf("wagers: %w", err)
		}
		if b.stakes[w] != 0 {
			return fmt.Errorf("wagers: %s stands twice", w)
		}
		if b.stakes[w], err = s.amount(w.String()); err != nil {
			return err
		}
		if more, err = s.more('}'); err != nil {
			return err
		}
	}
	return nil
}

// wager finds a wager that has a stake by its key.
func (c *Calculator) wager(key []byte) (rules.Wager, error) {
	for _, rule := range c.stakes {
		if string(key) == rule.Wager.String() {
			return rule.Wager, nil
		}
	}
	book := c.variant.Book
	names := make([]string, len(c.stakes))
	for i, rule := range c.stakes {
		names[i] = rule.Wager.String()
	}
	choose := "its wagers are " + strings.Join(names, ", ")
	if w, err := rules.ParseWager(string(key)); err == nil {
		if rule := book.Rule(w); rule != nil {
			return 0, fmt.Errorf("%s takes no stake, it is paid on the %s: %s", w, rule.Basis, choose)
		}
		if w == rules.Envy {
			return 0, fmt.Errorf("%s takes no stake, it is paid for the hands in \"others\": %s", w, choose)
		}
	}
	if near := rules.Nearest(string(key), names); near != "" {
		choose = "did you mean " + near + "?"
	}
	return 0, fmt.Errorf("%s has no wager %s: %s", book.Ref(), quote(string(key)), choose)
}

func (c *Calculator) readPays(s *scanner) error {
	if !s.take('{') {
		return s.fault(`"pay" must be an object of pay lists, such as {"pair-plus":"40/30/6/4/1"}`)
	}
	for more := !s.take('}'); more; {
		key, err := s.key()
		if err != nil {
			return err
		}
		w, err := c.paid(key)
		if err != nil {
			return err
		}
		list, err := s.text(w.String())
		if err != nil {
			return err
		}
		c.line.pays = append(c.line.pays, payList{w, list})
		if more, err = s.more('}'); err != nil {
			return err
		}
	}
	return nil
}

// paid finds a wager that has a pay table, and none yet on this line, by its
// key.
func (c *Calculator) paid(key []byte) (rules.Wager, error) {
	book := c.variant.Book
	for i := range book.Wagers {
		w := book.Wagers[i].Wager
		if c.variant.Pays[w] == nil || string(key) != w.String() {
			continue
		}
		for _, p := range c.line.pays {
			if p.wager == w {
				return 0, fmt.Errorf("pay: %s stands twice", w)
			}
		}
		return w, nil
	}
	var names []string
	for i := range book.Wagers {
		if w := book.Wagers[i].Wager; c.variant.Pays[w] != nil {
			names = append(names, w.String())
		}
	}
	choose := "it has them for " + strings.Join(names, ", ")
	if near := rules.Nearest(string(key), names); near != "" {
		choose = "did you mean " + near + "?"
	}
	return 0, fmt.Errorf("pay: %s has no pay table for %s: %s", book.Ref(), quote(string(key)), choose)
}

func (r *request) readOthers(s *scanner) error {
	if !s.take('[') {
		return s.fault(`"others" must be a list of hands, such as ["As Ks Qs"]`)
	}
	for more := !s.take(']'); more; {
		hand, err := s.text("others")
		if err != nil {
			return err
		}
		if len(r.others) == maxOthers {
			return fmt.Errorf("others: one deck deals at most %d hands beside the player's and the dealer's", maxOthers)
		}
		r.others = append(r.others, hand)
		if more, err = s.more(']'); err != nil {
			return err
		}
	}
	return nil
}

// scanner goes over one line.
type scanner struct {
	line []byte
	at   int
}

// fault returns an error at the place reached.
func (s *scanner) fault(format string, args ...any) error {
	return fmt.Errorf("column %d: %s", s.at+1, fmt.Sprintf(format, args...))
}

// peek skips white space and returns the byte that follows, 0 at the end.
func (s *scanner) peek() byte {
	for ; s.at < len(s.line); s.at++ {
		switch b := s.line[s.at]; b {
		case ' ', '\t', '\r', '\n':
		default:
			return b
		}
	}
	return 0
}

// take goes past the byte if it is the next one.
func (s *scanner) take(b byte) bool {
	if s.peek() != b {
		return false
	}
	s.at++
	return true
}

// more goes past what stands between two elements, or past the end of the
// object or list, and reports whether another element follows.
func (s *scanner) more(end byte) (bool, error) {
	switch s.peek() {
	case ',':
		s.at++
		return true, nil
	case end:
		s.at++
		return false, nil
	}
	return false, s.fault("a comma or %c must follow here", end)
}

// key reads a key and the colon after it.
func (s *scanner) key() ([]byte, error) {
	if s.peek() != '"' {
		return nil, s.fault("a key in double quotes must follow here")
	}
	key, err := s.text("the key")
	if err != nil {
		return nil, err
	}
	if !s.take(':') {
		return nil, s.fault("a colon must follow the key %s", quote(string(key)))
	}
	return key, nil
}

// text reads a string and returns what it says.
func (s *scanner) text(what string) ([]byte, error) {
	if s.peek() != '"' {
		return nil, s.fault("%s must be a string in double quotes", what)
	}
	start := s.at + 1
	escaped := false
	for i := start; i < len(s.line); i++ {
		switch b := s.line[i]; {
		case b == '"':
			s.at = i + 1
			if !escaped {
				return s.line[start:i], nil
			}
			return s.unescape(start-1, i+1)
		case b == '\\':
			escaped = true
			i++
		case b < ' ':
			s.at = i
			return nil, s.fault("a string cannot hold a control character as it is: escape it")
		}
	}
	return nil, s.fault("the string is not closed")
}

// unescape reads a string with backslashes, which hardly any line has, in its
// quotes.
func (s *scanner) unescape(from, to int) ([]byte, error) {
	var text string
	if err := json.Unmarshal(s.line[from:to], &text); err != nil {
		s.at = from
		return nil, s.fault("the string has a backslash that JSON does not know")
	}
	return []byte(text), nil
}

// id reads a string or a number and returns it as it stands.
func (s *scanner) id() ([]byte, error) {
	if b := s.peek(); b == '-' || '0' <= b && b <= '9' {
		token := s.number()
		if !json.Valid(token) {
			return nil, s.fault("%s is not a number", quote(string(token)))
		}
		return token, nil
	}
	start := s.at
	if s.peek() != '"' {
		return nil, s.fault("id must be a string or a number")
	}
	if _, err := s.text("id"); err != nil {
		return nil, err
	}
	return s.line[start:s.at], nil
}

// number goes past whatever looks like a number.
func (s *scanner) number() []byte {
	start := s.at
	for s.at < len(s.line) {
		switch b := s.line[s.at]; {
		case '0' <= b && b <= '9', b == '-', b == '+', b == '.', b == 'e', b == 'E':
			s.at++
			continue
		}
		break
	}
	return s.line[start:s.at]
}

// amount reads a sum of money: a whole number of minor units above zero.
func (s *scanner) amount(what string) (money.Amount, error) {
	s.peek()
	start := s.at
	var amount money.Amount
	for s.at < len(s.line) {
		digit := s.line[s.at] - '0'
		if digit > 9 || amount > rules.MaxStake {
			break
		}
		amount = amount*10 + money.Amount(digit)
		s.at++
	}
	if s.at > start && s.line[start] != '0' && amount <= rules.MaxStake && !s.inNumber() {
		return amount, nil
	}
	s.at = start
	return 0, s.badAmount(what)
}

// inNumber reports whether the number goes on at the place reached.
func (s *scanner) inNumber() bool {
	if s.at == len(s.line) {
		return false
	}
	switch s.line[s.at] {
	case '.', 'e', 'E', '+', '-':
		return true
	}
	return false
}

// badAmount returns the mistake in an amount.
func (s *scanner) badAmount(what string) error {
	if s.peek() == '"' {
		return s.fault("%s must be a whole number of minor units, written without quotes", what)
	}
	token := s.number()
	s.at -= len(token)
	var number json.Number
	switch {
	case len(token) == 0 || json.Unmarshal(token, &number) != nil:
		return s.fault("%s must be a whole number of minor units, such as 1000 for 10.00", what)
	case token[0] == '-':
		return s.fault("%s is negative (%s): an amount is above zero", what, shorten(string(token)))
	case bytes.ContainsAny(token, ".eE"):
		return s.fault("%s is %s: amounts are whole minor units, such as 1000 for 10.00", what, shorten(string(token)))
	case string(token) == "0":
		return s.fault("%s is 0: leave out what is not there", what)
	}
	return s.fault("%s is %s, which is more than %d, the largest amount there is", what, shorten(string(token)), rules.MaxStake)
}

func (s *scanner) boolean(what string) (bool, error) {
	s.peek()
	switch rest := s.line[s.at:]; {
	case bytes.HasPrefix(rest, []byte("true")):
		s.at += len("true")
		return true, nil
	case bytes.HasPrefix(rest, []byte("false")):
		s.at += len("false")
		return false, nil
	}
	return false, s.fault("%s must be true or false", what)
}

// The letters of cards, and what separates them; anything else goes to package
// card, which knows more forms and words its refusals.
var (
	rankOf [256]card.Rank
	suitOf [256]card.Suit
)

func init() {
	for r := card.Two; r <= card.Ace; r++ {
		rankOf[r.Byte()] = r
		rankOf[strings.ToLower(string(r.Byte()))[0]] = r
	}
	for s := card.Clubs; s <= card.Spades; s++ {
		letter := s.String()
		suitOf[letter[0]] = s
		suitOf[strings.ToUpper(letter)[0]] = s
	}
}

// longestHand is more than any way of writing three cards needs.
const longestHand = 100

func parseHand(text []byte) (card.Hand, error) {
	if h, ok := plainHand(text); ok {
		return h, nil
	}
	if len(text) > longestHand {
		return card.Hand{}, fmt.Errorf("%s is too long for a hand: write three cards such as Qh 6d 4c", quote(string(text)))
	}
	return card.ParseHand(string(text))
}

// plainHand reads a hand written with letters and digits.
func plainHand(text []byte) (h card.Hand, ok bool) {
	dealt := 0
	for i := 0; i < len(text); {
		if text[i] == ' ' || text[i] == ',' {
			i++
			continue
		}
		rank := rankOf[text[i]]
		if text[i] == '1' && i+1 < len(text) && text[i+1] == '0' {
			rank = card.Ten
			i++
		}
		if dealt == len(h) || rank == 0 || i+1 == len(text) || suitOf[text[i+1]] == 0 {
			return h, false
		}
		h[dealt] = card.New(rank, suitOf[text[i+1]])
		dealt++
		if i += 2; i < len(text) && text[i] != ' ' && text[i] != ',' {
			return h, false
		}
	}
	return h, dealt == len(h) && h.Valid()
}

// digits reads a whole number that is written with digits alone.
func digits(s string) (int64, bool) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// findID searches for the id of a line that could not be read to its end, as far as it is JSON, so
// that the error names the line to its sender.
func findID(line []byte) []byte {
	if !utf8.Valid(line) {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(line))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil
		}
		if key == "id" {
			if b := value[0]; b == '"' || b == '-' || '0' <= b && b <= '9' {
				return value
			}
			return nil
		}
	}
	return nil
}
