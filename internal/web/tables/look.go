package tables

import "trey/rules"

// feltLook describes the felt of a game: the class of its colours (see table.page.css) and its
// name as it is printed there. A book without one has the colours of the site and its title.
type feltLook struct {
	look     string
	logotype []logoWord
}

// logoWord is a part of a printed name with its style.
type logoWord struct{ text, style string }

// feltLooks are those of the books, by their ids.
var feltLooks = map[string]feltLook{
	"rws-3cp":       {"felt-emerald", []logoWord{{"3", "logo-tall"}, {"Card Poker", "logo-caps"}}},
	"us-3cp":        {"felt-midnight", []logoWord{{"Three Card Poker", "logo-italic logo-swash"}}},
	"sm-3cp":        {"felt-garnet", []logoWord{{"Three Card Poker", "logo-caps logo-row"}, {"Bonus", "logo-ribbon"}}},
	"fr-p3c":        {"felt-petrol", []logoWord{{"Poker", "logo-italic logo-row"}, {"Trois Cartes", "logo-caps"}}},
	"mbs-3pictures": {"felt-violet", []logoWord{{"Royal", "logo-italic logo-row"}, {"Three Pictures", "logo-caps"}}},
}

func lookOf(b *rules.Book) feltLook { return feltLooks[b.ID] }
