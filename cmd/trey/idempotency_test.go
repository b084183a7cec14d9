//go:build unix

package main

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"trey/internal/house"
	"trey/internal/house/access"
	"trey/internal/house/posting"
	"trey/internal/ledger"
	"trey/internal/notary"
	"trey/internal/shuffle"
	"trey/internal/steady"
	"trey/money"
	"trey/rules"
	"trey/table"
)

// keyed is a record with two commands under idempotency keys: a buy-in and a bet.
type keyed struct {
	*testing.T
	signing, keys, archive string
	nowMs                  int64
	buyIn, bet             int64 // their transactions
}

// at opens the house from a place, and returns it with what closes it again.
func (k *keyed) at(db string) (h *house.House, end func()) {
	k.Helper()
	ctx := k.Context()
	store, err := openFor(ctx, recordFiles{db: db, signing: k.signing, sealKeys: k.keys, archive: k.archive})
	if err != nil {
		k.Fatal(err)
	}
	keys, _, err := openKeys(ctx, store, k.keys)
	if err != nil {
		k.Fatal(err)
	}
	signed, err := notary.Open(ctx, k.signing, store)
	if err != nil {
		k.Fatal(err)
	}
	h, _, err = house.Open(ctx, store, house.World{NowMs: func() int64 { return k.nowMs }, Sealer: keys, Seed: shuffle.Fresh, Notary: signed, AcceptClock: true})
	if err != nil {
		k.Fatal(err)
	}
	return h, func() {
		k.Helper()
		if _, err := signed.Sign(); err != nil {
			k.Fatal(err)
		}
		if err := store.Close(); err != nil {
			k.Fatal(err)
		}
	}
}

// ask sends both commands with these amounts.
func (k *keyed) ask(h *house.House, amount money.Amount) (buyIn, bet int64, errs [2]error) {
	ctx := k.Context()
	cat, kim := access.Person{Name: "cat", Role: access.Player}, access.Person{Name: "kim", Role: access.Cashier}
	buyIn, errs[0] = h.CageTransfer(ctx, "the buy-in", kim, posting.Transfer{Reason: ledger.BuyIn, Player: "cat", Amount: 10 * amount})
	r, err := h.Do(ctx, house.CommandRequest{Key: "the bet", Table: "a", By: cat, Do: table.Bet{Box: 2, Player: "cat", Wager: rules.Ante, Amount: amount}})
	bet, errs[1] = r.Seq, err
	return buyIn, bet, errs
}

// honoured holds that a place answers both keys as it did at first, moves no money by that,
// and refuses other commands under them.
func (k *keyed) honoured(what, db string) {
	k.Helper()
	h, end := k.at(db)
	defer end()
	account := ledger.Account{Kind: ledger.Player, Of: "cat"}
	before := h.Balance(account)
	if buyIn, bet, errs := k.ask(h, 10*money.Major); errors.Join(errs[:]...) != nil || buyIn != k.buyIn || bet != k.bet {
		k.Errorf("%s: answered with transactions %d and %d, %v, want %d and %d", what, buyIn, bet, errs, k.buyIn, k.bet)
	}
	if _, _, errs := k.ask(h, 20*money.Major); !errors.Is(errs[0], house.ErrKeyReused) || !errors.Is(errs[1], house.ErrKeyReused) {
		k.Errorf("%s: other commands under the keys: %v", what, errs)
	}
	if after := h.Balance(account); after != before {
		k.Errorf("%s: cat had %s and has %s", what, before.Display(), after.Display())
	}
}

// An idempotency key is honoured after more than 30 days, from a copy, in another database,
// back in a file, and from the archive.
func TestAnIdempotencyKeyIsHonouredEverywhere(t *testing.T) {
	t.Parallel()
	db := signedHouse(t)
	k := &keyed{T: t, signing: signingBeside(db), keys: keysBeside(db), archive: filepath.Join(t.TempDir(), "archive"), nowMs: time.Now().UnixMilli()}
	h, end := k.at(db)
	var errs [2]error
	if k.buyIn, k.bet, errs = k.ask(h, 10*money.Major); errors.Join(errs[:]...) != nil || k.buyIn == 0 || k.bet == 0 {
		t.Fatal(k.buyIn, k.bet, errs)
	}
	// So much that the archive holds both: it takes whole tiles.
	for range 300 {
		if _, err := h.CageTransfer(t.Context(), "", access.Person{Name: "kim", Role: access.Cashier}, posting.Transfer{Reason: ledger.BuyIn, Player: "ben", Amount: money.Major}); err != nil {
			t.Fatal(err)
		}
	}
	end()
	k.nowMs += (31 * 24 * time.Hour).Milliseconds()
	k.honoured("31 days later", db)
	copied := filepath.Join(t.TempDir(), "copy.db")
	if status, out, logs := backup("--db", db, "--keys", k.keys, copied); status != 0 {
		t.Fatalf("status %d: %s%s", status, out, logs)
	}
	k.honoured("from a copy", copied)
	if out, err := archiveLater(t, db, k.archive); err != nil {
		t.Fatal(out, err)
	}
	k.honoured("from the archive", db)
}

// An idempotency key is honoured after a move into a database, and back into a file.
func TestAnIdempotencyKeyIsHonouredAfterAMove(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	database := databases(t)("house")
	db := signedHouse(t)
	k := &keyed{T: t, signing: signingBeside(db), keys: keysBeside(db), nowMs: time.Now().UnixMilli()}
	h, end := k.at(db)
	var errs [2]error
	if k.buyIn, k.bet, errs = k.ask(h, 10*money.Major); errors.Join(errs[:]...) != nil {
		t.Fatal(errs)
	}
	end()
	from := db
	for _, to := range []string{database, filepath.Join(t.TempDir(), "back.db")} {
		if status, out := moved("--from", from, "--to", to, "--signing", k.signing); status != 0 {
			t.Fatalf("status %d: %s", status, out)
		}
		k.honoured("after a move", to)
		from = to
	}
}
