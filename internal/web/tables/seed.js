// The browser's own part in the shuffle. It keeps the commitment that it saw before the bet, adds
// a random seed after it, and holds the record of the round against both.
import { commitment, deckSeed, shuffle } from "./check-deck.js";
import { read } from "./check-exact.js";
import { ask, newKey } from "./fragment.js";
import { checkLog } from "./houselog.js";

const page = document.querySelector("[data-player]");
const place = document.getElementById("seed");
const verdict = document.getElementById("seed-check");
const auto = document.getElementById("seed-auto");
const button = document.querySelector(".seed-form button");
const off = "trey-seed-off";
const most = 8; // rounds that wait for their record

if (page?.dataset.player && verdict) {
  const { table, player } = page.dataset;
  const name = `trey-seeds:${table}`;
  const kept = JSON.parse(sessionStorage.getItem(name) ?? "[]");
  const keep = () => sessionStorage.setItem(name, JSON.stringify(kept.slice(-most)));
  const showVerdict = (word, round) => {
    verdict.textContent = verdict.dataset[word].replace("{round}", round);
    verdict.dataset.result = word;
    verdict.dataset.round = round;
  };

  /** What the page shows now; nothing where no deck is committed to. */
  const roundShown = () => {
    const now = place.querySelector("[data-commitment]");
    return now && { round: Number(now.dataset.round), hash: now.dataset.commitment };
  };

  const add = async (mine) => {
    const random = crypto.getRandomValues(new Uint8Array(16));
    const text = Array.from(random, (b) => b.toString(16).padStart(2, "0")).join("");
    mine.text = text;
    keep();
    let refused;
    try {
      refused = await ask(page.dataset.do, { method: "POST", body: new URLSearchParams({ do: `seed:${mine.round}`, text, key: newKey() }) });
    } catch {
      return; // it is unknown whether the house received it
    }
    if (refused.trim() === "") {
      mine.added = true;
    } else if (mine.text === text) {
      mine.text = "";
      mine.late = true;
    }
    keep();
  };

  /** Returns the key of what is wrong with the record of a round, or of its being right. */
  const judge = (record, mine) => {
    const { commitment: hash, seed, own: added = [] } = record.seed;
    if (hash !== mine.hash || commitment(table, mine.round, seed) !== mine.hash) {
      return "changed";
    }
    // The record has a number where the page has a name.
    const number = Object.entries(record.names).find(([, name]) => name === player)?.[0];
    const there = added.some((o) => o.player === number && [mine.text, mine.other].includes(o.text));
    if (mine.added && !there) {
      return "missing";
    }
    const dealt = record.steps.filter((s) => s.kind === "deal").flatMap((s) => s.body.cards.map((c) => c.card));
    const deck = shuffle(deckSeed(hash, seed, added));
    if (!dealt.every((card, i) => card === deck[i])) {
      return "deck";
    }
    return there ? "kept" : "without";
  };

  const check = async (mine) => {
    mine.asked = true;
    let answer;
    try {
      answer = await fetch(`/api/v1/tables/${encodeURIComponent(table)}/rounds/${mine.round}`, { headers: { Accept: "application/json" } });
      if (answer.ok) {
        const text = await answer.text();
        showVerdict(judge(JSON.parse(text), mine), mine.round);
        checkLog(read(text), text);
      }
    } catch {
      mine.asked = false; // the house is away: another time
      return;
    }
    if (answer.status !== 429 && answer.status < 500) {
      kept.splice(kept.indexOf(mine), 1);
    } else {
      mine.asked = false;
    }
    keep();
  };

  const update = () => {
    const now = roundShown();
    if (!now) {
      return;
    }
    button.value = `seed:${now.round}`;
    let mine = kept.find((k) => k.round === now.round);
    if (!mine) {
      mine = { round: now.round, hash: now.hash };
      kept.push(mine);
      keep();
    } else if (mine.hash !== now.hash) {
      showVerdict("changed", now.round);
      return;
    }
    // the house shows it
    if (mine.other && [...place.querySelectorAll("code")].some((code) => code.textContent === mine.other)) {
      mine.text = mine.other;
      mine.added = true;
      keep();
    }
    if (document.querySelector(".seat-in.own")) {
      mine.bet = true;
      keep();
      if (auto.checked && !mine.text && !mine.other && !mine.late) {
        add(mine);
      }
    }
    // Whoever had no bet in a round has no record of it.
    for (const past of kept.filter((k) => k.round < now.round && !k.asked)) {
      if (past.bet) {
        check(past);
      } else {
        kept.splice(kept.indexOf(past), 1);
      }
    }
  };

  for (const one of kept) {
    one.asked = false;
  }
  auto.checked = !localStorage.getItem(off);
  auto.addEventListener("change", () => {
    if (auto.checked) {
      localStorage.removeItem(off);
    } else {
      localStorage.setItem(off, "1");
    }
    update();
  });
  // A seed of the player's own takes the place of the browser's.
  document.querySelector(".seed-form").addEventListener("submit", (event) => {
    const mine = kept.find((k) => k.round === roundShown()?.round);
    if (mine) {
      mine.other = event.target.elements.text.value;
      keep();
    }
  }, { capture: true });
  document.addEventListener("parts", update);
  update();
}
