// What lies on the layout in the course of a round: who has bet what in which box.
import { Findings, key } from "./check-findings.js";
import { isText, isWhole, need } from "./check-form.js";

/** The boxes, and what each player laid and got back. */
export class Layout extends Findings {
  constructor(r) {
    super(r);
    this.players = new Map();
    this.boxes = new Map();
    this.phase = "";
  }

  box(number) {
    const name = String(number);
    need(isWhole(number) && number >= 1n && number <= this.v.boxes, this.where);
    if (!this.boxes.has(name)) {
      this.boxes.set(name, { bettors: [], stakes: new Map(), was: new Map(), done: false, decision: "", invalid: false });
    }
    return this.boxes.get(name);
  }

  player(name) {
    need(isText(name), this.where);
    if (!this.players.has(name)) {
      this.players.set(name, { laid: 0n, back: 0n, moved: 0n });
    }
    return this.players.get(name);
  }

  // What a player has on a box, or had when it was settled.
  stakes(box, player) {
    const all = {};
    const b = this.boxes.get(String(box));
    for (const wager of Object.keys(this.v.book.wagers)) {
      const amount = (b?.done ? b.was : b?.stakes)?.get(key(player, wager)) ?? 0n;
      if (amount !== 0n) {
        all[wager] = amount;
      }
    }
    return all;
  }

  stake(box, player, wager) {
    return this.boxes.get(String(box))?.stakes.get(key(player, wager)) ?? 0n;
  }

  lying() {
    return [...this.boxes.values()].reduce((sum, box) => [...box.stakes.values()].reduce((a, b) => a + b, sum), 0n);
  }

  // Puts more on a wager, or takes some of it away.
  lay({ box, player, wager }, more) {
    need(isWhole(more) && wager in this.v.book.wagers, this.where);
    const b = this.box(box);
    const at = key(player, wager);
    const left = (b.stakes.get(at) ?? 0n) + more;
    if (left < 0n) {
      this.fail("money", "too-much", { box, player, wager });
    }
    if (left > 0n) {
      b.stakes.set(at, left);
    } else {
      b.stakes.delete(at);
    }
    if (!b.bettors.includes(player)) {
      b.bettors.push(player);
    }
    if (this.phase === "betting" && Object.keys(this.stakes(box, player)).length === 0) {
      b.bettors = b.bettors.filter((p) => p !== player);
    }
  }

  // Whether a box holds the bet about which its player decides.
  decides(box) {
    const on = this.v.book.decision?.on;
    return on !== undefined && box.bettors.some((player) => box.stakes.has(key(player, on)));
  }

  // The boxes that could still be played or folded.
  undecided() {
    return this.ordered().filter(([, box]) => !box.invalid && !box.done && box.decision === "" && this.decides(box));
  }

  ordered() {
    return [...this.boxes].sort(([a], [b]) => Number(a) - Number(b));
  }
}
