package proof_test

import (
	"fmt"
	"os"

	"trey/internal/house/proof"
)

// A record of a round is read and proved with nothing but its file and the key of
// the house that is said to have signed it.
func ExampleVerifier_Verify() {
	key, err := os.ReadFile("testdata/house.pub")
	if err != nil {
		panic(err)
	}
	houses, err := proof.Houses(string(key))
	if err != nil {
		panic(err)
	}
	file, err := os.Open("testdata/settled.json")
	if err != nil {
		panic(err)
	}
	defer file.Close()
	round, err := proof.Read(file)
	if err != nil {
		panic(err)
	}
	report := (&proof.Verifier{Houses: houses}).Verify(round)
	fmt.Println("proven:", report.Proven)
	for _, finding := range report.Findings {
		if finding.Check == proof.Money {
			fmt.Println(finding.Text)
		}
	}
	// Output:
	// proven: true
	// #3 bet 25.00, got 40.00 back and won 15.00, as was posted
	// #4 bet 10.00, got 0.00 back and lost 10.00, as was posted
	// nothing is left on the layout
}
