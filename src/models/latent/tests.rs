//! The conditionals that chains draw from, against the joint density that they are conditionals of:
//! `p(x | u) / p(x' | u) = p(x, u) / p(x', u)` (Grosse, PhD thesis 2014, section 7.3.2), at every β.

use super::*;
use crate::rng::{Purpose, normal, stream};

const BETAS: [f64; 4] = [0.0, 1e-3, 0.4, 1.0];

/// y_ij = 2 sin(1 + 1.3 i + 2.1 j² + 0.7 i j), i and j from 1.
fn table(num_rows: usize, num_cols: usize) -> Arc<Table> {
    let entry = |at: usize| {
        let [i, j] = [(at / num_cols + 1) as f64, (at % num_cols + 1) as f64];
        2.0 * crate::math::sin(1.0 + 1.3 * i + 2.1 * j * j + 0.7 * i * j)
    };
    Arc::new(Table::new(num_cols, (0..num_rows * num_cols).map(entry).collect()))
}

fn variances() -> [VariancesSpec; 2] {
    [
        VariancesSpec::Fixed { signal: 0.7, noise: 1.3 },
        VariancesSpec::Sampled { shape: 2.0, scale: 1.0 },
    ]
}

fn clusterings() -> [Clustering; 2] {
    variances().map(|variances| Clustering::new(3, 0.6, variances, table(6, 3)))
}

fn low_ranks() -> [LowRank; 2] {
    variances().map(|variances| LowRank::new(2, variances, table(5, 4)))
}

fn binaries() -> [BinaryAttributes; 2] {
    variances().map(|variances| BinaryAttributes::new(3, [0.5, 1.2], variances, table(4, 3)))
}

fn clustered() -> [ClusteredLowRank; 2] {
    variances().map(|variances| ClusteredLowRank::new(2, [3, 4], 0.6, 0.7, variances, table(5, 4)))
}

fn chains() -> Vec<Box<dyn LatentChain>> {
    let mut chains: Vec<Box<dyn LatentChain>> = Vec::new();
    chains.extend(clusterings().map(|chain| Box::new(chain) as _));
    chains.extend(low_ranks().map(|chain| Box::new(chain) as _));
    chains.extend(clustered().map(|chain| Box::new(chain) as _));
    chains.extend(binaries().map(|chain| Box::new(chain) as _));
    chains
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-12 * (1.0 + a.abs()), "{a} and {b}");
}

fn log_density(chain: &dyn LatentChain, beta: f64) -> f64 {
    chain.log_prior() + chain.log_likelihood(beta)
}

/// The log probability of a scan to `target` by the joint density alone, `choices` for each place.
fn by_definition(
    chain: &mut dyn LatentChain,
    beta: f64,
    places: &[usize],
    choices: &[f64],
    target: &[f64],
) -> f64 {
    let mut sum = 0.0;
    let mut state = chain.state();
    for &place in places {
        let mut log_densities = Vec::new();
        for choice in choices {
            state[place] = *choice;
            chain.set_state(&state);
            log_densities.push(log_density(chain, beta));
        }
        let chosen = choices.iter().position(|choice| *choice == target[place]).expect("a choice");
        sum += log_densities[chosen] - crate::math::log_sum_exp(&log_densities);
        state[place] = target[place];
    }
    sum
}

#[test]
fn scans_of_clusters_draw_from_the_conditionals() {
    for (seed, mut chain) in clusterings().into_iter().enumerate() {
        let rng = &mut stream(seed as u64, Purpose::Example, 0);
        for beta in BETAS {
            for scan in [Scan::Forward, Scan::Backward] {
                chain.draw_prior(6, rng);
                let target = chain.state();
                chain.set_clusters((0..6).map(|_| crate::rng::below(3, rng)).collect());
                let clusters: Vec<usize> = target[..6].iter().map(|k| *k as usize).collect();
                let mut places: Vec<usize> = (0..6).collect();
                if scan == Scan::Backward {
                    places.reverse();
                }
                let choices = [0.0, 1.0, 2.0];
                let expected = by_definition(&mut chain.clone(), beta, &places, &choices, &target);
                close(chain.scan(beta, scan, Choice::Follow(&clusters)), expected);
            }
        }
    }
}

#[test]
fn scans_of_attributes_draw_from_the_conditionals() {
    for (seed, mut chain) in binaries().into_iter().enumerate() {
        let rng = &mut stream(seed as u64, Purpose::Example, 1);
        for beta in BETAS {
            for scan in [Scan::Forward, Scan::Backward] {
                chain.draw_prior(4, rng);
                let target = chain.state();
                let bits = (0..12).map(|_| crate::rng::below(2, rng) as f64);
                chain.set_attributes(bits.collect());
                let mut places: Vec<usize> = (0..12).collect();
                if scan == Scan::Backward {
                    places.reverse();
                }
                let expected =
                    by_definition(&mut chain.clone(), beta, &places, &[0.0, 1.0], &target);
                close(chain.scan(beta, scan, Choice::Follow(&target[..12])), expected);
            }
        }
    }
}

/// Blocks of U given V, and of V given U.
#[test]
fn blocks_of_factors_have_the_densities_of_the_joint() {
    for (seed, mut chain) in low_ranks().into_iter().enumerate() {
        let rng = &mut stream(seed as u64, Purpose::Example, 2);
        for beta in BETAS {
            chain.draw_prior(5, rng);
            let table = chain.table().clone();
            let rows: Vec<&[f64]> = table.values.chunks_exact(4).collect();
            for (range, (precision, means)) in [
                (0..10, chain.factors_given(beta, &rows)),
                (10..18, chain.loadings_given(beta, chain.prior_of_loadings())),
            ] {
                let mut differences = Vec::new();
                for _ in 0..3 {
                    let mut state = chain.state();
                    state[range.clone()].fill_with(|| normal(rng));
                    let deviations: Vec<f64> =
                        state[range.clone()].iter().zip(&means).map(|(x, m)| x - m).collect();
                    let mut moved = chain.clone();
                    moved.set_state(&state);
                    let block = precision.log_density(&deviations);
                    differences.push(block - log_density(&moved, beta));
                }
                close(differences[0], differences[1]);
                close(differences[0], differences[2]);
            }
        }
    }
}

#[test]
fn slopes_are_those_of_the_likelihood() {
    for (at, mut chain) in chains().into_iter().enumerate() {
        let rng = &mut stream(at as u64, Purpose::Example, 3);
        let num_rows = chain.table().num_rows();
        chain.draw_prior(num_rows, rng);
        for beta in [0.1, 0.5, 0.9] {
            let step = 1e-5;
            let [low, high] = [beta - step, beta + step].map(|beta| chain.log_likelihood(beta));
            let expected = (high - low) / (2.0 * step);
            let slope = chain.log_likelihood_slope(beta);
            assert!((slope - expected).abs() < 1e-6 * (1.0 + slope.abs()), "{slope} {expected}");
        }
        close(chain.log_likelihood(0.0), 0.0);
    }
}

/// `p(y_i | x, y_1 … y_(i−1))` is the ratio of the evidence of i rows and of i − 1, for each x that does not
/// belong to a row: here by summing the joint over the hidden variables of the row.
#[test]
fn predictive_densities_are_ratios_of_joints() {
    for (seed, mut chain) in clusterings().into_iter().enumerate() {
        let rng = &mut stream(seed as u64, Purpose::Example, 4);
        chain.draw_prior(4, rng);
        let before = log_density(&chain, 1.0);
        let clusters: Vec<usize> = chain.state()[..4].iter().map(|k| *k as usize).collect();
        let terms: Vec<f64> = (0..3)
            .map(|k| {
                let mut longer = chain.clone();
                longer.set_clusters([&clusters[..], &[k]].concat());
                log_density(&longer, 1.0)
            })
            .collect();
        close(chain.log_predictive(), crate::math::log_sum_exp(&terms) - before);
    }
    for (seed, mut chain) in binaries().into_iter().enumerate() {
        let rng = &mut stream(seed as u64, Purpose::Example, 5);
        chain.draw_prior(3, rng);
        let before = log_density(&chain, 1.0);
        let attributes = chain.state()[..9].to_vec();
        let terms: Vec<f64> = (0..8_usize)
            .map(|bits| {
                let mut longer = chain.clone();
                let row = [0, 1, 2].map(|k| (bits >> k & 1) as f64);
                longer.set_attributes([&attributes[..], &row].concat());
                log_density(&longer, 1.0)
            })
            .collect();
        close(chain.log_predictive(), crate::math::log_sum_exp(&terms) - before);
    }
}

/// Given V, a row is N(0, VᵀV + σ²I): by the density of u and y at any u.
#[test]
fn predictive_densities_of_low_rank_are_those_of_a_gaussian() {
    for (seed, mut chain) in low_ranks().into_iter().enumerate() {
        let rng = &mut stream(seed as u64, Purpose::Example, 6);
        chain.draw_prior(2, rng);
        let before = log_density(&chain, 1.0);
        let mut longer = chain.clone();
        longer.push_row(rng);
        let table = chain.table().clone();
        let (precision, means) = chain.factors_given(1.0, &[table.row(2)]);
        let drawn = &longer.state()[4..6];
        let deviations: Vec<f64> = drawn.iter().zip(&means).map(|(x, m)| x - m).collect();
        let expected = log_density(&longer, 1.0) - before - precision.log_density(&deviations);
        close(chain.log_predictive(), expected);
    }
}

/// States of nested sampling stay above the floor, and the prior's sweeps move.
#[test]
fn restricted_sweeps_stay_above_the_floor() {
    for (at, mut chain) in chains().into_iter().enumerate() {
        let rng = &mut stream(at as u64, Purpose::Example, 7);
        let num_rows = chain.table().num_rows();
        chain.draw_prior(num_rows, rng);
        let floor = Floor::new(chain.log_likelihood(1.0) - 1.0, 0.5);
        let first = chain.state();
        let mut least = f64::INFINITY;
        for _ in 0..200 {
            chain.sweep_above(floor, 0.7, rng);
            least = least.min(chain.log_likelihood(1.0));
        }
        assert!(Floor::new(least, 0.7) > floor, "{least} {floor:?}");
        assert_ne!(chain.state(), first);
    }
}

#[test]
fn states_are_put_back() {
    for (at, mut chain) in chains().into_iter().enumerate() {
        let rng = &mut stream(at as u64, Purpose::Example, 8);
        let num_rows = chain.table().num_rows();
        chain.draw_prior(num_rows, rng);
        chain.chib_step(Scan::Forward, rng);
        let (state, joint) = (chain.state(), chain.log_joint());
        chain.sweep(1.0, Scan::Backward, rng);
        chain.set_state(&state);
        assert_eq!(chain.state(), state);
        close(chain.log_joint(), joint);
    }
}
