package sealing

import (
	"encoding/base64"
	"fmt"
	"io"
	"strings"

	"golang.org/x/crypto/chacha20poly1305"

	"trey/internal/house/fair"
)

// SealText encrypts a secret that is not a seed, and binds it to what it is about. The
// text names the key.
func (k *Keys) SealText(about string, secret []byte) (string, error) {
	with := &k.all[0]
	nonce := make([]byte, chacha20poly1305.NonceSizeX)
	if _, err := io.ReadFull(k.random, nonce); err != nil {
		return "", fmt.Errorf("a secret cannot be sealed: %w", err)
	}
	text := with.aead.Seal(nonce, nonce, secret, matter(about))
	return with.name + ":" + base64.StdEncoding.EncodeToString(text), nil
}

// OpenText decrypts what SealText returned about the same. An error wraps
// [fair.ErrNoKey] if its key is not in the set, and otherwise [ErrAltered].
func (k *Keys) OpenText(about, sealed string) ([]byte, error) {
	name, text, _ := strings.Cut(sealed, ":")
	for i := range k.all {
		with := &k.all[i]
		if with.name != name {
			continue
		}
		sum, err := base64.StdEncoding.Strict().DecodeString(text)
		if err != nil || len(sum) < chacha20poly1305.NonceSizeX {
			return nil, ErrAltered
		}
		secret, err := with.aead.Open(nil, sum[:chacha20poly1305.NonceSizeX], sum[chacha20poly1305.NonceSizeX:], matter(about))
		if err != nil {
			return nil, ErrAltered
		}
		return secret, nil
	}
	return nil, fmt.Errorf("%w: it is called %s, and there are %s", fair.ErrNoKey, name, strings.Join(k.Names(), ", "))
}

// matter returns the subject to which a sealed secret is bound. No sealed seed is bound to the
// same.
func matter(about string) []byte { return fmt.Appendf(nil, "trey sealed secret 1\n%s\n", about) }

// SealText seals as [Keys.SealText] does, with the set in use.
func (r *Ring) SealText(about string, secret []byte) (string, error) {
	return r.Keys().SealText(about, secret)
}

// OpenText opens as [Keys.OpenText] does, with the set in use.
func (r *Ring) OpenText(about, sealed string) ([]byte, error) {
	return r.Keys().OpenText(about, sealed)
}
