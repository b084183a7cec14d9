package load

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
)

// promises checks the house against the commitments that a player received before betting. The seed
// that is revealed has to be the one committed to, and the seed that the player added has to be
// among those in the stream.
type promises struct {
	mu    sync.Mutex
	table string
	name  string // of the player
	// hash is the commitment of each round that has not ended, sent the seed that the house
	// acknowledged, and streamed the one in the stream.
	hash, sent, streamed map[int]string
	kept                 int
	broken               []string
}

// seedEvent is an event about a seed in a stream.
type seedEvent struct {
	Kind string `json:"kind"`
	Body struct {
		Round      int    `json:"round"`
		Commitment string `json:"commitment"`
		Seed       string `json:"seed"`
		Player     string `json:"player"`
		Text       string `json:"text"`
		Instead    string `json:"instead"`
	} `json:"body"`
}

// begin discards the messages of the round before, and starts with the commitment of a round.
func (p *promises) begin(round int, hash string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hash, p.sent, p.streamed = map[int]string{}, map[int]string{}, map[int]string{}
	if hash != "" {
		p.hash[round] = hash
	}
}

// receive handles a message of the table's stream.
func (p *promises) receive(data []byte) error {
	var m struct {
		Seeds []seedEvent `json:"seeds"`
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range m.Seeds {
		p.readSeed(&m.Seeds[i])
	}
	return nil
}

func (p *promises) readSeed(e *seedEvent) {
	round := e.Body.Round
	switch e.Kind {
	case "seed-committed":
		if was, ok := p.hash[round]; ok && was != e.Body.Commitment {
			p.breaks(round, "the house committed itself to %s, and before to %s", e.Body.Commitment, was)
		}
		p.hash[round] = e.Body.Commitment
	case "seed-added":
		if e.Body.Player == p.name {
			p.streamed[round] = e.Body.Text
		}
		if e.Body.Instead == p.name {
			delete(p.streamed, round)
		}
	case "seed-revealed":
		hash, noted := p.hash[round]
		sum := sha256.Sum256(fmt.Appendf(nil, "trey commitment 1\nround %d\nseed %s\ntable %s\n", round, e.Body.Seed, p.table))
		switch {
		case !noted:
			return
		case hex.EncodeToString(sum[:]) != hash:
			p.breaks(round, "the seed that is revealed is not the one of the commitment %s", hash)
		case p.sent[round] != "" && p.streamed[round] != p.sent[round]:
			p.breaks(round, "the player added the seed %s, and %q is told of", p.sent[round], p.streamed[round])
		default:
			p.kept++
		}
		delete(p.hash, round)
		delete(p.sent, round)
		delete(p.streamed, round)
	}
}

func (p *promises) breaks(round int, form string, args ...any) {
	p.broken = append(p.broken, fmt.Sprintf("table %s, round %d: ", p.table, round)+fmt.Sprintf(form, args...))
}

// addSeed adds a random seed to a round in which the player has bet.
func (p *player) addSeed(ctx context.Context, round int) {
	var random [16]byte
	_, _ = rand.Read(random[:]) // documented never to return an error
	text := hex.EncodeToString(random[:])
	_, err := p.through(ctx, p.asks(request{method: http.MethodPost, path: p.path + "/seeds", body: fmt.Appendf(nil, `{"text":%q,"round":%d}`, text, round)}))
	if err != nil {
		if p.kindOf(err) != "not-now" { // the bets may be closed by then
			p.failed(fmt.Errorf("seed: %w", err))
		}
		return
	}
	p.promises.mu.Lock()
	defer p.promises.mu.Unlock()
	if _, ok := p.promises.hash[round]; ok { // it may have ended before the answer came
		p.promises.sent[round] = text
	}
}
