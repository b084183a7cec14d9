package rules

// SilentInterruption returns the cases of a technical interruption for a book that says nothing of
// one: the ruling `interruption` decides, and is cited.
func SilentInterruption() []Case {
	clause := Interruption.Clause()
	return []Case{
		Then(Continue, clause, Brief),
		Then(Continue, clause, Established),
		Then(OfferWithdrawal, clause).Under(Interruption, OfferToWithdraw),
		Then(Void, clause),
	}
}

// SilentCount returns the cases of a count of the cards for a book that says nothing of one. The
// right number, which the clause deck names, changes nothing; [SilentUncovered] has the case of a
// wrong one.
func SilentCount(deck string) []Case {
	return append(SilentUncovered(CountWrong), Then(Continue, deck))
}

// SilentUncovered returns the cases of an irregularity that a book does not provide for and refers
// to nobody, where the conditions hold: the ruling `silent_irregularity` decides, and is cited.
func SilentUncovered(when ...Condition) []Case {
	clause := SilentIrregularity.Clause()
	return []Case{
		Then(Void, clause, when...).Under(SilentIrregularity, VoidRound),
		AskIf(&Question{
			Key: "resolve", Ask: "The rules do not provide for this. How is it resolved?",
			Role: ShiftManager, Clause: clause,
			Answers: []Answer{
				{"continue", Continue, clause},
				{"void", Void, clause},
				{"invalidate", Invalidate, clause},
				{"offer", OfferAffected, clause},
				{"move", MoveHands, clause},
				{"remedy", Remedy, clause},
			},
		}, when...),
	}
}

// SilentOffer returns the options of a book that offers none: they come from a ruling,
// which is cited.
func SilentOffer() OfferRule {
	options := SilentIrregularity.Clause()
	return OfferRule{Continue: options, Restored: options, Return: options, Withdraw: Interruption.Clause()}
}
