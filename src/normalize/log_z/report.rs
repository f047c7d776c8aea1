//! Progress and result of normalizing.

use crate::diagnostics::student_t_quantile;
use crate::run::Outcome;
use unnorm_wire::report;

/// Progress of normalizing.
#[report]
pub struct LogZProgress {
    /// The verb: "logZ".
    #[ts(type = "\"logZ\"")]
    pub verb: &'static str,
    /// The current phase: "pilot", "forward", "draw", "equilibrate", "reverse" or "rows".
    #[ts(type = "\"pilot\" | \"forward\" | \"draw\" | \"equilibrate\" | \"reverse\" | \"rows\"")]
    pub phase: &'static str,
    /// β of the chains' present position on the path.
    pub beta: f64,
    /// Log weights of the chains so far, `[numChains]`, in nats; empty between runs. With several
    /// rows, those of the first.
    pub log_weights: Vec<f64>,
    /// States of the chains, `[numChains, dim]`, if the caller asks for draws.
    pub states: Option<Vec<f64>>,
    /// Estimate of the fraction done, 0 to 1; it never falls.
    pub fraction: f64,
    /// Whether there is a result.
    pub done: bool,
}

/// An interval of log Z or of another estimate, in its units.
#[report]
#[derive(Copy)]
pub struct Interval {
    /// The lower end.
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
}

/// An estimate with its uncertainty.
#[report]
#[derive(Copy)]
pub struct Estimated {
    /// The estimate.
    pub value: f64,
    /// Its standard error; NaN if unknown.
    pub standard_error: f64,
    /// Its confidence interval, at the confidence asked for.
    pub interval: Interval,
}

impl Estimated {
    /// The mean of independent values, with its Student t interval.
    pub fn of_mean(values: &[f64], confidence: f64) -> Self {
        let count = values.len() as f64;
        let (value, standard_error) = mean_and_error(values);
        let reach = student_t_quantile(0.5 * (1.0 + confidence), count - 1.0) * standard_error;
        let interval = Interval { lower: value - reach, upper: value + reach };
        Self { value, standard_error, interval }
    }
}

/// The mean of independent values, and its standard error.
pub(super) fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares = values.iter().map(|value| (value - mean) * (value - mean));
    (mean, (squares.sum::<f64>() / (count * (count - 1.0))).sqrt())
}

/// The result of the runs in one direction.
#[report]
pub struct RunReport {
    /// log Z estimated from these runs alone.
    #[serde(rename = "logZ")]
    pub log_z: Estimated,
    /// Bootstrap interval of that log Z.
    pub bootstrap: Interval,
    /// The mean of log Z of the reference + log weights. Its expectation is below log Z for forward
    /// runs, above it for reverse runs.
    pub mean_log_weight: f64,
    /// Standard error of that mean.
    pub mean_log_weight_error: f64,
    /// Effective sample size of the weights (forward) or of their reciprocals (reverse); it is not
    /// that of a Markov chain.
    pub weight_ess: f64,
    /// Its bootstrap standard error; NaN with resampling, and with several rows.
    pub weight_ess_error: f64,
    /// Each chain's estimate of log Z, `[numChains]`, in nats: log Z of the reference plus the log
    /// weight. With resampling, the log weight since the last resampling plus the common one before
    /// it.
    pub log_weights: Vec<f64>,
    /// Histogram of those estimates: edges of the bins, one more than there are bins.
    pub histogram_edges: Vec<f64>,
    /// Number of chains in each bin.
    pub histogram_counts: Vec<f64>,
    /// log Z by thermodynamic integration (path sampling) from the same runs; absent with
    /// resampling.
    pub integral: Option<Estimated>,
    /// β at the edges of the bins of `acceptance` and `variances`, one more than there are bins.
    pub betas: Vec<f64>,
    /// Mean acceptance of the transitions in each bin; 1 if nothing can be rejected.
    pub acceptance: Vec<f64>,
    /// Variance that the steps in each bin would give the log weights if chains mixed immediately.
    pub variances: Vec<f64>,
    /// Number of times the chains were resampled.
    pub num_resamplings: usize,
}

/// Bounds on log Z that hold with a stated probability for any variance of the weights.
#[report]
pub struct Bounds {
    /// Lower bound on log Z; it fails with the probability below. It is always certified.
    pub lower: f64,
    /// Upper bound on log Z, if there were reverse runs.
    pub upper: Option<f64>,
    /// The failure probability of each bound: e^−b for a bound b nats from the estimate (Markov's
    /// inequality; Grosse 2014, 7.2).
    pub failure_probability: f64,
    /// Whether the upper bound is certified, which requires reverse runs from exact draws.
    /// Otherwise it is a diagnostic and not a bound.
    pub bound_is_certified: bool,
}

/// What annealing along a second path says of the first.
#[report]
pub struct SecondPathReport {
    /// log Z estimated along it.
    #[serde(rename = "logZ")]
    pub log_z: Estimated,
    /// Effective sample size of its weights; with several rows, the smallest.
    pub weight_ess: f64,
    /// By how much its log Z is above that of the first path.
    pub difference: Estimated,
    /// "agree" if the interval of the difference holds 0; otherwise the path whose estimate is higher,
    /// "first" or "second": the other has lost a part of the model. "unclear" if an error is not known, or
    /// above 1 nat.
    #[ts(type = "\"agree\" | \"first\" | \"second\" | \"unclear\"")]
    pub verdict: &'static str,
}

/// The log likelihood of data.
#[report]
pub struct LikelihoodReport {
    /// The mean over the rows, in nats per row, with the error due to log Z.
    pub mean: Estimated,
    /// Standard error of the mean due to the choice of rows, as a sample of their population.
    pub row_error: f64,
    /// For generative models with reverse runs: by how much these are above the forward runs, in nats
    /// per row, with the error due to the choice of rows. In the mean it is more than the forward runs
    /// lose, for certain where the rows are simulated.
    #[full]
    pub gap: Option<Estimated>,
    /// For generative models, which take a run per row: log p of each row.
    #[full]
    pub rows: Option<Vec<f64>>,
    /// log p of each row from the reverse runs, which are too high on average.
    #[full]
    pub reverse_rows: Option<Vec<f64>>,
    /// Standard errors of `rows`.
    #[full]
    pub row_standard_errors: Option<Vec<f64>>,
}

/// The estimate of log Z with diagnostics.
#[report]
pub struct LogZResult {
    /// log Z, in nats: bridged from forward and reverse runs if the latter started from exact
    /// draws, else from the forward runs. For generative models it is the sum over all rows.
    #[serde(rename = "logZ")]
    pub log_z: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Its confidence interval, at the confidence asked for.
    pub interval: Interval,
    /// log Z of the reference.
    #[serde(rename = "referenceLogZ")]
    pub reference_log_z: f64,
    /// Runs from the reference to the model.
    pub forward: RunReport,
    /// Runs from the model to the reference.
    pub reverse: Option<RunReport>,
    /// log Z by Bennett's acceptance ratio, from both runs.
    pub bridge: Option<Estimated>,
    /// Bounds on log Z.
    pub bounds: Bounds,
    /// Upper bound on the Kullback–Leibler divergence of the last states of the forward runs from
    /// the model, in nats: log Z minus the mean log weight (Grosse 2014, eq. 7.8). Only if log Z is
    /// known, from the model itself or from exact draws, and without resampling. For generative
    /// models it is the sum over all rows.
    pub divergence: Option<Estimated>,
    /// What the second path says, if there is one. `logZ` is then that of the path with the smaller error
    /// where they agree, and the higher one otherwise; the lower bound uses both.
    #[full]
    pub second_path: Option<SecondPathReport>,
    /// The last states of the forward runs, `[numChains, dim]`, if the spec has `keepStates`. With
    /// weights proportional to the exponentials of `forward.logWeights` they are draws from the
    /// model (Neal 2001).
    pub states: Option<Vec<f64>>,
    /// The simulated rows, `[numRows, numObserved]`, if the spec has `simulate`.
    #[full]
    pub simulated: Option<Vec<f64>>,
    /// log Z as the model knows it in closed form, if it does.
    #[serde(rename = "exactLogZ", skip_serializing_if = "Option::is_none")]
    pub exact_log_z: Option<f64>,
    /// The log likelihood of the rows, if any were given.
    pub likelihood: Option<LikelihoodReport>,
    /// β_0 to β_K; empty if there are more than 2²⁰.
    pub schedule: Vec<f64>,
    /// The β of `stepSizes`; ln ε is linear between them.
    pub step_size_betas: Vec<f64>,
    /// Step sizes at these β, `[numBetas]`, or `[numRows, numBetas]` for generative models, in
    /// which each row has its own; empty for binary models.
    pub step_sizes: Vec<f64>,
    /// Warnings about the result, as sentences; empty if there are none.
    pub warnings: Vec<String>,
    /// The seed used.
    pub seed: u64,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
}

impl Outcome for LogZResult {
    fn digest(&self) -> &str {
        &self.digest
    }
}
