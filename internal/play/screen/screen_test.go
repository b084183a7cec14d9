package screen

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"pgregory.net/rapid"

	"trey/card"
	"trey/internal/house"
	"trey/internal/play"
	"trey/internal/shuffle"
	_ "trey/internal/steady"
	"trey/internal/store/memory"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

type fataler interface{ Fatal(...any) }

func host(seed uint64) play.Host { return hostOn(new(memory.Disk), seed, nil) }

func hostOn(disk *memory.Disk, seed uint64, write func(int, *house.Transaction) memory.Fate) play.Host {
	store, err := disk.Open(memory.Faults{Write: write})
	if err != nil {
		panic(err)
	}
	var now int64
	return play.Host{Store: store, Seed: shuffle.Numbered(seed), NowMs: func() int64 { now++; return now }}
}

func begin(t fataler, h play.Host, book string, boxes int) *Model {
	h.Boxes = boxes
	s, _, err := play.Start(h)
	if err != nil {
		t.Fatal(err)
	}
	if book != "" {
		if err := s.Sit(book, ""); err != nil {
			t.Fatal(err)
		}
	}
	return New(s, nil)
}

// press makes the message of a key as bubbletea would.
func press(key string) tea.KeyPressMsg {
	special := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "left": tea.KeyLeft, "right": tea.KeyRight,
		"up": tea.KeyUp, "down": tea.KeyDown, "tab": tea.KeyTab, "space": tea.KeySpace,
		"backspace": tea.KeyBackspace, "pgdown": tea.KeyPgDown, "pgup": tea.KeyPgUp,
	}
	if code, ok := special[key]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	if key == "ctrl+c" {
		return tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}
	}
	return tea.KeyPressMsg{Code: rune(key[0]), Text: key}
}

func (m *Model) presses(keys ...string) {
	for _, key := range keys {
		m.Update(press(key))
	}
}

// fits returns the parts that do not fit on the screen.
func fits(m *Model) error {
	lines := strings.Split(m.View().Content, "\n")
	if len(lines) > m.height {
		return fmt.Errorf("%d lines on a screen of %d", len(lines), m.height)
	}
	for i, line := range lines {
		if w := lipgloss.Width(line); w > m.width {
			return fmt.Errorf("line %d is %d wide on a screen of %d: %s", i+1, w, m.width, line)
		}
	}
	if last := lines[len(lines)-1]; m.height >= LeastHeight && m.width >= LeastWidth && strings.TrimSpace(last) == "" {
		return errors.New("no keys are shown")
	}
	return nil
}

func (m *Model) content() string { return m.View().Content }

func TestKeysAreNamedAsExpected(t *testing.T) {
	for _, key := range []string{"enter", "esc", "left", "up", "tab", "space", "ctrl+c", "backspace", "pgdown", "d", "?", "+", "-", "C"} {
		if got := press(key).String(); got != key && !(key == "C" && got == "shift+c") {
			t.Errorf("%q is named %q", key, got)
		}
	}
}

// Whatever is pressed, at whatever size, everything shown finds room, nothing is
// cut off and no money is lost or made.
func TestEverythingFits(t *testing.T) {
	keys := []string{
		"enter", "enter", "enter", "left", "right", "right", "up", "down", "-", "c", "C", "r", "r", "n",
		"d", "d", "d", "l", "l", "p", "p", "p", "f", "u", "u", "v", "v", "b", "m", "t", "h", "?", "g", "q", "esc", "tab", "1", "3",
		"9", "z", "space", "pgdown", "pgup", "w", "y",
	}
	rapid.Check(t, func(t *rapid.T) {
		all := books.All()
		book := all[rapid.IntRange(0, len(all)-1).Draw(t, "book")]
		h := host(rapid.Uint64().Draw(t, "seed"))
		h.Others, h.Below = rapid.IntRange(0, 7).Draw(t, "others"), func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "chance") }
		m := begin(t, h, book.ID, rapid.SampledFrom([]int{0, 1, 2, 7, 8}).Draw(t, "boxes"))
		size := rapid.SampledFrom([]tea.WindowSizeMsg{
			{Width: 80, Height: 24},
			{Width: 80, Height: 24},
			{Width: 80, Height: 24},
			{Width: 80, Height: 30},
			{Width: 97, Height: 25},
			{Width: 119, Height: 24},
			{Width: 120, Height: 40},
			{Width: 200, Height: 60},
			{Width: 40, Height: 10},
		}).Draw(t, "size")
		m.Update(size)
		for range rapid.IntRange(5, 25).Draw(t, "presses") {
			key := rapid.SampledFrom(keys).Draw(t, "key")
			m.Update(press(key))
			if m.done {
				break
			}
			if err := fits(m); err != nil {
				t.Fatalf("after %s: %v", key, err)
			}
			if strings.Contains(m.message, "stopped") {
				t.Fatal(m.message)
			}
			if size.Width >= LeastWidth && m.page == tablePage && !strings.Contains(m.content(), "Balance $"+m.session.Balance().Display()) {
				t.Fatal("the balance is not shown")
			}
		}
	})
}

func TestRoundOnScreen(t *testing.T) {
	m := begin(t, host(7), "rws-3cp", 0)
	shows := func(parts ...string) {
		t.Helper()
		content := m.content()
		for _, part := range parts {
			if !strings.Contains(content, part) {
				t.Errorf("%q is not shown in\n%s", part, content)
			}
		}
	}
	shows("Place your bets, please", "rws-3cp@3 3.2", "Jackpot $10,000.00")
	m.presses("3", "down", "down", "enter")
	shows("needs your own Ante bet on box 3 first", "rws-3cp@3 3.8")
	m.presses("1", "up", "up", "enter", "enter", "down", "enter", "down", "enter", "3", "up", "up", "enter", "d")
	shows("DEALER", "one hand", "to decide", "Jackpot $10,002.00", "rws-3cp@3 3.12")
	if m.box != 2 {
		t.Errorf("after the deal the cursor is on box %d", m.box+1)
	}
	m.presses("1", "l", "3", "l")
	shows("one hand only", "rws-3cp@3 3.7")
	m.presses("f", "p")
	m.presses("enter")
	shows("The round is settled", "3.12.1", "This round: +5.00", "Dealer plays with a King.")
	for _, l := range m.session.Lines() {
		shows(l.Clause)
	}
	m.presses("h")
	shows("3 Card Poker", "+5.00")
	m.presses("enter")
	shows("Round 1", "not seen, folded", "Pair Plus")
	m.presses("esc", "esc", "r")
	if m.session.Staked() != 25*money.Major {
		t.Errorf("the same bets are %s", m.session.Staked())
	}
	m.presses("q")
	if !m.done || m.session.Balance() != 1005*money.Major {
		t.Errorf("left: %t, with %s", m.done, m.session.Balance())
	}
}

func TestMenuAndSwitching(t *testing.T) {
	m := begin(t, host(1), "", 0)
	for _, b := range books.All() {
		if !strings.Contains(m.content(), b.Title) {
			t.Errorf("%s is not on the menu", b.Title)
		}
	}
	m.presses("down", "down", "down", "enter")
	if m.session.Variant() == nil || m.session.Variant().Book.ID != "mbs-3pictures" {
		t.Fatalf("sat down at %+v", m.session.Game())
	}
	m.presses("enter", "g")
	if m.page != tablePage {
		t.Error("the game can be left with bets on the table")
	}
	m.presses("-", "g", "3")
	if m.session.Variant().Book.ID != "sm-3cp" {
		t.Errorf("switched to %s", m.session.Variant().Book.ID)
	}
	for i, b := range books.All() {
		m.presses("g", string(rune('1'+i)))
		if m.session.Variant().Book != b {
			t.Errorf("number %d is %s", i+1, m.session.Variant().Book.ID)
		}
	}
	m.presses("g", "9")
	if m.page != menuPage || !strings.Contains(m.content(), fmt.Sprintf("The games have the numbers 1 to %d.", len(books.All()))) {
		t.Error(m.content())
	}
	m.presses("3", "b")
	if name := m.session.Game().PayTable; name != "TCPB-04E" || !strings.Contains(m.content(), "TCPB-04E") {
		t.Errorf("bonus table %q", name)
	}
}

// Who sees no table because the window is too small bets and decides nothing, and can leave.
func TestKeysInASmallWindow(t *testing.T) {
	m := begin(t, host(1), "rws-3cp", 0)
	small := tea.WindowSizeMsg{Width: 40, Height: 20}
	m.Update(small)
	m.presses("enter", "d")
	if m.session.Staked() != 0 || !strings.Contains(m.content(), "leave with q") {
		t.Errorf("$%s is staked:\n%s", m.session.Staked(), m.content())
	}
	m.Update(tea.WindowSizeMsg{Width: LeastWidth, Height: LeastHeight})
	m.presses("enter", "d")
	m.Update(small)
	m.presses("p", "f", "q")
	if m.session.Phase() != table.Deciding || !strings.Contains(m.content(), "$5.00 is at stake") {
		t.Error(m.content())
	}
	if m.presses("n"); m.done || !strings.Contains(m.content(), "leave with q") {
		t.Error(m.content())
	}
	if m.presses("ctrl+c", "ctrl+c"); !m.done {
		t.Error(m.content())
	}
}

func TestNoticeComesFirst(t *testing.T) {
	s, _, err := play.Start(host(1))
	if err != nil {
		t.Fatal(err)
	}
	notice := strings.Split(strings.Repeat("The round was interrupted and a good deal is to be said about what became of it.\n", 30), "\n")
	m := New(s, notice)
	if err := fits(m); err != nil || !strings.Contains(m.content(), "a good deal is to be said") {
		t.Error(err, m.content())
	}
	m.presses("down", "pgdown", "enter")
	if m.page != menuPage {
		t.Error("the notice does not give way")
	}
}

func TestLeavingMidRound(t *testing.T) {
	const at = "$5.00 is at stake"
	tests := []struct {
		name, book string
		keys       []string
		done       bool
		shows      string
		said       string
	}{
		{"q warns, and n stays", "rws-3cp", []string{"enter", "d", "q", "n"}, false, "Play or fold", ""},
		{"q warns with the amount", "rws-3cp", []string{"enter", "d", "q"}, false, at, ""},
		{"q, y", "rws-3cp", []string{"enter", "d", "q", "y"}, true, "", "box 1 is folded (rws-3cp@3 5.5)"},
		{"Ctrl-C warns", "rws-3cp", []string{"enter", "d", "l", "ctrl+c"}, false, at, ""},
		{"Ctrl-C twice", "rws-3cp", []string{"enter", "d", "l", "ctrl+c", "ctrl+c"}, true, "", "by -5.00"},
		{"Ctrl-C, then another key", "rws-3cp", []string{"enter", "d", "ctrl+c", "x", "ctrl+c"}, false, at, ""},
		{"Ctrl-C twice after a fold", "us-3cp", []string{"enter", "right", "enter", "d", "f", "ctrl+c", "ctrl+c"}, true, "", "box 1 is folded (us-3cp rules.3)"},
		{"Ctrl-C on another page", "sm-3cp", []string{"enter", "d", "?", "ctrl+c"}, false, "(sm-3cp ways.1)", ""},
		{"no fold in this book", "mbs-3pictures", []string{"enter", "d", "l", "ctrl+c"}, false, "the hands are opened", ""},
		{"nor when it is left", "mbs-3pictures", []string{"enter", "d", "l", "q", "y"}, true, "", "(mbs-3pictures@2 3.14)"},
		{"open bets are taken back", "rws-3cp", []string{"enter", "ctrl+c"}, true, "", "your bets of $5.00 are taken back"},
		{"nothing lies there", "rws-3cp", []string{"ctrl+c"}, true, "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := begin(t, host(5), test.book, 0)
			m.presses(test.keys...)
			said := strings.Join(m.Farewell(), " ")
			if m.done != test.done || !strings.Contains(said, test.said) || !m.done && !strings.Contains(m.content(), test.shows) {
				t.Errorf("done %t, said %q, shown\n%s", m.done, said, m.content())
			}
			if err := fits(m); err != nil {
				t.Error(err)
			}
		})
	}
	m := begin(t, host(5), "rws-3cp", 0)
	m.presses("enter", "d")
	if m.Update(Interrupt{}); m.done || !strings.Contains(m.content(), at) {
		t.Error("an interrupt leaves without a warning")
	}
	if _, cmd := m.Update(Stop{}); cmd == nil || !m.done || m.session.Staked() != 5*money.Major || !strings.Contains(strings.Join(m.Farewell(), " "), "stays as it is") {
		t.Errorf("a signal: done %t, staked %s, %q", m.done, m.session.Staked(), m.Farewell())
	}
}

// A round that goes on is on the screen at once, with the cursor on what is to be
// decided.
func TestRoundThatGoesOn(t *testing.T) {
	var disk memory.Disk
	h := hostOn(&disk, 5, nil)
	m := begin(t, h, "rws-3cp", 0)
	m.presses("2", "enter", "4", "enter", "d", "2", "f")
	if err := h.Store.(*memory.Store).Close(); err != nil {
		t.Fatal(err)
	}
	s, resumed, err := play.Start(hostOn(&disk, 6, nil))
	if err != nil {
		t.Fatal(err)
	}
	m = New(s, resumed)
	if !strings.Contains(m.content(), "goes on where it stood") {
		t.Error(m.content())
	}
	m.presses("enter")
	if m.page != tablePage || m.box != 3 || !strings.Contains(m.content(), "▸ Box 4 ◂") {
		t.Errorf("box %d:\n%s", m.box+1, m.content())
	}
	m.presses("p", "enter")
	if m.session.Phase() != table.Paid {
		t.Error(m.content())
	}
}

// The other players are on the screen with their names and bets, and after the
// round their lines follow the player's own.
func TestOthersOnScreen(t *testing.T) {
	for _, b := range books.All() {
		h := host(3)
		h.Others, h.Below = 4, func(int) int { return 0 }
		m := begin(t, h, b.ID, 0)
		for _, size := range []tea.WindowSizeMsg{{Width: 80, Height: 24}, {Width: 140, Height: 40}} {
			m.Update(size)
			for _, name := range []string{"2 Ann", "3 Ben", "4 Cleo", "5 Dan"} {
				if !strings.Contains(m.content(), name) {
					t.Errorf("%s at %d columns: %s is not shown:\n%s", b.ID, size.Width, name, m.content())
				}
			}
			if err := fits(m); err != nil {
				t.Error(err)
			}
		}
		m.presses("enter", "d", "right")
		if m.box != 0 {
			t.Errorf("%s: the cursor is on box %d, which is not the player's", b.ID, m.box+1)
		}
		m.presses("p", "enter")
		if m.session.Phase() != table.Paid {
			t.Fatalf("%s: not settled:\n%s", b.ID, m.content())
		}
		if strings.Contains(m.content(), "unseen") {
			t.Errorf("%s: it says what another player has not seen:\n%s", b.ID, m.content())
		}
		m.presses("down", "down", "down", "down", "down", "down")
		if !slices.ContainsFunc(m.session.Lines(), func(l table.Line) bool {
			return l.Player != play.Player && strings.Contains(m.content(), l.Clause+"  "+l.Player)
		}) {
			t.Errorf("%s: no line of another player is named:\n%s", b.ID, m.content())
		}
		mine := true
		for _, l := range ownFirst(m.session.Lines()) {
			if l.Player == play.Player && !mine {
				t.Errorf("%s: a line of the player's after another's", b.ID)
			}
			mine = mine && l.Player == play.Player
		}
		if mine {
			t.Errorf("%s: the others have no lines", b.ID)
		}
		if want := fmt.Sprintf("This round: %s", play.Signed(m.session.Net())); !strings.Contains(m.content(), want) {
			t.Errorf("%s: %q is not in\n%s", b.ID, want, m.content())
		}
		if err := fits(m); err != nil {
			t.Error(err)
		}
	}
}

// A refusal after the round stands whole beside the lines, also on the least
// screen.
func TestRefusalAfterTheRoundIsWhole(t *testing.T) {
	for _, b := range books.All() {
		m := begin(t, host(7), b.ID, 0)
		m.presses("enter", "down", "enter", "right", "up", "enter", "down", "enter", "d", "p", "p", "p", "p", "p", "enter", "d")
		if m.session.Phase() != table.Paid || !m.wrong {
			t.Fatalf("%s: %q in\n%s", b.ID, m.message, m.content())
		}
		text := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(m.content(), "")
		words := strings.Join(strings.Fields(text), " ")
		if strings.Contains(text, "…") || !strings.Contains(words, strings.Join(strings.Fields(m.message), " ")) {
			t.Errorf("%s: %q is cut:\n%s", b.ID, m.message, text)
		}
		if err := fits(m); err != nil {
			t.Error(err)
		}
	}
}

func TestLeavingWhenNothingCanBeWritten(t *testing.T) {
	fate := memory.Recorded
	m := begin(t, hostOn(new(memory.Disk), 5, func(int, *house.Transaction) memory.Fate { return fate }), "rws-3cp", 0)
	m.presses("enter", "d")
	fate = memory.Refused
	m.presses("ctrl+c", "ctrl+c")
	if m.done || !strings.Contains(m.content(), "has stopped") {
		t.Error("it left without saying that nothing could be written")
	}
	m.presses("ctrl+c", "ctrl+c")
	if !m.done || !strings.Contains(strings.Join(m.Farewell(), " "), "stays as it is") {
		t.Errorf("done %t, %q", m.done, m.Farewell())
	}
}

// The picture in the documentation is what the program shows for that seed.
func TestPictureIsTrue(t *testing.T) {
	picture, err := os.ReadFile("../../../docs/pictures/play.txt")
	if err != nil {
		t.Fatal(err)
	}
	m := begin(t, host(1021), "rws-3cp", 4)
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 27})
	m.presses("enter", "enter", "down", "enter", "down", "enter", "right", "up", "up", "enter", "down", "enter", "d", "l", "p", "p", "enter")
	colour := regexp.MustCompile("\x1b\\[[0-9;]*m")
	var text strings.Builder
	for line := range strings.SplitSeq(colour.ReplaceAllString(m.content(), ""), "\n") {
		text.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	if text.String() != string(picture) {
		t.Errorf("docs/pictures/play.txt shows something else than the program:\n%s", text.String())
	}
}

// The widest line that any book can give still fits on the least screen.
func TestWidestLine(t *testing.T) {
	for _, b := range books.All() {
		for i := range b.Wagers {
			for _, sheet := range b.Wagers[i].Pays {
				for _, row := range sheet.Rows {
					// The largest stakes of the house at the longest odds; the meter
					// at its ceiling.
					pays := 40_000 * money.Major
					if row.Pay.MeterPercent != 0 {
						pays = 100_000_050
					}
					l := table.Line{Box: 16, Player: play.Player, Line: rules.Line{
						Wager: b.Wagers[i].Wager, Stake: 200 * money.Major, Result: rules.Win, Combo: row.Combo,
						Pays: pays, Returned: pays, Clause: row.Clause,
					}}
					if w := lipgloss.Width(lineRow(&l)); w > LeastWidth {
						t.Errorf("%s %s: a line of the settlement has %d columns of %d at most: shorten the number of the clause or the name of the combination", b.ID, row.Clause, w, LeastWidth)
					}
				}
			}
		}
	}
}

func TestSuitsDifferWithoutColour(t *testing.T) {
	seen := map[string]bool{}
	for s := card.Clubs; s <= card.Spades; s++ {
		c := card.New(card.Ace, s)
		rows := fan([]card.Card{c})
		text := strings.Map(func(r rune) rune {
			if r > 127 {
				return -1 // in a font without the signs the letters remain
			}
			return r
		}, rows[2])
		if seen[text] {
			t.Errorf("%s looks like another suit", c)
		}
		seen[text] = true
	}
}
