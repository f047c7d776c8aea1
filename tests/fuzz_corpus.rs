//! What fuzzing has found worth keeping, tried again, and some thousands of changes of it: nothing
//! panics, hangs or asks for more memory than it may. `npm run fuzz` searches for more; without it,
//! the seeds and the number of changes are fixed.

#[path = "fuzz/entries.rs"]
mod entries;
#[path = "fuzz/mutation.rs"]
mod mutation;

use cap::Cap;
use std::alloc::System;
use std::path::PathBuf;
use std::sync::Mutex;

/// One entry at a time: the limit is the whole process's.
static ALONE: Mutex<()> = Mutex::new(());

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// What is kept for an entry, and the inputs it was begun from.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = PathBuf::from("tests/fuzz/corpus").join(name);
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("a corpus")
        .map(|file| file.expect("a file").path())
        .collect();
    files.sort();
    let mut inputs = entries::seeds(name);
    assert!(!inputs.is_empty() && !files.is_empty(), "nothing is kept in {}", folder.display());
    inputs.extend(files.iter().map(|file| std::fs::read(file).expect("a file")));
    inputs
}

/// Tries the corpus, and so many changes of it.
fn replay(name: &str, num_changes: u64) {
    let _alone = ALONE.lock();
    let entry = entries::entry(name);
    let run = |input: &[u8]| {
        // An allocation beyond it ends the process.
        let limit = ALLOCATOR.allocated() + (entry.max_mebibytes << 20);
        ALLOCATOR.set_limit(limit).expect("a limit above what is there");
        let outcome = std::panic::catch_unwind(|| (entry.run)(input));
        ALLOCATOR.set_limit(usize::MAX).expect("no limit");
        assert!(outcome.is_ok(), "{name} panics at {:?}", String::from_utf8_lossy(input));
    };
    let inputs = corpus(name);
    inputs.iter().for_each(|input| run(input));
    for seed in 0..num_changes {
        let from = &inputs[(seed as usize * 7919) % inputs.len()];
        run(&(entry.mutate)(from, seed));
    }
}

#[test]
fn formulas() {
    replay("formula", 5000);
}

#[test]
fn numpy_files() {
    replay("npy", 5000);
}

#[test]
fn csv_files() {
    replay("csv", 5000);
}

#[test]
fn specs() {
    replay("spec", 1000);
}

#[test]
fn checkpoints() {
    replay("checkpoint", 1000);
}
