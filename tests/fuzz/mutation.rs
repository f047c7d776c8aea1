//! Changes of inputs, by a seed: of bytes anywhere, of JSON in its tree.

use serde_json::{Value as Json, json};
use std::sync::LazyLock;

/// A stream of numbers from a seed, SplitMix64.
pub struct Stream(u64);

impl Stream {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `end`, or 0 if that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

/// Words that parsers stumble over.
const WORDS: [&str; 32] = [
    "0",
    "-1",
    "1e999",
    "9007199254740993",
    "18446744073709551615",
    "4294967296",
    "1e-320",
    "NaN",
    "inf",
    "(",
    ")",
    ",",
    ";",
    "\t",
    "\n",
    "\"",
    "'",
    "{",
    "}",
    "[",
    "\0",
    "\u{feff}",
    "π",
    "^",
    "*",
    "exp(",
    "max(",
    "-",
    "\r",
    "True",
    "<f8",
    "\u{1}\u{7f}",
];

/// Some changes of the bytes.
pub fn bytes(input: &[u8], seed: u64) -> Vec<u8> {
    let mut stream = Stream::new(seed);
    let mut bytes = input.to_vec();
    for _ in 0..=stream.below(4) {
        let at = stream.below(bytes.len() + 1);
        let end = at + stream.below((bytes.len() - at).min(16) + 1);
        match stream.below(8) {
            0 if at < bytes.len() => bytes[at] ^= 1 << stream.below(8),
            1 if at < bytes.len() => bytes[at] = [0, 1, 0x7f, 0x80, 0xfe, 0xff][stream.below(6)],
            2 => drop(bytes.drain(at..end)),
            3 => bytes.truncate(at),
            4 => {
                let word = WORDS[stream.below(WORDS.len())];
                bytes.splice(at..at, word.bytes());
            }
            5 => {
                let copies = bytes[at..end].repeat(1 + stream.below(200));
                bytes.splice(at..at, copies);
            }
            6 => {
                // A length of a million million million, as it is written in checkpoints.
                let varint = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0x01];
                bytes.splice(at..end, varint[stream.below(9)..].iter().copied());
            }
            _ if at < bytes.len() => bytes[at] = stream.below(256) as u8,
            _ => {}
        }
    }
    bytes.truncate(super::entries::MAX_INPUT);
    bytes
}

/// Some changes of the tree, if the bytes are JSON, else of the bytes.
pub fn json(input: &[u8], seed: u64) -> Vec<u8> {
    let Ok(mut tree) = serde_json::from_slice::<Json>(input) else { return bytes(input, seed) };
    let mut stream = Stream::new(seed);
    for _ in 0..=stream.below(3) {
        let count = count(&tree);
        let mut at = stream.below(count);
        change(&mut tree, &mut at, &mut stream);
    }
    tree.to_string().into_bytes()
}

/// The number of places in a tree: fields and entries, of an array of numbers a few.
fn count(tree: &Json) -> usize {
    1 + match tree {
        Json::Array(values) => values.iter().take(8).map(count).sum(),
        Json::Object(fields) => fields.values().map(count).sum::<usize>(),
        _ => 0,
    }
}

/// Changes the place `at`, counted from the root.
fn change(tree: &mut Json, at: &mut usize, stream: &mut Stream) -> bool {
    if *at == 0 {
        change_here(tree, stream);
        return true;
    }
    *at -= 1;
    match tree {
        Json::Array(values) => values.iter_mut().take(8).any(|value| change(value, at, stream)),
        Json::Object(fields) => fields.values_mut().any(|value| change(value, at, stream)),
        _ => false,
    }
}

fn change_here(tree: &mut Json, stream: &mut Stream) {
    match (tree, stream.below(4)) {
        (Json::Object(fields), 0) if !fields.is_empty() => {
            let names: Vec<_> = fields.keys().cloned().collect();
            fields.remove(&names[stream.below(names.len())]);
        }
        (Json::Object(fields), 1 | 2) => {
            let name = FIELDS[stream.below(FIELDS.len())];
            fields.insert(name.into(), value(stream));
        }
        (Json::Array(values), 0) => drop(values.pop()),
        (Json::Array(values), 1) => values.push(value(stream)),
        (Json::Array(values), 2) => {
            let times = [0, 1, 2, 7, 70][stream.below(5)];
            *values = values.iter().cycle().take(values.len().min(64) * times).cloned().collect();
        }
        (Json::Number(number), 0 | 1) => {
            let old = number.as_f64().unwrap_or(0.0);
            let new =
                [old + 1.0, old - 1.0, -old, old * 2.0, old * 1000.0, old / 3.0][stream.below(6)];
            *number = match new {
                whole if whole.trunc() == whole && whole.abs() < 9e15 => (whole as i64).into(),
                other => serde_json::Number::from_f64(other).unwrap_or(0.into()),
            };
        }
        (tree, _) => *tree = value(stream),
    }
}

/// A value that is right in few places.
fn value(stream: &mut Stream) -> Json {
    match stream.below(10) {
        0..3 => {
            let numbers: [f64; 20] = [
                0.0,
                1.0,
                2.0,
                3.0,
                0.5,
                -1.0,
                16.0,
                64.0,
                1023.0,
                4096.0,
                4097.0,
                65536.0,
                1048576.0,
                1e9,
                4294967296.0,
                9007199254740991.0,
                9007199254740992.0,
                1e300,
                1e-300,
                -1e300,
            ];
            let number = numbers[stream.below(numbers.len())];
            if number.fract() == 0.0 && number.abs() < 1e16 {
                json!(number as i64)
            } else {
                json!(number)
            }
        }
        3 => json!(["NaN", "Infinity", "-Infinity", "-0"][stream.below(4)]),
        4..7 => json!({ "kind": KINDS[stream.below(KINDS.len())] }),
        7 => {
            let times = [1, 6, 36, 1023, 1024, 5000, 1_000_000][stream.below(7)];
            json!({ "times": times, "of": value_of(stream) })
        }
        8 => [json!(null), json!(true), json!([]), json!({}), json!(""), json!([[]]), json!("x")]
            [stream.below(7)]
        .clone(),
        _ => json!(KINDS[stream.below(KINDS.len())]),
    }
}

fn value_of(stream: &mut Stream) -> Json {
    [json!(0), json!(1), json!(0.5), json!("NaN"), json!(1e300), json!([0, 1])][stream.below(6)]
        .clone()
}

/// A NumPy file of the digits 0 and 1, more of them than most shapes need.
pub fn npy(version: u8, descr: &str, fortran_order: bool, shape: &str) -> Vec<u8> {
    let order = if fortran_order { "True" } else { "False" };
    let header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
    let size: usize = descr[2..].parse().unwrap_or(1);
    let one: &[u8] = match descr {
        "<f4" => &1f32.to_le_bytes(),
        "<f8" => &1f64.to_le_bytes(),
        _ => &1u64.to_le_bytes()[..size],
    };
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    match version {
        1 => bytes.extend((header.len() as u16).to_le_bytes()),
        _ => bytes.extend((header.len() as u32).to_le_bytes()),
    }
    bytes.extend(header.bytes());
    for at in 0..12 {
        if at % 3 == 0 { bytes.extend(one) } else { bytes.resize(bytes.len() + size, 0) }
    }
    bytes
}

/// Names of fields and kinds of many specs, from the dictionary that libFuzzer is given too.
static FIELDS: LazyLock<Vec<&str>> = LazyLock::new(|| words("field"));
static KINDS: LazyLock<Vec<&str>> = LazyLock::new(|| words("kind"));

fn words(what: &str) -> Vec<&'static str> {
    let line = |line: &'static str| line.strip_prefix(what)?.strip_prefix("=\"")?.strip_suffix('"');
    include_str!("spec.dict").lines().filter_map(line).collect()
}
