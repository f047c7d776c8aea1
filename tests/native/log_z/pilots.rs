//! What pilot runs find: step sizes at which as much is accepted as was wished,
//! and a schedule along which log weights vary evenly.

use super::*;

/// Narrow experts: the right step at the end is far below that at the start.
fn experts() -> Value {
    json!({ "kind": "productOfExperts", "dim": 12, "expert": "studentT", "lambda": vec![150.0; 12] })
}

fn spec() -> Value {
    json!({ "model": experts(), "numChains": 400, "numDistributions": 400, "seed": 5 })
}

/// The mean over 400 chains and 4 steps of the bin is off by less than 0.02 for
/// lack of chains; the rest is for the pilot runs, which correct by what they saw
/// once more.
#[test]
fn step_sizes_give_the_acceptance_wished_for() {
    let target = 0.9;
    let pilot = json!({ "numRuns": 4 });
    let result = run(&with(&spec(), json!({ "pilot": pilot })));
    let acceptance = &result.forward.acceptance;
    let mean = acceptance.iter().sum::<f64>() / acceptance.len() as f64;
    let farthest = acceptance.iter().map(|rate| (rate - target).abs()).fold(0.0, f64::max);
    println!("{mean} for {target}, off by {farthest} at most");
    assert!((mean - target).abs() < 0.04, "{mean} for {target}");
    assert!(farthest < 0.15, "{farthest} off {target}, {acceptance:?}");
    let [first, last] = [result.step_sizes[0], result.step_sizes[49]];
    assert!(first > 2.0 * last, "{first} and {last} at the ends");
}

#[test]
fn a_given_step_size_is_kept() {
    let transition = json!({ "kind": "hmc", "stepSize": 0.05 });
    let result = run(&with(&spec(), json!({ "transition": transition })));
    assert_eq!((&result.step_size_betas[..], &result.step_sizes[..]), (&[0.0][..], &[0.05][..]));
    // And a given schedule is, where step sizes are found.
    let betas: Vec<f64> = (0..=400).map(|k| f64::from(k * k) / 160_000.0).collect();
    let result = run(&with(&spec(), json!({ "schedule": { "kind": "given", "betas": betas } })));
    assert_eq!(result.schedule, betas);
    assert_eq!(result.step_sizes.len(), 50);
}

/// The greatest of a hundred bins' variances over their mean.
fn unevenness(result: &LogZResult) -> f64 {
    let variances = &result.forward.variances;
    let greatest = variances.iter().copied().fold(0.0, f64::max);
    greatest * variances.len() as f64 / variances.iter().sum::<f64>()
}

/// Variances of 400 increments are off by 7 % each, four to a bin; bins of the
/// barrier within which it is not linear do the rest.
#[test]
fn the_adaptive_schedule_has_even_variances() {
    for model in [experts(), model("ising", ising(60, 0.35, 3))] {
        let of = |kind: &str| {
            let schedule = json!({ "schedule": { "kind": kind }, "model": model });
            run(&with(&spec(), schedule))
        };
        let (adaptive, linear) = (of("adaptive"), of("linear"));
        let [even, uneven] = [unevenness(&adaptive), unevenness(&linear)];
        println!("{}: {even}, and {uneven} on the linear schedule", model["kind"]);
        assert!(even < 2.0 && uneven > 1.5 * even, "{even} and {uneven}");
        let [own, other] =
            [&adaptive, &linear].map(|result| result.forward.variances.iter().sum::<f64>());
        assert!(own < other, "{own} in all, and {other}");
    }
}
