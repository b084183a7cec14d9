package simulation

import (
	"context"
	"maps"
	"slices"
	"strings"

	"trey/internal/house"
	"trey/internal/house/auditor"
	"trey/internal/house/sealing"
	"trey/internal/ledger"
	"trey/internal/people"
	"trey/internal/shuffle"
	"trey/money"
)

// check checks everything that anybody was answered against the record.
func (c *cluster) check() {
	c.Helper()
	if len(c.haltedBy) > 0 && !c.losesAcknowledged {
		c.broken("the house goes on", "%s has halted, and the database has lost nothing", c.haltedBy[0].name)
	}
	c.writers()
	final := c.newReplica(c.primary.txs, nil)
	token := func(name string) string {
		token, _ := final.store.Directory().Token(name)
		return token
	}
	at := map[int][]sighting{}
	for _, r := range c.reads {
		at[r.seq] = append(at[r.seq], r)
	}
	a := auditor.New()
	keys := map[string][]int64{}
	streams := map[string][]noticed{}
	if err := final.disk.Entries(0, func(e house.StoredTransaction) error {
		a.Read(e)
		if e.Key != "" {
			keys[e.Key] = append(keys[e.Key], e.Seq)
		}
		c.closes(&e)
		for table, kinds := range messages(&e) {
			streams[table] = append(streams[table], noticed{e.Seq, kinds})
		}
		for _, r := range at[int(e.Seq)] {
			account := people.RenameAccount(ledger.Account{Kind: ledger.Player, Of: r.player}, token).String()
			if holds := a.Held(account); holds != int64(r.balance) {
				c.broken("what is read is in the record", "%s is answered at %s as of %d with %s; by the record it has %s", r.player, r.by.name, r.seq, r.balance, money.Amount(holds))
			}
			if meter, reserve := a.Held("meter:"+jackpotName), a.Held("reserve:"+jackpotName); r.jackpot && (meter != int64(r.meter) || reserve != int64(r.reserve)) {
				c.broken("what is read is in the record", "the jackpot is answered at %s as of %d with %s and %s; by the record it has %d and %d", r.by.name, r.seq, r.meter, r.reserve, meter, reserve)
			}
		}
		return nil
	}); err != nil {
		c.broken("the record can be read", "%v", err)
	}
	for _, r := range c.reads {
		if r.seq > len(final.txs) {
			c.broken("what is read is in the record", "%s answered as of %d, and the record ends with %d", r.by.name, r.seq, len(final.txs))
		}
	}
	c.once(keys, token)
	for _, s := range c.streams {
		c.compare(s, streams[s.table])
	}
	audited, err := auditor.Check(context.Background(), final.store)
	if err != nil || len(audited.Findings()) > 0 {
		c.broken("the books balance", "%v %v", audited.Findings(), err)
	}
	for _, n := range c.nodes {
		if n.state == halted {
			continue
		}
		for _, v := range c.visits {
			if _, err := n.people.Check(v.token); err == nil && (v.shutOut > 0 || v.endedMs > 0) {
				c.broken("a session that has ended stays so", "%s is let in at %s, though everything is confirmed", v.name, n.name)
			}
		}
		if n.record.store.Head() != final.store.Head() {
			c.broken("all machines have one record", "%s has another tree", n.name)
		}
		for account, holds := range final.disk.Accounts() {
			if got := n.house.Balance(renamed(account, final.store.Directory())); got != holds {
				c.broken("all machines have one record", "%s says that %s holds %s; by the record it is %s", n.name, account, got, holds)
			}
		}
	}
	h, _, err := house.Open(context.Background(), final.store, house.World{
		NowMs: func() int64 { return c.nowMs }, PlayMoney: true, Sealer: sealing.Numbered(1), Seed: func() shuffle.Seed { return c.decks() }, ReplayAll: true,
	})
	if err == nil {
		err = h.Audit()
	}
	if err != nil {
		c.broken("the house opens from its record", "%v", err)
	}
}

// renamed returns an account with the name of its holder.
func renamed(a ledger.Account, d *people.Directory) ledger.Account {
	return people.RenameAccount(a, d.Name)
}

// writers holds that each epoch has one process that writes, and that none writes after the
// next one.
func (c *cluster) writers() {
	c.Helper()
	by := map[int64]*node{}
	epoch := int64(0)
	for i, t := range c.primary.txs {
		if other := by[t.epoch]; other != nil && other != t.by || t.epoch < epoch {
			c.broken("one process writes", "transaction %d is written by %s in epoch %d, after epoch %d", i+1, t.by.name, t.epoch, epoch)
		}
		by[t.epoch], epoch = t.by, t.epoch
	}
}

// once holds that each key that was acknowledged is in the record once, as it was
// acknowledged, and that no key is there twice.
func (c *cluster) once(keys map[string][]int64, token func(string) string) {
	c.Helper()
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if len(keys[key]) > 1 {
			c.broken("a key is used once", "%s stands in the transactions %v", key, keys[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c.sent)) {
		r := c.sent[key]
		found := keys[people.RenameKey(key, token)]
		if r.acknowledged && (len(found) != 1 || r.seq != 0 && found[0] != r.seq) {
			c.broken("what is acknowledged is in the record", "%s was acknowledged as transaction %d, and stands in %v", r, r.seq, found)
		}
	}
}

// messages returns what the streams of tables carry of a transaction, by table.
func messages(e *house.StoredTransaction) map[string]string {
	of := map[string]string{}
	for i := range e.Parts {
		p := &e.Parts[i]
		kind, name, _ := strings.Cut(p.Stream, ":")
		switch kind {
		case "deal":
			of[name] += ""
		case "table":
			var kinds []string
			for _, event := range p.Events {
				kinds = append(kinds, event.Kind)
			}
			of[name] += strings.Join(kinds, " ")
		}
	}
	return of
}

// compare checks a stream against the record.
func (c *cluster) compare(s *streamer, want []noticed) {
	c.Helper()
	for i, m := range s.got {
		if i >= len(want) || m != want[i] {
			var next noticed
			if i < len(want) {
				next = want[i]
			}
			c.broken("a stream misses nothing", "after %d resumptions message %d of table %s is %+v; by the record it is %+v", s.resumed, i+1, s.table, m, next)
		}
	}
	if len(s.got) < len(want) && s.at != nil {
		c.broken("a stream misses nothing", "table %s has %d messages, and the stream %d", s.table, len(want), len(s.got))
	}
}

// closes holds that the house gives players at automatic tables all of their time.
func (c *cluster) closes(e *house.StoredTransaction) {
	c.Helper()
	for _, p := range e.Parts {
		name, ok := strings.CutPrefix(p.Stream, "table:")
		if !ok {
			continue
		}
		for _, event := range p.Events {
			switch event.Kind {
			case "bets-opened":
				delete(c.betting, name)
			case "bet-placed":
				if _, begun := c.betting[name]; !begun {
					c.betting[name] = e.AtMs
				}
			case "bets-closed":
				for _, f := range c.floor {
					begun, bet := c.betting[name]
					if f.name == name && f.mode == house.Automatic && bet && e.AtMs-begun < f.pace.BettingMs {
						c.broken("players have their time", "transaction %d closes the bets of %s %d ms after the first one", e.Seq, name, e.AtMs-begun)
					}
				}
			}
		}
	}
}
