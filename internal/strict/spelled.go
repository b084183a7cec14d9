package strict

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// UnknownField is the error of a key that a value does not have, with the path to it as in
// [Doubled]. A key in capital letters is another key.
type UnknownField struct{ Key string }

func (e *UnknownField) Error() string { return fmt.Sprintf("unknown field %q", e.Key) }

// ReadSpelled reads as [Read] does, for text that people and other programs write. A key has to be
// spelled exactly as the value has it; any other key is an [UnknownField].
func ReadSpelled(text []byte, into any) error {
	return Spelled(text, reflect.TypeOf(into), Read(text, into))
}

// Spelled returns the error of [ReadSpelled] for a text that Read has read into a value of a
// type, with the error that it returned.
func Spelled(text []byte, into reflect.Type, read error) error {
	if read != nil && !strings.HasPrefix(read.Error(), "json: unknown field ") {
		return read
	}
	if name := firstWrong(text, typed{into}); name != "" {
		return &UnknownField{name}
	}
	return read
}

// typed is the place of a value that is read as a type. Of nil, which is a type that reads its
// values on its own, nothing is known.
type typed struct{ as reflect.Type }

func (t typed) object() func(key string) (value, bool) {
	as := plain(t.as)
	return func(key string) (value, bool) {
		of, known := fieldType(as, key)
		return typed{of}, known
	}
}

func (t typed) element() value { return typed{elementType(plain(t.as))} }

var (
	ownReader = reflect.TypeFor[json.Unmarshaler]()
	fields    sync.Map // of the names and types of fields, by the type of their struct
)

// plain returns the type that pointers lead to, nil for one that reads its values on its own.
func plain(t reflect.Type) reflect.Type {
	for t != nil && t.Kind() == reflect.Pointer && !t.Implements(ownReader) {
		t = t.Elem()
	}
	if t == nil || t.Implements(ownReader) || reflect.PointerTo(t).Implements(ownReader) {
		return nil
	}
	return t
}

// fieldType returns the type of what stands under a key, and whether there is such a key.
func fieldType(t reflect.Type, key string) (of reflect.Type, known bool) {
	if t == nil || t.Kind() != reflect.Struct {
		return elementType(t), true
	}
	all, found := fields.Load(t)
	if !found {
		all, _ = fields.LoadOrStore(t, fieldTypes(t))
	}
	of, known = all.(map[string]reflect.Type)[key]
	return of, known
}

// fieldTypes returns the types of a struct's fields by their names in JSON.
func fieldTypes(t reflect.Type) map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			name = f.Name
		}
		all[name] = f.Type
	}
	return all
}

// elementType returns the type of what a list or a map holds, nil for anything else.
func elementType(t reflect.Type) reflect.Type {
	if t == nil || t.Kind() != reflect.Slice && t.Kind() != reflect.Array && t.Kind() != reflect.Map {
		return nil
	}
	return t.Elem()
}
