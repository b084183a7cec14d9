// Takes a learner through whole rounds, one field at a time, and shows how long it has taken.
// The house keeps the time that counts.
import { write } from "./fragment.js";
import { stepwise } from "./school-steps.js";

const clock = document.querySelector("[data-clock]");
const beganMs = performance.now() - Number(clock.dataset.clock);
function tick() {
  const seconds = Math.floor((performance.now() - beganMs) / 1000);
  write(clock, clock.dataset.words.replace("{time}", `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`));
}
tick();
setInterval(tick, 250);

const form = document.querySelector("form[data-sitting]");
let round = null;

/** Marks the place on the felt that is asked about. */
function mark(group) {
  const now = group.closest("[data-round]");
  for (const box of now.querySelectorAll(".box, .felt-dealer")) {
    const place = box.matches(".box") ? box.querySelector(".box-number").textContent.trim() : "dealer";
    box.classList.toggle("sitting-now", place === group.dataset.group);
  }
  if (round && round !== now) {
    scrollTo({ top: 0 });
  }
  round = now;
}

const { advance } = stepwise(form, mark);
let sent = false;
form.addEventListener("submit", (event) => {
  if (sent || advance()) {
    event.preventDefault();
    return;
  }
  sent = true; // a second click would hand in what was handed in
});
addEventListener("pageshow", () => {
  sent = false; // somebody came back
});
