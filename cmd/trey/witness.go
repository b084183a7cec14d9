package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"trey/internal/witness"
)

// witnessCommand is a witness of houses.
type witnessCommand struct {
	Folder string `arg:"" type:"path" help:"The folder of the witness: its key, the houses it knows, their last checkpoints."`
	Name   string `placeholder:"NAME" help:"Its name, needed at the first start, such as witness.example/w1."`
	Listen string `placeholder:"ADDRESS" default:"127.0.0.1:8090" help:"The address and port to listen at (default: 127.0.0.1:8090)."`
}

// Help returns the long help of the command.
func (witnessCommand) Help() string {
	return `A house signs what it has recorded (docs/record.md). A witness on another machine, with another owner, keeps the last checkpoint of each house that it knows, and cosigns the next one only if it goes on from that. So a house cannot show one record today and another one tomorrow, and a cosignature says when it was seen.

At the first start it makes its key. It prints the key, for a section [witnesses.NAME] of house.toml. Write the keys of the houses, as each shows its own at /log/key, into the file houses in the folder. It follows c2sp.org/tlog-witness, for this program and others.

Examples:

    $ trey witness /var/lib/trey-witness --name witness.example/w1
    $ curl -s http://house.example/log/key >> /var/lib/trey-witness/houses

Ctrl-C stops it. The exit status is 1 if it could not go on, and 2 if the arguments are invalid.`
}

// Run serves the witness until a signal stops it.
func (cmd *witnessCommand) Run(s *streams) error {
	ctx, end := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer end()
	return cmd.serve(ctx, s)
}

// errFolderHeld says that another process has a folder.
var errFolderHeld = errors.New("another process has it open")

func (cmd *witnessCommand) serve(ctx context.Context, s *streams) error {
	// Two witnesses with one key could each cosign another record of a house at the same moment.
	if missing(cmd.Folder) && cmd.Name != "" {
		if err := os.MkdirAll(cmd.Folder, 0o700); err != nil {
			return usageError{err}
		}
	}
	if !missing(cmd.Folder) {
		held, err := holdFolder(cmd.Folder)
		switch {
		case errors.Is(err, errFolderHeld):
			return fmt.Errorf("a witness runs already with the folder %s: stop that one first (%w)", cmd.Folder, err)
		case err != nil:
			return usageError{err}
		}
		defer held.Close() //nolint:errcheck // nothing was written to it
	}
	w, err := witness.Open(cmd.Folder, cmd.Name, func() int64 { return time.Now().Unix() })
	if err != nil {
		return usageError{err}
	}
	listener, err := net.Listen("tcp", cmd.Listen)
	if err != nil {
		return fmt.Errorf("the witness cannot listen at %s: %w; choose another address with --listen", cmd.Listen, err)
	}
	defer listener.Close() //nolint:errcheck // the server has closed it already
	out := &outputWriter{out: s.out}
	fmt.Fprintf(out, "The witness listens at http://%s\n", listener.Addr())
	fmt.Fprintf(out, "    Key     %s\n", w.Verifier())
	fmt.Fprintf(out, "    Houses  %s, a key a line\n", filepath.Join(cmd.Folder, "houses"))
	if out.err != nil {
		return out.err
	}
	w.Report = (&troubles{out: s.err}).report
	if err := w.Check(); err != nil {
		w.Report(err)
	}
	server := &http.Server{Handler: w.Handler(), ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: readTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader}
	over := make(chan error, 1)
	go func() { over <- server.Serve(listener) }()
	select {
	case err := <-over:
		return err
	case <-ctx.Done():
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	if err := server.Shutdown(closing); err != nil {
		return errors.Join(err, server.Close())
	}
	return nil
}

// troubles says what keeps a witness from its work, each time that it is something else.
type troubles struct {
	mu   sync.Mutex
	out  io.Writer
	last string
}

// report takes what became of a request; nil is that nothing kept the witness from it.
func (t *troubles) report(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := ""
	if err != nil {
		now = err.Error()
	}
	switch {
	case now == t.last:
	case err == nil:
		fmt.Fprintln(t.out, "trey: the witness cosigns again")
	default:
		fmt.Fprintf(t.out, "trey: the witness cosigns nothing now: %v\n", err)
	}
	t.last = now
}
