//! Makes the result of sampling hidden variables.

use super::report::{LatentDraws, LatentResult, LatentSummaries};
use super::{LatentCoordinator, Quantity};
use crate::diagnostics::Summary;
use crate::digest::Digest;
use crate::exact::job::report::Reconstruction;
use crate::models::latent::MEANS_MATTER;
use crate::sample::job::agreement::Agreement;

/// The result of a finished job.
pub fn result(job: &LatentCoordinator) -> LatentResult {
    let plan = &job.worker.plan;
    let num_hidden = plan.num_hidden();
    let rows = || job.state.draws.chunks_exact(plan.draw_width());
    let column = |quantity: Quantity| job.numbers(quantity.place_from_end()).collect::<Vec<f64>>();
    let has = |quantity: Quantity| job.worker.quantities.contains(&quantity);
    let features = num_hidden..plan.state_width() - 2;
    let draws = LatentDraws {
        num_rows: plan.num_rows,
        dim: plan.dim,
        order: plan.order,
        num_chains: plan.num_chains,
        num_draws: plan.num_draws,
        hidden: rows().flat_map(|row| &row[..num_hidden]).copied().collect(),
        features: rows().flat_map(|row| &row[features.clone()]).copied().collect(),
        signal_variance: column(Quantity::SignalVariance),
        noise_variance: column(Quantity::NoiseVariance),
        log_joint: column(Quantity::LogJoint),
        log_likelihood: column(Quantity::LogLikelihood),
        num_in_use: has(Quantity::NumInUse).then(|| column(Quantity::NumInUse)),
    };
    let same_cluster = plan.has_pairs.then(|| same_cluster(job));
    let reconstruction = reconstruction(job);
    let digest = Digest::new()
        .f64s("draws", &job.state.draws)
        .f64s("sameCluster", same_cluster.as_deref().unwrap_or_default())
        .f64s("mean", &reconstruction.mean)
        .f64s("sd", if num_all_draws(job) > 1.0 { &reconstruction.sd } else { &[] })
        .hex();
    LatentResult {
        draws,
        summary: LatentSummaries {
            log_joint: summary(job, Quantity::LogJoint).expect("of every model"),
            log_likelihood: summary(job, Quantity::LogLikelihood).expect("of every model"),
            num_in_use: summary(job, Quantity::NumInUse),
            signal_variance: summary(job, Quantity::SignalVariance),
            noise_variance: summary(job, Quantity::NoiseVariance),
        },
        same_cluster,
        reconstruction,
        warnings: warnings(job),
        seed: job.seed,
        digest,
    }
}

fn summary(job: &LatentCoordinator, quantity: Quantity) -> Option<Summary> {
    let at = job.worker.quantities.iter().position(|other| *other == quantity)?;
    Some(job.state.summaries[at])
}

fn num_all_draws(job: &LatentCoordinator) -> f64 {
    (job.worker.plan.num_chains * job.worker.plan.num_draws) as f64
}

/// Shares of the draws in which two rows share a cluster, both triangles and the diagonal.
fn same_cluster(job: &LatentCoordinator) -> Vec<f64> {
    let num_rows = job.worker.plan.num_rows;
    let mut shares = vec![1.0; num_rows * num_rows];
    let mut counts = job.state.sums.same.iter();
    for i in 0..num_rows {
        for (j, count) in (i + 1..num_rows).zip(&mut counts) {
            let share = *count as f64 / num_all_draws(job);
            shares[i * num_rows + j] = share;
            shares[j * num_rows + i] = share;
        }
    }
    shares
}

/// Means and standard deviations, with S − 1, from the sums of distances from the table.
fn reconstruction(job: &LatentCoordinator) -> Reconstruction {
    let sums = &job.state.sums;
    let count = num_all_draws(job);
    let values = job.worker.table.values.iter();
    let mean = values.zip(&sums.errors).map(|(y, error)| y + error / count).collect();
    let spread = |(error, square): (&f64, &f64)| (square - error * error / count).max(0.0);
    let squares = sums.errors.iter().zip(&sums.squares).map(spread);
    Reconstruction { mean, sd: squares.map(|square| (square / (count - 1.0)).sqrt()).collect() }
}

/// Warnings about the result, as sentences.
fn warnings(job: &LatentCoordinator) -> Vec<String> {
    let agreement = Agreement {
        quantities: "quantities",
        name: &|at| job.worker.quantities[at].name().into(),
        remedy: "draw longer, with a longer warm-up",
        num_chains: job.worker.plan.num_chains,
    };
    let column = |f: fn(&Summary) -> f64| job.state.summaries.iter().map(f).collect::<Vec<_>>();
    let mut warnings =
        agreement.warnings(&column(|summary| summary.rhat), &column(|summary| summary.ess_bulk));
    if job.worker.table.means_matter() {
        warnings.push(MEANS_MATTER.into());
    }
    warnings
}
