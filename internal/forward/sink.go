package forward

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"trey/internal/house/significant"
)

// Target is where to send batches.
type Target struct {
	// URL is https://..., or http://... on this machine, or syslog-tls://HOST:PORT.
	URL string
	// TokenFile holds the token to send over HTTP, empty for none. It is read each time.
	TokenFile string
	// CA holds the certificates of those who vouch for the other machine, in PEM; empty
	// for those that the system trusts.
	CA string
}

// sendTimeout is the time that the other machine may take for a batch.
const sendTimeout = 30 * time.Second

// syslogPort is the port of syslog over TLS (RFC 5425, 4.1).
const syslogPort = "6514"

// NewSink returns what sends to a target. It reads the files once, so that what is wrong
// with them is found at the start.
func NewSink(t Target) (Sink, error) {
	at, err := url.Parse(t.URL)
	if err != nil {
		return nil, err
	}
	trust := &tls.Config{MinVersion: tls.VersionTLS12}
	if t.CA != "" {
		text, err := os.ReadFile(t.CA)
		if err != nil {
			return nil, fmt.Errorf("the certificates cannot be read: %w", err)
		}
		trust.RootCAs = x509.NewCertPool()
		if !trust.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s holds no certificate in PEM: write there the one that vouches for %s", t.CA, at.Host)
		}
	}
	if at.Scheme == "syslog-tls" {
		port := at.Port()
		if port == "" {
			port = syslogPort
		}
		trust.ServerName = at.Hostname()
		host, err := os.Hostname()
		if err != nil || host == "" {
			host = nothing
		}
		return &syslogSink{address: net.JoinHostPort(at.Hostname(), port), host: host, trust: trust, timeout: sendTimeout}, nil
	}
	if _, err := tokenIn(t.TokenFile); err != nil {
		return nil, err
	}
	return &httpSink{url: t.URL, token: t.TokenFile, client: &http.Client{
		Transport: &http.Transport{TLSClientConfig: trust, Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true},
		Timeout:   sendTimeout,
		// What is sent is for one address. The token goes nowhere else either.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// tokenIn reads the token of a file.
func tokenIn(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("the token cannot be read: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("%s holds no token: write it there as one word", file)
	}
	return token, nil
}

// httpSink posts each batch. The other machine has taken it if it answers with a status
// from 200 to 299.
type httpSink struct {
	url, token string
	client     *http.Client
}

// Send posts a batch.
func (s *httpSink) Send(ctx context.Context, b *Batch) error {
	token, err := tokenIn(s.token)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(b.Note))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "text/plain; charset=utf-8")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close() //nolint:errcheck // the status has been read
	if response.StatusCode/100 != 2 {
		const most = 200
		why, _ := io.ReadAll(io.LimitReader(response.Body, most)) // only for the log
		return fmt.Errorf("%s answers %d: %q", s.url, response.StatusCode, why)
	}
	return nil
}

// syslogSink sends each line of a batch as a message of RFC 5424 over TLS (RFC 5425).
type syslogSink struct {
	address, host string
	trust         *tls.Config
	timeout       time.Duration
}

// A message has the facility "log audit" and the severity "notice".
const priority = 13*8 + 5

// nothing stands for an absent part of a message.
const nothing = "-"

// Send sends a batch by a connection of its own. Syslog has no answer: the batch is taken
// once the other machine has closed the connection after everything that it was sent
// (RFC 5425, 4.4).
func (s *syslogSink) Send(ctx context.Context, b *Batch) (err error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	dialed, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.address)
	if err != nil {
		return err
	}
	defer dialed.Close()                                      //nolint:errcheck // what matters is how it was closed by the other side
	stop := context.AfterFunc(ctx, func() { dialed.Close() }) //nolint:errcheck // it ends whoever waits
	defer stop()
	below := &watchedConn{Conn: dialed}
	c := tls.Client(below, s.trust)
	if err := c.HandshakeContext(ctx); err != nil {
		return err
	}
	if _, err := c.Write(s.frames(b)); err != nil {
		return err
	}
	if err := c.CloseWrite(); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, c)
	if err = errors.Join(err, below.ended); err != nil {
		return fmt.Errorf("whether %s has taken everything is not known, because it did not end the connection with close_notify: %w", s.address, err)
	}
	return nil
}

// watchedConn keeps how a connection ended. Package tls takes an end without
// close_notify for a proper one.
type watchedConn struct {
	net.Conn
	ended error
}

// Read reads from the connection.
func (c *watchedConn) Read(p []byte) (n int, err error) {
	n, err = c.Conn.Read(p)
	if err != nil {
		c.ended = err
	}
	return n, err
}

// frames writes the lines of a batch as messages, each after its length. The messages of
// events have their time and kind, the others none.
func (s *syslogSink) frames(b *Batch) []byte {
	var all bytes.Buffer
	for line := range strings.SplitSeq(string(b.Note), "\n") {
		if line == "" {
			continue
		}
		at, kind := nothing, "batch"
		var e significant.Event
		if line[0] == '{' && json.Unmarshal([]byte(line), &e) == nil {
			at, kind = time.UnixMilli(e.AtMs).UTC().Format("2006-01-02T15:04:05.000Z07:00"), e.Kind.String()
		}
		message := fmt.Sprintf("<%d>1 %s %s trey - %s - %s", priority, at, s.host, kind, line)
		fmt.Fprintf(&all, "%d %s", len(message), message)
	}
	return all.Bytes()
}
