// The meter runs up to what the jackpot stands at. It never shows more than that,
// and falls at once when the jackpot begins again.
const place = document.getElementById("j-meter");
const still = matchMedia("(prefers-reduced-motion: reduce)");
let shown = Number(place.querySelector("[data-cents]").dataset.cents);
let frame = 0;

function write(cents) {
  const whole = String(Math.floor(cents / 100)).replace(/\B(?=(\d{3})+$)/g, ",");
  place.querySelector("[data-cents]").textContent = "$" + whole + "." + String(cents % 100).padStart(2, "0");
}

document.addEventListener("part", (event) => {
  if (event.target !== place) {
    return;
  }
  const to = Number(place.querySelector("[data-cents]").dataset.cents);
  cancelAnimationFrame(frame);
  if (to <= shown || still.matches) {
    shown = to;
    write(to);
    return;
  }
  const from = shown, began = performance.now(), lastsMs = 1800;
  const step = (now) => {
    const part = Math.min(Math.max((now - began) / lastsMs, 0), 1);
    shown = part === 1 ? to : from + Math.floor((to - from) * (1 - (1 - part) ** 3));
    write(shown);
    if (part < 1) {
      frame = requestAnimationFrame(step);
    }
  };
  step(began);
});
