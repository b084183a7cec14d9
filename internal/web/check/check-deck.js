// The cards of a round from its seeds, by docs/fair-dealing.md: SHA-256, the generator
// ChaCha8 (C2SP chacha8rand) and the shuffle. The browser's own SHA-256 is missing on a
// page that came over plain http.

const utf8 = new TextEncoder();

const turn = (x, n) => (x << n) | (x >>> (32 - n));

// The constants of SHA-256 are the first 32 bits behind the point of the cube roots of
// the first 64 primes, and its start those of the square roots of the first 8.
const primes = [];
for (let n = 2n; primes.length < 64; n++) {
  if (primes.every((p) => n % p !== 0n)) {
    primes.push(n);
  }
}
function root(n, power) {
  let low = 0n;
  let high = n;
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    if (middle ** power <= n) {
      low = middle;
    } else {
      high = middle - 1n;
    }
  }
  return low;
}
const bits = (x) => Number(x & 0xffffffffn) | 0;
const rounds = primes.map((p) => bits(root(p << 96n, 3n)));
const start = primes.slice(0, 8).map((p) => bits(root(p << 64n, 2n)));

/**
 * @param {Uint8Array | string} message
 * @returns {Uint8Array} its SHA-256
 */
export function sha256(message) {
  const bytes = typeof message === "string" ? utf8.encode(message) : message;
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
  const hash = [...start];
  const w = new Int32Array(64);
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 64; i++) {
      if (i < 16) {
        w[i] = view.getInt32(block + 4 * i);
        continue;
      }
      const a = w[i - 15];
      const b = w[i - 2];
      w[i] = w[i - 16] + (turn(a, 25) ^ turn(a, 14) ^ (a >>> 3)) + w[i - 7] + (turn(b, 15) ^ turn(b, 13) ^ (b >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = hash;
    for (let i = 0; i < 64; i++) {
      const one = (h + (turn(e, 26) ^ turn(e, 21) ^ turn(e, 7)) + ((e & f) ^ (~e & g)) + rounds[i] + w[i]) | 0;
      const two = ((turn(a, 30) ^ turn(a, 19) ^ turn(a, 10)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((x, i) => {
      hash[i] = (hash[i] + x) | 0;
    });
  }
  const out = new DataView(new ArrayBuffer(32));
  hash.forEach((x, i) => out.setInt32(4 * i, x));
  return new Uint8Array(out.buffer);
}

/** @param {Uint8Array} bytes @returns {string} hexadecimal digits */
export const hex = (bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");

/** @param {string} digits @returns {Uint8Array} */
export const unhex = (digits) => Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));

function quarter(s, a, b, c, d) {
  s[a] += s[b];
  s[d] = turn(s[d] ^ s[a], 16);
  s[c] += s[d];
  s[b] = turn(s[b] ^ s[c], 12);
  s[a] += s[b];
  s[d] = turn(s[d] ^ s[a], 8);
  s[c] += s[d];
  s[b] = turn(s[b] ^ s[c], 7);
}

// A block of ChaCha with eight rounds; of what it began with only the key is
// added at the end.
function block(key, counter) {
  const s = new Uint32Array(16);
  s.set([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, ...key, counter]);
  for (let double = 0; double < 4; double++) {
    for (let i = 0; i < 4; i++) {
      quarter(s, i, 4 + i, 8 + i, 12 + i);
    }
    for (let i = 0; i < 4; i++) {
      quarter(s, i, 4 + ((i + 1) % 4), 8 + ((i + 2) % 4), 12 + ((i + 3) % 4));
    }
  }
  key.forEach((word, i) => {
    s[4 + i] += word;
  });
  return s;
}

/** The 64-bit numbers (bigint) of ChaCha8 from a seed of 32 bytes, as many as are asked for. */
export function* chacha8(seed) {
  const view = new DataView(seed.buffer, seed.byteOffset, 32);
  let key = Array.from({ length: 8 }, (_, i) => view.getUint32(4 * i, true));
  for (;;) {
    // Sixteen blocks, of which four lie side by side word by word; the last 32
    // bytes of all are no output but the next key.
    const words = [];
    for (let first = 0; first < 16; first += 4) {
      const four = [0, 1, 2, 3].map((i) => block(key, first + i));
      for (let i = 0; i < 16; i++) {
        words.push(...four.map((b) => b[i]));
      }
    }
    for (let i = 0; i < words.length - 8; i += 2) {
      yield BigInt(words[i]) | (BigInt(words[i + 1]) << 32n);
    }
    key = words.slice(-8);
  }
}

/** The deck in index order, as it lies before it is shuffled. */
export const fresh = [..."23456789TJQKA"].flatMap((rank) => [..."cdhs"].map((suit) => rank + suit));

/**
 * @param {Uint8Array} seed
 * @returns {string[]} the deck in the order of the seed, the first card first
 */
export function shuffle(seed) {
  const deck = [...fresh];
  const draws = chacha8(seed);
  for (let n = deck.length; n > 1; n--) {
    const surplus = 2n ** 64n % BigInt(n);
    let x = draws.next().value;
    while (x < surplus) {
      x = draws.next().value;
    }
    const i = Number(x % BigInt(n));
    [deck[i], deck[n - 1]] = [deck[n - 1], deck[i]];
  }
  return deck;
}

/** The commitment to the seed of a round, as digits. */
export const commitment = (table, round, seed) => hex(sha256(`trey commitment 1\nround ${round}\nseed ${seed}\ntable ${table}\n`));

/** Compares texts by the bytes of their UTF-8, as the deck's seed takes them. */
export function byBytes(a, b) {
  const [x, y] = [utf8.encode(a), utf8.encode(b)];
  const i = x.findIndex((byte, k) => byte !== y[k]);
  return i < 0 ? x.length - y.length : x[i] - (y[i] ?? -1);
}

/**
 * The seed of the deck.
 * @param {{player: string, text: string}[]} added by players
 */
export function deckSeed(committed, seed, added) {
  const length = (text) => utf8.encode(text).length;
  const lines = [...added]
    .sort((a, b) => byBytes(a.player, b.player))
    .map((o) => `own ${length(o.player)} ${o.player} ${length(o.text)} ${o.text}\n`);
  return sha256(`trey deck 1\ncommitment ${committed}\nseed ${seed}\n${lines.join("")}`);
}
