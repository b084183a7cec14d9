package web_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"trey/card"
	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/posting"
	"trey/internal/house/proof"
	"trey/internal/house/sealing"
	"trey/internal/ledger"
	"trey/internal/record"
	"trey/internal/shuffle"
	"trey/internal/steady"
	"trey/internal/store/memory"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/rules/variant"
	"trey/table"
)

// checking opens the page on which rounds are checked.
func checking(t *testing.T, language string) (ctx context.Context, address string) {
	t.Helper()
	ctx, address = tab(t)
	do(
		t, ctx, chromedp.EmulateViewport(1280, 900), cookies(address, "lang", language, "theme", "light", "deck", "two"),
		chromedp.Navigate(address+"/check"), still(),
	)
	return ctx, address
}

// run has a function of the page's modules take a value and return another.
func run(t *testing.T, ctx context.Context, function string, given, back any) {
	t.Helper()
	text, err := json.Marshal(given)
	if err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf(`(async () => {
		const [exact, decks, hands, rules, settling, record] = await Promise.all(
			["exact", "deck", "hands", "rules", "settle", "record"].map((name) => import("/assets/test/check-" + name + ".js")));
		return (%s)(%s);
	})()`, function, text)
	do(t, ctx, chromedp.Evaluate(script, back, await))
}

// seeds returns the first n seeds of these tests.
func seeds(n int) []shuffle.Seed {
	next := shuffle.Numbered(5)
	all := make([]shuffle.Seed, n)
	for i := range all {
		all[i] = next()
	}
	return all
}

// The browser's own SHA-256, ChaCha8 and shuffle are those of Go.
func TestCheckDrawsTheSameCards(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	ctx, _ := checking(t, "en")
	type sum struct{ Text, Hash string }
	type draws struct {
		Seed    string
		Numbers []string
		Deck    []string
	}
	given := struct {
		Sums  []sum
		Draws []draws
	}{}
	for n := range 200 {
		text := strings.Repeat("é7", n)
		hash := sha256.Sum256([]byte(text))
		given.Sums = append(given.Sums, sum{text, hex.EncodeToString(hash[:])})
	}
	for _, seed := range seeds(40) {
		d := draws{Seed: hex.EncodeToString(seed[:])}
		source := rand.NewChaCha8(seed)
		for range 400 { // over the end of a buffer, where the next key is taken
			d.Numbers = append(d.Numbers, fmt.Sprint(source.Uint64()))
		}
		for _, c := range shuffle.Shuffle(seed) {
			d.Deck = append(d.Deck, c.String())
		}
		given.Draws = append(given.Draws, d)
	}
	var wrong []string
	run(t, ctx, `async ({Sums, Draws}) => {
		const wrong = [];
		const own = (text) => crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)).then((b) => decks.hex(new Uint8Array(b)));
		for (const {Text, Hash} of Sums) {
			if (decks.hex(decks.sha256(Text)) !== Hash || await own(Text) !== Hash) wrong.push("SHA-256 of " + Text);
		}
		for (const {Seed, Numbers, Deck} of Draws) {
			const draws = decks.chacha8(decks.unhex(Seed));
			if (Numbers.some((n) => String(draws.next().value) !== n)) wrong.push("ChaCha8 of " + Seed);
			if (decks.shuffle(decks.unhex(Seed)).join() !== Deck.join()) wrong.push("deck of " + Seed);
		}
		return wrong;
	}`, given, &wrong)
	if len(wrong) > 0 {
		t.Errorf("they differ in %v", wrong)
	}
}

// All 22,100 hands have the same places in all orders, and the same names.
func TestCheckRanksTheSame(t *testing.T) {
	t.Parallel()
	ctx, _ := checking(t, "en")
	var combos []string
	for c := rules.AnyHand; c.String() != "unknown"; c++ {
		combos = append(combos, c.String())
	}
	type order struct {
		Name      string
		Strengths []int
		Sets      []rules.ComboSet
		Words     []string
	}
	given := struct {
		Hands, Combos []string
		Orders        []order
	}{Combos: combos, Orders: []order{{Name: "poker"}, {Name: "pictures"}, {Name: "poker-highest-card"}}}
	for h := range card.Hands() {
		given.Hands = append(given.Hands, strings.ReplaceAll(h.String(), " ", ""))
		for i, ranking := range []rules.Ranking{rules.PokerOrder, rules.PictureOrder, rules.HighestCardOrder} {
			o := &given.Orders[i]
			o.Strengths = append(o.Strengths, ranking.Strength(h))
			o.Sets = append(o.Sets, ranking.Combos(h))
			o.Words = append(o.Words, ranking.Describe(h))
		}
	}
	var wrong []string
	run(t, ctx, `({Hands, Combos, Orders}) => {
		const wrong = [];
		for (const {Name, Strengths, Sets, Words} of Orders) {
			const all = Hands.map((h) => hands.rank(Name, h.match(/../g)));
			const inOrder = (strengths) => new Map([...new Set(strengths)].sort((a, b) => a - b).map((s, i) => [s, i + 1]));
			const places = inOrder(all.map((r) => r.strength)), given = inOrder(Strengths);
			all.forEach((r, i) => {
				const set = Combos.reduce((sum, c, k) => sum + (r.combos.has(c) ? 2 ** (k + 1) : 0), 0);
				const words = (r.name + " " + r.detail).trim();
				if (places.get(r.strength) !== given.get(Strengths[i]) || set !== Sets[i] || words !== Words[i]) wrong.push([Hands[i], places.get(r.strength), set, words].join());
			});
		}
		return wrong.slice(0, 5);
	}`, given, &wrong)
	if len(wrong) > 0 || len(given.Hands) != 22_100 {
		t.Errorf("of %d hands they differ in %v", len(given.Hands), wrong)
	}
}

// varied returns rules of a book with pays, limits, rulings and rounding drawn at
// random.
func varied(t *testing.T, r *rand.Rand, b *rules.Book) *rules.Variant {
	t.Helper()
	for {
		v := b.Standard().Clone()
		for _, ruling := range b.Open() {
			choices := ruling.Rule().Choices
			v.Choices[ruling] = choices[r.IntN(len(choices))]
		}
		for i := range b.Wagers {
			rule := &b.Wagers[i]
			pays := rule.Pays[r.IntN(len(rule.Pays))]
			pays.Rows = slices.Clone(pays.Rows)
			for k := range pays.Rows {
				if row := &pays.Rows[k]; r.IntN(3) == 0 && row.Pay.MeterPercent == 0 {
					row.Pay = rules.Pay{Odds: money.Odds{To: r.Int64N(50), For: 1 + r.Int64N(3)}}
				}
			}
			if rule.Stake == rules.WithinLimits && r.IntN(2) == 0 {
				v.Limits[rule.Wager] = rules.Limit{Min: 100, Max: 3000 + 100*money.Amount(r.IntN(80))}
				if b.Chips != nil {
					v.Limits[rule.Wager].Min = 200
				}
			}
			v.Pays[rule.Wager] = &pays
		}
		for i := range b.Wagers {
			if rule := &b.Wagers[i]; rule.Stake == rules.EqualToBasis && rule.Limit != (rules.Limit{}) {
				v.Limits[rule.Wager] = v.Limits[rule.Basis]
			}
		}
		v.Rounding = money.Rounding{Unit: []money.Amount{1, 25, 50, 100}[r.IntN(4)], Favour: money.Favour(r.IntN(2))}
		v.GraceMs = r.Int64N(200) * 500
		text := variant.Write(v)
		read, _, err := variant.Parse("rules", text, books.Find)
		if err != nil {
			continue // such pays favour the player; draw others
		}
		return read
	}
}

// Thousands of boxes under rules drawn at random are settled alike, line by line,
// and the rules have the same hash.
func TestCheckSettlesTheSame(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	ctx, _ := checking(t, "en")
	r := rand.New(rand.NewPCG(20, 26))
	type other struct {
		Cards       []string
		Own, Folded bool
		Stakes      map[string]money.Amount
	}
	type showdown struct {
		Player, Dealer []string
		Stakes         map[string]money.Amount
		Folded         bool
		Unrevealed     bool
		Meter          money.Amount
		Others         []other
		Lines          []rules.Line
	}
	type game struct {
		Declaration, Terms, Hash string
		Showdowns                []showdown
	}
	deck := card.Deck().Cards()
	stakes := func(b *rules.Book, folded bool) (s rules.Stakes, named map[string]money.Amount) {
		named = map[string]money.Amount{}
		for i := range b.Wagers {
			rule := &b.Wagers[i]
			switch {
			case rule.Stake == rules.NoStake || r.IntN(4) == 0 || folded && rule.Wager == rules.Play:
				continue
			case rule.Stake == rules.Prescribed:
				s[rule.Wager] = 500
			default:
				s[rule.Wager] = 25 * money.Amount(1+r.IntN(300))
				if rule.Basis != 0 && r.IntN(3) > 0 {
					s[rule.Wager] = s[rule.Basis]
				}
			}
			if s[rule.Wager] != 0 {
				named[rule.Wager.String()] = s[rule.Wager]
			}
		}
		return s, named
	}
	texts := func(h card.Hand) []string { return strings.Fields(h.String()) }
	var given []game
	count, unrevealed := 0, 0
	for _, b := range books.All() {
		for range 25 {
			v := varied(t, r, b)
			g := game{Declaration: string(v.Book.Declaration()), Terms: string(v.Terms()), Hash: v.Hash()}
			for range 40 {
				r.Shuffle(len(deck), func(i, k int) { deck[i], deck[k] = deck[k], deck[i] })
				if r.IntN(8) == 0 { // what is rare comes more often
					moveTo(deck, 0, "As", "Ks", "Qs")
				}
				hands := [4]card.Hand{}
				for i := range hands {
					hands[i] = card.Hand(deck[3*i : 3*i+3])
				}
				if r.IntN(6) == 0 { // and so do hands that stand off
					for i, c := range hands[0] {
						hands[1][i] = card.New(c.Rank(), c.Suit()%4+1)
					}
				}
				d := showdown{
					Player: texts(hands[0]), Dealer: texts(hands[1]), Meter: 1_000_000 + money.Amount(r.IntN(1000)),
					Folded: b.Decision != nil && r.IntN(4) == 0,
				}
				// A hand that was played and never shown, where the book says what follows.
				d.Unrevealed = b.Examine.Clauses.Unrevealed != "" && !d.Folded && r.IntN(4) == 0
				if d.Unrevealed {
					unrevealed++
				}
				input := rules.Showdown{Player: hands[0], Dealer: hands[1], Folded: d.Folded, Unrevealed: d.Unrevealed, Meter: d.Meter}
				input.Stakes, d.Stakes = stakes(b, d.Folded)
				for _, h := range hands[2:] {
					o := other{Cards: texts(h), Own: r.IntN(3) == 0, Folded: r.IntN(3) == 0}
					if r.IntN(3) == 0 {
						h, _ = card.ParseHand("Ad Kd Qd")
						o.Cards = texts(h)
					}
					var s rules.Stakes
					s, o.Stakes = stakes(b, o.Folded)
					d.Others = append(d.Others, o)
					input.Others = append(input.Others, rules.Other{Is: b.Ranking.Combos(h), SamePlayer: o.Own, Folded: o.Folded, Stakes: &s})
				}
				var err error
				if d.Lines, err = v.Settle(nil, &input); err != nil {
					t.Fatal(err)
				}
				count += len(d.Lines)
				g.Showdowns = append(g.Showdowns, d)
			}
			given = append(given, g)
		}
	}
	var wrong []string
	run(t, ctx, `(games) => {
		const wrong = [];
		const big = (stakes) => Object.fromEntries(Object.entries(stakes).map(([w, a]) => [w, BigInt(a)]));
		for (const {Declaration, Terms, Hash, Showdowns} of games) {
			const v = rules.readRules({declaration: Declaration, terms: Terms});
			if (rules.hashOf(Terms) !== Hash) wrong.push("hash " + Hash + " of " + Terms);
			if (!v.known) wrong.push("not settled as the page knows the book: " + Declaration);
			for (const d of Showdowns) {
				const lines = settling.settle(v, {player: d.Player, dealer: d.Dealer, stakes: big(d.Stakes), folded: d.Folded, unrevealed: d.Unrevealed, meter: BigInt(d.Meter),
					others: (d.Others ?? []).map((o) => ({cards: o.Cards, own: o.Own, folded: o.Folded, stakes: big(o.Stakes)}))});
				const plain = lines.map((l) => Object.fromEntries(Object.entries(l).filter(([, x]) => x !== "" && x !== undefined).map(([k, x]) => [k, typeof x === "bigint" ? Number(x) : x]).filter(([k, x]) => k !== "excess" || x !== 0)));
				if (exact.canonical(plain) !== exact.canonical(d.Lines ?? [])) wrong.push(JSON.stringify([v.ref, v.rulings, plain, d]));
			}
		}
		return wrong.slice(0, 2);
	}`, given, &wrong)
	if len(wrong) > 0 || count < 64*len(given) || 5*unrevealed < 2*len(given) {
		t.Errorf("of %d lines, with %d hands never shown, they differ in %v", count, unrevealed, wrong)
	}
}

// moveTo changes places of a deck so that cards lie together from a place on.
func moveTo(deck []card.Card, at int, names ...string) {
	for i, name := range names {
		c, err := card.Parse(name)
		if err != nil {
			panic(err)
		}
		k := slices.Index(deck, c)
		deck[at+i], deck[k] = deck[k], deck[at+i]
	}
}

// samples returns those of package proof.
func samples(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob("../house/proof/testdata/*.json")
	if err != nil || len(names) < 5 {
		t.Fatal(names, err)
	}
	all := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(name), ".json")] = string(text)
	}
	return all
}

// checked is the page's verdict on a record: the checks that failed, and all of its sentences.
type checked struct {
	Proven    bool
	Failed    []string
	Sentences []string
}

func check(t *testing.T, ctx context.Context, texts []string) []checked {
	t.Helper()
	var all []checked
	run(t, ctx, `(texts) => texts.map((text) => {
		try {
			const {proven, findings} = record.check(exact.read(text));
			return {Proven: proven, Failed: [...new Set(findings.filter((f) => f.result === "failed").map((f) => f.check))],
				Sentences: findings.map((f) => f.check + " " + f.result + " " + f.sentence)};
		} catch (why) {
			if (!(why instanceof exact.Fault)) throw why;
			return {Proven: false, Failed: ["reading"], Sentences: [why.reason]};
		}
	})`, texts, &all)
	return all
}

// verified returns the verdict of package proof on a record.
func verified(text string) bool {
	r, err := proof.Read(strings.NewReader(text))
	return err == nil && proof.Verify(r).Sound
}

// tableRow is a real house with a table of each book, whose rounds are drawn from a
// number.
type tableRow struct {
	*testing.T
	*house.House
	r *rand.Rand
}

var (
	rowAnn     = access.Person{Name: "ann", Role: access.Player}
	rowBen     = access.Person{Name: "ben", Role: access.Player}
	rowDealer  = access.Person{Name: "dan", Role: access.Dealer}
	rowManager = access.Person{Name: "sue", Role: access.ShiftManager}
	rowDeputy  = access.Person{Name: "tom", Role: access.ShiftManager}
)

func newTables(t *testing.T) *tableRow {
	t.Helper()
	var disk memory.Disk
	store, err := disk.Open(memory.Faults{})
	if err != nil {
		t.Fatal(err)
	}
	at := int64(1_700_000_000_000)
	h, _, err := house.Open(t.Context(), store, house.World{
		NowMs: func() int64 { at += 1000; return at }, PlayMoney: true, Sealer: sealing.Numbered(1), Seed: shuffle.Numbered(11), Software: "trey, as tested",
	})
	if err != nil {
		t.Fatal(err)
	}
	f := &tableRow{t, h, rand.New(rand.NewPCG(3, 1))}
	for _, b := range books.All() {
		v := b.Standard()
		if b.ID == "rws-3cp" {
			// The jackpot has to be won now and then.
			v = v.Clone()
			pays := *v.Pays[rules.Progressive]
			pays.Rows = append(slices.Clone(pays.Rows), rules.PayRow{Combo: rules.Pair, Pay: rules.Pay{MeterPercent: 100}, Clause: pays.Rows[0].Clause})
			slices.SortStableFunc(pays.Rows, func(a, b rules.PayRow) int { return int(a.Combo) - int(b.Combo) })
			v.ID, v.Pays[rules.Progressive] = "generous", &pays
		}
		table := house.Table{Name: b.ID, Variant: v, Config: table.Config{Device: b.Devices[len(b.Devices)-1].Device, Cards: table.Virtual}}
		if v.Jackpot != nil {
			table.Jackpot = "linked"
		}
		if err := f.Install(t.Context(), table, access.Person{Name: "ida", Role: access.Administrator}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"ann", "ben", "cai"} {
		if _, err := f.CageTransfer(t.Context(), "", access.Person{Name: "cat", Role: access.Cashier}, posting.Transfer{Reason: ledger.BuyIn, Player: name, Amount: 1_000_000_00}); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// try gives a command that the rules may refuse.
func (f *tableRow) try(name string, by access.Person, do table.Action) bool {
	f.Helper()
	_, err := f.Do(f.Context(), house.CommandRequest{Table: name, By: by, Do: do})
	var refused *table.Refusal
	var kept *jackpot.Refusal
	if err != nil && !errors.As(err, &refused) && !errors.As(err, &kept) {
		f.Fatalf("%s at %s: %v", record.Actions.Name(do), name, err)
	}
	return err == nil
}

// play plays a round: players bet on boxes of their own, add seeds, look or play
// blind, fold, leave and are interrupted.
func (f *tableRow) play(b *rules.Book) {
	f.Helper()
	person := func(name string) access.Person { return access.Person{Name: name, Role: access.Player} }
	if !f.try(b.ID, rowDealer, table.OpenBets{}) {
		f.Fatalf("%s: the round before is still in play", b.ID)
	}
	for box, name := range map[int]string{1: "ann", 2: "ben", 4: "cai", 6: "ann"} {
		if f.r.IntN(3) == 0 {
			if _, err := f.AddSeed(f.Context(), "", person(name), b.ID, 0, fmt.Sprintf("number %d é", f.r.IntN(1000))); err != nil {
				f.Fatal(err)
			}
		}
		for i := range b.Wagers {
			amount := money.Amount(500 + 100*f.r.IntN(5))
			if b.Wagers[i].Stake == rules.Prescribed {
				amount = 500
			}
			if f.r.IntN(4) > 0 || b.Wagers[i].Wager == rules.Ante {
				f.try(b.ID, person(name), table.Bet{Box: box, Player: name, Wager: b.Wagers[i].Wager, Amount: amount})
			}
		}
		if f.r.IntN(6) == 0 {
			f.try(b.ID, person(name), table.Withdraw{Box: box, Player: name, Wager: rules.PairPlus})
		}
	}
	f.try(b.ID, rowDealer, table.CloseBets{})
	if f.r.IntN(12) == 0 {
		f.try(b.ID, rowDealer, table.Deal{Cards: make([]table.Drawn, 4)})
		f.try(b.ID, rowManager, table.Report{Incident: rules.TechnicalInterruption, LastedMs: 60_000})
	}
	f.try(b.ID, rowDealer, table.Deal{})
	for box, name := range map[int]string{1: "ann", 2: "ben", 4: "cai", 6: "ann"} {
		if f.r.IntN(2) == 0 {
			f.try(b.ID, person(name), table.Examine{Box: box, Player: name})
			f.try(b.ID, person(name), table.LayUp{Box: box})
		}
		switch f.r.IntN(5) {
		case 0:
			f.try(b.ID, person(name), table.Fold{Box: box, Player: name})
		case 1:
			// The player says nothing.
		default:
			f.try(b.ID, person(name), table.Raise{Box: box, Player: name})
		}
	}
	if f.r.IntN(6) == 0 { // a second person confirms it where a card has been seen
		f.try(b.ID, rowManager, table.Report{Incident: rules.TechnicalInterruption, LastedMs: 60_000})
		f.try(b.ID, rowDeputy, table.Answer{Answer: []string{"yes", "no"}[f.r.IntN(2)]})
	}
	for range 4 { // options may have to end before hands do
		f.try(b.ID, rowDealer, table.Expire{})
	}
	f.try(b.ID, rowDealer, table.Deal{})
	f.try(b.ID, rowDealer, table.Expire{})
	f.try(b.ID, rowDealer, table.Reveal{})
	f.try(b.ID, rowDealer, table.Settle{})
	if f.r.IntN(6) == 0 {
		f.try(b.ID, rowManager, table.Report{Incident: rules.Uncovered, Note: "the layout was not that of this table"})
		f.try(b.ID, rowDeputy, table.Answer{Answer: "yes"})        // where the facts are to be confirmed first
		if !f.try(b.ID, rowDeputy, table.Answer{Answer: "void"}) { // it is void already, or its jackpot is paid
			f.try(b.ID, rowDeputy, table.Answer{Answer: "continue"})
		}
	}
}

// confirmed plays a round that is void by a report which a second person confirms,
// at a table of its own where a stop after the deal still voids.
func (f *tableRow) confirmed(name string) {
	f.Helper()
	b, err := books.Find("us-3cp")
	if err != nil {
		f.Fatal(err)
	}
	v := b.Standard().Clone()
	v.Choices[rules.OutcomeEstablished] = rules.FirstExposure
	f.install(house.Table{Name: name, Variant: v, Config: table.Config{Device: b.Devices[0].Device, Cards: table.Virtual}})
	f.plays(name, []order{
		{rowDealer, table.OpenBets{}},
		{rowAnn, table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 1000}},
		{rowDealer, table.CloseBets{}},
		{rowDealer, table.Deal{}},
		{rowAnn, table.Examine{Box: 1, Player: "ann"}},
		{rowManager, table.Report{Incident: rules.TechnicalInterruption, LastedMs: 60_000}},
		{rowDeputy, table.Answer{Answer: "yes"}},
	})
}

// order is a command and who gives it.
type order struct {
	by access.Person
	do table.Action
}

// plays gives commands that the rules take.
func (f *tableRow) plays(name string, orders []order) {
	f.Helper()
	for _, o := range orders {
		if !f.try(name, o.by, o.do) {
			f.Fatalf("%s: %s is refused", name, record.Actions.Name(o.do))
		}
	}
}

func (f *tableRow) install(at house.Table) {
	f.Helper()
	if err := f.Install(f.Context(), at, access.Person{Name: "ida", Role: access.Administrator}); err != nil {
		f.Fatal(err)
	}
}

// unusual plays a round at each of some tables, in which something stands that play on a
// screen never brings. It returns the names of the tables.
func (f *tableRow) unusual() []string {
	f.Helper()
	faces := func(text string) []card.Card {
		cards, err := card.ParseFaces(text)
		if err != nil {
			f.Fatal(err)
		}
		return cards
	}
	drawn := func(text string) (all []table.Drawn) {
		for _, c := range faces(text) {
			all = append(all, table.Drawn{Card: c})
		}
		return all
	}
	ante := func(box int, player string) table.Bet {
		return table.Bet{Box: box, Player: player, Wager: rules.Ante, Amount: 1000}
	}
	beside := func(wager rules.Wager, box int, player string) table.Bet {
		return table.Bet{Box: box, Player: player, Wager: wager, Amount: 500}
	}
	french, err := books.Find("fr-p3c@2007")
	if err != nil {
		f.Fatal(err)
	}
	kept := french.Standard().Clone()
	kept.ID, kept.Choices[rules.PairPlusAfterFold] = "kept", rules.Kept
	generous, err := f.Table("rws-3cp")
	if err != nil {
		f.Fatal(err)
	}
	seen := house.Table{Name: "seen", Variant: generous.Variant(), Config: table.Config{Device: rules.Shuffler, Cards: table.Read, Chips: true}, Jackpot: "linked"}
	unseen := house.Table{Name: "unseen", Variant: generous.Variant(), Config: table.Config{Device: rules.Shuffler, Cards: table.Unseen, Chips: true}, Jackpot: "linked"}
	f.install(house.Table{Name: "kept", Variant: kept, Config: table.Config{Device: french.Devices[0].Device, Cards: table.Virtual}})
	f.install(seen)
	f.install(unseen)
	for name, at := range map[string]struct{ book, device string }{"chips": {"us-3cp", "shuffler"}, "short": {"mbs-3pictures@2", "shoe"}} {
		b, err := books.Find(at.book)
		if err != nil {
			f.Fatal(err)
		}
		i := slices.IndexFunc(b.Devices, func(d rules.DeviceRule) bool { return d.Device.String() == at.device })
		f.install(house.Table{Name: name, Variant: b.Standard(), Config: table.Config{Device: b.Devices[i].Device, Cards: table.Read, Chips: true}})
	}

	// A fold leaves Pair Plus in play: that box waits for the settlement, the other does not.
	f.plays("kept", []order{
		{rowDealer, table.OpenBets{}},
		{rowAnn, ante(1, "ann")},
		{rowAnn, beside(rules.PairPlus, 1, "ann")},
		{rowBen, ante(2, "ben")},
		{rowDealer, table.CloseBets{}},
		{rowDealer, table.Deal{}},
		{rowAnn, table.Fold{Box: 1, Player: "ann"}},
		{rowBen, table.Fold{Box: 2, Player: "ben"}},
		{rowDealer, table.Reveal{}},
		{rowDealer, table.Settle{}},
	})
	// One player stands at a box where nobody sits, a bet came too late and was counted, and a
	// hand is turned that the house knows. A jackpot waits for the hands of another table;
	// there a card is named ahead of its hand.
	f.plays("unseen", []order{
		{rowDealer, table.OpenBets{}},
		{rowAnn, ante(1, "ann")},
		{rowAnn, beside(rules.Progressive, 1, "ann")},
		{rowDealer, table.CloseBets{}},
		{rowDealer, table.Deal{Cards: drawn("?? ?? ?? ?? ?? ??")}},
	})
	standing := ante(2, "ben")
	standing.Standing = true
	f.plays("seen", []order{
		{rowDealer, table.OpenBets{}},
		{rowBen, standing},
		{rowBen, beside(rules.Progressive, 2, "ben")},
		{rowBen, beside(rules.PairPlus, 2, "ben")},
		{rowAnn, ante(3, "ann")},
		{rowDealer, table.CloseBets{}},
		{rowManager, table.Report{Incident: rules.LateBet, Box: 2, Player: "ben", Wager: rules.PairPlus, Amount: 200, Counted: true}},
		{rowDealer, table.Found{Box: 3, Player: "ann", Wager: rules.Progressive, Amount: 700, AtCall: true}},
		{rowDealer, table.Deal{Cards: drawn("4c 4d 7d 5h 9d Kc Ah 3c 2d")}},
		{rowBen, table.Raise{Box: 2, Player: "ben"}},
		{rowAnn, table.Raise{Box: 3, Player: "ann"}},
		{rowDealer, table.Reveal{}},
		{rowDealer, table.Show{Box: 3}},
		{rowDealer, table.Settle{}},
	})
	f.plays("unseen", []order{
		{rowAnn, table.Raise{Box: 1, Player: "ann"}},
		{rowDealer, table.Report{Incident: rules.CardExposed, Cards: []table.Exposed{{At: table.DealerHand, Index: 2, Card: faces("2c")[0]}}}},
		{rowAnn, table.Choose{Box: 1, Player: "ann"}},
		{rowDealer, table.Reveal{Hand: faces("Ts ?? 8c")}},
		{rowDealer, table.Show{Box: 1, Hand: faces("Kh 9c 7s")}},
		{rowDealer, table.Settle{}},
	})
	f.plays("seen", []order{{rowDealer, table.Settle{}}})
	// A folded box had no Ante at the call, so that its fold is none.
	f.plays("chips", []order{
		{rowDealer, table.OpenBets{}},
		{rowAnn, ante(1, "ann")},
		{rowAnn, beside(rules.PairPlus, 1, "ann")},
		{rowDealer, table.CloseBets{}},
		{rowDealer, table.Deal{Cards: drawn("Kh Kd 3c Js 7d 5h")}},
		{rowAnn, table.Fold{Box: 1, Player: "ann"}},
		{rowDealer, table.Found{Box: 1, Player: "ann", Wager: rules.Ante, AtCall: true}},
		{rowDealer, table.Reveal{}},
		{rowDealer, table.Settle{}},
	})
	// A hand has two cards, and the one that was meant for it lies elsewhere: one report leads to two outcomes.
	main := func(box int, player string) table.Bet {
		return table.Bet{Box: box, Player: player, Wager: rules.Main, Amount: 1000}
	}
	short := drawn("Qh 5c Kd 7c 6d 5d 2d 7h")
	short[6].To, short[7].To = table.Box(2), table.DealerHand
	f.plays("short", []order{
		{rowDealer, table.OpenBets{}},
		{rowAnn, main(1, "ann")},
		{rowBen, main(2, "ben")},
		{rowDealer, table.CloseBets{}},
		{rowDealer, table.Deal{Cards: short}},
		{rowDealer, table.FinishDeal{}},
		{rowAnn, table.Examine{Box: 1, Player: "ann"}},
		{rowDealer, table.Report{Incident: rules.WrongCount, Box: 1}},
		{rowManager, table.Answer{Answer: "yes"}},
		{rowDealer, table.Reveal{}},
		{rowDealer, table.Settle{}},
	})
	return []string{"kept", "seen", "unseen", "chips", "short"}
}

// numbersIn replaces the names of persons, between two @, by what stands for them in a
// record.
func numbersIn(t *testing.T, text string) *strings.Replacer {
	t.Helper()
	var r struct{ Names map[string]string }
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	var pairs []string
	for token, name := range r.Names {
		pairs = append(pairs, "@"+name+"@", token)
	}
	return strings.NewReplacer(pairs...)
}

// crowded plays a round in which the places for seeds are all taken before the
// first bet.
func (f *tableRow) crowded(name string) {
	f.Helper()
	for n := range 64 {
		if _, err := f.AddSeed(f.Context(), "", access.Person{Name: fmt.Sprintf("guest %02d", n), Role: access.Guest}, name, 0, "x"); err != nil {
			f.Fatal(err)
		}
	}
	f.try(name, rowDealer, table.OpenBets{})
	f.try(name, rowAnn, table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 1000})
	if _, err := f.AddSeed(f.Context(), "", rowAnn, name, 0, "mine"); err != nil {
		f.Fatal(err)
	}
	for _, do := range []table.Action{table.CloseBets{}, table.Deal{}, table.Expire{}, table.Reveal{}, table.Settle{}} {
		f.try(name, rowDealer, do)
	}
}

// records returns those of the rounds of a table that have ended.
func (f *tableRow) records(name string) (all []string) {
	f.Helper()
	for n := 1; ; n++ {
		r, err := f.Round(f.Context(), name, n)
		switch {
		case errors.Is(err, house.ErrNoRound), errors.Is(err, house.ErrRoundOpen):
			return all
		case err != nil:
			f.Fatal(err)
		}
		all = append(all, string(r.Text))
	}
}

// Rounds of a real house, and the samples, are proven by the page as by the
// program: both find nothing wrong.
func TestCheckAgreesAboutRealRounds(t *testing.T) {
	t.Parallel()
	ctx, _ := checking(t, "en")
	var texts []string
	for _, text := range samples(t) {
		texts = append(texts, text)
	}
	f := newTables(t)
	f.crowded("us-3cp")
	for _, b := range books.All() {
		for range 25 {
			f.play(b)
		}
		records := f.records(b.ID)
		if len(records) < 24 {
			t.Fatalf("%s: only %d rounds", b.ID, len(records))
		}
		texts = append(texts, records...)
	}
	for _, name := range f.unusual() {
		records := f.records(name)
		if len(records) != 1 {
			t.Fatalf("%s: %d rounds", name, len(records))
		}
		texts = append(texts, records...)
	}
	all := strings.Join(texts, "")
	for what, sign := range map[string]string{
		"folded hands": `"hand-folded"`, "stand-offs": `"push"`, "jackpots": `"jackpot-paid"`, "Envy": `"reseed"`,
		"confirmed facts": `"question-answered"`, "void rounds": `"round-voided"`, "own seeds": `"seed-added"`, "seeds that gave way": `"instead"`, "ties": `"wager":"tie"`, "reversed settlements": `"collected"`,
		"boxes settled alone": `"box-settled"`, "settlements undone": `"settlement-undone"`,
		"jackpots that wait": `"pending":true`, "players who stand": `"standing":true`, "late bets": `"counted":true`, "cards named before": `"hand":["Ts","??","8c"]`,
		"hands without names": `"kind":"show","body":{"box":3}`, "wagers that a fold keeps": `"pair_plus_after_fold\":\"kept`,
	} {
		if !strings.Contains(all, sign) {
			t.Errorf("there are no %s in these rounds", what)
		}
	}
	for i, found := range check(t, ctx, texts) {
		if !verified(texts[i]) {
			t.Errorf("the program does not prove\n%s", texts[i])
		}
		if !found.Proven {
			t.Errorf("the page finds %v in\n%s", found.Sentences, texts[i])
		}
	}
}

// Whatever somebody alters is found by the program and by the page, and the page
// says what is wrong.
func TestCheckFindsWhatWasAltered(t *testing.T) {
	t.Parallel()
	ctx, _ := checking(t, "en")
	samples := samples(t)
	f := newTables(t)
	f.confirmed("confirmed")
	samples["confirmed"] = f.records("confirmed")[0]
	f.crowded("us-3cp")
	samples["crowded"] = f.records("us-3cp")[0]
	tests := []struct {
		what, sample, old, other, check string
	}{
		{"the seed", "settled", `"seed":"d6f5`, `"seed":"d6f6`, "commitment"},
		{"the commitment", "settled", `"commitment":"d30f`, `"commitment":"d30e`, "commitment"},
		{"a checkpoint that does not hold the commitment", "settled", `\n8\n`, `\n1\n`, "commitment"},
		{"a checkpoint from after the bets", "settled", `\n8\n`, `\n9\n`, "commitment"},
		{"a checkpoint that nobody signed", "settled", `\n\n— `, `\n— `, "commitment"},
		{"a seed of a player", "settled", `"text":"7 \u003c\u003e 8"`, `"text":"7 \u003c\u003e 9"`, "commitment"},
		{"every mention of a seed of a player", "settled", `7 \u003c\u003e 8`, `7 \u003c\u003e 9`, "cards"},
		{"a player's seed in another's name", "settled", `"player":"#4","text"`, `"player":"bob","text"`, "commitment"},
		{"the round", "settled", `"round":1,"ended"`, `"round":2,"ended"`, "commitment"},
		{"the table", "settled", `"table":"A","round"`, `"table":"B","round"`, "commitment"},
		{"a card of the deal", "settled", `"card":"Qd"`, `"card":"Qh"`, "cards"},
		{"a card everywhere", "settled", `Qd`, `Qh`, "cards"},
		{"where a card went", "settled", `"place":"2"`, `"place":"dealer"`, "cards"},
		{"a card of a deck that was committed to, as put right", "void", `"events":[{"kind":"reported","body":{"report":{"incident":"interruption"`, `"events":[{"kind":"cards-exposed","body":{"slots":[0],"cards":["3c"],"corrected":true}},{"kind":"reported","body":{"report":{"incident":"interruption"`, "cards"},
		{"where such a card lies, by no clause", "void", `"events":[{"kind":"reported","body":{"report":{"incident":"interruption"`, `"events":[{"kind":"cards-moved","body":{"clause":"","moves":[{"slot":0,"to":"2"}]}},{"kind":"reported","body":{"report":{"incident":"interruption"`, "cards"},
		{"cards that move by a raise", "settled", `"events":[{"kind":"hand-raised"`, `"events":[{"kind":"cards-moved","body":{"clause":"x","moves":[{"slot":0,"to":"2"},{"slot":3,"to":"1"}]}},{"kind":"hand-raised"`, "course"},
		{"the time of a step", "settled", `"at_ms":1000000,"by":{"name":"#5","role":"dealer"},"kind":"open-bets"`, `"at_ms":999999,"by":{"name":"#5","role":"dealer"},"kind":"open-bets"`, "course"},
		{"the dealer's hand", "settled", `"6d","Qs"`, `"6d","Ks"`, "cards"},
		{"whether the dealer qualifies", "settled", `"qualifies":true`, `"qualifies":false`, "hands"},
		{"a stake", "settled", `"amount":500,`, `"amount":600,`, "money"},
		{"a bet of somebody else", "settled", `"name":"#4","role":"player"},"kind":"bet"`, `"name":"#3","role":"player"},"kind":"bet"`, "course"},
		{"a decision", "settled", `"kind":"fold"`, `"kind":"raise"`, "course"},
		{"a decision and its event", "settled", `"kind":"hand-folded"`, `"kind":"hand-raised"`, "record"},
		{"what a line pays", "settled", `"pays":1000`, `"pays":2000`, "settlement"},
		{"what a line returns", "settled", `"returned":2000`, `"returned":1999`, "settlement"},
		{"how a line ends", "settled", `"result":"win"`, `"result":"push"`, "settlement"},
		{"the clause of a line", "settled", `"clause":"ways.2"`, `"clause":"ways.3"`, "settlement"},
		{"whose line it is", "settled", `"player":"#3","wager":"play"`, `"player":"#4","wager":"play"`, "settlement"},
		{"the amount of a posting", "settled", `"to":"win:A","amount":500`, `"to":"win:A","amount":400`, "money"},
		{"to whom money went", "settled", `"from":"win:A","to":"player:#3"`, `"from":"win:A","to":"player:#4"`, "money"},
		{"why money went", "settled", `"reason":"stake-won"`, `"reason":"winnings"`, "money"},
		{"a pay table", "settled", `\"to\":40,\"for\":1`, `\"to\":41,\"for\":1`, "rules"},
		{"a limit", "settled", `\"limit\":{\"min\":0`, `\"limit\":{\"min\":1`, "rules"},
		{"a ruling", "jackpot", `\"jackpot_stake\":\"kept-by-house\"`, `\"jackpot_stake\":\"returned\"`, "rules"},
		{"the hash of the rules", "settled", `"rules_hash":"`, `"rules_hash":"0`, "rules"},
		{"what is collected again", "in-steps", `"reverses":125000`, `"reverses":124900`, "settlement"},
		{"what is collected where nothing was paid", "in-steps", `"reverses":125000`, `"reverses":125100`, "settlement"},
		{"which box is settled", "in-steps", `"kind":"settle","body":{"box":2`, `"kind":"settle","body":{"box":3`, "course"},
		{"how it ended", "settled", `"ended":"settled"`, `"ended":"void"`, "course"},
		{"the order of the steps", "settled", `"seq":12,`, `"seq":22,`, "course"},
		{"what the jackpot paid", "jackpot", `"amount":1000400,"from_meter"`, `"amount":1000401,"from_meter"`, "jackpot"},
		{"what the meter held", "jackpot", `"meter":1000200,"reserve"`, `"meter":1000300,"reserve"`, "jackpot"},
		{"the part of a bet for the meter", "jackpot", `"to_meter":200`, `"to_meter":201`, "jackpot"},
		{"a bet that a void round keeps", "void", `"stake":1000,`, `"stake":900,`, "settlement"},
		{"what goes back", "withdrawn", `"returned":1000`, `"returned":1100`, "settlement"},
		{"a hand named by a dealer", "by-hand", `"8d"`, `"8c"`, "cards"},
		{"whose seed gave way", "crowded", `"instead":"@guest 00@"`, `"instead":"@guest 01@"`, "commitment"},
		{"that a seed gave way", "crowded", ",\"instead\":\"@guest 00@\"", "", "commitment"},
		{"who confirms a report", "confirmed", `"name":"@tom@","role":"shift-manager"},"kind":"answer"`, `"name":"@sue@","role":"shift-manager"},"kind":"answer"`, "course"},
		{"what is answered", "confirmed", `"kind":"answer","body":{"answer":"yes"`, `"kind":"answer","body":{"answer":"no"`, "course"},
		{"what is to be confirmed", "confirmed", `"lasted_ms":60000`, `"lasted_ms":61000`, "course"},
		{"a field twice", "settled", `"ended":"settled",`, `"ended":"settled", "ended":"settled",`, "reading"},
		{"a field more", "settled", `"ended":"settled",`, `"ended":"settled", "luck":1,`, "record"},
		{"a field less", "settled", `"round":1,"ended"`, `"ended"`, "record"},
		{"a number with a point", "settled", `"amount":500,`, `"amount":500.0,`, "reading"},
		{"something behind it", "settled", "\"}\n", "\"}\n{}", "reading"},
	}
	var texts []string
	lines := strings.NewReplacer(`\n`, "\n")
	for _, tt := range tests {
		old, other := tt.old, tt.other
		if !strings.Contains(old, `\"`) && !strings.Contains(tt.what, "checkpoint") { // text in text
			old, other = lines.Replace(old), lines.Replace(other)
		}
		n := 1
		if strings.HasPrefix(tt.what, "every mention") || strings.HasSuffix(tt.what, "everywhere") {
			n = -1
		}
		numbers := numbersIn(t, samples[tt.sample])
		text := strings.Replace(samples[tt.sample], numbers.Replace(old), numbers.Replace(other), n)
		if text == samples[tt.sample] {
			t.Fatalf("%s: the sample has no %q", tt.what, old)
		}
		texts = append(texts, text)
	}
	for i, found := range check(t, ctx, texts) {
		switch tt := tests[i]; {
		case found.Proven:
			t.Errorf("%s: the page does not notice", tt.what)
		case !slices.Contains(found.Failed, tt.check):
			t.Errorf("%s: the page finds fault with %v, want %s: %v", tt.what, found.Failed, tt.check, found.Sentences)
		case verified(texts[i]):
			t.Errorf("%s: the program does not notice", tt.what)
		}
	}
}

// Of everything that somebody could alter in the cards, the seeds, the bets, the
// lines and the money of a record, nothing escapes the page.
func TestCheckMissesNothingThatItChecks(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	ctx, _ := checking(t, "en")
	samples := samples(t)
	var texts []string
	for _, name := range []string{"settled", "jackpot"} {
		texts = append(texts, samples[name])
	}
	const each = 3 // places of which one is altered
	var missed []string
	run(t, ctx, `({texts, each}) => {
		const missed = [];
		const due = /^(seed\.(commitment|seed|own)|variant|ended|round|table|book|config|steps\[\d+\]\.(kind|body(?!\.meter)|by\.role|postings|seeds)|steps\[\d+\]\.events\[\d+\]\.(kind|body\.(lines|cards|hand|box|player|wager|amount|qualifies|place)\b))/;
		for (const text of texts) {
			const root = {all: JSON.parse(text)};
			let count = 0;
			const proven = (path, what) => {
				try {
					if (record.check(exact.read(JSON.stringify(root.all))).proven) missed.push(path + " " + what);
				} catch (why) {
					if (!(why instanceof exact.Fault)) throw why;
				}
			};
			const walk = (path, value, set) => {
				const list = Array.isArray(value);
				for (const name of value !== null && typeof value === "object" ? Object.keys(value) : []) {
					walk(list ? path + "[" + name + "]" : path ? path + "." + name : name, value[name], (v) => { value[name] = v; });
				}
				// What is announced, and the role of staff, only the engine judges.
				if (!due.test(path) || (value !== null && typeof value === "object")) return;
				if (count++ % each > 0) return;
				const others = typeof value === "number" ? [value + 1, -value - 1] : typeof value === "boolean" ? [!value] : [value + "x", "0" + value.slice(1)];
				for (const other of others) {
					if (other === value) continue;
					set(other);
					proven(path, "as " + JSON.stringify(other));
					set(value);
				}
			};
			walk("", root.all, () => {});
		}
		return missed;
	}`, map[string]any{"texts": texts, "each": each}, &missed)
	// Whether the event is one that the dealer announces, the path does not tell.
	missed = slices.DeleteFunc(missed, func(path string) bool { return strings.Contains(path, ".kind as") && strings.Contains(path, "events") })
	if len(missed) > 0 {
		t.Errorf("the page does not notice %d alterations: %s", len(missed), strings.Join(missed[:min(8, len(missed))], "; "))
	}
}

// Somebody pastes a record with the keyboard, reads what was found, and alters a
// card.
func TestCheckByKeyboard(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	ctx, address := checking(t, "en")
	text := samples(t)["settled"]
	var focused, says, heard, clause, all string
	do(
		t, ctx,
		chromedp.Evaluate(`document.getElementById("check-text").value = `+quoted(text), nil),
		chromedp.Focus("#check-text"), keyboard(kb.Tab), keyboard(kb.Enter),
		chromedp.WaitVisible("#check-verdict[data-proven=true]"),
		chromedp.Evaluate(`document.activeElement.id`, &focused),
		chromedp.Text("#check-says", &says),
		chromedp.Evaluate(`document.querySelector("[data-sentence=line] p").innerText`, &heard),
		chromedp.Evaluate(`document.querySelector("[data-sentence=line] a").getAttribute("href")`, &clause),
		chromedp.Text("[data-report]", &all),
	)
	if bare := regexp.MustCompile(`(?:^|[^(])#[0-9]+`).FindString(all); bare != "" {
		t.Errorf("a person stands in the report without the name: %q", bare)
	}
	if focused != "check-verdict" || says != "Everything that was checked holds" {
		t.Errorf("the focus is at %q, and it says %q", focused, says)
	}
	// The bets of the folded hand are collected before the dealer turns.
	if !strings.Contains(heard, "Box 2, ben (#4): Ante, stake $10: lost, pays $0, returned $0.") || clause != "/rules/us-3cp/rules.4" {
		t.Errorf("a line is told as %q, with a link to %s", heard, clause)
	}
	// A name that was erased is not in the record, and the number stands alone. A posting
	// that is not due is shown with names.
	do(
		t, ctx,
		chromedp.Evaluate(`document.getElementById("check-text").value = `+quoted(strings.NewReplacer(
			`,"#4":"ben"`, "", `{"from":"player:#3","to":"layout:`, `{"from":"player:#3","to":"drop:`,
		).Replace(text)), nil),
		chromedp.Focus("#check-text"), keyboard(kb.Tab), keyboard(kb.Enter),
		chromedp.WaitVisible("#check-verdict[data-proven=false]"), chromedp.Text("[data-report]", &all),
		chromedp.Evaluate(`delete document.getElementById("check-verdict").dataset.proven`, nil),
	)
	for _, want := range []string{"Box 2, #4: Ante", "player:ann (#3) → "} {
		if !strings.Contains(all, want) {
			t.Errorf("the report has no %q: %s", want, all)
		}
	}
	var drawn, failed int
	do(
		t, ctx,
		chromedp.Evaluate(`document.querySelectorAll("#check-verdict .felt .card").length`, &drawn),
		chromedp.Evaluate(`document.getElementById("check-text").value = `+quoted(strings.Replace(text, `"card":"Qd"`, `"card":"Qh"`, 1)), nil),
		chromedp.Focus("#check-text"), keyboard(kb.Tab), keyboard(kb.Enter),
		chromedp.WaitVisible("#check-verdict[data-proven=false]"),
		chromedp.Text("#check-says", &says),
		chromedp.Evaluate(`document.querySelectorAll(".finding.failed dl").length`, &failed),
		chromedp.Evaluate(`document.querySelector("[data-sentence=not-next]").innerText`, &heard),
	)
	if drawn != 9 || failed == 0 || says != "This record is not true" {
		t.Errorf("%d cards are drawn, %d failures told, and it says %q", drawn, failed, says)
	}
	if !strings.Contains(heard, "Card 5 of the deal is not the next card of the deck.") || !strings.Contains(heard, "steps[8]") {
		t.Errorf("it tells %q", heard)
	}
	var fault string
	do(
		t, ctx,
		chromedp.Evaluate(`document.getElementById("check-text").value = "{}}"`, nil),
		chromedp.Focus("#check-text"), keyboard(kb.Tab), keyboard(kb.Enter),
		chromedp.WaitNotVisible("#check-verdict"), chromedp.Text("#check-fault", &fault),
	)
	if fault != "Line 1: there is text after the record." {
		t.Errorf("what is no record is told as %q", fault)
	}
	do(
		t, ctx, cookies(address, "lang", "zh-Hans"), chromedp.Navigate(address+"/check"), still(),
		chromedp.Click("[data-sample]"), chromedp.WaitVisible("#check-verdict[data-proven=true]"), chromedp.Text("#check-says", &says),
	)
	if says != "凡已核验的均属实" {
		t.Errorf("in Chinese it says %q", says)
	}
}

func quoted(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(quoted)
}

// The sample that the page offers is one of package proof.
func TestCheckSample(t *testing.T) {
	if got := text(t, get(t, handler(), "/check/sample.json")); got != samples(t)["settled"] {
		t.Error("internal/web/check/sample.json is not internal/house/proof/testdata/settled.json: copy it")
	}
}

var said = regexp.MustCompile(`(?:fail|proven|equal|add|failAt)\((?:where, |place, |\x60[^\x60]*\x60, )?"[a-z]+", (?:"(?:open|proven|failed)", )?(?:[^"]*\? )?"([a-z-]+)"`)

// Whatever the modules say has its words.
func TestCheckHasWords(t *testing.T) {
	var module []byte
	for _, name := range []string{"form", "cards", "layout", "money", "jackpot", "lines", "course", "record"} {
		part, err := os.ReadFile("check/check-" + name + ".js")
		if err != nil {
			t.Fatal(err)
		}
		module = slices.Concat(module, part)
	}
	body := text(t, get(t, handler(), "/check"))
	for _, line := range bytes.Split(module, []byte("\n")) {
		for _, m := range said.FindAllSubmatch(line, -1) {
			if name := string(m[1]); name != "proven" && name != "open" && !strings.Contains(body, `data-word="say-`+name+`"`) {
				t.Errorf("nothing is said for %q", name)
			}
		}
	}
	for _, kind := range []jackpot.Event{jackpot.Contributed{}, jackpot.ContributionsReversed{}, jackpot.HitPaid{}, jackpot.HitVerified{}, jackpot.HitReversed{}, jackpot.RoundClosed{}, jackpot.HitRegistered{}, jackpot.OrderDetermined{}, jackpot.HitConfirmed{}, jackpot.HitForfeited{}, jackpot.TermsChanged{}, jackpot.SystemWentDown{}, jackpot.SystemCameUp{}} {
		if name := record.JackpotEvents.Name(kind); !strings.Contains(string(module), `"`+name+`"`) && !strings.Contains(string(module), "\n  "+name+":") {
			t.Errorf("the page does not know the jackpot's event %s", name)
		}
	}
	for _, kind := range slices.Concat(record.TableEvents.Names(), record.Actions.Names()) {
		if !strings.Contains(string(module), `"`+kind+`"`) && !strings.Contains(string(module), " "+kind+": ") {
			t.Errorf("the page does not know %s", kind)
		}
	}
}

// A guest plays a round, follows the link beside it, and the browser fetches the record and
// proves it. A person who did not bet in it is refused.
func TestRoundIsCheckedFromItsTable(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	if browser == nil {
		t.Skip(why)
	}
	f := newFloor(t, unhurried, nil, "classic-1")
	ann, ben := guestTab(t, f), guestTab(t, f)
	heard := listen(ann, f.address)
	sit(t, ann, f, "classic-1")
	do(
		t, ann, press("a-3-ante"), press("a-3-pair-plus"), chromedp.WaitReady(".has > #a-3-pair-plus"), press("do-ready"),
		phaseOf(f, "classic-1", table.Deciding), press("do-raise:3"), phaseOf(f, "classic-1", table.Paid),
		chromedp.WaitReady(`#rounds a[href^="/check?"]`), chromedp.Evaluate(`document.querySelector("#rounds a[href^='/check?']").click()`, nil),
		chromedp.WaitVisible("#check-verdict[data-proven=true]"),
	)
	var failed, lines, committed int
	var counts string
	do(
		t, ann, chromedp.Evaluate(`document.querySelectorAll(".finding.failed").length`, &failed),
		chromedp.Evaluate(`document.querySelectorAll("[data-sentence=line]").length`, &lines),
		chromedp.Evaluate(`document.querySelectorAll(".finding.proven[data-sentence=commitment]").length`, &committed),
		chromedp.Text("[data-counts]", &counts),
	)
	if failed != 0 || lines < 3 || committed != 1 || !strings.HasPrefix(counts, "Table classic-1, round 1 ") {
		t.Errorf("%q: %d failed, %d lines, %d commitments", counts, failed, lines, committed)
	}
	// The replay leads there as well.
	do(
		t, ann, chromedp.Navigate(f.address+"/tables/classic-1/rounds/1"), chromedp.Click(`a[href="/check?round=1&table=classic-1"]`),
		chromedp.WaitVisible("#check-verdict[data-proven=true]"),
	)
	refused := func(round, want string) {
		t.Helper()
		var fault string
		do(
			t, ben, chromedp.Navigate(f.address+"/check?table=classic-1&round="+round),
			chromedp.Poll(`document.getElementById("check-fault").textContent.length > 25`, nil), chromedp.Text("#check-fault", &fault),
		)
		if !strings.HasPrefix(fault, want) {
			t.Errorf("the record of round %s is refused with %q", round, fault)
		}
	}
	refused("1", "Nobody is signed in here.")
	var links int
	do(
		t, ben, chromedp.Navigate(f.address+"/tables/classic-1"), chromedp.Click(".sit button"), chromedp.WaitVisible("#purse .balance"),
		chromedp.WaitReady("#rounds tbody tr"), chromedp.Evaluate(`document.querySelectorAll('#rounds a[href^="/check?"]').length`, &links),
	)
	if links != 0 {
		t.Error("somebody who did not bet in the round is led to its record")
	}
	refused("1", "This record is not handed out to you")
	refused("77", "There is no such table, or it has never played that round.")
	for _, complaint := range heard() {
		t.Error(complaint)
	}
}
