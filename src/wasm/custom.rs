//! Functions of custom models, which access the arrays of the core directly: a view is reused until
//! the memory grows or the batch changes its size.

use super::thrown;
use crate::models::custom;
use js_sys::{Float64Array, Function, Promise, WebAssembly};
use wasm_bindgen::prelude::*;

/// Registers the default export of the module at `url` with this instance.
#[wasm_bindgen(js_name = registerCustom)]
pub fn register_custom(url: &str, function: Function) {
    let mut views = Views::default();
    custom::register(
        url,
        Box::new(move |custom::Arguments { x, params, energy, grad, param_grad }| {
            let is_asked_for = !param_grad.is_empty();
            let [x, energy, grad, params, param_grad] =
                views.of([x, energy, grad, params, param_grad]);
            let none = JsValue::UNDEFINED;
            let param_grad = if is_asked_for { param_grad } else { &none };
            match function.call5(&JsValue::UNDEFINED, x, energy, grad, params, param_grad) {
                Ok(value) if value.is_instance_of::<Promise>() => {
                    Err("is asynchronous; it must fill energy and grad before it returns".into())
                }
                Ok(_) => Ok(()),
                Err(error) => Err(format!("threw: {}", words_of(&error))),
            }
        }),
    );
}

/// The result of a call into the core, unless a custom model's function failed in it.
pub(super) fn rethrow_custom<T>(outcome: Result<T, JsValue>) -> Result<T, JsValue> {
    match custom::take_mistake() {
        None => outcome,
        Some(mistake) => Err(thrown(mistake)),
    }
}

/// JavaScript's views of the arrays.
#[derive(Default)]
struct Views {
    /// Address and length of each array.
    places: [(usize, usize); 5],
    arrays: [Float64Array; 5],
}

impl Views {
    fn of(&mut self, slices: [&[f64]; 5]) -> &[Float64Array; 5] {
        let places = slices.map(|slice| (slice.as_ptr() as usize, slice.len()));
        // A view of memory that has since grown has length 0.
        let is_current =
            places == self.places && self.arrays[0].length() as usize == slices[0].len();
        if !is_current {
            let memory: WebAssembly::Memory = wasm_bindgen::memory().unchecked_into();
            self.arrays = places.map(|(place, len)| {
                Float64Array::new_with_byte_offset_and_length(
                    &memory.buffer(),
                    place as u32,
                    len as u32,
                )
            });
            self.places = places;
        }
        &self.arrays
    }
}

fn words_of(error: &JsValue) -> String {
    match error.dyn_ref::<js_sys::Error>() {
        Some(error) => error.message().into(),
        None => error.as_string().unwrap_or_else(|| "something that is no Error".into()),
    }
}
