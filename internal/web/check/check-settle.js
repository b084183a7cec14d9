// Settles one player's wagers on one box, from the rules in force, the cards and
// the stakes. All amounts are BigInts of minor units.
import { rank } from "./check-hands.js";

/** Why wagers cannot be settled; the message is the key of one of the page. */
export class Unsettled extends Error {}

const round = (v, stake, [to, unit]) => {
  const exact = stake * to;
  const step = unit * v.rounding.unit;
  const units = exact / step;
  return (units + (exact % step !== 0n && !v.rounding.house ? 1n : 0n)) * v.rounding.unit;
};

/** Whether the dealer plays with this hand. */
export function qualifies(v, dealer) {
  const least = v.book.qualify;
  return !least || rank(v.book.order, dealer).strength >= rank(v.book.order, least.cards).strength;
}

const rowFor = (v, wager, ending) => v.pays[wager].rows.find((row) => ending.combos.has(row.combo));

// What of a stake wins or loses, and the clause for its size if that was wrong.
function atRisk(v, wager, stakes) {
  const { basis, contest } = v.book.wagers[wager];
  if (contest === "riding") {
    return atRisk(v, basis, stakes);
  }
  let amount = stakes[wager];
  let clause = "";
  let limit = v.limits[wager].max;
  if (basis) {
    const full = stakes[basis] ?? 0n;
    limit = v.limits[basis].max;
    if (amount < full) {
      clause = v.book.raiseUnder;
    } else if (amount > full && v.book.raiseOver) {
      [amount, clause] = [full, v.book.raiseOver];
    }
  }
  if (v.book.over && limit > 0n && amount > limit) {
    [amount, clause] = [limit, clause || v.book.over];
  }
  return [amount, clause];
}

/** The most that a wager can bring, apart from a share of the meter; undefined for the Envy Bonus. */
export function mostReturned(v, wager, stakes) {
  const rule = v.book.wagers[wager];
  if (!rule) {
    return undefined;
  }
  const riding = rule.contest === "riding";
  const stake = stakes[riding ? rule.basis : wager] ?? 0n;
  if (stake === 0n) {
    return 0n;
  }
  const [risk] = atRisk(v, wager, stakes);
  const kept = rule.stakeRuling && v.rulings[rule.stakeRuling] === "kept-by-house";
  const pays = v.pays[wager].rows.map(({ pay }) => pay.fixed ?? (pay.odds ? round(v, risk, pay.odds) : 0n));
  const back = riding ? 0n : stake - (kept ? risk : 0n);
  return back + pays.reduce((best, p) => (p > best ? p : best), 0n);
}

/**
 * @param v the rules in force
 * @param {{player: string[], dealer: string[], stakes: Object<string, bigint>, folded: boolean, unrevealed: boolean, meter: bigint,
 *   others: {cards: string[], own: boolean, folded: boolean, stakes: Object<string, bigint>}[]}} showdown
 * @returns the lines in the order of the book
 */
export function settle(v, { player, dealer, stakes, folded, unrevealed, meter, others }) {
  const { book } = v;
  const mine = rank(book.order, player);
  const theirs = folded ? null : rank(book.order, dealer);
  const plays = folded || qualifies(v, dealer) || (unrevealed && v.rulings.unrevealed_unqualified === "not-paid");
  const lines = [];
  const won = (line, row, back, on) => {
    if (row.pay.percent !== undefined) {
      if (meter <= 0n) {
        throw new Unsettled("no-meter");
      }
      line.pays = (meter * row.pay.percent) / 100n;
    } else {
      line.pays = row.pay.fixed ?? round(v, on, row.pay.odds);
    }
    Object.assign(line, { result: "win", clause: row.clause, combo: row.combo, returned: back + line.pays });
  };
  for (const wager of book.lines) {
    if (wager === "envy") {
      lines.push(...envy(v, { stakes, folded, unrevealed, others }));
      continue;
    }
    const rule = book.wagers[wager];
    const riding = rule.contest === "riding";
    const stake = stakes[riding ? rule.basis : wager] ?? 0n;
    if (stake === 0n) {
      continue;
    }
    const [risk, clause] = atRisk(v, wager, stakes);
    const line = { wager, stake: riding ? 0n : stake, result: "lose", pays: 0n, returned: 0n, clause: "", combo: "" };
    const row = unrevealed ? v.pays[wager].rows.find((each) => each.combo === "any-hand") : rowFor(v, wager, mine);
    if (folded && (!rule.foldRuling || v.rulings[rule.foldRuling] === "lost")) {
      if (riding) {
        continue;
      }
      line.clause = rule.clauses.fold;
    } else if (unrevealed && (plays || rule.contest !== "dealer")) {
      if (riding) {
        continue;
      }
      // What depends on the rank of a hand that nobody has established.
      line.clause = rule.clauses.unclaimed ?? book.unrevealed;
      if (v.rulings.unrevealed_hand === "returned") {
        Object.assign(line, { result: "returned", returned: risk });
      }
    } else if (riding) {
      const level = plays && !folded && mine.strength === theirs.strength;
      if (!row || (level && v.rulings.ante_bonus_on_standoff === "not-paid")) {
        continue;
      }
      won(line, row, 0n, risk);
    } else if (rule.contest === "dealer") {
      let how = "push";
      if (!plays) {
        how = "unqualified";
      } else if (folded || mine.strength < theirs.strength) {
        how = "lose";
      } else if (mine.strength > theirs.strength) {
        how = "win";
      }
      if (how === "win" || (how === "unqualified" && rule.paidUnqualified)) {
        const beside = rule.evenBeside && (stakes[rule.evenBeside] ?? 0n) > 0n && v.rulings[rule.evenRuling] === "no" && !unrevealed && rowFor(v, rule.evenBeside, mine);
        const even = (how === "unqualified" && rule.evenUnqualified) || beside;
        won(line, even ? v.pays[wager].rows.find((each) => each.combo === "any-hand") : row, risk, risk);
        line.combo = "";
      } else if (how !== "lose") {
        Object.assign(line, { result: "push", returned: risk });
      }
      line.clause = rule.clauses[how] ?? line.clause;
    } else if (rule.contest === "points") {
      const theirs = rank(book.order, dealer);
      const three = mine.pictures === 3 || theirs.pictures === 3;
      const equal = v.rulings.tie_point_total === "apart" && three ? mine.strength === theirs.strength : mine.points === theirs.points;
      if (equal) {
        won(line, row, risk, risk);
        Object.assign(line, { clause: rule.clauses.win, combo: "" });
      } else {
        line.clause = rule.clauses.lose;
      }
    } else if (row) {
      won(line, row, rule.stakeRuling && v.rulings[rule.stakeRuling] === "kept-by-house" ? 0n : risk, risk);
    } else {
      line.clause = rule.clauses.lose;
    }
    if (!riding) {
      line.clause = clause || line.clause;
      line.excess = stake - risk;
      line.returned += line.excess;
    }
    lines.push(line);
  }
  return lines;
}

/**
 * The Envy Bonuses of a player: for the hands of other boxes, never for one's own.
 *
 * @param v the rules in force
 * @param showdown as for settle: the player's stakes and hand, and the others
 * @returns the lines, one for each hand that brings one, or one where the rules pay one a round
 */
export function envy(v, { stakes, folded, unrevealed, others }) {
  const rule = v.book.envy;
  const wager = Object.keys(v.book.wagers).find((name) => v.book.wagers[name].envy);
  if (!rule || !stakes[wager] || (folded && v.rulings[rule.whenFolded] === "lost") || (unrevealed && v.rulings.unrevealed_envy === "lost")) {
    return [];
  }
  const lines = [];
  for (const other of others) {
    if (
      (other.own && v.rulings[rule.own] === "no") ||
      (rule.needs && !other.stakes[rule.needs]) ||
      (other.folded && rule.fromFolded && v.rulings[rule.fromFolded] === "no")
    ) {
      continue;
    }
    const row = rowFor(v, wager, rank(v.book.order, other.cards));
    if (!row || row.envy === 0n) {
      continue;
    }
    lines.push({ wager: "envy", stake: 0n, result: "win", pays: row.envy, returned: row.envy, clause: v.book.wagers[wager].clauses.envy, combo: row.combo });
  }
  if (rule.per && v.rulings[rule.per] === "round" && lines.length > 1) {
    return [lines.reduce((best, line) => (line.pays > best.pays ? line : best))];
  }
  return lines;
}
