package table_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trey/card"
	"trey/internal/record"
	"trey/internal/stored"
	"trey/rules"
	"trey/rules/mbs3pictures"
	"trey/rules/rws3cp"
	"trey/table"
)

// A command that breaks two rules at once is refused for the one that is first
// in the list of reasons. Each case breaks what its two reasons name.
func TestReasonsInOrder(t *testing.T) {
	// The tables on which the cases stand, each at some point of a round.
	between := func(t *testing.T) *game { return play(t, rws3cp.Book(), rules.Shuffler, table.Read, limits) }
	betting := func(t *testing.T) *game {
		g := between(t)
		g.bets("ann")
		return g
	}
	asked := func(t *testing.T) *game {
		g := betting(t)
		g.do("dan", table.Report{Incident: rules.Uncovered})
		return g
	}
	dealing := func(t *testing.T) *game {
		g := play(t, rws3cp.Book(), rules.Shoe, table.Read, limits)
		g.bets("ann", "ben")
		g.do("ann", table.Bet{Box: 3, Player: "ann", Wager: rules.PairPlus, Amount: 1000})
		g.do("dan", table.CloseBets{})
		return g
	}
	offered := func(t *testing.T) *game {
		g := dealing(t)
		g.do("dan", dealt("2c 3c"))
		g.do("dan", table.Report{Incident: rules.DealingError, Box: 1})
		return g
	}
	deciding := func(t *testing.T) *game {
		g := dealing(t)
		g.do("dan", dealt("2c 3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc Ac"))
		g.do("ann", table.Examine{Box: 1, Player: "ann"})
		g.do("ben", table.Fold{Box: 2, Player: "ben"})
		return g
	}
	showing := func(t *testing.T) *game {
		g := deciding(t)
		g.do("ann", table.Raise{Box: 1, Player: "ann"})
		g.do("dan", table.Reveal{})
		return g
	}
	virtual := func(t *testing.T) *game { return play(t, rws3cp.Book(), rules.Shuffler, table.Virtual) }
	shared := func(t *testing.T) *game {
		g := play(t, mbs3pictures.Book(), rules.Shuffler, table.Read, limits)
		g.bets("ann")
		return g
	}
	viewing := func(t *testing.T) *game {
		g := shared(t)
		g.do("ben", table.Bet{Box: 1, Player: "ben", Wager: rules.Main, Amount: 1000, Standing: true})
		g.do("ann", table.Bet{Box: 2, Player: "ann", Wager: rules.Main, Amount: 1000})
		g.do("dan", table.CloseBets{})
		g.do("dan", dealt("2c 3c 4c 5c 6c 7c 8c 9c Tc"))
		g.do("ann", table.Examine{Box: 1, Player: "ann"})
		return g
	}
	down := func(t *testing.T) *game {
		g := between(t)
		g.do("dan", table.Report{Incident: rules.ProgressiveDown, Meter: 1})
		return g
	}
	nine := card.Card(99)

	for _, tt := range []struct {
		name   string
		at     func(*testing.T) *game
		by     string
		do     table.Action
		first  table.Reason
		second table.Reason
	}{
		{"open table", between, "dan", table.OpenTable{}, table.NotPermitted, table.WrongPhase},
		{"close table", betting, "dan", table.CloseTable{}, table.NotPermitted, table.WrongPhase},
		{"close table", asked, "pat", table.CloseTable{}, table.WrongPhase, table.QuestionOpen},
		{"open bets", betting, "ann", table.OpenBets{}, table.NotPermitted, table.WrongPhase},
		{"open bets", asked, "dan", table.OpenBets{}, table.WrongPhase, table.QuestionOpen},
		{"bet", between, "ann", table.Bet{Box: 1, Player: "ben", Wager: rules.Ante}, table.Malformed, table.NotPermitted},
		{"bet", between, "ann", table.Bet{Box: 1, Player: "ben", Wager: rules.Ante, Amount: 1000}, table.NotPermitted, table.WrongPhase},
		{"bet", offered, "ann", table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 1000}, table.WrongPhase, table.OfferOpen},
		{"bet", asked, "ann", table.Bet{Box: 9, Player: "ann", Wager: rules.Ante, Amount: 1000}, table.QuestionOpen, table.NoSuchBox},
		{"bet", betting, "ann", table.Bet{Box: 9, Player: "ann", Wager: rules.Tie, Amount: 1000}, table.NoSuchBox, table.NoSuchWager},
		{"bet", betting, "ben", table.Bet{Box: 1, Player: "ben", Wager: rules.Play, Amount: 1000, Standing: true}, table.NoSuchWager, table.NotSeated},
		{"bet", betting, "ben", table.Bet{Box: 1, Player: "ben", Wager: rules.Ante, Amount: 1000, Standing: true}, table.NotSeated, table.BoxTaken},
		{"bet", betting, "ben", table.Bet{Box: 1, Player: "ben", Wager: rules.Progressive, Amount: 500}, table.BoxTaken, table.NeedsOther},
		{"bet", betting, "ben", table.Bet{Box: 2, Player: "ben", Wager: rules.Progressive, Amount: 7}, table.NeedsOther, table.StakeSize},
		{"withdraw", between, "ann", table.Withdraw{Box: 1, Player: "ben", Wager: rules.Ante}, table.NotPermitted, table.WrongPhase},
		{"withdraw", asked, "ann", table.Withdraw{Box: 9, Player: "ann", Wager: rules.Ante}, table.QuestionOpen, table.NoSuchBox},
		{"withdraw", betting, "ann", table.Withdraw{Box: 9, Player: "ann", Wager: rules.Tie}, table.NoSuchBox, table.NotYours},
		{"found", between, "ann", table.Found{Box: 1, Wager: rules.Ante}, table.Malformed, table.NotPermitted},
		{"found", between, "ann", table.Found{Box: 1, Player: "ann", Wager: rules.Ante}, table.NotPermitted, table.WrongPhase},
		{"found", between, "dan", table.Found{Box: 9, Player: "ann", Wager: rules.Ante}, table.WrongPhase, table.NoSuchBox},
		{"found", betting, "dan", table.Found{Box: 9, Player: "ann", Wager: rules.Tie}, table.NoSuchBox, table.NoSuchWager},
		{"found", deciding, "dan", table.Found{Box: 2, Player: "ann", Wager: rules.Ante, AtCall: true}, table.BoxTaken, table.NotApplicable},
		{"close bets", between, "ann", table.CloseBets{}, table.NotPermitted, table.WrongPhase},
		{"close bets", asked, "dan", table.CloseBets{}, table.QuestionOpen, table.Unfinished},
		{"deal", virtual, "dan", table.Deal{Cards: []table.Drawn{{Card: nine, FaceUp: true}}}, table.Malformed, table.NotInGame},
		{"deal", virtual, "ann", table.Deal{Cards: []table.Drawn{{Card: 1, FaceUp: true}}}, table.NotInGame, table.NotPermitted},
		{"deal", betting, "ann", dealt("2c"), table.NotPermitted, table.WrongPhase},
		{"deal", offered, "dan", dealt("2c"), table.OfferOpen, table.WrongCards},
		{"deal", dealing, "dan", table.Deal{Cards: []table.Drawn{{To: table.Box(9)}}}, table.NoSuchBox, table.WrongCards},
		{"deal", offered, "dan", table.Deal{SkipBurn: true, Cards: dealt("2c").Cards}, table.OfferOpen, table.NotApplicable},
		{"finish deal", betting, "ann", table.FinishDeal{}, table.NotPermitted, table.WrongPhase},
		{"finish deal", offered, "dan", table.FinishDeal{}, table.OfferOpen, table.Unfinished},
		{"examine", betting, "ann", table.Examine{Box: 9, Player: "ann"}, table.WrongPhase, table.NoSuchBox},
		{"examine", offered, "ann", table.Examine{Box: 9, Player: "ann"}, table.OfferOpen, table.NoSuchBox},
		{"examine", deciding, "ann", table.Examine{Box: 9, Player: "ben"}, table.NoSuchBox, table.NotYours},
		{"examine", viewing, "ben", table.Examine{Box: 1, Player: "ben"}, table.NotSeated, table.NotYours},
		{"examine", deciding, "ann", table.Examine{Box: 2, Player: "ann"}, table.NotYours, table.OneHandOnly},
		{"examine", deciding, "ann", table.Examine{Box: 3, Player: "ann"}, table.OneHandOnly, table.NeverExamined},
		{"examine", dealing, "ben", table.Examine{Box: 1, Player: "ben"}, table.NotYours, table.Unfinished},
		{"raise", viewing, "ann", table.Raise{Box: 9, Player: "ben"}, table.NotInGame, table.NoSuchBox},
		{"raise", dealing, "ann", table.Raise{Box: 9, Player: "ann"}, table.WrongPhase, table.NoSuchBox},
		{"raise", deciding, "ben", table.Raise{Box: 3, Player: "ben"}, table.NeedsOther, table.NotYours},
		{"fold", deciding, "ann", table.Fold{Box: 2, Player: "ann"}, table.NotYours, table.AlreadyDone},
		{"lay up", betting, "ann", table.LayUp{Box: 9}, table.NotInGame, table.WrongPhase},
		{"lay up", shared, "ann", table.LayUp{Box: 9}, table.WrongPhase, table.NoSuchBox},
		{"lay up", viewing, "ben", table.LayUp{Box: 1, Hand: handOf("Ac")}, table.NotYours, table.WrongCards},
		{"show", deciding, "ann", table.Show{Box: 1}, table.NotPermitted, table.WrongPhase},
		{"show", deciding, "dan", table.Show{Box: 9}, table.WrongPhase, table.NoSuchBox},
		{"show", viewing, "dan", table.Show{Box: 1, Hand: handOf("Ac")}, table.NotYours, table.WrongCards},
		{"reveal", dealing, "ann", table.Reveal{}, table.NotPermitted, table.WrongPhase},
		{"reveal", deciding, "dan", table.Reveal{Hand: handOf("2c")}, table.Unfinished, table.WrongCards},
		{"settle", showing, "ann", table.Settle{Meter: -1}, table.Malformed, table.NotPermitted},
		{"settle", deciding, "ann", table.Settle{}, table.NotPermitted, table.WrongPhase},
		{"report", virtual, "dan", table.Report{Incident: rules.WrongCount}, table.Malformed, table.NotInGame},
		{"report", virtual, "ann", table.Report{Incident: rules.DealingError}, table.NotInGame, table.NotPermitted},
		{"report", betting, "ann", table.Report{Incident: rules.DealingError}, table.NotPermitted, table.WrongPhase},
		{"report", asked, "dan", table.Report{Incident: rules.DealingError}, table.WrongPhase, table.QuestionOpen},
		{"report", asked, "dan", table.Report{Incident: rules.Uncovered, Box: 9}, table.QuestionOpen, table.NoSuchBox},
		{"report", deciding, "dan", table.Report{Incident: rules.CardExposed, Box: 9, Cards: []table.Exposed{{At: table.Out}}}, table.NoSuchBox, table.WrongCards},
		{"report", deciding, "dan", table.Report{Incident: rules.SecondHand, Box: 4, Player: "ann"}, table.NoSuchBox, table.NotYours},
		{"answer", asked, "ann", table.Answer{Answer: "perhaps"}, table.Malformed, table.NotPermitted},
		{"answer", asked, "ann", table.Answer{Answer: "invalidate"}, table.NotPermitted, table.NotApplicable},
		{"choose", asked, "ann", table.Choose{Box: 1, Player: "ben"}, table.QuestionOpen, table.NotYours},
		{"choose", offered, "ben", table.Choose{Box: 2, Player: "ann"}, table.NotYours, table.NotApplicable},
		{"ask withdrawal", betting, "ann", table.AskWithdrawal{Box: 1, Player: "ann"}, table.NotInGame, table.WrongPhase},
		{"ask withdrawal", viewing, "ann", table.AskWithdrawal{Box: 9, Player: "ben"}, table.NoSuchBox, table.NotYours},
		{"ask withdrawal", viewing, "ann", table.AskWithdrawal{Box: 1, Player: "cai"}, table.NotYours, table.NotApplicable},
		{"expire", between, "ann", table.Expire{}, table.NotPermitted, table.WrongPhase},
		{"expire", asked, "dan", table.Expire{}, table.QuestionOpen, table.NotApplicable},
		{"restrict player", between, "ann", table.RestrictPlayer{}, table.Malformed, table.NotInGame},
		{"restrict player", between, "ann", table.RestrictPlayer{Player: "ann", Lift: true}, table.NotInGame, table.AlreadyDone},
		{"restrict player", shared, "ann", table.RestrictPlayer{Player: "ann", Lift: true}, table.NotPermitted, table.AlreadyDone},
		{"restrict areas", between, "ann", table.RestrictAreas{Max: 9}, table.NotInGame, table.NotPermitted},
		{"restrict areas", shared, "ann", table.RestrictAreas{Max: 9}, table.NotPermitted, table.NotApplicable},
		{"suspend progressive", shared, "ann", table.SuspendProgressive{}, table.Malformed, table.NotInGame},
		{"suspend progressive", shared, "ann", table.SuspendProgressive{Option: table.WithoutProgressive}, table.NotInGame, table.NotPermitted},
		{"suspend progressive", between, "pat", table.SuspendProgressive{Option: table.WithoutBoxes, Boxes: []int{9}}, table.NoSuchBox, table.NotApplicable},
		{"restore progressive", shared, "ann", table.RestoreProgressive{}, table.NotInGame, table.NotPermitted},
		{"restore progressive", betting, "pat", table.RestoreProgressive{}, table.WrongPhase, table.NotApplicable},
		{"open bets", down, "ann", table.OpenBets{}, table.NotPermitted, table.Unfinished},
	} {
		t.Run(tt.name+"/"+tt.first.String()+" before "+tt.second.String(), func(t *testing.T) {
			if tt.first >= tt.second {
				t.Fatalf("%s stands after %s in the list", tt.first, tt.second)
			}
			tt.at(t).refused(tt.by, tt.do, tt.first)
		})
	}
}

// declared lists the types of this package that have a method.
func declared(t *testing.T, method string) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil || f.Name.Name != method {
				continue
			}
			if of, ok := f.Recv.List[0].Type.(*ast.Ident); ok {
				names = append(names, of.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// An action or event without a stored type could be played and never be written down.
func TestEveryKindIsWrittenAndRead(t *testing.T) {
	for method, forms := range map[string][]stored.Form{"perform": record.Actions.Forms(), "apply": record.TableEvents.Forms()} {
		var names []string
		for _, form := range forms {
			names = append(names, form.Engine.Name())
		}
		slices.Sort(names)
		if want := declared(t, method); !slices.Equal(want, slices.Compact(names)) {
			t.Errorf("the types are %v, those that are stored %v", want, names)
		}
	}
}
