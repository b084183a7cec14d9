package sqlite_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"trey/internal/house"
	"trey/internal/house/auditor"
	"trey/internal/ledger"
	"trey/internal/steady"
	"trey/internal/store/archive"
	"trey/internal/store/sqlite"
	"trey/internal/tree"
	"trey/money"
)

// streams are those of the record below. A start reads all of house, of the tables and
// the jackpot what comes from their latest snapshot on, and of deal what comes from the
// latest round on.
var streams = []string{"house", "table:A", "table:B", "deal:A", "jackpot:J", "nobody"}

var players = []string{"ann", "ben", "kim", "eve"}

// writing writes a record of a house that never was: transactions of every form, a
// second apart.
type writing struct {
	rng      *rand.Rand
	book     ledger.Book
	versions map[string]int64
	rounds   map[string]int
	n        int
}

func newWriting() *writing {
	return &writing{rng: rand.New(rand.NewPCG(1, 2)), book: ledger.Book{}, versions: map[string]int64{}, rounds: map[string]int{}}
}

// timeOf is when the nth transaction is recorded.
func timeOf(n int) int64 { return 1_000_000 + int64(n)*1000 }

func (w *writing) next(t *testing.T) *house.Transaction {
	t.Helper()
	w.n++
	tx := &house.Transaction{AtMs: timeOf(w.n), Cause: house.Cause{By: "ann", Role: "player", Kind: fmt.Sprintf("kind-%d", w.n)}}
	if w.rng.IntN(2) == 0 {
		tx.Key = fmt.Sprintf("%q %d", players[w.rng.IntN(len(players))], w.n)
	}
	part := func(stream string, events int, round bool) {
		p := house.StreamAppend{Stream: stream, After: w.versions[stream]}
		for i := range events {
			p.Events = append(p.Events, house.Event{Kind: "k", Body: fmt.Appendf(nil, `{"n":%d,"i":%d}`, w.n, i)})
		}
		if round {
			w.rounds[stream]++
			p.Round = w.rounds[stream]
		}
		w.versions[stream] += int64(events)
		if round && (stream == "table:A" || stream == "table:B") && p.Round%4 == 0 || stream == "jackpot:J" && w.rng.IntN(40) == 0 {
			p.Snapshot = fmt.Appendf(nil, "%s %d", stream, w.versions[stream])
		}
		tx.Parts = append(tx.Parts, p)
	}
	post := func(p ledger.Posting) { tx.Postings = append(tx.Postings, p) }
	player := ledger.Account{Kind: ledger.Player, Of: players[w.rng.IntN(3)]} // eve never comes
	buyIn := ledger.Posting{From: ledger.Account{Kind: ledger.Cash}, To: player, Amount: 50, For: ledger.Reference{Reason: ledger.BuyIn}}
	switch w.rng.IntN(20) {
	case 0:
		part("house", 1, false)
	case 1:
		part("house", 1, false)
		part("table:A", 0, false) // concerns it
	case 2, 3, 4:
		post(buyIn) // no stream at all
	case 5, 6:
		part("table:A", 2, true)
		part("deal:A", 1, true)
	case 7, 8:
		part("table:B", 1, true)
	case 9, 10, 11:
		part("jackpot:J", 1, false)
		part("table:A", 3, false)
	default:
		stream := []string{"table:A", "table:B"}[w.rng.IntN(2)]
		part(stream, 1, false)
		post(buyIn)
		post(ledger.Posting{From: player, To: ledger.Account{Kind: ledger.Layout, Of: stream[6:]}, Amount: money.Amount(1 + w.rng.IntN(50)), For: ledger.Reference{Reason: ledger.Bet, Table: stream[6:], Round: w.rounds[stream]}})
	}
	changes, err := ledger.Post(w.book, tx.Postings...)
	if err != nil {
		t.Fatal(err)
	}
	w.book.Apply(changes)
	tx.Changes = changes
	return tx
}

func (w *writing) add(t *testing.T, store house.Store, n int) {
	t.Helper()
	var all []<-chan house.AppendResult
	for range n {
		all = append(all, store.Append(w.next(t)))
	}
	for _, one := range all {
		if done := <-one; done.Err != nil {
			t.Fatal(done.Err)
		}
	}
}

// said is all that a record says when it is asked.
func said(t *testing.T, store house.Store, w *writing) map[string]any {
	t.Helper()
	ctx := t.Context()
	all := map[string]any{}
	put := func(what string, value any, err error) {
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		all[what] = value
	}
	stop := errors.New("stop")
	// In the usual run it is asked for a part of what it is asked for in all.
	asked := 0
	leftOut := func() bool { asked++; return asked%steady.Share(19, steady.Tries(7, 1)) != 0 }
	for _, stream := range streams {
		for _, after := range []int64{-1, 0, 7, 300, w.versions[stream] / 2, w.versions[stream] - 1, w.versions[stream], 1 << 40} {
			if leftOut() {
				continue
			}
			var records []house.StoredEvent
			err := store.Read(ctx, stream, after, func(r house.StoredEvent) error { records = append(records, r); return nil })
			put(fmt.Sprintf("events of %s after %d", stream, after), records, err)
		}
		for _, limit := range []int{1, 5, 1 << 20} {
			for _, before := range []int{0, 1, 40, w.rounds[stream]} {
				if leftOut() {
					continue
				}
				var marks []house.RoundMark
				err := store.Rounds(ctx, stream, before, limit, func(m house.RoundMark) error { marks = append(marks, m); return nil })
				put(fmt.Sprintf("%d rounds of %s before %d", limit, stream, before), marks, err)
			}
		}
		latest, err := store.Snapshot(ctx, stream, -1)
		if errors.Is(err, house.ErrNotFound) {
			err = nil
		}
		put("snapshot of "+stream, latest, err)
	}
	for _, stream := range append([]string{""}, streams...) {
		for _, after := range []int64{-1, 255, 256, 700, int64(w.n) - 3, 1 << 60} {
			if leftOut() {
				continue
			}
			var entries []house.StoredTransaction
			err := store.ReadAll(ctx, after, stream, func(e house.StoredTransaction) error { entries = append(entries, e); return nil })
			put(fmt.Sprintf("transactions of %q after %d", stream, after), entries, err)
			first := 0
			err = store.ReadAll(ctx, after, stream, func(house.StoredTransaction) error {
				if first++; first == 3 {
					return stop
				}
				return nil
			})
			if first >= 3 && !errors.Is(err, stop) {
				t.Errorf("the reading of %q after %d does not stop: %v", stream, after, err)
			}
		}
	}
	accounts := []ledger.Account{{Kind: ledger.Cash}}
	for _, name := range players {
		accounts = append(accounts, ledger.Account{Kind: ledger.Player, Of: name})
	}
	for _, account := range accounts {
		for _, before := range []int64{0, 256, 900} {
			for _, limit := range []int{0, 7, 1 << 20} {
				if leftOut() {
					continue
				}
				var moved []house.Movement
				err := store.Movements(ctx, account, before, limit, func(m house.Movement) error { moved = append(moved, m); return nil })
				put(fmt.Sprintf("%d movements of %s before %d", limit, account, before), moved, err)
			}
		}
	}
	for seq := 0; seq < w.n; seq += steady.Share(331, steady.Tries(83, 9)) {
		for _, name := range players {
			key := fmt.Sprintf("%q %d", name, seq)
			r, err := store.Find(ctx, key)
			if errors.Is(err, house.ErrNotFound) {
				continue
			}
			put("under "+key, r, err)
		}
	}
	balances := ledger.Book{}
	_, err := store.Balances(ctx, func(a ledger.Account, held money.Amount) error { balances[a] = held; return nil })
	put("balances", balances, err)
	texts, err := store.LeafTexts(ctx, 0, w.n+1)
	put("leaves", texts, err)
	texts, err = store.LeafTexts(ctx, 200, w.n/2)
	put("some leaves", texts, err)
	for _, level := range []int{0, 1} {
		nodes, err := store.Nodes(ctx, level, 1, 2)
		put(fmt.Sprintf("nodes of level %d", level), nodes, err)
	}
	put("the tree", store.Head(), nil)
	if steady.Whole() { // otherwise what looks at the tree reads them all
		var leaves []house.Leaf
		put("all leaves", &leaves, store.Leaves(ctx, 0, func(l house.Leaf) error { leaves = append(leaves, l); return nil }))
	}
	var some []house.Leaf
	put("all leaves after 300", &some, store.Leaves(ctx, 300, func(l house.Leaf) error { some = append(some, l); return nil }))
	return all
}

func compare(t *testing.T, got, want map[string]any) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d answers, want %d", len(got), len(want))
	}
	for what := range want {
		if !reflect.DeepEqual(got[what], want[what]) {
			t.Errorf("%s:\n%.600v\nwant\n%.600v", what, got[what], want[what])
		}
	}
}

// archived returns the arguments of [sqlite.Archive] for the transactions before the nth.
func archived(t *testing.T, path, folder string, n int, signed tree.Head) sqlite.Archiving {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // it was read only
	var origin []byte
	if err := db.QueryRow("SELECT leaf FROM origin").Scan(&origin); err != nil {
		t.Fatal(err)
	}
	note := tree.CheckpointText(tree.Name(origin), signed) + "\n\u2014 nobody AAAAAAA=\n"
	return sqlite.Archiving{Folder: folder, Name: fmt.Sprintf("%d.jsonl.zst", n), BeforeMs: timeOf(n), Signed: signed, Note: []byte(note)}
}

func opened(t *testing.T, path string) *sqlite.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func shut(t *testing.T, store *sqlite.Store) {
	t.Helper()
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}

// recorded makes a record of n transactions, all of which are signed, and closes it.
func recorded(t *testing.T, n int) (path string, w *writing, signed tree.Head) {
	t.Helper()
	path, w = filepath.Join(t.TempDir(), "house.db"), newWriting()
	store := opened(t, path)
	w.add(t, store, n)
	signed = store.Head()
	shut(t, store)
	return path, w, signed
}

// A record of which most was archived, in two files, says what it said before: of
// everything that can be asked. It goes on, and is archived again.
func TestArchivedRecordsReadTheSame(t *testing.T) {
	steady.Sequential(t)
	t.Parallel()
	path := filepath.Join(t.TempDir(), "house.db")
	w := newWriting()
	for _, run := range []struct {
		add, before int
		first, last int64
	}{
		{1200, 200, 0, 0}, // no tile is full before it
		{0, 700, 1, 511},
		{500, 750, 0, 0},
		{40, 1600, 512, 1535},
		{200, 1 << 20, 1536, 1791}, // all, but for the tile that is not full
	} {
		store := opened(t, path)
		w.add(t, store, run.add)
		signed := store.Head()
		want := said(t, store, w)
		shut(t, store)
		first, last, err := sqlite.Archive(t.Context(), path, archived(t, path, sqlite.ArchiveBeside(path), run.before, signed))
		if err != nil || first != run.first || last != run.last {
			t.Fatalf("before %d: %d to %d, %v; want %d to %d", run.before, first, last, err, run.first, run.last)
		}
		store = opened(t, path)
		compare(t, said(t, store, w), want)
		head, found, err := auditor.CheckTree(t.Context(), store)
		if err != nil || len(found) > 0 || head != signed {
			t.Errorf("before %d: the tree is %v, %v, %v; want %v", run.before, head, found, err, signed)
		}
		shut(t, store)
	}
	if files, err := filepath.Glob(filepath.Join(sqlite.ArchiveBeside(path), "*")); err != nil || len(files) != 3 {
		t.Errorf("the archive is %v, %v", files, err)
	}
}

// What is archived is text that a stranger's zstd reads, one transaction a line.
func TestAnArchiveIsText(t *testing.T) {
	steady.Sequential(t)
	t.Parallel()
	path := filepath.Join(t.TempDir(), "house.db")
	store, w := opened(t, path), newWriting()
	w.add(t, store, 600)
	var want []byte
	err := store.Leaves(t.Context(), 0, func(l house.Leaf) error {
		if l.Seq <= 511 {
			want = archive.AppendLeaf(want, &l)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	signed := store.Head()
	shut(t, store)
	what := archived(t, path, sqlite.ArchiveBeside(path), 599, signed)
	if _, _, err := sqlite.Archive(t.Context(), path, what); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(what.Folder, what.Name)
	text, err := exec.Command("zstd", "-dc", file).Output()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("there is no zstd here")
	}
	head, rest, _ := bytes.Cut(text, []byte("\n"))
	if err != nil || !bytes.Equal(rest, want) || !bytes.HasPrefix(head, []byte(`{"archive":"trey archive v1","origin":"trey origin v1\n`)) {
		t.Errorf("%v: %.400s\n%.400s\nwant\n%.400s", err, head, rest, want)
	}
}

// stopEnv names the step after which a process that archives is ended, and recordEnv the
// record.
const stopEnv, recordEnv = "TREY_ARCHIVE_STOP", "TREY_ARCHIVE_RECORD"

// Whatever step the program ends after, the record says what it said, and the next run
// brings to an end what was begun.
func TestArchivingIsKilled(t *testing.T) {
	steady.Sequential(t)
	t.Parallel()
	if stop := os.Getenv(stopEnv); stop != "" {
		sqlite.StopAfter(stop)
		path := os.Getenv(recordEnv)
		store := opened(t, path)
		signed := store.Head()
		shut(t, store)
		_, _, err := sqlite.Archive(t.Context(), path, archived(t, path, sqlite.ArchiveBeside(path), 700, signed))
		t.Fatalf("it was not stopped: %v", err)
	}
	path := filepath.Join(t.TempDir(), "house.db")
	store, w := opened(t, path), newWriting()
	w.add(t, store, 800)
	signed := store.Head()
	want := said(t, store, w)
	shut(t, store)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []string{"written", "named", "known", "let go"} {
		t.Run(step, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "house.db")
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(os.Args[0], "-test.run=^TestArchivingIsKilled$")
			cmd.Env = append(os.Environ(), stopEnv+"="+step, recordEnv+"="+path)
			out, err := cmd.CombinedOutput()
			if cmd.ProcessState.ExitCode() != sqlite.Stopped {
				t.Fatalf("%v: %s", err, out)
			}
			store := opened(t, path)
			compare(t, said(t, store, w), want)
			shut(t, store)
			if _, _, err := sqlite.Archive(t.Context(), path, archived(t, path, sqlite.ArchiveBeside(path), 700, signed)); err != nil {
				t.Fatal(err)
			}
			if left, err := os.ReadDir(sqlite.ArchiveBeside(path)); err != nil || len(left) != 1 {
				t.Errorf("in the archive lies %v, %v, want one file", left, err)
			}
			store = opened(t, path)
			defer shut(t, store)
			compare(t, said(t, store, w), want)
			if head, found, err := auditor.CheckTree(t.Context(), store); err != nil || len(found) > 0 || head != signed {
				t.Errorf("the tree is %v, %v, %v; want %v", head, found, err, signed)
			}
			if n := counting(t, path, "SELECT max(through) FROM archived"); n != 511 {
				t.Errorf("it let go of %d transactions, want 511", n)
			}
		})
	}
}

// counting asks a record that is closed for a number.
func counting(t *testing.T, path, query string) (n int64) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // it was read only
	if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// An archive that is not whole is never a shorter answer: the record does not open without
// a file, and what was altered in one is not handed out.
func TestArchivesThatDoNotHold(t *testing.T) {
	steady.Sequential(t)
	t.Parallel()
	path, _, signed := recorded(t, 1500)
	folder := sqlite.ArchiveBeside(path)
	uncovered := archived(t, path, folder, 1400, tree.Head{Size: 100})
	if _, _, err := sqlite.Archive(t.Context(), path, uncovered); !errors.Is(err, sqlite.ErrUncovered) {
		t.Errorf("what nobody signed is archived: %v", err)
	}
	for _, before := range []int{600, 1400} {
		if _, _, err := sqlite.Archive(t.Context(), path, archived(t, path, folder, before, signed)); err != nil {
			t.Fatal(err)
		}
	}
	first, second := filepath.Join(folder, "600.jsonl.zst"), filepath.Join(folder, "1400.jsonl.zst")
	text, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, want error, names string) {
		t.Helper()
		store, err := sqlite.Open(t.Context(), path)
		if err == nil {
			err = store.ReadAll(t.Context(), 0, "", func(house.StoredTransaction) error { return nil })
			if _, _, tree := auditor.CheckTree(t.Context(), store); tree == nil {
				t.Errorf("%s: an audit finds nothing", what)
			}
			shut(t, store)
		}
		if !errors.Is(err, want) || !strings.Contains(err.Error(), names) {
			t.Errorf("%s: %v", what, err)
		}
	}
	put := func(text []byte) {
		t.Helper()
		if err := os.WriteFile(first, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(first); err != nil {
		t.Fatal(err)
	}
	refused("a file is missing", archive.ErrMissing, first)
	other, err := os.ReadFile(second)
	if err != nil {
		t.Fatal(err)
	}
	put(other)
	refused("another file is in its place", house.ErrCorrupt, first)
	strange, _, head := recorded(t, 1500)
	if _, _, err := sqlite.Archive(t.Context(), strange, archived(t, strange, sqlite.ArchiveBeside(strange), 600, head)); err != nil {
		t.Fatal(err)
	}
	others, err := os.ReadFile(filepath.Join(sqlite.ArchiveBeside(strange), "600.jsonl.zst"))
	if err != nil {
		t.Fatal(err)
	}
	// What shows without unpacking more than the headers keeps the record from being opened.
	for what, text := range map[string][]byte{
		"it is cut off": text[:len(text)/2], "its last byte is lacking": text[:len(text)-1], "there is more behind it": append(slices.Clone(text), text...),
		"it is of another record": others, "nothing is in it": nil,
	} {
		put(text)
		if store, err := sqlite.Open(t.Context(), path); !errors.Is(err, archive.ErrDamaged) || !strings.Contains(err.Error(), first) || !strings.Contains(err.Error(), "put a copy of the file back") {
			t.Errorf("%s: %v", what, err)
			if err == nil {
				shut(t, store)
			}
		}
		refused(what, house.ErrCorrupt, first)
	}
	for _, at := range []int{len(text) / 3, len(text) - 20} {
		altered := bytes.Clone(text)
		altered[at] ^= 1
		put(altered)
		refused("a byte was altered", house.ErrCorrupt, first)
	}
	put(text)
	editedHeadersAreFound(t, path, first)
	// Somebody packs it anew, with another amount in it.
	put(repacked(t, text, func(plain []byte) []byte {
		return bytes.Replace(plain, []byte(`"kind-400"`), []byte(`"kind-401"`), 1)
	}))
	refused("a transaction was altered", house.ErrCorrupt, first)
	put(text)
	store := opened(t, path)
	defer shut(t, store)
	if _, found, err := auditor.CheckTree(t.Context(), store); err != nil || len(found) > 0 {
		t.Errorf("it is back: %v, %v", found, err)
	}
}

// editedHeadersAreFound packs the header of the first segment of a record anew, with each of its
// fields altered, and has the record say where the frames lie then: an audit finds each.
func editedHeadersAreFound(t *testing.T, path, first string) {
	t.Helper()
	text, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	put := func(text []byte) {
		t.Helper()
		if err := os.WriteFile(first, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	defer put(text)
	for what, change := range map[string][2]string{
		"another root": {`"root":"....`, `"root":"AAAA`}, "another checkpoint": {`"checkpoint":"trey-house/`, `"checkpoint":"trey-house/0`},
		"another proof": {`"growth":\["....`, `"growth":["AAAA`}, "another leaf 0": {`"origin":"trey origin v1\\n`, `"origin":"trey origin v1\nA`},
	} {
		edited := filepath.Join(t.TempDir(), "edited.db")
		if err := sqlite.Copy(t.Context(), path, edited); err != nil {
			t.Fatal(err)
		}
		header, start := headerOf(t, edited, text)
		changed := regexp.MustCompile(change[0]).ReplaceAllLiteral(header, []byte(change[1]))
		if bytes.Equal(changed, header) {
			t.Fatalf("%s: nothing was changed in %s", what, header)
		}
		anew := packedAlone(t, changed)
		put(append(anew, text[start:]...))
		edit(t, edited, fmt.Sprintf("UPDATE frame SET start = start + %d WHERE tile < 2", int64(len(anew))-start))
		store, err := sqlite.OpenWith(t.Context(), edited, filepath.Dir(first))
		if what == "another leaf 0" && errors.Is(err, archive.ErrDamaged) && strings.Contains(err.Error(), first+" is of ") {
			continue // it is not even opened
		}
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if _, found, err := auditor.CheckTree(t.Context(), store); err != nil || len(found) != 1 || !strings.Contains(found[0].What, first) {
			t.Errorf("%s: %v, %v", what, found, err)
		}
		shut(t, store)
	}
}

// headerOf returns the first line of a segment, and where its first frame begins.
func headerOf(t *testing.T, path string, segment []byte) (header []byte, start int64) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // it was read only
	if err := db.QueryRow("SELECT start FROM frame WHERE tile = 0").Scan(&start); err != nil {
		t.Fatal(err)
	}
	dec, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dec.Close()
	if header, err = dec.DecodeAll(segment[:start], nil); err != nil {
		t.Fatal(err)
	}
	return header, start
}

// packedAlone returns a text as a frame.
func packedAlone(t *testing.T, text []byte) []byte {
	t.Helper()
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return enc.EncodeAll(text, nil)
}

// edit changes a record as whoever owns the machine can.
func edit(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // what it did is looked at
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
}

// repacked returns a segment with other text in it, each tile in a frame as long as before.
func repacked(t *testing.T, text []byte, change func([]byte) []byte) []byte {
	t.Helper()
	dec, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dec.Close()
	plain, err := dec.DecodeAll(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	changed := change(plain)
	if bytes.Equal(changed, plain) {
		t.Fatal("nothing was changed")
	}
	// In the level in which it was written, so that the frames lie where they lay.
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(changed, []byte("\n"))
	packed := enc.EncodeAll(lines[0], nil)
	for at, n := 1, 1023; at < len(lines)-1; at, n = at+n, 1024 {
		packed = enc.EncodeAll(bytes.Join(lines[at:min(at+n, len(lines))], nil), packed)
	}
	return packed
}

// Whoever edits what the record says of its archive is found out.
func TestEditsOfWhatWasArchived(t *testing.T) {
	steady.Sequential(t)
	t.Parallel()
	path, _, signed := recorded(t, 1300)
	if _, _, err := sqlite.Archive(t.Context(), path, archived(t, path, sqlite.ArchiveBeside(path), 1290, signed)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		"UPDATE frame_stream SET ends = ends + 1 WHERE tile = 2",
		"DELETE FROM frame_stream WHERE stream = 2 AND tile = 3",
		"INSERT INTO frame_stream SELECT 77, tile, ends FROM frame_stream LIMIT 1",
		"UPDATE frame_account SET balance = balance + 1 WHERE tile = 1",
		"DELETE FROM frame_account WHERE tile = 1",
		"DELETE FROM archived_round WHERE round = 3",
		"UPDATE archived_round SET seq = seq + 1 WHERE round = 3",
		"UPDATE frame SET start = start + 1 WHERE tile = 4",
		"UPDATE frame SET tile = 3 WHERE tile = 4",
		"UPDATE archived SET through = through - 256",
		"INSERT INTO frame VALUES (77, 0, 1)",
		"INSERT INTO archived VALUES (0)",
		"INSERT INTO origin VALUES (x'00')",
		"DELETE FROM segment",
		"DELETE FROM key WHERE seq < 300",
		"UPDATE movement SET balance = balance + 1 WHERE seq = (SELECT max(seq) FROM movement)",
		"INSERT INTO movement SELECT account, 300, delta, balance FROM movement LIMIT 1",
		// What a start reads.
		"UPDATE tx SET line = (SELECT line FROM tx WHERE seq = (SELECT max(seq) FROM tx WHERE seq < 1200)) WHERE seq = (SELECT min(seq) FROM tx)",
		"UPDATE part SET after = after + 1 WHERE id < 16 * 1000",
		"DELETE FROM tx WHERE seq = (SELECT min(seq) FROM tx)",
		"UPDATE tx SET mark = zeroblob(8) WHERE seq = (SELECT min(seq) FROM tx)",
		// Of a stream of which the one before it stays.
		"DELETE FROM part WHERE round = 0 AND id < 16 * 1280 AND id = (SELECT max(id) FROM part AS p WHERE p.stream = part.stream AND p.id < 16 * 1280) AND id > (SELECT min(id) FROM part AS p WHERE p.stream = part.stream)",
	} {
		path := filepath.Join(filepath.Dir(path), "edited.db")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		done, err := db.Exec(statement)
		if err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			t.Errorf("%s changes nothing, %v", statement, err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		store, err := sqlite.OpenWith(t.Context(), path, sqlite.ArchiveBeside(filepath.Join(filepath.Dir(path), "house.db")))
		if err != nil {
			continue // it does not even open
		}
		if _, found, err := auditor.CheckTree(t.Context(), store); err == nil && len(found) == 0 {
			t.Errorf("%s is not found", statement)
		}
		shut(t, store)
	}
}

// Segments follow one another: in a second one with transactions that stand in another already,
// nobody would read them.
func TestASegmentThatIsThereTwice(t *testing.T) {
	steady.Sequential(t)
	t.Parallel()
	path, _, signed := recorded(t, 1200)
	folder := sqlite.ArchiveBeside(path)
	what := archived(t, path, folder, 1100, signed)
	if _, _, err := sqlite.Archive(t.Context(), path, what); err != nil {
		t.Fatal(err)
	}
	segment, err := archive.Open(filepath.Join(folder, what.Name))
	if err != nil {
		t.Fatal(err)
	}
	defer segment.Close() //nolint:errcheck // it was read only
	var tiles [][]house.Leaf
	if err := segment.Tiles(func(_ int64, leaves []house.Leaf) error { tiles = append(tiles, leaves); return nil }); err != nil {
		t.Fatal(err)
	}
	again := segment.Header
	again.First, tiles = tree.Width, tiles[1:]
	next := func() (leaves []house.Leaf, err error) {
		if len(tiles) > 0 {
			leaves, tiles = tiles[0], tiles[1:]
		}
		return leaves, nil
	}
	if _, err := archive.Write(filepath.Join(folder, "again.jsonl.zst"), &again, next, func(string, []archive.Frame) error { return nil }); err != nil {
		t.Fatal(err)
	}
	edit(t, path, fmt.Sprintf("INSERT INTO segment VALUES (%d, %d, 'again.jsonl.zst')", again.First, again.Last))
	if store, err := sqlite.Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), "comes next in the archive") {
		t.Errorf("it opens: %v", err)
		shut(t, store)
	}
}

// A segment never changes, for a copy of the record may name it: a record that holds the same
// transactions itself, such as one that was moved there and back, takes it over as it is, although
// a later checkpoint is signed by then. One that does not hold keeps its place too.
func TestASegmentIsTakenOver(t *testing.T) {
	steady.Sequential(t)
	t.Parallel()
	path, w, signed := recorded(t, 800)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	again := filepath.Join(t.TempDir(), "again.db")
	if err := os.WriteFile(again, text, 0o600); err != nil {
		t.Fatal(err)
	}
	folder := sqlite.ArchiveBeside(path)
	what := archived(t, path, folder, 700, signed)
	if _, _, err := sqlite.Archive(t.Context(), path, what); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, what.Name)
	first, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	store := opened(t, again)
	w.add(t, store, 100)
	signed = store.Head()
	shut(t, store)
	what = archived(t, again, folder, 700, signed)
	middle := len(first) / 2
	for name, changed := range map[string][]byte{
		"with a byte altered":    slices.Concat(first[:middle], []byte{first[middle] ^ 1}, first[middle+1:]),
		"without its last bytes": first[:len(first)-4],
	} {
		if err := os.WriteFile(file, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := sqlite.Archive(t.Context(), again, what); !errors.Is(err, sqlite.ErrThere) {
			t.Errorf("a segment %s: %v", name, err)
		}
		if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, changed) {
			t.Errorf("a segment %s has changed: %v", name, err)
		}
	}
	if err := os.WriteFile(file, first, 0o600); err != nil {
		t.Fatal(err)
	}
	if from, last, err := sqlite.Archive(t.Context(), again, what); err != nil || from != 1 || last != 511 {
		t.Fatalf("it archives %d to %d: %v", from, last, err)
	}
	if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, first) {
		t.Errorf("the segment has changed: %v", err)
	}
	for _, path := range []string{path, again} {
		store, err := sqlite.OpenWith(t.Context(), path, folder)
		if err != nil {
			t.Fatal(err)
		}
		if _, found, err := auditor.CheckTree(t.Context(), store); err != nil || len(found) > 0 {
			t.Errorf("%s: %v, %v", path, found, err)
		}
		shut(t, store)
	}
}

// A record that goes on under a tree of its own goes on with its archive.
func TestRestartWithAnArchive(t *testing.T) {
	steady.Sequential(t)
	t.Parallel()
	path := filepath.Join(t.TempDir(), "house.db")
	store, w := opened(t, path), newWriting()
	w.add(t, store, 1500)
	signed := store.Head()
	want := said(t, store, w)
	shut(t, store)
	folder := sqlite.ArchiveBeside(path)
	if _, _, err := sqlite.Archive(t.Context(), path, archived(t, path, folder, 1000, signed)); err != nil {
		t.Fatal(err)
	}
	if err := sqlite.Restart(t.Context(), path, folder, "a checkpoint"); err != nil {
		t.Fatal(err)
	}
	store = opened(t, path)
	head, found, err := auditor.CheckTree(t.Context(), store)
	if err != nil || len(found) > 0 || head == signed || head != store.Head() {
		t.Errorf("the tree is %v, %v, %v", head, found, err)
	}
	got := said(t, store, w)
	shut(t, store)
	for _, all := range []map[string]any{got, want} {
		for _, of := range []string{"leaves", "some leaves", "nodes of level 0", "nodes of level 1", "the tree"} {
			if of != "nodes of level 0" && of != "nodes of level 1" && of != "some leaves" {
				delete(all, of) // leaf 0 is in them
			}
		}
	}
	compare(t, got, want)
	editedHeadersAreFound(t, path, filepath.Join(folder, "1000.jsonl.zst"))
	// And is archived again.
	if _, last, err := sqlite.Archive(t.Context(), path, archived(t, path, folder, 1400, head)); err != nil || last != 1279 {
		t.Errorf("it is archived up to %d, %v", last, err)
	}
	store = opened(t, path)
	defer shut(t, store)
	if _, found, err := auditor.CheckTree(t.Context(), store); err != nil || len(found) > 0 {
		t.Errorf("%v, %v", found, err)
	}
}
