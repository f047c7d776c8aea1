//! The shards: a structure on one fold, and one draw of the chosen structure's matrices for the whole table.

use super::spec::StructureSpec;
use crate::math::{ln, log_sum_exp};
use crate::rng::{ChainRng, Purpose, below, stream};
use crate::run::{ShardWorker, Unfinished, pack, unpack, work_by_pieces};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use unnorm_matrix_decomposition::initialize::{Steps, expand, structureless};
use unnorm_matrix_decomposition::predict::{Annealing, Place, RowDensity, RowModel, steps};
use unnorm_matrix_decomposition::{Expression, Matrix, Move, Node};

/// Entries times terms of the sweeps of a piece: some milliseconds.
const PIECE_COST: usize = 1 << 15;

/// Held-out rows of a piece, each with a density of its own.
const PIECE_ROWS: usize = 4;

/// Sweeps over a structure that has no factors.
const FEW_SWEEPS: usize = 5;

/// States of a chain whose predictions are averaged, over the last sweeps: the first of them after more than half.
const NUM_STATES: usize = 5;

/// Sweeps from one of these states to the next.
fn stride(num_sweeps: usize) -> usize {
    (num_sweeps / (2 * NUM_STATES)).max(1)
}

/// Rows and columns that are held out, and the others, in order.
struct Fold {
    rows: Split,
    cols: Split,
}

struct Split {
    kept: Vec<usize>,
    held_out: Vec<usize>,
}

/// Of each fold the split; each index is held out in one.
fn splits(count: usize, num_folds: usize, rng: &mut ChainRng) -> Vec<Split> {
    let mut order: Vec<usize> = (0..count).collect();
    (1..count).rev().for_each(|at| order.swap(at, below(at + 1, rng)));
    let mut fold_of = vec![0; count];
    order.iter().enumerate().for_each(|(at, index)| fold_of[*index] = at % num_folds);
    let split = |fold: usize| Split {
        kept: (0..count).filter(|index| fold_of[*index] != fold).collect(),
        held_out: (0..count).filter(|index| fold_of[*index] == fold).collect(),
    };
    (0..num_folds).map(split).collect()
}

/// The table and its folds.
pub struct Table {
    /// Standardized.
    pub data: Matrix,
    folds: Vec<Fold>,
    /// Whose matrix all of it is.
    all: Fold,
}

impl Table {
    fn new(spec: &StructureSpec) -> Self {
        let (num_rows, num_cols) = (spec.num_rows(), spec.dim);
        let columns = spec.standardization();
        let data = Matrix::from_fn(num_rows, num_cols, |row, col| {
            let (shift, scale) = columns[col];
            (spec.states[row * num_cols + col] - shift) / scale
        });
        let seed = spec.seed.unwrap_or(0);
        let split = |count: usize, index: u64| {
            splits(count, spec.num_folds, &mut stream(seed, Purpose::StructureFolds, index))
        };
        let folds = split(num_rows, 0).into_iter().zip(split(num_cols, 1));
        let all = |count: usize| Split { kept: (0..count).collect(), held_out: Vec::new() };
        Self {
            data,
            folds: folds.map(|(rows, cols)| Fold { rows, cols }).collect(),
            all: Fold { rows: all(num_rows), cols: all(num_cols) },
        }
    }

    /// Numbers of rows and of columns that a fold keeps.
    pub fn kept(&self, fold: usize) -> (usize, usize) {
        let Fold { rows, cols } = &self.folds[fold];
        (rows.kept.len(), cols.kept.len())
    }
}

/// A structure to be scored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The structure, in the order of its terms' making.
    pub structure: Expression,
    /// How it is made: the place of its parent in the level before, and the move; none for G.
    pub origin: Option<(usize, Move)>,
}

/// What a round does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Stage {
    /// Scores candidates on all folds, from the one of place `first` on.
    Score { level: usize, first: usize, candidates: Vec<Candidate> },
    /// Draws the matrices of the structure that these moves lead to.
    Draw { path: Vec<Move> },
}

/// A candidate's part for a fold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scored {
    /// ln p of each row and column that was held out.
    pub logs: Vec<f64>,
    /// The draws, stripped.
    pub draws: Vec<Node>,
}

/// A draw of the chosen structure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Drawn {
    /// Sum of the squares of the noise: the less, the more is explained.
    pub unexplained: f64,
    /// The draw, stripped.
    pub draw: Node,
}

/// Works the shards.
pub struct StructureWorker {
    pub spec: StructureSpec,
    pub table: Arc<Table>,
    pub stage: Stage,
}

impl StructureWorker {
    /// A worker before the first round. The spec is checked.
    pub fn new(spec: &StructureSpec) -> Self {
        let stage = Stage::Score { level: 0, first: 0, candidates: Vec::new() };
        Self { spec: spec.clone(), table: Arc::new(Table::new(spec)), stage }
    }

    /// Of one draw of one shard.
    fn rng(&self, shard: usize, sample: usize) -> ChainRng {
        let (place, fold) = match &self.stage {
            Stage::Score { level, first, .. } => {
                let candidate = first + shard / self.spec.num_folds;
                ((*level as u64) << 32 | candidate as u64, shard % self.spec.num_folds)
            }
            Stage::Draw { .. } => (u64::from(u32::MAX), shard),
        };
        let index = (place << 10) | (fold << 5 | sample) as u64;
        stream(self.spec.seed.unwrap_or(0), Purpose::StructureDraw, index)
    }

    fn fold(&self, shard: usize) -> &Fold {
        match &self.stage {
            Stage::Score { .. } => &self.table.folds[shard % self.spec.num_folds],
            Stage::Draw { .. } => &self.table.all,
        }
    }
}

/// A draw of a structure's matrices, on the way.
struct Making {
    node: Node,
    rng: ChainRng,
    /// The productions that are still to be applied.
    path: Vec<Move>,
    num_sweeps_left: usize,
    /// Number of states that are still to predict, and the sweeps from one to the next.
    num_states_left: usize,
    stride: usize,
    /// Of each state so far.
    logs: Vec<Vec<f64>>,
}

impl Making {
    /// Plans the sweeps after a production, or those that are all there is.
    fn plan(&mut self, num_sweeps: usize) {
        self.num_states_left = NUM_STATES.min(num_sweeps);
        self.stride = stride(num_sweeps);
        self.num_sweeps_left = num_sweeps - (self.num_states_left - 1) * self.stride;
        self.logs = vec![Vec::new()];
    }
}

/// A shard, on the way.
struct Work {
    /// The predictions of all states of the draws that are done.
    logs: Vec<Vec<f64>>,
    draws: Vec<Node>,
    parents: Vec<Node>,
    current: Option<Making>,
}

/// What the rows of a node are held against.
struct Held<'a> {
    split: &'a Split,
    others: &'a Split,
    is_transposed: bool,
}

impl StructureWorker {
    fn begin(&self, shard: usize, parents: &[Node], sample: usize) -> Making {
        let Fold { rows, cols } = self.fold(shard);
        let mut rng = self.rng(shard, sample);
        let data = self.table.data.part(&rows.kept, &cols.kept);
        let (node, path) = match &self.stage {
            Stage::Draw { path } => (structureless(data, &mut rng), path.clone()),
            Stage::Score { candidates, .. } => {
                match &candidates[shard / self.spec.num_folds].origin {
                    None => (structureless(data, &mut rng), Vec::new()),
                    Some((_, step)) => {
                        let mut parent = parents[sample].clone();
                        parent.set_value(data);
                        (parent, vec![step.clone()])
                    }
                }
            }
        };
        let has_productions = !path.is_empty();
        let mut making = Making {
            node,
            rng,
            path,
            num_sweeps_left: 0,
            num_states_left: 0,
            stride: 1,
            logs: Vec::new(),
        };
        if !has_productions {
            making.plan(FEW_SWEEPS);
        }
        making
    }

    /// Number of sweeps of a piece.
    fn sweeps_at_once(&self, node: &Node) -> usize {
        let terms = node.leaves().len();
        (PIECE_COST / (self.table.data.entries().len() * terms)).max(1)
    }

    /// A piece of a draw. Returns whether it is done.
    fn advance(&self, shard: usize, making: &mut Making) -> bool {
        let fold = self.fold(shard);
        if making.num_sweeps_left > 0 {
            let count = self.sweeps_at_once(&making.node).min(making.num_sweeps_left);
            (0..count).for_each(|_| making.node.sweep(&mut making.rng));
            making.num_sweeps_left -= count;
            return false;
        }
        let (num_rows, num_cols) = (fold.rows.held_out.len(), fold.cols.held_out.len());
        if making.num_states_left > 0 {
            let at = making.logs.last().expect("a state").len();
            if at < num_rows {
                let held = Held { split: &fold.rows, others: &fold.cols, is_transposed: false };
                self.predict(making, &held, at);
            } else if at < num_rows + num_cols {
                let held = Held { split: &fold.cols, others: &fold.rows, is_transposed: true };
                self.predict(making, &held, at - num_rows);
            } else {
                making.num_states_left -= 1;
                if making.num_states_left > 0 {
                    making.logs.push(Vec::new());
                    making.num_sweeps_left = making.stride;
                }
            }
            return false;
        }
        if making.path.is_empty() {
            return true;
        }
        let step = making.path.remove(0);
        let (rows, cols) = (steps(&fold.rows.kept), steps(&fold.cols.kept));
        let steps = Steps { rows: &rows, cols: &cols };
        expand(&mut making.node, &step, steps, &mut making.rng);
        making.plan(self.spec.num_sweeps);
        false
    }

    /// ln p of some held-out rows, or columns, from the one of place `first` on.
    fn predict(&self, making: &mut Making, held: &Held<'_>, first: usize) {
        let Held { split, others, is_transposed } = held;
        let transposed = is_transposed.then(|| making.node.transposed());
        let node = transposed.as_ref().unwrap_or(&making.node);
        let annealing = Annealing { num_steps: self.spec.annealing_steps };
        let has_walk = node.has_row_walk();
        let mut density: Option<RowDensity> = None;
        for (count, row) in split.held_out[first..].iter().enumerate() {
            // Without walks, all rows have one density.
            if has_walk || density.is_none() {
                let place = Place::new(*row, &split.kept);
                density = Some(RowDensity::new(&RowModel::new(node, &place)));
            }
            let data = &self.table.data;
            let entry = |other: &usize| {
                if *is_transposed { data.at(*other, *row) } else { data.at(*row, *other) }
            };
            let values: Vec<f64> = others.kept.iter().map(entry).collect();
            let density = density.as_ref().expect("made above");
            let log = density.log(&values, annealing, &mut making.rng);
            making.logs.last_mut().expect("a state").push(log);
            if density.is_annealed() || has_walk && count + 1 == PIECE_ROWS {
                break;
            }
        }
    }

    fn part(&self, work: &mut Work) -> Vec<u8> {
        if let Stage::Draw { .. } = self.stage {
            let mut draw = work.draws.pop().expect("a draw");
            let noise = draw.leaves().pop().expect("noise").value;
            draw.strip();
            return pack(&Drawn { unexplained: noise.squares(), draw });
        }
        let count = ln(work.logs.len() as f64);
        let mean = |at: usize| {
            let logs: Vec<f64> = work.logs.iter().map(|logs| logs[at]).collect();
            log_sum_exp(&logs) - count
        };
        let logs = (0..work.logs[0].len()).map(mean).collect();
        work.draws.iter_mut().for_each(Node::strip);
        pack(&Scored { logs, draws: std::mem::take(&mut work.draws) })
    }
}

impl ShardWorker for StructureWorker {
    fn num_shards(&self) -> usize {
        match &self.stage {
            Stage::Score { candidates, .. } => (candidates.len() * self.spec.num_folds).max(1),
            Stage::Draw { .. } => self.spec.num_samples,
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
        let work = unfinished.get_or_insert_with(|| Work {
            logs: Vec::new(),
            draws: Vec::new(),
            parents: if scattered.is_empty() {
                Vec::new()
            } else {
                unpack(scattered).expect("draws")
            },
            current: None,
        });
        let Some(current) = &mut work.current else {
            work.current = Some(self.begin(shard, &work.parents, work.draws.len()));
            return None;
        };
        if !self.advance(shard, current) {
            return None;
        }
        let Making { node, logs, .. } = work.current.take().expect("a draw");
        work.draws.push(node);
        work.logs.extend(logs);
        let num_draws = match self.stage {
            Stage::Score { .. } => self.spec.num_samples,
            Stage::Draw { .. } => 1,
        };
        if work.draws.len() < num_draws {
            return None;
        }
        let part = self.part(work);
        unfinished.clear();
        Some(part)
    }
}
