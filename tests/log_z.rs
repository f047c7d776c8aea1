//! The job that estimates log Z, from spec to result.

use serde_json::{Value, json};
use unnorm::jobs::Job;
use unnorm::jobs::report::{JobResult, LogZResult};
use unnorm::jobs::spec::JobSpec;

fn job(spec: &Value) -> unnorm::Result<Job> {
    let mut spec = spec.clone();
    spec["verb"] = "logZ".into();
    let value: unnorm::value::Value = serde_json::from_value(spec).unwrap();
    Job::new(JobSpec::from_value(value)?, None, None)
}

fn run(spec: &Value) -> LogZResult {
    let mut job = job(spec).unwrap();
    while !job.is_done() {
        job.advance(100);
    }
    match job.result() {
        Some(JobResult::LogZ(result)) => *result,
        other => panic!("{other:?}"),
    }
}

#[test]
fn probe() {
    let specs = [
        json!({ "model": { "kind": "gaussian", "dim": 3, "precision": [2.0, 0.5, 0.0, 0.5, 1.0, 0.2, 0.0, 0.2, 4.0] },
            "numChains": 200, "numDistributions": 200, "reverse": { "start": { "kind": "exact" } }, "seed": 1 }),
        json!({ "model": { "kind": "ring" }, "numChains": 200, "numDistributions": 500, "reverse": { "start": { "kind": "forward" } }, "seed": 1 }),
        json!({ "model": { "kind": "ising", "dim": 16, "random": { "pattern": { "kind": "dense" }, "scale": 1.0, "seed": 1 } },
            "numChains": 200, "numDistributions": 200, "reverse": { "start": { "kind": "exact" } }, "seed": 1 }),
        json!({ "model": { "kind": "productOfExperts", "dim": 36, "expert": "studentT", "lambda": vec![2.0; 36] },
            "numChains": 200, "numDistributions": 2000, "reverse": { "start": { "kind": "exact" } }, "seed": 1 }),
        json!({ "model": { "kind": "linearGenerative", "numObserved": 4, "numLatent": 4, "prior": "gaussian" }, "states": [0.1, 0.2, 0.3, 0.4, 1.0, -1.0, 0.5, 0.0],
            "numChains": 100, "numDistributions": 500, "resampling": {}, "reverse": { "start": { "kind": "exact" } }, "seed": 1 }),
    ];
    for spec in specs {
        let began = std::time::Instant::now();
        let mut job = match job(&spec) {
            Ok(job) => job,
            Err(error) => {
                println!("{} -> {error}", spec["model"]);
                continue;
            }
        };
        while !job.is_done() {
            job.advance(100);
        }
        let Some(JobResult::LogZ(result)) = job.result() else { panic!() };
        println!(
            "{} {:.0?}: {:.4} ± {:.4} exact {:?} forward {:.4} ess {:.1} reverse {:?} bridge {:?}\n  integral {:?} warnings {:?}\n steps {:.3?}",
            spec["model"]["kind"],
            began.elapsed(),
            result.log_z,
            result.standard_error,
            result.exact_log_z,
            result.forward.log_z.value,
            result.forward.weight_ess,
            result.reverse.as_ref().map(|r| r.log_z.value),
            result.bridge.map(|b| b.value),
            result.forward.integral.map(|b| (b.value, b.standard_error)),
            result.warnings,
            &result.step_sizes[..result.step_sizes.len().min(5)]
        );
    }
}
