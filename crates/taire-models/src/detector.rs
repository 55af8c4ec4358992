//! The CRF as a detector: lines in, mentions with calibrated-by-the-model scores out.

use std::sync::Mutex;

use taire_detect::Detector;
use taire_detect::words::WordClass;
use taire_text::{Group, Kind, Label, Mention, Note, Role, Shape, Source, Token, fold};

use crate::Error;
use crate::classes::{Category, Class};
use crate::crf::{Crf, DecodedSpan, Scratch};
use crate::features::{Document, LineView, Reach, Settings};

/// Finds what its model was trained to find.
///
/// It reads the mentions that earlier detectors left in the output, where it was trained with them.
#[derive(Debug)]
pub struct CrfDetector {
    model: Crf,
    classes: Vec<Class>,
    settings: Settings,
    /// Buffers at rest; a call takes one and gives it back.
    buffers: Mutex<Vec<Buffers>>,
}

#[derive(Debug, Default)]
struct Buffers {
    document: Document,
    scratch: Scratch,
    found: Vec<DecodedSpan>,
}

impl CrfDetector {
    pub fn new(model: Crf) -> Result<CrfDetector, Error> {
        let classes = model.classes().iter().map(|c| c.parse()).collect::<Result<_, Error>>()?;
        let settings = Settings::from_bits(model.settings());
        Ok(CrfDetector { model, classes, settings, buffers: Mutex::default() })
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<CrfDetector, Error> {
        CrfDetector::new(Crf::from_bytes(bytes)?)
    }

    /// The language the model was trained for.
    pub fn language(&self) -> taire_text::Language {
        self.model.language()
    }

    /// Whether mentions of this source change what the model sees.
    pub fn uses(&self, source: Source) -> bool {
        self.settings.uses(source)
    }

    /// What the model finds, by its own classes: raw span, class, probability. Names are not split.
    pub fn classify(
        &self,
        note: &Note,
        mentions: &[Mention],
    ) -> Vec<(taire_text::Span<taire_text::Raw>, Class, f32)> {
        let mut out = Vec::new();
        self.each(note, mentions, |first, last, class, p| {
            out.push((note.raw_of_tokens(first, last), class, p))
        });
        out
    }

    pub(crate) fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// How likely each label is at each token that the model reads: `O`, every begin, every inside.
    pub(crate) fn marginals(&self, note: &Note, mentions: &[Mention], mut see: impl FnMut(usize, &[f32])) {
        let lock = || self.buffers.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut buffers = lock().pop().unwrap_or_default();
        let Buffers { document, scratch, .. } = &mut buffers;
        document.read(note, mentions, self.settings, self.model.vocabulary(), Reach::Near);
        for line in document.pieces.iter().take_while(|_| !note.is_cancelled()) {
            self.model.label(&LineView { document, line }, scratch);
            let rows = self.model.marginals(scratch).chunks_exact(1 + 2 * self.classes.len());
            rows.enumerate().for_each(|(i, row)| see(line.tokens.start + i, row));
        }
        lock().push(buffers);
    }

    pub(crate) fn each(
        &self,
        note: &Note,
        mentions: &[Mention],
        mut see: impl FnMut(usize, usize, Class, f32),
    ) {
        let lock = || self.buffers.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut buffers = lock().pop().unwrap_or_default();
        let Buffers { document, scratch, found } = &mut buffers;
        document.read(note, mentions, self.settings, self.model.vocabulary(), Reach::Near);
        for line in &document.pieces {
            self.model.label(&LineView { document, line }, scratch);
            self.model.spans(scratch, found);
            for span in found.iter() {
                let (first, last) =
                    (line.tokens.start + span.tokens.start, line.tokens.start + span.tokens.end - 1);
                see(first, last, self.classes[span.class], span.probability);
            }
        }
        lock().push(buffers);
    }
}

impl Detector for CrfDetector {
    fn source(&self) -> Source {
        Source::Crf
    }

    fn detect(&self, notes: &[Note], out: &mut [Vec<Mention>]) -> Result<(), taire_detect::Error> {
        append_found(notes, out, |note, before, found| {
            self.each(note, before, |first, last, class, p| {
                push_mentions(note, (first, last), class, p, Source::Crf, found);
            });
        });
        Ok(())
    }
}

/// Calls `find` with each note and the mentions of earlier detectors, and appends what it found to them.
pub(crate) fn append_found(
    notes: &[Note],
    out: &mut [Vec<Mention>],
    mut find: impl FnMut(&Note, &[Mention], &mut Vec<Mention>),
) {
    for (note, out) in notes.iter().zip(out) {
        let mut found = Vec::new();
        find(note, out, &mut found);
        out.append(&mut found);
    }
}

/// What a model found, as mentions: whole names split, with corrections that its class cannot express.
pub(crate) fn push_mentions(
    note: &Note,
    (first, last): (usize, usize),
    class: Class,
    score: f32,
    source: Source,
    out: &mut Vec<Mention>,
) {
    let mut put = |first, last, label, role| {
        let why = reason(note, first, last, label);
        let span = note.raw_of_tokens(first, last);
        out.push(Mention::phi(span, label, score, source, why).with_role(role));
    };
    match class.category {
        Category::Name => split_name(note, first, last, |a, b, label| put(a, b, label, class.role)),
        // A relative's name is a name: "su mujer Encarna".
        Category::Label(Label::Kinship) if name_inside(note, first, last).is_some() => {
            let name = name_inside(note, first, last).unwrap_or(last);
            put(first, name - 1, Label::Kinship, class.role);
            split_name(note, name, last, |a, b, label| put(a, b, label, Role::Relative));
        }
        Category::Label(Label::Street) if is_measurement(note, first, last) => {}
        Category::Label(label) => {
            let label = refine(label, &note.tokens[first..=last]);
            put(first, last, label, class.role);
        }
    }
}

/// What a person sees where the model found something: the words before it, or what it is itself.
fn reason(note: &Note, first: usize, last: usize, label: Label) -> &'static str {
    let before = first.checked_sub(1).map(|i| &note.tokens[i]);
    let facts = || note.tokens[first..=last].iter().map(|t| t.facts);
    match before.and_then(WordClass::of) {
        _ if before.is_some_and(|t| t.of(note.norm()) == ":") => {
            "learned from annotated documents; stands after a colon"
        }
        Some(class) if class.is_title() => "learned from annotated documents; stands after a title",
        Some(WordClass::PlaceVerb) => "learned from annotated documents; stands after a word of place",
        _ if label.group() == Group::Person && facts().any(|f| f.is_name()) => {
            "learned from annotated documents; holds a word on a list of names"
        }
        _ if label.group() == Group::Place
            && facts().any(|f| f.is_town() || f.is_region() || f.is_country()) =>
        {
            "learned from annotated documents; holds a word on a list of places"
        }
        _ if note.tokens[first..=last].iter().any(|t| t.kind == Kind::Number) => {
            "learned from annotated documents; holds a number"
        }
        _ => "learned from annotated documents; by its form and neighbours",
    }
}

/// The first capitalised word after the first token, where all words from it on are capitalised or particles.
fn name_inside(note: &Note, first: usize, last: usize) -> Option<usize> {
    let name = (first + 1..=last).find(|&i| note.tokens[i].is_capitalised())?;
    let words = note.tokens[name..=last].iter().filter(|t| t.kind == Kind::Word);
    let all =
        words.clone().all(|t| t.is_capitalised() || matches!(t.of(note.norm()), "de" | "la" | "del" | "y"));
    (all && note.tokens[name..=last].iter().all(|t| t.kind != Kind::Number)).then_some(name)
}

/// "CEA 4.5, Cyfra 21-1": decimals or a percentage and no way.
fn is_measurement(note: &Note, first: usize, last: usize) -> bool {
    let (tokens, text) = (&note.tokens[first..=last], note.norm());
    let decimal = tokens.windows(3).any(|t| {
        t[0].kind == Kind::Number
            && t[1].glued
            && matches!(t[1].of(text), "." | ",")
            && t[2].glued
            && t[2].kind == Kind::Number
    });
    (decimal || tokens.iter().any(|t| t.of(text) == "%")) && !tokens.iter().any(|t| t.facts.is_way())
}

/// A place that only lists of regions know is a region.
fn refine(label: Label, tokens: &[Token]) -> Label {
    let region = label == Label::City
        && tokens.iter().any(|t| t.facts.is_region())
        && !tokens.iter().any(|t| t.facts.is_town() || t.facts.starts_town());
    if region { Label::Region } else { label }
}

/// Splits a whole name into its given and family parts.
///
/// Written with a comma the family name comes first. Otherwise every split into a given part then a family part, or
/// the reverse, is weighed by how frequent each word is on either list; unknown words lean to given first.
pub(crate) fn split_name(note: &Note, first: usize, last: usize, mut put: impl FnMut(usize, usize, Label)) {
    let tokens = &note.tokens[first..=last];
    let words: Vec<usize> = (0..tokens.len()).filter(|&i| tokens[i].kind == Kind::Word).collect();
    if words.is_empty() {
        return put(first, last, Label::FamilyName);
    }
    if words.iter().all(|&i| tokens[i].shape == Shape::Single) {
        return put(first, last, Label::Initials);
    }
    let text = note.norm();
    if let Some(comma) = tokens.iter().position(|t| t.of(text) == ",")
        && comma > 0
        && comma + 1 < tokens.len()
    {
        put(first, first + comma - 1, Label::FamilyName);
        return put(first + comma + 1, last, Label::GivenName);
    }
    match named_by_key(note, first) {
        Some(label) => return put(first, last, label),
        None if words.len() == 1 => {
            let facts = tokens[words[0]].facts;
            let given = facts.given_tier() > facts.family_tier();
            return put(first, last, if given { Label::GivenName } else { Label::FamilyName });
        }
        None => {}
    }
    let lean = |i: usize| {
        let facts = tokens[i].facts;
        let given = facts.given_tier() + 2 * u8::from(tokens[i].shape == Shape::Single);
        i32::from(given) - i32::from(facts.family_tier())
    };
    let total: i32 = words.iter().map(|&i| lean(i)).sum();
    let mut best = (i32::MIN, 0, true);
    let mut before = 0;
    for k in 1..words.len() {
        before += lean(words[k - 1]);
        let forward = 2 * before - total;
        // One given name is likelier than several, given first likelier than family first.
        let forward_score = forward * 4 + 8 - k as i32;
        let backward_score = -forward * 4 - (words.len() - k) as i32;
        for (score, given_first) in [(forward_score, true), (backward_score, false)] {
            if score > best.0 {
                best = (score, k, given_first);
            }
        }
    }
    let (_, mut k, given_first) = best;
    // Particles and what is joined by a hyphen stay with what follows them.
    while k > 1 && (tokens[words[k - 1]].shape == Shape::Lower || joined(note, first + words[k])) {
        k -= 1;
    }
    if joined(note, first + words[k]) {
        return put(first, last, Label::FamilyName);
    }
    let cut = first + words[k];
    let end =
        (first..cut).rev().find(|&t| note.tokens[t].kind != Kind::Mark || note.tokens[t].of(text) == ".");
    let (a, b) = if given_first {
        (Label::GivenName, Label::FamilyName)
    } else {
        (Label::FamilyName, Label::GivenName)
    };
    put(first, end.unwrap_or(cut - 1), a);
    put(cut, last, b);
}

/// Whether a token hangs on the one before by a hyphen or an apostrophe.
fn joined(note: &Note, token: usize) -> bool {
    let text = note.norm();
    token > 0
        && note.tokens[token].glued
        && matches!(note.tokens[token - 1].of(text), "-" | "'")
        && note.tokens[token - 1].glued
}

/// A key such as `Apellidos:` right before the name says which part it is.
fn named_by_key(note: &Note, first: usize) -> Option<Label> {
    let text = note.norm();
    let colon = first.checked_sub(1).filter(|&i| note.tokens[i].of(text) == ":")?;
    let word = colon.checked_sub(1).filter(|&i| note.tokens[i].kind == Kind::Word)?;
    match fold(note.tokens[word].of(text)).as_str() {
        "nombre" | "prenom" | "prenoms" => Some(Label::GivenName),
        "apellido" | "apellidos" | "nom" => Some(Label::FamilyName),
        _ => None,
    }
}
