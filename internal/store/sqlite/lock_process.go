//go:build unix && !linux

package sqlite

import "golang.org/x/sys/unix"

// setLock sets a lock that belongs to the process. SQLite closes no handle on the file
// while one of its connections is open, so the lock lasts as long as the store.
const setLock = unix.F_SETLK
