//! Pages as pixels: decoded within limits, covered, and encoded anew without anything else that was in their file.

use std::io::Cursor;
use std::panic::catch_unwind;

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{
    DynamicImage, ExtendedColorType, GrayImage, ImageDecoder, ImageEncoder, ImageFormat, ImageReader,
    RgbImage, Rgba,
};

use crate::Reason;

/// The longest side of a page, and the most pixels: A3 at 600 points an inch.
pub(super) const LONGEST_SIDE: u32 = 20_000;
pub(super) const MOST_PIXELS: u64 = 80_000_000;
const JPEG_QUALITY: u8 = 88;
const BAD: &str = "it is an image that is damaged or of a kind that is not read";

/// A rectangle of pixels; `right` and `bottom` are outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Area {
    pub(super) left: u32,
    pub(super) top: u32,
    pub(super) right: u32,
    pub(super) bottom: u32,
}

impl Area {
    /// The part of a rectangle (left, top, width, height) that is on a page.
    pub(super) fn clipped([left, top, width, height]: [u32; 4], [across, down]: [u32; 2]) -> Area {
        Area {
            left: left.min(across),
            top: top.min(down),
            right: left.saturating_add(width).min(across),
            bottom: top.saturating_add(height).min(down),
        }
    }

    pub(super) fn is_empty(self) -> bool {
        self.left >= self.right || self.top >= self.bottom
    }

    pub(super) fn width(self) -> u32 {
        self.right.saturating_sub(self.left)
    }

    /// The height of a word, however its page is turned.
    pub(super) fn thickness(self) -> u32 {
        self.width().min(self.height())
    }

    pub(super) fn height(self) -> u32 {
        self.bottom.saturating_sub(self.top)
    }

    /// The area with so many pixels more on every side, within the page.
    pub(super) fn grown(self, by: u32, [across, down]: [u32; 2]) -> Area {
        Area {
            left: self.left.saturating_sub(by),
            top: self.top.saturating_sub(by),
            right: self.right.saturating_add(by).min(across),
            bottom: self.bottom.saturating_add(by).min(down),
        }
    }

    /// What lies between it and the next word of its line, empty where they touch. Lines of a page on its side go down or up.
    pub(super) fn gap_to(self, next: Area) -> Area {
        let upright = self.left.max(next.left) >= self.right.min(next.right);
        let (from, to) = match upright {
            true => (self.right.min(next.right), self.left.max(next.left)),
            false => (self.bottom.min(next.bottom), self.top.max(next.top)),
        };
        match upright {
            true => Area {
                left: from,
                right: to,
                top: self.top.min(next.top),
                bottom: self.bottom.max(next.bottom),
            },
            false => Area {
                top: from,
                bottom: to,
                left: self.left.min(next.left),
                right: self.right.max(next.right),
            },
        }
    }
}

/// What a covered area is filled with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cover {
    /// Something that identifies.
    Found,
    /// Something that was not read.
    Unread,
}

/// A page of grey pixels, or of coloured ones where it has colours.
#[derive(Clone, PartialEq)]
pub(super) enum PageImage {
    Grey(GrayImage),
    Colour(RgbImage),
}

impl PageImage {
    /// Decodes an image file, upright, on white paper. Its size is looked at before anything is allocated.
    pub(super) fn decode(bytes: &[u8]) -> Result<PageImage, Reason> {
        catch_unwind(|| PageImage::decode_upright(bytes)).unwrap_or_else(|_| Err(BAD.into()))
    }

    fn decode_upright(bytes: &[u8]) -> Result<PageImage, Reason> {
        let reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(|_| BAD)?;
        if reader.format() == Some(ImageFormat::Tiff) && holds_more_images(bytes) {
            return Err("it is an image of several pages; convert it to PDF".into());
        }
        let mut decoder = reader.into_decoder().map_err(|_| BAD)?;
        let (width, height) = decoder.dimensions();
        check_size(width, height)?;
        let orientation = decoder.orientation().map_err(|_| BAD)?;
        let mut image = DynamicImage::from_decoder(decoder).map_err(|_| BAD)?;
        image.apply_orientation(orientation);
        Ok(PageImage::from_image(image))
    }

    fn from_image(image: DynamicImage) -> PageImage {
        match image {
            DynamicImage::ImageLuma8(grey) => PageImage::Grey(grey),
            DynamicImage::ImageRgb8(colour) => PageImage::from_rgb(colour),
            DynamicImage::ImageLuma16(_) => PageImage::Grey(image.into_luma8()),
            other => {
                let rgba = other.into_rgba8();
                let (width, height) = rgba.dimensions();
                PageImage::from_rgb(RgbImage::from_fn(width, height, |x, y| {
                    let Rgba([r, g, b, alpha]) = *rgba.get_pixel(x, y);
                    let on_white = |part: u8| {
                        let alpha = u32::from(alpha);
                        ((u32::from(part) * alpha + 255 * (255 - alpha)) / 255) as u8
                    };
                    image::Rgb([on_white(r), on_white(g), on_white(b)])
                }))
            }
        }
    }

    /// Pixels whose parts hardly differ are grey.
    pub(super) fn from_rgb(colour: RgbImage) -> PageImage {
        const HARDLY: u8 = 12;
        let grey = colour.pixels().all(|image::Rgb([r, g, b])| {
            let (low, high) = (*r.min(g).min(b), *r.max(g).max(b));
            high - low <= HARDLY
        });
        match grey {
            true => PageImage::Grey(DynamicImage::ImageRgb8(colour).into_luma8()),
            false => PageImage::Colour(colour),
        }
    }

    pub(super) fn size(&self) -> [u32; 2] {
        let (width, height) = match self {
            PageImage::Grey(image) => image.dimensions(),
            PageImage::Colour(image) => image.dimensions(),
        };
        [width, height]
    }

    /// How light each pixel is, row by row.
    pub(super) fn lightness(&self) -> Vec<u8> {
        match self {
            PageImage::Grey(image) => image.as_raw().clone(),
            PageImage::Colour(image) => DynamicImage::ImageRgb8(image.clone()).into_luma8().into_raw(),
        }
    }

    /// The pixels in the plainest format that every program reads.
    pub(super) fn to_pnm(&self) -> Vec<u8> {
        let [width, height] = self.size();
        let (kind, pixels) = match self {
            PageImage::Grey(image) => ("P5", image.as_raw()),
            PageImage::Colour(image) => ("P6", image.as_raw()),
        };
        let mut out = format!("{kind}\n{width} {height}\n255\n").into_bytes();
        out.extend_from_slice(pixels);
        out
    }

    /// Fills an area. What was there is gone: no layer is put above it.
    pub(super) fn cover(&mut self, area: Area, with: Cover) {
        let shade = match with {
            Cover::Found => 0,
            Cover::Unread => 160,
        };
        let [width, height] = self.size();
        for y in area.top..area.bottom.min(height) {
            for x in area.left..area.right.min(width) {
                match self {
                    PageImage::Grey(image) => image.put_pixel(x, y, image::Luma([shade])),
                    PageImage::Colour(image) => image.put_pixel(x, y, image::Rgb([shade; 3])),
                }
            }
        }
    }

    fn parts(&self) -> (&[u8], ExtendedColorType) {
        match self {
            PageImage::Grey(image) => (image.as_raw(), ExtendedColorType::L8),
            PageImage::Colour(image) => (image.as_raw(), ExtendedColorType::Rgb8),
        }
    }

    /// A PNG file of these pixels and nothing else.
    pub(super) fn to_png(&self, compression: CompressionType) -> Result<Vec<u8>, &'static str> {
        let ([width, height], (pixels, kind)) = (self.size(), self.parts());
        let mut out = Vec::new();
        PngEncoder::new_with_quality(&mut out, compression, FilterType::Sub)
            .write_image(pixels, width, height, kind)
            .map_err(|_| "its pixels could not be written")?;
        Ok(out)
    }

    /// A JPEG file of these pixels and nothing else.
    pub(super) fn to_jpeg(&self) -> Result<Vec<u8>, &'static str> {
        let ([width, height], (pixels, kind)) = (self.size(), self.parts());
        let mut out = Vec::new();
        JpegEncoder::new_with_quality(&mut out, JPEG_QUALITY)
            .write_image(pixels, width, height, kind)
            .map_err(|_| "its pixels could not be written")?;
        Ok(out)
    }

    pub(super) fn is_grey(&self) -> bool {
        matches!(self, PageImage::Grey(_))
    }
}

/// Refuses sizes that would take too much memory.
pub(in crate::office) fn check_size(width: u32, height: u32) -> Result<(), Reason> {
    let pixels = u64::from(width) * u64::from(height);
    if width == 0 || height == 0 {
        return Err("it is an image without pixels".into());
    }
    if width >= LONGEST_SIDE || height >= LONGEST_SIDE || pixels > MOST_PIXELS {
        return Err(format!(
            "it declares {width} × {height} pixels; up to {} million are read: scan it at 300 dpi",
            MOST_PIXELS / 1_000_000
        )
        .into());
    }
    Ok(())
}

/// Whether a TIFF file has a second image. The first directory of tags ends with the place of the next.
fn holds_more_images(bytes: &[u8]) -> bool {
    let little = bytes.starts_with(b"II");
    let number = |at: usize, length: usize| -> Option<usize> {
        let part = bytes.get(at..at.checked_add(length)?)?;
        let join = |n: usize, b: &u8| n << 8 | usize::from(*b);
        Some(if little { part.iter().rev().fold(0, join) } else { part.iter().fold(0, join) })
    };
    let next = || {
        let first = number(4, 4)?;
        let tags = number(first, 2)?;
        number(first.checked_add(2)?.checked_add(tags * 12)?, 4)
    };
    // A directory that ends too soon is damaged; the decoder says so.
    next().is_some_and(|next| next != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gap_between_words_is_found_however_a_page_lies() {
        let word = |left, top, right, bottom| Area { left, top, right, bottom };
        let (one, two) = (word(10, 20, 40, 30), word(46, 22, 80, 32));
        assert_eq!(one.gap_to(two), word(40, 20, 46, 32));
        assert_eq!(two.gap_to(one), one.gap_to(two), "a page on its head");
        let (down, below) = (word(20, 10, 30, 40), word(22, 46, 32, 80));
        assert_eq!(down.gap_to(below), word(20, 40, 32, 46));
        assert!(one.gap_to(word(38, 20, 60, 30)).is_empty(), "words that touch");
    }
}
