//go:build unix

package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"trey/internal/house"
	"trey/internal/store/sqlite"
)

// limitedFolder names the folder to the process that a test starts to be limited.
const limitedFolder = "TREY_TEST_LIMITED"

// A process whose files may not grow further, as under a quota or ulimit -f, is told so: nothing is
// acknowledged from there on, and what was acknowledged is there.
func TestALimitOfTheSizeOfFiles(t *testing.T) {
	t.Parallel()
	said := func(after int64) *house.Transaction {
		return &house.Transaction{Parts: []house.StreamAppend{{Stream: "A", After: after, Events: []house.Event{{Kind: "said", Body: incompressible(20_000)}}}}}
	}
	if folder := os.Getenv(limitedFolder); folder != "" {
		s, err := sqlite.Open(context.Background(), filepath.Join(folder, "house.db"))
		if err != nil {
			t.Fatal(err)
		}
		limit := &unix.Rlimit{Cur: 1 << 20, Max: 1 << 20}
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, limit); err != nil {
			t.Fatal(err)
		}
		for i := int64(0); ; i++ {
			done := <-s.Append(said(i))
			if done.Err == nil {
				continue
			}
			explained(t, "Append", done.Err, sqlite.ErrDisk, sqlite.ErrFull)
			fmt.Printf("acknowledged %d\n", i)
			explained(t, "Close", s.Close(), sqlite.ErrDisk, sqlite.ErrFull)
			return
		}
	}
	folder := t.TempDir()
	limited := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestALimitOfTheSizeOfFiles$", "-test.v")
	limited.Env = append(os.Environ(), limitedFolder+"="+folder)
	out, err := limited.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	acknowledged := int64(0)
	for line := range strings.SplitSeq(string(out), "\n") {
		_, _ = fmt.Sscanf(line, "acknowledged %d", &acknowledged)
	}
	s, err := sqlite.Open(t.Context(), filepath.Join(folder, "house.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // the test is over
	last := int64(0)
	if err := s.Read(t.Context(), "A", 0, func(e house.StoredEvent) error { last = e.Version; return nil }); err != nil {
		t.Fatal(err)
	}
	if acknowledged < 10 || last < acknowledged {
		t.Errorf("%d events are there, and %d were acknowledged", last, acknowledged)
	}
	if done := <-s.Append(said(last)); done.Err != nil {
		t.Errorf("without the limit: %v", done.Err)
	}
}
