package tree

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// CheckpointText returns the text of a checkpoint, without signatures: the name of the
// tree, its size and its root, a line each (c2sp.org/tlog-checkpoint).
func CheckpointText(name string, h Head) string {
	return fmt.Sprintf("%s\n%d\n%s\n", name, h.Size, h.Root)
}

var errNoCheckpoint = errors.New("this is not a checkpoint: a name, a size and a root are its lines")

// ParseCheckpoint reads the text of a checkpoint, which may have further lines, none of them
// empty.
func ParseCheckpoint(text string) (h Head, err error) {
	lines := strings.Split(text, "\n")
	if len(lines) < 4 || slices.Index(lines, "") != len(lines)-1 {
		return Head{}, errNoCheckpoint
	}
	h.Size, err = strconv.ParseInt(lines[1], 10, 64)
	if err != nil || h.Size < 0 || strconv.FormatInt(h.Size, 10) != lines[1] {
		return Head{}, errNoCheckpoint
	}
	if h.Root, err = tlog.ParseHash(lines[2]); err != nil || h.Root.String() != lines[2] {
		return Head{}, errNoCheckpoint
	}
	return h, nil
}

// ParseSigned reads a signed checkpoint: the name of its tree and what it says of it. Who signed it
// is for whoever has the keys to find out.
func ParseSigned(text string) (name string, h Head, err error) {
	var unverified *note.UnverifiedNoteError // which is any note, as no key is known
	if _, err := note.Open([]byte(text), nil); !errors.As(err, &unverified) || !strictlySigned(text) {
		return "", Head{}, errNoCheckpoint
	}
	if h, err = ParseCheckpoint(unverified.Note.Text); err != nil {
		return "", Head{}, err
	}
	name, _, _ = strings.Cut(unverified.Note.Text, "\n")
	return name, h, nil
}
