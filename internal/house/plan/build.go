package plan

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/ledger"
	"trey/internal/tomldoc"
	"trey/linked"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/rules/variant"
	"trey/table"
)

// guestMoney is the money with which a guest begins where the file states none.
const guestMoney = 1000 * money.Major

// build makes the plan of what was read, and checks what takes more than one line
// to see.
func (r *reader) build() {
	for _, w := range r.witnesses {
		if w.url == "" {
			r.fail(w.pos, `witnesses.%s has no url: write one such as url = "https://witness.example/"`, w.name)
		}
		if w.key == "" {
			r.fail(w.pos, "witnesses.%s has no key: write the line that the witness prints", w.name)
		}
		r.plan.Witnesses = append(r.plan.Witnesses, Witness{Name: w.name, URL: w.url, Key: w.key})
	}
	for _, u := range r.users {
		r.buildUser(u)
	}
	r.checkGuests()
	r.checkProvider()
	r.checkListen()
	r.checkForward()
	r.checkPosted()
	if len(r.tables) == 0 && len(r.doc.Mistakes) == 0 {
		r.fail(tomldoc.Pos{Line: 1, Column: 1}, `the house has no table: add one, such as [tables.classic-1] with book = "rws-3cp@3"`)
	}
	for _, t := range r.tables {
		if r.broken["tables."+t.name] {
			continue
		}
		if built, ok := r.buildTable(t); ok {
			r.plan.Tables = append(r.plan.Tables, built)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.jackpots)) {
		r.checkJackpot(name, r.jackpots[name])
	}
}

func (r *reader) buildUser(u *user) {
	built := User{Name: u.name}
	ok := true
	if err := identity.CheckName(u.name); err != nil {
		r.fail(u.pos, "users.%s: %s", u.name, err)
		ok = false
	}
	switch {
	case u.role == nil:
		r.fail(u.pos, `users.%s has no role: write one such as role = "administrator"`, u.name)
		ok = false
	default:
		if built.Role, ok = choice(r, u.role, access.ParseRole, roleWords()...); ok && built.Role == access.Guest {
			r.fail(u.role.Value.Pos, "users.%s.role: a guest has no name: choose from %s", u.name, strings.Join(roleWords(), ", "))
			ok = false
		}
	}
	if u.password == nil {
		r.fail(u.pos, "users.%s has no password: write what trey password prints, which is not the password itself", u.name)
		return
	}
	hash, isText := r.text(u.password, "what trey password prints")
	if isText {
		if err := identity.CheckHash(hash); err != nil {
			r.fail(u.password.Value.Pos, "users.%s.password: %s; never write a password itself into a file", u.name, err)
			return
		}
	}
	if built.Hash = hash; ok && isText {
		r.plan.Users = append(r.plan.Users, built)
	}
}

// begin returns the first entry of a section, nil where there is none.
func (r *reader) begin(section string) *tomldoc.Entry {
	i := slices.IndexFunc(r.doc.Entries, func(e tomldoc.Entry) bool { return e.Path[0] == section })
	if i < 0 {
		return nil
	}
	return &r.doc.Entries[i]
}

// checkProvider refuses a provider by which nobody could come in.
func (r *reader) checkProvider() {
	e := r.begin("provider")
	if e == nil {
		return
	}
	p := &r.plan.Provider
	p.Name = cmp.Or(p.Name, "OpenID Connect")
	p.NameClaim, p.RolesClaim = cmp.Or(p.NameClaim, "preferred_username"), cmp.Or(p.RolesClaim, "roles")
	for _, one := range []struct{ key, value, example string }{
		{"issuer", p.Issuer, `"https://login.example"`}, {"client_id", p.ID, `"trey"`}, {"client_secret", p.Secret, `"what the provider gave the house"`}, {"address", p.Address, `"https://trey.example"`},
	} {
		if one.value == "" {
			r.fail(e.Pos, "provider has no %s: write %s = %s", one.key, one.key, one.example)
		}
	}
	if len(p.Roles) == 0 && !r.hasError(e.Pos.Line) {
		r.fail(e.Pos, `provider has no roles, so that nobody comes in by it: write [provider.roles] with lines such as "the dealers" = "dealer"`)
	}
}

func (r *reader) checkGuests() {
	g, e := &r.plan.Guests, r.doc.Get("guests.max")
	if section := r.begin("guests"); section != nil && e == nil {
		r.remark(section.Pos, "guests have no max, so that nobody is let in without a name: write max = 200, or remove [guests]")
	}
	if g.Max == 0 {
		return
	}
	if !r.plan.PlayMoney {
		r.fail(e.Pos, `guests play for play money, and this house has real money: remove [guests], or write money = "play" at the top`)
	}
	if r.doc.Get("guests.money") == nil {
		g.Money = guestMoney
	}
}

func (r *reader) checkListen() {
	if e := r.doc.Get("https"); e != nil && r.plan.HTTPS && r.plan.Hosts == nil {
		r.remark(e.Value.Pos, "requests are answered only if they are sent to an IP address or to localhost: name in hosts by which name people reach the house")
	}
	e := r.doc.Get("listen")
	beyond, err := CheckListen(r.plan.Listen)
	if e == nil || err != nil || !beyond {
		return
	}
	isAdministrator := func(u User) bool { return u.Role == access.Administrator }
	switch {
	case len(r.users) == 0:
		r.fail(e.Value.Pos, "listen: %s can be reached from other machines, and the house has no users: name them in [users], an administrator first, or listen at %s", r.plan.Listen, StandardListen)
	case len(r.plan.Users) == len(r.users) && !slices.ContainsFunc(r.plan.Users, isAdministrator):
		r.fail(e.Value.Pos, "listen: %s can be reached from other machines, and the house has no administrator: name one in [users], or listen at %s", r.plan.Listen, StandardListen)
	}
	if !r.plan.HTTPS {
		r.remark(e.Value.Pos, "passwords cross the network in clear text: put something before the house that speaks https, and write https = true")
	}
}

// file is a variant file, read once.
type file struct {
	v  *rules.Variant
	ok bool
}

// variant reads a variant file.
func (r *reader) variant(e *tomldoc.Entry) (*rules.Variant, bool) {
	name, ok := r.text(e, `"high-limit.toml"`)
	if !ok {
		return nil, false
	}
	if known := r.variants[name]; known != nil {
		return known.v, known.ok
	}
	known := &file{}
	r.variants[name] = known
	shownName, text, err := r.read(name)
	if err != nil {
		r.fail(e.Value.Pos, "%s: %s", key(e), err)
		return nil, false
	}
	v, remarks, err := variant.Parse(shownName, text, books.Find)
	if mistakes := variant.Errors(nil); errors.As(err, &mistakes) {
		for _, m := range mistakes {
			r.errs = append(r.errs, &Error{Name: m.Name, Line: m.Line, Reason: m.Reason.String()})
		}
		return nil, false
	}
	if err != nil {
		r.fail(e.Value.Pos, "%s: %s", key(e), err)
		return nil, false
	}
	for _, said := range remarks {
		r.remarks = append(r.remarks, Remark{Name: said.Name, Line: said.Line, Text: said.Text.String()})
	}
	known.v, known.ok = v, true
	return v, true
}

// rulesOf returns the book or variant of a table, which is not changed.
func (r *reader) rulesOf(t *entry) (*rules.Variant, bool) {
	book, file := t.keys["book"], t.keys["variant"]
	switch {
	case book != nil && file != nil:
		r.fail(file.Pos, "tables.%s has a book and a variant, which has a book of its own: remove one of the two", t.name)
		return nil, false
	case file != nil:
		return r.variant(file)
	case book == nil:
		if !r.below(t) {
			r.fail(t.pos, `tables.%s plays by no rules: write book = "rws-3cp@3", or variant = and a file`, t.name)
		}
		return nil, false
	}
	ref, ok := r.text(book, `"rws-3cp@3"`)
	if !ok {
		return nil, false
	}
	b, err := books.Find(ref)
	if err != nil {
		r.fail(book.Value.Pos, "%s: %s", key(book), err)
		return nil, false
	}
	return b.Standard(), true
}

// below reports whether something below a table was refused already that might
// have been what is missing.
func (r *reader) below(t *entry) bool {
	for path := range r.broken {
		if strings.HasPrefix(path, "tables."+t.name+".") {
			return true
		}
	}
	return false
}

func (r *reader) buildTable(t *entry) (house.Table, bool) {
	before := len(r.errs)
	// A browser takes . and .. in an address for folders.
	if strings.TrimSpace(t.name) != t.name || t.name == "." || t.name == ".." || !(ledger.Account{Kind: ledger.Layout, Of: t.name}).Valid() {
		r.fail(t.pos, "%q is no name of a table: write one such as classic-1", t.name)
	}
	built := house.Table{Name: t.name}
	from, ok := r.rulesOf(t)
	if ok {
		built.Variant = from.Clone()
		r.setRules(t, &built)
	}
	r.setEquipment(t, &built)
	r.setPace(t, &built)
	if !ok || len(r.errs) > before {
		return built, false
	}
	if from.Hash() != built.Variant.Hash() {
		built.Variant.ID = houseID(from)
	}
	if _, err := table.New(built.Variant, built.Config); err != nil {
		r.fail(t.pos, "tables.%s: %s", t.name, err)
		return built, false
	}
	return built, true
}

// houseID returns the name of the rules with a house's own limits. A variant file must be able
// to hold it, or the record of a round could not be proven by its rules.
func houseID(from *rules.Variant) string {
	const suffix, longest = "-house", 64
	name := from.ID
	if name == from.Book.Ref() {
		name = from.Book.ID
	}
	return name[:min(len(name), longest-len(suffix))] + suffix
}

// setRules changes the rules of a table by what the plan says of it.
func (r *reader) setRules(t *entry, built *house.Table) {
	v := built.Variant
	if e := t.keys["boxes"]; e != nil {
		if n, ok := r.wholeNumber(e, v.Book.Boxes.Least(), v.Book.Boxes.Max); ok {
			v.Boxes = n
		}
	}
	if e := t.keys["chips"]; e != nil {
		r.setChips(e, v)
	}
	if t.keys["book"] != nil {
		for w, b := range r.posted {
			if rule := v.Book.Rule(w); rule != nil && rule.Stake == rules.WithinLimits && v.Limits[w] == (rules.Limit{}) {
				b.onto(&v.Limits[w])
			}
		}
	}
	for _, w := range slices.Sorted(maps.Keys(t.limits)) {
		b := t.limits[w]
		if why := noLimit(v.Book, w); why != "" {
			r.fail(b.pos, "tables.%s.limits.%s: %s", t.name, w, why)
			continue
		}
		b.onto(&v.Limits[w])
	}
	for i := range v.Book.Wagers {
		if rule := &v.Book.Wagers[i]; rule.Stake == rules.EqualToBasis && rule.Limit != (rules.Limit{}) {
			v.Limits[rule.Wager] = v.Limits[rule.Basis]
		}
	}
	r.setJackpot(t, built)
	for _, fault := range v.Faults() {
		if follows(v, fault.Field) {
			continue // The error is about the value that it equals.
		}
		pos := r.place(t, fault.Field)
		if !r.hasError(pos.Line) {
			r.fail(pos, "tables.%s, %s: %s", t.name, fault.Field, fault.Reason)
		}
	}
	for i := range v.Book.Wagers {
		rule := &v.Book.Wagers[i]
		if rule.Stake == rules.WithinLimits && v.Limits[rule.Wager] == (rules.Limit{}) && t.keys["book"] != nil {
			r.remark(t.pos, "tables.%s: no limits are posted for %s, so any amount can be bet: write them in [limits.%s] or [tables.%s.limits.%s]",
				t.name, rule.Wager.Name(), rule.Wager, t.name, rule.Wager)
		}
	}
}

func (r *reader) setChips(e *tomldoc.Entry, v *rules.Variant) {
	if e.Value.Kind != tomldoc.List {
		r.fail(e.Value.Pos, `%s is %s: write a list such as ["1", "5", "25"]`, key(e), e.Value.Kind)
		return
	}
	var chips []money.Amount
	for _, item := range e.Value.List {
		chip, ok := r.amount(&tomldoc.Entry{Path: e.Path, Pos: e.Pos, Value: item})
		if !ok {
			return
		}
		chips = append(chips, chip)
	}
	v.Chips = chips
}

// noLimit says why a wager of a book has no limits to set, or nothing.
func noLimit(b *rules.Book, w rules.Wager) string {
	rule := b.Rule(w)
	if rule == nil {
		var has []string
		for i := range b.Wagers {
			if b.Wagers[i].Stake == rules.WithinLimits {
				has = append(has, b.Wagers[i].Wager.String())
			}
		}
		return b.Ref() + " has no such wager: choose from " + strings.Join(has, ", ")
	}
	switch rule.Stake {
	case rules.EqualToBasis:
		return "it always equals " + rule.Basis.String() + ": limit that"
	case rules.Prescribed:
		return "it has one size: set it as bet of its jackpot"
	case rules.NoStake:
		return "it takes no stake and has no limits"
	case rules.WithinLimits:
	}
	return ""
}

// checkPosted refuses posted limits of a wager that has none to set in any book.
func (r *reader) checkPosted() {
	for _, w := range slices.Sorted(maps.Keys(r.posted)) {
		why := "it takes no stake and has no limits"
		for _, b := range books.All() {
			if b.Rule(w) != nil {
				why = noLimit(b, w)
			}
			if why == "" {
				break
			}
		}
		if why != "" {
			r.fail(r.posted[w].pos, "limits.%s: %s", w, why)
		}
	}
}

// follows reports whether a field is the limits of a wager that always equals
// another one, whose limits it was given.
func follows(v *rules.Variant, field string) bool {
	name, ok := strings.CutPrefix(field, "limits.")
	w, err := rules.ParseWager(name)
	if !ok || err != nil {
		return false
	}
	rule := v.Book.Rule(w)
	return rule != nil && rule.Stake == rules.EqualToBasis && v.Limits[w] == v.Limits[rule.Basis]
}

// place returns the part of the file to which a fault of the rules belongs: the plan's own
// statement, the jackpot, or the table.
func (r *reader) place(t *entry, field string) tomldoc.Pos {
	section, rest, _ := strings.Cut(field, ".")
	if e := t.keys[section]; e != nil {
		return e.Value.Pos
	}
	if section == "limits" {
		w, err := rules.ParseWager(rest)
		if err == nil && t.limits[w] != nil {
			return t.limits[w].pos
		}
		if e := t.keys["chips"]; e != nil {
			return e.Value.Pos
		}
		if err == nil && t.keys["book"] != nil && r.posted[w] != nil {
			return r.posted[w].pos
		}
	}
	if e := t.keys["jackpot"]; e != nil && section == "progressive" {
		if p := r.jackpots[e.Value.Text]; p != nil {
			return p.pos
		}
	}
	return t.pos
}

// setJackpot connects a table to its jackpot, or takes its progressive away.
func (r *reader) setJackpot(t *entry, built *house.Table) {
	v, e := built.Variant, t.keys["jackpot"]
	has := v.Book.Rule(rules.Progressive) != nil
	name := none
	if e != nil {
		text, ok := r.text(e, `"linked"`)
		if !ok {
			return
		}
		name = text
	}
	if name == none {
		if has && e == nil && v.Jackpot != nil {
			r.remark(t.pos, `tables.%s: %s has a Progressive Jackpot, and none is connected: write jackpot = and a name of [jackpots], or jackpot = "none" to say so`, t.name, v.Book.Ref())
		}
		v.Jackpot, v.Limits[rules.Progressive] = nil, rules.Limit{}
		return
	}
	p := r.jackpots[name]
	switch {
	case !has:
		r.fail(e.Value.Pos, "tables.%s.jackpot: %s has no progressive: remove this line", t.name, v.Book.Ref())
		return
	case v.Jackpot == nil:
		r.fail(e.Value.Pos, "tables.%s.jackpot: the variant has its progressive disabled: remove this line, or enabled = false there", t.name)
		return
	case p == nil:
		names := slices.Sorted(maps.Keys(r.jackpots))
		switch near := rules.Nearest(name, names); {
		case near != "":
			r.fail(e.Value.Pos, "tables.%s.jackpot: there is no jackpot %q: did you mean %s?", t.name, name, near)
		case len(names) > 0:
			r.fail(e.Value.Pos, "tables.%s.jackpot: there is no jackpot %q: choose from %s, or add [jackpots.%s]", t.name, name, strings.Join(names, ", "), name)
		default:
			r.fail(e.Value.Pos, "tables.%s.jackpot: there is no jackpot %q: add [jackpots.%s]", t.name, name, name)
		}
		return
	}
	p.onto(v.Jackpot)
	v.Limits[rules.Progressive] = rules.Limit{Min: v.Jackpot.Bet, Max: v.Jackpot.Bet}
	built.Jackpot, built.Meter, built.VerifyFrom = name, p.meter, p.verifyFrom
	if p.first == nil {
		p.first, p.firstTable = v, t.name
		return
	}
	if *p.first.Jackpot != *v.Jackpot {
		r.fail(e.Value.Pos, "tables.%s plays for %s by other terms than tables.%s: write bet, reset, rate and ceiling in [jackpots.%s]", t.name, name, p.firstTable, name)
	}
}

// onto sets the terms that the jackpot gives.
func (p *jackpotEntry) onto(terms *rules.JackpotTerms) {
	for _, one := range []struct {
		given *money.Amount
		into  *money.Amount
	}{{p.bet, &terms.Bet}, {p.reset, &terms.Reset}, {p.ceiling, &terms.Ceiling}} {
		if one.given != nil {
			*one.into = *one.given
		}
	}
	if p.rateDen != 0 {
		terms.RateNum, terms.RateDen = p.rateNum, p.rateDen
	}
}

// checkJackpot opens a jackpot as it would be opened with its first table, and
// holds every table against it.
func (r *reader) checkJackpot(name string, p *jackpotEntry) {
	if !(ledger.Account{Kind: ledger.Meter, Of: name}).Valid() || name == none || name == "." || name == ".." {
		r.fail(p.pos, "%q is no name of a jackpot: write one such as linked", name)
		return
	}
	if p.first == nil {
		r.remark(p.pos, "jackpots.%s: no table plays for it", name)
		return
	}
	if p.first.Check() != nil {
		return // The error is listed already.
	}
	_, opened, err := linked.Open(p.first, p.meter, p.verifyFrom)
	if err != nil {
		pos := p.pos
		if p.meter != 0 {
			pos = p.meterPos
		}
		r.fail(pos, "jackpots.%s: %s", name, err)
		return
	}
	for i := range r.plan.Tables {
		if t := &r.plan.Tables[i]; t.Jackpot == name {
			if err := linked.Check(t.Variant, opened); err != nil {
				r.fail(r.posOf(t.Name), "tables.%s: %s", t.Name, err)
			}
		}
	}
}

func (r *reader) posOf(name string) tomldoc.Pos {
	for _, t := range r.tables {
		if t.name == name {
			return t.pos
		}
	}
	return tomldoc.Pos{Line: 1, Column: 1}
}

// setEquipment says what a table is dealt from and by whom.
func (r *reader) setEquipment(t *entry, built *house.Table) {
	built.Config = table.Config{Device: rules.Shuffler, Cards: table.Virtual}
	built.Mode = house.Automatic
	if e := t.keys["device"]; e != nil {
		if device, ok := choice(r, e, rules.ParseDevice, rules.Shuffler.String(), rules.Shoe.String(), rules.HandDeal.String()); ok {
			built.Config.Device = device
			if v := built.Variant; v != nil {
				if _, ok := v.Book.Device(device); !ok {
					r.fail(e.Value.Pos, "tables.%s.device: %s is not dealt from a %s", t.name, v.Book.Ref(), device)
				}
			}
		}
	} else if v := built.Variant; v != nil {
		if _, ok := v.Book.Device(rules.Shuffler); !ok {
			built.Config.Device = v.Book.Devices[0].Device
		}
	}
	if e := t.keys["cards"]; e != nil {
		if cards, ok := choice(r, e, table.ParseSight, table.Virtual.String(), table.Read.String(), table.Unseen.String()); ok {
			built.Config.Cards = cards
		}
	}
	if e := t.keys["chips_on_layout"]; e != nil {
		built.Config.Chips = r.truth(e)
	}
	if e := t.keys["mode"]; e != nil {
		if mode, ok := choice(r, e, house.ParseMode, house.Automatic.String(), house.DealerRun.String()); ok {
			built.Mode = mode
		}
	}
	if built.Mode != house.Automatic {
		return
	}
	if e := t.keys["cards"]; e != nil && built.Config.Cards != table.Virtual {
		r.fail(e.Value.Pos, `tables.%s: the house deals at an automatic table, so its cards are virtual: write mode = "dealer" where a hand deals them`, t.name)
	}
	if e := t.keys["chips_on_layout"]; e != nil && built.Config.Chips {
		r.fail(e.Value.Pos, `tables.%s: nobody sees chips at an automatic table: write mode = "dealer" where a dealer stands`, t.name)
	}
}

// setPace says how long an automatic table waits.
func (r *reader) setPace(t *entry, built *house.Table) {
	if built.Mode != house.Automatic {
		for _, name := range slices.Sorted(maps.Keys(t.pace)) {
			r.fail(t.pace[name].Pos, "tables.%s.pace.%s: a table that a dealer runs has no clock: remove it", t.name, name)
		}
		return
	}
	if v := built.Variant; v != nil && v.Is(rules.AbsentPlayer, rules.WaitForPlayer) {
		r.fail(t.pos, `tables.%s: absent_player = "wait" needs a supervisor to go on, and an automatic table has none: choose "fold", or mode = "dealer"`, t.name)
	}
	built.Pace = r.pace
	for _, name := range slices.Sorted(maps.Keys(t.pace)) {
		if ms, ok := r.duration(t.pace[name]); ok {
			*paceField(&built.Pace, name) = ms
		}
	}
	if p := built.Pace; p.BettingMs == 0 || p.DecisionMs == 0 || p.OptionMs == 0 {
		if !r.plan.PlayMoney {
			r.fail(t.pos, "tables.%s: there is no clock for betting, decisions or options, so that a player who stays away holds the table up and only a supervisor could go on: give it times, such as those of trey config init", t.name)
			return
		}
		r.remark(t.pos, "tables.%s: there is no clock for betting, decisions or options, so it waits for its players however long they take; that is for machines", t.name)
	}
}
