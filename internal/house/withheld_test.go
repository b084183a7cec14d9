package house

import (
	"errors"
	"strings"
	"testing"

	"trey/card"
	"trey/internal/house/access"
	"trey/internal/house/internal/opaque"
	"trey/internal/house/protection"
	"trey/internal/ledger"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// A refusal says what a player has to the player, and to those who may see accounts.
func TestARefusalKeepsAPlayersMoneyToThePlayer(t *testing.T) {
	t.Parallel()
	for _, kind := range []ledger.Kind{ledger.Player, ledger.Owed} {
		short := &ledger.Short{Account: ledger.Account{Kind: kind, Of: "ann"}, Balance: 777 * money.Major, Needed: 1250 * money.Major}
		for by, shows := range map[access.Person]bool{
			{Name: "ann", Role: access.Player}:        true,
			{Name: "bob", Role: access.Player}:        false,
			{Name: "dora", Role: access.Dealer}:       false,
			{Name: "carl", Role: access.Cashier}:      true,
			{Name: "ada", Role: access.Auditor}:       true,
			{Name: "", Role: access.Guest}:            false,
			{Name: "pia", Role: access.PitSupervisor}: false,
		} {
			err := withheldFrom(by, short)
			if got := strings.Contains(err.Error(), "777"); got != shows {
				t.Errorf("%v: %s (%s) reads %q", kind, by.Name, by.Role, err)
			}
			var out *ledger.Short
			if !errors.As(err, &out) || out.Withheld == shows || !shows && out.Balance != 0 || out.Account != short.Account || out.Needed != short.Needed {
				t.Errorf("%v: %s (%s) has %+v", kind, by.Name, by.Role, out)
			}
		}
	}
	house := &ledger.Short{Account: ledger.Account{Kind: ledger.Rack, Of: "T"}, Balance: 777 * money.Major, Needed: 1250 * money.Major}
	if err := withheldFrom(access.Person{Name: "dora", Role: access.Dealer}, house); err != error(house) {
		t.Errorf("of the table's own money: %v", err)
	}
}

// Nor does a refusal tell others about the limits of a player.
func TestARefusalKeepsAPlayersProtectionToThePlayer(t *testing.T) {
	t.Parallel()
	refused := &protection.Refusal{Reason: protection.LimitReached, Player: "ann"}
	for by, shows := range map[access.Person]bool{
		{Name: "ann", Role: access.Player}:        true,
		{Name: "bob", Role: access.Player}:        false,
		{Name: "dora", Role: access.Dealer}:       false,
		{Name: "pia", Role: access.PitSupervisor}: true,
	} {
		if err := withheldFrom(by, refused); (err == error(refused)) != shows {
			t.Errorf("%s (%s) reads %v", by.Name, by.Role, err)
		}
	}
}

// What a try foretells depends on the cards of the hand concerned alone.
func TestOnlyCardsOfTheHandConcernedHideWhatFollows(t *testing.T) {
	t.Parallel()
	known, err := card.Parse("As")
	if err != nil {
		t.Fatal(err)
	}
	down := func(box int, c card.Card) table.Slot {
		return table.Slot{Card: c, Place: table.Box(box), Meant: table.Box(box)}
	}
	staked := func() []table.Bettor {
		b := table.Bettor{Player: "ann"}
		b.Stakes[rules.Ante] = 10 * money.Major
		return []table.Bettor{b}
	}
	for name, c := range map[string]struct {
		slots []table.Slot
		box   table.BoxState
		event table.Event
		all   bool
	}{
		"a hand that lies face down":              {[]table.Slot{down(1, known)}, table.BoxState{}, table.HandShown{Place: table.Box(1)}, false},
		"a hand beside one that lies face down":   {[]table.Slot{down(2, known)}, table.BoxState{}, table.HandShown{Place: table.Box(1)}, true},
		"the dealer's beside one face down":       {[]table.Slot{down(2, known)}, table.BoxState{}, table.DealerShown{}, true},
		"a box that plays, face down":             {[]table.Slot{down(1, known)}, table.BoxState{Bettors: staked()}, table.Settled{}, false},
		"a box out of play, face down":            {[]table.Slot{down(1, known)}, table.BoxState{Bettors: staked(), Invalid: true}, table.Settled{}, true},
		"a box without a stake, face down":        {[]table.Slot{down(1, known)}, table.BoxState{}, table.Settled{}, true},
		"a hand kept down that the house knows":   {[]table.Slot{down(1, known)}, table.BoxState{Bettors: staked(), KeptDown: true}, table.Settled{}, false},
		"a hand kept down that nobody knows":      {[]table.Slot{down(1, card.None)}, table.BoxState{Bettors: staked(), KeptDown: true}, table.Settled{}, true},
		"one that nobody knows beside a known":    {[]table.Slot{down(1, card.None), down(2, known)}, table.BoxState{Bettors: staked(), KeptDown: true}, table.Settled{}, true},
		"a box that plays, another being settled": {[]table.Slot{down(1, known)}, table.BoxState{Bettors: staked()}, table.BoxSettled{Box: 2}, true},
	} {
		s := &table.State{Variant: &rules.Variant{Book: &rules.Book{}}, Slots: c.slots, Boxes: []*table.BoxState{&c.box, {}}}
		r := Result{before: opaque.Of(s), Events: opaque.EventsOf([]table.Event{c.event}, s)}
		if events, all := r.Foreseen(); all != c.all || (len(events) == 1) != c.all {
			t.Errorf("%s: %d events, all %t", name, len(events), all)
		}
	}
}

// A stake is looked for at the boxes that there are.
func TestTheStakeOfABoxThatThereIsNot(t *testing.T) {
	t.Parallel()
	b := table.Bettor{Player: "ann"}
	b.Stakes[rules.Ante] = 10 * money.Major
	s := &table.State{Boxes: []*table.BoxState{{Bettors: []table.Bettor{b}}, {Bettors: []table.Bettor{b}}}}
	for box, want := range []money.Amount{0, 10 * money.Major, 10 * money.Major, 0} {
		if got := stakeOf(s, box, "ann", int(rules.Ante)); got != want {
			t.Errorf("at box %d: %s, want %s", box, got, want)
		}
	}
	if got := stakeOf(s, 1, "ann", len(b.Stakes)); got != 0 {
		t.Errorf("on a wager that there is not: %s", got)
	}
	if got := stakeOf(s, 1, "bob", int(rules.Ante)); got != 0 {
		t.Errorf("of another player: %s", got)
	}
}

// Whoever answers a question whose facts a second person has confirmed is no machine.
func TestNoMachineAnswersWhatWasConfirmed(t *testing.T) {
	t.Parallel()
	for _, confirmed := range []bool{false, true} {
		q := &table.OpenQuestion{Key: "k", Confirmed: confirmed}
		s := &tableRunner{state: table.State{Question: q}}
		o := &CommandRequest{By: access.Person{Name: "api", Role: access.PitSupervisor, Machine: true}, Do: table.Answer{Answer: "void"}}
		if err := new(House).confirms(s, o); errors.Is(err, access.ErrMachine) != confirmed {
			t.Errorf("confirmed %t: %v", confirmed, err)
		}
	}
}

// An answer that takes a second person comes from an account that is independent of the
// reporter's. Where it takes none, or the reporter answers, nobody looks for that.
func TestOnlyASecondPersonIsToBeIndependent(t *testing.T) {
	t.Parallel()
	errKin := errors.New("both accounts are one person's")
	h := &House{world: World{Independent: func(access.Person, int64, access.Person) error { return errKin }}}
	for _, by := range []string{"ann", "sue", keeper.Name} {
		q := &table.OpenQuestion{Key: table.ConfirmFacts, By: table.Actor{Name: "ann"}}
		s := &tableRunner{state: table.State{Question: q}}
		second := s.state.SecondAnswers()
		o := &CommandRequest{By: access.Person{Name: by, Role: access.PitSupervisor}, Do: table.Answer{Answer: "yes"}}
		if err := h.confirms(s, o); errors.Is(err, errKin) != (second && by == "sue") {
			t.Errorf("%s answers, second %t: %v", by, second, err)
		}
		q.Key, q.Confirmed = "k", true
		if err := h.confirms(s, o); err != nil {
			t.Errorf("%s answers what was confirmed: %v", by, err)
		}
	}
}
