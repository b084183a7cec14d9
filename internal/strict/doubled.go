package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode"
)

// Doubled returns the first key that stands twice in one object, with the path to it
// such as rounds[2].bets, or nothing if there is none. Which of the two values was
// meant nobody can know, and [Read] takes the last. Capital letters make no difference,
// nor does a letter such as the long s, because they make none where a struct is read.
// What is no JSON has no such key.
func Doubled(text []byte) string {
	name, _ := doubled(json.NewDecoder(bytes.NewReader(text)), 0)
	return strings.TrimPrefix(name, ".")
}

// maxDepth is as deep as encoding/json reads a value.
const maxDepth = 10_000

var errDeep = errors.New("it is no value that can be read")

// doubled goes over the next value and returns the path from it to the first key that
// stands twice. It returns an error where the text breaks, only to stop there.
func doubled(d *json.Decoder, depth int) (name string, err error) {
	token, err := d.Token()
	if err != nil {
		return "", err
	}
	if depth > maxDepth {
		return "", errDeep
	}
	switch token {
	case json.Delim('{'):
		seen := map[string]bool{}
		for d.More() {
			token, err := d.Token()
			if err != nil {
				return "", err
			}
			key, _ := token.(string)
			same := strings.Map(folded, key)
			if seen[same] {
				return "." + key, nil
			}
			seen[same] = true
			if name, err := doubled(d, depth+1); err != nil {
				return "", err
			} else if name != "" {
				return "." + key + name, nil
			}
		}
	case json.Delim('['):
		for i := 0; d.More(); i++ {
			if name, err := doubled(d, depth+1); err != nil {
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

// folded returns the first of the letters that encoding/json takes for the same in a key.
func folded(r rune) rune {
	for {
		next := unicode.SimpleFold(r)
		if next <= r {
			return next
		}
		r = next
	}
}
