package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// process is the real program serving a house, as a process of its own.
type process struct {
	testing.TB
	cmd       *exec.Cmd
	out, logs *heard
	url       string
	over      chan struct{} // closed when it has ended
}

// launch starts the program. It need not come as far as to open the house.
func launch(t testing.TB, args ...string) *process {
	t.Helper()
	return launchIn(t, nil, args...)
}

// launchIn starts the program with more in its environment.
func launchIn(t testing.TB, environment []string, args ...string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{
		TB: t, cmd: exec.Command(self), over: make(chan struct{}),
		out: &heard{lines: make(chan struct{}, 1)}, logs: &heard{lines: make(chan struct{}, 1)},
	}
	// By this name the test binary is the program: see TestMain.
	p.cmd.Args = append([]string{"trey", "serve", "--listen", "127.0.0.1:0"}, args...)
	p.cmd.Env = append(os.Environ(), environment...)
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.logs
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait() // how it ended stands in its state
		close(p.over)
	}()
	t.Cleanup(p.kill)
	return p
}

var openAt = regexp.MustCompile(`is open at (http://\S+)`)

// opened waits until the house is open; it reports false if the program ended
// before.
func (p *process) opened() bool {
	p.Helper()
	deadline := time.After(patience)
	for {
		if found := openAt.FindStringSubmatch(p.out.String()); found != nil && strings.Contains(p.out.String(), "Ctrl-C finishes") {
			p.url = found[1]
			return true
		}
		select {
		case <-p.out.lines:
		case <-p.over:
			return false
		case <-deadline:
			p.Fatalf("the house does not open:\n%s\n%s", p.out, p.logs)
		}
	}
}

// patience is far beyond what anything takes.
const patience = time.Minute

// kill ends it as a power cut would, as far as a process can tell.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.over
}

func (p *process) signal(s os.Signal) {
	p.Helper()
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.Fatal(err)
	}
}

// status waits until it ends by itself, and returns its exit status.
func (p *process) status() int {
	p.Helper()
	select {
	case <-p.over:
	case <-time.After(patience):
		p.Fatalf("the program does not end:\n%s\n%s", p.out, p.logs)
	}
	return p.cmd.ProcessState.ExitCode()
}

// killed reports whether a signal ended it, and not the program itself.
func (p *process) killed() bool {
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled()
}

// sound fails the test if the program has found a fault of its own.
func (p *process) sound() {
	p.Helper()
	text := p.logs.String()
	for _, bad := range []string{"DATA RACE", "panic:", "goroutine ", "fatal error", "a request broke", "this is a fault of the program", "is corrupt", "does not hold"} {
		if strings.Contains(text, bad) {
			p.Fatalf("the log:\n%s", text)
		}
	}
}

// quickFolder is in memory where the machine has such a place: what a killed process
// has written is there all the same, and nothing waits for the disk.
func quickFolder(t testing.TB) string {
	t.Helper()
	name, err := os.MkdirTemp("/dev/shm", "trey-crash-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(name) }) //nolint:errcheck // nobody reads it again
	return name
}

// copyRecord copies a record as a crash has left it. The copy is for the auditor:
// whoever opens a record puts it in order, and that is for the house to do.
func copyRecord(t testing.TB, from, to string) (there bool) {
	t.Helper()
	if err := os.RemoveAll(filepath.Dir(to)); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{"", "-wal"} {
		text, err := os.ReadFile(from + end)
		switch {
		case errors.Is(err, os.ErrNotExist):
			continue
		case err != nil:
			t.Fatal(err)
		}
		there = there || len(text) > 0
		if err := os.WriteFile(to+end, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return there
}
