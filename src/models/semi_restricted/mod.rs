//! The semi-restricted Boltzmann machine: a restricted one whose visible units are also coupled to
//! each other, `E(v, h) = vᵀJv − bᵀh − hᵀWv`, with the hidden units summed out:
//!
//! `E(v) = vᵀJv − Σ_j softplus(b_j + W_j v)`
//!
//! with v ∈ {0,1}^D, J symmetric with the visible biases on its diagonal (with the sign of an Ising
//! model's: J_nn = −c_n), and W of shape H × D (Osindero and Hinton 2008, with all bits). The
//! energy is the sum of those of an Ising model and of a restricted machine without visible biases,
//! and is computed as such.
//!
//! Parameters: `[J as an Ising model's, J_nn (D) then J_ij, i < j, by rows | W row-major (H × D) |
//! b (H)]`.
//!
//! Given the hidden units the visible ones are not independent, so there is no block Gibbs
//! sampling; there is also no fast form of sums over flips yet.

mod between_knots;
mod spec;

pub use spec::SemiRestrictedSpec;

use between_knots::SemiRestrictedBetweenKnots;

use super::ising::Ising;
use super::rbm::Rbm;
use super::{Model, ModelSpec, capabilities};
use crate::Result;
use crate::energy::enumeration::{Enumeration, VisibleStates};
use crate::energy::{BetweenKnots, Energy, ExponentialFamily, HiddenMeans, Parametric, SiteFlips};
use crate::energy::{Statistic, Statistics};
use crate::linalg::Batch;

/// The semi-restricted Boltzmann machine; see the module documentation.
#[derive(Debug, Clone)]
pub struct SemiRestricted {
    visible: Ising,
    /// The restricted machine, whose visible biases are zero.
    hidden: Rbm,
    params: Vec<f64>,
}

impl SemiRestricted {
    /// The sum of a dense Ising model and a machine without visible biases, of the same dimension.
    fn new(visible: Ising, hidden: Rbm) -> Self {
        let params = [visible.params(), hidden.weights(), hidden.hidden_bias()].concat();
        Self { visible, hidden, params }
    }

    /// The Ising model of the visible units.
    pub fn visible(&self) -> &Ising {
        &self.visible
    }

    /// The restricted machine, whose visible biases are zero.
    pub fn hidden(&self) -> &Rbm {
        &self.hidden
    }

    /// The spec that rebuilds this model.
    pub fn to_spec(&self) -> SemiRestrictedSpec {
        SemiRestrictedSpec {
            num_visible: self.dim(),
            num_hidden: self.hidden.hidden_bias().len(),
            couplings: Some(self.visible.couplings()),
            weights: Some(self.hidden.weights().to_vec()),
            hidden_bias: Some(self.hidden.hidden_bias().to_vec()),
        }
    }

    /// Inserts zero visible biases into `[W | b]`, which gives the parameters of a restricted
    /// machine.
    fn with_visible_bias(&self, params: &[f64]) -> Vec<f64> {
        let (weights, bias) = params.split_at(self.hidden.weights().len());
        [weights, &vec![0.0; self.visible.dim()], bias].concat()
    }

    /// Number of parameters in J.
    fn num_couplings(&self) -> usize {
        self.visible.params().len()
    }
}

impl Energy for SemiRestricted {
    fn dim(&self) -> usize {
        self.visible.dim()
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        let mut hidden = vec![0.0; out.len()];
        self.visible.energy(x, out);
        self.hidden.energy(x, &mut hidden);
        out.iter_mut().zip(&hidden).for_each(|(energy, hidden)| *energy += hidden);
    }
}

impl SiteFlips for SemiRestricted {
    fn flip_delta(&self, row: &[u64], site: usize) -> f64 {
        self.visible.flip_delta(row, site) + self.hidden.flip_delta(row, site)
    }
}

impl Parametric for SemiRestricted {
    fn params(&self) -> &[f64] {
        &self.params
    }

    fn set_params(&mut self, params: &[f64]) {
        self.params.copy_from_slice(params);
        let (couplings, rest) = params.split_at(self.num_couplings());
        self.visible.set_params(couplings);
        self.hidden.set_params(&self.with_visible_bias(rest));
    }

    fn is_bias(&self, param: usize) -> bool {
        match param.checked_sub(self.num_couplings()) {
            None => self.visible.is_bias(param),
            Some(param) => param >= self.hidden.weights().len(),
        }
    }

    /// Those of the Ising model, and one a hidden unit.
    #[cfg(feature = "full")]
    fn groups(&self) -> Option<Vec<usize>> {
        let mut groups = self.visible.groups()?;
        let (dim, num_hidden) = (self.dim(), self.hidden.hidden_bias().len());
        groups.extend((0..num_hidden).flat_map(|unit| (0..dim).map(move |_| dim + unit)));
        groups.extend(dim..dim + num_hidden);
        Some(groups)
    }

    fn accumulate_param_grad(&self, x: Batch<'_>, weights: &[f64], grad: &mut [f64]) {
        assert_eq!(grad.len(), self.params.len());
        let (couplings, rest) = grad.split_at_mut(self.num_couplings());
        self.visible.accumulate_param_grad(x, weights, couplings);
        let mut hidden = vec![0.0; self.hidden.params().len()];
        self.hidden.accumulate_param_grad(x, weights, &mut hidden);
        // Past the visible biases.
        let num_weights = self.hidden.weights().len();
        let kept = hidden[..num_weights].iter().chain(&hidden[num_weights + self.dim()..]);
        rest.iter_mut().zip(kept).for_each(|(grad, hidden)| *grad += hidden);
    }
}

impl ExponentialFamily for SemiRestricted {
    fn statistics(&self) -> Statistics {
        let (visible, hidden) = (self.dim(), self.hidden.hidden_bias().len());
        let mut terms = self.visible.statistics().terms;
        terms.extend(
            (0..hidden)
                .flat_map(|j| (0..visible).map(move |i| Statistic::pair(i, visible + j, -1.0))),
        );
        terms.extend((0..hidden).map(|j| Statistic::unit(visible + j, -1.0)));
        Statistics { num_visible: visible, num_hidden: hidden, terms }
    }

    fn enumeration(&self) -> Result<Box<dyn Enumeration>> {
        Ok(Box::new(VisibleStates::new(self.clone(), self.statistics())?))
    }
}

impl HiddenMeans for SemiRestricted {
    fn hidden_means(&self, x: Batch<'_>) -> Vec<f64> {
        self.hidden.hidden_means(x)
    }
}

impl Model for SemiRestricted {
    fn kind(&self) -> &'static str {
        "semiRestricted"
    }

    fn spec(&self) -> ModelSpec {
        ModelSpec::SemiRestricted(self.to_spec())
    }

    fn boxed_clone(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }

    capabilities!(SiteFlips, Parametric, ExponentialFamily, HiddenMeans);

    fn independent_params(&self, log_odds: &[f64]) -> Option<Vec<f64>> {
        let mut params = vec![0.0; self.params.len()];
        params.iter_mut().zip(log_odds).for_each(|(bias, odds)| *bias = -odds);
        Some(params)
    }

    fn between_knots(&self, knots: &[&[f64]]) -> Option<Box<dyn BetweenKnots>> {
        Some(Box::new(SemiRestrictedBetweenKnots::new(self, knots)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{exp, ln};

    /// E(v) is −ln Σ_h exp(−E(v, h)), for the joint energy with the hidden units.
    #[test]
    fn hidden_units_are_summed_out() {
        let spec = SemiRestrictedSpec::random(3, 2, 0.9, 6);
        let model = spec.build().unwrap();
        let (couplings, weights, bias) =
            (spec.couplings.unwrap(), spec.weights.unwrap(), spec.hidden_bias.unwrap());
        for state in 0..8 {
            let v: Vec<f64> = (0..3).map(|site| f64::from(state >> site & 1)).collect();
            let mut sum = 0.0;
            for h in [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]] {
                let mut energy = 0.0;
                for i in 0..3 {
                    energy += (0..3).map(|k| v[i] * couplings[3 * i + k] * v[k]).sum::<f64>();
                    energy -= (0..2).map(|j| h[j] * weights[3 * j + i] * v[i]).sum::<f64>();
                }
                energy -= h[0] * bias[0] + h[1] * bias[1];
                sum += exp(-energy);
            }
            let mut energy = [0.0];
            model.energy(Batch::new(3, &v), &mut energy);
            assert!((energy[0] + ln(sum)).abs() < 1e-13, "{} {}", energy[0], -ln(sum));
        }
    }

    #[test]
    fn bad_specs_are_refused_by_field() {
        let good = SemiRestrictedSpec::random(3, 2, 1.0, 1);
        let mut lopsided = good.couplings.clone().unwrap();
        lopsided[1] += 1.0;
        let fields = [
            SemiRestrictedSpec { num_visible: 0, ..good.clone() },
            SemiRestrictedSpec { num_visible: 4097, ..good.clone() },
            SemiRestrictedSpec { num_hidden: 0, ..good.clone() },
            SemiRestrictedSpec { couplings: Some(lopsided), ..good.clone() },
            SemiRestrictedSpec { weights: Some(vec![0.0; 5]), ..good.clone() },
            SemiRestrictedSpec { hidden_bias: Some(vec![0.0, f64::NAN]), ..good },
        ]
        .map(|spec| spec.build().unwrap_err().field().unwrap().to_owned());
        assert_eq!(
            fields,
            [
                "model.numVisible",
                "model.numVisible",
                "model.numHidden",
                "model.couplings[0, 1]",
                "model.weights",
                "model.hiddenBias[1]"
            ]
        );
    }

    /// Visible and hidden biases are not penalized as weights.
    #[test]
    fn biases_are_told_from_couplings() {
        let model = SemiRestrictedSpec::random(3, 2, 1.0, 1).build().unwrap();
        let biases: Vec<usize> =
            (0..model.params().len()).filter(|at| model.is_bias(*at)).collect();
        assert_eq!(biases, [0, 1, 2, 12, 13]);
    }
}
