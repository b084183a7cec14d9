// Package load plays in a house through its interface for programs, as any client
// would: many players at many tables, each with a stream of events of his own. It
// measures how fast the house answers, and each player keeps his own account of his
// money, from what he was told alone: what he had in the beginning, which bets were
// acknowledged, which settlement lines he heard. At the end these accounts and the
// house's ledger have to agree to the cent.
//
// It knows of the house what docs/api.md says, and shares no code with it: the wire
// is written and read here once more. It starts no house and stops none.
package load
