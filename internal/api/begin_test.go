package api

import (
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

	"trey/internal/admission"
	"trey/internal/house"
	"trey/internal/steady"
)

// A stream that cannot begin returns why, is not among the subscribers, and gives its place
// back.
func TestAStreamThatCannotBeginIsNotJoined(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	topic := house.Topic{Table: "T1"}
	for name, standing := range map[string]func(int64) (int64, any, error){
		"no snapshot":                         func(int64) (int64, any, error) { return 0, nil, house.ErrNoTable },
		"a snapshot that JSON does not write": func(from int64) (int64, any, error) { return from, func() {}, nil },
	} {
		r, stream := s.pipe(topic, tableEncoder{})
		err := stream.join(t.Context(), standing)
		if err == nil || s.server.broadcasters.begun() != 0 {
			t.Errorf("%s: %v, and %d streams have begun", name, err, s.server.broadcasters.begun())
		}
		stream.end(err)
		s.held(0)
		r.close()
	}
}

// A connection of which it cannot be seen whether its peer has closed it goes on.
func TestAConnectionThatCannotBePolledGoesOn(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	r, stream := s.pipe(house.Topic{Table: "T1"}, tableEncoder{})
	defer r.close()
	if err := stream.join(t.Context(), func(from int64) (int64, any, error) { return from, "here", nil }); err != nil {
		t.Fatal(err)
	}
	if left := s.server.broadcasters.endClosed("ann"); left != 0 {
		t.Errorf("%d streams are ended, and none has gone", left)
	}
	s.held(1)
}

// The streams of a person whose peers have gone are counted, and those of others go on.
func TestStreamsLeftBehindAreCounted(t *testing.T) {
	s := newSite(t, func(c *Config) { c.Limits.Heartbeat = time.Hour })
	s.install("T1", "us-3cp")
	const path = "/api/v1/tables/T1/events"
	for _, conn := range []net.Conn{s.dial("ann", path), s.dial("ann", path), s.dial("ben", path)} {
		defer conn.Close() //nolint:errcheck // the test is over
	}
	steady.Await(t, "three streams have begun", func() bool { return s.server.broadcasters.begun() == 3 })
	s.each(func(r *subscriber) {
		// Whoever reads no more is seen as one who has closed the connection.
		if err := r.conn.(*net.TCPConn).CloseRead(); err != nil {
			t.Error(err)
		}
	})
	if left := s.server.broadcasters.endClosed("ann"); left != 2 || s.server.streams.held() != 1 {
		t.Errorf("%d streams are ended, and %d go on, want 2 and 1", left, s.server.streams.held())
	}
}

// What could not be encoded is not sent, and ends the stream with the reason.
func TestWhatCouldNotBeEncodedIsNotSent(t *testing.T) {
	s := &subscriber{broadcaster: &broadcaster{server: &server{}}, writing: true}
	encoded := &encodedNotices{err: errBroken, messages: []messageEnd{{1, 0}}}
	if err := s.sendUnseen(encoded); !errors.Is(err, errBroken) || len(s.backlog) > 0 {
		t.Errorf("%v, and %q is sent", err, s.backlog)
	}
}

// A house that is ready says so, with what its operator should know.
func TestAReadyHouseSaysWhatItWarnsOf(t *testing.T) {
	for want, warnings := range map[string]func() []string{
		`{"status":"ready"}`: nil,
		`{"status":"ready","warnings":["the disk is nearly full"]}`: func() []string { return []string{"the disk is nearly full"} },
	} {
		s := newSite(t, func(c *Config) { c.Warnings = warnings })
		if r := s.get("", "/readyz"); r.StatusCode != http.StatusOK || strings.TrimSpace(r.text) != want {
			t.Errorf("%s %s, want %s", r.Status, r.text, want)
		}
	}
}

// While the streams of a topic end, whoever comes next begins anew, also where one that is
// about to begin has not gone yet.
func TestWhoComesWhileStreamsEndBeginsAnew(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	topic := house.Topic{Table: "T1"}
	r, late := s.pipe(topic, tableEncoder{})
	defer r.close()
	late.broadcaster.close(errBroken)
	here := func(from int64) (int64, any, error) { return from, "here", nil }
	if err := late.join(t.Context(), here); !errors.Is(err, errBroken) {
		t.Errorf("it joins what has ended: %v", err)
	}
	next, stream := s.pipe(topic, tableEncoder{})
	defer next.close()
	if err := stream.join(t.Context(), here); err != nil {
		t.Errorf("the next one does not begin: %v", err)
	}
	late.end(errBroken)
	if m, ok := next.next(); !ok || m.event != "standing" {
		t.Errorf("the next one heard %+v", m)
	}
}

// A subscriber is sent the messages that it has not seen, once, and is behind by their number.
func TestOnlyWhatASubscriberHasNotSeenIsSent(t *testing.T) {
	srv := &server{}
	srv.Limits.StreamBuffer = 3
	text := func(numbers ...int64) *encodedNotices {
		t := &encodedNotices{}
		for _, n := range numbers {
			fmt.Fprintf(&t.bytes, "<%d>", n)
			t.messages = append(t.messages, messageEnd{n, t.bytes.Len()})
		}
		return t
	}
	// A goroutine seems to write already, so that what is sent waits here.
	s := &subscriber{broadcaster: &broadcaster{server: srv}, writing: true, last: 5}
	for _, c := range []struct {
		sent   *encodedNotices
		behind string
		last   int64
		wrong  error
	}{
		{text(), "", 5, nil},
		{text(3, 5), "", 5, nil},
		{text(3, 5, 7, 8), "<7><8>", 8, nil},
		{text(7, 8), "<7><8>", 8, nil},
		{text(9), "<7><8><9>", 9, nil}, // as many as it may be behind
		{text(8, 9), "<7><8><9>", 9, nil},
		{text(9, 10), "<7><8><9>", 10, house.ErrSubscriberSlow},
	} {
		err := s.sendUnseen(c.sent)
		if behind := string(bytes.Join(s.backlog, nil)); !errors.Is(err, c.wrong) || behind != c.behind || s.last != c.last {
			t.Errorf("of %s it is behind by %s, the last is %d, and %v; want %s, %d and %v", &c.sent.bytes, behind, s.last, err, c.behind, c.last, c.wrong)
		}
	}
}

// between is a record that calls what happens behind the end of a reading.
type between struct {
	house.Store
	ended func()
}

func (b *between) ReadAll(ctx context.Context, after int64, stream string, yield func(house.StoredTransaction) error) error {
	defer b.ended()
	return b.Store.ReadAll(ctx, after, stream, yield)
}

// What happens between the last reading of the past and the present is sent, also where the others
// have heard of it by then.
func TestNothingIsLostBetweenPastAndPresent(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	s.rich("ann")
	const path = "/api/v1/tables/T1/events"
	s.play("T1", 1)
	begun := s.lastOf("T1")
	s.play("T1", 1)
	other := s.listen("ben", path, 0)
	defer other.close()
	times := 0
	s.line.Store = &between{s.line.Store, func() {
		if times++; times <= 2 { // behind the first reading, and behind the second
			s.play("T1", 1)
			for last := s.lastOf("T1"); ; {
				if m, ok := other.next(); !ok || m.id == last {
					return
				}
			}
		}
	}}
	r := s.listen("ann", path, begun)
	defer r.close()
	steady.Await(t, "the stream that was resumed goes on", func() bool { return s.server.broadcasters.begun() == 2 })
	s.play("T1", 1)
	last := s.lastOf("T1")
	var heard []int64
	for len(heard) == 0 || heard[len(heard)-1] < last {
		m, ok := r.next()
		if !ok {
			break
		}
		heard = append(heard, m.id)
	}
	if want := s.numbersSince("T1", begun); !slices.Equal(heard, want) || times <= 2 {
		t.Errorf("after %d readings heard %v, want %v", times, heard, want)
	}
}

// Who waits for their turn to read the past goes when the house closes or the request ends.
func TestATurnIsNotAwaitedForEver(t *testing.T) {
	closing := make(chan struct{})
	s := newSite(t, func(c *Config) { c.Closing = closing })
	s.install("T1", "us-3cp")
	r, stream := s.pipe(house.Topic{Table: "T1"}, tableEncoder{})
	defer r.close()
	s.server.turns = admission.NewTurns(1)
	if taken := s.server.turns.Take(t.Context(), nil, "ben"); taken == nil {
		t.Fatal("the only turn is not free")
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := stream.join(ended, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("the request has ended: %v", err)
	}
	close(closing)
	if err := stream.join(t.Context(), nil); !errors.Is(err, errClosing) {
		t.Errorf("the house closes: %v", err)
	}
}

// The goroutine of a topic ends with its last subscriber, and with none before.
func TestATopicEndsWithItsLastSubscriber(t *testing.T) {
	s := newSite(t)
	s.install("T1", "us-3cp")
	all, topic := &s.server.broadcasters, house.Topic{Table: "T1"}
	ended := func(a *broadcaster) bool {
		select {
		case <-a.empty:
			return true
		default:
			return false
		}
	}
	a := all.enter(topic)
	if all.enter(topic) != a || len(all.every()) != 1 {
		t.Fatal("a second subscriber begins another broadcaster")
	}
	all.leave(a)
	if ended(a) || len(all.every()) != 1 || all.enter(topic) != a {
		t.Error("the first one of two has gone, and the topic ends")
	}
	all.leave(a)
	all.leave(a)
	if !ended(a) || len(all.every()) != 0 {
		t.Error("the last one has gone, and the topic goes on")
	}
	next := all.enter(topic)
	if next == a || ended(next) {
		t.Error("the next one is in what has ended")
	}
	all.leave(next)
}
