package auditor

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/mod/sumdb/note"

	"trey/internal/house"
	"trey/internal/tree"
)

// Audit is the outcome of the audit of a record.
type Audit struct {
	*Auditor
	// Head is the tree that the transactions come to. Whoever has a signed checkpoint
	// compares it.
	Head tree.Head
	// Found lists the findings: those in the tree, then those from the transactions, the
	// rounds, and the names of persons.
	Found []Finding
	// Named reports whether the names of persons stand beside the record, and Balanced
	// whether what accounts hold does, as of a transaction that was read.
	Named, Balanced bool
	// Verified counts the records of rounds that were verified, each as of every transaction
	// that commits to it, and Otherwise those in which this program would decide something
	// otherwise today.
	Verified, Otherwise int
	// Covered counts the commitments to decks that a checkpoint of this tree held before
	// anybody relied upon them. The checkpoints of Unsigned of them are signed by no key that
	// is known; Earlier says that others are of a tree from which this one went on. Uncovered
	// counts those that none held, in a record in which none does: otherwise it is a finding.
	Covered, Unsigned, Uncovered int
	Earlier                      bool
	// Signed is the size of the largest tree that such a checkpoint has which a known key signed:
	// the record is as the house signed it up to there. It is zero for none.
	Signed int64
}

// Run audits a record, wherever it is: a [house.Store], the lines of an archive, or a running
// house by its address. It reads the record once, from the first transaction to the last, and
// keeps what follows from it, not what it read. If balances [Accounts], names [Names] or
// snapshots stand beside the record, it compares them. The keys are those that the house is known
// to sign with. An error says that the record cannot be read.
func Run(ctx context.Context, record Log, users Users, keys []note.Verifier) (*Audit, error) {
	var stored map[string]int64
	var at int64
	accounts, balanced := record.(Accounts)
	if balanced {
		// They come first, because a running house goes on while its record is read.
		var err error
		if stored, at, err = balancesOf(ctx, accounts); err != nil {
			return nil, err
		}
	}
	result := &Audit{Auditor: New()}
	leaves, rounds, names := newTreeCheck(record), newRoundCheck(record, users), newNameCheck()
	covers := newCoverCheck(record, keys)
	defer rounds.close()
	compare := func() {
		result.Compare("the store", stored)
		result.Balanced = true
	}
	err := record.Leaves(ctx, 0, func(leaf house.Leaf) error {
		hash := tree.LeafHash(leaf.Text())
		if err := leaves.add(ctx, &leaf, hash); err != nil {
			return err
		}
		covers.read(leaf.Seq, hash)
		names.add(&leaf)
		e, err := leaf.Line.Entry(leaf.Seq, leaf.AtMs)
		if err != nil {
			return rounds.fault(leaf.Seq, err)
		}
		result.Read(e)
		for i := range result.covers {
			if err := covers.add(ctx, &result.covers[i]); err != nil {
				return err
			}
		}
		if !e.Withheld && ofPeople(&e) {
			if err := users.CheckCause(&e.Cause); err != nil {
				result.find("the cause cannot be read: %v", err)
			}
		}
		if balanced && e.Seq == at {
			compare()
		}
		return rounds.add(ctx, &e)
	})
	if err != nil {
		return nil, fmt.Errorf("read the record: %w", err)
	}
	result.end()
	if partial, ok := record.(interface{ Partial() bool }); balanced && !result.Balanced && (!ok || !partial.Partial()) {
		compare()
	}
	if err := rounds.end(ctx); err != nil {
		return nil, err
	}
	if kept, ok := record.(Names); ok {
		result.Named = true
		if err := names.compare(ctx, kept); err != nil {
			return nil, err
		}
	}
	head, found := leaves.end()
	if !result.signs {
		result.Uncovered = len(result.uncovered)
	}
	result.Covered, result.Unsigned, result.Earlier = covers.held, covers.unsigned, len(covers.before) > 0
	result.Signed = covers.signed
	result.Verified, result.Otherwise = rounds.verified.rounds, rounds.verified.otherwise
	result.Head, result.Found = head, slices.Concat(found, result.Findings(), covers.end(result.restored), rounds.found, names.found)
	return result, nil
}
