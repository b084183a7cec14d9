package scenario

import (
	"fmt"

	"trey/rules"
)

// checkHead compares the first line with the book of the table that is opened first,
// and looks up each clause that the scenario says it proves. The error is a
// [*SyntaxError] of the first line.
func (s *Script) checkHead(book *rules.Book) error {
	why := ""
	if s.Book != book.Ref() {
		why = fmt.Sprintf("the first line names %s, and the table opened is of %s: write %s there, or open the other book", s.Book, book.Ref(), book.Ref())
	} else {
		for _, id := range s.Clauses {
			if _, ok := book.Clause(id); ok {
				continue
			}
			var ids []string
			for i := range book.Clauses {
				ids = append(ids, book.Clauses[i].ID)
			}
			why = fmt.Sprintf("%s has no clause %q", book.Ref(), id)
			if near := rules.Nearest(id, ids); near != "" {
				why += ": did you mean " + near + "?"
			} else {
				why += fmt.Sprintf(": `trey rules %s` lists them", book.ID)
			}
			break
		}
	}
	if why == "" {
		return nil
	}
	return &SyntaxError{File: s.Name, Line: 1, Why: why}
}
