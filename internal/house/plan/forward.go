package plan

import (
	"errors"
	"net/netip"
	"net/url"
	"slices"

	"trey/internal/tomldoc"
)

// Forward says to which other machine the significant events are sent.
type Forward struct {
	// URL is the address to send them to, empty for none.
	URL string
	// TokenFile and CA name files, as written; empty for none.
	TokenFile, CA string
	// TokenFilePos and CAPos are their positions in the file, for errors about opening them.
	TokenFilePos, CAPos tomldoc.Pos
	// LateMs is after how long a delay is itself significant.
	LateMs int64
}

// standardLateMs is after how long a delay is significant where nothing else is said.
const standardLateMs = 15 * 60 * 1000

var forwardKeys = []string{"url", "token_file", "ca", "late_after"}

// forward reads one line about the other machine.
func (r *reader) forward(e *tomldoc.Entry) {
	if !r.section(e, 2, `[significant_events] with url = "https://siem.example/trey"`) {
		return
	}
	if !slices.Contains(forwardKeys, e.Path[1]) {
		r.unknown(e, 1, forwardKeys, "significant_events have no")
		return
	}
	if !r.leaf(e, 2) {
		return
	}
	f := &r.plan.Forward
	if e.Path[1] == "late_after" {
		if ms, ok := r.duration(e); ok {
			if ms == 0 {
				r.fail(e.Value.Pos, `%s is zero: every delay would be significant; write a time such as "15m"`, key(e))
			}
			f.LateMs = ms
		}
		return
	}
	text, ok := r.text(e, map[string]string{"url": `"https://siem.example/trey"`, "token_file": `"siem.token"`, "ca": `"siem-ca.pem"`}[e.Path[1]])
	switch {
	case !ok:
	case e.Path[1] == "url":
		f.URL = text
		r.checkForwardURL(e, text)
	case text == "":
		r.fail(e.Value.Pos, "%s is empty: name a file, or remove the line", key(e))
	case e.Path[1] == "token_file":
		f.TokenFile, f.TokenFilePos = text, e.Value.Pos
	default:
		f.CA, f.CAPos = text, e.Value.Pos
	}
}

// checkForwardURL refuses an address to which nothing may be sent: what is sent names
// people, so it goes encrypted or stays on this machine.
func (r *reader) checkForwardURL(e *tomldoc.Entry, text string) {
	at, err := parseURL(text)
	switch {
	case err != nil || at.Hostname() == "" || at.User != nil || at.Fragment != "" || at.Scheme != "https" && at.Scheme != "http" && at.Scheme != "syslog-tls":
		r.fail(e.Value.Pos, `%s cannot be %q: write an address such as "https://siem.example/trey" or "syslog-tls://siem.example:6514"`, key(e), text)
	case at.Scheme == "http" && !thisMachine(at.Hostname()):
		r.fail(e.Value.Pos, "%s: %s would get everything in clear text: write https, or a loopback address", key(e), text)
	case at.Scheme == "syslog-tls" && (at.Path != "" || at.RawQuery != ""):
		r.fail(e.Value.Pos, `%s: syslog has a host and a port and no more, such as "syslog-tls://siem.example:6514"`, key(e))
	}
}

// errNoPort is the error of an address whose port is none.
var errNoPort = errors.New("a port is a number from 1 to 65535")

// parseURL parses an address, and refuses one whose port nobody can listen at.
func parseURL(text string) (*url.URL, error) {
	at, err := url.Parse(text)
	if err != nil || at.Port() == "" {
		return at, err
	}
	if n, ok := parsePort(at.Port()); !ok || n == 0 {
		return at, errNoPort
	}
	return at, nil
}

// thisMachine reports whether a host can only be this machine.
func thisMachine(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// checkForward refuses what does not fit together.
func (r *reader) checkForward() {
	section := r.begin("significant_events")
	if section == nil {
		return
	}
	f := &r.plan.Forward
	if r.doc.Get("significant_events.url") == nil && !r.broken["significant_events"] {
		r.fail(section.Pos, `significant_events have no url: write one such as url = "https://siem.example/trey"`)
		return
	}
	if f.LateMs == 0 {
		f.LateMs = standardLateMs
	}
	at, err := parseURL(f.URL)
	if err != nil {
		return // it was refused
	}
	if f.TokenFile != "" && at.Scheme == "syslog-tls" {
		r.fail(f.TokenFilePos, "significant_events.token_file: syslog has no token: remove the line, or write an https address")
	}
	if f.CA != "" && at.Scheme == "http" {
		r.fail(f.CAPos, "significant_events.ca: by http nobody shows a certificate: remove the line, or write an https address")
	}
}
