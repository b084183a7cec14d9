package play

import (
	"context"
	"errors"
	"fmt"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/posting"
	"trey/internal/house/sealing"
	"trey/internal/house/solo"
	"trey/internal/ledger"
	"trey/internal/shuffle"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// Host provides a session with its surroundings.
type Host struct {
	// Store keeps the record of the house.
	Store house.Store
	// Seed returns the seed of a deck, as [house.World] needs it.
	Seed func() shuffle.Seed
	// NowMs returns the time in milliseconds of the Unix clock.
	NowMs func() int64
	// Variant is an operator's variant that [Fits]; it is played instead of the
	// home game of its book. Nil is none.
	Variant *rules.Variant
	// Boxes is the number of boxes at each table, zero for the usual.
	Boxes int
	// Others is the number of other players at each table, from zero to one less
	// than it has boxes. A table with fewer boxes has fewer of them.
	Others int
	// Below returns a number from zero to n-1 by chance, on which the bets of the
	// other players depend. It may be nil if there never are any, also in a round
	// that goes on from an earlier session.
	Below func(n int) int
	// Record writes down the record of a round that has ended, and says where; nil if
	// no records are wanted. Its failure changes nothing else.
	Record func(table string, round int, text []byte) (path string, err error)
	// RecordsIn says where records are written, Software what writes them.
	RecordsIn, Software string
}

// Session is a person at the tables of a house of their own. It is for one goroutine.
type Session struct {
	host  Host
	house *house.House
	// table is the table at which the player sits, empty before a game is chosen, and
	// state how it stands.
	table string
	state table.State
	// others is the number of other players at the table.
	others int
	round  course
	// last are the events of the last move.
	last []table.Event
	// recorded is what became of the record of the last round that ended in this session.
	recorded Recorded
	// history holds the last rounds once it was read.
	history []Summary
	read    bool
}

// course holds the events of a round that a player has noticed so far.
type course struct {
	said  []Said
	lines []table.Line
	left  bool
}

// Said is an announcement as the player sees it.
type Said struct{ Key, Clause, Text string }

// Stake is one wager on a box.
type Stake struct {
	Box    int
	Wager  rules.Wager
	Amount money.Amount
}

// Short is the refusal of a bet that the balance does not cover.
type Short struct {
	// Needed is what it takes, with the Play bets to come; Balance is there.
	Needed, Balance money.Amount
	// ForPlay is the part of Needed that Play bets may take later.
	ForPlay money.Amount
}

// Error names the sum that is missing and the ways to go on.
func (e *Short) Error() string {
	if e.ForPlay > 0 {
		return fmt.Sprintf("That takes $%s with $%s to go on with later, and you have $%s: bet less.", e.Needed.Display(), e.ForPlay.Display(), e.Balance.Display())
	}
	return fmt.Sprintf("That takes $%s and you have $%s: bet less.", e.Needed.Display(), e.Balance.Display())
}

// errNoGame answers every request that needs a game before one is chosen.
var errNoGame = errors.New("no game is chosen yet: choose one first")

// errMidRound refuses what must wait for the end of a round.
var errMidRound = errors.New("a round is in progress: finish it first, or take your bets back before the deal")

// Player is the name under which the person plays; it stands in announcements
// and refusals as it is.
const Player = "Player"

// The people of the house. Its cashier is [house.Lobby], and it deals by itself.
var (
	you      = access.Person{Name: Player, Role: access.Player}
	operator = access.Person{Name: "Operator", Role: access.Administrator}
)

// dealer asks the engine what would come of a command of the house.
var dealer = table.Actor{Name: "Dealer", Role: rules.Dealer, Automatic: true}

// openingSum is the opening balance of a new player.
const openingSum = 1_000 * money.Major

// sealKey is the number of the key that seals the seeds in the record. It is no secret:
// whoever opens this record to see the cards to come deceives nobody else.
const sealKey = 1

// Start opens the house and begins a session in it. If a round of the player's was in
// progress, the session goes on with it as it stood, at its own table; notices say so, in
// sentences, and are empty otherwise.
//
// The time of the house stands still while nobody plays: whatever ended the last session,
// the stop is a brief interruption by the book, and a hand that was looked at cannot be
// left with its bets back.
func Start(host Host) (s *Session, notices []string, err error) {
	ctx := context.Background()
	// At opening the clock stands at the last transaction, and never goes back behind it.
	opening, lastMs, nowMs := true, int64(0), host.NowMs
	world := house.World{
		NowMs: func() int64 {
			if opening {
				return lastMs
			}
			return max(lastMs, nowMs())
		},
		NotBefore: func(ms int64) { lastMs = ms },
		Seed:      host.Seed, Sealer: sealing.Numbered(sealKey), PlayMoney: true, Software: host.Software,
	}
	host.NowMs = world.NowMs
	h, stops, err := house.Open(ctx, host.Store, world)
	opening = false
	if err != nil {
		return nil, nil, err
	}
	host.Store = house.Named(host.Store)
	s = &Session{host: host, house: h}
	if _, err := h.CageTransfer(ctx, "opening", house.Lobby, posting.Transfer{Reason: ledger.BuyIn, Player: Player, Amount: openingSum}); err != nil {
		return nil, nil, err
	}
	for i := range stops {
		notice, err := s.interrupted(&stops[i])
		if err != nil {
			return nil, nil, err
		}
		if notice != "" {
			notices = append(notices, notice)
		}
	}
	return s, notices, nil
}

// interrupted takes up the round that was in progress at a table when the last session
// ended, and says in a sentence what became of it. A round in which the player has
// nothing is left alone, and the notice is empty.
func (s *Session) interrupted(stop *house.Interruption) (notice string, err error) {
	standing, err := s.house.Status(stop.Table)
	if err != nil {
		return "", err
	}
	book, clause := standing.Variant.Book, ""
	if stop.Clause != "" {
		clause = " (" + book.ClauseRef(stop.Clause) + ")"
	}
	if stop.Refused != nil {
		return "", fmt.Errorf("round %d of %s cannot be taken up again: %w", stop.Round, book.Title, stop.Refused)
	}
	if state := solo.State(standing.State); !state.HasBet(Player) && state.Phase == table.Betting {
		return "", nil
	}
	if err := s.takeSeat(stop.Table); err != nil {
		return "", err
	}
	s.others = 0
	for i := range s.state.Boxes {
		if name := s.OtherAt(i + 1); name != "" {
			s.others++
		}
	}
	if s.round, err = s.courseOf(s.table, s.state.Round); err != nil {
		return "", err
	}
	if err := s.goOn(); err != nil {
		return "", err
	}
	if !s.state.Phase.InRound() {
		return fmt.Sprintf("Round %d of %s was interrupted and has ended: %s%s.", stop.Round, book.Title, s.state.Phase, clause), nil
	}
	return fmt.Sprintf("Round %d of %s goes on where it stood, with the same cards and bets%s: $%s is at stake.",
		stop.Round, book.Title, clause, s.Staked().Display()), nil
}

// goOn brings a round to where it waits for the player, after a stop in the middle of what
// the dealer and the others do.
func (s *Session) goOn() error {
	if len(s.state.Offers) > 0 {
		// Nothing is asked here after a stop: bets stay.
		if err := s.drive(table.Expire{}); err != nil {
			return err
		}
	}
	if err := s.dealCards(); err != nil {
		return err
	}
	if err := s.decideOthers(); err != nil {
		return err
	}
	if s.state.Phase == table.Showing {
		return s.settle()
	}
	s.finish()
	return nil
}

// takeSeat sits the player down at a table as it stands.
func (s *Session) takeSeat(name string) error {
	state, err := s.house.Table(name)
	if err != nil {
		return err
	}
	s.table, s.state, s.round, s.last = name, solo.State(state), course{}, nil
	return nil
}

// do gives the house a command at the table, and follows what comes of it.
func (s *Session) do(by access.Person, action table.Action) error {
	r, err := s.house.Do(context.Background(), house.CommandRequest{Table: s.table, By: by, Do: action})
	return s.done(action, r, err)
}

// drive has the house itself carry out a command at the table.
func (s *Session) drive(action table.Action) error {
	r, err := s.house.DoAsHouse(context.Background(), "", s.table, action)
	return s.done(action, r, err)
}

func (s *Session) done(action table.Action, r house.Result, err error) error {
	if err != nil {
		return err
	}
	events := solo.Events(r.Events)
	s.state = solo.State(r.State)
	s.last = append(s.last, events...)
	_, withdrawing := action.(table.Withdraw)
	s.round.follow(events, &s.state, withdrawing)
	return nil
}

// follow takes in the events of a command.
func (c *course) follow(events []table.Event, after *table.State, withdrawing bool) {
	for _, e := range events {
		switch e := e.(type) {
		case table.BetsOpened:
			*c = course{}
		case table.Announced:
			c.said = append(c.said, Said{e.Key, after.Variant.Book.ClauseRef(e.Clause), e.Sentence(*after).String()})
		case table.Reported:
			c.left = c.left || e.Report.Incident == rules.WalkedAway && e.Report.Player == Player
		default:
		}
		// What is taken back before the deal is no part of the round.
		if !withdrawing {
			c.lines = append(c.lines, table.EffectOf(e).Lines...)
		}
	}
}

// staked returns a player's money on a table.
func staked(s *table.State, player string) (sum money.Amount) {
	if !s.Phase.InRound() {
		return 0
	}
	for i := range s.Boxes {
		for k := range s.Boxes[i].Bettors {
			if b := &s.Boxes[i].Bettors[k]; b.Player == player {
				sum += b.Stakes.Total()
			}
		}
	}
	return sum
}

// net returns the player's net result by settlement lines.
func net(lines []table.Line) (sum money.Amount) {
	for i := range lines {
		if lines[i].Player == Player {
			sum += lines[i].Returned - lines[i].Stake
		}
	}
	return sum
}

// finish has the record of a round written that has come to its end.
func (s *Session) finish() {
	if s.over() {
		if s.read {
			s.remember(s.summary(s.table, &s.state, &s.round, s.Balance()))
		}
		s.writeRecord()
	}
}

// over reports whether a round has ended at the table, and no other has begun.
func (s *Session) over() bool {
	return s.state.Phase == table.Paid || s.state.Phase == table.Voided
}

// dealt reports whether a round is in progress whose bets are closed.
func (s *Session) dealt() bool { return s.state.Phase.InRound() && s.state.Phase != table.Betting }
