package simulation

import (
	"fmt"
	"slices"

	"trey/internal/house"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/rules/sampled"
	"trey/table"
)

const jackpotName = "linked"

// floorTable is a table on the floor.
type floorTable struct {
	name    string
	variant *rules.Variant
	config  table.Config
	mode    house.Mode
	pace    house.Pace
}

// player is a person who plays by a temper.
type player struct {
	name string
	// temper decides about the bets, and whether the player ever decides.
	temper temper
}

type temper uint8

const (
	_        temper = iota
	patient         // bets and decides
	bold            // bets several times the least, and never folds
	absent          // bets, and often does nothing more
	poor            // has little, and bets more than that
	restless        // withdraws, cashes out, asks for what no player may have
)

// furnish puts tables of all books on the floor, three of which share a
// jackpot that is hit all the time, and lets players in.
func (w *world) furnish() {
	w.Helper()
	w.house = nil
	w.open()
	floor := []string{"rws-3cp", "us-3cp", "rws-3cp", "sm-3cp", "mbs-3pictures", "rws-3cp"}
	for _, b := range books.All() {
		if !slices.Contains(floor, b.ID) {
			floor = append(floor, b.ID)
		}
	}
	for _, book := range floor {
		f := &floorTable{name: fmt.Sprintf("%s %d", book, len(w.floor)+1), variant: w.variant(book)}
		f.config = table.Config{
			Device: pick(w, f.variant.Book.Devices).Device,
			Cards:  []table.Sight{table.Virtual, table.Virtual, table.Read, table.Unseen}[w.rng.IntN(4)],
		}
		if f.mode = house.DealerRun; len(w.floor)%4 == 1 { // one with the jackpot, and one without
			f.mode, f.pace, f.config.Cards = house.Automatic, w.pace(), table.Virtual
			f.variant.Choices[rules.AbsentPlayer] = rules.FoldUndecided // nobody is there to go on
		}
		f.config.Chips = f.config.Cards != table.Virtual && w.one(2)
		w.floor = append(w.floor, f)
		w.install(f)
	}
	for i, name := range []string{"ann", "ben", "cai", "dee", "eve", "fay", "gus"} {
		p := &player{name: name, temper: temper(1 + i%5)}
		w.players = append(w.players, p)
		amount := 50_000 * money.Major
		if p.temper == poor {
			amount = 60 * money.Major
		}
		w.send(w.request(cashier, posting.Transfer{Reason: ledger.BuyIn, Player: name, Amount: amount}, nil))
	}
	w.read()
}

func (w *world) install(f *floorTable) {
	w.Helper()
	t := house.Table{Name: f.name, Variant: f.variant, Config: f.config, Mode: f.mode, Pace: f.pace}
	if f.variant.Jackpot != nil {
		// The meter runs from 50 to 62: some hits are verified by people, some are not.
		t.Jackpot, t.VerifyFrom = jackpotName, 53*money.Major
	}
	for range 50 {
		err := w.house.Install(ctx(), t, admin)
		if err == nil {
			w.read()
			return
		}
		w.note("install %s: %v", f.name, err)
		w.restart(0)
	}
	w.fail("table %s cannot be installed", f.name)
}

// pace draws a clock, with nothing to wait for at times.
func (w *world) pace() house.Pace {
	if w.one(4) {
		return house.Pace{}
	}
	return house.Pace{BettingMs: 6_000, DecisionMs: 5_000, OptionMs: 4_000, DealMs: int64(w.rng.IntN(900)), ShowMs: 1_000}
}

// variant draws limits and rulings. A jackpot's meter starts at $50 and is full at $62, and a
// hand as common as a pair may win it. In every second house any hand does, so that one is
// dealt while another waits to be paid.
func (w *world) variant(id string) *rules.Variant {
	w.Helper()
	b, err := books.Find(id)
	if err != nil {
		w.fail("%v", err)
	}
	v := b.Standard().Clone()
	v.Boxes = min(max([]int{3, 5, 7}[w.rng.IntN(3)], b.Boxes.Least()), b.Boxes.Max)
	for _, r := range b.Open() {
		if w.one(3) {
			v.Choices[r] = pick(w, r.Rule().Choices)
		}
	}
	sampled.Fit(v)
	for i := range b.Wagers {
		if rule := &b.Wagers[i]; rule.Stake == rules.WithinLimits && rule.Limit.Max == 0 {
			v.Limits[rule.Wager] = rules.Limit{Min: 500, Max: 3000}
		}
	}
	if v.Jackpot != nil {
		v.Jackpot = &rules.JackpotTerms{Bet: 5 * money.Major, Reset: 50 * money.Major, RateNum: 37, RateDen: 99, Ceiling: 62 * money.Major}
		pays := *v.Pays[rules.Progressive]
		pays.Rows = slices.Clone(pays.Rows)
		common := []rules.Combo{rules.Flush, rules.AnyHand, rules.Pair, rules.AnyHand}[w.seed%4]
		pays.Rows = []rules.PayRow{{Combo: common, Pay: rules.Pay{MeterPercent: 100}, Clause: pays.Rows[0].Clause}}
		if w.seed%2 == 0 {
			pays.Rows[0].Envy = 3 * money.Major
		}
		v.Pays[rules.Progressive] = &pays
	}
	if offered := v.Pays[rules.Bonus]; offered != nil && b.Rule(rules.Bonus).Envy { // hands as common as a pair bring an Envy Bonus
		pays := *offered
		pays.Rows = append(slices.Clone(pays.Rows), rules.PayRow{Combo: rules.Pair, Pay: rules.ToOne(1), Envy: 2 * money.Major, Clause: pays.Rows[0].Clause})
		v.Pays[rules.Bonus] = &pays
	}
	if err := v.Check(); err != nil {
		w.fail("table of %s: %v", id, err)
	}
	return v
}
