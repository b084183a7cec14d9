// Package authenticator is a device with passkeys, in software and for tests. It answers a
// house's calls of navigator.credentials as the browser and the device would together. It is
// written from the texts of WebAuthn, CBOR and COSE and shares no code with what verifies its
// answers. It also answers what no honest browser would.
package authenticator

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
)

// Device is a device with passkeys. A test changes its fields to provoke errors.
type Device struct {
	// Counter is the signature counter of the next answer. It grows by one with each,
	// unless it is zero: such a device does not count.
	Counter uint32
	// Unverified says that the device does not check who uses it.
	Unverified bool
	// Challenge, unless it is empty, is answered in the place of the one asked.
	Challenge string
	// Again has Create hand out the first passkey once more.
	Again bool
	// Host, unless it is empty, is the one that the device binds its answer to.
	Host string

	keys []key
}

type key struct {
	id, handle []byte
	secret     *ecdsa.PrivateKey
}

// ErrNone: the device holds none of the passkeys that are asked for.
var ErrNone = errors.New("the device holds none of these passkeys")

var plain = base64.RawURLEncoding

// descriptor names a passkey in options.
type descriptor struct {
	ID string `json:"id"`
}

// Flags of authenticator data.
const (
	present  = 0x01
	verified = 0x04
	attested = 0x40
)

// Create makes a passkey by options for navigator.credentials.create, on a page of an
// origin.
func (d *Device) Create(options []byte, origin string) ([]byte, error) {
	var asked struct {
		Challenge string `json:"challenge"`
		RP        struct {
			ID string `json:"id"`
		} `json:"rp"`
		User struct {
			ID string `json:"id"`
		} `json:"user"`
	}
	if err := json.Unmarshal(options, &asked); err != nil {
		return nil, err
	}
	made, err := newKey()
	if err != nil {
		return nil, err
	}
	if d.Again {
		made = d.keys[0]
	}
	if made.handle, err = plain.DecodeString(asked.User.ID); err != nil {
		return nil, err
	}
	point, err := made.secret.PublicKey.Bytes() // 4, x and y
	if err != nil {
		return nil, err
	}
	// COSE: EC2 (1: 2), ES256 (3: -7), P-256 (-1: 1), x (-2) and y (-3).
	public := slices.Concat([]byte{0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 32}, point[1:33], []byte{0x22, 0x58, 32}, point[33:])
	data := d.data(asked.RP.ID, attested)
	data = append(data, make([]byte, 16)...) // it does not say of which make it is
	data = binary.BigEndian.AppendUint16(data, uint16(len(made.id)))
	data = slices.Concat(data, made.id, public)
	// CBOR: a map of fmt, attStmt, which is empty, and authData.
	object := slices.Concat([]byte{0xa3, 0x63}, []byte("fmt"), []byte{0x64}, []byte("none"), []byte{0x67}, []byte("attStmt"), []byte{0xa0, 0x68}, []byte("authData"), []byte{0x59})
	object = binary.BigEndian.AppendUint16(object, uint16(len(data)))
	client, err := d.client("webauthn.create", asked.Challenge, origin)
	if err != nil {
		return nil, err
	}
	d.keys = append(d.keys, made)
	return answer(made.id, map[string]any{
		"clientDataJSON": plain.EncodeToString(client), "attestationObject": plain.EncodeToString(append(object, data...)), "transports": []string{"internal"},
	})
}

func newKey() (made key, err error) {
	made.id = make([]byte, 32)
	if _, err = rand.Read(made.id); err == nil {
		made.secret, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	}
	return made, err
}

// Get answers options for navigator.credentials.get, on a page of an origin, by the first
// of its passkeys that is asked for.
func (d *Device) Get(options []byte, origin string) ([]byte, error) {
	var asked struct {
		Challenge string       `json:"challenge"`
		Host      string       `json:"rpId"`
		Allowed   []descriptor `json:"allowCredentials"`
	}
	if err := json.Unmarshal(options, &asked); err != nil {
		return nil, err
	}
	at := slices.IndexFunc(d.keys, func(k key) bool {
		return slices.Contains(asked.Allowed, descriptor{plain.EncodeToString(k.id)})
	})
	if at < 0 {
		return nil, ErrNone
	}
	return d.sign(&d.keys[at], &d.keys[at], asked.Challenge, asked.Host, origin)
}

// Force answers options as Get does, by its own first passkey whether it is asked for or
// not. It says that this is the passkey that another device would use, if there is one.
func (d *Device) Force(options []byte, origin string, as *Device) ([]byte, error) {
	var asked struct {
		Challenge string `json:"challenge"`
		Host      string `json:"rpId"`
	}
	if err := json.Unmarshal(options, &asked); err != nil {
		return nil, err
	}
	said := &d.keys[0]
	if as != nil {
		said = &as.keys[0]
	}
	return d.sign(&d.keys[0], said, asked.Challenge, asked.Host, origin)
}

func (d *Device) sign(with, said *key, challenge, host, origin string) ([]byte, error) {
	data := d.data(host, 0)
	client, err := d.client("webauthn.get", challenge, origin)
	if err != nil {
		return nil, err
	}
	hash := sha256.Sum256(client)
	sum := sha256.Sum256(append(slices.Clone(data), hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, with.secret, sum[:])
	if err != nil {
		return nil, err
	}
	return answer(said.id, map[string]any{
		"clientDataJSON": plain.EncodeToString(client), "authenticatorData": plain.EncodeToString(data),
		"signature": plain.EncodeToString(signature), "userHandle": plain.EncodeToString(said.handle),
	})
}

// data returns authenticator data: the hash of the host, flags and the counter.
func (d *Device) data(host string, flags byte) []byte {
	if d.Host != "" {
		host = d.Host
	}
	hash := sha256.Sum256([]byte(host))
	flags |= present
	if !d.Unverified {
		flags |= verified
	}
	data := binary.BigEndian.AppendUint32(append(hash[:], flags), d.Counter)
	if d.Counter > 0 {
		d.Counter++
	}
	return data
}

// client returns the browser's statement about the page.
func (d *Device) client(kind, challenge, origin string) ([]byte, error) {
	if d.Challenge != "" {
		challenge = d.Challenge
	}
	return json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": origin, "crossOrigin": false})
}

func answer(id []byte, response map[string]any) ([]byte, error) {
	text := plain.EncodeToString(id)
	return json.Marshal(map[string]any{"id": text, "rawId": text, "type": "public-key", "clientExtensionResults": map[string]any{}, "response": response})
}
