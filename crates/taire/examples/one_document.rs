//! One text with its patient: `cargo run --example one_document`.

use taire::{Deidentifier, Document, Error, SecretKey};

fn main() -> Result<(), Error> {
    let deid = Deidentifier::builder().policy("fr").key(SecretKey::generate()?).build()?;
    let text = "Mme Aldegonde KERVADEC, née le 17/02/1941 à Brest, revue par le Dr Le Goff.";
    let out = deid.deidentify(Document::new("letter", text).patient("800417"))?;
    println!("{}", out.text());
    for span in out.spans() {
        println!("{:>4}..{:<4} {}", span.start, span.end, span.label);
    }
    Ok(())
}
