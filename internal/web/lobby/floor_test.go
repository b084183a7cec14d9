package lobby

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"trey/internal/steady"
)

// A fault of ours while the floor is read ends the pages that follow it and nothing else. It
// goes to the log, and the next page has the floor read anew.
func TestAFaultEndsThePagesOfTheFloor(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	f := &Floor{Log: slog.New(slog.NewTextHandler(&log, nil))} // it looks at no house
	for n := range 2 {
		f.join()
		steady.Await(t, "the end of the pages", func() bool {
			_, moved := f.current()
			return moved == nil
		})
		f.leave()
		if got := strings.Count(log.String(), "what pages show broke"); got != n+1 {
			t.Errorf("after %d faults the log has %d: %s", n+1, got, log.String())
		}
	}
}
