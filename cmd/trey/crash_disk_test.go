//go:build linux

package main

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"trey/internal/steady"
)

// A record that cannot be written any more stops the house in the middle of its
// rounds: it takes no more commands, says so and why, and ends. With room again it
// opens, and everything is as after any other crash.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	t.Run("no space", func(t *testing.T) {
		t.Parallel()
		folder := t.TempDir()
		// A disk of its own, so that it is full for nobody else, and so large that the
		// house does not fill it by itself however long a busy machine takes.
		if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=96m"); err != nil {
			t.Skipf("no disk can be mounted that may be filled: %v", err)
		}
		t.Cleanup(func() { _ = syscall.Unmount(folder, syscall.MNT_DETACH) })
		filler := filepath.Join(folder, "filler")
		filling{fill: func(*process) error {
			file, err := os.Create(filler)
			if err != nil {
				return err
			}
			defer file.Close() //nolint:errcheck // it holds nothing
			for _, size := range []int{1 << 20, 4096} {
				for err = nil; err == nil; {
					_, err = file.Write(make([]byte, size))
				}
			}
			return nil
		}, clear: func() error { return os.Remove(filler) }, full: "disk is full"}.test(t, folder)
	})
	t.Run("no longer file", func(t *testing.T) {
		steady.Detail(t)
		t.Parallel()
		folder := quickFolder(t)
		fill := func(p *process) error { return noLonger(p, filepath.Join(folder, "house.db-wal")) }
		filling{fill: fill, clear: func() error { return nil }, full: "disk I/O error"}.test(t, folder)
	})
	// Nobody plays, and what cannot be written is who has come in.
	t.Run("a session", func(t *testing.T) {
		steady.Detail(t)
		t.Parallel()
		w := newWorld(t, quickFolder(t))
		w.start()
		if err := noLonger(w.house, w.record()+"-wal"); err != nil {
			t.Fatal(err)
		}
		for got := (&reply{}); got.status != http.StatusServiceUnavailable; {
			got = w.lives["eye"].insist(t, w.house.url, http.MethodPost, "/api/v1/guests", "")
		}
		w.stopped(true, "disk I/O error")
		w.ended()
		w.start()
		const path = "/api/v1/reports/significant-events?event=disk"
		got := w.lives["eye"].insist(t, w.house.url, http.MethodGet, path, "")
		if got.status != http.StatusOK || !strings.Contains(got.text, "record-failed") || !strings.Contains(got.text, "the house closed") {
			t.Errorf("that the record could not be written is no significant event: %d %s", got.status, got.text)
		}
		w.house.signal(syscall.SIGTERM)
		w.ended()
	})
}

// noLonger lets a file of a process come to be little longer than it is.
func noLonger(p *process, file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	limit := unix.Rlimit{Cur: uint64(info.Size()) + 10_000, Max: unix.RLIM_INFINITY}
	return unix.Prlimit(p.cmd.Process.Pid, unix.RLIMIT_FSIZE, &limit, nil)
}

// filling is a disk that fills up while the house is open.
type filling struct {
	fill  func(*process) error
	clear func() error
	full  string // what is said of it
}

func (d filling) test(t *testing.T, folder string) {
	w := newWorld(t, folder)
	for i := range steady.Tries(2, 3) {
		w.start()
		leave := w.crowd()
		time.Sleep(50*time.Millisecond + w.upTo(100*time.Millisecond))
		if err := d.fill(w.house); err != nil {
			t.Fatal(err)
		}
		w.stopped(i == 0, d.full)
		leave()
		w.ended()
		if err := d.clear(); err != nil {
			t.Fatal(err)
		}
	}
	w.live(closed, 0)
	w.ended()
	w.streams()
}

// stopped waits until the house has stopped by itself, and holds that it said so to
// those who asked and to its operator. It ends after a while, or at once if somebody
// has it end.
func (w *world) stopped(byItself bool, why string) {
	w.Helper()
	prober := newSomebody("the prober", "", 99, w.rng)
	prober.token, prober.cookie = w.lives["kim"].token, w.lives["kim"].cookie
	answered := func(method, path, body string) bool {
		got, err := prober.askAgain(w.Context(), w.house.url, method, path, body)
		return err == nil && got.status == http.StatusServiceUnavailable && strings.Contains(got.text, "urn:trey:problem:stopped") &&
			got.header.Get("Retry-After") != ""
	}
	for deadline := time.Now().Add(patience); !answered(http.MethodGet, "/readyz", ""); {
		if time.Now().After(deadline) {
			w.Fatalf("the house goes on:\n%s", w.house.logs)
		}
		select {
		case <-w.house.over:
			w.Fatalf("nobody was told that it stopped:\n%s", w.house.logs)
		case <-time.After(time.Millisecond):
		}
	}
	if !answered(http.MethodPost, "/api/v1/cage", `{"reason":"buy-in","player":"ann","amount":100}`) {
		w.Error("it takes commands")
	}
	if got, err := prober.askAgain(w.Context(), w.house.url, http.MethodGet, "/healthz", ""); err != nil || got.status != http.StatusOK {
		w.Errorf("it is not there: %+v %v", got, err)
	}
	if !byItself {
		w.house.signal(syscall.SIGTERM)
	}
	if status := w.house.status(); status != exitFound || w.house.killed() {
		w.Errorf("it ends with %d", status)
	}
	said := w.house.logs.String()
	for _, want := range []string{why, "the house has to close", "tart it again", "What was acknowledged is in the record"} {
		if !strings.Contains(said, want) {
			w.Errorf("%q is not in the log:\n%s", want, said)
		}
	}
	w.outcomes["stopped"]++
}

// A record that is taken away, or parts of it, stops the house: what it wrote from
// then on would be in no file. Put back, everything acknowledged is there.
func TestLostRecord(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(w *world) (back func() error, err error){
		"the log is removed": func(w *world) (func() error, error) {
			// The program still has it open, and takes what is in it into the file.
			return func() error { return nil }, os.Remove(w.record() + "-wal")
		},
		"the file is moved": func(w *world) (func() error, error) {
			return func() error { return os.Rename(w.record()+".moved", w.record()) }, os.Rename(w.record(), w.record()+".moved")
		},
		"another file has its name": func(w *world) (func() error, error) {
			if err := os.Rename(w.record(), w.record()+".moved"); err != nil {
				return nil, err
			}
			return func() error { return os.Rename(w.record()+".moved", w.record()) }, os.WriteFile(w.record(), []byte("something else"), 0o600)
		},
		"the folder is moved": func(w *world) (func() error, error) {
			return func() error { return os.Rename(w.folder+".moved", w.folder) }, os.Rename(w.folder, w.folder+".moved")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, quickFolder(t))
			w.start()
			leave := w.crowd()
			time.Sleep(50 * time.Millisecond)
			back, err := lose(w)
			if err != nil {
				t.Fatal(err)
			}
			w.stopped(false, "the record has been taken away")
			leave()
			if err := back(); err != nil {
				t.Fatal(err)
			}
			w.ended()
			w.live(closed, 0)
			w.ended()
			w.streams()
		})
	}
}

// A record that cannot be one is refused, with what to do, and left as it is.
func TestDamagedRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t, quickFolder(t))
	w.start()
	leave := w.crowd()
	time.Sleep(200 * time.Millisecond)
	w.house.kill()
	leave()
	w.ended()
	keep := filepath.Join(w.folder, "keep")
	if !copyRecord(t, w.record(), filepath.Join(keep, "house.db")) {
		t.Fatal("there is no record")
	}
	for _, test := range []struct {
		name   string
		damage func(file string) error
		want   string
	}{
		{"noise", func(file string) error {
			return errors.Join(os.Remove(file+"-wal"), os.WriteFile(file, []byte(strings.Repeat("noise ", 9000)), 0o600))
		}, "name another file with --db"},
		{"an empty file", func(file string) error { return os.Truncate(file, 0) }, "Put the files of the record back"},
		{"no file", os.Remove, "Put the files of the record back"},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(w.folder, test.name, "house.db")
			copyRecord(t, filepath.Join(keep, "house.db"), file)
			if err := test.damage(file); err != nil {
				t.Fatal(err)
			}
			before := files(t, filepath.Dir(file))
			p := launch(t, "--config", w.config, "--db", file)
			if p.opened() {
				t.Fatalf("it opens:\n%s", p.out)
			}
			if status := p.status(); status != exitFound || !strings.Contains(p.logs.String(), test.want) || p.out.String() != "" {
				t.Errorf("status %d:\n%s\n%s", status, p.out, p.logs)
			}
			for name, text := range files(t, filepath.Dir(file)) {
				if was, there := before[name]; there && was != text || !there && !strings.Contains(name, ".lock") && !strings.HasSuffix(name, "-shm") {
					t.Errorf("%s was touched", name)
				}
			}
		})
	}
}

// files are the files in a folder with what is in them.
func files(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	list, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		text, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name()] = string(text)
	}
	return all
}
