package sqlite

import "golang.org/x/sys/unix"

// setLock sets a lock that belongs to its handle: SQLite may close others on the same
// file.
const setLock = unix.F_OFD_SETLK
