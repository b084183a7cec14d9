// What a book makes of an incident, by the table that it declares. Conditions that only the
// engine can decide are left open, so more than one case can come into question.
import { canonical } from "./check-exact.js";
import { listOf } from "./check-findings.js";

/** The incidents that the book's table of misdeals decides. */
export const misdeals = ["misdeal", "card-exposed", "dealt-incorrectly", "wrong-count", "burn-missed", "dealing-error"];
/** What can happen where no hand deals or holds cards, and the deck is one that was committed to. */
export const virtual = ["walked-away", "late-bet", "late-withdrawal", "progressive-down", "interruption", "uncovered", "mispaid", "hands-discussed"];

const deckSize = 52n;

// Whether a condition of a case holds; undefined where this check cannot decide it.
function holds(when, report, { v, part, examined, box, complete, inPlace, exposed, settledAtDeal }) {
  switch (when) {
    case "dealer-count":
      return complete(["dealer"]) ? false : undefined;
    case "hand-count":
      return complete() ? false : undefined;
    case "misplaced":
    case "burn-dealt":
    case "misplaced-beside-burn":
    case "others-misplaced":
      return inPlace ? false : undefined;
    case "one-exposed":
    case "two-exposed":
    case "only-burn-exposed":
      return exposed ? undefined : false;
    case "no-round":
      return part === "over";
    case "established":
      return part === "showing" || settledAtDeal || (part === "over" ? false : undefined);
    case "brief":
      return (report.lasted_ms ?? 0n) < v.graceMs;
    case "count-wrong":
      return report.count !== deckSize;
    case "order-known":
      return report.order_known === true;
    case "devices-only":
      return report.box !== undefined || listOf(report.boxes).length > 0;
    case "looked-at":
      return report.looked === true;
    case "nobody-looked":
      return report.before_look ? true : examined ? false : undefined;
    case "somebody-looked":
      return report.before_look ? false : examined || undefined;
    case "folded-hand":
      return box?.decision === "folded";
    default:
      return undefined;
  }
}

/** The cases that can decide a report: the first one of which all conditions hold, and those before it. */
export function casesOf(report, at) {
  const { incidents, rulings } = at.v;
  const of = misdeals.includes(report.incident) ? "misdeal" : report.incident;
  const found = [];
  for (const each of incidents.get(of) ?? incidents.get("uncovered") ?? []) {
    const hold = listOf(each.when).map((when) => holds(when, report, at));
    if (hold.includes(false) || (each.ruling && rulings[each.ruling] !== each.value)) {
      continue;
    }
    found.push(each);
    if (!hold.includes(undefined)) {
      break;
    }
  }
  return found;
}

/** Whether a question is one that the book declares, with its answers and what they lead to. */
export function isDeclared(v, { key, role, clause, answers }) {
  const asked = { question: key, role, clause, answers: listOf(answers).map(({ key: answer, ...leads }) => ({ answer, ...leads })) };
  return v.questions.some((question) => canonical(question) === canonical(asked));
}

/** All questions that a declaration has, wherever they stand in it. */
export function questionsIn(value) {
  if (value === null || typeof value !== "object") {
    return [];
  }
  const within = Object.values(value).flatMap(questionsIn);
  return "question" in value && "answers" in value ? [value, ...within] : within;
}
