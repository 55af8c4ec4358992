//! Finding the documents the user gave: files, folders walked in a stable order, standard input.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use walkdir::WalkDir;

use crate::error::reason;
use crate::packed::{Member, Packing, Room, gunzip, is_gzip, is_tar, members, tar_members};
use crate::sidecar::Sidecar;
use crate::sniff::{HEAD, recognise, serves_exchange};
use crate::{Error, Format, Identities, ReadOptions, Reason, Refusal};

const NOT_REGULAR: &str = "it is not a regular file (a pipe, a device or a socket), so it is not opened; give a file, or `-` for standard input";

const LINK_OUT: &str = "this link leads out of the input folder, so it is not followed; give what it leads to as an input of its own";

/// One file of documents.
#[derive(Clone, Debug)]
pub struct InputFile {
    /// Where it is; `-` is standard input.
    pub path: PathBuf,
    /// Its name in the output: under the folder it was found in.
    pub relative: PathBuf,
    pub format: Format,
    /// The annotations of a BRAT text.
    pub ann: Option<PathBuf>,
    /// The user named this very file.
    pub named: bool,
    /// Identity files that apply to it, nearest first.
    pub(crate) sidecars: Vec<Arc<Sidecar>>,
    /// What was already read of standard input.
    pub(crate) head: Option<Head>,
    pub(crate) packing: Packing,
    /// Another input has its name but for the extension: `a.doc` beside `a.pdf`.
    pub(crate) has_twin: bool,
}

/// First bytes of a stream, not shown by `Debug`.
#[derive(Clone)]
pub(crate) struct Head(pub(crate) Arc<[u8]>);

impl std::fmt::Debug for Head {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "<{} bytes>", self.0.len())
    }
}

impl InputFile {
    /// A file outside any walk, its format already known.
    pub fn new(path: impl Into<PathBuf>, relative: impl Into<PathBuf>, format: Format) -> Self {
        InputFile {
            path: path.into(),
            relative: relative.into(),
            format,
            ann: None,
            named: true,
            sidecars: Vec::new(),
            head: None,
            packing: Packing::Plain,
            has_twin: false,
        }
    }

    /// It lies in a zip or is packed itself.
    pub fn is_packed(&self) -> bool {
        !matches!(self.packing, Packing::Plain)
    }

    /// Whether a document of it can belong to a patient: an envelope or a table may name one, and so may an identity
    /// file beside it. A letter alone names nobody in a way that joins documents.
    pub fn may_have_patient(&self) -> bool {
        let names_patients =
            matches!(self.format, Format::Cda | Format::Fhir | Format::FhirXml | Format::Hl7);
        names_patients || !self.format.is_single() || !self.sidecars.is_empty()
    }

    /// Whether it can be read more than once: standard input and pipes cannot.
    pub fn is_rereadable(&self) -> bool {
        let plain = || fs::metadata(&self.path).is_ok_and(|m| m.is_file());
        self.path.as_os_str() != "-" && (self.is_packed() || plain())
    }

    /// The relative path, `/` between its parts: the id of the document in it. It is without extension, unless another
    /// input would then have the same.
    pub fn stem(&self) -> String {
        let named = if self.has_twin { self.relative.clone() } else { self.relative.with_extension("") };
        let parts: Vec<_> = named.iter().map(|p| p.to_string_lossy().into_owned()).collect();
        parts.join("/")
    }
}

/// What was found. Every file under the inputs is in exactly one of these lists.
#[derive(Clone, Debug, Default)]
pub struct Discovery {
    pub inputs: Vec<InputFile>,
    pub refused: Vec<Refusal>,
    /// Files known to hold no document (hidden ones, the output folder), and why.
    pub ignored: Vec<Refusal>,
    /// Identity files that were read; they are never written.
    pub identities: Vec<PathBuf>,
    /// What these files hold.
    pub tables: Vec<Arc<Identities>>,
}

/// Finds the documents of files, folders and `-`.
pub fn discover(inputs: &[PathBuf], options: &ReadOptions) -> Discovery {
    let mut search = Search {
        options,
        exclude: options.exclude.iter().filter_map(|p| fs::canonicalize(p).ok()).collect(),
        found: Discovery::default(),
        sidecars: BTreeMap::new(),
        links_out: BTreeSet::new(),
    };
    for input in inputs {
        if input.as_os_str() == "-" {
            search.standard_input();
        } else if input.is_dir() {
            let prefix = match inputs.len() {
                1 => PathBuf::new(),
                _ => input.file_name().map(PathBuf::from).unwrap_or_default(),
            };
            search.folder(input, &prefix);
        } else {
            search.named_file(input);
        }
    }
    search.finish()
}

struct Search<'a> {
    options: &'a ReadOptions,
    exclude: Vec<PathBuf>,
    found: Discovery,
    /// By folder; `None` where an identity file could not be read.
    sidecars: BTreeMap<PathBuf, Vec<Option<Arc<Sidecar>>>>,
    /// Links that lead out of the folder they were found in.
    links_out: BTreeSet<PathBuf>,
}

impl Search<'_> {
    fn standard_input(&mut self) {
        let path = Path::new("-");
        let mut head = Vec::new();
        if let Err(e) = io::stdin().lock().take(HEAD as u64).read_to_end(&mut head) {
            self.refuse(path, format!("cannot read it: {}", reason(&e)));
            return;
        }
        match recognise(&head, path, self.options) {
            Err(why) => self.refuse(path, why),
            Ok(Format::Parquet) => {
                self.refuse(path, "Parquet cannot be read from standard input; give the file")
            }
            Ok(format) => {
                let mut file = InputFile::new(path, format!("stdin.{}", format.extension()), format);
                file.head = Some(Head(head.into()));
                self.found.inputs.push(file);
            }
        }
    }

    fn named_file(&mut self, path: &Path) {
        if fs::metadata(path).is_ok_and(|about| !about.is_file()) {
            return self.refuse(path, NOT_REGULAR);
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        self.load_beside(folder);
        if self.found.identities.iter().any(|p| p == path) {
            return;
        }
        if path.extension().is_some_and(|e| e == "ann") && path.with_extension("txt").is_file() {
            self.ignore(path, "annotations are read with their text");
            return;
        }
        let relative = path.file_name().map(PathBuf::from).unwrap_or_default();
        self.file(path, relative, true);
    }

    /// Identity files in the folder of a file the user named. One that is none is left for its own naming.
    fn load_beside(&mut self, folder: &Path) {
        if self.sidecars.contains_key(folder) {
            return;
        }
        let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let Ok(entries) = fs::read_dir(listed) else { return };
        let mut names: Vec<_> = entries.flatten().map(|e| folder.join(e.file_name())).collect();
        names.retain(|p| Sidecar::is_name(p) && p.is_file());
        names.sort();
        let loaded = names.into_iter().filter_map(|path| {
            let sidecar = Sidecar::load(&path).ok()?;
            self.found.identities.push(path);
            Some(Some(Arc::new(sidecar)))
        });
        let loaded = loaded.collect();
        self.sidecars.insert(folder.to_owned(), loaded);
    }

    fn folder(&mut self, root: &Path, prefix: &Path) {
        let mut files = Vec::new();
        let real_root = fs::canonicalize(root).ok();
        let leads_out = |path: &Path| {
            let inside = fs::canonicalize(path).ok().zip(real_root.as_ref());
            !inside.is_some_and(|(target, root)| target.starts_with(root))
        };
        let mut walk = WalkDir::new(root).follow_links(true).sort_by_file_name().into_iter();
        while let Some(entry) = walk.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(e) => {
                    let path = e.path().unwrap_or(root).to_owned();
                    let why = match e.io_error() {
                        Some(error) => format!("cannot read it: {}", reason(error)),
                        None => "this link leads back to a folder above it".to_owned(),
                    };
                    self.refuse(&path, why);
                    continue;
                }
            };
            let path = entry.path();
            let is_dir = entry.file_type().is_dir();
            let hidden = entry.depth() > 0 && entry.file_name().to_string_lossy().starts_with('.');
            if is_dir && self.is_excluded(path) {
                self.ignore(path, "it is the output folder");
                walk.skip_current_dir();
            } else if hidden {
                self.ignore(path, "it is hidden");
                if is_dir {
                    walk.skip_current_dir();
                }
            } else if entry.depth() > 0 && entry.path_is_symlink() && leads_out(path) {
                self.refuse(path, LINK_OUT);
                self.links_out.insert(path.to_owned());
                if is_dir {
                    walk.skip_current_dir();
                }
            } else if is_dir {
            } else if !entry.file_type().is_file() {
                self.refuse(path, NOT_REGULAR);
            } else if matches!(entry.file_name().to_str(), Some("Thumbs.db" | "desktop.ini")) {
                self.ignore(path, "it belongs to the system");
            } else if self.is_excluded_file(path) {
                self.ignore(path, "it is a report");
            } else if Sidecar::is_name(path) {
                self.load(path);
            } else {
                files.push(path.to_owned());
            }
        }
        for path in files {
            let relative = prefix.join(path.strip_prefix(root).unwrap_or(&path));
            if path.extension().is_some_and(|e| e == "ann") {
                let text = path.with_extension("txt");
                if !text.is_file() || self.links_out.contains(&text) {
                    self.refuse(&path, "annotations without their text: no .txt file beside it");
                }
                continue;
            }
            self.file(&path, relative, false);
        }
    }

    fn is_excluded(&self, path: &Path) -> bool {
        !self.exclude.is_empty() && fs::canonicalize(path).is_ok_and(|p| self.exclude.contains(&p))
    }

    /// The name first: looking up where a path leads takes a call to the system.
    fn is_excluded_file(&self, path: &Path) -> bool {
        self.exclude.iter().any(|e| e.file_name() == path.file_name()) && self.is_excluded(path)
    }

    fn load(&mut self, path: &Path) {
        if self.found.identities.iter().any(|p| p == path) {
            return;
        }
        self.keep_sidecar(path, Sidecar::load(path));
    }

    fn keep_sidecar(&mut self, path: &Path, loaded: Result<Sidecar, Error>) {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let loaded = match loaded {
            Ok(sidecar) => {
                self.found.identities.push(path.to_owned());
                Some(Arc::new(sidecar))
            }
            Err(error) => {
                self.found.refused.push(error.into());
                None
            }
        };
        self.sidecars.entry(folder).or_default().push(loaded);
    }

    fn file(&mut self, path: &Path, relative: PathBuf, named: bool) {
        let mut head = Vec::new();
        let read = File::open(path).and_then(|f| f.take(HEAD as u64).read_to_end(&mut head));
        if let Err(e) = read {
            self.refuse(path, format!("cannot read it: {}", reason(&e)));
            return;
        }
        if is_gzip(&head) {
            return self.gzip(path, relative, named);
        }
        let zip = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("zip"));
        if zip && head.starts_with(b"PK\x03\x04") {
            match members(path) {
                Err(why) => return self.refuse(path, why),
                Ok(Some(members)) => return self.members(path, &relative, members, &mut Room::default()),
                Ok(None) => {}
            }
        }
        if is_tar(&head) {
            return match tar_members(path) {
                Err(why) => self.refuse(path, why),
                Ok(members) => self.members(path, &relative, members, &mut Room::default()),
            };
        }
        let mut format = match recognise(&head, path, self.options) {
            Ok(format) => format,
            Err(why) => return self.refuse(path, why),
        };
        let ann = path.with_extension("ann");
        let has_ann = format == Format::Text && path.extension().is_some_and(|e| e == "txt") && ann.is_file();
        let has_ann = has_ann && !self.links_out.contains(&ann);
        if has_ann {
            format = Format::Brat;
        }
        self.found.inputs.push(InputFile {
            path: path.to_owned(),
            relative,
            format,
            ann: has_ann.then_some(ann),
            named,
            sidecars: Vec::new(),
            head: None,
            packing: Packing::Plain,
            has_twin: false,
        });
    }

    fn gzip(&mut self, path: &Path, relative: PathBuf, named: bool) {
        let mut head = Vec::new();
        let read = File::open(path).and_then(gunzip).and_then(|f| f.take(HEAD as u64).read_to_end(&mut head));
        if let Err(e) = read {
            return self.refuse(path, format!("cannot unpack it: {}", reason(&e)));
        }
        let relative = without_gz(&relative);
        if packed_again(&head, &relative) {
            let mut room = Room::default();
            return match room.gunzip_file(path) {
                Err(why) => self.refuse(path, why),
                Ok(packing) => self.member(path.to_owned(), relative, packing, &mut room),
            };
        }
        match recognise(&head, &relative, self.options) {
            Ok(Format::Parquet) => self.refuse(path, "it is a Parquet file packed again; unpack it first"),
            Ok(format) => {
                let mut file = InputFile::new(path, relative, format);
                file.named = named;
                file.packing = Packing::Gzip;
                self.found.inputs.push(file);
            }
            Err(why) => self.refuse(path, why),
        }
    }

    /// A zip or tar is a folder of its name. Paths go on inside it, so that its identity files are found as others are.
    fn members(&mut self, path: &Path, relative: &Path, members: Vec<Member>, room: &mut Room) {
        let folder = relative.with_extension("");
        for Member { path: inside, packing } in members {
            let at = path.join(&inside);
            match packing {
                Err(why) => self.refuse(&at, why),
                Ok(_) if inside.iter().any(is_hidden) => self.ignore(&at, "it is hidden"),
                Ok(packing) => self.member(at, folder.join(&inside), packing, room),
            }
        }
    }

    /// A file in another, which `relative` names in the output.
    fn member(&mut self, at: PathBuf, relative: PathBuf, packing: Packing, room: &mut Room) {
        if matches!(relative.file_name().and_then(|n| n.to_str()), Some("Thumbs.db" | "desktop.ini")) {
            return self.ignore(&at, "it belongs to the system");
        }
        if relative.extension().is_some_and(|e| e == "ann") {
            return self.ignore(&at, "annotations in a packed file are not read");
        }
        if Sidecar::is_name(&relative) {
            let loaded = packing
                .bytes(u64::MAX)
                .map_err(|e| crate::error::input_error(&at, format!("cannot unpack it: {}", reason(&e))))
                .and_then(|bytes| Sidecar::read(&at, bytes));
            return self.keep_sidecar(&at, loaded);
        }
        let head = match packing.bytes(HEAD as u64) {
            Ok(head) => head,
            Err(e) => return self.refuse(&at, format!("cannot unpack it: {}", reason(&e))),
        };
        if let Some(why) = serves_exchange(&head, &relative) {
            return self.ignore(&at, why);
        }
        if is_gzip(&head) || packed_again(&head, &relative) {
            if let Err(why) = room.enter() {
                return self.refuse(&at, why);
            }
            let packed = self.nested(&at, &relative, &packing, &head, room);
            room.leave();
            match packed {
                Ok(true) => return,
                Ok(false) => {}
                Err(why) => return self.refuse(&at, why),
            }
        }
        match recognise(&head, &relative, self.options) {
            Ok(format) => {
                let mut file = InputFile::new(at, relative, format);
                file.named = false;
                file.packing = packing;
                self.found.inputs.push(file);
            }
            Err(why) => self.refuse(&at, why),
        }
    }

    /// A packed file inside another; `false` where it is a document of another program.
    fn nested(
        &mut self,
        at: &Path,
        relative: &Path,
        packing: &Packing,
        head: &[u8],
        room: &mut Room,
    ) -> Result<bool, Reason> {
        if is_gzip(head) {
            let inside = room.gunzip(packing)?;
            self.member(at.to_owned(), without_gz(relative), inside, room);
            return Ok(true);
        }
        let members = if is_tar(head) { Some(room.tar_inside(packing)?) } else { room.zip_inside(packing)? };
        let Some(members) = members else { return Ok(false) };
        self.members(at, relative, members, room);
        Ok(true)
    }

    /// Joins files with the identity files above them. A file whose identity file cannot be used is refused:
    /// treating it without would let through what the user wanted caught.
    fn finish(mut self) -> Discovery {
        let mut kept = Vec::with_capacity(self.found.inputs.len());
        for mut file in std::mem::take(&mut self.found.inputs) {
            let mut broken = false;
            for folder in file.path.ancestors().skip(1) {
                for sidecar in self.sidecars.get(folder).into_iter().flatten() {
                    match sidecar {
                        Some(sidecar) => file.sidecars.push(sidecar.clone()),
                        None => broken = true,
                    }
                }
            }
            if broken {
                self.refuse(
                    &file.path,
                    "the identity file of its folder cannot be used; correct that file first",
                );
            } else {
                kept.push(file);
            }
        }
        tell_apart(&mut kept);
        let sidecars = self.sidecars.values().flatten().flatten();
        self.found.tables = sidecars.map(|sidecar| sidecar.table.clone()).collect();
        self.found.inputs = kept;
        self.found
    }

    fn refuse(&mut self, path: &Path, why: impl Into<Reason>) {
        self.found.refused.push(Refusal::new(path, None, why));
    }

    fn ignore(&mut self, path: &Path, why: &str) {
        self.found.ignored.push(Refusal::new(path, None, why));
    }
}

/// Files of the system, as archives carry them.
fn is_hidden(part: &std::ffi::OsStr) -> bool {
    let part = part.to_string_lossy();
    part.starts_with('.') || part == "__MACOSX"
}

/// A tar, or a zip by its name: a word processor's file is one too.
fn packed_again(head: &[u8], name: &Path) -> bool {
    let zip = name.extension().is_some_and(|e| e.eq_ignore_ascii_case("zip"));
    is_tar(head) || (zip && head.starts_with(b"PK\x03\x04"))
}

/// `a.csv.gz` holds `a.csv`, `a.tgz` holds `a.tar`.
fn without_gz(name: &Path) -> PathBuf {
    let extension = name.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    match extension.as_str() {
        "gz" => name.with_extension(""),
        "tgz" => name.with_extension("tar"),
        _ => name.to_owned(),
    }
}

/// The ids that the documents of these files have when their folder is read.
pub fn ids_of_files(relative: &[PathBuf]) -> Vec<String> {
    let mut files: Vec<InputFile> =
        relative.iter().map(|name| InputFile::new(name, name, Format::Text)).collect();
    tell_apart(&mut files);
    files.iter().map(InputFile::stem).collect()
}

/// Gives inputs that would share an id their extension. That may make a new pair (`a.doc` beside `a.doc.txt`), so it is
/// done again until nothing changes.
fn tell_apart(inputs: &mut [InputFile]) {
    loop {
        let mut often: BTreeMap<String, usize> = BTreeMap::new();
        inputs.iter().for_each(|input| *often.entry(input.stem()).or_default() += 1);
        let twins: Vec<&mut InputFile> = inputs
            .iter_mut()
            .filter(|i| !i.has_twin && often.get(&i.stem()).is_some_and(|n| *n > 1))
            .collect();
        if twins.is_empty() {
            return;
        }
        twins.into_iter().for_each(|input| input.has_twin = true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_of_one_stem_have_ids_of_their_own() {
        let ids = |names: &[&str]| {
            let mut inputs: Vec<_> =
                names.iter().map(|n| InputFile::new(format!("/in/{n}"), n, Format::Text)).collect();
            tell_apart(&mut inputs);
            inputs.iter().map(InputFile::stem).collect::<Vec<_>>()
        };
        assert_eq!(ids(&["a.doc", "b/a.pdf", "c"]), ["a", "b/a", "c"]);
        assert_eq!(ids(&["a.doc", "a.pdf", "b.txt"]), ["a.doc", "a.pdf", "b"]);
        assert_eq!(ids(&["a.doc", "a.pdf", "a.doc.txt"]), ["a.doc", "a.pdf", "a.doc.txt"]);
        assert_eq!(ids(&["a", "a.txt"]), ["a", "a.txt"]);
    }

    fn names(found: &Discovery) -> Vec<String> {
        found.inputs.iter().map(|f| format!("{}:{}", f.relative.display(), f.format.name())).collect()
    }

    #[test]
    fn every_file_is_accounted_for() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("in");
        for (name, content) in [
            ("b.txt", "Bonjour"),
            ("a/x.txt", "x"),
            ("a/x.ann", ""),
            ("a/lone.ann", ""),
            ("a/identity.json", "{\"family_name\":\"Durand\"}"),
            ("bad/identity.json", "{\"hair_colour\":\"brown\"}"),
            ("bad/y.txt", "y"),
            ("c.jsonl", "{}"),
            ("d.png", "\u{89}PNG\0"),
            (".hidden", "x"),
            ("out/z.txt", "z"),
            ("report.md", "z"),
            ("a/report.md", "z"),
        ] {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let options =
            ReadOptions { exclude: vec![root.join("out"), root.join("report.md")], ..Default::default() };
        let found = discover(std::slice::from_ref(&root), &options);
        assert_eq!(names(&found), ["a/report.md:text", "a/x.txt:brat", "b.txt:text", "c.jsonl:jsonl"]);
        assert_eq!(found.inputs[1].sidecars.len(), 1);
        assert!(found.inputs[2].sidecars.is_empty());
        assert_eq!(found.identities, [root.join("a/identity.json")]);
        let refused: Vec<_> = found
            .refused
            .iter()
            .map(|r| std::path::Path::new(&r.document).strip_prefix(&root).unwrap().to_owned())
            .collect();
        assert_eq!(refused, ["bad/identity.json", "a/lone.ann", "d.png", "bad/y.txt"].map(Path::new));
        assert_eq!(found.ignored.len(), 3);
        assert!(found.refused.iter().all(|r| !r.to_string().contains("Durand")));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_folder_is_refused_and_not_followed() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let (inside, outside) = (dir.path().join("in"), dir.path().join("elsewhere"));
        fs::create_dir_all(inside.join("a")).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(inside.join("a/x.txt"), "x").unwrap();
        fs::write(outside.join("y.txt"), "y").unwrap();
        fs::write(outside.join("patients.csv"), "patient,family_name\n1,Durand\n").unwrap();
        symlink(&outside, inside.join("folder")).unwrap();
        symlink(outside.join("y.txt"), inside.join("y.txt")).unwrap();
        symlink(outside.join("y.txt"), inside.join("a/x.ann")).unwrap();
        symlink(outside.join("patients.csv"), inside.join("patients.csv")).unwrap();
        symlink(inside.join("a/x.txt"), inside.join("z.txt")).unwrap();
        symlink("in", dir.path().join("entry")).unwrap();
        for root in [&inside, &dir.path().join("entry")] {
            let found = discover(std::slice::from_ref(root), &ReadOptions::default());
            assert_eq!(names(&found), ["a/x.txt:text", "z.txt:text"], "links inside the folder are followed");
            assert!(found.identities.is_empty());
            let said: Vec<String> = found.refused.iter().map(ToString::to_string).collect();
            assert_eq!(
                said.iter().filter(|why| why.contains("leads out of the input folder")).count(),
                4,
                "{said:?}"
            );
        }
    }

    #[test]
    fn a_named_file_takes_the_identities_of_its_folder() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("l.txt"), "x").unwrap();
        fs::write(dir.path().join("patients.csv"), "patient,family_name\n1,A\n").unwrap();
        let given = [dir.path().join("l.txt"), dir.path().join("patients.csv"), dir.path().join("none.txt")];
        let found = discover(&given, &ReadOptions::default());
        assert_eq!(names(&found), ["l.txt:text"]);
        assert_eq!(found.inputs[0].sidecars.len(), 1);
        assert_eq!((found.identities.len(), found.refused.len()), (1, 1));
    }

    #[test]
    fn several_folders_keep_their_names() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["a/x.txt", "b/x.txt"] {
            fs::create_dir_all(dir.path().join(name).parent().unwrap()).unwrap();
            fs::write(dir.path().join(name), "x").unwrap();
        }
        let found = discover(&[dir.path().join("a"), dir.path().join("b")], &ReadOptions::default());
        assert_eq!(names(&found), ["a/x.txt:text", "b/x.txt:text"]);
    }
}
