package api

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"trey/internal/admission"
	"trey/internal/house"
	"trey/internal/notary"
	"trey/internal/store/served"
	"trey/money"
)

// auditedSite is a house that signs, with the addresses under which an auditor reads it. The
// auditor's clock goes on when the auditor waits, and then alone.
type auditedSite struct {
	*site
	notary *notary.Notary
	web    *httptest.Server
	now    time.Time
	// pauses are the times that the auditor waited, and waits is called before the clock goes
	// on.
	pauses []time.Duration
	waits  func(d time.Duration)
}

func newAuditedSite(t *testing.T, change ...func(*Config)) *auditedSite {
	t.Helper()
	s := &auditedSite{site: newSite(t, change...), now: time.UnixMilli(0), waits: func(time.Duration) {}}
	var err error
	if s.notary, err = notary.Begin(t.TempDir(), s.store); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/log/", s.notary.Handler("/log/"))
	mux.Handle("/", s.server)
	s.web = httptest.NewServer(mux)
	t.Cleanup(s.web.Close)
	return s
}

// read begins to read the house up to now, as its auditor.
func (s *auditedSite) read(wait time.Duration, waiting func()) (*served.Record, error) {
	s.Helper()
	if _, err := s.notary.Sign(); err != nil {
		s.Fatal(err)
	}
	return served.Open(s.Context(), served.Config{
		Address: s.web.URL, Token: s.tokens["aud"], Wait: wait, Waiting: waiting, Now: func() time.Time { return s.now },
		Pause: func(_ context.Context, d time.Duration) error {
			s.pauses = append(s.pauses, d)
			s.waits(d)
			s.now = s.now.Add(d)
			return nil
		},
	})
}

// leaves reads all leaves.
func (s *auditedSite) leaves(r *served.Record) (last int64) {
	s.Helper()
	if err := r.Leaves(s.Context(), 0, func(l house.Leaf) error {
		if last++; l.Seq != last {
			s.Errorf("transaction %d stands where %d belongs", l.Seq, last)
		}
		return nil
	}); err != nil {
		s.Fatal(err)
	}
	return last
}

// A round whose cards are on a table is waited for. If it ends in time, all of the record is
// read; if the time runs out, what comes before it is, and no more time was taken than was
// given.
func TestAnAuditWaitsForARoundAsLongAsItMay(t *testing.T) {
	for _, ends := range []bool{false, true} {
		s := newAuditedSite(t)
		s.install("T1", "us-3cp")
		s.buyIn("ann", 1000*money.Major)
		opened := s.done("dan", "T1", `{"kind":"open-bets"}`).Seq
		s.done("ann", "T1", `{"kind":"bet","body":{"box":1,"player":"ann","wager":"ante","amount":1000}}`)
		s.done("dan", "T1", `{"kind":"close-bets"}`)
		s.done("dan", "T1", `{"kind":"deal"}`)
		calls := 0
		record, err := s.read(20*time.Second, func() { calls++ })
		if err != nil {
			t.Fatal(err)
		}
		signed := record.Signed().Size - 1
		s.waits = func(time.Duration) {
			if ends && len(s.pauses) == 3 {
				s.done("ann", "T1", `{"kind":"fold","body":{"box":1,"player":"ann"}}`)
				s.done("dan", "T1", `{"kind":"reveal"}`)
				s.done("dan", "T1", `{"kind":"settle"}`)
			}
		}
		want, took := opened-1, 21*time.Second // the last of 20 seconds is waited for too
		if ends {
			want, took = signed, 3*time.Second
		}
		if last := s.leaves(record); last != want || record.Partial() == ends {
			t.Errorf("the round ends %t: %d transactions are read, partial %t; want %d of %d", ends, last, record.Partial(), want, signed)
		}
		if got := s.now.Sub(time.UnixMilli(0)); got != took || calls != 1 {
			t.Errorf("the round ends %t: it waits %v and says so %d times, want %v and once", ends, got, calls, took)
		}
	}
}

// The addresses of an audit are limited as all others are. An auditor who is told to come
// later does, and reads everything; a house that says so for ever is given up.
func TestAnAuditIsLimited(t *testing.T) {
	clock := int64(0)
	s := newAuditedSite(t, func(c *Config) {
		c.Admission = admission.New(admission.Config{Person: admission.Rate{PerSecond: 1, Burst: 2}, NowMs: func() int64 { return clock }})
	})
	s.install("T1", "us-3cp")
	for range 600 { // more than a page
		s.buyIn("ann", money.Major)
	}
	s.waits = func(d time.Duration) { clock += d.Milliseconds() }
	record, err := s.read(time.Minute, nil)
	if err != nil {
		t.Fatal(err)
	}
	if last := s.leaves(record); last != record.Signed().Size-1 || last < 600 || len(s.pauses) == 0 {
		t.Errorf("%d of %d transactions are read with %d pauses", last, record.Signed().Size-1, len(s.pauses))
	}
	for _, d := range s.pauses {
		if d < time.Second {
			t.Errorf("it asks again after %v, before the house said", d)
		}
	}
	before := s.now
	s.waits = func(time.Duration) {} // the house's clock stands still
	for range 3 {
		if record, err = s.read(10*time.Second, nil); err != nil {
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), "429") || record != nil {
		t.Errorf("a house that is asked too often for ever: %v", err)
	}
	if took := s.now.Sub(before); took < 10*time.Second || took > 12*time.Second {
		t.Errorf("it is given up after %v, want 10 s", took)
	}
}

// A page of names goes on behind the number at which the one before it ended.
func TestNamesArePaged(t *testing.T) {
	s := newSiteWith(t, func(w *house.World) { w.Plays = nil }) // eve has no account
	s.buyIn("ann", money.Major)
	s.buyIn("ben", money.Major)
	s.buyIn("eve", money.Major)
	type names struct{ Names []AuditName }
	var all, paged names
	s.get("aud", "/api/v1/audit/names").into(s, &all)
	for after := int64(0); ; {
		var page names
		s.get("aud", "/api/v1/audit/names?limit=2&after="+strconv.FormatInt(after, 10)).into(s, &page)
		if len(page.Names) == 0 {
			break
		}
		paged.Names = append(paged.Names, page.Names...)
		after = page.Names[len(page.Names)-1].Number
	}
	if len(all.Names) < 3 || len(paged.Names) != len(all.Names) {
		t.Fatalf("%d names by pages of two, %d at once", len(paged.Names), len(all.Names))
	}
	for i := range all.Names {
		if all.Names[i] != paged.Names[i] || all.Names[i].Number != int64(i)+1 {
			t.Errorf("name %d is %+v by pages, and %+v at once", i+1, paged.Names[i], all.Names[i])
		}
	}
}
