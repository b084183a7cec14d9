package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"trey/internal/house"
	"trey/internal/house/auditor"
	"trey/internal/house/identity"
	"trey/internal/house/plan"
	"trey/internal/ledger"
	"trey/internal/load"
	"trey/internal/store/postgres"
	"trey/internal/store/sqlite"
	"trey/rules"
	"trey/rules/books"
)

// loadCommand plays in a house as many people would.
type loadCommand struct {
	Tables   int           `default:"20" help:"How many tables are played at; 20 without it."`
	Seats    int           `default:"7" help:"How many players sit at each, from 1 to 7; 7 without it."`
	Duration time.Duration `default:"10s" help:"For how long is played and measured, such as 30s or 10m."`
	Pace     string        `default:"full" placeholder:"TIME" help:"Pace of play. full, the default, has no clock: as fast as the machine can. people is the pace of a house for people. A time such as 5s is how long bets are open, and the other times follow from it."`
	At       string        `placeholder:"URL" help:"A house that is open on this machine, instead of one of its own. The environment variable TREY_TOKEN is the token of a machine that may see all accounts."`
	Seed     uint64        `default:"1" help:"The number that decides what the players do."`
	DB       string        `name:"db" placeholder:"PLACE" help:"Keep the record of its own house in this file, or in an empty database of PostgreSQL, such as postgres://trey@127.0.0.1/load; without it, it is a file that is removed."`
	Doors    int           `default:"0" help:"How many further machines of a house in a database have the players; the first one only writes then. None without it."`
	Format   string        `enum:"text,json" default:"text" help:"How to print what was measured: text or json."`
}

// Help returns the long help of the command.
func (loadCommand) Help() string {
	return `It opens a house of its own on this machine, lets players in who bet, look at their hands and play them over HTTP, each with a stream of events, and prints how many rounds and commands a second were played, how long commands took, and what a seat costs. The tables take turns in all games; those of rws-3cp play for one jackpot.

At the end every player's own account of their money, kept from the answers alone, is compared with the ledger, the jackpots with their meters, and the record with an audit of its own. The same transactions are then written to the store alone, to compare the house with the speed of the disk.

With a pace the tables have a clock and the players think; how long a command took then counts from the moment for which it was intended, so that a house that is late does not make its own measurement look better. It is for this machine only.

Examples:

    $ trey load
    $ trey load --tables 2000 --pace people --duration 1m
    $ trey load --db postgres://trey@127.0.0.1/load --doors 2
    $ trey load --tables 4 --at http://127.0.0.1:8080 --format json

The exit status is 0 if everything agrees, 1 if it does not, and 2 if the arguments are invalid.`
}

// Run plays and prints.
func (cmd *loadCommand) Run(s *streams) (err error) {
	c := load.Config{Tables: cmd.Tables, Seats: cmd.Seats, Duration: cmd.Duration, Seed: cmd.Seed, Address: cmd.At}
	if err := c.Check(); err != nil {
		return usageError{err}
	}
	pace, err := cmd.pace()
	switch {
	case err != nil:
		return usageError{err}
	case cmd.At != "" && cmd.DB != "":
		return usageError{errors.New("--db is the record of a house of its own: leave it or --at out")}
	case cmd.Doors < 0 || cmd.Doors > maxLoadDoors:
		return usageError{fmt.Errorf("%d doors: choose from 0 to %d", cmd.Doors, maxLoadDoors)}
	case cmd.Doors > 0 && !inServer(cmd.DB):
		return usageError{errors.New("--doors needs --db with a database of PostgreSQL: a file has one process")}
	}
	c.Progress = func(what string) { fmt.Fprintln(s.err, "trey load: "+what) }
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The collector of the players takes a processor from the house for a second, and
	// every command waits: it runs before they play, see [load.Run], and then only if
	// there is no end to what they leave behind.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(loadMemory))
	var report *load.Report
	if cmd.At != "" {
		c.Token = os.Getenv("TREY_TOKEN")
		report, err = load.Run(ctx, c)
	} else {
		report, err = cmd.inOwnHouse(ctx, c, pace)
	}
	if err != nil {
		if ctx.Err() != nil {
			return errInterrupted
		}
		return err
	}
	if err := cmd.print(s.out, report); err != nil {
		return err
	}
	if len(report.Differences) > 0 {
		return errReported
	}
	return nil
}

// loadMemory bounds the memory that the players of a load leave behind, in bytes: that of some
// minutes.
const loadMemory = 2 << 30

// maxLoadDoors bounds the processes that a load starts.
const maxLoadDoors = 16

// inServer reports whether a record is in a database with a server.
func inServer(place string) bool {
	server, _ := plan.CheckDatabase(place)
	return server
}

// pace returns the clock of the tables; zero is none.
func (cmd *loadCommand) pace() (p house.Pace, err error) {
	switch cmd.Pace {
	case "full":
		return p, nil
	case "people":
		return plan.StandardPace, nil
	}
	d, err := time.ParseDuration(cmd.Pace)
	if err != nil || d < 100*time.Millisecond || d > 10*time.Minute {
		return p, fmt.Errorf("--pace %s: write full, or people, or how long bets are open, from 100ms to 10m", cmd.Pace)
	}
	ms := d.Milliseconds()
	return house.Pace{BettingMs: ms, DecisionMs: ms, OptionMs: ms, DealMs: ms / 10, ShowMs: ms / 2}, nil
}

func (cmd *loadCommand) print(w io.Writer, r *load.Report) error {
	out := &outputWriter{out: w}
	if cmd.Format == "json" {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(r); err != nil {
			return err
		}
		return out.err
	}
	r.Print(out)
	return out.err
}

// inOwnHouse plays in a house of its own, and looks into its record when it has closed.
func (cmd *loadCommand) inOwnHouse(ctx context.Context, c load.Config, pace house.Pace) (report *load.Report, err error) {
	dir, err := os.MkdirTemp("", "trey-load-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	record, bare := place(cmd.DB), place(filepath.Join(dir, "bare.db"))
	switch {
	case cmd.DB == "":
		record = place(filepath.Join(dir, "house.db"))
	case inServer(cmd.DB):
		var remove func() error
		if bare, remove, err = emptyBeside(ctx, cmd.DB); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, remove()) }()
	}
	if err := record.isNew(ctx); err != nil {
		return nil, err
	}
	c.Progress("opening a house")
	children, err := openChildren(ctx, dir, string(record), &c, pace, cmd.Doors)
	if err != nil {
		return nil, err
	}
	c.Usage = children[0].usage
	c.DoorUsage = func() (load.Usage, error) { return usageOfAll(children[1:]) }
	report, err = load.Run(ctx, c)
	if closeErr := closeAll(children); closeErr != nil || err != nil {
		return nil, errors.Join(err, closeErr)
	}
	c.Progress("auditing the record")
	if err := auditRecord(ctx, record, report); err != nil {
		return nil, err
	}
	c.Progress("giving the bare store the same")
	return report, compareBare(ctx, record, bare, report)
}

// place is where the record of a load is: a file, or a database of PostgreSQL.
type place string

// open opens the record while no house has it open.
func (p place) open(ctx context.Context) (recordStore, error) {
	if inServer(string(p)) {
		return postgres.Open(ctx, string(p), postgres.Options{})
	}
	return sqlite.Open(ctx, string(p))
}

// isNew refuses a place in which there is a record already.
func (p place) isNew(ctx context.Context) (err error) {
	taken := !inServer(string(p)) && !missing(string(p))
	if inServer(string(p)) {
		store, err := p.open(ctx)
		if err != nil {
			return err
		}
		taken = store.Head().Size > 1 // the first leaf names the house
		if err := store.Close(); err != nil {
			return err
		}
	}
	if taken {
		return usageError{fmt.Errorf("--db %s is there already, and the record of a load is a new one: name another place", withoutPassword(string(p)))}
	}
	return nil
}

// bareSchema is the part of a database in which the bare store has its record.
const bareSchema = "trey_load_bare"

// emptyBeside makes an empty place in the database of a record, and returns what removes it.
func emptyBeside(ctx context.Context, database string) (place, func() error, error) {
	address, err := url.Parse(database)
	if err != nil {
		return "", nil, usageError{errors.New("--db is no address of a database: write it such as postgres://trey@127.0.0.1/load")}
	}
	do := func(ctx context.Context, statement string) error {
		conn, err := pgx.Connect(ctx, database)
		if err != nil {
			return err
		}
		_, err = conn.Exec(ctx, statement)
		return errors.Join(err, conn.Close(ctx))
	}
	if err := do(ctx, "CREATE SCHEMA "+bareSchema); err != nil {
		return "", nil, fmt.Errorf("an empty place for the bare store cannot be made in the database: %w", err)
	}
	remove := func() error { return do(context.WithoutCancel(ctx), "DROP SCHEMA "+bareSchema+" CASCADE") }
	q := address.Query()
	q.Set("search_path", bareSchema)
	address.RawQuery = q.Encode()
	return place(address.String()), remove, nil
}

// watcher is the user who sees all accounts in a house of the load's own.
const watcher = "load"

// loadPlan writes the house.toml of a house that is to be played in.
func loadPlan(c *load.Config, hash string, pace house.Pace) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "listen = \"127.0.0.1:0\"\nmoney = \"play\"\n\n[guests]\nmax = %d\nmoney = \"1000000\"\n\n", c.Tables*c.Seats+1)
	fmt.Fprintf(&b, "[requests]\naddress = 0\nperson = 0\nstreams = 0\nstreams_each = 0\n\n")
	fmt.Fprintf(&b, "[users.%s]\nrole = \"surveillance\"\npassword = %q\n\n", watcher, hash)
	fmt.Fprintf(&b, "[pace]\nbetting = \"%dms\"\ndecision = \"%dms\"\noption = \"%dms\"\ndeal = \"%dms\"\nshow = \"%dms\"\n\n",
		pace.BettingMs, pace.DecisionMs, pace.OptionMs, pace.DealMs, pace.ShowMs)
	limited := map[rules.Wager]bool{}
	for _, book := range books.All() {
		for i := range book.Wagers {
			if rule := &book.Wagers[i]; rule.Stake == rules.WithinLimits && !limited[rule.Wager] {
				limited[rule.Wager] = true
				fmt.Fprintf(&b, "[limits.%s]\nmin = \"5\"\nmax = \"200\"\n\n", rule.Wager)
			}
		}
	}
	b.WriteString("[jackpots.linked]\nbet = \"5\"\nmeter = \"10000\"\n\n")
	played := books.All()
	for i := range c.Tables {
		book := played[i%len(played)]
		fmt.Fprintf(&b, "[tables.load-%04d]\nbook = %q\n", i+1, book.Ref())
		if book.Rule(rules.Progressive) != nil {
			b.WriteString("jackpot = \"linked\"\n")
		}
	}
	return b.Bytes()
}

// child is a house that runs beside this process.
type child struct {
	*exec.Cmd
	address string
	said    *bytes.Buffer // to standard error
	over    chan error
}

// openChildren opens a house with the tables of the load, and so many doors of it, and fills
// in how to reach them.
func openChildren(ctx context.Context, dir, record string, c *load.Config, pace house.Pace, doors int) (all []*child, err error) {
	var secret [16]byte
	rand.Read(secret[:]) //nolint:errcheck // it never fails
	c.Name, c.Password = watcher, hex.EncodeToString(secret[:])
	hash, err := identity.HashPassword(c.Password, identity.StandardCost, rand.Reader)
	if err != nil {
		return nil, err
	}
	config, signing := filepath.Join(dir, "house.toml"), filepath.Join(dir, "signing")
	if err := os.WriteFile(config, loadPlan(c, hash, pace), 0o600); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, closeAll(all))
		}
	}()
	flags := []string{"--config", config, "--db", record, "--signing", signing, "--keys", filepath.Join(dir, "house.keys")}
	first, err := openChild(flags...)
	if err != nil {
		return nil, err
	}
	all, c.Address = append(all, first), first.address
	if doors == 0 {
		return all, nil
	}
	shared, err := os.ReadFile(filepath.Join(signing, machinesFile))
	if err != nil {
		return all, err
	}
	for n := range doors {
		folder := filepath.Join(dir, fmt.Sprintf("door%d", n+1)) // without the keys of the house it stays one
		if err := os.Mkdir(folder, 0o700); err != nil {
			return all, err
		}
		if err := os.WriteFile(filepath.Join(folder, machinesFile), shared, 0o600); err != nil {
			return all, err
		}
		door, err := openChild("--config", config, "--db", record, "--signing", folder, "--keys", filepath.Join(folder, "house.keys"))
		if err != nil {
			return all, err
		}
		all, c.Doors = append(all, door), append(c.Doors, door.address)
		if err := door.ready(ctx); err != nil {
			return all, err
		}
	}
	return all, nil
}

// openChild starts a machine of the house and waits until it says where it is open.
func openChild(flags ...string) (*child, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	h := &child{Cmd: exec.Command(program, append([]string{"serve"}, flags...)...), said: &bytes.Buffer{}, over: make(chan error, 1)} //nolint:gosec // it is this program
	h.Args[0], h.Stderr = "trey", h.said
	if err := detach(h.Cmd); err != nil {
		return nil, err
	}
	out, err := h.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := h.Start(); err != nil {
		return nil, err
	}
	opened := make(chan string, 1)
	var reading sync.WaitGroup
	reading.Go(func() {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if found := isOpenAt.FindStringSubmatch(lines.Text()); found != nil {
				select {
				case opened <- found[1]:
				default: // it is known
				}
			}
		}
	})
	go func() {
		reading.Wait()
		h.over <- h.Wait()
	}()
	select {
	case h.address = <-opened:
		return h, nil
	case err := <-h.over:
		return nil, fmt.Errorf("the house did not open: %w\n%s", err, h.said)
	case <-time.After(time.Minute):
		return nil, errors.Join(errors.New("the house did not open within a minute"), h.Process.Kill(), <-h.over)
	}
}

// ready waits until a machine answers for the house.
func (h *child) ready(ctx context.Context) error {
	for range 600 {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, h.address+"/readyz", nil)
		if err != nil {
			return err
		}
		if answer, err := http.DefaultClient.Do(r); err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	return errors.New("a door of the house was not ready within a minute")
}

// closeAll closes the machines of a house: the doors, and then the one that writes.
func closeAll(all []*child) (err error) {
	for _, h := range slices.Backward(all) {
		err = errors.Join(err, h.close())
	}
	return err
}

// usageOfAll adds up what some machines have used.
func usageOfAll(all []*child) (sum load.Usage, err error) {
	for _, h := range all {
		used, err := h.usage()
		if err != nil {
			return sum, err
		}
		sum.Memory, sum.Processor = sum.Memory+used.Memory, sum.Processor+used.Processor
	}
	return sum, nil
}

var isOpenAt = regexp.MustCompile(` is open at (http://[^\s:]+:\d+)`)

// close stops the house as Ctrl-C does, and waits until it has.
func (h *child) close() error {
	if err := h.Process.Signal(os.Interrupt); err != nil {
		return errors.Join(err, <-h.over)
	}
	var err error
	select {
	case err = <-h.over:
	case <-time.After(2 * time.Minute):
		err = errors.Join(errors.New("it did not close within two minutes"), h.Process.Kill(), <-h.over)
	}
	if err != nil {
		return fmt.Errorf("the house of the load: %w\n%s", err, h.said)
	}
	return nil
}

// usage returns what the house has used.
func (h *child) usage() (load.Usage, error) {
	u, err := load.UsageOf(h.Process.Pid)
	if err != nil {
		return u, fmt.Errorf("what the house uses cannot be measured on this system: %w", err)
	}
	return u, nil
}

// auditRecord audits the record of a house that has closed.
func auditRecord(ctx context.Context, record place, report *load.Report) (err error) {
	store, err := record.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	audit, err := auditor.Check(ctx, store)
	if err != nil {
		return err
	}
	for _, found := range audit.Findings() {
		report.Differences = append(report.Differences, "the auditor: "+found.Error())
	}
	report.Record = &load.Record{Audited: audit.Seq(), Rounds: audit.Rounds()}
	for _, end := range []string{"", "-wal"} {
		if file, err := os.Stat(string(record) + end); err == nil {
			report.Record.Bytes += file.Size()
		}
	}
	report.Record.BytesPerRound = float64(report.Record.Bytes) / float64(max(1, audit.Rounds()))
	return nil
}

// The transactions that the bare store is given, at most, and how many of them
// wait at once.
const (
	bareTransactions = 200_000
	bareWaiting      = 1024
)

// compareBare gives a bare store the transactions of a record, by nobody but a
// loop, and measures what it commits.
func compareBare(ctx context.Context, from, to place, report *load.Report) (err error) {
	transactions, err := transactionsOf(ctx, from)
	if err != nil || len(transactions) == 0 {
		return err
	}
	store, err := to.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	waiting := make(chan (<-chan house.AppendResult), min(bareWaiting, report.Tables))
	start := time.Now()
	go func() {
		defer close(waiting)
		for _, tx := range transactions {
			if ctx.Err() != nil {
				return
			}
			waiting <- store.Append(tx)
		}
	}()
	for results := range waiting {
		if done := <-results; done.Err != nil {
			err = errors.Join(err, done.Err)
		}
	}
	took := time.Since(start).Seconds()
	if err != nil {
		return fmt.Errorf("the bare store: %w", err)
	}
	report.Record.BarePerSecond = float64(len(transactions)) / took
	report.Record.Ratio = report.TransactionsPerSecond / report.Record.BarePerSecond
	return ctx.Err()
}

var errEnough = errors.New("enough")

// transactionsOf reads the transactions of a record as they were appended, the
// first ones of those that are many.
func transactionsOf(ctx context.Context, record place) (transactions []*house.Transaction, err error) {
	store, err := record.open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	book := ledger.Book{}
	err = store.ReadAll(ctx, 0, "", func(e house.StoredTransaction) error {
		changes, err := ledger.Post(book, e.Postings...)
		if err != nil {
			return err
		}
		book.Apply(changes)
		transactions = append(transactions, &house.Transaction{
			AtMs: e.AtMs, Key: e.Key, Cause: e.Cause, Parts: e.Parts, Postings: e.Postings, Changes: changes,
		})
		if len(transactions) == bareTransactions {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return transactions, err
}
