package tables

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a-h/templ"

	"trey/internal/house/identity"
	"trey/internal/web/lang"
	"trey/internal/web/site"
)

// part is a piece of the page that is replaced as a whole, by its id.
type part struct {
	id   string
	html string
}

// class is who sees the same of a table.
type class struct {
	language lang.Language
	trainer  bool
	// player is empty for all who only look on.
	player string
}

func (r *reader) class() class {
	c := class{language: r.Language, trainer: r.trainer}
	if r.plays() {
		c.player = r.who.Name
	}
	return c
}

// frames are the parts of a page that were rendered already, by who sees them.
type frames struct {
	mu  *sync.Mutex
	all map[class]*frame
}

type frame struct {
	once  sync.Once
	parts []part
	err   error
	// number tells frames apart. A frame knows others by it alone, so that none is
	// kept that nobody looks at any more.
	number int64
	mu     sync.Mutex
	news   map[int64][]part // what is not as it was in another frame
}

var frameNumbers atomic.Int64

func newFrames() frames { return frames{&sync.Mutex{}, map[class]*frame{}} }

// of returns the frame of a class, rendered by whoever asks first.
func (f *frames) of(c class, render func() ([]part, error)) *frame {
	f.mu.Lock()
	at := f.all[c]
	if at == nil {
		at = &frame{number: frameNumbers.Add(1)}
		f.all[c] = at
	}
	f.mu.Unlock()
	at.once.Do(func() { at.parts, at.err = render() })
	return at
}

// since lists what is not as it was in another frame.
func (f *frame) since(was *frame) []part {
	if was == nil {
		return f.parts
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	news, ok := f.news[was.number]
	if ok {
		return news
	}
	before := make(map[string]string, len(was.parts))
	for _, p := range was.parts {
		before[p.id] = p.html
	}
	news = []part{}
	for _, p := range f.parts {
		if html, ok := before[p.id]; !ok || html != p.html {
			news = append(news, p)
		}
	}
	f.news = map[int64][]part{was.number: news} // nearly all come from the same one
	return news
}

// named is a component with the id of its place.
type named struct {
	id   string
	body templ.Component
}

func render(all []named) ([]part, error) {
	parts := make([]part, 0, len(all))
	var out bytes.Buffer
	for _, n := range all {
		out.Reset()
		if err := n.body.Render(context.Background(), &out); err != nil {
			return nil, err
		}
		parts = append(parts, part{n.id, out.String()})
	}
	return parts, nil
}

// shown are the frames that make up a page: of the table and of its clock.
type shown struct{ table, clock *frame }

func (h *hall) frames(s *stage, now *moment, at *clock, r *reader) (shown, error) {
	var f shown
	f.table = now.pages.of(r.class(), func() ([]part, error) { return render(partsOf(h, s, now, r)) })
	f.clock = at.pages.of(r.class(), func() ([]part, error) { return render([]named{{"clock", clockPart(r, now, at)}}) })
	return f, errors.Join(f.table.err, f.clock.err)
}

// parts renders all parts of a page.
func (h *hall) parts(v *site.Visit, s *stage, now *moment, at *clock, r *reader) (map[string]string, error) {
	f, err := h.frames(s, now, at, r)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, p := range append(append([]part{}, f.table.parts...), f.clock.parts...) {
		all[p.id] = p.html
	}
	if session, ok := h.Desk.Watching(v); ok && r.plays() {
		if all["purse"], err = h.pursePart(v.Context(), r, now, &session); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (h *hall) pursePart(ctx context.Context, r *reader, now *moment, session *identity.Session) (string, error) {
	down := now.state.OnLayout()
	if down != 0 {
		down = 0
		for _, s := range onLayout(&now.state, r.who.Name) {
			down += s.amount
		}
	}
	p, err := h.purse(ctx, session, down)
	if err != nil {
		return "", err
	}
	parts, err := render([]named{{"purse", pursePart(r, &p)}})
	if err != nil {
		return "", err
	}
	return parts[0].html, nil
}

// message is what a page is sent.
type message struct {
	NowMs int64             `json:"now"`
	Stamp string            `json:"stamp"`
	Parts map[string]string `json:"parts"`
}

// mostStreams bounds the pages that are open at once, and beat is how often an
// idle one is told that the house is there.
const (
	mostStreams = 10_000
	beat        = 15 * time.Second
)

// live sends what changes, for as long as the page is open. It begins with all
// parts, whatever the page has: nothing that happened meanwhile is missing.
func (h *hall) live(v *site.Visit) error {
	if err := h.Desk.MayLook(v); err != nil {
		return err
	}
	h.mu.Lock()
	full := h.streams >= mostStreams
	if !full {
		h.streams++
	}
	h.mu.Unlock()
	if full {
		return &site.Problem{Status: http.StatusServiceUnavailable, Text: v.T("tables.full")}
	}
	defer func() {
		h.mu.Lock()
		h.streams--
		h.mu.Unlock()
	}()
	stage, release, err := h.stage(v.Context(), v.Request.PathValue("table"))
	if err != nil {
		return found(v, err)
	}
	defer release()
	stream, err := v.Stream()
	if err != nil {
		return err
	}
	r := h.reader(v)
	session, known := h.Desk.Watching(v)
	var was shown
	var purse string
	beats := time.NewTicker(beat)
	defer beats.Stop()
	for {
		now, at, moved, err := stage.look()
		if err != nil {
			return nil //nolint:nilerr // the page comes back by itself, to a stage that is set up anew
		}
		f, err := h.frames(stage, now, at, &r)
		if err != nil {
			return err
		}
		out := message{NowMs: h.NowMs(), Stamp: v.Stamp(), Parts: map[string]string{}}
		for _, p := range f.table.since(was.table) {
			out.Parts[p.id] = p.html
		}
		for _, p := range f.clock.since(was.clock) {
			out.Parts[p.id] = p.html
		}
		if known && r.plays() && f.table != was.table {
			is, err := h.pursePart(v.Context(), &r, now, &session)
			if err != nil {
				return err
			}
			if is != purse {
				out.Parts["purse"], purse = is, is
			}
		}
		was = f
		if len(out.Parts) > 0 {
			text, err := json.Marshal(&out)
			if err != nil {
				return err
			}
			if err := stream.Send(now.seq, "parts", text); err != nil {
				return nil //nolint:nilerr // he has gone
			}
		}
		select {
		case <-v.Context().Done():
			return nil
		case <-moved:
		case <-beats.C:
			if _, ok := h.Desk.Watching(v); ok != known {
				return nil // the session has ended
			}
			if err := stream.Alive(); err != nil {
				return nil //nolint:nilerr // he has gone
			}
		}
	}
}

func address(name string) string { return "/tables/" + url.PathEscape(name) }

func roundAddress(name string, round int) string {
	return address(name) + "/rounds/" + strconv.Itoa(round)
}
