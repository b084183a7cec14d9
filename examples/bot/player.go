package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// player plays at one table.
type player struct {
	client *client
	out    io.Writer
	table  string
	left   int // rounds still to play

	name string
	box  int // with the bet of this round; zero is none
	// money is the balance by the player's own account, laid the bets on the layout.
	money, laid int64
	limits      map[string]limit
	done        step // at which the player has nothing more to do
	// promises are the commitments of rounds that were bet in and not checked yet.
	promises []promise
}

// step is a phase of a round.
type step struct {
	round int
	phase string
}

type limit struct{ Min, Max int64 }

// tableView is a table as a player sees it: the part of it that this one needs.
type tableView struct {
	Game    string
	Mode    string
	Stopped bool
	Rules   struct {
		Limits map[string]limit
	}
	Picture struct {
		Phase  string
		Round  int
		Boxes  []box
		Offers []struct {
			Player string
			Box    int
		}
	}
	Awaited    *struct{ For string }
	Commitment *commitment
}

// box is one box of a table.
type box struct {
	Box      int
	Bettors  []struct{ Player string }
	Cards    []string
	Rank     string
	Decision string
	Examined bool
}

// event is something that happened at the table.
type event struct {
	Kind  string
	Event struct {
		Player string
		Amount int64
		Lines  []struct {
			Player   string
			Wager    string
			Stake    int64
			Result   string
			Returned int64
		}
	}
	Told string
}

// errDone ends the following of a table.
var errDone = errors.New("played enough")

// play plays until all rounds are played.
func (p *player) play(ctx context.Context) error {
	if err := p.comeIn(ctx); err != nil {
		return err
	}
	err := p.client.follow(ctx, "tables/"+p.table+"/events", func(m message) error {
		if m.event == "table" {
			var news struct{ Events []event }
			if err := json.Unmarshal(m.data, &news); err != nil {
				return err
			}
			for i := range news.Events {
				if err := p.hear(ctx, &news.Events[i]); err != nil {
					return err
				}
			}
		}
		return p.act(ctx)
	})
	if errors.Is(err, errDone) {
		err = nil
	}
	return err
}

// comeIn signs in, and reads the table and the balance.
func (p *player) comeIn(ctx context.Context) error {
	var me struct{ Name string }
	var err error
	if p.client.token == "" {
		err = p.client.post(ctx, "guests", nil, &me)
	} else {
		err = p.client.get(ctx, "me", &me)
	}
	if err != nil {
		return err
	}
	p.name = me.Name
	var t tableView
	if err := p.client.get(ctx, "tables/"+p.table, &t); err != nil {
		return err
	}
	if t.Mode != "automatic" {
		return fmt.Errorf("a dealer runs table %s: choose one that runs by itself", p.table)
	}
	p.limits = t.Rules.Limits
	if p.money, err = p.balance(ctx); err != nil {
		return err
	}
	fmt.Fprintf(p.out, "%s plays %s at %s with %s\n", p.name, t.Game, p.table, dollars(p.money))
	return nil
}

// balance returns the balance that the house states.
func (p *player) balance(ctx context.Context) (int64, error) {
	var account struct{ Balance, Owed int64 }
	err := p.client.get(ctx, "account", &account)
	return account.Balance - account.Owed, err
}

// hear tracks the player's own money through the events.
func (p *player) hear(ctx context.Context, e *event) error {
	switch e.Kind {
	case "bet-placed", "hand-raised":
		if e.Event.Player == p.name {
			p.money -= e.Event.Amount
			p.laid += e.Event.Amount
		}
	case "bets-returned", "settled":
		var back, stakes int64
		for _, l := range e.Event.Lines {
			if l.Player == p.name {
				back += l.Returned
				stakes += l.Stake
				fmt.Fprintf(p.out, "    %s: %s, %s back\n", l.Wager, l.Result, dollars(l.Returned))
			}
		}
		p.money += back
		switch {
		case e.Kind == "settled" && p.laid > 0:
			return p.count(ctx, back)
		case e.Kind == "bets-returned":
			if p.laid -= stakes; p.laid == 0 {
				p.box = 0 // the player had no bet in the round
				// Nothing was staked on that deck.
				p.promises = nil
			}
		}
	}
	return nil
}

// count ends a round: the player's own account must equal the balance that the house
// states.
func (p *player) count(ctx context.Context, back int64) error {
	won := back - p.laid
	p.box, p.laid, p.left = 0, 0, p.left-1
	held, err := p.balance(ctx)
	if err != nil {
		return err
	}
	if held != p.money {
		return fmt.Errorf("by my account I have %s, and the house says %s", dollars(p.money), dollars(held))
	}
	fmt.Fprintf(p.out, "    net %s; I have %s, and the house says the same\n", dollars(won), dollars(p.money))
	if err := p.checkDecks(ctx); err != nil {
		return err
	}
	if p.left > 0 {
		return nil
	}
	for _, made := range p.promises {
		fmt.Fprintf(p.out, "    the record of round %d waits for another table: have `trey verify` check it later\n", made.Round)
	}
	return errDone
}

// act does what the table waits for, if it waits for this player. It reads the current
// state of the table, because the events may be old. A command that the table refuses
// because it moved on meanwhile does no harm: more events will follow.
func (p *player) act(ctx context.Context) error {
	var t tableView
	if err := p.client.get(ctx, "tables/"+p.table, &t); err != nil {
		return err
	}
	switch {
	case t.Stopped:
		return fmt.Errorf("table %s has stopped", p.table)
	case t.Awaited == nil:
		return fmt.Errorf("table %s is not run by the house any more", p.table)
	}
	now := step{t.Picture.Round, t.Picture.Phase}
	if now == p.done {
		return nil
	}
	// The phase is the table's own and never behind the news; what the house waits
	// for may be, for a moment.
	_, pictures := p.limits["main"]
	var err error
	switch phase := t.Picture.Phase; {
	case phase == "closed":
		return fmt.Errorf("table %s is closed", p.table)
	case len(t.Picture.Offers) > 0:
		err = p.goOn(ctx, &t)
	case phase == "betting" && p.box == 0:
		err = p.bet(ctx, &t)
	case phase == "deciding" && pictures && p.box != 0:
		p.done = now
		err = p.client.post(ctx, "tables/"+p.table+"/ready", nil, nil)
	case phase == "deciding":
		err = p.decide(ctx, &t)
	}
	if hasKind(err, "refused") || hasKind(err, "not-now") {
		fmt.Fprintf(p.out, "    %v\n", err)
		p.done, err = now, nil
	}
	return err
}

// command sends a command to the table.
func (p *player) command(ctx context.Context, kind string, body any) error {
	return p.client.post(ctx, "tables/"+p.table+"/commands", map[string]any{"kind": kind, "body": body}, nil)
}

// bet lays the least stake on the wager that the game is about, on the first box
// that is free, and says that this is all.
func (p *player) bet(ctx context.Context, t *tableView) error {
	wager := "ante"
	if _, pictures := p.limits["main"]; pictures {
		wager = "main"
	}
	stake := max(p.limits[wager].Min, 100)
	if p.money < 2*stake {
		return fmt.Errorf("%s is not enough to play on", dollars(p.money))
	}
	for _, b := range t.Picture.Boxes {
		if len(b.Bettors) > 0 {
			continue
		}
		fmt.Fprintf(p.out, "round %d: %s on %s of box %d\n", t.Picture.Round, dollars(stake), wager, b.Box)
		err := p.command(ctx, "bet", map[string]any{"box": b.Box, "wager": wager, "amount": stake})
		if hasKind(err, "refused") {
			continue // somebody else was there first
		}
		if err != nil {
			return err
		}
		p.box = b.Box
		if err := p.addSeed(ctx, t.Commitment); err != nil {
			return err
		}
		return p.client.post(ctx, "tables/"+p.table+"/ready", nil, nil)
	}
	return nil // no box is free: in the next round, perhaps
}

// decide examines the hand, and plays or folds.
func (p *player) decide(ctx context.Context, t *tableView) error {
	if p.box == 0 || t.Picture.Boxes[p.box-1].Decision != "undecided" {
		return nil
	}
	fields := map[string]any{"box": p.box}
	if !t.Picture.Boxes[p.box-1].Examined {
		if err := p.command(ctx, "examine", fields); err != nil {
			return err
		}
		*t = tableView{}
		if err := p.client.get(ctx, "tables/"+p.table, t); err != nil {
			return err
		}
	}
	hand, kind := t.Picture.Boxes[p.box-1], "fold"
	if worthPlaying(hand.Cards) {
		kind = "raise"
	}
	fmt.Fprintf(p.out, "    %s (%s): %s\n", strings.Join(hand.Cards, " "), hand.Rank, kind)
	return p.command(ctx, kind, fields)
}

// goOn declines the offer to take the bets back: the odds are the same.
func (p *player) goOn(ctx context.Context, t *tableView) error {
	for _, o := range t.Picture.Offers {
		if o.Player != p.name {
			continue
		}
		if err := p.command(ctx, "choose", map[string]any{"box": o.Box}); err != nil {
			return err
		}
	}
	return nil
}

// dollars writes an amount of minor units.
func dollars(minor int64) string {
	sign := ""
	if minor < 0 {
		sign, minor = "-", -minor
	}
	return fmt.Sprintf("%s$%d.%02d", sign, minor/100, minor%100)
}
