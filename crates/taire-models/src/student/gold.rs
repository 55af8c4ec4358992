//! Gold documents as the student learns from them: a label and, for names, a role for each word.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use taire_text::{Group, Kind, Label, Mention, Role};

use super::features::{Alphabet, Reader, Rows, vocabulary_hash};
use crate::classes::{Category, Class};
use crate::detector::split_name;
use crate::{Error, GoldDocument};

/// A set of labels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LabelSet(u64);

impl LabelSet {
    pub fn contains(self, label: Label) -> bool {
        self.0 >> label.index() & 1 == 1
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl FromIterator<Label> for LabelSet {
    fn from_iter<I: IntoIterator<Item = Label>>(labels: I) -> Self {
        LabelSet(labels.into_iter().fold(0, |set, label| set | 1 << label.index()))
    }
}

/// A document to learn from.
#[derive(Clone, Debug)]
pub struct StudentDocument {
    pub gold: GoldDocument,
    /// Labels that its annotators did not mark: a word without a span may be one of these.
    pub unmarked: LabelSet,
    /// Nobody marked it: words that a rule marks teach nothing, the others are outside.
    pub unannotated: bool,
}

/// The label of a word that teaches nothing.
pub(crate) const IGNORED: u8 = u8::MAX;

pub(crate) const NO_ROLE: u8 = u8::MAX;

/// What the student says of each word, in numbers.
pub(crate) struct Sample {
    pub(crate) rows: Rows,
    /// Outside, begins, insides.
    pub(crate) labels: Vec<u8>,
    /// Index of the role, or [`NO_ROLE`].
    pub(crate) roles: Vec<u8>,
    /// For each label, whether a word marked as outside may have it.
    pub(crate) outside: Vec<bool>,
    /// For each word, whether it is made of letters.
    letters: Vec<bool>,
}

impl Sample {
    /// Whether a word is made of letters: numbers and marks are never unknown.
    pub(crate) fn is_word(&self, word: usize) -> bool {
        self.letters[word]
    }

    pub(crate) fn new(
        document: &StudentDocument,
        classes: &[Label],
        alphabet: Alphabet<'_>,
        reader: &mut Reader,
    ) -> Result<Sample, Error> {
        let StudentDocument { gold, unmarked, unannotated } = document;
        let mut rows = Rows::default();
        reader.read(&gold.note, &gold.mentions, alphabet, &mut rows);
        let mut outside = vec![false; 1 + 2 * classes.len()];
        outside[0] = true;
        for (c, _) in classes.iter().enumerate().filter(|(_, label)| unmarked.contains(**label)) {
            (outside[1 + c], outside[1 + classes.len() + c]) = (true, true);
        }
        let count = rows.len();
        let letters = rows.tokens.iter().map(|&t| gold.note.tokens[t as usize].kind == Kind::Word).collect();
        let mut sample =
            Sample { rows, labels: vec![0; count], roles: vec![NO_ROLE; count], outside, letters };
        for (tokens, label, role) in label_tokens(gold)? {
            let Some(class) = classes.iter().position(|&c| c == label) else { continue };
            sample.mark(tokens, class, role, classes.len());
        }
        for mention in &gold.mentions {
            match mention.label() {
                Some(_) if *unannotated => {
                    sample.words_of(gold, mention).for_each(|w| sample.labels[w] = IGNORED)
                }
                Some(_) if mention.role != Role::Unknown => sample.take_role(gold, mention),
                _ => {}
            }
        }
        Ok(sample)
    }

    fn mark(&mut self, tokens: Range<usize>, class: usize, role: Role, classes: usize) {
        let from = self.rows.tokens.partition_point(|&t| (t as usize) < tokens.start);
        let to = self.rows.tokens.partition_point(|&t| (t as usize) < tokens.end);
        // The first span of two that overlap stays: spans come in order.
        if from >= to || self.labels[from..to].iter().any(|&l| l != 0) {
            return;
        }
        self.labels[from] = (1 + class) as u8;
        self.labels[from + 1..to].fill((1 + classes + class) as u8);
        if role != Role::Unknown {
            self.roles[from..to].fill(role.index() as u8);
        }
    }

    /// The words under a mention.
    fn words_of(&self, gold: &GoldDocument, mention: &Mention) -> Range<usize> {
        let span = gold.note.to_norm(mention.span);
        let from = gold.note.tokens.partition_point(|t| t.end() <= span.start());
        let to = gold.note.tokens.partition_point(|t| t.start() < span.end());
        let word = |token: usize| self.rows.tokens.partition_point(|&t| (t as usize) < token);
        word(from)..word(to)
    }

    /// Gold without roles takes those that the rules see.
    fn take_role(&mut self, gold: &GoldDocument, mention: &Mention) {
        for word in self.words_of(gold, mention) {
            if self.labels[word] != 0 && self.roles[word] == NO_ROLE {
                self.roles[word] = mention.role.index() as u8;
            }
        }
    }
}

/// A word with a row of its own.
pub(crate) struct VocabularyWord {
    pub(crate) hash: u32,
    /// As it was first written.
    pub(crate) text: String,
    documents: u32,
}

/// The words that deserve a row of their own: those of at least two documents, names of people aside, the most frequent
/// first, so many at the most.
pub(crate) fn vocabulary(documents: &[StudentDocument], most: usize) -> Result<Vec<VocabularyWord>, Error> {
    const FEWEST: u32 = 2;
    let mut words: FxHashMap<u32, VocabularyWord> = FxHashMap::default();
    let (mut seen, mut folded) = (FxHashSet::default(), Vec::new());
    for StudentDocument { gold, .. } in documents {
        seen.clear();
        let named: Vec<Range<usize>> = label_tokens(gold)?
            .into_iter()
            .filter(|(_, label, _)| label.group() == Group::Person)
            .map(|(tokens, ..)| tokens)
            .collect();
        let text = gold.note.norm();
        for (at, token) in gold.note.tokens.iter().enumerate() {
            let next = named.partition_point(|tokens| tokens.end <= at);
            if named.get(next).is_some_and(|tokens| tokens.contains(&at)) {
                continue;
            }
            let Some(hash) = vocabulary_hash(token, text, &mut folded) else { continue };
            if seen.insert(hash) {
                let new = || VocabularyWord { hash, text: token.of(text).to_lowercase(), documents: 0 };
                words.entry(hash).or_insert_with(new).documents += 1;
            }
        }
    }
    let mut words: Vec<VocabularyWord> = words.into_values().filter(|w| w.documents >= FEWEST).collect();
    words.sort_unstable_by_key(|word| (std::cmp::Reverse(word.documents), word.hash));
    words.truncate(most);
    Ok(words)
}

/// Token ranges with their labels, in order; whole names split.
fn label_tokens(gold: &GoldDocument) -> Result<Vec<(Range<usize>, Label, Role)>, Error> {
    let tokens = &gold.note.tokens;
    let mut out = Vec::with_capacity(gold.spans.len());
    for span in &gold.spans {
        let Class { category, role } = span.class.parse()?;
        let norm = gold.note.to_norm(span.span);
        let from = tokens.partition_point(|t| t.end() <= norm.start());
        let mut to = tokens.partition_point(|t| t.start() < norm.end());
        while to > from && tokens[to - 1].kind == Kind::Newline {
            to -= 1;
        }
        if from >= to {
            continue;
        }
        match category {
            Category::Label(label) => out.push((from..to, label, role)),
            Category::Name => {
                split_name(&gold.note, from, to - 1, |a, b, label| out.push((a..b + 1, label, role)));
            }
        }
    }
    out.sort_by_key(|(range, ..)| (range.start, std::cmp::Reverse(range.end)));
    Ok(out)
}
