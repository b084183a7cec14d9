//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"trey/internal/load"
	"trey/internal/steady"
)

// Players at the doors of a house in a database keep the same accounts as the house, and what
// the doors use is counted apart. Nothing but the record stays in the database.
func TestLoadAtDoors(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	database := databases(t)("load")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	loaded := func(flags ...string) (int, string, string) {
		t.Helper()
		var out, logs bytes.Buffer
		cmd := exec.Command(self)
		// By this name the test binary is the program: see TestMain.
		cmd.Args = append([]string{"trey", "load", "--db", database, "--format", "json", "--tables", "5", "--seats", "2", "--duration", "1s"}, flags...)
		cmd.Stdout, cmd.Stderr = &out, &logs
		if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return cmd.ProcessState.ExitCode(), out.String(), logs.String()
	}
	status, out, logs := loaded("--doors", "2")
	var r load.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil || status != 0 {
		t.Fatalf("status %d, %v: %s%s", status, err, out, logs)
	}
	if r.Doors != 2 || r.Compared != 10 || r.Jackpots != 1 || r.Commands == 0 || r.DoorProcessors <= 0 || r.HouseProcessors <= 0 {
		t.Errorf("not all was played, compared or measured: %s", out)
	}
	if r.Record == nil || r.Record.Rounds == 0 || r.Record.BarePerSecond <= 0 || len(r.Errors) > 0 {
		t.Errorf("the record and the bare store: %s", out)
	}
	if status, _, logs = loaded(); status != 2 || !strings.Contains(logs, "is there already") {
		t.Errorf("a record that is there is played in again: status %d: %s", status, logs)
	}
}
