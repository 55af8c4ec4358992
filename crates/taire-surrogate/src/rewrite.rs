//! From entities to replacements. Whatever happens, an entity that is not kept by its action is replaced: by its
//! surrogate, or by its tag where none can be made, and that is told.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use jiff::civil::Date;
use sha2::{Digest, Sha512};
use taire_text::joint::{self, Follows};
use taire_text::{Entity, Group, KnownIdentity, Label, Mention, Note, Raw, Role, Span, fold};

use crate::account::{Account, Release};
use crate::actions::{DateWidth, TownWidth, Widths};
use crate::fingerprint::SettingsFingerprint;
use crate::join_key::{IdKind, JoinKeys};
use crate::key::{Scope, SecretKey, Streams};
use crate::names::Names;
use crate::people::{NameScopes, People, RecordNames, known_words, written_names};
use crate::places::{Atlas, Chosen};
use crate::profiles::Profiles;
use crate::response::Responses;
use crate::settings::{Action, Dates, NumberStyle, ScopeKind, Settings};
use crate::time::{Frame, FrameContext, FrameScopes};
use crate::{
    Error, contact, event_words, facilities, institution, nir, numbers, streets, tags, wider, words,
};

/// Rewrites notes under one key and one table of settings. It keeps nothing between notes, so threads share it.
pub struct Rewriter {
    streams: Streams,
    join_keys: JoinKeys,
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
    pub releases: Vec<Release>,
    /// Under `ldp` and `metric`: words that place an event without a date ("hier", "J+5"). They stay as they are, and what they
    /// tell is in no loss.
    pub event_words: usize,
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

/// More letters than this are no initials but a name.
const MOST_INITIALS: usize = 3;

const NO_SURROGATE: &str = "no surrogate could be made";
const UNREAD_TIME: &str = "the date or age could not be read";
const NO_WIDER: &str = "there is no wider value";
const BUDGET: &str = "the privacy budget is spent";
const CLINICAL: &str = "it may be a clinical value";
const SAME: &str = "the surrogate would equal the original";

impl Rewriter {
    pub fn new(key: SecretKey, settings: Settings) -> Result<Self, Error> {
        Rewriter::with_keys(&key, &key, settings)
    }

    /// A rewriter whose invented people, dates, places and numbers come from one key, and whose ids that join tables from
    /// another.
    pub fn with_keys(key: &SecretKey, join_key: &SecretKey, settings: Settings) -> Result<Self, Error> {
        settings.check()?;
        let (profiles, table) = match &settings.indicators {
            Some(path) => {
                let (profiles, table) = Profiles::read(path)?;
                (profiles, Some(table))
            }
            None => (Profiles::shipped(), None),
        };
        let fingerprint = SettingsFingerprint::new(&settings, table.as_deref())?;
        let join_keys = JoinKeys::new(join_key, &fingerprint, settings.ids)?;
        Ok(Rewriter { streams: Streams::new(key, &fingerprint)?, join_keys, settings, profiles })
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    fn scope<'a>(&self, document: &'a str, patient: Option<&'a str>) -> Scope<'a> {
        match (self.settings.scope, patient) {
            (ScopeKind::Corpus, _) => Scope::Corpus,
            (ScopeKind::Patient, Some(patient)) => Scope::Patient(patient),
            (ScopeKind::Patient, None) | (ScopeKind::Document, _) => Scope::Document(document),
        }
    }

    /// Sequences are one document's, whatever the scope of the rest; a birth date is its patient's.
    fn frame_scopes<'a>(&self, document: &'a str, patient: Option<&'a str>) -> FrameScopes<'a> {
        let person = patient.filter(|_| self.settings.scope != ScopeKind::Document).map(Scope::Patient);
        FrameScopes { calendar: self.scope(document, patient), document: Scope::Document(document), person }
    }

    /// What each entity becomes. `entities` are disjoint and sorted, as fusion gives them.
    pub fn rewrite(&self, note: &Note, entities: &[Entity]) -> Result<Rewritten, Error> {
        self.rewrite_in_record(note, entities, &RecordNames::default())
    }

    /// The same, with the names of the patient's other documents, which no surrogate may equal.
    pub fn rewrite_in_record(
        &self,
        note: &Note,
        entities: &[Entity],
        record: &RecordNames,
    ) -> Result<Rewritten, Error> {
        check_entities(note, entities)?;
        if entities.is_empty() {
            let by_document = self.settings.dates.by_document();
            let event_words = if by_document { event_words::count(note, &[]) } else { 0 };
            return Ok(Rewritten { event_words, ..Rewritten::default() });
        }
        let document = document_key(note);
        let scope = self.scope(&document, note.patient.as_deref());
        let scopes = self.frame_scopes(&document, note.patient.as_deref());
        let account = Account::new(self.settings.budget.budget());
        let chosen = Chosen { method: self.settings.places, profiles: &self.profiles, account: &account };
        let mut avoid = known_words(&note.known, note.language);
        avoid.extend(written_names(note, entities));
        avoid.extend(record.words().map(str::to_owned));
        let avoid = Arc::new(avoid);
        let names = NameScopes {
            patient: Names::new(&self.streams, scope, note.language, avoid.clone()),
            staff: Names::new(&self.streams, Scope::Corpus, note.language, avoid),
        };
        let job = Job {
            rewriter: self,
            note,
            scope,
            people: People::read(note, entities, &names),
            frame: Frame::new(
                &FrameContext { streams: &self.streams, scopes, settings: &self.settings, account: &account },
                note,
                entities,
            ),
            atlas: Atlas::new(&self.streams, scope, chosen, note, entities),
            site_atlas: Atlas::of_institution(&self.streams, chosen, note, entities),
            institutions: institution::owned(note, entities),
            responses: Responses::new(&self.streams, scope, note.language, &self.settings.response, &account),
            account: &account,
            avoid: known_numbers(&note.known),
            names,
        };
        let mut out = Rewritten::default();
        let mut values: BTreeMap<Label, BTreeMap<String, usize>> = BTreeMap::new();
        for (i, entity) in entities.iter().enumerate() {
            if note.is_cancelled() {
                break;
            }
            let original = note.to_norm(entity.span).of(note.norm());
            let mut fall_back = |why| {
                out.fallbacks.push(Fallback { label: entity.label, why });
                tags::tag(entity.label, self.settings.tags)
            };
            let mut invented = false;
            let mut text = match self.settings.action(entity.label) {
                Action::Keep => continue,
                // A value of medicine is never exchanged for another.
                Action::Surrogate | Action::Generalise if entity.doubtful_value => fall_back(CLINICAL),
                Action::Tag => tags::tag(entity.label, self.settings.tags),
                Action::Mask => tags::MASK.to_owned(),
                Action::Bar => tags::bar(original),
                Action::Remove => String::new(),
                Action::NumberedTag => {
                    let number = job.people.number(i).unwrap_or_else(|| {
                        let known = values.entry(entity.label).or_default();
                        let next = known.len() + 1;
                        *known.entry(fold(original)).or_insert(next)
                    });
                    tags::numbered(entity.label, number, note.language)
                }
                Action::Generalise => job.wider(i, entity, original).unwrap_or_else(|| fall_back(NO_WIDER)),
                Action::Surrogate => match job.surrogate(i, entity, original) {
                    Ok(new)
                        if may_stay(job.meaning(i, entity), original, &self.settings)
                            || squeeze(&new) != squeeze(original) =>
                    {
                        let lapse = is_lapse(job.meaning(i, entity)) && same_numbers(&new, original);
                        invented = !lapse && new != original;
                        // What stays is written as it was read, not as detectors see it: "œ", "’", a hard space.
                        if invented { new } else { entity.span.of(note.raw()).to_owned() }
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
        out.releases = account.into_releases();
        if self.settings.dates.by_document() {
            out.event_words = event_words::count(note, &out.replacements);
        }
        Ok(out)
    }

    /// The surrogate of an id that joins tables. Different ids of a kind have different surrogates, whatever the scope of the
    /// policy; the patient's own number in a text is the same as in its column.
    pub fn join_key(&self, kind: IdKind, id: &str) -> String {
        self.join_keys.surrogate(kind, id)
    }

    /// A name for a file or a folder whose own name may tell who it is about; `path` is where it lies.
    pub fn file_name(&self, path: &[u8]) -> String {
        self.join_keys.file_name(path)
    }

    /// What the patient column of a document becomes. Under scope `document` each document has one of its own: noise is fresh
    /// in each, and whoever could put a patient's documents together would average it away.
    pub fn patient_column(&self, note: &Note) -> Option<String> {
        let patient = note.patient.as_deref()?;
        Some(match self.settings.scope {
            ScopeKind::Document => self.join_keys.unlinked(IdKind::Patient, &document_key(note)),
            ScopeKind::Patient | ScopeKind::Corpus => self.join_key(IdKind::Patient, patient),
        })
    }

    /// Where days of one patient's record go, by the calendar alone: what the measurements of a calendar need. Under
    /// `ldp` and `metric` it is the plain shift of the document's date.
    pub fn move_days(&self, patient: &str, days: &[Date]) -> Vec<Option<Date>> {
        let scope = self.scope(patient, Some(patient));
        let calendar = crate::calendar::Calendar::new(&self.streams, scope, self.settings.dates);
        days.iter().map(|&day| calendar.map(day)).collect()
    }

    /// The moved date of a document; `None` when it has none, or none can be made.
    pub fn document_date(&self, note: &Note) -> Option<Date> {
        let document = document_key(note);
        self.written_day(self.scope(&document, note.patient.as_deref()), note.date?)
    }

    /// A day of a patient's record in a table beside the documents, as it is written in the date of a document.
    pub fn record_day(&self, patient: &str, day: Date) -> Option<Date> {
        self.written_day(self.scope(patient, Some(patient)), day)
    }

    fn written_day(&self, scope: Scope<'_>, day: Date) -> Option<Date> {
        match (self.settings.action(Label::Date), self.settings.generalise.dates) {
            (Action::Keep, _) => Some(day),
            (Action::Generalise, DateWidth::Month) => Some(day.first_of_month()),
            (Action::Generalise, DateWidth::Year) => Some(day.first_of_year()),
            _ => crate::calendar::Calendar::new(&self.streams, scope, self.settings.dates).map(day),
        }
    }
}

/// What a document is known by. With a patient, by the patient and its id, so that a corrected letter is not drawn anew;
/// without one by its text: `lettre.txt` of two people must not share a calendar.
fn document_key(note: &Note) -> String {
    match note.patient.as_deref() {
        Some(patient) => format!("{} {patient} {}", patient.len(), note.id),
        None => {
            let digest = Sha512::digest(note.raw());
            digest[..32].iter().fold("text ".to_owned(), |mut all, b| {
                let _ = write!(all, "{b:02x}");
                all
            })
        }
    }
}

/// What may come out as it was: ages and durations, kept true to the dates around them; places and initials, which are drawn
/// without excluding themselves; dates under `year`, when they were a year; and what a mechanism with a declared loss
/// released. A tag in their place would tell what they were.
fn may_stay(label: Label, original: &str, settings: &Settings) -> bool {
    match label {
        Label::Age | Label::RelativeDate => true,
        Label::City | Label::PostalCode | Label::Region | Label::Country => true,
        Label::Date => settings.dates == Dates::Year || settings.dates.by_document(),
        Label::BirthDate => settings.dates.by_document(),
        Label::Sex | Label::Kinship => true,
        Label::Initials => original.chars().filter(|c| c.is_alphabetic()).count() <= MOST_INITIALS,
        Label::GivenName | Label::FamilyName => {
            words::pieces(original).iter().all(|piece| original[piece.range.clone()].chars().nth(1).is_none())
        }
        _ => false,
    }
}

fn is_lapse(label: Label) -> bool {
    matches!(label, Label::Age | Label::RelativeDate)
}

/// `04 ans` and `4 ans`: the same value, which stays as it was written.
fn same_numbers(new: &str, original: &str) -> bool {
    let plain = |text: &str| {
        let parts = text.split_inclusive(|c: char| !c.is_ascii_digit());
        parts
            .map(|part| if part.starts_with("00") { part } else { part.strip_prefix('0').unwrap_or(part) })
            .collect::<String>()
    };
    plain(new) == plain(original)
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
    names: NameScopes<'a>,
    people: People,
    frame: Frame,
    /// The patient's places, and the institution's.
    atlas: Atlas<'a>,
    site_atlas: Atlas<'a>,
    /// By entity: whether it is the institution's.
    institutions: Vec<bool>,
    responses: Responses<'a>,
    avoid: Vec<String>,
    account: &'a Account,
}

impl Job<'_> {
    /// `desde hace 4 meses` under the label of a date is a distance in time, where another mention has that label.
    fn meaning(&self, index: usize, entity: &Entity) -> Label {
        let distance = |v: &Mention| v.span == entity.span && v.label() == Some(Label::RelativeDate);
        match entity.label {
            Label::Date if !self.frame.reads(index) && entity.mentions.iter().any(distance) => {
                Label::RelativeDate
            }
            label => label,
        }
    }

    fn surrogate(&self, index: usize, entity: &Entity, original: &str) -> Result<String, &'static str> {
        let (streams, language) = (&self.rewriter.streams, self.note.language);
        let (scope, atlas) = match self.institutions[index] {
            true => (Scope::Corpus, &self.site_atlas),
            false => (self.scope, &self.atlas),
        };
        let place = format!("{}\u{1f}{}", self.note.id, entity.span.start());
        let number_scope = match self.rewriter.settings.numbers {
            NumberStyle::Consistent => scope,
            NumberStyle::Random => Scope::Document(&place),
        };
        let after = || &self.note.norm()[self.note.to_norm(entity.span).end()..];
        let made = match self.meaning(index, entity) {
            Label::GivenName | Label::FamilyName | Label::Initials => {
                self.people.text(index).map(str::to_owned)
            }
            Label::Date | Label::BirthDate => self.frame.date_text(index, original),
            Label::Age => self.frame.age_text(index, original, after()),
            Label::RelativeDate => self.frame.relative_text(original, after()),
            Label::Phone | Label::Fax => {
                contact::phone(streams, number_scope, original, language, &self.avoid)
            }
            Label::Email => {
                let role = self.people.role_in_mail(original);
                let scope = if role == Role::Caregiver { Scope::Corpus } else { scope };
                contact::mail(streams, scope, original, |w| self.people.mail_word(w, role, &self.names))
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
                if let Some(own) = self.own_patient_id(original) {
                    return Ok(own);
                }
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
                    None => numbers::surrogate(streams, number_scope, original, &self.avoid),
                }
            }
            Label::City => atlas.city(original),
            Label::PostalCode => atlas.postal_code(entity, original),
            Label::Region => atlas.region(original),
            Label::Country => atlas.country(original),
            Label::Street => streets::surrogate(streams, scope, language, original),
            Label::Hospital | Label::HealthCentre | Label::Institution => {
                let before = &self.note.norm()[..self.note.to_norm(entity.span).start()];
                let near = before.len().saturating_sub(8);
                let near = (0..=near).rev().find(|&i| before.is_char_boundary(i)).unwrap_or(0);
                facilities::surrogate(
                    streams,
                    scope,
                    language,
                    atlas,
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

    /// The surrogate of the patient column, where the text shows the patient's own id.
    fn own_patient_id(&self, original: &str) -> Option<String> {
        let id = self.note.patient.as_deref()?;
        let shown = numbers::compact(original);
        if shown.is_empty() || shown != numbers::compact(id) {
            return None;
        }
        let surrogate = self.rewriter.join_key(IdKind::Patient, id);
        // Under scope `document` texts are not joined by what they show.
        if self.rewriter.settings.scope == ScopeKind::Document || surrogate == original {
            return None;
        }
        Some(numbers::lay_out(&numbers::compact(&surrogate), original).unwrap_or(surrogate))
    }

    /// What must change beside a surrogate. `from` is where the last replacement ends.
    fn mend(&self, index: usize, entity: &Entity, from: usize, original: &str, new: &mut String) -> Mend {
        let raw = self.note.raw();
        let follows = match entity.label {
            Label::City => Follows::Town,
            Label::Date if self.frame.begins_with_season(index) => Follows::Season,
            Label::Kinship if Responses::is_woman(new, self.note.language) => Follows::Woman,
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
    fn wider(&self, index: usize, entity: &Entity, original: &str) -> Option<String> {
        let language = self.note.language;
        let Widths { dates, age_band, towns } = self.rewriter.settings.generalise;
        match (entity.label, towns) {
            (Label::Age, _) => {
                let after = &self.note.norm()[self.note.to_norm(entity.span).end()..];
                self.frame.wider_age(original, after, age_band)
            }
            (Label::Date | Label::BirthDate, _) => self.frame.wider_date(index, dates),
            (Label::PostalCode, _) => wider::postal_code(original),
            (Label::City, TownWidth::Department) => self.atlas.department_of(original),
            (Label::City, TownWidth::Size) => self.atlas.wider(original),
            (Label::Hospital | Label::HealthCentre | Label::Institution, _) => {
                Some(wider::facility(original, language))
            }
            (Label::Profession, _) => wider::profession(original, language),
            _ => None,
        }
    }
}
