package record_test

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// What the text in a stored field is. What is said of an event is made of its fields when
// somebody reads it. Two fields hold words that a program chose, which nothing reads: why
// a user was signed in, refused or let in by a provider, and what a fault was.
const (
	clause = "clause" // of a book, or a ruling
	key    = "key"    // one of a list that a book, the house or a file has
	name   = "name"   // of a person, a table, a jackpot, a round, a session
	typed  = "typed"  // by a person, as a reason or a note
	digits = "digits" // a hash, a key, a cipher, an address
	given  = "given"  // by the machine or by a fault of the program, word for word
	terms  = "terms"  // a declaration or terms, which hold keys and clauses alone
)

// texts classifies the text of every key of a stored body.
var texts = map[string]string{
	"clause": clause,
	"key":    key, "answer": key, "kind": key, "role": key, "variant": key, "changed": key, "at": key,
	"player": name, "entered_by": name, "name": name, "by": name, "table": name, "jackpot": name, "round": name, "winner": name,
	"payable": name, "first": name, "second": name, "asked_by": name, "provider": name, "session": name, "token": name,
	"instead": name, "method": key,
	"note": typed, "reason": typed, "why": typed, "text": typed,
	"passkey": name, "label": typed, "host": name, "transports": key,
	"hash": digits, "secret": digits, "codes": digits, "cipher": digits, "address": digits, "program": digits, "books": digits,
	"version": digits, "checkpoint": digits,
	"found":       given,
	"declaration": terms, "terms": terms,
	"book": key, "book_hash": digits, "rules_hash": digits,
}

// Every text that is stored is classified.
func TestNoProseIsStored(t *testing.T) {
	used := map[string]bool{}
	for _, g := range groups() {
		for _, form := range g.forms {
			eachText(form.Stored, "", func(field string) {
				used[field] = true
				if texts[field] == "" {
					t.Errorf("nobody has said what the text under %q of %s is", field, form.Kind)
				}
			})
		}
	}
	for field := range texts {
		if !used[field] {
			t.Errorf("no text is stored under %q", field)
		}
	}
}

// eachText yields the key of each text in a stored type.
func eachText(t reflect.Type, field string, yield func(field string)) {
	switch {
	case t == reflect.TypeFor[json.RawMessage](), t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return
	case t.Kind() == reflect.String:
		yield(field)
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			key := strings.Split(f.Tag.Get("json"), ",")[0]
			if key == "" {
				key = field
			}
			eachText(f.Type, key, yield)
		}
	case t.Kind() == reflect.Pointer, t.Kind() == reflect.Slice, t.Kind() == reflect.Array:
		eachText(t.Elem(), field, yield)
	case t.Kind() == reflect.Map:
		eachText(t.Elem(), field, yield)
	}
}
