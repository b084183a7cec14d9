package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"trey/internal/house/plan"
	"trey/internal/provider"
	"trey/internal/web/entry"
)

// identityProvider joins the operator's identity provider to the page.
type identityProvider struct {
	*provider.Provider
	log *slog.Logger
}

// providerOf returns the identity provider of a plan, nil for none.
func providerOf(p *plan.Plan, nowMs func() int64, log *slog.Logger) entry.Provider {
	if p.Provider.Issuer == "" {
		return nil
	}
	return &identityProvider{provider.New(provider.Config{
		Issuer: p.Provider.Issuer, ID: p.Provider.ID, Secret: p.Provider.Secret, Redirect: p.Provider.Address + entry.ProviderPath,
		NameClaim: p.Provider.NameClaim, RolesClaim: p.Provider.RolesClaim, Roles: p.Provider.Roles, NowMs: nowMs,
	}), log}
}

// Finish is [entry.Provider.Finish]. Why the provider let nobody in is for the log.
func (i *identityProvider) Finish(ctx context.Context, kept, state, code string) (who entry.External, back string, err error) {
	c, err := i.Provider.Finish(ctx, kept, state, code)
	switch {
	case errors.Is(err, provider.ErrAttempt), errors.Is(err, provider.ErrRefused):
		i.log.Warn("a sign-in by the identity provider failed", "why", err)
		return who, "", fmt.Errorf("%w: %w", entry.ErrProvider, err)
	case errors.Is(err, provider.ErrNoRole):
		i.log.Warn("a sign-in by the identity provider failed", "name", c.Name, "why", err)
	case err != nil:
		return who, "", err
	}
	return entry.External{Subject: c.Subject, Name: c.Name, Role: c.Role}, c.Back, nil
}
