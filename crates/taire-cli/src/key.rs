//! `key`: making a secret key.

use taire::Error;
use taire::SecretKey;

use crate::Outcome;
use crate::args::{KeyAction, KeyArgs};

pub(crate) fn key(args: &KeyArgs) -> Result<Outcome, Error> {
    let KeyAction::New { output } = &args.action;
    SecretKey::generate()?.write_new(output)?;
    eprintln!(
        "taire: key written to {}; keep a copy in a safe place, and never beside the documents it protects",
        output.display()
    );
    Ok(Outcome::Done)
}
