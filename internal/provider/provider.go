// Package provider lets people in by the operator's own identity provider, by OpenID
// Connect: who they are and which role they have are claims that the provider signs.
//
// It keeps nothing but the sign-ins that are under way, in memory, and records nothing:
// what follows from the claims is for package identity.
package provider

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"trey/internal/house/access"
)

// Config holds the operator's settings for the provider.
type Config struct {
	// Issuer is the provider's address, ID and Secret are those of the house there.
	Issuer, ID, Secret string
	// Redirect is the address of the house to which the provider sends people back.
	Redirect string
	// NameClaim holds a person's name and RolesClaim their roles or groups, a text or a
	// list of texts. Roles says which of them is which role here.
	NameClaim, RolesClaim string
	Roles                 map[string]access.Role
	// NowMs is the house's clock.
	NowMs func() int64
}

// The errors of the package.
var (
	// ErrAttempt: the sign-in that an answer belongs to is not known, over, or another
	// browser's.
	ErrAttempt = errors.New("this sign-in was not begun here, or took too long: begin again")
	// ErrRefused: the provider let nobody in, or its answer does not hold.
	ErrRefused = errors.New("the identity provider refused the sign-in")
	// ErrAway: the provider does not answer.
	ErrAway = errors.New("the identity provider does not answer: try again, or sign in with a password of the house")
	// ErrNoRole: the provider's claims have no role here, or several.
	ErrNoRole = errors.New("the identity provider names no role of this house for this person, or several: ask its administrator")
)

// Claims identify a person by the provider's statement.
type Claims struct {
	// Subject names the person at the provider for good.
	Subject, Name string
	Role          access.Role
	// Back is what [Provider.Begin] was given.
	Back string
}

// attemptMs bounds the time of a sign-in at the provider, and maxAttempts the number
// under way. The next one takes the place of the oldest, so that whoever begins many
// keeps nobody out who comes back soon.
const (
	attemptMs   = 10 * 60 * 1000
	maxAttempts = 10_000
)

type attempt struct {
	nonce, verifier, back string
	endsMs                int64
}

// Provider is the identity provider of a house. It is safe for use by many goroutines.
type Provider struct {
	config Config

	// discovery has all who come while the provider is being asked wait for one answer.
	discovery singleflight.Group

	mu       sync.Mutex
	found    *oidc.Provider
	attempts map[string]attempt // by their state
	begun    []string           // the states, the oldest first, also of attempts that are over
}

// New returns a provider. It is asked for its addresses and keys when the first person
// comes, so that a house opens also while its provider does not answer.
func New(c Config) *Provider { return &Provider{config: c, attempts: map[string]attempt{}} }

// discover returns the provider's addresses and keys, or an error that wraps [ErrAway].
func (p *Provider) discover(ctx context.Context) (*oidc.Provider, error) {
	p.mu.Lock()
	known := p.found
	p.mu.Unlock()
	if known != nil {
		return known, nil
	}
	asked := p.discovery.DoChan("", func() (any, error) {
		// The keys are fetched again by this context when the provider rotates them.
		found, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), client), p.config.Issuer)
		if err != nil {
			return nil, err
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.found = found
		return found, nil
	})
	select {
	case answer := <-asked:
		found, ok := answer.Val.(*oidc.Provider)
		if !ok {
			return nil, fmt.Errorf("%w: %w", ErrAway, answer.Err)
		}
		return found, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", ErrAway, ctx.Err())
	}
}

// client waits for the provider for so long and no longer.
var client = &http.Client{Timeout: 10 * time.Second}

// application returns the configuration with which the house is registered at the provider.
func (p *Provider) application(found *oidc.Provider) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.config.ID, ClientSecret: p.config.Secret, Endpoint: found.Endpoint(),
		RedirectURL: p.config.Redirect, Scopes: []string{oidc.ScopeOpenID, "profile"},
	}
}

func random() string {
	var b [32]byte
	rand.Read(b[:]) //nolint:errcheck // it never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// Begin begins a sign-in. It returns the address of the provider to send the person to,
// and the state, which their browser keeps until they come back.
func (p *Provider) Begin(ctx context.Context, back string) (to, state string, err error) {
	found, err := p.discover(ctx)
	if err != nil {
		return "", "", err
	}
	nowMs := p.config.NowMs()
	one := attempt{nonce: random(), verifier: oauth2.GenerateVerifier(), back: back, endsMs: nowMs + attemptMs}
	state = random()
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.begun) > 0 && (len(p.begun) >= maxAttempts || p.attempts[p.begun[0]].endsMs <= nowMs) {
		delete(p.attempts, p.begun[0])
		p.begun = p.begun[1:]
	}
	p.attempts[state], p.begun = one, append(p.begun, state)
	return p.application(found).AuthCodeURL(state, oidc.Nonce(one.nonce), oauth2.S256ChallengeOption(one.verifier)), state, nil
}

// Finish ends a sign-in with what the provider sent along with the person. Kept is the
// state that their browser kept: an answer to another browser's sign-in lets nobody in.
func (p *Provider) Finish(ctx context.Context, kept, state, code string) (Claims, error) {
	p.mu.Lock()
	one, ok := p.attempts[state]
	delete(p.attempts, state)
	p.mu.Unlock()
	if !ok || one.endsMs <= p.config.NowMs() || subtle.ConstantTimeCompare([]byte(kept), []byte(state)) != 1 {
		return Claims{}, ErrAttempt
	}
	if code == "" {
		return Claims{}, ErrRefused
	}
	found, err := p.discover(ctx)
	if err != nil {
		return Claims{}, err
	}
	ctx = oidc.ClientContext(ctx, client)
	answer, err := p.application(found).Exchange(ctx, code, oauth2.VerifierOption(one.verifier))
	if err != nil {
		return Claims{}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	text, ok := answer.Extra("id_token").(string)
	if !ok {
		return Claims{}, fmt.Errorf("%w: its answer has no identity token", ErrRefused)
	}
	token, err := found.Verifier(&oidc.Config{ClientID: p.config.ID}).Verify(ctx, text)
	if err != nil {
		return Claims{}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(one.nonce)) != 1 {
		return Claims{}, fmt.Errorf("%w: its answer is to another sign-in", ErrRefused)
	}
	claims := map[string]any{}
	if err := token.Claims(&claims); err != nil {
		return Claims{}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	name, _ := claims[p.config.NameClaim].(string)
	role, err := p.role(claims[p.config.RolesClaim])
	return Claims{Subject: token.Issuer + " " + token.Subject, Name: strings.ToLower(name), Role: role, Back: one.back}, err
}

// role returns the one role of this house to which a claim is mapped.
func (p *Provider) role(claim any) (access.Role, error) {
	var texts []any
	switch c := claim.(type) {
	case string:
		texts = []any{c}
	case []any:
		texts = c
	}
	var roles []access.Role
	for _, one := range texts {
		text, _ := one.(string)
		if role, ok := p.config.Roles[text]; ok && !slices.Contains(roles, role) {
			roles = append(roles, role)
		}
	}
	if len(roles) != 1 {
		return 0, ErrNoRole
	}
	return roles[0], nil
}
