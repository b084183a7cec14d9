package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"trey/internal/house"
	"trey/rules/books"
)

// hashesCommand prints the hashes of the program and of its books.
type hashesCommand struct {
	Compare string `type:"path" placeholder:"FILE" help:"A published list of hashes to compare with."`
}

// Help is the long help of the command.
func (hashesCommand) Help() string {
	return `Prints the SHA-256 of this program's own file, and of each rule book the hash of everything that can change how a round is played or paid by its own rules: one a line, the hash before the name.

With --compare it reads such a list, as whoever approves programs publishes it, and says what differs; the exit status is 1 then. A list may have several lines for "program", one for each platform: one of them has to agree. Lines that begin with # say nothing.

trey serve records the same hashes at its start and every 24 hours, as a significant event.

Examples:

    $ trey hashes > approved.txt
    $ trey hashes --compare approved.txt`
}

// maxHashes bounds a list of hashes.
const maxHashes = 1 << 20

// programHash names the program's own hash in a list.
const programHash = "program"

// Run prints the hashes, or compares them.
func (cmd *hashesCommand) Run(s *streams) error {
	path, err := os.Executable()
	if err != nil {
		return fmt.Errorf("the program's own file is not known: %w", err)
	}
	is, err := softwareOf(path)
	if err != nil {
		return err
	}
	if cmd.Compare == "" {
		out := &teller{out: s.out}
		for _, line := range hashLines(is) {
			fmt.Fprintf(out, "%s  %s\n", line.hash, line.name)
		}
		return out.err
	}
	text, err := readFile(cmd.Compare, "a list of hashes", maxHashes)
	if err != nil {
		return err
	}
	list, err := parseHashes(cmd.Compare, text)
	if err != nil {
		return err
	}
	return compareHashes(s.out, is, list)
}

// softwareOf returns what a program's file and the books in this program hash to.
func softwareOf(path string) (house.Software, error) {
	is := house.Software{Version: version(), Books: map[string]string{}}
	file, err := os.Open(path)
	if err != nil {
		return is, fmt.Errorf("the program's own file cannot be read: %w", err)
	}
	defer file.Close() //nolint:errcheck // it is only read
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return is, fmt.Errorf("the program's own file cannot be read: %w", err)
	}
	is.Program = hex.EncodeToString(sum.Sum(nil))
	for _, book := range books.All() {
		is.Books[book.Ref()] = book.Hash()
	}
	return is, nil
}

// hashLine is a line of a list.
type hashLine struct{ hash, name string }

func hashLines(is house.Software) []hashLine {
	lines := []hashLine{{is.Program, programHash}}
	for _, book := range books.All() {
		lines = append(lines, hashLine{is.Books[book.Ref()], book.Ref()})
	}
	return lines
}

// parseHashes reads a list. The name is for messages.
func parseHashes(name string, text []byte) (list []hashLine, err error) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) != 2 || len(fields[0]) != 64 || strings.Trim(fields[0], "0123456789abcdef") != "" {
			return nil, fmt.Errorf("%s:%d: %q is no line of a list: write a hash and a name, as trey hashes prints them", name, n, line)
		}
		list = append(list, hashLine{fields[0], fields[1]})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: the list is empty: take the list that belongs to this version", name)
	}
	return list, nil
}

// compareHashes says how the program agrees with a list. Everything of the program has
// to be in the list.
func compareHashes(out io.Writer, is house.Software, list []hashLine) error {
	text := &teller{out: out}
	differs := false
	for _, own := range hashLines(is) {
		var published []string
		for _, line := range list {
			if line.name == own.name {
				published = append(published, line.hash)
			}
		}
		switch {
		case slices.Contains(published, own.hash):
			fmt.Fprintf(text, "%s  %s: agrees\n", own.hash, own.name)
			continue
		case len(published) == 0:
			fmt.Fprintf(text, "%s  %s: is not in the list\n", own.hash, own.name)
		default:
			fmt.Fprintf(text, "%s  %s: differs, published is %s\n", own.hash, own.name, strings.Join(published, ", "))
		}
		differs = true
	}
	if text.err == nil && differs {
		return errors.New("this program is not the one that was published: do not run it before somebody has found out why")
	}
	return text.err
}
