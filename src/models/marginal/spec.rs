//! The spec of an Ising model with sites summed out.

use super::Marginal;
use crate::checks::check_count;
use crate::energy::Energy;
use crate::ising::{IsingSpec, Pattern};
use crate::{Error, ModelSpec, Result};
use unnorm_wire::spec;

/// Maximum number of sites that are summed out.
pub const MAX_HIDDEN: usize = 12;

/// The spec of an Ising model with sites summed out.
#[spec]
pub struct MarginalSpec {
    /// The Ising model of all sites.
    pub model: Box<ModelSpec>,
    /// How many of its sites are summed out, the last ones: 1 to 12.
    pub num_hidden: usize,
}

impl MarginalSpec {
    /// Checks the spec and builds the model.
    ///
    /// # Errors
    /// Any error of the model's spec, naming the field within it; [`Error::InvalidSpec`] or
    /// [`Error::TooLarge`], naming the field.
    pub fn build(&self) -> Result<Marginal> {
        let ModelSpec::Ising(spec) = &*self.model else {
            let problem = "is not ising, whose sites alone are summed out; give an Ising model with couplings \
                           between the sites that should see each other";
            return Err(Error::spec("model.model.kind", problem));
        };
        let joint = spec.build().map_err(|error| error.within("model"))?;
        check_count("model.numHidden", self.num_hidden, 1, MAX_HIDDEN, "hidden sites")?;
        if self.num_hidden >= joint.dim() {
            let problem = format!(
                "is {}, and the model has {} sites; leave at least one visible",
                self.num_hidden,
                joint.dim()
            );
            return Err(Error::spec("model.numHidden", problem));
        }
        Ok(Marginal::new(joint, self.num_hidden))
    }

    /// Small models for the laws: hidden sites coupled to one another, and layers.
    pub fn examples() -> Vec<Self> {
        let of = |spec: IsingSpec, num_hidden| Self {
            model: Box::new(ModelSpec::Ising(spec)),
            num_hidden,
        };
        // Four visible sites, a layer of two on them, and one site on these.
        let layers: Vec<_> =
            (0..4).flat_map(|i| [[i, 4], [i, 5]]).chain([[4, 6], [5, 6]]).collect();
        vec![
            of(IsingSpec::random(7, Pattern::Dense {}, 0.5, 21), 3),
            of(IsingSpec::random(7, Pattern::Pairs { pairs: layers }, 0.8, 22), 3),
        ]
    }
}
