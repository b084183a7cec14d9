package roundlog_test

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"trey/card"
	"trey/money"
	"trey/roundlog"
	"trey/rules"
	"trey/rules/books"
	"trey/rules/rws3cp"
	"trey/table"
)

var update = flag.Bool("update", false, "write the files that are generated")

var people = []table.Actor{
	{Name: "ann", Role: rules.Player},
	{Name: "ben", Role: rules.Player},
	{Name: "dan", Role: rules.Dealer},
	{Name: "pat", Role: rules.PitSupervisor},
	{Name: "max", Role: rules.PitManager},
	{Name: "sue", Role: rules.ShiftManager},
}

// logged plays commands at a new table, logs them and returns the log and the
// state at its end.
func logged(t interface{ Fatal(...any) }, v *rules.Variant, c table.Config, next func(s *table.State, n int) (table.Command, bool)) ([]byte, table.State) {
	var log bytes.Buffer
	w, err := roundlog.NewWriter(&log, v, c, "trey test")
	if err != nil {
		t.Fatal(err)
	}
	s, err := table.New(v, c)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; ; n++ {
		command, more := next(&s, n)
		if !more {
			break
		}
		events, after, err := table.Step(s, command)
		if err != nil {
			continue
		}
		if err := w.Append(command, events); err != nil {
			t.Fatal(err)
		}
		s = after
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return log.Bytes(), s
}

// replay reads a whole log and returns its last state.
func replay(log []byte) (table.State, *roundlog.Reader, error) {
	r, err := roundlog.NewReader(bytes.NewReader(log), books.Find)
	if err != nil {
		return table.State{}, nil, err
	}
	var s table.State
	for {
		step, err := r.Next()
		if errors.Is(err, io.EOF) {
			return s, r, nil
		}
		if err != nil {
			return s, r, err
		}
		s = step.After
	}
}

// anyLog plays a table at random.
func anyLog(t *rapid.T) ([]byte, table.State) {
	book := rapid.SampledFrom(books.All()).Draw(t, "book")
	v := book.Standard()
	v.Boxes = rapid.IntRange(1, 3).Draw(t, "boxes")
	for _, r := range book.Open() {
		v.Choices[r] = rapid.SampledFrom(r.Rule().Choices).Draw(t, r.String())
	}
	c := table.Config{
		Device: rapid.SampledFrom(book.Devices).Draw(t, "device").Device,
		Cards:  rapid.SampledFrom([]table.Sight{table.Virtual, table.Read, table.Unseen}).Draw(t, "cards"),
		Chips:  rapid.Bool().Draw(t, "chips"),
	}
	length := rapid.IntRange(0, 30).Draw(t, "commands")
	return logged(t, v, c, func(s *table.State, n int) (table.Command, bool) {
		by := rapid.SampledFrom(people).Draw(t, "by")
		legal := table.Legal(*s, by)
		if len(legal) == 0 {
			return table.Command{By: by, Do: table.Expire{}}, n < length
		}
		return table.Command{By: by, AtMs: int64(1000 * n), Do: rapid.SampledFrom(legal).Draw(t, "action")}, n < length
	})
}

func TestLogReplays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log, want := anyLog(t)
		got, r, err := replay(log)
		if err != nil {
			t.Fatalf("%v in\n%s", err, log)
		}
		if r.Lines() != bytes.Count(log, []byte("\n")) {
			t.Fatalf("%d lines were read", r.Lines())
		}
		want.Variant, got.Variant = nil, nil
		if r.Lines() > 2 && !reflect.DeepEqual(got, want) {
			t.Fatalf("the log leads to %+v, the table was at %+v", got, want)
		}
	})
}

func TestChangedLogIsRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log, _ := anyLog(t)
		lines := bytes.SplitAfter(log, []byte("\n"))
		lines = lines[:len(lines)-1]
		at := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
		var changed []byte
		switch rapid.SampledFrom([]string{"byte", "cut", "drop", "swap", "double", "short"}).Draw(t, "change") {
		case "byte":
			changed = bytes.Clone(log)
			changed[rapid.IntRange(0, len(log)-1).Draw(t, "at")] ^= byte(rapid.IntRange(1, 255).Draw(t, "xor"))
		case "cut":
			changed = bytes.Join(lines[:at], nil)
		case "short":
			changed = log[:rapid.IntRange(0, len(log)-1).Draw(t, "length")]
		case "drop":
			changed = bytes.Join(append(lines[:at:at], lines[at+1:]...), nil)
		case "double":
			changed = bytes.Join(append(lines[:at+1:at+1], lines[at:]...), nil)
		case "swap":
			other := rapid.IntRange(0, len(lines)-1).Draw(t, "other")
			if other == at {
				return
			}
			lines[at], lines[other] = lines[other], lines[at]
			changed = bytes.Join(lines, nil)
		}
		var fault *roundlog.Fault
		if _, _, err := replay(changed); !errors.As(err, &fault) || fault.Line < 1 || fault.Reason == "" {
			t.Fatalf("%v for\n%s", err, changed)
		}
	})
}

// example is the round of docs/round-log.md: a bet, an irregularity, a
// settlement.
func example(t *testing.T) []byte {
	t.Helper()
	v := rws3cp.Book().Standard()
	v.Boxes = 2
	deal := func(text string) table.Deal {
		cards, err := card.ParseList(text)
		if err != nil {
			t.Fatal(err)
		}
		var d table.Deal
		for _, c := range cards {
			d.Cards = append(d.Cards, table.Drawn{Card: c})
		}
		return d
	}
	ann, dan := people[0], people[2]
	commands := []table.Command{
		{By: dan, AtMs: 1000, Do: table.OpenBets{}},
		{By: ann, AtMs: 2500, Do: table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major}},
		{By: ann, AtMs: 4000, Do: table.Bet{Box: 1, Player: "ann", Wager: rules.PairPlus, Amount: 5 * money.Major}},
		{By: dan, AtMs: 9000, Do: table.CloseBets{}},
		{By: dan, AtMs: 12_000, Do: deal("8h 8d 2c Kd 9c 4s")},
		{By: ann, AtMs: 15_000, Do: table.Examine{Box: 1, Player: "ann"}},
		{By: dan, AtMs: 16_000, Do: table.Report{Incident: rules.TechnicalInterruption, LastedMs: 2000}},
		{By: ann, AtMs: 20_000, Do: table.Raise{Box: 1, Player: "ann"}},
		{By: dan, AtMs: 24_000, Do: table.Reveal{}},
		{By: dan, AtMs: 28_000, Do: table.Settle{}},
	}
	log, s := logged(t, v, table.Config{Device: rules.Shuffler, Cards: table.Virtual}, func(_ *table.State, n int) (table.Command, bool) {
		if n == len(commands) {
			return table.Command{}, false
		}
		return commands[n], true
	})
	if s.Phase != table.Paid {
		t.Fatalf("the example ends %s", s.Phase)
	}
	return log
}

// golden compares what is generated with a file, and writes it with -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is out of date: run go test ./roundlog -update and read the difference", name)
	}
}

// The example is also the test that logs written by an earlier program are
// read: a change of this file is a change of the format.
func TestExample(t *testing.T) {
	log := example(t)
	golden(t, "testdata/example.jsonl", log)
	_, r, err := replay(log)
	if err != nil {
		t.Fatal(err)
	}
	want := []roundlog.Round{{
		Round: 1, Ended: "settled", Staked: 2500, Returned: 5000, Nets: map[string]money.Amount{"ann": 2500},
		Irregularities: []roundlog.Irregularity{{Incident: rules.TechnicalInterruption, Outcome: rules.Continue, Clause: "5.7"}},
	}}
	if !reflect.DeepEqual(r.Rounds(), want) {
		t.Errorf("%+v, want %+v", r.Rounds(), want)
	}
}

// forge rewrites a log line by line and chains it anew, as somebody would who
// knows the format: the hashes are then right and the game is not.
func forge(t *testing.T, log []byte, change func(line int, text string) string) []byte {
	t.Helper()
	var out bytes.Buffer
	hash := ""
	for i, line := range strings.Split(strings.TrimSuffix(string(log), "\n"), "\n") {
		text, _, _ := strings.Cut(line, `,"hash":"`)
		text = change(i+1, text)
		hash = roundlog.Chain(hash, []byte(text))
		out.WriteString(text + `,"hash":"` + hash + "\"}\n")
	}
	return out.Bytes()
}

func TestForgedLogIsRefused(t *testing.T) {
	log := example(t)
	swap := func(was, is string) func(int, string) string {
		return func(_ int, text string) string { return strings.Replace(text, was, is, 1) }
	}
	for _, tt := range []struct {
		name string
		log  []byte
		line int
		says string
	}{
		{"nothing", nil, 1, "empty"},
		{"another kind of file", []byte("hello\n"), 1, "not the header"},
		{"line ends of another system", bytes.ReplaceAll(log, []byte("\n"), []byte("\r\n")), 1, "a carriage return"},
		{"another version", forge(t, log, swap(`"version":1`, `"version":2`)), 1, "version 2; this program reads version 1"},
		{"another book", forge(t, log, swap(`"book":"rws-3cp@3","variant"`, `"book":"us-3cp","variant"`)), 1, "the log is of us-3cp"},
		{"other pays", forge(t, log, swap(`\"to\":40`, `\"to\":41`)), 1, "the hash"},
		{"other terms", forge(t, log, swap(`\"grace_ms\":15000`, `\"grace_ms\":15001`)), 1, "the terms have the hash"},
		{"a field more", forge(t, log, swap(`"software"`, `"extra":1,"software"`)), 1, "unknown field"},
		{"spaces", forge(t, log, swap(`"seq":1,`, `"seq": 1,`)), 2, "not written as version 1"},
		{"a higher bet", forge(t, log, swap(`"amount":1000}`, `"amount":2000}`)), 25, "the event settled"},
		{"a bet too late", forge(t, log, swap(`"kind":"examine","body":{"box":1,"player":"ann"}`, `"kind":"bet","body":{"box":1,"player":"ann","wager":"ante","amount":100}`)), 14, "does not accept"},
		{"another card", forge(t, log, swap(`{"card":"4s","place"`, `{"card":"4c","place"`)), 13, "the event cards-dealt"},
		{"a higher win", forge(t, log, swap(`"pays":500`, `"pays":900`)), 25, "the event settled"},
		{"an unknown command", forge(t, log, swap(`"kind":"reveal"`, `"kind":"peek"`)), 20, "this version of Trey does not know it"},
		{"a wrong number", forge(t, log, swap(`"command","seq":2`, `"command","seq":3`)), 5, "where number 2 should"},
		{"a wrong count", forge(t, log, swap(`"lines":25`, `"lines":24`)), 26, "counts 24 lines"},
	} {
		_, _, err := replay(tt.log)
		var fault *roundlog.Fault
		if !errors.As(err, &fault) || fault.Line != tt.line || !strings.Contains(fault.Reason, tt.says) {
			t.Errorf("%s: %v, want line %d: %s", tt.name, err, tt.line, tt.says)
		}
	}
	drop := func(n int) []byte {
		lines := bytes.SplitAfter(log, []byte("\n"))
		return forge(t, bytes.Join(append(lines[:n-1:n-1], lines[n:]...), nil), func(_ int, text string) string { return text })
	}
	for n := 2; n <= bytes.Count(log, []byte("\n")); n++ {
		if _, _, err := replay(drop(n)); err == nil {
			t.Errorf("line %d is missing, the rest chained anew, and the log passes", n)
		}
	}
}

// failing is a disk that is full after some writes.
type failing struct{ left int }

func (f *failing) Write(p []byte) (int, error) {
	if f.left--; f.left < 0 {
		return 0, errors.New("the disk is full")
	}
	return len(p), nil
}

func TestWriterStopsAtAnError(t *testing.T) {
	v := rws3cp.Book().Standard()
	w, err := roundlog.NewWriter(&failing{1}, v, table.Config{Device: rules.Shuffler, Cards: table.Virtual}, "trey")
	if err != nil {
		t.Fatal(err)
	}
	before := w.Hash()
	for range 2 {
		if err := w.Append(table.Command{By: people[2], Do: table.OpenBets{}}, nil); err == nil {
			t.Error("a full disk takes a command")
		}
	}
	if w.Hash() != before || w.Close() == nil {
		t.Error("the log goes on after an error")
	}
}

func FuzzReader(f *testing.F) {
	var log bytes.Buffer
	w, err := roundlog.NewWriter(&log, rws3cp.Book().Standard(), table.Config{Device: rules.Shoe, Cards: table.Read}, "trey")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(log.Bytes())
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	f.Add(log.Bytes())
	if text, err := os.ReadFile("testdata/example.jsonl"); err == nil {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		_, r, err := replay(text)
		if err == nil && r.Lines() != bytes.Count(text, []byte("\n")) {
			t.Error("a log passes that was not read to its end")
		}
		var fault *roundlog.Fault
		if err != nil && !errors.As(err, &fault) {
			t.Errorf("refused without a line: %v", err)
		}
		// The same text as the content of lines that are chained well.
		chained := seal(text)
		if _, _, err := replay(chained); err != nil && !errors.As(err, &fault) {
			t.Errorf("refused without a line: %v", err)
		}
	})
}

// seal chains any lines, whatever they hold.
func seal(text []byte) []byte {
	var out bytes.Buffer
	hash := ""
	for line := range bytes.Lines(text) {
		line, _, _ = bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(`,"hash":"`))
		line = bytes.TrimSuffix(line, []byte("}"))
		hash = roundlog.Chain(hash, line)
		out.Write(line)
		out.WriteString(`,"hash":"` + hash + "\"}\n")
	}
	return out.Bytes()
}

// A key that stands twice is refused by its name, in a log that is chained soundly.
func TestADoubledKeyIsNamed(t *testing.T) {
	log, err := os.ReadFile("testdata/example.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		line             int
		old, twice, want string
	}{
		{1, `"software":`, `"book":"rws-3cp@3","software":`, `line 1: the key "book" stands twice`},
		{2, `"kind":`, `"seq":1,"kind":`, `line 2: the key "seq" stands twice`},
		{2, `"kind":`, `"Seq":1,"kind":`, `line 2: the key "Seq" stands twice`},
		{3, `"kind":`, `"seq":1,"kind":`, `line 3: the key "seq" stands twice`},
	} {
		var out []byte
		previous := ""
		for i, line := range strings.SplitAfter(strings.TrimSuffix(string(log), "\n"), "\n") {
			text, _, _ := strings.Cut(line, `,"hash":"`)
			if i+1 == tt.line {
				if !strings.Contains(text, tt.old) {
					t.Fatalf("line %d has no %s", i+1, tt.old)
				}
				text = strings.Replace(text, tt.old, tt.twice, 1)
			}
			previous = roundlog.Chain(previous, []byte(text))
			out = append(out, text+`,"hash":"`+previous+"\"}\n"...)
		}
		if _, _, err := replay(out); err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, want %s", tt.twice, err, tt.want)
		}
	}
}
