//! `policy`: the shipped ones, the effective one, errors in yours.

use taire::Error;
use taire::{Policy, SHIPPED};

use crate::Outcome;
use crate::args::{PolicyAction, PolicyArgs};

pub(crate) fn policy(args: &PolicyArgs) -> Result<Outcome, Error> {
    match &args.action {
        PolicyAction::List => {
            for (name, _) in SHIPPED {
                let policy = Policy::shipped(name)?;
                let absent = if policy.missing_model().is_some() { " (its model is not here)" } else { "" };
                outln!("{name:10} {}{absent}", policy.description);
            }
        }
        PolicyAction::Show { policy } => {
            let policy = Policy::load(policy)?;
            out!("{}\n{}", policy.actions_as_comments(), policy.to_toml()?);
        }
        PolicyAction::Check { policy } => {
            let sound = Policy::load(policy)?;
            let ships = SHIPPED.iter().any(|(name, _)| name == policy);
            match sound.missing_model() {
                // The model of a shipped policy is the user's to make.
                Some(why) if ships => outln!("policy {policy} is sound, but {why}"),
                _ => {
                    sound.check_files().map_err(|e| e.prefixed(&format!("policy {policy}: ")))?;
                    outln!("policy {policy} is sound ({}); every file that it names was opened", sound.name);
                }
            }
        }
    }
    Ok(Outcome::Done)
}
