package postgres

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"trey/internal/house/machines"
)

// announceInterval is the time between two announcements of the writer. A door announces
// itself with each proof that its server counts.
const announceInterval = time.Second

// announcement writes the row of a machine. Its parameters are those of
// [Options.announcement]. What the program reads is long and stays, so it is not written again.
const announcement = `INSERT INTO machine (address, node, version, reads, door_only, writer, seq, behind, behind_ms, at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, clock_timestamp())
	ON CONFLICT (address) DO UPDATE SET node = excluded.node, version = excluded.version,
	reads = CASE WHEN machine.reads = excluded.reads THEN machine.reads ELSE excluded.reads END, door_only = excluded.door_only,
	writer = excluded.writer, seq = excluded.seq, behind = excluded.behind, behind_ms = excluded.behind_ms, at = excluded.at`

// beat writes the row of a door, in a commit that is on another server whatever the server
// is set to.
const beat = "WITH said AS (" + announcement + ` RETURNING 1)
	SELECT set_config('synchronous_commit', 'on', true) FROM said`

// announcement returns what a process says of itself.
func (o *Options) announcement(writer bool, seq, behind int64, since time.Time) ([]any, error) {
	reads, err := json.Marshal(o.Reads)
	if err != nil {
		return nil, err
	}
	doorOnly := ""
	if o.DoorOnly != nil {
		doorOnly = o.DoorOnly()
	}
	behindMs := int64(0)
	if since.UnixMilli() > 0 {
		behindMs = time.Since(since).Milliseconds()
	}
	return []any{o.Address, o.Node, o.Version, string(reads), doorOnly, writer, seq, behind, behindMs}, nil
}

// announce says once a second that this process is the writer, and deletes the rows of machines
// that are gone for long. Nothing waits for it and nothing of the record depends on it, so it waits
// for no other server. Where the tables wait for a machine, it brings them up later.
func (s *Store) announce(ctx context.Context, o *Options, waits bool) {
	ticker := time.NewTicker(announceInterval)
	defer ticker.Stop()
	for {
		said, err := o.announcement(true, s.Head().Size-1, 0, s.ConfirmedAt())
		if err == nil {
			// What cannot be said now is said with the next one.
			_, _ = s.pool.ExecContext(context.WithoutCancel(ctx), "WITH said AS ("+announcement+` RETURNING 1), forgotten AS (
				DELETE FROM machine WHERE at < clock_timestamp() - make_interval(days => $10::int))
				SELECT set_config('synchronous_commit', 'off', true) FROM said`, append(said, machines.KeptDays)...)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		s.list(ctx)
		if waits {
			still, err := o.migrate(ctx, s.pool)
			waits = still || err != nil
		}
	}
}

// list lists the machines for [Store.Unread].
func (s *Store) list(ctx context.Context) {
	h, err := s.Machines(ctx)
	if err != nil {
		s.listed.Store(nil)
		return
	}
	s.listed.Store(&h)
}

// Unread returns the names of the machines that do not read a revision of a book, as they
// announced themselves a second ago at most.
func (s *Store) Unread(ref string, revision int) []string {
	h := s.listed.Load()
	if h == nil {
		return []string{"a machine that cannot be listed"}
	}
	return h.Lacking(s.address, func(r *machines.Reads) bool { return r.Books[ref] >= revision })
}

// Machines returns the machines of the house as they last announced themselves.
func (s *Store) Machines(ctx context.Context) (_ machines.House, err error) {
	defer mean(&err)
	return listMachines(ctx, s.pool)
}

// Machines returns the machines of the house as they last announced themselves.
func (d *Door) Machines(ctx context.Context) (_ machines.House, err error) {
	defer mean(&err)
	return listMachines(ctx, d.pool)
}

// listMachines reads the machines and the lease, as they are at one moment.
func listMachines(ctx context.Context, from *sql.DB) (h machines.House, err error) {
	found, err := from.QueryContext(ctx, `SELECT now.ms, head.node, head.address, head.epoch, (extract(epoch FROM head.until) * 1000)::bigint,
		machine.address, machine.node, version, reads, door_only, writer, machine.seq, behind, behind_ms, (extract(epoch FROM at) * 1000)::bigint
		FROM machine, head, (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint) now (ms)`)
	if err != nil {
		return h, unreachable(err)
	}
	defer found.Close() //nolint:errcheck // its error is asked for
	h.Lease = &machines.Lease{}
	for found.Next() {
		var m machines.Machine
		var reads string
		if err := found.Scan(
			&h.NowMs, &h.Lease.Node, &h.Lease.Address, &h.Lease.Epoch, &h.Lease.UntilMs,
			&m.Address, &m.Node, &m.Version, &reads, &m.DoorOnly, &m.Writer, &m.Seq, &m.Behind, &m.BehindMs, &m.SeenMs,
		); err != nil {
			return h, err
		}
		if err := json.Unmarshal([]byte(reads), &m.Reads); err != nil {
			m.Reads = machines.Reads{} // another program says it in another way: nothing is known of what it reads
		}
		h.Machines = append(h.Machines, m)
	}
	h.Order()
	return h, unreachable(found.Err())
}
