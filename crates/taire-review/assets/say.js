// The words of the page in the reader's language.

import en from "/words-en.js";
import es from "/words-es.js";
import fr from "/words-fr.js";
import reasons from "/why.js";

export const LANGUAGES = { fr, es, en };
const held = "taire-language";
let current = en;

/** Sets the language: one that was chosen before, else the browser's. */
export function chooseLanguage(chosen) {
  const asked = [chosen, localStorage.getItem(held), ...navigator.languages.map((l) => l.slice(0, 2)), "en"];
  const code = asked.find((l) => l && LANGUAGES[l]);
  if (chosen) localStorage.setItem(held, code);
  current = LANGUAGES[code];
  document.documentElement.lang = code;
  return code;
}

/** A sentence with its places filled: `{n}`; `one|many` takes the form of `n`. */
export function t(name, values = {}) {
  let text = current.ui[name] ?? en.ui[name] ?? name;
  if (text.includes("|")) {
    const forms = text.split("|");
    const few = current.code === "fr" ? Math.abs(values.n) < 2 : values.n === 1;
    text = few ? forms[0] : forms[1];
  }
  return text.replace(/\{(\w+)\}/g, (_, place) => String(values[place] ?? ""));
}

export const label = (name) => current.labels[name]?.[0] ?? name;
export const short = (name) => current.labels[name]?.[1] ?? label(name);
export const group = (name) => current.groups[name] ?? name;
export const role = (name) => current.roles[name] ?? name;
export const source = (name) => current.sources[name] ?? name;
export const why = (text) => reasons[text]?.[["fr", "es"].indexOf(current.code)] ?? text;

/** What went wrong, in the reader's words where there are some. */
export function problem(error) {
  return current.problems[error.code] ?? error.message ?? String(error);
}

/** Without case and accents, as people search. */
export function fold(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}
