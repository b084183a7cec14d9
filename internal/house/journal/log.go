package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"trey/internal/house"
	"trey/internal/stored"
)

// LogQuery says which transactions are wanted.
type LogQuery struct {
	// Stream is the stream that they concern, such as "table:T1"; empty for all.
	Stream string
	// Person has asked for them, or is named in them.
	Person string
	// Kind is that of the command, or of something that followed from it.
	Kind string
	// Before is the number before which they lie, zero for the newest.
	Before int64
	// Limit is the largest number returned, Most the largest number read. Zero is 50 and
	// 50,000.
	Limit, Most int
}

// LogPage is a piece of the log.
type LogPage struct {
	// Entries are the newest first, without what nobody may know yet.
	Entries []house.StoredTransaction
	// Next is before which number to go on, zero where the log begins.
	Next int64
}

// errEnough ends a reading.
var errEnough = errors.New("that is enough")

// Log reads the log backwards. It searches only what may be read: nobody finds out a card by a
// search.
func (j *Journal) Log(ctx context.Context, q LogQuery) (*LogPage, error) {
	limit, most := orElse(q.Limit, 50), orElse(q.Most, 50_000)
	end := q.Before
	if end == 0 {
		last, err := j.last(ctx)
		if err != nil {
			return nil, err
		}
		end = last + 1
	}
	page, seen := &LogPage{}, 0
	for width := int64(256); end > 1; width = min(2*width, 8192) {
		after := max(0, end-1-width)
		var all []house.StoredTransaction
		err := j.Record.ReadAll(ctx, after, q.Stream, func(e house.StoredTransaction) error {
			if e.Seq >= end {
				return errEnough
			}
			all = append(all, e)
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			return nil, err
		}
		redaction := j.Redaction()
		for _, read := range slices.Backward(all) {
			e := redaction.Entry(ctx, &read)
			if !q.wants(&e) {
				continue
			}
			if len(page.Entries) == limit {
				page.Next = page.Entries[limit-1].Seq
				return page, nil
			}
			page.Entries = append(page.Entries, e)
		}
		if seen, end = seen+len(all), after+1; seen >= most && end > 1 {
			page.Next = end
			return page, nil
		}
	}
	return page, nil
}

func orElse(n, usual int) int {
	if n == 0 {
		return usual
	}
	return n
}

// wants reports whether the query matches a transaction.
func (q *LogQuery) wants(e *house.StoredTransaction) bool {
	return (q.Kind == "" || ofKind(e, q.Kind)) && (q.Person == "" || names(e, q.Person))
}

// ofKind reports whether a transaction is of a kind: of any version where only the name is
// asked for.
func ofKind(e *house.StoredTransaction, asked string) bool {
	matches := func(kind string) bool { return kind == asked || stored.Name(kind) == asked }
	if matches(e.Cause.Kind) {
		return true
	}
	for i := range e.Parts {
		if slices.ContainsFunc(e.Parts[i].Events, func(event house.Event) bool { return matches(event.Kind) }) {
			return true
		}
	}
	return false
}

// names reports whether somebody asked for a transaction or is named in it.
func names(e *house.StoredTransaction, person string) bool {
	if e.Cause.By == person {
		return true
	}
	for i := range e.Postings {
		if e.Postings[i].From.Of == person || e.Postings[i].To.Of == person {
			return true
		}
	}
	name, err := json.Marshal(person)
	if err != nil {
		return false
	}
	if bytes.Contains(e.Cause.Body, name) {
		return true
	}
	for i := range e.Parts {
		if slices.ContainsFunc(e.Parts[i].Events, func(event house.Event) bool { return bytes.Contains(event.Body, name) }) {
			return true
		}
	}
	return false
}

// last returns the number of the last transaction of the record.
func (j *Journal) last(ctx context.Context) (int64, error) {
	behind := func(seq int64) (more bool, err error) {
		err = j.Record.ReadAll(ctx, seq, "", func(house.StoredTransaction) error { more = true; return errEnough })
		if errors.Is(err, errEnough) {
			err = nil
		}
		return more, err
	}
	from, to := int64(-1), int64(1) // something lies behind from
	if more, err := behind(0); err != nil || !more {
		return 0, err
	}
	for from = 0; ; from, to = to, 2*to {
		more, err := behind(to)
		if err != nil {
			return 0, err
		}
		if !more {
			break
		}
	}
	for to-from > 1 {
		middle := from + (to-from)/2
		more, err := behind(middle)
		if err != nil {
			return 0, err
		}
		if more {
			from = middle
		} else {
			to = middle
		}
	}
	return to, nil
}
