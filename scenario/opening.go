package scenario

import (
	"fmt"
	"path"
	"strings"

	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/rules/variant"
	"trey/table"
)

// opening holds the arguments of open.
type opening struct {
	table   string
	variant *rules.Variant
	config  table.Config
	meter   money.Amount
	waiting bool
}

// readOpening reads the words after open.
func (r *run) readOpening(l *line) (*opening, error) {
	a := newArgs(l)
	ref, err := a.bare("which book")
	if err != nil {
		return nil, err
	}
	o := &opening{table: a.text("table"), config: table.Config{Cards: table.Read}}
	if o.table == "" {
		o.table = "A"
	}
	if name := a.text("variant"); name != "" {
		text, ok := r.script.files[name]
		if !ok {
			return nil, fmt.Errorf("the archive holds no file %s", name)
		}
		v, _, err := variant.Parse(path.Base(name), text, books.Find)
		if err != nil {
			return nil, err
		}
		if ref != v.Book.ID && ref != v.Book.Ref() {
			return nil, fmt.Errorf("%s derives from %s, not from %s", name, v.Book.Ref(), ref)
		}
		o.variant = v
	} else {
		b, err := books.Find(ref)
		if err != nil {
			return nil, err
		}
		o.variant = b.Standard().Clone()
	}
	v := o.variant
	o.config.Device = v.Book.Devices[0].Device
	for _, d := range v.Book.Devices {
		if d.Device == rules.Shuffler {
			o.config.Device = d.Device
		}
	}
	if text := a.text("device"); text != "" {
		if o.config.Device, err = rules.ParseDevice(text); err != nil {
			return nil, err
		}
	}
	if text := a.text("cards"); text != "" {
		if o.config.Cards, err = table.ParseSight(text); err != nil {
			return nil, err
		}
	}
	o.config.Chips = a.flag("chips")
	o.waiting = a.flag("waiting")
	if n, given, err := a.number("boxes"); err != nil {
		return nil, err
	} else if given {
		v.Boxes = n
	}
	if o.meter, _, err = a.amount("meter"); err != nil {
		return nil, err
	}
	var stated []rules.Wager
	for _, w := range a.prefixed() {
		if err := set(v, w.Key, w.Value); err != nil {
			return nil, fmt.Errorf("%s: %w", w.Key, err)
		}
		if name, ok := strings.CutPrefix(w.Key, "limit."); ok {
			wager, err := rules.ParseWager(name)
			if err != nil {
				return nil, err
			}
			stated = append(stated, wager)
		}
	}
	v.CarryLimits(stated...)
	return o, a.rest()
}

// set changes one term of a variant by its name in open.
func set(v *rules.Variant, key, value string) error {
	kind, name, _ := strings.Cut(key, ".")
	switch kind {
	case "ruling":
		return setRuling(v, name, value)
	case "pay":
		w, err := rules.ParseWager(name)
		if err != nil {
			return err
		}
		var pays []int64
		for _, text := range strings.Split(value, "/") {
			n, err := parseCount(text)
			if err != nil {
				return err
			}
			pays = append(pays, int64(n))
		}
		return v.OverridePays(w, pays)
	case "limit":
		w, err := rules.ParseWager(name)
		if err != nil {
			return err
		}
		least, most, ok := strings.Cut(value, "..")
		if !ok {
			return fmt.Errorf("%q is no range: write it as 10..500", value)
		}
		var limit rules.Limit
		if least != "" {
			if limit.Min, err = money.Parse(least); err != nil {
				return err
			}
		}
		if most != "" {
			if limit.Max, err = money.Parse(most); err != nil {
				return err
			}
		}
		v.Limits[w] = limit
		return nil
	case "progressive":
		return setProgressive(v, name, value)
	case "bonus":
		return v.UsePayTable(rules.Bonus, value)
	}
	return fmt.Errorf("open does not know this argument: docs/scenarios.md lists all")
}

func setRuling(v *rules.Variant, name, value string) error {
	switch name {
	case "interruption_grace":
		ms, err := parseSeconds(value)
		v.GraceMs = ms
		return err
	case "six_pays_half_rounding":
		favour, unit, _ := strings.Cut(value, ":")
		switch favour {
		case "player":
			v.Rounding.Favour = money.Player
		case "house":
			v.Rounding.Favour = money.House
		default:
			return fmt.Errorf("%q is neither player nor house", favour)
		}
		if unit == "" {
			return nil
		}
		var err error
		v.Rounding.Unit, err = money.Parse(unit)
		return err
	}
	ruling, err := rules.ParseRuling(name)
	if err != nil {
		return err
	}
	v.Choices[ruling], err = ruling.ParseChoice(value)
	return err
}

func setProgressive(v *rules.Variant, name, value string) error {
	if name == "" && value == "none" {
		// As in a variant file: without a progressive there is no limit for it.
		v.Jackpot, v.Limits[rules.Progressive] = nil, rules.Limit{}
		return nil
	}
	if v.Jackpot == nil {
		return fmt.Errorf("%s has no progressive", v.Book.Ref())
	}
	if name == "rate" {
		num, den, _ := strings.Cut(value, "/")
		n, err := parseCount(num)
		if err != nil {
			return err
		}
		d, err := parseCount(den)
		v.Jackpot.RateNum, v.Jackpot.RateDen = int64(n), int64(d)
		return err
	}
	amount, err := money.Parse(value)
	if err != nil {
		return err
	}
	switch name {
	case "bet":
		v.Jackpot.Bet = amount
		v.Limits[rules.Progressive] = rules.Limit{Min: amount, Max: amount}
	case "reset":
		v.Jackpot.Reset = amount
	case "ceiling":
		v.Jackpot.Ceiling = amount
	default:
		return fmt.Errorf("a progressive has a bet, a reset, a rate and a ceiling, no %s", name)
	}
	return nil
}
