// The details of one property.

/** Lines of source that are shown around a place. */
const AROUND = 7;

/** Offers bytes as a file. */
function download(name, evidence) {
  const part = evidence.text ?? Uint8Array.from(atob(evidence.base64), (char) => char.charCodeAt(0));
  const link = el("a", { href: URL.createObjectURL(new Blob([part])), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

class Detail {
  constructor(host, data) {
    this.host = host;
    this.data = data;
    this.sources = new Map(data.sources.map((source) => [source.name, source]));
  }

  /** Shows a property. */
  show(property) {
    this.waveform?.destroy();
    this.waveform = null;
    this.property = property;
    this.heading = el("h2", { tabindex: "-1", id: "detail-heading" }, badge(property.verdict), " ", el("span", { class: "name" }, property.name));
    this.host.replaceChildren();
    append(this.host, [
      this.heading,
      el("p", { class: "sentence" }, property.sentence),
      property.remarks.map((remark) => el("p", { class: "notice" }, remark)),
      this.facts(property),
      this.explanation(property),
      this.trace(property),
      this.source(property),
      this.invariant(property),
      this.evidence(property),
    ]);
    const place = this.host.querySelector(".wave-host");
    if (place) {
      this.waveform = new Waveform(place, this.data.waveforms, property.trace);
    }
  }

  facts(property) {
    const facts = [
      ["Number", property.number],
      ["Kind", property.kind],
      ["Place", placeText(property)],
      ["Engine", property.engine],
      ["Time", `${property.seconds.toFixed(2)} s`],
      ["Depth", property.depth],
      ["Proof", property.proof],
    ].filter(([, text]) => text !== null && text !== undefined && text !== "");
    const files = property.files.map(([kind, path]) => [`Written ${kind}`, path]);
    return el("dl", { class: "facts" }, [...facts, ...files].map(([name, text]) => el("div", {}, el("dt", {}, name), el("dd", {}, String(text)))));
  }

  section(title, name, ...content) {
    return el("section", { class: name, "aria-labelledby": `h-${name}` }, el("h3", { id: `h-${name}` }, title), content);
  }

  explanation(property) {
    if (!property.explanation?.length) return null;
    const part = ({ title, lines, left_out: leftOut }) => [
      el("h4", {}, title),
      el("ul", { class: "steps" }, lines.map((line) => this.step(property, line))),
      leftOut > 0 && el("p", { class: "muted" }, `… and ${plural(leftOut, "more line")}; --explain --json lists them.`),
    ];
    return this.section("Explanation", "explanation", el("div", { class: "explained", tabindex: "0", role: "region", "aria-label": "Steps of the explanation" }, property.explanation.map(part)));
  }

  /** A line of an explanation, with buttons that show its cycle and its place. */
  step(property, [cycle, text, place, signals]) {
    const go = () => {
      signals.some((name) => this.waveform.selectName(name));
      this.waveform.setCursor(cycle, true);
    };
    const time = cycle !== null && property.trace !== undefined;
    const isShown = place && place[0] === property.file && this.sources.has(place[0]);
    return el(
      "li",
      {},
      time && [el("button", { type: "button", class: "step", "data-cycle": cycle, onclick: go }, `Cycle ${cycle}`), " "],
      text,
      isShown && [" ", el("button", { type: "button", class: "step", onclick: () => this.highlight(...place) }, `Line ${place[1]}`)],
    );
  }

  trace(property) {
    if (property.trace !== undefined) {
      const title = this.data.combinational ? "Values" : property.word === "reached" ? "Trace" : "Counterexample";
      return this.section(title, "waveform", el("div", { class: "wave-host" }));
    }
    return property.run ? this.section("Run", "run", this.run(property)) : null;
  }

  /** The statements of a run; a line number shows its place in the source. */
  run(property) {
    const { rows, gap, left_out: leftOut, file } = property.run;
    const line = ([number, text, values]) => {
      const go = () => this.highlight(file, number);
      const place = number === null ? "" : el("button", { type: "button", class: "link", "aria-label": `Show line ${number}`, onclick: go }, String(number));
      return el("tr", {}, el("td", {}, place), el("td", {}, el("code", {}, text)), el("td", {}, el("code", {}, values)));
    };
    const lines = rows.map(line);
    if (leftOut > 0) {
      const note = el("td", { colspan: "3", class: "muted" }, `… ${plural(leftOut, "statement")} left out …`);
      lines.splice(gap, 0, el("tr", {}, note));
    }
    const head = ["Line", "Statement", "Values written"].map((name) => el("th", { scope: "col" }, name));
    return el(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Statements of the run" },
      el("table", { class: "rows" }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, lines)),
    );
  }

  source(property) {
    const source = this.sources.get(property.file);
    if (!source || source.parts.length === 0) return null;
    this.code = el("div", { class: "code scroll", tabindex: "0", role: "region", "aria-label": "Source lines" });
    this.all = el("button", { type: "button", class: "quiet", onclick: () => this.fillSource(true) });
    const section = this.section("Source", "source", el("p", { class: "muted path" }, source.name), this.code, this.all);
    this.shown = { source, line: property.line, notes: this.annotations(property) };
    this.fillSource(false);
    return section;
  }

  /** The clauses of the invariant, by line. */
  annotations(property) {
    const notes = new Map();
    for (const place of this.places(property)) if (place.line) notes.set(place.line, place.clauses);
    return notes;
  }

  /** Shows another line of the source. */
  highlight(file, line) {
    if (this.shown?.source.name !== file) return;
    this.shown.line = line;
    this.fillSource(this.showsAll);
    const mark = this.code.querySelector(".marked");
    if (mark) this.code.scrollTop = mark.offsetTop - this.code.clientHeight / 2;
  }

  fillSource(all) {
    this.showsAll = all;
    const { source, line, notes } = this.shown;
    const lines = source.parts.flatMap(([first, text]) => text.split("\n").map((text, at) => [first + at, text]));
    const visible = all ? lines : lines.filter(([number]) => Math.abs(number - line) <= AROUND);
    const row = ([number, text]) => [
      el("div", { class: number === line ? "line marked" : "line" }, el("span", { class: "number" }, String(number)), el("span", { class: "text" }, text || " ")),
      (notes.get(number) ?? []).map((clause) => el("div", { class: "line added" }, el("span", { class: "number" }, "+"), el("span", { class: "text" }, clause))),
    ];
    this.code.replaceChildren();
    append(this.code, visible.map(row));
    const more = lines.length - visible.length;
    this.all.hidden = more === 0 && !all;
    this.all.textContent = all ? "Show fewer lines" : `Show ${plural(more, "more line")}`;
    this.all.onclick = () => this.fillSource(!all);
    if (all) this.code.querySelector(".marked")?.scrollIntoView({ block: "nearest" });
  }

  /** The places of the invariant, of this property or of one with the same. */
  places(property) {
    const { invariant } = property;
    if (!invariant) return [];
    if (invariant.same === undefined) return invariant.places ?? [];
    const other = this.data.properties.find((property) => property.number === invariant.same);
    return other?.invariant.places ?? [];
  }

  invariant(property) {
    if (!property.invariant) return null;
    if (property.invariant.left_out) {
      return this.section("Invariant", "invariant", el("p", { class: "muted" }, "The invariant is left out to keep the page small; --json lists it."));
    }
    const place = ({ file, line, text, clauses }) => [
      text && el("p", { class: "muted path" }, line ? `${file}:${line}: ${text}` : `in ${text}`),
      el("pre", { tabindex: "0" }, clauses.join("\n")),
    ];
    const places = this.places(property).filter(({ clauses }) => clauses.length > 0);
    if (places.length === 0) return null;
    return this.section("Invariant", "invariant", el("p", { class: "label" }, places[0].file ? "Holds in every run, at these places" : "Holds in every reachable state"), places.map(place));
  }

  evidence(property) {
    const { evidence } = property;
    if (!evidence) return null;
    const isEmbedded = evidence.text !== undefined || evidence.base64 !== undefined;
    const name = evidence.file.split("/").pop();
    const title = evidence.kind === "certificate" ? "Certificate" : "Witness";
    const save = el("button", { type: "button", class: "quiet", onclick: () => download(name, evidence) }, `Save ${name}`);
    const how = evidence.written
      ? `Written to ${evidence.file}.`
      : isEmbedded
        ? "It is part of this page."
        : `It was not written; add --${evidence.kind} FILE to the command to write it.`;
    return this.section(
      title,
      "evidence",
      el("p", { class: "inline" }, `${plural(evidence.bytes, "byte")}. ${how}`, isEmbedded && save),
      el("p", { class: "label" }, "SHA-256"),
      copyable(evidence.sha256, "the SHA-256"),
      evidence.verify && [el("p", { class: "label" }, "Check it again with"), copyable(evidence.verify, "the command")],
    );
  }
}
