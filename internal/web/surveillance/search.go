package surveillance

import (
	"errors"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/journal"
	"trey/internal/web/site"
	"trey/money"
	"trey/rules"
)

// roundSearch is a search of rounds with its result.
type roundSearch struct {
	asked  url.Values
	tables []string
	// hourAgo is the moment an hour ago, as the form has it.
	hourAgo string
	nowMs   int64
	found   *journal.Found
	// results are the outcomes of the rounds that were found, nil for one in play.
	results []*result
	// wrong says what is wrong with a field, by its name; the name is empty where it is wrong
	// with several together.
	wrong map[string]string
}

// perSearch is the number of rounds on a page.
const perSearch = 10

// mostChips is the number of tables that are offered as chips; more are in the form alone.
const mostChips = 12

// fields lists the names by which a search can be narrowed.
var fields = []string{"from", "to", "table", "player", "clause", "least", "most"}

func (r *handlers) search(v *site.Visit) error {
	s, ok, err := r.Authenticator.Staff(v, access.SearchRounds)
	if !ok {
		return err
	}
	h := &roundSearch{asked: url.Values{}, tables: r.House.Tables(), hourAgo: r.since(60), nowMs: r.NowMs(), wrong: map[string]string{}}
	for _, name := range fields {
		if text := strings.TrimSpace(v.Request.URL.Query().Get(name)); text != "" {
			h.asked.Set(name, text)
		}
	}
	q := h.query(v)
	if q.Before, err = strconv.ParseInt(v.Request.URL.Query().Get("before"), 10, 64); err != nil {
		q.Before = 0
	}
	if len(h.wrong) == 0 {
		h.found, err = r.journal.Rounds(v.Context(), q)
		if errors.Is(err, journal.ErrQuery) {
			h.wrong[""] = v.T("watch.wrong-bounds")
		} else if err != nil {
			return err
		}
	}
	if h.found != nil {
		for i := range h.found.Rounds {
			at := &h.found.Rounds[i]
			outcome, err := r.resultOf(v.Context(), at.Table, at.Round)
			if err != nil && !errors.Is(err, house.ErrRoundOpen) {
				return err
			}
			h.results = append(h.results, outcome)
		}
	}
	return v.Show(site.Page{Title: v.T("watch.rounds"), Sheets: sheets, Wide: true, Body: searchPage(v, s, h)})
}

// query reads the form.
func (h *roundSearch) query(v *site.Visit) journal.Query {
	q := journal.Query{Table: h.asked.Get("table"), Player: h.asked.Get("player"), Clause: h.asked.Get("clause"), Limit: perSearch}
	at := func(name string) int64 {
		text := h.asked.Get(name)
		if text == "" {
			return 0
		}
		ms, ok := site.ParseMoment(text)
		if !ok {
			h.wrong[name] = v.T("watch.wrong-time")
		}
		return ms
	}
	sum := func(name string) money.Amount {
		text := h.asked.Get(name)
		if text == "" {
			return 0
		}
		a, err := money.Parse(text)
		if err != nil || a < 0 {
			h.wrong[name] = v.T("console.amount-wrong")
			return 0
		}
		return a
	}
	q.FromMs, q.ToMs, q.AtLeast, q.AtMost = at("from"), at("to"), sum("least"), sum("most")
	return q
}

// chip is a filter that is in force; its address is that of the search without it.
type chip struct {
	name, value string
	without     templ.SafeURL
}

// chips lists the filters in force, in the order of the form.
func (h *roundSearch) chips() (all []chip) {
	for _, name := range fields {
		if value := h.asked.Get(name); value != "" {
			all = append(all, chip{name, strings.Replace(value, "T", " ", times[name]), h.with(name, "")})
		}
	}
	return all
}

// times has a one for the fields that hold a time, which a browser writes with a T.
var times = map[string]int{"from": 1, "to": 1}

// with returns the address of the same search with another value of a field; it is left out if
// the value is empty.
func (h *roundSearch) with(name, value string) templ.SafeURL {
	asked := url.Values{}
	maps.Copy(asked, h.asked)
	asked.Del(name)
	if value != "" {
		asked.Set(name, value)
	}
	if len(asked) == 0 {
		return "/surveillance/rounds"
	}
	return templ.SafeURL("/surveillance/rounds?" + asked.Encode())
}

// since returns the moment so many minutes before now, as the form has it.
func (r *handlers) since(minutes int) string {
	return time.UnixMilli(r.NowMs()).Add(-time.Duration(minutes) * time.Minute).Format("2006-01-02T15:04:05")
}

// further returns the address of the page after this one.
func (h *roundSearch) further() string {
	asked := url.Values{"before": {strconv.FormatInt(h.found.Next, 10)}}
	for name, values := range h.asked {
		asked[name] = values
	}
	return "/surveillance/rounds?" + asked.Encode()
}

// reason returns the words for the reason why a round was found.
func reason(v *site.Visit, m *journal.Match) string {
	wager := ""
	if w, err := rules.ParseWager(m.Wager); err == nil {
		wager = v.Term(w.Name())
	}
	var words []string
	if m.Box > 0 {
		words = append(words, v.T("felt.box", "n", m.Box))
	}
	for _, word := range []string{m.Player, wager} {
		if word != "" {
			words = append(words, word)
		}
	}
	if m.Amount > 0 {
		words = append(words, v.Money(m.Amount))
	}
	if m.Result != "" {
		words = append(words, v.T("result."+m.Result))
	}
	if m.Pays > 0 {
		words = append(words, v.Change(m.Pays))
	}
	return strings.Join(words, v.T("told.comma"))
}
