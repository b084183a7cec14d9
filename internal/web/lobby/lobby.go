// Package lobby is the first page: what there is to play and to read.
package lobby

import (
	"embed"
	"sync"

	"trey/card"
	"trey/internal/web/live"
	"trey/internal/web/site"
	"trey/odds"
	"trey/rules"
	"trey/rules/books"
)

//go:embed *.css
var files embed.FS

// Section returns the lobby of a house, or without a house that of the rules alone.
func Section(f *Floor) site.Section {
	games := allGames()
	section := site.Section{Path: "/", Key: "lobby", Files: files, Routes: map[string]site.Handler{}}
	section.Routes["GET /{$}"] = func(v *site.Visit) error {
		p := site.Page{
			Title: v.T("lobby.title"), Description: v.T("lobby.description"), Section: "lobby", Wide: f != nil, Sheets: []string{"lobby.page.css"},
		}
		var tables []line
		if f != nil && f.Authenticator.CheckSeeFloor(v) == nil {
			p.Modules = []string{"parts.js"}
			tables = f.lines()
		}
		wanted := chosen(v.Request.URL.Query())
		offered := wanted.of(tables)
		now, err := live.Draw(drawn(v.Printer, wanted.first(offered)))
		if err != nil {
			return err
		}
		p.Body = page(v, games, tables, offered, wanted, live.Drawing{now})
		return v.Show(p)
	}
	if f != nil {
		section.Routes["GET /lobby/live"] = f.live
	}
	return section
}

// game is one book with the figures that people ask for first.
type game struct {
	book *rules.Book
	bets []bet
	// show is a hand of the game's best paid kind.
	show card.Hand
	// scene is a round of it in ten seconds.
	scene *scene
}

type bet struct {
	name string
	edge string
	// decided says that the figure is for somebody who plays best.
	decided bool
}

// allGames are the games of all books, with the figures that follow from those alone.
var allGames = sync.OnceValue(func() []game {
	var games []game
	for i, b := range books.All() {
		played, err := sceneOf(b)
		if err != nil {
			panic("lobby: " + err.Error()) // a book that settles nothing cannot be
		}
		g := game{book: b, show: best(b, i), scene: played}
		sheet, err := odds.Analyse(b.Standard(), odds.Options{})
		if err != nil {
			panic("lobby: " + err.Error()) // a book without an edge cannot be
		}
		for _, key := range sheet.Order {
			a := sheet.Wagers[key]
			g.bets = append(g.bets, bet{key.Name(), a.HouseEdge.Percent(2) + " %", a.Strategy != nil})
		}
		games = append(games, g)
	}
	return games
})

// shownOf returns the hand by which a book's game is shown.
func shownOf(games []game, b *rules.Book) card.Hand {
	for i := range games {
		if games[i].book.ID == b.ID {
			return games[i].show
		}
	}
	return best(b, 0)
}

// best returns a hand that no other beats: the nth of them, so that not every game is shown
// with the same cards.
func best(b *rules.Book, n int) card.Hand {
	var equals []card.Hand
	most := 0
	for h := range card.Hands() {
		switch strength := b.Ranking.Strength(h); {
		case strength > most:
			most, equals = strength, []card.Hand{h}
		case strength == most:
			equals = append(equals, h)
		}
	}
	return equals[len(equals)-1-n%len(equals)].Sorted()
}
