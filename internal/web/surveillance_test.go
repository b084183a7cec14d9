package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"trey/internal/admission"
	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/housetest"
	"trey/internal/house/identity"
	"trey/internal/house/protection"
	"trey/internal/ledger"
	"trey/internal/record"
	"trey/internal/steady"
	"trey/internal/web"
	"trey/internal/web/lang"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// betting plays a round of ann at a table up to ann's decision.
func (s *staffed) betting(name string) {
	s.Helper()
	s.play(dealer, name, table.OpenBets{})
	s.play(dealer, name, table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 2500})
	s.play(dealer, name, table.CloseBets{})
	s.play(dealer, name, table.Deal{})
}

// settled does what betting does, and plays on to the settlement.
func (s *staffed) settled(name string) {
	s.Helper()
	s.betting(name)
	s.play(ann, name, table.Examine{Box: 1, Player: "ann"})
	s.play(ann, name, table.Raise{Box: 1, Player: "ann"})
	s.play(dealer, name, table.Reveal{})
	s.play(dealer, name, table.Settle{})
}

// TestStakesAreShownWhileTheyLie holds that the tables of surveillance show the stakes of a box until
// it is settled, as their sum does.
func TestStakesAreShownWhileTheyLie(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	seat := func() (stakes, none bool) {
		_, page := s.client("sam")("/surveillance")
		_, item, _ := strings.Cut(page, `id="w-table-T1"`)
		item, _, _ = strings.Cut(item, "</article>")
		return strings.Contains(item, "ann <strong>"), strings.Contains(item, "On the layout: $0")
	}
	s.betting("T1")
	if stakes, none := seat(); !stakes || none {
		t.Errorf("in play, stakes are shown: %t; nothing on the layout: %t", stakes, none)
	}
	s.play(ann, "T1", table.Examine{Box: 1, Player: "ann"})
	s.play(ann, "T1", table.Raise{Box: 1, Player: "ann"})
	s.play(dealer, "T1", table.Reveal{})
	s.play(dealer, "T1", table.Settle{})
	if stakes, none := seat(); stakes || !none {
		t.Errorf("settled, stakes are shown: %t; nothing on the layout: %t", stakes, none)
	}
}

// A person of surveillance watches a table, and finds a round by its player and by a clause.
// The person steps through it with the scrubber and the keyboard, and reads the log and the
// trial balance.
func TestSurveillance(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	sam := s.as(t, "sam")
	s.settled("T1")
	var step, visible, hash, forms string
	do(
		t, sam, chromedp.Navigate(s.address+"/sign-in"), still(), chromedp.Click(".sign-in a.button"),
		// All tables, as they are.
		arrives("#w-table-T1", "settled"), arrives("#w-sum", "2 tables"),
	)
	s.play(dealer, "T1", table.OpenBets{})
	do(t, sam, arrives("#w-table-T1", "betting"), arrives("#w-table-T1", "round 2"))
	s.play(dealer, "T1", table.Bet{Box: 3, Player: "ann", Wager: rules.Ante, Amount: 4000})
	do(
		t, sam, arrives("#w-table-T1", "ann $40"), arrives("#w-sum", "on the layout: $40"),
		// One table.
		chromedp.Click(`//h3/a[.="T1"]`), arrives("#s-head", "betting"), arrives("#s-felt", "$40"), arrives("#s-told", "ann bets $40"),
	)
	s.play(dealer, "T1", table.CloseBets{})
	do(t, sam, arrives("#s-told", "the bets are closed"), arrives("#s-head", "dealing"))
	s.play(dealer, "T1", table.Deal{})
	do(
		t, sam, arrives("#s-head", "play or fold"), arrives("#s-rounds", "round 2"),
		// Found by the player.
		chromedp.Click(`//a[.="Rounds"]`), chromedp.WaitVisible("#q-player"),
		chromedp.SetValue("#q-player", "ann"), button("Search"), arrives("#found", "2 rounds"),
		arrives(".watch-found", "ante"), arrives(".watch-found", "in play"),
		// By a stake that is only in the second one.
		chromedp.SetValue("#q-least", "40"), button("Search"), arrives("#found", "1 round"), arrives(".watch-found", "T1, Round 2"),
		chromedp.SetValue("#q-least", "forty"), button("Search"), chromedp.WaitVisible("#wrong-least"),
	)
	lines := s.linesOf("T1", 1)
	do(
		t, sam, chromedp.Evaluate(`document.querySelector("#q-least").value = ""`, nil), chromedp.SetValue("#q-clause", lines[0].Clause), button("Search"),
		arrives("#found", "1 round"), arrives(".watch-found", lines[0].Clause), arrives(".watch-found", "T1, Round 1"),
		// Step by step.
		chromedp.Click(`.watch-found h3 a`), chromedp.WaitVisible("[data-scrub]"), chromedp.Text("[data-status]", &step),
	)
	if !strings.HasPrefix(step, "Step 1 of ") {
		t.Errorf("it begins at %q", step)
	}
	of := strings.TrimPrefix(step, "Step 1 of ")
	do(
		t, sam, chromedp.Focus("[data-scrub]"), keyboard(kb.ArrowRight), arrives("[data-status]", "Step 2 of "+of),
		keyboard(kb.End), arrives("[data-status]", "Step "+of+" of "+of), arrives(".scene:not([hidden])", "the round is settled"),
		arrives(".scene:not([hidden])", lines[0].Clause), arrives(".scene:not([hidden])", "dan"),
		chromedp.Click(`[data-go="-1"]`), arrives(".scene:not([hidden])", "the dealer shows"),
		chromedp.Evaluate(`String(document.querySelectorAll(".scene:not([hidden])").length)`, &visible),
		chromedp.Evaluate(`document.querySelector('.head a[href^="/check"]').getAttribute("href")`, &hash),
		chromedp.Evaluate(`[...document.querySelectorAll("main form")].filter(f => f.method !== "get").map(f => f.action).join()`, &forms),
	)
	if visible != "1" {
		t.Errorf("%s steps are shown at once", visible)
	}
	if hash != "/check?round=1&table=T1" {
		t.Errorf("it is checked at %s", hash)
	}
	if forms != "" {
		t.Errorf("the page has the forms %q", forms)
	}
	do(
		t, sam, chromedp.Click(`//a[.="Log"]`), arrives(".watch-log", "deal"), arrives(".watch-log", "bet-placed"),
		chromedp.SetValue("#l-kind", "buy-in"), button("Search"), chromedp.WaitVisible(`#l-kind[value="buy-in"]`), arrives(".watch-log", "cat"),
		chromedp.Click(".watch-log summary"), arrives(".watch-log", "player:ann"), arrives(".watch-log", "$1,000"),
		// $1,000 came in at the cage, and every account together holds it.
		chromedp.Click(`//a[.="Trial balance"]`), arrives("#balanced", "$1,000"), arrives("#balanced", "agree"), arrives("main", "Meters"),
	)
}

// arrives does what shows does, for a page that is still being loaded.
func arrives(selector, text string) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		for {
			err := shows(selector, text).Do(ctx)
			if err == nil || ctx.Err() != nil || !strings.Contains(err.Error(), "context") && !strings.Contains(err.Error(), "navigated") {
				return err
			}
		}
	})
}

// linesOf returns the settlement lines of a round, out of the record.
func (s *staffed) linesOf(name string, round int) (lines []table.Line) {
	s.Helper()
	err := s.EventsSince(context.Background(), house.Topic{Table: name}, 0, func(n *house.Notice) error {
		for _, e := range housetest.Events(n.Events) {
			if settled, ok := e.(table.Settled); ok && n.Round == round {
				lines = settled.Lines
			}
		}
		return nil
	})
	if err != nil || len(lines) == 0 {
		s.Fatal("no lines: ", err)
	}
	return lines
}

// client returns a function that gets a page for a signed-in person without a browser.
func (s *staffed) client(name string) func(path string) (int, string) {
	s.Helper()
	token, _, err := s.people.Login(context.Background(), identity.Credentials{Name: name, Password: password, From: netip.MustParseAddr("127.0.0.1")})
	if err != nil {
		s.Fatal(err)
	}
	plain := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return func(path string) (int, string) {
		s.Helper()
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.address+path, nil)
		if err != nil {
			s.Fatal(err)
		}
		r.AddCookie(&http.Cookie{Name: "trey", Value: token})
		answer, err := plain.Do(r)
		if err != nil {
			s.Fatal(err)
		}
		defer answer.Body.Close() //nolint:errcheck // it has been read
		if strings.HasSuffix(path, "/events") {
			var text strings.Builder
			buffer := make([]byte, 4096)
			for !strings.Contains(text.String(), "data: {") || !strings.HasSuffix(text.String(), "\n\n") {
				n, err := answer.Body.Read(buffer)
				text.Write(buffer[:n])
				if err != nil {
					break
				}
			}
			return answer.StatusCode, text.String()
		}
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			s.Fatal(err)
		}
		return answer.StatusCode, string(text)
	}
}

// watching are the addresses of these pages.
var watching = []string{
	"/surveillance", "/surveillance/events", "/surveillance/tables/T1", "/surveillance/tables/T1/events",
	"/surveillance/rounds", "/surveillance/rounds?player=ann", "/surveillance/rounds?least=1&table=T1", "/surveillance/rounds/T1/1",
	"/surveillance/log", "/surveillance/log?stream=table:T1", "/surveillance/log?kind=deal", "/surveillance/balance",
	"/surveillance/significant", "/surveillance/significant?kind=void",
}

// Each role comes to the pages that its permissions open, and to no other.
func TestWhoMayWatch(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	s.settled("T1")
	open := map[string]map[string]bool{
		"dan": {}, "ann": {}, "cat": {"balance": true, "significant": true},
		"pat": {"floor": true, "rounds": true, "balance": true, "significant": true},
		"sue": {"floor": true, "rounds": true, "log": true, "balance": true, "significant": true},
		"sam": {"floor": true, "rounds": true, "log": true, "balance": true, "significant": true},
	}
	for name, may := range open {
		get := s.client(name)
		for _, path := range watching {
			part := "floor"
			for _, page := range []string{"rounds", "log", "balance", "significant"} {
				if strings.HasPrefix(path, "/surveillance/"+page) {
					part = page
				}
			}
			status, text := get(path)
			if (status == http.StatusOK) != may[part] || status != http.StatusOK && status != http.StatusForbidden && status != http.StatusUnauthorized {
				t.Errorf("%s, %s: %d: %.100s", name, path, status, text)
			}
		}
	}
	// The other pages lead there those who may.
	for _, page := range []struct {
		name, path string
		leads      bool
	}{{"sue", "/console/T1", true}, {"dan", "/console/T1", false}, {"sam", "/tables/T1/rounds/1", true}, {"ann", "/tables/T1/rounds/1", false}} {
		status, text := s.client(page.name)(page.path)
		if status != http.StatusOK || strings.Contains(text, `href="/surveillance/rounds/T1/1"`) != page.leads {
			t.Errorf("%s, %s: %d, and should lead to the round: %v", page.name, page.path, status, page.leads)
		}
	}
	for _, path := range []string{"/surveillance/tables/T9", "/surveillance/rounds/T9/1", "/surveillance/rounds/T1/0", "/surveillance/rounds/T1/2", "/surveillance/rounds/T1/x"} {
		if status, _ := s.client("sam")(path); status != http.StatusNotFound {
			t.Errorf("%s: %d", path, status)
		}
	}
}

// None of these pages names a card that lies face down in a round in play, to anybody and by
// any request. All of them are named once the round is over.
func TestNobodyWatchesCardsThatLieFaceDown(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	s.betting("T1")
	s.play(ann, "T1", table.Examine{Box: 1, Player: "ann"})
	state, err := housetest.Table(s, "T1")
	if err != nil || len(state.Slots) < 6 {
		t.Fatalf("%d cards lie, %v", len(state.Slots), err)
	}
	english := lang.Printer{Language: lang.English}
	named := func(text string, slot table.Slot) bool {
		code := slot.Card.String()
		for _, form := range []string{english.Card(slot.Card), `"` + code + `"`, `&#34;` + code + `&#34;`, " " + code + " ", " " + code + ",", " " + code + "."} {
			if strings.Contains(text, form) {
				return true
			}
		}
		return false
	}
	for _, name := range []string{"sam", "sue", "pat"} {
		get := s.client(name)
		for _, path := range append(watching, "/surveillance/log?person="+url.QueryEscape(state.Slots[0].Card.String())) {
			status, text := get(path)
			if status == http.StatusForbidden {
				continue
			}
			if strings.Contains(path, "?person=") {
				if strings.Contains(text, `<code lang="en">deal</code>`) {
					t.Errorf("%s is told of the deal who asks for a card in it", name)
				}
				continue
			}
			for _, slot := range state.Slots {
				if named(text, slot) {
					t.Errorf("%s is told by %s of %s at %s", name, path, slot.Card, slot.Place)
				}
			}
		}
	}
	s.play(ann, "T1", table.Fold{Box: 1, Player: "ann"})
	s.play(dealer, "T1", table.Reveal{})
	s.play(dealer, "T1", table.Settle{})
	get := s.client("sam")
	for _, path := range []string{"/surveillance/rounds/T1/1", "/surveillance/log?kind=cards-dealt"} {
		_, text := get(path)
		for _, slot := range state.Slots {
			if !named(text, slot) {
				t.Errorf("when the round is over %s does not tell of %s at %s", path, slot.Card, slot.Place)
			}
		}
	}
}

// What happens at one of fifty tables is sent to those who watch them all as one row,
// beside the sum over all.
func TestOneTableIsOneRow(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	for n := 3; n <= 50; n++ {
		s.put(fmt.Sprintf("T%d", n), table.Virtual)
	}
	s.play(dealer, "T7", table.OpenBets{})
	_, page := s.client("sam")("/surveillance")
	var has strings.Builder
	marks := regexp.MustCompile(`data-mark="([^"]+)" id="w-[^"]+"`).FindAllStringSubmatch(page, -1)
	if len(marks) != 51 {
		t.Fatalf("the page has %d parts, want the sum and fifty tables", len(marks))
	}
	for _, m := range marks {
		has.WriteString(m[1])
	}
	token, _, err := s.people.Login(t.Context(), identity.Credentials{Name: "sam", Password: password, From: netip.MustParseAddr("127.0.0.1")})
	if err != nil {
		t.Fatal(err)
	}
	sam := &looker{name: "sam", token: token}
	sam.keepOpen(t, s.address, "/surveillance/events?has="+has.String())
	s.play(dealer, "T7", table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 2500})
	steady.Await(t, "the bet on the page", func() bool { return strings.Contains(sam.sent(), "$25") })
	var sent []string
	for line := range strings.Lines(sam.sent()) {
		var news struct {
			Parts map[string]struct{ HTML string }
		}
		if err := json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &news); err != nil {
			t.Fatal(err)
		}
		sent = slices.AppendSeq(sent, maps.Keys(news.Parts))
	}
	if slices.Sort(sent); !slices.Equal(sent, []string{"w-sum", "w-table-T7"}) {
		t.Errorf("a bet at T7 is sent as %v", sent)
	}
}

// The steps of a round in play say that there are more to come, and where.
func TestRoundInPlayLeadsToItsTable(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	s.betting("T1")
	pages := []struct{ person, path, live string }{
		{"sam", "/surveillance/rounds/T1/1", "/surveillance/tables/T1"},
		{"ann", "/tables/T1/rounds/1", "/tables/T1"},
	}
	says := func(name, path, live string) bool {
		_, page := s.client(name)(path)
		return strings.Contains(page, "This round is in play") && strings.Contains(page, `<a href="`+live+`">Follow it at the table</a>`)
	}
	for _, p := range pages {
		if !says(p.person, p.path, p.live) {
			t.Errorf("in play, %s does not lead to %s", p.path, p.live)
		}
	}
	s.play(ann, "T1", table.Fold{Box: 1, Player: "ann"})
	s.play(dealer, "T1", table.Reveal{})
	s.play(dealer, "T1", table.Settle{})
	for _, p := range pages {
		if says(p.person, p.path, p.live) {
			t.Errorf("when the round is over, %s says that it is in play", p.path)
		}
	}
}

// staffNames are the people, tables and streams of the house of the tests.
var staffNames = regexp.MustCompile(`\b(?:ida|dan|pat|sue|cat|sam|T[1-9]|linked|house|people|names|protection|the test|UTC)\b`)

// The log describes commands and events in the reader's language: each kind that a table, a
// house, its jackpots and its people write, and every field of it. The record's own word for a
// kind stands beside it, since the log is searched by that.
func TestTheLogIsInTheReadersLanguage(t *testing.T) {
	t.Parallel()
	chinese := lang.Printer{Language: lang.Chinese}
	kindsOfAll := append(record.Actions.Names(), record.TableEvents.Names()...)
	kindsOfAll = slices.Concat(kindsOfAll, house.Commands.Names(), house.OwnEvents.Names(), house.NameEvents.Names(), identity.Commands.Names(), identity.Events.Names(), protection.Events.Names())
	for _, kind := range kindsOfAll {
		if _, ok := chinese.Script("kinds", kind); !ok {
			t.Errorf("there is no Chinese for %q", kind)
		}
	}
	s := openStaffed(t)
	s.busy()
	token, _, err := s.people.Login(t.Context(), identity.Credentials{Name: "sam", Password: password, From: netip.MustParseAddr("127.0.0.1")})
	if err != nil {
		t.Fatal(err)
	}
	kinds := regexp.MustCompile(`(?s)<code lang="en">([a-z-]+)</code>|<span class="soft watch-kinds">([^<]*)</span>`)
	fields := regexp.MustCompile(`(?m)^ *&#34;([^&]+)&#34;:`)
	data := regexp.MustCompile(`(?s)<pre>(.*?)</pre>`)
	pages, seen := 0, map[string]bool{}
	for path := "/surveillance/log"; path != ""; pages++ {
		page := text(t, get(t, s.server.Config.Handler, path, "Cookie", "lang=zh-Hans; trey="+token))
		if left := english(staffNames.ReplaceAllString(data.ReplaceAllString(page, ""), "")); left != "" {
			t.Errorf("the log says in English: %s", left)
		}
		for _, m := range kinds.FindAllStringSubmatch(page, -1) {
			if _, ok := chinese.Script("kinds", m[1]); m[1] != "" && !ok {
				seen["kind "+m[1]] = true
			}
		}
		for _, pre := range data.FindAllStringSubmatch(page, -1) {
			for _, m := range fields.FindAllStringSubmatch(pre[1], -1) {
				if strings.ContainsAny(m[1], "abcdefghijklmnopqrstuvwxyz") {
					seen["field "+m[1]] = true
				}
			}
		}
		path = ""
		if next := regexp.MustCompile(`rel="next" href="([^"]*)"`).FindStringSubmatch(page); next != nil {
			path = strings.ReplaceAll(next[1], "&amp;", "&")
		}
	}
	for what := range seen {
		t.Errorf("there is no Chinese for the %s", what)
	}
	if pages < 2 {
		t.Errorf("the log of an evening has %d page", pages)
	}
}

// The register of significant events is a page in both languages, can be narrowed to one
// kind, and is handed out as CSV and JSON with the same events.
func TestTheRegisterIsAPage(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	manager := access.Person{Name: "sue", Role: access.ShiftManager}
	machine := access.Person{Name: "the configuration", Role: access.ShiftManager}
	_, err := s.CheckSoftware(t.Context(), house.Software{Version: "as tested"}, nil)
	if err = errors.Join(err, s.Drain(t.Context(), "", machine), s.Undrain(t.Context(), "", manager)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ReportJackpotDown(t.Context(), "", manager, "linked", "dark"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.people.Login(t.Context(), identity.Credentials{Name: "pat", Password: "a wrong password", From: netip.MustParseAddr("192.0.2.7")}); err == nil {
		t.Fatal("a wrong password signs in")
	}
	watch := s.client("sam")
	has := func(path string, want, without []string) {
		t.Helper()
		status, body := watch(path)
		if status != http.StatusOK {
			t.Fatalf("%s: %d %.200s", path, status, body)
		}
		for _, part := range want {
			if !strings.Contains(body, part) {
				t.Errorf("%s does not say %q", path, part)
			}
		}
		for _, part := range without {
			if strings.Contains(body, part) {
				t.Errorf("%s says %q", path, part)
			}
		}
	}
	refused, closed := "from 192.0.2.7", "no new rounds begin"
	has("/surveillance/significant", []string{refused, closed, "sue"}, nil)
	has("/surveillance/significant?kind=sign-in-refused", []string{refused}, []string{closed})
	has("/surveillance/significant?kind=floor", []string{closed}, []string{refused})
	has("/reports/significant-events.csv?from=", []string{"sign-in-refused", refused, closed}, nil)
	has("/reports/significant-events.csv?from=&event=floor", []string{"drained", "resumed"}, []string{refused})
	has("/reports/significant-events.json?from=&event=floor", []string{`"drained"`, `"resumed"`}, []string{refused})
	for _, path := range []string{"/surveillance/significant?kind=weather", "/reports/weather", "/reports/significant-events.xml"} {
		if status, _ := watch(path); status != http.StatusNotFound {
			t.Errorf("%s: %d", path, status)
		}
	}
	token, _, err := s.people.Login(t.Context(), identity.Credentials{Name: "sam", Password: password, From: netip.MustParseAddr("127.0.0.1")})
	if err != nil {
		t.Fatal(err)
	}
	page := text(t, get(t, s.server.Config.Handler, "/surveillance/significant", "Cookie", "lang=zh-Hans; trey="+token))
	if !strings.Contains(page, "登录被拒绝") {
		t.Error("the page is not in Chinese")
	}
	if strings.Contains(page, `<span class="soft">house</span>`) {
		t.Error("the house has a role beside its name")
	}
	sheet := text(t, get(t, s.server.Config.Handler, "/surveillance/balance", "Cookie", "lang=zh-Hans; trey="+token))
	for _, what := range []string{"opened", "out of order"} {
		if strings.Contains(sheet, ">"+what+"<") {
			t.Errorf("of a jackpot it says %q in Chinese", what)
		}
	}
	if !strings.Contains(sheet, "规定注额 $5，起始值 $10,000") || strings.Contains(sheet, "ceiling") || strings.Contains(sheet, "on-top") {
		t.Error("the terms of a jackpot are not in Chinese")
	}
	_, sheet = watch("/surveillance/balance")
	bare := regexp.MustCompile(`[^$\d.,][\d,]+\.\d\d\b`)
	if amount := bare.FindString(strings.Join(regexp.MustCompile(`(?s)<td[^>]*>.*?</td>`).FindAllString(sheet, -1), "")); amount != "" || !strings.Contains(sheet, "bet $5, reset $10,000") {
		t.Errorf("the page writes the amount %q", amount)
	}
	consequences := regexp.MustCompile(`(?s)<td lang="en">.*?</td>`)
	if left := english(staffNames.ReplaceAllString(consequences.ReplaceAllString(page, ""), "")); left != "" {
		t.Errorf("left in English: %s", left)
	}
}

// TestTenRoundsToAScreen finds rounds with their cards and the net of each player, held
// against what the players' accounts gained, ten to a screen. Filters are chips.
func TestTenRoundsToAScreen(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	sam := s.as(t, "sam")
	english := lang.Printer{Language: lang.English}
	account := ledger.Account{Kind: ledger.Player, Of: "ann"}
	gained := map[int]money.Amount{}
	cards := map[int][]string{}
	const rounds = 12
	for round := 1; round <= rounds; round++ {
		before := s.Balance(account)
		s.betting("T1")
		s.play(ann, "T1", table.Examine{Box: 1, Player: "ann"})
		if round%3 == 0 {
			s.play(ann, "T1", table.Fold{Box: 1, Player: "ann"})
		} else {
			s.play(ann, "T1", table.Raise{Box: 1, Player: "ann"})
		}
		s.play(dealer, "T1", table.Reveal{})
		state, err := housetest.Table(s, "T1")
		if err != nil {
			t.Fatal(err)
		}
		for _, slot := range state.Slots {
			if slot.Place == table.Box(1) {
				name := english.Card(slot.Card)
				if round%3 == 0 {
					name += ", face down" // as the hand lay when it was folded
				}
				cards[round] = append(cards[round], name)
			}
		}
		s.play(dealer, "T1", table.Settle{})
		gained[round] = s.Balance(account) - before
	}
	var rows []struct {
		Title, Time, Player, House, Theory string
		Cards                              []string
	}
	var height float64
	do(
		t, sam, chromedp.EmulateViewport(1440, 900), chromedp.Navigate(s.address+"/surveillance/rounds"), still(), arrives("#found", "10 rounds"),
		chromedp.Evaluate(`[...document.querySelectorAll(".watch-found > li")].map(li => ({
			title: li.querySelector("h3").innerText, time: li.querySelector("time").innerText,
			player: li.querySelector('[data-box="1"] strong').innerText, house: li.querySelector("[data-house]").innerText,
			theory: li.querySelector("[data-theory]").innerText,
			cards: [...li.querySelectorAll('[data-box="1"] .card')].map(c => c.getAttribute("aria-label")),
		}))`, &rows),
		chromedp.Evaluate(`document.querySelector(".watch-found").getBoundingClientRect().height`, &height),
	)
	if len(rows) != 10 || height > 900 {
		t.Fatalf("%d rounds take %.0f pixels, want ten in 900", len(rows), height)
	}
	for i, row := range rows {
		round := rounds - i
		if want := fmt.Sprintf("T1, Round %d", round); row.Title != want {
			t.Errorf("row %d is %q, want %q", i, row.Title, want)
		}
		if want := english.Change(gained[round]); row.Player != want || row.House != "House: "+english.Change(-gained[round]) {
			t.Errorf("round %d: ann %s and %s, want %s", round, row.Player, row.House, want)
		}
		// $25 on the Ante at 3.37 %.
		if row.Theory != "in theory +$0.84" {
			t.Errorf("round %d: %s", round, row.Theory)
		}
		if !slices.Equal(row.Cards, cards[round]) || len(row.Cards) != 3 {
			t.Errorf("round %d has the cards %v, want %v", round, row.Cards, cards[round])
		}
		if !regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d\d:\d\d$`).MatchString(row.Time) {
			t.Errorf("round %d is at %q, want a time to the second, with its zone", round, row.Time)
		}
	}
	do(
		t, sam, chromedp.Click(`.watch-chips [data-table="T2"]`), arrives("#found", "0 rounds"),
		chromedp.Click(`[data-chip="table"]`), arrives("#found", "10 rounds"),
		chromedp.Click(`//a[.="Last hour"]`), chromedp.WaitVisible(`[data-chip="from"]`), arrives("#found", "10 rounds"),
		chromedp.Click(`a[rel="next"]`), arrives("#found", "2 rounds"), chromedp.WaitVisible(`[data-chip="from"]`),
	)
}

// asking says for whom a record is read.
type asking struct {
	house.Store
	persons []string
}

func (a *asking) ReadAll(ctx context.Context, after int64, stream string, yield func(house.StoredTransaction) error) error {
	a.persons = append(a.persons, admission.PersonOf(ctx))
	return a.Store.ReadAll(ctx, after, stream, yield)
}

// A record knows for whom a page reads it, so that each person reads in their turn.
func TestALongReadOfAPageNamesItsReader(t *testing.T) {
	t.Parallel()
	a := &asking{}
	s := openStaffed(t, func(c *web.Config) { a.Store, c.Record = c.Record, a })
	if status, text := s.client("sam")("/surveillance/log"); status != 200 || len(a.persons) == 0 {
		t.Fatalf("%d %s, and the record was read %d times", status, text, len(a.persons))
	}
	for _, person := range a.persons {
		if person != "sam" {
			t.Errorf("the log is read for %q", person)
		}
	}
}
