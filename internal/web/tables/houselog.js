// Shows in one line whether the signed record of the house goes on from what this browser has
// seen, and whether it contains a round that was played. If it does not go on, the line is an alert.
import { house, ofTheHistory } from "./check-house.js";
import { logged, parse } from "./check-log.js";

const place = document.getElementById("log-check");

function message(key, args = {}) {
  return place.dataset[key].replace(/\{([a-z]+)\}/g, (_, name) => String(args[name]));
}

/**
 * Checks the log of the house, and a round in it.
 * @param {{table: string, round: bigint, proof: string, steps: object[]}} [record] as check-exact.js reads it
 * @param {string} [text] its document
 */
export async function checkLog(record, text) {
  if (!place) {
    return;
  }
  let now;
  let findings = [];
  try {
    now = await house();
    if (record && now.state !== "none") {
      findings = await logged(record, text, now.key);
      // The house could prove its rounds in another tree than the one that it shows.
      const ours = now.state !== "broken" && findings.some((f) => f.sentence === "log-signed" || f.sentence === "log-cannot");
      if (ours && (await ofTheHistory(parse(String(record.proof)).signed)) === "no") {
        now = { ...now, state: "broken" };
      }
    }
  } catch {
    return; // the house is away: another time
  }
  if (now.state === "none") {
    return;
  }
  const parts = [message(now.state, { n: now.size })];
  const found = (sentence) => findings.find((f) => f.sentence === sentence);
  const failed = findings.some((f) => f.result === "failed");
  if (failed) {
    parts.push(message("differs", { round: record.round }));
  } else if (now.state !== "broken" && found("log-in") && !found("log-unknown")) {
    parts.push(message("signed", { round: record.round, leaf: found("log-in").args.leaf }));
  }
  const wrong = failed || now.state === "broken";
  if (wrong) {
    place.setAttribute("role", "alert");
  }
  place.textContent = parts.join(" ");
  place.dataset.result = wrong ? "broken" : now.state;
  place.classList.toggle("alarm", wrong);
  place.classList.toggle("note", wrong || now.state === "open");
  place.classList.toggle("soft", !wrong && now.state !== "open");
}

checkLog();
