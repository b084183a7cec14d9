//go:build race

package house_test

// scenarioStep plays one scenario in so many under the race detector, which
// slows them tenfold and has little to find where one goroutine gives commands.
const scenarioStep = 24

// pastSteps is less because one goroutine compares long pasts.
const pastSteps = 2
