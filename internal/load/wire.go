package load

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// What is sent and answered, as far as a player needs it.

type command struct {
	Kind string `json:"kind"`
	Body any    `json:"body"`
}

type betBody struct {
	Box    int    `json:"box"`
	Player string `json:"player"`
	Wager  string `json:"wager"`
	Amount int64  `json:"amount"`
}

type boxBody struct {
	Box    int    `json:"box"`
	Player string `json:"player"`
}

type event struct {
	Kind  string `json:"kind"`
	Event struct {
		Player string `json:"player"`
		Wager  string `json:"wager"`
		Amount int64  `json:"amount"`
		Lines  []line `json:"lines"`
	} `json:"event"`
}

type line struct {
	Player   string `json:"player"`
	Stake    int64  `json:"stake"`
	Returned int64  `json:"returned"`
	Reverses int64  `json:"reverses"`
}

type done struct {
	Seq     int64    `json:"seq"`
	Events  []event  `json:"events"`
	Picture *picture `json:"picture"`
}

type picture struct {
	Phase string `json:"phase"`
	Round int    `json:"round"`
	Boxes []struct {
		Cards []string `json:"cards"`
	} `json:"boxes"`
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
	Picture picture `json:"picture"`
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

// Problem is why the house did not do what it was asked for.
type Problem struct {
	Type   string `json:"type"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Reason string `json:"reason"`

	retryAfterS int
}

// Error returns what the house says.
func (p *Problem) Error() string { return fmt.Sprintf("the house answers %d: %s", p.Status, p.Detail) }

// kind is what such problems are counted under.
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
	p.retryAfterS, _ = strconv.Atoi(r.header.Get("Retry-After")) //nolint:errcheck // zero for none
	return p
}

// field finds the value of the first field of a name in a JSON text: where it is
// known to be a number or a plain word, this takes a hundredth of the time that
// reading all of it takes.
func field(text []byte, name string) []byte {
	_, after, ok := bytes.Cut(text, []byte(`"`+name+`":`))
	if !ok || len(after) == 0 {
		return nil
	}
	if after[0] == '"' {
		word, _, _ := bytes.Cut(after[1:], []byte(`"`))
		return word
	}
	for i, c := range after {
		if (c < '0' || c > '9') && c != '-' {
			return after[:i]
		}
	}
	return after
}
