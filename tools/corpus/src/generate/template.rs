//! The language of the templates, and the library they make.
//!
//! | written | gives |
//! |---|---|
//! | `== name`, `== name held-out`, `== name x3` | a family; whether it is kept for measuring; its weight |
//! | `--` alone on a line | the next variant of the family |
//! | `@@ name` | a list: each line under it is a small template, drawn by `{@name}` |
//! | `[a\|b\|c]`, `[a]` | one of them; `a` or nothing |
//! | `[*2-5:a]` | `a`, 2 to 5 times |
//! | `{patient.full}`, `{+doctor.titled}` | a form of a person's name; `+` makes it another person |
//! | `{patient?née\|né}` | by the person's sex |
//! | `{date}`, `{n 3-12}`, `{f 3-12}`, `{digits 5}`, `{prose 2-4}` | values; see [`super::slots`] |
//! | `{Hospital:Clinique {@saint}}`, `{Age/Relative:{n 3-9} ans}` | a span of that label, that label and role |
//! | `\n`, `\t`, `\[` | a line break, a tab, a literal mark |
//!
//! A line that starts with `#` is a comment. Line breaks of a variant are those of the text.

use std::collections::BTreeMap;

use taire_text::Label;

use super::slots::Slot;
use crate::cells::Mark;

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Node {
    Text(String),
    OneOf(Vec<Vec<Node>>),
    Repeat { low: usize, high: usize, body: Vec<Node> },
    BySex { person: String, female: Vec<Node>, male: Vec<Node> },
    List(usize),
    Marked { mark: Mark, body: Vec<Node> },
    Slot(Slot),
}

#[derive(Debug)]
pub(crate) struct Family {
    pub(crate) name: String,
    pub(crate) held_out: bool,
    pub(crate) weight: usize,
    pub(crate) variants: Vec<Vec<Node>>,
}

#[derive(Debug, Default)]
pub(crate) struct Library {
    pub(crate) families: Vec<Family>,
    pub(crate) lists: Vec<Vec<Vec<Node>>>,
    names: BTreeMap<String, usize>,
}

impl Library {
    /// Reads template files, each a name and its text.
    pub(crate) fn read(files: &[(&str, &str)]) -> Result<Library, String> {
        let mut library = Library::default();
        for (file, text) in files {
            library.read_file(text).map_err(|e| format!("{file}: {e}"))?;
        }
        for (name, &index) in &library.names {
            if library.lists[index].is_empty() {
                return Err(format!("list `{name}` is drawn from but no file has it"));
            }
        }
        Ok(library)
    }

    fn read_file(&mut self, text: &str) -> Result<(), String> {
        enum TemplatePart {
            Nowhere,
            List(usize),
            Family,
        }
        let mut place = TemplatePart::Nowhere;
        let mut variant = String::new();
        for (number, line) in text.lines().enumerate() {
            let at = |e: String| format!("line {}: {e}", number + 1);
            if line.starts_with('#') {
                continue;
            }
            if let Some(header) = line.strip_prefix("== ") {
                self.end_variant(&mut variant).map_err(at)?;
                self.families.push(family(header).map_err(at)?);
                place = TemplatePart::Family;
            } else if let Some(name) = line.strip_prefix("@@ ") {
                self.end_variant(&mut variant).map_err(at)?;
                place = TemplatePart::List(self.list(name.trim()));
            } else if line == "--" {
                self.end_variant(&mut variant).map_err(at)?;
            } else {
                match place {
                    TemplatePart::Family => {
                        variant.push_str(line);
                        variant.push('\n');
                    }
                    TemplatePart::List(_) if line.trim().is_empty() => {}
                    TemplatePart::List(index) => {
                        let entry = self.parse(line).map_err(at)?;
                        self.lists[index].push(entry);
                    }
                    TemplatePart::Nowhere if line.trim().is_empty() => {}
                    TemplatePart::Nowhere => return Err(at("text before the first `==` or `@@`".to_owned())),
                }
            }
        }
        self.end_variant(&mut variant)
    }

    fn end_variant(&mut self, text: &mut String) -> Result<(), String> {
        let source = std::mem::take(text);
        if source.trim().is_empty() {
            return Ok(());
        }
        let nodes = self.parse(source.trim_matches('\n'))?;
        if let Some(family) = self.families.last_mut() {
            family.variants.push(nodes);
        }
        Ok(())
    }

    /// The number of a list, which another file may fill.
    fn list(&mut self, name: &str) -> usize {
        if let Some(&index) = self.names.get(name) {
            return index;
        }
        self.lists.push(Vec::new());
        self.names.insert(name.to_owned(), self.lists.len() - 1);
        self.lists.len() - 1
    }

    pub(crate) fn list_named(&self, name: &str) -> Option<usize> {
        self.names.get(name).copied()
    }

    fn parse(&mut self, source: &str) -> Result<Vec<Node>, String> {
        let mut reader = Reader { rest: source, library: self };
        let nodes = reader.sequence("")?;
        match reader.rest.chars().next() {
            None => Ok(nodes),
            Some(c) => Err(format!("`{c}` closes nothing")),
        }
    }
}

fn family(header: &str) -> Result<Family, String> {
    let mut words = header.split_whitespace();
    let name = words.next().ok_or("a family needs a name")?.to_owned();
    let mut family = Family { name, held_out: false, weight: 1, variants: Vec::new() };
    for word in words {
        match word.strip_prefix('x').map(str::parse) {
            _ if word == "held-out" => family.held_out = true,
            Some(Ok(weight)) => family.weight = weight,
            _ => return Err(format!("unknown word `{word}` after a family's name; known: held-out, x3")),
        }
    }
    Ok(family)
}

struct Reader<'a, 'l> {
    rest: &'a str,
    library: &'l mut Library,
}

impl Reader<'_, '_> {
    fn eat(&mut self, mark: char) -> bool {
        match self.rest.strip_prefix(mark) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, mark: char) -> Result<(), String> {
        if self.eat(mark) { Ok(()) } else { Err(format!("`{mark}` is missing")) }
    }

    /// Nodes up to one of `ends`, `]` or `}`, which stays.
    fn sequence(&mut self, ends: &str) -> Result<Vec<Node>, String> {
        let mut nodes = Vec::new();
        let mut text = String::new();
        while let Some(c) = self.rest.chars().next() {
            if ends.contains(c) || c == ']' || c == '}' {
                break;
            }
            self.rest = &self.rest[c.len_utf8()..];
            match c {
                '\\' => {
                    let escaped = self.rest.chars().next().ok_or("a backslash ends the text")?;
                    self.rest = &self.rest[escaped.len_utf8()..];
                    text.push(match escaped {
                        'n' => '\n',
                        't' => '\t',
                        other => other,
                    });
                }
                '[' | '{' => {
                    if !text.is_empty() {
                        nodes.push(Node::Text(std::mem::take(&mut text)));
                    }
                    nodes.push(if c == '[' { self.choice()? } else { self.slot()? });
                }
                _ => text.push(c),
            }
        }
        if !text.is_empty() {
            nodes.push(Node::Text(text));
        }
        Ok(nodes)
    }

    fn choice(&mut self) -> Result<Node, String> {
        if self.eat('*') {
            let (counts, rest) = self.rest.split_once(':').ok_or("`[*2-5:` needs its colon")?;
            let (low, high) = range(counts)?;
            self.rest = rest;
            let body = self.sequence("")?;
            self.expect(']')?;
            return Ok(Node::Repeat { low, high, body });
        }
        let mut options = vec![self.sequence("|")?];
        while self.eat('|') {
            options.push(self.sequence("|")?);
        }
        self.expect(']')?;
        if options.len() == 1 {
            options.push(Vec::new());
        }
        Ok(Node::OneOf(options))
    }

    fn slot(&mut self) -> Result<Node, String> {
        let end = self.rest.find(['?', ':', '}']).ok_or("`{` is not closed")?;
        let name = self.rest[..end].trim().to_owned();
        self.rest = &self.rest[end..];
        if self.eat('?') {
            let female = self.sequence("|")?;
            self.expect('|')?;
            let male = self.sequence("")?;
            self.expect('}')?;
            return Ok(Node::BySex { person: name, female, male });
        }
        if self.eat(':') {
            let (label, role) = name.split_once('/').map_or((name.as_str(), None), |(l, r)| (l, Some(r)));
            let mut mark = Mark::of(label.parse::<Label>().map_err(|e| e.to_string())?);
            if let Some(role) = role {
                mark.role = role.parse().map_err(|e: taire_text::Error| e.to_string())?;
            }
            let body = self.sequence("")?;
            self.expect('}')?;
            return Ok(Node::Marked { mark, body });
        }
        self.expect('}')?;
        if let Some(list) = name.strip_prefix('@') {
            return Ok(Node::List(self.library.list(list)));
        }
        Slot::parse(&name).map(Node::Slot)
    }
}

/// `3` or `3-12`.
pub(crate) fn range(text: &str) -> Result<(usize, usize), String> {
    let (low, high) = text.trim().split_once('-').unwrap_or((text.trim(), text.trim()));
    match (low.trim().parse(), high.trim().parse()) {
        (Ok(low), Ok(high)) if low <= high => Ok((low, high)),
        _ => Err(format!("`{text}` is no range; write `3` or `3-12`")),
    }
}
