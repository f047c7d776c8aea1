//! Pseudolikelihood of binary data, as a loss:
//!
//! `−1/N Σ_{x ∈ data} Σ_n ln p(x_n | x_∖n) = 1/N Σ_x Σ_n softplus(E(x) − E(xⁿ))`
//!
//! where xⁿ is x with bit n flipped, as `p(x_n | x_∖n) = 1 / (1 + e^{E(x) − E(xⁿ)})` (Besag 1975;
//! Sohl-Dickstein 2012, eq. 1.13, which has no minus sign and so is maximized). It is in nats per
//! row, and its minimum is consistent.
//!
//! That of sites of several values is in [`crate::models::site_values::SingleSites`].

use super::check_binary;
use crate::Result;
use crate::bits::WeightedRows;
use crate::energy::connectivity::ConnectivitySpec;
use crate::energy::{FlipLoss, Objective};
use crate::models::Model;
use crate::models::definition::Definition;
use crate::models::site_values::single_sites;

/// The objective for a model and data. The rows of data for sites of several values have been checked.
///
/// # Errors
/// [`crate::Error::MissingCapability`] if the model's states are not binary or
/// it has no parameters, [`crate::Error::InvalidSpec`] if its dimension is not
/// the data's.
pub fn objective(model: &dyn Model, data: &WeightedRows) -> Result<Box<dyn Objective>> {
    if let Some(objective) = single_sites(model, data, FlipLoss::Pseudolikelihood) {
        return Ok(objective);
    }
    check_binary(model, data, "pseudolikelihood")?;
    if let Some(fast) = model.as_flip_flow() {
        return Ok(fast.flip_flow(data, FlipLoss::Pseudolikelihood));
    }
    let connectivity = ConnectivitySpec::SingleFlips {}.build(data, false, 0)?;
    Ok(Box::new(Definition::new(model, data.clone(), connectivity, FlipLoss::Pseudolikelihood)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::BitMatrix;
    use crate::linalg::Batch;
    use crate::math::log_sum_exp;
    use crate::models::ModelSpec;

    /// Compares with conditional probabilities from a table of all states.
    #[test]
    fn is_the_log_of_the_conditionals() {
        for spec in ModelSpec::examples() {
            let model = spec.build().unwrap();
            let (dim, Some(parametric)) = (model.dim(), model.as_parametric()) else { continue };
            if model.as_site_flips().is_none() {
                continue;
            }
            let all: Vec<f64> = (0..1u64 << dim)
                .flat_map(|state| (0..dim).map(move |site| (state >> site & 1) as f64))
                .collect();
            let mut logs = vec![0.0; 1 << dim];
            model.energy(Batch::new(dim, &all), &mut logs);
            logs.iter_mut().for_each(|log| *log = -*log);
            let states: Vec<u64> = (0..1u64 << dim).step_by(3).collect();
            let mut expected = 0.0;
            for state in &states {
                for site in 0..dim {
                    let pair = [logs[*state as usize], logs[(state ^ 1 << site) as usize]];
                    expected -= pair[0] - log_sum_exp(&pair);
                }
            }
            expected /= states.len() as f64;
            let mut rows = BitMatrix::zeros(dim, states.len());
            rows.rows_mut().zip(&states).for_each(|(row, state)| row[0] = *state);
            let data = WeightedRows::from_data(rows.as_batch());
            let mut grad = vec![0.0; parametric.params().len()];
            let value = objective(&*model, &data).unwrap().evaluate(parametric.params(), &mut grad);
            assert!((value - expected).abs() < 1e-12 * (1.0 + expected), "{value} {expected}");
        }
    }
}
