package surveillance

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"trey/internal/house/access"
	"trey/internal/house/journal"
	"trey/internal/web/site"
	"trey/money"
	"trey/rules"
)

// hunt is a search of rounds: what was asked for, and what was found.
type hunt struct {
	asked  url.Values
	tables []string
	found  *journal.Found
	// wrong says what cannot be looked for, by the name of its field; about the
	// whole it has none.
	wrong map[string]string
}

// fields are what a search can be narrowed by.
var fields = []string{"from", "to", "table", "player", "clause", "least", "most"}

func (r *room) search(v *site.Visit) error {
	s, ok, err := r.Desk.Staff(v, access.SearchRounds)
	if !ok {
		return err
	}
	h := &hunt{asked: url.Values{}, tables: r.House.Tables(), wrong: map[string]string{}}
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
	return v.Show(site.Page{Title: v.T("watch.rounds"), Wide: true, Body: searchPage(v, s, h)})
}

// query reads the form.
func (h *hunt) query(v *site.Visit) journal.Query {
	q := journal.Query{Table: h.asked.Get("table"), Player: h.asked.Get("player"), Clause: h.asked.Get("clause")}
	at := func(name string) int64 {
		text := h.asked.Get(name)
		if text == "" {
			return 0
		}
		for _, form := range []string{"2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"} {
			if t, err := time.ParseInLocation(form, text, time.Local); err == nil && t.UnixMilli() > 0 {
				return t.UnixMilli()
			}
		}
		h.wrong[name] = v.T("watch.wrong-time")
		return 0
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

// further is the address of the page after this one.
func (h *hunt) further() string {
	asked := url.Values{"before": {strconv.FormatInt(h.found.Next, 10)}}
	for name, values := range h.asked {
		asked[name] = values
	}
	return "/surveillance/rounds?" + asked.Encode()
}

// reason says in words why a round was found.
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
