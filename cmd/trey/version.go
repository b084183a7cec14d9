package main

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"trey/internal/house"
	"trey/rules/books"
)

// The linker sets these in a release (internal/release): -X main.released=v1.0.0 and so on.
var (
	released   string // the version
	commit     string // in hexadecimal digits
	commitDate string // as 2026-11-23
)

// noVersion is the version of a program that was built with none.
const noVersion = "unversioned"

// version returns the program's version, commit, date, compiler and platform in a line: what
// the linker set, else what the compiler recorded of the repository.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return versionOf(info)
}

func versionOf(info *debug.BuildInfo) string {
	name, hash, date := released, commit, commitDate
	if v := info.Main.Version; name == "" && v != "" && v != "(devel)" {
		name = v
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	hash = cmp.Or(hash, settings["vcs.revision"])
	date, _, _ = strings.Cut(cmp.Or(date, settings["vcs.time"]), "T")
	words := []string{"trey", cmp.Or(name, noVersion)}
	if hash != "" {
		words = append(words, "commit", hash[:min(12, len(hash))], "of", cmp.Or(date, "an unknown day"))
	}
	return strings.Join(append(words, runtime.Version(), runtime.GOOS, runtime.GOARCH), " ")
}

// versionCommand prints the version, or the hashes of the program and of its books.
type versionCommand struct {
	Verify  bool   `xor:"what" help:"Print the SHA-256 of the program and the hashes of its books."`
	Compare string `xor:"what" type:"path" placeholder:"FILE" help:"Compare these hashes with a published list."`
}

// Help returns the long help of the command.
func (versionCommand) Help() string {
	return `Prints the version, the commit and its date, the compiler and the platform.

With --verify it prints the SHA-256 of this program's own file, and for each rule book the hash of everything that can change how a round is played or paid by its own rules: one a line, the hash before the name.

With --compare it reads such a list, as the authority that approves programs publishes it, and prints each difference; the exit status is 1 then, and 2 if there is no such list. A list may have several lines for "program", one for each platform: one of them has to agree. Lines that begin with # are comments.

trey serve records the same hashes when it starts and every 24 hours, as a significant event.

Examples:

    $ trey version
    $ trey version --verify > approved.txt
    $ trey version --compare approved.txt`
}

// maxHashes bounds a list of hashes.
const maxHashes = 1 << 20

// programHash names the program's own hash in a list.
const programHash = "program"

// Run prints the version or the hashes, or compares them.
func (cmd *versionCommand) Run(s *streams) error {
	out := &outputWriter{out: s.out}
	if !cmd.Verify && cmd.Compare == "" {
		fmt.Fprintln(out, version())
		return out.err
	}
	path, err := os.Executable()
	if err != nil {
		return fmt.Errorf("the program's own file is not known: %w", err)
	}
	software, err := softwareOf(path)
	if err != nil {
		return err
	}
	if cmd.Verify {
		for _, line := range hashLines(software) {
			fmt.Fprintf(out, "%s  %s\n", line.hash, line.name)
		}
		return out.err
	}
	text, err := readFile(cmd.Compare, "a list of hashes", maxHashes)
	if err != nil {
		return usageError{fmt.Errorf("the list cannot be read: %w", err)}
	}
	list, err := parseHashes(cmd.Compare, text)
	if err != nil {
		return err
	}
	return compareHashes(s.out, software, list)
}

// softwareOf returns the hashes of a program's file and of the books in this program.
func softwareOf(path string) (house.Software, error) {
	software := house.Software{Version: version(), Books: map[string]string{}}
	file, err := os.Open(path)
	if err != nil {
		return software, fmt.Errorf("the program's own file cannot be read: %w", err)
	}
	defer file.Close() //nolint:errcheck // it is only read
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return software, fmt.Errorf("the program's own file cannot be read: %w", err)
	}
	software.Program = hex.EncodeToString(sum.Sum(nil))
	for _, book := range books.All() {
		software.Books[book.Ref()] = book.Hash()
	}
	return software, nil
}

// hashLine is a line of a list.
type hashLine struct{ hash, name string }

func hashLines(software house.Software) []hashLine {
	lines := []hashLine{{software.Program, programHash}}
	for _, book := range books.All() {
		lines = append(lines, hashLine{software.Books[book.Ref()], book.Ref()})
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
			return nil, fmt.Errorf("%s:%d: %q is no line of a list: write a hash and a name, as trey version --verify prints them", name, n, line)
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

// compareHashes prints how the program agrees with a list. An error says that a hash of the
// program is not in the list.
func compareHashes(out io.Writer, software house.Software, list []hashLine) error {
	text := &outputWriter{out: out}
	differs := false
	for _, line := range hashLines(software) {
		var published []string
		for _, approved := range list {
			if approved.name == line.name {
				published = append(published, approved.hash)
			}
		}
		switch {
		case slices.Contains(published, line.hash):
			fmt.Fprintf(text, "%s  %s: agrees\n", line.hash, line.name)
			continue
		case len(published) == 0:
			fmt.Fprintf(text, "%s  %s: is not in the list\n", line.hash, line.name)
		default:
			fmt.Fprintf(text, "%s  %s: differs, published is %s\n", line.hash, line.name, strings.Join(published, ", "))
		}
		differs = true
	}
	if text.err == nil && differs {
		return errors.New("this program is not the published one: do not run it until you know why")
	}
	return text.err
}
