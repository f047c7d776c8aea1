//! CSV files of 0 and 1, or of −1 and 1.
//!
//! The separator is the first of tab, semicolon, comma and space that occurs in the first line that
//! is not blank. That line is taken for names, and skipped, if none of its entries is a number.
//! Byte order mark, both line endings, blank lines, quotes and numbers like `1.0e+00` are accepted.
//! Positions in errors are lines and columns as an editor counts them, from 1.

use super::packer::{Packer, is_entry};
use super::parsed::ParsedData;
use crate::{Error, Result};

const FIELD: &str = "data.bytes";

/// Reads a CSV file.
///
/// # Errors
/// [`Error::InvalidData`] or [`Error::TooLarge`], naming line and column.
pub fn read_csv(bytes: &[u8]) -> Result<ParsedData> {
    let text = text_of(bytes)?;
    let separator = separator_of(text);
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(separator)
        .from_reader(text.as_bytes());
    let mut record = csv::StringRecord::new();
    let mut packer: Option<Packer> = None;
    let mut values = Vec::new();
    let mut is_first = true;
    loop {
        let start = reader.position().byte() as usize;
        let line = || line_of(text, start);
        match reader.read_record(&mut record) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => return Err(Error::data(FIELD, format!("line {}: {error}", line()))),
        }
        // Spaces may be repeated, also before and after the numbers.
        let entries =
            record.iter().map(str::trim).filter(|entry| separator != b' ' || !entry.is_empty());
        if record.iter().all(|entry| entry.trim().is_empty())
            && (record.len() <= 1 || separator == b' ')
        {
            continue;
        }
        if std::mem::take(&mut is_first)
            && entries.clone().all(|entry| entry.parse::<f64>().is_err())
        {
            continue;
        }
        values.clear();
        for (column, entry) in entries.enumerate() {
            match entry.parse::<f64>().ok().filter(|&value| is_entry(value)) {
                Some(value) => values.push(value),
                None => return Err(bad_entry(entry, line(), column + 1)),
            }
        }
        let packer = match &mut packer {
            Some(packer) => packer,
            empty => empty.insert(Packer::new(values.len())?),
        };
        if values.len() != packer.dim {
            return Err(Error::data(
                FIELD,
                format!(
                    "line {} has {} columns where the first row has {}; all rows must be equally long",
                    line(),
                    values.len(),
                    packer.dim
                ),
            ));
        }
        packer.push_row(&values, |column| {
            (FIELD.into(), format!("line {}, column {}", line(), column + 1))
        })?;
    }
    packer.ok_or_else(|| super::parsed::no_rows(FIELD))?.finish(FIELD)
}

/// The file as text, without its byte order mark.
fn text_of(bytes: &[u8]) -> Result<&str> {
    let refuse = |problem: &str| Err(Error::data(FIELD, problem));
    if bytes.starts_with(b"\x93NUMPY") {
        return refuse("is a NumPy file, not a CSV file; give it as data of kind `npy`");
    }
    if bytes.starts_with(b"PK\x03\x04") {
        return refuse(
            "is a ZIP archive (.npz and .xlsx are too), not a CSV file; save the table as CSV",
        );
    }
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return refuse("is UTF-16 text; save it as UTF-8");
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Ok(text),
        _ => refuse("is not text but something binary; a CSV file of 0 and 1 is needed"),
    }
}

fn separator_of(text: &str) -> u8 {
    let line = text.split(['\n', '\r']).map(str::trim).find(|line| !line.is_empty()).unwrap_or("");
    *b"\t;, ".iter().find(|&&separator| line.contains(char::from(separator))).unwrap_or(&b',')
}

/// The line on which the record starts that was read from byte `start`; `start` may precede the end
/// of the previous line and blank lines.
fn line_of(text: &str, start: usize) -> usize {
    let blank = text[start..].bytes().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    let before = &text.as_bytes()[..start + blank];
    let ends = (0..before.len()).filter(|&at| {
        before[at] == b'\n' || before[at] == b'\r' && before.get(at + 1) != Some(&b'\n')
    });
    1 + ends.count()
}

fn bad_entry(entry: &str, line: usize, column: usize) -> Error {
    let mut shown: String = entry.chars().take(20).filter(|c| !c.is_control()).collect();
    if shown.len() < entry.len() {
        shown.push('…');
    }
    let what = match entry {
        "" => "is empty".into(),
        _ => format!("is `{shown}`"),
    };
    let hint = match entry.len() > 1 && entry.bytes().all(|byte| matches!(byte, b'0' | b'1')) {
        true => "; separate the entries with commas",
        false => "",
    };
    Error::data(
        FIELD,
        format!(
            "line {line}, column {column} {what}; every entry must be 0 or 1, or of spins −1 or 1{hint}"
        ),
    )
}
