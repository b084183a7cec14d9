package scenario_test

import (
	"errors"
	"strings"
	"testing"

	"trey/scenario"
)

// A scenario proves nothing of a book that it does not open, nor of a clause that the
// book does not have.
func TestTheHeadIsOfTheBookThatIsOpened(t *testing.T) {
	for _, tt := range []struct{ name, head, open, want string }{
		{"the book", "# rws-3cp@3 3.5: what", "open rws-3cp boxes=2", ""},
		{"a book of one edition", "# us-3cp rules.1: what", "open us-3cp boxes=2", ""},
		{"a book by its edition", "# rws-3cp@3 3.5: what", "open rws-3cp@3 boxes=2", ""},
		{"several clauses", "# rws-3cp@3 3.5: what\n# proves: 3.7, 5.8.6", "open rws-3cp boxes=2", ""},
		{"another book", "# us-3cp rules.1: what", "open rws-3cp boxes=2", "the first line names us-3cp, and the table opened is of rws-3cp@3"},
		{"another edition", "# rws-3cp@2 3.5: what", "open rws-3cp boxes=2", "the first line names rws-3cp@2, and the table opened is of rws-3cp@3: write rws-3cp@3 there"},
		{"no edition", "# rws-3cp 3.5: what", "open rws-3cp boxes=2", "write rws-3cp@3 there"},
		{"no book", "# chess 3.5: what", "open rws-3cp boxes=2", "the first line names chess"},
		{"a clause that is nearly one", "# rws-3cp@3 5.8.66: what", "open rws-3cp boxes=2", `rws-3cp@3 has no clause "5.8.66": did you mean 5.8.6?`},
		{"a clause of another book", "# us-3cp 5.8.6: what", "open us-3cp boxes=2", "us-3cp has no clause \"5.8.6\": `trey rules us-3cp` lists them"},
		{"a clause further down", "# rws-3cp@3 3.5: what\n# proves: 3.7, 99.9x", "open rws-3cp boxes=2", `rws-3cp@3 has no clause "99.9x"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := scenario.Parse("t.txtar", []byte(tt.head+"\n"+tt.open+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			err = s.Run(new(scenario.Pure), nil)
			if tt.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var wrong *scenario.SyntaxError
			if !errors.As(err, &wrong) || wrong.Line != 1 || !strings.Contains(wrong.Why, tt.want) {
				t.Errorf("it says %v", err)
			}
		})
	}
}
