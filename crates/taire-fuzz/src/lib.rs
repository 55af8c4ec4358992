//! What must hold for any bytes, one [`Target`] for each format and one for the engine.
//!
//! A target's `run` takes bytes and panics where something that must hold does not. `fuzz/` hands it to libFuzzer
//! (`cargo xtask fuzz`), the tests of this crate to a seeded run of [`Dice`]. First inputs are made by [`seeds`] from the
//! letters of the tests and of `examples/`.

mod dice;
mod engine;
mod formats;
mod packed;
mod parts;
mod pathological;
mod seeds;

pub use dice::Dice;
pub use pathological::{PATHOLOGICAL, Pathological};

/// Something that must hold for any bytes.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    pub name: &'static str,
    /// Inputs to begin with.
    pub seeds: fn() -> Vec<Vec<u8>>,
    pub run: fn(&[u8]),
    /// Readers of others that may panic on bad files: they are isolated, and the document refused.
    pub isolates: &'static [&'static str],
}

const fn target(name: &'static str, seeds: fn() -> Vec<Vec<u8>>, run: fn(&[u8])) -> Target {
    Target { name, seeds, run, isolates: &[] }
}

const PDF_READERS: &[&str] = &[
    "/lopdf-",
    "/hayro-",
    "/vello_c",
    "/glifo-",
    "/kurbo-",
    "/skrifa-",
    "/read-fonts-",
    "/moxcms-",
    "/pic-scale-",
    "/zune-",
    "/image-",
];
const IMAGE_READERS: &[&str] = &["/image-", "/png-", "/tiff-", "/zune-", "/fax-", "/weezl-", "/moxcms-"];

/// Every target, those that read binary files first.
pub const TARGETS: &[Target] = &[
    target("doc", seeds::doc, formats::doc),
    Target { isolates: PDF_READERS, ..target("pdf", seeds::pdf, formats::pdf) },
    Target { isolates: IMAGE_READERS, ..target("image", seeds::image, formats::image) },
    target("rtf", seeds::rtf, formats::rtf),
    target("docx", seeds::docx, formats::docx),
    target("xlsx", seeds::xlsx, formats::xlsx),
    target("pptx", seeds::pptx, formats::pptx),
    target("odt", seeds::odt, formats::odt),
    Target { isolates: &["/arrow-", "/parquet-"], ..target("parquet", seeds::parquet, formats::parquet) },
    target("cda", seeds::cda, formats::cda),
    target("fhir", seeds::fhir, formats::fhir),
    target("fhir_xml", seeds::fhir_xml, formats::fhir_xml),
    target("fhir_lines", seeds::fhir_lines, formats::fhir_lines),
    target("hl7", seeds::hl7, formats::hl7),
    target("hl7_batch", seeds::hl7_batch, formats::hl7_batch),
    target("mail", seeds::mail, formats::mail),
    target("msg", seeds::msg, formats::msg),
    target("mbox", seeds::mbox, formats::mbox),
    target("html", seeds::html, formats::html),
    target("zip", seeds::zip, packed::zip),
    target("tar", seeds::tar, packed::tar),
    target("gz", seeds::gz, packed::gz),
    target("csv", seeds::csv, formats::csv),
    target("cell", seeds::cell, formats::cell),
    target("jsonl", seeds::jsonl, formats::jsonl),
    target("engine", seeds::engine, engine::run),
];

/// The target of a name.
pub fn named(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
