//! Mail (`.eml`): the headers people read, the bodies and the attachments as one text; a new message is written with it.
//!
//! Nothing of the old message is copied: headers are written anew from their new values, parts from what their readers
//! give back, names of files and boundaries are made. Headers that are not known (`Received`, `Message-ID`, `X-…`) are
//! left out and counted. What cannot be read, or is not what it says it is, refuses the message.

use std::path::Path;

use jiff::civil::Date;
use mail_parser::{
    Address, HeaderName, HeaderValue, Message, MessageParser, MessagePart, MimeHeaders, PartType,
};
use taire_text::{Given, Label, Role};

use super::form::Read;
use super::mail_write::{Body, Header, Leaf, Letter, Mail};
use super::msg::{is_message, to_mail};
use super::sheet::{Sheet, SlotId};
use super::{Enveloped, Way, inside};
use crate::office::{self, Counts, count};
use crate::sniff::{HEAD, is_document, recognise};
use crate::{Document, Format, LIMIT, LeftOut, Ocr, ReadOptions, Reason};

const MOST_PARTS: usize = 1000;
const DEEPEST: usize = 8;
/// Messages inside messages, counted before anything is parsed.
const MOST_NESTED: usize = 32;

/// The parts of a message.
fn parse(bytes: &[u8]) -> Result<Message<'_>, Reason> {
    check_nesting(bytes)?;
    // The parser stops at damage that it does not expect.
    let parsed = std::panic::catch_unwind(|| MessageParser::default().parse(bytes));
    let parsed = parsed.map_err(|_| Reason::from("its parts cannot be told apart: the mail is damaged"))?;
    parsed.ok_or_else(|| "it is no mail: it has no headers".into())
}

pub(crate) fn open(bytes: &[u8]) -> Result<Enveloped, Reason> {
    let message = parse(bytes)?;
    let mut reader =
        Reader { sheet: Sheet::default(), left_out: Counts::new(), parts: 0, bytes: 0, files: 0 };
    let letter = reader.letter(&message, 0)?;
    let date = message.date().and_then(day);
    let Reader { mut sheet, left_out, .. } = reader;
    let (text, given) = (sheet.text().to_owned(), sheet.take_given());
    let read = Read { known: Default::default(), given, language: None, date };
    Ok(Enveloped { text, left_out, read, way: Way::Mail(Mail { sheet, letter }) })
}

/// A message in a message in a message: refused before a parser follows it.
fn check_nesting(bytes: &[u8]) -> Result<(), Reason> {
    let lower = bytes.to_ascii_lowercase();
    let often = |what: &[u8]| memchr::memmem::find_iter(&lower, what).count();
    if often(b"rfc822") + often(b"message/global") + often(b"multipart/digest") > MOST_NESTED {
        return Err(
            format!("it holds over {MOST_NESTED} messages inside messages; such mail is not read").into()
        );
    }
    Ok(())
}

fn day(date: &mail_parser::DateTime) -> Option<Date> {
    Date::new(i16::try_from(date.year).ok()?, date.month as i8, date.day as i8).ok()
}

struct Reader {
    sheet: Sheet,
    left_out: Counts,
    parts: usize,
    bytes: usize,
    files: usize,
}

impl Reader {
    fn letter(&mut self, message: &Message<'_>, depth: usize) -> Result<Letter, Reason> {
        if depth > DEEPEST {
            return Err(
                format!("its parts are nested more than {DEEPEST} deep; such mail is not read").into()
            );
        }
        let root = message.parts.first().ok_or("it has no body")?;
        let headers = root.headers.iter().filter_map(|h| self.header(&h.name, &h.value)).collect();
        self.end_line();
        let body = self.part(message, 0, depth)?;
        Ok(Letter { headers, body })
    }

    fn end_line(&mut self) {
        if !self.sheet.at_line_start() {
            self.sheet.brk('\n');
        }
    }

    fn header(&mut self, name: &HeaderName<'_>, value: &HeaderValue<'_>) -> Option<Header> {
        let people = match name {
            HeaderName::From => "From",
            HeaderName::To => "To",
            HeaderName::Cc => "Cc",
            HeaderName::Bcc => "Bcc",
            HeaderName::ReplyTo => "Reply-To",
            HeaderName::Sender => "Sender",
            HeaderName::Subject => return self.subject(value),
            HeaderName::Date => return self.date(value),
            HeaderName::MimeVersion
            | HeaderName::ContentType
            | HeaderName::ContentTransferEncoding
            | HeaderName::ContentDisposition => return None,
            _ => {
                count(&mut self.left_out, LeftOut::UnknownFields);
                return None;
            }
        };
        let HeaderValue::Address(list) = value else {
            count(&mut self.left_out, LeftOut::UnknownFields);
            return None;
        };
        self.say(people);
        Some(Header::People(people, self.people(list)))
    }

    fn say(&mut self, name: &str) {
        self.end_line();
        self.sheet.say(name);
        self.sheet.say(": ");
    }

    fn subject(&mut self, value: &HeaderValue<'_>) -> Option<Header> {
        let HeaderValue::Text(subject) = value else { return None };
        self.say("Subject");
        Some(Header::Subject(self.sheet.free(&one_line(subject))))
    }

    fn date(&mut self, value: &HeaderValue<'_>) -> Option<Header> {
        count(&mut self.left_out, LeftOut::TimesOfDay);
        let HeaderValue::DateTime(date) = value else { return None };
        let day = day(date)?;
        self.say("Date");
        Some(Header::Day(self.sheet.field(&day.to_string(), Label::Date, Role::Unknown)))
    }

    /// Each with the slots of a name and of an address.
    fn people(&mut self, list: &Address<'_>) -> Vec<(Option<SlotId>, Option<SlotId>)> {
        let mut out = Vec::new();
        for person in list.iter() {
            if !out.is_empty() {
                self.sheet.say(", ");
            }
            let name = person.name.as_deref().map(one_line).filter(|n| !n.is_empty());
            let name = name.map(|name| self.sheet.parts(&name, &name_parts(&name), Role::Unknown));
            let address = person.address.as_deref().map(one_line).filter(|a| !a.is_empty());
            let address = address.map(|address| {
                self.sheet.say(" <");
                let slot = self.sheet.field(&address, Label::Email, Role::Unknown);
                self.sheet.say(">");
                slot
            });
            out.push((name, address));
        }
        out
    }

    fn part(&mut self, message: &Message<'_>, id: u32, depth: usize) -> Result<Body, Reason> {
        self.parts += 1;
        let part = message.parts.get(id as usize).ok_or("its parts are damaged")?;
        if self.parts > MOST_PARTS || depth > DEEPEST {
            return Err(format!(
                "it has over {MOST_PARTS} parts, or they are nested more than {DEEPEST} deep"
            )
            .into());
        }
        if part.is_encoding_problem {
            return Err("a part of it is cut short or in an encoding that is not known".into());
        }
        if id > 0 {
            self.count_part_headers(part);
        }
        match &part.body {
            PartType::Multipart(ids) => {
                let kind =
                    part.content_type().and_then(|t| t.subtype()).unwrap_or_default().to_ascii_lowercase();
                if kind == "encrypted" {
                    return Err("it is encrypted; decrypt it first".into());
                }
                let inner = ids.iter().map(|id| self.part(message, *id, depth + 1));
                let inner: Vec<Body> = inner.collect::<Result<_, _>>()?;
                let kind = ["alternative", "related"].into_iter().find(|k| *k == kind).unwrap_or("mixed");
                Ok(Body::Many(kind, inner))
            }
            PartType::Message(inner) => {
                self.end_line();
                Ok(Body::Letter(Box::new(self.letter(inner, depth + 1)?)))
            }
            PartType::Text(text) => self.text(part, text),
            PartType::Html(html) => self.page(part, html),
            PartType::Binary(bytes) | PartType::InlineBinary(bytes) => self.file(part, bytes, depth),
        }
    }

    /// Headers of a part that are not written: descriptions and ids of content among them.
    fn count_part_headers(&mut self, part: &MessagePart<'_>) {
        let written = |name: &HeaderName<'_>| {
            matches!(
                name,
                HeaderName::ContentType
                    | HeaderName::ContentTransferEncoding
                    | HeaderName::ContentDisposition
            )
        };
        for _ in part.headers.iter().filter(|h| !written(&h.name)) {
            count(&mut self.left_out, LeftOut::UnknownFields);
        }
    }

    /// So much text may one message hold, however it was packed.
    fn weigh(&mut self, bytes: usize) -> Result<(), Reason> {
        self.bytes += bytes;
        match self.bytes > LIMIT {
            true => Err(format!("its parts hold over {} MB; split it", LIMIT >> 20).into()),
            false => Ok(()),
        }
    }

    fn text(&mut self, part: &MessagePart<'_>, text: &str) -> Result<Body, Reason> {
        self.weigh(text.len())?;
        check_declared(part, Format::Text)?;
        // Line ends of mail are two characters.
        let mut document = Document::new("", text.replace("\r\n", "\n"));
        document.open_text_inside().map_err(|why| why.prefixed("a part of it cannot be treated: "))?;
        self.leave(&document.left_out);
        let slot = self.slot(&std::mem::take(&mut document.text));
        let name = self.file_name(part, "txt");
        Ok(Body::Leaf(slot, Leaf::Text(Box::new(document)), name))
    }

    fn page(&mut self, part: &MessagePart<'_>, html: &str) -> Result<Body, Reason> {
        self.weigh(html.len())?;
        check_declared(part, Format::Html)?;
        let opened = office::open(Format::Html, html.as_bytes(), &Ocr::off())?;
        crate::encoded::check(&opened.text)?;
        self.leave(&opened.left_out);
        let slot = self.slot(&opened.text);
        let name = self.file_name(part, "html");
        Ok(Body::Leaf(slot, Leaf::File("text/html; charset=utf-8", opened.back), name))
    }

    fn file(&mut self, part: &MessagePart<'_>, bytes: &[u8], depth: usize) -> Result<Body, Reason> {
        self.weigh(bytes.len())?;
        if is_message(bytes) {
            let mail = to_mail(bytes)?;
            self.end_line();
            return Ok(Body::Letter(Box::new(self.letter(&parse(&mail)?, depth + 1)?)));
        }
        if let Some(what) = not_read(part) {
            if is_document(bytes) {
                return Err("an attachment is a document and says it is none; such mail is not read".into());
            }
            count(&mut self.left_out, what);
            return Ok(Body::Nothing);
        }
        let format =
            recognise(&bytes[..bytes.len().min(HEAD)], Path::new("attachment"), &ReadOptions::default())
                .map_err(|why| why.prefixed("an attachment cannot be treated: "))?;
        check_declared(part, format)?;
        let inside = inside::open(bytes)?;
        crate::encoded::check(&inside.text)?;
        self.leave(&inside.left_out);
        if format.becomes_text() {
            count(&mut self.left_out, LeftOut::Layout);
        }
        let slot = self.slot_with(&inside.text, &inside.given);
        let extension = if format.becomes_text() { "txt" } else { extension(format) };
        let name = Some(self.next_name(extension));
        let media = if inside.media == "text/plain" { "text/plain; charset=utf-8" } else { inside.media };
        Ok(Body::Leaf(slot, Leaf::File(media, inside.back), name))
    }

    fn leave(&mut self, left_out: &Counts) {
        for (what, n) in left_out {
            *self.left_out.entry(*what).or_default() += n;
        }
    }

    fn slot(&mut self, text: &str) -> SlotId {
        self.slot_with(text, &[])
    }

    fn slot_with(&mut self, text: &str, given: &[Given]) -> SlotId {
        self.end_line();
        let slot = self.sheet.free_with(text, given);
        self.sheet.brk('\n');
        slot
    }

    /// A made name for a part that was a file: the old one may name the patient.
    fn file_name(&mut self, part: &MessagePart<'_>, extension: &str) -> Option<String> {
        let attached =
            part.content_disposition().is_some_and(|d| d.ctype().eq_ignore_ascii_case("attachment"));
        (attached || part.attachment_name().is_some()).then(|| self.next_name(extension))
    }

    fn next_name(&mut self, extension: &str) -> String {
        self.files += 1;
        format!("attachment-{}.{extension}", self.files)
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The given and the family names of a display name: `Dr Aldegonde KERVADEC`, `Kervadec, Aldegonde`.
fn name_parts(name: &str) -> Vec<(std::ops::Range<usize>, Label)> {
    if name.contains('@') {
        return vec![(0..name.len(), Label::Email)];
    }
    let word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '\'' | '’' | '.');
    let mut words = Vec::new();
    let mut from = None;
    for (at, c) in name.char_indices().chain([(name.len(), ' ')]) {
        match (word(c), from) {
            (true, None) => from = Some(at),
            (false, Some(start)) => {
                words.push(start..at);
                from = None;
            }
            _ => {}
        }
    }
    words.retain(|w| !super::cda_rules::is_title(&name[w.clone()]));
    let capitals = |w: &std::ops::Range<usize>| {
        let letters = name[w.clone()].chars().filter(|c| c.is_alphabetic());
        name[w.clone()].chars().count() > 1
            && letters.clone().count() > 1
            && letters.clone().all(char::is_uppercase)
    };
    let some_capitals = words.iter().any(capitals);
    let comma = name.find(',');
    let family = |i: usize, w: &std::ops::Range<usize>| match comma {
        Some(comma) => w.start < comma,
        None if some_capitals => capitals(w),
        None => i > 0 || words.len() == 1,
    };
    let label = |f: bool| if f { Label::FamilyName } else { Label::GivenName };
    words.iter().enumerate().map(|(i, w)| (w.clone(), label(family(i, w)))).collect()
}

fn media(part: &MessagePart<'_>) -> (String, String) {
    let declared = part.content_type();
    let kind = declared.map(|t| t.ctype().to_ascii_lowercase()).unwrap_or_default();
    (kind, declared.and_then(|t| t.subtype()).unwrap_or_default().to_ascii_lowercase())
}

/// Attachments that are left out whatever they hold: pictures, sounds, signatures.
fn not_read(part: &MessagePart<'_>) -> Option<LeftOut> {
    let (kind, subtype) = media(part);
    match kind.as_str() {
        "image" | "audio" | "video" => Some(LeftOut::Pictures),
        "application"
            if matches!(subtype.as_str(), "pkcs7-signature" | "x-pkcs7-signature" | "pgp-signature") =>
        {
            Some(LeftOut::AttachedData)
        }
        _ => None,
    }
}

/// The kinds that a declared type or an extension stands for, where it stands for one.
fn kinds(what: &str) -> Option<&'static [Format]> {
    Some(match what {
        "pdf" => &[Format::Pdf],
        "msword" | "doc" => &[Format::Doc, Format::Rtf],
        "vnd.openxmlformats-officedocument.wordprocessingml.document" | "docx" => &[Format::Docx],
        "vnd.openxmlformats-officedocument.spreadsheetml.sheet" | "xlsx" => &[Format::Xlsx],
        "vnd.openxmlformats-officedocument.presentationml.presentation" | "pptx" => &[Format::Pptx],
        "vnd.oasis.opendocument.text" | "odt" => &[Format::Odt],
        "rtf" => &[Format::Rtf, Format::Text],
        "html" | "htm" => &[Format::Html, Format::Text],
        "plain" | "txt" => &[Format::Text, Format::Html, Format::Rtf],
        _ => return None,
    })
}

/// Refuses an attachment that is not what its type or its name says.
fn check_declared(part: &MessagePart<'_>, format: Format) -> Result<(), Reason> {
    let (_, subtype) = media(part);
    let name = part.attachment_name().unwrap_or_default().to_ascii_lowercase();
    let extension = name.rsplit_once('.').map(|(_, extension)| extension).unwrap_or_default();
    let lies = |what: &str| kinds(what).is_some_and(|kinds| !kinds.contains(&format));
    match lies(&subtype) || lies(extension) {
        true => Err("an attachment is not of the type it says; such mail is not read".into()),
        false => Ok(()),
    }
}

fn extension(format: Format) -> &'static str {
    match format {
        Format::Docx => "docx",
        Format::Xlsx => "xlsx",
        Format::Pptx => "pptx",
        Format::Odt => "odt",
        Format::Html => "html",
        Format::Rtf => "rtf",
        Format::Pdf => "pdf",
        _ => "txt",
    }
}

#[cfg(test)]
#[path = "mail_tests.rs"]
mod tests;
