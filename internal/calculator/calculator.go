// Package calculator settles wagers that somebody else dealt: it reads one
// JSON object a line, each a finished round of one box or of a whole table, and
// writes one a line with what every wager of it wins or loses and by which clause.
//
// It asks [rules.Variant.Settle] for every decision and makes none about money
// itself. What it adds is to refuse a line that no round of the book can have
// produced, with a sentence that says why. It will never keep anything from one
// line to the next.
package calculator

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"trey/card"
	"trey/money"
	"trey/rules"
)

// Calculator settles lines by one variant of a book. It is made by [New] and
// serves one goroutine at a time.
type Calculator struct {
	variant *rules.Variant
	stakes  []*rules.WagerRule // the wagers that have a stake of their own
	needs   []*rules.WagerRule // those of them that need another wager beside them
	closed  []*rules.WagerRule // those that the variant takes no bets on
	foreign field              // the keys that mean nothing in this book
	limits  bool               // stakes are held against the limits
	prefix  []byte             // what stands before a clause's number
	words   []string           // by [rules.Ranking.Named]: a hand's name, once it was asked for

	// The pay tables that lines asked for, by the table whose rows they have and
	// the list of their pays, so that each list is read once; and how many.
	tables map[*rules.PayTable]map[string]*rules.PayTable
	kept   int

	// What follows is of the line at hand, and here only so that a line
	// allocates nothing.
	line     request
	changed  rules.Variant // the variant with the pays that the line asks for
	showdown rules.Showdown
	others   [maxOthers]rules.Other
	sets     [maxHands]card.Set
	settled  []rules.Line
	seats    []seat // of a line with "boxes"
}

// maxOthers is the number of hands that one deck holds beside the player's and the
// dealer's.
const (
	maxOthers = maxHands - 2
	maxHands  = 52 / 3
)

// maxTables bounds the pay tables kept; a stream that asks for more of them is
// slower and no larger.
const maxTables = 256

// New returns a calculator that settles by the variant.
func New(v *rules.Variant) *Calculator {
	c := &Calculator{
		variant: v,
		prefix:  []byte(v.Book.ClauseRef("?")),
		tables:  map[*rules.PayTable]map[string]*rules.PayTable{},
	}
	c.prefix = c.prefix[:len(c.prefix)-1]
	for i := range v.Book.Wagers {
		rule := &v.Book.Wagers[i]
		if rule.Stake == rules.NoStake {
			continue
		}
		c.stakes = append(c.stakes, rule)
		if rule.Needs.Scope == rules.SamePlayer {
			c.needs = append(c.needs, rule)
		}
		if rule.Stake == rules.Prescribed && v.Jackpot == nil {
			c.closed = append(c.closed, rule)
		}
	}
	c.foreign = foreign(v)
	return c
}

// foreign returns the keys that mean nothing in the variant's book, or at its tables.
func foreign(v *rules.Variant) (keys field) {
	b := v.Book
	if b.Decision == nil {
		keys |= foldedField
	}
	if v.Jackpot == nil {
		keys |= meterField
	}
	if !slices.ContainsFunc(b.Wagers, func(w rules.WagerRule) bool { return w.Envy }) {
		keys |= othersField
	}
	if !slices.Contains(b.Open(), rules.EnvyOwnBoxes) {
		keys |= ownerField
	}
	if b.Rule(rules.Bonus) == nil {
		keys |= bonusTableField
	}
	return keys
}

// Terms returns the terms by which a book settles where no house has set any:
// its own pay tables and limits and every ruling at its default. The size of a
// Progressive Jackpot bet is the house's to prescribe (rws-3cp@3 3.3), so here
// it may be any.
func Terms(book *rules.Book) *rules.Variant {
	v := book.Standard().Clone()
	for i := range book.Wagers {
		if rule := &book.Wagers[i]; rule.Stake == rules.Prescribed {
			v.Limits[rule.Wager] = rule.Limit
		}
	}
	return v
}

// AppendLine settles one line, without its end, appends the answer with its
// newline to dst, and reports whether the line was good. Number is the line's
// number in its stream, from 1, which the answer to a bad line repeats.
func (c *Calculator) AppendLine(dst, line []byte, number int) (answer []byte, good bool) {
	start := len(dst)
	err := c.read(line)
	if err == nil {
		dst, err = c.settle(dst)
	}
	if err == nil {
		return append(dst, '\n'), true
	}
	id := c.line.id
	if id == nil {
		id = findID(line)
	}
	return appendError(dst[:start], id, err.Error(), number), false
}

// settle decides the line that was read and appends the answer to dst.
func (c *Calculator) settle(dst []byte) ([]byte, error) {
	r := &c.line
	if r.seen&boxesField != 0 {
		return c.settleTable(dst)
	}
	if err := c.hands(); err != nil {
		return dst, err
	}
	if err := c.check(&r.one); err != nil {
		return dst, err
	}
	variant, err := c.pays()
	if err != nil {
		return dst, err
	}
	net, err := c.decide(variant, &r.one)
	if err != nil {
		return dst, err
	}
	dst = append(dst, '{')
	dst = appendIDField(dst, r.id)
	dst = c.appendRank(dst, "player_rank", c.showdown.Player)
	dst = append(dst, ',')
	dst = c.appendDealer(dst, c.showdown.Dealer)
	dst = append(dst, ',')
	dst = c.appendLines(dst, net)
	return append(dst, '}'), nil
}

// check refuses the stakes of a box that no round can have ended with.
func (c *Calculator) check(b *box) error {
	if b.stakes.None() {
		return fmt.Errorf(`there is no wager: give at least one, such as "wagers":{"%s":1000}`, c.stakes[0].Wager)
	}
	for _, rule := range c.closed {
		if b.stakes[rule.Wager] != 0 {
			return fmt.Errorf("%s takes no %s bets, for no progressive is connected: leave the stake out", c.variant.ID, rule.Wager.Name())
		}
	}
	if err := c.decision(b); err != nil {
		return err
	}
	if c.limits {
		return c.checkLimits(b)
	}
	return nil
}

// decide settles a box whose hands stand in c.showdown. It leaves the lines in
// c.settled and returns their sum for the player.
func (c *Calculator) decide(variant *rules.Variant, b *box) (net money.Amount, err error) {
	s := &c.showdown
	s.Stakes, s.Folded, s.Meter = b.stakes, b.folded, c.line.meter
	c.settled = c.settled[:0]
	strays := c.takeStrays(b)
	if c.settled, err = variant.Settle(c.settled, s); err != nil {
		if c.line.meter == 0 && !errors.Is(err, money.ErrOverflow) {
			err = fmt.Errorf(`%w; add it as "meter", in minor units`, err)
		}
		return 0, err
	}
	if strays {
		c.returnStrays(b)
	}
	for i := range c.settled {
		if net, err = net.Add(c.settled[i].Net()); err != nil {
			return 0, err
		}
	}
	return net, nil
}

func appendIDField(dst, id []byte) []byte {
	if id == nil {
		return dst
	}
	dst = append(dst, `"id":`...)
	return append(appendID(dst, id), ',')
}

func (c *Calculator) appendRank(dst []byte, key string, h card.Hand) []byte {
	dst = append(dst, '"')
	dst = append(dst, key...)
	dst = append(dst, `":"`...)
	dst = append(dst, c.describe(h)...)
	return append(dst, '"')
}

// appendDealer appends the dealer's hand, and whether it qualifies where that is asked.
func (c *Calculator) appendDealer(dst []byte, h card.Hand) []byte {
	dst = c.appendRank(dst, "dealer_rank", h)
	book := c.variant.Book
	switch {
	case book.Qualify == nil:
	case book.Qualifies(h):
		dst = append(dst, `,"qualifies":true`...)
	default:
		dst = append(dst, `,"qualifies":false`...)
	}
	return dst
}

func (c *Calculator) appendLines(dst []byte, net money.Amount) []byte {
	dst = append(dst, `"lines":[`...)
	for i := range c.settled {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = c.appendSettled(dst, &c.settled[i])
	}
	dst = append(dst, `],"net":`...)
	return appendAmount(dst, net)
}

func (c *Calculator) appendSettled(dst []byte, line *rules.Line) []byte {
	dst = append(dst, `{"wager":"`...)
	dst = append(dst, line.Wager.String()...)
	dst = append(dst, `","stake":`...)
	dst = appendAmount(dst, line.Stake)
	dst = append(dst, `,"result":"`...)
	dst = append(dst, line.Result.String()...)
	dst = append(dst, `","pays":`...)
	dst = appendAmount(dst, line.Pays)
	dst = append(dst, `,"returned":`...)
	dst = appendAmount(dst, line.Returned)
	dst = append(dst, `,"clause":"`...)
	dst = append(dst, c.prefix...)
	dst = append(dst, line.Clause...)
	return append(dst, `"}`...)
}

// describe names a hand. There are at most 741 names, so each is made once.
func (c *Calculator) describe(h card.Hand) string {
	ranking := c.variant.Book.Ranking
	named := ranking.Named(h)
	if named >= len(c.words) {
		c.words = append(c.words, make([]string, named+1-len(c.words))...)
	}
	if c.words[named] == "" {
		c.words[named] = ranking.Describe(h)
	}
	return c.words[named]
}

// hands reads all cards of a line of one box and makes sure that one deck holds them.
func (c *Calculator) hands() error {
	r, s := &c.line, &c.showdown
	var err error
	switch {
	case r.seen&playerField == 0:
		return errors.New(`"player" is missing: give the player's three cards, such as "player":"Qh 6d 4c"`)
	case r.seen&dealerField == 0:
		return errNoDealer
	}
	if s.Player, err = parseHand(r.one.player); err != nil {
		return fmt.Errorf("player: %w", err)
	}
	if s.Dealer, err = parseHand(r.dealer); err != nil {
		return fmt.Errorf("dealer: %w", err)
	}
	player := card.NewSet(s.Player[:]...)
	dealer := card.NewSet(s.Dealer[:]...)
	if both := player.Intersect(dealer); both != 0 {
		return doubled(both, "the player's hand", "the dealer's")
	}
	dealt := player.Union(dealer)
	ranking := c.variant.Book.Ranking
	for i := range r.others {
		hand, err := parseHand(r.others[i])
		if err != nil {
			return fmt.Errorf("others, hand %d: %w", i+1, err)
		}
		set := card.NewSet(hand[:]...)
		c.sets[i] = set
		if dealt.Intersect(set) != 0 {
			return c.doubledOther(i, player, dealer)
		}
		dealt = dealt.Union(set)
		c.others[i] = rules.Other{Is: ranking.Combos(hand)}
	}
	s.Others = c.others[:len(r.others)]
	return nil
}

var errNoDealer = errors.New(`"dealer" is missing: give the dealer's three cards, such as "dealer":"Kd 9c 2s"`)

// doubledOther says which cards of a hand of the others lie elsewhere, and where.
func (c *Calculator) doubledOther(at int, player, dealer card.Set) error {
	here := fmt.Sprintf("hand %d of the others", at+1)
	if both := player.Intersect(c.sets[at]); both != 0 {
		return doubled(both, here, "the player's")
	}
	if both := dealer.Intersect(c.sets[at]); both != 0 {
		return doubled(both, here, "the dealer's")
	}
	for i := range at {
		if both := c.sets[i].Intersect(c.sets[at]); both != 0 {
			return doubled(both, here, fmt.Sprintf("hand %d", i+1))
		}
	}
	return nil
}

// doubled refuses cards that lie at two places.
func doubled(cards card.Set, here, there string) error {
	verb := "is"
	if cards.Len() > 1 {
		verb = "are"
	}
	return fmt.Errorf("%v %s in %s and in %s: a deck has each card once", cards, verb, here, there)
}

// decision refuses stakes that say both or neither of play and fold.
func (c *Calculator) decision(r *box) error {
	book := c.variant.Book
	d := book.Decision
	if d == nil {
		return nil // a key "folded" was refused when it was read
	}
	on, raise := r.stakes[d.On], r.stakes[d.Raise]
	switch {
	case on == 0 && raise != 0:
		return fmt.Errorf("there is a %s stake without an %s: %s needs one beside it (%s)",
			d.Raise, d.On, d.Raise, book.ClauseRef(book.Rule(d.Raise).Needs.Clause))
	case on == 0 && r.folded:
		return fmt.Errorf(`"folded" is true, but without an %s there is nothing to fold: leave it out`, d.On)
	case r.folded && raise != 0:
		return fmt.Errorf(`"folded" is true, but there is a %s stake too: a folded hand has none`, d.Raise)
	case on != 0 && raise == 0 && !r.folded:
		return fmt.Errorf(`the %s is neither played nor folded: add a %s stake of %d, or "folded":true`, d.On, d.Raise, on)
	case !r.folded && (raise > on && book.Bets.RaiseOver == "" || raise < on && book.Bets.RaiseUnder == ""):
		return fmt.Errorf("the %s stake is %d and the %s %d: in %s they must be equal (%s)",
			d.Raise, raise, d.On, on, book.Ref(), book.ClauseRef(book.Rule(d.Raise).Clauses.Size))
	}
	return nil
}

// takeStrays takes out of the showdown every stake that lacks the wager it
// needs beside it, and reports whether there was one.
func (c *Calculator) takeStrays(b *box) bool {
	found := false
	for _, rule := range c.needs {
		if c.stray(b, rule) {
			c.showdown.Stakes[rule.Wager] = 0
			found = true
		}
	}
	return found
}

func (c *Calculator) stray(b *box, rule *rules.WagerRule) bool {
	s, need := &b.stakes, c.variant.Needs(rule)
	return s[rule.Wager] != 0 && s[need.Wager] == 0 && (need.Or == 0 || s[need.Or] == 0)
}

// returnStrays adds a line for every stake that takeStrays took out, where the
// order of payment has it.
func (c *Calculator) returnStrays(b *box) {
	book := c.variant.Book
	at := 0
	for _, w := range book.Order.Lines {
		for at < len(c.settled) && c.settled[at].Wager == w {
			at++
		}
		rule := book.Rule(w)
		if rule == nil || rule.Needs.Scope != rules.SamePlayer || !c.stray(b, rule) {
			continue
		}
		stake := b.stakes[w]
		c.settled = append(c.settled, rules.Line{})
		copy(c.settled[at+1:], c.settled[at:])
		c.settled[at] = rules.Line{
			Wager: w, Stake: stake, Result: rules.GivenBack, Returned: stake, Clause: book.Needless(rule),
		}
		at++
	}
}

// pays returns the variant with the pay tables that the line asks for.
func (c *Calculator) pays() (*rules.Variant, error) {
	r := &c.line
	if r.seen&(bonusTableField|payField) == 0 {
		return c.variant, nil
	}
	v := &c.changed
	*v = *c.variant
	if r.seen&bonusTableField != 0 {
		if err := v.UsePayTable(rules.Bonus, string(r.bonusTable)); err != nil {
			return nil, fmt.Errorf("bonus_table: %w", err)
		}
	}
	for _, p := range r.pays {
		table, err := c.table(v, p)
		if err != nil {
			return nil, fmt.Errorf("pay: %w", err)
		}
		v.Pays[p.wager] = table
	}
	return v, nil
}

// table returns the pay table of a wager with the pays of a list such as
// 40/30/6/4/1 in the place of its own.
func (c *Calculator) table(v *rules.Variant, p payList) (*rules.PayTable, error) {
	// Without a table picked by name the number of pays says which is meant.
	base := v.Pays[p.wager]
	if p.wager != rules.Bonus || c.line.seen&bonusTableField == 0 {
		base = v.TableWith(p.wager, bytes.Count(p.list, []byte("/"))+1)
	}
	if table, ok := c.tables[base][string(p.list)]; ok {
		return table, nil
	}
	list := string(p.list)
	pays, err := parsePays(list)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.wager, err)
	}
	// A win against the dealer must pay something with every hand; only wagers
	// on the player's own hand can lose a row of their table.
	if contest := v.Book.Rule(p.wager).Contest; len(pays) < len(base.Rows) &&
		(contest == rules.AgainstDealer || contest == rules.EqualPoints) {
		return nil, fmt.Errorf("%s: %d pays for a table of %d rows, each of which a win may need", p.wager, len(pays), len(base.Rows))
	}
	table, err := base.WithPays(pays)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.wager, err)
	}
	if c.kept == maxTables {
		clear(c.tables)
		c.kept = 0
	}
	if c.tables[base] == nil {
		c.tables[base] = map[string]*rules.PayTable{}
	}
	c.tables[base][list] = &table
	c.kept++
	return &table, nil
}

// parsePays reads a list of pays "to 1" such as 40/30/6/4/1.
func parsePays(list string) ([]int64, error) {
	var pays []int64
	for word := range strings.SplitSeq(list, "/") {
		amount, ok := digits(word)
		if !ok {
			return nil, fmt.Errorf("%s is not a list of pays: write what each hand pays to 1, best hand first, such as 40/30/6/4/1", quote(list))
		}
		pays = append(pays, amount)
	}
	return pays, nil
}
