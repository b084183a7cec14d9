package house_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"trey/internal/house"
	"trey/internal/house/protection"
	"trey/money"
)

// variedRecord plays what leaves events in every stream that a reader follows, and returns
// the transactions.
func (s *site) variedRecord(rounds int) (all []house.StoredTransaction) {
	s.Helper()
	s.install("A", "rws-3cp")
	s.buyIn("ann", 1000*money.Major)
	limit := int64(500 * money.Major)
	if err := s.SetLimit(ctx(), "", ann, protection.Key{Kind: protection.Stake, Period: protection.Day}, &limit); err != nil {
		s.Fatal(err)
	}
	for range rounds {
		if _, err := s.AddSeed(ctx(), "", ann, "A", 0, "mine"); err != nil {
			s.Fatal(err)
		}
		if err := s.round("A", ann); err != nil {
			s.Fatal(err)
		}
		s.buyIn("ben", money.Major)
	}
	if err := s.Drain(ctx(), "", manager); err != nil {
		s.Fatal(err)
	}
	if err := s.store.ReadAll(ctx(), 0, "", func(e house.StoredTransaction) error { all = append(all, e); return nil }); err != nil {
		s.Fatal(err)
	}
	return all
}

// damagedEvent returns a transaction of which one event of a part has no kind that there is.
func damagedEvent(e *house.StoredTransaction, part, event int) *house.StoredTransaction {
	damaged := *e
	damaged.Parts = slices.Clone(e.Parts)
	p := &damaged.Parts[part]
	p.Events = slices.Clone(p.Events)
	p.Events[event].Kind = "none"
	return &damaged
}

// streamKind returns the kind of the stream of a part.
func streamKind(p *house.StreamAppend) string {
	kind, _, _ := strings.Cut(p.Stream, ":")
	return kind
}

// Whoever reads a record beside the house takes no transaction with an event that cannot be
// read, in whatever stream it stands.
func TestADamagedEventIsNotTaken(t *testing.T) {
	s := newSite(t)
	all := s.variedRecord(2)
	tried := map[string]bool{}
	for i := range all {
		for k := range all[i].Parts {
			kind := streamKind(&all[i].Parts[k])
			if tried[kind] || len(all[i].Parts[k].Events) == 0 || kind == "sealed" {
				continue // nobody who reads opens a sealed seed
			}
			tried[kind] = true
			r := s.readFromNothing()
			learnt(t, s, r)
			for j := range i {
				e := all[j]
				if err := r.Take(&e); err != nil {
					t.Fatal(err)
				}
			}
			if err := r.Take(damagedEvent(&all[i], k, 0)); !errors.Is(err, house.ErrCorrupt) {
				t.Errorf("an event of %s that there is not, in transaction %d: %v", all[i].Parts[k].Stream, all[i].Seq, err)
			}
		}
	}
	for _, kind := range []string{"house", "names", "jackpot", "table", "deal", "protection"} {
		if !tried[kind] {
			t.Errorf("no event of %s was tried", kind)
		}
	}
}

// Whoever reads a record takes no round of a table that the record has not installed.
func TestARoundOfNoTableIsNotTaken(t *testing.T) {
	s := newSite(t)
	all := s.variedRecord(2)
	r := s.readFromNothing()
	learnt(t, s, r)
	for i := range all {
		e := all[i]
		if e.Cause.Kind == "open-bets" {
			e.Parts = slices.Clone(e.Parts)
			for k := range e.Parts {
				if streamKind(&e.Parts[k]) == "table" {
					e.Parts[k].Stream = "table:Z"
				}
			}
			e.Cause.At = "Z"
			if err := r.Take(&e); !errors.Is(err, house.ErrCorrupt) {
				t.Errorf("a round of a table that there is not: %v", err)
			}
			return
		}
		if err := r.Take(&e); err != nil {
			t.Fatal(err)
		}
	}
	t.Error("no round was begun")
}

// learnt has a reader learn the names that the record has by now.
func learnt(t *testing.T, s *site, r *reading) {
	t.Helper()
	if err := s.store.Names(ctx(), 0, r.names.Learn); err != nil {
		t.Fatal(err)
	}
}

// The records of rounds are made of no event that cannot be read. A table or jackpot of which
// that is so is not followed further, and what commits to another record is only said.
func TestRoundsAreNotMadeOfDamagedEvents(t *testing.T) {
	s := newSite(t)
	all := s.variedRecord(2)
	to := func(n int) *house.RoundTexts {
		t.Helper()
		texts := house.NewRoundTexts()
		for i := range all[:n] {
			if err := texts.Add(&all[i]); err != nil {
				t.Fatal(err)
			}
		}
		return texts
	}
	tried := map[string]bool{}
	committed := 0
	for i := range all {
		for k := range all[i].Parts {
			p := &all[i].Parts[k]
			kind := streamKind(p)
			if kind == "sealed" || kind == "names" || len(p.Events) == 0 {
				continue // no record has anything of these
			}
			tried[kind] = true
			damaged := damagedEvent(&all[i], k, 0)
			texts := to(i)
			if err := texts.Add(damaged); !errors.Is(err, house.ErrCorrupt) {
				t.Errorf("an event of %s that there is not, in transaction %d: %v", p.Stream, all[i].Seq, err)
			}
			if kind == "table" {
				damaged.Parts = []house.StreamAppend{damaged.Parts[k]} // the jackpot has taken its own
				if err := texts.Add(damaged); err != nil || texts.Committed() != nil {
					t.Errorf("transaction %d: table A is followed further: %v", all[i].Seq, err)
				}
			}
		}
		texts := to(i + 1)
		if texts.Committed() == nil {
			continue
		}
		committed++
		// What comes next commits to nothing, and the table goes on after a wrong commitment.
		wrong := all[i]
		wrong.Parts = slices.Clone(wrong.Parts)
		for k := range wrong.Parts {
			if streamKind(&wrong.Parts[k]) == "table" {
				wrong.Parts[k].Record = strings.Repeat("0", 64)
			}
		}
		texts = to(i)
		var fault *house.RoundFault
		if err := texts.Add(&wrong); !errors.As(err, &fault) || texts.Committed() == nil {
			t.Errorf("transaction %d commits to another record: %v", wrong.Seq, err)
		}
		again := false
		for j := range all[i+1:] {
			e := &all[i+1+j]
			if err := texts.Add(e); err != nil {
				t.Fatal(err)
			}
			if len(e.Parts) == 0 && texts.Committed() != nil {
				t.Errorf("transaction %d concerns no table, and commits to a round", e.Seq)
			}
			again = again || texts.Committed() != nil
		}
		if again != (committed == 1) {
			t.Errorf("after transaction %d another round is followed: %t", wrong.Seq, again)
		}
	}
	if committed != 2 {
		t.Errorf("%d transactions commit to a round, of 2", committed)
	}
	// Rules are taken by their bytes, and a table by rules and equipment that there are.
	for i := range all {
		for k := range all[i].Parts {
			for n, e := range all[i].Parts[k].Events {
				changes := map[string]map[string]*strings.Replacer{
					"book-declared": {"the declaration of rws-3cp@3 has the hash": strings.NewReplacer(`"book_hash":"`, `"book_hash":"0`)},
					"terms-stated":  {"the terms have the hash": strings.NewReplacer(`"rules_hash":"`, `"rules_hash":"0`)},
					"table-installed": {
						"nowhere recorded":         strings.NewReplacer(`"rules_hash":"`, `"rules_hash":"0`),
						"is not dealt from a hand": strings.NewReplacer(`"device":"shuffler"`, `"device":"hand"`),
					},
				}[e.Kind]
				for want, change := range changes {
					other := all[i]
					other.Parts = slices.Clone(other.Parts)
					other.Parts[k].Events = slices.Clone(other.Parts[k].Events)
					other.Parts[k].Events[n].Body = []byte(change.Replace(string(e.Body)))
					if err := to(i).Add(&other); !errors.Is(err, house.ErrCorrupt) || !strings.Contains(err.Error(), want) {
						t.Errorf("another %s: %v, want %s", e.Kind, err, want)
					}
					tried[e.Kind] = true
				}
			}
		}
	}
	for _, kind := range []string{"house", "jackpot", "table", "deal", "protection", "book-declared", "terms-stated", "table-installed"} {
		if !tried[kind] {
			t.Errorf("no event of %s was tried", kind)
		}
	}
}

// Of a transaction that concerns several streams the texts follow each.
func TestTextsFollowEveryStreamOfATransaction(t *testing.T) {
	s := newSite(t)
	all := s.variedRecord(1)
	texts := house.NewRoundTexts()
	var guards []house.StreamAppend
	committed := false
	for i := range all {
		e := all[i]
		if len(e.Parts) > 0 && streamKind(&e.Parts[0]) == "protection" {
			guards, e.Parts = e.Parts, nil
		}
		for k := range e.Parts {
			if streamKind(&e.Parts[k]) == "table" {
				e.Parts = slices.Concat(guards, e.Parts)
				guards = nil
				break
			}
		}
		if err := texts.Add(&e); err != nil {
			t.Fatal(err)
		}
		committed = committed || texts.Committed() != nil
	}
	if !committed || guards != nil {
		t.Errorf("the end of the round is committed to: %t; protection that no table came after: %v", committed, guards)
	}
}

// A snapshot that differs from what the events come to is found, in each stream that keeps any.
func TestASnapshotThatDiffersIsFound(t *testing.T) {
	s := newSite(t)
	all := s.variedRecord(4)
	texts := house.NewRoundTexts()
	tried := map[string]int{}
	for i := range all {
		if err := texts.Add(&all[i]); err != nil {
			t.Fatal(err)
		}
		for k := range all[i].Parts {
			p := &all[i].Parts[k]
			snapshot, err := s.store.Snapshot(ctx(), p.Stream, all[i].Seq)
			if errors.Is(err, house.ErrNotFound) || snapshot.Seq != all[i].Seq {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			tried[streamKind(p)]++
			if err := texts.CheckSnapshot(p.Stream, snapshot); err != nil {
				t.Errorf("the snapshot of %s in transaction %d: %v", p.Stream, all[i].Seq, err)
			}
			if err := texts.CheckSnapshot("none:"+p.Stream, snapshot); err != nil {
				t.Errorf("a snapshot of what is not followed: %v", err)
			}
			if kind, _, named := strings.Cut(p.Stream, ":"); named {
				if err := texts.CheckSnapshot(kind+":Z", snapshot); err != nil {
					t.Errorf("a snapshot of a %s that is not followed: %v", kind, err)
				}
			}
			for what, body := range map[string]string{"no text": "{", "nothing": "{}", "no state": strings.Replace(string(snapshot.Body), `"state":{`, `"state":{"phase":"none",`, 1) + " "} {
				other := snapshot
				other.Body = []byte(body)
				if err := texts.CheckSnapshot(p.Stream, other); err == nil {
					t.Errorf("the snapshot of %s in transaction %d is %s, and nothing is found", p.Stream, all[i].Seq, what)
				}
			}
			// As the house would have sealed it.
			sealed, err := house.OpenSnapshot(p.Stream, snapshot)
			if err != nil {
				t.Fatal(err)
			}
			for what, change := range map[string]*strings.Replacer{
				"no text":           strings.NewReplacer(`{`, ``),
				"of no state":       strings.NewReplacer(`"cards":"virtual"`, `"cards":"virtual","none":1`, `"meter":`, `"none":`),
				"of another phase":  strings.NewReplacer(`"phase":"betting"`, `"phase":"dealing"`, `"totals":{`, `"totals":{"hits":9,`),
				"of another layout": strings.NewReplacer("\n", "", `{"bettors":null,"decision":"undecided"},`, "", `"opened":true`, `"opened":false`),
				"set otherwise":     strings.NewReplacer(`,"`, `, "`),
			} {
				other := snapshot
				other.Body = house.SealSnapshot(p.Stream, snapshot.Version, []byte(change.Replace(string(sealed))))
				if err := texts.CheckSnapshot(p.Stream, other); (err == nil) != (what == "set otherwise") || err != nil && !errors.Is(err, house.ErrCorrupt) {
					t.Errorf("the snapshot of %s in transaction %d is %s: %v", p.Stream, all[i].Seq, what, err)
				}
			}
			for _, stream := range []string{"jackpot:A", "table:linked"} {
				if err := texts.CheckSnapshot(stream, snapshot); err != nil {
					t.Errorf("%s is not followed: %v", stream, err)
				}
			}
			late := snapshot
			late.Version++
			if err := texts.CheckSnapshot(p.Stream, late); err == nil {
				t.Errorf("the snapshot of %s in transaction %d is of another version, and nothing is found", p.Stream, all[i].Seq)
			}
		}
	}
	for _, kind := range []string{"table", "jackpot"} {
		if tried[kind] == 0 {
			t.Errorf("no snapshot of %s was tried: %v", kind, tried)
		}
	}
}
