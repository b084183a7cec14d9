package api

import "sync"

// streamQuota counts what is held open by whoever holds it, and in all.
type streamQuota struct {
	each, all int // at most; zero is no limit

	mu    sync.Mutex
	taken map[string]int
	total int
}

func newStreamQuota(each, all int) *streamQuota {
	return &streamQuota{each: each, all: all, taken: map[string]int{}}
}

// take reports whether there is room for one more, and takes it.
func (s *streamQuota) take(person string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all > 0 && s.total >= s.all || s.each > 0 && s.taken[person] >= s.each {
		return false
	}
	s.taken[person]++
	s.total++
	return true
}

func (s *streamQuota) leave(person string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken[person]--; s.taken[person] <= 0 {
		delete(s.taken, person)
	}
	s.total--
}

func (s *streamQuota) held() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total
}
