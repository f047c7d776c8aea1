//! Binary models given some of their sites. What is observed of the neighbours and on the other end of
//! weights becomes a part of the biases.

use super::Entries;
use crate::Model;
use crate::categorical_rbm::{CategoricalRbm, CategoricalRbmSpec};
use crate::energy::{Energy, Parametric};
use crate::formula::{Formula, FormulaSpec};
use crate::ising::{Ising, IsingSpec, Pattern};
use crate::linalg::Batch;
use crate::rbm::{Rbm, RbmSpec};
use crate::semi_restricted::{SemiRestricted, SemiRestrictedSpec};
use crate::site_values::{NumValues, Sites};

/// The energy of the state with the observed values whose free sites are all 0.
fn blank_energy(model: &impl Energy, entries: &Entries) -> f64 {
    let mut state = vec![0.0; entries.dim()];
    entries.overwrite(&mut state);
    let mut energy = [0.0];
    model.energy(Batch::new(entries.dim(), &state), &mut energy);
    energy[0]
}

/// `J_ii ← J_ii + 2 Σ_{c ∈ C} J_ic x_c` for the free sites.
pub(super) fn ising(model: &Ising, entries: &Entries) -> (IsingSpec, f64) {
    let (dim, free) = (entries.dim(), entries.free());
    let mut value = vec![None; dim];
    entries.observed().for_each(|(site, observed)| value[site] = Some(observed));
    let mut place = vec![0; dim];
    free.iter().enumerate().for_each(|(at, &site)| place[site] = at);
    let (biases, couplings) = model.params().split_at(dim);
    let mut params = entries.restrict(biases);
    let mut pairs = Vec::new();
    let mut couple = |[i, j]: [usize; 2], coupling: f64| match (value[i], value[j]) {
        (None, None) => {
            pairs.push([place[i], place[j]]);
            params.push(coupling);
        }
        (Some(observed), None) => params[place[j]] += 2.0 * coupling * observed,
        (None, Some(observed)) => params[place[i]] += 2.0 * coupling * observed,
        (Some(_), Some(_)) => {}
    };
    match model.pairs() {
        Some(pairs) => pairs.iter().zip(couplings).for_each(|(pair, at)| couple(*pair, *at)),
        None => {
            let all = (0..dim).flat_map(|i| (i + 1..dim).map(move |j| [i, j]));
            all.zip(couplings).for_each(|(pair, at)| couple(pair, *at));
        }
    }
    let pattern = match model.pairs() {
        Some(_) => Pattern::Pairs { pairs },
        None => Pattern::Dense {},
    };
    let spec = IsingSpec { dim: free.len(), pattern, params: Some(params), ..IsingSpec::default() };
    (spec, blank_energy(model, entries))
}

/// What is observed of the variables of a formula becomes constants.
pub(super) fn formula(spec: &FormulaSpec, model: &Formula, entries: &Entries) -> FormulaSpec {
    let variables = model.variables();
    let mut constants = spec.constants.clone();
    let Some(sites) = model.provide_sites() else {
        constants.extend(entries.observed().map(|(site, value)| (variables[site].clone(), value)));
        let free = entries.free().iter().map(|&site| variables[site].clone()).collect();
        return FormulaSpec { constants, variables: Some(free), ..spec.clone() };
    };
    let on = entries.observed().filter(|(_, is_on)| *is_on == 1.0);
    constants.extend(on.map(|(bit, _)| {
        let site = sites.site_of(bit);
        (variables[site].clone(), (bit - sites.first(site)) as f64)
    }));
    let free = free_sites(sites, entries);
    FormulaSpec {
        constants,
        variables: Some(free.iter().map(|&site| variables[site].clone()).collect()),
        num_values: Some(num_values(sites, &free)),
        ..spec.clone()
    }
}

/// The free sites. Of a site, all bits are free or none.
fn free_sites(sites: &Sites, entries: &Entries) -> Vec<usize> {
    let mut free: Vec<usize> = entries.free().iter().map(|bit| sites.site_of(*bit)).collect();
    free.dedup();
    free
}

fn num_values(sites: &Sites, free: &[usize]) -> NumValues {
    NumValues::Each(free.iter().map(|&site| sites.num_values(site)).collect())
}

/// `b_j ← b_j + Σ_{c ∈ C} W_jc x_c` for the hidden units.
pub(super) fn rbm(model: &Rbm, entries: &Entries) -> (RbmSpec, f64) {
    let (num_visible, free) = (entries.dim(), entries.free());
    let lines = model.weights().chunks_exact(num_visible);
    let hidden_bias = lines.clone().zip(model.hidden_bias()).map(|(line, bias)| {
        entries.observed().fold(*bias, |sum, (site, value)| sum + line[site] * value)
    });
    let spec = RbmSpec {
        num_visible: free.len(),
        num_hidden: model.hidden_bias().len(),
        hidden_bias: Some(hidden_bias.collect()),
        weights: Some(lines.flat_map(|line| entries.restrict(line)).collect()),
        visible_bias: Some(entries.restrict(model.visible_bias())),
    };
    let bias = model.visible_bias();
    (spec, -entries.observed().map(|(site, value)| bias[site] * value).sum::<f64>())
}

/// The same, of a machine with sites of several values.
pub(super) fn categorical_rbm(
    model: &CategoricalRbm,
    entries: &Entries,
) -> (CategoricalRbmSpec, f64) {
    let (machine, constant) = rbm(model.machine(), entries);
    let sites = model.sites();
    let free = free_sites(sites, entries);
    let spec = CategoricalRbmSpec {
        num_sites: free.len(),
        num_values: num_values(sites, &free),
        num_hidden: machine.num_hidden,
        weights: machine.weights,
        visible_bias: machine.visible_bias,
        hidden_bias: machine.hidden_bias,
    };
    (spec, constant)
}

/// Both of the first two.
pub(super) fn semi_restricted(
    model: &SemiRestricted,
    entries: &Entries,
) -> (SemiRestrictedSpec, f64) {
    let (visible, visible_constant) = ising(model.visible(), entries);
    let (hidden, hidden_constant) = rbm(model.hidden(), entries);
    let couplings = visible.build().expect("the model was built").couplings();
    let spec = SemiRestrictedSpec {
        num_visible: hidden.num_visible,
        num_hidden: hidden.num_hidden,
        couplings: Some(couplings),
        weights: hidden.weights,
        hidden_bias: hidden.hidden_bias,
    };
    (spec, visible_constant + hidden_constant)
}
