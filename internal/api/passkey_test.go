package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/house/identity/authenticator"
)

const origin = "https://trey.example"

// named reads the users from the record once more, in a house that has a host name.
func (s *site) named(t *testing.T) {
	t.Helper()
	people, err := identity.Open(t.Context(), identity.World{
		Record: s.store, Sessions: s.store, NowMs: s.nowMs, InTime: s.InTime, Random: s.random, Cost: fast,
		SecondFactor: []access.Role{access.Administrator, access.Cashier}, Sealer: newSealer(t), Origins: []string{origin},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.people, s.server.Identity = people, people
}

// A passkey is enrolled and used over the interface, outlives the house with its counter,
// and its key is in nothing that is read of the record. What is refused comes with the
// next challenge.
func TestPasskeyByTheInterface(t *testing.T) {
	s := newSite(t)
	s.named(t)
	options := func(of map[string]any) []byte {
		t.Helper()
		text, err := json.Marshal(of)
		if err != nil || len(of) == 0 {
			t.Fatalf("no options: %v, %v", of, err)
		}
		return text
	}
	send := func(ticket string, answer []byte, err error) *reply {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return s.ask("", http.MethodPost, "/api/v1/sessions/second", fmt.Sprintf(`{"ticket":%q,"label":"Office key","passkey":%s}`, ticket, answer))
	}
	device := authenticator.Device{Counter: 7}
	step := s.firstStep(t, "adm")
	if step.Secret == "" || step.Passkey != nil {
		t.Fatalf("the first step is %+v", step)
	}
	answer, err := device.Create(options(step.NewPasskey), origin)
	session, user := signedInBy(t, send(step.Ticket, answer, err))
	if len(user.Recovery) != 10 || s.get(session, "/api/v1/users").StatusCode != http.StatusOK {
		t.Fatalf("enrolled: %+v", user)
	}
	use := func() (step SecondStep, answer []byte) {
		t.Helper()
		step = s.firstStep(t, "adm")
		if step.Secret != "" || step.NewPasskey != nil {
			t.Fatalf("somebody who knows the password enrols another factor: %+v", step)
		}
		answer, err := device.Get(options(step.Passkey), origin)
		if err != nil {
			t.Fatal(err)
		}
		return step, answer
	}
	stolen := device
	step, answer = use()
	signedInBy(t, send(step.Ticket, answer, nil))

	s.named(t) // what follows is from the record
	if r := s.get(session, "/api/v1/users"); r.StatusCode != http.StatusOK {
		t.Errorf("the session after the house was opened again: %s", r.Status)
	}
	step = s.firstStep(t, "adm")
	answer, err = stolen.Get(options(step.Passkey), origin)
	refused := send(step.Ticket, answer, err).problem(t)
	if refused.Type != "urn:trey:problem:bad-passkey" || !strings.Contains(refused.Detail, "counter went back") || refused.SecondStep == nil || refused.SecondStep.Ticket != step.Ticket {
		t.Errorf("a copy of the passkey: %+v", refused)
	}
	answer, err = device.Get(options(step.Passkey), origin)
	if p := send(step.Ticket, answer, err).problem(t); p.Type != "urn:trey:problem:bad-passkey" || !strings.Contains(p.Detail, "another attempt") {
		t.Errorf("a challenge that was answered before: %+v", p)
	} else {
		refused = p
	}
	answer, err = device.Get(options(refused.SecondStep.Passkey), origin)
	signedInBy(t, send(step.Ticket, answer, err))
	// Many come at once with the same answer, and one is let in: also where the device does
	// not count.
	still := authenticator.Device{}
	step = s.firstStep(t, "cas")
	answer, err = still.Create(options(step.NewPasskey), origin)
	signedInBy(t, send(step.Ticket, answer, err))
	for range 8 {
		s.aheadMs.Add(3_600_000) // failures are forgotten
		step = s.firstStep(t, "cas")
		answer, err = still.Get(options(step.Passkey), origin)
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		in := make(chan int, 5)
		for range cap(in) {
			all.Go(func() { in <- send(step.Ticket, answer, nil).StatusCode })
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
			t.Errorf("%d were let in by one answer", let)
		}
	}
	// What follows is by a session that did not end meanwhile.
	step, answer = use()
	session, _ = signedInBy(t, send(step.Ticket, answer, nil))

	step, _ = use()
	for name, body := range map[string]string{
		"neither": fmt.Sprintf(`{"ticket":%q}`, step.Ticket), "both": fmt.Sprintf(`{"ticket":%q,"code":"123456","passkey":{}}`, step.Ticket),
	} {
		if r := s.ask("", http.MethodPost, "/api/v1/sessions/second", body); r.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s: %s", name, r.Status)
		}
	}
	if r := s.secondStep(step.Ticket, "123456"); r.problem(t).Type != "urn:trey:problem:bad-code" {
		t.Errorf("a code of somebody who has none: %s", r.text)
	}
	if r := s.secondStep(step.Ticket, user.Recovery[0]); r.problem(t).SecondStep == nil || r.problem(t).SecondStep.NewPasskey == nil {
		t.Errorf("a recovery code: %s", r.text)
	}

	// Nothing of a passkey but its number, name and counter is in what is read of the record.
	var kept []string
	err = s.store.Read(t.Context(), identity.Stream, 0, func(r house.StoredEvent) error {
		var c struct {
			Credential struct{ ID, Key, Handle string }
			Codes      []string
		}
		if json.Unmarshal(r.Event.Body, &c) == nil && c.Credential.Key != "" {
			kept = append(kept, append(c.Codes, c.Credential.ID, c.Credential.Key, c.Credential.Handle)...)
		}
		return nil
	})
	if err != nil || len(kept) != 26 {
		t.Fatalf("the record holds %d values of passkeys, %v", len(kept), err)
	}
	for _, path := range []string{"/api/v1/log?limit=500", "/api/v1/log?limit=500&stream=people", "/api/v1/reports/significant-events", "/api/v1/users"} {
		text := s.get(session, path).text
		if !strings.Contains(text, "adm") {
			t.Errorf("%s says nothing: %.200s", path, text)
		}
		for _, value := range kept {
			if strings.Contains(text, value) {
				t.Errorf("%s holds %s", path, value)
			}
		}
	}
	if text := s.get(session, "/api/v1/log?limit=500&stream=people").text; !strings.Contains(text, "passkey-added") || !strings.Contains(text, "Office key") || !strings.Contains(text, "passkey-refused") {
		t.Errorf("the log does not say who added and used which passkey: %s", text)
	}
}

// What was shown to add a passkey is used up, also if none was added and the house is
// opened again.
func TestWhatWasShownToAddAPasskeyIsUsed(t *testing.T) {
	s := newSite(t)
	s.named(t)
	enrol := s.firstStep(t, "adm")
	session, _ := signedInBy(t, s.secondStep(enrol.Ticket, codeAt(t, enrol.Secret, s.nowMs())))
	s.aheadMs.Add(90_000)
	code := codeAt(t, enrol.Secret, s.nowMs())
	if _, err := s.people.AskPasskey(session, origin); err != nil {
		t.Fatal(err)
	}
	step, err := s.people.ProvePasskey(t.Context(), session, identity.Proof{Code: code})
	if err != nil || len(step.Create) == 0 {
		t.Fatalf("by a code: %+v, %v", step, err)
	}
	s.named(t)
	if r := s.secondStep(s.firstStep(t, "adm").Ticket, code); r.problem(t).Type != "urn:trey:problem:bad-code" {
		t.Errorf("the code again: %s", r.text)
	}
	device := authenticator.Device{Counter: 3}
	s.aheadMs.Add(90_000)
	if _, err := s.people.AskPasskey(session, origin); err != nil {
		t.Fatal(err)
	}
	if step, err = s.people.ProvePasskey(t.Context(), session, identity.Proof{Code: codeAt(t, enrol.Secret, s.nowMs())}); err != nil {
		t.Fatal(err)
	}
	made, err := device.Create(step.Create, origin)
	if err != nil {
		t.Fatal(err)
	}
	if recovery, err := s.people.AddPasskey(t.Context(), session, "a key", made); err != nil || len(recovery) != 0 {
		t.Fatalf("%d recovery codes, %v", len(recovery), err)
	}
	// The same of the counter of a passkey.
	stolen := device
	asked, err := s.people.AskPasskey(session, origin)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := device.Get(asked.Passkey, origin)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.people.ProvePasskey(t.Context(), session, identity.Proof{Passkey: answer}); err != nil {
		t.Fatal(err)
	}
	s.named(t)
	next := s.firstStep(t, "adm")
	options, err := json.Marshal(next.Passkey)
	if err != nil {
		t.Fatal(err)
	}
	if answer, err = stolen.Get(options, origin); err != nil {
		t.Fatal(err)
	}
	r := s.ask("", http.MethodPost, "/api/v1/sessions/second", fmt.Sprintf(`{"ticket":%q,"passkey":%s}`, next.Ticket, answer))
	if p := r.problem(t); p.Type != "urn:trey:problem:bad-passkey" || !strings.Contains(p.Detail, "counter went back") {
		t.Errorf("a counter that was shown before: %s", r.text)
	}
}
