/**
 * Converts states back to patches of pictures, for display: the inverse of a `PatchTransform` of
 * `engine.patches`. It makes the same sums in the same order as Rust, and so gives the same
 * numbers.
 */

import { describe, invalidData } from './checks.js';
import type { PatchTransform } from './types.js';

/** Numbers in sequence. */
type Numbers = ArrayLike<number>;

/**
 * Patches `[states, size²]`, row by row, of states `[states, M]`: μ + Σ x_m s_m c_m. They are
 * logarithms: a pixel's grey is `Math.exp(value) - transform.offset`. If the transform removed the
 * patches' own means, these patches have none.
 */
export function invertPatches(transform: PatchTransform, states: Numbers): Float64Array {
  const patches = combine(transform, weighted(transform, states, 'states', true));
  const dim = transform.patchSize ** 2;
  for (let at = 0; at < patches.length; at++) {
    patches[at] = (patches[at] as number) + (transform.mean[at % dim] as number);
  }
  return patches;
}

/**
 * Filters on states, `[filters, M]`, as filters on patches, `[filters, size²]`: Σ (w_m / s_m) c_m.
 * A filter's response to a state is its receptive field's response to the patch minus the mean.
 */
export function receptiveFields(transform: PatchTransform, filters: Numbers): Float64Array {
  return combine(transform, weighted(transform, filters, 'filters', false));
}

/**
 * The patches of the columns of a basis, `[columns, size²]`: Σ A_mk s_m c_m for column k. The basis
 * is `[M, columns]`, as in generative models.
 */
export function basisPatches(transform: PatchTransform, basis: Numbers): Float64Array {
  const numComponents = transform.scales.length;
  const numColumns = count(transform, basis, 'basis');
  const columns = new Float64Array(basis.length);
  for (let at = 0; at < basis.length; at++) {
    const [row, column] = [Math.floor(at / numColumns), at % numColumns];
    columns[column * numComponents + row] = basis[at] as number;
  }
  return combine(transform, weighted(transform, columns, 'basis', true));
}

/** Number of vectors of M entries. */
function count(transform: PatchTransform, vectors: Numbers, field: string): number {
  const numComponents = transform.scales.length;
  const number = vectors.length / numComponents;
  if (Number.isInteger(number)) return number;
  const words = `has ${describe(vectors.length)} numbers, but the transform ${numComponents} components`;
  throw invalidData(field, `${words}; give as many numbers for each, or a multiple`);
}

/** Vectors `[vectors, M]` multiplied or divided by the scales. */
function weighted(
  transform: PatchTransform,
  vectors: Numbers,
  field: string,
  times: boolean,
): Float64Array {
  count(transform, vectors, field);
  const { scales } = transform;
  return Float64Array.from(vectors, (value, at) => {
    const scale = scales[at % scales.length] as number;
    return times ? value * scale : value / scale;
  });
}

/** Σ_m x_m c_m for vectors `[vectors, M]`. */
function combine(transform: PatchTransform, vectors: Float64Array): Float64Array {
  const { components, scales } = transform;
  const dim = transform.patchSize ** 2;
  const patches = new Float64Array((vectors.length / scales.length) * dim);
  for (let at = 0; at < vectors.length; at++) {
    const weight = vectors[at] as number;
    const start = Math.floor(at / scales.length) * dim;
    const component = (at % scales.length) * dim;
    for (let d = 0; d < dim; d++) {
      const sum = patches[start + d] as number;
      patches[start + d] = sum + weight * (components[component + d] as number);
    }
  }
  return patches;
}
