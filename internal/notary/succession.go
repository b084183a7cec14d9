package notary

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"trey/internal/durable"
)

// successionType is the first line of a note by which a key names the one after it.
const successionType = "trey key v1"

// Separator stands between two notes of the succession: no note has such a line.
const Separator = "---\n"

// Rotate replaces the key in a folder, while no house signs with it. The key before
// names the new one in a signed note, and is gone: what it signed is verified still,
// by [Successors]. It returns what verifies the new key's signatures.
func Rotate(folder string) (verifier string, err error) {
	n := &Notary{folder: folder}
	text, err := os.ReadFile(n.path(keyFile))
	if err != nil {
		return "", err
	}
	old, public, err := readKey(text)
	if err != nil {
		return "", fmt.Errorf("%s: %w", n.path(keyFile), err)
	}
	line, verifier, err := drawKey(old.Name())
	if err != nil {
		return "", err
	}
	next, _, err := readKey([]byte(line))
	if err != nil {
		return "", err
	}
	named, err := note.Sign(&note.Note{Text: successionType + "\n" + verifier + "\n"}, old)
	if err != nil {
		return "", err
	}
	before, err := Succession(folder)
	if err != nil {
		return "", err
	}
	if len(before) > 0 {
		before = append(before, Separator...)
	}
	for _, file := range []string{checkpointFile, movedFile} {
		if err := countersign(n.path(file), public, old, next); err != nil {
			return "", err
		}
	}
	// The note comes before the key: one that nobody has named is never in use.
	for _, file := range []struct {
		name string
		text []byte
		mode fs.FileMode
	}{
		{successionFile, append(before, named...), 0o644},
		{keyFile, []byte(line), 0o600},
		{publicFile, []byte(verifier + "\n"), 0o644},
	} {
		if err := durable.Write(n.path(file.name), file.text, file.mode); err != nil {
			return "", err
		}
	}
	return verifier, nil
}

// countersign has the checkpoints in a file signed by both keys, so that either is found to
// have signed them, wherever a rotation was interrupted.
func countersign(path, verifier string, keys ...note.Signer) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	v, err := note.NewVerifier(verifier)
	if err != nil {
		return err
	}
	notes := strings.Split(string(text), Separator)
	for i := range notes {
		opened, err := note.Open([]byte(notes[i]), note.VerifierList(v))
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		signed, err := note.Sign(&note.Note{Text: opened.Text}, keys...)
		if err != nil {
			return err
		}
		notes[i] = string(signed)
	}
	return durable.Write(path, []byte(strings.Join(notes, Separator)), 0o644)
}

// Succession returns the notes by which each key in a folder named the one after it;
// none where there was no other key.
func Succession(folder string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(folder, successionFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// Successors returns the keys that follow from one by a succession: itself first, then
// every key that one of them named. Notes of other keys are passed over.
func Successors(verifier string, succession []byte) ([]string, error) {
	keys := []string{verifier}
	v, err := note.NewVerifier(verifier)
	if err != nil {
		return nil, fmt.Errorf("the key %q cannot be read: %w", verifier, err)
	}
	known := []note.Verifier{v}
	for text := range strings.SplitSeq(string(succession), Separator) {
		opened, err := note.Open([]byte(text), note.VerifierList(known...))
		if err != nil {
			continue
		}
		named, ok := strings.CutPrefix(opened.Text, successionType+"\n")
		named = strings.TrimSuffix(named, "\n")
		if !ok {
			continue
		}
		next, err := note.NewVerifier(named)
		if err != nil || next.Name() != v.Name() {
			return nil, fmt.Errorf("the succession of %s names %q, which is no key of it", v.Name(), named)
		}
		keys, known = append(keys, named), append(known, next)
	}
	return keys, nil
}
