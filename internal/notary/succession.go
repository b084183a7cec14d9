package notary

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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
// by [Successors] and [KeysIn]. It returns what verifies the new key's signatures. Wherever it is
// interrupted, the key before or the new one signs on, and it can be called again.
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
	known, err := n.known(public)
	if err != nil {
		return "", err
	}
	for _, file := range []string{checkpointFile, movedFile, witnessedFile} {
		switch err := countersign(n.path(file), known, old, next); {
		case file == witnessedFile && errors.As(err, new(*note.UnverifiedNoteError)):
			// It counts for nothing: the next one takes its place.
		case err != nil:
			return "", err
		}
		afterRotateStep(file)
	}
	// The note comes before the key: one that nobody has named is never in use.
	for _, file := range []struct {
		name string
		text []byte
		mode fs.FileMode
	}{
		{formerFile, []byte(strings.Join(known, "\n") + "\n"), 0o644},
		{successionFile, append(before, named...), 0o644},
		{keyFile, []byte(line), 0o600},
		{publicFile, []byte(verifier + "\n"), 0o644},
	} {
		if err := durable.Write(n.path(file.name), file.text, file.mode); err != nil {
			return "", err
		}
		afterRotateStep(file.name)
	}
	return verifier, nil
}

// afterRotateStep is called after each file that Rotate has written. Tests end there.
var afterRotateStep = func(string) {}

// countersign has the checkpoints in a file signed by both keys, so that either is found to
// have signed them, wherever a rotation was interrupted. known are the keys by which they are read.
func countersign(path string, known []string, keys ...note.Signer) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var verifiers []note.Verifier
	for _, key := range known {
		v, err := note.NewVerifier(key)
		if err != nil {
			return fmt.Errorf("the key %q cannot be read: %w", key, err)
		}
		verifiers = append(verifiers, v)
	}
	notes := strings.Split(string(text), Separator)
	for i := range notes {
		opened, err := note.Open([]byte(notes[i]), note.VerifierList(verifiers...))
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		signed, err := note.Sign(&note.Note{Text: opened.Text}, keys...)
		if err != nil {
			return err
		}
		for _, s := range opened.UnverifiedSigs { // the cosignatures of witnesses stay
			signed = fmt.Appendf(signed, "\u2014 %s %s\n", s.Name, s.Base64)
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

// Follows returns an error that wraps [ErrReplaced] unless the key in a folder is the one by which
// a record was signed last, or follows from it. later reports that it follows.
func Follows(folder, recorded string) (later bool, err error) {
	key, err := (&Notary{folder: folder}).inUse()
	if err != nil || key == recorded {
		return false, err
	}
	succession, err := Succession(folder)
	if err != nil {
		return false, err
	}
	keys, err := Successors(recorded, succession)
	if err != nil {
		return false, err
	}
	if !slices.Contains(keys, key) {
		return false, fmt.Errorf("%w: it is %s, and the record says that %s signs since", ErrReplaced, number(key), number(recorded))
	}
	return true, nil
}

// Predecessor returns the first of the keys that were in use in a folder before the one that is
// there, empty if there was none.
func Predecessor(folder string) (string, error) {
	n := &Notary{folder: folder}
	key, err := n.inUse()
	if err != nil {
		return "", err
	}
	keys, err := n.known(key)
	if err != nil || len(keys) == 1 {
		return "", err
	}
	return keys[len(keys)-1], nil
}

// inUse returns what verifies the signatures of the private key, which a rotation that was
// interrupted may have replaced before that was written down.
func (n *Notary) inUse() (string, error) {
	text, err := os.ReadFile(n.path(keyFile))
	if err != nil {
		return "", err
	}
	_, verifier, err := readKey(text)
	if err != nil {
		return "", fmt.Errorf("%s: %w", n.path(keyFile), err)
	}
	return verifier, nil
}

// number returns the number of a key, by which people tell keys of one house apart.
func number(verifier string) string {
	v, err := note.NewVerifier(verifier)
	if err != nil {
		return fmt.Sprintf("%q", verifier)
	}
	return fmt.Sprintf("the key %08x", v.KeyHash())
}
