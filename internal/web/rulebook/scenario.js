// Goes through a scenario or a round step by step, by buttons, arrow keys or a
// scrubber; with data-one one step is shown at a time, like a film.
const player = document.querySelector("[data-player]");
const status = player.querySelector("[role=status]");
const scenes = [...document.querySelectorAll(".scene")];
const scrub = player.querySelector("[data-scrub]");
const one = "one" in player.dataset;
let at = 0;
let movedMs = 0; // when a key or a button moved

function go(to, move) {
  at = Math.min(Math.max(to, 0), scenes.length - 1);
  status.textContent = status.dataset.status.replace("{n}", at + 1).replace("{of}", scenes.length);
  for (const button of player.querySelectorAll("[data-go]")) {
    button.disabled = button.dataset.go < 0 ? at === 0 : at === scenes.length - 1;
  }
  if (scrub) {
    scrub.value = at + 1;
    scrub.setAttribute("aria-valuetext", status.textContent);
  }
  if (one) {
    for (const [i, scene] of scenes.entries()) {
      scene.hidden = i !== at;
    }
  } else if (move) {
    movedMs = performance.now();
    scenes[at].focus({ preventScroll: true });
    scenes[at].scrollIntoView({ block: "start" });
  }
}

player.hidden = false;
player.addEventListener("click", (event) => {
  const button = event.target.closest("[data-go]");
  if (button) {
    go(at + Number(button.dataset.go), true);
  }
});
scrub?.addEventListener("input", () => go(scrub.value - 1, false));
document.addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step && !event.altKey && !event.ctrlKey && !event.metaKey && !/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) {
    event.preventDefault();
    go(at + step, true);
  }
});
// Where somebody has scrolled to is where they are; what was seen before a key moved on counts for
// nothing.
const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (entry.isIntersecting && entry.time > movedMs) {
      go(scenes.indexOf(entry.target), false);
    }
  }
}, { rootMargin: "-25% 0px -70% 0px" });
if (!one) {
  for (const scene of scenes) {
    seen.observe(scene);
  }
}

const asked = scenes.findIndex((scene) => "#" + scene.id === location.hash);
go(Math.max(asked, 0), asked >= 0);
