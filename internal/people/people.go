// Package people keeps the names of persons apart from what is recorded of them: the
// record has a number where the program has a name.
package people

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// Mark begins what stands for a person in the record, such as "#17". No name begins
// with it.
const Mark = "#"

// Salt hides a name in its commitment.
type Salt [32]byte

// Name is a person's name, beside the number that stands for the person.
type Name struct {
	Number int64
	// Salt and Text are what the commitment was made of. Text is empty, and Salt too,
	// where the name was erased.
	Salt Salt
	Text string
}

// Commitment returns the SHA-256 of a line of text, the salt and the name: it shows
// whose number it is, and without the salt nobody can try names.
func (n *Name) Commitment() [32]byte {
	return sha256.Sum256(append(append([]byte("trey name v1\n"), n.Salt[:]...), n.Text...))
}

// Token returns what stands for a person in the record.
func Token(number int64) string { return Mark + strconv.FormatInt(number, 10) }

// Number returns the number of a token, and false for what is none.
func Number(token string) (int64, bool) {
	digits, ok := strings.CutPrefix(token, Mark)
	if !ok || digits == "" || digits[0] < '1' || digits[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, err == nil
}

// words stand in the place of a person where nobody was: who they name is no person, and
// the record has them as they are.
var words = map[string]bool{
	"":                            true,
	"the house":                   true,
	"the cage":                    true,
	"the operator of the machine": true,
}

// Reserved reports whether a name is reserved, because the record could not tell it
// from a number or from a word for the house.
func Reserved(name string) bool { return words[name] || strings.HasPrefix(name, Mark) }

// Directory holds the names of the persons in a record, once it has read them. It is safe
// for use by many goroutines.
type Directory struct {
	// Random is where the salts come from; nil is for chance. Only tests put anything here.
	Random io.Reader

	mu      sync.RWMutex
	numbers map[string]int64
	names   []string // by number, the first one that of number 1; empty if erased
	erased  int64
	fault   error

	giving sync.Mutex
}

// Load reads the names that a record has. An error says that they cannot be read. Where
// they do not hold together, [Directory.Fault] says so: the record can still be audited.
func (d *Directory) Load(ctx context.Context, names func(context.Context, int64, func(Name) error) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.numbers = map[string]int64{}
	return names(ctx, 0, func(n Name) error {
		want := int64(len(d.names)) + 1
		if n.Number != want {
			d.fault = cmp.Or(d.fault, fmt.Errorf("the table of names has number %d where %d should stand", n.Number, want))
			return nil
		}
		d.names = append(d.names, n.Text)
		if n.Text == "" {
			d.erased++
			return nil
		}
		if other, twice := d.numbers[n.Text]; twice {
			d.fault = cmp.Or(d.fault, fmt.Errorf("the table of names has one name for the numbers %d and %d", other, n.Number))
		}
		d.numbers[n.Text] = n.Number
		return nil
	})
}

// Fault says why the names do not hold together, nil if they do: then nobody may be given
// a number.
func (d *Directory) Fault() error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.fault
}

// Forget removes a name that was erased from the record.
func (d *Directory) Forget(number int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if number < 1 || number > int64(len(d.names)) || d.names[number-1] == "" {
		return
	}
	delete(d.numbers, d.names[number-1])
	d.names[number-1] = ""
	d.erased++
}

// Token returns what stands for a name in the record, and false where the name has no
// number yet. What stands for itself is returned as it is.
func (d *Directory) Token(name string) (token string, known bool) {
	if Reserved(name) {
		return name, true
	}
	d.mu.RLock()
	defer d.mu.RUnlock()
	number, known := d.numbers[name]
	return Token(number), known
}

// Name returns the name for what stands in the record. What stands for itself, and the
// token of a name that was erased, are returned as they are.
func (d *Directory) Name(token string) string {
	number, ok := Number(token)
	if !ok {
		return token
	}
	d.mu.RLock()
	defer d.mu.RUnlock()
	if number <= int64(len(d.names)) && d.names[number-1] != "" {
		return d.names[number-1]
	}
	return token
}

// Give returns the token of a name. If the name has no number yet, it gets the next one:
// record is called with it, and with how many numbers were given and names erased before.
// Numbers are recorded in their order.
func (d *Directory) Give(name string, record func(number, after int64)) string {
	if token, known := d.Token(name); known {
		return token
	}
	d.giving.Lock()
	defer d.giving.Unlock()
	if token, known := d.Token(name); known {
		return token
	}
	d.mu.Lock()
	number := int64(len(d.names)) + 1
	after := number - 1 + d.erased
	d.mu.Unlock()
	record(number, after)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.names = append(d.names, name)
	d.numbers[name] = number
	return Token(number)
}

// Given returns how many numbers were given.
func (d *Directory) Given() int64 {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return int64(len(d.names))
}

// Learn takes in the name of the next number, which another process gave.
func (d *Directory) Learn(n Name) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if want := int64(len(d.names)) + 1; n.Number != want {
		return fmt.Errorf("the table of names has number %d where %d should stand", n.Number, want)
	}
	d.names = append(d.names, n.Text)
	if n.Text == "" {
		d.erased++
		return nil
	}
	d.numbers[n.Text] = n.Number
	return nil
}

// Recorded returns how many numbers were given and names erased.
func (d *Directory) Recorded() int64 {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return int64(len(d.names)) + d.erased
}
