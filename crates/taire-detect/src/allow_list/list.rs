//! Lists of judged words: the plain file that people sort, in a terminal or in a spreadsheet.
//!
//! One line a word, tab between columns: `word`, `accept` or `refuse` or nothing, how often it was seen, and one
//! context in which everything else unknown is masked. Words are folded on reading, so that a person may write
//! accents and capitals. A line with `#` is a pattern around a number (`# gelules`, `crp ~ #`): accepted, it protects the
//! number; refused, it masks a number that a shipped pattern protects. A refused word, and a word not yet judged, may be somebody's name: a list is kept where
//! the documents are, and neither [`WordList`] nor its errors print a word.

use std::collections::BTreeMap;
use std::fmt;

use rustc_hash::FxHashMap;
use taire_text::{Kind, Phi, fold, normalise, tokenise};

use super::numbers::Protection;
use crate::Error;

const HEADER: &str = "word\tjudgement\tcount\tcontext";

/// What a person said of a word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Judgement {
    Accept,
    Refuse,
}

impl Judgement {
    pub fn key(self) -> &'static str {
        match self {
            Judgement::Accept => "accept",
            Judgement::Refuse => "refuse",
        }
    }
}

/// One line of a list.
#[derive(Clone, PartialEq, Eq)]
pub struct WordEntry {
    /// Folded.
    pub word: String,
    pub judgement: Option<Judgement>,
    pub count: u64,
    pub context: String,
}

impl fmt::Debug for WordEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WordEntry({}, {:?}, {})", Phi::new(&self.word), self.judgement, self.count)
    }
}

/// Words in the order of their file.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct WordList {
    pub entries: Vec<WordEntry>,
}

impl fmt::Debug for WordList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WordList({} words)", self.entries.len())
    }
}

impl WordList {
    /// Reads a list as Taire or a spreadsheet wrote it: tabs, semicolons or commas, quotes, a byte order mark and
    /// a header line or none. `place` names the file in messages.
    pub fn parse(text: &str, place: &str) -> Result<WordList, Error> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let delimiter = delimiter(text);
        let mut entries: Vec<WordEntry> = Vec::new();
        let mut seen: FxHashMap<String, usize> = FxHashMap::default();
        for (number, line) in text.lines().enumerate() {
            let fail = |why: &str| Error::new(format!("{place}: line {}: {why}", number + 1));
            let fields = fields(line, delimiter);
            let field = |i: usize| fields.get(i).map_or("", |f| f.trim());
            if field(0).is_empty() || (number == 0 && field(1).eq_ignore_ascii_case("judgement")) {
                if field(0).is_empty() && fields.iter().any(|f| !f.trim().is_empty()) {
                    return Err(fail("the first column holds no word"));
                }
                continue;
            }
            let word = if field(0).contains('#') {
                number_pattern(field(0)).map_err(fail)?
            } else {
                one_word(field(0)).ok_or_else(|| {
                    fail("the first column holds more or less than one word; write each word on a line of its own")
                })?
            };
            let judgement = match field(1).to_lowercase().as_str() {
                "" => None,
                "accept" | "a" => Some(Judgement::Accept),
                "refuse" | "r" => Some(Judgement::Refuse),
                _ => return Err(fail("the second column takes `accept`, `refuse` or nothing")),
            };
            let count = match field(2) {
                "" => 0,
                digits => digits.parse().map_err(|_| fail("the third column takes a whole number"))?,
            };
            match seen.get(&word) {
                // The same word twice in one file: what protects wins.
                Some(&at) => entries[at].join(judgement, count, field(3)),
                None => {
                    seen.insert(word.clone(), entries.len());
                    entries.push(WordEntry { word, judgement, count, context: field(3).to_owned() });
                }
            }
        }
        Ok(WordList { entries })
    }

    /// The file: a header and one line a word.
    pub fn to_tsv(&self) -> String {
        let mut out = String::from(HEADER);
        out.push('\n');
        for entry in &self.entries {
            let judgement = entry.judgement.map_or("", Judgement::key);
            let context = entry.context.replace(['\t', '\n', '\r', '"'], " ");
            out.push_str(&format!("{}\t{judgement}\t{}\t{}\n", entry.word, entry.count, context.trim()));
        }
        out
    }

    /// One list out of several, by word. Where one accepts and another refuses, the refusal wins; these words
    /// are returned beside the list.
    pub fn merge(lists: &[WordList]) -> (WordList, Vec<String>) {
        let mut merged: BTreeMap<&str, WordEntry> = BTreeMap::new();
        let mut conflicts = Vec::new();
        for entry in lists.iter().flat_map(|l| &l.entries) {
            match merged.get_mut(entry.word.as_str()) {
                None => {
                    merged.insert(&entry.word, entry.clone());
                }
                Some(known) => {
                    if let (Some(a), Some(b)) = (known.judgement, entry.judgement)
                        && a != b
                    {
                        conflicts.push(entry.word.clone());
                    }
                    known.join(entry.judgement, entry.count, &entry.context);
                }
            }
        }
        conflicts.sort_unstable();
        conflicts.dedup();
        let mut entries: Vec<_> = merged.into_values().collect();
        entries.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.word.cmp(&b.word)));
        (WordList { entries }, conflicts)
    }

    /// The judgements alone, for look-ups.
    pub fn judgements<'a>(lists: impl IntoIterator<Item = &'a WordList>) -> Judgements {
        let mut map: FxHashMap<Box<str>, Judgement> = FxHashMap::default();
        for entry in lists.into_iter().flat_map(|l| &l.entries) {
            if let Some(judgement) = entry.judgement {
                let slot = map.entry(entry.word.as_str().into()).or_insert(judgement);
                *slot = (*slot).max(judgement);
            }
        }
        Judgements(map)
    }
}

impl WordEntry {
    fn join(&mut self, judgement: Option<Judgement>, count: u64, context: &str) {
        self.judgement = self.judgement.max(judgement);
        self.count = self.count.max(count);
        if self.context.is_empty() {
            context.clone_into(&mut self.context);
        }
    }
}

/// What people said, by folded word. Prints its size only.
#[derive(Clone, Default)]
pub struct Judgements(FxHashMap<Box<str>, Judgement>);

impl Judgements {
    pub fn get(&self, folded: &str) -> Option<Judgement> {
        self.0.get(folded).copied()
    }

    /// Patterns around numbers that were judged so.
    pub(super) fn patterns(&self, judgement: Judgement) -> impl Iterator<Item = &str> {
        self.0
            .iter()
            .filter(move |(word, said)| **said == judgement && word.contains('#'))
            .map(|(word, _)| &**word)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Judgements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Judgements({} words)", self.0.len())
    }
}

/// A pattern around a number, as `# gelules`: folded, one blank between its parts.
fn number_pattern(text: &str) -> Result<String, &'static str> {
    let pattern = fold(text).split_whitespace().collect::<Vec<_>>().join(" ");
    Protection::check(&pattern)?;
    Ok(pattern)
}

fn one_word(text: &str) -> Option<String> {
    let view = normalise(text);
    let text = view.text.as_deref().unwrap_or(text);
    match tokenise(text).as_slice() {
        [token] if token.kind == Kind::Word => Some(fold(text)),
        _ => None,
    }
}

/// What a spreadsheet put between columns, by the first line.
fn delimiter(text: &str) -> char {
    let first = text.lines().next().unwrap_or_default();
    ['\t', ';', ','].into_iter().find(|&d| first.contains(d)).unwrap_or('\t')
}

fn fields(line: &str, delimiter: char) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let at_start = fields.last().is_some_and(String::is_empty);
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                push(&mut fields, '"');
            }
            '"' if quoted || at_start => quoted = !quoted,
            c if c == delimiter && !quoted => fields.push(String::new()),
            c => push(&mut fields, c),
        }
    }
    fields
}

fn push(fields: &mut [String], c: char) {
    if let Some(field) = fields.last_mut() {
        field.push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Judgement::*;

    fn entry(word: &str, judgement: Option<Judgement>, count: u64) -> WordEntry {
        WordEntry { word: word.into(), judgement, count, context: String::new() }
    }

    #[test]
    fn a_list_reads_back_and_a_spreadsheet_s_file_too() {
        let mut list = WordList {
            entries: vec![
                entry("durand", Some(Refuse), 7),
                entry("scope", Some(Accept), 3),
                entry("zz", None, 1),
            ],
        };
        list.entries[0].context = "… vu par durand le @@@".into();
        assert_eq!(WordList::parse(&list.to_tsv(), "x").unwrap(), list);
        let saved = "\u{feff}word;judgement;count;context\r\nDurand;Refuse;7;\"… vu par durand le @@@\"\r\nSCOPÉ;a;3;\r\nzz;;1\r\n";
        let mut read = WordList::parse(saved, "x").unwrap();
        assert_eq!(read.entries[1].word, "scope");
        read.entries[1].word = "scope".into();
        assert_eq!(read, list);
    }

    #[test]
    fn errors_tell_the_line_and_no_word() {
        for (line, says) in [
            ("lefebvre\tmaybe", "takes `accept`, `refuse`"),
            ("lefebvre martin\taccept", "more or less than one word"),
            ("lefebvre\taccept\tmany", "whole number"),
            ("\trefuse\t3", "holds no word"),
        ] {
            let text = format!("{HEADER}\nbon\taccept\t1\n{line}\n");
            let message = WordList::parse(&text, "l.tsv").unwrap_err().to_string();
            assert!(message.starts_with("l.tsv: line 3: ") && message.contains(says), "{message}");
            assert!(!message.contains("lefebvre"));
        }
        let list = WordList { entries: vec![entry("lefebvre", None, 1)] };
        assert!(!format!("{list:?} {:?}", list.entries).contains("lefebvre"));
    }

    #[test]
    fn patterns_around_numbers_are_judged_in_the_same_file() {
        let list = WordList::parse("# Gélules\taccept\t4\nchambre #\trefuse\t2\n", "x").unwrap();
        assert_eq!(list.entries[0].word, "# gelules");
        assert_eq!(WordList::parse(&list.to_tsv(), "x").unwrap(), list);
        let judged = WordList::judgements([&list]);
        assert_eq!(judged.patterns(Accept).collect::<Vec<_>>(), ["# gelules"]);
        assert_eq!(judged.patterns(Refuse).collect::<Vec<_>>(), ["chambre #"]);
        let wrong = WordList::parse("#foo bar\taccept\n", "x").unwrap_err().to_string();
        assert!(wrong.contains("unknown class"), "{wrong}");
    }

    #[test]
    fn refusals_win_and_conflicts_are_told() {
        let a = WordList { entries: vec![entry("rose", Some(Accept), 5), entry("bon", None, 2)] };
        let b = WordList { entries: vec![entry("rose", Some(Refuse), 3), entry("bon", Some(Accept), 2)] };
        let (merged, conflicts) = WordList::merge(&[a.clone(), b.clone()]);
        assert_eq!(merged.entries, [entry("rose", Some(Refuse), 5), entry("bon", Some(Accept), 2)]);
        assert_eq!(conflicts, ["rose"]);
        assert_eq!(WordList::merge(&[b.clone(), a.clone()]).0, merged);
        assert_eq!(WordList::merge(&[merged.clone(), merged.clone()]), (merged, vec![]));
        assert_eq!(WordList::judgements([&a, &b]).get("rose"), Some(Refuse));
    }
}
