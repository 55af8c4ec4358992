//! Gold read into our labels and written back under its scheme: the best strict score its borders allow us.

use std::path::Path;

use taire_eval::{Corpus, Doc, Offsets, Options, Tag, evaluate, mistakes, print_mistakes};
use taire_text::scheme::{Scheme, project, read_gold};
use taire_text::{Entity, Raw, Score, SourceSet, Span};

use super::figures::Figure;

pub(super) fn figure(scheme: Scheme, gold: &Path) -> Result<Figure, String> {
    let (gold, back) = both(scheme, gold)?;
    let evaluation = evaluate(&gold, &back, &Options { resamples: 0, ..Options::default() });
    let f1 = evaluation.map_err(|e| e.to_string())?.strict.micro.f1;
    Ok(Figure::high("strict f1 of gold through our labels", f1))
}

/// Prints what comes back differently, with its text if asked.
pub(super) fn print(scheme: Scheme, gold: &Path, show_text: bool) -> Result<(), String> {
    let figure = figure(scheme, gold)?;
    println!("{scheme}: {} {:.4}", figure.name, figure.value);
    let (gold, back) = both(scheme, gold)?;
    let list = mistakes(&gold, &back, Offsets::CodePoints).map_err(|e| e.to_string())?;
    let mut out = std::io::stdout().lock();
    print_mistakes(&mut out, &list, show_text.then_some(&gold)).map_err(|e| e.to_string())
}

fn both(scheme: Scheme, gold: &Path) -> Result<(Corpus, Corpus), String> {
    let gold = Corpus::read(gold).map_err(|e| e.to_string())?;
    let back = gold.docs().map(|doc| round_trip(scheme, doc)).collect::<Result<Vec<_>, _>>()?;
    Ok((gold, Corpus::new(back).map_err(|e| e.to_string())?))
}

fn round_trip(scheme: Scheme, doc: &Doc) -> Result<Doc, String> {
    let text = doc.text.as_deref().ok_or_else(|| format!("document `{}` has no text", doc.id))?;
    let mut bytes: Vec<usize> = text.char_indices().map(|(i, _)| i).collect();
    bytes.push(text.len());
    let outside = || format!("a span of document `{}` lies outside its text", doc.id);
    let byte = |point: usize| bytes.get(point).copied().ok_or_else(outside);
    let mut spans: Vec<(Span<Raw>, &str)> = Vec::with_capacity(doc.spans.len());
    for tag in &doc.spans {
        spans.push((Span::new(byte(tag.start)?, byte(tag.end)?), &tag.label));
    }
    let entities: Vec<Entity> = read_gold(scheme, text, &spans)
        .map_err(|e| format!("document `{}`: {e}", doc.id))?
        .into_iter()
        .map(|gold| Entity {
            span: gold.span,
            label: gold.label,
            role: gold.role,
            score: Score::CERTAIN,
            sources: SourceSet::default(),
            doubtful_value: false,
            mentions: Vec::new(),
        })
        .collect();
    let point = |byte: usize| bytes.partition_point(|&b| b < byte);
    let spans = project(scheme, text, &entities)
        .iter()
        .map(|s| Tag::new(point(s.span.start()), point(s.span.end()), s.label))
        .collect();
    Ok(Doc { id: doc.id.clone(), text: doc.text.clone(), spans })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invented_note_comes_back_whole() {
        let doc = Doc {
            id: "a".into(),
            text: Some("Médico: Ángel Ríos y Peña, Hospital del Mar".into()),
            spans: vec![Tag::new(8, 25, "NOMBRE_PERSONAL_SANITARIO"), Tag::new(27, 43, "HOSPITAL")],
        };
        assert_eq!(round_trip(Scheme::Meddocan, &doc).unwrap(), doc);
    }
}
