// Loads the practice of hands when somebody opens it.
document.addEventListener("click", async (event) => {
  const place = event.target.closest("[data-drill] > button")?.parentElement;
  if (!place) {
    return;
  }
  const words = place.querySelector("[data-away]");
  words.textContent = "";
  try {
    // A browser remembers a module that it could not load and never asks for it again, so the
    // file is fetched first: what fails here is tried again with the next click.
    await fetch(place.dataset.module);
    const { open } = await import(place.dataset.module);
    await open(place);
  } catch {
    words.textContent = words.dataset.away; // there is no connection, or no practice
  }
});
