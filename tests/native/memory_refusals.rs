//! What memories refuse, before any work: bad specs by their field, and what takes
//! too much memory.

use crate::memory_jobs::{coupled, job, memorize, noisy, patterns, recall, refused};
use serde_json::json;
use unnorm::Progress;
use unnorm::bits::BitMatrix;
use unnorm::models::ModelSpec;

#[test]
fn bad_specs_are_refused_by_field() {
    let few = patterns(9, 3, 12);
    let with = |path: &str, value: serde_json::Value| {
        let mut spec = memorize(&few, json!({"kind": "mpf", "optimizer": {"kind": "lbfgs"}}));
        let (outer, name) = path.rsplit_once('/').expect("a path");
        spec.pointer_mut(outer).expect("outer")[name] = value;
        refused(&spec)
    };
    assert_eq!(with("/margin", json!(-1)), ("invalid-spec", "margin".into()));
    assert_eq!(with("/margin", json!(51)), ("invalid-spec", "margin".into()));
    assert_eq!(with("/model/dim", json!(8)), ("invalid-spec", "model.dim".into()));
    assert_eq!(with("/noise", json!({"numFlips": 10})), ("invalid-spec", "noise.numFlips".into()));
    assert_eq!(
        with("/noise", json!({"numFlips": 1, "numCopies": 0})),
        ("invalid-spec", "noise.numCopies".into())
    );
    assert_eq!(
        with("/model", json!({"kind": "rbm", "numVisible": 9, "numHidden": 2})),
        ("missing-capability", "model.kind".into())
    );
    assert_eq!(
        with(
            "/model",
            json!({"kind": "ising", "dim": 9, "pattern": {"kind": "pairs", "pairs": []}})
        ),
        ("invalid-spec", "model.pattern".into())
    );
    assert_eq!(
        with("/model", json!({"kind": "ising", "dim": 9, "params": [1, 2]})),
        ("invalid-spec", "model.params".into())
    );
    for (optimizer, field) in [
        (json!({"kind": "lbfgs", "memory": 0}), "rule.optimizer.memory"),
        (json!({"kind": "lbfgs", "maxIterations": 0}), "rule.optimizer.maxIterations"),
        (json!({"kind": "sgd", "batchSize": 0}), "rule.optimizer.batchSize"),
        (json!({"kind": "sgd", "numEpochs": 0}), "rule.optimizer.numEpochs"),
        (
            json!({"kind": "sgd", "learningRate": {"start": 0, "end": 1}}),
            "rule.optimizer.learningRate.start",
        ),
        (json!({"kind": "online", "learningRate": -1}), "rule.optimizer.learningRate"),
        (json!({"kind": "online", "maxEpochs": 0}), "rule.optimizer.maxEpochs"),
    ] {
        assert_eq!(with("/rule/optimizer", optimizer), ("invalid-spec", field.into()));
    }
    assert_eq!(
        with("/rule", json!({"kind": "perceptron", "learningRate": 0})).1,
        "rule.learningRate"
    );
    assert_eq!(with("/rule", json!({"kind": "hebb"})).1, "rule.kind");
    // Forty times 2^20 rows.
    let many = patterns(9, 40, 12);
    let copies = noisy(memorize(&many, json!({"kind": "mpf"})), 1, 1 << 20);
    assert_eq!(refused(&copies), ("too-large", "noise.numCopies".into()));
    // No rule goes through more than 2^27 rows a pass; all of them are not kept at once by any.
    let very_many = patterns(9, 129, 12);
    for optimizer in ["online", "sgd"] {
        let copies = |num_copies| {
            let rule = json!({"kind": "mpf", "optimizer": {"kind": optimizer}});
            refused(&noisy(memorize(&very_many, rule), 1, num_copies))
        };
        assert_eq!(copies(1 << 20), ("too-large", "noise.numCopies".into()));
        assert_eq!(copies(1 << 19).0, "none");
    }

    let model = ModelSpec::Ising(coupled(9, 1));
    let with = |name: &str, value: serde_json::Value| {
        let mut spec = recall(&model, &few);
        spec[name] = value;
        refused(&spec)
    };
    assert_eq!(with("maxUpdates", json!(0)), ("invalid-spec", "maxUpdates".into()));
    assert_eq!(
        with("model", json!({"kind": "ising", "dim": 10})),
        ("invalid-spec", "model.dim".into())
    );
    assert_eq!(with("model", json!({"kind": "ring"})), ("missing-capability", "model.kind".into()));
    let copies = noisy(recall(&model, &many), 1, 1 << 20);
    assert_eq!(refused(&copies), ("too-large", "noise.numCopies".into()));
    let mut wanted = recall(&model, &few);
    wanted["noise"] = json!({"numFlips": 1, "numCopies": 100_000});
    wanted["paths"] = true.into();
    assert_eq!(refused(&wanted), ("too-large", "paths".into()));
    let mut empty = recall(&model, &few);
    empty.as_object_mut().expect("fields").remove("cues");
    assert_eq!(refused(&empty).0, "invalid-spec");
}

/// Before anything is allocated: L-BFGS on thousands of units would take gigabytes.
#[test]
fn what_does_not_fit_is_refused_and_what_fits_says_how_much() {
    let few = patterns(4096, 2, 13);
    let error = job(&memorize(&few, json!({"kind": "mpf"}))).err().expect("refused");
    assert_eq!((error.code(), error.field()), ("too-large", Some("rule.optimizer")));
    let words = error.to_string();
    assert!(words.contains("MiB of at most 512") && words.contains("sgd"), "{words}");
    let fits = job(&memorize(&few, json!({"kind": "mpf", "optimizer": {"kind": "sgd"}})));
    let Progress::Memorize(progress) = fits.expect("a sound job").progress() else {
        panic!("memorize")
    };
    assert!((100 << 20..300 << 20).contains(&progress.num_bytes), "{}", progress.num_bytes);
    assert_eq!((progress.num_patterns, progress.num_updates), (2, 0));
    let huge = BitMatrix::zeros(4097, 1);
    assert_eq!(refused(&memorize(&huge, json!({"kind": "outerProduct"}))).0, "too-large");
}
