// The list of documents, the most doubtful first or by chance, in pages; and what narrows it.

import { call } from "/api.js";
import { h, put, fill, choose, percent } from "/dom.js";
import { t, label, source } from "/say.js";

const PAGE = 100;

export class List {
  constructor(app) {
    this.app = app;
    this.blind = app.status.blind;
    this.filter = { sort: this.blind ? "random" : "doubt", seed: 1, status: "all", label: null, source: null, below: null, search: "" };
    this.rows = [];
    this.total = 0;
    this.asked = 0;
    this.items = h("ul", { class: "rows", "aria-label": t("documents") });
    this.items.addEventListener("keydown", (event) => this.move(event));
    this.count = h("p", { class: "count", role: "status" });
    this.more = h("button", { type: "button", class: "wide", hidden: true, onclick: () => this.load(true) }, t("more"));
    this.element = h("section", { class: "list", "aria-label": t("documents") }, this.filters(), this.count, this.items, this.more);
  }

  filters() {
    const { hello } = this.app;
    const set = (name) => (value) => {
      this.filter[name] = value === "" ? null : name === "below" ? Number(value) : value;
      seed.hidden = this.filter.sort !== "random";
      this.load();
    };
    const seed = h("div", { class: "field", hidden: this.filter.sort !== "random" }, h("label", { for: "f-seed" }, t("seed")),
      h("input", {
        id: "f-seed", type: "number", step: "1", ".value": this.filter.seed,
        onchange: (event) => {
          const value = Math.trunc(Number(event.target.value));
          this.filter.seed = Number.isSafeInteger(value) ? value : 1;
          event.target.value = this.filter.seed;
          this.load();
        },
      }));
    const sorts = this.blind ? ["random", "name", "order"] : ["doubt", "name", "order", "random"];
    let waiting;
    const search = h("input", {
      id: "f-search", type: "search", placeholder: t("search"), "aria-label": t("search"),
      oninput: (event) => {
        clearTimeout(waiting);
        waiting = setTimeout(() => { this.filter.search = event.target.value.trim(); this.load(); }, 200);
      },
    });
    const any = [["", t("any")]];
    return h("div", { class: "filters" }, search,
      choose("f-status", t("status"), ["all", "open", "accepted", "corrected"].map((s) => [s, t(`status_${s}`)]), this.filter.status, set("status")),
      h("details", {}, h("summary", {}, t("more_filters")),
        choose("f-sort", t("sort"), sorts.map((s) => [s, t(`sort_${s}`)]), this.filter.sort, set("sort")), seed,
        choose("f-label", t("label"), [...any, ...hello.labels.map((l) => [l.name, label(l.name)])], "", set("label")),
        this.blind ? null : choose("f-source", t("source"), [...any, ...hello.sources.map((s) => [s, source(s)])], "", set("source")),
        this.blind ? null : choose("f-below", t("score_below"), [...any, ...[0.5, 0.7, 0.8, 0.9, 0.95].map((s) => [String(s), percent(s)])], "", set("below"))));
  }

  async load(more = false) {
    const asked = ++this.asked;
    const offset = more ? this.rows.length : 0;
    const filter = { ...this.filter, offset, limit: PAGE };
    const { total, rows } = await call("list", { reviewer: this.app.reviewer, filter });
    if (asked !== this.asked) return;
    this.total = total;
    this.rows = more ? [...this.rows, ...rows] : rows;
    this.draw(more ? rows : null);
  }

  /** The same rows with what became of them. */
  async refresh() {
    const asked = ++this.asked;
    const filter = { ...this.filter, offset: 0, limit: Math.min(500, Math.max(PAGE, this.rows.length)) };
    const { total, rows } = await call("list", { reviewer: this.app.reviewer, filter });
    if (asked !== this.asked) return;
    if (JSON.stringify([total, rows]) === JSON.stringify([this.total, this.rows])) return;
    this.total = total;
    this.rows = rows;
    this.draw();
  }

  draw(added) {
    const focused = document.activeElement?.closest?.(".rows a")?.dataset.id;
    const items = (added ?? this.rows).map((row) => h("li", {}, this.item(row)));
    if (added) put(this.items, items);
    else fill(this.items, items);
    fill(this.count, h("span", {}, t("count", { n: this.total })), this.blind ? null : h("span", { "aria-hidden": "true" }, t("doubt")));
    this.more.hidden = this.rows.length >= this.total;
    this.point(this.app.open);
    if (focused) this.link(focused)?.focus({ preventScroll: true });
  }

  item(row) {
    const state = row.failed ? "failed" : row.accepted ? "accepted" : row.corrected ? "corrected" : "open";
    const sign = { failed: "!", accepted: "✓", corrected: "✎", open: "" }[state];
    const doubt = !row.searched ? t("waiting") : row.doubt === null ? "" : percent(row.doubt);
    const bar = h("meter", { min: 0, max: 1, high: 0.5, low: 0.2, optimum: 0, ".value": row.doubt ?? 0, "aria-hidden": "true" });
    return h("a", { href: `#/d/${row.id}`, tabindex: "-1", "data-id": row.id, class: state },
      h("span", { class: "sign", "aria-hidden": "true" }, sign),
      h("span", { class: "name" }, row.name.split("/").at(-1)),
      h("span", { class: "where" }, [row.name.includes("/") && row.name.slice(0, row.name.lastIndexOf("/")), row.patient && t("patient_n", { p: row.patient })].filter(Boolean).join(" · ")),
      h("span", { class: "doubt" }, row.doubt === null ? null : bar, ` ${row.failed ? t("state_failed") : doubt}`),
      h("span", { class: "unseen" }, ` ${this.blind ? "" : t("doubt")}, ${t("spans_n", { n: row.spans ?? 0 })}, ${t(`state_${state}`)}`));
  }

  link(id) {
    return this.items.querySelector(`a[data-id="${id}"]`);
  }

  /** Marks the open document; it, else the first, is where Tab goes. */
  point(id) {
    for (const a of this.items.querySelectorAll("a")) {
      a.tabIndex = -1;
      a.removeAttribute("aria-current");
    }
    const now = id && this.link(id);
    now?.setAttribute("aria-current", "page");
    const stop = now || this.items.querySelector("a");
    if (stop) stop.tabIndex = 0;
  }

  focus() {
    (this.items.querySelector('a[tabindex="0"]') ?? this.items.querySelector("a"))?.focus();
  }

  async move(event) {
    const here = event.target.closest("a");
    const step = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
    if (!here || !step || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const all = () => [...this.items.querySelectorAll("a")];
    let at = all().indexOf(here) + step;
    if (at >= all().length && this.rows.length < this.total) await this.load(true);
    at = Math.max(0, Math.min(all().length - 1, at));
    for (const a of all()) a.tabIndex = -1;
    all()[at].tabIndex = 0;
    all()[at].focus();
  }

  /** The next document that is not accepted, after this one in the list. */
  next(id) {
    const at = this.rows.findIndex((r) => r.id === id);
    const open = (r) => !r.accepted && !r.failed && r.searched && r.id !== id;
    return (this.rows.slice(at + 1).find(open) ?? this.rows.find(open))?.id;
  }
}
