package provider

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestWhoeverBeginsManyKeepsNobodyOut holds that a flood of sign-ins that nobody ends keeps
// the next one from beginning as little as those that began shortly before.
func TestWhoeverBeginsManyKeepsNobodyOut(t *testing.T) {
	var at string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{ //nolint:errcheck // the test finds out
			"issuer": at, "authorization_endpoint": at + "/authorize", "token_endpoint": at + "/token", "jwks_uri": at + "/keys",
			"id_token_signing_alg_values_supported": []string{"ES256"}, "response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
		})
	}))
	t.Cleanup(server.Close)
	at = server.URL
	var nowMs int64 = 1_000_000
	p := New(Config{Issuer: at, ID: "trey", Redirect: "http://localhost/done", NowMs: func() int64 { return nowMs }})
	begin := func() (state string) {
		t.Helper()
		_, state, err := p.Begin(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		return state
	}
	// known reports whether the state is of a sign-in that is under way: without a code it is
	// refused as the provider's answer and not as somebody else's.
	known := func(state string) bool {
		_, err := p.Finish(t.Context(), state, state, "")
		return errors.Is(err, ErrRefused)
	}
	first := begin()
	for range maxAttempts + 100 {
		begin()
	}
	ours := begin()
	for range maxAttempts / 2 {
		begin()
	}
	if known(first) || !known(ours) {
		t.Error("not the oldest sign-ins made room")
	}
	if len(p.attempts) > maxAttempts || len(p.begun) > maxAttempts {
		t.Errorf("%d attempts and %d states are kept", len(p.attempts), len(p.begun))
	}
	nowMs += attemptMs
	begin()
	if len(p.attempts) != 1 || len(p.begun) != 1 {
		t.Errorf("%d attempts and %d states are kept after the time of all is over", len(p.attempts), len(p.begun))
	}
}
