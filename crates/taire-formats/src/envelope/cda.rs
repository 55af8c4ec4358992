//! CDA-R2: header fields and narrative as one text, the body's document opened, all of it written back in place.
//!
//! The order of elements, their namespaces and prefixes stay; values change. Elements of other namespaces or unknown
//! ones are left out, and so are comments, signatures and times of day. A date or an identifier that gets no
//! surrogate of its kind is masked (`nullFlavor="MSK"`). Codes stay unless they hold an identifying word.

use std::ops::Range;

use taire_text::{Label, Sex};

use crate::LeftOut;
use crate::Reason;
use crate::markup::{Flow, Name, Tag, Walk, decode, scan};
use crate::splice::Gatherer;

use super::cda_rules::{
    Attr, Element, attribute, element, is_public_root, is_social_security, is_title, namespace,
};
use super::cda_write::{Cda, Put};
use super::form::{AddressPart, Form, Line, Who, contact_kind, language};
use super::inside;
use super::values::{is_code, show_object};
use super::{Enveloped, Way};

pub(crate) fn open(bytes: &[u8]) -> Result<Enveloped, Reason> {
    let xml = decode(bytes)?;
    let mut out = Gatherer::new();
    out.source(xml.clone().into_bytes());
    let spoken = xml.find("<languageCode").or_else(|| xml.find(":languageCode")).and_then(|at| {
        let tag = xml[at..].split('>').next()?;
        let code = tag.split("code=").nth(1)?;
        language(code.get(1..)?)
    });
    let mut walker = Walker {
        form: Form::new(spoken),
        puts: Vec::new(),
        codes: Vec::new(),
        strangers: Vec::new(),
        stack: Vec::new(),
    };
    scan(&xml, &mut walker, &mut out)?;
    let Walker { mut form, puts, mut codes, mut strangers, .. } = walker;
    codes.append(&mut strangers);
    form.end_line();
    let read = form.finish();
    let (_, places) = out.finish();
    let Form { sheet, left_out, .. } = form;
    let text = sheet.text().to_owned();
    Ok(Enveloped { text, left_out, read, way: Way::Cda(Cda { sheet, places, puts, codes }) })
}

/// What the text directly inside an element is.
#[derive(Clone, Debug)]
enum Inside {
    Nothing,
    Emptied,
    Prefix,
    Given,
    Family { birth: bool },
    WholeName,
    Institution,
    PlaceName,
    Part(AddressPart),
    HouseNumber,
    StreetName,
    Text,
    Narrative,
    Carried { media: Option<(Range<usize>, String)> },
}

struct Open {
    local: String,
    inside: Inside,
    who: Who,
    institution: bool,
    birth_place: bool,
    encounter: bool,
    narrative: bool,
    /// A house number that waits for its street.
    number: Option<(Range<usize>, String)>,
}

struct Walker {
    form: Form,
    puts: Vec<Put>,
    codes: Vec<(Range<usize>, String)>,
    /// Addresses of namespaces, of which a document has few.
    strangers: Vec<(Range<usize>, String)>,
    stack: Vec<Open>,
}

impl Walker {
    fn parent(&self) -> &str {
        self.stack.last().map_or("", |open| open.local.as_str())
    }

    /// Whose fields follow in an element.
    fn enter(&mut self, tag: &Tag<'_>) -> (Who, bool) {
        let (who, institution) = self.stack.last().map_or((Who::Nobody, false), |o| (o.who, o.institution));
        match tag.name.local {
            "recordTarget" => (Who::Patient, false),
            "guardian" => (self.form.relative(), false),
            "relatedSubject" => (self.form.relative(), false),
            "relatedEntity" | "associatedEntity" | "participantRole"
                if matches!(
                    tag.get("", "classCode"),
                    Some("NOK" | "PRS" | "ECON" | "GUARD" | "AGNT" | "CAREGIVER")
                ) =>
            {
                (self.form.relative(), false)
            }
            "author"
            | "dataEnterer"
            | "legalAuthenticator"
            | "authenticator"
            | "informationRecipient"
            | "performer"
            | "encounterParticipant"
            | "responsibleParty"
            | "participant"
            | "informant" => (self.form.caregiver(), false),
            "representedCustodianOrganization"
            | "representedOrganization"
            | "providerOrganization"
            | "serviceProviderOrganization"
            | "scopingOrganization"
            | "manufacturerOrganization"
            | "receivedOrganization"
            | "wholeOrganization"
            | "guardianOrganization"
            | "location"
            | "scopingEntity" => (self.form.caregiver(), true),
            "playingEntity"
            | "playingDevice"
            | "manufacturedMaterial"
            | "manufacturedLabeledDrug"
            | "specimenPlayingEntity"
                if tag.get("", "classCode") != Some("PSN") =>
            {
                (Who::Nobody, false)
            }
            "birthplace" => (who, false),
            "entry" => (Who::Nobody, false),
            "assignedPerson" | "assignedAuthor" | "relatedPerson" | "associatedPerson" | "guardianPerson" => {
                (who, false)
            }
            _ => (who, institution),
        }
    }

    fn number_label(&self, who: Who, root: &str) -> Label {
        if is_social_security(root) {
            return Label::SocialSecurity;
        }
        let encounter = self.stack.last().is_some_and(|o| o.encounter);
        match who {
            Who::Patient => Label::PatientId,
            _ if encounter && self.parent() == "encompassingEncounter" => Label::VisitId,
            Who::Caregiver(_) if !self.stack.last().is_some_and(|o| o.institution) => {
                Label::ProfessionalLicence
            }
            _ => Label::OtherId,
        }
    }

    /// `root` and `extension` of an identifier.
    fn id(&mut self, tag: &Tag<'_>, who: Who, out: &mut Gatherer) {
        let masked = tag.get("", "nullFlavor").is_some();
        let root = tag.get("", "root").unwrap_or_default().to_owned();
        let extended = tag.get("", "extension").is_some();
        for attr in &tag.attributes {
            match attr.name.local {
                "extension" => {
                    let label = self.number_label(who, &root);
                    let slot = self.form.number(who, &root, &attr.value, label);
                    self.puts.push(Put::Text { slot, at: attr.at.clone() });
                }
                "root" if extended && is_public_root(&attr.value) => {}
                "root" => match show_object(&attr.value) {
                    Some((digits, kind)) => {
                        let slot = self.form.number(Who::Nobody, "", &digits, Label::OtherId);
                        let (at, whole) = (attr.at.clone(), attr.whole.clone());
                        self.puts.push(Put::Object { slot, kind, at, whole, masked: masked || extended });
                    }
                    None => out.cut(attr.whole.clone(), *b" nullFlavor=\"MSK\""),
                },
                "nullFlavor" | "displayable" if is_code(&attr.value) => {
                    self.codes.push((attr.at.clone(), attr.value.to_string()));
                }
                _ => out.cut(attr.whole.clone(), *b""),
            }
        }
    }

    fn time(&mut self, tag: &Tag<'_>, who: Who, out: &mut Gatherer) {
        let quantity = tag.get("", "unit").is_some();
        let dated = self.stack.iter().rev().take(3).any(|o| {
            matches!(
                o.local.as_str(),
                "effectiveTime" | "time" | "useablePeriod" | "expectedUseTime" | "value"
            )
        });
        let is_part = matches!(tag.name.local, "low" | "high" | "center");
        let birth = tag.name.local == "birthTime";
        let of_document = tag.name.local == "effectiveTime" && self.stack.len() == 1;
        let masked = tag.get("", "nullFlavor").is_some();
        for attr in &tag.attributes {
            if attr.name.local != "value" || !attr.name.ns.is_empty() {
                self.attribute(attr, out);
                continue;
            }
            let is_number = attr.value.parse::<f64>().is_ok();
            let short = attr.value.len() < 8;
            if quantity && is_number || is_part && is_number && short && !dated {
                continue;
            }
            if of_document {
                self.form.day = self.form.day.or_else(|| super::values::day_of(&attr.value));
            }
            match self.form.day(who, &attr.value, birth) {
                Some(slot) => {
                    let (at, whole) = (attr.at.clone(), attr.whole.clone());
                    self.puts.push(Put::Date { slot, at, whole, masked });
                }
                None => out.cut(attr.whole.clone(), if masked { &b""[..] } else { b" nullFlavor=\"MSK\"" }),
            }
        }
    }

    fn contact(&mut self, tag: &Tag<'_>, who: Who, out: &mut Gatherer) {
        for attr in &tag.attributes {
            if attr.name.local != "value" || !attr.name.ns.is_empty() {
                self.attribute(attr, out);
                continue;
            }
            let (start, label) = contact_kind(&attr.value);
            // A character reference in the scheme would move the bytes.
            let plain = attr.at.len() == attr.value.len();
            let (start, at) =
                if plain { (start, attr.at.start + start..attr.at.end) } else { (0, attr.at.clone()) };
            let slot = self.form.contact(who, &attr.value[start..], label);
            self.puts.push(Put::Text { slot, at });
        }
    }

    fn attribute(&mut self, attr: &crate::markup::Attribute<'_>, out: &mut Gatherer) {
        match attribute(attr.name.ns, attr.name.local) {
            Attr::Code if is_code(&attr.value) => self.codes.push((attr.at.clone(), attr.value.to_string())),
            Attr::Value if attr.value.len() < 8 && attr.value.parse::<f64>().is_ok() => {
                self.codes.push((attr.at.clone(), attr.value.to_string()));
            }
            Attr::Value if matches!(attr.value.as_ref(), "true" | "false") => {}
            Attr::Text | Attr::Value if attr.value.trim().is_empty() => {}
            Attr::Value if attr.value.strip_prefix('#').is_some_and(is_code) => {
                self.codes.push((attr.at.clone(), attr.value.to_string()));
            }
            Attr::Value if super::values::show_date(&attr.value).is_some() => {
                if let Some(slot) = self.form.day(Who::Nobody, &attr.value, false) {
                    let (at, whole) = (attr.at.clone(), attr.whole.clone());
                    self.puts.push(Put::Date { slot, at, whole, masked: false });
                }
            }
            Attr::Text | Attr::Value => {
                let slot = self.form.text(&attr.value);
                self.puts.push(Put::Text { slot, at: attr.at.clone() });
            }
            Attr::Code | Attr::Cut => {
                self.form.leave(LeftOut::UnknownMarkup);
                out.cut(attr.whole.clone(), *b"");
            }
        }
    }

    fn narrative_break(&mut self, local: &str, opening: bool) {
        match (local, opening) {
            ("br", true) => self.form.sheet.brk('\n'),
            ("td" | "th", false) => self.form.sheet.brk('\t'),
            ("paragraph" | "item" | "tr" | "caption" | "table" | "list" | "text" | "footnote", _)
                if !self.form.sheet.at_line_start() =>
            {
                self.form.sheet.brk('\n');
            }
            _ => {}
        }
    }
}

impl Walk for Walker {
    fn namespace(uri: &str) -> Option<&'static str> {
        namespace(uri)
    }

    fn stranger(&mut self, address: &str, at: Range<usize>, _: &mut Gatherer) {
        self.strangers.push((at, address.to_owned()));
    }

    fn open(&mut self, tag: &Tag<'_>, out: &mut Gatherer) -> Result<Flow, Reason> {
        const MOST: usize = 200_000;
        let local = tag.name.local;
        if self.stack.is_empty() && (tag.name.ns != "v3" || local != "ClinicalDocument") {
            return Err("it is XML but no CDA document of HL7 version 3".into());
        }
        if self.puts.len() + self.codes.len() > 4 * MOST {
            return Err(format!("it has over {MOST} fields; such a document is not read").into());
        }
        let narrative = self.stack.last().is_some_and(|o| o.narrative);
        let kind = if tag.name.ns == "v3" { element(local, narrative) } else { Element::Unknown };
        if kind == Element::Unknown {
            self.form.leave(LeftOut::UnknownMarkup);
            return Ok(Flow::Drop);
        }
        let (who, institution) = self.enter(tag);
        let parent = self.parent().to_owned();
        let carried = parent == "nonXMLBody" && local == "text";
        if parent == "text" && local == "reference" && self.stack.iter().any(|o| o.local == "nonXMLBody") {
            return Err("its body is a file beside it, which is not there to be treated".into());
        }
        if self.stack.last().is_some_and(|o| matches!(o.inside, Inside::Carried { .. })) {
            return Err("its body holds markup where a document should be".into());
        }
        let base64 = tag.get("", "representation") == Some("B64");
        if base64 && tag.get("", "compression").is_some() {
            return Err("the document it carries is compressed, which is not read".into());
        }
        let inside = match kind {
            Element::Structure if base64 => {
                self.form.leave(LeftOut::Pictures);
                Inside::Emptied
            }
            Element::Structure if local == "value" => Inside::Text,
            Element::Structure | Element::Contact | Element::Id | Element::Time | Element::Unknown => {
                Inside::Nothing
            }
            Element::Name => {
                let birth_place = self.stack.last().is_some_and(|o| o.birth_place);
                match (birth_place, institution, who) {
                    (true, _, _) => Inside::PlaceName,
                    (_, true, _) => Inside::Institution,
                    (_, _, Who::Nobody) if parent != "subject" => Inside::Text,
                    _ => {
                        self.form.line(Line::Person, who);
                        Inside::WholeName
                    }
                }
            }
            Element::Given => Inside::Given,
            Element::Family => {
                Inside::Family { birth: tag.get("", "qualifier").is_some_and(|q| q.contains("BR")) }
            }
            Element::Prefix => Inside::Prefix,
            Element::Emptied => Inside::Emptied,
            Element::Address => {
                self.form.line(Line::Address, who);
                Inside::Part(AddressPart::Street)
            }
            Element::Part(part) => Inside::Part(part),
            Element::HouseNumber => Inside::HouseNumber,
            Element::StreetName => Inside::StreetName,
            Element::Text if carried && base64 => {
                let media = tag.attributes.iter().find(|a| a.name.local == "mediaType");
                Inside::Carried { media: media.map(|a| (a.at.clone(), a.value.to_string())) }
            }
            Element::Text if local == "text" && parent == "section" => {
                self.form.end_line();
                Inside::Narrative
            }
            Element::Text if base64 => {
                self.form.leave(LeftOut::Pictures);
                Inside::Emptied
            }
            Element::Text => Inside::Text,
            Element::Narrative => Inside::Narrative,
        };
        match kind {
            Element::Id => self.id(tag, who, out),
            Element::Time => self.time(tag, who, out),
            Element::Contact => self.contact(tag, who, out),
            _ => {
                if local == "administrativeGenderCode" {
                    match tag.get("", "code") {
                        Some("F") => self.form.sex(who, Sex::F),
                        Some("M") => self.form.sex(who, Sex::M),
                        _ => {}
                    }
                }
                for attr in &tag.attributes {
                    self.attribute(attr, out);
                }
            }
        }
        let is_narrative = matches!(inside, Inside::Narrative);
        if is_narrative {
            self.narrative_break(local, true);
        }
        let above = self.stack.last();
        self.stack.push(Open {
            local: local.to_owned(),
            who,
            institution,
            birth_place: local == "birthplace" || above.is_some_and(|o| o.birth_place),
            encounter: local == "encompassingEncounter" || above.is_some_and(|o| o.encounter),
            narrative: is_narrative,
            number: None,
            inside,
        });
        Ok(Flow::Into)
    }

    fn text(&mut self, text: &str, at: Range<usize>, out: &mut Gatherer) -> Result<(), Reason> {
        let Some(open) = self.stack.last() else { return Ok(()) };
        let (inside, who, birth_place) = (open.inside.clone(), open.who, open.birth_place);
        if text.trim().is_empty() {
            if matches!(inside, Inside::Narrative) && !self.form.sheet.at_line_start() {
                self.form.sheet.brk(' ');
            }
            return Ok(());
        }
        let slot = match inside {
            Inside::Nothing => {
                self.form.leave(LeftOut::UnknownMarkup);
                out.cut(at, *b"");
                return Ok(());
            }
            Inside::Emptied => {
                out.cut(at, *b"");
                return Ok(());
            }
            Inside::Prefix => {
                if !is_title(text) {
                    out.cut(at, *b"");
                }
                return Ok(());
            }
            Inside::Given => self.form.given_name(who, text),
            Inside::Family { birth } => self.form.family_name(who, text, birth),
            Inside::WholeName => self.form.family_name(who, text, false),
            Inside::Institution => self.form.institution(text),
            Inside::PlaceName => {
                self.form.line(Line::Place, who);
                self.form.address(who, AddressPart::City, text, true)
            }
            Inside::Part(part) => self.form.address(who, part, text, birth_place),
            Inside::HouseNumber => {
                // Kept on the address, until the street comes.
                let above = self.stack.len().checked_sub(2).and_then(|i| self.stack.get_mut(i));
                match above {
                    Some(address) if address.number.is_none() => {
                        address.number = Some((at, text.trim().to_owned()));
                    }
                    _ => out.cut(at, *b""),
                }
                return Ok(());
            }
            Inside::StreetName => {
                let above = self.stack.len().checked_sub(2).and_then(|i| self.stack.get_mut(i));
                if let Some((number, shown)) = above.and_then(|o| o.number.take()) {
                    let street = format!("{shown} {}", text.trim());
                    let slot = self.form.address(who, AddressPart::Street, &street, birth_place);
                    self.puts.push(Put::Street { slot, number, name: at });
                    return Ok(());
                }
                self.form.address(who, AddressPart::Street, text, birth_place)
            }
            Inside::Text => self.form.text(&collapsed(text)),
            Inside::Narrative => self.form.sheet.free(&collapsed(text)),
            Inside::Carried { media } => {
                let carried = inside::open(&inside::from_base64(text)?)?;
                let slot = self.form.inside(&carried.text, &carried.left_out, &carried.given);
                let changed = media.filter(|(_, said)| said != carried.media);
                let plain = carried.media == "text/plain";
                if plain && changed.is_some() {
                    self.form.leave(LeftOut::Layout);
                }
                let media = changed.filter(|_| plain).map(|(at, _)| (at, carried.media));
                self.puts.push(Put::Inside { slot, at, back: carried.back, media });
                return Ok(());
            }
        };
        self.puts.push(Put::Text { slot, at });
        Ok(())
    }

    fn close(&mut self, name: Name<'_>, out: &mut Gatherer) -> Result<(), Reason> {
        let Some(open) = self.stack.pop() else { return Ok(()) };
        if let Some((at, _)) = open.number {
            out.cut(at, *b"");
        }
        if matches!(open.inside, Inside::Narrative) {
            self.narrative_break(name.local, false);
        }
        Ok(())
    }
}

/// Blanks of the markup as one blank each.
fn collapsed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank = false;
    for c in text.chars() {
        let is_blank = matches!(c, ' ' | '\n' | '\r' | '\t');
        if !(is_blank && blank) {
            out.push(if is_blank { ' ' } else { c });
        }
        blank = is_blank;
    }
    out
}

#[cfg(test)]
#[path = "cda_tests.rs"]
mod tests;
