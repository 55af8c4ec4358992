// A text with its marks, read word by word from the keyboard or with the mouse.
//
// What is chosen is the browser's own selection, so it looks and copies as people expect. Labels beside marks are drawn by
// the style sheet and are no part of the text.

import { h, announce, percent } from "/dom.js";
import { t, label, role, short } from "/say.js";

const WORD = /\p{L}[\p{L}\p{M}]*|\p{N}+|[^\s\p{L}\p{N}]/gu;

export class TextView {
  /** `groups` tells the family of a label; `chosen` is called when another stretch is chosen; `bottom` is how far down the
   *  window can be seen. */
  constructor(groups, { chosen, keys, bottom }) {
    this.groups = groups;
    this.bottom = bottom;
    this.chosen = chosen;
    this.start = 0;
    this.end = 0;
    this.anchor = 0;
    this.border = null;
    this.element = h("div", {
      class: "text", tabindex: "0", role: "application", "aria-roledescription": t("text_role"),
      "aria-label": t("text_label"), lang: "",
      onkeydown: (event) => { if (!this.move(event)) keys(event); },
      onmouseup: () => setTimeout(() => this.fromMouse(), 0),
      onfocus: () => this.show(false),
    });
  }

  set(text, language, marks, below_threshold) {
    if (text !== this.text) {
      this.text = text;
      this.words = [...text.matchAll(WORD)].map((m) => [m.index, m.index + m[0].length]);
      this.start = this.words[0]?.[0] ?? 0;
      this.end = this.words[0]?.[1] ?? 0;
      this.anchor = 0;
    }
    this.border = null;
    this.element.lang = language ?? "";
    this.marks = marks;
    this.below_threshold = below_threshold.filter((s) => !marks.some((m) => m.start < s.end && s.start < m.end));
    this.draw();
  }

  draw() {
    const pieces = [
      ...this.marks.map((m) => ({ ...m, kind: "mark" })),
      ...this.below_threshold.map((s) => ({ ...s, kind: "below_threshold" })),
    ].sort((a, b) => a.start - b.start || a.end - b.end);
    this.nodes = [];
    const out = [];
    let at = 0;
    const text = (from, to) => {
      const node = document.createTextNode(this.text.slice(from, to));
      this.nodes.push([from, node]);
      return node;
    };
    for (const piece of pieces) {
      if (piece.start < at) continue;
      if (piece.start > at) out.push(text(at, piece.start));
      const inner = text(piece.start, piece.end);
      if (piece.kind === "mark") {
        const now = this.border?.mark.start === piece.start;
        out.push(h("mark", {
          class: `g-${this.groups[piece.label]} ${piece.by} ${now ? "moving" : ""} ${piece.unsure ? "unsure" : ""} ${piece.stays ? "stays" : ""}`,
          "data-short": short(piece.label), "data-start": piece.start,
        }, inner));
      } else {
        out.push(h("span", { class: "below-threshold", title: t("below_threshold_title", { p: percent(piece.score) }) }, inner));
      }
      at = piece.end;
    }
    if (at < this.text.length) out.push(text(at, this.text.length));
    this.element.replaceChildren(...out);
    this.show(false);
  }

  /** The mark that holds what is chosen, if one does. */
  mark() {
    return this.marks.find((m) => m.start <= this.start && this.end <= m.end);
  }

  candidate() {
    return this.below_threshold.find((m) => m.start <= this.start && this.end <= m.end);
  }

  slice() {
    return this.text.slice(this.start, this.end);
  }

  /** Chooses a stretch. */
  choose(start, end, { announce = true, scroll = true } = {}) {
    this.start = start;
    this.end = end;
    this.show(scroll);
    this.chosen();
    if (announce) this.announce();
  }

  announce() {
    const mark = this.mark();
    const what = this.slice();
    announce(mark ? `${what}: ${label(mark.label)}, ${role(mark.role)}` : what);
  }

  place(offset) {
    let low = 0;
    let high = this.nodes.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.nodes[middle][0] <= offset) low = middle;
      else high = middle - 1;
    }
    const [from, node] = this.nodes[low] ?? [0, this.element];
    return [node, Math.min(offset - from, node.length ?? 0)];
  }

  range(start, end) {
    const range = document.createRange();
    const [last, at] = this.place(Math.max(start, end - 1));
    range.setStart(...this.place(start));
    range.setEnd(last, Math.min(at + (end > start ? 1 : 0), last.length ?? 0));
    return range;
  }

  /** Shows what is chosen, if the reader is here. */
  show(scroll) {
    for (const mark of this.element.querySelectorAll("mark.on")) mark.classList.remove("on");
    const now = this.mark();
    if (now) this.element.querySelector(`mark[data-start="${now.start}"]`)?.classList.add("on");
    if (document.activeElement !== this.element || !this.nodes.length) return;
    const range = this.range(this.start, this.end);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    if (!scroll) return;
    const box = range.getBoundingClientRect();
    const frame = this.element.getBoundingClientRect();
    if (box.top < frame.top + 30) this.element.scrollTop -= frame.top + 60 - box.top;
    else if (box.bottom > frame.bottom - 30) this.element.scrollTop += box.bottom - frame.bottom + 60;
    const after = range.getBoundingClientRect();
    const bottom = this.bottom();
    if (after.top < 0 || after.bottom > bottom - 10) scrollBy({ top: after.top - bottom / 2 });
  }

  offset(node, at) {
    const found = this.nodes.find(([, n]) => n === node);
    if (found) return found[0] + at;
    // Between two pieces: the first text behind the place.
    const next = node.childNodes?.[at];
    const behind = next && this.nodes.find(([, n]) => n === next || next.contains?.(n));
    return behind ? behind[0] : this.text.length;
  }

  fromMouse() {
    const selection = getSelection();
    if (!selection.rangeCount || this.border) return;
    const range = selection.getRangeAt(0);
    if (!this.element.contains(range.commonAncestorContainer)) return;
    const from = this.offset(range.startContainer, range.startOffset);
    const to = this.offset(range.endContainer, range.endOffset);
    const inside = from === to && this.marks.find((m) => m.start <= from && from <= m.end);
    if (inside) {
      this.anchor = this.wordAt(inside.start);
      this.choose(inside.start, inside.end, { scroll: false });
      return;
    }
    const first = this.words.findIndex(([, end]) => end > from || (from === to && end === from));
    if (first < 0) return;
    let last = first;
    while (last + 1 < this.words.length && this.words[last + 1][0] < to) last += 1;
    this.anchor = first;
    this.choose(this.words[first][0], this.words[last][1], { scroll: false });
  }

  wordAt(offset) {
    const found = this.words.findIndex(([, end]) => end > offset);
    return found < 0 ? this.words.length - 1 : found;
  }

  /** The nearest word on the line above or below. */
  vertical(from, step) {
    const box = (i) => this.range(...this.words[i]).getBoundingClientRect();
    const here = box(from);
    const middle = (here.left + here.right) / 2;
    let line = null;
    let best = from;
    let distance = Infinity;
    for (let i = from + step; i >= 0 && i < this.words.length; i += step) {
      const there = box(i);
      const away = step > 0 ? there.top > here.bottom - 4 : there.bottom < here.top + 4;
      if (!away) continue;
      line ??= there.top;
      if (Math.abs(there.top - line) > 6) break;
      const d = Math.abs((there.left + there.right) / 2 - middle);
      if (d < distance) [best, distance] = [i, d];
    }
    return best;
  }

  /** Moves what is chosen; whether the key was one that does. */
  move(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      if (!(event.ctrlKey && this.border && event.key.startsWith("Arrow"))) return false;
    }
    if (this.border) return this.moveBorder(event);
    if (!this.words.length) return false;
    const first = this.wordAt(this.start);
    const last = Math.max(first, this.wordAt(this.end - 1));
    const grow = event.shiftKey;
    const head = grow ? (this.anchor === last && first < last ? first : (this.anchor < last ? last : first)) : null;
    const to = {
      ArrowRight: () => (grow ? head + 1 : last + 1),
      ArrowLeft: () => (grow ? head - 1 : first - 1),
      ArrowDown: () => this.vertical(grow ? head : last, 1),
      ArrowUp: () => this.vertical(grow ? head : first, -1),
      Home: () => 0,
      End: () => this.words.length - 1,
    }[event.key];
    if (!to) return false;
    event.preventDefault();
    const target = Math.max(0, Math.min(this.words.length - 1, to()));
    if (!grow) this.anchor = target;
    const [a, b] = [Math.min(this.anchor, target), Math.max(this.anchor, target)];
    this.choose(this.words[a][0], this.words[b][1]);
    return true;
  }

  /** Chooses the next or the last of some stretches, round the text. */
  jump(stretches, step) {
    if (!stretches.length) return false;
    const sorted = [...stretches].sort((a, b) => a.start - b.start);
    const next = step > 0
      ? sorted.find((m) => m.start > this.start) ?? sorted[0]
      : sorted.findLast((m) => m.start < this.start) ?? sorted.at(-1);
    this.anchor = this.wordAt(next.start);
    this.choose(next.start, next.end);
    return true;
  }

  /** Begins to move the borders of a mark; `done(start, end)` when they are set. */
  beginBorder(mark, done) {
    this.border = { mark: { ...mark }, done };
    this.draw();
    this.choose(mark.start, mark.end, { announce: false });
    announce(t("border_hint"));
  }

  endBorder(keep) {
    const { mark, done } = this.border;
    this.border = null;
    this.draw();
    if (keep) done(this.start, this.end);
    else this.choose(mark.start, mark.end);
    this.chosen();
  }

  /** Arrows move the end, with Shift the start; by words, with Control by characters. */
  moveBorder(event) {
    if (event.key === "Enter" || event.key === "Escape") {
      event.preventDefault();
      this.endBorder(event.key === "Enter");
      return true;
    }
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    event.preventDefault();
    if (!step) return true;
    this.stepBorder(event.shiftKey, step, event.ctrlKey);
    return true;
  }

  stepBorder(atStart, step, byCharacter) {
    let { start, end } = this;
    const from = atStart ? start : end;
    let to;
    if (byCharacter) {
      to = from + step;
      const code = this.text.charCodeAt(to);
      if (code >= 0xdc00 && code <= 0xdfff) to += step;
    } else if (atStart) {
      to = step > 0 ? this.words.find(([s]) => s > from)?.[0] : this.words.findLast(([s]) => s < from)?.[0];
    } else {
      to = step > 0 ? this.words.find(([, e]) => e > from)?.[1] : this.words.findLast(([, e]) => e < from)?.[1];
    }
    if (to === undefined || to < 0 || to > this.text.length) return;
    if (atStart) start = to;
    else end = to;
    if (start < end) this.choose(start, end);
  }
}

/** A text that is only shown, its marked stretches coloured. */
export function shownText(text, marks, groups, language) {
  const out = [];
  let at = 0;
  for (const mark of marks) {
    if (mark.start < at) continue;
    out.push(text.slice(at, mark.start), h("mark", {
      class: `g-${groups[mark.label]} ${mark.class ?? ""}`, "data-short": short(mark.label),
    }, text.slice(mark.start, mark.end)));
    at = mark.end;
  }
  out.push(text.slice(at));
  return h("div", { class: "text still", lang: language ?? "", tabindex: "0" }, out);
}
