//! `policy`: the shipped ones, the effective one, errors in yours.

use taire::{Policy, SHIPPED};

use crate::args::{PolicyAction, PolicyArgs};
use crate::{Outcome, Usage};

pub(crate) fn policy(args: &PolicyArgs) -> Result<Outcome, Usage> {
    match &args.action {
        PolicyAction::List => {
            for (name, _) in SHIPPED {
                let policy = Policy::shipped(name)?;
                let absent = if policy.missing_model().is_some() { " (its model is not here)" } else { "" };
                println!("{name:10} {}{absent}", policy.description);
            }
        }
        PolicyAction::Show { policy } => print!("{}", Policy::load(policy)?.to_toml()?),
        PolicyAction::Check { policy } => {
            let sound = Policy::load(policy)?;
            println!("policy {policy} is sound ({})", sound.name);
            if let Some(why) = sound.missing_model() {
                println!("but {why}");
            }
        }
    }
    Ok(Outcome::Done)
}
