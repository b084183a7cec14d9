// Package screen plays a session on a full screen of a terminal, from 80 columns
// by 24 lines upwards, with or without colour.
//
// The model is a pure function of messages but for one thing: a move is written
// down by the session before the screen shows it.
package screen

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"trey/internal/play"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// The least size of a screen on which everything finds room.
const (
	LeastWidth  = 80
	LeastHeight = 24
)

// page is a page of the screen.
type page uint8

const (
	_ page = iota
	menuPage
	tablePage
	paysPage
	historyPage
	roundPage
	helpPage
	leavePage
	noticePage
)

// Interrupt is the message of a player who asks to leave from outside the screen,
// as Ctrl-C does on it.
type Interrupt struct{}

// Stop is the message that ends the program without the player: a signal, or a
// terminal that has hung up. The round stays as it is for the next start.
type Stop struct{}

// Resume is the message that the program goes on after it was stopped by its job control: what
// was at the terminal meanwhile may have left it in another mode. Raw has it send each key as it
// is pressed again.
type Resume struct{ Raw func() }

// Model is the screen of a session.
type Model struct {
	session       *play.Session
	width, height int
	page, back    page
	// box and wager are what the cursor is on; box counts from 0.
	box, wager, chip int
	// choice is the line chosen in a list, scroll the first line shown.
	choice, scroll int
	message        string
	wrong          bool
	leaving        play.Leaving
	notice         []string
	farewell       []string
	failed         bool
	done           bool
}

// New returns the screen of a session. It shows a notice first, if there is one:
// what became of the last session. Then it shows the table if the session has a
// game, or else the choice of one.
func New(s *play.Session, notice []string) *Model {
	m := &Model{session: s, width: LeastWidth, height: LeastHeight, page: menuPage, notice: notice}
	if s.Variant() != nil {
		m.page = tablePage
		m.usualChip()
		m.toStaked()
	}
	if len(notice) > 0 {
		m.open(noticePage)
	}
	return m
}

// Farewell returns the text to print when the screen is gone, in lines as wide as the
// screen was.
func (m *Model) Farewell() []string {
	var lines []string
	for _, words := range m.farewell {
		lines = append(lines, wrap(words, max(m.width-1, 1))...)
	}
	return lines
}

// Init does nothing: the first size of the screen comes by itself.
func (m *Model) Init() tea.Cmd { return nil }

// Update follows a message.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case Interrupt:
		m.interrupt()
	case Resume:
		// Not by a release of the terminal and a restore: the library's renderer may stop its
		// clock after it was set going again, and nothing is drawn any more.
		msg.Raw()
		return m, tea.ClearScreen
	case Stop:
		m.farewell = append(m.farewell, m.session.Suspend()...)
		m.done = true
	case tea.KeyPressMsg:
		m.key(msg.String())
	}
	if m.done {
		return m, tea.Quit
	}
	return m, nil
}

// key follows a key.
func (m *Model) key(key string) {
	if key == "ctrl+c" {
		m.interrupt()
		return
	}
	if m.small() && m.page != leavePage && key != "q" {
		return // nobody bets or decides who sees no table
	}
	m.message, m.wrong = "", false
	switch m.page {
	case menuPage:
		m.menuKey(key)
	case tablePage:
		m.tableKey(key)
	case paysPage, helpPage, roundPage, noticePage:
		m.readKey(key)
	case historyPage:
		m.historyKey(key)
	case leavePage:
		m.leaveKey(key)
	}
}

// small reports whether the window has no room for a page.
func (m *Model) small() bool { return m.width < LeastWidth || m.height < LeastHeight }

// try makes a move and shows why it was refused, if it was.
func (m *Model) try(err error) bool {
	if err != nil {
		text := err.Error()
		m.message, m.wrong = strings.ToUpper(text[:1])+text[1:], true
		return false
	}
	m.scroll = 0
	return true
}

func (m *Model) tell(format string, args ...any) { m.message = fmt.Sprintf(format, args...) }

// open turns to another page, from which any other key leads back.
func (m *Model) open(p page) {
	if m.page == tablePage || m.page == menuPage {
		m.back = m.page
	}
	m.page, m.scroll = p, 0
}

func (m *Model) menuKey(key string) {
	all := books.All()
	switch key {
	case "up", "k":
		m.choice = (m.choice + len(all) - 1) % len(all)
	case "down", "j", "tab":
		m.choice = (m.choice + 1) % len(all)
	case "1", "2", "3", "4", "5", "6", "7", "8", "9":
		n := int(key[0] - '1')
		if n >= len(all) {
			m.tell("The games have the numbers 1 to %d.", len(all))
			return
		}
		m.choice = n
		m.sit()
	case "enter", "space":
		m.sit()
	case "h":
		m.choice = 0
		m.open(historyPage)
	case "?":
		m.open(helpPage)
	case "esc", "g":
		if m.session.Variant() != nil {
			m.page = tablePage
		}
	case "q":
		m.quit()
	default:
		m.tell("Choose a game with the arrows and Enter, or by its number.")
	}
}

func (m *Model) sit() {
	if m.choice >= len(books.All()) {
		return
	}
	if m.try(m.session.Sit(books.All()[m.choice].ID, "")) {
		m.page, m.box, m.wager = tablePage, 0, 0
		m.usualChip()
	}
}

// usualChip chooses the $5 chip, which most tables take, or the smallest.
func (m *Model) usualChip() {
	m.chip = max(slices.Index(m.session.Chips(), 5*money.Major), 0)
}

func (m *Model) tableKey(key string) {
	v := m.session.Variant()
	wagers := m.session.Wagers()
	phase := m.session.Phase()
	betting, over := phase == table.Betting, phase == table.Paid || phase == table.Voided
	switch key {
	case "left":
		m.move(v.Boxes - 1)
	case "right", "tab":
		m.move(1)
	case "1", "2", "3", "4", "5", "6", "7", "8", "9":
		if n := int(key[0] - '1'); n < v.Boxes {
			m.box = n
		} else {
			m.tell("This table has boxes 1 to %d.", v.Boxes)
		}
	case "up":
		if over {
			m.scroll = max(m.scroll-1, 0)
		} else if betting {
			m.wager = (m.wager + len(wagers) - 1) % len(wagers)
		}
	case "down":
		if over {
			m.scroll++
		} else if betting {
			m.wager = (m.wager + 1) % len(wagers)
		}
	case "enter", "space":
		switch {
		case betting:
			m.bet(wagers[m.wager])
		case over:
			m.try(m.session.Next())
		case m.session.MayReveal():
			m.reveal()
		default:
			m.tell("%s: %s", m.session.Step().Title, m.session.Step().Todo)
		}
	case "+", "=":
		m.bet(wagers[m.wager])
	case "-", "backspace", "delete", "x":
		m.try(m.session.TakeBack(m.box+1, wagers[m.wager]))
	case "c":
		m.chip = (m.chip + 1) % len(m.session.Chips())
	case "C", "shift+c":
		m.chip = (m.chip + len(m.session.Chips()) - 1) % len(m.session.Chips())
	case "r":
		m.try(m.session.Rebet())
	case "n":
		if over {
			m.try(m.session.Next())
		} else {
			m.tell("This round is not over yet.")
		}
	case "d":
		if m.try(m.session.Deal()) {
			m.move(v.Boxes) // stays where it is, if there are bets
			m.toNext()
		}
	case "l":
		m.try(m.session.Look(m.box + 1))
	case "p":
		if m.try(m.session.Play(m.box + 1)) {
			m.toNext()
		}
	case "f":
		if m.try(m.session.Fold(m.box + 1)) {
			m.toNext()
		}
	case "u":
		m.try(m.session.LayUp(m.box + 1))
	case "v":
		m.reveal()
	case "b":
		m.payTable()
	case "m":
		m.try(m.session.Refill())
	case "L", "shift+l":
		m.tell("%s", m.session.WhereRecorded())
	case "t":
		m.open(paysPage)
	case "h":
		m.choice = max(len(m.rounds())-1, 0)
		m.open(historyPage)
	case "?":
		m.open(helpPage)
	case "g":
		if m.session.Staked() > 0 {
			m.tell("First finish this round, or take your bets back before the deal.")
			return
		}
		m.page, m.choice = menuPage, 0
	case "q":
		m.quit()
	case "esc":
	default:
		m.tell("%q does nothing here: ? lists the keys.", key)
	}
}

// move takes the cursor to another box; after the deal only to one with bets of
// the player's.
func (m *Model) move(by int) {
	boxes := m.session.Picture().Boxes
	for range boxes {
		m.box = (m.box + by) % len(boxes)
		if m.session.Phase() == table.Betting || mine(&boxes[m.box]) {
			return
		}
	}
}

// toStaked moves the cursor to the player's first box in a round that goes on
// from an earlier session: the one that is to be decided, if there is one.
func (m *Model) toStaked() {
	picture := m.session.Picture()
	for i := range picture.Boxes {
		if mine(&picture.Boxes[i]) {
			m.box = i
			break
		}
	}
	if m.session.Phase() == table.Deciding {
		m.toNext()
	}
}

// reveal ends the round, and says if it could not be recorded.
func (m *Model) reveal() {
	if m.try(m.session.Reveal()) {
		m.message = m.session.RecordTrouble()
		m.wrong = m.message != ""
	}
}

// bet puts a chip on a wager; one that has a prescribed size takes that.
func (m *Model) bet(w rules.Wager) {
	m.try(m.session.Bet(m.box+1, w, m.stake(w)))
}

// toNext moves the cursor to the next box that waits for a decision: from the
// one it is on, to the right.
func (m *Model) toNext() {
	n := m.session.Variant().Boxes
	for i := range n {
		box := (m.box + i) % n
		if m.session.May(table.Fold{Box: box + 1, Player: play.Player}) ||
			m.session.Variant().Book.Decision == nil && m.session.May(table.Examine{Box: box + 1, Player: play.Player}) {
			m.box = box
			return
		}
	}
}

// payTable takes the next of the pay tables that the book offers.
func (m *Model) payTable() {
	v := m.session.Variant()
	w, names := m.session.PayTables()
	if w == 0 {
		m.tell("Each wager of this table has one pay table: t shows them.")
		return
	}
	if m.session.Staked() > 0 || m.session.Phase() != table.Betting {
		m.tell("The pay table can be changed when no bets lie on the table.")
		return
	}
	at := slices.Index(names, v.Pays[w].Name)
	next := names[(at+1)%len(names)]
	if m.try(m.session.Sit(v.Book.ID, next)) {
		m.tell("The %s bet is paid by table %s now: t shows it.", w.Name(), next)
	}
}

func (m *Model) readKey(key string) {
	switch key {
	case "up", "k":
		m.scroll = max(m.scroll-1, 0)
	case "down", "j":
		m.scroll++
	case "pgup":
		m.scroll = max(m.scroll-m.height/2, 0)
	case "pgdown", "space":
		m.scroll += m.height / 2
	default:
		if m.page == roundPage {
			m.page, m.scroll = historyPage, 0
			return
		}
		m.page, m.scroll = m.back, 0
	}
}

// rounds returns the last rounds. Where they cannot be read, it says why.
func (m *Model) rounds() []play.Summary {
	rounds, err := m.session.History()
	if err != nil {
		m.message, m.wrong = err.Error(), true
	}
	return rounds
}

func (m *Model) historyKey(key string) {
	n := len(m.rounds())
	switch key {
	case "up", "k":
		m.choice = max(m.choice-1, 0)
	case "down", "j":
		m.choice = min(m.choice+1, max(n-1, 0))
	case "enter", "space":
		if n > 0 {
			m.page, m.scroll = roundPage, 0
		}
	default:
		m.page, m.choice, m.scroll = m.back, 0, 0
	}
}

// quit leaves; where something is at stake it says what first.
func (m *Model) quit() {
	if m.leaving = m.session.IfLeft(); m.leaving.Free {
		m.leave()
		return
	}
	m.open(leavePage)
}

// interrupt handles Ctrl-C: it asks as quit does, and the second time it leaves.
func (m *Model) interrupt() {
	if m.page == leavePage {
		m.leave()
		return
	}
	m.quit()
}

func (m *Model) leaveKey(key string) {
	if key == "y" {
		m.leave()
		return
	}
	m.page = m.back
}

func (m *Model) leave() {
	notes, err := m.session.Leave()
	if err != nil && !m.failed {
		// Nothing was lost: what was last written down is recovered at the
		// next start. But the player should know, and may want to try again.
		m.failed = true
		m.page = m.back
		if m.page == 0 {
			m.page = tablePage
		}
		m.try(fmt.Errorf("%w. Leave again to leave all the same: the round goes on at the next start", err))
		return
	}
	if err != nil {
		notes = append([]string{"The round could not be ended: " + err.Error() + "."}, m.session.Suspend()...)
	}
	m.farewell = append(m.farewell, notes...)
	m.done = true
}
