//! FHIR R4: people, narrative and attachments of resources as one text, written back in their places.
//!
//! Logical ids change with the references to them, so that a bundle still hangs together; absolute addresses of a
//! server become those of `example.org`. Unknown keys, extensions and links are left out; a resource of a type that is
//! not known, an extension that may change the meaning, or a second patient refuses the document.

use std::collections::{BTreeMap, BTreeSet};

use taire_text::{Label, PatientId, Sex};

use crate::Reason;
use crate::decode::BOM;
use crate::office::{self, Back};
use crate::{Format, LeftOut, Ocr};

use super::cda_rules::{is_social_security, is_title};
use super::fhir_rules::{Kind, RESOURCES, Rule, is_public_system, rule, usual_target};
use super::form::{AddressPart, Form, Line, Who, contact_kind, language};
use super::json::{Node, parse};
use super::sheet::{Sheet, SlotId};
use super::values::{ObjectId, Stamp, is_code, show_object};
use super::{Enveloped, Way, inside};

const ELSEWHERE: &str = "https://example.org/fhir/";

/// A value to be written.
#[derive(Debug)]
pub(super) enum Out {
    Object(Vec<(String, Out)>),
    Array(Vec<Out>),
    /// Kept unless a word in it identifies somebody.
    Code(String),
    Literal(String),
    Fixed(String),
    Slot(SlotId),
    Day(SlotId, Stamp),
    /// A reference: what stands before the id of its target.
    Id {
        before: String,
        id: IdSlot,
    },
    Inside(SlotId, Box<Back>),
    Html(SlotId, Box<Back>),
}

#[derive(Clone, Debug)]
pub(super) enum IdSlot {
    Object(SlotId, ObjectId),
    Plain(SlotId),
}

/// The way back into a resource.
#[derive(Debug)]
pub(crate) struct Fhir {
    pub(super) sheet: Sheet,
    pub(super) root: Out,
    pub(super) syntax: Syntax,
}

/// How a resource is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Syntax {
    Json,
    /// JSON over several lines.
    IndentedJson,
    Xml,
}

impl Fhir {
    pub(crate) fn format(&self) -> Format {
        if self.syntax == Syntax::Xml { Format::FhirXml } else { Format::Fhir }
    }
}

/// Which number joins the resources of a patient.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PatientBy {
    /// One that the hospital gave, which messages and letters show too, before the logical id.
    Number,
    /// The logical id: other resources of an export refer to the patient by it alone.
    LogicalId,
}

pub(crate) fn open(bytes: &[u8]) -> Result<Enveloped, Reason> {
    open_json(bytes, PatientBy::Number)
}

/// One line of an export (Bulk Data).
pub(crate) fn open_line(bytes: &[u8]) -> Result<Enveloped, Reason> {
    open_json(bytes, PatientBy::LogicalId)
}

fn open_json(bytes: &[u8], by: PatientBy) -> Result<Enveloped, Reason> {
    let bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
    let json = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8, as FHIR must be")?;
    let syntax = if json.trim().contains('\n') { Syntax::IndentedJson } else { Syntax::Json };
    read(parse(json)?, syntax, by)
}

/// Reads a resource, whatever it is written in.
pub(super) fn read(root: Node, syntax: Syntax, by: PatientBy) -> Result<Enveloped, Reason> {
    let mut survey = Survey::default();
    survey.look(&root);
    if survey.patients.len() > 1 || survey.unnamed > 1 {
        return Err("it holds several patients; split it by patient".into());
    }
    let mut reader = Reader {
        form: Form::new(survey.language),
        types: survey.types,
        ids: BTreeMap::new(),
        seen: BTreeMap::new(),
    };
    let root = reader.resource(root)?;
    let mut form = reader.form;
    form.end_line();
    let mut read = form.finish();
    let logical = survey.patients.pop_first().as_deref().and_then(PatientId::parse);
    read.known.patient = match by {
        PatientBy::Number => read.known.patient.or(logical),
        PatientBy::LogicalId => logical.or(read.known.patient),
    };
    let Form { sheet, left_out, .. } = form;
    let text = sheet.text().to_owned();
    let way = Way::Fhir(Fhir { sheet, root, syntax });
    Ok(Enveloped { text, left_out, read, way })
}

/// A first look: which patients, which resource has which type, which language.
#[derive(Default)]
struct Survey {
    patients: BTreeSet<String>,
    /// Patients without an id.
    unnamed: usize,
    /// Types of resources by their address.
    types: BTreeMap<String, String>,
    language: Option<taire_text::Language>,
}

impl Survey {
    fn look(&mut self, node: &Node) {
        match node {
            Node::Array(items) => items.iter().for_each(|item| self.look(item)),
            Node::Object(members) => {
                let text = |key: &str| text_of(members, key);
                if text("resourceType") == Some("Patient") {
                    match text("id") {
                        Some(id) => drop(self.patients.insert(id.to_owned())),
                        None => self.unnamed += 1,
                    }
                }
                if let Some(target) = text("reference").and_then(patient_of) {
                    self.patients.insert(target.to_owned());
                }
                if let (Some(url), Some((_, Node::Object(resource)))) =
                    (text("fullUrl"), members.iter().find(|(key, _)| key == "resource"))
                    && let Some(kind) = text_of(resource, "resourceType")
                {
                    self.types.insert(url.to_owned(), kind.to_owned());
                }
                self.language = self.language.or_else(|| text("language").and_then(language));
                members.iter().for_each(|(_, node)| self.look(node));
            }
            Node::Text(_) | Node::Literal(_) => {}
        }
    }
}

fn text_of<'n>(members: &'n [(String, Node)], key: &str) -> Option<&'n str> {
    members.iter().find(|(k, _)| k == key).and_then(|(_, node)| match node {
        Node::Text(text) => Some(text.as_str()),
        _ => None,
    })
}

fn patient_of(reference: &str) -> Option<&str> {
    let reference = reference.split("/_history").next().unwrap_or(reference);
    let (before, id) = reference.rsplit_once('/')?;
    (before.rsplit('/').next() == Some("Patient")).then_some(id)
}

struct Reader {
    form: Form,
    types: BTreeMap<String, String>,
    /// Slots of ids, by the label of plain ones: those of two resources of different types may be the same.
    ids: BTreeMap<(Option<Label>, String), IdSlot>,
    /// Texts of codes, read once.
    seen: BTreeMap<String, SlotId>,
}

/// Where in a resource an object stands.
#[derive(Clone, Copy)]
struct At<'a> {
    resource: &'a str,
    /// The key it stands under.
    under: &'a str,
    kind: Kind,
    who: Who,
}

impl Reader {
    fn resource(&mut self, node: Node) -> Result<Out, Reason> {
        let Node::Object(members) = node else {
            return Err("it holds something else than a resource".into());
        };
        let name = text_of(&members, "resourceType").unwrap_or_default().to_owned();
        if !RESOURCES.contains(&name.as_str()) {
            return Err("it holds a FHIR resource of a type that is not treated".into());
        }
        let who = match name.as_str() {
            "Patient" => Who::Patient,
            "Practitioner" | "Organization" | "Location" => self.form.caregiver(),
            "RelatedPerson" => self.form.relative(),
            _ => Who::Nobody,
        };
        let at = At { resource: &name, under: "", kind: Kind::Resource, who };
        Ok(self.object(at, members)?.unwrap_or(Out::Object(Vec::new())))
    }

    fn object(&mut self, at: At<'_>, members: Vec<(String, Node)>) -> Result<Option<Out>, Reason> {
        match at.kind {
            Kind::Name => self.form.line(Line::Person, at.who),
            Kind::Address => self.form.line(Line::Address, at.who),
            _ => {}
        }
        let system = text_of(&members, "system").unwrap_or_default().to_owned();
        let target = text_of(&members, "reference").unwrap_or_default().to_owned();
        let said = text_of(&members, "type").unwrap_or_default().to_owned();
        let maiden = text_of(&members, "use") == Some("maiden");
        let mut plain = false;
        let mut out: Vec<(String, Out)> = Vec::with_capacity(members.len());
        for (key, node) in members {
            if key == "gender" && at.kind == Kind::Resource {
                match &node {
                    Node::Text(sex) if sex == "female" => self.form.sex(at.who, Sex::F),
                    Node::Text(sex) if sex == "male" => self.form.sex(at.who, Sex::M),
                    _ => {}
                }
            }
            let here = Here { at, system: &system, target: &target, said: &said, maiden, key: &key };
            let made = self.member(&here, node, &mut plain)?;
            if let Some(made) = made {
                out.push((key, made));
            }
        }
        if plain && let Some((_, kind)) = out.iter_mut().find(|(key, _)| key == "contentType") {
            if !matches!(kind, Out::Code(kind) if kind.starts_with("text/plain")) {
                self.form.leave(LeftOut::Layout);
            }
            *kind = Out::Fixed("text/plain; charset=UTF-8".into());
        }
        Ok((!out.is_empty()).then_some(Out::Object(out)))
    }

    fn member(&mut self, here: &Here<'_>, node: Node, plain: &mut bool) -> Result<Option<Out>, Reason> {
        let at = here.at;
        let rule = rule(at.kind, at.resource, here.key);
        match (rule, node) {
            (Rule::Refused(why), _) => Err(why.into()),
            (Rule::Pictures, _) => {
                self.form.leave(LeftOut::Pictures);
                Ok(None)
            }
            (Rule::Links, _) => {
                self.form.leave(LeftOut::LinkTargets);
                Ok(None)
            }
            (Rule::Dropped, _) => {
                self.form.leave(LeftOut::UnknownFields);
                Ok(None)
            }
            (Rule::Resource, Node::Array(items)) => {
                let items = items.into_iter().map(|item| self.resource(item));
                Ok(Some(Out::Array(items.collect::<Result<_, _>>()?)))
            }
            (Rule::Resource, node) => self.resource(node).map(Some),
            (_, Node::Array(items)) => {
                let mut out = Vec::with_capacity(items.len());
                for item in items {
                    out.extend(self.member(here, item, plain)?);
                }
                Ok((!out.is_empty()).then_some(Out::Array(out)))
            }
            (rule, Node::Object(members)) => self.inner(at, here.key, rule, members),
            (_, Node::Literal(literal)) => Ok((literal != "null").then_some(Out::Literal(literal))),
            (_, Node::Text(text)) if text.trim().is_empty() => Ok(None),
            (rule, Node::Text(text)) => self.text(here, rule, text, plain),
        }
    }

    fn inner(
        &mut self,
        at: At<'_>,
        key: &str,
        rule: Rule,
        members: Vec<(String, Node)>,
    ) -> Result<Option<Out>, Reason> {
        let (kind, who) = match rule {
            Rule::Inner(kind) => (kind, at.who),
            Rule::PersonName => (Kind::Name, at.who),
            Rule::Contact => {
                let mut out = Vec::new();
                let who = self.form.relative();
                for (key, node) in members {
                    let kind = match key.as_str() {
                        "name" => Kind::Name,
                        "telecom" => Kind::Telecom,
                        "address" => Kind::Address,
                        "relationship" | "period" => Kind::Other,
                        "gender" => {
                            if let Node::Text(code) = node {
                                out.push((key, Out::Code(code)));
                            }
                            continue;
                        }
                        _ => {
                            self.form.leave(LeftOut::UnknownFields);
                            continue;
                        }
                    };
                    let at = At { resource: at.resource, under: "contact", kind, who };
                    let nodes =
                        if let Node::Array(nodes) = node { (nodes, true) } else { (vec![node], false) };
                    let mut made = Vec::new();
                    for node in nodes.0 {
                        if let Node::Object(members) = node {
                            made.extend(self.object(at, members)?);
                        }
                    }
                    match (nodes.1, made.len()) {
                        (_, 0) => {}
                        (true, _) => out.push((key, Out::Array(made))),
                        (false, _) => out.extend(made.pop().map(|one| (key, one))),
                    }
                }
                return Ok((!out.is_empty()).then_some(Out::Object(out)));
            }
            // Keys that hold a code in one place and a concept in another.
            Rule::Code | Rule::System => (Kind::Other, at.who),
            Rule::Text if key == "text" => (Kind::Narrative, at.who),
            _ => {
                self.form.leave(LeftOut::UnknownFields);
                return Ok(None);
            }
        };
        // `location` and the like are a reference in one resource and an element in another.
        let is_reference =
            members.iter().any(|(k, _)| matches!(k.as_str(), "reference" | "display" | "identifier"));
        let kind = if kind == Kind::Reference && !is_reference { Kind::Other } else { kind };
        self.object(At { resource: at.resource, under: key, kind, who }, members)
    }

    fn text(
        &mut self,
        here: &Here<'_>,
        rule: Rule,
        text: String,
        plain: &mut bool,
    ) -> Result<Option<Out>, Reason> {
        let At { resource, kind, who, .. } = here.at;
        let slot = match rule {
            Rule::Code | Rule::ContentType if is_code(&text) => return Ok(Some(Out::Code(text))),
            Rule::System if is_public_system(&text) => return Ok(Some(Out::Fixed(text))),
            Rule::System | Rule::ContentType => {
                self.form.leave(LeftOut::UnknownFields);
                return Ok(None);
            }
            Rule::Text if here.key == "name" && matches!(resource, "Organization" | "Location") => {
                self.form.institution(&text)
            }
            Rule::Text | Rule::Code => self.once(&text),
            Rule::Day => return Ok(self.day(who, &text, false, Stamp::Iso)),
            Rule::Instant => return Ok(self.day(who, &text, false, Stamp::Instant)),
            Rule::Birth => return Ok(self.day(who, &text, true, Stamp::Iso)),
            Rule::Given => self.form.given_name(who, &text),
            Rule::Family => self.form.family_name(who, &text, here.maiden),
            Rule::WholeName => self.form.whole_name(who, &text),
            Rule::Title if is_title(&text) => return Ok(Some(Out::Fixed(text))),
            Rule::Line => self.form.address(who, AddressPart::Street, &text, false),
            Rule::City => self.form.address(who, AddressPart::City, &text, false),
            Rule::Region => self.form.address(who, AddressPart::Region, &text, false),
            Rule::PostalCode => self.form.address(who, AddressPart::PostalCode, &text, false),
            Rule::Country if text.len() <= 3 && is_code(&text) => return Ok(Some(Out::Code(text))),
            Rule::Country => self.form.address(who, AddressPart::Country, &text, false),
            Rule::Value if kind == Kind::Telecom => {
                let label = match here.system {
                    "fax" => Label::Fax,
                    "email" => Label::Email,
                    "url" => Label::Url,
                    _ => contact_kind(&text).1,
                };
                self.form.contact(who, &text, label)
            }
            Rule::Value => return Ok(Some(self.identifier(here, &text))),
            Rule::Id => {
                let id = self.id(&text, id_label(resource));
                return Ok(Some(Out::Id { before: String::new(), id }));
            }
            Rule::FullUrl | Rule::Reference => return Ok(self.reference(&text)),
            Rule::Display => return Ok(self.display(here, &text)),
            Rule::Data => {
                let carried = inside::open(&inside::from_base64(&text)?)?;
                *plain |= carried.media == "text/plain";
                let slot = self.form.inside(&carried.text, &carried.left_out, &carried.given);
                return Ok(Some(Out::Inside(slot, Box::new(carried.back))));
            }
            Rule::Html => {
                let page = office::open(Format::Html, text.as_bytes(), &Ocr::off())?;
                let slot = self.form.inside(&page.text, &page.left_out, &[]);
                return Ok(Some(Out::Html(slot, Box::new(page.back))));
            }
            _ => {
                self.form.leave(LeftOut::UnknownFields);
                return Ok(None);
            }
        };
        Ok(Some(Out::Slot(slot)))
    }

    fn once(&mut self, text: &str) -> SlotId {
        if let Some(slot) = self.seen.get(text) {
            return *slot;
        }
        let slot = self.form.text(text);
        self.seen.insert(text.to_owned(), slot);
        slot
    }

    fn day(&mut self, who: Who, text: &str, birth: bool, stamp: Stamp) -> Option<Out> {
        let slot = self.form.day(who, text, birth);
        if slot.is_none() {
            self.form.leave(LeftOut::UnknownFields);
        }
        if !birth && stamp == Stamp::Iso && self.form.day.is_none() {
            self.form.day = super::values::day_of(text);
        }
        slot.map(|slot| Out::Day(slot, stamp))
    }

    fn identifier(&mut self, here: &Here<'_>, text: &str) -> Out {
        let oid = here.system.strip_prefix("urn:oid:").unwrap_or_default();
        let object = text.strip_prefix("urn:uuid:").or_else(|| text.strip_prefix("urn:oid:"));
        if let Some(object) = object {
            let before = text[..text.len() - object.len()].to_owned();
            return Out::Id { before, id: self.id(object, Label::OtherId) };
        }
        let label = match here.at.who {
            _ if is_social_security(oid) || here.system.contains("ins-nir") => Label::SocialSecurity,
            Who::Patient => Label::PatientId,
            Who::Caregiver(_) if here.at.resource == "Practitioner" => Label::ProfessionalLicence,
            _ if here.at.resource == "Encounter" => Label::VisitId,
            _ => Label::OtherId,
        };
        Out::Slot(self.form.number(here.at.who, here.system, text, label))
    }

    /// The slot of an id, the same for the same id.
    fn id(&mut self, id: &str, label: Label) -> IdSlot {
        let object = show_object(id);
        let key = (object.is_none().then_some(label), id.to_owned());
        if let Some(known) = self.ids.get(&key) {
            return known.clone();
        }
        let made = match object {
            Some((digits, kind)) => IdSlot::Object(self.form.number(Who::Nobody, "", &digits, label), kind),
            None => IdSlot::Plain(self.form.number(Who::Nobody, "", id, label)),
        };
        self.ids.insert(key, made.clone());
        made
    }

    /// `Patient/12`, `#p1`, `urn:uuid:…`, or the address of a resource on a server.
    fn reference(&mut self, text: &str) -> Option<Out> {
        for scheme in ["urn:uuid:", "urn:oid:", "#"] {
            if let Some(id) = text.strip_prefix(scheme).filter(|id| !id.is_empty()) {
                let label = self.types.get(text).map_or(Label::OtherId, |kind| id_label(kind));
                return Some(Out::Id { before: scheme.into(), id: self.id(id, label) });
            }
        }
        let path = text.split("/_history").next().unwrap_or(text);
        let mut parts = path.rsplit('/');
        let (id, kind) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let known = !id.is_empty() && kind.bytes().all(|b| b.is_ascii_alphabetic()) && is_type(kind);
        if !known {
            self.form.leave(LeftOut::LinkTargets);
            return None;
        }
        let label = id_label(kind);
        let server = if parts.next().is_some() { ELSEWHERE } else { "" };
        Some(Out::Id { before: format!("{server}{kind}/"), id: self.id(id, label) })
    }

    /// What a reference shows: the name of its target.
    fn display(&mut self, here: &Here<'_>, text: &str) -> Option<Out> {
        let from_path = here.target.rsplit('/').nth(1).filter(|kind| is_type(kind));
        let told = self.types.get(here.target).map(String::as_str).or(from_path).unwrap_or(here.said);
        let kind = if told.is_empty() { usual_target(here.at.under) } else { told };
        let who = match kind {
            "Patient" => Who::Patient,
            "Practitioner" | "PractitionerRole" => self.form.caregiver(),
            "RelatedPerson" => self.form.relative(),
            "Organization" | "Location" => return Some(Out::Slot(self.form.institution(text))),
            _ => return Some(Out::Slot(self.once(text))),
        };
        Some(Out::Slot(self.form.whole_name(who, text)))
    }
}

/// The label of the id of a resource. Staff, places and drugs are shared by patients: their ids are drawn once for the release,
/// as those of staff are, so that references to them agree from resource to resource and from file to file.
fn id_label(resource: &str) -> Label {
    match resource {
        "Patient" => Label::PatientId,
        "Practitioner" | "PractitionerRole" | "Organization" | "Location" | "Medication" => Label::EmployeeId,
        _ => Label::OtherId,
    }
}

/// Whether a word may be the type of a resource.
fn is_type(word: &str) -> bool {
    RESOURCES.contains(&word)
        || matches!(word, "Device" | "Media" | "ImagingStudy" | "EpisodeOfCare" | "CareTeam")
}

/// A member and what stands beside it.
struct Here<'a> {
    at: At<'a>,
    key: &'a str,
    system: &'a str,
    target: &'a str,
    said: &'a str,
    maiden: bool,
}

#[cfg(test)]
#[path = "fhir_tests.rs"]
mod tests;
