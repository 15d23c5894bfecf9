// Clicks through the pages of campaigns in Chromium, as report.test.js does with those of checks.

import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import { launch, open } from "./browser.js";

const report = (name) => join(process.env.ELINVAR_REPORTS, `${name}.html`);
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

onPage("campaign", "properties can be filtered and sorted by strategy", async (page) => {
  assert.equal(await rowCount(page), 1000);
  assert.match(await page.locator("h1").innerText(), /unsafe.*Tuesday/);
  const times = async () => {
    const cells = await page.locator(".properties tbody tr td:nth-child(6)").allInnerTexts();
    return cells.filter((text) => /^[✓✗]/.test(text)).map((text) => Number.parseFloat(text.slice(2)));
  };
  assert.equal(await page.locator("th[data-key='strategy1']").innerText(), "pdr");
  await page.click("th[data-key='strategy1'] button");
  const up = await times();
  assert.ok(up.length > 100);
  assert.deepEqual(up, [...up].sort((a, b) => a - b));
  await page.click(".chip[data-verdict='unknown']");
  const undecided = await rowCount(page);
  assert.ok(undecided > 10 && undecided < 100, `${undecided}`);
  await page.fill("#search", "core1 unit3");
  const rows = await page.locator(".properties tbody tr").allInnerTexts();
  assert.ok(rows.every((text) => text.includes("top.core1.unit3.") && text.includes("unknown")), rows.join());
});

onPage("campaign", "a property has its attempts and its evidence", async (page) => {
  await page.keyboard.press("/");
  await page.keyboard.type("assert_18");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "detail-heading");
  assert.match(await page.locator("#detail-heading").innerText(), /unsafe.*assert_18/);
  const link = page.locator(".links a");
  assert.equal(await link.innerText(), "Trace");
  assert.equal(await link.getAttribute("href"), "./new.campaign/evidence/18");
  assert.match(await page.locator(".copyable code").nth(1).innerText(), /elinvar verify .*designs\/cpu\.btor2 .*evidence\/18 --property 18/);
  assert.equal(await page.locator(".detail tbody tr").count(), 4);
});

onPage("campaign", "two strategies can be chosen for the figure", async (page) => {
  const shown = () => page.locator("#pairs figure:visible").getAttribute("data-pair");
  assert.equal(await shown(), "quick against pdr");
  await page.selectOption("#pairs select", { label: "avy against long" });
  assert.equal(await shown(), "avy against long");
  assert.ok((await page.locator("#pairs figure:visible circle").count()) > 100);
});

onPage("compared", "changes filter the table", async (page) => {
  assert.match(await page.locator("section[aria-labelledby='comparison']").innerText(), /newly proved/);
  await page.click(".changes .chip:has-text('newly proved')");
  const rows = await page.locator(".properties tbody tr").allInnerTexts();
  assert.ok(rows.length > 0 && rows.length < 20 && rows.every((text) => text.includes("newly proved")), rows.join());
  await page.fill("#search", "slower");
  assert.ok((await rowCount(page)) > 10);
  assert.equal(await page.locator("#figures svg[aria-label='now against earlier']").count(), 1);
});

onPage("begun", "names stay text", async (page) => {
  assert.match(await page.locator("h1").innerText(), /<\/script><img/);
  assert.equal(await page.locator("img").count(), 0);
  assert.equal(await page.locator("th[data-key='strategy0']").innerText(), "<b>");
});

for (const scheme of ["light", "dark"]) {
  for (const name of ["compared", "begun"]) {
    onPage(name, `is accessible (${scheme})`, async (page) => {
      await page.emulateMedia({ colorScheme: scheme });
      // The checker needs long for many rows and points, which are all alike.
      if (name === "compared") await page.fill("#search", "newly");
      await page.evaluate(() => document.querySelectorAll("circle:nth-of-type(n + 9)").forEach((point) => point.remove()));
      await expectAccessible(page);
      await page.setViewportSize({ width: 400, height: 800 });
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.equal(overflow, 0, "nothing is wider than a narrow screen");
    });
  }
}

/** Fails if axe finds a serious or critical violation. */
async function expectAccessible(page) {
  await page.evaluate(readFileSync(axe, "utf8"));
  const { violations } = await page.evaluate(() => axe.run());
  const grave = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
  assert.deepEqual(grave.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join("\n")}`), []);
}

test("a campaign of 1,000 properties and four strategies opens quickly", async () => {
  const size = statSync(report("compared")).size;
  const times = [];
  const work = [];
  for (let round = 0; round < 5; round++) {
    const page = await browser.context.newPage();
    const session = await browser.context.newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const start = performance.now();
    await page.goto(pathToFileURL(report("compared")).href);
    await page.waitForSelector("html[data-ready]");
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    times.push(performance.now() - start);
    const { metrics } = await session.send("Performance.getMetrics");
    work.push(1000 * metrics.find(({ name }) => name === "TaskDuration").value);
    await page.close();
  }
  const list = (values) => values.map((value) => value.toFixed(0)).join(", ");
  console.log(`1,000 properties × 4 strategies: ${(size / 1e6).toFixed(2)} MB, opened in ${list(times)} ms, of which the page worked ${list(work)} ms`);
  assert.ok(size < 5e6, `${size} bytes`);
  // Other tests may run at the same time, so the work counts and not the time.
  assert.ok(Math.min(...work) < 1000, `${work} ms`);
});
