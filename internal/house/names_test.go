package house_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/auditor"
	"trey/internal/ledger"
	"trey/internal/people"
	"trey/internal/store/sqlite"
	"trey/money"
	"trey/table"
)

// lines returns the transactions of a record as they are kept.
func lines(s *site) (all []string) {
	s.Helper()
	err := s.store.Leaves(ctx(), 0, func(l house.Leaf) error {
		all = append(all, string(l.Line.Append(nil)))
		return nil
	})
	if err != nil {
		s.Fatal(err)
	}
	return all
}

// names returns the names of persons in a record.
func (s *site) names() (all []people.Name) {
	s.Helper()
	if err := s.store.Names(ctx(), 0, func(n people.Name) error { all = append(all, n); return nil }); err != nil {
		s.Fatal(err)
	}
	return all
}

// Everything that a house records of a person is under a number. No line of the record, no
// snapshot and no account has a name, and a reader through the house gets names.
func TestPersonsAreRecordedByNumber(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	s.buyIn("ann", 500*money.Major)
	s.buyIn("ben", 500*money.Major)
	if _, err := s.AddSeed(ctx(), "k", ben, "A", 0, "lucky"); err != nil {
		t.Fatal(err)
	}
	for range 9 { // more than a snapshot apart
		if err := s.round("A", ann); err != nil {
			t.Fatal(err)
		}
	}
	s.restart()
	if err := s.round("A", ann); err != nil {
		t.Fatal(err)
	}
	all := s.names()
	if len(all) < 4 {
		t.Fatalf("only %d persons have numbers", len(all))
	}
	for i, n := range all {
		if n.Number != int64(i)+1 || n.Text == "" {
			t.Errorf("number %d of %q stands in place %d", n.Number, n.Text, i+1)
		}
	}
	var written strings.Builder
	for _, line := range lines(s) {
		fmt.Fprintln(&written, line)
	}
	for _, n := range all {
		if strings.Contains(written.String(), `"`+n.Text+`"`) || strings.Contains(written.String(), ":"+n.Text+`"`) {
			t.Errorf("the record has the name %s", n.Text)
		}
	}
	for _, stream := range []string{"table:A"} {
		snapshot, err := s.store.Snapshot(ctx(), stream, -1)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range all {
			if bytes.Contains(snapshot.Body, []byte(`"`+n.Text+`"`)) {
				t.Errorf("the snapshot of %s has the name %s", stream, n.Text)
			}
		}
	}
	if _, err := s.store.Balances(ctx(), func(a ledger.Account, _ money.Amount) error {
		if _, ok := people.Number(a.Of); people.Personal(a) && !ok {
			t.Errorf("the record has the account %s", a)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	of := 0
	if err := house.Named(s.store).Movements(ctx(), ledger.Account{Kind: ledger.Player, Of: "ann"}, 0, 1000, func(m house.Movement) error {
		of++
		for _, p := range m.Postings {
			if p.From.Of != "ann" && p.To.Of != "ann" {
				t.Errorf("transaction %d did not move what is ann's: %v", m.Seq, p)
			}
		}
		return nil
	}); err != nil || of < 11 {
		t.Errorf("%d movements of ann, %v", of, err)
	}
}

// The numbers are recorded in order, each before anything of its person, and the names match
// the commitments.
func TestNumbersAreRecordedBeforeTheirPersons(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	s.buyIn("ann", 500*money.Major)
	s.bet("A")
	s.restart()
	s.buyIn("zoe", 100*money.Major)
	names := s.names()
	next := 1
	for _, line := range lines(s) {
		for n := next; n <= len(names)+1; n++ {
			if strings.Contains(line, fmt.Sprintf(`#%d"`, n)) {
				t.Errorf("number %d is named before it is given: %s", n, line)
			}
		}
		_, body, found := strings.Cut(line, `{"kind":"person-numbered","body":`)
		if !found {
			continue
		}
		var e house.PersonNumbered
		if err := json.NewDecoder(strings.NewReader(body)).Decode(&e); err != nil {
			t.Fatal(err)
		}
		if e.Number != int64(next) {
			t.Fatalf("number %d is given after %d", e.Number, next-1)
		}
		commitment := names[next-1].Commitment()
		if e.Commitment != hex.EncodeToString(commitment[:]) {
			t.Errorf("number %d: the commitment %s is not one to %q", next, e.Commitment, names[next-1].Text)
		}
		next++
	}
	if next != len(names)+1 || next < 4 {
		t.Errorf("%d numbers are given, and %d names are kept", next-1, len(names))
	}
}

// What is refused gives nobody a number, and a key that was used before a name had one
// is answered after it.
func TestWhatIsRefusedGivesNoNumber(t *testing.T) {
	s := newSite(t)
	s.install("A", "rws-3cp")
	s.do("A", dealer, table.OpenBets{})
	before := s.names()
	for _, order := range []house.CommandRequest{
		{Table: "A", By: dealer, Do: table.Bet{Box: 99, Player: "nobody of whom anything is known", Wager: ante(ann, 1, 1).Wager, Amount: 10 * money.Major}},
		{Table: "A", By: ann, Do: table.Deal{}},
		{Table: "A", By: dealer, Do: table.Bet{Box: 1, Player: "#1", Wager: ante(ann, 1, 1).Wager, Amount: 10 * money.Major}},
	} {
		for _, key := range []string{"", "k"} {
			order.Key = key
			if _, err := s.Do(ctx(), order); err == nil {
				t.Errorf("%v was done", order.Do)
			}
		}
	}
	if after := s.names(); !slices.Equal(before, after) {
		t.Errorf("names are %v, and before %v", after, before)
	}
	s.buyIn("ann", 100*money.Major)
	order := house.CommandRequest{Table: "A", Key: "k", By: dealer, Do: table.Bet{Box: 1, Player: "ann", Wager: ante(ann, 1, 1).Wager, Amount: 10 * money.Major}}
	first, err := s.Do(ctx(), order)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := s.Do(ctx(), order); err != nil || !again.Repeated || again.Seq != first.Seq {
		t.Errorf("the same key was answered %+v, %v", again, err)
	}
	order.Do = table.Bet{Box: 1, Player: "zoe", Wager: ante(ann, 1, 1).Wager, Amount: 10 * money.Major}
	if again, err := s.Do(ctx(), order); err == nil {
		t.Errorf("the key of a bet of ann's was answered for zoe: %+v", again)
	}
}

// The text in a name's file is no part of a key's answer after the house was opened again, and
// neither is it in the file outside the table of names.
func TestAFileHasEachNameOnce(t *testing.T) {
	const unusual = "Zoë-Quirinalia"
	s := newSiteOnFile(t)
	s.install("A", "rws-3cp")
	s.buyIn(unusual, 500*money.Major)
	if err := s.store.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	// The row, and the index by which no name comes twice.
	if n := bytes.Count(text, []byte(unusual)); n != 2 {
		t.Errorf("the file has the name %d times", n)
	}
	s.open()
	if got := s.Balance(ledger.Account{Kind: ledger.Player, Of: unusual}); got != 500*money.Major {
		t.Errorf("%s has %s", unusual, got)
	}
}

// The audit finds a change of the table of names, with the number and the transaction. If
// persons could no longer be told apart, the house does not open either.
func TestOtherNamesAreFound(t *testing.T) {
	for name, test := range map[string]struct {
		statement string
		want      string // in the finding about ann
		opens     bool
	}{
		"nothing":              {"SELECT 1", "", true},
		"another name":         {"UPDATE name SET name = 'zoe' WHERE name = 'ann'", `has "zoe" as %s, and that is not the name`, true},
		"another salt":         {"UPDATE name SET salt = zeroblob(32) WHERE name = 'ann'", `has "ann" as %s, and that is not the name`, true},
		"two swapped":          {"UPDATE name SET name = 'x' WHERE name = 'ann'; UPDATE name SET name = 'ann' WHERE name = 'ben'; UPDATE name SET name = 'ben' WHERE name = 'x'", `has "ben" as %s, and that is not the name`, true},
		"removed":              {"UPDATE name SET name = NULL, salt = NULL WHERE name = 'ann'", "the name of %s is not in the table of names, and nobody erased it", false},
		"deleted":              {"DELETE FROM name WHERE name = 'ann'", "the table of names does not have %s", false},
		"the last deleted":     {"DELETE FROM name WHERE number = (SELECT max(number) FROM name)", "the table of names does not have %s", false},
		"one that is nobody's": {"INSERT INTO name SELECT max(number) + 1, zeroblob(32), 'zoe' FROM name", `has "zoe" as`, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSiteOnFile(t)
			s.apart = true
			s.install("A", "rws-3cp")
			s.buyIn("ben", 100*money.Major)
			s.buyIn("ann", 100*money.Major)
			token := s.token("ann")
			s.edit(test.statement)
			store, err := sqlite.Open(ctx(), s.path)
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close() //nolint:errcheck // nothing is written
			found, err := auditor.CheckNames(ctx(), store)
			want := test.want
			if strings.Contains(want, "%s") {
				want = fmt.Sprintf(want, token)
			}
			if err != nil || (want == "") != (len(found) == 0) || !slices.ContainsFunc(found, func(f auditor.Finding) bool { return strings.Contains(f.What, want) }) && want != "" {
				t.Errorf("found %v, %v; want %q", found, err, want)
			}
			if _, _, err := house.Open(ctx(), store, s.world()); (err == nil) != test.opens || err != nil && !errors.Is(err, house.ErrCorrupt) {
				t.Errorf("the house opens: %v", err)
			}
		})
	}
}
