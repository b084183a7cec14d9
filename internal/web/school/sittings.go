package school

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"trey/internal/drill"
	"trey/internal/web/site"
	"trey/rules"
)

const (
	// sittingMs bounds the time of a sitting.
	sittingMs = 2 * 60 * 60 * 1000
	// mostFinished bounds the sittings that are remembered as finished.
	mostFinished = 10_000
)

// lengths are the numbers of rounds that a learner chooses from.
var lengths = []int{1, 3, drill.MostRounds}

// sittings run whole rounds against the clock. A sitting is in its address alone: seed, number
// of rounds, the time at which it began, and a code by which this process knows that it drew
// it. Only what is finished is remembered, until it could not be finished any more.
type sittings struct {
	Config
	secret [32]byte

	mu       sync.Mutex
	finished map[string]*finished // by address
}

func newSittings(c Config) *sittings {
	h := &sittings{Config: c, finished: map[string]*finished{}}
	_, _ = rand.Read(h.secret[:]) // it never fails, by its documentation
	return h
}

// finished is a sitting that was handed in.
type finished struct {
	// overMs is the time at which it is over and is dropped.
	overMs int64
	// answers is the hash of the form.
	answers [sha256.Size]byte
	marks   *drill.Marks
	result  *drill.Result
	signed  string // empty where nothing is signed
}

// sitting is one as its address names it.
type sitting struct {
	*drill.Sitting
	beganMs int64
	// address is the last part of the address.
	address string
}

var goodSitting = regexp.MustCompile(`^([a-z0-9]{1,16})-([1-9])-([1-9][0-9]{0,15})-([0-9a-f]{32})$`)

// code returns the code of a sitting that this process drew.
func (h *sittings) code(b *rules.Book, drawn string) string {
	mac := hmac.New(sha256.New, h.secret[:])
	mac.Write([]byte(b.Ref() + "\n" + b.Hash() + "\n" + drawn))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// asked returns the sitting that an address names, whoever drew it.
func (h *sittings) asked(v *site.Visit) (*sitting, error) {
	b, err := v.Book()
	if err != nil {
		return nil, err
	}
	address := v.Request.PathValue("sitting")
	m := goodSitting.FindStringSubmatch(address)
	if m == nil {
		return nil, v.NotFound()
	}
	rounds, err := strconv.Atoi(m[2])
	if err != nil || rounds > drill.MostRounds {
		return nil, v.NotFound()
	}
	beganMs, err := strconv.ParseInt(m[3], 10, 64)
	if err != nil {
		return nil, v.NotFound()
	}
	return &sitting{drill.Sit(b, m[1], rounds), beganMs, address}, nil
}

// ask shows what a sitting is, and begins one.
func (h *sittings) ask(v *site.Visit) error {
	b, err := v.Book()
	if err != nil {
		return err
	}
	return v.Show(site.Page{
		Title: v.T("school.rounds") + ": " + v.Term(b.Title), Description: v.T("school.rounds-lead"), Section: "school", Sheets: sheets,
		Body: beginning(v, b, h.Sign != nil),
	})
}

// begin draws a sitting. Its time runs from here.
func (h *sittings) begin(v *site.Visit) error {
	b, err := v.Book()
	if err != nil {
		return err
	}
	form, err := v.Form(1 << 10)
	if err != nil {
		return err
	}
	rounds, err := strconv.Atoi(form.Get("rounds"))
	if err != nil || rounds < 1 || rounds > drill.MostRounds {
		return &site.Problem{Status: http.StatusUnprocessableEntity, Text: v.T("school.rounds-number", "most", drill.MostRounds)}
	}
	drawn := newID() + "-" + strconv.Itoa(rounds) + "-" + strconv.FormatInt(h.NowMs(), 10)
	return v.Redirect("/school/" + b.ID + "/rounds/" + drawn + "-" + h.code(b, drawn))
}

// show shows the rounds of a sitting, with nothing answered.
func (h *sittings) show(v *site.Visit) error {
	s, err := h.asked(v)
	if err != nil {
		return err
	}
	return v.Show(site.Page{
		Title: v.T("school.rounds") + ": " + v.Term(s.Book.Title), Section: "school", Sheets: sheets, Wide: true,
		Modules: []string{"sitting.js"}, Body: atTable(v, s, max(0, h.NowMs()-s.beganMs)),
	})
}

// finish grades a sitting, once, and has the result signed.
func (h *sittings) finish(v *site.Visit) error {
	s, err := h.asked(v)
	if err != nil {
		return err
	}
	form, err := v.Form(site.MostFormBytes)
	if err != nil {
		return err
	}
	typed, err := typedName(v, form)
	if err != nil {
		return err
	}
	done, err := h.once(v, s, form, typed)
	if err != nil {
		return err
	}
	return v.Show(site.Page{
		Title: v.T("school.result") + ": " + v.Term(s.Book.Title), Section: "school", Sheets: sheets, Secret: true,
		Modules: []string{"sitting-result.js"}, Body: outcome(v, s, form, done),
	})
}

// typedName returns the name that the learner gave.
func typedName(v *site.Visit, form url.Values) (string, error) {
	typed := strings.TrimSpace(form.Get("name"))
	if utf8.RuneCountInString(typed) > drill.MostTyped || !utf8.ValidString(typed) || strings.ContainsFunc(typed, unicode.IsControl) {
		return "", &site.Problem{Status: http.StatusUnprocessableEntity, Text: v.T("school.name-long", "most", drill.MostTyped)}
	}
	return typed, nil
}

// once grades a sitting that is finished for the first time and in time, and that this process
// drew. The house's clock measures the time, so the learner cannot set the beginning. The same
// answers again come to the same result, for somebody who did not get it.
func (h *sittings) once(v *site.Visit, s *sitting, form url.Values, typed string) (*finished, error) {
	drawn := s.address[:strings.LastIndexByte(s.address, '-')]
	problem := func(key string) error {
		return &site.Problem{Status: http.StatusConflict, Text: v.T("school.rounds-" + key)}
	}
	if !hmac.Equal([]byte(h.code(s.Book, drawn)), []byte(s.address[len(drawn)+1:])) {
		return nil, problem("unknown")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	answers := sha256.Sum256([]byte(form.Encode()))
	if done, ok := h.finished[s.address]; ok {
		if done.answers != answers {
			return nil, problem("finished")
		}
		return done, nil
	}
	nowMs, endsMs := h.NowMs(), s.beganMs+sittingMs
	if nowMs >= endsMs || nowMs < s.beganMs {
		return nil, problem("late")
	}
	if len(h.finished) >= mostFinished {
		for address, other := range h.finished {
			if other.overMs <= nowMs {
				delete(h.finished, address)
			}
		}
		if len(h.finished) >= mostFinished {
			return nil, problem("full")
		}
	}
	done := &finished{overMs: endsMs, answers: answers, marks: s.Grade(form)}
	done.result = drill.ResultOf(s.Sitting, done.marks, s.beganMs, nowMs-s.beganMs)
	done.result.Typed = typed
	if h.Person != nil {
		done.result.Person = h.Person(v)
	}
	if h.Sign != nil {
		signed, err := h.Sign(done.result.Lines())
		if err != nil {
			return nil, err
		}
		done.signed = string(signed)
	}
	h.finished[s.address] = done
	return done, nil
}
