package table

// ToCome lists where the order of the deal sends each card that is still to
// come, in order. After a missed burn card every card lies one place early, and
// so does this list.
func (s *State) ToCome() []Place {
	if s.burnSkipped() {
		return s.from(s.laid)
	}
	return s.coming()
}

// coming lists the places of the order that have had no card yet, without those
// of hands that have left the round.
func (s *State) coming() []Place {
	return s.from(s.served)
}

// from lists the places of the order from an entry on, without those of hands
// that have left the round.
func (s *State) from(entry int) []Place {
	places := make([]Place, 0, len(s.schedule)-entry)
	for _, p := range s.schedule[entry:] {
		if !p.IsBox() || !s.box(int(p)).Invalid {
			places = append(places, p)
		}
	}
	return places
}
