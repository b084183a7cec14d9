// Package record has the stored types of what happens at tables and jackpots, and of the
// commands that lead to it. They are the one form of the record, of the interface and of
// round records.
//
// They stand apart from the types of the engine, so that another name of a type or a
// field there changes no byte. Package stored says how they are versioned, and
// docs/record-events.md lists all of them.
package record
