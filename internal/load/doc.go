// Package load plays in a house through its HTTP API, as any client would: many players
// at many tables, each with an event stream. It measures how fast the house answers. Each
// player keeps an account of the player's money, only from what the house has sent: the
// opening balance, the acknowledged bets and the settlement lines. At the end these
// accounts and the house's ledger have to agree to the cent.
//
// It knows of the house what docs/api.md says, and shares no code with it: the wire
// is written and read here once more. It starts no house and stops none.
package load
