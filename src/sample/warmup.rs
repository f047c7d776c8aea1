//! Warm-up: each chain finds its own step size and map A from its own states alone, so the other
//! chains of a block do not affect it.
//!
//! As in Stan: 75 steps adapt the step size only. Then windows of 25, 50, 100, … steps gather
//! states. At the end of each, A is made from their covariance ([`super::welford`]), the step size
//! is searched anew and its adaptation ([`super::dual_averaging`]) begins again. The last 50 steps
//! adapt the step size only. If there are too few steps, these phases take 15 %, 75 % and 10 % of
//! them; below 20 steps there is no window. The last window is extended if one of twice its length
//! would not fit after it (here the first too, which in Stan keeps its 25).
//!
//! The search, which also precedes the first step, doubles or halves ε until the acceptance of a
//! trial step ([`ChainTransition::trial`]) crosses the target.

use super::chains::{ChainTransition, Chains, StepInfo};
use super::dual_averaging::DualAveraging;
use super::langevin::Mala;
use super::tuning::{Scale, ScaleKind, Tuning};
use super::welford::Welford;
use crate::sample::target::Target;
use serde::{Deserialize, Serialize};

/// Settings of warm-up.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WarmupSettings {
    /// Number of warm-up steps.
    pub num_steps: u64,
    /// Target mean acceptance, between 0 and 1.
    pub target_acceptance: f64,
    /// The kind of map A to adapt.
    pub scale: ScaleKind,
}

/// Warm-up of a block of chains, with all the state needed to resume it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Warmup {
    settings: WarmupSettings,
    /// Number of steps done.
    step: u64,
    windows: Windows,
    step_sizes: Vec<DualAveraging>,
    /// One covariance estimate per chain; empty if no map is adapted.
    covariances: Vec<Welford>,
}

/// Maximum number of doublings or halvings in a search: beyond it ε is so far from its initial
/// value that going on is pointless.
const MAX_DOUBLINGS: usize = 100;

impl Warmup {
    /// Warm-up before the first step of `width` chains.
    pub fn new(settings: WarmupSettings, dim: usize, width: usize) -> Self {
        let covariances = match settings.scale {
            ScaleKind::Unit => Vec::new(),
            kind => vec![Welford::new(dim, kind == ScaleKind::Dense); width],
        };
        Self {
            settings,
            step: 0,
            windows: Windows::new(settings.num_steps),
            step_sizes: Vec::new(),
            covariances,
        }
    }

    /// Whether the lengths are those of `width` chains and these settings, as they are unless a
    /// checkpoint was tampered with.
    pub fn is_valid(&self, settings: WarmupSettings, dim: usize, width: usize) -> bool {
        let is_dense = settings.scale == ScaleKind::Dense;
        let num_covariances = if settings.scale == ScaleKind::Unit { 0 } else { width };
        self.settings == settings
            && self.windows == Windows::new(settings.num_steps)
            && self.step_sizes.len() == if self.step == 0 { 0 } else { width }
            && self.covariances.len() == num_covariances
            && self.covariances.iter().all(|covariance| covariance.is_valid(dim, is_dense))
    }

    /// The settings of this warm-up.
    pub fn settings(&self) -> WarmupSettings {
        self.settings
    }

    /// Whether warm-up is over and the tuning no longer changes.
    pub fn is_done(&self) -> bool {
        self.step >= self.settings.num_steps
    }

    /// Makes one step of `transition` and adapts to it; after warm-up it only makes the step. The
    /// first call searches the step sizes, starting from those of `tuning`.
    ///
    /// # Panics
    /// If the shapes do not match.
    pub fn step(
        &mut self,
        target: Target<'_>,
        transition: &dyn ChainTransition,
        tuning: &mut Tuning,
        chains: &mut Chains,
        info: &mut [StepInfo],
    ) {
        if self.step == 0 && !self.is_done() {
            self.search(target, transition, chains, tuning);
        }
        transition.step(target, tuning, chains, info);
        if !self.is_done() {
            self.learn(target, transition, tuning, chains, info);
        }
    }

    /// Adapts to a step the chains just made.
    fn learn(
        &mut self,
        target: Target<'_>,
        transition: &dyn ChainTransition,
        tuning: &mut Tuning,
        chains: &mut Chains,
        info: &[StepInfo],
    ) {
        assert_eq!(info.len(), chains.width());
        for ((info, averaging), step_size) in
            info.iter().zip(&mut self.step_sizes).zip(&mut tuning.step_size)
        {
            averaging.update(info.acceptance, self.settings.target_acceptance);
            *step_size = averaging.step_size();
        }
        if !self.covariances.is_empty() && self.windows.gathers(self.step) {
            let mut state = vec![0.0; chains.dim()];
            let mut off = Vec::new();
            for (chain, covariance) in self.covariances.iter_mut().enumerate() {
                chains.state(chain, &mut state);
                covariance.add(&state, &mut off);
            }
            if self.windows.ends(self.step) {
                self.set_scale(chains.dim(), tuning);
                self.search(target, transition, chains, tuning);
            }
        }
        self.step += 1;
        if self.is_done() {
            let results = self.step_sizes.iter().map(DualAveraging::result);
            tuning.step_size.iter_mut().zip(results).for_each(|(step, result)| *step = result);
        }
    }

    /// Sets A from the states of the window. If no map can be made of them, the chain's A stays.
    fn set_scale(&mut self, dim: usize, tuning: &mut Tuning) {
        let width = self.covariances.len();
        let is_dense = self.settings.scale == ScaleKind::Dense;
        match (&tuning.scale, is_dense) {
            (Scale::Diagonal(_), false) | (Scale::Dense(_), true) => {}
            (_, false) => tuning.scale = Scale::Diagonal(vec![1.0; dim * width]),
            (_, true) => {
                let unit: Vec<f64> =
                    (0..dim * dim).map(|at| f64::from(u8::from(at / dim == at % dim))).collect();
                tuning.scale = Scale::Dense(vec![unit; width]);
            }
        }
        for (chain, covariance) in self.covariances.iter_mut().enumerate() {
            let estimate = covariance.scale();
            *covariance = Welford::new(dim, is_dense);
            let Some(estimate) = estimate else { continue };
            match &mut tuning.scale {
                Scale::Unit => unreachable!("a map is adapted"),
                Scale::Diagonal(diagonal) => {
                    let entries = diagonal.iter_mut().skip(chain).step_by(width);
                    entries.zip(estimate).for_each(|(to, scale)| *to = scale);
                }
                Scale::Dense(matrices) => matrices[chain] = estimate,
            }
        }
    }

    /// Searches the step size of every chain and restarts its adaptation.
    fn search(
        &mut self,
        target: Target<'_>,
        transition: &dyn ChainTransition,
        chains: &mut Chains,
        tuning: &mut Tuning,
    ) {
        let width = chains.width();
        // Whether each chain's ε grows; unknown before the first trial.
        let mut grows: Vec<Option<bool>> = vec![None; width];
        let mut searching: Vec<usize> = (0..width).collect();
        for _ in 0..MAX_DOUBLINGS {
            if searching.is_empty() {
                break;
            }
            let mut trials = chains.select(&searching);
            let mut info = vec![StepInfo::default(); searching.len()];
            let part = tuning.select(&searching);
            transition.trial().unwrap_or(&Mala).step(target, &part, &mut trials, &mut info);
            for (&chain, rng) in searching.iter().zip(trials.rngs) {
                chains.rngs[chain] = rng;
            }
            let mut found = Vec::new();
            for (&chain, info) in searching.iter().zip(&info) {
                let is_high = info.acceptance > self.settings.target_acceptance;
                if grows[chain].is_some_and(|grows| grows != is_high) {
                    found.push(chain);
                    continue;
                }
                grows[chain] = Some(is_high);
                tuning.step_size[chain] *= if is_high { 2.0 } else { 0.5 };
            }
            searching.retain(|chain| !found.contains(chain));
        }
        self.step_sizes = tuning.step_size.iter().map(|&step| DualAveraging::new(step)).collect();
    }
}

/// When states are gathered, and when A is made from them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Windows {
    /// The first step of the first window.
    start: u64,
    /// The last step of each window.
    ends: Vec<u64>,
}

impl Windows {
    fn new(num_steps: u64) -> Self {
        let (start, mut width, tail) = match num_steps {
            0..20 => return Self { start: 0, ends: Vec::new() },
            20..150 => {
                let (start, tail) = (num_steps * 15 / 100, num_steps / 10);
                (start, num_steps - start - tail, tail)
            }
            _ => (75, 25, 50),
        };
        let stop = num_steps - tail;
        let mut ends = Vec::new();
        let mut from = start;
        while from < stop {
            // The next window is twice as wide; if it does not fit, this one is the last.
            let to = if from + width + 2 * width > stop { stop } else { from + width };
            ends.push(to - 1);
            from = to;
            width *= 2;
        }
        Self { start, ends }
    }

    fn gathers(&self, step: u64) -> bool {
        step >= self.start && self.ends.last().is_some_and(|&last| step <= last)
    }

    fn ends(&self, step: u64) -> bool {
        self.ends.contains(&step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with the windows that Stan makes of 1000, 150, 100 and 19 steps.
    #[test]
    fn windows_double_and_the_last_takes_the_rest() {
        let windows = Windows::new(1000);
        assert_eq!(windows.start, 75);
        assert_eq!(windows.ends, [99, 149, 249, 449, 949]);
        assert!(!windows.gathers(74) && windows.gathers(75));
        assert!(windows.gathers(949) && !windows.gathers(950));
        let windows = Windows::new(150);
        assert_eq!((windows.start, windows.ends), (75, vec![99]));
        let windows = Windows::new(100);
        assert_eq!((windows.start, windows.ends), (15, vec![89]));
        let windows = Windows::new(19);
        assert!(windows.ends.is_empty() && !windows.gathers(10));
    }

    /// At the end of a window the step sizes are searched anew, changing by factors of two, and
    /// their adaptation begins again.
    #[test]
    fn step_sizes_begin_again_after_a_window() {
        use crate::models::ring::RingSpec;
        use crate::rng::{Purpose, stream};
        use crate::sample::langevin::Mala;
        let target = RingSpec::default().build().unwrap();
        let rngs = (0..2).map(|chain| stream(1, Purpose::Chain, chain)).collect();
        let mut chains = Chains::new(Target::Model(&target), &[1.0, 0.0, 0.0, 1.0], rngs);
        let mut tuning = Tuning::uniform(2, 1.0);
        let settings =
            WarmupSettings { num_steps: 150, target_acceptance: 0.574, scale: ScaleKind::Dense };
        let mut warmup = Warmup::new(settings, 2, 2);
        warmup.search(Target::Model(&target), &Mala, &mut chains, &mut tuning);
        let is_power = |ratio: f64| (1..60).any(|n| ratio == (1_u64 << n) as f64);
        assert!(tuning.step_size.iter().all(|step| is_power(1.0 / step)));
        let fresh = |tuning: &Tuning| -> Vec<DualAveraging> {
            tuning.step_size.iter().map(|&step| DualAveraging::new(step)).collect()
        };
        let mut info = [StepInfo::default(); 2];
        for step in 0..150 {
            warmup.step(Target::Model(&target), &Mala, &mut tuning, &mut chains, &mut info);
            assert_eq!(warmup.step_sizes == fresh(&tuning), step == 99, "{step}");
            assert_eq!(tuning.scale == Scale::Unit, step < 99, "{step}");
        }
        assert!(warmup.is_done());
    }
}
