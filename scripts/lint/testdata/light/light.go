// Package light is an enum for the test of the linter.
package light

// Light is that of a crossing.
type Light int

// The lights.
const (
	_ Light = iota
	Red
	Green

	numLights
)

// All are the lights.
var All = make([]Light, numLights)

func (l Light) String() string {
	switch l {
	case Red:
		return "red"
	case Green:
		return "green"
	}
	return ""
}
