// The course of a round: what each command has to lead to, and what each event
// changes.
import { listOf } from "./check-findings.js";
import { isText, isWhole, Malformed, need } from "./check-form.js";
import { isHand } from "./check-hands.js";
import { casesOf, isDeclared, misdeals, virtual } from "./check-incidents.js";
import { Lines } from "./check-lines.js";
import { qualifies } from "./check-settle.js";

// The commands that bring an event.
const sources = sourcesOf({
  "table-opened": "close-table open-table", "table-closed": "close-table suspend-progressive",
  "bets-opened": "open-bets", "bet-placed": "bet", "minimum-advised": "found", "bets-closed": "close-bets",
  "bets-returned": "withdraw found close-bets choose expire report answer",
  "stake-found": "found report answer",
  "cards-dealt": "deal report answer", "cards-drawn": "report answer", "deal-finished": "finish-deal report answer",
  "cards-moved": "report answer", "cards-exposed": "report answer",
  "hand-examined": "examine", "hand-raised": "raise answer", "hand-folded": "fold expire report answer",
  "decision-restored": "answer found report", "forfeits-collected": "reveal", "dealer-shown": "reveal",
  "hand-shown": "show lay-up reveal settle report answer", "hand-kept-down": "keep-down",
  settled: "settle choose expire report answer", "box-settled": "settle report answer", "settlement-undone": "report answer",
  "payment-corrected": "answer", "hand-invalidated": "choose expire report answer", "round-voided": "deal report answer",
  reported: "report answer found deal", "question-asked": "report answer found ask-withdrawal deal", "question-answered": "answer",
  "offers-made": "report answer deal", "offer-answered": "choose expire report answer",
  "player-warned": "settle report answer", "player-restricted": "restrict-player", "areas-restricted": "restrict-areas",
  "progressive-failed": "report", "progressive-suspended": "suspend-progressive", "progressive-restored": "restore-progressive",
});

// The parts of a round in which a command is taken; the others are taken in all, and after
// the end only they put anything right.
const parts = sourcesOf({
  "open-bets": "before", bet: "betting", withdraw: "betting", "close-bets": "betting",
  deal: "dealing", "finish-deal": "dealing", examine: "dealing", raise: "dealing", fold: "dealing", "lay-up": "dealing", reveal: "dealing",
  show: "dealing showing", "keep-down": "showing", settle: "showing",
  choose: "betting dealing showing", expire: "betting dealing showing", "ask-withdrawal": "dealing showing",
});

// What players do themselves; all else the staff does, or the house.
const playing = ["bet", "withdraw", "examine", "raise", "fold", "lay-up", "choose", "ask-withdrawal"];

// What a report or an answer has to come to, where it changes the course of a round. A stake
// that was found, and confirmed, is none of the book's outcomes.
const offers = "offer-affected offer-all offer-withdrawal restore-and-offer-all";
const grounds = sourcesOf({
  "round-voided": "void",
  "hand-invalidated": "invalidate take-back remedy fold options-lapse",
  "bets-returned": "invalidate take-back remedy fold options-lapse not-honoured found",
  "cards-moved": `move-hands remedy ${offers}`,
  "hand-folded": "fold remedy", "hand-raised": "remedy", "decision-restored": "remedy not-honoured found",
  "payment-corrected": "remedy", "stake-found": "not-honoured found", "offers-made": offers,
});

// What a person can have done, and what it brings.
const remedies = sourcesOf({
  "payment-corrected": "award collect", "bets-returned": "return invalidate", "hand-invalidated": "invalidate return",
  "decision-restored": "restore", "hand-folded": "restore", "hand-raised": "restore",
});

function sourcesOf(lists) {
  return new Map(Object.entries(lists).map(([kind, text]) => [kind, text.split(" ")]));
}

// What else can happen at a table; nothing that is worked out here depends on it.
const quiet = [
  "table-opened", "minimum-advised", "cards-drawn", "deal-finished",
  "player-warned", "player-restricted", "areas-restricted", "progressive-suspended", "progressive-restored",
];

/** A round from its first step to its last. */
export class Course extends Lines {
  constructor(r) {
    super(r);
    this.ended = "";
    this.incidents = [];
    this.questions = []; // the open one last, before it those put aside
    this.offers = [];
    [this.seen, this.examined, this.exposed] = [false, false, false]; // a card of the round: by anybody, by its player, by mistake
    this.disputed = false; // a misdeal, by a player
    this.reordered = false; // the deal, by a stake that was found after it began
  }

  /** Goes through the steps, and stops now and then. */
  *play() {
    const { r } = this;
    let last = r.seed ? r.seed.committed.seq : 0n;
    let lastMs = r.seed ? r.seed.committed.at_ms : 0n;
    for (const [i, s] of r.steps.entries()) {
      if (i % 8 === 7) {
        yield;
      }
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
    }
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
    this.taken = 0n;
    this.claims.clear();
    this.returned = false;
    const before = this.phase;
    if (s.kind === "add-seed") {
      this.addSeed(s);
      return;
    }
    if (!this.opened && events[0]?.kind !== "bets-opened") {
      this.fail("course", "not-opened");
    }
    const early = ["raise", "fold", "lay-up", "reveal"].includes(s.kind) && r.config.cards === "virtual" && this.toCome();
    const content = s.kind === "ask-withdrawal" && !this.disputed; // nothing went wrong with which a player could be dissatisfied
    if (early || content || (parts.has(s.kind) && !parts.get(s.kind).includes(this.part()))) {
      this.fail("course", "untimely", { command: s.kind });
    }
    [this.kind, this.given] = [s.kind, s.body];
    this.outcomes = this.cameTo(s, events);
    this.command(s);
    if (s.meter) {
      this.metered(s.meter, `${at}.meter`);
    }
    this.moved = listOf(s.moved);
    for (const [k, e] of events.entries()) {
      this.where = `${at}.events[${k}]`;
      if (!this.founded(e)) {
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

  // The part of the round. A dealer's hand that other cards have come to is to be shown anew.
  part() {
    if (this.phase === "playing") {
      return this.dealer ? "showing" : "dealing";
    }
    return this.phase || "before";
  }

  // What is made of what was reported or asked: by the reports, and by the answer given.
  cameTo(s, events) {
    this.reports = events.filter((e) => e.kind === "reported").map((e) => e.body);
    const outcomes = this.reports.map(({ outcome }) => outcome);
    const question = s.kind === "answer" ? this.questions.at(-1) : undefined;
    if (question && question.key !== "facts") {
      outcomes.push(listOf(question.answers).find((choice) => choice.key === s.body.answer)?.then);
    } else if (question?.found && s.body.answer === "yes") {
      outcomes.push("found");
    }
    return outcomes;
  }

  // Whether an event can come from the command, by what was made of a report or an answer,
  // or by an option that a player took.
  founded({ kind, body }) {
    if (sources.has(kind) && !sources.get(kind).includes(this.kind)) {
      return false;
    }
    if (kind === "stake-found" && !this.r.config.chips) {
      return false; // nothing lies on a layout that is a screen
    }
    if (kind === "stake-found" && this.outcomes.includes("not-honoured") && this.kind !== "found") {
      // A bet that came too late is counted no more.
      return this.reports.some(({ report }) => report.counted && report.box === body.box && report.player === body.player && report.wager === body.wager
        && body.amount === this.stake(body.box, body.player, body.wager) - report.amount);
    }
    if (kind === "stake-found" && this.kind === "found") {
      // Once cards have been seen, a second person confirms it.
      return !this.outcomes.length && (!this.seen || body.amount === this.stake(body.box, body.player, body.wager));
    }
    if (["choose", "expire"].includes(this.kind) && ["bets-returned", "hand-invalidated"].includes(kind)) {
      return this.returned;
    }
    if (kind === "bets-returned" && ["withdraw", "close-bets"].includes(this.kind)) {
      return listOf(body.lines).every((line) => this.leaves(line));
    }
    if (kind === "bets-returned" && this.kind === "found") {
      return !this.seen && listOf(body.lines).every((line) => line.box === this.given.box);
    }
    if (kind === "decision-restored" && !this.outcomes.includes("remedy")) {
      // Without the bet about which its player decides, nothing was decided.
      return !this.decides(this.box(body.box));
    }
    if (this.outcomes.includes("remedy") && remedies.has(kind)) {
      return this.listed(kind, body);
    }
    if (kind === "cards-moved" && !body.clause) {
      return this.outcomes.length > 0; // the record is put right, whatever follows
    }
    return !grounds.has(kind) || !["report", "answer", "deal"].includes(this.kind) || grounds.get(kind).some((outcome) => this.outcomes.includes(outcome));
  }

  // Whether a bet can leave the layout before the cards: it is withdrawn, too low, or has lost
  // the wager that it needs.
  leaves({ box, player, wager, stake }) {
    const { given } = this;
    const ofBet = this.kind === "withdraw" && box === given.box && player === given.player && wager === given.wager;
    const needs = this.v.needs.get(wager);
    const without = needs && listOf(needs.scope === "box" ? this.box(box).bettors : [player]).every((each) => this.stake(box, each, needs.wager) === 0n);
    return ofBet || (this.kind === "close-bets" && stake < this.v.limits[wager]?.min) || without === true;
  }

  // Whether an answer lists, among what it has done, that which brings an event.
  listed(kind, body) {
    return (kind === "payment-corrected" || kind === "bets-returned" ? listOf(body.lines) : [body]).every((of) => {
      const amount = of.pays || of.reverses;
      return listOf(this.given.remedies).some((remedy) => remedies.get(kind).includes(remedy.do) && remedy.box === of.box
        && (of.player === undefined || remedy.player === undefined || remedy.player === of.player)
        && (kind !== "payment-corrected" || (remedy.wager === of.wager && remedy.amount === amount)));
    });
  }

  // What a command has to lead to, as far as that follows from itself.
  command(s) {
    const { body, by } = s;
    const byPlayer = by.role === "player" || by.role === "guest";
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
      const recorded = late ?? events.find((e) => e.kind === kind)?.body;
      for (const name of late ? ["box", "player", "wager"] : ["box", "player", "wager", "amount"]) {
        this.equal("course", "follows-differs", recorded?.[name], stated[name], { command: s.kind, event: kind });
      }
    };
    if (byPlayer && !playing.includes(s.kind)) {
      this.fail("course", "not-staff", { player: by.name, command: s.kind });
    }
    if (!byPlayer && ["raise", "fold"].includes(s.kind) && !this.r.config.chips) {
      this.fail("course", "not-theirs", { player: by.name, of: body.player, command: s.kind }); // nobody speaks for a player at a screen
    }
    if (byPlayer && isText(body.player) && body.player !== by.name) {
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
        leads("bet-placed", byPlayer ? bet : { ...bet, entered_by: by.name, clause: book.behalf });
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
      case "withdraw": {
        leads("bets-returned", undefined, 2); // the second is of what needs the wager that is withdrawn
        const [first] = listOf(events.find((e) => e.kind === "bets-returned")?.body.lines);
        for (const name of ["box", "player", "wager"]) {
          this.equal("course", "follows-differs", first?.[name], body[name], { command: s.kind, event: "bets-returned" });
        }
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
        } else if (question.report?.order_known || question.report?.incident === "progressive-down" && question.report.before_look && (this.examined || events.length > 1)) {
          // The cards were drawn all the same, and their order is asked then; or it has failed
          // all the same, and not before the look.
          const denied = { ...question.report };
          delete denied[denied.order_known ? "order_known" : "before_look"];
          leads("reported");
          this.equal("course", "follows-differs", events.find((e) => e.kind === "reported")?.body.report, denied, { command: s.kind, event: "reported" });
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
        this.settle(s, events, leads);
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
  settle({ body, meter }, events, leads) {
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
      const paid = events.find((e) => e.kind === kind)?.body.meter; // none where no hand takes it
      if (paid !== undefined || meter !== undefined || this.counted.size > 0) { // else the jackpot has nothing to do with it
        this.equal("jackpot", "displayed-differs", paid ?? this.screen(meter) ?? 0n, body.meters?.length === 1 ? body.meters[0] : body.meter);
      }
    }
  }

  // What the book makes of a report is one of the cases that it declares. Of an earlier round
  // nothing changes any more, and chips that are no bet are found by another clause.
  made({ report, outcome, clause }) {
    const live = this.ordered().filter(([, box]) => !box.invalid && (box.done ? box.was : box.stakes).size > 0).map(([name]) => name);
    const at = {
      v: this.v, part: this.part(), examined: this.examined, exposed: this.exposed, box: report.box && this.box(report.box),
      complete: (places = live) => places.every((place) => this.at(place).length === 3),
      settledAtDeal: this.part() === "dealing" && this.r.config.cards === "virtual" && !this.toCome() && this.v.rulings.outcome_established !== "first-exposure",
      inPlace: !this.reordered && this.slots.every((slot) => slot.place === slot.meant),
    };
    if (this.r.config.cards === "virtual" && !virtual.includes(report.incident)) {
      this.fail("course", "impossible", { incident: report.incident });
    }
    const earlier = report.round !== undefined && report.round < this.r.round;
    if (earlier ? !["stands", "ask"].includes(outcome) : !(this.kind === "found" && outcome === "not-honoured") && !casesOf(report, at).some((each) => each.then === outcome && each.clause === clause)) {
      this.fail("course", "not-declared", { incident: report.incident, outcome });
    }
  }

  // A box is played or folded once, unless that was undone.
  decided(number, decision) {
    const box = this.box(number);
    if (box.decision !== "") {
      this.fail("course", "decided", { box: number });
    }
    box.decision = decision;
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
        this.reordered ||= this.slots.length > 0;
        if (body.amount === 0n) {
          this.uncount(body);
        }
        this.staked(body, body.amount - this.stake(body.box, body.player, body.wager), { reason: "found", ...(body.clause && { clause: body.clause }) });
        break;
      case "hand-raised":
        this.decided(body.box, "played");
        this.staked(body, body.amount - this.stake(body.box, body.player, body.wager), { reason: "bet" });
        break;
      case "hand-folded":
        this.decided(body.box, "folded");
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
        for (const { card, place, meant, face_up } of body.cards) {
          this.seen ||= face_up === true;
          if (card !== "??" && this.slots.some((slot) => slot.card === card)) {
            this.fail("cards", "twice", { place }, { found: ["cards", [card]] });
          }
          this.slots.push({ card, place, meant });
        }
        break;
      case "hand-examined":
        this.box(body.box);
        [this.seen, this.examined] = [true, true];
        break;
      case "hand-kept-down":
        if (isHand(this.at(String(body.box)).map((slot) => slot.card))) {
          this.fail("hands", "known", { box: body.box });
        }
        this.box(body.box).keptDown = true;
        break;
      case "hand-shown":
        this.seen = true;
        this.turn(body.place, body.hand);
        if (/^[0-9]+$/.test(body.place)) {
          this.box(BigInt(body.place)).keptDown = false;
        }
        break;
      case "dealer-shown":
        for (const [number] of this.undecided()) {
          this.fail("course", "undecided", { box: number });
        }
        this.turn("dealer", body.hand);
        this.dealer = body.hand;
        this.seen = true;
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
        this.seen = true;
        this.exposed ||= !body.corrected;
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
        for (const { slot, to } of body.moves) {
          const card = this.slots[Number(slot)];
          if (this.phase === "playing" && card.place !== to && [card.place, to].includes("dealer")) {
            this.dealer = undefined;
          }
          card.place = to;
        }
        for (const [, box] of this.ordered()) {
          box.keptDown = false;
        }
        if (this.r.config.cards === "virtual") { // cards of a deck that was committed to lie where they were dealt
          this.fail("cards", "place");
        }
        if (body.clause) { // else the record is put right: no clause moves them
          this.incidents.push(["moved", body.clause]);
        }
        break;
      case "question-asked":
        if (body.question.key !== "facts" && !isDeclared(v, body.question)) {
          this.fail("course", "not-asked");
        }
        this.questions.push(body.question);
        break;
      case "question-answered":
        this.questions.pop();
        break;
      case "offers-made":
        this.offers.push(...listOf(body.offers));
        break;
      case "offer-answered": {
        const open = this.offers.findIndex((offer) => offer.player === body.player && offer.box === body.box);
        if (open < 0) {
          this.fail("course", "source", { event: kind, command: this.kind });
        } else {
          this.offers.splice(open, 1);
          this.returned ||= body.return === true;
        }
        break;
      }
      case "reported":
        this.made(body);
        this.disputed ||= body.outcome === "invalidate" || (body.outcome === "continue" && misdeals.includes(body.report.incident));
        this.seen ||= body.report.looked === true;
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
