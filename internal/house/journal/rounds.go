package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"trey/internal/house"
	"trey/internal/record"
	"trey/internal/stored"
	"trey/money"
	"trey/table"
)

// Query says which rounds are looked for. What it leaves out it does not ask for;
// everything that it says has to hold.
type Query struct {
	// FromMs and ToMs are a period, in milliseconds of the house's clock: rounds in
	// which something happened from the one on, and that began before the other.
	FromMs, ToMs int64
	// Table is the table where the round was played.
	Table string
	// Player took part in it.
	Player string
	// Clause is a provision that was applied in it: "5.8.6", "5.8" with everything
	// below it, or "rws-3cp@3 5.8.6" for that book alone.
	Clause string
	// AtLeast and AtMost are the bounds of a stake, or of winnings.
	AtLeast, AtMost money.Amount
	// Before is the place to go on from, [Found.Next] of the page before; zero is the newest.
	Before int64
	// Limit is the largest number of rounds, Most the largest number of transactions that the
	// search reads for them before it pauses. Zero is 25 and 100,000.
	Limit, Most int
}

// ErrQuery is wrapped by the error about an invalid search.
var ErrQuery = errors.New("invalid round search")

// Found is rounds that were found, the latest first.
type Found struct {
	Rounds []FoundRound `json:"rounds"`
	// Next is the place to go on from, and BackToMs the time back to which the search has come;
	// zero where it has come to the beginning.
	Next     int64 `json:"next,omitempty" doc:"Ask with before= this for what lies further back; absent where the record begins."`
	BackToMs int64 `json:"back_to_ms,omitempty" doc:"How far back the search has come."`
}

// FoundRound is a round that fits.
type FoundRound struct {
	Table string `json:"table"`
	Round int    `json:"round"`
	// Seq is the transaction that began it.
	Seq     int64 `json:"seq" doc:"The transaction that began it."`
	BeganMs int64 `json:"began_ms"`
	// LastMs is the time of its last event.
	LastMs int64 `json:"last_ms" doc:"When something happened in it last."`
	// Ended is "settled", "voided" or "closed", empty for a round that has not.
	Ended   string   `json:"ended,omitempty" doc:"settled, voided or closed; absent while it lasts."`
	Players []string `json:"players"`
	// Laid is the sum of all bets placed in it.
	Laid money.Amount `json:"laid" doc:"What was laid down in it in all, in minor units."`
	// Matches lists what fits, at most MaxMatches; More is the number of further matches.
	Matches []Match `json:"matches,omitempty" doc:"What fits; absent where the time and the table were asked for alone."`
	More    int     `json:"more,omitempty" doc:"How many others fit."`
}

// MaxMatches is the number of reasons, at most, that a found round gives.
const MaxMatches = 12

// Match is one thing of a round for which it was found.
type Match struct {
	Seq  int64 `json:"seq"`
	AtMs int64 `json:"at_ms"`
	// Event is the kind of event that it stands in.
	Event  string       `json:"event"`
	Box    int          `json:"box,omitempty"`
	Player string       `json:"player,omitempty"`
	Wager  string       `json:"wager,omitempty"`
	Amount money.Amount `json:"amount,omitempty" doc:"The stake, in minor units."`
	Pays   money.Amount `json:"pays,omitempty" doc:"The winnings without the stake, in minor units."`
	Result string       `json:"result,omitempty"`
	Clause string       `json:"clause,omitempty"`
}

// Rounds searches rounds, the latest first. Clause and amount have to fit one and the same bet,
// line or ruling. If a player is named, it must be the player's own, or concern nobody in
// particular, such as a void of a round in which they bet. It reads no more than it has to and
// than [Query.Most]: a page may hold fewer rounds than there is room for, or none, and still
// have a next one.
func (j *Journal) Rounds(ctx context.Context, q Query) (*Found, error) {
	s, err := j.search(q)
	if err != nil {
		return nil, err
	}
	page := &Found{Rounds: []FoundRound{}}
	limit, most := orElse(q.Limit, 25), orElse(q.Most, 100_000)
	for {
		at := s.ahead()
		if at == nil {
			return page, nil
		}
		// Each page gets further than the one before it, however little it may read.
		if len(page.Rounds) == limit || s.read >= most && at.next()+1 < at.end {
			page.Next, page.BackToMs = at.next()+1, at.backToMs
			if n := len(page.Rounds); n > 0 {
				page.Next = min(page.Next, page.Rounds[n-1].Seq)
			}
			if len(at.found) > 0 {
				page.BackToMs = at.found[0].BeganMs
			}
			return page, nil
		}
		if len(at.found) == 0 {
			if err := s.on(ctx, at); err != nil {
				return nil, err
			}
			continue
		}
		page.Rounds, at.found = append(page.Rounds, at.found[0]), at.found[1:]
	}
}

// search is one search through the rounds of all tables side by side.
type search struct {
	*Journal
	q Query
	// clause is the provision without its book's name.
	clause string
	// player is the player's name as it stands in an event.
	player []byte
	lanes  []*lane
	read   int
}

// lane is the position of the search at one table.
type lane struct {
	name string
	// end is the transaction before which all rounds begin that are asked for.
	end int64
	// before is the round before which to go on, newer the transaction that began
	// the round after those.
	before   int
	newer    int64
	backToMs int64
	block    int
	ended    bool
	found    []FoundRound
}

// next returns the greatest number with which a round of this table can begin that has not been
// handed out.
func (l *lane) next() int64 {
	switch {
	case len(l.found) > 0:
		return l.found[0].Seq
	case l.ended:
		return 0
	}
	return min(l.newer, l.end) - 1
}

func (j *Journal) search(q Query) (*search, error) {
	if q.FromMs < 0 || q.ToMs < 0 || q.ToMs != 0 && q.ToMs <= q.FromMs {
		return nil, fmt.Errorf("%w: a period from %d to %d has no time in it", ErrQuery, q.FromMs, q.ToMs)
	}
	if q.AtLeast < 0 || q.AtMost < 0 || q.AtMost != 0 && q.AtMost < q.AtLeast {
		return nil, fmt.Errorf("%w: no amount is at least %s and at most %s", ErrQuery, q.AtLeast.Display(), q.AtMost.Display())
	}
	s := &search{Journal: j, q: q}
	book, clause, named := strings.Cut(strings.TrimSpace(q.Clause), " ")
	if s.clause = book; named {
		s.clause = strings.TrimSpace(clause)
	}
	if q.Player != "" {
		var err error
		if s.player, err = json.Marshal(q.Player); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrQuery, err)
		}
	}
	end := int64(math.MaxInt64)
	if q.Before != 0 {
		end = q.Before
	}
	for _, name := range j.House.Tables() {
		if q.Table != "" && name != q.Table {
			continue
		}
		if named {
			if state, err := j.House.Table(name); err != nil || state.Variant().Book.Ref() != book {
				continue
			}
		}
		s.lanes = append(s.lanes, &lane{name: name, end: end, newer: math.MaxInt64, block: 16})
	}
	return s, nil
}

// ahead returns the table with the latest possible round that has not been handed out, nil if
// there is none.
func (s *search) ahead() (first *lane) {
	for _, l := range s.lanes {
		if l.next() > 0 && (first == nil || l.next() > first.next()) {
			first = l
		}
	}
	return first
}

// on goes further back at a table.
func (s *search) on(ctx context.Context, l *lane) error {
	var marks []house.RoundMark // the latest first
	n, end := 0, l.newer
	err := s.Record.Rounds(ctx, streamOf(l.name), l.before, l.block, func(m house.RoundMark) error {
		n++
		l.before = m.Round
		if m.Seq >= l.end || s.q.ToMs != 0 && m.AtMs >= s.q.ToMs {
			end = m.Seq
			return nil
		}
		marks = append(marks, m)
		if m.AtMs < s.q.FromMs {
			return errEnough // those before it are over when it begins
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	l.ended = n < l.block || err != nil
	l.block = min(2*l.block, 512)
	if len(marks) == 0 {
		l.newer = end
		return nil
	}
	oldest := marks[len(marks)-1]
	l.newer, l.backToMs = oldest.Seq, oldest.AtMs
	return s.evaluate(ctx, l, marks, end)
}

// evaluate reads rounds up to a number and keeps those that fit.
func (s *search) evaluate(ctx context.Context, l *lane, marks []house.RoundMark, end int64) error {
	at, last := len(marks), int64(0) // the round and the transaction that are being read
	var found round
	over := func() error {
		if at == len(marks) || !found.fits(s) {
			return nil
		}
		if err := found.summarize(); err != nil {
			return err
		}
		l.found = append(l.found, found.FoundRound)
		return nil
	}
	err := s.Record.Read(ctx, streamOf(l.name), marks[len(marks)-1].Version, func(e house.StoredEvent) error {
		if e.Seq >= end {
			return errEnough
		}
		if e.Seq != last {
			s.read++
			last = e.Seq
		}
		if at > 0 && e.Seq >= marks[at-1].Seq {
			if err := over(); err != nil {
				return err
			}
			at--
			found = round{FoundRound: FoundRound{Table: l.name, Round: marks[at].Round, Seq: e.Seq, BeganMs: e.AtMs, Players: []string{}}}
		}
		return found.add(s, &e)
	})
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	if err := over(); err != nil {
		return err
	}
	slices.Reverse(l.found)
	return nil
}

// round is a round as far as it was read.
type round struct {
	FoundRound
	// tookPart reports that the player took part, fit that something fits.
	tookPart, fit bool
	// laid holds the events of its summary, which nobody decodes unless the round is found.
	laid []house.StoredEvent
}

func (r *round) fits(s *search) bool {
	if r.LastMs < s.q.FromMs {
		return false
	}
	if s.q.Player != "" && !r.tookPart {
		return false
	}
	return r.fit || !s.particular()
}

// particular reports whether something has to fit, and not only somebody.
func (s *search) particular() bool { return s.clause != "" || s.byAmount() }

func (s *search) byAmount() bool { return s.q.AtLeast != 0 || s.q.AtMost != 0 }

// kinds are the kinds of events that a round's summary is made of.
var kinds = map[string]bool{
	record.TableEvents.Name(table.BetPlaced{}): true, record.TableEvents.Name(table.HandRaised{}): true, record.TableEvents.Name(table.StakeFound{}): true,
}

// staked are the events that hold stakes and winnings.
var staked = map[string]bool{
	record.TableEvents.Name(table.BetPlaced{}): true, record.TableEvents.Name(table.HandRaised{}): true, record.TableEvents.Name(table.StakeFound{}): true,
	record.TableEvents.Name(table.Settled{}): true, record.TableEvents.Name(table.BoxSettled{}): true, record.TableEvents.Name(table.SettlementUndone{}): true, record.TableEvents.Name(table.RoundVoided{}): true, record.TableEvents.Name(table.HandInvalidated{}): true,
	record.TableEvents.Name(table.BetsReturned{}): true, record.TableEvents.Name(table.ForfeitsCollected{}): true, record.TableEvents.Name(table.Reported{}): true, record.TableEvents.Name(table.MinimumAdvised{}): true,
	record.TableEvents.Name(table.DecisionRestored{}): true, record.TableEvents.Name(table.PaymentCorrected{}): true,
}

// add takes in an event. Most are not even decoded.
func (r *round) add(s *search, e *house.StoredEvent) error {
	r.LastMs = max(r.LastMs, e.AtMs)
	switch stored.Name(e.Kind) {
	case record.TableEvents.Name(table.Settled{}):
		r.Ended = "settled"
	case record.TableEvents.Name(table.RoundVoided{}):
		r.Ended = "voided"
	case record.TableEvents.Name(table.TableClosed{}):
		if r.Ended == "" {
			r.Ended = "closed"
		}
	}
	if kinds[stored.Name(e.Kind)] {
		r.laid = append(r.laid, *e)
	}
	if !(s.clause != "" && bytes.Contains(e.Body, []byte(s.clause)) || s.byAmount() && staked[stored.Name(e.Kind)] ||
		s.player != nil && bytes.Contains(e.Body, s.player)) {
		return nil
	}
	all, err := matchesIn(e)
	if err != nil {
		return err
	}
	for _, m := range all {
		r.tookPart = r.tookPart || s.q.Player != "" && m.Player == s.q.Player
		if !s.fits(&m) {
			continue
		}
		if r.fit = true; len(r.Matches) == MaxMatches {
			r.More++
			continue
		}
		r.Matches = append(r.Matches, m)
	}
	return nil
}

// summarize fills in the players and the bets of a round that was found.
func (r *round) summarize() error {
	for i := range r.laid {
		all, err := matchesIn(&r.laid[i])
		if err != nil {
			return err
		}
		for _, m := range all {
			if m.Player != "" && !slices.Contains(r.Players, m.Player) {
				r.Players = append(r.Players, m.Player)
			}
			if m.Event == record.TableEvents.Name(table.StakeFound{}) {
				continue
			}
			if r.Laid, err = r.Laid.Add(m.Amount); err != nil {
				return house.Corrupt(err, "transaction %d", m.Seq)
			}
		}
	}
	return nil
}

// matchesIn returns the matches in a stored event.
func matchesIn(e *house.StoredEvent) ([]Match, error) {
	event, err := record.TableEvents.Read(e.Event)
	if err != nil {
		return nil, house.Corrupt(err, "transaction %d", e.Seq)
	}
	all := matchesOf(event)
	for i := range all {
		all[i].Seq, all[i].AtMs, all[i].Event = e.Seq, e.AtMs, e.Kind
	}
	return all, nil
}

// fits reports whether a round is found by this thing.
func (s *search) fits(m *Match) bool {
	if !s.particular() {
		return s.q.Player != "" && m.Player == s.q.Player
	}
	if s.clause != "" && !under(m.Clause, s.clause) {
		return false
	}
	if s.byAmount() && !s.within(m.Amount) && !s.within(m.Pays) {
		return false
	}
	return s.q.Player == "" || m.Player == "" || m.Player == s.q.Player
}

func (s *search) within(a money.Amount) bool {
	return a > 0 && a >= s.q.AtLeast && (s.q.AtMost == 0 || a <= s.q.AtMost)
}

// under reports whether a clause is another one or a part of it.
func under(clause, prefix string) bool {
	rest, ok := strings.CutPrefix(clause, prefix)
	if !ok || rest == "" {
		return ok
	}
	next := rune(rest[0])
	return !unicode.IsDigit(next) && !unicode.IsLetter(next)
}

// matchesOf returns what an event says of somebody, of money or by a clause: first whom
// and what it is about, then the money of its account. None of it is a card.
func matchesOf(e table.Event) []Match {
	all := subjects(e)
	does := table.EffectOf(e)
	if b := &does.Bet; b.Use != 0 {
		all = append(all, Match{Box: b.Box, Player: b.Player, Wager: b.Wager.String(), Amount: b.Amount, Clause: bare(b.Clause)})
	}
	lines := linesOf(does.Lines)
	if does.LineUse == table.LinesUndo || does.LineUse == table.LinesCorrect {
		for i := range lines { // The wanted sum is the one collected again.
			lines[i].Amount = does.Lines[i].Reverses
		}
	}
	return append(all, lines...)
}

// subjects returns the box, the person and the clause of an event that names one beside
// its money. An event that names none of them has no subject.
func subjects(e table.Event) []Match {
	one := func(box int, player, clause string) []Match {
		return []Match{{Box: box, Player: player, Clause: bare(clause)}}
	}
	switch e := e.(type) {
	case table.Announced:
		return one(0, e.Player, e.Clause)
	case table.TableClosed:
		return one(0, "", e.Clause)
	case table.MinimumAdvised:
		return []Match{{Box: e.Box, Player: e.Player, Wager: e.Wager.String(), Amount: e.Minimum, Clause: bare(e.Clause)}}
	case table.HandExamined:
		return one(e.Box, e.Player, "")
	case table.HandFolded:
		return one(e.Box, e.Player, e.Clause)
	case table.HandKeptDown:
		return one(e.Box, "", e.Clause)
	case table.HandShown:
		box := 0
		if e.Place.IsBox() {
			box = int(e.Place)
		}
		return one(box, "", e.Clause)
	case table.ForfeitsCollected:
		return one(0, "", e.Clause)
	case table.BoxSettled:
		return one(e.Box, "", "")
	case table.SettlementUndone:
		return one(e.Box, "", e.Clause)
	case table.Reported:
		m := Match{Box: e.Report.Box, Player: e.Report.Player, Amount: e.Report.Amount, Clause: bare(e.Clause)}
		if e.Report.Wager != 0 {
			m.Wager = e.Report.Wager.String()
		}
		return []Match{m}
	case table.CardsMoved:
		return one(0, "", e.Clause)
	case table.RoundVoided:
		return one(0, "", e.Clause)
	case table.HandInvalidated:
		return one(e.Box, "", e.Clause)
	case table.DecisionRestored:
		return one(e.Box, e.Player, e.Clause)
	case table.QuestionAsked:
		if f := e.Question.Found; f != (table.Found{}) {
			return one(f.Box, f.Player, e.Question.Clause)
		}
		return one(e.Question.Report.Box, e.Question.Report.Player, e.Question.Clause)
	case table.QuestionAnswered:
		return one(0, "", e.Clause)
	case table.OffersMade:
		var all []Match
		for i := range e.Offers {
			all = append(all, one(e.Offers[i].Box, e.Offers[i].Player, e.Offers[i].Clause)...)
		}
		return all
	case table.OfferAnswered:
		return one(e.Box, e.Player, e.Clause)
	case table.PlayerWarned:
		return one(0, e.Player, e.Clause)
	case table.PlayerRestricted:
		return one(0, e.Player, e.Clause)
	case table.AreasRestricted:
		return one(0, "", e.Clause)
	case table.ProgressiveFailed:
		return one(0, "", e.Clause)
	case table.ProgressiveSuspended:
		return one(0, "", e.Clause)
	default:
		return nil
	}
}

func linesOf(lines []table.Line) []Match {
	all := make([]Match, len(lines))
	for i := range lines {
		l := &lines[i]
		all[i] = Match{
			Box: l.Box, Player: l.Player, Wager: l.Wager.String(), Amount: l.Stake, Pays: l.Pays, Result: l.Result.String(), Clause: bare(l.Clause),
		}
	}
	return all
}

// Clauses returns the provisions that an event applies, without their book's name.
func Clauses(e table.Event) (all []string) {
	for _, m := range matchesOf(e) {
		if m.Clause != "" && !slices.Contains(all, m.Clause) {
			all = append(all, m.Clause)
		}
	}
	return all
}

// bare returns a clause without its book's name.
func bare(ref string) string {
	if i := strings.LastIndexByte(ref, ' '); i >= 0 {
		return ref[i+1:]
	}
	return ref
}
