//go:build race

package main

// raced says that the race detector is on.
const raced = true

// crashKillsUsual is less under the race detector, where each life of the house takes
// several times as long: how many there are proves nothing about races.
const crashKillsUsual = 5
