package house_test

import (
	"errors"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// commands returns all requests to a house, each with its input. They are asked one after the
// other, by everybody.
func (s *site) commands() map[string]struct {
	need access.Permission
	ask  func(by access.Person) error
} {
	type command = struct {
		need access.Permission
		ask  func(by access.Person) error
	}
	return map[string]command{
		"play": {access.Play, func(by access.Person) error {
			_, err := s.Do(ctx(), house.CommandRequest{Table: "A", By: by, Do: table.Fold{Box: 1, Player: by.Name}})
			return err
		}},
		"deal": {access.DealTable, func(by access.Person) error {
			_, err := s.Do(ctx(), house.CommandRequest{Table: "A", By: by, Do: table.Reveal{}})
			return err
		}},
		"install": {access.InstallTable, func(by access.Person) error {
			return s.Install(ctx(), house.Table{Name: "A", Variant: variant(s, "us-3cp")}, by)
		}},
		"cage": {access.MoveAtCage, func(by access.Person) error {
			_, err := s.CageTransfer(ctx(), "", by, posting.Transfer{Reason: ledger.CashOut, Player: "ann", Amount: money.Major})
			return err
		}},
		"drain": {access.DrainHouse, func(by access.Person) error {
			if err := s.Drain(ctx(), "", by); err != nil {
				return err
			}
			return errNothing
		}},
		"undrain": {access.DrainHouse, func(by access.Person) error {
			if err := s.Undrain(ctx(), "", by); err != nil {
				return err
			}
			return errNothing
		}},
		"release": {access.ReleaseTable, func(by access.Person) error {
			_, err := s.Release(ctx(), "", by, "A", "nothing was wrong")
			return err
		}},
		"change": {access.ChangeRules, func(by access.Person) error {
			_, err := s.Change(ctx(), "", by, "A", house.Change{})
			return err
		}},
		"seed": {access.Play, func(by access.Person) error {
			_, err := s.AddSeed(ctx(), "", by, "Z", 0, "luck")
			return err
		}},
		"propose a fill": {access.ProposeFill, func(by access.Person) error {
			_, err := s.Propose(ctx(), "", by, house.Fill{Table: "Z", Amount: 1})
			return err
		}},
		"propose an adjustment": {access.ProposeAdjustment, func(by access.Person) error {
			_, err := s.Propose(ctx(), "", by, house.AdjustAccount{})
			return err
		}},
		"propose for a jackpot": {access.ProposeJackpot, func(by access.Person) error {
			_, err := s.Propose(ctx(), "", by, house.ChangeTerms{Jackpot: "none"})
			return err
		}},
		"approve nothing": {access.SeeProposals, func(by access.Person) error {
			_, err := s.Approve(ctx(), "", by, 99)
			return err
		}},
		"decline nothing": {access.SeeProposals, func(by access.Person) error {
			return s.Decline(ctx(), "", by, 99, "there is none")
		}},
	}
}

// errNothing is for what can be done and changes no money.
var errNothing = errors.New("nothing is left to say")

// Every command asks the matrix before anything else. What each of them says to
// those who may ask is a refusal of another kind: nothing here can be done.
func TestEveryCommandAsksTheMatrix(t *testing.T) {
	s := newSite(t)
	s.install("A", "us-3cp")
	book := s.Book()
	for name, command := range s.commands() {
		for _, role := range append(access.Roles(), 0) {
			var denied *access.Denied
			err := command.ask(access.Person{Name: "zoe", Role: role})
			if may := role.Can(command.need); err == nil || errors.As(err, &denied) == may {
				t.Errorf("%s by %s: %v", name, role, err)
			}
		}
	}
	for a, held := range s.Book() {
		if book.Balance(a) != held {
			t.Errorf("%s holds %s", a, held)
		}
	}
}

// Nobody comes in as the house, and the house runs no table but its own.
func TestTheHouseDrivesItsOwnTables(t *testing.T) {
	s := newSite(t)
	v := variant(t, "us-3cp")
	config := table.Config{Device: rules.Shuffler, Cards: table.Virtual}
	for _, one := range []house.Table{
		{Name: "A", Variant: v, Config: config, Mode: house.Automatic, Pace: house.Pace{BettingMs: 15_000}},
		{Name: "D", Variant: v, Config: config},
	} {
		if err := s.Install(ctx(), one, admin); err != nil {
			t.Fatal(err)
		}
	}
	wrong := house.Table{Name: "W", Variant: v, Config: config, Mode: house.Automatic, Pace: house.Pace{BettingMs: -1}}
	if err := s.Install(ctx(), wrong, admin); err == nil {
		t.Error("a pace below zero")
	}
	if _, err := s.DoAsHouse(ctx(), "", "D", table.OpenBets{}); !errors.Is(err, house.ErrNotAutomatic) {
		t.Errorf("at a table run by a person: %v", err)
	}
	if _, err := s.DoAsHouse(ctx(), "", "A", table.CloseTable{}); err == nil {
		t.Error("the house closed a table, which takes a pit supervisor")
	}
	for range 2 {
		r, err := s.DoAsHouse(ctx(), "k", "A", table.OpenBets{})
		if err != nil || r.State.Phase() != table.Betting {
			t.Fatal(r, err)
		}
		s.restart()
	}
	other := house.Table{Name: "A", Variant: v, Config: config, Mode: house.Automatic, Pace: house.Pace{BettingMs: 20_000}}
	if err := s.Install(ctx(), other, admin); err == nil {
		t.Error("the table is there with another pace")
	}
	posing := access.Person{Name: "the house", Role: access.Player}
	if _, err := s.Do(ctx(), house.CommandRequest{Table: "A", By: posing, Do: table.CloseBets{}}); err == nil {
		t.Error("somebody called the house closed the bets")
	}
}
