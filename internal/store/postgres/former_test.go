//go:build unix

package postgres_test

import (
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trey/internal/house"
	"trey/internal/steady"
	"trey/internal/store/postgres"
)

// gate is a server behind an address that takes connections only while it is open. Those that it
// has taken stay.
type gate struct {
	host string
	shut atomic.Bool
}

func newGate(t *testing.T, to string) *gate {
	t.Helper()
	server, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() }) //nolint:errcheck // the test is over
	g := &gate{host: l.Addr().String()}
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", server.Host)
			if err != nil || g.shut.Load() {
				in.Close() //nolint:errcheck // nobody is let in
				continue
			}
			always := func([]byte) bool { return true }
			go pass(in, out, always)
			go pass(out, in, always)
		}
	}()
	return g
}

// before returns the address of a database at which the server behind the gate comes first and
// others after it.
func (g *gate) before(t *testing.T, others []string) string {
	t.Helper()
	hosts := []string{g.host}
	var u *url.URL
	for _, other := range others {
		var err error
		if u, err = url.Parse(other); err != nil {
			t.Fatal(err)
		}
		hosts = append(hosts, u.Host)
	}
	u.Host = strings.Join(hosts, ",")
	return u.String()
}

// counted has a reader count the transactions of its record eight times at once, each on a
// connection of its own, and returns an error if one of them finds another number.
func counted(t *testing.T, from house.Store, want int) error {
	t.Helper()
	found := make([]int, 8)
	errs := make([]error, len(found))
	var work sync.WaitGroup
	var busy atomic.Int64
	for i := range found {
		work.Go(func() {
			first := true
			errs[i] = from.ReadAll(t.Context(), 0, "", func(house.StoredTransaction) error {
				if first {
					first = false
					busy.Add(1)
					for deadline := time.Now().Add(2 * time.Second); busy.Load() < int64(len(found)) && time.Now().Before(deadline); {
						time.Sleep(time.Millisecond)
					}
				}
				found[i]++
				return nil
			})
		})
	}
	work.Wait()
	for i := range found {
		if errs[i] != nil || found[i] != want {
			return fmt.Errorf("reads find %v transactions instead of %d: %v", found, want, errs[i])
		}
	}
	return nil
}

// A former server that was cut off and comes back says that it can be written to. Nothing is read
// there any more: neither by connections that led there before, nor by new ones to the address at
// which it comes first.
func TestNothingIsReadAtAFormerServer(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	c, database := startCluster(t)
	before := reopen(t, c.URL(database), postgres.Options{Lease: time.Second})
	for after := range int64(3) {
		appended(t, before, said("A", after))
	}
	g := newGate(t, c.Primary(database))
	address := g.before(t, c.Standbys(database))
	d := followAs(t, address, "127.0.0.1:1")
	d.proven()
	if err := counted(t, d, 3); err != nil {
		t.Fatal(err)
	}

	g.shut.Store(true)
	if _, err := c.FailoverApart(t.Context(), database); err != nil {
		t.Fatal(err)
	}
	s := reopen(t, address, postgres.Options{Lease: time.Second})
	appended(t, s, said("A", 3))
	d.reaches(s, 3)
	if err := counted(t, d, 4); err != nil {
		t.Errorf("at a door whose connections led to the former server: %v", err)
	}

	g.shut.Store(false)
	if err := counted(t, s, 4); err != nil {
		t.Errorf("at the writer, when the former server is back: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	before.Close() //nolint:errcheck // its server acknowledges nothing
}
