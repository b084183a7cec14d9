package tree

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// CheckpointText returns the text of a checkpoint, without signatures: the name of the
// tree, its size and its root, a line each (c2sp.org/tlog-checkpoint).
func CheckpointText(name string, h Head) string {
	return fmt.Sprintf("%s\n%d\n%s\n", name, h.Size, h.Root)
}

var errNoCheckpoint = errors.New("this is not a checkpoint: a name, a size and a root are its lines")

// ParseCheckpoint reads the text of a checkpoint, which may have further lines.
func ParseCheckpoint(text string) (h Head, err error) {
	lines := strings.Split(text, "\n")
	if len(lines) < 4 || lines[0] == "" || lines[len(lines)-1] != "" {
		return Head{}, errNoCheckpoint
	}
	h.Size, err = strconv.ParseInt(lines[1], 10, 64)
	if err != nil || h.Size < 0 || strconv.FormatInt(h.Size, 10) != lines[1] {
		return Head{}, errNoCheckpoint
	}
	if h.Root, err = tlog.ParseHash(lines[2]); err != nil {
		return Head{}, errNoCheckpoint
	}
	return h, nil
}
