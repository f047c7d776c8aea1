//! Custom models whose functions are closures.

use super::*;
use crate::named_params::BoundedParameter;

fn spec(dim: usize, url: &str) -> CustomSpec {
    CustomSpec { dim, url: url.into(), params: BTreeMap::new() }
}

/// Registers `function` and evaluates it at (1, 2), (3, 4), (5, 6).
fn evaluate(url: &str, function: Box<BatchFunction>) -> ([f64; 3], [f64; 6], Option<Error>) {
    register(url, function);
    let model = spec(2, url).build().unwrap();
    let mut energy = [0.0; 3];
    let mut grad = [0.0; 6];
    let block = [1.0, 3.0, 5.0, 2.0, 4.0, 6.0];
    model.energy_grad(Block::new(2, &block), &mut energy, &mut grad);
    (energy, grad, take_mistake())
}

#[test]
fn energies_and_gradients_are_the_functions() {
    let function: Box<BatchFunction> = Box::new(|Arguments { x, energy, grad, .. }| {
        for (b, x) in x.chunks_exact(2).enumerate() {
            energy[b] = x[0] * x[0] + 10.0 * x[1];
            grad[2 * b] = 2.0 * x[0];
            grad[2 * b + 1] = 10.0;
        }
        Ok(())
    });
    let (energy, grad, mistake) = evaluate("test:sound", function);
    assert_eq!(energy, [21.0, 49.0, 85.0]);
    assert_eq!(grad, [2.0, 6.0, 10.0, 10.0, 10.0, 10.0]);
    assert_eq!(mistake, None);
    let model = spec(2, "test:sound").build().unwrap();
    let mut plain = [0.0; 3];
    model.energy(Batch::new(2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), &mut plain);
    assert_eq!(plain, energy);
}

#[test]
fn mistakes_are_kept_with_their_chain() {
    let words = |function: Box<BatchFunction>| {
        let (energy, _, mistake) = evaluate("test:faulty", function);
        assert!(energy.iter().all(|energy| energy.is_nan()));
        let mistake = mistake.expect("a mistake");
        assert_eq!(mistake.code(), "invalid-model");
        mistake.to_string()
    };
    assert!(words(Box::new(|_| Err("threw".into()))).ends_with("test:faulty threw"));
    let nothing = words(Box::new(|_| Ok(())));
    assert!(nothing.contains("energy of chain 0 of the batch, at x = [1, 2]"), "{nothing}");
    let nan = words(Box::new(|Arguments { energy, grad, .. }| {
        energy.fill(0.0);
        grad.fill(0.0);
        grad[5] = f64::NAN;
        Ok(())
    }));
    assert!(nan.contains("entry 1 of the gradient of chain 2 of the batch"), "{nan}");
}

/// Infinity is a valid energy, and at NaN or infinite x any result is accepted.
#[test]
fn no_place_is_no_mistake() {
    register(
        "test:nowhere",
        Box::new(|Arguments { energy, .. }| {
            energy[0] = f64::INFINITY;
            Ok(())
        }),
    );
    let model = spec(1, "test:nowhere").build().unwrap();
    let mut energy = [0.0; 2];
    model.energy_grad(Block::new(1, &[1.0, f64::NAN]), &mut energy, &mut [0.0; 2]);
    assert_eq!(energy[0], f64::INFINITY);
    assert!(energy[1].is_nan());
    assert_eq!(take_mistake(), None);
}

#[test]
fn unknown_modules_are_refused() {
    let error = spec(1, "test:unknown").build().unwrap_err();
    assert_eq!((error.code(), error.field()), ("invalid-model", Some("model.url")));
    assert!(error.to_string().contains("need JavaScript"));
}

/// E = Σ_d k x_d²/2 + m x_0, of which k must be positive: gradients in θ against differences, at a state and
/// at one where the model has no place.
#[test]
fn gradients_in_the_parameters_are_those_of_the_energies() {
    register(
        "test:params",
        Box::new(|Arguments { x, params, energy, grad, param_grad }| {
            let [k, m] = params else { return Err("has other parameters".into()) };
            for (b, x) in x.chunks_exact(2).enumerate() {
                let square = (x[0] * x[0] + x[1] * x[1]) / 2.0;
                energy[b] = if x[0] > 5.0 { f64::INFINITY } else { k * square + m * x[0] };
                grad[2 * b] = k * x[0] + m;
                grad[2 * b + 1] = k * x[1];
                if x[0] <= 5.0 && !param_grad.is_empty() {
                    param_grad[2 * b..2 * b + 2].copy_from_slice(&[square, x[0]]);
                }
            }
            Ok(())
        }),
    );
    let bounded = BoundedParameter { value: 2.0, lower: Some(0.0), upper: None };
    let bounded = ParameterSpec::Bounded(bounded);
    let params = [("k".to_owned(), bounded), ("m".to_owned(), ParameterSpec::Free(-0.5))];
    let spec = CustomSpec { params: params.into(), ..spec(2, "test:params") };
    let mut model = spec.build().expect("a sound spec");
    assert_eq!(model.spec(), ModelSpec::Custom(spec));
    let states = [1.0, 2.0, 6.0, 0.0, -0.3, 0.7];
    let weights = [0.5, 0.0, 2.0];
    let sum = |model: &Custom| {
        let mut energies = [0.0; 3];
        model.energy(Batch::new(2, &states), &mut energies);
        weights[0] * energies[0] + weights[2] * energies[2]
    };
    let mut grad = [0.0; 2];
    model.accumulate_param_grad(Batch::new(2, &states), &weights, &mut grad);
    let theta = model.params().to_vec();
    for p in 0..2 {
        let [above, below] = [1e-5, -1e-5].map(|step| {
            let mut moved = theta.clone();
            moved[p] += step;
            model.set_params(&moved);
            sum(&model)
        });
        assert!(((above - below) / 2e-5 - grad[p]).abs() < 1e-8, "{above} {below} {grad:?}");
    }
    assert_eq!(take_mistake(), None);
}

#[test]
fn a_gradient_in_the_parameters_that_is_not_filled_is_a_mistake() {
    register(
        "test:forgetful",
        Box::new(|Arguments { energy, grad, .. }| {
            energy.fill(0.0);
            grad.fill(0.0);
            Ok(())
        }),
    );
    let params = [("a".to_owned(), ParameterSpec::Free(1.0))];
    let spec = CustomSpec { params: params.into(), ..spec(1, "test:forgetful") };
    let model = spec.build().expect("a sound spec");
    model.accumulate_param_grad(Batch::new(1, &[1.0]), &[1.0], &mut [0.0]);
    let mistake = take_mistake().expect("a mistake").to_string();
    assert!(mistake.contains("entry 0 of the gradient in the parameters"), "{mistake}");
}
