// Package identity finds out who somebody is: users and their passwords, the
// sessions that follow a login, guests, and the tokens of machines. What the
// person found may do is said elsewhere, in package access.
//
// Users and tokens are events of the stream "people", each with who did it and
// why, recorded like everything the house does. A password is kept as its argon2id hash and a
// token as its SHA-256 hash. The events hold these hashes, and [Redact] takes them out before
// anybody reads the events. A session is no event. A table of the store beside the record keeps
// it, by the SHA-256 hash of its token, so that people stay logged in when the house is opened
// again.
//
// A second factor is a code of an app, whose secret stands sealed in the events, or a
// passkey, of which they hold the public key. A challenge to a passkey is in memory alone,
// for one answer.
//
// Nothing here distinguishes an unknown name from a wrong password, neither the answer nor the
// work it takes. Guessing is slowed down by name and, where addresses tell people apart, by
// address. Memory is bounded against floods: of logins, of failures and of guests.
//
// The clock and the randomness are given by whoever opens the package.
package identity
