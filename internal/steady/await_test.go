package steady

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// failed is a test of which only the failure counts.
type failed struct {
	testing.TB
	words string
}

func (f *failed) Helper() {}

func (f *failed) Fatalf(format string, args ...any) {
	f.words = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func TestAwaitEnds(t *testing.T) {
	usual := patience
	defer func() { patience = usual }()
	run := func(so func() bool) (words string, returned bool) {
		f, over := &failed{TB: t}, make(chan struct{})
		go func() {
			defer close(over)
			Await(f, "an answer", so)
			returned = true
		}()
		<-over
		return f.words, returned
	}
	patience = 20 * time.Millisecond
	if words, returned := run(func() bool { return false }); returned || !strings.Contains(words, "an answer") {
		t.Errorf("what never becomes so is awaited (%t), and the test says %q", returned, words)
	}
	patience = usual
	times := 0
	if words, returned := run(func() bool { times++; return times == 3 }); !returned || words != "" || times != 3 {
		t.Errorf("what has become so the third time was asked for %d times (%t), and the test says %q", times, returned, words)
	}
}
