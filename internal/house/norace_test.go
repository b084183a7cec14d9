//go:build !race

package house_test

import "trey/internal/steady"

// scenarioStep plays every scenario.
const scenarioStep = 1

// pastSteps is from how many points of a past the rest of it is read.
var pastSteps = steady.Tries(4, 9)
