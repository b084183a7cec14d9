package main

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"trey/internal/store/postgres"
)

// weakInterval is the time between two checks whether the database may lose what the house has
// acknowledged.
const weakInterval = 5 * time.Second

// durability says why the database may lose what it has acknowledged, as it was seen last.
type durability struct {
	found atomic.Pointer[[]postgres.Weakness]
}

// warnings returns the reasons in words.
func (d *durability) warnings() (all []string) {
	if found := d.found.Load(); found != nil {
		for _, one := range *found {
			all = append(all, one.String())
		}
	}
	return all
}

// warnings returns what the operator should see to although the house goes on.
func (s *site) warnings() []string {
	all := s.durability.warnings()
	if s.unsigned.Load() {
		all = append(all, "what is recorded cannot be signed, or its checkpoint not kept beside the key: the log says why")
	}
	return all
}

// watchDurability tells the operator why the database may lose what it has acknowledged:
// at the start, and whenever that changes. The house goes on: it is the operator who knows
// whether that is meant.
func (s *site) watchDurability(ctx context.Context, store *postgres.Store) {
	ticker := time.NewTicker(weakInterval)
	defer ticker.Stop()
	var before []postgres.Weakness
	for {
		found, err := store.Weaknesses(ctx, s.plan.StandbysVouched)
		if err == nil {
			s.durability.found.Store(&found)
			for _, one := range found {
				if !slices.Contains(before, one) {
					s.log.Warn("the database may lose what the house has acknowledged", "why", one.String())
				}
			}
			if len(found) == 0 && len(before) > 0 {
				s.log.Warn("the database keeps again what the house has acknowledged")
			}
			before = found
		} // else the house finds out by itself that the database is away
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
