//! Minimum probability flow on binary data:
//!
//! `K(θ) = 1/N Σ_{x ∈ data} Σ_{x′ ~ x} exp(½[E(x; θ) − E(x′; θ)])`
//!
//! over the neighbours x′ of each data state x (Sohl-Dickstein 2012, eq. 2.13 and E.1). The
//! gradient is the same sum of `½ exp(·) [∂E(x) − ∂E(x′)]`. Neighbours that are data themselves are
//! kept, though eq. E.1 sums over states outside the data; the Hopfield objective (eq. 3.10) and
//! the usual implementations keep them too. Flow between two data states then cancels in the
//! gradient as their frequencies approach the model's: K is a sum of a function of one row over the
//! rows, and its minimum is consistent.
//!
//! Where sites have several values, neighbours differ in the value of one site ([`single_sites`]). For others [`objective`] uses the model's own fast forms if it has them
//! ([`FlipFlow`](crate::energy::FlipFlow)), else [`Definition`], which is the formula above.

use super::check_binary;
use super::sum::Sum;
use crate::Result;
use crate::bits::WeightedRows;
use crate::energy::connectivity::ConnectivitySpec;
use crate::energy::{FlipLoss, Objective};
use crate::models::Model;
use crate::models::definition::Definition;
use crate::models::site_values::single_sites;

/// The objective for a model and data. The rows of data for sites of several values, and the connectivity, have
/// been checked. `exclude_data` drops neighbours that are rows of the data;
/// `seed` is for connectivities that draw at random.
///
/// # Errors
/// [`crate::Error::MissingCapability`] if the model's states are not binary or
/// it has no parameters, [`crate::Error::InvalidSpec`] if its dimension is not
/// the data's or the connectivity does not fit.
pub fn objective(
    model: &dyn Model,
    data: &WeightedRows,
    connectivity: &ConnectivitySpec,
    exclude_data: bool,
    seed: u64,
) -> Result<Box<dyn Objective>> {
    if let Some(objective) = single_sites(model, data, FlipLoss::Flow) {
        return Ok(objective);
    }
    check_binary(model, data, "minimum probability flow")?;
    let by_definition = |connectivity: &ConnectivitySpec| -> Result<Box<dyn Objective>> {
        let connectivity = connectivity.build(data, exclude_data, seed)?;
        Ok(Box::new(Definition::new(model, data.clone(), connectivity, FlipLoss::Flow)))
    };
    // The fast forms keep neighbours that are data.
    let fast = model.as_flip_flow().filter(|_| !exclude_data);
    let single_flips = || match fast {
        Some(fast) => Ok(fast.flip_flow(data, FlipLoss::Flow)),
        None => by_definition(&ConnectivitySpec::SingleFlips {}),
    };
    match connectivity {
        ConnectivitySpec::SingleFlips {} => single_flips(),
        ConnectivitySpec::SingleAndAllFlips {} if !exclude_data && data.dim() > 1 => {
            let all = match fast.and_then(|fast| fast.all_flipped_flow(data)) {
                Some(objective) => objective,
                None => {
                    let sets = vec![(0..data.dim()).collect()];
                    by_definition(&ConnectivitySpec::FlipSets { sets })?
                }
            };
            Ok(Box::new(Sum::new(vec![single_flips()?, all])))
        }
        _ => by_definition(connectivity),
    }
}
