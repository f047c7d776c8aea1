import type { SampleSpec } from 'unnorm';
import { CRITICAL_TEMPERATURE, magnetization } from '../../lib/onsager.js';
import type { Sampler } from './settings.js';

/**
 * A run is a chain of segments, each one job of the engine that starts from the last state of the one before. That
 * keeps few draws in memory, and lets the temperature change on the way.
 */
export interface Segment {
  /** Its place in the run, from 0. */
  index: number;
  side: number;
  sampler: Sampler;
  temperature: number;
  field: number;
  /** Draws asked for. */
  numDraws: number;
  /** Whether it counts, or only lets the lattice settle at a new temperature. */
  measured: boolean;
  seed: number;
}

/** How the seed of a segment comes from that of the run: no two segments of any runs share one. */
export function segmentSeed(seed: number, index: number): number {
  return seed * 2 ** 20 + (index % 2 ** 20);
}

/** The spins of the start, packed: all up, or nothing, which leaves them to the seed. */
export function alignedBits(side: number): Uint8Array {
  return new Uint8Array((side * side) / 8).fill(255);
}

export function modelOf(side: number, temperature: number, field: number): SampleSpec['model'] {
  return {
    kind: 'ising',
    dim: side * side,
    pattern: { kind: 'lattice', numRows: side, numCols: side, periodic: true },
    uniform: { coupling: 1 / temperature, field: field / temperature },
  };
}

/** The most clusters of Wolff's for a draw. */
const MAX_CLUSTERS = 10_000;

/** The most bytes of the draws of a segment. */
const MAX_BYTES = 2 ** 25;

/** How many draws a segment has: `asked`, or fewer where those would not fit into `MAX_BYTES`. */
export function numDrawsOf(asked: number, side: number): number {
  return Math.min(asked, Math.floor(MAX_BYTES / (side ** 2 / 8)));
}

/**
 * Steps of the sampler from one draw to the next: one sweep, of large lattices two or eight. A step of Wolff's is one cluster, whose mean size is that
 * of Σ s_i s_j over j: about D m² below the transition, 1.09 side^{7/4} at it and 0.96 |1 − T_c/T|^{−7/4} above, by
 * finite-size scaling. It is good enough to be rough.
 */
export function stepsPerDraw(segment: Pick<Segment, 'side' | 'sampler' | 'temperature'>): number {
  const { side, sampler, temperature } = segment;
  if (sampler !== 'wolff') return Math.max(1, Math.round((side / 1448) ** 2));
  const distance = 1 - CRITICAL_TEMPERATURE / temperature;
  const atTransition = 1.09 * side ** (7 / 4);
  const size =
    distance > 0
      ? Math.min(atTransition, 1 + 0.96 * distance ** (-7 / 4))
      : Math.max(atTransition, side ** 2 * magnetization(temperature) ** 2);
  return Math.max(1, Math.min(MAX_CLUSTERS, Math.round(side ** 2 / size)));
}

/** The job of a segment. `bits` holds the state it starts from; without, the seed gives a random one. */
export function specOf(segment: Segment, bits: Uint8Array | undefined): SampleSpec {
  const { side, sampler, temperature, field, numDraws, seed } = segment;
  return {
    model: modelOf(side, temperature, field),
    transition: { kind: sampler },
    numChains: 1,
    numWarmup: 0,
    numDraws,
    numStepsPerDraw: stepsPerDraw(segment),
    moments: false,
    energies: true,
    // A copy: the engine takes the bytes out of the spec.
    start: bits
      ? { kind: 'data', data: { kind: 'bits', dim: side * side, numRows: 1, bits: bits.slice() } }
      : { kind: 'random' },
    seed,
  };
}

/**
 * The energy per site of spins, −Σ s s/D − field · Σ s/D in units of the coupling, from the engine's E = xᵀJx of zeros
 * and ones in nats, which is higher by D(2K − h) in every state.
 */
export function energyPerSite({ side, temperature, field }: Segment, energy: number): number {
  return (temperature * energy) / side ** 2 - 2 + field;
}
