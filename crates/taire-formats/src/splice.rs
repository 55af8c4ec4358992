//! Text gathered from the markup of a file, and new text put back in its places.
//!
//! A reader of markup hands the pieces of text it meets to a [`Gatherer`], each with the bytes it came from; the
//! document is then one text with a map back, whatever runs, cells or parts it was cut into. [`Places::rewrite`]
//! takes the new text and gives each source with its places changed and everything else byte for byte: where a
//! replacement covers several runs the first takes it and the others lose their part. What must not come out
//! whatever the text says is a cut, decided while reading.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;

use taire_text::{Given, Label, Role, Span, fold};

use crate::OutSpan;
use crate::office::cell_value::Shown;
use crate::text_edit::{TextEdit, edits_by_place, text_edits};
use crate::well_known::{is_built_in, is_well_known, without_fonts};

/// How a run is written back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Code {
    /// Element content or an attribute value in XML or HTML.
    Xml,
    /// An empty element of Word that stands for a character: new text takes its place in an element of its own.
    WordElement,
    /// Element content whose start tag gets `xml:space="preserve"` at this byte.
    XmlSpace(usize),
    /// Text of RTF.
    Rtf {
        /// So many characters stand for one of Unicode in readers that do not know it.
        skip: usize,
        /// It is written anew even if its text stays: its bytes could read otherwise elsewhere.
        anew: bool,
        /// It stands right after a control word, which letters would join.
        glued: bool,
    },
    /// The value of a cell of a workbook.
    Cell(CellCode),
    /// A number of a chart, which stays one.
    Number(Shown),
    /// The name of a sheet: where a workbook cannot hold the new one, a made one stands for it. It is not compared when the file is
    /// read back.
    SheetName(usize),
}

/// How the value of a cell is written back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CellCode {
    /// Where attributes may be added to the cell, and the bytes of the attribute that gives its type.
    pub(crate) cell: usize,
    pub(crate) kind: Option<(usize, usize)>,
    pub(crate) shown: Shown,
    /// It referred to a list of strings that is not written: it becomes a text of its own.
    pub(crate) anew: bool,
}

enum Item {
    /// With what its place tells of it: a label, or that it identifies nobody.
    Run {
        source: usize,
        at: Range<usize>,
        code: Code,
        text: String,
        told: Option<Option<Label>>,
    },
    Break(char),
    /// Words that no byte stands for, and whether they are known to identify nobody.
    Said(String, bool),
}

#[derive(Default)]
struct Stream {
    items: Vec<Item>,
    /// What stood inside the paragraph that is open and is read after it: text boxes, notes.
    after: Vec<Item>,
}

/// Builds the text of a document from its pieces.
pub(crate) struct Gatherer {
    sources: Vec<Source>,
    streams: Vec<Stream>,
    named: Vec<Named>,
}

struct Source {
    bytes: Vec<u8>,
    cuts: Vec<(Range<usize>, Vec<u8>)>,
}

/// When a value of the markup is written anew.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum RenameRule {
    /// A name that the author chose (a style, a bookmark): a letter need not say a name for a bookmark to hold it.
    Always,
    /// A value with letters inside that must stay where they identify nobody.
    IfInside,
    /// Only whole words count: the value is markup rather than a name.
    IfWord,
}

struct Named {
    source: usize,
    at: Range<usize>,
    value: String,
    rule: RenameRule,
}

/// So long a word gives somebody away inside another too.
pub(crate) const TELLING: usize = 6;

/// Whether a value is a number or a keyword of the format.
fn is_keyword(value: &str) -> bool {
    let number = value.bytes().all(|b| !b.is_ascii_alphabetic() && b.is_ascii());
    number || (value.len() <= 40 && value.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()))
}

impl Gatherer {
    pub(crate) fn new() -> Self {
        Gatherer { sources: Vec::new(), streams: vec![Stream::default()], named: Vec::new() }
    }

    /// Starts the next source; places that follow are in it. Gives its number.
    pub(crate) fn source(&mut self, bytes: Vec<u8>) -> usize {
        self.sources.push(Source { bytes, cuts: Vec::new() });
        self.sources.len() - 1
    }

    fn current(&self) -> usize {
        self.sources.len() - 1
    }

    fn stream(&mut self) -> &mut Stream {
        if self.streams.is_empty() {
            self.streams.push(Stream::default());
        }
        let last = self.streams.len() - 1;
        &mut self.streams[last]
    }

    /// Text that stands in bytes `at`.
    pub(crate) fn run(&mut self, at: Range<usize>, text: String, code: Code) {
        if !text.is_empty() {
            let source = self.current();
            self.stream().items.push(Item::Run { source, at, code, text, told: None });
        }
    }

    /// The same, of a text whose meaning its place tells: a label, or `None` for what identifies nobody. The time beside a day is
    /// none of it.
    pub(crate) fn field(&mut self, at: Range<usize>, text: String, code: Code, label: Option<Label>) {
        if !text.is_empty() {
            let source = self.current();
            self.stream().items.push(Item::Run { source, at, code, text, told: Some(label) });
        }
    }

    /// Words that stand before a text to tell what it is: the title of its column. Those of a fixed list identify nobody.
    pub(crate) fn say(&mut self, words: &str, from_list: bool) {
        self.stream().items.push(Item::Said(words.to_owned(), from_list));
    }

    /// A character of the text that no byte stands for: the end of a line or of a cell.
    pub(crate) fn brk(&mut self, c: char) {
        self.stream().items.push(Item::Break(c));
    }

    /// Ends a paragraph: what was nested in it follows.
    pub(crate) fn end_paragraph(&mut self) {
        let stream = self.stream();
        stream.items.push(Item::Break('\n'));
        let after = std::mem::take(&mut stream.after);
        stream.items.extend(after);
    }

    /// Ends a row of cells, each of which ended with a tab.
    pub(crate) fn end_row(&mut self) {
        let stream = self.stream();
        if let Some(Item::Break('\t')) = stream.items.last() {
            stream.items.pop();
        }
        self.end_paragraph();
    }

    /// Opens a text inside the paragraph that is open.
    pub(crate) fn nest(&mut self) {
        self.streams.push(Stream::default());
    }

    pub(crate) fn unnest(&mut self) {
        if self.streams.len() > 1
            && let Some(mut inner) = self.streams.pop()
        {
            inner.items.append(&mut inner.after);
            if !matches!(inner.items.last(), None | Some(Item::Break('\n'))) {
                inner.items.push(Item::Break('\n'));
            }
            self.stream().after.append(&mut inner.items);
        }
    }

    /// Where the next item of the open text will stand, for [`Gatherer::set_break`].
    pub(crate) fn position(&self) -> usize {
        self.streams.last().map_or(0, |s| s.items.len())
    }

    pub(crate) fn set_break(&mut self, position: usize, c: char) {
        if let Some(Item::Break(old)) = self.stream().items.get_mut(position) {
            *old = c;
        }
    }

    /// Bytes to leave out, with what stands instead.
    pub(crate) fn cut(&mut self, at: Range<usize>, with: impl Into<Vec<u8>>) {
        if let Some(source) = self.sources.last_mut() {
            source.cuts.push((at, with.into()));
        }
    }

    /// A name the author could choose, and others refer to: written anew, the same for the same one everywhere, unless it is one
    /// that comes with word processors.
    pub(crate) fn named(&mut self, at: Range<usize>, value: &str) {
        if !is_built_in(value) {
            self.add_named(at, value, RenameRule::Always);
        }
    }

    /// A value that must stay where it identifies nobody: changed if a word that does is found anywhere in it.
    pub(crate) fn watched_inside(&mut self, at: Range<usize>, value: &str) {
        self.add_named(at, value, RenameRule::IfInside);
    }

    fn add_named(&mut self, at: Range<usize>, value: &str, rule: RenameRule) {
        let source = self.current();
        self.named.push(Named { source, at, value: value.to_owned(), rule });
    }

    /// Any other value that is kept: changed if a word in it is found to identify somebody.
    pub(crate) fn watched(&mut self, at: Range<usize>, value: &str) {
        if !is_keyword(value) {
            self.add_named(at, value, RenameRule::IfWord);
        }
    }

    /// The whole text, and the way back.
    pub(crate) fn finish(mut self) -> (String, Places) {
        while self.streams.len() > 1 {
            self.unnest();
        }
        let mut text = String::new();
        let (mut runs, mut given, mut said) = (Vec::new(), Vec::new(), Vec::new());
        let give = |at: &Range<usize>, label| Given {
            span: Span::new(at.start, at.end),
            label,
            role: Role::Unknown,
        };
        for stream in &mut self.streams {
            stream.items.append(&mut stream.after);
            for item in stream.items.drain(..) {
                match item {
                    Item::Break(c) => text.push(c),
                    Item::Said(words, from_list) => {
                        let start = text.len();
                        text.push_str(&words);
                        if from_list {
                            given.push(give(&(start..text.len()), None));
                        }
                        said.push(start..text.len());
                    }
                    Item::Run { source, at, code, text: piece, told } => {
                        let start = text.len();
                        text.push_str(&piece);
                        let whole = match code {
                            Code::Cell(CellCode { shown: Shown::Day { .. }, .. }) => piece.split(' ').next(),
                            _ => None,
                        };
                        let whole = whole.unwrap_or(&piece);
                        let lead = whole.len() - whole.trim_start().len();
                        let shown = start + lead..start + whole.trim_end().len();
                        if let Some(label) = told.filter(|_| !shown.is_empty()) {
                            given.push(give(&shown, label));
                        }
                        if matches!(code, Code::SheetName(_)) {
                            said.push(start..text.len());
                        }
                        runs.push(Run { text: start..text.len(), source, at, code });
                    }
                }
            }
        }
        let beside = Box::new(Beside { given, said });
        let places = Places { text: text.clone(), sources: self.sources, runs, named: self.named, beside };
        (text, places)
    }
}

struct Run {
    text: Range<usize>,
    source: usize,
    at: Range<usize>,
    code: Code,
}

/// Where each piece of a text stands in its sources.
pub(crate) struct Places {
    text: String,
    sources: Vec<Source>,
    runs: Vec<Run>,
    named: Vec<Named>,
    beside: Box<Beside>,
}

/// What is known of a text beside its places.
struct Beside {
    given: Vec<Given>,
    /// What is in the text and not in the file.
    said: Vec<Range<usize>>,
}

impl fmt::Debug for Places {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Places({} sources, {} runs)", self.sources.len(), self.runs.len())
    }
}

pub(crate) type Change = (Range<usize>, Vec<u8>);

const DISAGREE: &str = "its new text does not agree with its layout; it is not written";

impl Places {
    /// Bytes held.
    pub(crate) fn weight(&self) -> usize {
        self.text.len() + self.sources.iter().map(|s| s.bytes.len()).sum::<usize>()
    }

    /// What the places themselves tell of their text.
    pub(crate) fn take_given(&mut self) -> Vec<Given> {
        std::mem::take(&mut self.beside.given)
    }

    /// A text without what is not in the file: `text` is the one that was read, or with `spans` one that stands for it.
    pub(crate) fn without_said(&self, text: &str, spans: &[OutSpan]) -> Option<String> {
        let edits = text_edits(&self.text, text, spans).ok()?;
        // Where a byte of the text as read lies in the new one.
        let mut moved = Vec::with_capacity(edits.len());
        let mut by = 0isize;
        for edit in &edits {
            by += edit.with.len() as isize - edit.range.len() as isize;
            moved.push((edit.range.end, by));
        }
        let at = |place: usize| {
            let before = moved.partition_point(|(end, _)| *end <= place);
            place.checked_add_signed(before.checked_sub(1).map_or(0, |i| moved[i].1))
        };
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for said in &self.beside.said {
            out.push_str(text.get(from..at(said.start)?)?);
            out.push(' ');
            from = at(said.end)?;
        }
        out.push_str(text.get(from..)?);
        Some(out)
    }

    /// The sources with `text` in place of the text as read. `spans` tell what stands for what; outside of them
    /// the two texts must be the same.
    pub(crate) fn rewrite(&self, text: &str, spans: &[OutSpan]) -> Result<Vec<Vec<u8>>, &'static str> {
        let edits = text_edits(&self.text, text, spans).map_err(|_| DISAGREE)?;
        let mut changes: Vec<Vec<(Range<usize>, Vec<u8>)>> =
            self.sources.iter().map(|s| s.cuts.clone()).collect();
        let pieces: Vec<TextEdit<'_>> =
            edits.iter().cloned().flat_map(|edit| edit.split_at(&self.text, &['\n', '\t'])).collect();
        let places: Vec<Range<usize>> = self.runs.iter().map(|run| run.text.clone()).collect();
        let mut by_run = edits_by_place(&pieces, &places);
        for (i, run) in self.runs.iter().enumerate() {
            if matches!(run.code, Code::Rtf { anew: true, .. } | Code::Cell(CellCode { anew: true, .. })) {
                by_run.entry(i).or_default();
            }
        }
        // Names that sheets have: no two may be the same.
        let named = self.runs.iter().filter(|run| matches!(run.code, Code::SheetName(_)));
        let mut sheets: BTreeSet<String> =
            named.filter_map(|run| self.text.get(run.text.clone())).map(str::to_lowercase).collect();
        for (i, pieces) in by_run {
            let run = &self.runs[i];
            let mut new = String::new();
            let mut from = run.text.start;
            for TextEdit { range, with, .. } in pieces {
                new.push_str(self.text.get(from..range.start).ok_or(DISAGREE)?);
                new.extend(with.chars().map(|c| if matches!(c, '\n' | '\r') { ' ' } else { c }));
                from = range.end;
            }
            new.push_str(self.text.get(from..run.text.end).ok_or(DISAGREE)?);
            // Markup cannot hold them; LibreOffice writes some into pages, for fields.
            let is_control = |c: char| c.is_ascii_control() && !matches!(c, '\t' | '\n' | '\r');
            if new.contains(is_control) {
                new = new.replace(is_control, " ");
            }
            let source = &self.sources[run.source].bytes;
            let into = &mut changes[run.source];
            match run.code {
                Code::WordElement => {
                    let prefix = source.get(run.at.start + 1..run.at.end).ok_or(DISAGREE)?;
                    let prefix = &prefix[..memchr::memchr(b':', prefix).map_or(0, |i| i + 1)];
                    let open = [b"<", prefix, b"t xml:space=\"preserve\">"].concat();
                    let close = [b"</", prefix, b"t>"].concat();
                    match new.as_str() {
                        "" => into.push((run.at.clone(), Vec::new())),
                        same if self.text.get(run.text.clone()) == Some(same) => {}
                        new => into.push((run.at.clone(), [open, escaped(new), close].concat())),
                    }
                }
                Code::Xml => into.push((run.at.clone(), escaped(&new))),
                Code::XmlSpace(tag) => {
                    into.push((tag..tag, b" xml:space=\"preserve\"".to_vec()));
                    into.push((run.at.clone(), escaped(&new)));
                }
                Code::Rtf { skip, glued, .. } => into.push((run.at.clone(), rtf(&new, skip, glued))),
                Code::SheetName(number) => {
                    let fits = new.chars().count() <= 31
                        && !new.contains(|c: char| "[]:*?/\\'".contains(c) || c.is_control())
                        && sheets.insert(new.to_lowercase());
                    let name = if fits { new } else { format!("renamed{number}") };
                    into.push((run.at.clone(), escaped(&name)));
                }
                Code::Number(form) => {
                    let raw =
                        form.raw(&new).ok_or("a number of a chart would become a word; remove the chart")?;
                    into.push((run.at.clone(), raw.into_bytes()));
                }
                Code::Cell(code) => match code.shown.raw(&new).filter(|_| !code.anew) {
                    Some(raw) => into.push((run.at.clone(), raw.into_bytes())),
                    None => {
                        into.extend(code.kind.map(|(start, end)| (start..end, Vec::new())));
                        into.push((code.cell..code.cell, b" t=\"str\"".to_vec()));
                        into.push((run.at.clone(), escaped(&new)));
                    }
                },
            }
        }
        self.rename(&edits, &mut changes);
        let sources = self.sources.iter().zip(changes).map(|(source, changes)| apply(&source.bytes, changes));
        let sources: Vec<Vec<u8>> = sources.collect::<Result<_, _>>()?;
        match telling_words(&self.text, text, &edits).any(|word| holds(&sources, word)) {
            true => Err("its markup is damaged: a word that was replaced stands in it too"),
            false => Ok(sources),
        }
    }

    /// The only source with its cuts and with `changes`, for a text that is kept elsewhere.
    pub(crate) fn rewrite_with(&self, changes: Vec<Change>) -> Result<Vec<u8>, &'static str> {
        let source = self.sources.first().ok_or("it was not read")?;
        apply(&source.bytes, source.cuts.iter().cloned().chain(changes).collect())
    }

    /// Chosen names, and other values that hold an identifying word, become other names, the same for the same one everywhere.
    fn rename(&self, edits: &[TextEdit<'_>], changes: &mut [Vec<(Range<usize>, Vec<u8>)>]) {
        const SHORTEST: usize = 4;
        if self.named.is_empty() {
            return;
        }
        let mut words: Vec<String> = Vec::new();
        for edit in edits {
            let folded = fold(self.text.get(edit.range.clone()).unwrap_or_default());
            words.extend(
                folded.split(|c: char| !c.is_alphanumeric()).filter(|w| w.len() >= SHORTEST).map(Into::into),
            );
        }
        words.sort_unstable();
        words.dedup();
        let mut names: BTreeMap<(&str, RenameRule), Option<usize>> = BTreeMap::new();
        let mut renamed = 0;
        for named in &self.named {
            let number = *names.entry((&named.value, named.rule)).or_insert_with(|| {
                let folded = fold(&named.value);
                let folded = without_fonts(&folded);
                let tells = match named.rule {
                    RenameRule::Always => true,
                    RenameRule::IfWord => {
                        let known = |w: &str| words.binary_search_by(|x| x.as_str().cmp(w)).is_ok();
                        let mut inside = folded.split(|c: char| !c.is_alphanumeric());
                        let holds =
                            |w: &str| words.iter().any(|x| x.len() >= TELLING && w.contains(x.as_str()));
                        inside.any(|w| {
                            known(w) || known(w.trim_matches(|c: char| c.is_ascii_digit())) || holds(w)
                        })
                    }
                    RenameRule::IfInside => {
                        let letters: String = folded.chars().filter(|c| c.is_alphanumeric()).collect();
                        words.iter().any(|w| letters.contains(w.as_str()))
                    }
                };
                renamed += usize::from(tells);
                tells.then_some(renamed)
            });
            if let Some(number) = number {
                changes[named.source].push((named.at.clone(), format!("renamed{number}").into_bytes()));
            }
        }
    }
}

/// Words that were replaced everywhere and are long enough to give somebody away inside others.
pub(crate) fn telling_words<'a>(
    original: &'a str,
    new: &'a str,
    edits: &'a [TextEdit<'_>],
) -> impl Iterator<Item = &'a str> {
    let replaced = edits.iter().flat_map(|edit| {
        original.get(edit.range.clone()).unwrap_or_default().split(|c: char| !c.is_alphabetic())
    });
    replaced.filter(|word| word.len() >= TELLING && !new.contains(*word) && !is_well_known(word))
}

fn holds(sources: &[Vec<u8>], word: &str) -> bool {
    let finder = memchr::memmem::Finder::new(word);
    sources.iter().any(|source| finder.find(source).is_some())
}

/// The bytes with their changes. A change inside one that covers it is lost with it; two that cross are refused.
fn apply(bytes: &[u8], mut changes: Vec<(Range<usize>, Vec<u8>)>) -> Result<Vec<u8>, &'static str> {
    // At the same place an insertion comes first, then the widest cut.
    changes.sort_by_key(|(at, _)| (at.start, !at.is_empty(), std::cmp::Reverse(at.end)));
    let mut out = Vec::with_capacity(bytes.len());
    let mut from = 0;
    for (range, with) in changes {
        if range.start < from {
            if range.end <= from {
                continue;
            }
            return Err(DISAGREE);
        }
        out.extend_from_slice(bytes.get(from..range.start).ok_or(DISAGREE)?);
        out.extend_from_slice(&with);
        from = range.end;
    }
    out.extend_from_slice(bytes.get(from..).ok_or(DISAGREE)?);
    Ok(out)
}

pub(crate) fn escaped(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 8);
    crate::xml::push_escaped(&mut out, text);
    out
}

/// Text in RTF, in ASCII.
fn rtf(text: &str, skip: usize, glued: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 8);
    // The blank belongs to the control word before it.
    out.extend(glued.then_some(b' '));
    let mut units = [0; 2];
    for c in text.chars() {
        match c {
            '\\' | '{' | '}' => out.extend([b'\\', c as u8]),
            '\t' => out.extend(b"\\tab "),
            ' '..='~' => out.push(c as u8),
            '\0'..='\u{1f}' | '\u{7f}' => out.push(b' '),
            '\u{a0}' => out.extend(b"\\~"),
            _ => {
                for unit in c.encode_utf16(&mut units) {
                    out.extend(format!("\\u{}", *unit as i16).bytes());
                    match skip {
                        0 => out.push(b' '),
                        _ => out.resize(out.len() + skip, b'?'),
                    }
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_edit::tests::replace_once;

    fn three_runs() -> (String, Places) {
        let mut gatherer = Gatherer::new();
        gatherer.source(b"<a>Mme DU</a><b>PO</b><c>NT &amp; co</c><d n='DuPontStyle'/>".to_vec());
        gatherer.run(3..9, "Mme DU".into(), Code::Xml);
        gatherer.run(16..18, "PO".into(), Code::XmlSpace(15));
        gatherer.brk('\n');
        gatherer.run(25..36, "NT & co".into(), Code::Xml);
        gatherer.named(46..57, "DuPontStyle");
        gatherer.cut(40..42, *b"<e");
        gatherer.finish()
    }

    #[test]
    fn the_first_run_takes_the_replacement_and_the_others_lose_their_part() {
        let (text, places) = three_runs();
        assert_eq!(text, "Mme DUPO\nNT & co");
        let same = places.rewrite(&text, &[]).unwrap();
        assert_eq!(same[0], b"<a>Mme DU</a><b>PO</b><c>NT &amp; co</c><e n='renamed1'/>");
        let (new, spans) = replace_once(&text, &[("DUPO\nNT", "LE<FÈVRE")]);
        let out = String::from_utf8(places.rewrite(&new, &spans).unwrap().remove(0)).unwrap();
        let expected =
            "<a>Mme LE&lt;FÈVRE</a><b xml:space=\"preserve\"></b><c> &amp; co</c><e n='renamed1'/>";
        assert_eq!(out, expected);
    }

    #[test]
    fn lines_stay_lines_and_names_that_tell_change() {
        let (text, places) = three_runs();
        let (new, spans) = replace_once(&text, &[("DUPO\nNT", "AB\nCD"), ("co", "pont")]);
        let out = String::from_utf8(places.rewrite(&new, &spans).unwrap().remove(0)).unwrap();
        assert!(out.starts_with("<a>Mme AB</a><b xml:space=\"preserve\"></b><c>CD &amp; pont</c>"), "{out}");
        let mut gatherer = Gatherer::new();
        gatherer.source(b"Dupont|StyleDUPONT".to_vec());
        gatherer.run(0..6, "Dupont".into(), Code::Xml);
        gatherer.named(7..18, "StyleDUPONT");
        let (text, places) = gatherer.finish();
        let (new, spans) = replace_once(&text, &[("Dupont", "Petit")]);
        assert_eq!(places.rewrite(&new, &spans).unwrap()[0], b"Petit|renamed1");
        let mut gatherer = Gatherer::new();
        gatherer.source(b"Dupont|1px #00Dupont".to_vec());
        gatherer.run(0..6, "Dupont".into(), Code::Xml);
        gatherer.watched(7..20, "1px #00Dupont");
        let places = gatherer.finish().1;
        assert_eq!(places.rewrite(&new, &spans).unwrap()[0], b"Petit|renamed1");
        let mut gatherer = Gatherer::new();
        gatherer.source(b"Dupont|p.xDupontx".to_vec());
        gatherer.run(0..6, "Dupont".into(), Code::Xml);
        gatherer.watched(7..17, "p.xDupontx");
        let places = gatherer.finish().1;
        assert_eq!(places.rewrite(&new, &spans).unwrap()[0], b"Petit|renamed1");
    }

    #[test]
    fn fonts_and_styles_of_everybody_stay() {
        let mut gatherer = Gatherer::new();
        gatherer.source(b"Norma Roman|Times New Roman|Normal|Roman12".to_vec());
        gatherer.run(0..11, "Norma Roman".into(), Code::Xml);
        gatherer.named(12..27, "Times New Roman");
        gatherer.named(28..34, "Normal");
        gatherer.named(35..42, "Roman12");
        let (text, places) = gatherer.finish();
        let (new, spans) = replace_once(&text, &[("Norma Roman", "Luz Gil")]);
        assert_eq!(places.rewrite(&new, &spans).unwrap()[0], b"Luz Gil|Times New Roman|Normal|renamed1");
    }

    #[test]
    fn a_text_that_does_not_agree_is_refused() {
        let (text, places) = three_runs();
        let (new, mut spans) = replace_once(&text, &[("DUPO", "X")]);
        assert!(places.rewrite(&new.replace("co", "c"), &spans).is_err());
        assert!(places.rewrite(&text, &spans).is_err());
        spans[0].original.end = 900;
        assert!(places.rewrite(&new, &spans).is_err());
    }

    #[test]
    fn small_words_that_agree_stay_in_their_own_run() {
        let mut gatherer = Gatherer::new();
        gatherer.source(b"<a>vit \xC3\xA0 </a><b>Vannes</b><a>.</a>".to_vec());
        gatherer.run(3..10, "vit à ".into(), Code::Xml);
        gatherer.run(17..23, "Vannes".into(), Code::Xml);
        gatherer.run(30..31, ".".into(), Code::Xml);
        let (text, places) = gatherer.finish();
        let (new, mut spans) = replace_once(&text, &[("à Vannes", "au Mans")]);
        (spans[0].start, spans[0].took, spans[0].put) = (spans[0].start + 3, 3, 3);
        let out = String::from_utf8(places.rewrite(&new, &spans).unwrap().remove(0)).unwrap();
        assert_eq!(out, "<a>vit au </a><b>Mans</b><a>.</a>");
        (spans[0].took, spans[0].put) = (0, 3);
        let out = String::from_utf8(places.rewrite(&new, &spans).unwrap().remove(0)).unwrap();
        assert_eq!(out, "<a>vit au Mans</a><b></b><a>.</a>");
        spans[0].put = 0;
        assert!(places.rewrite(&new, &spans).is_err());
    }

    #[test]
    fn rtf_holds_any_character() {
        assert_eq!(rtf("a{é}\u{1F600}", 1, false), b"a\\{\\u233?\\}\\u-10179?\\u-8704?");
        assert_eq!((rtf("é1", 0, false), rtf("é1", 2, true)), (b"\\u233 1".to_vec(), b" \\u233??1".to_vec()));
    }
}
