//! What is done with hostile inputs: one function for each parser and for the making of jobs. The fuzz
//! targets and `tests/fuzz_corpus.rs` share them. An entry returns if the input was refused or was
//! harmless, and panics if a promise is broken; that it takes little memory is the allocator's to
//! watch.

use super::mutation;
use serde_json::Value as Json;
use std::sync::LazyLock;
use unnorm::Job;
use unnorm::JobSpec;
use unnorm::data::{ParsedData, read_csv, read_npy};
use unnorm::linalg::{Batch, Block, transpose};
use unnorm::models::formula::FormulaSpec;
use unnorm::models::named_params::ParameterSpec;
use unnorm::run::Unfinished;
use unnorm::run::checkpoint::Checkpoint;
use unnorm::value::Value;

/// An entry.
pub struct Entry {
    /// Its name, that of its target and of its folder in `corpus`.
    pub name: &'static str,
    /// Tries an input.
    pub run: fn(&[u8]),
    /// Changes an input, by a seed.
    pub mutate: fn(&[u8], u64) -> Vec<u8>,
    /// The most memory that an input of up to [`MAX_INPUT`] bytes may ask for, in MiB. A job may
    /// take what the build with threads has.
    pub max_mebibytes: usize,
}

/// The longest input tried.
pub const MAX_INPUT: usize = 1 << 16;

/// All of them.
pub const ENTRIES: [Entry; 5] = [
    Entry { name: "formula", run: formula, mutate: mutation::bytes, max_mebibytes: 64 },
    Entry { name: "npy", run: npy, mutate: mutation::bytes, max_mebibytes: 64 },
    Entry { name: "csv", run: csv, mutate: mutation::bytes, max_mebibytes: 64 },
    Entry { name: "spec", run: spec, mutate: mutation::json, max_mebibytes: 1024 },
    Entry { name: "checkpoint", run: checkpoint, mutate: mutation::bytes, max_mebibytes: 1024 },
];

/// The entry of that name.
pub fn entry(name: &str) -> &'static Entry {
    ENTRIES.iter().find(|entry| entry.name == name).expect("an entry of that name")
}

/// A formula, then lines `name = number` for constants, `name ~ number` for parameters and `name` for
/// variables. What can be read has
/// the same energies state by state and in blocks, and is the same after a round trip.
fn formula(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let mut lines = text.split('\n');
    let expression = lines.next().unwrap_or_default().to_string();
    let mut spec = FormulaSpec {
        expression,
        variables: None,
        constants: Default::default(),
        params: Default::default(),
        binary: false,
        num_values: None,
        constraints: Vec::new(),
    };
    let number = |text: &str| text.trim().parse().unwrap_or(f64::NAN);
    for line in lines {
        match (line.split_once('='), line.split_once('~')) {
            (Some((name, value)), _) => {
                spec.constants.insert(name.trim().into(), number(value));
            }
            (None, Some((name, value))) => {
                let value = ParameterSpec::Free(number(value));
                spec.params.insert(name.trim().into(), value);
            }
            (None, None) => spec.variables.get_or_insert_default().push(line.into()),
        }
    }
    let Ok(model) = unnorm::models::ModelSpec::Formula(spec).build() else { return };
    let dim = model.dim();
    let width = 9;
    let places = [0.0, 1.0, -1.5, 0.3, 1e-300, 1e300, f64::INFINITY, -0.0, 40.0];
    let states: Vec<f64> =
        (0..dim * width).map(|at| places[(at * 7 + at / width) % places.len()]).collect();
    let mut energies = vec![0.0; width];
    model.energy(Batch::new(dim, &states), &mut energies);
    let mut columns = vec![0.0; states.len()];
    transpose(dim, width, &states, &mut columns);
    let (mut again, mut gradient) = (vec![0.0; width], vec![0.0; states.len()]);
    let differentiable = model.as_differentiable().expect("formulas have gradients");
    differentiable.energy_grad(Block::new(dim, &columns), &mut again, &mut gradient);
    assert_same(&energies, &again);
    let copy = model.spec().build().expect("its own spec");
    copy.energy(Batch::new(dim, &states), &mut again);
    assert_same(&energies, &again);
    if let Some(model) = model.as_score_gradient() {
        let (states, weights) = (Batch::new(dim, &states), [1.0; 9]);
        let mut part = vec![0.0; 1 + model.params().len()];
        model.accumulate_param_grad(states, &weights, &mut part[1..]);
        model.accumulate_score_grad(states, states, &weights, &mut part[1..]);
        model.accumulate_laplacian(states, &weights, &mut part);
    }
}

fn assert_same(a: &[f64], b: &[f64]) {
    for (a, b) in a.iter().zip(b) {
        assert!(a == b || a.is_nan() && b.is_nan(), "{a} and {b}");
    }
}

fn npy(input: &[u8]) {
    check_reading(read_npy(input).ok(), input.len());
}

fn csv(input: &[u8]) {
    check_reading(read_csv(input).ok(), input.len());
}

/// Every entry took a byte of the file or more, and what was read is what packed bits give.
fn check_reading(reading: Option<ParsedData>, len: usize) {
    let Some(ParsedData { rows, .. }) = reading else { return };
    assert!(rows.dim() * rows.num_rows() <= len);
    let again = unnorm::data::from_bits(rows.dim(), rows.num_rows(), &rows.to_bytes());
    assert_eq!(again.as_ref(), Ok(&rows));
}

/// A job's spec as JSON. What JSON has no word for is written `"NaN"`, `"Infinity"`, `"-Infinity"` and
/// `"-0"`, and `{"times": n, "of": value}` is an array.
fn spec(input: &[u8]) {
    let Ok(json) = serde_json::from_slice::<Json>(input) else { return };
    let is_small = largest(&json) <= 40.0;
    let Ok(spec) = JobSpec::from_value(tree(&json)) else { return };
    let Ok(mut job) = Job::new(spec, None, None) else { return };
    if is_small && work(&mut job, 3) {
        let checkpoint = job.snapshot();
        assert_eq!(Checkpoint::decode(&checkpoint).map(|it| it.encode()), Ok(checkpoint));
    }
}

/// The largest number of a spec, but for its seed: small jobs are worked too.
fn largest(json: &Json) -> f64 {
    match json {
        Json::Number(number) => number.as_f64().unwrap_or(f64::INFINITY).abs(),
        Json::Array(values) => values.iter().map(largest).fold(0.0, f64::max),
        Json::Object(fields) => fields
            .iter()
            .filter(|(name, _)| !matches!(name.as_str(), "seed" | "bits" | "pixels"))
            .map(|(_, value)| largest(value))
            .fold(0.0, f64::max),
        _ => 0.0,
    }
}

/// The tree as it comes over the boundary to JavaScript: arrays of numbers as such, packed bits as
/// bytes.
fn tree(json: &Json) -> Value {
    tree_within(json, &mut (1 << 21))
}

/// The same, with at most so many values that are written by `times`.
fn tree_within(json: &Json, room: &mut usize) -> Value {
    let number = |json: &Json| match json {
        Json::Number(number) => number.as_f64(),
        Json::String(text) => match text.as_str() {
            "NaN" | "Infinity" | "-Infinity" | "-0" => text.parse().ok(),
            _ => None,
        },
        _ => None,
    };
    if let Some(number) = number(json) {
        return Value::Number(number);
    }
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(_) => Value::Number(f64::NAN),
        Json::String(text) => Value::Text(text.clone()),
        Json::Array(values) => match values.iter().map(number).collect() {
            Some(numbers) => Value::Numbers(numbers),
            None => Value::List(values.iter().map(|value| tree_within(value, room)).collect()),
        },
        Json::Object(fields) => {
            if let (Some(Json::Number(times)), Some(of)) = (fields.get("times"), fields.get("of")) {
                let (value, cost) = (number(of), if number(of).is_some() { 1 } else { 256 });
                let times = times.as_u64().unwrap_or(0).min(*room as u64 / cost) as usize;
                *room -= times * cost as usize;
                return match value {
                    Some(value) => Value::Numbers(vec![value; times]),
                    None => Value::List((0..times).map(|_| tree_within(of, room)).collect()),
                };
            }
            let mut field = |(name, value): (&String, &Json)| {
                let bytes = matches!(name.as_str(), "bits" | "bytes" | "pixels");
                let value = match tree_within(value, room) {
                    Value::Numbers(numbers) if bytes => whole_bytes(numbers),
                    value => value,
                };
                (name.clone(), value)
            };
            Value::Fields(fields.iter().map(&mut field).collect())
        }
    }
}

fn whole_bytes(numbers: Vec<f64>) -> Value {
    let bytes: Option<Vec<u8>> = numbers
        .iter()
        .map(|&value| (value == f64::from(value as u8)).then_some(value as u8))
        .collect();
    bytes.map_or(Value::Numbers(numbers), Value::Bytes)
}

/// Works a job for some rounds, piece by piece; whether it came so far with few pieces.
fn work(job: &mut Job, max_rounds: usize) -> bool {
    let mut num_pieces = 0;
    for _ in 0..max_rounds {
        if job.is_done() {
            break;
        }
        if job.num_shards() > 8 {
            return false;
        }
        let broadcast = job.coordinator().broadcast();
        job.coordinator_mut().worker_mut().prepare(&broadcast);
        let mut parts = Vec::new();
        for shard in 0..job.num_shards() {
            let scattered = job.coordinator().scatter(shard);
            let mut unfinished = Unfinished::default();
            let part = loop {
                num_pieces += 1;
                if num_pieces > 32 {
                    return false;
                }
                let worker = job.coordinator().worker();
                if let Some(part) = worker.work_piece(shard, &scattered, &mut unfinished) {
                    break part;
                }
            };
            parts.push(part);
        }
        job.coordinator_mut().gather(&parts);
        job.progress_since(0);
    }
    if job.is_done() {
        assert!(job.result().is_some());
    }
    true
}

/// Small jobs of every verb and coordinator. Inputs name them by their place: add at the end.
static JOBS: LazyLock<Vec<Json>> =
    LazyLock::new(|| serde_json::from_str(include_str!("jobs.json")).expect("JSON"));

/// The spec of a job in the list.
fn job_spec(index: usize) -> JobSpec {
    JobSpec::from_value(tree(&JOBS[index])).expect("a sound spec")
}

/// Their checkpoints at the beginning, opened.
static ENVELOPES: LazyLock<Vec<Checkpoint>> = LazyLock::new(|| {
    let opened = |index| {
        let job = Job::new(job_spec(index), None, None).expect("a sound job");
        Checkpoint::decode(&job.snapshot()).expect("its own checkpoint")
    };
    (0..JOBS.len()).map(opened).collect()
});

/// The index of a job in one byte, then a state for it to go on from, in an envelope that is right;
/// from index 255 on, a whole checkpoint.
fn checkpoint(input: &[u8]) {
    let Some((&index, payload)) = input.split_first() else { return };
    if index == 255 {
        if let Ok(opened) = Checkpoint::decode(payload) {
            assert_eq!(opened.encode(), payload);
        }
        return;
    }
    let index = usize::from(index) % JOBS.len();
    let envelope = ENVELOPES[index].clone();
    let bytes = Checkpoint { payload: payload.into(), ..envelope }.encode();
    let Ok(mut job) = Job::new(job_spec(index), None, Some(&bytes)) else { return };
    job.progress_since(0);
    job.snapshot();
    work(&mut job, 3);
}

/// Inputs that are sound, from which the corpus was begun.
pub fn seeds(name: &str) -> Vec<Vec<u8>> {
    match name {
        "formula" => FormulaSpec::examples()
            .iter()
            .map(|spec| {
                let constants =
                    spec.constants.iter().map(|(name, value)| format!("\n{name} = {value}"));
                let params = spec.params.iter();
                let params = params.map(|(name, param)| format!("\n{name} ~ {}", param.value()));
                let variables = spec.variables.iter().flatten().map(|name| format!("\n{name}"));
                let rest: String = constants.chain(params).chain(variables).collect();
                (spec.expression.clone() + &rest).into_bytes()
            })
            .collect(),
        "npy" => ["|b1", "|u1", "|i1", "<i2", "<u4", "<i8", "<f4", "<f8", ">f8"]
            .iter()
            .enumerate()
            .map(|(at, descr)| mutation::npy(1 + at as u8 % 3, descr, at % 2 == 1, "(3, 4)"))
            .collect(),
        "csv" => [
            "0,1\n1,0\n",
            "a;b\r\n1;-1\r\n\r\n-1;1",
            "\u{feff}1\t0\n\"1\"\t1.0e+00",
            "1 0  1\n0 1 1\n",
        ]
        .iter()
        .map(|text| text.as_bytes().to_vec())
        .collect(),
        "spec" => JOBS.iter().map(|job| job.to_string().into_bytes()).collect(),
        "checkpoint" => (0..JOBS.len()).flat_map(snapshots).collect(),
        _ => Vec::new(),
    }
}

/// States of a job at its beginning and on its way.
fn snapshots(index: usize) -> Vec<Vec<u8>> {
    let mut job = Job::new(job_spec(index), None, None).expect("a sound job");
    let mut all: Vec<Vec<u8>> = Vec::new();
    for rounds in [0, 1, 2, 8] {
        job.advance(rounds);
        let payload = Checkpoint::decode(&job.snapshot()).expect("its own checkpoint").payload;
        let input = [&[index as u8], &payload[..]].concat();
        if all.last() != Some(&input) {
            all.push(input);
        }
    }
    all
}
