//go:build !unix

package api

import "syscall"

// writeAtOnce writes nothing: where a write cannot be kept from waiting, all of it is
// left to a goroutine that may wait.
func writeAtOnce(syscall.RawConn, []byte) (n int, err error) { return 0, nil }

// peerClosed cannot detect a closed connection on this system: the next write finds it.
func peerClosed(syscall.RawConn) bool { return false }
