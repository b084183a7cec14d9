package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"trey/internal/house"
	"trey/internal/house/identity"
	"trey/internal/ledger"
	"trey/internal/store/batch"
	"trey/internal/store/row"
	"trey/internal/tree"
)

// writer holds the state of the writing goroutine. No other process writes, so it need
// not ask the database for it.
type writer struct {
	conn    *pgx.Conn
	pool    *sql.DB // for what does not depend on the connection
	warned  *atomic.Bool
	lease   time.Duration
	publish func(*tree.Edge)

	confirmer *confirmer

	confirmedAt moment    // before the statement by which the database last confirmed it
	alive       time.Time // when the database last confirmed the writer before
	epoch       int64
	late        int64 // the last epoch whose lease came too late, zero for none
	seq         int64
	sessions    int64 // how often they changed
	edge        *tree.Edge
	streams     map[string]streamEnd
	accounts    map[ledger.Account]int64 // their ids
	// lastStream and lastAccount are the highest ids.
	lastStream, lastAccount int64
}

// streamEnd is the number of a stream in the database, and how many events it holds.
type streamEnd struct{ id, version int64 }

// safe refuses a server that acknowledges what it may lose.
func (w *writer) safe(ctx context.Context) error {
	var recovering bool
	var commit string
	if err := w.conn.QueryRow(ctx, "SELECT pg_is_in_recovery(), current_setting('synchronous_commit')").Scan(&recovering, &commit); err != nil {
		return err
	}
	if recovering {
		return fmt.Errorf("%w: it is a standby", ErrUnsafe)
	}
	if !synchronous(commit) {
		return fmt.Errorf("%w: synchronous_commit is %s, and has to be on or remote_apply", ErrUnsafe, commit)
	}
	// It stays so for this connection, whatever becomes of the settings of the server.
	_, err := w.conn.Exec(ctx, "SELECT set_config('synchronous_commit', $1, false)", commit)
	return err
}

// become makes this process the writer, once no other process is.
func (w *writer) become(ctx context.Context, o *Options) error {
	if err := w.establish(ctx); err != nil {
		return err
	}
	left := leftLease{}
	for deadline := time.Now().Add(w.lease + w.lease/2); ; {
		by, err := w.skew(ctx, o)
		if err != nil {
			return err
		}
		unfit, err := w.unfit(ctx, o)
		if err != nil {
			return err
		}
		earlier, asOf, err := w.earlier(ctx, o)
		if err != nil {
			return err
		}
		if o.Skewed != nil {
			o.Skewed(by)
		}
		if by == 0 && unfit == nil && !earlier {
			if err := w.take(ctx, o, &left, asOf); !errors.Is(err, pgx.ErrNoRows) {
				return err
			}
		}
		var other Writer
		var until time.Time
		var leftMs float64
		if err := w.conn.QueryRow(ctx, "SELECT node, address, until, extract(epoch FROM until - clock_timestamp())::float8 * 1000 FROM head").Scan(&other.Node, &other.Address, &until, &leftMs); err != nil {
			return err
		}
		left.saw(until, time.Duration(leftMs*float64(time.Millisecond)), max(w.lease, DefaultLease))
		switch {
		case o.Waiting != nil:
			o.Waiting(other)
		case unfit != nil:
			return fmt.Errorf("%w: %w", ErrUnfit, unfit)
		case by != 0:
			return fmt.Errorf("%w: by %s, and at most %s are allowed; set it right", ErrSkew, by.Round(time.Millisecond), o.MaxSkew)
		case time.Now().After(deadline):
			return fmt.Errorf("%w: %s", ErrInUse, other.Node)
		}
		// The moment at which the lease ends is known: whoever waits for it loses no time.
		wait := w.lease / 10
		if left := time.Duration(leftMs*float64(time.Millisecond)) + leaseEnds; left > 0 {
			wait = min(wait, left)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// leftLease is a lease that ends later than any lease can, by the clock of the server: that was set
// back, or another server goes on whose clock is behind. A writer that is there puts its lease off
// by the same clock. Nobody did where the end stays as it is for as long as a lease lasts.
type leftLease struct {
	until time.Time // as it was seen last
	since time.Time // when it was first seen so
	over  bool
}

// saw takes down the end of the lease, and how long the lease lasts by the clock of the server.
func (l *leftLease) saw(until time.Time, lasts, most time.Duration) {
	if !until.Equal(l.until) {
		l.until, l.since = until, time.Now()
	}
	l.over = lasts > most && time.Since(l.since) > most
}

// end returns the end of a lease that is over, nil while it may be held.
func (l *leftLease) end() *time.Time {
	if l.over {
		return &l.until
	}
	return nil
}

// leaseEnds is the time after the end of a lease at which it is asked for.
const leaseEnds = time.Millisecond

// unfit returns why this process must not become the writer.
func (w *writer) unfit(ctx context.Context, o *Options) (why, err error) {
	if o.Unfit == nil {
		return nil, nil
	}
	var origin []byte
	var seq int64
	if err := w.conn.QueryRow(ctx, "SELECT leaf, seq FROM origin, head").Scan(&origin, &seq); err != nil {
		return nil, err
	}
	return o.Unfit(origin, seq), nil
}

// earlier reports whether this process leaves the lease, which is free, to another machine: one
// that does not read the forms in which this program writes. It returns the moment of its check, by
// the clock of the server: the answer does not hold for a lease that ends later.
func (w *writer) earlier(ctx context.Context, o *Options) (leaves bool, asOf time.Time, err error) {
	var free bool
	if err := w.conn.QueryRow(ctx, "SELECT at, until <= at AND until > at - $1::interval FROM head, (SELECT clock_timestamp() AS at) looked", o.EarlierFirst).Scan(&asOf, &free); err != nil {
		return false, asOf, err
	}
	if !free || o.Address == "" || o.Waiting == nil { // without these no other machine is there
		return false, asOf, nil
	}
	h, err := listMachines(ctx, w.pool)
	return len(h.Earlier(o.Address, &o.Reads)) > 0, asOf, err
}

// take makes this process the writer, or returns [pgx.ErrNoRows] where another was at the moment
// asOf, by the clock of the server.
func (w *writer) take(ctx context.Context, o *Options, left *leftLease, asOf time.Time) error {
	// A write that is still under way holds the row, so this comes after it; and as
	// a commit of its own it is acknowledged after everything before it.
	w.warned.Store(false)
	// If the writer before puts its time off in between, this process does not take its place.
	var overMs float64
	if err := w.conn.QueryRow(ctx, "SELECT extract(epoch FROM clock_timestamp() - until)::float8 * 1000 FROM head").Scan(&overMs); err != nil {
		return err
	}
	read := time.Now()
	err := w.conn.QueryRow(ctx, `UPDATE head SET epoch = epoch + 1, node = $1, address = $2, until = clock_timestamp() + $3
		WHERE until <= $6 OR epoch = $4 AND epoch > 0 OR until = $5 RETURNING epoch, seq, sessions`, o.Node, o.Address, w.lease, o.Held, left.end(), asOf).Scan(&w.epoch, &w.seq, &w.sessions)
	if err == nil && w.warned.Load() {
		return errUnknown
	}
	if err != nil {
		return err
	}
	if w.late == 0 || w.epoch != w.late+1 { // else it was alive when this process took it before
		w.alive = read.Add(-time.Duration(overMs)*time.Millisecond - w.lease)
		if left.over {
			w.alive = left.since
		}
	}
	w.confirmedAt.store(read)
	if time.Since(read) > w.lease {
		// The answer came late. Another process may have become the writer meanwhile, and this
		// one may have read more of the record than it had when it was made the writer.
		o.Held, w.late = w.epoch, w.epoch
		return pgx.ErrNoRows
	}
	return nil
}

// skew returns by how much the clock of this machine differs from that of the database,
// zero if that is little.
func (w *writer) skew(ctx context.Context, o *Options) (time.Duration, error) {
	var theirs time.Time
	before := o.Now()
	if err := w.conn.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&theirs); err != nil {
		return 0, err
	}
	after := o.Now()
	switch {
	case theirs.Before(before.Add(-o.MaxSkew)):
		return before.Sub(theirs), nil
	case theirs.After(after.Add(o.MaxSkew)):
		return after.Sub(theirs), nil
	}
	return 0, nil
}

// load reads where streams and accounts stand.
func (w *writer) load(ctx context.Context) error {
	w.streams, w.accounts = map[string]streamEnd{}, map[ledger.Account]int64{}
	if err := endsAtHead(ctx, w.conn, w.seq); err != nil {
		return err
	}
	found, err := w.conn.Query(ctx, `SELECT name, stream.id, coalesce(part.after + part.count, 0), coalesce(part.id, 0) FROM stream
		LEFT JOIN LATERAL (SELECT id, after, count FROM part WHERE part.stream = stream.id ORDER BY id DESC LIMIT 1) part ON true`)
	if err != nil {
		return err
	}
	var name string
	var id, version, part int64
	if _, err = pgx.ForEachRow(found, []any{&name, &id, &version, &part}, func() error {
		if seq := part / house.MaxParts; seq > w.seq {
			return fmt.Errorf("%w: the stream %s has a part of transaction %d, and the last one is %d", house.ErrCorrupt, name, seq, w.seq)
		}
		w.streams[name], w.lastStream = streamEnd{id, version}, max(w.lastStream, id)
		return nil
	}); err != nil {
		return err
	}
	if found, err = w.conn.Query(ctx, "SELECT name, id FROM account"); err != nil {
		return err
	}
	_, err = pgx.ForEachRow(found, []any{&name, &id}, func() error {
		a, err := ledger.ParseAccount(name)
		if err != nil {
			return fmt.Errorf("%w: %w", house.ErrCorrupt, err)
		}
		w.accounts[a], w.lastAccount = id, max(w.lastAccount, id)
		return nil
	})
	return err
}

// Idle puts off the end of this process's time as the writer.
func (w *writer) Idle() (err error) {
	defer mean(&err)
	w.warned.Store(false)
	begun := time.Now()
	changed, err := w.conn.Exec(context.Background(), "UPDATE head SET until = clock_timestamp() + $1 WHERE epoch = $2", w.lease, w.epoch)
	switch {
	case err != nil:
		return err
	case w.warned.Load():
		return fmt.Errorf("%w: it is not on another server", errUnknown)
	case changed.RowsAffected() == 0:
		return errLost
	}
	w.confirmedAt.store(begun)
	return nil
}

// moment is a time that is read while it changes. It keeps the reading of the clock that never
// jumps: how long ago it was stays true when the clock of the machine is set.
type moment struct{ at atomic.Pointer[time.Time] }

func (m *moment) store(at time.Time) { m.at.Store(&at) }

// load returns the time, zero before there is one.
func (m *moment) load() time.Time {
	if at := m.at.Load(); at != nil {
		return *at
	}
	return time.Time{}
}

// close gives the house free, if this process still has it.
func (w *writer) close() error {
	ctx := context.Background()
	if !w.conn.IsClosed() {
		_, _ = w.conn.Exec(ctx, "UPDATE head SET until = clock_timestamp(), address = '' WHERE epoch = $1", w.epoch) // else its time runs out
	}
	return w.conn.Close(ctx)
}

// Record writes a batch in one statement.
func (w *writer) Record(items []batch.Item, results []house.AppendResult) (err error) {
	defer mean(&err)
	names, err := w.erasedNames(items)
	if err != nil {
		return err
	}
	used := map[string]bool{}
	b := w.compose(items, results, used, names)
	err = w.write(b)
	if refusedKey(err) {
		// The statement was refused as a whole, and nothing of it is there. Which keys
		// are used is asked for only now: nearly always none is.
		if err = w.usedKeys(items, used); err != nil {
			return err
		}
		b = w.compose(items, results, used, names)
		err = w.write(b)
	}
	if err != nil {
		return err
	}
	w.accept(b)
	return nil
}

// refusedKey reports whether a statement was refused because a key is used.
func refusedKey(err error) bool {
	var refused *pgconn.PgError
	const unique = "23505"
	return errors.As(err, &refused) && refused.Code == unique && refused.ConstraintName == "key_pkey"
}

// usedKeys asks which keys of the transactions were used before.
func (w *writer) usedKeys(items []batch.Item, used map[string]bool) error {
	var hashes [][]byte
	for i := range items {
		if tx := items[i].Tx; tx != nil && tx.Key != "" {
			hashes = append(hashes, row.KeyHash(tx.Key))
		}
	}
	found, err := w.conn.Query(context.Background(), "SELECT hash FROM key WHERE hash = ANY($1)", hashes)
	if err != nil {
		return err
	}
	var hash []byte
	_, err = pgx.ForEachRow(found, []any{&hash}, func() error {
		used[string(hash)] = true
		return nil
	})
	return err
}

// columns are the rows of a batch, table by table, each a list for every column.
type columns struct {
	begun    time.Time // when the statement was begun
	seq      int64
	changed  int64 // how often sessions have changed
	edge     *tree.Edge
	streams  map[string]streamEnd
	accounts map[ledger.Account]int64

	tx struct {
		seq, atMs        []int64
		salt, line, mark [][]byte
	}
	key struct {
		hash [][]byte
		seq  []int64
	}
	stream struct {
		id   []int64
		name []string
	}
	part     struct{ stream, id, after, count, round []int64 }
	snapshot struct {
		id, stream, version []int64
		body                [][]byte
	}
	account struct {
		id           []int64
		name         []string
		balance, seq []int64
		place        map[int64]int // of an account in these lists
	}
	movement struct{ account, seq, delta, balance []int64 }
	node     struct {
		level, n []int64
		hash     [][]byte
	}
	name struct {
		number []int64
		salt   [][]byte
		text   []*string
		erased []int64
		gone   []string // the names that were erased
	}
	session struct {
		put  map[identity.SessionID]identity.KeptSession
		seen map[identity.SessionID]int64
		drop map[identity.SessionID]bool
	}
}

// compose works out the rows of a batch. Transactions that meet a conflict are left out;
// used are the hashes of keys that were used before, and names what [writer.erasedNames]
// returned.
func (w *writer) compose(items []batch.Item, results []house.AppendResult, used map[string]bool, names map[int64]string) *columns {
	b := &columns{seq: w.seq, edge: w.edge.Clone(), streams: map[string]streamEnd{}, accounts: map[ledger.Account]int64{}}
	b.account.place = map[int64]int{}
	b.name.gone = []string{} // a comparison with NULL would be true of nothing
	b.session.put, b.session.seen, b.session.drop = map[identity.SessionID]identity.KeptSession{}, map[identity.SessionID]int64{}, map[identity.SessionID]bool{}
	taken := map[string]bool{}
	for i := range items {
		results[i] = house.AppendResult{}
		if items[i].Sessions != nil {
			b.sessions(items[i].Sessions)
			continue
		}
		tx := items[i].Tx
		err := w.conflict(b, tx)
		hash := ""
		if tx.Key != "" {
			hash = string(row.KeyHash(tx.Key))
		}
		if err == nil && (used[hash] || taken[hash]) {
			err = house.ErrKeyUsed
		}
		if err != nil {
			if batch.Refuse(items, results, i, err) {
				break
			}
			continue
		}
		if hash != "" {
			taken[hash] = true
		}
		w.add(b, &items[i])
		b.names(tx, names)
		results[i].Seq = b.seq
	}
	return b
}

// erasedNames returns the names whose numbers are to be erased and that are there already.
func (w *writer) erasedNames(items []batch.Item) (map[int64]string, error) {
	var numbers []int64
	for i := range items {
		if tx := items[i].Tx; tx != nil {
			numbers = append(numbers, tx.Erase...)
		}
	}
	if len(numbers) == 0 {
		return nil, nil
	}
	found, err := w.conn.Query(context.Background(), "SELECT number, name FROM name WHERE number = ANY($1) AND name IS NOT NULL", numbers)
	if err != nil {
		return nil, err
	}
	names := map[int64]string{}
	var number int64
	var name string
	_, err = pgx.ForEachRow(found, []any{&number, &name}, func() error {
		names[number] = name
		return nil
	})
	return names, err
}

// names puts into the batch the names that a transaction gives, and those that it erases
// with the sessions of their persons.
func (b *columns) names(tx *house.Transaction, there map[int64]string) {
	for i := range tx.Names {
		n := &tx.Names[i]
		b.name.number, b.name.salt, b.name.text = append(b.name.number, n.Number), append(b.name.salt, n.Salt[:]), append(b.name.text, &n.Text)
	}
	for _, number := range tx.Erase {
		name, known := there[number]
		if at := slices.Index(b.name.number, number); at >= 0 && b.name.text[at] != nil {
			// It was given in this batch: it is never written.
			name, known = *b.name.text[at], true
			b.name.salt[at], b.name.text[at] = nil, nil
		}
		b.name.erased = append(b.name.erased, number)
		if !known {
			continue
		}
		b.name.gone = append(b.name.gone, name)
		for id, kept := range b.session.put {
			if kept.Name == name {
				delete(b.session.put, id)
				b.session.drop[id] = true
			}
		}
	}
}

// end returns where a stream ends with what is in the batch already.
func (w *writer) end(b *columns, name string) (end streamEnd, known bool) {
	if end, known = b.streams[name]; !known {
		end, known = w.streams[name]
	}
	return end, known
}

// conflict returns the error of a transaction that expects another version of a stream.
func (w *writer) conflict(b *columns, tx *house.Transaction) error {
	for i := range tx.Parts {
		part := &tx.Parts[i]
		if end, _ := w.end(b, part.Stream); end.version != part.After {
			return fmt.Errorf("%s has %d events, not %d: %w", part.Stream, end.version, part.After, house.ErrConflict)
		}
	}
	return nil
}

// add puts a transaction into the batch.
func (w *writer) add(b *columns, item *batch.Item) {
	tx := item.Tx
	b.seq++
	b.tx.seq, b.tx.atMs = append(b.tx.seq, b.seq), append(b.tx.atMs, tx.AtMs)
	b.tx.salt, b.tx.line = append(b.tx.salt, item.Salt.Kept()), append(b.tx.line, item.Line)
	b.tx.mark = append(b.tx.mark, item.Content[:row.MarkBytes])
	if tx.Key != "" {
		b.key.hash, b.key.seq = append(b.key.hash, row.KeyHash(tx.Key)), append(b.key.seq, b.seq)
	}
	for _, node := range b.edge.Add(tree.LeafHash(tree.Leaf(b.seq, tx.AtMs, item.Content))) {
		b.node.level, b.node.n = append(b.node.level, int64(node.Level)), append(b.node.n, node.N)
		b.node.hash = append(b.node.hash, node.Hash[:])
	}
	for i := range tx.Parts {
		part := &tx.Parts[i]
		end, known := w.end(b, part.Stream)
		if !known {
			end.id = w.lastStream + int64(len(b.stream.id)) + 1
			b.stream.id, b.stream.name = append(b.stream.id, end.id), append(b.stream.name, part.Stream)
		}
		id := b.seq*house.MaxParts + int64(i)
		b.part.stream, b.part.id, b.part.after = append(b.part.stream, end.id), append(b.part.id, id), append(b.part.after, part.After)
		b.part.count, b.part.round = append(b.part.count, int64(len(part.Events))), append(b.part.round, int64(part.Round))
		end.version = part.After + int64(len(part.Events))
		b.streams[part.Stream] = end
		if part.Snapshot != nil {
			b.snapshot.id, b.snapshot.stream = append(b.snapshot.id, id), append(b.snapshot.stream, end.id)
			b.snapshot.version, b.snapshot.body = append(b.snapshot.version, end.version), append(b.snapshot.body, part.Snapshot)
		}
	}
	for i := range tx.Changes {
		w.change(b, &tx.Changes[i])
	}
}

// change puts into the batch what a transaction does to one account.
func (w *writer) change(b *columns, c *ledger.Change) {
	id, known := w.accounts[c.Account]
	if !known {
		if id, known = b.accounts[c.Account]; !known {
			id = w.lastAccount + int64(len(b.accounts)) + 1
			b.accounts[c.Account] = id
		}
	}
	place, there := b.account.place[id]
	if !there {
		place = len(b.account.id)
		b.account.place[id] = place
		b.account.id, b.account.name = append(b.account.id, id), append(b.account.name, c.Account.String())
		b.account.balance, b.account.seq = append(b.account.balance, 0), append(b.account.seq, 0)
	}
	b.account.balance[place], b.account.seq[place] = int64(c.After), b.seq
	if house.Traced(c.Account.Kind) {
		b.movement.account, b.movement.seq = append(b.movement.account, id), append(b.movement.seq, b.seq)
		b.movement.delta, b.movement.balance = append(b.movement.delta, int64(c.By)), append(b.movement.balance, int64(c.After))
	}
}

// sessions puts a change of the sessions into the batch: of each what comes last.
func (b *columns) sessions(change *identity.SessionWrite) {
	s := &b.session
	for _, kept := range change.Put {
		s.put[kept.ID] = kept
		delete(s.drop, kept.ID)
		delete(s.seen, kept.ID)
	}
	for _, seen := range change.Seen {
		if kept, put := s.put[seen.ID]; put {
			kept.SeenMs = seen.SeenMs
			s.put[seen.ID] = kept
		} else if !s.drop[seen.ID] {
			s.seen[seen.ID] = seen.SeenMs
		}
	}
	for _, id := range change.Drop {
		delete(s.put, id)
		delete(s.seen, id)
		s.drop[id] = true
	}
}

// write sends a batch. Any answer but success leaves it unknown whether it is recorded,
// except that a statement which was refused for a key was not.
func (w *writer) write(b *columns) error {
	putID := [][]byte{} // as b.name.gone
	var putName []string
	var putGuest []bool
	var putEpoch, putSince, putSeen []int64
	for _, s := range b.session.put {
		putID, putName, putGuest = append(putID, s.ID[:]), append(putName, s.Name), append(putGuest, s.Guest)
		putEpoch, putSince, putSeen = append(putEpoch, s.Epoch), append(putSince, s.SinceMs), append(putSeen, s.SeenMs)
	}
	var seenID, dropID [][]byte
	var seenMs []int64
	for id, ms := range b.session.seen {
		seenID, seenMs = append(seenID, id[:]), append(seenMs, ms)
	}
	for id := range b.session.drop {
		dropID = append(dropID, id[:])
	}
	b.changed = w.sessions
	if len(putID)+len(seenID)+len(dropID)+len(b.name.gone) > 0 {
		b.changed++
	}
	w.warned.Store(false)
	var mine int64
	b.begun = time.Now()
	// No deadline: a statement that is cancelled may have been carried out.
	err := w.conn.QueryRow(
		context.Background(), record,
		w.seq, b.seq, w.lease, w.epoch,
		b.tx.seq, b.tx.atMs, b.tx.salt, b.tx.line, b.tx.mark,
		b.key.hash, b.key.seq,
		b.stream.id, b.stream.name,
		b.part.stream, b.part.id, b.part.after, b.part.count, b.part.round,
		b.snapshot.id, b.snapshot.stream, b.snapshot.version, b.snapshot.body,
		b.account.id, b.account.name, b.account.balance, b.account.seq,
		b.movement.account, b.movement.seq, b.movement.delta, b.movement.balance,
		b.node.level, b.node.n, b.node.hash,
		putID, putName, putGuest, putEpoch, putSince, putSeen,
		seenID, seenMs, dropID,
		b.name.number, b.name.salt, b.name.text, b.name.erased, b.name.gone,
		b.changed,
	).Scan(&mine)
	switch {
	case err != nil && refusedKey(err):
		return err
	case err != nil:
		return fmt.Errorf("%w: %w", errUnknown, err)
	case w.warned.Load():
		return fmt.Errorf("%w: it is not on another server", errUnknown)
	case mine == 0:
		return errLost
	}
	return nil
}

// record writes a batch if this process is the writer and nothing was written that it
// does not know of.
const record = `WITH mine AS (
  UPDATE head SET seq = $2, until = clock_timestamp() + $3, sessions = $48 WHERE seq = $1 AND epoch = $4 RETURNING 1
), a AS (INSERT INTO tx SELECT t.* FROM unnest($5::bigint[], $6::bigint[], $7::bytea[], $8::bytea[], $9::bytea[]) t, mine
), b AS (INSERT INTO key SELECT t.* FROM unnest($10::bytea[], $11::bigint[]) t, mine
), c AS (INSERT INTO stream SELECT t.* FROM unnest($12::bigint[], $13::text[]) t, mine
), d AS (INSERT INTO part SELECT t.* FROM unnest($14::bigint[], $15::bigint[], $16::bigint[], $17::bigint[], $18::bigint[]) t, mine
), e AS (INSERT INTO snapshot SELECT t.* FROM unnest($19::bigint[], $20::bigint[], $21::bigint[], $22::bytea[]) t, mine
), f AS (INSERT INTO account SELECT t.* FROM unnest($23::bigint[], $24::text[], $25::bigint[], $26::bigint[]) t, mine
         ON CONFLICT (id) DO UPDATE SET balance = excluded.balance, seq = excluded.seq
), g AS (INSERT INTO movement SELECT t.* FROM unnest($27::bigint[], $28::bigint[], $29::bigint[], $30::bigint[]) t, mine
), h AS (INSERT INTO node SELECT t.* FROM unnest($31::bigint[], $32::bigint[], $33::bytea[]) t, mine
), i AS (INSERT INTO session SELECT t.*, $48::bigint FROM unnest($34::bytea[], $35::text[], $36::boolean[], $37::bigint[], $38::bigint[], $39::bigint[]) t, mine
         ON CONFLICT (id) DO UPDATE SET name = excluded.name, guest = excluded.guest, epoch = excluded.epoch, since_ms = excluded.since_ms, seen_ms = excluded.seen_ms, changed = excluded.changed
), j AS (UPDATE session SET seen_ms = t.seen_ms, changed = $48 FROM unnest($40::bytea[], $41::bigint[]) t (id, seen_ms), mine WHERE session.id = t.id AND session.name <> ALL($47::text[])
), k AS (DELETE FROM session USING mine WHERE session.id = ANY($42::bytea[]) OR session.name = ANY($47::text[]) AND session.id <> ALL($34::bytea[]) RETURNING session.id
), n AS (INSERT INTO session_ended SELECT $48::bigint, k.id FROM k
), l AS (INSERT INTO name SELECT t.* FROM unnest($43::bigint[], $44::bytea[], $45::text[]) t, mine
), m AS (UPDATE name SET salt = NULL, name = NULL FROM mine WHERE name.number = ANY($46::bigint[])
) SELECT count(*) FROM mine`

// accept goes on from what was recorded.
func (w *writer) accept(b *columns) {
	// The answer may have come late, and another process be the writer already.
	w.confirmedAt.store(b.begun)
	w.seq, w.sessions, w.edge = b.seq, b.changed, b.edge
	// This comes before the notification: a reader that learns of a transaction at another machine
	// finds it here.
	w.publish(w.edge)
	w.confirmer.put(confirmation{w.seq, w.sessions})
	for name, end := range b.streams {
		w.streams[name], w.lastStream = end, max(w.lastStream, end.id)
	}
	for account, id := range b.accounts {
		w.accounts[account], w.lastAccount = id, max(w.lastAccount, id)
	}
}
