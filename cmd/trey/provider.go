package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"trey/internal/house/plan"
	"trey/internal/provider"
	"trey/internal/web/signin"
)

// identityProvider joins the operator's identity provider to the page.
type identityProvider struct {
	*provider.Provider
	log *slog.Logger
}

// providerOf returns the identity provider of a plan, nil for none.
func providerOf(p *plan.Plan, nowMs func() int64, log *slog.Logger) signin.Provider {
	if p.Provider.Issuer == "" {
		return nil
	}
	return &identityProvider{provider.New(provider.Config{
		Issuer: p.Provider.Issuer, ID: p.Provider.ID, Secret: p.Provider.Secret, Redirect: p.Provider.Address + signin.ProviderPath,
		NameClaim: p.Provider.NameClaim, RolesClaim: p.Provider.RolesClaim, Roles: p.Provider.Roles, NowMs: nowMs,
	}), log}
}

// Begin implements [signin.Provider].
func (i *identityProvider) Begin(ctx context.Context, back string) (to, state string, err error) {
	to, state, err = i.Provider.Begin(ctx, back)
	return to, state, i.away(err)
}

// away logs why the provider does not answer, and returns the error that the page shows for it.
func (i *identityProvider) away(err error) error {
	if !errors.Is(err, provider.ErrAway) {
		return err
	}
	i.log.Warn("nobody can sign in by the identity provider", "why", err)
	return fmt.Errorf("%w: %w", signin.ErrProviderAway, err)
}

// Finish implements [signin.Provider]. It logs why the provider let nobody in.
func (i *identityProvider) Finish(ctx context.Context, kept, state, code string) (external signin.External, back string, err error) {
	c, err := i.Provider.Finish(ctx, kept, state, code)
	switch {
	case errors.Is(err, provider.ErrAttempt), errors.Is(err, provider.ErrRefused):
		i.log.Warn("a sign-in by the identity provider failed", "why", err)
		return external, "", fmt.Errorf("%w: %w", signin.ErrProvider, err)
	case errors.Is(err, provider.ErrNoRole):
		i.log.Warn("a sign-in by the identity provider failed", "name", c.Name, "why", err)
	case err != nil:
		return external, "", i.away(err)
	}
	return signin.External{Subject: c.Subject, Name: c.Name, Role: c.Role}, c.Back, nil
}
