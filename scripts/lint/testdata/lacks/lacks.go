// Package lacks has mistakes for the test of the linter.
package lacks

import (
	"trey/scripts/lint/testdata/light"
)

// Go reports whether one may go.
func Go(l light.Light) bool {
	switch l {
	case light.Red:
		return false
	}
	return true
}

func forgotten() {}
