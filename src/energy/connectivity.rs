//! The connectivity of minimum probability flow: which states probability may flow to.
//!
//! The neighbours of a state x are x with some of its bits flipped. With g = 1 for them and 0 for
//! all others (Sohl-Dickstein 2012, eq. 2.7) the flow is a plain sum. If neighbours are *sampled*,
//! from g(x′ | x), each has the factor √(g(x | x′) / g(x′ | x)), and the sum is divided by their
//! number (eq. 2.20–2.21).

use super::neighbours::Neighbours;
use super::proposal::ProposalSpec;
use crate::bits::{BitMatrix, WeightedRows, flip};
use crate::{Error, Result};
use std::collections::BTreeSet;
use unnorm_wire::spec;

/// The spec of a connectivity.
#[spec]
pub enum ConnectivitySpec {
    /// The D states that differ in one bit (eq. E.3); of Potts models those that differ in the value of
    /// one site.
    SingleFlips {},
    /// These, and the state that differs in all bits (eq. E.13): it keeps states far from sparse
    /// data from becoming likely.
    SingleAndAllFlips {},
    /// One neighbour for each set: the state with the sites of the set flipped.
    #[full]
    FlipSets {
        /// Sites of each set, distinct, at least one.
        sets: Vec<Vec<usize>>,
    },
    /// Neighbours sampled once and then kept, so that the objective is the same function at every
    /// evaluation. The noise of the draws falls with the product of the numbers of distinct rows
    /// and of draws: if the data have few distinct rows, more rows alone do not lower it.
    #[full]
    Sampled {
        /// The distribution they are drawn from.
        proposal: ProposalSpec,
        /// Number of draws for each distinct row of the data.
        num_samples: usize,
    },
    /// On ℝᴰ: neighbours drawn from a ball about each row (eq. 2.16), in opposite pairs. L-BFGS
    /// keeps the first draws; minibatches draw anew.
    #[full]
    Ball {
        /// The ball's radius, greater than 0.
        radius: f64,
        /// Number of draws for each row: an even number, 2 to 1,000.
        num_samples: usize,
    },
}

/// Share of bits on, or off, up to which rows count as sparse.
pub const SPARSE: f64 = 0.1;

/// The connectivity for given data.
#[derive(Debug, Clone)]
pub struct Connectivity {
    kind: Kind,
    /// Rows that are never neighbours.
    excluded: BTreeSet<Vec<u64>>,
}

#[derive(Debug, Clone)]
enum Kind {
    /// The same bits are flipped in every row: one mask per neighbour.
    Masks(BitMatrix),
    /// Sampled neighbours of each distinct row of the data.
    Drawn(Vec<Neighbours>),
}

impl ConnectivitySpec {
    /// The kind, as in the spec.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::SingleFlips {} => "singleFlips",
            Self::SingleAndAllFlips {} => "singleAndAllFlips",
            Self::FlipSets { .. } => "flipSets",
            Self::Sampled { .. } => "sampled",
            Self::Ball { .. } => "ball",
        }
    }

    /// The default for rows with this share of bits on: single flips, and also the flip of all bits
    /// if rows are sparse (Sohl-Dickstein 2012, appendix E.2).
    pub fn suited(share_on: f64) -> Self {
        match share_on.min(1.0 - share_on) <= SPARSE {
            true => Self::SingleAndAllFlips {},
            false => Self::SingleFlips {},
        }
    }

    /// Checks the spec and makes the connectivity for these data. With `exclude_data`, neighbours
    /// that are rows of the data are dropped, as in eq. 2.13; the estimate is then no longer
    /// consistent (see `fit::mpf`). The seed is for [`ConnectivitySpec::Sampled`].
    ///
    /// # Errors
    /// [`Error::InvalidSpec`], naming the field.
    pub fn build(
        &self,
        data: &WeightedRows,
        exclude_data: bool,
        seed: u64,
    ) -> Result<Connectivity> {
        let dim = data.dim();
        let single: Vec<Vec<usize>> = (0..dim).map(|site| vec![site]).collect();
        let kind = match self {
            Self::SingleFlips {} => Kind::Masks(masks(dim, &single)),
            Self::SingleAndAllFlips {} => {
                // With one bit, flipping all bits is the single flip.
                let all = (dim > 1).then(|| (0..dim).collect());
                Kind::Masks(masks(dim, &single.into_iter().chain(all).collect::<Vec<_>>()))
            }
            Self::FlipSets { sets } => {
                check_sets(dim, sets)?;
                Kind::Masks(masks(dim, sets))
            }
            Self::Sampled { proposal, num_samples } => {
                if *num_samples == 0 {
                    return Err(Error::spec(
                        "objective.connectivity.numSamples",
                        "is 0; draw at least one neighbour a row",
                    ));
                }
                Kind::Drawn(proposal.draw(data, *num_samples, seed)?)
            }
            Self::Ball { .. } => {
                return Err(Error::spec(
                    "objective.connectivity.kind",
                    "is ball, but neighbours of zeros and ones differ in whole bits; choose \
                     singleFlips or another connectivity of bits",
                ));
            }
        };
        let excluded = if exclude_data {
            data.rows().rows().map(<[u64]>::to_vec).collect()
        } else {
            BTreeSet::new()
        };
        Ok(Connectivity { kind, excluded })
    }
}

impl Connectivity {
    /// The neighbours of row `index` of the data for which the connectivity was made. A state is
    /// never its own neighbour.
    pub fn neighbours(&self, index: usize, row: &[u64]) -> Neighbours {
        let mut neighbours = match &self.kind {
            Kind::Masks(masks) => {
                let mut rows = masks.clone();
                for neighbour in rows.rows_mut() {
                    neighbour.iter_mut().zip(row).for_each(|(word, bits)| *word ^= bits);
                }
                Neighbours { factors: vec![1.0; rows.num_rows()], rows }
            }
            Kind::Drawn(drawn) => drawn[index].clone(),
        };
        for (neighbour, factor) in neighbours.rows.rows_mut().zip(&mut neighbours.factors) {
            if neighbour == row || self.excluded.contains(&*neighbour) {
                *factor = 0.0;
            }
        }
        neighbours
    }
}

/// One row per set, with its sites' bits set.
fn masks(dim: usize, sets: &[Vec<usize>]) -> BitMatrix {
    let mut masks = BitMatrix::zeros(dim, sets.len());
    for (mask, set) in masks.rows_mut().zip(sets) {
        set.iter().for_each(|site| flip(mask, *site));
    }
    masks
}

/// Checks that sets have distinct existing sites, and that no set occurs twice.
fn check_sets(dim: usize, sets: &[Vec<usize>]) -> Result<()> {
    let field = "objective.connectivity.sets";
    if sets.is_empty() {
        return Err(Error::spec(field, "is empty; give at least one set of sites"));
    }
    let mut seen = BTreeSet::new();
    for (index, set) in sets.iter().enumerate() {
        let at = |problem: String| Err(Error::spec(format!("{field}[{index}]"), problem));
        if set.is_empty() {
            return at(
                "is empty, and a state is not its own neighbour; name at least one site".into()
            );
        }
        if let Some(site) = set.iter().find(|site| **site >= dim) {
            return at(format!("names site {site}, but the sites are 0 to {}", dim - 1));
        }
        let sites: BTreeSet<_> = set.iter().copied().collect();
        if sites.len() < set.len() {
            return at("names a site twice; name each once".into());
        }
        if !seen.insert(sites) {
            return at("is the same as one before it; give each set once".into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(words: &[u64], dim: usize) -> WeightedRows {
        WeightedRows::from_data(crate::bits::BitBatch::new(dim, words))
    }

    fn neighbours(spec: &ConnectivitySpec, exclude_data: bool) -> Vec<(u64, f64)> {
        let data = data(&[0b101, 0b100, 0b101], 3);
        let connectivity = spec.build(&data, exclude_data, 0).unwrap();
        // Rows are sorted: the second is 101.
        let found = connectivity.neighbours(1, data.rows().row(1));
        found.rows.as_batch().rows().map(|row| row[0]).zip(found.factors).collect()
    }

    #[test]
    fn neighbours_by_flips() {
        let single = vec![(0b100, 1.0), (0b111, 1.0), (0b001, 1.0)];
        assert_eq!(neighbours(&ConnectivitySpec::SingleFlips {}, false), single);
        let mut excluded = single.clone();
        excluded[0].1 = 0.0;
        assert_eq!(neighbours(&ConnectivitySpec::SingleFlips {}, true), excluded);
        let mut all = single;
        all.push((0b010, 1.0));
        assert_eq!(neighbours(&ConnectivitySpec::SingleAndAllFlips {}, false), all);
        let sets = ConnectivitySpec::FlipSets { sets: vec![vec![0, 1], vec![2]] };
        assert_eq!(neighbours(&sets, false), [(0b110, 1.0), (0b001, 1.0)]);
    }

    #[test]
    fn one_bit_has_one_neighbour() {
        let data = data(&[1], 1);
        let connectivity = ConnectivitySpec::SingleAndAllFlips {}.build(&data, false, 0).unwrap();
        assert_eq!(connectivity.neighbours(0, &[1]).factors, [1.0]);
    }

    #[test]
    fn bad_specs_are_refused() {
        let data = data(&[1], 3);
        let sets = |sets: &[&[usize]]| ConnectivitySpec::FlipSets {
            sets: sets.iter().map(|set| set.to_vec()).collect(),
        };
        let sampled = |probability, num_samples| ConnectivitySpec::Sampled {
            proposal: ProposalSpec::Flips { probability },
            num_samples,
        };
        for (spec, field) in [
            (sets(&[]), "sets"),
            (sets(&[&[0], &[]]), "sets[1]"),
            (sets(&[&[3]]), "sets[0]"),
            (sets(&[&[1, 1]]), "sets[0]"),
            (sets(&[&[0, 1], &[1, 0]]), "sets[1]"),
            (sampled(0.0, 1), "proposal.probability"),
            (sampled(f64::NAN, 1), "proposal.probability"),
            (sampled(0.5, 0), "numSamples"),
        ] {
            let error = spec.build(&data, false, 0).unwrap_err();
            assert_eq!(error.field().unwrap(), format!("objective.connectivity.{field}"));
        }
    }
}
