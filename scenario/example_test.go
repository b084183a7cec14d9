package scenario_test

import (
	"fmt"

	"trey/scenario"
)

// A scenario says what people do at a table and what must follow. A line that does
// not come out as written ends the run with a Failure: a folded Ante of 5 is lost whole.
func ExampleScript_Run() {
	script, err := scenario.Parse("fold.txtar", []byte(`# us-3cp dealing.4: a hand is folded
open us-3cp boxes=1
bet box=1 ante=5 player=ann
close
deal box=1 'Jh 9d 4c' dealer='Qd 9c 4h'
fold box=1
want net ann=-4
`))
	if err != nil {
		panic(err)
	}
	fmt.Println(script.Run(&scenario.Pure{}, nil))
	// Output:
	// fold.txtar:7: want net ann=-4
	// 	expected: net ann=-4.00
	// 	found:    net ann=-5.00
}
