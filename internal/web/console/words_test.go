package console

import (
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/posting"
	"trey/internal/web/lang"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// Everything that the house and the books name has its words here; a missing message panics.
func TestEverythingHasWords(t *testing.T) {
	p := lang.Printer{Language: lang.English}
	for phase := table.Ready; phase.String() != "unknown"; phase++ {
		p.T("console.phase-" + phase.String())
	}
	for option := table.CloseTableOption; option <= table.WithoutProgressive; option++ {
		p.T("console.do-suspend-" + option.String())
	}
	for sight := table.Virtual; sight <= table.Unseen; sight++ {
		p.T("console.cards-" + sight.String())
	}
	for _, mode := range house.Modes() {
		p.T("console.mode-" + mode.String())
	}
	for _, pace := range paces(&house.Pace{}) {
		p.T("console.pace-" + pace.name)
	}
	for _, role := range access.Roles() {
		p.T("role." + role.String())
	}
	for role := rules.Player; role <= rules.ShiftManager; role++ {
		p.T("function." + role.String())
	}
	for _, cause := range posting.AdjustmentCauses() {
		p.T("cause." + cause.String())
	}
	for _, cause := range potCauses() {
		p.T("cause." + cause.String())
	}
	for _, name := range order {
		p.T("console.do-" + name)
	}
	for _, answer := range []string{"yes", "no"} {
		p.T("console.answer-facts-" + answer)
	}
	for _, kind := range table.RemedyKinds() {
		p.T("remedy." + kind.String())
	}
	for _, to := range []table.Decision{table.Undecided, table.Played, table.Folded} {
		p.T("console.remedy-" + to.String())
	}
	for _, b := range books.All() {
		for i := range b.Incidents {
			for _, c := range b.Incidents[i].Cases {
				if c.Question == nil {
					continue
				}
				for _, a := range c.Question.Answers {
					p.T("console.answer-" + a.Key)
				}
			}
		}
	}
}

func TestCardsAsTheyAreTyped(t *testing.T) {
	tests := []struct{ typed, want string }{
		{"Qh 10s 4c", "Qh Ts 4c"},
		{"qH, tS\n4C", "Qh Ts 4c"},
		{"?? ??", "?? ??"},
		{"Qh>3 2d>dealer! Ac!", "Qh>3 2d>dealer! Ac!"},
	}
	for _, test := range tests {
		cards, err := parseCards(test.typed)
		if err != nil {
			t.Errorf("%q: %v", test.typed, err)
			continue
		}
		got := ""
		for i, c := range cards {
			if i > 0 {
				got += " "
			}
			got += c.Card.String()
			if c.To != 0 {
				got += ">" + placeKey(c.To)
			}
			if c.FaceUp {
				got += "!"
			}
		}
		if got != test.want {
			t.Errorf("%q is read as %q, want %q", test.typed, got, test.want)
		}
	}
	for _, wrong := range []string{"Xh", "Q", "1s", "Qh>99", "Qh>", "QhQh"} {
		if cards, err := parseCards(wrong); err == nil {
			t.Errorf("%q is read as %v", wrong, cards)
		}
	}
}
