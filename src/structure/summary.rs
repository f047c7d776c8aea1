//! What a search reports.

use super::report::{
    StructureCandidate, StructureLevel, StructureMatrix, StructureProgress, StructureResult,
};
use super::{StructureCoordinator, gain, total};
use crate::digest::Digest;
use crate::run::Coordinator;
use crate::sorting::sort;
use unnorm_matrix_decomposition::initialize::MAX_RANK;
use unnorm_matrix_decomposition::{Matrix, Node};

fn candidate(of: &StructureCoordinator, level: usize, place: usize) -> StructureCandidate {
    let (candidate, logs) = (&of.candidates[level][place], &of.state.levels[level].logs[place]);
    let parent = candidate.origin.as_ref().map(|(parent, _)| *parent);
    let before = parent.map(|parent| gain(logs, &of.state.levels[level - 1].logs[parent]));
    StructureCandidate {
        text: candidate.structure.to_string(),
        parent,
        score: total(logs) / logs.len() as f64,
        gain_error: before.map_or(0.0, |(_, error)| error),
    }
}

fn levels(of: &StructureCoordinator) -> Vec<StructureLevel> {
    let level = |at: usize| {
        let (gain, gain_error) = of.gain(at);
        let level = &of.state.levels[at];
        StructureLevel {
            candidates: (0..level.logs.len()).map(|place| candidate(of, at, place)).collect(),
            best: of.best(level),
            gain,
            gain_error,
        }
    };
    (0..of.state.levels.len()).map(level).collect()
}

/// How far a search has come.
pub fn progress(of: &StructureCoordinator) -> StructureProgress {
    let last = of.state.levels.len() - 1;
    let (num_candidates, num_done) = (of.candidates().len(), of.level().logs.len());
    let share = num_done as f64 / num_candidates.max(1) as f64;
    // Deeper levels have more structures, and these more matrices.
    let cost = |level: usize| if level == 0 { 0.1 } else { (level * level) as f64 };
    let before: f64 = (0..last).map(cost).sum();
    let all: f64 = (0..=of.worker.spec.max_depth).map(cost).sum();
    StructureProgress {
        verb: "structure",
        level: last,
        num_candidates,
        num_done,
        levels: levels(of),
        fraction: if of.is_done() { 1.0 } else { 0.99 * (before + share * cost(last)) / all },
        done: of.is_done(),
    }
}

/// The number of columns whose noise has a standard deviation below half the least difference between their values.
fn num_exact_columns(data: &Matrix, found: &Node) -> usize {
    let variances = found.prior_variances();
    let is_exact = |col: &usize| {
        let mut values: Vec<f64> = (0..data.num_rows()).map(|row| data.at(row, *col)).collect();
        sort(&mut values);
        let steps = values.windows(2).map(|pair| pair[1] - pair[0]).filter(|step| *step > 0.0);
        let half = 0.5 * steps.fold(f64::INFINITY, f64::min);
        (0..data.num_rows()).all(|row| variances.at(row, *col) < half * half)
    };
    (0..data.num_cols()).filter(is_exact).count()
}

fn warnings(of: &StructureCoordinator, chosen: usize, found: &Node) -> Vec<String> {
    let mut all = Vec::new();
    let min_gain = of.worker.spec.min_gain;
    if chosen == 0 {
        all.push(format!(
            "No structure gains as much on independent entries as minGain asks for, {min_gain} nats a row and column: there is \
             none to be seen in the table."
        ));
    }
    let last = of.state.levels.len() - 1;
    for level in (1..=last).filter(|level| *level == chosen || *level == chosen + 1) {
        let (gain, error) = of.gain(level);
        if (gain - min_gain).abs() < 2.0 * error {
            let what = if level == chosen { "was taken" } else { "was not taken" };
            let place = of.best(&of.state.levels[level])[0];
            all.push(format!(
                "{} gains {gain:.2} ± {error:.2} nats a row and column on the best with one production less. It {what}, and \
                 minGain, {min_gain}, is within two errors.",
                of.candidates[level][place].structure
            ));
        }
    }
    let has_most = |leaf: &unnorm_matrix_decomposition::leaves::Leaf| {
        leaf.letter != 'M' && leaf.value.num_cols().min(leaf.value.num_rows()) == MAX_RANK
    };
    let data = &of.worker.table.data;
    let num_exact = num_exact_columns(data, found);
    if num_exact > 0 {
        all.push(format!(
            "In {num_exact} of {} columns the noise is narrower than the steps between the values: the structure tells them \
             exactly. A score is the logarithm of a density and has no bound there, so that rounding may decide which \
             structure is best. Leave such columns out, or add to each a noise as wide as its steps.",
            data.num_cols()
        ));
    }
    if data.num_rows().min(data.num_cols()) > MAX_RANK && found.leaves().iter().any(has_most) {
        all.push(format!(
            "A product has {MAX_RANK} latent dimensions, the greatest number that is tried: the table may have more."
        ));
    }
    all
}

/// The result of a search that is done.
pub fn result(of: &StructureCoordinator, found: &Node) -> StructureResult {
    let (level, chosen) = of.chosen();
    let mut found = found.clone();
    found.set_value(of.worker.table.data.clone());
    let logs = &of.state.levels[level].logs[of.best(&of.state.levels[level])[0]];
    let matrix = |leaf: unnorm_matrix_decomposition::leaves::Leaf| StructureMatrix {
        letter: leaf.letter,
        is_transposed: leaf.is_transposed,
        num_rows: leaf.value.num_rows(),
        num_cols: leaf.value.num_cols(),
        values: leaf.value.entries().to_vec(),
    };
    let (shifts, scales) = of.worker.spec.standardization().into_iter().unzip();
    let mut result = StructureResult {
        text: chosen.structure.to_string(),
        score: total(logs) / logs.len() as f64,
        levels: levels(of),
        stop_reason: if of.is_better(of.state.levels.len() - 1) {
            "maxDepth"
        } else {
            "noImprovement"
        },
        matrices: found.leaves().into_iter().map(matrix).collect(),
        shifts,
        scales,
        warnings: warnings(of, level, &found),
        seed: of.worker.spec.seed.unwrap_or(0),
        digest: String::new(),
    };
    result.digest = digest(&result);
    result
}

fn digest(result: &StructureResult) -> String {
    let mut digest = Digest::new()
        .bytes("text", result.text.as_bytes())
        .f64s("score", &[result.score])
        .f64s("shifts", &result.shifts)
        .f64s("scales", &result.scales);
    for matrix in &result.matrices {
        digest = digest.f64s("matrix", &matrix.values);
    }
    for level in &result.levels {
        for candidate in &level.candidates {
            digest = digest
                .bytes("candidate", candidate.text.as_bytes())
                .f64s("score", &[candidate.score, candidate.gain_error]);
        }
        digest = digest.f64s("gain", &[level.gain, level.gain_error]);
    }
    digest.hex()
}
