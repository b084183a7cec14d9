// The page on which a round is checked: takes a record, has it checked in this
// browser, and shows line by line what was found. Nothing of it is sent anywhere.
import { beforeTheBets } from "./check-before.js";
import { read, Fault } from "./check-exact.js";
import { checks } from "./check-findings.js";
import { house, ofTheHistory, tile } from "./check-house.js";
import { logged, parse, witnessKey } from "./check-log.js";
import { checking } from "./check-record.js";
import { isResult, readResult, resultBy } from "./check-school.js";

const most = 16 << 20; // bytes of a record; no round is longer
const namedFailures = 8; // in the verdict itself

const words = new Map([...document.getElementById("check-words").content.children].map((e) => [e.dataset.word, e.textContent]));
const cards = new Map([...document.getElementById("check-cards").content.children].map((e) => [e.dataset.card, e.firstElementChild]));
const verdict = document.getElementById("check-verdict");
const fault = document.getElementById("check-fault");
const text = document.getElementById("check-text");

// Returns a message in the language of the page. One that is missing is a fault of this program.
function message(name, args = {}) {
  const sentence = words.get(name);
  if (sentence === undefined) {
    throw new Error(`no message ${name}`);
  }
  return sentence.replace(/\{([a-z]+)\}/g, (_, key) => written(key, args[key]));
}

let names = {}; // of the persons in the record that is shown, by what stands for them there

/** Returns the name of a person beside what stands for them in the record. */
function called(token) {
  return Object.hasOwn(names, token) ? `${names[token]} (${token})` : String(token);
}

/** Returns an account with the name of the person whose it is. */
function accountName(account) {
  const [kind, token] = String(account).split(/:(.*)/s, 2);
  return token === undefined ? kind : `${kind}:${called(token)}`;
}

const known = (group, name) => words.get(`${group}-${name}`) ?? String(name);

function money(amount) {
  const size = amount < 0n ? -amount : amount;
  const cents = size % 100n;
  const dollars = (size / 100n).toString().replace(/\B(?=(\d{3})+$)/g, ",");
  return `${amount < 0n ? "−" : ""}$${dollars}${cents === 0n ? "" : `.${cents.toString().padStart(2, "0")}`}`;
}
const change = (amount) => (amount > 0n ? "+" : "") + money(amount);

const handName = (hand) => `${known("hand", hand.name)}${hand.detail ? ` ${hand.detail}` : ""}`;
const placeName = (place) => (/^[0-9]+$/.test(place) ? message("place-box", { n: place }) : known("place", place));

function lineText(line) {
  const amount = (a) => (typeof a === "bigint" ? money(a) : String(a));
  const rest = [];
  if (line.combo) {
    rest.push(known("combo", line.combo));
  }
  for (const name of ["excess", "reverses"]) {
    if (line[name]) {
      rest.push(message(name, { amount: line[name] }));
    }
  }
  const how = message("line", {
    wager: line.wager, stake: amount(line.stake), result: known("ends", line.result), pays: amount(line.pays), returned: amount(line.returned),
  });
  return [how, ...rest].join(" · ");
}

function postingText(p) {
  const { reason, ...rest } = p.for ?? {};
  const more = Object.entries(rest).map(([name, value]) => `${name} ${name === "player" ? called(value) : value}`);
  return `${accountName(p.from)} → ${accountName(p.to)}: ${typeof p.amount === "bigint" ? money(p.amount) : p.amount} · ${[reason, ...more].join(" · ")}`;
}

function written(key, value) {
  switch (key) {
    case "laid": case "back": case "amount": case "before":
      return money(value);
    case "net":
      return change(value);
    case "hand":
      return handName(value);
    case "line":
      return lineText(value);
    case "player": case "of":
      return called(value);
    case "players":
      return value.map(called).join(", ");
    case "wager":
      return known("wager", value);
    case "incident": case "outcome":
      return known(key, value);
    case "ended":
      return known("ended", value || "none");
    case "place":
      return placeName(value);
    case "book":
      return known("book", value);
    default:
      return String(value);
  }
}

function element(name, attributes = {}, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    e.setAttribute(key, value);
  }
  e.append(...children);
  return e;
}

function drawn(list) {
  const hand = element("span", { class: "hand" });
  for (const card of list) {
    hand.append(document.importNode(cards.get(card) ?? cards.get("??"), true));
  }
  return hand;
}

function shown([kind, value]) {
  switch (kind) {
    case "money":
      return money(value);
    case "change":
      return change(value);
    case "cards": {
      const list = value.filter((card) => card !== undefined);
      return list.length > 0 && list.every((card) => cards.has(card)) ? drawn(list) : list.join(" ") || message("nothing");
    }
    case "line":
      return `${lineText(value)} (${value.clause})`;
    case "posting":
      return postingText(value);
    case "place":
      return placeName(value);
    case "ended":
      return known("ended", value || "none");
    default: {
      const plain = JSON.stringify(value, (_, v) => (typeof v === "bigint" ? Number(v) : v));
      return plain === undefined ? message("nothing") : element("code", {}, typeof value === "string" ? value : plain);
    }
  }
}

const signs = { proven: "✓", failed: "✗", open: "○" };

function finding(f, book, id) {
  const item = element("li", { id, tabindex: "-1", class: `finding ${f.result}`, "data-check": f.check, "data-result": f.result, "data-sentence": f.sentence });
  const sentence = element("p", {}, element("span", { class: "sr" }, `${message(`result-${f.result}`)}: `), message(`say-${f.sentence}`, f.args));
  if (f.clause && book) {
    sentence.append(" ", element("a", { href: `/rules/${book}/${encodeURIComponent(f.clause)}` }, message("clause", { id: f.clause })));
  }
  item.append(element("span", { class: "sign", "aria-hidden": "true" }, signs[f.result]), sentence);
  const facts = element("dl");
  for (const name of ["expected", "found"]) {
    if (f[name]) {
      facts.append(element("dt", {}, message(name)), element("dd", {}, shown(f[name])));
    }
  }
  if (f.where) {
    facts.append(element("dt", {}, message("where")), element("dd", {}, element("code", {}, f.where)));
  }
  if (facts.childElementCount > 0) {
    item.append(facts);
  }
  return item;
}

function layout(hands) {
  const dealer = verdict.querySelector("[data-dealer]");
  const boxes = verdict.querySelector("[data-boxes]");
  dealer.replaceChildren(element("p", { class: "felt-name" }, message("place-dealer")));
  boxes.replaceChildren();
  for (const h of hands) {
    const parts = [drawn(h.cards)];
    if (h.hand) {
      parts.push(element("p", { class: "felt-rank" }, handName(h.hand)));
    }
    if (h.place === "dealer") {
      dealer.append(...parts);
      continue;
    }
    const head = element("div", { class: "box-head" }, element("span", { class: "box-number", "aria-hidden": "true" }, h.place));
    if (h.folded) {
      head.append(element("span", { class: "badge" }, message("folded")));
    }
    boxes.append(element("li", { class: h.folded ? "box box-folded" : "box", "aria-label": placeName(h.place) }, head, ...parts));
  }
  const felt = verdict.querySelector(".felt");
  felt.hidden = hands.length === 0;
  verdict.querySelector("[data-felt-title]").hidden = felt.hidden;
}

/** The findings of a result, a section for each check, drawn part by part; number is the id of each finding. */
function* sections(result, number) {
  const groups = [];
  for (const name of checks) {
    const mine = result.findings.filter((f) => f.check === name);
    if (mine.length === 0) {
      continue;
    }
    const list = element("ul", { class: "findings" }, ...mine.map((f) => finding(f, result.book, number.get(f))));
    const title = element("h3", { id: `check-about-${name}` }, message(`check-${name}`));
    groups.push(element("section", { class: "panel", "aria-labelledby": title.id }, title, list));
    yield;
  }
  return groups;
}

function report(result, record, number, groups) {
  const summary = verdict.querySelector("[data-says]");
  const count = (kind) => result.findings.filter((f) => f.result === kind).length;
  summary.classList.toggle("wrong", !result.proven);
  summary.classList.remove("open");
  summary.querySelector("h2").textContent = message(result.proven ? "all" : "wrong");
  const where = message("round", { table: record.table ?? "?", round: record.round ?? "?" });
  summary.querySelector("[data-counts]").textContent = [where, ...["proven", "failed", "open"].map((kind) => `${signs[kind]} ${message(`result-${kind}`)}: ${count(kind)}`)].join(" · ");
  layout(result.hands);
  // What is wrong comes first, with links to the complete findings.
  const wrong = result.findings.filter((f) => f.result === "failed").slice(0, namedFailures);
  summary.querySelector("[data-wrong]").replaceChildren(
    ...wrong.map((f) => element("li", {}, element("a", { href: `#${number.get(f)}` }, `${message(`check-${f.check}`)}: ${message(`say-${f.sentence}`, f.args)}`))),
  );
  verdict.querySelector("[data-report]").replaceChildren(...groups);
  verdict.dataset.proven = String(result.proven);
  verdict.hidden = false;
  verdict.focus({ preventScroll: true });
  verdict.scrollIntoView({ block: "start" });
}

/** Shows a result of the dealer school, and who has signed it. */
function showResult({ tree, result }, by) {
  const summary = verdict.querySelector("[data-says]");
  summary.classList.toggle("wrong", by === "no");
  summary.classList.toggle("open", by === "other" || by === "cannot");
  summary.querySelector("h2").textContent = message(`school-by-${by}`);
  summary.querySelector("[data-counts]").textContent = tree;
  summary.querySelector("[data-wrong]").replaceChildren();
  layout([]);
  const facts = element("dl", { class: "check-facts" });
  const fact = (name, value) => facts.append(element("dt", {}, message(`school-${name}`)), element("dd", {}, value));
  const wrong = Object.values(result.errors).reduce((sum, n) => sum + n, 0);
  if (result.typed) {
    fact("typed", result.typed);
  }
  if (result.person) {
    fact("person", `#${result.person}`);
  }
  fact("book", `${known("book", result.book)}, ${message("school-revision", { n: result.revision })}`);
  fact("rounds", `${result.rounds} (${result.seed})`);
  fact("right", `${result.tasks - wrong} / ${result.tasks}`);
  if (wrong > 0) {
    fact("errors", Object.entries(result.errors).map(([kind, n]) => (words.has(`school-error-${kind}`) ? message(`school-error-${kind}`, { n }) : `${kind}: ${n}`)).join("; "));
  }
  fact("began", new Date(result.began_ms).toISOString().replace("T", " ").replace(/\.\d+Z$/, " UTC"));
  fact("took", message("school-seconds", { n: (result.took_ms / 1000).toFixed(1) }));
  verdict.querySelector("[data-report]").replaceChildren(element("section", { class: "panel" }, facts));
  verdict.dataset.proven = String(by === "yes");
  verdict.hidden = false;
  verdict.focus({ preventScroll: true });
  verdict.scrollIntoView({ block: "start" });
}

function trouble(sentence) {
  verdict.hidden = true;
  delete verdict.dataset.proven;
  fault.textContent = sentence;
}

/** The house whose page this is, as this browser knows it: without a key where it is away, or signs nothing. */
async function ownHouse() {
  try {
    return await house();
  } catch {
    return { state: "none" };
  }
}

/** Whether the proof of a record is of the history that this browser has seen of the house, as findings. */
async function inTheHistory(record) {
  const { signed } = parse(String(record.proof));
  return (await ofTheHistory(signed)) === "no" ? [{ check: "log", result: "failed", sentence: "log-other", args: { tree: signed.name }, where: "proof" }] : [];
}

// A pause in which the browser answers its reader.
const pause = () => new Promise((go) => setTimeout(go));

/** Returns what a generator comes to, with a pause after each of its parts. */
async function unhurried(parts) {
  for (;;) {
    const { done, value } = parts.next();
    if (done) {
      return value;
    }
    await pause();
  }
}

let runs = 0; // each check of a text ends those before it that have shown nothing yet

/** Checks a text and shows what was found. */
async function run(given) {
  const latest = ++runs;
  fault.textContent = "";
  try {
    if (given.trim() === "") {
      trouble(message("fault-empty"));
      return;
    }
    if (isResult(given.trimStart())) {
      const found = readResult(`${given.trim()}\n`); // whoever copies it may lose the line feed at its end
      if (!found) {
        trouble(message("fault-result"));
        return;
      }
      const { key: ours } = await ownHouse();
      const by = ours ? await resultBy(found, ours) : "other";
      if (latest === runs) {
        showResult(found, by);
      }
      return;
    }
    const line = document.getElementById("check-witness").value.trim();
    const witness = line === "" ? null : witnessKey(line);
    if (line !== "" && !witness) {
      trouble(message("fault-witness"));
      return;
    }
    const record = read(given);
    await pause();
    const result = await unhurried(checking(record));
    const formed = !result.findings.some((f) => f.sentence === "malformed");
    if (formed) {
      const { state, key: ours } = await ownHouse();
      const log = await logged(record, given, ours ?? null, witness);
      const signed = log.some((f) => f.sentence === "log-signed");
      if (signed && state !== "broken") {
        log.push(...(await inTheHistory(record)));
      }
      if (signed && record.seed?.checkpoint !== undefined) {
        log.push(...(await beforeTheBets(record, ours, tile, witness)));
      }
      result.findings.push(...log);
      result.proven = !result.findings.some((f) => f.result === "failed");
    }
    if (latest !== runs) {
      return;
    }
    names = formed ? record.names : {};
    const number = new Map(result.findings.map((f, i) => [f, `finding-${i + 1}`]));
    const groups = await unhurried(sections(result, number));
    if (latest === runs) {
      report(result, record, number, groups);
    }
  } catch (why) {
    if (!(why instanceof Fault)) {
      throw why;
    }
    if (latest === runs) {
      trouble(`${message("fault-line", { n: why.line })} ${message(`fault-${why.reason}`)}${why.where ? ` (${why.where})` : ""}`);
    }
  }
}

async function fetched(address) {
  trouble(message("fetching"));
  try {
    const answer = await fetch(address, { headers: { Accept: "application/json" } });
    const body = await answer.text();
    if (!answer.ok) {
      trouble(words.get(`unreached-${answer.status}`) ?? message("unreached", { why: `${answer.status} ${answer.statusText}` }));
      return;
    }
    text.value = body;
    await run(body);
  } catch (why) {
    trouble(message("unreached", { why: why.message }));
  }
}

document.querySelector("[data-paste]").addEventListener("submit", (event) => {
  event.preventDefault();
  run(text.value);
});
document.getElementById("check-file").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  if (!file) {
    return;
  }
  if (file.size > most) {
    trouble(message("fault-large"));
    return;
  }
  text.value = await file.text();
  await run(text.value);
});
const sample = "/check/sample.json";
document.querySelector("[data-sample]").addEventListener("click", () => fetched(sample));

// What another page of this site has handed over.
function handed() {
  try {
    const given = sessionStorage.getItem("trey-check");
    sessionStorage.removeItem("trey-check");
    return given;
  } catch {
    return null; // the browser keeps nothing
  }
}
const over = handed();
if (over) {
  text.value = over;
  run(over);
}

const asked = new URLSearchParams(location.search);
if (asked.has("sample")) {
  fetched(sample);
} else if (asked.get("table") && asked.get("round")) {
  fetched(`/api/v1/tables/${encodeURIComponent(asked.get("table"))}/rounds/${encodeURIComponent(asked.get("round"))}`);
}
