// Passkeys: asks the browser for one, and sends its answer with the form.

/** The bytes of a text in base64url. */
function bytes(text) {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
}

/** Bytes as a text in base64url, without padding. */
function text(buffer) {
  const plain = Array.from(new Uint8Array(buffer), (b) => String.fromCharCode(b)).join("");
  return btoa(plain).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

const named = (list) => list?.map((one) => ({ ...one, id: bytes(one.id) }));

/**
 * The options of the house as navigator.credentials takes them.
 * @param {string} json
 */
function read(json) {
  const options = JSON.parse(json);
  options.challenge = bytes(options.challenge);
  if (options.user) {
    options.user.id = bytes(options.user.id);
  }
  options.allowCredentials = named(options.allowCredentials);
  options.excludeCredentials = named(options.excludeCredentials);
  return options;
}

/**
 * What the browser answered, as the house reads it.
 * @param {PublicKeyCredential} made
 */
function written(made) {
  const { response } = made;
  const answer = { clientDataJSON: text(response.clientDataJSON) };
  if (response.attestationObject) {
    answer.attestationObject = text(response.attestationObject);
    answer.transports = response.getTransports?.() ?? [];
  } else {
    answer.authenticatorData = text(response.authenticatorData);
    answer.signature = text(response.signature);
    if (response.userHandle) {
      answer.userHandle = text(response.userHandle);
    }
  }
  return JSON.stringify({ id: made.id, rawId: text(made.rawId), type: made.type, clientExtensionResults: {}, response: answer });
}

for (const place of document.querySelectorAll("[data-passkey]")) {
  const button = place.querySelector("button");
  const note = (name) => place.querySelector(`[data-${name}]`);
  if (!globalThis.PublicKeyCredential || !navigator.credentials) {
    note("unsupported").hidden = false;
    continue;
  }
  button.hidden = false;
  button.addEventListener("click", async () => {
    const form = button.form;
    const label = form.elements.namedItem("label");
    if (label && !label.reportValidity()) {
      return;
    }
    note("failed").hidden = note("known").hidden = true;
    button.disabled = true;
    try {
      const publicKey = read(place.dataset.options);
      const made = place.dataset.passkey === "create" ? await navigator.credentials.create({ publicKey }) : await navigator.credentials.get({ publicKey });
      place.querySelector("input").value = written(made);
      form.submit();
    } catch (fault) {
      note(fault.name === "InvalidStateError" ? "known" : "failed").hidden = false;
      button.disabled = false;
    }
  });
}
