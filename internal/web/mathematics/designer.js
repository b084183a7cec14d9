// The designer: every keystroke asks the house for the figures of what the form
// says, and the address always leads back to it.
import { ask, put } from "./fragment.js";

const form = document.querySelector("form[data-designer]");
const figures = document.querySelector("[data-figures]");
const liveRegion = document.querySelector("[data-spoken]");
const live = document.querySelector("[data-live]"); // beside the form, where the figures are far below
const pauseMs = 120;

let timer = 0;
let latest = null;

/** The address of what the form says: only what differs from the book is in it. */
function address() {
  const query = new URLSearchParams();
  for (const field of form.elements) {
    if (field.name && field.value.trim() !== field.dataset.standard) {
      query.set(field.name, field.value.trim());
    }
  }
  const text = query.toString();
  return form.getAttribute("action") + (text ? "?" + text : "");
}

function mark(faults) {
  for (const field of form.elements) {
    if (!field.name) {
      continue;
    }
    field.classList.toggle("differs", field.value.trim() !== field.dataset.standard);
    const why = faults[field.name] ?? "";
    if (why) {
      field.setAttribute("aria-invalid", "true");
    } else {
      field.removeAttribute("aria-invalid");
    }
    document.getElementById(field.getAttribute("aria-describedby")).textContent = why;
  }
}

/** What the house keeps of each bet, in words. */
function edges() {
  return [...figures.querySelectorAll("[data-edge]")].map((e) => `${e.dataset.edge} ${e.textContent}`);
}

async function follow() {
  latest?.abort();
  const mine = new AbortController();
  latest = mine;
  figures.setAttribute("aria-busy", "true");
  const where = address();
  try {
    const text = await ask(where, { signal: mine.signal });
    const open = [...figures.querySelectorAll("details[open]")].map((d) => [...figures.querySelectorAll("details")].indexOf(d));
    put(figures, text);
    const all = figures.querySelectorAll("details");
    for (const i of open) {
      all[i]?.setAttribute("open", "");
    }
    history.replaceState(null, "", where);
    mark(JSON.parse(figures.querySelector("[data-faults]")?.dataset.faults ?? "{}"));
    liveRegion.textContent = liveRegion.dataset.spoken.replace("{edges}", edges().join(", "));
    live.textContent = edges().join(" · ");
  } catch (error) {
    if (error.name !== "AbortError") {
      throw error;
    }
    return;
  }
  figures.removeAttribute("aria-busy");
}

form.addEventListener("input", (event) => {
  if (event.target.hasAttribute("data-reload")) {
    return;
  }
  clearTimeout(timer);
  timer = setTimeout(follow, pauseMs);
});

// Another pay table has other rows: the form is made anew, and what was changed
// in the old rows is forgotten.
form.addEventListener("change", (event) => {
  if (event.target.hasAttribute("data-reload")) {
    const prefix = event.target.name.replace(/table$/, "");
    for (const field of form.elements) {
      if (field.name.startsWith(prefix) && field !== event.target) {
        field.value = field.dataset.standard;
      }
    }
    location.assign(address());
  }
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(timer);
  follow();
});
form.querySelector("[data-apply]").hidden = true;
mark(JSON.parse(figures.querySelector("[data-faults]").dataset.faults));
live.textContent = edges().join(" · ");
