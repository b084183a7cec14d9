package web_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"trey/internal/steady"
	"trey/rules"
)

// The page has no engine, but still knows which command brings which event, and when. It
// refuses a round whose money, lines and cards all follow from its events, for an event that no
// command brought. Each case has a step more, or another event in a step, and the sentence that
// says so.
func TestCheckRefusesWhatNoCommandBrings(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	ctx, _ := checking(t, "en")
	samples := samples(t)
	const (
		// Where a step is put in: before the settlement, which has no number of its own.
		settling = "\n" + `{"at_ms":1000000,"by":{"name":"#5","role":"dealer"},"kind":"settle"`
		paying   = "\n" + `{"at_ms":1000000,"by":{"name":"#4","role":"dealer"},"kind":"settle"`
		dealing  = "\n" + `{"seq":17,"at_ms":1000000,"by":{"name":"#5","role":"dealer"},"kind":"deal"`
		raising  = "\n" + `{"seq":18,"at_ms":1000000,"by":{"name":"#3","role":"player"},"kind":"raise"`
		closing  = "\n" + `{"seq":16,"at_ms":1000000,"by":{"name":"#5","role":"dealer"},"kind":"close-bets"`
		opening  = `"events":[{"kind":"hand-shown","body":{"place":"1","hand":["4d","Ac","5c"]`
		back     = `{"kind":"bets-returned","body":{"clause":"dealing.2","lines":[{"box":1,"player":"#3","wager":"pair-plus","stake":500,"result":"returned","pays":0,"returned":500,"clause":"dealing.2"}]}}`
	)
	step := func(before, seq, by, kind, body, events string) string {
		name, role, _ := strings.Cut(by, " ")
		return "\n" + `{"seq":` + seq + `,"at_ms":1000000,"by":{"name":"` + name + `","role":"` + role + `"},"kind":"` + kind + `","body":` + body + `,"events":[` + events + `]},` + before
	}
	late := func(by, kind, body, events string) string { return step(settling, "21", by, kind, body, events) }
	raised := `"kind":"raise","body":{"box":1,"player":"#3"},`
	noted := func(kind string, box int) string {
		return fmt.Sprintf(`{"kind":%q,"body":{"hit":{"table":"A","round":"1","box":%d}`, kind, box) + map[bool]string{true: `,"dealt":{"at_ms":1000000,"sequence":2}}}`, false: `}}`}[kind == "hit-registered"]
	}
	paid := func(box int) string {
		return fmt.Sprintf(`{"kind":"hit-paid","body":{"hit":{"table":"A","round":"1","box":%d},"dealt":{"at_ms":1000000,"sequence":2},"amount":1000400,"from_meter":1000400,"from_house":0,"reset_by_house":1000000,"reset_from_reserve":0,"balance":{"meter":1000000,"reserve":0,"remainder":0}}}`, box)
	}
	tests := []struct {
		what, sample, old, other, sentence string
	}{
		{"a fold after the reveal", "settled", settling, late("#5 dealer", "fold", `{"box":1,"player":"#3"}`, `{"kind":"hand-folded","body":{"box":1,"player":"#3","clause":"dealing.4"}}`), "course failed untimely"},
		{"a fold of a hand that was played", "settled", settling, late("#5 dealer", "fold", `{"box":1,"player":"#3"}`, `{"kind":"hand-folded","body":{"box":1,"player":"#3","clause":"dealing.4"}}`), "course failed decided"},
		{"a fold for want of a decision after the reveal", "settled", settling, late("#5 dealer", "expire", `{}`, `{"kind":"hand-folded","body":{"box":1,"player":"#3","clause":"dealing.4"}}`), "course failed decided"},
		{"a bet after the reveal", "settled", settling, late("#4 player", "bet", `{"box":1,"player":"#4","wager":"ante","amount":500}`, `{"kind":"bet-placed","body":{"box":1,"player":"#4","wager":"ante","amount":500}}`), "course failed untimely"},
		{"a hand played after the reveal", "settled", settling, late("#3 player", "raise", `{"box":1,"player":"#3"}`, `{"kind":"hand-raised","body":{"box":1,"player":"#3","wager":"play","amount":1000}}`), "course failed untimely"},
		{"chips found after the reveal", "settled", settling, late("#5 dealer", "found", `{"box":1,"player":"#3","wager":"ante","amount":10}`, `{"kind":"stake-found","body":{"box":1,"player":"#3","wager":"ante","amount":10,"clause":"dealing.2"}}`), "course failed source"},
		{"chips found after the reveal, where there are any chips", "settled", settling, late("#5 dealer", "found", `{"box":1,"player":"#3","wager":"ante","amount":10}`, `{"kind":"stake-found","body":{"box":1,"player":"#3","wager":"ante","amount":10,"clause":"dealing.2"}}`), "course failed source"},
		{"a losing bet that goes back in the settlement", "settled", opening, strings.Replace(opening, "[", "["+back+",", 1), "course failed source"},
		{"a losing bet that is withdrawn", "settled", settling, late("#3 player", "withdraw", `{"box":1,"player":"#3","wager":"pair-plus"}`, back), "course failed untimely"},
		{"a losing bet that goes back by an option that nobody had", "settled", settling, late("#3 player", "choose", `{"box":1,"player":"#3","return":true}`, `{"kind":"offer-answered","body":{"box":1,"player":"#3","return":true,"clause":"dealing.2"}},`+back), "course failed source"},
		{"a losing bet that goes back by an answer that says nothing of it", "remedies", `{"kind":"payment-corrected"`, strings.Replace(back, "#3", "#4", 1) + `,{"kind":"payment-corrected"`, "course failed source"},
		{"a correction of another sum than was answered", "remedies", `"amount":20500`, `"amount":20400`, "course failed source"},
		{"a settlement after the end", "settled", settling, late("#5 dealer", "settle", `{}`, `{"kind":"settled","body":{}}`), "course failed untimely"},
		{"a hand about which nobody decides", "settled", `"kind":"hand-raised","body":{"box":1`, `"kind":"hand-raised","body":{"box":2`, "course failed undecided"},
		{"a hand that is kept down and known", "jackpot", paying, step(paying, "19", "#4 dealer", "keep-down", `{"box":1}`, `{"kind":"hand-kept-down","body":{"box":1,"clause":"4.5"}}`), "hands failed known"},
		{"a round that is void by its deal", "settled", `{"kind":"cards-dealt"`, `{"kind":"round-voided","body":{"clause":"dealing.2"}},{"kind":"cards-dealt"`, "course failed source"},
		{"a round that is void by an outcome that does not exist", "void", `"outcome":"void"`, `"outcome":"round-void"`, "course failed not-declared"},
		{"a round that is void by another clause than that of the book", "void", `"outcome":"void","clause":"5.7.2"`, `"outcome":"void","clause":"5.7.3"`, "course failed not-declared"},
		{"a round that is void by a stop after the reveal", "settled", settling, late("#5 dealer", "report", `{"incident":"interruption","lasted_ms":60000}`, `{"kind":"reported","body":{"report":{"incident":"interruption","lasted_ms":60000},"outcome":"void","clause":"ruling.interruption"}},{"kind":"round-voided","body":{"clause":"ruling.interruption"}}`), "course failed not-declared"},
		{"a round that is void by a report that goes on", "void", `"outcome":"void"`, `"outcome":"continue"`, "course failed source"},
		{"a round that is void by a wrong count where no hand has one", "settled", settling, late("#5 dealer", "report", `{"incident":"wrong-count","dealer":true,"count":4}`, `{"kind":"reported","body":{"report":{"incident":"wrong-count","dealer":true,"count":4},"outcome":"void","clause":"irregularities.2"}},{"kind":"round-voided","body":{"clause":"irregularities.2"}}`), "course failed not-declared"},
		{"a report of what cannot happen where the program deals", "void", `"kind":"report","body":{"incident":"interruption","lasted_ms":15000},"events":[{"kind":"reported","body":{"report":{"incident":"interruption","lasted_ms":15000},"outcome":"void","clause":"5.7.2"}}`, `"kind":"report","body":{"incident":"foreign-card"},"events":[{"kind":"reported","body":{"report":{"incident":"foreign-card"},"outcome":"void","clause":"5.8.1"}}`, "course failed impossible"},
		{"a hand folded for its player at a screen", "settled", `"name":"#4","role":"player"},"kind":"fold"`, `"name":"#5","role":"dealer"},"kind":"fold"`, "course failed not-theirs"},
		{"a hand played before it is dealt", "settled", dealing, step(dealing, "17", "#3 player", "raise", `{"box":1,"player":"#3"}`, `{"kind":"hand-raised","body":{"box":1,"player":"#3","wager":"play","amount":1000}}`), "course failed untimely"},
		{"a round that is void by a stop after a deal that settles it", "settled", raising, step(raising, "18", "#5 dealer", "report", `{"incident":"interruption","lasted_ms":60000}`, `{"kind":"reported","body":{"report":{"incident":"interruption","lasted_ms":60000},"outcome":"void","clause":"ruling.interruption"}},{"kind":"round-voided","body":{"clause":"ruling.interruption"}}`), "course failed not-declared"},
		{"a late bet taken off by more than it was, where there are any chips", "settled", settling, late("#5 dealer", "report", `{"incident":"late-bet","box":1,"player":"#3","wager":"ante","amount":100,"counted":true}`, `{"kind":"reported","body":{"report":{"incident":"late-bet","box":1,"player":"#3","wager":"ante","amount":100,"counted":true},"outcome":"not-honoured","clause":"dealing.2"}},{"kind":"stake-found","body":{"box":1,"player":"#3","wager":"ante","amount":10,"clause":"dealing.2"}}`), "course failed source"},
		{"a bet that is not low and goes back as the bets are closed", "settled", `"events":[{"kind":"bets-closed"`, `"events":[` + back + `,{"kind":"bets-closed"`, "course failed source"},
		{"another bet that is withdrawn", "settled", closing, step(closing, "16", "#3 player", "withdraw", `{"box":1,"player":"#3","wager":"ante"}`, back), "course failed follows-differs"},
		{"a withdrawal asked for where nothing went wrong", "withdrawn", `"kind":"report","body":{"incident":"interruption","lasted_ms":15000}`, `"kind":"ask-withdrawal","body":{"box":1,"player":"#3"}`, "course failed untimely"},
		{"a jackpot that failed at another value", "void", `"moved":[{"kind":"contributions-reversed"`, `"moved":[{"kind":"system-went-down","body":{"registered":2000000}},{"kind":"contributions-reversed"`, "jackpot failed displayed-differs"},
		{"cards that move by a report that goes on", "settled", settling, late("#5 dealer", "report", `{"incident":"walked-away","player":"#3"}`, `{"kind":"reported","body":{"report":{"incident":"walked-away","player":"#3"},"outcome":"continue","clause":"rules.3"}},{"kind":"cards-moved","body":{"clause":"rules.3","moves":[{"slot":0,"to":"dealer"},{"slot":6,"to":"1"}]}}`), "course failed source"},
		{"cards of a committed deck that move by the book", "settled", settling, late("#5 dealer", "report", `{"incident":"dealt-incorrectly"}`, `{"kind":"reported","body":{"report":{"incident":"dealt-incorrectly"},"outcome":"move-hands","clause":"ruling.silent_irregularity"}},{"kind":"cards-moved","body":{"clause":"ruling.silent_irregularity","moves":[{"slot":0,"to":"dealer"},{"slot":6,"to":"1"}]}}`), "cards failed place"},
		{"a question that the book does not have", "remedies", `"answers":[{"key":"continue","then":"continue"`, `"answers":[{"key":"continue","then":"void"`, "course failed not-asked"},
		{"a jackpot paid to a box where nobody is", "jackpot", raised, raised + `"moved":[` + paid(2) + `],`, "jackpot failed hit-order"},
		{"a jackpot registered, confirmed and paid, and no line takes it", "jackpot", raised, raised + `"moved":[` + noted("hit-registered", 2) + "," + noted("hit-confirmed", 2) + "," + paid(2) + `],`, "jackpot failed hit-differs"},
		{"a hit that nobody confirmed", "jackpot", noted("hit-confirmed", 1) + ",", "", "jackpot failed hit-order"},
		{"a winner who is another", "jackpot", `"reset_from_reserve":0,"balance"`, `"reset_from_reserve":0,"winner":"#8","balance"`, "jackpot failed hit-differs"},
		{"a sum held that nobody has to verify", "jackpot", `"reset_from_reserve":0,"balance"`, `"reset_from_reserve":0,"winner":"#3","held":true,"balance"`, "jackpot failed hit-differs"},
		{"terms out of nothing", "jackpot", `"reset_from_reserve":0,"balance"`, `"reset_from_reserve":0,"new_terms":{"bet":500,"reset":1,"rate":{"num":0,"den":100},"ceiling":100000000,"overflow":"on-top"},"balance"`, "jackpot failed new-terms"},
		{"a meter that begins with less", "jackpot", `"reset_by_house":1000000`, `"reset_by_house":1`, "jackpot failed reset-differs"},
		{"contributions that go back and never came", "jackpot", raised, raised + `"moved":[{"kind":"contributions-reversed","body":{"round":{"table":"A","round":"1"},"bets":0,"stake":0,"from_meter":900000,"from_reserve":0,"from_house":0,"balance":{"meter":100400,"reserve":0,"remainder":0}}}],`, "jackpot failed contribution-differs"},
		{"contributions that go back with more", "void", `"from_meter":200,"from_house":0,"balance":{"meter":1000000`, `"from_meter":300,"from_house":0,"balance":{"meter":999900`, "jackpot failed contribution-differs"},
		{"a hit collected again that was never paid", "jackpot", raised, raised + `"moved":[{"kind":"hit-reversed","body":{"hit":{"table":"A","round":"1","box":2},"amount":0,"to_meter":0,"to_house":0,"reset_to_house":900000,"to_reserve":0,"balance":{"meter":100400,"reserve":0,"remainder":0}}}],`, "jackpot failed hit-order"},
		{"a hit collected again for less", "held", `"reset_to_house":1000000`, `"reset_to_house":999999`, "jackpot failed hit-reversed"},
		{"a hit collected again from another", "held", `"payable":"#3"`, `"payable":"#4"`, "jackpot failed hit-reversed"},
		{"a player who settles", "settled", settling, strings.Replace(settling, "#5\",\"role\":\"dealer", "#3\",\"role\":\"player", 1), "course failed not-staff"},
		{"odds below nothing, in terms with their hash", "settled", `"to":1,"for":1`, `"to":-1,"for":1`, "rules failed unreadable"},
		{"a limit below nothing, in terms with their hash", "settled", `"min":0`, `"min":-1`, "rules failed unreadable"},
		{"a field that nothing carries", "settled", `"carried":{}`, `"carried":{"luck":1}`, "record failed malformed"},
		{"something carried that is nothing", "settled", `"carried":{}`, `"carried":{"down":false}`, "record failed malformed"},
		{"a seed with a line of its own", "settled", `"text":"7 \u003c\u003e 8"`, `"text":"7\u2028 8"`, "record failed malformed"},
		{"a seed that is too long", "settled", `"text":"7 \u003c\u003e 8"`, `"text":"` + strings.Repeat("é", 33) + `"`, "record failed malformed"},
		{"a jackpot that fell to a cent", "jackpot", raised, raised + strings.Replace(meterOf(t, samples["jackpot"]), `"meter":1000200`, `"meter":1`, 1) + ",", "jackpot open meter-fell"},
		{"a failure before the look that was denied", "failed", `{"report":{"incident":"progressive-down",`, `{"report":{"incident":"progressive-down","before_look":true,`, "course failed follows-differs"},
		{"a failure of which nobody is told after its time was denied", "failed", `,{"kind":"reported","body":{"report":{"incident":"progressive-down","meter":1000200},"outcome":"keep-registered","clause":"5.17.1"}}`, "", "course failed follows"},
		{"no checkpoint before the bets", "settled", coverOf(t, samples["settled"]), "", "commitment open checkpoint-none"},
		{"less than nothing, and nothing", "settled", `"pays":0,`, `"pays":-0,`, "syntax"},
	}
	var texts []string
	for _, tt := range tests {
		text := strings.Replace(samples[tt.sample], tt.old, tt.other, 1)
		if strings.HasSuffix(tt.what, "in terms with their hash") {
			text = withTerms(t, samples[tt.sample], tt.old, tt.other)
		}
		if text == samples[tt.sample] {
			t.Fatalf("%s: the sample has no %q", tt.what, tt.old)
		}
		if strings.HasSuffix(tt.what, "where there are any chips") {
			text = strings.Replace(text, `"cards":"virtual"`, `"cards":"virtual","chips":true`, 1)
		}
		texts = append(texts, text)
	}
	for i, found := range check(t, ctx, texts) {
		switch tt := tests[i]; {
		case !slices.Contains(found.Sentences, tt.sentence):
			t.Errorf("%s: the page does not say %q: %v", tt.what, tt.sentence, found.Sentences)
		case verified(texts[i]):
			t.Errorf("%s: the program does not notice", tt.what)
		}
	}
}

// withTerms alters the terms of a record, and the hash by which it names them.
func withTerms(t *testing.T, text, old, other string) string {
	t.Helper()
	var r struct{ Terms string }
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	altered := strings.Replace(r.Terms, old, other, 1)
	return strings.NewReplacer(
		`"terms":`+quoted(r.Terms), `"terms":`+quoted(altered), rules.HashOf([]byte(r.Terms)), rules.HashOf([]byte(altered)),
	).Replace(text)
}

// meterOf returns the first jackpot in a sample.
func meterOf(t *testing.T, text string) string {
	return between(t, text, `"meter":{`, `"reserve_adjustments":0}}`)
}

// coverOf returns the member of a sample with the checkpoint from before the bets.
func coverOf(t *testing.T, text string) string { return between(t, text, `"checkpoint":"`, `",`) }

// between returns the part of a text from one mark on up to the end of the next other one.
func between(t *testing.T, text, from, to string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, from)
	part, _, ends := strings.Cut(rest, to)
	if !found || !ends {
		t.Fatalf("the sample has no %q up to %q", from, to)
	}
	return from + part + to
}
