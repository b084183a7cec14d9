package ledger_test

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trey/internal/ledger"
	_ "trey/internal/steady"
	"trey/money"
)

var (
	ann   = ledger.Account{Kind: ledger.Player, Of: "ann"}
	ben   = ledger.Account{Kind: ledger.Player, Of: "ben"}
	felt  = ledger.Account{Kind: ledger.Layout, Of: "A"}
	win   = ledger.Account{Kind: ledger.Win, Of: "A"}
	owed  = ledger.Account{Kind: ledger.Owed, Of: "ann"}
	cash  = ledger.Account{Kind: ledger.Cash}
	house = ledger.Account{Kind: ledger.House}
)

func move(from, to ledger.Account, amount money.Amount, why ledger.Reason) ledger.Posting {
	return ledger.Posting{From: from, To: to, Amount: amount, For: ledger.Reference{Reason: why}}
}

func TestPost(t *testing.T) {
	book := ledger.Book{cash: 100, ann: 100}
	tests := []struct {
		name     string
		postings []ledger.Posting
		want     []ledger.Change
	}{
		{"nothing", nil, []ledger.Change{}},
		{"a bet", []ledger.Posting{move(ann, felt, 40, ledger.Bet)}, []ledger.Change{{ann, -40, 60}, {felt, 40, 40}}},
		{"the balance", []ledger.Posting{move(ann, felt, 100, ledger.Bet)}, []ledger.Change{{ann, -100, 0}, {felt, 100, 100}}},
		{"cash grows by a debit", []ledger.Posting{move(cash, ben, 5, ledger.BuyIn)}, []ledger.Change{{ben, 5, 5}, {cash, 5, 105}}},
		{"a debt grows by a debit", []ledger.Posting{move(owed, ann, 7, ledger.Unpaid)}, []ledger.Change{{ann, 7, 107}, {owed, 7, 7}}},
		{"a table may lose", []ledger.Posting{move(win, ann, 30, ledger.Winnings)}, []ledger.Change{{ann, 30, 130}, {win, -30, -30}}},
		{
			"only the sum counts for the floor",
			[]ledger.Posting{move(ann, felt, 130, ledger.Bet), move(win, ann, 30, ledger.Winnings)},
			[]ledger.Change{{ann, -100, 0}, {felt, 130, 130}, {win, -30, -30}},
		},
		{
			"what comes to nothing changes nothing",
			[]ledger.Posting{move(ann, felt, 10, ledger.Bet), move(felt, ann, 10, ledger.StakeReturned)},
			[]ledger.Change{},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := ledger.Post(book, test.postings...)
			if err != nil || !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %v, %v; want %v", got, err, test.want)
			}
		})
	}
	if want := (ledger.Book{cash: 100, ann: 100}); !reflect.DeepEqual(book, want) {
		t.Errorf("asking changed the book: %v", book)
	}
}

func TestPostRefuses(t *testing.T) {
	book := ledger.Book{cash: 100, ann: 100, house: math.MaxInt64}
	nowhere := ledger.Account{Kind: ledger.Player}
	tests := []struct {
		name    string
		posting ledger.Posting
		want    error
	}{
		{"from nowhere", move(nowhere, felt, 1, ledger.Bet), ledger.ErrMalformed},
		{"to nowhere", move(ann, ledger.Account{}, 1, ledger.Bet), ledger.ErrMalformed},
		{"an owner where there is none", move(ledger.Account{Kind: ledger.Cash, Of: "x"}, ann, 1, ledger.BuyIn), ledger.ErrMalformed},
		{"to itself", move(ann, ann, 1, ledger.Bet), ledger.ErrMalformed},
		{"nothing", move(ann, felt, 0, ledger.Bet), ledger.ErrMalformed},
		{"less than nothing", move(ann, felt, -1, ledger.Bet), ledger.ErrMalformed},
		{"no reason", move(ann, felt, 1, 0), ledger.ErrMalformed},
		{"too much for an account", move(win, house, 1, ledger.Credit), money.ErrOverflow},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got, err := ledger.Post(book, test.posting); !errors.Is(err, test.want) {
				t.Errorf("got %v, %v; want %v", got, err, test.want)
			}
		})
	}
	// Neither side of many postings together may be more than an account can hold.
	most := move(win, house, math.MaxInt64, ledger.Credit)
	if got, err := ledger.Post(ledger.Book{}, most, move(win, house, 1, ledger.Credit), move(house, win, 1, ledger.Credit)); !errors.Is(err, money.ErrOverflow) {
		t.Errorf("too much in between gives %v, %v", got, err)
	}
	for _, test := range []struct {
		name    string
		posting ledger.Posting
		want    ledger.Short
	}{
		{"a player", move(ann, felt, 101, ledger.Bet), ledger.Short{Account: ann, Balance: 100, Needed: 101}},
		{"a layout", move(felt, ann, 1, ledger.StakeReturned), ledger.Short{Account: felt, Needed: 1}},
		{"a debt", move(ann, owed, 1, ledger.Collected), ledger.Short{Account: owed, Needed: 1}},
	} {
		t.Run("below zero, "+test.name, func(t *testing.T) {
			var short *ledger.Short
			if got, err := ledger.Post(book, test.posting); !errors.As(err, &short) || *short != test.want {
				t.Errorf("got %v, %v; want %v", got, err, &test.want)
			}
		})
	}
}

// TestARefusalNamesTheAccountThatIsShort holds that nobody reads the key of an account in a
// refusal.
func TestARefusalNamesTheAccountThatIsShort(t *testing.T) {
	for kind, want := range map[ledger.Kind]string{
		ledger.Player:  "ann has $0.00, and this takes $12.50",
		ledger.Layout:  "$0.00 lies on table ann, and this takes $12.50",
		ledger.Meter:   "the meter of jackpot ann is at $0.00, and this takes $12.50",
		ledger.Reserve: "the reserve of jackpot ann is $0.00, and this takes $12.50",
		ledger.Owed:    "ann owes $0.00, and this takes $12.50",
		ledger.Payable: "$0.00 of jackpot ann waits to be handed out, and this takes $12.50",
	} {
		short := &ledger.Short{Account: ledger.Account{Kind: kind, Of: "ann"}, Needed: 1250}
		if got := short.Error(); got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}

// Whoever does not see an account learns that it is short, and not what it holds.
func TestWhatIsShortWithoutTheBalance(t *testing.T) {
	short := &ledger.Short{Account: ledger.Account{Kind: ledger.Player, Of: "ann"}, Needed: 1250, Withheld: true}
	if got := short.Error(); got != "ann does not have the $12.50 that this takes" {
		t.Error(got)
	}
}

func TestAccountsAreWrittenAndRead(t *testing.T) {
	for _, a := range []ledger.Account{ann, felt, cash, house, {Kind: ledger.Player, Of: "a:b c"}, {Kind: ledger.Reserve, Of: "linked"}} {
		text, err := a.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ledger.ParseAccount(string(text)); err != nil || got != a {
			t.Errorf("%s was read as %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "ann", "player", "player:", "cash:ann", "cash:", "unknown:x", "player:\xff"} {
		if got, err := ledger.ParseAccount(text); err == nil {
			t.Errorf("%q was read as %v", text, got)
		}
	}
}

func TestPostingsAreWrittenAndRead(t *testing.T) {
	for r := ledger.BuyIn; r.String() != "unknown"; r++ {
		p := move(ann, felt, 40, r)
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var got ledger.Posting
		if err := json.Unmarshal(text, &got); err != nil || got != p {
			t.Errorf("%s was read as %+v, %v", text, got, err)
		}
	}
}

// Whatever is posted, the trial balance is zero, nobody who may not be is below
// zero, and reversing everything leaves nothing.
func TestProperties(t *testing.T) {
	accounts := []ledger.Account{
		ann, ben, felt, win, owed, cash, house,
		{Kind: ledger.Meter, Of: "m"},
		{Kind: ledger.Reserve, Of: "m"},
		{Kind: ledger.Rack, Of: "A"},
	}
	rapid.Check(t, func(t *rapid.T) {
		book := ledger.Book{}
		var posted []ledger.Posting
		for range rapid.IntRange(1, 30).Draw(t, "transactions") {
			var tx []ledger.Posting
			for range rapid.IntRange(1, 4).Draw(t, "postings") {
				tx = append(tx, move(
					rapid.SampledFrom(accounts).Draw(t, "from"), rapid.SampledFrom(accounts).Draw(t, "to"),
					money.Amount(rapid.Int64Range(-1, 1000).Draw(t, "amount")), ledger.Bet,
				))
			}
			before := book.Clone()
			changes, err := ledger.Post(book, tx...)
			if !reflect.DeepEqual(before, book) {
				t.Fatal("asking changed the book")
			}
			if err != nil {
				continue
			}
			book.Apply(changes)
			posted = append(posted, tx...)
			if trial, err := book.Trial(); err != nil || !trial.Balanced() {
				t.Fatalf("trial balance %+v, %v", trial, err)
			}
		}
		slices.Reverse(posted)
		for i := range posted {
			posted[i].From, posted[i].To = posted[i].To, posted[i].From
		}
		changes, err := ledger.Post(book, posted...)
		if err != nil {
			t.Fatal(err)
		}
		book.Apply(changes)
		for _, a := range book.Accounts() {
			if held := book.Balance(a); held != 0 {
				t.Fatalf("%s still holds %s", a, held)
			}
		}
	})
}

func TestTrialFindsWhatCannotBe(t *testing.T) {
	if trial, err := (ledger.Book{ann: 5, cash: 4}).Trial(); err != nil || trial.Balanced() {
		t.Errorf("5 against 4: %+v, %v", trial, err)
	}
	if _, err := (ledger.Book{ann: -5, cash: -5}).Trial(); err == nil {
		t.Error("a player below zero was not found")
	}
}

// What is not a reason, an account or a wager is not written, and so never recorded.
func TestWhatIsNoneIsNotWritten(t *testing.T) {
	for name, posting := range map[string]ledger.Posting{
		"no reason":       {From: cash, To: ann, Amount: 1},
		"another reason":  {From: cash, To: ann, Amount: 1, For: ledger.Reference{Reason: 250}},
		"no account":      {To: ann, Amount: 1, For: ledger.Reference{Reason: ledger.BuyIn}},
		"another account": {From: cash, To: ledger.Account{Kind: 99}, Amount: 1, For: ledger.Reference{Reason: ledger.BuyIn}},
		"another wager":   {From: cash, To: ann, Amount: 1, For: ledger.Reference{Reason: ledger.BuyIn, Wager: 250}},
	} {
		if text, err := ledger.AppendJSON(nil, []ledger.Posting{posting}); err == nil {
			t.Errorf("%s: written as %s", name, text)
		}
		if text, err := json.Marshal(posting); err == nil {
			t.Errorf("%s: written by encoding/json as %s", name, text)
		}
	}
}

// What postings come to for one account: a debit account grows by what is posted from it.
func TestNet(t *testing.T) {
	postings := []ledger.Posting{
		move(cash, ann, 100, ledger.BuyIn), move(ann, felt, 40, ledger.Bet), move(felt, ann, 15, ledger.StakeReturned), move(owed, ann, 7, ledger.Unpaid),
	}
	for account, want := range map[ledger.Account]money.Amount{ann: 100 - 40 + 15 + 7, felt: 40 - 15, cash: 100, owed: 7, ben: 0} {
		if net, err := ledger.Net(account, postings); err != nil || net != want {
			t.Errorf("%s changes by %s, %v, want %s", account, net, err, want)
		}
	}
	much := move(ann, ben, math.MaxInt64, ledger.Bet)
	for account, twice := range map[ledger.Account]ledger.Posting{ann: much, ben: much} {
		if net, err := ledger.Net(account, []ledger.Posting{twice, twice}); !errors.Is(err, money.ErrOverflow) || net != 0 {
			t.Errorf("%s changes by more than an amount holds: %s, %v", account, net, err)
		}
	}
}

// What lies just beyond the kinds and reasons is none, and a trial finds it.
func TestWhatIsBeyondTheLists(t *testing.T) {
	const kind, reason = ledger.Payable + 1, ledger.Reason(250)
	for _, k := range []ledger.Kind{0, kind, 99} {
		if k.String() != "unknown" || (ledger.Account{Kind: k, Of: "ann"}).Valid() {
			t.Errorf("%d is the kind %s", k, k)
		}
		if trial, err := (ledger.Book{{Kind: k, Of: "ann"}: 1}).Trial(); err == nil {
			t.Errorf("an account of the kind %d passes: %+v", k, trial)
		}
	}
	if reason.String() != ledger.Reason(0).String() {
		t.Errorf("%s and %s are both none", reason, ledger.Reason(0))
	}
	if _, err := ledger.Post(ledger.Book{ann: 10}, move(ann, felt, 1, reason)); !errors.Is(err, ledger.ErrMalformed) {
		t.Errorf("for no reason: %v", err)
	}
	var r ledger.Reason
	for _, text := range []string{"", "no-reason"} {
		if err := r.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as %s", text, r)
		}
	}
	var a ledger.Account
	if err := a.UnmarshalText([]byte("ann")); err == nil {
		t.Errorf("read as %s", a)
	}
	// An account that is empty is sound, and one that no amount holds is not.
	if trial, err := (ledger.Book{ann: 0, ben: 3, win: -3}).Trial(); err != nil || !trial.Balanced() {
		t.Errorf("%+v, %v", trial, err)
	}
	if trial, err := (ledger.Book{ann: math.MaxInt64, ben: 1}).Trial(); err == nil {
		t.Errorf("more than an amount holds: %+v", trial)
	}
}

// Only what a table or the house won, and what lies in a rack or the cage, falls below zero.
func TestWhichAccountsFallBelowZero(t *testing.T) {
	falls := map[ledger.Kind]bool{ledger.Rack: true, ledger.Win: true, ledger.House: true, ledger.Cash: true}
	for k := ledger.Player; k <= ledger.Payable; k++ {
		of := ledger.Account{Kind: k, Of: "A"}
		if k == ledger.House || k == ledger.Cash {
			of.Of = ""
		}
		if !of.Valid() {
			t.Fatalf("%s is no account", of)
		}
		if _, err := (ledger.Book{of: -1}).Trial(); (err == nil) != falls[k] {
			t.Errorf("%s holds less than nothing: %v", of, err)
		}
	}
	long := ledger.Account{Kind: ledger.Player, Of: strings.Repeat("a", 201)}
	if _, err := ledger.ParseAccount(long.String()); err == nil || long.Valid() {
		t.Error("a name of 201 bytes is one")
	}
	if a, err := ledger.ParseAccount("cash:ann"); err == nil {
		t.Errorf("read as %s", a)
	}
	// They are listed by kind and then by name.
	book := ledger.Book{cash: 1, ben: 1, felt: 1, ann: 1}
	if got := book.Accounts(); !slices.Equal(got, []ledger.Account{ann, ben, felt, cash}) {
		t.Errorf("listed as %v", got)
	}
}

// The first number behind the reasons is none, and each before it has a name of its own.
func TestReasonsAreClosed(t *testing.T) {
	none := ledger.Reason(0).String()
	seen := map[string]bool{none: true}
	r := ledger.Reason(1)
	for ; r.String() != none; r++ {
		if seen[r.String()] {
			t.Errorf("%d is named %s as well", r, r)
		}
		seen[r.String()] = true
		if text, err := r.MarshalText(); err != nil || string(text) != r.String() {
			t.Errorf("%s is written as %s, %v", r, text, err)
		}
	}
	if !seen[ledger.Bet.String()] || len(seen) < 20 {
		t.Errorf("there are %d reasons", len(seen)-1)
	}
	if _, err := ledger.Post(ledger.Book{ann: 10}, move(ann, felt, 1, r)); !errors.Is(err, ledger.ErrMalformed) {
		t.Errorf("for the reason %d: %v", r, err)
	}
	if text, err := r.MarshalText(); err == nil {
		t.Errorf("the reason %d is written as %s", r, text)
	}
}
