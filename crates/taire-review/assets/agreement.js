// How far two reviewers agree, and settling what they see differently.

import { call } from "/api.js";
import { h, ask, fill, choose, figure, toast } from "/dom.js";
import { t, label, role, problem } from "/say.js";

let pair = null;

export async function showAgreement(app, main, id) {
  const names = app.status.reviewers.map((r) => r.name);
  if (names.length < 2) {
    fill(main, page(h("p", {}, t("one_reviewer"))));
    return;
  }
  if (!pair || !pair.every((n) => names.includes(n))) {
    const most = [...app.status.reviewers].sort((a, b) => b.accepted - a.accepted).map((r) => r.name);
    pair = [most[0], most[1]];
  }
  if (id) return settle(app, main, id);
  const options = names.map((n) => [n, n]);
  const set = (i) => (value) => {
    if (pair[1 - i] === value) pair[1 - i] = pair[i];
    pair[i] = value;
    showAgreement(app, main);
  };
  const pick = h("div", { class: "row" }, choose("who-a", t("reviewer_a"), options, pair[0], set(0)), choose("who-b", t("reviewer_b"), options, pair[1], set(1)));
  let found;
  try {
    found = await call("agreement", { reviewer: app.reviewer, a: pair[0], b: pair[1] });
  } catch (error) {
    fill(main, page(h("p", { class: "note warn", role: "alert" }, problem(error))));
    return;
  }
  if (!found.documents) {
    fill(main, page(pick, h("p", { class: "note" }, t("nothing_shared"))));
    return;
  }
  const open = found.differ.filter((d) => !d.settled).length;
  const number = (name, value, hint) => h("div", { class: "figure" }, h("dt", {}, t(name)), h("dd", {}, h("strong", {}, value), h("span", {}, hint)));
  fill(main, page(pick,
    h("dl", { class: "figures" },
      number("shared_documents", String(found.documents), t("alike_n", { n: found.alike })),
      number("spans_f1", figure(found.spans_f1), t("spans_f1_hint")),
      number("tokens_f1", figure(found.tokens_f1), t("tokens_f1_hint")),
      number("kappa", figure(found.kappa), t("kappa_hint"))),
    h("section", { class: "card" }, h("h2", {}, t("to_settle")),
      found.differ.length
        ? h("ul", { class: "differ" }, found.differ.map((d) => h("li", {}, h("a", { href: `#/agreement/${d.id}` }, d.name), ` · ${t("places_n", { n: d.places })} · `, h("span", { class: d.settled ? "badge" : "badge todo" }, t(d.settled ? "settled" : "unsettled")))))
        : h("p", {}, t("no_difference")),
      open > 0 ? h("div", { class: "buttons" }, h("button", { type: "button", id: "bulk", onclick: () => bulk(app, main, open) }, t("bulk"))) : null),
    h("section", { class: "card" }, h("h2", {}, t("by_label")),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("by_label") }, h("table", {},
        h("thead", {}, h("tr", {}, [t("label"), pair[0], pair[1], t("both"), "F1"].map((c, i) => h("th", { scope: "col", class: i ? "number" : null }, c)))),
        h("tbody", {}, found.labels.map((l) => h("tr", {}, h("th", { scope: "row" }, label(l.label)), [l.a, l.b, l.both].map((n) => h("td", { class: "number" }, n)), h("td", { class: "number" }, figure(l.f1)))))))))); 
}

const page = (...content) => h("div", { class: "page" }, h("h1", {}, t("agreement")), h("p", { class: "hint" }, t("agreement_hint")), content);

/** Settles all that is left in one way. */
async function bulk(app, main, open) {
  const take = await ask(t("bulk"), (done) => h("div", { class: "stack" },
    h("p", {}, t("bulk_hint", { n: open })),
    h("div", { class: "actions" },
      h("button", { type: "button", class: "main", "data-first": true, value: "either", onclick: () => done("either") }, t("bulk_either")),
      h("button", { type: "button", value: "a", onclick: () => done("a") }, t("bulk_as", { w: pair[0] })),
      h("button", { type: "button", value: "b", onclick: () => done("b") }, t("bulk_as", { w: pair[1] })),
      h("button", { type: "button", onclick: () => done(null) }, t("cancel")))));
  if (!take) return;
  try {
    const { settled, changed_since: since } = await call("settle_all", { reviewer: app.reviewer, a: pair[0], b: pair[1], take });
    toast(`${t("bulk_done", { n: settled })}${since ? ` ${t("bulk_since", { n: since })}` : ""}`);
  } catch (error) {
    toast(problem(error), "warn");
  }
  await showAgreement(app, main);
}

async function settle(app, main, id) {
  let found;
  try {
    found = await call("difference", { reviewer: app.reviewer, a: pair[0], b: pair[1], id });
  } catch (error) {
    fill(main, page(h("p", { class: "note warn", role: "alert" }, problem(error))));
    return;
  }
  const { text } = found;
  const list = (marks) => (marks.length ? marks.map((m) => `« ${text.slice(m.start, m.end)} » ${label(m.label)}, ${role(m.role)}`).join(" ; ") : t("nothing_marked"));
  const same = (a, b) => a.start === b.start && a.end === b.end && a.label === b.label && a.role === b.role;
  const before = (place) => {
    if (!found.settled) return null;
    const holds = (marks) => marks.every((m) => found.settled.some((s) => same(m, s)));
    return place.a.length && holds(place.a) ? "a" : place.b.length && holds(place.b) ? "b" : "none";
  };
  const around = (place) => {
    const all = [...place.a, ...place.b];
    const from = Math.min(...all.map((m) => m.start));
    const to = Math.max(...all.map((m) => m.end));
    return [`… ${text.slice(Math.max(0, from - 60), from)}`, h("strong", {}, text.slice(from, to)), `${text.slice(to, to + 60)} …`];
  };
  const form = h("form", {
    onsubmit: async (event) => {
      event.preventDefault();
      const spans = [...found.shared];
      found.places.forEach((place, i) => {
        const taken = form.querySelector(`input[name="p${i}"]:checked`)?.value;
        if (taken === "a" || taken === "b") spans.push(...place[taken]);
      });
      const bare = spans.map(({ start, end, label: l, role: r }) => ({ start, end, label: l, role: r }));
      try {
        await call("settle", { reviewer: app.reviewer, a: pair[0], b: pair[1], id, versions: found.versions, spans: bare });
        toast(t("settled_now"));
        if (main.isConnected) location.hash = "#/agreement";
      } catch (error) {
        toast(problem(error), "warn");
        if (error.code === "stale") settle(app, main, id);
      }
    },
  },
  found.places.map((place, i) => {
    const option = (value, name, says) => h("label", {}, h("input", { type: "radio", name: `p${i}`, value, required: true, ".checked": before(place) === value }), h("strong", {}, ` ${name} : `), says);
    return h("fieldset", { class: "card" }, h("legend", {}, t("place_n", { n: i + 1, of: found.places.length })),
      h("p", { class: "quote context" }, around(place)),
      option("a", pair[0], list(place.a)), option("b", pair[1], list(place.b)), option("none", t("neither"), t("nothing_marked")));
  }),
  h("div", { class: "buttons" }, h("button", { type: "submit", class: "main" }, t("settle")), h("a", { href: "#/agreement", class: "button" }, t("cancel"))));
  fill(main, h("div", { class: "page" }, h("h1", {}, t("settle_title", { d: found.name })), h("p", { class: "hint" }, t("settle_hint", { n: found.shared.length })), form));
  form.querySelector("input")?.focus();
}
