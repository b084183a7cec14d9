package steady

import (
	"os"
	"runtime/debug"
)

// garbagePercent is the garbage that tests leave before it is collected, as a percentage of what
// they hold: they hold little, and a collection is up to a third of what they do.
const garbagePercent = 400

func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
}
