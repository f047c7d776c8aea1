import type { ChainResult } from 'unnorm';

/** Curves between which d(t) lies: `below` and `above` times λᵗ. */
export interface Bounds {
  /** The greatest modulus of the eigenvalues but the first, 1 less the absolute gap. */
  eigenvalue: number;
  below: number;
  above: number;
}

/**
 * Of an irreducible, reversible chain ½λᵗ ≤ d(t) ≤ ½√(1/min π − 1) λᵗ: Levin, Peres and Wilmer (2017), (12.15); Diaconis and
 * Stroock (1991), proposition 3.
 */
export function boundsOf(result: ChainResult): Bounds | undefined {
  const { absoluteGap, stationary, irreducible, reversible } = result;
  if (!irreducible || !reversible || !absoluteGap) return undefined;
  const rarest = Math.min(...stationary);
  return { eigenvalue: 1 - absoluteGap, below: 0.5, above: 0.5 * Math.sqrt(1 / rarest - 1) };
}
