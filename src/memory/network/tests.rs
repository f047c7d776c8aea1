use super::*;
use crate::bits::{BitMatrix, flip};
use crate::energy::Energy;
use crate::linalg::Batch;
use crate::models::ising::Pattern;

/// J_01 = 1, J_02 = −2, J_12 = 3; θ = (½, −1, 2).
fn three() -> Network {
    Network::new(vec![0.5, -1.0, 2.0], vec![1.0, -2.0, 3.0])
}

#[test]
fn energies_of_three_units_by_hand() {
    let energies = [0.0, 0.5, -1.0, -1.5, 2.0, 4.5, -2.0, -0.5];
    for (state, energy) in energies.into_iter().enumerate() {
        assert_eq!(three().energy(&[state as u64]), energy, "{state:03b}");
    }
    // 011 and 110 have no lower neighbour; both are strict minima.
    let minima: Vec<u64> = (0..8).filter(|row| three().is_strict_minimum(&[*row])).collect();
    assert_eq!(minima, [0b011, 0b110]);
    assert_eq!(three().margin(&[0b011]), 0.5);
    assert_eq!(three().margin(&[0b110]), 1.0);
    assert_eq!(
        [three().weight(2, 0), three().weight(1, 2), three().weight(1, 1)],
        [-2.0, 3.0, 0.0]
    );
}

/// Without any field, only the state of zeros is a fixed point, and it is not a strict minimum.
#[test]
fn ties_are_fixed_points_only_where_bits_are_clear() {
    let nothing = Network::zeros(2);
    let fixed: Vec<u64> = (0..4).filter(|row| nothing.is_fixed_point(&[*row])).collect();
    assert_eq!(fixed, [0]);
    assert!(!nothing.is_strict_minimum(&[0]));
    let lone = Network::zeros(1);
    assert!(lone.is_fixed_point(&[0]) && !lone.is_fixed_point(&[1]));
}

fn random(dim: usize) -> (IsingSpec, Network, BitMatrix) {
    let spec = IsingSpec::random(dim, Pattern::Dense {}, 0.7, dim as u64);
    let network = Network::from_ising(&spec).expect("a sound spec");
    let mut rows = BitMatrix::zeros(dim, 5);
    for (index, row) in rows.rows_mut().enumerate() {
        for site in 0..dim {
            row[site / 64] |= u64::from((site * site + index * 7) % 5 < 2) << (site % 64);
        }
    }
    (spec, network, rows)
}

#[test]
fn energies_are_those_of_the_ising_model() {
    for dim in [1, 2, 9, 70] {
        let (spec, network, rows) = random(dim);
        let model = spec.build().expect("a sound spec");
        let states = rows.as_batch().to_values();
        let mut energies = vec![0.0; rows.num_rows()];
        model.energy(Batch::new(dim, &states), &mut energies);
        for (row, energy) in rows.as_batch().rows().zip(&energies) {
            assert!((network.energy(row) - energy).abs() < 1e-12 * (1.0 + energy.abs()));
        }
        assert_eq!(network.to_ising().build().expect("sound").couplings(), model.couplings());
        assert_eq!(Network::from_ising(&network.to_ising()).expect("sound"), network);
    }
}

#[test]
fn pairs_that_a_pattern_leaves_out_have_no_weight() {
    let pattern = Pattern::Lattice { num_rows: 2, num_cols: 3, periodic: false };
    let spec = IsingSpec::random(6, pattern, 1.0, 2);
    let network = Network::from_ising(&spec).expect("a sound spec");
    let couplings = spec.build().expect("a sound spec").couplings();
    for i in 0..6 {
        assert_eq!(network.thresholds()[i], couplings[i * 7]);
        for j in (0..6).filter(|j| *j != i) {
            assert_eq!(network.weight(i, j), -2.0 * couplings[i * 6 + j]);
        }
    }
}

#[test]
fn gaps_are_differences_of_energies() {
    let (_, network, rows) = random(67);
    for row in rows.as_batch().rows() {
        let mut fields = vec![0.0; 67];
        network.fields(row, &mut fields);
        for (site, field) in fields.iter().enumerate() {
            let mut neighbour = row.to_vec();
            flip(&mut neighbour, site);
            let cost = network.energy(&neighbour) - network.energy(row);
            assert!((gap(*field, bit(row, site)) - cost).abs() < 1e-11);
        }
    }
}

/// If a gap is NaN, so is the margin.
#[test]
fn weights_that_are_no_numbers_make_no_minimum() {
    let network = Network::new(vec![-1.0; 3], vec![f64::INFINITY, 1.0, f64::NEG_INFINITY]);
    assert!(network.margin(&[0b111]).is_nan() && !network.is_strict_minimum(&[0b111]));
}

#[test]
fn flips_bring_the_fields_up_to_date() {
    let (_, network, rows) = random(9);
    let mut row = rows.row(1).to_vec();
    let (mut kept, mut fresh) = (vec![0.0; 9], vec![0.0; 9]);
    network.fields(&row, &mut kept);
    for site in [0, 3, 8, 3, 1] {
        network.add_row(site, if bit(&row, site) { -1.0 } else { 1.0 }, &mut kept);
        flip(&mut row, site);
        network.fields(&row, &mut fresh);
        kept.iter().zip(&fresh).for_each(|(kept, fresh)| assert!((kept - fresh).abs() < 1e-13));
    }
    Network::zeros(1).add_row(0, 1.0, &mut [0.0]);

    let (mut early, mut late) = (fresh.clone(), fresh.clone());
    let flips = [(0, 1.0), (4, -1.0), (5, 1.0), (8, 1.0)];
    for (site, change) in flips {
        network.add_row(site, change, &mut early);
        network.add_row_after(site, change, &mut late);
    }
    network.add_rows_before(&flips, &mut late);
    early.iter().zip(&late).for_each(|(early, late)| assert!((early - late).abs() < 1e-13));
    network.add_rows_before(&[], &mut late);
}

#[test]
fn products_are_symmetric() {
    let mut network = three();
    network.add_products(&[1.0, 0.0, 2.0], &[0.0, 3.0, -1.0]);
    assert_eq!(network.weights(), [1.0 + 3.0, -2.0 - 1.0, 3.0 + 6.0]);
}
