// Chromium for the tests: without network, with a fresh profile, and with everything that a page
// says or asks for recorded.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Starts Chromium; `close` ends it and removes its profile. */
export async function launch(options = {}) {
  const profile = mkdtempSync(join(tmpdir(), "elinvar-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.ELINVAR_CHROMIUM ?? "/usr/bin/chromium",
    args: FLAGS,
    viewport: { width: 1280, height: 900 },
    permissions: ["clipboard-read", "clipboard-write"],
    ...options,
  });
  return {
    context,
    close: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** Opens a file, and collects what it should not do: errors, and requests for other files. */
export async function open(context, file) {
  const page = await context.newPage();
  const url = pathToFileURL(file).href;
  const faults = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("request", (request) => {
    const asked = request.url().split("#")[0];
    if (asked !== url && !asked.startsWith("blob:")) faults.push(`request: ${asked}`);
  });
  await page.goto(url);
  await page.waitForSelector("html[data-ready]");
  return { page, faults };
}
