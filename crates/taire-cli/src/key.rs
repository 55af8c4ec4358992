//! `key`: making a secret key.

use taire::SecretKey;

use crate::args::{KeyAction, KeyArgs};
use crate::{Outcome, Usage};

pub(crate) fn key(args: &KeyArgs) -> Result<Outcome, Usage> {
    let KeyAction::New { output } = &args.action;
    SecretKey::generate()?.write_new(output)?;
    eprintln!(
        "taire: key written to {}; keep a copy in a safe place, and never beside the documents it protects",
        output.display()
    );
    Ok(Outcome::Done)
}
