//! `words-*.fst`: everything known of one folded word, as the bits of [`Facts`].

use std::collections::{BTreeMap, BTreeSet};

use taire_text::{Facts, Language, fold};

use super::fetch::{self, Lists};
use super::names::Names;
use super::sources::Counts;
use super::towns::Towns;
use super::{Output, Result, fst_bytes, hand, parts, read};

/// Dictionary words among the first so many of the frequency list are frequent.
const FREQUENT: usize = 9_000;

pub(crate) struct Words {
    language: Language,
    facts: BTreeMap<String, Facts>,
}

impl Words {
    pub(crate) fn build(
        lists: &Lists,
        language: Language,
        names: &Names,
        towns: &Towns,
        counts: &mut Counts,
    ) -> Result<Words> {
        let mut words = Words { language, facts: BTreeMap::new() };
        for (word, (tier, female)) in names.given(language) {
            words.note(word, |f| f.with_given(tier, female));
        }
        for (word, tier) in names.family(language) {
            words.note(word, |f| f.with_family(tier));
        }
        words.ordinary(lists, counts)?;
        words.medicine(lists, counts)?;
        words.people(lists, counts)?;
        words.places(lists, towns)?;
        let facilities = hand::lines(hand::facilities(language)).filter_map(|l| l.split_once(' '));
        for name in facilities.flat_map(|(_, names)| names.split('|')) {
            if let Some(first) = parts(name).first() {
                words.note(first, Facts::with_facility_start);
            }
        }
        Ok(words)
    }

    pub(crate) fn get(&self, word: &str) -> Facts {
        self.facts.get(word).copied().unwrap_or_default()
    }

    pub(crate) fn write(self, output: &mut Output) -> Result<()> {
        let bits = self.facts.into_iter().map(|(word, facts)| (word, facts.bits())).collect();
        output.insert(format!("words-{}.fst", self.language.key()), fst_bytes(&bits)?);
        Ok(())
    }

    fn note(&mut self, word: &str, change: impl FnOnce(Facts) -> Facts) {
        let facts = self.facts.entry(word.to_owned()).or_default();
        *facts = change(*facts);
    }

    fn class(&mut self, word: &str, class: u8) {
        self.note(word, |f| f.with_word_class(class.max(f.word_class())));
    }

    fn ordinary(&mut self, lists: &Lists, counts: &mut Counts) -> Result<()> {
        let (package, frequent) = match self.language {
            Language::Fr => (fetch::FR_WORDS, fetch::FR_FREQUENT),
            Language::Es => (fetch::ES_WORDS, fetch::ES_FREQUENT),
        };
        // Compounds give no word: `bernard-l'ermite` does not make `bernard` one.
        let mut dictionary: BTreeSet<String> = read::string_array(lists, package, "index.json")?
            .iter()
            .filter(|w| w.chars().all(char::is_alphabetic))
            .map(|w| fold(w))
            .collect();
        counts.add(package, "words, folded", dictionary.len());
        let mut proper = BTreeSet::new();
        if self.language == Language::Fr {
            let lemmas = read::hunspell(lists)?;
            counts.add(fetch::FR_HUNSPELL, "lemmas", lemmas.len());
            for lemma in lemmas.iter().filter(|l| l.form.chars().all(char::is_alphabetic)) {
                if lemma.is_proper() {
                    proper.insert(fold(&lemma.form));
                } else {
                    dictionary.insert(fold(&lemma.form));
                }
            }
        }
        for word in &dictionary {
            self.class(word, 1);
        }
        let mut kept = 0;
        for word in read::shared_prefixes(lists, frequent, "commonWords")?.iter().take(FREQUENT) {
            let word = fold(word);
            // The list is of subtitles in lower case, so the rank of `martin` or `rosa` is that of people.
            let facts = self.get(&word);
            let person = facts.given_tier() >= 4 || facts.family_tier() >= 5 || proper.contains(&word);
            if dictionary.contains(&word) && !person {
                self.class(&word, 2);
                kept += 1;
            }
        }
        counts.add(frequent, "frequent words", kept);
        for word in hand::items(hand::ordinary(self.language)) {
            self.class(&fold(word), 2);
        }
        for word in hand::items(hand::function(self.language)) {
            self.note(&fold(word), |f| f.with_word_class(3).with_given(0, 0).with_family(0));
        }
        Ok(())
    }

    fn medicine(&mut self, lists: &Lists, counts: &mut Counts) -> Result<()> {
        let labels = read::icd10(lists)?;
        let mut terms = BTreeSet::new();
        let mut capitals = BTreeSet::new();
        for (_, label) in &labels {
            let label = label.replace('\u{2019}', "'");
            let mut sentence_start = true;
            for token in taire_text::tokenise(&label) {
                let word = token.of(&label);
                if token.kind == taire_text::Kind::Word && word.chars().count() >= 4 {
                    match token.shape {
                        taire_text::Shape::Lower => {
                            terms.insert(fold(word));
                        }
                        taire_text::Shape::Title if sentence_start => {
                            terms.insert(fold(word));
                        }
                        taire_text::Shape::Title | taire_text::Shape::Mixed => {
                            capitals.insert(fold(word));
                        }
                        _ => {}
                    }
                }
                sentence_start = matches!(word, "." | ":" | "[" | "(" | "\"" | "«");
            }
        }
        capitals.retain(|w| !terms.contains(w));
        if self.language == Language::Fr {
            for word in &terms {
                self.medical(word);
            }
        }
        // A capital inside a label is somebody's name, or a germ's: both are medicine here.
        let mut mined = 0;
        for word in &capitals {
            let facts = self.get(word);
            if facts.given_tier() < 6 && facts.family_tier() < 7 && facts.word_class() < 2 {
                self.note(word, if facts.is_name() { Facts::with_eponym } else { Facts::with_medical });
                mined += 1;
            }
        }
        counts.add(fetch::EDSNLP, "words of ICD-10 labels", terms.len());
        counts.add(fetch::EDSNLP, "capitalised words of labels", mined);
        for word in hand::items(hand::medical(self.language)) {
            self.note(&fold(word), Facts::with_medical);
        }
        for word in hand::items(hand::eponyms(self.language)).flat_map(parts) {
            // `Louis` or `Pierre` are eponyms only inside a longer one, which context tells.
            let facts = self.get(&word);
            if word.chars().count() >= 3 && facts.word_class() < 3 && facts.given_tier() < 6 {
                self.note(&word, Facts::with_eponym);
            }
        }
        let drugs = read::drugs(lists)?;
        counts.add(fetch::EDSNLP, "names of drugs", drugs.len());
        let mut seen = BTreeSet::new();
        for word in drugs.iter().flat_map(|d| parts(d)) {
            if word.chars().count() >= 4 && seen.insert(word.clone()) {
                self.drug(&word);
                if self.language == Language::Es
                    && let Some(spanish) = spanish_substance(&word)
                {
                    self.drug(&spanish);
                }
            }
        }
        for list in [hand::drugs(self.language), hand::drug_names(self.language)] {
            for word in hand::items(list) {
                self.note(&fold(word), Facts::with_drug);
            }
        }
        Ok(())
    }

    /// A word of a label; very frequent names stay names.
    fn medical(&mut self, word: &str) {
        let facts = self.get(word);
        if facts.word_class() < 3
            && facts.given_tier() < 6
            && (facts.family_tier() < 6 || facts.word_class() > 1)
        {
            self.note(word, Facts::with_medical);
        }
    }

    fn drug(&mut self, word: &str) {
        let facts = self.get(word);
        if facts.given_tier() >= 5 || facts.family_tier() >= 6 || facts.word_class() == 3 {
            return;
        }
        let generic = facts.word_class() == 2 || !word.chars().all(char::is_alphabetic);
        self.note(word, if generic { Facts::with_medical } else { Facts::with_drug });
    }

    fn people(&mut self, lists: &Lists, counts: &mut Counts) -> Result<()> {
        let provider = match self.language {
            Language::Fr => "job/fr_FR",
            Language::Es => "job/es",
        };
        let jobs = read::faker(lists, provider, "jobs")?;
        counts.add(fetch::FAKER, format!("professions ({})", self.language), jobs.len());
        let heads = jobs.iter().filter_map(|job| parts(job).into_iter().next());
        let written = hand::items(hand::professions(self.language)).map(fold);
        for job in heads.chain(written).filter(|j| j.chars().count() >= 4).collect::<BTreeSet<_>>() {
            for form in job_forms(&job, self.language) {
                if self.get(&form).given_tier() < 5 {
                    self.note(&form, Facts::with_profession);
                }
            }
        }
        let file = format!("langs/{}.json", self.language.key());
        let nationalities = lists.json(fetch::NATIONALITIES, &file)?;
        let nationalities = nationalities["nationalities"].as_object().ok_or("no nationalities")?;
        counts.add(fetch::NATIONALITIES, format!("demonyms ({})", self.language), nationalities.len());
        let listed = nationalities.values().filter_map(|v| v.as_str()).filter(|d| !d.contains(' '));
        let written = hand::items(hand::demonyms(self.language));
        for demonym in listed.chain(written).map(fold).collect::<BTreeSet<_>>() {
            for form in demonym_forms(&demonym, self.language) {
                self.note(&form, Facts::with_demonym);
            }
        }
        Ok(())
    }

    fn places(&mut self, lists: &Lists, towns: &Towns) -> Result<()> {
        for name in towns.names.keys() {
            match name.split_once(' ') {
                None if name.chars().count() >= 3 => self.note(name, Facts::with_town),
                None => {}
                Some((first, _)) => self.note(first, Facts::with_town_start),
            }
        }
        for (name, (country, _)) in &towns.places {
            let first = name.split(' ').next().unwrap_or(name);
            if first.chars().count() >= 3 {
                self.note(first, if *country { Facts::with_country } else { Facts::with_region });
            }
        }
        let file = format!("resources/libpostal/dictionaries/{}/street_types.txt", self.language.key());
        let types = lists.text(fetch::PELIAS, &file)?;
        let full = types.lines().filter_map(|line| line.split('|').next()).map(str::trim);
        for way in full.chain(hand::items(hand::ways(self.language))) {
            if let [word] = &parts(way)[..]
                && self.get(word).word_class() < 3
                && word.len() > 1
            {
                self.note(word, Facts::with_way);
            }
        }
        Ok(())
    }
}

/// The Spanish spelling of a French substance, by the families substances come in.
fn spanish_substance(word: &str) -> Option<String> {
    const ENDINGS: &[(&str, &str)] = &[
        ("ine", "ina"),
        ("ide", "ida"),
        ("one", "ona"),
        ("ole", "ol"),
        ("ate", "ato"),
        ("ane", "ano"),
        ("ene", "eno"),
        ("ase", "asa"),
        ("ique", "ico"),
        ("ium", "io"),
        ("ame", "amo"),
        ("ure", "uro"),
        ("ose", "osa"),
        ("ame", "amo"),
        ("ime", "ima"),
        ("ile", "ilo"),
    ];
    let (stem, ending) = ENDINGS.iter().find_map(|(fr, es)| Some((word.strip_suffix(fr)?, es)))?;
    if stem.len() < 4 {
        return None;
    }
    let stem = stem.replace("ph", "f").replace("th", "t").replace('y', "i").replace("rh", "r");
    let stem =
        stem.replace("mm", "m").replace("nn", "n").replace("ch", "c").replace("ff", "f").replace("tt", "t");
    Some(stem + ending)
}

fn job_forms(job: &str, language: Language) -> Vec<String> {
    let rules: &[(&str, &str)] = match language {
        Language::Fr => {
            &[("teur", "trice"), ("eur", "euse"), ("ier", "iere"), ("ien", "ienne"), ("er", "ere")]
        }
        Language::Es => &[("or", "ora"), ("ero", "era"), ("ico", "ica"), ("o", "a")],
    };
    let mut forms = vec![job.to_owned()];
    forms.extend(rules.iter().find_map(|(m, f)| Some(job.strip_suffix(m)?.to_owned() + f)));
    plural(forms, language)
}

fn demonym_forms(demonym: &str, language: Language) -> Vec<String> {
    let mut forms = vec![demonym.to_owned()];
    let feminine = match language {
        Language::Fr => match demonym {
            d if d.ends_with("en") => Some(format!("{d}ne")),
            d if d.ends_with(['e', 'i']) => None,
            d => Some(format!("{d}e")),
        },
        Language::Es => match demonym {
            d if d.ends_with('o') => Some(d[..d.len() - 1].to_owned() + "a"),
            d if d.ends_with("es") || d.ends_with("an") || d.ends_with('l') => Some(format!("{d}a")),
            _ => None,
        },
    };
    forms.extend(feminine);
    plural(forms, language)
}

fn plural(mut forms: Vec<String>, language: Language) -> Vec<String> {
    let plurals: Vec<String> = forms
        .iter()
        .filter(|f| !f.ends_with(['s', 'x', 'z']) || language == Language::Es)
        .map(|f| match language {
            Language::Es if !f.ends_with(['a', 'e', 'o', 'u']) => format!("{f}es"),
            _ => format!("{f}s"),
        })
        .collect();
    forms.extend(plurals);
    forms
}
