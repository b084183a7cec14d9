package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"trey/internal/durable"
	"trey/internal/house"
	"trey/internal/house/autodealer"
	"trey/internal/house/identity"
	"trey/internal/notary"
	"trey/internal/web"
)

// What the machines of a house say to each other goes to paths below /machines/, and carries
// their secret, as does each request that one hands on to another.
const (
	machinesPath = "/machines/"
	// usesPath is where doors report to the writer which sessions were used.
	usesPath = machinesPath + "uses"
	// failurePath is where a machine reports to the writer that it could not write the record
	// that is a door since.
	failurePath = machinesPath + "failure"
	// notesPath is where a door reads the state of the writer that is in no record.
	notesPath = machinesPath + "notes"
	// signedPath is where a door reads what the writer signed last.
	signedPath = machinesPath + "signed"
	// handedOn holds the secret of the machines in a request that one sent to another: it is
	// not handed on again. fromHeader then says from which address a person came.
	handedOn   = "Trey-Handed-On"
	fromHeader = "Trey-From"
)

// machinesFile is the file of the secret, in the folder of the key that signs.
const machinesFile = "machines.secret"

// sharedSecret is the secret by which the machines of a house recognize each other.
type sharedSecret struct {
	path string

	mu   sync.Mutex
	text string
}

// newSharedSecret returns the secret that is or will be in a folder.
func newSharedSecret(folder string) *sharedSecret {
	return &sharedSecret{path: filepath.Join(folder, machinesFile)}
}

// minSecret and maxSecret bound a secret, in bytes.
const minSecret, maxSecret = 32, 4096

// read returns the secret. It is read from its file once.
func (s *sharedSecret) read() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.text != "" {
		return s.text, nil
	}
	info, err := os.Stat(s.path)
	if err != nil {
		return "", fmt.Errorf("the secret of the machines cannot be read: %w; copy the file %s from the machine that has it", err, machinesFile)
	}
	if open := info.Mode().Perm() & 0o077; open != 0 && runtime.GOOS != "windows" {
		return "", fmt.Errorf("others than its owner can read or change the secret of the machines in %s (%v): chmod 600 it, and replace it on every machine if somebody may have read it", s.path, info.Mode().Perm())
	}
	text, err := readFile(s.path, "a secret of machines", maxSecret)
	if err != nil {
		return "", err
	}
	secret := strings.TrimSpace(string(text))
	if len(secret) < minSecret || strings.ContainsFunc(secret, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("%s is no secret of machines: it has at least %d characters that print, and no space", s.path, minSecret)
	}
	s.text = secret
	return secret, nil
}

// make makes the secret if there is none.
func (s *sharedSecret) make() error {
	if _, err := s.read(); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err := os.MkdirAll(filepath.Dir(s.path), 0o700)
	if err == nil {
		err = durable.Create(s.path, []byte(rand.Text()+rand.Text()+"\n"), 0o600)
	}
	if err != nil {
		return fmt.Errorf("the secret of the machines cannot be written to %s: %w", s.path, err)
	}
	return nil
}

// carried reports whether a request carries the secret.
func (s *sharedSecret) carried(r *http.Request) bool {
	secret, err := s.read()
	if err != nil {
		return false
	}
	want, got := sha256.Sum256([]byte(secret)), sha256.Sum256([]byte(r.Header.Get(handedOn)))
	return subtle.ConstantTimeCompare(want[:], got[:]) == 1
}

// ask sends a request to a machine. An error wraps [errStranger] where there is no secret to send.
func (s *sharedSecret) ask(ctx context.Context, method, address, path string, body []byte) (*http.Response, error) {
	secret, err := s.read()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errStranger, err)
	}
	to := url.URL{Scheme: "http", Host: address, Path: path}
	r, err := http.NewRequestWithContext(ctx, method, to.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set(handedOn, secret)
	return handoverTransport.RoundTrip(r)
}

// refuseStranger answers a request that says that a machine of the house sent it, and does not
// carry their secret.
func refuseStranger(w http.ResponseWriter) {
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, "this is for the machines of the house, and the request does not carry their secret: give each machine the same file "+machinesFile, http.StatusForbidden)
}

// received takes a request that another machine handed on for what its sender asked: it comes
// from the address that the machine names.
func received(r *http.Request) *http.Request {
	from, err := netip.ParseAddr(r.Header.Get(fromHeader))
	out := r.Clone(r.Context())
	for _, name := range []string{handedOn, fromHeader, "X-Forwarded-For"} {
		out.Header.Del(name)
	}
	if err == nil {
		out.RemoteAddr = netip.AddrPortFrom(from, 0).String()
	}
	return out
}

// fromMachines answers what other machines send to the writer, and hands everything else on
// to the next handler.
func (s *site) fromMachines(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		toMachines := strings.HasPrefix(r.URL.Path, machinesPath)
		switch {
		case r.Header.Get(handedOn) == "" && !toMachines:
			next.ServeHTTP(w, r)
		case !s.secret.carried(r):
			s.log.Warn("a request was refused that did not carry the secret of the machines", "from", r.RemoteAddr)
			refuseStranger(w)
		case !toMachines:
			next.ServeHTTP(w, received(r))
		case r.URL.Path == usesPath && r.Method == http.MethodPost:
			s.noteUses(w, r)
		case r.URL.Path == failurePath && r.Method == http.MethodPost:
			s.takeFailure(w, r)
		case r.URL.Path == notesPath && r.Method == http.MethodGet:
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(machineNotes{Tables: s.autodealer.Notes(), Pages: s.notes.Kept(s.house, s.autodealer), Drain: s.house.DrainState()}) // whoever asked may have left
		case r.URL.Path == signedPath && r.Method == http.MethodGet:
			_, _ = w.Write(s.notary.Last().Note) // whoever asked may have left
		default:
			http.NotFound(w, r)
		}
	})
}

// machineNotes holds the knowledge of the writer that is in no record and that pages show.
type machineNotes struct {
	Tables []autodealer.Note `json:"tables"`
	Pages  web.KeptNotes     `json:"pages"`
	Drain  house.DrainState  `json:"drain"`
}

const (
	// notesInterval is the time between two reads of the writer's notes, strangerInterval that
	// after one that the writer refused, which its log has, and maxNotes bounds them, in bytes.
	notesInterval    = 250 * time.Millisecond
	strangerInterval = 5 * time.Second
	maxNotes         = 32 << 20
)

// followNotes keeps the writer's notes at a door. While the writer does not answer, the last
// ones stay. They are taken in again and again: a note may come before the transaction that it
// is about, and counts when the door has that.
func (r *readings) followNotes(ctx context.Context, d *door) {
	var notes machineNotes
	var last []byte
	for {
		text, err := r.read(ctx, notesPath)
		r.handover.noteStranger(err)
		pause := notesInterval
		if errors.Is(err, errStranger) {
			pause = strangerInterval
		}
		if err == nil && !bytes.Equal(text, last) {
			var now machineNotes
			if json.Unmarshal(text, &now) == nil {
				notes, last = now, text
			}
		}
		if last != nil {
			d.autodealer.TakeNotes(notes.Tables)
			d.site.notes.Take(&notes.Pages)
			d.house.NoteDrain(notes.Drain)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

var (
	errNoWriter = errors.New("no process is known to write")
	// errStranger: whatever this machine sends to the writer is refused.
	errStranger = errors.New("it has not the secret of the writer: give each machine the same file " + machinesFile + ", and start it again")
)

// read asks the writer for what lies at a path.
func (r *readings) read(ctx context.Context, path string) ([]byte, error) {
	writer, known := r.handover.current()
	if !known {
		return nil, errNoWriter
	}
	ctx, cancel := context.WithTimeout(ctx, outOfTouch)
	defer cancel()
	got, err := r.secret.ask(ctx, http.MethodGet, writer.Address, path, nil)
	if err != nil {
		return nil, err
	}
	defer got.Body.Close() //nolint:errcheck // it was read
	if got.StatusCode == http.StatusForbidden {
		return nil, errStranger
	}
	if got.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", writer.Node, got.Status)
	}
	return io.ReadAll(io.LimitReader(got.Body, maxNotes))
}

// signedInterval is the time between two reads of what the writer has signed.
const signedInterval = time.Second

// followSigned keeps what the writer signs beside the key of this machine, until the context ends.
// Without it a machine that has not written for a while would open an older copy of the database,
// if it is the first to be started.
func (r *readings) followSigned(ctx context.Context, record house.Store) {
	ticker := time.NewTicker(signedInterval)
	defer ticker.Stop()
	alter := keepAltered(ctx, r.plan.Signing, record)
	complained := false
	for {
		if sent, err := r.read(ctx, signedPath); err == nil {
			err = r.keepSigned(record, sent, alter)
			if err != nil && ctx.Err() == nil && !complained {
				r.log.Error("what the writer has signed cannot be kept here: this machine would not find that the record lacks it", "why", err)
			}
			complained = err != nil
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// keepSigned keeps a checkpoint, unless this machine writes by now. One that covers more than was
// read here is kept when it comes again.
func (r *readings) keepSigned(record house.Store, sent []byte, before func() error) error {
	r.keeping.Lock()
	defer r.keeping.Unlock()
	if r.writes {
		return nil
	}
	return notary.Keep(r.plan.Signing, record, sent, before)
}

// endKeeping has nothing more kept of what another machine signs: this one signs itself.
func (r *readings) endKeeping() {
	r.keeping.Lock()
	defer r.keeping.Unlock()
	r.writes = true
}

// report sends the writer the sessions that were used here.
func (r *readings) report(ctx context.Context, uses []identity.SessionUse) bool {
	if len(uses) == 0 {
		_, known := r.handover.current()
		return known
	}
	return r.post(ctx, usesPath, uses)
}

// post sends the writer a report of this machine, and reports whether the writer took it.
func (r *readings) post(ctx context.Context, path string, what any) bool {
	writer, known := r.handover.current()
	if !known {
		return false
	}
	body, err := json.Marshal(what)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, outOfTouch)
	defer cancel()
	got, err := r.secret.ask(ctx, http.MethodPost, writer.Address, path, body)
	if err != nil {
		return false
	}
	_ = got.Body.Close() // there is nothing in it
	return got.StatusCode == http.StatusNoContent
}

// readPosted reads what [readings.post] has sent into a value, of at most so many bytes.
func readPosted(w http.ResponseWriter, r *http.Request, most int64, into any) error {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// failureInterval is the time between two checks for a failure to report, and
// maxFailure bounds what a door reports of one, in bytes.
const (
	failureInterval = time.Second
	maxFailure      = 64 << 10
)

// reportFailures reports what [site.keepFailure] wrote here, until the context ends.
func (r *readings) reportFailures(ctx context.Context) {
	ticker := time.NewTicker(failureInterval)
	defer ticker.Stop()
	for {
		r.reportFailure(ctx)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// reportFailure has the writer record that the record could not be written here, and deletes the
// note then: this machine may not become the writer again for long.
func (r *readings) reportFailure(ctx context.Context) {
	f, err := keptFailure(r.plan.Signing)
	if err != nil || !r.post(ctx, failurePath, f) {
		return // it is tried again
	}
	if err := os.Remove(filepath.Join(r.plan.Signing, failureFile)); err != nil {
		r.log.Error("that the record could not be written is recorded, and cannot be removed from its file", "why", err)
	}
}

// takeFailure records that the record could not be written at another machine. A report whose
// answer was lost comes again, and is recorded once.
func (s *site) takeFailure(w http.ResponseWriter, r *http.Request) {
	var f failure
	if readPosted(w, r, maxFailure, &f) != nil {
		http.Error(w, "the failure cannot be read: send it as it was kept", http.StatusBadRequest)
		return
	}
	s.failures.Lock()
	defer s.failures.Unlock()
	if !s.failures.noted[f] {
		if err := s.house.NoteFailure(r.Context(), f.AtMs); err != nil {
			http.Error(w, "the failure is not recorded: "+err.Error(), http.StatusServiceUnavailable)
			return
		}
		s.log.Warn("the record could not be written at another machine", "at_ms", f.AtMs, "why", f.Found)
		s.failures.noted[f] = true
	}
	w.WriteHeader(http.StatusNoContent)
}

// maxUses bounds what a door reports at once, in bytes.
const maxUses = 8 << 20

// noteUses takes down which sessions were used at a door. A session is named by what only
// somebody knows who was shown its token.
func (s *site) noteUses(w http.ResponseWriter, r *http.Request) {
	var uses []identity.SessionUse
	if readPosted(w, r, maxUses, &uses) != nil {
		http.Error(w, "which sessions were used cannot be read: send a list of them", http.StatusBadRequest)
		return
	}
	s.people.NoteUses(uses)
	w.WriteHeader(http.StatusNoContent)
}

// sender returns the address that a request comes from, as a machine that hands it on says.
func (h *handover) sender(r *http.Request) string {
	if from := h.admission.From(r); from.IsValid() {
		return from.String()
	}
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	return host
}
