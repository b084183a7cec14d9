package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"trey/card"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// args hands out the words of a line, each once; what nobody asked for is an
// error, so that a misspelt word never passes unnoticed.
type args struct {
	words []Word
	taken []bool
}

func newArgs(l *line) *args {
	return &args{words: l.words, taken: make([]bool, len(l.words))}
}

// bare takes the next bare word.
func (a *args) bare(what string) (string, error) {
	for i, w := range a.words {
		if w.Key == "" && !a.taken[i] {
			a.taken[i] = true
			return w.Value, nil
		}
	}
	return "", fmt.Errorf("say %s", what)
}

// bares takes all bare words left.
func (a *args) bares() []string {
	var all []string
	for i, w := range a.words {
		if w.Key == "" && !a.taken[i] {
			a.taken[i] = true
			all = append(all, w.Value)
		}
	}
	return all
}

// flag takes a bare word if it is there.
func (a *args) flag(name string) bool {
	for i, w := range a.words {
		if w.Key == "" && w.Value == name && !a.taken[i] {
			a.taken[i] = true
			return true
		}
	}
	return false
}

// has reports whether a key is there, taken or not.
func (a *args) has(key string) bool {
	return slices.ContainsFunc(a.words, func(w Word) bool { return w.Key == key })
}

// text takes the value of a key, empty if it is not there.
func (a *args) text(key string) string {
	for i, w := range a.words {
		if w.Key == key && !a.taken[i] {
			a.taken[i] = true
			return w.Value
		}
	}
	return ""
}

// prefixed takes all key=value words that are left.
func (a *args) prefixed() []Word {
	var all []Word
	for i, w := range a.words {
		if w.Key != "" && !a.taken[i] {
			a.taken[i] = true
			all = append(all, w)
		}
	}
	return all
}

// rest returns an error about the words of the line that the verb did not read.
func (a *args) rest() error {
	for i, w := range a.words {
		if a.taken[i] {
			continue
		}
		if w.Key != "" {
			return fmt.Errorf("%s= has no meaning here, or stands twice", w.Key)
		}
		return fmt.Errorf("%q has no meaning here", w.Value)
	}
	return nil
}

func parseCount(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > 1_000_000_000 {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	return n, nil
}

func (a *args) number(key string) (n int, given bool, err error) {
	if !a.has(key) {
		return 0, false, nil
	}
	n, err = parseCount(a.text(key))
	return n, true, err
}

func (a *args) amount(key string) (amount money.Amount, given bool, err error) {
	if !a.has(key) {
		return 0, false, nil
	}
	amount, err = money.Parse(a.text(key))
	return amount, true, err
}

func (a *args) wager(key string) (rules.Wager, error) {
	text := a.text(key)
	if text == "" {
		return 0, nil
	}
	return rules.ParseWager(text)
}

func parseNumbers(text string) ([]int, error) {
	var all []int
	for _, part := range strings.Split(text, ",") {
		n, err := parseCount(part)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

func (a *args) numbers(key string) ([]int, error) {
	if !a.has(key) {
		return nil, nil
	}
	return parseNumbers(a.text(key))
}

func (a *args) cards(key string) ([]card.Card, error) {
	text := a.text(key)
	if text == "" {
		return nil, nil
	}
	return card.ParseFaces(text)
}

// place takes box=N, at=PLACE or a bare dealer, burn or out.
func (a *args) place() (table.Place, error) {
	if a.has("box") {
		n, _, err := a.number("box")
		if err == nil && (n < 1 || n > rules.MaxBoxes) {
			err = fmt.Errorf("there is no box %d", n)
		}
		return table.Box(n), err
	}
	if text := a.text("at"); text != "" {
		return table.ParsePlace(text)
	}
	for _, name := range []string{"dealer", "burn", "out"} {
		if a.flag(name) {
			return table.ParsePlace(name)
		}
	}
	return 0, fmt.Errorf("say where: box=N, dealer, burn or out")
}

// parseSeconds reads a time in seconds with up to three decimals as
// milliseconds.
func parseSeconds(text string) (ms int64, err error) {
	integer, decimals, point := strings.Cut(text, ".")
	if point && decimals == "" || len(decimals) > 3 {
		return 0, fmt.Errorf("%q is not a time in seconds", text)
	}
	n, err := parseCount(integer)
	if err != nil {
		return 0, fmt.Errorf("%q is not a time in seconds", text)
	}
	f, err := parseCount((decimals + "000")[:3])
	if err != nil {
		return 0, fmt.Errorf("%q is not a time in seconds", text)
	}
	return int64(n)*1000 + int64(f), nil
}

// actor reads by=ROLE or by=ROLE:NAME; without it the default holds.
func (a *args) actor(otherwise table.Actor) (table.Actor, error) {
	text := a.text("by")
	if text == "" {
		return otherwise, nil
	}
	key, name, _ := strings.Cut(text, ":")
	role, err := rules.ParseRole(key)
	if err != nil {
		return table.Actor{}, err
	}
	if name == "" {
		if name = key; role == rules.Player {
			name = otherwise.Name
		}
	}
	return table.Actor{Name: name, Role: role}, nil
}
