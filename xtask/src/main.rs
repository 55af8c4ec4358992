//! Chores of the project: `cargo xtask test|lexicons|score|...`.
fn main() {}
