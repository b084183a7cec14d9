package drill

import (
	"crypto/sha256"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"

	"trey/money"
	"trey/rules"
)

// MostRounds bounds the rounds of a sitting.
const MostRounds = 5

// Sitting is a number of whole rounds at one table, graded together. Whoever runs it keeps
// the time.
type Sitting struct {
	Book   *rules.Book
	Seed   string
	Rounds []*Round
}

// Sit draws a sitting. The same book, seed and number of rounds give the same sitting.
func Sit(b *rules.Book, seed string, rounds int) *Sitting {
	s := &Sitting{Book: b, Seed: seed}
	r := rand.New(rand.NewChaCha8(sha256.Sum256([]byte("trey school sitting\n" + b.Ref() + "\n" + seed))))
	for range min(max(rounds, 1), MostRounds) {
		s.Rounds = append(s.Rounds, drawRound(b, r))
	}
	return s
}

// Field returns the name of a field of a task in the form of the sitting. What is "answer", or
// for a line "result" or "pays"; rounds count from 0.
func Field(round int, t *Task, what string) string {
	return "r" + strconv.Itoa(round+1) + "." + t.Key() + "." + what
}

// Marks are the grades of a sitting.
type Marks struct {
	// Right tells of each task of each round whether its answer is right.
	Right [][]bool
	// Tasks counts them, and Errors counts the wrong ones by the kind of error.
	Tasks  int
	Errors map[ErrorKind]int
}

// Wrong returns the number of wrong answers.
func (m *Marks) Wrong() int { return sum(m.Errors) }

// sum adds up the errors of all kinds.
func sum[K comparable](errors map[K]int) (n int) {
	for _, count := range errors {
		n += count
	}
	return n
}

// Grade compares the answers of a sitting with what the engine says. Each task has one error
// at most, and a field that is missing is one.
func (s *Sitting) Grade(form url.Values) *Marks {
	m := &Marks{Errors: map[ErrorKind]int{}}
	for n, round := range s.Rounds {
		right := make([]bool, len(round.Tasks))
		for i := range round.Tasks {
			kind := round.Tasks[i].grade(n, form)
			if right[i] = kind == 0; !right[i] {
				m.Errors[kind]++
			}
		}
		m.Tasks += len(right)
		m.Right = append(m.Right, right)
	}
	return m
}

// grade returns the kind of error in the answer to a task, zero if it is right.
func (t *Task) grade(round int, form url.Values) ErrorKind {
	switch {
	case t.Due != nil:
		return t.Due.grade(form.Get(Field(round, t, "result")), form.Get(Field(round, t, "pays")))
	case form.Get(Field(round, t, "answer")) != t.Answer:
		return wrongAnswers[t.Asks]
	}
	return 0
}

// wrongAnswers are the kinds of errors in answers to tasks that are not lines.
var wrongAnswers = [numAsked]ErrorKind{AskedHand: WrongHand, AskedQualified: WrongQualification, AskedFirst: WrongOrder}

// grade returns the kind of error in what is said of a line, zero if it is right.
func (d *Due) grade(result, paid string) ErrorKind {
	if result != d.Result() {
		return WrongResult
	}
	text := strings.TrimSpace(paid)
	if text == "" {
		text = "0"
	}
	if amount, err := money.Parse(text); err != nil || amount != d.Pays() {
		return WrongAmount
	}
	return 0
}
