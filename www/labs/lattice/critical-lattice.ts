import { CRITICAL_TEMPERATURE } from '../../lib/onsager.js';

/** Clusters for the picture on the card: enough to forget the start, a few milliseconds. */
const NUM_CLUSTERS = 120;

/** A lattice at the critical temperature, packed, by Wolff's clusters from spins that are all alike. For a picture only. */
export function criticalLattice(side: number): Uint8Array {
  const dim = side * side;
  const random = generator(3);
  const spins = new Uint8Array(dim).fill(1);
  const bond = 1 - Math.exp(-2 / CRITICAL_TEMPERATURE);
  for (let n = 0; n < NUM_CLUSTERS; n++) {
    const first = Math.floor(random() * dim);
    const before = spins[first] as number;
    spins[first] = 1 - before;
    const open = [first];
    for (let site = open.pop(); site !== undefined; site = open.pop()) {
      const column = site % side;
      const neighbours = [
        (site + side) % dim,
        (site - side + dim) % dim,
        site - column + ((column + 1) % side),
        site - column + ((column + side - 1) % side),
      ];
      for (const other of neighbours) {
        if (spins[other] === before && random() < bond) {
          spins[other] = 1 - before;
          open.push(other);
        }
      }
    }
  }
  const bits = new Uint8Array(dim / 8);
  spins.forEach((spin, n) => {
    bits[n >> 3] = (bits[n >> 3] as number) | (spin << (n & 7));
  });
  return bits;
}

/** A generator of 32 bits (mulberry32), as numbers in [0, 1). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
