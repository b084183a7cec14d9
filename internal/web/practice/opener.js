// Loads the practice of hands when somebody opens it.
document.addEventListener("click", async (event) => {
  const place = event.target.closest("[data-drill] > button")?.parentElement;
  if (!place) {
    return;
  }
  const words = place.querySelector("[data-away]");
  words.textContent = "";
  try {
    const { open } = await import(place.dataset.module);
    await open(place);
  } catch {
    words.textContent = words.dataset.away; // there is no connection, or no practice
  }
});
