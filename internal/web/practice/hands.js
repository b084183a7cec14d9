// Hands near the line between play and fold, one after the other. All figures came with the
// practice, so that it goes on without a network; the tally is kept in this browser alone.
import { ask, put } from "./fragment.js";

const shelf = "trey.drill";
const suits = { c: "clubs", d: "diamonds", h: "hearts", s: "spades" };

/** Opens the practice in a place that names where it comes from. */
export async function open(place) {
  const text = await ask(place.dataset.drill);
  if (!text.includes("data-hands")) {
    throw new Error("the practice was not sent");
  }
  put(place, text);
  begin(place.querySelector(".drill"));
}

function tallies() {
  try {
    return JSON.parse(localStorage.getItem(shelf)) ?? {};
  } catch {
    return {}; // no storage here, or somebody else's
  }
}

function begin(panel) {
  const hands = JSON.parse(panel.dataset.hands), names = JSON.parse(panel.dataset.names);
  const part = (name) => panel.querySelector(name);
  const [play, fold, next, forget] = ["play", "fold", "next", "forget"].map((name) => part("#drill-" + name));
  const verdict = part(".drill-verdict"), shown = part(".drill-hand"), tally = part(".drill-tally");
  let hand = null;

  /** Draws a card as the template has one. */
  function draw(code) {
    const drawn = part("template").content.firstElementChild.cloneNode(true);
    const suit = suits[code[1]];
    drawn.setAttribute("class", `card ${suit}`);
    drawn.setAttribute("aria-label", names[code]);
    drawn.querySelector("text").textContent = code[0].replace("T", "10");
    drawn.querySelector("use").setAttribute("href", "#" + suit);
    return drawn;
  }

  /** Shows another hand, with its suits exchanged at random. */
  function deal() {
    const others = hands.filter((one) => one !== hand);
    hand = others[Math.floor(Math.random() * others.length)];
    const order = [..."cdhs"];
    for (let i = 3; i > 0; i--) {
      const k = Math.floor(Math.random() * (i + 1));
      [order[i], order[k]] = [order[k], order[i]];
    }
    const cards = hand[0].match(/../g);
    shown.replaceChildren(...cards.map((code) => draw(code[0] + order["cdhs".indexOf(code[1])])));
    part(".drill-name").textContent = hand[1];
    verdict.textContent = "";
    asked(true);
  }

  function asked(open) {
    play.hidden = fold.hidden = !open;
    next.hidden = open;
    (open ? play : next).focus({ preventScroll: true });
  }

  const signed = (worth) => (worth.startsWith("-") ? "−" + worth.slice(1) : "+" + worth);

  /** Judges a choice by the exact values, which are whole numbers of 1/10,000. */
  function judge(plays) {
    const [worth, folded] = [hand[2], hand[3]].map((text) => Math.round(Number(text) * 10_000));
    const cost = Math.max(0, plays ? folded - worth : worth - folded);
    const words = cost === 0 ? verdict.dataset.right : verdict.dataset.wrong.replace("{cost}", (cost / 10_000).toFixed(4));
    const values = [verdict.dataset.play.replace("{worth}", signed(hand[2])), verdict.dataset.fold.replace("{worth}", signed(hand[3]))];
    const grade = document.createElement("strong");
    grade.className = cost === 0 ? "right-choice" : "mistake";
    grade.textContent = words;
    verdict.replaceChildren(grade, document.createElement("br"), values.join(" · "));
    const all = tallies(), { done = 0, right = 0, streak = 0, best = 0, costs = 0 } = all[panel.dataset.game] ?? {};
    const run = cost === 0 ? streak + 1 : 0;
    all[panel.dataset.game] = { done: done + 1, right: right + (cost === 0 ? 1 : 0), streak: run, best: Math.max(best, run), costs: costs + cost };
    keep(all);
    asked(false);
  }

  function keep(all) {
    try {
      localStorage.setItem(shelf, JSON.stringify(all));
    } catch {
      // The browser keeps nothing: then there is no tally.
    }
    count();
  }

  function count() {
    const { done = 0, right = 0, best = 0, costs = 0 } = tallies()[panel.dataset.game] ?? {};
    tally.textContent = done === 0 ? "" : tally.dataset.words
      .replace("{right}", right).replace("{done}", done).replace("{best}", best)
      .replace("{cost}", (costs / 10_000).toFixed(4));
    forget.hidden = done === 0;
  }

  play.addEventListener("click", () => judge(true));
  fold.addEventListener("click", () => judge(false));
  next.addEventListener("click", deal);
  forget.addEventListener("click", () => {
    const all = tallies();
    delete all[panel.dataset.game];
    keep(all);
    (next.hidden ? play : next).focus({ preventScroll: true });
  });
  // The keys are those of the table, which are not pressed there meanwhile.
  panel.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.key.length > 1) {
      return;
    }
    event.stopPropagation();
    const button = { p: play, f: fold, n: next }[event.key.toLowerCase()];
    if (button && !button.hidden && !event.repeat) {
      event.preventDefault();
      button.click();
    }
  });
  count();
  deal();
}
