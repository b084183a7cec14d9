// Package sentence is what the packages below say to people, with the words and
// what goes into them kept apart: "there is no box %d" and 9.
//
// English is the language of the code, and whoever wants English asks for nothing
// more. Whoever speaks another language finds the English words in a catalogue and
// puts the same things into its own words. The package will never hold a language
// other than English, nor know what the sentences are about.
package sentence

import (
	"fmt"
	"strings"
)

// Sentence is words and what goes into them. The zero value says nothing.
type Sentence struct {
	// Form is the words in English, as package fmt has them, and the key by which
	// they are found in other languages. It is one of a closed list: what differs
	// from one time to the next stands in Args.
	Form string
	// Args go into the form. A Sentence, a [List], a [Word], whatever has a method
	// Said that returns a Sentence, and whatever has a method Name are said in the
	// language of the whole; a string is a name or a number and stays as it is.
	Args []any
}

// Word is an argument that is itself a word of the language and not a name.
type Word string

// List is several arguments, one behind the other.
type List struct {
	// Between stands between two of them; it is said in the language of the whole.
	Between string
	Items   []any
}

// Of returns the sentence of a form and what goes into it.
func Of(form string, args ...any) Sentence { return Sentence{Form: form, Args: args} }

// Some returns a list of things of one type.
func Some[T any](between string, items []T) List {
	l := List{Between: between, Items: make([]any, len(items))}
	for i := range items {
		l.Items[i] = items[i]
	}
	return l
}

// IsZero reports whether the sentence says nothing.
func (s Sentence) IsZero() bool { return s.Form == "" }

// String says the sentence in English.
func (s Sentence) String() string { return s.In(english{}) }

// Append appends to a text what String says.
func (s Sentence) Append(text []byte) []byte { return s.append(text, english{}) }

// Language is the knowledge that another language than English needs.
type Language interface {
	// Term is what the language says for words of English: a form with the same
	// arguments, which it may take in another order ("%[2]s"), or a word.
	Term(english string) string
	// Thing is how the language writes something that has no words: an amount, a
	// card, a number. It is handed to fmt in the place of the thing.
	Thing(thing any) any
}

// In says the sentence in a language.
func (s Sentence) In(l Language) string {
	if s.IsZero() {
		return ""
	}
	const usual = 64 // bytes; most of what is said is shorter
	return string(s.append(make([]byte, 0, usual), l))
}

// append appends the sentence in a language. Nearly all that is said takes its
// arguments one behind the other, each as it is: that needs no looking into forms.
func (s Sentence) append(text []byte, l Language) []byte {
	if s.IsZero() {
		return text
	}
	form := l.Term(s.Form)
	if !plain(form, len(s.Args)) {
		args := make([]any, len(s.Args))
		for i, a := range s.Args {
			args[i] = in(l, a)
		}
		return fmt.Appendf(text, form, args...)
	}
	for _, a := range s.Args {
		words, rest, _ := strings.Cut(form, "%")
		text = append(text, words...)
		if rest[0] == 'd' {
			text = fmt.Appendf(text, "%d", in(l, a))
		} else {
			text = appendWords(text, l, a)
		}
		form = rest[1:]
	}
	return append(text, form...)
}

// plain reports whether a form takes so many arguments one behind the other, and has
// no other verbs than %s and %d.
func plain(form string, args int) bool {
	for ; args >= 0; args-- {
		at := strings.IndexByte(form, '%')
		if at < 0 {
			return args == 0
		}
		if at+1 == len(form) || form[at+1] != 's' && form[at+1] != 'd' {
			return false
		}
		form = form[at+2:]
	}
	return false
}

// appendWords appends an argument as %s writes it.
func appendWords(text []byte, l Language, arg any) []byte {
	switch value := arg.(type) {
	case string:
		return append(text, value...)
	case Sentence:
		return value.append(text, l)
	}
	said := in(l, arg)
	if words, ok := said.(string); ok {
		return append(text, words...)
	}
	return fmt.Appendf(text, "%s", said)
}

func in(l Language, arg any) any {
	switch a := arg.(type) {
	case string, int:
		return a
	case Sentence:
		return a.In(l)
	case List:
		return a.in(l)
	case Word:
		if a == "" {
			return ""
		}
		return l.Term(string(a))
	case interface{ Sentence() Sentence }:
		return a.Sentence().In(l)
	case error:
		return l.Term(a.Error())
	case interface{ Name() string }:
		return l.Term(a.Name())
	}
	return l.Thing(arg)
}

func (l List) in(to Language) string {
	words := make([]string, len(l.Items))
	for i, item := range l.Items {
		words[i] = fmt.Sprint(in(to, item))
	}
	between := l.Between
	if strings.TrimSpace(between) != "" {
		between = to.Term(between)
	}
	return strings.Join(words, between)
}

// english is the language that the sentences are in.
type english struct{}

func (english) Term(words string) string { return words }

// Thing writes amounts with separators.
func (english) Thing(thing any) any {
	if amount, ok := thing.(interface{ Display() string }); ok {
		return amount.Display()
	}
	return thing
}

// Errorf returns an error whose text is a sentence. It wraps the errors among its arguments; the
// text of each is that of [Why].
func Errorf(form string, args ...any) error { return &sentenceError{Of(form, args...)} }

type sentenceError struct{ sentence Sentence }

func (t *sentenceError) Error() string      { return t.sentence.String() }
func (t *sentenceError) Sentence() Sentence { return t.sentence }

// Unwrap returns the errors that went into the sentence.
func (t *sentenceError) Unwrap() []error {
	var all []error
	for _, a := range t.sentence.Args {
		if err, ok := a.(error); ok {
			all = append(all, err)
		}
	}
	return all
}

// Why returns the text of an error as a sentence: its own sentence, or its text as one
// [Word].
func Why(err error) Sentence {
	if can, ok := err.(interface{ Sentence() Sentence }); ok {
		return can.Sentence()
	}
	return Of("%s", Word(err.Error()))
}
