// Grades an exercise in place, and keeps the scores in this browser alone.
import { ask, put } from "./fragment.js";

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
  const forget = document.querySelector("[data-forget]");
  if (forget) {
    forget.hidden = Object.keys(all).length === 0;
  }
}

/** Counts an exercise once, by its first answer. */
function count(kind, id, right) {
  const all = scores();
  const score = all[kind] ?? { done: 0, right: 0, streak: 0, last: "" };
  if (score.last === id) {
    return;
  }
  all[kind] = {
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
form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const place = document.getElementById("verdict");
  put(place, await ask(location.pathname, { method: "POST", body: new URLSearchParams(new FormData(form)) }));
  const verdict = place.querySelector("[data-right]");
  if (verdict) {
    count(form.dataset.exercise, form.dataset.id, verdict.dataset.right === "true");
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
