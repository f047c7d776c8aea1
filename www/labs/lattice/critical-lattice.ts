import { bondProbability, packedSpins, torusNeighbours, wolffStep } from '../../lib/ising-torus.js';
import { CRITICAL_TEMPERATURE } from '../../lib/onsager.js';

/** Clusters for the picture on the card: enough to forget the start, a few milliseconds. */
const NUM_CLUSTERS = 120;

/** A lattice at the critical temperature, packed, by Wolff's clusters from spins that are all alike. For a picture only. */
export function criticalLattice(side: number): Uint8Array {
  const random = generator(3);
  const spins = new Uint8Array(side * side).fill(1);
  const neighbours = torusNeighbours(side);
  const bond = bondProbability(CRITICAL_TEMPERATURE);
  for (let n = 0; n < NUM_CLUSTERS; n++) wolffStep(spins, neighbours, bond, random);
  return packedSpins(spins);
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
