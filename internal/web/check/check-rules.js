// The rules in force, read from the declaration and the terms that a record holds as
// bytes. What the books themselves say about settling is written here once more,
// from the books and apart from the program that dealt the round: a declaration that
// settles otherwise is reported.
import { hex, sha256 } from "./check-deck.js";
import { canonical, Fault, read } from "./check-exact.js";
import { questionsIn } from "./check-incidents.js";

/** Why rules are not read. */
export class Unread extends Error {}

const unread = (where, text) => {
  throw new Unread(`${where}: ${text}`);
};

const queen = { ranks: "Q32" };

// How a wager is decided: dealer (against the dealer's hand), hand (the player's own),
// points (equal ones), riding (paid on another wager, never lost).
const books = {
  "rws-3cp@3": {
    id: "rws-3cp",
    order: "poker",
    devices: { shuffler: "burn_with_shuffler", shoe: true },
    singles: ["shoe"],
    lines: ["ante", "play", "ante-bonus", "pair-plus", "progressive", "envy"],
    qualify: { ...queen, clause: "1.16" },
    decision: { on: "ante", raise: "play", fold: "3.12.1" },
    behalf: "5.22",
    void: "5.21",
    over: "5.1.1",
    raiseOver: "5.3.1",
    raiseUnder: "5.3.2",
    underOnce: "",
    unrevealed: "4.5",
    envy: { needs: "ante", whenFolded: "envy_when_folded", per: "envy_per", own: "envy_own_boxes", fromFolded: "envy_from_folded" },
    wagers: {
      ante: { contest: "dealer", paidUnqualified: true, clauses: { fold: "3.12.1", unqualified: "3.13", win: "3.15.1", lose: "3.15.2", push: "3.15.3" } },
      play: { contest: "dealer", basis: "ante", clauses: { fold: "3.12.1", unqualified: "3.13", win: "3.15.1", lose: "3.15.2", push: "3.15.3" } },
      "pair-plus": { contest: "hand", clauses: { fold: "3.12.1", lose: "1.11" } },
      "ante-bonus": { contest: "riding", basis: "ante", clauses: {} },
      progressive: {
        contest: "hand", prescribed: true, stakeRuling: "jackpot_stake", envy: true,
        clauses: { fold: "3.12.1", lose: "4.4", envy: "4.7" },
      },
    },
  },
  "us-3cp": {
    id: "us-3cp",
    order: "poker",
    devices: { shuffler: false, hand: false },
    singles: [],
    lines: ["play", "ante-bonus", "ante", "pair-plus"],
    qualify: { ...queen, clause: "rules.7" },
    decision: { on: "ante", raise: "play", fold: "dealing.4" },
    fromRight: true,
    collected: "dealing.5",
    behalf: "dealing.1",
    void: "",
    over: "", raiseOver: "", raiseUnder: "", underOnce: "",
    wagers: {
      ante: { contest: "dealer", paidUnqualified: true, clauses: { fold: "rules.4", unqualified: "rules.8", win: "rules.10", lose: "rules.11", push: "rules.12" } },
      play: { contest: "dealer", basis: "ante", clauses: { fold: "rules.4", unqualified: "rules.8", win: "rules.10", lose: "rules.11", push: "rules.12" } },
      "ante-bonus": { contest: "riding", basis: "ante", clauses: {} },
      "pair-plus": { contest: "hand", clauses: { fold: "dealing.4", lose: "ways.2" } },
    },
  },
  "sm-3cp": {
    id: "sm-3cp",
    order: "poker",
    devices: { shuffler: false },
    singles: [],
    lines: ["ante", "play", "ante-bonus", "pair-plus", "bonus", "envy"],
    qualify: { ...queen, clause: "ways.1" },
    decision: { on: "ante", raise: "play", fold: "ways.1" },
    behalf: "bonus.8",
    void: "",
    over: "", raiseOver: "", raiseUnder: "", underOnce: "",
    envy: { needs: "", whenFolded: "bonus_after_fold", per: "", own: "envy_own_boxes", fromFolded: "envy_from_folded", twoBets: "envy_two_bets" },
    wagers: {
      ante: { contest: "dealer", paidUnqualified: true, clauses: { fold: "ways.1", unqualified: "ways.1", win: "ways.1", lose: "ways.1", push: "ways.1" } },
      play: { contest: "dealer", basis: "ante", clauses: { fold: "ways.1", unqualified: "ways.1", win: "ways.1", lose: "ways.1", push: "ways.1" } },
      "ante-bonus": { contest: "riding", basis: "ante", clauses: {} },
      "pair-plus": { contest: "hand", clauses: { fold: "ways.3", lose: "ways.2" } },
      bonus: {
        contest: "hand", foldRuling: "bonus_after_fold", envy: true,
        clauses: { fold: "ways.3", lose: "bonus.9a", envy: "bonus.10c" },
      },
    },
  },
  "fr-p3c@2007": {
    id: "fr-p3c",
    order: "poker-highest-card",
    devices: { hand: false, shuffler: false },
    singles: ["hand", "shuffler"],
    lines: ["ante", "play", "pair-plus", "bonus"],
    qualify: { ...queen, clause: "30" },
    decision: { on: "ante", raise: "play", fold: "25" },
    fromRight: true,
    collected: "26",
    behalf: "9",
    void: "",
    over: "", raiseOver: "", raiseUnder: "", underOnce: "",
    unrevealed: "49",
    wagers: {
      ante: {
        contest: "dealer", paidUnqualified: true, evenUnqualified: true, evenBeside: "bonus", evenRuling: "ante_beside_bonus",
        clauses: { fold: "26", unqualified: "30", lose: "32", push: "35" },
      },
      play: { contest: "dealer", basis: "ante", clauses: { fold: "26", unqualified: "30", win: "39", lose: "32", push: "35" } },
      "pair-plus": { contest: "hand", foldRuling: "pair_plus_after_fold", clauses: { fold: "26", lose: "50", unclaimed: "57" } },
      bonus: { contest: "hand", clauses: { fold: "43", lose: "43", unclaimed: "49" } },
    },
  },
  "mbs-3pictures@2": {
    id: "mbs-3pictures",
    order: "pictures",
    standing: true,
    devices: { shuffler: false, shoe: false },
    singles: ["shoe"],
    lines: ["main", "tie", "royal-pictures"],
    behalf: "3.6",
    void: "",
    over: "5.11", raiseOver: "", raiseUnder: "", underOnce: "5.10",
    wagers: {
      main: { contest: "dealer", clauses: { win: "4.1", lose: "3.16", push: "1.1.5" } },
      tie: { contest: "points", clauses: { win: "3.19", lose: "1.1.6" } },
      "royal-pictures": {
        contest: "hand",
        clauses: { lose: "1.1.4" },
      },
    },
  },
};

const contests = { "against-dealer": "dealer", hand: "hand", "equal-points": "points", riding: "riding" };
const combos = [
  "akq-spades", "akq-suited", "straight-flush", "three-of-a-kind", "straight", "flush", "pair",
  "three-kings", "three-queens", "three-jacks", "three-pictures", "picture-pair", "any-king", "six-points", "any-hand",
];

const text = (v, where) => (typeof v === "string" ? v : unread(where, String(v)));
const integer = (v, where) => (typeof v === "bigint" ? v : unread(where, String(v)));
const list = (v, where) => (Array.isArray(v) ? v : unread(where, String(v)));
const fieldsOf = (v, where) => (v !== null && typeof v === "object" && !Array.isArray(v) ? v : unread(where, String(v)));

// What of a declaration decides how wagers are settled.
function bookOf(d) {
  const at = (path) => `declaration.${path}`;
  if (d.form !== "trey book 1") {
    unread(at("form"), text(d.form, at("form")));
  }
  if (!["poker", "poker-highest-card", "pictures"].includes(d.ranking)) {
    unread(at("ranking"), String(d.ranking));
  }
  const wagers = Object.create(null);
  list(d.wagers, at("wagers")).forEach((w, i) => {
    const where = at(`wagers[${i}]`);
    const contest = Object.hasOwn(contests, fieldsOf(w, where).contest) ? contests[w.contest] : unread(`${where}.contest`, String(w.contest));
    wagers[text(w.wager, where)] = {
      contest, basis: w.basis, prescribed: w.stake === "prescribed" ? true : undefined, paidUnqualified: w.paid_unqualified,
      foldRuling: w.fold_ruling, stakeRuling: w.stake_ruling,
      evenUnqualified: w.even_unqualified, evenBeside: w.even_beside, evenRuling: w.even_ruling, envy: w.envy, clauses: settling(w.clauses),
    };
  });
  const devices = Object.create(null);
  for (const device of list(d.devices, at("devices"))) {
    devices[text(device.device, at("devices"))] = device.burn_ruling ?? device.burn ?? false;
  }
  const lines = list(d.order?.wagers, at("order.wagers"));
  for (const wager of [...lines, ...Object.values(wagers).map((w) => w.basis ?? "envy")]) {
    if (wager !== "envy" && !(wager in wagers)) {
      unread(at("order.wagers"), String(wager));
    }
  }
  const envy = d.envy;
  return {
    id: text(d.book, at("book")),
    order: d.ranking,
    devices,
    singles: d.devices.filter((device) => !device.packets).map((device) => device.device), // those that give one card at a time
    lines,
    qualify: d.qualify && { cards: text(d.qualify.least, at("qualify.least")).split(" "), clause: d.qualify.clause },
    decision: d.decision && { on: d.decision.on, raise: d.decision.raise, fold: d.decision.fold },
    fromRight: d.order.from_right,
    standing: d.boxes?.standing,
    collected: d.order.folded_first,
    behalf: d.boxes?.clauses?.on_behalf,
    void: d.bets?.void ?? "",
    over: d.bets?.over_after ?? "",
    raiseOver: d.bets?.play_over ?? "",
    raiseUnder: d.bets?.play_under ?? "",
    underOnce: d.bets?.under_once ?? "",
    unrevealed: d.examine?.clauses?.unrevealed,
    envy: envy && {
      needs: envy.needs ?? "", whenFolded: envy.when_folded_ruling, per: envy.per_ruling ?? "", own: envy.own_boxes_ruling,
      fromFolded: envy.from_folded_ruling, twoBets: envy.two_bets_ruling,
    },
    wagers,
  };
}

const settling = ({ fold, unqualified, win, lose, push, envy, unclaimed } = {}) => ({ fold, unqualified, win, lose, push, envy, unclaimed });

// Whether a declaration settles as this page knows the book; true where it knows none.
function asKnown(ref, book) {
  const known = Object.hasOwn(books, ref) ? books[ref] : null;
  const ranks = book.qualify && { ranks: book.qualify.cards.map((card) => card[0]).join(""), clause: book.qualify.clause };
  return !known || canonical({ ...book, qualify: ranks }) === canonical(known);
}

function payOf(row, where) {
  const pays = [];
  if (row.to !== undefined) {
    pays.push({ odds: [integer(row.to, where), integer(row.for, where)] });
  }
  if (row.fixed !== undefined) {
    pays.push({ fixed: integer(row.fixed, where) });
  }
  if (row.meter_percent !== undefined) {
    pays.push({ percent: integer(row.meter_percent, where) });
  }
  const [{ odds: [to, unit] = [0n, 1n], fixed = 0n, percent = 0n } = {}] = pays;
  const below = [to, fixed, percent, integer(row.envy ?? 0n, where)].some((amount) => amount < 0n);
  if (pays.length !== 1 || below || unit <= 0n || percent > 100n) {
    unread(where, canonical(row));
  }
  return pays[0];
}

/**
 * Reads the rules of a record.
 * @param {{declaration: string, terms: string}} r
 * @returns the rules in force: the book with its pay tables, limits and rulings
 */
export function readRules(r) {
  try {
    return rulesOf(r);
  } catch (why) {
    if (why instanceof Unread) {
      throw why;
    }
    if (why instanceof Fault || why instanceof TypeError) { // not of the form that there is
      throw new Unread(why.message);
    }
    throw why;
  }
}

function rulesOf({ declaration, terms }) {
  const d = fieldsOf(read(declaration), "declaration");
  const t = fieldsOf(read(terms), "terms");
  if (t.form !== "trey terms 1") {
    unread("terms.form", text(t.form, "terms.form"));
  }
  const book = bookOf(d);
  const ref = d.edition ? `${d.book}@${d.edition}` : d.book;
  const bookHash = hex(sha256(declaration));
  if (t.book !== ref || t.book_hash !== bookHash || t.revision !== d.revision) {
    unread("terms.book_hash", String(t.book_hash));
  }
  const v = {
    ref, book, bookHash, revision: integer(d.revision, "declaration.revision"), known: asKnown(ref, book), boxes: integer(t.boxes, "terms.boxes"),
    pays: Object.create(null), limits: Object.create(null), rulings: Object.create(null),
    rounding: { unit: integer(t.rounding.unit, "terms.rounding"), house: t.rounding.favour === "house" }, jackpot: t.jackpot ?? null,
    graceMs: integer(t.grace_ms, "terms.grace_ms"), questions: questionsIn(d),
    needs: new Map(d.wagers.filter((w) => w.needs).map((w) => [w.wager, w.needs])),
    incidents: new Map(list(d.incidents, "declaration.incidents").map(({ incident, cases }) => [incident, list(cases, "declaration.incidents")])),
  };
  if (v.rounding.unit <= 0n || !["house", "player"].includes(t.rounding.favour)) {
    unread("terms.rounding", canonical(t.rounding));
  }
  list(t.wagers, "terms.wagers").forEach((w, i) => {
    const where = `terms.wagers[${i}]`;
    if (!(text(w.wager, where) in book.wagers)) {
      unread(where, w.wager);
    }
    const { min, max } = w.limit;
    if (integer(min, where) < 0n || integer(max, where) < 0n || (max > 0n && min > max)) {
      unread(where, canonical(w.limit));
    }
    v.limits[w.wager] = { min, max };
    v.pays[w.wager] = {
      name: w.pays.name ?? "",
      rows: list(w.pays.rows, where).map((row) => ({
        combo: combos.includes(row.combo) ? row.combo : unread(where, String(row.combo)), pay: payOf(row, where), envy: row.envy ?? 0n, clause: row.clause ?? "",
      })),
    };
  });
  for (const wager of Object.keys(book.wagers)) {
    if (!(wager in v.pays)) {
      unread("terms.wagers", wager);
    }
  }
  for (const { ruling, values } of list(d.rulings, "declaration.rulings")) {
    const value = fieldsOf(t.rulings, "terms.rulings")[text(ruling, "declaration.rulings")];
    v.rulings[ruling] = list(values, "declaration.rulings").includes(value) ? value : unread(`terms.rulings.${ruling}`, String(value));
  }
  return v;
}

/** The hash by which terms are named. */
export const hashOf = (terms) => hex(sha256(terms));
