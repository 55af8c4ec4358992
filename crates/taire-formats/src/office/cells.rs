//! Rows of a table as lines: cells of one paragraph each stand between tabs, others below one another.

use crate::splice::Gatherer;

#[derive(Default)]
struct Row {
    /// Where the last paragraph of each cell ends.
    ends: Vec<usize>,
    paragraphs: usize,
    several: bool,
}

/// The rows that are open: tables may stand in cells.
#[derive(Default)]
pub(crate) struct Rows(Vec<Row>);

impl Rows {
    pub(crate) fn open_row(&mut self) {
        self.0.push(Row::default());
    }

    pub(crate) fn open_cell(&mut self) {
        if let Some(row) = self.0.last_mut() {
            row.paragraphs = 0;
        }
    }

    /// A paragraph ended, its break being the last thing written.
    pub(crate) fn paragraph(&mut self) {
        if let Some(row) = self.0.last_mut() {
            row.paragraphs += 1;
        }
    }

    pub(crate) fn close_cell(&mut self, out: &Gatherer) {
        if let Some(row) = self.0.last_mut() {
            row.several |= row.paragraphs != 1;
            row.ends.push(out.position().saturating_sub(1));
        }
    }

    pub(crate) fn close_row(&mut self, out: &mut Gatherer) {
        if let Some(mut row) = self.0.pop().filter(|row| !row.several) {
            row.ends.pop();
            row.ends.into_iter().for_each(|end| out.set_break(end, '\t'));
        }
    }
}
