//go:build unix

package pgserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ErrNoBouncer is wrapped where the machine has no PgBouncer.
var ErrNoBouncer = errors.New("no PgBouncer is installed (Debian: pgbouncer)")

// Bouncer is a PgBouncer before a server, in its transaction mode: what a connection says
// outside of a transaction may reach another connection of the server each time.
type Bouncer struct {
	port     int
	reserved reservation
	cmd      *exec.Cmd
}

// Bouncer starts a PgBouncer before the server, in the folder of the server.
func (s *Server) Bouncer(ctx context.Context) (_ *Bouncer, err error) {
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		if program = "/usr/sbin/pgbouncer"; !executable(program) {
			return nil, ErrNoBouncer
		}
	}
	b := &Bouncer{}
	if b.port, b.reserved, err = reservePort(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			b.reserved.release()
		}
	}()
	name := fmt.Sprintf("pgbouncer-%d", b.port) // a server may have several
	config := filepath.Join(s.place.folder, name+".ini")
	text := fmt.Sprintf("[databases]\n* = host=127.0.0.1 port=%d user=postgres\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = %d\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\nserver_reset_query_always = 0\nlogfile = %s\n",
		s.Port, b.port, filepath.Join(s.data, name+".log"))
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		return nil, err
	}
	b.cmd = exec.CommandContext(context.WithoutCancel(ctx), program, config)
	b.cmd.Dir, b.cmd.SysProcAttr = s.place.folder, s.place.attributes
	if err := b.cmd.Start(); err != nil {
		return nil, err
	}
	if err := answers(ctx, b.URL("postgres")); err != nil {
		return nil, errors.Join(err, b.Stop())
	}
	return b, nil
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&0o111 != 0
}

// URL returns the address of a database. No statement is prepared: the next connection of
// the server would not know it.
func (b *Bouncer) URL(database string) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable&default_query_exec_mode=exec", b.port, database)
}

// Stop ends it.
func (b *Bouncer) Stop() error {
	defer b.reserved.release()
	err := b.cmd.Process.Kill()
	_ = b.cmd.Wait() // it says that it was killed
	if err != nil && strings.Contains(err.Error(), "already finished") {
		err = nil
	}
	return err
}
