// Whether a house has signed a result of the dealer school, and what the result says.
import { hex, sha256 } from "./check-deck.js";
import { ed25519, joined, signedBy, signedNote } from "./check-log.js";

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
    const result = JSON.parse(signed.lines);
    const complete = typeof result.book === "string" && typeof result.seed === "string" && [result.rounds, result.tasks, result.began_ms, result.took_ms].every(Number.isSafeInteger) &&
      Object.values(result.errors).every(Number.isSafeInteger) && (result.typed === undefined || typeof result.typed === "string") && (result.person === undefined || Number.isSafeInteger(result.person));
    return result.result === "trey school result v1" && complete ? { tree: signed.tree, result, signed } : null;
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

/** The key of a house as it signs statements for a purpose: under its name with that behind it. */
function keyFor(house, purpose) {
  const name = `${house.name}/${purpose}`;
  return { ...house, name, id: hex(sha256(joined(`${name}\n`, Uint8Array.of(ed25519), house.bytes)).slice(0, 4)) };
}

/** Reads a signed statement for a purpose: the name of the house's tree and what follows its first line; nothing where it is none. */
function statement(note, purpose) {
  const signed = signedNote(note);
  const [, tree, lines] = /^([^\n]+)\n([^]*)$/.exec(signed?.text) ?? [];
  return tree?.endsWith(`/${purpose}`) ? { ...signed, name: tree, tree: tree.slice(0, -purpose.length - 1), lines } : null;
}
