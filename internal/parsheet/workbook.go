package parsheet

import (
	"archive/zip"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"

	"github.com/xuri/excelize/v2"

	"trey/odds"
	"trey/rules"
	"trey/sentence"
)

// Workbook writes the report as a spreadsheet: a summary, a sheet for each
// wager, the strategy, the meter, the rulings and the method. Whatever a reader
// may want to check is a formula, down to the ways and the total, which are
// numbers; every formula carries its value, so that the file reads the same
// without a spreadsheet program.
func (r *Report) Workbook() ([]byte, error) {
	b := &book{File: excelize.NewFile(), report: r}
	defer b.Close()
	if err := b.makeStyles(); err != nil {
		return nil, err
	}
	at := map[odds.Bet]*places{}
	// The summary stands first and refers to the others, so their cells are
	// laid out before anything is written.
	for _, bet := range r.order {
		at[bet] = r.layOut(bet)
	}
	b.meterAt, b.places = r.meterPlaces(), at
	b.sheet("Summary", []float64{22, 12, 14, 14, 14, 14, 14, 14, 14, 16, 16, 30}, func(t *tab) { b.summary(t, at) })
	b.sheet("Game", []float64{38, 24}, b.game)
	for _, bet := range r.order {
		b.sheet(bet.Name(), []float64{40, 12, 20, 13, 13, 20, 20, 18, 20, 34}, func(t *tab) { b.wager(t, bet, at[bet]) })
	}
	for _, bet := range r.order {
		a := r.Wagers[bet]
		if a.Strategy != nil {
			b.sheet("Strategy", []float64{28, 14, 12, 12, 16, 16, 14, 16}, func(t *tab) { b.strategy(t, a) })
		}
		if a.Jackpot != nil {
			b.sheet("Meter", []float64{32, 20, 20, 20, 34}, func(t *tab) { b.meter(t, a.Jackpot) })
		}
	}
	b.sheet("Rulings", []float64{28, 44, 12, 90}, b.rulings)
	b.sheet("Method", []float64{26, 110}, b.method)
	if b.err != nil {
		return nil, b.err
	}
	if err := b.DeleteSheet("Sheet1"); err != nil {
		return nil, err
	}
	b.SetActiveSheet(0)
	if err := b.SetDocProps(&excelize.DocProperties{
		Title: "Par sheet " + r.Variant, Subject: r.Title, Creator: r.Version,
		Description: "Variant hash " + r.Hash,
		// Whatever the day: see inOneOrder.
		Created: "2000-01-01T00:00:00Z", Modified: "2000-01-01T00:00:00Z",
	}); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := b.Write(&out); err != nil {
		return nil, err
	}
	return inOneOrder(out.Bytes())
}

// inOneOrder rewrites an archive with its parts in one order and without dates,
// so that a report of the same variant is the same file on every day: whoever
// compares two of them compares bytes. The contents come first, as readers want.
func inOneOrder(text []byte) ([]byte, error) {
	from, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return nil, err
	}
	parts := slices.Clone(from.File)
	slices.SortFunc(parts, func(x, y *zip.File) int {
		return cmp.Or(
			-cmp.Compare(strings.Count(x.Name, "[Content_Types]"), strings.Count(y.Name, "[Content_Types]")),
			cmp.Compare(x.Name, y.Name),
		)
	})
	var out bytes.Buffer
	to := zip.NewWriter(&out)
	for _, part := range parts {
		if err := copyPart(to, part); err != nil {
			return nil, err
		}
	}
	err = to.Close()
	return out.Bytes(), err
}

func copyPart(to *zip.Writer, part *zip.File) error {
	r, err := part.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := to.CreateHeader(&zip.FileHeader{Name: part.Name, Method: zip.Deflate})
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return err
}

// book is the workbook in the making. The first error stays.
type book struct {
	*excelize.File
	report *Report
	styles [numStyles]int
	// places and meterAt say where the figures of the wagers and the inputs of the
	// meter stand.
	places  map[odds.Bet]*places
	meterAt *meterPlaces
	err     error
}

// style is the look of a cell.
type style uint8

const (
	plain style = iota
	title
	small
	heading
	integer
	decimal
	fine
	part
	dollars
	wrapped
	alarm
	strong
	input
	inputDollars
	inputPart
	numStyles
)

// InputFont is the font colour of the cells that a reader may change in a workbook,
// and of no other cell.
const InputFont = "1F3FBF"

func (b *book) makeStyles() error {
	format := func(code string) *string { return &code }
	entered := &excelize.Font{Color: InputFont}
	pale := excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"FFF8DC"}}
	line := []excelize.Border{{Type: "bottom", Color: "7F7F7F", Style: 1}}
	for s, look := range [numStyles]*excelize.Style{
		title:   {Font: &excelize.Font{Bold: true, Size: 15, Color: "123B2E"}},
		small:   {Font: &excelize.Font{Color: "595959", Size: 9}},
		heading: {Font: &excelize.Font{Bold: true}, Border: line, Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"E4EDE8"}}, Alignment: &excelize.Alignment{WrapText: true, Vertical: "top"}},
		integer: {CustomNumFmt: format("#,##0")},
		decimal: {CustomNumFmt: format("0.0000000000")},
		fine:    {CustomNumFmt: format("#,##0.##########")},
		part:    {CustomNumFmt: format("0.000000%")},
		dollars: {CustomNumFmt: format(`"$"#,##0.00;[Red]-"$"#,##0.00`)},
		wrapped: {Alignment: &excelize.Alignment{WrapText: true, Vertical: "top"}},
		alarm:   {Font: &excelize.Font{Bold: true, Color: "9C0006"}, Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"FFE5E5"}}},
		// A reader may change what looks like this, and formulas follow.
		input:        {CustomNumFmt: format("#,##0.##########"), Font: entered, Fill: pale},
		inputDollars: {CustomNumFmt: format(`"$"#,##0.00;[Red]-"$"#,##0.00`), Font: entered, Fill: pale},
		inputPart:    {CustomNumFmt: format("0.000000%"), Font: entered, Fill: pale},
		strong:       {Font: &excelize.Font{Bold: true}, CustomNumFmt: format("0.0000000000")},
	} {
		if look == nil {
			continue
		}
		id, err := b.NewStyle(look)
		if err != nil {
			return err
		}
		b.styles[s] = id
	}
	return nil
}

// tab is one sheet, written from the top down.
type tab struct {
	book   *book
	writer *excelize.StreamWriter
	row    int
}

// cell returns a value with its look; with a formula the value is what that comes to.
func (t *tab) cell(value any, s style, formula ...string) excelize.Cell {
	if f, ok := value.(odds.Fraction); ok {
		value = f.Float64()
	}
	c := excelize.Cell{Value: value, StyleID: t.book.styles[s]}
	if len(formula) > 0 {
		c.Formula = formula[0]
	}
	return c
}

// put writes a row and returns its number.
func (t *tab) put(cells ...any) int {
	t.row++
	if t.book.err == nil && len(cells) > 0 {
		t.book.err = t.writer.SetRow(fmt.Sprintf("A%d", t.row), cells)
	}
	return t.row
}

func (t *tab) heads(names ...string) int {
	cells := make([]any, len(names))
	for i, name := range names {
		cells[i] = t.cell(name, heading)
	}
	return t.put(cells...)
}

// headRows is the number of rows in the head of each sheet.
const headRows = 4

// sheet adds a sheet with the head that all of them have.
func (b *book) sheet(name string, widths []float64, write func(*tab)) {
	if b.err != nil {
		return
	}
	try := func(err error) {
		if b.err == nil {
			b.err = err
		}
	}
	_, err := b.NewSheet(name)
	try(err)
	landscape, one, tall := "landscape", 1, 0
	fit := true
	try(b.SetSheetProps(name, &excelize.SheetPropsOptions{FitToPage: &fit}))
	try(b.SetPageLayout(name, &excelize.PageLayoutOptions{Orientation: &landscape, FitToWidth: &one, FitToHeight: &tall}))
	r := b.report
	try(b.SetHeaderFooter(name, &excelize.HeaderFooterOptions{
		OddHeader: "&L" + amp(r.Title) + "&R" + amp(r.Variant),
		OddFooter: "&L" + amp(r.Version) + "&C" + rules.ShortHash(r.Hash) + "&R&A, page &P of &N",
	}))
	if b.err != nil {
		return
	}
	t := &tab{book: b}
	t.writer, err = b.NewStreamWriter(name)
	try(err)
	if b.err != nil {
		return
	}
	for i, width := range widths {
		try(t.writer.SetColWidth(i+1, i+1, width))
	}
	t.put(t.cell(r.Title+": "+name, title))
	t.put(t.cell("Book "+r.Book+", variant "+r.Variant+", hash "+rules.ShortHash(r.Hash), small))
	t.put(t.cell(r.Version, small))
	t.row = headRows
	write(t)
	if b.err == nil {
		try(t.writer.Flush())
	}
}

// amp writes text for a page header, where & begins a code.
func amp(s string) string { return strings.ReplaceAll(s, "&", "&&") }

// places says in which cells of a wager's sheet its figures stand.
type places struct {
	rows                  []line
	total, unit           int
	rowFirst, rowLast     int
	sumRows               int
	netFirst, netLast     int
	sumNets               int
	expectation, variance int
	deviation, edge       int
	back, average, risk   int
	hit, hitOne           int
	win, winOne           int
	push, loss            int
}

// layOut decides where everything of a wager stands.
func (r *Report) layOut(bet odds.Bet) *places {
	a := r.Wagers[bet]
	p := &places{rows: merged(r.variant, a)}
	p.total, p.unit = headRows+1, headRows+2
	p.rowFirst = headRows + 7 // unit, size, blank, heading
	p.rowLast = p.rowFirst + len(p.rows) - 1
	p.sumRows = p.rowLast + 1
	p.netFirst = p.sumRows + 4
	p.netLast = p.netFirst + len(a.Distribution) - 1
	p.sumNets = p.netLast + 1
	at := p.sumNets + 4
	for _, cell := range []*int{
		&p.expectation, &p.variance, &p.deviation, &p.edge, &p.back, &p.average, &p.risk, &p.hit, &p.hitOne, &p.win, &p.winOne, &p.push, &p.loss,
	} {
		*cell = at
		at++
	}
	return p
}

// exactDigits is the number of digits that a spreadsheet keeps of a number.
const exactDigits = 15

// ways writes a count as a number, and in full beside it where a spreadsheet
// rounds it.
func ways(n *big.Int) (value float64, text any) {
	value, _ = new(big.Rat).SetInt(n).Float64()
	if len(n.String()) > exactDigits {
		return value, n.String()
	}
	return value, nil
}

func (b *book) wager(t *tab, bet odds.Bet, p *places) {
	a := b.report.Wagers[bet]
	total, text := ways(a.Total)
	t.put(t.cell("Deals in all", plain), t.cell(total, integer), text)
	unit := "the bet"
	switch {
	case a.Unit == odds.Currency:
		unit = "currency"
	case bet == odds.AntePlay:
		unit = "one Ante"
	}
	t.put(t.cell("Results are in units of", plain), unit)
	if a.Unit == odds.Currency {
		t.put(t.cell("Size of the bet", plain), t.cell(units(a.Stake), dollars, b.meterAt.bet))
	} else {
		// Nothing follows from the size, so it is no number to change.
		t.put(t.cell("Size of the bet", plain), "$"+a.Stake.Display())
	}
	t.put()
	t.put(t.cell("Pay table, and how each line ends; pays are beside the stake", strong))
	t.heads("Line", "Result", "Clause", "Pays", "Net", "Ways", "Probability = ways / deals", "Contribution = net x probability", "1 in", "Ways in full, if rounded")
	for i, l := range p.rows {
		n := p.rowFirst + i
		count, text := ways(l.Ways)
		name := l.Wager.Name() + ": " + l.name
		var once any
		if l.Wager == rules.Envy {
			name += " (expected number)"
		} else {
			once = t.cell(over(odds.FractionOf(big.NewRat(1, 1)), l.Probability), fine, fmt.Sprintf("1/G%d", n))
		}
		pays, net := b.payCells(t, bet, p, i)
		t.put(name, l.Result.String(), b.report.variant.Book.ClauseRef(l.Clause),
			pays, net, t.cell(count, integer),
			t.cell(l.Probability, decimal, fmt.Sprintf("F%d/$B$%d", n, p.total)),
			t.cell(l.Contribution, decimal, fmt.Sprintf("E%d*G%d", n, n)), once, text)
	}
	t.put(t.cell("Sum: the expectation", strong), nil, nil, nil, nil, nil, nil,
		t.cell(a.Expectation, strong, fmt.Sprintf("SUM(H%d:H%d)", p.rowFirst, p.rowLast)))
	t.put()
	t.put(t.cell("Distribution of the net result of a round, as counted with the pays of the variant", strong))
	t.heads("", "", "", "", "Net", "Ways", "Probability = ways / deals", "Net x probability", "Net squared x probability", "Ways in full, if rounded")
	square := new(big.Rat)
	for i, out := range a.Distribution {
		n := p.netFirst + i
		count, text := ways(out.Ways)
		chance := ratio(out.Ways, a.Total)
		mean := new(big.Rat).Mul(chance.Rat(), out.Net.Rat())
		second := new(big.Rat).Mul(mean, out.Net.Rat())
		square.Add(square, second)
		t.put(nil, nil, nil, nil, t.cell(out.Net, fine), t.cell(count, integer),
			t.cell(chance, decimal, fmt.Sprintf("F%d/$B$%d", n, p.total)),
			t.cell(odds.FractionOf(mean), decimal, fmt.Sprintf("E%d*G%d", n, n)),
			t.cell(odds.FractionOf(second), decimal, fmt.Sprintf("E%d*E%d*G%d", n, n, n)), text)
	}
	column := func(c string) string { return fmt.Sprintf("SUM(%s%d:%s%d)", c, p.netFirst, c, p.netLast) }
	t.put(t.cell("Sums", strong), nil, nil, nil, nil, t.cell(total, integer, column("F")), t.cell(1.0, strong, column("G")),
		t.cell(a.Expectation, strong, column("H")), t.cell(odds.FractionOf(square), strong, column("I")))
	t.put()
	t.put(t.cell("Figures: expectation, house edge, return and element of risk follow the pays, the others the distribution", strong))
	t.heads("", "Value", "Exactly")
	b.figures(t, bet, p)
}

// figures writes the figures of a wager, each from the cells above.
func (b *book) figures(t *tab, bet odds.Bet, p *places) {
	a := b.report.Wagers[bet]
	put := func(name string, f odds.Fraction, s style, formula ...string) {
		t.put(name, t.cell(f, s, formula...), f.String())
	}
	stake := "1"
	if a.Unit == odds.Currency {
		stake = fmt.Sprintf("B%d", p.unit+1)
	}
	sumIf := func(condition string) string {
		return fmt.Sprintf(`SUMIF(E%d:E%d,"%s",G%d:G%d)`, p.netFirst, p.netLast, condition, p.netFirst, p.netLast)
	}
	put("Expectation", a.Expectation, decimal, fmt.Sprintf("H%d", p.sumRows))
	put("Variance", a.Variance, decimal, fmt.Sprintf("I%d-H%d*H%d", p.sumNets, p.sumNets, p.sumNets))
	t.put("Standard deviation", t.cell(root(a.Variance), decimal, fmt.Sprintf("SQRT(B%d)", p.variance)), string(a.StdDev)+" (rounded)")
	put("House edge", a.HouseEdge, part, fmt.Sprintf("-B%d/%s", p.expectation, stake))
	put("Return", a.Return, part, fmt.Sprintf("1-B%d", p.edge))
	put("Average total wager", a.AverageWager, decimal)
	put("Element of risk", a.ElementOfRisk, part, fmt.Sprintf("B%d/B%d", p.edge, p.average))
	once := func(name string, f odds.Fraction, row int) {
		var value any = "never"
		if f.Sign() > 0 {
			value = over(odds.FractionOf(big.NewRat(1, 1)), f)
		}
		t.put(name, t.cell(value, fine, fmt.Sprintf(`IF(B%d>0,1/B%d,"never")`, row, row)))
	}
	put("Hit frequency", a.HitFrequency, part)
	once("Hit, 1 in", a.HitFrequency, p.hit)
	put("Net win", a.NetWin, part, sumIf(">0"))
	once("Net win, 1 in", a.NetWin, p.win)
	put("Push", a.Push, part, sumIf("=0"))
	put("Net loss", a.NetLoss, part, sumIf("<0"))
	t.put("Volatility index", t.cell(1.65*root(a.Variance), decimal, fmt.Sprintf("1.65*B%d", p.deviation)), string(a.VolatilityIndex)+" (rounded)")
	t.put("Skewness", t.cell(float(a.Skewness), decimal))
	put("Kurtosis", a.Kurtosis, decimal)
	t.put("Pay table less distribution", t.cell(0.0, decimal, fmt.Sprintf("ROUND(H%d-H%d,9)", p.sumRows, p.sumNets)), "0 until a pay is changed: both come to the same expectation")
}

// payCells returns the pay and the net result of a row: the pay is an input, and the
// net result follows from it.
func (b *book) payCells(t *tab, bet odds.Bet, p *places, i int) (pays, net any) {
	a, l, n := b.report.Wagers[bet], p.rows[i], p.rowFirst+i
	inCurrency := a.Unit == odds.Currency
	stake := odds.FractionOf(big.NewRat(1, 1))
	size := "1"
	if inCurrency {
		stake, size = units(a.Stake), fmt.Sprintf("$B$%d", p.unit+1)
	}
	if l.Result != rules.Win {
		if l.Net.Equal(minus(stake)) {
			return nil, t.cell(l.Net, fine, "-"+size)
		}
		return nil, t.cell(l.Net, fine)
	}
	pays = t.cell(l.Pays, input)
	if b.paysMeter(l) {
		pays = t.cell(l.Pays, fine, b.meterAt.meter)
	}
	formula := fmt.Sprintf("D%d", n)
	switch rest := plus(l.Net, minus(l.Pays)); {
	case rest.Sign() == 0:
	case rest.Equal(minus(stake)):
		formula += "-" + size
	default:
		formula += fmt.Sprintf("+(%s)", rest.Decimal(10))
	}
	return pays, t.cell(l.Net, fine, formula)
}

// paysMeter reports whether a row of the progressive pays the meter.
func (b *book) paysMeter(l line) bool {
	return l.Wager == rules.Progressive && slices.ContainsFunc(b.report.variant.Pays[l.Wager].Rows, func(row rules.PayRow) bool {
		return row.Combo == l.Combo && row.Pay.MeterPercent != 0
	})
}

// game lists the parameters that the figures follow from, as text: what can be
// changed stands with the wagers and the meter.
func (b *book) game(t *tab) {
	t.heads("Parameter", "Value")
	for i := range b.report.Game {
		t.put(b.report.Game[i].Label(), b.report.Game[i].Value)
	}
}

func (b *book) summary(t *tab, at map[odds.Bet]*places) {
	r := b.report
	for _, remark := range r.Remarks {
		t.put(t.cell(remark, alarm))
	}
	if len(r.Remarks) > 0 {
		t.put()
	}
	if r.Others > 0 {
		t.put("Beside " + count(r.Others, "other box", "other boxes"))
	}
	if r.Meter != "" {
		t.put("Meter", t.cell(units(r.Wagers[odds.Progressive].Jackpot.Meter), dollars, b.meterAt.meter))
	}
	t.heads("Wager", "Bet", "House edge", "Return", "Element of risk", "Hit frequency", "Net win", "Push", "Net loss", "Variance", "Standard deviation", "House edge, exactly")
	for _, bet := range r.order {
		a, p := r.Wagers[bet], at[bet]
		ref := func(row int) string { return fmt.Sprintf("'%s'!B%d", bet.Name(), row) }
		var size any = "$" + a.Stake.Display()
		if a.Unit == odds.Currency {
			size = t.cell(units(a.Stake), dollars, b.meterAt.bet)
		}
		t.put(bet.Name(), size,
			t.cell(a.HouseEdge, part, ref(p.edge)), t.cell(a.Return, part, ref(p.back)),
			t.cell(a.ElementOfRisk, part, ref(p.risk)), t.cell(a.HitFrequency, part, ref(p.hit)),
			t.cell(a.NetWin, part, ref(p.win)), t.cell(a.Push, part, ref(p.push)), t.cell(a.NetLoss, part, ref(p.loss)),
			t.cell(a.Variance, decimal, ref(p.variance)), t.cell(root(a.Variance), decimal, ref(p.deviation)), a.HouseEdge.String())
	}
	t.put()
	if s := r.Wagers[odds.AntePlay]; s != nil && s.Strategy != nil {
		t.put("Strategy", strategyText(s.Strategy, anteAlone, s.Strategy.Cost))
	}
	t.put(t.cell("Variance and standard deviation are in units of the bet, of one Ante for Ante and Play, for the progressive in currency.", small))
	t.put(t.cell("Blue figures on yellow are inputs: change them, and the formulas follow, with the strategy as it is. All other numbers were counted.", small))
	t.put(t.cell("Figures in these sheets are formulas of the ways counted; what each of them means stands in Method.", small))
}

func (b *book) strategy(t *tab, a *odds.Analysis) {
	s := a.Strategy
	t.put(strategyText(s, anteAlone, s.Cost))
	t.put()
	t.heads("Rule", "House edge", "Cost", "", "House edge, exactly")
	best := t.put(s.Rule, t.cell(a.HouseEdge, part, fmt.Sprintf("'%s'!B%d", odds.AntePlay.Name(), b.places[odds.AntePlay].edge)), t.cell(odds.Fraction{}, part), nil, a.HouseEdge.String())
	for _, alt := range s.Alternatives {
		cost := plus(alt.HouseEdge, minus(a.HouseEdge))
		n := t.row + 1
		t.put(alt.Rule, t.cell(alt.HouseEdge, part), t.cell(cost, part, fmt.Sprintf("B%d-$B$%d", n, best)), nil, alt.HouseEdge.String())
	}
	t.put()
	t.put(t.cell("Each rank, in units of the Ante. Hands of one rank differ a little by their suits.", strong))
	t.heads("Rank", "Example", "Hands", "Played", "Play, mean", "Fold", "Better", "Play, least", "Play, most")
	for _, rank := range (&Strategy{b.report.Head, s, b.report.variant.Book.Ranking, anteAlone}).Ranks() {
		n := t.row + 1
		do := "fold"
		if rank.Mean().Cmp(rank.Folded()) >= 0 {
			do = "play"
		}
		t.put(rank.Name, rank.Example.String(), t.cell(rank.Hands, integer), t.cell(rank.Plays, integer),
			t.cell(rank.Mean(), decimal), t.cell(rank.Folded(), decimal),
			t.cell(do, plain, fmt.Sprintf(`IF(E%d>=F%d,"play","fold")`, n, n)),
			t.cell(rank.Low, decimal), t.cell(rank.High, decimal))
	}
}

// meterPlaces says where the inputs of the meter stand, as formulas have them.
type meterPlaces struct{ bet, meter string }

const (
	meterBetRow = headRows + 2 // after the headings
	meterNowRow = meterBetRow + 1
)

func (r *Report) meterPlaces() *meterPlaces {
	return &meterPlaces{fmt.Sprintf("Meter!$B$%d", meterBetRow), fmt.Sprintf("Meter!$B$%d", meterNowRow)}
}

// rowsOf adds up a term over the rows of the progressive's sheet that are asked
// for. In the term @ is the sheet and # the row. No row gives no formula.
func (b *book) rowsOf(term string, asked func(line) bool) string {
	p := b.places[odds.Progressive]
	var terms []string
	for i, l := range p.rows {
		if asked(l) {
			n := fmt.Sprint(p.rowFirst + i)
			sheet := "'" + odds.Progressive.Name() + "'!"
			terms = append(terms, strings.ReplaceAll(strings.ReplaceAll(term, "@", sheet), "#", n))
		}
	}
	return strings.Join(terms, "+")
}

func (b *book) meter(t *tab, j *odds.Jackpot) {
	r := b.report
	terms := r.variant.Jackpot
	put := func(name string, f odds.Fraction, s style, formula ...string) int {
		if len(formula) > 0 && formula[0] == "" {
			formula = nil
		}
		return t.put(name, t.cell(f, s, formula...), f.String())
	}
	paid := func(l line) bool { return l.Result == rules.Win && l.Wager == rules.Progressive }
	t.heads("In currency", "Value", "Exactly")
	bet := put("Bet", units(terms.Bet), inputDollars)
	put("Meter", units(j.Meter), inputDollars)
	reset := put("Reset value", units(terms.Reset), inputDollars)
	ceiling := put("Ceiling", units(terms.Ceiling), inputDollars)
	rate := put("Part of each bet to the meter", odds.FractionOf(big.NewRat(terms.RateNum, terms.RateDen)), inputPart)
	fixed := put("Fixed pays return", j.Fixed, decimal, b.rowsOf("@D#*@G#", func(l line) bool { return paid(l) && !b.paysMeter(l) }))
	envy := put("Envy Bonuses bring", j.Envy, decimal, b.rowsOf("@D#*@G#", func(l line) bool { return l.Wager == rules.Envy }))
	back := put("Of the stake comes back", j.Back, decimal, b.rowsOf(fmt.Sprintf("(@E#-@D#+$B$%d)*@G#", bet), paid))
	each := put("Each $1 on the meter adds", j.PerUnit, decimal, b.rowsOf("@G#", b.paysMeter))
	adds := put("Each bet adds to the meter", j.Contribution, dollars, fmt.Sprintf("B%d*B%d", bet, rate))
	flat := fmt.Sprintf("$B$%d+$B$%d+$B$%d", fixed, envy, back)
	if j.BreakEven != nil {
		put("Break-even meter", *j.BreakEven, dollars, fmt.Sprintf("(B%d-(%s))/B%d", bet, flat, each))
	}
	atReset := put("Return at the reset value", j.AtReset, part, fmt.Sprintf("(%s+B%d*B%d)/B%d", flat, each, reset, bet))
	if j.BetsBetweenHits.Sign() > 0 {
		put("Return in the long run", j.LongRun, part, fmt.Sprintf("B%d+B%d/B%d", atReset, adds, bet))
		put("Bets from hit to hit", j.BetsBetweenHits, fine, fmt.Sprintf("1/B%d", each))
		// K whole contributions fit below the ceiling, and a part of one more.
		room := new(big.Rat).Quo(new(big.Rat).Sub(units(terms.Ceiling).Rat(), units(terms.Reset).Rat()), j.Contribution.Rat())
		fits := new(big.Rat).SetInt(new(big.Int).Quo(room.Num(), room.Denom()))
		k := put("Contributions below the ceiling", odds.FractionOf(fits), fine, fmt.Sprintf("INT((B%d-B%d)/B%d)", ceiling, reset, adds))
		t.put("Mean meter at a hit", t.cell(float(j.MeterAtHit), dollars, fmt.Sprintf("B%d+B%d*(1-(1-B%d)^B%d)/B%d+(1-B%d)^B%d*(B%d-B%d-B%d*B%d)",
			reset, adds, each, k, each, each, k, ceiling, reset, k, adds)), string(j.MeterAtHit)+" (rounded)")
	}
	t.put()
	t.heads("Meter", "A bet changes on average", "House edge", "Return")
	for _, m := range r.meters() {
		n := t.row + 1
		e := j.Expect(m)
		edge := minus(over(e, units(terms.Bet)))
		t.put(t.cell(units(m), inputDollars), t.cell(e, decimal, fmt.Sprintf("%s+$B$%d*A%d-$B$%d", flat, each, n, bet)),
			t.cell(edge, part, fmt.Sprintf("-B%d/$B$%d", n, bet)),
			t.cell(plus(odds.FractionOf(big.NewRat(1, 1)), minus(edge)), part, fmt.Sprintf("1-C%d", n)))
	}
}

func (b *book) rulings(t *tab) {
	t.put(t.cell("What the text of the book leaves open, and what is in force.", plain))
	t.heads("Ruling", "In force", "Default", "Question")
	for _, ruling := range b.report.Rulings {
		isDefault := "yes"
		if !ruling.Default {
			isDefault = "no"
		}
		t.put(ruling.Key, t.cell(ruling.InForce, wrapped), isDefault, t.cell(ruling.Question, wrapped))
	}
}

// method writes the sheet that explains the figures and their origin.
func (b *book) method(t *tab) {
	for _, pair := range methodText(b.report.variant) {
		t.put(t.cell(pair[0].String(), strong), t.cell(pair[1].String(), wrapped))
	}
}

// methodText explains the report to somebody who has to check it.
func methodText(v *rules.Variant) [][2]sentence.Sentence {
	text := [][2]sentence.Sentence{
		{sentence.Of("Counting"), sentence.Of("Every deal is counted, none is simulated: 22,100 hands of the player and, where the dealer's matters, 18,424 hands of the dealer for each, 407,170,400 deals. With Envy Bonuses the hands of the other boxes are counted too.")},
		{sentence.Of("Settlement"), sentence.Of("What a deal pays is asked of the same code that settles the game at the table, under the variant and the rulings named on each page.")},
		{sentence.Of("Precision"), sentence.Of("All figures are fractions of whole numbers, kept exactly. Roots (standard deviation, skewness, volatility index) are rounded once, in the tenth decimal. A spreadsheet computes with fifteen digits.")},
		{sentence.Of("House edge"), sentence.Of("Expected loss divided by the bet; for Ante and Play by one Ante.")},
		{sentence.Of("Element of risk"), sentence.Of("Expected loss divided by all that is staked on average, the Play bet included.")},
		{sentence.Of("Pays"), sentence.Of("What a line is paid beside its stake, as the pay table states it; a line that is not paid has none. The contribution also counts the stake: lost with a lost line, and kept by the house with a won one where a ruling says so.")},
		{sentence.Of("1 in N"), sentence.Of("The probability the other way round: on average once in so many rounds. Several Envy Bonuses can come in one round, so that they have an expected number and no probability.")},
		{sentence.Of("Hit frequency"), sentence.Of("How often a line of the bet is paid for the hand of the box itself. Envy Bonuses do not count.")},
		{sentence.Of("Net win, push, net loss"), sentence.Of("How often the round ends above, at and below even for the bet as a whole.")},
		{sentence.Of("Volatility index"), sentence.Of("1.65 standard deviations of one round: with the normal approximation nine results of n rounds in ten lie within it over the root of n.")},
		{sentence.Of("Skewness, kurtosis"), sentence.Of("Third central moment over the cube of the standard deviation, fourth over its fourth power; a normal distribution has 0 and 3.")},
	}
	if v.Book.Decision != nil {
		text = append(text, [2]sentence.Sentence{sentence.Of("Strategy"), sentence.Of("For each hand playing and folding are compared over all hands of the dealer; playing is taken where both are equal. Side bets follow the decision made for the Ante.")})
	}
	if v.Jackpot != nil {
		text = append(text, [2]sentence.Sentence{sentence.Of("Progressive"), sentence.Of("Return in the long run: the return at the reset value and the contribution, which comes back to some player in the end. The ceiling is taken into account in the mean meter at a hit only.")})
	}
	return append(text, [2]sentence.Sentence{
		sentence.Of("To check it"),
		sentence.Of("docs/mathematics.md has the formulas and counts. `trey odds %s --format json` has every figure as a fraction.", v.Book.ID),
	})
}
