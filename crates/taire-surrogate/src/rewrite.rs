//! From entities to replacements. Whatever happens, an entity that is not kept by its action is replaced: by its
//! surrogate, or by its tag where none can be made, and that is told.

use std::collections::BTreeMap;

use jiff::civil::Date;
use taire_privacy::Loss;
use taire_text::joint::{self, Follows};
use taire_text::{Entity, Group, KnownIdentity, Label, Mention, Note, Raw, Role, Span, fold};

use crate::account::Account;
use crate::key::{Scope, SecretKey, Streams};
use crate::names::Names;
use crate::people::{People, known_words};
use crate::places::{Atlas, Chosen};
use crate::profiles::Profiles;
use crate::response::Responses;
use crate::settings::{Action, Dates, ScopeKind, Settings};
use crate::time::Frame;
use crate::{Error, contact, facilities, nir, numbers, streets, tags, wider};

/// Rewrites notes under one key and one table of settings. It keeps nothing between notes, so threads share it.
pub struct Rewriter {
    streams: Streams,
    settings: Settings,
    profiles: Profiles,
}

impl std::fmt::Debug for Rewriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rewriter").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// What stands in place of one entity.
#[derive(Clone, PartialEq, Eq)]
pub struct Replacement {
    pub span: Span<Raw>,
    pub label: Label,
    pub role: Role,
    pub text: String,
    /// What changes beside it, so that the sentence stays one.
    pub mend: Mend,
}

/// Small words beside a replaced one: `d'octobre` and `de mars`, `à Lyon` and `au Mans`.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Mend {
    /// Bytes before the span that go, and what is written there.
    pub before: usize,
    pub put: String,
    /// Bytes behind the span that go.
    pub after: usize,
}

/// Shows how much, not what.
impl std::fmt::Debug for Mend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Mend({} before, {} behind)", self.before, self.after)
    }
}

/// Shows where, not what.
impl std::fmt::Debug for Replacement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Replacement({:?} {} {})", self.span, self.label, self.role)
    }
}

/// A tag written because no surrogate could be made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Fallback {
    pub label: Label,
    pub why: &'static str,
}

/// What a note becomes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Rewritten {
    /// Sorted and disjoint.
    pub replacements: Vec<Replacement>,
    pub fallbacks: Vec<Fallback>,
    /// What the mechanisms of the policy declared, release by release; empty under policies that declare nothing.
    pub losses: Vec<(Label, Loss)>,
}

impl Rewritten {
    /// The new text, and where each replacement stands in it. No replacement gives back the same bytes.
    pub fn apply(&self, raw: &str) -> (String, Vec<std::ops::Range<usize>>) {
        let mut out = String::with_capacity(raw.len() + raw.len() / 16);
        let mut spans = Vec::with_capacity(self.replacements.len());
        let mut from = 0;
        for replacement in &self.replacements {
            out.push_str(&raw[from..replacement.span.start() - replacement.mend.before]);
            out.push_str(&replacement.mend.put);
            let start = out.len();
            out.push_str(&replacement.text);
            spans.push(start..out.len());
            from = replacement.span.end() + replacement.mend.after;
        }
        out.push_str(&raw[from..]);
        (out, spans)
    }
}

const NO_SURROGATE: &str = "no surrogate could be made";
const UNREAD_TIME: &str = "the date or age could not be read";
const NO_WIDER: &str = "there is no wider value";
const BUDGET: &str = "the privacy budget is spent";
const SAME: &str = "the surrogate would equal the original";

impl Rewriter {
    pub fn new(key: SecretKey, settings: Settings) -> Result<Self, Error> {
        settings.check()?;
        let profiles = match &settings.indicators {
            Some(path) => Profiles::read(path)?,
            None => Profiles::shipped(),
        };
        Ok(Rewriter { streams: Streams::new(&key)?, settings, profiles })
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    fn scope<'a>(&self, id: &'a str, patient: Option<&'a str>) -> Scope<'a> {
        match (self.settings.scope, patient) {
            (ScopeKind::Corpus, _) => Scope::Corpus,
            (ScopeKind::Patient, Some(patient)) => Scope::Patient(patient),
            (ScopeKind::Patient, None) | (ScopeKind::Document, _) => Scope::Document(id),
        }
    }

    /// Sequences are one document's, whatever the scope of the rest.
    fn time_scope<'a>(&self, id: &'a str, patient: Option<&'a str>) -> Scope<'a> {
        if self.settings.dates.by_document() { Scope::Document(id) } else { self.scope(id, patient) }
    }

    /// What each entity becomes. `entities` are disjoint and sorted, as fusion gives them.
    pub fn rewrite(&self, note: &Note, entities: &[Entity]) -> Result<Rewritten, Error> {
        check_entities(note, entities)?;
        if entities.is_empty() {
            return Ok(Rewritten::default());
        }
        let scope = self.scope(&note.id, note.patient.as_deref());
        let time_scope = self.time_scope(&note.id, note.patient.as_deref());
        let account = Account::new(self.settings.budget.budget());
        let chosen = Chosen { method: self.settings.places, profiles: &self.profiles, account: &account };
        let names = Names::new(&self.streams, scope, note.language, known_words(&note.known));
        let job = Job {
            rewriter: self,
            note,
            scope,
            people: People::read(note, entities, &names),
            frame: Frame::new(&self.streams, time_scope, &self.settings, &account, note, entities),
            atlas: Atlas::new(&self.streams, scope, chosen, note, entities),
            responses: Responses::new(&self.streams, scope, note.language, &self.settings.response, &account),
            account: &account,
            avoid: known_numbers(&note.known),
            names,
        };
        let mut out = Rewritten::default();
        let mut values: BTreeMap<(Label, String), usize> = BTreeMap::new();
        for (i, entity) in entities.iter().enumerate() {
            let original = note.to_norm(entity.span).of(note.norm());
            let mut fall_back = |why| {
                out.fallbacks.push(Fallback { label: entity.label, why });
                tags::tag(entity.label, self.settings.tags)
            };
            let mut invented = false;
            let mut text = match self.settings.action(entity.label) {
                Action::Keep => continue,
                Action::Tag => tags::tag(entity.label, self.settings.tags),
                Action::Mask => tags::MASK.to_owned(),
                Action::Bar => tags::bar(original),
                Action::Remove => String::new(),
                Action::NumberedTag => {
                    let number = job.people.number(i).unwrap_or_else(|| {
                        let next = values.keys().filter(|(l, _)| *l == entity.label).count() + 1;
                        *values.entry((entity.label, fold(original))).or_insert(next)
                    });
                    tags::numbered(entity.label, number, note.language)
                }
                Action::Generalise => {
                    job.wider(i, entity.label, original).unwrap_or_else(|| fall_back(NO_WIDER))
                }
                Action::Surrogate => match job.surrogate(i, entity, original) {
                    Ok(new)
                        if may_stay(job.meaning(i, entity), &self.settings)
                            || squeeze(&new) != squeeze(original) =>
                    {
                        invented = true;
                        new
                    }
                    Ok(_) => fall_back(SAME),
                    Err(why) => fall_back(why),
                },
            };
            let from = out.replacements.last().map_or(0, |r| r.span.end() + r.mend.after);
            let mend =
                if invented { job.mend(i, entity, from, original, &mut text) } else { Mend::default() };
            let Entity { span, label, role, .. } = *entity;
            out.replacements.push(Replacement { span, label, role, text, mend });
        }
        drop(job);
        out.losses = account.into_entries();
        Ok(out)
    }

    /// The surrogate of a patient number, for the column that holds it: the same as in the text, except under the
    /// scope `document`, where the column still joins documents and the texts do not.
    pub fn patient_id(&self, patient: &str) -> String {
        let scope = match self.settings.scope {
            ScopeKind::Corpus => Scope::Corpus,
            ScopeKind::Patient | ScopeKind::Document => Scope::Patient(patient),
        };
        numbers::surrogate(&self.streams, scope, patient, &[])
            .unwrap_or_else(|| tags::tag(Label::PatientId, self.settings.tags))
    }

    /// Where days of one patient's record go, by the calendar alone: what the measurements of a calendar need. Under
    /// `ldp` and `metric` it is the plain shift of the document's date.
    pub fn move_days(&self, patient: &str, days: &[Date]) -> Vec<Option<Date>> {
        let scope = self.time_scope(patient, Some(patient));
        let calendar = crate::calendar::Calendar::new(&self.streams, scope, self.settings.dates);
        days.iter().map(|&day| calendar.map(day)).collect()
    }

    /// The moved date of a document; `None` when it has none, or none can be made.
    pub fn document_date(&self, note: &Note) -> Option<Date> {
        let date = note.date?;
        let scope = self.time_scope(&note.id, note.patient.as_deref());
        crate::calendar::Calendar::new(&self.streams, scope, self.settings.dates).map(date)
    }
}

/// What may come out as it was: ages and durations, kept true to the dates around them; regions and the home
/// country, which stay; dates under `year`, when they were a year; and what a mechanism with a declared loss released,
/// which a tag in its place would undo.
fn may_stay(label: Label, settings: &Settings) -> bool {
    match label {
        Label::Age | Label::RelativeDate | Label::Region | Label::Country => true,
        Label::Date => settings.dates == Dates::Year || settings.dates.by_document(),
        Label::BirthDate => settings.dates.by_document(),
        Label::City | Label::PostalCode => settings.places.is_private(),
        Label::Sex | Label::Kinship => true,
        _ => false,
    }
}

/// Folded letters and digits: what two texts must differ in.
fn squeeze(text: &str) -> String {
    fold(text).chars().filter(|c| c.is_alphanumeric()).collect()
}

fn known_numbers(known: &KnownIdentity) -> Vec<String> {
    let mut all: Vec<String> = known.patient.iter().map(|p| numbers::compact(p)).collect();
    let mut add = |ids: &BTreeMap<String, String>, phones: &[String]| {
        all.extend(ids.values().chain(phones).map(|v| numbers::compact(v)));
    };
    add(&known.ids, &known.phones);
    for person in known.caregivers.iter().chain(&known.relatives) {
        add(&person.ids, &person.phones);
    }
    all.retain(|v| !v.is_empty());
    all
}

fn check_entities(note: &Note, entities: &[Entity]) -> Result<(), Error> {
    let mut from = 0;
    for entity in entities {
        let (start, end) = (entity.span.start(), entity.span.end());
        let sound = start >= from
            && end <= note.raw().len()
            && note.raw().is_char_boundary(start)
            && note.raw().is_char_boundary(end);
        if !sound {
            return Err(Error::new(format!(
                "the entity at bytes {start} to {end} overlaps another, is out of order or out of the text: nothing was rewritten"
            )));
        }
        from = end;
    }
    Ok(())
}

/// One note at work.
struct Job<'a> {
    rewriter: &'a Rewriter,
    note: &'a Note,
    scope: Scope<'a>,
    names: Names<'a>,
    people: People,
    frame: Frame,
    atlas: Atlas<'a>,
    responses: Responses<'a>,
    avoid: Vec<String>,
    account: &'a Account,
}

impl Job<'_> {
    /// `desde hace 4 meses` under the label of a date is a distance in time, where another voice said so.
    fn meaning(&self, index: usize, entity: &Entity) -> Label {
        let distance = |v: &Mention| v.span == entity.span && v.label() == Some(Label::RelativeDate);
        match entity.label {
            Label::Date if !self.frame.reads(index) && entity.voices.iter().any(distance) => {
                Label::RelativeDate
            }
            label => label,
        }
    }

    fn surrogate(&self, index: usize, entity: &Entity, original: &str) -> Result<String, &'static str> {
        let (streams, scope, language) = (&self.rewriter.streams, self.scope, self.note.language);
        let after = || &self.note.norm()[self.note.to_norm(entity.span).end()..];
        let made = match self.meaning(index, entity) {
            Label::GivenName | Label::FamilyName | Label::Initials => {
                self.people.text(index).map(str::to_owned)
            }
            Label::Date | Label::BirthDate => self.frame.date_text(index, original),
            Label::Age => self.frame.age_text(original, after()),
            Label::RelativeDate => self.frame.relative_text(original, after()),
            Label::Phone | Label::Fax => contact::phone(streams, scope, original, language, &self.avoid),
            Label::Email => {
                contact::mail(streams, scope, original, |w| self.people.mail_word(w, &self.names))
            }
            Label::Url => Some(contact::link(streams, scope, original)),
            Label::IpAddress => Some(contact::ip(streams, scope, original)),
            Label::PatientId
            | Label::VisitId
            | Label::SocialSecurity
            | Label::HealthPlan
            | Label::ProfessionalLicence
            | Label::EmployeeId
            | Label::AccountNumber
            | Label::VehicleId
            | Label::DeviceId
            | Label::OtherId => {
                match nir::surrogate(
                    streams,
                    scope,
                    &self.frame,
                    &self.atlas,
                    &self.responses,
                    entity.label,
                    original,
                ) {
                    Some(made) => made,
                    None => numbers::surrogate(streams, scope, original, &self.avoid),
                }
            }
            Label::City => self.atlas.city(original),
            Label::PostalCode => self.atlas.postal_code(entity, original),
            Label::Region => self.atlas.region(original),
            Label::Country => self.atlas.country(original),
            Label::Street => streets::surrogate(streams, scope, language, original),
            Label::Hospital | Label::HealthCentre | Label::Institution => {
                let before = &self.note.norm()[..self.note.to_norm(entity.span).start()];
                let near = before.len().saturating_sub(8);
                let near = (0..=near).rev().find(|&i| before.is_char_boundary(i)).unwrap_or(0);
                facilities::surrogate(
                    streams,
                    scope,
                    language,
                    &self.atlas,
                    entity.label,
                    &before[near..],
                    original,
                )
            }
            Label::Sex => self.responses.sex(original),
            Label::Kinship => self.responses.kinship(original),
            Label::Profession | Label::OtherDetail => None,
        };
        let refused = self.account.take_refused();
        made.ok_or(match entity.label.group() {
            Group::Time if self.frame.refused() => BUDGET,
            Group::Time => UNREAD_TIME,
            _ if refused => BUDGET,
            _ => NO_SURROGATE,
        })
    }

    /// What must change beside a surrogate. `from` is where the last replacement ends.
    fn mend(&self, index: usize, entity: &Entity, from: usize, original: &str, new: &mut String) -> Mend {
        let raw = self.note.raw();
        let follows = match entity.label {
            Label::City => Follows::Town,
            Label::Date if self.frame.begins_with_season(index) => Follows::Season,
            Label::Kinship if Responses::is_woman(new) => Follows::Woman,
            _ => Follows::Other,
        };
        let mut mend = Mend::default();
        let before = raw.get(from..entity.span.start()).unwrap_or_default();
        if let Some(joint) = joint::mend(before, original, new, follows, self.note.language) {
            mend.before = joint.take;
            mend.put = joint.put;
            new.drain(..joint.skip);
        }
        let behind = &raw[entity.span.end()..];
        // The dot of a month that was shortened, and not that of a sentence.
        let goes_on = |rest: &str| {
            rest.starts_with([',', ';', ')'])
                || rest.starts_with(' ') && rest.trim_start().starts_with(char::is_lowercase)
        };
        if entity.label == Label::Date
            && behind.strip_prefix('.').is_some_and(goes_on)
            && self.frame.loses_its_dot(index, new)
        {
            mend.after = 1;
        }
        mend
    }

    /// A wider value of the same kind.
    fn wider(&self, index: usize, label: Label, original: &str) -> Option<String> {
        let digits: String = original.chars().filter(char::is_ascii_digit).collect();
        let language = self.note.language;
        match label {
            Label::Age => wider::age(original, self.rewriter.settings.old_age, language),
            Label::Date => self.frame.year_text(index),
            Label::PostalCode if digits.len() == 5 => Some(format!("{}000", &digits[..2])),
            Label::City => self.atlas.wider(original),
            Label::Hospital | Label::HealthCentre | Label::Institution => {
                Some(wider::facility(original, language))
            }
            Label::Profession => wider::profession(original, language),
            _ => None,
        }
    }
}
