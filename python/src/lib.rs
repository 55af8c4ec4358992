//! The `taire` package of Python: the engine of the command line, without the interpreter's lock while it works.
//!
//! `work` takes documents through the engine on all threads, `pipeline` is its face for lists and tables, `records` is
//! what is certain of patients on its way between processes. Texts of Python and of Arrow columns are copied once, into
//! the document that is treated. `python/taire` holds the typed face of this module.

mod pipeline;
mod records;
mod table;
mod work;

use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use taire_text::Setting;

create_exception!(
    taire,
    TaireError,
    PyValueError,
    "A policy, a key, a column or a document that cannot be used. The message never quotes a document."
);

/// A message as Python raises it.
fn raise(message: impl std::fmt::Display) -> PyErr {
    TaireError::new_err(message.to_string())
}

/// An error as Python raises it, with the names that options have in Python.
fn raise_error(error: impl Into<taire::Error>) -> PyErr {
    raise(error.into().in_words(|setting| match setting {
        Setting::TextColumn => "`text`",
        Setting::IdColumn => "`id`",
        Setting::PatientColumn => "`patient`",
        Setting::DateColumn => "`date`",
        Setting::KeepColumns => "`keep`",
        other => other.neutral_name(),
    }))
}

#[pymodule]
fn _taire(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // A panic message may quote what was being read: only its place is printed.
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(|l| format!("{}:{}", l.file(), l.line())).unwrap_or_default();
        eprintln!("taire: internal fault at {place}");
    }));
    module.add("TaireError", module.py().get_type::<TaireError>())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("POLICIES", taire::SHIPPED.iter().map(|(name, _)| *name).collect::<Vec<_>>())?;
    module.add_class::<records::SealedRecords>()?;
    module.add_class::<pipeline::DocumentSpans>()?;
    module.add_class::<pipeline::Pipeline>()?;
    module.add_function(wrap_pyfunction!(table::plan, module)?)
}
