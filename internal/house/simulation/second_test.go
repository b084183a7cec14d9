package simulation

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/steady"
	"trey/rules"
	"trey/rules/books"
)

// secondProgram is the verifier in another language, which was written from the documents.
var secondProgram = filepath.Join("..", "..", "..", "verify", "verify.py")

// python returns the interpreter that runs the second program.
func python(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3: the second program cannot run")
	}
	return path
}

// bySecondProgram verifies records and returns what is said of each.
func bySecondProgram(t *testing.T, records [][]byte) []string {
	t.Helper()
	folder := t.TempDir()
	arguments := []string{secondProgram}
	for i, text := range records {
		path := filepath.Join(folder, fmt.Sprintf("%04d.json", i))
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		arguments = append(arguments, path)
	}
	var logs bytes.Buffer
	run := exec.CommandContext(t.Context(), python(t), arguments...)
	run.Stderr = &logs
	out, err := run.Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		t.Fatalf("%v: %s%s", err, out, logs.String())
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != len(records) {
		t.Fatalf("%d of %d records are verified\n%s%s", len(lines), len(records), out, logs.String())
	}
	return lines
}

// The second program has tests of its own, against published vectors.
func TestTheSecondProgramPassesItsOwnTests(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	run := exec.CommandContext(t.Context(), python(t), "-m", "unittest", "-q", "verify_test")
	run.Dir = filepath.Dir(secondProgram)
	run.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	if out, err := run.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// The sample records of package proof, in which persons stand by number, are proven by the
// second program as well, also when every name was erased.
func TestTheSecondProgramProvesTheSamples(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("..", "proof", "testdata", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var records [][]byte
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		erased := regexp.MustCompile(`"names":\{[^}]+\}`).ReplaceAll(text, []byte(`"names":{}`))
		if !bytes.Contains(text, []byte(`"name":"#`)) || bytes.Equal(text, erased) {
			t.Errorf("%s has no person by number, or no names", file)
		}
		records = append(records, text, erased)
	}
	for i, said := range bySecondProgram(t, records) {
		if !strings.Contains(said, ": proven") {
			t.Errorf("%s, names erased %t: %s", files[i/2], i%2 == 1, said)
		}
	}
}

// records returns the records of all rounds that have ended.
func (w *world) records() (records [][]byte) {
	w.Helper()
	for _, name := range w.house.Tables() {
		s, err := w.house.Table(name)
		if err != nil {
			w.fail("%v", err)
		}
		for n := 1; n <= s.Round(); n++ {
			round, err := w.house.Round(ctx(), name, n)
			for errors.Is(err, errBadSector) {
				round, err = w.house.Round(ctx(), name, n)
			}
			if errors.Is(err, house.ErrRoundOpen) {
				continue
			}
			if err != nil {
				w.fail("the record of round %d of table %s: %v", n, name, err)
			}
			records = append(records, round.Text)
		}
	}
	return records
}

// A program that shares no code with this one verifies the rounds of this run, with all that
// went wrong at them. No alteration of any kind goes through.
func TestTheSecondProgramVerifiesWhatIsPlayed(t *testing.T) {
	t.Parallel()
	seed := cmp.Or(*oneSeed, 1) // any other with -simulation.seed
	// Houses are played until there is something of everything to alter: as a rule one is enough.
	var records [][]byte
	played := map[string]int{}
	complete := func() bool {
		return len(played) == len(books.All()) && !slices.ContainsFunc(alterations, func(a alteration) bool {
			return !a.rare && !slices.ContainsFunc(records, func(r []byte) bool { return a.alter(read(t, r)) })
		})
	}
	for n := uint64(0); n < 8 && !complete(); n++ {
		w := newWorld(t, seed+n)
		w.play(80)
		for _, r := range w.records() {
			records = append(records, r)
			played[fmt.Sprint(read(t, r).document["book"])]++
		}
	}
	if !complete() {
		t.Fatalf("something was never played: %v", played)
	}
	for i, said := range bySecondProgram(t, records) {
		if !strings.Contains(said, ": proven") {
			t.Errorf("%s\n%s", said, records[i])
		}
	}

	rng := rand.New(rand.NewPCG(seed, 2))
	var names []string
	var altered [][]byte
	each := steady.Share(1, steady.Tries(2, 6))
	for _, a := range alterations {
		made := 0
		for _, n := range rng.Perm(len(records)) {
			if made == each {
				break
			}
			r := read(t, records[n])
			if !a.alter(r) {
				continue
			}
			text, err := json.Marshal(r.document)
			if err != nil {
				t.Fatal(err)
			}
			made++
			names, altered = append(names, a.name), append(altered, text)
		}
		if made == 0 {
			t.Logf("no round of this run has what this takes: %s", a.name)
		}
	}
	for i, said := range bySecondProgram(t, altered) {
		if !strings.Contains(said, ": FAILED") {
			t.Errorf("%s goes through: %s\n%s", names[i], said, altered[i])
		}
	}
	t.Logf("%d rounds %v, %d alterations of %d kinds", len(records), played, len(altered), len(alterations))
}

// object is an object of JSON.
type object = map[string]any

// altering is a record that is altered.
type altering struct{ document object }

func read(t *testing.T, text []byte) *altering {
	t.Helper()
	r := &altering{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&r.document); err != nil {
		t.Fatal(err)
	}
	return r
}

func list(of object, key string) []any { l, _ := of[key].([]any); return l }

func (r *altering) steps() (steps []object) {
	for _, s := range list(r.document, "steps") {
		steps = append(steps, s.(object))
	}
	return steps
}

// bodies returns the bodies of the events of a kind, and the steps in which they stand.
func (r *altering) bodies(in, kind string) (bodies, steps []object) {
	for _, s := range r.steps() {
		for _, e := range list(s, in) {
			if e.(object)["kind"] == kind {
				bodies, steps = append(bodies, e.(object)["body"].(object)), append(steps, s)
			}
		}
	}
	return bodies, steps
}

func (r *altering) postings() (postings []object, steps []object) {
	for _, s := range r.steps() {
		for _, p := range list(s, "postings") {
			postings, steps = append(postings, p.(object)), append(steps, s)
		}
	}
	return postings, steps
}

// lines returns the lines of settlements.
func (r *altering) lines() (lines, bodies []object) {
	for _, kind := range []string{"settled", "box-settled"} {
		found, _ := r.bodies("events", kind)
		for _, b := range found {
			for _, l := range list(b, "lines") {
				lines, bodies = append(lines, l.(object)), append(bodies, b)
			}
		}
	}
	return lines, bodies
}

// more adds to an amount.
func more(of object, key string) {
	n, _ := of[key].(json.Number)
	v, _ := n.Int64()
	of[key] = json.Number(fmt.Sprint(v + 1))
}

// otherDigit changes the first digit of a text in hexadecimal digits.
func otherDigit(of object, key string) bool {
	text, ok := of[key].(string)
	if !ok {
		return false
	}
	if text[0] == '0' {
		of[key] = "1" + text[1:]
	} else {
		of[key] = "0" + text[1:]
	}
	return true
}

// restate puts other terms into the record, under their own hash.
func (r *altering) restate(from, to string) bool {
	terms := r.document["terms"].(string)
	other := strings.ReplaceAll(terms, from, to)
	r.document["terms"], r.document["rules_hash"] = other, rules.HashOf([]byte(other))
	return other != terms
}

// alteration is one kind of alteration; alter reports whether the record had what it takes.
type alteration struct {
	name  string
	rare  bool
	alter func(r *altering) bool
}

// alterations are the edits that a forger may make before the record is shown to others. A rare one
// needs a round that not every house plays.
var alterations = []alteration{
	{"the amount of a bet that is asked for", false, func(r *altering) bool {
		for _, s := range r.steps() {
			if s["kind"] == "bet" {
				more(s["body"].(object), "amount")
				return true
			}
		}
		return false
	}},
	{"the amount of a bet, wherever the transaction has it", false, func(r *altering) bool {
		for _, s := range r.steps() {
			if s["kind"] == "bet" {
				more(s["body"].(object), "amount")
				more(list(s, "events")[0].(object)["body"].(object), "amount")
				more(list(s, "postings")[0].(object), "amount")
				return true
			}
		}
		return false
	}},
	{"the amount of a posting", false, func(r *altering) bool {
		postings, _ := r.postings()
		if len(postings) > 0 {
			more(postings[len(postings)-1], "amount")
		}
		return len(postings) > 0
	}},
	{"the account of a posting", false, func(r *altering) bool {
		postings, _ := r.postings()
		for _, p := range postings {
			if to, _ := p["to"].(string); strings.HasPrefix(to, "player:") {
				p["to"] = "player:mallory"
				return true
			}
		}
		return false
	}},
	{"a posting left out", false, func(r *altering) bool {
		_, steps := r.postings()
		if len(steps) > 0 {
			s := steps[len(steps)-1]
			s["postings"] = list(s, "postings")[1:]
		}
		return len(steps) > 0
	}},
	{"a posting made twice", false, func(r *altering) bool {
		postings, steps := r.postings()
		if len(steps) > 0 {
			last := len(steps) - 1
			steps[last]["postings"] = append(list(steps[last], "postings"), postings[last])
		}
		return len(steps) > 0
	}},
	{"what a line pays, and its posting with it", false, func(r *altering) bool {
		lines, _ := r.lines()
		for _, l := range lines {
			if l["pays"] == json.Number("0") {
				continue
			}
			more(l, "pays")
			more(l, "returned")
			postings, _ := r.postings()
			for _, p := range postings {
				about := p["for"].(object)
				if about["reason"] == "winnings" && about["box"] == l["box"] && about["wager"] == l["wager"] {
					more(p, "amount")
				}
			}
			return true
		}
		return false
	}},
	{"how a wager ends", false, func(r *altering) bool {
		lines, _ := r.lines()
		for _, l := range lines {
			if l["result"] == "lose" {
				l["result"] = "push"
				return true
			}
		}
		return false
	}},
	{"the clause of a line", false, func(r *altering) bool {
		lines, _ := r.lines()
		if len(lines) > 0 {
			lines[0]["clause"] = "9.9"
		}
		return len(lines) > 0
	}},
	{"an Envy Bonus", true, func(r *altering) bool {
		lines, _ := r.lines()
		for _, l := range lines {
			if l["wager"] == "envy" {
				more(l, "pays")
				more(l, "returned")
				return true
			}
		}
		return false
	}},
	{"an Envy Bonus left out", true, func(r *altering) bool {
		lines, bodies := r.lines()
		for i, l := range lines {
			if l["wager"] == "envy" {
				bodies[i]["lines"] = slices.DeleteFunc(list(bodies[i], "lines"), func(o any) bool { return o.(object)["wager"] == "envy" })
				return true
			}
		}
		return false
	}},
	{"a line left out", false, func(r *altering) bool {
		_, bodies := r.lines()
		if len(bodies) > 0 {
			bodies[0]["lines"] = list(bodies[0], "lines")[1:]
		}
		return len(bodies) > 0
	}},
	{"a card of the deck", false, func(r *altering) bool {
		bodies, steps := r.bodies("events", "cards-dealt")
		if r.document["seed"] == nil || len(bodies) == 0 || steps[0]["kind"] != "deal" {
			return false
		}
		const other = "2c"
		dealt := list(bodies[0], "cards")
		if slices.ContainsFunc(dealt, func(c any) bool { return c.(object)["card"] == other }) {
			return false
		}
		dealt[0].(object)["card"] = other
		list(steps[0]["body"].(object), "cards")[0].(object)["card"] = other
		return true
	}},
	{"the order of the cards dealt", false, func(r *altering) bool {
		bodies, _ := r.bodies("events", "cards-dealt")
		if r.document["seed"] == nil || len(bodies) == 0 || len(list(bodies[0], "cards")) < 2 {
			return false
		}
		cards := list(bodies[0], "cards")
		cards[0], cards[1] = cards[1], cards[0]
		return true
	}},
	{"the hand of the dealer", false, func(r *altering) bool {
		bodies, _ := r.bodies("events", "dealer-shown")
		if len(bodies) == 0 || r.document["config"].(object)["cards"] == "unseen" {
			return false
		}
		hand := list(bodies[0], "hand")
		for _, other := range []string{"2c", "3d", "4h", "5s"} {
			if !slices.Contains(hand, any(other)) {
				hand[0] = other
				return true
			}
		}
		return false
	}},
	{"whether the dealer qualifies", false, func(r *altering) bool {
		bodies, _ := r.bodies("events", "dealer-shown")
		if len(bodies) > 0 {
			bodies[0]["qualifies"] = bodies[0]["qualifies"] != true
		}
		return len(bodies) > 0
	}},
	{"a decision", false, func(r *altering) bool {
		for _, s := range r.steps() {
			if s["kind"] == "raise" {
				s["kind"] = "fold"
				return true
			}
		}
		return false
	}},
	{"the seed", false, func(r *altering) bool {
		seed, _ := r.document["seed"].(object)
		return otherDigit(seed, "seed")
	}},
	{"the commitment", false, func(r *altering) bool {
		seed, _ := r.document["seed"].(object)
		return otherDigit(seed, "commitment")
	}},
	{"the seed of a player", true, func(r *altering) bool {
		seed, _ := r.document["seed"].(object)
		added := list(seed, "own")
		if len(added) > 0 {
			added[0].(object)["text"] = added[0].(object)["text"].(string) + "!"
		}
		return len(added) > 0
	}},
	{"the seed of a player left out", true, func(r *altering) bool {
		seed, _ := r.document["seed"].(object)
		added := list(seed, "own")
		delete(seed, "own")
		return len(added) > 0
	}},
	{"a seed for a round that was dealt by hand", true, func(r *altering) bool {
		if r.document["seed"] != nil {
			return false
		}
		r.document["config"].(object)["cards"] = "virtual"
		return true
	}},
	{"the order of two transactions", false, func(r *altering) bool {
		steps := list(r.document, "steps")
		steps[0], steps[1] = steps[1], steps[0]
		return true
	}},
	{"a transaction left out", false, func(r *altering) bool {
		for i, s := range r.steps() {
			if s["kind"] == "bet" {
				r.document["steps"] = slices.Delete(list(r.document, "steps"), i, i+1)
				return true
			}
		}
		return false
	}},
	{"the last transactions left out", false, func(r *altering) bool {
		steps := list(r.document, "steps")
		for i, s := range r.steps() {
			for _, e := range list(s, "events") {
				if k := e.(object)["kind"]; k == "settled" || k == "round-voided" {
					r.document["steps"] = steps[:i]
					return true
				}
			}
		}
		return false
	}},
	{"a transaction made twice", false, func(r *altering) bool {
		steps := list(r.document, "steps")
		again := maps.Clone(steps[1].(object))
		r.document["steps"] = slices.Insert(steps, 1, any(again))
		return true
	}},
	{"a transaction of another time", false, func(r *altering) bool {
		steps := r.steps()
		steps[len(steps)-1]["at_ms"] = json.Number("0")
		return true
	}},
	{"the player of a bet", false, func(r *altering) bool {
		bodies, _ := r.bodies("events", "bet-placed")
		if len(bodies) > 0 {
			bodies[0]["player"] = "mallory"
		}
		return len(bodies) > 0
	}},
	{"who gave a player's command", false, func(r *altering) bool {
		for _, s := range r.steps() {
			if by := s["by"].(object); by["role"] == "player" && s["kind"] == "bet" {
				by["name"] = "mallory"
				return true
			}
		}
		return false
	}},
	{"a pay in the terms", false, func(r *altering) bool {
		terms := r.document["terms"].(string)
		r.document["terms"] = strings.Replace(terms, `"to":1,`, `"to":2,`, 1)
		return true
	}},
	{"the pays in the terms, and their hash", false, func(r *altering) bool {
		lines, _ := r.lines()
		won := slices.ContainsFunc(lines, func(l object) bool { return l["wager"] == "ante" && l["pays"] != json.Number("0") })
		return won && r.restate(`"to":1,"for":1`, `"to":2,"for":1`)
	}},
	{"a ruling in the terms", false, func(r *altering) bool {
		terms := r.document["terms"].(string)
		r.document["terms"] = strings.Replace(terms, `"rulings":{"`, `"rulings":{"a":"b","`, 1)
		return true
	}},
	{"the declaration of the book", false, func(r *altering) bool {
		r.document["declaration"] = strings.Replace(r.document["declaration"].(string), `"least":"Q`, `"least":"K`, 1) + " "
		return true
	}},
	{"the book", false, func(r *altering) bool { r.document["book"] = "rws-3cp@4"; return true }},
	{"the table", false, func(r *altering) bool {
		postings, _ := r.postings()
		r.document["table"] = "another"
		return len(postings) > 0
	}},
	{"the round", false, func(r *altering) bool { more(r.document, "round"); return true }},
	{"how the round ended", false, func(r *altering) bool {
		if r.document["ended"] == "void" {
			r.document["ended"] = "settled"
		} else {
			r.document["ended"] = "void"
		}
		return true
	}},
	{"the meter of the jackpot", true, func(r *altering) bool {
		_, steps := r.bodies("moved", "contributed")
		if len(steps) == 0 {
			return false
		}
		meter, ok := steps[0]["meter"].(object)
		if ok {
			more(meter, "meter")
		}
		return ok
	}},
	{"what is put into the meter", true, func(r *altering) bool {
		bodies, _ := r.bodies("moved", "contributed")
		if len(bodies) > 0 {
			more(bodies[0], "to_meter")
		}
		return len(bodies) > 0
	}},
	{"what a hit is paid", true, func(r *altering) bool {
		bodies, _ := r.bodies("moved", "hit-paid")
		if len(bodies) > 0 {
			more(bodies[0], "amount")
		}
		return len(bodies) > 0
	}},
	{"how much of the meter the house pays again", true, func(r *altering) bool {
		bodies, _ := r.bodies("moved", "hit-paid")
		if len(bodies) > 0 {
			more(bodies[0], "reset_by_house")
		}
		return len(bodies) > 0
	}},
}
