package variant

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"trey/internal/tomldoc"
	"trey/money"
	"trey/rules"
	"trey/sentence"
)

// The sections and keys at the top of a file.
var topKeys = []string{"base", "id", "boxes", "chips", "limits", "pays", "envy", "rulings", "progressive"}

// readWithoutBook refuses what is wrong whatever the book.
func (r *reader) readWithoutBook() {
	for i := range r.file.Entries {
		if e := &r.file.Entries[i]; !slices.Contains(topKeys, e.Path[0]) && !r.isBroken(e) {
			r.unknown(e, 0, topKeys, "there is no key")
		}
	}
}

// read takes every entry into the variant. Pay tables are gathered first and
// built afterwards, for their parts may stand in any order.
func (r *reader) read() {
	r.setID(r.file.Get("id"))
	pays := map[rules.Wager]*payChange{}
	var envy []envyChange
	for i := range r.file.Entries {
		e := &r.file.Entries[i]
		if r.isBroken(e) {
			continue
		}
		switch e.Path[0] {
		case "base", "id":
			r.leaf(e, 1)
		case "boxes":
			r.boxes(e)
		case "chips":
			r.chips(e)
		case "limits":
			r.limit(e)
		case "pays":
			r.pay(e, pays)
		case "envy":
			r.envy(e, &envy)
		case "rulings":
			r.ruling(e)
		case "progressive":
			r.progressive(e)
		default:
			r.unknown(e, 0, topKeys, "there is no key")
		}
	}
	for i := range r.book.Wagers {
		if change := pays[r.book.Wagers[i].Wager]; change != nil {
			r.buildPays(&r.book.Wagers[i], change)
		}
	}
	r.buildEnvy(envy)
	r.v.CarryLimits()
	r.finishProgressive()
}

// leaf refuses whatever lies below a key that holds a value.
func (r *reader) leaf(e *tomldoc.Entry, depth int) bool {
	if len(e.Path) <= depth {
		return true
	}
	key := strings.Join(e.Path[:depth], ".")
	r.broken[key+"."+e.Path[depth]] = true
	r.fail(e.Line, "%s holds a value and no table: remove %s", key, strings.Join(e.Path, "."))
	return false
}

// section handles what every section has in common: it goes on for an entry at
// least so deep, and refuses a value in place of the table.
func (r *reader) section(e *tomldoc.Entry, depth int, example string) bool {
	if len(e.Path) >= depth {
		return true
	}
	if e.Value.Kind != tomldoc.Table {
		r.fail(e.Line, "%s is a table and not %s: write %s", strings.Join(e.Path, "."), sentence.Word(e.Value.Kind.String()), example)
	}
	return false
}

func (r *reader) boxes(e *tomldoc.Entry) {
	if !r.leaf(e, 1) {
		return
	}
	if e.Value.Kind != tomldoc.Whole {
		r.fail(e.Line, "boxes is %s: write a whole number such as boxes = 5", sentence.Word(e.Value.Kind.String()))
		return
	}
	// A number that is too large for TOML has been reported already.
	n, _ := strconv.ParseInt(e.Value.Text, 0, 0)
	r.v.Boxes = int(n)
}

func (r *reader) chips(e *tomldoc.Entry) {
	if !r.leaf(e, 1) {
		return
	}
	if e.Value.Kind != tomldoc.List {
		r.fail(e.Line, `chips is %s: write a list such as chips = ["1", "5", "25"]`, sentence.Word(e.Value.Kind.String()))
		return
	}
	var chips []money.Amount
	for _, item := range e.Value.List {
		chip, ok := r.amount(e, &item)
		if !ok {
			return
		}
		chips = append(chips, chip)
	}
	r.v.Chips = chips
}

// amount reads a sum of money. TOML's own numbers are refused: nobody could tell
// whether 25 is dollars or cents, and 12.50 would be a float.
func (r *reader) amount(e *tomldoc.Entry, v *tomldoc.Value) (money.Amount, bool) {
	key := strings.Join(e.Path, ".")
	if v.Kind != tomldoc.Text {
		r.fail(e.Line, `%s is %s: write the amount in quotes, such as "25" or "12.50"`, key, sentence.Word(v.Kind.String()))
		return 0, false
	}
	sum, err := money.Parse(v.Text)
	if err == nil && sum < 0 {
		r.fail(e.Line, "%s: %s is below zero; write an amount such as 25 or 12.50", key, v.Text)
		return 0, false
	}
	if err != nil {
		r.fail(e.Line, "%s: %s", key, err)
		return 0, false
	}
	return sum, true
}

// none is the word that takes a limit, a row or an Envy Bonus away.
const none = "none"

func isNone(v *tomldoc.Value) bool { return v.Kind == tomldoc.Text && v.Text == none }

func (r *reader) limit(e *tomldoc.Entry) {
	const example = `[limits.ante] with min = "25" and max = "5000"`
	if !r.section(e, 2, example) {
		return
	}
	w, ok := r.wager(e, func(rule *rules.WagerRule) string {
		switch rule.Stake {
		case rules.EqualToBasis:
			return "it always equals " + rule.Basis.String() + ": limit that"
		case rules.Prescribed:
			return "it has one size: set it as bet in [progressive]"
		case rules.NoStake:
			return "it takes no stake and has no limits"
		case rules.WithinLimits:
		}
		return ""
	})
	if !ok || !r.section(e, 3, example) {
		return
	}
	var bound *money.Amount
	switch e.Path[2] {
	case "min":
		bound = &r.v.Limits[w].Min
	case "max":
		bound = &r.v.Limits[w].Max
	default:
		r.unknown(e, 2, []string{"min", "max"}, "a limit has no")
		return
	}
	if !r.leaf(e, 3) {
		return
	}
	if isNone(&e.Value) {
		*bound = 0
		return
	}
	sum, ok := r.amount(e, &e.Value)
	if ok && sum == 0 {
		r.fail(e.Line, `%s is zero: write %q if there is no such limit`, strings.Join(e.Path, "."), none)
		return
	}
	if ok {
		*bound = sum
	}
}

// wager reads the wager at the second place of a path. The function says why a
// wager of the book cannot stand there, or nothing if it can.
func (r *reader) wager(e *tomldoc.Entry, refuse func(rule *rules.WagerRule) string) (rules.Wager, bool) {
	var known []string
	for i := range r.book.Wagers {
		rule := &r.book.Wagers[i]
		reason := refuse(rule)
		if rule.Wager.String() == e.Path[1] {
			if reason == "" {
				return rule.Wager, true
			}
			r.broken[strings.Join(e.Path[:2], ".")] = true
			r.fail(e.Line, "%s.%s: %s", e.Path[0], e.Path[1], reason)
			return 0, false
		}
		if reason == "" {
			known = append(known, rule.Wager.String())
		}
	}
	r.unknown(e, 1, known, "%s has no %s for", r.book.Ref(), e.Path[0])
	return 0, false
}

// elsewhere says where a point of docs/rulings.md is settled that has no values.
var elsewhere = map[string]string{
	"jackpot_terms": "the terms stand in [progressive]",
	"sm_pay_tables": "the tables stand in [pays]",
	"boxes":         "write boxes = 5 at the top of the file",
}

const (
	grace    = "interruption_grace"
	rounding = "six_pays_half_rounding"
)

// maxGrace bounds the grace: a stop of a day affects any round.
const maxGrace = 24 * time.Hour

func (r *reader) ruling(e *tomldoc.Entry) {
	const example = `[rulings] with lines such as envy_per = "round"`
	if !r.section(e, 2, example) {
		return
	}
	key := e.Path[1]
	if where, ok := elsewhere[key]; ok {
		r.broken["rulings."+key] = true
		r.fail(e.Line, "rulings.%s has no values to choose from: %s", key, where)
		return
	}
	for _, reading := range r.book.Readings {
		if reading.Key == key && !reading.Stated() {
			r.broken["rulings."+key] = true
			r.fail(e.Line, "rulings.%s leaves no choice: %s; remove it", key, reading.Sentence(r.v))
			return
		}
	}
	known := []string{grace, rounding}
	for _, open := range r.book.Open() {
		known = append(known, open.String())
	}
	if !slices.Contains(known, key) {
		if _, err := rules.ParseRuling(key); err == nil {
			r.broken["rulings."+key] = true
			r.fail(e.Line, "rulings.%s: %s does not leave this open; remove it", key, r.book.Ref())
			return
		}
		r.unknown(e, 1, known, "there is no ruling")
		return
	}
	if !r.leaf(e, 2) {
		return
	}
	if e.Value.Kind != tomldoc.Text {
		r.fail(e.Line, "rulings.%s is %s: write its value in quotes", key, sentence.Word(e.Value.Kind.String()))
		return
	}
	switch key {
	case grace:
		d, err := time.ParseDuration(e.Value.Text)
		if err != nil || d < 0 || d > maxGrace || d%time.Millisecond != 0 {
			r.fail(e.Line, `rulings.%s: %q is no such time; write one in whole milliseconds and up to a day, such as "15s" or "500ms"`, key, e.Value.Text)
			return
		}
		r.v.GraceMs = d.Milliseconds()
	case rounding:
		r.rounding(e)
	default:
		ruling, _ := rules.ParseRuling(key) // it is among the open ones
		choice, err := ruling.ParseChoice(e.Value.Text)
		if err != nil {
			var near sentence.Sentence
			var words []string
			for _, c := range ruling.Rule().Choices {
				words = append(words, c.String())
			}
			if word := rules.Nearest(e.Value.Text, words); word != "" {
				near = sentence.Of("; did you mean %s?", word)
			}
			r.fail(e.Line, "rulings.%s%s", err, near)
			return
		}
		r.v.Choices[ruling] = choice
	}
}

// rounding reads "player", "house", "chip 0.50", or "chip 0.50 house".
func (r *reader) rounding(e *tomldoc.Entry) {
	bad := func() {
		r.fail(e.Line, `rulings.%s cannot be %q: write "player", "house", "chip 0.50" or "chip 0.50 house"`, rounding, e.Value.Text)
	}
	rule, words := money.Rounding{}, strings.Fields(e.Value.Text)
	if len(words) >= 2 && words[0] == "chip" {
		unit, err := money.Parse(words[1])
		if err != nil || unit <= 0 {
			bad()
			return
		}
		rule.Unit, words = unit, words[2:]
		if len(words) == 0 {
			words = []string{money.Player.String()}
		}
	}
	switch {
	case len(words) == 1 && words[0] == money.Player.String():
		rule.Favour = money.Player
	case len(words) == 1 && words[0] == money.House.String():
		rule.Favour = money.House
	default:
		bad()
		return
	}
	r.v.Rounding = rule
}

func (r *reader) progressive(e *tomldoc.Entry) {
	const example = `[progressive] with lines such as bet = "5"`
	if r.book.Rule(rules.Progressive) == nil {
		r.broken["progressive"] = true
		r.fail(e.Line, "%s has no progressive: remove this section", r.book.Ref())
		return
	}
	if !r.section(e, 2, example) {
		return
	}
	keys := []string{"enabled", "bet", "reset", "rate", "ceiling"}
	if !slices.Contains(keys, e.Path[1]) {
		r.unknown(e, 1, keys, "the progressive has no")
		return
	}
	if !r.leaf(e, 2) || r.v.Jackpot == nil {
		return
	}
	terms := r.v.Jackpot
	switch e.Path[1] {
	case "enabled":
		if e.Value.Kind != tomldoc.Truth {
			r.fail(e.Line, "progressive.enabled is %s: write true or false", sentence.Word(e.Value.Kind.String()))
		}
	case "rate":
		r.rate(e, terms)
	case "bet":
		if sum, ok := r.amount(e, &e.Value); ok {
			terms.Bet = sum
		}
	case "reset":
		if sum, ok := r.amount(e, &e.Value); ok {
			terms.Reset = sum
			if sum == 0 {
				r.fail(e.Line, "progressive.reset is zero, and the winner after a hit would be paid nothing: write an amount above zero, such as \"10000\"")
			}
		}
	case "ceiling":
		if sum, ok := r.amount(e, &e.Value); ok {
			terms.Ceiling = sum
		}
	}
}

// rate reads "40%", "12.5 %" or "2/5".
func (r *reader) rate(e *tomldoc.Entry, terms *rules.JackpotTerms) {
	if e.Value.Kind == tomldoc.Text {
		if percent, ok := strings.CutSuffix(e.Value.Text, "%"); ok {
			// A percentage has at most two decimals, as an amount has.
			if n, err := money.Parse(strings.TrimSpace(percent)); err == nil && n >= 0 {
				terms.RateNum, terms.RateDen = int64(n), 100*100
				if n%100 == 0 {
					terms.RateNum, terms.RateDen = int64(n)/100, 100
				}
				return
			}
		} else if above, below, ok := strings.Cut(e.Value.Text, "/"); ok {
			num, err1 := strconv.ParseInt(strings.TrimSpace(above), 10, 64)
			den, err2 := strconv.ParseInt(strings.TrimSpace(below), 10, 64)
			if err1 == nil && err2 == nil {
				terms.RateNum, terms.RateDen = num, den
				return
			}
		}
	}
	r.fail(e.Line, `progressive.rate must be a part of each bet: write it such as "40%%" or "2/5"`)
}

// finishProgressive sets the bet's one size, or takes the progressive away.
func (r *reader) finishProgressive() {
	if r.v.Jackpot == nil {
		return
	}
	off := false
	for i := range r.file.Entries {
		e := &r.file.Entries[i]
		if len(e.Path) == 2 && e.Path[0] == "progressive" && e.Path[1] == "enabled" {
			off = e.Value.Kind == tomldoc.Truth && e.Value.Text == "false"
		}
	}
	if !off {
		r.v.Limits[rules.Progressive] = rules.Limit{Min: r.v.Jackpot.Bet, Max: r.v.Jackpot.Bet}
		return
	}
	r.v.Jackpot, r.v.Limits[rules.Progressive] = nil, rules.Limit{}
	for i := range r.file.Entries {
		e := &r.file.Entries[i]
		if len(e.Path) == 2 && e.Path[0] == "progressive" && e.Path[1] != "enabled" && !r.isBroken(e) {
			r.fail(e.Line, "progressive.%s contradicts enabled = false: remove one of the two", e.Path[1])
		}
	}
}
