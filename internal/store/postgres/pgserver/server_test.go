//go:build unix

package pgserver

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// A port is given to one server at a time, also before that server listens. Of 10,000 ports, 500
// chosen by chance alone would not all differ.
func TestAPortIsGivenOnce(t *testing.T) {
	t.Parallel()
	given := map[int]bool{}
	for range 500 {
		port, r, err := reservePort()
		if err != nil {
			t.Fatal(err)
		}
		defer r.release()
		if given[port] {
			t.Errorf("port %d was given twice", port)
		}
		given[port] = true
	}
}

// A server that was killed leaves no segment of shared memory: the system has a few thousand, and tests
// kill many servers.
func TestAKilledServerLeavesNoSegment(t *testing.T) {
	t.Parallel()
	s := StartFor(t)
	id, err := segmentOf(filepath.Join(s.data, "postmaster.pid"))
	if id == "" || err != nil {
		t.Fatalf("the server names the segment %q, %v", id, err)
	}
	if err := s.kill(); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("ipcrm", "-m", id).CombinedOutput(); err == nil {
		t.Errorf("the segment %s was left: %s", id, out)
	}
}
