package identity

// Ended returns a channel that is closed when a person who was let in may no longer be. A
// session or a token has ended then, or a user has changed. What ends by time alone closes
// none.
func (p *Directory) Ended() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ending == nil {
		p.ending = make(chan struct{})
	}
	return p.ending
}

// end closes the channel of [Directory.Ended]. p.mu is held: who wakes up finds what has changed.
func (p *Directory) end() {
	if p.ending != nil {
		close(p.ending)
		p.ending = nil
	}
}
