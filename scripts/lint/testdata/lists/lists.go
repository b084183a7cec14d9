// Package lists has no mistakes, for the test of the linter.
package lists

import (
	"go/token"

	"trey/scripts/lint/testdata/light"
)

// Go reports whether one may go.
func Go(l light.Light) bool {
	switch l {
	case light.Red:
		return false
	case light.Green:
	}
	return true
}

// Stop reports whether one may not go.
func Stop(l light.Light) bool {
	switch l {
	case light.Red:
		return true
	default:
		return false
	}
}

// Adds reports what a sign does: its enum is not ours.
func Adds(of token.Token) bool {
	switch of {
	case token.ADD, token.INC:
		return true
	}
	return false
}
