package web_test

import (
	"slices"
	"strings"
	"testing"
)

// The page has no engine, and still knows which command brings which event, and when: a round
// whose money, lines and cards all follow from its events is refused for an event that no command
// brought. Each case has a step more, or another event in a step, and the sentence that says so.
func TestCheckRefusesWhatNoCommandBrings(t *testing.T) {
	t.Parallel()
	ctx, _ := checking(t, "en")
	samples := samples(t)
	const (
		// Where a step is put in: before the settlement, which has no number of its own.
		settling = "\n" + `{"at_ms":1000000,"by":{"name":"#5","role":"dealer"},"kind":"settle"`
		paying   = "\n" + `{"at_ms":1000000,"by":{"name":"#4","role":"dealer"},"kind":"settle"`
		shown    = `"events":[{"kind":"hand-shown","body":{"place":"1","hand":["4d","Ac","5c"]`
		back     = `{"kind":"bets-returned","body":{"clause":"dealing.2","lines":[{"box":1,"player":"#3","wager":"pair-plus","stake":500,"result":"returned","pays":0,"returned":500,"clause":"dealing.2"}]}}`
	)
	step := func(before, seq, by, kind, body, events string) string {
		name, role, _ := strings.Cut(by, " ")
		return "\n" + `{"seq":` + seq + `,"at_ms":1000000,"by":{"name":"` + name + `","role":"` + role + `"},"kind":"` + kind + `","body":` + body + `,"events":[` + events + `]},` + before
	}
	late := func(by, kind, body, events string) string { return step(settling, "21", by, kind, body, events) }
	tests := []struct {
		what, sample, old, other, sentence string
	}{
		{"a fold after the reveal", "settled", settling, late("#5 dealer", "fold", `{"box":1,"player":"#3"}`, `{"kind":"hand-folded","body":{"box":1,"player":"#3","clause":"dealing.4"}}`), "course failed untimely"},
		{"a fold of a hand that was played", "settled", settling, late("#5 dealer", "fold", `{"box":1,"player":"#3"}`, `{"kind":"hand-folded","body":{"box":1,"player":"#3","clause":"dealing.4"}}`), "course failed decided"},
		{"a fold for want of a decision after the reveal", "settled", settling, late("#5 dealer", "expire", `{}`, `{"kind":"hand-folded","body":{"box":1,"player":"#3","clause":"dealing.4"}}`), "course failed decided"},
		{"a bet after the reveal", "settled", settling, late("#4 player", "bet", `{"box":1,"player":"#4","wager":"ante","amount":500}`, `{"kind":"bet-placed","body":{"box":1,"player":"#4","wager":"ante","amount":500}}`), "course failed untimely"},
		{"a hand played after the reveal", "settled", settling, late("#3 player", "raise", `{"box":1,"player":"#3"}`, `{"kind":"hand-raised","body":{"box":1,"player":"#3","wager":"play","amount":1000}}`), "course failed untimely"},
		{"chips found after the reveal", "settled", settling, late("#5 dealer", "found", `{"box":1,"player":"#3","wager":"ante","amount":10}`, `{"kind":"stake-found","body":{"box":1,"player":"#3","wager":"ante","amount":10,"clause":"dealing.2"}}`), "course failed source"},
		{"chips found after the reveal, where there are any", "settled", settling, late("#5 dealer", "found", `{"box":1,"player":"#3","wager":"ante","amount":10}`, `{"kind":"stake-found","body":{"box":1,"player":"#3","wager":"ante","amount":10,"clause":"dealing.2"}}`), "course failed source"},
		{"a losing bet that goes back in the settlement", "settled", shown, strings.Replace(shown, "[", "["+back+",", 1), "course failed source"},
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
		{"cards that move by a report that goes on", "settled", settling, late("#5 dealer", "report", `{"incident":"walked-away","player":"#3"}`, `{"kind":"reported","body":{"report":{"incident":"walked-away","player":"#3"},"outcome":"continue","clause":"rules.3"}},{"kind":"cards-moved","body":{"clause":"rules.3","moves":[{"slot":0,"to":"dealer"},{"slot":6,"to":"1"}]}}`), "course failed source"},
		{"cards of a committed deck that move by the book", "settled", settling, late("#5 dealer", "report", `{"incident":"dealt-incorrectly"}`, `{"kind":"reported","body":{"report":{"incident":"dealt-incorrectly"},"outcome":"move-hands","clause":"ruling.silent_irregularity"}},{"kind":"cards-moved","body":{"clause":"ruling.silent_irregularity","moves":[{"slot":0,"to":"dealer"},{"slot":6,"to":"1"}]}}`), "cards failed place"},
		{"a question that the book does not have", "remedies", `"answers":[{"key":"continue","then":"continue"`, `"answers":[{"key":"continue","then":"void"`, "course failed not-asked"},
	}
	var texts []string
	for _, tt := range tests {
		text := strings.Replace(samples[tt.sample], tt.old, tt.other, 1)
		if text == samples[tt.sample] {
			t.Fatalf("%s: the sample has no %q", tt.what, tt.old)
		}
		if strings.HasSuffix(tt.what, "where there are any") {
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
