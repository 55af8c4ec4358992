// One document: its text, what is marked in it, why, and every correction.

import { call } from "/api.js";
import { h, fill, toast, announce, key, percent } from "/dom.js";
import { t, label, role, source, why, problem } from "/say.js";
import { TextView } from "/text.js";
import { askLabel, askReach, showKeys } from "/dialogs.js";
import { showAfter, showRecord } from "/compare.js";

/** Below this chance a mark is one to look at. */
const UNSURE = 0.8;
/** From this chance on, so is a candidate that was left in the text. */
const LIKELY = 0.2;

export class Editor {
  constructor(app) {
    this.app = app;
    this.groups = Object.fromEntries(app.hello.labels.map((l) => [l.name, l.group]));
    this.text = new TextView(this.groups, {
      chosen: () => this.drawPanel(),
      keys: (event) => this.press(event),
      bottom: () => (getComputedStyle(this.panel).position === "sticky" ? this.panel.getBoundingClientRect().top : innerHeight),
    });
    this.panel = h("aside", { class: "panel", "aria-label": t("panel") });
    this.head = h("div", { class: "head" });
    this.body = h("div", { class: "body" });
    this.element = h("section", { class: "editor", "aria-label": t("document") }, this.head, this.body);
    this.empty();
  }

  empty() {
    this.doc = null;
    fill(this.head);
    this.element.classList.remove("with-panel");
    fill(this.body, h("div", { class: "middle" }, h("h1", {}, t("title")), h("p", { class: "hint" }, t("open_one")), h("p", { class: "hint" }, t("open_keys"))));
  }

  async open(id, view) {
    const same = this.doc?.id === id;
    if (!same || !this.doc) {
      let doc;
      for (;;) {
        try {
          doc = await call("document", { reviewer: this.app.reviewer, id });
          break;
        } catch (error) {
          if (this.app.open !== id) return;
          if (error.code !== "unread") {
            this.empty();
            const why = error.code === "refused" ? `: ${error.message}` : "";
            fill(this.body, h("div", { class: "middle" }, h("h1", {}, t("title")), h("p", { class: "note warn", role: "alert" }, problem(error), why)));
            return;
          }
          this.empty();
          fill(this.body, h("div", { class: "middle" }, h("h1", {}, t("title")), h("p", { class: "hint", role: "status" }, t("being_read"))));
          await new Promise((wake) => setTimeout(wake, 700));
        }
        if (this.app.open !== id) return;
      }
      this.doc = doc;
      this.text.text = undefined;
    }
    this.view = view;
    this.draw();
    if (view === "text" && !same) this.first();
  }

  /** Starts at the first mark that is not sure, else at the first. */
  first() {
    this.text.element.scrollTop = 0;
    this.text.element.focus({ preventScroll: true });
    const all = this.marks();
    const start = all.find((m) => m.unsure) ?? all[0];
    if (start) this.text.choose(start.start, start.end);
    else this.text.show(false);
    this.drawPanel();
  }

  finding(mark) {
    return this.doc.found.find((f) => f.start < mark.end && mark.start < f.end);
  }

  marks() {
    return this.doc.state.spans.map((m) => {
      const found = m.by === "found" ? this.doc.found.find((f) => f.start === m.start && f.end === m.end) : null;
      return { ...m, score: found?.score, unsure: found ? found.score < UNSURE : false, stays: this.doc.actions?.[m.label] === "keep" };
    });
  }

  draw() {
    this.drawHead();
    this.element.classList.toggle("with-panel", this.view === "text");
    if (this.view === "after") return showAfter(this);
    if (this.view === "record") return showRecord(this);
    this.text.set(this.doc.text, this.doc.language, this.marks(), this.doc.below_threshold);
    if (!this.text.element.isConnected) fill(this.body, h("h2", { class: "unseen" }, t("tab_text")), this.text.element, this.panel);
    this.drawPanel();
  }

  drawHead() {
    const { doc } = this;
    const { state } = doc;
    const tab = (view) => h("a", {
      href: `#/d/${doc.id}${view === "text" ? "" : `/${view}`}`, "aria-current": this.view === view ? "page" : null,
    }, t(`tab_${view}`));
    const about = [doc.patient && t("patient_n", { p: doc.patient }), doc.date, t("spans_n", { n: state.spans.length })].filter(Boolean).join(" · ");
    fill(this.head,
      h("a", { href: "#/", class: "back" }, `‹ ${t("documents")}`),
      h("div", { class: "title" },
        h("h1", {}, doc.name.split("/").at(-1)),
        h("p", { class: "about" }, about),
        state.accepted ? h("p", { class: "badge" }, `✓ ${t("state_accepted")}`) : null),
      h("nav", { class: "tabs", "aria-label": t("views") }, tab("text"), tab("after"), tab("record")),
      h("div", { class: "buttons" },
        h("button", { type: "button", disabled: !state.undo, onclick: () => this.undo(false) }, t("undo"), key("Z")),
        h("button", { type: "button", disabled: !state.redo, onclick: () => this.undo(true) }, t("redo"), key("Y")),
        state.accepted
          ? h("button", { type: "button", onclick: () => this.accept(false) }, t("reopen"))
          : h("button", { type: "button", class: "main", onclick: () => this.accept(true) }, t("accept"), key("V"))));
  }

  drawPanel() {
    if (!this.doc || this.view !== "text") return;
    if (this.text.border) return fill(this.panel, this.borderPanel());
    const mark = this.text.mark();
    const candidate = mark ? null : this.text.candidate();
    fill(this.panel, mark ? this.markPanel(mark) : this.barePanel(candidate), this.legend());
  }

  markPanel(mark) {
    const found = this.finding(mark);
    const unscored = mark.by === "found" ? t("by_program") : t("by_reviewer");
    const score = mark.score === undefined ? unscored : t("score_is", { p: percent(mark.score) });
    const button = (name, k, act, kind = "") => h("button", { type: "button", class: kind, onclick: act }, t(name), key(k));
    return [
      h("h2", {}, t("the_mark")),
      h("p", { class: "quote" }, this.doc.text.slice(mark.start, mark.end)),
      h("p", { class: `tag g-${this.groups[mark.label]}` }, h("span", { class: "chip", "aria-hidden": "true" }), h("strong", {}, label(mark.label)), ` · ${role(mark.role)}`),
      h("p", { class: mark.unsure ? "score low" : "score" }, score),
      mark.stays ? h("p", { class: "note" }, t("stays")) : null,
      h("div", { class: "actions" },
        button("change_label", "↵", () => this.relabel()),
        button("borders", "B", () => this.borders()),
        button("remove", "⌫", () => this.remove("here")),
        button("apply_all", "G", () => this.applyAll())),
      found ? [h("h3", {}, t("why")), this.mentions(found)] : mark.by === "found" ? null : h("p", { class: "hint" }, t("nobody_found")),
    ];
  }

  barePanel(candidate) {
    const what = this.text.slice();
    return [
      h("h2", {}, t("chosen")),
      h("p", { class: "quote" }, what || "–"),
      h("div", { class: "actions" }, h("button", { type: "button", class: "main", onclick: () => this.add() }, t("add_mark"), key("A"))),
      candidate
        ? [h("h3", {}, t("below_threshold")), h("p", { class: "score" }, t("below_threshold_title", { p: percent(candidate.score) })), this.mentions(candidate)]
        : h("p", { class: "hint" }, t("chosen_hint")),
    ];
  }

  borderPanel() {
    const { text } = this;
    const step = (atStart, by, name, sign) => h("button", {
      type: "button", "aria-label": t(name), onclick: () => { text.element.focus(); text.stepBorder(atStart, by, false); },
    }, sign);
    return [
      h("h2", {}, t("borders")),
      h("p", { class: "quote" }, text.slice()),
      h("p", { class: "hint" }, t("border_hint")),
      h("div", { class: "border" },
        h("span", {}, t("border_start")), step(true, -1, "start_left", "←"), step(true, 1, "start_right", "→"),
        h("span", {}, t("border_end")), step(false, -1, "end_left", "←"), step(false, 1, "end_right", "→")),
      h("div", { class: "actions" },
        h("button", { type: "button", class: "main", onclick: () => { text.element.focus(); text.endBorder(true); } }, t("ok"), key("↵")),
        h("button", { type: "button", onclick: () => { text.element.focus(); text.endBorder(false); } }, t("cancel"), key("Esc"))),
    ];
  }

  mentions(found) {
    return h("ul", { class: "mentions" }, found.mentions.map((v) => h("li", { class: v.overruled ? "overruled" : "" },
      h("strong", {}, source(v.source)), ` : ${v.label ? label(v.label) : t("says_clear")}, ${percent(v.score)}`,
      h("br"), h("span", { class: "reason" }, why(v.why)),
      v.overruled ? h("em", {}, ` ${t("overruled")}`) : null)));
  }

  legend() {
    const counts = {};
    for (const m of this.doc.state.spans) counts[m.label] = (counts[m.label] ?? 0) + 1;
    const names = Object.keys(counts).sort((a, b) => counts[b] - counts[a] || a.localeCompare(b));
    const actions = this.doc.actions ?? {};
    const stays = (name) => actions[name] === "keep";
    const list = (some) => h("ul", {}, some.map((name) => h("li", { class: `g-${this.groups[name]}${stays(name) ? " stays" : ""}` },
      h("span", { class: "chip", "aria-hidden": "true" }), `${label(name)} (${counts[name]})`,
      actions[name] && !stays(name) ? h("small", {}, ` ${t(`action_${actions[name]}`)}`) : null)));
    const part = (title, some) => (some.length ? [h("h3", {}, t(title)), list(some)] : null);
    const kept = this.app.hello.labels.map((l) => l.name).filter(stays);
    return h("details", { class: "legend" }, h("summary", {}, t("legend")),
      part("legend_hidden", names.filter((n) => !stays(n))), part("legend_stays", names.filter(stays)),
      kept.length ? h("p", { class: "hint" }, t("legend_policy", { l: kept.map(label).join(", ") })) : null);
  }

  /** Keys of the text that do something. */
  press(event) {
    const command = event.ctrlKey || event.metaKey;
    const letter = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (command) {
      if (letter === "z") return this.does(event, () => this.undo(event.shiftKey));
      if (letter === "y") return this.does(event, () => this.undo(true));
      return;
    }
    if (event.altKey) return;
    const doubtful = () => [...this.marks().filter((m) => m.unsure), ...this.text.below_threshold.filter((s) => s.score >= LIKELY)];
    const act = {
      n: () => this.text.jump(this.doc.state.spans, 1),
      p: () => this.text.jump(this.doc.state.spans, -1),
      d: () => this.text.jump(doubtful(), event.shiftKey ? -1 : 1) || announce(t("no_doubt")),
      a: () => this.add(),
      l: () => (this.text.mark() ? this.relabel() : this.add()),
      Enter: () => (this.text.mark() ? this.relabel() : this.add()),
      b: () => this.borders(),
      x: () => this.remove(event.shiftKey ? "ask" : "here"),
      Delete: () => this.remove(event.shiftKey ? "ask" : "here"),
      Backspace: () => this.remove(event.shiftKey ? "ask" : "here"),
      g: () => this.applyAll(),
      z: () => this.undo(false),
      y: () => this.undo(true),
      v: () => (this.doc.state.accepted ? this.next() : this.accept(true)),
      Escape: () => this.app.list.focus(),
      "?": () => showKeys(),
    }[letter];
    if (act) this.does(event, act);
  }

  does(event, act) {
    event.preventDefault();
    act();
  }

  async add() {
    const { start, end } = this.text;
    const text = this.doc.text.slice(start, end).trim();
    if (!text) return;
    const asked = await askLabel({ ...this.app.hello, text, hasPatient: Boolean(this.doc.patient) });
    if (asked) await this.edit({ do: "add", start, end, label: asked.label, role: asked.role }, asked.reach);
  }

  async relabel() {
    const mark = this.text.mark();
    if (!mark) return;
    const { start, end } = mark;
    const text = this.doc.text.slice(start, end);
    const asked = await askLabel({ ...this.app.hello, text, mark, hasPatient: Boolean(this.doc.patient) });
    if (asked) await this.edit({ do: "change", start, end, to: [start, end], label: asked.label, role: asked.role }, asked.reach);
  }

  borders() {
    const mark = this.text.mark();
    if (!mark) return;
    this.text.element.focus();
    this.text.beginBorder(mark, async (start, end) => {
      if (start === mark.start && end === mark.end) return;
      await this.edit({ do: "change", start: mark.start, end: mark.end, to: [start, end], label: mark.label, role: mark.role }, "here");
    });
    this.drawPanel();
  }

  async remove(reach) {
    const mark = this.text.mark();
    if (!mark) return;
    const { start, end } = mark;
    if (reach === "ask") reach = await askReach(t("remove"), this.doc.text.slice(start, end), Boolean(this.doc.patient), "document");
    if (reach) await this.edit({ do: "remove", start, end }, reach);
  }

  async applyAll() {
    const mark = this.text.mark();
    if (!mark) return;
    const { start, end } = mark;
    const reach = await askReach(t("apply_all"), this.doc.text.slice(start, end), Boolean(this.doc.patient), "document");
    if (reach) await this.edit({ do: "add", start, end, label: mark.label, role: mark.role }, reach);
  }

  async edit(edit, reach) {
    const [start, end] = edit.to ?? [edit.start, edit.end];
    await this.change("edit", { edit, reach }, (done) => {
      this.text.choose(start, end, { announce: false });
      const more = done.places > 0 ? ` ${t("elsewhere", { n: done.places, d: done.documents })}` : "";
      const again = done.reopened > 0 ? ` ${t("reopened", { n: done.reopened })}` : "";
      const unread = done.unread > 0 ? ` ${t("left_unread", { n: done.unread })}` : "";
      toast(`${t(`did_${edit.do}`)}${more}${again}${unread}`);
    });
  }

  async undo(again) {
    const { state } = this.doc;
    if (again ? !state.redo : !state.undo) return announce(t("nothing_left"));
    await this.change(again ? "redo" : "undo", {}, (done) => {
      const left = done.left > 0 ? ` ${t("undo_left", { n: done.left })}` : "";
      const more = done.documents > 1 ? ` ${t("in_documents", { n: done.documents })}` : "";
      toast(`${t(again ? "redone" : "undone")}${more}${left}`);
    });
  }

  async accept(accepted) {
    await this.change("accept", { accepted }, async () => {
      toast(t(accepted ? "accepted_now" : "open_now"));
      const next = accepted && this.app.list.next(this.doc.id);
      await this.app.list.refresh();
      if (next) location.hash = `#/d/${next}`;
    });
  }

  /** Goes to the next document that is not accepted; this one stays as it is. */
  next() {
    const next = this.app.list.next(this.doc.id);
    if (next) location.hash = `#/d/${next}`;
    else toast(t("next_none"));
  }

  /** Sends a change of the version that is shown. If another was first, that one is shown instead, with a message. */
  async change(name, body, then) {
    const { id } = this.doc;
    const hadFocus = this.element.contains(document.activeElement);
    try {
      const { done, state } = await call(name, { reviewer: this.app.reviewer, id, version: this.doc.state.version, ...body });
      if (this.doc?.id !== id) return;
      this.doc.state = state;
      this.draw();
      if (hadFocus && this.view === "text") this.text.element.focus({ preventScroll: true });
      await then(done);
      this.app.changed();
    } catch (error) {
      if (error.code !== "stale") return toast(problem(error), "warn");
      toast(problem(error), "warn");
      const { start, end } = this.text;
      const doc = await call("document", { reviewer: this.app.reviewer, id });
      if (this.doc?.id !== id) return;
      this.doc = doc;
      this.draw();
      if (this.view === "text") this.text.choose(start, end, { announce: false });
      this.app.changed();
    }
  }
}
