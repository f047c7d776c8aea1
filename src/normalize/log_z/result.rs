//! Makes the result of the runs: the estimates of [`crate::weights`], combined over the targets.

use super::{LogZCoordinator, Run};
use crate::diagnostics::student_t_quantile;
use crate::digest::Digest;
use crate::math::ln;
use crate::normalize::annealing_plan::Direction;
use crate::normalize::log_z::report::{
    Bounds, Estimated, Interval, LikelihoodReport, LogZResult, RunReport, SecondPathReport,
    mean_and_error,
};
use crate::normalize::log_z::spec::{LogZSpec, MAX_BETAS, ReverseStartSpec};
use crate::rng::{Purpose, derived_seed, stream};
use crate::weights::{
    self, AnnealingSummary, Bridge, Estimate, Histogram, Interval as Range, warnings,
};
use std::f64::consts::LN_2;

/// The result of a finished job, and what that along a second path says of it.
pub fn result(job: &LogZCoordinator, second: Option<&LogZResult>) -> LogZResult {
    let forward = job.state.forward.as_ref().expect("the forward runs are done");
    let reverse = job.state.reverse.as_ref();
    let forward = Side::new(job, forward, Direction::Forward);
    let reverse = reverse.map(|run| Side::new(job, run, Direction::Reverse));
    let start = job.spec().reverse.as_ref().map(|reverse| &reverse.start);
    let starts_are_exact = start.is_some_and(ReverseStartSpec::is_exact);
    // Chains from one simulated draw are not independent, which the error of a bridge assumes.
    let starts_are_independent = start == Some(&ReverseStartSpec::Exact {});
    let can_bridge = forward.run.has_whole_weights() && job.worker.is_reversible();
    // A bridge needs the weights of complete runs on both sides.
    let bridges: Option<Vec<Bridge>> = reverse.as_ref().filter(|_| can_bridge).map(|reverse| {
        let pairs = forward.log_weights.iter().zip(&reverse.log_weights);
        pairs.map(|(to, from)| Bridge::of(to, from, job.spec().confidence)).collect()
    });
    let bridge = bridges.as_ref().map(|bridges| {
        let each: Vec<_> =
            bridges.iter().map(|b| (b.log_z, b.standard_error, b.interval)).collect();
        sum(&each, job.spec().confidence)
    });
    let best = match bridge {
        Some(bridge) if starts_are_independent && bridge.value.is_finite() => bridge,
        _ => forward.estimated,
    };
    let second_path = second.map(|second| compare(best, second, job.spec()));
    let best = second_path.as_ref().map_or(best, |second| better(best, second));
    let likelihood = likelihood(job, best, &forward, reverse.as_ref());
    let mut report = LogZResult {
        log_z: best.value,
        standard_error: best.standard_error,
        interval: best.interval,
        reference_log_z: job.reference_log_z(),
        bounds: with_second(bounds(job, &forward, reverse.as_ref(), starts_are_exact), second),
        divergence: divergence(job, &forward),
        warnings: forward.warn(job, reverse.as_ref(), bridges.as_deref(), starts_are_exact),
        exact_log_z: job.exact_log_z(),
        forward: forward.report(job),
        reverse: reverse.as_ref().map(|reverse| reverse.report(job)),
        bridge,
        likelihood,
        schedule: schedule(job),
        step_size_betas: Vec::new(),
        step_sizes: Vec::new(),
        seed: job.seed,
        second_path,
        states: job.state.last_states.clone(),
        simulated: job.worker.target.simulated().map(<[f64]>::to_vec),
        digest: String::new(),
    };
    report.warnings.extend(second_path_warnings(&report, second));
    if job.worker.can_reject() {
        // All targets have the same bins, hence the same β.
        report.step_size_betas = job.state.step_sizes[0].betas().to_vec();
        report.step_sizes =
            job.state.step_sizes.iter().flat_map(|sizes| sizes.sizes().to_vec()).collect();
    }
    report.digest = digest(&report);
    report
}

/// The runs in one direction, with their estimates.
struct Side<'a> {
    run: &'a Run,
    direction: Direction,
    /// Log weights of each target, times Z of the reference; divided by it for reverse runs.
    log_weights: Vec<Vec<f64>>,
    /// One estimate per target.
    estimates: Vec<Estimate>,
    /// The estimate over all targets.
    estimated: Estimated,
}

impl<'a> Side<'a> {
    fn new(job: &LogZCoordinator, run: &'a Run, direction: Direction) -> Self {
        let confidence = job.spec().confidence;
        let references = job.worker.reference_log_zs();
        let is_reverse = direction == Direction::Reverse;
        let log_weights: Vec<Vec<f64>> = run
            .log_weights
            .chunks_exact(job.spec().num_chains)
            .zip(run.genealogies.iter().zip(&references))
            .map(|(chains, (genealogy, reference))| {
                let sign = if is_reverse { -1.0 } else { 1.0 };
                // The weight since the last resampling, plus the common one before it.
                let before = reference + genealogy.log_z_before();
                chains.iter().map(|log_weight| sign * (log_weight + before)).collect()
            })
            .collect();
        let estimate = |(target, chains): (usize, &Vec<f64>)| {
            let seed = derived_seed(job.seed, Purpose::Bootstrap, target as u64);
            let rng = &mut stream(seed, Purpose::Bootstrap, u64::from(is_reverse));
            let genealogy = &run.genealogies[target];
            let is_resampled = genealogy.num_resamplings() > 0;
            // A bootstrap of every row would take too long, and it does not apply to chains with
            // common ancestors.
            let rng = (references.len() == 1 && !is_resampled).then_some(rng);
            let mut estimate = if is_reverse {
                Estimate::of_reverse(chains, confidence, rng)
            } else {
                Estimate::of(chains, confidence, rng)
            };
            if is_resampled {
                let error = genealogy.relative_variance(chains).max(0.0).sqrt();
                estimate.standard_error = error;
                estimate.asymptotic = normal(estimate.log_z, error, confidence, chains.len());
                estimate.mean_log_weight_error = f64::NAN;
            }
            estimate
        };
        let estimates: Vec<Estimate> = log_weights.iter().enumerate().map(estimate).collect();
        let each: Vec<_> = estimates
            .iter()
            .map(|estimate| (estimate.log_z, estimate.standard_error, estimate.asymptotic))
            .collect();
        Self { run, direction, estimated: sum(&each, confidence), log_weights, estimates }
    }

    /// The estimate of each target.
    fn values(&self) -> Vec<f64> {
        self.estimates.iter().map(|estimate| estimate.log_z).collect()
    }

    /// The target with the smallest effective sample size.
    fn worst(&self) -> usize {
        // NaN counts as 0.
        let ess = |target: &usize| self.estimates[*target].weight_ess.max(0.0);
        let of = |a: &usize, b: &usize| ess(a).total_cmp(&ess(b));
        (0..self.estimates.len()).min_by(of).expect("there is a target")
    }

    /// The mean of log Z of the reference + log weights, and its standard error, both over all
    /// targets.
    fn mean_log_weight(&self) -> [f64; 2] {
        let squares = self.estimates.iter().map(|estimate| estimate.mean_log_weight_error);
        [
            self.estimates.iter().map(|estimate| estimate.mean_log_weight).sum(),
            squares.map(|error| error * error).sum::<f64>().sqrt(),
        ]
    }

    fn report(&self, job: &LogZCoordinator) -> RunReport {
        let [mean_log_weight, mean_log_weight_error] = self.mean_log_weight();
        let sign = if self.direction == Direction::Reverse { -1.0 } else { 1.0 };
        let log_weights: Vec<f64> =
            self.log_weights.iter().flatten().map(|log_weight| sign * log_weight).collect();
        let histogram = match &self.estimates[..] {
            [estimate] => estimate.histogram.clone(),
            _ => Histogram::of(&log_weights),
        };
        RunReport {
            log_z: self.estimated,
            bootstrap: match &self.estimates[..] {
                [estimate] => ends(estimate.bootstrap),
                _ => ends(Range::NAN),
            },
            mean_log_weight,
            mean_log_weight_error,
            weight_ess: self.estimates[self.worst()].weight_ess,
            weight_ess_error: self.estimates[self.worst()].weight_ess_error,
            log_weights,
            histogram_edges: histogram.edges,
            histogram_counts: histogram.counts.iter().map(|&count| count as f64).collect(),
            integral: self.integral(job),
            betas: self.run.tally.edges(job.worker.plan.schedule()),
            acceptance: self.run.tally.acceptance(),
            variances: self.run.tally.variances(),
            num_resamplings: self.run.num_resamplings(),
        }
    }

    /// log Z by thermodynamic integration.
    fn integral(&self, job: &LogZCoordinator) -> Option<Estimated> {
        if !self.run.has_whole_weights() {
            return None;
        }
        let (num_chains, confidence) = (job.spec().num_chains, job.spec().confidence);
        let each: Vec<_> = self
            .run
            .integrals
            .chunks_exact(num_chains)
            .zip(job.worker.reference_log_zs())
            .map(|(chains, reference)| {
                let (mean, error) = mean_and_error(chains);
                (reference + mean, error, normal(reference + mean, error, confidence, num_chains))
            })
            .collect();
        Some(sum(&each, confidence))
    }

    fn warn(
        &self,
        job: &LogZCoordinator,
        reverse: Option<&Self>,
        bridges: Option<&[Bridge]>,
        starts_are_exact: bool,
    ) -> Vec<String> {
        let target = self.worst();
        let edges = self.run.tally.edges(job.worker.plan.schedule());
        let acceptance = self.run.tally.acceptance();
        let can_reject = job.worker.can_reject();
        let eves = self
            .run
            .genealogies
            .iter()
            .zip(&self.log_weights)
            .map(|(genealogy, chains)| (genealogy.num_eves(chains), chains.len()));
        warnings(&AnnealingSummary {
            forward: Some(&self.estimates[target]),
            reverse: reverse.map(|reverse| &reverse.estimates[target]),
            bridge: bridges.map(|bridges| &bridges[target]),
            num_distributions: job.spec().num_distributions,
            starts_are_exact,
            acceptance: can_reject.then_some((&edges, &acceptance)),
            eves: eves
                .filter(|_| self.run.num_resamplings() > 0)
                .min_by_key(|(num_eves, _)| *num_eves),
            tail_exponent: job.worker.target.tail_exponent(),
        })
    }
}

impl Run {
    /// Whether no chain was resampled, so that the weights are those of complete runs.
    fn has_whole_weights(&self) -> bool {
        self.num_resamplings() == 0
    }

    fn num_resamplings(&self) -> usize {
        let of = |genealogy: &weights::resampling::Genealogy| genealogy.num_resamplings();
        self.genealogies.iter().map(of).max().unwrap_or(0) as usize
    }
}

/// Certified and other bounds. The product of independent unbiased estimates is unbiased too, so
/// Markov's inequality applies to the sum of their logarithms.
fn bounds(
    job: &LogZCoordinator,
    forward: &Side<'_>,
    reverse: Option<&Side<'_>>,
    starts_are_exact: bool,
) -> Bounds {
    let failure_probability = 0.5 * (1.0 - job.spec().confidence);
    let margin = -ln(failure_probability);
    Bounds {
        lower: forward.estimated.value - margin,
        upper: reverse.map(|reverse| reverse.estimated.value + margin),
        failure_probability,
        bound_is_certified: starts_are_exact && reverse.is_some(),
    }
}

/// The bound on the divergence of the forward runs' last states from the model, if log Z is known.
fn divergence(job: &LogZCoordinator, forward: &Side<'_>) -> Option<Estimated> {
    let log_z = job.exact_log_z().filter(|_| forward.run.has_whole_weights())?;
    let [mean, standard_error] = forward.mean_log_weight();
    let value = log_z - mean;
    let (confidence, count) = (job.spec().confidence, job.spec().num_chains);
    let interval = ends(normal(value, standard_error, confidence, count));
    Some(Estimated { value, standard_error, interval })
}

/// The log likelihood of the rows, if there are any.
fn likelihood(
    job: &LogZCoordinator,
    log_z: Estimated,
    forward: &Side<'_>,
    reverse: Option<&Side<'_>>,
) -> Option<LikelihoodReport> {
    let num_rows = job.worker.target.num_rows();
    let spread = |sum: f64, squares: f64| {
        let mean = sum / num_rows;
        ((squares / num_rows - mean * mean).max(0.0) / (num_rows - 1.0)).sqrt()
    };
    if job.worker.is_generative() {
        let rows = forward.values();
        let errors = forward.estimates.iter().map(|estimate| estimate.standard_error).collect();
        let sums = rows.iter().fold([0.0; 2], |sums, row| [sums[0] + row, sums[1] + row * row]);
        return Some(LikelihoodReport {
            mean: Estimated {
                value: log_z.value / num_rows,
                standard_error: log_z.standard_error / num_rows,
                interval: Interval {
                    lower: log_z.interval.lower / num_rows,
                    upper: log_z.interval.upper / num_rows,
                },
            },
            row_error: spread(sums[0], sums[1]),
            gap: reverse.map(|reverse| gap(forward, reverse, job.spec().confidence)),
            reverse_rows: reverse.map(Side::values),
            rows: Some(rows),
            row_standard_errors: Some(errors),
        });
    }
    let [sum, squares] = job.state.rows?;
    let mean_energy = sum / num_rows;
    Some(LikelihoodReport {
        mean: Estimated {
            value: -mean_energy - log_z.value,
            standard_error: log_z.standard_error,
            // The higher log Z, the lower the rows' likelihood.
            interval: Interval {
                lower: -mean_energy - log_z.interval.upper,
                upper: -mean_energy - log_z.interval.lower,
            },
        },
        row_error: spread(sum, squares),
        gap: None,
        reverse_rows: None,
        rows: None,
        row_standard_errors: None,
    })
}

/// Largest standard error of a difference that tells something: beyond a nat it means little.
const MAX_TOLD: f64 = 1.0;

/// The estimate of a second path beside that of the first.
fn compare(first: Estimated, second: &LogZResult, spec: &LogZSpec) -> SecondPathReport {
    let [a, b] = [first.standard_error, second.standard_error];
    let (value, error) = (second.log_z - first.value, (a * a + b * b).sqrt());
    let interval = ends(normal(value, error, spec.confidence, spec.num_chains));
    SecondPathReport {
        log_z: Estimated {
            value: second.log_z,
            standard_error: second.standard_error,
            interval: second.interval,
        },
        weight_ess: second.forward.weight_ess,
        difference: Estimated { value, standard_error: error, interval },
        verdict: match () {
            () if !(error <= MAX_TOLD && value.is_finite()) => "unclear",
            () if interval.lower > 0.0 => "second",
            () if interval.upper < 0.0 => "first",
            () => "agree",
        },
    }
}

/// Of two paths that agree the estimate with the smaller error; otherwise the higher one, since annealing
/// errs downward.
fn better(first: Estimated, second: &SecondPathReport) -> Estimated {
    let is_second = match second.verdict {
        "agree" => second.log_z.standard_error < first.standard_error,
        _ => second.log_z.value > first.value,
    };
    if is_second { second.log_z } else { first }
}

/// The higher of two lower bounds, lowered so that both fail together no more often than one.
fn with_second(bounds: Bounds, second: Option<&LogZResult>) -> Bounds {
    let Some(second) = second else { return bounds };
    Bounds { lower: bounds.lower.max(second.bounds.lower) - LN_2, ..bounds }
}

fn second_path_warnings(report: &LogZResult, second: Option<&LogZResult>) -> Vec<String> {
    let (Some(path), Some(second)) = (&report.second_path, second) else { return Vec::new() };
    let size = path.difference.value.abs();
    let (lower, higher) =
        if path.verdict == "second" { ("first", "second") } else { ("second", "first") };
    let of_verdict = match path.verdict {
        "agree" => None,
        "unclear" => Some(
            "The errors of the two paths are too large to compare them: use more distributions."
                .into(),
        ),
        _ => Some(format!(
            "Along the {lower} path log Z is {size:.2} nats lower than along the {higher}, more than their \
             errors allow, and annealing errs downward: the {lower} path has lost a part of the model, \
             whatever its weights say. The estimate is the {higher} path's."
        )),
    };
    let own = second.warnings.iter().map(|warning| format!("Along the second path: {warning}"));
    of_verdict.into_iter().chain(own).collect()
}

/// By how much the reverse runs are above the forward ones, in the mean over the rows: what annealing
/// may lose.
fn gap(forward: &Side<'_>, reverse: &Side<'_>, confidence: f64) -> Estimated {
    let gaps: Vec<f64> =
        reverse.values().iter().zip(forward.values()).map(|(above, below)| above - below).collect();
    Estimated::of_mean(&gaps, confidence)
}

fn ends(range: Range) -> Interval {
    Interval { lower: range.low, upper: range.high }
}

/// The Student t interval about an estimate from `count` values.
fn normal(value: f64, error: f64, confidence: f64, count: usize) -> Range {
    let quantile = student_t_quantile(0.5 * (1.0 + confidence), count as f64 - 1.0);
    Range { low: value - quantile * error, high: value + quantile * error }
}

/// The sum of independent estimates; a single one keeps its interval.
fn sum(each: &[(f64, f64, Range)], confidence: f64) -> Estimated {
    if let [(value, standard_error, interval)] = *each {
        return Estimated { value, standard_error, interval: ends(interval) };
    }
    let value = each.iter().map(|(value, ..)| value).sum();
    let variance: f64 = each.iter().map(|(_, error, _)| error * error).sum();
    let standard_error = variance.sqrt();
    let interval = ends(normal(value, standard_error, confidence, 1 << 20));
    Estimated { value, standard_error, interval }
}

fn schedule(job: &LogZCoordinator) -> Vec<f64> {
    let schedule = job.worker.plan.schedule();
    if schedule.len() <= MAX_BETAS { schedule.to_vec() } else { Vec::new() }
}

fn digest(report: &LogZResult) -> String {
    // The bits of a NaN are not specified.
    let numbers = |values: &[f64]| -> Vec<f64> {
        values.iter().map(|value| if value.is_nan() { f64::NAN } else { *value }).collect()
    };
    let of_run = |digest: Digest, run: &RunReport| {
        digest
            .f64s("logWeights", &numbers(&run.log_weights))
            .f64s("acceptance", &numbers(&run.acceptance))
            .f64s("bootstrap", &numbers(&[run.bootstrap.lower, run.bootstrap.upper]))
            .f64s(
                "integral",
                &numbers(
                    &run.integral
                        .map_or(vec![], |integral| vec![integral.value, integral.standard_error]),
                ),
            )
    };
    let mut digest = Digest::new()
        .f64s("logZ", &numbers(&[report.log_z, report.standard_error]))
        .f64s("interval", &numbers(&[report.interval.lower, report.interval.upper]))
        .f64s("schedule", &report.schedule)
        .f64s("stepSizes", &report.step_sizes);
    digest = of_run(digest, &report.forward);
    if let Some(reverse) = &report.reverse {
        digest = of_run(digest, reverse);
    }
    if let Some(second) = &report.second_path {
        let Estimated { value, standard_error, .. } = second.log_z;
        digest = digest.f64s("secondPath", &numbers(&[value, standard_error, second.weight_ess]));
    }
    if let Some(states) = &report.states {
        digest = digest.f64s("states", &numbers(states));
    }
    if let Some(likelihood) = &report.likelihood {
        let mean = likelihood.mean;
        digest = digest.f64s("likelihood", &numbers(&[mean.value, mean.standard_error]));
    }
    if let Some(simulated) = &report.simulated {
        digest = digest.f64s("simulated", simulated);
    }
    digest.hex()
}
