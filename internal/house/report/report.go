package report

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"trey/internal/enum"
	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/journal"
	"trey/internal/house/significant"
	"trey/money"
	"trey/rules"
	"trey/sentence"
)

// Kind is one of the reports.
type Kind uint8

// The reports. The zero value is none of them.
const (
	_ Kind = iota
	// TrialBalance shows every account at the beginning and at the end, and that
	// debits and credits are equal.
	TrialBalance
	// TablePerformance shows what each table and each wager made.
	TablePerformance
	// Jackpots shows how each meter and reserve came from what it held to what it
	// holds.
	Jackpots
	// Irregularities lists what went wrong at tables, and what was voided.
	Irregularities
	// Adjustments lists what was changed by hand, by whom, from what to what.
	Adjustments
	// LargeWins lists the winnings of a threshold and above.
	LargeWins
	// Liability shows what the operator owes to players.
	Liability
	// PlayerAccounts shows the movements of each player's money.
	PlayerAccounts
	// SignificantEvents is the register of significant events.
	SignificantEvents
	// Pit shows the pace of each table, and its win beside the theoretical win.
	Pit
	// PlayerRatings shows the average bet, the rounds and the theoretical win of each
	// player.
	PlayerRatings
	// Cash shows what each person took in and paid out at the cage.
	Cash
	// StaffBets shows what the staff entered at tables for players, took back and changed.
	StaffBets
	numKinds
)

var kindKeys = enum.New("a report", numKinds, []string{
	TrialBalance: "trial-balance", TablePerformance: "table-performance", Jackpots: "jackpots", Irregularities: "irregularities",
	Adjustments: "adjustments", LargeWins: "large-wins", Liability: "liability", PlayerAccounts: "player-accounts",
	SignificantEvents: "significant-events", Pit: "pit", PlayerRatings: "player-ratings", Cash: "cash", StaffBets: "entered-by-staff",
})

// about describes each report. It holds the name, the filters, whether there are theoretical
// wins, which need the rules of the tables, and whether nothing from before the period counts.
var about = [numKinds]struct {
	title       string
	filters     []FilterKind
	theoretical bool
	periodAlone bool
}{
	TrialBalance:      {title: "Trial balance"},
	TablePerformance:  {title: "Table performance", filters: []FilterKind{ByTable}},
	Jackpots:          {title: "Progressive jackpots", filters: []FilterKind{ByJackpot}},
	Irregularities:    {title: "Voids and irregularities", filters: []FilterKind{ByTable}},
	Adjustments:       {title: "Adjustments", filters: []FilterKind{ByJackpot, ByPlayer}},
	LargeWins:         {title: "Large wins", filters: []FilterKind{ByTable, ByPlayer, ByThreshold}},
	Liability:         {title: "Operator liability"},
	PlayerAccounts:    {title: "Player account summary", filters: []FilterKind{ByPlayer}},
	SignificantEvents: {title: "Significant events", filters: []FilterKind{ByTable, ByEvent}, periodAlone: true},
	Pit:               {title: "Pit", filters: []FilterKind{ByTable}, theoretical: true},
	PlayerRatings:     {title: "Player ratings", filters: []FilterKind{ByTable, ByPlayer}, theoretical: true},
	Cash:              {title: "Cash by person", periodAlone: true},
	StaffBets:         {title: "Bets and decisions entered by staff", filters: []FilterKind{ByTable, ByPlayer}},
}

// FilterKind is that by which a report is narrowed.
type FilterKind uint8

// The filters. The zero value is none of them.
const (
	_ FilterKind = iota
	// ByTable leaves one table.
	ByTable
	// ByJackpot leaves one jackpot.
	ByJackpot
	// ByPlayer leaves one player.
	ByPlayer
	// ByEvent leaves one kind of significant events.
	ByEvent
	// ByThreshold leaves amounts from one on.
	ByThreshold
	numFilterKinds
)

var filterKeys = enum.New("a filter of a report", numFilterKinds, []string{
	ByTable: "table", ByJackpot: "jackpot", ByPlayer: "player", ByEvent: "event", ByThreshold: "threshold",
})

// String returns the key, such as "table": a parameter of the interface for programs and a field
// of the page.
func (f FilterKind) String() string { return filterKeys.Key(f) }

// Kinds lists every report.
func Kinds() []Kind { return kindKeys.All() }

// String returns the key, such as "trial-balance".
func (k Kind) String() string { return kindKeys.Key(k) }

// Title returns what stands above the report.
func (k Kind) Title() string {
	if k == 0 || k >= numKinds {
		return "unknown"
	}
	return about[k].title
}

// Filters returns by what the report can be narrowed.
func (k Kind) Filters() []FilterKind {
	if k == 0 || k >= numKinds {
		return nil
	}
	return about[k].filters
}

// Permission returns what somebody who reads the report needs beside [access.ReadReports], which
// may be the same.
func (k Kind) Permission() access.Permission {
	switch k {
	case PlayerRatings:
		return access.SeeRatings
	case PlayerAccounts, Adjustments: // They say what single players have.
		return access.SeeAccounts
	case TrialBalance, TablePerformance, Jackpots, Irregularities, LargeWins, Liability, SignificantEvents, Pit, Cash, StaffBets:
	}
	return access.ReadReports
}

// ParseKind reads a key.
func ParseKind(text string) (Kind, error) {
	k, err := kindKeys.Parse(text)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrQuery, err)
	}
	return k, nil
}

// MarshalText writes the key.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads the key.
func (k *Kind) UnmarshalText(text []byte) (err error) {
	*k, err = ParseKind(string(text))
	return err
}

// ErrQuery is wrapped by the error about a report that cannot be asked for.
var ErrQuery = errors.New("invalid report request")

// Query says which report is wanted.
type Query struct {
	Kind Kind
	// FromMs and ToMs are the period, in milliseconds of the house's clock: from
	// the one, before the other. Zero is from the beginning, and to the end.
	FromMs, ToMs int64
	// Table, Jackpot and Player narrow it to one, where the report can be.
	Table, Jackpot, Player string
	// Event narrows the register of significant events to one kind; zero is all.
	Event significant.Kind
	// Threshold is from which amount on a win is large.
	Threshold money.Amount
	// Rules are the rules by which rounds were played. Theoretical wins need them.
	Rules Rules
}

// Rules knows by which rules each round was played. A house does.
type Rules interface {
	Tables() []string
	RulesAt(table string, round int) (*rules.Variant, error)
}

// DefaultThreshold is from which amount on a win is large if nothing is said.
const DefaultThreshold = 1200 * money.Major

// check refuses what cannot be asked for.
func (q *Query) check() error {
	if q.Kind == 0 || q.Kind >= numKinds {
		return fmt.Errorf("%w: there is no report %d", ErrQuery, q.Kind)
	}
	about := &about[q.Kind]
	for _, f := range filterKeys.All() {
		if q.filter(f) != "" && !slices.Contains(about.filters, f) {
			return fmt.Errorf("%w: %s cannot be narrowed by %s", ErrQuery, about.title, f)
		}
	}
	if about.theoretical && q.Rules == nil {
		return fmt.Errorf("%w: %s takes the rules of the tables", ErrQuery, about.title)
	}
	if q.ToMs != 0 && q.ToMs <= q.FromMs || q.FromMs < 0 || q.ToMs < 0 {
		return fmt.Errorf("%w: a period from %d to %d has no time in it", ErrQuery, q.FromMs, q.ToMs)
	}
	if q.Threshold < 0 {
		return fmt.Errorf("%w: a threshold of %s", ErrQuery, q.Threshold.Display())
	}
	return nil
}

// Report is a report as data.
type Report struct {
	Kind  Kind   `json:"kind"`
	Title string `json:"title"`
	// House is the name of the house, empty where it has none. The record does not know
	// it: whoever has a report made says it.
	House string `json:"house,omitempty"`
	// Version is the program's.
	Version string `json:"version"`
	// FromMs and ToMs are the period, and GeneratedMs when it was looked at; a
	// period without an end ends then.
	FromMs      int64 `json:"from_ms"`
	ToMs        int64 `json:"to_ms"`
	GeneratedMs int64 `json:"generated_ms"`
	// ThroughSeq is the last transaction of the record that was read, among those that can
	// concern the report.
	ThroughSeq int64 `json:"through_seq"`
	// Filters are by what it was narrowed.
	Filters  []Filter  `json:"filters"`
	Sections []Section `json:"sections"`
	// NoActivity says that nothing happened in the period that belongs here.
	NoActivity bool `json:"no_activity"`
	// Findings say what does not agree, in sentences: it should, always.
	Findings []Words `json:"findings"`
}

// Filter is something by which a report is narrowed.
type Filter struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Section is one table of a report.
type Section struct {
	Title   string   `json:"title"`
	Columns []Column `json:"columns"`
	Rows    []Row    `json:"rows"`
	// Totals has a value for each column that has a total; nil if there is none, and
	// where there are no rows.
	Totals Row `json:"totals,omitempty"`
	// LeftOut is the number of rows beyond those listed. Totals count them.
	LeftOut int `json:"left_out,omitempty"`
}

// Column is a column of a section.
type Column struct {
	Key   string `json:"key"`
	Title string `json:"title"`
	Unit  Unit   `json:"unit"`
}

// Row holds a value for each column: a string or [Words] for text, a string for percentages, an
// int64 for counts and times, a [money.Amount] for money, nil for none.
type Row []any

// Words are a text of a report that a page says in another language: a sentence with the names
// and figures in it. As text and as JSON they are English.
type Words struct{ sentence.Sentence }

// MarshalText writes the words in English.
func (w Words) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText reads words that were written: they are said in English then.
func (w *Words) UnmarshalText(text []byte) error {
	*w = TextOf(string(text))
	return nil
}

// TextOf returns words that are the same in every language.
func TextOf(text string) Words { return wordsOf(sentence.Of("%s", text)) }

// wordsOf returns the words of a sentence.
func wordsOf(said sentence.Sentence) Words { return Words{said} }

// Unit says what the values of a column are.
type Unit uint8

// The units. The zero value is none of them.
const (
	_ Unit = iota
	// Text is any text.
	Text
	// Count is a whole number.
	Count
	// Money is an amount in minor units.
	Money
	// TimeMs is a moment in milliseconds of the Unix clock.
	TimeMs
	// Percent is a percentage with two decimals, as text.
	Percent
	numUnits
)

var unitKeys = enum.New("a unit of a report", numUnits, []string{Text: "text", Count: "count", Money: "money", TimeMs: "time-ms", Percent: "percent"})

// String returns the key, such as "money".
func (u Unit) String() string { return unitKeys.Key(u) }

// MarshalText writes the key.
func (u Unit) MarshalText() ([]byte, error) { return []byte(u.String()), nil }

// UnmarshalText reads the key.
func (u *Unit) UnmarshalText(text []byte) error { return unitKeys.Unmarshal(u, text) }

// MaxRows is the greatest number of rows of a list.
const MaxRows = 10_000

// add puts a row into a list, as long as there is room.
func (s *Section) add(row ...any) {
	if len(s.Rows) == MaxRows {
		s.LeftOut++
		return
	}
	s.Rows = append(s.Rows, row)
}

// Source is the record. A house's store is one.
type Source interface {
	// ReadAll hands out whole transactions in the order of their numbers, those
	// after a number; see [house.Store].
	ReadAll(ctx context.Context, after int64, stream string, yield func(house.StoredTransaction) error) error
}

// A gatherer takes the figures of a report from the record. It is given every transaction
// before the end of the period in order; within says that it lies in the period.
type gatherer interface {
	see(e *house.StoredTransaction, within bool) error
	sections() ([]Section, []Words, error)
}

// Make computes a report. It reads the record to its present end; version is the program's, and
// nowMs the time by the house's clock. An error wraps [ErrQuery] if there is no such report,
// and [house.ErrCorrupt] if the record cannot be read.
func Make(ctx context.Context, record Source, q Query, version string, nowMs int64) (*Report, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	if q.ToMs == 0 && q.FromMs > nowMs {
		return nil, fmt.Errorf("%w: a period from %s has not begun", ErrQuery, moment(q.FromMs))
	}
	if q.Kind == LargeWins && q.Threshold == 0 {
		q.Threshold = DefaultThreshold
	}
	r := &Report{
		Kind: q.Kind, Title: q.Kind.Title(), Version: version, FromMs: q.FromMs, ToMs: q.ToMs, GeneratedMs: nowMs,
		Filters: q.filters(), Findings: []Words{},
	}
	if r.ToMs == 0 {
		r.ToMs = nowMs
	}
	after, err := q.after(ctx, record)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Title, err)
	}
	g := q.gatherer(r.ToMs)
	err = record.ReadAll(ctx, after, q.stream(), func(e house.StoredTransaction) error {
		r.ThroughSeq = e.Seq
		if q.ToMs != 0 && e.AtMs >= q.ToMs {
			return nil
		}
		if err := g.see(&e, e.AtMs >= q.FromMs); err != nil {
			return fmt.Errorf("transaction %d: %w", e.Seq, err)
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Title, err)
	}
	var findings []Words
	if r.Sections, findings, err = g.sections(); err != nil {
		return nil, fmt.Errorf("%s: %w", r.Title, err)
	}
	r.Findings = append(r.Findings, findings...)
	r.withoutCards()
	r.NoActivity = true
	for i := range r.Sections {
		if r.Sections[i].Rows == nil {
			r.Sections[i].Rows, r.Sections[i].Totals = []Row{}, nil
		}
		r.NoActivity = r.NoActivity && len(r.Sections[i].Rows) == 0
	}
	return r, nil
}

// withoutCards takes cards out of all texts. Notes are words of the staff, and stops hold what was
// found: neither is made for a round that is in play.
func (r *Report) withoutCards() {
	for _, section := range r.Sections {
		for _, row := range section.Rows {
			for i := range row {
				switch text := row[i].(type) {
				case string:
					row[i] = journal.WithoutCards(text)
				case Words:
					row[i] = text.withoutCards()
				}
			}
		}
	}
	for i := range r.Findings {
		r.Findings[i] = r.Findings[i].withoutCards()
	}
}

// withoutCards returns the words without cards. Those that had any are English then.
func (w Words) withoutCards() Words {
	text := w.String()
	if bare := journal.WithoutCards(text); bare != text {
		return TextOf(bare)
	}
	return w
}

// stream returns the one stream that holds everything in the report, empty if there is none:
// most of the record need not be read then.
func (q *Query) stream() string {
	switch {
	case q.Kind == Adjustments:
		return "house"
	case q.Table != "" && (q.Kind == Irregularities || q.Kind == StaffBets):
		return "table:" + q.Table
	case q.Jackpot != "" && q.Kind == Jackpots:
		return "jackpot:" + q.Jackpot
	}
	return ""
}

// filter returns the value of a filter as it stands on the report, empty for none.
func (q *Query) filter(f FilterKind) string {
	switch {
	case f == ByTable:
		return q.Table
	case f == ByJackpot:
		return q.Jackpot
	case f == ByPlayer:
		return q.Player
	case f == ByEvent && q.Event != 0:
		return q.Event.String()
	case f == ByThreshold && q.Threshold != 0:
		return q.Threshold.Display()
	}
	return ""
}

func (q *Query) filters() []Filter {
	filters := []Filter{}
	for _, f := range filterKeys.All() {
		if value := q.filter(f); value != "" {
			filters = append(filters, Filter{Name: f.String(), Value: value})
		}
	}
	return filters
}

// errEnough ends the reading of marks.
var errEnough = errors.New("enough is read")

// after returns the number of a transaction up to which the report needs nothing of the
// record. What happened before the rounds that the period found in play does not change the
// ratings of tables and players. Where the period alone counts, that is the latest round that
// began before it: a report of a day reads no archive of the years before.
func (q *Query) after(ctx context.Context, record Source) (int64, error) {
	marks, ok := record.(interface {
		Rounds(ctx context.Context, stream string, before, limit int, yield func(house.RoundMark) error) error
	})
	alone := about[q.Kind].periodAlone
	if !about[q.Kind].theoretical && !alone || q.FromMs == 0 || q.Rules == nil || !ok {
		return 0, nil
	}
	first := int64(0)
	for _, name := range q.Rules.Tables() {
		err := marks.Rounds(ctx, "table:"+name, 0, math.MaxInt32, func(m house.RoundMark) error {
			if m.AtMs >= q.FromMs {
				return ctx.Err()
			}
			if first == 0 || (m.Seq < first) != alone {
				first = m.Seq
			}
			return errEnough
		})
		if err != nil && !errors.Is(err, errEnough) {
			return 0, err
		}
	}
	return max(0, first-1), nil
}

func (q *Query) gatherer(toMs int64) gatherer {
	switch q.Kind {
	case TrialBalance:
		return &trialBalance{flows: flows{}}
	case TablePerformance:
		return newPerformance(q)
	case Jackpots:
		return newJackpots(q)
	case Irregularities:
		return newIrregularities(q)
	case Adjustments:
		return newAdjustments(q)
	case LargeWins:
		return newLargeWins(q)
	case Liability:
		return &liability{flows: flows{}}
	case PlayerAccounts:
		return &players{only: q.Player, of: map[string]*player{}}
	case SignificantEvents:
		return newEvents(q)
	case Pit, PlayerRatings:
		return newRatings(q, toMs)
	case Cash:
		return &cash{of: map[string]*cashier{}}
	case StaffBets:
		return newStaffBets(q)
	default:
		return nil // check refuses it
	}
}

// CSV writes the report for other programs: first its head, a line for each thing,
// then each section under its title. Amounts are in currency units, and moments in
// UTC.
func (r *Report) CSV(to io.Writer) error {
	w := csv.NewWriter(to)
	lines := [][]string{
		{"title", r.Title},
		{"house", guarded(r.House)},
		{"version", r.Version},
		{"from", moment(r.FromMs)},
		{"to", moment(r.ToMs)},
		{"generated", moment(r.GeneratedMs)},
		{"through", strconv.FormatInt(r.ThroughSeq, 10)},
	}
	for _, f := range r.Filters {
		lines = append(lines, []string{f.Name, guarded(f.Value)})
	}
	for _, f := range r.Findings {
		lines = append(lines, []string{"finding", f.String()})
	}
	if r.NoActivity {
		lines = append(lines, []string{"No activity"})
	}
	for i := range r.Sections {
		lines = append(lines, r.Sections[i].lines()...)
	}
	for _, line := range lines {
		if err := w.Write(line); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

func (s *Section) lines() [][]string {
	titles := make([]string, len(s.Columns))
	for i, c := range s.Columns {
		titles[i] = c.Title
	}
	lines := [][]string{{s.Title}, titles}
	for _, row := range s.Rows {
		lines = append(lines, s.Written(row))
	}
	if s.LeftOut > 0 {
		lines = append(lines, []string{fmt.Sprintf("and %d more", s.LeftOut)})
	}
	if s.Totals != nil {
		lines = append(lines, s.Written(s.Totals))
	}
	return lines
}

// Written returns the values of a row of this section as text for people, in which a
// spreadsheet finds no formula.
func (s *Section) Written(row Row) []string {
	text := make([]string, len(row))
	for i, value := range row {
		if text[i] = s.written(i, value); s.Columns[i].Unit == Text {
			text[i] = guarded(text[i])
		}
	}
	return text
}

// written returns a value of a column as text.
func (s *Section) written(column int, value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case money.Amount:
		return v.String()
	case int64:
		if s.Columns[column].Unit == TimeMs {
			return moment(v)
		}
		return strconv.FormatInt(v, 10)
	default:
		return fmt.Sprint(v)
	}
}

// guarded keeps a spreadsheet from taking what somebody wrote for a formula.
func guarded(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n", rune(text[0])) {
		if strings.Trim(text[1:], "0123456789.") != "" || text[0] != '-' {
			return "'" + text
		}
	}
	return text
}

func moment(ms int64) string {
	if ms == 0 {
		return ""
	}
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
}

// percent returns a part of a total in percent with two decimals, or nil if the total is
// zero.
func percent(part, total money.Amount) any {
	if total == 0 {
		return nil
	}
	return new(big.Rat).Mul(big.NewRat(int64(part), int64(total)), big.NewRat(100, 1)).FloatString(2)
}
