package tables

// logoWord is a part of a printed name with its style.
type logoWord struct{ text, style string }

// logotypes are the names of the games as they are printed on their felts, by the ids of the
// books. A book without one has its title there.
var logotypes = map[string][]logoWord{
	"rws-3cp":       {{"3", "logo-tall"}, {"Card Poker", "logo-caps"}},
	"us-3cp":        {{"Three Card Poker", "logo-italic logo-swash"}},
	"sm-3cp":        {{"Three Card Poker", "logo-caps logo-row"}, {"Bonus", "logo-ribbon"}},
	"fr-p3c":        {{"Poker", "logo-italic logo-row"}, {"Trois Cartes", "logo-caps"}},
	"mbs-3pictures": {{"Royal", "logo-italic logo-row"}, {"Three Pictures", "logo-caps"}},
}
