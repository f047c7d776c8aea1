//! Formulas of variables with several values, x_i ∈ {0, …, q_i − 1}: energies of categories with terms of
//! any number of sites. Such as `equal(x, y)`, which is 1 where two sites agree and else 0.

use super::Formula;
use super::tape::Tape;
use crate::energy::LogWeights;
use crate::linalg::Batch;
use crate::site_values::{SiteValues, Sites, Value, ValueConditionals};

/// Calls `visit` with each state of the batch and the values of its variables; without values if it is none.
pub(super) fn for_each_state(
    sites: &Sites,
    x: Batch<'_>,
    mut visit: impl FnMut(usize, Option<&[f64]>),
) {
    let mut variables = vec![0.0; sites.count()];
    sites.for_each_state(x, |index, values| match values {
        Some(values) => {
            write_variables(values, &mut variables);
            visit(index, Some(&variables));
        }
        None => visit(index, None),
    });
}

/// The values of the variables in those rows of a batch that stand for states, `[states, variables]`, and
/// the weights of these rows.
pub(super) fn states(sites: &Sites, x: Batch<'_>, weights: &[f64]) -> (Vec<f64>, Vec<f64>) {
    assert_eq!(x.len(), weights.len());
    let (mut all, mut kept) = (Vec::with_capacity(x.len() * sites.count()), Vec::new());
    for_each_state(sites, x, |index, variables| {
        if let Some(variables) = variables {
            all.extend_from_slice(variables);
            kept.push(weights[index]);
        }
    });
    (all, kept)
}

fn write_variables(values: &[Value], variables: &mut [f64]) {
    variables.iter_mut().zip(values).for_each(|(variable, value)| *variable = f64::from(*value));
}

/// The conditional distributions of a formula's variables, by its energies.
struct Conditionals {
    sites: Sites,
    tape: Tape,
}

impl ValueConditionals for Conditionals {
    fn sites(&self) -> &Sites {
        &self.sites
    }

    fn log_weights(&self) -> LogWeights<'_> {
        let mut variables = vec![0.0; self.sites.count()];
        let mut nodes = Vec::with_capacity(self.tape.num_nodes());
        Box::new(move |site, values, out| {
            write_variables(values, &mut variables);
            out.clear();
            out.extend((0..self.sites.num_values(site)).map(|value| {
                variables[site] = value as f64;
                -self.tape.value(&variables, &mut nodes)
            }));
        })
    }
}

impl SiteValues for Formula {
    fn sites(&self) -> &Sites {
        self.sites.as_ref().expect("asked of formulas of several values only")
    }

    fn value_conditionals(&self) -> Box<dyn ValueConditionals> {
        Box::new(Conditionals { sites: SiteValues::sites(self).clone(), tape: self.tape.clone() })
    }

    /// Of each value of each site an energy, and a random number a site: the first is estimated as that of
    /// a vector of states, which costs some four times less.
    fn sweep_cost(&self) -> usize {
        let sites = SiteValues::sites(self);
        30 * sites.count() + sites.dim() * (10 + 4 * self.tape.cost())
    }
}
