//! The predictive check of a fitted binary model: do states that it finds likely look like the
//! data? (Gelman, Meng and Stern 1996.) That of models on ℝᴰ is in [`reals`].
//!
//! An objective without normalization compares each row with its neighbours and with nothing else.
//! Where rows are sparse, such as spikes, states far from all of them can end up with most of the
//! probability (Sohl-Dickstein 2012, appendix E.2), and the objective does not see it. What is
//! compared here is the number of sites that are on:
//!
//! - up to [`enumeration::MAX_DIM`] sites by enumeration: f_k is the share of the rows with k sites on, P_k the
//!   model's probability of them. `Σ_k f_k ln(f_k / P_k)`, in nats a row, is a lower bound on the
//!   divergence of the model from the data, whatever else is wrong ([`judge_exact`]);
//! - beyond that by two sets of chains: annealed from even odds, with weights as in annealed importance
//!   sampling, and from rows of the data, which the model should keep near them ([`judge_chains`]).
//!
//! Annealing tells more. Its estimate of Z is unbiased, so by Markov's inequality it exceeds Z by a
//! factor e^b with probability at most e^−b, however few chains carry it. The rows' log likelihood
//! under the model is hence at most −E − log Ẑ + b; a model that scores below independent sites by
//! this bound does not describe the data.
//!
//! A model may pass all of this and still have couplings that no row supports: those of pairs that
//! never occur together ([`unseen_pairs`]).

pub mod reals;

use crate::bits::{BitColumns, BitMatrix, WeightedRows, write_values};
use crate::diagnostics::weight_ess;
use crate::energy::enumeration;
use crate::energy::proposal::bit_frequencies;
use crate::energy::{Energy, Parametric, SiteFlips};
use crate::linalg::Batch;
use crate::math::{exp, ln};
use crate::models::ising::Ising;
use crate::weights::log_mean;

/// Smallest divergence by the number of sites on that is reported, in nats per row.
const MIN_NATS: f64 = 0.05;

/// How many standard errors, and which fraction of the data's mean, chains must differ from the
/// data: by chance that happens less than once in a million.
const MIN_ERRORS: f64 = 5.0;
const MIN_PART: f64 = 0.2;

/// Minimum effective sample size of the annealed chains' weights for their mean to be used.
const MIN_WEIGHT_ESS: f64 = 16.0;

/// By how many nats log Ẑ may be too high, except with probability one in a million.
const MARKOV_NATS: f64 = 13.8;

/// Maximum number of rows whose energies are compared with their log likelihood under independent
/// sites.
const MAX_COMPARED: usize = 256;

/// Smallest expected cost of unsupported couplings that is reported, in nats per row.
const MIN_UNSEEN_NATS: f64 = 0.05;

/// The distribution of the number of sites that are on in the data's rows.
#[derive(Debug, Clone)]
pub struct NumOn {
    /// The fraction of the rows with k sites on, k from 0 to D.
    shares: Vec<f64>,
    num_rows: f64,
    mean: f64,
    variance: f64,
}

/// How the model's states differ from the data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Misfit {
    /// Mean number of sites on in a state of the model.
    pub model_on: f64,
    /// Mean number of sites on in a row.
    pub data_on: f64,
    /// The divergence by that number alone, in nats per row, if it is known exactly.
    pub nats: Option<f64>,
    /// By how many nats per row, at least, the data are less likely than under independent sites.
    pub below_independent: Option<f64>,
}

/// The largest log Z at which a row of energy E is as likely as under independent sites that are on
/// as often as in the data: `−E − log p_independent`, for some rows, spread over the data.
pub fn room_for_log_z(model: &dyn Energy, data: &BitMatrix) -> Vec<f64> {
    let dim = data.dim();
    let chances = bit_frequencies(dim, data.as_batch().rows().map(|row| (row, 1.0)));
    let num_compared = data.num_rows().min(MAX_COMPARED);
    let rows = (0..num_compared).map(|at| data.row(at * data.num_rows() / num_compared));
    rows.map(|row| {
        let mut state = vec![0.0; dim];
        write_values(row, &mut state);
        let mut energy = [0.0];
        model.energy(Batch::new(dim, &state), &mut energy);
        let logs = chances
            .iter()
            .zip(&state)
            .map(|(chance, value)| ln(if *value == 1.0 { *chance } else { 1.0 - chance }));
        -energy[0] - logs.sum::<f64>()
    })
    .collect()
}

/// Couplings of pairs of sites whose rarer values never occur together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnseenPairs {
    /// Number of such pairs.
    pub count: u64,
    /// Their expected cost in nats per row, over rows in which the values do occur together.
    pub nats: f64,
}

impl NumOn {
    /// The distribution in these rows.
    pub fn of(data: &BitMatrix) -> Self {
        let mut shares = vec![0.0; data.dim() + 1];
        for row in data.as_batch().rows() {
            shares[num_on(row)] += 1.0;
        }
        let num_rows = data.num_rows() as f64;
        shares.iter_mut().for_each(|share| *share /= num_rows);
        let mean = mean_on(&shares);
        let squares = shares
            .iter()
            .enumerate()
            .map(|(on, share)| share * (on as f64 - mean) * (on as f64 - mean));
        Self { num_rows, mean, variance: squares.sum(), shares }
    }
}

/// Number of sites that are on in a state.
pub fn num_on(row: &[u64]) -> usize {
    row.iter().map(|word| word.count_ones() as usize).sum()
}

fn mean_on(shares: &[f64]) -> f64 {
    shares.iter().enumerate().map(|(on, share)| on as f64 * share).sum()
}

/// The states of one shard of [`enumeration`]: `[E_min | Σ w of those with k sites on, k = 0 to D]`,
/// w = exp(E_min − E).
///
/// # Panics
/// If the model is over [`enumeration::MAX_DIM`] or there is no such shard.
pub fn exact_part(model: &dyn SiteFlips, shard: usize) -> Vec<f64> {
    let (base, energies) = enumeration::energies(model, shard);
    let min = energies.iter().copied().fold(f64::INFINITY, f64::min);
    let mut part = vec![0.0; 2 + model.dim()];
    part[0] = min;
    for (state, energy) in energies.iter().enumerate() {
        part[1 + num_on(&[base | state as u64])] += exp(min - energy);
    }
    part
}

/// Judges the parts of all shards.
pub fn judge_exact(data: &NumOn, parts: &[Vec<f64>]) -> Option<Misfit> {
    let min = parts.iter().map(|part| part[0]).fold(f64::INFINITY, f64::min);
    let mut chances = vec![0.0; data.shares.len()];
    for part in parts {
        crate::linalg::axpy(exp(min - part[0]), &part[1..], &mut chances);
    }
    let total: f64 = chances.iter().sum();
    chances.iter_mut().for_each(|chance| *chance /= total);
    let terms = data.shares.iter().zip(&chances).filter(|(share, _)| **share > 0.0);
    let nats: f64 = terms.clone().map(|(share, chance)| share * (ln(*share) - ln(*chance))).sum();
    // 2N times the divergence of a correct model is χ² with `freedom` degrees of freedom.
    let freedom = terms.count() as f64;
    let noise = (freedom + MIN_ERRORS * (2.0 * freedom).sqrt()) / (2.0 * data.num_rows);
    (nats > MIN_NATS + noise).then(|| Misfit {
        model_on: mean_on(&chances),
        data_on: data.mean,
        nats: Some(nats),
        below_independent: None,
    })
}

/// Judges chains, given the final number of sites on for each chain from rows of the data; the
/// number of sites on and the log weight, whose mean weight is Z, for each annealed chain; and
/// `room` from [`room_for_log_z`].
pub fn judge_chains(
    data: &NumOn,
    from_rows: &[f64],
    annealed: &[(f64, f64)],
    room: &[f64],
) -> Option<Misfit> {
    let misfit = |model_on: f64, below_independent: Option<f64>| Misfit {
        model_on,
        data_on: data.mean,
        nats: None,
        below_independent,
    };
    let logs: Vec<f64> = annealed.iter().map(|(_, log)| *log).collect();
    let on: Vec<f64> = annealed.iter().map(|(on, _)| *on).collect();
    if let Some(nats) = below_independent(&logs, room) {
        return Some(misfit(weighted_mean(&on, &logs), Some(nats)));
    }
    let differs = |on: &[f64], logs: &[f64]| {
        let ess = weight_ess(logs);
        let mean = weighted_mean(on, logs);
        let squares: Vec<f64> = on.iter().map(|on| (on - mean) * (on - mean)).collect();
        let variance = weighted_mean(&squares, logs).max(data.variance);
        let error = (variance / ess + data.variance / data.num_rows).sqrt();
        let rarer = data.mean.min(data.shares.len() as f64 - 1.0 - data.mean);
        let distance = (mean - data.mean).abs();
        // A weight that is not a number makes the comparison fail, and nothing is reported.
        (ess >= MIN_WEIGHT_ESS && distance > MIN_ERRORS * error && distance > MIN_PART * rarer)
            .then(|| misfit(mean, None))
    };
    differs(&on, &logs).or_else(|| differs(from_rows, &vec![0.0; from_rows.len()]))
}

/// The mean of values with these log weights.
fn weighted_mean(values: &[f64], log_weights: &[f64]) -> f64 {
    let greatest = log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (mut sum, mut total) = (0.0, 0.0);
    for (value, log) in values.iter().zip(log_weights) {
        let weight = exp(log - greatest);
        sum += weight * value;
        total += weight;
    }
    sum / total
}

/// By how many nats per row, at least, the data are less likely than under independent sites, if
/// that is certain.
fn below_independent(log_weights: &[f64], room: &[f64]) -> Option<f64> {
    let (mean, error) = mean_and_error(room);
    let nats = log_mean(log_weights) - MARKOV_NATS - (mean + MIN_ERRORS * error);
    (nats > 0.0 && nats.is_finite()).then_some(nats)
}

fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / count;
    (mean, (variance / count).sqrt())
}

/// Couplings that no row supports, if their expected cost is large.
///
/// Rarer values of probabilities p and q occur together in Lpq of the rows, where L, at least 1, is
/// how much more often all coupled pairs do so than by chance. A pair that occurs in none of N rows
/// costs, in min(Lpq, 1/N) of future rows, its energy beyond the ln(1 + NLpq) that its absence from
/// the data supports.
pub fn unseen_pairs(model: &Ising, data: &BitMatrix) -> Option<UnseenPairs> {
    let dim = data.dim();
    let couplings = &model.params()[dim..];
    // The energy counts x_i x_j twice.
    if !couplings.iter().any(|coupling| 2.0 * coupling.abs() > 1.0) {
        return None;
    }
    let rows = WeightedRows::from_data(data.as_batch());
    let both = BitColumns::new(&rows).pair_sums();
    let total = rows.total();
    // Probability of a pair's rarer values if they were independent, fraction of the rows with
    // both, and cost.
    let pair = |coupling: f64, i: usize, j: usize| {
        let [p, q] = [both[i * dim + i] / total, both[j * dim + j] / total];
        let pair = both[i * dim + j] / total;
        match (p <= 0.5, q <= 0.5) {
            (true, true) => (p * q, pair, 2.0 * coupling),
            (true, false) => (p * (1.0 - q), p - pair, -2.0 * coupling),
            (false, true) => ((1.0 - p) * q, q - pair, -2.0 * coupling),
            (false, false) => ((1.0 - p) * (1.0 - q), 1.0 - p - q + pair, 2.0 * coupling),
        }
    };
    let each_pair = |look: &mut dyn FnMut((f64, f64, f64))| match model.pairs() {
        Some(pairs) => {
            couplings.iter().zip(pairs).for_each(|(coupling, &[i, j])| look(pair(*coupling, i, j)));
        }
        None => {
            let pairs = (0..dim).flat_map(|i| (i + 1..dim).map(move |j| (i, j)));
            couplings.iter().zip(pairs).for_each(|(coupling, (i, j))| look(pair(*coupling, i, j)));
        }
    };
    let [mut by_chance, mut together] = [0.0; 2];
    each_pair(&mut |(rare, joint, _)| {
        by_chance += rare;
        together += joint;
    });
    let lift = (together / by_chance).max(1.0);
    let mut found = UnseenPairs { count: 0, nats: 0.0 };
    each_pair(&mut |(rare, joint, energy)| {
        let chance = lift * rare;
        let excess = energy - ln(1.0 + total * chance);
        // Less than half a row means none, up to rounding.
        if joint * total < 0.5 && excess > 0.0 {
            found.count += 1;
            found.nats += excess * chance.min(1.0 / total);
        }
    });
    (found.nats > MIN_UNSEEN_NATS).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::ising::IsingSpec;

    /// One row with no site on, four with one and three with two, of three sites.
    fn rows() -> BitMatrix {
        let mut data = BitMatrix::zeros(3, 8);
        let words = [0, 1, 2, 4, 1, 3, 5, 6];
        data.rows_mut().zip(words).for_each(|(row, word)| row[0] = word);
        data
    }

    #[test]
    fn counts_what_is_on() {
        let on = NumOn::of(&rows());
        assert_eq!(on.shares, [0.125, 0.5, 0.375, 0.0]);
        assert_eq!(on.mean, 1.25);
        assert!((on.variance - 0.4375).abs() < 1e-15);
    }

    #[test]
    fn exact_divergence_is_its_definition() {
        // All couplings 0 and even odds: k of 3 sites are on with chance C(3, k) / 8.
        let spec: IsingSpec = serde_json::from_str(r#"{"dim": 3}"#).unwrap();
        let model = spec.build().unwrap();
        let part = exact_part(&model, 0);
        assert_eq!(part, [0.0, 1.0, 3.0, 3.0, 1.0]);
        let shares = [0.0, 0.1, 0.1, 0.8];
        let on = NumOn { shares: shares.to_vec(), num_rows: 1e6, mean: 2.7, variance: 0.41 };
        let chances = [1.0, 3.0, 3.0, 1.0].map(|count: f64| count / 8.0);
        let nats: f64 = shares
            .iter()
            .zip(chances)
            .skip(1)
            .map(|(share, chance)| share * ln(share / chance))
            .sum();
        let misfit = judge_exact(&on, std::slice::from_ref(&part)).unwrap();
        assert!((misfit.nats.unwrap() - nats).abs() < 1e-14);
        assert_eq!((misfit.model_on, misfit.data_on), (1.5, 2.7));
        // Five rows could well come from that model.
        assert_eq!(judge_exact(&NumOn { num_rows: 5.0, ..on }, &[part]), None);
    }

    #[test]
    fn chains_speak_only_where_they_can() {
        let on = NumOn { shares: vec![0.0; 101], num_rows: 1e6, mean: 2.0, variance: 2.0 };
        // Room for any log Z.
        let room = [100.0, 100.0];
        let near = vec![2.0; 64];
        let far = vec![90.0; 64];
        let weigh = |on: &[f64], log: f64| on.iter().map(|on| (*on, log)).collect::<Vec<_>>();
        assert_eq!(judge_chains(&on, &near, &weigh(&near, -3.0), &room), None);
        assert_eq!(judge_chains(&on, &far, &weigh(&near, -3.0), &room).unwrap().model_on, 90.0);
        assert_eq!(judge_chains(&on, &near, &weigh(&far, -3.0), &room).unwrap().model_on, 90.0);
        // Chains stuck where there is almost no probability have almost no weight.
        let mut mixed = weigh(&near, 0.0);
        mixed.extend(weigh(&far, -30.0));
        assert_eq!(judge_chains(&on, &near, &mixed, &room), None);
        // If one weight dominates, the mean tells nothing.
        let mut one = weigh(&near, -50.0);
        one[0] = (90.0, 0.0);
        assert_eq!(judge_chains(&on, &near, &one, &room), None);
        // But log Z is at least −ln 64 − 13.8, and rows that leave less are less likely than of independent sites.
        let least = -ln(64.0) - MARKOV_NATS;
        assert_eq!(judge_chains(&on, &near, &one, &[least + 0.1; 2]), None);
        let misfit = judge_chains(&on, &near, &one, &[least - 0.1; 2]).unwrap();
        assert!((misfit.below_independent.unwrap() - 0.1).abs() < 1e-12);
        assert!((misfit.model_on - 90.0).abs() < 1e-12);
        assert_eq!(judge_chains(&on, &near, &weigh(&far, f64::NAN), &room), None);
    }

    #[test]
    fn pairs_never_seen_together_cost_what_they_are_expected_to() {
        let spec: IsingSpec = serde_json::from_str(r#"{"dim": 3}"#).unwrap();
        let mut model = spec.build().unwrap();
        // Sites 0 and 1 are on in 2 rows of 100 each, and never together; site 2 is always off.
        let mut data = BitMatrix::zeros(3, 100);
        let words = [1, 1, 2, 2].into_iter().chain([0; 96]);
        data.rows_mut().zip(words).for_each(|(row, word)| row[0] = word);
        assert_eq!(unseen_pairs(&model, &data), None);
        model.set_params(&[4.0, 4.0, 9.0, 100.0, 100.0, 0.0]);
        let found = unseen_pairs(&model, &data).unwrap();
        // The pair of 0 and 2 is unseen too, but its expected cost is 0.
        let nats = 4e-4 * (200.0 - ln(1.04));
        assert!((found.nats - nats).abs() < 1e-12, "{found:?}");
        assert_eq!(found.count, 2);
        // The same with on and off exchanged costs as much.
        let mut other = BitMatrix::zeros(3, 100);
        let words = [6, 6, 5, 5].into_iter().chain([7; 96]);
        other.rows_mut().zip(words).for_each(|(row, word)| row[0] = word);
        assert!((unseen_pairs(&model, &other).unwrap().nats - nats).abs() < 1e-12);
    }

    /// If some sites occur together more often than by chance, others may too.
    #[test]
    fn pairs_of_sites_that_go_together_are_expected_more_often() {
        let spec: IsingSpec = serde_json::from_str(r#"{"dim": 3}"#).unwrap();
        let mut model = spec.build().unwrap();
        // Sites 0 and 1 are on in the same 2 rows of 100, site 2 in 2 others.
        let mut data = BitMatrix::zeros(3, 100);
        let words = [3, 3, 4, 4].into_iter().chain([0; 96]);
        data.rows_mut().zip(words).for_each(|(row, word)| row[0] = word);
        model.set_params(&[4.0, 4.0, 4.0, 0.0, 100.0, 0.0]);
        let found = unseen_pairs(&model, &data).unwrap();
        // 0.02 of the rows have a pair, where by chance 3 · 4·10⁻⁴ would.
        let lift = 0.02 / 12e-4;
        let nats = f64::min(lift * 4e-4, 0.01) * (200.0 - ln(1.0 + 0.04 * lift));
        assert!((found.nats - nats).abs() < 1e-12, "{found:?}");
        assert_eq!(found.count, 1);
    }
}
