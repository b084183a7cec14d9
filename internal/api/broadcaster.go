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
	server *server

	mu  sync.Mutex
	all map[house.Topic]*broadcaster
}

// A broadcaster sends the notices of one topic to its subscribers from a single goroutine.
// A subscriber has a goroutine of its own only while it is behind: thousands may be idle.
type broadcaster struct {
	server       *server
	topic        house.Topic
	subscription *house.Subscription
	// empty is closed when the last subscriber has gone.
	empty chan struct{}
	// signedOut is closed when the next session or token ends. It is from before the first
	// subscriber joined, so that none is missed.
	signedOut <-chan struct{}
	// entered is the number of subscribers that have not gone yet, guarded by broadcasters.mu.
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
	broadcaster *broadcaster
	call        *call
	encoder     noticeEncoder
	conn        net.Conn
	raw         syscall.RawConn // nil where the connection has none
	// last is the number of the last notice sent, or seen before the subscription began.
	// The broadcaster's lock guards it, busy and gone.
	last int64
	// busy reports that something was sent since the last heartbeat.
	busy bool
	gone bool

	mu sync.Mutex
	// backlog holds what the connection did not take yet, and waiting is the number
	// of its messages. A goroutine writes it.
	backlog net.Buffers
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
			server: all.server, topic: topic, subscription: all.server.House.Subscribe(topic, noticesBehind),
			empty: make(chan struct{}), signedOut: all.server.Identity.Ended(), readers: map[*subscriber]struct{}{},
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
		all.remove(a)
		close(a.empty)
	}
}

// remove removes the broadcaster, so that the next subscriber begins a new one. all.mu must be
// held.
func (all *broadcasters) remove(a *broadcaster) {
	if all.all[a.topic] == a {
		delete(all.all, a.topic)
	}
}

// endClosed ends the streams of one person whose peers have closed the connection, and returns
// their number. Those of other persons are found with the next heartbeat.
func (all *broadcasters) endClosed(person string) (left int) {
	for _, a := range all.every() {
		left += a.closeWhere(func(s *subscriber) (bool, error) { return s.call.person.Name == person && peerClosed(s.raw), nil })
	}
	return left
}

// every returns the broadcasters of all topics.
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
	defer a.subscription.Close()
	defer func() {
		if fault := recover(); fault != nil {
			a.server.Log.LogAttrs(context.Background(), slog.LevelError, "the streams of a topic broke", slog.String("table", a.topic.Table), slog.String("jackpot", a.topic.Jackpot), slog.String("stack", journal.Stack()))
			a.close(errBroken)
		}
	}()
	beats := time.NewTicker(a.server.Limits.Heartbeat / hangupChecks)
	defer beats.Stop()
	var sent time.Time
	for beat := 1; ; {
		select {
		case <-a.empty:
			return
		case <-a.signedOut:
			a.signedOut = a.server.Identity.Ended() // before the check, so that none is missed
			a.endSignedOut()
			continue
		case <-a.server.Closing:
			a.sendPending()
			a.close(errClosing)
			return
		case <-beats.C:
			a.endClosed()
			if beat++; beat%hangupChecks == 0 {
				a.sendHeartbeat()
			}
			continue
		case <-a.subscription.Ready():
		}
		if wait := coalesceInterval - time.Since(sent); wait > 0 {
			select {
			case <-time.After(wait):
			case <-a.server.Closing:
			}
		}
		if !a.sendPending() {
			a.close(a.subscription.Err())
			return
		}
		sent = time.Now() //nolint:forbidigo // the connections' clock
	}
}

// sendPending sends all pending notices to the subscribers, and ends the streams of persons
// who are no longer signed in. It reports whether more may follow.
func (a *broadcaster) sendPending() (open bool) {
	var notices []*house.Notice
	for {
		n, more := a.subscription.Next()
		if open = more; n == nil {
			break
		}
		notices = append(notices, n)
	}
	if len(notices) == 0 {
		return open
	}
	encoded := map[noticeEncoder]*encodedNotices{}
	a.closeWhere(func(s *subscriber) (bool, error) {
		if !s.signedIn() {
			return true, errSignedOut
		}
		t := encoded[s.encoder]
		if t == nil {
			t = encodeNotices(s.encoder, notices)
			encoded[s.encoder] = t
		}
		err := s.sendUnseen(t)
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

func encodeNotices(in noticeEncoder, notices []*house.Notice) *encodedNotices {
	t := &encodedNotices{}
	for _, n := range notices {
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

// sendHeartbeat sends a heartbeat to idle subscribers, and ends the streams of persons who
// are no longer signed in.
func (a *broadcaster) sendHeartbeat() {
	a.closeWhere(func(s *subscriber) (bool, error) {
		if !s.signedIn() {
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

// endSignedOut ends the streams of sessions and tokens that have ended.
func (a *broadcaster) endSignedOut() {
	a.closeWhere(func(s *subscriber) (bool, error) { return !s.signedIn(), errSignedOut })
}

// endClosed ends the streams whose peers have closed the connection.
func (a *broadcaster) endClosed() {
	a.closeWhere(func(s *subscriber) (bool, error) { return peerClosed(s.raw), nil })
}

// close ends all streams, and those that have entered and come later.
func (a *broadcaster) close(why error) {
	a.server.broadcasters.mu.Lock()
	a.server.broadcasters.remove(a)
	a.server.broadcasters.mu.Unlock()
	a.mu.Lock()
	a.ended, a.why = true, why
	a.mu.Unlock()
	a.closeWhere(func(*subscriber) (bool, error) { return true, why })
}

// closeWhere closes each stream for which done reports true, and returns the number closed.
func (a *broadcaster) closeWhere(done func(*subscriber) (matches bool, why error)) (closed int) {
	matching := a.matching(done)
	for s, why := range matching {
		s.end(why)
	}
	return len(matching)
}

func (a *broadcaster) matching(done func(*subscriber) (matches bool, why error)) map[*subscriber]error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all map[*subscriber]error
	for s := range a.readers {
		if matches, why := done(s); matches {
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
		return s.broadcaster.server.House.Subscribe(s.broadcaster.topic, s.broadcaster.server.Limits.StreamBuffer)
	}
	// published returns the number of the last transaction that has been published.
	published := func() int64 {
		subscription := follow()
		defer subscription.Close()
		return subscription.From()
	}
	if standing == nil {
		// Once before following, so that a long past does not fill the buffer.
		before := published()
		if err := s.sendMissed(ctx); err != nil {
			return err
		}
		subscription := follow()
		defer subscription.Close()
		if subscription.From() != before { // else the past ended where the subscription begins
			if err := s.sendMissed(ctx); err != nil {
				return err
			}
		}
		return s.add(func() error {
			// The broadcaster receives the notices from here on as well. It began before and
			// cannot send until this is over.
			subscription.Close()
			var meanwhile []*house.Notice
			for n, _ := subscription.Next(); n != nil; n, _ = subscription.Next() {
				meanwhile = append(meanwhile, n)
			}
			return errors.Join(s.sendUnseen(encodeNotices(s.encoder, meanwhile)), subscription.Err())
		})
	}
	return s.add(func() error {
		// Everything that the broadcaster has received is before this. The snapshot may contain
		// the next notices already, but none of them has been sent.
		upTo, first, err := standing(published())
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

// add adds a stream to the subscribers, after before has sent it the earlier messages.
func (s *subscriber) add(before func() error) error {
	a := s.broadcaster
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended {
		return a.why
	}
	if !s.signedIn() {
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

// sendMissed sends the notices recorded since the last message, and waits for the connection. It
// reads in turns with the others, and gives its turn back while the connection takes the data.
// A slow subscriber thus delays nobody.
func (s *subscriber) sendMissed(ctx context.Context) error {
	giveBack, err := s.takeTurn(ctx)
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
	err = s.broadcaster.server.House.EventsSince(ctx, s.broadcaster.topic, s.last, func(n *house.Notice) error {
		s.last = n.Seq
		if t.add(s.encoder, n); t.err == nil && t.bytes.Len() < atOnce {
			return nil
		}
		if err := write(); err != nil {
			return err
		}
		next, err := s.takeTurn(ctx)
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

// takeTurn waits for a turn to read the past, and returns a function that gives it back. It
// fails if the subscriber has left or signed out meanwhile: the broadcaster ends only those
// who have
// joined.
func (s *subscriber) takeTurn(ctx context.Context) (giveBack func(), err error) {
	srv := s.broadcaster.server
	giveBack = srv.turns.Take(ctx, srv.Closing, s.call.person.Name)
	switch {
	case giveBack == nil:
		return nil, cmp.Or(ctx.Err(), errClosing)
	case peerClosed(s.raw):
		giveBack()
		return nil, net.ErrClosed
	case !s.signedIn():
		giveBack()
		return nil, errSignedOut
	}
	return giveBack, nil
}

// sendUnseen sends the messages that the subscriber has not seen.
func (s *subscriber) sendUnseen(t *encodedNotices) error {
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
	if s.waiting += messages; s.waiting > s.broadcaster.server.Limits.StreamBuffer {
		return house.ErrSubscriberSlow
	}
	s.backlog = append(s.backlog, p)
	return nil
}

// catchUp writes the backlog.
func (s *subscriber) catchUp() {
	for {
		s.mu.Lock()
		p := s.backlog
		s.backlog, s.waiting = nil, 0
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
	if err := s.conn.SetWriteDeadline(time.Now().Add(s.broadcaster.server.Limits.WriteTimeout)); err != nil { //nolint:forbidigo // the connection's clock
		return err
	}
	if _, err := p.WriteTo(s.conn); err != nil {
		return err
	}
	return s.conn.SetWriteDeadline(time.Time{})
}

// end ends a stream, once, and counts why where it was not the reader who went.
func (s *subscriber) end(why error) {
	a := s.broadcaster
	a.mu.Lock()
	was := s.gone
	s.gone = true
	delete(a.readers, s)
	a.mu.Unlock()
	if was {
		return
	}
	if cut := disconnectReason(why); cut != "" {
		a.server.metrics.cut.WithLabelValues(cut).Inc() // before it is gone: whoever sees that asks why
	}
	_ = s.conn.Close() // nothing is lost with it
	a.server.streams.leave(s.call.person.Name)
	a.server.broadcasters.leave(a)
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

// signedIn reports whether the session or token of the subscriber is still valid.
func (s *subscriber) signedIn() bool {
	var err error
	if s.call.machine != "" {
		_, err = s.broadcaster.server.Identity.Machine(s.call.machine)
	} else {
		_, err = s.broadcaster.server.Identity.Peek(s.call.session)
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
