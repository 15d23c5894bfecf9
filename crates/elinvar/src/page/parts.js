// Small parts that all pages use: verdicts and texts to copy.

const SYMBOLS = { safe: "✓", reached: "✓", unsafe: "✗", unreachable: "✗", unknown: "?", vacuous: "!" };

/** A verdict as a word with a symbol, so that nothing depends on the colour. */
function badge(verdict) {
  return el("span", { class: `badge ${verdict}` }, el("span", { "aria-hidden": "true" }, `${SYMBOLS[verdict]} `), verdict);
}

function placeText(property) {
  return property.file ? `${property.file}:${property.line}` : "";
}

/** A text with a button that copies it. */
function copyable(text, label) {
  const button = el("button", { type: "button", class: "copy", "aria-label": `Copy ${label}` }, "Copy");
  button.addEventListener("click", async () => {
    const done = await copyText(text);
    button.textContent = done ? "Copied" : "Select and copy";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  return el("div", { class: "copyable" }, el("code", {}, text), button);
}

/** Copies a text; pages from files may have to use the older way. */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = el("textarea", { class: "hidden", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
