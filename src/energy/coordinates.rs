//! Coordinates in which an optimizer works.
//!
//! L-BFGS starts from a multiple of the identity as its guess of the inverse Hessian. In
//! coordinates in which the Hessian is close to one it needs few steps; in badly conditioned ones,
//! thousands. A linear change of coordinates moves no optimum, so a model may offer better ones for
//! the data (`Model::coordinates`). A related idea is the natural gradient as
//! whitening (Sohl-Dickstein 2012, chapter 4, in particular 4.2.7).

/// A linear map `θ = θ₀ + Tφ` from coordinates φ to parameters θ. T may have more columns than
/// rows: among equivalent steps the optimizer then takes the shortest.
pub trait Coordinates: Send + Sync {
    /// The length of φ.
    fn num_coordinates(&self) -> usize;

    /// `params += Tφ`.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn add_to_params(&self, coordinates: &[f64], params: &mut [f64]);

    /// `grad = Tᵀ param_grad`: the gradient in φ from that in θ.
    ///
    /// # Panics
    /// If the shapes do not match.
    fn pull_back(&self, param_grad: &[f64], grad: &mut [f64]);
}

/// The identity, θ = θ₀ + φ.
#[derive(Debug, Clone, Copy)]
pub struct Identity {
    /// Number of parameters.
    pub num_params: usize,
}

impl Coordinates for Identity {
    fn num_coordinates(&self) -> usize {
        self.num_params
    }

    fn add_to_params(&self, coordinates: &[f64], params: &mut [f64]) {
        crate::linalg::axpy(1.0, coordinates, params);
    }

    fn pull_back(&self, param_grad: &[f64], grad: &mut [f64]) {
        grad.copy_from_slice(param_grad);
    }
}
