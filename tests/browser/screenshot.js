// Makes the picture of the book: node tests/browser/screenshot.js REPORT.html PICTURE.png

import { resolve } from "node:path";
import { launch, open } from "./browser.js";

const [report, picture] = process.argv.slice(2).map((path) => resolve(path));
const browser = await launch({ colorScheme: "light", viewport: { width: 920, height: 1160 } });
const { page } = await open(browser.context, report);
await page.evaluate(() => document.querySelector(".w-root").waveform.setCursor(5));
await page.waitForTimeout(300);
await page.screenshot({ path: picture });
await browser.close();
