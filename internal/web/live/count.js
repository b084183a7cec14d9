// Meters run up to what a jackpot stands at: elements with data-meter, which holds
// that in minor units, and its text. They never show more than that, and fall at
// once when the jackpot begins again. Who wants no motion sees the value itself.
const still = matchMedia("(prefers-reduced-motion: reduce)");
const lastsMs = 1800;
const number = /\d[\d,]*(\.\d+)?/;
// Making one takes longer than drawing a place.
const inDollars = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const inCents = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
/** What each meter shows, by where it stands. */
const counts = new Map();

const nameOf = (meter) => `${meter.closest("[data-mark]")?.id} ${meter.closest("[data-key]")?.dataset.key ?? ""}`;

/** An amount in the words of the text that it is on the way to. */
export function write(cents, text) {
  return text.replace(number, (_, decimals) => (decimals ? inCents.format(cents / 100) : inDollars.format(Math.floor(cents / 100))));
}

/**
 * Lets the meters of an element run from what they showed to what they stand at.
 * @param {ParentNode} element
 */
export function count(element) {
  for (const meter of element.querySelectorAll("[data-meter]")) {
    const name = nameOf(meter), to = Number(meter.dataset.meter), was = counts.get(name);
    if (was?.to === to && was.meter === meter) {
      continue;
    }
    cancelAnimationFrame(was?.frame);
    const run = { meter, to, cents: to, frame: 0 };
    counts.set(name, run);
    if (!was || to <= was.cents || still.matches) {
      continue;
    }
    const from = was.cents, began = performance.now(), text = meter.textContent;
    const step = (now) => {
      const part = Math.min(Math.max((now - began) / lastsMs, 0), 1);
      run.cents = part === 1 ? to : from + Math.floor((to - from) * (1 - (1 - part) ** 3));
      meter.textContent = part === 1 ? text : write(run.cents, text);
      run.frame = part < 1 && meter.isConnected ? requestAnimationFrame(step) : 0;
    };
    step(began);
  }
}
