package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// TestAnAdjustmentNamesItsWagerOnThePage holds that the form takes a wager whole or not at
// all, and that the house is asked about the one that is named.
func TestAnAdjustmentNamesItsWagerOnThePage(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	cashier := newSurfer(t, s.address)
	cashier.signIn("cat", password)
	_, _, page := cashier.open("/console", nil)
	for _, field := range []string{"of-table", "of-round", "of-box", "of-wager"} {
		if !strings.Contains(page, `name="`+field+`"`) {
			t.Errorf("the form has no field %s", field)
		}
	}
	name := s.House.Tables()[0]
	for _, test := range []struct {
		table, round, box, wager string
		status                   int
		says                     string
	}{
		{name, "", "", "", http.StatusUnprocessableEntity, "or leave all of them empty"},
		{name, "9", "1", "", http.StatusUnprocessableEntity, "or leave all of them empty"},
		{name, "nine", "1", "ante", http.StatusUnprocessableEntity, "or leave all of them empty"},
		{"", "9", "1", "ante", http.StatusUnprocessableEntity, "or leave all of them empty"},
		{name, "999", "1", "ante", http.StatusConflict, "there is no such round"},
		{"", "", "", "", http.StatusOK, "waits"},
	} {
		before := len(s.House.Proposals())
		_, status, page := cashier.open("/staff/proposals", url.Values{
			"kind": {"adjust-account"}, "player": {"ann"}, "cause": {"dispute"}, "amount": {"5"}, "note": {"a test"},
			"of-table": {test.table}, "of-round": {test.round}, "of-box": {test.box}, "of-wager": {test.wager},
		})
		if status != test.status || test.status != http.StatusOK && !strings.Contains(page, test.says) {
			t.Errorf("%+v: %d", test, status)
		}
		made := s.House.Proposals()[before:]
		if (len(made) == 1) != (test.status == http.StatusOK) || len(made) == 1 && made[0].Proposal.(house.AdjustAccount).Of != nil {
			t.Errorf("%+v: %+v was proposed", test, made)
		}
	}
}

// TestThePageTakesMoneyInForPlayersAlone holds that the page refuses, in words, to propose a
// buy-in for somebody who is no player and an adjustment of nobody's account.
func TestThePageTakesMoneyInForPlayersAlone(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	cashier := newSurfer(t, s.address)
	cashier.signIn("cat", password)
	for _, test := range []struct {
		kind, reason, player, says string
	}{
		{"move-cash", "buy-in", "nobody", "register them first"},
		{"move-cash", "buy-in", "dan", "register them first"},
		{"move-cash", "buy-in", "cat", "your own money"},
		{"adjust-account", "", "nobody", "has no person of that name"},
	} {
		_, status, page := cashier.open("/staff/proposals", url.Values{
			"kind": {test.kind}, "reason": {test.reason}, "player": {test.player}, "cause": {"goodwill"}, "amount": {"5"}, "note": {"a test"},
		})
		if status != http.StatusConflict || !strings.Contains(page, test.says) {
			t.Errorf("%+v: %d", test, status)
		}
	}
	if made := s.House.Proposals(); len(made) != 0 {
		t.Errorf("%+v was proposed", made)
	}
}

// TestTheConsoleShowsBalancesToThoseWhoSeeAccounts holds that a proposal which waits shows what its
// player has to those who may see accounts, and not to the others who see proposals.
func TestTheConsoleShowsBalancesToThoseWhoSeeAccounts(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	cashier := newSurfer(t, s.address)
	cashier.signIn("cat", password)
	if _, status, page := cashier.open("/staff/proposals", url.Values{
		"kind": {"adjust-account"}, "player": {"ann"}, "cause": {"goodwill"}, "amount": {"5"}, "note": {"a test"},
	}); status != http.StatusOK {
		t.Fatalf("%d %s", status, page)
	}
	has := "<code>player:ann</code>"
	for name, sees := range map[string]bool{"cat": true, "sue": true, "sam": true, "pat": false, "dan": false} {
		person, err := s.people.User(name)
		if err != nil {
			t.Fatal(err)
		}
		if sees != person.Role.Can(access.SeeAccounts) {
			t.Errorf("%s is %s", name, person.Role)
		}
		_, page := s.client(name)("/console")
		if strings.Contains(page, has) != sees {
			t.Errorf("the console of %s, %s, shows what ann has: %t", name, person.Role, !sees)
		}
	}
}

// TestThePageShowsWhoReadsANote holds that a text beside a note and a reason says that players
// can read it in the record of the round. It stands where they can, and there alone.
func TestThePageShowsWhoReadsANote(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	for name, cards := range map[string]table.Sight{"virtual": table.Virtual, "read": table.Read} {
		s.put(name, cards)
		s.play(dealer, name, table.OpenBets{})
		s.play(ann, name, table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major})
		s.play(dealer, name, table.Report{Incident: rules.Uncovered, Note: "a word of the staff"})
		_, report := s.client("dan")("/console/" + name + "/report/uncovered")
		_, answer := s.client("sue")("/console/" + name)
		reads := cards == table.Virtual
		for what, says := range map[string]bool{
			"the note":                            strings.Contains(report, "can read this in its record"),
			"the reason":                          strings.Contains(answer, "whoever bet in the round reads it in its record"),
			"the reason, and not the staff alone": !strings.Contains(answer, "only the staff see it"),
		} {
			if says != reads {
				t.Errorf("%s cards: the page says of %s that players read it: %t", cards, what, says)
			}
		}
		s.play(access.Person{Name: "sue", Role: access.ShiftManager}, name, table.Answer{Answer: "void"})
		s.play(dealer, name, table.OpenBets{})
		r, err := s.Round(t.Context(), name, 1)
		if err != nil {
			t.Fatal(err)
		}
		// Its players can have a record that has a seed.
		if !strings.Contains(string(r.Text), "a word of the staff") || (r.Seed != nil) != reads {
			t.Errorf("%s cards: the record of the round has the seed %v, and %s", cards, r.Seed, r.Text)
		}
	}
}
