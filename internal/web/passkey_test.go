package web_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/house/identity/authenticator"
	"trey/internal/house/sealing"
	"trey/internal/house/significant"
	"trey/internal/web"
)

// guarded is a house in which administrators and shift managers sign in with a second
// factor, reached as http://localhost, where browsers let passkeys work.
type guarded struct {
	testing.TB
	people  *identity.Directory
	store   house.Store
	origin  string
	aheadMs atomic.Int64
}

func openGuarded(t *testing.T) *guarded {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	k := &guarded{TB: t, origin: fmt.Sprintf("http://localhost:%d", listener.Addr().(*net.TCPAddr).Port)}
	keys, err := sealing.New()
	if err != nil {
		t.Fatal(err)
	}
	k.people = twoPeopleIn(t, func(w *identity.World) {
		w.SecondFactor, w.Sealer = []access.Role{access.Administrator, access.ShiftManager}, sealing.NewRing(keys)
		w.Origins, w.Issuer = []string{k.origin}, "The Grand"
		w.NowMs = func() int64 { return time.Now().UnixMilli() + k.aheadMs.Load() }
		k.store = w.Record
	})
	s := openStaffed(t, func(c *web.Config) { c.People = guestless{k.people} })
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: s.server.Config.Handler}} //nolint:gosec // it is for a test
	server.Start()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return k
}

// comer is somebody at a browser with a device.
type comer struct {
	*surfer
	name, origin string
	device       authenticator.Device
	// page and status are those that were shown last.
	page   string
	status int
}

func (k *guarded) comer(name string) *comer {
	s := newSurfer(k.TB, k.origin)
	s.origin = k.origin
	return &comer{surfer: s, name: name, origin: k.origin, device: authenticator.Device{Counter: 1}}
}

func (c *comer) send(path string, form url.Values) (at string) {
	c.Helper()
	at, c.status, c.page = c.open(path, form)
	return at
}

// hidden returns the value of a hidden field of the page.
func (c *comer) hidden(name string) string {
	found := regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).FindStringSubmatch(c.page)
	if found == nil {
		return ""
	}
	return html.UnescapeString(found[1])
}

// asked returns the options of the page for "get" or "create", nil for none.
func (c *comer) asked(by string) []byte {
	found := regexp.MustCompile(`data-passkey="` + by + `" data-options="([^"]*)"`).FindStringSubmatch(c.page)
	if found == nil {
		return nil
	}
	return []byte(html.UnescapeString(found[1]))
}

func (c *comer) password() *comer {
	c.Helper()
	c.send("/sign-in", url.Values{"name": {c.name}, "password": {password}})
	if c.hidden("ticket") == "" {
		c.Fatalf("%s by the password: %d %s", c.name, c.status, c.page)
	}
	return c
}

// answer sends the answer of a device in the second step.
func (c *comer) answer(made []byte, err error) (at string) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
	return c.send("/sign-in/second", url.Values{"ticket": {c.hidden("ticket")}, "passkey": {string(made)}, "label": {"the phone of " + c.name}})
}

var recoveryCode = regexp.MustCompile(`<code>([a-z2-7-]{19})</code>`)

// enrol signs in for the first time, by a passkey, and returns the recovery codes.
func (c *comer) enrol() (codes []string) {
	c.Helper()
	menu := func() bool { return strings.Contains(c.page, `action="/display"`) }
	if c.password(); !menu() {
		c.Errorf("a page has no menu for the language: %s", c.page)
	}
	if c.answer(c.device.Create(c.asked("create"), c.origin)); menu() {
		c.Errorf("whoever chooses another language loses the codes, which are shown once: %s", c.page)
	}
	for _, found := range recoveryCode.FindAllStringSubmatch(c.page, -1) {
		codes = append(codes, found[1])
	}
	if len(codes) != 10 || c.status != http.StatusOK {
		c.Fatalf("%s enrols: %d %s", c.name, c.status, c.page)
	}
	return codes
}

// enter signs in with the passkey.
func (c *comer) enter() {
	c.Helper()
	if at := c.password().answer(c.device.Get(c.asked("get"), c.origin)); at != "/console" || c.status != http.StatusOK {
		c.Fatalf("%s by a passkey: %s %d %s", c.name, at, c.status, c.page)
	}
}

// in reports whether the browser has a session.
func (c *comer) in() bool {
	at, status, _ := c.open("/console", nil)
	return at == "/console" && status == http.StatusOK
}

// leave signs out.
func (c *comer) leave() { c.send("/sign-out", url.Values{}) }

// code returns the code of a secret at a time, by RFC 6238.
func (k *guarded) code(secret string) string {
	key, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ReplaceAll(secret, " ", ""))
	if err != nil {
		k.Fatal(err)
	}
	mac := hmac.New(sha1.New, key)
	binary.Write(mac, binary.BigEndian, uint64((time.Now().UnixMilli()+k.aheadMs.Load())/30_000)) //nolint:errcheck // a hash takes everything
	sum := mac.Sum(nil)
	return fmt.Sprintf("%06d", (binary.BigEndian.Uint32(sum[sum[19]&15:])&0x7fffffff)%1_000_000)
}

// significant returns the significant events of people, the newest last.
func (k *guarded) significant() (all []significant.Event) {
	k.Helper()
	err := house.Named(k.store).ReadAll(context.Background(), 0, identity.Stream, func(e house.StoredTransaction) error {
		events, err := significant.Of(&e)
		all = append(all, events...)
		return err
	})
	if err != nil {
		k.Fatal(err)
	}
	return all
}

// A passkey is enrolled at the first sign-in and lets its holder in from then on, after the
// password. The answer must be that of the very device, made on a page of this house, for this
// attempt. Everything else is refused, and says why.
func TestAPasskeyLetsInItsHolderAlone(t *testing.T) {
	k := openGuarded(t)
	ida, sue := k.comer("ida"), k.comer("sue")
	ida.enrol()
	if !ida.in() {
		t.Fatal("a new passkey does not let in")
	}
	ida.leave()
	ida.enter()
	ida.send("/account", nil)
	if !strings.Contains(ida.page, "the phone of ida") || !strings.Contains(ida.page, "<td>localhost</td>") || strings.Contains(ida.page, "<td>never") {
		t.Errorf("the account does not show the passkey and its use: %s", ida.page)
	}
	ida.leave()
	sue.enrol()
	var before []byte // an answer that let in
	good := func(c *comer) ([]byte, error) { return c.device.Get(c.asked("get"), c.origin) }
	for _, attack := range []struct {
		name, says string
		answer     func(c *comer) ([]byte, error)
	}{
		{"a page of another site", "a page of another site", func(c *comer) ([]byte, error) {
			return c.device.Get(c.asked("get"), "https://grand-casino.example")
		}},
		{"another port of the same machine", "a page of another site", func(c *comer) ([]byte, error) { return c.device.Get(c.asked("get"), "http://localhost:1") }},
		{"the same name by https", "a page of another site", func(c *comer) ([]byte, error) {
			return c.device.Get(c.asked("get"), strings.Replace(c.origin, "http:", "https:", 1))
		}},
		{"an answer for another host", "a page of another site", func(c *comer) ([]byte, error) {
			d := c.device
			d.Host = "grand-casino.example"
			return d.Get(c.asked("get"), c.origin)
		}},
		{"another challenge", "another attempt", func(c *comer) ([]byte, error) {
			d := c.device
			d.Challenge = base64.RawURLEncoding.EncodeToString(make([]byte, 32))
			return d.Get(c.asked("get"), c.origin)
		}},
		{"an answer that let in before", "another attempt", func(*comer) ([]byte, error) { return before, nil }},
		{"a device that checks nobody", "did not check that it is you", func(c *comer) ([]byte, error) {
			d := c.device
			d.Unverified = true
			return d.Get(c.asked("get"), c.origin)
		}},
		{"somebody else's passkey", "not registered for you", func(c *comer) ([]byte, error) { return sue.device.Force(c.asked("get"), c.origin, nil) }},
		{"somebody else's device under the name of the passkey", "is not valid", func(c *comer) ([]byte, error) {
			return sue.device.Force(c.asked("get"), c.origin, &c.device)
		}},
		{"an answer that was changed", "is not valid", func(c *comer) ([]byte, error) {
			made, err := c.device.Get(c.asked("get"), c.origin)
			return flipped(t, made), err
		}},
		{"a new passkey in the place of an answer", "is not valid", func(c *comer) ([]byte, error) {
			d := authenticator.Device{}
			return d.Create([]byte(strings.Replace(string(c.asked("get")), "{", `{"rp":{"id":"localhost"},"user":{"id":"aWRh"},`, 1)), c.origin)
		}},
		{"no answer at all", "is not valid", func(*comer) ([]byte, error) { return []byte(`{"id":"x"}`), nil }},
	} {
		before = nil
		ida.password()
		first, err := good(ida)
		before = first
		if at := ida.answer(first, err); at != "/console" {
			t.Fatalf("before %s: %d %s", attack.name, ida.status, ida.page)
		}
		ida.leave()
		ida.password()
		made, err := attack.answer(ida)
		if at := ida.answer(made, err); at != "/sign-in/second" || ida.status != http.StatusUnauthorized || !strings.Contains(ida.page, "The passkey was not accepted: ") && !strings.Contains(ida.page, "the passkey was not accepted: ") || !strings.Contains(ida.page, attack.says) {
			t.Errorf("%s: %s %d %s", attack.name, at, ida.status, ida.page)
		}
		if ida.in() {
			t.Fatalf("%s lets in", attack.name)
		}
		// The page asks with another challenge, and the right answer to it lets in.
		made, err = good(ida)
		if at := ida.answer(made, err); at != "/console" {
			t.Errorf("after %s: %s %d %s", attack.name, at, ida.status, ida.page)
		}
		ida.leave()
	}
	// The same answer twice with the same ticket: the challenge was good for one.
	ida.password()
	ticket := ida.hidden("ticket")
	wrong, err := sue.device.Force(ida.asked("get"), ida.origin, nil)
	right, _ := good(ida)
	ida.answer(wrong, err)
	if at := ida.send("/sign-in/second", url.Values{"ticket": {ticket}, "passkey": {string(right)}}); at != "/sign-in/second" || !strings.Contains(ida.page, "another attempt") {
		t.Errorf("a challenge is good for two answers: %s %s", at, ida.page)
	}
	// Guessing is slowed down as that of codes is, and ends the ticket.
	slowed := false
	for range 8 {
		ida.password()
		ida.answer(sue.device.Force(ida.asked("get"), ida.origin, nil))
		slowed = slowed || ida.status == http.StatusTooManyRequests
	}
	if !slowed {
		t.Error("wrong passkeys are not slowed down")
	}
}

// flipped changes one bit of a signature.
func flipped(t *testing.T, answer []byte) []byte {
	t.Helper()
	var a map[string]any
	if err := json.Unmarshal(answer, &a); err != nil {
		t.Fatal(err)
	}
	response := a["response"].(map[string]any)
	signature, err := base64.RawURLEncoding.DecodeString(response["signature"].(string))
	if err != nil {
		t.Fatal(err)
	}
	signature[len(signature)-1] ^= 1
	response["signature"] = base64.RawURLEncoding.EncodeToString(signature)
	changed, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

// A counter that goes back says that a passkey was copied: the copy is refused, and the
// house says so to its holder and in the register of significant events.
func TestACopiedPasskeyIsRefused(t *testing.T) {
	k := openGuarded(t)
	ida := k.comer("ida")
	ida.enrol()
	ida.leave()
	ida.enter()
	ida.leave()
	stolen := ida.device // with its counter
	ida.enter()
	ida.leave()
	for _, counter := range []uint32{stolen.Counter, stolen.Counter - 1, 0} {
		stolen.Counter = counter
		ida.password()
		if at := ida.answer(stolen.Get(ida.asked("get"), ida.origin)); at != "/sign-in/second" || ida.status != http.StatusUnauthorized || !strings.Contains(ida.page, "counter went back") || ida.in() {
			t.Errorf("counter %d: %s %d %s", counter, at, ida.status, ida.page)
		}
	}
	events := k.significant()
	last := events[len(events)-1]
	if last.Kind != significant.SignInRefused || last.Event != "passkey-refused" || !strings.Contains(last.Consequence, `ida, administrator, passkey k`) || !strings.Contains(last.Consequence, `"the phone of ida"`) || !strings.Contains(last.Consequence, "copied") {
		t.Errorf("the register says %+v", last)
	}
	ida.enter()
	ida.send("/account", nil)
	if !strings.Contains(ida.page, "may have been copied") {
		t.Errorf("the account says nothing of it: %s", ida.page)
	}
}

// The holder of a session adds a passkey only with the existing second factor, or with the
// password where there is none, and cannot remove the only factor. A passkey that was removed
// lets nobody in.
func TestPasskeysOfAnAccount(t *testing.T) {
	k := openGuarded(t)
	// Somebody whose role takes no second factor adds the first one by the password.
	dan := k.comer("dan")
	dan.send("/sign-in", url.Values{"name": {"dan"}, "password": {password}})
	dan.send("/account", nil)
	if dan.status != http.StatusOK || !strings.Contains(dan.page, "no second factor") {
		t.Fatalf("the account of a dealer: %d %s", dan.status, dan.page)
	}
	other := k.comer("dan")
	other.send("/sign-in", url.Values{"name": {"dan"}, "password": {password}})
	create := func(c *comer) url.Values {
		c.Helper()
		made, err := c.device.Create(c.asked("create"), c.origin)
		if err != nil {
			c.Fatal(err)
		}
		return url.Values{"label": {"a key"}, "passkey": {string(made)}}
	}
	if dan.send("/account/passkeys", url.Values{"label": {"a key"}, "passkey": {"{}"}}); dan.status != http.StatusConflict {
		t.Errorf("a passkey out of nothing: %d %s", dan.status, dan.page)
	}
	dan.send("/account/passkeys/begin", url.Values{})
	if dan.asked("create") != nil || !strings.Contains(dan.page, `name="password"`) {
		t.Fatalf("a passkey is created before the password: %s", dan.page)
	}
	if dan.send("/account/passkeys/prove", url.Values{"password": {"another password"}}); dan.status != http.StatusUnauthorized || dan.asked("create") != nil {
		t.Errorf("a wrong password: %d %s", dan.status, dan.page)
	}
	if dan.send("/account/passkeys", url.Values{"label": {"a key"}, "passkey": {"{}"}}); dan.status != http.StatusConflict {
		t.Errorf("a passkey after a wrong password: %d %s", dan.status, dan.page)
	}
	dan.send("/account/passkeys/begin", url.Values{})
	dan.send("/account/passkeys/prove", url.Values{"password": {password}})
	form := create(dan)
	for name, wrong := range map[string]string{"nothing": "", "a lot": strings.Repeat("x", 61), "control characters": "a\x00b"} {
		if dan.send("/account/passkeys", url.Values{"label": {wrong}, "passkey": form["passkey"]}); dan.status != http.StatusUnprocessableEntity {
			t.Errorf("a passkey called %s: %d", name, dan.status)
		}
	}
	if dan.send("/account/passkeys", form); len(recoveryCode.FindAllString(dan.page, -1)) != 10 {
		t.Fatalf("the first passkey: %d %s", dan.status, dan.page)
	}
	if dan.in() || other.in() {
		t.Error("a session by the password alone outlives the first second factor")
	}
	dan.enter()

	// The second one takes the first one, and its answer is checked like every other.
	second := k.comer("dan")
	second.surfer = dan.surfer
	second.send("/account/passkeys/begin", url.Values{})
	if second.asked("create") != nil || strings.Contains(second.page, `name="password"`) {
		t.Fatalf("another passkey without the one that there is: %s", second.page)
	}
	first := second.asked("get")
	thief := k.comer("sue")
	thief.enrol()
	forced, err := thief.device.Force(first, k.origin, &dan.device)
	if err != nil {
		t.Fatal(err)
	}
	for name, wrong := range map[string]url.Values{
		"the password": {"password": {password}}, "a code": {"code": {"123456"}}, "somebody else's device": {"passkey": {string(forced)}}, "nothing": {},
	} {
		if second.send("/account/passkeys/prove", wrong); second.status != http.StatusUnauthorized || second.asked("create") != nil {
			t.Errorf("another passkey by %s: %d %s", name, second.status, second.page)
		}
	}
	// Nor is the challenge for the first one answered by a new one.
	second.send("/account/passkeys/begin", url.Values{})
	user := base64.RawURLEncoding.EncodeToString(make([]byte, 32))
	made, err := second.device.Create([]byte(strings.Replace(string(second.asked("get")), "{", `{"rp":{"id":"localhost"},"user":{"id":"`+user+`"},`, 1)), k.origin)
	if err != nil {
		t.Fatal(err)
	}
	if second.send("/account/passkeys", url.Values{"label": {"a key"}, "passkey": {string(made)}}); second.status != http.StatusConflict || len(k.people.Factors("dan").Passkeys) != 1 {
		t.Errorf("a new passkey without the first one: %d %s", second.status, second.page)
	}
	second.device = authenticator.Device{Counter: 1}
	prove := func() {
		t.Helper()
		second.send("/account/passkeys/begin", url.Values{})
		made, err := dan.device.Get(second.asked("get"), k.origin)
		if err != nil {
			t.Fatal(err)
		}
		if second.send("/account/passkeys/prove", url.Values{"passkey": {string(made)}}); second.asked("create") == nil {
			t.Fatalf("another passkey by the first one: %d %s", second.status, second.page)
		}
	}
	for name, attack := range map[string]func(d *authenticator.Device) ([]byte, error){
		"a page of another site": func(d *authenticator.Device) ([]byte, error) {
			return d.Create(second.asked("create"), "https://grand-casino.example")
		},
		"another challenge": func(d *authenticator.Device) ([]byte, error) {
			d.Challenge = base64.RawURLEncoding.EncodeToString(make([]byte, 32))
			return d.Create(second.asked("create"), k.origin)
		},
		"another host": func(d *authenticator.Device) ([]byte, error) {
			d.Host = "grand-casino.example"
			return d.Create(second.asked("create"), k.origin)
		},
		"somebody else's passkey": func(d *authenticator.Device) ([]byte, error) {
			*d = thief.device
			d.Again = true
			return d.Create(second.asked("create"), k.origin)
		},
		"a device that checks nobody": func(d *authenticator.Device) ([]byte, error) {
			d.Unverified = true
			return d.Create(second.asked("create"), k.origin)
		},
	} {
		prove()
		made, err := attack(&authenticator.Device{})
		if err != nil {
			t.Fatal(err)
		}
		if second.send("/account/passkeys", url.Values{"label": {"a key"}, "passkey": {string(made)}}); second.status != http.StatusConflict || !strings.Contains(second.page, `id="failed"`) {
			t.Errorf("a new passkey with %s: %d %s", name, second.status, second.page)
		}
	}
	prove()
	third, err := (&authenticator.Device{}).Create(second.asked("create"), k.origin)
	if err != nil {
		t.Fatal(err)
	}
	if at := second.send("/account/passkeys", create(second)); at != "/account" || !dan.in() || strings.Count(second.page, "data-passkey-of") != 2 {
		t.Fatalf("the second passkey: %s %s", at, second.page)
	}
	if second.send("/account/passkeys", url.Values{"label": {"a key"}, "passkey": {string(third)}}); second.status != http.StatusConflict || len(k.people.Factors("dan").Passkeys) != 2 {
		t.Errorf("a third passkey by the proof of the second: %d", second.status)
	}

	// One of two may be removed, and then lets nobody in; the last one may not.
	numbers := regexp.MustCompile(`data-passkey-of="(k\d+)"`)
	second.send("/account", nil)
	ids := numbers.FindAllStringSubmatch(second.page, -1)
	thief.leave()
	if thief.enter(); thief.send("/account/passkeys/remove", url.Values{"remove": {ids[0][1]}}) != "/account/passkeys/remove" || thief.status != http.StatusConflict {
		t.Errorf("somebody else removes a passkey: %d %s", thief.status, thief.page)
	}
	elsewhere := k.comer("dan")
	elsewhere.password()
	elsewhere.answer(dan.device.Get(elsewhere.asked("get"), k.origin))
	if !elsewhere.in() {
		t.Fatalf("by the first passkey in another browser: %s", elsewhere.page)
	}
	// A session left open is not enough: what is shown for it is checked, once.
	remove := func() {
		t.Helper()
		if second.send("/account/passkeys/remove", url.Values{"remove": {ids[0][1]}}); second.status != http.StatusOK || second.asked("get") == nil {
			t.Fatalf("to remove a passkey: %d %s", second.status, second.page)
		}
	}
	remove()
	if second.send("/account/passkeys", url.Values{"label": {"a key"}, "passkey": {string(third)}}); second.status != http.StatusConflict {
		t.Errorf("a passkey is added by the steps of a removal: %d", second.status)
	}
	for name, wrong := range map[string]url.Values{
		"nothing": {}, "the password": {"password": {password}}, "a code": {"code": {"123456"}}, "nonsense": {"passkey": {"{}"}},
	} {
		remove()
		if second.send("/account/passkeys/prove", wrong); second.status != http.StatusUnauthorized {
			t.Errorf("a passkey is removed by %s: %d", name, second.status)
		}
	}
	if len(k.people.Factors("dan").Passkeys) != 2 || !dan.in() || !elsewhere.in() {
		t.Fatal("a passkey is removed without showing one")
	}
	k.aheadMs.Add(3_600_000) // the wrong ones have slowed this down
	if second.enter(); !second.in() {
		t.Fatalf("in again: %s", second.page)
	}
	remove()
	body, err := second.device.Get(second.asked("get"), k.origin)
	if err != nil {
		t.Fatal(err)
	}
	if at := second.send("/account/passkeys/prove", url.Values{"passkey": {string(body)}}); at != "/sign-in" || dan.in() || elsewhere.in() {
		t.Errorf("removed: %s; its session goes on: %t", at, elsewhere.in())
	}
	dan.password()
	if _, err := dan.device.Get(dan.asked("get"), k.origin); !errors.Is(err, authenticator.ErrNone) {
		t.Errorf("a passkey that was removed is asked for: %v", err)
	}
	if at := dan.answer(dan.device.Force(dan.asked("get"), k.origin, nil)); at != "/sign-in/second" || !strings.Contains(dan.page, "not registered for you here, or was removed") || dan.in() {
		t.Errorf("a passkey that was removed: %s %s", at, dan.page)
	}
	second.enter()
	if second.send("/account/passkeys/remove", url.Values{"remove": {ids[1][1]}}); second.status != http.StatusConflict || !strings.Contains(second.page, "your only second factor") || !second.in() {
		t.Errorf("the only second factor: %d %s", second.status, second.page)
	}
	if strings.Contains(second.page, `name="remove"`) {
		t.Errorf("the only second factor has a button to remove it: %s", second.page)
	}
}

// Codes and passkeys stand beside each other: whoever has both shows either, a code adds a
// passkey once, and a recovery code ends all that there was. Two people take everything away.
func TestCodesAndPasskeysAndTheirLoss(t *testing.T) {
	k := openGuarded(t)
	ida := k.comer("ida")
	ida.password()
	secret := regexp.MustCompile(`<code>([A-Z2-7 ]{39})</code>`).FindStringSubmatch(ida.page)
	if secret == nil || ida.asked("create") == nil {
		t.Fatalf("the first sign-in offers not both: %s", ida.page)
	}
	ida.send("/sign-in/second", url.Values{"ticket": {ida.hidden("ticket")}, "code": {k.code(secret[1])}})
	codes := recoveryCode.FindAllStringSubmatch(ida.page, -1)
	if foot := footOf(ida.page); !strings.Contains(foot, "ida, administrator") {
		t.Errorf("the foot below the recovery codes says: %s", foot)
	}
	if len(codes) != 10 {
		t.Fatalf("by a code: %d %s", ida.status, ida.page)
	}
	// A code adds a passkey, and the same code nothing else.
	k.aheadMs.Add(60_000)
	code := k.code(secret[1])
	ida.send("/account/passkeys/begin", url.Values{})
	if ida.asked("get") != nil {
		t.Error("a passkey is asked for that there is not")
	}
	if ida.send("/account/passkeys/prove", url.Values{"code": {codes[0][1]}}); ida.status != http.StatusUnauthorized {
		t.Errorf("a recovery code adds a passkey: %d", ida.status)
	}
	if ida.send("/account/passkeys/prove", url.Values{"code": {code}}); ida.asked("create") == nil {
		t.Fatalf("a code adds no passkey: %d %s", ida.status, ida.page)
	}
	made, err := ida.device.Create(ida.asked("create"), k.origin)
	if err != nil {
		t.Fatal(err)
	}
	if at := ida.send("/account/passkeys", url.Values{"label": {"a key"}, "passkey": {string(made)}}); at != "/account" {
		t.Fatalf("%s %s", at, ida.page)
	}
	ida.send("/account/passkeys/begin", url.Values{})
	if ida.send("/account/passkeys/prove", url.Values{"code": {code}}); ida.asked("create") != nil {
		t.Error("a code is good twice")
	}
	// Without a script the page takes codes.
	ida.leave()
	k.aheadMs.Add(60_000)
	if ida.password(); !strings.Contains(ida.page, "<noscript>") || !strings.Contains(ida.page, `name="code" required`) || !strings.Contains(ida.page, "button\" hidden>") {
		t.Errorf("the page without a script: %s", ida.page)
	}
	if at := ida.send("/sign-in/second", url.Values{"ticket": {ida.hidden("ticket")}, "code": {k.code(secret[1])}}); at != "/console" {
		t.Errorf("by a code beside a passkey: %s %s", at, ida.page)
	}
	ida.leave()
	ida.enter()
	ida.leave()

	// A recovery code leads to another factor, before which nothing changes.
	ida.password()
	ida.send("/sign-in/second", url.Values{"ticket": {ida.hidden("ticket")}, "code": {codes[3][1]}})
	if ida.asked("create") == nil || ida.asked("get") != nil {
		t.Fatalf("a recovery code: %d %s", ida.status, ida.page)
	}
	fresh := authenticator.Device{Counter: 1}
	ticket, options := ida.hidden("ticket"), ida.asked("create")
	ida.enter() // the recovery was broken off
	ida.leave()
	made, err = fresh.Create(options, k.origin)
	if err != nil {
		t.Fatal(err)
	}
	if ida.send("/sign-in/second", url.Values{"ticket": {ticket}, "passkey": {string(made)}, "label": {"the new one"}}); len(recoveryCode.FindAllString(ida.page, -1)) != 10 {
		t.Fatalf("the new passkey: %d %s", ida.status, ida.page)
	}
	ida.leave()
	ida.password()
	if _, err := ida.device.Get(ida.asked("get"), k.origin); !errors.Is(err, authenticator.ErrNone) {
		t.Error("the lost passkey is asked for")
	}
	ida.answer(ida.device.Force(ida.asked("get"), k.origin, nil))
	k.aheadMs.Add(60_000)
	lost := ida.status
	ida.send("/sign-in/second", url.Values{"ticket": {ida.hidden("ticket")}, "code": {k.code(secret[1])}})
	if lost != http.StatusUnauthorized || ida.status != http.StatusUnauthorized || ida.in() {
		t.Errorf("the lost passkey: %d; the lost secret: %d", lost, ida.status)
	}
	ida.device = fresh
	ida.enter()

	// Two people take the factors of a third away.
	sue, pat := k.comer("sue"), k.comer("pat")
	sue.enrol()
	pat.send("/sign-in", url.Values{"name": {"pat"}, "password": {password}})
	pat.send("/account/passkeys/begin", url.Values{})
	pat.send("/account/passkeys/prove", url.Values{"password": {password}})
	made, err = pat.device.Create(pat.asked("create"), k.origin)
	if err != nil {
		t.Fatal(err)
	}
	pat.send("/account/passkeys", url.Values{"label": {"a key"}, "passkey": {string(made)}})
	pat.enter()
	ida.send("/users", url.Values{"do": {"remove-second-factor"}, "name": {"pat"}, "why": {"the telephone fell into the sea"}})
	waits := k.people.Changes()
	if len(waits) != 1 || !pat.in() {
		t.Fatalf("%d changes wait: %s", len(waits), ida.page)
	}
	approve := fmt.Sprintf("/staff/user-changes/%d", waits[0].ID)
	if ida.send(approve, url.Values{"decide": {"approve"}}); ida.status < 400 || len(k.people.Factors("pat").Passkeys) != 1 {
		t.Errorf("one person takes a passkey away: %d", ida.status)
	}
	if sue.send(approve, url.Values{"decide": {"approve"}}); len(k.people.Factors("pat").Passkeys) != 0 || pat.in() {
		t.Errorf("two people take no passkey away: %d %s", sue.status, sue.page)
	}
}

// Where the house is reached by no name that a browser trusts, nobody is asked for a
// passkey, and the page says where they work.
func TestPasskeysElsewhere(t *testing.T) {
	k := openGuarded(t)
	ida := k.comer("ida")
	codes := ida.enrol()
	ida.leave()
	there := k.comer("ida")
	there.address = strings.Replace(k.origin, "localhost", "127.0.0.1", 1)
	there.surfer.origin = there.address
	there.password()
	if there.asked("get") != nil || !strings.Contains(there.page, "Your passkeys work at "+k.origin+" only") {
		t.Errorf("at an IP address: %s", there.page)
	}
	there.send("/sign-in/second", url.Values{"ticket": {there.hidden("ticket")}, "code": {codes[0]}})
	if there.asked("create") != nil || !strings.Contains(there.page, "<code>") {
		t.Errorf("a passkey is offered at an IP address: %s", there.page)
	}
	dan := k.comer("dan")
	dan.address, dan.surfer.origin = there.address, there.address
	dan.send("/sign-in", url.Values{"name": {"dan"}, "password": {password}})
	if dan.send("/account/passkeys/begin", url.Values{}); dan.status != http.StatusConflict || !strings.Contains(dan.page, "passkeys do not work at this address") {
		t.Errorf("a passkey is added at an IP address: %d %s", dan.status, dan.page)
	}
}
