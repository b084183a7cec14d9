package load

import (
	"fmt"
	"strings"
	"testing"
)

// The seed and the commitment of round 1 of table A in the sample record of the proof,
// as docs/fair-dealing.md works them out with sha256sum.
const (
	sampleSeed = "d6f5c16345e1ab5479287fc2a0e3010d139dbc164cc52c41e440c479ae644735"
	sampleHash = "d30f0c99725966b1988054690a7ca9296b17b3b1ed10666a23206a0f995b1386"
)

// A player notices a seed that was not committed to, a commitment that changes, and a
// seed of the player's own that was left out.
func TestPromises(t *testing.T) {
	committed := func(hash string) string {
		return fmt.Sprintf(`{"seeds":[{"kind":"seed-committed","body":{"round":1,"commitment":%q}}]}`, hash)
	}
	added := func(player, text string) string {
		return fmt.Sprintf(`{"seeds":[{"kind":"seed-added","body":{"round":1,"player":%q,"text":%q}}]}`, player, text)
	}
	revealed := func(seed string) string {
		return fmt.Sprintf(`{"seeds":[{"kind":"seed-revealed","body":{"round":1,"seed":%q}}]}`, seed)
	}
	for name, test := range map[string]struct {
		sent     string
		messages []string
		want     string // empty if the house kept its promise
	}{
		"kept":               {"x", []string{committed(sampleHash), added("ann", "x"), added("ben", "y"), revealed(sampleSeed)}, ""},
		"without a seed":     {"", []string{committed(sampleHash), revealed(sampleSeed)}, ""},
		"another seed":       {"x", []string{committed(sampleHash), added("ann", "x"), revealed(strings.Repeat("0", 64))}, "not the one of the commitment"},
		"another commitment": {"x", []string{committed(strings.Repeat("0", 64)), committed(sampleHash), added("ann", "x"), revealed(sampleSeed)}, "and before to"},
		"left out":           {"x", []string{committed(sampleHash), added("ben", "x"), revealed(sampleSeed)}, "added the seed x"},
		"altered":            {"x", []string{committed(sampleHash), added("ann", "z"), revealed(sampleSeed)}, "added the seed x"},
	} {
		p := &promises{table: "A", name: "ann"}
		p.begin(1, "")
		for i, m := range test.messages {
			if i == len(test.messages)-1 && test.sent != "" {
				p.sent[1] = test.sent
			}
			if err := p.receive([]byte(m)); err != nil {
				t.Fatal(err)
			}
		}
		broken := strings.Join(p.broken, "; ")
		if test.want == "" && (broken != "" || p.kept != 1) || test.want != "" && !strings.Contains(broken, test.want) {
			t.Errorf("%s: kept %d, broken %q", name, p.kept, broken)
		}
	}
}
