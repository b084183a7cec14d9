//go:build unix

// Package pgserver starts PostgreSQL servers for tests, from the programs that are
// installed on the machine: a server of its own on a free port of the loopback, in a
// folder that is removed with it.
package pgserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
)

// ErrNotInstalled is wrapped where the machine has no PostgreSQL server.
var ErrNotInstalled = errors.New("no PostgreSQL server is installed (Debian: postgresql-15)")

// Server is a server that runs.
type Server struct {
	// Port is where it listens on 127.0.0.1.
	Port     int
	reserved reservation
	place    *place
	data     string
	cmd      *exec.Cmd
}

// programs returns the folder of initdb and postgres: where Debian has them, of the newest
// release, or where they are found by their names.
func programs() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		name, err := exec.LookPath("initdb")
		if err != nil {
			return "", ErrNotInstalled
		}
		return filepath.Dir(name), nil
	}
	return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return release(a) - release(b) })), nil
}

// release returns the number in the path of a program.
func release(path string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path)))) // 0 for none
	return n
}

// place is where servers of a test live: their programs, and the folder that they and
// whoever they run as can reach.
type place struct {
	bin        string
	folder     string
	attributes *syscall.SysProcAttr
	// synced is whether servers sync what they write to their disk.
	synced bool
}

func newPlace() (*place, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	attributes, uid, gid, err := owner()
	if err != nil {
		return nil, err
	}
	// Not in a test's own folder: whoever the server runs as has to reach it.
	folder, err := os.MkdirTemp(inMemory(), "trey-postgres-")
	if err != nil {
		return nil, err
	}
	if uid >= 0 {
		if err := os.Chown(folder, uid, gid); err != nil {
			return nil, errors.Join(err, os.RemoveAll(folder))
		}
	}
	return &place{bin: bin, folder: folder, attributes: attributes}, nil
}

// inMemory returns the folder of the system whose files are in memory, if it has room: three
// servers have some 150 MB, and nothing of theirs has to outlive the machine. Otherwise it returns
// nothing, for the usual place of temporary files.
func inMemory() string {
	const shared, room = "/dev/shm", 4 << 30
	var found syscall.Statfs_t
	if err := syscall.Statfs(shared, &found); err != nil || int64(found.Bavail)*int64(found.Bsize) < room { //nolint:unconvert // other systems have other types
		return ""
	}
	return shared
}

func (p *place) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(p.bin, name), args...)
	cmd.Env = append(os.Environ(), "HOME="+p.folder, "LC_ALL=C")
	cmd.Dir, cmd.SysProcAttr = p.folder, p.attributes
	return cmd
}

// run runs a program to its end.
func (p *place) run(ctx context.Context, name string, args ...string) error {
	if out, err := p.command(ctx, name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return nil
}

// initialize makes the folder of a server.
func (p *place) initialize(data string) error {
	files, err := initialized()
	if err != nil {
		return err
	}
	if err := os.CopyFS(data, files); err != nil {
		return err
	}
	return filepath.WalkDir(data, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			err = os.Chmod(name, 0o700)
		}
		if owner := p.attributes.Credential; err == nil && owner != nil {
			err = os.Lchown(name, int(owner.Uid), int(owner.Gid))
		}
		return err
	})
}

// initialized returns the files of a server that has not run yet, some 40 MB. They are made once for
// all servers of the process: initdb takes ten times as long as writing them again. So they have one
// system identifier, like servers that come from one backup.
var initialized = sync.OnceValues(func() (files fstest.MapFS, err error) {
	p, err := newPlace()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(p.folder)) }()
	data := filepath.Join(p.folder, "data")
	if err := p.run(context.Background(), "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-N", "-k"); err != nil {
		return nil, err
	}
	files = fstest.MapFS{}
	from := os.DirFS(data)
	return files, fs.WalkDir(from, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		file := &fstest.MapFile{Mode: fs.ModeDir | 0o700}
		if !entry.IsDir() {
			file.Mode = 0o600
			file.Data, err = fs.ReadFile(from, name)
		}
		files[name] = file
		return err
	})
})

// Start starts a server. What it writes is not synced: it survives the end of a process,
// and not that of the machine.
func Start(ctx context.Context) (_ *Server, err error) {
	p, err := newPlace()
	if err != nil {
		return nil, err
	}
	s := &Server{place: p, data: filepath.Join(p.folder, "data")}
	defer func() {
		if err != nil {
			s.reserved.release()
			err = errors.Join(err, os.RemoveAll(p.folder))
		}
	}()
	if s.Port, s.reserved, err = reservePort(); err != nil {
		return nil, err
	}
	if err := p.initialize(s.data); err != nil {
		return nil, err
	}
	return s, s.start(ctx)
}

// start starts the server's programs and waits until it answers.
func (s *Server) start(ctx context.Context, settings ...string) error {
	log, err := os.OpenFile(s.data+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // the server has its own handle
	args := []string{"-D", s.data, "-p", strconv.Itoa(s.Port)}
	for _, setting := range append([]string{
		"listen_addresses=127.0.0.1", "unix_socket_directories=", fmt.Sprintf("fsync=%t", s.place.synced), "max_connections=200",
		"shared_buffers=64MB", "log_min_messages=fatal", "jit=off",
		// In its folder, which is removed: a server that is killed leaves what it shares there.
		"dynamic_shared_memory_type=mmap",
	}, settings...) {
		args = append(args, "-c", setting)
	}
	s.cmd = s.place.command(context.WithoutCancel(ctx), "postgres", args...)
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if err := s.cmd.Start(); err != nil {
		return err
	}
	if err := answers(ctx, s.URL("postgres")); err != nil {
		said, _ := os.ReadFile(log.Name())
		return errors.Join(fmt.Errorf("the server does not answer: %w: %s", err, said), s.kill())
	}
	return nil
}

// owner returns how a server is to be started: it refuses to run as root.
func owner() (attributes *syscall.SysProcAttr, uid, gid int, err error) {
	attributes = &syscall.SysProcAttr{Setsid: true}
	if os.Geteuid() != 0 {
		return attributes, -1, -1, nil
	}
	found, err := user.Lookup("postgres")
	if err != nil {
		return nil, 0, 0, fmt.Errorf("the server cannot run as root: %w", err)
	}
	uid, _ = strconv.Atoi(found.Uid) // they are numbers here
	gid, _ = strconv.Atoi(found.Gid)
	attributes.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return attributes, uid, gid, nil
}

// The ports of servers lie below those that systems take for connections that they begin
// (from 32768 on Linux, from 49152 elsewhere): one of those may be gone before the server
// listens, or while it is restarted.
const leastPort, mostPort = 20_000, 30_000

// reservation keeps a port for a server. From the choice until the server is stopped for good, also while
// it does not run, nobody else who asks here is given it: another process' server would answer in
// its place. The system keeps the ports of UDP apart from those of TCP, so that one is taken to say
// so; it is given back with the process at the latest.
type reservation struct{ mark net.PacketConn }

// reservePort chooses a port on which nobody listens, and keeps it.
func reservePort() (port int, r reservation, err error) {
	for range 100 {
		port = leastPort + rand.IntN(mostPort-leastPort)
		at := fmt.Sprintf("127.0.0.1:%d", port)
		if r.mark, err = net.ListenPacket("udp", at); err != nil {
			continue
		}
		var l net.Listener
		if l, err = net.Listen("tcp", at); err == nil {
			return port, r, l.Close()
		}
		r.release()
	}
	return 0, reservation{}, err
}

// release gives the port back.
func (r reservation) release() {
	if r.mark != nil {
		r.mark.Close() //nolint:errcheck // nothing was sent
	}
}

// URL returns the address of a database.
func (s *Server) URL(database string) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable", s.Port, database)
}

// answers waits until connections to an address are taken.
func answers(ctx context.Context, url string) (err error) {
	for range 3000 {
		var conn *pgx.Conn
		if conn, err = pgx.Connect(ctx, url); err == nil {
			return conn.Close(ctx)
		}
		time.Sleep(20 * time.Millisecond)
	}
	return err
}

// Database makes a database and returns its address.
func (s *Server) Database(ctx context.Context, name string) (string, error) {
	if strings.ContainsFunc(name, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' }) {
		return "", fmt.Errorf("database %q: only a to z, 0 to 9 and _", name)
	}
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx) //nolint:errcheck // it was used
	_, err = conn.Exec(ctx, "CREATE DATABASE "+name)
	return s.URL(name), err
}

// kill ends the server at once, as if its machine had failed, and waits until none of its
// processes is left.
func (s *Server) kill() error {
	if s.cmd == nil {
		return nil
	}
	children := childrenOf(s.cmd.Process.Pid)
	err := s.cmd.Process.Kill()
	_ = s.cmd.Wait() // it says that it was killed
	s.cmd = nil
	for _, pid := range children {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended with the server
	}
	for _, pid := range children {
		for alive(pid) {
			time.Sleep(10 * time.Millisecond)
		}
	}
	pidFile := filepath.Join(s.data, "postmaster.pid")
	return errors.Join(err, freeSegment(pidFile), os.RemoveAll(pidFile))
}

// freeSegment removes the segment of shared memory that a killed server leaves. The system has a few
// thousand of them, and keeps each until it starts again: with none left no server starts.
func freeSegment(pidFile string) error {
	id, err := segmentOf(pidFile)
	if id == "" || err != nil {
		return err
	}
	if out, err := exec.Command("ipcrm", "-m", id).CombinedOutput(); err != nil {
		return fmt.Errorf("ipcrm -m %s: %w: %s", id, err, out)
	}
	return nil
}

// segmentOf returns the id of the segment that a server has named in its file: the second number of
// the seventh line. It is empty where the server did not come so far.
func segmentOf(pidFile string) (id string, err error) {
	text, err := os.ReadFile(pidFile)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if lines := strings.Split(string(text), "\n"); len(lines) > 6 {
		if numbers := strings.Fields(lines[6]); len(numbers) == 2 {
			id = numbers[1]
		}
	}
	return id, err
}

// Stop ends the server at once and removes its folder.
func (s *Server) Stop() error {
	defer s.reserved.release()
	return errors.Join(s.kill(), os.RemoveAll(s.place.folder))
}

// childrenOf lists the processes that a process has started.
func childrenOf(pid int) (children []int) {
	found, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is right
	for _, name := range found {
		if of, parent, _ := status(name); parent == pid {
			children = append(children, of)
		}
	}
	return children
}

// alive reports whether a process runs; one that has ended and was not waited for by
// whoever is to does not.
func alive(pid int) bool {
	_, _, state := status(fmt.Sprintf("/proc/%d/stat", pid))
	return state != 0 && state != 'Z'
}

// status reads the file of a process in which the system says what it does.
func status(name string) (pid, parent int, state byte) {
	text, err := os.ReadFile(name)
	if err != nil {
		return 0, 0, 0
	}
	end := strings.LastIndexByte(string(text), ')') // the program's name is in brackets
	if end < 0 {
		return 0, 0, 0
	}
	if _, err := fmt.Sscanf(string(text[end+1:]), " %c %d", &state, &parent); err != nil {
		return 0, 0, 0
	}
	pid, _ = strconv.Atoi(filepath.Base(filepath.Dir(name))) // it is a number by the pattern
	return pid, parent, state
}
