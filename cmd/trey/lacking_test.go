//go:build unix

package main

import (
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"trey/internal/steady"
)

// The keys are rotated at the writer. A machine to which they are not copied stays a door from
// the first seed on that the new key seals, and says so; when it has them it can take the
// writer's place.
func TestADoorLearnsThatItLacksAKey(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	database := databases(t)("house")
	w := newWorld(t, t.TempDir())
	nodes := w.machines(database, database)
	writer, door := nodes[0], nodes[1]
	guest, _ := w.guest(writer, 1)
	if only := door.becomes("door").DoorOnly; only != "" {
		t.Fatalf("with all keys it is a door only: %s", only)
	}
	var out, logs strings.Builder
	if status := run([]string{"keys", "rotate", "--keys", writer.keys}, strings.NewReader(""), &out, &logs); status != 0 {
		t.Fatalf("the keys are not rotated: %s%s", &out, &logs)
	}
	deadline := time.Now().Add(patience)
	for door.becomes("door").DoorOnly == "" {
		if time.Now().After(deadline) {
			t.Fatalf("it does not say that it lacks a key:\n%s", door.logs)
		}
		// The seed of the next round is sealed when one ends.
		r := guest.order("/api/v1/tables/vegas/commands", map[string]any{"kind": "bet", "body": map[string]any{"box": 1, "wager": "ante", "amount": 1000}})
		guest.insist(t, writer.url, http.MethodPost, r.path, r.body, "Idempotency-Key", r.key)
		time.Sleep(200 * time.Millisecond)
	}
	writer.kill()
	time.Sleep(2 * time.Second) // the lease runs out
	if only := door.becomes("door").DoorOnly; !strings.Contains(only, "sealed with the key") {
		t.Errorf("it is a door only because %q", only)
	}
	text, err := os.ReadFile(writer.keys)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(door.keys, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if only := door.becomes("writer").DoorOnly; only != "" {
		t.Errorf("the writer is a door only: %s", only)
	}
}

// TestADoorReportsThatItsClockIsWrong holds that a door whose clock keeps it from becoming the writer says so
// under warnings, for as long as that lasts.
func TestADoorReportsThatItsClockIsWrong(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	database := databases(t)("house")
	w := newWorld(t, t.TempDir())
	door := w.machines(database, database)[1]
	for _, step := range []struct {
		ahead time.Duration
		says  string
	}{{0, ""}, {time.Hour, "ahead of that of the database"}, {-time.Hour, "behind that of the database"}, {0, ""}} {
		if err := setClock(door.clock(), step.ahead); err != nil {
			t.Fatal(err)
		}
		deadline := time.Now().Add(patience)
		for {
			found := strings.Join(door.becomes("door").Warnings, "; ")
			if (found == "") == (step.says == "") && strings.Contains(found, step.says) {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("with a clock that is %s ahead it says %q", step.ahead, found)
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
}
