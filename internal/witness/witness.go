// Package witness is a witness of houses: it keeps the last checkpoint of each house
// that it knows, and cosigns the next one if it goes on from it. A house whose record
// was put back, or that shows two histories, gets no further cosignature.
//
// It follows c2sp.org/tlog-witness, so that other witnesses can serve a house, and
// this one other logs.
package witness

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"trey/internal/durable"
	"trey/internal/tree"
)

// The files of a witness's folder; the checkpoints are in the folder of that name, one
// a house.
const (
	keyFile         = "witness.key" // the private key, for its owner alone
	publicFile      = "witness.pub" // what verifies its cosignatures
	housesFile      = "houses"      // the keys of the houses, a line each; # begins a remark
	checkpointsName = "checkpoints"
)

// Witness cosigns the checkpoints of houses. It is safe for use by many goroutines.
type Witness struct {
	folder string
	key    *tree.Cosigner
	nowS   func() int64

	// Report, unless it is nil, is called for each checkpoint that was cosigned, with nil, and for
	// each request that could not be decided because of a file of the folder, with the reason. It
	// is set before the first request.
	Report func(error)

	// mu is held from the comparison with the last checkpoint until the next one is
	// kept, so that none takes the place of a later one.
	mu sync.Mutex
}

// Open returns the witness in a folder. At its first start it makes a key under the
// name given; later the name must be the same or empty. nowS is the time in seconds of
// the Unix clock.
func Open(folder, name string, nowS func() int64) (*Witness, error) {
	w := &Witness{folder: folder, nowS: nowS}
	text, err := os.ReadFile(w.path(keyFile))
	switch {
	case errors.Is(err, fs.ErrNotExist) && name == "":
		return nil, fmt.Errorf("there is no witness in %s yet: give it a name, such as witness.example/w1", folder)
	case errors.Is(err, fs.ErrNotExist):
		if err := w.found(name); err != nil {
			return nil, fmt.Errorf("make a witness in %s: %w", folder, err)
		}
		return w, nil
	case err != nil:
		return nil, err
	}
	if w.key, err = tree.ParseCosigner(string(text)); err != nil {
		return nil, fmt.Errorf("%s: %w", w.path(keyFile), err)
	}
	if was := w.key.Verifier().Name(); name != "" && name != was {
		return nil, fmt.Errorf("the witness in %s is %s: leave the name out, or name another folder for %s", folder, was, name)
	}
	// It follows from the key: where it is missing, it is written anew.
	if _, err := os.Stat(w.path(publicFile)); errors.Is(err, fs.ErrNotExist) {
		if err := w.publish(); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// publish writes what verifies the cosignatures of the witness.
func (w *Witness) publish() error {
	return durable.Write(w.path(publicFile), []byte(w.Verifier()+"\n"), 0o644)
}

func (w *Witness) path(name string) string { return filepath.Join(w.folder, name) }

// found creates the key of a new witness.
func (w *Witness) found(name string) (err error) {
	var seed [32]byte
	rand.Read(seed[:]) //nolint:errcheck // it never fails
	if w.key, err = tree.NewCosigner(name, seed[:]); err != nil {
		return err
	}
	if err := os.MkdirAll(w.path(checkpointsName), 0o700); err != nil {
		return err
	}
	const none = "# The keys of the houses that this witness watches, a line each, as a house shows\n# it at /log/key. The file is read anew for every request.\n"
	return errors.Join(
		durable.Write(w.path(housesFile), []byte(none), 0o644),
		w.publish(),
		durable.Write(w.path(keyFile), []byte(w.key.Private()), 0o600),
	)
}

// Verifier returns the line that verifies the witness's cosignatures.
func (w *Witness) Verifier() string { return w.key.Verifier().String() }

// Check reports what is wrong with the file of the houses: the witness cosigns nothing then.
func (w *Witness) Check() error {
	_, err := w.houses("")
	return err
}

// houses returns the keys that the witness has for a name.
func (w *Witness) houses(name string) (keys []note.Verifier, err error) {
	file, err := os.Open(w.path(housesFile))
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it is only read
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		v, err := note.NewVerifier(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: this is no key of a house: write it as the house shows it at /log/key", w.path(housesFile), n)
		}
		if v.Name() == name {
			keys = append(keys, v)
		}
	}
	return keys, lines.Err()
}

// Refusal is the reason why a checkpoint is not cosigned, with the status of the answer.
type Refusal struct {
	Status int
	Why    string
	// Size is the size of the last checkpoint that the witness cosigned, where the status
	// is 409.
	Size int64
}

// Error returns the reason.
func (r *Refusal) Error() string { return r.Why }

func refuse(status int, why string, args ...any) *Refusal {
	return &Refusal{Status: status, Why: fmt.Sprintf(why, args...)}
}

// maxBody is larger than any valid request: 64 lines of proof, and a checkpoint.
const maxBody = 16 << 10

// Handler serves the witness: POST add-checkpoint, and GET HASH/checkpoint.
func (w *Witness) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /add-checkpoint", func(out http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(out, r.Body, maxBody))
		if err != nil {
			http.Error(out, "The request is too long.", http.StatusRequestEntityTooLarge)
			return
		}
		line, err := w.Add(body)
		var refused *Refusal
		if w.Report != nil && !errors.As(err, &refused) {
			w.Report(err)
		}
		switch {
		case errors.As(err, &refused) && refused.Status == http.StatusConflict:
			out.Header().Set("Content-Type", "text/x.tlog.size")
			out.WriteHeader(http.StatusConflict)
			fmt.Fprintf(out, "%d\n", refused.Size) //nolint:errcheck // who has gone needs no answer
		case errors.As(err, &refused):
			http.Error(out, refused.Why, refused.Status)
		case err != nil:
			http.Error(out, "The witness cannot read or write its files now: whoever runs it sees why.", http.StatusInternalServerError)
		default:
			io.WriteString(out, line) //nolint:errcheck // as above
		}
	})
	mux.HandleFunc("GET /{hash}/checkpoint", func(out http.ResponseWriter, r *http.Request) {
		text, err := w.kept(r.PathValue("hash"))
		if err != nil {
			http.Error(out, "This witness has cosigned no checkpoint of such a house.", http.StatusNotFound)
			return
		}
		out.Header().Set("Content-Type", "text/plain; charset=utf-8")
		out.Write(text) //nolint:errcheck // as above
	})
	return mux
}

// originHash returns the file name of the checkpoint of a house.
func originHash(name string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(name))) }

// kept returns the last checkpoint with the hash of a name.
func (w *Witness) kept(hash string) ([]byte, error) {
	// Nothing else in the folder, or outside of it, has such a name.
	if strings.Trim(hash, "0123456789abcdef") != "" {
		return nil, fs.ErrNotExist
	}
	return os.ReadFile(filepath.Join(w.path(checkpointsName), hash))
}

// Add cosigns the checkpoint of a request, as add-checkpoint takes it, and returns the
// line of the cosignature. The error is a [*Refusal] where it does not.
func (w *Witness) Add(body []byte) (line string, err error) {
	old, proof, text, refused := parse(body)
	if refused != nil {
		return "", refused
	}
	name, _, _ := strings.Cut(string(text), "\n")
	keys, err := w.houses(name)
	if err != nil {
		return "", err
	}
	if len(keys) == 0 {
		return "", refuse(http.StatusNotFound, "This witness does not know the house %q.", name)
	}
	opened, err := note.Open(text, note.VerifierList(keys...))
	if err != nil {
		return "", refuse(http.StatusForbidden, "The checkpoint is not signed by a key of the house that this witness knows.")
	}
	head, err := tree.ParseCheckpoint(opened.Text)
	if err != nil {
		return "", refuse(http.StatusBadRequest, "This is no checkpoint: %v.", err)
	}
	if old > head.Size {
		return "", refuse(http.StatusBadRequest, "The old size %d is greater than that of the checkpoint, %d.", old, head.Size)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	last, err := w.last(name)
	if err != nil {
		return "", err
	}
	if last.Size != old {
		return "", &Refusal{Status: http.StatusConflict, Size: last.Size, Why: fmt.Sprintf("The last checkpoint that was cosigned has the size %d.", last.Size)}
	}
	if why := continues(last, head, proof); why != "" {
		return "", refuse(http.StatusUnprocessableEntity, "%s", why)
	}
	line = w.key.Cosign(opened.Text, w.nowS())
	signed := append([]byte(opened.Text+"\n"), signatures(opened)+line...)
	return line, durable.Write(filepath.Join(w.path(checkpointsName), originHash(name)), signed, 0o644)
}

// signatures returns the lines of the signatures that were verified.
func signatures(opened *note.Note) (lines string) {
	for _, s := range opened.Sigs {
		lines += "\u2014 " + s.Name + " " + s.Base64 + "\n"
	}
	return lines
}

// last returns the head that was cosigned last for a house; a size of zero is none.
func (w *Witness) last(name string) (tree.Head, error) {
	text, err := w.kept(originHash(name))
	if errors.Is(err, fs.ErrNotExist) {
		return tree.Head{}, nil
	}
	if err != nil {
		return tree.Head{}, err
	}
	body, _, ok := strings.Cut(string(text), "\n\n")
	if !ok {
		return tree.Head{}, fmt.Errorf("the checkpoint kept of %s cannot be read", name)
	}
	return tree.ParseCheckpoint(body + "\n")
}

// continues reports why a tree does not go on from the one before; empty, it does.
func continues(last, head tree.Head, proof []tree.Hash) string {
	empty, _ := tlog.TreeHash(0, nil)
	switch {
	case head.Size == 0 && head.Root != empty:
		return "The tree without leaves has another root."
	case last.Size == 0 && len(proof) > 0:
		return "A first checkpoint takes no proof."
	case last.Size == 0:
		return ""
	}
	if err := tree.CheckConsistency(proof, head, last); err != nil {
		return "The tree does not go on from the one that was cosigned last."
	}
	return ""
}

// maxProof is the longest proof that there is.
const maxProof = 63

// parse reads a request: the old size, the proof, and the checkpoint.
func parse(body []byte) (old int64, proof []tree.Hash, checkpoint []byte, refused *Refusal) {
	bad := func(why string) (int64, []tree.Hash, []byte, *Refusal) {
		return 0, nil, nil, refuse(http.StatusBadRequest, "%s", why)
	}
	first, rest, _ := bytes.Cut(body, []byte("\n"))
	digits, ok := strings.CutPrefix(string(first), "old ")
	old, _ = strconv.ParseInt(digits, 10, 64) // what is no number is not written like one
	if !ok || old < 0 || strconv.FormatInt(old, 10) != digits {
		return bad("The first line is not the word old and a size.")
	}
	for {
		line, after, found := bytes.Cut(rest, []byte("\n"))
		if !found {
			return bad("There is no empty line before the checkpoint.")
		}
		rest = after
		if len(line) == 0 {
			return old, proof, rest, nil
		}
		hash, err := base64.StdEncoding.DecodeString(string(line))
		if err != nil || len(hash) != tlog.HashSize || len(proof) == maxProof {
			return bad("A line of the proof is no hash, or there are too many.")
		}
		proof = append(proof, tree.Hash(hash))
	}
}
