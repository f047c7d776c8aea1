//! An energy computed by an external function, x ∈ ℝᴰ: in the package, the default export of a
//! JavaScript module, which fills energies and gradients of a whole batch,
//!
//! `(x: Float64Array /* [B, D] */, energy: Float64Array /* [B] */,
//!   grad: Float64Array /* [B, D] */) => void`.
//!
//! Of a model with parameters it also gets their values `[P]`, and where a fit asks for them fills the
//! gradients in these, `[B, P]`.
//!
//! The model holds the module's URL only; the function is registered under that URL for the thread
//! that will call it ([`register`]). A mistake of the function has two effects: the batch's
//! energies are NaN, which the algorithms treat as a divergence, and the first mistake is kept
//! until their driver asks for it and reports it ([`take_mistake`]).
//!
//! The bits of such a model are those of the function: the functions of `Math` may differ between
//! browsers.

#[cfg(test)]
mod tests;

use super::named_params::{NamedParams, ParameterSpec};
use super::{Model, ModelSpec, NamedParameter, capabilities};
use crate::checks::check_count;
use crate::energy::{Differentiable, Energy, Parametric};
use crate::linalg::{Batch, Block, axpy, transpose};
use crate::{Error, Result};
use std::cell::RefCell;
use std::collections::BTreeMap;
use unnorm_wire::spec;

/// Maximum dimension D.
pub const MAX_DIM: usize = 100_000;

/// The spec of the custom model.
#[spec]
pub struct CustomSpec {
    /// Number of dimensions D.
    pub dim: usize,
    /// The absolute URL of a module whose default export fills `energy` `[B]` and `grad` `[B, dim]`
    /// for states `x` `[B, dim]`, all of them row-major `Float64Array`s, which it may use until it
    /// returns. Outside the model's domain the energy is Infinity. If there are `params`, it also gets
    /// their values, in alphabetical order of their names, and `paramGrad`: a `Float64Array`
    /// `[B, params]` to fill with ∂E/∂param, or nothing where only energies and slopes are needed.
    pub url: String,
    /// The parameters: what a fit finds, with the values that it starts from. A number, or an object
    /// with `value` and the bounds `lower` and `upper`.
    #[cfg(feature = "full")]
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub params: BTreeMap<String, ParameterSpec>,
}

/// The arguments of a function, with the shapes above.
#[derive(Debug)]
pub struct Arguments<'a> {
    /// The states.
    pub x: &'a [f64],
    /// The values of the parameters; empty if there are none.
    pub params: &'a [f64],
    /// To fill.
    pub energy: &'a mut [f64],
    /// To fill.
    pub grad: &'a mut [f64],
    /// To fill; empty where it is not asked for.
    pub param_grad: &'a mut [f64],
}

/// A function that computes a batch of energies and gradients. An error describes its mistake, as a
/// sentence without a subject.
pub type BatchFunction = dyn FnMut(Arguments<'_>) -> std::result::Result<(), String>;

/// A registered function with memory for what it reads and fills.
struct Registered {
    function: Box<BatchFunction>,
    x: Vec<f64>,
    params: Vec<f64>,
    filled: Filled,
}

/// What a function fills.
#[derive(Default)]
struct Filled {
    energy: Vec<f64>,
    grad: Vec<f64>,
    /// Empty where it is not asked for.
    param_grad: Vec<f64>,
}

thread_local! {
    static FUNCTIONS: RefCell<BTreeMap<String, Registered>> = const { RefCell::new(BTreeMap::new()) };
    static MISTAKE: RefCell<Option<Error>> = const { RefCell::new(None) };
}

/// Registers a function with this thread, replacing any other under that URL.
pub fn register(url: &str, function: Box<BatchFunction>) {
    let (x, params, filled) = (Vec::new(), Vec::new(), Filled::default());
    let registered = Registered { function, x, params, filled };
    FUNCTIONS.with_borrow_mut(|functions| functions.insert(url.into(), registered));
}

/// Takes the first mistake of a function in this thread since the last call.
pub fn take_mistake() -> Option<Error> {
    MISTAKE.take()
}

/// The custom model; see the module documentation.
#[derive(Debug, Clone)]
pub struct Custom {
    dim: usize,
    url: String,
    params: NamedParams,
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
        let params = self.params();
        if params.contains_key("") {
            return Err(Error::spec("model.params", "has a name without letters; give it one"));
        }
        Ok(Custom { dim: self.dim, url: self.url.clone(), params: NamedParams::new(params)? })
    }

    /// The parameters; the core, which fits no such model, has no room for them.
    fn params(&self) -> &BTreeMap<String, ParameterSpec> {
        #[cfg(not(feature = "full"))]
        return const { &BTreeMap::new() };
        #[cfg(feature = "full")]
        &self.params
    }

    /// None, as building one takes more than plain data.
    pub fn examples() -> Vec<Self> {
        Vec::new()
    }
}

impl Custom {
    /// Calls the function for states that `read` writes to `x`, `[width, dim]`, and passes on what it
    /// has filled.
    fn call(
        &self,
        width: usize,
        wants_param_grad: bool,
        read: impl FnOnce(&mut [f64]),
        write: impl FnOnce(&Filled),
    ) {
        let (dim, values) = (self.dim, self.params.values());
        let outcome = FUNCTIONS.with_borrow_mut(|functions| {
            let Some(Registered { function, x, params, filled }) = functions.get_mut(&self.url)
            else {
                return Err("is not loaded in this thread".into());
            };
            x.resize(width * dim, 0.0);
            read(x);
            params.clone_from(&values);
            // Detects entries that the function does not fill.
            let num_slopes = if wants_param_grad { width * values.len() } else { 0 };
            for (numbers, len) in [
                (&mut filled.energy, width),
                (&mut filled.grad, width * dim),
                (&mut filled.param_grad, num_slopes),
            ] {
                numbers.clear();
                numbers.resize(len, f64::NAN);
            }
            let Filled { energy, grad, param_grad } = filled;
            let outcome = function(Arguments { x, params, energy, grad, param_grad });
            let outcome = outcome.and_then(|()| check(dim, x, filled));
            if outcome.is_err() {
                filled.energy.fill(f64::NAN);
            }
            write(filled);
            outcome
        });
        if let Err(problem) = outcome {
            let problem = format!("the function of {} {problem}", abridged(&self.url));
            let mistake = Error::InvalidModel { field: "model.url".into(), problem };
            MISTAKE.with_borrow_mut(|first| {
                first.get_or_insert(mistake);
            });
        }
    }
}

/// Refuses numbers that no energy has. If a trajectory went to infinity, the function may return
/// anything, and the proposal is rejected anyway.
fn check(dim: usize, x: &[f64], filled: &Filled) -> std::result::Result<(), String> {
    let Filled { energy, grad, param_grad } = filled;
    let num_params = param_grad.len() / energy.len().max(1);
    for (chain, (x, grad)) in x.chunks_exact(dim).zip(grad.chunks_exact(dim)).enumerate() {
        if x.iter().any(|x| !x.is_finite()) || energy[chain] == f64::INFINITY {
            continue;
        }
        let slopes = &param_grad[chain * num_params..(chain + 1) * num_params];
        let what = if energy[chain].is_nan() {
            "NaN, or nothing, as the energy".into()
        } else if energy[chain] == f64::NEG_INFINITY {
            "-Infinity as the energy".into()
        } else if let Some(d) = grad.iter().position(|slope| slope.is_nan()) {
            format!("NaN, or nothing, as entry {d} of the gradient")
        } else if let Some(p) = slopes.iter().position(|slope| slope.is_nan()) {
            format!("NaN, or nothing, as entry {p} of the gradient in the parameters")
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

/// Copies states one after another.
fn copy_states(x: Batch<'_>) -> impl FnOnce(&mut [f64]) + '_ {
    move |to| {
        to.chunks_exact_mut(x.dim()).zip(x.states()).for_each(|(to, x)| to.copy_from_slice(x));
    }
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
        self.dim
    }

    fn energy(&self, x: Batch<'_>, out: &mut [f64]) {
        assert!(x.dim() == self.dim && x.len() == out.len());
        let mut is_filled = false;
        self.call(x.len(), false, copy_states(x), |filled| {
            out.copy_from_slice(&filled.energy);
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
        assert!(dim == self.dim && energy.len() == width && grad.len() == x.data().len());
        let mut is_filled = false;
        // With dimension and width exchanged, it converts a block to states.
        let read = |to: &mut [f64]| transpose(width, dim, x.data(), to);
        self.call(width, false, read, |filled| {
            energy.copy_from_slice(&filled.energy);
            transpose(dim, width, &filled.grad, grad);
            is_filled = true;
        });
        if !is_filled {
            energy.fill(f64::NAN);
        }
    }

    fn gradient_cost(&self) -> usize {
        // A guess: a call costs a hundred nanoseconds or so for all states together.
        100 + 50 * self.dim
    }
}

impl Parametric for Custom {
    /// θ, in the order of the names.
    fn params(&self) -> &[f64] {
        self.params.theta()
    }

    fn set_params(&mut self, params: &[f64]) {
        self.params.set_theta(params);
    }

    /// None: what a parameter does is known to its author alone.
    fn is_bias(&self, _param: usize) -> bool {
        false
    }

    fn accumulate_param_grad(&self, x: Batch<'_>, weights: &[f64], grad: &mut [f64]) {
        assert!(x.dim() == self.dim && x.len() == weights.len());
        let mut of_values = vec![f64::NAN; grad.len()];
        self.call(x.len(), true, copy_states(x), |filled| {
            of_values.fill(0.0);
            let rows = filled.param_grad.chunks_exact(grad.len());
            for ((slopes, energy), weight) in rows.zip(&filled.energy).zip(weights) {
                // A state that the model has no place for has no weight.
                if *energy != f64::INFINITY {
                    axpy(*weight, slopes, &mut of_values);
                }
            }
        });
        self.params.add_slopes(&of_values, grad);
    }
}

impl Model for Custom {
    fn kind(&self) -> &'static str {
        "custom"
    }

    fn spec(&self) -> ModelSpec {
        #[cfg(feature = "full")]
        let params = self.params.specs().map(|(name, param)| (name.to_owned(), param)).collect();
        ModelSpec::Custom(CustomSpec {
            dim: self.dim,
            url: self.url.clone(),
            #[cfg(feature = "full")]
            params,
        })
    }

    fn boxed_clone(&self) -> Box<dyn Model> {
        Box::new(self.clone())
    }

    fn named_parameters(&self) -> Vec<NamedParameter> {
        self.params.named()
    }

    fn provide_parametric(&self) -> Option<&dyn Parametric> {
        (!self.params.theta().is_empty()).then_some(self)
    }

    fn provide_parametric_mut(&mut self) -> Option<&mut dyn Parametric> {
        if self.params.theta().is_empty() { None } else { Some(self) }
    }

    capabilities!(Differentiable);
}
