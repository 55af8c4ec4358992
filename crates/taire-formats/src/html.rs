//! A page to look at: each document with its spans coloured and named, nothing fetched from anywhere.

use std::collections::BTreeMap;

use taire_text::{Group, Label};

use crate::OutSpan;
use crate::xml::{push_escaped, walk};

const STYLE: &str = "\
:root{color-scheme:light;--ink:#1b1f24}\
body{margin:0 auto;max-width:60rem;padding:1rem 1.25rem 6rem;background:#fff;color:var(--ink);font:16px/1.6 system-ui,sans-serif}\
h1{font-size:1.3rem}h2{font-size:1rem;margin:2rem 0 .5rem;border-bottom:1px solid #c8ccd2}\
.text{white-space:pre-wrap;overflow-wrap:anywhere;font-family:ui-monospace,monospace;font-size:.95rem;line-height:1.9}\
mark{color:var(--ink);border-radius:.2rem;padding:.1rem .2rem;border-bottom:2px solid}\
mark small{font:600 .68rem system-ui,sans-serif;margin-left:.35rem;user-select:none}\
footer{position:fixed;left:0;right:0;bottom:0;max-height:5rem;overflow:auto;background:#f6f7f9;border-top:1px solid #c8ccd2;padding:.5rem 1.25rem}\
footer ul{list-style:none;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:.35rem .75rem}\
.g0{background:#fde2e4;border-color:#9b1c31}.g1{background:#dbeafe;border-color:#1d4ed8}\
.g2{background:#d9f2e3;border-color:#136f3f}.g3{background:#ece3fb;border-color:#6227b8}\
.g4{background:#fdeacc;border-color:#8a4b00}.g5{background:#d8f1f4;border-color:#0b6673}\
.g6{background:#ecece6;border-color:#55554a}.g7{background:#fbe3f3;border-color:#96176b}\
@media print{footer{position:static;max-height:none}}";

/// Labels seen on the page, for its legend.
#[derive(Default, Debug)]
pub(crate) struct Page {
    seen: BTreeMap<String, u64>,
}

fn class(label: &str) -> usize {
    match label.parse::<Label>().map(Label::group) {
        Ok(Group::Person) => 0,
        Ok(Group::Time) => 1,
        Ok(Group::Place) => 2,
        Ok(Group::Organisation) => 3,
        Ok(Group::Contact) => 4,
        Ok(Group::Identifier) => 5,
        Ok(Group::QuasiIdentifier) => 6,
        Err(_) => label.bytes().fold(0usize, |h, b| h.wrapping_mul(31).wrapping_add(usize::from(b))) % 8,
    }
}

impl Page {
    pub(crate) fn push_head(out: &mut Vec<u8>, title: &str) {
        out.extend_from_slice(b"<!doctype html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n<title>");
        push_escaped(out, title);
        out.extend_from_slice(b"</title>\n<meta name=\"viewport\" content=\"width=device-width\">\n");
        out.extend_from_slice(
            b"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<style>",
        );
        out.extend_from_slice(STYLE.as_bytes());
        out.extend_from_slice(b"</style>\n</head>\n<body>\n<main>\n<h1>");
        push_escaped(out, title);
        out.extend_from_slice(b"</h1>\n");
    }

    pub(crate) fn push_document(&mut self, out: &mut Vec<u8>, id: &str, text: &str, spans: &[OutSpan]) {
        out.extend_from_slice(b"<article>\n<h2>");
        push_escaped(out, id);
        out.extend_from_slice(b"</h2>\n<div class=\"text\">");
        let mut state = (self, out);
        walk(
            &mut state,
            text,
            spans,
            |(_, out), plain| push_escaped(out, plain),
            |(page, out), inside, span| {
                match page.seen.get_mut(span.label.as_ref()) {
                    Some(count) => *count += 1,
                    None => drop(page.seen.insert(span.label.to_string(), 1)),
                }
                out.extend_from_slice(format!("<mark class=\"g{}\" title=\"", class(&span.label)).as_bytes());
                push_escaped(out, &span.label);
                if let Some(role) = span.role {
                    out.extend_from_slice(format!(", {role}").as_bytes());
                }
                out.extend_from_slice(format!(", {:.2}", span.score).as_bytes());
                for (i, source) in span.sources.iter().enumerate() {
                    out.extend_from_slice(if i == 0 { b" (" } else { b", " });
                    out.extend_from_slice(source.key().as_bytes());
                }
                if span.sources.iter().next().is_some() {
                    out.push(b')');
                }
                out.extend_from_slice(b"\">");
                push_escaped(out, inside);
                out.extend_from_slice(b"<small>");
                push_escaped(out, &span.label);
                out.extend_from_slice(b"</small></mark>");
            },
        );
        state.1.extend_from_slice(b"</div>\n</article>\n");
    }

    pub(crate) fn push_foot(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"</main>\n<footer aria-label=\"legend\"><ul>");
        for (label, count) in &self.seen {
            out.extend_from_slice(format!("<li><mark class=\"g{}\">", class(label)).as_bytes());
            push_escaped(out, label);
            out.extend_from_slice(format!("</mark> {count}</li>").as_bytes());
        }
        out.extend_from_slice(b"</ul></footer>\n</body>\n</html>\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_text::{Role, Source};

    #[test]
    fn a_page_names_what_it_colours() {
        let (mut page, mut out) = (Page::default(), Vec::new());
        Page::push_head(&mut out, "a<b");
        let label = |label: &'static str, start, end| OutSpan {
            start,
            end,
            original: start..end,
            took: 0,
            put: 0,
            label: label.into(),
            role: Some(Role::Patient),
            score: 0.5,
            sources: [Source::Crf, Source::Lexicon].into_iter().collect(),
        };
        page.push_document(&mut out, "d", "<i>Zoé</i>", &[label("GivenName", 3, 7), label("<odd>", 8, 9)]);
        page.push_foot(&mut out);
        let html = String::from_utf8(out).unwrap();
        assert!(html.contains("&lt;i&gt;<mark class=\"g0\" title=\"GivenName, Patient, 0.50 (lexicon, crf)\">Zoé<small>GivenName</small></mark>&lt;"));
        assert!(html.contains("<title>a&lt;b</title>") && html.contains("&lt;odd&gt;</mark> 1</li>"));
        assert!(!html.contains("<odd>") && !html.contains("http://") && !html.contains("https://"));
    }
}
