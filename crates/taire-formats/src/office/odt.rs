//! OpenDocument texts (.odt): headers and footers, then the letter, as one text, and written back with their
//! formatting. Fields become the text they show, changes are accepted, pictures become empty ones.

use std::ops::Range;

use crate::Reason;
use crate::markup::{Flow, Name, Tag, Walk, decode, scan};
use crate::splice::{Code, Gatherer, Places};

use super::cells::Rows;
use super::odt_rules::{Attr, Element, attribute, element, is_closed, namespace};
use super::zipped::{EMPTY_PNG, Part, Zip, pack};
use super::{Back, Counts, LeftOut, Opened, count, label};

const TYPE: &str = "application/vnd.oasis.opendocument.text";
const PICTURE: &str = "Pictures/empty.png";

/// The parts that hold text, in the order they are read. `styles.xml` has headers and footers.
const PARTS: [&str; 2] = ["styles.xml", "content.xml"];

pub(crate) fn open(bytes: &[u8]) -> Result<Opened, Reason> {
    let mut zip = Zip::open(bytes)?;
    let mut counts = Counts::new();
    let mimetype = zip.read("mimetype")?.unwrap_or_default();
    if !mimetype.trim_ascii().starts_with(TYPE.as_bytes()) {
        return Err("it is an OpenDocument file of another kind than text, which is not read".into());
    }
    let names: Vec<String> = zip.names().map(str::to_owned).collect();
    for name in &names {
        check_part(name, &mut counts)?;
    }
    let manifest = zip.read("META-INF/manifest.xml")?.unwrap_or_default();
    if memchr::memmem::find(&manifest, b"encryption-data").is_some() {
        return Err("it is encrypted; remove its password first".into());
    }
    if !zip.has("content.xml") {
        return Err("it has no main text".into());
    }
    let mut out = Gatherer::new();
    let mut parts = Vec::new();
    for name in PARTS {
        let Some(bytes) = zip.read(name)? else { continue };
        let xml = decode(&bytes)?;
        out.source(xml.clone().into_bytes());
        let mut walk =
            Walker { counts: &mut counts, paragraphs: 0, shown: Vec::new(), rows: Rows::default() };
        scan(&xml, &mut walk, &mut out)?;
        parts.push(name);
    }
    let (text, places) = out.finish();
    Ok(Opened { text, back: Back::Odt { places, parts }, left_out: counts, pages: Vec::new() })
}

fn check_part(name: &str, counts: &mut Counts) -> Result<(), Reason> {
    let folder = name.split_once('/').map_or("", |(folder, _)| folder);
    match (folder, name) {
        ("Basic" | "Scripts" | "Dialogs", _) => Err("it holds macros; remove them first".into()),
        ("ObjectReplacements", _) => {
            Err("it holds an embedded object, which is not treated; remove it".into())
        }
        (object, _) if object.starts_with("Object") => {
            Err("it holds an embedded object, which is not treated; remove it".into())
        }
        (_, "META-INF/documentsignatures.xml" | "META-INF/macrosignatures.xml") => {
            Err("it is signed; changing it breaks the signature: remove that first".into())
        }
        (_, "meta.xml") | ("Thumbnails", _) => {
            count(counts, LeftOut::Properties);
            Ok(())
        }
        (_, "mimetype" | "content.xml" | "styles.xml" | "META-INF/manifest.xml" | "layout-cache") => Ok(()),
        (_, "settings.xml" | "manifest.rdf") | ("Configurations2" | "Fonts" | "Pictures" | "media", _) => {
            Ok(())
        }
        _ => Err("it holds a part of an unknown kind, which is not treated".into()),
    }
}

/// The file with its new parts.
pub(crate) fn write(
    places: &Places,
    parts: &[&str],
    text: &str,
    spans: &[crate::OutSpan],
) -> Result<Vec<u8>, &'static str> {
    let mut manifest = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<manifest:manifest \
         xmlns:manifest=\"urn:oasis:names:tc:opendocument:xmlns:manifest:1.0\" manifest:version=\"1.3\">\
         <manifest:file-entry manifest:full-path=\"/\" manifest:version=\"1.3\" manifest:media-type=\"{TYPE}\"/>"
    );
    let mut entry = |path: &str, kind: &str| {
        let line =
            format!("<manifest:file-entry manifest:full-path=\"{path}\" manifest:media-type=\"{kind}\"/>");
        manifest.push_str(&line);
    };
    let mut out = vec![Part { name: "mimetype".into(), bytes: TYPE.into(), stored: true }];
    for (name, bytes) in parts.iter().zip(places.rewrite(text, spans)?) {
        entry(name, "text/xml");
        out.push(Part::new(*name, bytes));
    }
    entry(PICTURE, "image/png");
    out.push(Part::new(PICTURE, EMPTY_PNG));
    manifest.push_str("</manifest:manifest>");
    out.push(Part::new("META-INF/manifest.xml", manifest));
    pack(&out)
}

struct Walker<'c> {
    counts: &'c mut Counts,
    /// How many paragraphs are open: notes and boxes stand inside them.
    paragraphs: usize,
    /// For each open element, whether text right in it is shown.
    shown: Vec<bool>,
    rows: Rows,
}

fn nests(name: Name<'_>) -> bool {
    match name.ns {
        "text" => name.local == "note",
        "office" => name.local == "annotation",
        "draw" => matches!(
            name.local,
            "frame"
                | "custom-shape"
                | "rect"
                | "ellipse"
                | "line"
                | "polyline"
                | "polygon"
                | "path"
                | "caption"
                | "g"
        ),
        _ => false,
    }
}

impl Walk for Walker<'_> {
    fn namespace(uri: &str) -> Option<&'static str> {
        namespace(uri)
    }

    fn open(&mut self, tag: &Tag<'_>, out: &mut Gatherer) -> Result<Flow, Reason> {
        let flow = match element(tag.name) {
            Element::Keep => Flow::Into,
            Element::Unwrap => Flow::Unwrap,
            Element::Drop => return Ok(Flow::Drop),
            Element::Count(what) => {
                count(self.counts, what);
                return Ok(Flow::Drop);
            }
            Element::Refuse(why) => return Err(why.into()),
        };
        for attr in tag.attributes.iter().filter(|_| flow == Flow::Into) {
            match attribute(tag.name, attr.name) {
                Attr::Keep => out.watched(attr.at.clone(), &attr.value),
                Attr::Remove => out.cut(attr.whole.clone(), *b""),
                Attr::Named => out.named(attr.at.clone(), &attr.value),
                Attr::Label => label(attr, out),
                Attr::Closed if is_closed(&attr.value) => out.watched(attr.at.clone(), &attr.value),
                Attr::Closed => out.cut(attr.whole.clone(), *b""),
                Attr::Link if attr.value.starts_with('#') => {
                    let target = attr.at.start + 1..attr.at.end;
                    out.named(target, &attr.value[1..]);
                }
                Attr::Link => {
                    count(self.counts, LeftOut::LinkTargets);
                    out.cut(attr.at.clone(), *b"about:blank");
                }
                Attr::Picture => {
                    count(self.counts, LeftOut::Pictures);
                    out.cut(attr.at.clone(), PICTURE);
                }
            }
        }
        if nests(tag.name) {
            out.nest();
        }
        match (tag.name.ns, tag.name.local) {
            ("text", "p" | "h") => self.paragraphs += 1,
            ("text", "tab") => out.brk('\t'),
            ("text", "line-break") => out.brk('\n'),
            ("text", "s") => {
                let spaces = tag.get("text", "c").and_then(|c| c.parse::<usize>().ok()).unwrap_or(1);
                (0..spaces.min(200)).for_each(|_| out.brk(' '));
            }
            ("table", "table-row") => self.rows.open_row(),
            ("table", "table-cell" | "covered-table-cell") => self.rows.open_cell(),
            _ => {}
        }
        self.shown.push(self.paragraphs > 0 || tag.name.ns == "text");
        Ok(flow)
    }

    fn text(&mut self, text: &str, at: Range<usize>, out: &mut Gatherer) -> Result<(), Reason> {
        let blank = text.trim().is_empty();
        if self.shown.last() == Some(&true) && (self.paragraphs > 0 || !blank) {
            let line: String =
                text.chars().map(|c| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c }).collect();
            out.run(at, line, Code::Xml);
            if self.paragraphs == 0 {
                out.brk('\n');
            }
        } else if text.chars().filter(|c| c.is_alphabetic()).count() > 3 {
            count(self.counts, LeftOut::UnknownMarkup);
            out.cut(at, *b"");
        }
        Ok(())
    }

    fn close(&mut self, name: Name<'_>, out: &mut Gatherer) -> Result<(), Reason> {
        self.shown.pop();
        match (name.ns, name.local) {
            ("text", "p" | "h") => {
                self.paragraphs = self.paragraphs.saturating_sub(1);
                out.end_paragraph();
                self.rows.paragraph();
            }
            ("text", "note-citation" | "ruby-base") => out.brk(' '),
            ("table", "table-cell" | "covered-table-cell") => self.rows.close_cell(out),
            ("table", "table-row") => self.rows.close_row(out),
            _ => {}
        }
        if nests(name) {
            out.unnest();
        }
        Ok(())
    }
}
