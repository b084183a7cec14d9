package purse

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"trey/internal/durable"
)

// Logs is the directory of the logs of rounds, one file each.
type Logs struct{ dir string }

// NewLogs returns the logs in a directory, which is made when the first is
// written.
func NewLogs(dir string) (*Logs, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("the directory of the logs: %w", err)
	}
	return &Logs{dir}, nil
}

// LogsDir returns where the logs of an account are kept unless another directory
// is named: beside its file.
func (f *File) LogsDir() string {
	return strings.TrimSuffix(f.path, filepath.Ext(f.path)) + ".rounds"
}

// Dir is the directory.
func (l *Logs) Dir() string { return l.dir }

// Write writes the log of a round in a file of its own and returns its path. The
// file is there whole or not at all, and nothing is ever overwritten: where a
// round of that number is logged already, as by an account that was begun anew,
// the name gets a number more.
func (l *Logs) Write(round int64, text []byte) (path string, err error) {
	name := filepath.Join(l.dir, fmt.Sprintf("round-%06d", round))
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return "", err
	}
	err = durable.Place(name, text, 0o600, func(temporary string) error {
		path, err = rename(temporary, name, ".jsonl")
		return err
	})
	if err != nil {
		return "", err
	}
	return path, nil
}
