package main

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"trey/internal/house/proof"
	"trey/rules"
)

// declaredOtherwise returns a record as a program wrote it that declares the book as
// another revision.
func declaredOtherwise(t *testing.T, text string) string {
	t.Helper()
	r, err := proof.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	declaration := strings.Replace(r.Declaration, `"revision":1,`, `"revision":2,`, 1)
	r.Terms = strings.NewReplacer(`"revision":1,`, `"revision":2,`, rules.HashOf([]byte(r.Declaration)), rules.HashOf([]byte(declaration))).Replace(r.Terms)
	r.Declaration, r.RulesHash, r.Proof = declaration, rules.HashOf([]byte(r.Terms)), ""
	again, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(again)
}

func TestVerify(t *testing.T) {
	samples := filepath.Join("..", "..", "internal", "house", "proof", "testdata")
	good := filepath.Join(samples, "settled.json")
	text, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	house, witness := filepath.Join(samples, "house.pub"), filepath.Join(samples, "witness.pub")
	houseKey, err := os.ReadFile(house)
	if err != nil {
		t.Fatal(err)
	}
	another, err := note.NewEd25519VerifierKey("other.example", make(ed25519.PublicKey, ed25519.PublicKeySize))
	if err != nil {
		t.Fatal(err)
	}
	unsigned := string(text[:bytes.LastIndex(text, []byte(`,"proof":`))]) + `,"proof":""}`
	altered := strings.Replace(string(text), `"kind":"raise"`, `"kind":"fold"`, 1)
	otherwise := declaredOtherwise(t, strings.Replace(string(text), `"key":"no-more-bets"`, `"key":"the-bets-are-closed"`, 1))
	for _, test := range []struct {
		name, stdin string
		args        []string
		want        int
		out, err    string
	}{
		{"a good one", "", []string{good}, 0, "settled.json: table A, round 1: nothing is wrong; open: log\n  proven    rules       us-3cp,", ""},
		{"by whoever knows the house", "", []string{good, "--key", house, "--witness", witness}, 0, "settled.json: table A, round 1: proven\n", ""},
		{"who signed it", "", []string{good, "--key", string(houseKey)}, 0, "  proven    log         signed by trey-house/", ""},
		{"by the house's own word", "", []string{good, "--key", house}, 0, "  proven    log         when it was signed is by the house's own word: no witness that you know has cosigned; witness.example/w1", ""},
		{"who saw it", "", []string{good, "--key", house, "--witness", witness}, 0, "  proven    log         the witness witness.example/w1 saw it at 2026-11-22T", ""},
		{"an unknown house", "", []string{good}, 0, "  open      log         not signed by a house that you know: it names itself trey-house/", ""},
		{"another house", "", []string{good, "--key", another}, exitFound, "  failed    log         proof: not signed by a house that you know", ""},
		{"one that nobody signed", unsigned, []string{"-"}, 0, "  open      log         the record carries no proof", ""},
		{"one that the house did not sign", unsigned, []string{"-", "--key", house}, exitFound, "  failed    log         proof: the record carries no proof", ""},
		{"a key that is none", "", []string{good, "--key", "a+b"}, exitUsage, "", "--key: the key"},
		{"no file of a key", "", []string{good, "--witness", "none.pub"}, exitUsage, "", "is neither a key nor a file with one"},
		{"what it came to", "", []string{good}, 0, "  proven    money       ann (#3) bet 25.00, got 40.00 back and won 15.00, as was posted\n", ""},
		{"by hand", "", []string{filepath.Join(samples, "by-hand.json")}, 0, "  open      commitment  the cards were dealt by hand (unseen): there is no seed to check\n", ""},
		{"by hand is not proven", "", []string{filepath.Join(samples, "by-hand.json"), "--key", house}, 0, "by-hand.json: table A, round 1: nothing is wrong; open: commitment, cards\n", ""},
		{"standard input", string(text), []string{"-"}, 0, "-: table A, round 1: nothing is wrong; open: log\n", ""},
		{"an altered one", altered, []string{"-"}, exitFound, "-: table A, round 1: NOT PROVEN\n", ""},
		{"where it was altered", altered, []string{"-"}, exitFound, "  failed    commands    steps[9].events[0]: it is hand-raised, and hand-folded follows\n", ""},
		{"decided otherwise today", otherwise, []string{"-"}, 0, "  otherwise commands    steps[7].events[1].body.key: this program would decide otherwise today: ", ""},
		{"and not wrong", otherwise, []string{"-"}, 0, "-: table A, round 1: nothing is wrong; open: rules, commands, log\n", ""},
		{"rules that nobody released", otherwise, []string{"-"}, 0, "  open      rules       declaration: no program that this one knows of declares us-3cp, revision 2, with this hash", ""},
		{"one of two", altered, []string{good, "-"}, exitFound, "settled.json: table A, round 1: nothing is wrong; open: log\n", ""},
		{"no record", "{}", []string{"-"}, exitFound, "", `trey: - is no record of a round that can be verified: type: it is not "round-record"`},
		{"half a record", string(text[:1000]), []string{"-", good}, exitFound, "settled.json: table A, round 1: nothing is wrong; open: log\n", "it ends in the middle"},
		{"no file", "", []string{filepath.Join(samples, "none.json")}, exitUsage, "", "none.json"},
		{"a directory", "", []string{samples}, exitUsage, "", "is a directory: name the files in it"},
		{"nothing", "", nil, exitUsage, "", `Try "trey verify --help".`},
		{"another format", "", []string{"--format", "xml", good}, exitUsage, "", "must be one of"},
		{"JSON", "", []string{"--format", "json", good}, 0, `"sound": true`, ""},
		{"JSON of what is no record", "{}", []string{"--format", "json", "-"}, exitFound, `"fault": "type: it is not`, ""},
		{"help", "", []string{"--help"}, 0, "docs/fair-dealing.md", ""},
	} {
		var stdout, stderr bytes.Buffer
		got := run(append([]string{"verify"}, test.args...), strings.NewReader(test.stdin), &stdout, &stderr)
		if got != test.want || !strings.Contains(stdout.String(), test.out) || !strings.Contains(stderr.String(), test.err) {
			t.Errorf("%s: exit status %d, want %d\n%s%s", test.name, got, test.want, stdout.String(), stderr.String())
		}
	}
}

// People who stand in a record by number are told by their names, where it has them.
func TestReplayShowsNames(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "internal", "house", "proof", "testdata", "jackpot.json"))
	if err != nil {
		t.Fatal(err)
	}
	for names, want := range map[string]string{`{"#3":"ann"}`: "ann", `{}`: "#3"} {
		var stdout, stderr bytes.Buffer
		named := regexp.MustCompile(`"names":{[^}]*}`).ReplaceAllString(string(text), `"names":`+names)
		named = regexp.MustCompile(`"proof":"[^"]*"`).ReplaceAllString(named, `"proof":""`) // it is of the sample
		got := run([]string{"replay", "-"}, strings.NewReader(named), &stdout, &stderr)
		if got != 0 || !strings.Contains(stdout.String(), "\n"+want+" bets 5.00 on ") || !strings.Contains(stdout.String(), "\n"+want+" bet ") || strings.Contains(stdout.String(), "#3") != (want == "#3") {
			t.Errorf("with the names %s: status %d, %s%s", names, got, stdout.String(), stderr.String())
		}
	}
}

func TestVerifyJSON(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "internal", "house", "proof", "testdata", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var stdout, stderr bytes.Buffer
	if got := run(append([]string{"verify", "--format", "json"}, files...), nil, &stdout, &stderr); got != 0 {
		t.Fatalf("exit status %d\n%s%s", got, stdout.String(), stderr.String())
	}
	var all []struct {
		File     string
		Table    string
		Round    int
		Sound    bool
		Findings []struct{ Check, Result, Where, Text string }
	}
	if err := json.Unmarshal(stdout.Bytes(), &all); err != nil || len(all) != len(files) {
		t.Fatalf("%d of %d, %v", len(all), len(files), err)
	}
	for i, r := range all {
		if r.File != files[i] || !r.Sound || r.Table != "A" || r.Round != 1 || len(r.Findings) < 7 || r.Findings[0].Check != "rules" {
			t.Errorf("%+v", r)
		}
	}
}
