package house_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"trey/internal/house"
	"trey/internal/ledger"
	"trey/internal/tree"
	"trey/money"
)

func transactions() *rapid.Generator[house.Transaction] {
	text := rapid.SampledFrom([]string{"", "ann", "änn <1>", "a \"quoted\"\nname", "table:A"})
	return rapid.Custom(func(t *rapid.T) house.Transaction {
		tx := house.Transaction{
			Key:   rapid.SampledFrom([]string{"", "k", "k \"1\"\n<"}).Draw(t, "key"),
			Cause: house.Cause{By: text.Draw(t, "by"), Role: text.Draw(t, "role"), At: text.Draw(t, "at"), Kind: text.Draw(t, "kind")},
		}
		if rapid.Bool().Draw(t, "has a body") {
			tx.Cause.Body = []byte(`{"a":[1,"<"]}`)
		}
		if tx.Key != "" {
			tx.Input = sha256.Sum256([]byte("something else"))
			if rapid.Bool().Draw(t, "the cause came with the key") {
				tx.Input = sha256.Sum256(house.AppendCause(nil, &tx.Cause))
			}
		}
		for range rapid.IntRange(0, 3).Draw(t, "postings") {
			tx.Postings = append(tx.Postings, ledger.Posting{
				From: ledger.Account{Kind: ledger.Player, Of: "ann" + text.Draw(t, "whose")}, To: ledger.Account{Kind: ledger.Cash},
				Amount: money.Amount(rapid.Int64().Draw(t, "amount")), For: ledger.Reference{Reason: ledger.BuyIn, Note: text.Draw(t, "note")},
			})
		}
		for range rapid.IntRange(0, 3).Draw(t, "parts") {
			p := house.Part{Stream: text.Draw(t, "stream"), After: rapid.Int64Range(0, 3).Draw(t, "after"), Round: rapid.IntRange(0, 2).Draw(t, "round")}
			for range rapid.IntRange(0, 2).Draw(t, "events") {
				p.Events = append(p.Events, house.Event{Kind: text.Draw(t, "what"), Body: []byte(`{"b":"\u00e4","c":null}`)})
			}
			tx.Parts = append(tx.Parts, p)
		}
		return tx
	})
}

// What a line says is what was recorded, and its text says it byte for byte: the leaf
// commits to these bytes.
func TestALineIsReadAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tx := transactions().Draw(t, "transaction")
		line, err := house.NewLine(&tx)
		if err != nil {
			t.Fatal(err)
		}
		text := line.Append(nil)
		if bytes.ContainsAny(text, "\n\r") {
			t.Fatalf("it is more than a line: %q", text)
		}
		read, err := house.ReadLine(text)
		if err != nil {
			t.Fatal(err)
		}
		if again := read.Append(nil); !bytes.Equal(again, text) {
			t.Fatalf("read and written again:\n%s\nfirst:\n%s", again, text)
		}
		salt := tree.Salt{1}
		if read.Content(salt) != line.Content(salt) {
			t.Fatalf("the leaf of what was read is another:\n%s", text)
		}
		e, err := read.Entry(3, 4)
		if err != nil {
			t.Fatal(err)
		}
		want := house.Entry{Seq: 3, AtMs: 4, Key: tx.Key, Cause: tx.Cause, Parts: tx.Parts, Postings: tx.Postings}
		if !reflect.DeepEqual(e, want) {
			t.Fatalf("got %+v, want %+v", e, want)
		}
		if tx.Key == "" {
			return
		}
		if r, err := read.Receipt(3, 4); err != nil || r.Input != tx.Input || !reflect.DeepEqual(r.Parts, tx.Parts) {
			t.Fatalf("its receipt is %+v, %v, of %+v", r, err, tx)
		}
	})
}

// Whatever can be changed of a line without its becoming unreadable gives another leaf.
func TestAnAlteredLineHasAnotherLeaf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tx := transactions().Draw(t, "transaction")
		line, err := house.NewLine(&tx)
		if err != nil {
			t.Fatal(err)
		}
		text := line.Append(nil)
		at := rapid.IntRange(0, len(text)-1).Draw(t, "where")
		text[at] ^= rapid.ByteRange(1, 255).Draw(t, "other bits")
		read, err := house.ReadLine(text)
		if errors.Is(err, house.ErrCorrupt) {
			return
		}
		if salt := (tree.Salt{1}); err != nil || read.Content(salt) == line.Content(salt) {
			t.Fatalf("altered in byte %d it has the same leaf: %s, %v", at, text, err)
		}
	})
}

// What is read is written again in the same bytes, or refused.
func FuzzReadLine(f *testing.F) {
	f.Add([]byte(`{"cause":{"by":"ann","role":"player","kind":"bet"},"key":"1","postings":[{}],"parts":[{"stream":"table:A","after":1,"round":2,"events":[{"kind":"said","body":{}}]}]}`))
	f.Add([]byte(`{"cause":null}`))
	f.Add([]byte(`{"cause":{},"parts":[{"stream":""}]} `))
	f.Add([]byte(`{"cause":{},"more":1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		line, err := house.ReadLine(text)
		if err != nil {
			if !errors.Is(err, house.ErrCorrupt) {
				t.Errorf("%v", err)
			}
			return
		}
		if again := line.Append(nil); !bytes.Equal(again, text) {
			t.Errorf("%q is written again as %q", text, again)
		}
		// Whatever the bytes hold, it is reported and not fallen over.
		if _, err := line.Entry(1, 1); err != nil && !errors.Is(err, house.ErrCorrupt) {
			t.Errorf("%v", err)
		}
		_ = line.Leaf(1, 1, tree.Salt{})
	})
}
