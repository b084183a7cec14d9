package plan

import (
	_ "embed"
	"fmt"
)

//go:embed example.toml
var example []byte

// Example returns a complete plan with comments, to start from.
func Example() []byte { return append([]byte(nil), example...) }

// Demonstration returns the house of the example, which is opened where no configuration is
// given.
func Demonstration() *Plan {
	p, _, err := Parse("the demonstration", example, func(file string) (string, []byte, error) {
		return "", nil, fmt.Errorf("the demonstration has no file %s", file)
	})
	if err != nil {
		panic(err) // A test holds it.
	}
	p.Database, p.SealKeys = "", ""
	return p
}
