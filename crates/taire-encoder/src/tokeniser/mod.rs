//! Text to pieces, as the makers of the encoder cut it: a `tokenizer.json` is read and followed.
//!
//! Three kinds of models are known (unigram, word pieces, byte-pair encoding over bytes) with the normalisers and
//! splitters that BERT, RoBERTa, CamemBERT and XLM-R use. What is not known is refused, not guessed.

mod bpe;
mod normalise;
mod split;
mod unigram;
mod word_piece;

use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::Error;
use bpe::Bpe;
use normalise::Normaliser;
use split::Splitter;
use unigram::Unigram;
use word_piece::WordPiece;

/// A piece of text: its number, and the bytes it came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    pub id: u32,
    pub start: usize,
    pub end: usize,
}

/// A character after normalisation, and the bytes it came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Char {
    pub(crate) value: char,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Characters of one word that are read.
const LONGEST_WORD: usize = 128;

/// Cuts text into pieces.
#[derive(Clone)]
pub struct Tokeniser {
    normaliser: Normaliser,
    splitter: Splitter,
    model: Model,
    start: u32,
    end: u32,
    pieces: usize,
}

#[derive(Clone)]
enum Model {
    Unigram(Unigram),
    WordPiece(WordPiece),
    Bpe(Bpe),
}

impl std::fmt::Debug for Tokeniser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tokeniser").field("pieces", &self.pieces).finish_non_exhaustive()
    }
}

impl Tokeniser {
    /// Reads the text of a `tokenizer.json`.
    pub fn parse(json: &str) -> Result<Tokeniser, Error> {
        let value: Value = serde_json::from_str(json).map_err(|e| Error::damaged(format!("no JSON: {e}")))?;
        let model = &value["model"];
        let (model, mut pieces) = match model["type"].as_str().or_else(|| guess(model)) {
            Some("Unigram") => {
                let (model, count) = Unigram::read(model)?;
                (Model::Unigram(model), count)
            }
            Some("WordPiece") => {
                let (model, count) = WordPiece::read(model)?;
                (Model::WordPiece(model), count)
            }
            Some("BPE") => {
                let (model, count) = Bpe::read(model)?;
                (Model::Bpe(model), count)
            }
            other => {
                let other = other.unwrap_or("");
                return Err(Error::unsupported(format!(
                    "unknown model `{other}`; known: Unigram, WordPiece, BPE"
                )));
            }
        };
        for added in value["added_tokens"].as_array().into_iter().flatten() {
            pieces = pieces.max(added["id"].as_u64().unwrap_or(0) as usize + 1);
        }
        let [start, end] = borders(&value)?;
        pieces = pieces.max(start.max(end) as usize + 1);
        let splitter = Splitter::read(&value["pre_tokenizer"])?;
        match (&model, splitter) {
            (Model::Unigram(_), Splitter::Metaspace { .. })
            | (Model::WordPiece(_), Splitter::Bert)
            | (Model::Bpe(_), Splitter::Bytes { .. }) => {}
            _ => {
                return Err(Error::unsupported(
                    "its model and its pre_tokenizer are a pair that is not known; known: Unigram with Metaspace, \
                     WordPiece with BertPreTokenizer, BPE with ByteLevel",
                ));
            }
        }
        Ok(Tokeniser {
            normaliser: Normaliser::read(&value["normalizer"])?,
            splitter,
            model,
            start,
            end,
            pieces,
        })
    }

    /// How many pieces there are: the largest number and one.
    pub fn pieces(&self) -> usize {
        self.pieces
    }

    /// The pieces before and after every sequence.
    pub fn borders(&self) -> [u32; 2] {
        [self.start, self.end]
    }

    /// The pieces of a text, without the borders.
    pub fn encode(&self, text: &str) -> Vec<Piece> {
        let mut out = Vec::new();
        let chars = self.normaliser.apply(text);
        self.splitter.split(&chars, |chars| self.cut(chars, &mut out));
        out
    }

    /// The pieces of one word of ours, which may be glued to the text before it. A word with nothing in it that
    /// the encoder knows is one unknown piece, so that no word is without; a very long one is read in its beginning.
    pub fn encode_word(&self, word: &str, glued: bool, out: &mut Vec<u32>) {
        let word = word.char_indices().nth(LONGEST_WORD).map_or(word, |(end, _)| &word[..end]);
        let from = out.len();
        let chars = self.normaliser.apply(word);
        let mut pieces = Vec::new();
        self.splitter.split_word(&chars, glued, |chars| self.cut(chars, &mut pieces));
        out.extend(pieces.iter().map(|p| p.id));
        if out.len() == from {
            out.push(self.unknown());
        }
    }

    fn unknown(&self) -> u32 {
        match &self.model {
            Model::Unigram(model) => model.unknown(),
            Model::WordPiece(model) => model.unknown(),
            Model::Bpe(model) => model.unknown().unwrap_or(self.end),
        }
    }

    fn cut(&self, chars: &[Char], out: &mut Vec<Piece>) {
        match &self.model {
            Model::Unigram(model) => model.cut(chars, out),
            Model::WordPiece(model) => model.cut(chars, out),
            Model::Bpe(model) => model.cut(chars, out),
        }
    }
}

/// Old files do not name their model.
fn guess(model: &Value) -> Option<&'static str> {
    if model.get("merges").is_some() {
        Some("BPE")
    } else if model["vocab"].is_array() {
        Some("Unigram")
    } else if model["vocab"].is_object() {
        Some("WordPiece")
    } else {
        None
    }
}

/// The numbers of the pieces that open and close a sequence.
fn borders(value: &Value) -> Result<[u32; 2], Error> {
    let post = &value["post_processor"];
    let pair = |key: &str| post[key][1].as_u64().map(|id| id as u32);
    if let (Some(cls), Some(sep)) = (pair("cls"), pair("sep")) {
        return Ok([cls, sep]);
    }
    let special = |entry: &Value| {
        let name = entry["SpecialToken"]["id"].as_str()?;
        post["special_tokens"][name]["ids"][0].as_u64().map(|id| id as u32)
    };
    let single = post["single"].as_array();
    let ends = single.and_then(|s| Some([special(s.first()?)?, special(s.last()?)?]));
    ends.ok_or_else(|| {
        Error::unsupported("its post_processor does not say what opens and closes a sequence; known: TemplateProcessing, BertProcessing, RobertaProcessing")
    })
}

/// A table from pieces to numbers, as word pieces and byte-pair encoding have it.
fn table(vocabulary: &Value) -> Result<(FxHashMap<Box<str>, u32>, usize), Error> {
    let entries = vocabulary.as_object().ok_or_else(|| Error::damaged("its vocabulary is no table"))?;
    let mut table = FxHashMap::default();
    let mut count = 0;
    for (piece, id) in entries {
        let id = id
            .as_u64()
            .filter(|&id| id < 1 << 24)
            .ok_or_else(|| Error::damaged("a piece of its vocabulary has no number"))?;
        count = count.max(id as usize + 1);
        table.insert(piece.as_str().into(), id as u32);
    }
    Ok((table, count))
}
