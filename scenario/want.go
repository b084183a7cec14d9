package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"trey/card"
	"trey/internal/record"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// wants holds the assertions about a table. It is filled in init like verbs.
var wants map[string]func(*run, *args) error

func init() {
	wants = map[string]func(*run, *args) error{
		"refused": (*run).wantRefused, "phase": (*run).wantPhase, "void": (*run).wantVoid,
		"outcome": (*run).wantOutcome, "returned": (*run).wantReturned, "net": (*run).wantNet,
		"stake": (*run).wantStake, "line": (*run).wantLine, "no-line": (*run).wantNoLine,
		"order": (*run).wantOrder, "next": (*run).wantNext, "question": (*run).wantQuestion, "no-question": (*run).wantNoQuestion,
		"offer": (*run).wantOffer, "no-offer": (*run).wantNoOffer,
		"announced": (*run).wantAnnounced, "not-announced": (*run).wantNotAnnounced,
		"sees": (*run).wantSees, "hand": (*run).wantHand, "dealt": (*run).wantDealt, "shown": (*run).wantShown,
		"decision": (*run).wantDecision, "lammer": (*run).wantLammer, "no-lammer": (*run).wantNoLammer,
		"jackpot": (*run).wantJackpot, "hit": (*run).wantHit, "no-hit": (*run).wantNoHit,
		"deal-order": (*run).wantDealOrder, "no-deal-order": (*run).wantNoDealOrder,
		"event": (*run).wantEvent, "no-event": (*run).wantNoEvent,
	}
}

func (r *run) want(l *line) error {
	a := newArgs(l)
	what, err := a.bare("what is wanted")
	if err != nil {
		return err
	}
	check := wants[what]
	if check == nil {
		return fmt.Errorf("%q is not an assertion: %s", what, meant(what, "choose from", slices.Sorted(maps.Keys(wants))))
	}
	if err := check(r, a); err != nil {
		return err
	}
	return a.rest()
}

// same compares where something was given to compare with.
func same(a *args, key, got string) error {
	if !a.has(key) {
		return nil
	}
	if want := a.text(key); want != got {
		return differ(key+"="+want, key+"="+got)
	}
	return nil
}

// sameClause compares clauses with or without the name of their book.
func (r *run) sameClause(a *args, got string) error {
	if !a.has("clause") {
		return nil
	}
	prefix := r.book().Ref() + " "
	if want := a.text("clause"); strings.TrimPrefix(want, prefix) != strings.TrimPrefix(got, prefix) {
		return differ("clause "+want, "clause "+got)
	}
	return nil
}

func sameText(a *args, got string) error {
	if err := same(a, "text", got); err != nil {
		return err
	}
	if !a.has("text~") {
		return nil
	}
	if want := a.text("text~"); !strings.Contains(got, want) {
		return differ(fmt.Sprintf("a text with %q", want), fmt.Sprintf("%q", got))
	}
	return nil
}

func (r *run) wantRefused(a *args) error {
	if r.refusal == nil {
		return differ("a refusal", "the last command was carried out")
	}
	clause, reason, detail, _ := refusalOf(r.refusal)
	return errors.Join(same(a, "reason", reason), r.sameClause(a, clause), sameText(a, detail))
}

func (r *run) wantPhase(a *args) error {
	want, err := a.bare("which phase")
	if err != nil {
		return err
	}
	if got := r.state().Phase.String(); got != want {
		return differ("phase "+want, "phase "+got)
	}
	return nil
}

func (r *run) wantVoid(a *args) error {
	if r.state().Phase != table.Voided {
		return differ("a void round", "phase "+r.state().Phase.String())
	}
	for _, e := range slices.Backward(r.at.round) {
		if e, ok := e.(table.RoundVoided); ok {
			return r.sameClause(a, e.Clause)
		}
	}
	return differ("a void round", "no such event")
}

func (r *run) wantOutcome(a *args) error {
	want, err := a.bare("which outcome")
	if err != nil {
		return err
	}
	for _, e := range slices.Backward(r.at.round) {
		if e, ok := e.(table.Reported); ok {
			if e.Outcome.String() != want {
				return differ("outcome "+want, fmt.Sprintf("outcome %s (%s)", e.Outcome, e.Clause))
			}
			return r.sameClause(a, e.Clause)
		}
	}
	return differ("outcome "+want, "nothing was reported in this round")
}

// sums compares an amount for each player named.
func (r *run) sums(a *args, what string, of func(player string) money.Amount) error {
	named := a.prefixed()
	if named == nil {
		return fmt.Errorf("say for whom: want %s ann=15", what)
	}
	for _, w := range named {
		want, err := money.Parse(w.Value)
		if err != nil {
			return err
		}
		if got := of(w.Key); got != want {
			return differ(fmt.Sprintf("%s %s=%s", what, w.Key, want), fmt.Sprintf("%s %s=%s", what, w.Key, got))
		}
	}
	return nil
}

func (r *run) returned(player string) money.Amount {
	var sum money.Amount
	for i := range r.state().Lines {
		if l := &r.state().Lines[i]; l.Player == player {
			sum += l.Returned - l.Reverses
		}
	}
	return sum
}

func (r *run) wantReturned(a *args) error { return r.sums(a, "returned", r.returned) }

func (r *run) wantNet(a *args) error {
	return r.sums(a, "net", func(player string) money.Amount {
		return r.returned(player) - r.at.books.placedBy(player)
	})
}

func (r *run) wantStake(a *args) error {
	box, name, err := r.boxAndPlayer(a)
	if err != nil {
		return err
	}
	wagers, amounts, err := stakes(a)
	if err != nil {
		return err
	}
	if box < 1 || box > len(r.state().Boxes) {
		return fmt.Errorf("there is no box %d", box)
	}
	for i, w := range wagers {
		got := money.Amount(0)
		for _, b := range r.state().Boxes[box-1].Bettors {
			if b.Player == name && !(r.state().Boxes[box-1].Settled && r.state().Phase.InRound()) {
				got = b.Stakes[w]
			}
		}
		if got != amounts[i] {
			return differ(fmt.Sprintf("%s=%s on box %d", w, amounts[i], box), fmt.Sprintf("%s=%s", w, got))
		}
	}
	return nil
}

// lineFilter selects settlement lines.
type lineFilter struct {
	box    int
	checks []func(l *table.Line) bool
	words  string
}

func (r *run) lineFilter(a *args) (*lineFilter, error) {
	f := &lineFilter{}
	var words []string
	add := func(text string, check func(l *table.Line) bool) {
		words = append(words, text)
		f.checks = append(f.checks, check)
	}
	box, given, err := a.number("box")
	if err != nil {
		return nil, err
	}
	if given {
		f.box = box
		add(fmt.Sprintf("box=%d", box), func(l *table.Line) bool { return l.Box == box })
	}
	for _, key := range []string{"stake", "pays", "returned", "excess", "reverses"} {
		want, given, err := a.amount(key)
		if err != nil {
			return nil, err
		}
		if given {
			add(fmt.Sprintf("%s=%s", key, want), func(l *table.Line) bool {
				return want == map[string]money.Amount{
					"stake": l.Stake, "pays": l.Pays, "returned": l.Returned, "excess": l.Excess, "reverses": l.Reverses,
				}[key]
			})
		}
	}
	for _, key := range []string{"player", "wager", "result", "combo", "clause"} {
		if !a.has(key) {
			continue
		}
		want := strings.TrimPrefix(a.text(key), r.book().Ref()+" ")
		add(key+"="+want, func(l *table.Line) bool {
			return want == map[string]string{
				"player": l.Player, "wager": l.Wager.String(), "result": l.Result.String(), "combo": l.Combo.String(), "clause": l.Clause,
			}[key]
		})
	}
	f.words = strings.Join(words, " ")
	return f, nil
}

func (f *lineFilter) fits(l *table.Line) bool {
	return !slices.ContainsFunc(f.checks, func(check func(l *table.Line) bool) bool { return !check(l) })
}

func (r *run) wantLine(a *args) error {
	f, err := r.lineFilter(a)
	if err != nil {
		return err
	}
	var near []string
	for i := range r.state().Lines {
		l := &r.state().Lines[i]
		if f.fits(l) {
			return nil
		}
		if f.box == 0 || l.Box == f.box {
			near = append(near, fmt.Sprintf("box=%d player=%s wager=%s stake=%s result=%s pays=%s returned=%s clause=%s combo=%s",
				l.Box, l.Player, l.Wager, l.Stake, l.Result, l.Pays, l.Returned, l.Clause, l.Combo))
		}
	}
	if near == nil {
		near = []string{"no line"}
	}
	return differ("a line "+f.words, strings.Join(near, "\n\t          "))
}

func (r *run) wantNoLine(a *args) error {
	f, err := r.lineFilter(a)
	if err != nil {
		return err
	}
	for i := range r.state().Lines {
		if l := &r.state().Lines[i]; f.fits(l) {
			return differ("no line "+f.words, fmt.Sprintf("box=%d wager=%s result=%s returned=%s clause=%s", l.Box, l.Wager, l.Result, l.Returned, l.Clause))
		}
	}
	return nil
}

// wantOrder compares the lines of the settlement as far as it has come, each as
// BOX:WAGER.
func (r *run) wantOrder(a *args) error {
	want := strings.Join(a.bares(), " ")
	var got []string
	settled := false
	for _, e := range r.at.round {
		switch e := e.(type) {
		case table.Settled, table.BoxSettled:
			settled = true
			for _, l := range table.EffectOf(e).Lines {
				got = append(got, fmt.Sprintf("%d:%s", l.Box, l.Wager))
			}
		case table.SettlementUndone:
			got = slices.DeleteFunc(got, func(line string) bool { return strings.HasPrefix(line, fmt.Sprintf("%d:", e.Box)) })
		}
	}
	if !settled {
		return differ(want, "nothing is settled")
	}
	if text := strings.Join(got, " "); text != want {
		return differ(want, text)
	}
	return nil
}

// wantNext compares the box that is settled next.
func (r *run) wantNext(a *args) error {
	box, _, err := a.number("box")
	if err != nil {
		return err
	}
	if got := r.state().NextToSettle(); got != box {
		return differ(fmt.Sprintf("box %d to be settled next", box), fmt.Sprintf("box %d", got))
	}
	return nil
}

func (r *run) wantQuestion(a *args) error {
	q := r.state().Question
	if q == nil {
		return differ("an open question", "none")
	}
	return errors.Join(same(a, "key", q.Key), same(a, "role", q.Role.String()), r.sameClause(a, q.Clause), sameText(a, q.Ask(r.book())))
}

func (r *run) wantNoQuestion(*args) error {
	if q := r.state().Question; q != nil {
		return differ("no open question", q.Key)
	}
	return nil
}

func (r *run) offers(a *args) (fit []table.Offer, words string, err error) {
	box, boxed, err := a.number("box")
	if err != nil {
		return nil, "", err
	}
	name, restored := a.text("player"), a.flag("restored")
	for _, o := range r.state().Offers {
		if (!boxed || o.Box == box) && (name == "" || o.Player == name) && (!restored || o.Restored) {
			fit = append(fit, o)
		}
	}
	return fit, fmt.Sprintf("box %d player %s", box, name), nil
}

func (r *run) wantOffer(a *args) error {
	fit, words, err := r.offers(a)
	if err != nil {
		return err
	}
	if fit == nil {
		return differ("an option for "+words, fmt.Sprintf("%+v", r.state().Offers))
	}
	return r.sameClause(a, fit[0].Clause)
}

func (r *run) wantNoOffer(a *args) error {
	fit, words, err := r.offers(a)
	if err != nil {
		return err
	}
	if fit != nil {
		return differ("no option for "+words, fmt.Sprintf("%+v", fit))
	}
	return nil
}

func (r *run) announcements(a *args) (fit []table.Announced, all []string, err error) {
	key, player := a.text("key"), a.text("player")
	boxes, err := a.numbers("boxes")
	if err != nil {
		return nil, nil, err
	}
	for _, e := range r.at.round {
		e, ok := e.(table.Announced)
		if !ok {
			continue
		}
		all = append(all, fmt.Sprintf("%s %q", e.Key, e.Sentence(*r.state()).String()))
		if (key == "" || e.Key == key) && (player == "" || e.Player == player) && (boxes == nil || slices.Equal(boxes, e.Boxes)) {
			fit = append(fit, e)
		}
	}
	return fit, all, nil
}

func (r *run) wantAnnounced(a *args) error {
	fit, all, err := r.announcements(a)
	if err != nil {
		return err
	}
	if fit == nil {
		return differ("such an announcement", strings.Join(all, ", "))
	}
	var last error
	for _, e := range fit {
		each := *a
		each.taken = slices.Clone(a.taken)
		if last = errors.Join(r.sameClause(&each, e.Clause), sameText(&each, e.Sentence(*r.state()).String())); last == nil {
			*a = each
			return nil
		}
	}
	return last
}

func (r *run) wantNotAnnounced(a *args) error {
	fit, _, err := r.announcements(a)
	if err != nil {
		return err
	}
	if fit != nil {
		return differ("no such announcement", fit[0].Sentence(*r.state()).String())
	}
	return nil
}

func faces(cards []card.Card) string {
	words := make([]string, len(cards))
	for i, c := range cards {
		words[i] = c.String()
	}
	return strings.Join(words, " ")
}

// compareFaces reads the cards of a want and compares them, in order.
func compareFaces(a *args, got []card.Card) error {
	text, err := a.bare("which cards: '?? ?? ??'")
	if err != nil {
		return err
	}
	want, err := card.ParseFaces(text)
	if err != nil {
		return err
	}
	if !slices.Equal(want, got) {
		return differ(faces(want), faces(got))
	}
	return nil
}

func (r *run) wantSees(a *args) error {
	name := a.text("viewer")
	switch name {
	case "":
		return errors.New("say who looks: viewer=ann, or viewer=guest for anybody")
	case "guest":
		name = ""
	}
	p, err := a.place()
	if err != nil {
		return err
	}
	picture := table.View(*r.state(), table.Viewer{Player: name})
	var got []card.Card
	rank := ""
	switch {
	case p.IsBox() && int(p) <= len(picture.Boxes):
		got, rank = picture.Boxes[p-1].Cards, picture.Boxes[p-1].Rank
	case p == table.DealerHand:
		got, rank = picture.Dealer, picture.DealerRank
	case p == table.BurnPile:
		got = picture.Burn
	}
	return errors.Join(same(a, "rank", rank), compareFaces(a, got))
}

func (r *run) wantHand(a *args) error {
	p, err := a.place()
	if err != nil {
		return err
	}
	var got []card.Card
	for _, c := range r.state().Slots {
		if c.Place == p {
			got = append(got, c.Card)
		}
	}
	return compareFaces(a, got)
}

// wantDealt compares where the cards went, in the order in which they came.
func (r *run) wantDealt(a *args) error {
	want := strings.Join(a.bares(), " ")
	var got []string
	for _, c := range r.state().Slots {
		text, err := c.Place.MarshalText()
		if err != nil {
			return err
		}
		got = append(got, string(text))
	}
	if text := strings.Join(got, " "); text != want {
		return differ(want, text)
	}
	return nil
}

// wantShown compares which hands were turned, in that order.
func (r *run) wantShown(a *args) error {
	want := strings.Join(a.bares(), " ")
	var got []string
	for _, e := range r.at.round {
		at := table.EffectOf(e).Cards.Turned
		if at == 0 {
			continue
		}
		text, err := at.MarshalText()
		if err != nil {
			return err
		}
		got = append(got, string(text))
	}
	if text := strings.Join(got, " "); text != want {
		return differ(want, text)
	}
	return nil
}

func (r *run) wantDecision(a *args) error {
	box, _, err := a.number("box")
	if err != nil {
		return err
	}
	want, err := a.bare("played, folded or undecided")
	if err != nil {
		return err
	}
	if box < 1 || box > len(r.state().Boxes) {
		return fmt.Errorf("there is no box %d", box)
	}
	if got := r.state().Boxes[box-1].Decision.String(); got != want {
		return differ(want, got)
	}
	for _, e := range slices.Backward(r.at.round) {
		if e, ok := e.(table.HandFolded); ok && e.Box == box {
			return r.sameClause(a, e.Clause)
		}
	}
	return nil
}

func (r *run) lammer(a *args) (bool, error) {
	box, _, err := a.number("box")
	if err != nil {
		return false, err
	}
	if box < 1 || box > len(r.state().Boxes) {
		return false, fmt.Errorf("there is no box %d", box)
	}
	return table.View(*r.state(), table.Viewer{}).Boxes[box-1].Lammer, nil
}

func (r *run) wantLammer(a *args) error {
	there, err := r.lammer(a)
	if err == nil && !there {
		err = differ("an Envy lammer", "none")
	}
	return err
}

func (r *run) wantNoLammer(a *args) error {
	there, err := r.lammer(a)
	if err == nil && there {
		err = differ("no Envy lammer", "one")
	}
	return err
}

func (r *run) wantJackpot(a *args) error {
	j, ok := r.engine.Progressive()
	if !ok {
		return differ("a progressive", "no table has one")
	}
	got := map[string]money.Amount{
		"meter": j.Meter, "displayed": j.Displayed(), "reserve": j.Reserve,
		"contributions": j.Totals.Contributions, "stakes": j.Totals.Stakes - j.Totals.StakesReturned,
		"paid": j.Totals.PaidFromMeter + j.Totals.PaidByHouse, "reset-by-house": j.Totals.ResetByHouse,
	}
	for _, w := range a.prefixed() {
		amount, ok := got[w.Key]
		if !ok {
			return fmt.Errorf("a progressive has no %s: choose from %s", w.Key, strings.Join(slices.Sorted(maps.Keys(got)), ", "))
		}
		want, err := money.Parse(w.Value)
		if err != nil {
			return err
		}
		if amount != want {
			return differ(fmt.Sprintf("%s=%s", w.Key, want), fmt.Sprintf("%s=%s", w.Key, amount))
		}
	}
	return nil
}

func (r *run) hit(a *args) (h jackpot.Hit, place int, found bool, err error) {
	box, _, err := a.number("box")
	if err != nil {
		return h, 0, false, err
	}
	j, _ := r.engine.Progressive()
	queue := j.Queue()
	// Rounds that are over are dropped, so the table and the box identify it.
	for _, hit := range slices.Backward(j.Hits) {
		if hit.ID.Table == r.at.name && hit.ID.Box == box {
			place := 1 + slices.IndexFunc(queue, func(q jackpot.Hit) bool { return q.ID == hit.ID })
			return hit, place, true, nil
		}
	}
	return h, 0, false, nil
}

func (r *run) wantHit(a *args) error {
	h, place, found, err := r.hit(a)
	if err != nil {
		return err
	}
	if !found {
		return differ("a hit", "none is registered")
	}
	if a.has("paid") {
		want, _, err := a.amount("paid")
		if err != nil {
			return err
		}
		if want != h.Paid {
			return differ("paid "+want.String(), "paid "+h.Paid.String())
		}
	}
	return errors.Join(same(a, "status", h.Status.String()), same(a, "place", fmt.Sprint(place)))
}

func (r *run) wantNoHit(a *args) error {
	h, _, found, err := r.hit(a)
	if err == nil && found {
		err = differ("no hit", "one that is "+h.Status.String())
	}
	return err
}

// dealOrder returns the place of the table's round in the order of the deals, zero for none.
func (r *run) dealOrder() int {
	j, _ := r.engine.Progressive()
	return 1 + slices.IndexFunc(j.Dealt(), func(round jackpot.Round) bool { return round.ID.Table == r.at.name })
}

func (r *run) wantDealOrder(a *args) error {
	place := r.dealOrder()
	if place == 0 {
		return differ("a round in the order of the deals", "it is not in it")
	}
	return same(a, "place", fmt.Sprint(place))
}

func (r *run) wantNoDealOrder(*args) error {
	if place := r.dealOrder(); place != 0 {
		return differ("no round in the order of the deals", fmt.Sprintf("place=%d", place))
	}
	return nil
}

// events finds events of the round by kind and by fields as the log has them.
func (r *run) events(a *args) (found bool, seen []string, err error) {
	kind, err := a.bare("which event")
	if err != nil {
		return false, nil, err
	}
	if !slices.Contains(record.TableEvents.Names(), kind) {
		return false, nil, fmt.Errorf("%q is not an event: choose from %s", kind, strings.Join(slices.Sorted(slices.Values(record.TableEvents.Names())), ", "))
	}
	fields := a.prefixed()
	for _, e := range r.at.round {
		if record.TableEvents.Name(e) != kind {
			continue
		}
		written, err := record.TableEvents.Write(e)
		if err != nil {
			return false, nil, err
		}
		seen = append(seen, string(written.Body))
		var values map[string]json.RawMessage
		if err := json.Unmarshal(written.Body, &values); err != nil {
			return false, nil, err
		}
		fits := true
		for _, f := range fields {
			got := string(values[f.Key])
			var text string
			if json.Unmarshal(values[f.Key], &text) == nil {
				got = text
			}
			fits = fits && got == f.Value
		}
		if fits {
			return true, seen, nil
		}
	}
	return false, seen, nil
}

func (r *run) wantEvent(a *args) error {
	found, seen, err := r.events(a)
	if err == nil && !found {
		err = differ("such an event", strings.Join(seen, ", "))
	}
	return err
}

func (r *run) wantNoEvent(a *args) error {
	found, seen, err := r.events(a)
	if err == nil && found {
		err = differ("no such event", seen[len(seen)-1])
	}
	return err
}

// meterPaid returns the sum that a settlement paid out of the meter.
func meterPaid(v *rules.Variant, lines []table.Line) money.Amount {
	var sum money.Amount
	for i := range lines {
		l := &lines[i]
		if l.Wager != rules.Progressive || l.Result != rules.Win {
			continue
		}
		for _, row := range v.Pays[rules.Progressive].Rows {
			if row.Combo == l.Combo && row.Pay.MeterPercent != 0 {
				sum += l.Pays
			}
		}
	}
	return sum
}
