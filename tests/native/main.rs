//! The tests in Rust but for those with an allocator of their own: one program, so that the crate is
//! linked and its generic code compiled once and not fifty times. Each file begins with what it is about.

mod common;
mod exact_draws;
mod joint;
mod memory_jobs;
mod transitions;

mod annealing;
mod chain;
mod combined;
mod consistency;
mod continuous;
mod contrastive_divergence;
mod coverage;
mod data;
mod dbn;
mod diagnostics;
mod energies;
mod evidence;
mod exact;
mod exact_methods;
mod expectation_maximization;
mod fingerprints;
mod fit_bootstrap;
mod fit_by_chains;
mod fit_errors;
mod fit_methods;
mod fit_reals;
mod formulas_of_values;
mod geweke;
mod gibbs;
mod golden;
mod hidden_sites;
mod hidden_variables;
mod hopfield_capacity;
mod independent_draws;
mod invariance;
mod invariance_continuous;
mod ising;
mod kernels;
mod lattice;
mod laws;
mod leapfrog;
mod log_z;
mod memory;
mod memory_bits;
mod memory_refusals;
mod metric;
mod mode;
mod moment_matching;
mod moments;
mod mpf_bound;
mod natural_gradient;
mod natural_gradient_reals;
mod network;
mod noise_contrastive;
mod objectives;
mod observed;
mod patches;
mod persistent_mpf;
mod pieces;
mod plain_words;
mod posterior;
mod potts;
mod predictive_check;
mod predictive_check_reals;
mod pseudolikelihood;
mod real_chains;
mod resume;
mod sampling;
mod softmax_units;
mod spin_glass;
mod structure;
mod tempered_jobs;
mod tempering;
mod value_frontier;
mod warmup;
mod weights;
mod workers;

/// A file that is no module of this program would not be compiled, and nobody would miss its tests.
#[test]
fn every_file_is_a_module() {
    let this = include_str!("main.rs");
    for entry in std::fs::read_dir("tests/native").expect("the folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_str().expect("of letters").to_string();
        assert!(name == "main" || this.contains(&format!("\nmod {name};\n")), "{name} is left out");
    }
}
