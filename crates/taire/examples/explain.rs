//! What is found in a text, by whom and why: `cargo run --example explain`.

use taire::{Deidentifier, Document, Error};

fn main() -> Result<(), Error> {
    let text = "Paciente: Amaya Quiroga, vista en Lugo por el Dr. Julio Ferrer el 3 de mayo de 2019.";
    let deid = Deidentifier::builder().policy("es").build()?;
    for entity in deid.detect(Document::new("note", text))? {
        let sources: Vec<_> = entity.sources.iter().map(|source| source.key()).collect();
        let (label, score) = (entity.label, entity.score.get());
        println!("{:<20} {label} {score:.2} {}", entity.span.of(text), sources.join(", "));
    }
    Ok(())
}
