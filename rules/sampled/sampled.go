// Package sampled draws variants for the properties of tests. It belongs to no program.
package sampled

import (
	"pgregory.net/rapid"

	"trey/rules"
)

// Rulings draws a value for each open ruling of a variant, such as may be chosen together.
// Each label is the ruling's key behind prefix.
func Rulings(t *rapid.T, prefix string, v *rules.Variant) {
	for _, r := range v.Book.Open() {
		v.Choices[r] = rapid.SampledFrom(r.Rule().Choices).Draw(t, prefix+r.String())
	}
	Fit(v)
}

// Fit changes a value of a variant where two that were drawn may not be chosen together:
// [rules.Variant.Faults] says which may not.
func Fit(v *rules.Variant) {
	if v.Check() != nil {
		v.Choices[rules.EarlyLook] = rules.Returned
	}
}
