// The sounds of a table, made by this page: there is no file of any. None is heard before
// somebody has chosen to hear them, and the choice is kept in this browser.
const key = "trey-sound";
let context = null;

const on = () => localStorage.getItem(key) === "on";

// Each sound is a list of [when in s, how long in s, pitch in Hz or 0 for a rustle, how loud].
const run = (pitches, step, long) => pitches.map((pitch, i) => [i * step, long, pitch, .16]);
const sounds = {
  card: [[0, .05, 0, .25]],
  turn: [[0, .03, 0, .2], [.05, .04, 0, .3]],
  chip: [[0, .05, 3100, .07], [.03, .06, 2400, .06]],
  "win-small": run([659, 784], .11, .22),
  "win-middle": run([523, 659, 784, 1047], .1, .3),
  "win-large": run([523, 659, 784, 1047, 1319, 1568], .1, .45),
  jackpot: run([392, 523, 659, 784, 1047, 784, 1047, 1319, 1568, 2093], .13, .6),
};

/** Plays a sound by its name, if somebody has chosen to hear them. */
export function play(name) {
  if (!on() || !sounds[name]) {
    return;
  }
  context ??= new AudioContext();
  for (const [when, long, pitch, loud] of sounds[name]) {
    const source = pitch ? context.createOscillator() : context.createBufferSource();
    const volume = context.createGain(), at = context.currentTime + when;
    if (pitch) {
      source.type = "triangle";
      source.frequency.value = pitch;
    } else {
      source.buffer = rustle();
    }
    volume.gain.setValueAtTime(loud, at);
    volume.gain.exponentialRampToValueAtTime(.001, at + long);
    source.connect(volume).connect(context.destination);
    source.start(at);
    source.stop(at + long);
  }
  document.dispatchEvent(new CustomEvent("sound", { detail: name }));
}

let noise = null;

/** A tenth of a second of paper. */
function rustle() {
  if (!noise) {
    noise = context.createBuffer(1, context.sampleRate / 10, context.sampleRate);
    const samples = noise.getChannelData(0);
    for (let i = 1; i < samples.length; i++) {
      samples[i] = .6 * samples[i - 1] + .4 * (2 * Math.random() - 1);
    }
  }
  return noise;
}

const switches = document.querySelectorAll("[data-sound]");

function show() {
  switches.forEach((button) => button.setAttribute("aria-pressed", String(on())));
}
switches.forEach((button) => button.addEventListener("click", () => {
  if (on()) {
    localStorage.removeItem(key);
  } else {
    localStorage.setItem(key, "on");
    play("chip");
  }
  show();
}));
show();
