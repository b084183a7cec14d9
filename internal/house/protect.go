package house

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"trey/internal/house/access"
	"trey/internal/house/internal/opaque"
	"trey/internal/house/protection"
	"trey/internal/ledger"
	"trey/internal/record"
	"trey/linked"
	"trey/money"
	"trey/table"
)

// ProtectionStream is the stream that holds the limits, pauses and exclusions of all players.
const ProtectionStream = "protection"

// guard is the protection of all players. It is guarded by the lock of the books,
// so that no deposit and no bet comes between a limit and its check.
type guard struct {
	version int64
	written int64 // the version of the latest snapshot
	players map[string]*guarded
	// reserved are, by table, the Plays that undecided hands may take.
	reserved map[string][]reservation
	// tallies is the number of players who are counted, and room the number from which on those
	// who have been away are let go.
	tallies, room int
}

// guarded is one player.
type guarded struct {
	protection.Player
	// tally counts what the player does, nil while nothing has to be counted. While
	// it is being read from the record, recent counts what is added, and loading is
	// closed at the end.
	tally, recent *protection.Tally
	loading       chan struct{}
	// usedMs is the time at which the tally was last asked for or added to.
	usedMs int64
}

// reservation is the amount that a player's undecided hands at a table may take for Plays.
type reservation struct {
	player string
	amount money.Amount
}

func (g *guard) of(name string) *guarded {
	p := g.players[name]
	if p == nil {
		if g.players == nil {
			g.players = map[string]*guarded{}
		}
		p = &guarded{}
		g.players[name] = p
	}
	return p
}

// awayMs is the time for which a player who does nothing is counted in memory. Whoever comes back
// later is counted anew from the record.
const awayMs = 60 * 60 * 1000

// leastRoom is the number of players who are counted before any of them is let go.
var leastRoom = 1000

// keep keeps the tally of a player. From time to time it drops players who have been away, so
// that they are never many more than the others: guests come by new names each time.
func (g *guard) keep(p *guarded, t *protection.Tally, nowMs int64) {
	p.tally, p.usedMs = t, nowMs
	if g.tallies++; g.tallies <= max(g.room, leastRoom) {
		return
	}
	for name, p := range g.players {
		if p.loading != nil || nowMs-p.usedMs < awayMs {
			continue
		}
		if p.tally != nil {
			p.tally = nil
			g.tallies--
		}
		if _, kept := p.Keep(name); !kept {
			delete(g.players, name)
		}
	}
	g.room = 2 * g.tallies
}

// reserve replaces what is reserved at a table.
func (g *guard) reserve(name string, all []reservation) {
	if len(all) == 0 {
		delete(g.reserved, name)
		return
	}
	if g.reserved == nil {
		g.reserved = map[string][]reservation{}
	}
	g.reserved[name] = all
}

// elsewhere returns what is reserved for a player at all tables but one.
func (g *guard) elsewhere(name, but string) (sum money.Amount) {
	for at, all := range g.reserved {
		if at != but {
			sum += reservedFor(all, name)
		}
	}
	return sum
}

func reservedFor(all []reservation, name string) (sum money.Amount) {
	for i := range all {
		if all[i].player == name {
			sum += all[i].amount
		}
	}
	return sum
}

// reservations returns the Plays that the undecided hands of a table may take: as
// much as the Ante of each.
func reservations(s *table.State) (all []reservation) {
	rule := s.Variant.Book.Decision
	if rule == nil || !s.Phase.InRound() {
		return nil
	}
	for _, b := range s.Boxes {
		if b.Invalid || b.Collected || b.Decision != table.Undecided {
			continue
		}
		for i := range b.Bettors {
			stakes := &b.Bettors[i].Stakes
			if more := stakes[rule.On] - stakes[rule.Raise]; more > 0 {
				all = append(all, reservation{b.Bettors[i].Player, more})
			}
		}
	}
	return all
}

// bettors returns who bets by the events of a command, and how much more each lays.
// A Play is no new bet: the round is played out.
func bettors(before *table.State, events []table.Event) (all []reservation) {
	for _, e := range events {
		b := table.EffectOf(e).Bet
		switch b.Use {
		case table.BetAdds:
			all = append(all, reservation{b.Player, b.Amount})
		case table.BetFound:
			if playsHand(before, int(b.Wager)) || confirmed(before) && stakedBy(before, b.Player) > 0 {
				continue
			}
			if more := b.More(stakeOf(before, b.Box, b.Player, int(b.Wager))); more > 0 {
				all = append(all, reservation{b.Player, more})
			}
		case table.BetRaises:
		}
	}
	return all
}

// playsHand reports whether a wager is the one by which a hand is played: a Play is never refused.
func playsHand(s *table.State, wager int) bool {
	rule := s.Variant.Book.Decision
	return rule != nil && int(rule.Raise) == wager
}

// confirmed reports whether a second person must confirm a correction of the bets on the
// layout. Once a card was seen, it corrects a bet of the round, also after the settlement, and
// a player who has one plays it out. What one person says before is a bet like any other.
func confirmed(s *table.State) bool {
	return s.Question != nil && s.Question.Key == table.ConfirmFacts
}

// laidBy returns what a player has in a round at a table.
func laidBy(s *table.State, name string) money.Amount {
	if !s.Phase.InRound() {
		return 0
	}
	return stakedBy(s, name)
}

// stakedBy returns what a player has in the round at a table, or had in the one that was
// settled last.
func stakedBy(s *table.State, name string) (sum money.Amount) {
	for i := range s.Boxes {
		for k := range s.Boxes[i].Bettors {
			if b := &s.Boxes[i].Bettors[k]; b.Player == name {
				sum += b.Stakes.Total()
			}
		}
	}
	return sum
}

func stakeOf(s *table.State, box int, name string, wager int) money.Amount {
	if box < 1 || box > len(s.Boxes) {
		return 0
	}
	for i := range s.Boxes[box-1].Bettors {
		if b := &s.Boxes[box-1].Bettors[i]; b.Player == name && wager < len(b.Stakes) {
			return b.Stakes[wager]
		}
	}
	return 0
}

// ErrUncounted: what a player has done was not read from the record before a check
// that needs it. The check refuses then.
var ErrUncounted = errors.New("the bets of this player are not counted yet: send the command again in a second")

// mayBet refuses bets of a command against the limits of whoever makes them. The
// books are locked.
func (h *House) mayBet(name string, before, after *table.State, events []table.Event, nowMs int64) error {
	bets := bettors(before, events)
	if len(bets) == 0 {
		return nil
	}
	here := reservations(after)
	for _, bet := range bets {
		p := cmp.Or(h.guard.players[bet.player], &guarded{})
		t := p.tally
		if t == nil {
			if p.Counts() || h.world.RealityCheckMs > 0 {
				return ErrUncounted
			}
			t = &protection.Tally{}
		}
		reserved := reservedFor(here, bet.player)
		wager := protection.Wager{
			Laid: int64(bet.amount), Reserve: int64(reserved + h.guard.elsewhere(bet.player, name)),
			InRound: int64(laidBy(after, bet.player) + reserved),
		}
		if err := p.MayBet(bet.player, wager, t, h.world.RealityCheckMs, nowMs); err != nil {
			return err
		}
	}
	return nil
}

// mayDeposit refuses what players bring in against their limits. The books are
// locked.
func (h *House) mayDeposit(postings []ledger.Posting, nowMs int64) error {
	for i := range postings {
		move := &postings[i]
		if move.For.Reason != ledger.BuyIn {
			continue
		}
		p := h.guard.players[move.To.Of]
		if p == nil {
			continue
		}
		t := p.tally
		if t == nil {
			if p.Counts() {
				return ErrUncounted
			}
			t = &protection.Tally{}
		}
		if err := p.MayDeposit(move.To.Of, int64(move.Amount), t, nowMs); err != nil {
			return err
		}
	}
	return nil
}

// count counts a transaction for the players whose accounts it changes. The books
// are locked.
func (g *guard) count(tx *Transaction) {
	for i := range tx.Changes {
		a := tx.Changes[i].Account
		if a.Kind != ledger.Player {
			continue
		}
		p := g.players[a.Of]
		switch {
		case p == nil:
		case p.recent != nil:
			p.recent.Add(movementOf(a, tx.AtMs, tx.Cause.Kind, Touching(a, tx.Postings)))
		case p.tally != nil:
			p.tally.Add(movementOf(a, tx.AtMs, tx.Cause.Kind, Touching(a, tx.Postings)))
			p.tally.Prune(tx.AtMs)
			p.usedMs = tx.AtMs
		}
	}
}

// settleKind is the command whose returned stakes were played: they were staked.
var settleKind = record.Actions.Name(table.Settle{})

// movementOf returns what a transaction did to a player's account, as limits count
// it. It is the same for a transaction that is carried out and for one that is read.
func movementOf(a ledger.Account, atMs int64, cause string, postings []ledger.Posting) protection.Movement {
	m := protection.Movement{FromMs: atMs, ToMs: atMs}
	for i := range postings {
		move := &postings[i]
		amount := move.Amount
		other := move.From
		switch a {
		case move.From:
			amount, other = -amount, move.To
		case move.To:
		default:
			continue
		}
		switch move.For.Reason {
		case ledger.BuyIn:
			m.Deposit += amount
			continue
		case ledger.CashOut, ledger.Adjusted, ledger.DebtCollected, ledger.DebtForgiven, ledger.Unpaid:
			continue
		case ledger.Bet, ledger.Found:
			m.Stake += max(0, -amount)
			m.Back += max(0, amount)
		case ledger.StakeReturned:
			if cause != settleKind && !settledAnew(move, postings) {
				m.Stake += max(0, -amount)
				m.Back += max(0, amount)
			}
		default:
		}
		if other.Kind != ledger.Cash {
			m.Net += amount
			m.Plays = true
		}
	}
	return m
}

// settledAnew reports whether a stake that goes back by some of a player's postings was played.
// A correction found after the settlement settles the box anew, in the same transaction. Either
// the box wins something, or the payment of the wager is collected again and its stake comes
// from the layout once more. Stakes of a settled box that is void come from the win of the
// table.
func settledAnew(back *ledger.Posting, postings []ledger.Posting) bool {
	return slices.ContainsFunc(postings, func(p ledger.Posting) bool {
		switch p.For.Reason {
		case ledger.Winnings, ledger.JackpotPaid:
			return p.For.Box == back.For.Box
		case ledger.Collected:
			return p.For.Box == back.For.Box && p.For.Wager == back.For.Wager && back.From.Kind == ledger.Layout
		default:
			return false
		}
	})
}

// counted sees to it that what a player does is counted from now on, with all that
// the record holds of the last month.
func (h *House) counted(ctx context.Context, name string) error {
	for {
		h.ledgerMu.Lock()
		p := h.guard.of(name)
		if p.tally != nil {
			p.usedMs = h.world.NowMs()
			h.ledgerMu.Unlock()
			return nil
		}
		if wait := p.loading; wait != nil {
			h.ledgerMu.Unlock()
			select {
			case <-wait:
				continue
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		p.loading, p.recent = make(chan struct{}), &protection.Tally{}
		before := h.hub.before(h.tickets)
		h.ledgerMu.Unlock()
		t, err := h.readTally(ctx, name, <-before)
		h.ledgerMu.Lock()
		if err == nil {
			t.Append(p.recent)
			h.guard.keep(p, t, h.world.NowMs())
		}
		close(p.loading)
		p.loading, p.recent = nil, nil
		h.ledgerMu.Unlock()
		return err
	}
}

// readTally reads what a player did in the last month from the record, up to a
// transaction.
func (h *House) readTally(ctx context.Context, name string, through int64) (*protection.Tally, error) {
	t := &protection.Tally{}
	if through == 0 {
		return t, nil // nothing was recorded
	}
	a := ledger.Account{Kind: ledger.Player, Of: name}
	sinceMs := protection.KeptSinceMs(h.world.NowMs())
	var found []protection.Movement
	for before, n := through+1, pageSize; n == pageSize; {
		n = 0
		err := h.store.Movements(ctx, a, before, pageSize, func(m Movement) error {
			n, before = n+1, m.Seq
			if m.AtMs < sinceMs {
				n = 0 // the rest is older
				return errPageFull
			}
			found = append(found, movementOf(a, m.AtMs, m.Cause.Kind, m.Postings))
			return nil
		})
		if err != nil && !errors.Is(err, errPageFull) {
			return nil, fmt.Errorf("count what %s has played: %w", name, err)
		}
	}
	for _, m := range slices.Backward(found) {
		t.Add(m)
	}
	return t, nil
}

// countBettor sees to it that a bettor is counted where a check needs it. An answer may lay
// what its question is about, and nobody answers a question that is not durable yet.
func (h *House) countBettor(ctx context.Context, on *table.State, do table.Action) error {
	name := ""
	switch do := do.(type) {
	case table.Bet:
		name = do.Player
	case table.Found:
		name = do.Player
	case table.Report:
		name = do.Player
	case table.Answer:
		if q := on.Question; q != nil {
			name = cmp.Or(q.Found.Player, q.Report.Player)
		}
	}
	if name == "" {
		return nil
	}
	return h.countIfNeeded(ctx, name, h.world.RealityCheckMs > 0)
}

func (h *House) countIfNeeded(ctx context.Context, name string, always bool) error {
	h.ledgerMu.Lock()
	p := h.guard.players[name]
	needed := always || p != nil && p.Counts()
	if p != nil && p.tally != nil {
		p.usedMs, needed = h.world.NowMs(), false
	}
	h.ledgerMu.Unlock()
	if !needed {
		return nil
	}
	return h.counted(ctx, name)
}

// protect carries out what is decided about the protection of a player, and
// returns the event that stands in the record for it.
func (h *House) protect(ctx context.Context, key string, by access.Person, name string, command any,
	decide func(p *protection.Player, t *protection.Tally, nowMs int64) (protection.Event, error),
) (protection.Event, error) {
	if err := nameable(name); err != nil {
		return nil, err
	}
	cause, err := causeOf(by, "", command)
	if err != nil {
		return nil, err
	}
	if by.Name == keeper.Name {
		cause.Role = keeperRole
	}
	tx, repeated, err := h.claim(ctx, key, by, cause)
	if err != nil {
		return nil, err
	}
	if repeated != nil {
		return protectionOf(repeated)
	}
	defer h.release(tx.Key)
	if err := h.counted(ctx, name); err != nil {
		return nil, err
	}
	tx.AtMs = h.world.NowMs()
	var e protection.Event
	inLine, err := h.enqueue(tx, func(ledger.Balances) ([]ledger.Posting, []ledger.Change, error) {
		p := h.guard.of(name)
		var err error
		if e, err = decide(&p.Player, p.tally, tx.AtMs); err != nil {
			return nil, nil, err
		}
		// At this place in the record, so that the next bet finds it.
		part, err := h.guard.part(e, tx.AtMs)
		tx.Parts = []StreamAppend{part}
		return nil, nil, err
	})
	if err != nil {
		return nil, err
	}
	_, err = h.awaitDurable(inLine, func(*Notice) {})
	return e, err
}

// protectionOf returns the event that was recorded under a key.
func protectionOf(r *Receipt) (protection.Event, error) {
	for i := range r.Parts {
		if p := &r.Parts[i]; p.Stream == ProtectionStream && len(p.Events) == 1 {
			return protection.Read(p.Events[0])
		}
	}
	return nil, fmt.Errorf("%w: transaction %d holds no event of %s", ErrCorrupt, r.Seq, ProtectionStream)
}

// SetLimit sets a limit of the person who asks, who plays; nil removes it. A
// stricter limit holds from the next bet or deposit on, a looser one after 24 hours.
func (h *House) SetLimit(ctx context.Context, key string, by access.Person, k protection.Key, most *int64) error {
	if err := by.Check(access.SeeOwnAccount); err != nil {
		return err
	}
	e, err := h.protect(ctx, key, by, by.Name, SetLimit{Key: k, Most: most}, func(p *protection.Player, _ *protection.Tally, nowMs int64) (protection.Event, error) {
		return p.SetLimit(by.Name, k, most, nowMs)
	})
	// A limit of zero and none are one thing to InputOf, and not to the player.
	if set, ok := e.(protection.LimitChanged); err == nil && (!ok || !set.Sets(most)) {
		return ErrKeyReused
	}
	return err
}

// TakeTimeOut begins a pause of the person who asks, who plays.
func (h *House) TakeTimeOut(ctx context.Context, key string, by access.Person, lastsMs int64) error {
	if err := by.Check(access.SeeOwnAccount); err != nil {
		return err
	}
	_, err := h.protect(ctx, key, by, by.Name, TakeTimeOut{LastsMs: lastsMs}, func(p *protection.Player, _ *protection.Tally, nowMs int64) (protection.Event, error) {
		return p.TimeOut(by.Name, lastsMs, nowMs)
	})
	return err
}

// Exclude excludes a player from play: oneself, or another as a member of staff,
// who gives the reason. Zero is without an end. It holds from the next bet on, at
// every table; a round with a bet in it is played out.
func (h *House) Exclude(ctx context.Context, key string, by access.Person, name string, lastsMs int64, why string) error {
	need := access.ExcludePlayer
	if by.Name == name && by.Role.Can(access.Play) {
		need = access.SeeOwnAccount
	}
	if err := by.Check(need); err != nil {
		return err
	}
	asked := ExcludePlayer{Player: name, LastsMs: lastsMs, Why: why}
	_, err := h.protect(ctx, key, by, name, asked, func(p *protection.Player, _ *protection.Tally, nowMs int64) (protection.Event, error) {
		return p.Exclude(name, by.Name, lastsMs, why, nowMs)
	})
	return err
}

// AnswerCheck records that the person who asks has seen the reality check that is
// due, and goes on. It waits for the person's open decisions.
func (h *House) AnswerCheck(ctx context.Context, key string, by access.Person) error {
	if err := by.Check(access.SeeOwnAccount); err != nil {
		return err
	}
	_, err := h.protect(ctx, key, by, by.Name, AnswerCheck{}, func(p *protection.Player, t *protection.Tally, nowMs int64) (protection.Event, error) {
		if h.Deciding(by.Name) {
			return nil, protection.Undecided(by.Name)
		}
		return p.Answer(by.Name, t, h.world.RealityCheckMs, nowMs)
	})
	return err
}

// errNoted: a refusal need not be recorded.
var errNoted = errors.New("this refusal need not be recorded")

// noteRefused records that a bet or a deposit was refused for the protection of its
// player. No lock is held. Whoever asked gets the refusal, whatever comes of this.
func (h *House) noteRefused(ctx context.Context, refused error) {
	var r *protection.Refusal
	if !errors.As(refused, &r) {
		return
	}
	h.ledgerMu.Lock()
	p := h.guard.players[r.Player]
	records := false
	if p != nil {
		_, records = p.Refused(r, h.world.NowMs())
	}
	h.ledgerMu.Unlock()
	if !records {
		return
	}
	_, _ = h.protect(context.WithoutCancel(ctx), "", access.Person{Name: keeper.Name}, r.Player, NoteRefusal{},
		func(p *protection.Player, _ *protection.Tally, nowMs int64) (protection.Event, error) {
			e, records := p.Refused(r, nowMs)
			if !records {
				return nil, errNoted
			}
			return e, nil
		})
}

// Deciding reports whether a player has a hand or an option to decide at any table.
func (h *House) Deciding(name string) bool {
	h.floor.RLock()
	defer h.floor.RUnlock()
	for _, s := range h.tables {
		if deciding(opaque.Raw(s.published.Load().State), name) {
			return true
		}
	}
	return false
}

func deciding(s *table.State, name string) bool {
	for i := range s.Offers {
		if s.Offers[i].Player == name {
			return true
		}
	}
	return s.Phase == table.Deciding && reservedFor(reservations(s), name) > 0
}

// Protection is a player's view of their own play and limits.
type Protection struct {
	protection.Player
	AtMs  int64
	Check protection.CheckState
	// Waits says that a reality check or a sign-out waits for a decision.
	Waits bool
	// Used is the used part of each limit, in minor units or minutes.
	Used map[protection.Key]int64
	// Reserved is the sum that the Plays of undecided hands may take; stakes and losses count
	// it too.
	Reserved money.Amount
}

// Protection returns what a player has set and played, when it is durable.
func (h *House) Protection(ctx context.Context, name string) (Protection, error) {
	if err := nameable(name); err != nil {
		return Protection{}, err
	}
	if err := h.counted(ctx, name); err != nil {
		return Protection{}, err
	}
	view, line := h.protectionNow(name, h.Deciding(name))
	select {
	case <-line:
		return view, h.Fault()
	case <-ctx.Done():
		return Protection{}, ctx.Err()
	}
}

// protectionNow returns what a player has set and played, durable or not, and a channel
// that receives a value when all of it is.
func (h *House) protectionNow(name string, waits bool) (Protection, <-chan int64) {
	h.ledgerMu.Lock()
	defer h.ledgerMu.Unlock()
	p, nowMs := h.guard.of(name), h.world.NowMs()
	view := Protection{
		Player: p.Player, AtMs: nowMs, Check: p.Check(p.tally, h.world.RealityCheckMs, nowMs), Waits: waits,
		Used: map[protection.Key]int64{}, Reserved: h.guard.elsewhere(name, ""),
	}
	for _, k := range protection.Keys() {
		view.Used[k] = p.Used(k, p.tally, nowMs)
	}
	return view, h.hub.before(h.tickets)
}

// wouldBet refuses what mayBet would, and counts nothing.
func (h *House) wouldBet(ctx context.Context, name string, before *table.State, done *linked.Outcome, do table.Action, nowMs int64) error {
	if err := h.countBettor(ctx, before, do); err != nil {
		return err
	}
	h.ledgerMu.Lock()
	defer h.ledgerMu.Unlock()
	return h.mayBet(name, before, &done.State, done.Events, nowMs)
}
