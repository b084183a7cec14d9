package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/ledger"
	"trey/money"
	"trey/table"
)

// largeTable opens T1, where two people verify a hit like that of largeHit.
func (s *site) largeTable() {
	s.Helper()
	s.install("T1", "rws-3cp", func(t *house.Table) {
		t.Config.Cards, t.VerifyFrom = table.Read, 10_000*money.Major
	})
	s.buyIn("ann", 100*money.Major)
}

// largeHit has ann win the jackpot at T1 with ace, king and queen of spades.
func (s *site) largeHit() {
	s.Helper()
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	s.done("ann", "T1", `{"kind":"bet","body":{"box":1,"player":"ann","wager":"ante","amount":1000}}`)
	s.done("ann", "T1", `{"kind":"bet","body":{"box":1,"player":"ann","wager":"progressive","amount":500}}`)
	s.done("dan", "T1", `{"kind":"close-bets"}`)
	s.done("dan", "T1", `{"kind":"deal","body":{"cards":[{"card":"As"},{"card":"Ks"},{"card":"Qs"},{"card":"2c"},{"card":"5d"},{"card":"9h"}]}}`)
	s.done("ann", "T1", `{"kind":"raise","body":{"box":1,"player":"ann"}}`)
	s.done("dan", "T1", `{"kind":"reveal"}`)
	s.done("dan", "T1", `{"kind":"settle"}`)
}

// A jackpot from the threshold on does not leave the house by one person's hand, from whatever
// role. The winner cannot cash it out, no single person and no token pays or denies it, and two
// people do. Everybody else learns nothing of whose it is.
func TestALargeJackpotByHTTP(t *testing.T) {
	s := newSite(t)
	s.largeTable()
	wall := s.listen("ben", "/api/v1/jackpots/linked/events", 0)
	s.largeHit()
	// 100 less the 5 of the Progressive bet, 10 for the Ante and 50 for its bonus.
	has := func(want money.Amount) {
		t.Helper()
		if got := s.Balance(ledger.Account{Kind: ledger.Player, Of: "ann"}); got != want {
			t.Errorf("ann has %s, want %s", got, want)
		}
	}
	has(15_500)
	s.status(http.StatusConflict, "", "cas", http.MethodPost, "/api/v1/cage", `{"reason":"cash-out","player":"ann","amount":15501}`)
	for paid := ""; paid == ""; {
		notice, ok := wall.next()
		if !ok {
			t.Fatal("the stream ended before the hit")
		}
		if strings.Contains(notice.data, "hit-paid") {
			if paid = notice.data; strings.Contains(paid, "ann") || strings.Contains(paid, "held") {
				t.Errorf("everybody reads whose it is: %s", paid)
			}
		}
	}
	if got := s.get("sue", "/api/v1/jackpots/linked/hits").text; !strings.Contains(got, `"winner":"ann","amount":1000200,"held":true`) {
		t.Errorf("the floor is not shown what waits: %s", got)
	}
	for person, sees := range map[string]bool{"ben": false, "dan": false, "ann": true, "cas": true, "pat": true, "eye": true} {
		if got := s.get(person, "/api/v1/jackpots/linked/hits").text; strings.Contains(got, `"winner"`) != sees {
			t.Errorf("%s reads of the hit: %s", person, got)
		}
	}
	paid := func(want string) {
		t.Helper()
		for _, path := range []string{"/api/v1/jackpots/linked", "/api/v1/jackpots"} {
			if got := s.get("ben", path).text; !strings.Contains(got, `"hits_paid":`+want+`,`) {
				t.Errorf("%s hits are paid: %s", want, got)
			}
		}
	}
	paid("1")
	s.done("dan", "T1", `{"kind":"open-bets"}`)

	const hit = `"jackpot":"linked","hit":{"table":"T1","round":"1","box":1},"note":"as recorded"`
	verify, deny := `{"kind":"verify-jackpot","body":{`+hit+`}}`, `{"kind":"deny-jackpot","body":{`+hit+`,"clause":"5.15"}}`
	for _, body := range []string{verify, deny} {
		for _, person := range []string{"ann", "ben", "dan", "cas"} {
			s.status(http.StatusForbidden, "", person, http.MethodPost, "/api/v1/proposals", body)
		}
		var got struct{ ID int64 }
		s.status(http.StatusCreated, "", "sue", http.MethodPost, "/api/v1/proposals", body).into(t, &got)
		for _, person := range []string{"ann", "dan", "cas", "pat", "adm", "sue"} {
			if r := s.ask(person, http.MethodPost, approvePath(got.ID), ""); r.StatusCode < 400 {
				t.Errorf("%s approves %s: %s", person, body, r.text)
			}
		}
		s.status(http.StatusNoContent, "", "sue", http.MethodPost, fmt.Sprintf("/api/v1/proposals/%d/decline", got.ID), `{"why":"not alone"}`)
	}
	s.status(http.StatusUnprocessableEntity, "", "pat", http.MethodPost, "/api/v1/proposals", `{"kind":"deny-jackpot","body":{`+hit+`,"clause":"77.7"}}`)
	has(15_500)

	var got struct{ ID int64 }
	s.status(http.StatusCreated, "", "pat", http.MethodPost, "/api/v1/proposals", verify).into(t, &got)
	if r := s.ask("sue", http.MethodPost, approvePath(got.ID), ""); r.StatusCode != http.StatusOK {
		t.Fatal(r.text)
	}
	has(15_500 + 1_000_200)
	if got := s.Balance(ledger.Account{Kind: ledger.Payable, Of: "linked"}); got != 0 {
		t.Errorf("%s are held yet", got)
	}
}

// A hit that was denied is not among those that were paid, neither where a jackpot is asked for nor
// where it is followed.
func TestADeniedHitWasNotPaid(t *testing.T) {
	s := newSite(t)
	s.largeTable()
	s.largeHit()
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	wall := s.listen("ben", "/api/v1/jackpots/linked/events", 0)
	defer wall.close()
	if m, ok := wall.next(); !ok || m.event != "standing" { // what comes after it is a message of its own
		t.Fatalf("%+v", m)
	}
	var got struct{ ID int64 }
	s.status(http.StatusCreated, "", "pat", http.MethodPost, "/api/v1/proposals", `{"kind":"deny-jackpot","body":{"jackpot":"linked","hit":{"table":"T1","round":"1","box":1},"note":"as recorded","clause":"5.15"}}`).into(t, &got)
	if r := s.ask("sue", http.MethodPost, approvePath(got.ID), ""); r.StatusCode != http.StatusOK {
		t.Fatal(r.text)
	}
	if got := s.get("ben", "/api/v1/jackpots/linked").text; !strings.Contains(got, `"hits_paid":0,`) {
		t.Errorf("after it was denied: %s", got)
	}
	for reversed := false; !reversed; {
		notice, ok := wall.next()
		if !ok {
			t.Fatal("the stream ended before the hit was denied")
		}
		reversed = strings.Contains(notice.data, "hit-reversed")
		if reversed && !strings.Contains(notice.data, `"hits_paid":0,`) {
			t.Errorf("who follows the jackpot reads: %s", notice.data)
		}
	}
}

// The statement of a player shows a jackpot that was held as part of the round in which it was
// won, once two people have verified it. It is on one page, whatever the player has played
// since.
func TestAHeldJackpotIsOnTheStatement(t *testing.T) {
	s := newSite(t)
	s.largeTable()
	s.largeHit()
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	s.done("ann", "T1", `{"kind":"bet","body":{"box":1,"player":"ann","wager":"ante","amount":1000}}`)
	s.done("dan", "T1", `{"kind":"close-bets"}`)
	s.done("dan", "T1", `{"kind":"deal","body":{"cards":[{"card":"9s"},{"card":"7c"},{"card":"2s"},{"card":"2c"},{"card":"5d"},{"card":"Kh"}]}}`)
	s.done("ann", "T1", `{"kind":"fold","body":{"box":1,"player":"ann"}}`)
	s.done("dan", "T1", `{"kind":"reveal"}`)
	s.done("dan", "T1", `{"kind":"settle"}`)

	type played struct {
		Round int
		Net   money.Amount
	}
	statement := func() (all []played) {
		t.Helper()
		for before, pages := int64(0), 0; pages < 10; pages++ {
			var page struct {
				Rounds []played
				Next   int64
			}
			path := fmt.Sprintf("/api/v1/account/rounds?limit=1&before=%d", before)
			if before == 0 {
				path = "/api/v1/account/rounds?limit=1"
			}
			s.status(http.StatusOK, "", "ann", http.MethodGet, path, "").into(t, &page)
			all = append(all, page.Rounds...)
			if before = page.Next; before == 0 {
				return all
			}
		}
		t.Fatal("the statement does not end")
		return nil
	}
	// The Ante wins 10 and its bonus 50; the Progressive bet costs 5, and what it won is held.
	if got, want := statement(), []played{{2, -1000}, {1, 5500}}; !slices.Equal(got, want) {
		t.Errorf("while the sum is held the statement has %v, want %v", got, want)
	}
	var got struct{ ID int64 }
	s.status(http.StatusCreated, "", "pat", http.MethodPost, "/api/v1/proposals",
		`{"kind":"verify-jackpot","body":{"jackpot":"linked","hit":{"table":"T1","round":"1","box":1},"note":"as recorded"}}`).into(t, &got)
	s.status(http.StatusOK, "", "sue", http.MethodPost, approvePath(got.ID), "")
	if got, want := statement(), []played{{1, 5500 + 1_000_200}, {2, -1000}}; !slices.Equal(got, want) {
		t.Errorf("once it is handed out the statement has %v, want %v", got, want)
	}
}
