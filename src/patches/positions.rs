//! The allowed positions of patches, and draws from them.

use super::PictureSpec;
use crate::rng::{Purpose, below, stream};

/// Positions of patches, by their top left pixels: all that lie wholly in certain rows of certain
/// pictures. All are equally likely.
#[derive(Debug, Clone)]
pub struct Positions {
    regions: Vec<Region>,
}

/// The positions in one picture.
#[derive(Debug, Clone)]
struct Region {
    picture: usize,
    /// The first allowed row.
    top: usize,
    num_rows: usize,
    num_columns: usize,
}

impl Positions {
    /// No positions.
    pub fn new() -> Self {
        Self { regions: Vec::new() }
    }

    /// Adds the positions of patches of `size` × `size` pixels in rows `top..bottom` of picture
    /// number `index`.
    ///
    /// # Panics
    /// If there is no such position, or there are no such rows.
    pub fn add(
        &mut self,
        index: usize,
        picture: &PictureSpec,
        size: usize,
        top: usize,
        bottom: usize,
    ) {
        assert!(picture.width >= size && bottom >= top + size && bottom <= picture.height);
        self.regions.push(Region {
            picture: index,
            top,
            num_rows: bottom - top - size + 1,
            num_columns: picture.width - size + 1,
        });
    }

    /// Number of positions. Pictures of 64 MiB have fewer than 2³².
    pub fn len(&self) -> usize {
        self.regions.iter().map(|region| region.num_rows * region.num_columns).sum()
    }

    /// Whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.regions.is_empty()
    }

    /// Draws patch number `index`: its picture and its left and top pixel. Patches are drawn
    /// independently, so a position may be drawn twice.
    ///
    /// # Panics
    /// If there are no positions.
    pub fn draw(&self, seed: u64, purpose: Purpose, index: u64) -> (usize, usize, usize) {
        let mut at = below(self.len(), &mut stream(seed, purpose, index));
        for region in &self.regions {
            let count = region.num_rows * region.num_columns;
            if at < count {
                let (row, column) = (at / region.num_columns, at % region.num_columns);
                return (region.picture, column, region.top + row);
            }
            at -= count;
        }
        unreachable!("the position is below their number")
    }
}

impl Default for Positions {
    fn default() -> Self {
        Self::new()
    }
}
