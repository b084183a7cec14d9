package api

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
)

// sealer encrypts by a key of its own, as a house does.
type sealer struct{ cipher.AEAD }

func newSealer(t testing.TB) sealer {
	t.Helper()
	block, err := aes.NewCipher(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		t.Fatal(err)
	}
	return sealer{aead}
}

func (s sealer) SealText(about string, secret []byte) (string, error) {
	return base64.StdEncoding.EncodeToString(s.Seal(nil, nil, secret, []byte(about))), nil
}

func (s sealer) OpenText(about, sealed string) ([]byte, error) {
	text, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil {
		return nil, err
	}
	return s.Open(nil, nil, text, []byte(about))
}

// codeAt returns the code of a secret at a time, computed by RFC 4226 and RFC 6238 and not by
// the library that the house uses.
func codeAt(t testing.TB, secret string, ms int64) string {
	t.Helper()
	key, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secret)
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha1.New, key)
	binary.Write(mac, binary.BigEndian, uint64(ms/30_000)) //nolint:errcheck // a hash takes everything
	sum := mac.Sum(nil)
	at := sum[19] & 15
	return fmt.Sprintf("%06d", (binary.BigEndian.Uint32(sum[at:])&0x7fffffff)%1_000_000)
}

// The example of RFC 6238, appendix B, at 59 seconds, of which six digits are used here.
func TestCodesAreThoseOfTheRFC(t *testing.T) {
	secret := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString([]byte("12345678901234567890"))
	if got := codeAt(t, secret, 59_000); got != "287082" {
		t.Errorf("the code is %s", got)
	}
}

// secondSite returns a house in which administrators sign in with a second factor.
func secondSite(t *testing.T) *site {
	t.Helper()
	s := newSite(t)
	s.reopen(t)
	return s
}

// reopen reads the users from the record once more.
func (s *site) reopen(t *testing.T) {
	t.Helper()
	people, err := identity.Open(t.Context(), identity.World{
		Record: s.store, Sessions: s.store, NowMs: s.nowMs, InTime: s.InTime, Random: s.random, MaxGuests: 10_000, Cost: fast,
		SecondFactor: []access.Role{access.Administrator, access.Cashier}, Sealer: newSealer(t), Issuer: "The Grand",
	})
	if err != nil {
		t.Fatal(err)
	}
	s.people, s.server.Identity = people, people
}

func (s *site) firstStep(t *testing.T, name string) SecondStep {
	t.Helper()
	r := s.ask("", http.MethodPost, "/api/v1/sessions", fmt.Sprintf(`{"name":%q,"password":%q}`, name, password))
	p := r.problem(t)
	if p.Status != http.StatusUnauthorized || p.Type != "urn:trey:problem:second-factor" || p.SecondStep == nil || p.SecondStep.Ticket == "" || len(r.Cookies()) != 0 {
		t.Fatalf("the right password alone: %s %s", r.Status, r.text)
	}
	return *p.SecondStep
}

func (s *site) secondStep(ticket, code string) *reply {
	s.Helper()
	return s.ask("", http.MethodPost, "/api/v1/sessions/second", fmt.Sprintf(`{"ticket":%q,"code":%q}`, ticket, code))
}

// TestOneAccountTakesNoPlacesOfOthers holds that whoever knows one password keeps nobody
// else out between the two steps of a sign-in, however often they begin one.
func TestOneAccountTakesNoPlacesOfOthers(t *testing.T) {
	s := secondSite(t)
	enrol := func(name string) (secret string) {
		t.Helper()
		first := s.firstStep(t, name)
		signedInBy(t, s.secondStep(first.Ticket, codeAt(t, first.Secret, s.nowMs())))
		return first.Secret
	}
	secret := enrol("adm")
	enrol("cas")
	begun := s.firstStep(t, "adm")
	for range 1100 {
		s.firstStep(t, "cas")
	}
	s.aheadMs.Add(30_000) // the next code
	signedInBy(t, s.secondStep(begun.Ticket, codeAt(t, secret, s.nowMs())))
	s.firstStep(t, "adm")
	// The latest of cas counts, and the first ones have made room.
	old := s.firstStep(t, "cas")
	for range 8 {
		s.aheadMs.Add(1)
		s.firstStep(t, "cas")
	}
	if r := s.secondStep(old.Ticket, "000000"); r.problem(t).Type != "urn:trey:problem:no-ticket" {
		t.Errorf("a first step after eight others: %s", r.text)
	}
}

// signedInBy returns the session and the user of an answer that lets somebody in.
func signedInBy(t *testing.T, r *reply) (session string, user CurrentUser) {
	t.Helper()
	if r.StatusCode != http.StatusCreated || len(r.Cookies()) != 2 {
		t.Fatalf("%s %s", r.Status, r.text)
	}
	r.into(t, &user)
	return r.Cookies()[0].Value, user
}

// A person whose role takes a second factor enrols one at the first sign-in. From then on no
// password alone lets them in, also when the house is opened again. No code is good twice, and
// a recovery code leads to another factor.
func TestSecondFactor(t *testing.T) {
	s := newSite(t)
	before := s.tokens["adm"] // a session without a second factor
	s.reopen(t)
	if r := s.get(before, "/api/v1/users"); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("a session from before it took a second factor: %s", r.Status)
	}
	first := s.firstStep(t, "adm")
	if first.Secret == "" || !strings.HasPrefix(first.URI, "otpauth://totp/The%20Grand:adm?") || !strings.Contains(first.URI, "secret="+first.Secret) {
		t.Fatalf("the enrolment is %+v", first)
	}
	if r := s.secondStep(first.Ticket, "000000"); r.problem(t).Type != "urn:trey:problem:bad-code" {
		t.Errorf("a wrong code: %s", r.text)
	}
	code := codeAt(t, first.Secret, s.nowMs())
	session, user := signedInBy(t, s.secondStep(first.Ticket, code))
	if user.Name != "adm" || len(user.Recovery) != 10 || s.get(session, "/api/v1/users").StatusCode != http.StatusOK {
		t.Fatalf("enrolled: %+v", user)
	}
	if r := s.secondStep(first.Ticket, code); r.problem(t).Type != "urn:trey:problem:no-ticket" {
		t.Errorf("the ticket again: %s", r.text)
	}

	s.reopen(t) // what follows is from the record
	if r := s.get(session, "/api/v1/users"); r.StatusCode != http.StatusOK {
		t.Errorf("the session after the house was opened again: %s", r.Status)
	}
	step := s.firstStep(t, "adm")
	if step.Secret != "" || step.URI != "" {
		t.Fatalf("somebody who knows the password enrols another factor: %+v", step)
	}
	if r := s.secondStep(step.Ticket, code); r.problem(t).Type != "urn:trey:problem:bad-code" {
		t.Errorf("a code that was used: %s", r.text)
	}
	s.aheadMs.Add(90_000)
	if r := s.secondStep(step.Ticket, codeAt(t, first.Secret, s.nowMs()-90_000)); r.problem(t).Type != "urn:trey:problem:bad-code" {
		t.Errorf("an old code: %s", r.text)
	}
	// Many come at once with the same code, and one is let in.
	fresh := codeAt(t, first.Secret, s.nowMs())
	tickets := []string{step.Ticket, s.firstStep(t, "adm").Ticket, s.firstStep(t, "adm").Ticket}
	var all sync.WaitGroup
	in := make(chan int, len(tickets))
	for _, ticket := range tickets {
		all.Go(func() { in <- s.secondStep(ticket, fresh).StatusCode })
	}
	all.Wait()
	close(in)
	let := 0
	for status := range in {
		if status == http.StatusCreated {
			let++
		}
	}
	if let != 1 {
		t.Errorf("%d were let in by one code", let)
	}

	// The device is lost.
	s.aheadMs.Add(90_000)
	lost := s.firstStep(t, "adm")
	r := s.secondStep(lost.Ticket, strings.ToUpper(user.Recovery[3]))
	p := r.problem(t)
	if p.SecondStep == nil || p.SecondStep.Secret == "" || p.SecondStep.Secret == first.Secret {
		t.Fatalf("a recovery code: %s", r.text)
	}
	if again := s.firstStep(t, "adm"); again.Secret != "" {
		t.Error("before the new factor counts, a password leads to another")
	}
	old := session
	session, renewed := signedInBy(t, s.secondStep(p.SecondStep.Ticket, codeAt(t, p.SecondStep.Secret, s.nowMs())))
	if len(renewed.Recovery) != 10 || renewed.Recovery[3] == user.Recovery[3] {
		t.Errorf("the new recovery codes are %v", renewed.Recovery)
	}
	if r := s.get(old, "/api/v1/users"); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("a session of the lost factor: %s", r.Status)
	}
	if r := s.secondStep(s.firstStep(t, "adm").Ticket, user.Recovery[4]); r.problem(t).Type != "urn:trey:problem:bad-code" {
		t.Errorf("a recovery code of the lost factor: %s", r.text)
	}
	s.aheadMs.Add(90_000)
	if r := s.secondStep(s.firstStep(t, "adm").Ticket, codeAt(t, first.Secret, s.nowMs())); r.problem(t).Type != "urn:trey:problem:bad-code" {
		t.Errorf("a code of the lost factor: %s", r.text)
	}

	// Nothing of it can be read: not in the record, nor in what is shown of it.
	raw, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(first.Secret)
	if err != nil {
		t.Fatal(err)
	}
	secrets := append([]string{first.Secret, p.SecondStep.Secret, hex.EncodeToString(raw), base64.StdEncoding.EncodeToString(raw)}, user.Recovery...)
	var kept []string // what the record holds in their place
	var record strings.Builder
	err = s.store.ReadAll(t.Context(), 0, "", func(e house.StoredTransaction) error {
		text, err := json.Marshal(e)
		record.Write(text)
		for i := range e.Parts {
			for _, event := range e.Parts[i].Events {
				var c struct {
					Secret string
					Codes  []string
				}
				if json.Unmarshal(event.Body, &c) == nil && c.Secret != "" {
					kept = append(append(kept, c.Secret), c.Codes...)
				}
			}
		}
		return err
	})
	if err != nil || len(kept) != 2*11 {
		t.Fatalf("the record holds %d secrets and codes, %v", len(kept), err)
	}
	for _, secret := range secrets {
		if strings.Contains(record.String(), secret) {
			t.Errorf("the record holds %s", secret)
		}
	}
	for _, path := range []string{"/api/v1/log?limit=500", "/api/v1/log?limit=500&stream=people", "/api/v1/reports/significant-events", "/api/v1/users"} {
		text := s.get(session, path).text
		if !strings.Contains(text, "adm") {
			t.Errorf("%s says nothing: %.200s", path, text)
		}
		for _, secret := range append(secrets, kept...) {
			if strings.Contains(text, secret) {
				t.Errorf("%s holds %s", path, secret)
			}
		}
	}
	// A house that has another key does not open: its staff could not come in.
	other := sealer{newSealer(t).AEAD}
	block, err := aes.NewCipher([]byte("another key, of sixteen+sixteen."))
	if err == nil {
		other.AEAD, err = cipher.NewGCMWithRandomNonce(block)
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = identity.Open(t.Context(), identity.World{Record: s.store, Sessions: s.store, NowMs: s.nowMs, Random: s.random, Sealer: other})
	if err == nil || !strings.Contains(err.Error(), "the second factor of adm cannot be opened") {
		t.Errorf("opened with another key: %v", err)
	}
	if log := s.log.take(); strings.Contains(log, first.Secret) || strings.Contains(log, user.Recovery[0]) {
		t.Error("the log of requests holds a secret")
	}
}

// Guessing codes is slowed down, over all tickets of a person, and ends each ticket.
func TestGuessingCodes(t *testing.T) {
	s := secondSite(t)
	enrol := s.firstStep(t, "adm")
	signedInBy(t, s.secondStep(enrol.Ticket, codeAt(t, enrol.Secret, s.nowMs())))
	step := s.firstStep(t, "adm")
	for n := range 5 {
		if r := s.secondStep(step.Ticket, fmt.Sprintf("%06d", n)); r.StatusCode != http.StatusUnauthorized {
			t.Fatalf("guess %d: %s", n, r.Status)
		}
	}
	s.aheadMs.Add(90_000)
	if r := s.secondStep(step.Ticket, codeAt(t, enrol.Secret, s.nowMs())); r.problem(t).Type != "urn:trey:problem:no-ticket" {
		t.Errorf("the right code with a ticket that failed five times: %s", r.text)
	}
	slowed := 0
	for range 5 {
		if s.secondStep(s.firstStep(t, "adm").Ticket, "123456").StatusCode == http.StatusTooManyRequests {
			slowed++
		}
	}
	if slowed == 0 {
		t.Error("guessing is not slowed down from ticket to ticket")
	}
	// A ticket ends by itself, and with the password.
	s.aheadMs.Add(3_600_000)
	step = s.firstStep(t, "adm")
	s.aheadMs.Add(5*60_000 + 1)
	if r := s.secondStep(step.Ticket, codeAt(t, enrol.Secret, s.nowMs())); r.problem(t).Type != "urn:trey:problem:no-ticket" {
		t.Errorf("an old ticket: %s", r.text)
	}
	step = s.firstStep(t, "adm")
	if err := s.people.EndSessions(t.Context(), identity.ChangeRequest{By: staff["adm"]}, "adm"); err != nil {
		t.Fatal(err)
	}
	if r := s.secondStep(step.Ticket, codeAt(t, enrol.Secret, s.nowMs())); r.problem(t).Type != "urn:trey:problem:no-ticket" {
		t.Errorf("a ticket from before all sessions ended: %s", r.text)
	}
}

// Somebody who has lost the device and all recovery codes gets another factor by two
// people, and by nobody alone; the password is asked for all the same.
func TestALostFactorTakesTwo(t *testing.T) {
	s := secondSite(t)
	enrol := func(name string) (secret string) {
		t.Helper()
		step := s.firstStep(t, name)
		if step.Secret == "" {
			t.Fatalf("%s has a second factor already", name)
		}
		s.tokens[name], _ = signedInBy(t, s.secondStep(step.Ticket, codeAt(t, step.Secret, s.nowMs())))
		return step.Secret
	}
	enrol("adm")
	lost := enrol("cas")
	const remove = `{"kind":"remove-second-factor","name":%q,"why":"the telephone fell into the sea"}`
	for person, status := range map[string]int{"cas": http.StatusForbidden, "sue": http.StatusForbidden, "dan": http.StatusForbidden} {
		s.status(status, "denied", person, http.MethodPost, "/api/v1/user-changes", fmt.Sprintf(remove, "cas"))
	}
	s.status(http.StatusForbidden, "refused", "adm", http.MethodPost, "/api/v1/user-changes", fmt.Sprintf(remove, "adm"))
	s.status(http.StatusConflict, "not-now", "adm", http.MethodPost, "/api/v1/user-changes", fmt.Sprintf(remove, "sue")) // who has none
	id, _ := s.asks("adm", fmt.Sprintf(remove, "cas"))
	s.status(http.StatusForbidden, "", "adm", http.MethodPost, changePath(id, "approve"), "")
	s.status(http.StatusForbidden, "", "cas", http.MethodPost, changePath(id, "approve"), "")
	if step := s.firstStep(t, "cas"); step.Secret != "" {
		t.Error("another factor is enrolled before it was approved")
	}
	s.status(http.StatusNoContent, "", "sue", http.MethodPost, changePath(id, "approve"), "")
	s.status(http.StatusUnauthorized, "", "cas", http.MethodGet, "/api/v1/me", "")
	s.aheadMs.Add(90_000)
	if fresh := enrol("cas"); fresh == lost {
		t.Error("the new factor is the lost one")
	}
	s.status(http.StatusOK, "", "cas", http.MethodGet, "/api/v1/me", "")
}
