//! The parts of a Word package: which are treated, which are replaced, which are left out, which refuse the
//! document. Parts are found by following relationships, named anew, and the lists of a package (content types,
//! relationships) are written from scratch, so that nothing stays that was not looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;

use crate::Reason;
use crate::markup::{Flow, Name, Tag, Walk, decode, scan};
use crate::splice::Gatherer;

use super::zipped::{EMPTY_PNG, Part, Zip, pack};
use super::{Counts, LeftOut, count};

const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/";
const WORD: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.";

/// What a part is, by the relationship that leads to it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Kind {
    Header,
    Document,
    Footer,
    Footnotes,
    Endnotes,
    Comments,
    Styles,
    Numbering,
    Settings,
    FontTable,
    Theme,
}

impl Kind {
    fn of(relation: &str) -> Option<Kind> {
        Some(match relation {
            "officeDocument" => Kind::Document,
            "header" => Kind::Header,
            "footer" => Kind::Footer,
            "footnotes" => Kind::Footnotes,
            "endnotes" => Kind::Endnotes,
            "comments" => Kind::Comments,
            "styles" => Kind::Styles,
            "numbering" => Kind::Numbering,
            "settings" => Kind::Settings,
            "fontTable" => Kind::FontTable,
            "theme" => Kind::Theme,
            _ => return None,
        })
    }

    fn relation(self) -> &'static str {
        match self {
            Kind::Document => "officeDocument",
            Kind::Header => "header",
            Kind::Footer => "footer",
            Kind::Footnotes => "footnotes",
            Kind::Endnotes => "endnotes",
            Kind::Comments => "comments",
            Kind::Styles => "styles",
            Kind::Numbering => "numbering",
            Kind::Settings => "settings",
            Kind::FontTable => "fontTable",
            Kind::Theme => "theme",
        }
    }

    fn path(self, number: usize) -> String {
        match self {
            Kind::Document => "word/document.xml".into(),
            Kind::Theme => format!("word/theme/theme{number}.xml"),
            Kind::Header | Kind::Footer => format!("word/{}{number}.xml", self.relation()),
            _ if number == 1 => format!("word/{}.xml", self.relation()),
            _ => format!("word/{}{number}.xml", self.relation()),
        }
    }

    fn content_type(self) -> String {
        match self {
            Kind::Document => format!("{WORD}document.main+xml"),
            Kind::Theme => "application/vnd.openxmlformats-officedocument.theme+xml".into(),
            _ => format!("{WORD}{}+xml", self.relation()),
        }
    }
}

/// What becomes of what a relationship leads to.
enum Fate {
    Treat(Kind),
    Picture,
    Link,
    Leave(LeftOut),
    Refuse(&'static str),
}

fn fate(relation: &str) -> Fate {
    use Fate::*;
    if let Some(kind) = Kind::of(relation) {
        return Treat(kind);
    }
    match relation {
        "image" => Picture,
        "hyperlink" => Link,
        "core-properties" | "extended-properties" | "custom-properties" | "thumbnail" => {
            Leave(LeftOut::Properties)
        }
        "customXml"
        | "customXmlProps"
        | "people"
        | "commentsExtended"
        | "commentsIds"
        | "commentsExtensible"
        | "webSettings"
        | "stylesWithEffects"
        | "glossaryDocument"
        | "attachedTemplate"
        | "mailMergeSource"
        | "mailMergeHeaderSource"
        | "recipientData"
        | "printerSettings"
        | "font"
        | "keyMapCustomizations"
        | "transform"
        | "classificationlabels"
        | "documenttasks"
        | "bibliography"
        | "intelligence"
        | "intelligence2"
        | "extensibility" => Leave(LeftOut::AttachedData),
        "hdphoto" => Leave(LeftOut::Pictures),
        "vbaProject" | "wordVbaData" => Refuse("it holds macros; save it as .docx without them"),
        "oleObject" | "package" => Refuse("it holds an embedded object, which is not treated; remove it"),
        "aFChunk" | "subDocument" => {
            Refuse("it holds another document inside, which is not treated; remove it")
        }
        "control" | "activeXControlBinary" => {
            Refuse("it holds a control (ActiveX), which is not treated; remove it")
        }
        "chart" | "chartEx" | "diagramData" | "diagramLayout" | "diagramColors" | "diagramQuickStyle"
        | "diagramDrawing" => Refuse("it holds a chart or diagram, which is not treated; remove it"),
        "video" | "audio" | "media" => Refuse("it holds sound or video, which is not treated; remove it"),
        "origin" | "signature" => Refuse("it is signed; changing it breaks the signature: remove that first"),
        _ => Refuse("it holds a part of an unknown kind, which is not treated"),
    }
}

/// Lists of the package, and parts of parts that are left out.
fn is_known_stray(name: &str) -> bool {
    name.ends_with(".rels")
        || name.ends_with('/')
        || name == "[Content_Types].xml"
        || ["customXml/", "word/glossary/"].iter().any(|folder| name.starts_with(folder))
}

#[derive(Debug)]
struct Relation {
    id: String,
    relation: &'static str,
    target: Target,
}

#[derive(Debug)]
enum Target {
    Part(usize),
    Picture,
    Nowhere,
}

#[derive(Debug)]
struct Kept {
    kind: Kind,
    path: String,
    /// Its path in the file that was read.
    from: String,
    relations: Vec<Relation>,
    /// Its number among the sources of the text.
    source: usize,
}

/// A Word file as parts to be written again.
#[derive(Debug)]
pub(crate) struct Package {
    parts: Vec<Kept>,
}

/// A part to be read into the text.
pub(crate) struct Readable<'a> {
    pub(crate) index: usize,
    pub(crate) kind: Kind,
    pub(crate) path: &'a str,
}

impl Package {
    /// Follows the relationships of a package from its root.
    pub(crate) fn follow(zip: &mut Zip<'_>, counts: &mut Counts) -> Result<Package, Reason> {
        let refused = zip.names().find_map(|name| {
            let lower = name.to_ascii_lowercase();
            let embedded = lower.contains("/embeddings/");
            let macros = lower.contains("vbaproject") || lower.contains("vbadata");
            let control = lower.contains("/activex/");
            match (macros, embedded, control) {
                (true, _, _) => Some("vbaProject"),
                (_, true, _) => Some("oleObject"),
                (_, _, true) => Some("control"),
                _ => None,
            }
        });
        if let Some(Fate::Refuse(why)) = refused.map(fate) {
            return Err(why.into());
        }
        let mut package = Package { parts: Vec::new() };
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        let mut told: BTreeSet<String> = BTreeSet::new();
        for raw in read_relations(zip, "")? {
            told.insert(raw.resolved(""));
            match fate(raw.kind()) {
                Fate::Treat(Kind::Document) if package.parts.is_empty() => {
                    let path = raw.resolved("");
                    known.insert(path.clone(), 0);
                    package.add(Kind::Document, path, 1);
                }
                Fate::Refuse(why) => return Err(why.into()),
                Fate::Leave(what) => count(counts, what),
                _ => return Err("its parts do not hang together as those of a Word document".into()),
            }
        }
        if package.parts.is_empty() {
            return Err("it has no main text".into());
        }
        let mut numbers: BTreeMap<Kind, usize> = BTreeMap::new();
        let mut next = 0;
        while next < package.parts.len() {
            let from = package.parts[next].from.clone();
            let mut seen = BTreeSet::new();
            for raw in read_relations(zip, &from)? {
                told.insert(raw.resolved(&from));
                let plain =
                    raw.id.len() <= 40 && raw.id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
                if !plain || !seen.insert(raw.id.clone()) {
                    return Err("the relationships of a part are not named as Word names them".into());
                }
                let (relation, target) = match fate(raw.kind()) {
                    Fate::Refuse(why) => return Err(why.into()),
                    Fate::Leave(what) => {
                        count(counts, what);
                        continue;
                    }
                    Fate::Picture => {
                        count(counts, LeftOut::Pictures);
                        ("image", Target::Picture)
                    }
                    Fate::Link => {
                        count(counts, LeftOut::LinkTargets);
                        ("hyperlink", Target::Nowhere)
                    }
                    Fate::Treat(kind) => {
                        if raw.external {
                            return Err("a part of its text lies outside of it".into());
                        }
                        let path = raw.resolved(&from);
                        let index = match known.get(&path) {
                            Some(&index) if package.parts[index].kind == kind => index,
                            Some(_) => return Err("a part of it is used in two ways".into()),
                            None => {
                                let number = numbers.entry(kind).or_default();
                                *number += 1;
                                known.insert(path.clone(), package.parts.len());
                                package.add(kind, path, *number);
                                package.parts.len() - 1
                            }
                        };
                        (kind.relation(), Target::Part(index))
                    }
                };
                package.parts[next].relations.push(Relation { id: raw.id, relation, target });
            }
            next += 1;
        }
        // What nothing leads to is not shown, and not written.
        let strays = zip.names().filter(|name| !told.contains(*name) && !is_known_stray(name)).count();
        (0..strays).for_each(|_| count(counts, LeftOut::AttachedData));
        Ok(package)
    }

    fn add(&mut self, kind: Kind, from: String, number: usize) {
        self.parts.push(Kept {
            kind,
            path: kind.path(number),
            from,
            relations: Vec::new(),
            source: usize::MAX,
        });
    }

    /// The parts, in the order their text is read: what stands above the letter first.
    pub(crate) fn readable(&self) -> Vec<Readable<'_>> {
        let mut all: Vec<_> = (self.parts.iter().enumerate())
            .map(|(index, part)| Readable { index, kind: part.kind, path: &part.from })
            .collect();
        all.sort_by_key(|part| (part.kind, part.index));
        all
    }

    pub(crate) fn set_source(&mut self, index: usize, source: usize) {
        self.parts[index].source = source;
    }

    /// The file with new bytes for its parts.
    pub(crate) fn pack(&self, mut sources: Vec<Vec<u8>>) -> Result<Vec<u8>, &'static str> {
        let mut types = String::from(concat!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n",
            "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">",
            "<Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>",
            "<Default Extension=\"xml\" ContentType=\"application/xml\"/>",
            "<Default Extension=\"png\" ContentType=\"image/png\"/>",
        ));
        for part in &self.parts {
            let _ = write!(
                types,
                "<Override PartName=\"/{}\" ContentType=\"{}\"/>",
                part.path,
                part.kind.content_type()
            );
        }
        types.push_str("</Types>");
        let root = [Relation { id: "rId1".into(), relation: "officeDocument", target: Target::Part(0) }];
        let mut out = vec![
            Part::new("[Content_Types].xml", types),
            Part::new("_rels/.rels", self.relations(&root, "")),
        ];
        let mut picture = false;
        for part in &self.parts {
            let bytes =
                sources.get_mut(part.source).map(std::mem::take).ok_or("a part of it was not read")?;
            out.push(Part::new(part.path.clone(), bytes));
            if !part.relations.is_empty() {
                let (folder, name) = part.path.rsplit_once('/').unwrap_or(("", &part.path));
                let path = format!("{folder}/_rels/{name}.rels");
                out.push(Part::new(path, self.relations(&part.relations, folder)));
            }
            picture |= part.relations.iter().any(|r| matches!(r.target, Target::Picture));
        }
        if picture {
            out.push(Part::new("word/media/empty.png", EMPTY_PNG));
        }
        pack(&out)
    }

    fn relations(&self, relations: &[Relation], folder: &str) -> String {
        let mut out = String::from(concat!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n",
            "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">",
        ));
        for relation in relations {
            let (target, mode) = match relation.target {
                Target::Part(index) => {
                    let slash = if folder.is_empty() { "" } else { "/" };
                    (format!("{slash}{}", self.parts[index].path), "")
                }
                Target::Picture => ("/word/media/empty.png".to_owned(), ""),
                Target::Nowhere => ("about:blank".to_owned(), " TargetMode=\"External\""),
            };
            let _ = write!(
                out,
                "<Relationship Id=\"{}\" Type=\"{OFFICE}{}\" Target=\"{target}\"{mode}/>",
                relation.id, relation.relation
            );
        }
        out.push_str("</Relationships>");
        out
    }
}

struct RawRelation {
    id: String,
    kind: String,
    target: String,
    external: bool,
}

impl RawRelation {
    /// The last word of the type, which transitional and strict files share.
    fn kind(&self) -> &str {
        self.kind.rsplit('/').next().unwrap_or_default()
    }

    /// The path of the target in the package.
    fn resolved(&self, from: &str) -> String {
        let mut folders: Vec<&str> = match self.target.starts_with('/') {
            true => Vec::new(),
            false => from.split('/').collect(),
        };
        folders.pop();
        for step in self.target.split('/') {
            match step {
                "" | "." => {}
                ".." => {
                    folders.pop();
                }
                step => folders.push(step),
            }
        }
        folders.join("/")
    }
}

fn read_relations(zip: &mut Zip<'_>, part: &str) -> Result<Vec<RawRelation>, Reason> {
    let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
    let slash = if folder.is_empty() { "" } else { "/" };
    let Some(bytes) = zip.read(&format!("{folder}{slash}_rels/{name}.rels"))? else { return Ok(Vec::new()) };
    let xml = decode(&bytes)?;
    let mut list = RelationList(Vec::new());
    let mut out = Gatherer::new();
    out.source(Vec::new());
    scan(&xml, &mut list, &mut out)?;
    Ok(list.0)
}

struct RelationList(Vec<RawRelation>);

impl Walk for RelationList {
    fn namespace(_: &str) -> Option<&'static str> {
        None
    }

    fn open(&mut self, tag: &Tag<'_>, _: &mut Gatherer) -> Result<Flow, Reason> {
        if tag.name.local == "Relationship" {
            let get = |key| tag.get("", key).unwrap_or_default().to_owned();
            let external = get("TargetMode").eq_ignore_ascii_case("external");
            self.0.push(RawRelation { id: get("Id"), kind: get("Type"), target: get("Target"), external });
        }
        Ok(Flow::Into)
    }

    fn text(&mut self, _: &str, _: Range<usize>, _: &mut Gatherer) -> Result<(), Reason> {
        Ok(())
    }

    fn close(&mut self, _: Name<'_>, _: &mut Gatherer) -> Result<(), Reason> {
        Ok(())
    }
}
