//! Tables of numbers: rows whose cells are values, in columns of tabs, bars or wide gaps.

use taire_text::Note;

use super::clinical::ClinicalMatch;

/// A row of values has so many cells of numbers.
const CELLS: usize = 3;

/// The numbers of every table of at least two rows.
pub(super) fn table_cells(note: &Note, out: &mut Vec<ClinicalMatch>) {
    let text = note.norm();
    let mut block: Vec<(usize, Vec<std::ops::Range<usize>>)> = Vec::new();
    for index in 0..note.lines().count() {
        let line = note.line(index);
        let row = &text[line.range()];
        if row.trim().is_empty() {
            continue;
        }
        let mut cells = number_cells(row, line.start());
        let dates = cells.iter().all(|c| is_day_and_month(&text[c.clone()]));
        if cells.len() >= CELLS && !dates {
            // "01/07    59,4    56,6": the day of the row.
            cells.retain(|c| {
                !(row[..c.start - line.start()].trim().is_empty() && is_padded_day(&text[c.clone()]))
            });
            block.push((index, cells));
            continue;
        }
        flush(&mut block, out);
    }
    flush(&mut block, out);
}

fn flush(block: &mut Vec<(usize, Vec<std::ops::Range<usize>>)>, out: &mut Vec<ClinicalMatch>) {
    if block.len() >= 2 {
        let cells = block.iter().flat_map(|(_, cells)| cells.iter().cloned());
        out.extend(cells.map(|range| ClinicalMatch { range, rule: "table" }));
    }
    block.clear();
}

/// The cells of a row that hold one value, if most of them do.
fn number_cells(row: &str, offset: usize) -> Vec<std::ops::Range<usize>> {
    let mut cells = Vec::new();
    let mut others = 0;
    let mut start = 0;
    let bytes = row.as_bytes();
    let mut i = 0;
    let mut push = |from: usize, to: usize| {
        let cell = row[from..to].trim();
        if cell.is_empty() {
            return;
        }
        let at = from + (row[from..to].len() - row[from..to].trim_start().len());
        if is_value(cell) {
            cells.push(offset + at..offset + at + cell.len());
        } else if cell.bytes().filter(u8::is_ascii_digit).count() > 4 {
            others += 3;
        } else {
            others += 1;
        }
    };
    while i < bytes.len() {
        let wide = bytes[i] == b' ' && bytes.get(i + 1) == Some(&b' ');
        if matches!(bytes[i], b'\t' | b'|') || wide {
            push(start, i);
            start = i + 1;
        }
        i += 1;
    }
    push(start, row.len());
    if cells.len() * 2 >= others { cells } else { Vec::new() }
}

/// `23/05`: the head of a column may be a day.
fn is_day_and_month(cell: &str) -> bool {
    let value = |part: &str| part.parse::<u32>().unwrap_or(0);
    cell.split_once('/').is_some_and(|(d, m)| (1..=31).contains(&value(d)) && (1..=12).contains(&value(m)))
}

/// `01/07`, both in two digits.
fn is_padded_day(cell: &str) -> bool {
    let padded = cell.split_once('/').is_some_and(|(d, m)| d.len() == 2 && m.len() == 2);
    padded && is_day_and_month(cell)
}

/// `12`, `7,38`, `-4`, `< 0,5`, `98/54`, `36 %`, `4+3`: at most four digits in a row and no date.
fn is_value(cell: &str) -> bool {
    let digits = cell.bytes().filter(u8::is_ascii_digit).count();
    let plain = |c: char| c.is_ascii_digit() || " .,/+-−<>≤≥%±*()↑↓".contains(c);
    let core = cell.trim_end_matches(['H', 'L', 'N', 'P', '*', '↑', '↓']);
    let runs = core.split(|c: char| !c.is_ascii_digit()).filter(|r| !r.is_empty());
    let mut longest = 0;
    let mut count = 0;
    for run in runs {
        longest = longest.max(run.len());
        count += 1;
    }
    let dated = count == 3 && core.matches(['/', '-', '.']).count() == 2;
    digits > 0
        && longest <= 4
        && count <= 4
        && digits <= 8
        && !dated
        && core.chars().all(plain)
        && !(count >= 4 && longest <= 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(text: &str) -> Vec<String> {
        let note = Note::builder("t", text).build().unwrap();
        let mut out = Vec::new();
        table_cells(&note, &mut out);
        out.iter().map(|m| note.norm()[m.range.clone()].to_owned()).collect()
    }

    #[test]
    fn rows_of_values_are_tables_and_addresses_are_not() {
        let gases = "pCO2 (mmHg)   71    66    54\npO2 (mmHg)    48    61    74";
        assert_eq!(cells(gases), ["71", "66", "54", "48", "61", "74"]);
        assert_eq!(cells("FC\t112\t118\t104\nPAS/D\t98/54\t104/58\t110/60").len(), 6);
        assert!(cells("DURAND\tAnne\t12/03/1950\t29200\nMARTIN\tPaul\t03/04/1961\t35000").is_empty());
        assert!(cells("Tel  04 75 38 41 92\nFax  04 75 38 41 93").is_empty());
        assert!(cells("une ligne  12  13  14 seule").is_empty());
        assert_eq!(cells("01/07  59,4  56,6  17\n04/07  60,1  56,9  18")[0], "59,4");
    }
}
