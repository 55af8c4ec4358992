//! The safetensors format: a header that says where each tensor lies, and the numbers.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::Error;

/// A header beyond this is no header.
const LONGEST_HEADER: u64 = 64 << 20;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [u64; 2],
}

/// Bytes that can be read from any place.
trait SeekableBytes: Read + Seek + Send {}

impl<T: Read + Seek + Send> SeekableBytes for T {}

/// An open file; tensors are read one by one.
pub struct Tensors {
    path: PathBuf,
    file: Box<dyn SeekableBytes>,
    start: u64,
    entries: BTreeMap<String, Entry>,
}

impl std::fmt::Debug for Tensors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tensors").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Tensors {
    pub fn open(path: &Path) -> Result<Tensors, Error> {
        let failed = |e: io::Error| Error::io(e.to_string(), e).in_file(path);
        let file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        Tensors::read_header(path, Box::new(file), length)
    }

    /// A file that is part of the program; errors call it by this name.
    pub fn embedded(name: &str, bytes: &'static [u8]) -> Result<Tensors, Error> {
        Tensors::read_header(Path::new(name), Box::new(io::Cursor::new(bytes)), bytes.len() as u64)
    }

    fn read_header(path: &Path, mut file: Box<dyn SeekableBytes>, length: u64) -> Result<Tensors, Error> {
        let failed = |e: io::Error| Error::io(e.to_string(), e).in_file(path);
        let damaged = |why: &str| Error::damaged(why).in_file(path);
        let mut size = [0; 8];
        file.read_exact(&mut size).map_err(|_| damaged("too short for a safetensors file"))?;
        let size = u64::from_le_bytes(size);
        if size > LONGEST_HEADER || size + 8 > length {
            return Err(damaged("not a safetensors file, or cut short"));
        }
        let mut header = vec![0; size as usize];
        file.read_exact(&mut header).map_err(failed)?;
        let header: BTreeMap<String, serde_json::Value> = serde_json::from_slice(&header)
            .map_err(|e| damaged(&format!("its header does not read: {e}")))?;
        let mut entries = BTreeMap::new();
        for (name, value) in header.into_iter().filter(|(name, _)| name != "__metadata__") {
            let entry: Entry = serde_json::from_value(value)
                .map_err(|e| damaged(&format!("the entry of tensor `{name}` does not read: {e}")))?;
            let [from, to] = entry.data_offsets;
            if from > to || to > length - 8 - size {
                return Err(damaged(&format!(
                    "tensor `{name}` lies beyond the end of the file: it is cut short"
                )));
            }
            entries.insert(name, entry);
        }
        Ok(Tensors { path: path.to_owned(), file, start: 8 + size, entries })
    }

    fn damaged(&self, why: impl Into<String>) -> Error {
        Error::damaged(why).in_file(&self.path)
    }

    /// The names of the tensors, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    pub fn has(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    pub fn shape(&self, name: &str) -> Option<&[usize]> {
        self.entries.get(name).map(|e| e.shape.as_slice())
    }

    /// A tensor of this shape as `f32`, every number finite.
    pub fn read(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, Error> {
        let Some(entry) = self.entries.get(name).cloned() else {
            return Err(self.damaged(format!("tensor `{name}` is missing")));
        };
        if entry.shape != shape {
            return Err(self.damaged(format!(
                "tensor `{name}` has the shape {:?}, but the configuration asks for {shape:?}",
                entry.shape
            )));
        }
        let count: usize = shape.iter().product();
        let size = match entry.dtype.as_str() {
            "F32" => 4,
            "F16" | "BF16" => 2,
            "I8" => 1,
            other => {
                return Err(Error::unsupported(format!(
                    "tensor `{name}` is of type {other}; known: F32, F16, BF16, and I8 with a scale"
                ))
                .in_file(&self.path));
            }
        };
        if entry.data_offsets[1] - entry.data_offsets[0] != (count * size) as u64 {
            return Err(self.damaged(format!("tensor `{name}` does not fill its place")));
        }
        let mut bytes = vec![0; count * size];
        let from = self.start + entry.data_offsets[0];
        let read = self.file.seek(SeekFrom::Start(from)).and_then(|_| self.file.read_exact(&mut bytes));
        read.map_err(|e| Error::io(e.to_string(), e).in_file(&self.path))?;
        let values: Vec<f32> = match entry.dtype.as_str() {
            "F32" => bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect(),
            "F16" => bytes.as_chunks().0.iter().map(|b| half(u16::from_le_bytes(*b))).collect(),
            "BF16" => bytes.as_chunks().0.iter().map(|&[a, b]| f32::from_le_bytes([0, 0, a, b])).collect(),
            _ => self.scaled(name, &bytes, shape)?,
        };
        match values.iter().all(|v| v.is_finite()) {
            true => Ok(values),
            false => {
                Err(self.damaged(format!("tensor `{name}` holds a number that is none (NaN or infinite)")))
            }
        }
    }

    /// Whole numbers with one scale for each row.
    fn scaled(&mut self, name: &str, bytes: &[u8], shape: &[usize]) -> Result<Vec<f32>, Error> {
        let rows = shape.first().copied().unwrap_or(1);
        let scales = self.read(&format!("{name}.scale"), &[rows])?;
        let width = (bytes.len() / rows.max(1)).max(1);
        let mut out = Vec::with_capacity(bytes.len());
        for (row, scale) in bytes.chunks_exact(width).zip(scales) {
            out.extend(row.iter().map(|&b| f32::from(b as i8) * scale));
        }
        Ok(out)
    }
}

/// A 16-bit float.
fn half(bits: u16) -> f32 {
    let (sign, exponent, fraction) = (u32::from(bits >> 15) << 31, bits >> 10 & 31, u32::from(bits & 1023));
    match exponent {
        0 => {
            let small = fraction as f32 / 16_777_216.0;
            if sign == 0 { small } else { -small }
        }
        31 => f32::from_bits(sign | 0x7f80_0000 | fraction << 13),
        _ => f32::from_bits(sign | (u32::from(exponent) + 112) << 23 | fraction << 13),
    }
}

/// A tensor to be written.
#[derive(Clone, Debug)]
pub struct Named<'a> {
    pub name: String,
    pub shape: Vec<usize>,
    pub values: &'a [f32],
    /// As whole numbers of eight bits with one scale for each row, in a quarter of the space.
    pub small: bool,
}

/// Writes tensors in the order given.
pub fn write(out: &mut dyn Write, tensors: &[Named<'_>]) -> std::io::Result<()> {
    let mut header: BTreeMap<String, Entry> = BTreeMap::new();
    let mut at = 0;
    let mut put = |name: String, dtype: &str, shape: Vec<usize>, size: u64| {
        let data_offsets = [at, at + size];
        header.insert(name, Entry { dtype: dtype.into(), shape, data_offsets });
        at += size;
    };
    for t in tensors {
        let count = t.values.len() as u64;
        if t.small {
            let rows = t.shape.first().copied().unwrap_or(1);
            put(format!("{}.scale", t.name), "F32", vec![rows], rows as u64 * 4);
            put(t.name.clone(), "I8", t.shape.clone(), count);
        } else {
            put(t.name.clone(), "F32", t.shape.clone(), count * 4);
        }
    }
    let mut header = serde_json::to_vec(&header)?;
    header.resize(header.len().next_multiple_of(8), b' ');
    out.write_all(&(header.len() as u64).to_le_bytes())?;
    out.write_all(&header)?;
    for t in tensors {
        let mut bytes = Vec::with_capacity(t.values.len() * 4);
        if !t.small {
            t.values.iter().for_each(|v| bytes.extend(v.to_le_bytes()));
            out.write_all(&bytes)?;
            continue;
        }
        let width = (t.values.len() / t.shape.first().copied().unwrap_or(1).max(1)).max(1);
        let scales: Vec<f32> = t
            .values
            .chunks_exact(width)
            .map(|row| row.iter().fold(0.0f32, |a, v| a.max(v.abs())) / 127.0)
            .collect();
        scales.iter().for_each(|s| bytes.extend(s.to_le_bytes()));
        for (row, scale) in t.values.chunks_exact(width).zip(scales) {
            let unit = if scale > 0.0 { 1.0 / scale } else { 0.0 };
            bytes.extend(row.iter().map(|v| (v * unit).round() as i8 as u8));
        }
        out.write_all(&bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(bytes: &[u8]) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        file
    }

    #[test]
    fn tensors_come_back_and_small_ones_nearly() {
        let values: Vec<f32> = (0..12).map(|i| i as f32 * 0.5 - 3.0).collect();
        let named =
            |name: &str, small| Named { name: name.into(), shape: vec![3, 4], values: &values, small };
        let mut bytes = Vec::new();
        write(&mut bytes, &[named("a", false), named("b", true)]).unwrap();
        let file = file(&bytes);
        let mut tensors = Tensors::open(file.path()).unwrap();
        assert_eq!(tensors.read("a", &[3, 4]).unwrap(), values);
        let near = tensors.read("b", &[3, 4]).unwrap();
        assert!(near.iter().zip(&values).all(|(a, b)| (a - b).abs() < 0.02), "{near:?}");
        assert!(tensors.read("a", &[4, 3]).unwrap_err().to_string().contains("asks for [4, 3]"));
        assert!(tensors.read("c", &[1]).unwrap_err().to_string().contains("`c` is missing"));
    }

    #[test]
    fn halves_are_read() {
        for (bits, value) in [(0x3c00, 1.0), (0xc000, -2.0), (0x3555, 0.333_251_95), (0x0001, 5.960_464_5e-8)]
        {
            assert_eq!(half(bits), value);
        }
        assert!(half(0x7e00).is_nan());
    }

    #[test]
    fn bad_files_are_refused() {
        let mut bytes = Vec::new();
        let values = [1.0, f32::NAN];
        write(&mut bytes, &[Named { name: "a".into(), shape: vec![2], values: &values, small: false }])
            .unwrap();
        let whole = file(&bytes);
        let message = Tensors::open(whole.path()).unwrap().read("a", &[2]).unwrap_err().to_string();
        assert!(message.contains("tensor `a` holds a number that is none"), "{message}");
        let cut = file(&bytes[..bytes.len() - 1]);
        assert!(Tensors::open(cut.path()).unwrap_err().to_string().contains("cut short"));
        assert!(Tensors::open(file(b"PK").path()).unwrap_err().to_string().contains("too short"));
        assert!(
            Tensors::open(file(&[255; 64]).path()).unwrap_err().to_string().contains("not a safetensors")
        );
    }
}
