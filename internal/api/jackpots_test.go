package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"trey/money"
)

// A jackpot's failure is reported once for all of its tables, and told again under its
// key; a player may not report it.
func TestAJackpotIsReportedDownOnce(t *testing.T) {
	s := newSite(t)
	s.install("T1", "rws-3cp")
	s.install("T2", "rws-3cp")
	s.buyIn("ann", 1000*money.Major)
	for _, name := range []string{"T1", "T2"} {
		s.done("dan", name, `{"kind":"open-bets"}`)
		s.done("ann", name, `{"kind":"bet","body":{"box":1,"player":"ann","wager":"ante","amount":1000}}`)
		s.done("dan", name, `{"kind":"close-bets"}`)
		s.done("dan", name, `{"kind":"deal"}`)
	}
	s.done("ann", "T2", `{"kind":"examine","body":{"box":1,"player":"ann"}}`)
	const path, body = "/api/v1/jackpots/linked/down", `{"note":"the server does not answer"}`
	if got := s.ask("ann", http.MethodPost, path, body).StatusCode; got != http.StatusForbidden {
		t.Errorf("a player reports it: %d", got)
	}
	if got := s.ask("dan", http.MethodPost, "/api/v1/jackpots/other/down", body).StatusCode; got != http.StatusNotFound {
		t.Errorf("a jackpot that there is not: %d", got)
	}
	var first string
	for i := range 2 {
		r := s.ask("dan", http.MethodPost, path, body, "Idempotency-Key", "d1")
		if r.StatusCode != http.StatusOK || (r.Header.Get("Idempotency-Replayed") == "true") != (i > 0) {
			t.Fatal(i, r.Status, r.text)
		}
		var got struct{ Tables []DownAt }
		r.into(t, &got)
		if len(got.Tables) != 2 || got.Tables[0].Outcome.String() != "void" || got.Tables[0].Clause != "rws-3cp@3 5.16" ||
			got.Tables[1].Outcome.String() != "keep-registered" || got.Tables[1].Clause != "rws-3cp@3 5.17.1" || got.Tables[1].Seq == 0 {
			t.Errorf("%+v", got)
		}
		if i == 0 {
			first = r.text
		} else if r.text != first {
			t.Errorf("repeated:\n%s\n%s", first, r.text)
		}
	}
	if p := s.ask("dan", http.MethodPost, path, body).problem(t); p.Status != http.StatusConflict {
		t.Errorf("reported once more: %+v", p)
	}
	const up = "/api/v1/jackpots/linked/up"
	if got := s.ask("dan", http.MethodPost, up, "").StatusCode; got != http.StatusForbidden {
		t.Errorf("a dealer puts it back into service: %d", got)
	}
	if got := s.ask("pat", http.MethodPost, "/api/v1/jackpots/other/up", "").StatusCode; got != http.StatusNotFound {
		t.Errorf("a jackpot that there is not, back in service: %d", got)
	}
	r := s.ask("pat", http.MethodPost, up, "", "Idempotency-Key", "u1")
	var got struct{ Tables []UpAt }
	r.into(t, &got)
	// The round at T1 is void, and at T2 it is in play.
	if len(got.Tables) != 2 || got.Tables[0].Seq == 0 || got.Tables[0].Later || got.Tables[1].Seq != 0 || !got.Tables[1].Later || got.Tables[1].Table != "T2" {
		t.Errorf("%s: %s", r.Status, r.text)
	}
	if r := s.ask("pat", http.MethodPost, up, "", "Idempotency-Key", "u1"); r.StatusCode != http.StatusOK || !strings.Contains(r.text, fmt.Sprintf(`"seq":%d`, got.Tables[0].Seq)) {
		t.Errorf("repeated: %s %s", r.Status, r.text)
	}
	s.done("ann", "T2", `{"kind":"raise","body":{"box":1,"player":"ann"}}`)
	s.done("dan", "T2", `{"kind":"reveal"}`)
	s.done("dan", "T2", `{"kind":"settle"}`)
	if p := s.ask("pat", http.MethodPost, up, "").problem(t); p.Status != http.StatusConflict {
		t.Errorf("put back once more: %+v", p)
	}
	for _, person := range []string{"ann", "dan", "cas", "eye", "adm"} { // also where there is nothing to do
		s.status(http.StatusForbidden, "denied", person, http.MethodPost, up, "")
	}
}
