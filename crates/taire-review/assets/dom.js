// Building the page: elements, messages, dialogs. No markup is ever parsed from text.

import { t } from "/say.js";

/** An element with its attributes, properties (`.name`), listeners (`onname`) and children. */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith(".")) element[name.slice(1)] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  put(element, ...children);
  return element;
}

/** Adds children; lists are flattened and nothing is skipped over. */
export function put(element, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child !== undefined && child !== null && child !== false) element.append(child);
  }
  return element;
}

export function fill(element, ...children) {
  element.replaceChildren();
  return put(element, ...children);
}

/** Says something to who cannot see the page. */
export function announce(text) {
  const live = document.getElementById("live");
  live.textContent = "";
  setTimeout(() => { live.textContent = text; }, 30);
}

/** A message that goes by itself or with the next; a warning stays until it is closed. */
export function toast(text, kind = "done") {
  const box = document.getElementById("toasts");
  const close = () => note.remove();
  const note = h("div", { class: `toast ${kind}`, role: kind === "warn" ? "alert" : null },
    h("p", {}, text),
    h("button", { type: "button", class: "plain", "aria-label": t("close"), onclick: close }, "×"));
  for (const old of box.querySelectorAll(kind === "warn" ? ".toast" : ".toast:not(.warn)")) old.remove();
  box.append(note);
  if (kind !== "warn") setTimeout(close, 6000);
}

/** Opens a dialog and gives what its form was answered with, or null. `build(done)` gives the content. */
export function ask(title, build) {
  return new Promise((resolve) => {
    const before = document.activeElement;
    const id = `dialog-${Math.random().toString(36).slice(2)}`;
    let answer = null;
    const done = (value) => { answer = value; dialog.close(); };
    const dialog = h("dialog", { "aria-labelledby": id },
      h("h2", { id }, title),
      build(done));
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (before && before.isConnected) before.focus({ preventScroll: true });
      resolve(answer);
    });
    document.body.append(dialog);
    dialog.showModal();
    const first = dialog.querySelector("[data-first]") ?? dialog.querySelector("input, select, button");
    first?.focus();
  });
}

/** A select with its label above. `options` are [value, text] pairs. */
export function choose(id, label, options, value, change) {
  const select = h("select", { id, onchange: (e) => change(e.target.value) },
    options.map(([v, text]) => h("option", { value: v, selected: v === value }, text)));
  return h("div", { class: "field" }, h("label", { for: id }, label), select);
}

export const key = (text) => h("kbd", { "aria-hidden": "true" }, text);

export function percent(value) {
  return new Intl.NumberFormat(document.documentElement.lang, { style: "percent", maximumFractionDigits: 0 }).format(value);
}

export function figure(value, digits = 3) {
  if (value === null || value === undefined) return "–";
  return new Intl.NumberFormat(document.documentElement.lang, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
}
