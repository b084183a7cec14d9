// Package house runs tables: it puts the pure packages to work on a clock, a
// dealing device and a store, and is where they first meet.
//
// One command is one [Transaction]: the events of the table, those of its
// jackpot and the postings of the ledger are recorded together or not at all,
// with the version that each stream must have and an idempotency key. A command
// is answered when its transaction is durable and never before.
//
// A table does one thing at a time; different tables go on side by side. What
// they share, the jackpot and the accounts, is decided upon under a lock and put
// in line at the store before the lock is released, so that the order of the
// decisions is the order of the record, and many tables wait for the same
// durable write. This needs a store that keeps its line in order and accepts
// nothing after a transaction that failed. If one fails, memory is ahead of the
// record: the house stops, and is opened again from what was recorded.
//
// What is decided about the house itself stands in a stream of its own: which
// tables there are and by which rules they play, what takes two people, which
// tables a fault stopped, when no rounds are begun. Every command asks first
// whether the role of whoever gives it may ask for it.
//
// The ports are declared here, and nothing here knows who fills them.
package house
