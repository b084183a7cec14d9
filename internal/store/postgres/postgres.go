// Package postgres keeps a house in a database of PostgreSQL.
//
// One process writes at a time. It holds the row "head", which names it until a time that
// it puts off again and again, and every write of a batch compares and sets that row in
// its own statement: a process that is not the writer any more changes nothing.
//
// A statement that was answered by anything but success may have been carried out or not.
// The store then takes no more until it is opened again, and holds what was acknowledged
// and perhaps more of it.
package postgres

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"trey/internal/house"
	"trey/internal/house/identity"
	"trey/internal/house/machines"
	"trey/internal/store/batch"
	"trey/internal/tree"
)

// The errors of [Open].
var (
	// ErrInUse: another process writes to the record.
	ErrInUse = errors.New("another process is the writer of the house")
	// ErrSkew: the clock of this machine differs too far from that of the database.
	ErrSkew = errors.New("the clock of this machine differs too far from that of the database")
	// ErrUnsafe: the server may lose what it acknowledged.
	ErrUnsafe = errors.New("the server may lose what it has acknowledged")
	// ErrUnfit: [Options.Unfit] said why this process must not become the writer.
	ErrUnfit = errors.New("this process must not write to the record")
)

// errLost: another process has become the writer.
var errLost = errors.New("this process is not the writer of the house any more")

// errUnknown is wrapped where it is not known whether a statement was carried out.
var errUnknown = errors.New("it is not known whether the server has recorded it")

// Options configure [Open].
type Options struct {
	// Lease is for how long a process stays the writer after its last renewal; zero is
	// [DefaultLease].
	Lease time.Duration
	// Silence is after how long without an answer a connection is given up; zero is
	// [DefaultSilence].
	Silence time.Duration
	// Node names the process for people; empty is the name of the machine. Address is
	// where other processes reach it, empty for nowhere.
	Node, Address string
	// Version and Reads say what program this is and what it reads, and DoorOnly, if it is
	// not nil, why it never becomes the writer. A process with an Address announces them to
	// the others.
	Version  string
	Reads    machines.Reads
	DoorOnly func() string
	// Tables are those with which the program works; nil are those of this program.
	Tables *Tables
	// Held is the epoch in which this process was the writer, zero if it was not: if no
	// other process has become it since, there is nothing to wait for.
	Held int64
	// EarlierFirst is for how long a free lease is left to a machine of an earlier program,
	// which may be unable to take it; zero is [DefaultEarlierFirst].
	EarlierFirst time.Duration
	// Waiting, if it is not nil, is called several times a second while another process is
	// the writer, and [Open] then waits until that process no longer is.
	Waiting func(Writer)
	// MaxSkew is by how much the clock of this machine may differ from that of the database
	// when the process becomes the writer; zero is [DefaultMaxSkew]. Now is that clock; nil
	// is time.Now. Skewed, if it is not nil, is called each time before the process would become
	// the writer: with a difference that keeps it from that, or with zero.
	MaxSkew time.Duration
	Now     func() time.Time
	Skewed  func(by time.Duration)
	// Unfit, if it is not nil, returns why this process must not become the writer, nil if it
	// may: of the record whose leaf 0 and last transaction are given. It is called each time
	// before the process would become the writer, and has to be quick.
	Unfit func(origin []byte, seq int64) error
}

// Writer describes the process that writes to a record.
type Writer struct{ Node, Address string }

// The defaults of [Options].
const (
	DefaultLease        = 3 * time.Second
	DefaultEarlierFirst = 5 * time.Second
	DefaultSilence      = 10 * time.Second
	DefaultMaxSkew      = 2 * time.Second
)

// readers is the number of connections for reading.
const readers = 8

// Store is a house's record in a database. It is a [house.Store].
type Store struct {
	*reader
	*batch.Line
	writer *writer
	pool   *sql.DB
	keys   *keyFinder
	// address is that of this process.
	address string
	// listed are the machines as they were listed last, nil where they could not be.
	listed atomic.Pointer[machines.House]
	// endAnnouncing ends the announcements, and returns when they have ended.
	endAnnouncing func()
}

var (
	_ house.Fenced          = (*Store)(nil)
	_ identity.SessionStore = (*Store)(nil)
)

// ReadsAtOnce returns how many reads a house may make at the same time while it opens: others find
// a connection too.
func (s *Store) ReadsAtOnce() int { return readers / 2 }

// Open opens the record in a database, whose address is a URL as libpq has it, and
// becomes its writer. It creates the tables where there are none. If another process is
// the writer, it waits until the time of one that has ended must have run out, or as long
// as [Options.Waiting] wants.
func Open(ctx context.Context, address string, o Options) (_ *Store, err error) {
	defer mean(&err)
	o.defaults()
	config, warned, err := o.config(address)
	if err != nil {
		return nil, err
	}
	least := &leastEpoch{}
	db := openPool(config, least)
	defer func() {
		if err != nil {
			err = errors.Join(err, db.Close())
		}
	}()
	waits, err := o.migrate(ctx, db)
	if err != nil {
		return nil, err
	}
	conn, err := connectWith(ctx, config)
	if err != nil {
		return nil, err
	}
	w := &writer{conn: conn, pool: db, warned: warned, lease: o.Lease, confirmer: newConfirmer(config)}
	s := &Store{reader: &reader{db: db}, writer: w, pool: db, keys: &keyFinder{db: db}, address: o.Address, endAnnouncing: func() {}}
	s.through.Store(everything)
	defer func() {
		if err != nil {
			err = errors.Join(err, conn.Close(context.WithoutCancel(ctx)))
		}
	}()
	if err := w.safe(ctx); err != nil {
		return nil, err
	}
	if err := w.become(ctx, &o); err != nil {
		return nil, err
	}
	least.Store(w.epoch)
	if err := s.readEnd(ctx); err != nil {
		return nil, house.UnlessOvertaken(ctx, s, err)
	}
	s.show(w.edge)
	w.publish = s.show
	w.confirmer.start(w.epoch, confirmation{w.seq, w.sessions})
	s.Line = batch.Start(w, o.Lease/3)
	if o.Address != "" {
		s.list(ctx)
		announcing, end := context.WithCancel(context.WithoutCancel(ctx))
		var work sync.WaitGroup
		work.Go(func() { s.announce(announcing, &o, waits) })
		s.endAnnouncing = func() {
			end()
			work.Wait()
		}
	}
	return s, nil
}

// readEnd reads where the record ends, and who is in it.
func (s *Store) readEnd(ctx context.Context) (err error) {
	if err := s.writer.load(ctx); err != nil {
		return err
	}
	if s.writer.edge, err = s.load(ctx, s.writer.seq); err != nil {
		return err
	}
	return s.people.Load(ctx, s.Names)
}

// StillWriter returns an error that wraps [house.ErrFailed] if another process has become the
// writer since this one did, or if the server cannot be asked. As long as nobody has, nobody else
// has written to the record.
func (s *Store) StillWriter(ctx context.Context) (err error) {
	defer mean(&err)
	var epoch int64
	switch err := s.pool.QueryRowContext(ctx, "SELECT epoch FROM head").Scan(&epoch); {
	case err != nil:
		return fmt.Errorf("%w: it is not known whether this process is still the writer of the house: %w", house.ErrFailed, err)
	case epoch != s.writer.epoch:
		return fmt.Errorf("%w: %w", house.ErrFailed, errLost)
	}
	return nil
}

func (o *Options) defaults() {
	if o.Lease == 0 {
		o.Lease = DefaultLease
	}
	if o.EarlierFirst == 0 {
		o.EarlierFirst = DefaultEarlierFirst
	}
	if o.Silence == 0 {
		o.Silence = DefaultSilence
	}
	if o.MaxSkew == 0 {
		o.MaxSkew = DefaultMaxSkew
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Node == "" {
		o.Node, _ = os.Hostname() // it is for people
	}
	if o.Tables == nil {
		o.Tables = programTables
	}
	o.Reads.Tables, _ = o.Tables.newest() // the pattern is right
}

// CheckAddress reports why an address is none of a database, as far as can be said without asking a server.
func CheckAddress(address string) error {
	_, err := parse(address)
	return err
}

// parse reads an address of a database.
func parse(address string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("this is no address of a database: %w; write it such as postgres://trey@db1:5432/trey", err)
	}
	return config, nil
}

// config reads the address. Of several servers it takes the one that can be written to.
// What it returns beside it says whether a connection has warned of a commit that is not
// on another server.
func (o *Options) config(address string) (*pgx.ConnConfig, *atomic.Bool, error) {
	config, err := parse(address)
	if err != nil {
		return nil, nil, err
	}
	// Whatever the address asks for: a standby shows another order.
	config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = o.Silence
	}
	config.RuntimeParams["application_name"] = "trey"
	warned := &atomic.Bool{}
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		// A wait for the other server that is given up ends in success and a warning.
		if n.SeverityUnlocalized == "WARNING" {
			warned.Store(true)
		}
	}
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, at string) (net.Conn, error) {
		conn, err := dial(ctx, network, at)
		if err != nil {
			return nil, err
		}
		return &silent{Conn: conn, most: o.Silence}, nil
	}
	return config, warned, nil
}

// errNoCancel is the answer to an attempt to ask the server to cancel something.
var errNoCancel = errors.New("a server is never asked to cancel a statement")

// forbidCancel has the one connection that is made with a configuration ask the server to
// cancel nothing. When a context ends, or a connection is given up, pgx does so by itself,
// over a connection of its own: a commit that waits for another server would then be there,
// and perhaps be lost.
func forbidCancel(config *pgx.ConnConfig) {
	var connected atomic.Bool
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, at string) (net.Conn, error) {
		if connected.Load() {
			return nil, errNoCancel
		}
		return dial(ctx, network, at)
	}
	config.AfterConnect = func(context.Context, *pgconn.PgConn) error {
		connected.Store(true)
		return nil
	}
}

// connectWith makes a connection that asks the server to cancel nothing. The configuration
// stays as it is, for others.
func connectWith(ctx context.Context, config *pgx.ConnConfig) (*pgx.Conn, error) {
	once := config.Copy()
	forbidCancel(once)
	return pgx.ConnectConfig(ctx, once)
}

// eachForbidsCancel has [forbidCancel] done for each connection of a pool.
var eachForbidsCancel = stdlib.OptionBeforeConnect(func(_ context.Context, config *pgx.ConnConfig) error {
	forbidCancel(config)
	return nil
})

// silent is a connection that is given up when the other side says nothing for too long.
// A context with a deadline would ask the server to cancel what it does, and a commit
// that is cancelled while it waits for another server is there and may be lost.
type silent struct {
	net.Conn
	most time.Duration
}

func (s *silent) Read(into []byte) (int, error) {
	if err := s.SetReadDeadline(time.Now().Add(s.most)); err != nil {
		return 0, err
	}
	return s.Conn.Read(into)
}

func (s *silent) Write(from []byte) (int, error) {
	if err := s.SetWriteDeadline(time.Now().Add(s.most)); err != nil {
		return 0, err
	}
	return s.Conn.Write(from)
}

// ConfirmedAt returns when the database last confirmed that this process is the writer.
func (s *Store) ConfirmedAt() time.Time { return s.writer.confirmedAt.load() }

// Alive returns when the database last confirmed the writer before this process: up to then
// the house was running.
func (s *Store) Alive() time.Time { return s.writer.alive }

// Epoch returns the number of changes of the writer up to this process: it is the writer
// as long as there are no more.
func (s *Store) Epoch() int64 { return s.writer.epoch }

// Close waits for the transactions in line, gives the house free for another process, and
// closes the connections.
func (s *Store) Close() (err error) {
	defer mean(&err)
	s.endAnnouncing()
	s.Line.Close()
	s.writer.confirmer.close()
	return errors.Join(s.writer.close(), s.pool.Close())
}

// establish puts the rows there that every record has.
func (w *writer) establish(ctx context.Context) error {
	var drawn [32]byte
	rand.Read(drawn[:]) //nolint:errcheck // it never fails
	_, err := w.conn.Exec(ctx, "INSERT INTO origin (leaf) VALUES ($1) ON CONFLICT DO NOTHING", tree.Origin(drawn, ""))
	if err == nil {
		_, err = w.conn.Exec(ctx, "INSERT INTO head (seq, epoch, node, address, until) VALUES (0, 0, '', '', clock_timestamp()) ON CONFLICT DO NOTHING")
	}
	return err
}
