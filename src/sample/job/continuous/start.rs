//! Where chains on ℝᴰ start.

use crate::linalg::Batch;
use crate::models::Model;
use crate::rng::{Purpose, normal, stream};
use crate::sample::job::spec::{SampleSpec, StartSpec};
use crate::{Error, Result};

/// Maximum number of random states tried for each chain.
const MAX_TRIALS: usize = 100;

/// The starting states, `[numChains, dim]`.
///
/// # Errors
/// [`Error::InvalidSpec`] if a given state's energy is not finite, or no state with a finite energy
/// is found; [`Error::MissingCapability`] if exact draws are asked for and the model has none.
pub fn states(spec: &SampleSpec, model: &dyn Model, seed: u64) -> Result<Vec<f64>> {
    let (dim, num_chains) = (model.dim(), spec.num_chains);
    let mut states = vec![0.0; num_chains * dim];
    match &spec.start {
        StartSpec::Random {} => {
            for (chain, state) in states.chunks_exact_mut(dim).enumerate() {
                let mut rng = stream(seed, Purpose::InitialState, chain as u64);
                let is_found = (0..MAX_TRIALS).any(|_| {
                    state.iter_mut().for_each(|x| *x = normal(&mut rng));
                    is_possible(model, state)
                });
                if !is_found {
                    return Err(Error::spec(
                        "start",
                        format!(
                            "is random, but of {MAX_TRIALS} standard normal states for chain {chain} \
                             none has a finite energy; give states to start from"
                        ),
                    ));
                }
            }
        }
        StartSpec::Exact {} => {
            let Some(reference) = model.as_reference() else {
                return Err(Error::missing(model.kind(), "Reference", "a start from exact draws"));
            };
            for (chain, state) in states.chunks_exact_mut(dim).enumerate() {
                reference.draw(&mut stream(seed, Purpose::InitialState, chain as u64), state);
            }
        }
        StartSpec::States { states: given } => {
            if given.is_empty() || !given.len().is_multiple_of(dim) {
                return Err(Error::spec(
                    "start.states",
                    format!(
                        "has {} numbers, but a state has {dim}; give one state or more, one after \
                         another",
                        given.len()
                    ),
                ));
            }
            for (chain, state) in given.chunks_exact(dim).enumerate() {
                if !is_possible(model, state) {
                    return Err(Error::spec(
                        format!("start.states[{}]", chain * dim),
                        format!(
                            "begins a state that the model cannot be in: its energy is not finite, \
                             or it lies outside the model's half-spaces ({state:?})"
                        ),
                    ));
                }
            }
            let rows = given.chunks_exact(dim).cycle();
            states.chunks_exact_mut(dim).zip(rows).for_each(|(to, from)| to.copy_from_slice(from));
        }
        StartSpec::Data { .. } => {
            return Err(Error::spec(
                "start",
                "is from data, which are rows of zeros and ones; for a model on ℝᴰ give states",
            ));
        }
    }
    Ok(states)
}

/// Whether the energy is finite and all constraints hold.
fn is_possible(model: &dyn Model, state: &[f64]) -> bool {
    let mut energy = [0.0];
    model.energy(Batch::new(state.len(), state), &mut energy);
    let constraints = model.as_differentiable().map_or(&[][..], |model| model.constraints());
    energy[0].is_finite() && constraints.iter().all(|half_space| half_space.contains(state))
}
