package house_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/auditor"
	"trey/internal/house/housetest"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/internal/steady"
	"trey/internal/stored"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/table"
)

var (
	second  = access.Person{Name: "tom", Role: access.ShiftManager}
	rackOfA = ledger.Account{Kind: ledger.Rack, Of: "A"}
	annHas  = ledger.Account{Kind: ledger.Player, Of: "ann"}
	annOwes = ledger.Account{Kind: ledger.Owed, Of: "ann"}
	meter   = ledger.Account{Kind: ledger.Meter, Of: "linked"}
	reserve = ledger.Account{Kind: ledger.Reserve, Of: "linked"}
	own0    = ledger.Account{Kind: ledger.House}
)

func (s *site) propose(by access.Person, p house.Proposal) int64 {
	s.Helper()
	id, err := s.Propose(ctx(), "", by, p)
	if err != nil {
		s.Fatalf("%s: %v", house.ProposalKind(p), err)
	}
	return id
}

func (s *site) holds(a ledger.Account, want money.Amount) {
	s.Helper()
	if got := s.Balance(a); got != want {
		s.Errorf("%s holds %s, want %s", a, got, want)
	}
}

// chips returns counts of chips of whole units: a denomination, its count, and so on.
func chips(all ...int64) (counts []posting.ChipCount) {
	for i := 0; i < len(all); i += 2 {
		counts = append(counts, posting.ChipCount{Chip: money.Amount(all[i]) * money.Major, Count: all[i+1]})
	}
	return counts
}

// What takes two people is done once, by two people, and the record says what was
// before it and after it.
func TestTwoPeopleMoveTheHousesMoney(t *testing.T) {
	steady.Sequential(t)
	s := newSiteOnFile(t)
	s.install("A", "rws-3cp")
	s.buyIn("ann", 100*money.Major)
	at := map[ledger.Account]money.Amount{
		annHas: 100 * money.Major, meter: 10_000 * money.Major, own0: -10_000 * money.Major, rackOfA: 0, reserve: 0,
	}
	for i, test := range []struct {
		by, approves access.Person
		p            house.Proposal
		moves        map[ledger.Account]money.Amount
	}{
		{supervisor, cashier, house.Fill{Table: "A", Amount: 5000 * money.Major, Note: "for the evening"}, map[ledger.Account]money.Amount{rackOfA: 5000 * money.Major, own0: -5000 * money.Major}},
		{supervisor, manager, house.Credit{Table: "A", Amount: 6000 * money.Major}, map[ledger.Account]money.Amount{rackOfA: -6000 * money.Major, own0: 6000 * money.Major}},
		{supervisor, cashier, house.Fill{Table: "A", Amount: 310 * money.Major, Chips: chips(5, 2, 25, 12)}, map[ledger.Account]money.Amount{rackOfA: 310 * money.Major, own0: -310 * money.Major}},
		{manager, cashier, house.Credit{Table: "A", Amount: 105 * money.Major, Chips: chips(1, 5, 100, 1), Note: "worn"}, map[ledger.Account]money.Amount{rackOfA: -105 * money.Major, own0: 105 * money.Major}},
		{cashier, manager, adjust(posting.EntryError, -30*money.Major), map[ledger.Account]money.Amount{annHas: -30 * money.Major, own0: 30 * money.Major}},
		{manager, second, adjust(posting.Goodwill, 20*money.Major), map[ledger.Account]money.Amount{annHas: 20 * money.Major, own0: -20 * money.Major}},
		{supervisor, manager, house.AdjustJackpot{Jackpot: "linked", Pot: jackpot.PotMeter, Cause: jackpot.AdjustTransferIn, Change: 500 * money.Major, Note: "from the old one"}, map[ledger.Account]money.Amount{meter: 500 * money.Major, own0: -500 * money.Major}},
		{admin, manager, house.AdjustJackpot{Jackpot: "linked", Pot: jackpot.PotReserve, Cause: jackpot.AdjustMalfunction, Change: 70 * money.Major, Note: "counted twice"}, map[ledger.Account]money.Amount{reserve: 70 * money.Major, own0: -70 * money.Major}},
		{manager, second, house.AdjustJackpot{Jackpot: "linked", Pot: jackpot.PotReserve, Cause: jackpot.AdjustTransferOut, Change: -20 * money.Major, Note: "to the new one"}, map[ledger.Account]money.Amount{reserve: -20 * money.Major, own0: 20 * money.Major}},
	} {
		kind, key := house.ProposalKind(test.p), fmt.Sprint(i)
		id, err := s.Propose(ctx(), key, test.by, test.p)
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if again, err := s.Propose(ctx(), key, test.by, test.p); err != nil || again != id {
			t.Fatalf("%s: with the same key proposal %d, %v", kind, again, err)
		}
		s.restart()
		waits := s.Proposals()
		if len(waits) != 1 || waits[0].ID != id || waits[0].By != test.by || waits[0].AtMs != s.clock.Load() || !reflect.DeepEqual(waits[0].Proposal, test.p) || !reflect.DeepEqual(waits[0].Now, waits[0].Before) {
			t.Fatalf("%s: there wait %+v", kind, waits)
		}
		for a, held := range at {
			s.holds(a, held)
		}
		same := access.Person{Name: " " + strings.ToUpper(test.by.Name), Role: access.ShiftManager}
		if _, err := s.Approve(ctx(), "", same, id); !errors.Is(err, house.ErrSamePerson) {
			t.Errorf("%s: approved by whoever asked: %v", kind, err)
		}
		seq, err := s.Approve(ctx(), key+" yes", test.approves, id)
		if err != nil || seq == 0 {
			t.Fatalf("%s: %v", kind, err)
		}
		s.restart()
		if again, err := s.Approve(ctx(), key+" yes", test.approves, id); err != nil || again != seq {
			t.Errorf("%s: with the same key %d, %v", kind, again, err)
		}
		if _, err := s.Approve(ctx(), "", second, id); !errors.Is(err, house.ErrDecided) || !strings.Contains(err.Error(), test.approves.Name) {
			t.Errorf("%s: approved twice: %v", kind, err)
		}
		done := ownEvents[house.Approved](s)
		last := done[len(done)-1]
		if last.ID != id || last.By != test.approves || last.Of != test.by || stored.Name(last.Kind) != kind {
			t.Errorf("%s: the record says %+v", kind, last)
		}
		for i, f := range last.Before {
			if f.Holds != at[f.Account] || last.After[i] != (house.Figure{Account: f.Account, Holds: f.Holds + test.moves[f.Account]}) {
				t.Errorf("%s: the record says before %+v, after %+v", kind, f, last.After[i])
			}
		}
		for a, by := range test.moves {
			if !slices.ContainsFunc(last.Before, func(f house.Figure) bool { return f.Account == a }) {
				t.Errorf("%s: the record does not say what %s held", kind, a)
			}
			at[a] += by
		}
		for a, held := range at {
			s.holds(a, held)
		}
		if err := s.Audit(); err != nil {
			t.Fatal(err)
		}
		s.clock.Add(1)
	}
	s.recount()
}

func adjust(cause posting.AdjustmentCause, change money.Amount) house.AdjustAccount {
	return house.AdjustAccount{Adjustment: posting.Adjustment{Player: "ann", Cause: cause, Change: change, Note: "see the incident log"}}
}

// What was possible when it was asked for and is not when it is approved is refused
// then, and waits on.
func TestProposalsAreDecidedUponWhatIs(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	s.buyIn("ann", 100*money.Major)
	take := s.propose(cashier, adjust(posting.Dispute, -80*money.Major))
	out := s.propose(manager, house.AdjustJackpot{Jackpot: "linked", Pot: jackpot.PotMeter, Cause: jackpot.AdjustRegulator, Change: -6000 * money.Major, Note: "by order"})
	more := s.propose(supervisor, house.AdjustJackpot{Jackpot: "linked", Pot: jackpot.PotMeter, Cause: jackpot.AdjustRegulator, Change: -6000 * money.Major, Note: "by order"})
	s.do("A", dealer, table.OpenBets{})
	s.do("A", ann, ante(ann, 1, 50*money.Major))
	if _, err := s.Approve(ctx(), "", second, out); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		var short *ledger.Short
		if _, err := s.Approve(ctx(), "k", manager, take); !errors.As(err, &short) || short.Balance != 50*money.Major {
			t.Errorf("money that lies in a round was taken: %v", err)
		}
		var refusal *jackpot.Refusal
		if _, err := s.Approve(ctx(), "k2", manager, more); !errors.As(err, &refusal) || refusal.Reason != jackpot.ReasonOutOfBounds {
			t.Errorf("more than there is was taken out: %v", err)
		}
		waits := s.Proposals()
		if len(waits) != 2 || waits[0].Before[0].Holds != 100*money.Major || waits[0].Now[0].Holds != 50*money.Major {
			t.Errorf("there wait %+v", waits)
		}
		s.restart()
	}
	s.do("A", supervisor, table.Withdraw{Box: 1, Player: "ann", Wager: rules.Ante})
	if _, err := s.Approve(ctx(), "k", manager, take); err != nil {
		t.Errorf("now that it can be done: %v", err)
	}
	s.has("ann", 20*money.Major)
	s.holds(meter, 4000*money.Major)
}

func TestProposalsAreDeclined(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	fill := house.Fill{Table: "A", Amount: 100 * money.Major}
	one, two, three := s.propose(supervisor, fill), s.propose(supervisor, fill), s.propose(manager, fill)
	var denied *access.Denied
	other := access.Person{Name: "pia", Role: access.PitSupervisor}
	if err := s.Decline(ctx(), "", other, one, "no"); !errors.As(err, &denied) {
		t.Errorf("declined by somebody: %v", err)
	}
	if _, err := s.Approve(ctx(), "", other, one); !errors.As(err, &denied) {
		t.Errorf("approved by somebody: %v", err)
	}
	if err := s.Decline(ctx(), "", supervisor, one, "a mistake of mine"); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := s.Decline(ctx(), "k", cashier, two, "not tonight"); err != nil {
			t.Error(err)
		}
	}
	s.restart()
	for _, id := range []int64{one, two} {
		if _, err := s.Approve(ctx(), "", second, id); !errors.Is(err, house.ErrDecided) {
			t.Errorf("approved after all: %v", err)
		}
		if err := s.Decline(ctx(), "", second, id, ""); !errors.Is(err, house.ErrDecided) {
			t.Errorf("declined once more: %v", err)
		}
	}
	if _, err := s.Approve(ctx(), "", second, 99); !errors.Is(err, house.ErrNoProposal) {
		t.Error(err)
	}
	waits := s.Proposals()
	if len(waits) != 1 || waits[0].ID != three {
		t.Errorf("there wait %+v", waits)
	}
	s.holds(rackOfA, 0)
	if no := ownEvents[house.Declined](s); len(no) != 2 || no[1].By != cashier || no[1].Why != "not tonight" {
		t.Errorf("the record says %+v", no)
	}
}

// Many approve one thing at the same moment: it is done once.
func TestOneProposalIsDoneOnce(t *testing.T) {
	s := newSite(t)
	s.install("A", "us-3cp")
	id := s.propose(supervisor, house.Fill{Table: "A", Amount: 100 * money.Major})
	var all sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for _, by := range []access.Person{cashier, manager, second, supervisor} {
		for range 5 {
			all.Go(func() {
				_, err := s.Approve(ctx(), "", by, id)
				mu.Lock()
				defer mu.Unlock()
				var denied *access.Denied
				if err == nil {
					done++
				} else if !errors.Is(err, house.ErrDecided) && !errors.Is(err, house.ErrSamePerson) && !errors.As(err, &denied) {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	if done != 1 {
		t.Errorf("done %d times", done)
	}
	s.holds(rackOfA, 100*money.Major)
}

// What has been decided stands in the record: the house need not keep all of it in
// mind to say that it was decided.
func TestDecidedProposalsAreForgotten(t *testing.T) {
	s := newSite(t)
	s.install("A", "us-3cp")
	var last int64
	for range 105 {
		last = s.propose(supervisor, house.Fill{Table: "A", Amount: money.Major})
		if err := s.Decline(ctx(), "", supervisor, last, "not needed"); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if n := s.Remembered(); n != 100 {
			t.Errorf("%d proposals are kept", n)
		}
		for id, want := range map[int64]error{0: house.ErrNoProposal, 1: house.ErrDecided, last: house.ErrDecided, last + 1: house.ErrNoProposal} {
			if _, err := s.Approve(ctx(), "", manager, id); !errors.Is(err, want) {
				t.Errorf("proposal %d: %v", id, err)
			}
		}
		s.restart()
	}
}

func TestProposalsThatAreRefused(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	s.install("U", "us-3cp")
	s.buyIn("ann", 10*money.Major)
	state, _ := s.Jackpot("linked")
	dearer, lower := state.Terms, state.Terms
	dearer.Bet *= 2
	lower.Ceiling = lower.Reset - 1
	larger := state.Terms
	larger.Reset, larger.Ceiling = posting.MaxTransfer+1, posting.MaxTransfer+1
	onPot := func(pot jackpot.Pot, change money.Amount, note string) house.AdjustJackpot {
		return house.AdjustJackpot{Jackpot: "linked", Pot: pot, Cause: jackpot.AdjustRegulator, Change: change, Note: note}
	}
	hit := jackpot.HitID{Table: "A", Round: "1", Box: 1}
	var refusal *jackpot.Refusal
	var short *ledger.Short
	for name, test := range map[string]struct {
		p    house.Proposal
		want error
		as   any
	}{
		"nothing":                      {nil, house.ErrNoProposal, nil},
		"a fill of no table":           {house.Fill{Table: "Z", Amount: 1}, house.ErrNoTable, nil},
		"a fill of nothing":            {house.Fill{Table: "A"}, ledger.ErrMalformed, nil},
		"chips for less":               {house.Fill{Table: "A", Amount: 10 * money.Major, Chips: chips(1, 4, 5, 1)}, ledger.ErrMalformed, nil},
		"chips for more":               {house.Credit{Table: "A", Amount: 10 * money.Major, Chips: chips(1, 6, 5, 1)}, ledger.ErrMalformed, nil},
		"a chip that the table lacks":  {house.Fill{Table: "U", Amount: 50 * money.Major, Chips: chips(50, 1)}, ledger.ErrMalformed, nil},
		"a credit below zero":          {house.Credit{Table: "A", Amount: -1}, ledger.ErrMalformed, nil},
		"an adjustment of nobody":      {house.AdjustAccount{Adjustment: posting.Adjustment{Cause: posting.Dispute, Change: 1, Note: "n"}}, house.ErrBadName, nil},
		"an adjustment of a slip":      {house.AdjustAccount{Adjustment: posting.Adjustment{Player: "anm", Cause: posting.Dispute, Change: 1, Note: "n"}}, house.ErrNobody, nil},
		"an adjustment by nothing":     {adjust(posting.Dispute, 0), ledger.ErrMalformed, nil},
		"an adjustment without cause":  {adjust(0, 1), ledger.ErrMalformed, nil},
		"goodwill that takes":          {adjust(posting.Goodwill, -1), ledger.ErrMalformed, nil},
		"more than the balance":        {adjust(posting.Dispute, -11*money.Major), nil, &short},
		"a debt that there is not":     {adjust(posting.DebtForgiven, -1), nil, &short},
		"a debt that grows":            {adjust(posting.DebtForgiven, 1), ledger.ErrMalformed, nil},
		"no note":                      {house.AdjustAccount{Adjustment: posting.Adjustment{Player: "ann", Cause: posting.Dispute, Change: 1, Note: " "}}, ledger.ErrMalformed, nil},
		"no jackpot":                   {house.AdjustJackpot{Jackpot: "other", Note: "n"}, house.ErrNoJackpot, nil},
		"no reason":                    {onPot(jackpot.PotMeter, 1, ""), house.ErrNoReason, nil},
		"more than at once":            {onPot(jackpot.PotReserve, posting.MaxTransfer+1, "n"), ledger.ErrMalformed, nil},
		"less than at once":            {onPot(jackpot.PotMeter, math.MinInt64, "n"), ledger.ErrMalformed, nil},
		"below zero":                   {onPot(jackpot.PotReserve, -1, "n"), nil, &refusal},
		"another bet":                  {house.ChangeTerms{Jackpot: "linked", Terms: dearer}, house.ErrFixedBet, nil},
		"a ceiling below the reset":    {house.ChangeTerms{Jackpot: "linked", Terms: lower}, nil, &refusal},
		"a reset of more than at once": {house.ChangeTerms{Jackpot: "linked", Terms: larger}, ledger.ErrMalformed, nil},
		"a hit that is none":           {house.DetermineOrder{Jackpot: "linked", Hit: hit, Place: jackpot.Place{DealtAtMs: 1}, Note: "n"}, nil, &refusal},
		"an order for no reason":       {house.DetermineOrder{Jackpot: "linked", Hit: hit, Place: jackpot.Place{DealtAtMs: 1}}, house.ErrNoReason, nil},
	} {
		id, err := s.Propose(ctx(), "", manager, test.p)
		if test.want != nil && !errors.Is(err, test.want) || test.as != nil && !errors.As(err, test.as) {
			t.Errorf("%s: proposal %d, %v", name, id, err)
		}
	}
	for _, reason := range []ledger.Reason{ledger.Fill, ledger.Credit} {
		if _, err := s.CageTransfer(ctx(), "", cashier, posting.Transfer{Reason: reason, Table: "A", Amount: 1}); !errors.Is(err, house.ErrTakesTwo) {
			t.Errorf("one person: %v", err)
		}
	}
	if waits := s.Proposals(); len(waits) != 0 {
		t.Errorf("there wait %+v", waits)
	}
	if after, _ := s.Jackpot("linked"); !reflect.DeepEqual(after, state) {
		t.Errorf("the jackpot is %+v, and was %+v", after, state)
	}
}

// An adjustment of what cannot be a player's name is refused, as a buy-in is. Money of "#3" would
// be that of the third person in the record, where persons stand by their numbers: the house
// could not be opened again. That of "ann " or of the house's own names would be nobody's.
func TestAnAdjustmentIsOfSomebody(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	s.buyIn("ann", 10*money.Major)
	for _, name := range []string{s.token("ann"), "ann ", " ann", "an\nn", "the house", "the cage"} {
		id, err := s.Propose(ctx(), "", cashier, house.AdjustAccount{Adjustment: posting.Adjustment{Player: name, Cause: posting.Dispute, Change: 100, Note: "n"}})
		if !errors.Is(err, house.ErrBadName) {
			t.Errorf("%q: proposal %d, %v", name, id, err)
			_, _ = s.Approve(ctx(), "", manager, id)
		}
	}
	s.restart()
	s.has("ann", 10*money.Major)
	if err := s.Audit(); err != nil {
		t.Error(err)
	}
}

// A table gets chips that are in use there, now or from its next round on. It gives back
// whatever chips it has.
func TestChipsOfATable(t *testing.T) {
	s := newSite(t)
	s.install("U", "us-3cp")
	fill := func(chip int64) error {
		_, err := s.Propose(ctx(), "", supervisor, house.Fill{Table: "U", Amount: money.Amount(2*chip) * money.Major, Chips: chips(chip, 2)})
		return err
	}
	if err := fill(25); err != nil {
		t.Error(err)
	}
	if err := fill(50); !errors.Is(err, ledger.ErrMalformed) || !strings.Contains(err.Error(), "table U has no chips of $50") {
		t.Errorf("chips that are not in use: %v", err)
	}
	if _, err := s.Propose(ctx(), "", supervisor, house.Credit{Table: "U", Amount: 100 * money.Major, Chips: chips(50, 2)}); err != nil {
		t.Errorf("chips that are in use no more do not come back: %v", err)
	}
	s.do("U", dealer, table.OpenBets{})
	next := variant(t, "us-3cp")
	next.Chips = []money.Amount{money.Major, 5 * money.Major, 50 * money.Major}
	if _, err := s.Change(ctx(), "", manager, "U", house.Change{Variant: next}); err != nil {
		t.Fatal(err)
	}
	for _, chip := range []int64{2, 50} { // of this round and of the next one
		if err := fill(chip); err != nil {
			t.Error(err)
		}
	}
}

// What was proposed by an earlier program, which knew no chips, is approved as it was
// recorded, and its chips are not known.
func TestAFillOfTheFirstVersion(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	body := json.RawMessage(`{"table":"A","amount":50000,"note":"by amount"}`)
	e, err := house.OwnEvents.Write(house.Proposed{ID: 1, By: supervisor, Kind: "fill", Body: body})
	if err != nil {
		t.Fatal(err)
	}
	events := int64(0)
	if err := house.Named(s.store).Read(ctx(), "house", 0, func(house.StoredEvent) error { events++; return nil }); err != nil {
		t.Fatal(err)
	}
	if done := <-house.Named(s.store).Append(&house.Transaction{
		AtMs:  s.clock.Load(),
		Cause: house.Cause{By: supervisor.Name, Role: supervisor.Role.String(), At: "A", Kind: "propose-fill", Body: body},
		Parts: []house.StreamAppend{{Stream: "house", After: events, Events: []house.Event{e}}},
	}); done.Err != nil {
		t.Fatal(done.Err)
	}
	s.restart()
	want := house.Fill{Table: "A", Amount: 500 * money.Major, Note: "by amount"}
	if waits := s.Proposals(); len(waits) != 1 || !reflect.DeepEqual(waits[0].Proposal, want) {
		t.Fatalf("there wait %+v", waits)
	}
	if _, err := s.Approve(ctx(), "", cashier, 1); err != nil {
		t.Fatal(err)
	}
	s.holds(rackOfA, 500*money.Major)
	if done := ownEvents[house.Approved](s); len(done) != 1 || done[0].Kind != "fill" || string(done[0].Body) != string(body) {
		t.Errorf("the record says %+v", done)
	}
	a, err := auditor.Check(ctx(), s.store)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Findings() {
		t.Errorf("transaction %d: %s", f.Seq, f.What)
	}
	s.restart()
	s.propose(supervisor, want)
	if proposed := ownEvents[house.Proposed](s); proposed[1].Kind != "fill/2" || string(proposed[1].Body) != string(body) {
		t.Errorf("a fill by amount is recorded as %s %s", proposed[1].Kind, proposed[1].Body)
	}
}

// New terms wait for the next hit, and are there after a restart.
func TestTermsChangeByTwo(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	state, _ := s.Jackpot("linked")
	slower := state.Terms
	slower.Rate = jackpot.Rate{Num: 1, Den: 10}
	id := s.propose(admin, house.ChangeTerms{Jackpot: "linked", Terms: slower})
	follower := s.Subscribe(house.Topic{Jackpot: "linked"}, 5)
	if _, err := s.Approve(ctx(), "", manager, id); err != nil {
		t.Fatal(err)
	}
	follower.Close()
	if n, _ := follower.Next(); n == nil || len(n.Moved) != 1 || n.Meter.Shown().NextTerms == nil || len(n.House) != 1 {
		t.Errorf("who follows the jackpot heard %+v", n)
	}
	before, _ := s.Jackpot("linked")
	s.restart()
	after, _ := s.Jackpot("linked")
	if !reflect.DeepEqual(after, before) || after.NextTerms == nil || *after.NextTerms != slower || after.Terms != state.Terms {
		t.Errorf("opened again the jackpot is %+v, and was %+v", after, before)
	}
}

// Two hits at one instant: the house determines the order, by two people, and the
// first is paid first.
func TestTheOrderOfHitsIsDeterminedByTwo(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	s.install("B", "rws-3cp")
	s.buyIn("ann", 100*money.Major)
	for _, name := range []string{"A", "B"} {
		s.do(name, dealer, table.OpenBets{})
		s.do(name, ann, ante(ann, 1, 10*money.Major))
		s.do(name, ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
		s.do(name, dealer, table.CloseBets{})
		s.top = cards(t, "As", "Ks", "Qs", "2c", "5d", "9h")
		if variant(t, "rws-3cp").Book.Devices[0].Device == rules.Shoe {
			s.top = cards(t, "3c", "As", "2c", "Ks", "5d", "Qs", "9h")
		}
		s.do(name, dealer, table.Deal{})
		s.do(name, ann, table.Raise{Box: 1, Player: "ann"})
		s.do(name, dealer, table.Reveal{})
	}
	// Nobody hears of a hit whose hand lies face down, asked for or guessed at.
	if pending, err := s.PendingHits("linked"); err != nil || len(pending) != 0 {
		t.Errorf("hands that lie face down are listed: %+v, %v", pending, err)
	}
	guess := func(box int) string {
		_, err := s.Propose(ctx(), "", supervisor, house.DetermineOrder{
			Jackpot: "linked", Hit: jackpot.HitID{Table: "B", Round: "1", Box: box}, Place: jackpot.Place{DealtAtMs: 1}, Note: "a guess",
		})
		return strings.Replace(fmt.Sprint(err), fmt.Sprintf("box %d", box), "box n", 1)
	}
	if hit, none := guess(1), guess(2); hit != none || !strings.Contains(none, "no hit is registered") {
		t.Errorf("a guess at a hit is answered %q, and at none %q", hit, none)
	}
	for _, name := range []string{"A", "B"} {
		s.do(name, dealer, table.Show{Box: 1})
	}
	state, _ := s.Jackpot("linked")
	if len(state.Hits) != 2 {
		t.Fatalf("hits: %+v", state.Hits)
	}
	pending, err := s.PendingHits("linked")
	if err != nil || len(pending) != 2 || pending[0].ID != state.Hits[0].ID || len(pending[1].Hand) != 3 || pending[1].Rank == "" {
		t.Errorf("when the hands lie open, these are pending: %+v, %v", pending, err)
	}
	first := state.Hits[0].Place
	if state.Hits[0].ID.Table != "A" {
		first = state.Hits[1].Place
	}
	first.DealtAtMs--
	id := s.propose(supervisor, house.DetermineOrder{
		Jackpot: "linked", Hit: jackpot.HitID{Table: "B", Round: "1", Box: 1}, Place: first, Note: "by the recordings of both tables",
	})
	var refusal *jackpot.Refusal
	if _, err := s.Do(ctx(), house.CommandRequest{Table: "B", By: dealer, Do: table.Settle{}}); !errors.As(err, &refusal) {
		t.Errorf("B is paid before it was determined: %v", err)
	}
	if _, err := s.Approve(ctx(), "", manager, id); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Do(ctx(), house.CommandRequest{Table: "A", By: dealer, Do: table.Settle{}}); !errors.As(err, &refusal) {
		t.Errorf("A is paid first still: %v", err)
	}
	s.do("B", dealer, table.Settle{})
	if paid, err := s.PaidHits(ctx(), "linked"); err != nil || len(paid) != 1 {
		t.Errorf("paid: %+v, %v", paid, err)
	}
	s.do("A", dealer, table.Settle{})
	if err := s.Audit(); err != nil {
		t.Error(err)
	}
	// Two bets of $5 put $2 each on the $10,000 that the meter starts with.
	want := []house.PaidHit{
		{Hit: jackpot.HitID{Table: "A", Round: "1", Box: 1}, Amount: 10_000 * money.Major, Anew: 10_000 * money.Major, Combo: rules.AKQSpades},
		{Hit: jackpot.HitID{Table: "B", Round: "1", Box: 1}, Amount: 10_004 * money.Major, Anew: 10_000 * money.Major, Combo: rules.AKQSpades},
	}
	for range 2 {
		paid, err := s.PaidHits(ctx(), "linked")
		for i := range paid {
			if paid[i].AtMs == 0 {
				t.Errorf("nobody knows when %v was paid", paid[i].Hit)
			}
			paid[i].AtMs = 0
		}
		if err != nil || !reflect.DeepEqual(paid, want) {
			t.Errorf("paid were %+v, %v", paid, err)
		}
		if pending, err := s.PendingHits("linked"); err != nil || len(pending) != 0 {
			t.Errorf("still pending: %+v, %v", pending, err)
		}
		s.restart()
	}
}

// A hit waits for a round at a table that has stopped, though nobody knows whether
// there is a hit in it. Two people determine that it is paid after the other, and it
// is; when the table runs again its own hit is paid at that place.
func TestTheOrderOfAStoppedTableIsDeterminedByTwo(t *testing.T) {
	for _, c := range []struct {
		name string
		hand [3]string
		paid money.Amount
	}{{"without a hit", [3]string{"Ac", "7s", "4h"}, 0}, {"with a hit", [3]string{"As", "Ks", "Qs"}, 10_000 * money.Major}} {
		t.Run(c.name, func(t *testing.T) {
			s := newSite(t)
			s.buyIn("ann", 100*money.Major)
			for _, name := range []string{"A", "B"} {
				s.install(name, "rws-3cp")
				hand := [3]string{"As", "Ks", "Qs"}
				if name == "A" {
					hand = c.hand
				}
				s.clock.Add(10)
				s.do(name, dealer, table.OpenBets{})
				s.do(name, ann, ante(ann, 1, 10*money.Major))
				s.do(name, ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
				s.do(name, dealer, table.CloseBets{})
				s.top = cards(t, hand[0], hand[1], hand[2], "2c", "5d", "9h")
				if variant(t, "rws-3cp").Book.Devices[0].Device == rules.Shoe {
					s.top = cards(t, "3c", hand[0], "2c", hand[1], "5d", hand[2], "9h")
				}
				s.do(name, dealer, table.Deal{})
				s.do(name, ann, table.Raise{Box: 1, Player: "ann"})
				s.do(name, dealer, table.Reveal{})
			}
			s.Halt("A", errors.New("a posting that is none"))
			s.do("B", dealer, table.Settle{})
			var refusal *jackpot.Refusal
			if _, err := s.Do(ctx(), house.CommandRequest{Table: "B", By: dealer, Do: table.Settle{}}); !errors.As(err, &refusal) || refusal.Reason != jackpot.ReasonEarlierRound {
				t.Fatalf("B is paid before A is known: %v", err)
			}
			pending, err := s.PendingHits("linked")
			if err != nil || len(pending) != 1 {
				t.Fatalf("%+v, %v", pending, err)
			}
			behind := pending[0].Place
			behind.Sequence++
			order := house.DetermineOrder{Jackpot: "linked", Hit: jackpot.HitID{Table: "A", Round: "1"}, Place: behind, Note: "A has stopped, and was dealt first"}
			if _, err := s.Propose(ctx(), "", supervisor, house.DetermineOrder{Jackpot: "linked", Hit: order.Hit, Place: behind}); !errors.Is(err, house.ErrNoReason) {
				t.Errorf("without a reason: %v", err)
			}
			id := s.propose(supervisor, order)
			if _, err := s.Approve(ctx(), "", supervisor, id); err == nil {
				t.Error("one person determined the order alone")
			}
			if _, err := s.Approve(ctx(), "", manager, id); err != nil {
				t.Fatal(err)
			}
			s.do("B", dealer, table.Settle{})
			if paid, err := s.PaidHits(ctx(), "linked"); err != nil || len(paid) != 1 || paid[0].Amount != 10_004*money.Major {
				t.Errorf("paid: %+v, %v", paid, err)
			}
			s.restart()
			if state, _ := s.Jackpot("linked"); len(state.Dealt()) != 1 || *state.Dealt()[0].Dealt != behind {
				t.Errorf("opened again the rounds dealt are %+v", state.Dealt())
			}
			if _, err := s.Release(ctx(), "", manager, "A", "looked into"); err != nil {
				t.Fatal(err)
			}
			done := s.do("A", dealer, table.Settle{})
			var took money.Amount
			for _, e := range housetest.JackpotEvents(done.Moved) {
				if e, ok := e.(jackpot.HitPaid); ok {
					took = e.Amount
				}
			}
			if took != c.paid {
				t.Errorf("A is paid %s by the meter, want %s", took, c.paid)
			}
			if err := s.Audit(); err != nil {
				t.Error(err)
			}
			// The place was determined while the round was in play: its record is proven all the same.
			s.proven("A", 1)
			s.proven("B", 1)
		})
	}
}

// A player's debt is settled from their account, or with the house's money.
func TestDebtsAreSettled(t *testing.T) {
	s := newSite(t)
	s.buyIn("ann", 100*money.Major)
	s.Lend("ann", 50*money.Major)
	for _, test := range []struct {
		p             house.AdjustAccount
		has, owes, of money.Amount // of: the house's own money
	}{
		{adjust(posting.DebtCollected, -30*money.Major), 120 * money.Major, 20 * money.Major, 0},
		{adjust(posting.DebtForgiven, -20*money.Major), 120 * money.Major, 0, -20 * money.Major},
	} {
		if _, err := s.Approve(ctx(), "", manager, s.propose(cashier, test.p)); err != nil {
			t.Fatal(err)
		}
		s.holds(annHas, test.has)
		s.holds(annOwes, test.owes)
		s.holds(own0, test.of)
		if err := s.Audit(); err != nil {
			t.Error(err)
		}
	}
}

func TestProposalsAreWrittenAndRead(t *testing.T) {
	for _, p := range []house.Proposal{
		house.Fill{Table: "A", Amount: 1, Note: "n"},
		house.Fill{Table: "A", Amount: 310, Chips: chips(1, 2), Note: "n"},
		house.Credit{Table: "A", Amount: 2},
		house.Credit{Table: "A", Amount: 2, Chips: chips(5, 1)},
		adjust(posting.Regulator, -3),
		house.AdjustJackpot{Jackpot: "j", Pot: jackpot.PotReserve, Cause: jackpot.AdjustMalfunction, Change: 4, Note: "n"},
		house.ChangeTerms{Jackpot: "j", Terms: jackpot.Demonstration()},
		house.DetermineOrder{Jackpot: "j", Hit: jackpot.HitID{Table: "A", Round: "1", Box: 2}, Place: jackpot.Place{DealtAtMs: 5, Sequence: 6}, Note: "n"},
	} {
		kind := house.ProposalKind(p)
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := house.DecodeProposal(kind, text); err != nil || !reflect.DeepEqual(again, p) {
			t.Errorf("%s %s came back as %+v, %v", kind, text, again, err)
		}
		if !slices.Contains(house.ProposalKinds(), kind) {
			t.Errorf("%s is not listed", kind)
		}
		if _, err := house.DecodeProposal(kind, []byte(`{"amounts": 1}`)); err == nil {
			t.Errorf("%s takes any field", kind)
		}
	}
	// A program names a kind, and not one of its versions.
	if _, err := house.DecodeProposal("fill/2", []byte(`{"table":"A","amount":1}`)); err == nil || !strings.Contains(err.Error(), "choose from") {
		t.Error(err)
	}
	if _, err := house.DecodeProposal("gift", nil); err == nil || !strings.Contains(err.Error(), "adjust-account") {
		t.Error(err)
	}
}

// annHits plays a round in which ann takes the meter of 10,002 at a table that a person runs.
// The Ante of 10 wins 10 and a bonus of 50, and the Progressive stake of 5 stays.
func annHits(s *site, sight table.Sight) {
	s.Helper()
	s.readTable(func(t *house.Table) { t.VerifyFrom, t.Config.Cards = 10_002*money.Major, sight })
	s.buyIn("ann", 100*money.Major)
	s.do("A", dealer, table.OpenBets{})
	s.do("A", ann, ante(ann, 1, 10*money.Major))
	s.do("A", ann, table.Bet{Box: 1, Player: "ann", Wager: rules.Progressive, Amount: 5 * money.Major})
	s.do("A", dealer, table.CloseBets{})
	faces := []string{"As", "Ks", "Qs", "2c", "5d", "9h"}
	deal := dealOf(s, faces...)
	if sight == table.Virtual {
		deal, s.top = table.Deal{}, cards(s, faces...)
	}
	s.do("A", dealer, deal)
	s.do("A", ann, table.Raise{Box: 1, Player: "ann"})
	s.do("A", dealer, table.Reveal{})
	s.do("A", dealer, table.Settle{})
}

// checked holds the record of the first round and all money to every check there is,
// also after the house is opened again.
func (s *site) checked() {
	s.Helper()
	for range 2 {
		if err := s.Audit(); err != nil {
			s.Error(err)
		}
		s.recount()
		s.proven("A", 1)
		a, err := auditor.Check(ctx(), s.store)
		if err != nil {
			s.Fatal(err)
		}
		for _, f := range a.Findings() {
			s.Errorf("the auditor: %+v", f)
		}
		s.restart()
	}
}

var (
	heldAccount = ledger.Account{Kind: ledger.Payable, Of: "linked"}
	hitOfAnn    = jackpot.HitID{Table: "A", Round: "1", Box: 1}
)

// A jackpot from the threshold on is no money of its winner before two people have
// verified it. The round ends meanwhile, and the meter has been reset.
func TestALargeJackpotIsVerifiedByTwo(t *testing.T) {
	s := newSiteOnFile(t)
	annHits(s, table.Read)
	s.holds(heldAccount, 10_002*money.Major)
	s.has("ann", 155*money.Major) // 100, and 60 for the Ante, less 5
	s.holds(meter, 10_000*money.Major)
	var short *ledger.Short
	if _, err := s.CageTransfer(ctx(), "", cashier, posting.Transfer{Reason: ledger.CashOut, Player: "ann", Amount: 156 * money.Major}); !errors.As(err, &short) {
		t.Errorf("ann cashes out what is held: %v", err)
	}
	s.checked()
	s.do("A", dealer, table.OpenBets{}) // the next round begins

	verify := house.VerifyJackpot{Jackpot: "linked", Hit: hitOfAnn, Note: "hand, deck and meter as recorded"}
	for name, p := range map[string]house.Proposal{
		"without a note": house.VerifyJackpot{Jackpot: "linked", Hit: hitOfAnn},
		"another box":    house.VerifyJackpot{Jackpot: "linked", Hit: jackpot.HitID{Table: "A", Round: "1", Box: 2}, Note: "n"},
		// The record of the proposal names the payment. A payment that is made in the meantime,
		// after this one was collected again, is thus not approved with it.
		"another payment":        house.VerifyJackpot{Jackpot: "linked", Hit: hitOfAnn, Payment: 2, Note: "n"},
		"another payment denied": house.DenyJackpot{Jackpot: "linked", Hit: hitOfAnn, Payment: 2, Clause: "5.15", Note: "n"},
		"no clause":              house.DenyJackpot{Jackpot: "linked", Hit: hitOfAnn, Note: "n"},
		"unknown clause":         house.DenyJackpot{Jackpot: "linked", Hit: hitOfAnn, Clause: "99.9", Note: "n"},
	} {
		if _, err := s.Propose(ctx(), "", supervisor, p); err == nil {
			t.Errorf("%s is proposed", name)
		}
	}
	for _, by := range []access.Person{ann, dealer, cashier} {
		if _, err := s.Propose(ctx(), "", by, verify); err == nil {
			t.Errorf("%s proposes it", by.Role)
		}
	}
	id := s.propose(manager, verify)
	if open := s.Proposals(); len(open) != 1 || open[0].Proposal != (house.VerifyJackpot{Jackpot: "linked", Hit: hitOfAnn, Payment: 1, Note: verify.Note}) {
		t.Errorf("%+v wait", open)
	}
	if _, err := s.Approve(ctx(), "", manager, id); !errors.Is(err, house.ErrSamePerson) {
		t.Errorf("one person verifies it: %v", err)
	}
	if _, err := s.Approve(ctx(), "", supervisor, id); err == nil {
		t.Error("a pit supervisor approves it")
	}
	s.holds(heldAccount, 10_002*money.Major)
	if _, err := s.Approve(ctx(), "", second, id); err != nil {
		t.Fatal(err)
	}
	s.holds(heldAccount, 0)
	s.has("ann", 10_157*money.Major)
	if _, err := s.Propose(ctx(), "", manager, verify); err == nil {
		t.Error("it is verified again")
	}
	s.checked()
}

// Two people deny a held jackpot by a clause: it goes back to the jackpot, and the
// house takes back what it had reset the meter with.
func TestALargeJackpotIsDeniedByTwo(t *testing.T) {
	s := newSiteOnFile(t)
	annHits(s, table.Read)
	deny := house.DenyJackpot{Jackpot: "linked", Hit: hitOfAnn, Clause: "5.15", Note: "a card of another deck"}
	var refusal *jackpot.Refusal
	if _, err := s.Propose(ctx(), "", supervisor, deny); !errors.As(err, &refusal) || refusal.Reason != jackpot.ReasonRoundOpen {
		t.Errorf("denied while the table could put it right: %v", err)
	}
	s.do("A", dealer, table.OpenBets{})
	houseMoney := s.Balance(own0)
	id := s.propose(supervisor, deny)
	if _, err := s.Approve(ctx(), "", supervisor, id); err == nil {
		t.Error("one person denies it")
	}
	if _, err := s.Approve(ctx(), "", second, id); err != nil {
		t.Fatal(err)
	}
	s.holds(heldAccount, 0)
	s.has("ann", 155*money.Major)
	s.holds(meter, 10_002*money.Major)
	s.holds(own0, houseMoney+10_000*money.Major)
	s.checked()
}

// A table is locked before h.admin, and never after it: whoever holds a table and asks the
// house for something would wait for somebody who waits for them. So what is decided there
// about a table goes on while somebody is busy there.
func TestAdminWaitsForNoTable(t *testing.T) {
	s := newSiteOnFile(t)
	annHits(s, table.Read)
	s.do("A", dealer, table.OpenBets{})
	adjust := s.propose(cashier, house.AdjustAccount{
		Adjustment: posting.Adjustment{Player: "ann", Cause: posting.EntryError, Change: -1, Note: "n"},
		Of:         &house.RoundWager{Table: "A", Round: 1, Box: 1, Wager: rules.Ante},
	})
	var deeds []int64
	for _, p := range []house.Proposal{
		house.Fill{Table: "A", Amount: 500 * money.Major, Note: "n"},
		house.Credit{Table: "A", Amount: 100 * money.Major, Note: "n"},
		house.AdjustJackpot{Jackpot: "linked", Pot: jackpot.PotMeter, Cause: jackpot.AdjustMalfunction, Change: money.Major, Note: "n"},
		house.DenyJackpot{Jackpot: "linked", Hit: hitOfAnn, Clause: "5.15", Note: "n"},
	} {
		deeds = append(deeds, s.propose(supervisor, p))
	}
	release := s.HoldTable("A")
	done, adjusted := make(chan error, len(deeds)), make(chan error, 1)
	go func() { // this one reads a round of the table, before it comes to h.admin
		_, err := s.Approve(ctx(), "", manager, adjust)
		adjusted <- err
	}()
	for _, id := range deeds {
		go func() {
			_, err := s.Approve(ctx(), "", second, id)
			done <- err
		}()
	}
	for range deeds {
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(time.Minute):
			t.Fatal("h.admin waits for a table")
		}
	}
	release()
	if err := <-adjusted; err != nil {
		t.Error(err)
	}
	s.checked()
}

// At a virtual table the deck proves the hand: the winner has the sum at once, and two
// people countersign it.
func TestAProvenJackpotIsCountersigned(t *testing.T) {
	s := newSiteOnFile(t)
	annHits(s, table.Virtual)
	s.holds(heldAccount, 0)
	s.has("ann", 10_157*money.Major)
	s.do("A", dealer, table.OpenBets{})
	if _, err := s.Propose(ctx(), "", supervisor, house.DenyJackpot{Jackpot: "linked", Hit: hitOfAnn, Clause: "5.15", Note: "n"}); err == nil {
		t.Error("what was handed out is denied")
	}
	if _, err := s.Approve(ctx(), "", second, s.propose(supervisor, house.VerifyJackpot{Jackpot: "linked", Hit: hitOfAnn, Note: "n"})); err != nil {
		t.Fatal(err)
	}
	if state, _ := s.Jackpot("linked"); len(state.Unverified) != 0 {
		t.Errorf("%+v wait", state.Unverified)
	}
	s.has("ann", 10_157*money.Major)
	s.checked()
}

// An error that is found before the next round takes a held sum back from where it is
// held: nothing is owed for it.
func TestAHeldJackpotIsCollectedAgain(t *testing.T) {
	s := newSiteOnFile(t)
	annHits(s, table.Read)
	s.do("A", dealer, table.Report{Incident: rules.WrongCount, Box: 1, Count: 4, OrderLost: true})
	s.do("A", supervisor, table.Answer{Answer: "yes"})
	s.holds(heldAccount, 0)
	s.has("ann", 100*money.Major)
	s.holds(annOwes, 0)
	s.holds(meter, 10_000*money.Major)
	s.checked()
}

// TestNobodyMovesMoneyOfTheirOwn holds that who has become staff does not decide about what
// they have as a player: not at the cage, not by a proposal and not by an approval.
func TestNobodyMovesMoneyOfTheirOwn(t *testing.T) {
	s := newSite(t)
	s.buyIn("ann", 100*money.Major)
	for _, name := range []string{"ann", "Ann"} {
		hired := access.Person{Name: name, Role: access.Cashier}
		if _, err := s.CageTransfer(ctx(), "", hired, posting.Transfer{Reason: ledger.CashOut, Player: "ann", Amount: money.Major}); !errors.Is(err, house.ErrOwnMoney) {
			t.Errorf("%s cashes out alone: %v", name, err)
		}
		for _, p := range []house.Proposal{
			adjust(posting.Goodwill, money.Major),
			house.MoveCash{Reason: ledger.CashOut, Player: "ann", Amount: money.Major},
		} {
			kind := house.ProposalKind(p)
			if _, err := s.Propose(ctx(), "", hired, p); !errors.Is(err, house.ErrOwnMoney) {
				t.Errorf("%s proposes %s: %v", name, kind, err)
			}
			id := s.propose(cashier, p)
			if _, err := s.Approve(ctx(), "", access.Person{Name: name, Role: access.ShiftManager}, id); !errors.Is(err, house.ErrOwnMoney) {
				t.Errorf("%s approves %s: %v", name, kind, err)
			}
		}
	}
	s.holds(annHas, 100*money.Major)
}
