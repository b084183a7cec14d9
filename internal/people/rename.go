package people

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"trey/internal/ledger"
)

// Keys are the keys under which a person stands in a stored body, as text or in a list of
// texts, and AccountKeys those under which an account does, which may be a person's.
// Nothing else stands under the former.
var (
	Keys = []string{
		"asked_by", "by", "entered_by", "examiner", "first", "instead", "name", "payable", "player", "restricted",
		"second", "warned", "winner",
	}
	AccountKeys = []string{"account", "from", "to"}
)

// class says whether the text under a key names a person, an account or neither.
type class uint8

const (
	other class = iota
	person
	account
)

var classes = func() map[string]class {
	all := map[string]class{}
	for _, key := range Keys {
		all[key] = person
	}
	for _, key := range AccountKeys {
		all[key] = account
	}
	return all
}()

// owners are the kinds of account that are a person's, as they begin in text.
var owners = []string{ledger.Player.String() + ":", ledger.Owed.String() + ":"}

// Personal reports whether an account is a person's, who is named by its Of.
func Personal(a ledger.Account) bool { return a.Kind == ledger.Player || a.Kind == ledger.Owed }

// Rename returns a stored body with other names: turn is asked for each text that stands
// for a person. The body is not changed, and is returned itself where no name changes.
func Rename(body []byte, turn func(name string) string) ([]byte, error) {
	r := renaming{text: body, turn: turn}
	if err := r.value(other); err != nil {
		return nil, fmt.Errorf("rename the persons of %.100q: %w", body, err)
	}
	if r.out == nil {
		return body, nil
	}
	return append(r.out, body[r.copied:]...), nil
}

// renaming reads JSON that encoding/json has written or checked.
type renaming struct {
	text []byte
	at   int
	turn func(string) string
	// out is what was written up to copied, nil while nothing has changed.
	out    []byte
	copied int
}

var errJSON = errors.New("it is no JSON")

// next returns the next byte that is no space, without taking it; zero at the end.
func (r *renaming) next() byte {
	for ; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// value reads a value of a class.
func (r *renaming) value(of class) error {
	switch r.next() {
	case '{':
		return r.members('}', func() error {
			from, to, err := r.quoted()
			if err != nil {
				return err
			}
			if r.next() != ':' {
				return errJSON
			}
			r.at++
			return r.value(classes[string(r.text[from+1:to-1])])
		})
	case '[':
		return r.members(']', func() error { return r.value(of) })
	case '"':
		from, to, err := r.quoted()
		if err != nil || of == other {
			return err
		}
		return r.rename(of, from, to)
	case 0:
		return errJSON
	}
	for r.at < len(r.text) && !strings.ContainsRune(",]} \t\n\r", rune(r.text[r.at])) {
		r.at++
	}
	return nil
}

// members reads what stands between two brackets.
func (r *renaming) members(end byte, one func() error) error {
	r.at++
	if r.next() == end {
		r.at++
		return nil
	}
	for {
		if err := one(); err != nil {
			return err
		}
		switch r.next() {
		case ',':
			r.at++
		case end:
			r.at++
			return nil
		default:
			return errJSON
		}
	}
}

// quoted takes a text and returns where it stands, with its quotation marks.
func (r *renaming) quoted() (from, to int, err error) {
	if r.next() != '"' {
		return 0, 0, errJSON
	}
	from = r.at
	for r.at++; r.at < len(r.text); r.at++ {
		switch r.text[r.at] {
		case '\\':
			r.at++
		case '"':
			r.at++
			return from, r.at, nil
		}
	}
	return 0, 0, errJSON
}

// rename writes another name for the text that was taken.
func (r *renaming) rename(of class, from, to int) error {
	text := string(r.text[from+1 : to-1])
	if strings.Contains(text, `\`) {
		if err := json.Unmarshal(r.text[from:to], &text); err != nil {
			return err
		}
	}
	kind, name := "", text
	if of == account {
		if kind = ownerOf(text); kind == "" {
			return nil
		}
		name = text[len(kind):]
	}
	renamed := r.turn(name)
	if renamed == name {
		return nil
	}
	if r.out == nil {
		r.out = make([]byte, 0, len(r.text)+16)
	}
	r.out = ledger.AppendString(append(r.out, r.text[r.copied:from]...), kind+renamed)
	r.copied = to
	return nil
}

func ownerOf(account string) string {
	for _, kind := range owners {
		if strings.HasPrefix(account, kind) {
			return kind
		}
	}
	return ""
}

// RenameAccount returns a person's account under another name, and any other account as
// it is.
func RenameAccount(a ledger.Account, turn func(string) string) ledger.Account {
	if Personal(a) {
		a.Of = turn(a.Of)
	}
	return a
}

// RenameKey returns an idempotency key with another name: the person stands in it quoted,
// behind what says whose keys these are and before the person's own key.
func RenameKey(key string, turn func(string) string) string {
	begin := strings.IndexByte(key, '"')
	if begin < 0 {
		return key
	}
	quoted, err := strconv.QuotedPrefix(key[begin:])
	if err != nil {
		return key
	}
	name, err := strconv.Unquote(quoted)
	if err != nil {
		return key
	}
	return key[:begin] + strconv.Quote(turn(name)) + key[begin+len(quoted):]
}
