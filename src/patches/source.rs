//! Patches, drawn from pictures.

use super::{MAX_PATCH_SIZE, PictureSpec, Positions};
use crate::checks::in_range;
use crate::math::ln_slice;
use crate::rng::Purpose;
use crate::{Error, Result};
use std::ops::Range;

/// Maximum size of all pictures together, 64 MiB.
const MAX_BYTES: u64 = 1 << 26;

/// Maximum number of pictures.
const MAX_PICTURES: usize = 1 << 16;

/// How patches are sampled from pictures.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampling {
    /// Side of a patch in pixels.
    pub patch_size: usize,
    /// Added to a grey value before its logarithm.
    pub offset: f64,
    /// Whether each patch's own mean is subtracted.
    pub remove_patch_means: bool,
    /// Number of training patches.
    pub num_patches: usize,
    /// Number of test patches.
    pub num_test: usize,
    /// Pictures used for test patches alone. If absent, test patches come from the lowest rows of
    /// each picture: a quarter of its rows, or the height of a patch if that is more.
    pub test_pictures: Option<Vec<usize>>,
    /// Seed of the positions.
    pub seed: u64,
}

/// Pictures and the positions of patches in them.
pub struct PatchSource {
    pictures: Vec<PictureSpec>,
    sampling: Sampling,
    training: Positions,
    test: Positions,
}

impl PatchSource {
    /// Checks pictures and sampling.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`], [`Error::InvalidData`] or [`Error::TooLarge`],
    /// naming the field.
    pub fn new(pictures: Vec<PictureSpec>, sampling: Sampling) -> Result<Self> {
        check_pictures(&pictures, &sampling)?;
        let (training, test) = positions(&pictures, &sampling)?;
        Ok(Self { pictures, sampling, training, test })
    }

    /// How the patches are sampled.
    pub fn sampling(&self) -> &Sampling {
        &self.sampling
    }

    /// Number of entries of a patch.
    pub fn dim(&self) -> usize {
        self.sampling.patch_size * self.sampling.patch_size
    }

    /// Number of training and test patches together.
    pub fn num_all(&self) -> usize {
        self.sampling.num_patches + self.sampling.num_test
    }

    /// Training patches followed by test patches: ln(grey + offset), each patch row by row,
    /// `[patches, size²]`.
    ///
    /// # Panics
    /// If the range exceeds the number of patches.
    pub fn patches(&self, range: Range<usize>) -> Vec<f64> {
        assert!(range.end <= self.num_all());
        let Sampling { patch_size: size, offset, num_patches, seed, .. } = self.sampling;
        let dim = self.dim();
        let mut patches = Vec::with_capacity(range.len() * dim);
        for index in range {
            let (picture, left, top) = match index.checked_sub(num_patches) {
                None => self.training.draw(seed, Purpose::TrainingPatch, index as u64),
                Some(index) => self.test.draw(seed, Purpose::TestPatch, index as u64),
            };
            let picture = &self.pictures[picture];
            for y in top..top + size {
                patches.extend((left..left + size).map(|x| picture.grey(x, y) + offset));
            }
        }
        ln_slice(&mut patches);
        if self.sampling.remove_patch_means {
            for patch in patches.chunks_exact_mut(dim) {
                let mean = patch.iter().sum::<f64>() / dim as f64;
                patch.iter_mut().for_each(|value| *value -= mean);
            }
        }
        patches
    }
}

fn check_pictures(pictures: &[PictureSpec], sampling: &Sampling) -> Result<()> {
    let size = sampling.patch_size;
    in_range("patchSize", size, 2, MAX_PATCH_SIZE)?;
    if !(sampling.offset.is_finite() && sampling.offset >= 0.0) {
        let problem = format!("is {}; it must be a finite number, 0 or more", sampling.offset);
        return Err(Error::spec("offset", problem));
    }
    if pictures.is_empty() || pictures.len() > MAX_PICTURES {
        let problem = format!("are {}; give from 1 to {MAX_PICTURES}", pictures.len());
        return Err(Error::spec("pictures", problem));
    }
    let num_bytes: u64 = pictures.iter().map(PictureSpec::num_bytes).sum();
    if num_bytes > MAX_BYTES {
        let problem = format!(
            "take {num_bytes} bytes, and the limit is {MAX_BYTES}; give fewer, smaller or grey ones"
        );
        return Err(Error::TooLarge { field: "pictures".into(), problem });
    }
    let mut all = (f64::INFINITY, f64::NEG_INFINITY);
    for (index, picture) in pictures.iter().enumerate() {
        let field = format!("pictures[{index}]");
        picture.check(&field)?;
        if picture.width.min(picture.height) < size {
            let problem = format!(
                "is {} × {} pixels, and a patch {size} × {size}; leave it out, or take smaller patches",
                picture.width, picture.height
            );
            return Err(Error::data(field, problem));
        }
        let (least, largest) = picture.range();
        if least + sampling.offset <= 0.0 {
            let problem = format!(
                "is {}, and {field} has a pixel of {least}, whose sum has no logarithm; give a larger one",
                sampling.offset
            );
            return Err(Error::spec("offset", problem));
        }
        all = (all.0.min(least), all.1.max(largest));
    }
    if all.0 == all.1 {
        let problem = "are of one grey, and patches of them cannot be told apart; give others";
        return Err(Error::data("pictures", problem));
    }
    Ok(())
}

/// Positions of training and of test patches; no pixel is in both.
fn positions(pictures: &[PictureSpec], sampling: &Sampling) -> Result<(Positions, Positions)> {
    let size = sampling.patch_size;
    let (mut training, mut test) = (Positions::new(), Positions::new());
    let Some(reserved) = &sampling.test_pictures else {
        for (index, picture) in pictures.iter().enumerate() {
            let height = picture.height;
            if sampling.num_test == 0 {
                training.add(index, picture, size, 0, height);
                continue;
            }
            let cut = height.saturating_sub((height / 4).max(size));
            if cut < size {
                let problem = format!(
                    "asks for test patches from the lowest rows of each picture, but pictures[{index}] has \
                     {height} rows, too few for both; name the testPictures"
                );
                return Err(Error::spec("numTest", problem));
            }
            training.add(index, picture, size, 0, cut);
            test.add(index, picture, size, cut, height);
        }
        return Ok((training, test));
    };
    for (at, &index) in reserved.iter().enumerate() {
        let field = format!("testPictures[{at}]");
        if index >= pictures.len() {
            let problem = format!("is {index}, but there are {} pictures, from 0", pictures.len());
            return Err(Error::spec(field, problem));
        }
        if reserved[..at].contains(&index) {
            return Err(Error::spec(field, format!("is {index} again; name each picture once")));
        }
    }
    for (index, picture) in pictures.iter().enumerate() {
        let positions = if reserved.contains(&index) { &mut test } else { &mut training };
        positions.add(index, picture, size, 0, picture.height);
    }
    if training.is_empty() {
        let problem = "names all pictures; leave some to train on";
        return Err(Error::spec("testPictures", problem));
    }
    if test.is_empty() && sampling.num_test > 0 {
        return Err(Error::spec("testPictures", "names no picture; name one, or leave it out"));
    }
    Ok((training, test))
}
