//! The deep belief network: a stack of restricted Boltzmann machines, where the hidden layer of one
//! is the visible layer of the next (Hinton, Osindero and Teh 2006; Sohl-Dickstein 2012, section
//! 3.2).
//!
//! With layers v = h⁰, h¹, …, hᴸ and machines p_k over (h^{k−1}, h^k),
//!
//! `p(v, h¹, …, hᴸ) = p_L(h^{L−1}, hᴸ) Π_{k<L} p_k(h^{k−1} | h^k)`
//!
//! The two top layers form an undirected machine, and the layers below depend on them by directed
//! edges. So the stack is **no energy**: −ln p(v), up to a constant, is a sum over all hidden
//! states that does not factor, and it has none of the capabilities in [`crate::energy`]. It can be
//! sampled, by Gibbs sampling on top and one pass down ([`Dbn::sample_down`]), and fitted machine
//! by machine, each to draws that the machines below make from the data ([`Dbn::sample_up`]). With
//! one machine it is that machine.
//!
//! The hidden biases of all machines except the top one are used only on the way up: on the way
//! down a layer's biases are the visible ones of the machine above.
//!
//! Parameters: those of the machines from the bottom up, `[W₁ | c₁ | b₁ | W₂ | …]`, each as in
//! [`super::rbm`].

mod spec;

pub use spec::{DbnLayer, DbnSpec, MAX_LAYERS};

use super::rbm::Rbm;
use crate::bits::words_per_row;
use crate::energy::{Energy, HiddenUnits, Parametric};
use crate::rng::ChainRng;

/// The deep belief network; see the module documentation.
#[derive(Debug, Clone)]
pub struct Dbn {
    layers: Vec<Rbm>,
}

impl Dbn {
    /// Number of visible units of the whole network.
    pub fn dim(&self) -> usize {
        self.layers[0].dim()
    }

    /// The machines, from the bottom up; at least one.
    pub fn layers(&self) -> &[Rbm] {
        &self.layers
    }

    /// [`Dbn::layers`], mutable.
    pub fn layers_mut(&mut self) -> &mut [Rbm] {
        &mut self.layers
    }

    /// The machine on top. The state of a chain is its visible layer.
    pub fn top(&self) -> &Rbm {
        &self.layers[self.layers.len() - 1]
    }

    /// The parameters; see the module documentation.
    pub fn params(&self) -> Vec<f64> {
        self.layers.iter().flat_map(Parametric::params).copied().collect()
    }

    /// Draws the visible units given the visible layer of the top machine, using one uniform number
    /// for each unit drawn.
    ///
    /// # Panics
    /// If a row does not have the number of words of its layer.
    pub fn sample_down(&self, top: &[u64], rng: &mut ChainRng, visible: &mut [u64]) {
        let mut above = top.to_vec();
        for layer in self.layers[..self.layers.len() - 1].iter().rev() {
            let mut below = vec![0; words_per_row(layer.dim())];
            layer.sample_visible(&above, rng, &mut below);
            above = below;
        }
        visible.copy_from_slice(&above);
    }

    /// Draws the visible layer of the top machine given the visible units, each layer given the one
    /// below as in its own machine.
    ///
    /// # Panics
    /// If a row does not have the number of words of its layer.
    pub fn sample_up(&self, visible: &[u64], rng: &mut ChainRng, top: &mut [u64]) {
        let mut below = visible.to_vec();
        for layer in &self.layers[..self.layers.len() - 1] {
            let mut above = vec![0; words_per_row(layer.num_hidden())];
            layer.sample_hidden(&below, rng, &mut above);
            below = above;
        }
        top.copy_from_slice(&below);
    }

    /// The spec that rebuilds this model.
    pub fn to_spec(&self) -> DbnSpec {
        let sizes = std::iter::once(self.dim()).chain(self.layers.iter().map(Rbm::num_hidden));
        let layers = self.layers.iter().map(|layer| {
            let spec = layer.to_spec();
            DbnLayer {
                weights: spec.weights,
                visible_bias: spec.visible_bias,
                hidden_bias: spec.hidden_bias,
            }
        });
        DbnSpec { sizes: sizes.collect(), layers: Some(layers.collect()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream};

    #[test]
    fn specs_round_trip() {
        for sizes in [&[3, 2][..], &[4, 70, 3], &[2, 3, 4, 5]] {
            let spec = DbnSpec::random(sizes, 1.0, 3);
            let model = spec.build().unwrap();
            assert_eq!(model.to_spec(), spec);
            let num_params: usize = sizes.windows(2).map(|p| p[0] * p[1] + p[0] + p[1]).sum();
            assert_eq!(model.params().len(), num_params);
        }
        let zeros = DbnSpec { sizes: vec![3, 2, 4], layers: None }.build().unwrap();
        assert!(zeros.params().iter().all(|param| *param == 0.0));
    }

    #[test]
    fn bad_specs_are_refused_by_field() {
        let good = DbnSpec::random(&[3, 2, 4], 1.0, 1);
        let with = |change: &dyn Fn(&mut DbnSpec)| {
            let mut spec = good.clone();
            change(&mut spec);
            spec.build().unwrap_err().field().unwrap().to_owned()
        };
        let layer =
            |spec: &mut DbnSpec, at: usize| std::mem::take(&mut spec.layers.as_mut().unwrap()[at]);
        let bad = Some(vec![0.0, f64::NAN]);
        let fields = [
            with(&|spec| spec.sizes = vec![3]),
            with(&|spec| spec.sizes = vec![3; MAX_LAYERS + 2]),
            with(&|spec| spec.sizes[1] = 0),
            with(&|spec| spec.sizes[2] = 1 << 20),
            with(&|spec| spec.sizes = vec![4096, 512, 4097]),
            with(&|spec| spec.sizes = vec![3, 2]),
            with(&|spec| spec.sizes[0] = 4),
            with(&|spec| {
                let kept = layer(spec, 1);
                let changed = DbnLayer { visible_bias: bad.clone(), ..kept };
                spec.layers.as_mut().unwrap()[1] = changed;
            }),
        ];
        let expected = [
            "model.sizes",
            "model.sizes",
            "model.sizes[1]",
            "model.sizes[2]",
            "model.sizes",
            "model.layers",
            "model.layers[0].weights",
            "model.layers[1].visibleBias[1]",
        ];
        assert_eq!(fields, expected);
    }

    /// The passes equal the machines' own draws, in order.
    #[test]
    fn passes_go_layer_by_layer() {
        let model = DbnSpec::random(&[70, 9, 66, 4], 1.0, 2).build().unwrap();
        let [first, second, _] = model.layers() else { panic!("three machines") };
        let visible = [0x0123_4567_89ab_cdef, 0b1_0110];
        let [mut rng, mut apart] = [(); 2].map(|()| stream(1, Purpose::Example, 0));
        let (mut top, mut middle, mut expected) = ([0; 2], [0; 1], [0; 2]);
        model.sample_up(&visible, &mut rng, &mut top);
        first.sample_hidden(&visible, &mut apart, &mut middle);
        second.sample_hidden(&middle, &mut apart, &mut expected);
        assert_eq!(top, expected);
        let mut down = [0; 2];
        model.sample_down(&top, &mut rng, &mut down);
        second.sample_visible(&top, &mut apart, &mut middle);
        first.sample_visible(&middle, &mut apart, &mut expected);
        assert_eq!(down, expected);
    }
}
