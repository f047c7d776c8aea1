//! Whoever works the shards, in whatever order, the result is the same to the
//! last bit.

use unnorm::JobSpec;
use unnorm::{Job, create_worker};

fn spec(json: &str) -> JobSpec {
    crate::common::spec_of(&serde_json::from_str(json).expect("JSON")).expect("a sound spec")
}

/// Rounds with every shard worked by a worker made elsewhere from the resolved
/// spec, last shard first, each one twice.
fn worked_elsewhere(json: &str) -> (String, usize) {
    let mut job = Job::new(spec(json), None, None).expect("a sound job");
    let data = spec(json).take_data().expect("sound data");
    let mut worker = create_worker(job.spec().clone(), data).expect("a sound worker");
    let mut most_shards = 0;
    while !job.is_done() {
        let coordinator = job.coordinator_mut();
        worker.prepare(&coordinator.broadcast());
        assert_eq!(worker.num_shards(), coordinator.worker().num_shards());
        most_shards = most_shards.max(worker.num_shards());
        let mut parts = vec![Vec::new(); worker.num_shards()];
        for shard in (0..parts.len()).rev() {
            parts[shard] = worker.work(shard, &coordinator.scatter(shard));
            assert_eq!(worker.work(shard, &coordinator.scatter(shard)), parts[shard]);
        }
        coordinator.gather(&parts);
    }
    let result = job.result().expect("the job is done");
    (result.digest().to_owned(), most_shards)
}

#[test]
fn workers_elsewhere_give_the_same_bits() {
    let data: Vec<u32> =
        (0..9600).map(|at: u32| at.wrapping_mul(2_654_435_761) >> 17 & 1).collect();
    let data = serde_json::json!({"kind": "values", "dim": 24, "values": data});
    let short = data["values"].as_array().expect("values")[..80].to_vec();
    let short = serde_json::json!({"kind": "values", "dim": 8, "values": short});
    let states: Vec<f64> =
        (0..1200).map(|at: i32| f64::from(at * 7919 % 1013 - 506) / 200.0).collect();
    let states = serde_json::json!(states);
    let levels: Vec<u8> =
        (0..1200).map(|at: u32| (at.wrapping_mul(2_654_435_761) >> 17) as u8).collect();
    for json in [
        format!(
            r#"{{"verb": "fit", "model": {{"kind": "ica", "dim": 4}}, "states": {states}, "seed": 1,
                 "objective": {{"kind": "maximumLikelihood"}}, "regularizer": {{"kind": "l2", "strength": 0.01}}}}"#
        ),
        format!(
            r#"{{"verb": "fit", "model": {{"kind": "gaussian", "dim": 3}}, "states": {states}, "seed": 1,
                 "objective": {{"kind": "noiseContrastive"}}, "errors": true,
                 "regularizer": {{"kind": "l2", "strength": 0.01}}}}"#
        ),
        format!(
            r#"{{"verb": "fit", "model": {{"kind": "gaussian", "dim": 3}}, "states": {states}, "seed": 1,
                 "objective": {{"kind": "scoreMatching"}}, "errors": {{"bootstrap": 20}}}}"#
        ),
        format!(
            r#"{{"verb": "fit", "model": {{"kind": "gaussian", "dim": 3}}, "states": {states}, "seed": 1,
                 "objective": {{"kind": "denoisingScoreMatching", "noise": 0.5}}, "optimizer": {{"kind": "sgd", "numEpochs": 2}}}}"#
        ),
        format!(
            r#"{{"verb": "fit", "model": {{"kind": "gaussian", "dim": 3}}, "states": {states}, "seed": 1,
                 "objective": {{"kind": "denoisingScoreMatching", "noises": [1, 0.5]}}}}"#
        ),
        format!(
            r#"{{"verb": "fit", "model": {{"kind": "ising", "dim": 24}}, "data": {data}, "seed": 1,
                 "init": {{"kind": "normal", "scale": 0.5}}}}"#
        ),
        format!(
            r#"{{"verb": "fit", "model": {{"kind": "ising", "dim": 24}}, "data": {data}, "seed": 1,
                 "optimizer": {{"kind": "lbfgs", "coordinates":
                     {{"kind": "metric", "metric": "energyApproximation", "form": "full"}}}}}}"#
        ),
        format!(
            r#"{{"verb": "fit", "model": {{"kind": "ising", "dim": 24}}, "data": {data}, "seed": 1,
                 "objective": {{"kind": "contrastiveDivergence", "numSteps": 2}},
                 "optimizer": {{"kind": "sgd", "numEpochs": 2}}}}"#
        ),
        format!(
            r#"{{"verb": "fit", "model": {{"kind": "rbm", "numVisible": 24, "numHidden": 5}}, "data": {data},
                 "seed": 1, "regularizer": {{"kind": "l2", "strength": 0.01}}, "optimizer": {{"kind": "adam"}},
                 "objective": {{"kind": "persistentContrastiveDivergence", "numChains": 120, "numSteps": 1}}}}"#
        ),
        format!(
            r#"{{"verb": "fit", "model": {{"kind": "dbn", "sizes": [24, 70, 5]}}, "data": {data}, "seed": 1,
                 "init": {{"kind": "normal", "scale": 0.3}}, "optimizer": {{"kind": "lbfgs", "maxIterations": 5}}}}"#
        ),
        format!(
            r#"{{"verb": "fit", "model": {{"kind": "dbn", "sizes": [24, 9, 5, 3]}}, "data": {data}, "seed": 1,
                 "objective": {{"kind": "contrastiveDivergence", "numSteps": 1}},
                 "optimizer": {{"kind": "adam", "numEpochs": 1}}}}"#
        ),
        r#"{"verb": "sample", "model": {"kind": "dbn", "sizes": [70, 9, 66]}, "transition": {"kind": "blockGibbs"},
            "numChains": 37, "numWarmup": 30, "numDraws": 100, "seed": 2}"#
            .into(),
        format!(
            r#"{{"verb": "fit", "model": {{"kind": "rbm", "numVisible": 24, "numHidden": 5}}, "data": {data},
                 "seed": 1, "init": {{"kind": "normal", "scale": 0.1}},
                 "objective": {{"kind": "persistentMpf", "numChains": 120, "numSteps": 2, "numRefreshes": 3}}}}"#
        ),
        r#"{"verb": "sample", "model": {"kind": "ising", "dim": 70}, "transition": {"kind": "gibbs"},
            "numChains": 37, "numWarmup": 30, "numDraws": 1000, "seed": 2}"#
            .into(),
        r#"{"verb": "sample", "model": {"kind": "rbm", "numVisible": 70, "numHidden": 9},
            "transition": {"kind": "blockGibbs"}, "numChains": 37, "numWarmup": 30, "numDraws": 400, "seed": 2}"#
            .into(),
        r#"{"verb": "sample", "model": {"kind": "ising", "dim": 30, "uniform": {"coupling": 0.05}},
            "transition": {"kind": "parallelTempering", "numRungs": 5, "transition": {"kind": "gibbs"}},
            "numChains": 37, "numWarmup": 200, "numDraws": 400, "recordPath": true, "seed": 2}"#
            .into(),
        r#"{"verb": "exact", "model": {"kind": "ising", "dim": 17}}"#.into(),
        format!(
            r#"{{"verb": "exact", "model": {{"kind": "rbm", "numVisible": 24, "numHidden": 21}}, "data": {data}}}"#
        ),
        format!(
            r#"{{"verb": "exact", "model": {{"kind": "rbm", "numVisible": 8, "numHidden": 2}}, "data": {short},
                 "connectivity": {{"kind": "singleAndAllFlips"}}}}"#
        ),
        // Annealing: pilot runs, there and back, and rows; and with resampling, a run a row.
        format!(
            r#"{{"verb": "logZ", "model": {{"kind": "rbm", "numVisible": 24, "numHidden": 5}}, "data": {data},
                 "numChains": 37, "numDistributions": 90, "reverse": {{"start": {{"kind": "exact"}}}},
                 "pilot": {{"numChains": 20, "numDistributions": 50}}, "seed": 2}}"#
        ),
        r#"{"verb": "logZ", "model": {"kind": "linearGenerative", "numObserved": 2, "numLatent": 3,
            "basis": [1, 0.5, 0, 0, 1, 0.5], "prior": "laplace"}, "states": [0, 1, 1, 2, -1, 0.5],
            "numChains": 21, "numDistributions": 40, "resampling": {"threshold": 0.99, "numStages": 5},
            "reverse": {"start": {"kind": "forward", "numWarmup": 10}},
            "pilot": {"numChains": 16, "numDistributions": 50, "numRuns": 1}, "seed": 2}"#
            .into(),
        // A chain: rows of its matrix and of products.
        r#"{"verb": "chain", "model": {"kind": "ising", "dim": 9, "uniform": {"coupling": 0.5}},
            "transition": {"kind": "gibbs"}}"#
            .into(),
        // Hidden variables of tables: steps, and a summary a shard; blocks of hidden states.
        r#"{"verb": "sample", "model": {"kind": "clustering", "dim": 2, "numClusters": 3,
            "states": [1.5, -0.2, 2.1, 0.3, 1.9, 0.1, -1.7, 0.4, -2.2, -0.1, -1.4, 0.6]}, "transition": {"kind": "gibbs"},
            "numChains": 37, "numWarmup": 100, "numDraws": 50, "numStepsPerDraw": 2, "seed": 2}"#
            .into(),
        r#"{"verb": "sample", "model": {"kind": "binaryAttributes", "dim": 2, "numAttributes": 3,
            "states": [1.5, -0.2, 2.1, 0.3, 1.9, 0.1, -1.7, 0.4, -2.2, -0.1, -1.4, 0.6]}, "transition": {"kind": "gibbs"},
            "numChains": 4, "numWarmup": 100, "numDraws": 50, "seed": 2}"#
            .into(),
        r#"{"verb": "sample", "model": {"kind": "lowRank", "dim": 3, "numFactors": 2,
            "states": [1.5, -0.2, 2.1, 0.3, 1.9, 0.1, -1.7, 0.4, -2.2, -0.1, -1.4, 0.6]}, "transition": {"kind": "gibbs"},
            "numChains": 4, "numWarmup": 100, "numDraws": 50, "seed": 2}"#
            .into(),
        r#"{"verb": "exact", "model": {"kind": "clustering", "dim": 1, "numClusters": 2, "variances": {"kind": "fixed"},
            "states": [1.5, -0.2, 2.1, 0.3, 1.9, 0.1, -1.7, 0.4, -2.2, -0.1, -1.4, 0.6, 2.0, 1.1, -0.5, 0.9, 0.2]}}"#
            .into(),
        // Kernels: starts of fits, components.
        r#"{"verb": "kernels", "inputs": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], "predict": [12],
            "values": [1, 3, 2, 0, 1.5, 3.1, 2.2, 0.4, 1.2, 2.8, 2.1, 0.2], "maxDepth": 2, "seed": 2}"#
            .into(),
        // Structures: folds of candidates, draws for the whole table.
        r#"{"verb": "structure", "dim": 6, "maxDepth": 2, "keep": 1, "minGain": 0.01, "numFolds": 2, "numSweeps": 2,
            "annealingSteps": 10, "seed": 2, "states": [1, 2, 0, 4, 1, 3,  2, 4, 1, 7, 2, 6,  0, 1, 0, 2, 1, 1,
            3, 5, 1, 9, 3, 8,  1, 1, 2, 3, 0, 2,  2, 3, 1, 6, 2, 5,  0, 0, 1, 1, 0, 2,  1, 3, 0, 5, 1, 4]}"#
            .into(),
        // Patches, of training and of test.
        format!(
            r#"{{"verb": "patches", "pictures": [{{"width": 30, "height": 40, "pixels": {levels:?}}}], "patchSize": 3,
                 "numComponents": 4, "numPatches": 3000, "numTest": 700, "seed": 2}}"#
        ),
    ] {
        let mut here = Job::new(spec(&json), None, None).expect("a sound job");
        here.advance(usize::MAX);
        let (elsewhere, num_shards) = worked_elsewhere(&json);
        assert!(num_shards > 1, "one shard shows nothing: {json:.60}");
        assert_eq!(here.result().expect("the job is done").digest(), elsewhere, "{json:.60}");
    }
}

/// A job's digest and number of rounds, if rounds may do 6 times the usual work after the first few,
/// and if the job changes to a machine without such rounds and back on the way.
fn lengthened(json: &str) -> (String, usize) {
    let new = |checkpoint: Option<&[u8]>| {
        Job::new(spec(json), None, checkpoint).expect("a sound job and checkpoint")
    };
    let (mut job, mut num_rounds) = (new(None), 0);
    while !job.is_done() {
        match num_rounds {
            3 | 12 => job.coordinator_mut().lengthen_rounds(6),
            9 => job = new(Some(&job.snapshot())),
            _ => (),
        }
        job.advance(1);
        num_rounds += 1;
    }
    (job.result().expect("the job is done").digest().to_owned(), num_rounds)
}

#[test]
fn longer_rounds_give_the_same_bits() {
    for json in [
        // Rounds that end where chains adapt, and rounds of moments.
        r#"{"verb": "sample", "model": {"kind": "ising", "dim": 30, "uniform": {"coupling": 0.05}},
            "transition": {"kind": "parallelTempering", "numRungs": 20, "transition": {"kind": "gibbs"}},
            "numChains": 8, "numWarmup": 500, "numDraws": 2000, "seed": 2}"#,
        r#"{"verb": "sample", "model": {"kind": "ising", "dim": 70}, "transition": {"kind": "gibbs"},
            "numChains": 2, "numWarmup": 3000, "numDraws": 60000, "moments": false, "energies": true, "seed": 2}"#,
        r#"{"verb": "sample", "model": {"kind": "gaussian", "dim": 100}, "transition": {"kind": "nuts"},
            "numChains": 2, "numWarmup": 300, "numDraws": 4000, "seed": 2}"#,
        // Pilot runs, stages of resampling, runs there and back; along two paths.
        r#"{"verb": "logZ", "model": {"kind": "gaussian", "dim": 40}, "numChains": 64, "numDistributions": 6000,
            "resampling": {"threshold": 0.99, "numStages": 5}, "seed": 2,
            "reverse": {"start": {"kind": "forward", "numWarmup": 10}},
            "pilot": {"numChains": 16, "numDistributions": 600, "numRuns": 1}}"#,
        r#"{"verb": "logZ", "model": {"kind": "ising", "dim": 60, "uniform": {"coupling": 0.03}}, "numChains": 40,
            "numDistributions": 800, "reverse": {"start": {"kind": "forward", "numWarmup": 10}}, "seed": 2}"#,
    ] {
        let mut usual = Job::new(spec(json), None, None).expect("a sound job");
        let mut num_rounds = 0;
        while !usual.is_done() {
            usual.advance(1);
            num_rounds += 1;
        }
        let (digest, longer) = lengthened(json);
        assert_eq!(usual.result().expect("the job is done").digest(), digest, "{json:.60}");
        assert!(longer < num_rounds, "{longer}, {num_rounds}: {json:.60}");
    }
}
