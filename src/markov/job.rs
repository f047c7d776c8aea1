//! The rounds of `chain`.
//!
//! First the rows of a model's matrix are made, if it is a model's; then the matrix is analysed; then
//! come its powers. `d(t) = max_i ½ Σ_j |(T^t)_ij − π_j|` never grows with t, so the mixing time, the
//! first t at which it is at most ε, is found in two steps: T is squared until `d(2^k)` is small, and
//! then the binary digits of the last t with `d(t) > ε` are decided from the highest on, by one product
//! each.

use super::analysis::Analysis;
use super::input::Input;
use super::report::{ChainProgress, ChainResult, Found};
use super::spec::{ChainSpec, MAX_POWER_STATES};
use super::warnings::warnings;
use super::worker::{ChainWorker, Round};
use crate::Result;
use crate::bits::BitMatrix;
use crate::bytes::to_f64s;
use crate::run::{
    Bits, BoxedCoordinator, Coordinator, ShardWorker, SharedFields, Verb, inconsistent, pack,
    unpack,
};
use serde::{Deserialize, Serialize};

/// Maximum number of squares: up to 2^40 steps.
const MAX_SQUARES: usize = 40;

/// Distances are computed until they are at most this, and at most ε.
const SMALL_DISTANCE: f64 = 1e-3;

/// What is known so far.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct State {
    /// The matrix, `[n, n]`; empty before it is made, and for chains on a line that need none.
    matrix: Vec<f64>,
    analysis: Option<Analysis>,
    /// The powers 2, 4, 8, … of the matrix.
    squares: Vec<Vec<f64>>,
    /// d(1), d(2), d(4), …
    doublings: Vec<f64>,
    search: Option<Search>,
}

/// The search for the last step at which the chain has not mixed.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Search {
    /// The greatest number of steps that is known to be too few.
    num_steps: u64,
    /// That power of the matrix.
    power: Vec<f64>,
    /// Number of binary digits to decide.
    digits_left: usize,
    /// Steps that were tried, and their distances.
    tried: Vec<(u64, f64)>,
}

/// Coordinates `chain`.
pub struct ChainCoordinator {
    worker: ChainWorker,
    epsilon: f64,
    /// Whether distances were asked for.
    wants_distances: bool,
    state: State,
}

impl ChainCoordinator {
    /// The coordinator before its first round, or from a snapshot.
    ///
    /// # Errors
    /// [`crate::Error::BadCheckpoint`] if the snapshot is not one of this job.
    pub fn new(spec: &ChainSpec, worker: ChainWorker, snapshot: Option<&[u8]>) -> Result<Self> {
        let given = || match &worker.input {
            Input::Matrix { matrix, .. } => matrix.clone(),
            Input::Model(_) | Input::Line(_) => Vec::new(),
        };
        let state = match snapshot {
            None => State { matrix: given(), ..State::default() },
            Some(snapshot) => unpack(snapshot)?,
        };
        if !state.fits(worker.num_states()) {
            return Err(inconsistent());
        }
        let (epsilon, wants_distances) = (spec.epsilon, spec.distances);
        let mut coordinator = Self { worker, epsilon, wants_distances, state };
        coordinator.announce();
        Ok(coordinator)
    }

    /// The next round with its matrices; none if the job is done.
    fn next(&self) -> Option<(Round, Vec<&[f64]>)> {
        let State { matrix, analysis, .. } = &self.state;
        if analysis.is_none() {
            return Some(match (&self.worker.input, matrix.is_empty()) {
                (Input::Model(_), true) => (Round::Rows, Vec::new()),
                (_, true) => (Round::Analysis, Vec::new()),
                (_, false) => (Round::Analysis, vec![matrix]),
            });
        }
        if self.squares_more() {
            return Some((Round::Product, vec![self.state.doubled(self.state.squares.len())]));
        }
        let search = self.state.search.as_ref().filter(|search| search.digits_left > 0)?;
        Some((Round::Product, vec![&search.power, self.state.doubled(search.digits_left - 1)]))
    }

    /// Whether the last distance is too great.
    fn squares_more(&self) -> bool {
        let target = self.epsilon.min(SMALL_DISTANCE);
        let is_great = self.state.doublings.last().is_some_and(|distance| *distance > target);
        is_great && self.state.squares.len() < MAX_SQUARES
    }

    /// Tells the worker which round comes next.
    fn announce(&mut self) {
        if let Some(round) = self.next().map(|(round, _)| round) {
            self.worker.set_round(round);
        }
    }

    fn take_analysis(&mut self, analysis: Analysis) {
        let has_limit = analysis.classes.periods[..] == [1];
        let is_small = self.worker.num_states() <= MAX_POWER_STATES;
        if self.wants_distances && is_small && has_limit {
            if let Input::Line(chain) = &self.worker.input {
                self.state.matrix = chain.matrix();
            }
            self.state.doublings = vec![distance(&self.state.matrix, &analysis.stationary)];
        }
        self.state.analysis = Some(analysis);
    }

    fn take_power(&mut self, power: Vec<f64>) {
        let stationary = &self.state.analysis.as_ref().expect("analysed").stationary;
        let distance = distance(&power, stationary);
        match &mut self.state.search {
            None => {
                self.state.squares.push(power);
                self.state.doublings.push(distance);
            }
            Some(search) => search.take(power, distance, self.epsilon),
        }
    }

    /// Begins the search once there are distances enough.
    fn begin_search(&mut self) {
        if self.state.search.is_some() || self.squares_more() {
            return;
        }
        let is_mixed = |distance: &f64| *distance <= self.epsilon;
        if let Some(digits @ 1..) = self.state.doublings.iter().position(is_mixed) {
            self.state.search = Some(Search {
                num_steps: 1 << (digits - 1),
                power: self.state.doubled(digits - 1).to_vec(),
                digits_left: digits - 1,
                tried: Vec::new(),
            });
        }
    }

    /// The first number of steps at which the distance is at most ε; none if it is not known.
    fn mixing_time(&self) -> Option<u64> {
        let stationary = &self.state.analysis.as_ref()?.stationary;
        let first = self.state.doublings.first()?;
        // d(0): the chain is still where it began.
        let rarest = stationary.iter().copied().fold(1.0, f64::min);
        if 1.0 - rarest <= self.epsilon {
            return Some(0);
        }
        if *first <= self.epsilon {
            return Some(1);
        }
        self.state.search.as_ref().map(|search| search.num_steps + 1)
    }

    /// Steps and their distances, in ascending order.
    fn distances(&self) -> Vec<(u64, f64)> {
        let doublings = self.state.doublings.iter().enumerate();
        let mut all: Vec<_> = doublings.map(|(at, distance)| (1 << at, *distance)).collect();
        all.extend(self.state.search.iter().flat_map(|search| &search.tried));
        all.sort_by_key(|(num_steps, _)| *num_steps);
        all
    }
}

impl State {
    /// The power 2^k of the matrix.
    fn doubled(&self, k: usize) -> &[f64] {
        if k == 0 { &self.matrix } else { &self.squares[k - 1] }
    }

    /// Whether the shapes are those of a chain with `num_states` states.
    fn fits(&self, num_states: usize) -> bool {
        let is_matrix = |matrix: &Vec<f64>| matrix.len() == num_states * num_states;
        let num_powers = self.squares.len();
        let is_begun = self.doublings.is_empty() && num_powers == 0;
        let search = self.search.iter();
        (self.matrix.is_empty() || is_matrix(&self.matrix))
            && self.squares.iter().all(is_matrix)
            && (is_begun || self.doublings.len() == num_powers + 1 && is_matrix(&self.matrix))
            && self.analysis.iter().all(|analysis| {
                analysis.stationary.len() == num_states
                    && analysis.classes.of_state.len() == num_states
            })
            && (self.analysis.is_some() || is_begun && self.search.is_none())
            && search.clone().all(|search| search.digits_left <= num_powers)
            && search.clone().all(|search| is_matrix(&search.power))
    }
}

impl Search {
    /// Decides the next digit from the power that has it.
    fn take(&mut self, power: Vec<f64>, distance: f64, epsilon: f64) {
        self.digits_left -= 1;
        let num_steps = self.num_steps + (1 << self.digits_left);
        self.tried.push((num_steps, distance));
        if distance > epsilon {
            (self.num_steps, self.power) = (num_steps, power);
        }
    }
}

/// The greatest total variation distance of a row from a distribution.
fn distance(matrix: &[f64], stationary: &[f64]) -> f64 {
    let rows = matrix.chunks_exact(stationary.len());
    let of_row =
        |row: &[f64]| 0.5 * row.iter().zip(stationary).map(|(a, b)| (a - b).abs()).sum::<f64>();
    rows.map(of_row).fold(0.0, f64::max)
}

impl Coordinator for ChainCoordinator {
    type Progress = ChainProgress;
    type Output = ChainResult;

    fn worker(&self) -> &dyn ShardWorker {
        &self.worker
    }

    fn worker_mut(&mut self) -> &mut dyn ShardWorker {
        &mut self.worker
    }

    fn broadcast(&self) -> Vec<u8> {
        pack(&self.next().expect("the job is done"))
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        let (round, _) = self.next().expect("the job is done");
        assert_eq!(parts.len(), self.worker.num_shards());
        let numbers = || parts.iter().flat_map(|part| to_f64s(part).expect("numbers")).collect();
        match round {
            Round::Rows => self.state.matrix = numbers(),
            Round::Analysis => self.take_analysis(unpack(&parts[0]).expect("an analysis")),
            Round::Product => self.take_power(numbers()),
        }
        self.begin_search();
        self.announce();
    }

    fn is_done(&self) -> bool {
        self.next().is_none()
    }

    fn snapshot(&self) -> Vec<u8> {
        pack(&self.state)
    }

    fn progress(&self) -> ChainProgress {
        let State { matrix, analysis, squares, search, .. } = &self.state;
        let is_made = matches!(self.worker.input, Input::Model(_)) && !matrix.is_empty();
        // It is not known how often the matrix will be squared.
        let fraction = match (analysis, search) {
            _ if self.is_done() => 1.0,
            (None, _) => 0.1 * f64::from(is_made),
            (_, None) => 0.3 + 0.4 * squares.len() as f64 / (squares.len() + 8) as f64,
            (_, Some(search)) => {
                let num_tried = search.tried.len();
                0.7 + 0.3 * num_tried as f64 / (num_tried + search.digits_left) as f64
            }
        };
        ChainProgress { verb: "chain", fraction, done: self.is_done() }
    }

    fn result(&self) -> Option<ChainResult> {
        let analysis = self.state.analysis.as_ref().filter(|_| self.is_done())?;
        let found = Found {
            input: &self.worker.input,
            matrix: &self.state.matrix,
            analysis,
            epsilon: self.epsilon,
            distances: self.distances(),
            mixing_time: self.mixing_time(),
            wants_distances: self.wants_distances,
        };
        let mut result = ChainResult::of(&found);
        result.warnings = warnings(&result, &found);
        Some(result)
    }
}

impl Verb for ChainSpec {
    const NAME: &'static str = "chain";
    type Progress = ChainProgress;
    type Output = ChainResult;

    fn shared_fields(&mut self) -> SharedFields<'_> {
        SharedFields { model: self.model.as_mut(), ..SharedFields::default() }
    }

    fn check(&self) -> Result<()> {
        Self::check(self)
    }

    fn bits(&self, _is_given: bool) -> Result<Bits> {
        Ok(Bits::Unused)
    }

    fn coordinator(
        &self,
        _data: Option<&BitMatrix>,
        snapshot: Option<&[u8]>,
    ) -> Result<BoxedCoordinator<Self>> {
        Ok(Box::new(ChainCoordinator::new(self, ChainWorker::new(self)?, snapshot)?))
    }

    fn worker(&self, _data: Option<&BitMatrix>) -> Result<Box<dyn ShardWorker>> {
        Ok(Box::new(ChainWorker::new(self)?))
    }
}
