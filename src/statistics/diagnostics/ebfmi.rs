//! E-BFMI, the energy Bayesian fraction of missing information: Betancourt,
//! "Diagnosing Suboptimal Cotangent Disintegrations in Hamiltonian Monte Carlo"
//! (arXiv:1604.00695, 2016).

use super::draws::Draws;
use super::moments::variance;

/// Mean square step of the total energy divided by its variance, for each chain, `[num_chains]`.
/// `energies` are those of the Hamiltonian, after each refresh of the momenta. It is 2 if the
/// energy is independent each time; below 0.3 the momenta do not carry the chain through the range
/// of energies, and it explores the tails slowly. Without refreshed momenta it is meaningless.
///
/// NaN for a chain with fewer than two draws, with equal energies (0/0), or with an energy that is
/// not finite.
pub fn ebfmi(energies: Draws<'_>) -> Vec<f64> {
    let of_chain = |chain: &[f64]| {
        let steps = chain.len() as f64 - 1.0;
        let sum: f64 = chain.windows(2).map(|pair| (pair[1] - pair[0]) * (pair[1] - pair[0])).sum();
        sum / steps / variance(chain)
    };
    energies.chains().map(of_chain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_the_edges() {
        let values = [1.0, 3.0, 2.0, 5.0, 5.0, 5.0, 1.0, f64::INFINITY, 2.0];
        let ebfmi = ebfmi(Draws::new(3, &values).unwrap());
        assert_eq!(ebfmi[0], 2.5);
        assert!(ebfmi[1].is_nan() && ebfmi[2].is_nan());
        assert!(super::ebfmi(Draws::new(2, &values[..2]).unwrap()).iter().all(|x| x.is_nan()));
    }
}
