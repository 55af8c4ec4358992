//! What one document loses: every release is booked under its label, and refused when the policy's budget would not
//! hold it. The rewriter keeps nothing between documents, so the account is one document's; a value that comes back in
//! another document of its scope is the same draw and tells nothing more.

use std::cell::{Cell, RefCell};

use taire_privacy::{Budget, Ledger, Loss};
use taire_text::Label;

pub(crate) struct Account {
    ledger: RefCell<Ledger>,
    entries: RefCell<Vec<(Label, Loss)>>,
    refused: Cell<bool>,
}

impl Account {
    pub(crate) fn new(budget: Budget) -> Account {
        Account {
            ledger: RefCell::new(Ledger::new(budget)),
            entries: RefCell::default(),
            refused: Cell::new(false),
        }
    }

    /// Books losses together: all of them or none.
    pub(crate) fn spend(&self, losses: &[(Label, Loss)]) -> bool {
        let mut after = self.ledger.borrow().clone();
        if losses.iter().any(|(_, loss)| after.spend(*loss).is_err()) {
            self.refused.set(true);
            return false;
        }
        *self.ledger.borrow_mut() = after;
        self.entries.borrow_mut().extend_from_slice(losses);
        true
    }

    /// Whether something was refused since this was last asked.
    pub(crate) fn take_refused(&self) -> bool {
        self.refused.take()
    }

    pub(crate) fn into_entries(self) -> Vec<(Label, Loss)> {
        self.entries.into_inner()
    }
}
