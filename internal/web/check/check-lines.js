// The lines by which stakes leave the layout: those of the settlement, worked out
// anew, and those of bets that go back.
import { key, listOf, same } from "./check-findings.js";
import { isWhole, need, shaped } from "./check-form.js";
import { isHand } from "./check-hands.js";
import { Jackpot } from "./check-jackpot.js";
import { envy, mostReturned, settle, Unsettled } from "./check-settle.js";

/** Checks the lines of the settlement, and those of bets that go back. */
export class Lines extends Jackpot {
  constructor(r) {
    super(r);
    this.settled = [];
    this.line = 0n;
    this.worked = 0;
  }

  // Reads a line of the record, which takes the next number.
  lined(line, where) {
    shaped("line", line, where);
    for (const name of ["box", "stake", "pays", "returned"]) {
      need(isWhole(line[name]), `${where}.${name}`);
    }
    for (const name of ["excess", "reverses"]) {
      need(line[name] === undefined || (isWhole(line[name]) && line[name] !== 0n), `${where}.${name}`);
    }
    this.line++;
    this.player(line.player);
    return { box: line.box, wager: line.wager, line: this.line, clause: line.clause };
  }

  // Stakes that go back: each whole, and after a settlement with what had been
  // paid for it collected again.
  back({ lines }) {
    const layout = `layout:${this.r.table}`;
    const win = `win:${this.r.table}`;
    for (const [k, line] of listOf(lines).entries()) {
      const where = `${this.where}.body.lines[${k}]`;
      const why = this.lined(line, where);
      this.uncount(line);
      const purse = `player:${line.player}`;
      const reverses = line.reverses ?? 0n;
      const given = { box: line.box, player: line.player, wager: line.wager, stake: line.stake, result: "returned", pays: 0n, returned: line.stake, clause: line.clause };
      if (!same({ ...line, reverses: undefined }, given)) {
        this.failAt(where, "settlement", "back-differs", { box: line.box, player: line.player }, given, line);
      }
      this.player(line.player).back += line.returned - reverses;
      const box = this.box(line.box);
      if (box.done) {
        // The house had taken it in, and gives it back.
        this.reversed(line, reverses, where);
        const at = key(line.player, line.wager);
        const left = (box.was.get(at) ?? 0n) - line.stake;
        if (left < 0n) {
          this.failAt(where, "settlement", "back-differs", { box: line.box, player: line.player }, { ...given, stake: box.was.get(at) ?? 0n, returned: box.was.get(at) ?? 0n }, line);
        }
        if (left > 0n) {
          box.was.set(at, left);
        } else {
          box.was.delete(at);
        }
        this.settled.push({ ...line, returned: 0n });
        this.post(win, purse, line.returned, { reason: "stake-returned", ...why });
        this.post(purse, win, reverses, { reason: "collected", ...why });
        if (reverses > 0n) {
          this.collected = true;
        }
        continue;
      }
      if (reverses !== 0n) {
        this.failAt(where, "settlement", "reverses", { box: line.box, player: line.player });
      }
      this.lay(line, -line.stake);
      this.post(layout, purse, line.returned, { reason: "stake-returned", ...why });
    }
  }

  // No more is collected again than was paid and has not been collected yet.
  reversed(line, reverses, where) {
    const paid = this.settled.filter((l) => l.box === line.box && l.player === line.player && l.wager === line.wager);
    if (reverses > paid.reduce((sum, l) => sum + l.returned - (l.reverses ?? 0n), 0n)) {
      this.failAt(where, "settlement", "reverses", { box: line.box, player: line.player });
    }
  }

  // A settlement that is taken back: all that the box was paid is collected again, and
  // exactly what was settled lies there once more. Of a settled round all the Envy
  // Bonuses go back too.
  undone({ box: number, clause, lines, stakes }) {
    const [layout, win] = [`layout:${this.r.table}`, `win:${this.r.table}`];
    const box = this.box(number);
    if (!box.done || box.invalid) {
      this.fail("settlement", "not-undone", { box: number });
    }
    for (const [k, line] of listOf(lines).entries()) {
      const where = `${this.where}.body.lines[${k}]`;
      const why = this.lined(line, where);
      const reverses = line.reverses ?? 0n;
      const due = { box: line.box, player: line.player, wager: line.wager, stake: 0n, result: "returned", pays: 0n, returned: 0n, clause };
      if (!same({ ...line, reverses: undefined }, due) || reverses <= 0n || (line.box !== number && line.wager !== "envy")) {
        this.failAt(where, "settlement", "back-differs", { box: line.box, player: line.player }, due, line);
      }
      this.reversed(line, reverses, where);
      this.settled.push(line);
      this.player(line.player).back -= reverses;
      this.collected = true;
      this.post(`player:${line.player}`, win, reverses, { reason: "collected", ...why });
    }
    const left = (l) => l.returned - (l.reverses ?? 0n);
    const stays = this.settled.filter((l) => l.box === number || (this.settledOnce && l.wager === "envy")).reduce((sum, l) => sum + left(l), 0n);
    if (stays !== 0n) {
      this.fail("settlement", "not-undone", { box: number }, { expected: ["money", 0n], found: ["money", stays] });
    }
    const was = new Map(box.was);
    [box.done, this.settledOnce] = [false, false];
    box.was.clear();
    for (const { player, wager, amount } of listOf(stakes)) {
      if (was.get(key(player, wager)) !== amount) {
        this.fail("settlement", "not-undone", { box: number }, { expected: ["money", was.get(key(player, wager)) ?? 0n], found: ["money", amount] });
      }
      was.delete(key(player, wager));
      this.lay({ box: number, player, wager }, amount);
      this.post(win, layout, amount, { reason: "relaid", box: number, wager, clause });
    }
    if (was.size > 0) {
      this.fail("settlement", "not-undone", { box: number });
    }
    this.settled = this.settled.filter((l) => l.box !== number);
  }

  // A difference that is awarded or collected after the settlement: no more than the
  // wager could have brought, and no more than it did.
  corrected({ lines }) {
    const win = `win:${this.r.table}`;
    for (const [k, line] of listOf(lines).entries()) {
      const where = `${this.where}.body.lines[${k}]`;
      const why = this.lined(line, where);
      const purse = `player:${line.player}`;
      const reverses = line.reverses ?? 0n;
      const award = reverses === 0n;
      const due = { box: line.box, player: line.player, wager: line.wager, stake: 0n, result: award ? "win" : "returned", pays: line.pays, returned: line.pays, clause: line.clause };
      if (!this.box(line.box).done || !same({ ...line, reverses: undefined }, due) || (award ? line.pays <= 0n : line.pays !== 0n || reverses < 0n)) {
        this.failAt(where, "settlement", "back-differs", { box: line.box, player: line.player }, due, line);
      }
      const mine = this.settled.filter((l) => l.box === line.box && l.player === line.player);
      const brought = mine.filter((l) => l.wager === line.wager).reduce((sum, l) => sum + l.returned - (l.reverses ?? 0n), 0n);
      if (reverses > brought) {
        this.failAt(where, "settlement", "reverses", { box: line.box, player: line.player });
      }
      const stakes = {};
      for (const l of mine) {
        stakes[l.wager] = (stakes[l.wager] ?? 0n) + (l.result === "returned" && l.returned === 0n ? 0n : l.stake);
      }
      const most = mostReturned(this.v, line.wager, stakes);
      if (award && most !== undefined && brought + line.pays > most) {
        this.failAt(where, "settlement", "not-due", { box: line.box, player: line.player }, undefined, line);
      }
      this.player(line.player).back += line.returned - reverses;
      this.settled.push({ ...line, returned: line.pays });
      this.post(win, purse, line.pays, { reason: "awarded", ...why });
      this.post(purse, win, reverses, { reason: "collected", ...why });
    }
  }

  voided(body) {
    if (!this.settledOnce && this.v.book.void) {
      for (const [k, line] of listOf(body.lines).entries()) {
        if (line.clause !== this.v.book.void) {
          this.failAt(`${this.where}.body.lines[${k}]`, "settlement", "back-differs", { box: line.box, player: line.player }, { ...line, clause: this.v.book.void }, line);
        }
      }
    }
    this.back(body);
    if ([...this.boxes.values()].some((box) => !box.invalid && box.was.size > 0)) {
      this.fail("settlement", "void-keeps");
    }
    if (this.lying() !== 0n) {
      this.fail("settlement", "void-keeps", {}, { expected: ["money", 0n], found: ["money", this.lying()] });
    }
  }

  // The boxes that are folded with all of their bets, which still lie there, in the order
  // in which the dealer turns to them.
  forfeited() {
    const boxes = this.ordered().filter(([, box]) => box.decision === "folded" && !box.invalid && box.stakes.size > 0 && !this.keeps(box));
    return this.v.book.fromRight ? boxes.reverse() : boxes;
  }

  // Whether a folded box holds a wager that the fold does not end: it waits for the settlement.
  keeps(box) {
    const { book, rulings } = this.v;
    return Object.entries(book.wagers).some(([wager, rule]) => rulings[rule.foldRuling] === "kept" && box.bettors.some((player) => box.stakes.has(key(player, wager))));
  }

  // Forfeited bets that are taken in before the dealer's hand is turned: all of
  // them, each lost whole.
  forfeits({ clause, lines }) {
    const { v } = this;
    if (clause !== v.book.collected) {
      this.fail("settlement", "not-due");
    }
    const all = listOf(lines);
    const due = [];
    for (const [name, box] of this.forfeited()) {
      for (const player of box.bettors) {
        const stakes = this.stakes(name, player);
        for (const line of settle(v, { player: this.at(name).map((slot) => slot.card), dealer: [], stakes, folded: true, meter: 0n, others: [] })) {
          due.push({ box: BigInt(name), player, ...line, combo: line.combo || undefined, excess: line.excess || undefined });
        }
      }
    }
    all.forEach((line, k) => {
      const where = `${this.where}.body.lines[${k}]`;
      const why = this.lined(line, where);
      this.worked++;
      if (!due[k]) {
        this.failAt(where, "settlement", "not-due", { box: line.box, player: line.player }, undefined, line);
      } else if (!same(due[k], line)) {
        this.failAt(where, "settlement", "line-differs", { box: line.box, player: line.player }, due[k], line);
      } else {
        this.add("settlement", "proven", "line", { box: line.box, player: line.player, line }, { clause: line.clause });
      }
      this.pay(line, why);
      this.settled.push(line);
    });
    for (const line of all) {
      this.box(line.box).done = true;
    }
    for (const line of due.slice(all.length)) {
      this.fail("settlement", "not-settled", { box: line.box, player: line.player });
    }
  }

  // The others' hands, which may bring an Envy Bonus.
  others(number, player) {
    const found = [];
    for (const [name, box] of this.ordered()) {
      const cards = this.at(name).map((slot) => slot.card);
      if (name === number || box.invalid || (box.done ? box.was : box.stakes).size === 0 || !isHand(cards)) {
        continue;
      }
      const [first] = box.bettors;
      found.push({ box: name, cards, own: first === player, folded: box.decision === "folded", stakes: this.stakes(name, first) });
    }
    return found;
  }

  // Where each hand pays a player once, leaves out those that have paid this player
  // on another box.
  once(others, counted, player, stakes, folded) {
    const { rulings, book } = this.v;
    const rule = book.envy;
    const wager = Object.keys(book.wagers).find((name) => book.wagers[name].envy);
    if (rulings[rule?.twoBets] !== "player" || !stakes[wager] || (folded && rulings[rule.whenFolded] === "lost")) {
      return others;
    }
    const before = counted.get(player) ?? [];
    const left = others.filter((other) => !before.includes(other.box));
    counted.set(player, [...before, ...left.map((other) => other.box)]);
    return left;
  }

  // The boxes that are still to be settled, in the order in which the dealer turns to
  // them.
  unsettled() {
    const boxes = this.ordered().filter(([, box]) => !box.invalid && !box.done && box.stakes.size > 0);
    return this.v.book.fromRight ? boxes.reverse() : boxes;
  }

  // A settlement of one box, or of all that are left, with the Envy Bonuses of all.
  settlement({ lines, meter = 0n }, only) {
    const { v } = this;
    const recorded = new Map();
    const all = listOf(lines);
    const numbers = [];
    for (const [k, line] of all.entries()) {
      numbers.push(this.lined(line, `${this.where}.body.lines[${k}]`));
      const at = key(line.box, line.player);
      recorded.set(at, [...(recorded.get(at) ?? []), k]);
    }
    const again = [...this.hits.values()].some((hit) => hit.back?.amount === meter); // it was collected, and is paid again
    if (meter !== 0n && this.meter && !this.down && !again && meter !== this.meter.meter) {
      this.fail("jackpot", "displayed-differs", {}, { expected: ["money", this.meter.meter], found: ["money", meter] });
    }
    const dealer = this.at("dealer").map((slot) => slot.card);
    if (!this.dealer && this.lying() !== 0n) {
      this.fail("hands", "not-shown");
    }
    const place = this.where;
    const counted = new Map();
    for (const [name, box] of this.ordered()) {
      if (box.invalid || (only !== undefined && name !== String(only))) {
        continue;
      }
      const cards = this.at(name).map((slot) => slot.card);
      const folded = box.decision === "folded";
      const unrevealed = !folded && box.keptDown === true;
      for (const player of box.bettors) {
        const stakes = this.stakes(name, player);
        if (Object.keys(stakes).length === 0) {
          continue;
        }
        const at = key(name, player);
        const mine = (recorded.get(at) ?? []).filter((k) => !this.tooLow(all[k], stakes));
        recorded.delete(at);
        const others = () => (only === undefined ? this.once(this.others(name, player), counted, player, stakes, folded) : []);
        if (box.done) { // whatever lies there: it may stand with another number of cards
          this.compare(place, all, mine, envy(v, { stakes, folded, unrevealed, others: others() }), name, player);
          continue;
        }
        if (!isHand(dealer) || (!folded && !unrevealed && !isHand(cards))) {
          this.fail("settlement", "no-hand", { box: name });
          continue;
        }
        let due;
        try {
          due = settle(v, { player: cards, dealer, stakes, folded, unrevealed, meter: this.displayed(name, meter), others: others() });
        } catch (why) {
          if (!(why instanceof Unsettled)) {
            throw why;
          }
          this.fail("settlement", why.message, { box: name });
          continue;
        }
        this.compare(place, all, mine, due, name, player);
      }
    }
    for (const rest of recorded.values()) {
      for (const k of rest) {
        this.failAt(`${place}.body.lines[${k}]`, "settlement", "not-due", { box: all[k].box, player: all[k].player }, undefined, all[k]);
      }
    }
    all.forEach((line, k) => this.pay(line, numbers[k]));
    this.settled.push(...all);
    for (const [name, box] of this.boxes) {
      box.done ||= only === undefined || name === String(only);
    }
    this.settledOnce = only === undefined;
  }

  compare(place, all, mine, due, box, player) {
    mine.forEach((k, n) => {
      const where = `${place}.body.lines[${k}]`;
      this.worked++;
      if (!due[n]) {
        this.failAt(where, "settlement", "not-due", { box, player }, undefined, all[k]);
        return;
      }
      const line = { box: BigInt(box), player, ...due[n], combo: due[n].combo || undefined, excess: due[n].excess || undefined };
      if (same(line, all[k])) {
        this.add("settlement", "proven", "line", { box, player, line }, { clause: line.clause });
      } else {
        this.failAt(where, "settlement", "line-differs", { box, player }, line, all[k]);
      }
    });
    for (const line of due.slice(mine.length)) {
      this.failAt(place, "settlement", "not-settled", { box, player }, { box: BigInt(box), player, ...line });
    }
  }

  // A stake below the minimum goes back when its player had been warned before;
  // whether that was so, is not known here.
  tooLow(line, stakes) {
    const { book, limits } = this.v;
    const stake = stakes[line.wager];
    if (!book.underOnce || line.clause !== book.underOnce || line.result !== "returned" || !stake || stake >= limits[line.wager].min) {
      return false;
    }
    if (line.stake !== stake || line.returned !== stake || line.pays !== 0n) {
      return false;
    }
    this.worked++;
    delete stakes[line.wager];
    this.add("settlement", "open", "too-low", { box: line.box, player: line.player, wager: line.wager }, { clause: line.clause });
    return true;
  }

  // What a line of a settlement moves.
  pay(line, why) {
    const [purse, layout, win] = [`player:${line.player}`, `layout:${this.r.table}`, `win:${this.r.table}`];
    const back = line.returned - line.pays;
    this.player(line.player).back += line.returned;
    if (line.stake !== 0n) {
      this.lay(line, -line.stake);
      this.box(line.box).was.set(key(line.player, line.wager), line.stake);
    }
    this.post(layout, purse, back, { reason: "stake-returned", ...why });
    this.post(layout, win, line.stake - back, { reason: "stake-won", ...why });
    const row = line.result === "win" && this.v.pays[line.wager]?.rows.find((r) => r.combo === line.combo);
    if (!row || row.pay.percent === undefined || line.pays === 0n) {
      this.post(win, purse, line.pays, { reason: "winnings", ...why });
      return;
    }
    const hit = this.hit(String(line.box));
    this.claims.set(String(line.box), line);
    if (!hit || hit.amount !== line.pays) {
      this.fail("jackpot", "hit-differs", { box: line.box });
      return;
    }
    const meter = `meter:${this.r.jackpot}`;
    this.post(meter, purse, hit.from_meter, { reason: "jackpot-paid", jackpot: this.r.jackpot, ...why });
    this.post("house", purse, hit.from_house, { reason: "made-good", jackpot: this.r.jackpot, ...why });
  }
}
