//! Memories to the last bit: whoever works the shards, in however many pieces,
//! and wherever the job is stopped and gone on with.

use crate::memory_jobs::{
    coupled, finished, job, memorize, noisy, patterns, recall, rows_of, spec,
};
use serde_json::{Value, json};
use unnorm::bits::BitMatrix;
use unnorm::models::ModelSpec;
use unnorm::run::Unfinished;
use unnorm::run::checkpoint::Checkpoint;
use unnorm::{Job, create_worker};

fn all() -> Vec<Value> {
    let few = patterns(70, 12, 1);
    let model = ModelSpec::Ising(coupled(70, 2));
    let mut recalled = recall(&model, &few);
    recalled["noise"] = json!({"numFlips": 9, "numCopies": 1400});
    recalled["order"] = json!({"kind": "random"});
    let mut paths = recall(&model, &patterns(70, 300, 3));
    paths["paths"] = true.into();
    let rule = |optimizer| memorize(&few, json!({"kind": "mpf", "optimizer": optimizer}));
    vec![
        rule(json!({"kind": "lbfgs", "memory": 3})),
        noisy(rule(json!({"kind": "lbfgs", "maxIterations": 8})), 20, 10),
        noisy(rule(json!({"kind": "sgd", "batchSize": 200, "numEpochs": 3})), 20, 40),
        rule(
            json!({"kind": "sgd", "batchSize": 5, "numEpochs": 20, "learningRate": {"start": 1, "end": 1}}),
        ),
        rule(json!({"kind": "online", "maxEpochs": 400})),
        // Diverges at the last row of an epoch.
        memorize(
            &rows_of(8, &[0b0000_1111, 0b1111_0000]),
            json!({"kind": "mpf", "optimizer": {"kind": "online", "learningRate": 1e60}}),
        ),
        memorize(&few, json!({"kind": "perceptron"})),
        noisy(memorize(&few, json!({"kind": "perceptron", "maxEpochs": 60})), 20, 5),
        memorize(&few, json!({"kind": "storkey"})),
        memorize(&patterns(600, 40, 4), json!({"kind": "outerProduct"})),
        recalled,
        paths,
    ]
}

/// Units all alike, so that every bit of a cue of zeros is set on the way: in pieces.
fn long_recall() -> Value {
    let model = json!({"kind": "ising", "dim": 1800, "uniform": {"coupling": 1e-3, "field": 5}});
    recall(&serde_json::from_value(model).expect("a model"), &BitMatrix::zeros(1800, 1))
}

fn digest(job: Job) -> String {
    finished(job).digest().to_owned()
}

/// Works all rounds with a worker made elsewhere, last shard first, each twice, at once and by
/// pieces. Returns the digest, and the most shards and pieces there were.
fn worked_elsewhere(json: &Value) -> (String, usize, usize) {
    let mut job = job(json).expect("a sound job");
    let data = spec(json).expect("sound").take_data().expect("sound data");
    let mut worker = create_worker(job.spec().clone(), data).expect("a sound worker");
    let (mut most_shards, mut most_pieces) = (0, 0);
    while !job.is_done() {
        let num_shards = job.num_shards();
        let coordinator = job.coordinator_mut();
        worker.prepare(&coordinator.broadcast());
        assert_eq!(worker.num_shards(), num_shards);
        most_shards = most_shards.max(num_shards);
        let mut parts = vec![Vec::new(); num_shards];
        for shard in (0..num_shards).rev() {
            let scattered = coordinator.scatter(shard);
            let mut unfinished = Unfinished::default();
            let mut num_pieces = 1;
            parts[shard] = loop {
                match worker.work_piece(shard, &scattered, &mut unfinished) {
                    Some(part) => break part,
                    None => num_pieces += 1,
                }
            };
            most_pieces = most_pieces.max(num_pieces);
            assert_eq!(worker.work(shard, &scattered), parts[shard]);
        }
        coordinator.gather(&parts);
    }
    (digest(job), most_shards, most_pieces)
}

#[test]
fn workers_elsewhere_give_the_same_bits() {
    let (mut most_shards, mut most_pieces) = (0, 0);
    for json in all().into_iter().chain([long_recall()]) {
        let here = digest(job(&json).expect("a sound job"));
        let (elsewhere, num_shards, num_pieces) = worked_elsewhere(&json);
        assert_eq!(here, elsewhere, "{}", json["rule"]);
        most_shards = most_shards.max(num_shards);
        most_pieces = most_pieces.max(num_pieces);
    }
    assert!(most_shards > 8 && most_pieces > 1, "{most_shards} shards, {most_pieces} pieces");
}

/// Stopped after every round in turn, or in one round after another.
#[test]
fn jobs_resume_between_any_two_rounds() {
    for json in all() {
        let expected = digest(job(&json).expect("a sound job"));
        let resumed = |checkpoint: &[u8]| {
            Job::new(spec(&json).expect("sound"), None, Some(checkpoint)).expect("resumes")
        };
        let mut straight = job(&json).expect("a sound job");
        let mut hopping = job(&json).expect("a sound job");
        let mut rounds = 0;
        while !straight.is_done() {
            // Going on to the end from everywhere would take long where there are many rounds.
            if rounds < 5 || rounds % 37 == 0 {
                assert_eq!(digest(resumed(&straight.snapshot())), expected, "{}", json["rule"]);
            }
            straight.advance(1);
            hopping.advance(1);
            hopping = resumed(&hopping.snapshot());
            rounds += 1;
        }
        assert!(rounds > 1 || json["cues"]["numRows"] != 12, "{}", json["rule"]);
        assert_eq!(digest(hopping), expected, "{}", json["rule"]);
        assert_eq!(digest(resumed(&straight.snapshot())), expected, "{}", json["rule"]);
    }
}

#[test]
fn contents_that_are_no_state_of_the_job_are_refused() {
    for json in all() {
        let mut stopped = job(&json).expect("a sound job");
        for _ in 0..3 {
            let sound = Checkpoint::decode(&stopped.snapshot()).expect("a sound checkpoint");
            let with = |payload: Vec<u8>| {
                let bytes = Checkpoint { payload, ..sound.clone() }.encode();
                Job::new(spec(&json).expect("sound"), None, Some(&bytes))
            };
            let payload = &sound.payload;
            let step = (payload.len() / 40).max(1);
            for len in (0..payload.len()).step_by(step) {
                let error = with(payload[..len].to_vec()).err().expect("cut off");
                assert_eq!(error.code(), "bad-checkpoint");
            }
            // Changed inside, it may still be a state; it must not panic when read.
            for at in (0..payload.len()).step_by(step) {
                let mut changed = payload.clone();
                changed[at] ^= 0x55;
                let _ = with(changed);
            }
            stopped.advance(1);
        }
    }
}

/// The seed counts where something is drawn, and only there.
#[test]
fn seeds_make_the_noise() {
    let few = patterns(30, 4, 5);
    let with_seed = |mut json: Value, seed: u64| {
        json["seed"] = seed.into();
        digest(job(&json).expect("a sound job"))
    };
    let plain = memorize(&few, json!({"kind": "perceptron"}));
    assert_eq!(with_seed(plain.clone(), 1), with_seed(plain.clone(), 2));
    let corrupted = noisy(memorize(&few, json!({"kind": "perceptron", "maxEpochs": 3})), 5, 2);
    assert_ne!(with_seed(corrupted.clone(), 1), with_seed(corrupted, 2));
}
