//! A published encoder: `config.json`, `tokenizer.json` and `model.safetensors` in one folder.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde_json::{Value, json};

use crate::safetensors::{Named, Tensors, write};
use crate::{Error, Shape, Tensor, Tokeniser, Weights};

/// The families whose files are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Family {
    /// Also MiniLM, which has BERT's shape.
    Bert,
    /// Also CamemBERT, XLM-R, and MiniLM in XLM-R's shape.
    Roberta,
    Flaubert,
}

impl Family {
    const KNOWN: &str = "bert, roberta, camembert, xlm-roberta, flaubert";

    fn of(name: &str) -> Result<Family, Error> {
        match name {
            "bert" => Ok(Family::Bert),
            "roberta" | "camembert" | "xlm-roberta" => Ok(Family::Roberta),
            "flaubert" => Ok(Family::Flaubert),
            other => {
                Err(Error::unsupported(format!("unknown model_type `{other}`; known: {}", Family::KNOWN))
                    .in_file("config.json"))
            }
        }
    }
}

/// Where the files of a model are.
#[derive(Clone, Copy, Debug)]
pub enum ModelFiles<'a> {
    Folder(&'a Path),
    /// Part of the program: names and contents.
    Embedded(&'static [(&'static str, &'static [u8])]),
}

impl ModelFiles<'_> {
    /// The content of a file.
    pub fn bytes(&self, name: &str) -> io::Result<Cow<'static, [u8]>> {
        match self {
            ModelFiles::Folder(folder) => fs::read(folder.join(name)).map(Cow::Owned),
            ModelFiles::Embedded(_) => self.embedded(name).map(Cow::Borrowed),
        }
    }

    /// The content of a file that is text.
    pub fn text(&self, name: &str) -> io::Result<Cow<'static, str>> {
        let no_text = |e: &dyn std::fmt::Display| io::Error::new(io::ErrorKind::InvalidData, e.to_string());
        match self.bytes(name)? {
            Cow::Owned(bytes) => String::from_utf8(bytes).map(Cow::Owned).map_err(|e| no_text(&e)),
            Cow::Borrowed(bytes) => std::str::from_utf8(bytes).map(Cow::Borrowed).map_err(|e| no_text(&e)),
        }
    }

    /// A file of tensors.
    pub fn tensors(&self, name: &str) -> Result<Tensors, Error> {
        match self {
            ModelFiles::Folder(folder) => Tensors::open(&folder.join(name)),
            ModelFiles::Embedded(_) => {
                let bytes = self.embedded(name).map_err(|e| Error::io(e.to_string(), e).in_file(name))?;
                Tensors::embedded(name, bytes)
            }
        }
    }

    fn embedded(&self, name: &str) -> io::Result<&'static [u8]> {
        let ModelFiles::Embedded(files) = self else { return Err(io::ErrorKind::NotFound.into()) };
        let found = files.iter().find(|(file, _)| *file == name);
        found.map(|(_, bytes)| *bytes).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

/// Reads an encoder's numbers and its tokeniser. Everything that does not fit together is refused.
pub fn read_folder(folder: &Path) -> Result<(Weights, Tokeniser), Error> {
    if !folder.is_dir() {
        let why = "no such folder; it must hold config.json, tokenizer.json and model.safetensors";
        return Err(Error::damaged(why).in_folder(folder));
    }
    if !folder.join("model.safetensors").is_file() {
        let why = "model.safetensors is missing; other formats of weights are not read";
        return Err(Error::damaged(why).in_folder(folder));
    }
    read_encoder(&ModelFiles::Folder(folder)).map_err(|error| error.in_folder(folder))
}

/// The same from wherever the files are.
pub fn read_encoder(files: &ModelFiles<'_>) -> Result<(Weights, Tokeniser), Error> {
    let text = |name: &str| files.text(name).map_err(|e| Error::io(format!("{name} cannot be read: {e}"), e));
    let config: Value = serde_json::from_str(&text("config.json")?)
        .map_err(|e| Error::damaged(format!("config.json is no JSON: {e}")))?;
    let config = Config::read(&config)?;
    let tokeniser = Tokeniser::parse(&text("tokenizer.json")?).map_err(|e| e.in_file("tokenizer.json"))?;
    if tokeniser.pieces() > config.shape.vocabulary {
        return Err(Error::damaged(format!(
            "tokenizer.json has {} pieces, but the model knows {}: they are not of the same encoder",
            tokeniser.pieces(),
            config.shape.vocabulary
        )));
    }
    let mut tensors = files.tensors("model.safetensors")?;
    let weights = config.weights(&mut tensors)?;
    Ok((weights, tokeniser))
}

struct Config {
    family: Family,
    shape: Shape,
    segments: usize,
}

impl Config {
    fn read(config: &Value) -> Result<Config, Error> {
        let name = config["model_type"].as_str().unwrap_or("");
        let family = Family::of(name)?;
        let flaubert = family == Family::Flaubert;
        let number = |key: &str, or: &str| {
            let value = config.get(key).or_else(|| config.get(or)).and_then(Value::as_u64);
            value.filter(|&v| v > 0 && v < 1 << 24).map(|v| v as usize).ok_or_else(|| {
                Error::damaged(format!("`{key}` is missing or no size")).in_file("config.json")
            })
        };
        let refuse = |what: &str| Err(Error::unsupported(what).in_file("config.json"));
        if flaubert {
            let yes = |key: &str| config[key].as_bool().unwrap_or(false);
            if yes("pre_norm") || !yes("gelu_activation") {
                return refuse("only FlauBERT with gelu_activation and without pre_norm is read");
            }
            if yes("sinusoidal_embeddings") || yes("causal") {
                return refuse("FlauBERT with sinusoidal_embeddings or causal attention is not read");
            }
        } else {
            if config["hidden_act"].as_str().unwrap_or("gelu") != "gelu" {
                return refuse("only the activation `gelu` is known");
            }
            if config["position_embedding_type"].as_str().unwrap_or("absolute") != "absolute" {
                return refuse("only absolute positions are known");
            }
        }
        let width = number("hidden_size", "emb_dim")?;
        let inner = if flaubert { 4 * width } else { number("intermediate_size", "")? };
        let shape = Shape {
            layers: number("num_hidden_layers", "n_layers")?,
            width,
            heads: number("num_attention_heads", "n_heads")?,
            inner,
            vocabulary: number("vocab_size", "n_words")?,
            positions: number("max_position_embeddings", "")?,
            first_position: match family {
                Family::Roberta => config["pad_token_id"].as_u64().unwrap_or(1) as usize + 1,
                _ => 0,
            },
            epsilon: config["layer_norm_eps"].as_f64().unwrap_or(1e-12) as f32,
        };
        if !shape.width.is_multiple_of(shape.heads) {
            return refuse("the width is no multiple of the number of heads");
        }
        if shape.positions < shape.first_position + 32 {
            return refuse("fewer than 32 positions");
        }
        let segments = if flaubert { 0 } else { config["type_vocab_size"].as_u64().unwrap_or(0) as usize };
        Ok(Config { family, shape, segments })
    }

    fn weights(&self, tensors: &mut Tensors) -> Result<Weights, Error> {
        let shape = self.shape;
        let (w, mut flat) = (shape.width, vec![0.0; shape.flat()]);
        let last = if self.family == Family::Flaubert { "attentions.0.q_lin.weight" } else { LAST };
        let prefix = tensors
            .names()
            .find_map(|name| name.strip_suffix(last))
            .ok_or_else(|| Error::damaged(format!("model.safetensors holds no tensor `{last}`")))?
            .to_owned();
        let names = Names { family: self.family, prefix };
        let mut read = |name: &str, dimensions: &[usize]| {
            let name = format!("{}{name}", names.prefix);
            // Older files call scale and shift otherwise.
            let old = name
                .replace("LayerNorm.weight", "LayerNorm.gamma")
                .replace("LayerNorm.bias", "LayerNorm.beta");
            let name = if tensors.has(&name) {
                name
            } else if tensors.has(&old) {
                old
            } else {
                name
            };
            tensors.read(&name, dimensions)
        };
        let [word, position, norm] = names.embeddings();
        let words = read(word, &[shape.vocabulary, w])?;
        let positions = read(position, &[shape.positions, w])?;
        for (range, part) in shape.embedding_norm().into_iter().zip(["weight", "bias"]) {
            flat[range].copy_from_slice(&read(&format!("{norm}.{part}"), &[w])?);
        }
        let segment = match self.segments {
            0 => vec![0.0; w],
            count => read("embeddings.token_type_embeddings.weight", &[count, w])?[..w].to_vec(),
        };
        for layer in 0..shape.layers {
            for (tensor, rows, columns) in shape.tensors() {
                let mut at = shape.place(layer, tensor).start;
                for name in names.layer(layer, tensor) {
                    let parts = if matches!(tensor, Tensor::QueryKeyValue) { 3 } else { 1 };
                    let values = match tensor {
                        Tensor::QueryKeyValueBias => read(&name, &[columns / 3])?,
                        tensor if tensor.is_matrix() => read(&name, &[rows / parts, columns])?,
                        _ => read(&name, &[columns])?,
                    };
                    flat[at..at + values.len()].copy_from_slice(&values);
                    at += values.len();
                }
            }
        }
        Ok(Weights { shape, words, positions, segment, flat })
    }
}

const LAST: &str = "encoder.layer.0.attention.self.query.weight";

struct Names {
    family: Family,
    prefix: String,
}

impl Names {
    fn embeddings(&self) -> [&'static str; 3] {
        match self.family {
            Family::Flaubert => ["embeddings.weight", "position_embeddings.weight", "layer_norm_emb"],
            _ => [
                "embeddings.word_embeddings.weight",
                "embeddings.position_embeddings.weight",
                "embeddings.LayerNorm",
            ],
        }
    }

    fn layer(&self, layer: usize, tensor: Tensor) -> Vec<String> {
        use Tensor::*;
        let (bases, part): (&[&str], _) = match (self.family, tensor) {
            (Family::Flaubert, QueryKeyValue | QueryKeyValueBias) => {
                (&["attentions.#.q_lin", "attentions.#.k_lin", "attentions.#.v_lin"], tensor)
            }
            (Family::Flaubert, Out | OutBias) => (&["attentions.#.out_lin"], tensor),
            (Family::Flaubert, MiddleScale | MiddleShift) => (&["layer_norm1.#"], tensor),
            (Family::Flaubert, Up | UpBias) => (&["ffns.#.lin1"], tensor),
            (Family::Flaubert, Down | DownBias) => (&["ffns.#.lin2"], tensor),
            (Family::Flaubert, EndScale | EndShift) => (&["layer_norm2.#"], tensor),
            (_, QueryKeyValue | QueryKeyValueBias) => (
                &[
                    "encoder.layer.#.attention.self.query",
                    "encoder.layer.#.attention.self.key",
                    "encoder.layer.#.attention.self.value",
                ],
                tensor,
            ),
            (_, Out | OutBias) => (&["encoder.layer.#.attention.output.dense"], tensor),
            (_, MiddleScale | MiddleShift) => (&["encoder.layer.#.attention.output.LayerNorm"], tensor),
            (_, Up | UpBias) => (&["encoder.layer.#.intermediate.dense"], tensor),
            (_, Down | DownBias) => (&["encoder.layer.#.output.dense"], tensor),
            (_, EndScale | EndShift) => (&["encoder.layer.#.output.LayerNorm"], tensor),
        };
        let part = match part {
            tensor if tensor.is_matrix() || matches!(tensor, MiddleScale | EndScale) => "weight",
            _ => "bias",
        };
        bases.iter().map(|base| format!("{}.{part}", base.replace('#', &layer.to_string()))).collect()
    }
}

/// Writes numbers in BERT's published format (RoBERTa's where positions begin later), with the tokeniser's file as
/// given. With `small`, matrices are stored as whole numbers of eight bits, which this crate reads back.
pub fn write_folder(folder: &Path, weights: &Weights, tokeniser: &str, small: bool) -> Result<(), Error> {
    let failed = |e: std::io::Error| Error::io(e.to_string(), e).in_folder(folder);
    let shape = weights.shape;
    fs::create_dir_all(folder).map_err(failed)?;
    let roberta = shape.first_position > 0;
    let config = json!({
        "architectures": [if roberta { "XLMRobertaModel" } else { "BertModel" }],
        "model_type": if roberta { "xlm-roberta" } else { "bert" },
        "hidden_size": shape.width,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "intermediate_size": shape.inner,
        "vocab_size": shape.vocabulary,
        "max_position_embeddings": shape.positions,
        "type_vocab_size": 1,
        "layer_norm_eps": f64::from(shape.epsilon),
        "hidden_act": "gelu",
        "pad_token_id": shape.first_position.saturating_sub(1),
    });
    fs::write(folder.join("config.json"), format!("{config:#}\n")).map_err(failed)?;
    fs::write(folder.join("tokenizer.json"), tokeniser).map_err(failed)?;
    let w = shape.width;
    let names = Names { family: Family::Bert, prefix: String::new() };
    let mut tensors = Vec::new();
    let mut put = |name: String, shape: Vec<usize>, values| {
        let small = small && shape.len() == 2 && shape[0] > 1;
        tensors.push(Named { name, shape, values, small });
    };
    let [word, position, norm] = names.embeddings();
    put(word.into(), vec![shape.vocabulary, w], weights.words.as_slice());
    put(position.into(), vec![shape.positions, w], &weights.positions);
    put("embeddings.token_type_embeddings.weight".into(), vec![1, w], &weights.segment);
    for (range, part) in shape.embedding_norm().into_iter().zip(["weight", "bias"]) {
        put(format!("{norm}.{part}"), vec![w], &weights.flat[range]);
    }
    for layer in 0..shape.layers {
        for (tensor, rows, columns) in shape.tensors() {
            let values = weights.tensor(layer, tensor);
            let names = names.layer(layer, tensor);
            let size = values.len() / names.len();
            for (name, values) in names.into_iter().zip(values.chunks_exact(size)) {
                let dimensions = match tensor.is_matrix() {
                    true => vec![values.len() / columns, columns],
                    false => vec![values.len()],
                };
                debug_assert!(rows * columns >= values.len());
                put(name, dimensions, values);
            }
        }
    }
    let file = File::create(folder.join("model.safetensors")).map_err(failed)?;
    let mut out = BufWriter::new(file);
    write(&mut out, &tensors).and_then(|()| out.flush()).map_err(failed)
}
