package house_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/internal/stored"
	"trey/money"
)

// The hash of what came with a key is over this text, for ever.
func TestTheHashOfWhatCameWithAKey(t *testing.T) {
	const text = "trey input v1\n" + `["player","T1","bet",{"a":[0,{"b":1},"",{},[]],"amount":1500,"name":"\u003cé"}]`
	sum := sha256.Sum256([]byte(text))
	want := "1:" + hex.EncodeToString(sum[:])
	for _, body := range []string{
		`{"a":[0,{"b":1},"",{},[]],"amount":1500,"name":"<é"}`,
		`{"name":"\u003cé","amount":1500,"a":[0,{"b":1,"c":false},"",{"d":null},[]]}`,
		`{"amount":1500,"name":"<é","a":[0,{"b":1},"",{},[]],"zero":0,"no":false,"none":null,"empty":"","list":[],"object":{"inner":{"more":""}}}`,
	} {
		for _, kind := range []string{"bet", "bet/2"} {
			c := house.Cause{By: "ann", Role: "player", At: "T1", Kind: kind, Body: json.RawMessage(body)}
			if got, err := house.InputOf(&c); err != nil || got != want {
				t.Errorf("%s %s has %s, %v, want %s", kind, body, got, err, want)
			}
		}
	}
	c := house.Cause{Role: "player", At: "T1", Kind: "bet", Body: json.RawMessage(`{"amount":1500,"name":"<é"}`)}
	base, err := house.InputOf(&c)
	if err != nil || base == want {
		t.Fatal(base, err)
	}
	for what, other := range map[string]house.Cause{
		"the role":   {Role: "dealer", At: c.At, Kind: c.Kind, Body: c.Body},
		"the table":  {Role: c.Role, At: "T2", Kind: c.Kind, Body: c.Body},
		"the kind":   {Role: c.Role, At: c.At, Kind: "raise", Body: c.Body},
		"an amount":  {Role: c.Role, At: c.At, Kind: c.Kind, Body: json.RawMessage(`{"amount":1501,"name":"<é"}`)},
		"one more":   {Role: c.Role, At: c.At, Kind: c.Kind, Body: json.RawMessage(`{"amount":1500,"name":"<é","more":true}`)},
		"one less":   {Role: c.Role, At: c.At, Kind: c.Kind, Body: json.RawMessage(`{"amount":1500}`)},
		"everything": {},
	} {
		if got, err := house.InputOf(&other); err != nil || got == base {
			t.Errorf("with another in %s the hash is the same, %v", what, err)
		}
	}
}

type (
	bringOld struct {
		Player string `json:"player"`
		Amount int64  `json:"amount"`
	}
	bringNew struct {
		Amount int64  `json:"amount"`
		Player string `json:"player"`
		Chip   string `json:"chip,omitempty"`
	}
)

// A kind that gets a second version, with a field that may be left out, has the same hash
// as before for what could be asked before.
func TestALaterVersionOfAKindHasTheSameHash(t *testing.T) {
	same := func(s bringNew) bringNew { return s }
	before := stored.NewTable("command", stored.Own[any, bringOld]("bring"))
	now := stored.NewTable("command", stored.Of[any]("bring", same, same, stored.From(func(f bringOld) bringNew { return bringNew{Player: f.Player, Amount: f.Amount} })))
	inputOf := func(e stored.Event, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		input, err := house.InputOf(&house.Cause{Kind: e.Kind, Body: e.Body})
		if err != nil {
			t.Fatal(err)
		}
		return input
	}
	old := inputOf(before.Write(bringOld{"ann", 5}))
	if again := inputOf(now.Write(bringNew{5, "ann", ""})); again != old {
		t.Error("the same command has another hash in the second version")
	}
	for _, other := range []bringNew{{6, "ann", ""}, {5, "ben", ""}, {5, "ann", "red"}} {
		if inputOf(now.Write(other)) == old {
			t.Errorf("%+v has the hash of another command", other)
		}
	}
}

// What was recorded under a key by another version of its kind is answered, and another
// command under the key is refused.
func TestAKeyIsAnsweredAcrossVersions(t *testing.T) {
	s := newSite(t)
	buyIn := func(key string, amount money.Amount) (int64, error) {
		return s.CageTransfer(ctx(), key, cashier, posting.Transfer{Reason: ledger.BuyIn, Player: "ann", Amount: amount})
	}
	record := func(key, kind, body string) int64 {
		t.Helper()
		done := <-house.Named(s.store).Append(&house.Transaction{
			AtMs: s.clock.Load(), Key: fmt.Sprintf("%q %s", cashier.Name, key),
			Cause: house.Cause{By: cashier.Name, Role: cashier.Role.String(), Kind: kind, Body: json.RawMessage(body)},
		})
		if done.Err != nil {
			t.Fatal(done.Err)
		}
		return done.Seq
	}
	for key, recorded := range map[string][2]string{
		"in another order": {"buy-in", `{"amount":5,"player":"ann"}`},
		"a later version":  {"buy-in/7", `{"player":"ann","amount":5,"note":"","currency":"","split":[]}`},
	} {
		seq := record(key, recorded[0], recorded[1])
		if again, err := buyIn(key, 5); err != nil || again != seq {
			t.Errorf("%s: answered with transaction %d, %v, want %d", key, again, err, seq)
		}
		if _, err := buyIn(key, 6); !errors.Is(err, house.ErrKeyReused) {
			t.Errorf("%s: another command: %v", key, err)
		}
	}
	record("a later one that says more", "buy-in/7", `{"player":"ann","amount":5,"currency":"EUR"}`)
	if _, err := buyIn("a later one that says more", 5); !errors.Is(err, house.ErrKeyReused) {
		t.Errorf("less than was asked: %v", err)
	}
}

// A line names what came with a key only where it is not the cause, and in the form that
// it has.
func TestALineHoldsNothingTwice(t *testing.T) {
	cause := house.Cause{By: "ann", Role: "player", Kind: "deal", Body: json.RawMessage(`{"cards":[1]}`)}
	came := house.Cause{By: "ann", Role: "player", Kind: "deal", Body: json.RawMessage(`{}`)}
	line := func(came *house.Cause) string {
		t.Helper()
		l, err := house.NewLine(&house.Transaction{Key: "k", Cause: cause, Came: came})
		if err != nil {
			t.Fatal(err)
		}
		return string(l.Append(nil))
	}
	other, name := line(&came), line(&cause)
	ownInput, err := house.InputOf(&cause)
	if err != nil {
		t.Fatal(err)
	}
	cameInput, err := house.InputOf(&came)
	if err != nil {
		t.Fatal(err)
	}
	if name != line(nil) || strings.Contains(name, "input") || !strings.Contains(other, `"input":"`+cameInput+`"`) {
		t.Fatalf("the lines are\n%s\n%s", name, other)
	}
	for what, input := range map[string]string{
		"that of the cause": ownInput, "of no form": cameInput[2:], "of a later form": "2" + cameInput[1:],
		"in capitals": "1:" + strings.ToUpper(cameInput[2:]), "too short": cameInput[:65],
	} {
		altered := strings.Replace(other, cameInput, input, 1)
		if _, err := house.ReadLine([]byte(altered)); !errors.Is(err, house.ErrCorrupt) {
			t.Errorf("a hash %s is read: %v", what, err)
		}
	}
	if _, err := house.ReadLine([]byte(other)); err != nil {
		t.Error(err)
	}
	if _, err := house.ReadLine([]byte(strings.Replace(other, `"key":"k",`, "", 1))); !errors.Is(err, house.ErrCorrupt) {
		t.Errorf("a hash without a key is read: %v", err)
	}
}
