// Reads JSON as a record of a round has it, and refuses what JSON.parse lets pass:
// a field that stands twice, which readers could take in two ways, and a number
// that is not whole. Amounts are of any size, so every number is a BigInt.

const deepest = 32;

/** Why a text is not read, with the line where it happens and its place. */
export class Fault extends Error {
  /**
   * @param {string} reason the key of the message for the page
   * @param {number} line
   * @param {string} where
   */
  constructor(reason, line, where = "") {
    super(reason);
    Object.assign(this, { reason, line, where });
  }
}

const token = /[ \t\r\n]*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(0|-?[1-9][0-9]*)(?![0-9.eE+-])|(true|false|null)(?![a-z]))/y;

/**
 * @param {string} text
 * @returns {any} objects without a prototype, arrays, strings, BigInts, booleans, null
 */
export function read(text) {
  let at = 0;
  let next = null;
  const line = () => text.slice(0, at).split("\n").length;
  const fail = (reason, where) => {
    throw new Fault(reason, line(), where);
  };
  const take = (where) => {
    token.lastIndex = at;
    next = token.exec(text);
    if (!next) {
      fail(text.slice(at).trim() === "" ? "ends" : "syntax", where);
    }
    at = token.lastIndex;
    return next;
  };
  const peek = () => {
    while (at < text.length && " \t\r\n".includes(text[at])) {
      at++;
    }
    return text[at];
  };
  const need = (sign, where) => {
    if (take(where)[1] !== sign) {
      fail("syntax", where);
    }
  };
  const value = (where, depth) => {
    if (depth > deepest) {
      fail("deep", where);
    }
    const [, sign, string, number, word] = take(where);
    if (string !== undefined) {
      const read = JSON.parse(string);
      if (!read.isWellFormed()) {
        fail("syntax", where);
      }
      return read;
    }
    if (number !== undefined) {
      return BigInt(number);
    }
    if (word !== undefined) {
      return { true: true, false: false, null: null }[word];
    }
    if (sign === "[") {
      const items = [];
      if (peek() === "]") {
        take(where);
        return items;
      }
      for (;;) {
        items.push(value(`${where}[${items.length}]`, depth + 1));
        if (peek() !== ",") {
          need("]", where);
          return items;
        }
        take(where);
      }
    }
    if (sign !== "{") {
      fail("syntax", where);
    }
    const fields = Object.create(null);
    if (peek() === "}") {
      take(where);
      return fields;
    }
    for (;;) {
      const name = take(where)[2];
      if (name === undefined) {
        fail("syntax", where);
      }
      const key = JSON.parse(name);
      const place = where === "" ? key : `${where}.${key}`;
      if (key in fields) {
        fail("twice", place);
      }
      need(":", place);
      fields[key] = value(place, depth + 1);
      if (peek() !== ",") {
        need("}", where);
        return fields;
      }
      take(where);
    }
  };
  const all = value("", 0);
  if (text.slice(at).trim() !== "") {
    fail("behind", "");
  }
  return all;
}

/**
 * A value as text that is the same for equal values, whatever the order of their
 * fields.
 */
export function canonical(value) {
  if (typeof value === "bigint") {
    return value.toString();
  }
  if (Array.isArray(value)) {
    return `[${value.map(canonical).join(",")}]`;
  }
  if (value !== null && typeof value === "object") {
    return `{${Object.keys(value).filter((name) => value[name] !== undefined).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
  }
  return JSON.stringify(value);
}
