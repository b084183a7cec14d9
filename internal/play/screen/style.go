package screen

import (
	"strings"

	"charm.land/lipgloss/v2"

	"trey/card"
	"trey/rules/books"
)

// The colours are the terminal's own sixteen, so that they suit its background.
// Nothing is said by colour alone: words, signs and letters say it too.
var (
	plainText = lipgloss.NewStyle()
	bold      = lipgloss.NewStyle().Bold(true)
	faint     = lipgloss.NewStyle().Faint(true)
	bar       = lipgloss.NewStyle().Reverse(true).Bold(true)
	felt      = lipgloss.NewStyle().Foreground(lipgloss.Green)
	gold      = lipgloss.NewStyle().Foreground(lipgloss.Yellow)
	goldBold  = gold.Bold(true)
	won       = lipgloss.NewStyle().Foreground(lipgloss.Green).Bold(true)
	lost      = lipgloss.NewStyle().Foreground(lipgloss.Red)
	warning   = lipgloss.NewStyle().Foreground(lipgloss.Yellow).Bold(true)
	redSuit   = lipgloss.NewStyle().Foreground(lipgloss.Red).Bold(true)
	blackSuit = lipgloss.NewStyle().Bold(true)
)

func width(s string) int { return lipgloss.Width(s) }

// fit cuts or fills a line to a width.
func fit(s string, w int) string {
	if have := width(s); have <= w {
		return s + strings.Repeat(" ", w-have)
	}
	return lipgloss.NewStyle().MaxWidth(max(w-1, 0)).Render(s) + "…"
}

// sides puts one text at each end of a line; the left one is cut if they do not
// both find room.
func sides(left, right string, w int) string {
	room := w - width(right)
	if width(left) > room-1 {
		left = fit(left, max(room-1, 0))
	}
	return left + strings.Repeat(" ", max(w-width(left)-width(right), 0)) + right
}

func centred(s string, w int) string {
	gap := max(w-width(s), 0)
	return strings.Repeat(" ", gap/2) + s + strings.Repeat(" ", gap-gap/2)
}

// words splits a text where lines may break: not within "rws-3cp@3 5.7.2".
func words(text string) []string {
	var all []string
	glue := false
	for _, word := range strings.Fields(text) {
		if glue {
			all[len(all)-1] += " " + word
		} else {
			all = append(all, word)
		}
		glue = refs[strings.TrimLeft(word, "(“\"")]
	}
	return all
}

// refs are the books as clauses are cited by them.
var refs = func() map[string]bool {
	all := map[string]bool{}
	for _, b := range books.All() {
		all[b.Ref()] = true
	}
	return all
}()

// wrap breaks plain text into lines of a width. A word that is longer than a line
// is broken too.
func wrap(text string, w int) []string {
	var lines []string
	line := ""
	for _, word := range words(text) {
		for width(word) > w {
			if line != "" {
				lines = append(lines, line)
				line = ""
			}
			runes := []rune(word)
			lines = append(lines, string(runes[:w]))
			word = string(runes[w:])
		}
		switch {
		case line == "":
			line = word
		case width(line)+1+width(word) <= w:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// block makes lines exactly so wide and so many.
func block(lines []string, w, h int) []string {
	out := make([]string, h)
	for i := range out {
		if i < len(lines) {
			out[i] = fit(lines[i], w)
		} else {
			out[i] = strings.Repeat(" ", w)
		}
	}
	return out
}

// beside joins blocks of the same height.
func beside(blocks ...[]string) []string {
	out := make([]string, len(blocks[0]))
	for _, b := range blocks {
		for i := range out {
			out[i] += b[i]
		}
	}
	return out
}

// The size of a fan of three cards.
const (
	fanWidth  = 10
	fanHeight = 4
)

// fan draws three cards that lie over each other. A face shows rank, the suit's
// sign and its letter, so that suits differ without colour and in any font.
func fan(cards []card.Card) []string {
	if len(cards) == 0 {
		return block(nil, fanWidth, fanHeight)
	}
	rows := [fanHeight]string{}
	for i, c := range cards {
		rows[0] += felt.Render("╭──")
		edge := felt.Render("│")
		rank, suit := faint.Render("░░"), faint.Render("░░")
		if c.Valid() {
			style := blackSuit
			if c.Suit() == card.Hearts || c.Suit() == card.Diamonds {
				style = redSuit
			}
			rank, suit = style.Render(fit(c.Rank().String(), 2)), style.Render(c.Suit().Symbol()+c.Suit().String())
		}
		rows[1] += edge + rank
		rows[2] += edge + suit
		rows[3] += felt.Render("╰──")
		if i == len(cards)-1 {
			rows[0] += felt.Render("╮")
			rows[1] += edge
			rows[2] += edge
			rows[3] += felt.Render("╯")
		}
	}
	return rows[:]
}
