//! Jobs in WebAssembly without JavaScript, for hosts that have none: a spec as JSON goes in, a digest comes out.
//! Numbers alone pass between host and module, eight bytes at a time, so that no code here is unsafe.
#![cfg(target_arch = "wasm32")]

use std::cell::RefCell;
use unnorm::{Job, JobSpec};
use wasm_bindgen::prelude::wasm_bindgen;

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static DIGEST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Appends eight bytes to the spec, the lowest first.
#[wasm_bindgen]
pub fn write(word: u64) {
    INPUT.with_borrow_mut(|input| input.extend(word.to_le_bytes()));
}

/// Runs the job of the spec that was written, which is one object of JSON and white space. A spec in error traps.
#[wasm_bindgen]
pub fn run() {
    let spec = INPUT.take();
    let spec = JobSpec::from_value(serde_json::from_slice(&spec).expect("JSON"));
    let mut job = Job::new(spec.expect("a sound spec"), None, None).expect("a sound job");
    job.advance(usize::MAX);
    DIGEST.set(job.result().expect("the job is done").digest().to_owned());
}

/// Eight characters of the digest's 64, the first the lowest byte; `index` is from 0 to 7.
#[wasm_bindgen]
pub fn digest(index: usize) -> u64 {
    DIGEST.with_borrow(|digest| {
        let bytes = &digest.as_bytes()[8 * index..8 * (index + 1)];
        bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
    })
}
