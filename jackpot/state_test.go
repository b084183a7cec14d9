package jackpot_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"trey/jackpot"
	"trey/money"
)

// The hits that are held in a round are those of that round alone, and none whose sum its
// winner has.
func TestHitsThatAreHeldInARound(t *testing.T) {
	held := heldHit(t, 1, false)
	if in := held.HeldIn(roundA); len(in) != 1 || in[0].Hit != hitA || in[0].Amount != 110 {
		t.Errorf("%+v are held in %v, want the $1.10 of %v", in, roundA, hitA)
	}
	for name, in := range map[string][]jackpot.Unverified{
		"another round":         held.HeldIn(roundB),
		"the next of the table": held.HeldIn(jackpot.RoundID{Table: "A", Round: "2"}),
		"handed out at once":    heldHit(t, 1, true).HeldIn(roundA),
	} {
		if len(in) != 0 {
			t.Errorf("%s: %+v are held", name, in)
		}
	}
}

// A refusal that was stored says its detail when it is read: the form of the sentence is not
// stored beside it.
func TestAStoredRefusalShowsItsDetail(t *testing.T) {
	made := wantReason(t, opened(t, small()), jackpot.SystemUp{}, jackpot.ReasonSystemUp)
	text, err := json.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	var read jackpot.Refusal
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	for _, r := range []*jackpot.Refusal{made, &read} {
		if said := r.Sentence().String(); said != r.Detail || said == "" {
			t.Errorf("%q is said for %q", said, r.Detail)
		}
	}
}

// What is wrong in a round is found by the next event in that round, too: Evolve audits what an
// event touches, and not only the money.
func TestWhatIsWrongInARoundIsFoundByItsNextEvent(t *testing.T) {
	s := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 2}, jackpot.Contribute{Round: roundB, Bets: 2},
		jackpot.ReverseContributions{Round: roundB, Bets: 1, Cause: jackpot.ReversedNoAnte},
		jackpot.HandDealt{Hit: hitA, Place: at(5, 0)}, jackpot.DealRound{Round: roundB, Place: at(7, 0)})
	first := func(s *jackpot.State) *jackpot.BetGroup {
		s.Rounds = slices.Clone(s.Rounds)
		s.Rounds[0].Bets = slices.Clone(s.Rounds[0].Bets)
		return &s.Rounds[0].Bets[0]
	}
	second := func(s *jackpot.State) {
		s.Rounds = slices.Clone(s.Rounds)
		s.Rounds[1].Bets = slices.Clone(s.Rounds[1].Bets)
		s.Rounds[1].Bets[0].Count = 4
	}
	another := jackpot.Contribute{Round: roundA, Bets: 1}
	back := jackpot.ReverseContributions{Round: roundA, Bets: 1, Cause: jackpot.ReversedNoAnte}
	higher := small()
	higher.Ceiling = 300
	for _, c := range []struct {
		name  string
		next  jackpot.Command // in the sound State
		alter func(s *jackpot.State)
		want  string
	}{
		// 4 bets of 10 were accepted, one of them went back and another is accepted: of $0.40 the
		// round holds $0.50.
		{"more bets than were accepted", another, func(s *jackpot.State) { first(s).Count = 4 }, "holds more than the bets accepted"},
		{"more bets than were accepted, returned", back, func(s *jackpot.State) { first(s).Count = 5 }, "holds more than the bets accepted"},
		{"more bets than were accepted, dealt", jackpot.DealRound{Round: roundA, Place: at(5, 0)}, func(s *jackpot.State) { first(s).Count = 4 }, "holds more than the bets accepted"},
		{"more bets than were accepted, known", jackpot.KnowRound{Round: roundB}, second, "holds more than the bets accepted"},
		{"more bets than were accepted, determined", jackpot.DetermineRound{Round: roundB, Place: at(8, 0), Approvers: two}, second, "holds more than the bets accepted"},
		{"an impossible rate", another, func(s *jackpot.State) { first(s).Rate.Num = 0 }, "impossible group"},
		{"more hits than bets", another, func(s *jackpot.State) {
			for box := 2; box <= 4; box++ {
				h := s.Hits[0]
				h.ID.Box = box
				s.Hits = append(slices.Clone(s.Hits), h)
			}
		}, "more hits than bets"},
		{"money from nowhere, before new terms", jackpot.ChangeTerms{Terms: higher, FixedReturn: jackpot.FixedReturn{Den: 1}, Approvers: two}, func(s *jackpot.State) { s.Reserve++ }, "reserve identity"},
		{"a hit listed twice", jackpot.Confirm{Hit: hitA}, func(s *jackpot.State) {
			s.Hits = append(slices.Clone(s.Hits), s.Hits[0])
		}, "listed twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			events, err := jackpot.Decide(s, c.next)
			if err != nil {
				t.Fatal(err)
			}
			wrong := s
			c.alter(&wrong)
			if _, err := jackpot.Evolve(wrong, events[0]); !errors.Is(err, jackpot.ErrCorrupt) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%T gave %v, want %q", events[0], err, c.want)
			}
			// Nor is anything decided that could not be replayed.
			if events, err := jackpot.Decide(wrong, c.next); !errors.Is(err, jackpot.ErrCorrupt) || events != nil {
				t.Errorf("%T is decided: %v, %v", c.next, events, err)
			}
		})
	}
}

// Figures at their bounds are sound.
func TestTheAuditTakesWhatIsAtABound(t *testing.T) {
	s := after(t, heldHit(t, 1, false), jackpot.CloseRound{Round: roundA}, jackpot.Contribute{Round: roundB, Bets: 1})
	for name, alter := range map[string]func(s *jackpot.State){
		"the largest denominator": func(s *jackpot.State) { s.Denominator = 1_000_000_000_000 },
		"the largest remainder":   func(s *jackpot.State) { s.Remainder = s.Denominator - 1 },
		"a total at its bound":    func(s *jackpot.State) { s.Totals.PaidByHouse = jackpot.MaxAmount },
		"a hit of nothing to verify": func(s *jackpot.State) {
			s.Unverified = slices.Clone(s.Unverified)
			s.Unverified[0].Amount = 0
		},
		"the largest bet": func(s *jackpot.State) {
			s.Rounds = slices.Clone(s.Rounds)
			s.Rounds[0].Bets = []jackpot.BetGroup{{Count: 1, Bet: jackpot.MaxAmount, Rate: s.Terms.Rate, HitsPaid: 1}}
			s.Totals.Stakes = jackpot.MaxAmount
		},
	} {
		altered := s
		alter(&altered)
		if err := altered.Audit(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A rate that fits the largest denominator can still follow.
	s.Denominator = 1_000_000_000_000
	millionth := small()
	millionth.Rate = jackpot.Rate{Num: 1, Den: 1_000_000}
	after(t, s, jackpot.ChangeTerms{Terms: millionth, FixedReturn: jackpot.FixedReturn{Den: 1}, Approvers: two})
}

// A place that another hand or another round has is taken, also one of another box of the same
// round; its own place is not.
func TestAPlaceIsTakenByOthersAlone(t *testing.T) {
	box2 := jackpot.HitID{Table: "A", Round: "1", Box: 2}
	s := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 3}, jackpot.Contribute{Round: roundB, Bets: 1},
		jackpot.HandDealt{Hit: hitA, Place: at(5, 0)}, jackpot.HandDealt{Hit: box2, Place: at(6, 0)},
		jackpot.DealRound{Round: roundA, Place: at(5, 0)}, // its first hand was dealt then
		jackpot.DealRound{Round: roundB, Place: at(7, 0)})
	order := func(hit jackpot.HitID, place jackpot.Place) jackpot.Command {
		return jackpot.DetermineOrder{Hit: hit, Place: place, Approvers: two}
	}
	round := func(id jackpot.RoundID, place jackpot.Place) jackpot.Command {
		return jackpot.DetermineRound{Round: id, Place: place, Approvers: two}
	}
	for _, c := range []struct {
		name  string
		do    jackpot.Command
		taken bool
	}{
		{"that of another box of the round", order(hitA, at(6, 0)), true},
		{"its own", order(hitA, at(5, 0)), false},
		{"that of another round", order(box2, at(7, 0)), true},
		{"behind it", order(box2, at(7, 1)), false},
		{"a round, its own", round(roundB, at(7, 0)), false},
		{"a round, that of another", round(roundB, at(5, 0)), true},
		{"a round, that of a hand of another", round(roundB, at(6, 0)), true},
		{"a round, that of one of its hands", round(roundA, at(6, 0)), false},
		{"a new hand, that of another box", jackpot.HandDealt{Hit: jackpot.HitID{Table: "A", Round: "1", Box: 3}, Place: at(6, 0)}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.taken {
				wantReason(t, s, c.do, jackpot.ReasonSamePlace)
				return
			}
			after(t, s, c.do)
		})
	}
}

// The figures of a command at their bounds, and one beyond.
func TestCommandsAtTheirBounds(t *testing.T) {
	s := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 2}, jackpot.HandDealt{Hit: hitA, Place: at(5, 0)})
	order := func(place jackpot.Place) jackpot.Command {
		return jackpot.DetermineOrder{Hit: hitA, Place: place, Approvers: two}
	}
	const last = 1 << 53
	for _, c := range []struct {
		name string
		do   jackpot.Command
		want jackpot.Reason // 0: not refused
	}{
		{"the last time", order(at(last, 0)), 0},
		{"behind it", order(at(last+1, 0)), jackpot.ReasonMalformed},
		{"the last sequence", order(at(5, last)), 0},
		{"behind that", order(at(5, last+1)), jackpot.ReasonMalformed},
		// Bets of 10 each: MaxAmount is 2**59. 2**60 of them are 10 * 2**60, which 64 bits hold
		// without a sign, and 2**61 are more than those hold.
		{"more than the largest amount", jackpot.Contribute{Round: roundA, Bets: 1 << 56}, jackpot.ReasonTooLarge},
		{"more than an amount holds", jackpot.Contribute{Round: roundA, Bets: 1 << 60}, jackpot.ReasonTooLarge},
		{"more than 64 bits hold", jackpot.Contribute{Round: roundA, Bets: 1 << 61}, jackpot.ReasonTooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want == 0 {
				after(t, s, c.do)
				return
			}
			wantReason(t, s, c.do, c.want)
		})
	}
}

// A refusal of what is on no list names all that is.
func TestARefusalNamesTheWholeList(t *testing.T) {
	s := after(t, opened(t, small()), jackpot.Contribute{Round: roundA, Bets: 1}, jackpot.HandDealt{Hit: hitA, Place: at(5, 0)})
	for _, c := range []struct {
		do   jackpot.Command
		want string
	}{
		{jackpot.Forfeit{Hit: hitA, Cause: 99}, "one of folded, round-voided, hand-invalidated, misreported"},
		{jackpot.ReverseContributions{Round: roundA, Bets: 1}, "one of round-voided, hand-invalidated, no-ante"},
		{jackpot.Adjust{Pot: 99, Change: 1, Cause: jackpot.AdjustRegulator, Approvers: two}, "one of meter, reserve and one of malfunction, "},
	} {
		if r := wantReason(t, s, c.do, jackpot.ReasonMalformed); !strings.Contains(r.Detail, c.want) {
			t.Errorf("%q does not name %q", r.Detail, c.want)
		}
	}
}

// A refusal is an error with its clause, if there is one, and its sentence stays in its parts.
func TestARefusalIsAnErrorWithItsClause(t *testing.T) {
	s := opened(t, small())
	plain, ofClause := wantReason(t, s, jackpot.SystemUp{}, jackpot.ReasonSystemUp), wantReason(t, s, jackpot.CloseRound{Round: roundA}, jackpot.ReasonUnknownRound)
	for r, want := range map[*jackpot.Refusal]string{
		plain:    "jackpot: refused, system-up: " + plain.Detail,
		ofClause: "jackpot: refused, unknown-round (" + ofClause.Clause + "): " + ofClause.Detail,
	} {
		if r.Error() != want {
			t.Errorf("%q, want %q", r.Error(), want)
		}
	}
	if words := ofClause.Sentence(); len(words.Args) != 1 || words.Form == "%s" {
		t.Errorf("%+v", words)
	}
}

// A name has 200 bytes at most.
func TestTheLongestName(t *testing.T) {
	s := opened(t, small())
	after(t, s, jackpot.Contribute{Round: jackpot.RoundID{Table: strings.Repeat("T", 200), Round: "1"}, Bets: 1})
	wantReason(t, s, jackpot.Contribute{Round: jackpot.RoundID{Table: strings.Repeat("T", 201), Round: "1"}, Bets: 1}, jackpot.ReasonMalformed)
}

// The largest terms are of the largest amount.
func TestTheLargestTerms(t *testing.T) {
	for over, want := range map[money.Amount]bool{0: true, 1: false} {
		for name, change := range map[string]func(*jackpot.Terms){
			"bet":     func(terms *jackpot.Terms) { terms.Bet = jackpot.MaxAmount + over },
			"ceiling": func(terms *jackpot.Terms) { terms.Ceiling = jackpot.MaxAmount + over },
		} {
			if err := altered(small(), change).Check(jackpot.FixedReturn{Den: 1}); (err == nil) != want {
				t.Errorf("a %s of %s: %v", name, jackpot.MaxAmount+over, err)
			}
		}
	}
	// Of two contradictions the first is named, and not that of a reset value of zero.
	wrong := small()
	wrong.Reset, wrong.Rate.Num = 0, 3
	if err := wrong.Check(jackpot.FixedReturn{Den: 1}); err == nil || !strings.Contains(err.Error(), "more than the whole bet") {
		t.Errorf("%v", err)
	}
}
