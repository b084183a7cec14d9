// Parts of a page that the house renders and this page puts in place.
const policy = globalThis.trustedTypes?.createPolicy("trey", { createHTML: (text) => text });

/** The house is away: it is unknown whether it has done what it was asked for. */
export class Away extends Error {}

const awayFrom = 502; // this status and those after it are of a proxy, or of a house that has stopped

/**
 * Asks the house for a fragment of a page. Throws on anything but an answer, and Away where
 * a proxy answers, or a house that cannot report whether it was done.
 * @param {string} address
 * @param {RequestInit} [options]
 * @returns {Promise<string>} the fragment as text
 */
export async function ask(address, options = {}) {
  const answer = await fetch(address, { ...options, headers: { "Trey-Fragment": "1", ...options.headers } });
  if (answer.status >= awayFrom) {
    throw new Away(answer.statusText);
  }
  return answer.text();
}

/** A key that makes what is sent twice happen once. */
export function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (b) => b.toString(16).padStart(2, "0")).join("");
}

/** Sets a text if it is new: each that is set lays the page out anew. */
export const write = (at, text) => at.textContent === `${text}` || (at.textContent = text);

/**
 * Puts a fragment in the place of what an element holds. Whatever had the focus
 * keeps it, if the fragment still has an element of that id.
 * @param {Element} element
 * @param {string} text
 */
export function put(element, text) {
  const held = element.contains(document.activeElement) ? document.activeElement.id : "";
  element.innerHTML = policy ? policy.createHTML(text) : text;
  if (held) {
    document.getElementById(held)?.focus({ preventScroll: true });
  }
}

/**
 * Changes an element's content to that of a fragment, and touches only what is
 * not as it was: the rest keeps its focus, what was chosen and its place. Children
 * are the same where they have the same id or data-key.
 * @param {Element} element
 * @param {string} text
 */
export function bring(element, text) {
  const made = document.createElement("template");
  made.innerHTML = policy ? policy.createHTML(text) : text;
  children(element, made.content);
}

const keyOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node.id || node.dataset.key || "" : "");

function children(from, to) {
  const keyed = new Map();
  for (const node of from.childNodes) {
    if (keyOf(node)) {
      keyed.set(keyOf(node), node);
    }
  }
  let at = from.firstChild;
  for (const wanted of [...to.childNodes]) {
    const key = keyOf(wanted);
    let node = key ? keyed.get(key) : at;
    while (!key && node && (keyOf(node) || node.nodeName !== wanted.nodeName)) {
      node = node.nextSibling;
    }
    if (!node || node.nodeName !== wanted.nodeName) {
      from.insertBefore(wanted, at);
      continue;
    }
    if (node !== at) {
      if (key) {
        from.insertBefore(node, at);
      } else {
        while (at !== node) {
          const gone = at;
          at = at.nextSibling;
          gone.remove();
        }
      }
    }
    at = node.nextSibling;
    same(node, wanted);
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
}

function same(node, wanted) {
  if (node.nodeType !== Node.ELEMENT_NODE) {
    if (node.nodeValue !== wanted.nodeValue) {
      node.nodeValue = wanted.nodeValue;
    }
    return;
  }
  if (node.isEqualNode(wanted)) {
    return;
  }
  for (const { name, value } of [...wanted.attributes]) {
    if (node.getAttribute(name) !== value) {
      node.setAttribute(name, value);
    }
  }
  for (const { name } of [...node.attributes]) {
    if (!wanted.hasAttribute(name) && name !== "open") {
      node.removeAttribute(name);
    }
  }
  children(node, wanted);
}
