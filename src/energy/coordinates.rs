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

/// Those of a model's parameters θ, and one for a parameter c of the objective's own (the last):
/// `c = c₀ + a + s·(θ − θ₀)`. With its slopes s it follows θ.
#[cfg(feature = "full")]
pub struct Extended {
    of_model: Box<dyn Coordinates>,
    slopes: Vec<f64>,
}

#[cfg(feature = "full")]
impl Extended {
    /// The coordinates for a parameter that follows the others with these slopes.
    pub fn new(of_model: Box<dyn Coordinates>, slopes: Vec<f64>) -> Self {
        Self { of_model, slopes }
    }
}

#[cfg(feature = "full")]
impl Coordinates for Extended {
    fn num_coordinates(&self) -> usize {
        self.of_model.num_coordinates() + 1
    }

    fn add_to_params(&self, coordinates: &[f64], params: &mut [f64]) {
        let (own, coordinates) = coordinates.split_last().expect("a comes last");
        let (constant, params) = params.split_last_mut().expect("c comes last");
        let mut step = vec![0.0; params.len()];
        self.of_model.add_to_params(coordinates, &mut step);
        *constant += own + crate::linalg::dot(&self.slopes, &step);
        crate::linalg::axpy(1.0, &step, params);
    }

    fn pull_back(&self, param_grad: &[f64], grad: &mut [f64]) {
        let (of_constant, of_params) = param_grad.split_last().expect("c comes last");
        let (own, grad) = grad.split_last_mut().expect("a comes last");
        *own = *of_constant;
        let mut whole = of_params.to_vec();
        crate::linalg::axpy(*of_constant, &self.slopes, &mut whole);
        self.of_model.pull_back(&whole, grad);
    }
}
