//! Fits of known processes.

use super::generator;
use crate::base::Family;
use crate::fitting::Fit;
use crate::math::{exp, sin_cos};
use crate::moves::{all_moves, bases, first, start};
use crate::periodogram::peaks;
use crate::rng::normal;
use crate::series::{Series, noise_variance};
use crate::spec::CovarianceSpec;

/// A sine of period 7 on a slope, with noise of variance 0.01, at 90 even places from 100 on.
fn sine() -> Series {
    let mut rng = generator(4);
    let x: Vec<f64> = (0..90).map(|at| 100.0 + 0.5 * at as f64).collect();
    let y = |x: &f64| 2.0 * sin_cos(std::f64::consts::TAU * x / 7.0).0 + 0.1 * normal(&mut rng);
    let y: Vec<f64> = x.iter().map(y).collect();
    Series::new(1, &x, &y)
}

#[test]
fn a_periodogram_has_its_peak_at_the_period() {
    let series = sine();
    let found = peaks(series.inputs.column(0), &series.values, &series.periods[0]);
    let period = series.input_scaling[0].scale * exp(found[0]);
    assert!((period - 7.0).abs() < 0.3, "{period}");
}

#[test]
fn a_periodic_kernel_finds_period_and_noise() {
    let series = sine();
    let neighbour = &first(&bases(&[Family::Per], 1))[0];
    let (kernel, ln_noise) = start(&series, neighbour, None, 0, &mut generator(0));
    let fitted = Fit::new(&series, kernel, ln_noise, f64::INFINITY).run(&series);
    let CovarianceSpec::Per { period, .. } = CovarianceSpec::new(&fitted.kernel, &series) else {
        panic!("another kernel");
    };
    let noise = series.variance(noise_variance(fitted.ln_noise));
    assert!((period - 7.0).abs() < 0.02, "{period}");
    assert!((noise - 0.01).abs() < 0.005, "{noise}");
}

/// A neighbour's fit begins at the kernel before, so that it ends no worse, but for what the new part takes away at
/// its start.
#[test]
fn neighbours_start_from_the_parameters_before() {
    let series = sine();
    let neighbour = &first(&bases(&[Family::Se], 1))[0];
    let (kernel, ln_noise) = start(&series, neighbour, None, 0, &mut generator(0));
    let before = Fit::new(&series, kernel, ln_noise, f64::INFINITY).run(&series);
    let known = (before.kernel.clone(), before.ln_noise);
    for neighbour in all_moves(&before.kernel, &bases(&[Family::Se, Family::Lin], 1)) {
        let (kernel, noise) = start(&series, &neighbour, Some(&known), 0, &mut generator(0));
        assert_eq!(noise, before.ln_noise);
        let old = before.kernel.leaves()[0];
        if kernel.leaves().len() > 1 {
            assert!(kernel.leaves().iter().any(|leaf| leaf.shape == old.shape));
            let fitted = Fit::new(&series, kernel, noise, f64::INFINITY).run(&series);
            assert!(fitted.negative < before.negative + 0.01, "{:?}", fitted.kernel);
        }
    }
}

/// Out of reach of its target a fit is abandoned, no better and sooner; a target within reach changes nothing.
#[test]
fn a_fit_far_from_its_target_is_abandoned() {
    let series = sine();
    let neighbour = &first(&bases(&[Family::Rq], 1))[0];
    let (kernel, ln_noise) = start(&series, neighbour, None, 0, &mut generator(0));
    let run = |target| Fit::new(&series, kernel.clone(), ln_noise, target).run(&series);
    let converged = run(f64::INFINITY);
    assert!(!converged.abandoned);
    assert_eq!(run(converged.negative + 1e-3), converged);
    let abandoned = run(converged.negative - 1000.0);
    assert!(abandoned.abandoned);
    assert!(abandoned.num_evaluations < converged.num_evaluations);
    assert!(abandoned.negative >= converged.negative && abandoned.negative.is_finite());
}
