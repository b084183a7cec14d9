package table_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"trey/card"
	"trey/money"
	"trey/rules"
	"trey/rules/mbs3pictures"
	"trey/rules/rws3cp"
	"trey/table"
)

// game plays commands at one table and fails the test where they go wrong.
type game struct {
	*testing.T
	s table.State
}

func play(t *testing.T, book *rules.Book, device rules.Device, sight table.Sight, change ...func(*rules.Variant)) *game {
	t.Helper()
	v := book.Standard()
	v.Boxes = max(3, book.Boxes.Least())
	for _, f := range change {
		f(v)
	}
	s, err := table.New(v, table.Config{Device: device, Cards: sight, Chips: true})
	if err != nil {
		t.Fatal(err)
	}
	return &game{t, s}
}

func (g *game) do(by string, a table.Action) []table.Event {
	g.Helper()
	events, next, err := table.Step(g.s, table.Command{By: person(by), Do: a})
	if err != nil {
		g.Fatalf("%s: %#v: %v", by, a, err)
	}
	g.s = next
	return events
}

func (g *game) refused(by string, a table.Action, want table.Reason) {
	g.Helper()
	_, err := table.Decide(g.s, table.Command{By: person(by), Do: a})
	var r *table.Refusal
	if !errors.As(err, &r) || r.Reason != want {
		g.Errorf("%s: %#v: %v, want it refused as %s", by, a, err, want)
	}
}

// bets opens the round and places an Ante, or a Main wager, for each player on the box of
// the same number.
func (g *game) bets(players ...string) {
	g.Helper()
	g.do("dan", table.OpenBets{})
	for i, p := range players {
		g.do(p, table.Bet{Box: i + 1, Player: p, Wager: g.s.Variant.Book.Wagers[0].Wager, Amount: 1000})
	}
}

// net returns the gain of a player by the lines of the round, without the stakes.
func (g *game) net(player string) money.Amount {
	var net money.Amount
	for i := range g.s.Lines {
		if l := &g.s.Lines[i]; l.Player == player {
			net += l.Net()
		}
	}
	return net
}

func person(name string) table.Actor {
	i := slices.IndexFunc(people, func(a table.Actor) bool { return a.Name == name })
	return people[i]
}

// dealt makes a deal of cards in the order of the device.
func dealt(cards string) table.Deal {
	list, err := card.ParseList(cards)
	if err != nil {
		panic(err)
	}
	var d table.Deal
	for _, c := range list {
		d.Cards = append(d.Cards, table.Drawn{Card: c})
	}
	return d
}

func handOf(text string) []card.Card {
	cards, err := card.ParseList(text)
	if err != nil {
		panic(err)
	}
	return cards
}

func limits(v *rules.Variant) {
	for i := range v.Book.Wagers {
		if rule := &v.Book.Wagers[i]; rule.Stake == rules.WithinLimits {
			v.Limits[rule.Wager] = rules.Limit{Min: 1000, Max: 5000}
		}
	}
}

// A hand that leaves the round in mid-deal gets no more cards, and the deal is
// shorter by them.
func TestNoCardsForAHandThatLeft(t *testing.T) {
	g := play(t, rws3cp.Book(), rules.Shoe, table.Read)
	g.bets("ann", "ben")
	g.do("dan", table.CloseBets{})
	g.do("dan", dealt("2c 3c 4c 5c"))
	g.do("dan", table.Report{Incident: rules.DealingError, Box: 1})
	g.do("ann", table.Choose{Box: 1, Player: "ann", Return: true})
	g.refused("dan", dealt("6c 7c 8c 9c Tc"), table.WrongCards)
	g.do("dan", dealt("6c 7c 8c 9c"))
	if g.s.Phase != table.Deciding {
		t.Errorf("the table is %s after the last card", g.s.Phase)
	}
}

// What has left the round is where it belongs: putting cards in order does not
// bring it back.
func TestCardsOfAHandThatLeftStayOut(t *testing.T) {
	g := play(t, rws3cp.Book(), rules.Shuffler, table.Read)
	g.bets("ann", "ben")
	g.do("dan", table.CloseBets{})
	g.do("dan", dealt("2c 3c 4c"))
	g.do("dan", table.Report{Incident: rules.DealingError, Box: 1})
	g.do("ann", table.Choose{Box: 1, Player: "ann", Return: true})
	g.refused("dan", table.Report{Incident: rules.DealtIncorrectly}, table.NotApplicable)
	deal := dealt("5c 6c 7c 8c 9c Tc")
	deal.Cards[2].To, deal.Cards[3].To = table.DealerHand, table.Box(2)
	g.do("dan", deal)
	g.do("ben", table.Examine{Box: 2, Player: "ben"})
	g.do("dan", table.Report{Incident: rules.DealtIncorrectly})
	g.do("pat", table.Answer{Answer: "yes"})
	if h, n := g.s.Hand(table.Box(1)); n != 0 {
		t.Errorf("box 1 has cards again: %s", h)
	}
	if h, _ := g.s.Hand(table.Box(2)); h.String() != "5c 6c 7c" {
		t.Errorf("box 2 was put in order as %s", h)
	}
}

// Without its burn card a deal ends one card earlier, also in what is listed as
// legal (rws-3cp@3 5.9).
func TestDealWithoutBurnCard(t *testing.T) {
	g := play(t, rws3cp.Book(), rules.Shoe, table.Read)
	g.bets("ann")
	g.do("dan", table.CloseBets{})
	g.do("dan", table.Deal{SkipBurn: true, Cards: dealt("2c").Cards})
	g.refused("dan", dealt("3c 4c 5c 6c 7c 8c"), table.WrongCards)
	for _, a := range table.Legal(g.s, person("dan")) {
		if d, ok := a.(table.Deal); ok && len(d.Cards) != 5 {
			t.Errorf("the rest of the deal is %d cards", len(d.Cards))
		}
	}
	g.do("dan", dealt("3c 4c 5c 6c 7c"))
	g.do("dan", table.Report{Incident: rules.BurnMissed})
	g.do("pat", table.Answer{Answer: "yes"})
	g.do("ann", table.Choose{Box: 1, Player: "ann"})
	g.do("dan", dealt("8c"))
	ann, _ := g.s.Hand(table.Box(1))
	dealer, _ := g.s.Hand(table.DealerHand)
	if g.s.Phase != table.Deciding || ann.String() != "3c 5c 7c" || dealer.String() != "4c 6c 8c" {
		t.Errorf("%s: ann has %s, the dealer %s", g.s.Phase, ann, dealer)
	}
}

// A card that comes to a hand already shown is shown before the settlement.
func TestHandShownIsShownAgainWhenItChanges(t *testing.T) {
	g := play(t, rws3cp.Book(), rules.Shuffler, table.Read)
	g.bets("ann", "ben")
	g.do("dan", table.CloseBets{})
	deal := dealt("2c 3c 4c 5c 6c 7c 8c 9c Tc")
	deal.Cards[5].To, deal.Cards[8].To = table.DealerHand, table.Box(2)
	g.do("dan", deal)
	g.do("ann", table.Examine{Box: 1, Player: "ann"})
	g.do("ann", table.Raise{Box: 1, Player: "ann"})
	g.do("ben", table.Raise{Box: 2, Player: "ben"})
	g.do("dan", table.Reveal{})
	g.do("dan", table.Report{Incident: rules.DealingError})
	g.do("pat", table.Answer{Answer: "yes"})
	g.do("ben", table.Choose{Box: 2, Player: "ben"})
	g.do("ann", table.Choose{Box: 1, Player: "ann"})
	if g.s.Phase != table.Deciding {
		t.Fatalf("the dealer has another card, and the table is %s", g.s.Phase)
	}
	g.do("dan", table.Reveal{})
	g.do("dan", table.Settle{})
}

// An invalid hand before the deal is no hand: the box can be bet on again, and
// those bets are settled.
func TestBoxTakesBetsAgainBeforeTheDeal(t *testing.T) {
	g := play(t, rws3cp.Book(), rules.Shuffler, table.Virtual)
	g.bets("ann")
	g.do("dan", table.Report{Incident: rules.Uncovered, Box: 1})
	g.do("sue", table.Answer{Answer: "invalidate"})
	if g.s.Phase != table.Betting || g.s.Boxes[0].Invalid || g.net("ann") != 1000 {
		t.Fatalf("%s, invalid %t, ann has %s back", g.s.Phase, g.s.Boxes[0].Invalid, g.net("ann"))
	}
	g.do("ann", table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 2000})
	g.do("dan", table.CloseBets{})
	g.do("dan", dealt("2c 3d 5h Ks 8c 7d"))
	g.do("ann", table.Raise{Box: 1, Player: "ann"})
	g.do("dan", table.Reveal{})
	g.do("dan", table.Settle{})
	if g.net("ann") != 1000 {
		t.Errorf("ann lost, and yet has %s back", g.net("ann"))
	}
}

// A player is told of each wager that is too low, and putting one right does
// not put the other right (rws-3cp@3 5.2).
func TestEachLowWagerIsAdvised(t *testing.T) {
	g := play(t, rws3cp.Book(), rules.Shuffler, table.Virtual, limits)
	g.bets("ann")
	g.do("dan", table.Found{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 500})
	g.refused("dan", table.CloseBets{}, table.Unfinished)
	g.do("dan", table.Found{Box: 1, Player: "ann", Wager: rules.PairPlus, Amount: 500})
	g.do("ann", table.Bet{Box: 1, Player: "ann", Wager: rules.PairPlus, Amount: 500})
	g.do("dan", table.CloseBets{})
	if stakes := g.s.Boxes[0].Bettors[0].Stakes; stakes[rules.Ante] != 0 || stakes[rules.PairPlus] != 1000 {
		t.Errorf("ante %s, pair plus %s", stakes[rules.Ante], stakes[rules.PairPlus])
	}
}

// A round void after its settlement gives all players their stakes and no more, also
// where a low wager had gone back already (mbs-3pictures@2 5.10).
func TestVoidAfterSettlementGivesStakesOnce(t *testing.T) {
	g := play(t, mbs3pictures.Book(), rules.Shuffler, table.Read, limits)
	for range 2 {
		g.bets("ann")
		g.do("dan", table.CloseBets{})
		g.do("dan", table.Found{Box: 1, Player: "ann", Wager: rules.Main, Amount: 500, AtCall: true})
		g.do("dan", dealt("2c 3d 4h Ks 8c 7d"))
		g.do("dan", table.Reveal{})
		g.do("dan", table.Settle{})
	}
	if g.net("ann") != 500 {
		t.Fatalf("the second low wager goes back; ann has %s", g.net("ann"))
	}
	g.do("dan", table.Report{Incident: rules.Uncovered})
	g.do("sue", table.Answer{Answer: "void"})
	if g.s.Phase != table.Voided || g.net("ann") != 500 {
		t.Errorf("%s: ann has %s back for a stake of 5.00", g.s.Phase, g.net("ann"))
	}
}

// Nothing is decided about bets that are gone: a question about a round is
// answered before the table closes, and what gives bets back comes too late.
func TestAnswersComeInTime(t *testing.T) {
	g := play(t, rws3cp.Book(), rules.Shuffler, table.Virtual)
	g.bets("ann")
	g.do("dan", table.CloseBets{})
	g.do("dan", dealt("2c 3d 5h Ks 8c 7d"))
	g.do("ann", table.Fold{Box: 1, Player: "ann"})
	g.do("dan", table.Reveal{})
	g.do("dan", table.Settle{})
	g.do("dan", table.Report{Incident: rules.Uncovered, Box: 1})
	g.refused("pat", table.CloseTable{}, table.QuestionOpen)
	g.refused("sue", table.Answer{Answer: "offer"}, table.NotApplicable)
	g.do("sue", table.Answer{Answer: "void"})
	if g.net("ann") != 1000 {
		t.Errorf("ann has %s back", g.net("ann"))
	}
	g.do("dan", table.Report{Incident: rules.Uncovered, Box: 1})
	g.refused("sue", table.Answer{Answer: "void"}, table.NotApplicable)
	g.refused("sue", table.Answer{Answer: "invalidate"}, table.NotApplicable)
	g.do("sue", table.Answer{Answer: "continue"})
}

// What was wrong in an earlier round is not held against the cards of this one
// (rws-3cp@3 5.19).
func TestReportOfAnEarlierRound(t *testing.T) {
	g := play(t, rws3cp.Book(), rules.Shuffler, table.Read)
	for range 2 {
		g.bets("ann")
		g.do("dan", table.CloseBets{})
		g.do("dan", dealt("2c 3d 5h Ks 8c 7d"))
		g.do("ann", table.Fold{Box: 1, Player: "ann"})
		g.do("dan", table.Reveal{})
		g.do("dan", table.Settle{})
	}
	g.do("dan", table.OpenBets{})
	g.do("dan", table.Report{Incident: rules.CardExposed, Round: 1, Cards: []table.Exposed{{At: table.Box(1), Card: handOf("Ah")[0]}}})
	if g.s.Phase != table.Betting {
		t.Errorf("the table is %s", g.s.Phase)
	}
}

// A Progressive chip that is found on a settled box whose hand takes the jackpot: the refusal
// does not say that a share of the meter was paid, because none was.
func TestAFoundChipThatWouldTakeTheJackpot(t *testing.T) {
	g := play(t, rws3cp.Book(), rules.Shuffler, table.Read)
	g.bets("ann")
	g.do("dan", table.CloseBets{})
	g.do("dan", dealt("As Ks Qs Kd 8c 7d"))
	g.do("ann", table.Raise{Box: 1, Player: "ann"})
	g.do("dan", table.Reveal{})
	g.do("dan", table.Settle{})
	_, err := table.Decide(g.s, table.Command{By: person("dan"), Do: table.Found{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 500, AtCall: true}})
	if want := "box 1 is settled, and with this stake its hand would take the jackpot: report it as uncovered"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// The value registered before a failure is for the round in which it happened
// (rws-3cp@3 5.17.1).
func TestRegisteredMeterIsForOneRound(t *testing.T) {
	g := play(t, rws3cp.Book(), rules.Shuffler, table.Virtual)
	round := func() {
		g.bets("ann")
		g.do("ann", table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 500})
		g.do("dan", table.CloseBets{})
		g.do("dan", dealt("As Ks Qs Kd 8c 7d"))
		g.do("ann", table.Examine{Box: 1, Player: "ann"})
	}
	finish := func() {
		g.do("ann", table.Raise{Box: 1, Player: "ann"})
		g.do("dan", table.Reveal{})
	}
	round()
	g.do("dan", table.Report{Incident: rules.ProgressiveDown, Meter: 777_700})
	finish()
	g.do("dan", table.Settle{})
	g.do("pat", table.SuspendProgressive{Option: table.WithoutBoxes, Boxes: []int{2}})
	round()
	finish()
	// Nobody is refused for a hand that lies face down: it is turned first.
	g.do("dan", table.Settle{})
	if g.s.Phase != table.Showing || !g.s.Boxes[0].Up || len(g.s.Lines) != 0 {
		t.Fatalf("the round is %s, box 1 up: %t, with %v", g.s.Phase, g.s.Boxes[0].Up, g.s.Lines)
	}
	g.refused("dan", table.Settle{}, table.MeterUnknown)
	g.refused("dan", table.Settle{Meters: []money.Amount{1, 2}}, table.Malformed)
	g.do("dan", table.Settle{Meter: 1_000_000})
	g.bets("ann")
	g.do("ann", table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 500})
	g.do("dan", table.CloseBets{})
	g.do("dan", dealt("Ac 7s 4h Kd 8c 7d"))
	finish()
	g.do("dan", table.Settle{Meters: []money.Amount{1}})
	g.refused("dan", table.Settle{Meters: []money.Amount{1}}, table.Malformed)
}

// A player who looked at a shared hand has looked for the box; if that player leaves, the
// next one does not look again.
func TestOneLookAtASharedHand(t *testing.T) {
	g := play(t, mbs3pictures.Book(), rules.Shuffler, table.Read)
	g.bets("ann")
	g.do("ben", table.Bet{Box: 1, Player: "ben", Wager: rules.Main, Amount: 1000})
	g.do("dan", table.CloseBets{})
	g.do("dan", dealt("2c 3d 4h Ks 8c 7d"))
	g.do("ann", table.Examine{Box: 1, Player: "ann"})
	g.do("dan", table.Report{Incident: rules.Uncovered, Box: 1})
	g.do("sue", table.Answer{Answer: "offer"})
	g.do("ann", table.Choose{Box: 1, Player: "ann", Return: true})
	g.do("ben", table.Choose{Box: 1, Player: "ben"})
	g.refused("ben", table.Examine{Box: 1, Player: "ben"}, table.AlreadyDone)
	g.do("dan", table.LayUp{Box: 1})
}

// Whoever walks away while cards are dealt is not waited for (rws-3cp@3 5.5).
func TestWalksAwayDuringTheDeal(t *testing.T) {
	g := play(t, rws3cp.Book(), rules.Shuffler, table.Read)
	g.bets("ann", "ben")
	g.do("dan", table.CloseBets{})
	g.do("dan", dealt("2c 3d 4h"))
	g.do("dan", table.Report{Incident: rules.WalkedAway, Player: "ben"})
	g.do("dan", dealt("5c 6d 7h Ks 8c 7d"))
	g.do("ann", table.Fold{Box: 1, Player: "ann"})
	g.do("dan", table.Reveal{})
}

// A report may hold a note for the staff, and cards in no order that nobody
// else has seen: neither is sent to anybody.
func TestReportsAreRedacted(t *testing.T) {
	r := table.Report{Incident: rules.DealtIncorrectly, Note: "ben holds the ace", Cards: []table.Exposed{{Card: handOf("Ah")[0]}}}
	for _, e := range []table.Event{table.Reported{Report: r}, table.QuestionAsked{Question: table.OpenQuestion{Report: r}}} {
		var got table.Report
		switch e := table.Redact(e, ready(t), table.Viewer{Player: "ben"}).(type) {
		case table.Reported:
			got = e.Report
		case table.QuestionAsked:
			got = e.Question.Report
		}
		if got.Note != "" || got.Cards != nil {
			t.Errorf("ben is sent %+v", got)
		}
	}
}

// What does not exist is refused as malformed, not found to be broken later.
func TestPlacesThatDoNotExist(t *testing.T) {
	g := play(t, rws3cp.Book(), rules.Shuffler, table.Read)
	g.bets("ann")
	g.do("dan", table.CloseBets{})
	far := dealt("2c")
	far.Cards[0].To = table.Box(9)
	g.refused("dan", far, table.NoSuchBox)
	g.refused("dan", table.Report{Incident: rules.ForeignCard, Cards: []table.Exposed{{At: table.Out + 1}}}, table.Malformed)
	g.refused("dan", table.Report{Incident: rules.LateBet, Box: 1, Player: "ann", Amount: 1, Wager: rules.Tie}, table.Malformed)
	_, err := table.Decide(g.s, table.Command{By: table.Actor{Name: "eve", Role: rules.ShiftManager + 1}, Do: table.Expire{}})
	var r *table.Refusal
	if !errors.As(err, &r) || r.Reason != table.Malformed {
		t.Errorf("a role that does not exist: %v", err)
	}
}
