package rules

import (
	"fmt"
	"strings"
)

// Every closed list of this package is written by key in files and on the
// wire; these two do it for all of them.

func keyText[T ~uint8](v T, what string, keys []string) ([]byte, error) {
	if v == 0 || int(v) >= len(keys) {
		return nil, fmt.Errorf("%s %d does not exist", what, v)
	}
	return []byte(keys[v]), nil
}

func parseKey[T ~uint8](s, what string, keys []string) (T, error) {
	for i, key := range keys {
		if i > 0 && key == s {
			return T(i), nil
		}
	}
	return 0, fmt.Errorf("%q is not a %s: choose from %s", s, what, strings.Join(keys[1:], ", "))
}
