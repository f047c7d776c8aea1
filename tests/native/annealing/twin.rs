//! Annealing of bits as its definition has it: a model at every β, its energies from
//! the plain form, one row after another.

use super::*;
use unnorm::linalg::Batch;
use unnorm::models::Model;
use unnorm::models::site_values::draw_value;
use unnorm::rng::{ChainRng, uniform};
use unnorm::sample::Transition;
use unnorm::sample::block_gibbs::BlockGibbs;
use unnorm::sample::checkerboard::Checkerboard;
use unnorm::sample::discrete_langevin::DiscreteLangevin;
use unnorm::sample::flip_metropolis::FlipMetropolis;
use unnorm::sample::gibbs::{self, Gibbs};
use unnorm::sample::locally_informed::LocallyInformed;
use unnorm::sample::param_path::Knot;
use unnorm::sample::swendsen_wang::SwendsenWang;
use unnorm::sample::value_clusters::ValueClusters;
use unnorm::sample::value_gibbs::ValueGibbs;
use unnorm::sample::wolff::Wolff;

/// The model between knots.
pub fn model_at(model: &dyn Model, knots: &[Knot], beta: f64) -> Box<dyn Model> {
    let after = knots.iter().position(|knot| knot.beta >= beta && knot.beta > 0.0).unwrap();
    let [from, to] = [&knots[after - 1], &knots[after]];
    let t = (beta - from.beta) / (to.beta - from.beta);
    let params = from.params.iter().zip(&to.params).map(|(from, to)| (1.0 - t) * from + t * to);
    let params: Vec<f64> = params.collect();
    let mut model = model.boxed_clone();
    model.as_parametric_mut().unwrap().set_params(&params);
    model
}

pub fn energy(model: &dyn Model, row: &[u64]) -> f64 {
    let mut state = vec![0.0; model.dim()];
    unnorm::bits::write_values(row, &mut state);
    let mut energy = [0.0];
    model.energy(Batch::new(model.dim(), &state), &mut energy);
    energy[0]
}

/// One transition, or its reversal.
pub fn step(
    model: &dyn Model,
    spec: &TransitionSpec,
    is_reversed: bool,
    row: &mut [u64],
    rng: &mut ChainRng,
) {
    if let (TransitionSpec::Gibbs { scan }, Some(values)) = (spec, model.as_site_values()) {
        let scan = gibbs::Scan::from(*scan);
        let scan = if is_reversed { scan.reversed() } else { scan };
        ValueGibbs::by(values, scan).step(row, rng);
        return;
    }
    if let (TransitionSpec::SwendsenWang {}, Some(potts)) = (spec, model.as_potts()) {
        ValueClusters::new(potts).step(row, rng);
        return;
    }
    match spec {
        TransitionSpec::Gibbs { scan: Scan::Systematic } if is_reversed => {
            Gibbs::by(model.as_site_flips().unwrap(), gibbs::Scan::Reversed).step(row, rng);
        }
        TransitionSpec::Gibbs { scan: Scan::Systematic } => {
            Gibbs::new(model.as_site_flips().unwrap()).step(row, rng);
        }
        TransitionSpec::Gibbs { scan: Scan::Random } => {
            Gibbs::random_scan(model.as_site_flips().unwrap()).step(row, rng);
        }
        TransitionSpec::FlipMetropolis { scan } => {
            let scan = gibbs::Scan::from(*scan);
            let scan = if is_reversed { scan.reversed() } else { scan };
            FlipMetropolis::by(model.as_site_flips().unwrap(), scan).step(row, rng);
        }
        TransitionSpec::LocallyInformed {} => {
            LocallyInformed::new(model.as_site_flips().unwrap()).step(row, rng);
        }
        TransitionSpec::DiscreteLangevin { step_size } => {
            DiscreteLangevin::new(model.as_site_flips().unwrap(), *step_size).step(row, rng);
        }
        TransitionSpec::BlockGibbs {} => {
            BlockGibbs::new(model.as_hidden_units().unwrap()).step(row, rng);
        }
        TransitionSpec::Checkerboard {} => {
            let moves = Checkerboard::new(model.as_ising().unwrap());
            if is_reversed { moves.reversed() } else { moves }.step(row, rng);
        }
        TransitionSpec::SwendsenWang {} => {
            SwendsenWang::new(model.as_ising().unwrap()).step(row, rng);
        }
        _ => {
            Wolff::new(model.as_ising().unwrap()).step(row, rng);
        }
    }
}

/// log w and the integral of one chain from a row of the target back to the
/// reference; with the reversals of the transitions, as it must be, or without.
pub fn reverse_chain(
    model: &dyn Model,
    knots: &[Knot],
    schedule: &[f64],
    spec: &TransitionSpec,
    is_reversed: bool,
    row: &mut [u64],
    rng: &mut ChainRng,
) -> [f64; 2] {
    let (mut log_weight, mut integral) = (0.0, 0.0);
    for two in schedule.windows(2).rev() {
        let [lower, upper] = [two[0], two[1]].map(|beta| model_at(model, knots, beta));
        let term = energy(&*lower, row) - energy(&*upper, row);
        step(&*lower, spec, is_reversed, row, rng);
        log_weight += term;
        integral += 0.5 * (term + energy(&*lower, row) - energy(&*upper, row));
    }
    [log_weight, integral]
}

/// An exact draw from a model of independent sites.
fn draw_reference(model: &dyn Model, rng: &mut ChainRng) -> Vec<u64> {
    let dim = model.dim();
    let mut row = vec![0; words_per_row(dim)];
    if let Some(sites) = model.as_sites() {
        for site in 0..sites.count() {
            // With the first value at all other sites.
            let log_weight = |value: usize| {
                let mut values = vec![0; sites.count()];
                values[site] = value as u16;
                let mut row = row.clone();
                sites.write(&values, &mut row);
                -energy(model, &row)
            };
            let mut log_weights: Vec<f64> = (0..sites.num_values(site)).map(log_weight).collect();
            let value = draw_value(&mut log_weights, rng);
            unnorm::bits::flip(&mut row, sites.first(site) + usize::from(value));
        }
        return row;
    }
    let flips = model.as_site_flips().unwrap();
    for site in 0..dim {
        let odds = -flips.flip_delta(&vec![0; words_per_row(dim)], site);
        row[site / 64] |= u64::from(uniform(rng) < sigmoid(odds)) << (site % 64);
    }
    row
}

/// The same from an exact draw of the reference to the target.
pub fn forward_chain(
    model: &dyn Model,
    knots: &[Knot],
    schedule: &[f64],
    spec: &TransitionSpec,
    rng: &mut ChainRng,
) -> (Vec<u64>, [f64; 2]) {
    let mut row = draw_reference(&*model_at(model, knots, 0.0), rng);
    let (mut log_weight, mut integral) = (0.0, 0.0);
    for two in schedule.windows(2) {
        let [lower, upper] = [two[0], two[1]].map(|beta| model_at(model, knots, beta));
        let term = energy(&*lower, &row) - energy(&*upper, &row);
        step(&*upper, spec, false, &mut row, rng);
        log_weight += term;
        integral += 0.5 * (term + energy(&*lower, &row) - energy(&*upper, &row));
    }
    (row, [log_weight, integral])
}
