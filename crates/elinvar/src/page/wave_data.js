// Signals, values and rows of a waveform. The module `page/waves.rs` describes the data.

const KINDS = { p: "property", c: "clock", i: "input", r: "register", m: "memory", w: "wire" };

/** The widest value that is decimal in the radix `auto`. */
const DECIMAL_BITS = 16;

/** The widest value with unknown bits that is binary in the radix `auto`. */
const BINARY_BITS = 8;

/** The values of a signal: run `k` begins in cycle `starts[k]` and has the value `values[k]`. */
function decodeRuns(text) {
  const starts = [];
  const values = [];
  let cycle = 0;
  for (const run of text === "" ? [] : text.split(" ")) {
    const star = run.indexOf("*");
    starts.push(cycle);
    values.push(star < 0 ? run : run.slice(0, star));
    cycle += star < 0 ? 1 : Number(run.slice(star + 1));
  }
  return { starts, values };
}

/** A signal of a trace. Its values are decoded when they are needed. */
class SignalRow {
  constructor(signal, scopes, runs) {
    const [scope, leaf, letter, width] = signal;
    Object.assign(this, { scope, leaf, letter, width, text: runs });
    this.kind = KINDS[letter];
    this.isElement = letter === "m" && leaf.startsWith("[");
    const prefix = scope < 0 ? "" : scopes[scope].path;
    this.name = prefix === "" ? leaf : this.isElement ? prefix + leaf : `${prefix}.${leaf}`;
  }

  get runs() {
    return (this.decoded ??= decodeRuns(this.text));
  }

  /** The number of the run that a cycle belongs to. */
  runAt(cycle) {
    const { starts } = this.runs;
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= cycle) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  valueAt(cycle) {
    return this.runs.values[this.runAt(cycle)];
  }

  /** Is any bit known in any cycle? */
  get matters() {
    return !/^x(\*\d+)?$/.test(this.text);
  }

  /** Are there two different known values? */
  get changes() {
    if (!this.text.includes(" ")) return false;
    const known = this.runs.values.filter((value) => value !== "x");
    return known.some((value) => value !== known[0]);
  }

  /** The next cycle in which the value changes, or the previous one; null if there is none. */
  change(cycle, forward) {
    const { starts } = this.runs;
    const run = this.runAt(cycle);
    const target = forward ? run + 1 : starts[run] < cycle ? run : run - 1;
    return target >= 0 && target < starts.length ? starts[target] : null;
  }
}

/** Digits of a value whose mask says which bits are known; `x` for a digit that is not. */
function maskedDigits(value, mask, width, bits) {
  const digits = [];
  const digitMask = (1n << BigInt(bits)) - 1n;
  for (let low = 0; low < width; low += bits) {
    const size = Math.min(bits, width - low);
    const all = (1n << BigInt(size)) - 1n;
    const known = ((mask >> BigInt(low)) & digitMask & all) === all;
    digits.push(known ? ((value >> BigInt(low)) & all).toString(16) : "x");
  }
  return digits.reverse().join("");
}

/** A value as a person reads it. */
function formatValue(token, width, radix) {
  if (token === "x") return "x";
  const [text, maskText] = token.split("/");
  const value = BigInt(`0x${text}`);
  if (maskText !== undefined) {
    const mask = BigInt(`0x${maskText}`);
    if (radix === "binary" || (radix === "auto" && width <= BINARY_BITS)) return maskedDigits(value, mask, width, 1);
    return `0x${maskedDigits(value, mask, width, 4)}`;
  }
  if (width === 1) return text;
  switch (radix) {
    case "binary":
      return value.toString(2).padStart(width, "0");
    case "decimal":
      return value.toString();
    case "signed":
      return BigInt.asIntN(width, value).toString();
    case "hex":
      return `0x${text}`;
    default:
      return width <= DECIMAL_BITS ? value.toString() : `0x${text}`;
  }
}

/** One trace of the data, as rows in their order of importance. */
class TraceModel {
  constructor(data, number) {
    this.scopes = data.scopes.map(([parent, name]) => ({ parent, name }));
    for (const scope of this.scopes) {
      const parent = scope.parent < 0 ? null : this.scopes[scope.parent];
      scope.path = parent ? `${parent.path}.${scope.name}` : scope.name;
      scope.depth = parent ? parent.depth + 1 : 0;
    }
    const trace = data.traces[number];
    this.cycles = trace.cycles;
    this.loopStart = trace.loop_start ?? null;
    this.leftOut = trace.left_out;
    this.rows = trace.rows.map(
      ([signal, runs]) => new SignalRow(data.signals[signal], this.scopes, data.runs[runs]),
    );
  }

  get hasScopes() {
    return this.rows.some((row) => row.scope >= 0 && !row.isElement);
  }

  /** The rows that pass the filter; with scopes as headings if they are asked for. */
  visible({ text, kinds, onlyMatters, onlyChanges, grouped, collapsed }) {
    const wanted = text.trim().toLowerCase().split(/\s+/);
    const passes = (row) =>
      wanted.every((word) => row.name.toLowerCase().includes(word)) &&
      (row.letter === "p" || kinds.has(row.kind === "clock" ? "input" : row.kind)) &&
      (!onlyMatters || row.matters) &&
      (!onlyChanges || row.letter === "p" || row.changes);
    const rows = this.rows.filter(passes);
    return grouped ? this.grouped(rows, collapsed) : rows.map((row) => ({ row, depth: 0, label: row.name }));
  }

  /** Rows below headings for their scopes, each scope after the rows of the one around it. */
  grouped(rows, collapsed) {
    const inside = new Map();
    const children = new Map();
    const touch = (scope) => {
      if (inside.has(scope)) return;
      inside.set(scope, []);
      if (scope < 0) return;
      const { parent } = this.scopes[scope];
      touch(parent);
      if (!children.has(parent)) children.set(parent, []);
      children.get(parent).push(scope);
    };
    touch(-1);
    for (const row of rows) {
      touch(row.scope);
      inside.get(row.scope).push(row);
    }
    const list = [];
    const name = (scope) => this.scopes[scope].name;
    const sorted = (scope) => (children.get(scope) ?? []).sort((a, b) => name(a).localeCompare(name(b), "en", { numeric: true }));
    const add = (outer, depth) => {
      let [scope, label] = [outer, outer < 0 ? "" : name(outer)];
      // A scope that has nothing but another scope shares a heading with it.
      while (scope >= 0 && inside.get(scope).length === 0 && children.get(scope).length === 1) {
        [scope] = children.get(scope);
        label += `.${name(scope)}`;
      }
      if (scope >= 0) {
        const closed = collapsed.has(scope);
        list.push({ scope, depth: depth - 1, label, closed });
        if (closed) return;
      }
      for (const row of inside.get(scope)) list.push({ row, depth, label: row.leaf });
      for (const child of sorted(scope)) add(child, depth + 1);
    };
    add(-1, 0);
    return list;
  }

  /** The changes of memories, by cycle. */
  memoryChanges(most) {
    const changes = [];
    for (const row of this.rows.filter((row) => row.isElement)) {
      row.runs.starts.forEach((cycle, run) => {
        const value = row.runs.values[run];
        if (value !== "x") changes.push({ cycle, row, value });
      });
    }
    changes.sort((a, b) => a.cycle - b.cycle);
    return { changes: changes.slice(0, most), leftOut: Math.max(0, changes.length - most) };
  }
}
