package rules

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"trey/card"
	"trey/internal/enum"
	"trey/internal/strict"
	"trey/money"
)

// A declaration is a book as bytes: everything in it that decides, and nothing that
// people only read. It has one form, so that it is known by the hash of its bytes.
// The types of this file are that form, apart from the types that the engine plays
// by: a name or an order that changes there changes no byte here. docs/declaration.md
// describes it.

// declarationForm is the form in which this program writes and reads declarations.
const declarationForm = "trey book 1"

// declaredBook is the form of a declaration. A key is left out where its value is
// empty; a key that is added later must mean, left out, what declarations without it
// mean today.
type declaredBook struct {
	Form     string `json:"form"`
	Book     string `json:"book"`
	Edition  string `json:"edition,omitempty"`
	Revision int    `json:"revision"`

	Ranking   string             `json:"ranking"`
	Boxes     declaredBoxes      `json:"boxes"`
	Wagers    []declaredWager    `json:"wagers"`
	Chips     []money.Amount     `json:"chips,omitempty"`
	Examine   declaredExamine    `json:"examine"`
	Decision  *declaredDecision  `json:"decision,omitempty"`
	Qualify   *declaredQualify   `json:"qualify,omitempty"`
	Devices   []declaredDevice   `json:"devices"`
	Order     declaredOrder      `json:"order"`
	Envy      declaredEnvy       `json:"envy,omitzero"`
	Bets      declaredBets       `json:"bets"`
	Offers    declaredOffers     `json:"offers,omitzero"`
	Announce  declaredAnnounce   `json:"announcements,omitzero"`
	Incidents []declaredIncident `json:"incidents"`
	Rulings   []declaredRuling   `json:"rulings"`
}

type declaredBoxes struct {
	Default   int                `json:"default"`
	Max       int                `json:"max"`
	Min       int                `json:"min,omitempty"`
	PerArea   int                `json:"per_area"`
	Adjacent  bool               `json:"adjacent,omitempty"`
	Standing  bool               `json:"standing,omitempty"`
	OnRequest bool               `json:"on_request,omitempty"`
	Clauses   declaredBoxClauses `json:"clauses"`
}

type declaredBoxClauses struct {
	Count          string `json:"count,omitempty"`
	PerArea        string `json:"per_area,omitempty"`
	Others         string `json:"other_boxes,omitempty"`
	Taken          string `json:"taken,omitempty"`
	Standing       string `json:"standing,omitempty"`
	Unattended     string `json:"unattended,omitempty"`
	Participate    string `json:"participate,omitempty"`
	RestrictPlayer string `json:"restrict_player,omitempty"`
	RestrictAreas  string `json:"restrict_areas,omitempty"`
	OnBehalf       string `json:"on_behalf,omitempty"`
	Announced      string `json:"announced,omitempty"`
}

type declaredWager struct {
	Wager           string           `json:"wager"`
	Contest         string           `json:"contest"`
	Stake           string           `json:"stake"`
	Basis           string           `json:"basis,omitempty"`
	Needs           declaredNeed     `json:"needs,omitzero"`
	PaidUnqualified bool             `json:"paid_unqualified,omitempty"`
	FoldRuling      string           `json:"fold_ruling,omitempty"`
	StakeRuling     string           `json:"stake_ruling,omitempty"`
	EvenUnqualified bool             `json:"even_unqualified,omitempty"`
	EvenBeside      string           `json:"even_beside,omitempty"`
	EvenRuling      string           `json:"even_ruling,omitempty"`
	Envy            bool             `json:"envy,omitempty"`
	Pays            []statedTable    `json:"pays"`
	Limit           statedLimit      `json:"limit,omitzero"`
	Clauses         declaredOutcomes `json:"clauses,omitzero"`
}

type declaredNeed struct {
	Wager    string `json:"wager"`
	Or       string `json:"or,omitempty"`
	OrRuling string `json:"or_ruling,omitempty"`
	Scope    string `json:"scope"`
	Clause   string `json:"clause,omitempty"`
}

type declaredOutcomes struct {
	Place   string `json:"place,omitempty"`
	Size    string `json:"size,omitempty"`
	Fold    string `json:"fold,omitempty"`
	Unqual  string `json:"unqualified,omitempty"`
	Win     string `json:"win,omitempty"`
	Lose    string `json:"lose,omitempty"`
	Push    string `json:"push,omitempty"`
	EnvyWin string `json:"envy,omitempty"`
	// Unclaimed is for a hand that its player did not claim.
	Unclaimed string `json:"unclaimed,omitempty"`
}

// statedTable, statedRow and statedLimit are the same in declarations and terms.
type statedTable struct {
	Name string      `json:"name,omitempty"`
	Rows []statedRow `json:"rows"`
}

// statedRow pays odds, a fixed sum or part of the meter: the one that it has.
type statedRow struct {
	Combo        string       `json:"combo"`
	To           *int64       `json:"to,omitempty"`
	For          int64        `json:"for,omitempty"`
	Fixed        money.Amount `json:"fixed,omitempty"`
	MeterPercent int          `json:"meter_percent,omitempty"`
	Envy         money.Amount `json:"envy,omitempty"`
	Clause       string       `json:"clause,omitempty"`
}

type statedLimit struct {
	Min money.Amount `json:"min"`
	Max money.Amount `json:"max"`
}

type declaredExamine struct {
	OnePerPlayer bool                   `json:"one_per_player,omitempty"`
	OneRuling    string                 `json:"one_ruling,omitempty"`
	Needs        string                 `json:"needs,omitempty"`
	AfterDeal    bool                   `json:"after_deal,omitempty"`
	ReturnFaceUp bool                   `json:"return_face_up,omitempty"`
	Clauses      declaredExamineClauses `json:"clauses"`
}

type declaredExamineClauses struct {
	May        string `json:"may,omitempty"`
	One        string `json:"one,omitempty"`
	Needs      string `json:"needs,omitempty"`
	First      string `json:"first,omitempty"`
	Seated     string `json:"seated,omitempty"`
	Return     string `json:"return,omitempty"`
	Opened     string `json:"opened,omitempty"`
	Compared   string `json:"compared,omitempty"`
	Showing    string `json:"showing,omitempty"`
	Unrevealed string `json:"unrevealed,omitempty"`
	Claim      string `json:"claim,omitempty"`
}

type declaredDecision struct {
	On        string `json:"on"`
	Raise     string `json:"raise"`
	Play      string `json:"play"`
	Fold      string `json:"fold"`
	Undecided string `json:"undecided,omitempty"`
}

// declaredQualify names the least hand by three cards of it.
type declaredQualify struct {
	Least  string `json:"least"`
	Clause string `json:"clause,omitempty"`
}

type declaredDevice struct {
	Device     string `json:"device"`
	Burn       bool   `json:"burn,omitempty"`
	BurnRuling string `json:"burn_ruling,omitempty"`
	Packets    bool   `json:"packets,omitempty"`
	Clause     string `json:"clause,omitempty"`
	BurnClause string `json:"burn_clause,omitempty"`
	StubClause string `json:"stub_clause,omitempty"`
}

type declaredOrder struct {
	FromRight   bool     `json:"from_right,omitempty"`
	Lines       []string `json:"wagers"`
	FoldedFirst string   `json:"folded_first,omitempty"`
	OneByOne    string   `json:"one_by_one,omitempty"`
	Clause      string   `json:"clause,omitempty"`
}

type declaredEnvy struct {
	Needs      string `json:"needs,omitempty"`
	WhenFolded string `json:"when_folded_ruling,omitempty"`
	PerRuling  string `json:"per_ruling,omitempty"`
	OwnRuling  string `json:"own_boxes_ruling,omitempty"`
	FromFolded string `json:"from_folded_ruling,omitempty"`
	TwoBets    string `json:"two_bets_ruling,omitempty"`
	Clause     string `json:"clause,omitempty"`
}

type declaredBets struct {
	OverBefore   string            `json:"over_before,omitempty"`
	OverAfter    string            `json:"over_after,omitempty"`
	UnderBefore  string            `json:"under_before,omitempty"`
	UnderAfter   string            `json:"under_after,omitempty"`
	UnderOnce    string            `json:"under_once,omitempty"`
	RaiseOver    string            `json:"play_over,omitempty"`
	RaiseUnder   string            `json:"play_under,omitempty"`
	LatePlace    string            `json:"late_bet,omitempty"`
	LateWithdraw string            `json:"late_withdrawal,omitempty"`
	Chips        string            `json:"chips,omitempty"`
	Position     string            `json:"position,omitempty"`
	Closed       string            `json:"closed,omitempty"`
	Open         string            `json:"open,omitempty"`
	Limits       string            `json:"limits,omitempty"`
	VoidReturns  string            `json:"void,omitempty"`
	Earlier      string            `json:"earlier_round,omitempty"`
	EarlierStake string            `json:"earlier_stake,omitempty"`
	EarlierAsk   *declaredQuestion `json:"earlier_question,omitempty"`
	NeedlessRide string            `json:"needless,omitempty"`
	Settle       string            `json:"settle,omitempty"`
	Interrupted  string            `json:"interrupted,omitempty"`
	DownClose    string            `json:"down_close,omitempty"`
	DownBoxes    string            `json:"down_boxes,omitempty"`
	DownWithout  string            `json:"down_without,omitempty"`
}

type declaredOffers struct {
	Continue     string            `json:"continue,omitempty"`
	Restored     string            `json:"restored,omitempty"`
	Return       string            `json:"return,omitempty"`
	Withdraw     string            `json:"withdraw,omitempty"`
	Dissatisfied string            `json:"dissatisfied,omitempty"`
	Question     *declaredQuestion `json:"question,omitempty"`
}

type declaredAnnounce struct {
	NoPairPlus    string `json:"no_pair_plus,omitempty"`
	OneHand       string `json:"one_hand,omitempty"`
	DealerHand    string `json:"dealer_hand,omitempty"`
	DealerSorted  string `json:"dealer_sorted,omitempty"`
	Results       string `json:"results,omitempty"`
	Notice        string `json:"notice,omitempty"`
	Pending       string `json:"pending,omitempty"`
	BankWins      string `json:"bank_wins,omitempty"`
	BonusPaid     string `json:"bonus_paid,omitempty"`
	WinningHand   string `json:"winning_hand,omitempty"`
	DealerGrouped string `json:"dealer_grouped,omitempty"`
}

type declaredIncident struct {
	Incident string         `json:"incident"`
	Cases    []declaredCase `json:"cases"`
	Earlier  string         `json:"earlier_round,omitempty"`
}

type declaredCase struct {
	When     []string          `json:"when,omitempty"`
	Ruling   string            `json:"ruling,omitempty"`
	Value    string            `json:"value,omitempty"`
	Then     string            `json:"then"`
	AtOnce   bool              `json:"at_once,omitempty"`
	Clause   string            `json:"clause,omitempty"`
	Question *declaredQuestion `json:"question,omitempty"`
}

type declaredQuestion struct {
	Key     string           `json:"question"`
	Role    string           `json:"role"`
	Clause  string           `json:"clause,omitempty"`
	Answers []declaredAnswer `json:"answers,omitempty"`
}

type declaredAnswer struct {
	Key    string `json:"answer"`
	Then   string `json:"then"`
	Clause string `json:"clause,omitempty"`
}

type declaredRuling struct {
	Ruling string `json:"ruling"`
	// Values are those permitted, the default first.
	Values []string `json:"values"`
	// Since is the revision that added the ruling, where the first did not have it,
	// and Older the value by which rounds of earlier revisions were played.
	Since int    `json:"since,omitempty"`
	Older string `json:"older,omitempty"`
}

// The keys of lists that nothing but a declaration writes.
var (
	rankingKeys = enum.New("a ranking", numRankings, []string{PokerOrder: "poker", PictureOrder: "pictures", HighestCardOrder: "poker-highest-card"})
	contestKeys = enum.New("a contest", numContests, []string{AgainstDealer: "against-dealer", OnHand: "hand", EqualPoints: "equal-points", Riding: "riding"})
	stakeKeys   = enum.New("a rule of stakes", numStakeRules, []string{WithinLimits: "within-limits", EqualToBasis: "equal-to-basis", Prescribed: "prescribed", NoStake: "none"})
	scopeKeys   = enum.New("a scope", numScopes, []string{SamePlayer: "player", SameBox: "box"})
)

// declarations remembers the bytes of books: a book does not change, and thousands of
// tables play by a few.
var declarations sync.Map // *Book → *declaration

type declaration struct {
	text []byte
	hash string
}

func (b *Book) declaration() *declaration {
	if known, ok := declarations.Load(b); ok {
		return known.(*declaration)
	}
	text := canonical(declare(b))
	d, _ := declarations.LoadOrStore(b, &declaration{text, HashOf(text)})
	return d.(*declaration)
}

// Declaration returns the book as bytes, without what people only read.
func (b *Book) Declaration() []byte { return bytes.Clone(b.declaration().text) }

// Hash returns the hash of the book's declaration, 64 hexadecimal digits.
func (b *Book) Hash() string { return b.declaration().hash }

// HashOf returns the hash by which a declaration or terms are named: the SHA-256 of
// their bytes in hexadecimal digits.
func HashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// ShortHash returns the first 16 digits of a hash, for people to compare.
func ShortHash(hash string) string { return hash[:min(16, len(hash))] }

// canonical writes a stored type as JSON in one line without spaces.
func canonical(stored any) []byte {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(stored); err != nil {
		// Only plain values are in a stored type.
		panic("rules: a declaration cannot be written as JSON: " + err.Error())
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n"))
}

// keyOf returns the key of a value; nothing for the zero value.
func keyOf[T ~uint8](v T, keys *enum.Keys[T]) string {
	if v == 0 {
		return ""
	}
	return keys.Key(v)
}

func keysOf[T ~uint8](values []T, keys *enum.Keys[T]) []string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = keyOf(v, keys)
	}
	return all
}

func declare(b *Book) *declaredBook {
	wager := func(w Wager) string { return keyOf(w, wagerKeys) }
	ruling := func(r Ruling) string { return keyOf(r, rulingKeys) }
	d := &declaredBook{
		Form: declarationForm, Book: b.ID, Edition: b.Edition, Revision: b.Revision,
		Ranking: keyOf(b.Ranking, rankingKeys),
		Boxes: declaredBoxes{
			b.Boxes.Default, b.Boxes.Max, b.Boxes.Min, b.Boxes.PerArea, b.Boxes.Adjacent, b.Boxes.Standing, b.Boxes.OnRequest,
			declaredBoxClauses(b.Boxes.Clauses),
		},
		Wagers: []declaredWager{}, Chips: b.Chips,
		Examine: declaredExamine{
			b.Examine.OnePerPlayer, ruling(b.Examine.OneRuling), wager(b.Examine.Needs), b.Examine.AfterDeal, b.Examine.ReturnFaceUp,
			declaredExamineClauses(b.Examine.Clauses),
		},
		Devices: []declaredDevice{},
		Order: declaredOrder{
			b.Order.FromRight, keysOf(b.Order.Lines, wagerKeys), b.Order.FoldedFirst, b.Order.OneByOne, b.Order.Clause,
		},
		Envy: declaredEnvy{
			wager(b.Envy.Needs), ruling(b.Envy.WhenFolded), ruling(b.Envy.PerRuling), ruling(b.Envy.OwnRuling),
			ruling(b.Envy.FromFolded), ruling(b.Envy.TwoBets), b.Envy.Clause,
		},
		Bets: declaredBets{
			b.Bets.OverBefore, b.Bets.OverAfter, b.Bets.UnderBefore, b.Bets.UnderAfter, b.Bets.UnderOnce,
			b.Bets.RaiseOver, b.Bets.RaiseUnder, b.Bets.LatePlace, b.Bets.LateWithdraw, b.Bets.Chips, b.Bets.Position,
			b.Bets.Closed, b.Bets.Open, b.Bets.Limits, b.Bets.VoidReturns, b.Bets.Earlier, b.Bets.EarlierStake,
			declareQuestion(b.Bets.EarlierAsk), b.Bets.NeedlessRide, b.Bets.Settle, b.Bets.Interrupted,
			b.Bets.DownClose, b.Bets.DownBoxes, b.Bets.DownWithout,
		},
		Offers: declaredOffers{
			b.Offer.Continue, b.Offer.Restored, b.Offer.Return, b.Offer.Withdraw, b.Offer.Dissatisfied,
			declareQuestion(b.Offer.Question),
		},
		Announce:  declaredAnnounce(b.Announce),
		Incidents: []declaredIncident{}, Rulings: []declaredRuling{},
	}
	for i := range b.Wagers {
		w := &b.Wagers[i]
		out := declaredWager{
			wager(w.Wager), keyOf(w.Contest, contestKeys), keyOf(w.Stake, stakeKeys), wager(w.Basis),
			declaredNeed{wager(w.Needs.Wager), wager(w.Needs.Or), ruling(w.Needs.OrRuling), keyOf(w.Needs.Scope, scopeKeys), w.Needs.Clause},
			w.PaidUnqualified, ruling(w.FoldRuling), ruling(w.StakeRuling),
			w.EvenUnqualified, wager(w.EvenBeside), ruling(w.EvenRuling), w.Envy,
			[]statedTable{},
			statedLimit(w.Limit), declaredOutcomes(w.Clauses),
		}
		for k := range w.Pays {
			out.Pays = append(out.Pays, stateTable(&w.Pays[k]))
		}
		d.Wagers = append(d.Wagers, out)
	}
	if q := b.Decision; q != nil {
		d.Decision = &declaredDecision{wager(q.On), wager(q.Raise), q.Play, q.Fold, q.Undecided}
	}
	if q := b.Qualify; q != nil {
		d.Qualify = &declaredQualify{q.Least.String(), q.Clause}
	}
	for _, r := range b.Devices {
		d.Devices = append(d.Devices, declaredDevice{keyOf(r.Device, deviceKeys), r.Burn, ruling(r.BurnRuling), r.Packets, r.Clause, r.BurnClause, r.StubClause})
	}
	for _, r := range b.Incidents {
		out := declaredIncident{keyOf(r.Incident, incidentKeys), []declaredCase{}, r.Earlier}
		for _, c := range r.Cases {
			out.Cases = append(out.Cases, declaredCase{
				keysOf(c.When, conditionKeys), ruling(c.Ruling), keyOf(c.Choice, choiceKeys), keyOf(c.Then, outcomeKeys),
				c.AtOnce, c.Clause, declareQuestion(c.Question),
			})
		}
		d.Incidents = append(d.Incidents, out)
	}
	for _, r := range b.OpenRulings() {
		d.Rulings = append(d.Rulings, declaredRuling{ruling(r.Ruling), keysOf(r.Values, choiceKeys), r.Since, keyOf(r.Older, choiceKeys)})
	}
	slices.SortFunc(d.Rulings, func(a, b declaredRuling) int { return cmp.Compare(a.Ruling, b.Ruling) })
	return d
}

func declareQuestion(q *Question) *declaredQuestion {
	if q == nil {
		return nil
	}
	out := &declaredQuestion{q.Key, keyOf(q.Role, roleKeys), q.Clause, nil}
	for _, a := range q.Answers {
		out.Answers = append(out.Answers, declaredAnswer{a.Key, keyOf(a.Then, outcomeKeys), a.Clause})
	}
	return out
}

func stateTable(t *PayTable) statedTable {
	out := statedTable{Name: t.Name, Rows: make([]statedRow, len(t.Rows))}
	for i := range t.Rows {
		row := &t.Rows[i]
		out.Rows[i] = statedRow{
			Combo: keyOf(row.Combo, comboKeys), For: row.Pay.Odds.For, Fixed: row.Pay.Fixed,
			MeterPercent: row.Pay.MeterPercent, Envy: row.Envy, Clause: row.Clause,
		}
		if row.Pay.Odds != (money.Odds{}) {
			to := row.Pay.Odds.To
			out.Rows[i].To = &to
		}
	}
	return out
}

// ErrUnreadable is wrapped where a declaration or terms cannot be read by this
// program.
var ErrUnreadable = errors.New("a later version of Trey may read it")

// ReadBook reads what [Book.Declaration] writes and returns a book to play by. What
// people only read comes from the program's own book of that reference, which find
// returns, so far as the keys agree; find may know no such book. Where the
// declaration is the own book's, the own book is returned.
//
// A key that this program does not know is an error that names it and wraps
// [ErrUnreadable].
func ReadBook(text []byte, find func(ref string) (*Book, error)) (*Book, error) {
	var form struct{ Form, Book, Edition string }
	if err := json.Unmarshal(text, &form); err != nil {
		return nil, fmt.Errorf("the declaration of a book is no JSON: %w", err)
	}
	if form.Form != declarationForm {
		return nil, fmt.Errorf("the declaration of a book has the form %q, and this program reads %q: %w", form.Form, declarationForm, ErrUnreadable)
	}
	named := (&Book{ID: form.Book, Edition: form.Edition}).Ref()
	declared, err := find(named)
	if err != nil || declared.Ref() != named {
		declared = nil
	}
	if declared != nil && bytes.Equal(declared.declaration().text, text) {
		return declared, nil
	}
	var d declaredBook
	if err := strict.Read(text, &d); err != nil {
		return nil, fmt.Errorf("the declaration of %s: %w: %w", named, err, ErrUnreadable)
	}
	b, err := d.book(declared)
	if err != nil {
		return nil, fmt.Errorf("the declaration of %s, revision %d: %w", named, d.Revision, err)
	}
	if err := b.check(); err != nil {
		return nil, fmt.Errorf("the declaration of %s, revision %d: %w", named, d.Revision, err)
	}
	if !bytes.Equal(canonical(declare(b)), text) {
		return nil, fmt.Errorf("the declaration of %s, revision %d, is not written in the one form that there is: %w", named, d.Revision, ErrUnreadable)
	}
	return b, nil
}

// keyReader reads keys and remembers the first that it does not know.
type keyReader struct{ err error }

func (r *keyReader) unknown(what, key string) {
	if r.err == nil {
		r.err = fmt.Errorf("this program knows no %s %q: %w", what, key, ErrUnreadable)
	}
}

// keyed reads a key; the empty one is the zero value.
func keyed[T ~uint8](r *keyReader, what, key string, keys *enum.Keys[T]) T {
	if key == "" {
		return 0
	}
	v, err := keys.Parse(key)
	if err != nil {
		r.unknown(what, key)
	}
	return v
}

func allKeyed[T ~uint8](r *keyReader, what string, of []string, keys *enum.Keys[T]) []T {
	var all []T
	for _, key := range of {
		if key == "" {
			r.unknown(what, key)
		}
		all = append(all, keyed(r, what, key, keys))
	}
	return all
}

// book returns the book that is declared; own is the program's, nil for none.
func (d *declaredBook) book(declared *Book) (*Book, error) {
	var r keyReader
	wager := func(key string) Wager { return keyed(&r, "wager", key, wagerKeys) }
	ruling := func(key string) Ruling { return keyed(&r, "ruling", key, rulingKeys) }
	outcome := func(key string) Outcome { return keyed(&r, "outcome", key, outcomeKeys) }
	question := func(q *declaredQuestion) *Question {
		if q == nil {
			return nil
		}
		out := &Question{Key: q.Key, Ask: q.Key, Role: keyed(&r, "role", q.Role, roleKeys), Clause: q.Clause}
		if declared != nil {
			if same := declared.Question(q.Key); same != nil {
				out.Ask = same.Ask
			}
		}
		for _, a := range q.Answers {
			out.Answers = append(out.Answers, Answer{a.Key, outcome(a.Then), a.Clause})
		}
		return out
	}
	b := &Book{
		ID: d.Book, Edition: d.Edition, Revision: d.Revision, Title: d.Book,
		Ranking: keyed(&r, "ranking", d.Ranking, rankingKeys),
		Boxes: BoxRule{
			d.Boxes.Default, d.Boxes.Max, d.Boxes.Min, d.Boxes.PerArea, d.Boxes.Adjacent, d.Boxes.Standing, d.Boxes.OnRequest,
			BoxClauses(d.Boxes.Clauses),
		},
		Chips: d.Chips,
		Examine: ExamineRule{
			d.Examine.OnePerPlayer, ruling(d.Examine.OneRuling), wager(d.Examine.Needs), d.Examine.AfterDeal, d.Examine.ReturnFaceUp,
			ExamineClauses(d.Examine.Clauses),
		},
		Order: OrderRule{
			d.Order.FromRight, allKeyed(&r, "wager", d.Order.Lines, wagerKeys), d.Order.FoldedFirst, d.Order.OneByOne, d.Order.Clause,
		},
		Envy: EnvyRule{
			wager(d.Envy.Needs), ruling(d.Envy.WhenFolded), ruling(d.Envy.PerRuling), ruling(d.Envy.OwnRuling),
			ruling(d.Envy.FromFolded), ruling(d.Envy.TwoBets), d.Envy.Clause,
		},
		Bets: BetRule{
			d.Bets.OverBefore, d.Bets.OverAfter, d.Bets.UnderBefore, d.Bets.UnderAfter, d.Bets.UnderOnce,
			d.Bets.RaiseOver, d.Bets.RaiseUnder, d.Bets.LatePlace, d.Bets.LateWithdraw, d.Bets.Chips, d.Bets.Position,
			d.Bets.Closed, d.Bets.Open, d.Bets.Limits, d.Bets.VoidReturns, d.Bets.Earlier, d.Bets.EarlierStake,
			question(d.Bets.EarlierAsk), d.Bets.NeedlessRide, d.Bets.Settle, d.Bets.Interrupted,
			d.Bets.DownClose, d.Bets.DownBoxes, d.Bets.DownWithout,
		},
		Offer: OfferRule{
			d.Offers.Continue, d.Offers.Restored, d.Offers.Return, d.Offers.Withdraw, d.Offers.Dissatisfied, question(d.Offers.Question),
		},
		Announce: AnnounceRule(d.Announce),
		Rulings:  []OpenRuling{},
	}
	for i := range d.Wagers {
		w := &d.Wagers[i]
		rule := WagerRule{
			wager(w.Wager), keyed(&r, "contest", w.Contest, contestKeys), keyed(&r, "stake", w.Stake, stakeKeys), wager(w.Basis),
			Need{wager(w.Needs.Wager), wager(w.Needs.Or), ruling(w.Needs.OrRuling), keyed(&r, "scope", w.Needs.Scope, scopeKeys), w.Needs.Clause},
			w.PaidUnqualified, ruling(w.FoldRuling), ruling(w.StakeRuling),
			w.EvenUnqualified, wager(w.EvenBeside), ruling(w.EvenRuling), w.Envy, nil, Limit(w.Limit), Outcomes(w.Clauses),
		}
		for k := range w.Pays {
			rule.Pays = append(rule.Pays, w.Pays[k].table(&r))
		}
		b.Wagers = append(b.Wagers, rule)
	}
	if q := d.Decision; q != nil {
		b.Decision = &DecisionRule{wager(q.On), wager(q.Raise), q.Play, q.Fold, q.Undecided}
	}
	if q := d.Qualify; q != nil {
		least, err := card.ParseHand(q.Least)
		if err != nil {
			return nil, fmt.Errorf("the least hand with which the dealer qualifies: %w", err)
		}
		b.Qualify = &Qualification{Least: least, Words: least.String(), Clause: q.Clause}
		if declared != nil && declared.Qualify != nil && declared.Qualify.Least == least {
			b.Qualify.Words = declared.Qualify.Words
		}
	}
	for _, v := range d.Devices {
		b.Devices = append(b.Devices, DeviceRule{keyed(&r, "device", v.Device, deviceKeys), v.Burn, ruling(v.BurnRuling), v.Packets, v.Clause, v.BurnClause, v.StubClause})
	}
	for _, v := range d.Incidents {
		rule := IncidentRule{Incident: keyed(&r, "incident", v.Incident, incidentKeys), Earlier: v.Earlier}
		for _, c := range v.Cases {
			rule.Cases = append(rule.Cases, Case{
				When: allKeyed(&r, "condition", c.When, conditionKeys), Then: outcome(c.Then), Clause: c.Clause,
				Question: question(c.Question), Ruling: ruling(c.Ruling), Choice: keyed(&r, "value of a ruling", c.Value, choiceKeys), AtOnce: c.AtOnce,
			})
		}
		b.Incidents = append(b.Incidents, rule)
	}
	for _, v := range d.Rulings {
		b.Rulings = append(b.Rulings, OpenRuling{
			Ruling: ruling(v.Ruling), Values: allKeyed(&r, "value of a ruling", v.Values, choiceKeys),
			Since: v.Since, Older: keyed(&r, "value of a ruling", v.Older, choiceKeys),
		})
	}
	slices.SortFunc(b.Rulings, func(a, b OpenRuling) int { return cmp.Compare(a.Ruling, b.Ruling) })
	if declared != nil {
		b.Title, b.House, b.Language = declared.Title, declared.House, declared.Language
		b.Clauses, b.Readings = declared.Clauses, declared.Readings
		for i := range b.Rulings {
			if open := declared.OpenRuling(b.Rulings[i].Ruling); open != nil {
				b.Rulings[i].Clauses = open.Clauses
			}
		}
		b.later = declared.addedSince(b)
	}
	return b, r.err
}

func (t *statedTable) table(r *keyReader) PayTable {
	out := PayTable{Name: t.Name, Rows: make([]PayRow, len(t.Rows))}
	for i, row := range t.Rows {
		out.Rows[i] = PayRow{
			Combo: keyed(r, "combo", row.Combo, comboKeys),
			Pay:   Pay{Fixed: row.Fixed, MeterPercent: row.MeterPercent},
			Envy:  row.Envy, Clause: row.Clause,
		}
		if row.To != nil {
			out.Rows[i].Pay.Odds = money.Odds{To: *row.To, For: row.For}
		}
	}
	return out
}

// check refuses a declaration that no table could be played by. The books of this
// program are held to more by their own tests.
func (b *Book) check() error {
	no := func(format string, args ...any) error { return fmt.Errorf(format, args...) }
	if b.ID == "" || b.Revision < 1 || b.Ranking == 0 {
		return no("it needs a book, a revision and a ranking")
	}
	if b.Boxes.Max > MaxBoxes || b.Boxes.Min < 0 || b.Boxes.Default < max(b.Boxes.Min, 1) || b.Boxes.Default > b.Boxes.Max || b.Boxes.PerArea < 1 {
		return no("%d boxes of at most %d, with %d wagers on an area, cannot be played", b.Boxes.Default, b.Boxes.Max, b.Boxes.PerArea)
	}
	known := func(w Wager) bool { return w == 0 || w == Envy || b.Rule(w) != nil }
	for i := range b.Wagers {
		w := &b.Wagers[i]
		based := w.Stake == EqualToBasis || w.Stake == NoStake
		switch {
		case w.Wager == 0 || w.Wager == Envy || b.Rule(w.Wager) != w:
			return no("wager %d is none, or stands twice", i+1)
		case w.Contest == 0 || w.Stake == 0 || len(w.Pays) == 0 || (w.Contest == Riding) != (w.Stake == NoStake):
			return no("%s needs a contest, a stake and a pay table", w.Wager)
		case based != (w.Basis != 0) || !known(w.Basis) || !known(w.Needs.Wager) || !known(w.Needs.Or) || !known(w.EvenBeside) || (w.EvenBeside != 0) != (w.EvenRuling != 0) || (w.Needs.Wager != 0) != (w.Needs.Scope != 0):
			return no("%s rests on a wager that is not there", w.Wager)
		case w.Stake == Prescribed && w.Wager != Progressive:
			return no("%s has a prescribed stake, and only the progressive has one", w.Wager)
		}
		for k := range w.Pays {
			for n := range w.Pays[k].Rows {
				row := &w.Pays[k].Rows[n]
				if row.Combo == 0 {
					return no("%s pays for no hand in row %d", w.Wager, n+1)
				}
				if err := row.check(); err != nil {
					return no("%s pays for %s: %w", w.Wager, row.Combo, err)
				}
			}
		}
	}
	if len(b.Wagers) == 0 || !known(b.Examine.Needs) || !known(b.Envy.Needs) {
		return no("it needs wagers, and only names those that it has")
	}
	if q := b.Decision; q != nil && (b.Rule(q.On) == nil || b.Rule(q.Raise) == nil) {
		return no("the decision needs the wagers that bring it and that go on")
	}
	seen := map[Wager]bool{}
	for _, w := range b.Order.Lines {
		if !known(w) || seen[w] {
			return no("the order of payment names a wager twice, or one that is not there")
		}
		seen[w] = true
	}
	for i := range b.Wagers {
		if !seen[b.Wagers[i].Wager] {
			return no("%s is never paid", b.Wagers[i].Wager)
		}
		if b.Wagers[i].Envy && !seen[Envy] {
			return no("the Envy Bonus is never paid")
		}
	}
	for i, d := range b.Devices {
		if first, _ := b.Device(d.Device); d.Device == 0 || first != &b.Devices[i] {
			return no("a dealing device is none, or stands twice")
		}
	}
	if len(b.Devices) == 0 {
		return no("it needs a dealing device")
	}
	for i, chip := range b.Chips {
		if chip <= 0 || i > 0 && chip <= b.Chips[i-1] {
			return no("its chips are not ascending")
		}
	}
	if err := b.checkRulings(); err != nil {
		return err
	}
	return b.checkIncidents()
}

func (b *Book) checkRulings() error {
	seen := map[Ruling]bool{}
	for _, r := range b.OpenRulings() {
		if r.Ruling == 0 || seen[r.Ruling] || len(r.Values) == 0 {
			return fmt.Errorf("a ruling is none, stands twice or has no values")
		}
		seen[r.Ruling] = true
		for i, c := range r.Values {
			if !slices.Contains(r.Ruling.Rule().Choices, c) {
				return fmt.Errorf("this program gives no sense to the value %s of the ruling %s: %w", c, r.Ruling, ErrUnreadable)
			}
			if slices.Contains(r.Values[:i], c) {
				return fmt.Errorf("the ruling %s has the value %s twice", r.Ruling, c)
			}
		}
		if r.Since < 0 || r.Since == 1 || r.Since > b.Revision || (r.Since > 0) != (r.Older != 0) || r.Older != 0 && !slices.Contains(r.Values, r.Older) {
			return fmt.Errorf("the ruling %s says neither plainly since when it is, nor what rounds before it were played by", r.Ruling)
		}
	}
	return nil
}

func (b *Book) checkIncidents() error {
	complete := func(q *Question) error {
		if q == nil {
			return nil
		}
		if q.Key == "" || q.Role == 0 || len(q.Answers) == 0 {
			return fmt.Errorf("a question needs a key, a role and answers")
		}
		for _, a := range q.Answers {
			if a.Key == "" || a.Then == 0 || a.Then == Ask {
				return fmt.Errorf("an answer of the question %s needs a key and an outcome", q.Key)
			}
		}
		return nil
	}
	if err := errors.Join(complete(b.Bets.EarlierAsk), complete(b.Offer.Question)); err != nil {
		return err
	}
	seen := map[Incident]bool{}
	for i := range b.Incidents {
		rule := &b.Incidents[i]
		if rule.Incident == 0 || seen[rule.Incident] {
			return fmt.Errorf("an incident is none, or stands twice")
		}
		seen[rule.Incident] = true
		if n := len(rule.Cases); n == 0 || len(rule.Cases[n-1].When) > 0 || rule.Cases[n-1].Ruling != 0 {
			return fmt.Errorf("%s: the last case has to catch what is left", rule.Incident)
		}
		for k := range rule.Cases {
			c := &rule.Cases[k]
			if c.Then == 0 || (c.Then == Ask) != (c.Question != nil) || (c.Ruling != 0) != (c.Choice != 0) {
				return fmt.Errorf("%s: case %d is not complete", rule.Incident, k+1)
			}
			if err := complete(c.Question); err != nil {
				return fmt.Errorf("%s: %w", rule.Incident, err)
			}
		}
	}
	if !seen[Uncovered] {
		return fmt.Errorf("nothing is provided for what the text does not cover")
	}
	return nil
}
