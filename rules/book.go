package rules

import (
	"cmp"
	"slices"

	"trey/card"
	"trey/internal/enum"
	"trey/money"
)

// Book is one edition of one house's rules for one game: a declaration, every
// value of which names its clause. Nothing in it changes once published.
type Book struct {
	// ID and Edition identify the book; Edition is empty where the text has none.
	ID, Edition string
	// Revision counts the declarations that this program has had of the edition, from 1.
	// Whoever changes what decides raises it: CONTRIBUTING.md says how.
	Revision int
	// Title is the game's name and House the casino's.
	Title, House string
	// Language is that of the text, such as "fr"; empty for English.
	Language string
	Ranking  Ranking
	Boxes    BoxRule
	Wagers   []WagerRule
	// Chips lists the denominations that the text names, ascending.
	Chips   []money.Amount
	Examine ExamineRule
	// Decision names the clauses of play and fold; nil where the player has
	// nothing to decide (Royal Three Pictures).
	Decision *DecisionRule
	// Qualify is the dealer's least hand; nil where the dealer always plays.
	Qualify  *Qualification
	Devices  []DeviceRule
	Order    OrderRule
	Envy     EnvyRule
	Bets     BetRule
	Offer    OfferRule
	Announce AnnounceRule
	// Incidents is the irregularity table. What it does not list is Uncovered.
	Incidents []IncidentRule
	// Rulings are the questions that the book leaves open, in the order of the rulings.
	Rulings []OpenRuling
	// Readings are the open points that have no list of values.
	Readings []Reading
	Clauses  []Clause
	// later are the rulings that the program's own book has and this declaration, which
	// was read from a record, does not have.
	later []OpenRuling
}

// Ref returns the book's full name, such as "rws-3cp@3" or "us-3cp".
func (b *Book) Ref() string {
	if b.Edition == "" {
		return b.ID
	}
	return b.ID + "@" + b.Edition
}

// ClauseRef returns a clause's full name, such as "rws-3cp@3 5.8.6"; empty for
// no clause.
func (b *Book) ClauseRef(id string) string {
	if id == "" {
		return ""
	}
	return b.Ref() + " " + id
}

// Rule returns the declaration of a wager, or nil if the book has none such.
func (b *Book) Rule(w Wager) *WagerRule {
	for i := range b.Wagers {
		if b.Wagers[i].Wager == w {
			return &b.Wagers[i]
		}
	}
	return nil
}

// Clause looks a clause up by its id.
func (b *Book) Clause(id string) (*Clause, bool) {
	for i := range b.Clauses {
		if b.Clauses[i].ID == id {
			return &b.Clauses[i], true
		}
	}
	return nil, false
}

// Incident returns the rule of the book for an incident, in the table under which it
// declares it. What it does not list is treated as Uncovered, which every book has.
func (b *Book) Incident(i Incident) *IncidentRule {
	i = i.Table()
	var uncovered *IncidentRule
	for k := range b.Incidents {
		switch b.Incidents[k].Incident {
		case i:
			return &b.Incidents[k]
		case Uncovered:
			uncovered = &b.Incidents[k]
		default:
		}
	}
	return uncovered
}

// OfEarlier returns the rule of the book for an incident of a round before this one: the
// clause by which bets and results stand, or the question that is put.
//
//clause:rws-3cp@3 5.19
//clause:rws-3cp@3 5.23
//clause:mbs-3pictures@2 5.1.2
//clause:mbs-3pictures@2 6.1
func (b *Book) OfEarlier(i Incident) (clause string, ask *Question) {
	clause = b.Incident(i).Earlier
	// No text says what becomes of a card that was entered wrongly and paid by: a person
	// decides what is due for it.
	if clause == "" && b.Declares(i) && i != Uncovered && i != CardMisread {
		clause = b.Bets.Earlier
	}
	if clause == "" {
		ask = b.Bets.EarlierAsk
	}
	return clause, ask
}

// Needless returns the provision by which a wager goes back without the one that it
// needs. A bet that equals another one is all in excess of it then.
//
//clause:rws-3cp@3 5.3.1
//clause:rws-3cp@3 5.4
func (b *Book) Needless(rule *WagerRule) string {
	switch rule.Stake {
	case EqualToBasis:
		return cmp.Or(b.Bets.RaiseOver, rule.Needs.Clause)
	case Prescribed:
		return b.Bets.NeedlessRide
	default:
		return cmp.Or(rule.Needs.Clause, b.Bets.NeedlessRide)
	}
}

// Declares reports whether the book has a table of its own for an incident.
func (b *Book) Declares(i Incident) bool {
	return slices.ContainsFunc(b.Incidents, func(r IncidentRule) bool { return r.Incident == i.Table() })
}

// BoxRule determines the number of boxes, and who may bet on which.
type BoxRule struct {
	Default, Max int
	// Min is the least number of boxes; 0 is one.
	Min int
	// PerArea is the number of wagers permitted on one betting area of a box:
	// 1 makes a box its player's own, more lets several players share it.
	PerArea int
	// Adjacent limits a player to one box, or to two adjacent ones where the ruling
	// adjacent_boxes allows it; otherwise a player may bet on any free box.
	Adjacent bool
	// Standing permits bets by players who do not sit at the box.
	Standing bool
	// OnRequest says that the text itself lets staff place bets at a player's request;
	// elsewhere only the deal by hand brings it with it.
	OnRequest bool
	Clauses   BoxClauses
}

// Least returns the least number of boxes.
func (r *BoxRule) Least() int { return max(r.Min, 1) }

// BoxClauses names the provisions behind a BoxRule.
type BoxClauses struct {
	Count          string // how many boxes
	PerArea        string // how many wagers on one area
	Others         string // bets on further boxes
	Taken          string // another player has the box
	Standing       string // standing players
	Unattended     string // whoever bets at a box where nobody sits counts as sitting there; empty: no such rule
	Participate    string // which wager takes part at all
	RestrictPlayer string // the Pit Manager holds a player to one position; empty: no such power
	RestrictAreas  string // the Pit Manager lowers PerArea; empty: no such power
	OnBehalf       string // staff place bets for a player
	Announced      string // no bet is made by announcing it; empty: no such rule
}

// ExamineRule determines who may look at which cards.
type ExamineRule struct {
	// OnePerPlayer allows a player one hand in a round, OneRuling by ruling.
	OnePerPlayer bool
	OneRuling    Ruling
	// Needs is the wager without which a hand is not examined (zero: any).
	Needs Wager
	// AfterDeal lets nobody examine a hand before all cards are dealt.
	AfterDeal bool
	// ReturnFaceUp asks that an examined hand be laid face up before the dealer's hand is
	// shown.
	ReturnFaceUp bool
	Clauses      ExamineClauses
}

// ExamineClauses names the provisions behind an ExamineRule.
type ExamineClauses struct {
	May    string // a player may look
	One    string // one hand only
	Needs  string // not without the wager needed
	First  string // the one who looks where several share a box; also: must sit
	Seated string // only who sits may look
	Return string // the hand is laid face up
	Opened string // the dealer opens hands nobody controls
	// Compared is for hands that play against the dealer's, where the text names
	// another clause for them; empty: Opened.
	Compared string
	Showing  string // the player hands are compared or revealed
	// Unrevealed is for a hand that was played and that its player never shows;
	// empty: no such provision.
	Unrevealed string
	// Claim is for the hands that are turned only if their player claims a payment on
	// them, because the dealer's hand does not qualify; empty: no such provision.
	Claim string
}

// DecisionRule names the clauses of the choice between Play and fold.
type DecisionRule struct {
	On         Wager // the wager that brings the decision (Ante)
	Raise      Wager // the wager that continues (Play)
	Play, Fold string
	Undecided  string // a hand nobody decides in time is folded
}

// Qualification is the least hand with which the dealer plays.
type Qualification struct {
	// Least is a hand of the lowest rank that qualifies; its suits do not count.
	Least card.Hand
	// Words completes "Dealer plays with ...", such as "a Queen".
	Words  string
	Clause string
}

// Qualifies reports whether the dealer's hand qualifies; always true in a book
// without qualification.
//
//clause:rws-3cp@3 1.16
//clause:us-3cp rules.7
func (b *Book) Qualifies(dealer card.Hand) bool {
	return b.Qualify == nil || b.Ranking.Strength(dealer) >= b.QualifyingStrength()
}

// QualifyingStrength returns the least strength with which the dealer plays; 0 in a
// book without qualification.
func (b *Book) QualifyingStrength() int {
	if b.Qualify == nil {
		return 0
	}
	return b.Ranking.Strength(b.Qualify.Least)
}

// Device is a kind of dealing device.
type Device uint8

// The dealing devices. The zero value is none of them.
const (
	_ Device = iota
	// Shuffler delivers packets of three.
	Shuffler
	// Shoe delivers one card at a time.
	Shoe
	// HandDeal is no device: the dealer deals packets of three from the hand.
	HandDeal
	numDevices
)

var deviceKeys = enum.New("a device", numDevices, []string{Shuffler: "shuffler", Shoe: "shoe", HandDeal: "hand"})

// String returns the device's key.
func (d Device) String() string { return deviceKeys.Key(d) }

// ParseDevice reads a device's key.
func ParseDevice(s string) (Device, error) { return deviceKeys.Parse(s) }

// MarshalText writes the device's key.
func (d Device) MarshalText() ([]byte, error) { return deviceKeys.Marshal(d) }

// UnmarshalText reads a device's key.
func (d *Device) UnmarshalText(text []byte) error { return deviceKeys.Unmarshal(d, text) }

// DeviceRule determines how the cards come from a device the book permits.
type DeviceRule struct {
	Device Device
	// Burn discards the first card of the deal; BurnRuling leaves it to the
	// ruling.
	Burn       bool
	BurnRuling Ruling
	// Packets says that it gives each hand its three cards at once, rather than one
	// card to each hand in turn.
	Packets bool
	// Clause is the order of the deal, BurnClause the burn card.
	Clause, BurnClause string
	// StubClause burns the cards that are left when the deal is complete: none comes after
	// it. Empty: no such provision.
	StubClause string
}

// Device returns the rule of the book for a device.
func (b *Book) Device(d Device) (*DeviceRule, bool) {
	for i := range b.Devices {
		if b.Devices[i].Device == d {
			return &b.Devices[i], true
		}
	}
	return nil, false
}

// Burns reports whether a card is burnt before the deal with some device of the book, if a
// ruling has it so.
func (b *Book) Burns() bool {
	return slices.ContainsFunc(b.Devices, func(d DeviceRule) bool { return d.Burn || d.BurnRuling != 0 })
}

// OrderRule is the order of payment.
type OrderRule struct {
	// FromRight settles the box at the dealer's right first, that is the
	// highest number; otherwise box 1 is first.
	FromRight bool
	// Lines is the order of the wagers of one box.
	Lines []Wager
	// FoldedFirst is the clause by which the dealer collects all forfeited bets
	// before turning the dealer's hand; empty: they go with the settlement.
	FoldedFirst string
	// OneByOne is the clause by which the players' hands are shown in the order of
	// the boxes, each when its turn comes; empty: the text sets no order.
	OneByOne string
	Clause   string
}

// EnvyRule determines the hands that bring the Envy Bonus of the wager marked Envy. The
// zero value is a book without one.
type EnvyRule struct {
	// Needs is the wager without which a hand brings no Envy (zero: none).
	Needs Wager
	// WhenFolded decides whether a folded box keeps its claim.
	WhenFolded Ruling
	// PerRuling decides between one for each hand and one a round; zero: each.
	PerRuling Ruling
	// OwnRuling decides whether the other boxes of a player bring that player one.
	OwnRuling Ruling
	// FromFolded decides whether a folded hand brings one; zero: yes.
	FromFolded Ruling
	// TwoBets decides whether a hand pays each bet of a player or the player once;
	// zero: each bet.
	TwoBets Ruling
	Clause  string
}

// BetRule names the provisions for stakes found wrong, late or misplaced.
// An empty clause means that the text says nothing.
type BetRule struct {
	// OverBefore is for a stake above the maximum that is noticed before the
	// bets are closed, UnderBefore for one below the minimum; where they are
	// empty it is the clause of the wager's own size.
	OverBefore  string
	OverAfter   string // noticed later: won or lost on the maximum
	UnderBefore string
	UnderAfter  string // noticed later: won or lost as it is
	// UnderOnce settles a low bet once for each player; further ones go back.
	UnderOnce    string
	RaiseOver    string // the Play bet is larger than the Ante
	RaiseUnder   string // the Play bet is smaller than the Ante
	LatePlace    string // placed or increased after the close
	LateWithdraw string // withdrawn after the close
	Chips        string // amounts are made of the chips in use; empty: the wager's own size
	Position     string // where the chips lie when the bets are closed counts
	Closed       string // "No more bets"
	Open         string // "Place your bets, please"
	Limits       string // stakes are within the displayed limits
	VoidReturns  string // a void round returns all its bets; empty: whatever voids it
	Earlier      string // an error of an earlier round has no effect now; empty: EarlierAsk
	EarlierStake string // an earlier round's stake outside the limits; empty: as Earlier
	// EarlierAsk is put where the text says nothing of an error of an earlier round: it
	// is one that the rules do not cover. Nil: such an error has no effect.
	EarlierAsk   *Question
	NeedlessRide string // a wager without the one it needs goes back
	Settle       string // the round is settled
	Interrupted  string // the grace before an interruption counts
	// Notice forbids bets on the progressive while it is down; empty for
	// books without one. The three options for later rounds follow it.
	DownClose, DownBoxes, DownWithout string
}

// OfferRule names the provisions behind the options offered to players.
type OfferRule struct {
	Continue string // go on with the hand as it is
	Restored string // go on with the hand put right
	Return   string // have the bets back
	Withdraw string // take all wagers back (interruption, dissatisfaction)
	// Dissatisfied is the clause under which a player may ask to withdraw
	// after Invalidate or a deal played to its conclusion; empty: none.
	Dissatisfied string
	Question     *Question
}

// AnnounceRule names the provisions behind what the dealer says aloud beyond
// opening and closing the bets. An empty clause is not announced.
type AnnounceRule struct {
	NoPairPlus string // which positions have no Pair Plus
	OneHand    string // a player with several boxes may examine one hand only
	DealerHand string // the dealer plays or does not, or the hand by name: said in any case
	// DealerSorted lays the dealer's cards from the highest down once all of them
	// are face up.
	DealerSorted string
	Results      string // won, lost or stand-off, box by box
	Notice       string // no Progressive Jackpot bets are taken
	Pending      string // the jackpot is paid after hands dealt earlier elsewhere
	BankWins     string // the dealer's hand has beaten every other one
	BonusPaid    string // the Bonus bets that are paid
	// WinningHand is the combination that has won a comparison with the dealer's hand,
	// said with the result; results are then those of comparisons alone.
	WinningHand string
	// DealerGrouped lays the dealer's cards as DealerSorted does, but those of a pair
	// before the third card.
	DealerGrouped string
}
