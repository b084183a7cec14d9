package notary

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"trey/internal/durable"
	"trey/internal/tree"
)

// ErrRefused is wrapped where a witness says that the record does not go on from what
// it has seen of it: the house has shown two histories, or its record was put back.
var ErrRefused = errors.New("a witness does not cosign the record, because it does not go on from what it saw of it before")

// Peer is a witness that a house asks for cosignatures (c2sp.org/tlog-witness). It is
// used by one goroutine.
type Peer struct {
	name, url string
	verifier  note.Verifier
	client    *http.Client
	// size is that of the checkpoint that it cosigned last, as far as is known.
	size int64
}

// NewPeer returns a witness by its name, the prefix of its address, and the line that
// verifies its cosignatures.
func NewPeer(name, url, key string, client *http.Client) (*Peer, error) {
	v, err := tree.ParseCosignatureVerifier(key)
	if err != nil {
		return nil, err
	}
	return &Peer{name: name, url: strings.TrimSuffix(url, "/"), verifier: v, client: client}, nil
}

// Name returns the name of the witness in the configuration of the house.
func (p *Peer) Name() string { return p.name }

// Ask has a witness cosign the last checkpoint, if it has not yet. An error wraps
// [ErrRefused] where the witness has seen another record; any other error means that it
// did not answer, or has no key of the house.
func (n *Notary) Ask(ctx context.Context, p *Peer) error {
	c := n.Last()
	if c.Size <= p.size {
		return nil
	}
	// The second time it is asked with the size that it has named itself.
	for range 2 {
		status, answer, err := n.send(ctx, p, c)
		switch {
		case err != nil:
			return fmt.Errorf("the witness %s cannot be asked: %w", p.name, err)
		case status == http.StatusOK:
			return n.take(p, c, answer)
		case status == http.StatusUnprocessableEntity:
			return fmt.Errorf("%w: %s, from %d to %d leaves: %.200q", ErrRefused, p.name, p.size, c.Size, answer)
		case status != http.StatusConflict:
			return fmt.Errorf("the witness %s answers %d: %.200q", p.name, status, answer)
		}
		size, err := strconv.ParseInt(strings.TrimSuffix(string(answer), "\n"), 10, 64)
		if err != nil || size < 0 {
			return fmt.Errorf("the witness %s answers with the size %.40q", p.name, answer)
		}
		if size > c.Size {
			return fmt.Errorf("%w: %s has cosigned %d leaves, and the record has %d", ErrRefused, p.name, size, c.Size)
		}
		p.size = size
	}
	return fmt.Errorf("the witness %s names another size each time", p.name)
}

// send sends a checkpoint with the proof that it goes on from the last one that the
// witness has seen.
func (n *Notary) send(ctx context.Context, p *Peer, c Checkpoint) (status int, answer []byte, err error) {
	body := fmt.Appendf(nil, "old %d\n", p.size)
	if p.size > 0 {
		proof, err := tree.NodesOf(ctx, n.record).Consistency(p.size, c.Size)
		if err != nil {
			return 0, nil, err
		}
		for _, h := range proof {
			body = append(append(body, base64.StdEncoding.EncodeToString(h[:])...), '\n')
		}
	}
	body = append(append(body, '\n'), c.Note...)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url+"/add-checkpoint", bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "text/plain; charset=utf-8")
	response, err := p.client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close() //nolint:errcheck // it has been read
	const most = 16 << 10
	answer, err = io.ReadAll(io.LimitReader(response.Body, most))
	return response.StatusCode, answer, err
}

// take keeps the cosignature of a checkpoint that a witness has sent.
func (n *Notary) take(p *Peer, c Checkpoint, lines []byte) error {
	text, _, _ := strings.Cut(string(c.Note), "\n\n")
	opened, err := note.Open(append([]byte(text+"\n\n"), lines...), note.VerifierList(p.verifier))
	if err != nil {
		return fmt.Errorf("the witness %s answers with what is not its cosignature: %w", p.name, err)
	}
	p.size = c.Size
	return n.cosigned(c, opened.Sigs[0], p.verifier)
}

// cosigned adds a cosignature to a checkpoint, unless it has one by the same key, and keeps the
// newest checkpoint that has any.
func (n *Notary) cosigned(c Checkpoint, s note.Signature, by note.Verifier) error {
	line := "\u2014 " + s.Name + " " + s.Base64 + "\n"
	n.keeping.Lock()
	defer n.keeping.Unlock()
	with, newest := c, n.Witnessed()
	if newest.Size == c.Size {
		with = newest
	}
	if _, err := note.Open(with.Note, note.VerifierList(by)); err != nil {
		with.Note = append(bytes.Clone(with.Note), line...)
	}
	if with.Size < newest.Size {
		return nil // another witness has seen more since
	}
	if err := durable.Write(n.path(witnessedFile), with.Note, 0o644); err != nil {
		return fmt.Errorf("keep the cosignature of %s: %w", s.Name, err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.witnessed = with
	if n.last.Size == with.Size {
		n.last.Note = with.Note
	}
	return nil
}

// Witnessed returns the newest checkpoint that a witness has cosigned, with all of its
// cosignatures; without a note there is none.
func (n *Notary) Witnessed() Checkpoint {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.witnessed
}
