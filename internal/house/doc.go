// Package house runs tables: it connects the pure packages with a clock, a dealing device and a
// store.
//
// One command is one [Transaction]. The events of the table, those of its jackpot and the
// postings of the ledger are recorded together or not at all. They have the expected version of
// each stream and an idempotency key. A command is answered when its transaction is durable and
// never before.
//
// A table does one thing at a time; different tables go on side by side. They share the jackpot
// and the accounts. A lock guards each decision about these until the transaction is queued at
// the store. The order of the decisions is thus the order of the record, and many tables wait
// for the same durable write. This needs a store that keeps its line in order and accepts
// nothing after a transaction that failed. If one fails, memory is ahead of the record: the
// house stops, and is opened again from what was recorded.
//
// Decisions about the house itself are in a stream of their own. They are about the tables and
// their rules, the proposals that take two people, the tables that a fault stopped, and when no
// rounds begin. Every command asks first whether the role of whoever gives it may ask for it.
//
// The ports are declared here, and nothing here knows who fills them.
package house
