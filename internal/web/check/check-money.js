// The money of a round: what has to be posted for what happens, and what was.
import { Cards } from "./check-cards.js";
import { same } from "./check-findings.js";

/** What is due to be posted, and what moved. */
export class Money extends Cards {
  constructor(r) {
    super(r);
    this.layout = 0n;
  }

  post(from, to, amount, why) {
    if (amount !== 0n) {
      this.due.push({ from, to, amount, for: { table: this.r.table, round: this.r.round, ...why } });
    }
  }

  // A stake that is now another, with what is posted for it.
  staked(body, more, why) {
    this.lay(body, more);
    this.player(body.player).laid += more;
    const [purse, layout] = [`player:${body.player}`, `layout:${this.r.table}`];
    const [from, to] = more < 0n ? [layout, purse] : [purse, layout];
    this.post(from, to, more < 0n ? -more : more, { box: body.box, wager: body.wager, ...why });
  }

  // What was posted against what follows from the events.
  postings(posted, where) {
    posted.forEach((p, k) => {
      const due = this.due[k];
      const loan = !due && this.collected && p.for.reason === "unpaid" && p.from === `owed:${p.to.replace(/^player:/, "")}`;
      if (loan) {
        if (!same(p.for, { reason: "unpaid", table: this.r.table, round: this.r.round }) || p.amount <= 0n) {
          this.fail("money", "posting-differs", { n: k + 1 }, { found: ["posting", p] });
        }
      } else if (!due) {
        this.where = `${where}[${k}]`;
        this.fail("money", "posting-more", { n: k + 1 }, { found: ["posting", p] });
      } else if (!same(p, due)) {
        this.where = `${where}[${k}]`;
        this.fail("money", "posting-differs", { n: k + 1 }, { expected: ["posting", due], found: ["posting", p] });
      }
      for (const [account, amount] of [[p.from, -p.amount], [p.to, p.amount]]) {
        const [, kind, name] = /^(player|owed|layout):(.*)$/s.exec(account) ?? [];
        if (kind === "layout") {
          this.layout += amount;
        } else if (kind && p.for.reason !== "held" && p.for.reason !== "released") {
          this.player(name).moved += amount;
        }
      }
    });
    this.where = where;
    for (const due of this.due.slice(posted.length)) {
      this.fail("money", "posting-missing", {}, { expected: ["posting", due] });
    }
  }
}
