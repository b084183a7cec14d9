package table

import (
	"errors"
	"fmt"
	"slices"

	"trey/card"
	"trey/internal/enum"
	"trey/money"
	"trey/rules"
)

// Sight is the way in which the house learns the cards.
type Sight uint8

// The kinds of sight. The zero value is none of them.
const (
	_ Sight = iota
	// Virtual cards come from the house's own shuffler: known, and always dealt
	// where they belong.
	Virtual
	// Read cards are dealt by hand from a device that reads them.
	Read
	// Unseen cards are dealt by hand and known only when they are turned.
	Unseen
	numSights
)

var sightKeys = enum.New("a way in which cards are known", numSights, []string{Virtual: "virtual", Read: "read", Unseen: "unseen"})

// String returns the key, such as "virtual".
func (s Sight) String() string { return sightKeys.Key(s) }

// ParseSight reads a key.
func ParseSight(text string) (Sight, error) { return sightKeys.Parse(text) }

// MarshalText writes the key.
func (s Sight) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the key.
func (s *Sight) UnmarshalText(text []byte) error { return sightKeys.Unmarshal(s, text) }

// Config is the equipment of one table. It does not change while the table runs.
type Config struct {
	// Device deals the cards; the book must permit it.
	Device rules.Device `json:"device"`
	// Cards says how the house knows them.
	Cards Sight `json:"cards"`
	// Chips says that bets lie on the layout as chips, so that what the dealer
	// finds there can differ from what was entered.
	Chips bool `json:"chips,omitempty"`
}

// Bettor is one player's wagers on one box, in minor units.
type Bettor struct {
	Player string
	// Standing says that the player does not sit at the box.
	Standing bool
	Stakes   rules.Stakes
	// order counts, from 1, those who placed a wager here that needs no other one,
	// on boxes that players share; zero is a player who has none.
	order int
	// gone reports whether the player was reported to have walked away.
	gone bool
	// advised marks, a bit each, the wagers found too low of which the player
	// has been told.
	advised uint16
}

// BoxState is the state of one box.
type BoxState struct {
	// Bettors are in the order of their first wager on the box. The slice is
	// never written to; changes replace it.
	Bettors  []Bettor
	Decision Decision
	// Examiner is the player who examined the hand, empty for nobody.
	Examiner string
	// Up says that the hand lies face up.
	Up bool
	// KeptDown says that the hand stays face down: folded, and the dealer has seen
	// that it brings nobody an Envy Bonus, or played and never shown by its player.
	KeptDown bool
	// Collected says that the box's forfeited bets have been taken in before the
	// dealer's hand was turned.
	Collected bool
	// wasFaceUp says that the hand has lain face up in this round, also if cards of it
	// were moved since.
	wasFaceUp bool
	// Settled says that the box has been settled: its bets have left the layout by
	// lines. Its stakes remain as a record of what they were.
	Settled bool
	// settledFrom is where in [State.Lines] the settlement of the box begins.
	settledFrom int
	// Invalid says that the hand left the round and its bets went back.
	Invalid bool
	// Suspended says that the box takes no bets (rws-3cp@3 5.17.2 b).
	Suspended bool
}

// Touch is a hand that a player touched without examining it as the rules let them.
type Touch struct {
	Box    int    `json:"box"`
	Player string `json:"player"`
	// Looked says that the player looked at the cards too.
	Looked bool `json:"looked,omitempty"`
}

// Line is one settlement line: whose wager on which box, and how it ended.
type Line struct {
	Box    int    `json:"box"`
	Player string `json:"player"`
	rules.Line
	// Reverses is what had been paid for the wager before an error of the
	// settled round was found; it is collected again.
	Reverses money.Amount `json:"reverses,omitempty"`
}

// Net returns the change of the player's money by the line at the moment it is issued.
func (l *Line) Net() money.Amount { return l.Returned - l.Reverses }

// Offer is an option put to a player who has not answered yet.
type Offer struct {
	// Box is the hand concerned; zero when the offer is to take back all of
	// the player's wagers.
	Box    int    `json:"box,omitempty"`
	Player string `json:"player"`
	Clause string `json:"clause"`
	// Restored says that the cards have been put in their intended order.
	Restored bool `json:"restored,omitempty"`
}

// OpenQuestion is a decision that a named role has not yet taken.
type OpenQuestion struct {
	Key     string         `json:"key"`
	Role    rules.Role     `json:"role"`
	Clause  string         `json:"clause"`
	Answers []rules.Answer `json:"answers,omitempty"`
	// Report is what led to it, and By who reported it. Once a card has been
	// seen, whoever reported does not answer.
	Report Report `json:"report,omitzero"`
	By     Actor  `json:"by,omitzero"`
	// Confirmed says that a second person has confirmed the facts, so that whoever
	// reported may answer as well.
	Confirmed bool `json:"confirmed,omitempty"`
	// Found is the statement about chips that is to be confirmed, in place of a
	// report.
	Found Found `json:"found,omitzero"`
}

// ConfirmFacts is the key of the question by which a second person confirms what
// a report states. It never asks whether a clause applies.
const ConfirmFacts = "facts"

// Ask returns the question in words, as the book has them.
func (q *OpenQuestion) Ask(b *rules.Book) string {
	switch {
	case q.Key == ConfirmFacts && q.Found != (Found{}) && b.Rule(q.Found.Wager).Stake == rules.EqualToBasis:
		return "Did this lie there when the hand was played?"
	case q.Key == ConfirmFacts && q.Found != (Found{}):
		return "Did this lie there when the bets were closed?"
	case q.Key == ConfirmFacts:
		return "Do you confirm the facts of this report?"
	}
	if of := b.Question(q.Key); of != nil {
		return of.Ask
	}
	return q.Key // of a book that does not put it
}

// State is one table at one moment. It is a value: Evolve returns a new one and
// leaves the old as it was. Its slices must not be written to.
type State struct {
	Variant *rules.Variant
	Config  Config
	Phase   Phase
	// Round counts the rounds opened, from 1.
	Round int
	// Boxes holds box n at index n-1. A box that does not change is shared with
	// the states before and after this one.
	Boxes []*BoxState
	// Slots are the cards of the round in the order in which they were drawn.
	Slots []Slot
	// Lines are the settlement lines of the round so far.
	Lines []Line
	// Question is the open question, nil for none.
	Question *OpenQuestion
	// waiting are questions put aside for one that an emergency raised, the one to
	// be answered next last.
	waiting []OpenQuestion
	// Offers are the options not yet answered.
	Offers []Offer
	// Counting says that the number of cards is in doubt and has not been counted.
	Counting bool
	// Down says that the progressive is out of order, Registered what its meter
	// showed before, if that is what the round is paid, DownOption what the house chose for
	// later rounds.
	Down       bool
	Registered money.Amount
	DownOption DownOption
	// AreaMax is the number of wagers an area takes when the Pit Manager has
	// lowered it; zero is the book's number.
	AreaMax int

	// schedule is the place of each card of this deal in order, served how
	// many entries of it have been used or passed over.
	schedule []Place
	served   int
	// laid is how many entries the hand of the dealer has used or passed over:
	// more than served where the burn card was missed.
	laid int
	// touched are the hands that players touched, or looked at, without examining
	// them as the rules let them, in the order in which that was reported.
	touched []Touch
	// accidental are the boxes of which it is decided that a further hand was examined
	// there without intent.
	accidental []int
	// revealed says that the dealer's hand has been revealed in this round, also if cards
	// of it were moved since, so that it has to be turned again.
	revealed bool
	// drawn are cards drawn at once whose order is still to be decided.
	drawn []card.Card
	// disputed is the box whose players may ask to withdraw (0 none, -1 all).
	disputed int
	// heard are the requests to withdraw over it that have been answered.
	heard []AskWithdrawal
	// warned are players whose one low wager was settled (mbs 5.10);
	// restricted are those held to one position (mbs 3.8).
	warned, restricted []string
	// warnedBefore is how many players had been warned before this round.
	warnedBefore int
}

// New returns a table that is open and ready for its first round.
func New(v *rules.Variant, c Config) (State, error) {
	var errs []error
	if v == nil {
		return State{}, errors.New("a table needs a book to play by")
	}
	if err := v.CheckRecorded(); err != nil {
		errs = append(errs, err)
	}
	if _, ok := v.Book.Device(c.Device); !ok {
		errs = append(errs, fmt.Errorf("%s is not dealt from a %s", v.Book.Ref(), c.Device))
	}
	if c.Cards == 0 || c.Cards >= numSights {
		errs = append(errs, errors.New("the table must say how its cards are known: virtual, read or unseen"))
	}
	if err := errors.Join(errs...); err != nil {
		return State{}, err
	}
	return State{Variant: v, Config: c, Phase: Ready, Boxes: newBoxes(v.Boxes)}, nil
}

func newBoxes(n int) []*BoxState {
	at, boxes := make([]BoxState, n), make([]*BoxState, n)
	for i := range boxes {
		boxes[i] = &at[i]
	}
	return boxes
}

func (s *State) book() *rules.Book { return s.Variant.Book }

// box returns the state of a box that exists, to be read only.
func (s *State) box(number int) *BoxState { return s.Boxes[number-1] }

// Staked reports whether any wager lies on the box.
func (b *BoxState) Staked() bool {
	for i := range b.Bettors {
		if !b.Bettors[i].Stakes.None() {
			return true
		}
	}
	return false
}

// stakedBy reports whether a player has a wager in the round on the box, or on
// any box for box zero.
func (s *State) stakedBy(player string, box int) bool {
	for n := range s.Boxes {
		b := s.Boxes[n]
		if box != 0 && box != n+1 || b.Invalid {
			continue
		}
		if i := b.bettor(player); i >= 0 && !b.Bettors[i].Stakes.None() {
			return true
		}
	}
	return false
}

// has reports whether anybody has the wager on the box.
func (b *BoxState) has(w rules.Wager) bool {
	for i := range b.Bettors {
		if b.Bettors[i].Stakes[w] != 0 {
			return true
		}
	}
	return false
}

// Player returns the player of the box in books where it belongs to one player: the first
// bettor. It is empty for a box without bets.
func (b *BoxState) Player() string {
	if len(b.Bettors) == 0 {
		return ""
	}
	return b.Bettors[0].Player
}

// controller returns the player who may examine the hand: the first bettor who sits
// there. If that player has walked away, or has looked at another hand, the next one who
// sits there may, or nobody else, by the ruling first_player_left; the ruling
// side_wager_first says whether a wager that needs another one counts. Whoever comes back
// has the right again while nobody else has it.
//
//clause:mbs-3pictures@2 3.10
func (s *State) controller(b *BoxState) string {
	first := s.firstSeated(b, func(*Bettor) bool { return true })
	here := s.firstSeated(b, func(bettor *Bettor) bool { return !bettor.gone && !s.viewedElsewhere(b, bettor.Player) })
	if here == "" || s.Variant.Is(rules.FirstPlayerLeft, rules.DealerOpens) {
		return first
	}
	return here
}

// firstSeated returns the player who wagered first on the box, of those who sit there and
// are counted; the empty name if there is none.
func (s *State) firstSeated(b *BoxState, counts func(*Bettor) bool) string {
	var first *Bettor
	side := s.Variant.Is(rules.SideWagerFirst, rules.Yes)
	for i := range b.Bettors {
		bettor := &b.Bettors[i]
		if bettor.Standing || bettor.Stakes.None() || !side && bettor.order == 0 || !counts(bettor) {
			continue
		}
		if first == nil || !side && bettor.order < first.order {
			first = bettor
		}
	}
	if first == nil {
		return ""
	}
	return first.Player
}

// viewedElsewhere reports whether a player has used the one look that the book gives
// on another hand than that of the box.
func (s *State) viewedElsewhere(b *BoxState, player string) bool {
	viewed := s.firstViewed(player)
	return s.book().Examine.OnePerPlayer && viewed != 0 && s.box(viewed) != b
}

// mayLook reports whether a player who sits at the box may still look at its hand.
//
//clause:mbs-3pictures@2 3.14
func (s *State) mayLook(b *BoxState) bool {
	player := s.controller(b)
	if player == "" || b.Examiner != "" || b.Bettors[b.bettor(player)].gone {
		return false
	}
	return !s.viewedElsewhere(b, player)
}

// bettor returns the index of a player's wagers on the box, -1 for none.
func (b *BoxState) bettor(player string) int {
	for i := range b.Bettors {
		if b.Bettors[i].Player == player {
			return i
		}
	}
	return -1
}

// live reports whether the box takes part in the round: bets on it, and its
// hand neither invalidated nor folded.
func (b *BoxState) live() bool { return b.Staked() && !b.Invalid && b.Decision != Folded }

// withheld reports whether the hand was played and its player never shows it.
func (b *BoxState) withheld() bool { return b.KeptDown && b.Decision != Folded }

// decides reports whether the box still has to play or fold. While bets are open
// that is a bet that will stand: one that the player was told is too low goes back.
func (s *State) decides(b *BoxState) bool {
	d := s.book().Decision
	if d == nil || !b.live() || b.Decision != Undecided || !b.has(d.On) {
		return false
	}
	return s.Phase != Betting || !s.leftLow(slices.Index(s.Boxes, b)+1, &b.Bettors[0], d.On)
}

// Hand returns the cards that lie at a place, in the order they were drawn, and
// how many there are. Cards beyond three are counted but not returned.
func (s *State) Hand(p Place) (card.Hand, int) {
	var h card.Hand
	n := 0
	for i := range s.Slots {
		if s.Slots[i].Place == p {
			if n < len(h) {
				h[n] = s.Slots[i].Card
			}
			n++
		}
	}
	return h, n
}

// known reports whether the place holds exactly three cards whose faces the
// house knows, and returns them.
func (s *State) known(p Place) (card.Hand, bool) {
	h, n := s.Hand(p)
	return h, n == 3 && h[0] != card.None && h[1] != card.None && h[2] != card.None
}

// looked reports whether any player has seen cards dealt to them: by examining a
// hand, or because one lies face up before them. While cards are being dealt, one
// that was turned over by mistake does not count, or no such card could void a
// round (the ruling seen_means_examined).
func (s *State) looked() bool {
	for i, b := range s.Boxes {
		if b.Examiner != "" || b.wasFaceUp || s.Phase != Dealing && b.Staked() && !b.Invalid && s.Open(Box(i+1)) {
			return true
		}
	}
	return slices.ContainsFunc(s.touched, func(t Touch) bool { return t.Looked && s.ownHand(t) })
}

// ownHand reports whether the hand that was touched was dealt to the player who did:
// whoever looks at another player's has not seen cards distributed to them.
func (s *State) ownHand(t Touch) bool { return s.box(t.Box).bettor(t.Player) >= 0 }

// handled reports whether a player has handled cards, by examining a hand or by
// touching one. It may be another player's: mbs-3pictures@2 5.6 speaks of cards
// handled by any Player.
func (s *State) handled() bool {
	return len(s.touched) > 0 || slices.ContainsFunc(s.Boxes, func(b *BoxState) bool { return b.Examiner != "" })
}

// viewed reports whether a player who bets on the box has looked at its hand, or has had it
// face up before them, as everybody has: also where a card of it turns out to lie elsewhere.
func (s *State) viewed(box int) bool {
	b := s.box(box)
	return b.Examiner != "" || b.Up || b.wasFaceUp || slices.ContainsFunc(s.touched, func(t Touch) bool {
		return t.Box == box && t.Looked && s.ownHand(t)
	})
}

// firstViewed returns the box whose hand a player looked at first, zero for none.
// Whoever has looked at a hand against the rules examines no other one, so a hand
// that was examined came first.
func (s *State) firstViewed(player string) int {
	for i, b := range s.Boxes {
		if b.Examiner == player {
			return i + 1
		}
	}
	for _, t := range s.touched {
		if t.Looked && t.Player == player && s.ownHand(t) {
			return t.Box
		}
	}
	return 0
}

// seen reports whether any card of the round has been examined or exposed.
func (s *State) seen() bool {
	return slices.ContainsFunc(s.Boxes, func(b *BoxState) bool { return b.Examiner != "" }) ||
		slices.ContainsFunc(s.touched, func(t Touch) bool { return t.Looked }) ||
		slices.ContainsFunc(s.Slots, func(c Slot) bool { return c.seen != 0 })
}

// Open reports whether the whole table has seen the three cards of a hand.
func (s *State) Open(p Place) bool {
	n := 0
	for i := range s.Slots {
		if s.Slots[i].Place == p {
			if !s.Slots[i].Exposed() {
				return false
			}
			n++
		}
	}
	return n == 3
}

// established reports whether an available bet of the round has conclusively won or lost. By the
// ruling outcome_established, that is when all cards are dealt, or at the first accepted fold or
// the first hand shown to the whole table. It never depends on a face-down card.
//
//clause:rws-3cp@3 5.7.1
//clause:mbs-3pictures@2 5.13.2
func (s *State) established() bool {
	// Whoever has left before the deal is complete has lost the Ante, but by the
	// ruling fold_before_deal no hand yet.
	folds := s.Phase >= Deciding || s.Variant.Is(rules.FoldBeforeDeal, rules.Yes)
	if !s.Phase.InRound() {
		return false
	}
	if s.Phase >= Deciding && s.settledAtDeal() {
		return true
	}
	if s.wasRevealed() {
		return true // Everybody has seen it, also where it has to be turned again.
	}
	for i := range s.Boxes {
		b := s.Boxes[i]
		if b.Staked() && !b.Invalid && (b.Decision == Folded && folds || b.Up || s.Open(Box(i+1))) {
			return true
		}
	}
	return false
}

// settledAtDeal reports whether a round has an outcome once all its cards are
// dealt. By default that is so at a virtual table: its deck was committed to
// before the bets, so nothing that a player has yet to see is open. A player who
// has seen a hand then gets no bet back because of a stop.
func (s *State) settledAtDeal() bool {
	return s.Variant.Is(rules.OutcomeEstablished, rules.AtDeal) ||
		s.Variant.Is(rules.OutcomeEstablished, rules.AtDealWhereCommitted) && s.Config.Cards == Virtual
}

// dealerTurned reports whether the whole table has seen the dealer's hand. It may lie so
// before the hands are compared again: a card was taken from it or came to it.
func (s *State) dealerTurned() bool {
	return s.wasRevealed() || s.Phase == Paid || s.Open(DealerHand)
}

// wasRevealed reports whether the dealer's hand was revealed, also if cards of it were moved
// since, so that it has to be turned again.
func (s *State) wasRevealed() bool { return s.revealed || s.Phase == Showing }

// Undisclosed lists the boxes whose hands could win a share of the jackpot meter as
// far as the whole table knows: dealt, in play, with the bet that pays it, and not
// seen by everybody. It does not depend on what the hands are.
func (s *State) Undisclosed() []int {
	var boxes []int
	if !s.Phase.InRound() {
		return nil
	}
	for i := range s.Boxes {
		b := s.Boxes[i]
		if !b.live() || b.KeptDown || !b.has(rules.Progressive) {
			continue
		}
		if _, n := s.Hand(Box(i + 1)); n >= 3 && !s.Open(Box(i+1)) {
			boxes = append(boxes, i+1)
		}
	}
	return boxes
}

// DealtAtMs returns when the hand of a box was dealt in full, in the milliseconds of the commands:
// the latest time of its three cards, wherever they lay before they were put in their place. For a
// hand with more cards it uses the first three.
//
//clause:rws-3cp@3 1.17
//clause:rws-3cp@3 4.9.1
func (s *State) DealtAtMs(box int) int64 {
	var atMs int64
	n := 0
	for i := range s.Slots {
		if s.Slots[i].Place != Box(box) {
			continue
		}
		if n++; n > 3 {
			break
		}
		atMs = max(atMs, s.Slots[i].dealtAtMs)
	}
	return atMs
}

// MajorHits lists the boxes, in the order in which they were dealt, whose hands win a share of the
// jackpot meter as the round stands: known, not folded, with the bet that pays it. Callers use it
// to pay hits in the order of payment (rws-3cp@3 4.9.1). They must not reveal that a hand is among
// them before it is [State.Open].
func (s *State) MajorHits() []int {
	var hits []int
	for i := range s.Boxes {
		b := s.Boxes[i]
		if !b.live() || !b.has(rules.Progressive) {
			continue
		}
		h, ok := s.known(Box(i + 1))
		if !ok {
			continue
		}
		if s.takesMeter(h) {
			hits = append(hits, i+1)
		}
	}
	return hits
}

// takesMeter reports whether the pay table gives a hand a share of the jackpot meter.
func (s *State) takesMeter(h card.Hand) bool {
	row, ok := s.Variant.Pays[rules.Progressive].Row(s.book().Ranking.Combos(h))
	return ok && row.Pay.MeterPercent != 0
}

// Awaited returns the players for whom the table waits: those to whom options have been
// put, or else those with hands that are neither played nor folded. A name can come twice.
func (s *State) Awaited() (players []string) {
	for i := range s.Offers {
		players = append(players, s.Offers[i].Player)
	}
	if len(players) > 0 || s.Phase != Deciding {
		return players
	}
	for _, b := range s.Boxes {
		if s.decides(b) {
			players = append(players, b.Player())
		}
	}
	return players
}

// HasBet reports whether a bet of the player lies on the layout of a round in
// progress.
func (s *State) HasBet(player string) bool {
	if !s.Phase.InRound() {
		return false
	}
	return slices.ContainsFunc(s.Boxes, func(b *BoxState) bool {
		i := b.bettor(player)
		return i >= 0 && !b.Bettors[i].Stakes.None()
	})
}

// OnLayout returns the money that lies on the boxes of a round in progress, in minor
// units; zero between rounds, when every stake has left by its line.
func (s *State) OnLayout() (sum money.Amount) {
	if !s.Phase.InRound() {
		return 0
	}
	for _, b := range s.Boxes {
		if b.Settled {
			continue
		}
		for i := range b.Bettors {
			sum += b.Bettors[i].Stakes.Total()
		}
	}
	return sum
}

// ProgressiveBets counts the Progressive Jackpot bets in the round, which are
// the contributions due to the meter once the bets are closed.
func (s *State) ProgressiveBets() int {
	n := 0
	for _, b := range s.Boxes {
		if b.has(rules.Progressive) && !b.Invalid && s.Phase != Voided {
			n++
		}
	}
	return n
}

// DownOption is the choice of the house for later rounds while the progressive is out of
// order.
type DownOption uint8

// The options of rws-3cp@3 5.17.2. The zero value is none chosen yet.
const (
	_ DownOption = iota
	// CloseTable closes the table.
	CloseTableOption
	// WithoutBoxes takes no bets on the boxes affected.
	WithoutBoxes
	// WithoutProgressive plays on without Progressive Jackpot bets.
	WithoutProgressive
	numDowns
)

var downKeys = enum.New("an option of 5.17.2", numDowns, []string{CloseTableOption: "close", WithoutBoxes: "boxes", WithoutProgressive: "without"})

// String returns the option's key, such as "boxes".
func (o DownOption) String() string { return downKeys.Key(o) }

// ParseDownOption reads an option's key.
func ParseDownOption(text string) (DownOption, error) { return downKeys.Parse(text) }

// MarshalText writes the option's key; none is empty text.
func (o DownOption) MarshalText() ([]byte, error) { return downKeys.MarshalOrNone(o) }

// UnmarshalText reads the option's key.
func (o *DownOption) UnmarshalText(text []byte) error { return downKeys.UnmarshalOrNone(o, text) }
