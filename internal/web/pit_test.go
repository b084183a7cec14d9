package web_test

import (
	"math/big"
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/house/report"
	"trey/internal/steady"
	"trey/internal/web/lang"
	"trey/money"
	"trey/odds"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// A shift manager sees all tables. The page shows the present state of each, and its win beside
// its theoretical win, by the lines of its rounds and by its par sheet.
func TestPit(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	sue := s.as(t, "sue")
	s.settled("T1")
	s.settled("T1")
	var handle, win money.Amount
	for round := 1; round <= 2; round++ {
		for _, l := range s.linesOf("T1", round) {
			win += l.Stake - l.Net()
			if l.Result != rules.GivenBack {
				handle += l.Stake - l.Excess
			}
		}
	}
	b, err := books.Find("rws-3cp")
	if err != nil {
		t.Fatal(err)
	}
	sheet, err := odds.Analyse(b.Standard(), odds.Options{Bets: []odds.Bet{odds.AntePlay}})
	if err != nil {
		t.Fatal(err)
	}
	edge := sheet.Wagers[odds.AntePlay].HouseEdge.Rat()
	written := lang.Printer{Language: lang.English}.Money
	expected := func(antes int64) string { // of $25 each
		a, err := money.Parse(new(big.Rat).Mul(edge, big.NewRat(25*antes, 1)).FloatString(2))
		if err != nil {
			t.Fatal(err)
		}
		return written(a)
	}
	figure := func(row, column, want string) chromedp.Action {
		return arrives("["+row+`] [data-column="`+column+`"]`, want)
	}
	do(
		t, sue, chromedp.Navigate(s.address+"/console"), still(), chromedp.Click(`//nav//a[.="Pit"]`),
		arrives("#p-table-T1", "settled"), arrives("#p-table-T2", "between rounds"),
		figure(`data-table="T1"`, "settled", "2"), figure(`data-table="T1"`, "drop", written(handle)), figure(`data-table="T1"`, "handle", written(handle)),
		figure(`data-table="T1"`, "rated_win", written(win)), figure(`data-table="T1"`, "theo", expected(2)),
	)
	// What the table does is kept as it is; the figures are those of a moment.
	s.play(dealer, "T1", table.OpenBets{})
	do(t, sue, arrives("#p-table-T1", "betting"), figure(`data-table="T1"`, "settled", "2"))
	s.play(dealer, "T1", table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 2500})
	s.play(dealer, "T1", table.CloseBets{})
	s.play(dealer, "T1", table.Deal{})
	s.play(ann, "T1", table.Fold{Box: 1, Player: "ann"})
	s.play(dealer, "T1", table.Report{Incident: rules.Uncovered, Note: "water"})
	do(
		t, sue, arrives("#p-alerts", "T1"), arrives("#p-table-T1", "question"),
		chromedp.Click(`//a[.="Show the figures of now"]`), figure(`data-table="T1"`, "drop", written(handle+2500)),
		chromedp.Click(`//a[.="Ratings of players"]`),
		figure(`data-player="ann"`, "rounds", "2"), figure(`data-player="ann"`, "average_bet", "$25"),
		figure(`data-player="ann"`, "win", written(win)), figure(`data-player="ann"`, "theo", expected(2)),
		// Nothing was played before this house was opened.
		chromedp.SetValue("#period-from", "2001-01-01T00:00"), chromedp.SetValue("#period-to", "2001-01-02T00:00"), button("Show the period"),
		arrives("main", "Nobody had a bet settled"),
		chromedp.SetValue("#period-to", "2000-01-02T00:00"), button("Show the period"), arrives("#wrong-to", "No time"),
	)
}

// Only those of the pit, surveillance and auditors see how much each player bets.
func TestRatingsAreForThePit(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	for _, role := range access.Roles() {
		name := map[access.Role]string{
			access.Player: "ann", access.Dealer: "dan", access.PitSupervisor: "pat", access.ShiftManager: "sue", access.Cashier: "cat", access.Surveillance: "sam",
		}[role]
		if name == "" {
			continue
		}
		for path, need := range map[string]access.Permission{"/pit": access.ReadReports, "/pit/players": access.SeeRatings} {
			status, text := s.client(name)(path)
			want := http.StatusForbidden
			if role.Can(need) {
				want = http.StatusOK
			}
			if status != want || want != http.StatusOK && strings.Contains(text, "Theoretical win") {
				t.Errorf("%s at %s: %d, want %d", name, path, status, want)
			}
		}
	}
}

// tableHeads finds the titles of tables and of their columns.
var tableHeads = regexp.MustCompile(`(?s)<caption>.*?</caption>|<thead>.*?</thead>`)

// The tables of reports and their columns are in the reader's language.
func TestReportsAreInTheReadersLanguage(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	s.busy()
	s.adjusted()
	token, _, err := s.people.Login(t.Context(), identity.Credentials{Name: "sue", Password: password, From: netip.MustParseAddr("127.0.0.1")})
	if err != nil {
		t.Fatal(err)
	}
	paths := []string{"/pit", "/pit/players"}
	for _, k := range report.Kinds() {
		paths = append(paths, "/reports/"+k.String())
	}
	for _, path := range paths {
		page := text(t, get(t, s.server.Config.Handler, path, "Cookie", "lang=zh-Hans; trey="+token))
		heads := tableHeads.FindAllString(page, -1)
		if len(heads) == 0 {
			t.Errorf("%s shows no figures", path)
		}
		for _, head := range heads {
			if left := english(head); left != "" {
				t.Errorf("%s says in English: %s", path, left)
			}
		}
	}
}

// A time without a zone cannot be held against the record, which has UTC.
func TestStaffPagesNameTheZone(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	s.busy()
	token, _, err := s.people.Login(t.Context(), identity.Credentials{Name: "sue", Password: password, From: netip.MustParseAddr("127.0.0.1")})
	if err != nil {
		t.Fatal(err)
	}
	zone := time.Now().Format("-07:00")
	for path, want := range map[string]string{
		"/pit": "UTC" + zone, "/pit/players": "UTC" + zone, "/surveillance/rounds": "UTC" + zone,
		"/surveillance/log": zone + "</time>", "/surveillance/significant": zone + "</time>", "/surveillance/balance": zone,
	} {
		page := text(t, get(t, s.server.Config.Handler, path, "Cookie", "trey="+token))
		if !strings.Contains(page, want) {
			t.Errorf("%s does not say %s", path, want)
		}
	}
}
