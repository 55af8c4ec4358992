//! The `taire` command.
fn main() {}
