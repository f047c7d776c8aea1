//! The result, from what the rounds found.

use super::NetworkCoordinator;
use super::choice::Chosen;
use super::report::{NetworkEdge, NetworkPath, NetworkResult, PairEstimates};
use super::rows::pairs;
use super::spec::{ChoiceSpec, NetworkSpec};
use crate::diagnostics::{normal_quantile, percentiles};
use crate::digest::Digest;
use crate::models::ModelSpec;
use crate::models::ising::{IsingSpec, Pattern};

/// Least number of fits to resampled rows for percentiles of them: of fewer the intervals are too short.
const LEAST_RESAMPLED: usize = 100;

/// Estimates of all pairs, if the rows determine any.
fn pair_estimates(of: &NetworkCoordinator, stability: Option<&[f64]>) -> Option<PairEstimates> {
    let spec = &of.worker.spec;
    let (all, resampled) = of.state.fits.split_first()?;
    if all.estimates.iter().all(|estimate| estimate.is_nan()) {
        return None;
    }
    let reach = normal_quantile(0.5 + 0.5 * spec.confidence);
    let ends = |pair: usize| -> [f64; 2] {
        if all.estimates[pair].is_nan() {
            return [f64::NAN; 2];
        }
        let values: Vec<f64> =
            resampled.iter().map(|fit| fit.estimates[pair]).filter(|j| !j.is_nan()).collect();
        if values.len() >= LEAST_RESAMPLED {
            return percentiles(&values, 0.5 * (1.0 - spec.confidence));
        }
        let error = reach * all.standard_errors[pair];
        [all.estimates[pair] - error, all.estimates[pair] + error]
    };
    let (lower, upper) = (0..all.estimates.len()).map(|pair| ends(pair).into()).unzip();
    let share = |pair: usize| {
        let found = resampled.iter().filter(|fit| fit.couplings[pair] != 0.0).count();
        found as f64 / resampled.len() as f64
    };
    let shares = || (0..all.estimates.len()).map(share).collect();
    Some(PairEstimates {
        estimate: all.estimates.clone(),
        standard_error: all.standard_errors.clone(),
        lower,
        upper,
        share: if resampled.is_empty() { stability.map(<[f64]>::to_vec) } else { Some(shares()) },
    })
}

/// The edges of the network chosen.
fn edges(dim: usize, couplings: &[f64], estimates: Option<&PairEstimates>) -> Vec<NetworkEdge> {
    let known = |values: Option<&Vec<f64>>, pair: usize| -> Option<f64> {
        values.map(|values| values[pair]).filter(|value| !value.is_nan())
    };
    let all = pairs(dim).zip(couplings).enumerate();
    all.filter(|(_, (_, coupling))| **coupling != 0.0)
        .map(|(pair, (sites, coupling))| NetworkEdge {
            sites,
            coupling: *coupling,
            estimate: known(estimates.map(|all| &all.estimate), pair),
            standard_error: known(estimates.map(|all| &all.standard_error), pair),
            lower: known(estimates.map(|all| &all.lower), pair),
            upper: known(estimates.map(|all| &all.upper), pair),
            share: known(estimates.and_then(|all| all.share.as_ref()), pair),
        })
        .collect()
}

/// J, row-major.
fn matrix(dim: usize, biases: &[f64], couplings: &[f64]) -> Vec<f64> {
    let mut matrix = vec![0.0; dim * dim];
    for (site, bias) in biases.iter().enumerate() {
        matrix[site * (dim + 1)] = *bias;
    }
    for ([i, j], coupling) in pairs(dim).zip(couplings) {
        matrix[i * dim + j] = *coupling;
        matrix[j * dim + i] = *coupling;
    }
    matrix
}

fn warnings(
    of: &NetworkCoordinator,
    chosen: &Chosen,
    estimates: Option<&PairEstimates>,
) -> Vec<String> {
    let mut warnings = Vec::new();
    let num_unconverged = of.state.num_unconverged;
    if num_unconverged > 0 {
        warnings.push(format!(
            "{num_unconverged} fits did not reach their minimum: their edges are uncertain. Larger penalties help: raise \
             `penalties.ratio`."
        ));
    }
    let num_penalties = of.worker.penalties.len();
    if chosen.at + 1 == num_penalties
        && num_penalties > 1
        && !matches!(of.worker.spec.choice, ChoiceSpec::Stability { .. })
    {
        warnings.push(
            "The smallest penalty was chosen, so that a smaller one may be better: lower `penalties.ratio`, or \
             continue `penalties.values`."
                .into(),
        );
    }
    let undetermined = match estimates {
        None => true,
        Some(all) => all.estimate.iter().any(|estimate| estimate.is_nan()),
    };
    if undetermined {
        warnings.push(
            "The rows do not determine all couplings without a penalty: some pair of columns lacks one of its four \
             combinations, columns depend on one another, or there are too few rows. These pairs have no estimate \
             and no interval."
                .into(),
        );
    }
    warnings
}

/// The result of a job that is done.
pub fn result(of: &NetworkCoordinator) -> NetworkResult {
    let worker = &of.worker;
    let spec: &NetworkSpec = &worker.spec;
    let dim = worker.data.dim();
    let chosen = of.chosen.as_ref().expect("it is done");
    let (held_out, entries) = of.of_sets();
    let found = of.found(&held_out, &entries);
    let is_validated = matches!(spec.choice, ChoiceSpec::CrossValidation { .. });
    let (held_out, held_out_errors) = match is_validated {
        true => (Some(found.held_out().0), Some(found.held_out().1)),
        false => (None, None),
    };
    let is_stable = matches!(spec.choice, ChoiceSpec::Stability { .. });
    let stability = is_stable.then(|| found.stability());
    let of_chosen = stability.as_ref().map(|shares| &shares[chosen.at][..]);
    let pairs = pair_estimates(of, of_chosen);
    let fit = &of.state.fits[0];
    let edges = edges(dim, &fit.couplings, pairs.as_ref());
    let mut result = NetworkResult {
        dim,
        num_rows: worker.data.num_rows(),
        penalties: worker.penalties.clone(),
        path: NetworkPath {
            couplings: of.state.couplings.concat(),
            biases: of.state.biases.concat(),
            num_edges: found.num_edges.clone(),
            log_pseudolikelihood: found.scores.clone(),
            refitted_log_pseudolikelihood: found.refitted.clone(),
            ebic: found.ebic(spec.choice.gamma()),
            held_out,
            held_out_errors,
            stability: stability.map(|shares| shares.concat()),
        },
        chosen: chosen.at,
        model: ModelSpec::Ising(IsingSpec {
            dim,
            pattern: Pattern::Pairs { pairs: edges.iter().map(|edge| edge.sites).collect() },
            couplings: Some(matrix(dim, &fit.biases, &fit.couplings)),
            params: None,
            uniform: None,
        }),
        edges,
        warnings: warnings(of, chosen, pairs.as_ref()),
        pairs,
        seed: spec.seed.unwrap_or(0),
        digest: String::new(),
    };
    result.digest = digest(&result, &fit.couplings);
    result
}

fn digest(result: &NetworkResult, couplings: &[f64]) -> String {
    let mut digest = Digest::new()
        .f64s("penalties", &result.penalties)
        .f64s("path", &result.path.couplings)
        .f64s("biases", &result.path.biases)
        .f64s("scores", &result.path.log_pseudolikelihood)
        .f64s("refitted", &result.path.refitted_log_pseudolikelihood)
        .u64("chosen", result.chosen as u64)
        .f64s("couplings", couplings);
    if let Some(held_out) = &result.path.held_out {
        digest = digest.f64s("heldOut", held_out);
    }
    if let Some(stability) = &result.path.stability {
        digest = digest.f64s("stability", stability);
    }
    if let Some(pairs) = &result.pairs {
        digest = digest
            .f64s("estimates", &pairs.estimate)
            .f64s("standardErrors", &pairs.standard_error)
            .f64s("lower", &pairs.lower)
            .f64s("upper", &pairs.upper);
        if let Some(share) = &pairs.share {
            digest = digest.f64s("shares", share);
        }
    }
    digest.hex()
}
