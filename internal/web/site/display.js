// How the site looks: a choice holds at once, without leaving the page. Only
// another language needs it again from the house.
const form = document.querySelector("form[data-looks]");
const darkWhen = { auto: "(prefers-color-scheme: dark)", dark: "all", light: "not all" };
const details = form.closest("details");
form.querySelector("button").hidden = true;

form.addEventListener("change", async (event) => {
  const { name, value } = event.target;
  const body = new URLSearchParams({ [name]: value, back: location.pathname + location.search });
  if (name !== "lang") {
    document.documentElement.dataset[name] = value;
  }
  if (name === "theme") {
    document.querySelector("link[data-dark]").media = darkWhen[value];
  }
  await fetch(form.action, { method: "POST", body, redirect: "manual" });
  if (name === "lang") {
    location.reload();
  }
});

// A menu closes where people expect it to.
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && details.open) {
    details.open = false;
    details.querySelector("summary").focus();
  }
});
document.addEventListener("click", (event) => {
  if (details.open && !details.contains(event.target)) {
    details.open = false;
  }
});
