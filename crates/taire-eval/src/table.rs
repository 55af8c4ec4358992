//! The scores as a table to read in a terminal or a Markdown file.

use std::fmt::{self, Write};

use crate::compare::Measure;
use crate::{Evaluation, Interval, Scores};

impl Evaluation {
    /// Headlines first: what leaks, then each way of counting, then each label.
    pub fn table(&self) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_table(&mut out);
        out
    }

    fn write_table(&self, out: &mut String) -> fmt::Result {
        let leak = &self.leak;
        writeln!(
            out,
            "documents with nothing missed  {} of {} ({:.1} %{})",
            leak.documents_clean,
            leak.documents,
            100.0 * leak.documents_clean_rate,
            leak.documents_clean_interval.map(percent).unwrap_or_default()
        )?;
        writeln!(out, "identifiers not wholly covered {} of {}", leak.spans_missed, leak.spans)?;
        writeln!(out, "characters missed              {} of {}", leak.chars_missed, leak.chars)?;
        if let (Some(tiers), Some(clean)) = (&self.tiers, self.documents_direct_clean) {
            writeln!(out, "documents with no direct identifier left {clean} of {}", leak.documents)?;
            for (name, tier) in tiers.named() {
                let share = 100.0 * tier.share();
                writeln!(out, "{name:<10} wholly covered {} of {} ({share:.1} %)", tier.wholly, tier.n)?;
            }
        }
        for (what, list) in [
            ("documents without a prediction", &self.missing),
            ("documents not in the gold", &self.unexpected),
        ] {
            if !list.is_empty() {
                let shown: Vec<_> = list.iter().take(5).map(String::as_str).collect();
                let more = if list.len() > 5 { ", …" } else { "" };
                writeln!(out, "{what}: {} ({}{more})", list.len(), shown.join(", "))?;
            }
        }
        writeln!(out)?;
        writeln!(out, "{:<16} {:>7} {:>7} {:>7}  {:<15} {:>7}", "", "p", "r", "f1", "f1, 95 %", "macro")?;
        let mut line = |name: &str, measure: &Measure| {
            let s = &measure.micro;
            let interval = s.interval.as_ref().map(|i| bounds(i.f1)).unwrap_or_default();
            writeln!(
                out,
                "{name:<16} {:>7.4} {:>7.4} {:>7.4}  {interval:<15} {:>7.4}",
                s.p, s.r, s.f1, measure.macro_.f1
            )
        };
        line("strict", &self.strict)?;
        line("overlap", &self.overlap)?;
        if let Some(token) = &self.token {
            line("token", token)?;
        }
        line("characters", &self.chars)?;
        let tracks = &self.meddocan;
        for (name, s) in [
            ("MEDDOCAN NER", &tracks.ner),
            ("MEDDOCAN spans", &tracks.spans),
            ("MEDDOCAN merged", &tracks.merged),
        ] {
            writeln!(out, "{name:<16} {:>7.4} {:>7.4} {:>7.4}", s.p, s.r, s.f1)?;
        }
        if let Some(leak) = tracks.leak {
            writeln!(out, "MEDDOCAN leak    {leak:>7.4}")?;
        }
        writeln!(out)?;
        let width = self.strict.labels.keys().map(|l| l.chars().count()).max().unwrap_or(0).max(16);
        writeln!(
            out,
            "{:<width$} {:>7} {:>7} {:>7} {:>6} {:>6} {:>6}",
            "strict, by label", "p", "r", "f1", "tp", "fp", "fn"
        )?;
        for (label, Scores { p, r, f1, tp, fp, fn_, .. }) in &self.strict.labels {
            writeln!(out, "{label:<width$} {p:>7.4} {r:>7.4} {f1:>7.4} {tp:>6} {fp:>6} {fn_:>6}")?;
        }
        Ok(())
    }
}

fn bounds(interval: Interval) -> String {
    format!("{:.4}–{:.4}", interval.0, interval.1)
}

fn percent(interval: Interval) -> String {
    format!("; 95 %: {:.1}–{:.1}", 100.0 * interval.0, 100.0 * interval.1)
}
