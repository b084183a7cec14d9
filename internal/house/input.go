package house

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"trey/internal/stored"
)

// inputForm is the form in which what came with an idempotency key is hashed.
const inputForm = "1:"

// errInput: the hash of what came with a key is not of the form that this program knows.
var errInput = errors.New("it is not the hash of what came with the key in form 1; a later version of Trey reads other forms")

var inputText = regexp.MustCompile(`^1:[0-9a-f]{64}$`)

// InputOf returns the hash of the input that came with an idempotency key, with its form before
// it. Form 1 hashes a JSON list of the role, the table or jackpot, the kind without its
// version, and the body. The members of the body are in order, and those that say nothing are
// left out. So it is the same whether a command is written in this version of its kind or in a
// later one that says nothing more. Whose key it is the key itself says.
func InputOf(c *Cause) (string, error) {
	var body any
	if len(c.Body) > 0 {
		read := json.NewDecoder(bytes.NewReader(c.Body))
		read.UseNumber()
		if err := read.Decode(&body); err != nil {
			return "", fmt.Errorf("hash what came with a key: %w", err)
		}
	}
	if body = saying(body); empty(body) {
		body = struct{}{}
	}
	text, err := json.Marshal([]any{c.Role, c.At, stored.Name(c.Kind), body})
	if err != nil {
		return "", fmt.Errorf("hash what came with a key: %w", err)
	}
	sum := sha256.Sum256(append([]byte("trey input v1\n"), text...))
	return inputForm + hex.EncodeToString(sum[:]), nil
}

// saying returns a value of JSON without the members of objects that say nothing.
func saying(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			if v[key] = saying(v[key]); empty(v[key]) {
				delete(v, key)
			}
		}
	case []any:
		for i := range v {
			v[i] = saying(v[i])
		}
	}
	return value
}

// empty reports whether a value of JSON says nothing: as a member of an object it could
// be left out.
func empty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case bool:
		return !v
	case json.Number:
		return v == "0"
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}
