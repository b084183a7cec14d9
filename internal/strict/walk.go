package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// value is the place of a value in a text, and says which keys may stand there.
type value interface {
	// object begins an object. The function that it returns says of each key whether it may stand
	// there after those before it, and what the place of its value is.
	object() func(key string) (of value, ok bool)
	// element is the place of what stands in a list.
	element() value
}

// maxDepth is as deep as encoding/json reads a value.
const maxDepth = 10_000

var errDeep = errors.New("it is no value that can be read")

// firstWrong returns the path to the first key that may not stand where it does, such as
// rounds[2].bets, or nothing if there is none. What is no JSON has no such key.
func firstWrong(text []byte, at value) string {
	name, _ := walk(json.NewDecoder(bytes.NewReader(text)), at, 0)
	return strings.TrimPrefix(name, ".")
}

// walk goes over the next value and returns the path from it to the first key that may not stand
// there. It returns an error where the text breaks, only to stop there.
func walk(d *json.Decoder, at value, depth int) (name string, err error) {
	token, err := d.Token()
	if err != nil {
		return "", err
	}
	if depth > maxDepth {
		return "", errDeep
	}
	switch token {
	case json.Delim('{'):
		enter := at.object()
		for d.More() {
			token, err := d.Token()
			if err != nil {
				return "", err
			}
			key, _ := token.(string)
			of, ok := enter(key)
			if !ok {
				return "." + key, nil
			}
			if name, err := walk(d, of, depth+1); err != nil {
				return "", err
			} else if name != "" {
				return "." + key + name, nil
			}
		}
	case json.Delim('['):
		for i := 0; d.More(); i++ {
			if name, err := walk(d, at.element(), depth+1); err != nil {
				return "", err
			} else if name != "" {
				return "[" + strconv.Itoa(i) + "]" + name, nil
			}
		}
	default:
		return "", nil
	}
	_, err = d.Token()
	return "", err
}
