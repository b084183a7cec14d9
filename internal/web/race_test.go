//go:build race

package web_test

// The race detector slows the server down many times and finds nothing that the
// tests without a browser do not lead it to.
func init() { slow = true }
