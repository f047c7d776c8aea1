//! Coordinates in which an optimizer works: an affine map from φ to the
//! parameters, θ = θ₀ + A φ, chosen so that the objective is better conditioned
//! in φ than in θ.

/// An affine map θ = θ₀ + A φ.
pub trait Coordinates: Send + Sync {
    /// θ of φ.
    ///
    /// # Panics
    /// If the length does not match.
    fn to_params(&self, phi: &[f64]) -> Vec<f64>;

    /// Aᵀ g: the gradient with respect to φ, from that with respect to θ.
    ///
    /// # Panics
    /// If the length does not match.
    fn pull_back(&self, grad: &[f64]) -> Vec<f64>;
}

/// θ = θ₀ + φ.
pub struct Plain {
    origin: Vec<f64>,
}

impl Plain {
    /// With φ = 0 at `origin`.
    pub fn new(origin: Vec<f64>) -> Self {
        Self { origin }
    }
}

impl Coordinates for Plain {
    fn to_params(&self, phi: &[f64]) -> Vec<f64> {
        assert_eq!(phi.len(), self.origin.len());
        self.origin.iter().zip(phi).map(|(origin, phi)| origin + phi).collect()
    }

    fn pull_back(&self, grad: &[f64]) -> Vec<f64> {
        assert_eq!(grad.len(), self.origin.len());
        grad.to_vec()
    }
}
