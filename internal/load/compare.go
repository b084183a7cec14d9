package load

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
)

// compare compares the balance that every player has counted with that of the house, and the ledger
// with both. It also compares the meters of the jackpots with the sums that went in and out of
// them.
func (r *run) compare(ctx context.Context, report *Report) error {
	var mu sync.Mutex
	err := each(r.players, func(p *player) error {
		has, err := p.account(ctx)
		if err != nil {
			return fmt.Errorf("the account of %s: %w", p.name, err)
		}
		mu.Lock()
		defer mu.Unlock()
		report.Compared++
		p.held("the house", has.Balance, report)
		p.promises.mu.Lock()
		defer p.promises.mu.Unlock()
		report.Decks += p.promises.kept
		for _, broken := range p.promises.broken {
			report.differ("%s", broken)
		}
		return nil
	})
	if err != nil || r.staff.cookie == "" && r.staff.bearer == "" {
		return err
	}
	ledger, err := r.ledger(ctx, report)
	if err != nil {
		return err
	}
	for _, p := range r.players {
		p.held("the ledger", ledger["player:"+p.name], report)
	}
	return r.meters(ctx, report, ledger)
}

// held notes where somebody says something else than the player does.
func (p *player) held(whose string, balance int64, report *Report) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if balance != p.balance {
		report.differ("%s, box %d of table %s: began with %s and has %s by the player's own account, %s by %s",
			p.name, p.box, p.place.Name, dollars(p.begun), dollars(p.balance), dollars(balance), whose)
	}
	if p.laid != 0 && whose == "the house" {
		report.differ("%s, box %d of table %s: of the %s bet, the end was never received", p.name, p.box, p.place.Name, dollars(p.laid))
	}
}

// ledger returns the balance of every account. Debits and credits have to be equal.
func (r *run) ledger(ctx context.Context, report *Report) (map[string]int64, error) {
	var all struct {
		Accounts []account `json:"accounts"`
		Debits   int64     `json:"debits"`
		Credits  int64     `json:"credits"`
	}
	if err := r.look(ctx, "/api/v1/accounts", &all); err != nil {
		return nil, fmt.Errorf("the accounts: %w", err)
	}
	if all.Debits != all.Credits {
		report.differ("the trial balance has debits of %s and credits of %s", dollars(all.Debits), dollars(all.Credits))
	}
	held := map[string]int64{}
	debits, credits := int64(0), int64(0)
	for _, a := range all.Accounts {
		held[a.Account] = a.Balance
		if kind := kindOf(a.Account); kind == "cash" || kind == "owed" {
			debits += a.Balance
		} else {
			credits += a.Balance
		}
	}
	if debits != credits {
		report.differ("the accounts add up to debits of %s and credits of %s", dollars(debits), dollars(credits))
	}
	return held, nil
}

func kindOf(account string) string {
	for i := range account {
		if account[i] == ':' {
			return account[:i]
		}
	}
	return account
}

// meters holds each jackpot against its own totals and against the ledger.
func (r *run) meters(ctx context.Context, report *Report, ledger map[string]int64) error {
	var all struct {
		Jackpots []json.RawMessage `json:"jackpots"`
	}
	if err := r.look(ctx, "/api/v1/jackpots", &all); err != nil {
		return fmt.Errorf("the jackpots: %w", err)
	}
	for _, text := range all.Jackpots {
		var m meter
		if err := json.Unmarshal(text, &m); err != nil {
			return fmt.Errorf("a jackpot: %w", err)
		}
		report.Jackpots++
		t := m.Totals
		inMeter := t["opening_meter"] + t["contributions"] - t["overflow"] - t["taken_from_meter"] +
			t["reset_by_house"] + t["reset_from_reserve"] - t["paid_from_meter"] + t["meter_adjustments"] +
			t["recovered_to_meter"] - t["reset_returned"] - t["meter_to_reserve"]
		inReserve := t["opening_reserve"] + t["overflow"] - t["taken_from_reserve"] - t["reset_from_reserve"] + t["reserve_adjustments"] + t["meter_to_reserve"]
		for _, total := range []struct {
			what                          string
			reported, byTotals, byAccount int64
		}{
			{"meter", m.Meter, inMeter, ledger["meter:"+m.Name]},
			{"reserve", m.Reserve, inReserve, ledger["reserve:"+m.Name]},
		} {
			if total.reported != total.byTotals || total.reported != total.byAccount {
				report.differ("the %s of jackpot %s shows %s, its totals come to %s, and its account holds %s",
					total.what, m.Name, dollars(total.reported), dollars(total.byTotals), dollars(total.byAccount))
			}
		}
	}
	return nil
}

// look requests a path as a member of staff who may read it.
func (r *run) look(ctx context.Context, path string, into any) error {
	answer, err := r.through(ctx, &request{method: http.MethodGet, path: path, cookie: r.staff.cookie, bearer: r.staff.bearer})
	if err != nil {
		return err
	}
	return json.Unmarshal(answer.body, into)
}
