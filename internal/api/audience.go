package api

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"trey/internal/house"
	"trey/internal/house/journal"
)

// broadcasters holds one broadcaster per topic.
type broadcasters struct {
	door *server

	mu  sync.Mutex
	all map[house.Topic]*broadcaster
}

// An broadcaster sends the notices of one topic to its subscribers from a single goroutine.
// A subscriber has a goroutine of its own only while it is behind: thousands may be idle.
type broadcaster struct {
	door     *server
	topic    house.Topic
	follower *house.Subscription
	// empty is closed when the last subscriber has gone.
	empty chan struct{}
	// signedOut is closed when the next session or token ends. It is from before the first
	// subscriber joined, so that none is missed.
	signedOut <-chan struct{}
	// entered is the number of subscribers that have not gone yet, guarded by audiences.
	entered int

	mu sync.Mutex
	// readers are the subscribers that receive notices.
	readers map[*subscriber]struct{}
	// ended reports that no more notices will be sent, and why holds the reason.
	ended bool
	why   error
}

// subscriber is one subscriber of a topic.
type subscriber struct {
	audience *broadcaster
	call     *call
	form     noticeEncoder
	conn     net.Conn
	raw      syscall.RawConn // nil where the connection has none
	// last is the number of the last notice sent, or seen before the subscription began.
	// The broadcaster's lock guards it, busy and gone.
	last int64
	// busy reports that something was sent since the last heartbeat.
	busy bool
	gone bool

	mu sync.Mutex
	// behind is the backlog that the connection did not take yet, and waiting the number
	// of its messages. A goroutine writes it.
	behind  net.Buffers
	waiting int
	writing bool
}

// enter returns the broadcaster of a topic and counts one more subscriber. Each subscriber must
// end.
func (all *broadcasters) enter(topic house.Topic) *broadcaster {
	all.mu.Lock()
	defer all.mu.Unlock()
	a := all.all[topic]
	if a == nil {
		a = &broadcaster{
			door: all.door, topic: topic, follower: all.door.House.Subscribe(topic, noticesBehind),
			empty: make(chan struct{}), signedOut: all.door.Identity.Ended(), readers: map[*subscriber]struct{}{},
		}
		all.all[topic] = a
		go a.run()
	}
	a.entered++
	return a
}

// noticesBehind bounds the transactions by which a broadcaster may fall behind. It waits for no
// subscriber, so it falls behind only if the machine is overloaded.
const noticesBehind = 4096

func (all *broadcasters) leave(a *broadcaster) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if a.entered--; a.entered == 0 {
		all.forget(a)
		close(a.empty)
	}
}

// forget removes the broadcaster, so that the next subscriber begins a new one. all.mu must be
// held.
func (all *broadcasters) forget(a *broadcaster) {
	if all.all[a.topic] == a {
		delete(all.all, a.topic)
	}
}

// look ends the streams of one person whose peers have closed the connection, and returns
// their number. Those of other persons are found with the next heartbeat.
func (all *broadcasters) look(person string) (left int) {
	for _, a := range all.every() {
		left += a.endAll(func(s *subscriber) (bool, error) { return s.call.person.Name == person && peerClosed(s.raw), nil })
	}
	return left
}

// every returns the audiences of all topics.
func (all *broadcasters) every() []*broadcaster {
	all.mu.Lock()
	defer all.mu.Unlock()
	return slices.Collect(maps.Values(all.all))
}

// coalesceInterval is the minimum time between two writes to the subscribers of a topic; notices
// in between share one write. People do not notice the delay, and a notice after a pause
// is not delayed.
const coalesceInterval = 20 * time.Millisecond

// hangupChecks is the number of checks for closed connections within a heartbeat.
const hangupChecks = 3

// run sends notices to the subscribers until the last one has gone.
func (a *broadcaster) run() {
	defer a.follower.Close()
	defer func() {
		if fault := recover(); fault != nil {
			a.door.Log.LogAttrs(context.Background(), slog.LevelError, "the streams of a topic broke", slog.String("table", a.topic.Table), slog.String("jackpot", a.topic.Jackpot), slog.String("stack", journal.Stack()))
			a.close(errBroken)
		}
	}()
	beats := time.NewTicker(a.door.Limits.Heartbeat / hangupChecks)
	defer beats.Stop()
	var sent time.Time
	for beat := 1; ; {
		select {
		case <-a.empty:
			return
		case <-a.signedOut:
			a.signedOut = a.door.Identity.Ended() // before the check, so that none is missed
			a.dismiss()
			continue
		case <-a.door.Closing:
			a.tell()
			a.close(errClosing)
			return
		case <-beats.C:
			a.look()
			if beat++; beat%hangupChecks == 0 {
				a.beat()
			}
			continue
		case <-a.follower.Ready():
		}
		if wait := coalesceInterval - time.Since(sent); wait > 0 {
			select {
			case <-time.After(wait):
			case <-a.door.Closing:
			}
		}
		if !a.tell() {
			a.close(a.follower.Err())
			return
		}
		sent = time.Now() //nolint:forbidigo // the connections' clock
	}
}

// tell sends all pending notices to the subscribers, and ends the streams of persons who are no
// longer signed in. It reports whether more may follow.
func (a *broadcaster) tell() (open bool) {
	var news []*house.Notice
	for {
		n, more := a.follower.Next()
		if open = more; n == nil {
			break
		}
		news = append(news, n)
	}
	if len(news) == 0 {
		return open
	}
	texts := map[noticeEncoder]*encodedNotices{}
	a.endAll(func(s *subscriber) (bool, error) {
		if !s.still() {
			return true, errSignedOut
		}
		t := texts[s.form]
		if t == nil {
			t = newText(s.form, news)
			texts[s.form] = t
		}
		err := s.tell(t)
		return err != nil, err
	})
	return open
}

// encodedNotices holds some notices encoded in one form, one message after the other. It is not
// changed after it was sent, because slow connections still refer to it.
type encodedNotices struct {
	bytes    bytes.Buffer
	messages []messageEnd
	// err is the error of the encoding.
	err error
}

// messageEnd marks the end of the message of a notice.
type messageEnd struct {
	seq int64
	at  int
}

func newText(in noticeEncoder, news []*house.Notice) *encodedNotices {
	t := &encodedNotices{}
	for _, n := range news {
		t.add(in, n)
	}
	return t
}

func (t *encodedNotices) add(in noticeEncoder, n *house.Notice) {
	before := t.bytes.Len()
	if err := in.write(&t.bytes, n); err != nil {
		t.err = fmt.Errorf("%w: %w", errBroken, err)
	}
	if t.bytes.Len() > before {
		t.messages = append(t.messages, messageEnd{n.Seq, t.bytes.Len()})
	}
}

// beat sends a heartbeat to idle subscribers, and ends the streams of persons who are no
// longer signed in.
func (a *broadcaster) beat() {
	a.endAll(func(s *subscriber) (bool, error) {
		if !s.still() {
			return true, errSignedOut
		}
		if s.busy {
			s.busy = false
			return false, nil
		}
		err := s.send([]byte(": alive\n\n"), 1)
		s.busy = false
		return err != nil, err
	})
}

// dismiss ends the streams of sessions and tokens that have ended.
func (a *broadcaster) dismiss() {
	a.endAll(func(s *subscriber) (bool, error) { return !s.still(), errSignedOut })
}

// look ends the streams whose peers have closed the connection.
func (a *broadcaster) look() {
	a.endAll(func(s *subscriber) (bool, error) { return peerClosed(s.raw), nil })
}

// close ends all streams, and those that have entered and come later.
func (a *broadcaster) close(why error) {
	a.door.audiences.mu.Lock()
	a.door.audiences.forget(a)
	a.door.audiences.mu.Unlock()
	a.mu.Lock()
	a.ended, a.why = true, why
	a.mu.Unlock()
	a.endAll(func(*subscriber) (bool, error) { return true, why })
}

// endAll ends each stream for which done reports true, and returns the number ended.
func (a *broadcaster) endAll(done func(*subscriber) (over bool, why error)) (ended int) {
	over := a.over(done)
	for s, why := range over {
		s.end(why)
	}
	return len(over)
}

func (a *broadcaster) over(done func(*subscriber) (over bool, why error)) map[*subscriber]error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all map[*subscriber]error
	for s := range a.readers {
		if over, why := done(s); over {
			if all == nil {
				all = map[*subscriber]error{}
			}
			all[s] = why
		}
	}
	return all
}

// join begins a stream without a gap or a repetition: with a snapshot of its topic or, if
// standing is nil, with the notices that the subscriber has missed.
func (s *subscriber) join(ctx context.Context, standing func(from int64) (upTo int64, first any, err error)) error {
	follow := func() *house.Subscription {
		return s.audience.door.House.Subscribe(s.audience.topic, s.audience.door.Limits.StreamBuffer)
	}
	if standing == nil {
		// Once before following, so that a long past does not fill the buffer.
		before := follow()
		before.Close()
		if err := s.past(ctx); err != nil {
			return err
		}
		follower := follow()
		defer follower.Close()
		if follower.From() != before.From() { // else the past ended where the subscription begins
			if err := s.past(ctx); err != nil {
				return err
			}
		}
		return s.in(func() error {
			// The broadcaster receives the notices from here on as well. It began before and
			// cannot send until this is over.
			follower.Close()
			var meanwhile []*house.Notice
			for n, _ := follower.Next(); n != nil; n, _ = follower.Next() {
				meanwhile = append(meanwhile, n)
			}
			return errors.Join(s.tell(newText(s.form, meanwhile)), follower.Err())
		})
	}
	return s.in(func() error {
		// Everything that the broadcaster has received is before this. The snapshot may contain
		// the next notices already, but none of them has been sent.
		now := follow()
		now.Close()
		upTo, first, err := standing(now.From())
		if err != nil {
			return err
		}
		var out bytes.Buffer
		if err := writeMessage(&out, upTo, "standing", first); err != nil {
			return err
		}
		s.last = upTo
		return s.send(out.Bytes(), 1)
	})
}

// in adds a stream to the subscribers, after before has sent it the earlier messages.
func (s *subscriber) in(before func() error) error {
	a := s.audience
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended {
		return a.why
	}
	if !s.still() {
		return errSignedOut // it has ended since the request came
	}
	if err := before(); err != nil {
		return err
	}
	a.readers[s] = struct{}{}
	return nil
}

// atOnce is the least number of bytes of a write if more will follow.
const atOnce = 16 << 10

// past sends the notices recorded since the last message, and waits for the connection. It
// reads in turns with the others, and gives its turn back while the connection takes the data.
// A slow subscriber thus delays nobody.
func (s *subscriber) past(ctx context.Context) error {
	giveBack, err := s.turn(ctx)
	if err != nil {
		return err
	}
	defer func() { giveBack() }()
	t := &encodedNotices{}
	write := func() error {
		if t.err != nil || t.bytes.Len() == 0 {
			return t.err
		}
		buffers := net.Buffers{t.bytes.Bytes()}
		t = &encodedNotices{}
		giveBack()
		giveBack = func() {}
		return s.write(buffers)
	}
	err = s.audience.door.House.EventsSince(ctx, s.audience.topic, s.last, func(n *house.Notice) error {
		s.last = n.Seq
		if t.add(s.form, n); t.err == nil && t.bytes.Len() < atOnce {
			return nil
		}
		if err := write(); err != nil {
			return err
		}
		next, err := s.turn(ctx)
		if err == nil {
			giveBack = next
		}
		return err
	})
	if err != nil {
		return err
	}
	return write()
}

// turn waits for a turn to read the past, and returns what gives it back. It is not for a
// subscriber who has left or signed out meanwhile: the broadcaster ends only those who have
// joined.
func (s *subscriber) turn(ctx context.Context) (giveBack func(), err error) {
	door := s.audience.door
	giveBack = door.turns.Take(ctx, door.Closing, s.call.person.Name)
	switch {
	case giveBack == nil:
		return nil, cmp.Or(ctx.Err(), errClosing)
	case peerClosed(s.raw):
		giveBack()
		return nil, net.ErrClosed
	case !s.still():
		giveBack()
		return nil, errSignedOut
	}
	return giveBack, nil
}

// tell sends the messages that the subscriber has not seen.
func (s *subscriber) tell(t *encodedNotices) error {
	if t.err != nil {
		return t.err
	}
	from, seen := 0, 0
	for _, m := range t.messages {
		if m.seq > s.last {
			break
		}
		from, seen = m.at, seen+1
	}
	if seen == len(t.messages) {
		return nil
	}
	s.last = t.messages[len(t.messages)-1].seq
	return s.send(t.bytes.Bytes()[from:], len(t.messages)-seen)
}

// send sends messages without waiting: a goroutine writes what the connection does not
// take at once. An error means that the peer has gone, or that the subscriber is too far
// behind.
func (s *subscriber) send(p []byte, messages int) error {
	s.busy = true
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.writing {
		n, err := writeAtOnce(s.raw, p)
		if err != nil || n == len(p) {
			return err
		}
		s.writing = true
		p = p[n:]
		go s.catchUp()
	}
	if s.waiting += messages; s.waiting > s.audience.door.Limits.StreamBuffer {
		return house.ErrSubscriberSlow
	}
	s.behind = append(s.behind, p)
	return nil
}

// catchUp writes the backlog.
func (s *subscriber) catchUp() {
	for {
		s.mu.Lock()
		p := s.behind
		s.behind, s.waiting = nil, 0
		s.writing = len(p) > 0
		s.mu.Unlock()
		if len(p) == 0 {
			return
		}
		if err := s.write(p); err != nil {
			s.end(err)
			return
		}
	}
}

// write writes and waits for the reader, but not for long.
func (s *subscriber) write(p net.Buffers) error {
	if err := s.conn.SetWriteDeadline(time.Now().Add(s.audience.door.Limits.WriteTimeout)); err != nil { //nolint:forbidigo // the connection's clock
		return err
	}
	if _, err := p.WriteTo(s.conn); err != nil {
		return err
	}
	return s.conn.SetWriteDeadline(time.Time{})
}

// end ends a stream, once, and counts why where it was not the reader who went.
func (s *subscriber) end(why error) {
	a := s.audience
	a.mu.Lock()
	was := s.gone
	s.gone = true
	delete(a.readers, s)
	a.mu.Unlock()
	if was {
		return
	}
	if cut := disconnectReason(why); cut != "" {
		a.door.metrics.cut.WithLabelValues(cut).Inc() // before it is gone: whoever sees that asks why
	}
	_ = s.conn.Close() // nothing is lost with it
	a.door.streams.leave(s.call.person.Name)
	a.door.audiences.leave(a)
}

// rawOf returns the connection of the operating system, nil if there is none.
func rawOf(conn net.Conn) syscall.RawConn {
	if system, ok := conn.(syscall.Conn); ok {
		if raw, err := system.SyscallConn(); err == nil {
			return raw
		}
	}
	return nil
}

// still reports whether whoever follows is still let in.
func (s *subscriber) still() bool {
	var err error
	if s.call.machine != "" {
		_, err = s.audience.door.Identity.Machine(s.call.machine)
	} else {
		_, err = s.audience.door.Identity.Peek(s.call.session)
	}
	return err == nil
}

var (
	// errSignedOut ends the streams of a session that has ended.
	errSignedOut = errors.New("signed out")
	// errClosing ends all streams when the house closes.
	errClosing = errors.New("closing")
	// errBroken ends the streams of a topic if a notice could not be encoded.
	errBroken = errors.New("broken")
)

// disconnectReason returns the reason for disconnecting a stream, empty if its peer has gone or all
// streams end.
func disconnectReason(err error) string {
	switch {
	case errors.Is(err, errSignedOut):
		return "signed-out"
	case errors.Is(err, house.ErrSubscriberSlow), errors.Is(err, os.ErrDeadlineExceeded):
		return "slow"
	case errors.Is(err, house.ErrStopped):
		return "stopped"
	case errors.Is(err, errBroken):
		return "broken"
	}
	return ""
}
