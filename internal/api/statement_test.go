package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"trey/internal/house"
	"trey/internal/ledger"
	"trey/internal/steady"
	"trey/money"
)

// account is a [Record] of the movements of one account, and of the rounds of all tables.
type account struct {
	Record
	movements []house.Movement // the oldest first
	rounds    map[string][]house.RoundMark
	left      int // readings until one fails, at its end; zero for none
}

// ended returns the error of a reading.
func (a *account) ended() error {
	if a.left--; a.left == 0 {
		return errGone
	}
	return nil
}

func (a *account) Movements(_ context.Context, _ ledger.Account, before int64, limit int, yield func(house.Movement) error) error {
	return latestFirst(a, a.movements, func(m house.Movement) bool { return before == 0 || m.Seq < before }, limit, yield)
}

func (a *account) Rounds(_ context.Context, stream string, before, limit int, yield func(house.RoundMark) error) error {
	return latestFirst(a, a.rounds[stream], func(m house.RoundMark) bool { return before == 0 || m.Round < before }, limit, yield)
}

// latestFirst yields what is asked for of a list, the newest first, and at most so many.
func latestFirst[T any](a *account, all []T, asked func(T) bool, limit int, yield func(T) error) error {
	for _, m := range slices.Backward(all) {
		if !asked(m) {
			continue
		}
		if limit--; limit < 0 {
			break
		}
		if err := yield(m); err != nil {
			return err
		}
	}
	return a.ended()
}

// playing holds the settings of rounds for a test of statements.
type playing struct {
	tables   []string // the account is played at the first one most often, and at the last one least
	rounds   int
	holds    bool // jackpots are held, and handed out at some time or never
	settling int  // settlements in a round
}

// play returns the record of rounds at several tables at once, and what a statement has to say
// of each round that the account was played in, the newest first.
func (p playing) play(chance *rand.Rand, player ledger.Account) (*account, []PlayedRound) {
	record := &account{rounds: map[string][]house.RoundMark{}}
	seq := int64(0)
	next := func() int64 { seq += 1 + chance.Int64N(3); return seq }
	played := map[roundKey]*PlayedRound{}
	move := func(key roundKey, command string, staked, back money.Amount, postings ...ledger.Posting) {
		m := house.Movement{Seq: next(), AtMs: 1000 + seq, After: money.Amount(5000 + seq), Cause: house.Cause{Kind: command}, Postings: postings}
		record.movements = append(record.movements, m)
		if key.round == 0 {
			return
		}
		r := played[key]
		if r == nil {
			r = &PlayedRound{Table: key.table, Round: key.round}
			played[key] = r
		}
		r.Staked, r.Back = r.Staked+staked, r.Back+back
		r.Net, r.AtMs, r.After, r.seq = r.Back-r.Staked, m.AtMs, m.After, m.Seq
	}
	payable := ledger.Account{Kind: ledger.Payable, Of: "linked"}
	post := func(from, to ledger.Account, amount money.Amount, reason ledger.Reason, key roundKey) ledger.Posting {
		return ledger.Posting{From: from, To: to, Amount: amount, For: ledger.Reference{Reason: reason, Table: key.table, Round: key.round}}
	}
	type win struct {
		key    roundKey
		amount money.Amount
	}
	var held []win
	for begun := 0; begun < p.rounds; {
		at := 0
		for at+1 < len(p.tables) && chance.IntN(4) == 0 {
			at++
		}
		stream := "table:" + p.tables[at]
		key := roundKey{p.tables[at], len(record.rounds[stream])}
		layout := ledger.Account{Kind: ledger.Layout, Of: key.table}
		amount := money.Amount(1 + chance.IntN(1000))
		switch what := chance.IntN(2 * (p.settling + 2)); {
		case key.round == 0 || what == 0: // the next round, which others may play as well
			key.round++
			record.rounds[stream] = append(record.rounds[stream], house.RoundMark{Round: key.round, Seq: next()})
			if begun++; chance.IntN(4) > 0 {
				move(key, "bet", amount, 0, post(player, layout, amount, ledger.Bet, key))
			}
		case what == 1:
			switch chance.IntN(5) {
			case 0: // more lies there than was entered
				move(key, "found", amount, 0, post(player, layout, amount, ledger.Found, key))
			case 1: // less does
				move(key, "found", -amount, 0, post(layout, player, amount, ledger.Found, key))
			case 2:
				move(key, "withdraw", -amount, 0, post(layout, player, amount, ledger.StakeReturned, key))
			case 3: // a wager for which another one is missing
				move(key, "close-bets", -amount, 0, post(layout, player, amount, ledger.StakeReturned, key))
			default:
				move(key, "bet", amount, 0, post(player, layout, amount, ledger.Bet, key))
			}
		case what == 2: // at the cage
			move(roundKey{}, "cage", 0, 0, post(ledger.Account{Kind: ledger.House}, player, amount, ledger.BuyIn, roundKey{}))
		case what == 3 && len(held) > 0:
			i := chance.IntN(len(held))
			move(held[i].key, "approve", 0, held[i].amount, post(payable, player, held[i].amount, ledger.Released, held[i].key))
			held = slices.Delete(held, i, i+1)
		case what == 4 && p.holds:
			held = append(held, win{key, amount})
			move(key, "settle", 0, 0, post(layout, player, amount, ledger.Winnings, key), post(player, payable, amount, ledger.Held, key))
		case what > p.settling+2: // a stake comes back, something is won, and something else collected
			move(key, "settle", 0, 3*amount,
				post(layout, player, amount, ledger.StakeReturned, key), post(layout, player, 3*amount, ledger.Winnings, key),
				post(layout, ledger.Account{Kind: ledger.Player, Of: "ben"}, 7, ledger.Winnings, key), post(player, layout, amount, ledger.Collected, key))
		}
	}
	var all []PlayedRound
	for _, r := range played {
		all = append(all, *r)
	}
	slices.SortFunc(all, func(a, b PlayedRound) int { return cmp.Compare(b.seq, a.seq) })
	return record, all
}

// A statement has each round of a player once, with all that the round moved, in the order of the
// last movements, however many tables are played at once, however long a round lasts, and however
// late a jackpot is handed out. Its pages are full, save the last one and those from which a
// jackpot took a round.
func TestAStatementHasEachRoundOnce(t *testing.T) {
	s := newSite(t)
	tables := []string{"T1", "T2", "T3"}
	for _, name := range tables {
		s.install(name, "us-3cp")
	}
	player := ledger.Account{Kind: ledger.Player, Of: "ann"}
	check := func(name string, record *account, want []PlayedRound, limit int, full bool) {
		t.Helper()
		s.server.Record = record
		var got []PlayedRound
		for in := (Page{Limit: limit}); ; {
			page, err := s.server.statementOf(t.Context(), player, &in)
			if err != nil {
				t.Fatal(err)
			}
			rounds, next := page.Body.Rounds, page.Body.Next
			got = append(got, rounds...)
			if len(rounds) > limit || full && next != 0 && (len(rounds) < limit || next != rounds[limit-1].seq) {
				t.Errorf("%s: a page of %d has %d rounds, and the next one begins with %d", name, limit, len(rounds), next)
			}
			if next == 0 {
				break
			}
			if in.Before > 0 && next >= in.Before {
				t.Fatalf("%s: the page before %d leads to %d", name, in.Before, next)
			}
			in.Before = next
		}
		if !slices.Equal(got, want) {
			for i := range max(len(got), len(want)) {
				var a, b PlayedRound
				if i < len(got) {
					a = got[i]
				}
				if i < len(want) {
					b = want[i]
				}
				if a != b {
					t.Errorf("%s, limit %d: round %d of %d is\n%+v, want\n%+v", name, limit, i, len(want), a, b)
					break
				}
			}
		}
	}
	for seed := range uint64(steady.Share(120, 600)) {
		p := playing{tables: tables[:1+seed%3], rounds: 1 + int(seed%17), holds: seed%2 == 1, settling: 1 + int(seed%5)}
		record, want := p.play(rand.New(rand.NewPCG(seed, 81)), player)
		for _, limit := range []int{1, 2, 3, 5, 50} {
			check(fmt.Sprintf("seed %d", seed), record, want, limit, !p.holds)
		}
	} // More movements than are read at a time, some of them while a round at another table lasts.
	long := playing{tables: tables, rounds: 600, holds: true, settling: 1}
	record, want := long.play(rand.New(rand.NewPCG(1, 81)), player)
	if len(record.movements) < 3*chunk {
		t.Fatalf("%d movements are not many", len(record.movements))
	}
	check("a long history", record, want, 300, false)
}

// A statement is answered from readings that all succeed, and of tables that there are.
func TestAStatementThatCannotBeReadIsAnError(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	player := ledger.Account{Kind: ledger.Player, Of: "ann"}
	play := func(tables ...string) *account {
		record, _ := playing{tables: tables, rounds: 12, holds: true, settling: 3}.play(rand.New(rand.NewPCG(9, 81)), player)
		s.server.Record = record
		return record
	}
	pages := func() error {
		for in := (Page{Limit: 2}); ; {
			page, err := s.server.statementOf(t.Context(), player, &in)
			if err != nil || page.Body.Next == 0 {
				return err
			}
			in.Before = page.Body.Next
		}
	}
	record := play("T1")
	for n := 1; ; n++ {
		record.left = n
		err := pages()
		if record.left > 0 {
			if n < 30 {
				t.Errorf("there are %d readings", n)
			}
			break
		}
		if !errors.Is(err, errGone) {
			t.Errorf("reading %d fails: %v", n, err)
		}
	}
	play("T9")
	if err := pages(); !errors.Is(err, house.ErrNoTable) {
		t.Errorf("a table that there is not: %v", err)
	}
}
