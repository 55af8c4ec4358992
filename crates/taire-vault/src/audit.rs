//! The record of questions asked. Each line is chained to the one before by a keyed hash, and the last one is sealed
//! with their number: who lacks the vault key cannot remove, change or add a line without it showing. An older copy of
//! an old copy of the whole file cannot be detected.

use jiff::Timestamp;
use rusqlite::{Connection, TransactionBehavior};

use crate::Error;
use crate::error::database_error;
use crate::seal::Sealer;

/// One question: who asked, when, why, and how many originals were shown. Not about whom.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AuditLine {
    pub number: u64,
    pub time: String,
    pub user: String,
    pub reason: String,
    pub results: u64,
}

/// Seals the end of the chain.
pub(crate) fn head(sealer: &Sealer, lines: u64, last: &[u8]) -> [u8; 32] {
    sealer.audit_mac(&[b"head", &lines.to_le_bytes(), last])
}

fn chain(sealer: &Sealer, before: &[u8], line: &AuditLine, about: &[u8]) -> [u8; 32] {
    sealer.audit_mac(&[
        b"line",
        before,
        &line.number.to_le_bytes(),
        line.time.as_bytes(),
        line.user.as_bytes(),
        line.reason.as_bytes(),
        about,
        &line.results.to_le_bytes(),
    ])
}

/// Who runs this program: the system's number for them, which they cannot choose, and the name they go by.
fn user() -> String {
    let name =
        std::env::var("USER").or_else(|_| std::env::var("USERNAME")).unwrap_or_else(|_| "unnamed".into());
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if let Ok(own) = std::fs::metadata("/proc/self") {
            return format!("{name} (uid {})", own.uid());
        }
    }
    name
}

struct Chain {
    lines: Vec<AuditLine>,
    last: Vec<u8>,
}

fn verified(file: &Connection, sealer: &Sealer) -> Result<Chain, Error> {
    let fail = |e| database_error("read the record of", &e);
    let broken = || {
        Error::usage(
            "the record of questions was changed or a line is missing: nothing is revealed; restore the vault from a copy",
        )
    };
    let mut read = file
        .prepare("SELECT number, time, user, reason, about, results, chain FROM audit ORDER BY number")
        .map_err(fail)?;
    let mut rows = read.query([]).map_err(fail)?;
    let (mut lines, mut last) = (Vec::new(), Vec::new());
    while let Some(row) = rows.next().map_err(fail)? {
        let number = |i| row.get::<_, i64>(i).map(|n| n as u64).map_err(fail);
        let text = |i| row.get::<_, String>(i).map_err(fail);
        let line = AuditLine {
            number: number(0)?,
            time: text(1)?,
            user: text(2)?,
            reason: text(3)?,
            results: number(5)?,
        };
        let about: Vec<u8> = row.get(4).map_err(fail)?;
        let stored: Vec<u8> = row.get(6).map_err(fail)?;
        if line.number != lines.len() as u64 + 1 || stored != chain(sealer, &last, &line, &about) {
            return Err(broken());
        }
        last = stored;
        lines.push(line);
    }
    let stored: Vec<u8> = file
        .query_row("SELECT value FROM meta WHERE name = 'audit'", [], |row| row.get(0))
        .map_err(|_| broken())?;
    if stored != head(sealer, lines.len() as u64, &last) {
        return Err(broken());
    }
    Ok(Chain { lines, last })
}

pub(crate) fn read(file: &Connection, sealer: &Sealer) -> Result<Vec<AuditLine>, Error> {
    Ok(verified(file, sealer)?.lines)
}

/// Puts one question on record, on disk.
pub(crate) fn append(
    file: &mut Connection,
    sealer: &Sealer,
    reason: &str,
    about: &[u8],
    results: usize,
) -> Result<(), Error> {
    let fail = |e| {
        let error = database_error("write to the record of", &e);
        Error::new(error.kind(), format!("{error}; nothing is revealed"))
    };
    let record = file.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fail)?;
    let Chain { lines, last } = verified(&record, sealer)?;
    let line = AuditLine {
        number: lines.len() as u64 + 1,
        time: Timestamp::now().to_string(),
        user: user(),
        reason: reason.to_owned(),
        results: results as u64,
    };
    let link = chain(sealer, &last, &line, about);
    record
        .execute(
            "INSERT INTO audit VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            (line.number as i64, &line.time, &line.user, &line.reason, about, line.results as i64, &link),
        )
        .map_err(fail)?;
    record
        .execute("UPDATE meta SET value = ?1 WHERE name = 'audit'", [&head(sealer, line.number, &link)])
        .map_err(fail)?;
    record.commit().map_err(fail)
}
