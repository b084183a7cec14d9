// Whether a record is in the log of a house, from the proof that it carries
// (c2sp.org/tlog-proof), and whether one state of a log goes on from another. It shares
// no code with the house: the trees are hashed here. Signatures are the browser's to
// verify (Ed25519 by Web Cryptography); where it cannot, a finding reports that.
import { hex, sha256 } from "./check-deck.js";

const utf8 = new TextEncoder();
const same = (a, b) => hex(a) === hex(b);

export function joined(...parts) {
  const bytes = parts.map((p) => (typeof p === "string" ? utf8.encode(p) : p));
  const all = new Uint8Array(bytes.reduce((n, b) => n + b.length, 0));
  let at = 0;
  for (const b of bytes) {
    all.set(b, at);
    at += b.length;
  }
  return all;
}

function unbase(text) {
  try {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    return base(bytes) === text ? bytes : null;
  } catch {
    return null;
  }
}
const base = (bytes) => btoa(String.fromCharCode(...bytes));
const node = (left, right) => sha256(joined(Uint8Array.of(1), left, right));

/** Reads a signed note: its text and its signatures; nothing where it is none. */
export function signedNote(note) {
  const [, text, lines] = /^((?:[^\n]+\n)+)\n((?:\u2014 [^\n]+\n)+)$/.exec(note) ?? [];
  if (text === undefined) {
    return null;
  }
  const signatures = [];
  for (const line of lines.trimEnd().split("\n")) {
    const [, signer, encoded, more] = line.split(" ");
    const bytes = encoded === undefined || more !== undefined ? null : unbase(encoded);
    if (!bytes || bytes.length < 5) {
      return null;
    }
    signatures.push({ name: signer, id: hex(bytes.slice(0, 4)), bytes: bytes.slice(4) });
  }
  return { text, signatures };
}

/**
 * Reads a signed checkpoint.
 * @returns {{text: string, name: string, size: bigint, root: Uint8Array, signatures: {name: string, id: string, bytes: Uint8Array}[]} | null}
 */
export function checkpoint(note) {
  const signed = signedNote(note);
  const [name, size, rootText] = signed?.text.split("\n") ?? [];
  const root = rootText === undefined ? null : unbase(rootText);
  if (!/^(0|[1-9][0-9]{0,17})$/.test(size) || root?.length !== 32) {
    return null;
  }
  return { ...signed, name, size: BigInt(size), root };
}

/**
 * Reads a proof.
 * @returns {{extra: Uint8Array, leaf: bigint, hashes: Uint8Array[], signed: ReturnType<typeof checkpoint>} | null}
 */
export function parse(text) {
  const end = text.indexOf("\n\n");
  const lines = text.slice(0, end).split("\n");
  const extra = unbase(/^extra (.+)$/.exec(lines[1] ?? "")?.[1] ?? "");
  const leaf = /^index (0|[1-9][0-9]{0,17})$/.exec(lines[2] ?? "")?.[1];
  const hashes = lines.slice(3).map(unbase);
  const signed = checkpoint(text.slice(end + 2));
  if (end < 0 || lines[0] !== "c2sp.org/tlog-proof@v1" || extra?.length !== 64 || leaf === undefined || !signed || hashes.some((h) => h?.length !== 32)) {
    return null;
  }
  return { extra, leaf: BigInt(leaf), hashes, signed };
}

/**
 * What the leaf commits to of a document; nothing where more than names, software and proof
 * stands behind that.
 */
function committed(document) {
  const end = document.lastIndexOf(',"names":{');
  try {
    const rest = Object.keys(JSON.parse(`{${document.slice(end + 1)}`));
    return end >= 0 && rest.join() === "names,software,proof" ? `${document.slice(0, end)}}` : null;
  } catch {
    return null;
  }
}

/** Whether the leaf of a proof commits to a record, and is in the tree that was signed. */
export function holds(proof, record, document) {
  const text = committed(document);
  const last = record.steps.at(-1);
  if (text === null || last === undefined || record.steps.some((s) => s.seq !== undefined && s.seq >= proof.leaf)) {
    return false;
  }
  const commitment = sha256(joined("trey section v1\n", proof.extra.slice(0, 32), `record table:${record.table} ${record.round}\n${hex(sha256(text))}`));
  const content = sha256(joined(proof.extra.slice(32), commitment));
  const leaf = `trey transaction v1\n${proof.leaf}\n${last.at_ms}\n${base(content)}\n`;
  return included(sha256(joined(Uint8Array.of(0), leaf)), proof.leaf, proof.signed.size, proof.hashes, proof.signed.root);
}

// RFC 9162, section 2.1.3.2.
function included(leaf, index, size, path, root) {
  if (index >= size) {
    return false;
  }
  let at = index;
  let end = size - 1n;
  let hash = leaf;
  for (const sibling of path) {
    if (end === 0n) {
      return false;
    }
    if ((at & 1n) === 1n || at === end) {
      hash = node(sibling, hash);
      while ((at & 1n) === 0n && at !== 0n) {
        at >>= 1n;
        end >>= 1n;
      }
    } else {
      hash = node(hash, sibling);
    }
    at >>= 1n;
    end >>= 1n;
  }
  return end === 0n && same(hash, root);
}

/** Whether a tree begins with a smaller one: RFC 9162, section 2.1.4.2. */
export function consistent(old, now, given) {
  if (old.size === now.size) {
    return given.length === 0 && same(old.root, now.root);
  }
  if (old.size < 1n || old.size > now.size) {
    return false;
  }
  const path = (old.size & (old.size - 1n)) === 0n ? [old.root, ...given] : given;
  if (path.length === 0) {
    return false;
  }
  let at = old.size - 1n;
  let end = now.size - 1n;
  while ((at & 1n) === 1n) {
    at >>= 1n;
    end >>= 1n;
  }
  let [first] = path;
  let second = first;
  for (const hash of path.slice(1)) {
    if (end === 0n) {
      return false;
    }
    if ((at & 1n) === 1n || at === end) {
      first = node(hash, first);
      second = node(hash, second);
      while ((at & 1n) === 0n && at !== 0n) {
        at >>= 1n;
        end >>= 1n;
      }
    } else {
      second = node(second, hash);
    }
    at >>= 1n;
    end >>= 1n;
  }
  return end === 0n && same(first, old.root) && same(second, now.root);
}

const largest = (n) => {
  let k = 1n;
  while (k * 2n < n) {
    k *= 2n;
  }
  return k;
};

/**
 * The proof that a tree begins with a smaller one (RFC 6962, section 2.1.2), from tiles
 * (c2sp.org/tlog-tiles).
 * @param {(level: number, n: bigint, width: number) => Promise<Uint8Array>} tile
 */
export async function path(old, now, tile) {
  const tiles = new Map();
  const hashAt = async (level, n) => {
    const number = n / 256n;
    const width = Number([256n, (now >> BigInt(8 * level)) - number * 256n].reduce((a, b) => (a < b ? a : b)));
    const name = `${level}/${number}`;
    if (!tiles.has(name)) {
      tiles.set(name, await tile(level, number, width));
    }
    const from = 32 * Number(n % 256n);
    return tiles.get(name).slice(from, from + 32);
  };
  // The root over the leaves from one up to another.
  const over = async (from, to) => {
    const n = to - from;
    let height = 0;
    while (1n << BigInt(height) < n) {
      height++;
    }
    if (1n << BigInt(height) === n && from % n === 0n && height % 8 === 0) {
      return hashAt(height / 8, from >> BigInt(height));
    }
    const k = largest(n);
    return node(await over(from, from + k), await over(from + k, to));
  };
  const part = async (m, from, to, complete) => {
    const n = to - from;
    if (m === n) {
      return complete ? [] : [await over(from, to)];
    }
    const k = largest(n);
    return m <= k
      ? [...(await part(m, from, from + k, complete)), await over(from + k, to)]
      : [...(await part(m - k, from + k, to, false)), await over(from, from + k)];
  };
  return old === now ? [] : part(old, 0n, now, true);
}

export const ed25519 = 1;
const cosignature = 4;

/** A key as a house shows it: name+number+key. */
export function key(line) {
  return keyOf(line, ed25519);
}

/** The key of a witness (c2sp.org/tlog-cosignature), in the same form; nothing where it is none. */
export function witnessKey(line) {
  return keyOf(line, cosignature);
}

function keyOf(line, algorithm) {
  const [, name, id, encoded] = /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/.exec(line.trim()) ?? [];
  const bytes = encoded === undefined ? null : unbase(encoded);
  if (bytes?.length !== 33 || bytes[0] !== algorithm) {
    return null;
  }
  return hex(sha256(joined(`${name}\n`, bytes)).slice(0, 4)) === id ? { name, id, bytes: bytes.slice(1), line: line.trim() } : null;
}

/**
 * The keys that follow from one: itself first, then each that one of them named in a signed
 * note. Notes of other keys are passed over.
 * @param {string} succession as the house shows it, the notes with a line --- between two
 */
export async function successors(first, succession) {
  const known = [first];
  for (const text of succession.split("---\n")) {
    const signed = signedNote(text);
    const [, line] = /^trey key v1\n([^\n]+)\n$/.exec(signed?.text) ?? [];
    const next = line === undefined ? null : key(line);
    if (next?.name !== first.name) {
      continue;
    }
    const answers = await Promise.all(known.map((k) => signedBy({ ...signed, name: k.name }, k)));
    if (answers.some((by) => by === "yes" || by === "cannot")) {
      known.push(next);
    }
  }
  return known;
}

/** Whether a house has signed a checkpoint: "yes", "no", "other" where another has, "cannot" where the browser cannot tell. */
export async function signedBy(signed, house) {
  const mine = signed.signatures.find((s) => s.name === house.name && s.id === house.id);
  if (signed.name !== house.name || !mine) {
    return "other";
  }
  return verified(house.bytes, mine.bytes, signed.text);
}

async function verified(bytes, signature, text) {
  try {
    const known = await crypto.subtle.importKey("raw", bytes, { name: "Ed25519" }, false, ["verify"]);
    return (await crypto.subtle.verify({ name: "Ed25519" }, known, signature, utf8.encode(text))) ? "yes" : "no";
  } catch {
    return "cannot"; // an older browser, or a page that came over plain http
  }
}

/** Whether a witness has cosigned a checkpoint, and when: by is as for [signedBy]. */
export async function cosignedBy(signed, witness) {
  const mine = signed.signatures.find((s) => s.name === witness.name && s.id === witness.id);
  if (!mine) {
    return { by: "other" };
  }
  if (mine.bytes.length !== 72) {
    return { by: "no" };
  }
  const seconds = new DataView(mine.bytes.buffer, mine.bytes.byteOffset).getBigUint64(0);
  const by = await verified(witness.bytes, mine.bytes.slice(8), `cosignature/v1\ntime ${seconds}\n${signed.text}`);
  return { by, time: seconds < 253402300800n ? new Date(1000 * Number(seconds)).toISOString().replace("T", " ").replace(".000Z", " UTC") : String(seconds) };
}

/**
 * Whether a record, as check-exact.js reads its text, is in the log of a known house and cosigned by
 * a witness, as findings; each key is null where none is given.
 */
export async function logged(r, document, house, witness = null) {
  const f = (result, sentence, args = {}) => [{ check: "log", result, sentence, args, ...(result === "failed" && { where: "proof" }) }];
  if (r.proof === "") {
    return f("open", "log-none");
  }
  const proof = parse(String(r.proof));
  if (!proof) {
    return f("failed", "log-form");
  }
  const { signed, leaf } = proof;
  if (!Array.isArray(r.steps) || !holds(proof, r, document)) {
    return f("failed", "log-differs", { tree: signed.name, leaf });
  }
  const findings = f("proven", "log-in", { tree: signed.name, leaf, n: signed.size });
  const by = house ? await signedBy(signed, house) : "other";
  if (by === "no") {
    return [...findings, ...f("failed", "log-forged", { tree: signed.name })];
  }
  findings.push(...f(by === "yes" ? "proven" : "open", { yes: "log-signed", cannot: "log-cannot", other: "log-unknown" }[by], { tree: signed.name }));
  if (witness) {
    const { by: saw, time } = await cosignedBy(signed, witness);
    const sentence = { yes: "log-witnessed", no: "log-cosignature", other: "log-unwitnessed", cannot: "log-cannot" }[saw];
    findings.push(...f({ yes: "proven", cannot: "open" }[saw] ?? "failed", sentence, saw === "cannot" ? { tree: witness.name } : { witness: witness.name, ...(saw === "yes" && { time }) }));
  }
  const seen = [...new Set(signed.signatures.map((s) => s.name).filter((name) => name !== signed.name && name !== witness?.name))];
  if (witness && seen.length === 0) {
    return findings;
  }
  findings.push(...(seen.length > 0 ? f("open", "log-witness", { witnesses: seen.join(", ") }) : f("open", "log-word")));
  return findings;
}
