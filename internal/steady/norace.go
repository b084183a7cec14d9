//go:build !race

package steady

// checks is how many inputs every property tries to which nobody gives another number.
const checks = "100"
