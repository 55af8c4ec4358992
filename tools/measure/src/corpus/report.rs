//! The table of `scores/corpus.md`.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::score::Scores;
use super::{Measured, Stamp};

pub(super) fn markdown(stamp: &Stamp, measured: &[Measured]) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut out, stamp, measured);
    out
}

fn write(out: &mut String, stamp: &Stamp, measured: &[Measured]) -> std::fmt::Result {
    let Stamp { date, commit, command, split } = stamp;
    writeln!(
        out,
        "# Detection on the open corpus\n\n\
         `{command}`, {date}, commit {commit}. Data: {split} of `corpus/` (invented documents, folders held out whole) and \
         the folders of `corpus/untouched` that are not for training; the language is insisted on, so that bilingual documents are measured and not refused; invented text is no hospital's, measure on your own.\n\n\
         Tiers are those of `corpus/GUIDELINES.md`: direct (names, initials, contacts, numbers, street, postal code, birth date), \
         indirect (dates, towns, facilities, ages over 89), detail (ages, relative dates, professions, countries, stories). *Wholly*: no \
         letter or digit of the span is left. *Clean*: no direct identifier is left in the document. Sex and kinship do not count.\n"
    )?;
    writeln!(
        out,
        "| policy | language | documents | direct, wholly | indirect | detail | clean documents | characters covered | precision |\n\
         |---|---|---:|---:|---:|---:|---:|---:|---:|"
    )?;
    for m in measured {
        let s = &m.scores;
        writeln!(
            out,
            "| {} | {} | {} | {:.2} % of {} | {:.2} % of {} | {:.2} % of {} | {:.1} % ({} of {}) | {:.2} % | {:.2} % |",
            m.policy,
            m.language,
            m.documents,
            s.direct.percent(),
            s.direct.n,
            s.indirect.percent(),
            s.indirect.n,
            s.detail.percent(),
            s.detail.n,
            s.clean(),
            s.documents_direct_clean,
            s.documents,
            s.recall(),
            s.precision()
        )?;
    }
    writeln!(
        out,
        "\n| policy | untouched documents | unchanged, byte for byte | values exchanged in them | by label |\n|---|---:|---:|---:|---|"
    )?;
    for m in measured {
        let u = &m.untouched;
        let mut labels: Vec<_> = u.labels.iter().collect();
        labels.sort_by_key(|(label, n)| (std::cmp::Reverse(**n), label.as_str()));
        let labels: Vec<String> = labels.iter().map(|(label, n)| format!("{label} {n}")).collect();
        writeln!(
            out,
            "| {} | {} | {} | {} | {} |",
            m.policy,
            u.documents,
            u.unchanged,
            u.values_exchanged,
            labels.join(", ")
        )?;
    }
    for m in measured {
        write_groups(out, &format!("{} by folder", m.policy), "folder", &m.folders)?;
        write_groups(out, &format!("{} by kind of document", m.policy), "kind", &m.kinds)?;
        writeln!(out, "\n## {} misses by label\n", m.policy)?;
        writeln!(out, "| label | spans | not wholly covered | wholly |\n|---|---:|---:|---:|")?;
        let mut labels: Vec<_> = m.scores.labels.iter().collect();
        labels.sort_by_key(|(label, c)| (std::cmp::Reverse(c.n - c.wholly), label.as_str()));
        for (label, c) in labels {
            writeln!(out, "| {label} | {} | {} | {:.1} % |", c.n, c.n - c.wholly, c.percent())?;
        }
    }
    Ok(())
}

fn write_groups(
    out: &mut String,
    title: &str,
    head: &str,
    groups: &BTreeMap<String, Scores>,
) -> std::fmt::Result {
    writeln!(
        out,
        "\n## {title}\n\n| {head} | documents | direct, wholly | indirect | detail | clean | precision |\n\
         |---|---:|---:|---:|---:|---:|---:|"
    )?;
    for (name, s) in groups {
        writeln!(
            out,
            "| {name} | {} | {:.1} % of {} | {:.1} % | {:.1} % | {} | {:.1} % |",
            s.documents,
            s.direct.percent(),
            s.direct.n,
            s.indirect.percent(),
            s.detail.percent(),
            s.documents_direct_clean,
            s.precision()
        )?;
    }
    Ok(())
}

const OPENING: &str = "<!-- corpus: written by `cargo measure corpus` -->\n";
const CLOSING: &str = "<!-- end of corpus -->\n";

/// The README with the figures of a measure between its marks; as it was where it has none.
pub(super) fn with_summary(readme: &str, stamp: &Stamp, measured: &[Measured]) -> String {
    let (Some(from), Some(to)) = (readme.find(OPENING), readme.find(CLOSING)) else {
        return readme.to_owned();
    };
    let mut table = format!(
        "Measured on {}:\n\n| policy, dev documents | direct identifiers wholly covered | documents with none left | indirect | \
         detail | precision, characters | untouched documents unchanged |\n|---|---:|---:|---:|---:|---:|---:|\n",
        stamp.date
    );
    for m in measured {
        let (s, u) = (&m.scores, &m.untouched);
        let _ = writeln!(
            table,
            "| `{}`, {} | {:.1} % | {:.0} % | {:.1} % | {:.1} % | {:.1} % | {} of {} |",
            m.policy,
            m.documents,
            s.direct.percent(),
            s.clean(),
            s.indirect.percent(),
            s.detail.percent(),
            s.precision(),
            u.unchanged,
            u.documents
        );
    }
    format!("{}{OPENING}{table}{}", &readme[..from], &readme[to..])
}
