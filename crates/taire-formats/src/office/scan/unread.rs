//! Ink that is in no word: handwriting, stamps, barcodes, faces, and print that OCR passed over.
//!
//! The page is looked at through cells of a 75th of an inch or so. A cell is inked where a good part of its pixels differ from the
//! paper. Rules of tables (long, thin and apart from each other) and specks do not count; bars of a barcode stand close and do.

use super::ocr::Word;
use super::raster::{Area, PageImage};

/// How much ink differs from paper, of 255.
const CONTRAST: u8 = 60;
/// The part of a cell that is inked.
const INKED: f32 = 0.2;
/// Rules are longer than this and no thicker than that, in cells.
const SHORTEST_RULE: usize = 20;
const THICKEST_RULE: usize = 3;
/// A square of cells around a part of a rule, from its centre, and how many inked cells it holds at most: two rules that cross.
const AROUND: usize = 12;
const MOST_AROUND: usize = 160;
/// A region has a side of so many cells, and so many inked ones.
const SMALLEST_SIDE: usize = 4;
const FEWEST_CELLS: usize = 9;

/// Areas with ink outside the words that are sure.
pub(super) fn unread_regions(page: &PageImage, words: &[Word], sure: impl Fn(&Word) -> bool) -> Vec<Area> {
    let mut cells = Cells::of(page);
    for word in words.iter().filter(|word| sure(word)) {
        cells.clear(word.area.grown(word.area.thickness() / 4 + cells.side, page.size()));
    }
    cells.clear_rules();
    cells.regions(page.size())
}

/// How light the paper of a page is: what most of its pixels are.
pub(super) fn paper(lightness: &[u8]) -> u8 {
    let mut often = [0usize; 16];
    lightness.iter().for_each(|light| often[usize::from(light / 16)] += 1);
    let most = (0..16).max_by_key(|&i| often[i]).unwrap_or(15);
    (most * 16 + 8) as u8
}

/// Whether a pixel is no paper.
pub(super) fn is_ink(light: u8, paper: u8) -> bool {
    light.abs_diff(paper) > CONTRAST
}

/// A page in cells.
struct Cells {
    /// Pixels of a cell's side.
    side: u32,
    across: usize,
    down: usize,
    inked: Vec<bool>,
}

impl Cells {
    fn of(page: &PageImage) -> Cells {
        let [width, height] = page.size();
        // A page is some 8 inches wide; a photograph of one has no other size.
        let side = (width.min(height) / 600).clamp(1, 16);
        let (across, down) = (width.div_ceil(side) as usize, height.div_ceil(side) as usize);
        let lightness = page.lightness();
        let paper = paper(&lightness);
        let mut counts = vec![0u32; across * down];
        for (y, row) in lightness.chunks_exact(width as usize).enumerate() {
            let row_of_cells = y / side as usize * across;
            for (x, light) in row.iter().enumerate() {
                counts[row_of_cells + x / side as usize] += u32::from(is_ink(*light, paper));
            }
        }
        let enough = INKED * (side * side) as f32;
        let inked = counts.into_iter().map(|count| count as f32 >= enough.max(1.0)).collect();
        Cells { side, across, down, inked }
    }

    fn clear(&mut self, area: Area) {
        let side = self.side as usize;
        for y in area.top as usize / side..(area.bottom as usize).div_ceil(side).min(self.down) {
            for x in area.left as usize / side..(area.right as usize).div_ceil(side).min(self.across) {
                self.inked[y * self.across + x] = false;
            }
        }
    }

    /// Clears long thin lines, along and down the page, that stand apart.
    fn clear_rules(&mut self) {
        let sums = Sums::of(&self.inked, self.across, self.down);
        for (x, y) in self.thin_lines() {
            if sums.around(x, y, AROUND) <= MOST_AROUND {
                self.inked[y * self.across + x] = false;
            }
        }
    }

    fn thin_lines(&self) -> Vec<(usize, usize)> {
        let mut rules = Vec::new();
        for y in 0..self.down {
            for run in runs(self.across, |x| self.inked[y * self.across + x]) {
                rules.extend(run.filter(|&x| self.thickness_down(x, y) <= THICKEST_RULE).map(|x| (x, y)));
            }
        }
        for x in 0..self.across {
            for run in runs(self.down, |y| self.inked[y * self.across + x]) {
                rules.extend(run.filter(|&y| self.thickness_across(x, y) <= THICKEST_RULE).map(|y| (x, y)));
            }
        }
        rules
    }

    fn thickness_down(&self, x: usize, y: usize) -> usize {
        let inked = |y: &usize| self.inked[y * self.across + x];
        let up = (0..y).rev().take(THICKEST_RULE).take_while(inked).count();
        up + (y..self.down).take(THICKEST_RULE + 1).take_while(inked).count()
    }

    fn thickness_across(&self, x: usize, y: usize) -> usize {
        let inked = |x: &usize| self.inked[y * self.across + x];
        let left = (0..x).rev().take(THICKEST_RULE).take_while(inked).count();
        left + (x..self.across).take(THICKEST_RULE + 1).take_while(inked).count()
    }

    /// Inked cells that touch, or nearly, as areas of the page. All bars of a barcode are one area: boxes over each of them would
    /// show it still.
    fn regions(&mut self, size: [u32; 2]) -> Vec<Area> {
        const NEAR: usize = 6;
        let mut found = Vec::new();
        let mut open = Vec::new();
        for start in 0..self.inked.len() {
            if !std::mem::take(&mut self.inked[start]) {
                continue;
            }
            open.push(start);
            let (mut left, mut top, mut right, mut bottom, mut count) = (usize::MAX, usize::MAX, 0, 0, 0);
            while let Some(cell) = open.pop() {
                let (x, y) = (cell % self.across, cell / self.across);
                (left, top, right, bottom) = (left.min(x), top.min(y), right.max(x + 1), bottom.max(y + 1));
                count += 1;
                for y in y.saturating_sub(NEAR)..(y + NEAR + 1).min(self.down) {
                    for x in x.saturating_sub(NEAR)..(x + NEAR + 1).min(self.across) {
                        if std::mem::take(&mut self.inked[y * self.across + x]) {
                            open.push(y * self.across + x);
                        }
                    }
                }
            }
            let sides = [right - left, bottom - top];
            if sides.iter().all(|side| *side >= SMALLEST_SIDE) && count >= FEWEST_CELLS {
                let [left, top, width, height] =
                    [left, top, sides[0], sides[1]].map(|cells| cells as u32 * self.side);
                found.push(Area::clipped([left, top, width, height], size).grown(self.side * 2, size));
            }
        }
        found
    }
}

/// How many cells are set above and to the left of each, so that any square is counted at once.
struct Sums {
    counts: Vec<u32>,
    across: usize,
    down: usize,
}

impl Sums {
    fn of(set: &[bool], across: usize, down: usize) -> Sums {
        let width = across + 1;
        let mut counts = vec![0u32; width * (down + 1)];
        for y in 0..down {
            let mut row = 0;
            for x in 0..across {
                row += u32::from(set[y * across + x]);
                counts[(y + 1) * width + x + 1] = counts[y * width + x + 1] + row;
            }
        }
        Sums { counts, across, down }
    }

    /// The cells that are set within `reach` of one.
    fn around(&self, x: usize, y: usize, reach: usize) -> usize {
        let width = self.across + 1;
        let (left, right) = (x.saturating_sub(reach), (x + reach + 1).min(self.across));
        let (top, bottom) = (y.saturating_sub(reach), (y + reach + 1).min(self.down));
        let at = |x: usize, y: usize| self.counts[y * width + x];
        (at(right, bottom) + at(left, top) - at(left, bottom) - at(right, top)) as usize
    }
}

/// Stretches that are long enough for a rule.
fn runs(length: usize, inked: impl Fn(usize) -> bool) -> Vec<std::ops::Range<usize>> {
    let (mut found, mut start) = (Vec::new(), 0);
    for i in 0..=length {
        if i == length || !inked(i) {
            if i - start >= SHORTEST_RULE {
                found.push(start..i);
            }
            start = i + 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{GrayImage, Luma};

    fn page(ink: impl Fn(u32, u32) -> bool) -> PageImage {
        PageImage::Grey(GrayImage::from_fn(600, 800, |x, y| Luma([if ink(x, y) { 20 } else { 245 }])))
    }

    #[test]
    fn scribbles_count_and_rules_and_specks_do_not() {
        let word = Word {
            text: "Lettre".into(),
            area: Area { left: 50, top: 50, right: 120, bottom: 62 },
            confidence: 95.0,
            line: [1, 1, 1],
        };
        let drawn = page(|x, y| {
            let word = (50..120).contains(&x) && (50..62).contains(&y) && x % 3 != 0;
            let rule = (100..500).contains(&x) && (300..302).contains(&y);
            let upright = (30..32).contains(&x) && (100..700).contains(&y);
            let speck = (400..402).contains(&x) && (500..502).contains(&y);
            let crossing = (250..252).contains(&x) && (280..340).contains(&y);
            let stamp = (200..260).contains(&x) && (600..660).contains(&y) && (x + y) % 4 < 2;
            let barcode = (400..520).contains(&x) && (600..650).contains(&y) && (x / 2 * 5) % 7 < 3;
            word || rule || upright || crossing || speck || stamp || barcode
        });
        let found = unread_regions(&drawn, &[word], |_| true);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.iter().any(|a| a.left <= 202 && a.right >= 258 && a.bottom >= 658), "{found:?}");
        assert!(found.iter().any(|a| a.left <= 404 && a.right >= 516 && a.bottom >= 648), "{found:?}");
        assert_eq!(unread_regions(&drawn, &[], |_| true).len(), 3, "the word too, where it was not read");
        assert!(unread_regions(&page(|_, _| false), &[], |_| true).is_empty());
    }
}
