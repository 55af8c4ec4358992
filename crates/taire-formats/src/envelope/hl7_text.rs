//! Separators and escapes of HL7 v2.

/// The separators a message declares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Marks {
    pub(super) field: char,
    pub(super) component: char,
    pub(super) repetition: char,
    pub(super) escape: char,
    pub(super) sub: char,
    /// Declared by newer versions, never used by what is treated here.
    truncation: Option<char>,
}

impl Marks {
    /// Reads `MSH|^~\&|`.
    pub(super) fn read(header: &str) -> Option<Marks> {
        let rest = header.strip_prefix("MSH")?;
        let field = rest.chars().next()?;
        let declared: Vec<char> = rest[field.len_utf8()..].split(field).next()?.chars().collect();
        let (&[component, repetition, escape, sub], more) = declared.split_first_chunk::<4>()?;
        let truncation = match more {
            [] => None,
            [one] => Some(*one),
            _ => return None,
        };
        let mut all = vec![field, component, repetition, escape, sub];
        all.extend(truncation);
        let sound = all.iter().all(char::is_ascii_punctuation);
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        (sound && all.len() == count).then_some(Marks {
            field,
            component,
            repetition,
            escape,
            sub,
            truncation,
        })
    }

    pub(super) fn declared(self) -> impl Iterator<Item = char> {
        [self.component, self.repetition, self.escape, self.sub].into_iter().chain(self.truncation)
    }
}

pub(super) struct Unescaped {
    pub(super) text: String,
    /// All escapes were known.
    pub(super) exact: bool,
}

/// Text as it is read. Escapes that are not known are left out.
pub(super) fn unescape(raw: &str, marks: Marks) -> Unescaped {
    let mut out = Unescaped { text: String::with_capacity(raw.len()), exact: true };
    let mut rest = raw;
    while let Some(at) = rest.find(marks.escape) {
        out.text.push_str(&rest[..at]);
        rest = &rest[at + marks.escape.len_utf8()..];
        const LONGEST: usize = 400;
        let Some(end) = rest.find(marks.escape).filter(|end| *end <= LONGEST) else {
            // A lone mark: text that was not escaped.
            out.text.push(marks.escape);
            out.exact = false;
            continue;
        };
        let code = &rest[..end];
        rest = &rest[end + marks.escape.len_utf8()..];
        match code {
            "F" => out.text.push(marks.field),
            "S" => out.text.push(marks.component),
            "R" => out.text.push(marks.repetition),
            "E" => out.text.push(marks.escape),
            "T" => out.text.push(marks.sub),
            "H" | "N" => {}
            _ if code.starts_with(".br") || code.starts_with(".sp") || code == ".ce" => out.text.push('\n'),
            ".nf" | ".fi" => {}
            _ if code.strip_prefix('X').is_some_and(|hex| push_hex(hex, &mut out.text)) => {}
            _ => out.exact = false,
        }
    }
    out.text.push_str(rest);
    out
}

fn push_hex(hex: &str, out: &mut String) -> bool {
    let bytes: Option<Vec<u8>> = (0..hex.len())
        .step_by(2)
        .map(|i| hex.get(i..i + 2).and_then(|two| u8::from_str_radix(two, 16).ok()))
        .collect();
    let text = bytes.map(|bytes| match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(e) => encoding_rs::WINDOWS_1252.decode(e.as_bytes()).0.into_owned(),
    });
    match text {
        Some(text) => {
            out.extend(text.chars().map(|c| if c == '\r' { '\n' } else { c }));
            true
        }
        None => false,
    }
}

/// Text as a message writes it.
pub(super) fn escape(text: &str, marks: Marks) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        let code = match c {
            _ if c == marks.field => "F",
            _ if c == marks.component => "S",
            _ if c == marks.repetition => "R",
            _ if c == marks.escape => "E",
            _ if c == marks.sub => "T",
            '\n' | '\u{b}' => ".br",
            // A mark of the envelope: gone without a trace, it would join what stood apart.
            '\r' | '\u{1c}' => {
                out.push(' ');
                continue;
            }
            _ => {
                out.push(c);
                continue;
            }
        };
        out.push(marks.escape);
        out.push_str(code);
        out.push(marks.escape);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_go_and_come_back() {
        let marks = Marks::read("MSH|^~\\&|A").unwrap();
        let read = unescape("a\\F\\b\\.br\\c\\T\\d \\X4A\\ \\Zx\\!\\", marks);
        assert_eq!(read.text, "a|b\nc&d J !\\");
        assert!(!read.exact);
        assert_eq!(escape("a|b\nc&d^\\", marks), "a\\F\\b\\.br\\c\\T\\d\\S\\\\E\\");
        assert_eq!(escape("LA\u{b}CAZE\u{1c}JO", marks), "LA\\.br\\CAZE JO");
        for bad in ["MSH", "MSH|", "MSH|^^\\&|", "MSH|^~|", "MSHabcde|", "PID|^~\\&|"] {
            assert!(Marks::read(bad).is_none(), "{bad}");
        }
    }
}
