// The console in place: what is asked for goes to the house without leaving the
// page, and the result is shown at its head.
import { Away, ask, newKey, put, write } from "./fragment.js";

const answer = document.getElementById("answer");
const report = document.getElementById("report");
document.documentElement.dataset.script = "";

let line = Promise.resolve(); // one press after the other, in the order in which they came
const pending = new Set(); // what was asked for and is not answered yet
const pressed = new WeakMap(); // how many presses of a form are not answered yet
const unsent = new Map(); // the keys of presses that may not have reached the house
const answerMs = 60_000;

/** Sends a form, after what was pressed before it, and returns the answer; nothing if the
 *  same is on its way already, or if it did not reach the house: pressed again, it is the
 *  same request then. */
async function send(form, submitter) {
  const body = new URLSearchParams(new FormData(form, submitter));
  const asked = `${form.action} ${body}`;
  if (pending.has(asked) && !body.has("chip")) { // a second chip is one more, all else is the same press
    return "";
  }
  body.set("key", unsent.get(asked) ?? newKey()); // one press of a button, however often it arrives
  pending.add(asked);
  pressed.set(form, (pressed.get(form) ?? 0) + 1);
  const post = line.then(() => ask(form.action, { method: "POST", body, signal: AbortSignal.timeout(answerMs) }));
  line = post;
  try {
    const text = await post;
    unsent.delete(asked);
    return text;
  } catch (fault) {
    line = Promise.resolve(); // what waited behind it fails with it: it was pressed in the belief that this is done
    if (!(fault instanceof TypeError) && !(fault instanceof Away) && fault.name !== "TimeoutError") {
      throw fault;
    }
    unsent.set(asked, body.get("key"));
    answer.textContent = answer.dataset.unsent;
    answer.scrollIntoView({ block: "nearest" });
    return "";
  } finally {
    pending.delete(asked);
    pressed.set(form, pressed.get(form) - 1);
  }
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.matches("form[data-send]")) {
    event.preventDefault();
    if (event.submitter?.getAttribute("aria-disabled") === "true") {
      return;
    }
    const sent = new FormData(form, event.submitter);
    const asking = send(form, event.submitter);
    // What is typed from now on is the next hand, although this one is not answered yet.
    const cards = form.querySelector("input[data-cards]");
    if (cards) {
      cards.value = "";
      form.querySelector(":scope > .button").setAttribute("aria-disabled", true);
    }
    const text = await asking;
    if (text) {
      put(answer, text);
    }
    if (text && answer.querySelector("[data-done]")) {
      for (const field of form.querySelectorAll("input[data-chip], input[name=amount], input[name=name], input[name=note], input[name=why], input[type=password]")) {
        if (field.value.trim() === sent.get(field.name)?.trim()) { // not what was typed meanwhile
          field.value = "";
        }
      }
      form.dispatchEvent(new Event("input"));
      return;
    }
    if (cards?.isConnected && !cards.value) {
      cards.value = sent.get(cards.name);
      keyed(form);
    }
    if (text) {
      answer.scrollIntoView({ block: "nearest" });
    }
  } else if (form.matches("form[data-report]")) {
    event.preventDefault();
    const text = await send(form, event.submitter);
    if (!text) {
      return;
    }
    put(report, text);
    if (report.querySelector("form")) {
      (document.getElementById("foreseen") ?? report).focus();
      return;
    }
    put(answer, text);
    put(report, "");
    answer.focus();
  }
});

document.addEventListener("click", async (event) => {
  const link = event.target.closest("a[data-into]");
  if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    put(report, await ask(link.href));
    link.closest("details")?.removeAttribute("open");
    report.focus({ preventScroll: true });
    report.scrollIntoView({ block: "nearest" });
    return;
  }
  if (event.target.closest("a[data-close]")) {
    event.preventDefault();
    put(report, "");
    answer.focus();
    return;
  }
  const at = event.target.closest("[data-touch], [data-slot]");
  if (at) {
    touch(at.dataset.touch ?? at.dataset.slot);
    return;
  }
  const target = event.target.closest("[data-target]");
  if (target) {
    const form = target.form;
    form.elements.body.setAttribute("value", target.dataset.target);
    form.dataset.places = target.dataset.targetPlaces;
    for (const other of form.querySelectorAll("[data-target]")) {
      other.setAttribute("aria-pressed", other === target);
    }
    keyed(form);
    return;
  }
  const key = event.target.closest("[data-card], [data-back], [data-exposed]");
  if (key) {
    const field = key.form.querySelector("input[data-cards]");
    const words = wordsOf(field);
    if (key.dataset.card) {
      words.push(key.dataset.card);
    } else if (key.hasAttribute("data-back")) {
      words.pop();
    } else if (words.length > 0) {
      words.push(words.pop().replace(/!?$/, "!"));
    }
    field.value = words.join(" ");
    keyed(key.form);
  }
});
document.addEventListener("input", (event) => {
  if (event.target.matches("input[data-cards]")) {
    // A card is complete with its suit: the next one begins by itself. Before the first there
    // is nothing: a space that comes after its key has sent the hand before is no part of this one.
    const spaced = event.target.value.trimStart().replace(/((?:10|[2-9tjqka])[cdhs]!?)(?=[2-9tjqka1?])/gi, "$1 ");
    if (spaced !== event.target.value) {
      event.target.value = spaced;
    }
    keyed(event.target.form);
  }
});

/** Fills in what was touched on the felt: whom a report is about, or which card; while
 *  bets are placed, the box of the next one. */
function touch(at) {
  const place = at.split("/")[0];
  const bets = document.querySelector(`#bet-at-${CSS.escape(place)} input`);
  if (!report.querySelector("form")) {
    bets?.click();
    return;
  }
  const card = [...report.querySelectorAll('select[name="at"]')].find((list) => !list.value);
  for (const value of [at, place]) {
    if (card && [...card.options].some((option) => option.value === value)) {
      card.value = value;
      card.closest("div")?.querySelector("input")?.focus();
      break;
    }
  }
  const about = report.querySelector('select[name="target"]');
  const option = [...(about?.options ?? [])].find((o) => o.value === place || o.value.startsWith(`${place} `));
  if (option) {
    about.value = option.value;
  }
  report.querySelector(`input[name="box"][value="${CSS.escape(place)}"]`)?.click();
  report.querySelector(`input[name="lies-${CSS.escape(place)}"]`)?.focus();
}

// The sheet of irregularities shows those that have all that is typed in their names.
document.addEventListener("input", (event) => {
  if (!event.target.matches("[data-find]")) {
    return;
  }
  const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const group of event.target.closest("details").querySelectorAll("[data-found]")) {
    let some = false;
    for (const item of group.querySelectorAll("li")) {
      item.hidden = !words.every((word) => item.textContent.toLowerCase().includes(word));
      some ||= !item.hidden;
    }
    group.hidden = !some;
  }
});
document.addEventListener("keydown", (event) => {
  const open = event.key === "Escape" && document.querySelector("#k-incidents details[open]");
  if (open) {
    open.removeAttribute("open");
    open.querySelector("summary").focus();
  }
});

const wordsOf = (field) => field.value.split(/[\s,]+/).filter(Boolean);

/** Reads a card as it is typed: its face in the deck's own form, and where it went. */
function read(word) {
  const parts = /^(10|[2-9tjqka])([cdhs])(?:>([0-9a-z]+))?(!?)$/i.exec(word);
  if (parts) {
    return { face: parts[1].toUpperCase().replace("10", "T") + parts[2].toLowerCase(), to: parts[3]?.toLowerCase() };
  }
  const unseen = /^\?\?(?:>([0-9a-z]+))?!?$/i.exec(word);
  return unseen ? { face: "", to: unseen[1]?.toLowerCase() } : null;
}

/** Shows on the felt what is keyed in, names where the next card goes, and refuses at
 *  once what cannot be. */
function keyed(form) {
  const field = form.querySelector("input[data-cards]");
  if (!form.dataset.places) {
    return;
  }
  for (const slot of document.querySelectorAll(".slot-keyed")) {
    slot.classList.remove("slot-keyed");
    slot.querySelector(".pad-card")?.remove();
  }
  const key = (face) => form.querySelector(`[data-card="${face}"]`);
  const words = wordsOf(field), places = form.dataset.places.split(" "), most = Number(form.dataset.most), least = Number(form.dataset.least);
  const seen = new Set(), filled = new Map();
  let wrong = "";
  words.forEach((word, n) => {
    const card = read(word), last = n === words.length - 1;
    if (!card) {
      if (!last || /[cdhs]$/i.test(word) || word.length > 2) {
        wrong ||= form.dataset.unclear.replace("{text}", word);
      }
      return;
    }
    const name = key(card.face)?.getAttribute("aria-label") ?? word;
    if (card.face && key(card.face)?.disabled) {
      wrong ||= form.dataset.taken.replace("{card}", name);
    } else if (card.face && seen.has(card.face)) {
      wrong ||= form.dataset.twice.replace("{card}", name);
    }
    seen.add(card.face);
    const place = card.to ?? places[n];
    const nth = filled.get(place) ?? 0;
    filled.set(place, nth + 1);
    const slot = document.querySelectorAll(`[data-place="${CSS.escape(place ?? "")}"] [data-todo]`)[nth];
    if (slot && card.face) {
      const face = document.createElement("span");
      face.className = key(card.face).className;
      face.append(...[...key(card.face).childNodes].map((child) => child.cloneNode(true)));
      slot.append(face);
      slot.classList.add("slot-keyed");
    }
  });
  for (const card of form.querySelectorAll("[data-card]")) {
    if (card.dataset.card !== "??") {
      card.setAttribute("aria-pressed", seen.has(card.dataset.card));
    }
  }
  const given = words.length, complete = given >= most;
  const next = form.dataset.places && !complete ? places[given] : "";
  const leads = given > 0 || form.querySelector(":scope > [data-next]"); // else a box is paid first
  for (const seat of leads ? document.querySelectorAll("[data-place]") : []) {
    seat.classList.toggle("dealer-seat-next", seat.dataset.place === (next || places[places.length - 1]));
  }
  const name = document.querySelector(`[data-place="${next}"]`)?.dataset.name ?? next;
  const first = places.indexOf(next);
  form.querySelector("[data-to]").textContent = complete ? form.dataset.complete : form.dataset.nextTo.replace("{place}", name);
  form.querySelector("[data-count]").textContent = complete || !next ? "" :
    form.dataset.cardOf.replace("{n}", given - first + 1).replace("{all}", places.filter((p) => p === next).length);
  put(form.querySelector("[data-wrong]"), "");
  form.querySelector("[data-wrong]").textContent = wrong;
  form.querySelector("[data-back]")?.toggleAttribute("disabled", given === 0);
  const ready = !wrong && (given === 0 ? least === 0 : given >= (form.elements.kind.value === "deal" ? 1 : most));
  form.querySelector(":scope > .button").setAttribute("aria-disabled", !ready);
}

// Space is the next thing, and a letter or a number presses what shows it, unless somebody
// has switched that off.
const shortcuts = document.getElementById("shortcuts");
const shortcutsOff = "trey-keys-off";
function switchShortcuts() {
  document.documentElement.toggleAttribute("data-keys-off", !shortcuts.checked);
}
if (shortcuts) {
  shortcuts.checked = !localStorage.getItem(shortcutsOff);
  switchShortcuts();
  shortcuts.addEventListener("change", () => {
    localStorage.setItem(shortcutsOff, shortcuts.checked ? "" : "1");
    switchShortcuts();
  });
}
document.addEventListener("keydown", (event) => {
  if (!shortcuts?.checked || event.repeat || event.ctrlKey || event.altKey || event.metaKey) {
    return;
  }
  const field = event.target.closest?.("input, textarea, select");
  const typing = field && !field.matches("[type=radio], [type=checkbox]");
  if (event.key === " ") {
    if (event.target.closest?.("button, summary, a, [type=checkbox]") || (typing && !field.matches("input[data-cards]"))) {
      return; // the key has its own meaning there
    }
    const next = typing ? field.form.querySelector("[data-next]") : document.querySelector(".dealer-sheet [data-next]");
    if (next && next.getAttribute("aria-disabled") !== "true") {
      event.preventDefault();
      next.click();
    }
    return;
  }
  if (typing) {
    return;
  }
  if (event.key === "Backspace") {
    document.querySelector(".dealer-sheet [data-back]:not([disabled])")?.click();
  } else if (/^[a-z1-9]$/i.test(event.key)) {
    // One that was pressed already and waits for its answer is over: the letter is for the next hand.
    const next = [...document.querySelectorAll(`.dealer-sheet [aria-keyshortcuts="${event.key.toUpperCase()}"]`)].find((key) => !(key.matches("button") && pressed.get(key.form)));
    if (next) {
      event.preventDefault();
      next.click();
    }
  }
});

// Whoever bets at a box usually bets there again.
document.addEventListener("change", (event) => {
  const player = event.target.form?.querySelector("#bet-player");
  if (player && event.target.name === "box" && event.target.dataset.player) {
    player.value = event.target.dataset.player;
  }
});

// Whoever works by keyboard goes on with the next step when the last one is gone; where
// there is none, with what came of it.
let inFlow = false, inPart = null;
function follow(element) {
  inFlow = Boolean(element.closest("#k-flow"));
  inPart = element.closest("[data-mark]");
}
document.addEventListener("focusin", (event) => follow(event.target));
follow(document.activeElement); // a field may have had the focus before this module came
// A warning runs for some seconds, in which it can be taken back; then whoever gave it
// ends the time by it.
let counting = 0, endsAt = 0;
function countDown() {
  clearInterval(counting);
  const clock = document.querySelector("[data-left-ms]");
  if (!clock) {
    return;
  }
  endsAt = performance.now() + Number(clock.dataset.leftMs);
  const step = () => {
    const leftMs = endsAt - performance.now();
    write(clock, Math.max(0, Math.ceil(leftMs / 1000)));
    if (leftMs <= 0) {
      clearInterval(counting);
      document.querySelector("form[data-when-due]")?.requestSubmit();
    }
  };
  counting = setInterval(step, 200);
  step();
}
countDown();

/** Shows what is keyed in once more, on a felt or a pad that was drawn anew. */
function fresh() {
  const form = document.querySelector("#k-flow form.keyed");
  if (form) {
    form.dataset.places = form.querySelector('[data-target][aria-pressed="true"]')?.dataset.targetPlaces ?? form.dataset.places;
    for (const field of form.querySelectorAll("input[data-cards]")) {
      field.inputMode = matchMedia("(pointer: coarse)").matches ? "none" : "text"; // the pad is the keyboard
    }
    keyed(form);
  }
}
fresh();

document.addEventListener("part", (event) => {
  if (event.target.id === "k-flow" || event.target.id === "k-felt") {
    fresh();
  }
  if (event.target.id === "k-time") {
    countDown();
    if (inPart === event.target && document.activeElement === document.body) {
      event.target.querySelector("[data-take-back]")?.focus({ preventScroll: true }); // what forfeits nothing
    }
  }
  const idle = document.activeElement === document.body || document.activeElement.matches("#answer, .flow");
  const field = event.target.id === "k-flow" ? event.target.querySelector("input[autofocus]") : null;
  if (field && idle && !matchMedia("(pointer: coarse)").matches) {
    field.focus(); // cards are named next, and nothing else has the focus
  } else if (event.target.id === "k-flow" && inFlow && document.activeElement === document.body) {
    (event.target.querySelector("input[autofocus], [data-next], button") ?? event.target.querySelector("section")).focus();
  } else if (event.target === inPart && document.activeElement === document.body) {
    inPart = null;
    answer.focus({ preventScroll: true });
  }
});
