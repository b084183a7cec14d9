package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"trey/internal/house"
	"trey/internal/house/report"
	"trey/internal/steady"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// twin is one of two houses that differ in nothing but a hand that lies face down.
type twin struct {
	*site
	guest  string // what gus is called
	hand   string // of ann at table A
	looked []glance
	// looks counts how often everybody looked.
	looks int
	// streams are those that everybody follows from the beginning.
	streams map[string]*reader
	keys    int
}

// glance is a text that a person received, with its time.
type glance struct{ phase, person, what, text string }

// What differs between two houses at any time: moments and random ids. The durations are found
// by their beginning, and the rest only in long words. That is ten times as fast as one
// expression for all, and the texts are long.
var (
	durations = []*regexp.Regexp{
		regexp.MustCompile(`"elapsed_ms":\d+`), regexp.MustCompile(`"kind":"(?:time|reality-check)","period":"\w+","most":null,"used":\d+`),
		regexp.MustCompile(`trey_\w+_seconds.*`),
	}
	varying = regexp.MustCompile(`\b\d{13,}\b|\b[0-9a-f]{16,}\b|\btrey_\w{30,}|[0-9A-Za-z+/]{43}=`)
)

// alike returns what a text of this house has in common with the same text of the other one.
func (w *twin) alike(text string) string {
	text = strings.ReplaceAll(text, w.guest, "GUEST")
	for _, d := range durations {
		text = d.ReplaceAllString(text, "*")
	}
	var b strings.Builder
	copied := 0
	for at := 0; at < len(text); {
		begun := at
		for at < len(text) && inWord[text[at]] {
			at++
		}
		if at-begun >= 13 {
			b.WriteString(text[copied:begun])
			b.WriteString(varying.ReplaceAllString(text[begun:at], "*"))
			copied = at
		}
		at++
	}
	return b.String() + text[copied:]
}

// inWord marks what random ids and moments consist of.
var inWord = func() (in [256]bool) {
	for c := range in {
		in[c] = strings.IndexByte("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_+/=", byte(c)) >= 0
	}
	return in
}()

func (w *twin) note(phase, person, what, text string) {
	w.looked = append(w.looked, glance{phase, person, what, w.alike(text)})
}

// send has somebody send a command for good, and notes the answer.
func (w *twin) send(phase, person, name, command string) *reply {
	w.Helper()
	w.keys++
	r := w.order(person, name, command, "Idempotency-Key", fmt.Sprint(w.keys))
	if !strings.HasPrefix(command, `{"kind":"deal"`) { // The dealer reads the cards in.
		w.note(phase, person, command, r.Status+r.Header.Get("ETag")+r.text)
	}
	return r
}

func (w *twin) must(phase, person, name, command string) {
	w.Helper()
	if r := w.send(phase, person, name, command); r.StatusCode != http.StatusOK {
		w.Fatalf("%s: %s at %s: %s %s", person, command, name, r.Status, r.text)
	}
}

// guesses returns commands by which a person might find out what a hand holds. They are tried
// out and not carried out.
func guesses() (all []string) {
	for _, body := range []string{`{}`, `{"meter":1}`, `{"meters":[1]}`, `{"meters":[1,2]}`, `{"meter":1000000,"meters":[1]}`, `{"pending":true}`} {
		all = append(all, `{"kind":"settle","body":`+body+`}`)
	}
	for _, kind := range []string{"restore-progressive", "reveal", "expire", "close-table", "open-bets", "finish-deal"} {
		all = append(all, `{"kind":"`+kind+`"}`)
	}
	for _, option := range []string{"close", "without"} {
		all = append(all, `{"kind":"suspend-progressive","body":{"option":"`+option+`"}}`)
	}
	all = append(all, `{"kind":"suspend-progressive","body":{"option":"boxes","boxes":[1]}}`)
	for _, hand := range []string{"", `,"hand":["As","Ks","Qs"]`, `,"hand":["Ac","7s","4h"]`} {
		all = append(all, `{"kind":"show","body":{"box":1`+hand+`}}`, `{"kind":"lay-up","body":{"box":1`+hand+`}}`)
	}
	for _, i := range rules.Incidents() {
		for _, rest := range []string{"", `,"box":1,"count":4,"player":"ann"`, `,"meter":1,"cards":[{"place":"1","index":1}]`} {
			all = append(all, `{"kind":"report","body":{"incident":"`+i.String()+`","note":"a guess"`+rest+`}}`)
		}
	}
	return all
}

// looking returns all addresses that can be read, with existing names filled in. The test of
// them is that none is missing.
func (w *twin) looking() (all []string) {
	w.Helper()
	fill := strings.NewReplacer("{jackpot}", "linked", "{account}", "meter:linked", "{name}", "ann", "{book}", "rws-3cp", "{round}", "1")
	for path, item := range w.server.huma.OpenAPI().Paths {
		if item.Get == nil || strings.HasSuffix(path, "/events") {
			continue
		}
		path = fill.Replace(path)
		if strings.Contains(path, "{kind}") {
			for _, kind := range report.Kinds() {
				all = append(all, strings.ReplaceAll(path, "{kind}", kind.String()), strings.ReplaceAll(path, "{kind}", kind.String())+"?table=A")
			}
			continue
		}
		if strings.Contains(path, "{table}") {
			for _, name := range []string{"A", "B"} {
				all = append(all, strings.ReplaceAll(path, "{table}", name))
			}
			continue
		}
		all = append(all, path)
	}
	for _, path := range all {
		if strings.Contains(path, "{") {
			w.Fatalf("nobody has looked at %s: say what stands for the name in it", path)
		}
	}
	for _, stream := range []string{"table:A", "jackpot:linked", "deal:A", "sealed:A", "house"} {
		all = append(all, "/api/v1/log?limit=1000&stream="+stream)
	}
	for _, account := range []string{"meter:linked", "reserve:linked", "win:A", "house", "layout:A"} {
		all = append(all, "/api/v1/accounts/"+account, "/api/v1/accounts/"+account+"/movements")
	}
	all = append(all, "/api/v1/log?limit=1000", "/metrics", "/healthz", "/readyz")
	slices.Sort(all)
	return slices.Compact(all)
}

// mine reports whether a number is one of those that this person asks for, in the usual run
// every fifth. Each person begins at another one, so that five of them ask for everything.
func mine(number int) bool { return number%steady.Tries(5, 1) == 0 }

// look has everybody but some ask for everything there is.
func (w *twin) look(phase string, but ...string) {
	w.Helper()
	commands := guesses()
	w.looks++
	dealing := 0 // of those who give commands
	for n, person := range readers {
		if slices.Contains(but, person) {
			continue
		}
		for i, path := range w.looking() {
			if !mine(i + n + w.looks) {
				continue
			}
			r := w.get(person, path)
			w.note(phase, person, "GET "+path, r.Status+r.Header.Get("ETag")+r.text)
		}
		if person == "cas" || person == "eye" || person == "adm" || person == "gus" {
			continue // who give no commands at a table
		}
		dealing++
		for at, name := range []string{"A", "B"} {
			tries := commands
			var moves struct{ Moves []json.RawMessage }
			w.get(person, "/api/v1/tables/"+name+"/moves").into(w, &moves)
			for _, m := range moves.Moves {
				tries = append(slices.Clip(tries), string(m))
			}
			for i, command := range tries {
				if !mine(i + at + dealing + w.looks) {
					continue
				}
				r := w.ask(person, http.MethodPost, "/api/v1/tables/"+name+"/commands?dry_run=true", command)
				w.note(phase, person, "a dry run at "+name+" of "+command, r.Status+r.text)
			}
		}
	}
	for _, body := range []string{
		`{"jackpot":"linked","hit":{"table":"A","round":"1","box":1},"place":{"dealt_at":1,"sequence":0},"note":"a guess"}`,
		`{"jackpot":"linked","hit":{"table":"A","round":"1","box":2},"place":{"dealt_at":1,"sequence":0},"note":"a guess"}`,
		`{"jackpot":"linked","hit":{"table":"A","round":"1","box":0},"place":{"dealt_at":1,"sequence":0},"note":""}`,
	} {
		r := w.ask("pat", http.MethodPost, "/api/v1/proposals", `{"kind":"determine-order","body":`+body+`}`)
		w.note(phase, "pat", "a proposal of an order "+body, r.Status+r.text)
	}
	r := w.ask("sue", http.MethodPost, "/api/v1/proposals", `{"kind":"adjust-jackpot","body":{"jackpot":"linked","pot":"meter","cause":"transfer-out","change":-100,"note":"a guess"}}`)
	w.note(phase, "sue", "a proposal of a transfer", r.Status+r.text)
}

// follow has everybody follow everything from the beginning.
func (w *twin) follow() {
	for _, person := range readers {
		for _, path := range []string{"tables/A/events", "tables/A/events?picture=true", "tables/B/events?picture=true", "jackpots/linked/events", "floor/events"} {
			if may := w.get(person, "/api/v1/jackpots/linked"); strings.HasPrefix(path, "tables") || may.StatusCode == http.StatusOK {
				r := w.listen(person, "/api/v1/"+path, 0)
				m, _ := r.next()
				w.note("the beginning", person, path, m.event+m.data)
				w.streams[person+" "+path] = r
			}
		}
	}
}

// heard returns the messages of a stream up to a transaction. There has to be one behind it, so
// that nobody waits.
func (w *twin) heard(name string, upTo int64) (all []string) {
	r := w.streams[name]
	defer r.close()
	stop := time.AfterFunc(time.Minute, r.close)
	defer stop.Stop()
	for {
		m, ok := r.next()
		if !ok {
			w.Errorf("the stream %s ended before transaction %d: %q", name, upTo, all)
			return all
		}
		if m.id > upTo {
			return all
		}
		all = append(all, w.alike(fmt.Sprint(m.id, m.event, m.data)))
	}
}

// aHitAhead plays rounds at two tables of one jackpot. At A, which is dealt first, ann
// has the hand of this twin; at B ben has a hit, which is turned and waits.
func (w *twin) aHitAhead(course string) (upTo int64) {
	w.Helper()
	bet := func(name, person string, wagers ...string) {
		for _, wager := range wagers {
			amount := map[string]int{"ante": 1000, "progressive": 500}[wager]
			w.must("bets", person, name, fmt.Sprintf(`{"kind":"bet","body":{"box":%d,"wager":%q,"amount":%d}}`, map[string]int{"ann": 1, "ben": 2}[person], wager, amount))
		}
	}
	deal := func(name, cards string) {
		var drawn []string
		for _, c := range strings.Fields(cards) {
			drawn = append(drawn, `{"card":"`+c+`"}`)
		}
		w.must("deal", "dan", name, `{"kind":"deal","body":{"cards":[`+strings.Join(drawn, ",")+`]}}`)
	}
	do := func(phase, person, name, kind, body string) {
		w.must(phase, person, name, fmt.Sprintf(`{"kind":%q,"body":%s}`, kind, body))
	}
	for _, name := range []string{"A", "B"} {
		do("bets", "dan", name, "open-bets", `{}`)
		bet(name, "ben", "ante", "progressive")
		if name == "A" {
			bet(name, "ann", "ante", "progressive")
		}
		do("bets", "dan", name, "close-bets", `{}`)
	}
	deal("A", w.hand+" Qc 6d 4c Kd 9c 2s")
	w.look("A is dealt")
	time.Sleep(2 * time.Millisecond) // The clock of the house goes by milliseconds.
	deal("B", "As Ks Qs Kd 9c 2s")
	do("B plays", "ben", "B", "raise", `{"box":2}`)
	do("B plays", "dan", "B", "reveal", `{}`)
	w.look("B is to be settled")
	do("B plays", "dan", "B", "settle", `{}`)
	w.send("B waits", "dan", "B", `{"kind":"settle"}`)
	w.look("B waits")
	do("A plays", "ben", "A", "raise", `{"box":2}`)
	switch course {
	case "played", "down":
		w.must("ann examines", "ann", "A", `{"kind":"examine","body":{"box":1}}`)
		w.look("ann has examined", "ann")
		if course == "down" {
			do("down", "dan", "A", "report", `{"incident":"progressive-down"}`)
			w.look("the jackpot is down", "ann")
		}
		do("A plays", "ann", "A", "raise", `{"box":1}`)
		do("A plays", "dan", "A", "reveal", `{}`)
		w.look("A is to be settled", "ann")
	case "folded":
		do("A plays", "ann", "A", "fold", `{"box":1}`)
		w.look("ann has folded")
		do("A plays", "dan", "A", "reveal", `{}`)
		w.look("A is to be settled")
		do("A plays", "dan", "A", "show", `{"box":2,"hand":[]}`)
		w.look("all hands but the folded one are shown")
	}
	return w.last()
}

// last returns the number of the last transaction.
func (w *twin) last() int64 {
	var log struct{ Entries []struct{ Seq int64 } }
	w.get("adm", "/api/v1/log?limit=1000").into(w, &log)
	return log.Entries[len(log.Entries)-1].Seq
}

// As long as a round runs, nothing that anybody gets discloses whether a hand that lies face
// down hits the jackpot. Two houses differ in that alone, and give every role the same answers,
// streams, logs, reports, alerts, refusals and dry runs, byte for byte. That holds at the table
// itself and at another that waits for it. By default the hand is played.
func TestAHitFaceDownIsNotDisclosed(t *testing.T) {
	steady.Sequential(t)
	for i, course := range []string{"played", "folded", "down"} {
		if !steady.Turn(i, 3) {
			continue
		}
		t.Run(course, func(t *testing.T) {
			var twins [2]*twin
			var upTo [2]int64
			for i, hand := range []string{"As Ks Qs", "Ac 7s 4h"} {
				w := &twin{site: newSite(t), hand: hand, streams: map[string]*reader{}}
				w.tokens["gus"] = w.site.guest()
				w.guest = w.guestName()
				for _, person := range []string{"ann", "ben"} {
					w.buyIn(person, 1000*money.Major)
				}
				for _, name := range []string{"A", "B", "C"} {
					w.install(name, "rws-3cp", func(t *house.Table) {
						t.Config = table.Config{Device: rules.Shuffler, Cards: table.Read}
						t.Variant.Boxes = 2
					})
				}
				w.follow()
				upTo[i], twins[i] = w.aHitAhead(course), w
				w.settle(course)
			}
			hit, none := twins[0], twins[1]
			if len(hit.looked) != len(none.looked) || upTo[0] != upTo[1] || len(hit.looked) < 1000 {
				t.Fatalf("%d and %d answers, up to transactions %d and %d", len(hit.looked), len(none.looked), upTo[0], upTo[1])
			}
			heard := 0
			for i := range hit.looked {
				if hit.looked[i] == none.looked[i] {
					continue
				}
				if heard++; heard <= 5 {
					a, b := apart(hit.looked[i].text, none.looked[i].text)
					t.Errorf("%s, %s, %s: with a hit\n%s\nwithout\n%s", hit.looked[i].phase, hit.looked[i].person, hit.looked[i].what, a, b)
				}
			}
			messages := 0
			for name := range hit.streams {
				if strings.HasPrefix(name, "ann ") && course != "folded" {
					continue // who looked at the hand
				}
				a, b := hit.heard(name, upTo[0]), none.heard(name, upTo[1])
				messages += len(a)
				if !slices.Equal(a, b) {
					heard++
					t.Errorf("the stream %s: with a hit\n%s\nwithout\n%s", name, strings.Join(a, "\n"), strings.Join(b, "\n"))
				}
			}
			if t.Logf("%d answers and %d messages compared", len(hit.looked), messages); heard > 0 || messages == 0 {
				t.Errorf("%d answers tell of the hit", heard)
			}
		})
	}
}

// settle ends the rounds, so that every stream goes on, and sees that the one twin
// holds a hit at A and the other none.
func (w *twin) settle(course string) {
	w.Helper()
	w.must("the end", "dan", "A", `{"kind":"settle"}`)
	w.must("the end", "dan", "B", `{"kind":"settle"}`)
	if course == "down" {
		w.must("the end", "pat", "C", `{"kind":"restore-progressive"}`) // the system failed at all tables
	}
	for _, command := range []string{
		`{"kind":"open-bets"}`, `{"kind":"bet","body":{"box":1,"player":"ben","wager":"ante","amount":1000}}`,
		`{"kind":"bet","body":{"box":1,"player":"ben","wager":"progressive","amount":500}}`, `{"kind":"close-bets"}`,
	} {
		w.must("the end", "dan", "C", command)
	}
	meter, _ := w.Jackpot("linked")
	want := int64(1)
	if w.hand == "As Ks Qs" && course != "folded" {
		want = 2
	}
	if meter.HitsPaid != want {
		w.Fatalf("%d hits were paid, want %d", meter.HitsPaid, want)
	}
	end := slices.IndexFunc(w.looked, func(g glance) bool { return g.phase == "the end" })
	w.looked = w.looked[:end]
}

// apart returns two texts from shortly before the place where they begin to differ.
func apart(a, b string) (string, string) {
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	cut := func(s string) string { return s[max(0, at-200):min(len(s), at+300)] }
	return cut(a), cut(b)
}
