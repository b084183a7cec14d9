package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
	"golang.org/x/term"

	"trey/internal/durable"
	"trey/internal/parsheet"
	"trey/money"
	"trey/odds"
	"trey/rules"
	"trey/rules/books"
	"trey/rules/variant"
)

// oddsCommand is the exact mathematics of the bets. The par sheet is what it
// prints if nothing else is named.
type oddsCommand struct {
	Sheet    oddsSheetCommand    `cmd:"" default:"withargs" help:"Print the par sheet of a book: every wager, exactly."`
	Hand     oddsHandCommand     `cmd:"" help:"Show the best decision for a hand, and why."`
	Joint    oddsJointCommand    `cmd:"" help:"Work out several bets on one box, or several boxes, together."`
	Session  oddsSessionCommand  `cmd:"" help:"Work out the result of a number of rounds."`
	Design   oddsDesignCommand   `cmd:"" help:"Search for the pay tables that meet a house edge."`
	Strategy oddsStrategyCommand `cmd:"" help:"List what to do with each of the 22,100 hands."`
	Seen     oddsSeenCommand     `cmd:"" help:"Work out what seeing other cards is worth."`
}

// Help returns the long help of the command.
func (oddsCommand) Help() string {
	return `Every figure is counted over all deals and exact; nothing is simulated. With a book alone it prints the par sheet ("trey odds sheet --help" has its flags).

Examples:

    $ trey odds rws-3cp
    $ trey odds sm-3cp --bonus TCPB-04E --others 6 --wager bonus
    $ trey odds rws-3cp --pay pair-plus=40/30/6/4/1 --format json
    $ trey odds rws-3cp --meter 85000 --wager progressive
    $ trey odds rws-3cp --out par.xlsx
    $ trey odds hand rws-3cp "Qh 6d 4c" --dealer 9c`
}

// variantFlags name what is analysed: a book, and what is different from it.
type variantFlags struct {
	Variant string   `placeholder:"FILE" help:"An operator's variant of the book, as docs/variants.md has it."`
	Pay     []string `sep:"none" placeholder:"WAGER=PAYS" help:"Other pays to 1, best hand first: pair-plus=40/30/6/4/1. Fewer pays drop the lowest rows."`
	Bonus   string   `placeholder:"TABLE" help:"The pay table of the Bonus bet: TCPB-01, TCPB-02, TCPB-03E or TCPB-04E."`
	Ruling  []string `sep:"none" placeholder:"NAME=VALUE" help:"Another answer to what the text leaves open: jackpot_stake=returned."`
}

// terms is a variant, and what reading it brought up.
type terms struct {
	*rules.Variant
	// file holds the remarks of the variant file, remarks all that is to be said.
	file    []variant.Remark
	remarks []string
}

// of makes the variant. Whatever is wrong is a misuse that says what to write.
func (f *variantFlags) of(book *rules.Book) (*terms, error) {
	t := &terms{}
	switch {
	case f.Variant != "":
		if err := t.read(f.Variant, book); err != nil {
			return nil, err
		}
	case book == nil:
		return nil, usageError{fmt.Errorf("which book? Name one of %s", bookIDs())}
	default:
		t.Variant = book.Standard()
	}
	before := t.Hash()
	t.Variant = t.Clone()
	if f.Bonus != "" {
		if err := t.bonus(f.Bonus); err != nil {
			return nil, usageError{err}
		}
	}
	if err := onlyOnce("--pay", f.Pay); err != nil {
		return nil, err
	}
	if err := onlyOnce("--ruling", f.Ruling); err != nil {
		return nil, err
	}
	for _, pay := range f.Pay {
		if err := t.pay(pay); err != nil {
			return nil, usageError{err}
		}
	}
	for _, ruling := range f.Ruling {
		if err := t.rule(ruling); err != nil {
			return nil, usageError{err}
		}
	}
	if err := t.Check(); err != nil {
		return nil, usageError{err}
	}
	t.note(t.Hash() != before)
	if t.Hash() != before && f.Variant != "" {
		t.remarks = append(t.remarks, "This is not "+f.Variant+" alone: flags change it.")
	}
	return t, nil
}

// onlyOnce refuses KEY=VALUE flags of which two have the same key: the last
// would silently win.
func onlyOnce(flag string, given []string) error {
	seen := map[string]bool{}
	for _, text := range given {
		key, _, ok := strings.Cut(text, "=")
		if ok && seen[key] {
			return usageError{fmt.Errorf("%s %s: %s is given twice", flag, text, key)}
		}
		seen[key] = true
	}
	return nil
}

// read takes the variant from a file, which derives from the book if one is
// named.
func (t *terms) read(name string, book *rules.Book) error {
	text, err := readFile(name, "a variant", variant.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return usageError{fmt.Errorf("there is no file %s: give the path of a variant file (docs/variants.md has one for each book)", name)}
	}
	if err != nil {
		return usageError{fmt.Errorf("the variant cannot be read: %w", err)}
	}
	v, remarks, err := variant.Parse(name, text, books.Find)
	if err != nil {
		return usageError{fmt.Errorf("this variant cannot be played:\n%w", err)}
	}
	if book != nil && v.Book != book {
		return usageError{fmt.Errorf("%s is a variant of %s, not of %s: write %s", name, v.Book.Ref(), book.Ref(), v.Book.ID)}
	}
	t.Variant, t.file = v, remarks
	return nil
}

// note fills in what is to be said about the variant. What a file says has its place
// there, unless flags have changed that since.
func (t *terms) note(changed bool) {
	now := variant.Notes(t.Variant)
	said := map[string]bool{}
	for _, r := range t.file {
		text := r.Text.String()
		if !changed || slices.ContainsFunc(now, func(n variant.Note) bool { return n.Text.String() == text }) {
			t.remarks = append(t.remarks, r.String())
			said[text] = true
		}
	}
	for _, n := range now {
		if text := n.Text.String(); !said[text] {
			t.remarks = append(t.remarks, text)
		}
	}
}

// bonus picks the table of the Bonus bet.
func (t *terms) bonus(name string) error {
	rule := t.Book.Rule(rules.Bonus)
	if rule == nil {
		return fmt.Errorf("%s has no Bonus bet, so --bonus has no table to pick: leave it out, or name %s", t.Book.Ref(), strings.Join(booksWith(rules.Bonus), " or "))
	}
	var names []string
	for i := range rule.Pays {
		names = append(names, rule.Pays[i].Name)
	}
	if slices.Contains(names, strings.ToUpper(name)) {
		return t.UsePayTable(rules.Bonus, strings.ToUpper(name))
	}
	if near := rules.Nearest(name, names); near != "" {
		return fmt.Errorf("there is no Bonus table %q: did you mean %s? The tables are %s", name, near, strings.Join(names, ", "))
	}
	return fmt.Errorf("there is no Bonus table %q: the tables are %s", name, strings.Join(names, ", "))
}

// booksWith lists the books that have a wager.
func booksWith(w rules.Wager) []string {
	var ids []string
	for _, b := range books.All() {
		if b.Rule(w) != nil {
			ids = append(ids, b.ID)
		}
	}
	return ids
}

// pay replaces the pays of one wager: "pair-plus=40/30/6/4/1".
func (t *terms) pay(text string) error {
	key, list, ok := strings.Cut(text, "=")
	if !ok {
		return fmt.Errorf("--pay %s names no wager: write WAGER=PAYS, such as pair-plus=40/30/6/4/1", text)
	}
	var with []string
	w := rules.Wager(0)
	for i := range t.Book.Wagers {
		rule := &t.Book.Wagers[i]
		if len(rule.Pays) > 0 {
			with = append(with, rule.Wager.String())
		}
		if rule.Wager.String() == key && len(rule.Pays) > 0 {
			w = rule.Wager
		}
	}
	if w == 0 {
		return fmt.Errorf("--pay %s: %s has no pay table for %q: %s", text, t.Book.Ref(), key, meant(key, with))
	}
	var toOne []int64
	for part := range strings.SplitSeq(list, "/") {
		n, err := strconv.ParseInt(strings.TrimSpace(part), 10, 64)
		switch {
		case errors.Is(err, strconv.ErrRange):
			return fmt.Errorf("--pay %s: %s is too much; pays are from 0 to %d", text, part, int64(rules.MaxPay))
		case err != nil:
			return fmt.Errorf("--pay %s: %q is no pay; write whole numbers \"to 1\", best hand first, such as 40/30/6/4/1 (a variant file takes other odds too)", text, part)
		}
		toOne = append(toOne, n)
	}
	if err := t.OverridePays(w, toOne); err != nil {
		return fmt.Errorf("--pay %s: %w", text, err)
	}
	return nil
}

// meant says which of the words may have been meant, or lists them.
func meant(wrote string, words []string) string {
	if near := rules.Nearest(wrote, words); near != "" {
		return "did you mean " + near + "?"
	}
	return "choose from " + strings.Join(words, ", ")
}

// rule sets one ruling: "jackpot_stake=returned".
func (t *terms) rule(text string) error {
	key, value, ok := strings.Cut(text, "=")
	open := t.Book.Open()
	var keys []string
	for _, r := range open {
		keys = append(keys, r.String())
	}
	r, err := rules.ParseRuling(key)
	switch {
	case err != nil && isReading(t.Book, key):
		return fmt.Errorf("--ruling %s: %s is not one of two answers but figures; state it in a variant file (docs/variants.md)", text, key)
	case err != nil:
		return fmt.Errorf("--ruling %s: there is no ruling %q: %s", text, key, meant(key, keys))
	case !slices.Contains(open, r):
		return fmt.Errorf("--ruling %s: %s leaves nothing open about %s; what it leaves open is %s", text, t.Book.Ref(), key, strings.Join(keys, ", "))
	case !ok:
		var values []string
		for _, c := range r.Rule().Choices {
			values = append(values, c.String())
		}
		return fmt.Errorf("--ruling %s has no value: write %s=VALUE, with one of %s", text, key, strings.Join(values, ", "))
	}
	choice, err := r.ParseChoice(value)
	if err != nil {
		return fmt.Errorf("--ruling %s: %w", text, err)
	}
	t.Choices[r] = choice
	return nil
}

func isReading(b *rules.Book, key string) bool {
	return slices.ContainsFunc(b.Readings, func(r rules.Reading) bool { return r.Key == key })
}

// amount reads a sum of money that a flag gives.
func amount(flag, text string) (money.Amount, error) {
	sum, err := money.Parse(text)
	switch {
	case err != nil:
		return 0, usageError{fmt.Errorf("%s %s: %w", flag, text, err)}
	case sum < 0:
		return 0, usageError{fmt.Errorf("%s %s is below zero: write an amount such as 25 or 12.50", flag, text)}
	case sum > rules.MaxStake:
		return 0, usageError{fmt.Errorf("%s %s is more than $%s, the largest sum there is", flag, text, rules.MaxStake.Display())}
	}
	return sum, nil
}

// bet finds a bet of the variant by its key.
func (t *terms) bet(flag, key string) (odds.Bet, error) {
	offered := odds.Bets(t.Variant)
	var keys []string
	for _, b := range offered {
		if b.String() == key || b == odds.AntePlay && (key == "ante" || key == "play") {
			return b, nil
		}
		keys = append(keys, b.String())
	}
	if key == "progressive" && t.Book.Rule(rules.Progressive) != nil {
		return 0, usageError{fmt.Errorf("%s %s: no progressive is connected to this variant", flag, key)}
	}
	return 0, usageError{fmt.Errorf("%s %s: %s has no such bet: %s", flag, key, t.Book.Ref(), meant(key, keys))}
}

// figure is a number or sum of money as it was written. Unlike a plain string it
// may begin with a minus, so that a person who writes one is told what is wrong
// with the number, and not about flags. Nil is not given.
type figure struct{ text string }

// Decode takes the word after the flag, unless that is a flag itself.
func (f *figure) Decode(ctx *kong.DecodeContext) error {
	token := ctx.Scan.Pop()
	f.text = token.String()
	if token.IsEOL() || strings.HasPrefix(f.text, "--") {
		return fmt.Errorf("the number is missing: write --%s and then it", ctx.Value.Name)
	}
	return nil
}

// wholeNumber reads a whole number.
func (f *figure) wholeNumber(flag string) (int, error) {
	n, err := strconv.Atoi(f.text)
	if err != nil {
		return 0, usageError{fmt.Errorf("%s %s: write a whole number, such as %s 6", flag, f.text, flag)}
	}
	return n, nil
}

// oddsSheetCommand prints par sheets.
type oddsSheetCommand struct {
	Book bookRef `arg:"" optional:"" help:"The rule book: ${books}."`

	Wager []string `placeholder:"WAGER" help:"Only this wager: ante-play, pair-plus, progressive, bonus, main, tie or royal-pictures. May be repeated."`
	variantFlags
	Others   *figure `placeholder:"N" help:"How many other boxes are in the round, for the Envy Bonus."`
	Meter    *figure `placeholder:"AMOUNT" help:"The displayed jackpot; the reset value if not given."`
	Bet      *figure `placeholder:"AMOUNT" help:"The size of the bet, where sums of money or rounding make it matter."`
	Strategy string  `placeholder:"RULE" help:"How hands are decided: optimal, always, never, or the least hand that is played, such as Q-6-4."`
	output
}

// Help returns the long help of the command.
func (oddsSheetCommand) Help() string {
	return `For every wager: all results with the number of deals that end so, house edge, hit frequency, variance and shape, what each row of the pay table adds, the best strategy and the price of simpler ones; for the progressive, what it is worth at each meter.

Net results are in units of the bet, of one Ante for Ante and Play; those of the progressive are in currency.

Examples:

    $ trey odds rws-3cp
    $ trey odds rws-3cp --wager pair-plus --pay pair-plus=40/30/6/4/1
    $ trey odds sm-3cp --bonus TCPB-03E --others 6
    $ trey odds rws-3cp --ruling envy_when_folded=kept --others 6
    $ trey odds mbs-3pictures --bet 25 --format csv
    $ trey odds rws-3cp --variant high-limit.toml --out par.html

Formats:

    text   80 columns, rounded for people
    json   every figure as {"num","den","decimal"} in lowest terms
    csv    a line for each figure, each net result and each row of a pay table
    xlsx   a workbook with formulas that can be followed
    html   one page with charts, which prints

Without --format the name given with --out decides.

A line of the CSV has one of four kinds: "game" (a parameter of the game, such as reset_value), "figure" (item names it, such as house_edge), "net" (a net result with its ways of total deals) or "row" (a row of a pay table, or an end of the wager, with its clause, pays and contribution). num, den and decimal are the parameter, the figure or the probability, and one_in is the N of "1 in N". For the rows of the line "envy" they are the expected number of Envy Bonuses, and one_in is empty. pays is what is paid beside the stake.`
}

// Run prints the par sheet.
func (cmd *oddsSheetCommand) Run(s *streams) error {
	t, err := cmd.of(cmd.Book.Book)
	if err != nil {
		return err
	}
	format, err := cmd.choose("text", "json", "csv", "xlsx", "html")
	if err != nil {
		return err
	}
	o, err := cmd.options(t)
	if err != nil {
		return err
	}
	sheet, err := odds.Analyse(t.Variant, o)
	if err != nil {
		return usageError{err}
	}
	// What a file's tables are worth to the player the sheet says by itself.
	remarks := slices.DeleteFunc(t.remarks, func(r string) bool { return strings.Contains(r, "favours the player:") })
	report := parsheet.NewReport(t.Variant, sheet, version(), remarks)
	var text []byte
	switch format {
	case "json":
		text, err = report.JSON()
	case "csv":
		text, err = report.CSV()
	case "xlsx":
		text, err = report.Workbook()
	case "html":
		text, err = report.HTML()
	default:
		text = report.Text()
	}
	if err != nil {
		return err
	}
	if format == "csv" { // the one format without a place for remarks
		for _, remark := range report.Remarks {
			fmt.Fprintf(s.err, "trey: note: %s\n", remark)
		}
	}
	return cmd.write(s, text, format)
}

// options reads what is analysed.
func (cmd *oddsSheetCommand) options(t *terms) (odds.Options, error) {
	var o odds.Options
	var err error
	for _, key := range cmd.Wager {
		b, err := t.bet("--wager", key)
		if err != nil {
			return o, err
		}
		if !slices.Contains(o.Bets, b) {
			o.Bets = append(o.Bets, b)
		}
	}
	displayed := o.Bets
	if len(displayed) == 0 {
		displayed = odds.Bets(t.Variant)
	}
	if o.Others, err = othersOf(t, cmd.Others, displayed); err != nil {
		return o, err
	}
	if o.Meter, err = t.meter(cmd.Meter, displayed, "--wager progressive"); err != nil {
		return o, err
	}
	if o.Rule, err = odds.ParseRule(cmd.Strategy); err != nil {
		return o, usageError{fmt.Errorf("--strategy: %w", err)}
	}
	if err := t.decides(cmd.Strategy, displayed); err != nil {
		return o, err
	}
	if cmd.Bet != nil {
		if o.Stake, err = amount("--bet", cmd.Bet.text); err != nil {
			return o, err
		}
		if o.Stake == 0 {
			return o, usageError{fmt.Errorf("--bet 0 is no bet: write an amount such as 25 or 12.50")}
		}
		if len(displayed) == 1 && displayed[0] == odds.Progressive && o.Stake != t.Jackpot.Bet {
			return o, usageError{fmt.Errorf("--bet %s: the progressive has one size, $%s; another is set in a variant file", cmd.Bet.text, t.Jackpot.Bet.Display())}
		}
	}
	return o, nil
}

// decides refuses a strategy where no hand is decided: one on which only Pair
// Plus is bet is never folded, where the book lets it be bet alone.
func (t *terms) decides(strategy string, bets []odds.Bet) error {
	other := slices.ContainsFunc(bets, func(b odds.Bet) bool { return b.Decided(t.Variant) })
	if strategy == "" || other || t.Book.Decision == nil {
		return nil
	}
	return usageError{fmt.Errorf("--strategy %s has no effect: a hand with Pair Plus alone is never folded; leave it out", strategy)}
}

// othersOf checks the number of other boxes against the table; not given is none.
func othersOf(t *terms, given *figure, displayed []odds.Bet) (int, error) {
	if given == nil {
		return 0, nil
	}
	n, err := given.wholeNumber("--others")
	if err != nil {
		return 0, err
	}
	if n < 0 || n > t.Boxes-1 {
		return 0, usageError{fmt.Errorf("--others %d: the table has %d boxes, so beside one there are 0 to %d others", n, t.Boxes, t.Boxes-1)}
	}
	envy := slices.ContainsFunc(displayed, func(b odds.Bet) bool { return t.Book.Rule(b.Wager()).Envy })
	if n > 0 && !envy {
		return 0, usageError{fmt.Errorf("--others %d: no bet shown has an Envy Bonus, so the other boxes change nothing; leave it out", n)}
	}
	return n, nil
}

// meter reads the displayed jackpot; not given is zero, the reset value. flag is the one that names
// the bets of the command.
func (t *terms) meter(given *figure, displayed []odds.Bet, flag string) (money.Amount, error) {
	if given == nil {
		return 0, nil
	}
	text := given.text
	if t.Jackpot == nil {
		return 0, usageError{fmt.Errorf("--meter %s: %s has no progressive; leave it out, or name %s", text, t.Book.Ref(), strings.Join(booksWith(rules.Progressive), " or "))}
	}
	if !slices.Contains(displayed, odds.Progressive) {
		return 0, usageError{fmt.Errorf("--meter %s: the progressive is not among the wagers asked for; add %s", text, flag)}
	}
	m, err := amount("--meter", text)
	if err != nil {
		return 0, err
	}
	switch {
	case m == 0:
		return 0, usageError{fmt.Errorf("--meter %s: a jackpot of nothing cannot be won; the reset value is $%s, and what the other rows return is under \"Fixed pays return\" at any meter", text, t.Jackpot.Reset.Display())}
	case m < t.Jackpot.Reset:
		t.remarks = append(t.remarks, fmt.Sprintf("A meter of $%s is never displayed: the reset value is $%s", m.Display(), t.Jackpot.Reset.Display()))
	case m > t.Jackpot.Ceiling:
		t.remarks = append(t.remarks, fmt.Sprintf("A meter of $%s is never displayed: the ceiling is $%s", m.Display(), t.Jackpot.Ceiling.Display()))
	}
	return m, nil
}

// output says in which form a report is written, and where.
type output struct {
	Format string `placeholder:"FORMAT" help:"The format of the report; without it text."`
	Out    string `placeholder:"FILE" help:"Write it to this file."`
}

// choose returns the format: as said, else by the file's name, else the first.
func (o *output) choose(formats ...string) (string, error) {
	ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(o.Out), "."))
	switch ending {
	case "txt":
		ending = "text"
	case "htm":
		ending = "html"
	}
	if o.Format == "" {
		switch {
		case slices.Contains(formats, ending):
			return ending, nil
		case ending != "":
			return "", usageError{fmt.Errorf("--out %s: no format is named %s: say --format and one of %s", o.Out, ending, strings.Join(formats, ", "))}
		}
		return formats[0], nil
	}
	if !slices.Contains(formats, o.Format) {
		hint := ""
		// Of so short words nearly all are near each other: yaml is not html.
		if near := rules.Nearest(o.Format, formats); near != "" && strings.HasPrefix(near, o.Format[:1]) {
			hint = "did you mean " + near + "? "
		}
		return "", usageError{fmt.Errorf("--format %s: there is no such format here: %schoose from %s", o.Format, hint, strings.Join(formats, ", "))}
	}
	if ending != o.Format && slices.Contains(formats, ending) {
		return "", usageError{fmt.Errorf("--format %s contradicts --out %s: say one of the two", o.Format, o.Out)}
	}
	return o.Format, nil
}

// write writes the report where it belongs.
func (o *output) write(s *streams, text []byte, format string) error {
	if o.Out == "" || o.Out == "-" {
		if file, ok := s.rawOut.(*os.File); ok && format == "xlsx" && isTerminal(file) {
			return usageError{fmt.Errorf("a workbook cannot be printed on a terminal: name a file, such as --out par.xlsx")}
		}
		out := s.out
		if format == "xlsx" {
			out = s.rawOut
		}
		_, err := out.Write(text)
		return err
	}
	if same(o.Out, text) {
		return nil
	}
	if err := put(o.Out, text); err != nil {
		return fmt.Errorf("the report could not be written: %w", err)
	}
	return nil
}

// put writes a file whole or not at all, unless a link, a device or a pipe has the name.
func put(name string, text []byte) error {
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return durable.Create(name, text, 0o666)
	case err == nil && info.Mode().IsRegular():
		return durable.Write(name, text, info.Mode().Perm())
	}
	return os.WriteFile(name, text, 0o666)
}

// same reports whether a file holds the text already. Only a regular file of
// that size is read: a device or a pipe may have no end.
func same(name string, text []byte) bool {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(text)) {
		return false
	}
	old, err := os.ReadFile(name)
	return err == nil && bytes.Equal(old, text)
}

func isTerminal(file *os.File) bool { return term.IsTerminal(int(file.Fd())) }
