package notary

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"trey/internal/durable"
)

// A statement is a signed note that is no checkpoint. Its first line is the name of the
// tree with the purpose behind it, and so is the name under which it is signed. The key
// is the same: what keeps the two apart is the first line, because a checkpoint's is the
// name of the tree alone.

// SignStatement signs lines for a purpose, such as "significant". They end with a line feed.
func (n *Notary) SignStatement(purpose, lines string) ([]byte, error) {
	verifier, err := statementVerifier(n.verifier, purpose)
	if err != nil {
		return nil, err
	}
	return note.Sign(&note.Note{Text: verifier.Name() + "\n" + lines}, renamed{n.signer, verifier})
}

// ReadStatement returns the name of the tree and the lines of a statement that one of the
// keys signed for a purpose. A key is a line as [Notary.Verifier] returns it.
func ReadStatement(text []byte, purpose string, keys ...string) (name, lines string, err error) {
	var known []note.Verifier
	for _, key := range keys {
		v, err := statementVerifier(key, purpose)
		if err != nil {
			return "", "", err
		}
		known = append(known, v)
	}
	opened, err := note.Open(text, note.VerifierList(known...))
	if err != nil {
		return "", "", fmt.Errorf("it is not signed by a key that is known: %w", err)
	}
	first, lines, _ := strings.Cut(opened.Text, "\n")
	if first != opened.Sigs[0].Name {
		return "", "", fmt.Errorf("it begins with %q and is signed by %s", first, opened.Sigs[0].Name)
	}
	return strings.TrimSuffix(first, "/"+purpose), lines, nil
}

// renamed signs with a key under another name.
type renamed struct {
	note.Signer
	as note.Verifier
}

func (r renamed) Name() string    { return r.as.Name() }
func (r renamed) KeyHash() uint32 { return r.as.KeyHash() }

// statementVerifier returns the verifier of the statements of a key for a purpose.
func statementVerifier(key, purpose string) (note.Verifier, error) {
	v, err := note.NewVerifier(key)
	if err != nil {
		return nil, fmt.Errorf("the key %q cannot be read: %w", key, err)
	}
	// name+number+key: NewVerifier has seen that each is there.
	public, err := base64.StdEncoding.DecodeString(strings.SplitN(key, "+", 3)[2])
	if err != nil {
		return nil, err
	}
	const algorithm = 1 // one byte before the key itself says which it is: NewVerifier knows Ed25519 alone
	line, err := note.NewEd25519VerifierKey(v.Name()+"/"+purpose, public[algorithm:])
	if err != nil {
		return nil, err
	}
	return note.NewVerifier(line)
}

// Keep puts a file beside the key, in the place of the one before: whole or not at all.
func (n *Notary) Keep(file string, text []byte) error {
	return durable.Write(n.path(file), text, 0o600)
}

// Kept returns a file that [Notary.Keep] wrote, nil where there is none.
func (n *Notary) Kept(file string) ([]byte, error) {
	text, err := os.ReadFile(n.path(file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}
