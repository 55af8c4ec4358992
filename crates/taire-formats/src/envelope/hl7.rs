//! HL7 v2 messages: fields of known segments and the text of observations as one text, written back with their own
//! separators and escapes. Segments that are not known, Z-segments among them, are left out and counted; systems and
//! facilities that sent the message, assigning authorities, rooms and beds are emptied.

use std::collections::BTreeMap;

use encoding_rs::WINDOWS_1252;
use taire_text::{Label, Sex};

use crate::Reason;
use crate::decode::decode;
use crate::office::Back;
use crate::{Encoding, LeftOut, OutSpan};

use super::cda_rules::{is_public_root, is_social_security, is_title};
use super::form::{AddressPart, Form, Line, Who, contact_kind, language};
use super::hl7_rules::{Field, field, observed};
use super::hl7_text::{Marks, escape, unescape};
use super::sheet::{Sheet, SlotId};
use super::values::{Stamp, day_of, is_code, write_date};
use super::{Enveloped, Way, inside};

/// One value between two separators.
#[derive(Debug)]
enum Cell {
    /// As it was, if no word in it identifies somebody.
    Kept(String),
    Slot {
        slot: SlotId,
        raw: String,
        /// Its escapes are all known, so it may stay when nothing in it changed.
        exact: bool,
    },
    Day(SlotId),
    Inside(SlotId, Box<Back>),
    Fixed(&'static str),
    Empty,
}

/// Repetitions, components, subcomponents.
type Repetitions = Vec<Vec<Vec<Cell>>>;

#[derive(Debug)]
struct Segment {
    name: String,
    fields: Vec<Repetitions>,
}

/// The way back into a message.
#[derive(Debug)]
pub(crate) struct Hl7 {
    sheet: Sheet,
    marks: Marks,
    segments: Vec<Segment>,
    /// What ends a segment.
    end: &'static str,
    framed: bool,
    encoding: Encoding,
}

const MOST_SEGMENTS: usize = 100_000;

/// Declared as UTF-8, with text in it that is and bytes that are not: no reading is right for both.
fn is_mixed(bytes: &[u8]) -> bool {
    let header = bytes.split(|b| matches!(b, b'\r' | b'\n')).next().unwrap_or_default();
    memchr::memmem::find(header, b"UTF-8").is_some()
        && std::str::from_utf8(bytes).is_err()
        && bytes.utf8_chunks().any(|chunk| !chunk.valid().is_ascii())
}

pub(crate) fn open(bytes: &[u8]) -> Result<Enveloped, Reason> {
    let decoded = decode(bytes).map_err(str::to_owned)?;
    if !matches!(decoded.encoding, Encoding::Utf8 | Encoding::Windows1252) || is_mixed(bytes) {
        return Err("its encoding is neither UTF-8 nor Latin-1; convert it".into());
    }
    let text = decoded.text.trim_start_matches('\u{feff}');
    let framed = text.starts_with('\u{b}');
    let text = text.trim_matches(|c: char| matches!(c, '\u{b}' | '\u{1c}' | '\r' | '\n' | ' '));
    let end = if text.contains("\r\n") {
        "\r\n"
    } else if text.contains('\r') {
        "\r"
    } else {
        "\n"
    };
    let lines: Vec<&str> = text.split(['\r', '\n']).filter(|l| !l.trim().is_empty()).collect();
    if lines.len() > MOST_SEGMENTS {
        return Err(format!("it has over {MOST_SEGMENTS} segments; such a message is not read").into());
    }
    let header = lines.first().copied().unwrap_or_default();
    let marks = Marks::read(header).ok_or("its first segment does not declare its separators")?;
    let split = |line: &str| -> Vec<String> { line.split(marks.field).map(str::to_owned).collect() };
    // The separator is itself the first field of MSH.
    let head_fields = split(header);
    let at = |n: usize| head_fields.get(n - 1).map(String::as_str).unwrap_or_default();
    let spoken = language(at(19)).or_else(|| match at(17) {
        "FRA" | "FR" => language("fr"),
        "ESP" | "ES" => language("es"),
        _ => None,
    });
    let mut reader = Reader {
        form: Form::new(spoken),
        marks,
        who: Who::Nobody,
        type_of: String::new(),
        seen: BTreeMap::new(),
    };
    let mut segments = Vec::with_capacity(lines.len());
    let mut patients = 0;
    for (i, line) in lines.iter().enumerate() {
        let mut parts = split(line);
        let name = parts.remove(0);
        if name == "MSH" && i > 0 {
            return Err("it holds several messages; split it into its messages".into());
        }
        patients += usize::from(name == "PID");
        if patients > 1 {
            return Err("it holds several patients; split it by patient".into());
        }
        if name.len() != 3 || !name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit()) {
            return Err(
                format!("segment {} has no name; a line end inside a field must be escaped", i + 1).into()
            );
        }
        if name == "MSH" {
            parts.insert(0, String::new());
        }
        if field(&name, 1).is_none() {
            reader.form.leave(LeftOut::UnknownFields);
            continue;
        }
        segments.push(reader.segment(name, &parts)?);
    }
    let mut form = reader.form;
    form.end_line();
    let read = form.finish();
    let Form { sheet, left_out, .. } = form;
    let text = sheet.text().to_owned();
    let way = Way::Hl7(Hl7 { sheet, marks, segments, end, framed, encoding: decoded.encoding });
    Ok(Enveloped { text, left_out, read, way })
}

struct Reader {
    form: Form,
    marks: Marks,
    who: Who,
    /// The type of the observation whose fields are read.
    type_of: String,
    /// Texts of codes, read once.
    seen: BTreeMap<String, SlotId>,
}

impl Reader {
    fn segment(&mut self, name: String, fields: &[String]) -> Result<Segment, Reason> {
        self.who = match name.as_str() {
            "PID" => Who::Patient,
            "NK1" => self.form.relative(),
            _ => Who::Nobody,
        };
        if name == "PID" {
            match fields.get(7).map(String::as_str) {
                Some("F") => self.form.sex(Who::Patient, Sex::F),
                Some("M") => self.form.sex(Who::Patient, Sex::M),
                _ => {}
            }
        }
        self.type_of.clear();
        let mut out = Vec::with_capacity(fields.len());
        for (i, raw) in fields.iter().enumerate() {
            let number = i + 1;
            if name == "MSH" && number <= 2 {
                out.push(vec![vec![vec![Cell::Empty]]]);
                continue;
            }
            if name == "OBX" && number == 2 {
                self.type_of.clone_from(raw);
            }
            if raw.is_empty() {
                out.push(Vec::new());
                continue;
            }
            let kind = field(&name, number).unwrap_or(Field::Dropped);
            if kind == Field::Day && self.form.day.is_none()
                || matches!((name.as_str(), number), ("TXA", 4) | ("OBR", 7))
            {
                self.form.day = day_of(raw).or(self.form.day);
            }
            out.push(self.field(kind, raw)?);
        }
        Ok(Segment { name, fields: out })
    }

    fn field(&mut self, kind: Field, raw: &str) -> Result<Repetitions, Reason> {
        if kind == Field::Observed {
            if self.type_of == "ED" {
                return self.encapsulated(raw);
            }
            let kind =
                observed(&self.type_of).ok_or("it holds an observation of a type that is not treated")?;
            return self.field(kind, raw);
        }
        if raw == "\"\"" {
            return Ok(vec![vec![vec![Cell::Fixed("\"\"")]]]);
        }
        let mut out = Vec::new();
        for (i, repetition) in raw.split(self.marks.repetition).enumerate() {
            if kind == Field::Text && i > 0 {
                self.form.sheet.brk('\n');
            }
            let components: Vec<Vec<String>> = repetition
                .split(self.marks.component)
                .map(|c| c.split(self.marks.sub).map(str::to_owned).collect())
                .collect();
            out.push(self.repetition(kind, &components));
        }
        Ok(out)
    }

    fn repetition(&mut self, kind: Field, components: &[Vec<String>]) -> Vec<Vec<Cell>> {
        let first = |n: usize| {
            components.get(n - 1).and_then(|c| c.first()).map(String::as_str).unwrap_or_default().to_owned()
        };
        let who = match kind {
            Field::Professional => self.form.caregiver(),
            Field::RelativeName => self.form.relative(),
            Field::PatientNumber | Field::Birth | Field::PersonName if self.who == Who::Nobody => Who::Nobody,
            _ => self.who,
        };
        let (person, address) = match kind {
            Field::PersonName | Field::RelativeName | Field::Professional => (true, false),
            Field::Address => (false, true),
            _ => (false, false),
        };
        if person && components.iter().take(4).flatten().any(|c| !c.is_empty()) {
            self.form.line(Line::Person, who);
        }
        if address {
            self.form.line(Line::Address, who);
        }
        let number_label = match kind {
            Field::PatientNumber if is_national(components) => Label::SocialSecurity,
            Field::PatientNumber => Label::PatientId,
            Field::VisitNumber => Label::VisitId,
            Field::SocialSecurity => Label::SocialSecurity,
            Field::Professional => Label::ProfessionalLicence,
            _ => Label::OtherId,
        };
        let birth_name = matches!(first(7).as_str(), "M" | "B");
        let birth_address = matches!(first(7).as_str(), "BDL" | "N");
        let mut out = Vec::with_capacity(components.len());
        // The number of a professional comes last, on a line of its own.
        let mut late: Option<(usize, String)> = None;
        for (i, subs) in components.iter().enumerate() {
            let number = i + 1;
            let cells: Vec<Cell> = subs
                .iter()
                .enumerate()
                .map(|(sub, raw)| {
                    if raw.is_empty() {
                        return Cell::Empty;
                    }
                    let shown = unescape(raw, self.marks);
                    let value = shown.text.as_str();
                    let slot = match (kind, number, sub) {
                        (Field::Dropped, _, _) => {
                            self.form.leave(LeftOut::UnknownFields);
                            return Cell::Empty;
                        }
                        (Field::Keep, _, _) => return self.code(raw, value),
                        (Field::Coded, 2 | 5 | 9, 0) => self.once(value),
                        (Field::Coded, _, _) => return self.code(raw, value),
                        (Field::Text, _, _) => {
                            if i + sub > 0 {
                                self.form.sheet.brk(' ');
                            } else if !self.form.sheet.at_line_start() {
                                self.form.sheet.brk('\n');
                            }
                            self.form.sheet.free(value)
                        }
                        (Field::Day, 1, 0) => return self.day(who, value, false),
                        (Field::Birth, 1, 0) => return self.day(who, value, true),
                        (Field::Professional, 1, 0) => {
                            late = Some((out.len(), raw.clone()));
                            return Cell::Empty;
                        }
                        (Field::PersonName | Field::RelativeName, 1, 0) | (Field::Professional, 2, 0) => {
                            self.form.family_name(who, value, birth_name)
                        }
                        (Field::PersonName | Field::RelativeName, 2 | 3, 0)
                        | (Field::Professional, 3 | 4, 0) => self.form.given_name(who, value),
                        (Field::PersonName | Field::RelativeName, 5, 0) | (Field::Professional, 6, 0)
                            if is_title(value) =>
                        {
                            return Cell::Kept(value.to_owned());
                        }
                        (Field::PersonName | Field::RelativeName, 7, 0)
                        | (Field::Professional, 8 | 10 | 13, 0) => {
                            return self.code(raw, value);
                        }
                        (Field::Address, 1 | 2, 0) => {
                            self.form.address(who, AddressPart::Street, value, birth_address)
                        }
                        (Field::Address, 3, 0) => {
                            self.form.address(who, AddressPart::City, value, birth_address)
                        }
                        (Field::Address, 4, 0) => {
                            self.form.address(who, AddressPart::Region, value, birth_address)
                        }
                        (Field::Address, 5, 0) => {
                            self.form.address(who, AddressPart::PostalCode, value, birth_address)
                        }
                        (Field::Address, 6, 0) if value.len() <= 3 => return self.code(raw, value),
                        (Field::Address, 6, 0) => {
                            self.form.address(who, AddressPart::Country, value, birth_address)
                        }
                        (Field::Address, 7, 0) | (Field::Phone, 2 | 3, 0) => return self.code(raw, value),
                        (Field::Phone, 1 | 4 | 7 | 12, 0) => {
                            self.form.contact(who, value, contact_kind(value).1)
                        }
                        (Field::Institution, 1, 0) => self.form.institution(value),
                        (Field::Location, 1, 0) => self.once(value),
                        (
                            Field::PatientNumber | Field::VisitNumber | Field::SocialSecurity | Field::Number,
                            1,
                            0,
                        ) => self.form.number(who, &first(5), value, number_label),
                        (Field::PatientNumber, 4, _) if is_authority(subs) => return self.code(raw, value),
                        (Field::PatientNumber | Field::VisitNumber, 5, 0) => return self.code(raw, value),
                        (Field::BirthPlace, 1, 0) => {
                            self.form.line(Line::Place, who);
                            self.form.address(who, AddressPart::City, value, true)
                        }
                        _ => return Cell::Empty,
                    };
                    Cell::Slot { slot, raw: raw.clone(), exact: shown.exact }
                })
                .collect();
            out.push(cells);
        }
        if let Some((component, raw)) = late {
            let shown = unescape(&raw, self.marks);
            let slot = self.form.number(who, "", &shown.text, number_label);
            if let Some(cell) = out.get_mut(component).and_then(|c| c.first_mut()) {
                *cell = Cell::Slot { slot, raw, exact: shown.exact };
            }
        }
        out
    }

    /// A code, or text where one should be.
    fn code(&mut self, raw: &str, value: &str) -> Cell {
        if is_code(value) && raw == value {
            return Cell::Kept(raw.to_owned());
        }
        Cell::Slot { slot: self.once(value), raw: raw.to_owned(), exact: raw == value }
    }

    fn once(&mut self, value: &str) -> SlotId {
        if let Some(slot) = self.seen.get(value) {
            return *slot;
        }
        let slot = self.form.text(value);
        self.seen.insert(value.to_owned(), slot);
        slot
    }

    fn day(&mut self, who: Who, value: &str, birth: bool) -> Cell {
        match self.form.day(who, value, birth) {
            Some(slot) => Cell::Day(slot),
            None => {
                self.form.leave(LeftOut::UnknownFields);
                Cell::Empty
            }
        }
    }

    /// A document inside: source, type, subtype, encoding, data.
    fn encapsulated(&mut self, raw: &str) -> Result<Repetitions, Reason> {
        let mut parts = raw.splitn(5, self.marks.component);
        let mut next = || parts.next().unwrap_or_default().to_owned();
        let (_, kind, subtype, encoding, data) = (next(), next(), next(), next(), next());
        let mut shown = |part: &str| if part.is_empty() { Cell::Empty } else { self.code(part, part) };
        let (mut kind, mut subtype) = (shown(&kind), shown(&subtype));
        let cell = match encoding.to_ascii_uppercase().as_str() {
            "BASE64" => {
                let data = data.replace(self.marks.component, "");
                let breaks = format!("{0}.br{0}", self.marks.escape);
                let carried = inside::open(&inside::from_base64(&data.replace(&breaks, ""))?)?;
                if carried.media == "text/plain" {
                    (kind, subtype) = (Cell::Fixed("TEXT"), Cell::Fixed("plain"));
                    self.form.leave(LeftOut::Layout);
                }
                let slot = self.form.inside(&carried.text, &carried.left_out, &carried.given);
                Cell::Inside(slot, Box::new(carried.back))
            }
            "A" | "" => {
                let read = unescape(&data, self.marks);
                let slot = self.form.inside(&read.text, &Default::default(), &[]);
                Cell::Slot { slot, raw: data, exact: false }
            }
            _ => return Err("it carries a document in an encoding that is not read".into()),
        };
        let encoding = match encoding.as_str() {
            "" => Cell::Empty,
            _ if matches!(cell, Cell::Inside(..)) => Cell::Fixed("Base64"),
            _ => Cell::Fixed("A"),
        };
        Ok(vec![vec![vec![Cell::Empty], vec![kind], vec![subtype], vec![encoding], vec![cell]]])
    }
}

fn is_national(components: &[Vec<String>]) -> bool {
    let authority = components.get(3).is_some_and(|subs| subs.iter().any(|s| is_social_security(s)));
    let kind = components.get(4).and_then(|c| c.first()).map(String::as_str);
    authority || matches!(kind, Some("INS" | "NIR" | "SS" | "NH"))
}

fn is_authority(subs: &[String]) -> bool {
    subs.iter().any(|s| is_public_root(s))
}

impl Hl7 {
    pub(crate) fn weight(&self) -> usize {
        2 * self.sheet.text().len()
    }

    pub(crate) fn write(&self, text: &str, spans: &[OutSpan]) -> Result<Vec<u8>, &'static str> {
        let filled = self.sheet.fill(text, spans)?;
        let cell = |cell: &Cell| -> Result<String, &'static str> {
            Ok(match cell {
                Cell::Empty => String::new(),
                Cell::Fixed(text) => (*text).to_owned(),
                Cell::Kept(raw) if filled.gives_away(raw) => String::new(),
                Cell::Kept(raw) => raw.clone(),
                Cell::Slot { slot, raw, exact } => {
                    let value = filled.value(*slot);
                    if value.changed || !exact { escape(&value.text, self.marks) } else { raw.clone() }
                }
                Cell::Day(slot) => write_date(&filled.value(*slot).text, Stamp::Digits).unwrap_or_default(),
                Cell::Inside(slot, back) => {
                    let value = filled.value(*slot);
                    inside::close(back, &value.text, &value.spans)?
                }
            })
        };
        let mut out = String::new();
        for segment in &self.segments {
            out.push_str(&segment.name);
            for (i, repetitions) in segment.fields.iter().enumerate() {
                if segment.name == "MSH" && i == 0 {
                    continue;
                }
                out.push(self.marks.field);
                if segment.name == "MSH" && i == 1 {
                    out.extend(self.marks.declared());
                    continue;
                }
                for (r, components) in repetitions.iter().enumerate() {
                    if r > 0 {
                        out.push(self.marks.repetition);
                    }
                    let mut parts = Vec::with_capacity(components.len());
                    for subs in components {
                        let subs: Vec<String> = subs.iter().map(cell).collect::<Result<_, _>>()?;
                        let joined = subs.join(&self.marks.sub.to_string());
                        parts.push(joined.trim_end_matches(self.marks.sub).to_owned());
                    }
                    let joined = parts.join(&self.marks.component.to_string());
                    out.push_str(joined.trim_end_matches(self.marks.component));
                }
            }
            out.push_str(self.end);
        }
        if self.framed {
            out.insert(0, '\u{b}');
            out.push_str("\u{1c}\r");
        }
        Ok(match self.encoding {
            Encoding::Windows1252 => WINDOWS_1252.encode(&out.replace(not_latin, "?")).0.into_owned(),
            _ => out.into_bytes(),
        })
    }
}

fn not_latin(c: char) -> bool {
    let mut bytes = [0; 4];
    WINDOWS_1252.encode(c.encode_utf8(&mut bytes)).2
}

#[cfg(test)]
#[path = "hl7_tests.rs"]
mod tests;
