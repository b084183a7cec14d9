// Asks for the fields of a form one after the other. A field stands in a label, and labels of
// one line in a .due; lines may stand in groups, and groups in rounds, of which one is shown.

/**
 * @param {HTMLFormElement} form
 * @param {(group: Element | null) => void} [onShow] is called with the group that is shown
 * @returns {{ advance: () => boolean }} advance goes on to the next field, and is false where
 *  there is none
 */
export function stepwise(form, onShow = () => {}) {
  const steps = [...form.querySelectorAll(".due")].flatMap((due) => [...due.querySelectorAll("label")].map((label) => ({
    due, label, field: label.querySelector("select, input"), group: due.closest("[data-group]"), round: due.closest("[data-round]"),
  })));
  const groups = [...form.querySelectorAll("[data-group]")];
  const rounds = [...form.querySelectorAll("[data-round]")];
  const needless = ({ due, field }) => field.matches("input") && due.querySelector("select").value !== "win";
  let step = 0;

  /** Shows the fields up to the one that is asked for now. */
  const reveal = () => {
    const { group, round, field } = steps[step];
    steps.forEach((one, n) => {
      one.label.hidden = n > step || needless(one);
      one.due.hidden = steps.findIndex((other) => other.due === one.due) > step;
    });
    groups.forEach((one) => {
      one.hidden = one !== group;
    });
    rounds.forEach((one) => {
      one.hidden = one !== round;
    });
    const rest = steps.slice(step + 1).filter((one) => one.round === round);
    const last = rest.every(needless) && !(field.matches("select") && field.value === "win" && rest.length > 0 && rest[0].due === steps[step].due);
    for (const extra of form.querySelectorAll("[data-last]")) {
      extra.hidden = step < steps.length - 1 && !(last && round === rounds.at(-1));
    }
    const button = (round ?? form).querySelector("[data-step]");
    button.hidden = false;
    button.textContent = last && field.value !== "" ? button.dataset.answer : button.dataset.step;
    onShow(group);
  };

  const advance = () => {
    if (step >= steps.length) {
      return false;
    }
    steps[step].field.required = true; // a payment of nothing is a 0
    if (!steps[step].field.reportValidity()) {
      return true;
    }
    let next = step + 1;
    while (next < steps.length && needless(steps[next])) {
      steps[next].field.value = "";
      next++;
    }
    if (next >= steps.length) {
      return false;
    }
    step = next;
    reveal();
    steps[step].field.focus();
    return true;
  };

  form.noValidate = true; // what is hidden is not complained about
  reveal();
  form.addEventListener("input", reveal);
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches("select")) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  return { advance };
}
