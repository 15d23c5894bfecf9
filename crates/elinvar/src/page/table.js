// The table of properties: filter, order, selection.

/** Rows that are in the document before the user asks for more. */
const PAGE = 1000;
const ORDER = ["unsafe", "unreachable", "vacuous", "unknown", "reached", "safe"];

const COLUMNS = [
  { name: "No.", key: "number", class: "right", text: (p) => String(p.number) },
  { name: "Verdict", key: "verdict", value: (p) => ORDER.indexOf(p.verdict), cell: (p) => badge(p.verdict) },
  { name: "Property", key: "name", class: "name", text: (p) => p.name },
  { name: "Place", key: "place", class: "wide", value: (p) => [p.file ?? "", p.line ?? 0], text: placeText },
  { name: "Kind", key: "kind", text: (p) => p.kind },
  { name: "Engine", key: "engine", value: (p) => p.engine ?? "", text: (p) => p.engine ?? "" },
  { name: "Time", key: "seconds", class: "right", text: (p) => `${p.seconds.toFixed(2)} s` },
  { name: "Depth", key: "depth", class: "right", value: (p) => p.depth ?? -1, text: (p) => (p.depth === null ? "" : String(p.depth)) },
];

/** Compares numbers, texts, or lists of them. */
function compare(a, b) {
  if (Array.isArray(a)) return compare(a[0], b[0]) || compare(a[1], b[1]);
  return typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true });
}

/** What the filter of the page of a report looks at. */
const searchText = (p) => `${p.number} ${p.name} ${placeText(p)} ${p.kind} ${p.engine ?? ""} ${p.verdict}`;

class PropertyTable {
  constructor(host, properties, onSelect, columns = COLUMNS, text = searchText) {
    this.properties = properties;
    this.onSelect = onSelect;
    this.text = text;
    this.verdicts = new Set();
    this.order = { column: columns[0], up: true };
    this.limit = PAGE;
    this.selected = null;
    const present = (column) => properties.some((p) => (column.cell ? true : column.text(p) !== ""));
    this.columns = columns.filter(present);
    this.build(host);
    this.update();
  }

  build(host) {
    this.search = el("input", {
      type: "search",
      id: "search",
      placeholder: "Filter properties",
      "aria-label": "Filter properties by text",
      oninput: () => this.update(),
    });
    this.result = el("span", { class: "muted", role: "status" });
    this.head = el("tr", {}, this.columns.map((column) => this.headCell(column)));
    this.body = el("tbody", {});
    this.more = el("button", { type: "button", class: "quiet", onclick: () => { this.limit += PAGE; this.update(); } });
    const grid = el(
      "table",
      { class: "rows properties", role: "grid", "aria-label": "Properties", "aria-rowcount": String(this.properties.length + 1) },
      el("thead", {}, this.head),
      this.body,
    );
    this.scroll = el("div", { class: "scroll table-scroll" }, grid);
    const bar = el("div", { class: "bar", hidden: this.properties.length === 1 }, this.search, this.chips(), this.result);
    append(host, [bar, this.scroll, this.more]);
    this.body.addEventListener("click", (event) => {
      const row = event.target.closest("tr");
      if (row) this.select(row.property, true);
    });
    this.body.addEventListener("keydown", (event) => this.key(event));
  }

  headCell(column) {
    const button = el("button", { type: "button", onclick: () => this.sort(column) }, column.name, el("span", { class: "arrow", "aria-hidden": "true" }));
    return el("th", { scope: "col", class: column.class, "data-key": column.key }, button);
  }

  /** A button for each verdict that occurs; if none is pressed, all are shown. */
  chips() {
    const count = (verdict) => this.properties.filter((p) => p.verdict === verdict).length;
    const verdicts = ORDER.filter((verdict) => count(verdict) > 0);
    const chip = (verdict) => {
      const change = (on) => {
        this.verdicts[on ? "add" : "delete"](verdict);
        this.update();
      };
      const button = toggle("", false, change, { class: `chip ${verdict}`, "data-verdict": verdict });
      const symbol = el("span", { "aria-hidden": "true" }, `${SYMBOLS[verdict]} `);
      append(button, [symbol, `${verdict} `, el("span", { class: "count" }, String(count(verdict)))]);
      return button;
    };
    return el("span", { class: "chips", role: "group", "aria-label": "Show only these verdicts" }, verdicts.map(chip));
  }

  sort(column) {
    this.order = { column, up: this.order.column === column ? !this.order.up : true };
    this.update();
  }

  matching() {
    const words = this.search.value.trim().toLowerCase().split(/\s+/);
    const passes = (p) =>
      (this.verdicts.size === 0 || this.verdicts.has(p.verdict)) && words.every((word) => this.text(p).toLowerCase().includes(word));
    const { column, up } = this.order;
    const value = column.value ?? ((p) => p[column.key]);
    return this.properties.filter(passes).sort((a, b) => (up ? 1 : -1) * compare(value(a), value(b)) || a.number - b.number);
  }

  update() {
    const matching = this.matching();
    const shown = matching.slice(0, this.limit);
    this.rows = shown.map((property) => this.row(property));
    this.body.replaceChildren(...this.rows);
    const all = this.properties.length;
    const everything = all === 1 ? "1 property" : `${all} properties`;
    this.result.textContent = matching.length === all ? everything : `${matching.length} of ${everything}`;
    this.more.hidden = shown.length === matching.length;
    this.more.textContent = `Show more of ${plural(matching.length - shown.length, "other row")}`;
    for (const th of this.head.children) {
      const isOrder = th.dataset.key === this.order.column.key;
      if (isOrder) th.setAttribute("aria-sort", this.order.up ? "ascending" : "descending");
      else th.removeAttribute("aria-sort");
      th.querySelector(".arrow").textContent = isOrder ? (this.order.up ? " ▴" : " ▾") : "";
    }
    this.mark();
  }

  row(property) {
    const cell = (column) => el("td", { class: column.class, title: column.class === "wide" ? column.text(property) : null }, column.cell ? column.cell(property) : column.text(property));
    const row = el("tr", { "data-number": property.number, "aria-selected": "false", tabindex: "-1" }, this.columns.map(cell));
    row.property = property;
    return row;
  }

  /** Marks the selected row, which is also the one that Tab reaches. */
  mark() {
    let reachable = this.rows[0];
    for (const row of this.rows) {
      const isSelected = row.property === this.selected;
      row.setAttribute("aria-selected", String(isSelected));
      row.tabIndex = -1;
      if (isSelected) reachable = row;
    }
    if (reachable) reachable.tabIndex = 0;
  }

  select(property, focus = false) {
    const isNew = this.selected !== property;
    this.selected = property;
    this.mark();
    const row = this.rows.find((row) => row.property === property);
    if (row && focus) row.focus({ preventScroll: true });
    if (row) this.reveal(row);
    if (isNew) this.onSelect(property);
  }

  /** Scrolls the table, and not the page, so that the row can be seen. */
  reveal(row) {
    const { scroll } = this;
    const head = this.head.offsetHeight;
    const top = row.offsetTop - head;
    if (top < scroll.scrollTop) scroll.scrollTop = top;
    else if (row.offsetTop + row.offsetHeight > scroll.scrollTop + scroll.clientHeight) {
      scroll.scrollTop = row.offsetTop + row.offsetHeight - scroll.clientHeight;
    }
  }

  /** Selects the row that is so many rows further. */
  move(by) {
    const at = this.rows.findIndex((row) => row.property === this.selected);
    const target = this.rows[Math.max(0, Math.min(this.rows.length - 1, at < 0 ? 0 : at + by))];
    if (target) this.select(target.property, true);
  }

  /** Gives the focus to the selected row, or to the first one if that is filtered out. */
  focus() {
    const row = this.rows.find((row) => row.tabIndex === 0);
    if (row) this.select(row.property, true);
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const moves = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 15, PageUp: -15, Home: -Infinity, End: Infinity };
    if (event.key in moves) {
      event.preventDefault();
      this.move(moves[event.key]);
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.onSelect(event.target.closest("tr").property, true);
    }
  }
}
