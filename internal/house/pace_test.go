package house_test

import (
	"encoding/json"
	"strings"
	"testing"

	"trey/internal/house"
)

func TestModesAreWrittenAndRead(t *testing.T) {
	for _, m := range house.Modes() {
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var again house.Mode
		if err := json.Unmarshal(text, &again); err != nil || again != m {
			t.Errorf("%s came back as %s, %v", text, again, err)
		}
	}
	if _, err := house.ParseMode("manual"); err == nil || !strings.Contains(err.Error(), "automatic, dealer") {
		t.Errorf("got %v", err)
	}
}

func TestAPaceHasBounds(t *testing.T) {
	if err := (house.Pace{BettingMs: 0, ShowMs: house.MaxPaceMs}).Check(); err != nil {
		t.Error(err)
	}
	err := house.Pace{DecisionMs: -1, DealMs: house.MaxPaceMs + 1}.Check()
	if err == nil || !strings.Contains(err.Error(), "pace.decision") || !strings.Contains(err.Error(), "pace.deal") {
		t.Errorf("got %v", err)
	}
}
