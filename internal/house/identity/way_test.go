package identity_test

import (
	"errors"
	"fmt"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
)

// alone makes a change without a second person, if there is such a way at all.
func (d *desk) alone(by access.Person, c identity.Change) error {
	o := identity.ChangeRequest{By: by, Why: "a test"}
	var err error
	switch c.Kind {
	case identity.AddUser:
		_, err = d.AddUser(d.Context(), o, c.Name, c.Role, c.Password)
	case identity.GiveRole:
		_, err = d.SetRole(d.Context(), o, c.Name, c.Role)
	case identity.GivePassword:
		err = d.SetPassword(d.Context(), o, c.Name, c.Password)
	case identity.EnableUser:
		_, err = d.Enable(d.Context(), o, c.Name)
	case identity.IssueToken:
		_, _, err = d.AddToken(d.Context(), o, c.Name, c.Role, c.EndsMs)
	default:
		return house.ErrTakesTwo
	}
	return err
}

// TestTheWayToAChange holds that the house treats a change as WayTo says: alone, proposed or
// refused, of every kind, user and role.
func TestTheWayToAChange(t *testing.T) {
	t.Parallel()
	count := map[identity.Way]int{}
	for _, kind := range identity.ChangeKinds() {
		for _, name := range []string{"ida", "sue", "dan", "pat", "ann", "ben", "zoe"} {
			for _, role := range []access.Role{access.Player, access.Auditor, access.Dealer, access.Administrator} {
				if hasRole := kind == identity.AddUser || kind == identity.GiveRole || kind == identity.IssueToken; !hasRole && role != access.Player {
					continue
				}
				for _, by := range []access.Person{ida, {Name: "sue", Role: access.ShiftManager}} {
					d := twoDesk(t)
					asked := identity.Change{Kind: kind, Name: name, Role: role, Password: another, EndsMs: d.now.Load() + minuteMs}
					what := fmt.Sprintf("%s for %s, %s, by %s", kind, name, role, by.Name)
					way, err := d.WayTo(by, asked)
					if (err != nil) != (way == identity.Refused) {
						t.Fatalf("%s: %d, %v", what, way, err)
					}
					count[way]++
					if way == identity.Alone {
						if err := d.alone(by, asked); err != nil {
							t.Errorf("%s is refused to one person: %v", what, err)
						}
						continue
					}
					if err := d.alone(by, asked); err == nil {
						t.Errorf("%s is done by one person", what)
					}
					o := identity.ChangeRequest{By: by, Why: "a test"}
					if _, _, err := d.ProposeChange(t.Context(), o, asked); (err == nil) != (way == identity.WithSecond) {
						t.Errorf("%s is proposed: %v", what, err)
					}
					if way == identity.WithSecond && kind != identity.IssueToken {
						if way, err := d.WayTo(by, asked); way != identity.Refused || !errors.Is(err, identity.ErrAlready) {
							t.Errorf("%s, which waits: %d, %v", what, way, err)
						}
					}
				}
			}
		}
	}
	if len(count) != 3 || count[identity.Alone] < 5 || count[identity.WithSecond] < 10 {
		t.Errorf("the ways are %v", count)
	}
	d := twoDesk(t)
	for name, want := range map[string]error{"ida": identity.ErrOwnAccount, "pat": identity.ErrAlready, "zoe": identity.ErrUnknown, "dan": nil, "ann": nil} {
		_, err := twoDesk(t).Disable(t.Context(), identity.ChangeRequest{By: ida, Why: "a test"}, name)
		if may := d.CheckDisable(ida, name); !errors.Is(may, want) || (may == nil) != (err == nil) {
			t.Errorf("%s is shut out: %v, %v", name, may, err)
		}
	}
}

// TestPresence holds that it says how many sessions of a user are open and when they last signed in,
// and of a token when it was used.
func TestPresence(t *testing.T) {
	t.Parallel()
	d := twoDesk(t)
	if p := d.Presence("dan"); p != (identity.Presence{}) {
		t.Errorf("before: %+v", p)
	}
	if _, _, err := d.Login(t.Context(), identity.Credentials{Name: "dan", Password: secret, From: home}); err != nil {
		t.Fatal(err)
	}
	p := d.Presence("dan")
	if p.Sessions != 1 || p.Last.AtMs != d.now.Load() || p.Last.Address != home.String() {
		t.Errorf("signed in: %+v", p)
	}
	if err := d.EndSessions(t.Context(), identity.ChangeRequest{By: ida, Why: "a test"}, "dan"); err != nil {
		t.Fatal(err)
	}
	if after := d.Presence("dan"); after.Sessions != 0 || after.Last != p.Last {
		t.Errorf("after: %+v", after)
	}
	token, text, err := d.AddToken(t.Context(), identity.ChangeRequest{By: ida, Why: "a test"}, "camera", access.Surveillance, d.now.Load()+minuteMs)
	if err != nil {
		t.Fatal(err)
	}
	if used := d.TokenUsedMs(token.ID); used != 0 || d.TokenUsedMs("t999") != 0 {
		t.Errorf("before: %d", used)
	}
	if _, err := d.Machine(text); err != nil || d.TokenUsedMs(token.ID) != d.now.Load() {
		t.Errorf("used: %d, %v", d.TokenUsedMs(token.ID), err)
	}
}
