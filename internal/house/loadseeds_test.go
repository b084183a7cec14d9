package house_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/fair"
	"trey/internal/store/sqlite"
)

// A house opens with the one seed that its table has committed to, and with no record of
// another.
func TestARecordOfOtherSeedsDoesNotOpen(t *testing.T) {
	event := func(kind, format string, of ...any) string {
		return fmt.Sprintf(`{"kind":%q,"body":%s}`, kind, fmt.Sprintf(format, of...))
	}
	for name, c := range map[string]struct{ stream, want string }{
		"as it is":                         {"", ""},
		"a commitment that is none":        {"deal", "none"},
		"a seed that is revealed":          {"deal", "needs the seed of round 1, and round 1 is committed to"},
		"a seed of the next round":         {"deal", "needs the seed of round 1, and round 2 is committed to"},
		"a sealed seed that is none":       {"sealed", `event "none"`},
		"a commitment that is sealed":      {"sealed", "seed-committed is no sealed seed"},
		"a seed sealed for the next round": {"sealed", "is not the one committed to for round 1"},
		"another seed":                     {"sealed", "is not the one committed to for round 1"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSiteOnFile(t)
			s.apart = true
			drawn := s.drawing()
			s.install("A", "us-3cp")
			seed := (*drawn)[0]
			committed := func(round int) string {
				return event("seed-committed", `{"round":%d,"commitment":"%s"}`, round, fair.Commit("A", round, seed))
			}
			revealed := event("seed-revealed", `{"round":1,"seed":"%x"}`, seed)
			events := map[string]string{
				"a commitment that is none":        event("none", "{}"),
				"a seed that is revealed":          committed(1) + "," + revealed,
				"a seed of the next round":         committed(1) + "," + revealed + "," + committed(2),
				"a sealed seed that is none":       event("none", "{}"),
				"a commitment that is sealed":      committed(1),
				"a seed sealed for the next round": event("seed-sealed", `{"round":2,"seed":"%x"}`, seed),
				"another seed":                     event("seed-sealed", `{"round":1,"seed":"01%x"}`, seed[1:]),
			}[name]
			if c.stream == "" {
				if err := s.store.Close(); err != nil {
					t.Fatal(err)
				}
			} else {
				s.edit(reset(c.stream+":A", "$.events", "json('["+events+"]')"))
			}
			store, err := sqlite.Open(ctx(), s.path)
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close() //nolint:errcheck // nothing is written
			_, _, err = house.Open(ctx(), store, s.world())
			if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, house.ErrCorrupt) || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("it opens: %v", err)
			}
		})
	}
}
