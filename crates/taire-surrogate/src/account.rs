//! What one document loses: every release is booked under its label, and refused when the policy's budget would not
//! hold it. The rewriter keeps nothing between documents, so this account is one document's; releases name their draw, so
//! that whoever adds up a patient's documents counts a value that comes back as the same draw once.

use std::cell::{Cell, RefCell};

use taire_privacy::{Budget, Ledger, Loss};
use taire_text::Label;

use crate::key::DrawId;

/// One release of a mechanism.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Release {
    pub label: Label,
    pub loss: Loss,
    /// Where the draw is the same in other documents of the scope: releases of one draw cost what one does.
    pub draw: Option<DrawId>,
}

pub(crate) struct Account {
    ledger: RefCell<Ledger>,
    releases: RefCell<Vec<Release>>,
    refused: Cell<bool>,
}

impl Account {
    pub(crate) fn new(budget: Budget) -> Account {
        Account {
            ledger: RefCell::new(Ledger::new(budget)),
            releases: RefCell::default(),
            refused: Cell::new(false),
        }
    }

    /// Books releases together: all of them or none.
    pub(crate) fn spend(&self, releases: &[Release]) -> bool {
        let mut after = self.ledger.borrow().clone();
        if releases.iter().any(|release| after.spend(release.loss).is_err()) {
            self.refused.set(true);
            return false;
        }
        *self.ledger.borrow_mut() = after;
        self.releases.borrow_mut().extend_from_slice(releases);
        true
    }

    /// Whether something was refused since this was last asked.
    pub(crate) fn take_refused(&self) -> bool {
        self.refused.take()
    }

    pub(crate) fn into_releases(self) -> Vec<Release> {
        self.releases.into_inner()
    }
}
