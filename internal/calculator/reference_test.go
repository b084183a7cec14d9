package calculator

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"

	"trey/card"
	"trey/internal/printable"
	"trey/money"
	"trey/rules"
)

// The calculator once more, as one would write it who does not mind the time it
// takes: with encoding/json, and without the refusals.

type refRequest struct {
	ID         json.RawMessage              `json:"id"`
	Player     string                       `json:"player"`
	Dealer     string                       `json:"dealer"`
	Wagers     map[rules.Wager]money.Amount `json:"wagers"`
	Folded     bool                         `json:"folded"`
	Meter      money.Amount                 `json:"meter"`
	Others     []string                     `json:"others"`
	Pay        map[rules.Wager]string       `json:"pay"`
	BonusTable string                       `json:"bonus_table"`
	Boxes      []refBox                     `json:"boxes"`

	boxesBeside []rules.Other
}

type refBox struct {
	ID     json.RawMessage              `json:"id"`
	Player string                       `json:"player"`
	Wagers map[rules.Wager]money.Amount `json:"wagers"`
	Folded bool                         `json:"folded"`
	Owner  string                       `json:"owner"`
}

type refTable struct {
	ID         json.RawMessage `json:"id,omitempty"`
	DealerRank string          `json:"dealer_rank"`
	Qualifies  *bool           `json:"qualifies,omitempty"`
	Boxes      []refBoxAnswer  `json:"boxes"`
	Net        money.Amount    `json:"net"`
}

type refBoxAnswer struct {
	ID         json.RawMessage `json:"id,omitempty"`
	PlayerRank string          `json:"player_rank"`
	Lines      []refLine       `json:"lines"`
	Net        money.Amount    `json:"net"`
}

// settleTable settles each box as a line of its own, with the others beside it.
func (r *refRequest) settleTable(v *rules.Variant) (*refTable, error) {
	table := &refTable{ID: r.ID}
	for i, b := range r.Boxes {
		alone := *r
		alone.Player, alone.Wagers, alone.Folded = b.Player, b.Wagers, b.Folded
		for j, other := range r.Boxes {
			if j == i {
				continue
			}
			hand, err := card.ParseHand(other.Player)
			if err != nil {
				return nil, err
			}
			var stakes rules.Stakes
			for w, stake := range other.Wagers {
				stakes[w] = stake
			}
			alone.boxesBeside = append(alone.boxesBeside, rules.Other{
				Is: v.Book.Ranking.Combos(hand), Folded: other.Folded, Stakes: &stakes,
				SamePlayer: b.Owner != "" && b.Owner == other.Owner,
			})
		}
		answer, err := alone.settle(v)
		if err != nil {
			return nil, err
		}
		table.DealerRank, table.Qualifies = answer.DealerRank, answer.Qualifies
		table.Boxes = append(table.Boxes, refBoxAnswer{printable.Append(nil, []byte(b.ID)), answer.PlayerRank, answer.Lines, answer.Net})
		table.Net += answer.Net
	}
	return table, nil
}

type refAnswer struct {
	ID         json.RawMessage `json:"id,omitempty"`
	PlayerRank string          `json:"player_rank"`
	DealerRank string          `json:"dealer_rank"`
	Qualifies  *bool           `json:"qualifies,omitempty"`
	Lines      []refLine       `json:"lines"`
	Net        money.Amount    `json:"net"`
}

type refLine struct {
	Wager    rules.Wager  `json:"wager"`
	Stake    money.Amount `json:"stake"`
	Result   rules.Result `json:"result"`
	Pays     money.Amount `json:"pays"`
	Returned money.Amount `json:"returned"`
	Clause   string       `json:"clause"`
}

func (r *refRequest) settle(v *rules.Variant) (*refAnswer, error) {
	player, err := card.ParseHand(r.Player)
	if err != nil {
		return nil, err
	}
	dealer, err := card.ParseHand(r.Dealer)
	if err != nil {
		return nil, err
	}
	showdown := rules.Showdown{Player: player, Dealer: dealer, Folded: r.Folded, Meter: r.Meter}
	for w, stake := range r.Wagers {
		showdown.Stakes[w] = stake
	}
	for _, text := range r.Others {
		hand, err := card.ParseHand(text)
		if err != nil {
			return nil, err
		}
		showdown.Others = append(showdown.Others, rules.Other{Is: v.Book.Ranking.Combos(hand)})
	}
	showdown.Others = append(showdown.Others, r.boxesBeside...)
	if r.BonusTable != "" || len(r.Pay) > 0 {
		v = v.Clone()
	}
	if r.BonusTable != "" {
		if err := v.UsePayTable(rules.Bonus, r.BonusTable); err != nil {
			return nil, err
		}
	}
	for w, list := range r.Pay {
		var pays []int64
		for _, word := range strings.Split(list, "/") {
			n, err := strconv.ParseInt(word, 10, 64)
			if err != nil {
				return nil, err
			}
			pays = append(pays, n)
		}
		if err := v.OverridePays(w, pays); err != nil {
			return nil, err
		}
	}
	settled, err := v.Settle(nil, &showdown)
	if err != nil {
		return nil, err
	}
	ranking := v.Book.Ranking
	answer := &refAnswer{ID: r.ID, PlayerRank: ranking.Describe(player), DealerRank: ranking.Describe(dealer), Lines: []refLine{}}
	if v.Book.Qualify != nil {
		qualifies := v.Book.Qualifies(dealer)
		answer.Qualifies = &qualifies
	}
	for i := range settled {
		l := &settled[i]
		answer.Lines = append(answer.Lines, refLine{l.Wager, l.Stake, l.Result, l.Pays, l.Returned, v.Book.ClauseRef(l.Clause)})
		answer.Net += l.Net()
	}
	return answer, nil
}

func reference(v *rules.Variant, r io.Reader, w io.Writer) error {
	scanner := bufio.NewScanner(r)
	out := bufio.NewWriter(w)
	encoder := json.NewEncoder(out)
	for scanner.Scan() {
		var request refRequest
		if err := json.Unmarshal(scanner.Bytes(), &request); err != nil {
			return err
		}
		answer, err := request.settle(v)
		if err != nil {
			return fmt.Errorf("%s: %w", scanner.Bytes(), err)
		}
		if err := encoder.Encode(answer); err != nil {
			return err
		}
	}
	if err := scanner.Err(); err != nil {
		return err
	}
	return out.Flush()
}

// deals draws hands from a fresh deck each time.
type deals struct{ random *rand.Rand }

func newDeals(seed uint64) deals { return deals{rand.New(rand.NewPCG(seed, 3))} }

func (d deals) hands(n int) []card.Hand {
	hands := make([]card.Hand, n)
	order := d.random.Perm(52)
	for i := range hands {
		hands[i] = card.NewHand(card.FromIndex(order[3*i]), card.FromIndex(order[3*i+1]), card.FromIndex(order[3*i+2]))
	}
	return hands
}
