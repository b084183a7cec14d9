package live

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"sync"

	"github.com/a-h/templ"
)

// Part is the content of one element of a page.
type Part struct {
	ID   string
	Body templ.Component
}

// Frame is parts of a page as they were drawn at one moment. It does not change,
// so that all who see the same may be sent the same one.
type Frame struct {
	parts []drawn
	// marks are those of all parts.
	marks string

	mu   sync.Mutex
	news map[string][]byte
}

// drawn is a part as it is sent. Its mark distinguishes it from every other part, and from its
// own content at other moments, whichever program has drawn it.
type drawn struct{ id, html, mark string }

// markLen is the length of a mark.
const markLen = 8

func markOf(id, html string) string {
	sum := sha256.Sum256([]byte(id + "\x00" + html))
	return base64.RawURLEncoding.EncodeToString(sum[:markLen*6/8])
}

// Draw draws parts.
func Draw(parts []Part) (*Frame, error) {
	f := &Frame{parts: make([]drawn, 0, len(parts)), news: map[string][]byte{}}
	var out bytes.Buffer
	var marks strings.Builder
	for _, p := range parts {
		out.Reset()
		if err := p.Body.Render(context.Background(), &out); err != nil {
			return nil, err
		}
		part := drawn{id: p.ID, html: out.String()}
		part.mark = markOf(part.id, part.html)
		marks.WriteString(part.mark)
		f.parts = append(f.parts, part)
	}
	f.marks = marks.String()
	return f, nil
}

// mostNews bounds what a frame keeps for those who come to it from different ones:
// nearly all come from the one before it.
const mostNews = 8

// missingParts returns, as members of a JSON object, the parts whose marks are not in
// have. It returns nil if have is complete.
func (f *Frame) missingParts(have string) []byte {
	if have == f.marks {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if news, ok := f.news[have]; ok {
		return news
	}
	has := map[string]bool{}
	for rest := have; len(rest) >= markLen; rest = rest[markLen:] {
		has[rest[:markLen]] = true
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false) // it is read as JSON and by nothing else
	for _, p := range f.parts {
		if has[p.mark] {
			continue
		}
		if out.Len() > 0 {
			out.WriteByte(',')
		}
		_ = encoder.Encode(p.id) // texts can be encoded
		out.WriteByte(':')
		_ = encoder.Encode(map[string]string{"mark": p.mark, "html": p.html})
	}
	// The encoder ends every value with a line, which a message must not hold.
	news := bytes.ReplaceAll(out.Bytes(), []byte("\n"), nil)
	if len(f.news) < mostNews {
		f.news[have] = news
	}
	return news
}

// Frames are the frames of one moment, by who sees the same: each is drawn once, by
// whoever asks for it first. Use [NewFrames].
type Frames[Class comparable] struct {
	mu  *sync.Mutex
	all map[Class]func() (*Frame, error)
}

// NewFrames returns frames of a moment of which nobody has seen anything yet.
func NewFrames[Class comparable]() Frames[Class] {
	return Frames[Class]{&sync.Mutex{}, map[Class]func() (*Frame, error){}}
}

// Of returns the frame of a class.
func (f *Frames[Class]) Of(c Class, parts func() []Part) (*Frame, error) {
	f.mu.Lock()
	draw := f.all[c]
	if draw == nil {
		draw = sync.OnceValues(func() (*Frame, error) { return Draw(parts()) })
		f.all[c] = draw
	}
	f.mu.Unlock()
	return draw()
}

// Drawing is everything that one reader sees of a live page.
type Drawing []*Frame

func (d Drawing) part(id string) drawn {
	for _, f := range d {
		for _, p := range f.parts {
			if p.id == id {
				return p
			}
		}
	}
	return drawn{id: id}
}

// Attributes returns the attributes by which an element of the page is the place of a part.
func (d Drawing) Attributes(id string) templ.Attributes {
	return templ.Attributes{"id": id, "data-mark": d.part(id).mark}
}

// Body draws the content of a part's place.
func (d Drawing) Body(id string) templ.Component { return templ.Raw(d.part(id).html) }
