// The jackpot's part in a round: what goes into it, what it pays, and what it stands
// at afterwards.
import { key } from "./check-findings.js";
import { isWhole, need } from "./check-form.js";
import { Money } from "./check-money.js";

// What happens to a jackpot: what moves its money, and what is only noted.
const moves = {
  contributed: ["bets", "stake", "to_meter", "to_reserve"],
  "contributions-reversed": ["bets", "stake", "from_meter", "from_reserve", "from_house"],
  "hit-paid": ["amount", "from_meter", "from_house", "reset_by_house", "reset_from_reserve"],
  "hit-reversed": ["amount", "to_meter", "to_house", "reset_to_house", "to_reserve"],
};
const noted = ["round-closed", "round-dealt", "round-known", "round-determined", "hit-registered", "order-determined", "hit-confirmed", "hit-forfeited", "hit-reinstated", "hit-verified", "terms-changed", "system-went-down", "system-came-up"];

/** The meter, and the bets that were counted for it. */
export class Jackpot extends Money {
  constructor(r) {
    super(r);
    this.counted = new Map();
  }

  hit(box) {
    return this.moved.find((e) => e.kind === "hit-paid" && e.body.hit.table === this.r.table && String(e.body.hit.box) === box)?.body;
  }

  displayed(box, first) {
    return this.hit(box)?.amount ?? first;
  }

  // What happens to the jackpot, and what is posted for it.
  jackpot({ kind, body }) {
    const id = body.round ?? body.hit;
    if (id && (id.table !== this.r.table || id.round !== String(this.r.round)) && kind !== "round-closed" && kind !== "round-determined") {
      this.fail("jackpot", "elsewhere", { event: kind });
    }
    if (!Object.hasOwn(moves, kind)) {
      if (!noted.includes(kind)) {
        this.fail("jackpot", "unknown-event", { event: kind });
      }
      return;
    }
    for (const name of [...moves[kind], "balance"]) {
      need(name === "balance" ? isWhole(body.balance?.meter) : isWhole(body[name]), `${this.where}.body.${name}`);
    }
    if (!this.meter) {
      this.fail("jackpot", "no-meter-known", { event: kind });
    }
    const why = { jackpot: this.r.jackpot };
    const [win, meter, reserve] = [`win:${this.r.table}`, `meter:${this.r.jackpot}`, `reserve:${this.r.jackpot}`];
    let change = [0n, 0n];
    if (kind === "contributed") {
      change = [body.to_meter, body.to_reserve];
      this.contribution(body);
      this.post(win, meter, body.to_meter, { reason: "contribution", ...why });
      this.post(win, reserve, body.to_reserve, { reason: "overflow", ...why });
    } else if (kind === "contributions-reversed") {
      change = [-body.from_meter, -body.from_reserve];
      this.post(meter, win, body.from_meter, { reason: "contribution-returned", ...why });
      this.post(reserve, win, body.from_reserve, { reason: "contribution-returned", ...why });
    } else if (kind === "hit-reversed") {
      change = [body.to_meter - body.reset_to_house - body.to_reserve, body.to_reserve];
      if (body.amount !== body.to_meter + body.to_house) {
        this.fail("jackpot", "hit-sum", {}, { expected: ["money", body.to_meter + body.to_house], found: ["money", body.amount] });
      }
      const of = { box: Number(body.hit.box), wager: "progressive", ...why };
      if (body.payable) {
        this.post(`payable:${this.r.jackpot}`, `player:${body.payable}`, body.amount, { reason: "released", ...of });
      }
      this.post(win, meter, body.to_meter, { reason: "collected", ...of });
      this.post(win, "house", body.to_house, { reason: "collected", ...of });
      this.post(meter, "house", body.reset_to_house, { reason: "reseed", ...of });
      this.post(meter, reserve, body.to_reserve, { reason: "reseed", ...of });
    } else {
      change = [body.reset_by_house + body.reset_from_reserve - body.from_meter, -body.reset_from_reserve];
      if (body.amount !== body.from_meter + body.from_house) {
        this.fail("jackpot", "hit-sum", {}, { expected: ["money", body.from_meter + body.from_house], found: ["money", body.amount] });
      }
      this.post("house", meter, body.reset_by_house, { reason: "reseed", ...why });
      this.post(reserve, meter, body.reset_from_reserve, { reason: "reseed", ...why });
      if (body.held) {
        this.post(`player:${body.winner}`, `payable:${this.r.jackpot}`, body.amount, { reason: "held", box: Number(body.hit.box), wager: "progressive", ...why });
      }
    }
    if (this.meter) {
      const after = [this.meter.meter + change[0], this.meter.reserve + change[1]];
      if (body.balance.meter !== after[0] || body.balance.reserve !== after[1]) {
        this.fail("jackpot", "after-differs", {}, { expected: ["money", after[0]], found: ["money", body.balance.meter] });
      }
      this.meter = body.balance;
    }
    this.changed = true;
  }

  // The bets on the progressive that lie and have not been counted for it yet.
  uncounted() {
    const found = [];
    for (const [box, b] of this.boxes) {
      for (const [at, amount] of b.stakes) {
        const [player, wager] = JSON.parse(at);
        if (wager === "progressive" && !this.counted.has(key(box, player))) {
          found.push([key(box, player), amount]);
        }
      }
    }
    return found;
  }

  // A bet that goes back takes its part out of the jackpot again.
  uncount({ box, player, wager }) {
    const at = key(box, player);
    if (wager === "progressive" && this.counted.has(at)) {
      this.gone.push(this.counted.get(at));
      this.counted.delete(at);
    }
  }

  // Every bet is counted for the jackpot once when the bets are closed, and taken
  // out again if it goes back.
  contributions(before) {
    const of = (kind) => this.moved.filter((e) => e.kind === kind).map((e) => e.body);
    const total = (list, name) => list.reduce((sum, body) => sum + body[name], 0n);
    const added = this.phase === "playing" || before === "playing" ? this.uncounted() : [];
    for (const [at, amount] of added) {
      this.counted.set(at, amount);
    }
    for (const [kind, amounts] of [["contributed", added.map(([, amount]) => amount)], ["contributions-reversed", this.gone]]) {
      const sum = BigInt(amounts.length) * (this.terms?.bet ?? 0n); // whatever lies there, one bet counts
      if (total(of(kind), "stake") !== sum || total(of(kind), "bets") !== BigInt(amounts.length)) {
        this.fail("jackpot", "contribution-stake", {}, { expected: ["money", sum], found: ["money", total(of(kind), "stake")] });
      }
    }
  }

  // The part of the bets that goes to the meter, to the fraction of a cent.
  contribution(body) {
    const { terms } = this;
    if (!this.meter || this.denominator === undefined || this.denominator === 0n) {
      return;
    }
    const { num, den } = terms.rate;
    const parts = this.meter.remainder * den + body.stake * num * this.denominator;
    const due = parts / (this.denominator * den);
    const left = (parts % (this.denominator * den)) / den;
    if (body.to_meter + body.to_reserve !== due || body.balance.remainder !== left) {
      this.fail("jackpot", "contribution-differs", {}, { expected: ["money", due], found: ["money", body.to_meter + body.to_reserve] });
    }
  }
}
