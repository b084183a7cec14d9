package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"trey/internal/api"
	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/croupier"
	"trey/internal/house/identity"
	"trey/internal/house/lobby"
	"trey/internal/house/plan"
	"trey/internal/shuffle"
	"trey/internal/store/sqlite"
	"trey/internal/web"
	"trey/rules"
)

// serveCommand opens a house.
type serveCommand struct {
	Config    string `type:"path" placeholder:"FILE" help:"The house.toml of the house; without it, a demonstration with play money."`
	DB        string `name:"db" placeholder:"FILE" help:"The file of the record, before what the configuration says."`
	Listen    string `placeholder:"ADDRESS" help:"The address and port to listen at, before what the configuration says; 127.0.0.1:8080 if nothing does. Port 0 is any that is free."`
	LogFormat string `name:"log-format" enum:"text,json" default:"text" help:"How to write the log, which goes to standard error: text or json."`
	Debug     bool   `help:"Log every request."`
}

// Help is the long help of the command.
func (serveCommand) Help() string {
	return `It opens a house of tables that programs and people reach over HTTP, and prints its address. Everything that happens is recorded before it is answered, and survives the end of the process and of the power: a round that was interrupted ends at the next start by the clause of its book.

Without a configuration it is a demonstration with play money, on this machine only: a table that runs by itself for each book, one more that a dealer runs, and a jackpot over two of them. Its record is kept in your configuration directory, so that it is there again the next time; --db names another file.

With one, its tables are put on the floor, changed from their next round on where the file changed, and closed where it no longer has them. A house that listens beyond this machine has users.

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

func (cmd *serveCommand) serve(s *streams, signals <-chan os.Signal) (err error) {
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
	defer listener.Close() //nolint:errcheck // the server has closed it already
	ctx := context.Background()
	store, err := sqlite.Open(ctx, p.Database)
	if err != nil {
		return fmt.Errorf("the record cannot be opened: %w%s", err, cmp.Or(advice(err), elsewhere))
	}
	defer func() {
		if closeErr := store.Close(); closeErr != nil {
			err = errors.Join(err, closeErr)
		}
	}()

	site := &site{plan: p, log: log, store: store, clock: newClock()}
	out := &teller{out: s.out}
	if err := site.open(ctx, out, cmd.Config); err != nil {
		return fmt.Errorf("the house cannot be opened: %w%s", err, advice(err))
	}
	password, err := site.staff(ctx, cmd.Config == "")
	if err != nil {
		return fmt.Errorf("the staff of the demonstration: %w", err)
	}
	cmd.greet(out, p, reach(listener.Addr()), password)
	if out.err != nil {
		return out.err
	}
	return site.run(ctx, listener, out, signals)
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
			return nil, tellMistakes(s, err)
		}
		if len(remarks) > 0 {
			log.Warn("the configuration says what is allowed but surprising: see trey config check", "file", cmd.Config, "remarks", len(remarks))
		}
	}
	p.Listen = cmp.Or(cmd.Listen, p.Listen)
	beyond, err := plan.CheckListen(p.Listen)
	if err != nil {
		return nil, misuse{fmt.Errorf("--listen: %w", err)}
	}
	isAdministrator := func(u plan.User) bool { return u.Role == access.Administrator }
	switch {
	case beyond && cmd.Config == "":
		return nil, misuse{fmt.Errorf("%s can be reached from other machines, and the demonstration has no real users: write a house.toml with some (trey config init), or listen at %s", p.Listen, plan.StandardListen)}
	case beyond && !slices.ContainsFunc(p.Users, isAdministrator):
		return nil, misuse{fmt.Errorf("%s can be reached from other machines, and %s names no administrator in [users]: name one, or listen at %s", p.Listen, cmd.Config, plan.StandardListen)}
	}
	p.Database = cmp.Or(cmd.DB, p.Database)
	switch {
	case strings.Contains(p.Database, "://"):
		return nil, misuse{fmt.Errorf("--db %s: %w", p.Database, plan.ErrOnlySQLite)}
	case p.Database == "" && cmd.Config != "":
		return nil, misuse{fmt.Errorf("where is the record kept? Write database = \"house.db\" into %s, or name a file with --db", cmd.Config)}
	case p.Database == "":
		if p.Database, err = demonstrationRecord(); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(filepath.Dir(p.Database), 0o700); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// demonstrationRecord is where the record of the demonstration is kept.
func demonstrationRecord() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", misuse{fmt.Errorf("there is no usual place for the record (%w): name a file with --db", err)}
	}
	return filepath.Join(dir, "trey", "demonstration.db"), nil
}

func (cmd *serveCommand) listen(p *plan.Plan) (net.Listener, error) {
	listener, err := net.Listen("tcp", p.Listen)
	if err != nil {
		return nil, fmt.Errorf("nobody can be let in at %s: %w; choose another address with --listen, such as 127.0.0.1:0 for any port that is free", p.Listen, err)
	}
	return listener, nil
}

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

// reach is the address at which a browser on this machine finds the house.
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
	case errors.Is(err, sqlite.ErrOtherFile):
		return "\nIt is left as it is: name another file with --db."
	case errors.Is(err, sqlite.ErrFull):
		return "\nMake room on the disk, then start it again."
	case errors.Is(err, sqlite.ErrGone):
		return "\nPut the files of the record back, all of one moment and nothing beside them, then start it again; or open a copy that trey backup made, with --db."
	case errors.Is(err, house.ErrCorrupt):
		return "\nNothing was changed. Keep the file as it is for whoever finds out why; a copy of an earlier day can be opened with --db."
	}
	return ""
}

// greet says what was opened and how to go in.
func (cmd *serveCommand) greet(out io.Writer, p *plan.Plan, address string, password string) {
	what := "A house"
	switch {
	case cmd.Config == "":
		what = "A demonstration house with play money"
	case p.PlayMoney:
		what = "A house with play money"
	}
	fmt.Fprintf(out, "%s is open at http://%s\n", what, address)
	fmt.Fprintf(out, "    Record  %s\n", p.Database)
	fmt.Fprintf(out, "    Tables  %s\n", tableNames(p.Tables))
	if jackpots := jackpotsOf(p.Tables); len(jackpots) > 0 {
		fmt.Fprintf(out, "    Jackpot %s\n", strings.Join(jackpots, ", "))
	}
	if p.Guests.Max > 0 {
		fmt.Fprintf(out, "    Guests  play for $%s each: curl -X POST http://%s/api/v1/guests\n", p.Guests.Money.Display(), address)
	}
	if password != "" {
		fmt.Fprintf(out, "    Staff   %s; until it stops, the password of all is %s\n", strings.Join(staffNames(), ", "), password)
	}
	fmt.Fprintf(out, "    Programs find all that can be asked at http://%s/openapi.json\n", address)
	fmt.Fprintln(out, "Ctrl-C finishes the rounds in play and stops.")
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

// site is a house that is open.
type site struct {
	plan     *plan.Plan
	log      *slog.Logger
	store    *sqlite.Store
	clock    *clock
	house    *house.House
	people   *identity.People
	lobby    *lobby.Lobby
	croupier *croupier.Croupier
}

// open opens the house from its record and brings it to its plan.
func (s *site) open(ctx context.Context, out io.Writer, source string) error {
	h, stops, err := house.Open(ctx, s.store, house.World{NowMs: s.clock.nowMs, NotBefore: s.notBefore, Seed: shuffle.Fresh, Software: version()})
	if err != nil {
		return err
	}
	s.house = h
	for _, stop := range stops {
		fmt.Fprintln(out, s.interruptionWords(&stop))
	}
	s.people, err = identity.Open(ctx, identity.World{
		Record: s.store, Sessions: s.store, NowMs: s.clock.nowMs, Random: rand.Reader, MaxGuests: s.plan.Guests.Max,
	})
	if err != nil {
		return err
	}
	var initial []identity.Initial
	for _, u := range s.plan.Users {
		initial = append(initial, identity.Initial(u))
	}
	added, err := s.people.Ensure(ctx, source, initial)
	if err != nil {
		return err
	}
	for _, name := range added {
		fmt.Fprintf(out, "User %s is added.\n", name)
	}
	s.lobby = lobby.New(s.people, h, s.plan.Guests.Money)
	first := len(h.Tables()) == 0
	steps, err := s.plan.Apply(ctx, h)
	for _, step := range steps {
		if !first { // a new house says it once, below
			fmt.Fprintf(out, "Table %s %s.\n", step.Table, step.Did)
		}
	}
	if err != nil {
		return err
	}
	s.croupier = croupier.New(h, s.clock.nowMs, s.log)
	return nil
}

// notBefore puts the clock on to the time of the record, if it is behind it.
func (s *site) notBefore(ms int64) {
	if by := s.clock.notBefore(ms); by > 0 {
		s.log.Warn("the record was written by a clock that was ahead of this one: the house goes on from its time", "ahead", time.Duration(by)*time.Millisecond)
	}
}

// interruptionWords says what became of a round that a stop interrupted.
func (s *site) interruptionWords(i *house.Interruption) string {
	words := fmt.Sprintf("Table %s: round %d was interrupted for %s", i.Table, i.Round, time.Duration(i.LastedMs)*time.Millisecond)
	if i.Refused != nil {
		return words + ", and waits: " + i.Refused.Error()
	}
	clause := ""
	if v, err := s.house.RulesAt(i.Table, i.Round); err == nil && i.Clause != "" {
		clause = " (" + v.Book.ClauseRef(i.Clause) + ")"
	}
	switch i.Outcome {
	case rules.Void:
		return words + ", and is void" + clause + ": all bets went back."
	case rules.Continue:
		return words + ", and goes on" + clause + "."
	case rules.OfferWithdrawal:
		return words + ", and goes on" + clause + "; first its players may take their bets back."
	default:
		return words + ": " + i.Outcome.String() + clause + "."
	}
}

// staffNames are the users of a demonstration, one for each function.
func staffNames() []string {
	var names []string
	for _, role := range access.Roles() {
		if role != access.Guest && role != access.Player {
			names = append(names, role.String())
		}
	}
	return names
}

// staff lets the staff of a demonstration in, with a password that nobody knew
// before. A house of its own has its own.
func (s *site) staff(ctx context.Context, demonstration bool) (password string, err error) {
	if !demonstration {
		return "", nil
	}
	var random [10]byte
	if _, err := rand.Read(random[:]); err != nil {
		return "", err
	}
	letters := strings.ToLower(base32.StdEncoding.EncodeToString(random[:]))
	password = strings.Join([]string{letters[:4], letters[4:8], letters[8:12], letters[12:]}, "-")
	by := identity.Order{By: access.Person{Name: "the demonstration", Role: access.Administrator}, Why: "a demonstration is opened"}
	for _, name := range staffNames() {
		role, err := access.ParseRole(name)
		if err != nil {
			return "", err
		}
		if _, err = s.people.User(name); errors.Is(err, identity.ErrUnknown) {
			_, err = s.people.AddUser(ctx, by, name, role, password)
		} else if err == nil {
			err = s.people.SetPassword(ctx, by, name, password)
		}
		if err != nil {
			return "", err
		}
	}
	return password, nil
}

// The bounds of a connection that no handler sets for itself.
const (
	headerTimeout = 5 * time.Second
	readTimeout   = 30 * time.Second
	writeTimeout  = 2 * time.Minute // streams set their own
	idleTimeout   = 2 * time.Minute
	closeTimeout  = 5 * time.Second
	maxHeader     = 32 << 10
)

// run keeps the house open until it is told to close, or cannot go on.
func (s *site) run(ctx context.Context, listener net.Listener, out io.Writer, signals <-chan os.Signal) error {
	// Streams end with their context; the croupier goes on until they have.
	streams, endStreams := context.WithCancel(ctx)
	defer endStreams()
	driving, rest := context.WithCancel(ctx)
	server := &http.Server{
		Handler:           s.door(streams.Done()),
		ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return streams },
		ErrorLog:    slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	var work sync.WaitGroup
	failed := make(chan error, 2)
	work.Go(func() {
		if err := s.croupier.Run(driving); err != nil {
			failed <- err
		}
	})
	work.Go(func() { s.sweep(driving) })
	work.Go(func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			failed <- err
		}
	})
	end := func() {
		endStreams()
		closing, cancel := context.WithTimeout(ctx, closeTimeout)
		defer cancel()
		if server.Shutdown(closing) != nil {
			_ = server.Close() // Who is still there has had his time.
		}
		rest()
		work.Wait()
	}
	defer end()
	work.Go(func() {
		select {
		case <-s.store.Broken():
			// The house finds out when it writes something, and perhaps it was a
			// session that could not be written.
			_ = s.house.CloseDown(ctx)
		case <-driving.Done():
		}
	})
	select {
	case err := <-failed:
		return s.stopped(err, signals)
	case <-signals:
	}
	return s.closeDown(ctx, out, signals, failed)
}

// stoppedTimeout is how long a house that has stopped is still there to say so:
// requests are answered with 503 and /readyz too, until whoever sends them goes
// elsewhere or comes back later.
const stoppedTimeout = 3 * time.Second

// stopped says why the house cannot go on, to those who ask and to its operator. A
// signal makes it short.
func (s *site) stopped(why error, signals <-chan os.Signal) error {
	s.log.Error("the house has to close", "why", why)
	if s.house.Fault() != nil {
		select {
		case <-signals:
		case <-time.After(stoppedTimeout):
		}
	}
	do := advice(why)
	if do == "" {
		do = "\nStart it again when that is put right."
	}
	do += "\nWhat was acknowledged is in the record, and rounds in play end by their clauses at the next start."
	return fmt.Errorf("the house has to close: %w%s", why, do)
}

// door is what answers requests: the interface for programs, and beside it the
// page for people.
func (s *site) door(closing <-chan struct{}) http.Handler {
	programs := api.New(api.Config{
		House: s.house, Identity: s.lobby, Record: s.store, Croupier: s.croupier,
		NowMs: s.clock.nowMs, Name: s.plan.Name, Version: version(), Log: s.log, Secure: s.plan.HTTPS, Limits: limits(s.plan.Requests), Closing: closing,
	})
	mux := http.NewServeMux()
	for _, path := range []string{"/api/", "/healthz", "/readyz", "/metrics", "/openapi.json", "/openapi.yaml"} {
		mux.Handle(path, programs)
	}
	mux.Handle("/", web.New(web.Config{
		Version: version(), Log: s.log, House: s.house, People: s.lobby, Record: s.store, Croupier: s.croupier,
		NowMs: s.clock.nowMs, Secure: s.plan.HTTPS, Guests: s.plan.Guests.Max > 0, Streams: s.plan.Requests.Streams,
	}))
	return mux
}

// limits are what the plan says of requests as the door takes it: twice as many may
// come at once as in the long run.
func limits(r plan.Requests) api.Limits {
	return api.Limits{
		PerAddress: api.Rate{PerSecond: r.Address, Burst: 2 * r.Address}, PerPerson: api.Rate{PerSecond: r.Person, Burst: 2 * r.Person},
		Streams: r.Streams, StreamsEach: r.StreamsEach,
	}
}

// sweep sees to it that people who left are gone.
func (s *site) sweep(ctx context.Context) {
	ticker := time.NewTicker(time.Minute)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := s.lobby.Sweep(ctx); err != nil && ctx.Err() == nil {
				s.log.Warn("sessions that have ended could not be cleared", "why", err)
			}
		}
	}
}

// closeDown lets no new rounds begin and waits for those in play.
func (s *site) closeDown(ctx context.Context, out io.Writer, signals <-chan os.Signal, failed <-chan error) error {
	if err := s.house.CloseDown(ctx); err != nil {
		return s.stopped(err, signals)
	}
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for told := false; ; {
		playing := s.inPlay()
		if len(playing) == 0 {
			break
		}
		if !told {
			told = true
			fmt.Fprintf(out, "\nNo new rounds begin. First %s finished; Ctrl-C again stops at once.\n", roundsWords(playing))
		}
		select {
		case <-ticker.C:
		case err := <-failed:
			return s.stopped(err, signals)
		case <-signals:
			fmt.Fprintf(out, "Stopped at once: %s interrupted; what becomes of it the book says, at the next start.\n", roundsWords(s.inPlay()))
			return errInterrupted
		}
	}
	fmt.Fprintln(out, "The house is closed, and every round is finished.")
	return nil
}

// inPlay lists the tables on which bets lie.
func (s *site) inPlay() []string {
	return slices.DeleteFunc(s.house.Tables(), func(name string) bool {
		is, err := s.house.Table(name)
		return err != nil || is.OnLayout() == 0
	})
}

// roundsWords counts the rounds in play and says where they are, up to a few.
func roundsWords(tables []string) string {
	const most = 5
	if len(tables) == 1 {
		return "the round at " + tables[0] + " is"
	}
	where := strings.Join(tables[:min(most, len(tables))], ", ")
	if len(tables) > most {
		where += " and elsewhere"
	}
	return fmt.Sprintf("the %d rounds at %s are", len(tables), where)
}
