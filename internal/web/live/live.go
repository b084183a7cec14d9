// Package live keeps parts of a page as they are in the house: the server draws
// them anew when something has happened and sends those that have changed.
//
// A part is what an element with its id holds. The page is made with the same
// parts, by [Place]; its module parts.js puts those that come later in their
// places. What a reader may not know never becomes a part.
package live

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/a-h/templ"

	"trey/internal/house"
	"trey/internal/web/site"
)

//go:embed *.js *.css
var Files embed.FS

// Part is what one element of a page holds.
type Part struct {
	ID   string
	Body templ.Component
}

// drawn is a part as it is sent.
type drawn struct {
	// Stamp tells two drawings apart.
	Stamp string `json:"stamp"`
	HTML  string `json:"html"`
}

func draw(v *site.Visit, p Part) (drawn, error) {
	var out bytes.Buffer
	if err := p.Body.Render(v.Context(), &out); err != nil {
		return drawn{}, err
	}
	sum := sha256.Sum256(out.Bytes())
	return drawn{hex.EncodeToString(sum[:6]), out.String()}, nil
}

// Source is where the parts of a page come from.
type Source struct {
	House *house.House
	// Topic is what the page is about.
	Topic house.Topic
	// Parts draws the page anew. Who may not see it any more gets an error.
	Parts func() ([]Part, error)
	// Hear is told of every notice before the parts are drawn; nil if nobody listens.
	Hear func(*house.Notice)
	// PauseMs is the least time from one drawing to the next.
	PauseMs int64
}

func (s *Source) hear(n *house.Notice) {
	if s.Hear != nil {
		s.Hear(n)
	}
}

// quiet is how long nothing is drawn where nothing happens: the page is then
// looked at all the same, for what is no event of the topic.
const quiet = 5 * time.Second

// Follow sends the parts until the reader goes, or may not see them any more.
func Follow(v *site.Visit, s Source) error {
	follower := s.House.Follow(s.Topic, 1024)
	defer follower.Close()
	parts, err := s.Parts()
	if err != nil {
		return err
	}
	stream, err := v.Stream()
	if err != nil {
		return err
	}
	sent := map[string]string{}
	ticker := time.NewTicker(quiet)
	defer ticker.Stop()
	for id := int64(1); ; id++ {
		changed := map[string]drawn{}
		for _, p := range parts {
			is, err := draw(v, p)
			if err != nil {
				return err
			}
			if sent[p.ID] != is.Stamp {
				sent[p.ID], changed[p.ID] = is.Stamp, is
			}
		}
		if len(changed) == 0 {
			err = stream.Alive()
		} else {
			var out bytes.Buffer
			encoder := json.NewEncoder(&out)
			encoder.SetEscapeHTML(false) // it is read as JSON and by nothing else
			if err := encoder.Encode(changed); err != nil {
				return err
			}
			err = stream.Send(id, "parts", bytes.TrimSpace(out.Bytes()))
		}
		if err != nil {
			return err
		}
		select {
		case <-v.Context().Done():
			return nil
		case <-ticker.C:
		case n, open := <-follower.C:
			if !open {
				return follower.Err()
			}
			s.hear(n)
			// What comes at once is drawn at once.
			time.Sleep(time.Duration(max(s.PauseMs, 10)) * time.Millisecond)
			for more := true; more; {
				select {
				case n, more = <-follower.C:
					if more {
						s.hear(n)
					}
				default:
					more = false
				}
			}
		}
		if parts, err = s.Parts(); err != nil {
			return err
		}
	}
}
