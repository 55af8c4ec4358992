//! Writing a mail: every byte of it is made here from new values, then read back.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::civil::Date;

use crate::office::{Back, reads_as};
use crate::{Document, OutSpan};

use super::sheet::{Filled, Sheet, SlotId};

/// The way back into a message.
#[derive(Debug)]
pub(crate) struct Mail {
    pub(crate) sheet: Sheet,
    pub(crate) letter: Letter,
}

/// One message, which may lie in another.
#[derive(Debug)]
pub(crate) struct Letter {
    pub(crate) headers: Vec<Header>,
    pub(crate) body: Body,
}

#[derive(Debug)]
pub(crate) enum Header {
    /// Names and addresses.
    People(&'static str, Vec<(Option<SlotId>, Option<SlotId>)>),
    Subject(SlotId),
    Day(SlotId),
}

#[derive(Debug)]
pub(crate) enum Body {
    Many(&'static str, Vec<Body>),
    Letter(Box<Letter>),
    /// With the name of a file, if it was one.
    Leaf(SlotId, Leaf, Option<String>),
    /// What was left out.
    Nothing,
}

#[derive(Debug)]
pub(crate) enum Leaf {
    /// Text in the form that it came in.
    Text(Box<Document>),
    /// A document with its media type.
    File(&'static str, Back),
}

const DAMAGED: &str = "with its new text this mail would not read as it should";

impl Mail {
    pub(crate) fn weight(&self) -> usize {
        fn of(body: &Body) -> usize {
            match body {
                Body::Many(_, inner) => inner.iter().map(of).sum(),
                Body::Letter(letter) => of(&letter.body),
                Body::Nothing => 0,
                Body::Leaf(_, Leaf::Text(document), _) => document.weight(),
                Body::Leaf(_, Leaf::File(_, back), _) => back.weight(),
            }
        }
        self.sheet.text().len() + of(&self.letter.body)
    }

    pub(crate) fn write(&self, text: &str, spans: &[OutSpan]) -> Result<Vec<u8>, &'static str> {
        let filled = self.sheet.fill(text, spans)?;
        let mut out = Writer { filled: &filled, boundaries: 0 };
        let bytes = out.letter(&self.letter)?;
        let back = super::mail::open(&bytes).map_err(|_| DAMAGED)?;
        if reads_as(&back.text, text) { Ok(bytes) } else { Err(DAMAGED) }
    }
}

struct Writer<'f> {
    filled: &'f Filled,
    boundaries: usize,
}

impl Writer<'_> {
    fn letter(&mut self, letter: &Letter) -> Result<Vec<u8>, &'static str> {
        let mut out = Vec::new();
        for header in &letter.headers {
            self.header(&mut out, header);
        }
        out.extend_from_slice(b"MIME-Version: 1.0\r\n");
        out.extend(self.body(&letter.body)?);
        Ok(out)
    }

    fn header(&self, out: &mut Vec<u8>, header: &Header) {
        let value =
            |slot: &SlotId| self.filled.value(*slot).text.split_whitespace().collect::<Vec<_>>().join(" ");
        match header {
            Header::People(name, people) => {
                let written = people.iter().map(|(name, address)| {
                    person(name.as_ref().map(value).as_deref(), address.as_ref().map(value).as_deref())
                });
                let people: Vec<String> = written.filter(|p| !p.is_empty()).collect();
                if !people.is_empty() {
                    out.extend_from_slice(format!("{name}: {}\r\n", people.join(",\r\n ")).as_bytes());
                }
            }
            Header::Subject(slot) => {
                out.extend_from_slice(format!("Subject: {}\r\n", encoded(&value(slot))).as_bytes());
            }
            Header::Day(slot) => {
                // Without its time, and not at all where the new value is no day.
                if let Ok(day) = value(slot).parse::<Date>() {
                    out.extend_from_slice(
                        format!("Date: {} 00:00:00 +0000\r\n", written_day(day)).as_bytes(),
                    );
                }
            }
        }
    }

    /// Headers of the content, an empty line, the content.
    fn body(&mut self, body: &Body) -> Result<Vec<u8>, &'static str> {
        match body {
            Body::Many(kind, inner) => {
                self.boundaries += 1;
                let mark = format!("taire-part-{}", self.boundaries);
                let mut out =
                    format!("Content-Type: multipart/{kind}; boundary=\"{mark}\"\r\n\r\n").into_bytes();
                for part in inner.iter().filter(|part| !matches!(part, Body::Nothing)) {
                    out.extend_from_slice(format!("--{mark}\r\n").as_bytes());
                    out.extend(self.body(part)?);
                    out.extend_from_slice(b"\r\n");
                }
                out.extend_from_slice(format!("--{mark}--\r\n").as_bytes());
                Ok(out)
            }
            Body::Letter(letter) => {
                let mut out =
                    b"Content-Type: message/rfc822\r\nContent-Disposition: attachment\r\n\r\n".to_vec();
                out.extend(self.letter(letter)?);
                Ok(out)
            }
            Body::Nothing => Ok(b"Content-Type: text/plain\r\n\r\n".to_vec()),
            Body::Leaf(slot, leaf, name) => self.leaf(*slot, leaf, name.as_deref()),
        }
    }

    fn leaf(&self, slot: SlotId, leaf: &Leaf, name: Option<&str>) -> Result<Vec<u8>, &'static str> {
        let value = self.filled.value(slot);
        let (media, content) = match leaf {
            Leaf::Text(document) => {
                let text = document.written_text(&value.text, &value.spans).map_err(|_| DAMAGED)?;
                ("text/plain; charset=utf-8", text.into_owned().into_bytes())
            }
            Leaf::File(media, back) => (*media, back.write(&value.text, &value.spans)?),
        };
        let mut out = format!("Content-Type: {media}\r\nContent-Transfer-Encoding: base64\r\n").into_bytes();
        if let Some(name) = name {
            out.extend_from_slice(
                format!("Content-Disposition: attachment; filename=\"{name}\"\r\n").as_bytes(),
            );
        }
        out.extend_from_slice(b"\r\n");
        for line in STANDARD.encode(content).as_bytes().chunks(76) {
            out.extend_from_slice(line);
            out.extend_from_slice(b"\r\n");
        }
        Ok(out)
    }
}

/// `Name <address>`.
pub(crate) fn person(name: Option<&str>, address: Option<&str>) -> String {
    let sound = |a: &&str| {
        a.is_ascii()
            && !a.contains(|c: char| c.is_whitespace() || c.is_control() || "<>,;:\"()[]\\".contains(c))
    };
    match (name.filter(|n| !n.is_empty()), address.filter(sound)) {
        (Some(name), Some(address)) => format!("{} <{address}>", encoded(name)),
        (Some(name), None) => format!("{} <>", encoded(name)),
        (None, Some(address)) => format!("<{address}>"),
        (None, None) => String::new(),
    }
}

/// Text of a header: words of plain letters as they are, everything else as encoded words.
pub(crate) fn encoded(text: &str) -> String {
    const LONGEST: usize = 42;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '-' | '/');
    if text.chars().all(plain) && text.len() <= 60 {
        return text.to_owned();
    }
    let (mut words, mut piece) = (Vec::new(), String::new());
    for c in text.chars() {
        if piece.len() + c.len_utf8() > LONGEST {
            words.push(std::mem::take(&mut piece));
        }
        piece.push(c);
    }
    words.push(piece);
    let words: Vec<String> = words.iter().map(|w| format!("=?utf-8?B?{}?=", STANDARD.encode(w))).collect();
    words.join("\r\n ")
}

pub(crate) fn written_day(day: Date) -> String {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    let week_day = DAYS[day.weekday().to_monday_zero_offset() as usize];
    format!("{week_day}, {} {} {:04}", day.day(), MONTHS[day.month() as usize - 1], day.year())
}
