// A page that is alive: the house sends the parts that have changed, and they are
// put in their places by their ids. It comes back by itself after a pause.
import { bring } from "./fragment.js";

/**
 * Follows an address of server-sent events.
 * @param {string} address
 * @param {string} stamp which program made the page: with another one it is loaded again
 * @param {Element} away says that there is no connection, while there is none
 * @param {(news: {now: number}) => void} [after] is called when parts are in place
 */
export function live(address, stamp, away, after = () => {}) {
  const stream = new EventSource(address);
  stream.addEventListener("open", () => {
    away.hidden = true;
  });
  stream.addEventListener("parts", (event) => {
    const news = JSON.parse(event.data);
    if (news.stamp !== stamp) {
      location.reload();
      return;
    }
    const held = document.activeElement;
    const region = held?.closest?.("[data-region]");
    for (const [id, text] of Object.entries(news.parts)) {
      const place = document.getElementById(id);
      if (place) {
        bring(place, text);
      }
    }
    if (region && !held.isConnected) {
      const next = region.querySelector('button:not([aria-disabled="true"]), input') ?? region;
      next.focus({ preventScroll: true });
    }
    after(news);
  });
  stream.addEventListener("error", () => {
    away.hidden = false;
    if (stream.readyState === EventSource.CLOSED) {
      setTimeout(() => live(address, stamp, away, after), 1000); // the browser has given up: we have not
    }
  });
}
