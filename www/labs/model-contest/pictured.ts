import { basisPatches, type PatchTransform } from 'unnorm';
import {
  asPhotographs,
  asWhitened,
  eachOnItsScale,
  filterPictures,
  type GreyScale,
} from '../../patches/patches.js';
import type { PatchModel } from './entry.js';
import type { Settings } from './settings.js';

/** Filters, basis functions or weights of each model that are shown. */
export const NUM_FILTERS = 12;

/** What a model has learned, as pictures on scales of their own; undefined where it has none. */
export function learnedPictures(
  model: PatchModel,
  transform: PatchTransform & { scales: Float64Array },
  pixels: Settings['pixels'],
): Float64Array | undefined {
  const size = transform.patchSize ** 2;
  const dim = transform.scales.length;
  const all = picturesOf(model, transform, dim, pixels);
  return all && eachOnItsScale(all.subarray(0, NUM_FILTERS * size), size);
}

function picturesOf(
  model: PatchModel,
  transform: PatchTransform & { scales: Float64Array },
  dim: number,
  pixels: Settings['pixels'],
): Float64Array | undefined {
  const rows = (filters: Float64Array) =>
    filterPictures(transform as never, filters.slice(0, NUM_FILTERS * dim), pixels);
  switch (model.kind) {
    case 'ica':
    case 'productOfExperts':
    case 'mcRbm':
      return rows(model.filters);
    case 'gaussianRbm':
    case 'neural':
      return rows(model.weights);
    case 'linearGenerative':
    case 'bilinearGenerative': {
      const scales = new Float64Array(dim).fill(1);
      return basisPatches(
        pixels === 'whitened' ? { ...transform, scales } : transform,
        model.basis,
      );
    }
    case 'gaussian':
      return undefined;
  }
}

/** States as pictures on the pixels asked for. */
export function statePictures(
  states: Float64Array,
  transform: PatchTransform & { scales: Float64Array },
  scale: GreyScale,
  pixels: Settings['pixels'],
): Float64Array {
  return pixels === 'photograph'
    ? asPhotographs(transform as never, states, scale)
    : asWhitened(transform as never, states);
}
