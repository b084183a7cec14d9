package lobby

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"

	"trey/internal/house"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// filtersFrom is the number of tables from which the lobby lets visitors choose among them.
const filtersFrom = 5

// picturedUpTo is the number of tables up to which each is shown with cards of its game.
const picturedUpTo = 12

// shownAtOnce is the number of tables that the lobby shows before somebody asks for more.
const shownAtOnce = 48

// choice holds a visitor's criteria for a table. What is zero fits any table.
type choice struct {
	// book is the id of the game, empty for any.
	book string
	// least is the largest minimum of the main bet, zero for any.
	least money.Amount
	// free leaves out tables whose boxes are all taken.
	free bool
	// visible is the number of tables that are shown, the best first.
	visible int
}

// chosen reads a choice from an address. What no form of ours sends is no choice.
func chosen(from url.Values) choice {
	c := choice{book: from.Get("game"), free: from.Get("free") == "on", visible: shownAtOnce}
	if most, err := strconv.Atoi(from.Get("shown")); err == nil {
		c.visible = max(c.visible, most)
	}
	if least, err := strconv.ParseInt(from.Get("least"), 10, 64); err == nil && least > 0 {
		c.least = money.Amount(least)
	}
	return c
}

// of returns the tables that are wanted.
func (c choice) of(all []line) []line {
	return slices.DeleteFunc(slices.Clone(all), func(l line) bool {
		return c.book != "" && l.book.ID != c.book || c.least > 0 && l.limits.Min > c.least || c.free && l.taken >= l.boxes
	})
}

// first returns those of the offered tables that are shown.
func (c choice) first(offered []line) []line { return offered[:min(len(offered), c.visible)] }

// more returns the address of the lobby with the next tables, at the first of them, and how many
// they are: zero if all that are offered are shown.
func (c choice) more(offered int) (address string, n int) {
	if c.visible >= offered {
		return "", 0
	}
	n = min(offered-c.visible, shownAtOnce)
	to := url.Values{"shown": {strconv.Itoa(c.visible + n)}}
	if c.book != "" {
		to.Set("game", c.book)
	}
	if c.least > 0 {
		to.Set("least", strconv.FormatInt(int64(c.least), 10))
	}
	if c.free {
		to.Set("free", "on")
	}
	return "/?" + to.Encode() + "#from-" + strconv.Itoa(c.visible), n
}

// inOrder sorts tables for a person who wants to play. First come those that wait for nobody,
// among them first those with a jackpot. Last come those that wait for their dealer.
func inOrder(all []line) {
	rank := func(l *line) int {
		switch {
		case l.waitsForDealer():
			return 3
		case l.mode != house.Automatic:
			return 2
		case l.jackpot == "":
			return 1
		default:
			return 0
		}
	}
	slices.SortStableFunc(all, func(a, b line) int { return cmp.Compare(rank(&a), rank(&b)) })
}

// waitsForDealer reports whether nothing can be bet at a table before its dealer comes.
func (l *line) waitsForDealer() bool { return l.mode != house.Automatic && l.phase == table.Ready }

// booksOf lists the games of tables, each once, and minimaOf the least bets.
func booksOf(all []line) (books []*rules.Book) {
	for i := range all {
		if !slices.Contains(books, all[i].book) {
			books = append(books, all[i].book)
		}
	}
	return books
}

func minimaOf(all []line) (minima []money.Amount) {
	for i := range all {
		if least := all[i].limits.Min; least > 0 && !slices.Contains(minima, least) {
			minima = append(minima, least)
		}
	}
	slices.Sort(minima)
	return minima
}
