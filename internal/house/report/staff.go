package report

import (
	"cmp"
	"maps"
	"slices"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/proof"
	"trey/internal/ledger"
	"trey/internal/record"
	"trey/internal/stored"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// byStaff reports whether a person of the staff gave the command of a transaction, neither a player
// nor the house itself.
func byStaff(e *house.StoredTransaction) bool {
	switch e.Cause.Role {
	case "", access.Player.String(), access.Guest.String(), proof.KeeperRole:
		return false
	}
	return true
}

// found returns what a player had to lay beyond what was recorded, because chips were found to be
// another stake than that; below zero if less lay there.
func found(e *house.StoredTransaction, at string, bet *table.BetEffect) (more money.Amount) {
	for p, side := range sides(e) {
		of := &p.For
		if of.Reason != ledger.Found || of.Table != at || of.Box != bet.Box || of.Wager != bet.Wager || side.of != (ledger.Account{Kind: ledger.Player, Of: bet.Player}) {
			continue
		}
		if side.in {
			return -p.Amount
		}
		return p.Amount
	}
	return 0
}

// staffBets shows what the staff entered at tables for players: bets, decisions, bets that were
// taken back, and stakes that were found to be others than the record had.
type staffBets struct {
	table, player string
	kinds         map[string]bool
	rounds        map[string]int
	tables        map[staffAt]*entered
	players       map[staffAt]*entered
	list          Section
	add           adder
}

// staffAt is a person of the staff at a table, or for a player.
type staffAt struct{ at, by, role string }

// entered sums up what a person entered.
type entered struct {
	bets, raises, folds, options, back, changed int64
	placed, raised, returned, more, less        money.Amount
}

func newStaffBets(q *Query) *staffBets {
	return &staffBets{
		table: q.Table, player: q.Player, rounds: map[string]int{}, tables: map[staffAt]*entered{}, players: map[staffAt]*entered{},
		kinds: kindsOf(table.BetsOpened{}, table.BetPlaced{}, table.HandRaised{}, table.HandFolded{}, table.OfferAnswered{},
			table.BetsReturned{}, table.HandInvalidated{}, table.RoundVoided{}, table.StakeFound{}),
		list: Section{Title: "Bets taken back and stakes changed", Columns: []Column{
			{"at", "Time", TimeMs},
			{"seq", "Transaction", Count},
			{"table", "Table", Text},
			{"round", "Round", Count},
			{"box", "Box", Count},
			{"player", "Player", Text},
			{"what", "What", Text},
			{"wager", "Wager", Text},
			{"before", "Before", Money},
			{"after", "After", Money},
			{"clause", "Clause", Text},
			{"by", "By", Text},
			{"role", "Role", Text},
		}},
	}
}

// entries are the commands by which the staff acts in the place of a player.
var entries = map[string]bool{
	record.Actions.Name(table.Bet{}): true, record.Actions.Name(table.Raise{}): true, record.Actions.Name(table.Fold{}): true,
	record.Actions.Name(table.Expire{}): true, record.Actions.Name(table.Choose{}): true, record.Actions.Name(table.Withdraw{}): true,
	record.Actions.Name(table.AskWithdrawal{}): true,
}

func (g *staffBets) see(e *house.StoredTransaction, within bool) error {
	err := tableEvents(e, g.kinds, func(name string, event table.Event) error {
		does := table.EffectOf(event)
		if does.Begins != 0 {
			g.rounds[name] = does.Begins
		}
		if within && byStaff(e) && (g.table == "" || g.table == name) {
			g.event(e, name, event, &does)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return g.add.err
}

func (g *staffBets) event(e *house.StoredTransaction, name string, event table.Event, does *table.Effect) {
	// Who is counted by the table and by the player, unless another player is asked for.
	count := func(player string, put func(*entered)) {
		if g.player == "" || g.player == player {
			put(at(g.tables, staffAt{name, e.Cause.By, e.Cause.Role}))
			put(at(g.players, staffAt{player, e.Cause.By, e.Cause.Role}))
		}
	}
	change := func(box int, player string, wager rules.Wager, before, after money.Amount, clause string) {
		if g.player == "" || g.player == player {
			g.list.add(e.AtMs, e.Seq, name, int64(g.rounds[name]), int64(box), player, record.TableEvents.Name(event), wager.String(), before, after, clause, e.Cause.By, e.Cause.Role)
		}
	}
	bet := &does.Bet
	if bet.Use == table.BetFound {
		more := found(e, name, bet)
		count(bet.Player, func(sums *entered) {
			sums.changed++
			g.add.to(&sums.more, max(more, 0))
			g.add.to(&sums.less, max(-more, 0))
		})
		change(bet.Box, bet.Player, bet.Wager, bet.Amount-more, bet.Amount, bet.Clause)
		return
	}
	if !entries[stored.Name(e.Cause.Kind)] {
		return // It follows from the rules, or a person decided it, which stands among the irregularities.
	}
	switch bet.Use {
	case table.BetAdds:
		count(bet.Player, func(sums *entered) {
			sums.bets++
			g.add.to(&sums.placed, bet.Amount)
		})
	case table.BetRaises:
		count(bet.Player, func(sums *entered) {
			sums.raises++
			g.add.to(&sums.raised, bet.Amount)
		})
	case table.BetFound: // above
	}
	if does.LineUse == table.LinesReturn || does.LineUse == table.LinesCancel {
		for i := range does.Lines {
			l := &does.Lines[i]
			count(l.Player, func(sums *entered) {
				sums.back++
				g.add.to(&sums.returned, l.Returned)
			})
			change(l.Box, l.Player, l.Wager, l.Returned, 0, l.Clause)
		}
	}
	switch event := event.(type) { // decisions, which move no money by themselves
	case table.HandFolded:
		count(event.Player, func(sums *entered) { sums.folds++ })
	case table.OfferAnswered:
		count(event.Player, func(sums *entered) { sums.options++ })
	}
}

func (g *staffBets) sections() ([]Section, []Words, error) {
	tables := g.section("By table and person", Column{"table", "Table", Text}, g.tables)
	players := g.section("By player and person", Column{"player", "Player", Text}, g.players)
	return []Section{tables, players, g.list}, nil, g.add.err
}

// section lists what persons entered at each table or for each player.
func (g *staffBets) section(title string, first Column, of map[staffAt]*entered) Section {
	s := Section{Title: title, Columns: []Column{
		first,
		{"by", "By", Text},
		{"role", "Role", Text},
		{"bets", "Bets", Count},
		{"placed", "Bets placed", Money},
		{"raises", "Hands played", Count},
		{"raised", "Play bets", Money},
		{"folds", "Hands folded", Count},
		{"options", "Options answered", Count},
		{"back", "Bets taken back", Count},
		{"returned", "Returned", Money},
		{"changed", "Stakes changed", Count},
		{"more", "Found to be more", Money},
		{"less", "Found to be less", Money},
	}}
	row := func(at staffAt, by, role any, m *entered) Row {
		return Row{at.at, by, role, m.bets, m.placed, m.raises, m.raised, m.folds, m.options, m.back, m.returned, m.changed, m.more, m.less}
	}
	var all entered
	keys := slices.SortedFunc(maps.Keys(of), func(a, b staffAt) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by), cmp.Compare(a.role, b.role))
	})
	for _, key := range keys {
		m := of[key]
		s.add(row(key, key.by, key.role, m)...)
		all.bets += m.bets
		all.raises += m.raises
		all.folds += m.folds
		all.options += m.options
		all.back += m.back
		all.changed += m.changed
		for _, pair := range [][2]*money.Amount{
			{&all.placed, &m.placed}, {&all.raised, &m.raised}, {&all.returned, &m.returned}, {&all.more, &m.more}, {&all.less, &m.less},
		} {
			g.add.to(pair[0], *pair[1])
		}
	}
	s.Totals = row(staffAt{at: "Total"}, nil, nil, &all)
	return s
}
