//! What every target does with an input: run the entry under its limit of memory, and change it.

// Every target uses some of what they share.
#![allow(dead_code)]

#[path = "entries.rs"]
mod entries;
#[path = "mutation.rs"]
mod mutation;

use cap::Cap;
use std::alloc::System;
use std::sync::OnceLock;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// Runs the entry of that name; an allocation beyond its limit ends the process.
pub fn run(name: &str, input: &[u8]) {
    let entry = entries::entry(name);
    let limit = ALLOCATOR.allocated() + (entry.max_mebibytes << 20);
    ALLOCATOR.set_limit(limit).expect("a limit above what is there");
    (entry.run)(input);
    ALLOCATOR.set_limit(usize::MAX).expect("no limit");
}

/// Changes an input: half by libFuzzer, half as the entry would, and now and then to a sound one.
pub fn mutate(name: &str, data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    static SEEDS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    let entry = entries::entry(name);
    let changed = match seed % 64 {
        0 => {
            let seeds = SEEDS.get_or_init(|| entries::seeds(name));
            seeds[seed as usize / 64 % seeds.len()].clone()
        }
        n if n % 2 == 0 => return libfuzzer_sys::fuzzer_mutate(data, size, max_size),
        _ => (entry.mutate)(&data[..size], u64::from(seed)),
    };
    let len = changed.len().min(max_size);
    data[..len].copy_from_slice(&changed[..len]);
    len
}
