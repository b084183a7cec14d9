package house_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"trey/card"
	"trey/internal/house"
	"trey/internal/house/housetest"
	"trey/internal/ledger"
	"trey/internal/steady"
	"trey/jackpot"
	"trey/money"
	"trey/rules"
	"trey/scenario"
	"trey/table"
)

// staged is a house on a store as the engine of a scenario: it gives its players
// money, and puts the cards of the script on top of the deck. Scenarios are about
// the rules, so their commands come in behind the matrix.
type staged struct {
	*site
	rich map[string]bool
}

func (s *staged) Open(name string, v *rules.Variant, c table.Config, meter money.Amount) (table.State, error) {
	t := house.Table{Name: name, Variant: v, Config: c, Meter: meter}
	if v.Jackpot != nil {
		t.Jackpot = "linked"
	}
	if err := s.Install(ctx(), t, admin); err != nil {
		return table.State{}, err
	}
	return housetest.Table(s, name)
}

func (s *staged) Do(name string, c table.Command) (scenario.Result, error) {
	s.clock.Store(c.AtMs)
	switch do := c.Do.(type) {
	case table.Bet:
		s.enrich(do.Player)
	case table.Found:
		s.enrich(do.Player)
	case table.Deal:
		state, err := housetest.Table(s, name)
		if err != nil {
			return scenario.Result{}, err
		}
		if state.Config.Cards == table.Virtual {
			c.Do = s.stack(do, &state)
		}
	}
	r, err := s.Behind(ctx(), name, c.By, c.Do)
	if err != nil {
		return scenario.Result{}, err
	}
	return scenario.Result{Command: r.Command(), Events: housetest.Events(r.Events), State: housetest.State(r.State), Jackpot: housetest.JackpotEvents(r.Moved)}, nil
}

// enrich gives a player more than any scenario bets, once.
func (s *staged) enrich(name string) {
	if name == "" || s.rich[name] {
		return
	}
	s.rich[name] = true
	s.buyIn(name, 1_000_000*money.Major)
}

// stack takes the cards out of a deal that the house makes itself and lays them
// on top of the next deck, under those that the round has used.
func (s *staged) stack(do table.Deal, state *table.State) table.Deal {
	s.top = nil
	for _, slot := range state.Slots {
		s.top = append(s.top, slot.Card)
	}
	do.Cards = append([]table.Drawn{}, do.Cards...)
	for i := range do.Cards {
		s.top = append(s.top, do.Cards[i].Card)
		do.Cards[i].Card = card.None
	}
	return do
}

func (s *staged) Progressive() (jackpot.State, bool) { return s.Jackpot("linked") }

// Every scenario of the engine holds in the house on its store; and the house,
// closed and opened again, stands where it stood. By default one in ten is played: package
// scenario plays all of them, without a house.
func TestScenarios(t *testing.T) {
	root := filepath.Join("..", "..", "scenario", "testdata")
	folder := t.TempDir()
	t.Cleanup(func() {
		bySecondProgram(t, folder)
		byThePage(t, folder)
	})
	found := 0
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".txtar" {
			return err
		}
		if found++; found%scenarioStep != 0 {
			return nil
		}
		number := found
		if !steady.Raced && !steady.Turn(number, 10) {
			return nil
		}
		short := strings.TrimSuffix(strings.TrimPrefix(name, root+string(filepath.Separator)), ".txtar")
		t.Run(filepath.ToSlash(short), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			script, err := scenario.Parse(name, text)
			if err != nil {
				t.Fatal(err)
			}
			// What a store keeps of a record is the same in a file and in memory
			// (storetest); opening files is most of the work here.
			open := newSiteOnFile
			if number%steady.Tries(50, 1) != 0 {
				open = newSite
			}
			s := &staged{site: open(t), rich: map[string]bool{}}
			s.clock.Store(0) // a scenario begins at its own time
			if err := script.Run(s, nil); err != nil {
				t.Fatal(err)
			}
			s.reopened()
			s.keep(filepath.Join(folder, fmt.Sprintf("%s-%%s-%%d.json", strings.ReplaceAll(filepath.ToSlash(short), "/", " "))))
		})
		return nil
	})
	if err != nil || found == 0 {
		t.Fatalf("%d scenarios: %v", found, err)
	}
}

// keep writes the records of all rounds into files, as if dealers had read the cards: those of
// a scenario lie on a deck that no seed leads to.
func (s *staged) keep(pattern string) {
	s.Helper()
	for _, name := range s.Tables() {
		for n := 1; ; n++ {
			r, err := s.Round(ctx(), name, n)
			if errors.Is(err, house.ErrNoRound) || errors.Is(err, house.ErrRoundOpen) {
				break
			}
			if err != nil {
				s.Fatal(err)
			}
			var document map[string]any
			if err := json.Unmarshal(r.Text, &document); err != nil {
				s.Fatal(err)
			}
			if _, drawn := document["seed"]; drawn {
				delete(document, "seed")
				document["config"].(map[string]any)["cards"] = "read"
				steps := slices.DeleteFunc(document["steps"].([]any), func(step any) bool { return step.(map[string]any)["kind"] == "add-seed" })
				for _, step := range steps {
					delete(step.(map[string]any), "seeds")
				}
				document["steps"] = steps
			}
			text, err := json.Marshal(document)
			if err != nil {
				s.Fatal(err)
			}
			if err := os.WriteFile(fmt.Sprintf(pattern, name, n), text, 0o600); err != nil {
				s.Fatal(err)
			}
		}
	}
}

// bySecondProgram has the verifier in another language settle the rounds of all scenarios once
// more. Whatever a clause or a ruling leads to, it comes to the same lines and the same money.
func bySecondProgram(t *testing.T, folder string) {
	t.Helper()
	allProven(t, folder, ": proven; ", "python3", filepath.Join("..", "..", "verify", "verify.py"))
}

// checkAll has the check of the page read the files that it is given, and prints what each comes to.
const checkAll = `
import { readFileSync } from "node:fs";
import { read } from "./check-exact.js";
import { check } from "./check-record.js";
for (const file of process.argv.slice(2)) {
  const { proven, findings } = check(read(readFileSync(file, "utf8")));
  const failed = findings.filter(({ result }) => result === "failed").map(({ check, sentence, where }) => [check, sentence, where].join(" "));
  console.log(file + ": " + (proven ? "proven;" : failed.join(", ")));
}
`

// byThePage has the check of the page do the same. Nothing in it needs a browser.
func byThePage(t *testing.T, folder string) {
	t.Helper()
	program := filepath.Join(folder, "page")
	if err := os.CopyFS(program, os.DirFS(filepath.Join("..", "web", "check"))); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"all.js": checkAll, "package.json": `{"type": "module"}`} {
		if err := os.WriteFile(filepath.Join(program, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	allProven(t, folder, ": proven;", "node", filepath.Join(program, "all.js"))
}

// allProven has a program read the rounds that are kept in a folder: it prints one line for each,
// with these words where the round is proven.
func allProven(t *testing.T, folder, proven, program string, arguments ...string) {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Logf("there is no %s: the rounds are not verified by it", program)
		return
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(files) == 0 {
		t.Errorf("no round is kept: %v", err)
		return
	}
	out, err := exec.Command(path, append(arguments, files...)...).CombinedOutput() // the context of the test has ended
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(files) {
		t.Errorf("%s: %d of %d rounds are verified, %v: %s", program, len(lines), len(files), err, out)
	}
	for _, line := range lines {
		if !strings.Contains(line, proven) {
			t.Error(line)
		}
	}
}

// reopened audits the books, opens the house again and compares.
func (s *staged) reopened() {
	s.Helper()
	if err := s.Audit(); err != nil {
		s.Fatal(err)
	}
	var before []string
	at := map[string]money.Amount{}
	for _, name := range s.Tables() {
		state, err := housetest.Table(s, name)
		if err != nil {
			s.Fatal(err)
		}
		before = append(before, visible(&state))
		at[name] = state.OnLayout()
	}
	meter, linked := s.Progressive()
	book := s.Book()
	s.provenAll()
	stops := s.restart() // the clock stood still, so nothing was affected
	s.compare(before, at, stops, meter, linked, book)
	// And from everything that was ever recorded.
	s.all = true
	stops = s.restart()
	s.compare(before, at, stops, meter, linked, book)
}

// compare checks a house that was opened again against what it was.
func (s *staged) compare(before []string, at map[string]money.Amount, stops []house.Interruption, meter jackpot.State, linked bool, book ledger.Book) {
	s.Helper()
	for i, name := range s.Tables() {
		state, err := housetest.Table(s, name)
		if err != nil {
			s.Fatal(err)
		}
		if after := visible(&state); after != before[i] {
			s.Errorf("table %s was\n%s\nand is, opened again,\n%s", name, before[i], after)
		}
		if at[name] > 0 {
			continue
		}
		for _, stop := range stops {
			if stop.Table == name {
				s.Errorf("nothing lay on the layout, and yet: %+v", stop)
			}
		}
	}
	if again, ok := s.Progressive(); ok != linked || !reflect.DeepEqual(again, meter) {
		s.Errorf("the jackpot was %+v and is, opened again, %+v", meter, again)
	}
	for _, a := range book.Accounts() {
		if was, now := book.Balance(a), s.Balance(a); was != now {
			s.Errorf("%s held %s and holds, opened again, %s", a, was, now)
		}
	}
	if owed := s.Balance(ledger.Account{Kind: ledger.Owed, Of: "ann"}); owed != 0 {
		s.Errorf("ann owes %s", owed)
	}
}

// visible returns everything that anybody may see of a table, and its slots.
func visible(s *table.State) string {
	text := fmt.Sprintf("%+v\n%v %v %v", table.View(*s, table.Viewer{}), s.Slots, s.Variant.ID, s.Variant.Hash())
	for i := range s.Boxes {
		for k := range s.Boxes[i].Bettors {
			text += fmt.Sprintf("\n%+v", table.View(*s, table.Viewer{Player: s.Boxes[i].Bettors[k].Player}))
		}
	}
	return text
}
