//! The spec of taking patches.

use crate::checks::in_range;
use crate::patches::{PatchTransform, PictureSpec, Sampling};
use crate::run::seed;
use crate::{Error, Result};
use unnorm_wire::spec;

/// Maximum number of training or test patches.
const MAX_PATCHES: usize = 1 << 20;

/// Maximum number of entries in all states.
const MAX_NUMBERS: usize = 1 << 24;

/// The spec of `patches`.
#[spec]
pub struct PatchesSpec {
    /// The pictures from which patches are taken.
    pub pictures: Vec<PictureSpec>,
    /// Number of training patches, drawn independently and uniformly from all positions in the
    /// pictures.
    pub num_patches: usize,
    /// Side of a patch in pixels, 2 to 32; absent if there is a transform.
    #[serde(default)]
    pub patch_size: Option<usize>,
    /// M, the number of entries of a state; absent if there is a transform.
    #[serde(default)]
    pub num_components: Option<usize>,
    /// Number of test patches, which share no pixel with training patches; none if absent.
    #[serde(default)]
    pub num_test: usize,
    /// Indices, from 0, of the pictures used for test patches alone. If absent, test patches come
    /// from the lowest rows of each picture: a quarter of its rows, or the height of a patch if
    /// that is more.
    #[serde(default)]
    pub test_pictures: Option<Vec<usize>>,
    /// Added to a grey value before its logarithm, in the units of the pictures; 1 if absent.
    #[serde(default)]
    pub offset: Option<f64>,
    /// Whether to subtract each patch's own mean, so that brightness does not count; if absent,
    /// false: brightness is then a direction like any other. The mean over all patches is
    /// subtracted in any case.
    #[serde(default)]
    pub remove_patch_means: Option<bool>,
    /// A transform found for other patches, used instead of finding one.
    #[serde(default)]
    pub transform: Option<PatchTransform>,
    /// Seed of the positions, 0 to 2⁵³ − 1; chosen and reported if absent.
    #[serde(default, deserialize_with = "seed", skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

impl PatchesSpec {
    /// Checks everything that does not require the pictures.
    pub(super) fn check(&self) -> Result<()> {
        in_range("numPatches", self.num_patches, 1, MAX_PATCHES)?;
        in_range("numTest", self.num_test, 0, MAX_PATCHES)?;
        let num_components = match &self.transform {
            None => self.check_sizes()?,
            Some(transform) => {
                for (field, is_given) in [
                    ("patchSize", self.patch_size.is_some()),
                    ("numComponents", self.num_components.is_some()),
                    ("offset", self.offset.is_some_and(|offset| offset != transform.offset)),
                    (
                        "removePatchMeans",
                        self.remove_patch_means
                            .is_some_and(|remove| remove != transform.remove_patch_means),
                    ),
                ] {
                    if is_given {
                        let problem =
                            "is given, and so is a transform that has its own; leave it out";
                        return Err(Error::spec(field, problem));
                    }
                }
                transform.check()?;
                transform.num_components()
            }
        };
        let count = (self.num_patches as u64 + self.num_test as u64) * num_components as u64;
        if count > MAX_NUMBERS as u64 {
            let problem = format!(
                "makes {count} numbers in all states with {num_components} each, and the limit is {MAX_NUMBERS}; \
                 take fewer"
            );
            return Err(Error::TooLarge { field: "numPatches".into(), problem });
        }
        Ok(())
    }

    /// The number of components, if a transform must be found.
    fn check_sizes(&self) -> Result<usize> {
        let Some(size) = self.patch_size else {
            return Err(Error::spec(
                "patchSize",
                "is missing; give the pixels on a side of a patch",
            ));
        };
        let max = crate::patches::MAX_PATCH_SIZE;
        in_range("patchSize", size, 2, max)?;
        let Some(num_components) = self.num_components else {
            return Err(Error::spec(
                "numComponents",
                "is missing; give how many principal components to keep",
            ));
        };
        let lost = usize::from(self.remove_patch_means == Some(true));
        in_range("numComponents", num_components, 1, size * size - lost)?;
        if self.num_patches <= num_components {
            let problem = format!(
                "is {}, too few for {num_components} components; take more patches, many times as many",
                self.num_patches
            );
            return Err(Error::spec("numPatches", problem));
        }
        Ok(num_components)
    }

    /// Fills in the defaults.
    pub(super) fn fill_defaults(&mut self) {
        if let Some(transform) = &self.transform {
            self.offset = Some(transform.offset);
            self.remove_patch_means = Some(transform.remove_patch_means);
        }
        self.offset.get_or_insert(1.0);
        self.remove_patch_means.get_or_insert(false);
    }

    /// How the patches are sampled, once the spec is resolved.
    pub fn sampling(&self) -> Sampling {
        let of_transform = self.transform.as_ref().map(|transform| transform.patch_size);
        Sampling {
            patch_size: of_transform.or(self.patch_size).unwrap_or(0),
            offset: self.offset.unwrap_or(1.0),
            remove_patch_means: self.remove_patch_means == Some(true),
            num_patches: self.num_patches,
            num_test: self.num_test,
            test_pictures: self.test_pictures.clone(),
            seed: self.seed.unwrap_or(0),
        }
    }
}
