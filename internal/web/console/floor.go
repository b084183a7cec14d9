package console

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/internal/web/live"
	"trey/internal/web/pit"
	"trey/internal/web/site"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
)

// floorView is the house as a member of the staff sees it.
type floorView struct {
	person       identity.Session
	tables       []house.TableStatus
	alerts       []pit.Alert
	pending      []house.Pending
	changes      []identity.PendingChange
	jackpotViews []jackpotView
	draining     bool
	proposals    []string // the kinds that this person may ask for
}

func (d *handlers) floorOf(s identity.Session) (*floorView, error) {
	f := &floorView{person: s, draining: d.House.Draining()}
	var err error
	if f.tables, err = pit.Tables(d.House); err != nil {
		return nil, err
	}
	f.alerts = d.alerts(f.tables)
	// Those that a dealer runs come first: they wait for somebody.
	slices.SortStableFunc(f.tables, func(a, b house.TableStatus) int { return int(b.InForce().Mode) - int(a.InForce().Mode) })
	if s.Role.Can(access.SeeProposals) {
		f.pending = d.House.ProposalsFor(s.Person)
		f.changes = d.People.Changes()
	}
	if f.jackpotViews, err = d.jackpotsOf(f.jackpots()); err != nil {
		return nil, err
	}
	if s.Role.Can(access.ProposeFill) {
		f.proposals = append(f.proposals, "fill", "credit")
	}
	if s.Role.Can(access.MoveAtCage) {
		f.proposals = append(f.proposals, "move-cash")
	}
	if s.Role.Can(access.ProposeAdjustment) {
		f.proposals = append(f.proposals, "adjust-account")
	}
	if s.Role.Can(access.ProposeJackpot) && len(f.jackpotViews) > 0 {
		f.proposals = append(f.proposals, "adjust-jackpot")
	}
	return f, nil
}

func (f *floorView) parts(v *site.Visit) []live.Part {
	return []live.Part{
		{ID: "f-alerts", Body: alertList(v, f.alerts, f.person)},
		{ID: "f-waits", Body: pendingList(v, f)},
		{ID: "f-pots", Body: potList(v, f)},
		{ID: "f-tables", Body: tableList(v, f)},
		{ID: "f-changes", Body: changeList(v, f)},
	}
}

func (f *floorView) jackpots() (names []string) {
	for i := range f.tables {
		if name := f.tables[i].Jackpot; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// outOfService returns the tables at which a jackpot is out of service.
func (f *floorView) outOfService(pot string) (tables []string) {
	for i := range f.tables {
		if f.tables[i].Jackpot == pot && f.tables[i].OutOfService() {
			tables = append(tables, f.tables[i].Name)
		}
	}
	return tables
}

// mayApprove reports whether somebody may decide about a proposal as the second
// person.
func mayApprove(s identity.Session, p *house.Pending) bool {
	if p.By.Name == s.Name {
		return false
	}
	switch p.Proposal.(type) {
	case house.Fill, house.Credit:
		return s.Role.Can(access.ApproveFill)
	case house.MoveCash:
		return s.Role.Can(access.ApproveCage)
	case house.AdjustAccount:
		return s.Role.Can(access.ApproveAdjustment)
	default:
		return s.Role.Can(access.ApproveJackpot)
	}
}

// answerFloor shows the outcome of a request on the floor's page.
func (d *handlers) answerFloor(v *site.Visit, s identity.Session, said *answer) error {
	return said.give(v, "/console", func() error { return d.showFloor(v, s, said) })
}

// answering answers a form of at most so many bytes on the floor's page, for people who may do
// one of these things. The answer says what was done, or why it is refused.
func (d *handlers) answering(
	most int64, do func(v *site.Visit, s identity.Session, form url.Values) (*answer, error), refused func(*site.Visit, error) (*answer, error), need ...access.Permission,
) site.Handler {
	return func(v *site.Visit) error {
		s, ok, err := d.Authenticator.Staff(v, need...)
		if !ok {
			return err
		}
		form, err := v.Form(most)
		if err != nil {
			return err
		}
		said, err := do(v, s, form)
		if err != nil {
			if said, err = refused(v, err); err != nil {
				return err
			}
		}
		return d.answerFloor(v, s, said)
	}
}

func (d *handlers) propose(v *site.Visit, s identity.Session, form url.Values) (*answer, error) {
	p, said := d.readProposal(v, form)
	if said != nil {
		return said, nil
	}
	id, err := d.House.Propose(v.Context(), key(form.Get("key")), s.Person, p)
	if err != nil {
		return nil, err
	}
	return done(v.T("console.proposed", "n", id)), nil
}

// moveAtCage takes a player's money in or pays it out at once, within what one cashier may move
// alone.
func (d *handlers) moveAtCage(v *site.Visit, s identity.Session, form url.Values) (*answer, error) {
	m, said := readCash(v, form)
	if said != nil {
		return said, nil
	}
	_, err := d.House.CageTransfer(v.Context(), key(form.Get("key")), s.Person, posting.Transfer{Reason: m.Reason, Player: m.Player, Amount: m.Amount, Note: m.Note})
	if err != nil {
		return nil, err
	}
	has := d.House.Balance(ledger.Account{Kind: ledger.Player, Of: m.Player})
	return done(v.T("console.cage-"+m.Reason.String(), "player", m.Player, "amount", v.Money(m.Amount), "balance", v.Money(has))), nil
}

// readCash reads whose money goes in or out, at once or once a second person has approved it.
func readCash(v *site.Visit, form url.Values) (m house.MoveCash, said *answer) {
	m = house.MoveCash{Player: strings.TrimSpace(form.Get("player")), Note: strings.TrimSpace(form.Get("note"))}
	var err error
	switch m.Amount, err = money.Parse(strings.TrimSpace(form.Get("amount"))); {
	case err != nil:
		return m, malformed(v, v.T("console.amount-wrong"))
	case m.Amount <= 0:
		return m, malformed(v, v.T("console.amount-none")) // the reason says in which direction it is moved
	case m.Reason.UnmarshalText([]byte(form.Get("reason"))) != nil:
		return m, malformed(v, v.T("problem.form"))
	}
	return m, nil
}

func (d *handlers) readProposal(v *site.Visit, form url.Values) (house.Proposal, *answer) {
	switch form.Get("kind") {
	case "change-terms":
		return d.readTerms(v, form)
	case "determine-order":
		return readOrder(v, form)
	case "verify-jackpot", "deny-jackpot":
		return readVerification(v, form)
	case "move-cash":
		return readCash(v, form)
	}
	chips, sum, said := readChips(v, form)
	if said != nil {
		return nil, said
	}
	amount := sum
	if text := strings.TrimSpace(form.Get("amount")); text != "" || len(chips) == 0 {
		var err error
		if amount, err = money.Parse(text); err != nil {
			return nil, malformed(v, v.T("console.amount-wrong"))
		}
	}
	note := strings.TrimSpace(form.Get("note"))
	if amount <= 0 && byChips(form.Get("kind")) {
		return nil, malformed(v, v.T("console.amount-none")) // what is moved has a direction of its own
	}
	switch form.Get("kind") {
	case "fill":
		return house.Fill{Table: form.Get("table"), Amount: amount, Chips: chips, Note: note}, nil
	case "credit":
		return house.Credit{Table: form.Get("table"), Amount: amount, Chips: chips, Note: note}, nil
	case "adjust-account":
		a := posting.Adjustment{Player: strings.TrimSpace(form.Get("player")), Change: amount, Note: note}
		if a.Cause.UnmarshalText([]byte(form.Get("cause"))) != nil {
			return nil, malformed(v, v.T("problem.form"))
		}
		of, ok := readWager(form)
		if !ok {
			return nil, malformed(v, v.T("console.of-wrong"))
		}
		return house.AdjustAccount{Adjustment: a, Of: of}, nil
	case "adjust-jackpot":
		a := house.AdjustJackpot{Jackpot: form.Get("jackpot"), Change: amount, Note: note}
		if a.Pot.UnmarshalText([]byte(form.Get("pot"))) != nil || a.Cause.UnmarshalText([]byte(form.Get("pot-cause"))) != nil {
			return nil, malformed(v, v.T("problem.form"))
		}
		return a, nil
	}
	return nil, malformed(v, v.T("problem.form"))
}

// chipField begins the names of the fields for chips; the denomination in minor units stands
// behind it.
const chipField = "chip."

// readChips reads the chips of a fill or a credit, the smallest first, and what they come to.
func readChips(v *site.Visit, form url.Values) (chips []posting.ChipCount, sum money.Amount, said *answer) {
	for name, values := range form {
		of, ok := strings.CutPrefix(name, chipField)
		text := strings.TrimSpace(values[0])
		if !ok || text == "" {
			continue
		}
		chip, err := strconv.ParseInt(of, 10, 64)
		count, wrong := strconv.ParseInt(text, 10, 64)
		if err != nil || chip <= 0 {
			return nil, 0, malformed(v, v.T("problem.form"))
		}
		if wrong != nil || count < 0 || count > int64((posting.MaxTransfer-sum)/money.Amount(chip)) {
			return nil, 0, malformed(v, v.T("console.number-wrong", "text", text))
		}
		if count > 0 {
			chips = append(chips, posting.ChipCount{Chip: money.Amount(chip), Count: count})
			sum += money.Amount(count) * money.Amount(chip)
		}
	}
	slices.SortFunc(chips, func(a, b posting.ChipCount) int { return cmp.Compare(a.Chip, b.Chip) })
	return chips, sum, nil
}

// chipsInUse returns the denominations in use at a table, now and from its next round on.
func chipsInUse(t *house.TableStatus) []money.Amount {
	all := denominationsOf(t.Variant)
	if t.Next != nil {
		all = append(slices.Clone(all), denominationsOf(t.Next.Variant)...)
	}
	return all
}

// chips returns the denominations in use at any table, the smallest first.
func (f *floorView) chips() (all []money.Amount) {
	for i := range f.tables {
		all = append(all, chipsInUse(&f.tables[i])...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// chipList writes denominations for the script of the form.
func chipList(chips []money.Amount) string {
	texts := make([]string, len(chips))
	for i, chip := range chips {
		texts[i] = strconv.FormatInt(int64(chip), 10)
	}
	return strings.Join(texts, " ")
}

// counted says in which chips a fill or a credit is; empty for anything else.
func counted(v *site.Visit, p house.Proposal) string {
	var chips []posting.ChipCount
	switch p := p.(type) {
	case house.Fill:
		chips = p.Chips
	case house.Credit:
		chips = p.Chips
	default:
		return ""
	}
	if len(chips) == 0 {
		return v.T("console.chips-unknown")
	}
	words := make([]string, len(chips))
	for i, c := range chips {
		words[i] = v.T("console.chips-of", "n", c.Count, "amount", v.Money(c.Chip))
	}
	return strings.Join(words, v.T("told.comma"))
}

// readWager reads the wager that an adjustment rests on: none where all its fields are
// empty, and not ok where only some are.
func readWager(form url.Values) (of *house.RoundWager, ok bool) {
	field := func(name string) string { return strings.TrimSpace(form.Get("of-" + name)) }
	if field("table")+field("round")+field("box")+field("wager") == "" {
		return nil, true
	}
	w, err := rules.ParseWager(field("wager"))
	round, roundErr := strconv.Atoi(field("round"))
	box, boxErr := strconv.Atoi(field("box"))
	return &house.RoundWager{Table: field("table"), Round: round, Box: box, Wager: w}, errors.Join(err, roundErr, boxErr) == nil && field("table") != ""
}

// deciding answers the form by which a second person approves something that waits, or
// somebody declines it. The messages begin with words.
func (d *handlers) deciding(
	words string, decide func(ctx context.Context, o identity.ChangeRequest, id int64, approve bool) error, refused func(*site.Visit, error) (*answer, error),
) site.Handler {
	return d.answering(16<<10, func(v *site.Visit, s identity.Session, form url.Values) (*answer, error) {
		id, err := strconv.ParseInt(v.Request.PathValue("id"), 10, 64)
		if err != nil {
			return nil, v.NotFound()
		}
		approve, result := form.Get("decide") == "approve", "declined"
		if approve {
			result = "approved"
		}
		if err := decide(v.Context(), changeRequest(s, form), id, approve); err != nil {
			return nil, err
		}
		return done(v.T(words+result, "n", id)), nil
	}, refused, access.SeeProposals)
}

// decideProposal approves a proposal or declines it.
func (d *handlers) decideProposal(ctx context.Context, o identity.ChangeRequest, id int64, approve bool) error {
	if approve {
		_, err := d.House.Approve(ctx, o.Key, o.By, id)
		return err
	}
	return d.House.Decline(ctx, o.Key, o.By, id, o.Why)
}

// words describes a proposal.
func words(v *site.Visit, p house.Proposal) (what, note string) {
	switch p := p.(type) {
	case house.Fill:
		return v.T("console.fill-of", "amount", v.Money(p.Amount), "table", p.Table), p.Note
	case house.Credit:
		return v.T("console.credit-of", "amount", v.Money(p.Amount), "table", p.Table), p.Note
	case house.MoveCash:
		return v.T("console.cash-"+p.Reason.String(), "amount", v.Money(p.Amount), "player", p.Player), p.Note
	case house.AdjustAccount:
		if of := p.Of; of != nil {
			return v.T("console.account-of", "amount", v.Change(p.Change), "player", p.Player, "cause", v.T("cause."+p.Cause.String()), "wager", v.Term(of.Wager.Name()), "box", of.Box, "round", of.Round, "table", of.Table), p.Note
		}
		return v.T("console.account-by", "amount", v.Change(p.Change), "player", p.Player, "cause", v.T("cause."+p.Cause.String())), p.Note
	case house.AdjustJackpot:
		return v.T("console.jackpot-by", "amount", v.Change(p.Change), "pot", v.T("console.pot-"+p.Pot.String()), "jackpot", p.Jackpot, "cause", v.T("cause."+p.Cause.String())), p.Note
	case house.ChangeTerms:
		return v.T("console.terms-of", "jackpot", p.Jackpot), p.Note
	case house.DetermineOrder:
		return v.T("console.order-of", "jackpot", p.Jackpot, "hit", hitName(v, p.Hit)), p.Note
	case house.VerifyJackpot:
		return v.T("console.verify-of", "jackpot", p.Jackpot, "hit", hitName(v, p.Hit)), p.Note
	case house.DenyJackpot:
		return v.T("console.deny-of", "jackpot", p.Jackpot, "hit", hitName(v, p.Hit), "clause", p.Clause), p.Note
	}
	return house.ProposalKind(p), ""
}

// accountName says whose an account is.
func accountName(a ledger.Account) string { return a.String() }

func potCauses() []jackpot.AdjustmentCause {
	return []jackpot.AdjustmentCause{jackpot.AdjustMalfunction, jackpot.AdjustTransferIn, jackpot.AdjustTransferOut, jackpot.AdjustRegulator}
}

// rules shows how a table is played and run, and lets it be changed.
func (d *handlers) rules(v *site.Visit) error {
	s, ok, err := d.Authenticator.Staff(v, access.ChangeRules)
	if !ok {
		return err
	}
	return d.showRules(v, s, nil)
}

func (d *handlers) showRules(v *site.Visit, s identity.Session, said *answer) error {
	t, err := d.tableOf(v, s)
	if err != nil {
		return err
	}
	return v.ShowAs(said.code(), site.Page{
		Title: v.T("console.rules-of", "table", t.Name), Modules: []string{"console.js"}, Sheets: []string{pit.Sheet},
		Body: rulesPage(v, t, t.InForce(), said),
	})
}

// changeRules has a table played otherwise from its next round on.
func (d *handlers) changeRules(v *site.Visit) error {
	s, ok, err := d.Authenticator.Staff(v, access.ChangeRules)
	if !ok {
		return err
	}
	form, err := v.Form(16 << 10)
	if err != nil {
		return err
	}
	status, err := d.House.Status(v.Request.PathValue("table"))
	if err != nil {
		return v.NotFound()
	}
	c, said := readChange(v, status.InForce(), form)
	if said == nil {
		var from int
		if from, err = d.House.Change(v.Context(), key(form.Get("key")), s.Person, status.Name, c); err == nil {
			said = done(v.T("console.changed", "n", from))
		} else if said, err = refused(v, err); err != nil {
			return err
		}
	}
	return said.give(v, "", func() error { return d.showRules(v, s, said) })
}

func readChange(v *site.Visit, current house.Table, form url.Values) (c house.Change, said *answer) {
	variant := current.Variant.Clone()
	for _, w := range limited(variant) {
		for _, side := range []struct {
			name string
			into *money.Amount
		}{{"min", &variant.Limits[w].Min}, {"max", &variant.Limits[w].Max}} {
			text := strings.TrimSpace(form.Get(w.String() + "." + side.name))
			if text == "" {
				*side.into = 0
				continue
			}
			amount, err := money.Parse(text)
			if err != nil {
				return c, malformed(v, v.T("console.amount-wrong"))
			}
			*side.into = amount
		}
	}
	variant.CarryLimits() // the form has none for a wager that equals another one
	if variant.Hash() != current.Variant.Hash() {
		c.Variant = variant
	}
	if text := form.Get("mode"); text != "" {
		mode, err := house.ParseMode(text)
		if err != nil {
			return c, malformed(v, v.T("problem.form"))
		}
		if mode != current.Mode {
			c.Mode = mode
		}
	}
	pace := current.Pace
	for _, p := range paces(&pace) {
		text := strings.TrimSpace(form.Get("pace." + p.name))
		if text == "" {
			continue
		}
		seconds, err := strconv.ParseFloat(text, 64)
		if err != nil || !(seconds >= 0 && seconds <= 3600) { // NaN is neither
			return c, malformed(v, v.T("console.number-wrong", "text", text))
		}
		*p.into = int64(seconds*1000 + .5)
	}
	if pace != current.Pace {
		c.Pace = &pace
	}
	return c, nil
}

// limited returns the wagers whose limits the house sets.
func limited(v *rules.Variant) (all []rules.Wager) {
	for i := range v.Book.Wagers {
		if w := &v.Book.Wagers[i]; w.Stake == rules.WithinLimits {
			all = append(all, w.Wager)
		}
	}
	return all
}

// paceField is one time of a table's clock.
type paceField struct {
	name string
	into *int64
}

func paces(p *house.Pace) []paceField {
	return []paceField{{"betting", &p.BettingMs}, {"decision", &p.DecisionMs}, {"option", &p.OptionMs}, {"deal", &p.DealMs}, {"show", &p.ShowMs}}
}

// inSeconds writes a time of the clock.
func inSeconds(ms int64) string { return strconv.FormatFloat(float64(ms)/1000, 'f', -1, 64) }

// plain writes an amount for a field, empty for none.
func plain(a money.Amount) string {
	if a == 0 {
		return ""
	}
	return strings.TrimSuffix(a.String(), ".00")
}

// release lets a table go on that a fault stopped.
func (d *handlers) release(v *site.Visit) error {
	s, ok, err := d.Authenticator.Staff(v, access.ReleaseTable)
	if !ok {
		return err
	}
	form, err := v.Form(4 << 10)
	if err != nil {
		return err
	}
	said := done(v.T("console.released"))
	if _, err = d.House.Release(v.Context(), key(form.Get("key")), s.Person, v.Request.PathValue("table"), strings.TrimSpace(form.Get("why"))); err != nil {
		if said, err = refused(v, err); err != nil {
			return err
		}
	}
	return d.answer(v, s, said)
}
