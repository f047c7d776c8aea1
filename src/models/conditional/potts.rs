//! The Potts model given some of its sites: `h_i(a) ← h_i(a) + Σ_{c ∈ C} J_ic(a, x_c)` for the free ones.

use super::{Entries, ObservedSpec};
use crate::energy::Parametric;
use crate::ising::Pattern;
use crate::potts::{Potts, PottsSpec};
use crate::site_values::{NumValues, Sites};
use crate::{Error, Result};

/// The observed bits: all of each observed site.
///
/// # Errors
/// [`Error::InvalidSpec`], naming the field under `observed`.
pub(super) fn entries(sites: &Sites, observed: &ObservedSpec) -> Result<Entries> {
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

/// The model of the free sites, and the constant `−Σ_c h_c(x_c) − Σ_{c<d} J_cd(x_c, x_d)`.
pub(super) fn given(model: &Potts, entries: &Entries) -> (PottsSpec, f64) {
    let sites = model.sites();
    // The value of each observed site, and the places of the others' fields.
    let mut values = vec![None; sites.count()];
    let mut constant = 0.0;
    for (bit, is_on) in entries.observed() {
        if is_on == 1.0 {
            let site = sites.site_of(bit);
            values[site] = Some(bit - sites.first(site));
            constant -= model.params()[bit];
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
            (Some(of_i), Some(of_j)) => constant -= block[of_i * cols + of_j],
        }
    }
    let spec = PottsSpec {
        num_sites: free.len(),
        num_values: NumValues::Each(free.iter().map(|&site| sites.num_values(site)).collect()),
        pattern: Pattern::Pairs { pairs },
        fields: Some(fields),
        couplings: Some(couplings),
    };
    (spec, constant)
}
