//! The coordinates of a fit, from its spec: about the parameters that it starts from or, where the spec says so,
//! about those reached some steps later.

use super::rows::Distinct;
#[cfg(feature = "full")]
use super::rows::Rows;
#[cfg(feature = "full")]
use crate::Error;
use crate::Result;
use crate::energy::coordinates::{Coordinates, Identity};
use crate::fit::job::spec::CoordinatesSpec;
#[cfg(feature = "full")]
use crate::fit::metric::{Metric, Relative, States, Whitened};
use crate::models::Model;

/// What coordinates depend on, beside the parameters they are about.
#[cfg(feature = "full")]
struct Source {
    spec: CoordinatesSpec,
    model: Box<dyn Model>,
    /// The data, where a metric is averaged over them.
    states: Option<States<'static>>,
    seed: u64,
}

/// Coordinates about an origin, `θ = θ₀ + Tφ`.
pub struct LocalCoordinates {
    /// θ₀.
    origin: Vec<f64>,
    coordinates: Box<dyn Coordinates>,
    /// Where the coordinates are taken anew: after how many steps, and from what.
    #[cfg(feature = "full")]
    refresh: Option<(u64, Source)>,
}

impl LocalCoordinates {
    /// The coordinates of a fit about these parameters. They depend on the spec and the data alone, so that a
    /// resumed fit makes the same ones.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] if the model has no such coordinates; the errors of `Metric::new`.
    pub fn new(
        spec: &CoordinatesSpec,
        model: &dyn Model,
        origin: Vec<f64>,
        distinct: &Distinct<'_>,
        seed: u64,
    ) -> Result<Self> {
        #[cfg(feature = "full")]
        {
            let states = match (spec, distinct.bits(), distinct.rows) {
                (CoordinatesSpec::Metric { .. }, Some(rows), _) => Some(States::from(rows)),
                (CoordinatesSpec::Metric { .. }, None, Rows::Reals(rows)) => {
                    Some(States::from(rows))
                }
                _ => None,
            };
            let coordinates = create(spec, model, &origin, distinct, states.as_ref(), seed)?;
            let refresh = spec.refresh_every().map(|every| {
                let states = states.map(States::into_owned);
                let source =
                    Source { spec: spec.clone(), model: model.boxed_clone(), states, seed };
                (every, source)
            });
            Ok(Self { origin, coordinates, refresh })
        }
        #[cfg(not(feature = "full"))]
        {
            let _ = seed;
            let coordinates = create(spec, model, &origin, distinct)?;
            Ok(Self { origin, coordinates })
        }
    }

    /// θ₀.
    #[cfg(feature = "full")]
    pub fn origin(&self) -> &[f64] {
        &self.origin
    }

    /// The coordinates alone, for other origins.
    pub fn into_fixed(self) -> Box<dyn Coordinates> {
        self.coordinates
    }

    /// Number of coordinates.
    pub fn len(&self) -> usize {
        self.coordinates.num_coordinates()
    }

    /// The parameters at a point.
    pub fn params_at(&self, point: &[f64]) -> Vec<f64> {
        let mut params = self.origin.clone();
        self.coordinates.add_to_params(point, &mut params);
        params
    }

    /// The gradient in φ from that in θ.
    pub fn pull_back(&self, param_grad: &[f64]) -> Vec<f64> {
        let mut grad = vec![0.0; self.len()];
        self.coordinates.pull_back(param_grad, &mut grad);
        grad
    }

    /// Adds a parameter, as the objective's own.
    #[cfg(feature = "full")]
    pub fn extend(
        self,
        start: f64,
        with: impl FnOnce(Box<dyn Coordinates>) -> Box<dyn Coordinates>,
    ) -> Self {
        let Self { mut origin, coordinates, refresh } = self;
        origin.push(start);
        Self { origin, coordinates: with(coordinates), refresh }
    }

    /// Whether the coordinates move.
    #[cfg(feature = "full")]
    pub fn move_at_all(&self) -> bool {
        self.refresh.is_some()
    }

    /// Whether they are taken anew after this many steps.
    #[cfg(feature = "full")]
    pub fn move_after(&self, num_steps: u64) -> bool {
        self.refresh
            .as_ref()
            .is_some_and(|(every, _)| num_steps > 0 && num_steps.is_multiple_of(*every))
    }

    /// Takes them anew about the origin that a checkpoint names.
    ///
    /// # Errors
    /// [`Error::BadCheckpoint`] if there are none about it.
    #[cfg(feature = "full")]
    pub fn resume_at(&mut self, origin: &[f64]) -> Result<()> {
        let is_origin = origin.len() == self.origin.len()
            && origin.iter().all(|param| param.is_finite())
            && self.move_to(origin);
        if is_origin { Ok(()) } else { Err(crate::run::inconsistent()) }
    }

    /// Takes them anew about these parameters. Returns false, and leaves them, where there are none.
    #[cfg(feature = "full")]
    pub fn move_to(&mut self, origin: &[f64]) -> bool {
        let Some((_, source)) = &self.refresh else { return false };
        let Source { spec, model, states, seed } = source;
        let made = create_local(spec, &**model, origin, states.as_ref(), *seed);
        let Ok(Some(coordinates)) = made else { return false };
        self.origin = origin.to_vec();
        self.coordinates = coordinates;
        true
    }
}

/// The coordinates about an origin.
fn create(
    spec: &CoordinatesSpec,
    model: &dyn Model,
    origin: &[f64],
    distinct: &Distinct<'_>,
    #[cfg(feature = "full")] states: Option<&States<'_>>,
    #[cfg(feature = "full")] seed: u64,
) -> Result<Box<dyn Coordinates>> {
    #[cfg(feature = "full")]
    if let Some(local) = create_local(spec, model, origin, states, seed)? {
        return Ok(local);
    }
    let of_model = matches!(spec, CoordinatesSpec::Model {});
    Ok(match distinct.bits() {
        Some(rows) if of_model => model.coordinates(rows),
        _ => Box::new(Identity { num_params: origin.len() }),
    })
}

/// Those coordinates that depend on the parameters they are about.
#[cfg(feature = "full")]
fn create_local(
    spec: &CoordinatesSpec,
    model: &dyn Model,
    origin: &[f64],
    states: Option<&States<'_>>,
    seed: u64,
) -> Result<Option<Box<dyn Coordinates>>> {
    Ok(match (spec, states) {
        (CoordinatesSpec::Metric { metric, form, damping, .. }, Some(states)) => {
            let mut model = model.boxed_clone();
            if let Some(model) = model.as_parametric_mut() {
                model.set_params(origin);
            }
            let metric = Metric::new(&*model, states, *metric, *form, seed)?;
            Some(Box::new(Whitened::new(&metric, *damping)))
        }
        (CoordinatesSpec::Relative { .. }, _) => {
            let dim = model.as_parametric().and_then(|model| model.square_filters());
            let Some(dim) = dim else {
                return Err(Error::spec(
                    "optimizer.coordinates.kind",
                    format!(
                        "is relative, which needs as many filters as dimensions, as ica and complete \
                         productOfExperts have them; a model of kind {} has none: choose params or metric",
                        model.kind()
                    ),
                ));
            };
            Some(Box::new(Relative::new(dim, origin)))
        }
        _ => None,
    })
}
