// Beside the text: what it becomes, and the people in its record.

import { call } from "/api.js";
import { h, fill } from "/dom.js";
import { t, label, role, problem } from "/say.js";
import { shownText } from "/text.js";

async function load(editor, name, draw) {
  const { doc, view } = editor;
  fill(editor.body, h("p", { class: "hint middle", role: "status" }, t("working")));
  try {
    const answer = await call(name, { reviewer: editor.app.reviewer, id: doc.id });
    if (editor.doc === doc && editor.view === view) draw(answer);
  } catch (error) {
    if (editor.doc === doc) fill(editor.body, h("p", { class: "hint middle warn", role: "alert" }, problem(error)));
  }
}

export function showAfter(editor) {
  return load(editor, "after", (after) => {
    const { doc, groups } = editor;
    const side = (title, text, marks) => h("section", { "aria-label": title }, h("h2", {}, title), shownText(text, marks, groups, doc.language));
    const old = after.spans.map((s) => ({ start: s.from, end: s.to, label: s.label }));
    fill(editor.body,
      editor.app.hello.own_key ? null : h("p", { class: "note" }, t("key_forgotten")),
      after.tags ? h("p", { class: "note" }, t("tags", { n: after.tags })) : null,
      h("div", { class: "sides" }, side(t("before"), doc.text, old), side(t("after"), after.text, after.spans)));
  });
}

const plain = (value) => {
  if (value === null || value === undefined || value === "") return null;
  if (Array.isArray(value)) return value.map(plain).filter(Boolean).join(" ; ") || null;
  if (typeof value === "object") return Object.values(value).map(plain).filter(Boolean).join(", ") || null;
  return String(value);
};

export function showRecord(editor) {
  return load(editor, "record", (record) => {
    const { groups } = editor;
    const known = Object.entries(record.known ?? {}).map(([name, value]) => [name, plain(value)]).filter(([, v]) => v);
    const order = Object.fromEntries(editor.app.hello.labels.map((l, i) => [l.name, i]));
    const rows = [...record.rows].sort((a, b) => order[a.label] - order[b.label] || b.count - a.count);
    fill(editor.body,
      h("p", { class: "note" }, record.patient ? t("record_of", { p: record.patient, n: record.documents.length }) : t("record_alone")),
      record.unread ? h("p", { class: "note" }, t("record_unread", { n: record.unread })) : null,
      record.left_out ? h("p", { class: "note" }, t("record_left", { n: record.left_out })) : null,
      known.length ? h("section", { class: "card" }, h("h2", {}, t("known")), h("dl", {}, known.map(([name, value]) => [h("dt", {}, t(`known_${name}`)), h("dd", {}, value)]))) : null,
      h("section", { class: "card" }, h("h2", {}, t("identities")),
        h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("identities") }, h("table", {},
          h("thead", {}, h("tr", {}, ["original", "surrogate", "label", "role", "times"].map((c) => h("th", { scope: "col", class: c === "times" ? "number" : null }, t(c))))),
          h("tbody", {}, rows.map((r) => h("tr", {},
            h("th", { scope: "row" }, r.text),
            h("td", {}, r.surrogates.join(" / ")),
            h("td", {}, h("span", { class: `tag g-${groups[r.label]}` }, h("span", { class: "chip", "aria-hidden": "true" }), label(r.label))),
            h("td", {}, role(r.role)),
            h("td", { class: "number" }, r.count))))))));
  });
}
