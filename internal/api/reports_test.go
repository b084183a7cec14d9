package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"trey/internal/house/report"
	"trey/money"
)

// A report is told in the form that is asked for, to those who may have it.
func TestReportsInEveryForm(t *testing.T) {
	s := newSite(t, func(c *Config) { c.Name, c.Version = "The Grand", "v7" })
	s.install("T1", "us-3cp")
	s.buyIn("ann", 70*money.Major)
	for _, kind := range report.Kinds() {
		path := "/api/v1/reports/" + kind.String()
		var data report.Report
		r := s.get("sue", path, "Accept", "application/json")
		if r.into(t, &data); data.Title == "" || data.Title != kind.Title() || data.House != "The Grand" || data.Version != "v7" {
			t.Errorf("%s: %s", kind, r.text)
		}
		csv := s.get("sue", path, "Accept", "text/csv")
		if head := "title," + kind.Title() + "\nhouse,The Grand\nversion,v7\n"; !strings.HasPrefix(csv.text, head) || csv.Header.Get("Content-Type") != "text/csv; charset=utf-8" {
			t.Errorf("%s: %s", kind, csv.text)
		}
		paper := s.get("sue", path, "Accept", "text/plain")
		pages := strings.Split(paper.text, "\f")
		for i, page := range pages {
			first, rest, _ := strings.Cut(page, "\n")
			if number := fmt.Sprintf("  page %d of %d", i+1, len(pages)); !strings.HasPrefix(first, "The Grand ") || !strings.HasSuffix(first, number) || !strings.HasPrefix(rest, kind.Title()+"\n") {
				t.Errorf("%s: a page begins with %s", kind, first)
			}
		}
		if !strings.Contains(paper.text, "\nEnd of the report: ") || paper.Header.Get("Content-Type") != "text/plain; charset=utf-8" || !strings.Contains(paper.Header.Get("Content-Disposition"), kind.String()+".txt") {
			t.Errorf("%s: %v %s", kind, paper.Header, paper.text)
		}
		for _, person := range []string{"ann", "dan"} {
			if r := s.get(person, path, "Accept", "text/plain"); r.StatusCode != http.StatusForbidden || strings.Contains(r.text, kind.Title()) {
				t.Errorf("%s has %s: %s", person, kind, r.text)
			}
		}
	}
	// A cashier has no use for ratings: they are neither made for one nor listed.
	if r := s.get("cas", "/api/v1/reports/player-ratings"); r.StatusCode != http.StatusForbidden || !strings.Contains(r.text, "see-ratings") {
		t.Errorf("a cashier asks for ratings: %d %s", r.StatusCode, r.text)
	}
	for person, want := range map[string]bool{"cas": false, "sue": true} {
		r := s.get(person, "/api/v1/reports")
		if r.StatusCode != http.StatusOK || !strings.Contains(r.text, `"pit"`) || strings.Contains(r.text, "player-ratings") != want {
			t.Errorf("%s is offered %s", person, r.text)
		}
	}
	// A name that is misspelled is no table on which nothing happened.
	for path, want := range map[string]int{
		"table-performance?table=T1": http.StatusOK, "table-performance?table=": http.StatusOK, "table-performance?table=T2": http.StatusUnprocessableEntity,
		"jackpots?jackpot=grand": http.StatusUnprocessableEntity,
	} {
		if r := s.get("sue", "/api/v1/reports/"+path); r.StatusCode != want || want != http.StatusOK && !strings.Contains(r.text, "there is no ") {
			t.Errorf("%s: %d %s", path, r.StatusCode, r.text)
		}
	}
	// The bank is the sum that the cage took in, and it stands under the column's end.
	balance := s.get("sue", "/api/v1/reports/trial-balance", "Accept", "text/plain").text
	if found := strings.Count(balance, "70.00"); found < 2 || !strings.Contains(balance, "\nTotal ") {
		t.Errorf("%s", balance)
	}
}

// An Accept header is read by its ranks and not by the words in it.
func TestTheFormOfAReport(t *testing.T) {
	for accept, form := range map[string]string{
		"": "application/json", "*/*": "application/json", "text/html,*/*;q=0.8": "application/json",
		"text/csv": "text/csv", "TEXT/CSV; charset=utf-8": "text/csv", "text/plain": "text/plain", "text/plain, text/csv": "text/plain",
		"text/csv;q=0": "application/json", "text/csv;q=0.1, application/json": "application/json",
		"application/json;q=0.5, text/csv;q=0.9": "text/csv", "text/csv;q=high": "application/json", "x-text/csv": "application/json",
	} {
		if got := formOf(accept); got != form {
			t.Errorf("%q is answered with %s, want %s", accept, got, form)
		}
	}
}
