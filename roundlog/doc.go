// Package roundlog writes down what happens at a table and reads it back: a
// header with the rules in force, then every accepted command with the events
// that followed, one JSON object a line, each chained to the one before by a
// hash.
//
// A log is checked by doing everything again. [Reader] decides every command
// anew and compares the events, so a log that passes is what the engine does
// under those rules with those cards. The hashes tell where a log was altered,
// cut or put in another order; they do not tell who wrote it, for whoever
// rewrites a log can chain it anew. Keeping the last hash elsewhere does that.
//
// The package will never open a file, ask the time or know a particular book:
// it is handed readers, writers and a function that finds books.
package roundlog
