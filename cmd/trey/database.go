package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"trey/internal/admission"
	"trey/internal/house"
	"trey/internal/house/identity"
	"trey/internal/house/plan"
	"trey/internal/notary"
	"trey/internal/store/postgres"
	"trey/internal/store/row"
	"trey/internal/store/sqlite"
	"trey/internal/tree"
)

// recordStore is a record that this process writes to.
type recordStore interface {
	house.Store
	identity.SessionStore
	// Broken is closed when the record takes no more.
	Broken() <-chan struct{}
	Close() error
}

var (
	_ recordStore = (*sqlite.Store)(nil)
	_ recordStore = (*postgres.Store)(nil)
)

// openFor opens the record of a house that is closed, to write to it.
func openFor(ctx context.Context, files recordFiles) (recordStore, error) {
	store, err := openMovable(ctx, files)
	if err != nil {
		return nil, err
	}
	if _, err := notLeft(ctx, store); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

// openCurrent opens a record as [openFor] does, and refuses one that does not continue the last
// checkpoint signed with the key in its folder. The key has to be there. So a command writes into
// no older copy that no house opens, and beside no key with which no house signs.
func openCurrent(ctx context.Context, files recordFiles) (recordStore, error) {
	store, err := openMovable(ctx, files)
	if err != nil {
		return nil, err
	}
	at, err := notLeft(ctx, store)
	if err == nil {
		err = keyFollows(files.signing, store, &at)
	}
	if err == nil {
		err = notary.Check(ctx, files.signing, store)
	}
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

// notLeft refuses a record that the house has left, and returns how the house goes on from any other.
func notLeft(ctx context.Context, store house.Store) (house.Whereabouts, error) {
	at, err := house.FindWhereabouts(ctx, store)
	if err == nil && at.Moved != nil {
		err = at.Moved.Left()
	}
	return at, err
}

// copyOf copies the record of a house, which may be open, into a file.
func copyOf(ctx context.Context, from, to string, ready func(beside string) error) error {
	if server, _ := plan.CheckDatabase(from); server {
		return postgres.Dump(ctx, from, func(tables row.Tables) error {
			return sqlite.Fill(ctx, to, tables, ready)
		})
	}
	return sqlite.CopyThen(ctx, from, to, ready)
}

// inFile refuses a record that is in a database.
func inFile(db, why string) error {
	if server, _ := plan.CheckDatabase(db); server {
		return usageError{fmt.Errorf("%s is a database: %s", withoutPassword(db), why)}
	}
	return nil
}

// absent reports whether there is no record. Of a database its server says that.
func absent(db string) bool {
	server, _ := plan.CheckDatabase(db)
	return !server && missing(db)
}

// passwordIn matches the password in the address of a database.
var passwordIn = regexp.MustCompile(`(://[^:@/?]*:)[^/]*(@)|([?&]password=)[^&]*`)

// withoutPassword returns the place of a record for people, without a password.
func withoutPassword(place string) string {
	return passwordIn.ReplaceAllString(place, "${1}${3}xxxxx${2}")
}

// lastSeen holds the position of the record when this process wrote to it last.
type lastSeen struct {
	epoch int64
	name  string
	tree.Head
}

// inDatabase keeps a house open whose record is in a database. While another process is
// the writer, requests are answered as by a door. When the record takes no more, because the
// database failed over or another process became the writer, the house opens again.
type inDatabase struct {
	*opening
	last lastSeen
	// reached reports whether the database has answered.
	reached bool
	*toWriter
}

// retryInterval is the time between two attempts to open the record.
const retryInterval = 250 * time.Millisecond

// run opens the house again and again, until it closes or cannot go on.
func (d *inDatabase) run(ctx context.Context) error {
	for first, complained := true, ""; ; first = false {
		again, err := d.once(ctx, first)
		if err == nil || !again {
			return err
		}
		if why := err.Error(); why != complained {
			complained = why
			d.log.Warn("the record cannot be written to at the moment: it is opened again", "why", why)
		}
		select {
		case <-d.signals:
			return nil
		case <-time.After(retryInterval):
		}
	}
}

// once opens the house and keeps it open. It reports whether the house can be opened again.
func (d *inDatabase) once(ctx context.Context, first bool) (again bool, err error) {
	door := newHandover(d.log)
	door.onlyDoor, door.warnings = d.onlyDoor, d.warnings
	door.node, door.secret, door.admission, door.toWriter = d.node, d.secret, admissionOf(d.plan, nil), d.toWriter
	closeDoor := d.requests.serve(ctx, door)
	defer closeDoor()
	defer door.endReading()
	store, err := d.store(ctx, door)
	if errors.Is(err, errInterrupted) {
		return false, nil // it kept no house open
	}
	if err != nil && !d.reached && passing(err) {
		return false, fmt.Errorf("%w\nA house that is started does not wait for its database, so that a wrong address is found: put that right, then start it again", err)
	}
	if err != nil {
		return passing(err), err
	}
	d.reached = true
	defer func() {
		d.last.epoch = store.Epoch()
		if head := store.Head(); head.Size > d.last.Size {
			d.last.name, d.last.Head = tree.Name(store.Origin()), head
		}
		err = errors.Join(err, store.Close())
	}()
	if door.readings != nil {
		door.readings.endKeeping()
		if seen := door.readings.lastShown(); seen.Size > d.last.Size {
			d.last.name, d.last.Head = seen.name, seen.Head
		}
	}
	if d.last.Size > 0 {
		// What was acknowledged is there still, or the house does not go on.
		if err := notary.Continues(ctx, store, notary.Checkpoint{Name: d.last.name, Head: d.last.Head}); err != nil {
			return passing(err), notOpen("the house cannot continue the record", err, advice(err))
		}
	}
	defer door.local.Store(nil)
	err = d.keep(ctx, store, func(house http.Handler) {
		door.local.Store(&house)
		door.endReading() // its streams go on at this process or another
		closeDoor()
	}, !first)
	return err != nil && passing(err) && takesNoMore(store, err), err
}

// takesNoMore reports whether a house ended because its record can be written to or read no
// more.
func takesNoMore(store recordStore, why error) bool {
	select {
	case <-store.Broken():
		return true
	default:
		return errors.Is(why, house.ErrFailed)
	}
}

// store opens the record, and waits for that as long as another process is the writer.
func (d *inDatabase) store(ctx context.Context, door *handover) (*postgres.Store, error) {
	type outcome struct {
		store *postgres.Store
		err   error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	opened, waits := make(chan outcome, 1), make(chan struct{}, 1)
	mayBegin := !d.reached
	go func() {
		if mayBegin {
			origin, err := postgres.Holds(ctx, d.plan.Database)
			if err == nil && origin == nil {
				err = begins(d.plan)
			}
			if err != nil {
				opened <- outcome{nil, err}
				return
			}
		}
		s, err := postgres.Open(ctx, d.plan.Database, postgres.Options{
			Now: timeOfDay, Held: d.last.epoch, Node: d.node, Address: d.reach, Version: version(), Reads: programReads(), Tables: programTables, EarlierFirst: earlierFirst, Skewed: d.skewed, Unfit: d.unfit, Waiting: func(w postgres.Writer) {
				door.follow(w)
				select {
				case waits <- struct{}{}:
				default:
				}
			},
		})
		opened <- outcome{s, err}
	}()
	var failed <-chan error
	for {
		select {
		case o := <-opened:
			if o.err != nil {
				return nil, notOpen("the record cannot be opened", o.err, advice(o.err))
			}
			return o.store, nil
		case <-waits:
			if !d.reached {
				d.reached = true
				d.printWaiting(door)
			}
			if door.readings == nil {
				door.readings = d.read(context.WithoutCancel(ctx), door, d.last)
				failed = door.readings.failed
			}
		case err := <-failed:
			cancel()
			if o := <-opened; o.store != nil {
				err = errors.Join(err, o.store.Close())
			}
			return nil, notOpen("the house cannot continue the record", err, advice(err))
		case <-d.signals:
			cancel()
			o := <-opened
			if o.store != nil {
				return nil, errors.Join(errInterrupted, o.store.Close())
			}
			return nil, errInterrupted
		}
	}
}

// unfit returns why this process must not become the writer of a record: it lacks the keys of the
// house, or its program lacks a revision of a book in use. The first process of a new record makes
// the keys.
func (o *opening) unfit(origin []byte, seq int64) error {
	if seq == 0 {
		return nil
	}
	err := notary.HasKey(o.plan.Signing, tree.Name(origin))
	if err == nil {
		_, err = readKeys(o.plan.SealKeys)
	}
	if needs := o.needs.Load(); err == nil && needs != nil {
		err = needs.lacking(o.plan.SealKeys, o.plan.Signing)
	}
	why := ""
	if err != nil {
		why = err.Error()
	}
	if before := o.doorOnly.Swap(&why); why != "" && (before == nil || *before != why) {
		o.log.Warn("this machine stays a door and never becomes the writer: it lacks what the writer needs", "why", why)
	}
	return err
}

// needs holds the requirements of a record to a machine that writes it, as a door reads them.
type needs struct {
	// book says which revision of a book that is played the program lacks, nil for none.
	book error

	mu     sync.Mutex
	sealed house.SealedKeys
	// signing is the key that the record says to sign, empty if it says nothing of it.
	signing string
}

// take takes in what the record comes to: with other keys the seeds of other rounds are sealed, and
// another key may sign.
func (n *needs) take(news *postgres.News) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	for i := range news.Transactions {
		if err := n.sealed.Take(&news.Transactions[i]); err != nil {
			return err
		}
		switch key, err := house.SigningKeyIn(&news.Transactions[i]); {
		case err != nil:
			return err
		case key != "":
			n.signing = key
		}
	}
	return nil
}

// lacking returns an error that names a requirement that a machine with its keys in a file and a
// folder does not meet, nil for none.
func (n *needs) lacking(sealKeys, signing string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, err := keysFor(n.sealed, sealKeys); err != nil {
		return err
	}
	if n.signing != "" {
		if _, err := notary.Follows(signing, n.signing); err != nil {
			return err
		}
	}
	return n.book
}

// onlyDoor returns why this process never becomes the writer, empty if it may.
func (o *opening) onlyDoor() string {
	if why := o.doorOnly.Load(); why != nil {
		return *why
	}
	return ""
}

// skewed records by how much the clock of this machine is ahead of that of the database, if that keeps
// the machine from becoming the writer; zero if it does not. It logs the change once.
func (o *opening) skewed(by time.Duration) {
	if before := o.skew.Swap(int64(by)); before == 0 && by != 0 {
		o.log.Error("this machine does not become the writer: its clock differs too far from that of the database; set it right", "ahead", by)
	}
}

// warnings returns what the operator of a door should know although it answers.
func (o *opening) warnings() []string {
	by := time.Duration(o.skew.Load())
	if by == 0 {
		return nil
	}
	where := "ahead of"
	if by < 0 {
		where = "behind"
	}
	return []string{fmt.Sprintf("this machine does not become the writer: its clock is %v %s that of the database; set it right", by.Abs().Round(time.Millisecond), where)}
}

// passing reports whether an error may pass by itself. One of which a person has to think
// does not.
func passing(err error) bool {
	for _, final := range []error{
		notary.ErrNotContinued, notary.ErrOtherRecord, notary.ErrNoKey, notary.ErrReplaced, notary.ErrRefused,
		house.ErrCorrupt, house.ErrClock, house.ErrElsewhere, postgres.ErrUnsafe, postgres.ErrNewer, postgres.ErrOlderMachine, postgres.ErrBehind, errKeys, errInterrupted, os.ErrNotExist,
	} {
		if errors.Is(err, final) {
			return false
		}
	}
	return true
}

// handover answers requests while this process is not the writer of its house. As a door it answers
// reads itself; it hands all other requests on to the writer.
type handover struct {
	log *slog.Logger
	// node names this process.
	node string
	// door answers reads, nil while nothing is read here.
	door atomic.Pointer[door]
	// readings keeps the door, nil where this process was the writer from the beginning.
	readings *readings
	// onlyDoor returns why this process never becomes the writer, empty if it may.
	onlyDoor func() string
	// warnings returns what the operator should know although the door answers.
	warnings func() []string
	// secret is that of the machines, and admission says from where a request comes.
	secret    *sharedSecret
	admission *admission.Control
	// stranger says that the writer refuses what is handed on here.
	stranger atomic.Bool
	*toWriter
}

// toWriter finds the writer for as long as this process runs. So a command that a door keeps is
// sent again also after the door has lost its database and read the record anew.
type toWriter struct {
	// local answers requests while this process is the writer.
	local atomic.Pointer[http.Handler]
	// repeating bounds the commands that are kept to be sent again.
	repeating *admission.Places

	mu     sync.Mutex
	writer postgres.Writer
	at     time.Time // when the database said so
}

func newHandover(log *slog.Logger) *handover {
	return &handover{log: log, onlyDoor: func() string { return "" }, warnings: func() []string { return nil }, toWriter: &toWriter{repeating: admission.NewPlaces(mostRepeating, mostRepeating)}}
}

// follow takes down which process is the writer.
func (t *toWriter) follow(w postgres.Writer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.writer, t.at = w, time.Now()
}

// current returns the writer, and false if the database has not named one lately.
func (t *toWriter) current() (postgres.Writer, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.writer, t.writer.Address != "" && time.Since(t.at) < outOfTouch
}

// outOfTouch is the time without a word of the database after which a process answers
// nothing for the house.
const outOfTouch = 2 * time.Second

// ServeHTTP hands a request on, or says that it cannot.
func (h *handover) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	writer, known := h.current()
	d := h.door.Load()
	switch {
	case r.URL.Path == "/healthz":
		h.respond(w, http.StatusOK, "application/json", `{"status":"alive"}`)
	case r.Header.Get(handedOn) != "" || strings.HasPrefix(r.URL.Path, machinesPath):
		if !h.secret.carried(r) {
			refuseStranger(w)
			return
		}
		h.away(w, r)
	case r.URL.Path == "/readyz":
		h.ready(w, r)
	case d != nil && d.answers(h, r):
		d.serve(h, w, r)
	default:
		h.handOn(w, r, writer, known)
	}
}

// endReading ends the door.
func (h *handover) endReading() {
	if h.readings != nil {
		h.readings.close()
	}
}
