// What every step of the browser test uses: a fresh browser that reaches this machine only, keys, looks, axe.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { chromium } from "playwright-core";

const FLAGS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];
const AXE = fs.readFileSync(new URL("./node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

/** A browser with a profile of its own; every request it makes is on record. */
export async function browse(folder, executablePath, url) {
  const profile = path.join(folder, "profile");
  fs.rmSync(profile, { recursive: true, force: true });
  const context = await chromium.launchPersistentContext(profile, {
    executablePath, args: FLAGS, locale: "fr-FR", viewport: { width: 1280, height: 800 }, acceptDownloads: true, colorScheme: "light",
  });
  const asked = [];
  const faults = [];
  context.on("request", (request) => asked.push(request.url()));
  const page = context.pages()[0] ?? await context.newPage();
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    // A refused change is part of the test; the browser writes each down.
    if (message.type() === "error" && !/status of 409/.test(message.text())) faults.push(message.text());
  });
  page.setDefaultTimeout(60_000);
  return { context, page, asked, faults, origin: new URL(url).origin, folder, seen: 0 };
}

/** Fails if anything but the program itself was asked for anything. */
export function stayedHome({ asked, origin }) {
  const away = asked.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith("blob:") && !url.startsWith("data:"));
  assert.deepEqual(away, [], "requests left the host");
  assert.ok(asked.length > 10, "the page asked for hardly anything");
}

/** A picture and the accessibility of what is shown, at both widths. */
export async function look(at, name) {
  const { page, folder } = at;
  for (const [width, height] of [[1280, 800], [420, 800]]) {
    await page.setViewportSize({ width, height });
    await page.waitForTimeout(60);
    at.seen += 1;
    await page.screenshot({ path: path.join(folder, "screenshots", `${String(at.seen).padStart(2, "0")}-${name}-${width}.png`) });
    if (!await page.evaluate(() => Boolean(window.axe))) await page.evaluate(AXE);
    const found = await page.evaluate(() => axe.run({ resultTypes: ["violations"] }));
    const bad = found.violations.filter((v) => v.impact === "serious" || v.impact === "critical");
    const problems = bad.map((v) => `${v.id}: ${v.help}; ${v.nodes.map((n) => n.html.slice(0, 120)).join(" | ")}`);
    assert.deepEqual(problems, [], `axe on ${name} at ${width}`);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(over <= 0, `${name} is ${over} pixels wider than the screen at ${width}`);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

/** Keys, one after the other. */
export async function press(page, ...keys) {
  for (const key of keys) await page.keyboard.press(key);
}

/** Tab until something has the focus. */
export async function tabTo(page, selector, most = 120) {
  for (let i = 0; i < most; i += 1) {
    if (await page.evaluate((s) => document.activeElement?.matches(s) ?? false, selector)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab never reaches ${selector}`);
}

/** A call of the page's own, with its own token. */
export function ask(page, name, body) {
  return page.evaluate(async ([n, b]) => {
    const headers = { authorization: `Bearer ${sessionStorage.getItem("taire-token")}`, "content-type": "application/json" };
    const answer = await fetch(`/api/${n}`, { method: "POST", headers, body: JSON.stringify(b) });
    return { status: answer.status, body: await answer.json() };
  }, [name, body]);
}

/** Moves the chosen word to the first word of a text, by the arrow keys alone. */
export async function goTo(page, what, from = "Home") {
  await page.keyboard.press(from);
  for (let i = 0; i < 400; i += 1) {
    const chosen = await page.evaluate(() => getSelection().toString());
    if (what.startsWith(chosen) && chosen !== "" && await page.evaluate((w) => {
      const { anchorNode, anchorOffset } = getSelection();
      const rest = document.createRange();
      rest.setStart(anchorNode, anchorOffset);
      rest.setEndAfter(document.querySelector(".text").lastChild);
      return rest.toString().startsWith(w);
    }, what)) return;
    await page.keyboard.press("ArrowRight");
  }
  assert.fail(`the arrows never reach “${what}”`);
}
