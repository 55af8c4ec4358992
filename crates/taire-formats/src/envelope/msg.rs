//! Messages of Outlook (`.msg`), made into mail and read as such: what is written is an `.eml`.
//!
//! Of the hundreds of properties of a message those are taken that mail has too: sender, recipients, subject, date, bodies,
//! attachments. The rest is left out. Formats: [MS-OXMSG], [MS-OXCMSG], [MS-OXRTFCP].

use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use encoding_rs::Encoding;
use jiff::civil::Date;

use super::mail_write::{encoded, person, written_day};
use super::{Enveloped, mail};
use crate::office::count;
use crate::{LIMIT, LeftOut, Reason};

type File<'b> = cfb::CompoundFile<Cursor<&'b [u8]>>;

const DAMAGED: &str = "it is an Outlook message that is damaged or cut short";
const PROPERTIES: &str = "__properties_version1.0";
const DEEPEST: usize = 8;
const MOST_ENTRIES: usize = 4096;

/// Whether a compound file is a message.
pub(crate) fn is_message(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")
        && cfb::CompoundFile::open(Cursor::new(bytes))
            .is_ok_and(|file| file.exists(Path::new("/").join(PROPERTIES)))
}

pub(crate) fn open(bytes: &[u8]) -> Result<Enveloped, Reason> {
    let mut opened = mail::open(&to_mail(bytes)?)?;
    count(&mut opened.left_out, LeftOut::Properties);
    Ok(opened)
}

/// The message as mail.
pub(crate) fn to_mail(bytes: &[u8]) -> Result<Vec<u8>, Reason> {
    let mut file = cfb::CompoundFile::open(Cursor::new(bytes)).map_err(|_| DAMAGED)?;
    if !file.exists(Path::new("/").join(PROPERTIES)) {
        return Err("it is an Office 97-2003 file and no Outlook message".into());
    }
    let mut maker = Maker { file: &mut file, boundaries: 0, bytes: 0 };
    maker.message(Path::new("/"), 32, 0)
}

/// The properties of a message, a recipient or an attachment that are numbers.
struct Numbers(Vec<(u16, u64)>);

impl Numbers {
    fn get(&self, tag: u16) -> Option<u64> {
        self.0.iter().find(|(t, _)| *t == tag).map(|(_, value)| *value)
    }
}

struct Maker<'f, 'b> {
    file: &'f mut File<'b>,
    boundaries: usize,
    bytes: usize,
}

mod tag {
    pub(super) const CLASS: u16 = 0x001A;
    pub(super) const SUBJECT: u16 = 0x0037;
    pub(super) const SUBMITTED: u16 = 0x0039;
    pub(super) const ON_BEHALF_NAME: u16 = 0x0042;
    pub(super) const ON_BEHALF_ADDRESS: u16 = 0x0065;
    pub(super) const RECIPIENT_KIND: u16 = 0x0C15;
    pub(super) const SENDER_NAME: u16 = 0x0C1A;
    pub(super) const SENDER_ADDRESS: u16 = 0x0C1F;
    pub(super) const DELIVERED: u16 = 0x0E06;
    pub(super) const BODY: u16 = 0x1000;
    pub(super) const RTF: u16 = 0x1009;
    pub(super) const HTML: u16 = 0x1013;
    pub(super) const DISPLAY_NAME: u16 = 0x3001;
    pub(super) const ADDRESS: u16 = 0x3003;
    pub(super) const DATA: u16 = 0x3701;
    pub(super) const SHORT_NAME: u16 = 0x3704;
    pub(super) const METHOD: u16 = 0x3705;
    pub(super) const LONG_NAME: u16 = 0x3707;
    pub(super) const MEDIA: u16 = 0x370E;
    pub(super) const SMTP: u16 = 0x39FE;
    pub(super) const INTERNET_CODE_PAGE: u16 = 0x3FDE;
    pub(super) const CODE_PAGE: u16 = 0x3FFD;
    pub(super) const SENDER_SMTP: u16 = 0x5D01;
    pub(super) const ON_BEHALF_SMTP: u16 = 0x5D02;
}

impl Maker<'_, '_> {
    fn message(&mut self, at: &Path, header: usize, depth: usize) -> Result<Vec<u8>, Reason> {
        if depth > DEEPEST {
            return Err(
                format!("its messages are nested more than {DEEPEST} deep; such mail is not read").into()
            );
        }
        let numbers = self.numbers(at, header)?;
        let code_page = code_page(&numbers);
        let class =
            self.string(at, tag::CLASS, code_page)?.unwrap_or_else(|| "IPM.Note".into()).to_ascii_lowercase();
        match class.as_str() {
            "ipm.note" | "ipm.note.smime.multipartsigned" => {}
            smime if smime.starts_with("ipm.note.smime") => {
                return Err("it is encrypted; decrypt it first".into());
            }
            note if note.starts_with("ipm.note.") || note.starts_with("report.ipm.note") => {}
            _ => return Err("it is an appointment, a contact or a task of Outlook, which is not read".into()),
        }
        let mut out = Vec::new();
        let from = (
            self.first(at, &[tag::SENDER_NAME, tag::ON_BEHALF_NAME], code_page)?,
            self.first(
                at,
                &[tag::SENDER_SMTP, tag::ON_BEHALF_SMTP, tag::SENDER_ADDRESS, tag::ON_BEHALF_ADDRESS],
                code_page,
            )?,
        );
        push_people(&mut out, "From", &[from]);
        let recipients = self.recipients(at, code_page)?;
        for (kind, name) in [(1, "To"), (2, "Cc"), (3, "Bcc")] {
            let people: Vec<_> =
                recipients.iter().filter(|(k, _)| *k == kind).map(|(_, person)| person.clone()).collect();
            push_people(&mut out, name, &people);
        }
        if let Some(subject) = self.string(at, tag::SUBJECT, code_page)? {
            // A mark before it says how long "RE: " is.
            let subject = one_line(subject.trim_start_matches('\u{1}'));
            out.extend_from_slice(format!("Subject: {}\r\n", encoded(&subject)).as_bytes());
        }
        if let Some(day) = numbers.get(tag::SUBMITTED).or_else(|| numbers.get(tag::DELIVERED)).and_then(day) {
            out.extend_from_slice(format!("Date: {} 00:00:00 +0000\r\n", written_day(day)).as_bytes());
        }
        out.extend_from_slice(b"MIME-Version: 1.0\r\n");
        let mut parts = vec![self.body(at, code_page)?];
        for folder in self.folders(at, "__attach_version1.0_")? {
            parts.push(self.attachment(&folder, code_page, depth)?);
        }
        match <[Vec<u8>; 1]>::try_from(parts) {
            Ok([body]) => out.extend(body),
            Err(parts) => out.extend(self.many("mixed", parts)),
        }
        Ok(out)
    }

    fn many(&mut self, kind: &str, parts: Vec<Vec<u8>>) -> Vec<u8> {
        self.boundaries += 1;
        let mark = format!("taire-msg-{}", self.boundaries);
        let mut out = format!("Content-Type: multipart/{kind}; boundary=\"{mark}\"\r\n\r\n").into_bytes();
        for part in parts {
            out.extend_from_slice(format!("--{mark}\r\n").as_bytes());
            out.extend(part);
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(format!("--{mark}--\r\n").as_bytes());
        out
    }

    fn recipients(&mut self, at: &Path, code_page: &'static Encoding) -> Result<Vec<(u64, Person)>, Reason> {
        let mut out = Vec::new();
        for folder in self.folders(at, "__recip_version1.0_")? {
            let kind = self.numbers(&folder, 8)?.get(tag::RECIPIENT_KIND).unwrap_or(1) & 0xF;
            let name = self.string(&folder, tag::DISPLAY_NAME, code_page)?;
            let address = self.first(&folder, &[tag::SMTP, tag::ADDRESS], code_page)?;
            // Who is none of the three kinds is no less a person.
            out.push((if (1..=3).contains(&kind) { kind } else { 1 }, (name, address)));
        }
        Ok(out)
    }

    /// The text, with the page or the RTF that shows it.
    fn body(&mut self, at: &Path, code_page: &'static Encoding) -> Result<Vec<u8>, Reason> {
        let mut parts = Vec::new();
        if let Some(text) = self.string(at, tag::BODY, code_page)?.filter(|text| !text.trim().is_empty()) {
            parts.push(leaf("text/plain; charset=utf-8", text.as_bytes(), None));
        }
        let html = match self.binary(at, tag::HTML)? {
            Some(html) => Some(html),
            None => self.string(at, tag::HTML, code_page)?.map(String::into_bytes),
        };
        if let Some(html) = html.filter(|html| !html.trim_ascii().is_empty()) {
            let html = match std::str::from_utf8(&html) {
                Ok(_) => html,
                Err(_) => code_page.decode(&html).0.into_owned().into_bytes(),
            };
            parts.push(leaf("text/html; charset=utf-8", &html, None));
        } else if let Some(packed) = self.binary(at, tag::RTF)?.filter(|packed| !packed.is_empty()) {
            parts.push(leaf("application/rtf", &unpack_rtf(&packed)?, Some("body.rtf")));
        }
        Ok(match parts.len() {
            0 => leaf("text/plain; charset=utf-8", b"", None),
            1 => parts.remove(0),
            _ => self.many("alternative", parts),
        })
    }

    fn attachment(
        &mut self,
        at: &Path,
        code_page: &'static Encoding,
        depth: usize,
    ) -> Result<Vec<u8>, Reason> {
        const BY_VALUE: u64 = 1;
        const MESSAGE: u64 = 5;
        let numbers = self.numbers(at, 8)?;
        let inner = at.join(stream_name(tag::DATA, 0x000D));
        let method = numbers.get(tag::METHOD).map(|method| method & 0xFF);
        if method == Some(MESSAGE) || (method.is_none() && self.file.exists(inner.join(PROPERTIES))) {
            if !self.file.exists(inner.join(PROPERTIES)) {
                return Err(DAMAGED.into());
            }
            return Ok(carried(self.message(&inner, 24, depth + 1)?));
        }
        if self.file.is_storage(&inner) || method.is_some_and(|method| method != BY_VALUE) {
            return Err(
                "it holds an embedded object or a link to a file, which is not treated; remove it".into()
            );
        }
        let Some(data) = self.binary(at, tag::DATA)? else {
            return Err("an attachment of it holds nothing; remove it".into());
        };
        let name = self.first(at, &[tag::LONG_NAME, tag::SHORT_NAME], code_page)?.unwrap_or_default();
        let extension = name.rsplit_once('.').map(|(_, e)| e.to_ascii_lowercase()).unwrap_or_default();
        let declared = self.string(at, tag::MEDIA, code_page)?.filter(|media| is_media(media));
        if is_message(&data) {
            let mut file = cfb::CompoundFile::open(Cursor::new(data.as_slice())).map_err(|_| DAMAGED)?;
            let mut maker = Maker { file: &mut file, boundaries: self.boundaries, bytes: self.bytes };
            let message = maker.message(Path::new("/"), 32, depth + 1)?;
            (self.boundaries, self.bytes) = (maker.boundaries, maker.bytes);
            return Ok(carried(message));
        }
        if extension == "eml" || declared.as_deref().is_some_and(|m| m.eq_ignore_ascii_case("message/rfc822"))
        {
            return Ok(carried(data));
        }
        let media = declared.unwrap_or_else(|| match extension.as_str() {
            "png" | "gif" | "bmp" | "tif" | "tiff" | "emf" | "wmf" => format!("image/{extension}"),
            "jpg" | "jpeg" => "image/jpeg".into(),
            _ => "application/octet-stream".into(),
        });
        // Only the ending of the name tells something that may be said.
        let named =
            extension.bytes().all(|b| b.is_ascii_alphanumeric()) && (1..=8).contains(&extension.len());
        let name = if named { format!("attachment.{extension}") } else { "attachment".into() };
        Ok(leaf(&media, &data, Some(&name)))
    }

    /// Storages below another whose names begin so, in order.
    fn folders(&mut self, at: &Path, prefix: &str) -> Result<Vec<PathBuf>, Reason> {
        let entries = self.file.read_storage(at).map_err(|_| DAMAGED)?;
        let named = entries.filter(|entry| entry.is_storage() && entry.name().starts_with(prefix));
        let mut folders: Vec<PathBuf> = named.map(|entry| at.join(entry.name())).collect();
        folders.sort();
        match folders.len() > MOST_ENTRIES {
            true => Err(format!("it has over {MOST_ENTRIES} recipients or attachments").into()),
            false => Ok(folders),
        }
    }

    fn stream(&mut self, at: &Path) -> Result<Option<Vec<u8>>, Reason> {
        if !self.file.is_stream(at) {
            return Ok(None);
        }
        let stream = self.file.open_stream(at).map_err(|_| DAMAGED)?;
        let mut bytes = Vec::new();
        stream.take(LIMIT as u64 + 1).read_to_end(&mut bytes).map_err(|_| DAMAGED)?;
        self.bytes += bytes.len();
        match self.bytes > LIMIT {
            true => Err(format!("its parts hold over {} MB; split it", LIMIT >> 20).into()),
            false => Ok(Some(bytes)),
        }
    }

    /// The list of properties, behind a header.
    fn numbers(&mut self, at: &Path, header: usize) -> Result<Numbers, Reason> {
        let list = self.stream(&at.join(PROPERTIES))?.ok_or(DAMAGED)?;
        let entry = |entry: &[u8]| {
            let tag = u16::from_le_bytes([entry[2], entry[3]]);
            let value = entry[8..16].try_into().map(u64::from_le_bytes).unwrap_or_default();
            (tag, value)
        };
        Ok(Numbers(list.get(header..).unwrap_or_default().chunks_exact(16).map(entry).collect()))
    }

    fn binary(&mut self, at: &Path, tag: u16) -> Result<Option<Vec<u8>>, Reason> {
        self.stream(&at.join(stream_name(tag, 0x0102)))
    }

    fn string(
        &mut self,
        at: &Path,
        tag: u16,
        code_page: &'static Encoding,
    ) -> Result<Option<String>, Reason> {
        if let Some(bytes) = self.stream(&at.join(stream_name(tag, 0x001F)))? {
            let (text, bad) = encoding_rs::UTF_16LE.decode_without_bom_handling(&bytes);
            return match bad {
                true => Err(DAMAGED.into()),
                false => Ok(Some(text.trim_end_matches('\0').to_owned())),
            };
        }
        let bytes = self.stream(&at.join(stream_name(tag, 0x001E)))?;
        Ok(bytes.map(|bytes| {
            let text = match std::str::from_utf8(&bytes) {
                Ok(text) => text.to_owned(),
                Err(_) => code_page.decode_without_bom_handling(&bytes).0.into_owned(),
            };
            text.trim_end_matches('\0').to_owned()
        }))
    }

    fn first(
        &mut self,
        at: &Path,
        tags: &[u16],
        code_page: &'static Encoding,
    ) -> Result<Option<String>, Reason> {
        for tag in tags {
            if let Some(text) = self.string(at, *tag, code_page)?.filter(|text| !text.trim().is_empty()) {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }
}

type Person = (Option<String>, Option<String>);

fn push_people(out: &mut Vec<u8>, header: &str, people: &[Person]) {
    let written = people.iter().map(|(name, address)| {
        let line = |text: &Option<String>| text.as_deref().map(one_line);
        let (name, address) = (line(name), line(address));
        // What is no address may still be a name: nothing is lost here, it is all treated later.
        match address.as_deref().filter(|a| a.contains('@')) {
            Some(address) => person(name.as_deref(), Some(address)),
            None => person(name.as_deref().or(address.as_deref()), None),
        }
    });
    let people: Vec<String> = written.filter(|p| !p.is_empty()).collect();
    if !people.is_empty() {
        out.extend_from_slice(format!("{header}: {}\r\n", people.join(",\r\n ")).as_bytes());
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn stream_name(tag: u16, kind: u16) -> String {
    format!("__substg1.0_{tag:04X}{kind:04X}")
}

/// Text that is not Unicode is in this code page.
fn code_page(numbers: &Numbers) -> &'static Encoding {
    let page = numbers
        .get(tag::CODE_PAGE)
        .or_else(|| numbers.get(tag::INTERNET_CODE_PAGE))
        .map(|page| page & 0xFFFF);
    let label = match page {
        Some(65001) => "utf-8".to_owned(),
        Some(28605) => "iso-8859-15".to_owned(),
        Some(page @ 1250..=1258) => format!("windows-{page}"),
        _ => "windows-1252".to_owned(),
    };
    Encoding::for_label(label.as_bytes()).unwrap_or(encoding_rs::WINDOWS_1252)
}

/// The day of a time counted in tenths of a microsecond since 1601.
fn day(time: u64) -> Option<Date> {
    const A_DAY: u64 = 86_400 * 10_000_000;
    let days = i64::try_from(time / A_DAY).ok().filter(|days| *days > 0)?;
    Date::new(1601, 1, 1).ok()?.checked_add(jiff::Span::new().try_days(days).ok()?).ok()
}

fn is_media(media: &str) -> bool {
    let plain = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"-+.".contains(&b))
    };
    media.len() <= 100 && media.split_once('/').is_some_and(|(kind, sub)| plain(kind) && plain(sub))
}

fn leaf(media: &str, content: &[u8], name: Option<&str>) -> Vec<u8> {
    let mut out = format!("Content-Type: {media}\r\nContent-Transfer-Encoding: base64\r\n").into_bytes();
    if let Some(name) = name {
        out.extend_from_slice(format!("Content-Disposition: attachment; filename=\"{name}\"\r\n").as_bytes());
    }
    out.extend_from_slice(b"\r\n");
    for line in STANDARD.encode(content).as_bytes().chunks(76) {
        out.extend_from_slice(line);
        out.extend_from_slice(b"\r\n");
    }
    out
}

fn carried(message: Vec<u8>) -> Vec<u8> {
    let mut out = b"Content-Type: message/rfc822\r\nContent-Disposition: attachment\r\n\r\n".to_vec();
    out.extend(message);
    out
}

/// Unpacks RTF as Outlook packs it: references into the last 4096 bytes, which begin with common words of RTF.
fn unpack_rtf(packed: &[u8]) -> Result<Vec<u8>, Reason> {
    const BROKEN: &str = "the RTF of its body is damaged";
    const WINDOW: usize = 4096;
    const COMMON: &[u8] = b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS \
        Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";
    let number = |at: usize| packed.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    let (Some(size), Some(kind)) = (number(4), number(8)) else { return Err(BROKEN.into()) };
    let size = size as usize;
    let rest = packed.get(16..).ok_or(BROKEN)?;
    if size > LIMIT {
        return Err(format!("its body unpacks to more than {} MB", LIMIT >> 20).into());
    }
    if kind == u32::from_le_bytes(*b"MELA") {
        return rest.get(..size).map(<[u8]>::to_vec).ok_or_else(|| BROKEN.into());
    }
    if kind != u32::from_le_bytes(*b"LZFu") {
        return Err(BROKEN.into());
    }
    let mut window = [b' '; WINDOW];
    window[..COMMON.len()].copy_from_slice(COMMON);
    let mut at = COMMON.len();
    let mut out = Vec::with_capacity(size.min(1 << 20));
    let mut bytes = rest.iter().copied();
    'all: while let Some(control) = bytes.next() {
        for bit in 0..8 {
            if control >> bit & 1 == 0 {
                let Some(byte) = bytes.next() else { break 'all };
                out.push(byte);
                window[at] = byte;
                at = (at + 1) % WINDOW;
                continue;
            }
            let (Some(high), Some(low)) = (bytes.next(), bytes.next()) else { return Err(BROKEN.into()) };
            let reference = usize::from(high) << 8 | usize::from(low);
            let (from, length) = (reference >> 4, (reference & 0xF) + 2);
            if from == at {
                break 'all;
            }
            for i in 0..length {
                let byte = window[(from + i) % WINDOW];
                out.push(byte);
                window[at] = byte;
                at = (at + 1) % WINDOW;
            }
            if out.len() > LIMIT {
                return Err(BROKEN.into());
            }
        }
    }
    // What is shorter than it says was cut.
    if out.len() < size { Err(BROKEN.into()) } else { Ok(out) }
}

#[cfg(test)]
#[path = "msg_tests.rs"]
mod tests;
