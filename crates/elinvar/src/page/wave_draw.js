// Drawing a waveform: only the rows and the cycles that are in view.

const ROW = 22;
const RULER = 24;
const FONT = "12px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";

/** The colours of the theme, from the custom properties of the style. */
function readColours(element) {
  const style = getComputedStyle(element);
  const names = ["text", "muted", "line", "panel", "back", "wave", "bad", "select", "cursor", "unknown"];
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--w-${name}`).trim()]));
}

/** The text, cut in front if it is too long: names differ at their ends. */
function cutFront(text, most) {
  return text.length <= most ? text : most < 2 ? "" : `…${text.slice(text.length - most + 1)}`;
}

/** The text, cut at the end if it is too long. */
function cutEnd(text, most) {
  return text.length <= most ? text : most < 2 ? "" : `${text.slice(0, most - 1)}…`;
}

/** A step between marks of the ruler that is a round number. */
function rulerStep(least) {
  for (let power = 1; ; power *= 10) {
    for (const factor of [1, 2, 5]) if (factor * power >= least) return factor * power;
  }
}

/** Draws what `view` says; see `Waveform` for its fields. */
function drawWaveform(context, view) {
  const { width, height, left, colours } = view;
  context.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
  context.font = FONT;
  context.textBaseline = "middle";
  context.fillStyle = colours.back;
  context.fillRect(0, 0, width, height);
  const first = Math.max(0, Math.floor(view.scrollTop / ROW));
  const last = Math.min(view.rows.length, Math.ceil((view.scrollTop + height - RULER) / ROW));
  for (let at = first; at < last; at++) {
    const y = RULER + at * ROW - view.scrollTop;
    if (at === view.selected) {
      context.fillStyle = colours.select;
      context.fillRect(0, y, width, ROW);
    }
  }
  context.save();
  context.beginPath();
  context.rect(left, RULER, width - left, height - RULER);
  context.clip();
  drawLoop(context, view, RULER, height - RULER);
  for (let at = first; at < last; at++) {
    const { row } = view.rows[at];
    if (row) drawSignal(context, view, row, RULER + at * ROW - view.scrollTop);
  }
  drawCursor(context, view);
  context.restore();
  drawLabels(context, view, first, last);
  drawRuler(context, view);
}

function drawLabels(context, view, first, last) {
  const { left, names, colours, charWidth, height } = view;
  context.strokeStyle = colours.line;
  context.beginPath();
  for (const x of [names, left]) {
    context.moveTo(x - 0.5, 0);
    context.lineTo(x - 0.5, height);
  }
  context.stroke();
  for (let at = first; at < last; at++) {
    const { row, label, depth, closed } = view.rows[at];
    const middle = RULER + at * ROW - view.scrollTop + ROW / 2;
    if (middle < RULER) continue;
    const x = 8 + 12 * Math.min(depth, 8);
    const most = Math.floor((names - x - 6) / charWidth);
    if (!row) {
      context.fillStyle = colours.muted;
      context.fillText(cutFront(`${closed ? "▸" : "▾"} ${label}`, most), x, middle);
      continue;
    }
    context.fillStyle = row.letter === "p" ? colours.bad : colours.text;
    context.fillText(cutFront(label, most), x, middle);
    const value = formatValue(row.valueAt(view.cursor), row.width, view.radix);
    context.fillText(cutEnd(value, Math.floor((left - names - 12) / charWidth)), names + 6, middle);
  }
}

function drawRuler(context, view) {
  const { left, width, cycleWidth, colours, charWidth } = view;
  context.fillStyle = colours.panel;
  context.fillRect(0, 0, width, RULER);
  context.fillStyle = colours.muted;
  context.fillText("Signal", 8, RULER / 2);
  context.fillText(cutEnd("Value", Math.floor((left - view.names - 8) / charWidth)), view.names + 6, RULER / 2);
  context.save();
  context.beginPath();
  context.rect(left, 0, width - left, RULER);
  context.clip();
  drawLoop(context, view, 0, RULER);
  context.fillStyle = colours.muted;
  const digits = String(view.cycles).length + 2;
  const step = rulerStep((digits * charWidth) / cycleWidth);
  const start = Math.floor(view.scrollLeft / cycleWidth / step) * step;
  context.strokeStyle = colours.line;
  context.beginPath();
  for (let cycle = start; cycle < view.cycles; cycle += step) {
    const x = left + cycle * cycleWidth - view.scrollLeft;
    if (x > width) break;
    context.moveTo(Math.round(x) + 0.5, RULER - 5);
    context.lineTo(Math.round(x) + 0.5, RULER);
    context.fillText(String(cycle), x + 4, RULER / 2);
  }
  context.stroke();
  const label = String(view.cursor);
  const x = left + view.cursor * cycleWidth - view.scrollLeft;
  context.fillStyle = colours.cursor;
  context.fillRect(x, 0, Math.max(label.length * charWidth + 8, Math.min(cycleWidth, 40)), RULER);
  context.fillStyle = colours.back;
  context.fillText(label, x + 4, RULER / 2);
  context.restore();
  context.strokeStyle = colours.line;
  context.strokeRect(-0.5, -0.5, width + 1, RULER);
}

/** Shades the cycles that repeat forever. */
function drawLoop(context, view, y, height) {
  if (view.loopStart === null) return;
  const x = view.left + view.loopStart * view.cycleWidth - view.scrollLeft;
  context.fillStyle = view.colours.cursor;
  context.globalAlpha = 0.12;
  context.fillRect(x, y, (view.cycles - view.loopStart) * view.cycleWidth, height);
  context.globalAlpha = 1;
}

function drawCursor(context, view) {
  const x = view.left + view.cursor * view.cycleWidth - view.scrollLeft;
  context.strokeStyle = view.colours.cursor;
  context.beginPath();
  context.moveTo(Math.round(x) + 0.5, RULER);
  context.lineTo(Math.round(x) + 0.5, view.height);
  context.stroke();
}

/** One signal: a line for a bit, boxes with values for a word, hatching where it is unknown. */
function drawSignal(context, view, row, y) {
  const { colours, left, width, cycleWidth } = view;
  const { starts, values } = row.runs;
  const [top, bottom, middle] = [y + 4, y + ROW - 4, y + ROW / 2];
  const line = new Path2D();
  const dense = new Path2D();
  const unknown = new Path2D();
  const texts = [];
  const place = (cycle) => left + cycle * cycleWidth - view.scrollLeft;
  let run = row.runAt(Math.max(0, Math.floor(view.scrollLeft / cycleWidth)));
  let before = run > 0 ? values[run - 1] : null;
  while (run < starts.length) {
    const from = place(starts[run]);
    if (from > width) break;
    const end = run + 1 < starts.length ? starts[run + 1] : view.cycles;
    const to = place(end);
    if (to - from < 2 && run + 1 < starts.length) {
      // Many changes within two pixels are one block.
      const next = Math.max(run + 1, row.runAt(Math.ceil((from + 2 - left + view.scrollLeft) / cycleWidth)));
      dense.rect(from, top, Math.max(2, place(starts[next]) - from), bottom - top);
      before = values[next - 1];
      run = next;
      continue;
    }
    const value = values[run];
    const start = Math.max(from, left - 4);
    const stop = Math.min(to, width + 4);
    if (value === "x") {
      unknown.rect(start, top, stop - start, bottom - top);
    } else if (row.width === 1) {
      const level = value === "1" ? top : bottom;
      if (before !== null && before !== "x" && before !== value && from >= left - 4) {
        line.moveTo(from, top);
        line.lineTo(from, bottom);
      }
      line.moveTo(start, level);
      line.lineTo(stop, level);
    } else {
      const slant = Math.min(3, (to - from) / 3);
      line.moveTo(start, middle);
      line.lineTo(start + slant, top);
      line.lineTo(stop - slant, top);
      line.lineTo(stop, middle);
      line.lineTo(stop - slant, bottom);
      line.lineTo(start + slant, bottom);
      line.closePath();
      if (value.includes("/")) unknown.rect(start + slant, top, stop - start - 2 * slant, bottom - top);
    }
    if (row.width > 1 || value === "x") texts.push([start, stop, value]);
    before = value;
    run++;
  }
  const colour = row.letter === "p" ? colours.bad : colours.wave;
  context.fillStyle = view.hatch;
  context.fill(unknown);
  context.fillStyle = colour;
  context.globalAlpha = 0.35;
  context.fill(dense);
  context.globalAlpha = 1;
  context.strokeStyle = colour;
  context.lineWidth = 1.25;
  context.stroke(line);
  context.lineWidth = 1;
  context.fillStyle = colours.text;
  for (const [start, stop, value] of texts) {
    const most = Math.floor((stop - start - 8) / view.charWidth);
    if (most < 1) continue;
    const text = formatValue(value, row.width, view.radix);
    // The first two digits of a long number say little.
    const shown = text.length > most && most < 4 ? "" : cutEnd(text, most);
    const x = start + Math.max(4, (stop - start - shown.length * view.charWidth) / 2);
    if (shown !== "") context.fillText(shown, x, middle);
  }
}

/** A pattern of slanted lines: unknown values can be told apart without colours. */
function hatchPattern(context, colours) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const inner = tile.getContext("2d");
  inner.strokeStyle = colours.unknown;
  inner.lineWidth = 1;
  inner.beginPath();
  for (const shift of [-8, 0, 8]) {
    inner.moveTo(shift, 8);
    inner.lineTo(shift + 8, 0);
  }
  inner.stroke();
  return context.createPattern(tile, "repeat");
}
