//! Makes the result of recall.

use super::RecalledRow;
use super::rows::Rows;
use crate::bits::BitMatrix;
use crate::digest::Digest;
use crate::memory::dynamics::attractors;
use crate::memory::report::{Attractors, RecallPaths, RecallResult};
use crate::sample::job::report::Draws;

/// Packs rows for a report.
fn packed<'a>(dim: usize, rows: impl ExactSizeIterator<Item = &'a [u64]>) -> Draws {
    let num_rows = rows.len();
    let mut matrix = BitMatrix::zeros(dim, num_rows);
    matrix.rows_mut().zip(rows).for_each(|(to, row)| to.copy_from_slice(row));
    Draws { dim, num_rows, bits: matrix.to_bytes() }
}

/// The result of all rows.
pub fn result(rows: &Rows, ended: &[RecalledRow], wants_paths: bool, seed: u64) -> RecallResult {
    let dim = rows.dim();
    let starts: Vec<Vec<u64>> = (0..rows.len()).map(|row| rows.start(row)).collect();
    let starts = packed(dim, starts.iter().map(Vec::as_slice));
    let states = packed(dim, ended.iter().map(|ended| &ended.row[..]));
    let distance = |(row, ended): (usize, &RecalledRow)| -> f64 {
        let pairs = ended.row.iter().zip(rows.cue(row));
        f64::from(pairs.map(|(a, b)| (a ^ b).count_ones()).sum::<u32>())
    };
    let distances: Vec<f64> = ended.iter().enumerate().map(distance).collect();
    let (found, which) = attractors(ended.iter().map(|ended| &ended.row[..]));
    let energies: Vec<f64> = ended.iter().map(|ended| ended.energy).collect();
    let num_updates: Vec<f64> = ended.iter().map(|ended| ended.num_updates as f64).collect();
    let num_flips: Vec<f64> = ended.iter().map(|ended| ended.num_flips as f64).collect();
    let at_rest: Vec<u8> = ended.iter().map(|ended| u8::from(ended.is_at_rest)).collect();
    let paths = wants_paths.then(|| paths(ended));
    let mut digest = Digest::new()
        .bytes("starts", &starts.bits)
        .bytes("states", &states.bits)
        .f64s("energies", &energies)
        .f64s("numUpdates", &num_updates)
        .f64s("numFlips", &num_flips)
        .bytes("atRest", &at_rest);
    if let Some(paths) = &paths {
        digest = digest
            .f64s("lengths", &paths.lengths)
            .f64s("sites", &paths.sites)
            .f64s("updates", &paths.updates)
            .f64s("pathEnergies", &paths.energies);
    }
    RecallResult {
        num_recovered: distances.iter().filter(|distance| **distance == 0.0).count(),
        starts,
        states,
        energies,
        num_updates,
        num_flips,
        at_rest,
        distances,
        attractors: Attractors {
            states: packed(dim, found.iter().map(|attractor| &attractor.state[..])),
            counts: found.iter().map(|attractor| attractor.num_cues as f64).collect(),
            which: which.into_iter().map(|number| number as f64).collect(),
        },
        paths,
        seed,
        digest: digest.hex(),
    }
}

fn paths(ended: &[RecalledRow]) -> RecallPaths {
    let mut paths = RecallPaths::default();
    for ended in ended {
        paths.lengths.push(ended.path.len() as f64);
        for (site, update, energy) in &ended.path {
            paths.sites.push(f64::from(*site));
            paths.updates.push(f64::from(*update));
            paths.energies.push(*energy);
        }
    }
    paths
}
