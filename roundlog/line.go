package roundlog

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"trey/internal/strict"
	"trey/table"
)

// Version is the version of the format that this package writes and reads.
const Version = 1

// Header is the first line: by which rules the table plays and how it is
// equipped.
type Header struct {
	Type    string `json:"type"`
	Version int    `json:"version"`
	Book    string `json:"book"`
	// Variant is the name of the rules and RulesHash their hash. Declaration and Terms
	// are the book and the terms as rules.ReadRules reads them, so that an old log needs
	// no book of the program that reads it.
	Variant     string       `json:"variant"`
	RulesHash   string       `json:"rules_hash"`
	Declaration string       `json:"declaration"`
	Terms       string       `json:"terms"`
	Config      table.Config `json:"config"`
	// Software names what wrote the log.
	Software string `json:"software"`
}

// commandLine is an accepted command.
type commandLine struct {
	Type string          `json:"type"`
	Seq  int             `json:"seq"`
	AtMs int64           `json:"at_ms"`
	By   table.Actor     `json:"by"`
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body"`
}

// eventLine is one event that followed from the command before it.
type eventLine struct {
	Type string          `json:"type"`
	Seq  int             `json:"seq"`
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body"`
}

// endLine closes the log; Lines counts those before it.
type endLine struct {
	Type  string `json:"type"`
	Lines int    `json:"lines"`
}

// The types of line.
const (
	typeHeader  = "round-log"
	typeCommand = "command"
	typeEvent   = "event"
	typeEnd     = "end"
)

// A line ends with the hash of the previous line's hash and its own text before
// the hash: {"type":"event",...,"hash":"9f86..."}.
const (
	beforeHash = `,"hash":"`
	afterHash  = `"}`
	hashDigits = 2 * sha256.Size
)

// chain returns the hash of a line whose text before the hash is text.
func chain(previous string, text []byte) string {
	sum := sha256.New()
	sum.Write([]byte(previous))
	sum.Write(text)
	return hex.EncodeToString(sum.Sum(nil))
}

// seal appends a value to dst as a line chained to the previous one, and returns
// it with the line's hash.
func seal(dst []byte, previous string, v any) ([]byte, string, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return dst, previous, err
	}
	text = text[:len(text)-len("}")]
	hash := chain(previous, text)
	dst = append(dst, text...)
	dst = append(dst, beforeHash+hash+afterHash+"\n"...)
	return dst, hash, nil
}

// open checks that a line is chained to the previous one and returns it without
// its hash, and the hash.
func open(previous string, line []byte) (text []byte, hash string, err error) {
	if bytes.HasSuffix(line, []byte("\r")) {
		return nil, "", fmt.Errorf("it ends with a carriage return: the line ends were changed; a log is copied byte by byte")
	}
	at := len(line) - len(beforeHash) - hashDigits - len(afterHash)
	if at < 1 || !bytes.HasPrefix(line[at:], []byte(beforeHash)) || !bytes.HasSuffix(line, []byte(afterHash)) {
		return nil, "", fmt.Errorf("it does not end with a hash, so it was altered or cut")
	}
	hash = string(line[at+len(beforeHash) : len(line)-len(afterHash)])
	if want := chain(previous, line[:at]); hash != want {
		return nil, "", fmt.Errorf("its hash does not follow from its text and the line before: one of them was altered, removed or moved")
	}
	return append(line[:at:at], '}'), hash, nil
}

// decode reads a line strictly: no field unknown, nothing after it, and written
// as this package writes it, so that a text has one meaning.
func decode(text []byte, v any) error {
	if err := strict.Read(text, v); err != nil {
		return err
	}
	again, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if !bytes.Equal(again, text) {
		if key := strict.Doubled(text); key != "" {
			return fmt.Errorf("the key %q stands twice", key)
		}
		return fmt.Errorf("it is not written as version %d of a round log is", Version)
	}
	return nil
}
