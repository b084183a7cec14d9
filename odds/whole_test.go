//go:build !race

package odds

// bruteStep takes every player's hand: the enumeration is whole.
const bruteStep = 1
