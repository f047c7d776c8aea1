//! Any model on ℝᴰ given some of its entries: it is evaluated at whole states, and the free entries of its
//! gradient are kept.

use super::Entries;
use crate::energy::{BlockDraws, Differentiable, Energy, HalfSpace};

use crate::linalg::{Batch, Block, with_scratch};
use crate::rng::ChainRng;
use crate::{Error, Model, ModelSpec, Result, capabilities};

/// The spec of such a model. Jobs make it themselves: it does not come over the wire.
#[derive(Debug, Clone, PartialEq)]
pub struct SectionSpec {
    /// The model of whole states.
    pub model: Box<ModelSpec>,
    /// Which entries are free.
    pub entries: Entries,
}

/// A model on ℝᴰ given some of its entries; see the module documentation.
pub struct Section {
    model: Box<dyn Model>,
    spec: SectionSpec,
    constraints: Vec<HalfSpace>,
}

impl SectionSpec {
    /// Builds the model.
    ///
    /// # Errors
    /// Any error of the model's spec; [`Error::MissingCapability`] if the model has no gradient;
    /// [`Error::InvalidSpec`] if no state with the observed values is allowed.
    pub fn build(&self) -> Result<Section> {
        let model = self.model.build()?;
        let Some(differentiable) = model.as_differentiable() else {
            return Err(Error::missing(model.kind(), "Differentiable", "observed entries"));
        };
        let mut constraints = Vec::new();
        for HalfSpace { normal, offset } in differentiable.constraints() {
            let observed = self.entries.observed().map(|(site, value)| normal[site] * value);
            let offset = offset - observed.sum::<f64>();
            let normal = self.entries.restrict(normal);
            if normal.iter().any(|entry| *entry != 0.0) {
                constraints.push(HalfSpace { normal, offset });
            } else if offset > 0.0 {
                let problem =
                    "lie outside the half-spaces the model is confined to; observe other values";
                return Err(Error::spec("observed.values", problem));
            }
        }
        Ok(Section { model, spec: self.clone(), constraints })
    }
}

impl Section {
    fn whole(&self) -> &dyn Differentiable {
        self.model.as_differentiable().expect("checked when it was built")
    }
}

impl Energy for Section {
    fn dim(&self) -> usize {
        self.spec.entries.free().len()
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        assert_eq!(x.dim(), self.dim());
        let entries = &self.spec.entries;
        with_scratch([x.len() * entries.dim()], |[whole]| {
            entries.overwrite(whole);
            for (state, whole) in x.states().zip(whole.chunks_exact_mut(entries.dim())) {
                entries.free().iter().zip(state).for_each(|(&site, value)| whole[site] = *value);
            }
            self.model.energy(Batch::new(entries.dim(), whole), out);
        });
    }
}

impl Differentiable for Section {
    fn energy_grad(&self, x: Block<'_>, energy: &mut [f64], grad: &mut [f64]) {
        assert!(x.dim() == self.dim() && grad.len() == x.data().len());
        let (entries, width) = (&self.spec.entries, x.width());
        with_scratch([width * entries.dim(); 2], |[whole, whole_grad]| {
            for (site, value) in entries.observed() {
                whole[site * width..(site + 1) * width].fill(value);
            }
            for (d, &site) in entries.free().iter().enumerate() {
                whole[site * width..(site + 1) * width].copy_from_slice(x.entry(d));
            }
            self.whole().energy_grad(Block::new(entries.dim(), whole), energy, whole_grad);
            for (grad, &site) in grad.chunks_exact_mut(width).zip(entries.free()) {
                grad.copy_from_slice(&whole_grad[site * width..(site + 1) * width]);
            }
        });
    }

    fn gradient_cost(&self) -> usize {
        self.whole().gradient_cost()
    }

    fn constraints(&self) -> &[HalfSpace] {
        &self.constraints
    }

    /// That of the whole model: a section of it falls as fast or faster.
    fn tail_exponent(&self) -> Option<f64> {
        self.whole().tail_exponent()
    }

    fn as_block_draws(&self) -> Option<&dyn BlockDraws> {
        self.whole().as_block_draws().map(|_| self as &dyn BlockDraws)
    }
}

impl BlockDraws for Section {
    /// The whole state is drawn, and what is observed is left out: given the hidden units the entries are
    /// independent.
    fn resample(&self, state: &mut [f64], rng: &mut ChainRng) {
        let entries = &self.spec.entries;
        let mut whole = entries.extend_states(state);
        self.whole().as_block_draws().expect("it is offered").resample(&mut whole, rng);
        state.copy_from_slice(&entries.restrict(&whole));
    }
}

impl Model for Section {
    fn kind(&self) -> &'static str {
        self.model.kind()
    }

    fn spec(&self) -> ModelSpec {
        ModelSpec::Section(self.spec.clone())
    }

    fn boxed_clone(&self) -> Box<dyn Model> {
        Box::new(Self {
            model: self.model.boxed_clone(),
            spec: self.spec.clone(),
            constraints: self.constraints.clone(),
        })
    }

    capabilities!(Differentiable);

    fn provide_block_draws(&self) -> Option<&dyn BlockDraws> {
        Differentiable::as_block_draws(self)
    }
}
