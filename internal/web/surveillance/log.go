package surveillance

import (
	"bytes"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/journal"
	"trey/internal/ledger"
	"trey/internal/record"
	"trey/internal/stored"
	"trey/internal/web/site"
)

// pageOfLog is a page of the log.
type pageOfLog struct {
	asked   url.Values
	streams []string
	kinds   []string
	page    *journal.LogPage
}

func (r *handlers) log(v *site.Visit) error {
	s, ok, err := r.Authenticator.Staff(v, access.ReadLog)
	if !ok {
		return err
	}
	l := &pageOfLog{asked: url.Values{}, kinds: append(record.Actions.Names(), record.TableEvents.Names()...)}
	slices.Sort(l.kinds)
	l.kinds = slices.Compact(l.kinds)
	asked := v.Request.URL.Query()
	for _, name := range []string{"stream", "person", "kind"} {
		if text := strings.TrimSpace(asked.Get(name)); text != "" {
			l.asked.Set(name, text)
		}
	}
	l.streams = []string{"house", "people", "protection"}
	for _, name := range r.House.Tables() {
		l.streams = append(l.streams, "table:"+name)
		status, err := r.House.Status(name)
		if err != nil {
			return err
		}
		if pot := "jackpot:" + status.Jackpot; status.Jackpot != "" && !slices.Contains(l.streams, pot) {
			l.streams = append(l.streams, pot)
		}
	}
	before, err := strconv.ParseInt(asked.Get("before"), 10, 64)
	if err != nil || before < 0 {
		before = 0
	}
	l.page, err = r.journal.Log(v.Context(), journal.LogQuery{
		Stream: l.asked.Get("stream"), Person: l.asked.Get("person"), Kind: l.asked.Get("kind"), Before: before,
	})
	if err != nil {
		return err
	}
	return v.Show(site.Page{Title: v.T("watch.log"), Sheets: sheets, Wide: true, Body: logPage(v, s, l)})
}

// further returns the address of the page with older transactions.
func (l *pageOfLog) further() string {
	asked := url.Values{"before": {strconv.FormatInt(l.page.Next, 10)}}
	for name, values := range l.asked {
		asked[name] = values
	}
	return "/surveillance/log?" + asked.Encode()
}

// kindsOf lists the kinds of events of a transaction.
func kindsOf(v *site.Visit, e *house.StoredTransaction) string {
	var all []string
	for i := range e.Parts {
		for _, event := range e.Parts[i].Events {
			if name := kindName(v, event.Kind); !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return strings.Join(all, ", ")
}

// kindName returns the name of a kind of command or event in the reader's language, or the
// record's own word where that language has none.
func kindName(v *site.Visit, kind string) string {
	if words, ok := v.Script("kinds", stored.Name(kind)); ok {
		return words
	}
	return kind
}

// named matches the name of a field where [json.Indent] puts it, at the beginning of a line.
var named = regexp.MustCompile(`(?m)^( *")([^"\\]+)(":)`)

// written returns a recorded body to be read: its fields have their names in the reader's
// language, where there is a word for them, and their recorded values.
func written(v *site.Visit, body json.RawMessage) string {
	var out bytes.Buffer
	if len(body) == 0 || json.Indent(&out, body, "", "  ") != nil {
		return ""
	}
	return named.ReplaceAllStringFunc(out.String(), func(at string) string {
		part := named.FindStringSubmatch(at)
		if words, ok := v.Script("fields", part[2]); ok {
			return part[1] + words + part[3]
		}
		return at
	})
}

func accountName(a ledger.Account) string { return a.String() }
