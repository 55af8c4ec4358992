//! Invented people, dates, places and numbers, drawn from a secret key.
