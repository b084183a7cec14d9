package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// evil is a hostile name: a line of its own, codes that clear the screen, set its title and
// colour it, in seven bits and in eight, an override of the direction, and characters that
// nobody sees.
const evil = "ann\nFORGED line\r\x1b[2J\x1b]0;title\x07\u009b31m\u202e\u2066\u200b\u2028\x7f"

// checkHarmless fails where what was printed could act on a terminal, or where a line
// begins with what a file said.
func checkHarmless(t *testing.T, what, printed string) {
	t.Helper()
	for i, r := range printed {
		if r != '\n' && r != '\t' && !unicode.IsGraphic(r) {
			t.Errorf("%s prints %q at %d:\n%q", what, r, i, printed)
			return
		}
	}
	for line := range strings.Lines(printed) {
		if strings.HasPrefix(strings.TrimSpace(line), "FORGED") {
			t.Errorf("%s prints a line that a file made up:\n%s", what, printed)
			return
		}
	}
}

// Every command that prints what a file says is given one that attacks the terminal.
func TestTextFromFilesIsHarmless(t *testing.T) {
	quoted, err := json.Marshal(evil)
	if err != nil {
		t.Fatal(err)
	}
	// TOML has the escapes of JSON, and takes no delete as it stands.
	inTOML := strings.ReplaceAll(strings.Trim(string(quoted), `"`), "\x7f", `\u007f`)
	record, err := os.ReadFile("../../internal/house/proof/testdata/settled.json")
	if err != nil {
		t.Fatal(err)
	}
	evilRecord := bytes.ReplaceAll(record, []byte(`"ann"`), quoted)
	if bytes.Equal(record, evilRecord) {
		t.Fatal("the record names nobody ann")
	}
	dir := t.TempDir()
	file := func(name, text string) string {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	// The language of scenarios has no escapes, so the characters stand there as they
	// are; a line break ends the line.
	name := strings.ReplaceAll(evil, "\n", "")
	script := "# us-3cp rules.1: " + name + "\nopen us-3cp\nbet box=1 ante=5 player='" + name + "'\n! bet box=1 ante=5 player=ben\n"
	variants := map[string]string{}
	for _, text := range []string{
		`base = "us-3cp"` + "\n" + `"EVIL" = 1`,
		`base = "EVIL"`,
		`base = "us-3cp"` + "\n" + `id = "EVIL"`,
		`base = "us-3cp"` + "\n" + `boxes."EVIL" = 1`,
		`base = "us-3cp"` + "\n" + `pays.pair-plus = "EVIL"`,
		`base = "us-3cp"` + "\n" + `pays.pair-plus."EVIL" = "1"`,
		`base = "us-3cp"` + "\n" + `pays."EVIL" = "1"`,
		`base = "us-3cp"` + "\n" + `limits.ante.min = "EVIL"`,
		`base = "us-3cp"` + "\n" + `chips = ["EVIL"]`,
		`base = "us-3cp"` + "\n" + `rulings.adjacent_boxes = "EVIL"`,
		`base = "us-3cp"` + "\n" + `rulings."EVIL" = "no"`,
		`base = "us-3cp"` + "\n" + `["EVIL"]` + "\n" + `["EVIL"]`,
		`base = "us-3cp"` + "\n" + `a = "EVIL` + "\x1b\"",
	} {
		variants[text] = file(fmt.Sprintf("v%d.toml", len(variants)), strings.ReplaceAll(text, "EVIL", inTOML))
	}
	type try struct {
		name, stdin string
		args        []string
	}
	tries := []try{
		{"replay", string(evilRecord), []string{"replay", "-"}},
		{"replay of a record that is altered", strings.ReplaceAll(string(evilRecord), `"no-more-bets"`, string(quoted)), []string{"replay", "-"}},
		{"replay of what is no record", strings.ReplaceAll(string(record), `"round-record"`, string(quoted)), []string{"replay", "-"}},
		{"verify", string(evilRecord), []string{"verify", "-"}},
		{"verify as JSON", string(evilRecord), []string{"verify", "--format", "json", "-"}},
		{"verify of an unknown key", strings.Replace(string(record), `"round"`, string(quoted), 1), []string{"verify", "-"}},
		{"scenario", "", []string{"scenario", file("good.txtar", script)}},
		{"scenario that fails", "", []string{"scenario", file("bad.txtar", script+"! bet box=2 ante=5 player='"+name+"2'\n")}},
		{"scenario that cannot be read", "", []string{"scenario", file("none.txtar", script+name+"\n")}},
		{
			"settle", `{"id":` + strings.ReplaceAll(string(quoted), `\u2028`, "\u2028") + `,"player":"Qh 6d 4c","dealer":"Kd 9c 2s","wagers":{"ante":500,"play":500}}` + "\n" +
				`{"id":"` + "\u009b31m\u202e\x7f" + `","player":` + string(quoted) + "}\n" +
				`{"` + "\u009b31m\u202e\x7f" + `":1}` + "\n",
			[]string{"settle", "--book", "us-3cp", "--jsonl"},
		},
		{"config", "", []string{"config", "check", file("house.toml", "listen = \""+inTOML+":80\"\ndatabase = \""+inTOML+"\"\nname = \""+inTOML+"\"\n[tables.\""+inTOML+"\"]\nbook = \"us-3cp\"\n[users.\""+inTOML+"\"]\nrole = \""+inTOML+"\"\n")}},
		{"config with a good listen", "", []string{"config", "check", file("house2.toml", "listen = \"\\u202e:80\"\ndatabase = \"x\\u001B[2J\"\n[tables.a]\nbook = \"us-3cp\"\n")}},
	}
	for text, path := range variants {
		tries = append(tries,
			try{"variant check " + text, "", []string{"variant", "check", path}},
			try{"variant show " + text, "", []string{"variant", "show", path}},
			try{"odds " + text, "", []string{"odds", "--variant", path, "--wager", "pair-plus"}},
			try{"rules " + text, "", []string{"rules", "--variant", path}},
		)
	}
	for _, test := range tries {
		var stdout, stderr bytes.Buffer
		run(test.args, strings.NewReader(test.stdin), &stdout, &stderr)
		if stdout.Len()+stderr.Len() == 0 {
			t.Errorf("%s prints nothing", test.name)
		}
		checkHarmless(t, test.name, stdout.String())
		checkHarmless(t, test.name, stderr.String())
	}
}

// What is escaped in JSON reads back as it was.
func TestHarmlessJSONReadsTheSame(t *testing.T) {
	var stdout, stderr bytes.Buffer
	id := `"` + "\u009b31m\u202e\x7fé" + `"`
	run([]string{"settle", "--book", "us-3cp", "--jsonl"}, strings.NewReader(`{"id":`+id+`}`), &stdout, &stderr)
	var answer struct{ ID string }
	if err := json.Unmarshal(stdout.Bytes(), &answer); err != nil || `"`+answer.ID+`"` != id || !strings.Contains(stdout.String(), "é") {
		t.Errorf("%s: %v", stdout.String(), err)
	}
}
