// What comes out of a review: how far it is, the gold, a model, and what could not be read.

import { call, download } from "/api.js";
import { h, fill, figure, toast } from "/dom.js";
import { t, problem, why } from "/say.js";

export async function showResults(app, main) {
  const [refused, gold] = await Promise.all([call("refused"), call("gold")]);
  const { progress, reviewers } = app.status;
  const save = (name, body) => async () => {
    try {
      toast(t("saved_as", { f: await download(name, body) }));
    } catch (error) {
      toast(problem(error), "warn");
    }
  };
  const bar = (value, of) => h("progress", { max: Math.max(of, 1), ".value": value, "aria-hidden": "true" });
  const training = h("div", { id: "training" });
  const started = (name, body) => async () => {
    try {
      await call(name, body);
      await app.poll();
    } catch (error) {
      toast(problem(error), "warn");
    }
  };
  const { output } = app.hello;
  const writing = h("section", { class: "card" }, h("h2", {}, t("write")),
    h("p", {}, output ? t("write_hint", { f: output }) : t("write_needs")),
    output ? h("div", { class: "buttons" }, h("button", { type: "button", class: "main", id: "write", onclick: started("write", {}) }, t("write"))) : null,
    h("div", { id: "writing" }));
  fill(main, h("div", { class: "page" },
    h("h1", {}, t("results")),
    h("section", { class: "card" }, h("h2", {}, t("progress")),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("progress") }, h("table", {},
        h("thead", {}, h("tr", {}, [h("th", { scope: "col" }, t("reviewer")), h("th", { scope: "col", class: "number" }, t("accepted_n")), h("td", {})])),
        h("tbody", {}, reviewers.map((r) => h("tr", {}, h("th", { scope: "row" }, r.name), h("td", { class: "number" }, `${r.accepted} / ${progress.documents}`), h("td", {}, bar(r.accepted, progress.documents)))))))),
    app.status.blind ? null : writing,
    app.status.blind ? null : h("section", { class: "card" }, h("h2", {}, t("export")), h("p", {}, t("export_hint", { n: gold.documents })),
      gold.unsettled.length ? h("p", { class: "note warn" }, `${t("unsettled_n", { n: gold.unsettled.length })} `, h("a", { href: "#/agreement" }, gold.unsettled.slice(0, 20).join(", "))) : null,
      h("div", { class: "buttons" },
        h("button", { type: "button", class: "main", id: "export-jsonl", onclick: save("export", { reviewer: app.reviewer, what: "jsonl" }) }, "JSONL"),
        h("button", { type: "button", id: "export-brat", onclick: save("export", { reviewer: app.reviewer, what: "brat" }) }, "BRAT (.zip)"),
        h("button", { type: "button", onclick: save("export", { reviewer: app.reviewer, what: "words" }) }, t("export_words"))),
      h("p", { class: "hint" }, t("state_in", { f: app.hello.state }))),
    h("section", { class: "card" }, h("h2", {}, t("retrain")), h("p", {}, t("retrain_hint", { n: app.hello.fewest })),
      h("div", { class: "buttons" }, app.hello.languages.map((language) => h("button", {
        type: "button", onclick: started("train", { language }),
      }, t("train_on", { l: t(`language_${language}`) })))),
      training),
    h("section", { class: "card" }, h("h2", {}, t("refused")),
      refused.length
        ? h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("refused") }, h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("document")), h("th", { scope: "col" }, t("reason")))),
          h("tbody", {}, refused.map((r) => h("tr", {}, h("th", { scope: "row" }, r.name), h("td", {}, r.why))))))
        : h("p", {}, t("none_refused")))));
  drawTraining(app);
  drawWriting(app);
}

/** Shows what was written, if the page shows it. */
export function drawWriting(app) {
  const box = document.getElementById("writing");
  if (!box) return;
  const now = app.status.writing;
  const shown = JSON.stringify(now);
  if (box.dataset.shown === shown) return;
  box.dataset.shown = shown;
  document.getElementById("write")?.toggleAttribute("disabled", now.is === "running");
  if (now.is === "idle") return fill(box);
  if (now.is === "running") return fill(box, h("p", { role: "status" }, t("write_now")));
  if (now.is === "failed") return fill(box, h("p", { class: "note warn", role: "alert" }, now.why));
  fill(box,
    h("p", { class: "note", role: "status" }, t("write_done", { n: now.written, f: now.folder })),
    now.refused.length ? [h("p", {}, t("write_private", { f: now.private })), h("ul", {}, now.refused.map(([reason, n]) => h("li", {}, `${n} · ${why(reason)}`)))] : null);
}

/** Shows where the training is, if the page shows it. */
export function drawTraining(app) {
  const box = document.getElementById("training");
  if (!box) return;
  const now = app.status.training;
  const shown = JSON.stringify(now);
  if (box.dataset.shown === shown) return;
  box.dataset.shown = shown;
  if (now.is === "idle") return fill(box);
  if (now.is === "running") return fill(box, h("p", { role: "status" }, t("training_now", { n: now.iteration })), h("progress", { max: now.of || 1, ".value": now.iteration, "aria-label": t("retrain") }));
  if (now.is === "measuring") return fill(box, h("p", { role: "status" }, t("measuring")));
  if (now.is === "failed") {
    const text = problem({ code: now.code, message: now.why });
    return fill(box, h("p", { class: "note warn", role: "alert" }, text === now.why ? text : `${text} (${now.why})`));
  }
  const change = now.after.f1 - now.before.f1;
  const leak = now.after.bare - now.before.bare;
  const verdict = change > 0 && leak <= 0 ? "better" : change <= 0 && leak >= 0 && (change < 0 || leak > 0) ? "worse" : "mixed";
  const row = (name, read, good) => {
    const [a, b] = [read(now.before), read(now.after)];
    const d = b - a;
    return h("tr", {}, h("th", { scope: "row" }, t(name)), h("td", { class: "number" }, good.print(a)), h("td", { class: "number" }, good.print(b)),
      h("td", { class: `number ${d === 0 ? "" : (d > 0) === good.up ? "up" : "down"}` }, `${d > 0 ? "+" : ""}${good.print(d)}`));
  };
  const share = { print: (v) => figure(v), up: true };
  const count = { print: (v) => String(v), up: false };
  fill(box,
    h("p", { class: "note", role: "status" }, t(`trained_${verdict}`, { l: t(`language_${now.language}`) })),
    h("p", { class: "hint" }, t("trained_on", { a: now.learned, b: now.chosen_by, c: now.held_out })),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("retrain") }, h("table", {}, h("thead", {}, h("tr", {}, ["measure", "model_now", "model_new", "change_of"].map((c) => h("th", { scope: "col", class: c === "measure" ? null : "number" }, t(c))))),
      h("tbody", {}, row("precision", (f) => f.precision, share), row("recall", (f) => f.recall, share), row("f1", (f) => f.f1, share), row("bare_words", (f) => f.bare, count)))),
    h("p", { class: "hint" }, t("model_in", { f: now.model })));
}
