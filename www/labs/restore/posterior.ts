import type { ModelSpec, SampleSpec } from 'unnorm';
import { isSet, pictureOf } from '../../lib/bit-pictures.js';
import { words } from '../../lib/random-bits.js';
import { PRIOR_BETA } from './settings.js';

/**
 * What is seen, y, has each pixel of the picture flipped with probability p. In spins s = ±1 the posterior is
 * p(s | y) ∝ exp(−E),  E(s) = −β Σ s_i s_j − η Σ s_i y_i,  η = ½ ln((1 − p)/p),
 * neighbours i, j, and in the second sum the pixels that are given.
 */
export interface Seen {
  side: number;
  /** Packed; what is not given holds fair coins, from which descent starts. */
  bits: Uint8Array;
  /** Packed, 1 is not given. */
  hole: Uint8Array;
  beta: number;
  noise: number;
}

/** The streams of random bits, of the lab's seed. */
const STREAMS = { noise: 1, coins: 2 } as const;

/** The picture as it is seen. With more noise the same pixels are flipped, and others as well. */
export function seenOf(
  picture: Uint8Array,
  hole: Uint8Array,
  side: number,
  { beta, noise, seed }: { beta: number; noise: number; seed: number },
): Seen {
  const [flips, coins] = [words(seed, STREAMS.noise), words(seed, STREAMS.coins)];
  const limit = Math.round(noise * 2 ** 32);
  const bits = pictureOf(side, (row, column) => {
    const n = row * side + column;
    const isFlipped = flips() < limit;
    const isHeads = (coins() & 1) === 1;
    return isSet(hole, n) ? isHeads : isSet(picture, n) !== isFlipped;
  });
  return { side, bits, hole, beta, noise };
}

/** η, rounded so that it is the same in every browser. */
export function etaOf(noise: number): number {
  return Math.round(2 ** 19 * Math.log((1 - noise) / noise)) / 2 ** 20;
}

export type IsingModel = ModelSpec & { kind: 'ising' };

function patternOf(side: number) {
  return { kind: 'lattice', numRows: side, numCols: side, periodic: false } as const;
}

/** The posterior in x = (s + 1)/2: J_ij = −2β, J_ii = −2 η y_i − Σ_j J_ij. */
export function posteriorOf({ side, bits, hole, beta, noise }: Seen): IsingModel {
  const dim = side * side;
  const eta = etaOf(noise);
  const biases = new Float64Array(dim);
  const couplings: number[] = [];
  for (let i = 0; i < dim; i++) {
    if (!isSet(hole, i)) biases[i]! += isSet(bits, i) ? -2 * eta : 2 * eta;
    for (const j of [i % side < side - 1 ? i + 1 : dim, i + side]) {
      if (j >= dim) continue;
      couplings.push(0 - 2 * beta);
      biases[i]! += 2 * beta;
      biases[j]! += 2 * beta;
    }
  }
  const params = Float64Array.from([...biases, ...couplings]);
  return { kind: 'ising', dim, pattern: patternOf(side), params };
}

/** E(s) in nats, by this page's own program. */
export function energyOf({ side, bits, hole, beta, noise }: Seen, picture: Uint8Array): number {
  let [agreeing, pairs, right, given] = [0, 0, 0, 0];
  for (let n = 0; n < side * side; n++) {
    const isInk = isSet(picture, n);
    const others = [n % side < side - 1 ? n + 1 : side * side, n + side];
    for (const other of others.filter((m) => m < side * side)) {
      pairs += 1;
      if (isSet(picture, other) === isInk) agreeing += 1;
    }
    if (isSet(hole, n)) continue;
    given += 1;
    if (isSet(bits, n) === isInk) right += 1;
  }
  return -beta * (2 * agreeing - pairs) - etaOf(noise) * (2 * right - given);
}

/** A picture drawn from the prior itself. */
export function priorSpec(side: number, seed: number): SampleSpec & { model: IsingModel } {
  const dim = side * side;
  return {
    model: { kind: 'ising', dim, pattern: patternOf(side), uniform: { coupling: PRIOR_BETA } },
    transition: { kind: 'swendsenWang' },
    numChains: 1,
    numWarmup: 1000,
    numDraws: 1,
    moments: false,
    seed,
  };
}
