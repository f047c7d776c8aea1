//! The Potts model given some of its sites: `h_i(a) ← h_i(a) + Σ_{c ∈ C} J_ic(a, x_c)` for the free ones.

use super::{Entries, ObservedSpec};
use crate::bits::{BitMatrix, flip};
use crate::energy::{Energy, Parametric};
use crate::ising::Pattern;
use crate::linalg::Batch;
use crate::potts::{NumValues, Potts, PottsSpec};
use crate::{Error, Result};

/// The observed bits: all of each observed site.
///
/// # Errors
/// [`Error::InvalidSpec`], naming the field under `observed`.
pub(super) fn entries(model: &Potts, observed: &ObservedSpec) -> Result<Entries> {
    let sites = model.sites();
    let by_site = Entries::new(observed, sites.count(), false)?;
    let mut bits = ObservedSpec { sites: Vec::new(), values: Vec::new() };
    for (site, value) in by_site.observed() {
        let count = sites.num_values(site);
        let Some(on) = (0..count).find(|at| *at as f64 == value) else {
            let at = observed.sites.iter().position(|given| *given == site).unwrap_or(0);
            let problem = format!("is {value}; site {site} has the values 0 to {}", count - 1);
            return Err(Error::spec(format!("observed.values[{at}]"), problem));
        };
        bits.sites.extend(sites.first(site)..sites.first(site) + count);
        bits.values.extend((0..count).map(|at| f64::from(at == on)));
    }
    Entries::new(&bits, sites.dim(), true)
}

/// The model of the free sites, and the constant.
pub(super) fn given(model: &Potts, entries: &Entries) -> (PottsSpec, f64) {
    let sites = model.sites();
    // The value of each observed site, and the places of the others' fields.
    let mut values = vec![None; sites.count()];
    for (bit, is_on) in entries.observed() {
        if is_on == 1.0 {
            let site = sites.site_of(bit);
            values[site] = Some(bit - sites.first(site));
        }
    }
    let mut place = vec![0; sites.dim()];
    entries.free().iter().enumerate().for_each(|(at, &bit)| place[bit] = at);
    let free: Vec<usize> = (0..sites.count()).filter(|site| values[*site].is_none()).collect();
    let mut number = vec![0; sites.count()];
    free.iter().enumerate().for_each(|(at, &site)| number[site] = at);
    let mut fields = entries.restrict(&model.params()[..sites.dim()]);
    let (mut pairs, mut couplings) = (Vec::new(), Vec::new());
    for pair in model.pairs() {
        let [i, j] = pair.sites;
        let [rows, cols] = [i, j].map(|site| sites.num_values(site));
        let block = &model.params()[pair.start..pair.start + rows * cols];
        match (values[i], values[j]) {
            (None, None) => {
                pairs.push([number[i], number[j]]);
                couplings.extend_from_slice(block);
            }
            (Some(value), None) => {
                let line = &block[value * cols..(value + 1) * cols];
                let own = &mut fields[place[sites.first(j)]..];
                own.iter_mut().zip(line).for_each(|(field, coupling)| *field += coupling);
            }
            (None, Some(value)) => {
                let own = &mut fields[place[sites.first(i)]..];
                let column = block.iter().skip(value).step_by(cols);
                own.iter_mut().zip(column).for_each(|(field, coupling)| *field += coupling);
            }
            (Some(_), Some(_)) => {}
        }
    }
    let spec = PottsSpec {
        num_sites: free.len(),
        num_values: NumValues::Each(free.iter().map(|&site| sites.num_values(site)).collect()),
        pattern: Pattern::Pairs { pairs },
        fields: Some(fields),
        couplings: Some(couplings),
    };
    let constant = first_energy(model, entries, &free)
        - spec.build().map_or(f64::NAN, |free| first_energy_of(&free));
    (spec, constant)
}

/// The energy of the state with the observed values whose free sites have their first value.
fn first_energy(model: &Potts, entries: &Entries, free: &[usize]) -> f64 {
    let mut state = vec![0.0; entries.dim()];
    free.iter().for_each(|&site| state[model.sites().first(site)] = 1.0);
    entries.overwrite(&mut state);
    energy(model, &state)
}

/// The energy of the state of first values.
fn first_energy_of(model: &Potts) -> f64 {
    let mut row = BitMatrix::zeros(model.dim(), 1);
    for row in row.rows_mut() {
        (0..model.sites().count()).for_each(|site| flip(row, model.sites().first(site)));
    }
    energy(model, &row.as_batch().to_values())
}

fn energy(model: &Potts, state: &[f64]) -> f64 {
    let mut energy = [f64::NAN];
    model.energy(Batch::new(state.len(), state), &mut energy);
    energy[0]
}
