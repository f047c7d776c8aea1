//! How often intervals of 95 % hold the truth.

use super::{ISING, bits, draws, enumerated, errors, log_z, reals, rows, theta};
use serde_json::{Value, json};
use unnorm::bits::BitMatrix;
use unnorm::fit::FitResult;
use unnorm::math::ln;

const NUM_FITS: usize = 400;

/// The share that holds, of the intervals of each number.
fn shares(truth: &[f64], found: impl Fn(usize) -> Vec<[f64; 2]>) -> Vec<f64> {
    let mut held = vec![0.0; truth.len()];
    for fit in 0..NUM_FITS {
        let found = found(fit);
        assert_eq!(found.len(), truth.len());
        for (held, ([value, error], truth)) in held.iter_mut().zip(found.into_iter().zip(truth)) {
            *held += f64::from(u8::from((value - truth).abs() < 1.959964 * error));
        }
    }
    held.iter().map(|held| held / NUM_FITS as f64).collect()
}

fn named(result: &FitResult) -> Vec<[f64; 2]> {
    let named = errors(result).parameters.as_ref().expect("names");
    let mut all: Vec<_> = named.iter().map(|one| [one.value, one.standard_error]).collect();
    all.push(log_z(result));
    all
}

/// Of 400 fits each, to other rows and with other noise. The share of one number's intervals is off by more than 6 % once in 10⁷; that of
/// all together by more than 3 % more rarely.
#[test]
fn intervals_hold_the_truth_as_often_as_they_say() {
    let ising = json!({"kind": "ising", "dim": 4, "params": ISING});
    let pool = rows(&ising, NUM_FITS * 500, 8);
    let mut truth = ISING.to_vec();
    truth.push(enumerated(&ising));
    let of_ising = shares(&truth, |fit| {
        let mut data = BitMatrix::zeros(4, 500);
        let from = pool.as_batch().slice(fit * 500..(fit + 1) * 500);
        data.rows_mut().zip(from.rows()).for_each(|(row, from)| row.copy_from_slice(from));
        let result = bits(&json!({"kind": "ising", "dim": 4}), &data, 5, fit as u64);
        let mut found = theta(&result);
        found.push(log_z(&result));
        found
    });
    let pi = std::f64::consts::PI;
    let gaussian = json!({"kind": "gaussian", "dim": 1, "mean": [1.0], "precision": [2.0]});
    let typed: Value =
        json!({"kind": "formula", "expression": "a*(x-m)^2/2", "params": {"a": 1, "m": 0}});
    let of_gaussian = shares(&[2.0, 1.0, 0.5 * ln(pi)], |fit| {
        named(&reals(&typed, &draws(&gaussian, 300, 9 + fit as u64), 5, fit as u64))
    });
    let banana = json!({"kind": "banana", "a": 0.5, "b": 2.0, "mean": 0.5});
    let typed: Value = json!({
        "kind": "formula", "expression": "a*(x-m)^2 + b*(y-x^2)^2",
        "params": {"a": 1, "b": 1, "m": 0},
    });
    let of_banana = shares(&[0.5, 2.0, 0.5, ln(pi)], |fit| {
        named(&reals(&typed, &draws(&banana, 500, 9 + fit as u64), 5, fit as u64))
    });
    let all: Vec<_> = [of_ising, of_gaussian, of_banana].concat();
    println!("{all:.4?}");
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    assert!((0.92..=0.98).contains(&mean), "{mean}");
    assert!(all.iter().all(|share| (0.89..=0.99).contains(share)), "{all:?}");
}
