//go:build unix

package main

import (
	"encoding/json"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"trey/internal/api"
	"trey/internal/steady"
)

// machinesAt returns the machines of the house as one of them lists them. A machine that becomes
// the writer gives up what it is reading, and is asked again.
func (s *somebody) machinesAt(t *testing.T, at *node) (got api.Machines) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		answer := s.insist(t, at.url, http.MethodGet, "/api/v1/machines", "")
		if answer.status == http.StatusServiceUnavailable && time.Now().Before(deadline) {
			continue
		}
		if answer.status != http.StatusOK {
			t.Fatalf("%s asks which machines there are: %d %s", s.name, answer.status, answer.text)
		}
		if err := json.Unmarshal([]byte(answer.text), &got); err != nil {
			t.Fatal(err)
		}
		return got
	}
}

// The staff see the same machines at each of them, and which holds the lease. One that was
// killed is gone, and a door holds the lease in its place.
func TestTheStaffSeesEachMachine(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	database := databases(t)("house")
	w := newWorld(t, t.TempDir())
	nodes := w.machines(database, database, database)
	w.admit()
	eye := w.lives["eye"]
	until := func(at *node, what string, so func(*api.Machines) bool) (got api.Machines) {
		t.Helper()
		for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
			if got = eye.machinesAt(t, at); so(&got) {
				return got
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s: %+v with the lease %+v", what, got.Machines, got.Lease)
			}
		}
	}
	writers := func(got *api.Machines) (names []string) {
		for _, m := range got.Machines {
			if m.Role == "writer" && !m.Gone {
				names = append(names, m.Address)
			}
		}
		return names
	}
	before := int64(0)
	for _, at := range nodes {
		got := until(at, "three machines that have everything", func(got *api.Machines) bool {
			return len(got.Machines) == 3 && !slices.ContainsFunc(got.Machines, func(m api.Machine) bool { return m.Gone || m.Seq == 0 || m.Behind != 0 })
		})
		before = got.Lease.Epoch
		if address := strings.TrimPrefix(nodes[0].url, "http://"); !got.Lease.Held || got.Lease.Address != address || !slices.Equal(writers(&got), []string{address}) {
			t.Errorf("%s lists %+v with the lease %+v", at.url, got.Machines, got.Lease)
		}
		for _, m := range got.Machines {
			if m.Version != version() || m.Reads.Tables == 0 || !maps.Equal(m.Reads.Books, programReads().Books) {
				t.Errorf("%s runs %s and reads %+v", m.Address, m.Version, m.Reads)
			}
		}
	}
	nodes[0].kill()
	for _, at := range nodes[1:] {
		at.answers(eye)
		got := until(at, "one that is gone", func(got *api.Machines) bool {
			return got.Lease.Held && len(writers(got)) == 1 && slices.ContainsFunc(got.Machines, func(m api.Machine) bool {
				return m.Gone && m.Address == strings.TrimPrefix(nodes[0].url, "http://")
			})
		})
		if got.Lease.Epoch <= before || got.Lease.Address != writers(&got)[0] {
			t.Errorf("after the writer was killed %s lists %+v with the lease %+v", at.url, got.Machines, got.Lease)
		}
	}
}

// answers waits until a machine answers a read again.
func (n *node) answers(by *somebody) {
	n.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		got, err := by.ask(n.Context(), n.url, http.MethodGet, "/api/v1/machines", "")
		if err == nil && got.status == http.StatusOK {
			return
		}
		if time.Now().After(deadline) {
			n.Fatalf("%s does not answer: %+v, %v", n.url, got, err)
		}
	}
}

// Each table of kinds in the program is among those whose forms a machine announces.
func TestEveryFormIsAnnounced(t *testing.T) {
	declared := 0
	for _, folder := range []string{"../../internal", "../../table", "../../jackpot", "../../rules"} {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			declared += strings.Count(string(text), "stored.NewTable(")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if announced := recordedForms(); declared == 0 || len(announced) != declared {
		t.Errorf("%d tables of kinds are declared, and the forms of %d announced: name each in recordedForms", declared, len(announced))
	}
	for kind, version := range map[string]int{"table:bet-placed": 1, "people:session-ended": 1, "command:drain": 1, laterForm: 1} {
		if got := programReads().Forms[kind]; got < version {
			t.Errorf("%s is announced in version %d", kind, got)
		}
	}
}
