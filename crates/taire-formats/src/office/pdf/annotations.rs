//! What is laid over a page: values of form fields and typed notes are text, links and all else are left out.

use lopdf::{Dictionary, Object, ObjectId, decode_text_string};

use super::font::Look;
use super::layout::Piece;
use super::{LeftOut, Matrix, Page, Reader, count};
use crate::Reason;

/// How far a field is from the form at most.
const DEEPEST_FIELD: usize = 32;
const MOST_LINES: usize = 10_000;

enum Overlay {
    Text(String),
    Nothing,
    LeftOut(LeftOut),
}

impl<'d> Reader<'d> {
    pub(super) fn annotations(
        &mut self,
        page: ObjectId,
        origin: Matrix,
        out: &mut Page,
    ) -> Result<(), Reason> {
        let Ok(overlays) = self.document.get_page_annotations(page) else { return Ok(()) };
        self.steps += overlays.len();
        for overlay in overlays {
            if [&b"A"[..], b"AA"].iter().any(|key| self.runs_script(overlay, key)) {
                count(&mut self.counts, LeftOut::Scripts);
            }
            match self.overlay(overlay)? {
                Overlay::Text(text) => self.set_in_box(overlay, &text, origin, out)?,
                Overlay::Nothing => {}
                Overlay::LeftOut(what) => count(&mut self.counts, what),
            }
        }
        Ok(())
    }

    /// Whether something starts a script.
    pub(super) fn runs_script(&self, owner: &Dictionary, key: &[u8]) -> bool {
        let action = owner.get_deref(key, self.document).and_then(Object::as_dict);
        let is_script = |action: &Dictionary| {
            action
                .get(b"S")
                .and_then(Object::as_name)
                .is_ok_and(|kind| matches!(kind, b"JavaScript" | b"Launch"))
        };
        // `AA` holds one action for each event.
        action.is_ok_and(|action| {
            let each = action.iter().filter_map(|(_, o)| self.document.dereference(o).ok()?.1.as_dict().ok());
            is_script(action) || each.into_iter().any(is_script)
        })
    }

    fn overlay(&self, overlay: &'d Dictionary) -> Result<Overlay, Reason> {
        let kind = overlay.get_deref(b"Subtype", self.document).and_then(Object::as_name).unwrap_or_default();
        match kind {
            b"Link" => Ok(Overlay::LeftOut(LeftOut::LinkTargets)),
            b"Popup" => Ok(Overlay::Nothing),
            b"FreeText" => self.text_of(overlay.get_deref(b"Contents", self.document).ok()),
            b"Widget" => {
                let field = |key: &[u8]| self.field_value(overlay, key);
                match field(b"FT").and_then(|o| o.as_name().ok()) {
                    Some(b"Btn") => {
                        let state = overlay.get_deref(b"AS", self.document).and_then(Object::as_name);
                        let ticked = state.is_ok_and(|state| state != b"Off");
                        Ok(if ticked { Overlay::Text("X".into()) } else { Overlay::Nothing })
                    }
                    Some(b"Tx" | b"Ch") | None => self.text_of(field(b"V")),
                    Some(_) => Ok(Overlay::LeftOut(LeftOut::AttachedData)),
                }
            }
            _ => Ok(Overlay::LeftOut(LeftOut::AttachedData)),
        }
    }

    /// A value of a field, or of the field it is part of.
    fn field_value(&self, field: &'d Dictionary, key: &[u8]) -> Option<&'d Object> {
        let mut node = field;
        for _ in 0..DEEPEST_FIELD {
            if let Ok(value) = node.get_deref(key, self.document) {
                return Some(value);
            }
            node = node.get_deref(b"Parent", self.document).ok()?.as_dict().ok()?;
        }
        None
    }

    fn text_of(&self, value: Option<&Object>) -> Result<Overlay, Reason> {
        const UNREADABLE: &str = "a value of its form cannot be read";
        let text = match value {
            None | Some(Object::Null) => return Ok(Overlay::Nothing),
            Some(Object::Array(choices)) => {
                let mut lines = Vec::new();
                for choice in choices {
                    let choice = self.document.dereference(choice).map_err(|_| UNREADABLE)?.1;
                    lines.push(decode_text_string(choice).map_err(|_| UNREADABLE)?);
                }
                lines.join("\n")
            }
            Some(Object::Stream(stream)) => {
                let content =
                    stream.get_plain_content_with_limit(super::MOST_BYTES).map_err(|_| UNREADABLE)?;
                let string = Object::string_literal(content);
                decode_text_string(&string).map_err(|_| UNREADABLE)?
            }
            Some(value) => decode_text_string(value).map_err(|_| UNREADABLE)?,
        };
        Ok(if text.trim().is_empty() { Overlay::Nothing } else { Overlay::Text(text) })
    }

    /// Sets text in the box of an overlay, line by line from its top.
    fn set_in_box(
        &mut self,
        overlay: &Dictionary,
        text: &str,
        origin: Matrix,
        out: &mut Page,
    ) -> Result<(), Reason> {
        let corners = overlay.get_deref(b"Rect", self.document).ok().and_then(|o| self.rectangle(o));
        let [x, y, _, height] = corners.unwrap_or_default();
        let (x, y) = origin.apply(x, y);
        let lines: Vec<&str> = text.split(['\n', '\r']).filter(|line| !line.trim().is_empty()).collect();
        if lines.len() > MOST_LINES {
            return Err("a value of its form has too many lines; such a file is not read".into());
        }
        let size = (height / (1.25 * lines.len() as f32)).clamp(4.0, 10.0);
        let top = match lines.len() {
            1 => y + (height - 0.7 * size).max(0.0) / 2.0,
            _ => y + height - size,
        };
        let look = Look::default();
        let (_, widths) = look.standard();
        for (i, line) in lines.into_iter().enumerate() {
            let y = top - 1.2 * size * i as f32;
            let mut x = x + 2.0;
            for word in line.split_inclusive(char::is_whitespace) {
                let wide = |text: &str| {
                    let each = text.chars().map(|c| {
                        let known = u32::from(c).checked_sub(32).and_then(|i| widths.get(i as usize));
                        f32::from(known.copied().unwrap_or(556))
                    });
                    each.sum::<f32>() / 1000.0 * size
                };
                let (end, ink) = (x + wide(word), x + wide(word.trim_end()));
                if ![x, y, end, ink].into_iter().all(f32::is_finite) {
                    return Err("it sets text at a place that is no number; it is damaged".into());
                }
                self.read += 1;
                let order = self.read;
                let piece = Piece { x, y, end, ink, size, text: word.replace(['\t'], " "), look, order };
                out.pieces.entry(0).or_default().push(piece);
                x = end;
            }
        }
        Ok(())
    }
}
