// Words that reviewers freed or caught, for the lists that policies read.

import { call, download } from "/api.js";
import { h, fill, toast } from "/dom.js";
import { t, problem } from "/say.js";

export async function showWords(app, main, ready) {
  const list = ready ?? await call("words");
  const judge = async (word, judgement) => {
    try {
      const after = await call("judge", { reviewer: app.reviewer, word, judgement });
      await showWords(app, main, after);
      toast(t(judgement ? `word_${judgement}` : "word_cleared", { w: word }));
      return true;
    } catch (error) {
      toast(problem(error), "warn");
      return false;
    }
  };
  const input = h("input", { id: "word", type: "text", required: true, autocomplete: "off", spellcheck: "false" });
  const add = (judgement) => h("button", { type: "button", onclick: async () => { if (input.reportValidity() && await judge(input.value, judgement)) document.getElementById("word")?.focus(); } }, t(`judge_${judgement}`));
  const row = (r) => {
    const other = r.judgement === "accept" ? "refuse" : "accept";
    return h("tr", {},
      h("th", { scope: "row" }, r.word),
      h("td", {}, h("span", { class: r.judgement === "accept" ? "badge" : "badge todo" }, t(`is_${r.judgement}`))),
      h("td", { class: "number" }, r.count),
      h("td", {}, t(r.by_hand ? "by_hand" : "by_review")),
      h("td", {},
        h("button", { type: "button", class: "small", "aria-label": `${t(`judge_${other}`)}: ${r.word}`, onclick: () => judge(r.word, other) }, t(`judge_${other}`)),
        r.by_hand ? h("button", { type: "button", class: "small", "aria-label": `${t("clear")}: ${r.word}`, onclick: () => judge(r.word, null) }, t("clear")) : null));
  };
  const save = async () => {
    try {
      toast(t("saved_as", { f: await download("export", { what: "words" }) }));
    } catch (error) {
      toast(problem(error), "warn");
    }
  };
  fill(main, h("div", { class: "page" },
    h("h1", {}, t("words")),
    h("p", { class: "hint" }, t("words_hint")),
    h("div", { class: "row" },
      h("div", { class: "field" }, h("label", { for: "word" }, t("a_word")), input), add("accept"), add("refuse"),
      h("button", { type: "button", class: "main", onclick: save }, t("export_words"))),
    list.rows.length
      ? h("section", { class: "card" }, list.total > list.rows.length ? h("p", { class: "note" }, t("words_first", { n: list.rows.length, of: list.total })) : null,
        h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("words") }, h("table", {},
          h("thead", {}, h("tr", {}, ["a_word", "judgement", "times", "said_by", "change"].map((c) => h("th", { scope: "col", class: c === "times" ? "number" : null }, t(c))))),
          h("tbody", {}, list.rows.map(row)))))
      : h("p", { class: "note" }, t("no_words"))));
}
