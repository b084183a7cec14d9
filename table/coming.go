package table

// ToCome lists where the order of the deal sends each card that is still to
// come, in order. After a missed burn card every card lies one place early, and
// so does this list.
func (s *State) ToCome() []Place {
	places := s.coming()
	if s.burnSkipped() && len(places) > 0 {
		places = places[1:]
	}
	return places
}

// coming lists the places of the order that have had no card yet, without those
// of hands that have left the round.
func (s *State) coming() []Place {
	places := make([]Place, 0, len(s.schedule)-s.served)
	for _, p := range s.schedule[s.served:] {
		if !p.IsBox() || !s.box(int(p)).Invalid {
			places = append(places, p)
		}
	}
	return places
}
