package web_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"html"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // zones, also on a machine without them

	"github.com/chromedp/chromedp"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/house/posting"
	"trey/internal/house/report"
	"trey/internal/ledger"
	"trey/internal/steady"
	"trey/internal/web/lang"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// adjusted changes an account by hand, with a note that names a card, and has another change
// declined.
func (s *staffed) adjusted() {
	s.Helper()
	cat, sue := access.Person{Name: "cat", Role: access.Cashier}, access.Person{Name: "sue", Role: access.ShiftManager}
	for i, note := range []string{"she had shown A♠ to all", "twice"} {
		id, err := s.House.Propose(context.Background(), "", cat, house.AdjustAccount{Adjustment: posting.Adjustment{
			Player: "ann", Cause: posting.Goodwill, Change: money.Amount(i+1) * money.Major, Note: note,
		}})
		if err == nil && i == 0 {
			_, err = s.House.Approve(context.Background(), "", sue, id)
		} else if err == nil {
			err = s.House.Decline(context.Background(), "", sue, id, "one is enough")
		}
		if err != nil {
			s.Fatal(err)
		}
	}
}

// Each report can be read as a page and as three files by those who may ask for it, and the page
// shows each figure that the record gives.
func TestEachReportHasAPage(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	s.busy()
	s.adjusted()
	for _, name := range []string{"ann", "dan", "cat", "pat", "sue", "sam"} {
		person, err := s.people.User(name)
		if err != nil {
			t.Fatal(err)
		}
		open := s.client(name)
		_, list := open("/reports")
		for _, k := range report.Kinds() {
			may := person.Role.Can(access.ReadReports)
			switch k {
			case report.PlayerRatings:
				may = may && person.Role.Can(access.SeeRatings)
			case report.PlayerAccounts, report.Adjustments:
				may = may && person.Role.Can(access.SeeAccounts)
			default: // Whoever may read reports may read it.
			}
			if listed := strings.Contains(list, `href="/reports/`+k.String()+`"`); listed != may {
				t.Errorf("%s finds %s in the list: %t", name, k, listed)
			}
			for _, end := range []string{"", ".csv", ".json", ".txt"} {
				status, body := open("/reports/" + k.String() + end + "?from=")
				want := http.StatusForbidden
				if may {
					want = http.StatusOK
				}
				if status != want || !may && strings.Contains(body, "<caption>") {
					t.Errorf("%s at %s%s: %d, want %d", name, k, end, status, want)
				}
				if strings.Contains(body, "A♠") {
					t.Errorf("%s shows the card of a note", k)
				}
			}
		}
	}
	inWords := map[string]bool{"what": true, "kind": true, "outcome": true, "wager": true, "hand": true, "role": true, "cause": true}
	open := s.client("sue")
	plain, bare := regexp.MustCompile(`<[^>]*>`), strings.NewReplacer(",", "", "$", "", ".00", "") // amounts as pages and as texts write them
	for _, k := range report.Kinds() {
		_, page := open("/reports/" + k.String() + "?from=")
		words := strings.Join(strings.Fields(html.UnescapeString(plain.ReplaceAllString(page, " "))), " ")
		_, body := open("/reports/" + k.String() + ".json?from=")
		var made report.Report
		if err := json.Unmarshal([]byte(body), &made); err != nil {
			t.Fatal(err)
		}
		_, text := open("/reports/" + k.String() + ".csv?from=")
		lines := csv.NewReader(strings.NewReader(text))
		lines.FieldsPerRecord = -1
		all, err := lines.ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		for _, section := range made.Sections {
			for _, row := range append(section.Rows, section.Totals) {
				rows++
				for i, value := range row {
					var want string
					switch value := value.(type) {
					case nil:
						continue
					case string:
						if want = strings.Join(strings.Fields(value), " "); inWords[section.Columns[i].Key] {
							continue
						}
					case float64:
						if want = strconv.FormatInt(int64(value), 10); section.Columns[i].Unit == report.Money {
							want = lang.Printer{Language: lang.English}.Money(money.Amount(value))
						} else if section.Columns[i].Unit == report.TimeMs {
							continue
						}
					}
					if !strings.Contains(bare.Replace(words), bare.Replace(want)) {
						t.Errorf("%s does not show %s %q", k, section.Columns[i].Key, want)
					}
				}
			}
		}
		if rows == 0 || len(all) < rows {
			t.Errorf("%s has %d rows, and %d lines as CSV", k, rows, len(all))
		}
	}
}

// A request for something that does not exist is told which field is wrong, and gets neither
// figures nor a file.
func TestReportsAreNarrowed(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	s.busy()
	open := s.client("sue")
	for _, wrong := range []struct{ path, field string }{
		{"large-wins?from=&threshold=x", "threshold"},
		{"large-wins?from=&threshold=0", "threshold"},
		{"large-wins?from=&threshold=-1", "threshold"},
		{"significant-events?from=&event=weather", "event"},
		{"pit?from=yesterday", "from"},
		{"pit?from=2001-01-02&to=2001-01-01", "to"},
		{"pit?from=2999-01-01", "to"},
	} {
		status, page := open("/reports/" + wrong.path)
		if status != http.StatusOK || !strings.Contains(page, `id="wrong-`+wrong.field+`"`) || strings.Contains(page, "<caption>") {
			t.Errorf("%s: %d, and the field %s is not said to be wrong", wrong.path, status, wrong.field)
		}
		status, page = open("/reports/" + strings.Replace(wrong.path, "?", ".csv?", 1))
		if !strings.Contains(page, `id="wrong-`+wrong.field+`"`) {
			t.Errorf("%s as CSV: %d", wrong.path, status)
		}
	}
	for _, at := range []struct{ path, has, without string }{
		{"large-wins?from=&threshold=1", ">Ante Bonus<", "ante-bonus"},
		{"large-wins?from=&threshold=1", ">Straight flush<", "straight-flush"},
		{"irregularities?from=", ">dealer<", "uncovered"},
		{"large-wins?from=&threshold=1&table=T1", "No", "<caption>"},
		{"player-ratings?from=&player=nobody", "Nothing happened", "<caption>"},
		{"table-performance?from=&table=gone", `<option value="gone" selected>`, "<caption>"},
		{"trial-balance?from=&table=T3", "<caption>", ""},
		{"jackpots?from=&jackpot=linked", "<caption>", ""},
		{"player-accounts?from=&player=%3Cscript%3E", "&lt;script&gt;", "<script>"},
		{"pit?from=2001-01-01&to=2001-01-02", "Nothing happened", "<caption>"},
	} {
		status, page := open("/reports/" + at.path)
		_, page, _ = strings.Cut(page, "<main")
		if status != http.StatusOK || !strings.Contains(page, at.has) || at.without != "" && strings.Contains(page, at.without) {
			t.Errorf("%s: %d, does it say %q, and not %q?", at.path, status, at.has, at.without)
		}
	}
	for _, path := range []string{"none", "pit.pdf", "pit.", ".csv", "pit.csv.csv", "pit/csv"} {
		if status, _ := open("/reports/" + path); status != http.StatusNotFound {
			t.Errorf("/reports/%s: %d", path, status)
		}
	}
}

// A shift manager finds the report of large wins, narrows it to a table, and has it as a file.
func TestAReportByHand(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	s.busy()
	sue := s.as(t, "sue")
	var file string
	do(
		t, sue, chromedp.Navigate(s.address+"/console"), chromedp.Click(`//nav//a[.="Reports"]`, chromedp.BySearch),
		chromedp.Click(`//a[contains(., "Large wins")]`, chromedp.BySearch), chromedp.WaitVisible("#by-table"),
		chromedp.SetValue("#by-threshold", "1"), chromedp.SetValue("#by-table", "T3"), button("Show the report"), chromedp.WaitVisible(`a[download][href*="threshold=1"]`), arrives("main tbody", "T3"),
		chromedp.AttributeValue(`//a[.="Export as CSV"]`, "href", &file, nil, chromedp.BySearch),
	)
	at, err := url.Parse(file)
	if err != nil || at.Path != "/reports/large-wins.csv" || at.Query().Get("table") != "T3" || at.Query().Get("threshold") != "1" || at.Query().Get("from") == "" {
		t.Errorf("the file is at %s", file)
	}
}

// TestNamesInReportsStayNames holds that a person, a table and a note that are words of the page
// too are not translated, and that the wager beside them is.
func TestNamesInReportsStayNames(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	player := access.Person{Name: "won", Role: access.Player}
	if _, err := s.people.AddUser(t.Context(), identity.ChangeRequest{By: admin, Why: "a test"}, player.Name, player.Role, password); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CageTransfer(t.Context(), "", cashier, posting.Transfer{Reason: ledger.BuyIn, Player: player.Name, Amount: 1000 * money.Major}); err != nil {
		t.Fatal(err)
	}
	s.put("Play", table.Virtual)
	s.play(dealer, "Play", table.OpenBets{})
	s.play(dealer, "Play", table.Bet{Box: 1, Player: player.Name, Wager: rules.Ante, Amount: 2500})
	s.play(dealer, "Play", table.CloseBets{})
	s.play(dealer, "Play", table.Deal{})
	s.play(player, "Play", table.Examine{Box: 1, Player: player.Name})
	s.play(player, "Play", table.Fold{Box: 1, Player: player.Name})
	s.play(dealer, "Play", table.Reveal{})
	s.play(dealer, "Play", table.Settle{})
	id, err := s.Propose(t.Context(), "", cashier, house.AdjustAccount{Adjustment: posting.Adjustment{Player: player.Name, Cause: posting.Goodwill, Change: money.Major, Note: "Tie"}})
	if err == nil {
		_, err = s.Approve(t.Context(), "", access.Person{Name: "sue", Role: access.ShiftManager}, id)
	}
	if err != nil {
		t.Fatal(err)
	}
	token, _, err := s.people.Login(t.Context(), identity.Credentials{Name: "sue", Password: password, From: netip.MustParseAddr("127.0.0.1")})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][]string{
		"/pit":                             {">Play</", ">合计<"},
		"/pit/players":                     {">won</th>", ">合计<"},
		"/reports/player-ratings":          {">won</th>", ">合计<"},
		"/reports/player-accounts":         {">won</th>", ">合计<"},
		"/reports/table-performance":       {">Play</th>", ">底注</td>", ">合计<"},
		"/reports/adjustments":             {">won</td>", ">Tie</td>"},
		"/reports/significant-events?from": {">Play</td>"},
	} {
		page := text(t, get(t, s.server.Config.Handler, path, "Cookie", "lang=zh-Hans; trey="+token))
		for _, cell := range want {
			if !strings.Contains(page, cell) {
				t.Errorf("%s has no cell %s", path, cell)
			}
		}
	}
}

// Each field of a period names the zone at the moment in it, also where the clocks show another one
// at present. The test sets the zone of the process, so no other one runs beside it.
func TestPeriodsNameTheirZones(t *testing.T) {
	here := time.Local
	t.Cleanup(func() { time.Local = here })
	zone, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	time.Local = zone
	s := openStaffed(t)
	open := s.client("sue")
	for _, path := range []string{"/pit", "/pit/players", "/reports/cash", "/surveillance/rounds"} {
		_, page := open(path + "?from=2001-01-01T00:00&to=2001-07-01T00:00")
		page = strings.Join(strings.Fields(page), " ")
		for _, want := range []string{"From (UTC+01:00)", "Before (UTC+02:00)"} {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page does not say %q", path, want)
			}
		}
	}
}
