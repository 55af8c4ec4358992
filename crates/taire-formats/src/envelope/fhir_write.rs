//! FHIR resources printed with their new values, indented if they were. What has no value left is not written: FHIR
//! knows no empty objects.

use crate::OutSpan;

use super::fhir::{Fhir, IdSlot, Out, Syntax};
use super::inside;
use super::json::push_text;
use super::sheet::Filled;
use super::values::{write_date, write_object};

impl Fhir {
    pub(crate) fn weight(&self) -> usize {
        3 * self.sheet.text().len()
    }

    pub(crate) fn write(&self, text: &str, spans: &[OutSpan]) -> Result<Vec<u8>, &'static str> {
        let filled = self.sheet.fill(text, spans)?;
        if self.syntax == Syntax::Xml {
            return super::fhir_xml::write(&self.root, &filled);
        }
        let mut out = String::new();
        let mut printer =
            Printer { filled: &filled, out: &mut out, pretty: self.syntax == Syntax::IndentedJson };
        if !printer.value(&self.root, 0)? {
            return Err("nothing of it is left");
        }
        out.push('\n');
        Ok(out.into_bytes())
    }
}

struct Printer<'a> {
    filled: &'a Filled,
    out: &'a mut String,
    pretty: bool,
}

impl Printer<'_> {
    fn newline(&mut self, depth: usize) {
        if self.pretty {
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n("  ", depth));
        }
    }

    /// Adds a value; `false` if it has none, and nothing was added.
    fn value(&mut self, value: &Out, depth: usize) -> Result<bool, &'static str> {
        match value {
            Out::Object(members) => {
                self.list(b"{}", members.iter().map(|(k, v)| (Some(k.as_str()), v)), depth)
            }
            Out::Array(items) => self.list(b"[]", items.iter().map(|v| (None, v)), depth),
            Out::Literal(raw) if self.filled.gives_away(raw) => Ok(false),
            Out::Literal(raw) => {
                self.out.push_str(raw);
                Ok(true)
            }
            value => Ok(match scalar(value, self.filled)? {
                Some(text) => self.string(&text),
                None => false,
            }),
        }
    }

    fn list<'o>(
        &mut self,
        brackets: &[u8; 2],
        items: impl Iterator<Item = (Option<&'o str>, &'o Out)>,
        depth: usize,
    ) -> Result<bool, &'static str> {
        let begin = self.out.len();
        self.out.push(brackets[0] as char);
        let mut any = false;
        for (key, value) in items {
            let before = self.out.len();
            if any {
                self.out.push(',');
            }
            self.newline(depth + 1);
            if let Some(key) = key {
                push_text(self.out, key);
                self.out.push_str(if self.pretty { ": " } else { ":" });
            }
            if self.value(value, depth + 1)? {
                any = true;
            } else {
                self.out.truncate(before);
            }
        }
        if !any {
            self.out.truncate(begin);
            return Ok(false);
        }
        self.newline(depth);
        self.out.push(brackets[1] as char);
        Ok(true)
    }

    fn string(&mut self, text: &str) -> bool {
        push_text(self.out, text);
        true
    }
}

/// What a value without parts becomes; `None` where nothing of it is left.
pub(super) fn scalar(value: &Out, filled: &Filled) -> Result<Option<String>, &'static str> {
    Ok(match value {
        Out::Object(_) | Out::Array(_) => None,
        Out::Literal(text) | Out::Code(text) if filled.gives_away(text) => None,
        Out::Literal(text) | Out::Code(text) | Out::Fixed(text) => Some(text.clone()),
        Out::Slot(slot) => Some(filled.value(*slot).text.clone()).filter(|text| !text.trim().is_empty()),
        Out::Day(slot, stamp) => write_date(&filled.value(*slot).text, *stamp),
        Out::Id { before, id } => {
            let id = match id {
                IdSlot::Plain(slot) => Some(filled.value(*slot).text.clone()),
                IdSlot::Object(slot, kind) => write_object(&filled.value(*slot).text, *kind),
            };
            let is_id = |id: &String| {
                !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.".contains(&b))
            };
            id.filter(is_id).map(|id| format!("{before}{id}"))
        }
        Out::Inside(slot, back) => {
            let value = filled.value(*slot);
            Some(inside::close(back, &value.text, &value.spans)?)
        }
        Out::Html(slot, back) => {
            let value = filled.value(*slot);
            let html = String::from_utf8(back.write(&value.text, &value.spans)?)
                .map_err(|_| "its narrative could not be written")?;
            Some(as_narrative(&html))
        }
    })
}

/// The narrative as FHIR wants it: one `div` of XHTML.
fn as_narrative(html: &str) -> String {
    let html = html.strip_prefix("<meta charset=\"utf-8\">").unwrap_or(html).trim();
    match html.strip_prefix("<div") {
        Some(rest) if !rest.split('>').next().unwrap_or_default().contains("xmlns") => {
            format!("<div xmlns=\"http://www.w3.org/1999/xhtml\"{rest}")
        }
        _ => html.to_owned(),
    }
}
