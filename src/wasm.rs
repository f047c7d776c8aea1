//! The boundary to JavaScript: thin, and the only file that depends on wasm-bindgen. Errors are
//! `Error` objects with `code` and, where there is one, `field`. Large arrays are returned as typed
//! arrays.

mod custom;

use crate::arrays::{Array as Numbers, Arrays, Path, take_arrays};
use crate::data::{Entries, ParsedData};
use crate::run::{self, Unfinished};
use crate::value::Value;
use crate::verbs::{self, JobSpec, create_worker};
use crate::{Error, data};
use custom::rethrow_custom;
#[cfg(feature = "full")]
use js_sys::Uint32Array;
use js_sys::{Array, Float64Array, Object, Reflect, Uint8Array};
use serde::Serialize;
use wasm_bindgen::prelude::*;

// Exports initThreadPool.
#[cfg(feature = "threads")]
use wasm_bindgen_rayon as _;

/// Objects nested deeper than this are refused, as they may contain themselves.
const MAX_DEPTH: usize = 16;

/// Writes panics to the console before the trap.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|info| web_sys::console::error_1(&info.to_string().into())));
}

/// The version of the library.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").into()
}

/// Rows of zeros and ones, checked and packed.
#[wasm_bindgen]
pub struct BinaryData(ParsedData);

#[wasm_bindgen]
impl BinaryData {
    /// Data from rows padded to whole bytes, least significant bit first.
    #[wasm_bindgen(js_name = fromBits)]
    pub fn from_bits(dim: f64, num_rows: f64, bits: &[u8]) -> Result<Self, JsValue> {
        let (dim, num_rows) = (whole("data.dim", dim)?, whole("data.numRows", num_rows)?);
        let rows = data::from_bits(dim, num_rows, bits).map_err(thrown)?;
        Ok(Self(ParsedData { rows, entries: Entries::Bits }))
    }

    /// Data from a flat array, row-major.
    #[wasm_bindgen(js_name = fromValues)]
    pub fn from_values(dim: f64, values: &[f64]) -> Result<Self, JsValue> {
        data::read_values(whole("data.dim", dim)?, values).map(Self).map_err(thrown)
    }

    /// Data from a CSV file.
    #[wasm_bindgen(js_name = fromCsv)]
    pub fn from_csv(bytes: &[u8]) -> Result<Self, JsValue> {
        data::read_csv(bytes).map(Self).map_err(thrown)
    }

    /// Data from a NumPy file.
    #[wasm_bindgen(js_name = fromNpy)]
    pub fn from_npy(bytes: &[u8]) -> Result<Self, JsValue> {
        data::read_npy(bytes).map(Self).map_err(thrown)
    }

    /// The encoding of the entries: `bits` or `spins`.
    #[wasm_bindgen(getter)]
    pub fn entries(&self) -> String {
        self.0.entries.name().into()
    }

    /// Bits per row.
    #[wasm_bindgen(getter)]
    pub fn dim(&self) -> usize {
        self.0.rows.dim()
    }

    /// Number of rows.
    #[wasm_bindgen(getter, js_name = numRows)]
    pub fn num_rows(&self) -> usize {
        self.0.rows.num_rows()
    }

    /// The inverse of `fromBits`.
    pub fn bits(&self) -> Vec<u8> {
        self.0.rows.to_bytes()
    }
}

/// A job: its coordinator, which has its own worker.
#[wasm_bindgen]
pub struct Job(verbs::Job, Unfinished);

#[wasm_bindgen]
impl Job {
    /// Checks everything and makes the job. It takes ownership of `data`: do not free it.
    pub fn create(
        spec: &JsValue,
        data: Option<BinaryData>,
        checkpoint: Option<Vec<u8>>,
    ) -> Result<Self, JsValue> {
        let data = data.map(|data| data.0.rows);
        let job = verbs::Job::new(job_spec(spec)?, data, checkpoint.as_deref());
        rethrow_custom(job.map(|job| Self(job, Unfinished::default())).map_err(thrown))
    }

    /// Number of shards of the next round.
    #[wasm_bindgen(getter, js_name = numShards)]
    pub fn num_shards(&self) -> usize {
        self.0.num_shards()
    }

    /// The spec with all defaults filled in, for `ShardWorker.create`; without `model` if that is
    /// unchanged, since it may be large.
    pub fn spec(&mut self) -> Result<JsValue, JsValue> {
        self.0.with_spec_and_arrays(|spec, arrays| {
            let object = plain(spec)?;
            let is_kept = |path: &Path| spec.keeps_model() && path[0] == "model";
            if spec.keeps_model() {
                Reflect::delete_property(object.unchecked_ref::<Object>(), &"model".into())?;
            }
            place_all(&object, arrays.iter().filter(|(path, _)| !is_kept(path)))?;
            Ok(object)
        })
    }

    /// What every shard needs for the next round.
    pub fn broadcast(&self) -> Vec<u8> {
        self.0.coordinator().broadcast()
    }

    /// What one shard alone needs for the next round.
    pub fn scatter(&self, shard: usize) -> Vec<u8> {
        self.0.coordinator().scatter(shard)
    }

    /// Prepares the job's own worker for a round.
    pub fn prepare(&mut self, broadcast: &[u8]) {
        self.1 = Unfinished::default();
        self.0.coordinator_mut().worker_mut().prepare(broadcast);
    }

    /// Works one shard of the round, or a piece of it: undefined until the last piece. Call it
    /// again with the same arguments.
    pub fn work(&mut self, shard: usize, scattered: &[u8]) -> Result<Option<Vec<u8>>, JsValue> {
        rethrow_custom(Ok(self.0.coordinator().worker().work_piece(shard, scattered, &mut self.1)))
    }

    /// Ends the round with the parts of all shards, in shard order.
    pub fn gather(&mut self, parts: Vec<Uint8Array>) -> Result<(), JsValue> {
        let parts: Vec<_> = parts.iter().map(Uint8Array::to_vec).collect();
        self.0.coordinator_mut().gather(&parts);
        rethrow_custom(Ok(()))
    }

    /// Does up to `maxRounds` rounds here.
    pub fn advance(&mut self, max_rounds: usize) -> Result<(), JsValue> {
        self.0.advance(max_rounds);
        rethrow_custom(Ok(()))
    }

    /// Whether there is no further round.
    #[wasm_bindgen(getter)]
    pub fn done(&self) -> bool {
        self.0.is_done()
    }

    /// The job's progress; for sampling, if `since` is given, with the draws of each chain after
    /// its first `since`.
    pub fn progress(&self, since: Option<usize>) -> Result<JsValue, JsValue> {
        let mut progress = match since {
            None => self.0.progress(),
            Some(since) => self.0.progress_since(since),
        };
        to_js(&mut progress)
    }

    /// A checkpoint of the job.
    pub fn snapshot(&self) -> Vec<u8> {
        self.0.snapshot()
    }

    /// The result; undefined before the job is done.
    pub fn result(&self) -> Result<JsValue, JsValue> {
        match self.0.result() {
            None => Ok(JsValue::UNDEFINED),
            Some(mut result) => to_js(&mut result),
        }
    }
}

/// Rounds of sweeps over lattices on a graphics processor: `src/ts/lattice-device.ts` makes them.
#[cfg(feature = "full")]
#[wasm_bindgen]
impl Job {
    /// Whether a processor may do the work of the next round.
    #[wasm_bindgen(getter, js_name = isLatticeWork)]
    pub fn is_lattice_work(&self) -> bool {
        self.0.coordinator().worker().is_lattice_work()
    }

    /// Lets rounds do up to `factor` times the usual work, as a processor takes long to reach.
    #[wasm_bindgen(js_name = lengthenRounds)]
    pub fn lengthen_rounds(&mut self, factor: u32) {
        self.0.coordinator_mut().lengthen_rounds(factor);
    }

    /// The work of one shard of the round as a plain object of numbers and words; undefined if a
    /// processor may not do it.
    #[wasm_bindgen(js_name = latticeWork)]
    pub fn lattice_work(&self, scattered: &[u8]) -> JsValue {
        let Some(work) = self.0.coordinator().worker().lattice_work(scattered) else {
            return JsValue::UNDEFINED;
        };
        let object: JsValue = Object::new().into();
        for (field, value) in
            [("numRows", work.num_rows), ("width", work.width), ("lastBit", work.last_bit)]
        {
            set(&object, field, &value.into());
        }
        for (field, words) in [
            ("changes", &work.changes[..]),
            ("order", &work.order),
            ("states", &work.states),
            ("keys", &work.keys),
            ("stops", &work.stops),
        ] {
            set(&object, field, &Uint32Array::from(words));
        }
        object
    }

    /// What `work` returns, from the states that a processor has made.
    #[wasm_bindgen(js_name = takeLattices)]
    pub fn take_lattices(&self, scattered: &[u8], states: &[u32]) -> Vec<u8> {
        self.0.coordinator().worker().take_lattices(scattered, states)
    }
}

/// Works shards of a job in another instance.
#[wasm_bindgen]
pub struct ShardWorker(Box<dyn run::ShardWorker>, Unfinished);

#[wasm_bindgen]
impl ShardWorker {
    /// A worker from the job's filled-in spec and its data, of which it takes ownership: do not
    /// free them.
    pub fn create(spec: &JsValue, data: Option<BinaryData>) -> Result<Self, JsValue> {
        let worker = create_worker(job_spec(spec)?, data.map(|data| data.0.rows));
        rethrow_custom(worker.map(|worker| Self(worker, Unfinished::default())).map_err(thrown))
    }

    /// Prepares the worker for a round.
    pub fn prepare(&mut self, broadcast: &[u8]) {
        self.1 = Unfinished::default();
        self.0.prepare(broadcast);
    }

    /// Works one shard of the round, or a piece of it, like `Job.work`.
    pub fn work(&mut self, shard: usize, scattered: &[u8]) -> Result<Option<Vec<u8>>, JsValue> {
        rethrow_custom(Ok(self.0.work_piece(shard, scattered, &mut self.1)))
    }
}

/// The error in the form that JavaScript throws.
fn thrown(error: Error) -> JsValue {
    let thrown = js_sys::Error::new(&error.to_string());
    set(&thrown, "code", &error.code().into());
    if let Some(field) = error.field() {
        set(&thrown, "field", &field.into());
    }
    thrown.into()
}

/// Sets a field of an object made here, which cannot fail.
fn set(object: &JsValue, field: &str, value: &JsValue) {
    let _ = Reflect::set(object, &field.into(), value);
}

/// Converts a count, which JavaScript gives as a double.
fn whole(field: &str, value: f64) -> Result<usize, JsValue> {
    if value.trunc() == value && (0.0..4_294_967_296.0).contains(&value) {
        return Ok(value as usize);
    }
    Err(thrown(Error::data(field, format!("is {value}; it must be a whole number"))))
}

/// Reads `{ verb, ...spec }`.
fn job_spec(spec: &JsValue) -> Result<JobSpec, JsValue> {
    JobSpec::from_value(read(spec, "spec", 0)?.unwrap_or(Value::Null)).map_err(thrown)
}

/// Reads a JavaScript value; None for `undefined`.
fn read(value: &JsValue, field: &str, depth: usize) -> Result<Option<Value>, JsValue> {
    let refused = |problem: &str| Err(thrown(Error::spec(field, problem)));
    if depth > MAX_DEPTH {
        return refused("is nested too deeply");
    }
    Ok(Some(if value.is_undefined() {
        return Ok(None);
    } else if value.is_null() {
        Value::Null
    } else if let Some(value) = value.as_bool() {
        Value::Bool(value)
    } else if let Some(value) = value.as_f64() {
        Value::Number(value)
    } else if let Some(value) = value.as_string() {
        Value::Text(value)
    } else if is_bytes(value) {
        Value::Bytes(Uint8Array::new(value).to_vec())
    } else if is_numbers(value) {
        let numbers = value.dyn_ref::<Float64Array>().cloned();
        Value::Numbers(numbers.unwrap_or_else(|| Float64Array::new(value)).to_vec())
    } else if Array::is_array(value) {
        read_list(&Array::from(value), field, depth)?
    } else if value.is_object() {
        let mut fields = Vec::new();
        for entry in Object::entries(value.unchecked_ref()).iter() {
            let entry = Array::from(&entry);
            let name = entry.get(0).as_string().unwrap_or_default();
            if let Some(value) = read(&entry.get(1), &name, depth + 1)? {
                fields.push((name, value));
            }
        }
        Value::Fields(fields)
    } else {
        return refused("is neither a number, text, a truth value, an array nor a plain object");
    }))
}

/// Whether this is a typed array of bytes.
fn is_bytes(value: &JsValue) -> bool {
    value.is_instance_of::<Uint8Array>() || value.is_instance_of::<js_sys::Uint8ClampedArray>()
}

/// Whether this is a typed array that can be converted to doubles.
fn is_numbers(value: &JsValue) -> bool {
    js_sys::ArrayBuffer::is_view(value)
        && !value.is_instance_of::<js_sys::DataView>()
        && !value.is_instance_of::<js_sys::BigInt64Array>()
        && !value.is_instance_of::<js_sys::BigUint64Array>()
}

fn read_list(list: &Array, field: &str, depth: usize) -> Result<Value, JsValue> {
    let numbers: Option<Vec<f64>> = list.iter().map(|value| value.as_f64()).collect();
    if let Some(numbers) = numbers {
        return Ok(Value::Numbers(numbers));
    }
    let values =
        list.iter().map(|value| Ok(read(&value, field, depth + 1)?.unwrap_or(Value::Null)));
    Ok(Value::List(values.collect::<Result<_, JsValue>>()?))
}

/// Plain data, whose arrays are moved to their fields as typed arrays.
fn to_js<T: Serialize + Arrays>(value: &mut T) -> Result<JsValue, JsValue> {
    let arrays = take_arrays(value);
    let object = plain(value)?;
    place_all(&object, &arrays)?;
    Ok(object)
}

/// Sets the fields of plain data to typed arrays.
fn place_all<'a>(
    object: &JsValue,
    arrays: impl IntoIterator<Item = &'a (Path, Numbers)>,
) -> Result<(), JsValue> {
    for (path, array) in arrays {
        match array {
            Numbers::F64(values) => place(object, path, &Float64Array::from(&values[..]))?,
            Numbers::U8(values) => place(object, path, &Uint8Array::from(&values[..]))?,
        }
    }
    Ok(())
}

/// Converts plain data.
fn plain<T: Serialize>(value: &T) -> Result<JsValue, JsValue> {
    Ok(value.serialize(&serde_wasm_bindgen::Serializer::new().serialize_maps_as_objects(true))?)
}

/// Sets the field of plain data at a path.
fn place(object: &JsValue, path: &Path, value: &JsValue) -> Result<(), JsValue> {
    let Some((field, outer)) = path.split_last() else { return Ok(()) };
    let mut target = object.clone();
    for name in outer {
        target = Reflect::get(&target, &name[..].into())?;
    }
    set(&target, field, value);
    Ok(())
}
