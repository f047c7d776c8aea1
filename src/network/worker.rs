//! The shards: fits to a set of rows at some penalties, and fits at the penalty chosen.

use super::debias::Debiasing;
use super::resample;
use super::rows::{Columns, Network};
use super::solver::{Descent, Solver};
use super::spec::NetworkSpec;
use crate::bits::{BitMatrix, WeightedRows};
use crate::run::{ShardWorker, Unfinished, pack, unpack, work_by_pieces};
use serde::{Deserialize, Serialize};

/// Penalties in a round.
pub const PENALTIES_PER_ROUND: usize = 5;

/// Fits to resampled rows in a round.
pub const FITS_PER_ROUND: usize = 16;

/// What a round does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Stage {
    /// Fits at the penalties from this place on, a shard for each set of rows.
    Path { first: usize },
    /// Fits at the penalty of this place, a shard each: the first to all rows, the others to resampled ones.
    /// From there the descent goes on to the penalty of `weaker`, where the pull that is taken away is smaller.
    Fits { penalty: usize, weaker: usize, num_done: usize, start: Start },
}

/// Where the fits at the penalty chosen begin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Start {
    pub biases: Vec<f64>,
    pub couplings: Vec<f64>,
    /// The pairs that may be edges in the fit to all rows; all if `None`.
    pub allowed: Option<Vec<bool>>,
}

/// Fits at one penalty after another.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PathPart {
    /// The networks: of all rows all of them, of other sets the last.
    pub networks: Vec<Network>,
    /// Their biases.
    pub biases: Vec<Vec<f64>>,
    /// Log pseudolikelihood, in nats a row, of the rows that are held out, or else of the rows themselves.
    pub scores: Vec<f64>,
    /// The same of the network with the same edges that is fitted without a penalty, of all rows.
    pub refitted: Vec<f64>,
    /// The pairs that are edges.
    pub edges: Vec<Vec<u32>>,
    /// Number of fits that did not reach their minimum.
    pub num_unconverged: usize,
}

/// A fit at the penalty chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FitPart {
    /// The biases, of the fit to all rows.
    pub biases: Vec<f64>,
    /// The penalized couplings.
    pub couplings: Vec<f64>,
    /// The couplings without the pull of the penalty, NaN where the rows determine none.
    pub estimates: Vec<f64>,
    /// Their standard errors, of the fit to all rows.
    pub standard_errors: Vec<f64>,
    /// Number of descents that did not reach their minimum.
    pub num_unconverged: usize,
}

/// Works the shards.
pub struct NetworkWorker {
    pub spec: NetworkSpec,
    pub data: BitMatrix,
    pub penalties: Vec<f64>,
    pub stage: Stage,
}

impl NetworkWorker {
    /// A worker before the first round. The spec has its seed, and the rows are checked.
    pub fn new(spec: &NetworkSpec, data: &BitMatrix) -> Self {
        let mut worker = Self {
            spec: spec.clone(),
            data: data.clone(),
            penalties: Vec::new(),
            stage: Stage::Path { first: 0 },
        };
        worker.penalties = match &spec.penalties.values {
            Some(values) => values.clone(),
            None => {
                let greatest = worker.solver(&worker.all_rows(), None).greatest_penalty();
                let (count, ratio) = (spec.penalties.count(), spec.penalties.ratio());
                let exponent = |at: usize| at as f64 / (count - 1) as f64;
                (0..count).map(|at| greatest * crate::math::pow(ratio, exponent(at))).collect()
            }
        };
        worker
    }

    fn seed(&self) -> u64 {
        self.spec.seed.unwrap_or(0)
    }

    /// Number of fits at the penalty chosen.
    pub fn num_fits(&self) -> usize {
        1 + self.spec.bootstrap
    }

    fn all_rows(&self) -> WeightedRows {
        WeightedRows::from_data(self.data.as_batch())
    }

    fn solver(&self, rows: &WeightedRows, allowed: Option<Vec<bool>>) -> Solver {
        Solver::new(Columns::new(rows), self.spec.objective.loss(), allowed)
    }
}

/// Fits to one set of rows, on the way.
struct Following {
    solver: Solver,
    held_out: Option<Columns>,
    keeps_all: bool,
    descent: Option<Descent>,
    network: Network,
    /// The fit without a penalty of the network that is found.
    refit: Option<Descent>,
    part: PathPart,
}

impl Following {
    fn new(worker: &NetworkWorker, shard: usize, scattered: &[u8]) -> Self {
        let (rows, held_out) = match shard.checked_sub(1) {
            None => (worker.all_rows(), None),
            Some(set) => resample::set(&worker.data, &worker.spec.choice, set, worker.seed()),
        };
        let solver = worker.solver(&rows, None);
        let before: Option<Network> = unpack(scattered).expect("a network, or none");
        Self {
            network: before.unwrap_or_else(|| solver.without_edges()),
            solver,
            held_out: held_out.map(|rows| Columns::new(&rows)),
            keeps_all: shard == 0,
            descent: None,
            refit: None,
            part: PathPart::default(),
        }
    }

    /// One step at a penalty: of the fit, or of that without it.
    fn advance(&mut self, penalty: f64) {
        let Some(refit) = &mut self.refit else { return self.fit(penalty) };
        let Some(fitted) = refit.advance(&self.solver) else { return };
        // It may have no minimum, where columns are never together: its score has a limit then.
        self.part.refitted.push(self.solver.columns().log_pseudolikelihood(&fitted.network));
        self.refit = None;
        self.solver.allow_all();
    }

    /// Whether a number of penalties are done.
    fn has_done(&self, num_penalties: usize) -> bool {
        self.refit.is_none() && self.part.scores.len() == num_penalties
    }

    /// One step of the fit at a penalty.
    fn fit(&mut self, penalty: f64) {
        let Self { solver, descent, network, part, .. } = self;
        let descent = descent.get_or_insert_with(|| Descent::new(solver, penalty, network.clone()));
        let Some(fitted) = descent.advance(solver) else { return };
        self.descent = None;
        self.network = fitted.network;
        part.num_unconverged += usize::from(!fitted.converged);
        let columns = self.solver.columns();
        let biases = self.network.biases(columns);
        part.scores.push(match &self.held_out {
            None => columns.log_pseudolikelihood(&self.network),
            Some(held_out) => {
                let network = Network::centred(&biases, &self.network.couplings, held_out);
                held_out.log_pseudolikelihood(&network)
            }
        });
        let is_edge = |(_, coupling): &(usize, &f64)| **coupling != 0.0;
        let edges = self.network.couplings.iter().enumerate().filter(is_edge);
        part.edges.push(edges.map(|(pair, _)| pair as u32).collect());
        if self.keeps_all {
            self.solver.allow_edges_of(&self.network);
            self.refit = Some(Descent::new(&self.solver, 0.0, self.network.clone()));
        } else {
            part.networks.clear();
            part.biases.clear();
        }
        part.networks.push(self.network.clone());
        part.biases.push(biases);
    }
}

/// A fit at the penalty chosen, on the way.
struct Finishing {
    solver: Solver,
    descent: Descent,
    /// λ of the network from which estimates without a penalty are made.
    weaker: f64,
    with_errors: bool,
    /// The network at the penalty chosen, once it is found.
    found: Option<FitPart>,
    /// What follows, and the network it starts from.
    debiasing: Option<(Network, Debiasing)>,
}

impl Finishing {
    fn new(
        worker: &NetworkWorker,
        [penalty, weaker]: [usize; 2],
        fit: usize,
        start: &Start,
    ) -> Self {
        let (rows, allowed) = match fit.checked_sub(1) {
            None => (worker.all_rows(), start.allowed.clone()),
            Some(fit) => (resample::drawn(&worker.data, fit, worker.seed()), None),
        };
        let solver = worker.solver(&rows, allowed);
        let from = Network::centred(&start.biases, &start.couplings, solver.columns());
        Self {
            descent: Descent::new(&solver, worker.penalties[penalty], from),
            solver,
            weaker: worker.penalties[weaker],
            with_errors: fit == 0,
            found: None,
            debiasing: None,
        }
    }

    fn advance(&mut self) -> Option<FitPart> {
        if let Some((network, debiasing)) = &mut self.debiasing {
            let debiased = debiasing.advance(&self.solver, network)?;
            let found = self.found.take().expect("it comes first");
            let (estimates, standard_errors) = (debiased.estimates, debiased.standard_errors);
            return Some(FitPart { estimates, standard_errors, ..found });
        }
        let fitted = self.descent.advance(&self.solver)?;
        let num_unconverged = usize::from(!fitted.converged);
        match &mut self.found {
            None => {
                self.found = Some(FitPart {
                    biases: fitted.network.biases(self.solver.columns()),
                    couplings: fitted.network.couplings.clone(),
                    estimates: Vec::new(),
                    standard_errors: Vec::new(),
                    num_unconverged,
                });
                self.solver.allow_all();
                self.descent = Descent::new(&self.solver, self.weaker, fitted.network);
            }
            Some(found) => {
                found.num_unconverged += num_unconverged;
                let debiasing = Debiasing::new(&self.solver, &fitted.network, self.with_errors);
                self.debiasing = Some((fitted.network, debiasing));
            }
        }
        None
    }
}

impl ShardWorker for NetworkWorker {
    fn num_shards(&self) -> usize {
        match &self.stage {
            Stage::Path { .. } => 1 + self.spec.choice.num_sets(),
            Stage::Fits { num_done, .. } => FITS_PER_ROUND.min(self.num_fits() - num_done).max(1),
        }
    }

    fn prepare(&mut self, broadcast: &[u8]) {
        self.stage = unpack(broadcast).expect("a stage");
    }

    fn work(&self, shard: usize, scattered: &[u8]) -> Vec<u8> {
        work_by_pieces(self, shard, scattered)
    }

    fn work_piece(
        &self,
        shard: usize,
        scattered: &[u8],
        unfinished: &mut Unfinished,
    ) -> Option<Vec<u8>> {
        let part = match &self.stage {
            Stage::Path { first } => {
                let following =
                    unfinished.get_or_insert_with(|| Following::new(self, shard, scattered));
                let num_penalties = PENALTIES_PER_ROUND.min(self.penalties.len() - first);
                let at = following.part.scores.len();
                following.advance(self.penalties[(first + at).min(self.penalties.len() - 1)]);
                if !following.has_done(num_penalties) {
                    return None;
                }
                pack(&following.part)
            }
            Stage::Fits { penalty, weaker, num_done, start } => {
                let begin = || Finishing::new(self, [*penalty, *weaker], num_done + shard, start);
                pack(&unfinished.get_or_insert_with(begin).advance()?)
            }
        };
        unfinished.clear();
        Some(part)
    }
}
