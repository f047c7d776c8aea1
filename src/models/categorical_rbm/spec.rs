//! The spec of the machine, and its checks.

use super::CategoricalRbm;
use crate::Result;
#[cfg(feature = "full")]
use crate::energy::Parametric;
use crate::rbm::RbmSpec;
#[cfg(feature = "full")]
use crate::rng::{Purpose, normal, stream};
use crate::site_values::{NumValues, sites_of};
use unnorm_wire::spec;

/// The spec of the restricted Boltzmann machine with visible units of several values.
#[spec]
#[cfg_attr(feature = "full", derive(Default))]
pub struct CategoricalRbmSpec {
    /// Number of sites: the visible units.
    pub num_sites: usize,
    /// Number of values of every site, or of each, at least 2. A state has as many bits as there are
    /// values of all sites together: for each site, in order, those of its values, of which one is
    /// on, or none if the site has no value.
    #[ts(type = "number | number[]")]
    pub num_values: NumValues,
    /// Number of hidden units H.
    pub num_hidden: usize,
    /// W, row-major `[hidden, bits]`; all zero if absent.
    pub weights: Option<Vec<f64>>,
    /// c, `[bits]`; all zero if absent.
    pub visible_bias: Option<Vec<f64>>,
    /// b, `[hidden]`; all zero if absent.
    pub hidden_bias: Option<Vec<f64>>,
}

impl CategoricalRbmSpec {
    /// Checks the spec and builds the model.
    ///
    /// # Errors
    /// [`crate::Error::InvalidSpec`] or [`crate::Error::TooLarge`], naming the field.
    pub fn build(&self) -> Result<CategoricalRbm> {
        let sites = sites_of(self.num_sites, &self.num_values)?;
        let machine = RbmSpec {
            num_visible: sites.dim(),
            num_hidden: self.num_hidden,
            weights: self.weights.clone(),
            visible_bias: self.visible_bias.clone(),
            hidden_bias: self.hidden_bias.clone(),
        };
        Ok(CategoricalRbm { num_values: self.num_values.clone(), sites, machine: machine.build()? })
    }

    /// None, as the core has none.
    #[cfg(not(feature = "full"))]
    pub fn examples() -> Vec<Self> {
        Vec::new()
    }

    /// Small models for the laws.
    #[cfg(feature = "full")]
    pub fn examples() -> Vec<Self> {
        vec![
            Self::random(1, NumValues::All(3), 2, 0.9, 1),
            Self::random(3, NumValues::All(3), 2, 0.8, 2),
            Self::random(3, NumValues::Each(vec![2, 4, 3]), 5, 0.7, 3),
            Self { num_sites: 2, num_values: NumValues::All(4), num_hidden: 1, ..Self::default() },
        ]
    }

    /// A model whose weights and biases are normal with mean 0 and standard deviation `scale`: for
    /// examples and tests.
    ///
    /// # Panics
    /// If there is no such model.
    #[cfg(feature = "full")]
    pub fn random(
        num_sites: usize,
        num_values: NumValues,
        num_hidden: usize,
        scale: f64,
        seed: u64,
    ) -> Self {
        let spec = Self { num_sites, num_values, num_hidden, ..Self::default() };
        let mut model = spec.build().expect("a sound spec");
        let mut rng = stream(seed, Purpose::Example, num_sites as u64);
        let params: Vec<f64> = model.params().iter().map(|_| scale * normal(&mut rng)).collect();
        model.set_params(&params);
        model.to_spec()
    }
}
