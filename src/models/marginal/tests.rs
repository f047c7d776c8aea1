use super::*;
use crate::ising::{IsingSpec, Pattern};
use crate::math::ln;
use crate::rbm::RbmSpec;

/// E(v) is −ln Σ_h exp(−E(v, h)), and the means are those of h given v.
#[test]
fn hidden_sites_are_summed_out() {
    for spec in MarginalSpec::examples() {
        let model = spec.build().unwrap();
        let (dim, hidden, joint) = (model.dim(), model.num_hidden(), model.joint());
        for state in 0..1 << dim {
            let visible: Vec<f64> = (0..dim).map(|site| f64::from(state >> site & 1)).collect();
            let (mut sum, mut on) = (0.0, vec![0.0; hidden]);
            for h in 0..1 << hidden {
                let bits = (0..hidden).map(|site| f64::from(h >> site & 1));
                let all: Vec<f64> = visible.iter().copied().chain(bits.clone()).collect();
                let mut energy = [0.0];
                joint.energy(Batch::new(joint.dim(), &all), &mut energy);
                let weight = exp(-energy[0]);
                sum += weight;
                on.iter_mut().zip(bits).for_each(|(on, bit)| *on += weight * bit);
            }
            let mut energy = [0.0];
            model.energy(Batch::new(dim, &visible), &mut energy);
            assert!((energy[0] + ln(sum)).abs() < 1e-13, "{} {}", energy[0], -ln(sum));
            let means = model.hidden_means(Batch::new(dim, &visible));
            let pairs = means.iter().zip(&on);
            pairs.for_each(|(mean, on)| assert!((mean - on / sum).abs() < 1e-14));
        }
    }
}

/// Hidden sites that are not coupled to one another make a restricted machine.
#[test]
fn layers_are_a_restricted_machine() {
    let rbm = RbmSpec::random(5, 3, 0.9, 4);
    let [weights, visible, hidden] =
        [&rbm.weights, &rbm.visible_bias, &rbm.hidden_bias].map(|part| part.clone().unwrap());
    let mut couplings = vec![0.0; 64];
    for j in 0..3 {
        couplings[(5 + j) * 8 + 5 + j] = -hidden[j];
        for i in 0..5 {
            couplings[i * 8 + i] = -visible[i];
            couplings[(5 + j) * 8 + i] = -0.5 * weights[5 * j + i];
            couplings[i * 8 + 5 + j] = -0.5 * weights[5 * j + i];
        }
    }
    let joint = IsingSpec {
        dim: 8,
        pattern: Pattern::Dense {},
        couplings: Some(couplings),
        params: None,
        uniform: None,
    };
    let marginal = MarginalSpec { model: Box::new(ModelSpec::Ising(joint)), num_hidden: 3 };
    let (marginal, rbm) = (marginal.build().unwrap(), rbm.build().unwrap());
    for state in 0..32_u64 {
        for site in 0..5 {
            let [a, b] = [marginal.flip_delta(&[state], site), rbm.flip_delta(&[state], site)];
            assert!((a - b).abs() < 1e-13, "{a} {b}");
        }
    }
}

#[test]
fn bad_specs_are_refused_by_field() {
    let ising = || IsingSpec::random(4, Pattern::Dense {}, 0.5, 1);
    let refused = |model: ModelSpec, num_hidden: usize| {
        let error = MarginalSpec { model: Box::new(model), num_hidden }.build().unwrap_err();
        (error.field().unwrap().to_owned(), error.to_string())
    };
    let (field, _) = refused(ModelSpec::Rbm(RbmSpec::random(3, 2, 0.5, 1)), 1);
    assert_eq!(field, "model.model.kind");
    let (field, message) = refused(ModelSpec::Ising(ising()), 4);
    assert_eq!(field, "model.numHidden");
    assert!(message.contains("leave at least one visible"), "{message}");
    for count in [0, 13] {
        let spec = IsingSpec::random(20, Pattern::Dense {}, 0.5, 1);
        assert_eq!(refused(ModelSpec::Ising(spec), count).0, "model.numHidden");
    }
    let lopsided = IsingSpec { couplings: Some(vec![0.0; 15]), ..ising() };
    assert_eq!(refused(ModelSpec::Ising(lopsided), 1).0, "model.model.couplings");
}
