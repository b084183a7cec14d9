package rules

import "iter"

// Question returns the question of the book with the key, nil if it has none. All
// questions of a book with the same key have the same words.
func (b *Book) Question(key string) *Question {
	for q := range b.Questions() {
		if q.Key == key {
			return q
		}
	}
	return nil
}

// Questions yields every question that the book puts to somebody, some of them more
// than once.
func (b *Book) Questions() iter.Seq[*Question] {
	return func(yield func(*Question) bool) {
		for _, q := range []*Question{b.Bets.EarlierAsk, b.Offer.Question} {
			if q != nil && !yield(q) {
				return
			}
		}
		for i := range b.Incidents {
			for k := range b.Incidents[i].Cases {
				if q := b.Incidents[i].Cases[k].Question; q != nil && !yield(q) {
					return
				}
			}
		}
	}
}
