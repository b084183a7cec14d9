package tables

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/autodealer"
	"trey/internal/house/lobby"
	"trey/internal/house/protection"
	"trey/internal/ledger"
	"trey/internal/web/site"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// act is a form of the page, of one who plays.
type act struct {
	handlers *handlers
	stage    *stage
	v        *site.Visit
	by       access.Person
	name     string
	form     url.Values
	// key makes what is sent twice happen once; count numbers its commands.
	key   string
	count int
	// sure says that the player was asked whether they mean bets that leave too little to
	// play all hands.
	sure bool
	// raised is the least that an area takes, where a chip was worth less and the least was bet
	// instead; zero where the chip was bet.
	raised money.Amount
}

// do carries out what a player asks for by a form of the page. A refusal is shown there and
// changes nothing.
func (h *handlers) do(v *site.Visit) error {
	form, err := v.Form(4 << 10)
	if err != nil {
		return err
	}
	name := v.Request.PathValue("table")
	session, ok := h.Authenticator.Session(v)
	if !ok {
		return h.refused(v, v.T("tables.signed-out"), nil, "")
	}
	stage, release, err := h.stage(v.Context(), name)
	if err != nil {
		return found(v, err)
	}
	defer release()
	a := &act{handlers: h, stage: stage, v: v, by: session.Person, name: name, form: form, key: form.Get("key")}
	if err := a.carryOut(v.Context()); err != nil {
		return a.tell(err)
	}
	if v.Wants(site.FragmentHeader) {
		if a.raised > 0 {
			return v.Fragment(noticePart(v.T("tables.raised", "amount", v.Money(a.raised))))
		}
		return v.Done()
	}
	return v.Redirect(address(name))
}

// errForm: the form holds what no page of ours sends.
var errForm = errors.New("a form that no page of this house sends")

func (a *act) carryOut(ctx context.Context) error {
	if a.key != "" {
		was, err := a.handlers.House.Recorded(ctx, a.by.Name, a.key+"/0")
		if err != nil || was {
			return err
		}
	}
	// A button says what it does, to which box and with which wager: "bet:3:ante".
	words := append(strings.SplitN(a.form.Get("do"), ":", 3), "", "")
	box, _ := strconv.Atoi(words[1]) // zero where there is none
	player := a.by.Name
	if of, sure := strings.CutPrefix(words[0], "sure-"); sure {
		// The chip of the question, whichever is chosen by now: "sure-2500-bet:3:ante".
		chip, do, _ := strings.Cut(of, "-")
		words[0], a.sure = do, true
		a.form.Set("chip", chip)
	}
	switch words[0] {
	case "bet":
		w, err := rules.ParseWager(words[2])
		if err != nil {
			return errForm
		}
		return a.bet(ctx, box, w)
	case "clear":
		return a.remembering(func() error { return a.arrange(ctx, nil) })
	case "double":
		return a.double(ctx)
	case "again":
		return a.again(ctx)
	case "deal-again":
		return a.dealAgain(ctx)
	case "raise-all":
		return a.all(ctx, func(box int) table.Action { return table.Raise{Box: box, Player: player} })
	case "fold-all":
		return a.all(ctx, func(box int) table.Action { return table.Fold{Box: box, Player: player} })
	case "undo":
		return a.undo(ctx)
	case "examine":
		return a.order(ctx, table.Examine{Box: box, Player: player})
	case "raise":
		return a.order(ctx, table.Raise{Box: box, Player: player})
	case "fold":
		return a.order(ctx, table.Fold{Box: box, Player: player})
	case "lay-up":
		return a.order(ctx, table.LayUp{Box: box})
	case "go-on":
		return a.order(ctx, table.Choose{Box: box, Player: player})
	case "take-back":
		return a.order(ctx, table.Choose{Box: box, Player: player, Return: true})
	case "ask":
		return a.order(ctx, table.AskWithdrawal{Box: box, Player: player})
	case "ready":
		return a.handlers.Autodealer.Ready(a.by, a.name)
	case "renew":
		return a.renew(ctx)
	case "seed":
		_, err := a.handlers.House.AddSeed(ctx, a.next(), a.by, a.name, box, a.form.Get("text"))
		return err
	}
	return errForm
}

// renew gives the player new play money, if they have too little left for the least bet.
func (a *act) renew(ctx context.Context) error {
	s, err := a.handlers.House.Table(a.name)
	if err != nil {
		return err
	}
	if a.handlers.Renewal == nil {
		return lobby.ErrNoPlayMoney
	}
	if len(onLayout(s, a.by.Name)) > 0 {
		return lobby.ErrNotBroke // the bets may yet win
	}
	return a.handlers.Renewal.Renew(ctx, a.next(), a.by, leastMain(s.Variant()))
}

// next returns the idempotency key of the next command.
func (a *act) next() string {
	if a.key == "" {
		return ""
	}
	a.count++
	return a.key + "/" + strconv.Itoa(a.count-1)
}

func (a *act) order(ctx context.Context, do table.Action) error {
	_, err := a.handlers.House.Do(ctx, house.CommandRequest{Key: a.next(), Table: a.name, By: a.by, Do: do})
	return err
}

// bet places a chip on an area, or the least that the area takes if that is more; or it takes
// the bet there back.
func (a *act) bet(ctx context.Context, box int, w rules.Wager) error {
	if a.form.Get("chip") == "back" {
		return a.remembering(func() error {
			return a.order(ctx, table.Withdraw{Box: box, Player: a.by.Name, Wager: w})
		})
	}
	chip, err := strconv.ParseInt(a.form.Get("chip"), 10, 64)
	if err != nil || chip <= 0 {
		return errForm
	}
	s, err := a.handlers.House.Table(a.name)
	if err != nil {
		return err
	}
	amount := money.Amount(chip)
	for _, legal := range s.Legal(a.by.Actor()) {
		if b, ok := legal.(table.Bet); ok && b.Box == box && b.Wager == w {
			if rule := s.Variant().Book.Rule(w); rule != nil && rule.Stake == rules.Prescribed {
				amount = b.Amount
			} else if b.Amount > amount {
				amount, a.raised = b.Amount, b.Amount
			}
		}
	}
	if err := a.covered(s, append(onLayout(s, a.by.Name), stake{box, w, amount})); err != nil {
		return err
	}
	return a.remembering(func() error {
		return a.order(ctx, table.Bet{Box: box, Player: a.by.Name, Wager: w, Amount: amount})
	})
}

// uncovered is the error of bets after which a player could not play all hands.
type uncovered struct{ needed, balance money.Amount }

func (u *uncovered) Error() string {
	return fmt.Sprintf("to play all hands takes %s, and %s would be left", u.needed.Display(), u.balance.Display())
}

// covered returns an [*uncovered] where bets would leave a player less than playing all of
// the hands costs, unless the player was asked about it. Bets that the player cannot pay
// for are refused by the house.
func (a *act) covered(s house.State, bets []stake) error {
	var now, then money.Amount
	for _, b := range onLayout(s, a.by.Name) {
		now += b.amount
	}
	for _, b := range bets {
		then += b.amount
	}
	left := a.handlers.House.Balance(ledger.Account{Kind: ledger.Player, Of: a.by.Name}) - (then - now)
	if needed := toPlay(s, bets); !a.sure && then > now && left >= 0 && needed > left {
		return &uncovered{needed, left}
	}
	return nil
}

// toPlay returns what it costs to go on with every hand that has one of these bets: as much
// as was bet on it.
func toPlay(s house.State, bets []stake) (needed money.Amount) {
	if d := s.Variant().Book.Decision; d != nil {
		for _, b := range bets {
			if b.wager == d.On {
				needed += b.amount
			}
		}
	}
	return needed
}

// double lays as much again on everything, as far as the limits go.
func (a *act) double(ctx context.Context) error {
	s, err := a.handlers.House.Table(a.name)
	if err != nil {
		return err
	}
	to := onLayout(s, a.by.Name)
	for i := range to {
		rule, most := s.Variant().Book.Rule(to[i].wager), s.Variant().Limits[to[i].wager].Max
		if rule.Stake == rules.Prescribed {
			continue
		}
		if to[i].amount *= 2; most > 0 {
			to[i].amount = min(to[i].amount, most)
		}
	}
	if err := a.covered(s, to); err != nil {
		return err
	}
	return a.remembering(func() error { return a.arrange(ctx, to) })
}

// again lays the bets of the player's last round.
func (a *act) again(ctx context.Context) error {
	now, _, _, err := a.stage.current()
	if err != nil {
		return err
	}
	bets := now.again(a.by.Name)
	if err := a.covered(now.state, bets); err != nil {
		return err
	}
	return a.remembering(func() error { return a.arrange(ctx, bets) })
}

// openWithin bounds the wait of a player who asks for the next round until its bets are opened.
// They are opened at once, unless others still look at the end of the last one.
const openWithin = 10 * time.Second

// dealAgain lays the bets of the player's last round and asks for the cards. Where that round
// has just ended it asks for the next one first.
func (a *act) dealAgain(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, openWithin)
	defer cancel()
	for asked := false; ; {
		now, _, moved, err := a.stage.current()
		if err != nil {
			return err
		}
		if !now.over() {
			break
		}
		if !asked {
			if err := a.handlers.Autodealer.Ready(a.by, a.name); err != nil {
				return err
			}
			asked = true
		}
		select {
		case <-ctx.Done():
			return nil // others still look: the page says that it waits for them
		case <-moved:
		}
	}
	if err := a.again(ctx); err != nil {
		return err
	}
	return a.handlers.Autodealer.Ready(a.by, a.name)
}

// all carries out one decision about every hand of the player that waits for one, whether the
// player waits for the answer or not. None of the hands is left to the clock.
func (a *act) all(ctx context.Context, decide func(box int) table.Action) error {
	ctx = context.WithoutCancel(ctx)
	s, err := a.handlers.House.Table(a.name)
	if err != nil {
		return err
	}
	for _, legal := range s.Legal(a.by.Actor()) {
		if fold, ok := legal.(table.Fold); ok && fold.Player == a.by.Name {
			if err := a.order(ctx, decide(fold.Box)); err != nil {
				return err
			}
		}
	}
	return nil
}

// undo puts the player's bets back as they lay before the last change of them.
func (a *act) undo(ctx context.Context) error {
	round, err := a.handlers.House.Table(a.name)
	if err != nil {
		return err
	}
	before, ok := a.handlers.Undo.forget(a.name, a.by.Name, round.Round())
	if !ok {
		return nil
	}
	return a.arrange(ctx, before)
}

// remembering carries out a change of bets, and notes how they lay before.
func (a *act) remembering(change func() error) error {
	s, err := a.handlers.House.Table(a.name)
	if err != nil {
		return err
	}
	a.handlers.Undo.remember(a.name, a.by.Name, s.Round(), onLayout(s, a.by.Name))
	if err := change(); err != nil {
		a.handlers.Undo.forget(a.name, a.by.Name, s.Round())
		return err
	}
	return nil
}

// arrange brings a player's bets to what they are to be: it takes back what is too
// much and lays what is missing. What fails is undone. What was begun is ended whether the player
// waits for the answer or not: a part of the bets is nobody's wish.
func (a *act) arrange(ctx context.Context, to []stake) error {
	ctx = context.WithoutCancel(ctx)
	s, err := a.handlers.House.Table(a.name)
	if err != nil {
		return err
	}
	was := onLayout(s, a.by.Name)
	err = a.bring(ctx, to)
	if err != nil && len(was) > 0 {
		if back := a.bring(ctx, was); back != nil {
			return errors.Join(err, back)
		}
	}
	if err != nil && len(was) == 0 {
		if back := a.bring(ctx, nil); back != nil {
			return errors.Join(err, back)
		}
	}
	return err
}

func (a *act) bring(ctx context.Context, to []stake) error {
	wanted := map[stake]money.Amount{}
	for _, w := range to {
		wanted[stake{box: w.box, wager: w.wager}] = w.amount
	}
	s, err := a.handlers.House.Table(a.name)
	if err != nil {
		return err
	}
	for _, laid := range onLayout(s, a.by.Name) {
		if laid.amount <= wanted[stake{box: laid.box, wager: laid.wager}] {
			continue
		}
		err := a.order(ctx, table.Withdraw{Box: laid.box, Player: a.by.Name, Wager: laid.wager})
		var refusal *table.Refusal
		if errors.As(err, &refusal) && refusal.Reason == table.NotYours {
			continue // it went back with another
		}
		if err != nil {
			return err
		}
	}
	if s, err = a.handlers.House.Table(a.name); err != nil {
		return err
	}
	have := map[stake]money.Amount{}
	for _, laid := range onLayout(s, a.by.Name) {
		have[stake{box: laid.box, wager: laid.wager}] = laid.amount
	}
	for _, w := range to {
		if more := w.amount - have[stake{box: w.box, wager: w.wager}]; more > 0 {
			if err := a.order(ctx, table.Bet{Box: w.box, Player: a.by.Name, Wager: w.wager, Amount: more}); err != nil {
				return err
			}
		}
	}
	return nil
}

// tell shows a player the reason of a refusal.
func (a *act) tell(err error) error {
	var refusal *table.Refusal
	var waits *jackpot.Refusal
	var short *ledger.Short
	var denied *access.Denied
	var few *uncovered
	var protected *protection.Refusal
	v := a.v
	switch {
	case errors.As(err, &refusal):
		return a.handlers.refused(v, v.T("refusal."+refusal.Reason.String()), refusal, refusal.Clause)
	case errors.As(err, &waits):
		return a.handlers.refused(v, v.T("tables.waits"), nil, waits.Clause)
	case errors.As(err, &few):
		if v.Wants(site.FragmentHeader) {
			return v.Fragment(uncoveredPart(v, few, "sure-"+a.form.Get("chip")+"-"+a.form.Get("do")))
		}
		return a.handlers.refused(v, v.T("tables.uncovered", "needed", v.Money(few.needed), "balance", v.Money(few.balance)), nil, "")
	case errors.As(err, &short):
		return a.handlers.refused(v, v.T("tables.short", "balance", v.Money(short.Balance), "needed", v.Money(short.Needed)), nil, "")
	case errors.As(err, &protected):
		if v.Wants(site.FragmentHeader) {
			return v.Fragment(protectedPart(v, protected))
		}
		return a.handlers.refused(v, v.T("tables.protected"), protected, "")
	case errors.As(err, &denied):
		return a.handlers.refused(v, v.T("tables.denied"), nil, "")
	case errors.Is(err, autodealer.ErrNothingToWaitFor), errors.Is(err, autodealer.ErrNotDriven):
		return a.handlers.refused(v, v.T("tables.nothing-awaited"), nil, "")
	case errors.Is(err, lobby.ErrNoPlayMoney):
		return a.handlers.refused(v, v.T("tables.no-renewal"), nil, "")
	case errors.Is(err, lobby.ErrNotBroke):
		return a.handlers.refused(v, v.T("tables.not-broke"), nil, "")
	case errors.Is(err, house.ErrKeyReused), errors.Is(err, house.ErrKeyBusy):
		return a.handlers.refused(v, v.T("tables.twice"), nil, "")
	case errors.Is(err, house.ErrOverloaded):
		return a.handlers.refused(v, v.T("tables.overloaded"), nil, "")
	case errors.Is(err, house.ErrTableStopped), errors.Is(err, house.ErrClosing), errors.Is(err, house.ErrOldRules), errors.Is(err, house.ErrOldProgram):
		return a.handlers.refused(v, v.T("tables.stopped"), nil, "")
	case errors.Is(err, errForm):
		return &site.Problem{Status: http.StatusBadRequest, Text: v.T("problem.form")}
	}
	return err
}

// refused shows why something was not done: in the page, or as a page of its own.
func (h *handlers) refused(v *site.Visit, text string, why error, clause string) error {
	if v.Wants(site.FragmentHeader) {
		return v.Fragment(refusalPart(v, text, why, clause))
	}
	return &site.Problem{Status: http.StatusConflict, Text: text}
}
