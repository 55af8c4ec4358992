//! Pages of a PDF as pixels, drawn by a renderer in Rust that runs no program of the file.
//!
//! A damaged file may lead the renderer astray: it works on a thread with a stack of its own, a page has a time limit, and a
//! panic refuses the document.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;
use std::time::Duration;

use hayro::hayro_interpret::{InterpreterSettings, InterpreterWarning};
use hayro::hayro_syntax::Pdf;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{PixmapSettings, RenderCache, RenderSettings, render};
use image::RgbImage;

use super::raster::PageImage;
use crate::Reason;

const STACK: usize = 64 << 20;
/// For one page.
const LONGEST: Duration = Duration::from_secs(120);
/// Points an inch, of pages of a usual size; larger ones are drawn with fewer.
const DPI: f32 = 300.0;
const LONGEST_SIDE: f32 = 9_000.0;
const MOST_PIXELS: f32 = 40_000_000.0;
const DAMAGED: &str = "it is a PDF whose pages cannot be drawn; it is damaged";

/// A page as it is shown.
pub(super) struct RenderedPage {
    pub(super) image: PageImage,
    /// Width and height in points.
    pub(super) points: [f32; 2],
    pub(super) dpi: u32,
}

/// The pages of a PDF, drawn while they are asked for.
pub(super) struct RenderedPages(Receiver<Result<RenderedPage, Reason>>, bool);

impl Iterator for RenderedPages {
    type Item = Result<RenderedPage, Reason>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.1 {
            return None;
        }
        let page = match self.0.recv_timeout(LONGEST) {
            Ok(page) => page,
            Err(mpsc::RecvTimeoutError::Disconnected) => return None,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                Err(format!("a page of it could not be drawn within {} seconds", LONGEST.as_secs()).into())
            }
        };
        self.1 = page.is_err();
        Some(page)
    }
}

/// Starts drawing the pages, of which there may be so many.
pub(super) fn pages(bytes: &[u8], most: usize) -> Result<RenderedPages, Reason> {
    // One page waits while another is read.
    let (send, receive) = mpsc::sync_channel(1);
    let bytes = bytes.to_vec();
    let work = move || {
        if catch_unwind(AssertUnwindSafe(|| draw(bytes, most, &send))).is_err() {
            let _ = send.send(Err(DAMAGED.into()));
        }
    };
    thread::Builder::new()
        .stack_size(STACK)
        .spawn(work)
        .map_err(|_| "no thread could be started to read it")?;
    Ok(RenderedPages(receive, false))
}

fn draw(bytes: Vec<u8>, most: usize, send: &SyncSender<Result<RenderedPage, Reason>>) {
    let Ok(pdf) = Pdf::new(bytes) else {
        let _ = send.send(Err(DAMAGED.into()));
        return;
    };
    let pages = pdf.pages();
    if pages.len() > most {
        let why = format!("it is a scan of more than {most} pages; split it into its letters");
        let _ = send.send(Err(why.into()));
        return;
    }
    let failed = Arc::new(AtomicBool::new(false));
    let sees_failure = failed.clone();
    let settings = InterpreterSettings {
        warning_sink: Arc::new(move |warning| {
            if matches!(warning, InterpreterWarning::ImageDecodeFailure) {
                sees_failure.store(true, Ordering::Relaxed);
            }
        }),
        ..InterpreterSettings::default()
    };
    let cache = RenderCache::new();
    for page in pages.iter() {
        let (width, height) = page.render_dimensions();
        let points = [width, height];
        let usable = points.iter().all(|side| side.is_finite() && (1.0..=14_400.0).contains(side));
        let scale =
            (DPI / 72.0).min(LONGEST_SIDE / width.max(height)).min((MOST_PIXELS / (width * height)).sqrt());
        let drawn = match usable {
            true => {
                let sizes = PixmapSettings { x_scale: scale, y_scale: scale, bg_color: WHITE };
                let pixmap = render(page, &cache, &settings, &RenderSettings::default(), &sizes);
                let (width, height) = (u32::from(pixmap.width()), u32::from(pixmap.height()));
                let pixels =
                    pixmap.data_as_u8_slice().chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
                RgbImage::from_raw(width, height, pixels).filter(|_| width > 0 && height > 0)
            }
            false => None,
        };
        let page = match drawn {
            _ if failed.load(Ordering::Relaxed) => {
                Err("a picture in it is damaged or packed in a way that is not read".into())
            }
            Some(image) => Ok(RenderedPage {
                image: PageImage::from_rgb(image),
                points,
                dpi: (scale * 72.0).round() as u32,
            }),
            None => Err(DAMAGED.into()),
        };
        let ends = page.is_err();
        if send.send(page).is_err() || ends {
            return;
        }
    }
}
