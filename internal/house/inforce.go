package house

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"trey/internal/house/access"
	"trey/rules"
	"trey/rules/books"
	"trey/sentence"
	"trey/table"
)

// BookDeclared records a book as bytes, before the first terms of it.
type BookDeclared struct {
	Book     string `json:"book"`
	Revision int    `json:"revision"`
	// BookHash is that of Declaration.
	BookHash    string `json:"book_hash"`
	Declaration string `json:"declaration"`
}

// TermsStated records the terms of tables as bytes, before the first table that is
// played by them.
type TermsStated struct {
	BookHash string `json:"book_hash"`
	// RulesHash is that of Terms.
	RulesHash string `json:"rules_hash"`
	Terms     string `json:"terms"`
}

// RulesCarriedOver says that a table goes on, from a round on, with another declaration
// of its book: that of the program which keeps the house now. Nobody has changed its
// limits, pays and rulings.
type RulesCarriedOver struct {
	Table     string `json:"table"`
	FromRound int    `json:"from_round"`
	Variant   string `json:"variant"`
	BookHash  string `json:"book_hash"`
	RulesHash string `json:"rules_hash"`
	// Before is the setting that was in force.
	Before CarriedFrom `json:"before"`
}

// CarriedFrom names the rules that a table had before it was carried over.
type CarriedFrom struct {
	BookHash  string `json:"book_hash"`
	RulesHash string `json:"rules_hash"`
}

func (BookDeclared) ownKind() string     { return "book-declared" }
func (TermsStated) ownKind() string      { return "terms-stated" }
func (RulesCarriedOver) ownKind() string { return "rules-carried-over" }

// recordedRules are the declarations and terms that the record holds, by their hashes.
// Nothing in it changes or goes, so it may know some before their transaction is
// durable for everybody.
type recordedRules struct {
	// find returns a book of the program.
	find func(ref string) (*rules.Book, error)

	mu       sync.Mutex
	declared map[string]*rules.Book
	stated   map[string]*rules.Variant
	// named are the variants by hash and name. They are shared and never changed.
	named map[[2]string]*rules.Variant
}

func newRecordedRules(find func(ref string) (*rules.Book, error)) *recordedRules {
	if find == nil {
		find = books.Find
	}
	return &recordedRules{find: find, declared: map[string]*rules.Book{}, stated: map[string]*rules.Variant{}, named: map[[2]string]*rules.Variant{}}
}

// apply takes in a declaration or terms that were recorded. Their hash is not taken on
// trust.
func (k *recordedRules) apply(e OwnEvent) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch e := e.(type) {
	case BookDeclared:
		if k.declared[e.BookHash] != nil {
			return nil
		}
		if hash := rules.HashOf([]byte(e.Declaration)); hash != e.BookHash {
			return fmt.Errorf("the declaration of %s has the hash %s, and %s is recorded", e.Book, hash, e.BookHash)
		}
		b, err := rules.ReadBook([]byte(e.Declaration), k.find)
		if err != nil {
			return err
		}
		if b.Ref() != e.Book || b.Revision != e.Revision {
			return fmt.Errorf("%s, revision %d, is declared, and the declaration is of %s, revision %d", e.Book, e.Revision, b.Ref(), b.Revision)
		}
		k.declared[e.BookHash] = b
	case TermsStated:
		if k.stated[e.RulesHash] != nil {
			return nil
		}
		if hash := rules.HashOf([]byte(e.Terms)); hash != e.RulesHash {
			return fmt.Errorf("the terms have the hash %s, and %s is recorded", hash, e.RulesHash)
		}
		b := k.declared[e.BookHash]
		if b == nil {
			return fmt.Errorf("the terms %s are of the declaration %s, which is nowhere recorded", e.RulesHash, e.BookHash)
		}
		v, err := rules.ReadTerms([]byte(e.Terms), b)
		if err != nil {
			return err
		}
		k.stated[e.RulesHash] = v
	}
	return nil
}

// rules returns the recorded variant of a hash, under a name.
func (k *recordedRules) rules(hash, name string) (*rules.Variant, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if v := k.named[[2]string{hash, name}]; v != nil {
		return v, nil
	}
	stated := k.stated[hash]
	if stated == nil {
		return nil, fmt.Errorf("the rules %s are nowhere recorded", hash)
	}
	v := stated.Clone()
	v.ID = name
	k.named[[2]string{hash, name}] = v
	return v, nil
}

// missing returns the events by which a variant is recorded, of those that the record does not
// have yet: declaration first, then terms. Rules that could not be read back are refused, for
// they would shut the house out after a stop.
func (k *recordedRules) missing(v *rules.Variant) ([]OwnEvent, error) {
	declared := BookDeclared{Book: v.Book.Ref(), Revision: v.Book.Revision, BookHash: v.Book.Hash()}
	stated := TermsStated{BookHash: declared.BookHash, Terms: string(v.Terms())}
	stated.RulesHash = rules.HashOf([]byte(stated.Terms))
	k.mu.Lock()
	defer k.mu.Unlock()
	var events []OwnEvent
	if k.declared[declared.BookHash] == nil {
		declared.Declaration = string(v.Book.Declaration())
		if _, err := rules.ReadBook([]byte(declared.Declaration), k.find); err != nil {
			return nil, sentence.Errorf("its rules cannot be recorded: %s", err)
		}
		events = append(events, declared)
	}
	if k.stated[stated.RulesHash] == nil {
		if _, err := rules.ReadTerms([]byte(stated.Terms), v.Book); err != nil {
			return nil, sentence.Errorf("its rules cannot be recorded: %s", err)
		}
		events = append(events, stated)
	}
	return events, nil
}

// programBook returns the program's book of which a variant is, or an error; current reports
// whether the variant is of it as the program declares it.
func (k *recordedRules) programBook(v *rules.Variant) (b *rules.Book, current bool, err error) {
	b, err = k.find(v.Book.Ref())
	if err != nil {
		return nil, false, err
	}
	return b, b == v.Book || b.Hash() == v.Book.Hash(), nil
}

// has reports whether the record holds a declaration.
func (k *recordedRules) has(b *rules.Book) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.declared[b.Hash()] != nil
}

// ErrUnread: a machine of the house does not read a revision of a book, so no table begins
// to be played by it.
var ErrUnread = errors.New("not every machine of the house reads this revision of the book: upgrade the others first")

// readByAll refuses to begin to play by a book that a machine of the house does not read.
// What the record holds has begun already.
func (h *House) readByAll(b *rules.Book) error {
	if h.world.Unread == nil || h.rules.has(b) {
		return nil
	}
	if by := h.world.Unread(b.Ref(), b.Revision); len(by) > 0 {
		return sentence.Errorf("%s, revision %d, is not read by %s: %s", b.Ref(), b.Revision, strings.Join(by, ", "), ErrUnread)
	}
	return nil
}

// ownBook refuses rules of a book that this program declares otherwise, or not at all: no
// table begins to be played by them. A table whose rules are before, nil for none, keeps its
// book as long as a machine does not read the one of this program.
func (h *House) ownBook(v, before *rules.Variant) error {
	b, current, err := h.rules.programBook(v)
	switch {
	case err != nil:
		return err
	case current:
		return h.readByAll(b)
	case before != nil && before.Book.Hash() == v.Book.Hash() && h.readByAll(b) != nil:
		return nil
	}
	return sentence.Errorf("%s: this program declares the book otherwise than the rules have it: take them anew from a file", ErrUnplayable)
}

// ErrOldProgram: the record has a later revision of the table's book than this program.
var ErrOldProgram = errors.New("the table begins no round: start the later version of trey")

// earlier refuses to play by a book of which the record has a later revision than this
// program.
func earlier(program, recorded *rules.Book) error {
	if program.Revision >= recorded.Revision {
		return nil
	}
	return sentence.Errorf("the table is played by revision %d of %s, and this program has revision %d: %s", recorded.Revision, recorded.Ref(), program.Revision, ErrOldProgram)
}

// LaterBook returns an error where a table is played by a later revision of its book than this
// program has. The program can show the table, but begins no round there.
func (h *House) LaterBook() error {
	for _, name := range h.Tables() {
		s, err := h.runner(name)
		if err != nil {
			return err
		}
		s.Lock()
		v := s.at(s.state.Round + 1).Variant
		s.Unlock()
		b, _, err := h.rules.programBook(v)
		if err == nil {
			err = earlier(b, v.Book)
		}
		if err != nil {
			return sentence.Errorf("table %s: %s", name, err)
		}
	}
	return nil
}

// ErrOldRules: this program has a later revision of the table's book, and the rules of the
// table cannot be moved to it.
var ErrOldRules = errors.New("the table begins no round: choose other rules for it, of the book as this program has it")

// checkCurrentRules refuses to begin a round by a declaration that the program does not have. A
// round that was begun by it is ended by it.
func (h *House) checkCurrentRules(s *tableRunner, do table.Action) error {
	if _, ok := do.(table.OpenBets); !ok {
		return nil
	}
	v := s.at(s.state.Round + 1).Variant
	declared, current, err := h.rules.programBook(v)
	if err == nil && !current {
		if err := earlier(declared, v.Book); err != nil {
			return sentence.Errorf("table %s: %s", s.Name, err)
		}
		_, err = s.carried(v, declared)
	}
	if err == nil {
		return nil
	}
	return sentence.Errorf("table %s: %s: %s", s.Name, err, ErrOldRules)
}

// carried returns the rules of the table as they go on with the program's book. They suit the
// jackpot as before: its bet and the pays from its meter stay with the table.
func (s *tableRunner) carried(v *rules.Variant, current *rules.Book) (*rules.Variant, error) {
	after, err := v.CarriedTo(current)
	if err != nil {
		return nil, err
	}
	if _, err := table.New(after, s.Config); err != nil {
		return nil, err
	}
	return after, nil
}

// CarryOver moves the tables to the books as the program declares them, each from its next
// round on. It returns why some are not moved: a machine of the house cannot read the revision
// yet. It is for a house that is open; [Open] does the same.
func (h *House) CarryOver(ctx context.Context) (waits, err error) {
	for _, name := range h.Tables() {
		s, err := h.runner(name)
		if err != nil {
			return nil, err
		}
		s.Lock()
		if h.checkRunning(s) == nil {
			err = h.carryOver(ctx, s)
			switch {
			case errors.Is(err, ErrUnread):
				waits, err = err, nil
			case err == nil:
				h.beginAnew(ctx, s)
			}
		}
		s.Unlock()
		if err != nil {
			return waits, err
		}
	}
	return waits, nil
}

// carryOver takes a table over to the book as the program declares it, from its next
// round on. Where that cannot be, nothing is recorded: the table ends its round, and
// [House.checkCurrentRules] says why none begins. It never goes over to an earlier revision. While a
// machine of the house does not read the revision, it goes on as it is and the error wraps
// [ErrUnread]. The table is locked, or nobody else is there yet.
func (h *House) carryOver(ctx context.Context, s *tableRunner) error {
	before := s.at(s.state.Round + 1)
	declared, current, err := h.rules.programBook(before.Variant)
	if err != nil || current || earlier(declared, before.Variant.Book) != nil {
		return nil //nolint:nilerr // the table says so when a round should begin
	}
	if err := h.readByAll(declared); err != nil {
		return sentence.Errorf("table %s: %s", s.Name, err)
	}
	v, err := s.carried(before.Variant, declared)
	if err != nil {
		return nil //nolint:nilerr // as above
	}
	after := *before
	after.Variant = v
	e := RulesCarriedOver{Table: s.Name, FromRound: s.state.Round + 1, Variant: v.ID, BookHash: declared.Hash(), RulesHash: v.Hash()}
	e.Before.BookHash, e.Before.RulesHash = before.Variant.Book.Hash(), before.Variant.Hash()
	cause, err := ownCause(s.Name, CarryOverRules{})
	if err != nil {
		return err
	}
	tx, _, err := h.claim(ctx, "", access.Person{}, cause)
	if err != nil {
		return err
	}
	return h.changeTable(s, tx, e, e.FromRound, after)
}

// changeTable records that a table is played otherwise from a round on.
func (h *House) changeTable(s *tableRunner, tx *Transaction, e OwnEvent, fromRound int, after Table) error {
	h.admin.Lock()
	defer h.admin.Unlock()
	tx.Parts = []StreamAppend{{Stream: tableStream(s.Name), After: s.version}}
	if err := h.appendRulesEvent(tx, after.Variant, e); err != nil {
		return sentence.Errorf("table %s: %s: %s", s.Name, ErrUnplayable, err)
	}
	inLine, err := h.enqueue(tx, nothingMoves)
	if err != nil {
		return err
	}
	_, err = h.awaitAdminEvent(inLine, func(n *Notice) {
		s.from(fromRound, after)
		s.show()
		s.describe(n)
	})
	return err
}

// appendRulesEvent puts an event that names rules into a transaction, after the parts of them that
// the record lacks. h.admin is locked.
func (h *House) appendRulesEvent(tx *Transaction, v *rules.Variant, e OwnEvent) error {
	events, err := h.rules.missing(v)
	if err != nil {
		return err
	}
	return h.appendAdminEvent(tx, append(events, e)...)
}

// addRecorded reads the recorded rules.
func (h *House) addRecorded(events []Event) {
	for _, stored := range events {
		if stored.Kind != (BookDeclared{}).ownKind() && stored.Kind != (TermsStated{}).ownKind() {
			continue
		}
		e, err := DecodeOwn(stored)
		if err == nil {
			err = h.rules.apply(e)
		}
		if err != nil {
			_ = h.stop(err) // it was read before it was recorded
		}
	}
}
