/** How far learned couplings are from the true ones. */
export interface CouplingErrors {
  /** Mean square error over all entries of J. */
  all: number;
  /** The same over the entries off the diagonal: the couplings without the biases. */
  offDiagonal: number;
}

/** Both matrices row-major [dim, dim]. */
export function couplingErrors(learned: Float64Array, truth: Float64Array): CouplingErrors {
  const dim = Math.round(Math.sqrt(truth.length));
  let all = 0;
  let diagonal = 0;
  for (let n = 0; n < truth.length; n++) {
    const square = ((learned[n] as number) - (truth[n] as number)) ** 2;
    all += square;
    if (n % (dim + 1) === 0) diagonal += square;
  }
  return { all: all / truth.length, offDiagonal: (all - diagonal) / (truth.length - dim) };
}
