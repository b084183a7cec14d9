package main

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/identity"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/internal/notary"
	"trey/internal/people"
	"trey/internal/shuffle"
	"trey/internal/steady"
	"trey/internal/store/sqlite"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// openRecord is a house whose record a test has open.
type openRecord struct {
	*testing.T
	store *sqlite.Store
	house *house.House
	users *identity.Directory
}

func openRecorded(t *testing.T, db string) *openRecord {
	t.Helper()
	store, err := sqlite.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	keys, _, err := openKeys(t.Context(), store, keysBeside(db))
	if err != nil {
		t.Fatal(err)
	}
	signed, err := notary.Open(t.Context(), signingBeside(db), store)
	if err != nil {
		t.Fatal(err)
	}
	clock := newClock()
	h, _, err := house.Open(t.Context(), store, house.World{NowMs: clock.nowMs, NotBefore: func(ms int64) { clock.notBefore(ms) }, Sealer: keys, Seed: shuffle.Fresh, Notary: signed})
	if err != nil {
		t.Fatal(err)
	}
	users, err := identity.Open(t.Context(), identity.World{
		Record: store, Sessions: store, NowMs: clock.nowMs, Random: rand.Reader, Cost: identity.Cost{MemoryKiB: 8, Passes: 1, Lanes: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	return &openRecord{T: t, store: store, house: h, users: users}
}

func (o *openRecord) must(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

func (o *openRecord) close() {
	o.Helper()
	o.must(o.store.Close())
}

// recorded returns the leaves and the balances of a record as text, the leaves up to a
// number; and the number of its last leaf.
func recorded(t *testing.T, db string, upTo int64) (text string, last int64) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // it was read
	return leavesAndBalances(t, store, upTo)
}

// leavesAndBalances returns the leaves and the balances of a record as text, in order, the
// leaves up to a number; and the number of its last leaf.
func leavesAndBalances(t *testing.T, store house.Store, upTo int64) (text string, last int64) {
	t.Helper()
	var all strings.Builder
	if err := store.Leaves(t.Context(), 0, func(l house.Leaf) error {
		if last = l.Seq; upTo == 0 || l.Seq <= upTo {
			fmt.Fprintf(&all, "%d %s", l.Seq, l.Text())
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	var balances []string
	if _, err := store.Balances(t.Context(), func(a ledger.Account, holds money.Amount) error {
		balances = append(balances, fmt.Sprintf("%s %d\n", a, holds))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(balances)
	return all.String() + strings.Join(balances, ""), last
}

// filesWith lists the files of a folder that hold a text as it stands.
func filesWith(t *testing.T, folder, text string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(text)) {
			found = append(found, entry.Name())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestEraseName holds that a name is erased when two people have agreed and nothing of the
// person is open, and not before; that its bytes are gone from every file and from copies
// made later; that leaves and balances stay; and that whoever comes again under the name
// gets another number.
func TestEraseName(t *testing.T) {
	t.Parallel()
	const name = "wilhelmina-q"
	db := played(t)
	folder := filepath.Dir(db)
	erase := func() (int, string) {
		var out, logs bytes.Buffer
		status := run([]string{"erase-name", name, "--db", db}, strings.NewReader(""), &out, &logs)
		return status, out.String() + logs.String()
	}
	refused := func(why string) {
		t.Helper()
		before, _ := recorded(t, db, 0)
		if status, said := erase(); status == 0 || !strings.Contains(said, why) {
			t.Errorf("status %d: %s; want a refusal with %q", status, said, why)
		}
		if after, _ := recorded(t, db, 0); after != before {
			t.Errorf("a refusal with %q changed the record", why)
		}
	}
	person := access.Person{Name: name, Role: access.Player}
	kim, max := access.Person{Name: "kim", Role: access.Cashier}, access.Person{Name: "max", Role: access.ShiftManager}
	ada := identity.ChangeRequest{By: access.Person{Name: "ada", Role: access.Administrator}, Why: "the law says so"}
	sue := identity.ChangeRequest{By: access.Person{Name: "sue", Role: access.Administrator}}
	cash := func(o *openRecord, reason ledger.Reason, amount money.Amount) {
		_, err := o.house.CageTransfer(t.Context(), "", kim, posting.Transfer{Reason: reason, Player: name, Amount: amount})
		o.must(err)
	}

	o := openRecorded(t, db)
	hash, err := identity.HashPassword("a password of theirs", identity.Cost{MemoryKiB: 8, Passes: 1, Lanes: 1}, rand.Reader)
	o.must(err)
	_, _, err = o.users.Ensure(t.Context(), "house.toml", []identity.Initial{
		{Name: "ada", Role: access.Administrator, Hash: hash}, {Name: "sue", Role: access.Administrator, Hash: hash}, {Name: name, Role: access.Player, Hash: hash},
	})
	o.must(err)
	_, _, err = o.users.Login(t.Context(), identity.Credentials{Name: name, Password: "a password of theirs"})
	o.must(err)
	cash(o, ledger.BuyIn, 50*money.Major)
	o.close()
	if len(filesWith(t, folder, name)) == 0 {
		t.Fatal("no file has the name, so nothing could be found missing")
	}
	refused("disable it first")

	o = openRecorded(t, db)
	_, _, err = o.users.ProposeChange(t.Context(), ada, identity.Change{Kind: identity.EraseName, Name: name})
	if err == nil || !strings.Contains(err.Error(), "disable it first") {
		t.Errorf("the erasure of an account in use is proposed: %v", err)
	}
	_, err = o.users.Disable(t.Context(), ada, name)
	o.must(err)
	o.close()
	refused("no two people have agreed")

	o = openRecorded(t, db)
	id, _, err := o.users.ProposeChange(t.Context(), ada, identity.Change{Kind: identity.EraseName, Name: name})
	o.must(err)
	if err := o.users.ApproveChange(t.Context(), ada, id); err == nil {
		t.Error("one person agrees with themselves")
	}
	o.close()
	refused("no two people have agreed")

	o = openRecorded(t, db)
	o.must(o.users.ApproveChange(t.Context(), sue, id))
	waits, _, err := o.users.ProposeChange(t.Context(), ada, identity.Change{Kind: identity.GivePassword, Name: name, Password: "another password of theirs"})
	o.must(err)
	o.close()
	refused("approve or decline it first")

	o = openRecorded(t, db)
	o.must(o.users.DeclineChange(t.Context(), identity.ChangeRequest{By: sue.By, Why: "not any more"}, waits))
	o.close()
	refused("pay it out or settle it first")

	// A proposal about the person, and a bet in a round that goes on.
	o = openRecorded(t, db)
	cash(o, ledger.CashOut, 50*money.Major)
	proposed, err := o.house.Propose(t.Context(), "", max, house.AdjustAccount{Adjustment: posting.Adjustment{Player: name, Cause: posting.Goodwill, Change: money.Major, Note: "a gift"}})
	o.must(err)
	o.close()
	refused(fmt.Sprintf("proposal %d is by", proposed))

	o = openRecorded(t, db)
	o.must(o.house.Decline(t.Context(), "", max, proposed, "not any more"))
	o.close()

	_, upTo := recorded(t, db, 0)
	before, _ := recorded(t, db, upTo)
	if status, said := erase(); status != 0 || !strings.Contains(said, "The name is erased") {
		t.Fatalf("status %d: %s", status, said)
	}
	if after, last := recorded(t, db, upTo); after != before || last != upTo+1 {
		t.Errorf("the erasure changed the record up to %d, or added %d transactions", upTo, last-upTo)
	}
	// A copy from before has the name: trey restore learns it beside the key.
	noted, err := alteredIn(signingBeside(db))
	o.must(err)
	if !slices.ContainsFunc(slices.Collect(maps.Values(noted.People)), func(a alteration) bool { return a.Erased == upTo+1 }) {
		t.Errorf("beside the key nobody is noted as erased by transaction %d: %+v", upTo+1, noted)
	}
	if found := filesWith(t, folder, name); found != nil {
		t.Errorf("the name is still in %q", found)
	}
	resign(t, db)
	if status, out, logs := auditRun("--db", db); status != 0 {
		t.Errorf("audit: status %d: %s%s", status, out, logs)
	}
	refused("there is no such user")

	later := t.TempDir()
	if status, out, logs := backup("--db", db, filepath.Join(later, "copy.db")); status != 0 {
		t.Errorf("backup: status %d: %s%s", status, out, logs)
	}
	if out, err := archiveLater(t, db, filepath.Join(folder, "house.archive")); err != nil {
		t.Errorf("archive: %s%v", out, err)
	}
	if found := append(filesWith(t, later, name), filesWith(t, folder, name)...); found != nil {
		t.Errorf("after a backup and an archive the name is in %q", found)
	}

	// The number is nobody, and the name is somebody else.
	o = openRecorded(t, db)
	number := func() (of []string) {
		o.must(o.store.Names(t.Context(), 0, func(n people.Name) error {
			if n.Text == name || n.Text == "" {
				of = append(of, fmt.Sprintf("%s %q", people.Token(n.Number), n.Text))
			}
			return nil
		}))
		return of
	}
	erased := number()
	if len(erased) != 1 || !strings.HasSuffix(erased[0], ` ""`) {
		t.Fatalf("erased are %q", erased)
	}
	token, _, _ := strings.Cut(erased[0], " ")
	if _, err := o.users.Enable(t.Context(), ada, token); err == nil {
		t.Error("the number of an erased name is let in again")
	}
	if o.users.IsPlayer(token) {
		t.Error("the number of an erased name is a player's")
	}
	_, err = o.users.AddUser(t.Context(), ada, name, access.Player, "a password of theirs")
	o.must(err)
	cash(o, ledger.BuyIn, 20*money.Major)
	_, err = o.house.Do(t.Context(), house.CommandRequest{Table: "a", By: person, Do: table.Bet{Box: 1, Player: name, Wager: rules.Ante, Amount: 10 * money.Major}})
	if err != nil {
		if _, opened := o.house.DoAsHouse(t.Context(), "", "a", table.OpenBets{}); opened != nil {
			t.Fatal(opened)
		}
		_, err = o.house.Do(t.Context(), house.CommandRequest{Table: "a", By: person, Do: table.Bet{Box: 1, Player: name, Wager: rules.Ante, Amount: 10 * money.Major}})
		o.must(err)
	}
	if now := number(); len(now) != 2 || now[0] != erased[0] {
		t.Errorf("after the name came again the names are %q, and were %q", now, erased)
	}
	o.close()
	resign(t, db)
	if status, out, logs := auditRun("--db", db); status != 0 {
		t.Errorf("audit in the end: status %d: %s%s", status, out, logs)
	}
}

// TestEraseNameInADatabase holds that a name is erased from a record in a database of
// PostgreSQL as from one in a file: the same leaves and balances stay, the audit passes, and
// no row of any table has the name.
func TestEraseNameInADatabase(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	const name = "wilhelmina-q"
	database := databases(t)("house")
	db := signedHouse(t)
	signing, keys := signingBeside(db), keysBeside(db)
	ada := identity.ChangeRequest{By: access.Person{Name: "ada", Role: access.Administrator}, Why: "the law says so"}
	sue := identity.ChangeRequest{By: access.Person{Name: "sue", Role: access.Administrator}}
	o := openRecorded(t, db)
	hash, err := identity.HashPassword("a password of theirs", identity.Cost{MemoryKiB: 8, Passes: 1, Lanes: 1}, rand.Reader)
	o.must(err)
	_, _, err = o.users.Ensure(t.Context(), "house.toml", []identity.Initial{
		{Name: "ada", Role: access.Administrator, Hash: hash}, {Name: "sue", Role: access.Administrator, Hash: hash}, {Name: name, Role: access.Player, Hash: hash},
	})
	o.must(err)
	kim := access.Person{Name: "kim", Role: access.Cashier}
	for _, reason := range []ledger.Reason{ledger.BuyIn, ledger.CashOut} {
		_, err = o.house.CageTransfer(t.Context(), "", kim, posting.Transfer{Reason: reason, Player: name, Amount: 50 * money.Major})
		o.must(err)
	}
	_, err = o.users.Disable(t.Context(), ada, name)
	o.must(err)
	id, _, err := o.users.ProposeChange(t.Context(), ada, identity.Change{Kind: identity.EraseName, Name: name})
	o.must(err)
	o.close()
	resign(t, db)
	if status, out := moved("--from", "sqlite:"+db, "--to", database, "--signing", signing); status != 0 {
		t.Fatalf("move: status %d: %s", status, out)
	}
	erase := func() (int, string) {
		var out, logs bytes.Buffer
		status := run([]string{"erase-name", name, "--db", database, "--keys", keys, "--signing", signing}, strings.NewReader(""), &out, &logs)
		return status, out.String() + logs.String()
	}
	// open opens the record in the database.
	open := func() recordStore {
		t.Helper()
		store, err := openFor(t.Context(), recordFiles{db: database})
		if err != nil {
			t.Fatal(err)
		}
		return store
	}
	// kept returns the leaves up to a number, the balances, and the number of the last leaf.
	kept := func(upTo int64) (text string, last int64) {
		t.Helper()
		store := open()
		defer store.Close() //nolint:errcheck // it was read
		return leavesAndBalances(t, store, upTo)
	}
	_, upTo := kept(0)
	before, _ := kept(upTo)
	if status, said := erase(); status == 0 || !strings.Contains(said, "no two people have agreed") {
		t.Errorf("before a second person agreed: status %d: %s", status, said)
	}
	if after, last := kept(upTo); after != before || last != upTo {
		t.Errorf("a refusal changed the record, or added %d transactions", last-upTo)
	}

	store := open()
	users, err := identity.Open(t.Context(), identity.World{
		Record: store, Sessions: store, NowMs: newClock().nowMs, Random: rand.Reader, Cost: identity.Cost{MemoryKiB: 8, Passes: 1, Lanes: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := users.ApproveChange(t.Context(), sue, id); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if len(rowsWith(t, database, name)) == 0 {
		t.Fatal("no table has the name, so nothing could be found missing")
	}
	_, upTo = kept(0)
	before, _ = kept(upTo)
	if status, said := erase(); status != 0 || !strings.Contains(said, "The name is erased") {
		t.Fatalf("status %d: %s", status, said)
	}
	if after, last := kept(upTo); after != before || last != upTo+1 {
		t.Errorf("the erasure changed the record up to %d, or added %d transactions", upTo, last-upTo)
	}
	if found := rowsWith(t, database, name); found != nil {
		t.Errorf("the name is still in the tables %q", found)
	}
	if status, out, logs := auditRun("--db", database, "--signing", signing); status != 0 || !strings.Contains(out, "people       proven") || !strings.Contains(out, "checkpoint   proven") {
		t.Errorf("audit: status %d: %s%s", status, out, logs)
	}
	if status, said := erase(); status == 0 || !strings.Contains(said, "there is no such user") {
		t.Errorf("again: status %d: %s", status, said)
	}
}

// rowsWith lists the tables of a database that hold a text.
func rowsWith(t *testing.T, database, text string) (found []string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context()) //nolint:errcheck // it was read
	rows, err := conn.Query(t.Context(), "SELECT table_name::text FROM information_schema.tables WHERE table_schema = current_schema()")
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) == 0 {
		t.Fatal(tables, err)
	}
	for _, table := range tables {
		var with int
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM "+table+" AS r WHERE r::text LIKE '%' || $1 || '%'", text).Scan(&with); err != nil {
			t.Fatal(err)
		}
		if with > 0 {
			found = append(found, table)
		}
	}
	return found
}
