//! Sums of objectives of the same parameters.

use crate::energy::Objective;
use crate::linalg::axpy;

/// The sum of several objectives. Its shards are those of the terms, in order.
pub struct Sum {
    terms: Vec<Box<dyn Objective>>,
}

impl Sum {
    /// # Panics
    /// If there is no term, or their numbers of parameters differ.
    pub fn new(terms: Vec<Box<dyn Objective>>) -> Self {
        let num_params = terms.first().expect("at least one term").num_params();
        assert!(terms.iter().all(|term| term.num_params() == num_params));
        Self { terms }
    }

    /// The term a shard belongs to, and the shard's index within it.
    fn term_of(&self, shard: usize) -> (&dyn Objective, usize) {
        let mut index = shard;
        for term in &self.terms {
            if index < term.num_shards() {
                return (&**term, index);
            }
            index -= term.num_shards();
        }
        panic!("there is no shard {shard}");
    }
}

impl Objective for Sum {
    fn num_params(&self) -> usize {
        self.terms[0].num_params()
    }

    #[cfg(feature = "full")]
    fn own_parameter(&self, params: &[f64]) -> Option<crate::energy::OwnParameter> {
        self.terms[0].own_parameter(params)
    }

    fn set_params(&mut self, params: &[f64]) {
        self.terms.iter_mut().for_each(|term| term.set_params(params));
    }

    fn num_shards(&self) -> usize {
        self.terms.iter().map(|term| term.num_shards()).sum()
    }

    fn part(&self, shard: usize) -> Vec<f64> {
        let (term, index) = self.term_of(shard);
        term.part(index)
    }

    fn num_pieces(&self, shard: usize) -> usize {
        let (term, index) = self.term_of(shard);
        term.num_pieces(index)
    }

    fn add_piece(&self, shard: usize, piece: usize, part: &mut Vec<f64>) {
        let (term, index) = self.term_of(shard);
        term.add_piece(index, piece, part);
    }

    fn scale(&self) -> f64 {
        self.terms.iter().map(|term| term.scale()).fold(1.0, f64::min)
    }

    fn combine(&self, parts: &[Vec<f64>], grad: &mut [f64]) -> f64 {
        assert_eq!(parts.len(), self.num_shards());
        let mut value = 0.0;
        let mut term_grad = vec![0.0; grad.len()];
        let mut rest = parts;
        grad.fill(0.0);
        for term in &self.terms {
            let (own, others) = rest.split_at(term.num_shards());
            value += term.combine(own, &mut term_grad);
            axpy(1.0, &term_grad, grad);
            rest = others;
        }
        value
    }
}
