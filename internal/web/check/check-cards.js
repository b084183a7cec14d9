// The cards of a round: the deck that follows from the seeds, where the order of the
// deal sends each card, and what was turned over.
import { byBytes, commitment, deckSeed, shuffle } from "./check-deck.js";
import { listOf, same } from "./check-findings.js";
import { isText, need, shaped } from "./check-form.js";
import { isHand } from "./check-hands.js";
import { Layout } from "./check-layout.js";

/** The seeds, the deck and where the cards lie. */
export class Cards extends Layout {
  constructor(r) {
    super(r);
    this.slots = [];
    this.added = new Map();
    this.revealed = 0;
  }

  // What the seeds make of the deck, before anything of the round is checked.
  seeds() {
    const { r } = this;
    this.where = "seed";
    const virtual = r.config.cards === "virtual";
    if (!virtual) {
      if (r.seed) {
        this.fail("commitment", "seed-by-hand");
      }
      return;
    }
    if (!r.seed) {
      this.fail("commitment", "no-seed");
      return;
    }
    const { commitment: published, seed, own: added = [] } = r.seed;
    this.equal("commitment", "commitment-differs", published, commitment(r.table, r.round, seed));
    this.covered();
    this.where = "seed.own";
    const ordered = [...added].sort((a, b) => byBytes(a.player, b.player));
    if (new Set(added.map((o) => o.player)).size !== added.length) {
      this.fail("commitment", "own-twice");
    }
    this.equal("commitment", "own-order", added.map((o) => o.player), ordered.map((o) => o.player));
    this.deck = shuffle(deckSeed(published, seed, added));
    this.dealt = [];
  }

  // The checkpoint that was signed held the commitment, and nobody relied upon it before.
  // A record cannot prove by itself whose signature it is.
  covered() {
    const { checkpoint, committed } = this.r.seed;
    if (checkpoint === undefined) {
      if (this.r.proof !== "") {
        this.add("commitment", "open", "checkpoint-none");
      }
      return;
    }
    this.where = "seed.checkpoint";
    const size = /^[^\n]+\n(0|[1-9][0-9]{0,17})\n[A-Za-z0-9+/]{43}=\n(?:[^\n]+\n)*\n\u2014 /.exec(checkpoint)?.[1];
    if (size === undefined) {
      this.fail("commitment", "checkpoint-form");
      return;
    }
    const leaves = BigInt(size);
    if (leaves <= committed.seq) {
      this.fail("commitment", "checkpoint-short");
    }
    this.r.steps.forEach((s, i) => {
      if (["add-seed", "bet", "found"].includes(s.kind) && s.seq !== undefined && s.seq < leaves) {
        this.where = `steps[${i}]`;
        this.fail("commitment", "checkpoint-late", { n: i + 1 });
      }
    });
  }

  addSeed(s) {
    const { r } = this;
    const { name, role } = s.by;
    const instead = listOf(s.seeds)[0]?.body?.instead;
    const follows = [{ kind: "seed-added", body: { round: r.round, player: name, text: s.body.text, ...(instead === undefined ? {} : { instead }) } }];
    this.equal("commitment", "added", listOf(s.seeds), follows, { player: name });
    need(isText(s.body.text), `${this.where}.body.text`);
    if (s.events || s.moved || s.postings || s.meter || Object.keys(s.body).length !== 1 || !["player", "guest"].includes(role)) {
      this.fail("commitment", "added-more", { player: name });
    }
    if (!r.seed) {
      this.fail("commitment", "seed-by-hand");
    }
    if (this.phase !== "" && this.phase !== "betting") {
      this.fail("commitment", "added-late", { player: name });
    }
    // All 64 places are taken: a player without a bet gives way to one with a bet.
    const full = this.added.size >= 64 && !this.added.has(name);
    if (instead === undefined ? full : !full || !this.added.delete(instead) || !this.hasBet(name) || this.hasBet(instead)) {
      this.fail("commitment", "added-instead", { player: name });
    }
    this.added.set(name, s.body.text);
  }

  hasBet(player) {
    return this.phase === "betting" && [...this.boxes.keys()].some((box) => Object.keys(this.stakes(box, player)).length > 0);
  }

  // The seed was revealed once, and the players' own are those that they added.
  sown() {
    const { r } = this;
    if (r.config.cards !== "virtual" || !r.seed) {
      return;
    }
    if (this.revealed !== 1) {
      this.fail("commitment", "not-revealed");
    }
    this.where = "seed.own";
    const expected = [...this.added].map(([player, text]) => ({ player, text })).sort((a, b) => byBytes(a.player, b.player));
    this.equal("commitment", "own-differs", listOf(r.seed.own), expected);
  }

  // A hand that a dealer named is the one that was shown; ?? stands for a card that is known.
  named(hand, showing) {
    const stated = hand?.map((card, i) => (card === "??" ? showing?.body.hand[i] : card));
    if (this.r.config.cards === "unseen" && showing && !same(stated, showing.body.hand)) {
      this.fail("cards", "shown-differs", { place: showing.body.place ?? "dealer" }, { expected: ["cards", hand ?? []], found: ["cards", showing.body.hand] });
    }
  }

  // The cards of a deal: from the deck, and to where the order of the deal sends
  // them.
  deal(body, dealt) {
    const { r } = this;
    body.cards.forEach((c, k) => shaped("drawn", c, `${this.where}.body.cards[${k}]`));
    dealt.forEach((c, k) => {
      shaped("dealt", c, `${this.where}.events[0].body.cards[${k}]`);
      need(/^(\?\?|[2-9TJQKA][cdhs])$/.test(c.card), `${this.where}.events[0].body.cards[${k}].card`);
    });
    this.equal("cards", "dealt-differs", dealt.map((c) => c.card), body.cards.map((c) => c.card));
    if (r.config.cards !== "virtual") {
      return;
    }
    for (const [k, { card }] of body.cards.entries()) {
      if (this.deck) {
        const next = this.deck.find((c) => !this.dealt.includes(c));
        if (card !== next) {
          this.fail("cards", "not-next", { n: this.dealt.length + 1 }, { expected: ["cards", [next]], found: ["cards", [card]] });
        }
        this.dealt.push(next);
      }
      const place = this.next();
      const lies = dealt[k];
      if (lies && (lies.place !== place || lies.meant !== place)) {
        this.fail("cards", "place", {}, { expected: ["place", place], found: ["place", lies.place] });
      }
    }
  }

  // Where the order of the deal sends the next card.
  next() {
    while (this.schedule?.length > 0) {
      const place = this.schedule.shift();
      if (!this.boxes.get(place)?.invalid) {
        return place;
      }
    }
    return "out";
  }

  // Whether the deal still sends a card to somebody.
  toCome() {
    return this.schedule?.some((place) => !this.boxes.get(place)?.invalid) ?? true;
  }

  at(place) {
    return this.slots.filter((slot) => slot.place === place);
  }

  // Cards that are turned over are those that lie there; where they were not
  // known they are now.
  turn(place, hand) {
    const lie = this.at(place);
    const known = lie.map((slot, i) => (slot.card === "??" ? hand[i] : slot.card));
    if (hand.length !== 3 || !isHand(hand) || !same(known, hand)) {
      this.fail("cards", "shown-differs", { place }, { expected: ["cards", known], found: ["cards", hand] });
    }
    const before = this.slots.filter((slot) => slot.place !== place).map((slot) => slot.card);
    if (hand.some((card) => before.includes(card))) {
      this.fail("cards", "twice", { place }, { found: ["cards", hand] });
    }
    lie.forEach((slot, i) => {
      slot.card = hand[i] ?? slot.card;
    });
  }

  order() {
    const places = [...this.boxes].filter(([, b]) => b.stakes.size > 0).map(([name]) => Number(name)).sort((a, b) => a - b).map(String);
    places.push("dealer");
    const shoe = this.v.book.singles.includes(this.r.config.device);
    const cards = shoe ? [...places, ...places, ...places] : places.flatMap((p) => [p, p, p]);
    return this.burns ? ["burn", ...cards] : cards;
  }
}
