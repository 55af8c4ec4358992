//! Straight lines of a page: the rules of its tables, drawn again. All other drawings are left out, as they may show a name, a
//! signature or a code.

use super::Matrix;
use super::write::PageLayout;

/// A level or upright line of a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rule {
    pub(crate) from: (f32, f32),
    pub(crate) to: (f32, f32),
    pub(crate) width: f32,
}

/// The shortest line that is taken for a rule, and the widest, in points.
const SHORTEST: f32 = 18.0;
const WIDEST: f32 = 2.5;
/// Rules of a table stand further apart than the bars of a code or the lines of a curve's paper.
const NEAREST: f32 = 8.0;
/// A line this near to such bars is one of them.
const IN_CODE: f32 = 3.0 * NEAREST;
const MOST_RULES: usize = 4000;
const MOST_POINTS: usize = 100_000;

/// Lines being drawn.
#[derive(Default)]
pub(super) struct Path {
    parts: Vec<Part>,
    points: usize,
}

#[derive(Default)]
struct Part {
    points: Vec<(f32, f32)>,
    curved: bool,
}

/// A path that was painted.
pub(super) struct Painted {
    parts: Vec<Part>,
    stroked: bool,
    closed: bool,
}

impl Path {
    /// Takes a step of the page that draws a line; others are ignored.
    pub(super) fn step(&mut self, operator: &str, n: &[f32; 6], matrix: Matrix) {
        let at = |x: f32, y: f32| matrix.apply(x, y);
        let (next, curved) = match operator {
            "m" => {
                self.parts.push(Part { points: vec![at(n[0], n[1])], curved: false });
                return;
            }
            "re" => {
                let (x, y, right, top) = (n[0], n[1], n[0] + n[2], n[1] + n[3]);
                let points = vec![at(x, y), at(right, y), at(right, top), at(x, top), at(x, y)];
                self.points += points.len();
                self.parts.push(Part { points, curved: self.points > MOST_POINTS });
                return;
            }
            "h" => match self.parts.last().and_then(|part| part.points.first()) {
                Some(first) => (*first, false),
                None => return,
            },
            "l" => (at(n[0], n[1]), false),
            "c" => (at(n[4], n[5]), true),
            "v" | "y" => (at(n[2], n[3]), true),
            _ => return,
        };
        self.points += 1;
        if let Some(part) = self.parts.last_mut() {
            // A path of so many points is a drawing.
            part.curved |= curved || self.points > MOST_POINTS;
            if !part.curved {
                part.points.push(next);
            }
        }
    }

    /// What was drawn, if the step paints it or throws it away.
    pub(super) fn paint(&mut self, operator: &str) -> Option<Painted> {
        let (stroked, closed) = match operator {
            "S" | "B" | "B*" => (true, false),
            "s" | "b" | "b*" => (true, true),
            "f" | "F" | "f*" => (false, true),
            "n" => {
                *self = Path::default();
                return None;
            }
            _ => return None,
        };
        let parts = std::mem::take(self).parts;
        Some(Painted { parts, stroked, closed })
    }
}

impl Painted {
    /// Adds the rules it is made of to the page, or tells that it is a drawing.
    pub(super) fn push_rules(self, line_width: f32, out: &mut PageLayout) {
        for mut part in self.parts {
            if part.curved || out.rules.len() > MOST_RULES {
                out.drawings = true;
                continue;
            }
            if self.closed {
                part.points.extend(part.points.first().copied());
            }
            let lines = part.points.windows(2).map(|ends| (ends[0], ends[1]));
            match self.stroked {
                true => {
                    for (from, to) in lines.filter(|(from, to)| from != to) {
                        push_rule(from, to, line_width, out);
                    }
                }
                false => match thin_box(&part.points) {
                    Some(Rule { from, to, width }) => push_rule(from, to, width, out),
                    None => out.drawings |= part.points.len() > 1,
                },
            }
        }
    }
}

/// A box as its middle line, which is as wide as the box.
fn thin_box(points: &[(f32, f32)]) -> Option<Rule> {
    if !(4..=6).contains(&points.len()) {
        return None;
    }
    let low = |get: fn(&(f32, f32)) -> f32| points.iter().map(get).fold(f32::INFINITY, f32::min);
    let high = |get: fn(&(f32, f32)) -> f32| points.iter().map(get).fold(f32::NEG_INFINITY, f32::max);
    let (x, y, right, top) = (low(|p| p.0), low(|p| p.1), high(|p| p.0), high(|p| p.1));
    let (width, height) = (right - x, top - y);
    if height <= width {
        let middle = y + height / 2.0;
        Some(Rule { from: (x, middle), to: (right, middle), width: height })
    } else {
        let middle = x + width / 2.0;
        Some(Rule { from: (middle, y), to: (middle, top), width })
    }
}

fn push_rule(from: (f32, f32), to: (f32, f32), width: f32, out: &mut PageLayout) {
    let (across, up) = ((from.0 - to.0).abs(), (from.1 - to.1).abs());
    let straight = across.min(up) < 0.5;
    let on_page = |(x, y): (f32, f32)| {
        (-1.0..=out.size[0] + 1.0).contains(&x) && (-1.0..=out.size[1] + 1.0).contains(&y)
    };
    if !straight || across.max(up) < SHORTEST || !on_page(from) || !on_page(to) {
        out.drawings = true;
        return;
    }
    out.rules.push(Rule { from, to, width: width.max(0.3) });
}

/// Takes away lines that stand as close together as the bars of a code, and those too wide for a table. Whether there were any.
pub(super) fn keep_table_rules(rules: &mut Vec<Rule>) -> bool {
    let before = rules.len();
    for upright in [false, true] {
        let is_upright = |rule: &Rule| (rule.from.0 - rule.to.0).abs() < (rule.from.1 - rule.to.1).abs();
        // Where it stands, and from where to where it goes.
        let place = |rule: &Rule| match upright {
            true => (rule.from.0, rule.from.1.min(rule.to.1), rule.from.1.max(rule.to.1)),
            false => (rule.from.1, rule.from.0.min(rule.to.0), rule.from.0.max(rule.to.0)),
        };
        let mut places: Vec<(f32, f32, f32)> =
            rules.iter().filter(|rule| is_upright(rule) == upright).map(place).collect();
        places.sort_by(|a, b| a.0.total_cmp(&b.0));
        let beside = |(at, low, high): (f32, f32, f32), list: &[(f32, f32, f32)], reach: f32| {
            let first = list.partition_point(|other| other.0 < at - reach);
            let near = list[first..].iter().take_while(|other| other.0 <= at + reach);
            // Lines drawn twice are one.
            near.filter(|o| (o.0 - at).abs() > 0.6 && o.1 < high && o.2 > low).take(2).count()
        };
        let crowded: Vec<(f32, f32, f32)> =
            places.iter().filter(|place| beside(**place, &places, NEAREST) == 2).copied().collect();
        let goes = |place| crowded.contains(&place) || beside(place, &crowded, IN_CODE) > 0;
        rules.retain(|rule| is_upright(rule) != upright || !goes(place(rule)));
    }
    rules.retain(|rule| rule.width <= WIDEST);
    rules.len() != before
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upright(x: f32, width: f32) -> Rule {
        Rule { from: (x, 100.0), to: (x, 140.0), width }
    }

    #[test]
    fn rules_of_a_table_stay_and_bars_of_a_code_go() {
        let mut table: Vec<Rule> = [50.0, 51.5, 60.0, 120.0, 300.0, 545.0].map(|x| upright(x, 0.5)).to_vec();
        assert!(!keep_table_rules(&mut table));
        assert_eq!(table.len(), 6);
        let mut x = 50.0;
        let mut code = Vec::new();
        for i in 0..60 {
            x += [1.2, 2.4, 6.6, 1.2, 4.8][i * 7 % 5];
            code.push(upright(x, [1.0, 2.0, 3.0][i % 3]));
        }
        assert!(keep_table_rules(&mut code));
        assert!(code.is_empty(), "{}", code.len());
    }
}
