//! The shards: a structure on one fold, and one draw of the chosen structure's matrices for the whole table.

use super::spec::StructureSpec;
use crate::math::{ln, log_sum_exp};
use crate::rng::{ChainRng, Purpose, shuffle, stream};
use crate::run::{ShardWorker, Unfinished, pack, unpack, work_by_pieces};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use unnorm_matrix_decomposition::initialize::{Steps, expand, structureless};
use unnorm_matrix_decomposition::predict::{Annealing, Place, RowDensity, RowModel, steps};
use unnorm_matrix_decomposition::{Expression, Matrix, Move, Node};

/// Sweeps over a structure that has no factors.
const FEW_SWEEPS: usize = 5;

/// States of a chain whose predictions are averaged, over the last sweeps: the first of them after more than half.
const NUM_STATES: usize = 5;

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
    shuffle(&mut order, rng);
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
    /// Of each state so far, ln p of rows and then of columns.
    logs: Vec<Vec<f64>>,
    /// The density that the next row or column has, too.
    density: Option<RowDensity>,
}

impl Making {
    /// Plans the sweeps after a production, or those that are all there is.
    fn plan(&mut self, num_sweeps: usize) {
        self.num_states_left = NUM_STATES.min(num_sweeps);
        self.stride = (num_sweeps / (2 * NUM_STATES)).max(1);
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
        let mut making = Making {
            node,
            rng,
            path,
            num_sweeps_left: 0,
            num_states_left: 0,
            stride: 1,
            logs: Vec::new(),
            density: None,
        };
        if making.path.is_empty() {
            making.plan(FEW_SWEEPS);
        }
        making
    }

    /// A piece of a draw. Returns whether it is done.
    fn advance(&self, shard: usize, making: &mut Making) -> bool {
        let fold = self.fold(shard);
        if making.num_sweeps_left > 0 {
            making.node.sweep(&mut making.rng);
            making.num_sweeps_left -= 1;
            return false;
        }
        if making.num_states_left > 0 {
            let (num_rows, num_cols) = (fold.rows.held_out.len(), fold.cols.held_out.len());
            let at = making.logs.last().expect("a state").len();
            if at == 0 || at == num_rows {
                making.density = None;
            }
            if at < num_rows {
                self.predict(making, fold, at, false);
            } else if at < num_rows + num_cols {
                self.predict(making, fold, at - num_rows, true);
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

    /// ln p of a row that is held out, or of a column.
    fn predict(&self, making: &mut Making, fold: &Fold, at: usize, is_column: bool) {
        let (own, others) =
            if is_column { (&fold.cols, &fold.rows) } else { (&fold.rows, &fold.cols) };
        let index = own.held_out[at];
        let density = making.density.take().unwrap_or_else(|| {
            let place = Place::new(index, &own.kept);
            let transposed = is_column.then(|| making.node.transposed());
            let node = transposed.as_ref().unwrap_or(&making.node);
            RowDensity::new(&RowModel::new(node, &place))
        });
        let data = &self.table.data;
        let entry = |other: &usize| {
            if is_column { data.at(*other, index) } else { data.at(index, *other) }
        };
        let values: Vec<f64> = others.kept.iter().map(entry).collect();
        let annealing = Annealing { num_steps: self.spec.annealing_steps };
        let log = density.log(&values, annealing, &mut making.rng);
        making.logs.last_mut().expect("a state").push(log);
        // Without walks, all rows have one density.
        making.density = (!making.node.has_walk(is_column)).then_some(density);
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
