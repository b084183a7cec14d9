//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"trey/internal/house/machines"
	"trey/internal/steady"
	"trey/internal/store/postgres"
)

// announced waits until the machines are as they are wanted.
func announced(t *testing.T, s *postgres.Store, so func(h *machines.House) bool) (h machines.House) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		h, err := s.Machines(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if so(&h) {
			return h
		}
		if time.Now().After(deadline) {
			t.Fatalf("the machines are %+v with the lease %+v", h.Machines, h.Lease)
		}
	}
}

// A commit by which a door said something of itself, and which waited for a standby, ends while the
// door reads the record anew: that is no other program.
func TestADoorMeetsItsOwnAnnouncement(t *testing.T) {
	t.Parallel()
	at := newAddress(t)
	openAt(t, at, postgres.Options{Lease: time.Hour, Node: "n1"})
	door := func() *postgres.Door {
		t.Helper()
		d, err := postgres.OpenDoor(t.Context(), at, postgres.Options{Node: "n2"})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	first := door()
	if err := errors.Join(first.Loaded(t.Context()), first.Close()); err != nil {
		t.Fatal(err)
	}
	again := door()
	execute(t, at, "UPDATE machine SET seq = seq WHERE node = 'n2'")
	if err := again.Loaded(t.Context()); !errors.Is(err, postgres.ErrAway) || errors.Is(err, postgres.ErrContested) {
		t.Errorf("it says %v", err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}

// The writer and a door announce themselves, with what they are, what they read and how far
// they are. One that has ended is gone, and forgotten after some days.
func TestMachinesAnnounceThemselves(t *testing.T) {
	t.Parallel()
	at := newAddress(t)
	reads := machines.Reads{Books: map[string]int{"rws-3cp@3": 2}}
	s := openAt(t, at, postgres.Options{Lease: time.Hour, Node: "n1", Address: "10.0.0.1:80", Version: "v7", Reads: reads})
	d, err := postgres.OpenDoor(t.Context(), at, postgres.Options{Node: "n2", Address: "10.0.0.2:80", Version: "v8", DoorOnly: func() string { return "no key" }})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Loaded(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- d.Follow(ctx, func(*postgres.News) error { return nil }) }()
	for n := range int64(3) {
		if done := <-s.Append(said("A", n)); done.Err != nil {
			t.Fatal(done.Err)
		}
	}
	h := announced(t, s, func(h *machines.House) bool {
		return len(h.Machines) == 2 && h.Machines[0].Seq == 3 && h.Machines[1].Seq == 3 && h.Machines[1].Behind == 0
	})
	writer, door := &h.Machines[0], &h.Machines[1]
	if writer.Node != "n1" || writer.Address != "10.0.0.1:80" || writer.Version != "v7" || !writer.Writer || !maps.Equal(writer.Reads.Books, reads.Books) || writer.Reads.Tables == 0 || h.Gone(writer) {
		t.Errorf("the writer is %+v", writer)
	}
	if door.Node != "n2" || door.Version != "v8" || door.Writer || door.DoorOnly != "no key" || door.Reads.Tables != writer.Reads.Tables || h.Gone(door) {
		t.Errorf("the door is %+v", door)
	}
	if l := h.Lease; l == nil || l.Node != "n1" || l.Epoch != s.Epoch() || !h.Held() || l.UntilMs < h.NowMs+3_000_000 {
		t.Errorf("the lease is %+v", l)
	}
	if other, err := d.Machines(t.Context()); err != nil || len(other.Machines) != 2 || *other.Lease != *h.Lease {
		t.Errorf("the door lists %+v, %v", other, err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	set := func(interval string) {
		query(t, at, fmt.Sprintf("WITH a AS (UPDATE machine SET at = clock_timestamp() - interval '%s' WHERE node = 'n2' RETURNING 1) SELECT count(*) FROM a", interval))
	}
	set("6 seconds")
	announced(t, s, func(h *machines.House) bool {
		return len(h.Machines) == 2 && h.Gone(&h.Machines[1]) && !h.Gone(&h.Machines[0])
	})
	set(fmt.Sprint(machines.KeptDays, " days"))
	announced(t, s, func(h *machines.House) bool { return len(h.Machines) == 1 && h.Machines[0].Node == "n1" })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if free := query(t, at, "SELECT count(*) FROM head WHERE until <= clock_timestamp() AND address = ''"); free != 1 {
		t.Error("the lease is not given free")
	}
}

// A process leaves the lease to a door that does not read the forms in which the process would
// write: until that is gone, or has not taken the lease for 5 s.
func TestALeaseIsLeftToAnEarlierProgram(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	at := newAddress(t)
	if err := openAt(t, at, patient).Close(); err != nil {
		t.Fatal(err)
	}
	const earlier = `INSERT INTO machine (address, node, seq, at, reads) VALUES ('10.0.0.2:80', 'n2', 0, clock_timestamp(), '{"forms":{"fill":1}}') ON CONFLICT (address) DO UPDATE SET at = excluded.at`
	const free = "UPDATE head SET until = clock_timestamp() - $1::interval"
	execute(t, at, earlier)
	execute(t, at, free, time.Duration(0))
	waited := 0
	o := postgres.Options{Lease: time.Second, Node: "n1", Address: "10.0.0.1:80", Reads: machines.Reads{Forms: map[string]int{"fill": 2}}, Waiting: func(postgres.Writer) {
		if waited++; waited < 4 {
			execute(t, at, earlier)
			execute(t, at, free, time.Duration(0))
			return
		}
		execute(t, at, "UPDATE machine SET at = clock_timestamp() - interval '6 seconds'")
	}}
	s, err := postgres.Open(t.Context(), at, o)
	if err != nil {
		t.Fatal(err)
	}
	if waited < 4 {
		t.Errorf("it takes the lease after it has waited %d times for a door of an earlier program", waited)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	execute(t, at, earlier)
	execute(t, at, free, 6*time.Second)
	waited = 0
	if s, err = postgres.Open(t.Context(), at, o); err != nil {
		t.Fatal(err)
	}
	if waited > 0 {
		t.Error("it waits for a door that has not taken the lease for 6 s")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// Announcements wait for no other server, so a house whose standby is away still says who
// is there.
func TestAnAnnouncementWaitsForNoStandby(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	c, database := startCluster(t)
	s := reopen(t, c.URL(database), postgres.Options{Lease: time.Hour, Silence: time.Minute, Node: "n1", Address: "10.0.0.1:80"})
	first := announced(t, s, func(h *machines.House) bool { return len(h.Machines) == 1 })
	if err := c.CutOff(t.Context()); err != nil {
		t.Fatal(err)
	}
	announced(t, s, func(h *machines.House) bool { return h.Machines[0].SeenMs > first.Machines[0].SeenMs+2500 })
	if err := c.Failover(t.Context()); err != nil { // closing would wait for the standby
		t.Fatal(err)
	}
	s.Close() //nolint:errcheck // its connection is lost
}

// The user of the house owns its tables and need be nothing more. Another user of the
// database neither reads nor changes the machines, the lease or the record.
func TestOnlyTheHouseReadsItsTables(t *testing.T) {
	t.Parallel()
	at := newAddress(t)
	as := func(user string) string {
		u, err := url.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		u.User = url.User(user)
		return u.String()
	}
	admin, err := pgx.Connect(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(t.Context()) //nolint:errcheck // it was used
	var database string
	err = admin.QueryRow(t.Context(), "SELECT current_database()").Scan(&database)
	for _, statement := range []string{
		"CREATE ROLE keeper_" + database + " LOGIN", "CREATE ROLE stranger_" + database + " LOGIN",
		"ALTER DATABASE " + database + " OWNER TO keeper_" + database,
	} {
		if err == nil {
			_, err = admin.Exec(t.Context(), statement)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	s := openAt(t, as("keeper_"+database), postgres.Options{Lease: time.Hour, Node: "n1", Address: "10.0.0.1:80"})
	if done := <-s.Append(said("A", 0)); done.Err != nil {
		t.Fatal(done.Err)
	}
	announced(t, s, func(h *machines.House) bool { return len(h.Machines) == 1 })
	stranger, err := pgx.Connect(t.Context(), as("stranger_"+database))
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close(t.Context()) //nolint:errcheck // it was used
	for _, statement := range []string{
		"SELECT * FROM machine", "DELETE FROM machine", "UPDATE machine SET version = ''",
		"SELECT * FROM head", "UPDATE head SET epoch = epoch + 1", "SELECT * FROM tx", "UPDATE confirmed SET seq = 9",
	} {
		var refused *pgconn.PgError
		if _, err := stranger.Exec(t.Context(), statement); !errors.As(err, &refused) || refused.Code != "42501" {
			t.Errorf("a stranger: %s: %v", statement, err)
		}
	}
}
