//! Chains of bits at the top of ladders: parallel tempering ([`crate::sample::tempered_bits`]).
//!
//! All ladders have the same rungs. In warm-up they are moved after 16, 32, 64, … steps, and at its
//! end, by the rejections of all ladders.

use super::motion::Motion;
use super::report::push_draw;
use super::spec::SampleSpec;
use super::target::Target;
use super::tempering_report::TemperingReport;
use crate::checks::check_numbers;
use crate::models::Model;
use crate::rng::{Purpose, stream};
use crate::sample::ladder::{FIRST_ADAPTATION, Ladder, pooled_rates};
use crate::sample::param_path::ParamPath;
use crate::sample::path_moves::{Moves, check_binary};
use crate::sample::spec::TemperingSpec;
use crate::sample::tempered_bits::{BitReplicas, MovingReplicas, log_z};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A mean rejection of swaps above this is too high for replicas to travel.
const MOST_REJECTED: f64 = 0.9;

/// Standard errors of log Z above this, in nats, are themselves not known: relative errors of Z are no longer normal.
const LARGEST_ERROR: f64 = 0.3;

/// A model and its ladders.
pub struct Tempered {
    target: Target,
    path: ParamPath,
    moves: Moves,
    num_rungs: usize,
    num_warmup: usize,
    records: bool,
}

/// The replicas of a ladder, and whether their path is recorded.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TemperedChain {
    replicas: BitReplicas,
    is_recorded: bool,
}

impl Tempered {
    /// Checks that the model's chains can move this way.
    ///
    /// # Errors
    /// Those of [`Target::new`] for the transition on a rung; [`Error::MissingCapability`] if the
    /// model has no path from independent units; [`Error::InvalidSpec`] if their log odds are not
    /// one a site.
    pub fn new(spec: &SampleSpec, ladder: &TemperingSpec) -> Result<Self> {
        let target = Target::new(&spec.model, &ladder.transition, spec.num_chains)?;
        let Some(model) = target.model() else {
            return Err(Error::missing("dbn", "an energy", "tempering"));
        };
        let log_odds = match &ladder.log_odds {
            None => vec![0.0; model.dim()],
            Some(log_odds) => {
                check_numbers("transition.logOdds", log_odds, model.dim())?;
                log_odds.clone()
            }
        };
        let path = ladder.path.clone().unwrap_or_default();
        let path =
            path.through_params(model, &log_odds).map_err(|error| error.within("transition"))?;
        check_binary(&path, &ladder.transition)?;
        Ok(Self {
            target,
            path,
            moves: Moves::By((*ladder.transition).clone()),
            num_rungs: ladder.num_rungs,
            num_warmup: spec.num_warmup,
            records: spec.record_path,
        })
    }

    fn model(&self) -> &dyn Model {
        self.path.model()
    }
}

impl Motion for Tempered {
    type Chain = TemperedChain;
    type Record = Vec<u8>;

    fn target(&self) -> &Target {
        &self.target
    }

    fn begin(&self, seed: u64, index: usize, state: &mut dyn FnMut() -> Vec<u64>) -> TemperedChain {
        let rng = |rung: usize| stream(seed, Purpose::Chain, index as u64 + ((rung as u64) << 32));
        let rngs = (0..self.num_rungs).map(rng).collect();
        let rows = (0..self.num_rungs).map(|_| state()).collect();
        let replicas = BitReplicas::new(Ladder::even(self.num_rungs), rows, rngs);
        TemperedChain { replicas, is_recorded: self.records && index == 0 }
    }

    fn is_valid(&self, chain: &TemperedChain) -> bool {
        chain.replicas.is_valid(self.model().dim(), self.num_rungs)
    }

    fn sweep(
        &self,
        chains: &mut [TemperedChain],
        sweeps: Range<usize>,
        is_draw: impl Fn(usize) -> bool,
    ) -> (Vec<u8>, Vec<u8>) {
        let (mut draws, mut record) = (Vec::new(), Vec::new());
        let mut all: Vec<_> = chains.iter().map(|chain| chain.replicas.clone()).collect();
        let mut moving = MovingReplicas::new(&self.path, &self.moves, &all);
        let recorded = chains.iter().position(|chain| chain.is_recorded);
        for sweep in sweeps {
            moving.step(&mut all);
            if is_draw(sweep) {
                moving.target_rows().for_each(|row| push_draw(&mut draws, row, self.model().dim()));
            }
            if let Some(chain) = recorded.filter(|_| sweep >= self.num_warmup) {
                record.extend(all[chain].ladder.replicas().iter().map(|&replica| replica as u8));
            }
        }
        moving.write_back(&mut all);
        chains.iter_mut().zip(all).for_each(|(chain, replicas)| chain.replicas = replicas);
        (draws, record)
    }

    fn join(record: &mut Vec<u8>, more: Vec<u8>) {
        record.extend(more);
    }

    fn width(&self, num_chains: usize) -> usize {
        self.target.width(num_chains)
    }

    fn sweep_cost(&self, _num_steps_per_draw: usize) -> usize {
        let num_params = self.model().as_parametric().map_or(0, |model| model.params().len());
        // An addition per parameter to read a state, and a few operations on what was read.
        let read = num_params / 2 + 20 * self.path.energies().num_read();
        self.num_rungs.saturating_mul(self.target.sweep_cost(1) + read)
    }

    fn num_states(&self) -> usize {
        self.num_rungs
    }

    fn adaptations(&self) -> Vec<usize> {
        let doubling =
            std::iter::successors(Some(FIRST_ADAPTATION as usize), |step| Some(2 * step));
        let mut steps: Vec<_> = doubling.take_while(|&step| step < self.num_warmup).collect();
        steps.push(self.num_warmup);
        steps
    }

    fn adapt(&self, chains: &mut [TemperedChain], num_sweeps: usize) {
        let mut all: Vec<_> = chains.iter_mut().map(|chain| &mut chain.replicas).collect();
        match num_sweeps < FIRST_ADAPTATION as usize {
            true => all.iter_mut().for_each(|one| one.restart_counts()),
            false => BitReplicas::adapt_together(&mut all),
        }
    }

    fn report(&self, chains: &[TemperedChain], record: &Vec<u8>) -> Option<TemperingReport> {
        let all = || chains.iter().map(|chain| &chain.replicas);
        let betas = all().next()?.ladder.betas().to_vec();
        let rejections = pooled_rates(all().map(|one| &one.ladder));
        let num_round_trips: Vec<_> =
            all().map(|one| one.ladder.num_round_trips() as f64).collect();
        let stones: Vec<_> = all().map(|one| &one.stones).collect();
        let (ratio, log_z_error) = log_z(&stones);
        Some(TemperingReport {
            warnings: warnings(&rejections, &num_round_trips, log_z_error),
            barrier: rejections.iter().sum(),
            betas,
            rejections,
            num_round_trips,
            log_z: self.path.reference_log_z() + ratio,
            log_z_error,
            replicas: self.records.then(|| record.clone()),
        })
    }
}

fn warnings(rejections: &[f64], num_round_trips: &[f64], log_z_error: f64) -> Vec<String> {
    let mut warnings = Vec::new();
    let without = num_round_trips.iter().filter(|&&count| count == 0.0).count();
    if without > 0 {
        warnings.push(format!(
            "On {without} of {} ladders no replica went from the lowest rung to the highest and back: their draws \
             may come from one mode, and log Z and its error say nothing of others. Take more steps or more rungs.",
            num_round_trips.len()
        ));
    }
    if log_z_error > LARGEST_ERROR {
        warnings.push(format!(
            "The ladders disagree about log Z: its error is {log_z_error:.2} nats, and so large an error is itself \
             uncertain. They find modes in other proportions: take more steps or more rungs."
        ));
    }
    let most = rejections.iter().copied().fold(0.0, f64::max);
    if most > MOST_REJECTED {
        warnings.push(format!(
            "Swaps of neighbouring rungs are rejected up to {:.0} % of the time: take more rungs.",
            100.0 * most
        ));
    }
    warnings
}
