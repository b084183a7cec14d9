package auditor

import (
	"bytes"
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"trey/internal/house/proof"
)

// verifying verifies the records of rounds as whoever was given one would, by the code of
// package proof: seed and commitment, cards, commands, settlement and money. Rounds stand by
// themselves, so that it takes all processors.
type verifying struct {
	texts   chan committedText
	workers sync.WaitGroup

	mu    sync.Mutex
	found []Finding
	// rounds counts the records that were verified, otherwise those in which this program
	// would decide something otherwise today.
	rounds, otherwise int
}

// committedText is the record of a round as of the transaction that commits to it.
type committedText struct {
	seq  int64
	text []byte
}

func newVerifying() *verifying {
	n := runtime.GOMAXPROCS(0)
	v := &verifying{texts: make(chan committedText, n)}
	for range n {
		v.workers.Go(func() {
			for t := range v.texts {
				v.verify(t)
			}
		})
	}
	return v
}

// add has a record verified.
func (v *verifying) add(seq int64, text []byte) { v.texts <- committedText{seq, text} }

// end waits until all are verified, and returns the violations, in the order of the record.
func (v *verifying) end() []Finding {
	close(v.texts)
	v.workers.Wait()
	slices.SortStableFunc(v.found, func(a, b Finding) int { return cmp.Compare(a.Seq, b.Seq) })
	return v.found
}

// verify verifies a record. What is open in it, such as the order of cards that a person
// dealt, nobody can tell, and that its leaf commits to it has been seen.
func (v *verifying) verify(t committedText) {
	var found []Finding
	otherwise := false
	document, err := proof.Finish(t.text, nil, "", "")
	var r *proof.Round
	if err == nil {
		r, err = proof.Read(bytes.NewReader(document))
	}
	if err != nil {
		found = []Finding{{Seq: t.seq, What: fmt.Sprintf("the record of the round that it commits to cannot be read: %v", err)}}
	} else {
		for _, f := range proof.Verify(r).Findings {
			otherwise = otherwise || f.Result == proof.Otherwise
			if f.Result == proof.Failed {
				found = append(found, Finding{Seq: t.seq, What: fmt.Sprintf("table %s, round %d: %s fails at %s: %s", r.Table, r.Round, f.Check, cmp.Or(f.Where, "the record"), f.Text)})
			}
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.found = append(v.found, found...)
	v.rounds++
	if otherwise {
		v.otherwise++
	}
}
