package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/fair"
	"trey/internal/house/identity"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/internal/notary"
	"trey/internal/shuffle"
	"trey/internal/steady"
	"trey/internal/store/row"
	"trey/internal/store/sqlite"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// lostHouse is a house whose record was lost after a copy was made of it.
type lostHouse struct {
	folder, config, db, copied string
	name                       string // of its tree
	through, known             int64
	seeds                      map[string]fair.Hash // the commitments in the copy, by table
	session                    string               // of ada
	fill, change               int64                // what waits for a second person, of money and of users
}

const lostConfig = `
database = "house.db"
money = "real"
[pace]
betting = "20s"
decision = "30s"
option = "45s"
deal = "0s"
show = "0s"
[users.ada]
role = "administrator"
password = %[1]q
[users.sam]
role = "shift-manager"
password = %[1]q
[users.kim]
role = "cashier"
password = %[1]q
[users.tom]
role = "administrator"
password = %[1]q
[tables.playing]
book = "us-3cp"
[tables.idle]
book = "rws-3cp@3"
[tables.dealt]
book = "mbs-3pictures@2"
mode = "dealer"
`

const lostPassword = "the disk failed on sunday"

// loseHouse makes a house and loses it. What is to be in the copy besides is done before.
func loseHouse(t *testing.T, before ...func(*lostHouse, *sqlite.Store)) *lostHouse {
	t.Helper()
	return loseHouseAfter(t, func(*house.House, *identity.Directory) {}, before...)
}

// loseHouseAfter is [loseHouse] where more is done that the copy lacks.
func loseHouseAfter(t *testing.T, after func(*house.House, *identity.Directory), before ...func(*lostHouse, *sqlite.Store)) *lostHouse {
	t.Helper()
	l := &lostHouse{folder: t.TempDir(), seeds: map[string]fair.Hash{}}
	l.config, l.db, l.copied = filepath.Join(l.folder, "house.toml"), filepath.Join(l.folder, "house.db"), filepath.Join(l.folder, "copy.db")
	hash := hashOf(t, lostPassword)
	if err := os.WriteFile(l.config, fmt.Appendf(nil, lostConfig, hash), 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(t.Context(), l.db)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := notary.Open(t.Context(), signingBeside(l.db), store)
	if err != nil {
		t.Fatal(err)
	}
	signed.BeforeKept(keepAltered(t.Context(), signingBeside(l.db), store))
	p, _, err := readPlan(l.config)
	if err != nil {
		t.Fatal(err)
	}
	people, err := identity.Open(t.Context(), identity.World{Record: store, Sessions: store, NowMs: newClock().nowMs, Random: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	var initial []identity.Initial
	for _, u := range p.Users {
		initial = append(initial, identity.Initial(u))
	}
	if _, _, err := people.Ensure(t.Context(), l.config, initial); err != nil {
		t.Fatal(err)
	}
	if _, _, err := people.AddToken(t.Context(), identity.ChangeRequest{By: access.Person{Name: "ada", Role: access.Administrator}, Why: "a screen"}, "screen", access.Surveillance, newClock().nowMs()+3_600_000); err != nil {
		t.Fatal(err)
	}
	h, _, err := house.Open(t.Context(), store, house.World{NowMs: newClock().nowMs, Sealer: l.sealer(t, store), Seed: shuffle.Fresh, Notary: signed})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Apply(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	kim, ann := access.Person{Name: "kim", Role: access.Cashier}, access.Person{Name: "ann", Role: access.Player}
	_, err = h.CageTransfer(t.Context(), "", kim, posting.Transfer{Reason: ledger.BuyIn, Player: "ann", Amount: 100 * money.Major})
	if err == nil {
		_, err = h.DoAsHouse(t.Context(), "", "playing", table.OpenBets{})
	}
	if err == nil {
		_, err = h.Do(t.Context(), house.CommandRequest{Table: "playing", By: ann, Do: table.Bet{Box: 1, Player: "ann", Wager: rules.Ante, Amount: 10 * money.Major}})
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range h.Tables() {
		if _, hash, _, ok := h.Commitment(name); ok {
			l.seeds[name] = hash
		}
	}
	l.before(t, h, people)
	for _, do := range before {
		do(l, store)
	}
	if err := sqlite.Copy(t.Context(), l.db, l.copied); err != nil {
		t.Fatal(err)
	}
	l.through = store.Head().Size - 1
	// What the copy lacks.
	if _, err := h.CageTransfer(t.Context(), "", kim, posting.Transfer{Reason: ledger.BuyIn, Player: "ann", Amount: 900 * money.Major}); err != nil {
		t.Fatal(err)
	}
	after(h, people)
	c, err := signed.Sign()
	if err != nil {
		t.Fatal(err)
	}
	l.known, l.name = c.Size-1, c.Name
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(l.db, l.db+".lost"); err != nil {
		t.Fatal(err)
	}
	return l
}

// before does what the copy has: somebody is signed in, changes of money and of users wait
// for a second person, a player is excluded, and ada has made an account.
func (l *lostHouse) before(t *testing.T, h *house.House, people *identity.Directory) {
	t.Helper()
	ada, sam, tom := access.Person{Name: "ada", Role: access.Administrator}, access.Person{Name: "sam", Role: access.ShiftManager}, access.Person{Name: "tom", Role: access.Administrator}
	var err error
	if l.session, _, err = people.Login(t.Context(), identity.Credentials{Name: "ada", Password: lostPassword}); err != nil {
		t.Fatal(err)
	}
	if l.fill, err = h.Propose(t.Context(), "", sam, house.Fill{Table: "dealt", Amount: 50 * money.Major}); err != nil {
		t.Fatal(err)
	}
	order := identity.ChangeRequest{By: ada, Why: "a test"}
	max := identity.Change{Kind: identity.AddUser, Name: "max", Role: access.ShiftManager, Password: "chosen for them at first"}
	id, _, err := people.ProposeChange(t.Context(), order, max)
	if err == nil {
		err = people.ApproveChange(t.Context(), identity.ChangeRequest{By: tom}, id)
	}
	if err == nil {
		err = people.ChangePassword(t.Context(), identity.ChangeRequest{By: access.Person{Name: "max", Role: access.ShiftManager}}, netip.IPv6Loopback(), "chosen for them at first", lostPassword)
	}
	if err == nil {
		max.Name = "mia"
		l.change, _, err = people.ProposeChange(t.Context(), order, max)
	}
	if err == nil {
		err = h.Exclude(t.Context(), "", sam, "bob", 0, "asked for it")
	}
	if err != nil {
		t.Fatal(err)
	}
}

// sealer holds the keys of the house.
func (l *lostHouse) sealer(t *testing.T, store house.Store) house.Sealer {
	t.Helper()
	keys, _, err := openKeys(t.Context(), store, keysBeside(l.config))
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func (l *lostHouse) restore(passwords string, args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = run(append([]string{"restore", "--config", l.config}, args...), strings.NewReader(passwords), &out, &err)
	return status, out.String(), err.String()
}

const both = lostPassword + "\n" + lostPassword + "\n"

func TestRestore(t *testing.T) {
	t.Parallel()
	l := loseHouse(t)
	status, out, logs := l.restore(both, l.copied, "--by", "sam", "--and", "ada", "--why", "the disk failed")
	if status != 0 {
		t.Fatalf("status %d: %s%s", status, out, logs)
	}
	for _, want := range []string{
		fmt.Sprintf("goes on from transaction %d of %s", l.through, l.name),
		fmt.Sprintf("Transactions %d to %d of it were signed and are not in the copy", l.through+1, l.known),
		"Table playing: round 1 was interrupted", "1 token of a machine is revoked, and 2 proposals are declined", "limits and exclusions of players", ".signing.of-",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not said in\n%s", want, out)
		}
	}
	// It holds, under another name and key, and its first leaf names what it lacks.
	if status, out, logs := auditRun("--config", l.config); status != 0 || !strings.Contains(out, "checkpoint   proven") || strings.Contains(out, "Its tree is "+l.name) {
		t.Errorf("audit: status %d: %s%s", status, out, logs)
	}
	store, err := sqlite.Open(t.Context(), l.db)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(store.Origin()), fmt.Sprintf(`continues "%s\n%d\n`, l.name, l.known+1)) {
		t.Errorf("leaf 0 is %q", store.Origin())
	}
	var found house.Restored
	if err := house.Named(store).Read(t.Context(), "house", 0, func(r house.StoredEvent) error {
		if r.Kind == "restored" {
			return json.Unmarshal(r.Body, &found)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if found.By.Name != "sam" || found.And.Name != "ada" || found.Through != l.through || found.Known != l.known || found.Why != "the disk failed" {
		t.Errorf("recorded is %+v", found)
	}
	h, _, err := house.Open(t.Context(), store, house.World{NowMs: newClock().nowMs, Sealer: l.sealer(t, store), Seed: shuffle.Fresh})
	if err != nil {
		t.Fatal(err)
	}
	if len(l.seeds) < 2 {
		t.Fatalf("the copy has commitments %v", l.seeds)
	}
	for name, old := range l.seeds {
		if _, now, _, ok := h.Commitment(name); !ok || now == old {
			t.Errorf("table %s is to be dealt from a seed of the copy still", name)
		}
	}
	// What waited for a second person does so no more, nobody is signed in, and whoever was
	// excluded is.
	sam := access.Person{Name: "sam", Role: access.ShiftManager}
	if _, err := h.Approve(t.Context(), "", access.Person{Name: "kim", Role: access.Cashier}, l.fill); !errors.Is(err, house.ErrDecided) {
		t.Errorf("a fill of the copy is approved: %v", err)
	}
	people, err := identity.Open(t.Context(), identity.World{Record: store, Sessions: store, NowMs: newClock().nowMs, Random: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	if err := people.ApproveChange(t.Context(), identity.ChangeRequest{By: sam}, l.change); !errors.Is(err, house.ErrDecided) {
		t.Errorf("a user of the copy is approved: %v", err)
	}
	if _, err := people.Check(l.session); !errors.Is(err, identity.ErrNoSession) {
		t.Errorf("a session of the copy: %v", err)
	}
	if p, err := h.Protection(t.Context(), "bob"); err != nil || p.Exclusion(newClock().nowMs()) == nil {
		t.Errorf("the exclusion of bob: %+v, %v", p, err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	// What was signed before is proved by the key that is kept.
	kept := filepath.Join(l.folder, "house.signing.of-"+strings.TrimPrefix(l.name, "trey-house/"))
	if c, err := notary.LastIn(kept); err != nil || c.Size-1 != l.known {
		t.Errorf("the last checkpoint of the tree before: %+v, %v", c, err)
	}
	if status, out, logs := auditRun("--db", l.db+".lost", "--signing", kept); status != 0 {
		t.Errorf("the record that was lost: status %d: %s%s", status, out, logs)
	}
	o := start(t, serveCommand{Config: l.config})
	if status, body := o.get(t, "/log/checkpoint"); status != 200 || strings.HasPrefix(body, l.name) {
		t.Errorf("the checkpoint: %d %s", status, body)
	}
	o.signals <- os.Interrupt
	if err := o.stop(t); err != nil && !errors.Is(err, errInterrupted) {
		t.Error(err)
	}
}

// A house whose database was set up from an older backup of its own goes on from that as from a copy,
// and moves into an empty database: nothing is read from the older one after that.
func TestRestoreFromADatabase(t *testing.T) {
	t.Parallel()
	server := databases(t)
	l := loseHouse(t)
	older := filledWith(t, server("older"), l.copied)
	status, out, logs := l.restore(both, older, "--by", "sam", "--and", "ada", "--why", "both disks failed")
	if status != 0 || !strings.Contains(out, fmt.Sprintf("Transactions %d to %d of it were signed and are not in the copy", l.through+1, l.known)) || !strings.Contains(out, "2 proposals are declined") {
		t.Fatalf("status %d: %s%s", status, out, logs)
	}
	empty := server("empty")
	var moved, said bytes.Buffer
	if status := run([]string{"move", "--config", l.config, "--from", "sqlite:" + l.db, "--to", empty, "--why", "back into a database"}, strings.NewReader(""), &moved, &said); status != 0 {
		t.Fatalf("the move: status %d: %s%s", status, &moved, &said)
	}
	if status, out, logs := auditRun("--db", empty, "--signing", signingBeside(l.db)); status != 0 || !strings.Contains(out, "checkpoint   proven") || strings.Contains(out, "Its tree is "+l.name) {
		t.Errorf("audit: status %d: %s%s", status, out, logs)
	}
}

// A house that went on from a copy, and is to go on from it once more, is told where the key of that
// record is, and what to do with it.
func TestRestoreFromTheSameCopyAgain(t *testing.T) {
	t.Parallel()
	l := loseHouse(t)
	signing := filepath.Join(l.folder, "house.signing")
	kept := signing + ".of-" + strings.TrimPrefix(l.name, "trey-house/")
	again := func() (int, string, string) {
		return l.restore(both, l.copied, "--by", "sam", "--and", "ada", "--why", "the disk failed")
	}
	if status, out, logs := again(); status != 0 {
		t.Fatalf("status %d: %s%s", status, out, logs)
	}
	if err := os.Rename(l.db, l.db+".lost-too"); err != nil {
		t.Fatal(err)
	}
	if status, out, logs := again(); status != exitFound || !strings.Contains(logs, "move "+signing+" away, keep it, and put "+kept+" in its place") {
		t.Fatalf("status %d: %s%s", status, out, logs)
	}
	if err := os.Rename(signing, signing+".second"); err != nil {
		t.Fatal(err)
	}
	copyFolder(t, kept, signing)
	if status, out, logs := again(); status != exitFound || !strings.Contains(logs, kept+", and that is there: if it is a copy of the same folder, move it away") || !missing(l.db) {
		t.Errorf("the folder was copied: status %d: %s%s", status, out, logs)
	}
	if err := os.Rename(kept, kept+".away"); err != nil {
		t.Fatal(err)
	}
	if status, out, logs := again(); status != 0 || !strings.Contains(out, fmt.Sprintf("Transactions %d to %d of it were signed", l.through+1, l.known)) {
		t.Fatalf("status %d: %s%s", status, out, logs)
	}
	if status, out, logs := auditRun("--config", l.config); status != 0 || !strings.Contains(out, "checkpoint   proven") {
		t.Errorf("audit: status %d: %s%s", status, out, logs)
	}
}

// Where the power fails while the record and its key are put in their places, the same command
// begins anew, with the key and the last checkpoint of the tree before.
func TestRestoreIsCutShort(t *testing.T) {
	t.Parallel()
	l := loseHouse(t)
	signing := filepath.Join(l.folder, "house.signing")
	for _, back := range [][]string{nil, {l.db}, {l.db, signing}} {
		for _, path := range back { // to where it was before that step
			if err := os.Rename(path, path+".restoring"); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(l.db+".unfinished.1.trey.part", nil, 0o600); err != nil {
			t.Fatal(err)
		}
		status, out, logs := l.restore(both, l.copied, "--by", "sam", "--and", "ada", "--why", "the disk failed")
		if status != 0 || !strings.Contains(out, fmt.Sprintf("Transactions %d to %d of it were signed and are not in the copy", l.through+1, l.known)) {
			t.Fatalf("%d steps are missing: status %d: %s%s", len(back), status, out, logs)
		}
		if status, out, logs := auditRun("--config", l.config); status != 0 || !strings.Contains(out, "checkpoint   proven") {
			t.Errorf("%d steps are missing: audit: status %d: %s%s", len(back), status, out, logs)
		}
		if left, err := filepath.Glob(filepath.Join(l.folder, "*.restoring*")); err != nil || len(left) > 0 {
			t.Errorf("%d steps are missing: %v is left, %v", len(back), left, err)
		}
	}
}

// TestARestorationIsKilled holds that one which is killed at any step is begun anew by the same command,
// and that the key of the tree before is never lost, with what it signed last: also where the house had
// gone on from a copy before.
func TestARestorationIsKilled(t *testing.T) {
	t.Parallel()
	for i, step := range []string{"copied", "begun", "finished", "kept", "signing"} {
		if !steady.Turn(i, 2) {
			continue
		}
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			l := loseHouse(t)
			signing := filepath.Join(l.folder, "house.signing")
			args := []string{"restore", "--config", l.config, l.copied, "--by", "sam", "--and", "ada", "--why", "the disk failed"}
			for range 2 {
				key := keyThere(t, signing)
				if out, err := killAfter(t, step, both, args...); err == nil {
					t.Fatalf("it was not killed: %s", out)
				}
				if !missing(l.db) {
					t.Fatal("there is a record already")
				}
				status, out, logs := l.restore(both, args[3:]...)
				if status != 0 || !strings.Contains(out, "were signed and are not in the copy") {
					t.Fatalf("status %d: %s%s", status, out, logs)
				}
				_, kept, found := strings.Cut(out, "The key of the tree before is kept in ")
				kept, _, _ = strings.Cut(kept, ":")
				if !found || keyThere(t, kept) != key {
					t.Errorf("the key of the tree before is not in %s", kept)
				}
				if status, out, logs := auditRun("--config", l.config); status != 0 || !strings.Contains(out, "checkpoint   proven") {
					t.Errorf("audit: status %d: %s%s", status, out, logs)
				}
				// It goes on, and is lost again: from now on the copy is of a house that went on from one.
				l.copied = filepath.Join(t.TempDir(), "second.db")
				if err := sqlite.Copy(t.Context(), l.db, l.copied); err != nil {
					t.Fatal(err)
				}
				args[3] = l.copied
				appendSigned(t, l.db)
				if err := os.Rename(l.db, filepath.Join(t.TempDir(), "lost.db")); err != nil {
					t.Fatal(err)
				}
			}
			if left := folderFiles(t, l.folder); strings.Contains(left, "restoring") || strings.Contains(left, "unfinished") {
				t.Errorf("there is %s", left)
			}
		})
	}
}

// Whoever was changed after the copy was made is named, and nobody else; who was shut out is so
// again, and does not decide. Where the file that says so is gone or damaged, that is said.
func TestRestoreNamesWhoWasChanged(t *testing.T) {
	t.Parallel()
	ada, tom := access.Person{Name: "ada", Role: access.Administrator}, access.Person{Name: "tom", Role: access.Administrator}
	order := identity.ChangeRequest{By: ada, Why: "a test"}
	both := func(people *identity.Directory, c identity.Change) {
		t.Helper()
		id, _, err := people.ProposeChange(t.Context(), order, c)
		if err == nil {
			err = people.ApproveChange(t.Context(), identity.ChangeRequest{By: tom}, id)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	changed := func(h *house.House, people *identity.Directory) {
		if _, err := people.Disable(t.Context(), order, "kim"); err != nil {
			t.Fatal(err)
		}
		both(people, identity.Change{Kind: identity.AddUser, Name: "eve", Role: access.Cashier, Password: "chosen for them at first"})
		max := access.Person{Name: "max", Role: access.ShiftManager}
		if err := people.ChangePassword(t.Context(), identity.ChangeRequest{By: max}, netip.IPv6Loopback(), lostPassword, "another one for today"); err != nil {
			t.Fatal(err)
		}
		if err := h.Exclude(t.Context(), "", access.Person{Name: "sam", Role: access.ShiftManager}, "ann", 0, "asked for it"); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("named", func(t *testing.T) {
		t.Parallel()
		l := loseHouseAfter(t, changed)
		status, out, logs := l.restore(lostPassword+"\n"+lostPassword+"\n", l.copied, "--by", "sam", "--and", "ada", "--why", "the disk failed")
		if status != 0 {
			t.Fatalf("status %d: %s%s", status, out, logs)
		}
		_, list, _ := strings.Cut(out, "These were changed after it: make the changes again before players come in.\n")
		named := regexp.MustCompile(`(?m)^        (\S+)(?: \(#\d+\))?(, whose name the copy does not have)?: (.*)$`).FindAllStringSubmatch(list, -1)
		got := map[string]string{}
		for _, line := range named {
			name := line[1]
			if line[2] != "" {
				name = "unknown"
			}
			got[name] = regexp.MustCompile(`transaction \d+`).ReplaceAllString(line[3], "transaction N")
		}
		if want := map[string]string{
			"kim":     "shut out (transaction N). Shut out again.",
			"max":     "changed in the account (transaction N).",
			"ann":     "given other limits, a pause or an exclusion (transaction N).",
			"unknown": "changed in the account (transaction N).",
		}; !maps.Equal(got, want) {
			t.Errorf("named are %q\n%s", got, out)
		}
		store, err := sqlite.Open(t.Context(), l.db)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close() //nolint:errcheck // it is only read
		people, err := identity.Open(t.Context(), identity.World{Record: store, Sessions: store, NowMs: newClock().nowMs, Random: rand.Reader})
		if err != nil {
			t.Fatal(err)
		}
		if u, err := people.User("kim"); err != nil || !u.Disabled {
			t.Errorf("kim may sign in: %+v, %v", u, err)
		}
		ended := map[string]bool{}
		if err := house.Named(store).Read(t.Context(), identity.Stream, 0, func(r house.StoredEvent) error {
			var e struct{ Name, Why string }
			if r.Kind == "sessions-ended" && json.Unmarshal(r.Body, &e) == nil && e.Why == "the disk failed" {
				ended[e.Name] = true
			}
			return nil
		}); err != nil || !maps.Equal(ended, map[string]bool{"max": true}) {
			t.Errorf("the record names %v, %v", ended, err)
		}
	})
	t.Run("the decision of who was shut out", func(t *testing.T) {
		t.Parallel()
		l := loseHouseAfter(t, func(_ *house.House, people *identity.Directory) {
			if _, err := people.Disable(t.Context(), identity.ChangeRequest{By: tom, Why: "a test"}, "ada"); err != nil {
				t.Fatal(err)
			}
		})
		status, out, logs := l.restore(lostPassword+"\n"+lostPassword+"\n", l.copied, "--by", "sam", "--and", "ada", "--why", "x")
		if status != exitFound || !strings.Contains(logs, "ada was shut out (transaction ") || !strings.Contains(logs, "somebody else has to decide") {
			t.Errorf("status %d: %s%s", status, out, logs)
		}
		if status, out, logs := l.restore(lostPassword+"\n"+lostPassword+"\n", l.copied, "--by", "sam", "--and", "tom", "--why", "x"); status != 0 || !strings.Contains(out, "ada (#") {
			t.Errorf("somebody else: status %d: %s%s", status, out, logs)
		}
	})
	for name, do := range map[string]struct {
		to   func(file string) error
		want string
	}{
		"the file is gone":       {os.Remove, "are not known, because the file that says so is not beside the key: find out"},
		"the file is damaged":    {func(file string) error { return os.WriteFile(file, []byte("{"), 0o600) }, "are not known, because "},
		"the file is of another": {func(file string) error { return os.WriteFile(file, []byte(`{"form":"trey altered v2"}`), 0o600) }, `"trey altered v2", and this program reads "trey altered v1"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := loseHouseAfter(t, changed)
			if err := do.to(filepath.Join(signingBeside(l.db), notary.AlteredFile)); err != nil {
				t.Fatal(err)
			}
			if status, out, logs := l.restore(lostPassword+"\n"+lostPassword+"\n", l.copied, "--by", "sam", "--and", "ada", "--why", "x"); status != 0 || !strings.Contains(out, do.want) {
				t.Errorf("status %d: %s%s", status, out, logs)
			}
		})
	}
}

// Who was let in by trey recover is named too, although the house did not open in between and so
// has signed nothing since.
func TestRestoreNamesWhoWasRecovered(t *testing.T) {
	t.Parallel()
	l := loseHouse(t)
	if err := os.Rename(l.db+".lost", l.db); err != nil {
		t.Fatal(err)
	}
	var out, logs bytes.Buffer
	if status := run([]string{"recover", "kim", "--config", l.config, "--why", "a test"}, strings.NewReader("a password of the operator\n"), &out, &logs); status != 0 {
		t.Fatalf("status %d: %s%s", status, &out, &logs)
	}
	if err := os.Rename(l.db, l.db+".lost again"); err != nil {
		t.Fatal(err)
	}
	status, said, failed := l.restore(both, l.copied, "--by", "sam", "--and", "ada", "--why", "the disk failed")
	if status != 0 {
		t.Fatalf("status %d: %s%s", status, said, failed)
	}
	if want := "kim (#3): changed in the account"; !strings.Contains(said, want) {
		t.Errorf("%q is not said in\n%s", want, said)
	}
}

// A house that goes on brings the file up to its record, and makes one that is missing anew.
func TestAlteredPeopleAreKept(t *testing.T) {
	t.Parallel()
	l := loseHouseAfter(t, func(_ *house.House, people *identity.Directory) {
		if _, err := people.Disable(t.Context(), identity.ChangeRequest{By: access.Person{Name: "ada", Role: access.Administrator}, Why: "a test"}, "kim"); err != nil {
			t.Fatal(err)
		}
	})
	if err := os.Rename(l.db+".lost", l.db); err != nil {
		t.Fatal(err)
	}
	before, err := alteredIn(signingBeside(l.db))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(before.People); n != 5+1 || before.Through < l.through { // ada, sam, kim, tom, max, and bob, who is excluded
		t.Errorf("%d people: %+v", n, before)
	}
	if err := os.Remove(before.path); err != nil {
		t.Fatal(err)
	}
	o := start(t, serveCommand{Config: l.config})
	o.signals <- os.Interrupt
	if err := o.stop(t); err != nil && !errors.Is(err, errInterrupted) {
		t.Error(err)
	}
	if after, err := alteredIn(signingBeside(l.db)); err != nil || !maps.Equal(after.People, before.People) {
		t.Errorf("it was made anew as %+v, not as %+v: %v", after, before, err)
	}
}

// After a crash the log of the record that was lost can lie where the record was. SQLite would
// write what is in it over the copy, so there is no restoring until it is moved away.
func TestRestoreRefusesTheLogOfTheLostRecord(t *testing.T) {
	t.Parallel()
	l := loseHouse(t)
	if err := os.WriteFile(l.db+"-wal", []byte("what was written last"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := folderFiles(t, l.folder)
	args := []string{l.copied, "--by", "sam", "--and", "ada", "--why", "the disk failed"}
	if status, out, logs := l.restore(both, args...); status != exitUsage || !strings.Contains(logs, l.db+"-wal has what was written last") {
		t.Errorf("status %d: %s%s", status, out, logs)
	}
	if after := folderFiles(t, l.folder); after != before {
		t.Errorf("the folder holds %s, and held %s", after, before)
	}
	if err := os.Remove(l.db + "-wal"); err != nil {
		t.Fatal(err)
	}
	if status, out, logs := l.restore(both, args...); status != 0 {
		t.Fatalf("status %d: %s%s", status, out, logs)
	}
	if status, out, logs := auditRun("--config", l.config); status != 0 {
		t.Errorf("audit: status %d: %s%s", status, out, logs)
	}
}

// Nobody alone goes on from a copy, and nothing of it stays behind where it is refused.
func TestRestoreTakesTwoPeople(t *testing.T) {
	t.Parallel()
	l := loseHouse(t)
	before := folderFiles(t, l.folder)
	for name, test := range map[string]struct {
		passwords, want string
		args            []string
	}{
		"one person twice":    {both, "two people", []string{l.copied, "--by", "ada", "--and", "ada", "--why", "x"}},
		"two administrators":  {both, "two people", []string{l.copied, "--by", "ada", "--and", "tom", "--why", "x"}},
		"a cashier":           {both, "two people", []string{l.copied, "--by", "ada", "--and", "kim", "--why", "x"}},
		"a wrong password":    {lostPassword + "\nwrong\n", "sam: the name or the password is wrong", []string{l.copied, "--by", "ada", "--and", "sam", "--why", "x"}},
		"one of the two":      {both, "a third person", []string{l.copied, "--by", "ada", "--and", "max", "--why", "x"}},
		"an unknown name":     {both, "the name or the password is wrong", []string{l.copied, "--by", "ada", "--and", "eve", "--why", "x"}},
		"one password":        {lostPassword + "\n", "two passwords are needed", []string{l.copied, "--by", "ada", "--and", "sam", "--why", "x"}},
		"a long reason":       {both, "--why: ", []string{l.copied, "--by", "ada", "--and", "sam", "--why", strings.Repeat("x", 501)}},
		"no record":           {both, "name a copy that trey backup made", []string{l.config, "--by", "ada", "--and", "sam", "--why", "x"}},
		"no copy":             {both, "there is no copy at", []string{l.copied + ".none", "--by", "ada", "--and", "sam", "--why", "x"}},
		"the record is there": {both, "is there: a house goes on from its own record", []string{l.copied, "--db", l.db + ".lost", "--by", "ada", "--and", "sam", "--why", "x"}},
	} {
		if status, out, logs := l.restore(test.passwords, test.args...); status == 0 || !strings.Contains(logs, test.want) {
			t.Errorf("%s: status %d, %q is not said: %s%s", name, status, test.want, out, logs)
		}
	}
	// The newest record needs no such thing.
	newest := filepath.Join(l.folder, "newest.db")
	if err := sqlite.Copy(context.Background(), l.db+".lost", newest); err != nil {
		t.Fatal(err)
	}
	if status, _, logs := l.restore(both, newest, "--by", "ada", "--and", "sam", "--why", "x"); status != exitFound || !strings.Contains(logs, "it holds everything that was signed") {
		t.Errorf("the newest: status %d: %s", status, logs)
	}
	alter(t, newest, "UPDATE account SET balance = balance + 1 WHERE name LIKE 'player:#%'")
	if status, _, logs := l.restore(both, newest, "--by", "ada", "--and", "sam", "--why", "x"); status != exitFound || !strings.Contains(logs, "it is corrupt") || strings.Contains(logs, "trey restore") {
		t.Errorf("an altered copy: status %d: %s", status, logs)
	}
	if err := os.Remove(newest); err != nil {
		t.Fatal(err)
	}
	if after := folderFiles(t, l.folder); after != before {
		t.Errorf("the folder holds %s, and held %s", after, before)
	}
}

// TestRestoreTakesASecondFactor holds that whoever signs in with a second factor shows it to
// go on from a copy, that what was shown is used up in the house that goes on, and that
// nobody decides whose role takes one and who has none.
func TestRestoreTakesASecondFactor(t *testing.T) {
	t.Parallel()
	var secret string
	var recovery []string
	world := func(l *lostHouse, store *sqlite.Store) identity.World {
		return identity.World{Record: store, Sessions: store, NowMs: newClock().nowMs, Random: rand.Reader, Sealer: l.sealer(t, store).(identity.Sealer), SecondFactor: []access.Role{access.ShiftManager}}
	}
	step := func(err error) *identity.SecondStep {
		t.Helper()
		var asked *identity.SecondStep
		if !errors.As(err, &asked) {
			t.Fatalf("no second step: %v", err)
		}
		return asked
	}
	l := loseHouse(t, func(l *lostHouse, store *sqlite.Store) {
		people, err := identity.Open(t.Context(), world(l, store))
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = people.Login(t.Context(), identity.Credentials{Name: "sam", Password: lostPassword})
		asked := step(err)
		secret = asked.Enrol.Secret
		_, s, err := people.Second(t.Context(), identity.SecondCredentials{Ticket: asked.Ticket, Code: codeNow(t, secret)})
		if err != nil {
			t.Fatal(err)
		}
		recovery = strings.Fields(s.Recovery)
	})
	text, err := os.ReadFile(l.config)
	if err != nil {
		t.Fatal(err)
	}
	before := folderFiles(t, l.folder)
	for name, test := range map[string]struct{ roles, factor, want string }{
		"passwords alone":                  {"", "", "a second factor is needed"},
		"a wrong code":                     {`"shift-manager"`, "000000\n", "the code is wrong"},
		"nothing":                          {`"shift-manager"`, "\n", "the code is wrong"},
		"a role without one that takes it": {`"administrator"`, recovery[0] + "\n", "the role takes a second factor, and there is none"},
	} {
		if err := os.WriteFile(l.config, fmt.Appendf(nil, "second_factor = [%s]\n%s", test.roles, text), 0o600); err != nil {
			t.Fatal(err)
		}
		if status, out, logs := l.restore(both+test.factor, l.copied, "--by", "sam", "--and", "ada", "--why", "x"); status == 0 || !strings.Contains(logs, test.want) {
			t.Errorf("%s: status %d, %q is not said: %s%s", name, status, test.want, out, logs)
		}
	}
	if after := folderFiles(t, l.folder); after != before {
		t.Errorf("the folder holds %s, and held %s", after, before)
	}
	if err := os.WriteFile(l.config, append([]byte("second_factor = [\"shift-manager\"]\n"), text...), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, out, logs := l.restore(both+recovery[3]+"\n", l.copied, "--by", "ada", "--and", "sam", "--why", "the disk failed"); status != 0 {
		t.Fatalf("by a recovery code: status %d: %s%s", status, out, logs)
	}
	store, err := sqlite.Open(t.Context(), l.db)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // nobody reads it again
	people, err := identity.Open(t.Context(), world(l, store))
	if err != nil {
		t.Fatal(err)
	}
	for i, good := range map[int]bool{3: false, 4: true} {
		_, _, err := people.Login(t.Context(), identity.Credentials{Name: "sam", Password: lostPassword})
		_, _, err = people.Second(t.Context(), identity.SecondCredentials{Ticket: step(err).Ticket, Code: recovery[i]})
		if leads := step(err).Enrol != nil; leads != good {
			t.Errorf("recovery code %d lets sam set up another factor: %t, want %t", i, leads, good)
		}
	}
}

func folderFiles(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".lost-wal" && filepath.Ext(e.Name()) != ".lost-shm" && filepath.Ext(e.Name()) != ".lock" {
			names = append(names, e.Name())
		}
	}
	return strings.Join(names, " ")
}

// A round that could not be ended is named, with the reason: its cards may be known, so somebody
// has to have it be void before players come in.
func TestRestoreNamesARoundThatGoesOn(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	r := &restoring{recordFiles: recordFiles{db: "house.db"}, name: "trey-house/new", left: []house.Interruption{
		{Table: "classic-1", Round: 7, Phase: table.Deciding, Refused: errors.New("a question has been asked")},
	}}
	if err := r.print(&streams{out: &out}); err != nil {
		t.Fatal(err)
	}
	const want = "    Table classic-1: round 7 goes on, and its cards may be known already: a question has been asked. Have it be void before players come in.\n"
	if !strings.Contains(out.String(), want) {
		t.Errorf("%q is not said in\n%s", want, out.String())
	}
}

// rewritten changes a text in the line of the last transaction of a copy that has it, with the mark
// of its leaf: where the tree has no node yet, nothing in the copy tells.
func rewritten(t *testing.T, copied, old, other string) (seq int64) {
	t.Helper()
	seq = valueOf[int64](t, copied, "SELECT max(seq) FROM tx WHERE "+holding(old))
	alter(t, copied, fmt.Sprintf("UPDATE tx SET line = packed(replace(unpacked(line), '%s', '%s')) WHERE seq = %d", old, other, seq))
	db, err := sql.Open("sqlite", copied)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // it is written
	var r row.Row
	if err := db.QueryRowContext(t.Context(), fmt.Sprintf("SELECT %s FROM tx WHERE seq = %d", row.Columns, seq)).Scan(r.Fields()...); err != nil {
		t.Fatal(err)
	}
	leaf, err := r.Leaf()
	if err != nil {
		t.Fatal(err)
	}
	content := leaf.Line.Content(leaf.Salt)
	if _, err := db.ExecContext(t.Context(), "UPDATE tx SET mark = ? WHERE seq = ?", content[:row.MarkBytes], seq); err != nil {
		t.Fatal(err)
	}
	return seq
}

// A copy that somebody has changed, with a tree that fits, is refused where the house had signed
// what it was: by the checkpoint that lies beside it, or by the one that a witness has cosigned. Up
// to where it is proven is said.
func TestRestoreHoldsTheCopyAgainstWhatWasSigned(t *testing.T) {
	t.Parallel()
	// The copy as the house had signed it, and the house's checkpoint of it.
	var signed []byte
	l := loseHouse(t, func(l *lostHouse, store *sqlite.Store) {
		n, err := notary.Open(t.Context(), signingBeside(l.db), store)
		if err != nil {
			t.Fatal(err)
		}
		c, err := n.Sign()
		if err != nil {
			t.Fatal(err)
		}
		signed = c.Note
	})
	honest, signing := textOf(t, l.copied), signingBeside(l.db)
	if err := os.CopyFS(filepath.Join(l.folder, "kept"), os.DirFS(signing)); err != nil {
		t.Fatal(err)
	}
	beside, witnessed := l.copied+".checkpoint", filepath.Join(signing, "witnessed")
	reason := func(t *testing.T) { rewritten(t, l.copied, `asked for it`, `was not told`) }
	another := textOf(t, loseHouse(t).copied)
	for _, test := range []struct {
		name   string
		before func(t *testing.T)
		where  string // where the checkpoint lies; empty is nowhere
		status int
		want   string
	}{
		{"as it was", nil, beside, 0, "The copy is what the house had signed, up to its last transaction."},
		{"as it was, seen by a witness", nil, witnessed, 0, "The copy is what the house had signed, up to its last transaction."},
		{"as it was, alone", nil, "", 0, "Nothing proves that nobody has changed those from "},
		{"changed", reason, beside, exitFound, "are not those that were signed"},
		{"changed, seen by a witness", reason, witnessed, exitFound, "are not those that were signed"},
		{"cut short", func(t *testing.T) {
			alter(t, l.copied, fmt.Sprintf("DELETE FROM part WHERE id / 16 = %d", l.through), fmt.Sprintf("DELETE FROM tx WHERE seq = %d", l.through))
		}, beside, exitFound, fmt.Sprintf("%d transactions were signed, and it holds %d", l.through, l.through-1)},
		{"of another house", func(t *testing.T) {
			if err := os.Remove(filepath.Join(signing, "checkpoint")); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(l.copied, []byte(another), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "", exitFound, "the key signs for another record"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := os.WriteFile(l.copied, []byte(honest), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(os.RemoveAll(signing), os.CopyFS(signing, os.DirFS(filepath.Join(l.folder, "kept")))); err != nil {
				t.Fatal(err)
			}
			for _, gone := range []string{beside, l.db, l.db + "-wal", l.db + "-shm", l.db + ".lock", signing + ".of-" + strings.TrimPrefix(l.name, "trey-house/")} {
				if err := os.RemoveAll(gone); err != nil {
					t.Fatal(err)
				}
			}
			if test.where != "" {
				if err := os.WriteFile(test.where, signed, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if test.before != nil {
				test.before(t)
			}
			status, out, logs := l.restore(both, l.copied, "--by", "sam", "--and", "ada", "--why", "the disk failed")
			if status != test.status || !strings.Contains(out+logs, test.want) {
				t.Errorf("status %d, want %d and %q: %s%s", status, test.status, test.want, out, logs)
			}
		})
	}
}

// TestAnArchiveFromBeforeARestorationIsAudited holds that an archive is audited by itself where the
// house went on from a copy after all that is in it, and before it was written: its commitments are
// held by checkpoints of the tree before, which leaf 0 names and no transaction of it yet.
func TestAnArchiveFromBeforeARestorationIsAudited(t *testing.T) {
	t.Parallel()
	l := loseHouse(t, func(_ *lostHouse, store *sqlite.Store) {
		for range 300 { // an archive takes whole tiles of 256
			if done := <-store.Append(&house.Transaction{Cause: house.Cause{By: "kim", Role: "cashier", Kind: "drain", Body: []byte("{}")}}); done.Err != nil {
				t.Fatal(done.Err)
			}
		}
	})
	if status, out, logs := l.restore(both, l.copied, "--by", "sam", "--and", "ada", "--why", "the disk failed"); status != 0 {
		t.Fatalf("status %d: %s%s", status, out, logs)
	}
	folder := sqlite.ArchiveBeside(l.db)
	if out, err := archiveLater(t, l.db, folder); err != nil || !strings.Contains(out, "holds transactions 1 to 255 ") {
		t.Fatalf("%s%v", out, err)
	}
	status, out, logs := auditRun("--archive", folder, "--key", keyThere(t, signingBeside(l.db)))
	if status != 0 || !strings.Contains(out, "commitments  open") || !strings.Contains(out, "checkpoint   proven") {
		t.Errorf("status %d: %s%s", status, out, logs)
	}
}
