// Package lang holds the languages of the page. Each has one catalogue of messages, the names
// of things at the table, and the formats of amounts, numbers and times.
//
// English is the language of the code. The English texts of the packages below (a wager's name,
// a clause's summary) are not repeated here. The other catalogues translate them by the English
// text. A test thus finds a changed sentence without a translation, and no translation is
// silently wrong.
package lang

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode"

	"golang.org/x/text/language"

	"trey/card"
	"trey/internal/enum"
	"trey/money"
	"trey/sentence"
)

// Language is a language of the page.
type Language uint8

// The languages. The zero value is none of them.
const (
	_ Language = iota
	English
	Chinese
	numLanguages
)

var tags = enum.New("a language", numLanguages, []string{English: "en", Chinese: "zh-Hans"})

// Languages lists all languages.
func Languages() []Language { return tags.All() }

// Tags lists their tags, in the same order.
func Tags() []string { return tags.List() }

// Tag returns the language's tag as HTML has it, such as "zh-Hans".
func (l Language) Tag() string { return tags.Key(l) }

// Name returns the language's name in itself.
func (l Language) Name() string { return Printer{l}.T("looks.language-name") }

// ParseLanguage reads a tag of one of the languages.
func ParseLanguage(tag string) (Language, bool) {
	l, err := tags.Parse(tag)
	return l, err == nil
}

var matcher = func() language.Matcher {
	var all []language.Tag
	for _, tag := range Tags() {
		all = append(all, language.MustParse(tag))
	}
	return language.NewMatcher(all)
}()

// Accepted returns the language that suits an Accept-Language header best,
// English if none does.
func Accepted(header string) Language {
	wanted, _, err := language.ParseAcceptLanguage(header)
	if err != nil {
		return English
	}
	_, i, _ := matcher.Match(wanted...)
	return Languages()[i]
}

//go:embed messages.*.json terms.*.json clauses.*.json sentences.*.json scenarios.*.json script.*.json record.*.json
var files embed.FS

// catalogue holds the texts of one language.
type catalogue struct {
	messages map[string]string // by key
	terms    map[string]string // by the English text
	script   map[string]string // the languages of scenarios and of the record, by group and word
}

// catalogues are read when the first text is asked for: most commands say none of theirs.
var catalogues = sync.OnceValue(func() *[numLanguages]catalogue {
	var all [numLanguages]catalogue
	for _, l := range Languages() {
		all[l].messages = read("messages." + l.Tag() + ".json")
		if l != English {
			all[l].terms = read("terms." + l.Tag() + ".json")
			maps.Copy(all[l].terms, read("clauses."+l.Tag()+".json"))
			maps.Copy(all[l].terms, read("sentences."+l.Tag()+".json"))
			maps.Copy(all[l].terms, read("scenarios."+l.Tag()+".json"))
			all[l].script = read("script." + l.Tag() + ".json")
			maps.Copy(all[l].script, read("record."+l.Tag()+".json"))
		}
	}
	return &all
})

// read reads one embedded file, flat or in groups: a group's name and a dot
// stand before its keys.
func read(name string) map[string]string {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		panic("lang: " + err.Error())
	}
	var groups map[string]map[string]string
	if err := json.Unmarshal(text, &groups); err != nil {
		panic("lang: " + name + ": " + err.Error())
	}
	flat := map[string]string{}
	for group, entries := range groups {
		if strings.HasPrefix(name, "messages.") || strings.HasPrefix(name, "script.") || strings.HasPrefix(name, "record.") {
			group += "."
		} else {
			group = ""
		}
		for key, text := range entries {
			flat[group+key] = text
		}
	}
	return flat
}

// Printer writes in one language.
type Printer struct{ Language Language }

// T returns a message by its key. The arguments are pairs of a placeholder's
// name and its value, printed by fmt: T("rules.count", "n", 12) for "{n}
// clauses". A key that does not exist is a fault of ours, so it panics; a test
// holds every key in the code against the catalogues.
func (p Printer) T(key string, pairs ...any) string {
	text, ok := catalogues()[p.Language].messages[key]
	if !ok {
		panic("lang: no message " + key + " in " + p.Language.Tag())
	}
	return fill(text, pairs)
}

// Lookup does what T does for a key that comes from the record, which may have no message.
func (p Printer) Lookup(key string) (text string, ok bool) {
	text, ok = catalogues()[p.Language].messages[key]
	return text, ok
}

// N does what T does for a number of things, the placeholder {n}. For exactly one it takes the
// key with ".one", where the language has that form, else the key with ".other".
func (p Printer) N(key string, n int, pairs ...any) string {
	form := ".other"
	switch p.Language {
	case English:
		if n == 1 {
			form = ".one"
		}
	case Chinese:
	}
	return p.T(key+form, append(pairs, "n", p.Whole(n))...)
}

func fill(text string, pairs []any) string {
	if len(pairs) == 0 {
		return text
	}
	words := make([]string, 0, len(pairs))
	for i := 0; i+1 < len(pairs); i += 2 {
		words = append(words, "{"+fmt.Sprint(pairs[i])+"}", fmt.Sprint(pairs[i+1]))
	}
	return strings.NewReplacer(words...).Replace(text)
}

// Sentences joins sentences as the language writes them.
func (p Printer) Sentences(all ...string) string {
	space := " "
	switch p.Language {
	case Chinese:
		space = ""
	case English:
	}
	return strings.Join(all, space)
}

// Term returns what the language calls something that the packages below name
// in English: a wager, a hand, an answer to a ruling. Without a translation it
// is the English itself; see [Printer.Translates].
func (p Printer) Term(english string) string {
	if text, ok := catalogues()[p.Language].terms[english]; ok {
		return text
	}
	return english
}

// Translates reports whether Term says the text in the printer's own language. What
// it does not know is marked as English in the page, so that a screen reader
// pronounces it right.
func (p Printer) Translates(english string) bool {
	if p.Language == English {
		return true
	}
	_, ok := catalogues()[p.Language].terms[english]
	return ok
}

// Script returns the words for a word of the language of scenarios, where there are any. Of the
// verbs it has the keys (with the value's place, "%s") or the words. Of the words in which the
// record is written it has the kinds (of commands and events) or the fields.
func (p Printer) Script(group, word string) (string, bool) {
	text, ok := catalogues()[p.Language].script[group+"."+word]
	return text, ok
}

// Sentence returns a sentence of a package below in the printer's language: about an event,
// or why something was refused. complete reports whether every word of it is the printer's
// own language; what is not is marked in the page. Amounts are written as by [Printer.Money] in
// each language.
func (p Printer) Sentence(s sentence.Sentence) (words string, complete bool) {
	if p.Language == English {
		// Some English forms have the sign before the amount.
		return strings.ReplaceAll(s.In(english{p}), "$$", "$"), true
	}
	sp := speaker{Printer: p}
	words = s.In(&sp)
	return words, len(sp.missing) == 0
}

// ErrorText says an error, as a person who brought it about is told. In another language
// than English that may be less than the whole chain of errors: what in it can be
// said.
func (p Printer) ErrorText(err error) (words string, complete bool) {
	said := sentence.Why(err)
	if words, complete = p.Sentence(said); complete {
		return words, true
	}
	var inside []error
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		inside = []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		inside = e.Unwrap()
	}
	for _, one := range inside {
		if one == nil {
			continue
		}
		if words, complete := p.ErrorText(one); complete {
			return words, true
		}
	}
	return said.String(), false
}

// english says sentences in English as the pages write it.
type english struct{ Printer }

// Term returns the words: they are English.
func (english) Term(words string) string { return words }

// Thing writes amounts as the page does, and leaves the rest as it is.
func (e english) Thing(thing any) any {
	if amount, ok := thing.(money.Amount); ok {
		return e.Money(amount)
	}
	return thing
}

// speaker says sentences in the printer's language and notes what it cannot.
type speaker struct {
	Printer
	missing []string
}

// Term does what [Printer.Term] does.
func (s *speaker) Term(english string) string {
	if !s.Translates(english) && strings.ContainsFunc(strings.ReplaceAll(verb.ReplaceAllString(english, ""), "$", ""), unicode.IsLetter) {
		s.missing = append(s.missing, english)
	}
	return s.Printer.Term(english)
}

var verb = regexp.MustCompile(`%(?:\[\d\])?(?:\.\d+)?[a-z]`)

// Thing writes amounts and cards as the page does.
func (s *speaker) Thing(thing any) any {
	switch t := thing.(type) {
	case money.Amount:
		return s.Money(t)
	case card.Card:
		return s.Card(t)
	}
	return thing
}

// Money writes an amount, the cents only where there are any.
func (p Printer) Money(a money.Amount) string {
	text, sign := a.Display(), ""
	if a < 0 {
		text, sign = text[1:], "−"
	}
	return sign + "$" + strings.TrimSuffix(text, ".00")
}

// Change writes what somebody wins or loses, with its sign.
func (p Printer) Change(a money.Amount) string {
	if a > 0 {
		return "+" + p.Money(a)
	}
	return p.Money(a)
}

// Whole writes a whole number with separators.
func (p Printer) Whole(n int) string {
	return strings.TrimSuffix((money.Amount(n) * money.Major).Display(), ".00")
}

// Time writes a moment in its own zone, to the minute.
func (p Printer) Time(t time.Time) string {
	form := "2 January 2006, 15:04"
	switch p.Language {
	case Chinese:
		form = "2006年1月2日 15:04"
	case English:
	}
	return t.Format(form)
}
