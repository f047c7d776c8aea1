//! See the entry `checkpoint` of entries.rs.
#![no_main]

#[path = "../target.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|input: &[u8]| target::run("checkpoint", input));

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    target::mutate("checkpoint", data, size, max_size, seed)
});
