package main

import (
	"archive/tar"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/internal/notary"
	"trey/internal/people"
	"trey/internal/shuffle"
	"trey/internal/store/sqlite"
	"trey/money"
	"trey/rules"
	"trey/rules/books"
	"trey/table"
)

// releases is where the records of releases stand, each packed into a file.
const releases = "testdata/releases"

const (
	// keptKeys is the file of a release that has the transactions of its idempotency keys.
	keptKeys = "keys.json"
	// withoutKeys is the record that was kept before records had any.
	withoutKeys = "v1.tar.zst"
)

// forgotten is the name that was erased from the record of each release.
const forgotten = "wilhelmina-q"

var (
	releaseDealer  = access.Person{Name: "dan", Role: access.Dealer}
	releaseManager = access.Person{Name: "max", Role: access.ShiftManager}
	releaseCashier = access.Person{Name: "kim", Role: access.Cashier}
)

// release is a house of which the record is kept with a release, and its clock.
type release struct {
	*testing.T
	db     string
	nowMs  int64
	store  *sqlite.Store
	notary *notary.Notary
	house  *house.House
	users  *identity.Directory
}

// open opens the house. A clock of zero is that of the machine.
func (r *release) open() {
	r.Helper()
	ctx := r.Context()
	var err error
	r.store, err = sqlite.Open(ctx, r.db)
	r.must(err)
	keys, _, err := openKeys(ctx, r.store, keysBeside(r.db))
	r.must(err)
	r.notary, err = notary.Open(ctx, signingBeside(r.db), r.store)
	r.must(err)
	now := newClock().nowMs
	if r.nowMs != 0 {
		now = func() int64 { r.nowMs++; return r.nowMs }
	}
	r.house, _, err = house.Open(ctx, r.store, house.World{NowMs: now, Sealer: keys, Seed: shuffle.Fresh, Notary: r.notary, Software: "trey of a test"})
	r.must(err)
	r.users, err = identity.Open(ctx, identity.World{
		Record: r.store, Sessions: r.store, NowMs: now, Random: rand.Reader, Sealer: keys, Cost: identity.Cost{MemoryKiB: 8, Passes: 1, Lanes: 1},
	})
	r.must(err)
}

func (r *release) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// close signs what is recorded, and closes the house.
func (r *release) close() {
	r.Helper()
	_, err := r.notary.Sign()
	r.must(err)
	r.must(r.store.Close())
}

func (r *release) cash(reason ledger.Reason, player string, amount money.Amount) {
	r.Helper()
	_, err := r.house.CageTransfer(r.Context(), "", releaseCashier, posting.Transfer{Reason: reason, Player: player, Amount: amount})
	r.must(err)
}

// round plays a round of two boxes at a table, with whatever its book has of bets and
// decisions.
func (r *release) round(name string) {
	r.Helper()
	try := func(by access.Person, do table.Action) error {
		_, err := r.house.Do(r.Context(), house.CommandRequest{Table: name, By: by, Do: do})
		return err
	}
	r.must(try(releaseDealer, table.OpenBets{}))
	for box, player := range []string{"ann", "ben"} {
		by := access.Person{Name: player, Role: access.Player}
		_, err := r.house.AddSeed(r.Context(), "", by, name, 0, "a seed of "+fmt.Sprint(box))
		r.must(err)
		for _, w := range []rules.Wager{rules.Ante, rules.Main, rules.PairPlus, rules.Progressive} {
			amount := 10 * money.Major
			if w == rules.Progressive {
				amount = 5 * money.Major
			}
			_ = try(by, table.Bet{Box: box + 1, Player: player, Wager: w, Amount: amount}) // a book has not all of them
		}
	}
	r.must(try(releaseDealer, table.CloseBets{}))
	r.must(try(releaseDealer, table.Deal{}))
	_ = try(access.Person{Name: "ann", Role: access.Player}, table.Raise{Box: 1, Player: "ann"}) // one book has no decisions
	_ = try(access.Person{Name: "ben", Role: access.Player}, table.Fold{Box: 2, Player: "ben"})
	r.must(try(releaseDealer, table.Reveal{}))
	r.must(try(releaseDealer, table.Settle{}))
}

// keyedCommand is a command that a release has recorded under an idempotency key: as it was
// given, and another one, which the same key refuses.
type keyedCommand struct {
	name        string
	same, other func(key string) (seq int64, err error)
}

// keyedCommands are those of one round at a table, in their order.
func (r *release) keyedCommands(name string) []keyedCommand {
	ann := access.Person{Name: "ann", Role: access.Player}
	buyIn := func(amount money.Amount) func(string) (int64, error) {
		return func(key string) (int64, error) {
			return r.house.CageTransfer(r.Context(), key, releaseCashier, posting.Transfer{Reason: ledger.BuyIn, Player: ann.Name, Amount: amount})
		}
	}
	seed := func(text string) func(string) (int64, error) {
		return func(key string) (int64, error) { return r.house.AddSeed(r.Context(), key, ann, name, 0, text) }
	}
	do := func(by access.Person, action table.Action) func(string) (int64, error) {
		return func(key string) (int64, error) {
			done, err := r.house.Do(r.Context(), house.CommandRequest{Key: key, Table: name, By: by, Do: action})
			return done.Seq, err
		}
	}
	ante := table.Bet{Box: 1, Player: ann.Name, Wager: rules.Ante, Amount: 10 * money.Major}
	more := ante
	more.Amount *= 2
	return []keyedCommand{
		{"buy-in", buyIn(20 * money.Major), buyIn(30 * money.Major)},
		{"open", do(releaseDealer, table.OpenBets{}), do(releaseDealer, table.CloseBets{})},
		{"seed", seed("a seed"), seed("another seed")},
		{"bet", do(ann, ante), do(ann, more)},
		{"close", do(releaseDealer, table.CloseBets{}), do(releaseDealer, table.OpenBets{})},
		// What is recorded of a deal has its cards, and the command had none.
		{"deal", do(releaseDealer, table.Deal{}), do(releaseDealer, table.Reveal{})},
		{"raise", do(ann, table.Raise{Box: 1, Player: ann.Name}), do(ann, table.Fold{Box: 1, Player: ann.Name})},
		{"reveal", do(releaseDealer, table.Reveal{}), do(releaseDealer, table.Deal{})},
		{"settle", do(releaseDealer, table.Settle{}), do(releaseDealer, table.Settle{Box: 1})},
	}
}

// keyedTable is where the commands with a key are given. The first month is archived, and the
// other one stays in the database.
const keyedTable = "us-3cp"

var keyedMonths = []string{"2025-01", "2025-02"}

// giveKeyed plays the round of a month, and notes the transactions by their keys.
func (r *release) giveKeyed(month string, receipts map[string]int64) {
	r.Helper()
	for _, c := range r.keyedCommands(keyedTable) {
		key := month + " " + c.name
		seq, err := c.same(key)
		r.must(err)
		receipts[key] = seq
	}
}

// askAgain holds that each key is answered with the transaction of the first time, that it
// refuses another command, and that neither records anything.
func (r *release) askAgain(receipts map[string]int64) {
	r.Helper()
	before := r.store.Head()
	commands := r.keyedCommands(keyedTable)
	if len(receipts) != len(keyedMonths)*len(commands) {
		r.Errorf("%d keys are kept, and %d commands have one in each of %d months", len(receipts), len(commands), len(keyedMonths))
	}
	for _, month := range keyedMonths {
		for _, c := range commands {
			key := month + " " + c.name
			if seq, err := c.same(key); err != nil || seq == 0 || seq != receipts[key] {
				r.Errorf("the key %q: answered with transaction %d, %v, and was transaction %d", key, seq, err, receipts[key])
			}
			if seq, err := c.other(key); !errors.Is(err, house.ErrKeyReused) {
				r.Errorf("the key %q and another command: answered with transaction %d, %v", key, seq, err)
			}
		}
	}
	if after := r.store.Head(); after != before {
		r.Errorf("asked again, the record has %d leaves, and had %d", after.Size, before.Size)
	}
}

// correct takes a settled wager back after a report.
func (r *release) correct(name string, w rules.Wager) {
	r.Helper()
	_, err := r.house.Do(r.Context(), house.CommandRequest{Table: name, By: releaseDealer, Do: table.Report{Incident: rules.Uncovered, Note: "the dealer paid the wrong box"}})
	r.must(err)
	_, err = r.house.Do(r.Context(), house.CommandRequest{Table: name, By: releaseManager, Do: table.Answer{Answer: "remedy", Remedies: []table.Remedy{
		{Do: table.ReturnStake, Box: 1, Player: "ann", Wager: w, Reason: "the wager stood on the wrong box"},
	}}})
	r.must(err)
}

// rounds returns the records of all rounds that have ended, by table and round.
func (r *release) rounds() map[string][]byte {
	r.Helper()
	all := map[string][]byte{}
	for _, name := range r.house.Tables() {
		state, err := r.house.Table(name)
		r.must(err)
		for n := 1; n <= state.Round(); n++ {
			record, err := r.house.Round(r.Context(), name, n)
			r.must(err)
			all[fmt.Sprintf("%s-%d.json", name, n)] = record.Text
		}
	}
	return all
}

// playRelease makes the record of a release in a folder: a house of four books with a
// jackpot, a report, a correction, commands with idempotency keys, a name that was erased, a
// copy, and an archive of its first month.
func playRelease(t *testing.T, folder string) {
	t.Helper()
	first := time.Date(2025, 1, 15, 12, 0, 0, 0, time.UTC)
	r := &release{T: t, db: filepath.Join(folder, "house.db"), nowMs: first.UnixMilli()}
	r.open()
	admin := access.Person{Name: "ada", Role: access.Administrator}
	for _, b := range books.All() {
		at := house.Table{Name: b.ID, Variant: b.Standard(), Config: table.Config{Device: b.Devices[0].Device, Cards: table.Virtual}}
		if at.Variant.Jackpot != nil {
			at.Jackpot = "linked"
		}
		r.must(r.house.Install(t.Context(), at, admin))
	}
	hash, err := identity.HashPassword("a password of a test", identity.Cost{MemoryKiB: 8, Passes: 1, Lanes: 1}, rand.Reader)
	r.must(err)
	_, _, err = r.users.Ensure(t.Context(), "house.toml", []identity.Initial{
		{Name: "ada", Role: access.Administrator, Hash: hash}, {Name: "sue", Role: access.Administrator, Hash: hash}, {Name: forgotten, Role: access.Player, Hash: hash},
	})
	r.must(err)
	for _, player := range []string{"ann", "ben", forgotten} {
		r.cash(ledger.BuyIn, player, 2000*money.Major)
	}
	for range 2 {
		for _, b := range books.All() {
			r.round(b.ID)
		}
	}
	r.correct("rws-3cp", rules.Ante)
	_, err = r.house.Do(t.Context(), house.CommandRequest{Table: "us-3cp", By: releaseDealer, Do: table.OpenBets{}})
	r.must(err)
	_, err = r.house.Do(t.Context(), house.CommandRequest{Table: "us-3cp", By: access.Person{Name: "ann", Role: access.Player}, Do: table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major}})
	r.must(err)
	_, err = r.house.Do(t.Context(), house.CommandRequest{Table: "us-3cp", By: releaseDealer, Do: table.Report{Incident: rules.Uncovered, Note: "the lamp fell on the table"}})
	r.must(err)
	_, err = r.house.Do(t.Context(), house.CommandRequest{Table: "us-3cp", By: releaseManager, Do: table.Answer{Answer: "void"}})
	r.must(err)
	receipts := map[string]int64{}
	r.giveKeyed(keyedMonths[0], receipts)
	for r.store.Head().Size < 300 { // a segment of an archive holds whole tiles of 256
		r.cash(ledger.BuyIn, "ann", money.Major)
	}
	r.cash(ledger.CashOut, forgotten, 2000*money.Major)
	ada, sue := identity.ChangeRequest{By: admin, Why: "the law says so"}, identity.ChangeRequest{By: access.Person{Name: "sue", Role: access.Administrator}}
	_, err = r.users.Disable(t.Context(), ada, forgotten)
	r.must(err)
	id, _, err := r.users.ProposeChange(t.Context(), ada, identity.Change{Kind: identity.EraseName, Name: forgotten})
	r.must(err)
	r.must(r.users.ApproveChange(t.Context(), sue, id))
	r.close()

	// The machine's clock would date the erasure late.
	r.open()
	erasure, err := r.users.Erasure(forgotten)
	r.must(err)
	r.must(r.house.CheckErasable(forgotten))
	r.must(r.store.Close())
	r.store, err = sqlite.Open(t.Context(), r.db)
	r.must(err)
	_, err = house.RecordErasure(r.store, r.nowMs+1, forgotten, erasure.By, erasure.And, erasure.Why)
	r.must(err)
	r.must(r.store.Close())

	r.nowMs = first.AddDate(0, 1, 0).UnixMilli()
	r.open()
	for _, b := range books.All() {
		r.round(b.ID)
	}
	r.giveKeyed(keyedMonths[1], receipts)
	kept, err := json.Marshal(receipts)
	r.must(err)
	r.must(os.WriteFile(filepath.Join(folder, keptKeys), kept, 0o600))
	_, err = r.notary.Sign()
	r.must(err)
	r.must(os.Mkdir(filepath.Join(folder, "rounds"), 0o700))
	for name, text := range r.rounds() {
		r.must(os.WriteFile(filepath.Join(folder, "rounds", name), text, 0o600))
	}
	r.close()
	if status, out, logs := backup("--db", r.db, filepath.Join(folder, "copy.db")); status != 0 {
		t.Fatalf("backup: status %d: %s%s", status, out, logs)
	}
	cmd := archiveCommand{DB: r.db, Before: "2025-02", now: func() time.Time { return first.AddDate(0, 3, 0) }}
	r.must(cmd.Run(&streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard}))
}

// pack puts the files of a folder into one file.
func pack(folder, file string) error {
	var packed bytes.Buffer
	frame, err := zstd.NewWriter(&packed, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		return err
	}
	w := tar.NewWriter(frame)
	if err := errors.Join(w.AddFS(os.DirFS(folder)), w.Close(), frame.Close()); err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, packed.Bytes(), 0o644))
}

// unpack puts the files of one file into a folder.
func unpack(file, folder string) error {
	packed, err := os.Open(file)
	if err != nil {
		return err
	}
	defer packed.Close() //nolint:errcheck // it was read
	frame, err := zstd.NewReader(packed)
	if err != nil {
		return err
	}
	defer frame.Close()
	for r := tar.NewReader(frame); ; {
		h, err := r.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case h.Typeflag != tar.TypeReg:
			continue
		}
		content, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		path := filepath.Join(folder, filepath.FromSlash(h.Name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, content, 0o600)); err != nil {
			return err
		}
	}
}

// withoutProof returns the record of a round without what comes later or beside it: its
// proof, which a later checkpoint may carry, and the program that wrote it down.
func withoutProof(t *testing.T, text []byte) string {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		t.Fatal(err)
	}
	delete(members, "proof")
	delete(members, "software")
	without, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return string(without)
}

// TestReleases holds that this program opens the record of every release, audits it, its
// archive and its copy, proves its rounds, answers its idempotency keys, and goes on from it.
// TREY_RELEASE=v1 makes the record of a release.
func TestReleases(t *testing.T) {
	t.Parallel()
	if name := os.Getenv("TREY_RELEASE"); name != "" {
		folder := t.TempDir()
		playRelease(t, folder)
		if err := pack(folder, filepath.Join(releases, filepath.Base(name)+".tar.zst")); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadDir(releases)
	if err != nil || len(kept) == 0 {
		t.Fatalf("there is no record of a release: %v", err)
	}
	for _, entry := range kept {
		t.Run(entry.Name(), func(t *testing.T) {
			t.Parallel()
			holdRelease(t, filepath.Join(releases, entry.Name()))
		})
	}
}

// holdRelease goes through all that the record of a release is for.
func holdRelease(t *testing.T, kept string) {
	folder := t.TempDir()
	if err := unpack(kept, folder); err != nil {
		t.Fatal(err)
	}
	if found := filesWith(t, folder, forgotten); found != nil {
		t.Errorf("the erased name is in %q", found)
	}
	key := filepath.Join(folder, "house.signing", "signing.pub")
	public, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	audited := func(args ...string) {
		t.Helper()
		if status, out, logs := auditRun(args...); status != 0 || !strings.Contains(out, "checkpoint   proven") {
			t.Errorf("audit %q: status %d: %s%s", args, status, out, logs)
		}
	}
	db := filepath.Join(folder, "house.db")
	audited("--db", db)
	audited("--archive", filepath.Join(folder, "house.archive"), "--key", string(public))
	audited("--db", filepath.Join(folder, "copy.db"), "--key", string(public), "--checkpoint", filepath.Join(folder, "house.signing", "checkpoint"))

	files, err := filepath.Glob(filepath.Join(folder, "rounds", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no rounds: %v", err)
	}
	var out, logs bytes.Buffer
	if status := run(append([]string{"verify", "--key", key}, files...), strings.NewReader(""), &out, &logs); status != 0 || strings.Count(out.String(), ": proven\n") != len(files) {
		t.Errorf("verify: status %d: %s%s", status, out.String(), logs.String())
	}

	r := &release{T: t, db: db}
	r.open()
	now := r.rounds()
	for _, file := range files {
		text, err := os.ReadFile(file)
		r.must(err)
		if name := filepath.Base(file); withoutProof(t, now[name]) != withoutProof(t, text) {
			t.Errorf("the record of %s was\n%s\nand is\n%s", name, text, now[name])
		}
	}
	if len(now) != len(files) {
		t.Errorf("the house has the rounds %q, and %d are kept", slices.Sorted(maps.Keys(now)), len(files))
	}
	erased := 0
	r.must(r.store.Names(t.Context(), 0, func(n people.Name) error {
		if n.Text == "" {
			erased++
		}
		return nil
	}))
	if erased != 1 {
		t.Errorf("%d names are erased, want 1", erased)
	}
	switch text, err := os.ReadFile(filepath.Join(folder, keptKeys)); {
	case errors.Is(err, os.ErrNotExist) && filepath.Base(kept) == withoutKeys:
	case err != nil:
		t.Errorf("what its idempotency keys were answered with is not kept: %v", err)
	default:
		receipts := map[string]int64{}
		r.must(json.Unmarshal(text, &receipts))
		r.askAgain(receipts)
	}
	// The tables are those of the release: books that were added since have none there.
	tables := r.house.Tables()
	for _, name := range tables {
		r.round(name)
	}
	r.correct("rws-3cp", rules.Ante)
	if later := r.rounds(); len(later) != len(now)+len(tables) {
		t.Errorf("after a round at each table there are %d rounds, and were %d", len(later), len(now))
	}
	r.close()
	audited("--db", db)
}
