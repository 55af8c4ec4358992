//! Writing JSON documents, in kind and as annotations.

use taire_text::Language;

use crate::date;
use crate::document::{Slot, Spot};
use crate::jsonl::Keys;
use crate::offsets::FromBytes;
use crate::{Document, NewFields, Offsets, OutSpan};

/// Whether one of eight bytes must be escaped in a JSON string: a control character, a quote or a backslash.
/// A byte after a true one may be reported too, never a word without any.
fn has_special(word: u64) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = ONES << 7;
    let below = |word: u64, limit: u8| word.wrapping_sub(ONES * u64::from(limit)) & !word & HIGH;
    let quote = below(word ^ (ONES * u64::from(b'"')), 1);
    let backslash = below(word ^ (ONES * u64::from(b'\\')), 1);
    below(word, 0x20) | quote | backslash != 0
}

/// Adds a JSON string.
pub fn push_string(out: &mut Vec<u8>, text: &str) {
    out.reserve(text.len() + text.len() / 16 + 2);
    out.push(b'"');
    let bytes = text.as_bytes();
    let (mut from, mut at) = (0, 0);
    while at < bytes.len() {
        if let Some(word) = bytes[at..].first_chunk::<8>()
            && !has_special(u64::from_le_bytes(*word))
        {
            at += 8;
            continue;
        }
        for (i, &byte) in bytes.iter().enumerate().skip(at).take(8) {
            if byte < 0x20 || byte == b'"' || byte == b'\\' {
                out.extend_from_slice(&bytes[from..i]);
                push_escape(out, byte);
                from = i + 1;
            }
        }
        at += 8;
    }
    out.extend_from_slice(&bytes[from..]);
    out.push(b'"');
}

fn push_escape(out: &mut Vec<u8>, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    match byte {
        b'"' => out.extend_from_slice(b"\\\""),
        b'\\' => out.extend_from_slice(b"\\\\"),
        b'\n' => out.extend_from_slice(b"\\n"),
        b'\r' => out.extend_from_slice(b"\\r"),
        b'\t' => out.extend_from_slice(b"\\t"),
        _ => {
            out.extend_from_slice(b"\\u00");
            out.extend_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
        }
    }
}

fn push_number(out: &mut Vec<u8>, number: usize) {
    let mut digits = [0u8; 20];
    let (mut at, mut rest) = (digits.len(), number);
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// Adds a score from 0 to 1 with at most four decimals.
fn push_score(out: &mut Vec<u8>, score: f32) {
    let mut rest = (score.clamp(0.0, 1.0) * 1e4).round() as usize;
    push_number(out, rest / 10_000);
    rest %= 10_000;
    let mut unit = 1_000;
    out.push(b'.');
    loop {
        out.push(b'0' + (rest / unit) as u8);
        rest %= unit;
        unit /= 10;
        if rest == 0 || unit == 0 {
            break;
        }
    }
}

fn push_key(out: &mut Vec<u8>, first: &mut bool, key: &str) {
    out.push(if std::mem::take(first) { b'{' } else { b',' });
    push_string(out, key);
    out.push(b':');
}

/// Adds the object a document came from, with its new text and fields. What has no new value is null.
pub(crate) fn push_in_kind(
    out: &mut Vec<u8>,
    keys: &Keys,
    document: &Document,
    text: &str,
    new: &NewFields<'_>,
) {
    let mut first = true;
    let Spot::Json(slots) = &document.place.0 else {
        push_key(out, &mut first, &keys.id);
        push_string(out, new.id);
        push_key(out, &mut first, &keys.text);
        push_string(out, text);
        out.push(b'}');
        return;
    };
    for slot in slots {
        match slot {
            Slot::Id { quoted } => {
                push_key(out, &mut first, &keys.id);
                push_scalar(out, Some(new.id).filter(|_| !document.named_by_place), *quoted);
            }
            Slot::Text => {
                push_key(out, &mut first, &keys.text);
                push_string(out, text);
            }
            Slot::Patient { quoted } => {
                push_key(out, &mut first, &keys.patient);
                push_scalar(out, new.patient, *quoted);
            }
            Slot::Visit { quoted } => {
                push_key(out, &mut first, keys.visit.as_deref().unwrap_or_default());
                push_scalar(out, new.visit, *quoted);
            }
            Slot::Date(shape) => {
                push_key(out, &mut first, &keys.date);
                push_scalar(out, new.date.map(|d| date::print(d, *shape)).as_deref(), true);
            }
            Slot::Language => {
                push_key(out, &mut first, "lang");
                push_scalar(out, document.language.map(Language::key), true);
            }
            Slot::Kept(i, value) => {
                push_key(out, &mut first, &keys.kept[*i]);
                out.extend_from_slice(value.get().as_bytes());
            }
        }
    }
    out.push(b'}');
}

/// A string, or a bare number when the original was one and the new value can be.
fn push_scalar(out: &mut Vec<u8>, value: Option<&str>, quoted: bool) {
    let bare = |v: &str| v.parse::<i128>().is_ok_and(|n| n.to_string() == v);
    match value {
        None => out.extend_from_slice(b"null"),
        Some(v) if !quoted && bare(v) => out.extend_from_slice(v.as_bytes()),
        Some(v) => push_string(out, v),
    }
}

/// Adds one annotated document: `{"id":…,"text":…,"spans":[…]}`, without a line end.
pub fn annotation_line(out: &mut Vec<u8>, id: &str, text: &str, spans: &[OutSpan], offsets: Offsets) {
    push_annotation(out, Some(id), text, spans, offsets);
    out.push(b'}');
}

/// The same for a document that may have no id, the object left open for more keys.
pub fn push_annotation(out: &mut Vec<u8>, id: Option<&str>, text: &str, spans: &[OutSpan], offsets: Offsets) {
    let mut first = true;
    if let Some(id) = id {
        push_key(out, &mut first, "id");
        push_string(out, id);
    }
    push_key(out, &mut first, "text");
    push_string(out, text);
    push_spans(out, text, spans, offsets);
}

/// The same for a text in another form than plain: `text` is written, the spans count in `plain`.
pub fn push_text_in_form(
    out: &mut Vec<u8>,
    id: Option<&str>,
    text: &str,
    plain: &str,
    spans: &[OutSpan],
    offsets: Offsets,
) {
    let mut first = true;
    if let Some(id) = id {
        push_key(out, &mut first, "id");
        push_string(out, id);
    }
    push_key(out, &mut first, "text");
    push_string(out, text);
    push_key(out, &mut first, "plain");
    push_string(out, plain);
    push_spans(out, plain, spans, offsets);
}

fn push_spans(out: &mut Vec<u8>, text: &str, spans: &[OutSpan], offsets: Offsets) {
    out.extend_from_slice(b",\"spans\":[");
    let mut walk = FromBytes::new(text, offsets);
    for (i, span) in spans.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        let (start, end) = (walk.get(span.start), walk.get(span.end));
        out.extend_from_slice(b"{\"start\":");
        push_number(out, start);
        out.extend_from_slice(b",\"end\":");
        push_number(out, end);
        out.extend_from_slice(b",\"label\":");
        push_string(out, &span.label);
        if let Some(role) = span.role {
            out.extend_from_slice(b",\"role\":");
            push_string(out, role.name());
        }
        out.extend_from_slice(b",\"score\":");
        push_score(out, span.score);
        out.extend_from_slice(b",\"sources\":[");
        for (j, source) in span.sources.iter().enumerate() {
            if j > 0 {
                out.push(b',');
            }
            push_string(out, source.key());
        }
        out.extend_from_slice(b"]}");
    }
    out.push(b']');
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn strings_are_json(text in "(?s)[\\x00-\\x22\\\\a-zé😀\u{7f}]{0,60}") {
            let mut out = Vec::new();
            push_string(&mut out, &text);
            proptest::prop_assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
        }

        #[test]
        fn scores_are_json(ten_thousandths in 0u32..=10_000) {
            let mut out = Vec::new();
            push_score(&mut out, ten_thousandths as f32 / 1e4);
            let back: f64 = serde_json::from_slice(&out).unwrap();
            proptest::prop_assert_eq!((back * 1e4).round() as u32, ten_thousandths);
        }
    }

    #[test]
    fn odd_scores_are_numbers_too() {
        for (score, written) in
            [(f32::NAN, "0.0"), (7.0, "1.0"), (-1.0, "0.0"), (0.98, "0.98"), (0.05, "0.05")]
        {
            let mut out = Vec::new();
            push_score(&mut out, score);
            assert_eq!(String::from_utf8(out).unwrap(), written);
        }
    }
}
