//! Progress and result of `structure`.

use crate::run::Outcome;
use unnorm_wire::report;

/// A structure that was tried.
#[report]
pub struct StructureCandidate {
    /// Its text, as `M(GMᵀ + G) + G`.
    pub text: String,
    /// The place of the structure that it was made of among the candidates of the level before; none for G.
    pub parent: Option<usize>,
    /// Mean of ln p of a row or column that was held out, in nats, of the standardized table.
    pub score: f64,
    /// Standard error of the difference of `score` from that of the parent, over rows and columns; 0 for G.
    pub gain_error: f64,
}

/// A level of the search: the structures that one more production makes.
#[report]
pub struct StructureLevel {
    /// The structures so far, in the order in which they are tried.
    pub candidates: Vec<StructureCandidate>,
    /// The places of the best, the best first: those that the next level expands.
    pub best: Vec<usize>,
    /// What the best has gained on the best of the level before, in nats a row and column; 0 for G.
    pub gain: f64,
    /// Standard error of `gain`, over rows and columns.
    pub gain_error: f64,
}

/// Progress of a search.
#[report]
pub struct StructureProgress {
    /// The verb: "structure".
    #[ts(type = "\"structure\"")]
    pub verb: &'static str,
    /// The number of productions of the structures that are tried.
    pub level: usize,
    /// Number of structures of this level.
    pub num_candidates: usize,
    /// Number of them that have a score.
    pub num_done: usize,
    /// The levels so far, from that of G on; the last may lack candidates.
    pub levels: Vec<StructureLevel>,
    /// The fraction done, 0 to 1, if the search goes on to its last level.
    pub fraction: f64,
    /// Whether there is a result.
    pub done: bool,
}

/// A matrix of the structure.
#[report]
pub struct StructureMatrix {
    /// Its letter in the text.
    #[ts(type = "\"G\" | \"M\" | \"B\" | \"C\"")]
    pub letter: char,
    /// Whether the text has its transpose.
    pub is_transposed: bool,
    /// Number of rows, before it is transposed.
    pub num_rows: usize,
    /// Number of columns.
    pub num_cols: usize,
    /// The entries, `[numRows, numCols]`.
    pub values: Vec<f64>,
}

/// The structure that a search found, with a draw of its matrices.
#[report]
pub struct StructureResult {
    /// The structure, as `M(GMᵀ + G) + G`.
    pub text: String,
    /// Mean of ln p of a row or column that was held out, in nats, of the standardized table.
    pub score: f64,
    /// The levels of the search, from that of G on.
    pub levels: Vec<StructureLevel>,
    /// Why the search ended: the best of the last level did not gain enough, or the level is the last allowed.
    #[ts(type = "\"noImprovement\" | \"maxDepth\"")]
    pub stop_reason: &'static str,
    /// A matrix for each letter of the text, in order, drawn from the posterior given the whole table. With them in
    /// place of the letters, the text's value is the standardized table.
    pub matrices: Vec<StructureMatrix>,
    /// What was subtracted from each column, `[dim]`.
    pub shifts: Vec<f64>,
    /// What each column was then divided by, `[dim]`.
    pub scales: Vec<f64>,
    /// What to know before the numbers are used, as sentences.
    pub warnings: Vec<String>,
    /// The seed used.
    pub seed: u64,
    /// SHA-256 of the numbers, in hexadecimal.
    pub digest: String,
}

impl Outcome for StructureResult {
    fn digest(&self) -> &str {
        &self.digest
    }
}
