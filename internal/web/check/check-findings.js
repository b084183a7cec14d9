// What a check of a round finds, and where. Beside it stand the few things that all
// parts of the check use.
import { canonical } from "./check-exact.js";

/** The checks, in the order of the report. */
export const checks = ["record", "rules", "course", "commitment", "cards", "hands", "settlement", "money", "jackpot", "log"];

export const same = (a, b) => canonical(a) === canonical(b);
export const listOf = (v) => v ?? [];
export const key = (...parts) => JSON.stringify(parts.map(String));

/**
 * Findings about one record. A finding has its check, whether it is "proven", "failed"
 * or "open", the key of its sentence and what stands in it; where it failed also the
 * place in the record and what was expected and found, each a pair of kind and value.
 */
export class Findings {
  constructor(r) {
    this.r = r;
    this.findings = [];
    this.where = "";
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
    const equal = same(found, expected);
    if (!equal) {
      this.fail(check, sentence, args, { expected: ["value", expected], found: ["value", found] });
    }
    return equal;
  }

  failAt(where, check, sentence, args, expected, found) {
    const before = this.where;
    this.where = where;
    this.fail(check, sentence, args, { ...(expected && { expected: ["line", expected] }), ...(found && { found: ["line", found] }) });
    this.where = before;
  }
}
