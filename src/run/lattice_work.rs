//! Work that a graphics processor may do in place of a worker.

/// Sweeps over lattices in words of 32 bits, as `src/ts/lattice-device.ts` makes them: the heat bath on
/// a checkerboard of `crate::sample::torus`, which says what the words mean.
#[derive(Debug, Clone, PartialEq)]
pub struct LatticeWork {
    /// Rows of the lattice.
    pub num_rows: u32,
    /// Number of words that the sites of one colour in a row take.
    pub width: u32,
    /// Place of the last such site in its word.
    pub last_bit: u32,
    /// For 0 to 4 neighbours that are 1, the digits of the probability at which it changes from digit
    /// to digit, the first digit in the highest bit: two words each.
    pub changes: [u32; 10],
    /// The first and the second colour of a sweep.
    pub order: [u32; 2],
    /// The states of all chains, `[chain][colour][row][word]`.
    pub states: Vec<u32>,
    /// The keys of the sweeps, `[sweep][chain][4]`.
    pub keys: Vec<u32>,
    /// The numbers of sweeps after which the states are wanted, ascending; the last is that of all.
    pub stops: Vec<u32>,
}
