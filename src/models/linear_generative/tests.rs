use super::*;
use crate::linalg::norm;

/// Compares with N(0, ΦΦᵀ + σ² I).
#[test]
fn log_z_is_the_log_likelihood() {
    for spec in LinearGenerativeSpec::examples() {
        let (m, l) = (spec.num_observed, spec.num_latent);
        let model = spec.build().unwrap();
        let Some(reference) = model.provide_reference() else {
            assert_eq!(spec.prior, Prior::Laplace);
            continue;
        };
        let (phi, x) = (spec.basis.unwrap(), spec.observed.unwrap());
        let mut covariance = vec![0.0; m * m];
        for i in 0..m {
            for j in 0..m {
                let noise = if i == j { spec.noise * spec.noise } else { 0.0 };
                covariance[i * m + j] =
                    dot(&phi[i * l..(i + 1) * l], &phi[j * l..(j + 1) * l]) + noise;
            }
        }
        let marginal =
            GaussianSpec { dim: m, mean: None, precision: None, covariance: Some(covariance) };
        let marginal = marginal.build().unwrap();
        let mut energy = [0.0];
        marginal.energy(Batch::new(m, &x), &mut energy);
        let expected = -energy[0] - marginal.log_z();
        assert!((reference.log_z() - expected).abs() < 1e-12 * expected.abs().max(1.0));
    }
}

/// The integral over one coefficient, by a sum.
#[test]
fn the_energy_is_normalized() {
    for (spec, expected) in [(0, None), (2, Some(()))] {
        let model = LinearGenerativeSpec::examples()[spec].build().unwrap();
        let step = 1e-3;
        let grid: Vec<f64> = (-20_000..=20_000).map(|at| f64::from(at) * step).collect();
        // p(x, a) over x and a: the joint distribution has mass 1.
        let mut mass = 0.0;
        for x in (-100..=100).map(|at| 0.1 * f64::from(at)) {
            let mut energies = vec![0.0; grid.len()];
            model.given(&[x]).energy(Batch::new(1, &grid), &mut energies);
            mass += 0.1 * step * energies.iter().map(|e| crate::math::exp(-e)).sum::<f64>();
        }
        let tolerance = if expected.is_some() { 1e-2 } else { 1e-6 };
        assert!((mass - 1.0).abs() < tolerance, "{mass}");
    }
}

#[test]
fn another_x_is_another_model_of_the_same_basis() {
    let spec = LinearGenerativeSpec::examples()[1].clone();
    let model = spec.build().unwrap();
    let x = vec![-0.3, 0.9];
    let given = model.given(&x);
    let fresh = LinearGenerativeSpec { observed: Some(x), ..spec }.build().unwrap();
    assert_eq!(given.spec(), fresh.spec());
    let a = [0.1, -0.2, 0.3];
    let (mut one, mut other) = ([0.0], [0.0]);
    given.energy(Batch::new(3, &a), &mut one);
    fresh.energy(Batch::new(3, &a), &mut other);
    assert_eq!(one, other);
    assert!(norm(&fresh.pull) > 0.0);
}
