// Package sqlite keeps a house in one file: the events of its tables and
// jackpots, the postings of its ledger and the answers to repeated commands.
//
// One goroutine writes. It takes all transactions that wait in line and records
// them in one durable write, so that the more tables play the less each of them
// waits for the disk. Acknowledged means that the file was synced
// (synchronous=FULL): it survives the end of the process and of the power.
//
// After a write that failed nothing is known of what the file holds, so the
// store takes no more until it is opened again; it then holds what was
// acknowledged and perhaps, if the failure came after the write, more of it.
package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	driver "modernc.org/sqlite"

	"trey/internal/house"
	"trey/internal/ledger"
	"trey/internal/people"
	"trey/internal/store/batch"
	"trey/internal/store/row"
	"trey/internal/tree"
)

//go:embed schema.sql
var schema string

// form is the form of the file that this program writes and reads, and mark is
// how the file says whose it is. While a house has it open the file says -form: what
// was written last is then in the log beside it, and the file alone is not the record.
const (
	form = 6
	mark = 0x54726579 // "Trey"
)

// synced are the options of every connection to the record.
const synced = "?_pragma=busy_timeout(5000)&_pragma=journal_mode(wal)&_pragma=synchronous(full)&_pragma=secure_delete(1)"

// Store is a house's record in a file. It is a [house.Store].
type Store struct {
	write  *sql.DB // one connection, the writer's
	writer *writer
	read   *sql.DB
	find   *sql.Stmt // the transaction under a key: asked for with every command
	lock   *lock     // holds the file for this process

	*batch.Line
	ending sync.Once

	path string
	// alone says that there was nothing beside the file when it was opened.
	alone bool
	// files are those of the record as they were found, of whom others may take the names.
	files [len(fileEnds)]os.FileInfo

	checkpointer checkpointer

	people people.Directory

	tree   treeOf
	beside sync.WaitGroup // checkpoints are made
}

var _ house.Store = (*Store)(nil)

// fileEnds are the endings of the files that hold the record while it is open: the latest
// writes are in the second.
var fileEnds = [...]string{"", "-wal"}

// Open opens the record in a file, and creates it where there is none. What was archived
// of it lies beside it.
func Open(ctx context.Context, path string) (*Store, error) {
	return OpenWith(ctx, path, ArchiveBeside(path))
}

// OpenWith opens a record as [Open] does, with its archive in another folder. An error wraps
// [archive.ErrMissing] where a part of it is not there, and [archive.ErrDamaged] where one is
// another file, or was cut off.
func OpenWith(ctx context.Context, path, folder string) (_ *Store, err error) {
	defer mean(&err)
	s := &Store{path: path, checkpointer: newCheckpointer()}
	if err := checkComplete(path); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if s.lock, err = hold(path); err != nil {
		return nil, err
	}
	s.alone = logless(path)
	// A larger cache keeps the pages at the end of each stream at hand. No larger than
	// this: SQLite goes through all of it with every write that splits a page.
	if s.write, err = connect(path, synced+"&_pragma=wal_autocheckpoint(0)&_pragma=cache_size(-16384)"); err != nil {
		return nil, errors.Join(err, s.lock.Close())
	}
	s.write.SetMaxOpenConns(1)
	if s.read, err = connect(path, synced+"&_pragma=query_only(1)"); err != nil {
		return nil, errors.Join(err, s.write.Close(), s.lock.Close())
	}
	s.read.SetMaxOpenConns(readers)
	s.read.SetMaxIdleConns(readers)
	s.writer, err = s.prepare(ctx)
	if err == nil {
		s.find, err = s.read.PrepareContext(ctx, "SELECT key.seq, coalesce(tx.at_ms, 0), tx.salt, tx.line, tx.mark FROM key LEFT JOIN tx ON tx.seq = key.seq WHERE hash = ?")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, meant(err)), s.write.Close(), s.read.Close(), s.lock.Close())
	}
	if err := errors.Join(s.settle(ctx), s.present(), s.people.Load(ctx, s.Names)); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, meant(err)), s.writer.close(), s.write.Close(), s.read.Close(), s.lock.Close())
	}
	if err := s.tree.openArchives(ctx, s.read, folder); err != nil {
		// The record itself is as it was, and can be opened when the archive is there.
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, meant(err)), s.writer.close(), s.read.Close(), s.seal(), s.write.Close(), s.lock.Close())
	}
	s.Line = batch.Start(&recorder{s}, 0)
	s.beside.Go(s.checkpoints)
	return s, nil
}

// Empty reports whether a record would begin in a file: it is not there, or nothing is in it. It
// changes nothing, and where it cannot tell, [Open] says why.
func Empty(ctx context.Context, path string) bool {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return errors.Is(err, fs.ErrNotExist) && logless(path)
	case !info.Mode().IsRegular() || !logless(path):
		return false
	case info.Size() == 0:
		return true
	}
	db, err := connect(path, "?mode=ro&immutable=1")
	if err != nil {
		return false
	}
	defer db.Close() //nolint:errcheck // it was read only
	conn, err := db.Conn(ctx)
	if err != nil {
		return false
	}
	defer conn.Close() //nolint:errcheck // it goes back to the pool
	whose, err := belongs(ctx, conn, true)
	return err == nil && whose == nobody
}

// readers is the number of concurrent readers.
const readers = 4

// settle opens all connections for reading, once and for all. One that was opened
// later could find another file under the name, and would share the log of this
// one with it, which destroys it.
func (s *Store) settle(ctx context.Context) (err error) {
	var all [readers]*sql.Conn
	for i := range all {
		if all[i], err = s.read.Conn(ctx); err != nil {
			return err
		}
		defer all[i].Close() //nolint:errcheck // it goes back to the pool
		var tables int
		if err := all[i].QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
			return err
		}
	}
	return nil
}

// checkComplete refuses what is left of a record whose file was taken away: SQLite would
// begin a new one, and throw away what had not come into it yet.
func checkComplete(path string) error {
	if info, err := os.Stat(path); err == nil && info.Size() > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil // whoever opens it finds out
	}
	if logless(path) {
		return nil
	}
	return fmt.Errorf("%w: nothing is in it, and what was written last lies in %s-wal beside it", ErrGone, path)
}

// logless reports whether nothing lies in a log beside a file.
func logless(path string) bool {
	log, err := os.Stat(path + "-wal")
	return err != nil || log.Size() == 0
}

// present refuses to go on when the files of the record are not those that were
// opened: what is written then is in no file that can be opened again.
func (s *Store) present() error {
	for i, end := range fileEnds {
		info, err := os.Stat(s.path + end)
		switch {
		case err != nil:
			return fmt.Errorf("%w: %w", ErrGone, err)
		case s.files[i] == nil:
			s.files[i] = info
		case !os.SameFile(s.files[i], info):
			return fmt.Errorf("%w: %s is another file now", ErrGone, s.path+end)
		}
	}
	return nil
}

func connect(path, options string) (*sql.DB, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	file := url.URL{Scheme: "file", Path: filepath.ToSlash(full)}
	return sql.Open("sqlite", file.String()+options)
}

// writer holds the state of the writing goroutine.
type writer struct {
	conn                               *sql.Conn
	begin, commit, rollback            statement
	addTx, addPart, addSnapshot, count statement
	addKey, addNode, stream            statement
	account, setAccount, addMoved      statement
	checkpoint                         statement
	addName, eraseName, eraseSessions  statement
	sessions                           sessionWriter

	seq      int64
	edge     *tree.Edge
	streams  map[string]*streamEnd
	accounts map[ledger.Account]int64 // their ids
}

// statements prepares all statements that the writer uses.
func (w *writer) statements() prepared {
	return prepared{
		{&w.begin, "BEGIN IMMEDIATE"},
		{&w.commit, "COMMIT"},
		{&w.rollback, "ROLLBACK"},
		{&w.checkpoint, checkpoint},
		{&w.addTx, "INSERT INTO tx (seq, at_ms, salt, line, mark) VALUES (?, ?, ?, ?, ?)"},
		{&w.addKey, "INSERT INTO key (hash, seq) VALUES (?, ?) ON CONFLICT DO NOTHING"},
		{&w.addNode, "INSERT INTO node (level, n, hash) VALUES (?, ?, ?)"},
		{&w.addPart, "INSERT INTO part (stream, id, after, count, round) VALUES (?, ?, ?, ?, ?)"},
		{&w.addSnapshot, "INSERT INTO snapshot (id, stream, version, body) VALUES (?, ?, ?, ?)"},
		// An account that is not there yet is put there with nothing in it.
		{&w.account, "INSERT INTO account (name, balance, seq) VALUES (?, 0, 0) ON CONFLICT (name) DO UPDATE SET seq = seq RETURNING id"},
		{&w.setAccount, "UPDATE account SET balance = ?, seq = ? WHERE id = ?"},
		{&w.addMoved, "INSERT INTO movement (account, seq, delta, balance) VALUES (?, ?, ?, ?)"},
		// As an account, a stream that is not there yet is put there.
		{&w.stream, "INSERT INTO stream (name) VALUES (?) ON CONFLICT (name) DO UPDATE SET name = name RETURNING id"},
		{&w.count, "SELECT coalesce((SELECT after + count FROM part WHERE stream = ? ORDER BY id DESC LIMIT 1), 0)"},
		{&w.addName, "INSERT INTO name (number, salt, name) VALUES (?, ?, ?)"},
		{&w.eraseSessions, "DELETE FROM session WHERE name = (SELECT name FROM name WHERE number = ?)"},
		{&w.eraseName, "UPDATE name SET salt = NULL, name = NULL WHERE number = ?"},
		{&w.sessions.put, "INSERT OR REPLACE INTO session (id, name, guest, epoch, since_ms, seen_ms) VALUES (?, ?, ?, ?, ?, ?)"},
		{&w.sessions.seen, "UPDATE session SET seen_ms = ? WHERE id = ?"},
		{&w.sessions.drop, "DELETE FROM session WHERE id = ?"},
	}
}

func (s *Store) prepare(ctx context.Context) (*writer, error) {
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.establish(ctx, conn); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	w := &writer{conn: conn, streams: map[string]*streamEnd{}, accounts: map[ledger.Account]int64{}}
	if err := w.statements().on(ctx, conn); err != nil {
		return nil, errors.Join(err, w.close())
	}
	if err := conn.QueryRowContext(ctx, lastTx).Scan(&w.seq); err != nil {
		return nil, errors.Join(err, w.close())
	}
	if w.edge, err = s.tree.load(ctx, conn, w.seq); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

// lastTx asks for the last transaction, in the file or archived.
const lastTx = "SELECT max(coalesce((SELECT max(seq) FROM tx), 0), coalesce((SELECT max(through) FROM archived), 0))"

// close gives the connection back. It holds the files until its statements are closed.
func (w *writer) close() error {
	err := w.conn.Raw(func(any) (err error) {
		for _, p := range w.statements() {
			err = errors.Join(err, p.into.close())
		}
		return err
	})
	return errors.Join(err, w.conn.Close())
}

// establish makes sure that the file is a house's record of this form, and whole, and
// says in it that it is open. The schema and that go into the file itself at once, so
// that a copy of it without its log is never taken for a house that is new.
func (s *Store) establish(ctx context.Context, conn *sql.Conn) error {
	whose, err := belongs(ctx, conn, s.alone)
	if err != nil {
		return err
	}
	create := ""
	if whose == nobody {
		var drawn [32]byte
		rand.Read(drawn[:]) //nolint:errcheck // it never fails
		create = fmt.Sprintf("%s; INSERT INTO origin VALUES (x'%x'); PRAGMA application_id = %d;", schema, tree.Origin(drawn, ""), mark)
	}
	_, err = conn.ExecContext(ctx, fmt.Sprintf("BEGIN; %s PRAGMA user_version = %d; COMMIT; PRAGMA wal_checkpoint(PASSIVE)", create, -form))
	return err
}

// owner names the program that made a file.
type owner uint8

const (
	_ owner = iota
	nobody
	aHouse
)

// belongs says whose a file is. An error wraps [ErrOtherFile] where it is neither a
// house's nor empty, and [ErrGone] where a house had it open and it is alone.
func belongs(ctx context.Context, conn *sql.Conn, alone bool) (owner, error) {
	var whose, format, tables int64
	for text, into := range map[string]*int64{
		"PRAGMA application_id": &whose, "PRAGMA user_version": &format, "SELECT count(*) FROM sqlite_schema": &tables,
	} {
		if err := conn.QueryRowContext(ctx, text).Scan(into); err != nil {
			return 0, err
		}
	}
	switch {
	case whose == mark && format == -form && alone:
		return 0, fmt.Errorf("%w: what was written last lay in the log beside it, with -wal at the end of its name, and that is not there; a file is copied alone only when the house is closed", ErrGone)
	case whose == mark && (format == form || format == -form):
		return aHouse, asMade(ctx, conn)
	case whose == mark:
		return 0, fmt.Errorf("%w: it has form %d, and this program knows form %d: open it with the version of trey that made it", ErrOtherFile, max(format, -format), form)
	case tables > 0:
		return 0, fmt.Errorf("%w: it holds something else", ErrOtherFile)
	}
	return nobody, nil
}

// asMade returns an error that wraps [house.ErrCorrupt] if a record has other tables and indexes
// than this program makes, or lacks one. A view in the place of a table could show each reader
// something else, and a trigger could write what nobody recorded.
func asMade(ctx context.Context, conn *sql.Conn) error {
	lacks := map[string]bool{}
	for text := range strings.SplitSeq(plain(schema), ";") {
		if text = strings.TrimSpace(text); text != "" {
			lacks[text] = true
		}
	}
	// SQLite makes indexes and tables by itself, under names of its own.
	err := eachOf(ctx, conn, func(rows *sql.Rows) error {
		var kind, name string
		var text sql.NullString
		if err := rows.Scan(&kind, &name, &text); err != nil {
			return err
		}
		made := plain(text.String)
		if !lacks[made] {
			return fmt.Errorf("%w: its %s %q is not one that this program makes", house.ErrCorrupt, kind, name)
		}
		delete(lacks, made)
		return nil
	}, "SELECT type, name, sql FROM sqlite_schema WHERE NOT (type IN ('index', 'table') AND name LIKE 'sqlite\\_%' ESCAPE '\\') ORDER BY name")
	if err != nil || len(lacks) == 0 {
		return err
	}
	what, _, _ := strings.Cut(slices.Sorted(maps.Keys(lacks))[0], " (")
	return fmt.Errorf("%w: it lacks what %s makes", house.ErrCorrupt, what)
}

var remark = regexp.MustCompile(`--[^\n]*`)

// plain returns statements without remarks, on one line.
func plain(text string) string {
	return strings.Join(strings.Fields(remark.ReplaceAllString(text, "")), " ")
}

// Close waits for the transactions in line and closes the file.
func (s *Store) Close() (err error) {
	defer mean(&err)
	s.Line.Close()
	s.ending.Do(func() {
		s.writer.close() //nolint:errcheck // the pool is closed after it
		close(s.checkpointer.due)
	})
	s.beside.Wait()
	err = errors.Join(s.read.Close(), s.tree.archives.close())
	return errors.Join(err, s.seal(), s.write.Close(), s.lock.Close())
}

// seal takes everything into the file itself, which may then be copied alone: also
// what lies in a log that was removed meanwhile. It is durable where it is, too, so
// that a full disk is no failure here; but then the log has to stay.
func (s *Store) seal() error {
	ctx := context.Background()
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // it goes back to the pool
	seal := fmt.Sprintf("PRAGMA user_version = %d", form)
	const empty = "PRAGMA wal_checkpoint(TRUNCATE)"
	if _, err = conn.ExecContext(ctx, seal); err != nil {
		// An empty log leaves room for it.
		_, _ = conn.ExecContext(ctx, empty)
		_, err = conn.ExecContext(ctx, seal)
	}
	if err != nil {
		return keepLog(conn)
	}
	_, _ = conn.ExecContext(ctx, empty)
	return nil
}

// keepLog has the log stay when its last connection is closed.
func keepLog(conn *sql.Conn) error {
	return conn.Raw(func(c any) error {
		_, err := c.(driver.FileControl).FileControlPersistWAL("main", 1)
		return err
	})
}

// recorder records what waits in line.
type recorder struct{ *Store }

// Record writes a batch durably, as [batch.Writer] says.
func (s *recorder) Record(items []batch.Item, results []house.AppendResult) (err error) {
	defer mean(&err)
	s.checkpoint() // of what the batches before it have left
	if err := s.writer.record(items, results); err != nil {
		return err
	}
	if err := s.present(); err != nil {
		return err
	}
	s.tree.show(s.writer.edge)
	s.checkpointer.written += len(items)
	return nil
}

// Idle does nothing: no other process can take the file.
func (*recorder) Idle() error { return nil }

// record writes a batch durably. A transaction that meets a conflict is left out
// and says so in its result; an error means that none is recorded. A write that was
// begun is finished, whoever still waits.
func (w *writer) record(items []batch.Item, results []house.AppendResult) error {
	return w.conn.Raw(func(any) error {
		if _, err := w.begin.exec(); err != nil {
			return err
		}
		for i := range items {
			results[i] = house.AppendResult{}
			err := w.one(&items[i], &results[i])
			if errors.Is(err, house.ErrConflict) || errors.Is(err, house.ErrKeyUsed) {
				if batch.Refuse(items, results, i, err) {
					break
				}
				continue
			}
			if err != nil {
				_, undone := w.rollback.exec()
				return errors.Join(err, undone)
			}
		}
		_, err := w.commit.exec()
		return err
	})
}

// one writes one transaction. Both conflicts are found before anything of it is
// written.
func (w *writer) one(item *batch.Item, result *house.AppendResult) (err error) {
	if item.Sessions != nil {
		return w.sessions.write(item.Sessions)
	}
	tx := item.Tx
	ends := make([]*streamEnd, len(tx.Parts))
	for i := range tx.Parts {
		part := &tx.Parts[i]
		end, err := w.end(part.Stream)
		if err != nil {
			return err
		}
		ends[i] = end
		if end.version != part.After {
			return fmt.Errorf("%s has %d events, not %d: %w", part.Stream, end.version, part.After, house.ErrConflict)
		}
	}
	seq := w.seq + 1
	if tx.Key != "" {
		if n, err := w.addKey.exec(row.KeyHash(tx.Key), seq); err != nil {
			return err
		} else if n == 0 {
			return house.ErrKeyUsed
		}
	}
	if _, err := w.addTx.exec(seq, tx.AtMs, item.Salt.Kept(), item.Line, item.Content[:row.MarkBytes]); err != nil {
		return err
	}
	w.seq, result.Seq = seq, seq
	for _, node := range w.edge.Add(tree.LeafHash(tree.Leaf(seq, tx.AtMs, item.Content))) {
		if _, err := w.addNode.exec(int64(node.Level), node.N, node.Hash[:]); err != nil {
			return err
		}
	}
	for i := range tx.Parts {
		part, end := &tx.Parts[i], ends[i]
		id := seq*house.MaxParts + int64(i)
		if _, err := w.addPart.exec(end.id, id, part.After, int64(len(part.Events)), int64(part.Round)); err != nil {
			return err
		}
		end.version = part.After + int64(len(part.Events))
		if part.Snapshot == nil {
			continue
		}
		if _, err := w.addSnapshot.exec(id, end.id, end.version, part.Snapshot); err != nil {
			return err
		}
	}
	for i := range tx.Changes {
		if err := w.change(seq, &tx.Changes[i]); err != nil {
			return err
		}
	}
	return w.names(tx)
}

// names writes the names that a transaction gives, and erases those that it erases with
// the sessions of their persons.
func (w *writer) names(tx *house.Transaction) error {
	for i := range tx.Names {
		n := &tx.Names[i]
		if _, err := w.addName.exec(n.Number, n.Salt[:], n.Text); err != nil {
			return err
		}
	}
	for _, number := range tx.Erase {
		if _, err := w.eraseSessions.exec(number); err != nil {
			return err
		}
		if _, err := w.eraseName.exec(number); err != nil {
			return err
		}
	}
	return nil
}

// streamEnd is the writer's knowledge of a stream: its number in the file, and the number of
// its events.
type streamEnd struct{ id, version int64 }

// end returns the end of a stream, which is put into the file if it is new. The writer
// remembers it.
func (w *writer) end(name string) (*streamEnd, error) {
	if end := w.streams[name]; end != nil {
		return end, nil
	}
	id, err := w.stream.number(name)
	if err != nil {
		return nil, err
	}
	version, err := w.count.number(id)
	if err != nil {
		return nil, err
	}
	w.streams[name] = &streamEnd{id, version}
	return w.streams[name], nil
}

// change writes what a transaction does to one account.
func (w *writer) change(seq int64, c *ledger.Change) (err error) {
	id, known := w.accounts[c.Account]
	if !known {
		if id, err = w.account.number(c.Account.String()); err != nil {
			return err
		}
		w.accounts[c.Account] = id
	}
	if _, err := w.setAccount.exec(int64(c.After), seq, id); err != nil {
		return err
	}
	if !house.Traced(c.Account.Kind) {
		return nil
	}
	_, err = w.addMoved.exec(id, seq, int64(c.By), int64(c.After))
	return err
}
