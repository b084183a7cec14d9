// Package enum writes and reads the members of closed lists by their keys, alike for every
// list: in files, in the record, in answers and in reports.
//
// It knows no list. What a member means stands with its type.
package enum

import (
	"fmt"
	"slices"
	"strings"
)

// Unknown is the key of whatever is not in a list.
const Unknown = "unknown"

// Keys are the keys of a closed list. Its members are numbered from 1; zero is none of them.
// Use [New].
type Keys[E ~uint8] struct {
	what string
	keys []string // by member: the first is of none
}

// New returns the keys of a list of n-1 members, by member; what names one of them with its
// article. A member without a key of its own is a mistake in the program, and New panics.
func New[E ~uint8](what string, n E, keys []string) *Keys[E] {
	if len(keys) != int(n) || keys[0] != "" {
		panic(fmt.Sprintf("enum: %s has %d members and %d keys", what, n-1, len(keys)-1))
	}
	for i, key := range keys[1:] {
		if key == "" || key == Unknown || slices.Contains(keys[:i+1], key) {
			panic(fmt.Sprintf("enum: member %d of %q has the key %q", i+1, what, key))
		}
	}
	return &Keys[E]{what: what, keys: keys}
}

// Has reports whether there is such a member.
func (k *Keys[E]) Has(e E) bool { return e > 0 && int(e) < len(k.keys) }

// Key returns the key of a member, and [Unknown] for what is none.
func (k *Keys[E]) Key(e E) string {
	if !k.Has(e) {
		return Unknown
	}
	return k.keys[e]
}

// All returns the members in their order.
func (k *Keys[E]) All() []E {
	all := make([]E, 0, len(k.keys)-1)
	for e := range k.keys[1:] {
		all = append(all, E(e+1))
	}
	return all
}

// List returns the keys in the order of their members.
func (k *Keys[E]) List() []string { return slices.Clone(k.keys[1:]) }

// Parse returns the member of a key. The error lists the keys there are.
func (k *Keys[E]) Parse(text string) (E, error) {
	for i, key := range k.keys {
		if i > 0 && key == text {
			return E(i), nil
		}
	}
	return 0, fmt.Errorf("%q is not %s: choose from %s", text, k.what, strings.Join(k.keys[1:], ", "))
}

// Marshal returns the key of a member as text, and an error for what is none.
func (k *Keys[E]) Marshal(e E) ([]byte, error) {
	if !k.Has(e) {
		return nil, fmt.Errorf("%d is not %s", uint8(e), k.what)
	}
	return []byte(k.keys[e]), nil
}

// Unmarshal sets e to the member of a key, and leaves it as it is if there is none.
func (k *Keys[E]) Unmarshal(e *E, text []byte) error {
	member, err := k.Parse(string(text))
	if err == nil {
		*e = member
	}
	return err
}

// MarshalOrNone writes what Marshal does, and zero as empty text.
func (k *Keys[E]) MarshalOrNone(e E) ([]byte, error) {
	if e == 0 {
		return []byte{}, nil
	}
	return k.Marshal(e)
}

// UnmarshalOrNone reads what Unmarshal does, and empty text as zero.
func (k *Keys[E]) UnmarshalOrNone(e *E, text []byte) error {
	if len(text) == 0 {
		*e = 0
		return nil
	}
	return k.Unmarshal(e, text)
}
