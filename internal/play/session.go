package play

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"trey/card"
	"trey/jackpot"
	"trey/linked"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// Host is what a session needs of the world.
type Host struct {
	// Keep writes the account down. When it returns nil the account must
	// survive whatever happens next; when it returns an error, nothing of the
	// change has happened.
	Keep func(Account) error
	// Deck returns a freshly shuffled deck.
	Deck func() [52]card.Card
	// NowMs returns the time in milliseconds of the Unix clock.
	NowMs func() int64
	// Variant is an operator's variant that [Fits]; it is played instead of the
	// home game of its book. Nil is none.
	Variant *rules.Variant
	// Others is the number of other players at each table, from zero to one less
	// than it has boxes. A table with fewer boxes has fewer of them.
	Others int
	// Below returns a number from zero to n-1 by chance, on which the bets of the
	// other players depend. It may be nil if there never are any, also in a round
	// that goes on from an earlier session.
	Below func(n int) int
	// Log writes down the round log of a round that has ended and was kept, and
	// says where; nil if no logs are wanted. Its failure changes nothing else.
	Log func(round int64, text []byte) (path string, err error)
	// LogsIn says where logs are written, Software what writes them.
	LogsIn, Software string
}

// Session is a person at the table. Its methods change it wholly or, when they
// return an error, not at all. It is for one goroutine.
type Session struct {
	host  Host
	boxes int
	now   moment
	// logged is the log of the last round that ended in this session.
	logged Logged
}

// moment is all that a session knows, as a value: a change works on a copy.
type moment struct {
	account Account
	// game, variant and state are zero until a game is chosen.
	game    Game
	variant *rules.Variant
	state   table.State
	// meter is the jackpot of the table, as it stands in the account; zero at a
	// table without one.
	meter jackpot.State
	// said and lines are the announcements and settlement lines of the round.
	said  []Said
	lines []table.Line
	// steps are the commands of the round with their events.
	steps []step
	// last are the events of the last change.
	last []table.Event
	// left says that the player has left the round.
	left bool
}

// Short is the refusal of a bet that the balance does not cover.
type Short struct {
	// Needed is what it takes, with the Play bets to come; Balance is there.
	Needed, Balance money.Amount
	// ForPlay is the part of Needed that Play bets may take later.
	ForPlay money.Amount
}

// Error says what is missing and what can be done.
func (e *Short) Error() string {
	if e.ForPlay > 0 {
		return fmt.Sprintf("That takes $%s with $%s to go on with later, and you have $%s: bet less.", e.Needed.Display(), e.ForPlay.Display(), e.Balance.Display())
	}
	return fmt.Sprintf("That takes $%s and you have $%s: bet less.", e.Needed.Display(), e.Balance.Display())
}

// errNoGame is what everything but choosing a game answers before it.
var errNoGame = errors.New("no game is chosen yet: choose one first")

// errMidRound refuses what must wait for the end of a round.
var errMidRound = errors.New("a round is in progress: finish it first, or take your bets back before the deal")

// Start begins a session with an account. If a round was in progress when the
// account was last written, the session goes on with it as it stood, at its own
// table; told says so, in sentences, and is empty otherwise. An error that wraps
// [ErrRound] says that this cannot be done. Boxes is the number of boxes at each
// table, zero for the usual.
func Start(a Account, h Host, boxes int) (s *Session, told []string, err error) {
	s = &Session{host: h, boxes: boxes, now: moment{account: a}}
	if a.Journal == nil {
		return s, nil, nil
	}
	if told, err = s.resume(); err != nil {
		return nil, nil, err
	}
	return s, told, nil
}

// draft is a change being made.
type draft struct {
	moment
	host Host
	// log is the round log if a round has ended, ended its number.
	log   []byte
	ended int64
}

// step is a command that was carried out, and what followed.
type step struct {
	command table.Command
	events  []table.Event
}

// change makes a change on a copy, has it kept, and only then makes it so.
func (s *Session) change(make func(*draft) error) error {
	d := &draft{moment: s.now, host: s.host}
	d.last = nil
	d.said, d.lines, d.steps = slices.Clip(d.said), slices.Clip(d.lines), slices.Clip(d.steps)
	d.account.History = slices.Clip(d.account.History)
	d.account.Bets = maps.Clone(d.account.Bets)
	if d.account.Journal != nil {
		j := *d.account.Journal
		j.Commands = slices.Clip(j.Commands)
		d.account.Journal = &j
	}
	if err := make(d); err != nil {
		return err
	}
	if err := d.audit(); err != nil {
		return err
	}
	if err := s.host.Keep(d.account); err != nil {
		return fmt.Errorf("nothing was done, because it could not be written down: %w", err)
	}
	s.now = d.moment
	s.writeLog(d)
	return nil
}

// open clears the table for a new round and opens the bets. Each round has a
// table of its own, so that the commands of its journal lead to it from the first.
func (d *draft) open() (err error) {
	d.said, d.lines, d.steps, d.left = nil, nil, nil, false
	if d.state, err = table.New(d.variant, equipment); err != nil {
		return err
	}
	d.account.Journal = newJournal(d)
	if err := d.run(staff, table.OpenBets{}); err != nil {
		return err
	}
	return d.betOthers()
}

// run carries out one command at the table.
func (d *draft) run(by table.Actor, do table.Action) error {
	if d.variant == nil {
		return errNoGame
	}
	c, err := d.step(table.Command{By: by, AtMs: d.host.NowMs(), Do: do})
	if err != nil || d.account.Journal == nil {
		return err
	}
	e, err := entry(c)
	if err != nil {
		return err
	}
	d.account.Journal.Commands = append(d.account.Journal.Commands, e)
	return nil
}

// step decides a command at the table and its jackpot, and follows the events.
// It returns the command as it was carried out.
func (d *draft) step(c table.Command) (table.Command, error) {
	done, err := linked.Step(d.seat(), d.state, d.meter, c)
	if err != nil {
		return c, err
	}
	d.state = done.State
	d.setMeter(done.Meter)
	d.steps = append(d.steps, step{done.Command, done.Events})
	before := d.account.Balance
	_, withdrawing := c.Do.(table.Withdraw)
	for _, e := range done.Events {
		d.last = append(d.last, e)
		d.account.Balance += movement(e)
		if said, ok := e.(table.Announced); ok {
			d.said = append(d.said, Said{said.Key, d.state.Variant.Book.ClauseRef(said.Clause), said.Said(d.state).String()})
		}
		// What is taken back before the deal is no part of the round.
		if !withdrawing {
			d.lines = append(d.lines, linked.Lines(e)...)
		}
	}
	if d.account.Balance < 0 {
		return c, &Short{Needed: before - d.account.Balance, Balance: before}
	}
	return done.Command, nil
}

// movement is what an event changes for the player's balance: bets leave it when
// they are placed, and settlement lines bring back what is theirs. Nothing else
// moves money, and the money of other players is not the account's.
func movement(e table.Event) (sum money.Amount) {
	switch e := e.(type) {
	case table.BetPlaced:
		if e.Player == Player {
			return -e.Amount
		}
	case table.HandRaised:
		if e.Player == Player {
			return -e.Amount
		}
	default:
		for _, l := range linked.Lines(e) {
			if l.Player == Player {
				sum += l.Net()
			}
		}
	}
	return sum
}

// staked is the player's own money on the table.
func (m *moment) staked() (sum money.Amount) {
	if !m.state.Phase.InRound() {
		return 0
	}
	for i := range m.state.Boxes {
		for k := range m.state.Boxes[i].Bettors {
			if b := &m.state.Boxes[i].Bettors[k]; b.Player == Player {
				sum += b.Stakes.Total()
			}
		}
	}
	return sum
}

// net is what settlement lines changed for the player.
func net(lines []table.Line) (sum money.Amount) {
	for i := range lines {
		if lines[i].Player == Player {
			sum += lines[i].Returned - lines[i].Stake
		}
	}
	return sum
}

// audit refuses a change after which the money does not add up. That would be a
// fault of ours, and it is better found here than by the player.
func (d *draft) audit() error {
	j := d.account.Journal
	if j == nil {
		return nil
	}
	if d.state.Phase.InRound() && d.account.Balance+d.staked() != j.Before+net(d.lines) {
		return fmt.Errorf("this is a fault of the program, and nothing was done: %s and %s on the table are not the %s that the round began with",
			d.account.Balance.Display(), d.staked().Display(), j.Before.Display())
	}
	return nil
}

// finish records a round that has come to its end.
func (d *draft) finish() error {
	if d.state.Phase != table.Paid && d.state.Phase != table.Voided {
		return nil
	}
	if err := d.closeTable(); err != nil {
		return err
	}
	a := &d.account
	a.Rounds++
	r := Record{
		Number: a.Rounds, Game: d.game, AtMs: d.host.NowMs(), Ended: d.state.Phase.String(),
		Left: d.left, Lines: d.lines, Said: d.said,
		Net: a.Balance - a.Journal.Before, Balance: a.Balance,
	}
	picture := table.View(d.state, table.Viewer{Player: Player})
	r.Dealer, r.DealerRank = picture.Dealer, picture.DealerRank
	if picture.DealerRank == "" {
		r.Dealer = nil
	}
	for i := range picture.Boxes {
		b := &picture.Boxes[i]
		if len(b.Bettors) == 0 {
			continue
		}
		hand := HandRecord{Box: b.Box, Player: d.game.otherAt(b.Box), Cards: b.Cards, Rank: b.Rank}
		if b.Decision != table.Undecided {
			hand.Decision = b.Decision.String()
		}
		r.Hands = append(r.Hands, hand)
	}
	if sum := net(r.Lines); sum != r.Net {
		return fmt.Errorf("this is a fault of the program, and nothing was done: the lines come to %s and the balance moved by %s", sum.Display(), r.Net.Display())
	}
	a.remember(r)
	a.Journal = nil
	d.ended = a.Rounds
	return d.writeUp()
}
