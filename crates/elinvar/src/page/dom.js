// Elements are made by functions, never from markup: text stays text.

/** An element with attributes and children. `on…` attributes are functions. */
function el(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  append(element, children);
  return element;
}

/** Adds children: elements, texts, or arrays of them. Nothing is added for null. */
function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
}

/** `1 cycle`, `2 cycles`. */
function plural(number, what) {
  return number === 1 ? `1 ${what}` : `${number.toLocaleString("en")} ${what}s`;
}

/** A button that stays pressed. */
function toggle(label, pressed, change, attributes) {
  const button = el("button", { type: "button", "aria-pressed": String(pressed), ...attributes }, label);
  button.addEventListener("click", () => {
    const now = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(now));
    change(now);
  });
  return button;
}

/** The largest number of some things, or `least`. */
function most(things, least, number) {
  return things.reduce((largest, thing) => Math.max(largest, number(thing)), least);
}
