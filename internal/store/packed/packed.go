// Package packed makes the lines of a record small: a store keeps some forty of them
// for a round of seven seats, each like the others and too short to be compressed by
// itself. They are compressed by Zstandard with a dictionary that every record of this
// program has in common; every frame names its dictionary, so that later ones can stand
// beside it.
package packed

import (
	_ "embed"
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// The dictionaries, as `zstd -D` takes them. What was packed with one can be read with it alone,
// so none of them ever changes.
var (
	// dictionary1 packed the first records.
	//
	//go:embed dictionary-1
	dictionary1 []byte

	// dictionary2 packs all lines that are written.
	//
	//go:embed dictionary-2
	dictionary2 []byte
)

// maxLine bounds an unpacked line, in bytes: far more than any transaction takes, and the most
// that a damaged record can ask for.
const maxLine = 64 << 20

// ErrDamaged is wrapped where what is kept cannot be unpacked.
var ErrDamaged = errors.New("it cannot be unpacked")

// coders are made when they are first needed: most commands have no record.
var coders = sync.OnceValues(func() (*zstd.Encoder, *zstd.Decoder) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderDict(dictionary2), zstd.WithEncoderLevel(zstd.SpeedFastest),
		// The leaves of the tree say whether it is what was packed.
		zstd.WithEncoderCRC(false), zstd.WithWindowSize(128<<10), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic("packed: " + err.Error()) // the dictionaries are this program's own
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderDicts(dictionary1, dictionary2), zstd.WithDecoderConcurrency(0),
		zstd.WithDecoderMaxMemory(maxLine), zstd.WithDecoderLowmem(true))
	if err != nil {
		panic("packed: " + err.Error())
	}
	return enc, dec
})

// Pack appends a text to what is there, packed. Goroutines may call it at once.
func Pack(to, text []byte) []byte {
	enc, _ := coders()
	return enc.EncodeAll(text, to)
}

// Unpack appends to what is there the text that was packed. An error wraps [ErrDamaged].
// Goroutines may call it at once.
func Unpack(to, kept []byte) ([]byte, error) {
	_, dec := coders()
	text, err := dec.DecodeAll(kept, to)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return text, nil
}
