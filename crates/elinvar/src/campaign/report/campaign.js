// The page of a campaign: headline, comparison, table of properties and strategies, details of the
// selected property, and figures, which the page contains from the start.

const CHANGES = ["newly failing", "no longer decided", "newly proved", "slower", "faster", "new"];

/** Seconds with as many digits as they deserve. */
function seconds(value) {
  if (value < 10) return `${value.toFixed(2)} s`;
  return value < 1000 ? `${value.toFixed(1)} s` : `${Math.round(value).toLocaleString("en")} s`;
}

function bytes(value) {
  return value < 2 ** 30 ? `${Math.round(value / 2 ** 20)} MiB` : `${(value / 2 ** 30).toFixed(1)} GiB`;
}

/** What a strategy found out about a property: `✓ 0.12 s`. */
function attemptText(attempt) {
  return attempt ? `${SYMBOLS[attempt.verdict]} ${seconds(attempt.seconds)}` : "";
}

/** The columns: a fixed part, and one for each strategy. */
function columnsOf(data) {
  const strategies = data.strategies.map((strategy, at) => ({
    name: strategy.name,
    key: `strategy${at}`,
    class: "right cell",
    // Decided first, by time; then undecided; then what was not tried.
    value: (p) => [p.attempts[at] ? (p.attempts[at].verdict === "unknown" ? 1 : 0) : 2, p.attempts[at]?.seconds ?? 0],
    text: (p) => attemptText(p.attempts[at]),
    cell: (p) => p.attempts[at] && el("span", { class: p.attempts[at].verdict }, attemptText(p.attempts[at])),
  }));
  return [
    { name: "No.", key: "number", class: "right", text: (p) => String(p.number) },
    { name: "Verdict", key: "verdict", value: (p) => ORDER.indexOf(p.verdict), cell: (p) => badge(p.verdict) },
    { name: "Property", key: "name", class: "name", text: (p) => p.name },
    { name: "Model", key: "model", class: "wide", text: (p) => (data.models > 1 ? p.model : "") },
    { name: "Kind", key: "kind", text: (p) => p.kind },
    ...strategies,
    { name: "Processor", key: "cpu", class: "right", text: (p) => seconds(p.cpu) },
    { name: "Depth", key: "depth", class: "right", value: (p) => p.depth ?? -1, text: (p) => (p.depth === null ? "" : String(p.depth)) },
    { name: "Change", key: "change", value: (p) => (p.change ? CHANGES.indexOf(p.change) : CHANGES.length), text: (p) => p.change ?? "" },
  ];
}

function campaignText(p) {
  return `${p.number} ${p.name} ${p.model} ${p.kind} ${p.verdict} ${p.engine ?? ""} ${p.change ?? ""}`;
}

function fillCampaignHeader(host, data, dialog) {
  const made = data.made === null ? null : new Date(data.made).toLocaleString();
  const facts = [...data.facts, ["Elinvar", data.version], made && ["Made", made]].filter(Boolean);
  const help = el("button", { type: "button", class: "quiet", title: "Keys (?)", onclick: () => dialog.showModal() }, "Keys");
  append(host, [
    el("div", { class: "top" }, el("p", { class: "product" }, "Elinvar campaign"), help),
    el("h1", {}, badge(data.verdict), " ", el("span", { class: "name" }, data.title)),
    el("p", { class: "sentence" }, data.sentence),
    data.remarks.map((remark) => el("p", { class: "notice" }, remark)),
    el("dl", { class: "facts" }, facts.map(([name, text]) => el("div", {}, el("dt", {}, name), el("dd", {}, text)))),
    data.command && [el("p", { class: "label" }, "Command"), copyable(data.command, "the command line")],
  ]);
}

/** What has changed since the earlier campaign; a button filters the table. */
function comparison(data, table) {
  if (!data.comparison) return null;
  const item = ([word, count]) => {
    const filter = () => {
      table.search.value = word;
      table.update();
      table.search.focus();
    };
    return el("li", {}, el("button", { type: "button", class: "chip", onclick: filter }, `${word} `, el("span", { class: "count" }, String(count))));
  };
  return el("section", { "aria-labelledby": "comparison" }, [
    el("h2", { id: "comparison" }, "Compared with an earlier campaign"),
    el("p", { class: "sentence" }, data.comparison.sentence),
    data.comparison.counts.length > 0 && el("ul", { class: "changes" }, data.comparison.counts.map(item)),
  ]);
}

function strategyTable(data) {
  const head = ["Strategy", "Options", "Limit", "Tried", "Proved", "Failing", "Median", "90 %", "Greatest", "Processor"];
  const row = (s) =>
    el("tr", {}, [
      el("th", { scope: "row" }, s.name),
      el("td", { class: "wide" }, s.options && el("code", {}, s.options)),
      [s.limit === null ? "" : seconds(s.limit), s.tried, s.proved, s.failed].map((text) => el("td", {}, String(text))),
      [s.median, s.most90, s.most].map((time) => el("td", {}, time === null ? "" : seconds(time))),
      el("td", {}, seconds(s.cpu)),
    ]);
  const table = el(
    "table",
    { class: "rows summary" },
    el("caption", { class: "muted" }, "Times are those of the properties that the strategy decided."),
    el("thead", {}, el("tr", {}, head.map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, data.strategies.map(row)),
  );
  return el("section", { "aria-labelledby": "strategies" }, el("h2", { id: "strategies" }, "Strategies"), el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of strategies" }, table));
}

/** The details of one property. */
class CampaignDetail {
  constructor(host, data) {
    this.host = host;
    this.data = data;
  }

  show(property) {
    this.property = property;
    this.heading = el("h2", { tabindex: "-1", id: "detail-heading" }, badge(property.verdict), " ", el("span", { class: "name" }, property.name));
    const facts = [
      ["Model", property.model],
      ["Kind", property.kind],
      property.engine && ["Engine", property.engine],
      property.depth !== null && ["Depth", String(property.depth)],
      property.depends.length > 0 && ["Uses the proofs of", property.depends.join(", ")],
      property.change && ["Change", property.before ? `${property.change}; before: ${property.before.verdict} after ${seconds(property.before.cpu)}` : property.change],
    ].filter(Boolean);
    this.host.replaceChildren();
    append(this.host, [
      this.heading,
      el("dl", { class: "facts" }, facts.map(([name, text]) => el("div", {}, el("dt", {}, name), el("dd", {}, text)))),
      this.links(property),
      this.attempts(property),
    ]);
  }

  links(property) {
    const link = ([name, href]) => el("li", {}, el("a", { href }, name));
    const all = [property.trace && ["Trace", property.trace], property.certificate && ["Certificate", property.certificate]].filter(Boolean);
    return [
      all.length > 0 && el("ul", { class: "links" }, all.map(link)),
      property.verify && [el("p", { class: "label" }, "Check it again with"), copyable(property.verify, "the command")],
    ];
  }

  attempts(property) {
    const tried = property.attempts.map((attempt, at) => attempt && [this.data.strategies[at].name, attempt]).filter(Boolean);
    if (tried.length === 0) return el("p", { class: "muted" }, "No strategy has been tried yet.");
    const head = ["Strategy", "Verdict", "Time", "Processor", "Memory", "Engine", "Evidence", "Reason"];
    const row = ([name, a]) =>
      el("tr", {}, [
        el("th", { scope: "row" }, name),
        el("td", {}, badge(a.verdict)),
        [seconds(a.seconds), seconds(a.cpu), bytes(a.memory)].map((text) => el("td", { class: "right" }, text)),
        [a.engine ?? "", a.verdict === "unknown" ? "" : a.source, a.reason ?? ""].map((text) => el("td", {}, text)),
      ]);
    const table = el("table", { class: "rows" }, el("thead", {}, el("tr", {}, head.map((text, at) => el("th", { scope: "col", class: at >= 2 && at <= 4 ? "right" : null }, text)))), el("tbody", {}, tried.map(row)));
    return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Attempts" }, table);
  }
}

/** Lets the user choose one of the figures that compare two strategies. */
function choosePairs() {
  const host = document.getElementById("pairs");
  if (!host) return;
  const figures = [...host.querySelectorAll("figure")];
  const show = (at) => figures.forEach((figure, number) => (figure.hidden = number !== at));
  if (figures.length > 1) {
    const options = figures.map((figure, at) => el("option", { value: String(at) }, figure.dataset.pair));
    const select = el("select", { "aria-label": "Strategies to compare", onchange: () => show(Number(select.value)) }, options);
    host.querySelector("h2").after(el("div", { class: "bar" }, select));
  }
  show(0);
}

function firstRow(properties) {
  const number = /^#p(\d+)$/.exec(location.hash)?.[1];
  return properties.find((property) => String(property.number) === number);
}

function startCampaign() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const dialog = helpDialog(TABLE_HELP);
  document.body.append(dialog);
  fillCampaignHeader(document.getElementById("header"), data, dialog);
  append(document.getElementById("footer"), [el("p", { class: "muted" }, `Elinvar ${data.version}. Every verdict was confirmed by an independent checker before it was logged.`)]);
  const main = document.getElementById("main");
  const list = el("section", { class: "list", "aria-label": "Properties" });
  const host = el("section", { class: "detail", "aria-labelledby": "detail-heading" });
  const detail = new CampaignDetail(host, data);
  const worst = [...data.properties].sort((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict) || a.number - b.number)[0];
  const select = (property, enter) => {
    if (detail.property !== property) detail.show(property);
    history.replaceState(null, "", `#p${property.number}`);
    if (enter) detail.heading.focus();
  };
  const table = data.properties.length > 0 ? new PropertyTable(list, data.properties, select, columnsOf(data), campaignText) : null;
  const figures = document.getElementById("figures");
  for (const part of [table && comparison(data, table), list, host, strategyTable(data)]) if (part) main.insertBefore(part, figures);
  if (table) {
    table.select(firstRow(data.properties) ?? worst);
    addEventListener("hashchange", () => table.select(firstRow(data.properties) ?? worst));
  }
  choosePairs();
  listenToKeys(table, dialog);
  document.documentElement.dataset.ready = "true";
}

startCampaign();
