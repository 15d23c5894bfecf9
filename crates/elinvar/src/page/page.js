// The page: headline, table of properties, details of the selected one.

function fillHeader(host, data, dialog) {
  const made = data.made === null ? null : new Date(data.made).toLocaleString();
  const facts = [...data.facts, ["Elinvar", data.version], made && ["Made", made]].filter(Boolean);
  const help = el("button", { type: "button", class: "quiet", title: "Keys (?)", onclick: () => dialog.showModal() }, "Keys");
  append(host, [
    el("div", { class: "top" }, el("p", { class: "product" }, "Elinvar report"), help),
    el("h1", {}, badge(data.verdict), " ", el("span", { class: "name" }, data.title)),
    data.headline !== data.verdict && el("p", { class: "notice" }, data.headline),
    data.properties.length !== 1 && el("p", { class: "sentence" }, data.sentence),
    data.remarks.map((remark) => el("p", { class: "notice" }, remark)),
    el("dl", { class: "facts" }, facts.map(([name, text]) => el("div", {}, el("dt", {}, name), el("dd", {}, text)))),
    data.command && [el("p", { class: "label" }, "Command"), copyable(data.command, "the command line")],
  ]);
}

function fillFooter(host, data) {
  if (data.statistics) {
    append(host, [el("details", {}, el("summary", {}, "Statistics"), el("pre", { tabindex: "0", class: "scroll" }, data.statistics))]);
  }
  const confirmed = "Every verdict was confirmed by an independent checker before it was reported.";
  append(host, [el("p", { class: "muted" }, `Elinvar ${data.version}. ${data.properties.length > 0 ? confirmed : ""}`)]);
}

/** The property that the address names, or the first one that fails. */
function firstProperty(properties) {
  const number = /^#p(\d+)$/.exec(location.hash)?.[1];
  const named = properties.find((property) => String(property.number) === number);
  const worst = (property) => ORDER.indexOf(property.verdict);
  return named ?? [...properties].sort((a, b) => worst(a) - worst(b) || a.number - b.number)[0];
}

function start() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const dialog = helpDialog([...TABLE_HELP, ...WAVE_HELP]);
  document.body.append(dialog);
  fillHeader(document.getElementById("header"), data, dialog);
  fillFooter(document.getElementById("footer"), data);
  const main = document.getElementById("main");
  let table = null;
  if (data.properties.length > 0) {
    const list = el("section", { class: "list", "aria-label": "Properties" });
    const host = el("section", { class: "detail", "aria-labelledby": "detail-heading" });
    main.append(list, host);
    const detail = new Detail(host, data);
    table = new PropertyTable(list, data.properties, (property, enter) => {
      if (detail.property !== property) detail.show(property);
      history.replaceState(null, "", `#p${property.number}`);
      if (enter) detail.heading.focus();
    });
    table.select(firstProperty(data.properties));
    addEventListener("hashchange", () => table.select(firstProperty(data.properties)));
  }
  listenToKeys(table, dialog);
  document.documentElement.dataset.ready = "true";
}

start();
