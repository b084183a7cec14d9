package api

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/steady"
	"trey/money"
)

// dial opens a stream over a connection of the test's own, and reads nothing.
func (s *site) dial(person, path string) net.Conn {
	s.Helper()
	conn, err := net.Dial("tcp", s.web.Listener.Addr().String())
	if err != nil {
		s.Fatal(err)
	}
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n", path, s.tokens[person])
	return conn
}

// readerOf reads the stream of a connection from its head on.
func (s *site) readerOf(conn net.Conn) *reader {
	s.Helper()
	in := bufio.NewReader(conn)
	head, err := http.ReadResponse(in, nil)
	if err != nil || head.StatusCode != http.StatusOK {
		s.Fatal(head, err)
	}
	lines := bufio.NewScanner(head.Body)
	lines.Buffer(nil, 1<<20)
	return &reader{TB: s.TB, lines: lines, close: func() { conn.Close() }} //nolint:errcheck // nobody reads it any more
}

// held waits until as many streams are open.
func (s *site) held(want int) {
	s.Helper()
	for until := time.Now().Add(time.Minute); s.server.streams.held() != want; time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			s.Fatalf("%d streams are open, want %d", s.server.streams.held(), want)
		}
	}
}

// numbersSince returns the numbers of the transactions at a table.
func (s *site) numbersSince(name string, after int64) (all []int64) {
	s.Helper()
	err := s.EventsSince(s.Context(), house.Topic{Table: name}, after, func(n *house.Notice) error {
		all = append(all, n.Seq)
		return nil
	})
	if err != nil {
		s.Fatal(err)
	}
	return all
}

// A subscriber that does not read for a while, and then does, receives everything once
// and in order, and no other subscriber waits for it.
func TestWhoFallsBehindCatchesUp(t *testing.T) {
	s := newSite(t, func(c *Config) { c.Limits.StreamBuffer, c.Limits.WriteTimeout = 1<<20, time.Minute })
	s.install("T1", "rws-3cp")
	s.buyIn("ann", 1_000_000*money.Major)
	conn := s.dial("ann", "/api/v1/tables/T1/events?picture=true")
	defer conn.Close() //nolint:errcheck // the test is over
	s.held(1)
	s.small(conn)
	quick := s.listen("ben", "/api/v1/tables/T1/events", 0)
	defer quick.close()
	quick.next()
	// Somebody can be behind because the machine is busy. Whoever is so still after the
	// other one has received everything has no room left.
	var last int64
	for rounds := 0; last == 0 || !s.behind(); rounds++ {
		if rounds > 2000 {
			t.Fatal("a connection that nobody reads takes everything")
		}
		s.play("T1", 10)
		last = s.lastOf("T1")
		for m, ok := quick.next(); m.id != last; m, ok = quick.next() {
			if !ok {
				t.Fatal("the stream of a reader who keeps up has ended")
			}
		}
	}
	slow := s.readerOf(conn)
	first, ok := slow.next()
	if !ok || first.event != "standing" {
		t.Fatalf("a stream begins with %+v", first)
	}
	var heard []int64
	for len(heard) == 0 || heard[len(heard)-1] != last {
		m, ok := slow.next()
		if !ok || !strings.Contains(m.data, `"picture"`) {
			t.Fatalf("after %d messages: %+v", len(heard), m)
		}
		heard = append(heard, m.id)
	}
	if want := s.numbersSince("T1", first.id); !slices.Equal(heard, want) {
		t.Errorf("heard %d messages, and %d transactions happened", len(heard), len(want))
	}
	s.play("T1", 1)
	if m, ok := slow.next(); !ok || m.id <= last {
		t.Errorf("after all that: %+v", m)
	}
}

// small leaves little room on the way of the only stream that is open.
func (s *site) small(client net.Conn) {
	s.Helper()
	err := client.(*net.TCPConn).SetReadBuffer(32 << 10)
	s.each(func(r *subscriber) { err = errors.Join(err, r.conn.(*net.TCPConn).SetWriteBuffer(32<<10)) })
	if err != nil {
		s.Fatal(err)
	}
}

// begun counts the streams whose readers have joined: a stream is held from when it is asked for.
func (all *broadcasters) begun() (streams int) {
	for _, a := range all.every() {
		a.mu.Lock()
		streams += len(a.readers)
		a.mu.Unlock()
	}
	return streams
}

// each does something with each stream that has begun.
func (s *site) each(do func(*subscriber)) {
	for _, a := range s.server.broadcasters.every() {
		a.mu.Lock()
		for r := range a.readers {
			do(r)
		}
		a.mu.Unlock()
	}
}

// behind reports whether a subscriber does not take what it is sent.
func (s *site) behind() (late bool) {
	s.each(func(r *subscriber) {
		r.mu.Lock()
		defer r.mu.Unlock()
		late = late || r.waiting > 0
	})
	return late
}

// A subscriber that begins during play receives every notice after its snapshot.
func TestStreamsBeginExactly(t *testing.T) {
	s := newSite(t)
	s.install("T1", "rws-3cp")
	s.buyIn("ann", 1_000_000*money.Major)
	before := s.lastOf("T1")
	playing, over := context.WithCancel(t.Context())
	ended := make(chan struct{})
	// Whoever is too far behind is cut off, and this is not about that: a few rounds are played each
	// time that something was read.
	rounds := make(chan struct{}, 4)
	playOn := func() {
		for range cap(rounds) {
			select {
			case rounds <- struct{}{}:
			default:
			}
		}
	}
	go func() {
		defer close(ended)
		for {
			select {
			case <-rounds:
				s.play("T1", 1)
			case <-playing.Done():
				return
			}
		}
	}()
	said := map[noticeEncoder][]int64{}
	paths := map[string]noticeEncoder{
		"/api/v1/tables/T1/events": tableEncoder{}, "/api/v1/tables/T1/events?picture=true": tableEncoder{pictures: true}, "/api/v1/floor/events": floorEncoder{},
	}
	type heard struct {
		in    noticeEncoder
		first int64
		ids   []int64
	}
	var all []heard
	for range steady.Share(4, 8) {
		for path, in := range paths {
			playOn()
			r := s.listen("ann", path, 0)
			first, ok := r.next()
			if !ok || first.event != "standing" {
				t.Fatalf("a stream begins with %+v", first)
			}
			stream := heard{in: in, first: first.id}
			for range 4 {
				playOn()
				m, ok := r.next()
				if !ok {
					t.Fatalf("the stream that began with %d has ended", first.id)
				}
				stream.ids = append(stream.ids, m.id)
			}
			r.close()
			all = append(all, stream)
		}
	}
	over()
	<-ended
	for _, in := range paths {
		err := s.EventsSince(t.Context(), house.Topic{Table: "T1"}, before, func(n *house.Notice) error {
			var out bytes.Buffer
			if err := in.write(&out, n); err != nil || out.Len() == 0 {
				return err
			}
			said[in] = append(said[in], n.Seq)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, stream := range all {
		want := said[stream.in]
		want = want[slices.IndexFunc(want, func(seq int64) bool { return seq > stream.first }):]
		if !slices.Equal(stream.ids, want[:4]) {
			t.Errorf("%+v after %d came %v, want %v", stream.in, stream.first, stream.ids, want[:4])
		}
	}
}

// A reader who has gone is found although nothing happens.
func TestReadersWhoHaveGoneAreFound(t *testing.T) {
	s := newSite(t, func(c *Config) { c.Limits.Heartbeat = 30 * time.Millisecond })
	s.install("T1", "us-3cp")
	stays := s.listen("ann", "/api/v1/tables/T1/events", 0)
	defer stays.close()
	goes := s.dial("ann", "/api/v1/tables/T1/events")
	s.held(2)
	// What the peer sends on is discarded, and no reason to end the stream.
	fmt.Fprint(goes, "I am still here")
	for beats := 0; beats < 3; beats++ {
		time.Sleep(30 * time.Millisecond)
	}
	s.held(2)
	if err := goes.Close(); err != nil {
		t.Fatal(err)
	}
	s.held(1)
	if text := s.get("eye", "/metrics").text; strings.Contains(text, "trey_streams_cut_off_total{") {
		t.Errorf("who goes is not cut off:\n%s", text)
	}
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	stays.next()
	if m, ok := stays.next(); !ok || m.event != "table" {
		t.Errorf("who stayed heard %+v", m)
	}
}

// The streams that a person has left behind do not keep them from opening others, and
// those of other persons are not ended for it.
func TestStreamsLeftBehindMakeRoom(t *testing.T) {
	s := newSite(t, func(c *Config) { c.Limits.StreamsEach, c.Limits.Heartbeat = 2, time.Hour })
	s.install("T1", "us-3cp")
	const path = "/api/v1/tables/T1/events"
	defer s.listen("ben", path, 0).close()
	for range 3 {
		left := []net.Conn{s.dial("ann", path), s.dial("ann", "/api/v1/floor/events")}
		s.held(3)
		steady.Await(t, "streams that have begun, so that one whose peer has gone is found", func() bool {
			return s.server.broadcasters.begun() == 3
		})
		if p := s.get("ann", path).problem(t); p.Status != http.StatusTooManyRequests {
			t.Fatalf("a third stream: %+v", p)
		}
		for _, conn := range left {
			if err := conn.Close(); err != nil {
				t.Fatal(err)
			}
		}
		s.listen("ann", path, 0).close()
		steady.Await(t, "one stream, as the client has closed the other one's connection", func() bool {
			s.server.broadcasters.endClosed("ann")
			return s.server.streams.held() == 1
		})
	}
}

// pipe is a stream over a connection that cannot be written to without waiting.
func (s *site) pipe(topic house.Topic, in noticeEncoder) (*reader, *subscriber) {
	here, there := net.Pipe()
	sub := &subscriber{
		broadcaster: s.server.broadcasters.enter(topic), call: &call{person: access.Person{Name: "ann"}, machine: s.tokens["ann"]},
		encoder: in, conn: there, raw: rawOf(there),
	}
	s.server.streams.take("ann")
	lines := bufio.NewScanner(here)
	lines.Buffer(nil, 1<<20)
	return &reader{TB: s.TB, lines: lines, close: func() { here.Close() }}, sub //nolint:errcheck // nobody reads it any more
}

// Where a connection cannot be written to without waiting, everything comes all the same.
func TestStreamsOverAnyConnection(t *testing.T) {
	s := newSite(t, func(c *Config) { c.Limits.Heartbeat = 30 * time.Millisecond })
	s.install("T1", "rws-3cp")
	s.buyIn("ann", 1_000_000*money.Major)
	r, stream := s.pipe(house.Topic{Table: "T1"}, tableEncoder{})
	var begin int64
	if err := stream.join(t.Context(), func(from int64) (int64, any, error) { begin = from; return from, "here", nil }); err != nil {
		t.Fatal(err)
	}
	if m, ok := r.next(); !ok || m.event != "standing" || m.data != `"here"` {
		t.Fatalf("%+v", m)
	}
	go s.play("T1", 5)
	var heard []int64
	for len(heard) < 5*8 {
		m, ok := r.next()
		if !ok {
			t.Fatalf("ended after %v", heard)
		}
		heard = append(heard, m.id)
	}
	if want := s.numbersSince("T1", begin); !slices.Equal(heard, want) {
		t.Errorf("heard %v, want %v", heard, want)
	}
	r.close()
	s.held(0)
}

// An idle subscriber gets a heartbeat, and one that was sent something since the last does not. The
// stream of a person who is no longer signed in, or of a peer that reads too little, ends with it.
func TestHeartbeats(t *testing.T) {
	s := newSite(t, func(c *Config) { c.Limits.Heartbeat, c.Limits.StreamBuffer = time.Hour, 4 })
	s.install("T1", "us-3cp")
	begin := func() (*reader, *subscriber) {
		t.Helper()
		r, stream := s.pipe(house.Topic{Table: "T1"}, tableEncoder{})
		if err := stream.join(t.Context(), func(int64) (int64, any, error) { return 0, "here", nil }); err != nil {
			t.Fatal(err)
		}
		return r, stream
	}
	cut := func(why string) bool {
		return strings.Contains(s.get("eye", "/metrics").text, `trey_streams_cut_off_total{why="`+why+`"} 1`)
	}
	r, stream := begin()
	beat := stream.broadcaster.sendHeartbeat
	next := func(want string) {
		t.Helper()
		for r.lines.Scan() {
			switch line := r.lines.Text(); {
			case strings.HasPrefix(line, "data: "), line == ": alive":
				if !strings.HasPrefix(line, want) {
					t.Fatalf("a line %q, want %s", line, want)
				}
				return
			}
		}
		t.Fatalf("the stream has ended, want %s", want)
	}
	beat() // the snapshot has just been sent
	next(`data: "here"`)
	beat()
	next(": alive")
	beat()
	next(": alive")
	s.done("dan", "T1", `{"kind":"open-bets"}`)
	next("data: {")
	beat() // what happened has been sent
	s.done("sue", "T1", `{"kind":"close-table"}`)
	next("data: {")
	beat()
	beat()
	next(": alive")
	stream.call.machine = "no token"
	beat()
	if s.held(0); r.lines.Scan() && r.lines.Text() != "" || !cut("signed-out") {
		t.Errorf("a person who is not signed in reads %q", r.lines.Text())
	}

	r, stream = begin()
	for range 4 + 3 { // one is on its way, and the first beat sends nothing
		stream.broadcaster.sendHeartbeat()
	}
	if s.held(0); !cut("slow") {
		t.Errorf("a peer that reads nothing is not cut off: %s", s.get("eye", "/metrics").text)
	}
	r.close()
}

// broken is a form that fails when it is to tell what happens.
type broken struct{ with any }

func (broken) topic() string { return "table" }

func (b broken) write(*bytes.Buffer, *house.Notice) error {
	if err, ok := b.with.(error); ok {
		return err
	}
	panic(b.with)
}

// What cannot be told ends the streams that it should be told to; whoever comes back
// is told what happens.
func TestStreamsThatBreakEnd(t *testing.T) {
	s := newSite(t)
	s.install("T1", "rws-3cp")
	s.buyIn("ann", 1_000_000*money.Major)
	here := func(int64) (int64, any, error) { return 0, "here", nil }
	for with, others := range map[any]bool{errors.New("it cannot be written"): true, "a fault": false} {
		well := s.listen("ben", "/api/v1/tables/T1/events", 0)
		well.next()
		var readers []*reader
		for range 3 {
			r, stream := s.pipe(house.Topic{Table: "T1"}, broken{with})
			if err := stream.join(t.Context(), here); err != nil {
				t.Fatal(err)
			}
			r.next()
			readers = append(readers, r)
		}
		s.play("T1", 1)
		for _, r := range readers {
			if m, ok := r.next(); ok {
				t.Errorf("%v: heard %+v", with, m)
			}
		}
		last := s.lastOf("T1")
		m, open := well.next()
		for open && !(others && m.id == last) {
			m, open = well.next()
		}
		if open != others {
			t.Errorf("%v: the stream of another reader is open: %t, want %t", with, open, others)
		}
		well.close()
		again := s.listen("ben", "/api/v1/tables/T1/events", 0)
		again.next()
		s.play("T1", 1)
		if m, ok := again.next(); !ok || m.event != "table" {
			t.Errorf("%v: who came back heard %+v", with, m)
		}
		again.close()
	}
	if text := s.get("eye", "/metrics").text; !strings.Contains(text, `trey_streams_cut_off_total{why="broken"}`) {
		t.Errorf("nothing counts what broke:\n%s", text)
	}
}
