// Grades an exercise in place, against the clock of this browser, and keeps the scores in
// this browser alone. Payments are asked for one field at a time.
import { ask, put, write } from "./fragment.js";
import { stepwise } from "./school-steps.js";

const shelf = "trey.school";

function scores() {
  try {
    return JSON.parse(localStorage.getItem(shelf)) ?? {};
  } catch {
    return {}; // no storage here, or somebody else's
  }
}

function show() {
  const all = scores();
  for (const element of document.querySelectorAll("[data-score]")) {
    const score = all[element.dataset.score];
    element.hidden = !score;
    if (score) {
      element.textContent = element.dataset.words
        .replace("{right}", score.right)
        .replace("{done}", score.done)
        .replace("{streak}", score.streak);
    }
  }
  for (const list of document.querySelectorAll("[data-lapses]")) {
    const score = all[list.dataset.lapses];
    list.hidden = !score?.timed;
    if (!list.hidden) {
      const average = list.querySelector("[data-average]");
      average.textContent = average.dataset.words.replace("{seconds}", (score.tookMs / score.timed / 1000).toFixed(1));
      for (const item of list.querySelectorAll("[data-error]")) {
        const number = score.errors[item.dataset.error] ?? 0;
        item.hidden = number === 0;
        item.textContent = item.dataset.words.replace("{n}", number);
      }
    }
  }
  const forget = document.querySelector("[data-forget]");
  if (forget) {
    forget.hidden = Object.keys(all).length === 0;
  }
}

/** Counts an exercise once, by its first answer: whether it is right, the kinds of its
 *  errors, and how long it took. */
function count(kind, id, right, errors, tookMs) {
  const all = scores();
  const score = all[kind] ?? { done: 0, right: 0, streak: 0, last: "" };
  if (score.last === id) {
    return;
  }
  const counted = { ...score.errors };
  for (const error of errors) {
    counted[error] = (counted[error] ?? 0) + 1;
  }
  all[kind] = {
    errors: counted,
    timed: (score.timed ?? 0) + 1,
    tookMs: (score.tookMs ?? 0) + tookMs,
    done: score.done + 1,
    right: score.right + (right ? 1 : 0),
    streak: right ? score.streak + 1 : 0,
    last: id,
  };
  try {
    localStorage.setItem(shelf, JSON.stringify(all));
  } catch {
    // The browser keeps nothing: then there is no score.
  }
  show();
}

const form = document.querySelector("form[data-exercise]");

// The time runs from the moment the exercise is shown to its first answer.
const clock = document.querySelector("[data-clock]");
const beganMs = performance.now();
let tookMs = 0;
function tick() {
  write(clock, clock.dataset.words.replace("{seconds}", Math.floor((tookMs || performance.now() - beganMs) / 1000)));
}
let ticking = 0;
if (clock && form) {
  clock.hidden = false;
  tick();
  ticking = setInterval(tick, 250);
}

// Payments are asked for one field at a time, until all of them have been answered.
let steps = form?.querySelector(".due") && !document.querySelector(".verdict") ? stepwise(form) : null;

form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (steps?.advance()) {
    return;
  }
  steps = null;
  if (!tookMs) {
    tookMs = performance.now() - beganMs;
    clearInterval(ticking);
    tick();
  }
  const place = document.getElementById("verdict");
  put(place, await ask(location.pathname, { method: "POST", body: new URLSearchParams(new FormData(form)) }));
  const verdict = place.querySelector("[data-right]");
  if (verdict) {
    count(form.dataset.exercise, form.dataset.id, verdict.dataset.right === "true", verdict.dataset.errors.split(" ").filter(Boolean), tookMs);
  }
  place.focus({ preventScroll: true });
  place.scrollIntoView({ block: "nearest" });
  document.querySelector("[data-next]").classList.remove("quiet");
});

document.querySelector("[data-forget]")?.addEventListener("click", (event) => {
  if (confirm(event.target.dataset.sure)) {
    localStorage.removeItem(shelf);
    show();
  }
});
show();
