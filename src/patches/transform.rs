//! The transform from patches to states and back.

use super::{MAX_PATCH_SIZE, Sampling};
use crate::checks::in_range;
use crate::linalg::{product, transpose};
use crate::{Error, Result};
use unnorm_wire::spec;

/// The transform from patches to states, `x_m = c_m·(p − μ) / s_m` with `p = ln(grey + offset)`.
#[spec]
pub struct PatchTransform {
    /// Side of a patch in pixels.
    pub patch_size: usize,
    /// Added to a grey value before its logarithm.
    pub offset: f64,
    /// Whether each patch's own mean is subtracted first.
    pub remove_patch_means: bool,
    /// The mean patch μ, `[size²]`, row by row.
    pub mean: Vec<f64>,
    /// The components c_m, `[M, size²]`, of unit length and orthogonal to each other.
    pub components: Vec<f64>,
    /// The scales s_m, `[M]`: standard deviations of training patches along the components.
    pub scales: Vec<f64>,
}

impl PatchTransform {
    /// Number of entries of a patch.
    pub fn dim(&self) -> usize {
        self.patch_size * self.patch_size
    }

    /// M, the number of entries of a state.
    pub fn num_components(&self) -> usize {
        self.scales.len()
    }

    /// Whether it transforms patches that are sampled this way.
    pub fn is_for(&self, sampling: &Sampling) -> bool {
        (self.patch_size, self.offset, self.remove_patch_means)
            == (sampling.patch_size, sampling.offset, sampling.remove_patch_means)
    }

    /// Checks shapes and numbers.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`], naming the field.
    pub fn check(&self) -> Result<()> {
        in_range("transform.patchSize", self.patch_size, 2, MAX_PATCH_SIZE)?;
        let (dim, count) = (self.dim(), self.num_components());
        if !(1..=dim).contains(&count) {
            let problem =
                format!("has {count} numbers; a patch of {dim} has 1 to {dim} components");
            return Err(Error::spec("transform.scales", problem));
        }
        for (field, values, expected) in [
            ("mean", &self.mean, dim),
            ("components", &self.components, count * dim),
            ("scales", &self.scales, count),
        ] {
            let field = format!("transform.{field}");
            if values.len() != expected {
                let problem = format!(
                    "has {} numbers, but {count} components of {dim} take {expected}; give a transform as it came",
                    values.len()
                );
                return Err(Error::spec(field, problem));
            }
            if let Some(at) = values.iter().position(|value| !value.is_finite()) {
                let problem = format!("is {}; every entry must be a finite number", values[at]);
                return Err(Error::spec(format!("{field}[{at}]"), problem));
            }
        }
        if let Some(at) = self.scales.iter().position(|scale| *scale <= 0.0) {
            let problem = format!("is {}; a scale is above 0", self.scales[at]);
            return Err(Error::spec(format!("transform.scales[{at}]"), problem));
        }
        Ok(())
    }

    /// States `[patches, M]` of patches `[patches, size²]` of ln(grey + offset), from which their
    /// own means have been subtracted if required.
    ///
    /// # Panics
    /// If the length is not that of patches.
    pub fn apply(&self, patches: &[f64]) -> Vec<f64> {
        let (dim, count) = (self.dim(), self.num_components());
        if count == 0 {
            return Vec::new();
        }
        let centred: Vec<f64> = patches
            .chunks_exact(dim)
            .flat_map(|patch| patch.iter().zip(&self.mean).map(|(value, mean)| value - mean))
            .collect();
        assert_eq!(centred.len(), patches.len());
        let mut columns = vec![0.0; dim * count];
        transpose(dim, count, &self.components, &mut columns);
        let mut states = vec![0.0; patches.len() / dim * count];
        product(patches.len() / dim, dim, &centred, &columns, &mut states);
        for state in states.chunks_exact_mut(count) {
            for (value, scale) in state.iter_mut().zip(&self.scales) {
                *value /= scale;
            }
        }
        states
    }

    /// Patches `[states, size²]` of ln(grey + offset) with states `[states, M]`: `μ + Σ x_m s_m
    /// c_m`, which are projections of the patches if M is below size².
    ///
    /// # Panics
    /// If the length is not that of states.
    pub fn invert(&self, states: &[f64]) -> Vec<f64> {
        let mut patches = self.combine(states, |value, scale| value * scale);
        for patch in patches.chunks_exact_mut(self.dim()) {
            for (value, mean) in patch.iter_mut().zip(&self.mean) {
                *value += mean;
            }
        }
        patches
    }

    /// Filters on states `[filters, M]` as filters on patches `[filters, size²]`, their receptive
    /// fields: `w·x = f·(p − μ)` with `f = Σ (w_m / s_m) c_m`.
    ///
    /// # Panics
    /// If the length is not that of filters.
    pub fn receptive_fields(&self, filters: &[f64]) -> Vec<f64> {
        self.combine(filters, |value, scale| value / scale)
    }

    /// The patches `[columns, size²]` of the columns of a generative model's basis `[M, columns]`:
    /// `Σ A_mk s_m c_m` for column k.
    ///
    /// # Panics
    /// If the length is not that of a basis.
    pub fn basis_patches(&self, basis: &[f64]) -> Vec<f64> {
        let count = self.num_components().max(1);
        let mut columns = vec![0.0; basis.len()];
        transpose(basis.len() / count, count, basis, &mut columns);
        self.combine(&columns, |value, scale| value * scale)
    }

    /// Σ_m scaled(x_m, s_m) c_m for vectors `[vectors, M]`, summed in order.
    fn combine(&self, vectors: &[f64], scaled: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        let (dim, count) = (self.dim(), self.num_components());
        if count == 0 {
            assert!(vectors.is_empty());
            return Vec::new();
        }
        let mut weights = vectors.to_vec();
        for vector in weights.chunks_exact_mut(count) {
            for (value, scale) in vector.iter_mut().zip(&self.scales) {
                *value = scaled(*value, *scale);
            }
        }
        assert!(vectors.len().is_multiple_of(count));
        let mut patches = vec![0.0; vectors.len() / count * dim];
        product(vectors.len() / count, count, &weights, &self.components, &mut patches);
        patches
    }
}
