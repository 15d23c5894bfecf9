// Clicks through reports in Chromium. The reports are made by crates/cli/tests/browser.rs, which
// also runs this file; ELINVAR_REPORTS is the folder with them.

import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import { launch, open } from "./browser.js";

const folder = process.env.ELINVAR_REPORTS;
const report = (name) => join(folder, `${name}.html`);
const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

let browser;
before(async () => (browser = await launch()));
after(async () => await browser?.close());

/** A test on a page, which must be silent and ask for nothing. */
function onPage(name, title, body) {
  test(`${name}: ${title}`, { skip: !existsSync(report(name)) && "this report was not made" }, async () => {
    const { page, faults } = await open(browser.context, report(name));
    try {
      await body(page);
      assert.deepEqual(faults, []);
    } finally {
      await page.close();
    }
  });
}

const rowCount = (page) => page.locator(".properties tbody tr").count();
const selected = (page) => page.locator(".properties tr[aria-selected='true']").getAttribute("data-number");
const wave = (page, body, argument) =>
  page.evaluate(
    ([body, argument]) => new Function("wave", "argument", `return ${body}`)(document.querySelector(".w-root").waveform, argument),
    [body, argument],
  );

onPage("many", "the table can be filtered and sorted", async (page) => {
  assert.equal(await rowCount(page), 500);
  assert.match(await page.locator("h1").innerText(), /unsafe/);
  await page.click(".chip[data-verdict='safe']");
  assert.equal(await rowCount(page), 250);
  assert.match(await page.locator(".bar").innerText(), /250 of 500 properties/);
  await page.fill("#search", "never_42");
  const words = await page.locator(".properties tbody tr").allInnerTexts();
  assert.ok(words.length > 0 && words.every((text) => text.includes("never_42") && text.includes("safe")), words.join());
  await page.fill("#search", "no such property");
  assert.equal(await rowCount(page), 0);
  await page.fill("#search", "");
  await page.click(".chip[data-verdict='safe']");
  const depths = async () => {
    const cells = await page.locator(".properties tbody td:last-child").allInnerTexts();
    return cells.map((text) => Number(text));
  };
  await page.click("th[data-key='depth'] button");
  const up = await depths();
  assert.deepEqual(up, [...up].sort((a, b) => a - b));
  await page.click("th[data-key='depth'] button");
  assert.equal(await page.getAttribute("th[data-key='depth']", "aria-sort"), "descending");
  const down = await depths();
  assert.deepEqual(down, [...up].sort((a, b) => b - a));
});

onPage("many", "everything can be reached with the keyboard", async (page) => {
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "search");
  await page.keyboard.type("never_3_6");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  assert.equal(await selected(page), "6");
  assert.equal(await page.evaluate(() => document.activeElement.id), "detail-heading");
  assert.match(await page.locator("#detail-heading").innerText(), /never_3_6/);
  assert.ok(page.url().endsWith("#p6"));
  await page.keyboard.press("/");
  await page.keyboard.press("Escape");
  assert.equal(await rowCount(page), 500);
  await page.keyboard.press("Escape");
  await page.keyboard.press("ArrowDown");
  assert.equal(await selected(page), "7");
  await page.keyboard.press("k");
  await page.keyboard.press("End");
  assert.equal(await selected(page), "499");
  const isVisible = await page.evaluate(() => {
    const row = document.querySelector("tr[aria-selected='true']").getBoundingClientRect();
    const host = document.querySelector(".table-scroll").getBoundingClientRect();
    return row.top >= host.top && row.bottom <= host.bottom + 1;
  });
  assert.ok(isVisible, "the selected row is scrolled into view");
  await page.keyboard.press("?");
  assert.ok(await page.locator("dialog").isVisible());
  await page.keyboard.press("Escape");
  assert.ok(!(await page.locator("dialog").isVisible()));
});

onPage("many", "a link shows its property", async (page) => {
  await page.evaluate(() => (location.hash = "#p8"));
  await page.waitForSelector("tr[data-number='8'][aria-selected='true']");
});

onPage("many", "commands and hashes can be copied", async (page) => {
  await page.click(".evidence .copy >> nth=1");
  await page.waitForSelector(".evidence .copy:has-text('Copied')");
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /^elinvar verify .*many\.btor2 witness-0\.txt --property 0$/);
});

onPage("many", "the witness can be saved", async (page) => {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(".evidence .quiet")]);
  assert.equal(download.suggestedFilename(), "witness-0.txt");
  assert.match(readFileSync(await download.path(), "utf8"), /^sat\nb0/);
});

onPage("medium", "the waveform can be zoomed and searched", async (page) => {
  const rows = () => wave(page, "wave.rows.filter((entry) => entry.row).length");
  const all = await rows();
  assert.ok(all >= 130, `${all} signals`);
  assert.equal(await wave(page, "wave.cycles"), 150);
  await page.fill(".w-toolbar input[type='search']", "core1 stage0");
  const found = await wave(page, "wave.rows.filter((entry) => entry.row).map((entry) => entry.row.name)");
  assert.ok(found.length > 0 && found.length < all && found.every((name) => name.startsWith("core1.stage0.")), found.join());
  await page.fill(".w-toolbar input[type='search']", "");
  const width = await wave(page, "wave.cycleWidth");
  await page.click("[data-action='in']");
  assert.ok((await wave(page, "wave.cycleWidth")) > width);
  await page.click("[data-action='fit']");
  assert.ok((await wave(page, "wave.cycleWidth * wave.cycles")) <= (await wave(page, "wave.canvasWidth - wave.left")));
  const box = await page.locator(".w-scroller").boundingBox();
  await page.mouse.move(box.x + box.width - 200, box.y + 60);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -300);
  await page.keyboard.up("Control");
  await page.waitForFunction((before) => document.querySelector(".w-root").waveform.cycleWidth > before, 8);
});

onPage("medium", "the cursor shows values and jumps to changes", async (page) => {
  await page.focus(".w-scroller");
  assert.equal(await page.inputValue(".w-cycle input"), "149");
  const select = (name) => wave(page, "wave.select(wave.rows.findIndex((entry) => entry.row?.name === argument))", name);
  await select("count");
  assert.equal(await page.locator(".w-status").innerText(), "Cycle 149: count = 149");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.locator(".w-status").innerText(), "Cycle 1: count = 1");
  await page.selectOption(".w-toolbar select", "binary");
  assert.equal(await page.locator(".w-status").innerText(), "Cycle 1: count = 0000000000000001");
  await select("last_cycle");
  await page.focus(".w-scroller");
  await page.keyboard.press("n");
  assert.equal(await page.inputValue(".w-cycle input"), "149");
  await page.click("[data-action='previous']");
  assert.equal(await page.inputValue(".w-cycle input"), "0");
  const box = await page.locator(".w-scroller canvas").boundingBox();
  const left = await wave(page, "wave.left");
  await page.mouse.click(box.x + left + 2.5 * (await wave(page, "wave.cycleWidth")), box.y + 60);
  assert.equal(await page.inputValue(".w-cycle input"), "2");
});

onPage("medium", "signals can be chosen by kind and scope", async (page) => {
  const count = () => wave(page, "wave.rows.length");
  const all = await count();
  await page.click("text=That change");
  assert.ok((await count()) <= all);
  await page.click("text=That change");
  await wave(page, "wave.select(wave.rows.findIndex((entry) => !entry.row))");
  await page.focus(".w-scroller");
  await page.keyboard.press("Enter");
  assert.ok((await count()) < all, "the scope is closed");
  await page.keyboard.press("Enter");
  assert.equal(await count(), all);
  await page.click("text=Scopes");
  assert.ok(await wave(page, "wave.rows.every((entry) => entry.row)"));
});

onPage("medium", "values are there as a table as well", async (page) => {
  await page.focus(".w-scroller");
  await page.keyboard.press("t");
  const cell = (row, column) => page.locator(`.w-table tbody tr:nth-child(${row}) td`).nth(column).innerText();
  assert.equal(await page.locator(".w-table tbody th").first().innerText(), "last_cycle");
  assert.deepEqual([await cell(1, 4), await cell(1, 5)], ["0", "1"]);
  await page.click("text=Earlier cycles");
  assert.match(await page.locator(".w-pages").innerText(), /Cycles 128 to 143 of 150/);
});

onPage("memory", "changes of memories are listed", async (page) => {
  await page.click(".w-memories summary");
  await page.waitForSelector(".w-memories tbody tr");
  const lines = await page.locator(".w-memories tbody tr").allInnerTexts();
  assert.ok(lines.some((line) => /^1\s+u\.mem\[3\]\s+7$/.test(line)), lines.join());
});

onPage("fragments", "waveforms can stand on their own", async (page) => {
  const roots = page.locator(".elinvar-waveform .w-root");
  assert.equal(await roots.count(), 2);
  await page.locator(".w-scroller").first().focus();
  await page.keyboard.press("Home");
  const cycles = await page.locator(".w-cycle input").evaluateAll((inputs) => inputs.map((input) => input.value));
  assert.deepEqual(cycles, ["0", "1"], "each has a cursor of its own");
  const ink = await roots.first().locator("canvas").evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return new Set(data).size;
  });
  assert.ok(ink > 10, "something is drawn");
});

onPage("unsafe_program", "the run leads to lines of the source", async (page) => {
  const rows = await page.locator(".run tbody tr").allInnerTexts();
  assert.ok(rows.some((row) => /6\s+i := i \+ 1\s+i = 1/.test(row)), rows.join());
  assert.match(await page.locator(".code .marked").innerText(), /8\s+assert i < 3;/);
  await page.click("button[aria-label='Show line 6'] >> nth=0");
  assert.match(await page.locator(".code .marked").innerText(), /6\s+i := i \+ 1;/);
});

onPage("safe_program", "the invariant stands in the source", async (page) => {
  assert.match(await page.locator(".code .added").innerText(), /invariant x <= 9;/);
  assert.match(await page.locator(".invariant pre").innerText(), /^invariant x <= 9;$/);
  assert.match(await page.locator(".evidence").innerText(), /elinvar verify .*safe\.bpl certificate-0\.txt/);
});

onPage("design", "the source of a design is shown", async (page) => {
  assert.match(await page.locator(".code .marked").innerText(), /small: assert \(count < 9\);/);
  assert.match(await page.locator(".properties").innerText(), /design\.sv:5/);
  await page.click("tr[data-number='1']");
  assert.match(await page.locator("#detail-heading").innerText(), /reached/);
});

onPage("hostile", "names stay text", async (page) => {
  assert.match(await page.locator("#detail-heading").innerText(), /<script>document\.title='broken'<\/script>/);
  assert.doesNotMatch(await page.title(), /^broken/);
  assert.equal(await page.locator("img").count(), 0);
});

onPage("limit", "an undecided property has a page", async (page) => {
  assert.match(await page.locator("header").innerText(), /unknown/);
  assert.match(await page.locator(".detail").innerText(), /last_cycle is undecided: /);
});

onPage("memory", "steps of an explanation move the cursor", async (page) => {
  const steps = page.locator(".explanation .step[data-cycle]");
  assert.ok((await steps.count()) > 0);
  for (const step of await steps.all()) {
    const cycle = await step.getAttribute("data-cycle");
    await wave(page, "wave.setCursor(argument)", cycle === "0" ? 1 : 0);
    await step.click();
    assert.equal(await page.inputValue(".w-cycle input"), cycle);
  }
});

for (const scheme of ["light", "dark"]) {
  for (const name of ["many", "medium", "memory", "unsafe_program", "safe_program", "limit"]) {
    onPage(name, `is accessible (${scheme})`, async (page) => {
      await page.emulateMedia({ colorScheme: scheme });
      // The checker needs long for many rows, which are all alike.
      if (name === "many") await page.fill("#search", "never_1");
      await expectAccessible(page);
      if (name === "medium") {
        await page.click("[data-action='table']");
        await expectAccessible(page);
      }
      await page.setViewportSize({ width: 400, height: 800 });
      if (scheme === "light") await expectAccessible(page);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.equal(overflow, 0, "nothing is wider than a narrow screen");
    });
  }
}

/** Fails if axe finds a serious or critical violation. */
async function expectAccessible(page) {
  // The policy of the page forbids scripts in elements, but not those of the driver.
  await page.evaluate(readFileSync(axe, "utf8"));
  const { violations } = await page.evaluate(() => axe.run());
  const grave = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
  const text = grave.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join("\n")}`);
  assert.deepEqual(text, []);
}

test("a report of 500 properties is small and opens quickly", async () => {
  const bytes = statSync(report("many")).size;
  const times = [];
  for (let round = 0; round < 5; round++) {
    const page = await browser.context.newPage();
    const start = performance.now();
    await page.goto(pathToFileURL(report("many")).href);
    await page.waitForSelector("html[data-ready]");
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    times.push(performance.now() - start);
    await page.close();
  }
  const best = Math.min(...times);
  console.log(`500 properties: ${(bytes / 1e6).toFixed(2)} MB, opened in ${best.toFixed(0)} ms (${times.map((time) => time.toFixed(0)).join(", ")})`);
  assert.ok(bytes < 5e6, `${bytes} bytes`);
  assert.ok(best < 1000, `${best} ms`);
});

test("a trace of 1,000 cycles and 1,000 signals stays responsive", async () => {
  const { page, faults } = await open(browser.context, report("large"));
  assert.ok((await wave(page, "wave.model.rows.length")) >= 1000);
  const measure = (step) =>
    page.evaluate(async (step) => {
      const { waveform } = document.querySelector(".w-root");
      const act = new Function("wave", "at", step);
      const frame = () => new Promise((done) => requestAnimationFrame(done));
      const times = [];
      for (let at = 0; at < 60; at++) {
        const start = performance.now();
        act(waveform, at);
        await frame();
        await frame();
        times.push((performance.now() - start) / 2);
      }
      times.sort((a, b) => a - b);
      return { median: times[30], worst: times[59] };
    }, step);
  const steps = {
    "scrolling down": "wave.scroller.scrollTop = at * 350",
    "scrolling sideways": "wave.scroller.scrollLeft = at * 400",
    zooming: "wave.zoom(at < 30 ? 1 / 1.15 : 1.15)",
    "scrolling all cycles at once": "if (at === 0) wave.fit(); wave.scroller.scrollTop = at * 350",
  };
  for (const [name, step] of Object.entries(steps)) {
    const { median, worst } = await measure(step);
    console.log(`1,000 × 1,000, ${name}: median ${median.toFixed(1)} ms per frame, worst ${worst.toFixed(1)} ms`);
    assert.ok(median < 50, `${name}: ${median} ms`);
  }
  assert.deepEqual(faults, []);
  await page.close();
});
