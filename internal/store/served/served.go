// Package served reads the record of a running house over its address, for an audit: what the
// house serves to auditors (docs/api.md), with the tree that it serves to everybody. Nothing
// that it receives is believed: the audit builds the tree from it, and the tree has to be the
// one that the house signed.
package served

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"trey/internal/house"
	"trey/internal/ledger"
	"trey/internal/notary"
	"trey/internal/people"
	"trey/internal/tree"
	"trey/money"
)

// ErrRefused is wrapped where a house does not let the reader have its record.
var ErrRefused = errors.New("the house refuses the audit")

// Config says which house is read, and how.
type Config struct {
	// Address is the address of the house, such as https://house.example, and Token the token
	// of an auditor.
	Address, Token string
	// Key verifies what the house signs; empty takes the key that the house serves.
	Key string
	// Folder keeps what was read, so that a later reading asks for what is new; empty is none.
	Folder string
	// Wait bounds how long to wait for the end of rounds in play, and for a house that does
	// not answer.
	Wait time.Duration
	// Client sends the requests; nil is http.DefaultClient. Waiting is called once, when
	// reading waits for rounds to end, and Away for a request to which the house gives no
	// answer that can be used, before it is sent again; nil is nothing.
	Client  *http.Client
	Waiting func()
	Away    func(error)
	// Now tells the time, and Pause waits for a while, unless the reading is given up; nil are
	// those of the machine.
	Now   func() time.Time
	Pause func(context.Context, time.Duration) error
}

// Record is the record of a running house up to a checkpoint that the house signed when the
// reading began.
type Record struct {
	c        Config
	origin   []byte
	signed   notary.Checkpoint
	key      string
	keys     []string // with those that follow from it
	seq      int64    // of the balances
	balances []balance
	// read is the number of the last transaction that was read, and numbered how many persons
	// had a number by then.
	read, numbered int64
	partial        bool
	tiles          map[string][]byte // the latest of each level
}

type balance struct {
	Account string       `json:"account"`
	Holds   money.Amount `json:"holds"`
}

// pageLength is the number of transactions that are asked for at once. Pages are aligned to it, so that
// one that is kept never changes.
const pageLength = 512

// Open begins to read a house: its balances, and a signed checkpoint that covers them.
func Open(ctx context.Context, c Config) (*Record, error) {
	if c.Client == nil {
		c.Client = http.DefaultClient
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Pause == nil {
		c.Pause = pause
	}
	c.Address = strings.TrimSuffix(c.Address, "/")
	r := &Record{c: c, key: strings.TrimSpace(c.Key), tiles: map[string][]byte{}}
	if r.key == "" {
		text, err := r.get(ctx, "/log/key", nil)
		if err != nil {
			return nil, err
		}
		r.key = strings.TrimSpace(string(text))
	}
	succession, err := r.get(ctx, "/log/succession", nil)
	if err != nil {
		return nil, err
	}
	if r.keys, err = notary.Successors(r.key, succession); err != nil {
		return nil, err
	}
	var held struct {
		Seq      int64
		Balances []balance
	}
	if err := r.ask(ctx, "balances", nil, &held); err != nil {
		return nil, err
	}
	r.seq, r.balances = held.Seq, held.Balances
	if err := r.sign(ctx); err != nil {
		return nil, err
	}
	return r, r.begin(ctx)
}

// sign waits for a checkpoint that covers the balances. It takes the one that there is where
// the house signs none in time.
func (r *Record) sign(ctx context.Context) error {
	for until := r.c.Now().Add(r.c.Wait); ; {
		text, err := r.get(ctx, "/log/checkpoint", nil)
		if err != nil {
			return err
		}
		if r.signed, err = notary.Read(text, r.keys...); err != nil {
			return fmt.Errorf("the checkpoint of the house: %w", err)
		}
		if r.signed.Size > r.seq {
			return nil
		}
		if r.c.Now().After(until) {
			return nil // Continues reports it.
		}
		if err := r.c.Pause(ctx, time.Second); err != nil {
			return err
		}
	}
}

// begin reads leaf 0, after which the tree is named.
func (r *Record) begin(ctx context.Context) error {
	text, err := r.get(ctx, "/log/"+tilePath("entries", 0, int(min(r.signed.Size, tree.Width))), nil)
	if err != nil {
		return err
	}
	if len(text) < 2 || len(text) < 2+int(text[0])<<8+int(text[1]) {
		return errors.New("the house serves no leaf 0")
	}
	r.origin = text[2 : 2+int(text[0])<<8+int(text[1])]
	if name := tree.Name(r.origin); name != r.signed.Name {
		return fmt.Errorf("%w: the checkpoint is one of %s, and leaf 0 is that of %s", notary.ErrOtherRecord, r.signed.Name, name)
	}
	return nil
}

// Keys returns the lines that verify what the house signs: the key that was given or learnt,
// and those that followed from it.
func (r *Record) Keys() []string { return r.keys }

// SignedBy returns which of these keys signed the checkpoint, the latest if several did. Whoever
// keeps it takes none from before it any more.
func (r *Record) SignedBy() string {
	for _, key := range slices.Backward(r.keys) {
		if _, err := notary.Read(r.signed.Note, key); err == nil {
			return key
		}
	}
	return "" // sign has read it by one of them
}

// Signed returns the checkpoint up to which the record is read.
func (r *Record) Signed() notary.Checkpoint { return r.signed }

// Partial reports whether the reading ended before the checkpoint, because a round in play
// covers the rest.
func (r *Record) Partial() bool { return r.partial }

// Origin returns leaf 0.
func (r *Record) Origin() []byte { return r.origin }

// Head returns the tree of the checkpoint. Where the reading ended before it, it returns the
// tree up to there, which [Record.Leaves] found to be the beginning of it.
func (r *Record) Head() tree.Head {
	if !r.partial {
		return r.signed.Head
	}
	ctx, end := context.WithTimeout(context.Background(), r.c.Wait+time.Second)
	defer end()
	head, err := tree.NodesOf(ctx, r).At(r.read + 1)
	if err == nil {
		err = r.begins(ctx, head)
	}
	if err != nil {
		return tree.Head{} // no tree is that
	}
	return head
}

// Signs reports what is wrong if the house did not sign the transactions after which it says
// what its accounts hold. The error wraps [notary.ErrNotContinued].
func (r *Record) Signs() error {
	if r.signed.Size > r.seq {
		return nil
	}
	return fmt.Errorf("%w: the house says what its accounts hold after transaction %d, and has signed %d transactions", notary.ErrNotContinued, r.seq, r.signed.Size-1)
}

// Continues reports what is wrong if the tree of the checkpoint does not go on from an earlier
// one. An error wraps [notary.ErrNotContinued] or [notary.ErrOtherRecord] then.
func (r *Record) Continues(ctx context.Context, earlier notary.Checkpoint) error {
	switch {
	case earlier.Name != r.signed.Name:
		return fmt.Errorf("%w: the checkpoint is one of %s, and the house is %s", notary.ErrOtherRecord, earlier.Name, r.signed.Name)
	case earlier.Size > r.signed.Size:
		return fmt.Errorf("%w: %d transactions were signed, and it holds %d", notary.ErrNotContinued, earlier.Size-1, r.signed.Size-1)
	}
	if err := r.begins(ctx, earlier.Head); errors.Is(err, notary.ErrNotContinued) {
		return fmt.Errorf("%w: its first %d transactions are not those that were signed", notary.ErrNotContinued, earlier.Size-1)
	} else if err != nil {
		return err
	}
	return nil
}

// begins reports whether the tree of the checkpoint begins with another one, by a proof from
// the tiles of the house.
func (r *Record) begins(ctx context.Context, earlier tree.Head) error {
	proof, err := tree.NodesOf(ctx, r).Consistency(earlier.Size, r.signed.Size)
	if err != nil {
		return err
	}
	if err := tree.CheckConsistency(proof, r.signed.Head, earlier); err != nil {
		return fmt.Errorf("%w: %w", notary.ErrNotContinued, err)
	}
	return nil
}

// Nodes returns hashes of the tree as the house serves them, in tiles.
func (r *Record) Nodes(ctx context.Context, level int, from int64, count int) (found []tree.Hash, err error) {
	for len(found) < count {
		at := from + int64(len(found))
		tile := at / tree.Width
		width := int(min(r.signed.Size>>(tree.Height*level)-tile*tree.Width, tree.Width))
		place := int(at % tree.Width)
		if place >= width {
			return nil, fmt.Errorf("%w: node %d of level %d", tree.ErrBeyond, at, level)
		}
		text, err := r.tile(ctx, level, tile, width)
		if err != nil {
			return nil, err
		}
		for ; place < width && len(found) < count; place++ {
			found = append(found, tree.Hash(text[place*tlog.HashSize:]))
		}
	}
	return found, nil
}

// tile returns the hashes of a tile. The last one of each level is kept.
func (r *Record) tile(ctx context.Context, level int, n int64, width int) ([]byte, error) {
	path := tilePath(strconv.Itoa(level), n, width)
	if text, ok := r.tiles[path]; ok {
		return text, nil
	}
	text, err := r.get(ctx, "/log/"+path, nil)
	if err != nil {
		return nil, err
	}
	if len(text) != width*tlog.HashSize {
		return nil, fmt.Errorf("%w: the house serves %d bytes as %s, which has %d hashes", house.ErrCorrupt, len(text), path, width)
	}
	if len(r.tiles) > 64 {
		clear(r.tiles)
	}
	r.tiles[path] = text
	return text, nil
}

// tilePath returns the path of a tile under /log/.
func tilePath(level string, n int64, width int) string {
	t := tlog.Tile{H: tree.Height, L: 0, N: n, W: width}
	path := strings.TrimPrefix(t.Path(), fmt.Sprintf("tile/%d/0/", tree.Height))
	return "tile/" + level + "/" + path
}

// Balances hands out what each account held when the reading began.
func (r *Record) Balances(_ context.Context, yield func(ledger.Account, money.Amount) error) (int64, error) {
	for _, b := range r.balances {
		a, err := ledger.ParseAccount(b.Account)
		if err != nil {
			return 0, fmt.Errorf("%w: %w", house.ErrCorrupt, err)
		}
		if err := yield(a, b.Holds); err != nil {
			return 0, err
		}
	}
	return r.seq, nil
}

// Names hands out the names of the persons to whom the transactions that were read give a
// number, those after a number. Those that were given a number since are left out.
func (r *Record) Names(ctx context.Context, after int64, yield func(people.Name) error) error {
	for after < r.numbered {
		var page struct {
			Names []struct {
				Number     int64
				Salt, Name string
			}
		}
		if err := r.ask(ctx, "names", url.Values{"after": {strconv.FormatInt(after, 10)}, "limit": {"1000"}}, &page); err != nil {
			return err
		}
		if len(page.Names) == 0 {
			return nil
		}
		for _, n := range page.Names {
			if n.Number <= after {
				return fmt.Errorf("%w: the name of number %d comes after that of %d", house.ErrCorrupt, n.Number, after)
			}
			if after = n.Number; n.Number > r.numbered {
				return nil
			}
			salt, _ := base64.StdEncoding.DecodeString(n.Salt) // another is not that of the commitment
			name := people.Name{Number: n.Number, Text: n.Name}
			copy(name.Salt[:], salt)
			if err := yield(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// Leaves hands out the leaves of transactions up to the checkpoint, those after a number. It
// waits for rounds in play to end; where they do not in time, it ends, and [Record.Partial]
// reports so.
func (r *Record) Leaves(ctx context.Context, after int64, yield func(house.Leaf) error) error {
	last := r.signed.Size - 1
	r.read, r.numbered, r.partial = after, 0, false
	until := time.Time{}
	for next := after + 1; next <= last; {
		start := (next - 1) / pageLength * pageLength
		page, err := r.page(ctx, start, min(start+pageLength, last))
		if err != nil {
			return err
		}
		before := next
		for i := range page.Transactions {
			t := &page.Transactions[i]
			if t.Seq < next || t.Seq > last {
				continue
			}
			leaf, err := t.leaf()
			if err != nil {
				return fmt.Errorf("transaction %d: %w", t.Seq, err)
			}
			next = t.Seq + 1
			r.read = t.Seq
			r.count(&leaf)
			if err := yield(leaf); err != nil {
				return err
			}
		}
		switch {
		case next > before:
			until = time.Time{}
		case !page.InPlay:
			return nil // Whoever audits finds that the rest is missing.
		case until.IsZero():
			if until = r.c.Now().Add(r.c.Wait); r.c.Waiting != nil {
				r.c.Waiting()
			}
			fallthrough
		default:
			if r.c.Now().After(until) {
				r.partial = true
				return nil
			}
			if err := r.c.Pause(ctx, time.Second); err != nil {
				return err
			}
		}
	}
	return nil
}

// count counts the persons who get a number.
func (r *Record) count(leaf *house.Leaf) {
	for i := range leaf.Line.Parts {
		if p := &leaf.Line.Parts[i]; p.Stream == house.NamesStream && !p.Withheld {
			var events []house.Event
			_ = json.Unmarshal(p.Events, &events) // the audit finds what cannot be read
			for _, e := range events {
				if e.Kind == "person-numbered" {
					r.numbered++
				}
			}
		}
	}
}

// page is an answer of the house.
type page struct {
	Transactions []transaction `json:"transactions"`
	InPlay       bool          `json:"in_play"`
}

// page returns the transactions after a number, up to another. Pages that can grow no more are
// kept, if anything is.
func (r *Record) page(ctx context.Context, after, last int64) (p page, err error) {
	path := ""
	if r.c.Folder != "" {
		name := fmt.Sprintf("%012d", after/pageLength)
		path = filepath.Join(r.c.Folder, name[:9], name[9:]+".json")
		if text, err := os.ReadFile(path); err == nil && json.Unmarshal(text, &p) == nil && int64(len(p.Transactions)) == pageLength {
			return p, nil
		}
		p = page{}
	}
	for after < last {
		var more page
		if err := r.ask(ctx, "transactions", url.Values{"after": {strconv.FormatInt(after, 10)}, "limit": {strconv.FormatInt(last-after, 10)}}, &more); err != nil {
			return p, err
		}
		p.Transactions, p.InPlay = append(p.Transactions, more.Transactions...), more.InPlay
		if len(more.Transactions) == 0 || more.InPlay {
			return p, nil
		}
		if seq := more.Transactions[len(more.Transactions)-1].Seq; seq <= after {
			return p, fmt.Errorf("%w: transaction %d comes after transaction %d", house.ErrCorrupt, seq, after)
		} else {
			after = seq
		}
	}
	if path != "" && len(p.Transactions) == pageLength {
		err = keep(path, p)
	}
	return p, err
}

// keep writes a page to the path from which it is read. The file holds what only auditors may read.
func keep(path string, p page) error {
	text, err := json.Marshal(p)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		err = os.WriteFile(path+".new", text, 0o600)
	}
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	return err
}

// ask asks for something that only auditors may read.
func (r *Record) ask(ctx context.Context, what string, query url.Values, into any) error {
	text, err := r.get(ctx, "/api/v1/audit/"+what, query)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%w: what the house answers to %s cannot be read: %w", house.ErrCorrupt, what, err)
	}
	return nil
}

// maxAnswer bounds an answer of the house.
const maxAnswer = 256 << 20

// get reads what the house answers. It asks again while the house does not answer, or says
// that it is asked too often.
func (r *Record) get(ctx context.Context, path string, query url.Values) ([]byte, error) {
	address := r.c.Address + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	for until, away := r.c.Now().Add(r.c.Wait), r.c.Away; ; {
		text, status, waitS, err := r.once(ctx, address)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err == nil && status == http.StatusOK:
			return text, nil
		case err == nil && slices.Contains([]int{http.StatusUnauthorized, http.StatusForbidden}, status):
			return nil, fmt.Errorf("%w: %s", ErrRefused, detail(text))
		case err == nil && status == http.StatusNotFound && (path == "/log/key" || path == "/log/succession"):
			return nil, fmt.Errorf("%s is not the address of a house: there is nothing at %s", r.c.Address, address)
		case err == nil && status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable && status != http.StatusBadGateway:
			return nil, fmt.Errorf("%w: %s answers %d: %s", house.ErrCorrupt, address, status, detail(text))
		case err == nil:
			err = fmt.Errorf("it answers %d: %s", status, detail(text))
		}
		if r.c.Now().After(until) {
			return nil, fmt.Errorf("the house at %s cannot be read: %w", r.c.Address, err)
		}
		if away != nil {
			away(err)
			away = nil // once is enough
		}
		// No longer than it may take in all, whatever the house asks for.
		most := int(until.Sub(r.c.Now())/time.Second) + 1
		if err := r.c.Pause(ctx, time.Duration(max(min(waitS, most), 1))*time.Second); err != nil {
			return nil, err
		}
	}
}

// answerTime is the time that an answer may take beyond the one that is waited for it. Tests
// have less.
var answerTime = time.Minute

// once sends one request, and reads its answer to the end unless that takes too long.
func (r *Record) once(ctx context.Context, address string) (text []byte, status, waitS int, err error) {
	ctx, end := context.WithTimeout(ctx, r.c.Wait+answerTime)
	defer end()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, 0, 0, err
	}
	if strings.HasPrefix(request.URL.Path, "/api/") {
		request.Header.Set("Authorization", "Bearer "+r.c.Token)
	}
	response, err := r.c.Client.Do(request)
	if err != nil {
		return nil, 0, 0, err
	}
	defer response.Body.Close() //nolint:errcheck // it has been read
	text, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err == nil && len(text) > maxAnswer {
		err = fmt.Errorf("the answer to %s is too long", address)
	}
	waitS, _ = strconv.Atoi(response.Header.Get("Retry-After")) // without it a second
	return text, response.StatusCode, waitS, err
}

// detail returns what an answer that is no success says.
func detail(text []byte) string {
	var problem struct{ Detail string }
	if json.Unmarshal(text, &problem) == nil && problem.Detail != "" {
		return problem.Detail
	}
	return fmt.Sprintf("%.200q", text)
}

// pause waits, unless the reading is given up.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
