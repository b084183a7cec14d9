// Checks the record of a round from itself alone. It shares nothing with the
// program that wrote the record: the shuffle, the hands, the settlement and the
// money are worked out here anew. What it does not do is play the table's engine:
// whether a command was permitted, and what an irregularity leads to, it reports
// as not checked.
import { canonical } from "./check-exact.js";
import { byBytes, commitment, deckSeed, shuffle } from "./check-deck.js";
import { form, isText, isWhole, Malformed, need, shaped } from "./check-form.js";
import { isHand, rank } from "./check-hands.js";
import { hashOf, readRules, Unread } from "./check-rules.js";
import { qualifies, settle, Unsettled } from "./check-settle.js";

/** The checks, in the order of the report. */
export const checks = ["record", "rules", "course", "commitment", "cards", "hands", "settlement", "money", "jackpot"];

/**
 * A finding: its check, whether it is "proven", "failed" or "open", the key of
 * its sentence and what stands in it; where it failed also the place in the
 * record and what was expected and found, each a pair of kind and value.
 */

// The events that only certain commands bring.
const sources = {
  "bets-opened": ["open-bets"],
  "bet-placed": ["bet"],
  "stake-found": ["found"],
  "cards-dealt": ["deal"],
  "hand-examined": ["examine"],
  "hand-raised": ["raise"],
  "hand-folded": ["fold", "expire", "report", "answer"],
};

// What else can happen at a table; nothing that is worked out here depends on it.
const quiet = [
  "announced", "table-opened", "minimum-advised", "cards-drawn", "deal-finished", "question-asked", "question-answered", "offers-made",
  "offer-answered", "player-warned", "player-restricted", "areas-restricted", "progressive-suspended", "progressive-restored",
];

// What happens to a jackpot: what moves its money, and what is only noted.
const moves = {
  contributed: ["bets", "stake", "to_meter", "to_reserve"],
  "contributions-reversed": ["bets", "stake", "from_meter", "from_reserve", "from_house"],
  "hit-paid": ["amount", "from_meter", "from_house", "reset_by_house", "reset_from_reserve"],
};
const noted = ["round-closed", "hit-registered", "order-determined", "hit-confirmed", "hit-forfeited", "terms-changed", "system-went-down", "system-came-up"];

const same = (a, b) => canonical(a) === canonical(b);
const listOf = (v) => v ?? [];
const key = (...parts) => JSON.stringify(parts.map(String));

class Check {
  constructor(r) {
    this.r = r;
    this.findings = [];
    this.where = "";
    this.players = new Map();
    this.slots = [];
    this.boxes = new Map();
    this.settled = [];
    this.phase = "";
    this.ended = "";
    this.layout = 0n;
    this.line = 0n;
    this.worked = 0;
    this.incidents = [];
    this.counted = new Map();
  }

  add(check, result, sentence, args = {}, more = {}) {
    this.findings.push({ check, result, sentence, args, ...more });
  }
  fail(check, sentence, args = {}, more = {}) {
    this.add(check, "failed", sentence, args, { where: this.where, ...more });
  }
  failed(check) {
    return this.findings.some((f) => f.check === check && f.result === "failed");
  }
  proven(check, sentence, args = {}, more = {}) {
    if (!this.failed(check)) {
      this.add(check, "proven", sentence, args, more);
    }
  }

  // Two values that should be equal, and a failure if they are not.
  equal(check, sentence, found, expected, args = {}) {
    const is = same(found, expected);
    if (!is) {
      this.fail(check, sentence, args, { expected: ["value", expected], found: ["value", found] });
    }
    return is;
  }

  whole() {
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
    if (!this.rules()) {
      this.add("course", "open", "no-rules");
      return;
    }
    this.seeds();
    this.play();
    this.end();
  }

  rules() {
    const { r } = this;
    try {
      this.v = readRules(r.rules);
    } catch (why) {
      if (!(why instanceof Unread)) {
        throw why;
      }
      this.where = "rules";
      this.fail("rules", "unreadable", { text: why.message });
      return false;
    }
    const { v } = this;
    this.where = "book";
    this.equal("rules", "book-differs", r.book, v.ref);
    this.where = "variant";
    if (r.variant !== v.id && r.variant !== v.ref) {
      this.fail("rules", "variant-differs", {}, { expected: ["value", v.id], found: ["value", r.variant] });
    }
    this.where = "variant_hash";
    this.equal("rules", "hash-differs", r.variant_hash, hashOf(v));
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
    this.proven("rules", "rules", { book: r.book, variant: r.variant, hash: r.variant_hash });
    return true;
  }

  // What the seeds make of the deck, before anything of the round is looked at.
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
    const { commitment: published, seed, own = [] } = r.seed;
    this.equal("commitment", "commitment-differs", published, commitment(r.table, r.round, seed));
    this.where = "seed.own";
    const ordered = [...own].sort((a, b) => byBytes(a.player, b.player));
    if (new Set(own.map((o) => o.player)).size !== own.length) {
      this.fail("commitment", "own-twice");
    }
    this.equal("commitment", "own-order", own.map((o) => o.player), ordered.map((o) => o.player));
    this.deck = shuffle(deckSeed(published, seed, own));
    this.dealt = [];
  }

  play() {
    const { r } = this;
    let last = r.seed ? r.seed.committed.seq : 0n;
    this.added = new Map();
    this.revealed = 0;
    r.steps.forEach((s, i) => {
      this.where = `steps[${i}]`;
      if (s.seq <= last) {
        this.fail("course", "order", { n: i + 1 }, { expected: ["value", last + 1n], found: ["value", s.seq] });
      }
      last = s.seq;
      try {
        this.step(s, i);
      } catch (why) {
        if (!(why instanceof TypeError || why instanceof RangeError || why instanceof SyntaxError || why instanceof Malformed)) {
          throw why;
        }
        if (why instanceof Malformed) {
          this.where = why.where;
        }
        this.fail("course", "broken");
      }
    });
    this.where = "steps";
    if (!this.opened) {
      this.fail("course", "not-opened");
    }
    if (r.config.cards === "virtual" && r.seed) {
      if (this.revealed !== 1) {
        this.fail("commitment", "not-revealed");
      }
      this.where = "seed.own";
      const own = [...this.added].map(([player, text]) => ({ player, text })).sort((a, b) => byBytes(a.player, b.player));
      this.equal("commitment", "own-differs", listOf(r.seed.own), own);
    }
  }

  step(s, i) {
    const { r } = this;
    const at = `steps[${i}]`;
    const open = this.phase === "betting" || this.phase === "playing";
    const events = listOf(s.events);
    this.due = [];
    this.gone = [];
    const before = this.phase;
    if (s.kind === "add-seed") {
      this.addSeed(s);
      return;
    }
    if (!this.opened && events[0]?.kind !== "bets-opened") {
      this.fail("course", "not-opened");
    }
    this.command(s);
    if (s.meter) {
      this.meter = { meter: s.meter.meter, reserve: s.meter.reserve, remainder: s.meter.remainder };
      this.denominator = s.meter.denominator;
      this.terms = s.meter.terms;
      need(isWhole(this.terms?.rate?.num) && isWhole(this.terms.rate.den) && this.terms.rate.den > 0n, `${at}.meter.terms.rate`);
      need(Object.values(this.meter).every(isWhole) && isWhole(this.denominator), `${at}.meter`);
    }
    this.moved = listOf(s.moved);
    for (const [k, e] of events.entries()) {
      this.where = `${at}.events[${k}]`;
      if (sources[e.kind] && !sources[e.kind].includes(s.kind)) {
        this.fail("course", "source", { event: e.kind, command: s.kind });
      }
      this.event(e);
    }
    for (const [k, e] of this.moved.entries()) {
      this.where = `${at}.moved[${k}]`;
      this.jackpot(e);
    }
    this.where = `${at}.moved`;
    this.contributions(before);
    for (const [k, e] of listOf(s.seeds).entries()) {
      this.where = `${at}.seeds[${k}]`;
      this.revealed++;
      this.equal("commitment", "reveal", e, { kind: "seed-revealed", body: { round: r.round, seed: r.seed?.seed } });
    }
    this.where = at;
    const ends = open && this.phase === "over";
    if (r.seed && ends !== (listOf(s.seeds).length > 0)) {
      this.fail("commitment", "reveal-when");
    }
    this.where = `${at}.postings`;
    this.postings(listOf(s.postings), `${at}.postings`);
  }

  addSeed(s) {
    const { r } = this;
    const { name, role } = s.by;
    const follows = [{ kind: "seed-added", body: { round: r.round, player: name, text: s.body.text } }];
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
    this.added.set(name, s.body.text);
  }

  // What a command has to lead to, as far as that follows from itself.
  command(s) {
    const { body, by } = s;
    const own = by.role === "player" || by.role === "guest";
    const { book } = this.v;
    const events = listOf(s.events);
    const leads = (kind, expected) => {
      const all = events.filter((e) => e.kind === kind);
      if (all.length !== 1) {
        this.fail("course", "follows", { command: s.kind, event: kind });
        return;
      }
      if (expected) {
        this.equal("course", "follows-differs", all[0].body, expected, { command: s.kind, event: kind });
      }
    };
    if (own && isText(body.player) && body.player !== by.name) {
      this.fail("course", "not-his", { player: by.name, of: body.player, command: s.kind });
    }
    switch (s.kind) {
      case "open-bets":
        leads("bets-opened", { round: this.r.round });
        break;
      case "bet":
        leads("bet-placed", own ? body : { ...body, entered_by: by.name, clause: book.behalf });
        break;
      case "found":
        leads("stake-found");
        for (const name of ["box", "player", "wager", "amount"]) {
          this.equal("course", "follows-differs", events.find((e) => e.kind === "stake-found")?.body[name], body[name], { command: s.kind, event: "stake-found" });
        }
        break;
      case "close-bets":
        leads("bets-closed", {});
        break;
      case "deal":
        leads("cards-dealt");
        this.deal(body, events.find((e) => e.kind === "cards-dealt")?.body.cards ?? []);
        break;
      case "examine":
        leads("hand-examined", body);
        break;
      case "raise":
        leads("hand-raised", { ...body, wager: book.decision?.raise, amount: this.stake(body.box, body.player, book.decision?.on) });
        break;
      case "fold":
        leads("hand-folded", { ...body, clause: book.decision?.fold });
        break;
      case "report":
        leads("reported");
        this.equal("course", "follows-differs", events.find((e) => e.kind === "reported")?.body.report, body, { command: s.kind, event: "reported" });
        break;
      case "reveal":
        leads("dealer-shown");
        this.named(body.hand, events.find((e) => e.kind === "dealer-shown"));
        break;
      case "settle":
        leads("settled");
        if (body.meter !== undefined && !this.down) {
          this.equal("jackpot", "displayed-differs", events.find((e) => e.kind === "settled")?.body.meter ?? 0n, body.meter);
        }
        break;
      case "choose": {
        leads("offer-answered");
        const { clause: _, ...answered } = events.find((e) => e.kind === "offer-answered")?.body ?? {};
        this.equal("course", "follows-differs", answered, body, { command: s.kind, event: "offer-answered" });
        break;
      }
      case "show":
      case "lay-up": {
        const showing = events.find((e) => e.kind === "hand-shown" && e.body.place === String(body.box));
        if (!showing) {
          this.fail("course", "follows", { command: s.kind, event: "hand-shown" });
        }
        this.named(body.hand, showing);
        break;
      }
      default:
        break;
    }
  }

  // A hand that a dealer named is the one that was shown.
  named(hand, showing) {
    if (this.r.config.cards === "unseen" && showing && !same(hand, showing.body.hand)) {
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

  box(number) {
    const name = String(number);
    need(isWhole(number) && number >= 1n && number <= this.v.boxes, this.where);
    if (!this.boxes.has(name)) {
      this.boxes.set(name, { bettors: [], stakes: new Map(), decision: "", invalid: false });
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
  stakes(box, player) {
    const all = {};
    for (const wager of Object.keys(this.v.book.wagers)) {
      const amount = this.stake(box, player, wager);
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

  post(from, to, amount, why) {
    if (amount !== 0n) {
      this.due.push({ from, to, amount, for: { table: this.r.table, round: this.r.round, ...why } });
    }
  }

  // A stake that is now another, with what is posted for it.
  staked(body, more, why) {
    this.lay(body, more);
    this.player(body.player).laid += more;
    const [own, layout] = [`player:${body.player}`, `layout:${this.r.table}`];
    const [from, to] = more < 0n ? [layout, own] : [own, layout];
    this.post(from, to, more < 0n ? -more : more, { box: body.box, wager: body.wager, ...why });
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

  event({ kind, body }) {
    const { v } = this;
    switch (kind) {
      case "bets-opened":
        if (this.opened) {
          this.fail("course", "opened-twice");
        }
        this.opened = true;
        this.phase = "betting";
        break;
      case "bet-placed":
        need(isWhole(body.amount) && body.amount > 0n, this.where);
        this.staked(body, body.amount, { reason: "bet", ...(body.clause && { clause: body.clause }), ...(body.entered_by && { note: body.entered_by }) });
        break;
      case "stake-found":
        if (body.amount === 0n) {
          this.uncount(body);
        }
        this.staked(body, body.amount - this.stake(body.box, body.player, body.wager), { reason: "found", ...(body.clause && { clause: body.clause }) });
        break;
      case "hand-raised":
        this.box(body.box).decision = "played";
        this.staked(body, body.amount - this.stake(body.box, body.player, body.wager), { reason: "bet" });
        break;
      case "hand-folded":
        this.box(body.box).decision = "folded";
        break;
      case "bets-closed":
        this.phase = "playing";
        this.schedule = this.order();
        break;
      case "cards-dealt":
        for (const { card, place } of body.cards) {
          if (card !== "??" && this.slots.some((slot) => slot.card === card)) {
            this.fail("cards", "twice", { place }, { found: ["cards", [card]] });
          }
          this.slots.push({ card, place });
        }
        break;
      case "hand-examined":
        this.box(body.box);
        break;
      case "hand-shown":
        this.turn(body.place, body.hand);
        break;
      case "dealer-shown":
        this.turn("dealer", body.hand);
        this.dealer = body.hand;
        if (isHand(body.hand)) {
          this.equal("hands", "qualifies-differs", body.qualifies, qualifies(v, body.hand));
        }
        break;
      case "cards-exposed":
        body.slots.forEach((n, i) => {
          if (body.cards[i] !== "??") {
            this.slots[Number(n)].card = body.cards[i];
          }
        });
        break;
      case "cards-moved":
        for (const move of body.moves) {
          this.slots[Number(move.slot)].place = move.to;
        }
        this.incidents.push(["moved", body.clause]);
        break;
      case "reported":
        this.incidents.push(["incident", body.clause, body.report.incident, body.outcome]);
        break;
      case "progressive-failed":
        this.down = true;
        break;
      case "bets-returned":
        this.back(body);
        break;
      case "hand-invalidated":
        this.back(body);
        if (listOf(body.lines).some((line) => line.box !== body.box && line.wager !== "envy") || (!this.settledOnce && this.box(body.box).stakes.size > 0)) {
          this.fail("settlement", "back-box", { box: body.box });
        }
        this.box(body.box).invalid = true;
        for (const slot of this.at(String(body.box))) {
          slot.place = "out";
        }
        break;
      case "round-voided":
        this.incidents.push(["void", body.clause]);
        this.voided(body);
        break;
      case "settled":
        this.settlement(body);
        break;
      case "table-closed":
        this.ended ||= "closed";
        this.phase = "over";
        break;
      default:
        if (!quiet.includes(kind)) {
          this.fail("course", "unknown-event", { event: kind });
        }
        break;
    }
    if (kind === "settled" || kind === "round-voided") {
      this.ended = kind === "settled" ? "settled" : "void";
      this.phase = "over";
    }
  }

  order() {
    const places = [...this.boxes].filter(([, b]) => b.stakes.size > 0).map(([name]) => Number(name)).sort((a, b) => a - b).map(String);
    places.push("dealer");
    const shoe = this.r.config.device === "shoe";
    const cards = shoe ? [...places, ...places, ...places] : places.flatMap((p) => [p, p, p]);
    return this.burns ? ["burn", ...cards] : cards;
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
      const own = `player:${line.player}`;
      const reverses = line.reverses ?? 0n;
      const given = { box: line.box, player: line.player, wager: line.wager, stake: line.stake, result: "returned", pays: 0n, returned: line.stake, clause: line.clause };
      if (!same({ ...line, reverses: undefined }, given)) {
        this.failAt(where, "settlement", "back-differs", { box: line.box, player: line.player }, given, line);
      }
      this.player(line.player).back += line.returned - reverses;
      if (this.settledOnce) {
        const paid = this.settled.filter((l) => l.box === line.box && l.player === line.player && l.wager === line.wager);
        const most = paid.reduce((sum, l) => sum + l.returned - (l.reverses ?? 0n), 0n);
        if (reverses > most) {
          this.failAt(where, "settlement", "reverses", { box: line.box, player: line.player });
        }
        this.settled.push({ ...line, returned: 0n });
        this.post(win, own, line.returned, { reason: "stake-returned", ...why });
        this.post(own, win, reverses, { reason: "collected", ...why });
        if (reverses > 0n) {
          this.collected = true;
        }
        continue;
      }
      if (reverses !== 0n) {
        this.failAt(where, "settlement", "reverses", { box: line.box, player: line.player });
      }
      this.lay(line, -line.stake);
      this.post(layout, own, line.returned, { reason: "stake-returned", ...why });
    }
  }

  failAt(where, check, sentence, args, expected, found) {
    const before = this.where;
    this.where = where;
    this.fail(check, sentence, args, { ...(expected && { expected: ["line", expected] }), ...(found && { found: ["line", found] }) });
    this.where = before;
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
    if (!this.settledOnce && this.lying() !== 0n) {
      this.fail("settlement", "void-keeps", {}, { expected: ["money", 0n], found: ["money", this.lying()] });
    }
  }

  // The others' hands, which may bring an Envy Bonus.
  others(number, player) {
    const found = [];
    for (const [name, box] of this.ordered()) {
      const cards = this.at(name).map((slot) => slot.card);
      if (name === number || box.invalid || box.stakes.size === 0 || !isHand(cards)) {
        continue;
      }
      const [first] = box.bettors;
      found.push({ cards, own: first === player, folded: box.decision === "folded", stakes: this.stakes(name, first) });
    }
    return found;
  }
  ordered() {
    return [...this.boxes].sort(([a], [b]) => Number(a) - Number(b));
  }

  settlement({ lines, meter = 0n }) {
    const { v } = this;
    const recorded = new Map();
    const all = listOf(lines);
    const numbers = [];
    for (const [k, line] of all.entries()) {
      numbers.push(this.lined(line, `${this.where}.body.lines[${k}]`));
      const at = key(line.box, line.player);
      recorded.set(at, [...(recorded.get(at) ?? []), k]);
    }
    if (meter !== 0n && this.meter && !this.down && meter !== this.meter.meter) {
      this.fail("jackpot", "displayed-differs", {}, { expected: ["money", this.meter.meter], found: ["money", meter] });
    }
    const dealer = this.at("dealer").map((slot) => slot.card);
    if (!this.dealer && this.lying() !== 0n) {
      this.fail("hands", "not-shown");
    }
    const place = this.where;
    for (const [name, box] of this.ordered()) {
      if (box.invalid) {
        continue;
      }
      const cards = this.at(name).map((slot) => slot.card);
      const folded = box.decision === "folded";
      for (const player of box.bettors) {
        const stakes = this.stakes(name, player);
        if (Object.keys(stakes).length === 0) {
          continue;
        }
        const at = key(name, player);
        const mine = (recorded.get(at) ?? []).filter((k) => !this.tooLow(all[k], stakes));
        recorded.delete(at);
        if (!isHand(dealer) || (!folded && !isHand(cards))) {
          this.fail("settlement", "no-hand", { box: name });
          continue;
        }
        let due;
        try {
          due = settle(v, { player: cards, dealer, stakes, folded, meter: this.displayed(name, meter), others: this.others(name, player) });
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
    this.settled = [...all];
    this.settledOnce = true;
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
  // whether he had, is not told here.
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

  hit(box) {
    return this.moved.find((e) => e.kind === "hit-paid" && e.body.hit.table === this.r.table && String(e.body.hit.box) === box)?.body;
  }
  displayed(box, first) {
    return this.hit(box)?.amount ?? first;
  }

  // What a line of a settlement moves.
  pay(line, why) {
    const [own, layout, win] = [`player:${line.player}`, `layout:${this.r.table}`, `win:${this.r.table}`];
    const back = line.returned - line.pays;
    this.player(line.player).back += line.returned;
    if (line.stake !== 0n) {
      this.lay(line, -line.stake);
    }
    this.post(layout, own, back, { reason: "stake-returned", ...why });
    this.post(layout, win, line.stake - back, { reason: "stake-won", ...why });
    const row = line.result === "win" && this.v.pays[line.wager]?.rows.find((r) => r.combo === line.combo);
    if (!row || row.pay.percent === undefined || line.pays === 0n) {
      this.post(win, own, line.pays, { reason: "winnings", ...why });
      return;
    }
    const hit = this.hit(String(line.box));
    if (!hit || hit.amount !== line.pays) {
      this.fail("jackpot", "hit-differs", { box: line.box });
      return;
    }
    const meter = `meter:${this.r.jackpot}`;
    this.post(meter, own, hit.from_meter, { reason: "jackpot-paid", jackpot: this.r.jackpot, ...why });
    this.post("house", own, hit.from_house, { reason: "made-good", jackpot: this.r.jackpot, ...why });
  }

  // What happens to the jackpot, and what is posted for it.
  jackpot({ kind, body }) {
    const id = body.round ?? body.hit;
    if (id && (id.table !== this.r.table || id.round !== String(this.r.round)) && kind !== "round-closed") {
      this.fail("jackpot", "elsewhere", { event: kind });
    }
    if (!Object.hasOwn(moves, kind)) {
      if (!noted.includes(kind)) {
        this.fail("jackpot", "unknown-event", { event: kind });
      }
      return;
    }
    for (const name of [...moves[kind], "after"]) {
      need(name === "after" ? isWhole(body.after?.meter) : isWhole(body[name]), `${this.where}.body.${name}`);
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
    } else {
      change = [body.reset_by_house + body.reset_from_reserve - body.from_meter, -body.reset_from_reserve];
      if (body.amount !== body.from_meter + body.from_house) {
        this.fail("jackpot", "hit-sum", {}, { expected: ["money", body.from_meter + body.from_house], found: ["money", body.amount] });
      }
      this.post("house", meter, body.reset_by_house, { reason: "reseed", ...why });
      this.post(reserve, meter, body.reset_from_reserve, { reason: "reseed", ...why });
    }
    if (this.meter) {
      const after = [this.meter.meter + change[0], this.meter.reserve + change[1]];
      if (body.after.meter !== after[0] || body.after.reserve !== after[1]) {
        this.fail("jackpot", "after-differs", {}, { expected: ["money", after[0]], found: ["money", body.after.meter] });
      }
      this.meter = body.after;
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
      const sum = amounts.reduce((a, b) => a + b, 0n);
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
    if (body.to_meter + body.to_reserve !== due || body.after.remainder !== left) {
      this.fail("jackpot", "contribution-differs", {}, { expected: ["money", due], found: ["money", body.to_meter + body.to_reserve] });
    }
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
        } else if (kind) {
          this.player(name).moved += amount;
        }
      }
    });
    this.where = where;
    for (const due of this.due.slice(posted.length)) {
      this.fail("money", "posting-missing", {}, { expected: ["posting", due] });
    }
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
        this.proven("commitment", "own", { players: listOf(r.seed.own).map((o) => o.player).join(", ") });
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
 * Checks a record.
 * @param {any} r a document as read by check-exact.js
 * @returns {{proven: boolean, findings: object[], hands: {place: string, cards: string[], folded: boolean}[]}}
 */
export function check(r) {
  const c = new Check(r);
  c.whole();
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
