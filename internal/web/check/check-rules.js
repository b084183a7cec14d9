// The rules in force, read from the variant file that a record holds, and what
// the four books themselves say about settling: written here from the books, and
// apart from the program that dealt the round.
import { hex, sha256 } from "./check-deck.js";

const major = 100n;

/** Why rules are not read. */
export class Unread extends Error {}

const unread = (line, text) => {
  throw new Unread(`${line}: ${text}`);
};

// How a wager is decided: dealer (against his hand), hand (the player's own),
// points (equal ones), riding (paid on another wager, never lost).
const toOne = (combo, n) => [combo, { odds: [BigInt(n), 1n] }];
const dollars = (combo, n, envy = 0) => [combo, { fixed: BigInt(n) * major }, BigInt(envy) * major];
const anyHand = [toOne("any-hand", 1)];
const queen = { cards: ["Qs", "3h", "2d"] };

const threeCard = ["straight-flush", "three-of-a-kind", "straight", "flush", "pair"];
const odds = (combos, ...pays) => pays.map((n, i) => toOne(combos[i], n));
const bonus = ["akq-spades", "akq-suited", "straight-flush", "three-of-a-kind", "straight"];
const bonusTable = (name, envies, ...pays) => ({
  name,
  clause: `bonus.3.${name}`,
  rows: odds(bonus, ...pays).map(([combo, pay], i) => [combo, pay, BigInt(envies[i] ?? 0) * major]),
});

const books = {
  "rws-3cp@3": {
    id: "rws-3cp",
    order: "poker",
    devices: { shuffler: "burn_with_shuffler", shoe: true },
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
      ante: { contest: "dealer", paidUnqualified: true, tables: [{ clause: "4.1", rows: anyHand }], clauses: { fold: "3.12.1", unqualified: "3.13", win: "3.15.1", lose: "3.15.2", push: "3.15.3" } },
      play: { contest: "dealer", basis: "ante", tables: [{ clause: "4.1", rows: anyHand }], clauses: { fold: "3.12.1", unqualified: "3.13", win: "3.15.1", lose: "3.15.2", push: "3.15.3" } },
      "pair-plus": { contest: "hand", tables: [{ clause: "4.2", rows: odds(threeCard, 40, 30, 5, 4, 1) }], clauses: { fold: "3.12.1", lose: "1.11" } },
      "ante-bonus": { contest: "riding", basis: "ante", tables: [{ clause: "4.3", rows: odds(threeCard, 5, 4, 1) }], clauses: {} },
      progressive: {
        contest: "hand", prescribed: true, stakeRuling: "jackpot_stake", envy: true,
        tables: [{
          clause: "4.4",
          rows: [["akq-spades", { percent: 100n }, 250n * major], dollars("akq-suited", 1250, 50), dollars("straight-flush", 175), dollars("three-of-a-kind", 150), dollars("straight", 15)],
        }],
        clauses: { fold: "3.12.1", lose: "4.4", envy: "4.7" },
      },
    },
    rulings: {
      envy_when_folded: ["lost", "kept"], envy_per: ["hand", "round"], envy_own_boxes: ["no", "yes"], envy_from_folded: ["yes", "no"],
      jackpot_stake: ["kept-by-house", "returned"], ante_bonus_on_standoff: ["paid", "not-paid"], burn_with_shuffler: ["no", "yes"],
      outcome_established: ["at-deal-where-committed", "first-exposure", "at-deal"], unseen_wrong_count: ["hand", "round"], unseen_count_put_right: ["no", "yes"], option_unanswered: ["continues", "returned"],
      fold_before_deal: ["yes", "no"], paid_jackpot_stands: ["no", "yes"], found_after_payment: ["stands", "void"],
      moved_hands_options: ["no", "yes"], folded_options: ["no", "yes"], settled_options: ["yes", "no"], folded_affected: ["yes", "no"],
      second_hand_folded: ["lost", "returned"], exposed_burn: ["no", "yes"], exposed_after_deal: ["yes", "no", "ask"], dealers_hand_affects: ["against-it", "everybody"],
      low_progressive: ["returned", "stands"], drawn_in_order: ["no", "yes"], second_hit_down: ["reset", "registered"],
      unrevealed_hand: ["lost", "returned"], unrevealed_unqualified: ["paid", "not-paid"], unrevealed_envy: ["kept", "lost"],
    },
  },
  "us-3cp": {
    id: "us-3cp",
    order: "poker",
    devices: { shuffler: false, hand: false },
    lines: ["play", "ante-bonus", "ante", "pair-plus"],
    qualify: { ...queen, clause: "rules.7" },
    decision: { on: "ante", raise: "play", fold: "dealing.4" },
    fromRight: true,
    collected: "dealing.5",
    behalf: "dealing.1",
    void: "",
    over: "", raiseOver: "", raiseUnder: "", underOnce: "",
    wagers: {
      ante: { contest: "dealer", paidUnqualified: true, tables: [{ clause: "rules.10", rows: anyHand }], clauses: { fold: "rules.4", unqualified: "rules.8", win: "rules.10", lose: "rules.11", push: "rules.12" } },
      play: { contest: "dealer", basis: "ante", sharesLimits: true, tables: [{ clause: "pays.play", rows: anyHand }], clauses: { fold: "rules.4", unqualified: "rules.8", win: "rules.10", lose: "rules.11", push: "rules.12" } },
      "ante-bonus": { contest: "riding", basis: "ante", tables: [{ clause: "pays.ante-bonus", rows: odds(threeCard, 4, 3, 1) }], clauses: {} },
      "pair-plus": { contest: "hand", tables: [{ clause: "pays.pair-plus", rows: odds(threeCard, 40, 30, 5, 3, 1) }], clauses: { fold: "dealing.4", lose: "ways.2" } },
    },
    rulings: {
      outcome_established: ["at-deal-where-committed", "first-exposure", "at-deal"], interruption: ["conclude-or-void", "offer-to-withdraw"], option_unanswered: ["continues", "returned"],
      silent_irregularity: ["ask", "void"], absent_player: ["fold", "wait"], examine_own_boxes: ["all", "one"], adjacent_boxes: ["no", "yes"],
      stake_outside_limits: ["returned", "ask"], amounts_without_chips: ["yes", "no"],
    },
  },
  "sm-3cp": {
    id: "sm-3cp",
    order: "poker",
    devices: { shuffler: false },
    lines: ["ante", "play", "ante-bonus", "pair-plus", "bonus", "envy"],
    qualify: { ...queen, clause: "ways.1" },
    decision: { on: "ante", raise: "play", fold: "ways.1" },
    behalf: "bonus.8",
    void: "",
    over: "", raiseOver: "", raiseUnder: "", underOnce: "",
    envy: { needs: "", whenFolded: "bonus_after_fold", per: "", own: "envy_own_boxes", fromFolded: "envy_from_folded", twoBets: "envy_two_bets" },
    wagers: {
      ante: { contest: "dealer", paidUnqualified: true, tables: [{ clause: "ways.1", rows: anyHand }], clauses: { fold: "ways.1", unqualified: "ways.1", win: "ways.1", lose: "ways.1", push: "ways.1" } },
      play: { contest: "dealer", basis: "ante", tables: [{ clause: "ways.1", rows: anyHand }], clauses: { fold: "ways.1", unqualified: "ways.1", win: "ways.1", lose: "ways.1", push: "ways.1" } },
      "ante-bonus": { contest: "riding", basis: "ante", tables: [{ clause: "ways.1", rows: odds(threeCard, 5, 4, 1) }], clauses: {} },
      "pair-plus": { contest: "hand", tables: [{ clause: "ways.2", rows: odds(threeCard, 40, 30, 6, 4, 1) }], clauses: { fold: "ways.3", lose: "ways.2" } },
      bonus: {
        contest: "hand", foldRuling: "bonus_after_fold", envy: true,
        tables: [
          bonusTable("TCPB-03E", [100, 25, 5], 4000, 1000, 100, 75),
          bonusTable("TCPB-04E", [100, 25, 5], 3000, 1000, 50, 40, 6),
          { ...bonusTable("TCPB-01", [], 4000, 1000, 125, 100), clause: "bonus.4.TCPB-01" },
          { ...bonusTable("TCPB-02", [], 4000, 1000, 60, 40, 7), clause: "bonus.4.TCPB-02" },
        ],
        clauses: { fold: "ways.3", lose: "bonus.9a", envy: "bonus.10c" },
      },
    },
    rulings: {
      envy_own_boxes: ["no", "yes"], envy_from_folded: ["yes", "no"], envy_two_bets: ["bet", "player"], outcome_established: ["at-deal-where-committed", "first-exposure", "at-deal"], interruption: ["conclude-or-void", "offer-to-withdraw"],
      option_unanswered: ["continues", "returned"], bonus_after_fold: ["kept", "lost"], silent_irregularity: ["ask", "void"],
      absent_player: ["fold", "wait"], examine_own_boxes: ["all", "one"],
      stake_outside_limits: ["returned", "ask"], bonus_beside_pair_plus: ["yes", "no"],
    },
  },
  "mbs-3pictures@2": {
    id: "mbs-3pictures",
    order: "pictures",
    devices: { shuffler: false, shoe: false },
    lines: ["main", "tie", "royal-pictures"],
    behalf: "3.6",
    void: "",
    over: "5.11", raiseOver: "", raiseUnder: "", underOnce: "5.10",
    wagers: {
      main: { contest: "dealer", tables: [{ clause: "4.1", rows: [["six-points", { odds: [1n, 2n] }], toOne("any-hand", 1)] }], clauses: { win: "4.1", lose: "3.16", push: "1.1.5" } },
      tie: { contest: "points", tables: [{ clause: "4.1", rows: [toOne("any-hand", 8)] }], clauses: { win: "3.19", lose: "1.1.6" } },
      "royal-pictures": {
        contest: "hand",
        tables: [{ clause: "4.2", rows: odds(["three-kings", "three-queens", "three-jacks", "three-pictures", "picture-pair", "any-king"], 188, 128, 88, 18, 8, 1) }],
        clauses: { lose: "1.1.4" },
      },
    },
    rulings: { outcome_established: ["at-deal-where-committed", "first-exposure", "at-deal"], option_unanswered: ["continues", "returned"], found_after_payment: ["stands", "void"], tie_point_total: ["zero", "apart"],
      withdrawal_permitted_by: ["pit-supervisor", "pit-manager", "shift-manager"], withdrawal_until: ["reveal", "settlement"],
      first_player_left: ["passes-on", "dealer-opens"], unlooked_hand: ["yes", "no"], side_wager_first: ["yes", "no"],
      limits_per: ["wager", "area"], low_wagers_in_round: ["all", "one"],
      main_withdrawn: ["stands", "returned"], side_wagers_before_the_call: ["returned", "stands"], low_standoff: ["yes", "no"],
      dealer_count_after_payment: ["void", "stands"], turned_after_deal: ["yes", "no"],
    },
  },
};

// What every hand is comes last in a table, the rest from the best hand down.
const places = [
  "akq-spades", "akq-suited", "straight-flush", "three-of-a-kind", "straight", "flush", "pair",
  "three-kings", "three-queens", "three-jacks", "three-pictures", "picture-pair", "any-king", "six-points", "any-hand",
];

const sum = (text, line) => {
  const m = /^\$?([0-9]+)(?:\.([0-9]{1,2}))?$/.exec(text) ?? unread(line, text);
  return BigInt(m[1]) * major + BigInt((m[2] ?? "").padEnd(2, "0"));
};

function payOf(text, line) {
  const meter = /^([0-9]+)% of the meter$/.exec(text);
  if (meter) {
    return { percent: BigInt(meter[1]) };
  }
  if (text.startsWith("$")) {
    return { fixed: sum(text, line) };
  }
  const m = /^([0-9]+) to ([0-9]+)$/.exec(text) ?? unread(line, text);
  if (BigInt(m[2]) === 0n) {
    unread(line, text);
  }
  return { odds: [BigInt(m[1]), BigInt(m[2])] };
}

// A time such as 1m30s or 1.5s, in milliseconds.
function milliseconds(text, line) {
  const units = { h: 3_600_000n, m: 60_000n, s: 1_000n, ms: 1n };
  if (!/^(?:[0-9]+(?:\.[0-9]+)?(?:h|ms|m|s))+$/.test(text)) {
    unread(line, text);
  }
  let all = 0n;
  for (const [, whole, part = "", unit] of text.matchAll(/([0-9]+)(?:\.([0-9]+))?(h|ms|m|s)/g)) {
    all += BigInt(whole) * units[unit] + (BigInt(part || "0") * units[unit]) / 10n ** BigInt(part.length);
  }
  return all;
}

// The lines of the file, as [section, key, value, number of the line].
function* entries(text) {
  let section = "";
  let number = 0;
  for (const line of text.split("\n")) {
    number++;
    if (line === "" || line.startsWith("#")) {
      continue;
    }
    const head = /^\[([a-z.-]+)\]$/.exec(line);
    if (head) {
      section = head[1];
      continue;
    }
    const m = /^([a-z_-]+) = (.+)$/.exec(line) ?? unread(number, line);
    let value;
    try {
      value = JSON.parse(m[2]);
    } catch {
      unread(number, line);
    }
    yield [section, m[1], value, number];
  }
}

/**
 * Reads the rules of a record.
 * @param {string} text a variant file as the program writes it
 * @returns the rules in force: the book with its pay tables, limits and rulings
 */
export function readRules(text) {
  let book = null;
  let ref = "";
  const v = { id: "", boxes: 0n, chips: [], pays: {}, limits: {}, rulings: {}, graceMs: 15_000n, rounding: { unit: 1n, house: false }, jackpot: null };
  const envies = new Map();
  const picked = {};
  const rows = {};
  const seen = new Set();
  const terms = {};
  for (const [section, key, value, line] of entries(text)) {
    const name = `${section} ${key}`;
    if (seen.has(name)) {
      unread(line, key);
    }
    seen.add(name);
    if (name === " base") {
      book = Object.hasOwn(books, value) ? books[value] : unread(line, value);
      ref = value;
      continue;
    }
    if (!book) {
      unread(line, key);
    }
    const [group, wager] = section.split(".");
    if (wager !== undefined && !Object.hasOwn(book.wagers, wager)) {
      unread(line, section);
    }
    const text = (typeof value === "string" ? value : section === "" || section === "progressive" ? "" : unread(line, key));
    switch (group) {
      case "":
        if (key === "id" && text) {
          v.id = text;
        } else if (key === "boxes" && Number.isInteger(value)) {
          v.boxes = BigInt(value);
        } else if (key === "chips" && Array.isArray(value)) {
          v.chips = value.map((chip) => sum(chip, line));
        } else {
          unread(line, key);
        }
        break;
      case "limits":
        v.limits[wager] ??= { min: 0n, max: 0n };
        if (key !== "min" && key !== "max") {
          unread(line, key);
        }
        v.limits[wager][key] = text === "none" ? 0n : sum(text, line);
        break;
      case "pays":
        rows[wager] ??= [];
        if (key === "table") {
          picked[wager] = book.wagers[wager].tables.find((t) => t.name === text) ?? unread(line, text);
        } else if (!places.includes(key)) {
          unread(line, key);
        } else if (text !== "none") {
          rows[wager].push({ combo: key, pay: payOf(text, line), envy: 0n });
        }
        break;
      case "envy":
        envies.set(key, text === "none" ? 0n : sum(text, line));
        break;
      case "rulings":
        if (key === "interruption_grace") {
          v.graceMs = milliseconds(text, line);
        } else if (key === "six_pays_half_rounding") {
          const m = /^(?:chip ([0-9.]+) )?(player|house)$/.exec(text) ?? unread(line, text);
          v.rounding = { unit: m[1] ? sum(m[1], line) : 1n, house: m[2] === "house" };
        } else if (book.rulings[key]?.includes(text)) {
          v.rulings[key] = text;
        } else {
          unread(line, key);
        }
        break;
      case "progressive":
        terms[key] = value;
        break;
      default:
        unread(line, section);
    }
  }
  if (!book) {
    unread(1, "base");
  }
  v.book = book;
  v.ref = ref;
  for (const [key, choices] of Object.entries(book.rulings)) {
    v.rulings[key] ??= choices[0];
  }
  for (const [wager, rule] of Object.entries(book.wagers)) {
    const table = picked[wager] ?? rule.tables[0];
    const list = (rows[wager] ?? unread(1, `pays.${wager}`)).sort((a, b) => places.indexOf(a.combo) - places.indexOf(b.combo));
    for (const row of list) {
      row.clause = table.clause;
      if (rule.envy) {
        row.envy = envies.get(row.combo) ?? 0n;
      }
    }
    v.pays[wager] = { name: named(rule, list), rows: list };
    v.limits[wager] ??= { min: 0n, max: 0n };
    if (rule.sharesLimits) {
      v.limits[wager] = v.limits[rule.basis];
    }
  }
  if (book.wagers.progressive && terms.enabled !== false) {
    const rate = /^(?:([0-9]+)%|([0-9]+)\/([0-9]+))$/.exec(terms.rate ?? "") ?? unread(1, "progressive.rate");
    const amount = (key) => sum(String(terms[key]), `progressive.${key}`);
    v.jackpot = {
      bet: amount("bet"), reset: amount("reset"), num: BigInt(rate[1] ?? rate[2]), den: BigInt(rate[3] ?? "100"), ceiling: amount("ceiling"),
    };
    v.limits.progressive = { min: v.jackpot.bet, max: v.jackpot.bet };
  }
  return v;
}

// A table of the text keeps its name.
function named(rule, rows) {
  const same = (table) =>
    table.rows.length === rows.length &&
    rows.every((row, i) => {
      const [combo, pay, envy = 0n] = table.rows[i];
      return row.combo === combo && row.envy === envy && row.clause === table.clause && payText(row.pay) === payText(pay);
    });
  return rule.tables.find(same)?.name ?? "";
}

const payText = (pay) => `{"Odds":{"To":${pay.odds?.[0] ?? 0n},"For":${pay.odds?.[1] ?? 0n}},"Fixed":${pay.fixed ?? 0n},"MeterPercent":${pay.percent ?? 0n}}`;

/**
 * The hash of everything that can change how a round is played or paid, as
 * records have it.
 */
export function hashOf(v) {
  const wagers = Object.keys(v.book.wagers).map((wager) => {
    const { name, rows } = v.pays[wager];
    const list = rows.map((row) => `{"Combo":"${row.combo}","Pay":${payText(row.pay)},"Envy":${row.envy},"Clause":"${row.clause}"}`);
    const { min, max } = v.limits[wager];
    return `{"Wager":"${wager}","Limit":{"Min":${min},"Max":${max}},"Pays":{"Name":"${name}","Rows":[${list.join(",")}]}}`;
  });
  const rulings = Object.keys(v.book.rulings).sort().map((key) => `"${key}":"${v.rulings[key]}"`);
  const j = v.jackpot;
  const jackpot = j ? `{"bet":${j.bet},"reset":${j.reset},"rate_num":${j.num},"rate_den":${j.den},"ceiling":${j.ceiling}}` : "null";
  const text = `{"Book":"${v.ref}","Boxes":${v.boxes},"Wagers":[${wagers.join(",")}],"Chips":[${v.chips.join(",")}],"Rulings":{${rulings.join(",")}},` +
    `"Rounding":{"Unit":${v.rounding.unit},"Favour":${v.rounding.house ? 1 : 0}},"GraceMs":${v.graceMs},"Jackpot":${jackpot}}`;
  return hex(sha256(text)).slice(0, 16);
}
