//go:build unix

package api

import (
	"errors"
	"syscall"
)

// writeAtOnce writes as much as a connection takes without waiting for its reader.
func writeAtOnce(raw syscall.RawConn, p []byte) (n int, err error) {
	if raw == nil {
		return 0, nil
	}
	failed := raw.Write(func(fd uintptr) (done bool) {
		for {
			if n, err = syscall.Write(int(fd), p); !errors.Is(err, syscall.EINTR) {
				return true
			}
		}
	})
	if failed != nil {
		return 0, failed
	}
	if errors.Is(err, syscall.EAGAIN) {
		return 0, nil
	}
	return max(0, n), err
}

// peerClosed reports whether the peer has closed the connection. It discards what the peer
// has sent.
func peerClosed(raw syscall.RawConn) (gone bool) {
	if raw == nil {
		return false
	}
	err := raw.Read(func(fd uintptr) (done bool) {
		var b [256]byte
		n, err := syscall.Read(int(fd), b[:])
		gone = err == nil && n == 0 || err != nil && !errors.Is(err, syscall.EAGAIN) && !errors.Is(err, syscall.EINTR)
		return true
	})
	return gone || err != nil
}
