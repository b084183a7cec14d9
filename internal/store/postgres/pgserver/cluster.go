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
	"time"

	"github.com/jackc/pgx/v5"
)

// size is the number of servers of a cluster.
const size = 3

// Cluster is one server that can be written to and two that follow it, of which one has
// to hold a transaction before it is acknowledged. No server is promoted by itself.
type Cluster struct {
	place   *place
	servers [size]*Server
	primary int
	// former is the server that was written to before.
	former int
}

// StartCluster starts a cluster. What it writes is not synced, as with [Start].
func StartCluster(ctx context.Context) (*Cluster, error) { return startCluster(ctx, false) }

// StartSyncedCluster starts a cluster whose servers sync what they write, as those of a house have
// to: to measure what that takes.
func StartSyncedCluster(ctx context.Context) (*Cluster, error) { return startCluster(ctx, true) }

func startCluster(ctx context.Context, synced bool) (_ *Cluster, err error) {
	p, err := newPlace()
	if err != nil {
		return nil, err
	}
	p.synced = synced
	c := &Cluster{place: p}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Stop())
		}
	}()
	for i := range c.servers {
		s := &Server{place: p, data: filepath.Join(p.folder, c.name(i))}
		if s.Port, s.reserved, err = reservePort(); err != nil {
			return nil, err
		}
		c.servers[i] = s
	}
	if err := p.initialize(c.servers[0].data); err != nil {
		return nil, err
	}
	if err := c.servers[0].start(ctx, c.settings(0)...); err != nil {
		return nil, err
	}
	for i := 1; i < size; i++ {
		if err := c.join(ctx, i); err != nil {
			return nil, err
		}
	}
	// From now on nothing is acknowledged that one server alone holds.
	return c, c.sql(ctx, 0, fmt.Sprintf("ALTER SYSTEM SET synchronous_standby_names = '%s'", c.others(0)), "SELECT pg_reload_conf()")
}

// set writes settings of a server that does not run into the file that ALTER SYSTEM
// writes.
func (s *Server) set(settings ...string) (err error) {
	file, err := os.OpenFile(filepath.Join(s.data, "postgresql.auto.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	_, err = file.WriteString(strings.Join(settings, "\n") + "\n")
	return err
}

func (c *Cluster) name(i int) string { return fmt.Sprintf("n%d", i+1) }

// others returns the setting that names the servers of which one has to hold what server i
// acknowledges.
func (c *Cluster) others(i int) string {
	var names []string
	for j := range size {
		if j != i {
			names = append(names, c.name(j))
		}
	}
	return "ANY 1 (" + strings.Join(names, ", ") + ")"
}

// settings returns the settings of server i.
func (c *Cluster) settings(i int) []string {
	return []string{
		"cluster_name=" + c.name(i), "hot_standby=on", "wal_level=replica", "wal_log_hints=on", "max_wal_senders=8",
		"wal_keep_size=256MB", "wal_retrieve_retry_interval=100ms",
		"wal_receiver_status_interval=1s", "recovery_target_timeline=latest",
	}
}

// follow returns the setting by which server i follows the one that can be written to.
func (c *Cluster) follow(i int) string {
	return fmt.Sprintf("host=127.0.0.1 port=%d user=postgres application_name=%s connect_timeout=2", c.servers[c.primary].Port, c.name(i))
}

// join makes server i anew as one that follows.
func (c *Cluster) join(ctx context.Context, i int) error {
	s := c.servers[i]
	if err := os.RemoveAll(s.data); err != nil {
		return err
	}
	if err := c.place.run(ctx, "pg_basebackup", "-h", "127.0.0.1", "-p", fmt.Sprint(c.servers[c.primary].Port), "-U", "postgres",
		"-D", s.data, "-c", "fast", "-X", "stream", "-N", "-R"); err != nil {
		return err
	}
	// Also as the one that is written to, it acknowledges nothing that it alone holds.
	if err := s.set("synchronous_standby_names = '"+c.others(i)+"'", "primary_conninfo = '"+c.follow(i)+"'"); err != nil {
		return err
	}
	return s.start(ctx, c.settings(i)...)
}

// URL returns the address of a database at whichever server can be written to.
func (c *Cluster) URL(database string) string {
	var hosts []string
	for _, s := range c.servers {
		hosts = append(hosts, fmt.Sprintf("127.0.0.1:%d", s.Port))
	}
	return fmt.Sprintf("postgres://postgres@%s/%s?sslmode=disable&target_session_attrs=read-write", strings.Join(hosts, ","), database)
}

// Database makes a database and returns its address.
func (c *Cluster) Database(ctx context.Context, name string) (string, error) {
	_, err := c.servers[c.primary].Database(ctx, name)
	return c.URL(name), err
}

// sql carries out statements at server i.
func (c *Cluster) sql(ctx context.Context, i int, statements ...string) error {
	conn, err := pgx.Connect(ctx, c.servers[i].URL("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // it was used
	for _, text := range statements {
		if _, err := conn.Exec(ctx, text); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
	}
	return nil
}

// Primary returns the address of a database at the server that is written to, for looking
// at it alone.
func (c *Cluster) Primary(database string) string { return c.servers[c.primary].URL(database) }

// Standbys returns the addresses of a database at the servers that follow.
func (c *Cluster) Standbys(database string) (all []string) {
	for i, s := range c.servers {
		if i != c.primary {
			all = append(all, s.URL(database))
		}
	}
	return all
}

// Failover kills the server that is written to and has the one go on that holds most.
func (c *Cluster) Failover(ctx context.Context) error {
	if err := c.servers[c.primary].kill(); err != nil {
		return err
	}
	return c.promote(ctx)
}

// Return ends the server that is written to in good order, and has the one go on again that was
// written to before, if it holds as much as the other. Commits that wait for a standby at that
// moment are given up with a warning.
func (c *Cluster) Return(ctx context.Context) error {
	s := c.servers[c.primary]
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	err := s.cmd.Wait()
	s.cmd = nil
	if err != nil {
		return err
	}
	return c.promote(ctx)
}

// FillDisk has the server that is written to find no room for what it writes, and returns when it
// has ended because of that. Then another one is to go on: see [Cluster.Failover]. Where the limits
// of a process cannot be set from outside, it returns [errors.ErrUnsupported].
func (c *Cluster) FillDisk(ctx context.Context) error {
	s := c.servers[c.primary]
	program, err := exec.LookPath("prlimit")
	if err != nil {
		return errors.ErrUnsupported
	}
	// The server itself comes first: whatever it starts from now on has the limit as well.
	pid := s.cmd.Process.Pid
	for _, each := range append([]int{pid}, childrenOf(pid)...) {
		limit := exec.CommandContext(ctx, program, fmt.Sprintf("--pid=%d", each), fmt.Sprintf("--fsize=%d", fullDisk))
		limit.SysProcAttr = c.place.attributes
		if out, err := limit.CombinedOutput(); err != nil && alive(each) {
			return fmt.Errorf("%s: %w: %s", program, err, out)
		}
	}
	for range 3000 {
		if !alive(pid) {
			return nil
		}
		// Whoever commits comes to the end of the room.
		_ = c.sql(ctx, c.primary, "CREATE TABLE IF NOT EXISTS fills_the_disk ()", "DROP TABLE IF EXISTS fills_the_disk")
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("server %s goes on with a full disk", c.name(c.primary))
}

// fullDisk is the length in bytes beyond which no file of a server is written whose disk is full.
const fullDisk = 64 << 10

// FailoverApart has the server go on that holds most while the former one, whose address it
// returns, is there still: it is cut off from the others, says that it can be written to, and
// acknowledges nothing.
func (c *Cluster) FailoverApart(ctx context.Context, database string) (former string, err error) {
	former = c.Primary(database)
	if err := c.CutOff(ctx); err != nil {
		return "", err
	}
	return former, c.promote(ctx)
}

// promote has the server go on that holds most, of two that hold the same the one that was
// written to before. Both have to say how much they hold: what was acknowledged is on one of
// them at least.
func (c *Cluster) promote(ctx context.Context) error {
	best, most := -1, int64(-1)
	for i := range c.servers {
		if i == c.primary {
			continue
		}
		held, err := c.held(ctx, i)
		if err != nil {
			return fmt.Errorf("server %s does not say what it holds: %w", c.name(i), err)
		}
		if held > most || held == most && i == c.former {
			best, most = i, held
		}
	}
	if err := c.sql(ctx, best, "SELECT pg_promote(true, 60)"); err != nil {
		return err
	}
	old := c.primary
	c.primary, c.former = best, old
	for i := range c.servers {
		if i == old || i == best {
			continue
		}
		if err := c.sql(ctx, i, fmt.Sprintf("ALTER SYSTEM SET primary_conninfo = '%s'", c.follow(i)), "SELECT pg_reload_conf()"); err != nil {
			return err
		}
	}
	return nil
}

// held waits until server i receives nothing any more, and returns how much it holds.
func (c *Cluster) held(ctx context.Context, i int) (n int64, err error) {
	conn, err := pgx.Connect(ctx, c.servers[i].URL("postgres"))
	if err != nil {
		return 0, err
	}
	defer conn.Close(ctx) //nolint:errcheck // it was used
	for range 1000 {
		err = conn.QueryRow(ctx, `SELECT (greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - '0/0')::bigint
			WHERE NOT EXISTS (SELECT FROM pg_stat_wal_receiver WHERE status = 'streaming')`).Scan(&n)
		if !errors.Is(err, pgx.ErrNoRows) {
			return n, err
		}
		time.Sleep(20 * time.Millisecond)
	}
	return 0, err
}

// Rejoin makes those that were killed follow again, and returns when the one that is written to
// sends them what it holds.
func (c *Cluster) Rejoin(ctx context.Context) error {
	var again []string
	for i, s := range c.servers {
		if s.cmd == nil {
			if err := c.join(ctx, i); err != nil {
				return err
			}
			again = append(again, c.name(i))
		}
	}
	conn, err := pgx.Connect(ctx, c.Primary("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // it was used
	for range 1500 {
		var n int
		err := conn.QueryRow(ctx, "SELECT count(DISTINCT application_name) FROM pg_stat_replication WHERE state = 'streaming' AND application_name = ANY($1)", again).Scan(&n)
		if err != nil || n == len(again) {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("%s sends nothing to %s", c.name(c.primary), strings.Join(again, " and "))
}

// CutOff has the servers that follow receive nothing any more: from then on nothing is
// acknowledged.
func (c *Cluster) CutOff(ctx context.Context) error {
	for i, s := range c.servers {
		if i == c.primary || s.cmd == nil {
			continue
		}
		if err := c.sql(ctx, i, "ALTER SYSTEM SET primary_conninfo = 'host=127.0.0.1 port=1'", "SELECT pg_reload_conf()"); err != nil {
			return err
		}
		if _, err := c.held(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// Stop ends all servers and removes their folder.
func (c *Cluster) Stop() (err error) {
	for _, s := range c.servers {
		if s != nil {
			err = errors.Join(err, s.kill())
			s.reserved.release()
		}
	}
	return errors.Join(err, os.RemoveAll(c.place.folder))
}
