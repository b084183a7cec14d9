// The forms for fills and credits: only chips of the table that is chosen can be counted, and
// the amount is their sum.
function show(form) {
  const inUse = new Set(form.elements.table.selectedOptions[0]?.dataset.chips.split(" "));
  for (const field of form.querySelectorAll("[data-chip]")) {
    const offered = inUse.has(field.dataset.chip);
    field.closest("p").hidden = !offered;
    field.disabled = !offered;
  }
  add(form);
}

function add(form) {
  const counted = [...form.querySelectorAll("[data-chip]:enabled")].filter((field) => field.value.trim() !== "");
  const amount = form.elements.amount;
  if (counted.length === 0) {
    if (amount.readOnly) {
      amount.value = "";
    }
    amount.readOnly = false;
    return;
  }
  amount.readOnly = true;
  const cents = counted.reduce((sum, field) => sum + BigInt(field.dataset.chip) * (/^\d{1,7}$/.test(field.value.trim()) ? BigInt(field.value.trim()) : 0n), 0n);
  const rest = cents % 100n;
  amount.value = String(cents / 100n) + (rest ? `.${String(rest).padStart(2, "0")}` : "");
}

for (const form of document.querySelectorAll("form[data-float]")) {
  form.addEventListener("input", (event) => (event.target === form.elements.table ? show(form) : add(form)));
  show(form);
}
