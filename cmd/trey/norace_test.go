//go:build !race

package main

const crashKillsUsual = 20
