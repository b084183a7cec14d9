package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// login is an identity provider that speaks OpenID Connect over HTTP, with keys of its
// own. It lets in whom the test says.
type login struct {
	*httptest.Server
	key *ecdsa.PrivateKey

	mu     sync.Mutex
	person map[string]any // the claims of the person who is at the provider
	codes  map[string]url.Values
	// spoil changes the claims of a token before it is signed, and signs says by what.
	spoil func(claims map[string]any)
	signs *ecdsa.PrivateKey
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func newLogin(t *testing.T) *login {
	t.Helper()
	l := &login{key: newKey(t), codes: map[string]url.Values{}}
	l.signs = l.key
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(v) //nolint:errcheck // the house finds out
	}
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{
			"issuer": l.URL, "authorization_endpoint": l.URL + "/authorize", "token_endpoint": l.URL + "/token", "jwks_uri": l.URL + "/keys",
			"id_token_signing_alg_values_supported": []string{"ES256"}, "response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
		})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: l.key.Public(), KeyID: "one", Algorithm: "ES256", Use: "sig"}}})
	})
	mux.HandleFunc("GET /authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if q.Get("client_id") != "trey" || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" || q.Get("nonce") == "" {
			http.Error(w, "the request is not right", http.StatusBadRequest)
			return
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		code := fmt.Sprintf("code-%d", len(l.codes))
		l.codes[code] = q
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		defer l.mu.Unlock()
		id, secret, _ := r.BasicAuth()
		secret, _ = url.QueryUnescape(secret) // RFC 6749, 2.3.1
		asked := l.codes[r.FormValue("code")]
		sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		if id != "trey" || secret != "the secret" || asked == nil || r.FormValue("redirect_uri") != asked.Get("redirect_uri") ||
			base64.RawURLEncoding.EncodeToString(sum[:]) != asked.Get("code_challenge") {
			http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
			return
		}
		l.codes[r.FormValue("code")] = nil // it is good once
		claims := map[string]any{"iss": l.URL, "aud": "trey", "iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(), "nonce": asked.Get("nonce")}
		for name, value := range l.person {
			claims[name] = value
		}
		if l.spoil != nil {
			l.spoil(claims)
		}
		text, err := json.Marshal(claims)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: l.signs, KeyID: "one"}}, nil)
		if err == nil {
			var signed *jose.JSONWebSignature
			if signed, err = signer.Sign(text); err == nil {
				token, _ := signed.CompactSerialize()
				answer(w, map[string]any{"access_token": "unused", "token_type": "Bearer", "expires_in": 60, "id_token": token})
				return
			}
		}
		http.Error(w, err.Error(), http.StatusInternalServerError)
	})
	l.Server = httptest.NewServer(mux)
	t.Cleanup(l.Close)
	return l
}

// setUser says who is at the provider.
func (l *login) setUser(subject, name string, roles ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.person = map[string]any{"sub": subject, "preferred_username": name, "groups": roles}
}

// goBy goes to the provider and comes back, and returns the address to come back to.
func (v *visitor) goBy(t *testing.T, l *login, path string) (back string) {
	t.Helper()
	out := v.send(http.MethodGet, path, nil)
	to := out.Header.Get("Location")
	if out.StatusCode != http.StatusSeeOther || !strings.HasPrefix(to, l.URL+"/authorize?") {
		t.Fatalf("to the provider: %s to %s\n%s", out.Status, to, out.text)
	}
	answer, err := v.client.Get(to)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close() //nolint:errcheck // nothing is read
	back = answer.Header.Get("Location")
	if !strings.HasPrefix(back, "http://localhost/sign-in/provider/done?") {
		t.Fatalf("the provider sends people to %q", back)
	}
	return strings.TrimPrefix(back, "http://localhost")
}

// People come in by a provider that signs who they are and which role they have; what it
// did not sign for this house, this sign-in and this browser lets nobody in.
func TestIdentityProvider(t *testing.T) {
	t.Parallel()
	l := newLogin(t)
	o := startConfigured(t, staffText(t, `second_factor = ["administrator", "shift-manager"]`)+fmt.Sprintf(`
[provider]
name = "Grand Staff"
issuer = %q
client_id = "trey"
client_secret = "the secret"
address = "http://localhost"
roles_claim = "groups"
[provider.roles]
"the dealers" = "dealer"
"the managers" = "shift-manager"
`, l.URL))
	in := func(v *visitor) *page {
		t.Helper()
		return v.send(http.MethodGet, v.goBy(t, l, "/sign-in/provider?back=%2Fconsole"), nil)
	}
	if got := visit(t, o).send(http.MethodGet, "/sign-in", nil); !strings.Contains(got.text, "Sign in with Grand Staff") {
		t.Errorf("the page does not offer it:\n%s", got.text)
	}

	l.setUser("7", "Dan", "the dealers", "the golf club")
	dan := visit(t, o)
	got := in(dan)
	if got.StatusCode != http.StatusOK || got.Header.Get("Refresh") != "0; url=/console" || got.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("a dealer: %s %v\n%s", got.Status, got.Header, o.logs)
	}
	if me := dan.send(http.MethodGet, "/api/v1/me", nil); !strings.Contains(me.text, `"name":"dan"`) || !strings.Contains(me.text, `"role":"dealer"`) {
		t.Errorf("the dealer is %s", me.text)
	}
	// The provider gives another role, which holds at once and ends the other session.
	l.setUser("7", "dan", "the managers")
	again := visit(t, o)
	if got := in(again); got.StatusCode != http.StatusOK {
		t.Fatalf("with another role: %s\n%s", got.Status, got.text)
	}
	if me := again.send(http.MethodGet, "/api/v1/me", nil); !strings.Contains(me.text, `"role":"shift-manager"`) {
		t.Errorf("the shift manager is %s", me.text)
	}
	if me := dan.send(http.MethodGet, "/api/v1/me", nil); me.StatusCode != http.StatusUnauthorized {
		t.Errorf("the session with the role from before: %s", me.text)
	}
	// Roles that are none here, or two, let nobody in; a role that is taken away ends sessions.
	for what, roles := range map[string][]string{"no role here": {"the golf club"}, "no role at all": nil, "two roles": {"the dealers", "the managers"}} {
		l.setUser("8", "eve", roles...)
		if got := in(visit(t, o)); got.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %s", what, got.Status)
		}
	}
	l.setUser("7", "dan")
	if got := in(visit(t, o)); got.StatusCode != http.StatusForbidden {
		t.Errorf("a role that was taken away: %s", got.Status)
	}
	if me := again.send(http.MethodGet, "/api/v1/me", nil); me.StatusCode != http.StatusUnauthorized {
		t.Errorf("a session after the role was taken away: %s", me.text)
	}
	// Nobody takes another's account over: neither one with a password nor one of another
	// person at the provider, and no name that is none.
	for what, person := range map[string][2]string{"the administrator of house.toml": {"9", "ada"}, "another person's name": {"10", "dan"}, "a guest": {"11", "guest-abc"}, "no name": {"12", ""}, "a name of two words": {"13", "dan b"}} {
		l.setUser(person[0], person[1], "the managers")
		if got := in(visit(t, o)); got.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %s", what, got.Status)
		}
	}

	l.setUser("7", "dan", "the dealers")
	refused := func(what string, got *page) {
		t.Helper()
		if got.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: %s", what, got.Status)
		}
		for _, c := range got.Cookies() {
			if c.Name == "trey" {
				t.Errorf("%s has a session", what)
			}
		}
	}
	for what, spoil := range map[string]func(map[string]any){
		"a token for another house":          func(c map[string]any) { c["aud"] = "another" },
		"a token of another provider":        func(c map[string]any) { c["iss"] = "https://evil.example" },
		"a token that has ended":             func(c map[string]any) { c["exp"] = time.Now().Add(-time.Hour).Unix() },
		"a token of another sign-in":         func(c map[string]any) { c["nonce"] = "another" },
		"a token of no sign-in":              func(c map[string]any) { delete(c, "nonce") },
		"a token that is signed by somebody": nil,
	} {
		l.mu.Lock()
		l.spoil, l.signs = spoil, l.key
		if spoil == nil {
			l.signs = newKey(t)
		}
		l.mu.Unlock()
		refused(what, in(visit(t, o)))
	}
	l.mu.Lock()
	l.spoil, l.signs = nil, l.key
	l.mu.Unlock()

	// Another browser brings the answer: it would be signed in as somebody it is not.
	mine, other := visit(t, o), visit(t, o)
	back := mine.goBy(t, l, "/sign-in/provider")
	other.goBy(t, l, "/sign-in/provider")
	refused("another browser's answer", other.send(http.MethodGet, back, nil))
	refused("the answer after another browser brought it", mine.send(http.MethodGet, back, nil))
	mine.goBy(t, l, "/sign-in/provider")
	refused("an answer of no sign-in", mine.send(http.MethodGet, "/sign-in/provider/done?state=made-up&code=x", nil))
	back = mine.goBy(t, l, "/sign-in/provider")
	refused("an answer with a made-up code", mine.send(http.MethodGet, strings.Replace(back, "code=code-", "code=made-up-", 1), nil))
	back = mine.goBy(t, l, "/sign-in/provider")
	if got := mine.send(http.MethodGet, back, nil); got.StatusCode != http.StatusOK {
		t.Errorf("after all of this: %s\n%s", got.Status, got.text)
	}
	refused("the same answer again", mine.send(http.MethodGet, back, nil))
	if got := mine.send(http.MethodGet, "/sign-in/provider?back=%2F%2Fevil.example", nil); got.StatusCode != http.StatusBadRequest {
		t.Errorf("a foreign way back: %s", got.Status)
	}
	// The subject is the person: under another name at the provider they have the account
	// that they had, and what holds for it.
	l.setUser("7", "daniel", "the dealers")
	renamed := visit(t, o)
	in(renamed)
	if me := renamed.send(http.MethodGet, "/api/v1/me", nil); !strings.Contains(me.text, `"name":"dan"`) {
		t.Errorf("under another name the dealer is %s", me.text)
	}
	l.setUser("14", "daniel", "the dealers")
	if got := in(visit(t, o)); got.StatusCode != http.StatusOK {
		t.Errorf("another person by that name: %s", got.Status)
	}
	// No password lets in somebody who comes by the provider, and nobody makes up a device
	// from which guesses would not be counted.
	waits := false
	for n := range 12 {
		guess := visit(t, o)
		nonce := bytes.Repeat([]byte{byte(n)}, 16)
		mac := hmac.New(sha256.New, nil)
		fmt.Fprintf(mac, "device of %q %x", "daniel", nonce)
		guess.client.Jar.SetCookies(&url.URL{Scheme: "http", Host: "localhost"}, []*http.Cookie{{
			Name: "trey-device", Value: base64.RawURLEncoding.EncodeToString(nonce) + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)),
		}})
		got := guess.send(http.MethodPost, "/sign-in", url.Values{"name": {"daniel"}, "password": {staffPassword}})
		waits = waits || got.StatusCode == http.StatusTooManyRequests
	}
	if !waits {
		t.Error("twelve guesses from made-up devices, and none had to wait")
	}
	if got := visit(t, o).send(http.MethodPost, "/sign-in", url.Values{"name": {"dan"}, "password": {staffPassword}}); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("by a password: %s", got.Status)
	}
	if err := o.stop(t); err != nil {
		t.Error(err)
	}
}

// TestAProviderThatDoesNotAnswer holds that a provider which takes its time holds up nobody
// but those who wait for it, and that they are told so and come in once it answers.
func TestAProviderThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	l := newLogin(t)
	asked, goOn := make(chan struct{}, 100), make(chan struct{})
	var away atomic.Bool
	away.Store(true)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if away.Load() {
			asked <- struct{}{}
			<-goOn
			http.Error(w, "not now", http.StatusServiceUnavailable)
			return
		}
		l.Config.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(slow.Close)
	l.URL = slow.URL
	l.setUser("7", "dan", "the dealers")
	o := startConfigured(t, staffText(t, "")+fmt.Sprintf(`
[provider]
name = "Grand Staff"
issuer = %q
client_id = "trey"
client_secret = "the secret"
address = "http://localhost"
roles_claim = "groups"
[provider.roles]
"the dealers" = "dealer"
`, slow.URL))
	waits := make(chan *page, 1)
	go func() { waits <- visit(t, o).send(http.MethodGet, "/sign-in/provider", nil) }()
	<-asked
	if got := visit(t, o).send(http.MethodGet, "/sign-in/provider/done?state=made-up&code=x", nil); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("an answer of no sign-in, meanwhile: %s", got.Status)
	}
	select {
	case <-waits:
		t.Error("the answer to one visitor came after that of another, who waits for the provider")
	default:
	}
	close(goOn)
	if got := <-waits; got.StatusCode != http.StatusServiceUnavailable || !strings.Contains(got.text, "does not answer") {
		t.Errorf("while the provider does not answer: %s\n%s", got.Status, got.text)
	}
	away.Store(false)
	dan := visit(t, o)
	if got := dan.send(http.MethodGet, dan.goBy(t, l, "/sign-in/provider"), nil); got.StatusCode != http.StatusOK {
		t.Errorf("once it answers: %s\n%s", got.Status, got.text)
	}
	if err := o.stop(t); err != nil {
		t.Error(err)
	}
}
