package live

import (
	"context"
	"errors"
	"time"
)

// Shared is a feed for many readers who see the same, or one of a few: somebody
// else follows the house for them, and their frames are drawn once.
type Shared struct {
	// Current returns what the reader sees now, and what is closed when that may have
	// changed. Its error ends the stream, and the page comes back.
	Current func() (now Drawing, moved <-chan struct{}, err error)
	// Own receives a value when what nobody but the reader sees may have changed; nil if
	// nothing of that kind is announced.
	Own <-chan struct{}
	// Still reports whether the reader is still signed in; it is called before anything is
	// shown, and now and then. It is nil if no sign-in is needed.
	Still func() bool
	// NowMs is the house's clock; nil for a page that shows no time.
	NowMs func() int64
}

// beat is the interval of heartbeats to an idle page, and of checks that its reader is
// still signed in.
const beat = 15 * time.Second

var errOver = errors.New("the subject of this page has ended")

func (s Shared) begin() (openFeed, error) {
	return &sharing{Shared: s, beats: time.NewTicker(beat)}, nil
}

type sharing struct {
	Shared
	moved <-chan struct{}
	beats *time.Ticker
}

func (s *sharing) end() { s.beats.Stop() }

func (s *sharing) nowMs() int64 {
	if s.NowMs == nil {
		return 0
	}
	return s.NowMs()
}

func (s *sharing) draw() (now Drawing, err error) {
	now, s.moved, err = s.Current()
	return now, err
}

func (s *sharing) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.moved:
	case <-s.Own:
	case <-s.beats.C:
	}
	if s.Still != nil && !s.Still() {
		return errOver
	}
	return nil
}
