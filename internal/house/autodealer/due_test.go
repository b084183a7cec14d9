package autodealer_test

import (
	"reflect"
	"slices"
	"testing"

	"trey/card"
	"trey/internal/house"
	"trey/internal/house/autodealer"
	"trey/internal/record"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

var (
	ann    = table.Actor{Name: "ann", Role: rules.Player}
	ben    = table.Actor{Name: "ben", Role: rules.Player}
	dealer = table.Actor{Name: "the house", Role: rules.Dealer}
	boss   = table.Actor{Name: "pat", Role: rules.ShiftManager}
)

// round is a table driven by the pure engine alone.
type round struct {
	testing.TB
	s     table.State
	ready []string
}

func open(t testing.TB, book string, change ...func(*rules.Variant)) *round {
	t.Helper()
	b, err := books.Find(book)
	if err != nil {
		t.Fatal(err)
	}
	v := b.Standard().Clone()
	v.Boxes = min(7, b.Boxes.Max)
	for _, c := range change {
		c(v)
	}
	s, err := table.New(v, table.Config{Device: b.Devices[0].Device, Cards: table.Virtual})
	if err != nil {
		t.Fatal(err)
	}
	return &round{TB: t, s: s}
}

func (r *round) do(by table.Actor, actions ...table.Action) *round {
	r.Helper()
	for _, do := range actions {
		var err error
		if _, r.s, err = table.Step(r.s, table.Command{By: by, AtMs: 1, Do: do}); err != nil {
			r.Fatalf("%s by %s: %v", record.Actions.Name(do), by.Name, err)
		}
	}
	return r
}

// deal deals the deck in the order of its cards, so that who has which hand is
// known: the first hand dealt is three twos.
func (r *round) deal() *round {
	r.Helper()
	var cards []table.Drawn
	for i := range r.s.ToCome() {
		cards = append(cards, table.Drawn{Card: card.FromIndex(i)})
	}
	return r.do(dealer, table.Deal{Cards: cards})
}

func (r *round) isReady(player string) bool { return slices.Contains(r.ready, player) }

func first(s *table.State) rules.Wager {
	if s.Variant.Book.Rule(rules.Ante) == nil {
		return rules.Main
	}
	return rules.Ante
}

func (r *round) bet(player table.Actor, box int, wagers ...rules.Wager) *round {
	r.Helper()
	if wagers == nil {
		wagers = []rules.Wager{first(&r.s)}
	}
	for _, w := range wagers {
		amount := 10 * money.Major
		if limit := r.s.Variant.Limits[w]; limit.Max > 0 && limit.Max < amount {
			amount = limit.Max
		}
		r.do(player, table.Bet{Box: box, Player: player.Name, Wager: w, Amount: amount})
	}
	return r
}

var pace = house.Pace{BettingMs: 20_000, DecisionMs: 30_000, OptionMs: 45_000, DealMs: 1_000, ShowMs: 5_000}

const since = 100_000

func TestDue(t *testing.T) {
	betting := func(r *round) { r.do(dealer, table.OpenBets{}) }
	staked := func(r *round) { betting(r); r.bet(ann, 1) }
	dealing := func(r *round) { staked(r); r.do(dealer, table.CloseBets{}) }
	dealt := func(r *round) { dealing(r); r.deal() }
	stopped := table.Report{Incident: rules.TechnicalInterruption, LastedMs: rules.DefaultGraceMs}
	all := []string{"rws-3cp", "us-3cp", "sm-3cp", "mbs-3pictures"}
	deciding := []string{"rws-3cp", "us-3cp", "sm-3cp"}
	pictures := []string{"mbs-3pictures"}
	rws := []string{"rws-3cp"}
	exposed := func(v *rules.Variant) { v.Choices[rules.OutcomeEstablished] = rules.FirstExposure }
	wait := func(v *rules.Variant) { v.Choices[rules.AbsentPlayer] = rules.WaitForPlayer }

	tests := []struct {
		name   string
		books  []string
		play   func(r *round)
		change func(*rules.Variant)
		waits  autodealer.Wait
		do     table.Action // nil for no clock
		dueMs  int64        // with the pace above
		noPace table.Action // what follows with no clock at all, at once
	}{
		{
			"a table that has never had a round", all, func(*round) {}, nil,
			autodealer.NextRound,
			table.OpenBets{},
			since,
			table.OpenBets{},
		},
		{"bets are open and there is none", all, betting, nil, autodealer.FirstBet, nil, 0, nil},
		{
			"the only bet was taken back", all, func(r *round) {
				staked(r)
				r.do(ann, table.Withdraw{Box: 1, Player: "ann", Wager: first(&r.s)})
			}, nil, autodealer.FirstBet, nil, 0, nil,
		},
		{"a bet lies there", all, staked, nil, autodealer.Bets, table.CloseBets{}, since + 20_000, nil},
		{"every box has a bet, and side bets may follow", all, func(r *round) {
			betting(r)
			for box := 1; box <= 7; box++ {
				r.bet(table.Actor{Name: string(rune('a' + box)), Role: rules.Player}, box)
			}
		}, nil, autodealer.Bets, table.CloseBets{}, since + 20_000, nil},
		{"one of two players is ready", all, func(r *round) {
			staked(r)
			r.bet(ben, 2)
			r.ready = []string{"ann"}
		}, nil, autodealer.Bets, table.CloseBets{}, since + 20_000, nil},
		{"all players with a bet are ready", all, func(r *round) {
			staked(r)
			r.bet(ben, 2)
			r.ready = []string{"ben", "ann"}
		}, nil, autodealer.Step, table.CloseBets{}, since, table.CloseBets{}},
		{"somebody without a bet is ready", all, func(r *round) {
			betting(r)
			r.ready = []string{"ann"}
		}, nil, autodealer.FirstBet, nil, 0, nil},
		{"no more bets", all, dealing, nil, autodealer.Step, table.Deal{}, since + 500, table.Deal{}},

		{"hands are undecided", deciding, dealt, nil, autodealer.Decisions, table.Expire{}, since + 30_000, nil},
		{"who is ready has decided nothing", deciding, func(r *round) {
			dealt(r)
			r.ready = []string{"ann"}
		}, nil, autodealer.Decisions, table.Expire{}, since + 30_000, nil},
		{"one of two has decided", deciding, func(r *round) {
			staked(r)
			r.bet(ben, 2).do(dealer, table.CloseBets{})
			r.deal().do(ann, table.Raise{Box: 1, Player: "ann"})
		}, nil, autodealer.Decisions, table.Expire{}, since + 30_000, nil},
		{"all have decided", deciding, func(r *round) {
			staked(r)
			r.bet(ben, 2).do(dealer, table.CloseBets{})
			r.deal().do(ann, table.Raise{Box: 1, Player: "ann"}).do(ben, table.Fold{Box: 2, Player: "ben"})
		}, nil, autodealer.Step, table.Reveal{}, since + 1_000, table.Reveal{}},
		{"a bet that needs no decision", []string{"rws-3cp"}, func(r *round) {
			betting(r)
			r.bet(ann, 1, rules.PairPlus).do(dealer, table.CloseBets{})
			r.deal()
		}, nil, autodealer.Step, table.Reveal{}, since + 500, table.Reveal{}},
		{
			"the house waits for who has left",
			[]string{"us-3cp", "sm-3cp"},
			dealt, wait,
			autodealer.Decisions, nil, 0, nil,
		},

		{"hands may be looked at", pictures, dealt, nil, autodealer.Views, table.Reveal{}, since + 30_000, nil},
		{"a hand is with its player", pictures, func(r *round) {
			dealt(r)
			r.do(ann, table.Examine{Box: 1, Player: "ann"})
		}, nil, autodealer.Views, table.LayUp{Box: 1}, since + 30_000, nil},
		{"a player is ready with a held hand", pictures, func(r *round) {
			dealt(r)
			r.do(ann, table.Examine{Box: 1, Player: "ann"})
			r.ready = []string{"ann"}
		}, nil, autodealer.Step, table.LayUp{Box: 1}, since, table.LayUp{Box: 1}},
		{"all hands that may be looked at lie face up", pictures, func(r *round) {
			staked(r)
			r.bet(ann, 3).do(dealer, table.CloseBets{}) // one hand only: the other stays closed
			r.deal().do(ann, table.Examine{Box: 1, Player: "ann"}, table.LayUp{Box: 1})
		}, nil, autodealer.Step, table.Reveal{}, since + 500, table.Reveal{}},
		{"one of two players has looked", pictures, func(r *round) {
			staked(r)
			r.bet(ben, 2).do(dealer, table.CloseBets{})
			r.deal().do(ann, table.Examine{Box: 1, Player: "ann"}, table.LayUp{Box: 1})
		}, nil, autodealer.Views, table.Reveal{}, since + 30_000, nil},
		{"nobody wants to look", pictures, func(r *round) {
			dealt(r)
			r.ready = []string{"ann"}
		}, nil, autodealer.Step, table.Reveal{}, since + 500, table.Reveal{}},
		{"a player who stands looks at nothing", pictures, func(r *round) {
			betting(r)
			r.do(ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Main, Amount: 10 * money.Major, Standing: true})
			r.do(dealer, table.CloseBets{})
			r.deal()
		}, nil, autodealer.Step, table.Reveal{}, since + 500, table.Reveal{}},

		{"the dealer's hand is shown", deciding, func(r *round) {
			dealt(r)
			r.do(ann, table.Raise{Box: 1, Player: "ann"}).do(dealer, table.Reveal{})
		}, nil, autodealer.Step, table.Settle{}, since + 500, table.Settle{}},
		{"the dealer's hand is shown", pictures, func(r *round) {
			dealt(r)
			r.do(dealer, table.Reveal{})
		}, nil, autodealer.Step, table.Settle{}, since + 500, table.Settle{}},
		{"all whose round has ended are ready for the next", deciding, func(r *round) {
			staked(r)
			r.bet(ben, 2).do(dealer, table.CloseBets{})
			r.deal().do(ann, table.Fold{Box: 1, Player: "ann"}).do(ben, table.Fold{Box: 2, Player: "ben"}).do(dealer, table.Reveal{}, table.Settle{})
			r.ready = []string{"ann", "ben"}
		}, nil, autodealer.NextRound, table.OpenBets{}, since, table.OpenBets{}},
		{"one of two whose round has ended is ready", deciding, func(r *round) {
			staked(r)
			r.bet(ben, 2).do(dealer, table.CloseBets{})
			r.deal().do(ann, table.Fold{Box: 1, Player: "ann"}).do(ben, table.Fold{Box: 2, Player: "ben"}).do(dealer, table.Reveal{}, table.Settle{})
			r.ready = []string{"ann"}
		}, nil, autodealer.NextRound, table.OpenBets{}, since + 5_000, table.OpenBets{}},
		{"the round is settled", deciding, func(r *round) {
			dealt(r)
			r.do(ann, table.Fold{Box: 1, Player: "ann"}).do(dealer, table.Reveal{}, table.Settle{})
		}, nil, autodealer.NextRound, table.OpenBets{}, since + 5_000, table.OpenBets{}},
		{"the round is void", []string{"rws-3cp", "us-3cp", "sm-3cp"}, func(r *round) {
			dealt(r)
			r.do(dealer, stopped)
		}, exposed, autodealer.NextRound, table.OpenBets{}, since + 5_000, table.OpenBets{}},
		{"a stop after the deal at a table whose deck was committed to", deciding, func(r *round) {
			dealt(r)
			r.do(dealer, stopped)
		}, nil, autodealer.Decisions, table.Expire{}, since + 30_000, nil},
		{"the table is closed", all, func(r *round) { r.do(boss, table.CloseTable{}) }, nil, autodealer.Nothing, nil, 0, nil},

		{"bets may be withdrawn after a stop", pictures, func(r *round) {
			dealt(r)
			r.do(dealer, stopped)
		}, exposed, autodealer.Options, table.Expire{}, since + 45_000, nil},
		{"bets may be withdrawn before the close", pictures, func(r *round) {
			staked(r)
			r.do(dealer, stopped)
			r.ready = []string{"ann"}
		}, nil, autodealer.Options, table.Expire{}, since + 45_000, nil},
		{"a question is open", rws, func(r *round) {
			dealt(r)
			r.do(dealer, table.Report{Incident: rules.Uncovered, Note: "a glass was spilled"})
		}, nil, autodealer.Staff, nil, 0, nil},
		{"a question is open between rounds", pictures, func(r *round) {
			r.do(dealer, table.Report{Incident: rules.Uncovered, Note: "a glass was spilled"})
		}, nil, autodealer.Staff, nil, 0, nil},
		{"the progressive failed and no option is chosen", rws, func(r *round) {
			r.do(dealer, table.Report{Incident: rules.ProgressiveDown, Meter: 10_000 * money.Major})
		}, nil, autodealer.Staff, nil, 0, nil},
		{"it failed, and bets are taken without it", rws, func(r *round) {
			r.do(dealer, table.Report{Incident: rules.ProgressiveDown, Meter: 10_000 * money.Major})
			r.do(boss, table.SuspendProgressive{Option: table.WithoutProgressive})
		}, nil, autodealer.NextRound, table.OpenBets{}, since, table.OpenBets{}},
		{"it failed, and the table was closed", rws, func(r *round) {
			r.do(dealer, table.Report{Incident: rules.ProgressiveDown, Meter: 10_000 * money.Major})
			r.do(boss, table.SuspendProgressive{Option: table.CloseTableOption})
		}, nil, autodealer.Nothing, nil, 0, nil},
		{"it failed, and the table was closed and opened again", rws, func(r *round) {
			r.do(dealer, table.Report{Incident: rules.ProgressiveDown, Meter: 10_000 * money.Major})
			r.do(boss, table.SuspendProgressive{Option: table.CloseTableOption}, table.OpenTable{})
		}, nil, autodealer.Staff, nil, 0, nil},
		{"it fails before anybody looked, and the round is void", rws, func(r *round) {
			dealt(r)
			r.do(dealer, table.Report{Incident: rules.ProgressiveDown, Meter: 10_000 * money.Major})
		}, nil, autodealer.Staff, nil, 0, nil},
		{"it fails in mid-round, which goes on", rws, func(r *round) {
			dealt(r)
			r.do(ann, table.Examine{Box: 1, Player: "ann"})
			r.do(dealer, table.Report{Incident: rules.ProgressiveDown, Meter: 10_000 * money.Major})
		}, nil, autodealer.Decisions, table.Expire{}, since + 30_000, nil},
	}
	for _, test := range tests {
		for _, book := range test.books {
			t.Run(book+", "+test.name, func(t *testing.T) {
				r := open(t, book)
				if test.change != nil {
					r = open(t, book, test.change)
				}
				test.play(r)
				if got := autodealer.Awaits(&r.s, r.isReady); got != test.waits {
					t.Errorf("waits for %s, want %s", got, test.waits)
				}
				do, dueMs, ok := autodealer.Due(&r.s, pace, since, r.isReady)
				if ok != (test.do != nil) || ok && (dueMs != test.dueMs || !reflect.DeepEqual(do, test.do)) {
					t.Errorf("due: %#v at %d, %v; want %#v at %d", do, dueMs, ok, test.do, test.dueMs)
				}
				do, dueMs, ok = autodealer.Due(&r.s, house.Pace{}, since, r.isReady)
				if ok != (test.noPace != nil) || ok && (dueMs != since || !reflect.DeepEqual(do, test.noPace)) {
					t.Errorf("without a clock: %#v at %d, %v; want %#v at once", do, dueMs, ok, test.noPace)
				}
			})
		}
	}
}

// What is due is never refused, and it ends every round that players leave alone:
// whatever they did before, wherever they stopped.
func TestWhatIsDueIsAllowed(t *testing.T) {
	for _, b := range books.All() {
		for seed := range 60 {
			r := open(t, b.ID)
			draw := uint64(seed)*0x9e3779b97f4a7c15 + 1
			next := func(n int) int {
				draw ^= draw << 13
				draw ^= draw >> 7
				draw ^= draw << 17
				return int(draw % uint64(n))
			}
			r.do(dealer, table.OpenBets{}).bet(ann, 1)
			for range next(30) {
				legal := append(table.Legal(r.s, ann), table.Legal(r.s, ben)...)
				if len(legal) == 0 {
					break
				}
				do := legal[next(len(legal))]
				for _, player := range []table.Actor{ann, ben} {
					if _, s, err := table.Step(r.s, table.Command{By: player, AtMs: 1, Do: do}); err == nil {
						r.s = s
					}
				}
				if r.s.Phase == table.Betting && next(8) == 0 && r.s.OnLayout() > 0 {
					r.do(dealer, table.CloseBets{})
					r.deal()
				}
			}
			for steps := 0; r.s.OnLayout() > 0; steps++ {
				do, _, ok := autodealer.Due(&r.s, pace, since, r.isReady)
				if !ok || steps > 40 {
					t.Fatalf("%s, seed %d: stuck in %s after %d steps", b.ID, seed, r.s.Phase, steps)
				}
				if _, deals := do.(table.Deal); deals {
					r.deal()
					continue
				}
				if _, settles := do.(table.Settle); settles {
					do = table.Settle{Meter: 10_000 * money.Major}
				}
				r.do(dealer, do)
			}
		}
	}
}

func TestWaitsHaveNames(t *testing.T) {
	seen := map[string]bool{}
	for _, w := range autodealer.Waits() {
		text, err := w.MarshalText()
		if err != nil || seen[string(text)] || string(text) == "unknown" {
			t.Errorf("%d is called %q, %v", w, text, err)
		}
		seen[string(text)] = true
	}
	if autodealer.Wait(0).String() != "unknown" {
		t.Error("no wait has a name")
	}
}
