//! Privacy mechanisms, their losses and the ledger; knows nothing of text.
