package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"trey/internal/house/identity/authenticator"
)

const staffPassword = "correct horse battery staple"

// staffText is a house.toml of a house with an administrator, and lines before it.
func staffText(t *testing.T, lines ...string) string {
	t.Helper()
	hash := hashOf(t, staffPassword)
	return houseText(lines...) + "[users.ada]\nrole = \"administrator\"\npassword = \"" + hash + "\"\n"
}

// codeNow is the code of a secret by RFC 4226 and RFC 6238.
func codeNow(t *testing.T, secret string) string {
	t.Helper()
	key, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secret)
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha1.New, key)
	binary.Write(mac, binary.BigEndian, uint64(time.Now().Unix()/30)) //nolint:errcheck // a hash takes everything
	sum := mac.Sum(nil)
	return fmt.Sprintf("%06d", (binary.BigEndian.Uint32(sum[sum[19]&15:])&0x7fffffff)%1_000_000)
}

// visitor is a browser without a window.
type visitor struct {
	*testing.T
	address string
	client  *http.Client
}

func visit(t *testing.T, o *opened) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{t, o.address, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// page is an answer that was read.
type page struct {
	*http.Response
	text string
}

// field is the value of a hidden field.
func (p *page) field(name string) string {
	found := regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).FindStringSubmatch(p.text)
	if found == nil {
		return ""
	}
	return html.UnescapeString(found[1])
}

// secret is the secret that the page shows for an app, empty for none.
func (p *page) secret() string {
	found := regexp.MustCompile(`<code>([A-Z2-7 ]{39})</code>`).FindStringSubmatch(p.text)
	if found == nil {
		return ""
	}
	return strings.ReplaceAll(found[1], " ", "")
}

// options are those of the page for navigator.credentials, nil for none.
func (p *page) options(by string) []byte {
	found := regexp.MustCompile(`data-passkey="` + by + `" data-options="([^"]*)"`).FindStringSubmatch(p.text)
	if found == nil {
		return nil
	}
	return []byte(html.UnescapeString(found[1]))
}

func (v *visitor) send(method, path string, form url.Values) *page {
	v.Helper()
	r, err := http.NewRequestWithContext(v.Context(), method, v.address+path, strings.NewReader(form.Encode()))
	if err != nil {
		v.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if method == http.MethodPost {
		r.Header.Set("Origin", v.address)
	}
	answer, err := v.client.Do(r)
	if err != nil {
		v.Fatal(err)
	}
	defer answer.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		v.Fatal(err)
	}
	return &page{answer, string(text)}
}

// An administrator sets a second factor up on the page at the first sign-in, and comes in
// by none but both from then on. The bytes of the record hold the secret nowhere.
func TestSecondFactorOnThePage(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	config := filepath.Join(folder, "house.toml")
	if err := os.WriteFile(config, []byte(staffText(t, `second_factor = ["administrator"]`)), 0o600); err != nil {
		t.Fatal(err)
	}
	o := start(t, serveCommand{Config: config})
	ada := visit(t, o)
	in := url.Values{"name": {"ada"}, "password": {staffPassword}, "back": {"/console"}}
	first := ada.send(http.MethodPost, "/sign-in", in)
	secret := first.secret()
	if first.StatusCode != http.StatusOK || secret == "" || !strings.Contains(first.text, `class="qr"`) || first.Header.Get("Cache-Control") != "no-store" || len(first.Cookies()) != 0 {
		t.Fatalf("the first sign-in: %s, %v\n%s", first.Status, first.Header, first.text)
	}
	if got := ada.send(http.MethodGet, "/console", nil); got.StatusCode != http.StatusSeeOther {
		t.Errorf("the console by a password alone: %s", got.Status)
	}
	second := url.Values{"ticket": {first.field("ticket")}, "back": {"/console"}, "code": {"abcdef"}}
	if got := ada.send(http.MethodPost, "/sign-in/second", second); got.StatusCode != http.StatusUnauthorized || got.secret() != secret {
		t.Errorf("a wrong code: %s\n%s", got.Status, got.text)
	}
	second.Set("code", codeNow(t, secret))
	enrolled := ada.send(http.MethodPost, "/sign-in/second", second)
	codes := regexp.MustCompile(`<code>([a-z2-7-]{19})</code>`).FindAllStringSubmatch(enrolled.text, -1)
	if enrolled.StatusCode != http.StatusOK || len(codes) != 10 || enrolled.Header.Get("Cache-Control") != "no-store" || !strings.Contains(enrolled.text, `href="/console"`) {
		t.Fatalf("enrolled: %s\n%s", enrolled.Status, enrolled.text)
	}
	if got := ada.send(http.MethodGet, "/console", nil); got.StatusCode != http.StatusOK {
		t.Errorf("the console after both: %s", got.Status)
	}
	for _, end := range []string{"", "-wal"} {
		text, err := os.ReadFile(filepath.Join(folder, "house.db") + end)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secret)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte(secret)) || bytes.Contains(text, raw) || bytes.Contains(text, []byte(codes[0][1])) {
			t.Errorf("house.db%s holds a secret", end)
		}
	}
	if err := o.stop(t); err != nil {
		t.Error(err)
	}

	o = start(t, serveCommand{Config: config})
	ada = visit(t, o)
	next := ada.send(http.MethodPost, "/sign-in", in)
	if next.field("ticket") == "" || next.secret() != "" {
		t.Fatalf("the next sign-in: %s\n%s", next.Status, next.text)
	}
	// The device is lost: a recovery code leads to another factor.
	renewed := ada.send(http.MethodPost, "/sign-in/second", url.Values{"ticket": {next.field("ticket")}, "code": {codes[7][1]}})
	if again := renewed.secret(); renewed.StatusCode != http.StatusOK || again == "" || again == secret {
		t.Fatalf("a recovery code: %s\n%s", renewed.Status, renewed.text)
	}
	if err := o.stop(t); err != nil {
		t.Error(err)
	}
}

// A passkey lets in where a house.toml says that its role takes a second factor: by the
// name under which the house is reached, after a stop of the house too, and at no IP
// address. The record that holds it holds without the seal keys.
func TestPasskeyOfARunningHouse(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	config := filepath.Join(folder, "house.toml")
	if err := os.WriteFile(config, []byte(staffText(t, `second_factor = ["administrator"]`)), 0o600); err != nil {
		t.Fatal(err)
	}
	in := url.Values{"name": {"ada"}, "password": {staffPassword}}
	var device authenticator.Device
	named := func(o *opened) *visitor {
		t.Helper()
		ada := visit(t, o)
		ada.address = strings.Replace(o.address, "127.0.0.1", "localhost", 1)
		return ada
	}
	o := start(t, serveCommand{Config: config})
	if first := visit(t, o).send(http.MethodPost, "/sign-in", in); first.secret() == "" || first.options("create") != nil {
		t.Errorf("a passkey is offered at %s", o.address)
	}
	ada := named(o)
	first := ada.send(http.MethodPost, "/sign-in", in)
	made, err := device.Create(first.options("create"), ada.address)
	if err != nil {
		t.Fatal(err)
	}
	enrolled := ada.send(http.MethodPost, "/sign-in/second", url.Values{"ticket": {first.field("ticket")}, "passkey": {string(made)}, "label": {"the laptop"}})
	if enrolled.StatusCode != http.StatusOK || !strings.Contains(enrolled.text, `class="codes"`) || ada.send(http.MethodGet, "/console", nil).StatusCode != http.StatusOK {
		t.Fatalf("enrolled: %s\n%s", enrolled.Status, enrolled.text)
	}
	if err := o.stop(t); err != nil {
		t.Error(err)
	}

	// The house listens elsewhere now. Passkeys are bound to its name, not to its port.
	o = start(t, serveCommand{Config: config})
	ada = named(o)
	for origin, status := range map[string]int{"https://grand-casino.example": http.StatusUnauthorized, ada.address: http.StatusSeeOther} {
		next := ada.send(http.MethodPost, "/sign-in", in)
		if next.secret() != "" {
			t.Fatalf("the password alone leads to another factor:\n%s", next.text)
		}
		made, err := device.Get(next.options("get"), origin)
		if err != nil {
			t.Fatal(err)
		}
		if got := ada.send(http.MethodPost, "/sign-in/second", url.Values{"ticket": {next.field("ticket")}, "passkey": {string(made)}}); got.StatusCode != status {
			t.Errorf("by an answer for %s: %s\n%s", origin, got.Status, got.text)
		}
	}
	if err := o.stop(t); err != nil {
		t.Error(err)
	}
}
