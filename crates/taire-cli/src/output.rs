//! Standard output. A reader that closes the pipe, as `head` does, ends the program quietly.

use std::fmt;
use std::io::{ErrorKind, Write};

/// Prints to standard output: `print!` for a pipe that may close.
macro_rules! out {
    ($($arg:tt)*) => { $crate::output::write(format_args!($($arg)*)) };
}

/// The same with a line end.
macro_rules! outln {
    () => { $crate::output::write(format_args!("\n")) };
    ($($arg:tt)*) => { $crate::output::write(format_args!("{}\n", format_args!($($arg)*))) };
}

/// Writes to standard output, or ends the program: with 0 where nobody reads any more, else with 1.
pub(crate) fn write(text: fmt::Arguments<'_>) {
    let mut stdout = std::io::stdout().lock();
    if let Err(error) = stdout.write_fmt(text).and_then(|()| stdout.flush()) {
        if error.kind() == ErrorKind::BrokenPipe {
            std::process::exit(0);
        }
        eprintln!("taire: cannot write to standard output: {}", taire_text::io_reason(&error));
        std::process::exit(1);
    }
}
