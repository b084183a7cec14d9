// Keeps the parts of a page as they are in the house.
import { bring } from "./fragment.js";

const state = document.querySelector("[data-live]");
const source = new EventSource(state.dataset.live);
let lost = 0;

source.addEventListener("open", () => {
  clearTimeout(lost);
  lost = 0;
  state.textContent = "";
});
source.addEventListener("error", () => {
  // A short break is nobody's business.
  lost ||= setTimeout(() => { state.textContent = state.dataset.lost; }, 1500);
  if (source.readyState === EventSource.CLOSED) {
    // The house said no, as it does to whoever is signed out: the page says why.
    setTimeout(() => location.reload(), 4000);
  }
});
source.addEventListener("parts", (event) => {
  for (const [id, part] of Object.entries(JSON.parse(event.data))) {
    const element = document.getElementById(id);
    if (!element || element.dataset.stamp === part.stamp) {
      continue;
    }
    element.dataset.stamp = part.stamp;
    bring(element, part.html);
    element.dispatchEvent(new CustomEvent("part", { bubbles: true }));
  }
});
addEventListener("pagehide", () => source.close());
addEventListener("pageshow", (event) => {
  if (event.persisted) {
    location.reload();
  }
});
