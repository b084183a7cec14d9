package api

import (
	"context"
	"net/http"
	"testing"

	"trey/internal/house/access"
	"trey/internal/house/identity"
)

// overtaken is a directory in which another request of the same key is carried out first.
type overtaken struct {
	Identity
	first func()
}

func (o overtaken) EndSessions(ctx context.Context, asked identity.ChangeRequest, name string) error {
	o.first()
	return o.Identity.EndSessions(ctx, asked, name)
}

// Of two requests with one key the second gets the answer of the first, also if the first is
// carried out while the second is. The second says then that it is a repeated answer.
func TestTheSecondOfTwoAtOnceIsReplayed(t *testing.T) {
	const key = "both"
	done := 0
	var s *site
	s = newSite(t, func(c *Config) {
		directory := c.Identity
		c.Identity = overtaken{directory, func() {
			if done++; done > 1 {
				return
			}
			o := identity.ChangeRequest{Key: key, By: staff["adm"], Why: "a test"}
			if err := directory.EndSessions(s.Context(), o, "mallory"); err != nil {
				t.Error(err)
			}
		}}
	})
	if _, err := s.people.AddUser(t.Context(), identity.ChangeRequest{By: staff["adm"], Why: "a test"}, "mallory", access.Player, "a long pass phrase"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		r := s.ask("adm", http.MethodDelete, "/api/v1/users/mallory/sessions?why=a+test", "", "Idempotency-Key", key)
		if r.StatusCode != http.StatusNoContent || r.Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("%s, replayed %q: %s", r.Status, r.Header.Get("Idempotency-Replayed"), r.text)
		}
	}
	if r := s.ask("adm", http.MethodDelete, "/api/v1/users/mallory/sessions?why=a+test", "", "Idempotency-Key", "another"); r.StatusCode != http.StatusNoContent || r.Header.Get("Idempotency-Replayed") != "" {
		t.Errorf("under another key: replayed %q", r.Header.Get("Idempotency-Replayed"))
	}
}
