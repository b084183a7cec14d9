// The course of a round: what each command has to lead to, and what each event
// changes.
import { listOf } from "./check-findings.js";
import { isText, isWhole, Malformed, need } from "./check-form.js";
import { isHand } from "./check-hands.js";
import { Lines } from "./check-lines.js";
import { qualifies } from "./check-settle.js";

// The events that only certain commands bring.
const sources = {
  "bets-opened": ["open-bets"],
  "bet-placed": ["bet"],
  "stake-found": ["found", "report", "answer"],
  "cards-dealt": ["deal", "report", "answer"],
  "cards-moved": ["report", "answer"],
  "cards-exposed": ["report", "answer"],
  "hand-examined": ["examine"],
  "hand-raised": ["raise", "answer"],
  "forfeits-collected": ["reveal"],
  "box-settled": ["settle", "answer"],
  "settlement-undone": ["answer", "report"],
  "hand-folded": ["fold", "expire", "report", "answer"],
  "hand-kept-down": ["keep-down"],
  "decision-restored": ["answer", "found"],
  "payment-corrected": ["answer"],
};

// What else can happen at a table; nothing that is worked out here depends on it.
const quiet = [
  "table-opened", "minimum-advised", "cards-drawn", "deal-finished", "offers-made",
  "offer-answered", "player-warned", "player-restricted", "areas-restricted", "progressive-suspended", "progressive-restored",
];

/** A round from its first step to its last. */
export class Course extends Lines {
  constructor(r) {
    super(r);
    this.ended = "";
    this.incidents = [];
    this.questions = []; // the open one last, before it those put aside
  }

  play() {
    const { r } = this;
    let last = r.seed ? r.seed.committed.seq : 0n;
    let lastMs = r.seed ? r.seed.committed.at_ms : 0n;
    r.steps.forEach((s, i) => {
      this.where = `steps[${i}]`;
      if (s.at_ms < lastMs) {
        this.fail("course", "times", { n: i + 1 }, { expected: ["value", lastMs], found: ["value", s.at_ms] });
      }
      lastMs = s.at_ms;
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
    this.sown();
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

  // What a command has to lead to, as far as that follows from itself.
  command(s) {
    const { body, by } = s;
    const own = by.role === "player" || by.role === "guest";
    const { book } = this.v;
    const events = listOf(s.events);
    const leads = (kind, expected, most = 1) => {
      const all = events.filter((e) => e.kind === kind);
      if (all.length === 0 || all.length > most) {
        this.fail("course", "follows", { command: s.kind, event: kind });
        return;
      }
      if (expected) {
        this.equal("course", "follows-differs", all[0].body, expected, { command: s.kind, event: kind });
      }
    };
    const facts = () => events.find((e) => e.kind === "question-asked" && e.body.question.key === "facts");
    const found = (stated, kind, late) => {
      leads(kind);
      const told = late ?? events.find((e) => e.kind === kind)?.body;
      for (const name of late ? ["box", "player", "wager"] : ["box", "player", "wager", "amount"]) {
        this.equal("course", "follows-differs", told?.[name], stated[name], { command: s.kind, event: kind });
      }
    };
    if (own && isText(body.player) && body.player !== by.name) {
      this.fail("course", "not-theirs", { player: by.name, of: body.player, command: s.kind });
    }
    switch (s.kind) {
      case "open-bets":
        leads("bets-opened", { round: this.r.round });
        break;
      case "bet": {
        // Only where a book has standing players does it matter that this one does not sit.
        const { standing, ...asked } = body;
        const bet = standing && book.standing ? body : asked;
        leads("bet-placed", own ? bet : { ...bet, entered_by: by.name, clause: book.behalf });
        break;
      }
      case "found": {
        // Chips laid down or taken away too late are reported; what lay there at the
        // call is confirmed first once cards have been seen.
        const asked = facts();
        if (asked) {
          leads("question-asked");
          this.equal("course", "follows-differs", asked.body.question.found, body, { command: s.kind, event: "question-asked" });
          this.equal("course", "follows-differs", asked.body.question.by?.name, by.name, { command: s.kind, event: "question-asked" });
          break;
        }
        const late = events.find((e) => e.kind === "reported")?.body.report;
        found(body, late ? "reported" : "stake-found", late);
        break;
      }
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
      case "report": {
        // A second person confirms the facts first, or the report leads to its outcome.
        const asked = facts();
        if (asked) {
          leads("question-asked");
          this.equal("course", "follows-differs", asked.body.question.report, body, { command: s.kind, event: "question-asked" });
          this.equal("course", "follows-differs", asked.body.question.by?.name, by.name, { command: s.kind, event: "question-asked" });
          // A jackpot that has failed is out of order whatever is confirmed.
          if (events.filter((e) => e.kind !== "progressive-failed").length > 1) {
            this.fail("course", "follows", { command: s.kind, event: "question-asked" });
          }
          break;
        }
        leads("reported");
        this.equal("course", "follows-differs", events.find((e) => e.kind === "reported")?.body.report, body, { command: s.kind, event: "reported" });
        break;
      }
      case "answer": {
        leads("question-answered");
        const question = this.questions.at(-1);
        this.equal("course", "follows-differs", events[0]?.body.key, question?.key, { command: s.kind, event: "question-answered" });
        this.equal("course", "follows-differs", events[0]?.body.answer, body.answer, { command: s.kind, event: "question-answered" });
        this.equal("course", "follows-differs", events[0]?.body.remedies, body.remedies, { command: s.kind, event: "question-answered" });
        if (question?.key !== "facts") {
          break;
        }
        if (question.by?.name === by.name) {
          this.fail("course", "confirms-own", { player: by.name });
        }
        if (body.answer === "yes" && question.found) {
          found(question.found, "stake-found");
        } else if (body.answer === "yes") {
          leads("reported", undefined, 2); // the second is what else the same fact leads to
          this.equal("course", "follows-differs", events.find((e) => e.kind === "reported")?.body.report, question.report, { command: s.kind, event: "reported" });
        } else if (question.report?.order_known) {
          // The cards were drawn all the same, and their order is asked then.
          const { order_known: _, ...unordered } = question.report;
          leads("reported");
          this.equal("course", "follows-differs", events.find((e) => e.kind === "reported")?.body.report, unordered, { command: s.kind, event: "reported" });
        } else if (events.length > 1) {
          this.fail("course", "follows", { command: s.kind, event: "question-answered" });
        }
        break;
      }
      case "reveal":
        leads("dealer-shown");
        if (book.collected && this.forfeited().length > 0) {
          leads("forfeits-collected");
        }
        this.named(body.hand, events.find((e) => e.kind === "dealer-shown"));
        break;
      case "settle":
        this.settle(body, events, leads);
        break;
      case "choose": {
        leads("offer-answered");
        const { clause: _, ...answered } = events.find((e) => e.kind === "offer-answered")?.body ?? {};
        this.equal("course", "follows-differs", answered, body, { command: s.kind, event: "offer-answered" });
        break;
      }
      case "keep-down":
        leads("hand-kept-down");
        break;
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

  // A settlement of the next box in the book's order, or of all that are left; with the
  // last one it is of all.
  settle(body, events, leads) {
    if (body.pending) {
      leads("announced"); // a hand waits for the jackpot of another table: nothing is paid yet
      return;
    }
    const left = this.unsettled().map(([name]) => name);
    const kind = body.box !== undefined && left.length > 1 ? "box-settled" : "settled";
    leads(kind);
    if (body.box !== undefined && String(body.box) !== left[0]) {
      this.fail("course", "next-box", { box: body.box });
    }
    if (body.meter !== undefined && !this.down) {
      this.equal("jackpot", "displayed-differs", events.find((e) => e.kind === kind)?.body.meter ?? 0n, body.meter);
    }
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
        this.staked(body, body.amount, { reason: "bet", ...(body.clause && { clause: body.clause }) });
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
      case "decision-restored": {
        const box = this.box(body.box);
        if (box.decision !== body.was) {
          this.fail("course", "follows-differs", { command: "answer", event: kind });
        }
        box.decision = "";
        this.back(body);
        break;
      }
      case "payment-corrected":
        this.corrected(body);
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
      case "hand-kept-down":
        this.box(body.box).keptDown = true;
        break;
      case "hand-shown":
        this.turn(body.place, body.hand);
        if (/^[0-9]+$/.test(body.place)) {
          this.box(BigInt(body.place)).keptDown = false;
        }
        break;
      case "dealer-shown":
        this.turn("dealer", body.hand);
        this.dealer = body.hand;
        if (isHand(body.hand)) {
          this.equal("hands", "qualifies-differs", body.qualifies, qualifies(v, body.hand));
        }
        break;
      case "announced": {
        // The hand that the dealer calls is the one that lies there: the dealer's, or that
        // of the position that has won with it.
        const place = body.key === "result" && body.result === "win" ? String(body.boxes?.[0]) : "dealer";
        const cards = place === "dealer" ? this.dealer : this.at(place).map((slot) => slot.card);
        if (body.hand && cards && body.hand.toSorted().join() !== cards.toSorted().join()) {
          this.fail("cards", "shown-differs", { place }, { expected: ["cards", cards], found: ["cards", body.hand] });
        }
        break;
      }
      case "cards-exposed":
        if (body.corrected) {
          // What lies open is nowhere else: a card recorded so face down is not known.
          for (const slot of this.slots) {
            slot.card = body.cards.includes(slot.card) ? "??" : slot.card;
          }
        }
        body.slots.forEach((n, i) => {
          if (body.cards[i] !== "??") {
            this.slots[Number(n)].card = body.cards[i];
          }
        });
        if (body.corrected && this.dealer) {
          this.dealer = this.at("dealer").map((slot) => slot.card);
        }
        break;
      case "cards-moved":
        for (const move of body.moves) {
          this.slots[Number(move.slot)].place = move.to;
        }
        for (const [, box] of this.ordered()) {
          box.keptDown = false;
        }
        if (body.clause) { // else the record is put right: no clause moves them
          this.incidents.push(["moved", body.clause]);
        } else if (this.r.config.cards === "virtual") { // cards of a deck that was committed to lie where they were dealt
          this.fail("cards", "place");
        }
        break;
      case "question-asked":
        this.questions.push(body.question);
        break;
      case "question-answered":
        this.questions.pop();
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
        if (listOf(body.lines).some((line) => line.box !== body.box && line.wager !== "envy") || this.box(body.box).stakes.size > 0 || this.box(body.box).was.size > 0) {
          this.fail("settlement", "back-box", { box: body.box });
        }
        this.box(body.box).invalid = true;
        for (const slot of this.at(String(body.box))) {
          slot.place = "out";
        }
        break;
      case "round-voided":
        this.incidents.push(["void", body.clause]);
        this.questions = [];
        this.voided(body);
        break;
      case "forfeits-collected":
        this.forfeits(body);
        break;
      case "settled":
        this.settlement(body);
        break;
      case "box-settled":
        this.settlement(body, body.box);
        break;
      case "settlement-undone":
        this.undone(body);
        this.ended = "";
        this.phase = "playing";
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
}
