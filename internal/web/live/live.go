// Package live keeps parts of a page as they are in the house: the server draws
// them anew when something has happened and sends those that have changed.
//
// A part is the content of an element with its id. The page is made with the same parts, by
// [Place] or by a [Drawing]; its module parts.js puts those that come later in their places.
// Every part carries a hash of its content, and a page that reconnects sends the hashes it has.
// It receives the missing parts, also from a house that was started again meanwhile. What a
// reader may not know never becomes a part.
package live

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"trey/internal/house"
	"trey/internal/house/journal"
	"trey/internal/web/site"
)

//go:embed *.js *.css
var Files embed.FS

// errBroken ends what is drawn for many readers where drawing it failed: they come back, and it is
// begun anew.
var errBroken = errors.New("the page could not be drawn: the fault is ours, and the log of the house has it")

// Recover, when deferred, recovers from a panic where something is drawn for many readers,
// beside their requests. A fault of ours there becomes an error, and goes to the log with where
// it happened: the rounds of the house go on.
func Recover(log *slog.Logger, err *error) {
	if fault := recover(); fault != nil {
		log.Error("what pages show broke", "stack", journal.Stack())
		*err = errBroken
	}
}

// Feed notifies a live page of changes: a [Source] or a [Shared].
type Feed interface {
	begin() (openFeed, error)
}

// openFeed is a feed with a page is open.
type openFeed interface {
	// draw draws what the reader sees now. Who may not see it any more gets an
	// error.
	draw() (Drawing, error)
	// wait returns when it may be something else, or nobody has said anything for a
	// while. An error ends the stream.
	wait(ctx context.Context) error
	nowMs() int64
	end()
}

// Follow sends the parts until the reader goes, or may not see them any more.
func Follow(v *site.Visit, feed Feed) error {
	from, err := feed.begin()
	if err != nil {
		return err
	}
	defer from.end()
	now, err := from.draw()
	if err != nil {
		return err
	}
	stream, err := v.Stream()
	if err != nil {
		return err
	}
	defer stream.Close()
	has := v.Request.URL.Query().Get("has")
	var was Drawing
	var out bytes.Buffer
	for {
		out.Reset()
		for i, f := range now {
			have := has
			if i < len(was) {
				have = was[i].marks
			}
			if news := f.missingParts(have); len(news) > 0 {
				if out.Len() > 0 {
					out.WriteByte(',')
				}
				out.Write(news)
			}
		}
		if out.Len() > 0 || was == nil { // the first one says which program it is, and what time
			err = stream.Send("parts", message(v.Stamp(), from.nowMs(), out.Bytes()))
		} else {
			err = stream.Alive()
		}
		if err != nil {
			return nil //nolint:nilerr // the reader has gone
		}
		was = now
		if err := from.wait(v.Context()); err != nil {
			return nil //nolint:nilerr // the page comes back by itself, if there is something to come back to
		}
		if now, err = from.draw(); err != nil {
			return err
		}
	}
}

// message returns a message to a page: the program it comes from, the time in the house, zero
// if the page shows none, and parts.
func message(program string, nowMs int64, parts []byte) []byte {
	text := append(make([]byte, 0, len(parts)+80), `{"program":"`...)
	text = append(text, program...)
	text = append(text, `","now":`...)
	text = strconv.AppendInt(text, nowMs, 10)
	text = append(text, `,"parts":{`...)
	text = append(text, parts...)
	return append(text, "}}"...)
}

// Source is a feed for one reader, from what happens in a house.
type Source struct {
	House *house.House
	// Topic is the subject of the page.
	Topic house.Topic
	// Parts draws the page anew. Who may not see it any more gets an error.
	Parts func() ([]Part, error)
	// OnNotice receives every notice before the parts are drawn; it may be nil.
	OnNotice func(*house.Notice)
	// PauseMs is the least time from one drawing to the next.
	PauseMs int64
	// Moved returns what is closed when the parts may be others by something that is no
	// event of the topic; nil if nothing of that kind is announced.
	Moved func() <-chan struct{}
}

// quiet bounds the time without drawing while no event arrives: the page is then drawn
// all the same, for changes that are no event of the topic.
const quiet = 5 * time.Second

func (s Source) begin() (openFeed, error) {
	return &sourced{Source: s, notices: s.House.Subscribe(s.Topic, 1024), quiet: time.NewTicker(quiet)}, nil
}

type sourced struct {
	Source
	notices *house.Subscription
	quiet   *time.Ticker
	moved   <-chan struct{}
}

func (s *sourced) end() {
	s.notices.Close()
	s.quiet.Stop()
}

func (*sourced) nowMs() int64 { return 0 }

func (s *sourced) draw() (Drawing, error) {
	if s.Moved != nil {
		s.moved = s.Moved() // before the parts, so that nothing is missed
	}
	parts, err := s.Parts()
	if err != nil {
		return nil, err
	}
	f, err := Draw(parts)
	return Drawing{f}, err
}

func (s *sourced) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.quiet.C:
		return nil
	case <-s.moved:
		return nil
	case <-s.notices.Ready():
	}
	// What comes at once is drawn at once.
	time.Sleep(time.Duration(max(s.PauseMs, 10)) * time.Millisecond)
	for {
		n, open := s.notices.Next()
		switch {
		case !open:
			return s.over()
		case n == nil:
			return nil
		case s.OnNotice != nil:
			s.OnNotice(n)
		}
	}
}

func (s *sourced) over() error {
	if err := s.notices.Err(); err != nil {
		return err
	}
	return errOver
}
