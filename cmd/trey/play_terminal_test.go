//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// console is a terminal, with the program on it as its session would have it.
type console struct {
	t      *testing.T
	master *os.File
	cmd    *exec.Cmd
	mu     sync.Mutex
	screen bytes.Buffer
}

// onTerminal starts the program on a terminal of 80 columns and 24 lines. Unless
// its own, the terminal is nobody's: then no signal comes when it hangs up.
func onTerminal(t *testing.T, controlling bool, args ...string) *console {
	t.Helper()
	// Not blocking, so that closing it ends a read of it, and hangs up at once.
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Skipf("no terminals can be made here: %v", err)
	}
	master := os.NewFile(uintptr(fd), "terminal")
	c := &console{t: t, master: master}
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}); err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	c.cmd = exec.Command("trey", append([]string{"play"}, args...)...)
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = slave, slave, slave
	c.cmd.Env = append(os.Environ(), "TERM=xterm-256color")
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: controlling}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := slave.Close(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.cmd.Process.Kill(); _ = c.cmd.Wait(); _ = master.Close() })
	go func() {
		text := make([]byte, 4096)
		for {
			n, err := master.Read(text)
			c.mu.Lock()
			c.screen.Write(text[:n])
			c.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return c
}

// shows waits until a text has been shown; it and what came before are forgotten
// then.
func (c *console) shows(part string) {
	c.t.Helper()
	for late := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		c.mu.Lock()
		text := c.screen.String()
		_, after, found := strings.Cut(text, part)
		if found {
			c.screen.Reset()
			c.screen.WriteString(after)
		}
		c.mu.Unlock()
		switch {
		case found:
			return
		case time.Now().After(late):
			c.t.Fatalf("%q was not shown:\n%q", part, text)
		}
	}
}

func (c *console) types(keys string) {
	c.t.Helper()
	if _, err := c.master.WriteString(keys); err != nil {
		c.t.Fatal(err)
	}
}

// ends waits for the end of the program.
func (c *console) ends() {
	c.t.Helper()
	over := make(chan error, 1)
	go func() { over <- c.cmd.Wait() }()
	select {
	case <-over:
	case <-time.After(patience):
		c.t.Fatal("the program did not end")
	}
}

// A terminal that hangs up leaves the round for the next start, on the screen and
// in lines, whether a signal comes with it or only the end of what it reads.
func TestHangUpLeavesTheRound(t *testing.T) {
	for _, controlling := range []bool{true, false} {
		for _, plain := range []bool{true, false} {
			t.Run(fmt.Sprintf("plain %t, a signal %t", plain, controlling), func(t *testing.T) {
				t.Parallel()
				file := filepath.Join(t.TempDir(), "balance.db")
				args := []string{"--book", "rws-3cp", "--seed", "7", "--balance", file}
				if plain {
					args = append(args, "--plain")
				}
				c := onTerminal(t, controlling, args...)
				if plain {
					c.types("bet 1 ante 10\rdeal\rlook 1\r")
					c.shows("Box 1: ")
				} else {
					c.shows("Place your bets")
					c.types("\r")
					c.shows("deal")
					c.types("d")
					c.shows("to decide")
					c.types("l")
					c.shows("K-10-9")
				}
				if err := c.master.Close(); err != nil {
					t.Fatal(err)
				}
				c.ends()
				if l := leftIn(t, file); l.staked != 1000 && l.staked != 500 || len(l.history) != 0 {
					t.Fatalf("the hang-up ended the round: %+v", l)
				}
				c = onTerminal(t, true, "--plain", "--balance", file)
				c.shows("goes on where it stood")
				c.shows("High card K-10-9")
			})
		}
	}
}

// Ctrl-D is the end of what a player types at a terminal that is still there:
// leaving by choice.
func TestCtrlDLeaves(t *testing.T) {
	file := filepath.Join(t.TempDir(), "balance.db")
	c := onTerminal(t, true, "--plain", "--book", "rws-3cp", "--seed", "7", "--balance", file)
	c.types("bet 1 ante 10\rdeal\rlook 1\r")
	c.shows("Box 1: ")
	c.types("\x04")
	c.shows("box 1 is folded (rws-3cp@3 5.5)")
	c.shows("You leave with $990.00.")
	c.ends()
	if l := leftIn(t, file); l.staked != 0 || l.balance != 99_000 {
		t.Errorf("balance %s", l.balance)
	}
}

// Ctrl-C warns with the amount and leaves the second time, on the screen and in
// lines.
func TestCtrlCTwiceLeaves(t *testing.T) {
	for _, plain := range []bool{true, false} {
		t.Run(fmt.Sprintf("plain %t", plain), func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "balance.db")
			args := []string{"--book", "sm-3cp", "--others", "4", "--seed", "7", "--balance", file}
			if plain {
				c := onTerminal(t, true, append(args, "--plain")...)
				c.types("bet 1 ante 5\rdeal\rlook 1\r")
				c.shows("Box 1: ")
				c.types("\x03")
				c.shows("$5.00 is at stake.")
				c.types("\x03")
				c.shows("You leave with $995.00.")
				c.ends()
			} else {
				c := onTerminal(t, true, args...)
				c.shows("Ann")
				c.types("\r")
				c.shows("deal")
				c.types("d")
				c.shows("to decide")
				c.types("\x03")
				c.shows("$5.00 is at stake.")
				c.types("\x03")
				c.shows("You leave with $995.00.")
				c.ends()
			}
			if l := leftIn(t, file); l.staked != 0 || l.balance != 99_500 || !l.history[0].Left {
				t.Errorf("balance %s", l.balance)
			}
		})
	}
}

// A program that was stopped finds the terminal as whatever was there meanwhile left it, with lines
// and an echo: it takes it over again when it goes on.
func TestTheScreenComesBackAfterAStop(t *testing.T) {
	t.Parallel()
	c := onTerminal(t, true, "--book", "rws-3cp", "--seed", "7", "--balance", filepath.Join(t.TempDir(), "balance.db"))
	c.shows("Place your bets")
	mode := func() *unix.Termios {
		t.Helper()
		var at *unix.Termios
		raw, err := c.master.SyscallConn()
		if err == nil {
			err = errors.Join(raw.Control(func(fd uintptr) { at, err = unix.IoctlGetTermios(int(fd), unix.TCGETS) }), err)
		}
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	const cooked = unix.ICANON | unix.ECHO
	if mode().Lflag&cooked != 0 {
		t.Fatal("the screen is shown, and the terminal waits for lines")
	}
	if err := c.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	shell := mode()
	shell.Lflag |= cooked
	raw, err := c.master.SyscallConn()
	if err == nil {
		err = errors.Join(raw.Control(func(fd uintptr) { err = unix.IoctlSetTermios(int(fd), unix.TCSETS, shell) }), err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	for late := time.Now().Add(patience); mode().Lflag&cooked != 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatal("the program goes on, and the terminal waits for lines")
		}
	}
	c.types("\r")
	c.shows("deal")
}
