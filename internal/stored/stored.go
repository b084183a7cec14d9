// Package stored says how values become bytes that are kept for good, and those bytes
// values again: each kind of event or command has a name, and in each of its versions a
// type of its own.
//
// A stored type is never changed once a record may hold it. Where it has to say something
// else, the kind gets another version: a type beside the old one, and an [Upcaster] from
// the old one to it. The first version is stored under the name of the kind, such as
// "bet-placed", each later one under the name and a number, such as "bet-placed/2".
package stored

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"trey/internal/strict"
)

// Event is an event or a command as it is stored: its kind, and its fields as JSON,
// which are kept as the bytes that were written.
type Event struct {
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body"`
}

// The errors of [Table.Read] and [Table.Parse].
var (
	// ErrUnknown: there is no such kind, or no such version of it.
	ErrUnknown = errors.New("this version of Trey does not know it; a later version of Trey reads it")
	// ErrForm: the body holds the fields of its kind, but not as they are stored.
	ErrForm = errors.New("it is not written as Trey writes it")
)

// Name returns a kind without its version: a record may hold several of them.
func Name(kind string) string {
	name, _, _ := strings.Cut(kind, "/")
	return name
}

// versioned returns the kind under which a version is stored: the first one is the name
// alone.
func versioned(name string, version int) string {
	if version == 1 {
		return name
	}
	return name + "/" + strconv.Itoa(version)
}

// Kind is one kind of event or command in all its versions. E is what the program works
// with.
type Kind[E any] struct {
	name     string
	engine   reflect.Type
	write    func(E) any
	read     func(any) E
	versions []Upcaster // the last one turns into nothing any more
}

// Upcaster reads one version of a kind and turns it into the next one.
type Upcaster struct {
	stored, into reflect.Type
	decode       func(body []byte) (any, error)
	up           func(any) any
}

// From returns what reads the stored type A of a version and turns it into the stored
// type B of the next one.
func From[A, B any](up func(A) B) Upcaster {
	u := only[A]()
	u.into, u.up = reflect.TypeFor[B](), func(a any) any { return up(a.(A)) }
	return u
}

func only[S any]() Upcaster {
	return Upcaster{stored: reflect.TypeFor[S](), decode: func(body []byte) (any, error) {
		var s S
		err := strict.Read(body, &s)
		return s, err
	}}
}

// Of declares a kind: S is the stored type of its newest version, T the type that the
// program works with. The older versions are given from the first one on.
func Of[E, T, S any](name string, write func(T) S, read func(S) T, older ...Upcaster) Kind[E] {
	k := Kind[E]{
		name: name, engine: reflect.TypeFor[T](), versions: append(older, only[S]()),
		write: func(e E) any { return write(any(e).(T)) },
		read:  func(s any) E { return any(read(s.(S))).(E) },
	}
	for i, u := range older {
		if next := k.versions[i+1].stored; u.into != next {
			panic(fmt.Sprintf("version %d of %s becomes a %s, and the next one is a %s", i+1, name, u.into, next))
		}
	}
	return k
}

// Own declares a kind whose events are of their stored type everywhere.
func Own[E, T any](name string, older ...Upcaster) Kind[E] {
	same := func(e T) T { return e }
	return Of[E](name, same, same, older...)
}

// Prefixed returns the kinds of a table, each with a prefix before its name, for a table of
// anything.
func Prefixed[E any](prefix string, t *Table[E]) []Kind[any] {
	kinds := make([]Kind[any], len(t.kinds))
	for i := range t.kinds {
		k := &t.kinds[i]
		kinds[i] = Kind[any]{
			name: prefix + k.name, engine: k.engine, versions: k.versions,
			write: func(e any) any { return k.write(e.(E)) },
			read:  func(s any) any { return k.read(s) },
		}
	}
	return kinds
}

// Table holds the kinds of events of one kind of stream, or those of commands.
type Table[E any] struct {
	what  string
	kinds []Kind[E]
	// engine has the kind of each type, nil for a type of several kinds.
	engine map[reflect.Type]*Kind[E]
	stored map[string]place[E]
}

// place is where a version stands.
type place[E any] struct {
	kind    *Kind[E]
	version int // from 0
}

// NewTable returns a table of these kinds; what says in an error what they are.
func NewTable[E any](what string, kinds ...Kind[E]) *Table[E] {
	t := &Table[E]{what: what, kinds: kinds, engine: map[reflect.Type]*Kind[E]{}, stored: map[string]place[E]{}}
	for i := range kinds {
		k := &kinds[i]
		if _, twice := t.engine[k.engine]; twice {
			t.engine[k.engine] = nil
		} else {
			t.engine[k.engine] = k
		}
		for v := range k.versions {
			name := versioned(k.name, v+1)
			if _, twice := t.stored[name]; twice {
				panic(fmt.Sprintf("%s is stored by two types of %s", name, what))
			}
			t.stored[name] = place[E]{k, v}
		}
	}
	return t
}

// Name returns the kind of an event without its version, empty for what is none.
func (t *Table[E]) Name(e E) string {
	if k := t.engine[reflect.TypeOf(e)]; k != nil {
		return k.name
	}
	return ""
}

// Has reports whether the table has a kind, named as it is stored.
func (t *Table[E]) Has(kind string) bool {
	_, known := t.stored[kind]
	return known
}

// Names lists the kinds without their versions, in the order of the table.
func (t *Table[E]) Names() []string {
	all := make([]string, len(t.kinds))
	for i := range t.kinds {
		all[i] = t.kinds[i].name
	}
	return all
}

// Versions returns the latest version of each kind, by its name.
func (t *Table[E]) Versions() map[string]int {
	latest := make(map[string]int, len(t.kinds))
	for i := range t.kinds {
		latest[t.kinds[i].name] = len(t.kinds[i].versions)
	}
	return latest
}

// Stored returns an event as a value of its stored type, which encoding/json writes as
// its body, nil for what is no event.
func (t *Table[E]) Stored(e E) any {
	if k := t.engine[reflect.TypeOf(e)]; k != nil {
		return k.write(e)
	}
	return nil
}

// Write returns an event as it is stored.
func (t *Table[E]) Write(e E) (Event, error) {
	return t.write(t.engine[reflect.TypeOf(e)], e)
}

// WriteAs returns an event of a type of several kinds as it is stored under one of them.
func (t *Table[E]) WriteAs(name string, e E) (Event, error) {
	return t.write(t.stored[name].kind, e)
}

func (t *Table[E]) write(k *Kind[E], e E) (Event, error) {
	if k == nil || k.engine != reflect.TypeOf(e) {
		return Event{}, fmt.Errorf("no %s is a %T", t.what, e)
	}
	value := k.write(e)
	body, err := json.Marshal(value)
	if err != nil {
		return Event{}, fmt.Errorf("write %s: %w", k.name, fieldError(value, err))
	}
	return Event{Kind: versioned(k.name, len(k.versions)), Body: body}, nil
}

// FieldError says which field of an event cannot be written, by its name in the body.
type FieldError struct {
	Field string
	Err   error
}

func (e *FieldError) Error() string { return e.Field + ": " + e.Err.Error() }

func (e *FieldError) Unwrap() error { return e.Err }

// fieldError finds the field for which a value could not be written.
func fieldError(value any, err error) error {
	fields := reflect.ValueOf(value)
	if fields.Kind() != reflect.Struct {
		return err
	}
	for i := range fields.NumField() {
		_, err := json.Marshal(fields.Field(i).Interface())
		if err == nil {
			continue
		}
		if of, ok := errors.AsType[*json.MarshalerError](err); ok {
			err = of.Err
		}
		name, _, _ := strings.Cut(fields.Type().Field(i).Tag.Get("json"), ",")
		return &FieldError{name, err}
	}
	return err
}

// Read reads an event that was stored, of any version. It accepts no other bytes than
// those that were written: an error wraps [ErrUnknown], [ErrForm], or says what in the
// body is wrong.
func (t *Table[E]) Read(stored Event) (E, error) {
	p, known := t.stored[stored.Kind]
	return t.decode(p, known, stored, true)
}

// Parse reads what people and other programs write. A kind is given by its name and means the
// newest version. The fields may stand in any order, and empty ones may be left out. Their names
// are written letter by letter as they are stored.
func (t *Table[E]) Parse(name string, body []byte) (E, error) {
	p, known := t.stored[name]
	if known = known && name == p.kind.name; known {
		p.version = len(p.kind.versions) - 1
	}
	return t.decode(p, known, Event{Kind: name, Body: body}, false)
}

func (t *Table[E]) decode(p place[E], known bool, stored Event, exact bool) (E, error) {
	var none E
	if !known {
		return none, fmt.Errorf("%s %q: %w", t.what, stored.Kind, ErrUnknown)
	}
	versions := p.kind.versions[p.version:]
	value, err := versions[0].decode(stored.Body)
	if !exact {
		err = strict.Spelled(stored.Body, versions[0].stored, err)
	}
	if err != nil {
		return none, fmt.Errorf("%s %s: %w", t.what, stored.Kind, err)
	}
	if exact {
		if again, err := json.Marshal(value); err != nil || !bytes.Equal(again, stored.Body) {
			return none, fmt.Errorf("%s %s: %w", t.what, stored.Kind, ErrForm)
		}
	}
	for _, v := range versions[:len(versions)-1] {
		value = v.up(value)
	}
	return p.kind.read(value), nil
}

// Form is a version of a kind.
type Form struct {
	Kind    string // as it is stored
	Version int
	// Stored is the type of the version, and Engine the one that the program works
	// with.
	Stored, Engine reflect.Type
}

// Forms lists every version of every kind, in the order of the table.
func (t *Table[E]) Forms() []Form {
	var all []Form
	for i := range t.kinds {
		for v := range t.kinds[i].versions {
			all = append(all, Form{versioned(t.kinds[i].name, v+1), v + 1, t.kinds[i].versions[v].stored, t.kinds[i].engine})
		}
	}
	return all
}
