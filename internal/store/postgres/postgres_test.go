//go:build unix

package postgres_test

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"trey/internal/steady"
	"trey/internal/store/postgres"
	"trey/internal/store/postgres/pgserver"
	"trey/internal/store/storetest"
)

// serverPort names the port of the server to the processes that a test starts and kills:
// one that they started themselves would be left behind.
const serverPort = "TREY_TEST_POSTGRES_PORT"

// server is one server for all tests, started by the first that needs it.
var server = sync.OnceValues(func() (*pgserver.Server, error) {
	if port, err := strconv.Atoi(os.Getenv(serverPort)); err == nil {
		return &pgserver.Server{Port: port}, nil
	}
	s, err := pgserver.Start(context.Background())
	if err == nil {
		err = os.Setenv(serverPort, strconv.Itoa(s.Port))
	}
	return s, err
})

// started says that there is a server to be stopped.
var started atomic.Bool

// TestMain runs the tests. Most of them wait for leases and servers, so more of them run at a
// time than there are processors, unless -parallel says how many.
func TestMain(m *testing.M) {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "test.parallel" })
	if !asked {
		if err := flag.Set("test.parallel", strconv.Itoa(3*runtime.GOMAXPROCS(0))); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	if started.Load() {
		if s, err := server(); err == nil {
			if err := s.Stop(); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		}
	}
	os.Exit(code)
}

// needs skips a test where no server can be started.
func needs(t testing.TB) {
	t.Helper()
	if _, err := server(); errors.Is(err, pgserver.ErrNotInstalled) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	started.Store(true)
}

// address returns the address of the database that belongs to a folder, and makes it
// where there is none.
func address(folder string) (string, error) {
	file := filepath.Join(folder, "address")
	if text, err := os.ReadFile(file); err == nil {
		return string(text), nil
	}
	s, err := server()
	if err != nil {
		return "", err
	}
	url, err := s.Database(context.Background(), "house_"+strings.ToLower(rand.Text()))
	if err != nil {
		return "", err
	}
	return url, os.WriteFile(file, []byte(url), 0o600)
}

// soon is for how long a process of a test stays the writer, so that nobody waits long
// for one that was killed.
var soon = postgres.Options{Lease: 300 * time.Millisecond, Silence: time.Minute}

// patient is for processes that end in good order: on a machine that has other things to do, a
// short lease ends before its holder has heard of it.
var patient = postgres.Options{Lease: time.Minute, Silence: time.Minute}

func open(folder string) (storetest.Store, error) { return openStore(folder) }

func openStore(folder string) (*postgres.Store, error) { return openWith(folder, patient) }

func openWith(folder string, o postgres.Options) (*postgres.Store, error) {
	url, err := address(folder)
	if err != nil {
		return nil, err
	}
	return postgres.Open(context.Background(), url, o)
}

func TestConformance(t *testing.T) {
	t.Parallel()
	needs(t)
	storetest.RunSome(t, open, func(number int) bool { return steady.Turn(number, 2) })
}

func TestEdits(t *testing.T) {
	steady.Sequential(t)
	t.Parallel()
	needs(t)
	storetest.Edits(t, func(folder string) (storetest.SessionStore, error) { return openStore(folder) }, func(folder, statement string) {
		at, err := address(folder)
		if err != nil {
			t.Fatal(err)
		}
		db, err := pgx.Connect(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close(t.Context()) //nolint:errcheck // what it did is looked at
		if _, err := db.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	})
}

func TestSessions(t *testing.T) {
	t.Parallel()
	needs(t)
	storetest.Sessions(t, func(folder string) (storetest.SessionStore, error) { return openStore(folder) })
}

func TestCrash(t *testing.T) {
	t.Parallel()
	if os.Getenv("TREY_STORETEST_CRASH") == "" {
		needs(t)
	}
	storetest.Crash(t, func(folder string) (storetest.Store, error) { return openWith(folder, soon) }, steady.Tries(3, 8))
}
