package load

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// What is sent and answered, as far as a player needs it.

// command writes one as it is sent. Whose it is the house knows: the player's own.
func command(kind string, box int, wager string, amount int64) []byte {
	body := append(append([]byte(`{"kind":"`), kind...), `","body":{"box":`...)
	body = strconv.AppendInt(body, int64(box), 10)
	if wager != "" {
		body = append(append(append(body, `,"wager":"`...), wager...), `","amount":`...)
		body = strconv.AppendInt(body, amount, 10)
	}
	return append(body, "}}"...)
}

// event is an event of a table that can move a player's money. Its words lie in the text
// that was read.
type event struct {
	kind, player []byte
	amount       int64
}

// line is one line of a settlement: a bet that has come to its end.
type line struct {
	player                    []byte
	stake, returned, reverses int64
}

// events reads events. It calls settles with each line of an event, and happens with each event.
func (t *text) events(settles func(line), happens func(event)) {
	for t.open('['); t.more(']'); {
		var e event
		for t.open('{'); t.more('}'); {
			switch string(t.name()) {
			case "kind":
				e.kind = t.word()
			case "event":
				t.event(&e, settles)
			default:
				t.skip()
			}
		}
		happens(e)
	}
}

func (t *text) event(e *event, settles func(line)) {
	for t.open('{'); t.more('}'); {
		switch string(t.name()) {
		case "player":
			e.player = t.word()
		case "amount":
			e.amount = t.number()
		case "lines":
			for t.open('['); t.more(']'); {
				settles(t.line())
			}
		default:
			t.skip()
		}
	}
}

func (t *text) line() (l line) {
	for t.open('{'); t.more('}'); {
		switch string(t.name()) {
		case "player":
			l.player = t.word()
		case "stake":
			l.stake = t.number()
		case "returned":
			l.returned = t.number()
		case "reverses":
			l.reverses = t.number()
		default:
			t.skip()
		}
	}
	return l
}

// cards reads those of a box in a picture of a table.
func (t *text) cards(box int) (cards []string) {
	for t.open('{'); t.more('}'); {
		if string(t.name()) != "boxes" {
			t.skip()
			continue
		}
		i := 0
		for t.open('['); t.more(']'); {
			if i++; i == box {
				cards = t.box()
			} else {
				t.skip()
			}
		}
	}
	return cards
}

// box reads the cards of one.
func (t *text) box() (cards []string) {
	for t.open('{'); t.more('}'); {
		if string(t.name()) != "cards" {
			t.skip()
			continue
		}
		for t.open('['); t.more(']'); {
			cards = append(cards, string(t.word()))
		}
	}
	return cards
}

type limit struct {
	Min int64 `json:"min"`
	Max int64 `json:"max"`
}

type listed struct {
	Name    string           `json:"name"`
	Book    string           `json:"book"`
	Mode    string           `json:"mode"`
	Boxes   int              `json:"boxes"`
	Taken   int              `json:"taken"`
	Limits  map[string]limit `json:"limits"`
	Jackpot string           `json:"jackpot"`
}

type standing struct {
	Seq  int64 `json:"seq"`
	Pace struct {
		Betting  int64 `json:"betting_ms"`
		Decision int64 `json:"decision_ms"`
	} `json:"pace"`
	Picture struct {
		Phase string `json:"phase"`
		Round int    `json:"round"`
	} `json:"picture"`
	Commitment struct {
		Round int    `json:"round"`
		Hash  string `json:"hash"`
	} `json:"commitment"`
}

type account struct {
	Account string `json:"account"`
	Balance int64  `json:"balance"`
	Owed    int64  `json:"owed"`
}

type meter struct {
	Name    string           `json:"name"`
	Meter   int64            `json:"meter"`
	Reserve int64            `json:"reserve"`
	Totals  map[string]int64 `json:"totals"`
}

// Problem is the reason why the house refused a request.
type Problem struct {
	Type   string `json:"type"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Reason string `json:"reason"`

	retryAfterS int
}

// Error returns what the house says.
func (p *Problem) Error() string { return fmt.Sprintf("the house answers %d: %s", p.Status, p.Detail) }

// kind returns the kind under which such problems are counted.
func (p *Problem) kind() string {
	kind := p.Type
	if i := bytes.LastIndexByte([]byte(kind), ':'); i >= 0 {
		kind = kind[i+1:]
	}
	if p.Reason != "" {
		kind += " " + p.Reason
	}
	return kind
}

// problemOf reads a problem; nil where the answer is none.
func problemOf(r *reply) error {
	if r.status < 400 {
		return nil
	}
	p := &Problem{Type: "status-" + strconv.Itoa(r.status)}
	if err := json.Unmarshal(r.body, p); err != nil {
		p.Detail = "no reason is given"
	}
	p.Status = r.status
	p.retryAfterS = r.retryAfterS
	return p
}
