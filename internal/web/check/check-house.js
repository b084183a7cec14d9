// What this browser has stored of the house whose page this is: its key and the newest
// checkpoint that it has seen. The next one has to go on from that.
import { checkpoint, consistent, key, path, signedBy, successors } from "./check-log.js";

const place = "trey-house-log";

async function text(address) {
  const answer = await fetch(address, { cache: "no-store" });
  return answer.ok ? answer.text() : "";
}

/** The address of a tile: its number in groups of three digits. */
function address(level, n, width) {
  const groups = n.toString().padStart(Math.ceil(n.toString().length / 3) * 3, "0").match(/.{3}/g);
  const number = groups.map((g, i) => (i < groups.length - 1 ? `x${g}` : g)).join("/");
  return `/log/tile/${level}/${number}${width < 256 ? `.p/${width}` : ""}`;
}

/** A tile of the house's tree. */
export async function tile(level, n, width) {
  const answer = await fetch(address(level, n, width));
  if (!answer.ok) {
    throw new Error(`tile ${level}/${n}: ${answer.status}`);
  }
  return new Uint8Array(await answer.arrayBuffer());
}

const broken = (line) => ({ state: "broken", key: line && key(line), size: 0n });

/** Whether one of two trees begins with the other: "yes", "no", or "open" where the house does not show it. */
async function agree(one, other) {
  const [older, newer] = one.size > other.size ? [other, one] : [one, other];
  try {
    return consistent(older, newer, await path(older.size, newer.size, tile)) ? "yes" : "no";
  } catch {
    return "open";
  }
}

/** Whether a signed checkpoint is of the history that this browser has seen, which goes on: "yes", "no", or "open". */
export async function ofTheHistory(signed) {
  const kept = JSON.parse(localStorage.getItem(place) ?? "null");
  const seen = kept && checkpoint(kept.note);
  return seen?.name === signed.name ? agree(seen, signed) : "open";
}

/**
 * Checks the log of the house, and stores the newest checkpoint.
 * @returns {Promise<{state: "none" | "first" | "on" | "cannot" | "open" | "broken", key?: object, size?: bigint}>}
 * "cannot" is like "on", but nobody has verified the signature; with "open" the house does not show
 * that its tree goes on; with "broken" it shows another history, or a key that none before has named.
 */
export async function house() {
  const kept = JSON.parse(localStorage.getItem(place) ?? "null");
  // A checkpoint is read before the key: a house that changes its key signs anew.
  const note = await text("/log/checkpoint");
  const line = (await text("/log/key")).trim();
  const now = checkpoint(note);
  const current = key(line);
  if (!now || !current) {
    return kept ? broken(kept.key) : { state: "none" };
  }
  let known = kept ? key(kept.key) : current;
  let by = await signedBy(now, known);
  if (kept && by === "other" && now.name === known.name) {
    for (const next of await successors(known, await text("/log/succession"))) {
      const answer = await signedBy(now, next);
      if (answer === "yes" || answer === "cannot") {
        [known, by] = [next, answer];
      }
    }
  }
  if (by === "no" || by === "other") {
    return broken(kept?.key ?? line);
  }
  let state = by === "cannot" ? "cannot" : "on";
  if (kept) {
    const before = checkpoint(kept.note);
    const agrees = await agree(before, now);
    if (agrees !== "yes") {
      return agrees === "no" ? broken(kept.key) : { state: "open", key: key(kept.key), size: before.size };
    }
    if (now.size < before.size) {
      return { state, key: known, size: before.size }; // an answer that was overtaken by another one
    }
  } else if (state === "on") {
    state = "first";
  }
  localStorage.setItem(place, JSON.stringify({ key: known.line, note }));
  return { state, key: known, size: now.size };
}
