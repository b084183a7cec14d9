package steady

import (
	"testing"
	"time"
)

// patience is far beyond what anything in a test takes.
var patience = 2 * time.Minute

// Await waits until so returns true, which it asks for every few milliseconds. When it does not
// within two minutes, the test fails with what it waited for: a test that waits without an end is
// ended by go test for all others of its package, and says nothing.
func Await(t testing.TB, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after %v there is still not: %s", patience, what)
		}
	}
}
