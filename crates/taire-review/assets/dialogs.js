// Questions asked of the reviewer: which label, how far, who are you, which keys are there.

import { h, ask, fill, key } from "/dom.js";
import { t, label, group, role, fold } from "/say.js";

const last = { label: "FamilyName" };

const REACHES = ["here", "document", "patient", "corpus"];

function reaches(name, hasPatient, value = "here") {
  return h("fieldset", { class: "reach" },
    h("legend", {}, t("reach")),
    REACHES.filter((r) => r !== "patient" || hasPatient).map((r) =>
      h("label", {}, h("input", { type: "radio", name, value: r, ".checked": r === value }), ` ${t(`reach_${r}`)}`)));
}

const picked = (form, name) => form.querySelector(`input[name=${name}]:checked`)?.value ?? "here";

/** Which label, whose, and how far. */
export function askLabel({ labels, roles, text, mark, hasPatient }) {
  const now = { label: mark?.label ?? last.label, role: mark?.role ?? "Unknown" };
  return ask(mark ? t("change_label") : t("add_mark"), (done) => {
    let shown = [];
    let active = 0;
    const list = h("ul", { id: "labels", role: "listbox", "aria-label": t("labels"), class: "labels" });
    const input = h("input", {
      type: "text", role: "combobox", "aria-expanded": "true", "aria-controls": "labels", "aria-autocomplete": "list",
      autocomplete: "off", spellcheck: "false", id: "label-filter", "data-first": true, placeholder: t("label_filter"),
    });
    const draw = () => {
      const asked = fold(input.value.trim());
      const starts = (l) => fold(label(l.name)).startsWith(asked) || fold(l.name).startsWith(asked);
      const holds = (l) => fold(label(l.name)).includes(asked) || fold(l.name).includes(asked);
      shown = asked ? [...labels.filter(starts), ...labels.filter((l) => !starts(l) && holds(l))] : labels;
      active = asked ? 0 : Math.max(0, shown.findIndex((l) => l.name === now.label));
      fill(list, shown.map((l, i) => h("li", {
        role: "option", id: `label-${i}`, class: `g-${l.group}`,
        onmousedown: (e) => { e.preventDefault(); active = i; point(); },
        ondblclick: () => form.requestSubmit(),
      }, h("span", { class: "chip", "aria-hidden": "true" }), h("span", {}, label(l.name)),
        h("small", {}, group(l.group)))));
      if (!shown.length) fill(list, h("li", { class: "none", role: "option", "aria-disabled": "true" }, t("no_label")));
      point();
    };
    const point = () => {
      [...list.children].forEach((li, i) => li.setAttribute("aria-selected", String(i === active)));
      if (shown.length) input.setAttribute("aria-activedescendant", `label-${active}`);
      else input.removeAttribute("aria-activedescendant");
      list.children[active]?.scrollIntoView({ block: "nearest" });
    };
    input.addEventListener("input", draw);
    input.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step || !shown.length) return;
      event.preventDefault();
      active = (active + step + shown.length) % shown.length;
      point();
    });
    const whose = h("select", {
      id: "label-role",
      onkeydown: (event) => {
        if (event.key !== "Enter") return;
        event.preventDefault();
        form.requestSubmit();
      },
    },
      roles.map((r) => h("option", { value: r, selected: r === now.role }, role(r))));
    const form = h("form", {
      method: "dialog",
      onsubmit: (event) => {
        event.preventDefault();
        const chosen = shown[active];
        if (!chosen) return;
        last.label = chosen.name;
        done({ label: chosen.name, role: whose.value, reach: picked(form, "reach") });
      },
    },
      h("p", { class: "quote" }, text),
      h("div", { class: "field" }, h("label", { for: "label-filter" }, t("label")), input),
      list,
      h("div", { class: "field" }, h("label", { for: "label-role" }, t("role")), whose),
      reaches("reach", hasPatient),
      h("div", { class: "buttons" },
        h("button", { type: "submit", class: "main" }, t("ok"), key("↵")),
        h("button", { type: "button", onclick: () => done(null) }, t("cancel"))));
    setTimeout(draw, 0);
    return form;
  });
}

/** How far a removal or a mark goes. */
export function askReach(title, text, hasPatient, first) {
  return ask(title, (done) => {
    const form = h("form", {
      method: "dialog",
      onsubmit: (event) => { event.preventDefault(); done(picked(form, "reach")); },
    },
      h("p", { class: "quote" }, text),
      reaches("reach", hasPatient, first),
      h("p", { class: "hint" }, t("reach_hint")),
      h("div", { class: "buttons" },
        h("button", { type: "submit", class: "main" }, t("ok"), key("↵")),
        h("button", { type: "button", onclick: () => done(null) }, t("cancel"))));
    form.querySelector("input:checked")?.setAttribute("data-first", "");
    return form;
  });
}

/** Who reviews. */
export function askReviewer(names, now, blindNow) {
  return ask(t("who"), (done) => {
    const input = h("input", { id: "who", type: "text", ".value": now, maxlength: 60, required: true, list: "known-reviewers", "data-first": true });
    const blind = h("input", { id: "blind", type: "checkbox", ".checked": blindNow });
    const answer = () => (input.value.trim() ? { name: input.value.trim(), blind: blind.checked } : null);
    return h("form", { method: "dialog", onsubmit: (e) => { e.preventDefault(); done(answer()); } },
      h("p", {}, t("who_hint")),
      h("div", { class: "field" }, h("label", { for: "who" }, t("name")), input,
        h("datalist", { id: "known-reviewers" }, names.map((n) => h("option", { value: n })))),
      h("label", { for: "blind" }, blind, ` ${t("blind")}`),
      h("p", { class: "hint" }, t("blind_hint")),
      h("div", { class: "buttons" },
        h("button", { type: "submit", class: "main" }, t("ok"), key("↵")),
        h("button", { type: "button", onclick: () => done(null) }, t("cancel"))));
  });
}

const KEYS = [
  ["← → ↑ ↓", "key_move"], ["⇧ ← →", "key_grow"], ["N P", "key_marks"], ["D", "key_doubt"], ["A", "key_add"],
  ["↵ L", "key_label"], ["B", "key_border"], ["⌫ X", "key_remove"], ["⇧ ⌫", "key_remove_all"], ["G", "key_all"],
  ["Z", "key_undo"], ["Y", "key_redo"], ["V", "key_accept"], ["Esc", "key_list"], ["?", "key_help"],
];

export function showKeys() {
  return ask(t("keys"), (done) => h("div", { class: "stack" },
    h("p", {}, t("keys_hint")),
    h("table", { class: "keys" }, h("tbody", {}, KEYS.map(([k, what]) =>
      h("tr", {}, h("th", { scope: "row" }, k.split(" ").map((one) => [h("kbd", {}, one), " "])), h("td", {}, t(what)))))),
    h("div", { class: "buttons" }, h("button", { type: "button", class: "main", "data-first": true, onclick: () => done(true) }, t("close")))));
}
