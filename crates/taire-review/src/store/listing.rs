//! The list of documents, in pages, by doubt, by name, as they came or by chance; and how far the review is.

use rusqlite::params;
use serde::{Deserialize, Serialize};
use taire_text::Label;

use super::Store;
use crate::Error;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Sort {
    /// The worst first; what is not searched yet last.
    #[default]
    Doubt,
    Name,
    Order,
    /// By chance: the first so many are a fair sample.
    Random,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    #[default]
    All,
    /// Not accepted by this reviewer.
    Open,
    Accepted,
    /// Corrected by this reviewer, accepted or not.
    Corrected,
}

/// Which documents are shown.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Filter {
    pub(crate) sort: Sort,
    /// Of the random order.
    pub(crate) seed: i64,
    pub(crate) status: Status,
    /// Those that hold such a span: its label, who found it, a score below this.
    pub(crate) label: Option<Label>,
    pub(crate) source: Option<String>,
    pub(crate) below: Option<f64>,
    /// In the name or the patient's number.
    pub(crate) search: String,
    pub(crate) offset: usize,
    pub(crate) limit: usize,
}

/// One line of the list.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) patient: Option<String>,
    /// `None` until it was searched, and for a blind reviewer.
    pub(crate) doubt: Option<f64>,
    pub(crate) searched: bool,
    pub(crate) spans: Option<i64>,
    pub(crate) accepted: bool,
    pub(crate) corrected: bool,
    pub(crate) failed: bool,
}

/// How far the review is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Progress {
    pub(crate) documents: i64,
    pub(crate) searched: i64,
    pub(crate) failed: i64,
    pub(crate) accepted: i64,
    /// By anybody.
    pub(crate) accepted_by_all: i64,
    pub(crate) refused: i64,
}

const MOST: usize = 500;

impl Store {
    /// One page of the list, and how many lines it has in all.
    pub(crate) fn list(&self, reviewer: i64, filter: &Filter) -> Result<(i64, Vec<Row>), Error> {
        let status = match filter.status {
            Status::All => "1",
            Status::Open => "COALESCE(a.accepted, 0) = 0",
            Status::Accepted => "a.accepted = 1",
            Status::Corrected => {
                "EXISTS (SELECT 1 FROM change c WHERE c.document = d.id AND c.reviewer = ?1 AND c.undone = 0)"
            }
        };
        let order = match filter.sort {
            Sort::Doubt => "d.doubt IS NULL, d.doubt DESC, d.id".to_owned(),
            Sort::Name => "d.name, d.id".to_owned(),
            Sort::Order => "d.id".to_owned(),
            Sort::Random => format!("draw_order({}, d.name), d.id", filter.seed),
        };
        // A span of the label that only a reviewer marked counts too, unless who found it or how surely is asked for.
        let from = format!(
            "FROM document d LEFT JOIN annotation a ON a.document = d.id AND a.reviewer = ?1
             WHERE {status}
             AND (?5 = '' OR instr(lower(d.name), lower(?5)) OR instr(lower(COALESCE(d.patient, '')), lower(?5)))
             AND ((?2 IS NULL AND ?3 IS NULL AND ?4 IS NULL)
               OR EXISTS (SELECT 1 FROM mark m WHERE m.document = d.id AND (?2 IS NULL OR m.label = ?2)
                          AND (?3 IS NULL OR instr(m.sources, ?3)) AND (?4 IS NULL OR m.score < ?4))
               OR (?3 IS NULL AND ?4 IS NULL AND a.marks IS NOT NULL
                   AND EXISTS (SELECT 1 FROM json_each(a.marks) j WHERE json_extract(j.value, '$.label') = ?2)))"
        );
        let label = filter.label.map(Label::name);
        let source = filter.source.as_ref().map(|s| format!(",{s},"));
        let file = self.read();
        let total = file.query_row(
            &format!("SELECT COUNT(*) {from}"),
            params![reviewer, label, source, filter.below, filter.search],
            |row| row.get(0),
        )?;
        let mut ask = file.prepare(&format!(
            "SELECT d.id, d.name, d.patient, d.doubt, d.spans, COALESCE(a.accepted, 0),
                    EXISTS (SELECT 1 FROM change c WHERE c.document = d.id AND c.reviewer = ?1 AND c.undone = 0),
                    d.failed IS NOT NULL {from} ORDER BY {order} LIMIT ?6 OFFSET ?7"
        ))?;
        let (limit, offset) = (filter.limit.clamp(1, MOST) as i64, filter.offset as i64);
        let rows = ask.query_map(
            params![reviewer, label, source, filter.below, filter.search, limit, offset],
            |row| {
                Ok(Row {
                    id: row.get(0)?,
                    name: row.get(1)?,
                    patient: row.get(2)?,
                    doubt: row.get(3)?,
                    searched: row.get::<_, Option<f64>>(3)?.is_some(),
                    spans: row.get(4)?,
                    accepted: row.get(5)?,
                    corrected: row.get(6)?,
                    failed: row.get(7)?,
                })
            },
        )?;
        Ok((total, rows.collect::<Result<_, _>>()?))
    }

    pub(crate) fn progress(&self, reviewer: i64) -> Result<Progress, Error> {
        let progress = self.read().query_row(
            "SELECT (SELECT COUNT(*) FROM document),
                    (SELECT COUNT(*) FROM document WHERE doubt IS NOT NULL),
                    (SELECT COUNT(*) FROM document WHERE failed IS NOT NULL),
                    (SELECT COUNT(*) FROM annotation WHERE accepted = 1 AND reviewer = ?1),
                    (SELECT COUNT(DISTINCT document) FROM annotation WHERE accepted = 1 AND reviewer > 0),
                    (SELECT COUNT(*) FROM refused)",
            [reviewer],
            |row| {
                Ok(Progress {
                    documents: row.get(0)?,
                    searched: row.get(1)?,
                    failed: row.get(2)?,
                    accepted: row.get(3)?,
                    accepted_by_all: row.get(4)?,
                    refused: row.get(5)?,
                })
            },
        )?;
        Ok(progress)
    }

    /// How many documents each reviewer accepted.
    pub(crate) fn accepted_by(&self) -> Result<Vec<(i64, i64)>, Error> {
        let file = self.read();
        let mut ask = file.prepare(
            "SELECT reviewer, COUNT(*) FROM annotation WHERE accepted = 1 AND reviewer > 0 GROUP BY reviewer",
        )?;
        let rows = ask.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
