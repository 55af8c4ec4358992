//! Letters as pages: set in Courier, so that the place of every character is known, drawn, and made worse as scanners do.

use std::io::Cursor;

use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_syntax::Pdf;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{PixmapSettings, RenderCache, RenderSettings, render};
use image::{DynamicImage, GrayImage, ImageFormat, Luma, imageops};

use crate::corpus::Stop;

/// In points.
const PAGE: [f32; 2] = [595.0, 842.0];
const MARGIN: f32 = 50.0;
const SIZE: f32 = 10.5;
/// Every character of Courier is as wide.
const ADVANCE: f32 = SIZE * 0.6;
const LEADING: f32 = 13.0;

/// A text on one page.
pub(super) struct Page {
    rows: Vec<Vec<char>>,
    /// The byte of the text, the row and the column of each character that is on the page.
    pub(super) places: Vec<(usize, usize, usize)>,
}

impl Page {
    /// Sets a text, and leaves out what does not fit.
    pub(super) fn set(text: &str) -> Page {
        let columns = ((PAGE[0] - 2.0 * MARGIN) / ADVANCE) as usize;
        let most = ((PAGE[1] - 2.0 * MARGIN) / LEADING) as usize;
        let mut page = Page { rows: Vec::new(), places: Vec::new() };
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let mut row: Vec<(usize, char)> = Vec::new();
            for (at, c) in line.trim_end_matches('\n').char_indices() {
                row.push((start + at, if c == '\t' { ' ' } else { c }));
            }
            start += line.len();
            loop {
                if page.rows.len() == most {
                    return page;
                }
                let fits = row.len() <= columns;
                let space = row.iter().take(columns).rposition(|(_, c)| *c == ' ');
                let end = if fits { row.len() } else { space.map_or(columns, |at| at + 1) };
                let rest = row.split_off(end);
                let number = page.rows.len();
                page.places.extend(row.iter().enumerate().map(|(column, (at, _))| (*at, number, column)));
                page.rows.push(row.into_iter().map(|(_, c)| c).collect());
                if rest.is_empty() {
                    break;
                }
                row = rest;
            }
        }
        page
    }

    /// The middle of a character's left edge on the line that it stands on, in points from the upper left corner.
    fn baseline((row, column): (usize, usize)) -> (f32, f32) {
        (MARGIN + column as f32 * ADVANCE, MARGIN + SIZE + row as f32 * LEADING)
    }

    /// Points inside a character, where it has ink: from the line up to the height of small letters.
    pub(super) fn samples(place: (usize, usize)) -> impl Iterator<Item = (f32, f32)> {
        let (left, bottom) = Page::baseline(place);
        let inside = |i: u32, of: u32| (i as f32 + 0.5) / of as f32;
        (0..4).flat_map(move |i| {
            (0..5).map(move |j| (left + inside(i, 4) * ADVANCE, bottom - inside(j, 5) * 0.42 * SIZE))
        })
    }

    /// The page as a file.
    fn pdf(&self) -> Vec<u8> {
        let mut content =
            format!("BT /F {SIZE} Tf {LEADING} TL 1 0 0 1 {MARGIN} {} Tm\n", PAGE[1] - MARGIN - SIZE)
                .into_bytes();
        for row in &self.rows {
            content.extend(b"<");
            for c in row {
                content.extend(format!("{:02X}", win_ansi(*c)).bytes());
            }
            content.extend(b"> Tj T*\n");
        }
        content.extend(b"ET");
        let objects = [
            "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
            "<</Type/Pages/Count 1/Kids[3 0 R]>>".to_owned(),
            format!(
                "<</Type/Page/Parent 2 0 R/MediaBox[0 0 {} {}]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
                PAGE[0], PAGE[1]
            ),
            format!(
                "<</Length {}>>\nstream\n{}\nendstream",
                content.len(),
                String::from_utf8_lossy(&content)
            ),
            "<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding>>".to_owned(),
        ];
        let (mut out, mut table) = (String::from("%PDF-1.4\n"), String::from("0000000000 65535 f \n"));
        for (i, object) in objects.iter().enumerate() {
            table += &format!("{:010} 00000 n \n", out.len());
            out += &format!("{} 0 obj\n{object}\nendobj\n", i + 1);
        }
        let (at, count) = (out.len(), objects.len() + 1);
        out += &format!(
            "xref\n0 {count}\n{table}trailer\n<</Size {count}/Root 1 0 R>>\nstartxref\n{at}\n%%EOF\n"
        );
        out.into_bytes()
    }

    fn draw(&self, dpi: f32) -> Result<GrayImage, Stop> {
        let pdf = Pdf::new(self.pdf()).map_err(|_| Stop("a printed letter cannot be read".into()))?;
        let cache = RenderCache::new();
        let scale = dpi / 72.0;
        let sizes = PixmapSettings { x_scale: scale, y_scale: scale, bg_color: WHITE };
        let pages = pdf.pages();
        let page = pages.iter().next().ok_or_else(|| Stop("a printed letter has no page".into()))?;
        let drawn = render(page, &cache, &InterpreterSettings::default(), &RenderSettings::default(), &sizes);
        let grey = drawn.data_as_u8_slice().chunks_exact(4).map(|pixel| pixel[0]).collect();
        GrayImage::from_raw(drawn.width().into(), drawn.height().into(), grey)
            .ok_or_else(|| Stop("a printed letter cannot be drawn".into()))
    }
}

fn win_ansi(c: char) -> u8 {
    match c {
        '\u{20}'..='\u{7e}' | '\u{a0}'..='\u{ff}' => c as u8,
        '€' => 0x80,
        '…' => 0x85,
        'Œ' => 0x8C,
        '‘' => 0x91,
        '’' => 0x92,
        '“' => 0x93,
        '”' => 0x94,
        '•' => 0x95,
        '–' => 0x96,
        '—' => 0x97,
        'œ' => 0x9C,
        _ => b'?',
    }
}

/// How a page is scanned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scanner {
    pub(super) name: &'static str,
    pub(super) dpi: f32,
    /// Degrees by which a page lies askew at most, to either side.
    pub(super) skew: f32,
    pub(super) blur: f32,
    /// The standard deviation of each pixel, of 255.
    pub(super) noise: f32,
    /// How dark ink is: 1 is black.
    pub(super) contrast: f32,
}

pub(super) const SCANNERS: [Scanner; 4] = [
    Scanner { name: "as printed", dpi: 200.0, skew: 0.0, blur: 0.0, noise: 0.0, contrast: 1.0 },
    Scanner { name: "scanned", dpi: 200.0, skew: 0.8, blur: 0.8, noise: 10.0, contrast: 0.9 },
    Scanner { name: "poor", dpi: 150.0, skew: 1.5, blur: 0.8, noise: 14.0, contrast: 0.8 },
    Scanner { name: "very poor", dpi: 150.0, skew: 2.0, blur: 1.1, noise: 24.0, contrast: 0.65 },
];

/// A scanned page, and where points of the page went.
pub(super) struct ScannedLetter {
    pub(super) png: Vec<u8>,
    scale: f32,
    angle: f32,
    centre: (f32, f32),
}

impl ScannedLetter {
    /// The pixel that shows a point of the page.
    pub(super) fn pixel(&self, (x, y): (f32, f32)) -> (u32, u32) {
        let (x, y) = (x * self.scale - self.centre.0, y * self.scale - self.centre.1);
        let (sin, cos) = self.angle.sin_cos();
        let (x, y) = (x * cos - y * sin + self.centre.0, x * sin + y * cos + self.centre.1);
        (x.max(0.0) as u32, y.max(0.0) as u32)
    }
}

impl Scanner {
    pub(super) fn scan(&self, page: &Page, seed: u64) -> Result<ScannedLetter, Stop> {
        let mut dice = Dice(seed | 1);
        let drawn = page.draw(self.dpi)?;
        let (width, height) = drawn.dimensions();
        let centre = (width as f32 / 2.0, height as f32 / 2.0);
        let angle = (self.skew * (dice.unit() * 2.0 - 1.0)).to_radians();
        let mut image = turned(&drawn, angle, centre);
        if self.blur > 0.0 {
            image = imageops::blur(&image, self.blur);
        }
        for pixel in image.pixels_mut() {
            let ink = (255.0 - f32::from(pixel.0[0])) * self.contrast;
            // Four dice are nearly normal; their sum deviates by 1/√3.
            let noise = (0..4).map(|_| dice.unit()).sum::<f32>() - 2.0;
            pixel.0[0] = (250.0 - ink + noise * 1.732 * self.noise).clamp(0.0, 255.0) as u8;
        }
        let mut png = Cursor::new(Vec::new());
        DynamicImage::ImageLuma8(image).write_to(&mut png, ImageFormat::Png)?;
        Ok(ScannedLetter { png: png.into_inner(), scale: self.dpi / 72.0, angle, centre })
    }
}

/// The image turned about its centre, each pixel a mean of the four that it was made of.
fn turned(image: &GrayImage, angle: f32, centre: (f32, f32)) -> GrayImage {
    let (width, height) = image.dimensions();
    let (sin, cos) = (-angle).sin_cos();
    let at = |x: i64, y: i64| match (u32::try_from(x), u32::try_from(y)) {
        (Ok(x), Ok(y)) if x < width && y < height => f32::from(image.get_pixel(x, y).0[0]),
        _ => 255.0,
    };
    GrayImage::from_fn(width, height, |x, y| {
        let (dx, dy) = (x as f32 - centre.0, y as f32 - centre.1);
        let (sx, sy) = (dx * cos - dy * sin + centre.0, dx * sin + dy * cos + centre.1);
        let (left, top) = (sx.floor(), sy.floor());
        let (fx, fy) = (sx - left, sy - top);
        let (left, top) = (left as i64, top as i64);
        let upper = at(left, top) * (1.0 - fx) + at(left + 1, top) * fx;
        let lower = at(left, top + 1) * (1.0 - fx) + at(left + 1, top + 1) * fx;
        Luma([(upper * (1.0 - fy) + lower * fy) as u8])
    })
}

/// Random numbers from a seed.
struct Dice(u64);

impl Dice {
    fn unit(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f32 / (1u64 << 24) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A character's samples are dark where it is printed and light where it is not, however the page lies.
    #[test]
    fn samples_lie_on_their_characters() {
        let page = Page::set("Nom : MMMMMM\n\nRAS");
        let wide: Vec<_> = page.places.iter().filter(|(at, ..)| (6..12).contains(at)).collect();
        assert_eq!(wide.len(), 6);
        for angle in [0.0, 0.03, -0.03] {
            let drawn = page.draw(200.0).unwrap();
            let centre = (drawn.width() as f32 / 2.0, drawn.height() as f32 / 2.0);
            let image = turned(&drawn, angle, centre);
            let letter = ScannedLetter { png: Vec::new(), scale: 200.0 / 72.0, angle, centre };
            let dark = |places: &[(usize, usize)]| {
                let points = places.iter().flat_map(|place| Page::samples(*place));
                let pixels = points.map(|point| letter.pixel(point)).map(|(x, y)| image.get_pixel(x, y).0[0]);
                pixels.filter(|light| *light < 128).count()
            };
            let printed: Vec<_> = wide.iter().map(|(_, row, column)| (*row, *column)).collect();
            let empty: Vec<_> = (0..6).map(|column| (1, column)).collect();
            assert!(dark(&printed) > 40, "{} of 120 at {angle}", dark(&printed));
            assert_eq!(dark(&empty), 0);
        }
    }
}
