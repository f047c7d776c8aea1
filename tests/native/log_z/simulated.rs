//! Simulated rows, and reverse runs that start at what they were made of.

use super::rows::{bilinear, bilinear_log_likelihood, generative, log_likelihood};
use super::*;
use unnorm::math::sigmoid;

const NUM_ROWS: usize = 1000;
const NUM_CHAINS: usize = 4;

/// Few chains and distributions, so that the runs in both directions lose something.
fn coarse(model: Value) -> Value {
    json!({
        "model": model, "simulate": { "numRows": NUM_ROWS }, "numChains": NUM_CHAINS, "numDistributions": 6,
        "schedule": { "kind": "linear" },
        "transition": { "kind": "hmc", "numLeapfrogSteps": 1, "stepSize": 0.25 },
        "reverse": { "start": { "kind": "simulated", "numWarmup": 20 } }, "seed": 4,
    })
}

/// Mean and standard error.
fn mean(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>();
    (mean, (squares / (count - 1.0) / count).sqrt())
}

/// `E[1 / (1 + Z/w)]` forward is `E[1 / (1 + w/Z)]` in reverse (Bennett 1976), for the weights w of chains in
/// either direction. It holds only if rows, what they were made of and the model belong together.
#[test]
fn both_directions_agree() {
    let check = |model: Value, log_likelihood: &dyn Fn(&[f64]) -> f64, width: usize| {
        for num_warmup in [0, 20] {
            let start = json!({ "kind": "simulated", "numWarmup": num_warmup });
            let result =
                run(&with(&coarse(model.clone()), json!({ "reverse": { "start": start } })));
            let simulated = result.simulated.as_ref().expect("the rows");
            assert_eq!(simulated.len(), NUM_ROWS * width);
            let truths: Vec<f64> = simulated.chunks_exact(width).map(log_likelihood).collect();
            // Chains of a row are not independent, so that each row is one value.
            let shares = |log_weights: &[f64], sign: f64| -> Vec<f64> {
                let rows = log_weights.chunks_exact(NUM_CHAINS).zip(&truths);
                let share = |log_weight: &f64, truth: &f64| sigmoid(sign * (log_weight - truth));
                rows.map(|(chains, truth)| {
                    chains.iter().map(|chain| share(chain, truth)).sum::<f64>() / NUM_CHAINS as f64
                })
                .collect()
            };
            let reverse = result.reverse.as_ref().expect("reverse runs");
            let differences: Vec<f64> = shares(&result.forward.log_weights, 1.0)
                .iter()
                .zip(shares(&reverse.log_weights, -1.0))
                .map(|(forward, reverse)| forward - reverse)
                .collect();
            let (mean, error) = mean(&differences);
            assert_within(mean, error, 0.0, 0.02);

            let likelihood = result.likelihood.as_ref().expect("of the rows");
            let loss = |rows: &Option<Vec<f64>>| {
                let rows = rows.as_ref().expect("a run a row").iter().zip(&truths);
                rows.map(|(row, truth)| row - truth).sum::<f64>() / NUM_ROWS as f64
            };
            let (below, above) = (loss(&likelihood.rows), loss(&likelihood.reverse_rows));
            assert!(
                below < -0.05 && above > 0.05,
                "the runs are too good to tell: {below}, {above}"
            );
            let gap = likelihood.gap.expect("with reverse runs");
            assert_close(gap.value, above - below, 1e-9);
            assert!(gap.standard_error > 0.0 && gap.interval.upper > gap.value);
        }
    };
    check(generative(), &log_likelihood, 2);
    check(bilinear(json!([1.5]), 1, 0.6), &|x| bilinear_log_likelihood(x[0], 0.15, 15.0), 1);
}

/// The certified interval, of 95 %, over 400 seeds. More than 45 misses, where each has a
/// probability of at most 5 %, come once in 10⁷.
#[test]
fn certified_intervals_cover() {
    let fields = json!({ "simulate": { "numRows": 1 }, "numChains": 2, "numDistributions": 3 });
    let spec = with(&coarse(generative()), fields);
    let mut num_misses = 0;
    for seed in 0..400 {
        let result = run(&with(&spec, json!({ "seed": seed })));
        assert!(result.bounds.bound_is_certified);
        let truth = log_likelihood(result.simulated.as_ref().expect("the row"));
        let upper = result.bounds.upper.expect("reverse runs");
        num_misses += usize::from(!(result.bounds.lower <= truth && truth <= upper));
    }
    assert!(num_misses <= 45, "{num_misses} of 400 intervals miss");
}

#[test]
fn rows_are_those_of_their_seed() {
    let spec = with(&coarse(generative()), json!({ "simulate": { "numRows": 5, "seed": 9 } }));
    let rows = |seed: u64| run(&with(&spec, json!({ "seed": seed })));
    let (one, other) = (rows(1), rows(2));
    assert_eq!(one.simulated, other.simulated);
    assert_ne!(one.log_z, other.log_z);
    // The estimate is that of the forward runs: chains from one draw are not independent.
    assert_eq!(one.log_z, one.forward.log_z.value);
    // Rows given in their place have the same forward runs.
    let fields = json!({ "simulate": null, "states": one.simulated, "reverse": null, "seed": 1 });
    let given = run(&with(&spec, fields));
    assert_eq!(given.log_z, one.log_z);
    assert!(given.simulated.is_none() && given.likelihood.expect("of the rows").gap.is_none());
}
