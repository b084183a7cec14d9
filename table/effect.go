package table

import (
	"trey/card"
	"trey/money"
	"trey/rules"
)

// Effect is the account of one event: which stakes, settlement lines and cards it moves,
// and who may see cards because of it. Whoever follows money or cards through the record
// reads it, and asks no event for its kind. What the state of the table makes of an event
// is decided by [Evolve] alone.
type Effect struct {
	// Begins is the number of the round that begins, zero if none does. Nothing of the
	// round before lies on the table any more.
	Begins int
	// Ends is [Paid] or [Voided] if the round ends by the event, zero if it does not.
	Ends Phase
	// Bet is the wager that is laid; its use is zero if none is.
	Bet BetEffect
	// Lines are the settlement lines, in order, and LineUse says what they do.
	Lines   []Line
	LineUse LineUse
	// Clears are the boxes whose bets have all left the layout once the lines are
	// carried out: what their lines say later moves money that the house has taken.
	Clears BoxSet
	// Reopens is the box whose settlement is undone, zero if none is. The stakes of
	// Relaid lie on it again, by the provision RelaidBy.
	Reopens  int
	Relaid   []LaidStake
	RelaidBy string
	// Cards are the cards that are put somewhere, or seen.
	Cards CardEffect
}

// BetUse says how the amount of a bet changes the wager.
type BetUse uint8

// The uses of a bet. Zero is no bet.
const (
	_ BetUse = iota
	// BetAdds adds the amount to what lies there.
	BetAdds
	// BetRaises makes the wager the amount, by the player's decision.
	BetRaises
	// BetFound makes the wager the amount, because that is what lies there.
	BetFound
	numBetUses
)

var betUseNames = [numBetUses]string{BetAdds: "adds", BetRaises: "raises", BetFound: "found"}

// String returns "adds", "raises" or "found", and "none" for no bet.
func (u BetUse) String() string {
	if u == 0 || u >= numBetUses {
		return "none"
	}
	return betUseNames[u]
}

// BetEffect is a wager that is laid, or found to be another.
type BetEffect struct {
	Use    BetUse
	Box    int
	Player string
	Wager  rules.Wager
	Amount money.Amount
	Clause string
}

// More returns what the player lays beyond what lies there, below zero if it is less.
func (b *BetEffect) More(lies money.Amount) money.Amount {
	if b.Use == BetAdds {
		return b.Amount
	}
	return b.Amount - lies
}

// LineUse says what the lines of an event do.
type LineUse uint8

// The uses of lines. Zero is an event without lines.
const (
	_ LineUse = iota
	// LinesSettle take bets off the layout for good: won, lost or pushed.
	LinesSettle
	// LinesReturn give single wagers back.
	LinesReturn
	// LinesCancel give the bets of a hand or of a round back, which is out.
	LinesCancel
	// LinesUndo collect again what the settlement of a box paid.
	LinesUndo
	// LinesCorrect award or collect a difference, and move no stake.
	LinesCorrect
	numLineUses
)

var lineUseNames = [numLineUses]string{
	LinesSettle: "settle", LinesReturn: "return", LinesCancel: "cancel", LinesUndo: "undo", LinesCorrect: "correct",
}

// String returns "settle", "return", "cancel", "undo" or "correct", and "none" for no
// lines.
func (u LineUse) String() string {
	if u == 0 || u >= numLineUses {
		return "none"
	}
	return lineUseNames[u]
}

// BoxSet is a set of boxes, a bit each. A number that is no box's, which an event of a record
// that somebody else wrote may have, is in no set.
type BoxSet uint32

// AllBoxes holds every box.
const AllBoxes = ^BoxSet(0)

// With returns the set with a box.
func (s BoxSet) With(box int) BoxSet { return s | 1<<uint(box) }

// Without returns the set without a box.
func (s BoxSet) Without(box int) BoxSet { return s &^ (1 << uint(box)) }

// Has reports whether a box is in the set.
func (s BoxSet) Has(box int) bool { return s>>uint(box)&1 != 0 }

// CardEffect lists the cards that an event deals, draws, moves or lets people see. An
// event does one of these things.
type CardEffect struct {
	// Dealt are cards that come to lie on the table, in order, each behind those that
	// were dealt before. Everybody sees those that lie face up, and nobody the others,
	// except the player who has examined the hand that they come to.
	Dealt []Dealt
	// Drawn are cards that wait for their order. Nobody may know them.
	Drawn []card.Card
	// Examined is the hand at which Examiner has looked, and no one else.
	Examined Place
	Examiner string
	// Turned is the place where the whole table sees all cards: those of Hand.
	Turned Place
	Hand   card.Hand
	// Exposed are the positions, in the order of the deal from 0, of cards that the whole
	// table has seen. Faces are their faces, none where nobody has read it. Where they are
	// Corrected, no other card has one of these faces, whatever was recorded.
	Exposed   []int
	Faces     []card.Card
	Corrected bool
	// Moved are cards that lie elsewhere now. Who has seen them has seen them.
	Moved []Move
	// Removed is the hand whose cards leave the round.
	Removed Place
}

// EffectOf returns the account of an event. It is worked out from the event alone.
// A new kind of event does not compile before it has one.
func EffectOf(e Event) Effect { return e.effect() }

func (e BetsOpened) effect() Effect {
	return Effect{Begins: e.Round}
}

func (e BetPlaced) effect() Effect {
	return Effect{Bet: BetEffect{Use: BetAdds, Box: e.Box, Player: e.Player, Wager: e.Wager, Amount: e.Amount, Clause: e.Clause}}
}

func (e StakeFound) effect() Effect {
	return Effect{Bet: BetEffect{Use: BetFound, Box: e.Box, Player: e.Player, Wager: e.Wager, Amount: e.Amount, Clause: e.Clause}}
}

func (e HandRaised) effect() Effect {
	return Effect{Bet: BetEffect{Use: BetRaises, Box: e.Box, Player: e.Player, Wager: e.Wager, Amount: e.Amount}}
}

func (e BetsReturned) effect() Effect {
	return Effect{Lines: e.Lines, LineUse: LinesReturn}
}

func (e DecisionRestored) effect() Effect {
	return Effect{Lines: e.Lines, LineUse: LinesReturn}
}

func (e HandInvalidated) effect() Effect {
	return Effect{Lines: e.Lines, LineUse: LinesCancel, Cards: CardEffect{Removed: Box(e.Box)}}
}

func (e RoundVoided) effect() Effect {
	return Effect{Lines: e.Lines, LineUse: LinesCancel, Ends: Voided}
}

// effect clears each box that has lines: they are for all of its forfeited bets.
func (e ForfeitsCollected) effect() Effect {
	var clears BoxSet
	for i := range e.Lines {
		clears = clears.With(e.Lines[i].Box)
	}
	return Effect{Lines: e.Lines, LineUse: LinesSettle, Clears: clears}
}

func (e PaymentCorrected) effect() Effect {
	return Effect{Lines: e.Lines, LineUse: LinesCorrect}
}

func (e BoxSettled) effect() Effect {
	return Effect{Lines: e.Lines, LineUse: LinesSettle, Clears: BoxSet(0).With(e.Box)}
}

func (e Settled) effect() Effect {
	return Effect{Lines: e.Lines, LineUse: LinesSettle, Clears: AllBoxes, Ends: Paid}
}

func (e SettlementUndone) effect() Effect {
	return Effect{Lines: e.Lines, LineUse: LinesUndo, Reopens: e.Box, Relaid: e.Stakes, RelaidBy: e.Clause}
}

func (e CardsDealt) effect() Effect {
	return Effect{Cards: CardEffect{Dealt: e.Cards}}
}

func (e CardsDrawn) effect() Effect {
	return Effect{Cards: CardEffect{Drawn: e.Cards}}
}

func (e HandExamined) effect() Effect {
	return Effect{Cards: CardEffect{Examined: Box(e.Box), Examiner: e.Player}}
}

func (e HandShown) effect() Effect {
	return Effect{Cards: CardEffect{Turned: e.Place, Hand: e.Hand}}
}

func (e DealerShown) effect() Effect {
	return Effect{Cards: CardEffect{Turned: DealerHand, Hand: e.Hand}}
}

func (e CardsExposed) effect() Effect {
	return Effect{Cards: CardEffect{Exposed: e.Slots, Faces: e.Cards, Corrected: e.Corrected}}
}

func (e CardsMoved) effect() Effect {
	return Effect{Cards: CardEffect{Moved: e.Moves}}
}

// These move no stake and no card, and let nobody see one.

func (Announced) effect() Effect { return Effect{} }

func (TableOpened) effect() Effect { return Effect{} }

func (TableClosed) effect() Effect { return Effect{} }

func (MinimumAdvised) effect() Effect { return Effect{} }

func (BetsClosed) effect() Effect { return Effect{} }

func (DealFinished) effect() Effect { return Effect{} }

func (HandFolded) effect() Effect { return Effect{} }

func (HandKeptDown) effect() Effect { return Effect{} }

func (Reported) effect() Effect { return Effect{} }

func (QuestionAsked) effect() Effect { return Effect{} }

func (QuestionAnswered) effect() Effect { return Effect{} }

func (OffersMade) effect() Effect { return Effect{} }

func (OfferAnswered) effect() Effect { return Effect{} }

func (PlayerWarned) effect() Effect { return Effect{} }

func (PlayerRestricted) effect() Effect { return Effect{} }

func (AreasRestricted) effect() Effect { return Effect{} }

func (ProgressiveFailed) effect() Effect { return Effect{} }

func (ProgressiveSuspended) effect() Effect { return Effect{} }

func (ProgressiveRestored) effect() Effect { return Effect{} }
