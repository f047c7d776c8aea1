//! The fingerprints that the site and the reproductions read are those that the
//! library makes. Where a change is meant, write them anew:
//!
//!     UPDATE_GOLDEN=1 cargo test --test native fingerprints::

use unnorm::memory::fingerprints::{SIDE, fingerprints};

const FILE: &str = "www/data/fingerprints-80.bits";

#[test]
fn the_fingerprints_are_those_of_seed_1() {
    let bits = fingerprints(80, 1).to_bytes();
    assert_eq!(bits.len(), 80 * SIDE * SIDE / 8);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(FILE, &bits).expect("written");
    }
    assert!(std::fs::read(FILE).expect("the file") == bits, "other pictures than before");
}
