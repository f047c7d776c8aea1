//! NumPy's `.npy` files: magic, version, length of the header, a Python
//! dictionary `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`,
//! then the raw array (NEP 1). Versions 1 to 3; booleans, integers and floats,
//! little-endian, in C or Fortran order, two-dimensional.
//!
//! It is read here rather than by the crate `npyz`: that adds 258 kB to the wasm file (a grammar of
//! Python literals and big integers), this 5 kB. Tests read files written by `npyz`.

use super::packer::Packer;
use super::parsed::{ParsedData, check_size};
use crate::{Error, Result};

const FIELD: &str = "data.bytes";
const MAGIC: &[u8] = b"\x93NUMPY";

/// Reads a `.npy` file.
///
/// # Errors
/// [`Error::InvalidData`] or [`Error::TooLarge`], naming the place.
pub fn read_npy(bytes: &[u8]) -> Result<ParsedData> {
    let (header, array) = split(bytes)?;
    let header = Header::parse(header)?;
    let entry = Entry::of(&header.descr)?;
    let (num_rows, dim) = header.rows_and_dim()?;
    check_size(dim, num_rows)?;
    // No overflow: check_size bounds the product.
    let expected = num_rows as u64 * dim as u64 * entry.size as u64;
    if array.len() as u64 != expected {
        let problem = if (array.len() as u64) < expected {
            "is cut off"
        } else {
            "has something after its array"
        };
        return refuse(format!(
            "{problem}: its header promises {num_rows} × {dim} entries in {expected} bytes, and {} follow",
            array.len()
        ));
    }
    let mut packer = Packer::new(dim)?;
    let mut row = vec![0.0; dim];
    for r in 0..num_rows {
        for (c, value) in row.iter_mut().enumerate() {
            let at = if header.fortran_order { c * num_rows + r } else { r * dim + c };
            *value = (entry.read)(&array[at * entry.size..(at + 1) * entry.size]);
        }
        packer.push_row(&row, |c| (FIELD.into(), format!("row {r}, column {c}")))?;
    }
    packer.finish(FIELD)
}

fn refuse<T>(problem: impl Into<String>) -> Result<T> {
    Err(Error::data(FIELD, problem))
}

/// Splits a file into header text and raw array.
fn split(bytes: &[u8]) -> Result<(&[u8], &[u8])> {
    let Some(rest) = bytes.strip_prefix(MAGIC) else {
        return refuse("is not a NumPy .npy file: it does not begin with \\x93NUMPY");
    };
    let cut_off = "is cut off inside its header";
    let &[version, _minor, ref rest @ ..] = rest else { return refuse(cut_off) };
    let (len, rest) = match (version, rest) {
        (1, &[a, b, ref rest @ ..]) => (u32::from(u16::from_le_bytes([a, b])), rest),
        (2 | 3, &[a, b, c, d, ref rest @ ..]) => (u32::from_le_bytes([a, b, c, d]), rest),
        (1..=3, _) => return refuse(cut_off),
        _ => return refuse(format!("has .npy format version {version}; 1 to 3 are known")),
    };
    match rest.split_at_checked(len as usize) {
        Some(parts) => Ok(parts),
        None => refuse(cut_off),
    }
}

/// The format of an entry.
struct Entry {
    size: usize,
    read: fn(&[u8]) -> f64,
}

impl Entry {
    fn of(descr: &str) -> Result<Self> {
        macro_rules! entry {
            ($type:ty) => {{
                const SIZE: usize = size_of::<$type>();
                let read = |bytes: &[u8]| {
                    let mut array = [0; SIZE];
                    array.copy_from_slice(bytes);
                    <$type>::from_le_bytes(array) as f64
                };
                Ok(Self { size: SIZE, read })
            }};
        }
        match descr {
            "|b1" | "|u1" => entry!(u8),
            "|i1" => entry!(i8),
            "<u2" => entry!(u16),
            "<i2" => entry!(i16),
            "<u4" => entry!(u32),
            "<i4" => entry!(i32),
            "<u8" => entry!(u64),
            "<i8" => entry!(i64),
            "<f4" => entry!(f32),
            "<f8" => entry!(f64),
            _ => refuse(format!(
                "has entries of type `{descr}`; save booleans, integers or floats, for example with .astype(np.uint8)"
            )),
        }
    }
}

/// The contents of the dictionary.
struct Header {
    descr: String,
    fortran_order: bool,
    shape: Vec<u64>,
}

impl Header {
    fn parse(text: &[u8]) -> Result<Self> {
        let mut scanner = Scanner { rest: text };
        let (mut descr, mut fortran_order, mut shape) = (None, None, None);
        scanner.expect(b"{")?;
        while !scanner.token(b"}") {
            let key = scanner.string()?;
            scanner.expect(b":")?;
            match key {
                "descr" if scanner.token(b"[") => {
                    return refuse("is a structured array; save a plain two-dimensional one");
                }
                "descr" => descr = Some(scanner.string()?.to_owned()),
                "fortran_order" => fortran_order = Some(scanner.boolean()?),
                "shape" => shape = Some(scanner.tuple()?),
                _ => return not_numpys(),
            }
            if !scanner.token(b",") {
                scanner.expect(b"}")?;
                break;
            }
        }
        scanner.skip_space();
        match (descr, fortran_order, shape) {
            (Some(descr), Some(fortran_order), Some(shape)) if scanner.rest.is_empty() => {
                Ok(Self { descr, fortran_order, shape })
            }
            _ => not_numpys(),
        }
    }

    fn rows_and_dim(&self) -> Result<(usize, usize)> {
        match self.shape[..] {
            [rows, dim] => {
                if rows == 0 {
                    return Err(super::parsed::no_rows(FIELD));
                }
                if dim == 0 {
                    return refuse("has no columns; a state needs at least one bit");
                }
                // On 32 bits a larger size is refused as too large instead of wrapping around.
                Ok((
                    usize::try_from(rows).unwrap_or(usize::MAX),
                    usize::try_from(dim).unwrap_or(usize::MAX),
                ))
            }
            [n] => {
                refuse(format!("is one-dimensional with {n} entries; reshape it to (rows, dim)"))
            }
            _ => {
                let shape = &self.shape;
                refuse(format!(
                    "has {} dimensions, {shape:?}; reshape it to (rows, dim)",
                    shape.len()
                ))
            }
        }
    }
}

fn not_numpys<T>() -> Result<T> {
    refuse("has a header that is not NumPy's")
}

/// Reads, without recursion, the few Python literals that occur.
struct Scanner<'a> {
    rest: &'a [u8],
}

impl<'a> Scanner<'a> {
    fn skip_space(&mut self) {
        self.rest = self.rest.trim_ascii_start();
    }

    /// Takes `token` if it comes next.
    fn token(&mut self, token: &[u8]) -> bool {
        self.skip_space();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &[u8]) -> Result<()> {
        if self.token(token) { Ok(()) } else { not_numpys() }
    }

    fn string(&mut self) -> Result<&'a str> {
        let quote = if self.token(b"'") { b'\'' } else { b'"' };
        if quote == b'"' {
            self.expect(b"\"")?;
        }
        let Some(len) = self.rest.iter().position(|&byte| byte == quote) else {
            return not_numpys();
        };
        let (text, rest) = self.rest.split_at(len);
        self.rest = &rest[1..];
        std::str::from_utf8(text).or_else(|_| not_numpys())
    }

    fn boolean(&mut self) -> Result<bool> {
        if self.token(b"True") {
            return Ok(true);
        }
        self.expect(b"False").map(|()| false)
    }

    /// `()`, `(3,)`, `(3, 4)`, …
    fn tuple(&mut self) -> Result<Vec<u64>> {
        let mut values = Vec::new();
        self.expect(b"(")?;
        while !self.token(b")") {
            self.skip_space();
            let len = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let (digits, rest) = self.rest.split_at(len);
            self.rest = rest;
            match std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()) {
                Some(value) => values.push(value),
                None => return not_numpys(),
            }
            if !self.token(b",") {
                self.expect(b")")?;
                break;
            }
        }
        Ok(values)
    }
}
