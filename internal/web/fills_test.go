package web_test

import (
	"net/http"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"trey/internal/house"
	"trey/internal/house/identity"
	"trey/internal/house/posting"
	"trey/internal/steady"
	"trey/money"
	"trey/table"
)

// A supervisor counts the chips of a fill on the keyboard, sees what they come to, and a
// second person sees the same chips before they approve. The pit has them by denomination.
func TestFillsByDenomination(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	s := openStaffed(t)
	s.putBook("T3", "us-3cp", table.Virtual)
	pat, sue := s.as(t, "pat"), s.as(t, "sue")
	value := func(selector, want string) chromedp.Action {
		return chromedp.Poll(`document.querySelector("`+selector+`").value === "`+want+`"`, nil, chromedp.WithPollingTimeout(patience))
	}
	hidden := func(selector, want string) chromedp.Action {
		return chromedp.Poll(`String(document.querySelector("`+selector+`").closest("p").hidden && document.querySelector("`+selector+`").disabled) === "`+want+`"`, nil, chromedp.WithPollingTimeout(patience))
	}
	do(
		t, pat, chromedp.Navigate(s.address+"/console"), still(), chromedp.Click(`//summary[.="Ask for a fill"]`),
		// Only the chips of the table are offered.
		chromedp.SetValue("#fill-table", "T3"), chromedp.Evaluate(`document.querySelector("#fill-table").dispatchEvent(new Event("input", {bubbles: true}))`, nil),
		hidden("#fill-chip-200", "false"), hidden("#fill-chip-10000", "true"),
		chromedp.SetValue("#fill-table", "T1"), chromedp.Evaluate(`document.querySelector("#fill-table").dispatchEvent(new Event("input", {bubbles: true}))`, nil),
		hidden("#fill-chip-200", "true"), hidden("#fill-chip-10000", "false"),
		// From chip to chip by Tab; the amount is the sum, and only that.
		chromedp.Focus("#fill-chip-500"), keyboard("2"), keyboard(kb.Tab), keyboard("12"),
		value("#fill-chip-2500", "12"), value("#fill-amount", "310"),
		chromedp.Poll(`document.querySelector("#fill-amount").readOnly`, nil, chromedp.WithPollingTimeout(patience)),
		keyboard(kb.Enter),
		shows("#answer", "waits for a second person"), shows("#f-waits", "Fill of $310 to T1"), shows("#f-waits", "2 × $5, 12 × $25"),
		// What was sent is not sent again, and an amount alone can be typed.
		value("#fill-chip-500", ""), value("#fill-amount", ""),
		chromedp.Poll(`!document.querySelector("#fill-amount").readOnly`, nil, chromedp.WithPollingTimeout(patience)),
	)
	want := house.Fill{Table: "T1", Amount: 310 * money.Major, Chips: []posting.ChipCount{{Chip: 500, Count: 2}, {Chip: 2500, Count: 12}}}
	if waits := s.Proposals(); len(waits) != 1 || !reflect.DeepEqual(waits[0].Proposal, want) {
		t.Fatalf("there wait %+v", waits)
	}
	do(
		t, sue, chromedp.Navigate(s.address+"/console"), shows("#f-waits", "2 × $5, 12 × $25"), button("Approve"), shows("#answer", "approved and done"),
		chromedp.Navigate(s.address+"/pit"), arrives("main", "Fills and credits by denomination"),
	)
	do(
		t, pat, chromedp.SetValue("#fill-amount", "40"), button("Propose it"),
		shows("#f-waits", "Fill of $40 to T1"), shows("#f-waits", "the chips are not known"),
	)
	do(t, sue, chromedp.Navigate(s.address+"/console"), shows("#f-waits", "Fill of $40 to T1"), button("Approve"), shows("#answer", "approved and done"))
	row := func(table, chip, column, want string) chromedp.Action {
		return arrives(`[data-chips-of="`+table+`"][data-chip="`+chip+`"] [data-column="`+column+`"]`, want)
	}
	do(
		t, sue, chromedp.Navigate(s.address+"/pit"),
		row("T1", "$25", "fill_chips", "12"), row("T1", "$25", "fills", "$300"), row("T1", "$25", "credit_chips", "0"), row("T1", "$5", "fill_chips", "2"),
		row("T1", "", "fills", "$40"), row("T1", "", "chip", "not counted"), row("T1", "", "fill_chips", "not counted"),
		row("", "$25", "fills", "$300"), row("", "", "fills", "$40"),
		arrives(`[data-table="T1"] [data-column="fills"]`, "$350"),
	)
}

// Chips that do not come to the amount, that the table does not have and that are no number are
// refused. The page says what is wrong, also without its script.
func TestChipsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := openStaffed(t)
	s.putBook("T3", "us-3cp", table.Virtual)
	ask := func(table, amount string, chips ...string) (int, string) {
		form := url.Values{"kind": {"fill"}, "table": {table}, "amount": {amount}}
		for i := 0; i < len(chips); i += 2 {
			form.Set("chip."+chips[i], chips[i+1])
		}
		return s.post("pat", "/staff/proposals", form)
	}
	for name, test := range map[string]struct {
		table, amount string
		chips         []string
		want          string
	}{
		"another amount":         {"T1", "300", []string{"500", "2", "2500", "12"}, "the chips come to more than $300"},
		"chips of another table": {"T3", "100", []string{"10000", "1"}, "table T3 has no chips of $100"},
		"half a chip":            {"T1", "", []string{"500", "1.5"}, "“1.5” is no number that fits here"},
		"less than none":         {"T1", "", []string{"500", "-1"}, "“-1” is no number that fits here"},
		"more than there are":    {"T1", "", []string{"500", "9223372036854775807"}, "is no number that fits here"},
		"a chip of nothing":      {"T1", "", []string{"0", "1"}, ""},
		"nothing":                {"T1", "", []string{"500", "0"}, ""},
		"an amount below zero":   {"T1", "-40", nil, "Type an amount above zero"},
		"an amount of zero":      {"T1", "0", nil, "Type an amount above zero"},
	} {
		if status, page := ask(test.table, test.amount, test.chips...); status != http.StatusUnprocessableEntity && status != http.StatusConflict || !strings.Contains(page, test.want) {
			t.Errorf("%s: %d, without %q", name, status, test.want)
		}
	}
	if waits := s.Proposals(); len(waits) != 0 {
		t.Errorf("there wait %+v", waits)
	}
	if status, _ := ask("T1", "", "500", "2", "2500", "0"); status != http.StatusSeeOther && status != http.StatusOK || len(s.Proposals()) != 1 {
		t.Errorf("chips without their sum: %d, there wait %+v", status, s.Proposals())
	}
	// The log is searched for the kind and not for one of its versions, in words of the reader.
	for kind, want := range map[string]bool{"propose-fill": true, "propose-fill/2": true, "propose-fill/3": false, "propose-credit": false} {
		if _, page := s.client("sam")("/surveillance/log?kind=" + url.QueryEscape(kind)); strings.Contains(page, ">propose-fill/2</code>") != want {
			t.Errorf("the log of %s has the fill: %t", kind, !want)
		}
	}
	token, _, err := s.people.Login(t.Context(), identity.Credentials{Name: "sam", Password: password, From: netip.MustParseAddr("127.0.0.1")})
	if err != nil {
		t.Fatal(err)
	}
	if page := text(t, get(t, s.server.Config.Handler, "/surveillance/log?kind=propose-fill", "Cookie", "lang=zh-Hans; trey="+token)); !strings.Contains(page, "申请补充筹码") {
		t.Error("the log has no Chinese word for a later version of a kind")
	}
}
