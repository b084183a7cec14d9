// Package check is the page on which anybody checks a round. From the round's record the
// browser itself works out the commitment, the deck, the hands, every line of the settlement
// and the money. Its modules share no code with the house. What is checked never leaves the
// browser; this package only hands out the page with its words and cards.
//
// It is the one page whose modules know rules: an account that the house renders
// would prove nothing about the house.
package check

import (
	"embed"

	"trey/internal/drill"
	"trey/internal/web/lang"
	"trey/internal/web/site"
	"trey/rank/pictures"
	"trey/rank/threecard"
	"trey/rules"
	"trey/rules/books"
)

//go:embed *.css *.js
var files embed.FS

// sample is one of the samples of package proof, for visitors who have no record.
//
//go:embed sample.json
var sample []byte

// Section returns the page.
func Section() site.Section {
	return site.Section{
		Path: "/check", Key: "check", Files: files,
		Routes: map[string]site.Handler{
			"GET /check": show,
			"GET /check/sample.json": func(v *site.Visit) error {
				return v.Download("sample.json", "application/json", sample)
			},
		},
	}
}

func show(v *site.Visit) error {
	return v.Show(site.Page{
		Title: v.T("check.title"), Description: v.T("check.lead"), Section: "check",
		Modules: []string{"check.js"}, Sheets: []string{"check.page.css"}, Body: page(v),
	})
}

// word is something that the modules say, by the name they know it by.
type word struct{ name, text string }

// checks lists the subjects of a finding; the order is that of the report.
var checks = []string{"record", "rules", "course", "commitment", "cards", "hands", "settlement", "money", "jackpot", "log"}

// sentences lists the messages of a finding.
var sentences = []string{
	"added", "added-instead", "added-late", "added-more", "after-differs", "back-box", "back-differs", "book-differs", "book-otherwise", "broken", "by-hand",
	"cards-by-hand", "checkpoint-form", "checkpoint-late", "checkpoint-none", "checkpoint-short", "commitment", "confirms-own", "commitment-differs", "contribution-differs", "contribution-stake",
	"course", "dealt-differs", "decided", "deck", "device", "displayed-differs", "elsewhere", "ended-differs", "engine", "follows",
	"follows-differs", "form", "hand-box", "hand-dealer", "hash-differs", "hit-differs", "hit-order", "hit-reversed", "hit-sum", "impossible", "incident", "jackpot",
	"jackpot-differs", "jackpot-still", "known", "layout", "layout-empty", "line", "line-differs", "log-before-forged", "log-before-other", "log-before-unknown", "log-before-unseen", "log-before-word", "log-cannot", "log-cosignature", "log-differs", "log-fork", "log-forged", "log-form", "log-grown", "log-in", "log-none", "log-other", "log-signed", "log-tiles", "log-unknown", "log-unwitnessed", "log-witness", "log-witnessed", "log-word", "malformed", "meter-fell", "moved", "net",
	"net-differs", "no-cards", "no-hand", "no-meter", "no-meter-known", "no-rules", "no-seed", "none-settled", "not-due",
	"new-terms", "next-box", "not-asked", "not-declared", "not-staff", "not-theirs", "not-next", "not-shown", "not-opened", "not-revealed", "not-settled", "not-settled-round", "not-undone", "opened-twice", "order", "own",
	"own-differs", "own-order", "own-twice", "place", "posting-differs", "posting-missing", "posting-more", "qualifies",
	"qualifies-differs", "qualifies-not", "reset-differs", "reveal", "reveal-when", "reverses", "rules", "seed-by-hand", "shown-differs",
	"source", "times", "too-low", "too-much", "twice", "undecided", "unknown-event", "unreadable", "untimely", "void", "void-keeps",
}

// words returns all texts of the modules in a language.
func words(p lang.Printer) []word {
	var all []word
	add := func(name, text string) { all = append(all, word{name, text}) }
	for _, name := range checks {
		add("check-"+name, p.T("check.about-"+name))
	}
	for _, name := range sentences {
		add("say-"+name, p.T("check.say-"+name))
	}
	for _, name := range []string{"proven", "failed", "open"} {
		add("result-"+name, p.T("check.result-"+name))
	}
	for _, name := range []string{"all", "wrong", "where", "expected", "found", "nothing", "round", "clause", "line", "excess", "reverses", "folded", "fetching", "unreached", "unreached-401", "unreached-403", "unreached-404", "unreached-409"} {
		add(name, p.T("check.word-"+name))
	}
	for _, name := range []string{"ends", "syntax", "deep", "twice", "behind", "empty", "large", "line", "result", "witness"} {
		add("fault-"+name, p.T("check.fault-"+name))
	}
	for _, name := range []string{"settled", "void", "closed", "none"} {
		add("ended-"+name, p.T("check.ended-"+name))
	}
	for _, name := range []string{"by-yes", "by-no", "by-other", "by-cannot", "typed", "person", "book", "revision", "rounds", "right", "errors", "began", "took", "seconds"} {
		add("school-"+name, p.T("check.school-"+name))
	}
	for _, kind := range drill.ErrorKinds() {
		add("school-error-"+kind.String(), p.T("school.errors-"+kind.String()))
	}
	add("place-dealer", p.T("felt.dealer"))
	add("place-burn", p.T("felt.burn"))
	add("place-out", p.T("check.place-out"))
	add("place-box", p.T("felt.box"))
	for r := rules.Win; r.String() != "unknown"; r++ {
		add("ends-"+r.String(), p.T("result."+r.String()))
	}
	for _, w := range rules.Wagers() {
		add("wager-"+w.String(), p.Term(w.Name()))
	}
	for c := rules.AnyHand; c.String() != "unknown"; c++ {
		add("combo-"+c.String(), p.Term(c.Name()))
	}
	for _, i := range rules.Incidents() {
		add("incident-"+i.String(), p.T("incident."+i.String()))
	}
	for o := rules.Continue; o.String() != "unknown"; o++ {
		add("outcome-"+o.String(), p.T("outcome."+o.String()))
	}
	for c := threecard.HighCard; c.Valid(); c++ {
		add("hand-"+c.String(), p.Term(c.String()))
	}
	for r := pictures.Rank(1); r.Valid(); r++ {
		add("hand-"+r.String(), p.Term(r.String()))
	}
	for _, b := range books.All() {
		add("book-"+b.Ref(), p.Term(b.Title)+" ("+b.Ref()+")")
	}
	return all
}
