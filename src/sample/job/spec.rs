//! The spec of sampling.

use crate::checks::in_range;
use crate::data::DataSpec;
use crate::models::ModelSpec;
use crate::models::conditional::ObservedSpec;
use crate::run::seed;
use crate::sample::spec::TransitionSpec;
use crate::{Error, Result};
use unnorm_wire::spec;

/// Maximum number of chains per job.
pub const MAX_CHAINS: usize = 1 << 20;

/// Maximum number of steps per chain, warm-up and draws together.
pub const MAX_STEPS: usize = 1_000_000_000;

/// Maximum number of recorded trajectories.
const MAX_RECORDED: usize = 100_000;

/// The spec of `sample`.
#[spec]
pub struct SampleSpec {
    /// The model to draw from.
    pub model: ModelSpec,
    /// How a chain moves.
    pub transition: TransitionSpec,
    /// Number of independent chains.
    pub num_chains: usize,
    /// Number of steps each chain makes before its first draw. If it moves site by site, a step is
    /// a sweep over all sites.
    pub num_warmup: usize,
    /// Number of draws from each chain.
    pub num_draws: usize,
    /// Number of steps from one draw to the next; 1 if absent.
    #[serde(default = "one")]
    pub num_steps_per_draw: usize,
    /// Whether to compute the moments of all pairs from binary draws, for at most 8,192 sites; if
    /// absent, true for at most 1,024 sites.
    pub moments: Option<bool>,
    /// Whether to report the energies of binary draws and the precision of their mean; false if
    /// absent. On ℝᴰ they are always reported.
    #[serde(default)]
    pub energies: bool,
    /// Whether to record how chain 0 moves, for pictures: on ℝᴰ trajectory by trajectory, and the
    /// replicas of bits over the rungs of their ladder; for at most 100,000 steps. False if absent.
    #[serde(default)]
    pub record_path: bool,
    /// Where the chains start.
    #[serde(default)]
    pub start: StartSpec,
    /// Sites, or entries of the state, that are observed and stay: the chains move all others, and draws are whole states.
    #[full]
    pub observed: Option<ObservedSpec>,
    /// Seed of all random numbers, 0 to 2⁵³ − 1; chosen and reported if absent.
    #[serde(default, deserialize_with = "seed", skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

fn one() -> usize {
    1
}

/// Where chains start.
#[spec]
pub enum StartSpec {
    /// At independent fair coin tosses; sites of several values, at values drawn uniformly; on ℝᴰ, at independent standard normal numbers.
    Random {},
    /// At exact draws. Binary models have them if they can be enumerated: 25 sites; a restricted
    /// Boltzmann machine with 20 units on its smaller side; a narrow Ising model.
    Exact {},
    /// Chain c starts from state c of these states on ℝᴰ, modulo their number.
    States {
        /// The states, one after another.
        states: Vec<f64>,
    },
    /// Chain c starts from row c of the data, modulo the number of rows. With a deep belief
    /// network, it starts from a draw that the layers pass up from that row.
    Data {
        /// The rows. Moved out of the spec once read.
        #[ts(as = "DataSpec", optional = false)]
        data: Option<DataSpec>,
    },
}

impl Default for StartSpec {
    fn default() -> Self {
        Self::Random {}
    }
}

impl SampleSpec {
    /// Checks everything that does not require the model.
    pub(super) fn check(&self) -> Result<()> {
        self.transition.check()?;
        if self.transition == (TransitionSpec::Perfect {}) {
            let problem = "is for logZ; to draw exactly, start exactly, and take one draw from each of many \
                           chains";
            return Err(Error::spec("transition.kind", problem));
        }
        if self.transition.is_continuous()
            && self.transition.adaptation().is_some()
            && self.num_warmup == 0
        {
            return Err(Error::spec(
                "transition.stepSize",
                "is to be found in warm-up, and there is none; give a step size alone, or numWarmup",
            ));
        }
        if !self.transition.moves_numbers(&self.model)
            && matches!(self.start, StartSpec::States { .. })
        {
            let problem =
                "is for models on ℝᴰ; start binary chains at random, from data or exactly";
            return Err(Error::spec("start.kind", problem));
        }
        if self.record_path {
            let has_ladder = self.transition.ladder().is_some();
            if self.transition.is_continuous() == has_ladder {
                let problem =
                    "is for chains on ℝᴰ without a ladder and for bits on one; others have no path";
                return Err(Error::spec("recordPath", problem));
            }
            let steps = self.num_draws.saturating_mul(self.num_steps_per_draw);
            if steps > MAX_RECORDED {
                let problem = format!(
                    "asks for {steps} steps; at most {MAX_RECORDED} are kept: take fewer draws"
                );
                return Err(Error::TooLarge { field: "recordPath".into(), problem });
            }
        }
        in_range("numChains", self.num_chains, 1, MAX_CHAINS)?;
        in_range("numDraws", self.num_draws, 1, MAX_STEPS)?;
        in_range("numWarmup", self.num_warmup, 0, MAX_STEPS)?;
        in_range("numStepsPerDraw", self.num_steps_per_draw, 1, MAX_STEPS)?;
        let steps =
            self.num_draws as u128 * self.num_steps_per_draw as u128 + self.num_warmup as u128;
        if steps > MAX_STEPS as u128 {
            return Err(Error::TooLarge {
                field: "numDraws".into(),
                problem: format!("asks for {steps} steps a chain; at most {MAX_STEPS} are allowed"),
            });
        }
        Ok(())
    }
}
