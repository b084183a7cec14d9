// A form of this page is done once, however often it arrives.
import { newKey } from "./fragment.js";

const pressMs = 2000; // a second press within it was meant as one: the first answer may hold a token
const sentMs = new WeakMap();

for (const field of document.querySelectorAll("input[name=key]")) {
  field.value = newKey();
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post") {
    return;
  }
  if (event.timeStamp - (sentMs.get(form) ?? -pressMs) < pressMs) {
    event.preventDefault();
    return;
  }
  sentMs.set(form, event.timeStamp);
});
