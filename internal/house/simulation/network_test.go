package simulation

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"time"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/housetest"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/internal/record"
	"trey/jackpot"
	"trey/rules"
	"trey/table"
)

// request is a request to the house, until it is answered.
type request struct {
	number int
	by     access.Person
	// what is a table.Action at a table, a posting.Transfer, or a jackpot.Command.
	what any
	at   *floorTable
	// acknowledged says that the answer was that it is done; seq is the transaction, answer
	// what came with it.
	acknowledged bool
	seq          int64
	answer       string
}

func (r *request) String() string {
	where := ""
	if r.at != nil {
		where = " at " + r.at.name
	}
	body, err := json.Marshal(r.what)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("%d: %s %T%s%s", r.number, r.by.Name, r.what, where, body)
}

func (r *request) key() string { return strconv.Itoa(r.number) }

func (w *world) request(by access.Person, what any, at *floorTable) *request {
	w.numbered++
	r := &request{number: w.numbered, by: by, what: what, at: at}
	w.sent[fmt.Sprintf("%q %s", by.Name, r.key())] = r
	return r
}

// What is asked for beside the actions at a table, transfers and proposals.
type (
	approve  struct{ ID int64 }
	decline  struct{ ID int64 }
	addSeed  struct{ Text string }
	drain    struct{}
	undrain  struct{}
	newRules struct{ change house.Change }
	release  struct{}
)

// outcome is the answer to a request. The number of the transaction is
// zero where it is not told.
type outcome struct {
	seq      int64
	repeated bool
	recorded bool
	text     string
	err      error
}

// carry takes a request into the house, as a server would.
func (w *world) carry(r *request) (o outcome) {
	h, key := w.house, r.key()
	o.recorded = true
	var stated any
	switch what := r.what.(type) {
	case table.Action:
		var result house.Result
		result, o.err = h.Do(ctx(), house.CommandRequest{Key: key, Table: r.at.name, By: r.by, Do: what})
		o.seq, o.repeated, o.recorded, stated = result.Seq, result.Repeated, result.Seq != 0, storedResult(&result)
	case posting.Transfer:
		o.seq, o.err = h.CageTransfer(ctx(), key, r.by, what)
	case house.Proposal:
		stated, o.err = h.Propose(ctx(), key, r.by, what)
	case approve:
		o.seq, o.err = h.Approve(ctx(), key, r.by, what.ID)
	case decline:
		o.err = h.Decline(ctx(), key, r.by, what.ID, "it is not needed")
	case addSeed:
		o.seq, o.err = h.AddSeed(ctx(), key, r.by, r.at.name, 0, what.Text)
	case drain:
		o.recorded = false // perhaps: it may be what is the case already
		o.err = h.Drain(ctx(), key, r.by)
	case undrain:
		o.recorded = false
		o.err = h.Undrain(ctx(), key, r.by)
	case newRules:
		stated, o.err = h.Change(ctx(), key, r.by, r.at.name, what.change)
	case release:
		_, o.err = h.Release(ctx(), key, r.by, r.at.name, "it was looked into")
	}
	if o.err == nil {
		text, err := json.Marshal(stated)
		if err != nil {
			o.err = err
		}
		o.text = string(text)
	}
	return o
}

// flight is a request in the house.
type flight struct {
	*request
	done    chan outcome
	heard   bool // the answer finds its way back
	waiting bool
}

// fate is the fate of a message: nearly all messages arrive.
type fate uint8

const (
	_ fate = iota
	arrives
	lost     // on the way to the house
	answered // in the house, and the answer is lost
	doubled  // there is a copy that arrives later
	delayed
)

func (w *world) fate() fate {
	switch n := w.rng.IntN(100); {
	case n < 86:
		return arrives
	case n < 89:
		return lost
	case n < 93:
		return answered
	case n < 97:
		return doubled
	default:
		return delayed
	}
}

// decides reports whether a request is about the house itself, which decides one
// thing at a time and has written it down before the next.
func (r *request) decides() bool {
	switch r.what.(type) {
	case house.Proposal, approve, decline, drain, undrain, newRules, release:
		return true
	}
	return false
}

// send has requests carried out side by side. They must not wait for each other:
// no two at one table, and of those that the house itself decides the second comes
// later. Each comes into line or is answered before the next one
// starts, so that the order is the seed's. What may reach every table comes after the others, alone.
func (w *world) send(requests ...*request) {
	w.Helper()
	var flights []*flight
	var alone []*request
	for _, r := range requests {
		if r.everywhere() && len(requests) > 1 {
			alone = append(alone, r)
			continue
		}
		if r.decides() && slices.ContainsFunc(flights, func(f *flight) bool { return f.decides() }) {
			w.late = append(w.late, r)
			continue
		}
		heard := true
		switch w.fate() {
		case lost:
			w.outcomes["network: lost"]++
			w.unheard = append(w.unheard, r)
			continue
		case delayed:
			w.outcomes["network: delayed"]++
			w.late = append(w.late, r)
			continue
		case answered:
			w.outcomes["network: answer lost"]++
			heard = false
		case doubled:
			w.outcomes["network: doubled"]++
			w.late = append(w.late, r)
		case arrives:
		}
		if f := w.launch(r, heard); f != nil {
			flights = append(flights, f)
		}
	}
	w.land(flights)
	for _, r := range alone {
		w.send(r)
	}
}

// everywhere reports whether a request may be carried out at other tables too.
func (r *request) everywhere() bool {
	report, ok := r.what.(table.Report)
	return ok && report.Incident == rules.ProgressiveDown
}

// launch starts a request. It returns nil if it is over already.
func (w *world) launch(r *request, heard bool) *flight {
	w.Helper()
	f := &flight{request: r, done: make(chan outcome, 1), heard: heard}
	w.line.held = true
	go func() { f.done <- w.carry(r) }()
	select {
	case <-w.line.queued:
		f.waiting = true
		return f
	case o := <-f.done:
		w.hear(f, o)
		w.down(o.err)
		return nil
	case <-time.After(patience):
		w.fail("%s neither waits for the store nor is answered", r)
		return nil
	}
}

// land writes what is in line and hears the answers, or the process ends.
func (w *world) land(flights []*flight) {
	w.Helper()
	crash := w.one(500)
	if crash {
		w.store.Crash(w.rng.IntN(len(flights) + 1))
	}
	down := false
	for _, f := range flights {
		if !crash {
			w.store.Flush(w.line.next())
		}
		o := w.answer(f)
		if crash {
			continue // there is nobody left to answer
		}
		w.hear(f, o)
		down = down || w.down(o.err)
	}
	w.line.held, w.line.lines = false, nil
	if crash {
		for _, f := range flights {
			w.unheard = append(w.unheard, f.request)
		}
	}
	w.read()
	if crash || down {
		w.outcomes["crashes"]++
		w.restart(0)
	}
}

// answer waits for the outcome of a request. It may be queued a second time. The release of a
// table reports what its stop did to the round, and a failure of a jackpot's system is reported
// at each of its tables.
func (w *world) answer(f *flight) outcome {
	w.Helper()
	for {
		select {
		case o := <-f.done:
			return o
		case <-w.line.queued:
			w.line.lines = nil
			w.store.Flush(w.store.Waiting())
		case <-time.After(patience):
			w.fail("%s is not answered: %d transactions wait, and these goroutines run:\n%s", f.request, w.store.Waiting(), goroutines())
		}
	}
}

// goroutines returns where each goroutine of the process is.
func goroutines() string {
	text := make([]byte, 1<<20)
	return string(text[:runtime.Stack(text, true)])
}

// hear takes an answer to whoever asked, if it finds its way.
func (w *world) hear(f *flight, o outcome) {
	w.Helper()
	r := f.request
	w.note("%s -> transaction %d %v", r, o.seq, o.err)
	var refused *table.Refusal
	var denied *access.Denied
	var reserved *jackpot.Refusal
	var short *ledger.Short
	final := true
	switch {
	case o.err == nil && o.repeated:
		w.outcomes["answered again"]++
	case o.err == nil:
		w.outcomes["carried out"]++
		w.enacted(r)
	case errors.As(o.err, &refused):
		w.outcomes["refused: "+refused.Reason.String()]++
	case errors.As(o.err, &reserved):
		w.outcomes["refused: "+reserved.Reason.String()]++
	case errors.As(o.err, &short):
		w.outcomes["short"]++
	case errors.As(o.err, &denied):
		w.outcomes["denied"]++
	case errors.Is(o.err, house.ErrSamePerson), errors.Is(o.err, house.ErrDecided), errors.Is(o.err, house.ErrClosing),
		errors.Is(o.err, house.ErrNoChange), errors.Is(o.err, house.ErrUnattended), errors.Is(o.err, house.ErrNoProposal), errors.Is(o.err, house.ErrNotStopped):
		w.outcomes["refused: "+o.err.Error()]++
	case errors.Is(o.err, house.ErrStopped), errors.Is(o.err, errBadSector), errors.Is(o.err, house.ErrKeyBusy):
		final = false
	default:
		w.fail("%s: %v", r, o.err)
	}
	if !final || !f.heard {
		w.unheard = append(w.unheard, r)
		return
	}
	if r.acknowledged {
		if o.err != nil || o.seq != r.seq || o.text != r.answer {
			w.fail("%s was acknowledged as %d: %s; asked again the answer is %d: %s, %v", r, r.seq, r.answer, o.seq, o.text, o.err)
		}
		return
	}
	if o.err == nil && o.recorded {
		r.acknowledged, r.seq, r.answer = true, o.seq, o.text
	}
}

// again lists what is still on its way or unheard of, for the tables given: one
// request each at most.
func (w *world) again(free map[*floorTable]bool) []*request {
	var requests []*request
	for _, from := range []*[]*request{&w.late, &w.unheard} {
		var rest []*request
		for _, r := range *from {
			if (r.at == nil || free[r.at]) && w.one(6) {
				requests = append(requests, r)
				free[r.at] = false
				continue
			}
			rest = append(rest, r)
		}
		*from = rest
	}
	return requests
}

// storedResult returns the events of an answer, as they are stored.
func storedResult(result *house.Result) (all []any) {
	for _, e := range housetest.Events(result.Events) {
		all = append(all, record.TableEvents.Stored(e))
	}
	for _, e := range housetest.JackpotEvents(result.Moved) {
		all = append(all, record.JackpotEvents.Stored(e))
	}
	return all
}
