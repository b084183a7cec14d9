// The floor as it stands now.
import { live } from "./live.js";

const floor = document.querySelector("[data-live]");
if (floor) {
  live(floor.dataset.live, floor.dataset.stamp, document.getElementById("away"));
}
