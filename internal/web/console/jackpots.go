package console

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"trey/internal/house"
	"trey/internal/house/identity"
	"trey/internal/web/site"
	"trey/jackpot"
	"trey/money"
	"trey/table"
)

// jackpotView is a jackpot as a member of the staff sees it.
type jackpotView struct {
	name  string
	state jackpot.State
	hits  []house.PendingHit
}

// waiting returns the terms that the next hit brings, or those in force if no others wait.
func (p *jackpotView) waiting() jackpot.Terms {
	if p.state.NextTerms != nil {
		return *p.state.NextTerms
	}
	return p.state.Terms
}

func (d *handlers) jackpotsOf(names []string) (all []jackpotView, err error) {
	for _, name := range names {
		p := jackpotView{name: name}
		p.state, _ = d.House.Jackpot(name)
		if p.hits, err = d.House.PendingHits(name); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// jackpot finds a jackpot by its name; nil if no table plays for it.
func (f *floorView) jackpot(name string) *jackpotView {
	for i := range f.jackpotViews {
		if f.jackpotViews[i].name == name {
			return &f.jackpotViews[i]
		}
	}
	return nil
}

// seat is a possible place of a hit in the order of payment.
type seat struct{ value, label string }

// seats returns the places that a hit could be given: before all others, or behind one of them.
// The hit's own place is not among them.
func (p *jackpotView) seats(v *site.Visit, hit int) (all []seat) {
	for i := -1; i < len(p.hits); i++ {
		if i == hit || i == hit-1 {
			continue
		}
		if i < 0 {
			first := p.hits[0].Place
			all = append(all, seat{placeText(jackpot.Place{DealtAtMs: first.DealtAtMs - 1}), v.T("console.hit-first")})
			continue
		}
		all = append(all, p.behind(v, i)[0])
	}
	return all
}

// behind returns the places behind each hit, from one on.
func (p *jackpotView) behind(v *site.Visit, from int) (all []seat) {
	for i := from; i < len(p.hits); i++ {
		behind := p.hits[i].Place
		behind.Sequence++
		all = append(all, seat{placeText(p.state.FreeFrom(behind)), v.T("console.hit-behind", "n", i+1, "hit", hitName(v, p.hits[i].ID))})
	}
	return all
}

// dealt returns the rounds that a hit waits for: dealt before it, and not decided yet.
func (p *jackpotView) dealt() (all []jackpot.Round) {
	if len(p.hits) == 0 {
		return nil
	}
	last := p.hits[len(p.hits)-1]
	for _, r := range p.state.Dealt() {
		if r.ID != last.ID.RoundID() && r.Dealt.Compare(last.Place) < 0 {
			all = append(all, r)
		}
	}
	return all
}

// handsOf names all hands of a round.
func handsOf(id jackpot.RoundID) jackpot.HitID {
	return jackpot.HitID{Table: id.Table, Round: id.Round}
}

// hitName returns a hit, or without a box a round, as people call it.
func hitName(v *site.Visit, id jackpot.HitID) string {
	if id.Box == 0 {
		return v.T("console.hit-round", "table", id.Table, "round", id.Round)
	}
	return v.T("console.hit", "table", id.Table, "round", id.Round, "box", id.Box)
}

// instant returns the time at which a hand was dealt, to the last digit that can decide.
func instant(p jackpot.Place) string {
	text := time.UnixMilli(p.DealtAtMs).Format("15:04:05.000")
	if p.Sequence != 0 {
		text += " · " + strconv.FormatInt(p.Sequence, 10)
	}
	return text
}

func placeText(p jackpot.Place) string { return fmt.Sprintf("%d %d", p.DealtAtMs, p.Sequence) }

func parsePlace(text string) (p jackpot.Place, err error) {
	at, sequence, _ := strings.Cut(text, " ")
	if p.DealtAtMs, err = strconv.ParseInt(at, 10, 64); err == nil {
		p.Sequence, err = strconv.ParseInt(sequence, 10, 64)
	}
	return p, err
}

// reordered returns the pending hits in their order of payment after a proposal. None are
// returned if the hit waits no more.
func (p *jackpotView) reordered(o house.DetermineOrder) (after []house.PendingHit) {
	found := false
	for _, h := range p.hits {
		if h.ID == o.Hit {
			h.Place, found = o.Place, true
		}
		after = append(after, h)
	}
	if !found {
		return nil
	}
	slices.SortStableFunc(after, func(a, b house.PendingHit) int { return a.Place.Compare(b.Place) })
	return after
}

// readOrder reads which place a hit is to have.
func readOrder(v *site.Visit, form url.Values) (house.Proposal, *answer) {
	o := house.DetermineOrder{Jackpot: form.Get("jackpot"), Note: strings.TrimSpace(form.Get("note"))}
	o.Hit = jackpot.HitID{Table: form.Get("table"), Round: form.Get("round")}
	var err error
	if o.Hit.Box, err = strconv.Atoi(form.Get("box")); err == nil {
		o.Place, err = parsePlace(form.Get("place"))
	}
	if err != nil {
		return nil, malformed(v, v.T("problem.form"))
	}
	return o, nil
}

// readVerification reads whether a paid hit stands, or by which clause it does not.
func readVerification(v *site.Visit, form url.Values) (house.Proposal, *answer) {
	box, err := strconv.Atoi(form.Get("box"))
	if err != nil {
		return nil, malformed(v, v.T("problem.form"))
	}
	hit := jackpot.HitID{Table: form.Get("table"), Round: form.Get("round"), Box: box}
	note := strings.TrimSpace(form.Get("note"))
	if form.Get("kind") == "deny-jackpot" {
		return house.DenyJackpot{Jackpot: form.Get("jackpot"), Hit: hit, Clause: form.Get("clause"), Note: note}, nil
	}
	return house.VerifyJackpot{Jackpot: form.Get("jackpot"), Hit: hit, Note: note}, nil
}

// readTerms reads the terms of a jackpot. The prescribed bet is part of the rules of
// its tables and stays.
func (d *handlers) readTerms(v *site.Visit, form url.Values) (house.Proposal, *answer) {
	c := house.ChangeTerms{Jackpot: form.Get("jackpot"), Note: strings.TrimSpace(form.Get("note"))}
	state, ok := d.House.Jackpot(c.Jackpot)
	if !ok {
		return nil, malformed(v, v.T("problem.form"))
	}
	c.Terms.Bet = state.Terms.Bet
	for name, into := range map[string]*money.Amount{"reset": &c.Terms.Reset, "ceiling": &c.Terms.Ceiling} {
		amount, err := money.Parse(strings.TrimSpace(form.Get(name)))
		if err != nil {
			return nil, malformed(v, v.T("console.amount-wrong"))
		}
		*into = amount
	}
	if text := strings.TrimSpace(form.Get("verify")); text != "" {
		amount, err := money.Parse(text)
		if err != nil {
			return nil, malformed(v, v.T("console.amount-wrong"))
		}
		c.Terms.VerifyFrom = amount
	}
	for name, into := range map[string]*int64{"rate-num": &c.Terms.Rate.Num, "rate-den": &c.Terms.Rate.Den} {
		n, err := strconv.ParseInt(strings.TrimSpace(form.Get(name)), 10, 64)
		if err != nil {
			return nil, malformed(v, v.T("console.number-wrong", "text", form.Get(name)))
		}
		*into = n
	}
	if c.Terms.Overflow.UnmarshalText([]byte(form.Get("overflow"))) != nil {
		return nil, malformed(v, v.T("problem.form"))
	}
	return c, nil
}

// jackpotDown reports that the system of a jackpot has failed, at all its tables.
func (d *handlers) jackpotDown(v *site.Visit, s identity.Session, form url.Values) (*answer, error) {
	reports, err := d.House.ReportJackpotDown(v.Context(), key(form.Get("key")), s.Person, form.Get("jackpot"), strings.TrimSpace(form.Get("note")))
	if err != nil {
		return nil, err
	}
	return atTables(v, reports, downAt), nil
}

// atTables answers with the effect of an act at each table of a jackpot.
func atTables(v *site.Visit, reports []house.TableReport, at func(*site.Visit, *house.TableReport) string) *answer {
	said := make([]string, len(reports))
	for i := range reports {
		said[i] = at(v, &reports[i])
	}
	return done(v.Sentences(said...))
}

// whyRefused says why a table has not carried out what it was asked with all of its jackpot.
func whyRefused(v *site.Visit, r *house.TableReport) string {
	var refusal *table.Refusal
	if errors.As(r.Refused, &refusal) {
		return v.T("refusal." + refusal.Reason.String())
	}
	return v.T("console.idle-stopped")
}

// downAt says what a report of a jackpot's failure came to at one table.
func downAt(v *site.Visit, r *house.TableReport) string {
	then, _ := r.Outcome()
	switch {
	case r.Refused != nil:
		return v.T("console.jackpot-down-refused", "table", r.Table, "why", whyRefused(v, r))
	case then == 0:
		return v.T("console.jackpot-down-question", "table", r.Table)
	}
	return v.T("console.jackpot-down-at", "table", r.Table, "then", v.T("outcome."+then.String()))
}

// jackpotUp puts a jackpot back into service at all its tables.
func (d *handlers) jackpotUp(v *site.Visit, s identity.Session, form url.Values) (*answer, error) {
	reports, err := d.House.RestoreJackpot(v.Context(), key(form.Get("key")), s.Person, form.Get("jackpot"))
	if err != nil {
		return nil, err
	}
	return atTables(v, reports, upAt), nil
}

// firstOf lists tables by name, the first ones where they are many.
func firstOf(v *site.Visit, tables []string) string {
	const most = 12
	words := strings.Join(tables[:min(most, len(tables))], v.T("told.comma"))
	if len(tables) > most {
		words += "…"
	}
	return words
}

// upAt says what putting a jackpot back into service came to at one table.
func upAt(v *site.Visit, r *house.TableReport) string {
	switch {
	case r.Refused != nil:
		return v.T("console.jackpot-up-refused", "table", r.Table, "why", whyRefused(v, r))
	case r.Later:
		return v.T("console.jackpot-up-later", "table", r.Table)
	}
	return v.T("console.jackpot-up-at", "table", r.Table)
}

// termRow is one value of the terms of a jackpot.
type termRow struct{ name, inForce, waits, asked string }

// termRows returns all values of the terms: those in force, those due from the next hit on, and
// those that a person asks for.
func termRows(v *site.Visit, p *jackpotView, asked *jackpot.Terms) []termRow {
	words := func(t jackpot.Terms) [6]string {
		verify := v.T("console.terms-verify-none")
		if t.VerifyFrom > 0 {
			verify = v.Money(t.VerifyFrom)
		}
		return [6]string{
			v.Money(t.Bet), v.Money(t.Reset), fmt.Sprintf("%d / %d", t.Rate.Num, t.Rate.Den), v.Money(t.Ceiling),
			v.T("console.overflow-" + cmp.Or(t.Overflow, jackpot.OverflowOnTop).String()), verify,
		}
	}
	inForce, waits := words(p.state.Terms), words(p.waiting())
	rows := make([]termRow, len(inForce))
	for i, name := range []string{"bet", "reset", "rate", "ceiling", "overflow", "verify"} {
		rows[i] = termRow{name: v.T("console.terms-" + name), inForce: inForce[i], waits: waits[i]}
		if asked != nil {
			then := *asked
			if then.VerifyFrom == 0 {
				then.VerifyFrom = p.waiting().VerifyFrom // left out, it stays as it is
			}
			rows[i].asked = words(then)[i]
		}
	}
	return rows
}

func overflows() []jackpot.Overflow {
	return []jackpot.Overflow{jackpot.OverflowOnTop, jackpot.OverflowFirst}
}

// pathOf returns a name as part of an address.
func pathOf(name string) string { return url.PathEscape(name) }

// toVerify says who has a hit of how much that two people verify.
func toVerify(v *site.Visit, u *jackpot.Unverified) string {
	if u.Held {
		return v.T("console.hit-held", "amount", v.Money(u.Amount), "player", u.Winner)
	}
	return v.T("console.hit-countersign", "amount", v.Money(u.Amount), "player", u.Winner)
}
