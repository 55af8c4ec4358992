//! Reading a crosswalk back: from the ids of an output to those of the originals, for measures that compare both.

use std::collections::BTreeMap;
use std::path::Path;

use taire_formats::each_csv_row;

use crate::Error;

/// The documents of one run by their new ids.
#[derive(Default)]
pub struct Crosswalk {
    originals: BTreeMap<String, String>,
}

impl std::fmt::Debug for Crosswalk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Crosswalk({} documents)", self.originals.len())
    }
}

impl Crosswalk {
    /// The crosswalk in the private folder beside an output. Empty where there is none: the ids are then those of the
    /// originals.
    pub fn beside(output: &Path) -> Result<Crosswalk, Error> {
        let mut crosswalk = Crosswalk::default();
        let whole = std::fs::canonicalize(output).unwrap_or_else(|_| output.to_owned());
        // The output itself, or the folder of the run that it lies in.
        let found = whole.ancestors().find_map(|at| {
            let mut folder = if at.is_dir() { at.file_name() } else { at.file_stem() }?.to_owned();
            folder.push(".private");
            std::fs::read_dir(at.with_file_name(folder)).ok()
        });
        for entry in found.into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with("crosswalk.") && name.ends_with(".csv") {
                crosswalk.read(&entry.path())?;
            }
        }
        Ok(crosswalk)
    }

    fn read(&mut self, path: &Path) -> Result<(), Error> {
        each_csv_row(path, |cells| {
            if let [kind, original, new] = cells
                && kind == "document"
            {
                self.originals.insert(new.clone(), original.clone());
            }
        })
    }

    /// The id that a document of the output had before; its own where the run kept it.
    pub fn original_id(&self, id: String) -> String {
        self.originals.get(&id).cloned().unwrap_or(id)
    }
}
