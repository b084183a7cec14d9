// Whether the checkpoint from before the bets is one of the tree that a house signed: it could
// have shown the players of a round a tree of their own.
import { checkpoint, consistent, cosignedBy, parse, path, signedBy } from "./check-log.js";

/**
 * Whether the checkpoint before the bets is one of the tree that was signed, as the name of a
 * sentence and its result. It is one of another tree where the house went on from a copy after
 * the round.
 * @param {string} note the checkpoint
 * @param {object} signed that of the proof, signed by the house
 * @param {object} house the key that signed it
 * @param {((level: number, n: bigint, width: number) => Promise<Uint8Array>) | null} tile
 * @returns {Promise<[string, "proven" | "failed" | "open"]>}
 */
export async function before(note, signed, house, tile) {
  const first = checkpoint(note);
  if (!first || (await signedBy(first, house)) === "no" || (first.name === signed.name && first.size > signed.size)) {
    return ["log-before-forged", "failed"];
  }
  if (first.name !== signed.name) {
    return ["log-before-other", "open"];
  }
  if ((await signedBy(first, house)) === "other") {
    return ["log-before-unknown", "open"];
  }
  try {
    return consistent(first, signed, await path(first.size, signed.size, tile)) ? ["log-grown", "proven"] : ["log-fork", "failed"];
  } catch {
    return ["log-tiles", "open"]; // the house does not show its tree
  }
}

/**
 * The same of a record whose proof the house has signed, as findings, and whether a witness has
 * cosigned it.
 * @param {any} r a document as read by check-exact.js
 * @param {object} house the key of the house
 * @param {(level: number, n: bigint, width: number) => Promise<Uint8Array>} tile a tile of its tree
 * @param {object | null} witness the key of a witness
 */
export async function beforeTheBets(r, house, tile, witness) {
  const { signed } = parse(r.proof);
  const [sentence, result] = await before(r.seed.checkpoint, signed, house, tile);
  const finding = (result, sentence, args) => ({ check: "log", result, sentence, args, ...(result === "failed" && { where: "seed.checkpoint" }) });
  const findings = [finding(result, sentence, { tree: signed.name })];
  const first = checkpoint(r.seed.checkpoint);
  const { by } = first && witness ? await cosignedBy(first, witness) : {};
  if (by === "no" || by === "other") {
    findings.push(by === "no" ? finding("failed", "log-before-word", { witness: witness.name }) : finding("open", "log-before-unseen", { witness: witness.name }));
  }
  return findings;
}
