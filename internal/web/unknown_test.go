package web_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"trey/card"
	"trey/internal/house/housetest"
	"trey/internal/web/lang"
	"trey/table"
)

// visitor is a browser without a screen: it keeps its cookie and every byte that it is sent.
type visitor struct {
	testing.TB
	http.Client
	floor    *floor
	received bytes.Buffer
}

func (f *floor) visitor() *visitor {
	jar, err := cookiejar.New(nil)
	if err != nil {
		f.Fatal(err)
	}
	return &visitor{TB: f.TB, floor: f, Client: http.Client{Jar: jar}}
}

func (v *visitor) get(path string) {
	v.Helper()
	answer, err := v.Get(v.floor.address + path)
	if err != nil {
		v.Fatal(err)
	}
	v.keep(answer)
}

func (v *visitor) post(path string, form url.Values) {
	v.Helper()
	r, err := http.NewRequest(http.MethodPost, v.floor.address+path, strings.NewReader(form.Encode()))
	if err != nil {
		v.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if strings.HasSuffix(path, "/do") {
		r.Header.Set("Trey-Fragment", "1")
	}
	answer, err := v.Do(r)
	if err != nil {
		v.Fatal(err)
	}
	if answer.StatusCode >= http.StatusBadRequest || strings.HasSuffix(path, "/do") && answer.StatusCode != http.StatusNoContent {
		body, _ := io.ReadAll(answer.Body)
		v.Fatalf("%s %v: %s: %.300s", path, form, answer.Status, body)
	}
	v.keep(answer)
}

func (v *visitor) keep(answer *http.Response) {
	v.Helper()
	defer answer.Body.Close() //nolint:errcheck // it has been read
	if _, err := v.received.ReadFrom(answer.Body); err != nil {
		v.Fatal(err)
	}
}

func (v *visitor) act(what, chip string) {
	v.Helper()
	v.post("/tables/classic-1/do", url.Values{"do": {what}, "chip": {chip}})
}

// first keeps the first message of the live page, which holds all of it.
func (v *visitor) first(path string) {
	v.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, v.floor.address+path, nil)
	if err != nil {
		v.Fatal(err)
	}
	answer, err := v.Do(r)
	if err != nil {
		v.Fatal(err)
	}
	defer answer.Body.Close() //nolint:errcheck // it has no end
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		v.received.Write(lines.Bytes())
		if strings.HasPrefix(lines.Text(), "data: {") {
			return
		}
	}
	v.Fatal("the live page says nothing: ", lines.Err())
}

func (f *floor) await(name string, phase table.Phase) table.State {
	f.Helper()
	for late := time.Now().Add(patience); time.Now().Before(late); {
		s, err := housetest.Table(f, name)
		if err != nil {
			f.Fatal(err)
		}
		if s.Phase == phase {
			return s
		}
		time.Sleep(10 * time.Millisecond)
	}
	f.Fatalf("%s does not come to %s", name, phase)
	return table.State{}
}

// drawn are the outlines in a page, the marks of its parts, and hashes and signatures in base64: any
// two letters may stand in one of these between signs.
var drawn = regexp.MustCompile(` d="[^"]*"|mark\\?"?[=:]\\?"[\w-]{8}\\?"|[A-Za-z0-9+/]{32,}=*`)

// A card in a mark is none: the marks of two parts in a page, in a message, and in a part of one.
func TestMarksAreNoCards(t *testing.T) {
	for _, text := range []string{`<div data-mark="tOCYK-8h" id="purse">`, `{"mark":"tOCYK-8h","html":""}`, `"html":"<p data-mark=\"tOCYK-8h\">"`} {
		if strings.Contains(drawn.ReplaceAllString(text, ""), "8h") {
			t.Errorf("%s: the mark is taken for a card", text)
		}
	}
	if text := `<span data-key="s1-2-8h">`; drawn.ReplaceAllString(text, "") != text {
		t.Errorf("%s: the key of a card is left out", text)
	}
}

// Nothing sent to a person names a card that they may not know: not in the page, in the live
// updates, nor in the answer to a form.
func TestNothingUnknownIsSent(t *testing.T) {
	t.Parallel()
	f := newFloor(t, unhurried, nil, "classic-1")
	ann, ben, looker := f.visitor(), f.visitor(), f.visitor()
	for _, v := range []*visitor{ann, ben} {
		v.post("/tables/classic-1/sit", nil)
		v.post("/tables/classic-1/trainer", url.Values{"on": {"on"}})
	}
	ann.act("bet:1:ante", "500")
	ann.act("bet:2:ante", "500")
	ben.act("bet:3:ante", "500")
	ann.act("ready", "")
	ben.act("ready", "")
	f.await("classic-1", table.Deciding)
	ann.act("examine:1", "")
	s := f.await("classic-1", table.Deciding)
	for _, v := range []*visitor{ann, ben, looker} {
		v.get("/tables/classic-1")
		v.first("/tables/classic-1/live")
		v.get("/tables/classic-1/rounds/1")
		v.first("/lobby/live?tables=classic-1") // its page shows cards of no round
	}
	english := lang.Printer{Language: lang.English}
	for _, slot := range s.Slots {
		// As a word of its own: a guest may be called after its letters, and what is
		// drawn has numbers and letters that mean something else.
		name, code := english.Card(slot.Card), regexp.MustCompile(`\b`+slot.Card.String()+`\b`)
		for reader, v := range map[string]*visitor{"ann": ann, "ben": ben, "somebody who looks on": looker} {
			knows := reader == "ann" && slot.Place == table.Box(1)
			if sent := drawn.ReplaceAllString(v.received.String(), ""); strings.Contains(sent, name) != knows || !knows && code.MatchString(sent) {
				t.Errorf("%s at %s: %s may know it: %v, and is sent the opposite", slot.Card, slot.Place, reader, knows)
			}
		}
	}
	// The order of the deck is in the seed, which is not sent before the round ends.
	if _, hash, _, ok := f.Commitment("classic-1"); !ok || !strings.Contains(looker.received.String(), hash.String()) {
		t.Error("the commitment is not shown")
	}
	// The trainer tells ann only what ann can know: folding loses the Ante, and a hand that
	// nobody looked at is worth what an average one is.
	for _, want := range []string{"Fold −1.0000", "Unseen, over all deals"} {
		if !strings.Contains(ann.received.String(), want) {
			t.Errorf("the trainer does not say %q", want)
		}
	}
	if strings.Contains(looker.received.String(), "Fold −1.0000") {
		t.Error("the trainer speaks to somebody who looks on")
	}
	ann.act("fold:1", "")
	ann.act("raise:2", "")
	ben.act("fold:3", "")
	done := f.await("classic-1", table.Paid)
	open := table.View(done, table.Viewer{})
	// The page follows the house, and may be a moment behind it.
	for late := time.Now().Add(patience); time.Now().Before(late); time.Sleep(10 * time.Millisecond) {
		looker.received.Reset()
		if looker.get("/tables/classic-1"); strings.Contains(looker.received.String(), english.Card(open.Boxes[1].Cards[0])) {
			break
		}
	}
	looker.first("/tables/classic-1/live")
	known := map[card.Card]bool{}
	for _, c := range open.Dealer {
		known[c] = true
	}
	for _, b := range open.Boxes {
		for _, c := range b.Cards {
			known[c] = true
		}
	}
	for _, slot := range done.Slots {
		if sent := strings.Contains(looker.received.String(), english.Card(slot.Card)); sent != known[slot.Card] {
			t.Errorf("after the round %s at %s: sent %v, known to all %v", slot.Card, slot.Place, sent, known[slot.Card])
		}
	}
}
