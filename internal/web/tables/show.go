package tables

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"trey/internal/house/autodealer"
	"trey/internal/web/felt"
	"trey/internal/web/lang"
	"trey/internal/web/live"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// partsOf returns the parts of a table's page that change with the table.
func partsOf(h *handlers, m *moment, r *reader) []live.Part {
	v := viewOf(m, r, h)
	sentences := v.tell(m.history)
	all := []live.Part{
		{ID: "dealer", Body: dealerPart(v, v.bubble(m, sentences))},
		{ID: "wins", Body: winsPart(v)},
		{ID: "pays", Body: paysPart(v)},
	}
	result := live.Part{ID: "result", Body: templ.NopComponent}
	if e := v.ownRound(m); e != nil {
		net, _ := v.netIn(e)
		result.Body = resultPart(v, e, v.outcome(e), net)
	}
	all = append(all, result)
	for i := range v.seats {
		all = append(all, live.Part{ID: boxPart(i + 1), Body: seatPart(v, &v.seats[i])})
	}
	var ofReader, others []table.Line
	past, lines := m.rounds(), v.picture.Lines
	// The lines are of the round before while nothing is settled in this one.
	var over *ended // the round of the lines, unless it goes on
	if len(past) > 0 && (m.over() || len(lines) == 0) {
		over = &past[0]
		lines = over.lines(r.viewer())
	}
	for _, l := range lines {
		mine := r.plays() && l.Player == r.person.Name
		l.Player = v.called(l.Player)
		if mine {
			ofReader = append(ofReader, l)
		} else {
			others = append(others, l)
		}
	}
	all = append(
		all,
		live.Part{ID: "told", Body: toldPart(v, sentences)},
		live.Part{ID: "lines", Body: linesPart(v, over, ofReader, others, v.deniedIn(over))},
		live.Part{ID: "rounds", Body: roundsPart(v, past)},
		live.Part{ID: "seed", Body: seedPart(r, &m.seed)},
	)
	if !r.plays() { // those of a player depend on their balance and session too: see ownFrame
		all = append(all, live.Part{ID: "bar", Body: barPart(v, m, nil)}, live.Part{ID: "stats", Body: statsPart(r, statisticsOf(m, r, 0))})
	}
	if r.plays() {
		all = append(all, live.Part{ID: "trainer", Body: trainerPart(v, h.trainer.list(v), h.score(m, v))})
	}
	return all
}

// shortcuts are the keys that press buttons, by what these do.
var shortcuts = map[string]string{
	"again": "R", "double": "D", "undo": "U", "clear": "C", "ready": "N", "deal-again": "N", "examine": "E", "raise": "P", "fold": "F",
	"lay-up": "L", "go-on": "G", "take-back": "B", "ask": "B",
}

// shortcut returns the key for a button; where several hands have one, it is that of the first
// that may be pressed.
func shortcut(do string) string {
	what, _, _ := strings.Cut(do, ":")
	return shortcuts[what]
}

// pressed names the key that presses a button, if there is one.
func pressed(key string) templ.Attributes {
	if key != "" {
		return templ.Attributes{"aria-keyshortcuts": key}
	}
	return nil
}

func boxPart(box int) string { return fmt.Sprintf("box-%d", box) }

func cardKey(at string, i int, f felt.Face) string {
	if f.Down {
		return fmt.Sprintf("%s-%d-down", at, i)
	}
	return fmt.Sprintf("%s-%d-%s", at, i, f.Card)
}

// names lists who bets on a box.
func names(s *seat) []string {
	var all []string
	for _, b := range s.Bettors {
		if !slices.Contains(all, b.Player) {
			all = append(all, b.Player)
		}
	}
	return all
}

func badges(v *view, s *seat) []string {
	var all []string
	if s.Examined && s.Decision == table.Undecided && !s.Up && s.rank() == "" {
		all = append(all, v.T("felt.examined"))
	}
	if s.Decision == table.Played && !s.ended { // then the net shows the result
		all = append(all, v.T("felt.played"))
	}
	if s.Decision == table.Folded && !s.ended {
		all = append(all, v.T("felt.folded"))
	}
	if s.Invalid {
		all = append(all, v.T("felt.invalid"))
	}
	if s.Suspended {
		all = append(all, v.T("felt.suspended"))
	}
	if s.Lammer {
		all = append(all, v.T("felt.lammer"))
	}
	return all
}

// isPlaced reports whether a wager is placed by its player while bets are open.
func isPlaced(v *view, w rules.Wager) bool {
	rule := v.variant.Book.Rule(w)
	return rule != nil && rule.Stake != rules.EqualToBasis
}

// shape returns the class of an area, by what decides its wager.
func shape(v *view, w rules.Wager) string {
	rule := v.variant.Book.Rule(w)
	switch {
	case rule.Stake == rules.Prescribed:
		return "area-jackpot"
	case rule.Contest == rules.AgainstDealer:
		return "area-square"
	}
	return "area-round"
}

// short returns the name of a wager as it stands on the layout.
func short(w rules.Wager) string {
	switch w {
	case rules.Progressive:
		return "Jackpot"
	case rules.RoyalPictures:
		return "Royals"
	default:
		return w.Name()
	}
}

// netWords says what a round changed for somebody: an amount, or that nothing changed.
func netWords(p lang.Printer, net money.Amount) string {
	if net == 0 {
		return p.T("tables.even")
	}
	return p.Change(net)
}

// endWords says what a line changed for its player: an amount, or why it is none.
func endWords(p lang.Printer, l *table.Line, net money.Amount) string {
	if net == 0 {
		return felt.ResultName(p, l.Result)
	}
	return p.Change(net)
}

// areaName returns the words of a screen reader for an area.
func areaName(v *view, s *seat, a *area) string {
	words := []string{v.T("felt.box", "n", s.Box), v.Term(a.wager.Name())}
	for _, p := range a.piles {
		words = append(words, v.called(p.Player)+" "+v.Money(p.Amount))
	}
	for i := range a.lines {
		ended := felt.EndedLine(v.Printer, &a.lines[i])
		if a.nets[i] != 0 { // else the words say all
			ended += " " + v.Change(a.nets[i])
		}
		words = append(words, ended)
	}
	if a.least > 0 {
		words = append(words, v.T("tables.may-bet", "least", v.Money(max(a.least, chips(v)[0]))))
	}
	return strings.Join(words, v.T("told.comma"))
}

// chips returns the chips that a reader bets with.
func chips(v *view) []money.Amount {
	all := v.variant.Chips
	if len(all) == 0 {
		all = []money.Amount{1 * money.Major, 5 * money.Major, 25 * money.Major, 100 * money.Major, 500 * money.Major}
	}
	most := money.Amount(0)
	for _, rule := range placed(v.variant) {
		most = max(most, v.variant.Limits[rule.Wager].Max)
	}
	offered := func(usual bool) (use []money.Amount) {
		for _, c := range all {
			if c >= money.Major && (most == 0 || c <= most) && (!usual || slices.Contains(felt.UsualChips, c)) {
				use = append(use, c)
			}
		}
		return use
	}
	use := offered(true)
	if len(use) < 2 {
		use = offered(false)
	}
	return use[max(0, len(use)-mostChips):]
}

const mostChips = 6

// firstChip returns the chip that is chosen at first, for the least bet on the main wager.
func firstChip(v *view) int {
	least := v.variant.Limits[placed(v.variant)[0].Wager].Min
	i := slices.IndexFunc(chips(v), func(c money.Amount) bool { return c >= least })
	return max(i, 0)
}

func playLabel(v *view, s *seat) string {
	if s.unseen() {
		return v.T("tables.play-blind", "amount", v.Money(s.play))
	}
	return v.T("tables.play", "amount", v.Money(s.play))
}

// playAllLabel says what all hands cost to play on, and that some of them were not seen.
func playAllLabel(v *view) string {
	if slices.ContainsFunc(v.open(), func(box int) bool { return v.seats[box-1].unseen() }) {
		return v.T("tables.play-all-blind", "amount", v.Money(v.toPlay()))
	}
	return v.T("tables.play-all", "amount", v.Money(v.toPlay()))
}

func clauseAddress(v *view, clause string) templ.SafeURL {
	return templ.SafeURL("/rules/" + v.variant.Book.ID + "/" + clause)
}

// refAddress returns the page of a clause by its full reference, such as "rws-3cp@3 5.8.6".
func refAddress(ref string) templ.SafeURL {
	book, clause, _ := strings.Cut(ref, " ")
	id, _, _ := strings.Cut(book, "@")
	return templ.SafeURL("/rules/" + id + "/" + clause)
}

func waitWords(r *reader, m *moment, c *clock) string {
	if c.warned {
		return r.T("wait.warned")
	}
	if !c.driven && m.state.Phase() == table.Ready {
		return r.T("tables.dealer-opens")
	}
	if !c.driven {
		return r.T("phase." + m.state.Phase().String())
	}
	if c.Wait == autodealer.Step {
		return r.T("phase." + m.state.Phase().String())
	}
	return r.T("wait." + c.Wait.String())
}

// mayBeReady reports whether the table would go on sooner if the reader declared to be ready.
func mayBeReady(r *reader, m *moment, c *clock) bool {
	if !c.driven {
		return false
	}
	if m.over() { // the next round may begin at once
		_, played := netOf(m.state, r.person.Name)
		return played && c.Wait == autodealer.NextRound
	}
	if c.Wait != autodealer.Bets && c.Wait != autodealer.Views && c.Wait != autodealer.Step {
		return false
	}
	if m.state.Phase() != table.Betting && !(m.state.Phase() == table.Deciding && m.state.Variant().Book.Decision == nil) {
		return false
	}
	return len(onLayout(m.state, r.person.Name)) > 0
}

func isReady(r *reader, c *clock) bool { return slices.Contains(c.Ready, r.person.Name) }

func sum(lines []table.Line) (net money.Amount) {
	for _, n := range felt.Nets(lines) {
		net += n
	}
	return net
}

// dealerWords describes the dealer's result in a past round.
func dealerWords(v *view, e *ended) string {
	if e.state.Phase() == table.Voided {
		return v.T("tables.voided")
	}
	h, ok := dealerShown(e.state)
	if !ok {
		return "–"
	}
	return v.Hand(v.variant.Book.Ranking, h)
}

// edge is the house edge of a bet.
type edge struct{ name, edge string }

func (t *trainer) list(v *view) []edge {
	if v.coach == uncoached {
		return nil
	}
	sheet := t.edges(v.variant)
	if sheet == nil {
		return nil
	}
	var all []edge
	for _, bet := range sheet.Order {
		all = append(all, edge{bet.Name(), sheet.Wagers[bet].HouseEdge.Percent(2) + " %"})
	}
	return all
}

// paid is a wager with its pay table.
type paid struct {
	wager rules.Wager
	rows  []rules.PayRow
}

// paying lists the pay tables of a variant that say more than even money.
func paying(v *rules.Variant) []paid {
	var all []paid
	for i := range v.Book.Wagers {
		w := v.Book.Wagers[i].Wager
		t := v.Pays[w]
		if t == nil || w == rules.Progressive && v.Jackpot == nil || len(t.Rows) < 2 && w != rules.Tie {
			continue
		}
		all = append(all, paid{w, t.Rows})
	}
	return all
}

// rowWords names the hands of a row of a pay table. The row of any hand pays those that no row
// above it has.
func rowWords(p lang.Printer, c rules.Combo, at int) string {
	if c == rules.AnyHand && at > 0 {
		return p.T("tables.any-other")
	}
	return p.Term(c.Name())
}

func payWords(p lang.Printer, pay rules.Pay) string {
	switch {
	case pay.MeterPercent != 0:
		return p.T("tables.pays-meter", "percent", pay.MeterPercent)
	case pay.Fixed != 0:
		return p.Money(pay.Fixed)
	}
	return p.T("tables.pays-odds", "num", pay.Odds.To, "den", pay.Odds.For)
}

// LimitWords writes the permitted range of a stake.
func LimitWords(p lang.Printer, l rules.Limit) string {
	switch {
	case l.Max == 0 && l.Min == 0:
		return p.T("tables.limit-none")
	case l.Max == 0:
		return p.T("tables.limit-from", "min", p.Money(l.Min))
	case l.Max == l.Min:
		return p.Money(l.Min)
	}
	return p.Money(l.Min) + "–" + p.Money(l.Max)
}
