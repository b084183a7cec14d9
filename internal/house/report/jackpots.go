package report

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"trey/internal/house"
	"trey/internal/ledger"
	"trey/internal/record"
	"trey/jackpot"
	"trey/money"
	"trey/sentence"
)

// jackpots shows meters and reserves. What moved them comes from the postings, what
// they displayed from the events of the jackpot; the two have to meet.
type jackpots struct {
	only   string
	meters map[string]*meter
	hits   Section
	paid   money.Amount
	other  Section
	// adjusted is the sum of the adjustments by two people of the jackpots that are asked for.
	adjusted map[jackpot.AdjustmentCause]*changes
}

// changes are those that were made for one cause.
type changes struct {
	number  int64
	in, out money.Amount
}

func (c *changes) add(change *jackpot.Adjusted, add *adder) {
	c.number++
	if change.After > change.Before {
		add.to(&c.in, change.After-change.Before)
	} else {
		add.to(&c.out, change.Before-change.After)
	}
}

// meter is one jackpot.
type meter struct {
	meter, reserve fund
	hits           int64
	// displayed and kept are its meter and its reserve by the events.
	displayed, kept money.Amount
}

// fund is a meter or a reserve by the reasons for which it was moved.
type fund struct {
	opening, contributed, returned, reseeded, passed, paid, adjusted money.Amount
}

func (p *fund) closing(add *adder) (held money.Amount) {
	for _, in := range []money.Amount{p.opening, p.contributed, p.reseeded, p.adjusted} {
		add.to(&held, in)
	}
	for _, out := range []money.Amount{p.returned, p.passed, p.paid} {
		add.less(&held, out)
	}
	return held
}

func newJackpots(q *Query) *jackpots {
	return &jackpots{
		only: q.Jackpot, meters: map[string]*meter{}, adjusted: map[jackpot.AdjustmentCause]*changes{},
		hits: Section{Title: "Hits paid", Columns: []Column{
			{"at", "Time", TimeMs},
			{"seq", "Transaction", Count},
			{"jackpot", "Jackpot", Text},
			{"table", "Table", Text},
			{"round", "Round", Text},
			{"box", "Box", Count},
			{"amount", "Amount", Money},
			{"from_house", "Paid by the house", Money},
			{"next", "Meter after it", Money},
		}},
		other: Section{Title: "Terms, order and service", Columns: []Column{
			{"at", "Time", TimeMs},
			{"seq", "Transaction", Count},
			{"jackpot", "Jackpot", Text},
			{"what", "What", Text},
			{"before", "Before", Text},
			{"after", "After", Text},
			{"by", "By", Text},
		}},
	}
}

func (g *jackpots) see(e *house.StoredTransaction, within bool) error {
	var add adder
	for post, side := range sides(e) {
		if g.only != "" && g.only != side.of.Of {
			continue
		}
		var to *fund
		switch side.of.Kind {
		case ledger.Meter:
			to = &at(g.meters, side.of.Of).meter
		case ledger.Reserve:
			to = &at(g.meters, side.of.Of).reserve
		default:
			continue
		}
		to.move(&add, post, side.in, within)
	}
	if add.err != nil {
		return add.err
	}
	wanted := func(name, _ string) bool { return g.only == "" || g.only == name }
	err := eventsOf(e, "jackpot:", wanted, record.JackpotEvents.Read, func(name string, event jackpot.Event) error {
		g.event(e, name, event, within, &add)
		return nil
	})
	return errors.Join(err, add.err)
}

func (p *fund) move(add *adder, post *ledger.Posting, in, within bool) {
	if !within {
		if in {
			add.to(&p.opening, post.Amount)
		} else {
			add.less(&p.opening, post.Amount)
		}
		return
	}
	switch post.For.Reason {
	case ledger.Contribution, ledger.Overflow:
		add.to(&p.contributed, post.Amount)
	case ledger.ContributionReturned:
		add.to(&p.returned, post.Amount)
	case ledger.Reseed:
		if in {
			add.to(&p.reseeded, post.Amount)
		} else {
			add.to(&p.passed, post.Amount)
		}
	case ledger.JackpotPaid:
		add.to(&p.paid, post.Amount)
	case ledger.Collected:
		add.less(&p.paid, post.Amount)
	default: // an adjustment, and whatever is not foreseen
		if in {
			add.to(&p.adjusted, post.Amount)
		} else {
			add.less(&p.adjusted, post.Amount)
		}
	}
}

func (g *jackpots) event(e *house.StoredTransaction, name string, event jackpot.Event, within bool, add *adder) {
	held := at(g.meters, name)
	tell := func(what, before, after any, by string) {
		if within {
			g.other.add(e.AtMs, e.Seq, name, what, before, after, by)
		}
	}
	does := jackpot.EffectOf(event)
	if does.Meter.Known {
		held.displayed = does.Meter.Amount
	}
	if does.Reserve.Known {
		held.kept = does.Reserve.Amount
	}
	if within {
		held.hits += int64(does.Hits)
		g.paid += does.Paid
	}
	switch event := event.(type) {
	case jackpot.Opened:
		tell("opened", "", terms(&event.Terms), e.Cause.By)
	case jackpot.HitPaid:
		if within {
			g.hits.add(e.AtMs, e.Seq, name, event.Hit.Table, event.Hit.Round, int64(event.Hit.Box), event.Amount, event.FromHouse, event.After.Meter)
		}
		if event.NewTerms != nil {
			tell("terms in force", "", terms(event.NewTerms), e.Cause.By)
		}
	case jackpot.HitVerified:
		tell(wordsOf(sentence.Of("hit of %s verified", event.Hit)), "", sum(event.Amount), both(event.Approvers))
	case jackpot.HitReversed:
		if within { // below zero, so that the rows come to the total
			g.hits.add(e.AtMs, e.Seq, name, event.Hit.Table, event.Hit.Round, int64(event.Hit.Box), -event.Amount, -event.ToHouse, event.After.Meter)
		}
		if event.Clause != "" {
			tell(wordsOf(sentence.Of("hit of %s denied by %s", event.Hit, event.Clause)), sum(event.Amount), "", both(event.Approvers))
			return
		}
		tell(wordsOf(sentence.Of("hit of %s collected again: %s", event.Hit, sentence.Word(event.Cause.String()))), sum(event.Amount), "", e.Cause.By)
	case jackpot.Adjusted:
		tell(wordsOf(sentence.Of("%s adjusted: %s", sentence.Word(event.Pot.String()), sentence.Word(event.Cause.String()))), sum(event.Before), sum(event.After), both(event.Approvers))
		if within {
			at(g.adjusted, event.Cause).add(&event, add)
		}
	case jackpot.TermsChanged:
		tell("terms from the next hit on", terms(&event.Before), terms(&event.After), both(event.Approvers))
	case jackpot.RoundDetermined:
		tell(wordsOf(sentence.Of("order of %s", event.Round)), place(event.Before), place(event.After), both(event.Approvers))
	case jackpot.OrderDetermined:
		tell(wordsOf(sentence.Of("order of %s", event.Hit)), place(event.Before), place(event.After), both(event.Approvers))
	case jackpot.SystemWentDown:
		tell("out of order", "", sum(event.Registered), e.Cause.By)
	case jackpot.SystemCameUp:
		tell("in order again", "", sum(event.Displayed), e.Cause.By)
	}
}

// sum returns an amount for a column of words.
func sum(a money.Amount) Words { return wordsOf(sentence.Of("%s", a)) }

// both names the two people of an approval, in no language.
func both(a jackpot.Approvers) string { return a.First + ", " + a.Second }

// place says when a hand was dealt, with the number that decides between hands of one millisecond.
func place(p jackpot.Place) string { return fmt.Sprintf("%s, %d", moment(p.DealtAtMs), p.Sequence) }

func terms(t *jackpot.Terms) Words {
	var verified sentence.Sentence
	if t.VerifyFrom > 0 {
		verified = sentence.Of(", verified from %s", t.VerifyFrom)
	}
	return wordsOf(sentence.Of("bet %s, reset %s, rate %d/%d, ceiling %s, overflow %s%s",
		t.Bet, t.Reset, t.Rate.Num, t.Rate.Den, t.Ceiling, sentence.Word(t.Overflow.String()), verified))
}

func (g *jackpots) sections() ([]Section, []Words, error) {
	columns := []Column{
		{"jackpot", "Jackpot", Text},
		{"opening", "Opening", Money},
		{"contributed", "Contributions", Money},
		{"returned", "Returned", Money},
		{"reseeded", "Reseeds", Money},
		{"passed", "Used for reseeds", Money},
		{"paid", "Paid", Money},
		{"adjusted", "Adjusted", Money},
		{"closing", "Closing", Money},
		{"hits", "Hits", Count},
	}
	meters, reserves := Section{Title: "Meters", Columns: columns}, Section{Title: "Reserves", Columns: columns}
	var findings []Words
	var add adder
	for _, name := range slices.Sorted(maps.Keys(g.meters)) {
		held := g.meters[name]
		for _, of := range []struct {
			what      sentence.Word
			p         *fund
			to        *Section
			displayed money.Amount
			hits      any
		}{{"meter", &held.meter, &meters, held.displayed, held.hits}, {"reserve", &held.reserve, &reserves, held.kept, nil}} {
			p, closing := of.p, of.p.closing(&add)
			of.to.add(name, p.opening, p.contributed, p.returned, p.reseeded, p.passed, p.paid, p.adjusted, closing, of.hits)
			if closing != of.displayed {
				findings = append(findings, wordsOf(sentence.Of("The %s of %s holds %s, and its events say %s.", of.what, name, closing, of.displayed)))
			}
		}
	}
	g.hits.Totals = Row{"Total", nil, nil, nil, nil, nil, g.paid, nil, nil}
	// What leaves one jackpot for another has to come to it: the two rows of transfers show whether it did.
	causes := Section{Title: "Adjustments by cause", Columns: []Column{{"cause", "Cause", Text}, {"number", "Number", Count}, {"in", "In", Money}, {"out", "Out", Money}}}
	var all changes
	for _, cause := range slices.Sorted(maps.Keys(g.adjusted)) {
		sums := g.adjusted[cause]
		causes.add(wordsOf(sentence.Of("%s", sentence.Word(cause.String()))), sums.number, sums.in, sums.out)
		all.number += sums.number
		add.to(&all.in, sums.in)
		add.to(&all.out, sums.out)
	}
	causes.Totals = Row{"Total", all.number, all.in, all.out}
	return []Section{meters, reserves, g.hits, g.other, causes}, findings, add.err
}
