package identity

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
)

// device is a device from which a user signed in before. A person at it has sign-in attempts of
// their own. A stranger who fails in the user's name, or at the same address, does not keep
// them out (OWASP calls this a device cookie). It is no sign-in: it takes the password all the
// same, and lasts until the password is changed.
type device struct{ nonce [16]byte }

func newDevice(random io.Reader) (*device, error) {
	d := new(device)
	if _, err := io.ReadFull(random, d.nonce[:]); err != nil {
		return nil, fmt.Errorf("no randomness for a device: %w", err)
	}
	return d, nil
}

// sum proves that the house gave a user this device. Its key is the hash of the user's
// password, which never leaves the house.
func (d *device) sum(u *user) []byte {
	mac := hmac.New(sha256.New, []byte(u.hash))
	fmt.Fprintf(mac, "device of %q %x", u.Name, d.nonce)
	return mac.Sum(nil)
}

// text returns the value of the device's cookie.
func (d *device) text(u *user) string {
	return base64.RawURLEncoding.EncodeToString(d.nonce[:]) + "." + base64.RawURLEncoding.EncodeToString(d.sum(u))
}

// key returns the key by which failed attempts at the device are counted, empty for no device.
func (d *device) key() string {
	if d == nil {
		return ""
	}
	return fmt.Sprintf("device %x", d.nonce)
}

// deviceOf returns the device of a user that a text is of, nil for any other.
func (p *Directory) deviceOf(name, text string) *device {
	first, second, ok := strings.Cut(text, ".")
	nonce, err := base64.RawURLEncoding.DecodeString(first)
	if !ok || err != nil || len(nonce) != len(device{}.nonce) {
		return nil
	}
	sum, err := base64.RawURLEncoding.DecodeString(second)
	if err != nil {
		return nil
	}
	d := &device{nonce: [16]byte(nonce)}
	p.mu.RLock()
	defer p.mu.RUnlock()
	// Without a password there is no key, and anybody could make the proof.
	if u := p.users[name]; u == nil || u.hash == "" || !hmac.Equal(sum, d.sum(u)) {
		return nil
	}
	return d
}
