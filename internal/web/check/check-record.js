// Checks the record of a round from itself alone. It shares nothing with the
// program that wrote the record: the shuffle, the hands, the settlement and the
// money are worked out here anew. What it does not do is play the table's engine:
// whether a command was permitted, and what an irregularity leads to, it reports
// as not checked.
//
// A check is one object in layers, each of which uses those below it: findings,
// layout, cards, money, jackpot, lines, course, and here the record as a whole.
import { Course } from "./check-course.js";
import { checks, listOf } from "./check-findings.js";
import { form, isText, Malformed } from "./check-form.js";
import { isHand, rank } from "./check-hands.js";
import { hashOf, readRules, Unread } from "./check-rules.js";
import { qualifies } from "./check-settle.js";

class Check extends Course {
  /** Checks everything, and stops after each part of about the same size. */
  *parts() {
    const { r } = this;
    try {
      form(r);
    } catch (why) {
      if (!(why instanceof Malformed)) {
        throw why;
      }
      this.where = why.where.replace(/^\./, "");
      this.fail("record", "malformed");
      return;
    }
    this.proven("record", "form", { software: r.software });
    yield;
    if (!(yield* this.rules())) {
      this.add("course", "open", "no-rules");
      return;
    }
    yield;
    this.seeds();
    yield;
    yield* this.play();
    yield;
    this.end();
  }

  *rules() {
    const { r } = this;
    this.where = "rules_hash";
    if (!this.equal("rules", "hash-differs", r.rules_hash, hashOf(r.terms))) {
      return false;
    }
    yield;
    try {
      this.v = readRules(r);
    } catch (why) {
      if (!(why instanceof Unread)) {
        throw why;
      }
      this.where = "terms";
      this.fail("rules", "unreadable", { text: why.message });
      return false;
    }
    const { v } = this;
    this.where = "book";
    this.equal("rules", "book-differs", r.book, v.ref);
    this.where = "jackpot";
    if ((v.jackpot !== null) !== (r.jackpot !== undefined)) {
      this.fail("rules", "jackpot-differs");
    }
    this.where = "config.device";
    if (!(r.config.device in v.book.devices)) {
      this.fail("rules", "device");
    }
    const burn = v.book.devices[r.config.device];
    this.burns = isText(burn) ? v.rulings[burn] === "yes" : burn === true;
    this.proven("rules", "rules", { book: r.book, revision: v.revision, declaration: v.bookHash, variant: r.variant, hash: r.rules_hash });
    if (!v.known) {
      this.add("rules", "open", "book-otherwise", { book: r.book });
    }
    return true;
  }

  end() {
    const { r, v } = this;
    this.where = "ended";
    if (this.ended !== r.ended) {
      this.fail("course", "ended-differs", {}, { expected: ["ended", this.ended], found: ["ended", r.ended] });
    }
    this.proven("course", "course", { n: r.steps.length, ended: r.ended, round: r.round, table: r.table });
    for (const [what, clause, incident, outcome] of this.incidents) {
      this.add("course", "open", what, { incident, outcome }, { clause });
    }
    if (r.config.cards !== "virtual") {
      this.add("commitment", "open", "by-hand");
      this.add("cards", "open", "cards-by-hand");
    } else if (r.seed) {
      this.proven("commitment", "commitment", { hash: r.seed.commitment });
      if (listOf(r.seed.own).length > 0) {
        this.proven("commitment", "own", { players: listOf(r.seed.own).map((o) => o.player) });
      }
      this.where = "steps";
      if (this.dealt) { // whatever was turned up or put right: a committed deck deals no other card
        this.equal("cards", "dealt-differs", this.slots.map((slot) => slot.card), this.dealt);
      }
      this.proven("cards", this.dealt.length > 0 ? "deck" : "no-cards", { n: this.dealt.length });
    }
    for (const name of [...this.ordered().map(([box]) => box), "dealer"]) {
      const cards = this.at(name).map((slot) => slot.card);
      if (isHand(cards)) {
        const hand = rank(v.book.order, cards);
        this.add("hands", "proven", name === "dealer" ? "hand-dealer" : "hand-box", { box: name, hand });
      }
    }
    if (this.dealer && v.book.qualify && !this.failed("hands") && isHand(this.dealer)) {
      this.add("hands", "proven", qualifies(v, this.dealer) ? "qualifies" : "qualifies-not", {}, { clause: v.book.qualify.clause });
    }
    if (this.worked === 0) {
      this.proven("settlement", r.ended === "settled" ? "none-settled" : "not-settled-round");
    }
    this.where = "steps";
    const lies = this.lying();
    if (lies !== 0n || this.layout !== 0n) {
      this.fail("money", "layout", {}, { expected: ["money", 0n], found: ["money", lies === 0n ? this.layout : lies] });
    }
    for (const [player, p] of this.players) {
      const net = p.back - p.laid;
      if (net !== p.moved) {
        this.fail("money", "net-differs", { player }, { expected: ["change", net], found: ["change", p.moved] });
      } else if (!this.failed("money")) {
        this.add("money", "proven", "net", { player, laid: p.laid, back: p.back, net });
      }
    }
    this.proven("money", "layout-empty");
    if (r.jackpot) {
      this.proven("jackpot", this.changed ? "jackpot" : "jackpot-still", { jackpot: r.jackpot });
    }
    this.add("course", "open", "engine");
  }
}

/**
 * Checks a record part by part: whoever goes on after a pause lets the browser answer its reader in it.
 * @param {any} r a document as read by check-exact.js
 * @returns {Generator<undefined, {proven: boolean, findings: object[], hands: {place: string, cards: string[], folded: boolean}[]}>}
 */
export function* checking(r) {
  const c = new Check(r);
  yield* c.parts();
  c.findings.sort((a, b) => checks.indexOf(a.check) - checks.indexOf(b.check));
  const hands = ["dealer", ...c.ordered().map(([name]) => name)].map((place) => ({
    place,
    cards: c.at(place).map((slot) => slot.card),
    folded: c.boxes.get(place)?.decision === "folded",
    hand: null,
  }));
  for (const h of hands) {
    if (isHand(h.cards)) {
      h.hand = rank(c.v.book.order, h.cards);
    }
  }
  return { proven: !c.findings.some((f) => f.result === "failed"), findings: c.findings, hands: hands.filter((h) => h.cards.length > 0), book: c.v?.book.id ?? "" };
}

/** Checks a record in one go, and returns what checking comes to. */
export function check(r) {
  const parts = checking(r);
  for (;;) {
    const { done, value } = parts.next();
    if (done) {
      return value;
    }
  }
}
