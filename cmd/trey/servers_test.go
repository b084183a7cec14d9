//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"trey/internal/store/postgres/pgserver"
)

// server is one server for all tests that need no other, started by the first of them. A test
// that kills or reconfigures a server starts its own.
var server = sync.OnceValues(func() (*pgserver.Server, error) {
	s, err := pgserver.Start(context.Background())
	if err == nil {
		atEnd(func() {
			if err := s.Stop(); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		})
	}
	return s, err
})

// serverOf returns the server that tests share, and skips the test where none is installed.
func serverOf(t testing.TB) *pgserver.Server {
	t.Helper()
	s, err := server()
	if errors.Is(err, pgserver.ErrNotInstalled) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var databasesMade atomic.Int64

// databases returns a function that makes a database on the server that tests share, and returns
// its address: no other test has it, whatever they are named.
func databases(t testing.TB) func(name string) string {
	t.Helper()
	s := serverOf(t)
	return func(name string) string {
		t.Helper()
		address, err := s.Database(context.Background(), fmt.Sprintf("%s_%d", name, databasesMade.Add(1)))
		if err != nil {
			t.Fatal(err)
		}
		return address
	}
}
