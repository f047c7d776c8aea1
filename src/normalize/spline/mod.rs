//! The job that finds the knots of a moment averages path ([`crate::normalize::moment_averages`])
//! for annealing. Rounds of work on the target's moments come first, then rounds on the parameters
//! of the knots, one shard each. A shard is scattered the state of its work, and returns it after
//! more work. The extent of a round follows from the spec alone.

pub mod report;
pub mod spec;

use crate::bits::{BitMatrix, are_rows};
use crate::checks::check_numbers;
use crate::digest::Digest;
use crate::normalize::log_z::spec::ReferenceSpec;
use crate::normalize::moment_averages::{Matching, MomentAverages, MomentWork, Moments};
use crate::normalize::spline::report::{SplineProgress, SplineResult};
use crate::run::{
    Bits, BoxedCoordinator, Coordinator, ShardWorker, SharedFields, Unfinished, Verb, inconsistent,
    pack, unpack,
};
use crate::sample::path_spec::PathSpec;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use spec::SplineSpec;

/// Work per shard in a round, in estimated nanoseconds.
const ROUND: usize = 200_000_000;

/// Work per piece of a shard, in estimated nanoseconds.
const PIECE: usize = 5_000_000;

/// The stage of a round, as it is broadcast.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Stage {
    /// Finding the target's moments.
    Moments,
    /// Finding the knots, given the moments.
    Knots(Moments),
}

/// Works shards of moments, and of knots.
pub struct SplineWorker {
    spline: MomentAverages,
    stage: Stage,
}

impl SplineWorker {
    /// Checks that the model has such a path.
    ///
    /// # Errors
    /// Any error of the model's spec; [`Error::MissingCapability`], [`Error::InvalidSpec`] and
    /// [`Error::TooLarge`] of [`MomentAverages::new`].
    pub fn new(spec: &SplineSpec, data: Option<&BitMatrix>) -> Result<Self> {
        let model = spec.model.build()?;
        let log_odds = match &spec.reference {
            None | Some(ReferenceSpec::Uniform {}) => vec![0.0; model.dim()],
            Some(ReferenceSpec::Independent { log_odds }) => {
                check_numbers("reference.logOdds", log_odds, model.dim())?;
                log_odds.clone()
            }
            Some(ReferenceSpec::Model { .. }) => {
                return Err(Error::spec(
                    "reference.kind",
                    "is a model, which is for models on ℝᴰ; use uniform or independent",
                ));
            }
        };
        let seed = spec.seed.unwrap_or(0);
        let data = data.map(BitMatrix::as_batch);
        let spline = MomentAverages::new(
            &*model,
            &log_odds,
            &spec.moment_averages,
            "momentAverages",
            data,
            seed,
        )?;
        Ok(Self { spline, stage: Stage::Moments })
    }
}

/// The state of a shard's work.
#[derive(Debug, Serialize, Deserialize)]
enum Work {
    /// The work has not begun.
    None,
    Moments(MomentWork),
    /// The matching at a knot, and the number of pieces it has taken.
    Knot(Box<Matching>, u64),
}

impl SplineWorker {
    /// Continues a shard's work for `cost` estimated nanoseconds.
    fn go_on(&self, shard: usize, work: Work, cost: usize) -> Work {
        let pieces = |piece_cost: usize| (cost / piece_cost.max(1)).max(1);
        match &self.stage {
            Stage::Moments => {
                let mut work = match work {
                    Work::Moments(work) => work,
                    _ => self.spline.moment_work(shard),
                };
                work.advance(&self.spline, pieces(work.piece_cost(&self.spline)));
                Work::Moments(work)
            }
            Stage::Knots(moments) => {
                let problem = self.spline.problem(moments, shard);
                let (mut work, num_pieces) = match work {
                    Work::Knot(work, num_pieces) => (work, num_pieces),
                    _ => (Box::new(Matching::new(&problem)), 0),
                };
                let more = pieces(work.piece_cost(&problem));
                if !work.is_done() {
                    work.advance(&problem, more);
                }
                Work::Knot(work, num_pieces + more as u64)
            }
        }
    }

    fn is_done(&self, work: &Work) -> bool {
        match work {
            Work::None => false,
            Work::Moments(work) => work.is_done(&self.spline),
            Work::Knot(work, _) => work.is_done(),
        }
    }
}

impl ShardWorker for SplineWorker {
    fn num_shards(&self) -> usize {
        match &self.stage {
            Stage::Moments => self.spline.num_moment_shards(),
            Stage::Knots(_) => self.spline.knots().len(),
        }
    }

    fn prepare(&mut self, broadcast: &[u8]) {
        self.stage = unpack(broadcast).expect("a stage");
    }

    fn work(&self, shard: usize, scattered: &[u8]) -> Vec<u8> {
        let mut work = unpack(scattered).expect("work under way");
        for _ in 0..ROUND / PIECE {
            work = self.go_on(shard, work, PIECE);
        }
        pack(&work)
    }

    fn work_piece(
        &self,
        shard: usize,
        scattered: &[u8],
        unfinished: &mut Unfinished,
    ) -> Option<Vec<u8>> {
        let (work, num_pieces): (Work, usize) =
            unfinished.take().unwrap_or_else(|| (unpack(scattered).expect("work under way"), 0));
        let (work, num_pieces) = (self.go_on(shard, work, PIECE), num_pieces + 1);
        if num_pieces == ROUND / PIECE || self.is_done(&work) {
            return Some(pack(&work));
        }
        unfinished.put((work, num_pieces));
        None
    }
}

/// What changes from round to round.
#[derive(Serialize, Deserialize)]
struct State {
    /// The target's moments, once they are known.
    moments: Option<Moments>,
    /// The work of each shard of the stage.
    works: Vec<Work>,
}

/// Coordinates the search for the knots.
pub struct SplineCoordinator {
    worker: SplineWorker,
    seed: u64,
    state: State,
}

impl SplineCoordinator {
    /// The coordinator before the first round.
    pub fn new(spec: &SplineSpec, worker: SplineWorker) -> Self {
        let works = (0..worker.num_shards()).map(|_| Work::None).collect();
        Self { worker, seed: spec.seed.unwrap_or(0), state: State { moments: None, works } }
    }

    /// The coordinator from a snapshot.
    ///
    /// # Errors
    /// [`Error::BadCheckpoint`] if the snapshot is not one of this job.
    pub fn resume(spec: &SplineSpec, worker: SplineWorker, snapshot: &[u8]) -> Result<Self> {
        let mut coordinator = Self::new(spec, worker);
        coordinator.state = unpack(snapshot)?;
        if let Some(moments) = &coordinator.state.moments {
            let spline = &coordinator.worker.spline;
            if moments.values.len() != spline.target_params().len()
                || !are_rows(spline.dim(), &moments.rows)
            {
                return Err(inconsistent());
            }
            coordinator.worker.stage = Stage::Knots(moments.clone());
        }
        let SplineWorker { spline, stage } = &coordinator.worker;
        let has_shape_of = |(shard, work): (usize, &Work)| match (work, stage) {
            (Work::None, _) => true,
            (Work::Moments(work), Stage::Moments) => {
                work.has_shape_of(&spline.moment_work(shard), spline)
            }
            (Work::Knot(work, _), Stage::Knots(moments)) => {
                work.is_of(&spline.problem(moments, shard))
            }
            _ => false,
        };
        let is_valid = coordinator.state.works.len() == coordinator.worker.num_shards()
            && coordinator.state.works.iter().enumerate().all(has_shape_of);
        if is_valid { Ok(coordinator) } else { Err(inconsistent()) }
    }

    /// The fraction done of the present stage.
    fn part_done(&self) -> f64 {
        let SplineWorker { spline, stage } = &self.worker;
        let part = |(shard, work): (usize, &Work)| match (work, stage) {
            (work, _) if self.worker.is_done(work) => 1.0,
            (Work::Moments(work), _) => {
                work.num_pieces_done() as f64 / work.num_pieces(spline) as f64
            }
            (Work::Knot(_, num_pieces), Stage::Knots(moments)) => {
                let all = Matching::num_pieces(&spline.problem(moments, shard)) as f64;
                // The number of pieces of a search that ends at convergence is not known.
                let part = *num_pieces as f64 / all;
                if part < 1.0 { part } else { 1.0 }
            }
            _ => 0.0,
        };
        self.state.works.iter().enumerate().map(part).sum::<f64>() / self.state.works.len() as f64
    }
}

impl Coordinator for SplineCoordinator {
    type Progress = SplineProgress;
    type Output = SplineResult;

    fn worker(&self) -> &dyn ShardWorker {
        &self.worker
    }

    fn worker_mut(&mut self) -> &mut dyn ShardWorker {
        &mut self.worker
    }

    fn broadcast(&self) -> Vec<u8> {
        pack(&self.worker.stage)
    }

    fn scatter(&self, shard: usize) -> Vec<u8> {
        pack(&self.state.works[shard])
    }

    fn gather(&mut self, parts: &[Vec<u8>]) {
        assert!(!self.is_done(), "the job is done");
        assert_eq!(parts.len(), self.worker.num_shards());
        let works = parts.iter().map(|part| unpack(part).expect("work under way"));
        self.state.works = works.collect();
        let is_stage_done = self.state.works.iter().all(|work| self.worker.is_done(work));
        if self.state.moments.is_none() && is_stage_done {
            let of_moments = |work: Work| match work {
                Work::Moments(work) => work,
                _ => unreachable!("the stage of moments"),
            };
            let works: Vec<MomentWork> = self.state.works.drain(..).map(of_moments).collect();
            let moments = self.worker.spline.moments(&works);
            self.worker.stage = Stage::Knots(moments.clone());
            self.state.moments = Some(moments);
            self.state.works = (0..self.worker.num_shards()).map(|_| Work::None).collect();
        }
    }

    fn is_done(&self) -> bool {
        self.state.moments.is_some()
            && self.state.works.iter().all(|work| self.worker.is_done(work))
    }

    fn snapshot(&self) -> Vec<u8> {
        pack(&self.state)
    }

    fn progress(&self) -> SplineProgress {
        let done = self.is_done();
        // The moments count as much as one knot.
        let num_knots = self.worker.spline.knots().len() as f64;
        let part = self.part_done();
        let fraction = match &self.state.moments {
            _ if done => 1.0,
            None => 0.999 * part / (1.0 + num_knots),
            Some(_) => 0.999 * (1.0 + num_knots * part) / (1.0 + num_knots),
        };
        SplineProgress {
            verb: "spline",
            phase: if self.state.moments.is_none() { "moments" } else { "knots" },
            fraction,
            done,
        }
    }

    fn result(&self) -> Option<SplineResult> {
        let moments = self.state.moments.as_ref().filter(|_| self.is_done())?;
        let spline = &self.worker.spline;
        let matchings: Vec<&Matching> = self
            .state
            .works
            .iter()
            .filter_map(|work| match work {
                Work::Knot(matching, _) => Some(&**matching),
                _ => None,
            })
            .collect();
        let each: Vec<Vec<f64>> =
            matchings.iter().map(|matching| matching.params().to_vec()).collect();
        let costs = spline.segment_costs(moments, &each);
        let params = each.concat();
        let knots = matchings.iter().filter_map(|matching| matching.report());
        let digest = Digest::new().f64s("params", &params).f64s("segmentCosts", &costs).hex();
        Some(SplineResult {
            knots: knots.collect(),
            moments_error: moments.standard_error.map(|error| error.rms),
            path: PathSpec::Knots { betas: spline.knots().to_vec(), params, costs: Some(costs) },
            seed: self.seed,
            digest,
        })
    }
}

impl Verb for SplineSpec {
    const NAME: &'static str = "spline";
    type Progress = SplineProgress;
    type Output = SplineResult;

    fn shared_fields(&mut self) -> SharedFields<'_> {
        SharedFields {
            model: Some(&mut self.model),
            data: Some(&mut self.data),
            seed: Some(&mut self.seed),
        }
    }

    fn check(&self) -> Result<()> {
        self.moment_averages.check("momentAverages")
    }

    fn bits(&self, _is_given: bool) -> Result<Bits> {
        Ok(Bits::Optional)
    }

    fn coordinator(
        &self,
        data: Option<&BitMatrix>,
        snapshot: Option<&[u8]>,
    ) -> Result<BoxedCoordinator<Self>> {
        let worker = SplineWorker::new(self, data)?;
        Ok(Box::new(match snapshot {
            None => SplineCoordinator::new(self, worker),
            Some(snapshot) => SplineCoordinator::resume(self, worker, snapshot)?,
        }))
    }

    fn worker(&self, data: Option<&BitMatrix>) -> Result<Box<dyn ShardWorker>> {
        Ok(Box::new(SplineWorker::new(self, data)?))
    }
}
