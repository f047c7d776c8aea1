//! The native player of `npm run bench` (`tests/bench/run.mjs`), one thread.
//!
//! `cargo bench --bench kernels` prints how long the kernels take that have no
//! peer elsewhere, and what the machine can do. With `--serve` it reads a line
//! of JSON a request and answers each with a line:
//!
//! - `{ "kind": "evaluate", "spec", "seconds" }`: evaluations of a fit's objective
//!   and gradient at its start, for about so long: `{ "milliseconds": […],
//!   "objective" }`. One is all shards of a round, prepared and worked, without
//!   adding them up.
//! - `{ "kind": "fit", "spec" }`: a whole fit: `{ "milliseconds": [one],
//!   "objective", "numEvaluations" }`.
//! - `{ "kind": "sample", "spec" }`: all draws of a job on ℝᴰ: `{ "milliseconds":
//!   [one], "acceptance", "digest" }`.
//! - `{ "kind": "logZ", "spec" }`: a whole estimate on ℝᴰ: `{ "milliseconds": [one],
//!   "logZ", "meanLogWeight", "exactLogZ", "digest" }`, the first two of forward runs.
//! - `{ "kind": "memorize", "spec" }`: a whole memory: `{ "milliseconds": [one],
//!   "numStored", "digest" }`.
//! - `{ "kind": "limits" }`: the rates of [`limits`].
//! - `{ "kind": "groups", "spec" }`: how the data of a densely coupled Ising model
//!   are grouped: `{ "numGroups", "numEntries" }`.

// Benches are where clocks belong.
#![allow(clippy::disallowed_types)]

mod limits;

use serde_json::{Value, json};
use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::Instant;
use unnorm::Job;
use unnorm::JobSpec;
use unnorm::bits::fill_random;
use unnorm::bits::{BitMatrix, ColumnGroups};
use unnorm::exact;
use unnorm::models::ising::{IsingSpec, Pattern};
use unnorm::rng::{Purpose, stream};
use unnorm::sample::Transition;
use unnorm::sample::gibbs::Gibbs;
use unnorm::sample::{SampleOutput, SampleResult};
use unnorm::{JobResult, Progress};

fn main() {
    if !std::env::args().any(|arg| arg == "--serve") {
        return print_all();
    }
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line.expect("a line")).expect("a request");
        writeln!(out, "{}", answer(&request)).and_then(|()| out.flush()).expect("a reader");
    }
}

fn answer(request: &Value) -> Value {
    match request["kind"].as_str().expect("a kind") {
        "evaluate" => evaluate(request),
        "fit" => fit(request),
        "sample" => sample(request),
        "logZ" => log_z(request),
        "memorize" => memorize(request),
        "limits" => json!(limits::measure()),
        "groups" => {
            let (_, rows) = spec_and_rows(request);
            let groups = ColumnGroups::suited(rows.as_batch());
            json!({ "numGroups": groups.num_groups(), "numEntries": groups.num_entries() })
        }
        other => panic!("no such request: {other}"),
    }
}

/// The spec, and the rows its `data` names: a file of bits of which some may be used.
fn spec_and_rows(request: &Value) -> (JobSpec, BitMatrix) {
    let mut spec = request["spec"].clone();
    let data = spec.as_object_mut().and_then(|spec| spec.remove("data")).expect("data");
    let number = |name: &str| data[name].as_u64().expect("a count") as usize;
    let (dim, num_rows) = (number("dim"), number("numRows"));
    let bytes = std::fs::read(data["file"].as_str().expect("a file")).expect("the data set");
    let used = &bytes[..num_rows * dim.div_ceil(8)];
    let rows = unnorm::data::from_bits(dim, num_rows, used).expect("sound data");
    let tree = serde_json::from_value(spec).expect("a tree");
    (JobSpec::from_value(tree).expect("a sound spec"), rows)
}

fn job_of(request: &Value) -> Job {
    let (spec, rows) = spec_and_rows(request);
    Job::new(spec, Some(rows), None).expect("a sound job")
}

fn milliseconds(action: impl FnOnce()) -> f64 {
    let start = Instant::now();
    action();
    start.elapsed().as_secs_f64() * 1e3
}

/// Times an action again and again for about so many seconds, at least once, after a first time
/// that does not count.
fn repeat(seconds: f64, mut action: impl FnMut()) -> Vec<f64> {
    action();
    let start = Instant::now();
    let mut times = Vec::new();
    while times.is_empty() || start.elapsed().as_secs_f64() < seconds {
        times.push(milliseconds(&mut action));
    }
    times
}

fn evaluate(request: &Value) -> Value {
    let mut job = job_of(request);
    let mut parts = Vec::new();
    let times = repeat(request["seconds"].as_f64().expect("seconds"), || {
        let broadcast = job.coordinator().broadcast();
        job.coordinator_mut().worker_mut().prepare(&broadcast);
        let worker = job.coordinator().worker();
        parts = (0..worker.num_shards()).map(|shard| worker.work(shard, &[])).collect();
    });
    job.coordinator_mut().gather(&parts);
    let Progress::Fit(progress) = job.progress() else { panic!("a fit") };
    json!({ "milliseconds": times, "objective": progress.objective })
}

fn fit(request: &Value) -> Value {
    let (spec, rows) = spec_and_rows(request);
    let mut progress = None;
    let time = milliseconds(|| {
        let mut job = Job::new(spec, Some(rows), None).expect("a sound job");
        job.advance(usize::MAX);
        progress = Some(job.progress());
    });
    let Some(Progress::Fit(progress)) = progress else { panic!("a fit") };
    json!({
        "milliseconds": [time],
        "objective": progress.objective,
        "numEvaluations": progress.num_evaluations,
    })
}

/// A whole job without data, and the milliseconds it took.
fn whole(request: &Value) -> (f64, JobResult) {
    let mut result = None;
    let time = milliseconds(|| {
        let tree = serde_json::from_value(request["spec"].clone()).expect("a tree");
        let spec = JobSpec::from_value(tree).expect("a sound spec");
        let mut job = Job::new(spec, None, None).expect("a sound job");
        job.advance(usize::MAX);
        result = job.result();
    });
    (time, result.expect("the job is done"))
}

fn log_z(request: &Value) -> Value {
    let (time, JobResult::LogZ(result)) = whole(request) else { panic!("an estimate") };
    json!({
        "milliseconds": [time],
        "logZ": result.forward.log_z.value,
        "meanLogWeight": result.forward.mean_log_weight,
        "exactLogZ": result.exact_log_z,
        "digest": result.digest,
    })
}

fn sample(request: &Value) -> Value {
    let (time, JobResult::Sample(output)) = whole(request) else { panic!("draws") };
    let result = match output {
        SampleOutput::Reals(result) => result,
        SampleOutput::Latent(result) => {
            return json!({ "milliseconds": [time], "digest": result.digest });
        }
        SampleOutput::Bits(SampleResult { draws, digest, .. }) => {
            let count: u32 = draws.bits.iter().map(|byte| byte.count_ones()).sum();
            let share = f64::from(count) / (draws.dim * draws.num_rows) as f64;
            return json!({ "milliseconds": [time], "shareOfOnes": share, "digest": digest });
        }
    };
    let acceptance = &result.chains.acceptance;
    json!({
        "milliseconds": [time],
        "acceptance": acceptance.iter().sum::<f64>() / acceptance.len() as f64,
        "digest": result.digest,
    })
}

fn memorize(request: &Value) -> Value {
    let (spec, rows) = spec_and_rows(request);
    let mut result = None;
    let time = milliseconds(|| {
        let mut job = Job::new(spec, Some(rows), None).expect("a sound job");
        job.advance(usize::MAX);
        result = job.result();
    });
    let Some(JobResult::Memorize(result)) = result else { panic!("a memory") };
    json!({
        "milliseconds": [time],
        "numStored": result.num_stored,
        "digest": result.digest,
    })
}

/// Least and median of what has no peer, and the machine's limits.
fn print_all() {
    let print = |name: &str, seconds: f64, action: &mut dyn FnMut()| {
        let mut times = repeat(seconds, action);
        times.sort_by(f64::total_cmp);
        let median = times[times.len() / 2];
        println!("{name:54} {:9.3} ms least {median:9.3} ms median", times[0]);
    };
    let lattice = Pattern::Lattice { num_rows: 10, num_cols: 10, periodic: false };
    for (name, pattern) in [("all pairs", Pattern::Dense {}), ("lattice", lattice)] {
        let model = IsingSpec::random(100, pattern, 0.3, 1).build().expect("a sound spec");
        let mut rng = stream(1, Purpose::Chain, 0);
        let mut row = [0; 2];
        fill_random(&mut row, 100, &mut rng);
        print(&format!("1,000 Gibbs sweeps of 100 sites, {name}"), 0.2, &mut || {
            for _ in 0..1000 {
                Gibbs::new(&model).step(&mut row, &mut rng);
            }
        });
    }
    let model = IsingSpec::random(20, Pattern::Dense {}, 0.5, 1).build().expect("a sound spec");
    print("enumeration of 2^20 states", 0.3, &mut || {
        black_box(exact::enumerate(&model).expect("20 sites"));
    });
    for (name, rate) in limits::measure() {
        println!("{name:54} {rate:9.3} a nanosecond");
    }
}
