//! Writing annotated documents for other tools.

use std::fmt::Write as _;

use serde_json::{Value, json};
use taire_text::{Kind, Role, tokenise};

use super::{Exchange, Placed};
use crate::{Doc, Error, Tag};

/// The spans of a line of JSONL; `role` tells whose a span is.
pub fn jsonl_spans(doc: &Doc, role: impl Fn(&Tag) -> Role) -> Value {
    let span = |tag: &Tag| {
        let mut value = json!({"start": tag.start, "end": tag.end, "label": tag.label});
        match role(tag) {
            Role::Unknown => {}
            known => value["role"] = json!(known),
        }
        value
    };
    Value::Array(doc.spans.iter().map(span).collect())
}

pub fn jsonl(doc: &Doc, role: impl Fn(&Tag) -> Role) -> Result<Value, Error> {
    let placed = Placed::new(doc)?;
    Ok(json!({"id": doc.id, "text": placed.text, "spans": jsonl_spans(doc, role)}))
}

pub fn doccano(doc: &Doc) -> Result<Value, Error> {
    let placed = Placed::new(doc)?;
    let label = placed.spans.iter().map(|s| json!([s.points.start, s.points.end, s.label]));
    Ok(json!({"id": doc.id, "text": placed.text, "label": label.collect::<Vec<_>>()}))
}

pub fn label_studio(doc: &Doc) -> Result<Value, Error> {
    let placed = Placed::new(doc)?;
    let mut units = Utf16::new(placed.text);
    let result = placed.spans.iter().enumerate().map(|(i, span)| {
        json!({
            "id": format!("s{i}"), "from_name": "label", "to_name": "text", "type": "labels",
            "value": {
                "start": units.at(span.bytes.start), "end": units.at(span.bytes.end),
                "text": placed.text[span.bytes.clone()], "labels": [span.label],
            },
        })
    });
    let result: Vec<Value> = result.collect();
    Ok(json!({"data": {"id": doc.id, "text": placed.text}, "annotations": [{"result": result}]}))
}

pub fn label_studio_config(labels: &[&str]) -> String {
    let mut out = String::from("<View>\n  <Labels name=\"label\" toName=\"text\">\n");
    for label in labels {
        let _ = writeln!(out, "    <Label value=\"{}\"/>", super::xmi::escaped(label));
    }
    out.push_str("  </Labels>\n  <Text name=\"text\" value=\"$text\"/>\n</View>\n");
    out
}

pub fn prodigy(doc: &Doc) -> Result<Value, Error> {
    let placed = Placed::new(doc)?.disjoint(doc, Exchange::Prodigy)?;
    let pieces = pieces(&placed);
    let points = |from: usize, to: usize| placed.text[from..to].chars().count();
    let (mut tokens, mut at, mut point) = (Vec::with_capacity(pieces.len()), 0, 0);
    for (id, piece) in pieces.iter().enumerate() {
        point += points(at, piece.start);
        let end = point + points(piece.start, piece.end);
        let blank = placed.text[piece.end..].starts_with(' ');
        tokens.push(
            json!({"text": placed.text[piece.clone()], "start": point, "end": end, "id": id, "ws": blank}),
        );
        (at, point) = (piece.end, end);
    }
    let mut spans = Vec::new();
    for span in &placed.spans {
        let first = pieces.partition_point(|piece| piece.end <= span.bytes.start);
        let last = pieces.partition_point(|piece| piece.start < span.bytes.end).saturating_sub(1);
        spans.push(json!({
            "start": span.points.start, "end": span.points.end, "label": span.label,
            "token_start": first, "token_end": last.max(first),
        }));
    }
    Ok(
        json!({"text": placed.text, "meta": {"id": doc.id}, "tokens": tokens, "spans": spans, "answer": "accept"}),
    )
}

/// Annotations of BRAT. A span over several lines is written in fragments, as BRAT asks.
pub fn brat(doc: &Doc) -> Result<String, Error> {
    let placed = Placed::new(doc)?;
    let mut out = String::new();
    for (i, span) in placed.spans.iter().enumerate() {
        let whole = &placed.text[span.bytes.clone()];
        let (mut places, mut at) = (Vec::new(), span.points.start);
        for line in whole.split('\n') {
            let count = |text: &str| text.chars().count();
            let blank = count(line) - count(line.trim_start());
            let (start, end) = (at + blank, at + blank + count(line.trim()));
            if start < end {
                places.push(format!("{start} {end}"));
            }
            at += count(line) + 1;
        }
        if span.label.contains(char::is_whitespace) || places.is_empty() {
            return Err(Error::input(format!(
                "span {}..{} of document `{}` has a blank in its label or nothing else in its text, which BRAT cannot hold",
                span.points.start, span.points.end, doc.id
            )));
        }
        let text: Vec<&str> = whole.split('\n').map(str::trim).collect();
        let _ = writeln!(out, "T{}\t{} {}\t{}", i + 1, span.label, places.join(";"), text.join(" "));
    }
    Ok(out)
}

pub fn annotation_conf(labels: &[&str]) -> String {
    let labels: String = labels.iter().map(|l| format!("{l}\n")).collect();
    format!("[entities]\n{labels}\n[relations]\n\n[events]\n\n[attributes]\n")
}

/// Tokens, cut where a span begins or ends inside one.
fn pieces(placed: &Placed<'_>) -> Vec<std::ops::Range<usize>> {
    let mut cuts: Vec<usize> = placed.spans.iter().flat_map(|s| [s.bytes.start, s.bytes.end]).collect();
    cuts.dedup();
    let (mut out, mut cut) = (Vec::new(), 0);
    for token in tokenise(placed.text).iter().filter(|t| t.kind != Kind::Newline) {
        let mut start = token.start();
        while start < token.end() {
            while cuts.get(cut).is_some_and(|c| *c <= start) {
                cut += 1;
            }
            let end = cuts.get(cut).copied().unwrap_or(usize::MAX).min(token.end());
            out.push(start..end);
            start = end;
        }
    }
    out
}

/// Tokens with IOB2 labels, a line of the text a sentence.
pub fn conll(doc: &Doc) -> Result<String, Error> {
    let placed = Placed::new(doc)?.disjoint(doc, Exchange::Conll)?;
    let text = placed.text;
    let mut out = format!("-DOCSTART- {} O\n\n", doc.id);
    let (mut next, mut last, mut begun) = (0, 0, None);
    for piece in pieces(&placed) {
        if text[last..piece.start].contains('\n') && last > 0 {
            out.push('\n');
        }
        last = piece.end;
        while placed.spans.get(next).is_some_and(|span| span.bytes.end <= piece.start) {
            next += 1;
        }
        let tag = match placed.spans.get(next).filter(|span| span.bytes.start <= piece.start) {
            Some(span) if begun.replace(next) != Some(next) => format!("B-{}", span.label),
            Some(span) => format!("I-{}", span.label),
            None => "O".to_owned(),
        };
        let _ = writeln!(out, "{} {tag}", &text[piece]);
    }
    out.push('\n');
    Ok(out)
}

/// Counts UTF-16 units before bytes of a text.
pub(crate) struct Utf16<'t> {
    text: &'t str,
    byte: usize,
    count: usize,
}

impl<'t> Utf16<'t> {
    pub(crate) fn new(text: &'t str) -> Utf16<'t> {
        Utf16 { text, byte: 0, count: 0 }
    }

    pub(crate) fn at(&mut self, byte: usize) -> usize {
        let units = |text: &str| text.chars().map(char::len_utf16).sum::<usize>();
        match byte >= self.byte {
            true => self.count += units(&self.text[self.byte..byte]),
            false => self.count -= units(&self.text[byte..self.byte]),
        }
        self.byte = byte;
        self.count
    }
}
