// Package steady makes properties try the same inputs in every run: `go test ./...`
// passes on a machine if it passes on another. Every package whose tests use
// pgregory.net/rapid imports it in one of them, if only for its effect. [Tries] says how much of
// what is rare a test looks for. It belongs to no program.
//
// Where it is imported the collector runs a quarter as often, unless GOGC says something: a test opens
// a house of a few megabytes, and soon the next one opens another. Under the race detector that would
// take longer.
//
// RAPID_SEED=0 RAPID_CHECKS=10000 go test ./... searches where nobody has looked yet.
package steady

import (
	"flag"
	"os"
	"runtime/debug"
	"strconv"

	_ "pgregory.net/rapid" // its flags must be there
)

// seed is where every property begins that nobody gives another one: it is any
// number but zero, which rapid replaces by a random one.
const seed = "3"

func init() {
	if os.Getenv("GOGC") == "" && !Raced {
		debug.SetGCPercent(400)
	}
	for _, setting := range []struct{ variable, name, value string }{
		{"RAPID_SEED", "rapid.seed", seed}, {"RAPID_CHECKS", "rapid.checks", strconv.Itoa(checks())},
	} {
		if _, chosen := os.LookupEnv(setting.variable); chosen {
			continue
		}
		f := flag.Lookup(setting.name) // nil: rapid has no such flag any more
		if err := f.Value.Set(setting.value); err != nil {
			panic(err)
		}
		f.DefValue = setting.value // nobody has asked for it
	}
}
