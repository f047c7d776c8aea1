import {
  invertPatches,
  type PatchesResult,
  type PatchesSpec,
  type PatchTransform,
  receptiveFields,
} from 'unnorm';
import type { PatchChoice } from './choice.js';
import type { GreyPicture } from './decode.js';

/** Patches as the engine has cut and whitened them, and what they were cut from. */
export interface Prepared {
  /** Of the settings they depend on. */
  key: string;
  pictures: readonly GreyPicture[];
  result: PatchesResult;
  /** Mean log likelihoods under the standard normal distribution, in nats a patch. */
  gaussian: { training: number; test: number };
}

/** The job that cuts and whitens, without the pictures. */
export function patchesSpecWithoutPictures({
  patches,
  side,
  components,
  numTest,
  seed,
}: PatchChoice): Omit<PatchesSpec, 'pictures'> {
  return {
    numPatches: patches,
    patchSize: Number(side),
    numComponents: components,
    numTest,
    seed,
  };
}

export function patchesSpec(choice: PatchChoice, pictures: readonly GreyPicture[]): PatchesSpec {
  return {
    pictures: pictures.map(({ width, height, pixels }) => ({ width, height, pixels })),
    ...patchesSpecWithoutPictures(choice),
  };
}

/** Part of the rows of states. */
export function rowsOf(states: Float64Array, dim: number, num: number): Float64Array {
  return states.subarray(0, num * dim);
}

/** From black, 0, to white, 1: what is darker or lighter than nearly all patches is cut off. */
export interface GreyScale {
  low: number;
  high: number;
}

/** The scale on which patches are shown, from some of them: all but two in a hundred pixels are within it. */
export function greyScaleOf({ result }: Prepared): GreyScale {
  const { transform, states } = result;
  const some = invertPatches(transform, rowsOf(states, transform.scales.length, 500)).sort();
  const at = (share: number) => some[Math.floor(share * (some.length - 1))] ?? 0;
  return { low: at(0.01), high: at(0.99) };
}

/** States as patches of a photograph, in logarithms of light, 0 to 1 on the scale. */
export function asPhotographs(
  transform: PatchTransform,
  states: Float64Array,
  { low, high }: GreyScale,
): Float64Array {
  return invertPatches(transform, states).map((value) => (value - low) / (high - low));
}

/** States as patches in logarithms of light, less the mean of all training patches. */
export function centred(transform: PatchTransform, states: Float64Array): Float64Array {
  const patches = invertPatches(transform, states);
  return patches.map((value, n) => value - (transform.mean[n % transform.mean.length] ?? 0));
}

/**
 * States, or filters on states, as whitened pixels: turned back, and every component left at variance 1. So the picture
 * of a filter is what it looks for in a whitened patch.
 */
export function asWhitened(transform: PatchTransform, states: Float64Array): Float64Array {
  const scales = new Float64Array(transform.scales.length).fill(1);
  return receptiveFields({ ...transform, scales }, states);
}

/** Filters as weights of the pixels of the whitened patch, or of the photograph itself. */
export function filterPictures(
  transform: PatchTransform,
  filters: Float64Array,
  view: 'whitened' | 'photograph',
): Float64Array {
  return view === 'whitened' ? asWhitened(transform, filters) : receptiveFields(transform, filters);
}

/** Pictures, each on a scale of its own, −1 to 1: lengths are told in words. */
export function eachOnItsScale(pictures: Float64Array, size: number): Float64Array {
  const scaled = new Float64Array(pictures.length);
  for (let start = 0; start < pictures.length; start += size) {
    const picture = pictures.subarray(start, start + size);
    const most = picture.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
    if (most > 0)
      scaled.set(
        picture.map((value) => value / most),
        start,
      );
  }
  return scaled;
}

/** The part of all variance that the components kept have, 0 to 1. */
export function keptShare({ variances, totalVariance }: PatchesResult): number | undefined {
  if (totalVariance === undefined) return undefined;
  return variances.reduce((sum, variance) => sum + variance, 0) / totalVariance;
}
