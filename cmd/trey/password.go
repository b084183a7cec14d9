package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/term"

	"trey/internal/house/identity"
)

// passwordCommand makes the hash of a password for a house's configuration.
type passwordCommand struct {
	Name string `arg:"" optional:"" help:"Whose password it is, so that it does not contain their name."`
}

// Help returns the long help of the command.
func (passwordCommand) Help() string {
	return `Asks for a password twice without showing it, and prints its argon2id hash. Write the hash as the password of a user into house.toml:

    [users.ann]
    role = "administrator"
    password = "$argon2id$v=19$m=19456,t=2,p=1$..."

A password has at least 12 characters; a few words are easy to remember and hard to guess. Where there is no terminal it is read from the standard input, one line.

Examples:

    $ trey password ann
    $ trey password < secret.txt`
}

// Run asks for the password and prints its hash.
func (cmd *passwordCommand) Run(s *streams) error {
	if cmd.Name != "" {
		if err := identity.CheckName(cmd.Name); err != nil {
			return usageError{fmt.Errorf("%q: %w", cmd.Name, err)}
		}
	}
	password, err := askPassword(s)
	if err != nil {
		return err
	}
	if err := identity.CheckPassword(cmd.Name, password); err != nil {
		return err
	}
	hash, err := identity.HashPassword(password, identity.StandardCost, rand.Reader)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.out, hash)
	return err
}

// askPassword reads a password from the terminal, where it is not shown and
// typed twice, or else from the standard input.
func askPassword(s *streams) (string, error) {
	in, isFile := s.in.(*os.File)
	if !isFile || !isTerminal(in) {
		return readPassword(s.in)
	}
	first, second, err := askTwice(s, in)
	if err != nil {
		return "", err
	}
	if first != second {
		return "", errors.New("these are two different passwords: nothing is printed, try again")
	}
	return first, nil
}

// maxPasswordLine is more than any password has.
const maxPasswordLine = 8192

func readPassword(in io.Reader) (string, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxPasswordLine))
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	line, rest, _ := strings.Cut(string(text), "\n")
	if rest != "" {
		return "", errors.New("the standard input has more than one line: which is the password?")
	}
	return strings.TrimSuffix(line, "\r"), nil
}

// askTwice asks twice at a terminal that does not show what is typed. It shows
// it again afterwards, also if the program is ended meanwhile.
func askTwice(s *streams, in *os.File) (first, second string, err error) {
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return "", "", fmt.Errorf("the terminal cannot be asked for a password: %w", err)
	}
	defer func() { err = errors.Join(err, term.Restore(int(in.Fd()), before)) }()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	type answer struct {
		first, second string
		err           error
	}
	answers := make(chan answer, 1)
	go func() {
		var a answer
		screen := term.NewTerminal(struct {
			io.Reader
			io.Writer
		}{in, s.rawErr}, "")
		if a.first, a.err = screen.ReadPassword("Password: "); a.err == nil {
			a.second, a.err = screen.ReadPassword("Once more: ")
		}
		answers <- a
	}()
	select {
	case a := <-answers:
		if !errors.Is(a.err, io.EOF) { // which is Ctrl-C or Ctrl-D
			return a.first, a.second, a.err
		}
	case <-signals:
	}
	_, err = io.WriteString(s.rawErr, "\r\n")
	return "", "", errors.Join(errInterrupted, err)
}
