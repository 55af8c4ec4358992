// A whole review by the keyboard alone: open, add, move a border, change a label, apply to all, undo, accept, settle with a
// second reviewer, export. The gold must be what was asked for, and nothing may leave the host.
//
// usage: node review.mjs URL FOLDER CHROMIUM

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { ask, browse, goTo, look, press, stayedHome, tabTo } from "./kit.mjs";

const [url, folder, chromium] = process.argv.slice(2);
fs.rmSync(path.join(folder, "screenshots"), { recursive: true, force: true });
fs.mkdirSync(path.join(folder, "screenshots"), { recursive: true });

const at = await browse(folder, chromium, url);
const { page } = at;
const me = "Dr Martin";
const text = () => page.waitForFunction(() => document.activeElement?.classList.contains("text"));
const toast = (kind) => page.waitForSelector(`.toast${kind ?? ""}`);
const noToast = () => page.evaluate(() => document.querySelectorAll(".toast").forEach((t) => t.remove()));
const version = (id) => ask(page, "document", { reviewer: me, id }).then((a) => a.body.state.version);
/** Waits for the answer to a change. */
const after = async (id, act) => {
  const before = await version(id);
  await act();
  for (let i = 0; i < 1000; i += 1) {
    if (await version(id) !== before) break;
    await page.waitForTimeout(25);
  }
  assert.notEqual(await version(id), before, "nothing was changed");
  await page.waitForTimeout(80);
  await text();
};

// Without the token there is nothing to see.
await page.goto(at.origin);
await page.waitForSelector(".note.warn");
assert.equal((await ask(page, "hello", {})).status, 401);
at.faults.length = 0;

await page.goto("about:blank");
await page.goto(url);
await page.waitForSelector(".rows a");
await page.waitForFunction(() => !document.querySelector(".stage:not(.warn)"), null, { timeout: 60_000 });
assert.ok(!page.url().includes("token"), "the token stays in the address");
await look(at, "list");

// Every sentence there is in one language is there in the others, with the same places.
await page.evaluate(async () => {
  const all = await Promise.all(["fr", "es", "en"].map((l) => import(`/words-${l}.js`)));
  const [fr, es, en] = all.map((m) => m.default);
  const places = (s) => [...new Set(String(s).match(/\{\w+\}/g) ?? [])].sort().join();
  for (const part of ["ui", "problems", "groups", "roles", "sources", "labels"]) {
    for (const name of Object.keys({ ...fr[part], ...es[part], ...en[part] })) {
      for (const other of [fr, es, en]) {
        if (other[part][name] === undefined || places(other[part][name]) !== places(en[part][name])) throw new Error(`${part}.${name}`);
      }
    }
  }
});

// Opens the first document from the list.
await tabTo(page, "#f-search");
await page.keyboard.type("lettre-1");
await page.waitForFunction(() => document.querySelectorAll(".rows a").length === 1);
await tabTo(page, ".rows a");
await press(page, "Enter");
await page.waitForSelector(".text mark");
await text();
const id = Number(/\/d\/(\d+)/.exec(page.url())[1]);
const found = (await ask(page, "document", { reviewer: me, id })).body;
const slice = (s) => found.text.slice(s.start, s.end);
await look(at, "document");
await text();

// Adds a mark: two words, chosen by the arrows.
await goTo(page, "manoir Zorglub");
await press(page, "Shift+ArrowRight", "a");
await page.waitForSelector("dialog");
await page.keyboard.type("instit");
await page.waitForFunction(() => document.querySelectorAll(".labels li").length === 1);
await look(at, "label");
await after(id, () => press(page, "Enter"));

// Moves a border: the telephone loses its last two digits.
const phone = found.found.find((s) => slice(s) === "02 98 12 34 56");
assert.ok(phone, "the telephone was not found");
await goTo(page, "02 98 12 34 56");
await press(page, "b", "ArrowLeft");
await look(at, "borders");
await after(id, () => press(page, "Enter"));

// Changes a label, and whose it is.
const mail = found.found.find((s) => slice(s) === "accueil@exemple.fr");
assert.ok(mail, "the e-mail was not found");
await goTo(page, "accueil@exemple.fr");
await press(page, "Enter");
await page.waitForSelector("dialog");
await page.keyboard.type("adresse web");
await tabTo(page, "#label-role");
await press(page, "s");
await after(id, () => press(page, "Enter"));

// Marks a word everywhere: here, and in a document of another patient.
await goTo(page, "Kerbrumeux");
await press(page, "a");
await page.waitForSelector("dialog");
await page.keyboard.type("ville");
await tabTo(page, "input[name=reach]");
await press(page, "ArrowUp");
await look(at, "reach");
await noToast();
await after(id, () => press(page, "Enter"));
assert.match(await (await toast()).innerText(), /3 autres endroits, 3 document/);

// A mistake, taken back.
await goTo(page, "Bonjour");
await press(page, "a");
await page.waitForSelector("dialog");
await after(id, () => press(page, "Enter"));
await after(id, () => press(page, "z"));

// Somebody else was faster: their change is shown, ours is not made, and a message is shown.
const other = await ask(page, "edit", { reviewer: me, id, version: await version(id), reach: "here", edit: { do: "add", start: 0, end: 7, label: "OtherDetail", role: "Unknown" } });
assert.equal(other.status, 200);
await goTo(page, "accueil@exemple.fr");
await press(page, "x");
await toast(".warn");
await page.waitForFunction(() => document.querySelector(".text mark")?.textContent === "Bonjour");
await look(at, "conflict");
await page.keyboard.press("Tab");
await tabTo(page, ".text");
await after(id, () => press(page, "z"));
await noToast();

// Keys, before and after, identities.
await press(page, "?");
await page.waitForSelector("dialog .keys");
await look(at, "keys");
await press(page, "Escape");
for (const view of ["after", "record"]) {
  await page.evaluate(([n, v]) => { location.hash = `#/d/${n}/${v}`; }, [id, view]);
  await page.waitForSelector(view === "after" ? ".sides" : ".card table");
  await look(at, view);
}
assert.match(await page.innerText(".card table"), /Kerbrumeux/);
await page.evaluate((n) => { location.hash = `#/d/${n}`; }, id);
await page.waitForSelector(".text mark");
await tabTo(page, ".text");

// Accepts; the same key on an accepted document opens nothing again.
await press(page, "v");
await page.waitForFunction(() => document.querySelector("#progress label")?.innerText.startsWith("1 "));
await page.evaluate((n) => { location.hash = `#/d/${n}`; }, id);
await page.waitForFunction((n) => location.hash === `#/d/${n}` && document.querySelector(".badge"), id);
await tabTo(page, ".text");
const settledVersion = await version(id);
await noToast();
await press(page, "v");
assert.match(await (await toast()).innerText(), /acceptés/);
assert.equal(await version(id), settledVersion, "V opened an accepted document again");

// A second reviewer accepts the same document as it was found.
await tabTo(page, "button.who");
await press(page, "Enter");
await page.waitForSelector("dialog");
await press(page, "Control+a");
await page.keyboard.type("Dr Bernard");
await press(page, "Enter");
await page.waitForFunction(() => document.querySelector(".who")?.innerText.includes("Bernard"));
await page.evaluate((n) => { location.hash = `#/d/${n}`; }, id);
await page.waitForSelector(".text mark");
await tabTo(page, ".text");
await press(page, "v");
await page.waitForFunction(() => document.querySelector("#progress label")?.innerText.startsWith("1 "));

// Agreement: every difference is settled for the first.
await tabTo(page, '.views a[data-view="agreement"]');
await press(page, "Enter");
await page.waitForSelector(".figures");
await look(at, "agreement");
await tabTo(page, ".differ a");
await press(page, "Enter");
await page.waitForSelector("fieldset.card");
await look(at, "settle");
const places = await page.locator("fieldset.card").count();
assert.ok(places >= 4, `${places} differences`);
const names = await page.locator("fieldset.card").first().locator("label strong").allInnerTexts();
const first = names.findIndex((n) => n.includes(me));
for (let i = 0; i < places; i += 1) {
  await tabTo(page, `input[name="p${i}"]`);
  await press(page, "Space");
  for (let j = 0; j < first; j += 1) await press(page, "ArrowDown");
}
await tabTo(page, "form button.main");
await press(page, "Enter");
await page.waitForSelector(".differ .badge:not(.todo)");

// Words and results, then the gold.
await tabTo(page, '.views a[data-view="words"]');
await press(page, "Enter");
await page.waitForSelector("#word");
await look(at, "words");
await tabTo(page, '.views a[data-view="results"]');
await press(page, "Enter");
await page.waitForSelector("#export-jsonl");
await look(at, "results");
assert.match(await page.innerText("main"), /photo\.png/, "what could not be read is not reported");

// Defect: an answer that came after the view had changed filled the view that was shown by then.
for (const [name, asks] of [["results", "refused"], ["words", "words"], ["agreement", "agreement"]]) {
  let answer;
  const held = new Promise((resolve) => { answer = resolve; });
  await page.evaluate(() => { location.hash = "#/"; });
  await page.waitForSelector(".rows a");
  await page.route(`**/api/${asks}`, async (route) => { await held; await route.continue(); });
  const asked = page.waitForRequest(`**/api/${asks}`);
  await page.evaluate((n) => { location.hash = `#/${n}`; }, name);
  await asked;
  await page.evaluate(() => { location.hash = "#/"; });
  await page.waitForSelector(".rows a");
  const answered = page.waitForResponse(`**/api/${asks}`);
  answer();
  await answered;
  await page.waitForTimeout(200);
  assert.ok(await page.isVisible(".rows a"), `the late answer of ${name} replaced the documents`);
  await page.unroute(`**/api/${asks}`);
}
await page.evaluate(() => { location.hash = "#/results"; });
await page.waitForSelector("#export-jsonl");

// Writes the accepted document, and nothing else.
await tabTo(page, "#write");
await press(page, "Enter");
await page.waitForSelector("#writing .note");
await look(at, "written");
assert.match(await page.innerText("#writing"), /3 · non accepté/);
const outputs = fs.readdirSync(path.join(folder, "out")).filter((name) => name.endsWith(".jsonl"));
const written = outputs.map((name) => fs.readFileSync(path.join(folder, "out", name), "utf8")).join("").trim().split("\n");
assert.equal(written.length, 1);
assert.ok(!written[0].includes("Zorglub") && !written[0].includes("Kerbrumeux"), "what was marked is in the output");
const save = async (selector) => {
  await tabTo(page, selector);
  const [download] = await Promise.all([page.waitForEvent("download"), press(page, "Enter")]);
  const file = path.join(folder, download.suggestedFilename());
  await download.saveAs(file);
  return file;
};
const gold = fs.readFileSync(await save("#export-jsonl"), "utf8").trim().split("\n").map((l) => JSON.parse(l));
const zip = fs.readFileSync(await save("#export-brat"));
assert.equal(zip.subarray(0, 2).toString(), "PK");

const points = (offset) => [...found.text.slice(0, offset)].length;
const mark = (start, end, label, role) => ({ start: points(start), end: points(end), label, role });
const expected = found.found
  .filter((s) => s !== phone && s !== mail)
  .map((s) => mark(s.start, s.end, s.label, s.role));
const where = (what) => found.text.indexOf(what);
expected.push(mark(where("manoir Zorglub"), where("manoir Zorglub") + 14, "Institution", "Unknown"));
expected.push(mark(phone.start, phone.end - 3, phone.label, phone.role));
expected.push(mark(mail.start, mail.end, "Url", "Caregiver"));
for (let i = where("Kerbrumeux"); i >= 0; i = found.text.indexOf("Kerbrumeux", i + 1)) expected.push(mark(i, i + 10, "City", "Unknown"));
expected.sort((a, b) => a.start - b.start);
assert.equal(gold.length, 1);
assert.equal(gold[0].text, found.text);
assert.deepEqual(gold[0].spans.map(({ start, end, label, role }) => ({ start, end, label, role })), expected);

// The other languages, and the dark.
for (const [language, says] of [["es", "Resultados"], ["en", "Results"]]) {
  await page.selectOption("#language", language);
  await page.waitForFunction((s) => document.querySelector("h1")?.innerText === s, says);
  assert.equal(await page.evaluate(() => document.documentElement.lang), language);
}
await page.emulateMedia({ colorScheme: "dark" });
await page.evaluate((n) => { location.hash = `#/d/${n}`; }, id);
await page.waitForSelector(".text mark");
await look(at, "dark");

stayedHome(at);
assert.deepEqual(at.faults, [], "the page had faults");
await at.context.close();
console.log(`review: ${at.seen} looks, ${at.asked.length} requests, all at ${at.origin}`);
