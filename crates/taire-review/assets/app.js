// The page: who reviews, in which language, which view, and what goes on behind.

import { call, takeToken } from "/api.js";
import { h, fill, toast, percent } from "/dom.js";
import { chooseLanguage, t, problem, LANGUAGES } from "/say.js";
import { List } from "/list.js";
import { Editor } from "/editor.js";
import { askReviewer, showKeys } from "/dialogs.js";
import { showAgreement } from "/agreement.js";
import { showWords } from "/words.js";
import { showResults, drawTraining, drawWriting } from "/results.js";

const QUICK = 1500;
const SLOW = 10_000;
const heldName = "taire-reviewer";

const app = {
  hello: null,
  status: null,
  reviewer: "",
  open: null,
  list: null,
  editor: null,
  /** A document changed: the list and the progress follow. */
  async changed() {
    await Promise.all([app.list.refresh(), app.poll()]).catch(() => {});
  },
  async poll() {
    const { reviewer } = app;
    const status = await call("status", { reviewer });
    // An answer for somebody else may come late: it must not show a blind reader what is not theirs.
    if (reviewer !== app.reviewer) return;
    app.status = status;
    document.body.classList.toggle("blind", app.status.blind);
    drawProgress();
    drawTraining(app);
    drawWriting(app);
  },
};

const main = document.getElementById("main");
const top = document.getElementById("top");

async function start() {
  takeToken();
  const language = chooseLanguage();
  try {
    app.hello = await call("hello");
  } catch (error) {
    fill(main, h("div", { class: "page" }, h("h1", {}, "Taire"), h("p", { class: "note warn", role: "alert" }, problem(error))));
    return;
  }
  app.reviewer = sessionStorage.getItem(heldName) ?? app.hello.reviewer;
  await build(language);
  addEventListener("hashchange", () => route().catch(fail));
  watch();
}

async function build(language) {
  document.title = t("title");
  drawTop(language);
  await app.poll();
  app.list = new List(app);
  app.editor = new Editor(app);
  app.open = null;
  await app.list.load();
  await route(true);
}

function drawTop(language) {
  const link = (to, name) => h("a", { href: to, "data-view": name }, t(name));
  const choice = h("select", { id: "language", "aria-label": t("language"), onchange: (e) => build(chooseLanguage(e.target.value)).then(() => document.getElementById("language").focus()).catch(fail) },
    Object.entries(LANGUAGES).map(([code, words]) => h("option", { value: code, lang: code, selected: code === language }, words.name)));
  fill(top,
    h("a", { class: "skip", href: "#main", onclick: (e) => { e.preventDefault(); focusMain(); } }, t("skip")),
    h("p", { class: "brand" }, "Taire"),
    h("nav", { class: "views", "aria-label": t("views_all") }, link("#/", "documents"), link("#/agreement", "agreement"), link("#/words", "words"), link("#/results", "results")),
    h("div", { id: "progress" }),
    h("div", { class: "tools" },
      h("button", { type: "button", class: "plain who", onclick: who, "aria-label": `${t("reviewer")}: ${app.reviewer}` }, h("span", { "aria-hidden": "true" }, "☺ "), app.reviewer),
      choice,
      h("button", { type: "button", class: "plain", onclick: showKeys }, t("keys_short"))));
}

function drawProgress() {
  const { progress, stage } = app.status;
  const box = document.getElementById("progress");
  const behind = {
    reading: () => t("stage_reading", { n: stage.documents }),
    gathering: () => t("stage_gathering"),
    searching: () => t("stage_searching", { n: progress.searched, of: progress.documents }),
    failed: () => t("stage_failed", { w: stage.why }),
    ready: () => "",
  }[stage.is]();
  const value = progress.documents ? progress.accepted / progress.documents : 0;
  fill(box,
    app.status.blind ? h("span", { class: "badge" }, t("blind_now")) : null,
    h("label", {}, t("accepted_of", { n: progress.accepted, of: progress.documents }), " ", h("progress", { max: 1, ".value": value }, percent(value))),
    behind ? h("span", { class: stage.is === "failed" ? "stage warn" : "stage", role: stage.is === "failed" ? "alert" : null }, behind) : null,
    progress.refused + progress.failed ? h("a", { href: "#/results", class: "stage warn", title: t("refused") }, t("refused_n", { n: progress.refused + progress.failed })) : null);
}

async function who() {
  const asked = await askReviewer(app.status.reviewers.map((r) => r.name), app.reviewer, app.status.blind);
  if (!asked || (asked.name === app.reviewer && asked.blind === app.status.blind)) return;
  if (asked.blind) {
    try {
      await call("blind", { reviewer: asked.name });
    } catch (error) {
      return fail(error);
    }
  }
  app.reviewer = asked.name;
  sessionStorage.setItem(heldName, asked.name);
  await build(document.documentElement.lang);
  document.querySelector(".who").focus();
}

function focusMain() {
  if (app.open && app.editor.view === "text") app.editor.text.element.focus();
  else if (main.querySelector(".list")) app.list.focus();
  else {
    main.tabIndex = -1;
    main.focus();
  }
}

async function route(first = false) {
  const [, view, id, part] = /^#\/(?:(d|agreement|words|results)(?:\/(\d+))?(?:\/(after|record))?)?$/.exec(location.hash) ?? [];
  const name = view === "d" || !view ? "documents" : view;
  document.body.dataset.view = view === "d" ? "document" : name;
  for (const link of top.querySelectorAll(".views a")) {
    if (link.dataset.view === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  main.className = name;
  if (name === "documents") {
    if (!app.list.element.isConnected) fill(main, app.list.element, app.editor.element);
    app.open = id ? Number(id) : null;
    app.list.point(app.open);
    if (app.open) await app.editor.open(app.open, part ?? "text");
    else {
      app.editor.empty();
      if (!first || document.activeElement === document.body) app.list.focus();
    }
    return;
  }
  app.open = null;
  app.editor.empty();
  // Each view has an element of its own: an answer that comes after the view changed fills what is no longer shown.
  const shown = h("div", {});
  fill(main, shown);
  await app.poll();
  if (name === "agreement") await showAgreement(app, shown, id ? Number(id) : null);
  else if (name === "words") await showWords(app, shown);
  else await showResults(app, shown);
  if (shown.isConnected && !main.contains(document.activeElement)) main.querySelector("h1")?.focus?.();
}

function fail(error) {
  toast(problem(error), "warn");
}

/** Follows what goes on behind the page; slower once all is read. */
async function watch() {
  let lost = false;
  for (;;) {
    const busy = app.status?.stage.is !== "ready" || ["running", "measuring"].includes(app.status?.training.is) || app.status?.writing.is === "running";
    await new Promise((wake) => setTimeout(wake, busy ? QUICK : SLOW));
    if (document.hidden) continue;
    try {
      await app.poll();
      if (busy && main.classList.contains("documents")) await app.list.refresh();
      if (lost) toast(t("back_again"));
      lost = false;
    } catch (error) {
      if (!lost) fail(error);
      lost = true;
    }
  }
}

start().catch(fail);
