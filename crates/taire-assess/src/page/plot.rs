//! Drawings as inline SVG, each with a title and a description that says in words what it shows.

use std::fmt::Write as _;

use super::{escape, percent};

const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 270.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 52.0;
const COLOURS: [&str; 8] =
    ["#1f5fa8", "#b3541e", "#2f7d4f", "#7a4b9d", "#8a6d00", "#a3305c", "#3b6f78", "#555f6b"];

/// A drawing with its axes.
#[derive(Debug)]
pub struct Plot {
    /// The title over it.
    pub title: String,
    /// What the horizontal axis counts.
    pub axis_x: String,
    /// What the vertical axis counts.
    pub axis_y: String,
    /// What is drawn.
    pub kind: PlotKind,
}

/// What a [`Plot`] draws.
#[derive(Debug)]
pub enum PlotKind {
    /// Shares in each class, before (outlined) and after (filled).
    Histogram {
        /// Names of the classes.
        classes: Vec<String>,
        /// Shares before.
        before: Vec<f64>,
        /// Shares after.
        after: Vec<f64>,
    },
    /// What a score promises against what was observed, with the number of cases.
    Reliability(Vec<(f64, f64, usize)>),
    /// One named point each: shares on both axes.
    Points(Vec<(String, f64, f64)>),
}

impl Plot {
    /// What the drawing shows, in words.
    pub fn words(&self) -> String {
        match &self.kind {
            PlotKind::Histogram { classes, before, after } => {
                let class = |i: usize| {
                    format!("{}: {} before, {} after", classes[i], percent(before[i]), percent(after[i]))
                };
                (0..classes.len()).map(class).collect::<Vec<_>>().join("; ")
            }
            PlotKind::Reliability(points) => {
                let point = |&(mean, seen, n): &(f64, f64, usize)| {
                    format!("mean score {mean:.2}: {seen:.2} right of {n}")
                };
                points.iter().map(point).collect::<Vec<_>>().join("; ")
            }
            PlotKind::Points(points) => {
                let point = |(name, x, y): &(String, f64, f64)| {
                    format!("{name}: {} {}, {} {}", self.axis_x, percent(*x), self.axis_y, percent(*y))
                };
                points.iter().map(point).collect::<Vec<_>>().join("; ")
            }
        }
    }

    /// The drawing; `number` makes its ids differ from those of the others on the page.
    pub fn svg(&self, number: usize) -> String {
        let mut out = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-labelledby=\"t{number} d{number}\" \
             font-family=\"system-ui,'DejaVu Sans',sans-serif\" font-size=\"11\" fill=\"#1d2733\">\n\
             <title id=\"t{number}\">{}</title>\n<desc id=\"d{number}\">{}</desc>\n\
             <text x=\"10\" y=\"17\" font-size=\"13\" font-weight=\"600\">{}</text>\n",
            escape(&self.title),
            escape(&self.words()),
            escape(&self.title)
        );
        match &self.kind {
            PlotKind::Histogram { classes, before, after } => histogram(&mut out, classes, before, after),
            PlotKind::Reliability(points) => reliability(&mut out, points),
            PlotKind::Points(points) => scatter(&mut out, points),
        }
        let _ = write!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n\
             <text transform=\"translate(12 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n</svg>",
            (LEFT + WIDTH - RIGHT) / 2.0,
            HEIGHT - 6.0,
            escape(&self.axis_x),
            (TOP + HEIGHT - BOTTOM) / 2.0,
            escape(&self.axis_y)
        );
        out
    }
}

/// From shares to places on the drawing.
struct Frame {
    x: (f64, f64),
    y: (f64, f64),
}

impl Frame {
    fn x(&self, value: f64) -> f64 {
        LEFT + (value - self.x.0) / (self.x.1 - self.x.0) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - (value - self.y.0) / (self.y.1 - self.y.0) * (HEIGHT - TOP - BOTTOM)
    }

    /// Lines and labels from one share to another.
    fn draw_y(&self, out: &mut String, from: f64, to: f64) {
        let (left, right) = (LEFT, WIDTH - RIGHT);
        for i in 0..=4 {
            let value = from + (to - from) * f64::from(i) / 4.0;
            let y = self.y(value);
            let _ = writeln!(
                out,
                "<path d=\"M{left:.1} {y:.1}H{right:.1}\" stroke=\"#d5dbe2\"/><text x=\"{:.1}\" y=\"{:.1}\" \
                 text-anchor=\"end\">{}</text>",
                left - 5.0,
                y + 4.0,
                tick(value, to - from)
            );
        }
    }

    fn draw_x(&self, out: &mut String, from: f64, to: f64) {
        for i in 0..=4 {
            let value = from + (to - from) * f64::from(i) / 4.0;
            let _ = writeln!(
                out,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                self.x(value),
                HEIGHT - BOTTOM + 16.0,
                tick(value, to - from)
            );
        }
    }
}

fn tick(share: f64, range: f64) -> String {
    let decimals = if range < 0.02 {
        2
    } else if range < 0.2 {
        1
    } else {
        0
    };
    format!("{:.decimals$} %", 100.0 * share)
}

/// A round number at or over the largest share.
fn ceiling(largest: f64) -> f64 {
    [0.04, 0.08, 0.2, 0.4, 0.6, 0.8].into_iter().find(|&c| largest <= c).unwrap_or(1.0)
}

fn histogram(out: &mut String, classes: &[String], before: &[f64], after: &[f64]) {
    let largest = before.iter().chain(after).copied().fold(0.0, f64::max);
    let top = ceiling(largest);
    let frame = Frame { x: (0.0, classes.len().max(1) as f64), y: (0.0, top) };
    let _ = writeln!(
        out,
        "<rect x=\"10\" y=\"27\" width=\"11\" height=\"11\" fill=\"none\" stroke=\"#566272\" stroke-width=\"1.5\"/>\
         <text x=\"26\" y=\"37\">before</text><rect x=\"76\" y=\"27\" width=\"11\" height=\"11\" fill=\"{0}\"/>\
         <text x=\"92\" y=\"37\">after</text>",
        COLOURS[0]
    );
    if !classes.is_empty() && after.iter().all(|&share| share == 0.0) {
        let _ = writeln!(out, "<text x=\"140\" y=\"37\">(no two whole dates are left in a record)</text>");
    }
    frame.draw_y(out, 0.0, top);
    for (i, class) in classes.iter().enumerate() {
        let at = i as f64;
        for (from, share, style) in [
            (0.10, before[i], "fill=\"none\" stroke=\"#566272\" stroke-width=\"1.5\"".to_owned()),
            (0.52, after[i], format!("fill=\"{}\"", COLOURS[0])),
        ] {
            let (x, y) = (frame.x(at + from), frame.y(share));
            let width = frame.x(at + from + 0.38) - x;
            let height = frame.y(0.0) - y;
            let _ = writeln!(
                out,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" {style}/>"
            );
        }
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"10\">{}</text>",
            frame.x(at + 0.5),
            HEIGHT - BOTTOM + 15.0,
            escape(class)
        );
    }
}

fn reliability(out: &mut String, points: &[(f64, f64, usize)]) {
    let frame = Frame { x: (0.0, 1.0), y: (0.0, 1.0) };
    frame.draw_y(out, 0.0, 1.0);
    frame.draw_x(out, 0.0, 1.0);
    let _ = writeln!(
        out,
        "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"#566272\" stroke-dasharray=\"4 3\"/>\
         <text x=\"10\" y=\"37\">on the dashed line a score keeps its word; a larger dot has more cases</text>",
        frame.x(0.0),
        frame.y(0.0),
        frame.x(1.0),
        frame.y(1.0)
    );
    let most = points.iter().map(|p| p.2).max().unwrap_or(1).max(1) as f64;
    for &(mean, seen, n) in points {
        let radius = 3.0 + 6.0 * (n as f64 / most).sqrt();
        let _ = writeln!(
            out,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius:.1}\" fill=\"{}\" fill-opacity=\"0.75\"/>",
            frame.x(mean),
            frame.y(seen),
            COLOURS[0]
        );
    }
}

fn scatter(out: &mut String, points: &[(String, f64, f64)]) {
    let lowest = points.iter().map(|p| p.1).fold(1.0, f64::min);
    let from = [0.99, 0.98, 0.96, 0.9, 0.8, 0.6, 0.4].into_iter().find(|&f| lowest > f).unwrap_or(0.0);
    // Room for marks at the ends of the axes.
    let room = 0.08 * (1.0 - from);
    let frame = Frame { x: (from - room, 1.0 + room), y: (-0.09, 1.06) };
    frame.draw_y(out, 0.0, 1.0);
    frame.draw_x(out, from, 1.0);
    let (mut at, mut line) = (16.0, 33.0);
    for (i, (name, x, y)) in points.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        let width = 22.0 + 6.2 * name.chars().count() as f64;
        if at + width > WIDTH && at > 16.0 {
            (at, line) = (16.0, line + 13.0);
        }
        let _ = writeln!(
            out,
            "{}<text x=\"{:.1}\" y=\"{:.1}\">{}</text>{}",
            mark(i, at, line, 4.0, colour),
            at + 8.0,
            line + 4.0,
            escape(name),
            // Points at the same place are drawn around each other.
            mark(i, frame.x(*x), frame.y(*y), 3.5 + 1.5 * i as f64, colour)
        );
        at += width;
    }
}

/// Points differ by shape as well as by colour.
fn mark(i: usize, x: f64, y: f64, size: f64, colour: &str) -> String {
    let style = format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"");
    let (top, side) = (y - size, 2.0 * size);
    match i % 4 {
        0 => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{size:.1}\" {style}/>"),
        1 => format!(
            "<rect x=\"{:.1}\" y=\"{top:.1}\" width=\"{side:.1}\" height=\"{side:.1}\" {style}/>",
            x - size
        ),
        2 => format!("<path d=\"M{x:.1} {top:.1}l{size:.1} {side:.1}h-{side:.1}z\" {style}/>"),
        _ => format!(
            "<path d=\"M{x:.1} {top:.1}l{size:.1} {size:.1}l-{size:.1} {size:.1}l-{size:.1} -{size:.1}z\" {style}/>"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_says_in_words_what_it_shows_and_stays_in_its_frame() {
        let plot = Plot {
            title: "Kept & found".into(),
            axis_x: "kept".into(),
            axis_y: "found".into(),
            kind: PlotKind::Points(vec![("fr".into(), 0.995, 1.0), ("fasdim".into(), 0.992, 1.0)]),
        };
        let svg = plot.svg(3);
        assert!(svg.contains("aria-labelledby=\"t3 d3\"") && svg.contains("Kept &amp; found"));
        assert!(svg.contains(
            "<desc id=\"d3\">fr: kept 99.5 %, found 100.0 %; fasdim: kept 99.2 %, found 100.0 %</desc>"
        ));
        assert!(!svg.contains("NaN"));
        let empty =
            Plot { kind: PlotKind::Histogram { classes: vec![], before: vec![], after: vec![] }, ..plot };
        assert!(!empty.svg(1).contains("NaN"));
    }
}
