package plan

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/tomldoc"
	"trey/internal/tree"
	"trey/money"
	"trey/rules"
)

// MaxBytes bounds a file: a house of some thousand tables is smaller.
const MaxBytes = 1 << 22

// Parse reads a plan. The name is for messages; read returns the text of a variant
// file by the name that stands in the plan, with its name for messages.
//
// The error is an [Errors] with every mistake found, also those of the variants.
// Where it is nil, every table can be put on the floor, and the remarks say what is
// allowed but surprising.
func Parse(name string, text []byte, read func(file string) (name string, text []byte, err error)) (*Plan, []Remark, error) {
	r := &reader{
		name: name, read: read, broken: map[string]bool{},
		plan: &Plan{Listen: StandardListen, Requests: StandardRequests, Cage: StandardCage}, pace: StandardPace,
		posted: map[rules.Wager]*bounds{}, jackpots: map[string]*jackpotEntry{}, variants: map[string]*file{},
	}
	if len(text) > MaxBytes {
		r.fail(tomldoc.Pos{Line: 1, Column: 1}, "the file has %d bytes; a plan has at most %d", len(text), MaxBytes)
		return nil, nil, r.errs
	}
	r.doc = tomldoc.Scan(text)
	for _, m := range r.doc.Mistakes {
		r.fail(m.Pos, "%s", m.Reason)
	}
	r.readAll()
	r.build()
	if len(r.errs) > 0 {
		return nil, nil, r.errs.sorted(name)
	}
	return r.plan, r.remarks, nil
}

// reader is one reading of one file.
type reader struct {
	name     string
	read     func(string) (string, []byte, error)
	doc      *tomldoc.Document
	plan     *Plan
	errs     Errors
	remarks  []Remark
	pace     house.Pace
	posted   map[rules.Wager]*bounds
	jackpots map[string]*jackpotEntry
	tables   []*entry
	users    []*user

	witnesses []*witness
	variants  map[string]*file
	// broken holds the paths that have been refused, so that nothing below them is refused once
	// more.
	broken map[string]bool
}

// entry is a table as the file has it, each value with where it stands.
type entry struct {
	name   string
	pos    tomldoc.Pos
	keys   map[string]*tomldoc.Entry // those that hold a value
	pace   map[string]*tomldoc.Entry
	limits map[rules.Wager]*bounds
}

// bounds are the limits of a wager, nil for one that is not given.
type bounds struct {
	pos      tomldoc.Pos
	min, max *money.Amount
}

// onto sets the limits that are given.
func (b *bounds) onto(l *rules.Limit) {
	if b.min != nil {
		l.Min = *b.min
	}
	if b.max != nil {
		l.Max = *b.max
	}
}

// user is an entry of the file for one user.
type user struct {
	name           string
	pos            tomldoc.Pos
	role, password *tomldoc.Entry
}

// jackpotEntry is a jackpot of the file: the terms in it, which override those of the rules of its
// tables.
type jackpotEntry struct {
	pos                 tomldoc.Pos
	bet, reset, ceiling *money.Amount
	rateNum, rateDen    int64 // zero for none given
	meter               money.Amount
	verifyFrom          money.Amount
	meterPos            tomldoc.Pos
	first               *rules.Variant // the rules of its first table
	firstTable          string
}

func (r *reader) fail(pos tomldoc.Pos, format string, args ...any) {
	r.errs = append(r.errs, &Error{r.name, pos.Line, pos.Column, fmt.Sprintf(format, args...)})
}

func (r *reader) remark(pos tomldoc.Pos, format string, args ...any) {
	r.remarks = append(r.remarks, Remark{r.name, pos.Line, pos.Column, fmt.Sprintf(format, args...)})
}

func (r *reader) hasError(line int) bool {
	return slices.ContainsFunc(r.errs, func(e *Error) bool { return e.Name == r.name && e.Line == line })
}

func key(e *tomldoc.Entry) string { return strings.Join(e.Path, ".") }

// unknown refuses a key, and says which one may have been meant.
func (r *reader) unknown(e *tomldoc.Entry, depth int, known []string, what string) {
	r.broken[strings.Join(e.Path[:depth+1], ".")] = true
	if near := rules.Nearest(e.Path[depth], known); near != "" {
		r.fail(e.Pos, "%s %q: did you mean %s?", what, e.Path[depth], near)
		return
	}
	r.fail(e.Pos, "%s %q: choose from %s", what, e.Path[depth], strings.Join(known, ", "))
}

// isBroken reports whether the entry lies below a path already refused.
func (r *reader) isBroken(e *tomldoc.Entry) bool {
	for i := range e.Path {
		if r.broken[strings.Join(e.Path[:i+1], ".")] {
			return true
		}
	}
	return false
}

// section goes on for an entry at least so deep, and refuses a value in place of
// the table.
func (r *reader) section(e *tomldoc.Entry, depth int, example string) bool {
	if len(e.Path) >= depth {
		return true
	}
	if e.Value.Kind != tomldoc.Table {
		r.fail(e.Pos, "%s is a table and not %s: write %s", key(e), e.Value.Kind, example)
	}
	return false
}

// leaf refuses a table in place of a value, and whatever lies below one.
func (r *reader) leaf(e *tomldoc.Entry, depth int) bool {
	if len(e.Path) > depth {
		path := strings.Join(e.Path[:depth], ".")
		r.broken[strings.Join(e.Path[:depth+1], ".")] = true
		r.fail(e.Pos, "%s holds a value and no table: remove %s", path, key(e))
		return false
	}
	if e.Value.Kind == tomldoc.Table {
		r.broken[key(e)] = true
		r.fail(e.Pos, "%s holds a value and no table", key(e))
		return false
	}
	return true
}

// text reads a text.
func (r *reader) text(e *tomldoc.Entry, example string) (string, bool) {
	if e.Value.Kind != tomldoc.Text {
		r.fail(e.Value.Pos, "%s is %s: write it in quotes, such as %s", key(e), e.Value.Kind, example)
		return "", false
	}
	return e.Value.Text, true
}

// truth reads true or false; anything else is false.
func (r *reader) truth(e *tomldoc.Entry) bool {
	if e.Value.Kind != tomldoc.Truth {
		r.fail(e.Value.Pos, "%s is %s: write true or false", key(e), e.Value.Kind)
		return false
	}
	return e.Value.Text == "true"
}

func (r *reader) wholeNumber(e *tomldoc.Entry, least, most int) (int, bool) {
	n, err := strconv.ParseInt(e.Value.Text, 0, 0)
	if e.Value.Kind != tomldoc.Whole || err != nil || int(n) < least || int(n) > most {
		r.fail(e.Value.Pos, "%s must be a whole number from %d to %d", key(e), least, most)
		return 0, false
	}
	return int(n), true
}

// amount reads a sum of money. TOML's own numbers are refused: 25 could be dollars or cents,
// and 12.50 would be a float.
func (r *reader) amount(e *tomldoc.Entry) (money.Amount, bool) {
	if e.Value.Kind != tomldoc.Text {
		r.fail(e.Value.Pos, `%s is %s: write the amount in quotes, such as "25" or "12.50"`, key(e), e.Value.Kind)
		return 0, false
	}
	sum, err := money.Parse(e.Value.Text)
	switch {
	case err != nil:
		r.fail(e.Value.Pos, "%s: %s", key(e), err)
	case sum < 0:
		r.fail(e.Value.Pos, "%s: %s is below zero; write an amount such as 25 or 12.50", key(e), e.Value.Text)
	default:
		return sum, true
	}
	return 0, false
}

// duration reads a time such as "20s", in whole milliseconds.
func (r *reader) duration(e *tomldoc.Entry) (ms int64, ok bool) {
	d, err := time.ParseDuration(e.Value.Text)
	if e.Value.Kind != tomldoc.Text || err != nil || d < 0 || d > time.Duration(house.MaxPaceMs)*time.Millisecond || d%time.Millisecond != 0 {
		r.fail(e.Value.Pos, `%s must be a time in quotes, from "0s" to a day, such as "20s" or "500ms"`, key(e))
		return 0, false
	}
	return d.Milliseconds(), true
}

// none is the word that takes a limit or a jackpot away.
const none = "none"

var (
	topKeys     = []string{"name", "listen", "https", "hosts", "proxies", "metrics", "second_factor", "database", "standbys", "seal_keys", "signing", "archive", "money", "provider", "guests", "players", "requests", "cage", "users", "pace", "limits", "jackpots", "tables", "witnesses", "significant_events"}
	guestKeys   = []string{"max", "money"}
	playerKeys  = []string{"reality_check"}
	requestKeys = []string{"address", "person", "streams", "streams_each"}
	userKeys    = []string{"role", "password"}
	witnessKeys = []string{"url", "key"}
	paceKeys    = []string{"betting", "decision", "option", "deal", "show"}
	jackpotKeys = []string{"bet", "reset", "rate", "ceiling", "meter", "verify_from"}
	tableKeys   = []string{"book", "variant", "boxes", "chips", "limits", "jackpot", "device", "cards", "mode", "pace", "chips_on_layout"}
	// variantKeys are those that only a variant file has.
	variantKeys = []string{"pays", "envy", "rulings", "progressive"}
)

// witness is a witness as far as it has been read.
type witness struct {
	name, url, key string
	pos            tomldoc.Pos
}

func (r *reader) readAll() {
	for i := range r.doc.Entries {
		e := &r.doc.Entries[i]
		if r.isBroken(e) {
			continue
		}
		switch e.Path[0] {
		case "name", "listen", "https", "hosts", "proxies", "metrics", "second_factor", "database", "standbys", "seal_keys", "signing", "archive", "money":
			if r.leaf(e, 1) {
				r.top(e)
			}
		case "guests":
			r.guests(e)
		case "players":
			r.players(e)
		case "requests":
			r.requests(e)
		case "cage":
			r.cage(e)
		case "provider":
			r.provider(e)
		case "users":
			r.user(e)
		case "pace":
			if r.section(e, 2, `[pace] with lines such as betting = "20s"`) && r.paceKey(e, 1) {
				if ms, ok := r.duration(e); ok {
					*paceField(&r.pace, e.Path[1]) = ms
				}
			}
		case "witnesses":
			r.witness(e)
		case "significant_events":
			r.forward(e)
		case "limits":
			r.limit(e, 0, r.posted)
		case "jackpots":
			r.jackpot(e)
		case "tables":
			r.table(e)
		default:
			r.unknown(e, 0, topKeys, "there is no key")
		}
	}
}

func (r *reader) top(e *tomldoc.Entry) {
	switch e.Path[0] {
	case "name":
		if text, ok := r.text(e, `"The Grand"`); ok {
			if text != strings.TrimSpace(text) || strings.ContainsFunc(text, unmarked) || utf8.RuneCountInString(text) > maxName {
				r.fail(e.Value.Pos, "name: at most %d letters, signs and blanks between them", maxName)
			}
			r.plan.Name = text
		}
	case "listen":
		if text, ok := r.text(e, strconv.Quote(StandardListen)); ok {
			r.plan.Listen = text
			if _, err := CheckListen(text); err != nil {
				r.fail(e.Value.Pos, "listen: %s", err)
			}
		}
	case "https":
		r.plan.HTTPS = r.truth(e)
	case "hosts":
		r.plan.Hosts = r.list(e, `"trey.example"`, func(text string) error {
			if _, err := netip.ParseAddr(text); err == nil {
				return nil
			}
			if _, after, found := strings.Cut(text, "://"); found {
				name, _, _ := strings.Cut(after, "/")
				return fmt.Errorf("%q is an address and no host name: write %q alone", text, name)
			}
			host, port := splitHost(text)
			if !hostForm.MatchString(host) || strings.HasSuffix(text, ":") {
				return fmt.Errorf("%q is no host name: write one such as trey.example", text)
			}
			if n, ok := parsePort(port); port != "" && (!ok || n == 0) {
				return fmt.Errorf("%q has no port from 1 to 65535: write a name such as trey.example, with a port only if browsers show one", text)
			}
			return nil
		})
	case "proxies":
		for _, text := range r.list(e, `"127.0.0.1"`, func(text string) error {
			if _, err := netip.ParseAddr(text); err != nil {
				return fmt.Errorf("%q is no IP address: write that of what stands before the house, such as 127.0.0.1", text)
			}
			return nil
		}) {
			r.plan.Proxies = append(r.plan.Proxies, netip.MustParseAddr(text).Unmap())
		}
	case "second_factor":
		for _, text := range r.list(e, `"administrator"`, func(text string) error {
			role, err := access.ParseRole(text)
			if err != nil || role == access.Guest {
				return fmt.Errorf("%q is no role of a user: choose from %s", text, strings.Join(roleWords(), ", "))
			}
			return nil
		}) {
			role, _ := access.ParseRole(text) // it was read above
			r.plan.SecondFactor = append(r.plan.SecondFactor, role)
		}
	case "metrics":
		if text, ok := r.text(e, `"127.0.0.1:9090"`); ok {
			r.plan.Metrics, r.plan.MetricsPos = text, e.Value.Pos
			if beyond, err := CheckListen(text); err != nil {
				r.fail(e.Value.Pos, "metrics: %s", err)
			} else if beyond {
				r.fail(e.Value.Pos, "metrics: %s can be reached from other machines, and there they need no token: write a loopback address such as 127.0.0.1:9090, or ask for them at /metrics with a token", text)
			}
		}
	case "database":
		if text, ok := r.text(e, `"house.db"`); ok {
			switch {
			case text == "":
				r.fail(e.Value.Pos, `database is empty: name a file, such as "house.db"`)
			default:
				if _, err := CheckDatabase(text); err != nil {
					r.fail(e.Value.Pos, "database: %s", err)
				}
			}
			r.plan.Database, r.plan.DatabasePos = text, e.Value.Pos
		}
	case "standbys":
		switch text, ok := r.text(e, `"vouched"`); {
		case !ok:
		case text == "vouched":
			r.plan.StandbysVouched = true
		case text != "seen":
			r.fail(e.Value.Pos, `standbys cannot be %q: write "seen", or "vouched" where you answer for them`, text)
		}
	case "seal_keys":
		r.namedPlace(e, "file", `"house.keys"`, &r.plan.SealKeys, &r.plan.SealKeysPos)
	case "signing":
		r.namedPlace(e, "folder", `"/etc/trey/signing"`, &r.plan.Signing, &r.plan.SigningPos)
	case "archive":
		r.namedPlace(e, "folder", `"/archive/house"`, &r.plan.Archive, &r.plan.ArchivePos)
	case "money":
		switch text, ok := r.text(e, `"play" or "real"`); {
		case !ok:
		case text == "play":
			r.plan.PlayMoney = true
		case text != "real":
			r.fail(e.Value.Pos, `money cannot be %q: write "play" or "real"`, text)
		}
	}
}

// hostForm is the form of a host name.
var hostForm = regexp.MustCompile(`^(?i)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`)

// list reads a list of texts, each of which check accepts. It is not nil if it is right.
func (r *reader) list(e *tomldoc.Entry, example string, check func(string) error) []string {
	if e.Value.Kind != tomldoc.List {
		r.fail(e.Value.Pos, "%s is %s: write a list, such as [%s]", key(e), e.Value.Kind, example)
		return nil
	}
	all := []string{}
	for i := range e.Value.List {
		item := &e.Value.List[i]
		if item.Kind != tomldoc.Text {
			r.fail(item.Pos, "%s holds %s: write texts, such as [%s]", key(e), item.Kind, example)
			return nil
		}
		if err := check(item.Text); err != nil {
			r.fail(item.Pos, "%s: %s", key(e), err)
			return nil
		}
		all = append(all, item.Text)
	}
	return all
}

// maxName is the longest name of a house in characters; the name stands on every page of its
// reports.
const maxName = 60

func unmarked(r rune) bool { return !unicode.IsGraphic(r) }

// errNoDatabase says which records this program knows.
var errNoDatabase = errors.New("this is neither a file nor a database of PostgreSQL: name a file, such as house.db, or write postgres://HOST/NAME")

// CheckDatabase reports whether a name of a record is the address of a database server,
// and why it is the name of no record. An empty name is the name of a file.
func CheckDatabase(name string) (server bool, err error) {
	scheme, _, server := strings.Cut(name, "://")
	if server && scheme != "postgres" && scheme != "postgresql" {
		return true, errNoDatabase
	}
	return server, nil
}

func (r *reader) guests(e *tomldoc.Entry) {
	if !r.section(e, 2, "[guests] with max = 200") {
		return
	}
	if !slices.Contains(guestKeys, e.Path[1]) {
		r.unknown(e, 1, guestKeys, "guests have no")
		return
	}
	if !r.leaf(e, 2) {
		return
	}
	switch e.Path[1] {
	case "max":
		r.plan.Guests.Max, _ = r.wholeNumber(e, 0, 1_000_000)
	case "money":
		r.plan.Guests.Money, _ = r.amount(e)
	}
}

func (r *reader) players(e *tomldoc.Entry) {
	if !r.section(e, 2, `[players] with reality_check = "1h"`) {
		return
	}
	if !slices.Contains(playerKeys, e.Path[1]) {
		r.unknown(e, 1, playerKeys, "players have no")
		return
	}
	if !r.leaf(e, 2) {
		return
	}
	if ms, ok := r.duration(e); ok {
		r.plan.RealityCheckMs = ms
	}
}

func (r *reader) requests(e *tomldoc.Entry) {
	if !r.section(e, 2, "[requests] with person = 50") {
		return
	}
	if !slices.Contains(requestKeys, e.Path[1]) {
		r.unknown(e, 1, requestKeys, "requests have no")
		return
	}
	if !r.leaf(e, 2) {
		return
	}
	into := map[string]*int{
		"address": &r.plan.Requests.Address, "person": &r.plan.Requests.Person,
		"streams": &r.plan.Requests.Streams, "streams_each": &r.plan.Requests.StreamsEach,
	}[e.Path[1]]
	if n, ok := r.wholeNumber(e, 0, 1_000_000); ok {
		*into = n
	}
}

var providerKeys = []string{"name", "issuer", "client_id", "client_secret", "address", "name_claim", "roles_claim", "roles"}

// namedPlace reads the name of a file or a folder, and where it stands.
func (r *reader) namedPlace(e *tomldoc.Entry, kind, example string, name *string, at *tomldoc.Pos) {
	text, ok := r.text(e, example)
	if !ok {
		return
	}
	if text == "" {
		r.fail(e.Value.Pos, "%s is empty: name a %s, such as %s", key(e), kind, example)
	}
	*name, *at = text, e.Value.Pos
}

func (r *reader) provider(e *tomldoc.Entry) {
	if !r.section(e, 2, `[provider] with issuer = "https://login.example"`) {
		return
	}
	if !slices.Contains(providerKeys, e.Path[1]) {
		r.unknown(e, 1, providerKeys, "a provider has no")
		return
	}
	p := &r.plan.Provider
	if e.Path[1] == "roles" {
		if !r.section(e, 3, `[provider.roles] with "the dealers" = "dealer"`) || !r.leaf(e, 3) {
			return
		}
		role, ok := choice(r, e, access.ParseRole, roleWords()...)
		if ok && role == access.Guest {
			r.fail(e.Value.Pos, "%s: %q is no role of a user: choose from %s", key(e), e.Value.Text, strings.Join(roleWords(), ", "))
			ok = false
		}
		if ok {
			if p.Roles == nil {
				p.Roles = map[string]access.Role{}
			}
			p.Roles[e.Path[2]] = role
		}
		return
	}
	if !r.leaf(e, 2) {
		return
	}
	text, ok := r.text(e, `"https://login.example"`)
	if !ok {
		return
	}
	if e.Path[1] == "issuer" || e.Path[1] == "address" {
		to, err := parseURL(text)
		local := err == nil && to.Scheme == "http" && thisMachine(to.Hostname())
		switch {
		case err != nil || to.Hostname() == "" || to.Scheme != "https" && !local:
			r.fail(e.Value.Pos, "%s: %q is no address by https: write one such as https://login.example", key(e), text)
		case e.Path[1] == "address" && (to.Path != "" || to.RawQuery != ""):
			r.fail(e.Value.Pos, "%s: write how people reach the house without a path, such as https://trey.example", key(e))
		}
	}
	*map[string]*string{
		"name": &p.Name, "issuer": &p.Issuer, "client_id": &p.ID, "client_secret": &p.Secret, "address": &p.Address,
		"name_claim": &p.NameClaim, "roles_claim": &p.RolesClaim,
	}[e.Path[1]] = text
}

func (r *reader) user(e *tomldoc.Entry) {
	const example = `[users.ada] with role = "administrator"`
	if !r.section(e, 2, example) {
		return
	}
	i := slices.IndexFunc(r.users, func(u *user) bool { return u.name == e.Path[1] })
	if i < 0 {
		i = len(r.users)
		r.users = append(r.users, &user{name: e.Path[1], pos: e.Pos})
	}
	if !r.section(e, 3, example) {
		return
	}
	if !slices.Contains(userKeys, e.Path[2]) {
		r.unknown(e, 2, userKeys, "a user has no")
		return
	}
	if !r.leaf(e, 3) {
		return
	}
	switch e.Path[2] {
	case "role":
		r.users[i].role = e
	case "password":
		r.users[i].password = e
	}
}

// witness reads one line about a witness.
func (r *reader) witness(e *tomldoc.Entry) {
	const example = `[witnesses.notary-public] with url = "https://witness.example/"`
	if !r.section(e, 2, example) {
		return
	}
	i := slices.IndexFunc(r.witnesses, func(w *witness) bool { return w.name == e.Path[1] })
	if i < 0 {
		i = len(r.witnesses)
		r.witnesses = append(r.witnesses, &witness{name: e.Path[1], pos: e.Pos})
	}
	if !r.section(e, 3, example) {
		return
	}
	if !slices.Contains(witnessKeys, e.Path[2]) {
		r.unknown(e, 2, witnessKeys, "a witness has no")
		return
	}
	if !r.leaf(e, 3) {
		return
	}
	switch text, ok := r.text(e, `"https://witness.example/"`); {
	case !ok:
	case e.Path[2] == "url":
		r.witnesses[i].url = text
		at, err := parseURL(text)
		if err != nil || at.Scheme != "https" && at.Scheme != "http" || at.Hostname() == "" || at.RawQuery != "" || at.Fragment != "" || at.User != nil {
			r.fail(e.Value.Pos, `%s cannot be %q: write the address of a witness, such as "https://witness.example/"`, key(e), text)
		}
	default:
		r.witnesses[i].key = text
		if _, err := tree.ParseCosignatureVerifier(text); err != nil {
			r.fail(e.Value.Pos, "%s: %s; the witness prints its own", key(e), err)
		}
	}
}

// paceKey checks one line of a pace, whose key stands at the depth.
func (r *reader) paceKey(e *tomldoc.Entry, depth int) bool {
	if !slices.Contains(paceKeys, e.Path[depth]) {
		r.unknown(e, depth, paceKeys, "a pace has no")
		return false
	}
	return r.leaf(e, depth+1)
}

// paceField returns the field that keeps a time of a pace.
func paceField(p *house.Pace, name string) *int64 {
	switch name {
	case "betting":
		return &p.BettingMs
	case "decision":
		return &p.DecisionMs
	case "option":
		return &p.OptionMs
	case "deal":
		return &p.DealMs
	}
	return &p.ShowMs
}

// limit reads one bound; the section stands at the depth.
func (r *reader) limit(e *tomldoc.Entry, depth int, into map[rules.Wager]*bounds) {
	example := "[" + strings.Join(append(slices.Clone(e.Path[:depth+1]), "ante"), ".") + `] with min = "5" and max = "200"`
	if !r.section(e, depth+2, example) {
		return
	}
	w, err := rules.ParseWager(e.Path[depth+1])
	if err != nil {
		r.unknown(e, depth+1, wagers(), "there is no wager")
		return
	}
	if !r.section(e, depth+3, example) {
		return
	}
	if name := e.Path[depth+2]; name != "min" && name != "max" {
		r.unknown(e, depth+2, []string{"min", "max"}, "a limit has no")
		return
	}
	if !r.leaf(e, depth+3) {
		return
	}
	sum := money.Amount(0)
	if e.Value.Kind != tomldoc.Text || e.Value.Text != none {
		var ok bool
		if sum, ok = r.amount(e); !ok {
			return
		}
		if sum == 0 {
			r.fail(e.Value.Pos, `%s is zero: write %q if there is no such limit`, key(e), none)
			return
		}
	}
	if into[w] == nil {
		into[w] = &bounds{pos: e.Pos}
	}
	if e.Path[depth+2] == "min" {
		into[w].min = &sum
	} else {
		into[w].max = &sum
	}
}

func wagers() []string {
	var all []string
	for w := rules.Ante; w.String() != "unknown"; w++ {
		all = append(all, w.String())
	}
	return all
}

func (r *reader) jackpot(e *tomldoc.Entry) {
	const example = `[jackpots.linked] with lines such as reset = "10000"`
	if !r.section(e, 2, example) {
		return
	}
	p := r.jackpots[e.Path[1]]
	if p == nil {
		// By default people verify every hit that takes the meter.
		p = &jackpotEntry{pos: e.Pos, verifyFrom: 1}
		r.jackpots[e.Path[1]] = p
	}
	if !r.section(e, 3, example) {
		return
	}
	if !slices.Contains(jackpotKeys, e.Path[2]) {
		r.unknown(e, 2, jackpotKeys, "a jackpot has no")
		return
	}
	if !r.leaf(e, 3) {
		return
	}
	if e.Path[2] == "rate" {
		if num, den, ok := r.rate(e); ok {
			p.rateNum, p.rateDen = num, den
		}
		return
	}
	sum, ok := r.amount(e)
	if !ok {
		return
	}
	switch e.Path[2] {
	case "bet":
		p.bet = &sum
	case "reset":
		p.reset = &sum
	case "ceiling":
		p.ceiling = &sum
	case "meter":
		if sum == 0 { // it would be taken for none given
			r.fail(e.Value.Pos, "%s is zero, and a jackpot displays its reset value at least: write a sum, or remove the line for the reset value", key(e))
		}
		p.meter, p.meterPos = sum, e.Value.Pos
	case "verify_from":
		p.verifyFrom = max(1, sum)
	}
}

// rate reads "40%", "12.5 %" or "2/5".
func (r *reader) rate(e *tomldoc.Entry) (num, den int64, ok bool) {
	if e.Value.Kind == tomldoc.Text {
		if percent, found := strings.CutSuffix(e.Value.Text, "%"); found {
			// A percentage has at most two decimals, as an amount has.
			if n, err := money.Parse(strings.TrimSpace(percent)); err == nil && n >= 0 {
				if n%100 == 0 {
					return int64(n) / 100, 100, true
				}
				return int64(n), 100 * 100, true
			}
		} else if above, below, found := strings.Cut(e.Value.Text, "/"); found {
			num, err1 := strconv.ParseInt(strings.TrimSpace(above), 10, 64)
			den, err2 := strconv.ParseInt(strings.TrimSpace(below), 10, 64)
			if err1 == nil && err2 == nil && den > 0 && num >= 0 {
				return num, den, true
			}
		}
	}
	r.fail(e.Value.Pos, `%s must be a part of each bet: write it such as "40%%" or "2/5"`, key(e))
	return 0, 0, false
}

func (r *reader) table(e *tomldoc.Entry) {
	const example = `[tables.classic-1] with book = "rws-3cp@3"`
	if !r.section(e, 2, example) {
		return
	}
	i := slices.IndexFunc(r.tables, func(t *entry) bool { return t.name == e.Path[1] })
	if i < 0 {
		i = len(r.tables)
		r.tables = append(r.tables, &entry{
			name: e.Path[1], pos: e.Pos, keys: map[string]*tomldoc.Entry{},
			pace: map[string]*tomldoc.Entry{}, limits: map[rules.Wager]*bounds{},
		})
	}
	t := r.tables[i]
	if !r.section(e, 3, example) {
		return
	}
	if slices.Contains(variantKeys, e.Path[2]) {
		r.broken[strings.Join(e.Path[:3], ".")] = true
		r.fail(e.Pos, `a table has no %q: write it into a variant file, and name that file here instead of a book, such as variant = "high.toml"`, e.Path[2])
		return
	}
	if !slices.Contains(tableKeys, e.Path[2]) {
		r.unknown(e, 2, tableKeys, "a table has no")
		return
	}
	switch e.Path[2] {
	case "pace":
		if r.section(e, 4, `pace.betting = "20s"`) && r.paceKey(e, 3) {
			t.pace[e.Path[3]] = e
		}
		return
	case "limits":
		r.limit(e, 2, t.limits)
		return
	}
	if r.leaf(e, 3) {
		t.keys[e.Path[2]] = e
	}
}

// choice reads one of a few words.
func choice[T any](r *reader, e *tomldoc.Entry, parse func(string) (T, error), words ...string) (got T, ok bool) {
	text, ok := r.text(e, strconv.Quote(words[0]))
	if !ok {
		return got, false
	}
	got, err := parse(text)
	if err == nil {
		return got, true
	}
	if near := rules.Nearest(text, words); near != "" {
		r.fail(e.Value.Pos, "%s cannot be %q: did you mean %s?", key(e), text, near)
	} else {
		r.fail(e.Value.Pos, "%s cannot be %q: choose from %s", key(e), text, strings.Join(words, ", "))
	}
	return got, false
}

func roleWords() []string {
	var words []string
	for _, role := range access.Roles() {
		if role != access.Guest {
			words = append(words, role.String())
		}
	}
	return words
}
