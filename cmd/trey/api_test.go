package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"trey/internal/house/plan"
	"trey/internal/steady"
)

// demonstration writes the house of the demonstration as a file, at the pace of
// machines and with its staff, whose password is given.
func demonstration(t *testing.T, password string) (config string) {
	t.Helper()
	text := string(plan.Example())
	pace := regexp.MustCompile(`(?m)^(betting|decision|option|deal|show) = "[^"]*"$`)
	if found := len(pace.FindAllString(text, -1)); found != 5 {
		t.Fatalf("the example has %d times", found)
	}
	text = pace.ReplaceAllString(text, `$1 = "0s"`)
	hash := hashOf(t, password)
	for _, name := range staffNames() {
		text += fmt.Sprintf("\n[users.%s]\nrole = %q\npassword = %q\n", name, name, hash)
	}
	return write(t, text)
}

// shellBlocks matches the blocks of a page that a reader pastes into a shell.
var shellBlocks = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// What stands in docs/api.md can be pasted, one block after the other, and does
// what the page says.
func TestThePageForProgramsRuns(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	for _, tool := range []string{"bash", "curl", "sed", "grep"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s here", tool)
		}
	}
	page, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	const password = "a password for a test"
	o := start(t, serveCommand{Config: demonstration(t, password)})
	var script strings.Builder
	blocks := shellBlocks.FindAllStringSubmatch(string(page), -1)
	if len(blocks) < 10 {
		t.Fatalf("the page has only %d blocks", len(blocks))
	}
	script.WriteString("set -euo pipefail\n")
	for i, block := range blocks {
		fmt.Fprintf(&script, "echo; echo '--- block %d'\n%s", i+1, block[1])
	}
	fmt.Fprintln(&script, "echo; echo '--- the end'")
	text := script.String()
	for _, change := range [][2]string{
		{"\nhouse=http://127.0.0.1:8080\n", "\nhouse=" + o.address + "\n"},
		{"\npassword=muf7-xiwq-ujyz-phq5\n", "\npassword='" + password + "'\n"},
	} {
		if strings.Count(text, change[0]) != 1 {
			t.Fatalf("the page does not say %q once", strings.TrimSpace(change[0]))
		}
		text = strings.Replace(text, change[0], change[1], 1)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // or it would wait for ever for what does not come
	defer cancel()
	shell := exec.CommandContext(ctx, "bash", "-c", text)
	shell.WaitDelay = time.Second
	shell.Dir = t.TempDir()
	said, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	// In this order.
	rest := string(said)
	for _, want := range []string{
		`"role":"guest"`, `"name":"bonus-1"`, `"balance":100000`, // comes in
		`"kind":"bet"`, `"bet-placed"`, `"cards":["`, `"dry_run":true`, `"hand-raised"`, `"table":"vegas-1"`, // vegas-1
		`"displayed":`, `"table":"classic-1"`, `"table":"bonus-1"`, `"table":"pictures-1"`, ": proven", "covered by the checkpoint of trey-house/", "signed by trey-house/", // the others
		`"bet-placed"`, `"bets-returned"`, // live
		`"clause":"sm-3cp bonus.6"`, `dempotency-`, `urn:trey:problem:moved-on`,
		`"role":"administrator"`, `"role":"surveillance"`,
		`"outcome":"not-honoured"`, `"question-asked"`, "it takes a shift manager or above", `"question-answered"`, `"settled"`,
		`"kind":"fill"`, `{"account":"rack:classic-2","balance":100000}`, `"kind":"add-user","name":"nora","role":"cashier"`, `"stream":"table:classic-2"`, "proven", `"debits":`, `"irregularities"`, "5.11", "page 1 of 2", "page 2 of 2", "End of the report",
		"--- the end",
	} {
		_, after, there := strings.Cut(rest, want)
		if !there {
			t.Fatalf("%s does not come after what stands before it; the page says\n%s", want, said)
		}
		rest = after
	}
	if err := o.stop(t); err != nil {
		t.Error(err)
	}
	if log := o.logs.String(); strings.Contains(log, "level=ERROR") {
		t.Errorf("the log: %s", log)
	}
	if testing.Verbose() {
		t.Logf("%s", said)
	}
}
