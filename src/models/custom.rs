//! An energy computed by an external function, x ∈ ℝᴰ: in the package, the default export of a
//! JavaScript module, which fills energies and gradients of a whole batch,
//!
//! `(x: Float64Array /* [B, D] */, energy: Float64Array /* [B] */,
//!   grad: Float64Array /* [B, D] */) => void`.
//!
//! The model holds the module's URL only; the function is registered under that URL for the thread
//! that will call it ([`register`]). A mistake of the function has two effects: the batch's
//! energies are NaN, which the algorithms treat as a divergence, and the first mistake is kept
//! until their driver asks for it and reports it ([`take_mistake`]).
//!
//! The bits of such a model are those of the function: the functions of `Math` may differ between
//! browsers.

use super::{Model, ModelSpec, capabilities};
use crate::checks::check_count;
use crate::energy::{Differentiable, Energy};
use crate::linalg::{Batch, Block, transpose};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Maximum dimension D.
pub const MAX_DIM: usize = 100_000;

/// The spec of the custom model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CustomSpec {
    /// Number of dimensions D.
    pub dim: usize,
    /// The absolute URL of a module whose default export fills `energy` `[B]` and `grad` `[B, dim]`
    /// for states `x` `[B, dim]`, all of them row-major `Float64Array`s, which it may use until it
    /// returns. Outside the model's domain the energy is Infinity.
    pub url: String,
}

/// A function that computes a batch of energies and gradients: `(x, energy, grad)`, with the shapes
/// above. An error describes its mistake, as a sentence without a subject.
pub type BatchFunction =
    dyn FnMut(&[f64], &mut [f64], &mut [f64]) -> std::result::Result<(), String>;

/// A registered function with memory for its arguments.
struct Registered {
    function: Box<BatchFunction>,
    x: Vec<f64>,
    energy: Vec<f64>,
    grad: Vec<f64>,
}

thread_local! {
    static FUNCTIONS: RefCell<BTreeMap<String, Registered>> = const { RefCell::new(BTreeMap::new()) };
    static MISTAKE: RefCell<Option<Error>> = const { RefCell::new(None) };
}

/// Registers a function with this thread, replacing any other under that URL.
pub fn register(url: &str, function: Box<BatchFunction>) {
    let registered = Registered { function, x: Vec::new(), energy: Vec::new(), grad: Vec::new() };
    FUNCTIONS.with_borrow_mut(|functions| functions.insert(url.into(), registered));
}

/// Takes the first mistake of a function in this thread since the last call.
pub fn take_mistake() -> Option<Error> {
    MISTAKE.take()
}

/// The custom model; see the module documentation.
#[derive(Debug, Clone)]
pub struct Custom {
    spec: CustomSpec,
}

impl CustomSpec {
    /// Checks the spec and builds the model.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] or [`Error::TooLarge`], naming the field;
    /// [`Error::InvalidModel`] if this thread has no such function.
    pub fn build(&self) -> Result<Custom> {
        check_count("model.dim", self.dim, 1, MAX_DIM, "dimensions")?;
        if !FUNCTIONS.with_borrow(|functions| functions.contains_key(&self.url)) {
            let problem = "its module is not loaded: custom models need JavaScript, and an engine \
                           without threads";
            return Err(Error::InvalidModel { field: "model.url".into(), problem: problem.into() });
        }
        Ok(Custom { spec: self.clone() })
    }

    /// There are no large arrays.
    pub fn arrays_mut(&mut self) -> Vec<(&'static str, &mut Vec<f64>)> {
        Vec::new()
    }

    /// None, as building one takes more than plain data.
    pub fn examples() -> Vec<Self> {
        Vec::new()
    }
}

impl Custom {
    /// Calls the function for states that `read` writes to `x`, `[width, dim]`, and passes its
    /// results on.
    fn call(
        &self,
        width: usize,
        read: impl FnOnce(&mut [f64]),
        write: impl FnOnce(&[f64], &[f64]),
    ) {
        let dim = self.spec.dim;
        let outcome = FUNCTIONS.with_borrow_mut(|functions| {
            let Some(Registered { function, x, energy, grad }) = functions.get_mut(&self.spec.url)
            else {
                return Err("is not loaded in this thread".into());
            };
            x.resize(width * dim, 0.0);
            energy.resize(width, 0.0);
            grad.resize(width * dim, 0.0);
            read(x);
            // Detects entries that the function does not fill.
            energy.fill(f64::NAN);
            grad.fill(f64::NAN);
            let outcome = function(x, energy, grad).and_then(|()| check(dim, x, energy, grad));
            if outcome.is_err() {
                energy.fill(f64::NAN);
            }
            write(energy, grad);
            outcome
        });
        if let Err(problem) = outcome {
            let problem = format!("the function of {} {problem}", abridged(&self.spec.url));
            let mistake = Error::InvalidModel { field: "model.url".into(), problem };
            MISTAKE.with_borrow_mut(|first| {
                first.get_or_insert(mistake);
            });
        }
    }
}

/// Refuses numbers that no energy has. If a trajectory went to infinity, the function may return
/// anything, and the proposal is rejected anyway.
fn check(dim: usize, x: &[f64], energy: &[f64], grad: &[f64]) -> std::result::Result<(), String> {
    for (chain, (x, grad)) in x.chunks_exact(dim).zip(grad.chunks_exact(dim)).enumerate() {
        if x.iter().any(|x| !x.is_finite()) || energy[chain] == f64::INFINITY {
            continue;
        }
        let what = if energy[chain].is_nan() {
            "NaN, or nothing, as the energy".into()
        } else if energy[chain] == f64::NEG_INFINITY {
            "-Infinity as the energy".into()
        } else if let Some(d) = grad.iter().position(|slope| slope.is_nan()) {
            format!("NaN, or nothing, as entry {d} of the gradient")
        } else {
            continue;
        };
        let shown: Vec<_> = x.iter().take(4).map(f64::to_string).collect();
        let more = if dim > 4 { ", …" } else { "" };
        return Err(format!(
            "gave {what} of chain {chain} of the batch, at x = [{}{more}]; an energy is a number, \
             or Infinity where the model has no place",
            shown.join(", ")
        ));
    }
    Ok(())
}

/// A shortened URL for a message, as a URL may contain a whole program.
fn abridged(url: &str) -> String {
    let mut short: String = url.chars().take(80).collect();
    if short.len() < url.len() {
        short.push('…');
    }
    short
}

impl Energy for Custom {
    fn dim(&self) -> usize {
        self.spec.dim
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        assert!(x.dim() == self.spec.dim && x.len() == out.len());
        let read = |to: &mut [f64]| {
            to.chunks_exact_mut(x.dim()).zip(x.states()).for_each(|(to, x)| to.copy_from_slice(x));
        };
        let mut is_filled = false;
        self.call(x.len(), read, |energy, _| {
            out.copy_from_slice(energy);
            is_filled = true;
        });
        if !is_filled {
            out.fill(f64::NAN);
        }
    }
}

impl Differentiable for Custom {
    fn energy_grad(&self, x: Block<'_>, energy: &mut [f64], grad: &mut [f64]) {
        let (dim, width) = (x.dim(), x.width());
        assert!(dim == self.spec.dim && energy.len() == width && grad.len() == x.data().len());
        let mut is_filled = false;
        // With dimension and width exchanged, it converts a block to states.
        let read = |to: &mut [f64]| transpose(width, dim, x.data(), to);
        self.call(width, read, |energies, grads| {
            energy.copy_from_slice(energies);
            transpose(dim, width, grads, grad);
            is_filled = true;
        });
        if !is_filled {
            energy.fill(f64::NAN);
        }
    }

    fn gradient_cost(&self) -> usize {
        // A guess: a call costs a hundred nanoseconds or so for all states together.
        100 + 50 * self.spec.dim
    }
}

impl Model for Custom {
    fn kind(&self) -> &'static str {
        "custom"
    }

    fn spec(&self) -> ModelSpec {
        ModelSpec::Custom(self.spec.clone())
    }

    fn boxed_clone(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }

    capabilities!(Differentiable);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Registers `function` and evaluates it at (1, 2), (3, 4), (5, 6).
    fn evaluate(url: &str, function: Box<BatchFunction>) -> ([f64; 3], [f64; 6], Option<Error>) {
        register(url, function);
        let model = CustomSpec { dim: 2, url: url.into() }.build().unwrap();
        let mut energy = [0.0; 3];
        let mut grad = [0.0; 6];
        let block = [1.0, 3.0, 5.0, 2.0, 4.0, 6.0];
        model.energy_grad(Block::new(2, &block), &mut energy, &mut grad);
        (energy, grad, take_mistake())
    }

    #[test]
    fn energies_and_gradients_are_the_functions() {
        let function: Box<BatchFunction> = Box::new(|x, energy, grad| {
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
        let model = CustomSpec { dim: 2, url: "test:sound".into() }.build().unwrap();
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
        assert!(words(Box::new(|_, _, _| Err("threw".into()))).ends_with("test:faulty threw"));
        let nothing = words(Box::new(|_, _, _| Ok(())));
        assert!(nothing.contains("energy of chain 0 of the batch, at x = [1, 2]"), "{nothing}");
        let nan = words(Box::new(|_, energy, grad| {
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
            Box::new(|_, energy, _| {
                energy[0] = f64::INFINITY;
                Ok(())
            }),
        );
        let model = CustomSpec { dim: 1, url: "test:nowhere".into() }.build().unwrap();
        let mut energy = [0.0; 2];
        model.energy_grad(Block::new(1, &[1.0, f64::NAN]), &mut energy, &mut [0.0; 2]);
        assert_eq!(energy[0], f64::INFINITY);
        assert!(energy[1].is_nan());
        assert_eq!(take_mistake(), None);
    }

    #[test]
    fn unknown_modules_are_refused() {
        let error = CustomSpec { dim: 1, url: "test:unknown".into() }.build().unwrap_err();
        assert_eq!((error.code(), error.field()), ("invalid-model", Some("model.url")));
        assert!(error.to_string().contains("need JavaScript"));
    }
}
