package house_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"reflect"
	"strings"
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
			came := tx.Cause
			switch rapid.IntRange(0, 2).Draw(t, "what came with the key") {
			case 0:
				came.Body = []byte(`{"something":"else"}`)
				tx.Came = &came
			case 1:
				tx.Came = &came
			}
		}
		for range rapid.IntRange(0, 3).Draw(t, "postings") {
			tx.Postings = append(tx.Postings, ledger.Posting{
				From: ledger.Account{Kind: ledger.Player, Of: "ann" + text.Draw(t, "whose")}, To: ledger.Account{Kind: ledger.Cash},
				Amount: money.Amount(rapid.Int64().Draw(t, "amount")), For: ledger.Reference{Reason: ledger.BuyIn, Note: text.Draw(t, "note")},
			})
		}
		for range rapid.IntRange(0, 3).Draw(t, "parts") {
			p := house.StreamAppend{Stream: text.Draw(t, "stream"), After: rapid.Int64Range(0, 3).Draw(t, "after"), Round: rapid.IntRange(0, 2).Draw(t, "round")}
			for range rapid.IntRange(0, 2).Draw(t, "events") {
				p.Events = append(p.Events, house.Event{Kind: text.Draw(t, "what"), Body: []byte(`{"b":"\u00e4","c":null}`)})
			}
			tx.Parts = append(tx.Parts, p)
		}
		if len(tx.Parts) > 0 && rapid.Bool().Draw(t, "ends a round") {
			p := &tx.Parts[rapid.IntRange(0, len(tx.Parts)-1).Draw(t, "which")]
			p.Record, p.OfRound = strings.Repeat("0f", 32), rapid.IntRange(1, 300).Draw(t, "round that ends")
		}
		return tx
	})
}

// A line says what was recorded, byte for byte: the leaf commits to these bytes.
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
		want := house.StoredTransaction{Seq: 3, AtMs: 4, Key: tx.Key, Cause: tx.Cause, Parts: tx.Parts, Postings: tx.Postings}
		if !reflect.DeepEqual(e, want) {
			t.Fatalf("got %+v, want %+v", e, want)
		}
		if tx.Key == "" {
			return
		}
		came := tx.Came
		if came == nil {
			came = &tx.Cause
		}
		input, err := house.InputOf(came)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := read.Receipt(3, 4); err != nil || r.Input != input || !reflect.DeepEqual(r.Parts, tx.Parts) {
			t.Fatalf("its receipt is %+v, %v, of %+v", r, err, tx)
		}
	})
}

// What came with a key and differs from the cause in anything but its sender is noted.
func TestWhatCameOtherwiseIsNoted(t *testing.T) {
	cause := house.Cause{By: "ann", Role: "player", At: "A", Kind: "bet", Body: []byte(`{"box":1}`)}
	for what, test := range map[string]struct {
		change func(*house.Cause)
		noted  bool
	}{
		"nothing":                {func(*house.Cause) {}, false},
		"the sender":             {func(c *house.Cause) { c.By = "ben" }, false},
		"the order of the words": {func(c *house.Cause) { c.Body = []byte(`{"none":0,"box":1}`) }, false},
		"the role":               {func(c *house.Cause) { c.Role = "dealer" }, true},
		"the table":              {func(c *house.Cause) { c.At = "B" }, true},
		"the kind":               {func(c *house.Cause) { c.Kind = "raise" }, true},
		"the command":            {func(c *house.Cause) { c.Body = []byte(`{"box":2}`) }, true},
	} {
		came := cause
		test.change(&came)
		line, err := house.NewLine(&house.Transaction{Key: "k", Cause: cause, Came: &came})
		if err != nil || (line.Input != "") != test.noted {
			t.Errorf("with another in %s, %q is noted: %v", what, line.Input, err)
		}
	}
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

// The leaf of a transaction that ends a round, worked out here by docs/record.md alone: it
// is opened by the salt of the record's section and one hash.
func TestTheLeafOfARecord(t *testing.T) {
	record := strings.Repeat("0f", 32)
	tx := house.Transaction{
		Key: "k", Cause: house.Cause{By: "dan", Role: "dealer", At: "A", Kind: "settle"},
		Parts: []house.StreamAppend{{Stream: "table:A", After: 9, Events: []house.Event{{Kind: "settled", Body: []byte(`{}`)}}, Record: record, OfRound: 3}, {Stream: "deal:A", Round: 4}},
	}
	line, err := house.NewLine(&tx)
	if err != nil {
		t.Fatal(err)
	}
	salt := tree.Salt{1, 2}
	saltOf := func(i byte) []byte {
		mac := hmac.New(sha256.New, salt[:])
		mac.Write([]byte{0, 0, 0, 0, 0, 0, 0, i})
		return mac.Sum(nil)
	}
	section := func(i byte, name, text string) []byte {
		sum := sha256.Sum256([]byte("trey section v1\n" + string(saltOf(i)) + name + "\n" + text))
		return sum[:]
	}
	rest := sha256.New()
	for i, s := range [][2]string{
		{"cause", `{"by":"dan","role":"dealer","at":"A","kind":"settle"}`},
		{"key", "\nk"},
		{"postings", "[]"},
		{"part table:A 9 0", `[{"kind":"settled","body":{}}]`},
		{"part deal:A 0 4", "[]"},
	} {
		rest.Write(section(byte(i), s[0], s[1]))
	}
	content := sha256.Sum256(append(rest.Sum(nil), section(5, "record table:A 3", record)...))
	want := fmt.Sprintf("trey transaction v1\n7\n8\n%s\n", base64.StdEncoding.EncodeToString(content[:]))
	if got := string(line.Leaf(7, 8, salt)); got != want {
		t.Errorf("the leaf is\n%s\nwant\n%s", got, want)
	}
	opening, ok := line.Opening(salt)
	if extra := opening.Extra(); !ok || !bytes.Equal(extra, append(saltOf(5), rest.Sum(nil)...)) {
		t.Errorf("it is opened by %x, %t", extra, ok)
	}
	for what, change := range map[string]func(*house.StreamAppend){
		"no hash":         func(p *house.StreamAppend) { p.Record = "0f" },
		"capital letters": func(p *house.StreamAppend) { p.Record = strings.ToUpper(record) },
		"no round":        func(p *house.StreamAppend) { p.OfRound = 0 },
		"a round alone":   func(p *house.StreamAppend) { p.Record = "" },
		"a round below 1": func(p *house.StreamAppend) { p.OfRound = -1 },
		"two records":     func(*house.StreamAppend) { tx.Parts[1].Record, tx.Parts[1].OfRound = record, 4 },
	} {
		was := tx.Parts[0]
		change(&tx.Parts[0])
		if _, err := house.NewLine(&tx); err == nil {
			t.Errorf("%s is written down", what)
		}
		tx.Parts[0], tx.Parts[1].Record, tx.Parts[1].OfRound = was, "", 0
	}
	for _, part := range []string{`"record":"0f"`, `"of_round":3`, `"record":"` + record + `"`, `"of_round":3,"record":"` + record + `"`} {
		if _, err := house.ReadLine([]byte(`{"cause":{},"parts":[{"stream":"table:A",` + part + `}]}`)); !errors.Is(err, house.ErrCorrupt) {
			t.Errorf("%s is read: %v", part, err)
		}
	}
}

// What is read is written again in the same bytes, or refused.
func FuzzReadLine(f *testing.F) {
	f.Add([]byte(`{"cause":{"by":"ann","role":"player","kind":"bet"},"key":"1","postings":[{}],"parts":[{"stream":"table:A","after":1,"round":2,"events":[{"kind":"said","body":{}}]}]}`))
	f.Add([]byte(`{"cause":null}`))
	f.Add([]byte(`{"cause":{"by":"","role":"","kind":""},"key":"1","input":"1:cbbc4dd1d7d7ae3ef1ed3c44b62d0a2e6b8b5fae2d2ad0a5a1fbb0a0c6a8cb03"}`))
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
