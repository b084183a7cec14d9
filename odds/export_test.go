package odds

// Whole reports whether the long enumerations run in full; see whole_test.go.
const Whole = bruteStep == 1
