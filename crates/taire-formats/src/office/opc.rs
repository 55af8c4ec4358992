//! The parts of a package of Word, Excel or PowerPoint: which are treated, which are replaced, which are left out, which
//! refuse the document. Parts are found by following relationships, named anew, and the lists of a package (content
//! types, relationships) are written from scratch, so that nothing stays that was not looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;

use crate::markup::{Flow, Name, Tag, Walk, decode, scan};
use crate::splice::Gatherer;
use crate::{Format, Reason};

use super::zipped::{EMPTY_PNG, Part, Zip, pack};
use super::{Counts, LeftOut, count};

const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/";
const OFFICE_2018: &str = "http://schemas.microsoft.com/office/2018/10/relationships/";

/// The program a package belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Family {
    Word,
    Workbook,
    Presentation,
}

impl Family {
    pub(crate) fn format(self) -> Format {
        match self {
            Family::Word => Format::Docx,
            Family::Workbook => Format::Xlsx,
            Family::Presentation => Format::Pptx,
        }
    }

    fn folder(self) -> &'static str {
        match self {
            Family::Word => "word",
            Family::Workbook => "xl",
            Family::Presentation => "ppt",
        }
    }
}

/// What a part is, by the relationship that leads to it. In the order its text is read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Kind {
    Header,
    /// The main part: the letter, the list of sheets, the list of slides.
    Document,
    Footer,
    Footnotes,
    Endnotes,
    Sheet,
    Chartsheet,
    Slide,
    NotesSlide,
    SlideMaster,
    SlideLayout,
    NotesMaster,
    HandoutMaster,
    Drawing,
    Chart,
    Comments,
    /// Comments of PowerPoint since 2021.
    ModernComments,
    /// Names of those who wrote comments.
    Authors,
    ModernAuthors,
    /// Where comments of a sheet are drawn.
    NoteShapes,
    Styles,
    Numbering,
    Settings,
    FontTable,
    TableStyles,
    Theme,
}

/// How a kind of part is named and declared. `#` in a path is its number, `?` its number unless it is the first.
struct Spec(Family, Kind, &'static str, &'static str, &'static str);

#[rustfmt::skip]
const SPECS: &[Spec] = {
    use Family::{Presentation as P, Word as W, Workbook as X};
    &[
        Spec(W, Kind::Document, "officeDocument", "document.xml", "wordprocessingml.document.main+xml"),
        Spec(W, Kind::Header, "header", "header#.xml", "wordprocessingml.header+xml"),
        Spec(W, Kind::Footer, "footer", "footer#.xml", "wordprocessingml.footer+xml"),
        Spec(W, Kind::Footnotes, "footnotes", "footnotes?.xml", "wordprocessingml.footnotes+xml"),
        Spec(W, Kind::Endnotes, "endnotes", "endnotes?.xml", "wordprocessingml.endnotes+xml"),
        Spec(W, Kind::Comments, "comments", "comments?.xml", "wordprocessingml.comments+xml"),
        Spec(W, Kind::Styles, "styles", "styles?.xml", "wordprocessingml.styles+xml"),
        Spec(W, Kind::Numbering, "numbering", "numbering?.xml", "wordprocessingml.numbering+xml"),
        Spec(W, Kind::Settings, "settings", "settings?.xml", "wordprocessingml.settings+xml"),
        Spec(W, Kind::FontTable, "fontTable", "fontTable?.xml", "wordprocessingml.fontTable+xml"),
        Spec(W, Kind::Theme, "theme", "theme/theme#.xml", "theme+xml"),
        Spec(X, Kind::Document, "officeDocument", "workbook.xml", "spreadsheetml.sheet.main+xml"),
        Spec(X, Kind::Sheet, "worksheet", "worksheets/sheet#.xml", "spreadsheetml.worksheet+xml"),
        Spec(X, Kind::Chartsheet, "chartsheet", "chartsheets/sheet#.xml", "spreadsheetml.chartsheet+xml"),
        Spec(X, Kind::Styles, "styles", "styles?.xml", "spreadsheetml.styles+xml"),
        Spec(X, Kind::Theme, "theme", "theme/theme#.xml", "theme+xml"),
        Spec(X, Kind::Drawing, "drawing", "drawings/drawing#.xml", "drawing+xml"),
        Spec(X, Kind::Chart, "chart", "charts/chart#.xml", "drawingml.chart+xml"),
        Spec(X, Kind::Comments, "comments", "comments#.xml", "spreadsheetml.comments+xml"),
        Spec(X, Kind::NoteShapes, "vmlDrawing", "drawings/vmlDrawing#.vml", "vmlDrawing"),
        Spec(P, Kind::Document, "officeDocument", "presentation.xml", "presentationml.presentation.main+xml"),
        Spec(P, Kind::Slide, "slide", "slides/slide#.xml", "presentationml.slide+xml"),
        Spec(P, Kind::NotesSlide, "notesSlide", "notesSlides/notesSlide#.xml", "presentationml.notesSlide+xml"),
        Spec(P, Kind::SlideMaster, "slideMaster", "slideMasters/slideMaster#.xml", "presentationml.slideMaster+xml"),
        Spec(P, Kind::SlideLayout, "slideLayout", "slideLayouts/slideLayout#.xml", "presentationml.slideLayout+xml"),
        Spec(P, Kind::NotesMaster, "notesMaster", "notesMasters/notesMaster#.xml", "presentationml.notesMaster+xml"),
        Spec(P, Kind::HandoutMaster, "handoutMaster", "handoutMasters/handoutMaster#.xml", "presentationml.handoutMaster+xml"),
        Spec(P, Kind::Chart, "chart", "charts/chart#.xml", "drawingml.chart+xml"),
        Spec(P, Kind::Comments, "comments", "comments/comment#.xml", "presentationml.comments+xml"),
        Spec(P, Kind::Authors, "commentAuthors", "commentAuthors?.xml", "presentationml.commentAuthors+xml"),
        Spec(P, Kind::ModernComments, "comments", "comments/modernComment#.xml", "application/vnd.ms-powerpoint.comments+xml"),
        Spec(P, Kind::ModernAuthors, "authors", "authors?.xml", "application/vnd.ms-powerpoint.authors+xml"),
        Spec(P, Kind::TableStyles, "tableStyles", "tableStyles?.xml", "presentationml.tableStyles+xml"),
        Spec(P, Kind::Theme, "theme", "theme/theme#.xml", "theme+xml"),
    ]
};

impl Kind {
    fn spec(self, family: Family) -> Option<&'static Spec> {
        SPECS.iter().find(|spec| spec.0 == family && spec.1 == self)
    }

    /// By the type of a relationship, whole.
    fn led_to_by(family: Family, relation: &str) -> Option<Kind> {
        let (base, last) = relation.rsplit_once('/').unwrap_or(("", relation));
        let modern = base.starts_with("http://schemas.microsoft.com/office/2018/");
        let is_modern = |kind: Kind| kind.base() == OFFICE_2018;
        let mut specs = SPECS.iter().filter(|spec| spec.0 == family && spec.2 == last);
        specs.find(|spec| is_modern(spec.1) == modern).map(|spec| spec.1)
    }

    /// Where the type of its relationship is defined.
    fn base(self) -> &'static str {
        match self {
            Kind::ModernComments | Kind::ModernAuthors => OFFICE_2018,
            _ => OFFICE,
        }
    }

    fn path(self, family: Family, number: usize) -> String {
        let path = self.spec(family).map_or("part#.xml", |spec| spec.3);
        let unless_first = if number == 1 { String::new() } else { number.to_string() };
        let path = path.replace('#', &number.to_string()).replace('?', &unless_first);
        format!("{}/{path}", family.folder())
    }

    fn content_type(self, family: Family) -> String {
        match self.spec(family).map_or("", |spec| spec.4) {
            whole if whole.starts_with("application/") => whole.to_owned(),
            last => format!("application/vnd.openxmlformats-officedocument.{last}"),
        }
    }
}

/// What becomes of what a relationship leads to.
enum Fate {
    Treat(Kind),
    Picture,
    Link,
    Leave(LeftOut),
    /// It is read by its own reader, and written into other parts.
    Absorb,
    Refuse(&'static str),
}

const EMBEDDED: &str = "it holds an embedded object, which is not treated; remove it";
const MACROS: &str = "it holds macros; save it without them";
const CONTROL: &str = "it holds a control (ActiveX), which is not treated; remove it";

/// What becomes of what the relationship `raw` of a part `from` leads to.
fn fate(family: Family, from: Option<Kind>, raw: &RawRelation) -> Fate {
    use Fate::*;
    if let Some(kind) = Kind::led_to_by(family, &raw.kind) {
        return Treat(kind);
    }
    match (family, raw.kind()) {
        // The table that a chart was drawn from; the chart shows its own copy of the values.
        (Family::Workbook | Family::Presentation, "package" | "oleObject") if from == Some(Kind::Chart) => {
            Leave(LeftOut::AttachedData)
        }
        (Family::Workbook, "sharedStrings") => Absorb,
        (
            Family::Workbook,
            "externalLink"
            | "pivotCacheDefinition"
            | "pivotCacheRecords"
            | "pivotTable"
            | "slicer"
            | "slicerCache"
            | "timeline"
            | "timelineCache"
            | "table"
            | "queryTable"
            | "connections"
            | "calcChain"
            | "sheetMetadata"
            | "volatileDependencies"
            | "threadedComment"
            | "person"
            | "xmlMaps"
            | "customProperty"
            | "ctrlProp"
            | "tableSingleCells"
            | "customData"
            | "powerPivotData"
            | "rdRichValue"
            | "rdRichValueStructure"
            | "rdRichValueTypes"
            | "richValueRel"
            | "namedSheetViews"
            | "chartUserShapes"
            | "chartStyle"
            | "chartColorStyle"
            | "themeOverride",
        )
        | (
            Family::Presentation,
            "presProps" | "viewProps" | "tags" | "chartUserShapes" | "chartStyle" | "chartColorStyle"
            | "themeOverride" | "legacyDiagramText" | "revisionInfo" | "changesInfo" | "vmlDrawing"
            | "commentsExtended",
        ) => Leave(LeftOut::AttachedData),
        (Family::Workbook, "xlMacrosheet" | "xlIntlMacrosheet" | "macrosheet" | "dialogsheet") => {
            Refuse(MACROS)
        }
        (_, relation) => shared_fate(relation),
    }
}

/// What all three programs have.
fn shared_fate(relation: &str) -> Fate {
    use Fate::*;
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
        "vbaProject" | "wordVbaData" => Refuse(MACROS),
        "oleObject" | "package" => Refuse(EMBEDDED),
        "aFChunk" | "subDocument" => {
            Refuse("it holds another document inside, which is not treated; remove it")
        }
        "control" | "activeXControlBinary" => Refuse(CONTROL),
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
        || ["customXml/", "word/glossary/", "ppt/embeddings/", "xl/embeddings/"]
            .iter()
            .any(|folder| name.starts_with(folder))
}

#[derive(Debug)]
struct Relation {
    id: String,
    /// Where its type is defined, and its name there.
    relation: (&'static str, &'static str),
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

/// A file as parts to be written again.
#[derive(Debug)]
pub(crate) struct Package {
    family: Family,
    parts: Vec<Kept>,
    /// Strings that the cells of a workbook share.
    shared_strings: Option<String>,
}

/// A part to be read into the text.
pub(crate) struct Readable<'a> {
    pub(crate) index: usize,
    pub(crate) kind: Kind,
    pub(crate) path: &'a str,
}

impl Package {
    /// Gives every readable part as XML, in order, to `read` with its kind.
    pub(crate) fn read_parts(
        &mut self,
        zip: &mut Zip<'_>,
        out: &mut Gatherer,
        mut read: impl FnMut(Kind, &str, &mut Gatherer) -> Result<(), Reason>,
    ) -> Result<(), Reason> {
        let order: Vec<_> = self.readable().iter().map(|p| (p.index, p.kind, p.path.to_owned())).collect();
        for (index, kind, path) in order {
            let bytes = zip.read(&path)?.ok_or("a part it refers to is missing")?;
            let xml = decode(&bytes)?;
            let source = out.source(xml.clone().into_bytes());
            self.set_source(index, source);
            read(kind, &xml, out)?;
        }
        Ok(())
    }

    /// Follows the relationships of a package from its root.
    pub(crate) fn follow(family: Family, zip: &mut Zip<'_>, counts: &mut Counts) -> Result<Package, Reason> {
        let refused = zip.names().find_map(|name| {
            let lower = name.to_ascii_lowercase();
            // Charts of workbooks and presentations carry the table that they were drawn from.
            let embedded = lower.contains("/embeddings/") && family == Family::Word;
            let macros = lower.contains("vbaproject") || lower.contains("vbadata");
            let control = lower.contains("/activex/");
            match (macros, embedded, control) {
                (true, _, _) => Some(MACROS),
                (_, true, _) => Some(EMBEDDED),
                (_, _, true) => Some(CONTROL),
                _ => None,
            }
        });
        if let Some(why) = refused {
            return Err(why.into());
        }
        let mut package = Package { family, parts: Vec::new(), shared_strings: None };
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        let mut told: BTreeSet<String> = BTreeSet::new();
        for raw in read_relations(zip, "")? {
            told.insert(raw.resolved(""));
            match fate(family, None, &raw) {
                Fate::Treat(Kind::Document) if package.parts.is_empty() => {
                    let path = raw.resolved("");
                    if path.ends_with(".bin") {
                        return Err(
                            "it is a binary workbook (.xlsb), which is not read; save it as .xlsx".into()
                        );
                    }
                    known.insert(path.clone(), 0);
                    package.add(Kind::Document, path, 1);
                }
                Fate::Refuse(why) => return Err(why.into()),
                Fate::Leave(what) => count(counts, what),
                _ => return Err("its parts do not hang together as those of an Office document".into()),
            }
        }
        if package.parts.is_empty() {
            return Err("it has no main text".into());
        }
        let mut numbers: BTreeMap<Kind, usize> = BTreeMap::new();
        let mut next = 0;
        while next < package.parts.len() {
            let (from, kind) = (package.parts[next].from.clone(), package.parts[next].kind);
            let mut seen = BTreeSet::new();
            for raw in read_relations(zip, &from)? {
                told.insert(raw.resolved(&from));
                let plain =
                    raw.id.len() <= 40 && raw.id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
                if !plain || !seen.insert(raw.id.clone()) {
                    return Err("the relationships of a part are not named as Office names them".into());
                }
                let (relation, target) = match fate(family, Some(kind), &raw) {
                    Fate::Refuse(why) => return Err(why.into()),
                    Fate::Absorb => {
                        package.shared_strings = Some(raw.resolved(&from));
                        continue;
                    }
                    Fate::Leave(what) => {
                        count(counts, what);
                        continue;
                    }
                    Fate::Picture => {
                        count(counts, LeftOut::Pictures);
                        ((OFFICE, "image"), Target::Picture)
                    }
                    Fate::Link => {
                        count(counts, LeftOut::LinkTargets);
                        ((OFFICE, "hyperlink"), Target::Nowhere)
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
                        ((kind.base(), kind.spec(family).map_or("", |spec| spec.2)), Target::Part(index))
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
            path: kind.path(self.family, number),
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

    pub(crate) fn family(&self) -> Family {
        self.family
    }

    pub(crate) fn shared_strings(&self) -> Option<&str> {
        self.shared_strings.as_deref()
    }

    fn picture(&self) -> String {
        format!("{}/media/empty.png", self.family.folder())
    }

    /// The parts of a kind that a part leads to, by the names it gives them.
    pub(crate) fn led_to(&self, part: usize, kind: Kind) -> impl Iterator<Item = (&str, usize)> {
        self.parts[part].relations.iter().filter_map(move |relation| match relation.target {
            Target::Part(index) if self.parts[index].kind == kind => Some((relation.id.as_str(), index)),
            _ => None,
        })
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
                part.kind.content_type(self.family)
            );
        }
        types.push_str("</Types>");
        let root =
            [Relation { id: "rId1".into(), relation: (OFFICE, "officeDocument"), target: Target::Part(0) }];
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
            out.push(Part::new(self.picture(), EMPTY_PNG));
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
                Target::Picture => (format!("/{}", self.picture()), ""),
                Target::Nowhere => ("about:blank".to_owned(), " TargetMode=\"External\""),
            };
            let _ = write!(
                out,
                "<Relationship Id=\"{}\" Type=\"{}{}\" Target=\"{target}\"{mode}/>",
                relation.id, relation.relation.0, relation.relation.1
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
