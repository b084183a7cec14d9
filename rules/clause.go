package rules

// ClauseKind is the kind of work that a clause asks of the software.
type ClauseKind uint8

// The kinds of clause. The zero value is none of them.
const (
	_ ClauseKind = iota
	// Executable clauses decide about cards, bets or money: code carries them
	// out and at least one scenario proves it.
	Executable
	// Display clauses ask that something be shown to people; Where says where.
	Display
	// Procedure clauses are done by human hands; Where says what the software
	// offers those hands.
	Procedure
	// Definition clauses give a word its meaning and decide nothing alone.
	Definition
)

// String returns the kind in lower case, as `trey rules` prints it.
func (k ClauseKind) String() string {
	switch k {
	case Executable:
		return "executable"
	case Display:
		return "display"
	case Procedure:
		return "procedure"
	case Definition:
		return "definition"
	}
	return "unknown"
}

// Clause is one numbered provision of a rule book, in our own words.
type Clause struct {
	// ID is the clause's number within its book, such as "5.8.6" or
	// "dealing.4". It never changes once published.
	ID string
	// Title names the provision in the language of the text, where that is not English;
	// see [Book.Language].
	Title string
	// Summary says in one or two sentences of ours what the clause provides.
	Summary string
	// Kind says what the clause asks of the software.
	Kind ClauseKind
	// Where is for Display clauses the place where people see it, and for
	// Procedure clauses the help the software gives; empty otherwise.
	Where string
}
