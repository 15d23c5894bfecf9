// The waveform as a component: `new Waveform(host, data, trace)` fills an element.

const RADICES = [
  ["auto", "Auto"],
  ["hex", "Hexadecimal"],
  ["decimal", "Decimal"],
  ["signed", "Signed"],
  ["binary", "Binary"],
];
const WIDEST_CYCLE = 160;
const TABLE_CYCLES = 16;
const TABLE_ROWS = 100;
const MEMORY_LINES = 400;
const MANY = 30;

class Waveform {
  constructor(host, data, trace, options = {}) {
    this.model = new TraceModel(data, trace);
    this.options = options;
    this.cycles = this.model.cycles;
    this.loopStart = this.model.loopStart;
    this.cursor = this.cycles - 1;
    this.selected = 0;
    this.radix = "auto";
    this.cycleWidth = 40;
    this.filter = {
      text: "",
      kinds: new Set(["input", "register", "memory", "wire"]),
      // Large designs have many signals that do not matter.
      onlyMatters: this.model.rows.length > MANY,
      onlyChanges: false,
      grouped: this.model.hasScopes,
      collapsed: new Set(),
    };
    this.build(host);
    this.refilter();
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.scroller);
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.onScheme = () => this.restyle();
    this.scheme.addEventListener("change", this.onScheme);
    // Paper is white.
    this.onPrint = ({ type }) => {
      this.root.classList.toggle("w-light", type === "beforeprint");
      this.restyle();
      this.draw();
    };
    for (const type of ["beforeprint", "afterprint"]) addEventListener(type, this.onPrint);
    this.restyle();
    this.setCursor(this.cursor);
  }

  destroy() {
    for (const type of ["beforeprint", "afterprint"]) removeEventListener(type, this.onPrint);
    this.observer.disconnect();
    this.scheme.removeEventListener("change", this.onScheme);
    this.root.remove();
  }

  build(host) {
    this.canvas = el("canvas", { "aria-hidden": "true" });
    this.spacer = el("div", { class: "w-spacer" }, this.canvas);
    this.scroller = el(
      "div",
      {
        class: "w-scroller",
        tabindex: "0",
        role: "application",
        "aria-roledescription": "waveform",
        "aria-label":
          "Waveform. Left and right move the cursor, up and down choose a signal, n and p go to " +
          "the next and previous change, plus and minus zoom, 0 fits, t shows a table.",
      },
      this.spacer,
    );
    this.status = el("p", { class: "w-status", role: "status", "aria-live": "polite" });
    this.tableHost = el("div", { class: "w-table", hidden: true });
    this.root = el("div", { class: "w-root" }, this.toolbar(), this.status, this.scroller, this.tableHost, this.notes());
    host.append(this.root);
    this.root.waveform = this;
    this.context = this.canvas.getContext("2d", { alpha: false });
    this.context.font = FONT;
    this.charWidth = this.context.measureText("0000000000").width / 10;
    this.listen();
  }

  toolbar() {
    const button = (label, title, action, name) =>
      el("button", { type: "button", title, "aria-label": title, "data-action": name, onclick: action }, label);
    this.search = el("input", {
      type: "search",
      placeholder: "Find signals",
      "aria-label": "Find signals by name",
      oninput: () => {
        this.filter.text = this.search.value;
        this.refilter();
      },
    });
    const present = new Set(this.model.rows.map((row) => (row.kind === "clock" ? "input" : row.kind)));
    const kinds = ["input", "register", "memory", "wire"].filter((kind) => present.has(kind));
    const names = { input: "Inputs", register: "Registers", memory: "Memories", wire: "Wires" };
    const kindButton = (kind) =>
      toggle(names[kind], true, (on) => {
        this.filter.kinds[on ? "add" : "delete"](kind);
        this.refilter();
      });
    const flag = (label, key, title) =>
      toggle(label, this.filter[key], (on) => {
        this.filter[key] = on;
        this.refilter();
      }, { title });
    const radix = el(
      "select",
      {
        "aria-label": "Radix of values",
        onchange: () => {
          this.radix = radix.value;
          this.refresh();
        },
      },
      RADICES.map(([value, label]) => el("option", { value }, label)),
    );
    this.cycleInput = el("input", {
      type: "number",
      min: "0",
      max: String(this.cycles - 1),
      "aria-label": "Cycle of the cursor",
      onchange: () => this.setCursor(Number(this.cycleInput.value)),
    });
    this.tableButton = toggle("Table", false, (on) => this.showTable(on), {
      title: "Show the values as a table (t)",
      "data-action": "table",
    });
    return el(
      "div",
      { class: "w-toolbar", role: "group", "aria-label": "Waveform controls" },
      this.search,
      kinds.length > 1 && el("span", { class: "w-group", role: "group", "aria-label": "Kinds of signals" }, kinds.map(kindButton)),
      el(
        "span",
        { class: "w-group" },
        flag("That matter", "onlyMatters", "Only signals whose values matter for the verdict"),
        flag("That change", "onlyChanges", "Only signals that change"),
        this.model.hasScopes && flag("Scopes", "grouped", "Group signals by scope"),
      ),
      radix,
      el(
        "span",
        { class: "w-group" },
        button("−", "Zoom out (−)", () => this.zoom(1 / 1.5), "out"),
        button("+", "Zoom in (+)", () => this.zoom(1.5), "in"),
        button("Fit", "Fit all cycles (0)", () => this.fit(), "fit"),
      ),
      el(
        "span",
        { class: "w-group" },
        button("◂ change", "Previous change of the selected signal (p)", () => this.jump(false), "previous"),
        button("change ▸", "Next change of the selected signal (n)", () => this.jump(true), "next"),
      ),
      el("label", { class: "w-cycle" }, "Cycle ", this.cycleInput),
      this.tableButton,
    );
  }

  /** What is below the waveform: what was left out, and the changes of memories. */
  notes() {
    const { leftOut, rows } = this.model;
    const left =
      leftOut > 0 &&
      el("p", { class: "w-note" }, `${plural(leftOut, "signal")} left out to keep the page small; a waveform written with --vcd has all of them.`);
    const repeated =
      this.loopStart !== null &&
      el("p", { class: "w-note" }, this.loopStart === this.cycles - 1
        ? "The shaded cycle repeats forever."
        : `The shaded cycles, ${this.loopStart} to ${this.cycles - 1}, repeat forever.`);
    if (!rows.some((row) => row.isElement)) return el("div", {}, repeated, left);
    const body = el("div", {});
    const details = el("details", { class: "w-memories" }, el("summary", {}, "Memory changes"), body);
    details.addEventListener("toggle", () => {
      if (details.open) body.replaceChildren(this.memoryTable());
    });
    return el("div", {}, repeated, left, details);
  }

  memoryTable() {
    const { changes, leftOut } = this.model.memoryChanges(MEMORY_LINES);
    const line = ({ cycle, row, value }) =>
      el(
        "tr",
        {},
        el("td", {}, el("button", { type: "button", class: "link", onclick: () => this.setCursor(cycle, true) }, String(cycle))),
        el("td", {}, row.name),
        el("td", {}, formatValue(value, row.width, this.radix)),
      );
    const head = ["Cycle", "Element", "Value"].map((name) => el("th", { scope: "col" }, name));
    return el(
      "div",
      { class: "w-list", tabindex: "0", role: "region", "aria-label": "Memory changes" },
      el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, changes.map(line))),
      leftOut > 0 && el("p", { class: "w-note" }, `… and ${plural(leftOut, "more change")}.`),
    );
  }

  listen() {
    this.scroller.addEventListener("scroll", () => this.paint(), { passive: true });
    this.scroller.addEventListener("keydown", (event) => this.key(event));
    this.scroller.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey) return;
        event.preventDefault();
        this.zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2, event.clientX - this.scroller.getBoundingClientRect().left);
      },
      { passive: false },
    );
    this.canvas.addEventListener("pointerdown", (event) => this.point(event));
    this.canvas.addEventListener("pointermove", (event) => {
      if (event.buttons === 1 && this.dragging) this.setCursor(this.cycleAt(event.offsetX));
      const entry = this.rows[this.rowAt(event.offsetY)];
      this.canvas.title = entry?.row && event.offsetX < this.left ? `${entry.row.name} (${entry.row.kind}, ${plural(entry.row.width, "bit")})` : "";
    });
    this.canvas.addEventListener("dblclick", (event) => {
      if (event.offsetX > this.left) this.jump(!event.shiftKey);
    });
  }

  rowAt(y) {
    return y < RULER ? -1 : Math.floor((y - RULER + this.scroller.scrollTop) / ROW);
  }

  cycleAt(x) {
    return Math.floor((x - this.left + this.scroller.scrollLeft) / this.cycleWidth);
  }

  point(event) {
    if (event.button !== 0) return;
    const at = this.rowAt(event.offsetY);
    if (at >= 0 && at < this.rows.length) {
      this.selected = at;
      if (!this.rows[at].row && event.offsetX < this.left) this.collapse();
    }
    this.dragging = event.offsetX >= this.left;
    if (this.dragging) this.setCursor(this.cycleAt(event.offsetX));
    else this.refresh();
  }

  /** Opens or closes the selected scope. */
  collapse() {
    const entry = this.rows[this.selected];
    if (!entry || entry.row) return;
    const { collapsed } = this.filter;
    collapsed[collapsed.has(entry.scope) ? "delete" : "add"](entry.scope);
    this.refilter();
  }

  key(event) {
    if (event.altKey || event.metaKey || (event.ctrlKey && !["+", "-", "="].includes(event.key))) return;
    const far = Math.max(1, Math.floor((this.canvasWidth - this.left) / this.cycleWidth));
    const actions = {
      ArrowLeft: () => (event.shiftKey ? this.jump(false) : this.setCursor(this.cursor - 1, true)),
      ArrowRight: () => (event.shiftKey ? this.jump(true) : this.setCursor(this.cursor + 1, true)),
      ArrowUp: () => this.select(this.selected - 1),
      ArrowDown: () => this.select(this.selected + 1),
      PageUp: () => this.select(this.selected - 10),
      PageDown: () => this.select(this.selected + 10),
      Home: () => this.setCursor(0, true),
      End: () => this.setCursor(this.cycles - 1, true),
      "[": () => this.setCursor(this.cursor - far, true),
      "]": () => this.setCursor(this.cursor + far, true),
      n: () => this.jump(true),
      p: () => this.jump(false),
      "+": () => this.zoom(1.5),
      "=": () => this.zoom(1.5),
      "-": () => this.zoom(1 / 1.5),
      0: () => this.fit(),
      t: () => this.tableButton.click(),
      Enter: () => this.collapse(),
      " ": () => this.collapse(),
      "/": () => this.search.focus(),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  /** Chooses a row and brings it into view. */
  select(at) {
    this.selected = Math.max(0, Math.min(this.rows.length - 1, at));
    const { scroller } = this;
    const top = this.selected * ROW;
    const room = scroller.clientHeight - RULER - ROW;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (top > scroller.scrollTop + room) scroller.scrollTop = top - room;
    this.refresh();
  }

  /** Chooses the row of a signal; false if there is none with this name. */
  selectName(name) {
    const at = this.rows.findIndex((entry) => entry.row && (entry.row.name === name || entry.row.name.replace(/\[\d+:\d+\]$/, "") === name));
    if (at >= 0) this.select(at);
    return at >= 0;
  }

  /** Moves the cursor, and brings it into view if that is asked for. */
  setCursor(cycle, show = false) {
    this.cursor = Math.max(0, Math.min(this.cycles - 1, Math.trunc(cycle) || 0));
    this.cycleInput.value = String(this.cursor);
    if (show) this.showCycle(this.cursor);
    this.refresh();
    this.options.onCursor?.(this.cursor);
  }

  showCycle(cycle) {
    const { scroller } = this;
    const x = cycle * this.cycleWidth;
    const room = Math.max(0, scroller.clientWidth - this.left - this.cycleWidth);
    if (x < scroller.scrollLeft) scroller.scrollLeft = x - room / 3;
    else if (x > scroller.scrollLeft + room) scroller.scrollLeft = x - (room * 2) / 3;
  }

  /** Goes to the next or previous change of the selected signal. */
  jump(forward) {
    const row = this.rows[this.selected]?.row;
    const cycle = row?.change(this.cursor, forward);
    if (cycle === null || cycle === undefined) this.say("No further change.");
    else this.setCursor(cycle, true);
  }

  zoom(factor, x = null) {
    const { scroller } = this;
    const anchor = x ?? this.left + this.cursor * this.cycleWidth - scroller.scrollLeft;
    const inside = Math.max(this.left, Math.min(this.canvasWidth, anchor));
    const cycle = (inside - this.left + scroller.scrollLeft) / this.cycleWidth;
    this.setCycleWidth(this.cycleWidth * factor);
    scroller.scrollLeft = cycle * this.cycleWidth - inside + this.left;
    this.paint();
  }

  fit() {
    this.setCycleWidth((this.canvasWidth - this.left - 2) / this.cycles);
    this.scroller.scrollLeft = 0;
    this.paint();
  }

  setCycleWidth(width) {
    const least = Math.min(8, (this.canvasWidth - this.left - 2) / this.cycles);
    this.cycleWidth = Math.max(least, Math.min(WIDEST_CYCLE, width));
    this.measure();
  }

  refilter() {
    const old = this.rows?.[this.selected];
    this.rows = this.model.visible(this.filter);
    const same = (entry) => (old?.row ? entry.row === old.row : old && !entry.row && entry.scope === old.scope);
    this.selected = Math.max(0, this.rows.findIndex(same));
    this.tableStart = 0;
    const height = RULER + Math.max(1, this.rows.length) * ROW + 18;
    this.scroller.style.height = `${Math.min(height, this.options.height ?? 480)}px`;
    this.resize();
    this.refresh();
  }

  /** Adapts to the size of the element. */
  resize() {
    const { scroller, canvas } = this;
    this.canvasWidth = scroller.clientWidth;
    this.canvasHeight = scroller.clientHeight;
    this.ratio = devicePixelRatio || 1;
    canvas.width = Math.round(this.canvasWidth * this.ratio);
    canvas.height = Math.round(this.canvasHeight * this.ratio);
    canvas.style.width = `${this.canvasWidth}px`;
    canvas.style.height = `${this.canvasHeight}px`;
    const longest = most(this.rows, 6, (entry) => entry.label.length + entry.depth * 2 + 1);
    const widest = most(this.model.rows, 1, (row) => row.width);
    const value = Math.min(18, Math.max(5, Math.ceil(widest / 4) + 2)) * this.charWidth + 14;
    this.names = Math.round(Math.min(longest * this.charWidth + 20, this.canvasWidth * 0.32));
    this.left = Math.round(this.names + Math.min(value, this.canvasWidth * 0.2));
    if (!this.isSized && this.canvasWidth > 0) {
      this.isSized = true;
      const room = this.canvasWidth - this.left - 2;
      this.setCycleWidth(Math.max(24, Math.min(96, room / this.cycles)));
      this.showCycle(this.cursor);
    }
    this.measure();
    this.paint();
  }

  measure() {
    this.spacer.style.width = `${this.left + Math.ceil(this.cycles * this.cycleWidth) + 1}px`;
    this.spacer.style.height = `${RULER + this.rows.length * ROW}px`;
  }

  restyle() {
    this.colours = readColours(this.root);
    this.hatch = hatchPattern(this.context, this.colours);
    this.paint();
  }

  /** Draws in the next frame. */
  paint() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  draw() {
    if (!this.colours || this.canvasWidth === 0) return;
    const { canvasWidth: width, canvasHeight: height } = this;
    const { scrollLeft, scrollTop } = this.scroller;
    drawWaveform(this.context, { ...this, width, height, scrollLeft, scrollTop });
  }

  /** Draws, and says where the cursor is. */
  refresh() {
    const entry = this.rows[this.selected];
    if (!this.rows.length) this.say("No signal matches.");
    else if (entry.row) {
      const value = formatValue(entry.row.valueAt(this.cursor), entry.row.width, this.radix);
      this.say(`Cycle ${this.cursor}: ${entry.row.name} = ${value}`);
    } else this.say(`Cycle ${this.cursor}: scope ${this.model.scopes[entry.scope].path}`);
    if (!this.tableHost.hidden) this.fillTable();
    this.paint();
  }

  say(text) {
    this.status.textContent = text;
  }

  showTable(on) {
    this.tableHost.hidden = !on;
    this.scroller.hidden = on;
    if (on) this.fillTable();
    else this.resize();
  }

  /** The values around the cursor as a table. */
  fillTable() {
    const first = Math.floor(this.cursor / TABLE_CYCLES) * TABLE_CYCLES;
    const last = Math.min(this.cycles, first + TABLE_CYCLES);
    const cycles = Array.from({ length: last - first }, (_, at) => first + at);
    const signals = this.rows.filter((entry) => entry.row);
    const shown = signals.slice(this.tableStart, this.tableStart + TABLE_ROWS);
    const cell = (row, cycle) => {
      const changed = cycle > 0 && row.valueAt(cycle) !== row.valueAt(cycle - 1);
      const text = formatValue(row.valueAt(cycle), row.width, this.radix);
      return el("td", { class: cycle === this.cursor ? "w-now" : null }, changed ? el("strong", {}, text) : text);
    };
    const head = cycles.map((cycle) => el("th", { scope: "col" }, String(cycle)));
    const line = ({ row }) =>
      el("tr", {}, el("th", { scope: "row" }, row.name), cycles.map((cycle) => cell(row, cycle)));
    const move = (label, by, end) =>
      el("button", { type: "button", disabled: end, onclick: () => this.setCursor(first + by) }, label);
    const page = (label, by, end) =>
      el("button", { type: "button", disabled: end, onclick: () => { this.tableStart += by; this.fillTable(); } }, label);
    this.tableHost.replaceChildren(
      el(
        "div",
        { class: "w-pages" },
        move("Earlier cycles", -TABLE_CYCLES, first === 0),
        move("Later cycles", TABLE_CYCLES, last === this.cycles),
        el("span", {}, `Cycles ${first} to ${last - 1} of ${this.cycles}`),
        signals.length > TABLE_ROWS && [
          page("Previous signals", -TABLE_ROWS, this.tableStart === 0),
          page("Next signals", TABLE_ROWS, this.tableStart + TABLE_ROWS >= signals.length),
          el("span", {}, `Signals ${this.tableStart + 1} to ${this.tableStart + shown.length} of ${signals.length}`),
        ],
      ),
      el(
        "div",
        { class: "w-list", tabindex: "0", role: "region", "aria-label": "Values as a table" },
        el(
          "table",
          {},
          el("caption", {}, "Values by cycle; changes are bold"),
          el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Signal"), head)),
          el("tbody", {}, shown.map(line)),
        ),
      ),
    );
  }
}

/** Shows the fragment that `page::waveform` returns. */
function mountFragment(host) {
  const data = JSON.parse(host.querySelector("script[type='application/json']").textContent);
  const root = host.attachShadow({ mode: "open" });
  root.append(host.querySelector("template").content.cloneNode(true));
  new Waveform(root, data, 0);
}
