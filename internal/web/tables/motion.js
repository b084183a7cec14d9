// The motions of a table. What the house sends is put in place at once; here it is shown to
// arrive. Only transform and opacity move, so that nothing shifts, and any press goes on to the
// end. Who wants no motion gets a short fade.
import { write } from "./count.js";
import { play } from "./sound.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");
const page = document.querySelector(".at-table");
const felt = page.querySelector(".table-felt");
const fadeMs = 80, out = "cubic-bezier(.2,.75,.25,1)", pop = "cubic-bezier(.2,1.4,.5,1)";
// When the dealer's cards turn, counted from when the house shows them: one, two, a pause, three.
const dealerTurnsMs = [400, 900, 2100], callMs = 2600, settleMs = 2900, turnMs = 420;

const seen = new WeakSet();
let running = []; // animations
let timers = []; // of sounds
let result = ""; // the sound of a round that is being shown
let settlesAt = 0; // when the dealer's hand is read and bets are settled
let shownUntil = 0; // until when a result is on its way
let counting = null;

/** Lets an element arrive by keyframes to what it is. */
function move(element, frames, delay, duration, easing = out) {
  const moves = !still.matches;
  const animation = element.animate(moves ? frames : { opacity: frames.opacity }, {
    delay: moves ? delay : 0, duration: moves ? duration : fadeMs, easing: moves ? easing : "linear", fill: "backwards",
  });
  running.push(animation);
  return animation;
}

/** Hides an element from sight but not from a screen reader, and without a layer of its own. */
const hide = (element, duration) => element.animate({ clipPath: ["inset(100%)", "inset(100%)"] }, { duration });

/** Lets an element arrive when its time has come. Until then it is only hidden, or stays so where it
    is news: the browser has to draw but those that move. */
function moveAt(delay, element, frames, duration) {
  if (still.matches) {
    move(element, frames, 0, duration);
    return;
  }
  const hidden = hiddenNews.get(element) ?? hide(element, delay);
  hiddenNews.delete(element);
  hidden.effect.updateTiming({ duration: (hidden.currentTime ?? 0) + delay });
  hidden.onfinish = () => move(element, frames, 0, duration);
  running.push(hidden);
}

const appear = (element, delay) => move(element, { opacity: [0, 1] }, delay, 160);
const popUp = (element, delay) => move(element, { transform: ["scale(.2)", "none"], opacity: [0, 1] }, delay, 180, pop);

function sound(name, delay) {
  timers.push(setTimeout(play, still.matches ? 0 : delay, name));
}

/** Reports whether the result of a round is on its way to the reader. */
const showing = () => performance.now() < shownUntil;

/** Goes on to the end of all that moves. */
function skip() {
  for (const animation of running) {
    animation.onfinish = null;
    animation.finish();
  }
  timers.forEach(clearTimeout);
  running = [];
  timers = [];
  shownUntil = settlesAt = 0;
  counting?.(1);
  showResult();
}

/** Lights the pays that were hit, and sounds the result. */
function showResult() {
  page.removeAttribute("data-showing");
  if (held && held.net.textContent === held.before) {
    held.net.textContent = held.text;
  }
  held = null;
  if (result) {
    play(result);
    result = "";
  }
}

/** The way from one element to another, as the translation that undoes it. */
function way(from, to) {
  const a = from.getBoundingClientRect(), b = to.getBoundingClientRect();
  return [a.x + a.width / 2 - b.x - b.width / 2, a.y + a.height / 2 - b.y - b.height / 2];
}
const at = (x, y, more = "") => `translate(${Math.round(x)}px, ${Math.round(y)}px) ${more}`;

/** The elements that the reader has not seen, in the order of the boxes. */
function fresh(selector, among = felt) {
  const found = [...among.querySelectorAll(selector)].filter((element) => !seen.has(element));
  found.forEach((element) => seen.add(element));
  return found;
}
const boxOf = (element) => Number(element.closest(".seat")?.id.slice(4) ?? Infinity);

/** Deals cards one by one out of the shoe, box 1 first and the dealer last. */
function deal() {
  const shoe = felt.querySelector(".shoe");
  const cards = fresh(".dealt:not(.shown)").sort((a, b) => boxOf(a) - boxOf(b));
  const ways = cards.map((card) => (shoe.offsetParent ? way(shoe, card) : [felt.clientWidth / 2, -felt.clientHeight / 2]));
  cards.forEach((card, i) => {
    const [x, y] = ways[i], delay = 250 + 90 * i;
    moveAt(delay, card, { transform: [at(x, y, "rotate(8deg)"), at(x / 2, y / 2 - 60, "rotate(4deg)"), "none"], opacity: [0, 1, 1] }, 340);
    sound("card", delay);
  });
}

/** Turns a card: its back to the edge, and from there its face. */
function turn(card, delay) {
  const edge = (degrees) => `perspective(40rem) rotateY(${degrees}deg)`;
  const face = card.querySelector(".card"), back = card.querySelector(".reverse");
  sound("turn", delay);
  return [
    move(face, { transform: [edge(-90), edge(-90), "none"], opacity: [0, 1, 1], offset: [0, .5, 1] }, delay, turnMs, "linear"),
    ...(still.matches ? [] : [move(back, { transform: ["none", edge(90), edge(90)], opacity: [1, 1, 0], offset: [0, .5, 1] }, delay, turnMs, "linear")]),
  ];
}

/** Turns the hands of boxes that are shown: at once, or when their bets are settled. */
function turnHands(when) {
  const hands = new Map();
  for (const card of fresh(".seat .dealt.shown")) {
    hands.set(boxOf(card), [...(hands.get(boxOf(card)) ?? []), card]);
  }
  for (const [box, cards] of hands) {
    const delay = when(box);
    const turns = cards.flatMap((card, i) => turn(card, delay + 140 * i));
    const rank = cards[0].closest(".seat").querySelector(".seat-rank");
    if (rank) {
      turns.push(appear(rank, delay + 140 * (cards.length - 1) + turnMs + 120));
    }
    if (squeezed?.box === box) {
      squeezed.turns = turns;
      turns.forEach((animation) => animation.pause());
      squeeze();
    }
  }
}

/** Turns the dealer's cards one, two, three, and reads the hand after that. */
function turnDealer(now) {
  const cards = fresh(".table-dealer .dealt.shown");
  cards.forEach((card, i) => turn(card, dealerTurnsMs[i] ?? callMs));
  if (cards.length > 0) {
    felt.querySelectorAll(".call > *").forEach((call) => appear(call, callMs));
    settlesAt = shownUntil = still.matches ? 0 : now + settleMs;
  }
}

/** Has a large win shine for a moment behind its hand. */
function shine(seat, delay) {
  const light = { opacity: [0, .75, 0], transform: ["scale(.7)", "none", "none"] };
  if (!still.matches) {
    running.push(seat.querySelector(".seat-cards").animate(light, { pseudoElement: "::before", delay, duration: 1800, easing: "ease-out" }));
  }
}

/** Settles box by box, from the dealer's right to the left. */
function settle(now, rack) {
  const start = Math.max(0, settlesAt - now);
  const boxes = [...felt.querySelectorAll(".seat")].filter((seat) => fresh(".outcome, .seat-net", seat).length > 0);
  boxes.sort((a, b) => boxOf(b) - boxOf(a));
  const begins = new Map(boxes.map((seat, i) => [boxOf(seat), start + 320 * i]));
  const ways = new Map(boxes.flatMap((seat) => [...seat.querySelectorAll(".pile")]).map((pile) => [pile, way(rack, pile)]));
  let ended = start;
  for (const seat of boxes) {
    let delay = begins.get(boxOf(seat));
    for (const pile of seat.querySelectorAll(".area:has(.lost) .pile")) {
      const [x, y] = ways.get(pile);
      move(pile, { transform: ["none", at(x, y, "scale(.6)")], opacity: [1, 0] }, delay, 380);
      sound("chip", delay);
    }
    seat.querySelectorAll(".outcome.lost").forEach((outcome) => appear(outcome, delay));
    delay += 380;
    const celebrates = seat.querySelector(".seat-net.up") ? popUp : appear;
    for (const area of seat.querySelectorAll(".area:has(.outcome:not(.lost))")) {
      const pile = area.querySelector(".won-pile");
      if (pile) {
        const [x, y] = ways.get(pile);
        move(pile, { transform: [at(x, y, "scale(.6)"), "none"], opacity: [0, 1] }, delay, 420);
        sound("chip", delay + 420);
      }
      area.querySelectorAll(".outcome:not(.lost)").forEach((outcome) => celebrates(outcome, delay + 420));
      delay += 220;
    }
    const net = seat.querySelector(".seat-net");
    if (net) {
      celebrates(net, delay + 400);
      if (net.matches(".big")) {
        shine(seat, delay + 400);
      }
    }
    ended = Math.max(ended, delay + 400);
  }
  return { begins, ended };
}

let round = document.querySelector(".strip")?.dataset.round;
let balance = document.querySelector(".balance")?.dataset.balance;

const netOf = () => document.querySelector(".purse .session-net");
let sessionNet = netOf()?.textContent;
let held = null; // what the session has brought, until the result is shown

/** Keeps what the session has brought as it was while a result is on its way. */
function hold() {
  const net = netOf(), text = net?.textContent;
  if (net && text !== sessionNet && showing() && !held) {
    held = { net, before: sessionNet, text };
    net.textContent = sessionNet;
  }
  sessionNet = text;
}

/** Shows how the round ended for the reader, once all bets are settled. */
function end(now, ended) {
  const strip = document.querySelector(".strip"), purse = document.querySelector(".balance");
  if (strip && strip.dataset.round !== round) {
    round = strip.dataset.round;
    appear(strip, ended);
    fresh(".win-banner").forEach((banner) => (banner.matches(".calm") ? appear : popUp)(banner, ended));
    shownUntil = still.matches ? 0 : now + ended + 180;
    result = strip.dataset.win;
    page.toggleAttribute("data-showing", !still.matches);
    timers.push(setTimeout(showResult, still.matches ? 0 : ended));
  }
  if (purse && purse.dataset.balance !== balance) {
    const from = Number(balance), to = Number(purse.dataset.balance);
    balance = purse.dataset.balance;
    if (to > from && showing() && !still.matches) {
      countUp(purse, from, to);
    }
  }
}

/** Lets a balance run up to what it is, once the result is shown. */
function countUp(purse, from, to) {
  const text = purse.textContent, lastsMs = 500;
  counting?.(1);
  const show = (part) => {
    if (purse.dataset.balance !== String(to)) {
      counting = null; // the house has sent another one
      return;
    }
    purse.textContent = part >= 1 ? text : write(from + Math.floor((to - from) * Math.max(part, 0)), text);
    counting = part >= 1 ? null : show;
    if (counting) {
      requestAnimationFrame((time) => counting === show && show((time - shownUntil) / lastsMs));
    }
  };
  show(0);
}

// What moves when it comes, and what is shown when that has come to its end.
const moving = ".dealt, .area .stake, .small-stake, .outcome, .seat-net, .win-banner, .seat-in.out .hand, .call > *, .seat-rank, .won-pile";
const hiddenNews = new Map(); // what hides each element that is kept back
const sumsBack = new Map(); // of each place of a sum that is kept back, what it shows and what it is to show

/** Keeps news out of sight until they move, which is when the browser has laid them out: what
    comes is hidden, and sums stay as they were. */
function keepBack(event) {
  const strip = document.querySelector(".strip"), purse = document.querySelector(".balance"), net = netOf();
  const came = [...event.target.querySelectorAll(moving)].filter((element) => !seen.has(element));
  if (strip && strip.dataset.round !== round) {
    came.push(strip);
  }
  for (const element of came.filter((one) => !hiddenNews.has(one))) {
    hiddenNews.set(element, hide(element, 1000));
  }
  const sums = [[purse, purse && write(Number(balance), purse.textContent)], [net, held ? undefined : sessionNet]];
  for (const [place, before] of sums) {
    const text = place?.textContent;
    if (place && before !== undefined && text !== before) {
      place.textContent = before;
      sumsBack.set(place, { before, text }); // of several that come before a layout, the last one counts
    }
  }
}

/** Shows what has come since the last time. All is measured before anything moves: the page is laid
    out once. */
function arrive() {
  const now = performance.now();
  const slot = document.querySelector(".act-slot"), tray = felt.querySelector(".discards");
  const rack = tray.offsetParent ? tray : felt.querySelector(".dealer-hand");
  const stakes = fresh(".area .stake, .small-stake").map((stake) => {
    const ofReader = stake.closest(".large.own");
    return { stake, ofReader, from: ofReader && slot ? way(slot, stake) : [0, 60] };
  });
  sumsBack.forEach(({ before, text }, place) => place.textContent === before && (place.textContent = text));
  sumsBack.clear();
  running = running.filter((animation) => animation.playState !== "finished");
  for (const { stake, ofReader, from: [x, y] } of stakes) {
    move(stake, { transform: [at(x, y, "scale(1.15)"), "none"], opacity: [0, 1] }, 0, 220);
    sound("chip", ofReader ? 160 : 200);
  }
  for (const folded of fresh(".seat-in.out .hand")) {
    move(folded, { transform: ["none", "translateY(-24px)"], opacity: [1, .5] }, 0, 260);
  }
  deal();
  turnDealer(now);
  const { begins, ended } = settle(now, rack);
  turnHands((box) => begins.get(box) ?? 0);
  end(now, ended);
  hold();
  fresh(moving);
  hiddenNews.forEach((hidden) => hidden.cancel());
  hiddenNews.clear();
}

// A drag over the reader's own cards turns them as far as it goes.
let squeezed = null;

function squeeze() {
  const part = Math.min(1, Math.abs(squeezed.by) / 140);
  for (const animation of squeezed.turns ?? []) {
    animation.currentTime = part * (2 * 140 + turnMs);
  }
}

const examinePill = () => document.querySelector('#bar .pill[value^="examine:"]');

document.addEventListener("pointerdown", (event) => {
  const hand = event.target.closest?.(".large.active .hand");
  squeezed = hand && examinePill() ? { box: boxOf(hand), from: event.clientY, by: 0, examined: false } : null;
});
document.addEventListener("pointermove", (event) => {
  if (!squeezed) {
    return;
  }
  squeezed.by = event.clientY - squeezed.from;
  if (!squeezed.examined && Math.abs(squeezed.by) > 8) {
    squeezed.examined = true;
    examinePill()?.click();
  }
  squeeze();
});
/** Lets go: what is not turned yet turns by itself. */
function release(event) {
  if (squeezed && !squeezed.examined && event.type === "pointerup") {
    examinePill()?.click();
  }
  for (const animation of squeezed?.turns ?? []) {
    if (animation.currentTime < animation.effect.getComputedTiming().endTime) {
      animation.play();
    } else {
      animation.finish();
    }
  }
  squeezed = null;
}
document.addEventListener("pointerup", release);
document.addEventListener("pointercancel", release);

// A press goes on to the end. The gold button does nothing else with that press while a
// result is on its way: a second press of Play must not bet before the result is seen.
let ignoresClick = false;

function hurry() {
  ignoresClick = showing();
  skip();
}
addEventListener("pointerdown", hurry, true);
addEventListener("keydown", hurry, true);
addEventListener("click", (event) => {
  if ((ignoresClick || showing()) && event.target.closest?.(".pill")) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
  ignoresClick = false;
  skip();
}, true);

document.querySelectorAll(moving).forEach((element) => seen.add(element));
document.addEventListener("part", keepBack);
document.addEventListener("parts", arrive);
