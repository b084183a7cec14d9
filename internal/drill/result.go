package drill

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"unicode/utf8"

	"trey/internal/strict"
)

// Purpose is for what a house signs results: the first line of the signed note ends with it.
const Purpose = "school"

// MostTyped bounds the runes of a name that a learner types.
const MostTyped = 60

// resultForm names the form of a result.
const resultForm = "trey school result v1"

// Result holds the outcome of a sitting, as a house signs it.
type Result struct {
	Form string `json:"result"`
	// Book is the edition, Revision and Declaration say which declaration of it.
	Book        string `json:"book"`
	Revision    int    `json:"revision"`
	Declaration string `json:"declaration"`
	// Seed and Rounds determine what was asked.
	Seed   string `json:"seed"`
	Rounds int    `json:"rounds"`
	// Tasks counts what was asked, and Errors the wrong answers by the kind of error.
	Tasks  int            `json:"tasks"`
	Errors map[string]int `json:"errors"`
	// BeganMs is when the rounds were shown, and TookMs how long the answers took, by the
	// clock of the house.
	BeganMs int64 `json:"began_ms"`
	TookMs  int64 `json:"took_ms"`
	// Person is the number, in the record of the house, of whoever was signed in; zero is
	// nobody. Typed is the name that the learner gave. The house knows nothing about it.
	Person int64  `json:"person,omitempty"`
	Typed  string `json:"typed,omitempty"`
}

// ResultOf returns the result of a sitting.
func ResultOf(s *Sitting, m *Marks, beganMs, tookMs int64) *Result {
	r := &Result{
		Form: resultForm, Book: s.Book.Ref(), Revision: s.Book.Revision, Declaration: s.Book.Hash(),
		Seed: s.Seed, Rounds: len(s.Rounds), Tasks: m.Tasks, Errors: map[string]int{}, BeganMs: beganMs, TookMs: tookMs,
	}
	for kind, n := range m.Errors {
		r.Errors[kind.String()] = n
	}
	return r
}

// Wrong returns the number of wrong answers.
func (r *Result) Wrong() int { return sum(r.Errors) }

// Lines returns the result as a house signs it: an object of JSON on one line.
func (r *Result) Lines() string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text) // it ends with a line feed
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(r); err != nil {
		panic("drill: " + err.Error()) // it holds text and numbers
	}
	return text.String()
}

var (
	goodSeed = regexp.MustCompile(`^[a-z0-9]{1,16}$`)
	goodHash = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// IsSeed reports whether a text is a seed of a sitting, or the number of an exercise.
func IsSeed(text string) bool { return goodSeed.MatchString(text) }

// ParseResult reads the lines of a result. It accepts what [Result.Lines] writes and nothing
// else.
func ParseResult(lines string) (*Result, error) {
	r := &Result{}
	if err := strict.Read([]byte(lines), r); err != nil {
		return nil, fmt.Errorf("it is no result of the dealer school: %w", err)
	}
	counted := 0
	for key, n := range r.Errors {
		if badErrorKind(key) || n < 1 || n > r.Tasks {
			return nil, fmt.Errorf("it counts %d errors of the kind %q", n, key)
		}
		counted += n
	}
	switch {
	case r.Form != resultForm:
		return nil, fmt.Errorf("its form is %q, and this program reads %q", r.Form, resultForm)
	case r.Book == "" || r.Revision < 1 || !goodHash.MatchString(r.Declaration):
		return nil, errors.New("it does not say which declaration of which book")
	case !IsSeed(r.Seed) || r.Rounds < 1 || r.Rounds > MostRounds:
		return nil, errors.New("it does not say which rounds")
	case r.Tasks < 1 || counted > r.Tasks:
		return nil, fmt.Errorf("it has %d errors in %d tasks", counted, r.Tasks)
	case r.BeganMs < 1 || r.TookMs < 0:
		return nil, errors.New("it does not say when it began, and how long it took")
	case r.Person < 0 || utf8.RuneCountInString(r.Typed) > MostTyped:
		return nil, errors.New("it does not say whose it is in a form that this program reads")
	case r.Lines() != lines:
		return nil, errors.New("it is not written as results are")
	}
	return r, nil
}

func badErrorKind(key string) bool {
	_, err := errorKeys.Parse(key)
	return err != nil
}
