//go:build !race

package house_test

// scenarioStep plays every scenario.
const scenarioStep = 1
