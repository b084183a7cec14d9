package main

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"trey/internal/parsheet"
	"trey/odds"
	"trey/rules"
)

// oddsDesignCommand searches for pay tables.
type oddsDesignCommand struct {
	Book bookRef `arg:"" optional:"" help:"The rule book: ${books}."`

	Wager  string   `placeholder:"WAGER" help:"The wager whose table is sought: ante, play, pair-plus, ante-bonus, bonus, tie or royal-pictures, of which each book has some."`
	Edge   *figure  `placeholder:"FROM..TO" help:"The house edge sought, such as 2%..4%."`
	Hit    string   `placeholder:"FROM..TO" help:"The hit frequency sought, such as 20%..30%; any if not given."`
	Range  []string `sep:"none" placeholder:"ROW=FROM..TO" help:"The pays that a row may have: straight-flush=30..50, or in steps straight-flush=30..50/5. Rows without one keep their pay."`
	Top    *figure  `placeholder:"N" help:"How many tables to list at most; 20 if not given."`
	Others *figure  `placeholder:"N" help:"How many other boxes are in the round, for the Envy Bonus."`

	AnyOrder bool `help:"Also tables in which a row pays more than a better hand."`
	variantFlags
	output
}

// Help returns the long help of the command.
func (oddsDesignCommand) Help() string {
	return `It goes through all pay tables within the ranges and lists those that meet the target, the one nearest to the middle of the edges first. Each one listed is analysed by itself, with the best strategy.

Examples:

    $ trey odds design rws-3cp --wager pair-plus --edge 2%..4% --range straight-flush=30..50 --range straight=4..7
    $ trey odds design sm-3cp --wager bonus --bonus TCPB-04E --others 6 --edge 15%..25% --range akq-suited=500..1500/100
    $ trey odds design us-3cp --wager ante-bonus --edge 3%..3.5% --range straight-flush=3..8 --range three-of-a-kind=2..6 --format csv`
}

// Run prints the tables found.
func (cmd *oddsDesignCommand) Run(s *streams) error {
	t, err := cmd.of(cmd.Book.Book)
	if err != nil {
		return err
	}
	format, err := cmd.choose("text", "json", "csv")
	if err != nil {
		return err
	}
	target, err := cmd.target(t)
	if err != nil {
		return usageError{err}
	}
	found, err := odds.Designs(t.Variant, *target)
	if err != nil {
		return usageError{err}
	}
	report := parsheet.NewDesigns(t.Variant, target, found, version(), t.remarks)
	if len(found) > 0 {
		report.Command = cmd.sheetCommand(t, target.Wager, found[0].Pays)
	}
	if format == "csv" {
		text, err := report.CSV()
		if err != nil {
			return err
		}
		return cmd.write(s, text, format)
	}
	return cmd.report(s, format, report)
}

// sheetCommand returns the command that prints the par sheet of a table found. It
// keeps every flag that changes the figures.
func (cmd *oddsDesignCommand) sheetCommand(t *terms, w rules.Wager, pays []int64) string {
	words := []string{"trey", "odds", t.Book.ID}
	if cmd.Variant != "" {
		words = append(words, "--variant", cmd.Variant)
	}
	if cmd.Bonus != "" {
		words = append(words, "--bonus", cmd.Bonus)
	}
	for _, pay := range cmd.Pay {
		if key, _, _ := strings.Cut(pay, "="); key != w.String() { // the table found takes its place
			words = append(words, "--pay", pay)
		}
	}
	words = append(words, "--pay", w.String()+"="+parsheet.PaysText(pays))
	for _, ruling := range cmd.Ruling {
		words = append(words, "--ruling", ruling)
	}
	if others := cmd.Others; others != nil {
		words = append(words, "--others", others.text)
	}
	for i, word := range words {
		words[i] = shellWord(word)
	}
	return strings.Join(words, " ")
}

// shellWord quotes a word that a shell would not take as it stands.
func shellWord(word string) string {
	plain := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("-_=./:,+@", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func (cmd *oddsDesignCommand) target(t *terms) (*odds.Target, error) {
	var with []string
	target := &odds.Target{AnyOrder: cmd.AnyOrder, Most: 20}
	for i := range t.Book.Wagers {
		w := t.Book.Wagers[i].Wager
		if t.Pays[w] == nil || slices.ContainsFunc(t.Pays[w].Rows, func(r rules.PayRow) bool { return r.Pay.Odds.For != 1 }) {
			continue
		}
		with = append(with, w.String())
		if w.String() == cmd.Wager {
			target.Wager = w
		}
	}
	switch {
	case cmd.Wager == "":
		return nil, fmt.Errorf("which table? Say --wager and one of %s", strings.Join(with, ", "))
	case target.Wager == 0:
		return nil, fmt.Errorf("--wager %s: %s has no table of odds to 1 for it: %s", cmd.Wager, t.Book.Ref(), meant(cmd.Wager, with))
	case cmd.Edge == nil:
		return nil, fmt.Errorf("which house edge? Say --edge, such as --edge 2%%..4%%")
	}
	var err error
	if cmd.Top != nil {
		if target.Most, err = cmd.Top.wholeNumber("--top"); err != nil {
			return nil, err
		}
		if target.Most < 1 || target.Most > 1000 {
			return nil, fmt.Errorf("--top %d: list 1 to 1000 tables", target.Most)
		}
	}
	if cmd.Others != nil {
		n, err := cmd.Others.wholeNumber("--others")
		if err != nil {
			return nil, err
		}
		if n < 0 || n > t.Boxes-1 {
			return nil, fmt.Errorf("--others %d: the table has %d boxes, so beside one there are 0 to %d others", n, t.Boxes, t.Boxes-1)
		}
		if n > 0 && !t.Book.Rule(target.Wager).Envy {
			return nil, fmt.Errorf("--others %d: %s has no Envy Bonus, so the other boxes change nothing; leave it out", n, target.Wager.Name())
		}
		target.Options.Others = n
	}
	if target.MinEdge, target.MaxEdge, err = percents("--edge", cmd.Edge.text); err != nil {
		return nil, err
	}
	if cmd.Hit != "" {
		low, high, err := percents("--hit", cmd.Hit)
		if err != nil {
			return nil, err
		}
		target.MinHit, target.MaxHit = &low, &high
	}
	var keys []string
	for _, row := range t.Pays[target.Wager].Rows {
		keys = append(keys, row.Combo.String())
		target.Rows = append(target.Rows, odds.Range{From: row.Pay.Odds.To, To: row.Pay.Odds.To, Step: 1})
	}
	given := map[string]bool{}
	for _, text := range cmd.Range {
		key, span, ok := strings.Cut(text, "=")
		i := slices.Index(keys, key)
		switch {
		case !ok:
			return nil, fmt.Errorf("--range %s: write ROW=FROM..TO, such as %s=30..50", text, keys[0])
		case i < 0:
			return nil, fmt.Errorf("--range %s: %s has no row %q: %s", text, cmd.Wager, key, meant(key, keys))
		case given[key]:
			return nil, fmt.Errorf("--range %s: %s is given twice", text, key)
		}
		given[key] = true
		if target.Rows[i], err = span2(span); err != nil {
			return nil, fmt.Errorf("--range %s: %w", text, err)
		}
	}
	if len(cmd.Range) == 0 {
		return nil, fmt.Errorf("what may change? Say --range for a row, such as --range %s=%d..%d", keys[0], max(target.Rows[0].From/2, 1), 2*target.Rows[0].From)
	}
	return target, nil
}

// span2 reads "30..50", "30..50/5" or "30".
func span2(text string) (odds.Range, error) {
	text, by, stepped := strings.Cut(text, "/")
	from, to, ok := strings.Cut(text, "..")
	if !ok {
		to = from
	}
	r := odds.Range{Step: 1}
	fields := []struct {
		text string
		to   *int64
	}{{from, &r.From}, {to, &r.To}}
	if stepped {
		fields = append(fields, struct {
			text string
			to   *int64
		}{by, &r.Step})
	}
	for _, f := range fields {
		n, err := strconv.ParseInt(strings.TrimSpace(f.text), 10, 64)
		if err != nil || n < 0 || n >= rules.MaxPay {
			return r, fmt.Errorf("%q is no pay: write whole numbers from 0, such as 30..50, or 30..50/5 in steps", f.text)
		}
		*f.to = n
	}
	if r.To < r.From || r.Step < 1 {
		return r, fmt.Errorf("the range goes from %d to %d by %d: write the smaller pay first, and a step of 1 or more", r.From, r.To, r.Step)
	}
	return r, nil
}

// percents reads "2%..4%".
func percents(flag, text string) (low, high odds.Fraction, err error) {
	from, to, ok := strings.Cut(text, "..")
	if !ok {
		to = from
	}
	var out [2]odds.Fraction
	for i, part := range []string{from, to} {
		number := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(part), "%"))
		r, ok := decimalNumber(number)
		if !ok || len(number) > 20 || new(big.Rat).Abs(r).Cmp(big.NewRat(100, 1)) > 0 {
			return low, high, fmt.Errorf("%s %s: %q is no percentage; write two such as 2%%..4%%", flag, text, part)
		}
		out[i] = odds.FractionOf(r.Quo(r, big.NewRat(100, 1)))
	}
	if out[0].Cmp(out[1]) > 0 {
		return low, high, fmt.Errorf("%s %s: write the smaller percentage first", flag, text)
	}
	return out[0], out[1], nil
}

// decimalNumber reads a number as people write it: digits, a point and a sign.
func decimalNumber(text string) (*big.Rat, bool) {
	if strings.Trim(text, "+-.0123456789") != "" {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}
