// Whether a house has signed a result of the dealer school, and what the result says.
import { keyFor, signedBy, statement } from "./check-log.js";

const purpose = "school";

/** Whether a text is a signed result rather than the record of a round. */
export function isResult(text) {
  return /^[^\n{]+\/school\n/.test(text);
}

/**
 * Reads a signed result.
 * @param {string} text
 * @returns {{tree: string, result: any, signed: object} | null} nothing where it is none
 */
export function readResult(text) {
  const signed = statement(text, purpose);
  if (!signed) {
    return null;
  }
  try {
    const said = JSON.parse(signed.lines);
    const whole = typeof said.book === "string" && typeof said.seed === "string" && [said.rounds, said.tasks, said.began_ms, said.took_ms].every(Number.isSafeInteger) &&
      Object.values(said.errors).every(Number.isSafeInteger) && (said.typed === undefined || typeof said.typed === "string") && (said.person === undefined || Number.isSafeInteger(said.person));
    return said.result === "trey school result v1" && whole ? { tree: signed.tree, result: said, signed } : null;
  } catch {
    return null; // it is not JSON, or lacks a part
  }
}

/**
 * Whether the house of a key has signed a result: "yes", "no", "other" where it is not that
 * key's, and "cannot" where the browser does not know.
 */
export function resultBy({ signed }, house) {
  return signedBy(signed, keyFor(house, purpose));
}
