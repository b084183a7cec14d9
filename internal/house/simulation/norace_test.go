//go:build !race

package simulation

// defaultRounds counts the rounds of each house.
const defaultRounds = 100
