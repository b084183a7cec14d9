package auditor

import (
	"context"
	"errors"

	"trey/internal/house"
)

// CheckRounds makes the record of every round once more from the transactions, and holds
// it against what the leaf that ends the round commits to, and each leaf that corrects it
// afterwards. This is done by the house's own code: the code that nobody shares with it
// reads the records themselves. An error says that the record cannot be read.
func CheckRounds(ctx context.Context, l Log) (found []Finding, err error) {
	texts := house.NewRoundTexts()
	err = l.Leaves(ctx, 0, func(leaf house.Leaf) error {
		e, err := leaf.Line.Entry(leaf.Seq, leaf.AtMs)
		if err == nil {
			err = texts.Add(&e)
		}
		var fault *house.RoundFault
		if errors.As(err, &fault) || errors.Is(err, house.ErrCorrupt) {
			found = append(found, Finding{Seq: leaf.Seq, What: err.Error()})
			return nil
		}
		return err
	})
	return found, err
}
