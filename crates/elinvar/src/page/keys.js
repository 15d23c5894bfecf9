// Keys that work everywhere on the page, and the help about all keys.

const TABLE_HELP = [
  ["Page", [
    ["/", "filter the properties"],
    ["Escape", "clear the filter, or go back to the table"],
    ["?", "this help"],
  ]],
  ["Table of properties", [
    ["↑ ↓ or k j", "previous, next property"],
    ["Page Up, Page Down, Home, End", "move further"],
    ["Enter", "go to the details"],
  ]],
];

const WAVE_HELP = [
  ["Waveform", [
    ["← →", "move the cursor by a cycle"],
    ["↑ ↓", "choose a signal"],
    ["n p, or Shift with ← →", "next, previous change of the signal"],
    ["+ − 0", "zoom in, zoom out, fit; also Ctrl with the wheel"],
    ["[ ]", "move the cursor by a screen"],
    ["Home, End", "first, last cycle"],
    ["Enter", "open or close a scope"],
    ["t", "show the values as a table"],
    ["/", "find signals"],
    ["double click", "next change; with Shift the previous one"],
  ]],
];

function helpDialog(help) {
  const keys = ([key, text]) => el("div", {}, el("dt", {}, el("kbd", {}, key)), el("dd", {}, text));
  const group = ([title, list]) => [el("h3", {}, title), el("dl", { class: "keys" }, list.map(keys))];
  const dialog = el("dialog", { "aria-labelledby": "help-heading" });
  append(dialog, [
    el("h2", { id: "help-heading" }, "Keys"),
    help.map(group),
    el("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, "Close"),
  ]);
  return dialog;
}

function isTyping(target) {
  return target.matches?.("input:not([type='checkbox']), select, textarea") ?? false;
}

/** Listens to the keys of the page. */
function listenToKeys(table, dialog) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || dialog.open) return;
    if (event.key === "Escape") {
      const { target } = event;
      if (isTyping(target) && target.value !== "" && target.type === "search") {
        target.value = "";
        target.dispatchEvent(new Event("input"));
      } else if (target.closest?.(".w-toolbar")) {
        target.closest(".w-root").querySelector(".w-scroller").focus();
      } else {
        table?.focus();
      }
      event.preventDefault();
    } else if (isTyping(event.target)) {
      if (event.target === table?.search && ["ArrowDown", "Enter"].includes(event.key)) {
        event.preventDefault();
        table.focus();
      }
    } else if (event.key === "/") {
      event.preventDefault();
      table?.search.focus();
    } else if (event.key === "?") {
      event.preventDefault();
      dialog.showModal();
    }
  });
}
