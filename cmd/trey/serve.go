package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/house/plan"
	"trey/internal/house/sealing"
	"trey/internal/notary"
	"trey/internal/store/archive"
	"trey/internal/store/postgres"
	"trey/internal/store/sqlite"
	"trey/internal/web"
)

// serveCommand opens a house.
type serveCommand struct {
	Config      string `type:"path" placeholder:"FILE" help:"The house.toml of the house; without it, a demonstration with play money."`
	DB          string `name:"db" placeholder:"FILE" help:"The file of the record, or the address of a database of PostgreSQL; overrides the configuration."`
	Node        string `placeholder:"ADDRESS" help:"The address and port at which the other machines of a house in a database reach this one; without it, where it listens."`
	Keys        string `placeholder:"FILE" help:"The file of the keys that seal seeds; overrides the configuration."`
	Archive     string `placeholder:"FOLDER" help:"The folder of what was archived of the record; overrides the configuration. Without either, the one beside the record with its name."`
	Signing     string `placeholder:"FOLDER" help:"The folder of the key that signs for the record; overrides the configuration. Without either, the one beside the record with its name."`
	Listen      string `placeholder:"ADDRESS" help:"The address and port to listen at; overrides the configuration (default: 127.0.0.1:8080). Port 0 is any that is free."`
	LogFormat   string `name:"log-format" enum:"text,json" default:"text" help:"How to write the log, which goes to standard error: text or json."`
	AcceptClock bool   `name:"accept-clock" help:"Accept the machine's clock, although it is more than 31 days ahead of the last transaction of the record."`
	Debug       bool   `help:"Log every request."`
}

// Help returns the long help of the command.
func (serveCommand) Help() string {
	return `It opens a house of tables that programs and people reach over HTTP, and prints its address. Everything that happens is recorded before it is answered, and survives the end of the process and of the power: a round that was interrupted ends at the next start by the clause of its book.

Without a configuration it is a demonstration with play money, on this machine only: a table that runs by itself for each book, one more that a dealer runs, and a jackpot over two of them. Its record is kept in your configuration directory, so that it is there again the next time; --db names another file.

With one, its tables are put on the floor, changed from their next round on where the file changed, and closed where it no longer has them. A house that listens beyond this machine has users.

Its record can be in a database of PostgreSQL, for any number of machines: --db postgres://HOST/NAME. One of them writes, and the others answer reads and hand everything else on to it. If it ends, another takes its place, and if the database fails over, the house opens again from it.

Ctrl-C lets no new rounds begin, waits for those in play to be finished, and stops; a second one stops at once.

Examples:

    $ trey serve
    $ trey serve --listen 127.0.0.1:0 --db /tmp/trial.db
    $ trey config init > house.toml
    $ trey serve --config house.toml --log-format json`
}

// Run opens the house and closes it again.
func (cmd *serveCommand) Run(s *streams) error {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	return cmd.serve(s, signals)
}

// houseGCPercent is the garbage a house leaves before it collects it, as a percentage of what
// it holds. A house holds many small things for long, and to go through all of them takes both
// processors for a while, in which everybody waits: it is done rarely, for half as much memory
// again with 14,000 seats.
const houseGCPercent = 300

// maxGapMs is the longest time between the last transaction of the record and the next, in a
// house that is no demonstration.
const maxGapMs = 31 * 24 * 60 * 60 * 1000

func (cmd *serveCommand) serve(s *streams, signals <-chan os.Signal) (err error) {
	if os.Getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(houseGCPercent))
	}
	log := cmd.logger(s.err)
	p, err := cmd.plan(s, log)
	if err != nil {
		return err
	}
	// The address comes first: nothing is begun that cannot be reached.
	listener, err := cmd.listen(p)
	if err != nil {
		return err
	}
	defer listener.Close() //nolint:errcheck // it is closed already
	var metrics net.Listener
	if p.Metrics != "" {
		if metrics, err = net.Listen("tcp", p.Metrics); err != nil {
			return fmt.Errorf("the metrics cannot be served at %s: %w; choose another address for metrics in %s", p.Metrics, err, cmd.Config)
		}
		defer metrics.Close() //nolint:errcheck // the server has closed it already
	}
	o := &opening{
		serveCommand: cmd, plan: p, log: log, requests: newEndpoint(listener, log), out: &outputWriter{out: s.out}, signals: signals,
		address: reach(listener.Addr()), node: cmd.Node, reach: cmd.Node,
	}
	defer o.requests.Close() //nolint:errcheck // the house is closed
	if at, ok := listener.Addr().(*net.TCPAddr); ok {
		o.port = at.Port
		if o.reach == "" && !at.IP.IsUnspecified() {
			o.reach = at.String()
		}
	}
	if metrics != nil {
		o.metrics = newEndpoint(metrics, log)
		defer o.metrics.Close() //nolint:errcheck // the house is closed
	}
	ctx := context.Background()
	if server, _ := plan.CheckDatabase(p.Database); server {
		if o.reach == "" {
			return usageError{fmt.Errorf("where do the other machines of the house reach this one? %s is every address of it: say one with --node, such as 10.0.0.1:8080", p.Listen)}
		}
		if err := plan.CheckNode(o.reach); err != nil {
			return usageError{fmt.Errorf("--node: %w", err)}
		}
		o.secret = newSharedSecret(p.Signing)
		return (&inDatabase{opening: o, toWriter: &toWriter{repeating: placesOf(o.plan, mostRepeating)}}).run(ctx)
	}
	if sqlite.Empty(ctx, p.Database) {
		if err := begins(p); err != nil {
			return notOpen("the record cannot be opened", err, advice(err))
		}
	}
	store, err := sqlite.OpenWith(ctx, p.Database, p.Archive)
	if err != nil {
		return notOpen("the record cannot be opened", err, cmp.Or(advice(err), elsewhere))
	}
	defer func() {
		if closeErr := store.Close(); closeErr != nil {
			err = errors.Join(err, closeErr)
		}
	}()
	return o.keep(ctx, store, func(http.Handler) {}, false)
}

// notOpen says why a house is not open, and what to do.
func notOpen(what string, err error, advice string) error {
	return fmt.Errorf("%s: %w%s", what, err, advice)
}

// opening is a house to be opened, once or, if its record is in a database, again.
type opening struct {
	*serveCommand
	plan              *plan.Plan
	log               *slog.Logger
	requests, metrics *endpoint
	out               *outputWriter
	signals           <-chan os.Signal
	// address is where people find it, and reach where other processes do.
	address, reach string
	// node names this process among those of the house.
	node string
	port int
	// secret is that of the machines, nil where there is one machine.
	secret *sharedSecret
	// doorOnly is why this process never becomes the writer, and needs what the record asks of
	// whoever writes it, nil before it was read.
	doorOnly atomic.Pointer[string]
	needs    atomic.Pointer[needs]
	// skew is by how much, in nanoseconds, the clock of this machine is ahead of that of the database,
	// zero where that does not keep it from becoming the writer.
	skew atomic.Int64
}

// printWaiting says that another process is the writer, or that none is at the moment: one that stopped
// has left its name.
func (o *opening) printWaiting(door *handover) {
	writer, known := door.current()
	what, then := "commands are handed on to "+cmp.Or(writer.Node, writer.Address)+", which writes to the record", "if it ends this machine takes its place"
	if !known {
		what, then = "no machine writes to the record at the moment", "this machine will when it may"
	}
	if o.onlyDoor() != "" {
		then = "this machine stays a door"
	}
	fmt.Fprintf(o.out, "The house is open at http://%s: %s, and %s.\n", o.address, what, then)
}

// keep opens the house from its record and keeps it open until it is to close or cannot
// go on. It calls ready with what answers requests when it takes them. Again is whether it was open before.
func (o *opening) keep(ctx context.Context, store recordStore, ready func(http.Handler), again bool) error {
	p := o.plan
	at, err := notLeft(ctx, store)
	if err != nil {
		return notOpen("the house cannot be opened", err, advice(err))
	}
	signed, err := openNotary(ctx, p.Signing, store, &at)
	if err == nil {
		err = noteSigningKey(p.Signing, store, &at, signed)
	}
	if err != nil {
		return notOpen("the house cannot continue the record", err, advice(err))
	}
	signed.BeforeKept(keepAltered(context.WithoutCancel(ctx), p.Signing, store))
	keys, made, err := openKeys(ctx, store, p.SealKeys)
	if err != nil {
		return notOpen("the house cannot be opened", err, advice(err))
	}
	site := &site{
		plan: p, log: o.log, store: store, record: store, node: o.node, notary: signed, clock: newClock(), acceptClock: o.AcceptClock,
		metrics: o.metrics, secret: o.secret, notes: web.NewNotes(), keys: sealing.NewRing(keys), jumps: make(chan int64, 1), demonstration: o.Config == "", port: o.port,
	}
	if database, ok := store.(*postgres.Store); ok {
		if err := o.secret.make(); err != nil {
			return notOpen("the house cannot be opened", err, "")
		}
		site.reopens, site.confirmedAt, site.epoch = true, database.ConfirmedAt, database.Epoch()
		site.aliveMs = database.Alive().UnixMilli()
		site.failures.noted = map[failure]bool{}
	}
	if o.Config != "" {
		site.maxGapMs = maxGapMs
	}
	site.clock.jumped = site.jumped
	if site.program, err = programFile(); err != nil {
		return fmt.Errorf("the program's own file is not known, so it cannot be checked: %w", err)
	}
	if site.witnesses, err = peers(p.Witnesses); err != nil {
		return usageError{err}
	}
	if err := site.open(ctx, o.out, o.Config); err != nil {
		return notOpen("the house cannot be opened", err, advice(err))
	}
	password, err := site.staff(ctx, o.Config == "")
	if err != nil {
		return fmt.Errorf("the staff of the demonstration: %w", err)
	}
	streams, endStreams := context.WithCancel(ctx)
	defer endStreams()
	answers := site.answers(streams.Done())
	ready(answers.all) // whoever comes now waits for the site
	if made {
		fmt.Fprintf(o.out, "The keys that seal the seeds of rounds in play are new, in %s.\n", p.SealKeys)
	}
	if again {
		fmt.Fprintf(o.out, "The house is open again, from transaction %d on.\n", store.Head().Size-1)
	} else {
		o.greet(o.out, p, o.address, password, site.metrics)
	}
	if o.out.err != nil {
		return o.out.err
	}
	return site.run(streams, endStreams, answers, o.requests, o.out, o.signals)
}

// plan returns the house that is asked for, with the flags in the place of what it
// says itself.
func (cmd *serveCommand) plan(s *streams, log *slog.Logger) (*plan.Plan, error) {
	var p *plan.Plan
	if cmd.Config == "" {
		p = plan.Demonstration()
	} else {
		var remarks []plan.Remark
		var err error
		if p, remarks, err = readPlan(cmd.Config); err != nil {
			return nil, unusable(s, err)
		}
		if len(remarks) > 0 {
			log.Warn("the configuration has warnings: run trey config check", "file", cmd.Config, "remarks", len(remarks))
		}
	}
	p.Listen = cmp.Or(cmd.Listen, p.Listen)
	beyond, err := plan.CheckListen(p.Listen)
	if err != nil {
		return nil, usageError{fmt.Errorf("--listen: %w", err)}
	}
	isAdministrator := func(u plan.User) bool { return u.Role == access.Administrator }
	switch {
	case beyond && cmd.Config == "":
		return nil, usageError{fmt.Errorf("%s can be reached from other machines, and the demonstration has no real users: write a house.toml with some (trey config init), or listen at %s", p.Listen, plan.StandardListen)}
	case beyond && !slices.ContainsFunc(p.Users, isAdministrator):
		return nil, usageError{fmt.Errorf("%s can be reached from other machines, and %s names no administrator in [users]: name one, or listen at %s", p.Listen, cmd.Config, plan.StandardListen)}
	}
	p.Database = cmp.Or(cmd.DB, p.Database)
	server, err := plan.CheckDatabase(p.Database)
	switch {
	case err != nil:
		return nil, usageError{fmt.Errorf("--db: %w", err)}
	case server && cmd.Config == "":
		return nil, usageError{errors.New("a house whose record is in a database has a configuration: write a house.toml (trey config init), and name it with --config")}
	case p.Database == "" && cmd.Config != "":
		return nil, usageError{fmt.Errorf("where is the record kept? Write database = \"house.db\" into %s, or name a file with --db", cmd.Config)}
	case p.Database == "":
		if p.Database, err = demonstrationRecord(); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(filepath.Dir(p.Database), 0o700); err != nil {
			return nil, err
		}
	}
	files, err := recordPlace{Signing: cmd.Signing, Keys: cmd.Keys, Archive: cmd.Archive}.of(p)
	p.Signing, p.SealKeys, p.Archive = files.signing, files.sealKeys, files.archive
	if err != nil {
		return nil, err
	}
	if server && p.Signing == "" {
		return nil, usageError{errNoSigning}
	}
	overridden := map[string]string{}
	for _, flag := range []struct{ key, name, value string }{
		{"database", "--db", cmd.DB}, {"seal_keys", "--keys", cmd.Keys}, {"signing", "--signing", cmd.Signing}, {"archive", "--archive", cmd.Archive},
	} {
		if flag.value != "" || cmd.Config == "" {
			overridden[flag.key] = flag.name
		}
	}
	switch mistakes, lasting := mistakesOutside(cmd.Config, p, overridden); {
	case lasting:
		return nil, unusable(s, mistakes)
	case mistakes != nil: // what is named may come yet: another start may find it
		return nil, printMistakes(s, mistakes)
	}
	return p, nil
}

// witnessTimeout is the time that a witness may take to answer.
const witnessTimeout = 10 * time.Second

// peers returns the witnesses of a plan.
func peers(of []plan.Witness) (all []*notary.Peer, err error) {
	client := &http.Client{Timeout: witnessTimeout}
	for _, w := range of {
		peer, err := notary.NewPeer(w.Name, w.URL, w.Key, client)
		if err != nil {
			return nil, fmt.Errorf("witness %s: %w", w.Name, err)
		}
		all = append(all, peer)
	}
	return all, nil
}

func (cmd *serveCommand) listen(p *plan.Plan) (net.Listener, error) {
	listener, err := net.Listen("tcp", p.Listen)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("another program listens at %s, perhaps another trey: http://%s in a browser shows whose it is; stop it, or choose another address with --listen, such as 127.0.0.1:0 for any port that is free (%w)", p.Listen, p.Listen, err)
	case err != nil:
		return nil, fmt.Errorf("the house cannot listen at %s: %w; choose another address with --listen, such as 127.0.0.1:0 for any port that is free", p.Listen, err)
	}
	return listener, nil
}

// begins refuses to begin a record if the folder has the key of another one: that record was lost,
// or is at another place. It is called before anything is written.
func begins(p *plan.Plan) error {
	if err := notary.Unused(p.Signing); err != nil {
		return fmt.Errorf("%w: nothing is in %s, and %w", errNotBegun, withoutPassword(p.Database), err)
	}
	return nil
}

// errNotBegun is wrapped where no record is begun because the key is that of another one.
var errNotBegun = errors.New("no record is begun")

func (cmd *serveCommand) logger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: slog.LevelWarn}
	if cmd.Debug {
		options.Level = slog.LevelDebug
	}
	if cmd.LogFormat == "json" {
		if !cmd.Debug {
			options.Level = slog.LevelInfo // it is for a machine that collects it
		}
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// reach returns the address at which a browser on this machine finds the house.
func reach(address net.Addr) string {
	if tcp, ok := address.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("localhost:%d", tcp.Port)
	}
	return address.String()
}

// elsewhere is the advice about a file that cannot be opened at all.
const elsewhere = "\nThe record is a file in a directory that is there and can be written: name such a one with --db."

// advice says what to do about a record that cannot be opened.
func advice(err error) string {
	switch {
	case errors.Is(err, sqlite.ErrInUse):
		return "\nAnother trey has it open: stop that one, or name another file with --db."
	case errors.Is(err, postgres.ErrInUse):
		return "\nNothing was changed. Stop every machine of the house, then run it again."
	case errors.Is(err, identity.ErrNoDemonstration):
		return "\nNothing was changed. Open it by its configuration, with --config; a demonstration has a record of its own."
	case errors.Is(err, house.ErrOtherMoney):
		return "\nNothing was changed at its tables. Put money in house.toml back as it was, or begin another record, with --db."
	case errors.Is(err, house.ErrElsewhere):
		return "\nNothing was changed. Open the house where it is now: name that in house.toml, or with --db. If trey move was interrupted, run it again with the same places."
	case errors.Is(err, postgres.ErrNewer):
		return "\nNothing was changed. Open it with the version of trey that changed the tables, or a later one."
	case errors.Is(err, postgres.ErrOlderMachine):
		return "\nNothing was changed. docs/cluster.md says in which order machines are upgraded."
	case errors.Is(err, postgres.ErrUnsafe):
		return "\nNothing was changed. docs/cluster.md says how the servers are set up so that nothing acknowledged is lost."
	case errors.Is(err, sqlite.ErrOtherFile):
		return "\nIt is left as it is: name another file with --db."
	case errors.Is(err, archive.ErrMissing):
		return "\nNothing was changed. trey archive has put months of the record into the files of that folder, and the house answers from all of them."
	case errors.Is(err, archive.ErrDamaged):
		return "\nNothing was recorded, and the record is as it was. Each copy of that file is the same as when trey archive wrote it: put one in its place, then start this again. trey audit --archive proves the files of the folder by themselves. Going on from a copy of the record does not help: it takes the same files."
	case errors.Is(err, sqlite.ErrFull):
		return "\nMake room on the disk, then start it again."
	case errors.Is(err, sqlite.ErrUnwritable), errors.Is(err, sqlite.ErrUnopenable):
		return "\nThe files of a house, and the folder that they lie in, belong to the user that it runs as, on a disk that can be written to: see to the disk, run this as that user, or have chown give them back to it."
	case errors.Is(err, sqlite.ErrDisk):
		return "\nThe disk may be failing, or over a quota, or the files of this program may not grow further (ulimit -f): see what the system says of it. Nothing acknowledged is lost; put that right, then start it again."
	case errors.Is(err, house.ErrClock):
		return "\nNothing was changed. Set the machine's clock; or if it is right, because the house was closed for so long, open it with --accept-clock."
	case errors.Is(err, sqlite.ErrGone):
		return "\nPut the files of the record back, all of one moment and nothing beside them, then start it again. If they are lost, two people decide to go on from a copy: trey restore."
	case errors.Is(err, notary.ErrReplaced):
		return "\nNothing was changed. Copy the folder of the key from the machine on which trey keys rotate-signing was run."
	case errors.Is(err, notary.ErrNoKey):
		return "\nName the folder of its key with --signing. A house goes on from a copy by a decision of two people: trey restore."
	case errors.Is(err, errNotBegun) && errors.Is(err, notary.ErrOtherRecord):
		return "\nNothing was written. Name the record that belongs to the key with database in house.toml or with --db, and see whether its disk is there. If it is lost, two people decide to go on from a copy: trey restore. For a new house name a folder of its own with --signing, or move this one away and keep it."
	case errors.Is(err, notary.ErrOtherRecord):
		return "\nName the folder that belongs to this record with --signing, or the record that belongs to the key with --db."
	case errors.Is(err, notary.ErrRefused):
		return "\nKeep the record and the folder of its key as they are. Either an older copy was put in the place of the record: go on from the newest; or somebody else signs with the house's key. Whoever runs the witness has the checkpoint that it saw."
	case errors.Is(err, notary.ErrNotContinued):
		return "\nNothing was recorded. It is an older copy, or somebody has changed it, or it has taken in a file -wal of another record that lay beside it: keep it as it is, and open the newest record; trey audit says what is wrong with this one. If nothing newer is left, two people decide to go on from a copy: trey restore."
	case errors.Is(err, house.ErrCorrupt):
		return "\nNothing was recorded. Keep the file, or all servers of the database, as they are for whoever finds out why; a file -wal that lay beside the file is in it now, also one of another record. From a copy of a file two people decide to go on: trey restore. A database goes on from its own backups."
	case errors.Is(err, fs.ErrPermission):
		return "\nThe files of a house belong to the user that it runs as: run this as that user, or have chown give the file back to it."
	}
	return ""
}

// greet says what was opened and how to go in.
func (cmd *serveCommand) greet(out io.Writer, p *plan.Plan, address, password string, metrics *endpoint) {
	what := "A house"
	switch {
	case cmd.Config == "":
		what = "A demonstration house with play money"
	case p.PlayMoney:
		what = "A house with play money"
	}
	fmt.Fprintf(out, "%s is open at http://%s\n", what, address)
	if p.Guests.Max > 0 {
		fmt.Fprintf(out, "    Play    open it in a browser and sit down at a table: guests have $%s each\n", p.Guests.Money.Display())
	}
	fmt.Fprintf(out, "    Staff   sign in at http://%s/sign-in", address)
	if password != "" {
		names := staffNames()
		last := len(names) - 1
		fmt.Fprintf(out, " as %s or %s;\n            until it stops, the password of all is %s", strings.Join(names[:last], ", "), names[last], password)
	}
	fmt.Fprintln(out)
	fmt.Fprintf(out, "    Tables  %s\n", tableNames(p.Tables))
	if jackpots := jackpotsOf(p.Tables); len(jackpots) > 0 {
		fmt.Fprintf(out, "    Jackpot %s\n", strings.Join(jackpots, ", "))
	}
	if names := dealerTables(p.Tables); names != "" {
		fmt.Fprintf(out, "    Dealers run %s by hand, at http://%s/console\n", names, address)
	}
	fmt.Fprintf(out, "    Record  %s\n", withoutPassword(p.Database))
	if metrics != nil {
		fmt.Fprintf(out, "    Metrics http://%s\n", metrics.Addr())
	}
	if p.Forward.URL != "" {
		fmt.Fprintf(out, "    Events  significant ones are sent to %s\n", p.Forward.URL)
	}
	if cmd.Config == "" {
		fmt.Fprintf(out, "    Keys    %s, beside the record, as in a demonstration only\n", p.SealKeys)
	} else {
		fmt.Fprintf(out, "    Keys    %s\n", p.SealKeys)
	}
	fmt.Fprintf(out, "    API     described at http://%s/openapi.json\n", address)
	fmt.Fprintln(out, "Ctrl-C finishes the rounds in play and stops.")
}

// dealerTables names the tables that people run.
func dealerTables(all []house.Table) string {
	return tableNames(slices.DeleteFunc(slices.Clone(all), func(t house.Table) bool { return t.Mode != house.DealerRun }))
}

// tableNames lists the tables, or counts them where they are many.
func tableNames(tables []house.Table) string {
	const most = 12
	var names []string
	for i := range tables {
		if i == most {
			return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), len(tables)-most)
		}
		names = append(names, tables[i].Name)
	}
	return strings.Join(names, ", ")
}
