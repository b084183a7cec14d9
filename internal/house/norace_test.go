//go:build !race

package house_test

// scenarioStep plays every scenario.
const scenarioStep = 1

// pastSteps is from how many points of a past the rest of it is read.
const pastSteps = 9
