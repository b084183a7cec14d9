package table

import (
	"fmt"

	"trey/internal/enum"
	"trey/rules"
	"trey/sentence"
)

// Reason is the reason for refusing a command: a closed list, in the order in which the
// checks are made. When several apply, the first is given.
type Reason uint8

// The reasons, in their order of precedence. The zero value is none of them.
const (
	_ Reason = iota
	// Malformed: the command lacks something or holds a value out of range.
	Malformed
	// NotInGame: the book, or the table as it is equipped, has no such thing.
	NotInGame
	// NotPermitted: the role may not do this.
	NotPermitted
	// WrongPhase: not at this point of the round.
	WrongPhase
	// QuestionOpen: a question must be answered first.
	QuestionOpen
	// OfferOpen: options offered to players must be answered first.
	OfferOpen
	// NoSuchBox: the table has no such box, or nothing lies on it.
	NoSuchBox
	// NoSuchWager: the book has no such wager, or it is not placed this way.
	NoSuchWager
	// Suspended: the box or the wager is out of use.
	Suspended
	// NotSeated: the player does not sit at the box.
	NotSeated
	// BoxTaken: another player has the box, or this player may not have it.
	BoxTaken
	// AreaFull: the betting area takes no more wagers.
	AreaFull
	// NeedsOther: another wager must be there first.
	NeedsOther
	// StakeSize: below the minimum, above the maximum, not the prescribed size.
	StakeSize
	// NotChips: the amount cannot be laid with the denominations in use.
	NotChips
	// NotYours: the box, hand or offer is somebody else's.
	NotYours
	// OneHandOnly: the player has examined another hand.
	OneHandOnly
	// NeverExamined: a hand without the wager needed is not examined.
	NeverExamined
	// AlreadyDone: it has been done or decided.
	AlreadyDone
	// Unfinished: something else must be finished first.
	Unfinished
	// WrongCards: unknown, missing, doubled or too many cards.
	WrongCards
	// NotApplicable: the incident or request does not fit what has happened.
	NotApplicable
	// MeterUnknown: a jackpot is to be paid and the meter was not given.
	MeterUnknown
	numReasons
)

var reasonKeys = enum.New("a reason for a refusal", numReasons, []string{
	Malformed: "malformed", NotInGame: "not-in-game", NotPermitted: "not-permitted", WrongPhase: "wrong-phase",
	QuestionOpen: "question-open", OfferOpen: "offer-open", NoSuchBox: "no-such-box",
	NoSuchWager: "no-such-wager", Suspended: "suspended", NotSeated: "not-seated",
	BoxTaken: "box-taken", AreaFull: "area-full", NeedsOther: "needs-other",
	StakeSize: "stake-size", NotChips: "not-chips", NotYours: "not-yours",
	OneHandOnly: "one-hand-only", NeverExamined: "never-examined", AlreadyDone: "already-done",
	Unfinished: "unfinished", WrongCards: "wrong-cards", NotApplicable: "not-applicable",
	MeterUnknown: "meter-unknown",
})

// String returns the reason's key, such as "box-taken".
func (r Reason) String() string { return reasonKeys.Key(r) }

// MarshalText writes the reason's key.
func (r Reason) MarshalText() ([]byte, error) { return reasonKeys.Marshal(r) }

// Refusal is the answer to a command that the rules do not allow now. Nothing
// has changed.
type Refusal struct {
	// Clause is the full reference of the provision, empty where the refusal
	// is the software's own and no clause speaks of it.
	Clause string `json:"clause,omitempty"`
	Reason Reason `json:"reason"`
	// Detail says what is wrong and what can be done, in words.
	Detail   string `json:"detail"`
	sentence sentence.Sentence
}

// Refuse returns a refusal of a package above this one, which has the full reference of the
// provision.
func Refuse(reason Reason, ref, form string, args ...any) *Refusal {
	r := &Refusal{Clause: ref, Reason: reason, sentence: sentence.Of(form, args...)}
	return r.inWords()
}

// inWords writes the detail.
func (r *Refusal) inWords() *Refusal {
	r.Detail = r.sentence.String()
	return r
}

// Sentence returns the detail as a sentence with its values kept apart. A refusal that was read from a
// record has the text only.
func (r *Refusal) Sentence() sentence.Sentence {
	if r.sentence.IsZero() {
		return sentence.Of("%s", sentence.Word(r.Detail))
	}
	return r.sentence
}

// Error prints the detail and, where there is one, the clause.
func (r *Refusal) Error() string {
	if r.Clause == "" {
		return r.Detail
	}
	return r.Detail + " (" + r.Clause + ")"
}

// Broken is an invariant that does not hold: a settlement that does not
// balance, a card dealt twice, an event that cannot have happened. The table
// must stop and keep its log; it is never the fault of whoever sent a command.
type Broken struct{ Detail string }

// Error describes the broken invariant.
func (b *Broken) Error() string { return "the table's record is corrupt: " + b.Detail }

func broken(format string, args ...any) error {
	return &Broken{Detail: fmt.Sprintf(format, args...)}
}

// refuse leaves the detail to whoever hands the refusal out, [Decide] and [State.Under]: [Legal]
// makes hundreds of them, and reads none.
func (s *State) refuse(reason Reason, clause, form string, args ...any) *Refusal {
	return &Refusal{Clause: s.book().ClauseRef(clause), Reason: reason, sentence: sentence.Of(form, args...)}
}

// first returns the first refusal of a list of checks made in order.
func first(checks ...func() *Refusal) *Refusal {
	for _, check := range checks {
		if r := check(); r != nil {
			return r
		}
	}
	return nil
}

// needRole refuses whoever has less authority than the role.
func (s *State) needRole(by Actor, role rules.Role, clause string) *Refusal {
	if by.Role.AtLeast(role) {
		return nil
	}
	return s.refuse(NotPermitted, clause, "a %s may not do this: it takes a %s or above", by.Role, role)
}

// needPhase refuses outside the phases named.
func (s *State) needPhase(clause string, phases ...Phase) *Refusal {
	for _, p := range phases {
		if s.Phase == p {
			return nil
		}
	}
	return s.refuse(WrongPhase, clause, "not now: the table is %s", sentence.Word(s.Phase.words()))
}

func (p Phase) words() string {
	switch p {
	case Ready:
		return "between rounds"
	case Betting:
		return "taking bets"
	case Dealing:
		return "being dealt"
	case Deciding:
		return "waiting for the players' decisions"
	case Showing:
		return "showing hands"
	case Paid:
		return "settled, and the next round has not begun"
	case Voided:
		return "in a void round, and the next one has not begun"
	case Closed:
		return "closed"
	}
	return "in no known phase"
}

// needNothingOpen refuses while a question or an option is unanswered, or the
// number of cards is in doubt.
func (s *State) needNothingOpen() *Refusal {
	if r := first(s.needCounted, s.needNoQuestion); r != nil {
		return r
	}
	if len(s.Offers) > 0 {
		o := s.Offers[0]
		return s.refuse(OfferOpen, o.Clause, "%s must first choose whether to go on", o.Player)
	}
	return nil
}

// needNoQuestion refuses while a question is unanswered.
func (s *State) needNoQuestion() *Refusal {
	if s.Question == nil {
		return nil
	}
	return s.refuse(QuestionOpen, s.Question.Clause, "a %s must answer first: %s", s.Question.Role, sentence.Word(s.Question.Ask(s.book())))
}

// needCounted refuses while the number of cards is in doubt.
//
//clause:mbs-3pictures@2 5.9
func (s *State) needCounted() *Refusal {
	if s.Counting {
		return s.refuse(QuestionOpen, s.incidentClause(rules.DeckCount), "the number of cards is in doubt: count them and report how many there are")
	}
	return nil
}

// needBox refuses a number that is no box of this table.
func (s *State) needBox(box int) *Refusal {
	if box < 1 || box > len(s.Boxes) {
		return s.refuse(NoSuchBox, s.book().Boxes.Clauses.Count, "there is no box %d: this table has boxes 1 to %d", box, len(s.Boxes))
	}
	return nil
}

// needStaked refuses a box that takes no part in the round.
func (s *State) needStaked(box int) *Refusal {
	if r := s.needBox(box); r != nil {
		return r
	}
	b := s.box(box)
	if !b.Staked() {
		return s.refuse(NoSuchBox, "", "nothing is bet on box %d", box)
	}
	if b.Invalid {
		return s.refuse(NoSuchBox, "", "the hand on box %d has left the round", box)
	}
	return nil
}

// needVoice refuses staff who act for a player, except where chips lie on the layout:
// there they enter what the player did.
func (s *State) needVoice(by Actor, player string) *Refusal {
	if by.Role != rules.Player && !s.Config.Chips {
		if player == "" {
			return s.refuse(NotPermitted, "", "only the player can decide this: at this table players act for themselves")
		}
		return s.refuse(NotPermitted, "", "only %s can decide this: at this table players act for themselves", player)
	}
	return nil
}

// needSelf refuses a player who acts for somebody else.
func (s *State) needSelf(by Actor, player string) *Refusal {
	if by.Role == rules.Player && by.Name != player {
		return s.refuse(NotYours, "", "this is for %s to decide", player)
	}
	return nil
}
