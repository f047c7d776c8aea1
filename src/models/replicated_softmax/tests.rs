//! log Z and steps against sums over all sequences of words.

use super::*;
use crate::math::{exp, ln_gamma, log_sum_exp};
use crate::rng::{Purpose, stream};

/// All counts of this many words.
fn documents(num_words: usize, length: usize) -> Vec<Vec<f64>> {
    if num_words == 1 {
        return vec![vec![length as f64]];
    }
    let first = (0..=length).rev();
    first
        .flat_map(|count| {
            let others = documents(num_words - 1, length - count);
            others.into_iter().map(move |rest| [&[count as f64], &rest[..]].concat())
        })
        .collect()
}

/// ln of the number of sequences with these counts.
fn log_sequences(counts: &[f64]) -> f64 {
    let length: f64 = counts.iter().sum();
    ln_gamma(length + 1.0) - counts.iter().map(|count| ln_gamma(count + 1.0)).sum::<f64>()
}

fn energy(model: &ReplicatedSoftmax, counts: &[f64]) -> f64 {
    let mut energy = [0.0];
    model.energy(Batch::new(counts.len(), counts), &mut energy);
    energy[0]
}

/// ln p of all documents of a length, with the number of their sequences.
fn log_weights(model: &ReplicatedSoftmax, documents: &[Vec<f64>]) -> Vec<f64> {
    documents.iter().map(|counts| log_sequences(counts) - energy(model, counts)).collect()
}

#[test]
fn log_z_is_a_sum_over_all_sequences() {
    for spec in ReplicatedSoftmaxSpec::examples() {
        let model = spec.build().unwrap();
        let lengths = [0, 1, 2, 5];
        let all: Vec<_> = lengths.iter().map(|length| documents(spec.num_words, *length)).collect();
        let kinds: Vec<_> =
            all.iter().map(|documents| model.multiplicities(&documents[0]).unwrap()).collect();
        let sums = model.hidden_sums().unwrap();
        let shards: Vec<_> =
            (0..sums.num_shards(kinds.len())).map(|shard| sums.shard(shard, &kinds)).collect();
        let log_z = HiddenSums::combine(&shards, kinds.len());
        for (documents, log_z) in all.iter().zip(log_z) {
            let truth = log_sum_exp(&log_weights(&model, documents));
            assert!((log_z - truth).abs() < 1e-12 * (1.0 + truth.abs()), "{log_z} and {truth}");
        }
    }
}

/// One step of exact draws leaves their distribution: frequencies within six standard errors of it, a
/// false alarm of 1e-6 at most.
#[test]
fn steps_leave_the_distribution_of_a_length() {
    let model = ReplicatedSoftmaxSpec::random(3, 2, 0.9, 5).build().unwrap();
    let documents = documents(3, 4);
    let log_weights = log_weights(&model, &documents);
    let log_z = log_sum_exp(&log_weights);
    let mut rng = stream(2, Purpose::Chain, 0);
    let count = 300_000;
    let mut seen = vec![0.0; documents.len()];
    for _ in 0..count {
        let mut left = uniform(&mut rng);
        let drawn = log_weights.iter().position(|weight| {
            left -= exp(weight - log_z);
            left < 0.0
        });
        let mut counts = documents[drawn.unwrap_or(0)].clone();
        model.resample(&mut counts, &mut rng);
        seen[documents.iter().position(|document| *document == counts).unwrap()] += 1.0;
    }
    for (seen, weight) in seen.iter().zip(&log_weights) {
        let p = exp(weight - log_z);
        let error = (p * (1.0 - p) / f64::from(count)).sqrt();
        let found = seen / f64::from(count);
        assert!((found - p).abs() < 6.0 * error, "{found} and {p}");
    }
}

#[test]
fn what_is_no_count_has_no_probability() {
    let model = ReplicatedSoftmaxSpec::random(3, 2, 0.9, 5).build().unwrap();
    for row in [[1.0, -1.0, 0.0], [0.5, 0.0, 0.0]] {
        assert_eq!(energy(&model, &row), f64::INFINITY);
        assert!(model.multiplicities(&row).is_err());
    }
}
