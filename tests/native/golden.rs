//! Golden digests: the jobs in `tests/golden/*.json` give, to the last bit,
//! what they gave when the digest was written down. Tests in Node and in a
//! browser read the same files, so all agree with one another.
//!
//! A file holds `{ title, spec, digest }`; `data` in a spec has its bytes as
//! `base64`, or in a `file` named from the root of the repository.
//!
//! Where a change of the numbers is meant, write them anew and say so in the
//! change log:
//!
//!     UPDATE_GOLDEN=1 cargo test --test native golden::
//!
//! `GOLDEN_FOLDER` names another folder of such files: `npm run matrix` has the
//! digests of other seeds written in one.

use crate::common::{finished, job_of};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn files() -> Vec<PathBuf> {
    let folder = std::env::var_os("GOLDEN_FOLDER").unwrap_or("tests/golden".into());
    let entries = std::fs::read_dir(folder).expect("the folder");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

/// A golden file.
pub fn read(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).expect("a file")).expect("JSON")
}

fn from_base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    let (mut bits, mut num_bits) = (0u32, 0);
    for digit in text.trim_end_matches('=').bytes() {
        let value = DIGITS.iter().position(|&known| known == digit).expect("a digit");
        bits = bits << 6 | value as u32;
        num_bits += 6;
        if num_bits >= 8 {
            num_bits -= 8;
            bytes.push((bits >> num_bits) as u8);
        }
    }
    bytes
}

/// Puts the bytes in place of `base64` or `file`, wherever there are data.
pub fn fill_bits(value: &mut Value) {
    let Some(fields) = value.as_object_mut() else { return };
    let bytes = match (fields.remove("base64"), fields.remove("file")) {
        (Some(Value::String(text)), None) => Some(from_base64(&text)),
        (None, Some(Value::String(file))) => Some(std::fs::read(file).expect("the data")),
        _ => None,
    };
    if let Some(bytes) = bytes {
        fields.insert("bits".into(), bytes.into());
    }
    fields.values_mut().for_each(fill_bits);
}

fn digest_of(golden: &Value) -> String {
    let mut spec = golden["spec"].clone();
    fill_bits(&mut spec);
    finished(job_of(&spec, None).expect("a sound job")).digest().to_owned()
}

#[test]
fn digests_are_what_they_were() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut differing = Vec::new();
    assert!(files().len() >= 6, "files are missing from tests/golden");
    for path in files() {
        let golden = read(&path);
        let digest = digest_of(&golden);
        if golden["digest"] == digest.as_str() {
            continue;
        }
        if update {
            let line = |digest: &Value| format!("\"digest\": {digest}");
            let text = std::fs::read_to_string(&path).expect("a file");
            let text = text.replace(&line(&golden["digest"]), &line(&digest.into()));
            std::fs::write(&path, text).expect("written");
        } else {
            differing.push(format!("{}: {digest}, not {}", path.display(), golden["digest"]));
        }
    }
    assert!(differing.is_empty(), "other numbers than before:\n{}", differing.join("\n"));
}
