// Package strict reads JSON that has to be what is asked for and nothing else:
// commands, and events of a record, half of which must not be lost.
//
// It will never know what is read.
package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"
)

// ErrMore is the error of [Read] where something stands behind the value.
var ErrMore = errors.New("there is something after it")

// reader reads one text after another. A decoder has a buffer and a stack of its own,
// several times as large as most of what is read, so it is used again.
type reader struct {
	text    bytes.Reader
	decoder *json.Decoder
}

var readers = sync.Pool{New: func() any {
	r := new(reader)
	r.decoder = json.NewDecoder(&r.text)
	r.decoder.DisallowUnknownFields()
	return r
}}

// maxKept bounds the length in bytes of a text whose reader is kept for the next one.
const maxKept = 16 << 10

// Read reads one value. A field that it does not know is an error, as is anything
// that is not JSON; these errors are those of encoding/json. Anything but white space
// behind the value is [ErrMore].
func Read(text []byte, into any) error {
	r := readers.Get().(*reader)
	r.text.Reset(text)
	if err := r.decoder.Decode(into); err != nil {
		return err // what is left in the reader is not for anybody else
	}
	if _, err := r.decoder.Token(); !errors.Is(err, io.EOF) {
		return ErrMore
	}
	if len(text) <= maxKept {
		r.text.Reset(nil)
		readers.Put(r)
	}
	return nil
}
