package postgres

import (
	"context"
	"fmt"
)

// Weakness is a reason why the servers may lose what they have acknowledged, or why the
// house cannot know that they do not.
type Weakness uint8

// The weaknesses. The zero value is none of them.
const (
	_ Weakness = iota
	// CommitNotSynchronous: synchronous_commit is neither on nor remote_apply.
	CommitNotSynchronous
	// NoStandbyNamed: synchronous_standby_names is empty, so no other server is waited for.
	NoStandbyNamed
	// NoStandbyInSync: no server that follows confirms what is written.
	NoStandbyInSync
	// StandbysUnseen: servers follow, but this user may not see how.
	StandbysUnseen
	// NoFsync: fsync is off.
	NoFsync
	// NoFullPageWrites: full_page_writes is off.
	NoFullPageWrites
	numWeaknesses
)

var weaknesses = [numWeaknesses]string{
	CommitNotSynchronous: "synchronous_commit is neither on nor remote_apply: a failover can lose what was acknowledged",
	NoStandbyNamed:       "synchronous_standby_names is empty: no second server is waited for, and a failover can lose what was acknowledged",
	NoStandbyInSync:      "no standby is in sync: nothing more is confirmed until one is",
	StandbysUnseen:       "the state of the standbys cannot be seen: grant pg_monitor to the user of the house, or write standbys = \"vouched\" into house.toml",
	NoFsync:              "fsync is off: a power failure can lose or damage the record",
	NoFullPageWrites:     "full_page_writes is off: a power failure can damage the record",
}

// String says what it is, for the operator.
func (w Weakness) String() string {
	if w == 0 || w >= numWeaknesses {
		return fmt.Sprintf("weakness %d", uint8(w))
	}
	return weaknesses[w]
}

// Weaknesses returns the reasons why the servers may lose what they have acknowledged. If
// the operator vouches for the servers that follow, those are not asked about.
func (s *Store) Weaknesses(ctx context.Context, vouched bool) (found []Weakness, err error) {
	defer mean(&err)
	var commit, named, fsync, pages string
	var following, seen, inSync int
	err = s.db.QueryRowContext(ctx, `SELECT current_setting('synchronous_commit'), current_setting('synchronous_standby_names'),
		current_setting('fsync'), current_setting('full_page_writes'),
		(SELECT count(*) FROM pg_stat_replication), (SELECT count(sync_state) FROM pg_stat_replication),
		(SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum') AND state = 'streaming')`).
		Scan(&commit, &named, &fsync, &pages, &following, &seen, &inSync)
	if err != nil {
		return nil, unreachable(err)
	}
	for _, check := range []struct {
		weak     bool
		weakness Weakness
	}{
		{!synchronous(commit), CommitNotSynchronous},
		{!vouched && named == "", NoStandbyNamed},
		{!vouched && named != "" && inSync == 0 && seen == following, NoStandbyInSync},
		{!vouched && named != "" && inSync == 0 && seen < following, StandbysUnseen},
		{fsync != "on", NoFsync},
		{pages != "on", NoFullPageWrites},
	} {
		if check.weak {
			found = append(found, check.weakness)
		}
	}
	return found, nil
}

// synchronous reports whether a server with this setting waits for another.
func synchronous(commit string) bool { return commit == "on" || commit == "remote_apply" }
