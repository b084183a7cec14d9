// Keeps the parts of a page as they are in the house, in their places by id. Each has a mark of
// what it holds, and whenever the page comes back it sends those that it has.
import { count } from "./count.js";
import { bring } from "./fragment.js";

const state = document.querySelector("[data-live]");
const soonMs = 400, latestMs = 5000;
const silentMs = 25_000; // the house sends something every 15 seconds
let source = null;
let failed = 0; // how often in a row
let retryTimer = 0, lostTimer = 0, silenceTimer = 0;

function open() {
  const marks = Array.from(document.querySelectorAll("[data-mark]"), (place) => place.dataset.mark);
  const address = new URL(state.dataset.live, location.href);
  address.searchParams.set("has", marks.join(""));
  const stream = new EventSource(address);
  let opened = false;
  source = stream;
  const broken = () => {
    stream.close();
    if (source === stream) {
      clearTimeout(silenceTimer);
      source = null;
      lost();
      // Many pages are lost at once: they do not all come back at the same moment.
      const wait = Math.min(latestMs, soonMs * 2 ** failed++) * (0.5 + Math.random());
      retryTimer = setTimeout(opened ? open : ask, wait);
    }
  };
  // Where a machine or a network stands still, the browser reports no error.
  const restartSilenceTimer = () => {
    if (source === stream) {
      clearTimeout(silenceTimer);
      silenceTimer = setTimeout(broken, silentMs);
    }
  };
  restartSilenceTimer();
  stream.addEventListener("open", () => {
    restartSilenceTimer();
    opened = true;
    failed = 0;
    clearTimeout(lostTimer);
    lostTimer = 0;
    state.textContent = "";
  });
  stream.addEventListener("alive", restartSilenceTimer);
  stream.addEventListener("parts", (event) => {
    restartSilenceTimer();
    receive(JSON.parse(event.data));
  });
  stream.addEventListener("error", broken);
}

/** Finds out why there is no stream. */
async function ask() {
  try {
    const answer = await fetch(location.href, { method: "HEAD" });
    if (answer.redirected || (answer.status >= 400 && answer.status < 500 && answer.status !== 429)) {
      location.reload(); // the page itself shows what is the matter
      return;
    }
  } catch {
    // It is away.
  }
  open();
}

/** Shows that there is no connection, unless the break is short. */
export function lost() {
  lostTimer ||= setTimeout(() => { state.textContent = state.dataset.lost; }, 1200);
}

// What came and is not drawn yet. Where something moves, places are drawn in a frame until its time
// is used (data-drawing-ms: laying out takes longer), and the listeners that measure are called when they are
// laid out. Nothing waits for the frames of a page that is not seen, or that is far behind.
const waiting = [], most = 8;
const drawingMs = Number(document.querySelector("[data-drawing-ms]")?.dataset.drawingMs ?? Infinity);
const longLayoutMs = 12;
let drawing = null; // the message that is being drawn: its news, and the places that are left
let pausing = false; // until the next frame

function receive(news) {
  waiting.push(news);
  if (document.visibilityState !== "visible" || waiting.length > most) {
    drawAll();
  } else if (!pausing) {
    draw();
  }
}

/** Draws what is next, and the rest in the frames after that. */
function draw() {
  pausing = step(drawingMs);
  if (pausing) {
    requestAnimationFrame((beganMs) => setTimeout(goOn, 0, beganMs));
  }
}

/** Goes on when the browser has laid out what was drawn. After a long layout nobody measures in the
    same frame. */
function goOn(beganMs) {
  if (drawing?.left.length === 0 && performance.now() - beganMs > longLayoutMs) {
    requestAnimationFrame(() => setTimeout(draw));
  } else {
    draw();
  }
}

/** Draws all that came. */
export function drawAll() {
  while (step(Infinity)) {
    // to the last message
  }
}

/** Draws places of a message for so many milliseconds, one at least, or dispatches that it is drawn.
    Reports whether anything was left. */
function step(ms) {
  if (!drawing && waiting.length > 0) {
    const news = waiting.shift();
    if (news.program !== state.dataset.program) {
      location.reload(); // another program than the one that made this page
      return false;
    }
    drawing = { news, left: Object.entries(news.parts ?? {}).filter(([id, { mark }]) => (document.getElementById(id)?.dataset.mark ?? mark) !== mark) };
  }
  if (!drawing) {
    return false;
  }
  const { news, left } = drawing;
  if (left.length > 0) {
    put(left, performance.now() + ms);
  } else {
    drawing = null;
    document.dispatchEvent(new CustomEvent("parts", { detail: news }));
  }
  return true;
}

/** Puts parts in their places until a moment, one at least. One that cannot be drawn is reported and
    stops no other. */
function put(parts, until) {
  const held = document.activeElement;
  const region = held?.closest?.("[data-region]");
  while (parts.length > 0) {
    const [id, part] = parts.shift();
    const place = document.getElementById(id);
    try {
      if (place) {
        place.dataset.mark = part.mark;
        bring(place, part.html);
        count(place);
        place.dispatchEvent(new CustomEvent("part", { bubbles: true }));
      }
    } catch (failure) {
      reportError(failure);
    }
    if (performance.now() >= until) {
      break;
    }
  }
  if (region && !held.isConnected) {
    const next = (held.id && document.getElementById(held.id))
      || (region.querySelector('button:not([aria-disabled="true"]), input, [tabindex="-1"]') ?? region);
    next.focus({ preventScroll: true });
  }
}

/** Reconnects at once when the page becomes visible. */
function back() {
  if (!source && document.visibilityState === "visible") {
    clearTimeout(retryTimer);
    open();
  }
}

addEventListener("online", back);
document.addEventListener("visibilitychange", () => {
  drawAll();
  back();
});
addEventListener("pagehide", () => {
  source?.close();
  source = null;
  clearTimeout(retryTimer);
  clearTimeout(silenceTimer);
});
addEventListener("pageshow", (event) => {
  if (event.persisted) {
    back();
  }
});
count(document);
open();
