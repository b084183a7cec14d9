package screen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"trey/internal/play"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// View draws the screen.
func (m *Model) View() tea.View {
	v := tea.NewView(strings.Join(m.draw(), "\n"))
	v.AltScreen = true
	v.WindowTitle = "trey"
	return v
}

// draw returns the lines of the screen.
func (m *Model) draw() []string {
	if m.small() {
		return m.tooSmall()
	}
	switch m.page {
	case tablePage:
		return m.drawTable()
	case paysPage:
		return m.drawText("Limits and pay tables", m.paySheet(m.width-4), hint{"Esc", "back"})
	case historyPage:
		return m.drawHistory()
	case roundPage:
		return m.drawRound()
	case helpPage:
		return m.drawText("Help", m.help(), hint{"Esc", "back"})
	case leavePage:
		return m.drawLeave()
	case noticePage:
		var text []string
		for _, words := range m.notice {
			text = append(text, wrap(words, m.width-6)...)
		}
		return m.drawText("Before you play", text, hint{"Enter", "go on"})
	case menuPage:
	}
	return m.drawMenu()
}

func (m *Model) tooSmall() []string {
	text := fmt.Sprintf("The table needs %d columns and %d lines; this window has %d and %d. Make it larger, or leave with q and use trey play --plain.",
		LeastWidth, LeastHeight, m.width, m.height)
	if m.page == leavePage {
		text = m.leaving.Words + " Leave with y or Ctrl-C; any other key plays on."
	}
	var lines []string
	for _, line := range wrap(text, max(m.width, 1)) {
		if len(lines) < m.height {
			lines = append(lines, line)
		}
	}
	return lines
}

// assemble puts a page together: the body filled up to the keys, which always
// stand on the last lines.
func (m *Model) assemble(body, foot []string) []string {
	room := m.height - len(foot)
	for len(body) < room {
		body = append(body, "")
	}
	return append(body[:room:room], foot...)
}

// hint is a key and what it does.
type hint struct{ key, does string }

// keys writes hints on as few lines as they need.
func keys(hints []hint, w int) []string {
	var lines []string
	line := ""
	for _, h := range hints {
		item := goldBold.Render(h.key) + " " + h.does
		switch {
		case line == "":
			line = " " + item
		case width(line)+2+width(item) <= w:
			line += "  " + item
		default:
			lines = append(lines, line)
			line = " " + item
		}
	}
	return append(lines, line)
}

func (m *Model) title(left string) string {
	right := "Balance $" + m.session.Balance().Display() + " "
	return bar.Render(sides(" ♠ TREY  "+left, right, m.width))
}

func (m *Model) rule() string { return felt.Render(strings.Repeat("─", m.width)) }

// The pane with the pay tables stands beside the table on wide screens.
const (
	paneWidth   = 39
	leastBox    = 16
	largestBox  = 22
	linesLeast  = 7
	paneFromAll = LeastWidth + paneWidth
)

func (m *Model) pane() bool { return m.width >= paneFromAll }

func (m *Model) drawTable() []string {
	v := m.session.Variant()
	b := v.Book
	picture := m.session.Picture()
	over := picture.Phase == table.Paid || picture.Phase == table.Voided
	w := m.width
	if m.pane() {
		w -= paneWidth
	}

	status := fmt.Sprintf(" Round %d · %s", m.session.Round(), b.Ref())
	if at, _ := m.session.PayTables(); at != 0 {
		status += " · " + at.Name() + " " + v.Pays[at].Name
	}
	if by := m.session.Game().By; by != "" {
		status += " · " + by
	}
	sums := "On the table $" + m.session.Staked().Display() + " "
	if displayed, ok := m.session.Meter(); ok {
		sums = goldBold.Render("Jackpot $"+displayed.Display()) + "   " + sums
	}
	head := []string{m.title(b.Title + " · " + b.House), sides(status, sums, m.width), m.rule()}

	foot := keys(m.tableKeys(), m.width)
	room := m.height - len(head) - len(foot)

	body := m.dealer(&picture, w)
	// After the round the wagers give way to its lines where there is no room
	// for both. On high screens an empty line sets the dealer apart.
	full := len(body) + m.boxHeight(true)
	wagers := !over || room-full >= linesLeast
	if room-full > linesLeast {
		body = append(body, "")
	}
	body = append(body, m.boxes(&picture, w, wagers)...)
	if over {
		body = append(body, m.settlement(w, room-len(body))...)
	} else {
		body = append(body, m.talk(w, room-len(body))...)
	}
	if m.pane() {
		sheet := m.paySheet(paneWidth - 4)
		side := make([]string, room)
		for i := range side {
			side[i] = felt.Render(" │ ")
			if i < len(sheet) {
				side[i] += sheet[i]
			} else if i == room-1 && len(sheet) > room {
				side[i] += faint.Render("t shows the rest")
			}
			side[i] = fit(side[i], paneWidth)
		}
		if len(sheet) > room {
			side[room-1] = fit(felt.Render(" │ ")+faint.Render("t shows the rest"), paneWidth)
		}
		body = beside(block(body, w, room), side)
	}
	return m.assemble(append(head, body...), foot)
}

// dealer draws the dealer's cards between the step of the round and what the
// dealer has said.
func (m *Model) dealer(p *table.Picture, w int) []string {
	step := m.session.Step()
	side := (w - fanWidth) / 2
	left := []string{goldBold.Render(" " + step.Title)}
	for _, line := range wrap(step.Todo, side-2) {
		left = append(left, " "+line)
	}
	if step.Clause != "" {
		left = append(left, faint.Render(" "+step.Clause))
	}
	other := w - fanWidth - side
	right := []string{"  " + bold.Render("DEALER")}
	if p.DealerRank != "" {
		right[0] += "  " + bold.Render(p.DealerRank)
	}
	said := m.session.Said()
	if n := len(said); n > 0 {
		spoken := said[n-1].Text
		// What the dealer has announced of the dealer's hand is worth more than the
		// results that follow it: those stand on the boxes.
		for _, a := range said {
			if a.Key == "dealer-hand" || a.Key == "void" {
				spoken = a.Text
			}
		}
		for _, line := range wrap("“"+spoken+"”", other-3) {
			right = append(right, "  "+line)
		}
	}
	return beside(block(left, side, fanHeight), fan(p.Dealer), block(right, other, fanHeight))
}

// boxHeight returns the height of boxes, with their wagers or without.
func (m *Model) boxHeight(wagers bool) int {
	h := 1 + fanHeight + 2 + 1
	if wagers {
		h += len(m.layout())
	}
	return h
}

// layout lists the wagers that lie on a box, those of the deal and the Play bet.
func (m *Model) layout() []rules.Wager {
	b := m.session.Variant().Book
	areas := m.session.Wagers()
	if b.Decision != nil {
		areas = append(areas, b.Decision.Raise)
	}
	return areas
}

// boxes draws as many boxes as find room, around the one that the cursor is on.
func (m *Model) boxes(p *table.Picture, w int, wagers bool) []string {
	n := len(p.Boxes)
	wide := min(max(w/n, leastBox), largestBox)
	columns := min(n, w/wide)
	first := min(max(m.box-columns/2, 0), n-columns)
	h := m.boxHeight(wagers)
	margin := (w - columns*wide) / 2
	row := [][]string{block(nil, margin, h)}
	for i := first; i < first+columns; i++ {
		row = append(row, m.boxAt(&p.Boxes[i], wide, wagers, i == first && first > 0, i == first+columns-1 && first+columns < n))
	}
	row = append(row, block(nil, w-margin-columns*wide, h))
	return beside(row...)
}

// boxAt draws one box. Moreover left or right says that boxes are hidden there.
func (m *Model) boxAt(b *table.BoxPicture, w int, wagers, moreLeft, moreRight bool) []string {
	chosen := b.Box == m.box+1
	line := []string{"╭", "─", "╮", "│", "╰", "╯"}
	style := felt
	idle := len(b.Bettors) == 0 && m.session.Phase() != table.Betting
	if idle {
		style = faint
	}
	if chosen {
		line = []string{"┏", "━", "┓", "┃", "┗", "┛"}
		style = goldBold
	}
	in := w - 2
	name := fmt.Sprintf(" Box %d ", b.Box)
	if other := m.session.OtherAt(b.Box); other != "" {
		name = fmt.Sprintf(" %d %s ", b.Box, other)
	}
	if chosen {
		name = " ▸" + name + "◂ "
	}
	before := strings.Repeat(line[1], (in-width(name))/2)
	after := strings.Repeat(line[1], in-width(name)-width(before))
	if moreLeft {
		before = "◂" + strings.TrimPrefix(before, line[1])
	}
	if moreRight {
		after = strings.TrimSuffix(after, line[1]) + "▸"
	}
	rows := []string{style.Render(line[0] + before + name + after + line[2])}
	add := func(text string) {
		rows = append(rows, style.Render(line[3])+fit(text, in)+style.Render(line[3]))
	}
	for _, text := range fan(b.Cards) {
		add(centred(text, in))
	}
	words := wrap(m.about(b), in)
	for i := range 2 {
		text := ""
		if i < len(words) {
			text = words[i]
		}
		add(centred(text, in))
	}
	if wagers {
		for i, area := range m.layout() {
			if idle {
				add("")
				continue
			}
			add(m.area(b, area, in, chosen && i == m.wager))
		}
	}
	end := m.ending(b)
	gap := max(in-width(end), 0)
	rows = append(rows, style.Render(line[4]+strings.Repeat(line[1], gap/2))+end+style.Render(strings.Repeat(line[1], gap-gap/2)+line[5]))
	return rows
}

// about returns a description of a box's hand as far as it is known.
func (m *Model) about(b *table.BoxPicture) string {
	over := m.session.Phase() == table.Paid || m.session.Phase() == table.Voided
	other := m.session.OtherAt(b.Box) != ""
	switch {
	case b.Invalid:
		return "left the round"
	case other && over && b.Decision == table.Folded:
		return strings.TrimSpace(b.Rank + " folded")
	case other && b.Rank == "":
		return "" // whether its player has seen it is not for the others to know
	case b.Rank != "" && over && b.Decision == table.Folded:
		return b.Rank + " folded"
	case b.Rank != "":
		return b.Rank
	case len(b.Cards) > 0 && over && b.Decision == table.Folded:
		return "folded unseen"
	case len(b.Cards) > 0 && !b.Examined:
		return "not seen"
	}
	return ""
}

// area draws one betting area of a box: its stake, or its result.
func (m *Model) area(b *table.BoxPicture, w rules.Wager, in int, cursor bool) string {
	name := play.ShortName(w)
	if b.Lammer && w == rules.Bonus {
		name += " (E)"
	}
	mark := " "
	phase := m.session.Phase()
	if cursor && phase == table.Betting {
		mark = "▸"
	}
	stake := faint.Render("·")
	bettor := bettorOf(b)
	if bettor != nil && bettor.Stakes[w] != 0 {
		stake = gold.Render(play.Chips(bettor.Stakes[w]))
	}
	if phase == table.Paid || phase == table.Voided {
		for i, l := range m.session.Lines() {
			if bettor != nil && l.Player == bettor.Player && l.Box == b.Box && l.Wager == w {
				stake = result(&m.session.Lines()[i])
			}
		}
	}
	text := mark + name
	if mark != " " {
		text = goldBold.Render(text)
	}
	return sides(text, stake+" ", in)
}

// result writes what a line changed, with a sign.
func result(l *table.Line) string {
	net := l.Returned - l.Stake
	switch {
	case l.Result == rules.Win:
		return won.Render(signed(net))
	case l.Result == rules.Lose:
		return lost.Render(signed(net))
	}
	return "back"
}

// ending returns the foot of a box: the state of its hand, or its result.
func (m *Model) ending(b *table.BoxPicture) string {
	if len(b.Bettors) == 0 && !b.Invalid {
		return ""
	}
	switch m.session.Phase() {
	case table.Paid, table.Voided:
		bettor := bettorOf(b)
		if bettor == nil {
			return ""
		}
		net := sumOf(m.session.Lines(), b.Box, bettor.Player)
		switch {
		case net > 0:
			return won.Render(" won " + play.Chips(net) + " ")
		case net < 0:
			return lost.Render(" lost " + play.Chips(-net) + " ")
		}
		return " even "
	case table.Deciding, table.Showing:
		switch {
		case b.Decision == table.Played:
			return bold.Render(" playing ")
		case b.Decision == table.Folded:
			return lost.Render(" folded ")
		case b.Up:
			return " face up "
		case m.session.May(table.Fold{Box: b.Box, Player: play.Player}):
			return warning.Render(" to decide ")
		}
	default:
	}
	return ""
}

// tableKeys returns the keys that have an effect now.
func (m *Model) tableKeys() []hint {
	var hints []hint
	add := func(key, does string) { hints = append(hints, hint{key, does}) }
	box := m.box + 1
	switch m.session.Phase() {
	case table.Betting:
		add("←→", "box")
		add("↑↓", "wager")
		add("Enter", "bet $"+play.Chips(m.chipFor()))
		add("-", "take back")
		add("c", "chip")
		if m.session.Staked() > 0 {
			add("d", "deal")
		} else if len(m.session.Again()) > 0 {
			add("r", "same bets")
		}
		if at, _ := m.session.PayTables(); at != 0 && m.session.Staked() == 0 {
			add("b", "bonus table")
		}
	case table.Paid, table.Voided:
		add("r", "same bets")
		add("Enter", "new round")
		add("↑↓", "lines")
	default:
		add("←→", "box")
		if m.session.May(table.Examine{Box: box, Player: play.Player}) {
			add("l", "look")
		}
		if m.session.May(table.Fold{Box: box, Player: play.Player}) {
			add("p", "play")
			add("f", "fold")
		}
		if m.session.May(table.LayUp{Box: box}) {
			add("u", "lay up")
		}
		if m.session.MayReveal() {
			add("Enter", "reveal")
		}
	}
	if m.session.Broke() {
		add("m", "new money")
	}
	add("t", "pay tables")
	add("h", "history")
	if m.session.Staked() == 0 {
		add("g", "games")
	}
	add("?", "help")
	add("q", "leave")
	return hints
}

// talk fills the lines under the boxes: what the dealer said before, as far as
// there is room, and the answer to the last key on the last lines.
func (m *Model) talk(w, h int) []string {
	message := m.answer(w)
	var lines []string
	if room := h - len(message) - 1; room > 4 {
		var said []string
		for _, a := range m.session.Said() {
			said = append(said, wrap("“"+a.Text+"” "+a.Clause, w-6)...)
		}
		lines = append(lines, "")
		for _, line := range said[max(len(said)-room+1, 0):] {
			lines = append(lines, faint.Render("   "+line))
		}
	}
	for len(lines)+len(message) < h {
		lines = append(lines, "")
	}
	return append(lines, message...)[:h]
}

// answer returns the message of the last key, on at most three lines.
func (m *Model) answer(w int) []string {
	if m.message == "" {
		return nil
	}
	style := plainText
	sign := "  "
	if m.wrong {
		style, sign = warning, " ! "
	}
	var lines []string
	for i, line := range wrap(m.message, w-4) {
		if i > 0 {
			sign = "   "
		}
		lines = append(lines, style.Render(sign+line))
	}
	return lines
}

// settlement draws the lines of the round, each with its clause, in the lines
// that are left.
func (m *Model) settlement(w, h int) []string {
	lines := ownFirst(m.session.Lines())
	body := make([]string, len(lines))
	for i := range lines {
		body[i] = lineRow(&lines[i])
	}
	foot := m.answer(w)
	if len(foot) == 0 {
		net := m.session.Net()
		style := bold
		if net > 0 {
			style = won
		} else if net < 0 {
			style = lost
		}
		foot = []string{style.Render(fmt.Sprintf(" This round: %s", play.Signed(net)))}
	}
	room := max(h-1-len(foot), 1)
	if len(body) > room {
		// What part is shown stands beside the last line of the answer, or below it
		// where both are too long for one line.
		widest := fmt.Sprintf("lines %d to %d of %d, ↑↓ ", len(body), len(body), len(body))
		if width(foot[len(foot)-1])+2+width(widest) > w {
			foot = append(foot, "")
			room = max(room-1, 1)
		}
	}
	m.scroll = max(min(m.scroll, len(body)-room), 0)
	part := body[m.scroll:min(m.scroll+room, len(body))]
	if len(body) > room {
		last := len(foot) - 1
		foot[last] = sides(foot[last], fmt.Sprintf("lines %d to %d of %d, ↑↓ ", m.scroll+1, m.scroll+len(part), len(body)), w)
	}
	out := append([]string{faint.Render(lineHead)}, part...)
	return append(out, foot...)
}

// lineForm holds a settlement line on the narrowest screen, the longest clause
// and the name of any winning hand included.
const lineForm = "%3s %-10s %5s %-20s%10s%10s  %s"

var lineHead = fmt.Sprintf(lineForm, "Box", "Wager", "Stake", "Result", "Pays", "Back", "Clause")

// ownFirst puts the player's lines before those of other players.
func ownFirst(lines []table.Line) []table.Line {
	sorted := make([]table.Line, 0, len(lines))
	for _, mine := range []bool{true, false} {
		for i := range lines {
			if (lines[i].Player == play.Player) == mine {
				sorted = append(sorted, lines[i])
			}
		}
	}
	return sorted
}

// lineRow writes one settlement line as a row; those of other players are faint,
// and named where there is room.
func lineRow(l *table.Line) string {
	style := plainText
	switch l.Result {
	case rules.Win:
		style = won
	case rules.Lose:
		style = lost
	default:
	}
	name := ""
	if l.Player != play.Player {
		style, name = faint, "  "+l.Player
	}
	ended := play.ResultWord(l.Result)
	if l.Combo > rules.AnyHand {
		ended += " " + l.Combo.Name()
	}
	sum := func(a money.Amount) string {
		if a == 0 {
			return "-"
		}
		return play.Chips(a)
	}
	row := fmt.Sprintf(lineForm, strconv.Itoa(l.Box), play.ShortName(l.Wager), sum(l.Stake), ended, sum(l.Pays), sum(l.Returned), l.Clause)
	if width(row+name) <= LeastWidth {
		row += name
	}
	return style.Render(row)
}

// paySheet writes the limits and pay tables in a width.
func (m *Model) paySheet(w int) []string {
	var lines []string
	narrow := w < 60
	for _, line := range play.PaySheet(m.session.Variant()) {
		left, right := line.Text, line.Pays
		if line.Head {
			if len(lines) > 0 && !narrow {
				lines = append(lines, "")
			}
			left = bold.Render(left)
		} else {
			left = "  " + left
		}
		if !narrow {
			clause := fit(faint.Render(line.Clause), 28)
			lines = append(lines, sides(left, right, w-30)+"  "+clause)
			continue
		}
		if right == "" {
			for _, part := range wrap(line.Text, w) {
				lines = append(lines, bold.Render(part))
			}
			continue
		}
		if width(left)+1+width(right) > w {
			lines = append(lines, left)
			left = ""
		}
		lines = append(lines, sides(left, right, w))
	}
	return lines
}

// drawText draws a page of text that can be scrolled.
func (m *Model) drawText(title string, text []string, back hint) []string {
	head := []string{m.title(title), ""}
	hints := []hint{back}
	room := m.height - len(head) - 2
	m.scroll = max(min(m.scroll, len(text)-room), 0)
	if len(text) > room {
		hints = []hint{{"↑↓", fmt.Sprintf("lines %d to %d of %d", m.scroll+1, m.scroll+room, len(text))}, back}
	}
	body := slices.Clone(text[m.scroll:min(m.scroll+room, len(text))])
	for i := range body {
		body[i] = "  " + body[i]
	}
	return m.assemble(append(head, body...), append([]string{""}, keys(hints, m.width)...))
}

func (m *Model) drawMenu() []string {
	lines := []string{m.title("three-card games by their rule books"), ""}
	big := fan(nil)
	if cards := emblem(); m.height >= LeastHeight {
		big = fan(cards)
	}
	for i, row := range big {
		text := ""
		switch i {
		case 1:
			text = bold.Render("   A table for each rule book, play money.")
		case 2:
			text = "   Every line is settled by its clause, and says which."
		}
		lines = append(lines, "   "+row+text)
	}
	lines = append(lines, "")
	for i, b := range books.All() {
		mark, style := "   ", plainText
		if i == m.choice {
			mark, style = " ▸ ", goldBold
		}
		var wagers []string
		for _, w := range play.Placed(b) {
			wagers = append(wagers, w.Name())
		}
		lines = append(lines, style.Render(fmt.Sprintf("%s%d  %s", mark, i+1, b.Title))+faint.Render("  "+b.House+", "+strings.TrimSuffix(b.Ref()+", "+m.session.By(b), ", ")))
		more := "      " + strings.Join(wagers, ", ")
		if displayed, ok := m.session.MeterAt(b); ok {
			more += gold.Render("  now $" + displayed.Display())
		}
		lines = append(lines, more, "")
	}
	foot := m.answer(m.width)
	hints := []hint{{"↑↓", "choose"}, {"Enter", "sit down"}, {"h", "history"}, {"?", "help"}, {"q", "leave"}}
	return m.assemble(lines, append(foot, keys(hints, m.width)...))
}

func (m *Model) drawHistory() []string {
	rounds := m.rounds()
	lines := []string{m.title("The last rounds"), "", faint.Render("   " + fmt.Sprintf(roundForm, "No.", fit("Game", 27), fit("Dealer", 20), "Net", "Balance"))}
	hints := []hint{{"↑↓", "choose"}, {"Enter", "every line"}, {"Esc", "back"}}
	if len(rounds) == 0 {
		lines = append(lines, "   No round has been played yet.")
		return m.assemble(lines, append([]string{""}, keys(hints[2:], m.width)...))
	}
	m.choice = min(m.choice, len(rounds)-1)
	room := m.height - len(lines) - 2
	first := min(max(m.choice-room+1, 0), max(len(rounds)-room, 0))
	for i := first; i < min(first+room, len(rounds)); i++ {
		r := &rounds[i]
		mark, style := "   ", plainText
		switch {
		case r.Net > 0:
			style = won
		case r.Net < 0:
			style = lost
		}
		if i == m.choice {
			mark, style = " ▸ ", style.Bold(true).Reverse(true)
		}
		dealer := r.DealerRank
		if r.Ended != "settled" {
			dealer = r.Ended
		}
		row := fmt.Sprintf(roundForm, strconv.Itoa(r.Round), fit(gameName(r.Book), 27), fit(dealer, 20), play.Signed(r.Net), r.Balance.Display())
		lines = append(lines, mark+style.Render(row))
	}
	return m.assemble(lines, append([]string{""}, keys(hints, m.width)...))
}

// roundForm holds a round in the list of rounds.
const roundForm = "%4s  %s %s %9s%12s"

func gameName(ref string) string {
	if b, err := books.Find(ref); err == nil {
		return b.Title
	}
	return ref
}

func (m *Model) drawRound() []string {
	rounds := m.rounds()
	r := &rounds[min(m.choice, len(rounds)-1)]
	text := []string{bold.Render(fmt.Sprintf("%s · %s · %s", gameName(r.Book), r.Name(), r.Ended))}
	if r.Left {
		text = append(text, warning.Render("You left it before its end."))
	}
	if len(r.Dealer) > 0 {
		text = append(text, "", fmt.Sprintf("Dealer  %s  %s", symbols(r.Dealer), r.DealerRank))
	}
	for _, h := range r.Hands {
		rank := h.Rank
		if rank == "" {
			rank = "not seen"
			if h.Player != "" {
				rank = "face down"
			}
		}
		if h.Decision != "" {
			rank += ", " + h.Decision
		}
		row := fmt.Sprintf("Box %-2d  %s  %s", h.Box, symbols(h.Cards), rank)
		if h.Player != "" {
			row += ", " + h.Player
		}
		text = append(text, row)
	}
	text = append(text, "", faint.Render(lineHead))
	lines := ownFirst(r.Lines)
	for i := range lines {
		text = append(text, lineRow(&lines[i]))
	}
	text = append(text, "", bold.Render(fmt.Sprintf("Net %s, balance $%s", play.Signed(r.Net), r.Balance.Display())), "")
	for _, a := range r.Said {
		for _, line := range wrap("“"+a.Text+"”  "+a.Clause, m.width-6) {
			text = append(text, faint.Render(line))
		}
	}
	return m.drawText(fmt.Sprintf("Round %d", r.Round), text, hint{"Esc", "back to the list"})
}

func (m *Model) drawLeave() []string {
	lines := []string{m.title("Leave?"), "", "  " + bold.Render("A round is in progress."), ""}
	for _, line := range wrap(m.leaving.Words, m.width-6) {
		lines = append(lines, "  "+line)
	}
	hints := []hint{{"y  Ctrl-C", "leave"}, {"any other key", "play on"}}
	return m.assemble(lines, keys(hints, m.width))
}

// help returns the page of help: the clause of the step first, then the keys.
func (m *Model) help() []string {
	w := m.width - 6
	var text []string
	if step := m.session.Step(); step.Clause != "" {
		text = append(text, goldBold.Render(step.Title)+"  "+faint.Render(step.Clause))
		text = append(text, wrap(step.Summary, w)...)
		text = append(text, "")
	}
	for _, h := range []hint{
		{"← →  1 to 9", "choose a box"},
		{"↑ ↓", "choose a wager; after the round, go through its lines"},
		{"Enter", "bet a chip; reveal; begin a new round"},
		{"-", "take a wager back before the deal"},
		{"c  C", "the next chip, the one before"},
		{"r", "place the bets of the last round again"},
		{"d", "close the bets and deal"},
		{"l", "look at the hand on the box"},
		{"p  f", "play the hand with a bet as large as its Ante; fold it"},
		{"u", "lay the hand that you looked at face up (Royal Three Pictures)"},
		{"v", "have the dealer show the hand, and settle"},
		{"b", "another pay table for the Bonus bet (Three Card Poker with Bonus)"},
		{"t  h", "limits and pay tables; the last rounds, line by line"},
		{"L", "where the record of the last round is, for trey replay"},
		{"g", "another game"},
		{"m", "new play money, when yours is gone"},
		{"q  Ctrl-C", "leave; in mid-round it says what is at stake first"},
	} {
		text = append(text, goldBold.Render(fit(h.key, 12))+" "+h.does)
	}
	more := []string{
		"Cards show rank, suit and the suit's letter: ♣c clubs, ♦d diamonds, ♥h hearts, ♠s spades. ░░ is face down.",
		"(E) beside a bonus bet is the Envy lammer: the bet may still bring an Envy Bonus.",
		"Bets leave your balance when you place them and come back by settlement lines. If you leave in mid-round, the hands that you have not decided are folded and the round is settled without you. If the program is killed or the terminal hangs up, the round goes on at the next start.",
	}
	for _, words := range more {
		text = append(text, "")
		text = append(text, wrap(words, w)...)
	}
	return text
}
