//! Makes the result of sampling on ℝᴰ.

use super::ContinuousCoordinator;
use super::group::Group;
use crate::diagnostics::{Draws, Summary, ebfmi};
use crate::digest::Digest;
use crate::energy::Reference;
use crate::sample::job::agreement::Agreement;
use crate::sample::job::continuous::report::{
    ChainReport, ContinuousDraws, ContinuousResult, Divergences, EntrySummaries, LevelReport,
};
use crate::sample::job::layout::by_chain;
use crate::sample::simulated_tempering::SimulatedTempering;

/// Below this the momenta's energies hardly cover those of the positions (Betancourt 2016).
const MIN_EBFMI: f64 = 0.3;

/// The result of a finished job.
pub fn result(job: &ContinuousCoordinator) -> ContinuousResult {
    let plan = &job.worker.plan;
    let state = &job.state;
    let counts: Vec<_> = state.groups.iter().flat_map(|group| &group.counts).collect();
    let chains = ChainReport {
        acceptance: counts
            .iter()
            .map(|counts| counts.acceptance / counts.num_proposals as f64)
            .collect(),
        step_size: state.groups.iter().flat_map(Group::step_sizes).collect(),
        num_divergent: counts.iter().map(|counts| counts.num_divergent as f64).collect(),
        num_flipped: counts.iter().map(|counts| counts.num_flipped as f64).collect(),
        num_gradients: counts.iter().map(|counts| counts.num_gradients as f64).collect(),
        num_round_trips: state.groups.iter().flat_map(Group::round_trips).collect(),
        ebfmi: if job.worker.transition.has_momenta() {
            energies_by_chain(job, ebfmi)
        } else {
            Vec::new()
        },
    };
    let column = |f: fn(&Summary) -> f64| state.summaries.iter().map(f).collect::<Vec<_>>();
    let summary = EntrySummaries {
        mean: column(|summary| summary.mean),
        sd: column(|summary| summary.sd),
        mcse_mean: column(|summary| summary.mcse_mean),
        mcse_sd: column(|summary| summary.mcse_sd),
        ess_bulk: column(|summary| summary.ess_bulk),
        ess_tail: column(|summary| summary.ess_tail),
        rhat: column(|summary| summary.rhat),
    };
    let divergences = Divergences {
        num_total: counts.iter().map(|counts| counts.num_divergent as usize).sum(),
        states: counts.iter().flat_map(|counts| &counts.divergences).copied().collect(),
    };
    let num_absent: u64 = counts.iter().map(|counts| counts.num_absent).sum();
    let warnings = warnings(job, &summary, &chains, &divergences, num_absent);
    let digest = Digest::new()
        .f64s("draws", &state.draws)
        .f64s("energies", &state.energies)
        .f64s("stepSize", &chains.step_size)
        .f64s("acceptance", &chains.acceptance)
        .hex();
    ContinuousResult {
        draws: ContinuousDraws {
            dim: plan.dim,
            num_chains: plan.num_chains,
            num_draws: plan.num_draws,
            values: state.draws.clone(),
        },
        energies: state.energies.clone(),
        summary,
        chains,
        divergences,
        paths: state.paths.clone(),
        ladder: state.groups.first().map_or(Vec::new(), Group::ladder),
        levels: levels(job),
        warnings,
        seed: job.seed,
        digest,
    }
}

/// How chains moved over the levels of simulated tempering.
fn levels(job: &ContinuousCoordinator) -> Option<LevelReport> {
    let chains: Vec<_> = job.state.groups.iter().flat_map(Group::simulated).collect();
    let reference = job.worker.reference.as_ref().filter(|_| !chains.is_empty())?;
    let occupancy_of = |chain: &&SimulatedTempering| {
        let total: f64 = chain.visits(0).iter().sum();
        chain.visits(0).iter().map(|visits| visits / total).collect::<Vec<_>>()
    };
    let log_zs: Vec<f64> =
        chains.iter().map(|chain| reference.log_z() + chain.log_ratio(0)).collect();
    let count = log_zs.len() as f64;
    let log_z = log_zs.iter().sum::<f64>() / count;
    let squares: f64 = log_zs.iter().map(|found| (found - log_z) * (found - log_z)).sum();
    Some(LevelReport {
        log_weights: chains.iter().flat_map(|chain| chain.log_weights(0)).copied().collect(),
        occupancy: chains.iter().flat_map(occupancy_of).collect(),
        log_z,
        log_z_error: (squares / (count - 1.0) / count).sqrt(),
    })
}

fn energies_by_chain(job: &ContinuousCoordinator, f: impl Fn(Draws<'_>) -> Vec<f64>) -> Vec<f64> {
    let num_chains = job.worker.plan.num_chains;
    let energies = by_chain(&job.state.energies, 1, num_chains, 0..num_chains).flatten().copied();
    match Draws::new(num_chains, &energies.collect::<Vec<_>>()) {
        Ok(draws) => f(draws),
        Err(_) => vec![f64::NAN; num_chains],
    }
}

/// Warnings about the result, as sentences.
fn warnings(
    job: &ContinuousCoordinator,
    summary: &EntrySummaries,
    chains: &ChainReport,
    divergences: &Divergences,
    num_absent: u64,
) -> Vec<String> {
    let plan = &job.worker.plan;
    let mut warnings = Vec::new();
    let num_proposals = plan.num_chains as u64 * (plan.num_steps - plan.num_warmup);
    if divergences.num_total > 0 {
        warnings.push(format!(
            "{} of {num_proposals} trajectories diverged: there the step size is too large for the \
             energy, and the chains may miss that region; use a smaller step size or a higher \
             target acceptance",
            divergences.num_total
        ));
    }
    if chains.acceptance.iter().any(|acceptance| *acceptance < 0.1) {
        warnings.push(
            "fewer than a tenth of some chain's proposals are accepted; use a smaller step size"
                .into(),
        );
    }
    if num_absent > 0 {
        warnings.push(format!(
            "{num_absent} draws are given again, as their chains were long away from the target: \
             the ladder has too few rungs, or its weights were not found; draw a longer warm-up"
        ));
    }
    let agreement = Agreement {
        quantities: "entries",
        name: &|entry| format!("entry {entry}"),
        remedy: "draw longer, or from a better start",
        num_chains: plan.num_chains,
    };
    warnings.extend(agreement.warnings(&summary.rhat, &summary.ess_bulk));
    let num_low = chains.ebfmi.iter().filter(|ebfmi| **ebfmi < MIN_EBFMI).count();
    if num_low > 0 {
        warnings.push(format!(
            "{num_low} of {} chains move slowly through the energies (E-BFMI below {MIN_EBFMI}): \
             the target's tails are heavy; give it other coordinates",
            plan.num_chains
        ));
    }
    warnings
}
