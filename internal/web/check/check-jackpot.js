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

// How a hit comes to be paid, and what can happen to it: from where it stands to where it does
// then.
const stands = {
  "hit-registered": [[undefined], "registered"],
  "hit-confirmed": [["registered"], "confirmed"],
  "hit-paid": [["confirmed"], "paid"],
  "hit-verified": [["paid"], "verified"],
  "hit-reversed": [["paid", "verified"], "reversed"],
  "hit-forfeited": [["registered", "confirmed"], "forfeited"],
  "hit-reinstated": [["forfeited", "reversed"], "registered"],
};

const least = (a, b) => (a < b ? a : b);
const most = (a, b) => (a > b ? a : b);
const above = (a, b) => most(a - b, 0n);

// The least common multiple.
const common = (a, b) => {
  let [x, y] = [a, b];
  while (y !== 0n) {
    [x, y] = [y, x % y];
  }
  return (a / x) * b;
};

/** The meter, and the bets that were counted for it. */
export class Jackpot extends Money {
  constructor(r) {
    super(r);
    this.counted = new Map(); // with the terms at which they were
    this.hits = new Map(); // by box: where it stands, and how it was paid
    this.claims = new Map(); // by box: the line of this step that takes the hit
  }

  // What the jackpot held, as a step records it.
  metered(given, where) {
    const { meter, reserve, remainder, denominator, terms, next_terms: waiting, down, registered } = given;
    for (const each of waiting === undefined ? [terms] : [terms, waiting]) {
      need([each?.bet, each?.reset, each?.ceiling, each?.rate?.num, each?.rate?.den].every(isWhole) && each.rate.den > 0n, `${where}.terms.rate`);
    }
    need([meter, reserve, remainder, denominator, given.hits_paid].every(isWhole) && denominator > 0n, where);
    // Other tables bet, and hit it. It falls otherwise where bets go back there or people adjust it,
    // which no record of a round shows.
    const floor = given.hits_paid === this.hitsPaid ? this.meter?.meter : terms.reset;
    if (this.meter && meter < floor) {
      this.add("jackpot", "open", "meter-fell", { before: this.meter.meter, amount: meter }, { where });
    }
    this.hitsPaid = given.hits_paid;
    // What was collected from a hit of this round may have been paid to another one since.
    for (const { id, status, paid, payment } of given.hits ?? []) {
      const hit = this.hits.get(String(id?.box));
      if (hit?.back && id.table === this.r.table && id.round === String(this.r.round) && status !== "paid" && payment?.from_house === paid) {
        hit.back = this.owed(hit.back);
      }
    }
    Object.assign(this, { meter: { meter, reserve, remainder }, denominator, terms, waiting });
    this.system = { down: down === true, registered: registered ?? 0n };
  }

  hit(box) {
    return this.moved.find((e) => e.kind === "hit-paid" && e.body.hit.table === this.r.table && String(e.body.hit.box) === box)?.body;
  }

  displayed(box, first) {
    return this.hit(box)?.amount ?? first;
  }

  // What the screen of the jackpot shows: while the system is down, what it registered before.
  screen(held = { ...this.meter, ...this.system }) {
    return held.down ? held.registered : held.meter;
  }

  // What happens to the jackpot, and what is posted for it.
  jackpot({ kind, body }) {
    const id = body.round ?? body.hit;
    if (id && (id.table !== this.r.table || id.round !== String(this.r.round)) && kind !== "round-closed" && kind !== "round-determined") {
      this.fail("jackpot", "elsewhere", { event: kind });
    }
    if (Object.hasOwn(stands, kind)) {
      const hit = this.hits.get(String(body.hit?.box)) ?? {};
      const [from, to] = stands[kind];
      if (!from.includes(hit.stands)) {
        this.fail("jackpot", "hit-order", { box: body.hit?.box, event: kind });
      }
      this.hits.set(String(body.hit?.box), { ...hit, was: hit.stands, stands: to });
    }
    if (kind === "terms-changed") {
      this.waiting = body.after;
    } else if (kind === "system-went-down" || kind === "system-came-up") {
      const down = kind === "system-went-down";
      const displayed = down ? body.registered : body.displayed;
      if (this.meter && displayed !== this.meter.meter) {
        this.fail("jackpot", "displayed-differs", {}, { expected: ["money", this.meter.meter], found: ["money", displayed] });
      }
      this.system = { down, registered: down ? body.registered : 0n };
    }
    if (!Object.hasOwn(moves, kind)) {
      if (!noted.includes(kind)) {
        this.fail("jackpot", "unknown-event", { event: kind });
      }
      return;
    }
    for (const name of [...moves[kind], "balance"]) {
      const amounts = name === "balance" ? [body.balance?.meter, body.balance?.reserve, body.balance?.remainder] : [body[name]];
      need(amounts.every((amount) => isWhole(amount) && amount >= 0n), `${this.where}.body.${name}`);
    }
    if (!this.meter) {
      this.fail("jackpot", "no-meter-known", { event: kind });
      return;
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
      this.taken += (body.from_meter + body.from_reserve + body.from_house) * this.denominator - body.balance.remainder + this.meter.remainder;
      this.post(meter, win, body.from_meter, { reason: "contribution-returned", ...why });
      this.post(reserve, win, body.from_reserve, { reason: "contribution-returned", ...why });
    } else if (kind === "hit-reversed") {
      change = [body.to_meter - body.reset_to_house - body.to_reserve, body.to_reserve];
      if (body.amount !== body.to_meter + body.to_house) {
        this.fail("jackpot", "hit-sum", {}, { expected: ["money", body.to_meter + body.to_house], found: ["money", body.amount] });
      }
      const of = { box: Number(body.hit.box), wager: "progressive", ...why };
      this.reversal(body);
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
      this.payment(body);
      this.post("house", meter, body.reset_by_house, { reason: "reseed", ...why });
      this.post(reserve, meter, body.reset_from_reserve, { reason: "reseed", ...why });
      if (body.held) {
        this.post(`player:${body.winner}`, `payable:${this.r.jackpot}`, body.amount, { reason: "held", box: Number(body.hit.box), wager: "progressive", ...why });
      }
    }
    const after = [this.meter.meter + change[0], this.meter.reserve + change[1]];
    if (body.balance.meter !== after[0] || body.balance.reserve !== after[1] || body.balance.remainder >= this.denominator) {
      this.fail("jackpot", "after-differs", {}, { expected: ["money", after[0]], found: ["money", body.balance.meter] });
    }
    this.meter = body.balance;
    this.changed = true;
  }

  // What was collected from a hit, where the meter does not hold it any more.
  owed({ amount }) {
    return { amount, from_house: amount, reset_by_house: 0n, reset_from_reserve: 0n };
  }

  // The payment of a hit again that was collected: what that put into the meter and took out of
  // it goes back, as far as it lies there. What bets have added since stays, and new terms wait on.
  again(body, back) {
    const { meter, terms } = this;
    const fromMeter = least(meter.meter, back.amount - back.from_house);
    const fromHouse = back.amount - fromMeter;
    const left = meter.meter - fromMeter;
    const house = least(above(back.reset_by_house, fromHouse - back.from_house), terms.ceiling - left);
    const reserve = least(least(back.reset_from_reserve, meter.reserve), terms.ceiling - left - house);
    const due = { from_meter: fromMeter, from_house: fromHouse, reset_by_house: house, reset_from_reserve: reserve, new_terms: undefined };
    this.equal("jackpot", "hit-differs", Object.fromEntries(Object.keys(due).map((name) => [name, body[name]])), due, { box: String(body.hit.box) });
    if (body.balance.remainder !== meter.remainder) {
      this.fail("jackpot", "hit-differs", { box: String(body.hit.box) });
    }
  }

  // A payment: all that the meter holds, to the line that takes it; and what the meter begins
  // with then by the terms, those that were waiting if there are any.
  payment(body) {
    const { meter, system } = this;
    const box = String(body.hit.box);
    const line = this.claims.get(box);
    const verifies = Boolean(this.terms.verify_from) && body.amount >= this.terms.verify_from;
    if (line?.pays !== body.amount || Boolean(body.winner) !== verifies || (body.winner && body.winner !== line.player) || (body.held && !verifies)) {
      this.fail("jackpot", "hit-differs", { box });
    }
    const hit = this.hits.get(box);
    const { back } = hit;
    hit.paid = body;
    delete hit.back;
    if (back?.amount === body.amount) {
      this.again(body, back);
      this.registers(body);
      return;
    }
    for (const other of this.hits.values()) {
      if (other.back) {
        other.back = this.owed(other.back);
      }
    }
    const displayed = this.screen();
    if (body.from_meter !== meter.meter || body.amount !== displayed) {
      this.fail("jackpot", "displayed-differs", {}, { expected: ["money", displayed], found: ["money", body.amount] });
    }
    this.equal("jackpot", "new-terms", body.new_terms, this.waiting);
    let { remainder } = meter;
    if (this.waiting && body.new_terms) {
      const denominator = common(this.denominator, this.waiting.rate.den);
      remainder *= denominator / this.denominator;
      [this.terms, this.waiting, this.denominator] = [this.waiting, undefined, denominator];
    }
    const { reset, ceiling, overflow } = this.terms;
    const reserve = least(meter.reserve, overflow === "first" ? reset : above(ceiling, reset));
    const house = overflow === "first" ? reset - reserve : reset;
    if (body.reset_by_house !== house || body.reset_from_reserve !== reserve || body.balance.remainder !== remainder) {
      this.fail("jackpot", "reset-differs", {}, { expected: ["money", house + reserve], found: ["money", body.reset_by_house + body.reset_from_reserve] });
    }
    this.registers(body);
  }

  // What is registered while the system is down follows what a payment moves.
  registers(body) {
    const { system, meter } = this;
    if (system.down) {
      const moved = body.kept_registered ? 0n : body.balance.meter - meter.meter - body.from_house;
      system.registered = most(system.registered + moved, body.balance.meter);
    }
  }

  // A payment that is collected again: what was paid goes to where it came from, and what the
  // meter was reset with goes back as far as it has no need of it.
  reversal(body) {
    const hit = this.hits.get(String(body.hit.box));
    const { paid } = hit;
    if (!paid) {
      return; // it was never paid, which is found above
    }
    const { reset, ceiling } = this.terms;
    const total = this.meter.meter + paid.from_meter;
    const house = least(paid.reset_by_house, above(total, reset));
    const reserve = most(least(paid.reset_from_reserve, above(total - house, reset)), above(total - house, ceiling));
    const due = {
      amount: paid.amount, to_meter: paid.from_meter, to_house: paid.from_house, reset_to_house: house, to_reserve: reserve,
      payable: paid.held && hit.was !== "verified" ? paid.winner : undefined,
    };
    this.equal("jackpot", "hit-reversed", Object.fromEntries(Object.keys(due).map((name) => [name, body[name]])), due, { box: body.hit.box });
    if (this.system.down) {
      const registered = this.system.registered + (paid.kept_registered ? 0n : body.balance.meter - this.meter.meter + paid.from_house);
      this.system.registered = most(registered, body.balance.meter);
    }
    delete hit.paid;
    hit.back = { amount: paid.amount, from_house: paid.from_house, reset_by_house: house, reset_from_reserve: reserve };
  }

  // The bets on the progressive that lie, or lay until they were settled, and have not been counted
  // for it yet: one that is found after the payment is settled at once.
  uncounted() {
    const found = [];
    for (const [box, b] of this.boxes) {
      for (const at of (b.done ? b.was : b.stakes).keys()) {
        const [player, wager] = JSON.parse(at);
        if (wager === "progressive" && !this.counted.has(key(box, player))) {
          found.push(key(box, player));
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
    const added = this.phase !== "betting" || before === "playing" ? this.uncounted() : [];
    for (const at of added) {
      this.counted.set(at, this.terms);
    }
    for (const [kind, all] of [["contributed", added.map(() => this.terms)], ["contributions-reversed", this.gone]]) {
      const sum = all.reduce((stakes, terms) => stakes + (terms?.bet ?? 0n), 0n); // whatever lies there, one bet counts
      if (total(of(kind), "stake") !== sum || total(of(kind), "bets") !== BigInt(all.length)) {
        this.fail("jackpot", "contribution-stake", {}, { expected: ["money", sum], found: ["money", total(of(kind), "stake")] });
      }
    }
    // What is taken out again is what went in, to the fraction of a cent.
    const back = this.gone.reduce((parts, terms) => parts + (terms ? (terms.bet * terms.rate.num * this.denominator) / terms.rate.den : 0n), 0n);
    if (this.taken !== back) {
      this.fail("jackpot", "contribution-differs");
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
    // While the system is down nothing is added to what it has registered.
    const top = this.system.down ? least(terms.ceiling, this.system.registered) : terms.ceiling;
    const fits = least(due, above(top, this.meter.meter));
    if (body.to_meter !== fits || body.to_meter + body.to_reserve !== due || body.balance.remainder !== left) {
      this.fail("jackpot", "contribution-differs", {}, { expected: ["money", due], found: ["money", body.to_meter + body.to_reserve] });
    }
  }
}
