// Parts of a page that the house renders and this page puts in place.
const policy = globalThis.trustedTypes?.createPolicy("trey", { createHTML: (text) => text });

/**
 * Asks the house for a fragment of a page. Throws on anything but an answer.
 * @param {string} address
 * @param {RequestInit} [options]
 * @returns {Promise<string>} the fragment as text
 */
export async function ask(address, options = {}) {
  const answer = await fetch(address, { ...options, headers: { "Trey-Fragment": "1", ...options.headers } });
  return answer.text();
}

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
