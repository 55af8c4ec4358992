//! The comparison as a page: one table with a column for each policy, then drawings.

use std::collections::BTreeSet;
use taire_text::counted;

use taire_eval::retain::{Category, Tally};

use super::{Comparison, PolicyColumn};
use crate::Share;
use crate::attacks::Success;
use crate::page::plot::{Plot, PlotKind};
use crate::page::{Block, Page, Row, Table, percent};

/// Known intervals in the rows about them.
const KNOWN: usize = 3;

pub(super) fn page(c: &Comparison) -> Page {
    let mut page = Page::new("Policies side by side");
    page.text(format!(
        "{} in {}, {}, seed {}. Made by `{}`.{}",
        counted(c.documents, "document", "documents"),
        counted(c.policies.first().map_or(0, |p| p.risk.records), "record", "records"),
        counted(c.policies.len(), "policy", "policies"),
        c.seed,
        c.made_by,
        if c.demonstration_key {
            " The key was made from the seed: it protects nothing and is for measuring only."
        } else {
            ""
        }
    ));
    if c.unreadable > 0 {
        page.notice(format!(
            "{} could not be read; nothing is said of it.",
            counted(c.unreadable, "document", "documents")
        ));
    }
    match &c.gold {
        Some(gold) => {
            let scheme = match gold.scheme {
                Some(scheme) => format!("its labels are those of scheme `{scheme}`"),
                None => "no scheme has all its labels, so there is no strict score".to_owned(),
            };
            page.text(format!(
                "The corpus holds {} annotated identifiers ({scheme}); a document without any counts as holding none.",
                gold.spans
            ));
        }
        None => page.text(
            "The corpus is not annotated, so detection is not scored. Give BRAT annotations beside the texts, or `spans` in JSONL, to have it.",
        ),
    }
    page.heading("The table");
    page.table(table(c));
    page.text(
        "How to read it. *Retained* counts terms of medicine before (under *original*) and how many were kept: one that occurs twice in the \
         original must occur twice in the release. *Attack* rows are the share of tries in which the attacker was right: lower is safer. A dash: nothing to \
         try; fewer than 20 tries are counted out. *Unique* is about a release by itself; noise makes intervals rarer, not commoner, and what it takes away is that \
         they are the true ones, which the row of known intervals tells. ε is what mechanisms declare, mean of the documents that \
         spend any (and most), between the inputs that the row names; rows are different promises and are not added. Policies without ε make no such promise. Speed is \
         computing time of detection and rewriting in this run: it varies a little from run to run, nothing else does."
            .replace('*', ""),
    );
    page.heading("Days between dates, before and after");
    page.blocks.push(Block::Figures(c.policies.iter().map(histogram).collect()));
    if c.gold.is_some() {
        page.heading("Calibration of scores");
        page.text(
            "Spans by their score, and the share of them that was right: most of their letters and digits annotated, whatever the label.",
        );
        page.blocks.push(Block::Figures(c.policies.iter().filter_map(reliability).collect()));
    }
    page.heading("Privacy against utility");
    page.text("Best is to the right (medicine is kept) and low (the attack fails).");
    page.blocks.push(Block::Figures(trade_offs(c)));
    page.heading("What this does not tell");
    page.text(
        "The attacks are those listed; others exist. Detectors of this program look for what is left, so what they cannot see is \
         missing here too. Few documents make few tries: `compare.json` has the 95 % interval of every share. Prose may single \
         somebody out by what happened, whatever the names.",
    );
    page
}

/// Below so many tries, counts are shown instead of a percentage.
const FEW: u64 = 20;

fn shown(share: Share) -> String {
    match share.tries {
        0 => "–".to_owned(),
        tries if tries < FEW => format!("{} of {tries}", share.hits),
        _ => percent(share.share),
    }
}

fn success(success: &Success) -> String {
    shown(success.attack)
}

fn optional(value: Option<String>) -> String {
    value.unwrap_or_else(|| "–".to_owned())
}

struct Rows<'a> {
    policies: &'a [PolicyColumn],
    rows: Vec<Row>,
}

impl Rows<'_> {
    fn group(&mut self, name: &str) {
        self.rows.push(Row::Group(name.to_owned()));
    }

    fn add(
        &mut self,
        name: impl Into<String>,
        original: Option<String>,
        cell: impl Fn(&PolicyColumn) -> String,
    ) {
        let mut cells = vec![name.into(), original.unwrap_or_default()];
        cells.extend(self.policies.iter().map(cell));
        self.rows.push(Row::Cells(cells));
    }
}

fn table(c: &Comparison) -> Table {
    let mut head = vec![String::new(), "original".to_owned()];
    head.extend(c.policies.iter().map(|p| format!("`{}`", p.name)));
    let mut rows = Rows { policies: &c.policies, rows: Vec::new() };
    rows.group("Work");
    rows.add("documents written", Some(c.documents.to_string()), |p| p.written.to_string());
    rows.add("documents refused", None, |p| p.refused.to_string());
    rows.add("read as", None, |p| {
        p.language.map_or_else(|| "their own".to_owned(), |language| format!("`{language}`"))
    });
    rows.add("spans rewritten", None, |p| p.spans.to_string());
    rows.add("dates", None, |p| format!("`{}`", p.dates));
    rows.add("speed", None, |p| format!("×{:.2}", p.speed));
    if let Some(gold) = &c.gold {
        rows.group("Detection, against the annotations");
        let detection = |f: fn(&super::DetectionScores) -> String| {
            move |p: &PolicyColumn| optional(p.detection.as_ref().map(f))
        };
        rows.add("identifying characters covered", None, detection(|d| percent(d.characters_covered)));
        rows.add("identifiers wholly covered", None, detection(|d| percent(d.identifiers_covered)));
        rows.add("documents with nothing missed", None, detection(|d| percent(d.documents_clean)));
        if let Some(scheme) = gold.scheme {
            let f1 = |p: &PolicyColumn| {
                optional(p.detection.as_ref().and_then(|d| d.strict_f1).map(|f| format!("{f:.3}")))
            };
            rows.add(format!("strict F1, scheme `{scheme}`"), None, f1);
        }
        rows.add("calibration error of scores", None, detection(|d| format!("{:.3}", d.calibration_error)));
    }
    rows.group("Kept");
    rows.add("letters and digits as they were", None, |p| percent(p.text_left));
    retained(&mut rows, c);
    rows.group("Intervals between dates that one record alone has");
    let first = c.policies.first().map(|p| &p.risk.intervals);
    for (length, name) in [(1, "one interval"), (KNOWN, "three in a row")] {
        let before = first.map(|i| shown(i.before[length - 1].held_by_at_most[0]));
        rows.add(name, before, |p| shown(p.risk.intervals.after[length - 1].held_by_at_most[0]));
    }
    rows.add("the whole sequence", first.map(|i| shown(i.whole_before)), |p| {
        shown(p.risk.intervals.whole_after)
    });
    attacks(&mut rows, c);
    epsilon(&mut rows, c);
    Table { caption: "One column for each policy.".to_owned(), head, rows: rows.rows, prose: false }
}

fn retained(rows: &mut Rows<'_>, c: &Comparison) {
    rows.group("Retained: medical terms that are unchanged");
    let kept = |t: Tally| match t.before {
        0 => "–".to_owned(),
        before if before < FEW => format!("{} of {before}", t.kept),
        _ => t.share().map_or_else(String::new, percent),
    };
    for category in Category::ALL {
        let before = c.policies.first().map_or(0, |p| p.retained.tally_of(category).before);
        if before > 0 {
            rows.add(category.words(), Some(before.to_string()), |p| kept(p.retained.tally_of(category)));
        }
    }
    let before = c.policies.first().map(|p| p.retained.all().before.to_string());
    rows.add("all", before, |p| kept(p.retained.all()));
}

fn attacks(rows: &mut Rows<'_>, c: &Comparison) {
    rows.group("Attacks that succeeded");
    rows.add("one true date known: the others, to the day", None, |p| success(&p.risk.attacks.known_date));
    rows.add("the same, within a week", None, |p| success(&p.risk.attacks.known_date_week));
    if c.policies.iter().any(|p| p.risk.attacks.known_date_informed.is_some()) {
        rows.add("a true date and the calendar's setting known", None, |p| {
            optional(p.risk.attacks.known_date_informed.as_ref().map(success))
        });
    }
    rows.add("three true intervals known: the record", None, |p| success(&p.risk.intervals.found[KNOWN - 1]));
    rows.add(format!("the same, each ± {} days", c.tolerance), None, |p| {
        success(&p.risk.intervals.found_within[KNOWN - 1])
    });
    rows.add("patient number known, no key: the name", None, |p| {
        optional(p.risk.attacks.known_number.as_ref().map(success))
    });
    rows.add("patient number and secret key: the name", None, |p| {
        optional(p.risk.attacks.known_number_with_key.as_ref().map(success))
    });
    rows.add("frequency of letters: the initial", None, |p| success(&p.risk.attacks.initials));
    rows.add(format!("middle of {} releases: an interval", super::RELEASES), None, |p| {
        optional(p.averaging.iter().find(|a| a.releases == super::RELEASES).map(|a| shown(a.exact)))
    });
    rows.add("words left: two documents of one patient", None, |p| success(&p.risk.attacks.linkage));
    rows.add("register of birth dates and towns: the person", None, |p| success(&p.risk.attacks.register));
    rows.group("Who looks like whom");
    rows.add("documents alone of their kind (age, sex, town …)", None, |p| shown(p.risk.anonymity.alone));
}

fn epsilon(rows: &mut Rows<'_>, c: &Comparison) {
    let kinds: BTreeSet<&String> = c.policies.iter().flat_map(|p| p.losses.keys()).collect();
    if kinds.is_empty() {
        return;
    }
    rows.group("ε spent by a document: mean (most)");
    for kind in kinds {
        let figure = |x: f64| {
            if x.is_finite() {
                format!("{:.2}", (x * 100.0 - 1e-6).ceil() / 100.0)
            } else {
                "no bound".into()
            }
        };
        rows.add(kind.clone(), None, |p| {
            let spent = p.losses.get(kind).and_then(|labels| labels.get("all"));
            optional(spent.map(|s| {
                if s.max.is_finite() {
                    format!("{} ({})", figure(s.mean), figure(s.max))
                } else {
                    figure(s.max)
                }
            }))
        });
    }
}

fn histogram(p: &PolicyColumn) -> Plot {
    let shares = |counts: &[u64]| {
        let all = counts.iter().sum::<u64>().max(1) as f64;
        counts.iter().map(|&n| n as f64 / all).collect::<Vec<_>>()
    };
    Plot {
        title: format!("{} (dates: {})", p.name, p.dates),
        axis_x: "days, months, years between dates".to_owned(),
        axis_y: "share of intervals".to_owned(),
        kind: PlotKind::Histogram {
            classes: p.intervals.classes.iter().map(|&c| c.to_owned()).collect(),
            before: shares(&p.intervals.before),
            after: shares(&p.intervals.after),
        },
    }
}

fn reliability(p: &PolicyColumn) -> Option<Plot> {
    let detection = p.detection.as_ref()?;
    let bins = detection.reliability.iter().filter(|b| b.cases > 0);
    Some(Plot {
        title: format!("{}: calibration error {:.3}", p.name, detection.calibration_error),
        axis_x: "score".to_owned(),
        axis_y: "right".to_owned(),
        kind: PlotKind::Reliability(bins.map(|b| (b.mean, b.observed, b.cases)).collect()),
    })
}

type Figure = fn(&PolicyColumn) -> Share;

fn trade_offs(c: &Comparison) -> Vec<Plot> {
    let attacks: [(&str, Figure); 4] = [
        ("One true date known: the others", |p| p.risk.attacks.known_date.attack),
        ("Three true intervals known: the record", |p| p.risk.intervals.found[KNOWN - 1].attack),
        ("Two documents of one patient joined", |p| p.risk.attacks.linkage.attack),
        ("A register of births and towns: the person", |p| p.risk.attacks.register.attack),
    ];
    // Without any medical term, the text as a whole.
    let medical = c.policies.iter().all(|p| p.retained.all().before > 0);
    let kept = |p: &PolicyColumn| p.retained.all().share().filter(|_| medical).unwrap_or(p.text_left);
    let plot = |(title, share): (&str, Figure)| {
        let tried: Vec<&PolicyColumn> = c.policies.iter().filter(|p| share(p).tries > 0).collect();
        (!tried.is_empty()).then(|| Plot {
            title: title.to_owned(),
            axis_x: if medical { "medical terms kept" } else { "text kept" }.to_owned(),
            axis_y: "attack succeeds".to_owned(),
            kind: PlotKind::Points(tried.iter().map(|p| (p.name.clone(), kept(p), share(p).share)).collect()),
        })
    };
    attacks.into_iter().filter_map(plot).collect()
}
