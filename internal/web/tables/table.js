// A table that is alive: what changes comes from the house as finished parts,
// and what is done goes to it as the page's own form.
import { Away, ask, bring, newKey, write } from "./fragment.js";
import { drawAll, lost } from "./parts.js";

const page = document.querySelector("[data-do]");
const play = document.getElementById("play");
const refusal = document.getElementById("refusal");
const hurry = document.getElementById("hurry");
let ahead = page.dataset.now - Date.now(); // the house's clock against ours

let line = Promise.resolve(); // one after the other, in the order of the clicks

let hideTimer;

const attempts = 10, againMs = 1000; // another machine takes the writer's place in some seconds

/** Sends a press until it is answered, with the same key. */
async function send(body) {
  const options = { method: "POST", body };
  for (let left = attempts - 1; ; left--) {
    try {
      bring(refusal, await ask(page.dataset.do, options));
      break;
    } catch (fault) {
      if (left === 0 || (!(fault instanceof Away) && left < attempts - 1)) {
        refusal.textContent = page.dataset.unsure;
        throw fault;
      }
      if (fault instanceof Away) {
        await new Promise((resume) => { setTimeout(resume, againMs); });
      }
    }
  }
  clearTimeout(hideTimer);
  hideTimer = setTimeout(() => bring(refusal, ""), 12_000);
}

function act(form, submitter) {
  if (submitter?.getAttribute("aria-disabled") === "true") {
    return;
  }
  drawAll(); // what the button goes with may not stand in the form yet
  const body = new URLSearchParams(new FormData(form));
  if (submitter?.name) {
    body.append(submitter.name, submitter.value);
  }
  body.set("key", newKey());
  line = line.then(() => send(body)).catch((fault) => {
    if (!(fault instanceof Away)) {
      lost();
    }
  });
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form === play || form.matches("[data-act]")) {
    event.preventDefault();
    act(form, event.submitter);
    if (form !== play) {
      form.reset();
    }
  }
});

// Keys press buttons and choose chips, unless that is switched off: other programs take letters too.
const keys = document.getElementById("keys");
const keysOff = "trey-keys-off";

if (keys) {
  const switchKeys = () => document.documentElement.toggleAttribute("data-keys-off", !keys.checked);
  keys.checked = !localStorage.getItem(keysOff);
  switchKeys();
  keys.addEventListener("change", () => {
    localStorage.setItem(keysOff, keys.checked ? "" : "1");
    switchKeys();
  });
}
document.addEventListener("keydown", (event) => {
  const typing = event.target.matches?.("input:not([type=radio], [type=checkbox]), textarea, select");
  if (!keys?.checked || typing || event.repeat || event.ctrlKey || event.altKey || event.metaKey || !/^[a-z1-9 ]$/i.test(event.key)) {
    return;
  }
  if (event.key === " ") {
    // The gold button, unless the focus is on something that the space bar presses itself.
    const gold = event.target.closest?.("button, a, summary, [type=checkbox]") ? null : play.querySelector(".pill.strong-button");
    if (gold) {
      event.preventDefault();
      gold.click();
    }
    return;
  }
  const pressed = play.querySelector(`[aria-keyshortcuts="${event.key.toUpperCase()}"]:not([aria-disabled="true"])`);
  if (pressed) {
    event.preventDefault();
    pressed.click();
  }
});

let announcedDue = 0;

/** Moves what shows the time. */
function tick() {
  const now = Date.now() + ahead;
  const clock = document.querySelector(".clock");
  const due = Number(clock?.dataset.due);
  const left = clock?.querySelector("[data-left]");
  if (announcedDue && announcedDue !== due) {
    announcedDue = 0;
    hurry.textContent = ""; // what it waited for is over
  }
  if (left) {
    const ms = Math.max(0, due - now);
    write(left, due && ms < 100_000 ? Math.ceil(ms / 1000) : "");
    const span = due - clock.dataset.since;
    clock.querySelector(".ring-left")?.setAttribute("stroke-dashoffset", span > 0 ? 100 - (100 * ms) / span : 0);
    clock.classList.toggle("late", due > 0 && ms < 5000);
    const awaited = play.querySelector('#bar button:not([aria-disabled="true"])');
    if (due && ms > 0 && ms < 5000 && announcedDue !== due && awaited && span > 8000) {
      announcedDue = due;
      hurry.textContent = hurry.dataset.words;
    }
  }
  const since = document.querySelector("[data-since][data-words]");
  if (since) {
    const minutes = Math.max(0, Math.floor((now - since.dataset.since) / 60_000));
    write(since, since.dataset.words.replace("{n}", minutes));
  }
}

// What is read beside the table opens over the felt, at the part that was asked for.
const drawer = document.getElementById("drawer");
const menu = document.getElementById("menu");

/** Opens the drawer at an element of it, or closes it. */
function openDrawer(at) {
  drawer.classList.toggle("open", Boolean(at));
  drawer.inert = !at;
  menu.setAttribute("aria-expanded", String(Boolean(at)));
  if (at) {
    newsList.scrollTop = newsList.scrollHeight;
    document.getElementById(at).scrollIntoView({ block: "start" });
    drawer.focus({ preventScroll: true });
  } else if (drawer.contains(document.activeElement) || document.activeElement === document.body) {
    menu.focus();
  }
}
drawer.inert = true;
document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-open], [data-close]");
  if (opener) {
    event.preventDefault();
    const again = opener === menu && drawer.classList.contains("open");
    openDrawer(again ? "" : opener.dataset.open ?? "");
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && drawer.classList.contains("open")) {
    openDrawer("");
  }
});

const strip = document.querySelector(".seats");
const newsList = document.getElementById("told");
let moveNow = "";

const liveRegion = document.getElementById("say");
const keyOfLine = (line) => line.dataset.key;
let announced = new Set(Array.from(newsList.querySelectorAll("[data-key]"), keyOfLine));

/** Announces new lines to a screen reader: the drawer, which has all of them, is closed. */
function announce() {
  const lines = [...newsList.querySelectorAll("[data-key]")];
  const latest = lines.filter((line) => !announced.has(keyOfLine(line)));
  announced = new Set(lines.map(keyOfLine));
  if (latest.length > 0) {
    liveRegion.textContent = latest.map((line) => line.textContent).join(" ");
  }
}

// A first visit: what the gold button is for, until each of its acts was done once.
const hint = document.getElementById("hint"), hintsDone = "trey-hints";
const done = new Set((localStorage.getItem(hintsDone) ?? "").split(" "));
const actOf = (button) => button?.value.split(":")[0] ?? "";

function showHint() {
  const next = actOf(play.querySelector(".pill.strong-button"));
  const words = done.has(next) ? "" : hint.dataset[next] ?? "";
  hint.hidden = !words;
  page.toggleAttribute("data-hint", !!words);
  hint.textContent = words;
}
play.addEventListener("submit", (event) => {
  const act = actOf(event.submitter).replace("fold", "raise");
  if (act in hint.dataset && !done.has(act)) {
    done.add(act);
    localStorage.setItem(hintsDone, [...done].join(" ").trim());
    showHint();
  }
});

/** The place of the box that is nearest to a point of the strip. */
function nearestTo(point) {
  const away = [...strip.children].map((seat) => Math.abs(seat.offsetLeft + seat.offsetWidth / 2 - point));
  return away.indexOf(Math.min(...away));
}
const middle = (left = strip.scrollLeft) => left + strip.clientWidth / 2;

/** Marks the box in the middle of a narrow window. */
function dot(nearest) {
  document.querySelectorAll(".box-dots span").forEach((one, i) => one.classList.toggle("at", i === nearest));
}
strip.addEventListener("scroll", () => dot(nearestTo(middle())), { passive: true });

/** Brings what concerns the player into sight. It only measures at first: what it changes waits
    until the other listeners have measured too, so that the page is laid out once. */
function settle() {
  const active = strip.querySelector(".seat-in.active")?.parentElement;
  const now = active?.id ?? "";
  const goes = active && now !== moveNow && !strip.contains(document.activeElement);
  const left = goes ? active.offsetLeft + active.offsetWidth / 2 - strip.clientWidth / 2 : strip.scrollLeft;
  const nearest = nearestTo(middle(left));
  moveNow = now;
  queueMicrotask(() => {
    if (goes) {
      strip.scrollLeft = left;
    }
    dot(nearest);
    if (drawer.classList.contains("open")) {
      newsList.scrollTop = newsList.scrollHeight;
    }
    announce();
    showHint();
  });
}

document.addEventListener("parts", (event) => {
  ahead = event.detail.now - Date.now();
  settle();
  queueMicrotask(tick);
});
setInterval(tick, 250);
tick();
settle();
let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth !== width) { // a telephone was turned
    width = innerWidth;
    moveNow = "";
    settle();
  }
});
