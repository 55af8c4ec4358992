//! Medical prose given from outside: carriers of invented people, and text that names nobody.
//!
//! Published cases hold dates, ages, sexes and relatives of their own; those that are recognised are marked, and a
//! sentence in which a name, a place or a facility may occur is left out.

use std::ops::Range;
use std::path::Path;

use regex::Regex;
use taire_lexicon::Lexicon;
use taire_text::{Gender, Label, Language, date, fold, normalise, tokenise};

use crate::cells::Mark;

/// Where a person can be named instead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PatientPlace {
    /// "le patient", "elle" before a verb: replaced by the name.
    Subject,
    /// "d'un patient": replaced by "de" and the name.
    Genitive,
}

#[derive(Debug)]
pub(crate) struct Sentence {
    pub(crate) text: String,
    /// What the sentence holds of itself, then where to name the patient; disjoint, in order.
    pub(crate) spans: Vec<(Range<usize>, Mark)>,
    pub(crate) places: Vec<(Range<usize>, PatientPlace)>,
}

#[derive(Debug, Default)]
pub(crate) struct Prose {
    /// Cases by the patient's sex.
    pub(crate) female: Vec<Vec<Sentence>>,
    pub(crate) male: Vec<Vec<Sentence>>,
}

impl Prose {
    pub(crate) fn cases(&self, gender: Gender) -> &[Vec<Sentence>] {
        match gender {
            Gender::Female => &self.female,
            Gender::Male => &self.male,
        }
    }

    /// Reads a `.jsonl` file with `text` fields, or the `.txt` files of a folder. Every fourth case is kept for
    /// held-out families.
    pub(crate) fn read(path: &Path, language: Language, held_out: bool) -> Result<Prose, String> {
        let fail = |e: std::io::Error| format!("cannot read {}: {e}", path.display());
        let mut texts = Vec::new();
        if path.is_dir() {
            let mut files = Vec::new();
            for entry in std::fs::read_dir(path).map_err(fail)? {
                files.push(entry.map_err(fail)?.path());
            }
            files.sort();
            for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "txt")) {
                texts.push(std::fs::read_to_string(file).map_err(fail)?);
            }
        } else {
            for (number, line) in std::fs::read_to_string(path).map_err(fail)?.lines().enumerate() {
                let value: serde_json::Value = serde_json::from_str(line)
                    .map_err(|e| format!("{}: line {}: {e}", path.display(), number + 1))?;
                texts.extend(value["text"].as_str().map(str::to_owned));
            }
        }
        let kept = texts.iter().enumerate().filter(|(i, _)| (i % 4 == 3) == held_out).map(|(_, t)| t);
        let prose = Prose::from_texts(kept.map(String::as_str), language)?;
        if prose.female.is_empty() || prose.male.is_empty() {
            return Err(format!("{} holds no usable cases of each sex", path.display()));
        }
        Ok(prose)
    }

    pub(crate) fn from_texts<'a>(
        texts: impl Iterator<Item = &'a str>,
        language: Language,
    ) -> Result<Prose, String> {
        let marker = Marker::new(language).map_err(|e| e.to_string())?;
        let mut prose = Prose::default();
        for text in texts {
            let view = normalise(text);
            let text = view.text.as_deref().unwrap_or(text);
            let case: Vec<Sentence> = sentences(text).filter_map(|s| marker.read(s)).collect();
            if case.len() < 2 {
                continue;
            }
            let women = marker.female.find_iter(text).count();
            let men = marker.male.find_iter(text).count();
            if women > men { prose.female.push(case) } else { prose.male.push(case) }
        }
        Ok(prose)
    }
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['.', '\n'])
        .scan((0usize, 0usize), move |(start, at), piece| {
            *at += piece.len();
            let next = text[*at..].chars().find(|c| !c.is_whitespace());
            let blank =
                text[*at..].starts_with(char::is_whitespace) || piece.ends_with('\n') || next.is_none();
            if blank && next.is_none_or(char::is_uppercase) {
                let sentence = text[*start..*at].trim();
                *start = *at;
                Some(Some(sentence))
            } else {
                Some(None)
            }
        })
        .flatten()
        .filter(|s| (25..500).contains(&s.len()) && s.ends_with('.'))
}

struct Marker {
    language: Language,
    lexicon: &'static Lexicon,
    doubtful: Regex,
    ages: Vec<Regex>,
    relative: Regex,
    sex: Regex,
    kin: Regex,
    subject: Regex,
    genitive: Regex,
    female: Regex,
    male: Regex,
}

impl Marker {
    fn new(language: Language) -> Result<Marker, regex::Error> {
        let french = language == Language::Fr;
        let pick = |fr: &str, es: &str| Regex::new(if french { fr } else { es });
        let ages: &[&str] = if french {
            &[
                r"(?i)\bâgée?s? (?:de |d')((?:\d{1,3}|[a-zé-]+(?: et un| ans)?) (?:ans|mois|jours|semaines)(?: et demie?)?)",
                r"(?i)\bâge de ((?:\d{1,3}|[a-z-]+) (?:ans|mois|jours))",
                r"(?i)\b(?:patiente?|homme|femme|garçon|fille|fillette|enfant|nourrisson|monsieur|dame|nouveau-né) (?:\w+ )?de (\d{1,3} (?:ans|mois|jours|semaines))",
                r"(?i)\bde (\d{1,3} ans)[,\s]+(?:sans|aux|avec|suivie?|connue?|admise?|hospitalisée?)\b",
            ]
        } else {
            &[
                r"(?i)\b(\d{1,3} (?:años|meses|días|semanas)) de (?:edad|vida)\b",
                r"(?i)\b(?:paciente|varón|mujer|hombre|niñ[oa]|lactante|enferm[oa]|señora?|adolescente|neonato) (?:\w+ ){0,2}de (\d{1,3} (?:años|meses|días|semanas))",
                r"(?i)\bedad de (\d{1,3} (?:años|meses))",
                r"(?i)\ba los ([2-9]\d años)\b",
                r"(?i)^Paciente \w+, (?:de )?(\d{1,3} años)",
            ]
        };
        Ok(Marker {
            language,
            lexicon: Lexicon::of(language),
            doubtful: pick(
                r"(?i)\b(?:m\.|mr|mme|mlle|monsieur|madame|dr|docteur|pr|professeur|hôpital|hopital|hôpitaux|chu|chr|clinique [A-Z]|université|faculté|ville|village|centre hospitalier|laboratoire|institut|née? (?:le|en)|n°)\b|[\w.]@|https?:|www\.|&|®,",
                r"(?i)\b(?:dr|dra|sr|sra|don|doña|hospital|hospitalario|clínica [A-Z]|universidad|facultad|ciudad|provincia|centro de|instituto|laboratorio|nacid[oa]|natural de|nº)\b|[\w.]@|https?:|www\.|&|®,",
            )?,
            ages: ages.iter().map(|a| Regex::new(a)).collect::<Result<_, _>>()?,
            relative: pick(
                r"(?i)\b((?:il y a|depuis) (?:environ )?(?:\d{1,3}|une?|deux|trois|quatre|cinq|six|sept|huit|dix|douze|quinze|quelques|plusieurs) (?:ans?|années?|mois|semaines?|jours?|heures?))\b",
                r"(?i)\b((?:desde )?hace (?:unos |aproximadamente )?(?:\d{1,3}|una?|dos|tres|cuatro|cinco|seis|siete|ocho|diez|doce|varios|varias|algunos) (?:años?|mes(?:es)?|semanas?|días?|horas?))\b",
            )?,
            sex: pick(
                r"(?i)\b(homme|femme|garçon|fillette|sexe (?:féminin|masculin))\b",
                r"(?i)\b(varón|varon|mujer|hombre|niño|niña)\b",
            )?,
            kin: pick(
                r"(?i)\b((?:grand-)?père|(?:grand-)?mère|frères?|soeurs?|tante|oncle|cousine?|époux|épouse|mari|parents)\b|\b(?:sa|ses|son) (filles?|fils|conjointe?)\b",
                r"(?i)\b(padres?|madre|hij[oa]s?|herman[oa]s?|abuel[oa]s?|espos[oa]|marido|t[ií][oa]s?|prim[oa]s hermanas?|familia|familiares)\b",
            )?,
            subject: pick(
                r"\b((?:[Ll]e|[Cc]e|[Nn]otre) patient|(?:[Ll]a|[Cc]ette|[Nn]otre) patiente)\b|^(Il|Elle) (?:a |est |présent|avait |était |se plai|consult|rapport|signal|ne )",
                r"\b((?:[Ee]l|[Ll]a|[Nn]uestr[oa]|[Ee]ste|[Ee]sta) paciente)\b",
            )?,
            genitive: pick(r"\b(d'une? patiente?)\b", r"\b(de una? paciente)\b")?,
            female: pick(
                r"(?i)\b(?:patiente|elle|femme|fille|fillette)\b",
                r"(?i)\b(?:la paciente|mujer|niña|una paciente|enferma|ella)\b",
            )?,
            male: pick(
                r"(?i)\b(?:patient|il|homme|garçon)\b",
                r"(?i)\b(?:el paciente|varón|niño|un paciente|enfermo|hombre)\b",
            )?,
        })
    }

    /// A sentence with its marks; none if somebody or some place may be named in it.
    fn read(&self, text: &str) -> Option<Sentence> {
        if self.doubtful.is_match(text) || self.may_name(text) {
            return None;
        }
        let mut spans: Vec<(Range<usize>, Mark)> = Vec::new();
        let mut add = |range: Range<usize>, label: Label| {
            if spans.iter().all(|(r, _)| r.end <= range.start || range.end <= r.start) {
                spans.push((range, Mark::of(label)));
            }
        };
        for age in &self.ages {
            age.captures_iter(text).filter_map(|c| c.get(1)).for_each(|m| add(m.range(), Label::Age));
        }
        self.relative.find_iter(text).for_each(|m| add(m.range(), Label::RelativeDate));
        let mut found = Vec::new();
        date::find(text, &tokenise(text), self.language, &mut found);
        for date in found.iter().filter(|d| d.confidence > 0.3 && !d.law) {
            add(date.span.start()..date.span.end(), Label::Date);
        }
        self.sex.find_iter(text).for_each(|m| add(m.range(), Label::Sex));
        for c in self.kin.captures_iter(text) {
            if let Some(m) = c.get(1).or(c.get(2)) {
                add(m.range(), Label::Kinship);
            }
        }
        spans.sort_by_key(|(r, _)| r.start);
        let mut places: Vec<(Range<usize>, PatientPlace)> = Vec::new();
        for (regex, place) in
            [(&self.subject, PatientPlace::Subject), (&self.genitive, PatientPlace::Genitive)]
        {
            for c in regex.captures_iter(text) {
                if let Some(m) = c.get(1).or_else(|| c.get(2))
                    && spans.iter().all(|(r, _)| r.end <= m.start() || m.end() <= r.start)
                {
                    places.push((m.range(), place));
                }
            }
        }
        places.sort_by_key(|(r, _)| r.start);
        Some(Sentence { text: text.to_owned(), spans, places })
    }

    /// Whether a capitalised word inside the sentence may be a person's or a place's name.
    fn may_name(&self, text: &str) -> bool {
        let mut after_point = true;
        for token in tokenise(text) {
            let word = token.of(text);
            let inside = !std::mem::replace(&mut after_point, matches!(word, "." | ":" | "-" | "•"));
            let mut chars = word.chars();
            let capital = chars.next().is_some_and(char::is_uppercase);
            let long = word.chars().count() >= 3;
            if !inside || !capital || !long {
                continue;
            }
            let facts = self.lexicon.facts(&fold(word));
            if facts.is_eponym() || facts.is_drug() || facts.is_medical() {
                continue;
            }
            let shouted = !chars.any(char::is_lowercase);
            let place = facts.is_town() || facts.is_country() || facts.is_region() || facts.is_demonym();
            if place || (facts.is_name() && !(shouted && word.chars().count() <= 5)) {
                return true;
            }
        }
        false
    }
}
