package auditor

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// inForce names rules that were recorded, by their book and its hash.
type inForce struct{ book, bookHash string }

// end is a way in which a book lets a round go on or end, with the provision.
type end struct{ outcome, clause string }

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// declared reads the declaration of a book: it has the hash under which it is recorded,
// and is of the book that the event names.
func (a *Auditor) declared(body []byte) error {
	e, err := read[struct {
		Book, Declaration string
		Revision          int
		BookHash          string `json:"book_hash"`
	}](body)
	if err != nil {
		return err
	}
	var text struct {
		Book, Edition string
		Revision      int
		Incidents     []struct {
			Incident string
			Cases    []struct{ Then, Clause string }
		}
	}
	if err := json.Unmarshal([]byte(e.Declaration), &text); err != nil {
		return err
	}
	book := strings.TrimSuffix(text.Book+"@"+text.Edition, "@")
	switch {
	case hashOf(e.Declaration) != e.BookHash:
		a.find("the declaration of %s has the hash %s, and is recorded under %s", e.Book, hashOf(e.Declaration), e.BookHash)
	case book != e.Book || text.Revision != e.Revision:
		a.find("%s, revision %d, is declared as %s, revision %d", book, text.Revision, e.Book, e.Revision)
	case a.books[e.BookHash] != "":
		a.find("the declaration %s of %s is recorded again", e.BookHash, e.Book)
	}
	a.books[e.BookHash] = book
	for _, rule := range text.Incidents {
		for _, c := range rule.Cases {
			if rule.Incident == "interruption" {
				a.ends[e.BookHash] = append(a.ends[e.BookHash], end{c.Then, c.Clause})
			}
		}
	}
	return nil
}

// stated reads terms: they have the hash under which they are recorded, and name a
// declaration that was recorded before.
func (a *Auditor) stated(body []byte) error {
	e, err := read[struct {
		Terms     string
		BookHash  string `json:"book_hash"`
		RulesHash string `json:"rules_hash"`
	}](body)
	if err != nil {
		return err
	}
	text, err := read[struct {
		Book     string
		BookHash string `json:"book_hash"`
	}]([]byte(e.Terms))
	if err != nil {
		return err
	}
	switch {
	case hashOf(e.Terms) != e.RulesHash:
		a.find("terms of %s have the hash %s, and are recorded under %s", text.Book, hashOf(e.Terms), e.RulesHash)
	case text.BookHash != e.BookHash || a.books[e.BookHash] != text.Book:
		a.find("the terms %s are of the declaration %s of %s, which is not recorded before them", e.RulesHash, text.BookHash, text.Book)
	case a.terms[e.RulesHash] != (inForce{}):
		a.find("the terms %s are recorded again", e.RulesHash)
	}
	a.terms[e.RulesHash] = inForce{text.Book, e.BookHash}
	return nil
}

// plays notes the rules of a table from a round on: terms that were recorded before, of
// the book that it plays, for a round that has not begun.
func (a *Auditor) plays(l *layout, fromRound int, hash string) {
	of, known := a.terms[hash]
	id, _, _ := strings.Cut(of.book, "@")
	switch {
	case !known:
		a.find("table %s is played from round %d by the rules %s, which are not recorded before", l.name, fromRound, hash)
		return
	case l.book != "" && id != l.book:
		a.find("table %s plays %s, and from round %d by rules of %s", l.name, l.book, fromRound, of.book)
	case fromRound <= l.round:
		a.find("the rules of table %s change from round %d, and round %d has begun", l.name, fromRound, l.round)
	}
	l.book, l.rules = id, hash
}

// changed reads a change of the rules of a table, by people or by another program.
func (a *Auditor) changed(body []byte, carried bool) error {
	e, err := read[struct {
		Table     string
		FromRound int    `json:"from_round"`
		BookHash  string `json:"book_hash"`
		RulesHash string `json:"rules_hash"`
		Before    struct {
			BookHash  string `json:"book_hash"`
			RulesHash string `json:"rules_hash"`
		}
	}](body)
	if err != nil {
		return err
	}
	l := a.tables[e.Table]
	if l == nil {
		a.find("the rules of table %s are changed, and it is not on the floor", e.Table)
		return nil
	}
	if e.Before.RulesHash != l.rules {
		a.find("the rules of table %s are changed from %s, and those in force are %s", e.Table, e.Before.RulesHash, l.rules)
	}
	if carried && (e.BookHash != a.terms[e.RulesHash].bookHash || e.Before.BookHash != a.terms[e.Before.RulesHash].bookHash) {
		a.find("table %s is carried over from the declaration %s to %s, and the rules are of others", e.Table, e.Before.BookHash, e.BookHash)
	}
	a.plays(l, e.FromRound, e.RulesHash)
	return nil
}
