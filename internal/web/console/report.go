package console

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"trey/card"
	"trey/internal/house"
	"trey/internal/web/pit"
	"trey/internal/web/site"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// form is the report of an irregularity as it is filled in.
type form struct {
	incident rules.Incident
	// targets are whom or what it can be about, as the engine lists them.
	targets []target
	// values are the entries of the form.
	values url.Values
	// wrong names the entry that cannot be read, and seen the effect of the report by a dry
	// run.
	wrong *answer
	seen  *consequence
}

// target is one thing that a report can be about.
type target struct{ value, label string }

// consequence is the effect of a report, as a dry run by the house found it.
type consequence struct {
	version int64
	outcome rules.Outcome
	clause  string
	events  []pit.TimedLine
	// withheld says that more follows, which hangs on cards that nobody has seen.
	withheld bool
}

// fields are the fields of a report of an incident, beside its subject and a note.
var fields = map[rules.Incident][]string{
	rules.DeckCount:             {"count"},
	rules.InsufficientCards:     {},
	rules.CardExposed:           {"exposed", "turned-later", "before-look"},
	rules.CardFaceUp:            {"exposed"},
	rules.DrawnTogether:         {"cards", "order-known"},
	rules.DealtIncorrectly:      {"lies", "order-lost", "before-look"},
	rules.WrongCount:            {"count-hand", "order-lost", "before-look"},
	rules.BurnMissed:            {"order-lost", "before-look"},
	rules.Misdeal:               {"lies", "boxes", "order-lost", "before-look"},
	rules.LateBet:               {"wager", "amount", "counted"},
	rules.Mispaid:               {"wager", "given"},
	rules.LateWithdrawal:        {"wager"},
	rules.ProgressiveDown:       {"boxes", "meter", "before-look"},
	rules.HandTouched:           {"looked", "in-the-deal"},
	rules.HandsDiscussed:        {"before-dealer"},
	rules.CardMisread:           {"misread"},
	rules.TechnicalInterruption: {"lasted"},
	rules.Uncovered:             {"boxes"},
}

// flags are the facts of a report that are ticked, in the order of the form.
var flags = []string{"counted", "turned-later", "order-lost", "order-known", "before-look", "looked", "in-the-deal", "before-dealer"}

// beforeLook is the flag of each incident that says that it came before a look.
var beforeLook = map[rules.Incident]string{
	rules.CardExposed: "before-look", rules.DealtIncorrectly: "before-look", rules.WrongCount: "before-look",
	rules.BurnMissed: "before-look", rules.Misdeal: "before-look", rules.ProgressiveDown: "before-look",
	rules.HandTouched: "in-the-deal", rules.HandsDiscussed: "before-dealer",
}

func (f *form) has(field string) bool { return slices.Contains(fields[f.incident], field) }

// flagged reports whether a flag of the form is ticked.
func (f *form) flagged(flag string) bool { return f.has(flag) && f.values.Get(flag) != "" }

// report shows the form of an irregularity, what it would lead to, and carries it
// out when that has been confirmed.
func (d *handlers) report(v *site.Visit) error {
	s, ok, err := d.staff(v)
	if !ok {
		return err
	}
	t, err := d.tableOf(v, s)
	if err != nil {
		return err
	}
	f := &form{}
	if f.incident, err = rules.ParseIncident(v.Request.PathValue("incident")); err != nil {
		return v.NotFound()
	}
	f.targets = t.targets(v, f.incident)
	if slices.Contains(t.earlier(), f.incident) {
		if f.targets, err = d.earlierTargets(v, t, f.incident); err != nil {
			return err
		}
		f.values = url.Values{"round": {itoa(t.State.Round() - 1)}}
	}
	if v.Request.Method == "GET" {
		return d.showForm(v, t, f)
	}
	if f.values, err = v.Form(16 << 10); err != nil {
		return err
	}
	report, wrong := f.read(v)
	if wrong != nil {
		f.wrong = wrong
		return d.showForm(v, t, f)
	}
	o := house.CommandRequest{Table: t.Name, By: s.Person, Do: report, Expect: &t.Version}
	if confirmed := f.values.Get("confirm"); confirmed != "" {
		version, err := strconv.ParseInt(confirmed, 10, 64)
		if err != nil {
			return &site.Problem{Status: 400, Text: v.T("problem.form")}
		}
		o.Key, o.Expect = key(f.values.Get("key")), &version
		if _, err = d.House.Do(v.Context(), o); err == nil {
			return d.answer(v, s, done(v.T("console.reported")))
		}
		if f.wrong, err = refused(v, err); err != nil {
			return err
		}
		return d.showForm(v, t, f)
	}
	tried, err := d.House.DryRun(v.Context(), o)
	if err != nil {
		if f.wrong, err = refused(v, err); err != nil {
			return err
		}
		return d.showForm(v, t, f)
	}
	events, all := tried.Foreseen()
	f.seen = &consequence{version: t.Version, withheld: !all}
	for _, e := range events {
		if reported, ok := e.For(table.Viewer{}).(table.Reported); ok {
			f.seen.outcome, f.seen.clause = reported.Outcome, reported.Clause
			continue
		}
		f.seen.events = append(f.seen.events, pit.Narrate(e.For(table.Viewer{}), t.State.Variant(), 0)...)
	}
	return d.showForm(v, t, f)
}

func (d *handlers) showForm(v *site.Visit, t *tableView, f *form) error {
	if v.Wants(site.FragmentHeader) {
		return v.Fragment(reportForm(v, t, f))
	}
	return d.showTable(v, t.person, nil, f)
}

// targets returns the possible subjects of a report. The engine lists a report for each box and
// player; the page sends back which.
func (t *tableView) targets(v *site.Visit, i rules.Incident) (all []target) {
	for _, do := range t.State.Legal(t.person.Actor()) {
		r, ok := do.(table.Report)
		if !ok || r.Incident != i || t.CheckBehalf(t.person.Person, do) != nil {
			continue
		}
		var found target
		switch {
		case r.Dealer:
			found = target{"dealer", v.T("console.dealers-hand")}
		case r.Box != 0:
			found = target{itoa(r.Box), v.T("felt.box", "n", r.Box)}
			if r.Player != "" {
				found.value += " " + r.Player
				found.label = v.T("console.box-of", "n", r.Box, "player", r.Player)
			}
		case r.Player != "":
			found = target{"0 " + r.Player, r.Player}
		default:
			continue
		}
		if !slices.Contains(all, found) {
			all = append(all, found)
		}
	}
	return all
}

// read makes a report of what was typed.
func (f *form) read(v *site.Visit) (table.Report, *answer) {
	r := table.Report{Incident: f.incident, Note: strings.TrimSpace(f.values.Get("note"))}
	if text := f.values.Get("target"); text == "dealer" {
		r.Dealer = true
	} else if text != "" {
		box, player, _ := strings.Cut(text, " ")
		r.Box, _ = strconv.Atoi(box)
		r.Player = player
	}
	number := func(name string, into *int) *answer {
		text := strings.TrimSpace(f.values.Get(name))
		if text == "" {
			return nil
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return malformed(v, v.T("console.number-wrong", "text", text))
		}
		*into = n
		return nil
	}
	amount := func(name string, into *money.Amount) *answer {
		text := strings.TrimSpace(f.values.Get(name))
		if text == "" {
			return nil
		}
		a, err := money.Parse(text)
		if err != nil {
			return malformed(v, v.T("console.amount-wrong"))
		}
		*into = a
		return nil
	}
	seconds := 0
	for _, wrong := range []*answer{
		number("count", &r.Count), number("count-hand", &r.Count), number("round", &r.Round), number("lasted", &seconds),
		amount("amount", &r.Amount), amount("given", &r.Amount), amount("meter", &r.Meter),
	} {
		if wrong != nil {
			return r, wrong
		}
	}
	if wrong := f.readLies(v, &r); wrong != nil {
		return r, wrong
	}
	r.LastedMs = int64(seconds) * 1000
	for flag, into := range map[string]*bool{
		"turned-later": &r.Turned, "order-lost": &r.OrderLost, "order-known": &r.OrderKnown, "looked": &r.Looked, "counted": &r.Counted,
	} {
		*into = f.flagged(flag)
	}
	r.BeforeLook = f.flagged(beforeLook[r.Incident])
	if text := f.values.Get("wager"); text != "" {
		var err error
		if r.Wager, err = rules.ParseWager(text); err != nil {
			return r, malformed(v, v.T("problem.form"))
		}
	}
	for _, text := range f.values["box"] {
		if n, err := strconv.Atoi(text); err == nil {
			r.Boxes = append(r.Boxes, n)
		}
	}
	if text := f.values.Get("cards"); text != "" {
		cards, err := parseCards(text)
		if err != nil {
			return r, malformed(v, v.T("console.cards-wrong", "text", err.Error()))
		}
		for _, c := range cards {
			r.Cards = append(r.Cards, table.Exposed{At: c.To, Card: c.Card})
		}
	}
	faces := f.values["face"]
	for i, text := range f.values["at"] {
		if text == "" {
			continue
		}
		where, index, numbered := strings.Cut(text, "/")
		at, err := table.ParsePlace(where)
		if err != nil {
			return r, malformed(v, v.T("problem.form"))
		}
		e := table.Exposed{At: at}
		if numbered {
			if e.Index, err = strconv.Atoi(index); err != nil {
				return r, malformed(v, v.T("problem.form"))
			}
		}
		if i < len(faces) && strings.TrimSpace(faces[i]) != "" {
			if e.Card, err = typed(strings.TrimSpace(faces[i])); err != nil {
				return r, malformed(v, v.T("console.cards-wrong", "text", faces[i]))
			}
		}
		r.Cards = append(r.Cards, e)
	}
	return r, nil
}

// readLies reads how many cards lie where: a field for the number and one for where
// the cards were meant to lie, at each place.
func (f *form) readLies(v *site.Visit, r *table.Report) *answer {
	if !f.has("lies") {
		return nil
	}
	for p := table.Box(1); p <= table.Out; p++ {
		text := strings.TrimSpace(f.values.Get("lies-" + placeKey(p)))
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return malformed(v, v.T("console.number-wrong", "text", text))
		}
		lies := table.Lying{At: p, Count: n}
		if meant := f.values.Get("meant-" + placeKey(p)); meant != "" {
			if lies.Meant, err = table.ParsePlace(meant); err != nil {
				return malformed(v, v.T("problem.form"))
			}
		}
		r.Lies = append(r.Lies, lies)
	}
	return nil
}

// at returns the nth value of a field with several.
func (f *form) at(name string, n int) string {
	if all := f.values[name]; n < len(all) {
		return all[n]
	}
	return ""
}

// places returns the places of cards that nobody has seen.
func (t *tableView) places() (all []table.Place) {
	for _, lies := range t.State.Cards() {
		if !lies.Open && !slices.Contains(all, lies.At) {
			all = append(all, lies.At)
		}
	}
	return all
}

// openCards returns the cards that lie open, for a form that corrects one.
func (t *tableView) openCards(v *site.Visit) (all []target) {
	var lie [table.Out + 1]int
	for _, lies := range t.State.Cards() {
		lie[lies.At]++
		if lies.Open {
			key := placeKey(lies.At) + "/" + itoa(lie[lies.At])
			all = append(all, target{key, v.T("console.facts-card-named", "place", placeName(v, lies.At), "card", v.Card(lies.Card))})
		}
	}
	return all
}

// dealtTo returns the places that the cards of the round are dealt to.
func (t *tableView) dealtTo() (all []table.Place) {
	for box := 1; box <= t.State.Boxes(); box++ {
		if t.State.Staked(box) && !t.State.Invalid(box) {
			all = append(all, table.Box(box))
		}
	}
	all = append(all, table.DealerHand)
	if t.State.Variant().Burns(t.Config.Device) {
		all = append(all, table.BurnPile)
	}
	return all
}

// facts returns the facts that a report states, in words, for the person who confirms it.
func (t *tableView) facts(v *site.Visit, q *table.OpenQuestion) []string {
	r := &q.Report
	role := v.T("function." + q.By.Role.String())
	if q.Found != (table.Found{}) {
		when := "console.facts-found"
		if t.State.Variant().Book.Rule(q.Found.Wager).Stake == rules.EqualToBasis {
			when = "console.facts-found-played" // It is placed after the call.
		}
		return []string{
			v.T(when, "name", q.By.Name, "role", role), v.T("felt.box", "n", q.Found.Box), q.Found.Player,
			v.Term(q.Found.Wager.Name()), v.T("console.facts-amount", "amount", v.Money(q.Found.Amount)),
		}
	}
	all := []string{v.T("console.facts-by", "name", q.By.Name, "role", role, "incident", v.T("incident."+r.Incident.String()))}
	add := func(there bool, text func() string) {
		if there {
			all = append(all, text())
		}
	}
	add(r.Dealer, func() string { return v.T("console.dealers-hand") })
	add(r.Box != 0, func() string { return v.T("felt.box", "n", r.Box) })
	add(r.Player != "" && !r.Active, func() string { return r.Player })
	add(r.Active, func() string { return v.T("console.facts-active", "player", r.Player) })
	add(r.Wager != 0, func() string { return v.Term(r.Wager.Name()) })
	add(r.Amount != 0 && r.Incident == rules.Mispaid, func() string { return v.T("console.facts-given", "amount", v.Money(r.Amount)) })
	add(r.Amount != 0 && r.Incident != rules.Mispaid, func() string { return v.T("console.facts-amount", "amount", v.Money(r.Amount)) })
	add(r.Meter != 0, func() string { return v.T("console.facts-meter", "amount", v.Money(r.Meter)) })
	add(r.Count != 0, func() string { return v.N("console.facts-count", r.Count) })
	add(r.LastedMs != 0, func() string {
		return v.T("console.facts-lasted", "n", strconv.FormatFloat(float64(r.LastedMs)/1000, 'f', -1, 64))
	})
	for _, l := range r.Lies {
		if l.Meant != 0 {
			all = append(all, v.N("console.facts-meant", l.Count, "place", placeName(v, l.At), "meant", placeName(v, l.Meant)))
			continue
		}
		all = append(all, v.N("console.facts-lies", l.Count, "place", placeName(v, l.At)))
	}
	for _, c := range r.Cards {
		switch {
		case c.At == 0 && c.Card.Valid():
			all = append(all, v.Card(c.Card))
		case c.At != 0 && c.Card.Valid():
			all = append(all, v.T("console.facts-card-named", "place", placeName(v, c.At), "card", v.Card(c.Card)))
		case c.At != 0:
			all = append(all, v.T("console.facts-card", "place", placeName(v, c.At)))
		}
	}
	if len(r.Boxes) > 0 {
		boxes := make([]string, len(r.Boxes))
		for i, box := range r.Boxes {
			boxes[i] = itoa(box)
		}
		all = append(all, v.T("console.facts-boxes", "boxes", strings.Join(boxes, ", ")))
	}
	add(r.Turned, func() string { return v.T("console.turned-later") })
	add(r.Counted, func() string { return v.T("console.counted") })
	add(r.OrderLost, func() string { return v.T("console.order-lost") })
	add(r.OrderKnown, func() string { return v.T("console.order-known") })
	add(r.BeforeLook, func() string { return v.T("console." + cmp.Or(beforeLook[r.Incident], "before-look")) })
	add(r.Looked, func() string { return v.T("console.looked") })
	add(r.Note != "", func() string { return v.T("console.facts-note", "text", r.Note) })
	return all
}

// placeKey returns a place as a form names it, and placeName as people do.
func placeKey(p table.Place) string {
	text, err := p.MarshalText()
	if err != nil {
		return ""
	}
	return string(text)
}

func placeName(v *site.Visit, p table.Place) string {
	switch {
	case p.IsBox():
		return v.T("felt.box", "n", placeKey(p))
	case p == table.DealerHand:
		return v.T("felt.dealer")
	case p == table.BurnPile:
		return v.T("felt.burn")
	}
	return v.T("console.out")
}

// deck is the pad of cards, a row for each suit.
var deck = func() (rows [4][13]card.Card) {
	for i := range 52 {
		c := card.FromIndex(i)
		rows[c.Suit()-card.Clubs][c.Rank()-card.Two] = c
	}
	slices.Reverse(rows[:])
	return rows
}()
