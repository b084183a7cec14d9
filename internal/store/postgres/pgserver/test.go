//go:build unix

package pgserver

import (
	"context"
	"errors"
	"testing"
)

// StartFor starts a server for one test and stops it at its end. Where no server is installed
// the test is skipped.
func StartFor(t testing.TB) *Server {
	t.Helper()
	return startedFor(t, Start)
}

// StartClusterFor starts a cluster for one test, as [StartFor] starts a server.
func StartClusterFor(t testing.TB) *Cluster {
	t.Helper()
	return startedFor(t, StartCluster)
}

// StartSyncedClusterFor starts a cluster that syncs what it writes for one test, as [StartFor]
// starts a server.
func StartSyncedClusterFor(t testing.TB) *Cluster {
	t.Helper()
	return startedFor(t, StartSyncedCluster)
}

func startedFor[S interface{ Stop() error }](t testing.TB, start func(context.Context) (S, error)) S {
	t.Helper()
	s, err := start(t.Context())
	if errors.Is(err, ErrNotInstalled) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}
