package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"trey/internal/house"
	"trey/internal/house/identity"
	"trey/internal/people"
	"trey/internal/store"
	"trey/internal/store/row"
	"trey/internal/tree"
)

// ErrBehind is wrapped where a database lacks what this process has read from the house
// before: a failover has lost transactions.
var ErrBehind = errors.New("the database lacks transactions that this process has read from it")

// errReads is the error of a write where a record is only read.
var errReads = errors.New("this process reads the record, and another one writes it")

// The intervals of a [Door].
const (
	// pollInterval is the time after which the record is read although nobody was woken up.
	pollInterval = 200 * time.Millisecond
	// beatInterval is the time between two proofs that the server is the one that counts.
	beatInterval = 500 * time.Millisecond
	// doorSilence is after how long without an answer a connection that follows is given up.
	doorSilence = 2 * time.Second
	// pageLength is the number of transactions that are read at once.
	pageLength = 512
)

// Door is a record that another process writes. It is a [house.Store] that takes nothing,
// and holds what the writer knows to be durable.
type Door struct {
	*reader
	o    Options
	pool *sql.DB
	// least is the epoch that the connection that follows has read.
	least *leastEpoch
	// loading is the one moment at which the record is read before [Door.Follow], and unsure
	// reports whether its server has warned of a commit that is not on another server.
	loading *sql.Tx
	unsure  *atomic.Bool
	follow  *pgx.ConnConfig
	warned  *atomic.Bool
	listen  *pgx.ConnConfig

	seq      int64 // the last transaction that was taken
	leaf     tree.Hash
	edge     *tree.Edge
	sessions int64
	epoch    int64
	// read is when sessions were last read, and allSessions has all of them read: the writer
	// has changed since.
	read        time.Time
	allSessions bool

	touched moment       // when the server last proved that it counts
	taken   atomic.Int64 // the last transaction that was taken, for others
	ahead   atomic.Int64 // the last one that is confirmed
	mu      sync.Mutex
	arrived chan struct{} // closed when the next transaction was taken
	writer  Writer
}

var (
	_ house.Store           = (*Door)(nil)
	_ identity.SessionStore = (*Door)(nil)
)

// News holds the transactions and sessions that came to a record.
type News struct {
	// Transactions stand in their order, each behind those before it, with the numbers of
	// persons.
	Transactions []house.StoredTransaction
	// Sessions were begun or used, and Ended have ended. AllSessions reports whether
	// Sessions are all that there are.
	Sessions    []identity.KeptSession
	Ended       []identity.SessionID
	AllSessions bool
}

// OpenDoor opens a record for reading. Until [Door.Follow] it is as at one moment.
func OpenDoor(ctx context.Context, address string, o Options) (_ *Door, err error) {
	defer mean(&err)
	o.defaults()
	config, unsure, err := o.config(address)
	if err != nil {
		return nil, err
	}
	quick := o
	quick.Silence = min(o.Silence, doorSilence)
	following, warned, err := quick.config(address)
	if err != nil {
		return nil, err
	}
	listening, err := parse(address)
	if err != nil {
		return nil, err
	}
	listening.ValidateConnect = config.ValidateConnect
	least := &leastEpoch{}
	d := &Door{reader: &reader{}, o: o, pool: openPool(config, least), least: least, unsure: unsure, follow: following, warned: warned, listen: listening, arrived: make(chan struct{})}
	d.through.Store(everything)
	defer func() {
		if err != nil {
			err = errors.Join(err, d.Close())
		}
	}()
	if _, err := o.migrate(ctx, d.pool); err != nil {
		return nil, err
	}
	if d.loading, err = d.pool.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead}); err != nil {
		return nil, err
	}
	d.db = d.loading
	if err := d.loading.QueryRowContext(ctx, "SELECT seq, epoch, sessions FROM head").Scan(&d.seq, &d.epoch, &d.sessions); err != nil {
		return nil, err
	}
	d.read = time.Now()
	if d.edge, err = d.load(ctx, d.seq); err != nil {
		return nil, err
	}
	if d.leaf, err = d.leafAt(ctx, d.seq); err != nil {
		return nil, err
	}
	if err := d.people.Load(ctx, d.Names); err != nil {
		return nil, err
	}
	d.taken.Store(d.seq)
	d.show(d.edge)
	return d, nil
}

// leafAt returns the hash of a leaf.
func (d *Door) leafAt(ctx context.Context, seq int64) (tree.Hash, error) {
	texts, err := d.LeafTexts(ctx, seq, 1)
	if err != nil {
		return tree.Hash{}, err
	}
	return tree.LeafHash(texts[0]), nil
}

// Loaded ends the snapshot at which the record was read so far, by a commit that another server
// confirms. That proves that the server is the current one. On an error, discard what was read: it
// may come from a former server. Its last transaction may not be confirmed yet: [Door.Follow] waits
// for that.
func (d *Door) Loaded(ctx context.Context) (err error) {
	defer mean(&err)
	said, err := d.o.announcement(false, d.Seq(), 0, d.Touched())
	if err != nil {
		return err
	}
	d.unsure.Store(false)
	if _, err := d.loading.ExecContext(ctx, beat, said...); err != nil {
		var refused *pgconn.PgError
		if errors.As(err, &refused) && refused.Code == serialization {
			// No other program: nobody but this machine writes its row, and a commit of its own from
			// before ends only now.
			return &store.Meaning{Means: ErrAway, More: "what this machine said of itself before was not on another server until now: see whether the standbys answer", Why: err}
		}
		return err
	}
	loading := d.loading
	d.loading = nil
	if err := loading.Commit(); err != nil {
		return err
	}
	if d.unsure.Load() {
		return errUnknown
	}
	d.through.Store(d.seq)
	d.least.Store(d.epoch)
	d.db = d.pool
	return nil
}

// serialization is the code of PostgreSQL for a row that has changed since the moment that is read.
const serialization = "40001"

// Close closes the connections.
func (d *Door) Close() (err error) {
	defer mean(&err)
	if d.loading != nil {
		err = d.loading.Rollback()
	}
	return errors.Join(err, d.pool.Close())
}

// Append takes nothing.
func (d *Door) Append(*house.Transaction) <-chan house.AppendResult {
	done := make(chan house.AppendResult, 1)
	done <- house.AppendResult{Err: errReads}
	return done
}

// WriteSessions takes nothing.
func (d *Door) WriteSessions(identity.SessionWrite) <-chan error {
	done := make(chan error, 1)
	done <- errReads
	return done
}

// Touched returns when the server last proved that everything confirmed up to then was
// taken: a commit of this process was on another server too. It is zero before the first.
func (d *Door) Touched() time.Time { return d.touched.load() }

// Seq returns the number of the last transaction that was taken.
func (d *Door) Seq() int64 { return d.taken.Load() }

// Through returns the number of the last transaction that may be shown: it is being taken.
func (d *Door) Through() int64 { return d.through.Load() }

// Behind returns how many transactions are confirmed and not taken, as far as is known.
func (d *Door) Behind() int64 { return max(0, d.ahead.Load()-d.taken.Load()) }

// Writer returns the process that writes, without an address if there is none.
func (d *Door) Writer() Writer {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.writer
}

// Arrived returns a channel that is closed when the next transactions or sessions were taken.
func (d *Door) Arrived() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.arrived
}

// Await waits until a transaction was taken.
func (d *Door) Await(ctx context.Context, seq int64) error {
	for {
		arrived := d.Arrived()
		if d.Seq() >= seq {
			return nil
		}
		select {
		case <-arrived:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Follow hands out what the record comes to, until the context ends, the record cannot be
// read on, which is an error, or take returns one. What it handed out counts as taken when
// take returns. A server that cannot be reached is tried again.
func (d *Door) Follow(ctx context.Context, take func(*News) error) error {
	wake := make(chan struct{}, 1)
	var work sync.WaitGroup
	defer work.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	work.Go(func() { d.awaitNotifications(ctx, wake) })
	for {
		err := d.followOn(ctx, wake, take)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, errFinal):
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(retryInterval):
		}
	}
}

// errFinal is wrapped where following cannot be tried again.
var errFinal = errors.New("the record cannot be followed")

// awaitNotifications wakes up the follower at each notification. It may miss some, because the follower polls
// too.
func (d *Door) awaitNotifications(ctx context.Context, wake chan<- struct{}) {
	for ctx.Err() == nil {
		conn, err := connectWith(ctx, d.listen)
		if err == nil {
			_, err = conn.Exec(ctx, "LISTEN "+channel)
		}
		for err == nil {
			if _, err = conn.WaitForNotification(ctx); err == nil {
				select {
				case wake <- struct{}{}:
				default:
				}
			}
		}
		if conn != nil {
			_ = conn.Close(context.WithoutCancel(ctx)) // it is of no use any more
		}
		select {
		case <-ctx.Done():
		case <-time.After(retryInterval):
		}
	}
}

// followOn follows on one connection.
func (d *Door) followOn(ctx context.Context, wake <-chan struct{}, take func(*News) error) error {
	conn, err := connectWith(ctx, d.follow)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // it was for reading
	for last := (time.Time{}); ; {
		begun := time.Now()
		proven := time.Since(last) >= beatInterval
		if proven {
			// A commit that is on another server: so this server is the one that counts, and
			// what it acknowledged before is durable. It has no deadline, as any commit.
			d.warned.Store(false)
			said, err := d.o.announcement(false, d.Seq(), d.Behind(), d.Touched())
			if err != nil {
				return err
			}
			if _, err := conn.Exec(context.WithoutCancel(ctx), beat, said...); err != nil {
				return err
			}
			if d.warned.Load() {
				return errUnknown
			}
			last = begun
		}
		more, err := d.next(ctx, conn, take)
		if err != nil {
			return err
		}
		if proven && !more {
			d.touched.store(begun)
		}
		if more {
			continue
		}
		select {
		case <-ctx.Done():
			return nil
		case <-wake:
		case <-time.After(pollInterval):
		}
	}
}

// next reads what is confirmed, a page at most, and reports whether there is more.
func (d *Door) next(ctx context.Context, conn *pgx.Conn, take func(*News) error) (more bool, err error) {
	var head, confirmed, epoch, sessions int64
	var writer Writer
	var free bool
	if err := conn.QueryRow(ctx, "SELECT head.seq, confirmed.seq, epoch, confirmed.sessions, node, address, until <= clock_timestamp() FROM head, confirmed").
		Scan(&head, &confirmed, &epoch, &sessions, &writer.Node, &writer.Address, &free); err != nil {
		return false, err
	}
	d.least.Store(epoch) // the beat before has shown that this server counts
	if free {
		writer.Address = ""
	}
	d.mu.Lock()
	d.writer = writer
	d.mu.Unlock()
	d.ahead.Store(confirmed)
	if head < d.seq {
		return false, d.lost(fmt.Sprintf("it ends with transaction %d, and %d was read", head, d.seq))
	}
	news := &News{}
	d.allSessions = d.allSessions || epoch != d.epoch
	if confirmed < d.seq {
		return true, d.pause(ctx) // what was read at first is not confirmed yet
	}
	if confirmed == d.seq && sessions == d.sessions && !d.allSessions {
		return false, nil
	}
	leaf, edge, err := d.transactions(ctx, conn, confirmed, news)
	if err != nil {
		return false, err
	}
	through := d.seq + int64(len(news.Transactions))
	if through == confirmed {
		if err := d.changedSessions(ctx, conn, sessions, news); err != nil {
			return false, err
		}
	}
	// Reads find the transactions from here on, and whoever is told of them may ask.
	d.through.Store(through)
	if err := take(news); err != nil {
		return false, fmt.Errorf("%w: %w", errFinal, err)
	}
	d.seq, d.leaf, d.edge, d.epoch = through, leaf, edge, epoch
	d.taken.Store(through)
	if through == confirmed {
		d.sessions, d.read, d.allSessions = sessions, time.Now(), false
	}
	d.show(edge)
	d.mu.Lock()
	close(d.arrived)
	d.arrived = make(chan struct{})
	d.mu.Unlock()
	return through < confirmed, nil
}

// lost returns the error of a record that lacks what was read. What was read before the
// server proved that it counts was shown to nobody, and may never have been durable: then it
// is read anew.
func (d *Door) lost(what string) error {
	if d.touched.load().IsZero() {
		return fmt.Errorf("%w: %w: what was read at first was not durable: %s", errFinal, house.ErrFailed, what)
	}
	return fmt.Errorf("%w: %w: %s", errFinal, ErrBehind, what)
}

// pause waits a moment.
func (d *Door) pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(retryInterval / 10):
		return nil
	}
}

// transactions reads the next transactions, and holds the last one that is known against
// what the server has under its number.
func (d *Door) transactions(ctx context.Context, conn *pgx.Conn, through int64, news *News) (leaf tree.Hash, edge *tree.Edge, err error) {
	edge, next := d.edge.Clone(), d.seq
	if d.seq == 0 {
		next, leaf = 1, d.leaf
	}
	var found row.Row
	rows, err := conn.Query(ctx, "SELECT "+row.Columns+" FROM tx WHERE seq >= $1 AND seq <= $2 ORDER BY seq LIMIT $3", next, through, pageLength)
	if err != nil {
		return leaf, nil, err
	}
	var named int64 // the last number that these transactions give to a person
	_, err = pgx.ForEachRow(rows, found.Fields(), func() error {
		if found.Seq != next {
			return fmt.Errorf("%w: %w: transaction %d is missing", errFinal, house.ErrCorrupt, next)
		}
		next++
		recorded, err := found.Leaf()
		if err != nil {
			return fmt.Errorf("%w: %w", errFinal, err)
		}
		leaf = tree.LeafHash(recorded.Text())
		if found.Seq == d.seq {
			if leaf != d.leaf {
				return d.lost(fmt.Sprintf("transaction %d is another than the one that was read", d.seq))
			}
			return nil
		}
		e, err := found.Entry()
		if err != nil {
			return fmt.Errorf("%w: %w", errFinal, err)
		}
		edge.Add(leaf)
		given, err := lastNumber(&e)
		if err != nil {
			return fmt.Errorf("%w: %w: transaction %d: %w", errFinal, house.ErrCorrupt, e.Seq, err)
		}
		named = max(named, given)
		news.Transactions = append(news.Transactions, e)
		return nil
	})
	if err == nil && next == d.seq {
		err = d.lost(fmt.Sprintf("transaction %d is not there any more", d.seq))
	}
	if err == nil && named > d.people.Given() {
		err = d.newNames(ctx, conn, named)
	}
	return leaf, edge, err
}

// lastNumber returns the last number that a transaction gives to a person, zero for none.
func lastNumber(e *house.StoredTransaction) (last int64, err error) {
	for i := range e.Parts {
		if e.Parts[i].Stream != house.NamesStream {
			continue
		}
		for _, stored := range e.Parts[i].Events {
			event, err := house.NameEvents.Read(stored)
			if err != nil {
				return 0, err
			}
			if person, ok := event.(house.PersonNumbered); ok {
				last = person.Number
			}
		}
	}
	return last, nil
}

// newNames reads the names that were given since the last time, up to a number. Behind it
// there may be one whose transaction a failover loses, and another person gets its number.
func (d *Door) newNames(ctx context.Context, conn *pgx.Conn, through int64) error {
	var number int64
	var salt []byte
	var text sql.NullString
	rows, err := conn.Query(ctx, "SELECT number, salt, name FROM name WHERE number > $1 AND number <= $2 ORDER BY number", d.people.Given(), through)
	if err != nil {
		return err
	}
	_, err = pgx.ForEachRow(rows, []any{&number, &salt, &text}, func() error {
		if err := d.people.Learn(people.Name{Number: number, Text: text.String}); err != nil {
			return fmt.Errorf("%w: %w: %w", errFinal, house.ErrCorrupt, err)
		}
		return nil
	})
	return err
}

// changedSessions reads how sessions have changed.
func (d *Door) changedSessions(ctx context.Context, conn *pgx.Conn, through int64, news *News) error {
	since := d.sessions
	if d.allSessions || time.Since(d.read) > keptEnded/2 {
		since, news.AllSessions = -1, true
	}
	if since >= through {
		return nil
	}
	var id []byte
	var kept identity.KeptSession
	rows, err := conn.Query(ctx, "SELECT id, name, guest, epoch, since_ms, seen_ms FROM session WHERE changed > $1", since)
	if err != nil {
		return err
	}
	if _, err = pgx.ForEachRow(rows, []any{&id, &kept.Name, &kept.Guest, &kept.Epoch, &kept.SinceMs, &kept.SeenMs}, func() error {
		if len(id) != len(kept.ID) {
			return fmt.Errorf("%w: %w: a session of %d bytes", errFinal, house.ErrCorrupt, len(id))
		}
		kept.ID = identity.SessionID(id)
		news.Sessions = append(news.Sessions, kept)
		return nil
	}); err != nil || news.AllSessions {
		return err
	}
	if rows, err = conn.Query(ctx, "SELECT id FROM session_ended WHERE changed > $1", since); err != nil {
		return err
	}
	_, err = pgx.ForEachRow(rows, []any{&id}, func() error {
		if len(id) == len(kept.ID) {
			news.Ended = append(news.Ended, identity.SessionID(id))
		}
		return nil
	})
	return err
}
