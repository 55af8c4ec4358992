//! `policy`: the shipped ones, the effective one, errors in yours.

use taire::Error;
use taire::{Policy, SHIPPED};

use crate::Outcome;
use crate::args::{PolicyAction, PolicyArgs, print_policy_notes};

pub(crate) fn policy(args: &PolicyArgs) -> Result<Outcome, Error> {
    match &args.action {
        PolicyAction::List => {
            for (name, _) in SHIPPED {
                let policy = Policy::shipped(name)?;
                outln!("{name:10} {}", policy.description);
            }
        }
        PolicyAction::Show { policy } => {
            let policy = Policy::load(policy)?;
            print_policy_notes([&policy]);
            out!("{}\n{}", policy.actions_as_comments(), policy.to_toml()?);
        }
        PolicyAction::Check { policy } => {
            let sound = Policy::load(policy)?;
            sound.check_files().map_err(|e| e.prefixed(&format!("policy {policy}: ")))?;
            print_policy_notes([&sound]);
            outln!("policy {policy} is sound ({}); every file that it names was opened", sound.name);
        }
    }
    Ok(Outcome::Done)
}
