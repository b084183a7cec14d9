package forward

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// collector is a syslog server over TLS that stores the message part of each message.
type collector struct {
	mu sync.Mutex
	// headers are what stands before each message, and stored the messages, one a line.
	headers []string
	stored  strings.Builder
	// faults are what becomes of the next connections.
	faults []func(c *tls.Conn)
}

// frame is a message of RFC 5424 as this program writes it.
var frame = regexp.MustCompile(`^<(\d+)>1 (\S+) (\S+) (\S+) (\S+) (\S+) - (.*)$`)

// take stores what a connection sends up to its end, and says that it did by closing it.
func (s *collector) take(t *testing.T, c *tls.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.faults) > 0 {
		fault := s.faults[0]
		s.faults = s.faults[1:]
		fault(c)
		return
	}
	text, err := io.ReadAll(c)
	if err != nil {
		t.Errorf("the connection ends with %v", err)
	}
	for len(text) > 0 {
		length, rest, _ := bytes.Cut(text, []byte(" "))
		n, err := strconv.Atoi(string(length))
		if err != nil || n > len(rest) {
			t.Errorf("there is no message of %q bytes in %q", length, rest)
			break
		}
		parts := frame.FindStringSubmatch(string(rest[:n]))
		if parts == nil || strings.Contains(parts[7], "\n") {
			t.Errorf("%q is no message", rest[:n])
			break
		}
		s.headers = append(s.headers, strings.Join([]string{parts[1], parts[2], parts[4], parts[6]}, " "))
		fmt.Fprintln(&s.stored, parts[7])
		text = rest[n:]
	}
	_ = c.Close()
}

// listen begins a collector and returns where it is.
func (s *collector) listen(t *testing.T, certificates []tls.Certificate) (url string) {
	t.Helper()
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: certificates})
	if err != nil {
		t.Fatal(err)
	}
	var work sync.WaitGroup
	t.Cleanup(func() {
		_ = listener.Close()
		work.Wait()
	})
	work.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			secure, _ := c.(*tls.Conn)
			s.take(t, secure)
		}
	})
	return "syslog-tls://" + listener.Addr().String()
}

// A syslog server gets a message for each line. A batch is taken when the server has
// closed the connection properly, and is sent again until then.
func TestSyslog(t *testing.T) {
	r, m := newRecord(t), &machine{}
	m.begin(t, "") // for its certificate
	s := &collector{faults: []func(*tls.Conn){
		func(c *tls.Conn) { // it breaks in the middle
			_, _ = c.Read(make([]byte, 10))
			if tcp, ok := c.NetConn().(*net.TCPConn); ok {
				_ = tcp.SetLinger(0)
				_ = tcp.Close()
			}
		},
		func(c *tls.Conn) { // it reads everything and dies
			_, _ = io.Copy(io.Discard, c)
			_ = c.NetConn().Close()
		},
	}}
	sink, err := NewSink(Target{URL: s.listen(t, m.server.TLS.Certificates), CA: m.ca})
	if err != nil {
		t.Fatal(err)
	}
	f := r.forwarder(sink)
	r.write("drained", "resumed")
	r.sign()
	stop := run(f)
	events := func() int {
		s.mu.Lock()
		defer s.mu.Unlock()
		return strings.Count(s.stored.String(), "\n{")
	}
	until(t, "two events are stored", func() bool { return events() == 2 })
	r.write("drained")
	r.sign()
	until(t, "three events are stored", func() bool { return events() == 3 })
	stop()
	if f.failures != 2 {
		t.Errorf("%d attempts failed, want those with a fault", f.failures)
	}
	m.stored.WriteString(s.stored.String())
	r.sound(m)
	want := []string{"109 - trey batch", "109 - trey batch", "109 - trey batch", "109 1970-01-01T00:00:01.000Z trey floor", "109 1970-01-01T00:00:01.000Z trey floor", "109 - trey batch"}
	if !slices.Equal(s.headers[:6], want) {
		t.Errorf("the messages are\n%q, want\n%q", s.headers[:6], want)
	}
	// A server that nobody vouches for gets nothing.
	other, err := NewSink(Target{URL: "syslog-tls" + strings.TrimPrefix(m.server.URL, "https")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.forwarder(other, func(c *Config) { c.Address = "b" }).step(t.Context()); err == nil {
		t.Error("sent to a stranger")
	}
}
