package rules

// SilentInterruption is the incident table for a technical interruption in a
// book that says nothing of one, under the ruling `interruption`. The clause is
// the provision that comes nearest.
func SilentInterruption(clause string) []Case {
	return []Case{
		Then(Continue, clause, Brief),
		Then(Continue, clause, Established),
		Then(OfferWithdrawal, clause).Under(Interruption, OfferToWithdraw),
		Then(Void, clause),
	}
}

// SilentCount is the incident table for a count of the cards in a book that says
// nothing of one: the right number, which the clause deck names, changes nothing,
// and a wrong one is Uncovered, under the clause given.
func SilentCount(deck, clause string) []Case {
	cases := SilentUncovered(clause)
	for i := range cases {
		cases[i].When = append(cases[i].When, CountWrong)
	}
	return append(cases, Then(Continue, deck))
}

// SilentUncovered is the incident table for whatever a book does not provide
// for and does not refer to anybody, under the ruling `silent_irregularity`.
func SilentUncovered(clause string) []Case {
	return []Case{
		Then(Void, clause).Under(SilentIrregularity, VoidRound),
		AskIf(&Question{
			Key: "resolve", Ask: "The rules do not provide for this. How is it resolved?",
			Role: ShiftManager, Clause: clause,
			Answers: []Answer{
				{"continue", Continue, clause},
				{"void", Void, clause},
				{"invalidate", Invalidate, clause},
				{"offer", OfferAffected, clause},
			},
		}),
	}
}
