//! Langevin dynamics (Risteski 2021), `x′ = x − (ε²/2) A Aᵀ ∂E/∂x + ε A r`, r ~ N(0, I): one
//! leapfrog step of size ε with a new momentum r, so the literature's time step is ε²/2 here. It is
//! reflected at boundaries, like the leapfrog step.
//!
//! **Unadjusted** ([`Ula`]): every proposal is taken, and the chain converges to a distribution
//! that is not the target. For a Gaussian of variance σ², `x′ = (1 − ε²/(2σ²)) x + ε r` has
//! variance `ε² / (1 − (1 − ε²/(2σ²))²) = σ² / (1 − ε²/(4σ²))`, for ε < 2σ; for larger ε it
//! diverges. At temperature T the noise is `√T ε A r`, and that variance T times as large.
//!
//! **Adjusted** ([`Mala`]): accepted or rejected by the Metropolis rule, which makes it exact. The
//! ratio of densities of target and proposals is e^{−ΔH} of the leapfrog step.

use super::chains::{AdaptationSpec, ChainTransition, ChainTransitionSpec, Chains, StepInfo};
use super::hmc::{acceptance, decide, flip_momenta, is_divergent, propose};
use super::leapfrog::leapfrog_from_kept;
use super::tuning::Tuning;
use crate::sample::target::Target;
use crate::{Error, Result};
use unnorm_wire::spec;

/// Langevin dynamics.
#[spec(default)]
pub struct LangevinSpec {
    /// Whether proposals are accepted or rejected; true if absent. If false, every proposal is
    /// taken and the draws are biased, the more the larger the step size.
    pub adjusted: bool,
    /// T of `x′ = x − (ε²/2) ∂E/∂x + √T ε r`, for unadjusted steps, which then draw from about
    /// `e^−E/T`; with 0 they descend. 1 if absent.
    #[cfg(feature = "full")]
    #[serde(skip_serializing_if = "is_one")]
    pub temperature: f64,
    /// The step size ε. Kept if given without `adaptation`; else found in warm-up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_size: Option<f64>,
    /// What warm-up adapts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adaptation: Option<AdaptationSpec>,
}

impl Default for LangevinSpec {
    fn default() -> Self {
        Self {
            adjusted: true,
            #[cfg(feature = "full")]
            temperature: 1.0,
            step_size: None,
            adaptation: None,
        }
    }
}

#[cfg(feature = "full")]
fn is_one(number: &f64) -> bool {
    *number == 1.0
}

impl LangevinSpec {
    fn temperature(&self) -> f64 {
        #[cfg(not(feature = "full"))]
        return 1.0;
        #[cfg(feature = "full")]
        self.temperature
    }
}

impl ChainTransitionSpec for LangevinSpec {
    fn build(&self) -> Box<dyn ChainTransition> {
        if self.adjusted {
            return Box::new(Mala);
        }
        Box::new(Ula { temperature: self.temperature() })
    }

    fn check(&self) -> Result<()> {
        let temperature = self.temperature();
        let problem = if !(temperature >= 0.0 && temperature.is_finite()) {
            "must be finite and not negative"
        } else if self.adjusted && temperature != 1.0 {
            "is for steps without rejections: set adjusted to false, or give a model whose energy is divided by it"
        } else {
            return Ok(());
        };
        Err(Error::spec("transition.temperature", format!("is {temperature}; it {problem}")))
    }

    fn step_size(&self) -> Option<f64> {
        self.step_size
    }

    fn adaptation(&self) -> Option<&AdaptationSpec> {
        self.adaptation.as_ref()
    }

    fn bias(&self) -> Option<(&'static str, &'static str)> {
        let problem = "is false; without rejections no distribution is left unchanged, and the weights \
                       would be wrong: set it to true";
        (!self.adjusted).then_some(("adjusted", problem))
    }
}

/// The Metropolis-adjusted Langevin algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mala;

impl ChainTransition for Mala {
    fn step(
        &self,
        target: Target<'_>,
        tuning: &Tuning,
        chains: &mut Chains,
        info: &mut [StepInfo],
    ) {
        chains.refresh_momentum(1.0);
        propose(chains, |chains| leapfrog_from_kept(target, tuning, chains, 1));
        decide(chains, info, 1, |_, _| {});
        flip_momenta(chains, info);
    }

    /// From Roberts and Rosenthal (1998).
    fn target_acceptance(&self) -> f64 {
        0.574
    }

    fn error_power(&self) -> f64 {
        3.0
    }
}

/// The unadjusted Langevin algorithm. **Biased**: see the module documentation. `acceptance` is
/// what [`Mala`]'s would be, a measure of that bias. A divergent step is not taken, or the chain
/// would never come back.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ula {
    /// T of `√T ε r`.
    pub temperature: f64,
}

impl ChainTransition for Ula {
    fn step(
        &self,
        target: Target<'_>,
        tuning: &Tuning,
        chains: &mut Chains,
        info: &mut [StepInfo],
    ) {
        assert_eq!(info.len(), chains.width());
        chains.refresh_momentum(1.0);
        if self.temperature != 1.0 {
            chains.scale_momentum(self.temperature.sqrt());
        }
        propose(chains, |chains| leapfrog_from_kept(target, tuning, chains, 1));
        for (chain, info) in info.iter_mut().enumerate() {
            let energy_error = chains.scratch.total[chain] - chains.scratch.total_before[chain];
            let is_divergent = is_divergent(energy_error);
            *info = StepInfo {
                acceptance: acceptance(energy_error),
                is_accepted: !is_divergent,
                is_divergent,
                energy_error,
                num_gradients: 1,
                ..StepInfo::default()
            };
            if is_divergent {
                chains.go_back(chain);
            }
        }
    }

    fn target_acceptance(&self) -> f64 {
        Mala.target_acceptance()
    }

    fn error_power(&self) -> f64 {
        Mala.error_power()
    }
}
