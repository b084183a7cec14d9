package steady

import (
	"io"
	"math/rand/v2"
	"sync"
)

// Random returns a source of bytes that gives the same ones in every run, and is no secret. It is
// safe for use by many goroutines, of which each run decides who gets which.
func Random(seed byte) io.Reader {
	return &source{bytes: rand.NewChaCha8([32]byte{seed})}
}

type source struct {
	mu    sync.Mutex
	bytes *rand.ChaCha8
}

func (s *source) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes.Read(p)
}
