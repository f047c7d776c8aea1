//! Annealed Langevin dynamics (Song and Ermon 2019; Risteski 2021), for an energy E that one fit has
//! learned at several noises (`denoisingScoreMatching` with `noises`): at noise σ the energy of the rows
//! with that noise is E(x)/σ (Song and Ermon 2020). A step takes the chain through all noises
//! σ₁ > … > σ_L:
//!
//! ```text
//! x ← x + σ₁ r
//! for i = 1 … L
//!     num_steps times:  x ← x − (ε²σᵢ²/2) ∂E(x)/∂x / σᵢ + ε σᵢ r
//! ```
//!
//! each r ~ N(0, I). The step size is ε in units of the noise. Written as `x − (h²/2) ∂E/∂x + √σᵢ h r`
//! with `h = ε √σᵢ`, it is unadjusted Langevin dynamics of E at the temperature σᵢ.
//!
//! It leaves **no distribution unchanged**: draws have the noise σ_L, and are as good as E is at every
//! noise. What makes it work is that modes that are far apart touch under the large noises.

use super::chains::{AdaptationSpec, ChainTransition, ChainTransitionSpec, Chains, StepInfo};
use super::hmc::{acceptance, is_divergent, propose};
use super::leapfrog::{drift, leapfrog_from_kept};
use super::tuning::Tuning;
use crate::checks::check_positive;
use crate::sample::target::Target;
use crate::{Error, Result};
use unnorm_wire::spec;

/// Maximum number of Langevin steps at all noises together, as they are not interrupted.
const MAX_STEPS: usize = 1000;

/// Annealed Langevin dynamics.
#[spec]
pub struct AnnealedLangevinSpec {
    /// The noises σ, standard deviations, each less than the one before: usually those of the fit.
    pub noises: Vec<f64>,
    /// Langevin steps at each noise; 20 if absent. At all noises together at most 1,000.
    #[serde(default = "twenty")]
    pub num_steps: usize,
    /// The step size ε, in units of the noise; 0.3 if absent. Warm-up does not adapt it.
    #[serde(default = "third")]
    pub step_size: f64,
}

fn twenty() -> usize {
    20
}

fn third() -> f64 {
    0.3
}

/// Checks a list of noises: some, each finite, greater than 0 and less than the one before.
///
/// # Errors
/// [`Error::InvalidSpec`], naming the field.
pub(crate) fn check_noises(field: &str, noises: &[f64]) -> Result<()> {
    if noises.is_empty() {
        return Err(Error::spec(field, "is empty; give noises from the largest to the smallest"));
    }
    for (at, &noise) in noises.iter().enumerate() {
        check_positive(&format!("{field}[{at}]"), noise)?;
        if at > 0 && noise >= noises[at - 1] {
            let problem = format!(
                "is {noise}, after {}; order the noises from the largest to the smallest",
                noises[at - 1]
            );
            return Err(Error::spec(format!("{field}[{at}]"), problem));
        }
    }
    Ok(())
}

impl ChainTransitionSpec for AnnealedLangevinSpec {
    fn build(&self) -> Box<dyn ChainTransition> {
        Box::new(AnnealedLangevin { noises: self.noises.clone(), num_steps: self.num_steps })
    }

    fn step_size(&self) -> Option<f64> {
        Some(self.step_size)
    }

    fn adaptation(&self) -> Option<&AdaptationSpec> {
        None
    }

    fn check(&self) -> Result<()> {
        check_noises("transition.noises", &self.noises)?;
        let all = self.num_steps.saturating_mul(self.noises.len());
        if !(1..=MAX_STEPS).contains(&all) {
            let problem = format!(
                "is {}, which makes {all} steps at {} noises; between 1 and {MAX_STEPS} are possible",
                self.num_steps,
                self.noises.len()
            );
            return Err(Error::spec("transition.numSteps", problem));
        }
        Ok(())
    }

    fn is_for_draws_alone(&self) -> bool {
        true
    }

    fn bias(&self) -> Option<(&'static str, &'static str)> {
        let problem = "is annealedLangevin, which leaves no distribution unchanged, and the weights \
                       would be wrong: use hmc, nuts, langevin, metropolis or slice";
        Some(("kind", problem))
    }
}

/// Annealed Langevin dynamics. **Biased**: see the module documentation.
#[derive(Debug, Clone, PartialEq)]
pub struct AnnealedLangevin {
    /// The noises σ, from the largest to the smallest.
    pub noises: Vec<f64>,
    /// Langevin steps at each noise.
    pub num_steps: usize,
}

impl ChainTransition for AnnealedLangevin {
    /// A Langevin step that diverges is not taken. The `acceptance` is the mean of what those of
    /// adjusted steps at each noise would be, a measure of the bias.
    fn step(
        &self,
        target: Target<'_>,
        tuning: &Tuning,
        chains: &mut Chains,
        info: &mut [StepInfo],
    ) {
        assert_eq!(info.len(), chains.width());
        let num_steps = self.num_steps * self.noises.len();
        info.fill(StepInfo { is_accepted: true, num_gradients: num_steps, ..StepInfo::default() });
        if let Some(path) = &mut chains.path {
            path.points.clear();
        }
        chains.record();
        // Each Langevin step would begin the recorded path anew.
        let mut path = chains.path.take();
        chains.refresh_momentum(1.0);
        drift(target, &scaled(tuning, |_| self.noises[0]), chains);
        chains.evaluate(target);
        for &noise in &self.noises {
            let tuning = scaled(tuning, |step_size| step_size * noise.sqrt());
            for _ in 0..self.num_steps {
                chains.refresh_momentum(1.0);
                chains.scale_momentum(noise.sqrt());
                propose(chains, |chains| leapfrog_from_kept(target, &tuning, chains, 1));
                for (chain, info) in info.iter_mut().enumerate() {
                    let change = chains.scratch.total[chain] - chains.scratch.total_before[chain];
                    info.energy_error = change / noise;
                    info.acceptance += acceptance(info.energy_error) / num_steps as f64;
                    if is_divergent(info.energy_error) {
                        info.is_divergent = true;
                        chains.go_back(chain);
                    }
                }
                std::mem::swap(&mut chains.path, &mut path);
                chains.record();
                std::mem::swap(&mut chains.path, &mut path);
            }
        }
        chains.path = path;
    }

    fn has_momenta(&self) -> bool {
        false
    }

    fn num_gradients(&self, _dim: usize) -> u64 {
        (self.num_steps * self.noises.len()) as u64
    }
}

/// The same maps with other step sizes.
fn scaled(tuning: &Tuning, step_size: impl Fn(f64) -> f64) -> Tuning {
    let step_size = tuning.step_size.iter().map(|&step| step_size(step)).collect();
    Tuning { step_size, scale: tuning.scale.clone() }
}
