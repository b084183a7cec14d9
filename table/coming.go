package table

// ToCome lists where the order of the deal sends each card that is still to
// come, in order. After a missed burn card every card lies one place early, and
// so does this list.
func (s *State) ToCome() []Place {
	var places []Place
	for i := s.nextServed(); i < len(s.schedule); i++ {
		if p := s.schedule[i]; !p.IsBox() || !s.box(int(p)).Invalid {
			places = append(places, p)
		}
	}
	if s.burnSkipped() && len(places) > 0 {
		places = places[1:]
	}
	return places
}
