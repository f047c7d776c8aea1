/** Transition matrices of small Markov chains, row-major, `[from, to]`. */

/** A matrix from the probability of going from i to j. */
export function matrixOf(size: number, at: (i: number, j: number) => number): number[] {
  return Array.from({ length: size * size }, (_, n) => at(Math.floor(n / size), n % size));
}

/** The example of Risteski's lecture (2021): π = (27, 50, 45) / 122. */
export const LECTURE: readonly number[] = [0, 1, 0, 0, 0.1, 0.9, 0.6, 0.4, 0];

/** Two clusters of four states, all of the same stationary probability, and a bridge of this probability between them. */
export function dumbbell(bridge: number): number[] {
  const isBridge = (a: number, b: number) => a === 3 && b === 4;
  return matrixOf(8, (i, j) => {
    if (isBridge(i, j) || isBridge(j, i)) return bridge;
    if (Math.floor(i / 4) !== Math.floor(j / 4)) return 0;
    return i === j && (i === 3 || i === 4) ? 0.25 - bridge : 0.25;
  });
}
