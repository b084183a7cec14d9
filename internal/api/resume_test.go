package api

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trey/internal/house"
	"trey/internal/steady"
	"trey/money"
)

// followed is the record as a door that follows it may read it: up to a transaction.
type followed struct {
	house.Store
	through atomic.Int64
	// hides is the number of transactions at the end that the reads of a broken server do not
	// find.
	hides int64
	// ended, if it is not nil, is called once when a read of several transactions has ended.
	ended atomic.Pointer[func()]
}

// errBehind ends a read where the record ends for a door.
var errBehind = errors.New("the door has no more")

func (f *followed) Read(ctx context.Context, name string, after int64, yield func(house.StoredEvent) error) error {
	return f.unlessBehind(f.Store.Read(ctx, name, after, func(e house.StoredEvent) error {
		if e.Seq > f.through.Load()-f.hides {
			return errBehind
		}
		return yield(e)
	}))
}

func (f *followed) ReadAll(ctx context.Context, after int64, name string, yield func(house.StoredTransaction) error) error {
	err := f.unlessBehind(f.Store.ReadAll(ctx, after, name, func(e house.StoredTransaction) error {
		if e.Seq > f.through.Load()-f.hides {
			return errBehind
		}
		return yield(e)
	}))
	if ended := f.ended.Swap(nil); ended != nil {
		(*ended)()
	}
	return err
}

func (f *followed) unlessBehind(err error) error {
	if errors.Is(err, errBehind) {
		return nil
	}
	return err
}

// readingDoor is a door that follows the record at its own pace, and answers over HTTP.
type readingDoor struct {
	*house.House
	record       *followed
	broadcasters *broadcasters
	address      string
}

// openDoor opens a door. A broken one hides the end of the record from its reads, and takes other
// numbers than it is sent.
func (s *site) openDoor(seed uint64, hides int64, taken func(last int64) int64) *readingDoor {
	s.Helper()
	record := &followed{Store: s.store, hides: hides}
	seq := s.store.Head().Size - 1
	record.through.Store(seq + hides)
	ctx, cancel := context.WithCancel(s.Context())
	var work sync.WaitGroup
	s.Cleanup(work.Wait)
	s.Cleanup(cancel)
	h, err := house.OpenReading(ctx, record, house.World{NowMs: s.nowMs, PlayMoney: true})
	if err != nil {
		s.Fatal(err)
	}
	work.Go(func() {
		chance := rand.New(rand.NewPCG(seed, 1))
		news := s.Subscribe(house.Topic{}, 1<<20)
		defer news.Close()
		for ctx.Err() == nil {
			for n, _ := news.Next(); n != nil; n, _ = news.Next() { // it only wakes up
			}
			left := 1 + chance.IntN(12)
			err := s.store.ReadAll(ctx, seq, "", func(e house.StoredTransaction) error {
				if left--; left < 0 {
					return errBehind
				}
				// Reads find it before those who follow hear of it.
				seq = e.Seq
				record.through.Store(seq)
				return h.Take(&e)
			})
			if err != nil && !errors.Is(err, errBehind) && ctx.Err() == nil {
				s.Errorf("a door cannot follow: %v", err)
				return
			}
			time.Sleep(time.Duration(chance.IntN(1500)) * time.Microsecond)
			if left >= 0 { // all that there was
				select {
				case <-news.Ready():
				case <-ctx.Done():
				}
			}
		}
	})
	srv := newServer(Config{House: h, Identity: s.people, Record: house.Named(record), Evidence: record, NowMs: s.nowMs, Log: s.server.Log})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if last, err := strconv.ParseInt(r.Header.Get("Last-Event-ID"), 10, 64); err == nil {
			r.Header.Set("Last-Event-ID", strconv.FormatInt(taken(last), 10))
		}
		srv.ServeHTTP(w, r)
	}))
	s.Cleanup(web.Close)
	return &readingDoor{h, record, &srv.broadcasters, web.Listener.Addr().String()}
}

// resuming is a reader that is cut again and again, and resumes its stream at another door.
type resuming struct {
	path  string
	begun int64
	last  atomic.Int64
	over  atomic.Bool
	ids   []int64
	texts map[int64]string
}

// once opens the stream behind the last message, reads so many messages and goes. Without any
// it goes before the door answers.
func (r *resuming) once(address, token string, messages int) error {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // it is cut
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nLast-Event-ID: %d\r\n\r\n", r.path, token, r.last.Load()); err != nil || messages == 0 {
		return err
	}
	got, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return err
	}
	defer got.Body.Close() //nolint:errcheck // it is cut
	if got.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(got.Body) //nolint:errcheck // it is shown as far as it came
		return fmt.Errorf("a stream is answered %s %s", got.Status, text)
	}
	lines := bufio.NewReader(got.Body)
	for messages > 0 {
		line, err := lines.ReadString('\n')
		if err != nil {
			return err
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch name {
		case "id":
			id, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				return err
			}
			r.last.Store(id)
			r.ids = append(r.ids, id)
		case "data":
			r.texts[r.last.Load()] = value
		case "":
			messages--
		}
	}
	return nil
}

// faults returns what a reader missed of what somebody heard whose stream was never cut, and what
// it was sent twice.
func (r *resuming) faults(uncut []message) (missed, twice []int64) {
	heard := map[int64]int{}
	for _, id := range r.ids {
		if heard[id]++; heard[id] == 2 {
			twice = append(twice, id)
		}
	}
	for _, m := range uncut {
		if m.id > r.begun && m.id <= r.last.Load() && heard[m.id] == 0 {
			missed = append(missed, m.id)
		}
	}
	return missed, twice
}

// resume has readers follow a table or the floor while rounds are played at two tables. Each is
// cut so many times, and goes on at one door or the other. It returns all that they missed or
// were sent twice.
func (s *site) resume(doors []*readingDoor, readers, times int) (missed, twice []int64) {
	s.Helper()
	paths := []string{"/api/v1/floor/events", "/api/v1/tables/T1/events"}
	begun := s.lastOf("T1")
	all := make([]*resuming, readers)
	var reading sync.WaitGroup
	ctx, failed := context.WithCancel(s.Context())
	defer failed()
	for i := range all {
		chance := rand.New(rand.NewPCG(uint64(i), 9))
		r := &resuming{path: paths[min(i%4, 1)^1], begun: begun, texts: map[int64]string{}}
		r.last.Store(begun)
		all[i] = r
		reading.Go(func() {
			defer r.over.Store(true)
			for n := range times {
				if ctx.Err() != nil {
					return
				}
				if err := r.once(doors[chance.IntN(len(doors))].address, s.tokens["ann"], chance.IntN(4)); err != nil {
					s.Errorf("reader %d, resumed %d times: %v", i, n, err)
					failed()
					return
				}
			}
		})
	}
	over := make(chan struct{})
	go func() { reading.Wait(); close(over) }()
	// The writer waits for the last of the readers, so that those in front come to the end of
	// the past and receive the new events. It does not wait long for a reader that waits for
	// the writer because a broken connection lost what it needs.
	late := time.After(5 * time.Minute)
	farthest, since := int64(0), time.Now()
	for rounds, playing := 0, true; playing; {
		select {
		case <-over:
			playing = false
		case <-late:
			s.Fatalf("after %d rounds there are still readers", rounds)
		default:
			back := s.lastOf("T1")
			for _, r := range all {
				if !r.over.Load() {
					back = min(back, r.last.Load())
				}
			}
			if back != farthest {
				farthest, since = back, time.Now()
			}
			if s.lastOf("T1")-back > 12 && time.Since(since) < 300*time.Millisecond {
				time.Sleep(100 * time.Microsecond)
				continue
			}
			since = time.Now()
			if rounds++; rounds%4 == 0 {
				s.play("T2", 1)
			}
			s.play("T1", 1)
		}
	}
	uncut := map[string][]message{}
	for _, path := range paths {
		uncut[path] = s.uncut(path, begun)
	}
	if s.Failed() {
		return nil, nil
	}
	for i, r := range all {
		if heard := uncut[r.path]; len(r.ids) < times/2 || heard[len(heard)-1].id < r.last.Load() {
			s.Fatalf("reader %d heard %d messages up to %d, and who was never cut %d", i, len(r.ids), r.last.Load(), len(heard))
		}
		m, t := r.faults(uncut[r.path])
		missed, twice = append(missed, m...), append(twice, t...)
		for _, m := range uncut[r.path] {
			if text, heard := r.texts[m.id]; heard && text != m.data {
				s.Fatalf("reader %d heard of transaction %d\n%s\nand who was never cut\n%s", i, m.id, text, m.data)
			}
		}
	}
	return missed, twice
}

// uncut returns the messages behind a number as the writer sends them on one stream.
func (s *site) uncut(path string, after int64) (all []message) {
	s.Helper()
	if after == 0 {
		s.Fatal("a stream that is not resumed begins with how things stand")
	}
	r := s.listen("ann", path, after)
	defer r.close()
	for m, ok := r.next(); ok; m, ok = r.next() {
		if all = append(all, m); m.id >= s.lastOf("T1") {
			break
		}
	}
	return all
}

// Streams that are cut again and again, and resumed at one door or the other, miss nothing and
// repeat nothing, however far each door is behind the writer. Doors with a fault are found.
func TestStreamsAreResumedAtAnotherDoor(t *testing.T) {
	readers, times := steady.Tries(16, 40), steady.Tries(15, 250)
	if steady.Raced {
		times = 5
	}
	s := newSite(t)
	for _, name := range []string{"T1", "T2"} {
		s.install(name, "rws-3cp")
	}
	s.buyIn("ann", 10_000_000*money.Major)
	s.play("T1", 1)
	right := func(last int64) int64 { return last }
	sound := []*readingDoor{s.openDoor(1, 0, right), s.openDoor(2, 0, right)}
	missed, twice := s.resume(sound, readers, times)
	if len(missed)+len(twice) > 0 {
		t.Errorf("of streams that were resumed %d times, transactions %v were missed, and %v were sent twice", readers*times, missed, twice)
	}
	t.Logf("streams were resumed %d times", readers*times)
	if steady.Raced {
		return // that faults are found is nothing about races
	}

	// A fault shows now and then, of the times at which it would change anything.
	var wrong atomic.Int64
	now := func(then func(last int64) int64) func(int64) int64 {
		return func(last int64) int64 {
			if other := then(last); other != last && wrong.Add(1)%7 == 1 {
				return other
			}
			return last
		}
	}
	for _, fault := range []struct {
		what          string
		door          *readingDoor
		misses, sends bool
	}{
		{"a message is skipped", s.openDoor(3, 0, now(func(last int64) int64 {
			next := last
			if err := s.EventsSince(s.Context(), house.Topic{Table: "T1"}, last, func(n *house.Notice) error {
				next = n.Seq
				return errBehind
			}); err != nil && !errors.Is(err, errBehind) {
				t.Error(err)
			}
			return next
		})), true, false},
		{"a message is repeated", s.openDoor(4, 0, now(func(last int64) int64 { return last - 1 })), false, true},
		{"readers are told of a transaction before reads find it", s.openDoor(5, 8, right), true, false},
	} {
		missed, twice = s.resume([]*readingDoor{sound[0], fault.door}, 10, steady.Tries(30, 60))
		if fault.misses != (len(missed) > 0) || fault.sends != (len(twice) > 0) {
			t.Errorf("%s: %v were missed, and %v were sent twice", fault.what, missed, twice)
		}
	}
}

// A transaction that comes while a stream is resumed, behind the end of what was read of the past
// and before the subscription, is sent too.
func TestNothingIsMissedBetweenPastAndPresent(t *testing.T) {
	s := newSite(t)
	s.install("T1", "rws-3cp")
	s.buyIn("ann", 1_000*money.Major)
	s.play("T1", 1)
	begun := s.lastOf("T1")
	s.play("T1", 1)
	door := s.openDoor(1, 0, func(last int64) int64 { return last })
	const messages = 16 // of two rounds
	newReader := func() *resuming {
		r := &resuming{path: "/api/v1/tables/T1/events", begun: begun, texts: map[int64]string{}}
		r.last.Store(begun)
		return r
	}
	before, r := newReader(), newReader()
	heard := make(chan error, 1)
	go func() { heard <- before.once(door.address, s.tokens["ann"], messages) }()
	// It reads nothing more then: what is stored below is done at the end of the other one's read.
	steady.Await(t, "a reader has come to the end of the past and follows", func() bool { return door.broadcasters.begun() > 0 })
	between := func() {
		s.play("T1", 1)
		if err := <-heard; err != nil { // until all who follow at this door have heard of it
			t.Error(err)
		}
	}
	door.record.ended.Store(&between)
	over := make(chan struct{})
	var playing sync.WaitGroup
	defer playing.Wait()
	defer close(over)
	playing.Go(func() { // what happens later is sent by a door that has missed something, too
		select {
		case <-over:
		case <-time.After(10 * time.Second):
			s.play("T1", 2)
		}
	})
	if err := r.once(door.address, s.tokens["ann"], messages); err != nil {
		t.Fatal(err)
	}
	if missed, twice := r.faults(s.uncut(r.path, begun)); len(missed)+len(twice) > 0 || len(r.ids) != messages {
		t.Errorf("of %v, %v were missed and %v sent twice", r.ids, missed, twice)
	}
}
