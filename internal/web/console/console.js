// The console in place: what is asked for goes to the house without leaving the
// page, and what comes of it is told at its head.
import { ask, newKey, put } from "./fragment.js";

const answer = document.getElementById("answer");
const report = document.getElementById("report");
document.documentElement.dataset.script = "";

async function send(form, submitter) {
  if (form.dataset.busy) {
    return "";
  }
  form.dataset.busy = "true";
  const body = new URLSearchParams(new FormData(form, submitter));
  form.press ??= newKey(); // one press of a button, however often it arrives
  body.set("key", form.press);
  try {
    const text = await ask(form.action, { method: "POST", body });
    form.press = undefined;
    return text;
  } finally {
    delete form.dataset.busy;
  }
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.matches("form[data-send]")) {
    event.preventDefault();
    const text = await send(form, event.submitter);
    if (!text) {
      return;
    }
    put(answer, text);
    if (answer.querySelector("[data-done]")) {
      for (const field of form.querySelectorAll("input[data-cards], input[name=amount], input[name=name], input[name=note], input[name=why], input[type=password]")) {
        field.value = "";
      }
      marks(form);
    } else {
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
  const key = event.target.closest("[data-card], [data-back]");
  if (key) {
    const field = key.form.querySelector("input[data-cards]");
    const words = field.value.split(/[\s,]+/).filter(Boolean);
    if (key.dataset.card) {
      words.push(key.dataset.card);
    } else {
      words.pop();
    }
    field.value = words.join(" ");
    marks(key.form);
  }
});
document.addEventListener("input", (event) => {
  if (event.target.matches("input[data-cards]")) {
    marks(event.target.form);
  }
});

/** Marks on the pad which cards are typed already. */
function marks(form) {
  const words = (form.querySelector("input[data-cards]")?.value ?? "").toLowerCase().replaceAll("10", "t");
  for (const key of form.querySelectorAll("[data-card]")) {
    key.setAttribute("aria-pressed", words.includes(key.dataset.card.toLowerCase()));
  }
}

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
  const shown = document.querySelector("[data-left-ms]");
  if (!shown) {
    return;
  }
  endsAt = performance.now() + Number(shown.dataset.leftMs);
  const step = () => {
    const leftMs = endsAt - performance.now();
    shown.textContent = Math.max(0, Math.ceil(leftMs / 1000));
    if (leftMs <= 0) {
      clearInterval(counting);
      document.querySelector("form[data-when-due]")?.requestSubmit();
    }
  };
  counting = setInterval(step, 200);
  step();
}
countDown();

document.addEventListener("part", (event) => {
  for (const form of event.target.querySelectorAll("form.keyed")) {
    marks(form);
  }
  if (event.target.id === "k-time") {
    countDown();
    if (inPart === event.target && document.activeElement === document.body) {
      event.target.querySelector("[data-take-back]")?.focus({ preventScroll: true }); // what forfeits nothing
    }
  }
  if (event.target.id === "k-flow" && inFlow && document.activeElement === document.body) {
    (event.target.querySelector("input[autofocus], [data-next], button") ?? event.target.querySelector("section")).focus();
  } else if (event.target === inPart && document.activeElement === document.body) {
    inPart = null;
    answer.focus({ preventScroll: true });
  }
});
