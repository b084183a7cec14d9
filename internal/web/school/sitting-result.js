// Saves the signed result of a sitting as a file, and hands it to the page that checks it.
const signed = document.getElementById("signed");
const save = document.querySelector("[data-save]");
if (signed) {
  save.hidden = false;
  save.addEventListener("click", () => {
    const address = URL.createObjectURL(new Blob([signed.value], { type: "text/plain" }));
    const link = Object.assign(document.createElement("a"), { href: address, download: signed.dataset.name });
    link.click();
    URL.revokeObjectURL(address);
  });
  document.querySelector("[data-check]").addEventListener("click", () => {
    try {
      sessionStorage.setItem("trey-check", signed.value);
    } catch {
      // The browser keeps nothing: then it is pasted there.
    }
  });
}
