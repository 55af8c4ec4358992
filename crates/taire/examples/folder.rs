//! A folder of documents in any format, with a report: `cargo run --example folder -- IN OUT`.

use std::path::PathBuf;

use taire::run::{Ended, Files, Listener, Refusal};
use taire::{Deidentifier, Error, Run, SecretKey, Task};

struct Refusals;

impl Listener<()> for Refusals {
    fn refused(&mut self, refusal: &Refusal) {
        eprintln!("refused: {refusal}");
    }
}

fn main() -> Result<(), Error> {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [input, output] = paths.as_slice() else {
        return Err(Error::usage("give a folder to read and a folder to write"));
    };
    let deid = Deidentifier::builder().key(SecretKey::generate()?).build()?;
    let run = Run::new(deid.engine(), Task::Deid { refuse_below: None }).jobs(2);
    match run.files(&Files::new(std::slice::from_ref(input), output), &mut Refusals)? {
        Ended::Done(finished) => println!("{} documents written", finished.report.documents.written),
        Ended::Failed { error, .. } => return Err(error),
        Ended::Stopped { .. } => {}
    }
    Ok(())
}
