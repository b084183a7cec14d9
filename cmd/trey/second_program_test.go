package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"trey/internal/load"
)

// secondProgram runs the verifier in another language, and returns its exit status and what
// it says.
func secondProgram(t *testing.T, args ...string) (status int, out string) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3: the second program cannot run")
	}
	run := exec.CommandContext(t.Context(), python, append([]string{filepath.Join("..", "..", "verify", "verify.py")}, args...)...)
	text, err := run.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return exit.ExitCode(), string(text)
	case err != nil:
		t.Fatal(err)
	}
	return 0, string(text)
}

// Rounds that people play over HTTP in a house that signs and is witnessed are proven by the
// second program: their proofs, the signatures of the house and of the witness, and that the
// tree goes on from a checkpoint that was noted before. Whatever is altered of it is found.
func TestTheSecondProgramVerifiesWhatIsServed(t *testing.T) {
	t.Parallel()
	w := startWitness(t, filepath.Join(t.TempDir(), "witness"), "127.0.0.1:0")
	dir := t.TempDir()
	c := load.Config{Tables: 4, Seats: 2, Duration: load.MinDuration, Name: watcher, Password: "a-word-for-the-watcher", Seed: uint64(time.Now().UnixNano())}
	hash := hashOf(t, c.Password)
	config := filepath.Join(dir, "house.toml")
	text := fmt.Sprintf("%s\n[witnesses.w]\nurl = %q\nkey = %q\n", planOfMany(c, hash, unhurried), w.address, w.key)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := start(t, serveCommand{Config: config, DB: filepath.Join(dir, "house.db")})
	c.Address = o.address
	_, key := o.get(t, "/log/key")
	w.knows(t, key)
	noted := write(t, o.until(t, "/log/checkpoint", func(status int, _ string) bool { return status == http.StatusOK }))
	v := visit(t, o)
	v.send(http.MethodPost, "/sign-in", url.Values{"name": {watcher}, "password": {c.Password}, "back": {"/"}})
	const rounds = 3
	last := func(place int) string { return fmt.Sprintf("/api/v1/tables/load-%04d/rounds/%d", place, rounds) }
	// A machine that has other things to do plays few rounds in a second.
	for place := 1; place <= 4; {
		if r, err := load.Run(context.Background(), c); err != nil || len(r.Differences) > 0 {
			t.Fatal(r, err)
		}
		c.Seed++
		for place <= 4 && v.send(http.MethodGet, last(place), nil).StatusCode == http.StatusOK {
			place++
		}
	}
	_, now := o.get(t, "/log/checkpoint")
	o.until(t, "/log/witnessed", func(status int, body string) bool {
		return status == http.StatusOK && leaves(t, body) >= leaves(t, now)
	})
	var files []string
	for place := 1; place <= 4; place++ {
		for round := 1; round <= rounds; round++ {
			got := v.send(http.MethodGet, fmt.Sprintf("/api/v1/tables/load-%04d/rounds/%d", place, round), nil)
			if got.StatusCode != http.StatusOK {
				t.Fatalf("round %d at table %d: %s %s", round, place, got.Status, got.text)
			}
			files = append(files, write(t, got.text))
		}
	}
	keys := []string{"--key", strings.TrimSpace(key), "--witness", w.key}
	status, out := secondProgram(t, append(append(keys, "--older", noted, "--tiles", o.address+"/log"), files...)...)
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		for _, want := range []string{": proven; ", "signed by trey-house/", "witnessed by witness.example/w1 at 20", "goes on from the older checkpoints"} {
			if !strings.Contains(line, want) {
				t.Errorf("%q is not said: %s", want, line)
			}
		}
	}
	if status != 0 {
		t.Errorf("exit status %d: %s", status, out)
	}

	record, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(files[1])
	if err != nil {
		t.Fatal(err)
	}
	proofOf := regexp.MustCompile(`"proof":"[^"]*"`)
	replaced := func(pattern, by string) []byte {
		return regexp.MustCompile(pattern).ReplaceAll(record, []byte(by))
	}
	alterations := []struct {
		name   string
		record []byte
	}{
		{"a name in the committed text", bytes.Replace(record, []byte(`"table":"load-0001"`), []byte(`"table":"load-0002"`), 1)},
		{"the name of the rules, which nothing else depends on", replaced(`"variant":"`, `"variant":"x`)},
		{"the time of a step", replaced(`("at_ms":\d+)(\d,"by":\{"name":"[^"]*","role":"[^"]*"\},"kind":"open-bets")`, "${1}0$2")},
		{"white space in the committed text", replaced(`"version":1,`, `"version": 1,`)},
		{"the salt", replaced(`\\nextra ...`, `\nextra AAA`)},
		{"the index", replaced(`\\nindex `, `\nindex 1`)},
		{"a hash", replaced(`(\\nindex \d+\\n)...`, "${1}AAA")},
		{"a hash left out", replaced(`(\\nindex \d+\\n)[^\\]*\\n`, "$1")},
		{"the size of the checkpoint", replaced(`("proof":".*\\n\\ntrey-house/[0-9a-f]*\\n)`, "${1}1")},
		{"the root", replaced(`("proof":".*\\n\\ntrey-house/[0-9a-f]*\\n\d+\\n)...`, "${1}AAA")},
		{"the signature of the house", replaced(`("proof":".*— trey-house/[0-9a-f]* \S{20})...`, "${1}AAA")},
		{"the cosignature", replaced(`("proof":".*— witness\S* \S{30})...`, "${1}AAA")},
		{"no signature of the house", replaced(`("proof":".*)— trey-house/[^\\]*\\n`, "$1")},
		{"no cosignature", replaced(`("proof":".*)— witness[^\\]*\\n`, "$1")},
		{"no proof", proofOf.ReplaceAll(record, []byte(`"proof":""`))},
		{"the proof of another round", proofOf.ReplaceAllLiteral(record, proofOf.Find(other))},
		{"the signature of the checkpoint before the bets", replaced(`("checkpoint":"[^"]*— trey-house/[0-9a-f]* \S{20})...`, "${1}AAA")},
		{"a checkpoint before the bets that does not hold the commitment", replaced(`("checkpoint":"trey-house/[0-9a-f]*\\n)\d+`, "${1}1")},
	}
	var altered []string
	for _, test := range alterations {
		if bytes.Equal(test.record, record) {
			t.Errorf("%s: nothing is altered", test.name)
		}
		altered = append(altered, write(t, string(test.record)))
	}
	// It is started once, for all of them, and says of each what it is.
	status, out = secondProgram(t, append(keys, altered...)...)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if status != 1 || len(lines) != len(altered) {
		t.Fatalf("exit status %d, %d lines for %d records: %s", status, len(lines), len(altered), out)
	}
	for i, test := range alterations {
		if !strings.HasPrefix(lines[i], altered[i]+": ") || !strings.Contains(lines[i], "FAILED") {
			t.Errorf("%s: %s", test.name, lines[i])
		}
	}
	noteText, err := os.ReadFile(noted)
	if err != nil {
		t.Fatal(err)
	}
	forged := write(t, regexp.MustCompile(`(?s)^(\S+\n\d+\n)...`).ReplaceAllString(string(noteText), "${1}AAA"))
	for name, args := range map[string][]string{
		"another house":                         {"--key", "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k", files[0]},
		"another history":                       {"--older", forged, "--tiles", o.address + "/log", files[0]},
		"an older checkpoint with another root": append(keys, "--older", forged, "--tiles", o.address+"/log", files[0]),
	} {
		if status, out := secondProgram(t, args...); status != 1 {
			t.Errorf("%s: exit status %d: %s", name, status, out)
		}
	}
	if status, out := secondProgram(t, "--key", "none", files[0]); status != 2 {
		t.Errorf("no key: exit status %d: %s", status, out)
	}
	if err := o.stop(t); err != nil {
		t.Error(err)
	}
	w.stop()
}
