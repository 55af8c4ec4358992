//! Where gold and prediction differ, one by one. The text itself is printed only when asked for.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};

use crate::corpus::{Tag, pair};
use crate::{Corpus, Error, Offsets};

/// What went wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum MistakeKind {
    /// Gold that no prediction touches.
    Missed,
    /// A prediction that touches no gold.
    Spurious,
    /// The right label with other borders.
    Border,
    /// Another label, whatever the borders.
    Label,
}

impl MistakeKind {
    pub const ALL: &'static [MistakeKind] =
        &[MistakeKind::Missed, MistakeKind::Spurious, MistakeKind::Border, MistakeKind::Label];

    pub fn name(self) -> &'static str {
        match self {
            MistakeKind::Missed => "missed",
            MistakeKind::Spurious => "spurious",
            MistakeKind::Border => "border",
            MistakeKind::Label => "label",
        }
    }
}

impl fmt::Display for MistakeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One difference. Offsets count code points.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    pub document: String,
    pub kind: MistakeKind,
    pub gold: Option<Tag>,
    pub predicted: Option<Tag>,
}

impl Mistake {
    fn place(&self) -> (usize, usize) {
        self.gold.as_ref().or(self.predicted.as_ref()).map_or((0, 0), |t| (t.start, t.end))
    }
}

/// Lists the differences by document and position.
pub fn mistakes(gold: &Corpus, predicted: &Corpus, offsets: Offsets) -> Result<Vec<Mistake>, Error> {
    let mut out = Vec::new();
    for pair in pair(gold, predicted, offsets)?.pairs {
        let first = out.len();
        let mut push = |kind, gold: Option<&Tag>, predicted: Option<&Tag>| {
            out.push(Mistake {
                document: pair.id.to_owned(),
                kind,
                gold: gold.cloned(),
                predicted: predicted.cloned(),
            });
        };
        for tag in &pair.gold {
            let touching: Vec<_> = pair.predicted.iter().filter(|p| p.overlaps(tag)).collect();
            let same_label = touching.iter().find(|p| p.label == tag.label);
            match (touching.first(), same_label) {
                _ if touching.contains(&tag) => {}
                (None, _) => push(MistakeKind::Missed, Some(tag), None),
                (_, Some(other)) => push(MistakeKind::Border, Some(tag), Some(other)),
                (Some(other), None) => push(MistakeKind::Label, Some(tag), Some(other)),
            }
        }
        for tag in pair.predicted.iter().filter(|p| !pair.gold.iter().any(|g| g.overlaps(p))) {
            push(MistakeKind::Spurious, None, Some(tag));
        }
        out[first..].sort_by_key(|m| (m.place(), m.kind));
    }
    Ok(out)
}

/// Prints counts by kind and label, then one line for each difference: document, position, kind, labels. With
/// `texts`, the words of the document follow, which identify people: only for a screen that may show them.
pub fn print_mistakes(out: &mut dyn Write, mistakes: &[Mistake], texts: Option<&Corpus>) -> io::Result<()> {
    let mut counts: BTreeMap<(MistakeKind, String), usize> = BTreeMap::new();
    for mistake in mistakes {
        *counts.entry((mistake.kind, labels(mistake))).or_default() += 1;
    }
    for &kind in MistakeKind::ALL {
        let total: usize = counts.iter().filter(|((k, _), _)| *k == kind).map(|(_, n)| n).sum();
        writeln!(out, "{kind:<9} {total:>6}")?;
        let mut rows: Vec<_> = counts.iter().filter(|((k, _), _)| *k == kind).collect();
        rows.sort_by_key(|((_, label), n)| (std::cmp::Reverse(**n), label.clone()));
        for ((_, label), n) in rows {
            writeln!(out, "  {n:>6}  {label}")?;
        }
    }
    writeln!(out)?;
    for mistake in mistakes {
        let (start, end) = mistake.place();
        write!(out, "{}\t{start}..{end}\t{}\t{}", mistake.document, mistake.kind, labels(mistake))?;
        if let Some(text) = texts.and_then(|c| c.get(&mistake.document)).and_then(|d| d.text.as_deref()) {
            let slice =
                |tag: &Tag| text.chars().skip(tag.start).take(tag.end - tag.start).collect::<String>();
            for tag in [&mistake.gold, &mistake.predicted].into_iter().flatten() {
                write!(out, "\t{:?}", slice(tag))?;
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

fn labels(mistake: &Mistake) -> String {
    match (&mistake.gold, &mistake.predicted) {
        (Some(gold), Some(predicted)) if gold.label != predicted.label => {
            format!("{} → {}", gold.label, predicted.label)
        }
        (Some(tag), _) | (None, Some(tag)) => tag.label.clone(),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Doc;

    #[test]
    fn kinds_and_the_text_only_when_asked() {
        let doc = |spans: &[(usize, usize, &str)]| {
            let spans = spans.iter().map(|&(s, e, l)| Tag::new(s, e, l)).collect();
            Corpus::new([Doc { id: "a".into(), text: Some("Léa Roux vue à Brest hier".into()), spans }])
                .unwrap()
        };
        let gold = doc(&[(0, 3, "PRENOM"), (4, 8, "NOM"), (15, 20, "VILLE")]);
        let predicted = doc(&[(0, 8, "NOM"), (21, 25, "DATE")]);
        let list = mistakes(&gold, &predicted, Offsets::CodePoints).unwrap();
        let kinds: Vec<_> = list.iter().map(|m| (m.kind, m.place())).collect();
        assert_eq!(
            kinds,
            [
                (MistakeKind::Label, (0, 3)),
                (MistakeKind::Border, (4, 8)),
                (MistakeKind::Missed, (15, 20)),
                (MistakeKind::Spurious, (21, 25)),
            ]
        );
        let printed = |texts| {
            let mut out = Vec::new();
            print_mistakes(&mut out, &list, texts).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert!(printed(None).contains("a\t0..3\tlabel\tPRENOM → NOM\n"));
        assert!(!printed(None).contains("Brest"));
        assert!(printed(Some(&gold)).contains("a\t15..20\tmissed\tVILLE\t\"Brest\"\n"));
    }
}
