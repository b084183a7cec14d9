package rules

import (
	"errors"

	"trey/money"
	"trey/sentence"
)

// maxChipSteps bounds how many times the greatest common divisor of a table's
// denominations goes into the smallest of them. Real chips stay far below it; it bounds
// the work of Payable, and Check refuses a table beyond it.
const maxChipSteps = 10_000

// stackSteps is the largest table of remainders that Payable keeps without
// allocating. A table with a $1 chip needs one step, one with $25 and $60 five.
const stackSteps = 256

// Payable reports whether the amount can be laid in chips of the table's
// denominations, as many of each as it takes. Where the variant lists no chips,
// every positive amount can. Nothing at all, and less, cannot be laid.
//
// It does not allocate for any sensible set of chips: the cases of play are
// settled by at most a division for each denomination.
//
//clause:us-3cp equipment.chips
func (v *Variant) Payable(amount money.Amount) bool {
	if amount <= 0 {
		return false
	}
	if len(v.Chips) == 0 {
		return true
	}
	step := v.Chips[0]
	if step > 0 && amount%step == 0 {
		return true
	}
	for _, chip := range v.Chips[1:] {
		step = commonStep(step, chip)
	}
	if step <= 0 || amount%step != 0 {
		return false
	}
	return v.reachable(amount/step, step)
}

// reachable decides the amounts that the smallest chip alone does not make.
// Everything is counted in steps, the greatest common divisor of the chips, so
// that the denominations have no common divisor left.
//
// Its table holds, for each remainder by the smallest chip, the least amount
// with that remainder which the chips can make: whatever has the same remainder
// and is not less can be made too, by adding smallest chips.
func (v *Variant) reachable(amount, step money.Amount) bool {
	smallest := v.Chips[0] / step
	largest := v.Chips[len(v.Chips)-1] / step
	// From the product of (smallest - 1) and (largest - 1) on, there is no gap.
	if smallest == 1 || (amount/(smallest-1)) >= largest {
		return true
	}
	var onStack [stackSteps]money.Amount
	least := onStack[:]
	if smallest > stackSteps {
		least = make([]money.Amount, smallest)
	}
	least = least[:smallest]
	// More than the amount is as good as never, and cannot overflow.
	never := amount + 1
	for i := range least {
		least[i] = never
	}
	least[0] = 0
	for _, chip := range v.Chips[1:] {
		chip /= step
		// Adding the chip again and again goes round the remainders in as many
		// separate circles as it has divisors in common with the smallest; two
		// rounds of each bring every remainder to its least.
		circles := commonStep(smallest, chip)
		for start := range circles {
			at := start
			for range 2 * (smallest / circles) {
				next := (at + chip%smallest) % smallest
				if least[at] <= amount-chip && least[at]+chip < least[next] {
					least[next] = least[at] + chip
				}
				at = next
			}
		}
	}
	return least[amount%smallest] <= amount
}

// checkChips refuses denominations that no table could use.
func (v *Variant) checkChips() error {
	var step money.Amount
	for i, chip := range v.Chips {
		if chip <= 0 || (i > 0 && chip <= v.Chips[i-1]) {
			return errors.New("denominations must be positive and ascending")
		}
		step = commonStep(chip, step)
	}
	if len(v.Chips) > 0 && v.Chips[0]/step > maxChipSteps {
		return sentence.Errorf("the smallest is %d times what all have in common; at most %d can be reckoned with", int64(v.Chips[0]/step), maxChipSteps)
	}
	return nil
}

// commonStep returns the greatest common divisor of two positive amounts.
func commonStep(a, b money.Amount) money.Amount {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
