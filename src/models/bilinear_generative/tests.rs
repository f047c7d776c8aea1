use super::*;
use crate::math::exp;

/// p(x, c, d) has mass 1: computed by a sum over x and the midpoints of cells in both factors,
/// which gives ½h / sinh ½h for each exponential.
#[test]
fn the_energy_is_normalized() {
    let model = BilinearGenerativeSpec::examples()[0].build().unwrap();
    let step = 0.2;
    let mut states = Vec::new();
    for c in -60..60 {
        for d in 0..60 {
            states.extend([c, d].map(|at| (f64::from(at) + 0.5) * step));
        }
    }
    let mut energies = vec![0.0; states.len() / 2];
    let mut mass = 0.0;
    for x in (-240..=240).map(|at| 0.25 * f64::from(at)) {
        model.given(&[x]).energy(Batch::new(2, &states), &mut energies);
        mass += 0.25 * step * step * energies.iter().map(|energy| exp(-energy)).sum::<f64>();
    }
    let seen = step / (exp(0.5 * step) - exp(-0.5 * step));
    assert!((mass - seen * seen).abs() < 1e-4, "{mass}");
}

/// Eq. 5.25: without a basis x is noise, independent of the factors.
#[test]
fn without_a_basis_the_factors_have_their_priors() {
    let spec =
        BilinearGenerativeSpec { basis: None, ..BilinearGenerativeSpec::examples()[1].clone() };
    let model = spec.build().unwrap();
    let x = spec.observed.unwrap();
    let square = spec.noise * spec.noise;
    let log_p = -0.5 * crate::linalg::dot(&x, &x) / square - ln(2.0 * PI * square);
    let state = [1.0, -2.0, 0.5, 3.0, 0.25];
    let mut energy = [0.0];
    model.energy(Batch::new(5, &state), &mut energy);
    assert!((energy[0] - (-log_p + 2.0 * LN_2 + 3.0 + 3.75)).abs() < 1e-13);
}
