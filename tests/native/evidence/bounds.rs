//! Coverage of certified bounds, and what is refused.

use super::{binary, clustering, fixed, low_rank, run};
use serde_json::json;
use unnorm::evidence::spec::EvidenceSpec;
use unnorm::{Job, JobSpec};

/// With short chains, whose estimates are nats away, both bounds together fail in 1 of 20 tables at
/// most. Of 400 tables 20 are expected at most; more than 48 have a chance below 10⁻⁷.
#[test]
fn certified_bounds_cover_the_evidence() {
    for model in [clustering(2, 2, fixed()), low_rank(1, 2, fixed()), binary(2, 2, fixed())] {
        for (to, from) in [
            (
                json!({"kind": "annealing", "numDistributions": 4, "reverse": true}),
                json!({"kind": "sequentialHarmonicMean", "numSweeps": 1}),
            ),
            (
                json!({"kind": "chib", "numSweeps": 3}),
                json!({"kind": "harmonicMean", "numDraws": 2}),
            ),
        ] {
            let mut num_failures = 0;
            for seed in 0..400 {
                let simulate = json!({"numRows": 5, "seed": seed});
                let spec = |estimator| {
                    json!({
                        "model": model, "simulate": simulate, "seed": 1000 + seed,
                        "estimator": estimator, "numTrials": 2,
                    })
                };
                let exact = run(spec(json!({"kind": "exact"}))).log_z;
                let above = run(spec(from.clone())).bounds.expect("bounds");
                let below = run(spec(to.clone())).bounds.expect("bounds");
                assert!(above.bound_is_certified);
                let uppers = [above.upper, below.upper].into_iter().flatten();
                let lower = below.lower.expect("a lower bound");
                num_failures += usize::from(lower > exact || uppers.clone().any(|up| up < exact));
            }
            assert!(num_failures <= 48, "{model} {to}: {num_failures}");
        }
    }
}

#[test]
fn bounds_without_a_simulated_table_are_not_certified() {
    let result = run(json!({
        "model": clustering(1, 2, fixed()), "states": [1.0, 2.0, -1.0], "seed": 1, "numWarmup": 10,
        "estimator": {"kind": "annealing", "numDistributions": 10, "reverse": true},
    }));
    let bounds = result.bounds.expect("bounds");
    assert!(!bounds.bound_is_certified && bounds.upper.is_some());
    assert!(result.warnings.iter().any(|warning| warning.contains("not at exact draws")));
    let bare = run(json!({
        "model": clustering(1, 2, fixed()), "states": [1.0, 2.0, -1.0], "seed": 1,
        "estimator": {"kind": "annealing", "numDistributions": 10},
    }));
    assert!(bare.reverse.is_none() && bare.bounds.is_some_and(|bounds| bounds.upper.is_none()));
}

#[test]
fn what_cannot_be_estimated_is_refused() {
    let model = clustering(2, 3, fixed());
    let states = [1.0, 2.0];
    for (spec, expected) in [
        (json!({"model": model}), "states: are missing"),
        (
            json!({"model": model, "states": states, "simulate": {"numRows": 2}}),
            "simulate: is given",
        ),
        (json!({"model": model, "states": [1.0]}), "states: has 1 numbers, but a row has 2"),
        (json!({"model": model, "states": [1.0, 1e7]}), "states[1]: is 10000000"),
        (json!({"model": model, "states": states, "numTrials": 0}), "numTrials: is 0"),
        (json!({"model": model, "states": states, "confidence": 1}), "confidence: is 1"),
        (
            json!({"model": clustering(2, 0, fixed()), "states": states}),
            "model.numClusters: is 0; it must be from 1 to 64",
        ),
        (
            json!({"model": clustering(2, 2, json!({"kind": "fixed", "noise": 0})), "states": states}),
            "model.variances.noise: is 0",
        ),
        (
            json!({
                "model": binary(2, 17, fixed()), "states": states,
                "estimator": {"kind": "particleLearning"},
            }),
            "model.numAttributes: is 17",
        ),
        (
            json!({
                "model": clustering(2, 3, fixed()), "simulate": {"numRows": 20},
                "estimator": {"kind": "exact"},
            }),
            "estimator: enumerates the hidden states",
        ),
        (
            json!({
                "model": low_rank(2, 1, fixed()), "simulate": {"numRows": 2},
                "estimator": {"kind": "exact"},
            }),
            "estimator: of `lowRank` is there for tables of one row or one column",
        ),
        (
            json!({
                "model": model, "states": states,
                "estimator": {"kind": "nestedSampling", "numParticles": 1},
            }),
            "estimator.numParticles: is 1; it must be from 2",
        ),
        (
            json!({
                "model": model, "states": states, "estimator": {"kind": "annealing", "delta": -1},
            }),
            "estimator.delta: has delta -1",
        ),
        (
            json!({"model": {"kind": "density", "energy": {"kind": "funnel"}}}),
            "estimator.kind: must be nestedSampling",
        ),
        (
            json!({
                "model": {"kind": "density", "energy": {"kind": "ising", "dim": 2}},
                "estimator": {"kind": "nestedSampling"},
            }),
            "model.energy: is `ising`",
        ),
        (
            json!({
                "model": {"kind": "density", "energy": {"kind": "ring"}, "reference": {"kind": "funnel"}},
                "estimator": {"kind": "nestedSampling"},
            }),
            "model.reference: has 10 dimensions where the model has 2",
        ),
    ] {
        let read: EvidenceSpec = serde_json::from_value(spec.clone()).expect("a spec");
        let error = Job::new(JobSpec::Evidence(read), None, None).err().expect("refused");
        assert!(error.to_string().starts_with(expected), "{spec}: {error}");
    }
}
