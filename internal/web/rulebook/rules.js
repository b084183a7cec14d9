// Finds clauses while somebody types.
const form = document.querySelector("form[data-filter]");
const status = form.querySelector("[role=status]");
const clauses = [...document.querySelectorAll(".clause")].map((element) => ({
  element,
  words: element.textContent.toLowerCase(),
  chapter: element.closest(".chapter"),
}));

function filter() {
  const wanted = form.search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const kind = form.kind.value;
  const filled = new Set();
  let found = 0;
  for (const { element, words, chapter } of clauses) {
    const ofKind = kind === "" || (kind === "ruling" ? element.hasAttribute("data-ruling") : element.dataset.kind === kind);
    const matches = ofKind && wanted.every((word) => words.includes(word));
    element.hidden = !matches;
    if (matches) {
      found++;
      filled.add(chapter);
    }
  }
  for (const { chapter } of clauses) {
    chapter.hidden = !filled.has(chapter);
  }
  status.textContent = wanted.length > 0 || kind !== "" ? status.dataset.found.replace("{n}", found) : "";
}

form.addEventListener("input", filter);
form.addEventListener("submit", (event) => event.preventDefault());
filter(); // a browser may have kept what was typed
